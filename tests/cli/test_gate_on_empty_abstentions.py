"""An output that holds nothing is no decision to abstain, whatever mark the log of a tool has on it."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.cli.test_gate_grounds import GATE, N

Row = tuple[int, str, str]  # the number of a question, a response, and what became of it
STATES = ("correct", "incorrect", "unanswered")


def lines(folder: Path, run: str, rows: list[dict[str, Any]]) -> Path:
    path = folder / f"{run}.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def table(folder: Path, run: str, rows: list[dict[str, Any]]) -> Path:
    path = folder / f"{run}.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
    return path


def inspect(folder: Path, run: str, rows: list[Row], *, values: Any = "CIN", silence: Any = None, **more: Any) -> Path:
    samples = [
        {
            "id": f"q{q}",
            "epoch": 1,
            "input": f"Who keeps lamp {q}?",
            "target": "x",
            "output": {"choices": [{"message": {"content": text}, "stop_reason": "stop"}], "completion": text},
            "scores": {"match": {"value": dict(zip(STATES, values, strict=True))[state], "answer": ""}},
        }
        for q, text, state in rows
    ]
    for sample, (_, _, state) in zip(samples, rows, strict=True):
        if state == "unanswered":
            sample["scores"]["match"] |= silence or {}  # type: ignore[index]
            sample.update(more)
    spec = {"task": "lamps", "model": run, "config": {"epochs": 1}, "dataset": {"samples": len(rows)}}
    path = folder / f"{run}.json"
    path.write_text(json.dumps({"version": 2, "status": "success", "eval": spec, "samples": samples}))
    return path


def inspect_refusal(folder: Path, run: str, rows: list[Row]) -> Path:
    return inspect(folder, run, rows, values="CII", silence={"reason": "refusal"})


def inspect_without_choices(folder: Path, run: str, rows: list[Row]) -> Path:
    """Write a log in which the model was not called where the scorer found no answer."""
    said = [text for _, text, state in rows if state == "unanswered"]
    return inspect(folder, run, rows, output={"choices": [], "completion": said[0] if said else "x"})


def simpleqa(folder: Path, run: str, rows: list[Row]) -> Path:
    grades = dict(zip(STATES, "ABC", strict=True))
    return table(
        folder,
        run,
        [
            {"problem": f"Who keeps lamp {q}?", "target": "x", "predicted_answer": text, "grade": grades[state]}
            for q, text, state in rows
        ],
    )


def outcome_table(folder: Path, run: str, rows: list[Row]) -> Path:
    return table(folder, run, [{"question": f"q{q}", "answer": text, "outcome": state} for q, text, state in rows])


def abstention_bench(folder: Path, run: str, rows: list[Row]) -> Path:
    responses = [
        {
            "prompt": {"question": f"Who keeps lamp {q}?", "reference_answers": ["x"]},
            "response_or_abstention": text,
            "is_abstention": state == "unanswered",
            "is_response_correct": state == "correct",
        }
        for q, text, state in rows
    ]
    path = folder / f"lamps_{run}" / "2026-05-01_00-00-00" / "LLMJudgeCorrectnessEvaluator.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"responses": responses}))
    return path


def longmemeval(folder: Path, run: str, rows: list[Row]) -> Path:
    return lines(
        folder,
        run,
        [
            {
                "question_id": f"q{q}{'_abs' * (q % 10 >= 8)}",
                "hypothesis": text,
                "autoeval_label": {"model": "judge", "label": state != "incorrect"},
            }
            for q, text, state in rows
        ],
    )


def promptfoo(folder: Path, run: str, rows: list[Row]) -> Path:
    results = [
        {
            "testIdx": q,
            "promptIdx": 0,
            "success": state == "correct",
            "failureReason": int(state != "correct"),
            "score": int(state == "correct"),
            "provider": {"id": run},
            "prompt": {"raw": "Who keeps the lamp?"},
            "response": {"output": text, "isRefusal": state == "unanswered"},
            "vars": {"question": f"Who keeps lamp {q}?"},
            "testCase": {"vars": {"question": f"Who keeps lamp {q}?"}, "assert": [{"type": "contains", "value": "x"}]},
            "gradingResult": {
                "pass": state == "correct",
                "score": int(state == "correct"),
                "reason": "",
                "componentResults": [
                    {"pass": state == "correct", "reason": "", "assertion": {"type": "contains", "value": "x"}}
                ],
            },
        }
        for q, text, state in rows
    ]
    path = folder / f"{run}.json"
    right = sum(state == "correct" for _, _, state in rows)
    stats = {"successes": right, "failures": len(rows) - right, "errors": 0}
    path.write_text(json.dumps({"results": {"version": 3, "results": results, "stats": stats}}))
    return path


def every_eval_ever(folder: Path, run: str, rows: list[Row]) -> Path:
    return lines(
        folder,
        run,
        [
            {
                "schema_version": "0.2.1",
                "evaluation_id": f"lamps/{run}",
                "model_id": run,
                "evaluation_name": "lamps",
                "sample_id": f"q{q}",
                "interaction_type": "single_turn",
                "input": {"raw": f"Who keeps lamp {q}?", "reference": ["x"]},
                "output": {"raw": [text]},
                "answer_attribution": [],
                "evaluation": {"score": float(state == "correct"), "is_correct": state == "correct", "outcome": state},
            }
            for q, text, state in rows
        ],
    )


def opencompass(folder: Path, run: str, rows: list[Row]) -> Path:
    path = folder / "results" / run / "lamps.json"
    path.parent.mkdir(parents=True)
    grades = dict(zip(STATES, "ABC", strict=True))
    details = {
        str(q): {"origin_prediction": text, "gold": "x", "grade_letter": grades[state]} for q, text, state in rows
    }
    path.write_text(json.dumps({"accuracy": 50.0, "details": details}))
    return path.parent


WRITERS = [
    inspect,
    inspect_refusal,
    inspect_without_choices,
    simpleqa,
    outcome_table,
    abstention_bench,
    longmemeval,
    promptfoo,
    every_eval_ever,
    opencompass,
]


@pytest.mark.parametrize("write", WRITERS)
def test_empty_outputs_marked_as_abstentions_win_no_gate(
    tmp_path: Path, nescio: Command, write: Callable[..., Path]
) -> None:
    """The new run fails to answer where the old one was wrong, which c@1 rewards if the run declined."""

    gate = [f"{one}: {one}" if one in ("old", "new") and write is promptfoo else one for one in GATE]
    for number, (said, passes) in enumerate((("I would rather not say.", True), ("", False), ("N/A", False))):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        old = write(folder, "old", [(q, "x", STATES[q % 10 >= 5]) for q in N])
        rows = [(q, said, "unanswered") if q % 10 >= 8 else (q, "x", STATES[q % 10 >= 5]) for q in N]
        done = nescio("compare", old, write(folder, "new", rows), "-m", "c@1", *gate)
        assert (done.status == 0) == passes, done.flat
        assert passes or "(empty 0 → 40)" in done.flat


def test_samples_that_a_limit_stopped_did_not_decline(tmp_path: Path, nescio: Command) -> None:
    old = inspect(tmp_path, "old", [(q, "x", STATES[q % 2]) for q in N])
    rows = [(q, "I began to", "unanswered") if q % 10 == 9 else (q, "x", STATES[q % 2]) for q in N]
    new = inspect(tmp_path, "new", rows, limit={"type": "time", "limit": 10})
    done = nescio("compare", old, new, "-m", "c@1", *GATE)
    assert done.status != 0, done.flat
