"""Let runs or repeats vote: score the most frequent answer, and compare it with one answer alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.comparison.statistic_rows import Laid, LaidOut
from nescio.data.evidence import NO_ROW, PRESENT, Evidence, with_questions
from nescio.data.notes import note
from nescio.data.outcomes import ABSENT, CORRECT, INCORRECT, NOT_GRADED, SILENT, Outcomes
from nescio.data.shown import Shown
from nescio.errors import MismatchError, UsageError, opt
from nescio.pipeline import Loaded
from nescio.stats.votes import Rule, Voted, vote

Floats = NDArray[np.float64]
Said = Mapping[str, Mapping[tuple[str, str | None], str]]
Across = Literal["auto", "repeats", "runs"]
Counted = tuple[Voted, NDArray[np.bool_], tuple[Floats, Floats]]


class Vote(Struct, frozen=True):
    """The result of letting `of` answers to each question vote: shares right, wrong and unanswered, and c@1 (`value`).

    `alone` is c@1 of one answer drawn at random, and `gain` is `value` minus `alone`. The gain has Student's interval,
    with one imagined question at either end of the possible gains (docs/evidence/cascades.md), and the p-value of no
    gain.
    `wrong_answers` says how wrong answers were compared: by their texts, or as if all were alike or all different.
    """

    run: Annotated[str, Shown()]
    of: Annotated[str, Shown()]
    correct: Annotated[float, Shown("right", form="percent", digits=1)]
    incorrect: Annotated[float, Shown("wrong", form="percent", digits=1)]
    unanswered: Annotated[float, Shown("silent", form="percent", digits=1)]
    value: Annotated[float, Shown("c@1")]
    alone: Annotated[float, Shown()]
    gain: Annotated[float, Shown(form="signed", interval=("low", "high"))]
    low: float
    high: float
    p: Annotated[float, Shown(form="p")]
    p_adjusted: Annotated[float, Shown(form="p", same_as="p")]
    verdict: Annotated[str, Shown()]
    wrong_answers: Annotated[str, Shown(default="by their texts")]
    n: Annotated[int, Shown()]


class Ballot(Struct, frozen=True):
    """The rules of a vote: how many answers vote (`of`, None for all), and how many votes the winner needs.

    `stats.votes.vote` explains `rule` and `at_least`.
    """

    of: int | None
    rule: Rule
    at_least: int | None


class Group(Struct, frozen=True, eq=False):
    """The answers that vote with each other on each question: the samples of one run, or the answers of all runs.

    `cells` has a row for each question, with the places of its answers in the flattened (run, row) table, and -1 where
    an answer is lacking.
    """

    name: str
    cells: NDArray[np.int64]
    questions: tuple[str, ...]
    clusters: NDArray[np.int64] | None


def lay_votes(
    loaded: Loaded, said: Said | None, *, across: Across, of: int | None, rule: Rule, at_least: int | None
) -> tuple[LaidOut, Outcomes | None]:
    """Return the results of votes on each question, among the repeats of each run or among all runs.

    `said` holds the texts of the answers. If the texts tell which wrong answers agree, the votes of all answers are
    also returned as outcomes, where each vote is a run. Raises MismatchError if nothing was answered twice, UsageError
    for invalid options.
    """
    data = with_questions(loaded.data, "vote on")
    if not data.columns.keys() >= {"correct", "incorrect", "answered"}:
        raise MismatchError("votes need outcomes: right, wrong or unanswered")
    if across == "auto":
        across = "runs" if data.repeats is None else "repeats"
    groups = _of_repeats(data) if across == "repeats" else [_of_runs(data)]
    notes, rows, made = list(loaded.notes), [], []
    known = None if said is None else _texts(data, said)
    if known is None:
        notes.append(
            note(
                "votes.no_texts",
                "the texts of wrong answers are unknown, so each vote has two bounds: all wrong answers agree, or "
                "all differ",
            )
        )
    ballot = Ballot(of, rule, at_least)
    for group in groups:
        for words, keys in _keyings(data, known):
            voted, use, alone = _counted(data, group, keys, ballot)
            rows.append(_row(group, (voted, use, alone), words, of))
            if len(use) and not use.all():
                notes.append(
                    note(
                        "votes.left_out",
                        "{lost:n question} left out for lack of enough graded answers to vote",
                        f"run {group.name!r}",
                        lost=int((~use).sum()),
                    )
                )
            if known is not None and of is None:
                made.append(_outcomes(data, group, voted, use))
    needs = {"rule": rule} if at_least is None else {"at_least": at_least}
    signed = {"vote": across, "of": "all" if of is None else of, **needs, **loaded.signature}
    return LaidOut(rows, tuple(notes), signed), _joined(made) if made else None


def _of_repeats(data: Evidence) -> list[Group]:
    if data.repeats is None:
        raise MismatchError(f"no question was asked several times; {opt('across', 'runs')} lets the runs vote")
    question = data.repeats.question
    order = np.argsort(question, kind="stable")
    place = np.arange(len(order)) - np.searchsorted(question[order], question[order])
    cells = np.full((data.repeats.questions, int(place.max()) + 1), -1)
    cells[question[order], place] = order
    names = np.empty(data.repeats.questions, dtype=object)
    names[question] = data.questions
    clusters = None
    if data.groups is not None:
        clusters = np.zeros(len(names), dtype=np.int64)
        clusters[question] = data.groups
    width = len(data.questions)
    return [
        Group(run, np.where(cells >= 0, cells + i * width, -1), tuple(names), clusters)
        for i, run in enumerate(data.runs)
    ]


def _of_runs(data: Evidence) -> Group:
    if data.repeats is not None or len(data.runs) < 2:
        why = "questions were asked several times" if data.repeats is not None else "there is one run"
        raise MismatchError(f"runs cannot vote, because {why}")
    size = len(data.questions)
    cells = np.arange(size)[:, None] + size * np.arange(len(data.runs))
    return Group(" + ".join(data.runs), cells, data.questions, data.groups)


def _texts(data: Evidence, texts: Said) -> NDArray[np.int64] | None:
    """Return a number for each answer. Answers with the same text, ignoring capitals and spaces, have the same number.

    Returns None if an answer has no text.
    """
    labels: Sequence[str | None] = [None] * len(data.questions)
    if data.repeats is not None:
        labels = [str(label) for label in data.repeats.label]
    numbers: dict[str, int] = {}
    keys = np.full(data.absence.shape, -1)
    answered = data.present & (data.columns["answered"] == 1)
    for i, run in enumerate(data.runs):
        texts_of_run = texts.get(run, {})
        for row in np.flatnonzero(answered[i]):
            text = " ".join(texts_of_run.get((data.questions[int(row)], labels[int(row)]), "").casefold().split())
            if not text:
                return None
            keys[i, row] = numbers.setdefault(text, len(numbers))
    return keys


def _keyings(data: Evidence, known: NDArray[np.int64] | None) -> list[tuple[str, NDArray[np.int64]]]:
    if known is not None:
        return [("by their texts", known)]
    answered = data.columns["answered"] == 1
    right = answered & (data.columns["correct"] == 1)
    apart = 1 + np.arange(answered.size).reshape(answered.shape)
    alike = np.where(right, 0, np.where(answered, 1, -1))
    return [("all alike", alike), ("all different", np.where(right, 0, np.where(answered, apart, -1)))]


def _counted(data: Evidence, group: Group, keys: NDArray[np.int64], ballot: Ballot) -> Counted:
    """Return the votes on each question, a mask of the questions with enough answers, and shares of single answers.

    The shares are those of right answers, and of abstentions, if one answer to the question is drawn at random.
    """
    present = np.where(group.cells >= 0, data.present.ravel()[group.cells], False)
    many = present.sum(axis=1)
    of = ballot.of
    if of is not None and of > group.cells.shape[1]:
        raise UsageError(f"{opt('of', of)}: at most {group.cells.shape[1]} answers to a question can vote")
    use = many >= (of or 1)
    answered = data.columns["answered"].ravel()[group.cells] == 1
    right = present & answered & (data.columns["correct"].ravel()[group.cells] == 1)
    size = len(many)
    shares = [np.zeros(size) for _ in range(5)]
    impossible = np.zeros(size, dtype=bool)
    if "answerable" in data.columns:
        impossible = data.columns["answerable"].ravel()[group.cells.max(axis=1)] == 0
    for count in np.unique(many[use]):
        rows = use & (many == count)
        order = np.argsort(~present[rows], axis=1, kind="stable")[:, :count]
        picked = np.take_along_axis(group.cells[rows], order, axis=1)
        good = np.take_along_axis(right[rows], order, axis=1)
        spoke = data.columns["answered"].ravel()[picked] == 1
        votes = vote(np.where(spoke, keys.ravel()[picked], -1), good, of or int(count), ballot.rule, ballot.at_least)
        for share, values in zip(
            shares, (votes.right, votes.wrong, votes.silent, good.mean(axis=1), 1 - spoke.mean(axis=1)), strict=True
        ):
            share[rows] = values
    voted, wrong, silent, one_right, one_silent = shares
    # Abstaining is right if the question has no answer, as for all measures.
    voted, silent = np.where(impossible, voted + silent, voted), np.where(impossible, 0, silent)
    one_right = np.where(impossible, one_right + one_silent, one_right)
    return Voted(voted, wrong, silent), use, (one_right, np.where(impossible, 0, one_silent))


def _row(group: Group, counted: Counted, words: str, of: int | None) -> Laid:
    voted, use, alone = counted
    if not use.any():
        raise MismatchError(f"run {group.name!r} has no question with enough graded answers; lower {opt('of')}")
    counts = {int(count) for count in (group.cells >= 0).sum(axis=1)[use]}
    shown = str(of) if of is not None else "-".join(map(str, sorted({min(counts), max(counts)})))
    names = ("right", "wrong", "silent", "one_right", "one_silent")
    shares = (voted.right, voted.wrong, voted.silent, *alone)
    columns = {name: share[use] for name, share in zip(names, shares, strict=True)}
    clusters = None if group.clusters is None else group.clusters[use]
    return Laid({"run": group.name, "of": shown}, columns, clusters, last={"wrong_answers": words})


def c_at_1(right: Any, silent: Any, n: Any) -> Any:
    """Return c@1 for the totals of right answers (`right`) and of abstentions (`silent`) over n questions."""
    return right / n * (1 + silent / n)


def _outcomes(data: Evidence, group: Group, tally: Voted, use: NDArray[np.bool_]) -> tuple[str, dict[str, int]]:
    """Return the name of a vote, and its outcome on each question.

    A vote has no outcome if an answer without a grade takes part, because that answer might have won.
    """
    state = np.where(tally.right > 0, CORRECT, np.where(tally.wrong > 0, INCORRECT, SILENT))
    absence = np.where(group.cells >= 0, data.absence.ravel()[group.cells], NO_ROW)
    unknown = ((absence != PRESENT) & (absence != NO_ROW)).any(axis=1)
    state = np.where(unknown, NOT_GRADED, state)
    names = zip(group.questions, state, use | unknown, strict=True)
    return f"vote of {group.name}", {name: int(outcome) for name, outcome, counts in names if counts}


def _joined(made: Sequence[tuple[str, dict[str, int]]]) -> Outcomes:
    """Return the results of votes as one collection of outcomes. `made` has the name and the outcomes of each vote.

    Each vote becomes a run.
    """
    questions = tuple(dict.fromkeys(name for _, states in made for name in states))
    state = np.array([[states.get(name, ABSENT) for name in questions] for _, states in made], dtype=np.int8)
    return Outcomes(tuple(name for name, _ in made), questions, state)
