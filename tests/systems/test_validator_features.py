"""The techniques of the validator: each feature derived on paper, and none that depends on another technique."""

from __future__ import annotations

from math import exp, log, log1p

import numpy as np
import pytest

from nescio.data.model import Question
from nescio.errors import MismatchError, UnknownNameError, UsageError
from nescio.systems.validator import OWN, TECHNIQUES, Rarity, Resources, chosen, features, rarity, table12
from nescio.systems.validator._case import EXACT, NONE, RELATED, Case, alike, case
from nescio.systems.validator._chunks import chunks
from nescio.systems.validator._entities import classes, coreference
from nescio.systems.validator._lexical import lexical, ngrams, proximity
from nescio.systems.validator._lexicon import lemmas, negated, opposites, rivals, synonyms
from nescio.systems.validator._meaning import references, similar
from nescio.systems.validator._phrases import conflicts, hypothesis, phrases
from nescio.systems.validator._redundancy import group, overlap, redundancy
from nescio.systems.validator._rivals import against_rivals, contested
from nescio.systems.validator._types import agrees, asked_type, given_type, moments, names, numbers, times
from nescio.systems.validator._words import question_word, read
from nescio.systems.validator.features import Features
from nescio.systems.validator.techniques import PARTICIPANTS, TABLE_12
from nescio.tasks.ave.exercise import Candidate, Exercise
from tests.rings import together


def plain_case(question: str, answer: str, text: str, title: str = "") -> Case:
    """A candidate whose words are all equally telling."""
    return case(question, answer, text, lambda _: 1.0, title)


# The content words asked for are sold (sell), red, kite; the text reads At noon Carla sold the kite.
KITE = plain_case("Who sold the red kite?", "Carla", "At noon Carla sold the kite.")


def test_words_are_read_without_case_accents_and_possession() -> None:
    found = read("Céloron's men began 3,600 raids, and fled.")
    assert found.lower == ("celoron", "men", "began", "3,600", "raids", "and", "fled")
    assert found.lemma == ("celoron", "man", "begin", "3,600", "raids", "and", "flee")
    assert found.place == (1, 2, 3, 4, 5, 8, 9)  # the comma adds two
    assert found.content_stems == ("celoron", "man", "begin", "3,600", "raid", "flee")


@pytest.mark.parametrize(
    ("first", "second", "level"),
    [
        ("kite", "kite", EXACT),
        ("emigr", "emigrat", RELATED),  # a common beginning of five letters
        (
            "samuron",
            "samuren",
            RELATED,
        ),  # five letters again; of their pairs 2·4/12 < 0.7 are shared
        ("kite", "kits", NONE),  # two of three pairs each: 4/6 < 0.7
        ("colonise", "kolonise", NONE),  # another first letter
        ("theatr", "theater", RELATED),  # the, hea … of five and six pairs: th he ea at, 8/11 ≥ 0.7
        ("clear", "unclear", NONE),
        ("1765", "1756", NONE),
    ],
)
def test_stems_are_alike(first: str, second: str, level: int) -> None:
    assert alike(first, second) == level


def test_the_kind_of_answer_is_not_looked_for_in_the_text() -> None:
    # "What year" says what is asked for; only begin and war are to be found.
    assert [m.stem for m in plain_case("What year did the war begin?", "1914", "The war began in 1914.").matches] == [
        "war",
        "begin",
    ]


def test_of_several_places_the_answer_stands_where_the_question_is_near() -> None:
    one = plain_case("Who sold the kite?", "Carla", "Carla slept all day, and Ben read; Carla sold a kite.")
    assert (one.span, one.places) == ((7, 8), 2)


def test_lexical_on_paper() -> None:
    found = lexical(KITE)
    assert found["coverage"] == found["weighted coverage"] == pytest.approx(2 / 3)
    assert (found["missing"], found["one missing"], found["one plain missing"]) == (log1p(1), 1, 1)
    assert found["everything there"] == 0
    assert found["text asked about"] == pytest.approx(2 / 4)  # sell, kite of noon, carla, sell, kite
    assert (found["question length"], found["text length"], found["answer length"]) == (log1p(5), log1p(6), log1p(1))
    assert found["answer to text"] == pytest.approx(1 / 6)
    assert (
        lexical(plain_case("Who sold the red kite?", "the kite", "He sold the kite."))["answer repeats question"] == 1
    )


