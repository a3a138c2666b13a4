"""A suite: benchmarks by name, each read in its own format and judged by its own judge.

As a TOML file:

    measures = ["accuracy"]

    [benchmarks.trivia]
    files = ["trivia/*.csv"]         # beside this file; also a folder, or one name
    column = {run = "engine"}

    [benchmarks.sums]
    files = "sums/*.eval"
    judge = "numeric"
    runs = {mine = "openai/mine-v2"} # the name in the suite = the name in the files
"""

from __future__ import annotations

import glob
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from nescio.data.evidence import Data, Evidence, Tally, with_questions
from nescio.data.notes import Note, renamed
from nescio.data.outcomes import ABSENT, Outcomes
from nescio.errors import (
    FormatError,
    MismatchError,
    MissingColumnError,
    UnknownNameError,
    UsageError,
    not_constant,
    opt,
)
from nescio.measures import Measure, Measures, parse
from nescio.pipeline import Loaded, Options, Reading, apply, judge, read
from nescio.scoring.score import open_data, read_by, strata
from nescio.sources.arrow import items_of
from nescio.suites.checks import check_files, check_named

OPTIONS = tuple(Reading.options)
OWN = ("files", "runs", "format", *OPTIONS)  # the options that a benchmark may set


class Benchmark(Struct, frozen=True, eq=False):
    """One benchmark of a suite: its name, and its data as they were loaded."""

    name: str
    loaded: Loaded

    def __post_init__(self) -> None:
        """Raise UsageError if ungraded answers made two runs of one."""
        if self.data.origins:
            raise UsageError(
                f"a suite cannot use {opt('ungraded', 'bounds')}, which gives two results per run; use "
                f"{opt('ungraded', 'exclude')}"
            )

    @property
    def data(self) -> Data:
        """Return the data of the benchmark's runs."""
        return self.loaded.data

    def take_runs(self, runs: Sequence[str]) -> Benchmark:
        """Return the benchmark with only these runs, in the given order. Names that the benchmark lacks are skipped."""
        data = self.loaded.data
        chosen = [data.runs.index(run) for run in runs if run in data.runs]
        return replace(self, loaded=replace(self.loaded, data=data.take_runs(chosen)))


