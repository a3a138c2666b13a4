"""Write the topics of a campaign, which have no gold answers, from the organisers' files, and read them again."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from nescio.data.model import Collection, Question, first_of_each
from nescio.data.notes import Note, note
from nescio.errors import FormatError, MismatchError, UsageError, opt
from nescio.formats import ReadOptions, open_source
from nescio.formats.folder_writer import write_lines
from nescio.formats.logs.metric_tables import rows_of
from nescio.people.campaigns.giving_away import LANGUAGE, cell_of, gives_away
from nescio.people.campaigns.settings import Settings, Task
from nescio.pipeline import read_collection
from nescio.sources.json_lines import json_lines
from nescio.sources.source import LINES, Source
from nescio.sources.temporary import temporary_folder
from nescio.tables.collection import identifier
from nescio.tables.lexicon import roles_of
from nescio.tables.questions_writer import story_names, topic_row
from nescio.tasks.ave.exercise import Exercise
from nescio.tasks.ave.reader import COLLECTION, read_exercise, write_exercise
from nescio.tasks.ave.reader import recognise as recognise_ave
from nescio.tasks.nuggets.reader import KEY as NUGGET_KEY
from nescio.tasks.nuggets.reader import read_keys
from nescio.tasks.nuggets.reader import recognise as recognise_nuggets
from nescio.tasks.nuggets.scoring import is_vital
from nescio.tasks.pan.truth import problems_of
from nescio.tasks.pan.truth import recognise as recognise_pan
from nescio.text import enumerated, squeeze

_GOLD = ("sentences", "answer", "gold")  # columns of questions that would give answers away
_ALL = ""


class Part(Struct, frozen=True):
    """The topics of one language; for AVE, with the answers to validate, and a digest of all topics' ids and texts.

    The digest stays the same when the language gets another name, or when topics are dropped.
    """

    language: str
    questions: Mapping[str, Question]
    exercise: Exercise | None = None
    digest: str = ""


class Accepted(Protocol):
    """A run that was accepted: its name, its language then, and the digest of the topics that it answered."""

    @property
    def run(self) -> str: ...
    @property
    def language(self) -> str: ...
    @property
    def asked(self) -> str: ...


class Topics(Struct, frozen=True):
    """The topics, keyed by language; a single part with the key "" if the campaign does not distinguish languages."""

    task: Task
    parts: Mapping[str, Part] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()  # ids of topics that no longer count

    @property
    def count(self) -> int:
        """Return the number of topics in all languages."""
        return sum(len(part.questions) for part in self.parts.values())

    def split_by(self, languages: Sequence[str]) -> tuple[str, ...]:
        """Return these languages if every topic has one of them; otherwise none, because counts would lack topics."""
        return tuple(languages) if self.parts.keys() <= {*languages} else ()


# ---- from what the organisers have ----


def write_topics(
    files: Sequence[Path], folder: Path, settings: Settings, first_of: str | None = None, show: Sequence[str] = ()
) -> tuple[Settings, tuple[str, ...]]:
    """Write the topics without gold answers; return the settings with the languages of the topics, and notes.

    Raises MismatchError for topics in a language that the settings lack, for a topic without a language if there are
    several, and for a column that would give answers away, unless `show` names it. `first_of` is as in `init`.
    """
    notes: list[str] = []
    if settings.task == "ave":
        languages = _write_ave(files, folder)
    elif settings.task in ("qa", "reading"):
        collection, remarks = _collection(files)
        notes.extend(map(str, remarks))
        languages = _write_questions(collection.questions, folder, notes, first_of, show)
    elif settings.task == "nuggets":
        targets = [Question(name, text, strata=strata) for name, text, strata in _targets(files)]
        languages = _write_targets(targets, folder, notes, show)
    else:
        _write_problems((name for path in files for name in problems_of(open_source(path))), folder)
        languages = {_ALL: "the first problem"}
    if first_of and settings.task not in ("qa", "reading"):
        raise UsageError(
            f"{opt('first_of')} names a column of the questions, so it works only for the tasks qa and reading"
        )
    named = [name for name in languages if name]
    if settings.languages and (strange := [name for name in named if name not in settings.languages]):
        raise MismatchError(f"some topics are in {strange[0]!r}, which is not a language of the campaign")
    if _ALL in languages and (named or len(settings.languages) > 1):
        rule = f"{languages[_ALL]} has no language, but the campaign has {enumerated(named or settings.languages)}"
        raise MismatchError(f"{rule}; name the language of every topic, or of none and leave {opt('languages')} out")
    separate = settings.languages or (tuple(named) if len(named) > 1 else ())
    return replace(settings, languages=separate), tuple(notes)


def _languages(questions: Iterable[Question]) -> dict[str, str]:
    """Return the languages of the questions ("" for none), each with a phrase that names its first question."""
    first: dict[str, str] = {}
    for question in questions:
        first.setdefault(question.strata.get(LANGUAGE, _ALL), f"topic {question.id!r}")
    return first


def _write_questions(
    questions: Sequence[Question], folder: Path, notes: list[str], first_of: str | None, show: Sequence[str]
) -> dict[str, str]:
    stories = story_names(questions) if all(question.story for question in questions) else {}
    hidden = (*_GOLD, "story") if stories else _GOLD
    strata = list(dict.fromkeys(name for q in questions for name in q.strata if name not in hidden))
    _check_columns(questions, strata, show)
    if first_of is not None:
        questions, remark = first_of_each(questions, first_of)
        notes.append(str(remark))
        _check_columns(questions, strata, show)  # as a handout does, because fewer questions may give a key away
        stories = story_names(questions) if stories else {}
    write_lines(folder / "questions.jsonl", (topic_row(question, strata, stories) for question in questions))
    if stories:
        write_lines(folder / "stories.jsonl", ({"id": n, "sentences": list(story)} for story, n in stories.items()))
    _note_columns(strata, notes)
    return _languages(questions)


def _write_targets(targets: Sequence[Question], folder: Path, notes: list[str], show: Sequence[str]) -> dict[str, str]:
    strata = list(dict.fromkeys(name for target in targets for name in target.strata if name != "nuggets"))
    _check_columns(targets, strata, show)
    rows = [
        {"id": target.id, "target": target.text}
        | {name: target.strata[name] for name in strata if name in target.strata}
        for target in targets
    ]
    write_lines(folder / "targets.jsonl", rows)
    _note_columns(strata, notes)
    return _languages(targets)


def _note_columns(columns: Sequence[str], notes: list[str]) -> None:
    if columns:
        notes.append(f"teams see these columns of the questions: {', '.join(columns)}")


def _write_problems(names: Iterable[str], folder: Path) -> None:
    write_lines(folder / "problems.jsonl", ({"id": name} for name in names))


def _check_columns(questions: Sequence[Question], columns: Sequence[str], show: Sequence[str]) -> None:
    """Raise MismatchError for a column that looks like the key, unless `show` names it."""
    for name in columns:
        if name not in show and (why := gives_away(questions, name)):
            rule = f"teams would see the column {name!r}, but {why}; remove the column, or allow it"
            later = f"once there is a campaign, show = {json.dumps([name], ensure_ascii=False)} in campaign.toml"
            raise MismatchError(f"{rule} ({opt('show', [name])}; {later})")


_COLUMNS = {"id": ("question", "row"), "question": ("text",), "answers": ("gold", "answer")}


def in_lines(files: Sequence[Path], folder: Path, task: Task) -> list[Path]:
    """Return the files of topics; each table of questions is replaced by JSON Lines, written into `folder`.

    The columns for id, question and answers are recognised by their names; other columns are unchanged. Raises
    FormatError if no column, or more than one, can have the ids or the questions.
    """
    if task not in ("qa", "reading"):
        return [*files]
    sources = {path: open_source(path) for path in files if path.is_file()}
    tables = {path: source for path, source in sources.items() if source.kind in ("delimited", "parquet")}
    return [_lines_of(tables[path], folder) if path in tables else path for path in files]


def _lines_of(source: Source, folder: Path) -> Path:
    columns: dict[str, str] = {}
    for part, roles in _COLUMNS.items():
        there = [name for name in source.columns if name == part] or [
            name for role in roles for name in source.columns if role in roles_of(name)
        ]
        if len(there) > 1 or (not there and part != "answers"):
            rule = f"topics need exactly one column of {part}" + (
                f", but there are {', '.join(there)}" if there else ""
            )
            raise FormatError(source.label, rule, where=source.head, value=list(source.columns))
        columns |= dict.fromkeys(there, part)
    path = folder / f"{source.stem}.jsonl"
    write_lines(
        path,
        (
            {columns.get(name, name): cell_of(text) for name, text in row.items() if text is not None}
            for row in rows_of(source)
        ),
    )
    try:
        _collection([path])
    except FormatError as error:  # which is about a line of what was written
        where = (error.where or "").replace("line", "row")
        raise FormatError(source.label, error.rule, where=where or None, value=error.value) from None
    return path


def _collection(files: Sequence[Path]) -> tuple[Collection, tuple[Note, ...]]:
    return read_collection(list(files), ReadOptions(gold=False))


def _write_ave(files: Sequence[Path], folder: Path) -> dict[str, str]:
    languages: dict[str, str] = {}
    for exercise, path in exercises_of(files):
        for language in _add_languages(languages, exercise, path):
            write_exercise(in_language(exercise, language), folder / f"{language or 'collection'}.xml", values=False)
    return languages


def _add_languages(languages: dict[str, str], exercise: Exercise, path: Path) -> list[str]:
    """Add the languages of a collection with its file, and return them.

    Raises MismatchError if an earlier file has one of them.
    """
    by_language = dict.fromkeys((question.strata.get(LANGUAGE, _ALL) for question in exercise.questions), str(path))
    if (twice := next((name for name in by_language if name in languages), None)) is not None:
        raise MismatchError(f"{path} and {languages[twice]} both have questions in {twice or 'no language'}")
    languages |= by_language
    return [*by_language]


def exercises_of(files: Sequence[Path]) -> Iterator[tuple[Exercise, Path]]:
    """Yield the AVE collection in each of these files, with the path of the file.

    Raises FormatError for a file that has no such collection.
    """
    for path in files:
        source = open_source(path)
        if recognise_ave(source) != COLLECTION:
            rule = "topics of AVE must be collections in XML, which hold questions (q) with answers (a) and texts (t)"
            raise FormatError(path, rule)
        yield read_exercise(source), path


def in_language(exercise: Exercise, language: str) -> Exercise:
    """Return the part of a collection of AVE in one language."""
    kept = {question.id: question for question in exercise.questions if question.strata.get(LANGUAGE, _ALL) == language}
    candidates = tuple(candidate for candidate in exercise.candidates if candidate.question_id in kept)
    known = [count for name, count in exercise.available.items() if name == language.upper()]
    return Exercise(exercise.name, tuple(kept.values()), candidates, {language.upper(): n for n in known})


def _targets(files: Sequence[Path]) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield the id, the text and the strata of each target.

    The targets are in keys of nuggets, or in JSON Lines with "id" and "target".
    """
    texts: dict[str, str] = {}
    strata: dict[str, dict[str, str]] = {}
    keys = [source for path in files if recognise_nuggets(source := open_source(path)) == NUGGET_KEY]
    for target in read_keys(keys).targets() if keys else ():
        texts[target.id] = target.text
        strata[target.id] = dict(target.strata)
    for path in files:
        source = open_source(path)
        if recognise_nuggets(source) == NUGGET_KEY:
            continue
        if source.suffix not in LINES or "target" not in source.columns:
            raise FormatError(path, 'nugget topics must be a key of nuggets, or JSON Lines with "id" and "target"')
        for row, line in json_lines(source):
            name = identifier(source, row, line)
            if not isinstance(row.get("target"), str):
                raise FormatError(path, "`target` must be a text", where=f"line {line}", value=row.get("target"))
            if texts.get(name) not in (None, "", row["target"]):
                rule = "the target was stated before with another text"
                raise FormatError(path, rule, where=f"line {line}", value=row["target"])
            texts[name] = row["target"]
            if isinstance(row.get(LANGUAGE), str):
                strata[name] = {LANGUAGE: row[LANGUAGE]} | strata.get(name, {})
    yield from ((name, text, strata.get(name, {})) for name, text in texts.items())


