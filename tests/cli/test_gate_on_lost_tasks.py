"""A task or data set that a log states and does not hold is lost, and what its prompts and versions say is compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.cli.test_gate_grounds import GATE, N
from tests.cli.test_gate_on_logs import GOLD, JUDGES, TEXT

TEMPLATE = "Grade {}.\nQuestion: {}\nAnswer: {} {}"


def written(path: Path, document: Any) -> Path:
    """Write a JSON document, or JSON Lines for a name that ends in them, and return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = map(json.dumps, document) if path.suffix == ".jsonl" else [json.dumps(document)]
    path.write_text("\n".join(lines))
    return path


def opencompass(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write results of OpenCompass in which `share` of ten items are right, by rules or by a judge."""
    details = {}
    for q in N:
        right, asked = q % 10 < share, changes.get("asked", "Who keeps lamp {}?").format(q)
        ruled = {"prompt": f"{run} thinks.\n{asked}", "predictions": "x", "references": changes.get("gold", "x")}
        prompt = TEMPLATE.format(changes.get("how"), q, run, q % 10 < share)
        judged = {"origin_prompt": prompt, "prediction": "A" if right else "B", "gold": ""}
        details[str(q)] = judged if "how" in changes else {**ruled, "correct": right}
    place = folder / run / "results" / run
    written(place / "lamps.json", {"accuracy": 10.0 * share, "details": details} | changes.get("more", {}))
    if changes.get("lost"):
        written(place / "hard.json", {"accuracy": 1.0})
    return folder / run


def lm_eval(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write samples of lm-evaluation-harness in which `share` of ten answers are right, with a results file."""
    rows = [
        {"doc_id": q, "doc": {}, "target": "x", "arguments": [], "resps": [["x"]], "filtered_resps": ["x"]}
        | {"filter": "none", "metrics": ["em"], "doc_hash": str(q), "em": float(q % 10 < share)}
        for q in N
    ]
    written(folder / run / "samples_lamps.jsonl", rows)
    config = {"doc_to_text": run, "metadata": {"pretrained": run}} | changes.get("config", {})
    results = {
        "results": {"lamps": {"em,none": share / 10}} | changes.get("results", {}),
        "configs": {"lamps": config},
        "versions": {"lamps": changes.get("version", 1)},
        "group_subtasks": {"all": ["lamps", "hard"]},
    }
    written(folder / run / "results.json", results)
    return folder / run


def nemo_skills(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write outputs of NeMo-Skills in which `share` of ten answers are right, with the figures."""
    place = folder / run / "eval-results"
    rows = [{"id": q, "problem": f"q{q}", "generation": "x", "symbolic_correct": q % 10 < share} for q in N]
    written(place / "lamps" / "output-rs0.jsonl", rows)
    own = {"lamps": {"pass@1": {"symbolic_correct": 10.0 * share}}} | changes.get("figures", {})
    written(place / "metrics.json", own)
    return folder / run


def nemo_evaluator(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write results of NeMo Evaluator in which `share` of ten answers are right."""
    rows = [
        {"problem_idx": q, "repeat": 0, "reward": float(q % 10 < share), "model_response": "x", "expected_answer": "x"}
        | {"scoring_details": {"method": changes.get("method", "exact")}}
        for q in N
    ]
    return written(folder / run / "results.jsonl", rows).parent


def phoenix(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write runs of an experiment of Phoenix in which `share` of ten answers are right; each call has another time."""
    rows = []
    for q in N:
        made = {"model": "m", "latency_ms": share * q, "traceId": f"{run} {q}"} | changes.get("made", {})
        mark = {"name": "right", "annotator_kind": "LLM", "score": float(q % 10 < share), "metadata": made}
        row = {"example_id": f"q{q}", "repetition_number": 1, "input": f"q{q}", "reference_output": "x", "output": "x"}
        rows.append(
            {**row, "latency_ms": 1.0, "start_time": "t", "end_time": "t", "trace_id": "t", "annotations": [mark]}
        )
    return written(folder / f"{run}.json", rows)


def langfuse(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write traces of Langfuse in which `share` of ten answers are right."""
    rows = []
    for q in N:
        score = {"id": f"{run} {q}", "name": "right", "value": float(q % 10 < share), "createdAt": f"{run} {q}"}
        score |= {"source": "EVAL", "configId": changes.get("config", "c1")}
        trace = {
            "id": f"{run} {q}",
            "sessionId": "s",
            "userId": "u",
            "environment": "e",
            "input": f"q{q}",
            "output": "x",
        }
        rows.append({**trace, "scores": [score]})
    return written(folder / f"{run}.json", {"data": rows, "meta": {}})


@pytest.mark.parametrize(
    ("write", "before", "after", "why"),
    [
        (phoenix, {}, {"made": {"prompt_version": 2}}, JUDGES),
        (langfuse, {}, {"config": "c2"}, JUDGES),
        (opencompass, {"how": "strictly"}, {"how": "kindly"}, JUDGES),
        (opencompass, {}, {"asked": "Who keeps lamp 9{}?"}, TEXT),
        (opencompass, {}, {"gold": "y"}, GOLD),
        (lm_eval, {}, {"version": 2}, JUDGES),
        (lm_eval, {}, {"config": {"a_new_grader": "kind"}}, JUDGES),
        (nemo_evaluator, {}, {"method": "prefix"}, JUDGES),
    ],
)
def test_what_logs_say_of_grading_and_questions_is_compared(
    tmp_path: Path, nescio: Command, write: Any, before: dict[str, Any], after: dict[str, Any], why: str
) -> None:
    """The same log passes if nothing but the model and its prompt differ, also beside the file of a baseline."""
    old, same = write(tmp_path, "old", 5, **before), write(tmp_path, "same", 9, **before)
    other = write(tmp_path, "other", 9, **before | after)
    gate = ("-m", "accuracy", "--baseline", "old", "--fail-on-regression")
    done = nescio("compare", old, same, *gate, "--run", "same")
    assert done.status == 0, done.flat
    nescio("compare", old, other, *gate, "--run", "other").assert_refused(why)
    nescio("compare", old, "--save-baseline", tmp_path / "base.json")
    for new, status in ((same, 0), (other, 2)):
        done = nescio("compare", new, "-m", "accuracy", "--baseline", tmp_path / "base.json", "--fail-on-regression")
        assert done.status == status, done.flat


@pytest.mark.parametrize(
    ("write", "changes", "words"),
    [
        (opencompass, {"lost": True}, "hard.json: the file holds 0 of an unknown number of answers to hard"),
        (
            opencompass,
            {"more": {"correct_count": 180, "incorrect_count": 120}},
            "lamps.json: the file holds 200 of 300",
        ),
        (
            lm_eval,
            {"results": {"hard": {"em,none": 0.01}, "all": {"em,none": 0.5}}},
            "0 of an unknown number of answers to hard",
        ),
        (
            nemo_skills,
            {"figures": {"hard": {"pass@1": {"num_entries": 90, "symbolic_correct": 1.0}}}},
            "0 of 90 answers to hard",
        ),
    ],
)
def test_what_a_log_states_and_does_not_hold_is_lost(
    tmp_path: Path, nescio: Command, write: Any, changes: dict[str, Any], words: str
) -> None:
    gate = ("-m", "accuracy", "--fail-under", "accuracy=0.6")
    whole = nescio("score", write(tmp_path / "whole", "new", 9), *gate)
    assert whole.status == 0, whole.flat
    done = nescio("score", write(tmp_path, "new", 9, **changes), *gate)
    assert done.status == 3, done.flat
    assert words in done.flat
    assert "answers to all" not in done.flat


@pytest.mark.parametrize(("what", "says"), [("method", JUDGES), ("gold", GOLD), ("", "")])
def test_wrong_answers_alone_are_graded_otherwise(tmp_path: Path, nescio: Command, what: str, says: str) -> None:
    """NeMo Evaluator says of each answer by which method and by which key it was graded."""

    def results(run: str, *, changed: bool) -> Path:
        rows = [
            {
                "problem_idx": q,
                "repeat": 0,
                "reward": float(q % 10 < 6 or changed),
                "model_response": "x",
                "expected_answer": None if changed and what == "gold" and q % 10 >= 6 else "x",
                "scoring_details": {"method": "loose" if changed and what == "method" and q % 10 >= 6 else "exact"},
            }
            for q in N
        ]
        written(tmp_path / run / "results.jsonl", rows)
        return tmp_path / run

    done = nescio("compare", results("old", changed=False), results("new", changed=True), "-m", "c@1", *GATE)
    assert (done.status, says in done.flat) == (2 if says else 0, True), done.flat
