"""Judged runs of ResPubliQA and QA@CLEF as tables: an answer or NOA, the withheld candidate, and the assessment.

The string NOA declines a question. A candidate may be given beside it, and is assessed to see whether the system
declined correctly. The assessment of an answer is R (right), W (wrong), X (inexact) or U (unsupported). That of a
withheld candidate is the same letter, or an explicit one: NOA R and NOA W, UR and UW; NOA or UE without a candidate.
Only R is right, and a candidate never counts for c@1. NIL says that the collection holds no answer, and is right if R.

Sources: the tasks of ResPubliQA 2009 and 2010 as their organisers announced them (celct.isti.cnr.it/ResPubliQA); the
letters, and UR, UW and UE, from their overviews. The files of the tracks are not public: the columns are nescio's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.assessed import columns_of
from nescio.data.model import Verdict
from nescio.data.outcomes import Outcomes
from nescio.errors import FormatError, opt
from nescio.formats.answers import Answer
from nescio.formats.choices import choose
from nescio.formats.logs.kit import Log, empty
from nescio.formats.logs.metric_tables import column_of, confidence_of, is_table, judge_columns, judges_in, rows_of
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.source import Source, name_runs
from nescio.sources.tables import locate

NOA, NIL = "NOA", "NIL"
COLUMNS = {
    "question": ("question_id", "q_id", "qid", "question", "id"),
    "run": ("run", "run_id", "system"),
    "answer": ("answer", "response", "paragraph"),
    "candidate": ("candidate",),
    "assessment": ("assessment",),
    "confidence": ("confidence",),
}
_LETTERS = ("R", "W", "X", "U")
# For each assessment: whether it calls the question unanswered, and the letter of the answer or of the candidate.
WORDS: dict[str, tuple[bool, str]] = {
    **{letter: (False, letter) for letter in _LETTERS},
    **{f"{NOA} {letter}": (True, "R" if letter == "R" else "W") for letter in _LETTERS},
    **{f"U{letter}": (True, letter) for letter in ("R", "W")},
    **dict.fromkeys((NOA, "UE", f"{NOA} E", f"{NOA} EMPTY"), (True, "")),
}
MEASURES, OF_CANDIDATES = ("c@1", "accuracy"), ("accuracy_with_candidates", "validation")
MEANINGS_OF_U = ("unsupported", "unanswered")


class _Line(Struct):
    """An answer of a run with its assessment: `said` is its text in upper case, and `silent` says whether it is an
    abstention.

    `letter` is the assessment, such as "R". For an abstention, it assesses the candidate that the system withheld.
    """

    answer: Answer
    said: str
    silent: bool
    letter: str
    noa: bool  # whether the system itself declines


def _word(cell: str | None) -> str:
    return re.sub(r"[\s_-]+", " ", (cell or "").strip().upper())


def _columns(source: Source) -> dict[str, str]:
    """Return the columns of a table that have a role, such as "question" or "assessment", keyed by role."""
    by_part = {part: column_of(source, source.columns, part, names) for part, names in COLUMNS.items()}
    return {part: column for part, column in by_part.items() if column is not None}


def recognise(source: Source) -> str | None:
    """Recognise a table with a question, an answer and an assessment.

    Unless the user names the format, the table needs a candidate too, or the question as q_id.
    """
    table = is_table(source) or source.kind == "lines"
    return "assessed" if table and {"question", "answer", "assessment"} <= {*_columns(source)} else None


@reader(
    "respubliqa",
    about="judged runs of ResPubliQA and QA@CLEF: question_id, answer (or NOA), candidate, assessment (R, W, X, U)",
    recognise=recognise,
    columns=(*COLUMNS, "judge"),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every file as a run, or as several runs if its column `run` names them.

    The letter U can mean two things. If no other assessment shows which, `--choose U=unanswered` or `U=unsupported`
    says it.
    """
    log = Log(parts, options)
    named = zip(log.sources, name_runs(log.sources), strict=True)
    lines = [line for source, run in named for line in _lines(source, run)]
    if _u_is_silence(lines, options):
        for line in lines:
            if line.letter == "U":
                line.silent, line.letter = True, ""
    answers = [log.take(answer) for answer in _settled(lines)]
    result = log.by_score(answers, "the assessments")
    assert isinstance(result.data, Outcomes)
    data, letters = result.data, dict[tuple[int, int], Verdict]()
    for line in lines:
        if line.letter in ("X", "U") and not line.silent:
            at = data.runs.index(line.answer.run), data.questions.index(line.answer.question)
            letters[at] = Verdict(line.letter)
    data = replace(data, extra_columns={**data.extra_columns, **columns_of(data.state, letters)})
    return replace(result, data=data, measures=MEASURES if data.candidate is None else (*MEASURES, *OF_CANDIDATES))


