"""Which measure can be believed, on real runs? The worked study in docs/evidence/meta-evaluation*.md.

    python studies/meta_evaluation.py [DATA]      writes the pages and their CSV files (a minute of processor time)

DATA is a folder of real collections made by others, none of which is part of this project: by default `../shared/data`
beside the checkout. The prose is written by hand in `meta_evaluation*.md.in`, its figures are those of this run, and
the run fails where they contradict the prose (`EXPECTED`, `said_of_graded_scores`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import click
import meta_experiments as lab
import meta_tables as tables
import numpy as np
from meta_experiments import FINDINGS, MEASURES, SEEDS, Graded, Study
from meta_tables import Rows, number, spread
from pages import fill

from nescio.data.evidence import Evidence

ROOT = Path(__file__).parents[1]

# What the prose says of each finding, in the order of FINDINGS.
EXPECTED = {
    "mmlu_pro": ("open", "agrees", "agrees", "agrees", "open", "disagrees", "open"),
    "pan20": ("agrees", "open", "disagrees", "agrees", "open", "agrees, but for some run", "open"),
    "czech_simpleqa": ("open", "open", "open", "disagrees", "agrees", "open", "disagrees, but for some run"),
}


def facts(studies: dict[str, Study], findings: Rows) -> dict[str, str | list[str]]:
    """Return the figures that the prose of the first page names."""
    found: dict[str, str | list[str]] = {"seeds": str(len(SEEDS)), "table": side_by_side(findings)}
    for name, study in studies.items():
        gain = [FINDINGS["sensitivity c@1"].value(t) * 100 for t in study.seeds]
        found[f"{name} gain"] = f"{np.mean(gain):+.1f}".replace("-", "−")
        found[f"{name} one experiment"] = f"{np.std(gain, ddof=1):.1f}"
        counts = lab.counts(study.data) / len(study.data.questions)
        found[f"{name} correlation"] = number(float(np.corrcoef(counts[:, 0], counts[:, 2])[0, 1]))
        silent = study.data.runs[int(np.argmax(counts[:, 2]))]
        without = FINDINGS["sensitivity c@1"].value(study.left_out[silent]) * 100
        found[f"{name} without"] = f"{without:+.1f}".replace("-", "−")
        runs, questions = study.data.columns["correct"].shape
        found[f"{name} size"] = f"{runs} runs, {questions:,} questions"
    return found


def side_by_side(findings: Rows) -> list[str]:
    """Return a table with a row a finding and a column a collection."""
    rows: dict[str, dict[str, str]] = {}
    for one in findings:
        shown = f"{one['difference']} ± {one['one experiment']}, {one['verdict']}"
        rows.setdefault(one["finding"], {"finding": one["finding"], "paper": one["paper"]})[one["collection"]] = shown
    heads = {"mmlu_pro": "MMLU-Pro", "pan20": "PAN 2020", "czech_simpleqa": "Czech SimpleQA"}
    return tables.table([*rows.values()], {"finding": "difference of", "paper": "in the paper", **heads})


def graded_facts(found: Sequence[Graded], rows: Rows) -> dict[str, str | list[str]]:
    """Return the figures that the prose of the second page names."""
    required = {f"{row['measure']} {row['runs'].partition(' ')[2]}": row["required"] for row in rows}
    shown = ("measure", "runs", "error rate, %", "ties, %", "required", "ASL < 0.05, %")
    heads = dict(zip(shown, (*shown[:4], "required difference", "significant pairs, %"), strict=True))
    errors = {g.collection: spread([r.error_rate for r in g.curve(g.measures[0])], 1, 100) for g in found[::2]}
    return {
        "table": tables.table(rows, heads),
        "error": errors["TREC-8"],
        "required 8": required["TREC-8 AP (all)"],
        "required 6": required["TREC-6 AP (all)"],
        "seeds": str(len(SEEDS)),
    }


def said_of_runs_that_decline(studies: dict[str, Study]) -> dict[str, bool]:
    """Return what the prose says beside the findings, and whether it is so."""
    claims: dict[str, bool] = {}
    if (study := studies.get("mmlu_pro")) is not None:
        counts = lab.counts(study.data) / len(study.data.questions)
        narrower = (counts[:, 0] * (1 + counts[:, 2])).std() < counts[:, 0].std()
        claims["mmlu_pro: c@1 brings the runs together"] = bool(narrower)
    if (study := studies.get("pan20")) is not None:
        silence = lab.counts(study.data)[:, 2]
        most = study.left_out[study.data.runs[int(np.argmax(silence))]]
        claims["pan20: two runs decline"] = int((silence > 0).sum()) == 2
        claims["pan20: the gain in sensitivity is that of one run"] = FINDINGS["sensitivity c@1"].value(most) < 0.005
    return claims


def said_of_graded_scores(found: Sequence[Graded]) -> dict[str, bool]:
    claims = {}
    for g in (g for g in found if len(g.measures) > 1):
        for what, series in {
            "errors at equal fuzziness": [[r.error_rate for r in g.curve(m)] for m in g.measures],
            "ties": [[r.ties for r in g.curve(m)] for m in g.measures],
            "pairs not significantly different": [[1 - r.share for r in g.power(m)] for m in g.measures],
            "differences the test needs": [[r.required_difference for r in g.power(m)] for m in g.measures],
        }.items():
            ordered = all(max(low) < min(high) for low, high in pairwise(series))
            claims[f"{g.collection}, {g.label}: {what} rise from AP to P@10 to RR, whatever the seed"] = ordered
        needs = [[r.required_difference for r in g.needs(m)] for m in g.measures]
        claims[f"{g.collection}, {g.label}: AP needs less than P@10"] = max(needs[0]) < min(needs[1]) < 0.2
        claims[f"{g.collection}, {g.label}: RR needs 0.20 or more"] = all(np.isnan(v) or v >= 0.2 for v in needs[2])
    return claims


def pages(studies: dict[str, Study], matrices: Sequence[Graded]) -> tuple[dict[str, str], dict[str, Rows]]:
    """Return the pages and the tables beside them, by their names. Raises where the prose and the figures of this run
    contradict each other."""
    verdicts = {name: {key: lab.judge(f, study) for key, f in FINDINGS.items()} for name, study in studies.items()}
    wrong = [
        f"{name}: {FINDINGS[key].label}: the prose says {expected!r}, this run {verdicts[name][key].word!r}"
        for name in studies
        for key, expected in zip(FINDINGS, EXPECTED[name], strict=True)
        if verdicts[name][key].word != expected
    ]
    claims = said_of_runs_that_decline(studies) | said_of_graded_scores(matrices)
    wrong += [f"not so: {claim}" for claim, holds in claims.items() if not holds]
    if wrong:
        raise click.ClickException("the prose of the page is no longer right:\n" + "\n".join(wrong))
    ranked: list[tuple[str, Evidence, Sequence[str]]] = [
        (name, study.data, MEASURES) for name, study in studies.items()
    ]
    ranked += [(g.collection, g.data, g.measures) for g in matrices if g.label == "all" and len(g.measures) > 1]
    beside = {
        "findings": tables.findings(verdicts),
        "curves": [row for one in studies.items() for row in tables.curves(*one)],
        "measures": [row for one in studies.items() for row in tables.by_measure(*one)],
        "sensitivity": [row for one in studies.items() for row in tables.sensitivity(*one)],
        "pairs": [row for one in studies.items() for row in tables.disagreements(*one)],
        "rankings": [row for one in ranked for row in tables.rankings(*one)],
        "graded": [row for one in matrices for row in tables.graded(one)],
    }
    first = fill("meta_evaluation", facts(studies, beside["findings"]))
    second = fill("meta_evaluation_graded", graded_facts(matrices, beside["graded"]))
    return {"meta-evaluation": first, "meta-evaluation-graded": second}, beside


@click.command()
@click.argument("data", type=click.Path(path_type=Path, file_okay=False), default=ROOT.parent / "shared" / "data")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=ROOT / "docs" / "evidence",
    help="The folder for meta-evaluation*.md and its CSV files.",
)
def main(data: Path, output: Path) -> None:
    """Run the experiments on the collections in DATA, and write the pages."""
    lacking = [name for name in (*lab.COLLECTIONS, "trec_matrices") if not (data / name).is_dir()]
    if lacking:
        raise click.ClickException(f"{', '.join(lacking)}: not in {data}")
    studies = {}
    for name, read in lab.COLLECTIONS.items():
        click.echo(name, err=True)
        studies[name] = lab.study(read(data))
    click.echo("trec_matrices", err=True)
    made, beside = pages(studies, list(lab.graded(data)))
    for name, text in made.items():
        (output / f"{name}.md").write_text(text, encoding="utf-8")
    for name, rows in beside.items():
        tables.write(rows, output / f"meta-evaluation-{name}.csv")


if __name__ == "__main__":
    main()
