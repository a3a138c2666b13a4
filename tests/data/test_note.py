"""A note is a code and values; its text is made when it is shown."""

from nescio.data.notes import gather, note, texts


def test_counts_and_lists_are_put_into_words() -> None:
    template = "run {subject!r}: {missing:,} of {total:n question} {missing:is/are} missing (first: {names:list 2})"
    one = note("missing", template, "mine", missing=1, total=1, names=["q1"])
    many = note("missing", template, "mine", missing=1_000, total=2_000, names=["q1", "q2", "q3"])
    assert str(one) == "run 'mine': 1 of 1 question is missing (first: q1)"
    assert str(many) == "run 'mine': 1,000 of 2,000 questions are missing (first: q1, q2 and 1 more)"
    assert (many.code, many.subject, many["missing"]) == ("missing", "mine", 1_000)


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
