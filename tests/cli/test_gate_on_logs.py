"""Whoever sends a tool's log could change who graded it, or what was asked, so no gate rests on such a change."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.cli.test_gate_grounds import GATE, N

JUDGES, ASKED = "the runs were judged by different judges", "in some runs than in others"
GOLD, TEXT = "have another gold answer", "have another text or other options"
Change = dict[str, Any]


def inspect(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write a log of Inspect in which `share` of ten answers are right, with changes of the scorer or the samples."""
    scorer, params = changes.get("scorer", "match"), changes.get("params", {})
    samples = [
        {
            "id": f"q{q}",
            "epoch": 1,
            "input": changes.get("input", "Who keeps lamp {}?").format(q),
            "target": changes.get("target", "x"),
            "output": {"choices": [], "completion": "x"},
            "scores": {scorer: {"value": "C" if q % 10 < share else "I", "answer": "x"}},
        }
        for q in N
    ]
    spec = {
        "task": "harbour",
        "model": run,
        "config": {"temperature": share, "epochs": 1},
        "dataset": {"samples": len(samples)},
        "scorers": [{"name": scorer, "options": params}],
        "model_roles": changes.get("roles"),
    }
    results = {
        "total_samples": len(samples),
        "completed_samples": len(samples),
        "scores": [{"name": scorer, "scorer": scorer, "params": params, "metrics": {}}],
    }
    path = folder / f"{run}.json"
    log = {"version": 2, "status": "success", "eval": spec, "results": results, "samples": samples}
    path.write_text(json.dumps(log))
    return path


