"""List the measures that the laws test: everything registered, in every form that parameters give it."""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from nescio.data.columns import Array
from nescio.data.evidence import Evidence
from nescio.measures import REGISTRY, Measure, parse
from nescio.scoring.samples import MeasureInput, measure_inputs
from tests.rings import SEED, sample
from tests.strategies import evidence_of

# The forms that replace a bare name; measures not named here are tested with their defaults.
FORMS: Mapping[str, tuple[str, ...]] = {
    "penalty": ("penalty(t=0)", "penalty(t=0.75)"),
    "formula_scoring": ("formula_scoring(k=2)", "formula_scoring(k=4)"),
    "effective_reliability": ("effective_reliability(cost=0)", "effective_reliability(cost=10)"),
    "mean": ("mean(graded)", "mean(graded, better=lower)"),
    "price_per_right": ("price_per_right(graded)",),
    "latency": ("latency(0.5, column=graded)", "latency(0.95, column=graded)"),
    "net_benefit": ("net_benefit(2, column=graded)", "net_benefit(0.5, error=3, column=graded)"),
    "pan.F1": ("pan.F1", "pan.F1(silence=negative)"),
    "ECE": ("ECE(bins=1)", "ECE(bins=10)"),
    "MCE": ("MCE(bins=1)", "MCE(bins=10)"),
    "ECE_by_count": ("ECE_by_count(bins=1)", "ECE_by_count(bins=3)"),
    "rms_calibration": ("rms_calibration(size=1)", "rms_calibration(size=3)", "rms_calibration(size=3, literal=1)"),
    "ECE_if_calibrated": ("ECE_if_calibrated(bins=1)", "ECE_if_calibrated(bins=10)"),
    "smECE": ("smECE", "smECE(width=0.1)"),
    "PRR": ("PRR", "PRR(rejection=0.6)"),
    "unanswered_as": ("unanswered_as(p=0)", "unanswered_as(p=0.3)"),
    "formula": ("formula((C + U*C/n)/n)", "formula(-2**3 * W/(C + W))"),
    "AURC": ("AURC(definition)", "AURC(geifman)", "AURC(trapezoid)", "AURC(fd-shifts)"),
    "AUARC": ("AUARC(definition)", "AUARC(trapezoid)", "AUARC(thresholds)"),
    "NAURC": ("NAURC", "NAURC(literal=1)"),
    "E-AURC": ("E-AURC(exact)", "E-AURC(asymptotic)", "E-AURC(geifman)"),
    "coverage@risk": ("coverage@risk(0)", "coverage@risk(0.3)"),
    "risk@coverage": ("risk@coverage(0.3)", "risk@coverage(1)"),
    "accuracy@coverage": ("accuracy@coverage(0.5)",),
    "utility": ("utility(2)",),
    "normalised_utility": ("normalised_utility(2)",),
    "stake_area": ("stake_area(2)",),
    **{name: (f"{name}(nuggets.factoid)",) for name in ("over_conservativeness", "prudence", "honesty")},
    "F1_GR": ("F1_GR", "F1_GR(literal=1)"),
    "hallucination_rate": tuple(f"hallucination_rate(of={of})" for of in ("missed", "answered", "all")),
    # for questions asked once; tests/measures has repeated ones
    **{name: (f"{name}(k=1)",) for name in REGISTRY if name.endswith(("@k", "^k"))},
}
# Undefined if every question is asked once, as here; tests/measures/test_repeats.py has their laws.
OF_TWO_ANSWERS = {"disagreement", "flip_rate", "contradiction_rate", "silence_per_tenfold", "mG-pass@k"}
MEASURES = tuple(form for name in REGISTRY if name not in OF_TWO_ANSWERS for form in FORMS.get(name, (name,)))
ORDERED = tuple(form for form in MEASURES if parse(form).order)


@cache
def of_today(law: str, size: int = 20, of: tuple[str, ...] = MEASURES) -> list[str]:
    """Return the measures that a law tests today: at least one of each kind, and others for each law.

    The proofs test all of them.
    """
    return sample(random.Random(f"{SEED} {law}").sample(of, len(of)), size, each=kind_of)


def kind_of(form: str) -> Hashable:
    """Return how a measure is computed: from counts or columns, with an order or without, and with which interval."""
    measure = parse(form)
    order = measure.order and (measure.reads_order_alone, measure.merge)
    return order, measure.counts_outcomes, measure.declaration.proportion is None, measure.declaration.interval


def close(value: object) -> Any:
    """Return a value to compare with, equal up to rounding, where NaN equals NaN."""
    return pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True)


def sample_of(data: Evidence, measure: Measure | str, run: int = 0) -> MeasureInput:
    """Return one run as one measure sees it."""
    found, _ = measure_inputs(data, [parse(measure) if isinstance(measure, str) else measure])
    return found[run]


def value_of(data: Evidence, measure: Measure | str, run: int = 0) -> float:
    """Return the value of one measure on one run."""
    return sample_of(data, measure, run).value


def usable(data: Evidence, measure: Measure, run: int = 0) -> Array:
    """Return a mask of the questions that a measure counts: those with all the data that it needs."""
    read = [data.column(name) for name in (*measure.needs, *([measure.order] if measure.order else []))]
    found: Array = data.present[run] & ~np.isnan([np.asarray(values[run], dtype=float) for values in read]).any(axis=0)
    return found


def apart(data: Evidence) -> Evidence:
    """Return the evidence with each question as a separate cluster, so that each has its own weight."""
    return replace(data, clusters=np.arange(len(data.questions)))


def placed(data: Evidence, measure: Measure) -> Evidence:
    """Return the evidence with each run's confidences replaced by ranks, if the measure reads only an order.

    A rank is (smaller + half of the equal ones)/all.
    """
    if measure.order is None or measure.order in measure.needs:
        return data
    key = np.asarray(data.column(measure.order), dtype=float)
    places = np.full(key.shape, np.nan)
    for run, own in enumerate(key):
        known = own[np.isfinite(own)]
        for at in np.flatnonzero(np.isfinite(own)):
            places[run, at] = (np.sum(known < own[at]) + np.sum(known == own[at]) / 2) / len(known)
    stored = measure.order if measure.order in data.columns else "confidence"
    column = np.where(np.isnan(places), data.columns[stored], places)
    return replace(data, columns={**data.columns, stored: column})


def repeated(data: Evidence, weights: Array | int) -> Evidence:
    """Return each question as often as its weight says, one copy after another."""
    return data.select(np.repeat(np.arange(len(data.questions)), weights))


def run_of_answers(answers: list[tuple[float, int]]) -> Evidence:
    """Return one run that answers every question, given the confidence of each answer and whether it is right."""
    sure = np.array([[s for s, _ in answers]])
    right = np.array([[y for _, y in answers]], dtype=np.int8)
    columns = {"correct": right, "incorrect": 1 - right, "unanswered": 0 * right, "answered": 0 * right + 1}
    questions = tuple(f"q{i}" for i in range(len(answers)))
    return Evidence(("run",), questions, {**columns, "confidence": sure}, np.zeros(sure.shape, dtype=np.uint8))


def varied(questions: int, runs: int = 2) -> Evidence:
    """Return the same evidence on every call, with 200 scores that sometimes tie."""
    rng = np.random.default_rng(20)

    def cells(values: object, rows: int = runs) -> Array:
        chosen: Array = rng.choice(np.asarray(values), (rows, questions))
        return np.broadcast_to(chosen, (runs, questions)).copy()

    return evidence_of(cells, np.arange(200) / 200, np.zeros((runs, questions), dtype=np.uint8))
