"""TREC: runs `qid iter docno rank score tag` with qrels `qid iter docno rel`; factoid answers judged R, W, X or U.

With qrels a topic is a question and a document an answer: the outcome is that of the first document, and MRR reads how
far down the first relevant one stands. Documents are ordered as trec_eval orders them: by falling score, which it keeps
in single precision, ties by falling docno; the rank in the file is not looked at (`--choose order=rank` goes by it). A
document that is not in the qrels is not relevant.

A line of factoid judgements is `qid docno judgement answer`: R is right; wrong, inexact (X) and unsupported (U) are
incorrect (in many of TREC's files 1 is right, -1 wrong, 2 unsupported and 3 inexact); NIL for a docno is silence, and
judged R it says that the collection holds no answer. Such a file is one run that gives one answer a question; or, with
runs whose lines go on with their answer, the pool of what was judged.
"""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from sys import intern

import numpy as np

from nescio.data.notes import Note, note
from nescio.data.outcomes import ABSENT, CORRECT, INCORRECT, NOT_GRADED, SILENT, STATES, Outcomes
from nescio.errors import FormatError, MismatchError, UsageError
from nescio.formats.benchmarks.ave.documents import DECISIONS
from nescio.formats.logs.graded import SAID_SO, Graded, choose, declined, outcomes_of
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.documents import text_lines
from nescio.sources.source import Source, name_runs
from nescio.text import decimal, squeeze

NIL = "NIL"
VERDICTS = {"R": CORRECT, "W": INCORRECT, "X": INCORRECT, "U": INCORRECT}
NUMBERS = {"1": "R", "-1": "W", "2": "U", "3": "X"}  # of TREC's own files; its README of 2005 names them
# What TREC's collections call their documents: NYT19990101.0001, AP880212-0001, FBIS3-1, LA010189-0001,
# FR940104-0-00001.
_DOCNO = re.compile(r"[A-Z]{2,5}\d{1,9}(?:[-.]\d+){1,2}|[A-Z]{3}\d{8,12}")
_NAMES = {"X": "inexact", "U": "unsupported"}
QRELS, RUN, JUDGED = "gold", "answers", "judgements"


def recognise(source: Source) -> str | None:
    """Recognise text whose first line is one of a run, of qrels, or of factoid judgements."""
    if source.kind != "text":
        return None
    cells = str(source.first).split()
    if len(cells) >= 3 and (cells[2] in VERDICTS or is_judged_in_numbers(cells)):
        return JUDGED
    if len(cells) >= 6 and _whole(cells[3]) is not None and _number(cells[4]) is not None:
        return RUN
    if len(cells) != 4 or _whole(cells[3]) is None or cells[2].upper() in DECISIONS:  # the last is a response of AVE
        return None
    return QRELS


def is_judged_in_numbers(cells: Sequence[str]) -> bool:
    """Say whether the cells of a line are a factoid judgement in numbers: the docno tells it from qrels and from
    nuggets."""
    return len(cells) >= 3 and cells[2] in NUMBERS and (cells[1] == NIL or _DOCNO.fullmatch(cells[1]) is not None)


def _whole(text: str) -> int | None:
    try:
        return int(text) if len(text) < 20 and "_" not in text else None
    except ValueError:
        return None


def _number(text: str) -> float | None:
    parsed = decimal(text)
    return parsed if parsed is not None and math.isfinite(parsed) else None


@dataclass(frozen=True, slots=True)
class _Given:
    """One line of a run: a document, and the answer taken from it where the line goes on with one."""

    docno: str
    rank: int
    score: float
    answer: str
    line: int


@dataclass(frozen=True, slots=True)
class _Found:
    """One run: what it gives for each topic, best first."""

    name: str
    source: Source
    topics: Mapping[str, Sequence[_Given]]


@dataclass(slots=True)
class _Pool:
    """What was judged: a letter for each question, document and answer; and for which questions NIL is right."""

    verdicts: dict[tuple[str, str, str], str] = field(default_factory=dict)
    answerable: dict[str, int] = field(default_factory=dict)