class Suite(Struct, frozen=True, eq=False):
    """The benchmarks of a suite, and the names of the measures to compute.

    If there are no names, the measures that suit all benchmarks are computed.
    """

    benchmarks: tuple[Benchmark, ...]
    measures: tuple[str, ...] = ()

    @property
    def runs(self) -> tuple[str, ...]:
        """Return the runs of all benchmarks, in the order in which they first occur."""
        return tuple(dict.fromkeys(run for benchmark in self.benchmarks for run in benchmark.data.runs))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the benchmarks."""
        return tuple(benchmark.name for benchmark in self.benchmarks)

    def digest(self) -> str:
        """Return a short hash of the data of all benchmarks."""
        lines = "\n".join(f"{benchmark.name}\0{benchmark.data.digest()}" for benchmark in self.benchmarks)
        return hashlib.blake2b(lines.encode(), digest_size=6).hexdigest()

    def signature(self, measures: Sequence[Measure], **how: object) -> dict[str, object]:
        """Return the fields of a signature that name the measures, the benchmarks and their data.

        `how` adds more fields.
        """
        asked = [benchmark.data for benchmark in self.benchmarks if isinstance(benchmark.data, Evidence)]
        clustered = [b.loaded.options.cluster for b in self.benchmarks if getattr(b.data, "groups", None) is not None]
        return {
            "measures": "+".join(measure.name for measure in measures),
            "runs": len(self.runs),
            "benchmarks": "+".join(self.names),
            **({"questions": sum(d.size for d in asked), "clusters": sum(d.units for d in asked)} if clustered else {}),
            **({"cluster": "+".join(dict.fromkeys(map(str, clustered)))} if clustered and all(clustered) else {}),
            "data": self.digest(),
            **{name: value for name, value in how.items() if value},
        }

    def default_measures(self) -> tuple[str, ...]:
        """Return the measures to show if the user names none.

        Raises UsageError if the benchmarks have no suitable measure in common.
        """
        if self.measures:
            return self.measures
        suitable = [benchmark.loaded.measures for benchmark in self.benchmarks]
        shared = tuple(name for name in suitable[0] if all(name in names for names in suitable))
        if not shared:
            offers = "; ".join(f"{name} {', '.join(o)}" for name, o in zip(self.names, suitable, strict=True))
            raise UsageError(f"these benchmarks have no default measure in common; name a measure with -m ({offers})")
        return shared

    def notes(self, more: Mapping[str, Iterable[Note]] | None = None) -> tuple[Note, ...]:
        """Return the notes from reading the benchmarks, and those in `more`, which maps names of benchmarks to notes.

        A note that several benchmarks have is returned once, with their names.
        """
        whose: dict[Note, dict[str, None]] = {}
        for benchmark in self.benchmarks:
            for remark in (*benchmark.loaded.notes, *(more or {}).get(benchmark.name, ())):
                whose.setdefault(remark, {})[benchmark.name] = None
        return tuple(
            remark if len(names) == len(self.benchmarks) else replace(remark, benchmarks=tuple(names))
            for remark, names in whose.items()
        )


def open_suite(source: Any, options: Mapping[str, Any], measures: Measures = None, *, by: str | None = None) -> Suite:
    """Return a suite from a mapping of benchmarks, a TOML file, or data whose column `by` names the benchmarks.

    `options` are the options of reading for all benchmarks; a benchmark's own options take precedence. Raises
    FormatError, MismatchError, UsageError or UnknownNameError, naming the benchmark.
    """
    if isinstance(source, Suite):
        return source
    if by is not None:
        return Suite(tuple(_by_stratum(source, by, options, measures)))
    named: tuple[str, ...] = ()
    if isinstance(source, (str, Path)) and str(source).lower().endswith(".toml"):
        source, named = _definition(Path(source))
    if not isinstance(source, Mapping) or not source:
        raise UsageError(
            "a suite must be a mapping of names to files, as in {'trivia': 'trivia.csv'}, a TOML file, or "
            f"with suite_by any data (found {type(source).__name__})"
        )
    check_files(source)
    wanted = measures if measures else named or None
    return Suite(tuple(_open(str(name), what, options, wanted) for name, what in source.items()), named)


def _open(name: str, what: Any, options: Mapping[str, Any], measures: Measures) -> Benchmark:
    settings: dict[str, Any] = {"files": what}
    if isinstance(what, Mapping) and "files" in what:
        settings = dict(what)
    for key in settings:
        if key not in OWN:
            raise UnknownNameError(f"option of benchmark {name!r}", key, OWN)
    files, runs = settings.pop("files"), _names_of(settings.pop("runs", None))
    if "format" in settings:
        settings["format_in"] = settings.pop("format")
    wanted = tuple(options.get("only", ()))
    settings["only"] = (
        tuple(runs.get(run, run) for run in wanted) if isinstance(runs, Mapping) else wanted or tuple(runs)
    )
    try:
        loaded = open_data(files, {"strata": (), **options, **settings}, measures)
        return Benchmark(name, _with_names(loaded, runs, wanted))
    except (MismatchError, MissingColumnError, UsageError) as error:
        raise type(error)(f"benchmark {name!r}: {error}") from None


def _names_of(runs: Any) -> Sequence[str] | Mapping[str, str]:
    """Return the runs to use on a benchmark: their names, or a mapping from names in the suite to names in the files.

    `runs` is the entry `runs` of the benchmark's definition. If it is None, the result is empty, which means all runs.
    """
    if runs is None:
        return ()
    if isinstance(runs, (list, tuple)):
        return tuple(map(str, runs))
    if not isinstance(runs, Mapping):
        raise UsageError(
            f"runs must be a list of names, or a mapping of names in the suite to those in the files ({runs!r})"
        )
    if len({*runs.values()}) < len(runs):
        twice = ", ".join(f"{name} = {run!r}" for name, run in runs.items())
        raise UsageError(f"one run would have two names: {twice}")
    return runs


def _with_names(loaded: Loaded, runs: Sequence[str] | Mapping[str, str], wanted: Sequence[str]) -> Loaded:
    """Return the data of the listed runs, or, if `runs` is a mapping, of all runs with the names that it gives them.

    Notes get the new names too, because gates look for runs in notes. Raises UnknownNameError for a listed run that the
    data lack. If `wanted` has names, other listed runs may be missing.
    """
    data = loaded.data
    renames = isinstance(runs, Mapping)
    listed = dict(runs) if isinstance(runs, Mapping) else {run: run for run in runs}
    for name, run in listed.items():
        if run not in data.runs and (not wanted or name in wanted):
            raise UnknownNameError("run", str(run), data.runs)
    if not listed:
        return loaded
    if not renames:
        rows = [data.runs.index(run) for run in listed if run in data.runs]
        if (whole := loaded.whole) and isinstance(whole.data, Outcomes):
            whole = replace(whole, data=whole.data.take_runs(rows))
        return replace(loaded, data=data.take_runs(rows), whole=whole)
    new_name = {old: new for new, old in listed.items()}
    names = tuple(new_name.get(run, run) for run in data.runs)
    if len({*names}) < len(names):
        raise UsageError(f"two runs would have one name: {', '.join(names)}")
    silence = tuple(replace(row, run=new_name.get(row.run, row.run)) for row in loaded.silence)
    whole = loaded.whole
    if whole is not None:
        notes = tuple(renamed(remark, new_name) for remark in whole.notes)
        whole = replace(whole, data=replace(whole.data, runs=names), notes=notes)
    notes = tuple(renamed(remark, new_name) for remark in loaded.notes)
    return replace(loaded, data=replace(data, runs=names), notes=notes, silence=silence, whole=whole)


def files_of_definition(path: Path) -> list[Any]:
    """Return the files of all benchmarks that a TOML file defines. Raises FormatError if it defines none."""
    return [file for what in _definition(path)[0].values() for file in files_of_benchmark(what)]


def files_of_benchmark(what: Any) -> list[Any]:
    """Return the files of a benchmark: the entry `files` if `what` is a mapping, and otherwise `what` itself."""
    return items_of(what.get("files", ()) if isinstance(what, Mapping) else what)


def _definition(path: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the benchmarks and measures of a TOML file, whose file names are relative to its folder."""
    import tomllib

    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FormatError(path, f"cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FormatError(path, f"is not TOML: {error}") from None
    for key in content:
        if key not in ("measures", "benchmarks"):
            raise FormatError(path, "a suite may have `measures` and [benchmarks.NAME]", value=key)
    return benchmarks_of(content, path)


def benchmarks_of(content: Mapping[str, Any], path: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the benchmarks that a TOML file defines, keyed by name, with their files; and the names of its measures.

    `content` is the parsed content of the file at `path`. Raises FormatError for an invalid definition.
    """
    benchmarks, measures = content.get("benchmarks"), content.get("measures", [])
    if not isinstance(benchmarks, dict) or not benchmarks:
        raise FormatError(path, "a suite needs a table [benchmarks.NAME] for each benchmark")
    if not isinstance(measures, list) or not all(isinstance(name, str) for name in measures):
        raise FormatError(path, "`measures` must be a list of names", value=measures)
    for name in measures:
        parse(name)
    defined: dict[str, Any] = {}
    for name, entry in benchmarks.items():
        if not isinstance(entry, dict) or "files" not in entry:
            raise FormatError(path, f"[benchmarks.{name}] needs `files`", value=entry)
        for key in entry:
            if key not in OWN:
                raise FormatError(path, f"[benchmarks.{name}] can have {', '.join(OWN)}", value=key)
        files = [entry["files"]] if isinstance(entry["files"], str) else entry["files"]
        if not isinstance(files, list) or not all(isinstance(file, str) for file in files):
            raise FormatError(
                path,
                f"[benchmarks.{name}]: `files` must be a name, a pattern, or a list of names and patterns",
                value=files,
            )
        defined[name] = {**entry, "files": [match for file in files for match in expand(str(path.parent / file))]}
    return defined, tuple(measures)


def expand(pattern: str) -> list[Path]:
    """Return the files that match a pattern such as "runs/*.csv", sorted by name.

    Returns only the file itself if `pattern` is the name of a file. Raises UsageError if no file matches.
    """
    if Path(pattern).exists() or not glob.has_magic(pattern):
        return [Path(pattern)]
    matches = sorted(glob.glob(pattern, recursive=True))
    if not matches:
        raise UsageError(f"no file matches {pattern}")
    return list(map(Path, matches))


def _by_stratum(source: Any, by: str, options: Mapping[str, Any], measures: Measures) -> list[Benchmark]:
    """Return a benchmark for each value of the column `by`.

    Its questions are those with this value, and its runs are those that have an answer to one of them.
    """
    if isinstance(source, (Loaded, Evidence, Tally)):
        loaded = open_data(source, {"strata": (by,), **options}, measures)
        data = with_questions(loaded.data, f"take the values of {by!r} as benchmarks")
        check_named(data, by)
        return [
            Benchmark(
                str(value), replace(loaded, data=part.take_runs(np.flatnonzero(part.present.any(axis=1)).tolist()))
            )
            for value, part in strata(data, by)
            if value is not None and part.has_questions
        ]
    plan = Options(**{**read_by(measures), "strata": (by,), **options})
    items = items_of(source)
    judged = judge(read(items, plan), plan.judge)
    if not isinstance(judged.data, Outcomes):
        return _by_stratum(apply(judged, plan), by, {}, None)
    outcomes = judged.data
    if by not in outcomes.strata:
        every = read(items, plan.but(strata=None)).data  # read again so that the error can list the existing columns
        raise not_constant(by, getattr(every, "strata", {}))
    check_named(outcomes, by)
    values = outcomes.strata[by]
    benchmarks = []
    for value in np.unique(values):
        part = outcomes.select(np.asarray(values == value))
        answered = np.flatnonzero((part.state != ABSENT).any(axis=1)).tolist()
        if len(answered) < len(part.runs):
            part = part.take_runs(answered)
        benchmarks.append(Benchmark(str(value), apply(replace(judged, data=part), plan)))
    return benchmarks
