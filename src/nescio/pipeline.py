"""What are these files? The one door through which every command gets its Evidence: formats, judging and policies in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from nescio import formats, judging
from nescio.data.columns import OUTCOMES
from nescio.data.evidence import Evidence, Tally
from nescio.data.model import Collection, Response
from nescio.data.notes import Note, note
from nescio.data.outcomes import ABSENT, STATES, NonAnswers, Outcomes, Policies, non_answers, settle
from nescio.errors import FormatError, MismatchError, UsageError, shorten
from nescio.formats import BY_SUFFIX, Choices, Declined, Part, ReadOptions, Source, Unjudged
from nescio.formats.folder_reader import files_of
from nescio.formats.logs.graded import SAID_SO
from nescio.formats.native import questions
from nescio.formats.native.score_matrix import NAMES_A_ROW

DEFAULT_MEASURES = ("c@1", "accuracy", "coverage")
_TEXTS_NAMED = 5  # of those that --declined-pattern matched
OWN_RUN = "own run"  # the part of a run in nescio's JSON Lines beside a collection of another format


@dataclass(frozen=True, slots=True)
class Options:
    """How files are to be read: every field has its option on the command line.

    `strata` names the columns to keep for breakdowns (None: all that are constant within a question); `cluster` the stratum
    whose questions move together when they are resampled; `graded` the numeric columns that
    measures such as mean(f1) read. `watch` is told how many bytes of JSON Lines have been read, of how many.
    """

    format_in: str | None = None
    judge: str | None = None
    missing: str = "error"
    ungraded: str = "error"
    unanswerable: str = "correct"
    outcome_map: Mapping[str, str] = field(default_factory=dict)
    strata: tuple[str, ...] | None = None
    cluster: str | None = None
    graded: tuple[str, ...] = ()
    choose: Mapping[str, str] = field(default_factory=dict)
    declined_pattern: tuple[str, ...] = ()
    watch: Callable[[int, int], None] | None = None


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was found: Evidence, or a Tally where only counts were given; notes; the measures to show where none is asked for.

    `silence` counts the non-answers of each run by kind, as they stood before any policy was applied. `unshared` holds the
    questions that some run lacks, as they stood then. `judged_here` says that `judge` is nescio's own, and not that of a log.
    """

    data: Evidence | Tally
    notes: tuple[Note, ...] = ()
    measures: tuple[str, ...] = DEFAULT_MEASURES
    format: str = "evidence"
    judge: str = "none"
    options: Options = field(default_factory=Options)
    silence: tuple[NonAnswers, ...] = ()
    unshared: Outcomes | None = None
    judged_here: bool = False

    @property
    def signature(self) -> dict[str, str]:
        """The part of a signature that says what the numbers were computed from."""
        shape = {self.data.unit: str(len(self.data.questions))} if isinstance(self.data, Evidence) else {}
        policies = {
            "missing": self.options.missing,
            "ungraded": self.options.ungraded,
            "unanswerable": self.options.unanswerable,
        }
        asked = {}
        if self.options.choose:
            asked["choose"] = "+".join(f"{name}={value}" for name, value in sorted(self.options.choose.items()))
        if self.options.declined_pattern:
            asked["declined"] = "+".join(self.options.declined_pattern)
        return {
            "runs": str(len(self.data.runs)),
            **shape,
            "data": self.data.digest(),
            "format": self.format,
            "judge": self.judge,
            **policies,
            **asked,
        }


