"""The tables of docs/meta-evaluation*.md, from what `meta_experiments.py` computed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import meta_experiments as lab
import numpy as np
from meta_experiments import FINDINGS, LEVELS, MEASURES, SEEDS, Graded, Study, Verdict

from nescio.comparison.comparing import compare
from nescio.data.columns import user
from nescio.data.evidence import Evidence
from nescio.meta_evaluation import FUZZINESS, CountedDisagreement
from nescio.verbs.meta import agreement

PAPER = {"UF": (0.17, 0.48, 0.3512, 0.593), "c@1": (0.09, 0.77, 0.1169, 0.584), "accuracy": (0.09, 0.68, 0.1324, 0.55)}
NAMES = {"mean(adhoc6_ap)": "AP", "mean(adhoc8_ap)": "AP", "mean(adhoc8_p10)": "P@10", "mean(adhoc8_rr)": "RR"}


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table; the first column is text, the others are numbers."""
    lines = [f"| {' | '.join(head)} |", "| --- |" + " ---: |" * (len(head) - 1)]
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)])


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


def span(values: Sequence[float]) -> str:
    """Return the least and the greatest; a value that no bin gave is a dash."""
    known = [v for v in values if not np.isnan(v)]
    if not known:
        return "–"
    low, high = min(known), max(known)
    return (f"{low:.2f}" if low == high else f"{low:.2f}–{high:.2f}") + (" or –" if len(known) < len(values) else "")


# --- Runs that decline ---


def collections(studies: dict[str, Study]) -> str:
    rows = []
    for name, study in studies.items():
        runs, questions = len(study.data.runs), len(study.data.questions)
        silent = lab.counts(study.data)[:, 2]
        rows.append(
            (
                name,
                runs,
                runs * (runs - 1) // 2,
                f"{questions:,}",
                int((silent > 0).sum()),
                f"{percent(silent.min() / questions)} to {percent(silent.max() / questions)}",
            )
        )
    return table(("collection", "runs", "pairs", "questions", "runs that leave some unanswered", "unanswered"), rows)


def curves(study: Study) -> str:
    rows = []
    for f in FUZZINESS:
        row = [f"{f:.2f}"]
        for measure in MEASURES:
            found = [r for t in study.seeds for r in t.curve if r.measure == measure and r.fuzziness == f]
            row += [
                spread([r.error_rate for r in found], 2, 100),
                spread([r.ties for r in found], 1, 100),
            ]
        rows.append(row)
    return table(("fuzziness", *(f"{m}: {what}" for m in MEASURES for what in ("error", "ties"))), rows)


def equal_ties(study: Study) -> str:
    rows = []
    for measure in (*MEASURES, "UF01"):
        rows.append((measure, *(spread([t.error(measure, level) for t in study.seeds], 2, 100) for level in LEVELS)))
    return table(("error rate, %, at ties of", *(percent(level, 0) for level in LEVELS)), rows)


def table_2(study: Study) -> str:
    rows = []
    for measure in MEASURES:
        found = [t.needs(measure) for t in study.seeds]
        fresh = [r for swaps in study.fresh for r in swaps.tables["sensitivity"] if r.measure == measure]
        for label, some in (("100 trials", found[0]), ("1,000 trials", study.long.needs(measure))):
            rows.append(
                (
                    f"{measure}, {label}",
                    number(some.required_difference),
                    number(some.highest),
                    percent(some.relative, 2),
                    percent(some.sensitivity, 2),
                    percent(some.share_of_range, 1),
                    number(some.required_from_here_on),
                )
            )
        for label, many in ((f"{len(SEEDS)} seeds", found), (f"{len(fresh)} seeds, drawn per pair", fresh)):
            rows.append(
                (
                    f"{measure}, {label}",
                    span([r.required_difference for r in many]),
                    spread([r.highest for r in many], 2),
                    "",
                    spread([r.sensitivity for r in many], 1, 100, "%"),
                    "",
                    span([r.required_from_here_on for r in many]),
                )
            )
    head = (
        "",
        "(i) required",
        "(ii) highest",
        "(iii) relative",
        "(iv) sensitivity",
        "(i) as share of the range",
        "from here on",
    )
    return table(head, rows)


def paper_table_2() -> str:
    rows = [
        (m, f"{i:.2f}", f"{ii:.2f}", percent(iii, 2), percent(iv, 2), percent(i / (2 if m == "UF" else 1)))
        for m, (i, ii, iii, iv) in PAPER.items()
    ]
    head = (
        "paper, Table 2",
        "(i) required",
        "(ii) highest",
        "(iii) relative",
        "(iv) sensitivity",
        "(i) as share of the range",
    )
    return table(head, rows)


def disagreeing(study: Study) -> list[tuple[CountedDisagreement, CountedDisagreement, str]]:
    """Return the pairs of runs on which accuracy and c@1 disagree, most first, and which of the two holds a pair alike,
    if any."""
    found = agreement(study.data, ["accuracy", "c@1"], top=1_000).tables["disagreements"]
    pairs = []
    for one, other in zip(found[::2], found[1::2], strict=True):
        by = "accuracy" if abs(one.value - other.value) < abs(one.other_value - other.other_value) else "c@1"
        pairs.append((one, other, one.how if one.how == "opposite" else f"alike by {by}"))
    return pairs


