"""What measures are called in papers: each name finds the measure, with the parameters that it sets or leaves."""

from __future__ import annotations

import pytest

from nescio.errors import UsageError
from nescio.measures import REGISTRY, parse
from nescio.measures._measure import OTHER_NAMES


def test_every_other_name_finds_a_measure_of_its_own_name() -> None:
    for other, name in OTHER_NAMES.items():
        assert name in REGISTRY
        assert other not in REGISTRY
        assert parse(other).declaration.name == name
        assert other in REGISTRY[name].other_names


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("ECE", "ECE(bins=10)"),
        ("ECE(by=width)", "ECE(bins=10)"),
        ("ECE(5, by=width)", "ECE(bins=5)"),
        ("ECE(by=count)", "ECE_by_count(bins=10)"),
        ("ECE(by=count, bins=5)", "ECE_by_count(bins=5)"),
        ("AdaECE(bins=5)", "ECE_by_count(bins=5)"),
        ("G-Pass@k(4, t=0.5)", "G-pass@k(k=4, t=0.5)"),
        ("price(usd)", "price_per_right(column=usd)"),
    ],
)
def test_parameters_pass_through_and_the_signature_has_the_own_name(asked: str, name: str) -> None:
    assert parse(asked).name == name
    assert parse(asked).label == asked


def test_a_value_that_no_name_has_is_an_unknown_parameter() -> None:
    with pytest.raises(UsageError, match="ECE has no parameter 'by'"):
        parse("ECE(by=size)")


@pytest.mark.parametrize("name", ["rms_calibration(literal=2)", "NAURC(literal=yes)", "hallucination_rate(of=some)"])
def test_a_parameter_that_makes_no_sense_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        parse(name)
