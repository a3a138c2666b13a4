"""A note is a code and values; its text is made when it is shown."""

from typing import Any

from nescio.data.notes import gather, note, texts


def test_counts_and_lists_are_put_into_words() -> None:
    template = "run {subject!r}: {missing:,} of {total:n question} {missing:is/are} missing (first: {names:list 2})"
    one = note("missing", template, "mine", missing=1, total=1, names=["q1"])
    many = note("missing", template, "mine", missing=1_000, total=2_000, names=["q1", "q2", "q3"])
    assert str(one) == "run 'mine': 1 of 1 question is missing (first: q1)"
    assert str(many) == "run 'mine': 1,000 of 2,000 questions are missing (first: q1, q2 and 1 more)"
    assert (many.code, many.subject, many["missing"]) == ("missing", "mine", 1_000)


def test_sequences_are_put_into_words() -> None:
    def shown(template: str, **values: Any) -> str:
        return str(note("x", template, **values))

    assert shown("{names:list}", names=["a", "b"]) == "a, b"
    assert shown("{names:list 1}", names=["a", "b"]) == "a and 1 more"
    assert shown("{names:list ;}", names=["a", "b"]) == "a; b"
    assert shown("{names:and 2}", names=["a", "b"]) == "a and b"
    assert shown("{names:and 2}", names=list("abcd")) == "a, b and 2 more"
    assert shown("{pairs:each %d %s}", pairs=[(3, "empty"), (1, "refused")]) == "3 empty, 1 refused"
    assert shown("{asked:believed/read}", asked=True) == "believed"
    assert (
        shown("{parts:list ;}", parts=[note("y", "{n:n text}", n=1), note("y", "{n:n text}", n=2)]) == "1 text; 2 texts"
    )


def test_braces_in_names_are_text() -> None:
    assert str(note("x", "run {subject!r}: {name}", "{n}", name="{total}")) == "run '{n}': {total}"


def test_what_is_said_alike_is_said_once() -> None:
    few, other = note("few", "only {n:n question}", n=3), note("few", "only {n:n question}", n=4)
    remarks = [
        (few, "c@1", "run 'a'"),
        (few, "accuracy", "run 'a'"),
        (few, "c@1", "run 'b'"),
        (other, "c@1", "run 'c'"),
    ]
    assert texts(gather(remarks)) == [
        "c@1: only 3 questions (run 'a', run 'b')",
        "accuracy: only 3 questions (run 'a')",
        "c@1: only 4 questions (run 'c')",
    ]
    assert texts([few, few]) == ["only 3 questions"]
