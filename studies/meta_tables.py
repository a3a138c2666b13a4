"""The tables of docs/evidence/meta-evaluation*, from what `meta_experiments.py` computed: rows by the names of their
columns."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import meta_experiments as lab
import numpy as np
from meta_experiments import FINDINGS, LEVELS, MEASURES, SEEDS, Graded, Study, Verdict

from nescio.comparison.comparing import compare
from nescio.data.columns import user
from nescio.data.evidence import Evidence
from nescio.meta_evaluation import FUZZINESS, Sensitivity
from nescio.verbs.meta import agreement

NAMES = {"mean(adhoc6_ap)": "AP", "mean(adhoc8_ap)": "AP", "mean(adhoc8_p10)": "P@10", "mean(adhoc8_rr)": "RR"}
Rows = list[dict[str, str]]


def table(rows: Rows, columns: Mapping[str, str]) -> list[str]:
    """Return a Markdown table of some columns with other heads; the first column is text, the others are numbers."""
    lines = [f"| {' | '.join(columns.values())} |", "| --- |" + " ---: |" * (len(columns) - 1)]
    return [*lines, *(f"| {' | '.join(row[name] for name in columns)} |" for row in rows)]


def write(rows: Rows, path: Path) -> None:
    """Write rows as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def percent(share: float, digits: int = 1) -> str:
    return "–" if np.isnan(share) else f"{share * 100:.{digits}f}%"


def number(value: float, digits: int = 2) -> str:
    return "–" if np.isnan(value) else f"{value:.{digits}f}".replace("-", "−")


def spread(values: Sequence[float], digits: int, scale: float = 1, unit: str = "") -> str:
    """Return the mean over the seeds, and the standard deviation of one of them."""
    found = np.array(values) * scale
    if np.isnan(found).any():
        return "–"
    return f"{number(float(found.mean()), digits)} ± {found.std(ddof=1):.{digits}f}{unit}"


def span(values: Sequence[float], digits: int = 2) -> str:
    """Return the least and the greatest; a value that no bin gave is a dash."""
    known = [v for v in values if not np.isnan(v)]
    if not known:
        return "–"
    low, high = f"{min(known):.{digits}f}", f"{max(known):.{digits}f}"
    return (low if low == high else f"{low}–{high}") + (" or –" if len(known) < len(values) else "")


# --- Runs that decline ---


def findings(verdicts: Mapping[str, Mapping[str, Verdict]]) -> Rows:
    """Return a row a finding of the paper and collection."""
    rows = []
    for key, finding in FINDINGS.items():
        for name, found in verdicts.items():
            v = found[key]
            digits = 1 if finding.scale == 100 else 4 if "error" in finding.label else 3
            rows.append(
                {
                    "finding": finding.label,
                    "paper": finding.paper,
                    "collection": name,
                    "difference": f"{v.mean:+.{digits}f}".replace("-", "−"),
                    "one experiment": f"{v.spread:.{digits}f}",
                    "seeds that agree": f"{v.seeds} of {len(SEEDS)}",
                    "runs left out that agree": f"{v.left_out} of {v.runs}",
                    "verdict": v.word,
                }
            )
    return rows


def curves(name: str, study: Study) -> Rows:
    """Return error rates and ties by fuzziness (Fig. 1)."""
    rows = []
    for f in FUZZINESS:
        row = {"collection": name, "fuzziness": f"{f:.2f}"}
        for measure in MEASURES:
            found = [r for t in study.seeds for r in t.curve if r.measure == measure and r.fuzziness == f]
            row[f"{measure}: error"] = spread([r.error_rate for r in found], 2, 100)
            row[f"{measure}: ties"] = spread([r.ties for r in found], 1, 100)
        rows.append(row)
    return rows


