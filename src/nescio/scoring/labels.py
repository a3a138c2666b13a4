"""Match people's verdicts on some answers with the judge's verdicts on all answers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.data.assessors import Resolution, settled
from nescio.data.columns import Array
from nescio.data.evidence import Evidence, with_questions
from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT, Label, Outcomes
from nescio.data.texts import AnswerTexts
from nescio.errors import MismatchError, UsageError, opt
from nescio.judging.human import Human, human
from nescio.pipeline import Loaded
from nescio.sources.arrow import told
from nescio.sources.opening import open_source
from nescio.tables.judgements import read_judgements
from nescio.text import plural

VERDICTS = "verdicts"  # marks strata that are made of the judge's verdicts on the compared runs
NEITHER = -1


class Labels(Struct, frozen=True, eq=False):
    """People's verdicts on the answers in `data`; all arrays have shape (runs, questions).

    `said` is 1 or 0 for an answer that people call correct or not, and -1 without a verdict. `known` marks the answers
    that need no verdict: abstentions, and answers to questions that have no answer. `inclusion` is the probability with
    which each labelled question was drawn, None if the table of labels has no such column. `others` holds further
    judges' verdicts, 1 for correct. `strata` numbers the stratum in which each question was drawn, None for one sample
    of all questions. It is `VERDICTS` if the strata are the judge's verdicts on the compared runs.
    """

    data: Evidence
    said: NDArray[np.int8]
    known: NDArray[np.bool_]
    inclusion: NDArray[np.float64] | None
    digest: str
    others: tuple[NDArray[np.float64], ...] = ()
    strata: Array | Literal["verdicts"] | None = None
    drawn: str = "simple"
    notes: tuple[Note, ...] = ()

    def select(self, questions: Array) -> Labels:
        """Return the labels of some of the questions, given a mask."""
        return replace(
            self,
            data=self.data.select(questions),
            said=self.said[:, questions],
            known=self.known[:, questions],
            inclusion=None if self.inclusion is None else self.inclusion[:, questions],
            others=tuple(other[:, questions] for other in self.others),
            strata=self.strata[questions] if isinstance(self.strata, np.ndarray) else self.strata,
        )

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Return a mask of the answers that people judged, among those that need a verdict."""
        labelled: NDArray[np.bool_] = (self.said != NEITHER) & ~self.known & self.data.present
        return labelled

    @property
    def signature(self) -> dict[str, str]:
        """Return the part of a signature that identifies people's verdicts and how they were drawn."""
        also = {"also_judged": str(len(self.others))} if self.others else {}
        return {"labels": str(int(self.labelled.sum())), "people": self.digest, "drawn": self.drawn, **also}


def beside(table: Any) -> frozenset[str]:
    """Return the columns of a table of labels, so that the option `column` may name them like those of the files."""
    return frozenset(open_source(table).columns)


def read_labels(
    loaded: Loaded,
    table: Any,
    *,
    by: str | None = None,
    also_judged: Sequence[Evidence] = (),
    resolve: Resolution = "adjudicated",
) -> Labels:
    """Return people's verdicts on the loaded answers, with notes on verdicts that could not be used.

    The columns are found by their names, or by the option `column` with which the files were read. If the labelled
    questions were drawn within the values of a column, `by` names that column; it may be "verdicts". `resolve` is the
    rule that turns several people's verdicts on one answer into one. Raises UsageError if questions were asked several
    times. Raises MismatchError if the data has no questions, or if labels contradict each other or belong to no answer.
    Raises FormatError if the file is not a table of labels.
    """
    data = _single_answers(loaded)
    options = loaded.options
    given, notes = read_judgements(table, options.outcome_map, named=options.column)
    given, settling = settled(given, resolve)
    people, more = human(given, data.runs, data.questions, options.column.get("verdict"))
    more = [*settling, *more]
    grid, inclusion = _laid_out(loaded, data, people)
    known = _known(data)
    verdicts = np.where(grid == NOT_GRADED, NEITHER, grid == CORRECT).astype(np.int8)
    odd = _odd(data, grid, known)
    asked = ~known & data.present
    people.spare(data.runs, data.questions, asked)
    if not ((verdicts != NEITHER) & asked).any():
        raise MismatchError(f"{told(table)}: {people.none_judged([*more, *odd])}")
    notes = [*notes, *more, *people.said_of_stale(), *odd]
    if loaded.texts is None and loaded.in_words is None and people.by_text:
        notes.append(
            note(
                "labels.by_question",
                "{labels:n label} {labels:names an answer/name answers} by text, but these files hold no "
                "texts: {labels:it is/they are} matched by question, as there is only one run",
                labels=len(people.by_text),
            )
        )
    strata = _strata(data, by)
    if by is not None and inclusion is not None:
        raise UsageError(
            f"the labels' column `inclusion` already says how they were drawn; leave {opt('labels_by')} out"
        )
    if also_judged and (by is not None or inclusion is not None):
        raise UsageError(f"{opt('also_judged')} needs labels of one simple random sample of the questions")
    drawn = "simple" if by is None and inclusion is None else "inclusion" if by is None else f"by {by}"
    others = tuple(_aligned(other, data) for other in also_judged)
    return Labels(data, verdicts, known, inclusion, _digest(data, grid, inclusion), others, strata, drawn, tuple(notes))


