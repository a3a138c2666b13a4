"""Does the test of contamination keep its level, and its interval its cover? docs/evidence/contamination.md.

    python studies/contamination.py 30 300  simulates the sizes named into contamination.csv (minutes on one core)
    python studies/contamination.py --family 60 200  simulates references of one family into contamination-family.csv
    python studies/contamination.py  writes docs/evidence/contamination.md from both

Systems answer originals and paraphrases of questions whose difficulty they share. Paraphrases are as much harder for
all on the scale of log odds; nobody has seen the originals, but for the last law.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click
import numpy as np
from cells import read_cells, write_cells
from msgspec import Struct
from numpy.typing import NDArray
from pages import fill

from nescio.estimating.means import mean
from nescio.stats.paraphrases import FEW, alike, excess, exchange, of_strength

DOCS = Path(__file__).parents[1] / "docs" / "evidence"
# Accuracy of suspect and reference on the originals, how much harder a paraphrase is, and what the suspect has learnt.
LAWS = (
    (0.5, 0.5, 0.0, 0.0),
    (0.5, 0.5, 0.8, 0.0),
    (0.75, 0.5, 0.8, 0.0),
    (0.5, 0.75, 0.8, 0.0),
    (0.5, 0.4, 0.8, 0.0),
    (0.6, 0.75, 0.8, 0.0),
    (0.75, 0.92, 0.8, 0.0),
    (0.5, 0.2, 0.8, 0.0),
    (0.5, 0.75, -0.8, 0.0),
    (0.75, 0.75, 0.8, 0.8),
)
# How many references, how much of what is not difficulty they share, and how much harder a paraphrase is.
FAMILIES = ((4, 0.0, 0.0), (4, 0.6, 0.0), (4, 0.9, 0.0), (8, 0.9, 0.0), (4, 0.9, 0.8), (8, 0.9, 0.8))
SPREAD, OWN, SILENT = 1.2, 0.5, 0.3
DRAWS = 199  # random exchanges, as the exact sums take too long thousands of times
Floats = NDArray[np.float64]
Law = tuple[float, float, float, float]


class Cell(Struct, frozen=True):
    """How often the interval holds the true difference, and the tests reject at 5%: all of the difference, what is
    beyond unlike strength (given), and the suspect alone."""

    suspect: float
    reference: float
    harder: float
    learnt: float
    n: int
    measure: str
    true: float
    explained: float
    covered: float
    plain: float
    given: float
    offered: float
    alone: float
    replications: int


def accuracy(means: Floats) -> Floats:
    """Return the share of right answers."""
    return means[..., 0]


def c_at_1(means: Floats) -> Floats:
    """Return c@1, from the shares of right and of silent answers."""
    return means[..., 0] * (1 + means[..., 1])


def ease_of(accuracy: float) -> float:
    """Return the log odds that give this accuracy over all questions."""
    ease = np.random.default_rng(1).normal(0, (SPREAD**2 + OWN**2) ** 0.5, 50_000)
    low, high = -9.0, 9.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if (1 / (1 + np.exp(-middle - ease))).mean() < accuracy else (low, middle)
    return low


EASE = {share: ease_of(share) for law in LAWS for share in law[:2]}


def draw(rng: np.random.Generator, law: Law, n: int) -> Floats:
    """Draw right and silent answers, shape (questions, systems, wordings, 2)."""
    odds = np.array([[EASE[law[0]] + law[3], EASE[law[0]] - law[2]], [EASE[law[1]], EASE[law[1]] - law[2]]])
    chance = 1 / (1 + np.exp(-odds - rng.normal(0, SPREAD, (n, 1, 1)) - rng.normal(0, OWN, (n, 2, 2))))
    silent = rng.random(chance.shape) < SILENT * (1 - chance)
    right = ~silent & (rng.random(chance.shape) < chance)
    return np.stack([right, silent], axis=-1).astype(np.float64)


def study(law: Law, n: int, replications: int) -> Iterator[Cell]:
    """Both measures in one setting."""
    rng = np.random.default_rng([8, n, LAWS.index(law)])
    large = draw(rng, law, 400_000).mean(axis=0)
    found: dict[str, list[tuple[float, ...]]] = {"accuracy": [], "c@1": []}
    for _ in range(replications):
        answers = draw(rng, law, n)
        at = answers.mean(axis=0)
        for name, value in (("accuracy", accuracy), ("c@1", c_at_1)):
            slopes = np.stack([1 + at[..., 1], at[..., 0]], axis=-1) if name == "c@1" else np.array([1.0, 0.0])
            moved = ((answers - at) * slopes).sum(axis=-1)
            lost = moved[..., 0] - moved[..., 1]
            got = mean(float(excess(value, at)) + lost[:, 0] - lost[:, 1], 0.95)
            explained = of_strength(value(at), (0.0, 1.0), n)
            p = exchange(value, answers, n, rng, draws=DRAWS).p
            offered = alike(value(at), (0.0, 1.0), explained, n)
            beyond = exchange(value, answers, n, rng, explained, draws=DRAWS).p if explained > 0 else p
            own = float(value(at[0])[0] - value(at[0])[1])
            alone = mean(own + lost[:, 0], 0.9)
            found[name].append(
                (
                    explained,
                    float(got.low <= float(excess(value, large)) <= got.high),
                    float(p <= 0.05),
                    float(offered and beyond <= 0.05),
                    float(offered),
                    float(alone.low > 0),
                )
            )
    for name, value in (("accuracy", accuracy), ("c@1", c_at_1)):
        figures = np.array(found[name]).mean(axis=0).tolist()
        explained, covered, plain, given, offered, alone = figures
        true = float(excess(value, large))
        yield Cell(*law, n, name, true, explained, covered, plain, given, offered, alone, replications)


class Family(Struct, frozen=True):
    """How often a test at 5% speaks of contamination where there is none, and the references share `alike` of what
    is not difficulty: by the whole difference, and by what is beyond unlike strength (given)."""

    references: int
    alike: float
    harder: float
    n: int
    measure: str
    plain: float
    given: float
    replications: int


def draw_family(rng: np.random.Generator, family: tuple[int, float, float], n: int) -> Floats:
    """Draw right and silent answers of a suspect and of references, all half right on the originals.

    A system is right if a sum is above 0: of the difficulty, of what the references have in common (the suspect has
    as much of its own), and of its own part. It is silent where the sum is a little below 0.
    """
    references, shared, harder = family
    common = np.concatenate([rng.normal(size=(n, 1, 2)), np.repeat(rng.normal(size=(n, 1, 2)), references, 1)], axis=1)
    own = rng.normal(size=(n, 1 + references, 2))
    total = rng.normal(0, 0.8, (n, 1, 1)) - np.array([0, harder]) + shared**0.5 * common + (1 - shared) ** 0.5 * own
    return np.stack([total > 0, (total <= 0) & (total > -0.4)], axis=-1).astype(np.float64)


def study_family(family: tuple[int, float, float], n: int, replications: int) -> Iterator[Family]:
    """Both measures with the references of one family."""
    rng = np.random.default_rng([9, n, FAMILIES.index(family)])
    rejected: dict[str, list[tuple[bool, bool]]] = {"accuracy": [], "c@1": []}
    for _ in range(replications):
        answers = draw_family(rng, family, n)
        for name, value in (("accuracy", accuracy), ("c@1", c_at_1)):
            scores = value(answers.mean(axis=0))
            explained = of_strength(scores, (0.0, 1.0), n)
            p = exchange(value, answers, n, rng, draws=DRAWS).p
            beyond = exchange(value, answers, n, rng, explained, draws=DRAWS).p if explained > 0 else p
            rejected[name].append((p <= 0.05, beyond <= 0.05 and alike(scores, (0.0, 1.0), explained, n)))
    for name, rows in rejected.items():
        plain, given = np.array(rows).mean(axis=0).tolist()
        yield Family(*family, n, name, plain, given, replications)


def key(one: Cell) -> tuple[int, int, str]:
    """Say which setting a cell is of."""
    return LAWS.index((one.suspect, one.reference, one.harder, one.learnt)), one.n, one.measure


def table(cells: Sequence[Cell], families: Sequence[Family]) -> list[str]:
    """Return a row a law without contamination: the worst shares over measures and numbers of questions."""
    lines = [
        "| share right: suspect, reference | paraphrase harder by | interval holds | accused by its own loss |"
        " by the whole difference | **by nescio's p** |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for law in LAWS:
        of = [one for one in cells if (one.suspect, one.reference, one.harder, one.learnt) == law and not one.learnt]
        if of:
            alone = f"{min(one.covered for one in of):.3f} | {max(one.alone for one in of):.3f}"
            tests = f"{max(one.plain for one in of):.3f} | **{max(one.given for one in of):.3f}**"
            lines.append(f"| {law[0]:g}, {law[1]:g} | {law[2]:g} | {alone} | {tests} |")
    for references, shared in dict.fromkeys((one.references, one.alike) for one in families):
        family = [one for one in families if (one.references, one.alike) == (references, shared)]
        tests = f"{max(one.plain for one in family):.3f} | **{max(one.given for one in family):.3f}**"
        harder = " or ".join(dict.fromkeys(f"{one.harder:g}" for one in family))
        lines.append(f"| 0.5, {references} references that are {shared:.0%} alike | {harder} | – | – | {tests} |")
    return lines


def across(shares: Iterable[float]) -> str:
    """Say from where to where they go."""
    least, *_, most = sorted(shares)
    return f"{least:.0%} to {most:.0%}"


@click.command()
@click.argument("sizes", nargs=-1, type=int)
@click.option("--replications", default=2_000, show_default=True)
@click.option("--laws", default="", help="The numbers of the laws, from 0; all without it.")
@click.option("--family", is_flag=True, help="Simulate references of one family.")
def main(sizes: tuple[int, ...], replications: int, laws: str, *, family: bool) -> None:
    """Simulate the sizes named, or write the page."""
    if family:
        made = [cell for law in FAMILIES for n in sizes for cell in study_family(law, n, replications)]
        write_cells(made, DOCS / "contamination-family.csv")
        return
    path = DOCS / "contamination.csv"
    known = {} if not path.exists() else {key(one): one for one in read_cells(Cell, path)}
    for n in sizes:
        for at in map(int, laws.split(",")) if laws else range(len(LAWS)):
            known |= {key(cell): cell for cell in study(LAWS[at], n, replications)}
    if sizes:
        order = sorted(known.values(), key=key)
        write_cells(order, path)
        return
    cells = read_cells(Cell, path)
    families = read_cells(Family, DOCS / "contamination-family.csv")
    innocent = [one for one in cells if not one.learnt]
    facts = {
        "replications": f"{cells[0].replications:,}",
        "table": table(cells, families),
        "found": across(one.given for one in cells if one.learnt and one.n >= FEW),
        "few": across(one.given for one in cells if one.learnt and one.n < FEW),
        "alone": f"{max(one.alone for one in innocent):.0%}",
        "given": f"{max([one.given for one in innocent] + [one.given for one in families]):.1%}",
    }
    (DOCS / "contamination.md").write_text(fill("contamination", facts), encoding="utf-8")


if __name__ == "__main__":
    main()
