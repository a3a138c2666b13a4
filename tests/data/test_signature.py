"""A signature is read back as it was written, whatever stands in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio import __version__
from nescio.data.signature import Signature, parse, sign

TEXTS = st.text(max_size=12) | st.sampled_from(["a|b", "a:b", "\\", "\\|", "|:\\", "a\nb", "x\\:y|"])


@given(st.dictionaries(TEXTS, TEXTS, min_size=1, max_size=5))
def test_it_is_read_back_as_it_was_written(fields: dict[str, str]) -> None:
    signature = Signature(tuple(fields.items()))
    assert parse(str(signature)) == signature


def test_marks_in_a_value_are_escaped() -> None:
    assert str(Signature((("choose", "filter=a|b:c"),))) == r"choose:filter=a\|b\:c"


def test_a_field_is_found_by_its_name_and_more_are_added_at_the_end() -> None:
    signature = sign(runs=3, data="da07807d", seed=0)
    assert (signature["runs"], signature.get("judge", "none")) == ("3", "none")
    assert str(signature) == f"nescio:{__version__}|runs:3|data:da07807d|seed:0"
    assert str(signature.extend(marks="holm", runs=2)) == f"nescio:{__version__}|runs:2|data:da07807d|seed:0|marks:holm"
    assert signature.short() == f"nescio {__version__} · data da07807d · seed 0"


@pytest.mark.parametrize("text", ["nescio", "a:b|c"])
def test_a_text_that_is_no_signature(text: str) -> None:
    with pytest.raises(ValueError, match="NAME:VALUE"):
        parse(text)
