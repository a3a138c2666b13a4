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
        ("contains(longest=-1)", "longest must be a whole number of words, 0 for no limit"),
        ("contains(longest=1.5)", "judge contains: longest"),
        ("contains(negation=maybe)", "negation must be true or false"),
        ("numeric(tolerance=1)", "at least 0 and below 1"),
        ("numeric(tolerance=x)", "tolerance must be a number"),
        ("numeric(absolute=-1)", "0 or more"),
        ("numeric(which=middle)", "which must be one of all, first, last, any"),
        ("numeric(decimal=;)", "dot or comma"),
        ("declined(undetermined=wrong)", "undetermined is ungraded, answered, llm"),
        ("declined(words=1)", "its parameters are then, undetermined"),
        ("declined(undetermined=llm)", "needs an endpoint"),
        ("human", "reads judgements from a file"),
        ("llm", "needs an endpoint"),
        ("token_f1(0.5", "is not a judge; write it as NAME"),
        ("", "is not a judge"),
    ],
)
def test_names_that_make_no_sense_are_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        known(text).grade([])


def test_numeric_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)  # noqa: ARG005
    with pytest.raises(UsageError, match=r"pip install 'nescio\[judges\]'"):
        known("numeric")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tokenf1(0.5)", "unknown judge 'tokenf1'; did you mean token_f1"),
        ("choise", "unknown judge 'choise'; did you mean choice"),
        ("declined(then=nobody)", "unknown judge 'nobody'"),
    ],
)
def test_an_unknown_name_offers_the_nearest(text: str, message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        known(text)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("F1", "abstention_F1 or pan.F1 or squad.F1"), ("auc", "ave.AUC or pan.AUC"), ("C@1", "c@1?")],
)
def test_names_that_end_as_the_unknown_one_are_nearer_than_those_spelled_alike(name: str, nearest: str) -> None:
    with pytest.raises(UnknownNameError) as refused:
        parse(name)
    assert f"did you mean {nearest}" in str(refused.value)
    assert "UF" not in str(refused.value)  # UF01 has nothing to do with F1