def load(given: Any, options: Options | None = None) -> Loaded:
    """Read what is given: a path or several, a table in memory, an Evidence or a Tally.

    Raises FormatError, MismatchError, UnknownNameError or UsageError; nothing is left out without a note.
    """
    options = options or Options()
    policies = Policies(options.missing, options.ungraded, options.unanswerable)
    _check_words(options.outcome_map)
    if isinstance(given, Loaded):
        return given
    if isinstance(given, (Evidence, Tally)):
        kind = "counts" if isinstance(given, Tally) else "evidence"
        return Loaded(_clustered(given, options), measures=_defaults(given), format=kind, options=options)
    items = list(given) if isinstance(given, (list, tuple)) else [given]
    format_, read = read_files(items, options)
    notes, name = list(read.notes), read.judge
    data = read.data
    judged_here = isinstance(data, Unjudged)
    if isinstance(data, Unjudged):
        name = options.judge or judging.default_judge(data.collection)
        if name.partition("(")[0].strip() == "choice":
            notes += judging.no_options(data.collection, data.runs)
        own = data.more
        data, lower = judging.judge_runs(data.collection, data.runs, name, data.files)
        data = replace(data, more={**data.more, **own})
        if lower:
            notes.append(
                note(
                    "pipeline.lower_ranks",
                    "{answers} {answers:answer is/answers are} below rank 1: MRR and K read them, outcomes are those "
                    "of rank 1",
                    answers=lower,
                )
            )
    elif options.judge:
        raise UsageError(f"--judge is for answers that are not judged yet; this is {format_.about}")
    silence: tuple[NonAnswers, ...] = ()
    unshared = None
    if isinstance(data, Outcomes):
        silence = non_answers(data)
        lacking = (data.state == ABSENT).any(axis=0)
        unshared = data.select(lacking) if lacking.any() else None
        data, more = settle(data, policies)
        notes += more
    measures = read.measures or judging.first_measures(name) or _defaults(data)
    settled = replace(options, watch=None)
    held = _clustered(data, options)
    return Loaded(held, tuple(notes), measures, format_.name, name, settled, silence, unshared, judged_here)


def read_files(items: Sequence[Any], options: Options, *, gold: bool = True) -> tuple[formats.Format, formats.Read]:
    """What files hold before anything is judged and any policy applied; words that mean "I do not know" are silence already.

    With `gold=False` questions need no answers to judge by: people do.
    """
    _check_words(options.outcome_map)
    if not items:
        raise UsageError("no files were given")
    items, notes = files_of(items)
    _distinct(items)
    format_, parts = recognise(items, options.format_in)
    strata = options.strata
    if strata is not None and options.cluster:
        strata = (*strata, options.cluster)
    declined = Declined(options.declined_pattern)
    choices = Choices(options.choose)
    told = ReadOptions(options.outcome_map, strata, options.graded, choices, declined, gold)
    with _watched(parts, options.watch) as seen:
        found = _read(format_, seen, told)
    for name in choices:
        if name not in choices.asked:
            there = (
                f"what can be chosen in these files is {', '.join(choices.asked)}"
                if choices.asked
                else "nothing can be"
            )
            raise UsageError(f"--choose {name}: there is no such choice in {format_.about}; {there}")
    if gold and isinstance(found.data, Unjudged):
        _need_gold(found.data.collection, parts)
    if options.declined_pattern:
        if isinstance(found.data, Unjudged):
            found = replace(found, data=_hear(found.data, declined))
        notes = (*notes, _heard(declined))
    return format_, replace(found, notes=(*found.notes, *notes))


@contextmanager
def _watched(parts: Sequence[Part], watch: Callable[[int, int], None] | None) -> Iterator[Sequence[Part]]:
    """The parts, whose lines tell `watch` how far they have been read; at the end, or at an error, it is told that all is."""
    total = sum(s.path.stat().st_size for _, s in parts if s.path and s.kind == "lines")
    if watch is None or not total:
        yield parts
        return
    done = 0

    def tick(more: int) -> None:
        nonlocal done
        done += more
        watch(min(done, total), total)

    try:
        yield [(part, replace(source, tick=tick)) for part, source in parts]
    finally:
        watch(total, total)


def _read(format_: formats.Format, parts: Sequence[Part], options: ReadOptions) -> formats.Read:
    """What the reader gives; its messages name a compressed file, not what it was unpacked to."""
    try:
        if any(part == OWN_RUN for part, _ in parts):
            return _read_beside(format_, parts, options)
        return format_.read(parts, options)
    except FormatError as error:
        for _, source in parts:
            if source.packed and error.path == str(source.path):
                raise FormatError(source.packed.path, error.rule, where=error.where, value=error.value) from None
        raise


