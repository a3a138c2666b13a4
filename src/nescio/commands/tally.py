"""Tallies of shards: outcomes counted, so that their sum can be scored wherever and whenever the shards were read."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio import __version__, formats
from nescio.commands.places import check_file, listed
from nescio.data.columns import CONFIDENCE, known, user
from nescio.data.graded_sums import MOST_RESAMPLES, RESAMPLES, Drawn
from nescio.data.notes import Note, note
from nescio.data.outcomes import Outcomes
from nescio.data.tallied import SAMPLE, OutcomeCounts, count_outcomes, hashes
from nescio.engines import each_part, engine_named
from nescio.errors import FormatError, MismatchError, UsageError
from nescio.formats.native import tally as files
from nescio.measures import Measures
from nescio.pipeline import Options, ReadingOptions, check_names, judge, read, recognise
from nescio.scoring.score import parse_all
from nescio.sources.opening import open_source
from nescio.sources.remote import address_of
from nescio.sources.source import TALLY
from nescio.sources.writing import naming
from nescio.stats.parallel import Progress

ALONE = ("outcomes", "tally")  # formats whose files can each be a shard


class Tallied(Struct, frozen=True):
    """What was counted and written: runs, questions, shards, and where; notes."""

    runs: int
    questions: int
    shards: int
    output: Path
    notes: tuple[Note, ...] = ()

    def __str__(self) -> str:
        def plural(n: int, what: str) -> str:
            return f"{n:,} {what}{'s' if n != 1 else ''}"

        counted = (plural(self.runs, "run"), plural(self.questions, "question"), plural(self.shards, "shard"))
        return f"counted {counted[0]} on {counted[1]} in {counted[2]}; wrote {self.output}"


def tally(
    source: Any,
    output: Path | str,
    *,
    measures: Measures = None,
    pairs: bool = True,
    ids: bool = False,
    resamples: int = RESAMPLES,
    seed: int = 0,
    engine: str | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
    **options: Unpack[ReadingOptions],
) -> Tallied:
    """Count the outcomes of shards, add them up, and write the sum: a small file that scores as the shards do.

        print(nescio.tally("outcomes.csv", "all.tally"))

    `source` is a path or several: each outcome table is a shard, and no question may stand in two of them; tallies are
    added up. Files that only make sense together are one shard. `pairs` also counts the tables that comparisons of two
    runs need; `ids` keeps the hashes of all questions, so that a question in two shards is always found out (else 1,024
    of them are kept). `measures` name the graded scores to be summed (`mean(f1)`), also in so many `resamples` of the
    questions, whose weights come from the `seed` and each question's name (0: their mean has no interval); for AUROC,
    AURC and their kin answers are counted in bins of confidence. `engine` is None for this process (`jobs` processes),
    "ray", "spark" or the address of such a cluster. Shards that were counted before an interruption are kept beside the
    output and not counted again. Policies are applied when a tally is scored. Raises NescioError.
    """
    check_names(tally, options)
    items, output = listed(source), Path(output)
    check_file(output, "a tally", (TALLY,), items)
    graded = tuple(name for measure in parse_all(measures, None) for name in measure.user_columns) if measures else ()
    asked: dict[str, Any] = {**options, "strata": (), "graded": graded}
    reading = Options(**asked)
    paths = _each_alone(items, reading)
    quiet = replace(reading, watch=None, watch_judging=None)
    drawn, binned = _drawn(resamples, seed, exchanges=pairs) if graded else Drawn(), _binned(measures)
    count = partial(count_shard, options=quiet, pairs=pairs, ids=ids, drawn=drawn, binned=binned)
    shards = [[path] for path in paths] if paths else [items]
    kept = Finished(output, f"{__version__} {replace(quiet, memory_limit=None)!r} {pairs} {ids} {drawn!r} {binned}")
    counted = kept.before(shards)
    notes = [_used_again(len(counted), len(shards))] if counted else []
    left = [i for i in range(len(shards)) if i not in counted]
    place = engine_named(engine, jobs)
    parts = [_from_anywhere(shards[i]) if place.name else shards[i] for i in left]
    for done, (i, one) in enumerate(each_part(count, parts, place), 1):
        counted[left[i]] = one
        if len(shards) > 1:
            kept.keep(shards[left[i]], one)
        if progress:
            progress(len(shards) - len(left) + done, len(shards))
    total = files.add([str(shard[0]) for shard in shards], [counted[i] for i in range(len(shards))])
    files.write(total, output)
    kept.forget()
    if len(shards) > 1:
        notes.append(files.checked(total, len(shards)))
    return Tallied(len(total.runs), total.size, len(shards), output, tuple(notes))


def _drawn(resamples: int, seed: int, *, exchanges: bool) -> Drawn:
    """Say how graded scores are drawn; raises UsageError for a number or a seed that makes no sense."""
    for name, value, most in (("resamples", resamples, MOST_RESAMPLES), ("seed", seed, None)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 0 or (most is not None and value > most):
            known = "0 or more" if most is None else f"between 0 and {most:,}"
            raise UsageError(f"{name} of a tally must be {known} (found {value!r})")
    return Drawn(resamples, seed, exchanges) if resamples else Drawn()


def _binned(measures: Measures) -> bool:
    """Tell whether confidences are to be counted in bins; raises UsageError for a measure that needs each of them."""
    wanted = parse_all(measures, None) if measures else []
    for measure in wanted:
        if not measure.binned and any(known(name).when_missing == CONFIDENCE for name in measure.reads):
            raise UsageError(
                f"{measure.label} needs each answer with its confidence, and a tally keeps bins of them, for AUROC, "
                "AURC and their kin; score the files themselves"
            )
    return any(measure.binned for measure in wanted)


def _from_anywhere(shard: Sequence[Any]) -> list[Any]:
    """Name the files of a shard as a worker finds them that was started in another folder."""
    paths = [isinstance(item, (str, Path)) and not address_of(item) for item in shard]
    return [Path(item).absolute() if path else item for item, path in zip(shard, paths, strict=True)]


def count_shard(
    items: Sequence[Any], *, options: Options, pairs: bool, ids: bool, drawn: Drawn, binned: bool
) -> OutcomeCounts:
    """Read one shard and count it."""
    result = read(items, replace(options, counting=formats.Counting(pairs, ids=True, drawn=drawn, binned=binned)))
    if isinstance(result.data, formats.Unjudged):
        result = judge(result, options.judge)
    data = result.data
    if isinstance(data, OutcomeCounts):
        return data if result.format == "tally" else _named(data, data.ids, result, options, ids=ids)
    if not isinstance(data, Outcomes):
        raise MismatchError(f"this is {result.about}, which holds no outcome of a single question to be counted")
    graded = {name: data.extra_columns[user(name)] for name in options.graded if user(name) in data.extra_columns}
    lacking = next((name for name in options.graded if name not in graded), None)
    if lacking is not None:
        raise MismatchError(f"{items[0]}: there is no column of graded scores {lacking!r} to be summed")
    counted = count_outcomes(data, graded, pairs=pairs, drawn=drawn, binned=binned)
    return _named(counted, hashes(data.questions), result, options, ids=ids)


def _named(
    counted: OutcomeCounts, of_names: NDArray[np.uint64], result: formats.ReadResult, options: Options, *, ids: bool
) -> OutcomeCounts:
    """Say how a shard was read, and by whom it was judged; keep hashes of its questions."""
    chosen = "+".join(f"{name}={value}" for name, value in sorted(options.choose.items()))
    made = f"format={result.format}" + (f" choose={chosen}" if chosen else "")
    named = tuple(sorted({*counted.judges, *map(str, result.judges)}))
    kept = of_names if ids else of_names[:SAMPLE]
    return replace(counted, ids=kept, all_ids=ids, made=(made,), judges=named).canonical()


def _each_alone(items: Sequence[Any], options: Options) -> list[Any]:
    """Return the items if each of them is a table that can be read alone; none where they are read together."""
    try:
        known = [recognise([open_source(item)], options.format_in, options.column)[0].name for item in items]
    except FormatError:
        return []
    return list(items) if all(name in ALONE for name in known) else []


def _used_again(counted: int, shards: int) -> Note:
    return note(
        "tally.used_again",
        "{counted} of {shards:n shard} {counted:was/were} counted by an earlier call that did not end, and "
        "{counted:is/are} used",
        counted=counted,
        shards=shards,
    )


class Finished:
    """The tallies of single shards, kept in a folder beside the output until all are done."""

    def __init__(self, output: Path, how: str) -> None:
        """Keep what was counted in the way that `how` says."""
        self.output, self.folder = output, output.with_name(f".{output.name}.parts")
        self.how = how

    def before(self, shards: Sequence[Sequence[Any]]) -> dict[int, OutcomeCounts]:
        """Return the shards that are counted already, by their place."""
        counted = {}
        for i, shard in enumerate(shards):
            path = self._path(shard)
            if path and path.exists():
                try:
                    counted[i] = files.read_file(open_source(path))
                except FormatError:
                    path.unlink()
        return counted

    def keep(self, shard: Sequence[Any], counts: OutcomeCounts) -> None:
        """Keep the tally of a shard."""
        path = self._path(shard)
        if path:
            with naming(self.output, self.folder):
                self.folder.mkdir(exist_ok=True)
                files.write(counts, path)

    def forget(self) -> None:
        """Remove what was kept."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, shard: Sequence[Any]) -> Path | None:
        """Name the tally of a shard by its files, when they were last changed, and how they are read."""
        state = hashlib.blake2b(self.how.encode(), digest_size=12)
        for item in shard:
            if not isinstance(item, (str, Path)):
                return None
            try:
                facts = Path(item).stat()
            except OSError:  # what is wrong with it, the reader will say
                return None
            state.update(f"{Path(item).absolute()}\0{facts.st_size}\0{facts.st_mtime_ns}\0".encode())
        return self.folder / f"{state.hexdigest()}{TALLY}"
