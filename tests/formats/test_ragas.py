"""ragas's tables: scores with both means where a metric failed, and outcomes by the metric that is chosen."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nescio
from nescio.errors import UsageError

from .encodings import ENCODINGS, assert_refused, encode, evidence, refusal
from .excerpts import place_of
from .fuzz import assert_damage_is_met, evidence_and_notes, write_files

LOGS = Path(__file__).parents[2].parent / "shared" / "data" / "logs2026" / "ragas"
LAMP = place_of("ragas") / "lamp.csv"
ROWS: list[dict[str, Any]] = [
    {"user_input": "q1", "retrieved_contexts": "['a', 'b']", "response": "x", "faithfulness": 0.75},
    {"user_input": "q2", "retrieved_contexts": "['a']", "response": "x", "faithfulness": None},
    {"user_input": "q3", "retrieved_contexts": "['a']", "response": "I do not know", "faithfulness": 0.25},
    {"user_input": "q4", "retrieved_contexts": "['a']", "response": None, "faithfulness": 1.0},
]
ONE = {"metric": "faithfulness", "threshold": "0.5"}


def test_both_means_are_given_where_a_metric_failed() -> None:
    """ragas printed {'word_recall': 0.5333, 'exact_match': 0.1667} when it wrote this file: (1 + 1 + 0 + 0 + 2/3) /
    5, and 1/6."""
    scores = nescio.score(LAMP, ci=None)
    assert scores["lamp", "mean(word_recall)"].value == pytest.approx(0.5333, abs=5e-5)
    assert scores["lamp", "mean(exact_match)"].value == pytest.approx(0.1667, abs=5e-5)
    _, notes = evidence_and_notes(LAMP)
    words = (
        "run 'lamp': word_recall has scores for 5 of 6 answers: their mean is 0.5333, and 0.4444 if the others count 0"
    )
    assert words in notes


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_outcomes_by_one_metric_in_every_encoding(tmp_path: Path, encoding: str) -> None:
    given_ = encode(ROWS, encoding, tmp_path)
    data = evidence(given_, ungraded="exclude", choose=ONE, declined_pattern=("i do not know",))
    columns = [data.columns[name][0].tolist() for name in ("correct", "incorrect", "unanswered")]
    assert columns == [[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 1]]
    assert (~data.present).tolist() == [[False, True, False, False]]


def test_a_list_of_objects_and_a_mark_before_the_header(tmp_path: Path) -> None:
    rows = [{**row, "retrieved_contexts": ["a", "b"]} for row in ROWS]
    path = write_files(tmp_path, {"r.json": json.dumps(rows)})[0]
    csv = encode(ROWS, "csv", tmp_path)
    marked = tmp_path / "marked.csv"
    marked.write_bytes(b"\xef\xbb\xbf" + csv.read_bytes())
    for one in (path, marked):
        scores = evidence(one).columns["user.faithfulness"][0]
        assert [None if math.isnan(score) else score for score in scores] == [0.75, None, 0.25, 1.0]


def test_the_names_of_the_first_versions(tmp_path: Path) -> None:
    names = {"user_input": "question", "retrieved_contexts": "contexts", "response": "answer"}
    rows = [{names.get(name, name): value for name, value in row.items()} for row in ROWS]
    assert evidence(encode(rows, "csv", tmp_path), ungraded="exclude", choose=ONE).columns["correct"].sum() == 1


def test_headers_in_another_language(tmp_path: Path) -> None:
    names = {"user_input": "질문", "retrieved_contexts": "문맥", "response": "답변"}
    rows = [{names.get(n, n): v for n, v in row.items()} | {"answer_relevancy": 0.5} for row in ROWS]
    path = encode(rows, "csv", tmp_path)
    rule = "no column holds the questions; "
    assert_refused(path, "line 1", rule)
    data, notes = evidence_and_notes(path, column={"question": "질문"})
    assert data.questions == ("q1", "q2", "q3", "q4")
    assert any("no column holds the answers" in note for note in notes)


def test_columns_of_failures_alone_and_of_costs(tmp_path: Path) -> None:
    rows = [row | {"context_recall": None, "latency_ms": 12, "topic": "birds"} for row in ROWS]
    data, notes = evidence_and_notes(encode(rows, "csv", tmp_path))
    assert {*data.columns} == {"user.faithfulness", "user.context_recall"}
    assert "run 'table': context_recall has no score for any of 4 answers: it failed on each, or was not run" in notes


def test_a_metric_with_parameters_in_its_name(tmp_path: Path) -> None:
    """As ragas calls FactualCorrectness; its mean is taken by that name."""
    rows = [{**row, "factual_correctness(mode=f1)": 0.5} for row in ROWS]
    scores = nescio.score(encode(rows, "csv", tmp_path), ci=None)
    assert scores["table", "mean(factual_correctness(mode=f1))"].value == 0.5


def test_a_metric_that_is_not_there(tmp_path: Path) -> None:
    path = encode(ROWS, "csv", tmp_path)
    assert "metrics here are faithfulness" in str(refusal(path, UsageError, choose={"metric": "style"}))


@pytest.mark.skipif(not LOGS.exists(), reason="the shared logs are not beside the checkout")
def test_a_real_table_has_the_tool_s_own_figures() -> None:
    """README of the logs: faithfulness nan (0), answer_relevancy nan (0), context_precision 0.2500 (4),
    context_recall 0.0000 (2)."""
    data, notes = evidence_and_notes(LOGS / "pulsevent_ragas_results.csv")
    graded = {name: scores[0][~pytest.importorskip("numpy").isnan(scores[0])] for name, scores in data.columns.items()}
    counts = {name.removeprefix("user."): len(scores) for name, scores in graded.items()}
    assert counts == {"faithfulness": 0, "answer_relevancy": 0, "context_precision": 4, "context_recall": 2}
    assert graded["user.context_precision"].mean() == pytest.approx(0.25)
    assert graded["user.context_recall"].mean() == 0
    assert sum("has no score for any of 5 answers" in note for note in notes) == 2


@pytest.mark.fuzz("ragas")
@given(st.data())
def test_damaged_tables_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.getbasetemp()
    encoding = data.draw(st.sampled_from(["csv", "jsonl", "json"]))
    sound = json.dumps(ROWS) if encoding == "json" else encode(ROWS, encoding, folder).read_bytes()
    options = data.draw(st.sampled_from([{}, {"choose": ONE}]))
    assert_damage_is_met(data, folder, {f"lamp.{encoding}": sound}, ungraded="exclude", **options)
