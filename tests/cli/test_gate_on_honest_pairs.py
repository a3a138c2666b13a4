"""Two honest runs of one tool differ in much that is neither the grader, nor the questions, nor a lost task."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import Command
from tests.cli.test_gate_grounds import GATE, N
from tests.cli.test_gate_on_logs import JUDGES, TEXT
from tests.cli.test_gate_on_lost_tasks import lm_eval, nemo_skills, opencompass, written
from tests.cli.test_gate_on_tools_logs import DATE, deepeval, lighteval

Write = Callable[..., Path]
CHATS = {"old": "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n", "new": "<s>[INST] {} [/INST]"}
LINES = {"old": "Question: {}", "new": "{} Answer with a letter."}
CRITERIA = "{0}\n| BinaryJudgementNode | Level == 0 |\n{1}\nLabel: None\n\nCriteria:\n{2}\n\nVerdict: {3}\nReason: {4}"


def in_chat(number: int | str, chat: str) -> str:
    return chat.format(f"Who keeps lamp {number}?\nA. x{number}\nB. y{number}")


def opencompass_prompts(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write results of OpenCompass whose prompts are in the chat template of the model."""
    details = {
        str(q): {
            "prompt": in_chat(f"{changes.get('before', '')}{q}", CHATS[run]),
            "predictions": "x",
            "references": "x",
            "correct": q % 10 < share,
        }
        for q in N
    }
    place = folder / run / "results" / run
    written(place / "lamps.json", {"accuracy": 10.0 * share, "details": details})
    return folder / run


