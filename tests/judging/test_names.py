"""Judges by name: parameters, and what is said where a name or a parameter makes no sense."""

import pytest

from nescio.errors import UnknownNameError, UsageError
from nescio.judging import known
from nescio.measures import parse


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("exact", "exact"),
        (" exact() ", "exact"),
        ("token_f1", "token_f1(threshold=0.5)"),
        ("token_f1(0.8)", "token_f1(threshold=0.8)"),
        ("token_f1( threshold = 0.8 )", "token_f1(threshold=0.8)"),
        ("numeric(0.01, which='last')", "numeric(tolerance=0.01, absolute=0.0, which=last, decimal=dot)"),
        ("pattern(ignore_case=False)", "pattern(ignore_case=false)"),
    ],
)
def test_a_name_says_all_parameters(text: str, name: str) -> None:
    assert str(known(text).record) == name
    assert known(str(known(text).record)).record == known(text).record


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("exact(1)", "has too many parameters; the judge takes"),
        ("token_f1(0.5, 0.6)", "has too many parameters; the judge takes"),
        ("token_f1(0.5, threshold=0.6)", "gives threshold twice"),
        ("token_f1(treshold=0.6)", "judge token_f1 has no parameter 'treshold'; its parameters are threshold"),
        ("exact(x=1)", "judge exact has no parameter 'x'; it takes none"),
        ("token_f1(0)", r"the threshold of F1 must be above 0 and at most 1 \(found threshold = 0\)"),
        ("token_f1(nan)", "threshold must be a finite number"),
        ("token_f1(true)", "threshold must be a number"),
        ("pattern(ignore_case=maybe)", "ignore_case must be true or false"),
        ("token_f1(0.5", "is not a judge; write it as NAME"),
        ("", "is not a judge"),
    ],
)
def test_what_makes_no_sense_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        known(text)


def test_an_unknown_name_offers_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean token_f1"):
        known("tokenf1(0.5)")


def test_what_ends_as_the_unknown_name_is_nearer_than_what_is_spelled_alike() -> None:
    """F1 is a part of pan.F1, and UF01 has nothing to do with it."""
    for name, nearest in (
        ("F1", "abstention_F1 or pan.F1 or squad.F1"),
        ("auc", "ave.AUC or pan.AUC"),
        ("C@1", "c@1?"),
    ):
        with pytest.raises(UnknownNameError) as refused:
            parse(name)
        assert f"did you mean {nearest}" in str(refused.value)
        assert "UF" not in str(refused.value)
