"""Regular expressions of users: what Python's own say, and none that takes exponential time."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.errors import UsageError
from nescio.sources.patterns import whole_matcher

PIECES = st.recursive(
    st.sampled_from(
        [
            "a",
            "b",
            "ab",
            "[ab]",
            r"[b\d]",
            r"[a\[[]",
            r"[^\w[]",
            r"[\S ]",
            r"[^\S\]]",
            r"[\D]",
            ".",
            "a?",
            r"\w",
            r"\W",
            r"\s",
            r"\\",
            " ",
        ]
    ),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda both: f"(?:{both[0]}|{both[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2,3}", "*?"])).map(lambda both: f"(?:{both[0]}){both[1]}"),
    ),
    max_leaves=5,
)


@pytest.mark.sampled
@given(PIECES, st.text("abB \u00e9\u0663\u00a0[\\", max_size=6))
def test_a_text_is_matched_as_python_matches_it(pattern: str, text: str) -> None:
    """Whichever engine does it."""
    found = re.compile(pattern, re.IGNORECASE | re.DOTALL).fullmatch(text) is not None
    assert whole_matcher("--declined-pattern", pattern)(text) == found


def test_a_class_in_brackets_holds_letters_beyond_ascii_as_pythons_does() -> None:
    assert whole_matcher("--declined-pattern", r"[ab](?:a?)*\w")("Bé")
    assert whole_matcher("--declined-pattern", r"(?:[\w-]*)*")("déjà-vu")
    assert not whole_matcher("--declined-pattern", r"(?:[\w-]*)*")("déjà vu")
    for pattern in (r"(?:[a\W]*)*", r"(?:[]\W]*)*", r"(?:[\]\W]*)*"):
        with pytest.raises(UsageError, match=r"--declined-pattern: .* rewrite it"):
            whole_matcher("--declined-pattern", pattern)


@pytest.mark.parametrize("pattern", [r"(\[\S+\]\s*)+\S*", r"(?:sorry|[\s\S])*", r"(?:[\w\W]*)*", r"(?:[*+?\[\]é\D]+)*"])
def test_only_a_class_in_brackets_with_letters_left_out_is_rewritten(pattern: str) -> None:
    assert whole_matcher("--declined-pattern", pattern)("[é]")


def test_any_character_in_brackets_is_read_in_a_long_text() -> None:
    assert whole_matcher("--declined-pattern", r"[\s\S]*know[\s\S]*")("a" * 20_000 + " know it")


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a*)*", "(a|a)*", "(a|aa)+", "((a?){9})*", "(?:a+?){3,}", "(.*a){12}"])
def test_no_pattern_takes_exponential_time(pattern: str) -> None:
    assert not whole_matcher("--declined-pattern", pattern)("a" * 2_000 + "!")


@pytest.mark.parametrize("pattern", [".*a.*b.*c.*z", "a*a*a*a*b", "(a*)(a*)(a*)!", "[ab]*c?[ab]*c?[ab]*!"])
def test_no_pattern_takes_time_as_a_power_of_the_text(pattern: str) -> None:
    """16,000 letters, on which Python's engine would take a year."""
    assert not whole_matcher("--declined-pattern", pattern)("abcab" * 3_200)
    with pytest.raises(
        UsageError, match=r"--declined-pattern: .* on a text of 16,000 characters; rewrite it with simpler repetitions"
    ):
        whole_matcher("--declined-pattern", rf"\b{pattern}")("abcab" * 3_200)


@pytest.mark.parametrize(
    "pattern", [r"(a+\b)+", "(a|b(?=c))*", r"(a|(b)\2)+", "(", "a{99999999999}", "((a{900}){900}){900}"]
)
def test_what_cannot_be_matched_in_time_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError, match="--declined-pattern"):
        whole_matcher("--declined-pattern", pattern)
