"""Merge several runs of one system into one run with repeats, as `--repeats-of NAME=PATTERN` asks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import takewhile
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from nescio.data.columns import Array
from nescio.data.judge_record import undated
from nescio.data.notes import Note, note
from nescio.data.outcomes import ABSENT, Outcomes
from nescio.data.policy_notes import MIXED_FILES
from nescio.data.repeats import FIRST, repeats_of
from nescio.errors import UsageError, opt


def merge_runs(outcomes: Outcomes, groups: Mapping[str, str]) -> Outcomes:
    """Return outcomes in which several runs become the repeats of one run.

    `groups` maps the name of the new run to a pattern for the names of the old runs, in which * matches any characters.
    Repeats are in the order of the old runs. Raises UsageError if fewer than two runs match a pattern, if a run matches
    two patterns, if the new name is taken, or if the old runs have different judges.
    """
    runs = _members(outcomes, groups)
    blocks, width = max(map(len, runs.values())), len(outcomes.questions)

    def spread(array: Array | None, empty: object) -> Array | None:
        if array is None:
            return None
        wide: Array = np.full((len(runs), blocks * width), empty, dtype=array.dtype)
        for at, members in enumerate(runs.values()):
            for block, run in enumerate(members):
                wide[at, block * width : (block + 1) * width] = array[run]
        return wide

    def tiled(array: Array | None) -> Array | None:
        return None if array is None else np.tile(array, blocks)

    state = spread(outcomes.state, ABSENT)
    assert state is not None
    attempts = [FIRST] * width if outcomes.repeats is None else [str(label) for label in outcomes.repeats.label]
    labels = [
        str(block + 1) if outcomes.repeats is None else f"{block + 1}.{label}"
        for block in range(blocks)
        for label in attempts
    ]
    questions = outcomes.questions * blocks
    extra = {name: spread(array, np.nan) for name, array in outcomes.extra_columns.items()}
    merged = replace(
        outcomes,
        runs=tuple(runs),
        questions=questions,
        state=state,
        confidence=spread(outcomes.confidence, np.nan),
        candidate=spread(outcomes.candidate, -1),
        answerable=tiled(outcomes.answerable),
        first_right=spread(outcomes.first_right, 0),
        extra_columns={name: array for name, array in extra.items() if array is not None},
        strata={name: np.tile(array, blocks) for name, array in outcomes.strata.items()},
        clusters=tiled(outcomes.clusters),
        why=spread(outcomes.why, None),
        texts=spread(outcomes.texts, None),
        words=spread(outcomes.words, None),
        repeats=repeats_of(questions, labels),
        files=tuple(outcomes.files[members[0]] for members in runs.values()) if outcomes.files else (),
        judges=tuple(outcomes.judges[members[0]] for members in runs.values()) if outcomes.judges else (),
    )
    there = (state != ABSENT).any(axis=0)
    return merged if there.all() else merged.select(there)


def _members(outcomes: Outcomes, groups: Mapping[str, str]) -> dict[str, list[int]]:
    """Return the old runs of each new run, as indices; a run that matches no pattern remains alone, and comes first."""
    members = {name: _matching(outcomes.runs, name, pattern) for name, pattern in groups.items()}
    taken = [run for runs in members.values() for run in runs]
    if twice := next((outcomes.runs[run] for run in taken if taken.count(run) > 1), None):
        raise UsageError(f"{opt('repeats_of')}: run {twice!r} matches two patterns")
    alone = {outcomes.runs[run]: [run] for run in range(len(outcomes.runs)) if run not in taken}
    if clash := next((name for name in members if name in alone), None):
        raise UsageError(
            f"{opt('repeats_of')} {clash}: a run of this name exists already, and the pattern does not match it; "
            "choose another name"
        )
    for name, several in members.items() if outcomes.judges else ():
        judges = {undated(outcomes.judges[run]) for run in several}
        if len(judges) > 1:
            texts = " and ".join(sorted(judge or "an unknown judge" for judge in judges))
            raise UsageError(f"{opt('repeats_of')} {name}: its runs were judged by {texts}; judge all by one judge")
    return alone | members


def notes_on_files(outcomes: Outcomes, groups: Mapping[str, str]) -> list[Note]:
    """Return the notes of `mixed_files` on each merged run."""
    names = [next((name for name, of in groups.items() if fnmatchcase(run, of)), run) for run in outcomes.runs]
    return mixed_files(zip(names, outcomes.files, strict=False), groups)


def mixed_folders(held: Iterable[tuple[str, object]], runs: Collection[str]) -> list[Note]:
    """Return the notes of `mixed_files`, or, if there are none, the same notes on folders.

    The folders are those directly below the deepest folder that holds all files.
    """
    pairs = [*dict.fromkeys((run, str(file)) for run, file in held)]
    if notes := mixed_files(pairs, runs):
        return notes
    parts = [Path(file).parts for _, file in pairs]
    shared = sum(1 for _ in takewhile(lambda names: len({*names}) == 1, zip(*parts, strict=False)))
    folders = [file[shared] if len(file) > shared else "" for file in parts]
    return mixed_files(((run, folder) for (run, _), folder in zip(pairs, folders, strict=True)), runs, "folders")


def mixed_files(held: Iterable[tuple[str, object]], runs: Iterable[str], what: str = "files") -> list[Note]:
    """Return a note on each of `runs` whose files also contain other runs, unless the other runs lie in all of its
    files.

    Whoever sends such a file could add attempts to somebody else's run. `held` has pairs of a run and a file with
    answers of it; `what` is the word for these files.
    """
    files: dict[str, set[object]] = {}
    for run, file in held:
        files.setdefault(run, set()).add(file)
    notes = []
    for name in runs:
        run_files = files.get(name, set())
        beside = sorted(
            run for run, other in files.items() if run_files & other and run_files != other and len(run_files) > 1
        )
        if beside:
            notes.append(
                note(
                    MIXED_FILES,
                    "the attempts of {subject!r} come from {files:,} {what}, and some of these {what} also hold "
                    "attempts of {first!r}",
                    name,
                    files=len(run_files),
                    what=what,
                    first=beside[0],
                    beside=tuple(beside),
                )
            )
    return notes


def names_of(runs: Sequence[str], groups: Mapping[str, str]) -> dict[str, str]:
    """Return the name of the new run for each run that matches a pattern."""
    return {runs[at]: name for name, pattern in groups.items() for at in _matching(runs, name, pattern)}


def _matching(runs: Sequence[str], name: str, pattern: str) -> list[int]:
    matches = [i for i, run in enumerate(runs) if fnmatchcase(run, pattern)]
    if len(matches) < 2:
        have = ", ".join(map(repr, runs))
        raise UsageError(
            f"{opt('repeats_of', {name: pattern})}: the pattern matches {len(matches) or 'none'} of the runs, but "
            f"repeats need at least two; the runs are {have}"
        )
    return matches