def _lines(source: Source, name: str) -> Iterator[_Line]:
    columns, judges = _columns(source), judge_columns(source, source.columns)
    for at, row in enumerate(rows_of(source), 1):
        cells = {part: row.get(columns.get(part, "")) for part in COLUMNS}
        answer_word, word, candidate = _word(cells["answer"]), _word(cells["assessment"]), cells["candidate"]
        noa = answer_word == NOA or (not answer_word and candidate is not None)
        called, letter = WORDS.get(word, (False, ""))
        where = locate(source, at)
        faults = {
            "the question is empty": cells["question"] is None,
            f"an assessment must be one of {', '.join(WORDS)}; "
            f"to read a table with other words, use {opt('format_in', 'outcomes')}": word and word not in WORDS,
            "an answered question cannot have a candidate; write NOA as the answer to withhold the candidate": candidate
            and not noa,
            f"the assessment {letter} of NOA needs a candidate; if the table has none, write NOA {letter}": noa
            and word in ("R", "W", "X")
            and candidate is None,
        }
        if rule := next((rule for rule, broken in faults.items() if broken), None):
            raise FormatError(source.label, rule, where=where, value=list(filter(None, cells.values())))
        answer = Answer(
            cells["run"] or name,
            str(cells["question"]),
            confidence=confidence_of(source, cells["confidence"], at),
            path=source.label,
            where=where,
            nothing=empty(cells["answer"]),
            lacking="not assessed",
            answer=candidate if noa else cells["answer"],
            judges=judges_in(row, judges),
        )
        yield _Line(answer, answer_word, noa or called, letter, noa)


def _u_is_silence(lines: Sequence[_Line], options: ReadOptions) -> bool:
    """Return whether the letter U means unanswered in the lines; otherwise it means unsupported.

    If the user chose no meaning, U means unsupported if some line has the letter X, or marks an abstention in another
    way than by U. Raises UsageError if no line does, but U is the assessment of an answer.
    """
    is_known = any(line.letter == "X" or (line.silent and not line.noa) for line in lines)
    is_known = is_known or any(line.noa and line.letter != "U" for line in lines)
    beside = any(line.letter == "U" and not line.silent and line.said for line in lines)
    if "U" in options.choose or (beside and not is_known):
        return choose(options, "U", MEANINGS_OF_U, "meanings of U") == "unanswered"
    return not is_known


def _settled(lines: Sequence[_Line]) -> Iterator[Answer]:
    """Yield the answers, each with the outcome that its assessment means.

    Raises FormatError if, for one question, both NIL and another answer are judged right.
    """
    rights = [line for line in lines if line.letter == "R" and not line.silent]
    right = {line.answer.question: line.said != NIL for line in reversed(rights)}  # the first right answer decides
    for line in lines:
        answer, is_right = line.answer, line.letter == "R"
        if line.silent:
            answer.silent, answer.candidate = NOA, int(is_right) if line.letter else -1
        elif line.letter:
            answer.right, answer.silent = is_right, NIL if line.said == NIL else None
            if is_right and right[answer.question] != (line.said != NIL):
                rule = "both NIL and another answer to this question are judged right"
                raise FormatError(answer.path, rule, where=answer.where, value=answer.answer)
        answer.answerable = int(right[answer.question]) if False in right.values() and answer.question in right else -1
        yield answer
