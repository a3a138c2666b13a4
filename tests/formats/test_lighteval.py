"""lighteval's details: outcomes by the one metric of a task that is right or wrong, its own figures beside them."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.errors import FormatError, UsageError

from .encodings import assert_refused, evidence, refusal
from .excerpts import place_of
from .fuzz import assert_damage_is_met, evidence_and_notes, write_files

LAMP = place_of("lighteval")
DATE = "2026-01-02T03-04-05.678901"
ROWS: list[dict[str, Any]] = [
    {
        "doc": {"query": "q", "choices": ["a"], "id": str(i), "task_name": "harbour|0"},
        "model_response": {"text": [text], "logprobs": None},
        "metric": {"em": score, "f1": score / 2},
    }
    for i, (text, score) in enumerate([("a", 1), ("b", 0), ("", 0), ("I do not know", 0)])
]


def parquet(rows: list[dict[str, Any]]) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), file)
    return file.getvalue()


SOUND = parquet(ROWS)


def details(*parts: tuple[str, list[dict[str, Any]]]) -> dict[str, str | bytes]:
    return {f"details/some/model/{DATE}/details_{task}_{DATE}.parquet": parquet(rows) for task, rows in parts}


def results(**metrics: float) -> dict[str, str | bytes]:
    document = {"config_general": {}, "results": {"harbour|0": metrics}, "summary_general": {}}
    return {f"results/some/model/results_{DATE}.json": json.dumps(document)}


def test_outcomes_and_silence(tmp_path: Path) -> None:
    write_files(tmp_path, details(("harbour", ROWS)))
    data, notes = evidence_and_notes(tmp_path, declined_pattern=("i do not know",))
    assert data.runs == ("some/model",)
    assert data.questions == ("harbour|0/0", "harbour|0/1", "harbour|0/2", "harbour|0/3")
    counts = [data.columns[name].sum() for name in ("correct", "incorrect", "unanswered")]
    assert counts == [1, 1, 2]
    assert "outcomes by harbour|0: em; only scores: f1" in notes


def test_the_tool_s_own_figures() -> None:
    """lighteval printed em 0.4 of 5 and acc 0.667 of 3 when it wrote these files, and they are in its results."""
    data = evidence(LAMP)
    figures = json.loads(next(LAMP.glob("results/**/*.json")).read_text())["results"]
    assert np.nanmean(data.columns["user.em"]) == figures["harbour|0"]["em"] == 0.4
    assert np.nanmean(data.columns["user.acc"]) == figures["harbour_choice|0"]["acc"]


def test_a_figure_that_is_not_that_of_the_details_is_noted(tmp_path: Path) -> None:
    write_files(tmp_path, details(("harbour", ROWS)) | results(em=0.5, em_stderr=0.1))
    _, notes = evidence_and_notes(tmp_path)
    assert any("its own em of harbour|0 is 0.5, but the answers in it give 0.25" in note for note in notes)
    write_files(tmp_path, results(em=0.25))
    assert not any("its own em" in note for note in evidence_and_notes(tmp_path)[1])


def test_figures_alone_say_where_the_answers_are(tmp_path: Path) -> None:
    path = write_files(tmp_path, results(em=0.5))[0]
    rule = "it holds figures (harbour|0 em 0.5) and no answers: those are in details/…/details_*.parquet"
    assert_refused(path, None, rule)


def test_several_verdicts_need_a_choice(tmp_path: Path) -> None:
    rows = [{**row, "metric": {"em": row["metric"]["em"], "qem": 1}} for row in ROWS]
    path = write_files(tmp_path, details(("harbour", rows)))[0]
    data, notes = evidence_and_notes(path)
    assert "correct" not in data.columns
    assert any("scores of em, qem, and no outcomes: --choose metric=NAME" in note for note in notes)
    assert evidence(path, choose={"metric": "qem"}).columns["correct"].sum() == 3
    assert "metrics here are em, qem" in str(refusal(path, UsageError, choose={"metric": "acc"}))


def test_the_confidence_of_a_choice() -> None:
    """1 / (1 + e^-2), 1 / (1 + e^-1), 1 / (1 + e^-2) of log-probabilities -1 and -3, -1 and -2, -2.5 and -0.5."""
    data = evidence(next(LAMP.glob("details/**/*choice*.parquet")))
    assert data.columns["confidence"][0].tolist() == pytest.approx([0.880797, 0.731059, 0.880797], abs=1e-6)


@pytest.mark.parametrize("as_text", [False, True])
def test_the_columns_of_earlier_versions(tmp_path: Path, *, as_text: bool) -> None:
    rows = [
        {"metrics": {"em": float(right)}, "predictions": [text], "gold": ["a"], "full_prompt": "q"}
        for text, right in [("a", 1), ("", 0), ("b", 0)]
    ]
    if as_text:
        rows = [{name: str(value) for name, value in row.items()} for row in rows]
    data = evidence(write_files(tmp_path, details(("harbour", rows)))[0])
    assert data.columns["correct"][0].tolist() == [1, 0, 0]
    assert data.columns["unanswered"][0].tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    "cell", ["[{[1]: 2}]", "[" * 50_000 + "]" * 50_000], ids=["a list as a key", "100,000 brackets"]
)
def test_a_cell_that_looks_like_a_list_and_cannot_be_one(cell: str, tmp_path: Path) -> None:
    rows = [{"metrics": str({"em": 1.0}), "predictions": "['a']", "gold": cell, "full_prompt": "q"}]
    assert evidence(write_files(tmp_path, details(("harbour", rows)))[0]).columns["correct"][0].tolist() == [1]
    rows[0]["metrics"] = cell
    path = write_files(tmp_path, details(("harbour", rows)))[0]
    assert_refused(path, "row 1", "metric must hold a score by name")


def test_two_models_are_two_runs(tmp_path: Path) -> None:
    one = details(("harbour", ROWS))
    other = {name.replace("some/model", "other"): content for name, content in one.items()}
    assert evidence(write_files(tmp_path, one | other)).runs == ("some/model", "other")


def test_a_score_that_is_none_is_not_graded(tmp_path: Path) -> None:
    rows = [{**row, "metric": {"em": None if i == 1 else float(row["metric"]["em"])}} for i, row in enumerate(ROWS)]
    data, notes = evidence_and_notes(write_files(tmp_path, details(("harbour", rows)))[0], ungraded="exclude")
    assert (~data.present).tolist() == [[False, True, False, False]]
    assert any("em has scores for 3 of 4 answers" in note for note in notes)


def test_broken_details(tmp_path: Path) -> None:
    rows = [{**row, "metric": 1} for row in ROWS]
    path = write_files(tmp_path, details(("harbour", rows)))[0]
    assert_refused(path, "row 1", "metric must hold a score by name")
    cut = write_files(tmp_path, {"details_x.parquet": parquet(ROWS)[:-40]})[0]
    assert "not a readable Parquet file" in str(refusal(cut, FormatError))


@pytest.mark.fuzz("lighteval")
@given(st.data())
def test_damaged_details_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    files = {"details_a.parquet": SOUND, "results_a.json": next(iter(results(em=0.5).values()))}
    assert_damage_is_met(data, tmp_path_factory.getbasetemp(), files, ungraded="exclude")
