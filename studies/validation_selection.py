"""Choosing one of several systems' answers: the second study of docs/evidence/validation.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import validation_data as lab
from msgspec import Struct
from numpy.typing import NDArray

import nescio
from nescio.data.evidence import PRESENT, Evidence
from nescio.data.results import Comparison
from nescio.stats import intervals, resampling
from nescio.tasks.ave import validator
from nescio.tasks.ave.exercise import Decision, Exercise, Value, by_question
from nescio.tasks.ave.validator import OWN, TrainingPlan
from nescio.text import normalise

Floats = NDArray[np.float64]
OF_THE_TEXT = ("proximity", "ngrams", "hypothesis", "phrases", "numbers", "times", "references", "meaning", "rivals")


class Selected(Struct, frozen=True):
    """What became of a collection; `values` has a column a question.

    qa        was the selected answer right?
    random    how often a random one of the distinct answers is right (AVE removes duplicates before it asks that)
    anyone    how often the answer of a random system is right
    votes     is the answer that most systems give right? ties shared
    system    is the best single system's answer right? 0 where nobody judged it; `known` is 1 where somebody did
    perfect   is any answer right?

    `p_exact` is the chance that picking answers of random systems is right as often as the selection.
    """

    name: str
    questions: int
    several: int
    systems: int
    values: dict[str, Floats]
    best: str
    p_exact: float
    paired: Mapping[str, Comparison]
    bounds: dict[str, tuple[float, float]]
    notes: str


def select(name: str, streams: lab.Streams, plan: TrainingPlan, resamples: int) -> Selected:
    """Select by a validator with redundancy; each answer is judged by one that saw nothing of its question (or
    article)."""
    exercise = streams.exercise
    text = any(candidate.text for candidate in exercise.candidates)
    without = [] if text else [each for each in OWN if each in OF_THE_TEXT]
    without += [each for each in validator.TECHNIQUES if each not in (*OWN, validator.REDUNDANCY)]
    techniques = validator.chosen(
        validator.Resources(), without, redundancy=True, languages=validator.languages(exercise)
    )
    trained = validator.fit(exercise, validator.gather(exercise, None, techniques, plan), plan)
    decided = validator.decide(exercise, trained.confidence, None, always=True)
    selected = {(each.question_id, each.answer_id) for each in decided if each.decision is Decision.SELECTED}
    best = max(streams.accuracy, key=lambda system: streams.accuracy[system])
    values = _columns(streams, selected, best)
    groups = by_question(exercise.candidates)
    codes = _clusters(exercise)
    return Selected(
        name,
        len(groups),
        sum(len({normalise(m.answer) for m in members}) > 1 for members in groups.values()),
        len(streams.accuracy),
        values,
        best,
        at_least(values["anyone"], int(values["qa"].sum())),
        {key: _paired(values[key], values["qa"], codes, resamples) for key in ("random", "anyone")},
        _bounds(values, codes, resamples),
        streams.notes,
    )


def _columns(streams: lab.Streams, selected: set[tuple[str, str]], best: str) -> dict[str, Floats]:
    """Return the columns of `Selected.values`."""
    columns: dict[str, list[float]] = {
        key: [] for key in ("qa", "random", "anyone", "votes", "system", "known", "perfect")
    }
    for question, members in by_question(streams.exercise.candidates).items():
        good = [member.value is Value.VALIDATED for member in members]
        keys = [normalise(member.answer) for member in members]
        chance = {k: np.mean([g for key, g in zip(keys, good, strict=True) if key == k]) for k in dict.fromkeys(keys)}
        most = max(keys.count(key) for key in keys)
        columns["qa"].append(sum(g for m, g in zip(members, good, strict=True) if (question, m.id) in selected))
        columns["random"].append(float(np.mean(list(chance.values()))))
        columns["anyone"].append(float(np.mean(good)))
        columns["votes"].append(float(np.mean([chance[key] for key in chance if keys.count(key) == most])))
        columns["system"].append(any(g for m, g in zip(members, good, strict=True) if m.system == best))
        columns["known"].append((question, best) not in streams.unjudged)
        columns["perfect"].append(any(good))
    return {key: np.array(column, dtype=np.float64) for key, column in columns.items()}


def at_least(chances: Floats, many: int) -> float:
    """P(at least so many successes) of independent trials with these chances: the Poisson binomial law, summed
    exactly."""
    law = np.ones(1)
    for chance in chances:
        law = np.convolve(law, [1 - chance, chance])
    return float(law[many:].sum())


def _clusters(exercise: Exercise) -> NDArray[np.int64]:
    names = [question.cluster or question.id for question in exercise.questions]
    return np.unique(np.array(names, dtype=object).astype(str), return_inverse=True)[1].astype(np.int64)


def _paired(random: Floats, qa: Floats, clusters: NDArray[np.int64], resamples: int) -> Comparison:
    """Return the selection against the expectation of a random one, question by question, as `nescio compare` does
    it."""
    cells = np.stack([random, qa])
    n = cells.shape[1]
    alone = len(np.unique(clusters)) == n
    names = tuple(f"{i:06}" for i in range(n))
    data = Evidence(
        ("random", "selection"),
        names,
        {"selected_right": cells},
        np.full(cells.shape, PRESENT, np.uint8),
        {},
        None if alone else clusters,
    )
    (row,) = nescio.compare(data, "mean(selected_right)", baseline="random", resamples=resamples)
    return row


def summaries(v: dict[str, Any]) -> dict[str, Any]:
    """Return what is reported, from mean columns."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            **v,
            "system": v["system"] / v["known"],
            "against best": (v["qa known"] - v["system"]) / v["known"],
            "against votes": v["qa"] - v["votes"],
            "gained": (v["qa"] - v["random"]) / (v["perfect"] - v["random"]),
        }