def by_measure(name: str, study: Study) -> Rows:
    """Return error rates at equal ties (Fig. 2), and discriminative power on all questions."""
    rows = []
    for measure in (*MEASURES, "UF01"):
        row = {"collection": name, "measure": measure}
        for level in LEVELS:
            errors = [t.error(measure, level) for t in study.seeds]
            row[f"error rate at {percent(level, 0)} ties, %"] = spread(errors, 2, 100)
        found = [r for powers in study.powers for r in powers.rows if r.measure == measure]
        row["pairs with ASL < 0.05"] = span([r.significant for r in found], 0)
        row["pairs"] = str(len(study.data.runs) * (len(study.data.runs) - 1) // 2)
        row["estimated required difference"] = span([r.required_difference for r in found], 3)
        rows.append(row)
    return rows


def sensitivity(name: str, study: Study) -> Rows:
    """Return what the swap method finds (Table 2), by one experiment, a longer one, and over the seeds."""
    rows = []
    for measure in MEASURES:
        found = [t.needs(measure) for t in study.seeds]
        fresh = [r for swaps in study.fresh for r in swaps.tables["sensitivity"] if r.measure == measure]
        ways: dict[str, Sequence[Sensitivity]] = {
            "100 trials": found[:1],
            "1,000 trials": [study.long.needs(measure)],
            f"{len(SEEDS)} seeds": found,
            f"{len(fresh)} seeds, drawn per pair": fresh,
        }
        for way, many in ways.items():
            one = many[0] if len(many) == 1 else None
            rows.append(
                {
                    "collection": name,
                    "measure": measure,
                    "way": way,
                    "(i) required": span([r.required_difference for r in many]),
                    "(ii) highest": number(one.highest) if one else spread([r.highest for r in many], 2),
                    "(iii) relative": percent(one.relative, 2) if one else "",
                    "(iv) sensitivity": percent(one.sensitivity, 2)
                    if one
                    else spread([r.sensitivity for r in many], 1, 100, "%"),
                    "(i) as share of the range": percent(one.share_of_range) if one else "",
                    "from here on": span([r.required_from_here_on for r in many]),
                }
            )
    return rows


def disagreements(name: str, study: Study) -> Rows:
    """Return the pairs of runs on which accuracy and c@1 disagree, most first, with exact paired p-values (Table 3)."""
    found = agreement(study.data, ["accuracy", "c@1"], top=1_000).tables["disagreements"]
    rows = []
    for one, other in zip(found[::2], found[1::2], strict=True):
        by = "accuracy" if abs(one.value - other.value) < abs(one.other_value - other.other_value) else "c@1"
        pair = study.data.take_runs([study.data.runs.index(row.run) for row in (one, other)])
        tested = {row.measure: row.p for row in compare(pair, ["accuracy", "c@1"], test="exact", resamples=100)}
        for run in (one, other):
            rows.append(
                {
                    "collection": name,
                    "run": run.run,
                    **{count: str(getattr(run, count)) for count in ("correct", "incorrect", "unanswered")},
                    "accuracy": f"{run.value:.3f}",
                    "c@1": f"{run.other_value:.3f}",
                    "runs are": one.how if one.how == "opposite" else f"alike by {by}",
                    "p, accuracy": _p(tested["accuracy"]),
                    "p, c@1": _p(tested["c@1"]),
                }
            )
    return rows


def rankings(name: str, data: Evidence, measures: Sequence[str]) -> Rows:
    """Return how alike the measures rank the runs of a collection."""
    return [
        {
            "collection": name,
            "measures": f"{NAMES.get(row.measure, row.measure)}, {NAMES.get(row.other, row.other)}",
            "τ-b": f"{row.tau_b:.3f}",
            "τ_AP": f"{row.tau_ap:.3f}",
            "RBO (p = .9)": f"{row.rbo:.3f}",
            "pairs in opposite order": str(row.discordant),
            "pairs": str(row.runs * (row.runs - 1) // 2),
        }
        for row in agreement(data, measures).rows
    ]


def _p(value: float | None) -> str:
    if value is None or np.isnan(value):
        return "–"
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}" if value < 0.01 else f"{value:.2f}"


# --- Graded scores ---


def graded(found: Graded) -> Rows:
    """Return stability, the swap method and discriminative power of each measure."""
    rows = []
    for m in found.measures:
        needs, rates, power = found.needs(m), found.rates(m), found.power(m)
        known = not all(np.isnan(r.sensitivity) for r in needs)
        rows.append(
            {
                "measure": f"{found.collection} {NAMES[m]}",
                "runs": f"{len(found.data.runs)} ({found.label})",
                "error rate, %": spread([r.error_rate for r in found.curve(m)], 2, 100),
                "ties, %": spread([r.ties for r in found.curve(m)], 1, 100),
                "required": span([r.required_difference for r in needs]).replace("0.20", "≥ 0.20, open"),
                "highest": spread([r.highest for r in needs], 2),
                "sensitivity, %": spread([r.sensitivity for r in needs], 1, 100) if known else "–",
                "swap rate, .05 to .06": percent(rates[5]),
                "swap rate, .20 and more": percent(rates[20]),
                "pairs": str(power[0].pairs),
                "ASL < 0.05, %": spread([r.share for r in power], 1, 100),
                "paired t-test p < 0.05, %": f"{100 * lab.t_tests(found.data.columns[user(m[5:-1])]):.1f}",
                "estimated required difference": span([r.required_difference for r in power], 3),
            }
        )
    return rows
