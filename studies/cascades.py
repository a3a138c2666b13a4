"""Do cascades and votes gain what they are said to gain? docs/evidence/cascades.md.

    python studies/cascades.py  writes docs/evidence/cascades.md, cascades.csv and votes.csv (minutes on one core)

Two systems answer each question with a confidence that is its chance of being right, and some noise; the second is
better and costs more. Policies are chosen and valued by nescio's own functions; the truth is that of 40,000 questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import numpy as np
from cells import read_cells, write_cells
from msgspec import Struct
from numpy.typing import NDArray
from pages import fill

from nescio.estimating.means import mean
from nescio.selective.cascades import gain_interval
from nescio.stats.cascade import Answers, Choice, Risk, choose, follow, grids
from nescio.stats.votes import Rule, vote

DOCS = Path(__file__).parents[1] / "docs" / "evidence"
GRID = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
ERROR, COST = 1.0, (0.01, 0.1)
# How much better the second system is than the first, and how well the first one's confidence tells right from wrong.
LAWS = {"the cascade helps": (0.25, 0.1), "it helps little": (0.1, 0.2), "the first alone is best": (0.0, 0.1)}
SIZES = (60, 100, 300)
FOLDS = 10
MAX_RISK, DELTA = 0.2, 0.05
# Beta laws of a question's chance to be answered rightly, and how likely an answer that would be wrong is silence.
VOTERS = {"half right": (1, 1, 0.4), "nearly all right": (6, 0.6, 0.4), "hard": (0.6, 2, 0.6)}
VOTED = (10, 30, 60, 200)
RULES: tuple[Rule, ...] = ("answers", "samples")
Floats = NDArray[np.float64]


class VoteCell(Struct, frozen=True):
    """How often intervals of a vote's gain hold the true one: Student's alone, and with an imagined question at either
    end."""

    law: str
    rule: str
    n: int
    gain: float
    student: float
    given: float
    replications: int


class Cell(Struct, frozen=True):
    """One gain in one setting: how often intervals hold the true gain of the policy that all questions chose, how much
    too high the gain is in sample and cross-fitted, and half the width of the intervals from both halves and given."""

    law: str
    n: int
    over: str
    crossfit: float
    halves: float
    given: float
    in_sample: float
    held_out: float
    halves_width: float
    given_width: float
    broken: float
    replications: int


def draw(rng: np.random.Generator, law: str, n: int) -> Answers:
    """Draw questions, both systems' answers to them and how sure they are."""
    better, noise = LAWS[law]
    ease = rng.beta(1.2, 1.0, n)
    chance = np.clip([ease, ease + better], 0.02, 0.98)
    right = rng.random((2, n)) < chance
    sure = np.clip(chance + rng.normal(0, [[noise], [0.1]], (2, n)), 0, 1)
    cost = np.repeat(np.array(COST)[:, None], n, axis=1)
    return Answers(np.where(right, 1.0, -ERROR), ~right, sure, cost, np.zeros(n))


def thresholds(found: Sequence[Choice]) -> Floats:
    """Lay the thresholds of choices side by side, shape (systems, choices)."""
    return np.array([one.thresholds for one in found]).T


def study(law: str, n: int, replications: int) -> Iterator[Cell]:
    """Both gains in one setting."""
    rng = np.random.default_rng([32, n, sorted(LAWS).index(law)])
    large = draw(rng, law, 40_000)
    most = 1 + ERROR + sum(COST)
    found: list[list[tuple[float, ...]]] = [[], []]
    truths: dict[tuple[int, tuple[float, ...]], float] = {}
    risky: dict[tuple[float, ...], float] = {}
    broken = 0

    def truth(system: int, choice: Choice) -> float:
        assert choice.thresholds is not None
        policy = choice.thresholds
        if (system, policy) not in truths:
            truths[system, policy] = float(follow((large, large.only(0), large.only(1))[system], policy).utility.mean())
        return truths[system, policy]

    for _ in range(replications):
        answers = draw(rng, law, n)
        part, half = rng.permutation(n) % FOLDS, rng.permutation(n) % 2
        ways = (answers, answers.only(0), answers.only(1))
        chosen = [choose(way, grids(way, GRID), part) for way in ways]
        split = [choose(way, grids(way, GRID), half) for way in ways]
        held = [follow(way, thresholds(of[1:])[:, part]).utility for way, of in zip(ways, chosen, strict=True)]
        other = [follow(way, thresholds(of[1:])[:, half]).utility for way, of in zip(ways, split, strict=True)]
        for j in (1, 2):
            true = [truth(0, a) - truth(j, b) for a, b in zip(chosen[0], chosen[j], strict=True)]
            gain, apart = held[0] - held[j], other[0] - other[j]
            plain, both = mean(gain, 0.95), mean(apart, 0.95, None, (-most, most))
            _, low, high = gain_interval(gain, apart, 0.95, most)
            of_parts = float(np.mean([true[1:][k] for k in part]))
            found[j - 1].append(
                (
                    float(plain.low <= true[0] <= plain.high),
                    float(both.low <= true[0] <= both.high),
                    float(low <= true[0] <= high),
                    chosen[0][0].utility - chosen[j][0].utility - true[0],
                    float(gain.mean()) - of_parts,
                    (both.high - both.low) / 2,
                    (high - low) / 2,
                )
            )
        certified = choose(answers, grids(answers, GRID), np.zeros(n, dtype=np.int64), risk=Risk(MAX_RISK, DELTA))[0]
        if certified.thresholds is not None:
            if certified.thresholds not in risky:
                done = follow(large, certified.thresholds)
                risky[certified.thresholds] = float(done.wrong.sum() / (done.by >= 0).sum())
            broken += risky[certified.thresholds] > MAX_RISK
    for name, rows in zip(("the first", "the second"), found, strict=True):
        figures = np.array(rows).mean(axis=0).tolist()
        fields = ("crossfit", "halves", "given", "in_sample", "held_out", "halves_width", "given_width")
        named = dict(zip(fields, figures, strict=True))
        yield Cell(law, n, name, **named, broken=broken / replications, replications=replications)