def _bounds(values: dict[str, Floats], clusters: NDArray[np.int64], resamples: int) -> dict[str, tuple[float, float]]:
    """95% percentile intervals over questions (or clusters of them)."""
    units = int(clusters.max()) + 1
    sums = {key: np.bincount(clusters, weights=column, minlength=units) for key, column in _with_known(values).items()}
    size = np.bincount(clusters, minlength=units).astype(np.float64)
    ones = np.ones(units, dtype=np.int64)
    weights = np.concatenate(
        [resampling.bootstrap(ones, b.size, b.generator()) for b in resampling.blocks(resamples, 0)]
    )
    total = np.einsum("ru,u->r", weights.astype(np.float64), size)
    means = {key: np.einsum("ru,u->r", weights.astype(np.float64), column) / total for key, column in sums.items()}
    return {key: intervals.percentile(drawn, 0.95) for key, drawn in summaries(means).items()}


def _with_known(values: dict[str, Floats]) -> dict[str, Floats]:
    """Return the columns, and the selection on the questions on which the best system was judged."""
    return {**values, "qa known": values["qa"] * values["known"]}


def point(found: Selected) -> dict[str, float]:
    """Return the values themselves."""
    return summaries({key: column.mean() for key, column in _with_known(found.values).items()})


NAMES = {
    "random": "random selection of a distinct answer (expected)",
    "anyone": "the answer of a random system (expected)",
    "votes": "the answer of most systems",
    "system": "best single system, chosen afterwards",
    "qa": "selection by the validator",
    "perfect": "perfect selection",
    "against votes": "selection minus most systems' answer",
    "against best": "selection minus best system",
    "gained": "(selection - random) / (perfect - random)",
}


def selection_table(chosen: Sequence[Selected]) -> list[str]:
    """Return a row a figure, a column a collection."""
    lines = ["| figure | " + " | ".join(each.name for each in chosen) + " |", "| --- |" + " ---: |" * len(chosen)]
    for title, value in (
        ("questions", [f"{each.questions:,}" for each in chosen]),
        ("systems", [str(each.systems) for each in chosen]),
        ("questions with several distinct answers", [f"{each.several:,}" for each in chosen]),
    ):
        lines.append(f"| {title} | " + " | ".join(value) + " |")
    for key, title in NAMES.items():
        cells = [f"{point(each)[key]:.3f} [{each.bounds[key][0]:.3f}, {each.bounds[key][1]:.3f}]" for each in chosen]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return lines


def selection_facts(chosen: Sequence[Selected]) -> dict[str, str]:
    """Return the tests against random selection, by collection, and what was made of answers that nobody judged."""
    found = {}
    for each in chosen:
        for key, row in each.paired.items():
            found[f"{each.name} {key}"] = f"{row.difference:+.3f} [{row.low:+.3f}, {row.high:+.3f}], p {_small(row.p)}"
        found |= {
            f"{each.name} exact": _small(each.p_exact),
            f"{each.name} best": each.best,
            f"{each.name} notes": each.notes,
        }
    return found


def _small(p: float | None) -> str:
    return "undefined" if p is None else "< 0.0001" if p < 1e-4 else f"= {p:.4f}"