def no_labels(loaded: Loaded) -> Labels:
    """Return the loaded data as if people had judged no answer yet, to plan the first labels."""
    data = _single_answers(loaded)
    verdicts = np.full(data.present.shape, NEITHER, dtype=np.int8)
    return Labels(data, verdicts, _known(data), None, "none")


def _known(data: Evidence) -> NDArray[np.bool_]:
    """Return a mask of the answers whose outcome is known without a verdict: abstentions, and answers to unanswerable
    questions."""
    known: NDArray[np.bool_] = data.present & ((data.column("unanswered") == 1) | (data.column("answered") == 0))
    if "answerable" in data.columns:
        known |= data.present & (data.column("answerable") == 0)
    return known


def _single_answers(loaded: Loaded) -> Evidence:
    """Return the data if each row is one answer to a question, so that a label can be matched with it.

    Raises MismatchError or UsageError for other data.
    """
    data = with_questions(loaded.data, "match labels to")
    if data.repeats is not None:
        raise UsageError(
            "labels cannot be used if questions were asked several times: a label does not say which repeat it judges"
        )
    if data.origins:
        raise UsageError(f"{opt('ungraded', 'bounds')} cannot be used with {opt('labels')}; use exclude")
    if data.answer_rows is not None or "correct" not in data.columns:
        raise UsageError("labels correct a judge's verdicts on single answers, but this data has no such verdicts")
    return data


def _laid_out(loaded: Loaded, data: Evidence, people: Human) -> tuple[NDArray[np.int8], NDArray[np.float64] | None]:
    """Return people's verdict on each answer (NOT_GRADED without one), and the probabilities of inclusion."""
    grid = np.full(data.present.shape, NOT_GRADED, dtype=np.int8)
    inclusion = np.full(data.present.shape, np.nan)
    run_at, question_at = ({name: i for i, name in enumerate(names)} for names in (data.runs, data.questions))
    for run, question, label in _found(loaded, data, people):
        at = run_at[run], question_at[question]
        grid[at] = label.state
        if label.inclusion is not None:
            inclusion[at] = label.inclusion
    given, all_of = ~np.isnan(inclusion), grid != NOT_GRADED
    if not given.any():
        return grid, None
    if (all_of & ~given).any():
        lacking = int((all_of & ~given).sum())
        have = "has" if lacking == 1 else "have"
        raise MismatchError(f"{plural(lacking, 'label')} {have} no probability of inclusion, but others have one")
    return grid, inclusion


def _found(loaded: Loaded, data: Evidence, people: Human) -> Iterator[tuple[str, str, Label]]:
    """Yield each label with the run and the question of the answer that it labels."""
    if loaded.texts is None and loaded.in_words is not None:
        yield from _found_in_words(loaded.in_words, data, people)
        return
    if loaded.texts is None:
        by_text = dict(people.by_text)
        if by_text and (len(data.runs) > 1 or len({question for question, _ in by_text}) < len(by_text)):
            raise MismatchError(
                "labels without a run are matched by the answer's text, but the files have none; add a column run to "
                "the labels"
            )
        for (question, _), label in by_text.items():
            yield data.runs[0], question, label
        for run, question in people.by_run:
            if (known := people.label(run, question)) is not None:
                yield run, question, known
        return
    runs, questions = set(data.runs), set(data.questions)
    for system in loaded.texts.runs:
        for response in system.responses:
            if response.rank == 1 and system.name in runs and response.question_id in questions:
                known = _of_answer(people, system.name, response.question_id, response.answer)
                if known is not None:
                    yield system.name, response.question_id, known


