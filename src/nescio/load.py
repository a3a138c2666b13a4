"""What are these files? The one door through which every command gets its Evidence: formats, judging and policies in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from nescio import formats, judging
from nescio.errors import FormatError, MismatchError, UsageError
from nescio.evidence import Evidence, Tally
from nescio.formats import Part, ReadOptions, Source, Unjudged
from nescio.outcomes import STATES, Outcomes, Policies, settle

DEFAULT_MEASURES = ("c@1", "accuracy", "coverage")


@dataclass(frozen=True, slots=True)
class Options:
    """How files are to be read: every field has its option on the command line.

    `strata` names the columns to keep for breakdowns (None: all that are constant within a question); `cluster` the stratum
    whose questions move together when they are resampled.
    """

    format_in: str | None = None
    judge: str | None = None
    missing: str = "error"
    ungraded: str = "error"
    unanswerable: str = "correct"
    outcome_map: Mapping[str, str] = field(default_factory=dict)
    strata: tuple[str, ...] | None = None
    cluster: str | None = None


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was found: Evidence, or a Tally where only counts were given; notes; the measures to show where none is asked for."""

    data: Evidence | Tally
    notes: tuple[str, ...] = ()
    measures: tuple[str, ...] = DEFAULT_MEASURES
    format: str = "evidence"
    judge: str = "none"
    options: Options = field(default_factory=Options)

    @property
    def signature(self) -> dict[str, str]:
        """The part of a signature that says what the numbers were computed from."""
        shape = {"questions": str(len(self.data.questions))} if isinstance(self.data, Evidence) else {}
        policies = {
            "missing": self.options.missing,
            "ungraded": self.options.ungraded,
            "unanswerable": self.options.unanswerable,
        }
        return {
            "runs": str(len(self.data.runs)),
            **shape,
            "data": self.data.digest(),
            "format": self.format,
            "judge": self.judge,
            **policies,
        }


def load(given: Any, options: Options | None = None) -> Loaded:
    """Read what is given: a path or several, a table in memory, an Evidence or a Tally.

    Raises FormatError, MismatchError, UnknownNameError or UsageError; nothing is left out without a note.
    """
    options = options or Options()
    policies = Policies(options.missing, options.ungraded, options.unanswerable)
    _check_words(options.outcome_map)
    if isinstance(given, Loaded):
        return given
    if isinstance(given, (Evidence, Tally)):
        return Loaded(_clustered(given, options), measures=_defaults(given), options=options)
    items = list(given) if isinstance(given, (list, tuple)) else [given]
    if not items:
        raise UsageError("no files were given")
    _distinct(items)
    format_, parts = recognise(items, options.format_in)
    strata = options.strata
    if strata is not None and options.cluster:
        strata = (*strata, options.cluster)
    read = format_.read(parts, ReadOptions(options.outcome_map, strata))
    notes, name = list(read.notes), "none"
    data = read.data
    if isinstance(data, Unjudged):
        name = options.judge or judging.default_judge(data.collection)
        data, lower = judging.judge_runs(data.collection, data.runs, name, data.files)
        if lower:
            notes.append(f"{lower} answers are below rank 1: MRR and K read them, outcomes are those of rank 1")
    elif options.judge:
        raise UsageError(f"--judge is for answers that are not judged yet; this is {format_.about}")
    if isinstance(data, Outcomes):
        data, more = settle(data, policies)
        notes += more
    return Loaded(
        _clustered(data, options), tuple(notes), read.measures or _defaults(data), format_.name, name, options
    )


def recognise(items: Sequence[Any], format_in: str | None = None) -> tuple[formats.Format, list[Part]]:
    """The one format that all files given together are of, and the part that each plays in it.

    Raises FormatError where a file is of no known format, MismatchError where they are of several.
    """
    sources = [formats.open_source(item) for item in items]
    found: formats.Format | None = formats.known(format_in) if format_in else None
    parts: list[Part] = []
    for source in sources:
        label = source.path or source.name
        if format_in:
            part = found.recognise(source) if found else None
            if part is None:
                raise FormatError(
                    label, f"this is not {found.about if found else format_in}", value=list(source.columns) or None
                )
            parts.append((part, source))
            continue
        takers = [f for f in formats.REGISTRY.values() if f.recognise(source)]
        if not takers:
            formats.load_third_parties()
            takers = [f for f in formats.REGISTRY.values() if f.recognise(source)]
        if len(takers) != 1:
            raise _not_one(source, takers)
        if found and takers[0] is not found:
            raise MismatchError(
                f"{label} is {takers[0].about}, and {sources[0].path or sources[0].name} is {found.about}: these cannot be read together"
            )
        found = takers[0]
        parts.append((found.recognise(source) or "", source))
    assert found is not None
    return found, parts


def _not_one(source: Source, takers: Sequence[formats.Format]) -> FormatError:
    label = source.path or source.name
    if takers:
        return FormatError(
            label, f"could be read as {' or as '.join(f.name for f in takers)}; choose one with --format-in"
        )
    have = set(source.columns)
    where = "line 1" if source.suffix in (".csv", ".tsv") else None
    if have & {"run", "question", "outcome"}:
        lacking = next((name for name in ("outcome", "question") if name not in have), "outcome")
        return FormatError(
            label,
            f"an outcome table has the columns run, question, outcome; there is no {lacking!r}",
            where=where,
            value=list(source.columns),
        )
    if have & set(STATES):
        lacking = next(name for name in ("run", *STATES) if name not in have)
        return FormatError(
            label,
            f"a counts table has the columns run, correct, incorrect, unanswered; there is no {lacking!r}",
            where=where,
            value=list(source.columns),
        )
    kinds = "; ".join(f.about for f in formats.REGISTRY.values())
    return FormatError(
        label, f"of no format that nescio knows ({kinds})", where=where, value=list(source.columns) or source.first
    )


def _distinct(items: Sequence[Any]) -> None:
    paths = [Path(item).absolute() for item in items if isinstance(item, (str, Path))]
    for i, path in enumerate(paths):
        if path in paths[:i]:
            raise MismatchError(f"{path} was given twice")


def _check_words(outcome_map: Mapping[str, str]) -> None:
    for word, outcome in outcome_map.items():
        if outcome not in STATES:
            raise UsageError(f"--outcome-map {word}={outcome}: an outcome is {', '.join(STATES)}")


def _clustered(data: Any, options: Options) -> Any:
    if not options.cluster:
        return data
    if isinstance(data, Tally):
        raise MismatchError("a counts table has no questions, so there is nothing to cluster")
    if options.cluster not in data.strata:
        have = ", ".join(data.strata) or "none"
        raise MismatchError(f"no column {options.cluster!r} is constant within each question; columns that are: {have}")
    return replace(data, clusters=np.unique(data.strata[options.cluster], return_inverse=True)[1])


def _defaults(data: Any) -> tuple[str, ...]:
    if isinstance(data, Tally) or "correct" in data.columns:
        return DEFAULT_MEASURES
    return tuple(f"mean({name})" for name in data.columns)
