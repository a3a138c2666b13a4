"""Definition questions in memory: what assessors found, several of them, automatic matching, and the order of
nuggets."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import pytest

import nescio
from nescio.data.evidence import Evidence
from nescio.errors import MismatchError, UnknownNameError, UsageError
from nescio.tasks.nuggets import pourpre
from nescio.tasks.nuggets.scoring import (
    Match,
    Nugget,
    Response,
    Run,
    Target,
    evidence,
    length,
    weights,
)
from tests.notes import in_words


def target(vital: int, okay: int, name: str = "q") -> Target:
    """A target with nuggets v1, v2, … and o1, o2, …"""
    names = [(f"v{i}", True) for i in range(1, vital + 1)] + [(f"o{i}", False) for i in range(1, okay + 1)]
    return Target(name, "", tuple(Nugget(n, f"text of {n}", {"": v}) for n, v in names))


def run_and_matches(characters: int, *found: str, name: str = "q") -> tuple[Run, list[Match]]:
    """A run whose response has so many characters, and the nuggets an assessor finds in it."""
    strings = (" ".join("x" * characters),) if characters else ()
    matches = [Match("run", name, nugget, 0) for nugget in found] or [Match("run", name, "")]
    return Run("run", {name: Response(name, strings)}), matches


def value(data: Evidence, measure: str, run: str = "run") -> float:
    return nescio.score(data, [measure], ci=None).value(run, measure)


HALE = (4, 7, "v1 v2 v3 o1 o2 o3 o4")  # a thesis, table 3.4: r = 3 of 4, a = 4
REEVE = (3, 1, "v1 v2 o1")  # N03-2037: recall 2/3, allowance 300
CASSINI = (8, 2, "v1 v2 v3 o1 o2")  # H05-1117, figure 2: 5 nuggets of which 3 vital of 8
TWO = (2, 1, "")


@pytest.mark.parametrize(
    ("case", "characters", "measure", "expected"),
    [
        (HALE, 536, "nuggets.F(beta=5)", 78 / 103),  # the thesis prints .7572, which is this cut off
        (HALE, 700, "nuggets.F(beta=5)", 78 / 103),  # up to 700 characters cost nothing
        (HALE, 1000, "nuggets.F(beta=5)", "0.7479"),
        (HALE, 1100, "nuggets.F(beta=5)", "0.7449"),
        (REEVE, 170, "nuggets.F(beta=5)", "0.6753"),
        (CASSINI, 402, "nuggets.F(beta=5)", "0.3842"),
        (CASSINI, 402, "nuggets.F(beta=3)", "0.4000"),
        (CASSINI, 800, "nuggets.F(beta=3)", "0.3906"),
        (TWO, 90, "nuggets.F", 0),  # nothing found
        (TWO, 90, "nuggets.NP", 0),
        (TWO, 0, "nuggets.F", 0),  # silence
        (TWO, 0, "nuggets.NP", 1),
        ((2, 1, "o1"), 100, "nuggets.NP", 1),  # at the allowance
        ((2, 1, "o1"), 200, "nuggets.NP", 0.5),
        ((0, 1, "o1"), 10, "nuggets.F", math.nan),  # R = 0
    ],
)
def test_scores_as_printed_and_by_hand(
    case: tuple[int, int, str], characters: int, measure: str, expected: float | str
) -> None:
    vital, okay, names = case
    run, matches = run_and_matches(characters, *names.split())
    score = value(evidence([target(vital, okay)], [run], matches)[0], measure)
    if isinstance(expected, str):
        assert f"{score:.4f}" == expected
    else:
        assert score == pytest.approx(expected, abs=1e-15, nan_ok=True)


def test_the_aarp_pyramid() -> None:
    """N06-1049: weights 1, .9, .8, .7, .2, .1, .1, .1, 0 from the votes of ten assessors; the 1.0 and the .2 nugget
    are matched."""
    votes = (10, 9, 8, 7, 2, 1, 1, 1, 0)
    nuggets = tuple(
        Nugget(str(i), f"n{i}", {str(a): a < votes_ for a in range(10)}) for i, votes_ in enumerate(votes, 1)
    )
    asked = Target("aarp", "", nuggets)
    assert weights(asked) == pytest.approx(dict(zip("123456789", (v / 10 for v in votes), strict=True)))
    run = Run("run", {"aarp": Response("aarp", ("it says so",))})
    data, notes = evidence([asked], [run], [Match("run", "aarp", "1", 0), Match("run", "aarp", "5", 0)])
    assert f"{value(data, 'nuggets.pyramid'):.4f}" == "0.3306"
    assert f"{value(data, 'nuggets.F'):.4f}" == "0.2703"  # more than half of ten call the first four vital
    assert any("10 assessors labelled the key" in note for note in in_words(notes))


def test_a_question_without_vital_nuggets_is_left_out_and_said() -> None:
    run = Run("run", {"q": Response("q", ("x",)), "p": Response("p", ("y",))})
    matches = [Match("run", "q", "v1", 0), Match("run", "p", "o1", 0)]
    data, _ = evidence([target(1, 0), target(0, 1, "p")], [run], matches)
    scores = nescio.score(data, ["nuggets.F"], ci=None)
    assert scores.value("run", "nuggets.F") == 1
    assert any("1 of 2 questions have no vital nugget" in note for note in in_words(scores.notes))


def test_length_counts_what_is_not_white_and_precision_by_string_is_at_most_one() -> None:
    assert length(["a b\tc\n", " é漢 "]) == 5
    strings = Run("strings", {"q": Response("q", ("x" * 200, "x" * 50))})
    silent = Run("silent", {})
    data, _ = evidence([target(1, 0)], [strings, silent], [Match("strings", "q", "", None), Match("silent", "q", "")])
    assert data.column("nuggets.string_precision").tolist() == [[0.75], [1.0]]
    assert data.column("nuggets.string_precision(40)").tolist() == [[0.5], [1.0]]  # (40/200 + 40/50) / 2


def test_a_length_allowance_that_allows_nothing_is_refused_and_counts_have_no_strings(tmp_path: Path) -> None:
    with pytest.raises(nescio.UsageError, match="delta, the length allowance, must be more than 0"):
        nescio.measure("nuggets.F(delta=0)")
    counts = tmp_path / "counts.csv"
    counts.write_text("run,question,vital,okay,vital_in_key,length\nrun,hale,3,4,4,1000\n")
    with pytest.raises(nescio.MissingColumnError, match="precision by strings needs the answer strings"):
        nescio.nuggets.score([counts], "nuggets.F_by_string(delta=50)", ci=None)


def test_a_nugget_counts_once_and_a_string_may_hold_several() -> None:
    run = Run("run", {"q": Response("q", ("one two", "two again"))})
    matches = [Match("run", "q", "v1", 0), Match("run", "q", "v2", 0), Match("run", "q", "v2", 1)]
    data, _ = evidence([target(2, 0)], [run], matches)
    assert data.columns["nuggets.vital_found"].tolist() == [[2]]
    assert data.columns["nuggets.response_length"].tolist() == [[14]]


def test_several_assessors_by_majority_each_and_by_name() -> None:
    """A calls nuggets 1 and 2 vital, B 1, C 1: by majority R = 1. A maps 1 and 2, B 1, C nothing: by majority nugget
    1 is found.

    By each: A finds 2 of 2, B 1 of 1, C 0 of 1: the mean of NR is 2/3.
    """
    labels = ({"A": True, "B": True, "C": True}, {"A": True, "B": False, "C": False})
    asked = Target("q", "", tuple(Nugget(str(i), f"n{i}", vital) for i, vital in enumerate(labels, 1)))
    run = Run("run", {"q": Response("q", ("x",))})
    found = [("1", 0, "A"), ("2", 0, "A"), ("1", 0, "B"), ("", None, "C")]
    matches = [Match("run", "q", *each) for each in found]
    majority, _ = evidence([asked], [run], matches)
    assert majority.columns["nuggets.vital"] == majority.columns["nuggets.vital_found"] == 1
    assert majority.columns["nuggets.okay"].tolist() == [[1]]
    assert majority.columns["nuggets.okay_found"].tolist() == [[0]]  # one of three found nugget 2
    each, notes = evidence([asked], [run], matches, "each")
    assert each.questions == ("q by A", "q by B", "q by C")
    assert each.clusters is not None
    assert len(set(each.clusters)) == 1
    assert value(each, "nuggets.NR") == pytest.approx(2 / 3)
    assert any("scores are means over" in note for note in in_words(notes))
    assert value(evidence([asked], [run], matches, "C")[0], "nuggets.NR") == 0
    with pytest.raises(UnknownNameError, match="assessor 'D'"):
        evidence([asked], [run], matches, "D")


def test_a_mapping_that_names_empty_responses_names_all_of_them() -> None:
    """Without such lines, a response that no line names has no nugget, as in TREC's own files."""
    run, _ = run_and_matches(10, "v1")
    run = Run(run.name, {name: Response(name, ("x",)) for name in ("q", "r", "s")})
    targets = [Target(name, "", (Nugget("v1", "n", {"": True}),)) for name in ("q", "r", "s")]
    found = [Match("run", "q", "v1", 0)]
    notes = in_words(evidence(targets, [run], found)[1])
    assert "run 'run': no nugget is mapped to 2 of its 3 responses (first: 'r')" in notes
    with pytest.raises(MismatchError, match=r"no line for 1 of the 3 responses of run 'run' \(first: 's'\).*finish"):
        evidence(targets, [run], [*found, Match("run", "r", "", None)])


