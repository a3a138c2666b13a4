"""Judge the answers of a campaign's runs rank by rank, for measures such as MRR that read all ranks."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from nescio.data.assessed import STATES
from nescio.data.columns import Array, known
from nescio.data.judge_record import JudgeRecord, combined
from nescio.data.model import Collection, Run, Verdict
from nescio.data.notes import Note
from nescio.data.outcomes import ABSENT, NOT_GRADED, Label, Outcomes, gather
from nescio.data.reasons import EMPTY_OUTPUT, NoAnswer, settle
from nescio.formats import ReadResult, Unjudged
from nescio.judging import Human, judge_runs, lower_ranks
from nescio.measures import parse
from nescio.pipeline import judge

KEYED = JudgeRecord("key")  # which decides that an answer to a question without an answer is wrong, whatever people say


def reads_lower_ranks(measure: str) -> bool:
    """Return whether a measure, such as MRR, reads answers below rank 1."""
    return any(known(column).lower_ranks for column in parse(measure).reads)


class AtRank(Struct, frozen=True):
    """The outcomes of the answers that runs give at one rank, with the judges that used the key, and notes on these.

    `by_key` is a mask of the runs that have answers which the key judged.
    """

    outcomes: Outcomes
    by_key: Array
    judges: tuple[JudgeRecord, ...] = ()
    notes: tuple[Note, ...] = ()


def judged_at(
    collection: Collection,
    runs: Sequence[Run],
    rank: int,
    named: Mapping[tuple[str, str, int], str],
    *,
    judge_name: str,
    lacking: Sequence[str],
) -> AtRank:
    """Judge the answers of one rank by people's verdicts `named`, keyed by run, question and rank, and by the key.

    The judge that uses the key judges what no person judged, but no answer to the questions `lacking`; its name is
    empty if there is none.
    """
    rank_runs = [
        Run(run.name, tuple(replace(response, rank=1) for response in run.responses if response.rank == rank))
        for run in runs
    ]
    labels: dict[tuple[str, str, int], dict[str | None, Label]] = {
        (run, question, 1): {None: Label(question, STATES[Verdict(verdict)], run)}
        for (run, question, at), verdict in named.items()
        if at == rank
    }
    outcomes, notes = judge_runs(collection, rank_runs, Human(at_rank=labels))
    outcomes, _ = settle(outcomes, NoAnswer())  # so that a wrong "?" is incorrect: a run of a campaign abstains by null
    decided = {*lacking, *(question.id for question in collection.questions if question.answerable is False)}
    open_ = {
        run.name
        for run in rank_runs
        for response in run.responses
        if response.answer is not None
        and response.question_id not in decided
        and (run.name, response.question_id, rank) not in named
    }
    if not judge_name or not open_:
        return AtRank(outcomes, np.zeros(len(rank_runs), bool), (), notes)
    result = judged_by_key(ReadResult(Unjudged(collection, tuple(rank_runs), ())), judge_name)
    assert isinstance(result.data, Outcomes)
    in_key = ~np.isin(outcomes.questions, [*lacking])
    state = np.where((outcomes.state == NOT_GRADED) & in_key, result.data.state, outcomes.state).astype(np.int8)
    candidate = outcomes.candidate
    if candidate is not None and result.data.candidate is not None:
        candidate = np.where((candidate == -1) & in_key, result.data.candidate, candidate)
    filled = replace(outcomes, state=state, candidate=candidate)
    return AtRank(filled, np.isin(outcomes.runs, [*open_]), result.judges, (*notes, *result.notes))


def judged_by_key(unjudged: ReadResult, judge_name: str | None) -> ReadResult:
    """Return the judged answers; no note says how an answer such as "?" can abstain, because only null does here."""
    result = judge(unjudged, judge_name)
    return replace(result, notes=tuple(note for note in result.notes if note.code != EMPTY_OUTPUT))


def of_all_ranks(at: Mapping[int, AtRank], people: Container[str], own: Sequence[JudgeRecord]) -> AtRank:
    """Return the judged answers of rank 1, with the columns that come from all ranks, and the judges of all ranks.

    `people` judged answers of these runs, and `own` has their records. `KEYED` is one of these if the key overrules
    people on any run, because all runs are judged in the same way. A note counts the answers below rank 1.
    """
    first, there = at[1].outcomes, {rank: np.nonzero(at_rank.outcomes.state != ABSENT) for rank, at_rank in at.items()}
    cells = {
        "run": np.concatenate([runs for runs, _ in there.values()]),
        "question": np.concatenate([questions for _, questions in there.values()]),
        "rank": np.concatenate([np.full(len(runs), rank) for rank, (runs, _) in there.items()]),
        **{
            name: np.concatenate([getattr(at_rank.outcomes, name)[there[rank]] for rank, at_rank in at.items()])
            for name in ("state", "confidence", "candidate")
        },
    }
    whole, lower = gather({**cells, "known": np.ones(len(cells["run"]), np.int8)}, first.runs, first.questions)
    records = tuple(dict.fromkeys(record for at_rank in at.values() for record in at_rank.judges))
    by_key = np.any([at_rank.by_key for at_rank in at.values()], axis=0)
    judges = [
        combined([*(own if run in people or not records else []), *(records if keyed or run not in people else [])])
        for run, keyed in zip(first.runs, by_key, strict=True)
    ]
    outcomes = replace(first, first_right=whole.first_right, extra_columns=whole.extra_columns, judges=tuple(judges))
    return AtRank(outcomes, by_key, records, (*at[1].notes, *lower_ranks(lower)))
