"""Count the outcomes of shards, for collections of any size: tallies add up.

FILES are outcome tables, each a shard: no question may be in two of them. A tally is a small file. `nescio score`,
`compare` and `meta` read any number of tallies as their sum, and so does `nescio tally`.

\b
nescio tally outcomes.csv -o all.tally
nescio tally part-*.parquet -o all.tally
nescio score monday.tally tuesday.tally
nescio tally part-*.parquet -o all.tally --engine ray
nescio tally all.tally monday.tally -o all.tally
nescio tally logs/*.parquet --into store

A tally can be written onto itself, with a day more: whole or not at all. --into keeps a tally of each shard in a
folder, which `nescio score store` reads: shards that it has, by a digest of their content, are not counted again, and
nothing is written but the tallies of new ones. With --engine or --into, each file of a pattern that the shell left
('s3://bucket/part-*.parquet') is a shard. Any partition into shards, counted anywhere and added in any order, gives the
same bytes. After an interruption the same command continues where it stopped. --missing, --ungraded and --unanswerable
apply when a tally is scored, not here.
"""

from __future__ import annotations

import glob
import hashlib
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio import formats
from nescio._version import __version__
from nescio.data.columns import CONFIDENCE, known, user
from nescio.data.graded_sums import MOST_RESAMPLES, RESAMPLES, Drawn
from nescio.data.notes import Note, note
from nescio.data.outcomes import Outcomes
from nescio.data.tallied import SAMPLE, OutcomeCounts, count_outcomes, hashes
from nescio.engines import Engine, each_part, engine_named
from nescio.errors import FormatError, MismatchError, UsageError, opt
from nescio.formats.native import tally as files
from nescio.measures import Measures
from nescio.options import argument, option, verb
from nescio.pipeline import Options, judge, read, recognise
from nescio.pipeline.options import PLUG_INS_AND_LIMITS, JudgingAnswers
from nescio.scoring.score import parse_all
from nescio.sources.arrow import items_of
from nescio.sources.database import is_pattern
from nescio.sources.opening import open_source
from nescio.sources.remote import PATTERN, address_of, each_file
from nescio.sources.source import TALLY
from nescio.sources.writing import naming
from nescio.verbs._output_paths import check_file
from nescio.verbs._shared import MEASURES, InJobs, Seeded, Sourced, Worked
from nescio.verbs._tally_store import CountNew, opened

Count: TypeAlias = "partial[OutcomeCounts]"
ALONE = ("outcomes", "tally")  # formats whose files can each be a shard


class Tallied(Struct, frozen=True):
    """What was counted and written: runs, questions, shards, and where; notes. Of a store, all that it has, and how
    many of the shards were new."""

    runs: int
    questions: int
    shards: int
    output: Path
    notes: tuple[Note, ...] = ()
    new: int | None = None

    def __str__(self) -> str:
        def plural(n: int, what: str) -> str:
            return f"{n:,} {what}{'s' if n != 1 else ''}"

        counted = (plural(self.runs, "run"), plural(self.questions, "question"), plural(self.shards, "shard"))
        if self.new is not None:
            return f"added {plural(self.new, 'shard')}; {self.output} has {counted[0]} on {counted[1]} in {counted[2]}"
        return f"counted {counted[0]} on {counted[1]} in {counted[2]}; wrote {self.output}"


class TallyRequest(JudgingAnswers, InJobs, Seeded, Sourced, Worked):
    """What `nescio tally` is asked."""

    output: Path | str | None = argument(
        kw_only=False,
        default=None,
        flags=("-o", "--output"),
        metavar="FILE",
        apart="into",
        help="The tally to write (.tally).",
        default_words=f"needed without {opt('into')}",
    )
    into: Path | str | None = option(
        default=None,
        metavar="FOLDER",
        help="Add the tally of each shard to the store in this folder, unless its content was counted before.",
    )
    measures: Measures = option(
        default=None,
        kind=MEASURES,
        flags=("-m", "--measure"),
        help="A measure that the tally must also support: 'mean(f1)' sums graded scores, and AUROC (or AURC, and"
        " related measures) counts answers in 4,096 bins of confidence.",
    )
    pairs: bool = option(
        default=True,
        help="Also count, for each pair of runs, what the two did on the same questions; comparisons need it.",
    )
    ids: bool = option(
        default=False,
        help="Keep hashes of all questions, so that a question in two shards is always found; otherwise 1,024 of them"
        " are kept.",
    )
    engine: str | None = option(
        default=None,
        metavar="ENGINE",
        help="Count on ray, on spark, or on the cluster at ray://HOST:PORT or spark://HOST:PORT.",
        default_words="here",
    )
    resamples: int = option(
        default=RESAMPLES,
        low=0,
        high=MOST_RESAMPLES,
        help="How often to resample the graded scores of -m, for intervals and tests of their mean; 0 for none. A tally"
        " grows by 24 bytes for each resample, run and score.",
    )

    def check(self) -> None:
        """Raise UsageError where nothing says where the counts go."""
        super().check()
        if self.output is None and self.into is None:
            raise UsageError(f"{opt('output')} or {opt('into')} must say where the tally is written")