def test_a_word_of_the_title_is_not_quite_missing() -> None:
    question, text = "Who left Warsaw?", "The king left the city."
    assert lexical(plain_case(question, "The king", text, "Warsaw"))["in title"] == 1
    assert lexical(plain_case(question, "The king", text))["in title"] == 0


def test_ngrams_on_paper() -> None:
    # who sell the red kite | at noon carla sell the kite: sell-the is shared, sell the kite a subsequence, sell
    # the a run.
    found = ngrams(KITE)
    assert (found["bigrams"], found["trigrams"], found["content bigrams"]) == (1 / 4, 0, 0)
    assert (found["subsequence"], found["content subsequence"]) == (3 / 5, 2 / 3)
    assert (found["run"], found["run length"]) == (2 / 5, log1p(2))


def test_proximity_on_paper() -> None:
    # sell is one word behind Carla, kite three.
    found = proximity(KITE)
    assert found["near"] == pytest.approx((exp(-1 / 6) + exp(-3 / 6)) / 3)
    assert (found["nearest"], found["mean distance"]) == (log1p(1), log1p(2))
    assert (found["before"], found["focus there"]) == (0, 1)
    assert found["within five"] == pytest.approx(2 / 3)
    assert found["position"] == pytest.approx(2 / 6)


def test_hypothesis_on_paper() -> None:
    # carla sell the red kite | at noon carla sell the kite
    found = hypothesis(KITE)
    assert found["subsequence"] == pytest.approx(4 / 5)
    assert found["run beyond answer"] == log1p(2)
    assert found["bigrams"] == pytest.approx(2 / 4)
    assert found["beside answer"] == pytest.approx(2 / 3)  # sell and kite of sell, red, kite follow the answer in both


def test_phrases_see_sides_and_order() -> None:
    turned = phrases(plain_case("Who defeated Wolfe?", "Montcalm", "Wolfe defeated Montcalm."))
    assert turned["same side"] == 0  # both stand behind the answer in the statement, before it in the text
    straight = phrases(plain_case("Who defeated Wolfe?", "Montcalm", "Montcalm defeated Wolfe."))
    assert (straight["same side"], straight["order"], straight["gain"]) == (1, 1, 0)
    passive = phrases(plain_case("Who defeated Wolfe?", "Montcalm", "Wolfe was defeated by Montcalm."))
    assert (passive["voice differs"], passive["by before"]) == (1, 1)


def test_slots_that_are_filled_otherwise() -> None:
    one = plain_case(
        "Where did he celebrate Mass in Berlin?", "Victory Square", "He celebrated Mass in Victory Square in Warsaw."
    )
    assert conflicts(one)["name filled otherwise"] == 1
    same = plain_case(
        "Where did he celebrate Mass in Warsaw?", "Victory Square", "He celebrated Mass in Victory Square in Warsaw."
    )
    assert conflicts(same)["name filled otherwise"] == 0
    # every seventh month | every seventh year: exchanged between words that both have
    assert (
        phrases(plain_case("What falls every seventh month again?", "rain", "rain falls every seventh year again"))[
            "exchanged"
        ]
        == 1
    )


def test_chunks_see_an_answer_that_is_cut_out_of_a_name() -> None:
    found = chunks(plain_case("Who led them?", "Louis", "They were led by Louis Montcalm of France."))
    assert (found["cuts a name"], found["before name"], found["after link"]) == (1, 1, 1)
    whole = chunks(plain_case("Who led them?", "Louis Montcalm", "They were led by Louis Montcalm of France."))
    assert (whole["cuts a name"], whole["of follows"], whole["begins with name"]) == (0, 1, 1)
    assert chunks(plain_case("Who?", "(he", "It was (he who came)."))["unbalanced"] == 1


