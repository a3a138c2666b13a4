"""Do draws of labels, looks at them and an older run hold what they claim? The study behind docs/evidence/draws.md.

    python studies/draws.py draws looks pool     some half an hour; writes docs/evidence/draws.csv
    python studies/draws.py                      writes docs/evidence/draws.md

A judge has a verdict on each of 1,000 answers, and errs. People's verdicts on some of them are all that the estimates
get (`nescio labels draw`, `nescio labels look`), or an older run's outcomes on all
of them (`score --pool`). Each replication has new answers; the truth is what people would say of all of them, or the
law they come from.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import numpy as np
from cells import read_cells, write_cells
from numpy.typing import NDArray
from pages import fill

from nescio.data.evidence import Evidence
from nescio.data.judge_record import Target
from nescio.data.outcomes import CORRECT, INCORRECT, SILENT, Outcomes
from nescio.data.policies import Policies, apply_policies
from nescio.measures import parse
from nescio.scoring.corrected import corrected_score
from nescio.scoring.drawing import KINDS, Before, Pool, _kinds, _kinds_of
from nescio.scoring.labels import Labels
from nescio.scoring.pooled import _helped
from nescio.stats.betting import FEWEST, bets, gains, interval
from nescio.stats.drawing import systematic
from nescio.stats.prediction_powered import Mean, Sample, simple

DOCS = Path(__file__).parents[1] / "docs" / "evidence"
N, LEVEL = 1_000, 0.95
LOOKS = tuple(range(20, 201, 20))
REPLICATIONS = {"draws": 2_000, "looks": 4_000, "pool": 4_000}
Floats = NDArray[np.float64]


class Law(Struct, frozen=True):
    """How often people call an answer right, and how often a judge does where it is right, and where it is not."""

    right: float
    on_right: float
    on_wrong: float

    def __str__(self) -> str:
        return f"{self.right:g}; {self.on_right:g}, {1 - self.on_wrong:g}"


LAWS = (Law(0.7, 0.9, 0.15), Law(0.9, 0.95, 0.3), Law(0.5, 0.75, 0.25), Law(0.3, 0.9, 0.02))
WIDTHS = 50  # replications for the mean width of betting
SHARED = (0.8, 0.3)  # how often the new run ends as the older one did
OLDER, NEWER = (0.6, 0.25, 0.15), (0.7, 0.2, 0.1)  # correct, incorrect, unanswered
SIZES, ASKED = (60, 100, 200), (20, 50, 100)


class Cell(Struct, frozen=True):
    """A row: how often intervals hold the truth (of looks, all of them), how wide they are, and the root mean square
    error of their estimates."""

    part: str
    setting: str
    how: str
    about: str
    size: int
    held: float
    width: float
    error: float
    replications: int


def laid(said: NDArray[np.int8], judge: NDArray[np.int8]) -> Labels:
    """Lay a judge's states beside people's verdicts on all of them; arrays have shape (runs, questions)."""
    runs, questions = (tuple(map(str, range(size))) for size in judge.shape)
    evidence, _ = apply_policies(Outcomes(runs, questions, judge), Policies())
    assert isinstance(evidence, Evidence)
    return Labels(evidence, said, judge == SILENT, None, "")


def draw(rng: np.random.Generator, law: Law, people: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Draw a judge's states of answers that people call right or not."""
    right = rng.random(people.shape) < np.where(people, law.on_right, law.on_wrong)
    return np.where(right, CORRECT, INCORRECT).astype(np.int8)


def only(labels: Labels, some: NDArray[np.int64]) -> Labels:
    """Return people's verdicts on some questions alone."""
    said = np.full_like(labels.said, -1)
    said[:, some] = labels.said[:, some]
    return replace(labels, said=said)


