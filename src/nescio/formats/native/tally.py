"""Tallies: outcomes of a shard of the questions, counted. Any number of them is read as their sum.

A tally is an Arrow file (IPC, one row), as `nescio tally` writes it. Its columns: `runs`, their names; `state`,
`candidate` and `answerable`, what a kind of answer is; `counts`, how often each kind occurs in each run, run by run;
`pairs`, for each pair of runs the questions that are of one kind for the first run and of another for the second;
`questions`, how many have no known answerability, no answer, an answer; `sums`, for each graded score and run the
number of scores, their sum in parts of 2^-30, and what was drawn of them (`data/graded_sums.py`); `bins`, the right
and the wrong answers of each run by their confidence (`data/tally_bins.py`); `ids`, hashes of the questions' names.
The schema's metadata holds the version of the format, how the shards were read, who judged, how graded scores were
drawn, and since version 2 a hash of all of this, so that a damaged file is never read as other counts.
Tallies of the same shards are the same bytes, however they were split and merged.
"""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.graded_sums import MOST_RESAMPLES, Drawn
from nescio.data.judge_record import parse
from nescio.data.notes import Note, note
from nescio.data.tallied import KIND, OutcomeCounts, merged
from nescio.data.tally_bins import BINS
from nescio.errors import FormatError, MismatchError, UsageError
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.database import first_line
from nescio.sources.source import Source
from nescio.sources.writing import atomic_write

VERSION = "2"
_READ = {"1", VERSION}  # the first knew no resamples of graded scores
_VERSION, _MADE, _HASH = b"nescio.tally", b"nescio.made", b"nescio.hash"


def recognise(source: Source) -> str | None:
    """Recognise a file of Arrow, whose schema says that it is a tally."""
    return "tally" if source.kind == "arrow" else None