@pytest.mark.parametrize(
    ("question", "asked", "answer", "given"),
    [
        ("Who led them?", "who", "Louis", "name"),
        ("In what year was it?", "when", "1945", "time"),
        ("Which city is it?", "where", "Rome", "name"),
        ("How many are there?", "how many", "two hundred", "number"),
        ("How old is it?", "how", "very", "other"),
        ("Name him.", "none", "5 May", "time"),
    ],
)
def test_types(question: str, asked: str, answer: str, given: str) -> None:
    words = read(question)
    assert asked_type(words, question_word(words)) == asked
    assert given_type(read(answer)) == given


def test_names_and_numbers_that_are_missing() -> None:
    found = names(plain_case("Who led New France against Wolfe?", "Montcalm", "Montcalm led France."))
    assert (found["names asked"], found["names missing"]) == (3, 2)
    assert (found["fits"], found["who, does not fit"]) == (1, 0)
    assert names(plain_case("How many came?", "Some", "Some came."))["how many, does not fit"] == 1
    found = numbers(
        plain_case("How many of the 12 ships sank in 1765?", "three", "Three of twelve ships sank in 1756.")
    )
    assert (found["numbers asked"], found["numbers missing"], found["others instead"]) == (2, 1, 1)
    assert found["share of numbers"] == 0.5  # twelve is 12


def test_times_on_paper() -> None:
    assert moments("on May 8, 1945, in the 1940s and the 20th century") == {
        ("month", 5),
        ("day", 508),
        ("year", 1945),
        ("decade", 1940),
        ("century", 20),
    }
    years = frozenset({("year", 1900), ("year", 1945)})
    assert agrees(("decade", 1940), years)
    assert agrees(("century", 19), years)  # 1900 is the last year of the nineteenth
    assert not agrees(("year", 1944), years)
    found = times(plain_case("Who came in 1765?", "Wolfe", "Wolfe came in 1756."))
    assert (found["times asked"], found["times missing"], found["others instead"]) == (1, 1, 1)


def test_meaning_knows_opposites_synonyms_and_negations() -> None:
    found = similar(plain_case("Who lost the war?", "Anna", "Anna won the war."))
    assert (found["opposites"], found["coverage with synonyms"]) == (1, 1 / 2)
    found = similar(plain_case("Who began the war?", "Anna", "Anna started the war."))
    assert (found["opposites"], found["coverage with synonyms"], found["without a synonym"]) == (0, 1, 0)
    found = similar(plain_case("What did not break down?", "it", "It broke down."))
    assert (found["question negated"], found["negations differ"], found["negation missing"]) == (1, 1, 1)
    assert similar(plain_case("How many projects a month?", "500", "It has 500 projects a year."))["rivals"] == 1
    # A word that the question has as well is no opposite of its own.
    assert similar(plain_case("Who won or lost?", "Anna", "Anna won."))["opposites"] == 0


def test_the_lexicon_is_sound() -> None:
    assert lemmas()["began"] == "begin"
    for related in (synonyms(), opposites(), rivals()):
        assert all(word in related[other] for word, others in related.items() for other in others)
        assert all(word not in others for word, others in related.items())
    assert negated("unclear", "clear")
    assert not negated("under", "der")


def test_references_count_pronouns() -> None:
    found = references(plain_case("Where did Celeron go?", "home", "He told them to go home."))
    assert (found["pronouns"], found["begins with one"], found["for a missing name"]) == (log1p(2), 1, 1)


def test_redundancy_on_paper() -> None:
    one = group(["Paris", "the paris", "Lyon", "city of Lyon"], [1, 1, 1, 1])
    found = redundancy(one, 0)  # two votes of four, and nothing like the others
    assert (found["votes"], found["lead"], found["most votes"], found["likeness"]) == (0.5, 0.25, 1, 0)
    assert found["division"] == pytest.approx(-(0.5 * log(0.5) + 2 * 0.25 * log(0.25)))
    found = redundancy(one, 2)  # lyon, within city of lyon: F1 = 2·1/(1 + 3)
    assert found["likeness"] == pytest.approx(0.5 / 3)
    assert (found["within others"], found["holds others"]) == (0.25, 0)
    assert redundancy(group(["a", "b c"], [3, 1]), 1)["votes"] == 0.25
    assert overlap(("a", "b", "b"), ("b", "c")) == pytest.approx(2 / 5)


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
    found = rarity(small())
    assert (found.texts, found.counts["kite"], found.counts["1945"]) == (6, 4, 1)
    assert found.weight("kite") == pytest.approx(log(7 / 5) / log(7))
    assert found.weight("unheard") == 1
    assert Rarity(0, {}).weight("kite") == 1


