"""Laws of the prover: a statement proves itself, its negation does not, and a longer text never proves less."""

from __future__ import annotations

from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nescio.tasks.ave.validator import _logic, _parsing
from nescio.tasks.ave.validator._atoms import EQUAL, Atom, facts, formula, matching
from nescio.tasks.ave.validator._frames import antecedent
from nescio.tasks.ave.validator._modes import modes
from nescio.tasks.ave.validator._parsing import Parse
from nescio.tasks.ave.validator._relaxation import relaxation
from nescio.text import sentences, stem
from tests.tasks.ave.least_cost_by_e import least_cost
from tests.tasks.ave.real_statements import real_statements, with_data
from tests.tasks.ave.test_validator_syntax import PIPELINE, installed, without_prover

pytestmark = [pytest.mark.filterwarnings("ignore::DeprecationWarning")]
NEGATIVE = {"not", "n't", "no", "never", "none", "neither", "nor", "cannot"}


def cost(stated: Parse, text: Parse) -> int:
    return relaxation(formula(stated), facts(text)).cost


# ---- formulas that chance makes ----

PLACES = st.integers(0, 3)
ATOMS = st.one_of(
    st.builds(lambda name, at: Atom(name, (at,)), st.sampled_from(["anna", "ship", "vessel", ":denied"]), PLACES),
    st.builds(lambda name, a, b: Atom(name, (a, b)), st.sampled_from([":agent", ":of", EQUAL]), PLACES, PLACES),
)
FORMULAS = st.lists(ATOMS, max_size=7, unique=True).map(tuple)


@given(FORMULAS, FORMULAS, FORMULAS)
def test_laws_of_any_formula(first: tuple[Atom, ...], second: tuple[Atom, ...], third: tuple[Atom, ...]) -> None:
    found = relaxation(first, second)
    assert relaxation(first, first).cost == 0
    assert 0 <= found.cost == sum(atom.cost for atom in found.given_up) <= found.whole
    assert relaxation(first, (*second, *third)).cost <= found.cost
    assert not found.limit_reached


@pytest.mark.slow
@without_prover
@settings(max_examples=150, deadline=None)
@given(FORMULAS, FORMULAS)
def test_the_least_cost_is_that_of_the_prover(stated: tuple[Atom, ...], text: tuple[Atom, ...]) -> None:
    """E saturates all costs by itself, and proves what the relaxation leaves of the statement."""
    found = relaxation(stated, text)
    assert found.cost == least_cost(stated, text)
    assert _logic.prove(None, [_logic.rest(0, stated, text, found)]) == [True]


@without_prover
def test_the_prover_does_not_prove_what_is_not_so() -> None:
    """Each of these wants one atom more than the text has."""
    text = (Atom("anna", (0,)), Atom("sleep", (1,)), Atom(":agent", (1, 0)))
    for more in (Atom("ben", (0,)), Atom(":patient", (1, 0)), Atom(":denied", (1,)), Atom(EQUAL, (0, 1))):
        same = {0: 0, 1: 1}
        assert _logic.prove(None, [_logic.clauses(0, text, text, same)]) == [True]
        assert _logic.prove(None, [_logic.clauses(0, (*text, more), text, same)]) == [False]


def test_a_search_that_would_be_too_large_is_reported_and_not_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = tuple(Atom(":agent", (i, (i + 1) % 3)) for i in range(3))
    monkeypatch.setattr("nescio.tasks.ave.validator._relaxation.CELLS", 8)
    found = relaxation((*ring, Atom("anna", (0,))), (*ring, Atom("ben", (0,))))
    assert found.limit_reached
    assert found.cost <= found.whole


def test_words_that_begin_alike_imply_nothing() -> None:
    assert not matching(stem("university"), frozenset({stem("universe"), stem("universal")}))
    assert matching(stem("ships"), frozenset({stem("ship"), stem("vessel")})) == {"ship", "vessel"}


# ---- sentences ----


def parsed(*texts: str) -> list[Parse]:
    return _parsing.parse(PIPELINE, texts)