@reader(
    "trec",
    about="TREC runs (qid iter docno rank score tag) with qrels, or factoid judgements (qid docno R|W|X|U answer)",
    recognise=recognise,
    text=True,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read one file of qrels, or of judgements, and the runs for it; or judgements alone, each file a run.

    `--choose relevance=2` counts documents as relevant from that level on; `--choose order=rank` believes the ranks.
    """
    by_part = {name: [source for part, source in parts if part == name] for name in (QRELS, RUN, JUDGED)}
    if by_part[QRELS] and by_part[JUDGED]:
        raise MismatchError(
            f"{by_part[QRELS][0].label} holds qrels and {by_part[JUDGED][0].label} factoid judgements; give one kind"
        )
    if by_part[JUDGED] and not by_part[RUN]:
        return _judged_alone(by_part[JUDGED], options)
    if len(by_part[QRELS]) + len(by_part[JUDGED]) != 1:
        how_many = "none was given" if not by_part[QRELS] else f"{len(by_part[QRELS])} were given"
        raise MismatchError(
            f"{by_part[RUN][0].label if by_part[RUN] else 'a run'} needs one file of qrels or judgements: {how_many}"
        )
    if not by_part[RUN]:
        raise MismatchError(f"{by_part[QRELS][0].label} holds qrels; give the runs with it")
    runs = _read_runs(by_part[RUN], options)
    return (
        _with_qrels(by_part[QRELS][0], runs, options)
        if by_part[QRELS]
        else _with_pool(by_part[JUDGED][0], runs, options)
    )


def _cells(source: Source, least: int) -> Iterator[tuple[list[str], int]]:
    """Yield the lines of a file, cut at white space into as many cells as it needs; the last holds the rest of the
    line."""
    for line, number in text_lines(source):
        cells = line.split(None, least - 1)
        if cells:
            yield [*cells[:-1], cells[-1].strip()], number


def _fail(source: Source, line: int, rule: str, value: object = None) -> FormatError:
    return FormatError(source.label, rule, where=f"line {line}", value=value)


# ---- runs ----


def _read_runs(sources: Sequence[Source], options: ReadOptions) -> list[_Found]:
    """Read the runs, named by their tags where no two files share one, else by their files."""
    order = choose(options, "order", ["score", "rank"], "orders") if "order" in options.choose else "score"
    read = [(source, _read_run(source, order)) for source in sources]
    tags = Counter(tag for _, runs in read for tag in runs)
    stems = name_runs(sources)
    tagged = []
    for (source, runs), stem in zip(read, stems, strict=True):
        for tag, topics in runs.items():
            shared = stem if len(runs) == 1 else f"{stem} {tag}"
            tagged.append(_Found(tag if tags[tag] == 1 else shared, source, topics))
    if len({run.name for run in tagged}) < len(tagged):
        raise MismatchError(f"two of the runs would bear the same name: {', '.join(run.name for run in tagged)}")
    return tagged


def _read_run(source: Source, order: str) -> dict[str, dict[str, list[_Given]]]:
    runs: dict[str, dict[str, list[_Given]]] = {}
    for cells, line in _cells(source, 7):
        if len(cells) < 6:
            raise _fail(source, line, "a line of a run is: qid iter docno rank score tag", " ".join(cells))
        topic, _, docno, rank_, score_, tag, *rest = cells
        rank, score, answer = _whole(rank_), _number(score_), rest[0] if rest else ""
        if rank is None:
            raise _fail(source, line, "the rank must be a whole number", rank_)
        if score is None:
            raise _fail(source, line, "the score must be a finite number", score_)
        rank = rank if order == "rank" else 0
        runs.setdefault(tag, {}).setdefault(topic, []).append(_Given(intern(docno), rank, score, answer, line))
    _none_twice(source, runs)
    for topics in runs.values():
        for answers in (response for response in topics.values() if len(response) > 1):
            if order == "rank":
                answers.sort(key=lambda response: (response.rank, response.line))
            else:  # stable: by falling docno first, then by falling score
                answers.sort(key=lambda response: response.docno, reverse=True)
                scores = _single([response.score for response in answers])
                answers[:] = [answers[i] for i in np.argsort(-scores, kind="stable")]
    return runs


def _none_twice(source: Source, runs: Mapping[str, Mapping[str, Sequence[_Given]]]) -> None:
    """Raise FormatError for the first line whose document, with the same answer, stands for the same topic of a run
    already."""
    again: list[tuple[int, str]] = []
    for topics in runs.values():
        for topic, answers in topics.items():
            lines: dict[tuple[str, str], int] = {}
            for answer in answers if len(answers) > 1 else ():
                before = lines.setdefault((answer.docno, answer.answer), answer.line)
                if before != answer.line:
                    rule = f"document {answer.docno!r} of topic {topic!r} stands here again; it was on line {before}"
                    again.append((answer.line, rule))
    if again:
        raise _fail(source, *min(again))


def _single(scores: Sequence[float]) -> np.ndarray:
    """Return scores as trec_eval keeps them, in which more of them are ties."""
    with np.errstate(over="ignore"):
        return np.array(scores, dtype=np.float32)


# ---- qrels ----


def _with_qrels(source: Source, runs: Sequence[_Found], options: ReadOptions) -> ReadResult:
    least = _least(options)
    relevant: dict[str, dict[str, int]] = {}
    for cells, line in _cells(source, 5):
        level = _whole(cells[3]) if len(cells) == 4 else None
        if level is None:
            raise _fail(
                source, line, "a line of qrels is: qid iter docno rel, with a whole number for rel", " ".join(cells)
            )
        levels = relevant.setdefault(cells[0], {})
        if cells[2] in levels:
            raise _fail(source, line, f"document {cells[2]!r} of topic {cells[0]!r} stands here again")
        levels[intern(cells[2])] = level
    notes: list[Note] = []
    top = max(level for levels in relevant.values() for level in levels.values())
    if top > 1:
        notes.append(
            note(
                "trec.relevance",
                "{subject}: relevance goes up to {highest}; relevant is {least} or more (--choose relevance=N)",
                str(source.label),
                highest=top,
                least=least,
            )
        )
    rows = _by_qrels(runs, relevant, least, notes)
    return ReadResult(_ranked(rows, source, options, notes), tuple(notes), ("MRR", "accuracy"))


def _by_qrels(
    runs: Sequence[_Found], relevant: Mapping[str, Mapping[str, int]], least: int, notes: list[Note]
) -> Iterator[tuple[Graded, int]]:
    """Yield a row a run and topic, with the rank of the first relevant document, 0 where there is none."""
    for run in runs:
        _say_strangers(run, relevant, notes)
        unjudged = 0
        for topic, levels in relevant.items():
            answerable = int(max(levels.values()) >= least)
            answers = run.topics.get(topic)
            if not answers:
                yield Graded(run.name, topic, ABSENT, path=run.source.label, answerable=answerable), 0
                continue
            unjudged += answers[0].docno not in levels
            right = next((i for i, answer in enumerate(answers, 1) if levels.get(answer.docno, least - 1) >= least), 0)
            state = CORRECT if right == 1 else INCORRECT
            yield Graded(run.name, topic, state, answers[0].score, path=run.source.label, answerable=answerable), right
        if unjudged:
            notes.append(
                note(
                    "trec.not_in_qrels",
                    "run {subject!r}: {documents} first documents are not in the qrels, and count as not relevant",
                    run.name,
                    documents=unjudged,
                )
            )


def _least(options: ReadOptions) -> int:
    text = options.choose.get("relevance", "1")
    least = _whole(text)
    if least is None:
        raise UsageError(f"--choose relevance takes a whole number (found {text!r})")
    return least


def _say_strangers(run: _Found, known: Mapping[str, object], notes: list[Note]) -> None:
    strangers = sum(topic not in known for topic in run.topics)
    if strangers == len(run.topics):
        raise MismatchError(f"{run.source.label}: run {run.name!r} has no topic that was judged")
    if strangers:
        notes.append(
            note(
                "trec.not_judged",
                "run {subject!r}: {topics} topics were not judged: left out",
                run.name,
                topics=strangers,
            )
        )


def _ranked(rows: Iterable[tuple[Graded, int]], source: Source, options: ReadOptions, notes: list[Note]) -> Outcomes:
    """Return the outcomes of rows, one for each question of each run in turn, with the ranks of their first right
    answers, 0 for none."""
    ranks = array("q")

    def graded() -> Iterator[Graded]:
        for row, rank in rows:
            ranks.append(rank)
            yield row

    outcomes = outcomes_of(graded(), source.label, options, notes)
    return replace(outcomes, first_right=np.array(ranks).reshape(outcomes.state.shape))


# ---- factoid judgements ----


def _judgements(source: Source, options: ReadOptions) -> Iterator[tuple[str, str, str, str, int]]:
    """Yield the lines of judgements: question, docno, letter, answer, line."""
    numbers = is_judged_in_numbers(str(source.first).split())
    letters = NUMBERS if numbers else {letter: letter for letter in VERDICTS}
    rule = f"a line of judgements is: qid docno {'1|-1|2|3' if numbers else 'R|W|X|U'} answer"
    for cells, line in _cells(source, 4):
        judgement = cells[2] if len(cells) > 2 else ""
        letter = judgement if judgement in options.outcome_map else letters.get(judgement)
        if letter is None:
            raise _fail(source, line, rule, " ".join(cells))
        yield cells[0], cells[1], letter, cells[3] if len(cells) > 3 else "", line


def _state(letter: str, options: ReadOptions) -> int:
    return STATES[options.outcome_map[letter]] if letter in options.outcome_map else VERDICTS[letter]


def _settle_answerable(known: dict[str, int], question: str, docno: str, state: int, error: FormatError) -> None:
    """Note what right answers say of a question: NIL that it has no answer, any other that it has one; both cannot
    be."""
    if state != CORRECT:
        return
    says = int(docno != NIL)
    if known.setdefault(question, says) != says:
        raise error


def _both(source: Source, line: int, question: str) -> FormatError:
    return _fail(source, line, f"question {question!r}: NIL is judged right, and so is an answer")


def _judged_alone(sources: Sequence[Source], options: ReadOptions) -> ReadResult:
    """Read each file as one run, with one answer a question."""
    notes: list[Note] = []
    answerable: dict[str, int] = {}
    rows: list[Graded] = []
    for source, run in zip(sources, name_runs(sources), strict=True):
        seen: dict[str, int] = {}
        letters: Counter[str] = Counter()
        for question, docno, letter, answer, line in _judgements(source, options):
            if question in seen:
                rule = (
                    f"question {question!r} stands here again (it was on line {seen[question]}): a pool of answers"
                    " needs its runs"
                )
                raise _fail(source, line, rule)
            seen[question] = line
            state = _state(letter, options)
            _settle_answerable(answerable, question, docno, state, _both(source, line, question))
            why = NIL if NIL in (docno, answer) else SAID_SO if declined(options, answer) else None
            letters[letter] += why is None
            rows.append(Graded(run, question, SILENT if why else state, why=why, path=source.label))
        _say_letters(run, letters, options, notes)
    return ReadResult(
        outcomes_of([_told(row, answerable) for row in rows], sources[0].label, options, notes), tuple(notes)
    )


def _told(row: Graded, answerable: Mapping[str, int]) -> Graded:
    return replace(row, answerable=answerable.get(row.question, -1))


def _say_letters(run: str, letters: Counter[str], options: ReadOptions, notes: list[Note]) -> None:
    for letter, kind in _NAMES.items():
        if letters[letter] and letter not in options.outcome_map:
            notes.append(
                note(
                    "trec.lenient",
                    "run {subject!r}: {answers} {kind} ({letter}): incorrect (--outcome-map {letter}=correct is "
                    "lenient)",
                    run,
                    answers=letters[letter],
                    kind=kind,
                    letter=letter,
                )
            )


def _with_pool(source: Source, runs: Sequence[_Found], options: ReadOptions) -> ReadResult:
    """Return the answers of runs, looked up in the pool of what was judged; one that is not in it is not graded."""
    pool = _Pool()
    for question, docno, letter, answer, line in _judgements(source, options):
        key = question, docno, squeeze(answer)
        if pool.verdicts.setdefault(key, letter) != letter:
            raise _fail(source, line, f"this answer to question {question!r} has two judgements", letter)
        _settle_answerable(pool.answerable, question, docno, _state(letter, options), _both(source, line, question))
    notes: list[Note] = []
    judged = dict.fromkeys(question for question, _, _ in pool.verdicts)
    rows = []
    for run in runs:
        _say_strangers(run, judged, notes)
        letters: Counter[str] = Counter()
        for question in judged:
            answers = run.topics.get(question)
            if not answers:
                rows.append((_told(Graded(run.name, question, ABSENT, path=run.source.label), pool.answerable), 0))
                continue
            verdicts = [pool.verdicts.get((question, response.docno, squeeze(response.answer))) for response in answers]
            states = [NOT_GRADED if letter is None else _state(letter, options) for letter in verdicts]
            why = NIL if answers[0].docno == NIL else SAID_SO if declined(options, answers[0].answer) else None
            letters[verdicts[0] or ""] += why is None
            state = SILENT if why else states[0]
            why = why or ("not in the pool" if verdicts[0] is None else None)
            right = (i for i, s in enumerate(states, 1) if s == CORRECT and answers[i - 1].docno != NIL)
            row = Graded(run.name, question, state, answers[0].score, why=why, path=run.source.label)
            rows.append((_told(row, pool.answerable), next(right, 0)))
        _say_letters(run.name, letters, options, notes)
    return ReadResult(_ranked(rows, source, options, notes), tuple(notes), ("c@1", "MRR", "accuracy", "coverage"))
