"""The building rules of AVE 2007, one by one, and the counts of its Tables 1 and 2."""

from __future__ import annotations

import random

import pytest

from nescio.data.model import Question, Response, Run, Verdict
from nescio.errors import MismatchError, UsageError
from nescio.tasks.ave.building import (
    RULES,
    Built,
    Offer,
    build,
    contains,
    counts,
    offers,
    tally,
    tokens,
)
from nescio.tasks.ave.exercise import Value
from tests.notes import in_words
from tests.tasks.ave.campaign import PRINTED, rounds_to

R, W, X, U = Verdict.RIGHT, Verdict.WRONG, Verdict.INEXACT, Verdict.UNSUPPORTED


def built(*answers: str | Offer, rules: tuple[str, ...] = RULES) -> Built:
    """A collection of one question from the answers of systems s1, s2 …"""
    given = [a if isinstance(a, Offer) else Offer("q", f"s{i}", a) for i, a in enumerate(answers, 1)]
    return build([Question("q", "?")], given, rules=rules)


def kept_answers(found: Built) -> dict[str, str]:
    return {each.id: each.answer for each in found.exercise.candidates}


def test_figure_3_keeps_the_answer_3() -> None:
    """ "3" occurs as a character of "since August 31", and is no token of it. There 116_3 leaves a gap; here ids tell
    neither what was removed nor whose an answer is."""
    maker, soldier = "was an Italian producer of home appliances", "who had also been in Cassibile since August 31"
    found = built(maker, soldier, "producer of home appliances", "3")
    stay = kept_answers(found)
    assert [*stay] == ["q_1", "q_2", "q_3"]
    assert sorted(stay.values()) == sorted((maker, soldier, "3"))
    (holder,) = [name for name, answer in stay.items() if answer == maker]
    assert [(each.id, each.rule, each.for_id) for each in found.discarded] == [("q_4", "contained", holder)]


def test_ids_and_order_tell_neither_the_system_nor_how_many_agreed() -> None:
    """The same answers, whoever gives them and however often: the same collection."""
    words = [f"answer number {i}" for i in range(8)]
    straight = kept_answers(built(*words))
    for seed in range(5):
        chance = random.Random(seed)
        more = [*words, *chance.choices(words, k=seed)]
        chance.shuffle(more)
        assert kept_answers(built(*more)) == straight
    assert [*straight.values()] != words


@pytest.mark.parametrize(
    ("longer", "shorter", "is_so"),
    [
        ("the city of Rome", "Rome", True),
        ("the city of Rome", "city of", True),
        ("the city of Rome", "city Rome", False),  # not in a row
        ("Rome", "Rome", False),
        ("since August 31", "3", False),
        ("since August 31", "Augus", False),
        ("ROME, Italy", "rome", True),
        ("“Rome”", "Rome", False),  # the same without its quotation marks
        ("C++", "C", True),
        ("São Paulo, 3.5 %", "3.5", True),
    ],
)
def test_containment_is_of_tokens_in_a_row(longer: str, shorter: str, is_so: bool) -> None:
    assert contains(tokens(longer), tokens(shorter)) is is_so


def test_of_equal_answers_the_first_stays() -> None:
    first, second = Offer("q", "s1", "Rome", "a", W), Offer("q", "s2", " rome. ", "b", R)
    found = built(first, second)
    assert kept_answers(found) == {"q_1": "Rome"}
    assert found.exercise.candidates[0].value is Value.REJECTED
    assert found.systems == {("q", "q_1"): ("s1", "s2")}
    assert "1 duplicate was judged differently" in in_words(found.notes)[0]


def test_of_equal_answers_a_judged_one_stays() -> None:
    for verdict, value in ((R, Value.VALIDATED), (W, Value.REJECTED)):
        found = built(Offer("q", "s1", "Rome", "a"), Offer("q", "s2", "Rome", "b", verdict), Offer("q", "s3", "Rome"))
        (kept,) = found.exercise.candidates
        assert (kept.value, kept.text) == (value, "b")
        assert not found.notes
    inexact = built(Offer("q", "s1", "Rome", "a", X), Offer("q", "s2", "Rome", "b", R))
    assert "1 duplicate was judged differently" in in_words(inexact.notes)[0]


