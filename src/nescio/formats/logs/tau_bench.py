"""τ-bench: the list of trajectories of one agent, `{"task_id", "trial", "reward", "info", "traj"}`; and τ²-bench's
`simulations`.

A task is a question, its trials are repeats, and a reward of 1 is right. A trajectory without a reward is not graded.
Neither is one that ended in an error of the agent or its environment (`info.error`; the `termination_reason` of
τ²-bench), though the tool counts a reward of 0. An agent that gives up, or hands the user over to a person, is graded
by its reward like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from nescio.data.reasons import ERRORED
from nescio.errors import FormatError, opt
from nescio.formats.answers import Answer
from nescio.formats.logs.kit import Log, Name, checked, named, rows_in
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import as_object, identity, number, objects_in, part_of

BROKEN_OFF = ("agent_error", "user_error", "infrastructure_error", "too_many_errors", "error")


class Trajectory(Struct):
    task_id: Name
    trial: int
    reward: Any = None
    reward_info: Any = None
    termination_reason: Any = None
    info: Any = None
    traj: Any = None
    messages: Any = None


@reader(
    "tau_bench",
    about="trajectories of τ-bench: a list of task_id, trial, reward, info, traj; or τ²-bench's simulations",
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every file as a run, named by its file."""
    log = Log(parts, options)
    answers = []
    for source, run in named(log.sources):
        document = source.document
        if isinstance(document, dict) and "simulations" not in document:
            rows = iter([(document, "item 1")])
        else:
            rows = rows_in(source, ("simulations",) if isinstance(document, dict) else (), "a trajectory")
        for row, where in rows:
            trajectory = checked(Trajectory, row, source, where)
            answers.append(
                log.take(_answer(trajectory, Answer(run, f"task {identity(trajectory.task_id)}", where=where)))
            )
            answers[-1].path = source.label
    if not log.grade(answers, "the rewards"):
        rule = f"a reward is outside [0, 1]; {opt('choose', of='threshold=T')} counts rewards of T or more as right"
        raise FormatError(log.label, rule)
    if errored := sum(answer.why == ERRORED for answer in answers):
        log.say(
            "tau_bench.errored",
            "{errored} of {total} trajectories ended in an error and are not graded; the tool gives them a reward of 0",
            errored=errored,
            total=len(answers),
        )
    return log.result(answers)


def _answer(row: Trajectory, answer: Answer) -> Answer:
    """Return `answer` with the user's task, the right actions and outputs, and the conversation of user and agent."""
    broken = part_of(row.info, "error") or row.termination_reason in BROKEN_OFF
    answer.repeat, answer.ungraded = row.trial, ERRORED if broken else None
    answer.score = None if broken else number(part_of(row.reward_info, "reward") if row.reward is None else row.reward)
    task = as_object(part_of(row.info, "task"))
    answer.asked, answer.gold = task.get("instruction"), [task.get("actions"), task.get("outputs")]
    turns = objects_in(row.messages if row.traj is None else row.traj)
    answer.answer = [
        {"role": turn["role"], "content": turn["content"]}
        for turn in turns
        if turn.get("role") in ("user", "assistant") and isinstance(turn.get("content"), str)
    ]
    return answer
