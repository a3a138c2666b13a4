"""Judged runs of ResPubliQA and QA@CLEF as tables: an answer or NOA, the candidate that was withheld, the assessment.

The string NOA declines a question, and a candidate may be handed in beside it, which is assessed to see whether the
system declined rightly. The assessment of an answer is R (right), W (wrong), X (inexact) or U (unsupported); that of a
withheld candidate is the same letter, or says so itself: NOA R and NOA W, UR and UW; NOA or UE without a candidate.
Only R is right, and a candidate never counts for c@1. NIL says that the collection holds no answer, and is right if R.

Sources: the tasks of ResPubliQA 2009 and 2010 as their organisers announced them (celct.isti.cnr.it/ResPubliQA); the
letters, and UR, UW and UE, from their overviews. The files of the tracks are not public: the columns are nescio's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.model import Verdict
from nescio.data.outcomes import Outcomes
from nescio.errors import FormatError, opt
from nescio.formats.answers import Answer
from nescio.formats.choices import choose
from nescio.formats.logs.kit import Log, empty
from nescio.formats.logs.metric_tables import column_of, confidence_of, is_table, rows_of
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.source import Source, name_runs
from nescio.sources.tables import locate
from nescio.tasks.assessed.verdicts import columns_of

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
# What an assessment says: whether it calls the question unanswered, and the letter of the answer or of the candidate.
WORDS: dict[str, tuple[bool, str]] = {
    **{letter: (False, letter) for letter in _LETTERS},
    **{f"{NOA} {letter}": (True, letter) for letter in _LETTERS},
    **{f"U{letter}": (True, letter) for letter in ("R", "W")},
    **dict.fromkeys((NOA, "UE", f"{NOA} E", f"{NOA} EMPTY"), (True, "")),
}
MEASURES, OF_CANDIDATES = ("c@1", "accuracy"), ("accuracy_with_candidates", "validation")
MEANINGS_OF_U = ("unsupported", "unanswered")


class _Line(Struct):
    """A row of a run: where it is, its cells, and what its assessment says."""

    source: Source
    at: int
    run: str
    question: str
    answer: str | None
    candidate: str | None
    confidence: str | None
    called_unanswered: bool
    letter: str

    @property
    def noa(self) -> bool:
        """Whether the system says that it does not answer."""
        return _word(self.answer) == NOA or (self.answer is None and self.candidate is not None)

    def fault(self, rule: str, value: object) -> FormatError:
        """Return the error of this row."""
        return FormatError(self.source.label, rule, where=locate(self.source, self.at), value=value)


def _word(cell: str | None) -> str:
    return re.sub(r"[\s_-]+", " ", (cell or "").strip().upper())


def _columns(source: Source) -> dict[str, str]:
    """Return the columns of a table by the part that each plays."""
    found = {part: column_of(source, source.columns, part, names) for part, names in COLUMNS.items()}
    return {part: column for part, column in found.items() if column is not None}


def recognise(source: Source) -> str | None:
    """Recognise a table with a question, an answer and an assessment; beside a candidate, or with the question as q_id,
    unless the format is named."""
    table = is_table(source) or source.kind == "lines"
    return "assessed" if table and {"question", "answer", "assessment"} <= {*_columns(source)} else None


@reader(
    "respubliqa",
    about="judged runs of ResPubliQA and QA@CLEF: question_id, answer (or NOA), candidate, assessment (R, W, X, U)",
    recognise=recognise,
    columns=tuple(COLUMNS),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every file as a run, or as the runs that its column `run` names.

    `--choose U=unanswered` or `U=unsupported` says what the letter U is, where no other assessment tells.
    """
    log = Log(parts, options)
    named = zip(log.sources, name_runs(log.sources), strict=True)
    lines = [line for source, run in named for line in _lines(source, run)]
    if _u_is_silence(lines, options):
        for line in lines:
            if not line.called_unanswered and line.letter == "U":
                line.called_unanswered, line.letter = True, ""
    answerable = _answerable(lines)
    answers = [log.take(_answer(line, answerable.get(line.question, -1))) for line in lines]
    result = log.by_score(answers, "the assessments")
    assert isinstance(result.data, Outcomes)
    places = ({name: i for i, name in enumerate(names)} for names in (result.data.runs, result.data.questions))
    run_at, question_at = places
    letters = {
        (run_at[line.run], question_at[line.question]): Verdict(line.letter)
        for line in lines
        if line.letter and not (line.noa or line.called_unanswered)
    }
    more = {**result.data.extra_columns, **columns_of(result.data.state, letters)}
    measures = (*MEASURES, *(OF_CANDIDATES if result.data.candidate is not None else ()))
    return replace(result, data=replace(result.data, extra_columns=more), measures=measures)