def test_an_answer_goes_with_a_longer_one_that_stays() -> None:
    assert kept_answers(built("Rome", "in Rome", "he is in Rome now")) == {"q_1": "he is in Rome now"}
    found = built(Offer("q", "s1", "1912", None, R), Offer("q", "s2", "15 April 1912", None, X))
    assert kept_answers(found) == {"q_1": "15 April 1912"}
    told = "1 right answer is contained in a longer one that is not right"
    assert any(told in note for note in in_words(found.notes))
    assert not built(Offer("q", "s1", "1912", "t", W), Offer("q", "s2", "15 April 1912", "t", X)).notes


def test_what_is_void_nil_declined_or_long_pushes_nothing_out() -> None:
    long = Offer("q", "s", "the city of Rome", "x" * 701)
    declined = Offer("q", "s", "ancient Rome", answered=False)
    found = built(long, declined, "  ", "nil", "NIL", Offer("q", "s", None), Offer("q", "s", "Rome", "x" * 700))
    assert kept_answers(found) == {"q_1": "Rome"}
    gone = {row.rule: row.answers for row in tally(found)}
    assert gone == {"declined": 1, "nil": 2, "void": 2, "long": 1, "duplicate": 0, "contained": 0}


def test_a_rule_can_be_left_out() -> None:
    answers = ("Rome", "rome", "in Rome", "NIL")
    assert list(kept_answers(built(*answers, rules=("nil", "void")))) == ["q_1", "q_2", "q_3"]
    with pytest.raises(UsageError, match="unknown rule 'dupes'"):
        built("Rome", rules=("dupes",))


def test_verdicts_become_values() -> None:
    found = built(*(Offer("q", "s", f"answer {v}", verdict=v) for v in (R, W, U, X, None)))
    assert {each.answer.removeprefix("answer "): each.value for each in found.exercise.candidates} == {
        "R": Value.VALIDATED,
        "W": Value.REJECTED,
        "U": Value.REJECTED,
        "X": Value.UNKNOWN,
        "None": Value.UNKNOWN,
    }


def test_questions_without_an_answer_left_are_not_in_it() -> None:
    asked = [Question("1", "?"), Question("2", "?"), Question("3", "?")]
    found = build(asked, [Offer("1", "s", "NIL"), Offer("2", "s", "Rome")])
    assert [question.id for question in found.exercise.questions] == ["2"]
    assert in_words(found.notes) == (
        "2 questions have no answer left, and are not in the collection",
        "1 of 1 answer has no supporting text (`support` in a run)",
    )
    with pytest.raises(MismatchError, match="'9', which is not among the questions"):
        build(asked, [Offer("9", "s", "Rome")])


def test_runs_become_offers_with_their_verdicts() -> None:
    run = Run("s", (Response("1", "Rome", True, support="in Rome"), Response("2", None, False)))
    found = list(offers([run], lambda *asked: R if asked == ("s", "1", "Rome", 1) else W))
    assert found == [Offer("1", "s", "Rome", "in Rome", R), Offer("2", "s", None, None, None, answered=False)]


@pytest.mark.parametrize("name", PRINTED["tables"])
def test_tables_1_and_2_come_out(name: str) -> None:
    asked, given, table = [], [], PRINTED["tables"][name]
    for language, (questions, answers, available, _, right, wrong, _) in table.items():
        names = [f"{language}{i}" for i in range(questions)]
        asked += [Question(name, "?", strata={"language": language}) for name in names]
        verdicts = [R] * right + [W] * wrong + [X] * (answers - right - wrong)
        given += [Offer(names[i % questions], "s", f"answer {i}", verdict=v) for i, v in enumerate(verdicts)]
        given += [Offer(names[i % questions], "s", "NIL") for i in range(available - answers)]
    found = build(asked, given)
    rows = {row.language: row for row in counts(found.exercise)}
    assert rows.keys() == table.keys()
    for language, (questions, answers, available, percent, right, wrong, unknown) in table.items():
        row = rows[language]
        assert (row.questions, row.answers, row.available) == (questions, answers, available)
        assert (row.validated, row.rejected, row.unknown) == (right, wrong, unknown)
        assert row.kept is not None
        assert rounds_to(row.kept, percent, 100)