def disagreements(study: Study) -> str:
    """Those pairs as the paper's Table 3 shows them, with exact paired p-values."""
    rows = []
    for one, other, how in disagreeing(study):
        pair = study.data.take_runs([study.data.runs.index(row.run) for row in (one, other)])
        tested = {row.measure: row.p for row in compare(pair, ["accuracy", "c@1"], test="exact", resamples=100)}
        for row in (one, other):
            shown = [f"{count:,}" for count in (row.correct, row.incorrect, row.unanswered)]
            tail = [how, *(_p(tested[m]) for m in ("accuracy", "c@1"))] if row is one else ["", "", ""]
            rows.append((row.run, *shown, f"{row.value:.3f}", f"{row.other_value:.3f}", *tail))
    head = ("run", "correct", "incorrect", "unanswered", "accuracy", "c@1", "runs are", "p, accuracy", "p, c@1")
    return table(head, rows)


def rankings(found: dict[str, tuple[Evidence, Sequence[str]]]) -> str:
    """How alike the measures rank the runs of each collection."""
    rows = [
        (
            name,
            f"{NAMES.get(row.measure, row.measure)}, {NAMES.get(row.other, row.other)}",
            f"{row.tau_b:.3f}",
            f"{row.tau_ap:.3f}",
            f"{row.rbo:.3f}",
            f"{row.discordant:,} of {row.runs * (row.runs - 1) // 2:,}",
        )
        for name, (data, measures) in found.items()
        for row in agreement(data, measures).rows
    ]
    return table(("collection", "measures", "τ-b", "τ_AP", "RBO (p = .9)", "pairs in opposite order"), rows)


def _p(value: float | None) -> str:
    if value is None or np.isnan(value):
        return "–"
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}" if value < 0.01 else f"{value:.2f}"


def findings(studies: dict[str, Study], verdicts: dict[str, dict[str, Verdict]]) -> str:
    rows = []
    for key, finding in FINDINGS.items():
        row = [finding.label, finding.paper]
        for name in studies:
            v = verdicts[name][key]
            digits = 1 if finding.scale == 100 else 4 if "error" in finding.label else 3
            mean = f"{v.mean:+.{digits}f}".replace("-", "−")
            row.append(f"{mean} ± {v.spread:.{digits}f}; {v.seeds}/{len(SEEDS)}, {v.left_out}/{v.runs}; {v.word}")
        rows.append(row)
    return table(("finding", "paper", *studies), rows)


def whole(study: Study) -> str:
    """Discriminative power on all questions."""
    rows = []
    for measure in MEASURES:
        found = [r for powers in study.powers for r in powers.rows if r.measure == measure]
        low, high = min(r.significant for r in found), max(r.significant for r in found)
        told = f"{low}" if low == high else f"{low}–{high}"
        rows.append((measure, f"{told} of {found[0].pairs}", span3([r.required_difference for r in found])))
    return table(("measure", "pairs with ASL < 0.05", "estimated required difference"), rows)


def span3(values: Sequence[float]) -> str:
    low, high = f"{min(values):.3f}", f"{max(values):.3f}"
    return low if low == high else f"{low}–{high}"


# --- Graded scores ---


def graded_stability(found: Sequence[Graded]) -> str:
    rows = [
        (
            f"{g.collection} {NAMES[m]}",
            f"{len(g.data.runs)} ({g.label})",
            spread([r.error_rate for r in g.curve(m)], 2, 100),
            spread([r.ties for r in g.curve(m)], 1, 100),
        )
        for g in found
        for m in g.measures
    ]
    return table(("measure", "runs", "error rate, %", "ties, %"), rows)


def graded_swap(found: Sequence[Graded]) -> str:
    rows = []
    for g in found:
        for m in g.measures:
            needs, rates = g.needs(m), g.rates(m)
            rows.append(
                (
                    f"{g.collection} {NAMES[m]}",
                    f"{len(g.data.runs)} ({g.label})",
                    span([r.required_difference for r in needs]).replace("0.20", "≥ 0.20, open"),
                    spread([r.highest for r in needs], 2),
                    "–"
                    if all(np.isnan(r.sensitivity) for r in needs)
                    else spread([r.sensitivity for r in needs], 1, 100),
                    percent(rates[5]),
                    percent(rates[20]),
                )
            )
    head = (
        "measure",
        "runs",
        "required",
        "highest",
        "sensitivity, %",
        "swap rate, .05 to .06",
        "swap rate, .20 and more",
    )
    return table(head, rows)


def graded_power(found: Sequence[Graded]) -> str:
    rows = []
    for g in found:
        for m in g.measures:
            many = g.power(m)
            rows.append(
                (
                    f"{g.collection} {NAMES[m]}",
                    f"{len(g.data.runs)} ({g.label})",
                    f"{many[0].pairs:,}",
                    spread([r.share for r in many], 1, 100),
                    percent(lab.t_tests(g.data.columns[user(m[5:-1])])).removesuffix("%"),
                    span3([r.required_difference for r in many]),
                )
            )
    head = ("measure", "runs", "pairs", "ASL < 0.05, %", "paired t-test p < 0.05, %", "estimated required difference")
    return table(head, rows)
