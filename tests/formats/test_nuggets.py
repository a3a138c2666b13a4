"""Files of definition questions: keys, runs and mappings as text and JSON Lines, AutoNuggetizer's, and counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nescio
from nescio.errors import FormatError, MismatchError, NescioError, UnknownNameError, UsageError
from nescio.pipeline import Options, load
from tests.rings import together
from tests.notes import in_words

from .fuzz import assert_damage_is_met, at_least, evidence_and_notes, write_files

KEY = "q1 1 vital first man\nq1 2 vital born in 1900\nq1 3 okay liked tea\nq2 a vital a lake\n"
RUN = "q1 Q0 d1 2 1.0 mine he liked tea\nq1 Q0 d2 1 2.0 mine first man\nq2 Q0 d3 1 1 mine a lake\n"
MAP = "q1 mine 1 1,2\nq1 mine 2 3\nq2 mine 1 a\n"
FILES = {"key.txt": KEY, "run.txt": RUN, "map.txt": MAP}
KEY_ROWS: list[dict[str, Any]] = [
    {
        "id": "q1",
        "target": "Who?",
        "kind": "person",
        "nuggets": [
            {"text": "first man", "vital": True},
            {"text": "born in 1900", "vital": True},
            {"text": "liked tea", "vital": False},
        ],
    },
    {"id": "q2", "kind": "thing", "nuggets": [{"id": "a", "text": "a lake", "vital": True}]},
]
RUN_ROWS: list[dict[str, Any]] = [
    {"id": "q1", "strings": ["first man", {"text": "he liked tea", "doc": "d1"}], "confidence": 0.5, "run": "mine"},
    {"id": "q2", "strings": ["a lake"], "run": "mine"},
]
MAP_ROWS: list[dict[str, Any]] = [
    {"id": "q1", "run": "mine", "nugget": "1", "rank": 1},
    {"id": "q1", "run": "mine", "nugget": 2, "rank": 1},
    {"id": "q1", "run": "mine", "nugget": "3", "rank": 2},
    {"id": "q2", "run": "mine", "nugget": "a", "rank": 1},
]


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


IN_LINES = {"key.jsonl": lines(KEY_ROWS), "run.jsonl": lines(RUN_ROWS), "map.jsonl": lines(MAP_ROWS)}


def refusal(folder: Path, files: dict[str, str], **options: Any) -> str:
    with pytest.raises(NescioError) as stopped:
        load(write_files(folder, files), Options(**options))
    assert isinstance(stopped.value, (FormatError, MismatchError, UsageError))
    return str(stopped.value)


@pytest.mark.parametrize("files", [FILES, IN_LINES, {**IN_LINES, "key.jsonl": ""} | {"key.txt": KEY}])
def test_text_and_json_lines_say_the_same(files: dict[str, str], tmp_path: Path) -> None:
    data, _ = evidence_and_notes(write_files(tmp_path, {name: text for name, text in files.items() if text}))
    assert data.runs == ("mine",)
    assert data.questions == ("q1", "q2")
    shown = {name: values.tolist()[0] for name, values in data.columns.items()}
    assert shown["nuggets.vital_found"] == [2, 1]
    assert shown["nuggets.okay_found"] == [1, 0]
    assert shown["nuggets.response_length"] == [len("firstman") + len("helikedtea"), len("alake")]
    # 1 and 2 in the first string, 3 in the second: two pairs in order, one tied; tau-b = 2 / sqrt(3 * 2)
    assert shown["nuggets.order"][0] == pytest.approx(2 / 6**0.5)


def test_without_a_mapping_the_score_is_automatic_and_signed_so(tmp_path: Path) -> None:
    paths = write_files(tmp_path, {"key.txt": KEY, "run.txt": RUN})
    scores = nescio.score(paths, ci=None)
    assert {row.measure for row in scores} == {f"nuggets.automatic_{name}" for name in ("F", "NR", "NP")}
    assert "judge:automatic(method=count)" in str(scores.signature)
    assert in_words(scores.notes)[0].startswith("AUTOMATIC")
    assert scores.value("mine", "nuggets.automatic_NR") == pytest.approx(((1 + 0) / 2 + 1) / 2)
    idf = nescio.score(paths, ci=None, choose={"automatic": "idf"})
    assert "judge:automatic(method=idf)" in str(idf.signature)
    mapped = nescio.score([*paths, *write_files(tmp_path, {"map.txt": MAP})], ci=None)
    assert "judge:assessors(view=majority)" in str(mapped.signature)
    assert not any("AUTOMATIC" in note for note in in_words(mapped.notes))


def test_measures_of_assessors_do_not_read_automatic_matches(tmp_path: Path) -> None:
    paths = write_files(tmp_path, {"key.txt": KEY, "run.txt": RUN})
    with pytest.raises(NescioError, match=r"nuggets\.F: there is no column"):
        nescio.score(paths, ["nuggets.F"], ci=None)


def test_a_comparison_of_two_runs_from_files(tmp_path: Path) -> None:
    other = RUN.replace(" mine ", " other ").replace("first man", "x" * 400)
    paths = write_files(tmp_path, FILES | {"other.txt": other, "map2.txt": MAP.replace(" mine ", " other ")})
    found = nescio.compare(paths, ["nuggets.F"], baseline="mine", resamples=99)
    assert [row.difference < 0 for row in found] == [True]


def test_silence_is_a_response_without_strings_and_is_said(tmp_path: Path) -> None:
    files = FILES | {"run.txt": RUN.rsplit("q2", 1)[0], "map.txt": MAP.rsplit("q2", 1)[0]}
    data, notes = evidence_and_notes(write_files(tmp_path, files))
    assert data.columns["answered"].tolist() == [[1, 0]]
    assert any("says nothing to 1 of 2 questions (first: 'q2')" in note for note in notes)
    scores = nescio.score(list(tmp_path.iterdir()), ["nuggets.F", "nuggets.NP", "coverage"], ci=None)
    assert [row.value for row in scores] == pytest.approx([0.5, 1.0, 0.5])  # silence has NP 1, NR 0


def test_assessors_in_columns_and_in_files(tmp_path: Path) -> None:
    columns, _ = evidence_and_notes(
        write_files(
            tmp_path,
            FILES | {"key.txt": KEY.replace(" vital ", " vital,okay,vital ").replace(" okay l", " okay,okay,vital l")},
        )
    )
    assert columns.columns["nuggets.vital"].tolist() == [[2, 1]]
    files = {"A.txt": KEY, "B.txt": KEY.replace("vital first", "okay first"), "run.txt": RUN, "map.txt": MAP}
    (tmp_path / "two").mkdir()
    paths = write_files(tmp_path / "two", files)
    assert evidence_and_notes(paths)[0].columns["nuggets.vital"].tolist() == [
        [1, 1]
    ]  # one of two is not more than half
    by_a, _ = evidence_and_notes(paths, choose={"assessors": "A"})
    assert by_a.columns["nuggets.vital"].tolist() == [[2, 1]]
    each, _ = evidence_and_notes(paths, choose={"assessors": "each"})
    assert each.questions == ("q1 by A", "q1 by B", "q2 by A", "q2 by B")


def test_an_assessor_may_find_nothing_in_one_string_and_something_in_another(tmp_path: Path) -> None:
    data, _ = evidence_and_notes(
        write_files(tmp_path, FILES | {"map.txt": "q1 mine 1 1 A\nq1 mine 2 - A\nq1 mine - - B\nq2 mine - -\n"})
    )
    assert data.columns["nuggets.vital_found"].tolist() == [[0, 0]]  # q1: one of two assessors is not more than half


def test_the_file_that_is_of_no_format_is_named_and_not_the_one_beside_it(tmp_path: Path) -> None:
    """A run in TREC's form could be of two formats; what goes with it decides, and here that is unsound."""
    assert "map.txt, line 1: its first line matches no text format" in refusal(
        tmp_path, FILES | {"map.txt": "# by A\n" + MAP}
    )


