"""τ-bench: the list of trajectories of one agent, `{"task_id", "trial", "reward", "info", "traj"}`; and τ²-bench's
`simulations`.

A task is a question, its trials are repeats, and a reward of 1 is right. A trajectory without a reward is not graded.
Neither is one that ended in an error of the agent or its environment (`info.error`; the `termination_reason` of
τ²-bench), though the tool counts a reward of 0. An agent that gives up, or hands the user over to a person, is graded
by its reward like any other. τ²-bench writes its file from the start, with all `tasks` and `info.num_trials`: a file
that holds fewer simulations lacks answers. There a question is the `user_scenario` of its task, and the gold answer its
`evaluation_criteria`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from nescio.data.dropped import fewer_held
from nescio.data.reasons import ERRORED
from nescio.errors import FormatError, opt
from nescio.formats.answers import Answer
from nescio.formats.logs.kit import Log, Name, checked, rows_in
from nescio.formats.logs.run_names import named
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import as_object, identity, number, objects_in, part_of, whole_number
from nescio.sources.source import Source

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
    answers: list[Answer] = []
    for source, run in named(log.sources):
        document = source.document
        if isinstance(document, dict) and "simulations" not in document:
            rows = iter([(document, "item 1")])
        else:
            rows = rows_in(source, ("simulations",) if isinstance(document, dict) else (), "a trajectory")
        before, tasks = len(answers), {str(task.get("id")): task for task in _tasks(source)}
        for row, where in rows:
            trajectory = checked(Trajectory, row, source, where)
            answer = Answer(run, f"task {identity(trajectory.task_id)}", where=where)
            task = as_object(part_of(trajectory.info, "task")) or tasks.get(str(trajectory.task_id), {})
            answers.append(log.take(_answer(trajectory, task, answer)))
            answers[-1].path = source.label
        stated, held = _stated(source), len(answers) - before
        if stated > held:
            log.notes.append(fewer_held(source.name, [run], stated, held))
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


def _stated(source: Source) -> int:
    """Return how many simulations a file of τ²-bench states, its tasks times its trials; 0 if it states no number."""
    return len(_tasks(source)) * (whole_number(part_of(source.document, "info", "num_trials")) or 0)


def _tasks(source: Source) -> list[dict[str, Any]]:
    return objects_in(part_of(source.document, "tasks"))


def _answer(row: Trajectory, task: Mapping[str, Any], answer: Answer) -> Answer:
    """Return `answer` with the user's task, the right actions and outputs, and the conversation of user and agent."""
    broken = part_of(row.info, "error") or row.termination_reason in BROKEN_OFF
    answer.repeat, answer.ungraded = row.trial, ERRORED if broken else None
    answer.score = None if broken else number(part_of(row.reward_info, "reward") if row.reward is None else row.reward)
    answer.asked = task.get("instruction", task.get("user_scenario"))
    answer.gold = task.get("evaluation_criteria", [task.get("actions"), task.get("outputs")])
    turns = objects_in(row.messages if row.traj is None else row.traj)
    answer.answer = [
        {"role": turn["role"], "content": turn["content"]}
        for turn in turns
        if turn.get("role") in ("user", "assistant") and isinstance(turn.get("content"), str)
    ]
    return answer
