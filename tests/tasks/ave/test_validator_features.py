"""The techniques of the validator: each feature derived on paper, and none that depends on another technique."""

from __future__ import annotations

import tomllib
from math import log, log1p
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nescio.data.model import Question
from nescio.errors import MismatchError, UnknownNameError, UsageError
from nescio.tasks.ave.exercise import Candidate, Exercise
from nescio.tasks.ave.validator import OWN, TECHNIQUES, Rarity, Resources, chosen, features, rarity, table12
from nescio.tasks.ave.validator._lexicon import opposites, synonyms
from nescio.tasks.ave.validator._lexicon import rivals as rivals_of
from nescio.tasks.ave.validator._rivals import contested
from nescio.tasks.ave.validator.techniques import PARTICIPANTS, TABLE_12, preset
from tests.rings import together
from tests.tasks.ave.candidates import EQUAL, found

ON_PAPER = tomllib.loads((Path(__file__).parent / "features.toml").read_text(encoding="utf-8"))["candidate"]


@together("expected", ON_PAPER)
def test_features_on_paper(expected: dict[str, Any]) -> None:
    expected = dict(expected)
    row = found(*(expected.pop(name) for name in ("question", "answer", "text")))
    assert {name: row[name] for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize(("title", "in_title"), [("Warsaw", 1), (None, 0)])
def test_a_word_of_the_title_is_not_quite_missing(title: str | None, in_title: int) -> None:
    row = found("Who left Warsaw?", "The king", "The king left the city.", title=title)
    assert (row["lexical: in title"], row["lexical: missing"]) == (in_title, log1p(1))


@pytest.mark.parametrize(
    ("asked", "stated", "exact", "related"),
    [
        ("kite", "kite", 1, 1),
        ("emigr", "emigrat", 1 / 2, 1),  # a common beginning of five letters
        ("samuron", "samuren", 1 / 2, 1),  # five letters again; of their pairs 2·4/12 < 0.7 are shared
        ("theatr", "theater", 1 / 2, 1),  # the, hea … of five and six pairs: th he ea at, 8/11 ≥ 0.7
        ("kite", "kits", 1 / 2, 1 / 2),  # two of three pairs each: 4/6 < 0.7
        ("colonise", "kolonise", 1 / 2, 1 / 2),  # another first letter
        ("clear", "unclear", 1 / 2, 1 / 2),
        ("1765", "1756", 1 / 2, 1 / 2),
    ],
)
def test_words_are_alike(asked: str, stated: str, exact: float, related: float) -> None:
    row = found(f"Who saw the {asked}?", "Ben", f"Ben saw the {stated}.")
    assert (row["lexical: weighted coverage"], row["lexical: related coverage"]) == (exact, related)


@pytest.mark.parametrize("day", ["4 January", "January 4", "January 4th,", "the 4th of January"])
def test_a_whole_date_is_the_same_in_every_order(day: str) -> None:
    row = found("Who left on 4 January 1945?", "they", f"It was on {day} 1945 that they left.")
    assert (row["times: times asked"], row["times: times missing"], row["times: times in text"]) == (3, 0, log1p(3))
    assert found("Who left on 5 January 1945?", "they", f"They left on {day} 1945.")["times: times missing"] == 1
    assert found("Who left on 4 March 1945?", "they", f"They left on {day} 1945.")["times: times missing"] == 2


@pytest.mark.parametrize(
    ("answers", "votes", "at", "expected"),
    [
        # two votes of four, and nothing like the others
        (["Paris", "the paris", "Lyon", "city of Lyon"], {}, 0, {"votes": 0.5, "lead": 0.25, "most votes": 1}),
        (
            ["Paris", "the paris", "Lyon", "city of Lyon"],
            {},
            1,
            {"likeness": 0, "division": -(0.5 * log(0.5) + 2 * 0.25 * log(0.25)), "answers": log(3)},
        ),
        # lyon, within city of lyon: F1 = 2·1/(1 + 3), the only likeness among three other votes
        (
            ["Paris", "the paris", "Lyon", "city of Lyon"],
            {},
            2,
            {"likeness": 0.5 / 3, "within others": 0.25, "holds others": 0},
        ),
        (["a", "b c"], {("q", "0"): 3}, 1, {"votes": 0.25, "most votes": 0}),
        (["x b b", "b c"], {}, 0, {"likeness": 2 / 5}),
    ],
)
def test_redundancy_on_paper(
    answers: list[str], votes: dict[tuple[str, str], int], at: int, expected: dict[str, float]
) -> None:
    candidates = tuple(Candidate("q", str(i), answer, "") for i, answer in enumerate(answers))
    made = features(Exercise("one", (Question("q", "?"),), candidates), ["redundancy"], EQUAL, votes=votes)
    row = dict(zip(made.names, made.values[at], strict=True))
    assert {name: row[f"redundancy: {name}"] for name in expected} == pytest.approx(expected)


def test_the_lexicon_is_sound() -> None:
    for related in (synonyms(), opposites(), rivals_of()):
        assert all(word in related[other] for word, others in related.items() for other in others)
        assert all(word not in others for word, others in related.items())


# ---- rivals: other questions about the same text ----

ROME = "A kite landed in Rome."
ASKED = (
    ("rome", "What landed in Rome?", "kite", ROME),
    ("paris", "What landed in Paris?", "A kite", ROME),
    ("where", "Where did the kite land?", "Rome", ROME),
    ("elsewhere", "What landed in Rome?", "kite", "A kite landed in Rome once."),
)


def rivals(*asked: tuple[str, str, str, str]) -> dict[str, dict[str, float]]:
    """The features of rivals by question, of (question id, question, answer, text)."""
    questions = tuple(Question(name, question) for name, question, _, _ in asked)
    candidates = tuple(Candidate(name, f"{name}_1", answer, text) for name, _, answer, text in asked)
    made = features(Exercise("rivals", questions, candidates), ["rivals"], EQUAL)
    names = [name.removeprefix("rivals: ") for name in made.names]
    return {row[0]: dict(zip(names, values, strict=True)) for row, values in zip(asked, made.values, strict=True)}


def test_rivals_on_paper() -> None:
    """{land, rome} and {land, paris} share one of three words; the text has both of the first's, one of the second's.

    "Where did the kite land?" seeks {kite, land}, all there, and gives another answer. "A kite" and "kite" are
    unlike answers that share a word. The last has a text of its own.
    """
    rows = rivals(*ASKED)
    rome, paris, where = (rows[name] for name in ("rome", "paris", "where"))
    assert [rome[f"rivals ({kind})"] for kind in ("text", "same answer", "near answer")] == [2, 0, 1]
    assert [where[f"rivals ({kind})"] for kind in ("text", "same answer", "near answer")] == [2, 0, 0]
    assert set(rows["elsewhere"].values()) == {0}
    assert rome["lead (near answer)"] == rome["lead over the likest (near answer)"] == 0.5
    assert paris["lead (near answer)"] == paris["lead over the likest (near answer)"] == -0.5
    assert rome["likeness (near answer)"] == paris["likeness (near answer)"] == pytest.approx(1 / 3)
    assert rome["missing in the likest (near answer)"] == pytest.approx(1 / 3)  # Paris, which only the rival asks for
    assert paris["missing in the likest (near answer)"] == pytest.approx(-1 / 3)
    assert (rome["lead (text)"], paris["lead (text)"]) == (0, -0.5)  # all of "where" is there too
    assert rivals(*reversed(ASKED)) == rows


def test_candidates_without_a_text_have_no_rivals() -> None:
    rows = rivals(*((name, question, answer, "") for name, question, answer, _ in ASKED))
    assert {value for row in rows.values() for value in row.values()} == {0}
    assert contested([Candidate(name, name, answer, text) for name, _, answer, text in ASKED]) == 0.75
    assert contested([Candidate(name, name, answer, "") for name, _, answer, _ in ASKED]) == 0


# ---- as an array ----


def small() -> Exercise:
    questions = (Question("1", "Who sold the kite?"), Question("2", "When did the war end?"))
    rows = (
        ("1", "a", "Carla", "Carla sold the kite."),
        ("1", "b", "Ben", "Ben bought a kite."),
        ("2", "c", "1945", "It ended in 1945."),
    )
    return Exercise("small", questions, tuple(Candidate(*row) for row in rows))


def test_rarity_on_paper() -> None:
    rare = rarity(small())
    assert (rare.texts, rare.counts["kite"], rare.counts["1945"]) == (6, 4, 1)
    assert rare.weight("kite") == pytest.approx(log(7 / 5) / log(7))
    assert rare.weight("unheard") == 1
    assert Rarity(0, {}).weight("kite") == 1


def test_a_technique_that_is_switched_off_changes_no_other_feature() -> None:
    exercise, every = small(), [*OWN, "redundancy"]
    rare = rarity(exercise)
    together = features(exercise, every, rare)
    assert together.values.shape == (3, len(together.names))
    assert np.isfinite(together.values).all()
    for name in every:
        alone = features(exercise, [name], rare)
        at = [together.names.index(each) for each in alone.names]
        np.testing.assert_array_equal(alone.values, together.values[:, at])
        left = together.without(name)
        rest = [i for i in range(len(together.names)) if i not in at]
        assert left.names == tuple(together.names[i] for i in rest)
        np.testing.assert_array_equal(left.values, together.values[:, rest])


def test_odd_candidates_have_features() -> None:
    odd = ("", "?", "…", "İstanbul 1234567890123456789 ½", "()", "a" * 300)
    questions = tuple(Question(str(i), text) for i, text in enumerate(odd))
    answers = [(i, j, odd[j], odd[-1 - j]) for i in range(len(odd)) for j in range(len(odd))]
    candidates = tuple(Candidate(str(i), f"{i}{j}", answer, text) for i, j, answer, text in answers)
    made = features(Exercise("odd", questions, candidates), [*OWN, "redundancy"], EQUAL)
    assert np.isfinite(made.values).all()


def test_redundancy_is_used_only_where_it_is_asked_for() -> None:
    nothing = Resources()
    assert set(chosen(nothing)) >= set(OWN)
    assert "redundancy" not in chosen(nothing)
    assert "redundancy" in chosen(nothing, redundancy=True)
    assert "chunks" not in chosen(nothing, ["chunks"])
    with pytest.raises(UnknownNameError, match="did you mean chunks"):
        chosen(nothing, ["chunk"])
    with pytest.raises(UsageError, match="every technique is switched off"):
        chosen(nothing, list(TECHNIQUES))
    with pytest.raises(MismatchError, match="no answer to validate"):
        features(Exercise("none", (), ()), OWN, EQUAL)


def test_table_12_is_the_paper_s() -> None:
    """How many of the nineteen techniques each participant used: the columns as restored in the specification."""
    used = [sum(marks[i] == "x" for marks in TABLE_12.values()) for i in range(len(PARTICIPANTS))]
    assert used == [11, 7, 3, 8, 10, 8, 4, 3, 4, 5]
    assert PARTICIPANTS[:4] == ("adiftene", "tellez", "rodrigo", "iglockner_1")
    assert PARTICIPANTS[4:] == ("iglockner_2", "jsaias", "ltqa", "magc", "ofe", "text_mess")
    rows = {(row.technique, row.here): row for row in table12()}
    assert len(TABLE_12) == 19
    assert rows["NER", "names"].use == "yes"
    assert {technique for technique, _ in rows} >= {*TABLE_12}
    assert rows["Theorem prover", "proofs"].use == rows["Semantic similarity", "embeddings"].use == "skipped"


def test_a_preset_is_a_column_of_table_12() -> None:
    """Tellez marks hypotheses, chunking, n-grams, phrases, NER, numbers and syntactic similarity; all are lexical too."""
    assert set(preset("tellez")) == {
        *("lexical", "proximity", "speech", "hypothesis", "chunks", "constituents", "ngrams", "phrases"),
        *("names", "classes", "numbers", "syntax"),
    }
    assert chosen(Resources(), only=["ltqa"]) == (
        "lexical",
        "proximity",
        "ngrams",
    )  # functions and syntax need a parser
    assert chosen(Resources(), only=["tellez", "times"], without=["times", "numbers", "lexical"])[0] == "proximity"
    assert chosen(Resources(), only=["times"]) == ("times",)
    with pytest.raises(UsageError, match=r"no technique can be used \(proofs: "):
        chosen(Resources(), only=["proofs"])
    with pytest.raises(UnknownNameError, match="did you mean rodrigo"):
        chosen(Resources(), only=["rodrig"])
