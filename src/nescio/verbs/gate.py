"""Hold a run against a policy over several benchmarks: GO, NO-GO or INCONCLUSIVE.

POLICY is a TOML file: the two runs, the benchmarks as in a suite, and a rule for each thing that is asked.

\b
nescio gate policy.toml
nescio gate policy.toml --run other --junit gates.xml

\b
baseline = "old"
run = "new"
least = 100                    # fewer questions are INCONCLUSIVE
[benchmarks.qa]
files = ["qa/*.csv"]
[[rules]]                      # on all benchmarks: at most 0.01 worse
measure = "c@1"
[[rules]]
benchmark = "qa"
stratum = "category"           # each of its values; category=law takes one
measure = "accuracy"
tier = "may drop"
by = 0.05                      # relative = true: of the baseline's value
[[rules]]
measure = "false_refusal"
at_most = 0.05                 # of the run alone; at_least for what is better when higher
[[rules]]
measure = "coverage"
tier = "informative"           # printed, and decides nothing

A line is GO where the interval at `level` (95) rules out a drop of more than `by` (0.01), and NO-GO where a larger drop
is sure. All lines must be GO, so that a run which fails one of them passes with a chance of at most 5%. NO-GO is held
to 5% over all lines that decide together (Bonferroni), so that a run which is no worse is stopped with a chance of at
most 5%. The exit status is 0, 1 and 3.
"""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from nescio.data.results import Results
from nescio.data.signature import sign
from nescio.options import argument, option, verb
from nescio.reporting.printing import show_signature, show_text
from nescio.reporting.screen import show_records
from nescio.verbs._gates import Gate, Reports, exit_status
from nescio.verbs._policy import RESULTS, Line, lines_of, read_policy
from nescio.verbs._shared import Gated


class GateRequest(Gated):
    """What `nescio gate` is asked."""

    policy: Path | str = argument(
        kw_only=False, argument=True, reads=True, metavar="POLICY", help="The policy (.toml)."
    )
    baseline: str | None = option(default=None, metavar="RUN", help="The baseline in place of the policy's.")
    run: str | None = option(default=None, metavar="RUN", help="The run in place of the policy's.")


def show(results: Results[Line]) -> None:
    """Print the lines, and what they say together."""
    show_records(
        [
            {
                "benchmark": line.benchmark,
                "stratum": line.stratum,
                "measure": line.measure,
                "tier": line.tier,
                "asked": line.asked,
                "found": line.figures,
                "n": line.n,
                "result": line.result or "–",
            }
            for line in results
        ]
    )
    show_text(f"{_together(results.rows)}\n")
    show_signature(results.signature)


def _together(lines: tuple[Line, ...]) -> str:
    """Return the result of all lines as a sentence."""
    deciding = [line for line in lines if line.result]
    status = exit_status([_gate(line, "") for line in deciding])
    reasons = [line.said for line in deciding if line.status == status]
    if not status:
        return f"{RESULTS[status]}: all {len(deciding)} lines that decide are GO."
    more = f", and {len(reasons) - 1} more" if len(reasons) > 1 else ""
    return f"{RESULTS[status]}: {reasons[0]}{more}."


def _gate(line: Line, run: str) -> Gate:
    where = f"{line.benchmark}{f' {line.stratum}' if line.stratum else ''}"
    return Gate(run, f"{where}: {line.measure} {line.asked}", line.status, line.said, line.figures)


@verb(GateRequest, working="comparing", show=show)
def gate(request: GateRequest) -> Results[Line]:
    reports = Reports.of(request, gated=True)
    benchmarks, policy = read_policy(Path(request.policy))
    baseline, run = request.baseline or policy.baseline, request.run or policy.run
    policy = replace(policy, baseline=baseline, run=run)
    lines, notes, digests = lines_of(benchmarks, policy, {"certificate": request.require_certificate})
    gates = tuple(_gate(line, run) for line in lines if line.result)
    signature = sign(
        policy=len(policy.rules), baseline=baseline, run=run, benchmarks="+".join(benchmarks), data=digests,
        level=f"{policy.level:g}",
    )  # fmt: skip
    results = Results(tuple(lines), signature, tuple(notes), "lines", {}, gates)
    reports.write("gate", request, results)
    return results