def lm_eval(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write samples of lm-evaluation-harness in which `share` of ten answers are right."""
    metric, path = changes.get("metric", "exact_match"), folder / run / "samples_harbour.jsonl"
    path.parent.mkdir()
    rows = [
        {
            "doc_id": q,
            "doc": {"question": changes.get("input", "Who keeps lamp {}?").format(q)},
            "target": changes.get("target", "x"),
            "arguments": {"gen_args_0": {"arg_0": f"{run}: answer in a word. Who keeps lamp {q}?", "arg_1": {}}},
            "resps": [["x"]],
            "filtered_resps": ["x"],
            "filter": changes.get("filter", "none"),
            "metrics": [metric],
            "doc_hash": changes.get("hash", str(q)),
            metric: float(q % 10 < share),
        }
        for q in N
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    if "step" not in changes:
        return path
    filters = [{"name": "none", "filter": [{"function": "custom", "filter_fn": changes["step"]}]}]
    results = {
        "results": {"harbour": {}},
        "configs": {"harbour": {"filter_list": filters}},
        "versions": {},
        "config": {},
    }
    (path.parent / "results.json").write_text(json.dumps(results))
    return path.parent


def deepeval(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write a test run of DeepEval in which `share` of ten cases pass."""
    cases = [
        {
            "name": f"case {q}",
            "input": f"Who keeps lamp {q}?",
            "actualOutput": "x",
            "expectedOutput": changes.get("target", "x"),
            "success": q % 10 < share,
            "metricsData": [
                {
                    "name": changes.get("metric", "Correctness"),
                    "threshold": changes.get("threshold", 0.5),
                    "success": q % 10 < share,
                    "score": float(q % 10 < share),
                    "evaluationModel": changes.get("model", "lamplighter/judge"),
                }
            ],
        }
        for q in N
    ]
    counts = {"testPassed": len(N) * share // 10, "testFailed": len(N) - len(N) * share // 10}
    path = folder / f"{run}.json"
    path.write_text(json.dumps({"testCases": cases, "conversationalTestCases": [], "metricsScores": [], **counts}))
    return path


GRADED = {"scorer": "model_graded_qa", "roles": {"grader": {"model": "lamplighter/judge"}}}
CASES: list[tuple[Callable[..., Path], Change, Change, str]] = [
    (inspect, {}, {"scorer": "lenient"}, f"{JUDGES} (match, lenient)"),
    (inspect, {}, {"params": {"location": "any"}}, f"{JUDGES} (match, match(location=any))"),
    (inspect, GRADED, GRADED | {"roles": {"grader": {"model": "lamplighter/small"}}}, JUDGES),
    (inspect, {}, {"target": "y"}, GOLD),
    (inspect, {}, {"input": "Who lit lamp {}?"}, TEXT),
    (lm_eval, {}, {"filter": "lenient"}, f"{JUDGES} (exact_match(filter=none), exact_match(filter=lenient))"),
    (lm_eval, {}, {"metric": "f1"}, JUDGES),
    (lm_eval, {"step": "<function strict at 0x7f11c8c5ee8c0>"}, {"step": "<function lax at 0x7f11c8c5ee8c0>"}, JUDGES),
    (lm_eval, {}, {"target": "y"}, GOLD),
    (lm_eval, {}, {"input": "Who lit lamp {}?"}, TEXT),
    (lm_eval, {}, {"hash": "other"}, "200 documents have the same doc_id but different doc_hashes"),
    (deepeval, {}, {"metric": "Brevity"}, JUDGES),
    (deepeval, {}, {"model": "lamplighter/small"}, JUDGES),
    (deepeval, {}, {"threshold": 0.1}, JUDGES),
    (deepeval, {}, {"target": "y"}, GOLD),
]


@pytest.mark.parametrize(("write", "before", "after", "why"), CASES)
def test_a_log_that_was_graded_or_asked_otherwise_wins_no_gate(
    tmp_path: Path, nescio: Command, write: Callable[..., Path], before: Change, after: Change, why: str
) -> None:
    paths = write(tmp_path, "old", 5, **before), write(tmp_path, "new", 9, **after)
    nescio("compare", *paths, "-m", "accuracy", *GATE).assert_refused(why)
    assert "CANNOT TELL" in nescio("compare", *paths, "-m", "accuracy", *GATE[:-1]).out
    # A limit holds for a run alone.
    assert nescio("score", *paths, "-m", "accuracy", "--fail-under", "accuracy=0.3").status == 0


@pytest.mark.parametrize(
    ("write", "before", "after"),
    [
        (inspect, {}, {}),
        (inspect, GRADED, GRADED),
        (inspect, {}, {"input": " Who  keeps lamp\n{}? "}),
        (inspect, {}, {"target": None}),
        (lm_eval, {}, {}),
        (lm_eval, {}, {"target": " x "}),
        (lm_eval, {"step": "<function keep at 0x7f11c8c5ee8c0>"}, {"step": "<function keep at 0x7f9900112233>"}),
        (lm_eval, {"step": f"{'<function keep at 0x7f11>' * 9}"}, {"step": f"{'<function keep at 0x7f99>' * 9}"}),
        (deepeval, {}, {}),
        (deepeval, {}, {"target": None}),
    ],
)
def test_two_models_under_one_grader_are_compared_by_a_gate(
    tmp_path: Path, nescio: Command, write: Callable[..., Path], before: Change, after: Change
) -> None:
    """White space, a missing key and an address in memory make no difference, nor do parameters of the model."""
    paths = write(tmp_path, "old", 5, **before), write(tmp_path, "new", 9, **after)
    done = nescio("compare", *paths, "-m", "accuracy", *GATE)
    assert done.status == 0, done.flat


def test_a_baseline_file_and_a_state_know_the_grader(tmp_path: Path, nescio: Command) -> None:
    base, state = tmp_path / "base.json", tmp_path / "state.json"
    nights = [tmp_path / name for name in ("one", "two")]
    for night in nights:
        night.mkdir()
    old, same = inspect(nights[0], "old", 5), inspect(nights[0], "new", 5)
    other = inspect(nights[1], "new", 9, scorer="lenient"), inspect(nights[1], "old", 5, scorer="lenient")
    nescio("compare", old, "--save-baseline", base)
    assert json.loads(base.read_text())["judge"] == ["match"]
    done = nescio("compare", other[0], "-m", "accuracy", "--baseline", base, "--fail-on-regression")
    done.assert_refused("the baseline was judged by match, and these files by lenient")
    looks = ("-m", "accuracy", *GATE[:-1], "--looks", "--state", state)
    nescio("compare", old, same, *looks)
    nescio("compare", *other, *looks).assert_refused("judge")


def test_graded_rows_with_other_keys_win_no_gate(tmp_path: Path, nescio: Command) -> None:
    def rows(run: str, share: int, gold: str) -> list[str]:
        return [f"{run},q{q},{gold},{'correct' if q % 10 < share else 'incorrect'}" for q in N]

    path = tmp_path / "graded.csv"
    path.write_text("\n".join(["run,question,gold,outcome", *rows("old", 5, "A"), *rows("new", 9, "B")]))
    nescio("compare", path, "-m", "accuracy", *GATE).assert_refused(f"200 of 200 questions {GOLD} {ASKED}")
    path.write_text("\n".join(["run,question,gold,outcome", *rows("old", 5, "A  b"), *rows("new", 9, " A b ")]))
    assert nescio("compare", path, "-m", "accuracy", *GATE).status == 0


@pytest.mark.parametrize(("column", "status"), [("question_text", 2), ("prompt", 0)])
@pytest.mark.parametrize("graded", [True, False])
def test_rows_that_ask_something_else_win_no_gate(
    tmp_path: Path, nescio: Command, column: str, status: int, graded: bool
) -> None:
    """A prompt may differ between runs, and a question may not."""
    rows = [f"id,run,{column},{'outcome' if graded else 'gold,prediction'}"]
    for run, share, asked in (("old", 5, "Who keeps lamp {}?"), ("new", 9, "Say who lit lamp {}.")):
        for q in N:
            cells = (
                ("correct" if q % 10 < share else "incorrect")
                if graded
                else f"x{q},{f'x{q}' if q % 10 < share else 'y'}"
            )
            rows.append(f"q{q},{run},{asked.format(q)},{cells}")
    path = tmp_path / "asked.csv"
    path.write_text("\n".join(rows))
    done = nescio("compare", path, "-m", "accuracy", *GATE, "--column", "question=id")
    assert done.status == status, done.flat


def test_a_table_that_names_no_judge_is_compared_with_a_log(tmp_path: Path, nescio: Command) -> None:
    old, new = inspect(tmp_path, "old", 5), tmp_path / "new.csv"
    for judge, status in (("", 0), (",exact", 2), (",match", 0)):
        rows = [f"new,q{q},{'correct' if q % 10 < 9 else 'incorrect'}{judge}" for q in N]
        new.write_text("\n".join([f"run,question,outcome{',judge' if judge else ''}", *rows]))
        done = nescio("compare", old, new, "-m", "accuracy", *GATE)
        assert done.status == status, done.flat
