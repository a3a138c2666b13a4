"""Read factoid judgements (R, W, X, U): each file as a run, or as the pool that runs are compared with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from nescio.data.changed_questions import words_digest
from nescio.data.notes import Note, note
from nescio.data.outcomes import ABSENT, CORRECT, INCORRECT, MEANINGS, NOT_GRADED, SAID_SO, SILENT
from nescio.errors import FormatError, opt
from nescio.formats.answers import Answer, outcomes_of
from nescio.formats.registry import ReadOptions, ReadResult
from nescio.sources.documents import cells_of
from nescio.sources.source import Source, name_runs
from nescio.tasks.kit import fault_at
from nescio.tasks.trec.qrels import ranked, say_strangers
from nescio.tasks.trec.runs import NIL, RankedRun
from nescio.text import answer_key

VERDICTS = {"R": CORRECT, "W": INCORRECT, "X": INCORRECT, "U": INCORRECT}
NUMBERS = {"1": "R", "-1": "W", "2": "U", "3": "X"}  # the numbers in TREC's own files; the README of 2005 explains them
# The names of documents in TREC's collections: NYT19990101.0001, AP880212-0001, FBIS3-1, LA010189-0001,
# FR940104-0-00001.
_DOCNO = re.compile(r"[A-Z]{2,5}\d{1,9}(?:[-.]\d+){1,2}|[A-Z]{3}\d{8,12}")
_NAMES = {"X": "inexact", "U": "unsupported"}


def is_judged_in_numbers(cells: Sequence[str]) -> bool:
    """Return whether the cells of a line are a factoid judgement with a number, such as 1, in place of a letter.

    The docno in the second cell distinguishes it from lines of qrels and of nugget files, which have numbers too.
    """
    return len(cells) >= 3 and cells[2] in NUMBERS and (cells[1] == NIL or _DOCNO.fullmatch(cells[1]) is not None)


class _Pool(Struct):
    """A pool of judgements: the verdict on each answer, and whether each question has an answer.

    `verdicts` is keyed by question, document and answer. `answerable` is 1 or 0, keyed by question.
    """

    verdicts: dict[tuple[str, str, str], str] = field(default_factory=dict)
    answerable: dict[str, int] = field(default_factory=dict)


def _judgements(source: Source, options: ReadOptions) -> Iterator[tuple[str, str, str, str, int]]:
    """Yield each line of a file of judgements as question, docno, letter, answer and line number."""
    numbers = is_judged_in_numbers(str(source.first).split())
    letters = NUMBERS if numbers else {letter: letter for letter in VERDICTS}
    rule = f"a line of judgements is: qid docno {'1|-1|2|3' if numbers else 'R|W|X|U'} answer"
    for cells, line in cells_of(source, 4):
        judgement = cells[2] if len(cells) > 2 else ""
        letter = judgement if judgement in options.outcome_map else letters.get(judgement)
        if letter is None:
            raise fault_at(source, line, rule, " ".join(cells))
        yield cells[0], cells[1], letter, cells[3] if len(cells) > 3 else "", line


def _state(letter: str, options: ReadOptions) -> int:
    return MEANINGS[options.outcome_map[letter]] if letter in options.outcome_map else VERDICTS[letter]


def _settle_answerable(known: dict[str, int], question: str, docno: str, state: int, error: FormatError) -> None:
    """Record in `known` whether a question has an answer, as far as the state of a judged answer tells.

    A question has no answer if NIL is correct, and has one if another answer is correct. Raises `error` if both are
    correct.
    """
    if state != CORRECT:
        return
    says = int(docno != NIL)
    if known.setdefault(question, says) != says:
        raise error


def _both(source: Source, line: int, question: str) -> FormatError:
    return fault_at(source, line, f"question {question!r}: both NIL and another answer are judged right")


def judged_alone(sources: Sequence[Source], options: ReadOptions) -> ReadResult:
    """Read files of judgements without run files; each file is a run, with one judged answer to each question."""
    notes: list[Note] = []
    answerable: dict[str, int] = {}
    rows: list[Answer] = []
    for source, run in zip(sources, name_runs(sources), strict=True):
        seen: dict[str, int] = {}
        letters: Counter[str] = Counter()
        for question, docno, letter, answer, line in _judgements(source, options):
            if question in seen:
                rule = (
                    f"question {question!r} appears twice (first on line {seen[question]}): if this is a pool"
                    " of answers, give its runs, too"
                )
                raise fault_at(source, line, rule)
            seen[question] = line
            state = _state(letter, options)
            _settle_answerable(answerable, question, docno, state, _both(source, line, question))
            why = NIL if NIL in (docno, answer) else SAID_SO if options.declined.matches(answer) else None
            letters[letter] += why is None
            rows.append(Answer(run, question, SILENT if why else state, why=why, path=source.label))
        _say_letters(run, letters, options, notes)
    return ReadResult(
        outcomes_of([_told(row, answerable) for row in rows], sources[0].label, options, notes), tuple(notes)
    )


def _told(row: Answer, answerable: Mapping[str, int]) -> Answer:
    return replace(row, answerable=answerable.get(row.question, -1))


def _say_letters(run: str, letters: Counter[str], options: ReadOptions, notes: list[Note]) -> None:
    for letter, kind in _NAMES.items():
        if letters[letter] and letter not in options.outcome_map:
            notes.append(
                note(
                    "trec.lenient",
                    "run {subject!r}: {answers} {kind} ({letter}): {answers:counts/count} as incorrect "
                    f"({opt('outcome_map', of='{letter}=correct')} counts {{answers:it/them}} as correct)",
                    run,
                    answers=letters[letter],
                    kind=kind,
                    letter=letter,
                )
            )


def with_pool(source: Source, runs: Sequence[RankedRun], options: ReadOptions) -> ReadResult:
    """Return the answers of runs with the grades that the pool of judgements has for them.

    An answer that is not in the pool is not graded.
    """
    pool = _Pool()
    for question, docno, letter, answer, line in _judgements(source, options):
        key = question, docno, answer_key(answer)
        if pool.verdicts.setdefault(key, letter) != letter:
            raise fault_at(source, line, f"this answer to question {question!r} has two judgements", letter)
        _settle_answerable(pool.answerable, question, docno, _state(letter, options), _both(source, line, question))
    notes: list[Note] = []
    judged: dict[str, list[str]] = {}
    for (question, docno, answer), letter in pool.verdicts.items():
        golds = judged.setdefault(question, [])
        if _state(letter, options) == CORRECT:
            golds.append(f"{docno} {answer}")
    words = {question: words_digest(None, golds) for question, golds in judged.items()}
    rows = []
    for run in runs:
        say_strangers(run, judged, notes)
        letters: Counter[str] = Counter()
        for question in judged:
            answers = run.topics.get(question)
            if not answers:
                rows.append((_told(Answer(run.name, question, ABSENT, path=run.source.label), pool.answerable), 0))
                continue
            verdicts = [
                pool.verdicts.get((question, response.docno, answer_key(response.answer))) for response in answers
            ]
            states = [NOT_GRADED if letter is None else _state(letter, options) for letter in verdicts]
            why = NIL if answers[0].docno == NIL else SAID_SO if options.declined.matches(answers[0].answer) else None
            letters[verdicts[0] or ""] += why is None
            state = SILENT if why else states[0]
            why = why or ("not in the pool" if verdicts[0] is None else None)
            right = (i for i, s in enumerate(states, 1) if s == CORRECT and answers[i - 1].docno != NIL)
            row = Answer(run.name, question, state, answers[0].score, why=why, path=run.source.label)
            row.words = words[question]
            rows.append((_told(row, pool.answerable), next(right, 0)))
        _say_letters(run.name, letters, options, notes)
    return ReadResult(ranked(rows, source, options, notes), tuple(notes), ("c@1", "MRR", "accuracy", "coverage"))