def _read_beside(format_: formats.Format, parts: Sequence[Part], options: ReadOptions) -> formats.Read:
    """A collection of any format with runs in nescio's JSON Lines, and those in the format's own shape if there are any."""
    assert format_.collection is not None
    own = [source for part, source in parts if part == OWN_RUN]
    rest = [(part, source) for part, source in parts if part != OWN_RUN]
    collection, notes = format_.collection(rest, options)
    ids = {question.id for question in collection.questions}
    runs, files = questions.read_runs(own, ids)
    if not any(part == "answers" for part, _ in rest):
        return formats.Read(Unjudged(collection, runs, files), notes)
    beside = format_.read(rest, options)
    if not isinstance(beside.data, Unjudged) or {q.id for q in beside.data.collection.questions} != ids:
        raise MismatchError(
            f"runs of {format_.name} and runs in JSON Lines name the questions differently; score them apart"
        )
    names = {run.name for run in beside.data.runs}
    if twice := next((run.name for run in runs if run.name in names), None):
        raise MismatchError(f"run {twice!r} stands in two files")
    both = Unjudged(collection, (*beside.data.runs, *runs), (*beside.data.files, *files))
    return replace(beside, data=both)


def read_collection(items: Sequence[Any], options: ReadOptions | None = None) -> tuple[Collection, tuple[Note, ...]]:
    """The questions of a collection without any runs, with their stories and options, and notes: what a system answers.

    Raises FormatError, MismatchError or UsageError, as `load` does.
    """
    items, passed = files_of(items)
    _distinct(items)
    format_, parts = recognise(items)
    if format_.collection is None:
        raise UsageError(f"{parts[0][1].label} is {format_.about}, which holds no questions to be answered")
    collection, notes = format_.collection(parts, options or ReadOptions(gold=False))
    return collection, (*notes, *passed)


def only_questions(format_: formats.Format, parts: Sequence[Part]) -> bool:
    """Whether the files hold questions and no answers to them, which a reader of runs refuses."""
    return format_.collection is not None and not {part for part, _ in parts} & {"answers", OWN_RUN}


def _need_gold(collection: Collection, parts: Sequence[Part]) -> None:
    """Raise MismatchError where no question says what its answer is: judged so, every answer would be wrong."""
    if any(q.answers or q.answerable is False or q.accepted is not None for q in collection.questions):
        return
    named = ", ".join(str(source.label) for _, source in parts[:3])
    rule = "there is no gold in what was given: no question says what its answer is; give the file with the answers too"
    raise MismatchError(f"{rule} ({named}{' and others' if len(parts) > 3 else ''})")


def _hear(data: Unjudged, declined: Declined) -> Unjudged:
    """Answers whose words mean "I do not know" become silence; such a text is no candidate."""

    def settled(response: Response) -> Response:
        said_so = response.answer is not None and declined.matches(response.answer)
        return replace(response, answer=None, answered=False, why=SAID_SO) if said_so else response

    runs = tuple(replace(run, responses=tuple(map(settled, run.responses))) for run in data.runs)
    return replace(data, runs=runs)


def _heard(declined: Declined) -> Note:
    """Count what the patterns of `--declined-pattern` matched."""
    if not declined.matched:
        return note("pipeline.declined_none", "--declined-pattern matched no answer")
    matched = [(shorten(text), times) for text, times in declined.matched.most_common(_TEXTS_NAMED)]
    answers, others = declined.matched.total(), len(declined.matched) - len(matched)
    if others:
        return note(
            "pipeline.declined_many",
            "--declined-pattern: {answers} answers read as unanswered: {matched:each %s %d×} and {others} other texts",
            answers=answers,
            matched=matched,
            others=others,
        )
    return note(
        "pipeline.declined",
        "--declined-pattern: {answers} answers read as unanswered: {matched:each %s %d×}",
        answers=answers,
        matched=matched,
    )