def _lines(source: Source, name: str) -> Iterator[_Line]:
    columns = _columns(source)
    for at, row in enumerate(rows_of(source), 1):
        cells = {part: row.get(column) for part, column in columns.items()}
        word = _word(cells["assessment"])
        silent, letter = WORDS.get(word, (False, "")) if word else (False, "")
        line = _Line(
            source, at, cells.get("run") or name, cells["question"] or "", cells["answer"], cells.get("candidate"),
            cells.get("confidence"), silent, letter,
        )  # fmt: skip
        if not line.question:
            raise line.fault("the question is empty", columns["question"])
        if word not in WORDS and word:
            rule = f"an assessment is one of {', '.join(WORDS)}; {opt('format_in', 'outcomes')} reads any table"
            raise line.fault(rule, cells["assessment"])
        if line.candidate is not None and not line.noa:
            raise line.fault("an answered question has no withheld candidate; its answer must be NOA", line.candidate)
        if line.noa and letter and not silent and line.candidate is None and letter != "U":
            rule = f"{letter} beside {NOA} needs the candidate that it is of, or to say {NOA} {letter}"
            raise line.fault(rule, cells["assessment"])
        yield line


def _u_is_silence(lines: Sequence[_Line], options: ReadOptions) -> bool:
    """Say whether the letter U is unanswered: it is unsupported where there is an X or another word for unanswered.

    Raises UsageError where neither is there and U is beside an answer.
    """
    own = [line for line in lines if line.letter == "U" and not line.called_unanswered]
    told = any(line.letter == "X" or line.called_unanswered for line in lines)
    if "U" in options.choose or (not told and any(not line.noa and line.answer is not None for line in own)):
        return choose(options, "U", MEANINGS_OF_U, "meanings of U") == "unanswered"
    return not told


def _answerable(lines: Sequence[_Line]) -> dict[str, int]:
    """Return which questions have an answer, as far as right answers and a right NIL say; raises FormatError where both
    are right."""
    known: dict[str, int] = {}
    for line in lines:
        if line.letter == "R" and not line.noa and not line.called_unanswered:
            says = int(_word(line.answer) != NIL)
            if known.setdefault(line.question, says) != says:
                raise line.fault("NIL is judged right, and so is another answer to this question", line.answer)
    return known if 0 in known.values() else {}


def _answer(line: _Line, answerable: int) -> Answer:
    """Return a row as an answer of its run."""
    declined = line.noa or line.called_unanswered
    nil = _word(line.answer) == NIL
    return Answer(
        line.run,
        line.question,
        confidence=confidence_of(line.source, line.confidence, line.at),
        candidate=int(line.letter == "R") if declined and line.letter else -1,
        path=line.source.label,
        where=locate(line.source, line.at),
        answerable=answerable,
        right=line.letter == "R" if line.letter and not declined else None,
        silent=NOA if declined else NIL if nil else None,
        nothing=empty(line.answer),
        lacking="not assessed",
        answer=line.candidate if line.noa else line.answer,
    )
