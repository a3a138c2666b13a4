"""Rank the validators of a campaign and QA systems together.

The files with outcomes of QA systems may be anywhere. They are copied into the folder of the campaign, so that the log
names no files elsewhere.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.evidence import Evidence
from nescio.data.notes import Note
from nescio.errors import MismatchError, UsageError
from nescio.people.campaigns.evidence import NOBODY, JudgedRuns
from nescio.people.campaigns.folder import RANKINGS
from nescio.people.campaigns.topics import Part
from nescio.pipeline.judged import load_judged
from nescio.tasks.ave import baselines as reference
from nescio.tasks.ave.baselines import Place


class Ranking(Struct, frozen=True):
    """A file with outcomes of QA systems, and the language that the user named for it (empty if none was named)."""

    path: Path
    language: str = ""

    @property
    def place(self) -> str:
        """Return the path of the file's copy in the folder of rankings."""
        return f"{self.language}/{self.path.name}" if self.language else self.path.name

    @property
    def kept(self) -> str:
        """Return the name of the file's copy in the log: the language and "=", if a language is named, and the path."""
        return f"{self.language}{self.language and '='}{RANKINGS}/{self.place}"


class Ranked(Struct, frozen=True):
    """The ranking of validators and QA systems in one language of AVE, with notes on the outcomes of the QA systems."""

    judged: JudgedRuns
    places: tuple[Place, ...]
    notes: tuple[Note, ...] = ()

    def best(self, kind: str) -> tuple[list[Place], float]:
        """Return the best systems of a kind, and their QA accuracy; [] and NaN if there is no such system.

        `kind` is AV (validators), QA (QA systems) or the name of a baseline.
        """
        places = [place for place in self.places if kind in (place.type, place.system)]
        most = max((place.qa_accuracy for place in places), default=float("nan"))
        return [place for place in places if place.qa_accuracy == most], most


def rankings(parts: Sequence[JudgedRuns], given: Sequence[str]) -> list[Ranking]:
    """Return the files of QA systems' outcomes in `given`, each written `FILE` or `LANGUAGE=FILE`.

    Raises UsageError for two files with the same name, and for a folder.
    """
    languages = {judged.part.language for judged in parts}
    made = []
    for text in given:
        language, equals, rest = text.partition("=")
        named = equals and language in languages and not Path(text).exists()
        made.append(Ranking(Path(rest), language) if named else Ranking(Path(text)))
    places = [file.place for file in made]
    if twice := next((file for file in made if places.count(file.place) > 1), None):
        raise UsageError(f"two files of outcomes are called {twice.path.name}; rename one of them")
    if folder := next((file for file in made if file.path.is_dir()), None):
        raise UsageError(f"{folder.path}: outcomes of QA systems must be a file, but this is a folder")
    return made


def keep(files: Sequence[Ranking], folder: Path) -> None:
    """Copy files with the outcomes of QA systems into a folder.

    Raises UsageError if a system is named after its file's folder: the copy is in another folder, so that the system
    would get another name.
    """
    for qa in files:
        copy = folder / qa.place
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(qa.path, copy)
        systems, again = load_judged([qa.path]).data, load_judged([copy]).data
        assert isinstance(systems, Evidence)
        assert isinstance(again, Evidence)
        if systems.runs != again.runs:
            raise UsageError(
                f"{qa.path}: the folder has the system's name, but the file needs it; rename the file after the system"
            )


def ranked(parts: Sequence[JudgedRuns], files: Sequence[Ranking]) -> list[Ranked]:
    """Return the ranking of validators and QA systems in each language; it is empty if the collection is not judged."""
    by_language = _of_languages([judged.part for judged in parts], files)
    languages = []
    for judged in parts:
        data, exercise = judged.loaded.data, judged.exercise
        assert isinstance(data, Evidence)
        assert exercise is not None
        if not any(candidate.judged for candidate in exercise.candidates):
            languages.append(Ranked(judged, ()))
            continue
        names, notes = tuple[str, ...](), tuple[Note, ...]()
        if given := by_language.get(judged.part.language):
            systems = load_judged(given)
            assert isinstance(systems.data, Evidence)
            data, more = reference.with_systems(data, systems.data)
            names, notes = systems.data.runs, tuple(_by_name(note, given) for note in (*systems.notes, *more))
        places = (place for place in reference.ranking(exercise, data, names) if place.system != NOBODY)
        languages.append(Ranked(judged, tuple(places), notes))
    return languages


def _by_name(note: Note, files: Sequence[Path]) -> Note:
    """Return a note in which the paths of `files` are replaced by their names, so that it is the same for a copy."""

    def named(value: Any) -> Any:
        for file in files if isinstance(value, str) else ():
            value = value.replace(str(file), file.name)
        return value

    return replace(note, subject=named(note.subject), values=tuple((name, named(value)) for name, value in note.values))


def _of_languages(parts: Sequence[Part], files: Sequence[Ranking]) -> dict[str, list[Path]]:
    """Return the files with outcomes of QA systems, keyed by language.

    A file's language is the only language of the campaign, the language that the user named, or that of the questions
    in the file. Raises UsageError if several languages have these questions, and MismatchError if none has.
    """
    paths: dict[str, list[Path]] = {}
    by_language = {part.language: part for part in parts}
    for file in files:
        only = len(by_language) == 1 and not file.language
        language = parts[0].language if only else file.language or _language_of(file.path, by_language)
        paths.setdefault(language, []).append(file.path)
    return paths


def _language_of(file: Path, parts: Mapping[str, Part]) -> str:
    systems = load_judged([file]).data
    assert isinstance(systems, Evidence)
    questions = {*systems.questions}
    having = [language for language, part in parts.items() if questions & part.questions.keys()]
    if not having:
        raise MismatchError(f"{file}: the QA systems answer no question of the campaign")
    if len(having) > 1:
        raise UsageError(
            f"{file}: questions with these ids are in {' and '.join(having)}; name the language of this file, as in "
            f"{having[0]}={file}"
        )
    return having[0]