def recognise(items: Sequence[Any], format_in: str | None = None) -> tuple[formats.Format, list[Part]]:
    """The one format that all files given together are of, and the part that each plays in it.

    nescio's own runs go with the questions of any format (`OWN_RUN` is then their part). Raises FormatError where a file is
    of no known format, MismatchError where they are of several.
    """
    asked = formats.known(format_in) if format_in else None
    found: formats.Format | None = None
    parts: list[Part] = []
    runs: list[Part] = []
    sources = list(_opened(files_of(items)[0]))
    for source in sources:
        format_ = asked or _format_of(source, sources)
        part = format_.recognise(source)
        if part is None:
            if source.kind == "text":
                raise _no_text(source, f"this is not {format_.about}")
            raise FormatError(
                source.label, f"this is not {format_.about}", where=source.head, value=list(source.columns) or None
            )
        if (format_.name, part) == ("questions", "answers"):
            runs.append((part, source))
            continue
        if found and format_ is not found:
            raise MismatchError(
                f"{source.label} is {format_.about}, and {parts[0][1].label} is {found.about}: these cannot be read together"
            )
        found = format_
        parts.append((part, source))
    if found is None and not runs:
        raise UsageError("no files were given")
    if found is None or found.name == "questions":
        return formats.known("questions"), parts + runs
    if runs and found.collection is None:
        raise MismatchError(
            f"{runs[0][1].label} holds answers, and {parts[0][1].label} is {found.about}: these cannot be read together"
        )
    return found, parts + [(OWN_RUN, source) for _, source in runs]


def _opened(items: Sequence[Any]) -> Iterator[Source]:
    """A source an item; where several are tables in memory, they are told apart by their number."""
    tables = [item for item in items if not isinstance(item, (str, Path))]
    for item in items:
        source = formats.open_source(item)
        if source.path is None and len(tables) > 1:
            source = replace(source, name=f"table{[item is table for table in tables].index(True) + 1}")
        yield source


def _format_of(source: Source, together: Sequence[Source]) -> formats.Format:
    """The format of a file; where it could be of several, the one that the files given with it can be of too."""
    takers = [f for f in formats.REGISTRY.values() if f.recognise(source)]
    if not takers:
        formats.load_third_parties()
        takers = [f for f in formats.REGISTRY.values() if f.recognise(source)]
    if len(takers) > 1:
        takers = [f for f in takers if all(f.recognise(other) for other in together)] or takers
    if len(takers) == 1:
        return takers[0]
    if takers:
        for other in together:
            if not any(f.recognise(other) for f in formats.REGISTRY.values()):
                return _format_of(other, [other])  # which is what is wrong: nothing else goes with it
        names = " or as ".join(sorted(f.name for f in takers))
        raise FormatError(source.label, f"could be read as {names}; choose one with --format-in", where=source.head)
    if source.kind == "text":
        raise _no_text(source, f"its first line is of no text format that nescio knows ({', '.join(_TEXTS)})")
    found = list(source.columns) or None
    if source.kind == "document" and {*source.columns} & {"run", "id", "question", "outcome"}:
        rule = "this is one JSON document; tables, questions and runs in JSON have one object a line (.jsonl)"
        raise FormatError(source.label, rule, value=found)
    raise FormatError(source.label, _why_of_no_format(source), where=source.head, value=found)


_TEXTS = ("ave", "cbc", "mctest", "nuggets", "pan", "trec")


def _no_text(source: Source, rule: str) -> FormatError:
    rule = f"{rule}, and a file that is to be read otherwise must end in {', '.join(BY_SUFFIX)}"
    return FormatError(source.label, rule, where=f"line {source.begins}", value=source.first)


