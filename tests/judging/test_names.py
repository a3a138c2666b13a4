"""Judges by name: parameters, and what is said where a name or a parameter makes no sense."""

import tomllib
from functools import partial
from pathlib import Path

import pytest

from nescio.errors import UnknownNameError, UsageError
from nescio.judging import known
from nescio.judging._judge import code_of
from nescio.measures import parse

DATA = tomllib.loads((Path(__file__).parent / "verdicts.toml").read_text(encoding="utf-8"))


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


@pytest.mark.parametrize("text", DATA["refused"])
def test_names_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        known(text).grade([])
    assert DATA["refused"][text] in str(refused.value)


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


def _right(question: object, answer: object) -> bool:
    return question == answer


class _Callable:
    def __call__(self, *_: object) -> bool:
        return True


def test_the_code_of_any_callable_has_a_digest_or_none() -> None:
    """Judges of plug-ins may be functions, parts of functions, and objects; a function in C has no file."""
    own = code_of(_right)
    assert own
    assert code_of(partial(_right, "x")) == own
    assert code_of(_Callable()) == own
    assert code_of(len) == ""
