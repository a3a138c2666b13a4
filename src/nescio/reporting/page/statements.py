"""Declare each kind of sentence of the advice: its claim, its condition, its method, and its test.

A sentence with a number that should hold on other questions is a `Statement` of one of these kinds; its text uses its
`figures` alone. `studies/statements.py` simulates every kind that has a level: how often it is true, including the
choice of the run and of the threshold.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct

from nescio.data.shown import Row

LEVEL = 0.95  # level of every bound and prediction on the page that has no other

Figure = float | int | str | None


class Kind(Struct, frozen=True):
    """A kind of sentence in the advice: what it claims, when, by which method, and how this is checked.

    `given` is the condition under which the claim is true. `simulated` says that the claim has a level of confidence,
    and that `studies/statements.py` simulates how often it is true.
    """

    claim: str
    given: str
    method: str
    check: str
    simulated: bool = False


class Statement(Struct, frozen=True):
    """A sentence of the advice, its kind, and the figures in it.

    The claim is true with at least the probability `level`, which is None for a sentence about these questions alone.
    """

    kind: str
    text: str
    figures: Mapping[str, Figure]
    level: float | None = None


class Claim(Row, frozen=True):
    """A statement as programs get it in JSON, with the condition and the method that its kind declares."""

    most_listed: ClassVar[int | None] = 0

    kind: str
    text: str
    figures: Mapping[str, Figure]
    level: float | None
    given: str
    method: str

    @classmethod
    def of(cls, one: Statement) -> Claim:
        """Return a statement as programs get it in JSON, with None for undefined figures."""
        figures = {name: None if value != value else value for name, value in one.figures.items()}  # noqa: PLR0124
        return cls(one.kind, one.text, figures, one.level, KINDS[one.kind].given, KINDS[one.kind].method)


STUDY = "studies/statements.py"
FIGURES = "tests/reporting/test_statements.py"

KINDS: Mapping[str, Kind] = {
    "best": Kind(
        "the true value of the run that scored best lies in the interval",
        "questions drawn alike and independently (or in the named clusters); the run was chosen out of all on the page",
        "the interval of `nescio score --simultaneous`, at the level 1 - α/k for k runs (Bonferroni)",
        STUDY,
        simulated=True,
    ),
    "better": Kind(
        "the best run differs from the named runs",
        "all pairs of runs tested",
        "the paired test of `nescio compare`, corrected for all pairs",
        STUDY,
        simulated=True,
    ),
    "wrong": Kind(
        "at most this share of the chosen run's answers is wrong",
        "the run was chosen out of all on the page, and its threshold, if any, out of all its confidences",
        "Clopper & Pearson at α/k: k runs, or 2k where thresholds were looked at too; at a threshold α/(2k·m) for m "
        "confidences of the run",
        STUDY,
        simulated=True,
    ),
    "tolerated": Kind(
        "from the threshold on, at most the requested share of the run's answers is wrong",
        "run and threshold were chosen out of all runs and of 20 thresholds of each at fixed ranks of its confidences",
        "Clopper & Pearson at α/k for k pairs of a run and a threshold",
        STUDY,
        simulated=True,
    ),
    "another sample": Kind(
        "the run chosen scores between these values on another sample of as many questions",
        "questions drawn alike and independently; the run was chosen out of all on the page",
        "prediction interval at the level 1 - α/k: counts of a Dirichlet-multinomial with Jeffreys' prior",
        STUDY,
        simulated=True,
    ),
    "tied": Kind(
        "the run chosen and the next best do not differ significantly",
        "each run at its own threshold, on held-out questions",
        "the paired test of `nescio compare`; `nescio tune` where thresholds were chosen",
        FIGURES,
    ),
    "alike": Kind("these runs have the same outcome on every question", "these questions", "counted", FIGURES),
    "held out": Kind(
        "the chosen run answers this share of new questions at its threshold, and this share of these answers is wrong",
        "questions drawn alike; an estimate: the true share is as often above as below it",
        "cross-fitting: thresholds and run are chosen anew without each part of the questions in turn",
        STUDY,
    ),
    "ship": Kind(
        "the run to use, and another from which it does not differ significantly",
        "the measure that decides; each run at its own threshold if it has one",
        "the paired test of `nescio compare`; `nescio tune` where thresholds were chosen",
        FIGURES,
    ),
    "did": Kind("what the run did with these questions", "these questions", "counted", FIGURES),
    "evidence": Kind(
        "how good the evidence is",
        "these questions",
        "strong: the lead is significant and the bound on errors at most 5 points above the observed share; fair: one "
        "of the two; weak: neither, or another judge grades more than 5% of the answers differently; too little: "
        "fewer than 20 questions or clusters",
        FIGURES,
    ),
    "no decision": Kind(
        "too many answers could not be read, ended in an error or have no grade, so the run did not choose to "
        "abstain; or no gate can rest on the answers",
        "the reasons for silence, and the origin of the answers, as the files state them",
        "counted",
        FIGURES,
    ),
    "mostly wrong": Kind(
        "the run is the best on the page, and more than half of its answers are wrong: silence is worth more unless an "
        "error costs less than a right answer earns",
        "these questions; held-out ones where the run has a threshold; of a suite, each benchmark counted alike",
        "counted",
        FIGURES,
    ),
    "silence": Kind(
        "the run is the best on the page, and a run that never answers scores more",
        "these questions; held-out ones where the run has a threshold; of a suite, each benchmark counted alike; a "
        "measure by which errors cost",
        "the measure of a run that is always silent, which is right if a question has no answer",
        FIGURES,
    ),
    "no threshold": Kind(
        "the threshold that is best by the measure declines none of the run's answers",
        "these questions",
        "chosen as in `nescio tune`",
        FIGURES,
    ),
    "groups": Kind("questions come in groups", "these questions", "counted", FIGURES),
    "degenerate": Kind(
        "no run can be chosen: no answer is right, the questions are too few, or every mean is undefined",
        "these questions",
        "counted",
        FIGURES,
    ),
}