def _why_of_no_format(source: Source) -> str:
    """What its columns come nearest to, and what is wrong with them."""
    have = set(source.columns)
    if len(have) == 1 and source.path is not None and any(mark in source.columns[0] for mark in ",;|\t"):
        return "the header is one column; columns are separated by commas or semicolons in .csv, by tabs in .tsv"
    if have & {"answer", "answers", "options"}:
        lacking = next((name for name in ("id", "question") if name not in have), "answer")
        return f"questions have the keys id, question, answers, and runs id, answer; there is no {lacking!r}"
    for what, names in (("a counts table", ("run", *OUTCOMES)), ("an outcome table", ("run", "question", "outcome"))):
        folded = {name.lower() for name in have}
        if not have.issuperset(names[1:]) and folded.issuperset(names[1:]):
            return f"column names are written in lower case; {what} has {', '.join(names)}"
    if have & {"run", "question", "outcome"} and not have & set(STATES):
        lacking = "outcome" if "outcome" not in have else "question"
        matrix = "" if have & {"run", "outcome"} else " (and in a score matrix each cell is a number or empty)"
        return f"an outcome table has the columns run, question, outcome; there is no {lacking!r}{matrix}"
    return _no_counts(have) if have & set(STATES) else _needed(source)


def _no_counts(have: set[str]) -> str:
    """What is wrong with columns of which one is called correct, incorrect or unanswered: with questions they are outcomes."""
    if not have & {"question", *filter(None, NAMES_A_ROW)}:
        lacking = next(name for name in ("run", *OUTCOMES) if name not in have)
        return f"a counts table has the columns run, correct, incorrect, unanswered; there is no {lacking!r}"
    instead = [name for name in OUTCOMES if name in have]
    if len(instead) == 1:
        return (
            f"{_OUTCOME_TABLE}; that of outcomes is called 'outcome', not {instead[0]!r} (1 and 0 are understood in it)"
        )
    said = f"one column 'outcome' says correct, incorrect or unanswered, in place of {', '.join(instead)}"
    return f"{_OUTCOME_TABLE}; {said}"


def _needed(source: Source) -> str:
    """What a file of no known format would need, if it is a table; else the formats that there are."""
    if source.kind not in ("delimited", "lines", "parquet", "table"):
        return f"of no format that nescio knows ({', '.join(sorted(formats.REGISTRY))})"
    others = ", questions id, question and answers, and runs id and answer" if source.kind == "lines" else ""
    if source.columns[:1] and source.columns[0].lower() in NAMES_A_ROW:
        others += " (and in a score matrix each cell is a number or empty)"
    return f"{_OUTCOME_TABLE}{others}; rename yours, or name the format with --format-in"


_OUTCOME_TABLE = "an outcome table has the columns run, question and outcome"


def _distinct(items: Sequence[Any]) -> None:
    seen: set[Path] = set()
    for item in items:
        if isinstance(item, (str, Path)):
            try:
                path = Path(item).resolve()
            except (OSError, ValueError, RuntimeError):  # what is wrong with it, the reader will say
                continue
            if path in seen:
                raise MismatchError(f"{item} was given twice")
            seen.add(path)


def _check_words(outcome_map: Mapping[str, str]) -> None:
    for word, outcome in outcome_map.items():
        if outcome not in STATES:
            raise UsageError(f"--outcome-map {word}={outcome}: an outcome is {', '.join(OUTCOMES)}")


def _clustered(data: Any, options: Options) -> Any:
    if not options.cluster:
        return data
    if isinstance(data, Tally):
        raise MismatchError("a counts table has no questions, so there is nothing to cluster")
    if options.cluster not in data.strata:
        have = ", ".join(data.strata) or "none"
        raise MismatchError(f"no column {options.cluster!r} is constant within each question; columns that are: {have}")
    return replace(data, clusters=np.unique(data.strata[options.cluster], return_inverse=True)[1])


def _defaults(data: Any) -> tuple[str, ...]:
    if isinstance(data, Tally) or "correct" in data.columns:
        return DEFAULT_MEASURES
    return tuple(f"mean({name})" for name in data.columns)