# ---- the key ----


def has_key(files: Sequence[Path], task: Task) -> bool:
    """Return whether the organisers' files have gold answers."""
    if task == "ave":
        return any(candidate.value for exercise, _ in exercises_of(files) for candidate in exercise.candidates)
    if task == "nuggets":
        return any(recognise_nuggets(open_source(path)) == NUGGET_KEY for path in files)
    if task == "pan":
        return any(recognise_pan(open_source(path)) is not None for path in files)
    collection, _ = _collection(files)
    return any(q.answers or q.answerable is False or q.accepted is not None for q in collection.questions)


def write_key(files: Sequence[Path], folder: Path) -> None:
    """Copy the organisers' files into the folder of the key. Raises UsageError if two have the same name."""
    for path in files:
        place = folder / path.name
        if place.exists():
            raise UsageError(f"two files are called {path.name}; rename one of them")
        if path.is_dir():
            shutil.copytree(path, place)
        else:
            shutil.copyfile(path, place)


# ---- read again ----


def read_topics(folder: Path, task: Task) -> Topics:
    """Return the topics of a campaign, or of a team's handout. Raises UsageError if there are none."""
    files = topic_files(folder)
    if task == "ave":
        parts, languages = {}, dict[str, str]()
        for exercise, path in exercises_of(files):
            _add_languages(languages, exercise, path)
            language = _ALL if path.stem == "collection" else path.stem
            by_id = {question.id: question for question in exercise.questions}
            parts[language] = Part(language, by_id, exercise, _digest(exercise))
        check_languages(parts)
        return Topics(task, parts)
    if task in ("qa", "reading"):
        questions: Sequence[Question] = _collection(files)[0].questions
    else:
        questions = [*_targets_or_problems(files)]
    return Topics(task, _parts(questions))


