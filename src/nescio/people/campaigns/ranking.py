"""QA systems beside the validators of a campaign: which outcomes belong to which language, and the ranking of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from nescio.data.evidence import Evidence
from nescio.data.notes import Note
from nescio.errors import MismatchError, UsageError
from nescio.people.campaigns.evidence import NOBODY, JudgedRuns
from nescio.people.campaigns.topics import Part
from nescio.pipeline.judged import load_judged
from nescio.tasks.ave import baselines as reference
from nescio.tasks.ave.baselines import Place


class Ranked(Struct, frozen=True):
    """A language of AVE: how its validators and QA systems rank, and what the outcomes of the systems leave to note."""

    judged: JudgedRuns
    places: tuple[Place, ...]
    notes: tuple[Note, ...] = ()

    def best(self, kind: str) -> tuple[list[Place], float]:
        """Return the places of the best of a kind (AV, QA, or a baseline by its name), and their QA accuracy; none
        and NaN if there is none."""
        own = [place for place in self.places if kind in (place.type, place.system)]
        most = max((place.qa_accuracy for place in own), default=float("nan"))
        return [place for place in own if place.qa_accuracy == most], most


def ranked(parts: Sequence[JudgedRuns], files: Sequence[Path | str]) -> list[Ranked]:
    """Rank the validators of each language, the QA systems among them that have outcomes there; a collection that
    nobody judged ranks none."""
    own = _of_languages([judged.part for judged in parts], files)
    languages = []
    for judged in parts:
        data, exercise = judged.loaded.data, judged.exercise
        assert isinstance(data, Evidence)
        assert exercise is not None
        if not any(one.judged for one in exercise.candidates):
            languages.append(Ranked(judged, ()))
            continue
        names, notes = tuple[str, ...](), tuple[Note, ...]()
        if given := own.get(judged.part.language):
            systems = load_judged(given)
            assert isinstance(systems.data, Evidence)
            data, more = reference.with_systems(data, systems.data)
            names, notes = systems.data.runs, (*systems.notes, *more)
        places = (place for place in reference.ranking(exercise, data, names) if place.system != NOBODY)
        languages.append(Ranked(judged, tuple(places), notes))
    return languages


def _of_languages(parts: Sequence[Part], files: Sequence[Path | str]) -> dict[str, list[Path]]:
    """Return the outcomes of QA systems by language.

    `EN=FILE` says which; else it is the one language whose questions the file has. Raises UsageError if several
    languages have them, MismatchError where none does.
    """
    own: dict[str, list[Path]] = {}
    by_language = {part.language: part for part in parts}
    for file in files:
        language, equals, rest = str(file).partition("=")
        if equals and language in by_language and not Path(file).exists():
            own.setdefault(language, []).append(Path(rest))
        elif len(by_language) == 1:
            own.setdefault(next(iter(by_language)), []).append(Path(file))
        else:
            own.setdefault(_language_of(Path(file), by_language), []).append(Path(file))
    return own


def _language_of(file: Path, parts: Mapping[str, Part]) -> str:
    systems = load_judged([file]).data
    assert isinstance(systems, Evidence)
    questions = {*systems.questions}
    having = [language for language, part in parts.items() if questions & part.questions.keys()]
    if not having:
        raise MismatchError(f"{file}: the QA systems answer no question of the campaign")
    if len(having) > 1:
        raise UsageError(
            f"{file}: questions with these ids are in {' and '.join(having)}; say which is meant, as in"
            f" {having[0]}={file}"
        )
    return having[0]
