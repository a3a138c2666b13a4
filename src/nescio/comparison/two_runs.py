"""Find the runs to compare: two runs, or pairs of a run and its baseline."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations

from msgspec.structs import replace

from nescio.data.evidence import Data
from nescio.errors import MismatchError, UnknownNameError, opt
from nescio.pipeline import Loaded, check_baseline


def pairs_of(runs: Sequence[str], baseline: str | None, run: str | None = None) -> list[tuple[int, int]]:
    """Return the pairs (run, baseline) as indices: those with the named run or baseline, or all pairs.

    Raises UnknownNameError for a run that is not in the data, MismatchError if both names are the same.
    """
    for name in (run, baseline):
        if name is not None and name not in runs:
            raise UnknownNameError("run", name, runs)
    if run is not None and run == baseline:
        raise MismatchError(f"{run!r} is the baseline; name another run, or leave out {opt('run')}")
    if run is None and baseline is None:
        return [(y, x) for x, y in combinations(range(len(runs)), 2)]
    both = permutations(range(len(runs)), 2)
    return [(x, y) for x, y in both if run in (None, runs[x]) and baseline in (None, runs[y])]


def names_in_files(data: Data) -> tuple[str, ...]:
    """Return the names of the runs in the files, each once, as ungraded answers may have made two runs of one."""
    return tuple(dict.fromkeys(data.origins.get(run, run) for run in data.runs))


def two_runs(loaded: Loaded, baseline: str | None, run: str | None) -> tuple[str, str]:
    """Return the names of two runs: the old one (`baseline`) and the new one (`run`).

    If a name is not given, it is the first (old) or the second (new) of two runs. Raises UnknownNameError for a run
    that is not in the data, MismatchError if more than two runs leave the choice open.
    """
    runs = loaded.data.runs
    check_baseline(baseline, runs)
    if run is not None and run not in runs:
        raise UnknownNameError("run", run, runs)
    if baseline is not None and baseline == run:
        raise MismatchError(f"{opt('baseline')} and {opt('run')} are both {run!r}; name two different runs")
    others = [name for name in runs if name not in (baseline, run)]
    if len(runs) > 2 and (baseline is None or run is None):
        raise MismatchError(
            f"there are {len(runs)} runs ({', '.join(runs[:4])}{', …' if len(runs) > 4 else ''}), but the command "
            f"compares two; choose them with {opt('baseline', of='OLD')} {opt('run', of='NEW')}"
        )
    if len(runs) < 2:
        raise MismatchError(f"there is one run, {runs[0]!r}, and no other run to compare it with")
    old = baseline or others[0]
    return old, run or next(name for name in runs if name != old)


def take_two(loaded: Loaded, baseline: str | None, run: str | None) -> Loaded:
    """Return the data with two runs, the old one first; counts alone stay unchanged. Raises as `two_runs` does."""
    pair = two_runs(loaded, baseline, run)
    if not loaded.data.can_pair:
        return loaded
    data = loaded.data.take_runs([loaded.data.runs.index(name) for name in pair])
    return replace(loaded, data=data, silence=tuple(row for row in loaded.silence if row.run in pair))


def take_both_ways(loaded: Loaded, baseline: str | None, run: str) -> Loaded | None:
    """Return the data of two runs whose ungraded answers count both ways, as wrong and as right.

    If there are two runs, the baseline needs no name. Returns None if the ungraded answers of neither run count both
    ways, or if the files have no run with one of the names.
    """
    data, names = loaded.data, names_in_files(loaded.data)
    if baseline is None and len(names) == 2:
        baseline = next(name for name in names if name != run)
    if not data.can_pair or not {baseline, run} & {*data.origins.values()} or not {baseline, run} <= {*names}:
        return None
    origins = [data.origins.get(name, name) for name in data.runs]
    data = data.take_runs([i for name in (baseline, run) for i, origin in enumerate(origins) if origin == name])
    return replace(loaded, data=data, silence=tuple(row for row in loaded.silence if row.run in data.runs))