@installed
@pytest.mark.slow
@pytest.mark.parametrize(
    ("stated", "text", "proved"),
    [
        ("Carla sold the kite.", "Carla sold the red kite.", True),
        ("Carla sold the kite.", "The kite was sold by Carla.", True),
        ("Carla sold the kite.", "Carla did not sell the kite.", False),
        ("Carla did not sell the kite.", "Carla sold the kite.", False),
        ("Carla sold the kite.", "Carla never sold the kite.", False),
        ("Carla sold a kite.", "Carla sold no kite.", False),
        ("Carla sold no kite.", "Carla sold a kite.", False),
        ("Carla sold the kite.", "If Carla sold the kite, she was sad.", False),
        ("Carla was sad.", "If Carla sold the kite, she was sad.", False),
        ("Carla sold the kite.", "Carla would sell the kite.", False),
        ("Carla sold the kite.", "Carla refused to sell the kite.", False),
        ("Carla sold the kite.", "Carla wanted to sell the kite.", False),
        ("Carla sold the kite.", "Carla left without selling the kite.", False),
        ("Carla sold the kite.", "Did Carla sell the kite?", False),
        ("Carla is a painter.", "Carla is not a painter.", False),
        ("Carla is not a painter.", "Carla is a painter.", False),
        ("All dogs bark.", "Some dogs bark.", False),
        ("Some dogs bark.", "All dogs bark.", True),
        ("Most dogs bark.", "All dogs bark.", True),
        ("All dogs bark.", "Most dogs bark.", False),
        ("Some dogs barked.", "Few dogs barked.", False),
        ("Some dogs barked.", "A few dogs barked.", True),
        ("She saw the university.", "She saw the universe.", False),
    ],
)
def test_what_proves_what(stated: str, text: str, proved: bool) -> None:
    first, second = parsed(stated, text)
    assert (cost(first, second) == 0) == proved


@installed
@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Anna met Ben. She slept.", "anna"),
        ("Anna met Ben. He slept.", "ben"),
        ("Anna saw the dogs. They slept.", "dogs"),
        ("Anna saw the dogs. She slept.", "anna"),
        ("The queen met Ben. She slept.", "queen"),
        ("Ben slept. She slept.", None),
    ],
)
def test_a_pronoun_agrees_in_gender_and_number(text: str, expected: str | None) -> None:
    (words,) = parsed(text)
    (at,) = (i for i, word in enumerate(words) if word.lower in ("she", "he", "they"))
    meant = antecedent(words, at)
    assert (words[meant].lower if meant is not None else None) == expected


# ---- two hundred real statements ----


@lru_cache(maxsize=1)
def real() -> tuple[list[str], list[Parse], list[str]]:
    pairs = real_statements()
    statements = [stated for stated, _ in pairs]
    assert len(statements) == 200
    return statements, parsed(*statements), [text for _, text in pairs]


def negation(stated: str, words: Parse) -> str | None:
    """The statement with a "not" at its main verb; None where it is negative already."""
    if {word.lower for word in words} & NEGATIVE:
        return None
    root = next(i for i, word in enumerate(words) if word.head == i)
    helping = next((i for i, word in enumerate(words) if word.head == root and word.dep in ("aux", "auxpass")), root)
    word = words[helping]
    end = word.at + len(word.lower)
    if helping != root or word.lemma == "be":
        return f"{stated[:end]} not{stated[end:]}"
    return f"{stated[: word.at]}did not {word.lemma}{stated[end:]}"


@installed
@with_data
@pytest.mark.slow
def test_a_real_statement_proves_itself_and_is_not_proved_by_its_negation() -> None:
    statements, parses, _ = real()
    assert [each for each, words in zip(statements, parses, strict=True) if cost(words, words)] == []
    pairs = [
        (words, other)
        for each, words in zip(statements, parses, strict=True)
        if (other := negation(each, words)) is not None
    ]
    assert len(pairs) > 180
    denied = parsed(*(other for _, other in pairs))
    for (words, text), refuted in zip(pairs, denied, strict=True):
        assert cost(words, refuted) > 0, text
        assert cost(refuted, words) > 0, text
        assert any(mode != "asserted" for mode in modes(refuted).values())


@installed
@with_data
@pytest.mark.slow
def test_a_longer_text_never_proves_less_of_a_real_statement() -> None:
    """Half of the text, the text, and the text between sentences of two others."""
    _, parses, texts = real()
    divided = [sentences(text) for text in texts]
    for at, (words, own) in enumerate(zip(parses, divided, strict=True)):
        before, after = divided[at - 1][:5], divided[at - 2][:5]
        lengths = ["\n\n".join(each) for each in (own[: len(own) // 2], own, (*before, *own, *after))]
        half, plain, longer = (cost(words, text) for text in parsed(*lengths))
        assert half >= plain >= longer
        assert [word.dep for word in parsed(texts[at])[0]] == [word.dep for word in parsed(lengths[1])[0]]


@installed
@with_data
@pytest.mark.slow
@without_prover
def test_the_prover_proves_what_is_left_of_each_real_statement() -> None:
    _, parses, texts = real()
    for first in range(0, 200, 40):
        pairs = [
            (formula(words), facts(text))
            for words, text in zip(parses[first:], parsed(*texts[first : first + 40]), strict=False)
        ]
        problems = [_logic.rest(i, *pair, relaxation(*pair)) for i, pair in enumerate(pairs)]
        assert all(_logic.prove(None, problems))