def test_an_assessor_without_a_name_is_not_offered(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"known: each, majority$"):
        load(write_files(tmp_path, FILES), Options(choose={"assessors": "zz"}))


def test_who_did_not_see_a_question_has_no_vote_on_it(tmp_path: Path) -> None:
    """Each question has an assessor of its own, as at TREC: what one of one finds is found. A alone knows q1 alone."""
    files = FILES | {"map.txt": "q1 mine 1 1,2 A\nq1 mine 2 3 A\nq2 mine 1 a B\n"}
    paths = write_files(tmp_path, files)
    data, _ = evidence_and_notes(paths)
    assert data.columns["nuggets.vital_found"].tolist() == [[2, 1]]
    assert data.columns["nuggets.okay_found"].tolist() == [[1, 0]]
    each, notes = evidence_and_notes(paths, choose={"assessors": "each"})
    assert (each.questions, each.columns["nuggets.vital_found"].tolist()) == (("q1", "q2"), [[2, 1]])
    assert "2 of 4 units are left out: the assessor did not see the question" in notes
    other = {"map.txt": files["map.txt"] + "q1 theirs 1 1 B\nq1 theirs 1 1 C\n"}
    (tmp_path / "more").mkdir()
    company, _ = evidence_and_notes(write_files(tmp_path / "more", files | other))
    assert company.columns["nuggets.vital_found"].tolist() == [
        [0, 1]
    ]  # A is one of three who saw q1, whichever runs are given
    alone, _ = evidence_and_notes(paths, choose={"assessors": "A"})
    assert (alone.questions, alone.columns["nuggets.vital_found"].tolist()) == (("q1",), [[2]])