@verb(TallyRequest, working="counting", prints="")
def tally(request: TallyRequest) -> Tallied:
    items, measures = items_of(request.source), request.measures
    place = engine_named(request.engine, request.jobs)
    if place.name or request.into:
        items = [one for item in items for one in _spread(item)]
    graded = tuple(name for measure in parse_all(measures, None) for name in measure.user_columns) if measures else ()
    asked: dict[str, Any] = {**request.values(JudgingAnswers), "strata": (), "graded": graded}
    reading = Options(**asked)
    drawn, binned = Drawn(), _binned(measures)
    if graded and request.resamples:
        drawn = Drawn(request.resamples, request.seed, request.pairs)
    count = partial(count_shard, options=reading, pairs=request.pairs, ids=request.ids, drawn=drawn, binned=binned)
    how = f"{request.pairs} {request.ids} {drawn!r} {binned}"
    if request.into:
        return _into_store(request, items, count, f"{_counted_as(reading)} {how}", place)
    return _into_file(request, items, count, f"{__version__} {reading.but(memory_limit=None)!r} {how}", place)


def _into_file(request: TallyRequest, items: list[Any], count: Count, how: str, place: Engine) -> Tallied:
    """Count shards and write their sum."""
    output = Path(request.output or "")
    check_file(output, "a tally", (TALLY,), [item for item in items if not _is(item, output)])
    paths = _each_alone(items, count.keywords["options"])
    shards = [[path] for path in paths] if paths else [items]
    kept = Finished(output, how)
    counted = kept.before(shards)
    notes = [_used_again(len(counted), len(shards))] if counted else []
    left = [i for i in range(len(shards)) if i not in counted]
    parts = [_from_anywhere(shards[i]) if place.name else shards[i] for i in left]
    for done, (i, one) in enumerate(each_part(count, parts, place), 1):
        counted[left[i]] = one
        if len(shards) > 1:
            kept.keep(shards[left[i]], one)
        if request.progress:
            request.progress(len(shards) - len(left) + done, len(shards))
    total = files.add([str(shard[0]) for shard in shards], [counted[i] for i in range(len(shards))])
    files.write(total, output)
    kept.forget()
    if len(shards) > 1:
        notes.append(files.checked(len(total.ids), total.size, len(shards)))
    return Tallied(len(total.runs), total.size, len(shards), output, tuple(notes))


def _into_store(request: TallyRequest, items: list[Any], count: Count, how: str, place: Engine) -> Tallied:
    """Count the shards that a store does not have, and add each when it is counted."""
    if table := next((item for item in items if not isinstance(item, (str, Path))), None):
        raise UsageError(f"{opt('into')} takes files, each a shard (found {type(table).__name__})")
    parts, new = (_from_anywhere(items) if place.name else items), 0
    with opened(Path(request.into or "")) as store:
        before = store.known
        for done, (i, (digest, counts)) in enumerate(each_part(CountNew(count, how, before), parts, place), 1):
            if counts is not None and digest not in store.known:
                store.add(items[i], digest, counts)
                new += 1
            if request.progress:
                request.progress(done, len(parts))
    notes = [_known(len(parts) - new, len(parts))] if new < len(parts) else []
    shards = len(store.outlines)
    if shards > 1:
        notes.append(store.checked())
    return Tallied(store.runs, store.questions, shards, store.folder, tuple(notes), new)


def _counted_as(reading: Options) -> str:
    """Say how files are read, as far as that changes what is counted."""
    of = [name for name in reading.given if reading.options[name].group != PLUG_INS_AND_LIMITS]
    return repr({name: getattr(reading, name) for name in sorted(of)})


def _binned(measures: Measures) -> bool:
    """Tell whether confidences are to be counted in bins; raises UsageError for a measure that needs each of them."""
    wanted = parse_all(measures, None) if measures else []
    for measure in wanted:
        if not measure.binned and any(known(name).when_missing == CONFIDENCE for name in measure.reads):
            raise UsageError(
                f"{measure.label} needs each answer with its confidence, but a tally keeps only bins of them, "
                "for AUROC, AURC and related measures; score the files themselves"
            )
    return any(measure.binned for measure in wanted)


def _is(item: Any, output: Path) -> bool:
    """Tell whether what is read is the tally that is written: it is updated in place."""
    return isinstance(item, (str, Path)) and Path(item).absolute() == output.absolute() and output.is_file()


def _spread(item: Any) -> list[Any]:
    """Return the files that a pattern stands for, each a shard that a worker can count; all else as it is."""
    if not isinstance(item, (str, Path)):
        return [item]
    if (address := address_of(item)) and any(c in address for c in PATTERN):
        return [*each_file(address)]
    if not address and is_pattern(Path(item)):
        return sorted(map(Path, glob.glob(str(item), recursive=True))) or [item]
    return [item]


def _from_anywhere(shard: Sequence[Any]) -> list[Any]:
    """Name the files of a shard as a worker finds them that was started in another folder."""
    paths = [isinstance(item, (str, Path)) and not address_of(item) for item in shard]
    return [Path(item).absolute() if path else item for item, path in zip(shard, paths, strict=True)]


def count_shard(
    items: Sequence[Any], *, options: Options, pairs: bool, ids: bool, drawn: Drawn, binned: bool
) -> OutcomeCounts:
    """Read one shard and count it."""
    result = read(items, options.but(counting=formats.Counting(pairs, ids=True, drawn=drawn, binned=binned)))
    result = judge(result, options.judge)
    data = result.data
    if isinstance(data, OutcomeCounts):
        return data if result.format == "tally" else _named(data, data.ids, result, options, ids=ids)
    if not isinstance(data, Outcomes):
        raise MismatchError(f"this is {result.about}, which holds no outcomes of single questions to count")
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


def _known(known: int, shards: int) -> Note:
    return note(
        "tally.known",
        "{known} of {shards:n shard} {known:was/were} in the store already and {known:is/are} not counted again",
        known=known,
        shards=shards,
    )


def _used_again(counted: int, shards: int) -> Note:
    return note(
        "tally.used_again",
        "{counted} of {shards:n shard} {counted:was/were} counted by an earlier call that did not "
        "finish, and {counted:is/are} reused",
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