def test_a_technique_that_is_switched_off_changes_no_other_feature() -> None:
    exercise = small()
    rare = rarity(exercise)
    together = features(exercise, [*OWN, "redundancy"], rare)
    assert together.values.shape == (3, len(together.names))
    assert np.isfinite(together.values).all()
    for name in (*OWN, "redundancy"):
        alone = features(exercise, [name], rare)
        at = [together.names.index(each) for each in alone.names]
        np.testing.assert_array_equal(alone.values, together.values[:, at])
        rest = features(exercise, [each for each in (*OWN, "redundancy") if each != name], rare)
        left = together.without(name)
        assert left.names == rest.names
        np.testing.assert_array_equal(left.values, rest.values)


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
        features(Exercise("none", (), ()), OWN, Rarity(0, {}))


def test_odd_candidates_have_features() -> None:
    odd = ("", "?", "…", "İstanbul 1234567890123456789 ½", "()", "a" * 300)
    questions = tuple(Question(str(i), text) for i, text in enumerate(odd))
    candidates = tuple(
        Candidate(str(i), f"{i}{j}", a, t)
        for i in range(len(odd))
        for j, (a, t) in enumerate(zip(odd, odd[::-1], strict=True))
    )
    found: Features = features(Exercise("odd", questions, candidates), [*OWN, "redundancy"], Rarity(0, {}))
    assert np.isfinite(found.values).all()


def test_table_12_is_the_paper_s() -> None:
    # Columns as restored in the specification: how many of the nineteen techniques each participant used.
    used = {user: sum(marks[i] == "x" for marks in TABLE_12.values()) for i, user in enumerate(PARTICIPANTS)}
    assert used == {
        "adiftene": 11,
        "tellez": 7,
        "rodrigo": 3,
        "iglockner_1": 8,
        "iglockner_2": 10,
        "jsaias": 8,
        "ltqa": 4,
        "magc": 3,
        "ofe": 4,
        "text_mess": 5,
    }
    rows = {(row.technique, row.here): row for row in table12()}
    assert len(TABLE_12) == 19
    assert rows["NER", "names"].use == "yes"
    assert {technique for technique, _ in rows} >= {*TABLE_12}
    assert rows["Theorem prover", "proofs"].use == "skipped"
    assert rows["Semantic similarity", "embeddings"].use == "skipped"


def rows_of(*asked: tuple[str, str, str, str]) -> dict[str, dict[str, float]]:
    """The rivals of (question id, question, answer, text), all words equally telling, by question."""
    candidates = [Candidate(name, f"{name}_1", answer, text) for name, _, answer, text in asked]
    cases = [plain_case(question, answer, text) for _, question, answer, text in asked]
    return {
        each.question_id: dict(row) for each, row in zip(candidates, against_rivals(candidates, cases), strict=True)
    }


ROME = "A kite landed in Rome."
ASKED = (
    ("rome", "What landed in Rome?", "kite", ROME),
    ("paris", "What landed in Paris?", "A kite", ROME),
    ("where", "Where did the kite land?", "Rome", ROME),
    ("elsewhere", "What landed in Rome?", "kite", "A kite landed in Rome once."),
)