def test_keys_keep_their_strata(tmp_path: Path) -> None:
    scores = nescio.score(write_files(tmp_path, IN_LINES), ["nuggets.F"], ci=None, by="kind")
    assert [row.stratum for row in scores] == [None, "person", "thing"]


@together(
    "changed, said",
    [
        ({"key.txt": KEY + "q1 1 okay again\n"}, "key.txt, line 5: nugget 1 of question q1 appears twice"),
        ({"key.txt": KEY + "q1 4 perhaps text\n"}, "key.txt, line 5: a line of a key is `qid nugget vital|okay text`"),
        ({"key.txt": KEY + "q1 4 vital,okay text\n"}, "line 5: 2 labels where question q1 has 1 before"),
        ({"run.txt": RUN + "q1 Q0 d 2 1 mine again\n"}, "run.txt, line 4: rank 2 of question q1 appears twice"),
        ({"run.txt": RUN + "q9 Q0 d 1 1 mine x\n"}, "run.txt, line 4: the key has no such question (found 'q9')"),
        ({"run.txt": RUN + "q2 Q0 d 2 1 mine\n"}, "run.txt, line 4: a line of a run is"),
        ({"run.txt": RUN + "q2 Q0 d two 1 mine x\n"}, "run.txt, line 4: a line of a run is"),
        ({"map.txt": MAP + "q1 mine 1 7\n"}, "map.txt, line 4: question q1 has no such nugget; it has 1, 2, 3"),
        ({"map.txt": MAP + "q9 mine 1 1\n"}, "map.txt, line 4: the key has no such question"),
        ({"map.txt": MAP + "q1 mine 3 1\n"}, "map.txt, line 4: run 'mine' has no string of that rank for q1"),
        ({"map.txt": MAP + "q1 mine 1 1\n"}, "map.txt, line 4: the same match is on line 1"),
        ({"map.txt": MAP + "q1 mine 1 1,,2\n"}, "map.txt, line 4: a nugget has no name"),
        (
            {"map.txt": MAP + "q1 mine - -\n"},
            "map.txt, line 4: this line says that nothing was found, but other lines find",
        ),
        (
            {"map.txt": MAP + "q1 mine 1 -\n"},
            "map.txt, line 4: this line says that nothing was found, but other lines find",
        ),
        ({"map.txt": MAP.replace("mine", "yours")}, "no line for run 'mine'"),
        ({"run.txt": ""}, "a key was given without a run"),
        ({"key.txt": ""}, "give the key of nuggets with it"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(changed: dict[str, str], said: str, tmp_path: Path) -> None:
    files = {name: text for name, text in (FILES | changed).items() if text}
    assert said in refusal(tmp_path, files, format_in="nuggets")


@pytest.mark.parametrize(
    ("name", "row", "said"),
    [
        ("key", {"id": "q3", "nuggets": [{"text": "x", "vital": "yes"}]}, "vital must be true, false"),
        ("key", {"id": "q3", "nuggets": [{"text": " ", "vital": True}]}, "the text of a nugget must not be empty"),
        ("key", {"id": "q3", "nuggets": [{"text": "x", "vital": True, "weight": 2}]}, "a weight must be a number from 0"),
        ("key", {"id": "q3", "nuggets": "x"}, "nuggets must be a list"),
        ("key", {"id": "q3", "nuggets": [{"text": "x", "vital": True, "weight": 1}, {"text": "y", "vital": True}]}, "only some of its nuggets have a weight"),
        ("key", {"id": "q3", "nuggets": [{"text": "x", "vital": {"A": True}}, {"text": "y", "vital": {"B": True}}]}, "every assessor must label every nugget"),
        ("run", {"id": "q1", "strings": ["again"], "run": "mine"}, "responds to question q1 again; it already did on line 1"),
        ("run", {"id": "q2", "strings": "x", "run": "other"}, "strings must be a list"),
        ("run", {"id": "q2", "strings": [""], "run": "other"}, "the answer string is empty"),
        ("run", {"id": "q2", "strings": [], "confidence": "high", "run": "other"}, "confidence must be a finite "
                                                                                   "number"),
        ("map", {"id": "q1", "run": "mine", "nugget": 1.5}, "nugget must be a text or a whole number"),
        ("map", {"id": "q1", "run": "mine", "nugget": "1", "rank": -1}, "rank must be a whole number"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_json_lines(name: str, row: dict[str, Any], said: str, tmp_path: Path) -> None:
    files = IN_LINES | {f"{name}.jsonl": IN_LINES[f"{name}.jsonl"] + lines([row])}
    assert said in refusal(tmp_path, files)


def test_options_that_do_not_fit(tmp_path: Path) -> None:
    assert "leave out the mapping" in refusal(tmp_path, FILES, choose={"automatic": "count"})
    assert "automatic and assessors to choose" in refusal(tmp_path, FILES, choose={"filter": "x"})
    automatic = {"key.txt": KEY, "run.txt": RUN}
    (tmp_path / "b").mkdir()
    assert "of a mapping" in refusal(tmp_path / "b", automatic, choose={"assessors": "each"})


# ---- AutoNuggetizer ----

NUGGETS = [
    {"text": "high-level language", "importance": "vital"},
    {"text": "by Guido van Rossum", "importance": "vital"},
    {"text": "for data science", "importance": "okay"},
]


def assigned(run: str, qid: str, *grades: str) -> dict[str, Any]:
    nuggets = [nugget | {"assignment": grade} for nugget, grade in zip(NUGGETS, grades, strict=True)]
    return {
        "query": "?",
        "qid": qid,
        "run_id": run,
        "answer_text": "so",
        "nuggets.response_length": 1,
        "nuggets": nuggets,
    }


def test_assignments_give_the_scores_of_nuggetizer(tmp_path: Path) -> None:
    """By core/metrics.py: q1 vital (1 + .5)/2, strict 1/2, all (1 + .5)/3; q2 all none."""
    rows = [assigned("a", "q1", "support", "partial_support", "not_support"), assigned("a", "q2", *["not_support"] * 3)]
    scores = nescio.score(write_files(tmp_path, {"x.jsonl": lines(rows)}), ci=None)
    assert [row.value for row in scores] == pytest.approx([0.75 / 2, 0.5 / 2, 0.5 / 2, 1 / 3 / 2])
    assert "judge:assignments" in str(scores.signature)


def test_a_failed_assignment_is_ungraded_and_counted(tmp_path: Path) -> None:
    rows = [assigned("a", "q1", "support", "support", "support"), assigned("a", "q2", "failed", "support", "support")]
    scores = nescio.score(write_files(tmp_path, {"x.jsonl": lines(rows)}), ["nuggets.vital"], ci=None)
    assert (scores.rows[0].value, scores.rows[0].n) == (1.0, 1)
    assert any("1 of 2 responses have a failed assignment" in note for note in in_words(scores.notes))


def test_a_key_of_nuggetizer_with_answers_is_matched_automatically(tmp_path: Path) -> None:
    key = lines([{"query": "?", "qid": "q1", "nuggets": NUGGETS}])
    answers = lines(
        [{"run_id": "rag", "topic_id": "q1", "answer": [{"text": "A high-level language.", "citations": []}]}]
    )
    scores = nescio.score(write_files(tmp_path, {"key.jsonl": key, "answers.jsonl": answers}), ci=None)
    assert scores.value("rag", "nuggets.automatic_NR") == pytest.approx(1 / 2)
    assert in_words(scores.notes)[0].startswith("AUTOMATIC")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"nuggets": [NUGGETS[0] | {"assignment": "maybe"}]}, "an assignment is support, partial_support, not_support"),
        (
            {"nuggets": [{"text": "x", "importance": "high", "assignment": "support"}]},
            "importance must be vital or okay",
        ),
        ({"candidate_text": "x"}, "assignments to retrieved passages"),
        ({"answer_text": None}, "answer_text must be a text"),
    ],
)
def test_what_is_wrong_in_assignments(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    row = assigned("a", "q1", *["support"] * 3) | change
    assert said in refusal(tmp_path, {"x.jsonl": lines([row])})


# ---- counts ----

COUNTS = "run,question,series,type,correct,distinct,returned,known,vital,okay,vital_in_key,length\n"


def test_counts_by_series_use_the_weights_of_a_series_without_lists(tmp_path: Path) -> None:
    """s1 has a list: .5 + .25 F + .25 * 1; s2 has none: .67 * 0 + .33 * 1. F = 2 * 1 / (1 + 3)."""
    rows = "a,f1,s1,factoid,1,,,,,,,\na,l1,s1,list,,1,1,3,,,,\na,d1,s1,definition,,,,,1,0,1,50\n"
    rows += "a,f2,s2,factoid,0,,,,,,,\na,d2,s2,definition,,,,,1,0,1,50\n"
    scores = nescio.score(write_files(tmp_path, {"c.csv": COUNTS + rows}), ["nuggets.combined"], ci=None, by="series")
    assert [row.value for row in scores][1:] == pytest.approx([0.5 + 0.25 * 0.5 + 0.25, 0.33])


def test_types_and_what_list_measures_leave_out_are_counted(tmp_path: Path) -> None:
    """Lists: 1 of 2 right of 2 known; nothing returned to 3 known; one returned where none is known. IP (1/2 + 0) /
    2, F (2/4 + 0) / 2."""
    rows = "a,f1,s,factoid,1,,,,,,,\na,l1,s,list,,1,2,2,,,,\na,l2,s,list,,0,0,3,,,,\na,l3,s,list,,0,1,0,,,,\n"
    names = ["nuggets.list_IP", "nuggets.list_F"]
    scores = nescio.score(write_files(tmp_path, {"c.csv": COUNTS + rows}), names, ci=None)
    assert [row.value for row in scores] == pytest.approx([(1 / 2 + 0) / 2, (2 / 4 + 0) / 2])
    assert in_words(scores.notes) == (
        "questions by type: 3 list, 1 factoid; each measure leaves out the other types",
        "1 of 3 list questions have no known instance: nuggets.list_IR and list_F leave them out",
        "run 'a': 1 of 3 list questions have nothing returned: nuggets.list_IP leaves them out, list_F is 0",
    )


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("a,q,s,definition,,,,,3,0,2,50", "line 2: more vital nuggets are found than the key has (found '3 of 2')"),
        ("a,q,s,definition,,,,,1,0,2,", "line 2: length must be a whole number"),
        ("a,q,s,definition,,,,,0,1,2,0", "line 2: nuggets are found in a response of length 0"),
        ("a,q,s,list,,2,1,3,,,,", "line 2: more distinct right instances than instances returned"),
        ("a,q,s,factoid,2,,,,,,,", "line 2: correct must be 0 or 1"),
        ("a,q,s,other,,,,,,,,", "line 2: a type is definition, list, factoid"),
        ("a,q,s,definition,,,,,1,0,2,5\na,q,s,definition,,,,,1,0,2,5", "line 3: run 'a' answers question 'q' again"),
        ("a,q,s,definition,,,,,1,0,2,5\nb,p,s,definition,,,,,1,0,2,5", "run 'a' has no row for question 'p'"),
        ("a,q,s,definition,,,,,1,0,2,5\nb,q,s,definition,,,,,1,0,3,5", "has a different type or key in run 'b'"),
    ],
)
def test_what_is_wrong_in_counts(row: str, said: str, tmp_path: Path) -> None:
    assert said in refusal(tmp_path, {"c.csv": COUNTS + row + "\n"})


@pytest.mark.fuzz("nuggets")
@settings(max_examples=at_least(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damage_is_met_with_a_reading_or_one_refusal(data: st.DataObject, tmp_path: Path) -> None:
    assert_damage_is_met(data, tmp_path, data.draw(st.sampled_from([FILES, IN_LINES])), format_in="nuggets")


@pytest.mark.fuzz("nuggetizer")
@settings(max_examples=at_least(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_assignments_are_met_too(data: st.DataObject, tmp_path: Path) -> None:
    rows = [assigned("a", "q1", "support", "partial_support", "not_support"), assigned("a", "q2", *["support"] * 3)]
    assert_damage_is_met(data, tmp_path, {"x.jsonl": lines(rows)}, format_in="nuggetizer")


@pytest.mark.fuzz("nugget_counts")
@settings(max_examples=at_least(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_counts_are_met_too(data: st.DataObject, tmp_path: Path) -> None:
    rows = "a,f1,s1,factoid,1,,,,,,,\na,l1,s1,list,,1,1,3,,,,\na,d1,s1,definition,,,,,1,0,1,50\n"
    assert_damage_is_met(data, tmp_path, {"c.csv": COUNTS + rows}, format_in="nugget_counts")


def test_trec_files_without_answer_strings_stay_trecs(tmp_path: Path) -> None:
    """Qrels of documents that are numbers look like a mapping, and a run of documents has six cells."""
    files = {"qrels.txt": "1 0 17 1\n1 0 18 0\n", "run.txt": "1 Q0 17 1 2.0 mine\n1 Q0 18 2 1.0 mine\n"}
    paths = write_files(tmp_path, files)
    assert load(paths).format == "trec"
    with pytest.raises(MismatchError, match="holds qrels"):
        load(paths[:1])