def _digest(exercise: Exercise) -> str:
    texts = [(question.id, question.text) for question in exercise.questions]
    answers = [(*candidate.key, candidate.answer, candidate.text) for candidate in exercise.candidates]
    return hashlib.sha256(json.dumps([*texts, *answers]).encode()).hexdigest()


def topic_files(folder: Path) -> list[Path]:
    """Return the files of the topics in a folder. Raises UsageError if there are none."""
    files = sorted(path for path in folder.glob("*") if path.suffix in (".xml", ".jsonl"))
    if not files:
        raise UsageError(f"{folder} holds no topics")
    return files


def _targets_or_problems(files: Sequence[Path]) -> Iterator[Question]:
    known: set[str] = set()
    for source in map(open_source, files):
        for row, line in json_lines(source):
            if (name := identifier(source, row, line)) in known:
                raise FormatError(source.label, "the topic appears twice", where=f"line {line}", value=name)
            known.add(name)
            yield Question(name, str(row.get("target", "")), strata=_strata(row))


def public_topics(folder: Path, settings: Settings, key: Sequence[Path]) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return the topics in `folder` as the files that teams get, keyed by name, and notes on them.

    They are written anew, from the fields that teams may see, because people edit the files in the folder. Raises
    MismatchError for a column that looks like the `key`, unless the settings show it.
    """
    files, notes = topic_files(folder), list[str]()
    with temporary_folder() as draft:
        if settings.task == "ave":
            for exercise, path in exercises_of(files):
                write_exercise(exercise, draft / path.name, values=False)
        elif settings.task in ("qa", "reading"):
            questions: Sequence[Question] = _collection(files)[0].questions
            if key and any(question.strata for question in questions):  # which may repeat the answers of the key
                keys = {question.id: question for question in _collection(key)[0].questions}
                both = [(question, keys.get(question.id, question)) for question in questions]
                questions = [
                    replace(question, answers=gold.answers or question.answers, answerable=gold.answerable)
                    for question, gold in both
                ]
            _write_questions(questions, draft, notes, None, settings.show)
        elif settings.task == "nuggets":
            _write_targets([*_targets_or_problems(files)], draft, notes, settings.show)
        else:
            _write_problems((problem.id for problem in _targets_or_problems(files)), draft)
        return {path.name: path.read_bytes() for path in sorted(draft.iterdir())}, tuple(notes)


def without(topics: Topics, dropped: Sequence[str]) -> Topics:
    """Return the topics without the `dropped` ones.

    Raises UsageError for an unknown id, and if a language has no topic left.
    """
    if not dropped:
        return topics
    gone = frozenset(dropped)
    known = {identity for part in topics.parts.values() for identity in part.questions}
    if strange := sorted(gone - known):
        raise UsageError(f"the setting `dropped` in campaign.toml has {strange[0]!r}, which is not the id of a topic")
    parts = {
        name: replace(
            part,
            questions={identity: question for identity, question in part.questions.items() if identity not in gone},
            exercise=part.exercise and without_questions(part.exercise, gone),
        )
        for name, part in topics.parts.items()
    }
    if empty := [name for name, part in parts.items() if not part.questions]:
        raise UsageError(
            f"the setting `dropped` in campaign.toml has every topic{empty[0] and f' of {empty[0]}'}; leave some"
        )
    return Topics(topics.task, parts, gone)


def without_questions(exercise: Exercise, gone: frozenset[str]) -> Exercise:
    """Return a collection of AVE without the questions `gone`; if any is gone, also without its counts of answers."""
    if gone.isdisjoint(question.id for question in exercise.questions):
        return exercise
    questions = tuple(question for question in exercise.questions if question.id not in gone)
    candidates = tuple(candidate for candidate in exercise.candidates if candidate.question_id not in gone)
    return Exercise(exercise.name, questions, candidates)


def _strata(row: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in row.items() if name not in ("id", "target")}


def _parts(questions: Sequence[Question]) -> dict[str, Part]:
    """Return a part for each language of the questions; if there is one language, a single part without a language."""
    languages = list(dict.fromkeys(question.strata.get(LANGUAGE, _ALL) for question in questions))
    check_languages(languages)
    if len(languages) < 2:
        return {_ALL: Part(_ALL, {question.id: question for question in questions})}
    groups: dict[str, dict[str, Question]] = {name: {} for name in languages}
    for question in questions:
        groups[question.strata.get(LANGUAGE, _ALL)][question.id] = question
    return {name: Part(name, group) for name, group in groups.items()}


def check_languages(names: Iterable[str]) -> None:
    """Raise MismatchError if two languages of questions differ only in case or in spaces."""
    spelled: dict[str, str] = {}
    for name in names:
        if (other := spelled.setdefault(squeeze(name), name)) != name:
            raise MismatchError(f"some questions are in {other!r}, others in {name!r}; spell each language in one way")


def nugget_texts(files: Sequence[Path]) -> Iterator[tuple[str, str, str, str]]:
    """Yield (question, nugget's id, importance, text) for each nugget in files of nuggets.

    The importance is "vital" or "okay", by the majority of the nugget's assessors.
    """
    sources = [source for path in files if recognise_nuggets(source := open_source(path)) == NUGGET_KEY]
    for target in read_keys(sources).targets() if sources else ():
        for nugget in target.nuggets:
            yield target.id, nugget.id, "vital" if is_vital(nugget) else "okay", nugget.text


def nuggets_by_question(files: Sequence[Path]) -> dict[str, set[str]]:
    """Return the ids of the nuggets of a key, keyed by question."""
    nuggets: dict[str, set[str]] = {}
    for question, nugget, *_ in nugget_texts(files):
        nuggets.setdefault(question, set()).add(nugget)
    return nuggets


def without_list(questions: Iterable[str], listed: Iterable[str]) -> Iterator[Note]:
    """Yield a note on the targets without nuggets, which get no score; yield nothing if no target has nuggets."""
    listed = {*listed}
    lacking = [question for question in questions if question not in listed]
    if listed and lacking:
        yield note(
            "campaign.without_list",
            "{targets:n target} {targets:has/have} no list of nuggets and {targets:is/are} not scored: {named:list 10}",
            targets=len(lacking),
            named=lacking,
        )
