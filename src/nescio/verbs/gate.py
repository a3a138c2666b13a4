"""Check a run against a policy over several benchmarks: GO, NO-GO or INCONCLUSIVE.

POLICY is a TOML file with the two runs, the benchmarks as in a suite, and rules.

\b
nescio gate policy.toml
nescio gate policy.toml --junit gates.xml

The file names `baseline` and `run`, each benchmark with its `files` ([benchmarks.NAME]), and [[rules]]. A rule has a
`measure` and may have

- `benchmark`: one of the benchmarks; without it the rule holds on all;
- `stratum`: COLUMN=VALUE, or COLUMN for a line per value;
- `tier`: "must not drop" (the default), "may drop", or "informative" (decides nothing);
- `by`: the allowed drop, with `relative = true` as a share of the baseline's value. The default is 0.01; a measure
  whose range is not about 1 wide needs `by` or `relative`;
- `at_least` or `at_most`: a limit for the run alone, instead of `by`.

At the top of the file, `level` (default 95) is the level of intervals in percent, and `least` is the smallest number of
questions that can decide a line. `examples/policy.toml` is an example.

A line of the report is GO if its interval rules out a drop of more than `by`, and NO-GO if a larger drop is sure. The
gate passes only if all deciding lines are GO. So at `level` 95, a run that really fails a rule passes with a
probability of at most 5%. NO-GO is corrected for all deciding lines (Bonferroni), so a run that is no worse is stopped
with a probability of at most 5%. The exit status is 0 for GO, 1 for NO-GO and 3 for INCONCLUSIVE.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from nescio.data.results import Results
from nescio.data.signature import sign
from nescio.errors import NescioError
from nescio.options import argument, option, verb
from nescio.reporting.markdown import in_markdown
from nescio.suites.definition import files_of_benchmark
from nescio.verbs._gates import CANNOT_TELL, Gate, Gated, Reports
from nescio.verbs._policy import NOTHING_DECIDES, Line, lines_of, read_policy


class GateRequest(Gated):
    """The options of `nescio gate`."""

    policy: Path | str = argument(
        kw_only=False, argument=True, reads=True, metavar="POLICY", help="The policy (.toml)."
    )
    baseline: str | None = option(default=None, metavar="RUN", help="The baseline, instead of the one in the policy.")
    run: str | None = option(default=None, metavar="RUN", help="The run, instead of the one in the policy.")

    def inputs(self) -> list[Any]:
        """Return the files to read, including those that the policy names."""
        paths = super().inputs()
        with suppress(NescioError):  # reading the policy will report the error
            benchmarks, _ = read_policy(Path(self.policy))
            paths += [file for what in benchmarks.values() for file in files_of_benchmark(what)]
        return paths


_NOTHING = Gate("", "a rule that decides", CANNOT_TELL, NOTHING_DECIDES, "", ground=False)


def _gate(line: Line, run: str) -> Gate:
    where = f"{line.benchmark}{f' {line.stratum}' if line.stratum else ''}"
    return Gate(run, f"{where}: {line.measure} {line.asked}", line.status, line.said, line.figures, ground=line.ground)


@verb(GateRequest, working="comparing")
def gate(request: GateRequest) -> Results[Line]:
    reports = Reports.of("gate", request, gated=True)
    benchmarks, policy = read_policy(Path(request.policy))
    baseline, run = request.baseline or policy.baseline, request.run or policy.run
    policy = replace(policy, baseline=baseline, run=run)
    lines, notes, digests = lines_of(benchmarks, policy, {"certificate": request.require_certificate})
    gates = tuple(_gate(line, run) for line in lines if line.result) or (_NOTHING,)
    signature = sign(
        policy=len(policy.rules), baseline=baseline, run=run, benchmarks="+".join(benchmarks), data=digests,
        level=f"{policy.level:g}",
    )  # fmt: skip
    results = Results(tuple(lines), signature, tuple(notes), "lines", {}, gates)
    reports.write(request, results, [in_markdown(f"{line.said}.") for line in lines if line.why])
    return results