def test_rivals_ask_something_else_of_the_same_text() -> None:
    """By hand: {land, rome} and {land, paris} share one of three words; the text has both of the first's and one of
    the second's.

    "Where did the kite land?" seeks {kite, land}, all there, and gives another answer. "A kite" and "kite" are
    unlike answers that share a word. The last has a text of its own.
    """
    found = rows_of(*ASKED)
    rome, paris, where = (found[name] for name in ("rome", "paris", "where"))
    assert (rome["rivals (text)"], rome["rivals (same answer)"], rome["rivals (near answer)"]) == (2, 0, 1)
    assert (where["rivals (text)"], where["rivals (same answer)"], where["rivals (near answer)"]) == (2, 0, 0)
    assert set(found["elsewhere"].values()) == {0}
    assert rome["lead (near answer)"] == rome["lead over the likest (near answer)"] == 0.5
    assert paris["lead (near answer)"] == paris["lead over the likest (near answer)"] == -0.5
    assert rome["likeness (near answer)"] == paris["likeness (near answer)"] == pytest.approx(1 / 3)
    assert rome["missing in the likest (near answer)"] == pytest.approx(1 / 3)  # Paris, which only the rival asks for
    assert paris["missing in the likest (near answer)"] == pytest.approx(-1 / 3)
    assert rome["lead (text)"] == 0  # all of "where" is there too
    assert paris["lead (text)"] == -0.5


def test_rivals_do_not_depend_on_the_order_of_candidates() -> None:
    found = rows_of(*ASKED)
    assert rows_of(*reversed(ASKED)) == found


def test_candidates_without_a_text_have_no_rivals() -> None:
    found = rows_of(*((name, question, answer, "") for name, question, answer, _ in ASKED))
    assert {value for row in found.values() for value in row.values()} == {0}
    candidates = [Candidate(name, name, answer, text) for name, _, answer, text in ASKED]
    assert contested(candidates) == 0.75
    assert contested([Candidate(name, name, answer, "") for name, _, answer, _ in ASKED]) == 0


MONTH_OF = {"January": 1, "March": 3, "May": 5, "December": 12}


@together("month", MONTH_OF)
@together("day, ordinal", [(1, "1st"), (3, "3rd"), (4, "4th"), (22, "22nd"), (30, "30th")])
def test_a_whole_date_is_the_same_in_every_order(month: str, day: int, ordinal: str) -> None:
    same = {("year", 1945), ("month", MONTH_OF[month]), ("day", 100 * MONTH_OF[month] + day)}
    for said in (
        f"{day} {month} 1945",
        f"{month} {day} 1945",
        f"{month} {ordinal}, 1945",
        f"the {ordinal} of {month} 1945",
    ):
        assert moments(f"It was on {said} that they left.") == same
    other = 2 if day != 2 else 5
    assert moments(f"{day} {month}") != moments(f"{month} {other}")


def test_a_year_beside_a_month_is_no_day() -> None:
    assert moments("In May 1945") == {("month", 5), ("year", 1945)}
    assert moments("12 May 1945 and June 1946") == {
        ("month", 5),
        ("day", 512),
        ("year", 1945),
        ("month", 6),
        ("year", 1946),
    }


def test_a_person_is_no_place() -> None:
    who = classes(plain_case("Who wrote the play?", "Anna Berg", "In Oslo, Anna Berg wrote the play."))
    assert (who["answer is a person"], who["as asked"], who["another class"]) == (1, 1, 0)
    wrong = classes(plain_case("Who wrote the play?", "Oslo", "In Oslo, Anna Berg wrote the play."))
    assert (wrong["answer is a place"], wrong["as asked"], wrong["another class"]) == (1, 0, 1)
    assert wrong["others of the class asked for"] == 1
    where = classes(plain_case("Where was the play written?", "Oslo", "In Oslo, Anna Berg wrote the play."))
    assert (where["as asked"], where["another class"]) == (1, 0)


def test_pronouns_stand_for_the_nearest_person_before() -> None:
    found = coreference(
        plain_case("What did Anna Berg write?", "a play", "Anna Berg went home. There she wrote a play.")
    )
    assert (found["pronouns resolved"], found["names referred to"], found["names missing, others meant"]) == (1, 1, 0)
    other = coreference(
        plain_case("What did Carl Lund write?", "a play", "Anna Berg went home. There she wrote a play.")
    )
    assert (other["names referred to"], other["names missing, others meant"]) == (0, 1)
    none = coreference(plain_case("What did Anna Berg write?", "a play", "Anna Berg wrote a play."))
    assert none["pronouns resolved"] == 0