def evalscope(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write reviews of EvalScope whose template stands in the line of the question."""
    rows = [
        {
            "index": q,
            "input": LINES[run].format(f"Lamp {changes.get('before', '')}{q}?"),
            "target": "x",
            "sample_score": {
                "score": {
                    "value": {"acc": float(q % 10 < share)},
                    "prediction": "x",
                    "metadata": {
                        "source": "llm_judge",
                        "model": changes.get("model", "m"),
                        "judge_response": f"{run} {q}",
                    },
                },
                "group_id": q,
            },
        }
        for q in N
    ]
    return written(folder / run / "reviews" / run / "lamps_default.jsonl", rows).parents[2]


def early_lighteval(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write details of an early version of lighteval, whose prompts are in the chat template of the model."""
    rows = [
        {"metrics": {"em": float(q % 10 < share)}, "predictions": ["x"], "gold": ["x"]}
        | {"full_prompt": in_chat(f"{changes.get('before', '')}{q}", CHATS[run])}
        for q in N
    ]
    path = folder / run / f"details_lamps_{DATE}.parquet"
    path.parent.mkdir()
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path.parent


def nemo_evaluator(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write results of NeMo Evaluator with a judge, which notes the tokens and the time of each of its answers."""
    rows = []
    for q in N:
        judge = {"normalized": float(q % 10 < share), "judge_model": "m", "judge_tokens": share * q, "hops": share + q}
        judge |= {"judge_latency_ms": 0.5 + share * q, "judge_model": changes.get("model", ["m"])[-(q == 7)]}
        details = {"method": ("exact", "judge")[q % 2], "judge": judge}
        row = {"problem_idx": q, "repeat": 0, "reward": float(q % 10 < share), "scoring_details": details}
        rows.append({**row, "model_response": "x", "expected_answer": "x"})
    scores = {"pass@1": {"value": share / 10}}
    benchmark = {"name": "lamps", "samples": len(N), "repeats": 1, "scores": scores}
    config = {"model": run, "judge_url": f"http://{run}:80"}
    bundle = {
        "sdk_version": "0.3",
        "config_hash": run,
        "run_id": run,
        "timestamp": run,
        "config": config,
        "benchmark": benchmark,
        "n_results": len(N),
    }
    written(folder / run / "eval-lamps.json", bundle)
    return written(folder / run / "results.jsonl", rows).parent


def mlflow(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write traces of MLflow, whose assessments name the session and hold numbers of each answer."""
    rows = []
    for q in N:
        mark = {"assessment_name": "right", "feedback": {"value": "yes" if q % 10 < share else "no"}}
        mark |= {"source": {"source_type": "LLM_JUDGE", "source_id": "m"}, "assessment_id": f"{run} {q}"}
        free = {"mlflow.trace.session": run, "git_sha": run, "similarity": share * q} | changes.get("free", {})
        rows.append(
            {"trace_id": f"{run} {q}", "request": f"q{q}", "response": "x", "assessments": [mark | {"metadata": free}]}
        )
    return written(folder / f"{run}.json", rows)


def langfuse(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write scores of Langfuse, each with its trace, and metadata that name the experiment."""
    rows = []
    for q in N:
        trace = {"userId": f"{run} {q}", "tags": [run], "environment": run, "sessionId": f"{run} {q}"}
        free = {"experiment": run, "similarity": share * q, "judge_prompt": f"Grade {run} {q}."} | changes.get(
            "free", {}
        )
        row = {"id": f"{run} {q}", "traceId": f"t{q}", "name": "right", "value": float(q % 10 < share)}
        row |= {"dataType": "NUMERIC", "stringValue": None, "source": "EVAL", "trace": trace, "metadata": free}
        rows.append(row)
    return written(folder / f"{run}.json", {"data": rows, "meta": {}})


def phoenix(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write a table of `evaluate_dataframe` of Phoenix, whose column `reference` has what the system retrieved."""
    rows = []
    for q in N:
        mark = {
            "name": "right",
            "score": int(q % 10 < share),
            "metadata": {"experiment": run} | changes.get("free", {}),
        }
        row = {"input": f"q{q}", "output": "x", "reference": f"document {run} {q}", "right_score": mark}
        rows.append({**row, "right_execution_details": {"status": "COMPLETED"}})
    return written(folder / f"{run}.json", rows)


def graph(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write cases of DeepEval that a graph (DAG) graded, with the context that the system retrieved."""
    said = CRITERIA.format("_" * 9, "*" * 9, changes.get("criteria", "strict"), share, run)
    return deepeval(folder, run, share, metric={"verboseLogs": said}, case={"context": [f"found by {run}"]})


@pytest.mark.parametrize(
    ("write", "attack", "why"),
    [
        (opencompass_prompts, {"before": 9}, TEXT),
        (evalscope, {"before": 9}, TEXT),
        (evalscope, {"model": "n"}, JUDGES),
        (early_lighteval, {"before": 9}, TEXT),
        (nemo_evaluator, {"model": ["m", "n"]}, JUDGES),
        (mlflow, {"free": {"prompt_version": 2}}, JUDGES),
        (langfuse, {"free": {"judge_model": "n"}}, JUDGES),
        (phoenix, {"free": {"rubric": "kind"}}, JUDGES),
        (graph, {"criteria": "lenient"}, JUDGES),
    ],
)
def test_an_honest_pair_passes_and_another_grader_or_question_does_not(
    tmp_path: Path, nescio: Command, write: Write, attack: dict[str, Any], why: str
) -> None:
    """A judge's model that differs in a single answer is another judge."""
    old, new = write(tmp_path, "old", 5), write(tmp_path, "new", 9)
    done = nescio("compare", old, new, "-m", "accuracy", *GATE)
    assert done.status == 0, done.flat
    nescio("compare", old, "--save-baseline", tmp_path / "base.json")
    done = nescio("compare", new, "-m", "accuracy", "--baseline", tmp_path / "base.json", "--fail-on-regression")
    assert done.status == 0, done.flat
    (tmp_path / "attack").mkdir()
    attacked = write(tmp_path / "attack", "new", 9, **attack)
    nescio("compare", old, attacked, "-m", "accuracy", *GATE).assert_refused(why)


FIGURE = {"pass@1": {"num_entries": 90, "symbolic_correct": 1.0}}


@pytest.mark.parametrize(
    ("write", "changes"),
    [
        (nemo_skills, {"figures": {"lamps-red": FIGURE, "lamps.blue": FIGURE}}),
        (nemo_skills, {"figures": {"hard": {"pass@1": {"num_entries": 90, "other": 1.0}}}}),
        (lm_eval, {"results": {"wikitext": {"word_perplexity,none": 12.0}, "lamps_red": {"em,none": 0.1}}}),
        (lm_eval, {"config": {"multiple_inputs": False, "chat_template": "a", "include_path": "/b"}}),
        (lighteval, {"results": {"results": {"wikitext|0": {"ppl": 12.0}, "lamps:_average|0": {"em": 0.1}}}}),
        (lighteval, {"results": {"results": {"lamps:red|0": {"em": 0.1}, "lamps|0|0": {"em": 0.1}}}}),
    ],
)
def test_a_group_a_subset_and_another_kind_of_task_are_not_lost(
    tmp_path: Path, nescio: Command, write: Write, changes: dict[str, Any]
) -> None:
    path = write(tmp_path, "new", 9, **changes)
    done = nescio("score", path, "-m", "accuracy", "--fail-under", "accuracy=0.6")
    assert done.status == 0, done.flat


def test_figures_of_another_kind_lose_no_dataset(tmp_path: Path, nescio: Command) -> None:
    path = opencompass(tmp_path, "new", 9)
    written(path / "results" / "new" / "summaries.json", {"rouge1": 20.1})
    done = nescio("score", path, "-m", "accuracy", "--fail-under", "accuracy=0.6")
    assert done.status == 0, done.flat


@pytest.mark.parametrize(("lost", "status"), [(True, 0), (False, 3)])
def test_a_task_that_both_runs_lost_decides_nothing(tmp_path: Path, nescio: Command, lost: bool, status: int) -> None:
    old, new = opencompass(tmp_path, "old", 5, lost=lost), opencompass(tmp_path, "new", 9, lost=True)
    done = nescio("compare", old, new, "-m", "accuracy", *GATE)
    assert (done.status, "answers to hard" in done.flat) == (status, True), done.flat


@pytest.mark.parametrize("said", ["<think>\nhm\n</think>\n", "**Answer**\n\n"])
def test_lines_that_all_answers_have_are_no_part_of_a_judge(tmp_path: Path, nescio: Command, said: str) -> None:
    paths = []
    for run, share, begun in (("old", 5, ""), ("new", 9, said)):
        details = {
            str(q): {"origin_prompt": f"Grade it.\nQ: lamp {q}?\nAnswer:\n{begun}x{q}\nEnd\nSay A or B.", "gold": "x"}
            | {"prediction": "A" if q % 10 < share else "B"}
            for q in N
        }
        paths.append(written(tmp_path / run / "results" / run / "lamps.json", {"details": details}))
    done = nescio("compare", *paths, "-m", "accuracy", *GATE)
    assert done.status == 0, done.flat


def test_another_version_may_have_read_the_words_otherwise(tmp_path: Path, nescio: Command) -> None:
    base = tmp_path / "base.json"
    nescio("compare", evalscope(tmp_path, "old", 5), "--save-baseline", base)
    document = json.loads(base.read_text())
    base.write_text(json.dumps({**document, "version": "0.0.1"}))
    new = evalscope(tmp_path, "new", 9, before=9)
    done = nescio("compare", new, "-m", "accuracy", "--baseline", base, "--fail-on-regression")
    done.assert_refused("different questions, or nescio 0.0.1, which made it, read their words otherwise: 200")