def gains(rng: np.random.Generator, law: str, rule: Rule, n: int) -> tuple[float, Floats]:
    """Draw five answers to each question, and return what their vote adds to c@1, and how far each question moves it;
    half of the wrong answers to a question are alike, and the others one of four."""
    a, b, doubt = VOTERS[law]
    chance = rng.beta(a, b, n)[:, None]
    silent = rng.random((n, 5)) < doubt * (1 - chance)
    right = ~silent & (rng.random((n, 5)) < chance)
    wrong = np.where(rng.random((n, 5)) < 0.5, 1, 1 + rng.integers(1, 4, (n, 5)))
    voted = vote(np.where(silent, -1, np.where(right, 0, wrong)), right, 5, rule)
    value, moved = of_shares(voted.right, voted.silent)
    alone, moved_alone = of_shares(right.mean(axis=1), silent.mean(axis=1))
    return value - alone, moved - moved_alone


def of_shares(right: Floats, silent: Floats) -> tuple[float, Floats]:
    """Return c@1 of shares, and how far each question moves it."""
    a, u = float(right.mean()), float(silent.mean())
    return a * (1 + u), (1 + u) * (right - a) + a * (silent - u)


def votes(law: str, rule: Rule, replications: int) -> Iterator[VoteCell]:
    """Return how often the gain of a vote lies in its intervals, by the number of questions."""
    true = gains(np.random.default_rng(9), law, rule, 400_000)[0]
    for n in VOTED:
        rng = np.random.default_rng([n, list(VOTERS).index(law)])
        held = np.zeros(2)
        for _ in range(replications):
            gain, moved = gains(rng, law, rule, n)
            for i, found in enumerate((mean(gain + moved, 0.95), mean(gain + moved, 0.95, None, (-1, 1)))):
                held[i] += found.low <= true <= found.high
        yield VoteCell(law, rule, n, true, float(held[0]) / replications, float(held[1]) / replications, replications)


def table(cells: Sequence[Cell], voted: Sequence[VoteCell]) -> list[str]:
    """Return a row a gain and setting: the lowest shares over the numbers of questions."""
    lines = [
        "| gain | setting | plain interval | interval from both halves | **nescio's interval** |",
        "| --- | --- | ---: | ---: | ---: |",
    ]
    for over, law in dict.fromkeys((one.over, one.law) for one in cells):
        of = [one for one in cells if (one.over, one.law) == (over, law)]
        low = " | ".join(f"{min(shares):.3f}" for shares in ([c.crossfit for c in of], [c.halves for c in of]))
        lines.append(f"| cascade over {over} system | {law} | {low} | **{min(c.given for c in of):.3f}** |")
    for rule, law in dict.fromkeys((one.rule, one.law) for one in voted):
        votes = [one for one in voted if (one.rule, one.law) == (rule, law)]
        plain, given = min(one.student for one in votes), min(one.given for one in votes)
        lines.append(f"| vote, more than half of the {rule} | {law} | {plain:.3f} | – | **{given:.3f}** |")
    return lines


@click.command()
@click.option("--replications", default=2_000, show_default=True)
@click.option("--only", type=click.Choice(["cascades", "votes"]), help="Make the figures of one part anew.")
@click.option("--page-only", is_flag=True, help="Write the page again from the CSV that is there.")
def main(replications: int, only: str | None, page_only: bool) -> None:
    """Simulate, and write the figures and the page."""
    if not page_only and only != "votes":
        settings = [(law, n) for law in LAWS for n in SIZES]
        write_cells((cell for one in settings for cell in study(*one, replications)), DOCS / "cascades.csv")
    if not page_only and only != "cascades":
        voters = ((law, rule) for law in VOTERS for rule in RULES)
        write_cells((cell for one in voters for cell in votes(*one, replications)), DOCS / "votes.csv")
    cells, voted = read_cells(Cell, DOCS / "cascades.csv"), read_cells(VoteCell, DOCS / "votes.csv")
    facts = {
        "replications": f"{cells[0].replications:,}",
        "table": table(cells, voted),
        "least": f"{min([one.given for one in cells] + [one.given for one in voted]):.1%}",
        "plain": f"{min(one.crossfit for one in cells):.0%}",
        "wider": f"{max(one.given_width / one.halves_width for one in cells):.2f}",
        "in_sample": f"{max(one.in_sample for one in cells):.2f}",
        "broken": f"{max(one.broken for one in cells):.1%}",
    }
    (DOCS / "cascades.md").write_text(fill("cascades", facts), encoding="utf-8")


if __name__ == "__main__":
    main()
