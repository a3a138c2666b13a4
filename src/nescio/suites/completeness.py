"""Handle runs that some benchmarks of a suite lack, and note what is left out."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.errors import MismatchError, opt
from nescio.suites.definition import Suite
from nescio.text import listed

_NAMED = 3  # pairs that a note names


def complete(suite: Suite, policy: str, named: Sequence[str] = ()) -> tuple[Suite, list[Note]]:
    """Return the suite after applying the policy to runs that lack a benchmark, with notes on what was left out.

    `complete-runs` leaves out the runs that lack a benchmark, and `common-benchmarks` the benchmarks that a run lacks.
    `available` changes nothing: the mean of a run is over the benchmarks that it has. If `named` has two runs, only
    benchmarks that one of these runs lacks matter. Raises MismatchError if the policy is `error` and a run lacks a
    benchmark, if a named run would be left out, or if nothing would remain.
    """
    lacking = {
        run: [b.name for b in suite.benchmarks if run not in b.data.runs]
        for run in (named if len(named) == 2 else suite.runs)
        if any(run not in b.data.runs for b in suite.benchmarks)
    }
    if not lacking:
        return suite, []
    if policy == "error":
        run, names = next(iter(lacking.items()))
        raise MismatchError(
            f"{len(lacking)} of {len(suite.runs)} runs lack a benchmark (run {run!r} lacks {', '.join(names)});"
            f" {opt('incomplete', 'complete-runs')} leaves out these runs, common-benchmarks leaves out the"
            " benchmarks that they lack, and available takes each run's mean over the benchmarks that it has."
            " Runs are matched by name: a suite file can rename them"
        )
    if policy == "available":
        remark = note(
            "suite.available",
            "each mean is over the benchmarks that the run has, so means are not comparable: {runs:and 3} "
            "{number:lacks/lack} some benchmarks",
            runs=list(lacking),
            number=len(lacking),
        )
        return suite, [remark]
    if policy == "complete-runs":
        for run in named:
            if run in lacking:
                raise MismatchError(f"run {run!r}, which is to be compared, lacks {', '.join(lacking[run])}")
        kept = [run for run in suite.runs if run not in lacking]
        if not kept:
            raise MismatchError("every run lacks a benchmark, so no run is left; use common-benchmarks or available")
        taken = replace(suite, benchmarks=tuple(b.take_runs(kept) for b in suite.benchmarks))
        return taken, [
            note(
                "suite.complete_runs",
                "runs left out, because they lack a benchmark: {runs:and 5}",
                runs=[f"{run} ({', '.join(names)})" for run, names in lacking.items()],
            )
        ]
    left = list(dict.fromkeys(name for names in lacking.values() for name in names))
    benchmarks = tuple(b for b in suite.benchmarks if b.name not in left)
    if not benchmarks:
        raise MismatchError(
            "every benchmark is missing from some run, so no benchmark is left; use complete-runs or available"
        )
    return replace(suite, benchmarks=benchmarks), [
        note(
            "suite.common_benchmarks",
            "benchmarks left out, because some runs lack them: {benchmarks:and 5}",
            benchmarks=left,
        )
    ]


def over_shared(suite: Suite, pairs: Sequence[tuple[str, str]]) -> Note:
    """Return a note that counts the benchmarks over which each pair (run, baseline) is compared: those of both runs."""
    over: dict[int, list[str]] = {}
    for run, baseline in pairs:
        count = sum({run, baseline} <= {*b.data.runs} for b in suite.benchmarks)
        over.setdefault(count, []).append(f"{run} against {baseline}")
    return note(
        "suite.shared",
        "each pair of runs is compared over the benchmarks that both runs have, out of {benchmarks}: {pairs}",
        benchmarks=len(suite.benchmarks),
        pairs="; ".join(f"{_counted(n)} {listed(names, _NAMED)}" for n, names in sorted(over.items(), reverse=True)),
    )


def _counted(benchmarks: int) -> str:
    return f"over {benchmarks}" if benchmarks else "left out, because the two runs share no benchmark:"
