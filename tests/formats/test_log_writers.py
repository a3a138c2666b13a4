"""Outcomes written as logs of other tools and read back: silence, repeats and what nobody graded stay what they are."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import nescio
from nescio.data.outcomes import ABSENT, CORRECT, INCORRECT, NOT_GRADED, SILENT, Outcomes
from nescio.data.repeats import repeats_of
from nescio.formats import WRITERS
from nescio.pipeline import Options, read
from tests.notes import in_words

from .fuzz import evidence_and_notes

QUESTIONS = ("q1", "q1", "q2", "q2", "q3", "q3")
FOUND = Outcomes(
    ("lamp/2b", "owl"),
    QUESTIONS,
    np.array(
        [
            [CORRECT, SILENT, INCORRECT, NOT_GRADED, SILENT, SILENT],
            [CORRECT, CORRECT, INCORRECT, INCORRECT, SILENT, ABSENT],
        ],
        dtype=np.int8,
    ),
    confidence=np.array([[0.75, np.nan, 0.1, np.nan, np.nan, np.nan], [1.0, 0.5, 0.25, 0.3, np.nan, np.nan]]),
    answerable=np.array([1, 1, 1, 1, 0, 0], dtype=np.int8),
    strata={"topic": np.array(["sea"] * 4 + ["sky"] * 2, dtype=object)},
    why=np.array(
        [[None, "empty", None, "errored", "refused", "declined in words"], [None, None, None, None, "empty", None]],
        dtype=object,
    ),
    repeats=repeats_of(QUESTIONS, ["1", "2"] * 3),
)


def read_back(path: Path) -> Outcomes:
    data = read([path], Options()).data
    assert isinstance(data, Outcomes)
    return data


def by_answer(found: Outcomes) -> dict[tuple[str, str, str], tuple[int, str | None]]:
    """The state and the reason of each answer."""
    assert found.repeats is not None
    return {
        (run, question, str(found.repeats.label[q])): (
            int(found.state[r, q]),
            None if found.why is None else found.why[r, q],
        )
        for r, run in enumerate(found.runs)
        for q, question in enumerate(found.questions)
        if found.state[r, q] != ABSENT
    }


def test_instances_of_every_eval_ever_are_read_back(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    notes = in_words(WRITERS.find("every_eval_ever").write(FOUND, path).notes)
    assert notes == (
        "4 answers declined: in the file, outcome is unanswered, and is_correct says whether declining was right",
    )
    found = read_back(path)
    said = {"empty": "empty (said to abstain)"}  # the file itself calls such an answer unanswered, so it stays silence
    assert by_answer(found) == {
        key: (state, said.get(why or "", why)) for key, (state, why) in by_answer(FOUND).items()
    }
    assert found.confidence is not None
    assert found.answerable is not None
    assert_array_equal(found.confidence[1][:4], [1.0, 0.5, 0.25, 0.3])
    assert found.answerable.tolist() == [1, 1, 1, 1, 0, 0]


def test_an_instance_has_what_the_schema_asks_for(tmp_path: Path) -> None:
    """Of version 0.3.0: these keys, a score and a verdict in each, and texts alone in the metadata."""
    WRITERS.find("every_eval_ever").write(FOUND, tmp_path / "out.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    required = {"schema_version", "evaluation_id", "model_id", "evaluation_name", "sample_id", "interaction_type"}
    required |= {"input", "answer_attribution", "evaluation"}
    for row in rows:
        assert required <= {*row}
        assert {type(row["evaluation"]["score"]), type(row["evaluation"]["is_correct"])} == {float, bool}
        assert {type(value) for value in row["metadata"].values()} == {str}
        silent, none = row["evaluation"]["outcome"] == "unanswered", row["metadata"]["nescio_answerable"] == "false"
        assert row["evaluation"]["is_correct"] == (row["evaluation"]["outcome"] == "correct" or (silent and none))
        assert row["evaluation"]["outcome"] == row["metadata"]["nescio_outcome"]
    assert sum(row["error"] is not None for row in rows) == 1


def test_logs_of_inspect_are_read_back(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    notes = in_words(WRITERS.find("inspect").write(FOUND, folder).notes)
    assert any(note.endswith("of the scores: confidence") for note in notes), notes
    found = read_back(folder)
    assert found.answerable is not None
    assert found.answerable.tolist() == [1, 1, 1, 1, 0, 0]
    states = {key: state for key, (state, _) in by_answer(FOUND).items()}
    assert {key: state for key, (state, _) in by_answer(found).items()} == states
    assert list(found.strata["topic"]) == ["sea"] * 4 + ["sky"] * 2


@pytest.mark.slow
def test_inspect_itself_reads_the_logs(tmp_path: Path) -> None:
    log = pytest.importorskip("inspect_ai.log")
    WRITERS.find("inspect").write(FOUND, tmp_path / "logs")
    first, second = (log.read_eval_log(str(path)) for path in sorted((tmp_path / "logs").iterdir()))
    assert {first.eval.model, second.eval.model} == {"lamp/2b", "owl"}
    lamp = first if first.eval.model == "lamp/2b" else second
    values = {(sample.id, sample.epoch): sample.scores["nescio"].value for sample in lamp.samples}
    assert (values["q1", 1], values["q1", 2], values["q2", 1]) == ("C", "N", "I")
    assert values["q2", 2] != values["q2", 2]
    reasons = {(sample.id, sample.epoch): sample.scores["nescio"].reason for sample in lamp.samples}
    assert (reasons["q1", 2], reasons["q3", 1]) == ("no_response", "refusal")


def test_from_the_command_s_function(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("run,question,outcome\na,q1,correct\na,q2,unanswered\n")
    nescio.convert(table, tmp_path / "out.jsonl", to="every_eval_ever")
    nescio.convert(table, tmp_path / "logs", to="inspect")
    for path in (tmp_path / "out.jsonl", tmp_path / "logs"):
        data, notes = evidence_and_notes(path)
        assert [int(data.columns[name].sum()) for name in ("correct", "incorrect", "unanswered")] == [1, 0, 1]
        assert not any("no field for abstentions" in note for note in notes)


@pytest.mark.sampled
@given(st.lists(st.sampled_from([CORRECT, INCORRECT, SILENT, NOT_GRADED]), min_size=1, max_size=8))
def test_any_states_come_back(tmp_path_factory: pytest.TempPathFactory, states: list[int]) -> None:
    names = tuple(f"q{i}" for i in range(len(states)))
    folder = tmp_path_factory.mktemp("any")
    for to, path in (("every_eval_ever", folder / "out.jsonl"), ("inspect", folder / "logs")):
        WRITERS.find(to).write(Outcomes(("a",), names, np.array([states], dtype=np.int8)), path)
        assert read_back(path).state[0].tolist() == states