def test_lines_without_a_nugget_speak_for_their_own_run_only() -> None:
    """One line is all that a run without nuggets needs, and the lines of another run do not ask for it."""
    targets = [Target(name, "", (Nugget("v1", "n", {"": True}),)) for name in ("q", "r", "s")]
    runs = [Run(name, {one: Response(one, ("x",)) for one in ("q", "r", "s")}) for name in ("A", "B")]
    found = [Match("B", "q", "v1", 0), Match("B", "r", "v1", 0)]
    for silent in (("q",), ("q", "r", "s")):
        lines = [*found, *(Match("A", name, "", None) for name in silent)]
        made, notes = evidence(targets, runs, lines)
        assert made.columns["nuggets.vital_found"].tolist() == [[0, 0, 0], [1, 1, 0]]
        assert "run 'B': no nugget is mapped to 1 of its 3 responses (first: 's')" in in_words(notes)
        assert any("run 'A'" in text for text in in_words(notes)) == (len(silent) == 1)


def test_a_run_that_nobody_mapped_is_no_run_without_nuggets() -> None:
    run, _ = run_and_matches(10, "v1")
    with pytest.raises(MismatchError, match="no line for run 'run'"):
        evidence([target(1, 0)], [run], [Match("another", "q", "v1", 0)])