@reader(
    "tally",
    about="a tally: counted outcomes of a shard (nescio tally)",
    recognise=recognise,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read tallies of shards, and add them up."""
    shards = [read_file(source) for _, source in parts]
    total = add([str(source.label) for _, source in parts], shards)
    for name in options.graded:
        if name not in total.sums:
            kept = ", ".join(total.sums) or "none"
            raise MismatchError(f"mean({name}) needs the sum of {name}, and these tallies hold sums of: {kept}")
    notes = (checked(len(total.ids), total.size, len(shards)),) if len(shards) > 1 else ()
    return ReadResult(total, notes, judges=tuple(map(parse, total.judges)))


def add(labels: Sequence[str], shards: Sequence[OutcomeCounts]) -> OutcomeCounts:
    """Add up shards; raises MismatchError naming the two that have a question in common."""
    try:
        return merged(shards)
    except MismatchError:
        seen: dict[int, str] = {}
        for label, shard in zip(labels, shards, strict=True):
            both = next((number for number in shard.ids.tolist() if number in seen), None)
            if both is not None:
                raise MismatchError(
                    f"{seen[both]} and {label} have questions in common; each question must stand in one shard alone"
                ) from None
            seen |= dict.fromkeys(shard.ids.tolist(), label)
        raise


def checked(ids: int, questions: int, shards: int) -> Note:
    """Say whether shards were checked for shared questions, by how many hashes of these are kept."""
    if ids == questions:
        return note("tally.checked", "{shards:n shard}: no question is in two of them", shards=shards)
    return note(
        "tally.unchecked",
        "{shards:n shard}: whether a question is in two of them was checked on hashes of {ids:,} of {questions:,} "
        "questions, not on all (nescio tally --ids keeps all)",
        shards=shards,
        ids=ids,
        questions=questions,
    )


class Outline(Struct, frozen=True, eq=False):
    """What a tally is about: its runs, how many questions it has, and the hashes of them that it keeps."""

    path: Path
    runs: tuple[str, ...]
    questions: int
    ids: NDArray[np.uint64]


def outline(path: Path) -> Outline:
    """Look at what a tally is about, without reading its counts; raises FormatError as `read_file` does."""
    pa = arrow()
    try:
        with pa.memory_map(str(path)) as file:
            table = pa.ipc.open_file(file).read_all()
            if _VERSION not in (table.schema.metadata or {}):
                raise ValueError("this Arrow file is no tally")
            own = table.select(["runs", "questions", "ids"])
            own.validate(full=True)
            (runs,) = own["runs"].to_pylist()
            questions = int(np.asarray(own["questions"].chunk(0).flatten()).sum())
            return Outline(path, tuple(runs), questions, np.array(own["ids"].chunk(0).flatten(), dtype=np.uint64))
    except (pa.ArrowException, OSError, ValueError, KeyError, IndexError, TypeError, MemoryError) as error:
        raise FormatError(path, f"not a readable tally: {first_line(error)}") from None


def write(counts: OutcomeCounts, path: Path) -> None:
    """Write a tally, whole or not at all."""
    pa = arrow()
    own = counts.canonical()
    columns: dict[str, Any] = {
        "runs": pa.array([list(own.runs)], pa.list_(pa.string())),
        **{name: _row(own.kinds[:, i], pa.int8()) for i, name in enumerate(KIND)},
        "counts": _row(own.counts, pa.int64()),
        "pairs": _optional(own.pairs),
        "questions": _row(own.questions, pa.int64()),
        "graded": pa.array([list(own.sums)], pa.list_(pa.string())),
        "sums": _row(np.stack(list(own.sums.values())) if own.sums else np.zeros(0, np.int64), pa.int64()),
        "bins": _optional(own.bins),
        "ids": _row(own.ids, pa.uint64()),
        "all_ids": pa.array([own.all_ids]),
    }
    how = [own.drawn.resamples, own.drawn.seed, own.drawn.exchanges]
    made = json.dumps({"made": own.made, "judges": own.judges, "drawn": how}).encode()
    table = pa.table(columns)
    metadata = {_VERSION: VERSION.encode(), _MADE: made, _HASH: _hash(table, made)}
    table = table.replace_schema_metadata(metadata)
    with (
        atomic_write(path) as draft,
        pa.OSFile(str(draft), "wb") as file,
        pa.ipc.new_file(file, table.schema) as writer,
    ):
        writer.write_table(table)


def read_file(source: Source) -> OutcomeCounts:
    """Read one tally; raises FormatError where it is none, is damaged, or is of a later version."""
    pa = arrow()
    label = source.label
    try:
        with pa.OSFile(str(source.path), "rb") as file:
            table = pa.ipc.open_file(file).read_all()
            table.validate(full=True)  # a damaged file may point anywhere, and Arrow looks only when it is told to
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        raise FormatError(label, f"not a readable tally: {first_line(error)}") from None
    metadata = table.schema.metadata or {}
    version = metadata.get(_VERSION)
    if version is None:
        raise FormatError(label, "this Arrow file is no tally; nescio tally writes them")
    if (written_as := version.decode(errors="replace")) not in _READ:
        raise FormatError(label, f"this nescio reads tallies of versions up to {VERSION}", value=written_as)
    try:
        if written_as != "1" and metadata.get(_HASH) != _hash(table, metadata[_MADE]):
            raise ValueError("its content does not have the hash that was written with it; count the shard again")
        return _counts(table, json.loads(metadata[_MADE]))
    except (KeyError, ValueError, TypeError, AttributeError, IndexError, OverflowError, pa.ArrowException) as error:
        raise FormatError(label, f"a damaged tally: {error}") from None


def _hash(table: Any, made: bytes) -> bytes:
    """Return a hash of what a tally holds: of every column, and of how it was made."""
    state = hashlib.blake2b(made, digest_size=16)
    for name in table.column_names:
        column = table[name].combine_chunks()
        state.update(f"\0{name}\0{column.type}\0{len(column)}\0{column.null_count}\0".encode())
        if name in {"runs", "graded", "all_ids"}:
            state.update(json.dumps(column.to_pylist()).encode())
        else:
            numbers: Any = np.ascontiguousarray(column.flatten())
            state.update(numbers)
    return state.hexdigest().encode()


def _counts(table: Any, made: dict[str, list[Any]]) -> OutcomeCounts:
    def numbers(name: str, dtype: type) -> NDArray[Any]:
        return np.asarray(table[name].chunk(0).flatten(), dtype=dtype)

    (runs,), (graded,) = table["runs"].to_pylist(), table["graded"].to_pylist()
    kinds = np.stack([numbers(name, np.int8) for name in KIND], axis=1)
    pairs = None
    if table["pairs"].null_count == 0:
        pairs = numbers("pairs", np.int64).reshape(len(runs) * (len(runs) - 1) // 2, len(kinds), len(kinds))
    drawn = _drawn(*made.get("drawn", (0, 0, False)))
    sums = numbers("sums", np.int64).reshape(len(graded), len(runs), drawn.width)
    bins = None
    if "bins" in table.column_names and table["bins"].null_count == 0:
        bins = numbers("bins", np.int64).reshape(len(runs), 2, BINS)
    counts = OutcomeCounts(
        tuple(runs),
        kinds,
        numbers("counts", np.int64).reshape(len(runs), len(kinds)),
        pairs,
        numbers("questions", np.int64),
        dict(zip(graded, sums, strict=True)),
        drawn,
        bins,
        numbers("ids", np.uint64),
        bool(table["all_ids"][0].as_py()),
        tuple(made["made"]),
        tuple(made["judges"]),
    )
    if bins is not None and (bins < 0).any():
        raise ValueError("bins that cannot be")
    if (counts.counts < 0).any() or (counts.counts.sum(axis=1) > counts.size).any() or len(counts.questions) != 3:
        raise ValueError("counts that cannot be")
    return counts


def _drawn(resamples: int, seed: int, exchanges: bool) -> Drawn:
    if not (0 <= operator.index(resamples) <= MOST_RESAMPLES and operator.index(seed) >= 0):
        raise ValueError("resamples that cannot be")
    return Drawn(resamples, seed, exchanges=bool(exchanges))


def _optional(values: NDArray[Any] | None) -> Any:
    pa = arrow()
    return pa.array([None], pa.large_list(pa.int64())) if values is None else _row(values, pa.int64())


def _row(values: NDArray[Any], dtype: Any) -> Any:
    pa = arrow()
    flat = np.ascontiguousarray(values).ravel()
    return pa.LargeListArray.from_arrays(pa.array([0, len(flat)], pa.int64()), pa.array(flat, dtype))


def arrow() -> Any:
    """Import Arrow; raises UsageError where it is not installed."""
    try:
        import pyarrow as pa
        import pyarrow.ipc
    except ImportError:
        raise UsageError("tallies are Arrow files; install them with: pip install 'nescio[scale]'") from None
    return pa