def adaptive(labels: Labels, size: int, rng: np.random.Generator) -> Labels:
    """Draw half of the labels, and the other half by what these say, as `nescio labels draw --how adaptive` does."""
    open_ = labels.data.present & ~labels.known
    kinds = _kinds(labels, [0], open_)
    seen = np.zeros(open_.shape[1], dtype=bool)
    before = Before(seen, np.zeros(len(seen)))
    for part in (size - size // 2, size // 2):
        own = only(labels, np.flatnonzero(seen))
        made = _kinds_of(Pool(own, (0,), open_, kinds), before, part, KINDS)
        odds = np.array([kind.inclusion for kind in made])[kinds]
        left = ~seen
        now = np.zeros(len(seen), dtype=bool)
        now[left] = systematic((odds[left] - before.odds[left]) / (1 - before.odds[left]), kinds[left], rng)
        seen = seen | now
        before = Before(seen, odds)
    return replace(only(labels, np.flatnonzero(seen)), inclusion=np.where(seen, before.odds, np.nan)[None])


def of_draws(count: int) -> Iterator[Cell]:
    """Score one run by labels that were drawn at once, and adaptively in two draws."""
    measure = parse("accuracy")
    for law, size in ((law, size) for law in LAWS for size in SIZES):
        rng = np.random.default_rng([11, LAWS.index(law), size])
        found: dict[str, list[tuple[float, float, float]]] = {"simple": [], "adaptive": []}
        for _ in range(count):
            people = rng.random((1, N)) < law.right
            labels = laid(people.astype(np.int8), draw(rng, law, people))
            drawn = {"simple": only(labels, rng.permutation(N)[:size]), "adaptive": adaptive(labels, size, rng)}
            for how, own in drawn.items():
                one = corrected_score(own, measure, 0, target="collection", level=LEVEL)
                found[how].append(_seen(one.value, one.low, one.high, float(people.mean())))
        for how, rows in found.items():
            yield _cell(("draws", str(law), how, "collection", size), rows)


WAYS = ("each alone", "once", "betting")


def of_looks(count: int) -> Iterator[Cell]:
    """Look at one run's labels after every 20 of 200: is the truth ever outside?"""
    for number, law in enumerate(LAWS):
        rng = np.random.default_rng([12, number])
        found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in WAYS}
        for at in range(count):
            people = rng.random(N) < law.right
            judge = (draw(rng, law, people) == CORRECT).astype(float)
            truth, came = float(people.mean()), rng.permutation(N)[: LOOKS[-1]]
            labels = people[came].astype(float)
            own = [Sample(labels[:m], judge[came[:m]], judge) for m in LOOKS]
            alone = [_of_mean(simple(one), LEVEL, truth) for one in own]
            found["each alone"].append(_all(alone))
            found["once"].append(alone[-1])
            made = bets(labels, judge[came], judge, alpha=1 - LEVEL)
            ends = interval(made, N) if at < WIDTHS else (np.nan, np.nan)
            won = [np.cumsum(gains(truth, made, len(came), N, up))[FEWEST - 1 :].max() for up in (True, False)]
            held = max(won) < made.goal  # neither bet against the truth ever reached its goal
            found["betting"].append((float(held), ends[1] - ends[0], np.nan))
        for how, rows in found.items():
            yield _cell(("looks", str(law), how, "collection", LOOKS[-1]), rows)


def _of_mean(mean: Mean, level: float, truth: float) -> tuple[float, float, float]:
    return _seen(mean.value, *mean.interval(level), truth)


def of_pool(count: int) -> Iterator[Cell]:
    """Score a run that was asked some of an older run's questions."""
    targets: tuple[Target, ...] = ("collection", "population")
    for shared, n in ((shared, n) for shared in SHARED for n in ASKED):
        rng = np.random.default_rng([14, int(10 * shared), n])
        found: dict[tuple[str, str, str], list[tuple[float, float, float]]] = {}
        law = shared * np.array(OLDER) + (1 - shared) * np.array(NEWER)
        for _ in range(count):
            older = rng.choice(3, N, p=OLDER)
            newer = np.where(rng.random(N) < shared, older, rng.choice(3, N, p=NEWER))
            x, y, asked = np.eye(3)[older], np.eye(3)[newer], rng.permutation(N)[:n]
            for name in ("accuracy", "c@1", "UF"):
                for target in targets:
                    truth = _of(name, y.mean(axis=0) if target == "collection" else law)
                    one, _ = _helped("newer", parse(name), (y[asked], x[asked], x), LEVEL, target)
                    with_it = _seen(one.value, one.low, one.high, truth)
                    without = _seen(one.plain, one.plain_low, one.plain_high, truth)
                    found.setdefault((name, target, "with"), []).append(with_it)
                    found.setdefault((name, target, "without"), []).append(without)
        for (name, about, how), rows in found.items():
            yield _cell(("pool", f"{shared:g}, {name}", how, about, n), rows)