@pytest.mark.parametrize(
    ("places", "tau"),
    [
        ((0, 1, 2), 1.0),
        ((2, 1, 0), -1.0),
        ((1, 0, 2), 1 / 3),
        ((0, 0, 1), 2 / math.sqrt(6)),  # one pair tied: (2 - 0) / sqrt(3 * 2)
        ((0, 0, 0), math.nan),  # all in one string
        ((0,), math.nan),
        ((0, None), math.nan),  # a place that is not recorded
    ],
)
def test_the_order_of_nuggets(places: tuple[int | None, ...], tau: float) -> None:
    """Kendall's tau-b by its definition."""
    run = Run("run", {"q": Response("q", ("x",) * 3)})
    matches = [Match("run", "q", f"v{i}", place) for i, place in enumerate(places, 1)]
    found = value(evidence([target(3, 0)], [run], matches)[0], "nuggets.order")
    assert found == pytest.approx(tau, nan_ok=True)


# ---- POURPRE ----


@pytest.mark.parametrize(
    ("nugget", "strings", "share"),
    [
        # H05-1117: the best single string counts, though all four letters stand somewhere
        ("A B C D", ["A", "B C D", "D", "A D"], 3 / 4),
        ("A B C D", [], 0),
        ("founded schools", ["he founds a school"], 1),  # words are stemmed
        ("row row boat", ["row"], 2 / 3),  # repeated ones match together
    ],
)
def test_pourpre_by_count(nugget: str, strings: list[str], share: float) -> None:
    assert pourpre.by_count(nugget, strings) == pytest.approx(share)


def test_pourpre_by_idf() -> None:
    """Of four nuggets "the" is in all, "cat" in one, "dog" in two: weights 0, ln 4, ln 2."""
    match = pourpre.by_idf(["the cat dog", "the dog", "the bird", "the fish"])
    assert match("the cat dog", ["dog"]) == pytest.approx(math.log(2) / math.log(8))
    assert match("the cat dog", ["the dog"]) == match("the cat dog", ["dog"])
    assert match("the", ["the"]) == 1  # no word has weight: matched by count
    assert match("the cat", ["a cat"]) == 1


def test_automatic_scores_are_labelled_and_have_no_other_name() -> None:
    run, _ = run_and_matches(10)
    data, notes = pourpre.evidence([target(2, 1)], [run], "idf")
    assert in_words(notes)[0].startswith("AUTOMATIC")
    assert not {"nuggets.vital_found", "nuggets.okay_found", "nuggets.pyramid_found"} & set(data.columns)
    with pytest.raises(UnknownNameError, match="automatic matching 'idff'"):
        pourpre.evidence([target(2, 1)], [run], "idff")


def test_matching_by_embedding_says_what_it_lacks() -> None:
    if importlib.util.find_spec("sentence_transformers"):
        pytest.skip("sentence-transformers is installed")
    with pytest.raises(UsageError, match=r"nescio\[embeddings\]"):
        pourpre.matcher("embedding", [])


def test_a_response_that_is_longer_is_scored_lower_automatically_too() -> None:
    asked = Target("q", "", (Nugget("1", "tall tower", {"": True}),))
    short = Run("short", {"q": Response("q", ("a tall tower",))})
    long = Run("long", {"q": Response("q", ("a tall tower", "x" * 300))})
    data, _ = pourpre.evidence([asked], [short, long])
    assert value(data, "nuggets.automatic_NP", "short") == 1
    assert value(data, "nuggets.automatic_NP", "long") == pytest.approx(100 / 310)
