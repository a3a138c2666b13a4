"""τ-bench: the list of trajectories of one agent, `{"task_id", "trial", "reward", "info", "traj"}`; and τ²-bench's
`simulations`.

A task is a question, its trials are repeats, and a reward of 1 is right. A trajectory that ended in an error of the
agent or of its environment (`info.error`; the `termination_reason` of τ²-bench) is not graded, though the tool counts
it as a reward of 0; neither is one without a reward. An agent that gives up, or hands the user over to a person, is
graded by its reward like any other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.data.outcomes import NOT_GRADED
from nescio.data.reasons import ERRORED
from nescio.data.texts import AnswerTexts, texts_of
from nescio.errors import FormatError, opt
from nescio.formats.logs import grading
from nescio.formats.logs.graded import Graded
from nescio.formats.logs.grading import NO_SCORE, SCORE
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import as_object, identifier, objects_in, part_of, placed_rows
from nescio.sources.source import Source
from nescio.sources.tables import json_lines

KEYS = {"task_id", "reward", "trial"}
SIMULATION = {"task_id", "trial", "termination_reason"}
BROKEN_OFF = ("agent_error", "user_error", "infrastructure_error", "too_many_errors", "error")


def recognise(source: Source) -> str | None:
    """Recognise a list of objects (or one) with `task_id`, `reward`, `trial`; or `simulations` with `task_id`, `trial`,
    `termination_reason`."""
    if source.kind == "lines":
        return "log" if KEYS | {"traj"} <= {*source.columns} else None
    if source.kind != "document":
        return None
    if {*source.columns} >= KEYS and ("info" in source.columns or "traj" in source.columns):
        return "log"
    held = source.document.get("simulations") if isinstance(source.document, dict) else None
    first = held[0] if isinstance(held, list) and held else None
    return "log" if isinstance(first, dict) and {*first} >= SIMULATION else None


@reader(
    "tau_bench",
    about="trajectories of τ-bench: a list of task_id, trial, reward, info, traj; or τ²-bench's simulations",
    recognise=recognise,
    sniff_keys={"lines": ("reward",), "list": ("reward",), "object": ("reward", "simulations")},
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every file as a run, named by its file."""
    notes: list[Note] = []
    rows: list[Graded] = []
    names = grading.run_names([(source.stem, grading.place(Path(source.label))) for _, source in parts])
    for (_, source), run in zip(parts, names, strict=True):
        rows += _rows(source, run, options)
    scores = [row.scores[SCORE] for row in rows if row.scores]
    scale = grading.scale_of(scores, options)
    if scale is None:
        raise FormatError(
            parts[0][1].label, f"a reward is outside [0, 1]; {opt('choose', of='threshold=T')} says what is right"
        )
    notes += grading.say_partial(scale, "the rewards", len(scores), options)
    rows = [replace(row, state=scale.state(row.scores[SCORE])) if row.scores else row for row in rows]
    if errored := sum(row.why == ERRORED for row in rows):
        notes.append(
            note(
                "tau_bench.errored",
                "{errored} of {total} trajectories ended in an error: not graded (the tool counts a reward of 0)",
                errored=errored,
                total=len(rows),
            )
        )
    return grading.result_of(rows, parts[0][1].label, options, notes)


def _rows(source: Source, run: str, options: ReadOptions) -> Iterator[Graded]:
    for row, where in _trajectories(source):
        task, trial = identifier(row, "task_id", source.label, where), row.get("trial")
        if isinstance(trial, bool) or not isinstance(trial, int):
            raise FormatError(source.label, "trial must be a whole number", where=where, value=trial)
        reward = grading.number(row.get("reward", part_of(row, "reward_info", "reward")))
        why = ERRORED if _broke_off(row) else NO_SCORE if reward is None or math.isnan(reward) else None
        yield Graded(
            run,
            f"task {grading.identity(task)}",
            NOT_GRADED,
            why=why,
            where=where,
            path=source.label,
            scores={} if why or reward is None else {SCORE: reward},
            repeat=trial,
            texts=_words(row) if options.texts else None,
        )


def _words(row: dict[str, Any]) -> AnswerTexts:
    """Return the task that the user had, the actions and outputs that are right, and what was said between user and
    agent."""
    task = as_object(part_of(row, "info", "task"))
    messages = objects_in(row.get("traj", row.get("messages")))
    spoken = [{"role": one.get("role"), "content": one["content"]} for one in messages if _is_spoken(one)]
    return texts_of(task.get("instruction"), [task.get("actions"), task.get("outputs")], spoken)


def _is_spoken(turn: dict[str, Any]) -> bool:
    return turn.get("role") in ("user", "assistant") and isinstance(turn.get("content"), str)


def _broke_off(row: dict[str, Any]) -> bool:
    """Say whether a trajectory ended in an error and not by itself."""
    return bool(part_of(row, "info", "error")) or row.get("termination_reason") in BROKEN_OFF


def _trajectories(source: Source) -> Iterator[tuple[dict[str, Any], str]]:
    if source.kind == "lines":
        return ((row, f"line {line}") for row, line in json_lines(source, lenient=True))
    held = source.document
    if isinstance(held, dict):
        held = held.get("simulations", [held])
    return placed_rows(source, held, "a trajectory")
