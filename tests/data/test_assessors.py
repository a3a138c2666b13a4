"""Several people's verdicts on one answer, and the one that they come to."""

from __future__ import annotations

import random

import pytest

from nescio.data.assessors import ADJUDICATION, FEWEST_ITEMS, Resolution, resolve, resolve_all, said_of, settled
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT, Label
from nescio.errors import MismatchError, UsageError
from nescio.judging.human import human
from tests.notes import in_words


def by_three(n: int, seed: int = 3) -> dict[str, dict[str, str]]:
    """Return n items by one assessor who is right, and two who say R of nearly all."""
    dice = random.Random(seed)
    truth = ["R" if dice.random() < 0.6 else "W" for _ in range(n)]
    lax = [{who: "R" if dice.random() < 0.85 else one for who in "bc"} for one in truth]
    return {f"i{at}": {"a": one, **lax[at]} for at, one in enumerate(truth)}


def test_a_model_of_the_assessors_outweighs_two_who_do_not_look() -> None:
    verdicts = by_three(200)
    truth = {item: given["a"] for item, given in verdicts.items()}
    majority, weighed = resolve_all(verdicts, "majority"), resolve_all(verdicts, "dawid-skene")
    assert sum(majority[item] == truth[item] for item in truth) < 160
    assert sum(weighed[item] == truth[item] for item in truth) > 190


def test_below_so_many_items_it_is_the_majority() -> None:
    few = by_three(FEWEST_ITEMS - 1)
    assert resolve_all(few, "dawid-skene") == resolve_all(few, "majority")
    two = {item: {"a": given["a"], "b": given["b"]} for item, given in by_three(200).items()}
    assert None in resolve_all(two, "dawid-skene").values()


def test_what_all_say_stands_and_what_two_say_alike_goes_to_the_adjudicator() -> None:
    many = by_three(200) | {"all": {"b": "W", "c": "W"}, "adjudicated": {"adjudication": "R"}}
    weighed = resolve_all(many, "dawid-skene")
    assert (weighed["all"], weighed["adjudicated"]) == ("W", "R")
    assert resolve({"a": "R", "b": "W", "adjudication": "W"}, "dawid-skene") == "W"
    assert resolve({"a": "R", "b": "W", "adjudication": "W"}, "dawid-skene", likeliest="R") == "R"
    assert "adjudication" not in said_of(many).assessors
    assert resolve_all({}, "dawid-skene") == {}


def labels(*rows: tuple[str, str | None, int], run: str | None = "x") -> list[Label]:
    return [
        Label(question, state, run, place=f"row {at}", assessor=who) for at, (question, who, state) in enumerate(rows)
    ]


THREE = labels(
    ("q", "a", CORRECT), ("q", "b", INCORRECT), ("q", "c", INCORRECT), ("p", "a", CORRECT), ("p", "b", SILENT)
)


@pytest.mark.parametrize("rule", ["adjudicated", "majority", "dawid-skene"])
def test_a_decision_stays_where_one_of_those_who_differed_withdraws(rule: Resolution) -> None:
    """The adjudicator saw both sides; the one who is left was overruled. Two who agree overrule the adjudicator."""
    decided = {"ana": "R", "ben": "W", ADJUDICATION: "R"}
    assert resolve(decided, rule) == "R"
    left = {who: verdict for who, verdict in decided.items() if who != "ana"}
    assert resolve(left, rule) == "R"
    assert resolve(left | {"eva": "W"}, rule) == "W"
    assert resolve({"ben": "W"}, rule) == "W"
    assert resolve(left, "refused") == "W"


def test_labels_that_differ_are_settled_by_the_rule() -> None:
    one, notes = settled(THREE[:4], "majority")
    assert [(label.question, label.state) for label in one] == [("q", INCORRECT), ("p", CORRECT)]
    assert [*in_words(notes)] == ['people differ on 1 answer; 1 of these were settled by resolve="majority"']
    assert settled(THREE[:4], "adjudicated") == (THREE[:4], [])
    asked = [*THREE[:3], *labels(("q", "adjudication", CORRECT))]
    assert [label.state for label in settled(asked, "adjudicated")[0]] == [CORRECT]


def test_what_stays_in_dispute_is_refused_as_before() -> None:
    left, _ = settled(THREE, "majority")
    with pytest.raises(MismatchError, match=r"'p' has two different verdicts.*nescio lab assessors"):
        human(left, ["x"], ["p", "q"])


def test_texts_that_differ_in_case_are_one_answer_and_no_verdict_is_none() -> None:
    by_text = [
        Label("q", CORRECT, None, "Rome", assessor="a"),
        Label("q", INCORRECT, None, " rome", assessor="b"),
        Label("q", INCORRECT, None, "ROME", assessor="c"),
        Label("q", NOT_GRADED, None, "Rome", assessor="d"),
    ]
    assert [label.state for label in settled(by_text, "majority")[0]] == [INCORRECT]


def test_an_assessor_who_says_two_things_is_named() -> None:
    with pytest.raises(UsageError, match="row 1: 'a' gives two different verdicts on the same answer to 'q'; keep one"):
        settled(labels(("q", "a", CORRECT), ("q", "a", INCORRECT)), "majority")