def _of_answer(people: Human, run: str, question: str, answer: str | None) -> Label | None:
    return people.label_of_silence(run, question) if answer is None else people.label(run, question, answer)


def _found_in_words(outcomes: Outcomes, data: Evidence, people: Human) -> Iterator[tuple[str, str, Label]]:
    """Yield the same as `_found`, for outcomes with texts."""
    assert outcomes.texts is not None
    labelled = {question for _, question in people.by_run} | {question for question, _ in people.by_text}
    labelled &= {*data.questions}
    runs = {*data.runs}
    for q, question in enumerate(outcomes.questions):
        for r, run in enumerate(outcomes.runs if question in labelled else ()):
            texts = outcomes.texts[r, q] or AnswerTexts()
            answers = [*filter(None, (texts.answer, texts.graded))]
            if run not in runs:
                continue
            known = people.label(run, question, *answers) if answers else people.label_of_silence(run, question)
            if known is not None:
                yield run, question, known


def _odd(data: Evidence, grid: NDArray[np.int8], known: NDArray[np.bool_]) -> list[Note]:
    """Return notes on labels of answers that need no label or are missing, and on given answers called unanswered."""
    notes = []
    needless = known & np.isin(grid, (CORRECT, INCORRECT))
    if needless.any():
        notes.append(
            note(
                "labels.of_silence",
                "{labels:n label} not used: the run left the question unanswered, or the question has no answer "
                "(abstentions need no label)",
                labels=int(needless.sum()),
            )
        )
    silent = (grid == SILENT) & ~known & data.present
    if silent.any():
        notes.append(
            note(
                "labels.called_silent",
                f"people call {{labels:n given answer}} unanswered; with {opt('labels')} "
                "{labels:it counts/they count} as not correct",
                labels=int(silent.sum()),
            )
        )
    absent = (grid != NOT_GRADED) & ~data.present
    if absent.any():
        notes.append(
            note(
                "labels.absent",
                "{labels:n label} not used: the labelled answer is missing or left out",
                labels=int(absent.sum()),
            )
        )
    return notes


def _strata(data: Evidence, by: str | None) -> Array | Literal["verdicts"] | None:
    if by is None:
        return None
    if by in data.strata:
        return np.unique(data.strata[by], return_inverse=True)[1]
    if by == VERDICTS:
        return "verdicts"
    have = ", ".join((*data.strata, VERDICTS))
    raise MismatchError(
        f"{opt('labels_by', by)}: there is no such column with one value for each question; such columns: {have}"
    )


def _aligned(other: Evidence, data: Evidence) -> NDArray[np.float64]:
    """Return another judge's verdicts on the answers of `data`, 1 for correct, in the order of `data`."""
    if set(data.runs) - set(other.runs) or set(data.questions) - set(other.questions):
        raise MismatchError(f"{opt('also_judged')} must have the same runs and questions as the files")
    runs = [other.runs.index(run) for run in data.runs]
    place = {question: i for i, question in enumerate(other.questions)}
    chosen = [place[question] for question in data.questions]
    verdicts: NDArray[np.float64] = (other.column("correct")[np.ix_(runs, chosen)] == 1).astype(float)
    return verdicts


def _digest(data: Evidence, grid: NDArray[np.int8], inclusion: NDArray[np.float64] | None) -> str:
    rows: list[str] = []
    for r, q in np.argwhere(grid != NOT_GRADED):
        odds = "" if inclusion is None else repr(float(inclusion[r, q]))
        rows.append(f"{data.runs[r]}\0{data.questions[q]}\0{grid[r, q]}\0{odds}")
    return hashlib.blake2b("\n".join(sorted(rows)).encode(), digest_size=6).hexdigest()
