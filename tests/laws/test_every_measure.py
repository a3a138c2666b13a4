"""Laws of value that every registered measure keeps, whatever is measured. Each example is drawn once for all
measures."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from msgspec.structs import replace

from nescio.data.columns import Array
from nescio.data.evidence import Evidence
from nescio.data.patterns import by_unit
from nescio.measures import REGISTRY, parse
from nescio.meta_evaluation.laws import LAWS
from nescio.stats import resampling
from tests import strategies as some
from tests.laws.catalogue import (
    MEASURES,
    OF_TWO_ANSWERS,
    ORDERED,
    apart,
    close,
    of_today,
    repeated,
    sample_of,
    usable,
    value_of,
    varied,
)


def test_every_registered_measure_is_tested() -> None:
    assert {parse(form).declaration.name for form in MEASURES} == set(REGISTRY) - OF_TWO_ANSWERS


@pytest.mark.parametrize("law", LAWS)
def test_the_laws_that_other_people_s_measures_are_held_to(law: str) -> None:
    """Of every measure, every day, on a few questions."""
    data = varied(10, runs=1)
    assert {name: how for name in MEASURES if (how := LAWS[law](data, parse(name)))} == {}


@pytest.mark.sampled
@given(data=some.evidence(max_runs=1))
def test_the_laws_hold_of_any_few_questions(data: Evidence) -> None:
    """But for the one on weights, which a test below holds to data with unusable questions, too."""
    laws = {name: law for name, law in LAWS.items() if name != "as_often_as_weighed"}
    for name in of_today("others' laws"):
        if sample_of(data, name).n:
            assert {law: how for law, keeps in laws.items() if (how := keeps(data, parse(name)))} == {}, name


@pytest.mark.sampled
@given(data=some.evidence(max_runs=1))
def test_counts_times_three_are_every_question_three_times(data: Evidence) -> None:
    thrice = repeated(data, 3)
    for name in of_today("thrice", 40):
        sample = sample_of(data, name)
        if sample.n:
            tripled = float(sample.measure.value(sample.patterns, 3 * sample.patterns.counts))
            assert tripled == close(value_of(thrice, name)), name


@pytest.mark.sampled
@given(pair=some.with_weights(some.evidence(max_runs=1)))
def test_a_question_with_a_weight_is_that_question_so_often(pair: tuple[Evidence, Array]) -> None:
    data, weights = pair
    each_apart, so_often = apart(data), repeated(data, weights)
    for name in of_today("weights", 60):
        sample = sample_of(each_apart, name)
        used = weights[usable(data, parse(name))]
        if "asked" not in sample.patterns.columns:  # a mean over some of the questions counts those
            assert len(used) == sample.n, name
        weighted = float(sample.measure.value(sample.patterns, used)) if sample.n else math.nan
        assert weighted == close(value_of(so_often, name)), name


@pytest.mark.sampled
@given(data=some.evidence(max_runs=1))
def test_a_resample_by_weights_is_the_resample_that_gathers_rows(data: Evidence) -> None:
    each_apart = apart(data)
    for name in of_today("gathered"):
        sample = sample_of(each_apart, name)
        if not sample.n:
            continue
        questions = np.flatnonzero(usable(data, parse(name)))
        weights = resampling.bootstrap(sample.patterns.counts, 3, np.random.default_rng(1))
        values = sample.measure.value(sample.patterns, weights)
        for value, times in zip(values, weights, strict=True):
            assert float(value) == close(value_of(data.select(np.repeat(questions, times)), name)), name


@pytest.mark.parametrize("clusters", [None, np.arange(60) % 23])
def test_a_table_of_weights_gives_what_each_of_them_gives(clusters: Array | None) -> None:
    """One pass down the order for all resamples, against each resample along the order."""
    data = replace(varied(60), clusters=clusters)
    for name in ORDERED:
        sample = sample_of(data, name)
        patterns = by_unit(sample.patterns)
        table = np.ascontiguousarray(resampling.picks(patterns.units, 20, np.random.default_rng(3)).T)
        alone = [float(sample.measure.value(patterns, weights)) for weights in table.T]
        assert list(sample.measure.under(patterns, table)) == close(alone), name


def test_a_formula_may_do_with_ordered_columns_what_it_does_with_arrays() -> None:
    """As a measure of someone else may: nothing that it does is known here."""

    def formula(total: Any) -> Any:
        wrong = total.n - total.right
        later = np.cumsum(wrong[..., ::-1], axis=-1)[..., ::-1]
        assert total.n.shape == later.shape
        return (2 * total.right * later).max(-1) + total.right.mean(axis=-1) + np.sqrt(total.n).sum(-1) + wrong.sum(-1)

    sample = sample_of(varied(60), "AUROC")
    measure = replace(sample.measure, declaration=replace(sample.measure.declaration, formula=formula))
    patterns = by_unit(sample.patterns)
    table = np.ascontiguousarray(resampling.picks(patterns.units, 50, np.random.default_rng(4)).T)
    assert list(measure.under(patterns, table)) == close(list(measure.value(patterns, table.T)))
