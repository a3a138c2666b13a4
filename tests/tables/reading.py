"""What nescio makes of a made table: rightly read, asked, or wrong, and whether it said so."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from nescio.data.evidence import Evidence
from nescio.errors import SPELLING, NescioError, in_shell
from nescio.pipeline import Loaded, Options, load
from tests.tables.table import Counts, Made

WAYS = re.compile(r"^  (--.*?)(?:  \(|$)", re.MULTILINE)  # of a message that shows several: its options
PROPOSALS = 3  # that are followed, one after another
_ARGUMENT = r"(?:'[^']*'|\"[^\"]*\"|[^\s;,'\"()]+)+"
_OPTION = rf"--(column|choose|outcome-map|format-in|judge|ungraded|missing|unanswerable|declined-pattern) ({_ARGUMENT})"
OPTIONS = re.compile(rf"{_OPTION}(?: {_OPTION})*")
ONE = re.compile(_OPTION)
PLACEHOLDER = re.compile(r"NAME|\w+=(NAME|COLUMN)|(NAME|WORD)=COLUMN|.+=OUTCOME|REGEX")
MAPS = ("column", "choose", "outcome_map")
STRANGE = (TypeError, ValueError, LookupError, AttributeError, AssertionError, RecursionError, ZeroDivisionError)


class Outcome(StrEnum):
    """What came out of reading a table."""

    RIGHT = "right"
    BY_PROPOSAL = "right by proposal"
    BY_NOTE = "right by a note"
    BY_CHOICE = "right by one of several ways"
    NOWHERE = "asked, leads nowhere"
    SAID = "wrong, said"
    SILENTLY = "wrong in silence"
    WRONG_PROPOSAL = "wrong by proposal"
    CRASHED = "crashed"


@dataclass(frozen=True)
class Reading:
    """How a table was read: what came out, the messages and the options that were followed, what was counted and what
    the notes said."""

    outcome: Outcome
    messages: tuple[str, ...] = ()
    followed: tuple[str, ...] = ()
    counts: Mapping[str, Counts] | None = None
    notes: tuple[str, ...] = ()
    format: str = ""


def outcome_of(made: Made, path: Path) -> Reading:
    """Read a table as somebody does who follows the first proposal of each message."""
    before = SPELLING.set(in_shell)
    try:
        return _read(made, path)
    finally:
        SPELLING.reset(before)


def _read(made: Made, path: Path) -> Reading:
    options: dict[str, Any] = {}
    messages: list[str] = []
    followed: list[str] = []
    while True:
        try:
            loaded = load(path, Options(**options))
            break
        except NescioError as error:
            messages.append(str(error))
        except STRANGE as error:
            return Reading(Outcome.CRASHED, (*messages, f"{type(error).__name__}: {error}"), tuple(followed))
        if len(ways := WAYS.findall(messages[-1])) > 1:  # which asks; the likeliest comes first
            leading = [way for way in ways if _leads(made, path, options, way)]
            outcome = Outcome.NOWHERE if not leading else Outcome.BY_CHOICE
            outcome = Outcome.BY_PROPOSAL if leading and leading[0] == ways[0] else outcome
            return Reading(outcome, tuple(messages), (*followed, *leading[:1]))
        proposal = first_proposal(messages[-1])
        if not proposal or proposal in followed or len(followed) == PROPOSALS:
            return Reading(Outcome.NOWHERE, tuple(messages), tuple(followed))
        followed.append(proposal)
        options = with_options(options, proposal)
    counts, notes = counts_of(loaded), tuple(str(note) for note in loaded.notes)
    right = counts is not None and alike(made, counts)
    if not right and says(made, loaded) and (reread := _by_note(made, path, options, notes)):
        outcome = Outcome.BY_NOTE
        followed.append(reread)
    elif right:
        outcome = Outcome.BY_PROPOSAL if followed else Outcome.RIGHT
    elif followed:
        outcome = Outcome.WRONG_PROPOSAL
    else:
        outcome = Outcome.SAID if says(made, loaded) else Outcome.SILENTLY
    return Reading(outcome, tuple(messages), tuple(followed), counts, notes, loaded.format)


def _leads(made: Made, path: Path, options: Mapping[str, Any], way: str, left: int = PROPOSALS) -> bool:
    """Say whether one way to read a table leads to what is true, by itself or by one of those that are then shown."""
    options = with_options(options, way)
    try:
        counts = counts_of(load(path, Options(**options)))
    except NescioError as error:
        more = WAYS.findall(str(error)) or [*filter(None, [first_proposal(str(error))])]
        return left > 0 and any(_leads(made, path, options, one, left - 1) for one in more)
    return counts is not None and alike(made, counts)


def _by_note(made: Made, path: Path, options: Mapping[str, Any], notes: Sequence[str]) -> str | None:
    """Return the option that a note names by which the table is read rightly; None where it leads elsewhere."""
    for proposal in filter(None, map(first_proposal, notes)):
        try:
            counts = counts_of(load(path, Options(**with_options(options, proposal))))
        except NescioError:
            continue
        if counts is not None and alike(made, counts):
            return proposal
    return None


# ---- proposals ----


def first_proposal(message: str) -> str | None:
    """Return the first options that a message proposes, with those that stand right beside them; words that stand for
    any (NAME=VALUE) propose nothing."""
    for found in OPTIONS.finditer(message):
        if not any(_stands_for_any(value) for _, value in ONE.findall(found[0])):
            return found[0]
    return None


def _stands_for_any(value: str) -> bool:
    return bool(PLACEHOLDER.fullmatch(value))


def with_options(options: Mapping[str, Any], proposal: str) -> dict[str, Any]:
    """Add the options of a proposal to others."""
    made = dict(options)
    for flag, written in ONE.findall(proposal):
        name, value = flag.replace("-", "_"), shlex.split(written)[0]
        if name in MAPS:
            key, _, rest = value.rpartition("=") if name == "outcome_map" else value.partition("=")
            made[name] = {**made.get(name, {}), key: rest}
        else:
            made[name] = [value] if name == "declined_pattern" else value
    return made


# ---- what was read ----


def counts_of(loaded: Loaded) -> dict[str, Counts] | None:
    """Count what was read of each run; None where nothing was read that is right or wrong. A matrix of ones and
    zeros says what is right too."""
    data = loaded.data
    if not isinstance(data, Evidence):
        return None
    columns = data.columns
    if {"correct", "incorrect", "unanswered"} <= set(columns):
        by_state = [np.asarray(columns[name]) > 0 for name in ("correct", "incorrect", "unanswered")]
        read = np.asarray(data.present)
        right, wrong, silent = (state & read for state in by_state)
        ungraded = data.absence == 2
    elif len(columns) == 1:
        (cells,) = columns.values()
        right, wrong = cells == 1, cells == 0
        silent, ungraded = np.zeros_like(right), np.isnan(cells)
        if not bool((right | wrong | ungraded).all()):
            return None
    else:
        return None
    states = (right, wrong, silent, ungraded)
    return {run: Counts(*(int(state[r].sum()) for state in states)) for r, run in enumerate(data.runs)}


def alike(made: Made, counts: Mapping[str, Counts]) -> bool:
    """Say whether the counts of all runs are the true ones."""
    if len(counts) != len(made.truth):
        return False
    named = _by_name(made, counts)
    return named is not None and all(_same(made, truth, named[run]) for run, truth in made.truth.items())


def _same(made: Made, truth: Counts, read: Counts) -> bool:
    """Say whether counts are the true ones. A withheld answer is right, or silent for who does not know the
    question; and where silence is an empty verdict or -1, it may as well have no grade."""
    right, wrong, silent, ungraded, withheld = truth
    if made.silence in ("empty_verdict", "minus_one"):
        return (right, wrong, silent + ungraded) == (read.right, read.wrong, read.silent + read.ungraded)
    ways = ((right + withheld, wrong, silent), (right, wrong, silent + withheld))
    return read[:3] in ways and read.ungraded == ungraded


def _by_name(made: Made, counts: Mapping[str, Counts]) -> dict[str, Counts] | None:
    """Find the run that each name means; a table of one run need not name it."""
    if len(made.truth) == 1:
        return dict(zip(made.truth, counts.values(), strict=True))
    named = {}
    for run in made.truth:
        exact = [own for own in counts if own == run] or [
            own for own in counts if own in made.runs.get(run, {}).values()
        ]
        if len(exact) != 1:
            return None
        named[run] = counts[exact[0]]
    return named


def says(made: Made, loaded: Loaded) -> bool:
    """Say whether a note names the column at issue, one that carries the verdict or the silence and was not used, or
    quotes the sentence that declines."""
    return told(made, [str(note) for note in loaded.notes])


def told(made: Made, notes: Sequence[str]) -> bool:
    """Say whether one of these notes does so."""
    taken = [text for text in notes if "is the column" in text]
    remarks = [text for text in notes if text not in taken]
    at_issue = {made.columns.get("verdict"), made.columns.get("silence"), *made.silent} - {None}
    at_issue |= {column for parts in made.runs.values() for column in parts.values()}
    unused = [repr(column) for column in at_issue if not any(f"is the column {column!r}" in text for text in taken)]
    if made.silence == "sentence":
        unused += [repr(made.columns["answer"])]
        sentences = [f"'{sentence.casefold()}'" for told in made.silent.values() for sentence in told]
        if any(sentence in text.replace('"', "'").casefold() for sentence in sentences for text in remarks):
            return True
    return any(column in text for column in unused for text in remarks)