def _of(name: str, shares: Floats) -> float:
    """Return a measure of the shares of the three outcomes, by its formula."""
    right, wrong, silent = shares.tolist()
    return {"accuracy": right, "c@1": right * (1 + silent), "UF": right - wrong}[name]


def _seen(value: float, low: float, high: float, truth: float) -> tuple[float, float, float]:
    """Say whether an interval holds the truth, how wide it is, and by how much the estimate is off."""
    return float(low <= truth <= high), high - low, value - truth


def _all(looks: Sequence[tuple[float, float, float]]) -> tuple[float, float, float]:
    """Return the last look, holding where all do."""
    return min(held for held, _, _ in looks), *looks[-1][1:]


def _cell(key: tuple[str, str, str, str, int], rows: Sequence[tuple[float, float, float]]) -> Cell:
    held, width, off = np.array(rows).T
    error = float(np.mean(off**2) ** 0.5)
    return Cell(*key, float(held.mean()), float(np.nanmean(width)), error, len(rows))


PARTS: dict[str, Callable[[int], Iterator[Cell]]] = {
    "draws": of_draws,
    "looks": of_looks,
    "pool": of_pool,
}


def table(cells: Sequence[Cell]) -> list[str]:
    """Return a row a law of draws and looks: what holds least often over the sizes, and what is ever wrong."""
    lines = [
        "| people right; judge right on right, wrong | simple draw | adaptive draw | error, adaptive over simple | "
        "each look alone | one look, at 200 | betting |",
        "| --- |" + " ---: |" * 6,
    ]
    for law in map(str, LAWS):
        own = [one for one in cells if one.setting == law]
        held = {how: min(one.held for one in own if one.how == how) for how in ("simple", "adaptive")}
        by_how = {(one.how, one.size): one for one in own}
        ratios = [by_how["adaptive", size].error / by_how["simple", size].error for size in SIZES]
        shown = [f"{share:.1%}" for share in held.values()] + [f"{min(ratios):.2f} to {max(ratios):.2f}"]
        shown += [f"{1 - by_how[how, LOOKS[-1]].held:.1%}" for how in WAYS]
        lines.append(f"| {law} | {' | '.join(shown)} |")
    return lines


def facts(cells: Sequence[Cell]) -> dict[str, str | Sequence[str]]:
    """Return the table, and the figures that the prose names."""

    def of(part: str, how: str) -> list[Cell]:
        return [one for one in cells if (one.part, one.how) == (part, how)]

    def least(part: str, *ways: str) -> float:
        return min(one.held for how in ways for one in of(part, how))

    wider = [a.width / b.width for a, b in zip(of("looks", "betting"), of("looks", "once"), strict=True)]
    alike = [one for one in cells if one.setting == f"{SHARED[0]:g}, accuracy" and one.about == "collection"]
    pooled = {one.how: one for one in alike if one.size == ASKED[1]}
    return {
        "table": table(cells),
        "draws": f"{least('draws', 'simple', 'adaptive'):.1%}",
        "alone": f"{1 - least('looks', 'each alone'):.1%}",
        "betting": f"{1 - least('looks', 'betting'):.1%}",
        "wider": f"{min(wider):.2f} to {max(wider):.2f}",
        "pool": f"{least('pool', 'with'):.1%}",
        "alike": f"{SHARED[0]:.0%}",
        "unlike": f"{SHARED[1]:.0%}",
        "asked": str(ASKED[1]),
        "with": f"{pooled['with'].width:.3f}",
        "without": f"{pooled['without'].width:.3f}",
        **{f"{part} times": f"{next(one.replications for one in cells if one.part == part):,}" for part in PARTS},
    }


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice([*PARTS]))
@click.option("--replications", type=int, help="Replications of each setting.  [default: those of the page]")
def main(parts: tuple[str, ...], replications: int | None) -> None:
    """Simulate the parts named, or write the page."""
    path = DOCS / "draws.csv"
    cells = read_cells(Cell, path) if path.exists() else []
    for part in parts:
        made = list(PARTS[part](replications or REPLICATIONS[part]))
        cells = [one for one in (read_cells(Cell, path) if path.exists() else []) if one.part != part]
        cells = sorted([*cells, *made], key=lambda one: [*PARTS].index(one.part))
        write_cells(cells, path)
    if not parts:
        (DOCS / "draws.md").write_text(fill("draws", facts(cells)), encoding="utf-8")


if __name__ == "__main__":
    main()
