"""Whoever sends a tool's log could change who graded it, or what was asked, so no gate rests on such a change."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
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
    words, edits = changes.get("words", ("C", "I")), {"history": changes.get("history", [])}
    samples = [
        {
            "id": f"q{q}",
            "epoch": 1,
            "input": changes.get("input", "Who keeps lamp {}?").format(q),
            "target": changes.get("target", "x"),
            "output": {"choices": [], "completion": "x"},
            "invalidation": {"author": "ann"} if changes.get("void") and q % 10 == 8 else None,
            "scores": {scorer: {"value": words[q % 10 >= share], "answer": "x"} | (edits if q % 10 == 8 else {})},
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
        "scores": [{"name": scorer, "scorer": scorer, "params": params, "metrics": changes.get("metrics", {})}],
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
            "actualOutput": changes.get("output", "x"),
            "expectedOutput": changes.get("target", "x"),
            "success": q % 10 < share,
            "metricsData": [
                {
                    "name": changes.get("metric", "Correctness"),
                    "threshold": changes.get("threshold", 0.5),
                    "strictMode": changes.get("strict", False),
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


def promptfoo(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write results of promptfoo in which `share` of ten tests pass."""
    results = []
    for q in N:
        right, asserted = q % 10 < share, {"type": "contains", "value": f"x{q}", **changes.get("assertion", {})}
        part = [{"pass": right, "score": int(right), "reason": "", "assertion": asserted}]
        asserts = [{"type": "assert-set", "assert": [asserted], **changes["set"]}] if "set" in changes else [asserted]
        test = {"vars": {"question": f"Who keeps lamp {q}?"}, "assert": asserts, **changes.get("test", {})}
        results.append(
            {
                "testIdx": q,
                "promptIdx": 0,
                "success": right,
                "failureReason": int(not right),
                "score": int(right),
                "provider": {"id": run},
                "prompt": {"raw": "Who keeps the lamp?"},
                "response": {"output": "x"},
                "vars": test["vars"],
                "testCase": test,
                "gradingResult": {"pass": right, "score": int(right), "reason": "", "componentResults": part},
            }
        )
    passed = changes.get("stated", len(N) * share // 10)
    stats = {"successes": passed, "failures": len(N) - passed, "errors": 0}
    path = folder / f"{run}.json"
    path.write_text(json.dumps({"results": {"version": 3, "results": results, "stats": stats}}))
    return path


def helm(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write a run folder of HELM in which `share` of ten answers are right."""
    path = folder / f"lamps:model={run}".replace(":", "_")
    path.mkdir()
    states, scores = [], []
    for q in N:
        who = {"text": f"Who keeps lamp {q}?"}
        instance = {"id": f"id{q}", "split": "test", "input": who, "references": []}
        result = {"success": True, "completions": [{"text": "x", "logprob": 0.0, "tokens": []}]}
        states.append({"instance": instance, "train_trial_index": 0, "request": {}, "result": result})
        mark = {"name": {"name": "exact_match", "split": "test"}, "count": 1, "mean": float(q % 10 < share)}
        scores.append({"instance_id": f"id{q}", "train_trial_index": 0, "stats": [mark]})
    adapter = {"model": run, "method": "generation"}
    metrics = [{"class_name": "BasicMetric", "args": {"names": ["exact_match"]}}]
    spec = {"name": f"lamps:model={run}", "scenario_spec": {}, "adapter_spec": adapter, "metric_specs": metrics}
    total = {"name": {"name": "exact_match", "split": "test"}, "count": len(N), "sum": 1}
    files: dict[str, Any] = {
        "scenario_state": {"adapter_spec": adapter, "request_states": states},
        "per_instance_stats": scores,
        "stats": [{**total, "mean": changes.get("stated", share / 10)}],
    }
    if changes.get("spec", {}) is not None:
        files["run_spec"] = {**spec, **changes.get("spec", {})}
    for name, content in files.items():
        (path / f"{name}.json").write_text(json.dumps(content))
    return path


def openai_evals(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write an event log of OpenAI evals in which a model grades, and `share` of ten answers are right."""
    spec = {"cls": "evals.modelgraded:Classify", "args": {"samples_jsonl": changes.get("samples", "/a/lamps/s.jsonl")}}
    name = changes.get("eval", "lamps.test.v1")
    about = {"completion_fns": [run, "judge"], "eval_name": name, "run_config": {"eval_spec": spec}}
    lines: list[dict[str, Any]] = [{"spec": about}]
    for q in N:
        score = float(q % 10 < share)
        for kind, data in (
            ("sampling", {"prompt": changes.get("asks", messages)(f"Who keeps lamp {q}?"), "sampled": ["x"]}),
            ("sampling", {"prompt": f"Grade the answer of {run}", "sampled": ["Y"]}),
            ("metrics", {"choice": "Y", "score": score}),
        ):
            lines.append({"sample_id": f"lamps.test.{q}", "type": kind, "data": data})
    lines.append({"final_report": {"score": changes.get("stated", share / 10)}})
    path = folder / f"{run}.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def opencompass(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write results of OpenCompass in which `share` of ten answers are right."""
    path = folder / "results" / run / "lamps.json"
    path.parent.mkdir(parents=True)
    details = {str(q): {"pred": "x", "answer": "x", "correct": q % 10 < share} for q in N}
    path.write_text(json.dumps({"accuracy": 100 * changes.get("stated", share / 10), "details": details}))
    return path.parent


def messages(question: str) -> list[dict[str, str]]:
    return [{"role": "system", "content": "Be short."}, {"role": "user", "content": question}]


def one_text(question: str) -> str:
    """Return the prompt as the tool writes it for a model that continues a text, and with a request to reason."""
    return f"System: Be short.\nUser: {question}\nAssistant: \nReason step by step."


def of_others(question: str) -> list[dict[str, str]]:
    return messages(question.replace("lamp ", "lamp 9"))


def of_nothing(_: str) -> list[dict[str, str]]:
    return messages("Say x.")


def with_more(*lines: str) -> Callable[[str], list[dict[str, str]]]:
    """Return a function that adds lines to the prompt, as a completion function does."""
    return lambda question: [*messages(question), *({"role": "user", "content": line} for line in lines)]


def of_an_expert(question: str) -> list[dict[str, str]]:
    return [{"role": "system", "content": "You are an expert."}, *messages(question)[1:]]


LATER = [
    {"class_name": "helm.metrics.BasicMetric", "args": {"names": ["f1_score", "exact_match"]}},
    {"class_name": "helm.metrics.EfficiencyMetric", "args": {}},
]
SCORED = {"test": {"assertScoringFunction": "file://a.js"}}
GRADED = {"scorer": "model_graded_qa", "roles": {"grader": {"model": "lamplighter/judge"}}}
EDITED = [{"value": "I"}, {"value": "C", "provenance": {"author": "ann"}}]
EXPLAINED = [{"value": "C"}, {"value": "UNCHANGED", "explanation": "right", "provenance": {"author": "ann"}}]
CASES: list[tuple[Callable[..., Path], Change, Change, str]] = [
    (inspect, {}, {"scorer": "lenient"}, f"{JUDGES} (match, lenient)"),
    (inspect, {}, {"params": {"location": "any"}}, f"{JUDGES} (match, match(location=any))"),
    (inspect, GRADED, GRADED | {"roles": {"grader": {"model": "lamplighter/small"}}}, JUDGES),
    (inspect, {}, {"history": EDITED}, f"{JUDGES} (match, match(match.edited=not stated, match.edited=true))"),
    (inspect, {}, {"history": EDITED[1:]}, "or give the logs as the scorer graded them, before a person edited scores"),
    (inspect, {}, {"target": "y"}, GOLD),
    (inspect, {}, {"target": None}, f"200 of 200 questions {GOLD}, or none, {ASKED}"),
    (inspect, {"target": None}, {}, GOLD),
    (inspect, {}, {"input": "Who lit lamp {}?"}, TEXT),
    (lm_eval, {}, {"filter": "lenient"}, f"{JUDGES} (exact_match(filter=none), exact_match(filter=lenient))"),
    (lm_eval, {}, {"metric": "f1"}, JUDGES),
    (lm_eval, {"step": "<function strict at 0x7f11c8c5ee8c0>"}, {"step": "<function lax at 0x7f11c8c5ee8c0>"}, JUDGES),
    (lm_eval, {"step": "strict"}, {}, f"{JUDGES} (exact_match(filter=none, steps="),
    (lm_eval, {}, {"step": "lax"}, f"{JUDGES} (exact_match(filter=none), exact_match("),
    (lm_eval, {}, {"target": "y"}, GOLD),
    (lm_eval, {}, {"input": "Who lit lamp {}?"}, TEXT),
    (lm_eval, {}, {"hash": "other"}, "200 documents have the same doc_id but different doc_hashes"),
    (deepeval, {}, {"metric": "Brevity"}, JUDGES),
    (deepeval, {}, {"model": "lamplighter/small"}, JUDGES),
    (deepeval, {}, {"threshold": 0.1}, JUDGES),
    (deepeval, {"strict": True}, {}, JUDGES),
    (deepeval, {}, {"target": "y"}, GOLD),
    (deepeval, {}, {"target": None}, GOLD),
    (promptfoo, {"test": {"threshold": 0.9}}, {"test": {"threshold": 0.1}}, f"{JUDGES} (contains(test.threshold=0.9)"),
    (promptfoo, {}, {"test": {"assertScoringFunction": "file://a.js"}}, JUDGES),
    (promptfoo, {}, {"test": {"options": {"transform": "'x' + output"}}}, JUDGES),
    (promptfoo, {"set": {"threshold": 0.9}}, {"set": {"threshold": 0.1}}, JUDGES),
    (promptfoo, {"set": {}}, {"set": {}, "assertion": {"value": "x"}}, GOLD),
    (promptfoo, {}, {"assertion": {"weight": 0}}, JUDGES),
    (promptfoo, {}, {"assertion": {"transform": "'x' + output"}}, JUDGES),
    (promptfoo, SCORED, SCORED | {"assertion": {"metric": "x"}}, JUDGES),
    (helm, {}, {"spec": None}, "exact_match(settings=unknown; give run_spec.json)"),
    (helm, {}, {"spec": {"annotators": [{"class_name": "Annotator"}]}}, JUDGES),
    (helm, {}, {"spec": {"metric_specs": [{"class_name": "Lenient", "args": {"names": ["exact_match"]}}]}}, JUDGES),
    (openai_evals, {}, {"eval": "lamps.dev.v1"}, f"{JUDGES} (Classify(eval=lamps.test.v1, samples=lamps/s.jsonl"),
    (openai_evals, {}, {"samples": "/a/lamps/easy.jsonl"}, JUDGES),
    (openai_evals, {}, {"asks": of_others}, TEXT),
    (openai_evals, {}, {"asks": of_nothing}, TEXT),
]


def gate(write: Callable[..., Path], run: str = "new") -> tuple[str, ...]:
    """Return the options of a gate on a run against the run `old`; names in promptfoo begin with the file."""
    old, new = (f"{name}: {name}" if write is promptfoo else name for name in ("old", run))
    return ("--baseline", old, "--run", new, "--fail-on-regression")


@pytest.mark.parametrize(("write", "before", "after", "why"), CASES)
def test_a_log_that_was_graded_or_asked_otherwise_wins_no_gate(
    tmp_path: Path, nescio: Command, write: Callable[..., Path], before: Change, after: Change, why: str
) -> None:
    paths = write(tmp_path, "old", 5, **before), write(tmp_path, "new", 9, **after)
    nescio("compare", *paths, "-m", "accuracy", *gate(write)).assert_refused(why)
    assert "CANNOT TELL" in nescio("compare", *paths, "-m", "accuracy", *gate(write)[:-1]).out
    # A limit holds for a run alone.
    assert nescio("score", *paths, "-m", "accuracy", "--fail-under", "accuracy=0.3").status == 0


def spared(path: Path, *, new: bool) -> Path:
    """Add a second metric or assertion to each answer. In the new run it is all that graded what had failed."""
    log = json.loads(path.read_text())
    if "testCases" in log:
        for case in log["testCases"]:
            passed = {**case["metricsData"][0], "name": "Brevity", "success": True, "score": 1.0}
            case["metricsData"] = [*(case["metricsData"] if case["success"] or not new else ()), passed]
            case["success"] |= new
        log["testPassed"], log["testFailed"] = sum(case["success"] for case in log["testCases"]), 0
    else:
        results = log["results"]["results"]
        for result in results:
            asserted = [] if new and not result["success"] else [{"type": "is-json"}]
            result["testCase"]["assert"] += asserted
            result["success"] |= new
            result["failureReason"] = int(not result["success"])
        log["results"]["stats"] = {"successes": sum(result["success"] for result in results)}
    path.write_text(json.dumps(log))
    return path


@pytest.mark.parametrize("write", [deepeval, promptfoo])
def test_a_run_whose_failed_answers_lack_a_grader_wins_no_gate(
    tmp_path: Path, nescio: Command, write: Callable[..., Path]
) -> None:
    before, after = spared(write(tmp_path, "old", 5), new=False), spared(write(tmp_path, "new", 5), new=True)
    nescio("compare", before, after, "-m", "accuracy", *gate(write)).assert_refused(f"100 of 200 questions {GOLD}")


@pytest.mark.parametrize(
    ("write", "before", "after"),
    [
        (inspect, {}, {}),
        (inspect, GRADED, GRADED),
        (inspect, {}, {"history": EXPLAINED}),
        (inspect, {}, {"input": " Who  keeps lamp\n{}? "}),
        (inspect, {"target": None}, {"target": None}),
        (lm_eval, {}, {}),
        (lm_eval, {}, {"target": " x "}),
        (lm_eval, {"step": "<function keep at 0x7f11c8c5ee8c0>"}, {"step": "<function keep at 0x7f9900112233>"}),
        (lm_eval, {"step": f"{'<function keep at 0x7f11>' * 9}"}, {"step": f"{'<function keep at 0x7f99>' * 9}"}),
        (deepeval, {}, {}),
        (deepeval, {"target": None}, {"target": None}),
        (promptfoo, {"test": {"description": "at night"}}, {"test": {"options": {"prefix": "Say:"}}}),
        (promptfoo, {"set": {"threshold": 0.9}}, {"set": {"threshold": 0.9}}),
        (promptfoo, {}, {"assertion": {"metric": "x"}, "test": {"options": {"disableVarExpansion": True}}}),
        (promptfoo, {"set": {}}, {"set": {"metric": "x"}}),
        (helm, {}, {"spec": {"annotators": []}}),
        (helm, {}, {"spec": {"metric_specs": LATER}}),
        (helm, {"spec": {"metric_specs": LATER[1:]}}, {"spec": {"metric_specs": []}}),
        (helm, {"spec": None}, {"spec": None}),
        (openai_evals, {}, {"samples": "/home/b/lamps/s.jsonl", "asks": one_text}),
        (openai_evals, {"asks": with_more("Breathe.")}, {"asks": with_more("Reason step by step.")}),
        (openai_evals, {"asks": with_more("Breathe.")}, {"asks": of_an_expert}),
        (openai_evals, {}, {"samples": "C:\\b\\lamps\\s.jsonl.gz"}),
        (opencompass, {}, {}),
    ],
)
def test_two_models_under_one_grader_are_compared_by_a_gate(
    tmp_path: Path, nescio: Command, write: Callable[..., Path], before: Change, after: Change
) -> None:
    """White space, a key that no run states, a folder and an address in memory make no difference, nor do parameters
    of the model, descriptions, and what a run adds to the prompt."""
    paths = write(tmp_path, "old", 5, **before), write(tmp_path, "new", 9, **after)
    done = nescio("compare", *paths, "-m", "accuracy", *gate(write))
    assert done.status == 0, done.flat


@pytest.mark.parametrize(
    ("write", "stated", "says"),
    [
        (promptfoo, 60, "the file states stats.successes 60, but its answers give 180"),
        (helm, 0.3, "the file states exact_match 0.3, but its answers give 0.9"),
        (openai_evals, 0.3, "the file states score of the final report 0.3, but its answers give 0.9"),
        (opencompass, 0.3, "the file states accuracy 0.3, but its answers give 0.9"),
    ],
)
def test_a_log_that_contradicts_itself_wins_no_gate(
    tmp_path: Path, nescio: Command, write: Callable[..., Path], stated: float, says: str
) -> None:
    """A third run of the files that contradicts itself stands against no other."""
    old, new, other = write(tmp_path, "old", 5), write(tmp_path, "new", 9, stated=stated), write(tmp_path, "other", 9)
    nescio("compare", old, new, "-m", "accuracy", *gate(write)).assert_refused(says)
    nescio("score", new, "-m", "accuracy", "--fail-under", "accuracy=0.3").assert_refused(says)
    three = nescio("compare", old, new, other, "-m", "accuracy", *gate(write, "other"))
    assert three.status == 0, three.flat


def test_words_that_only_the_user_reads_contradict_no_figure(tmp_path: Path, nescio: Command) -> None:
    """Inspect counts the words as 0."""
    stated = {"words": ("PASS", "FAIL"), "metrics": {"accuracy": {"name": "accuracy", "value": 0.0, "options": {}}}}
    logs = inspect(tmp_path, "old", 5, **stated), inspect(tmp_path, "new", 9, **stated)
    told = ("--outcome-map", "PASS=correct", "--outcome-map", "FAIL=incorrect")
    done = nescio("compare", *logs, "-m", "accuracy", *told, *GATE)
    assert done.status == 0, done.flat
    assert "the file states" not in done.err


@pytest.mark.parametrize(
    ("write", "after", "stated", "status"),
    [
        (openai_evals, {}, "Match", 2),
        (openai_evals, {}, "Classify", 0),
        (promptfoo, {"assertion": {"weight": 2}}, "contains", 0),
        (helm, {}, "exact_match", 0),
    ],
)
def test_a_baseline_of_another_version_may_state_less_of_its_judge(
    tmp_path: Path, nescio: Command, write: Callable[..., Path], after: Change, stated: str, status: int
) -> None:
    base = tmp_path / "base.json"
    nescio("compare", write(tmp_path, "old", 5), "--save-baseline", base)
    document = json.loads(base.read_text())
    new = write(tmp_path, "new", 9, **after)
    lines = base.read_text().replace(json.dumps(document["judge"]), json.dumps([stated]))
    assert json.loads(lines)["judge"] == [stated]
    for version, expected in ((document["version"], 2), ("0.1.0", status)):
        base.write_text(lines.replace(f'"version": "{document["version"]}"', f'"version": "{version}"'))
        done = nescio("compare", new, "-m", "accuracy", "--baseline", base, "--fail-on-regression")
        assert done.status == expected, done.flat
        assert ("a new baseline will state the same" in done.flat) == (expected == 0)


@pytest.mark.parametrize(("asks", "status"), [(of_an_expert, 0), (of_others, 2)])
def test_a_baseline_file_asks_of_prompts_what_logs_ask(
    tmp_path: Path, nescio: Command, asks: Callable[[str], Any], status: int
) -> None:
    old, new = openai_evals(tmp_path, "old", 5), openai_evals(tmp_path, "new", 9, asks=asks)
    nescio("compare", old, "--save-baseline", tmp_path / "base.json")
    done = nescio("compare", new, "-m", "accuracy", "--baseline", tmp_path / "base.json", "--fail-on-regression")
    assert done.status == status, done.flat


@pytest.mark.parametrize("lacks", ["old", "new"])
def test_a_baseline_file_asks_for_what_says_who_graded(tmp_path: Path, nescio: Command, lacks: str) -> None:
    old, new = (
        helm(tmp_path, run, share, spec=None if run == lacks else {}) for run, share in (("old", 5), ("new", 9))
    )
    nescio("compare", old, "--save-baseline", tmp_path / "base.json")
    done = nescio("compare", new, "-m", "accuracy", "--baseline", tmp_path / "base.json", "--fail-on-regression")
    done.assert_refused("exact_match(settings=unknown; give run_spec.json)")


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
    whole, lower = promptfoo(nights[0], "of tests", 5), promptfoo(nights[1], "of tests", 9, test={"threshold": 0.1})
    nescio("compare", whole, "--save-baseline", base)
    done = nescio("compare", lower, "-m", "accuracy", "--baseline", base, "--fail-on-regression")
    done.assert_refused("judged by contains, and these files by contains(test.threshold=0.1)")
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


def test_samples_that_a_person_declared_void_are_counted_as_failed(tmp_path: Path, nescio: Command) -> None:
    paths = inspect(tmp_path, "old", 5), inspect(tmp_path, "new", 9, void=True)
    done = nescio("compare", *paths, "-m", "accuracy", *GATE, "--ungraded", "exclude")
    assert (done.status, "(failed 0 → 20)" in done.flat) == (3, True), done.flat


def test_empty_outputs_that_were_graded_as_right(tmp_path: Path, nescio: Command) -> None:
    """The texts of the new run are lost, or nobody graded them; the outputs of agents may be empty in both runs."""
    old, new = deepeval(tmp_path, "old", 5), deepeval(tmp_path, "new", 9, output="")
    done = nescio("compare", old, new, "-m", "accuracy", *GATE)
    assert done.status == 3
    assert "many of new's outputs are empty and graded as right, unlike those of old" in done.flat
    both = [deepeval(tmp_path, "old", 5, output=""), new]
    assert nescio("compare", *both, "-m", "accuracy", *GATE).status == 0


def test_empty_outputs_are_right_where_a_question_has_no_answer(tmp_path: Path, nescio: Command) -> None:
    """As in SQuAD 2.0: a run that learns to leave these questions empty is better."""
    rows = [
        f"{run},q{q},{'' if q % 2 else 'x'},{'false' if q % 2 else 'true'},{int(q % 2 or q % 10 < share)}"
        if q % 2 == 0 or q % 20 < empty
        else f"{run},q{q},x,false,0"
        for run, share, empty in (("old", 5, 5), ("new", 6, 17))
        for q in range(400)
    ]
    path = tmp_path / "squad.csv"
    path.write_text("\n".join(["run,question,prediction,answerable,correct", *rows]))
    done = nescio("compare", path, "-m", "accuracy", *GATE)
    assert done.status == 0, done.flat


@pytest.mark.parametrize(
    ("changes", "refused"),
    [
        ({}, False),
        ({"target": "X"}, False),  # upper case makes no other gold answer
        ({"target": "y"}, True),
        ({"target": None}, True),
        ({"input": "WHO KEEPS  LAMP {}?"}, False),
        ({"input": "Who lit lamp {}?"}, True),
        ({"scorer": "lenient"}, True),
    ],
)
@pytest.mark.parametrize("write", [inspect, deepeval])
def test_a_baseline_file_refuses_what_two_logs_refuse(
    tmp_path: Path, nescio: Command, write: Callable[..., Path], changes: dict[str, str], refused: bool
) -> None:
    if write is deepeval and {"input", "scorer"} & {*changes}:
        return  # it identifies its cases by their inputs, and has no scorer
    old, new = write(tmp_path, "old", 5), write(tmp_path, "new", 9, **changes)
    base = tmp_path / "base.json"
    nescio("compare", old, "--save-baseline", base)
    beside = nescio("compare", old, new, "-m", "accuracy", *GATE)
    by_file = nescio("compare", new, "-m", "accuracy", "--baseline", base, "--fail-on-regression")
    assert [beside.status, by_file.status] == [2 * refused] * 2, (beside.flat, by_file.flat)


@pytest.mark.parametrize(
    ("last", "status"),
    [
        ({"response": "", "assessments": []}, 0),  # an empty output needs no grader
        ({"assessments": [{"assessment_name": "right", "feedback": {"value": None, "error": {"error_code": "x"}}}]}, 0),
        ({"assessments": [{"assessment_name": "right", "feedback": {"value": "yes"}}]}, 2),
    ],
    ids=["empty", "failed", "unnamed"],
)
def test_whoever_graded_an_answer_is_the_judge(
    tmp_path: Path, nescio: Command, last: dict[str, Any], status: int
) -> None:
    """One judge graded all answers of both runs but the last; only a grade of an unnamed judge is another one's."""
    for run, share in (("old", 5), ("new", 9)):
        traces = [
            {
                "trace_id": f"{run}-{q}",
                "request": f"q{q}",
                "response": "a",
                "state": "OK",
                "assessments": [
                    {
                        "assessment_name": "right",
                        "feedback": {"value": "yes" if q % 10 < share else "no"},
                        "source": {"source_type": "LLM_JUDGE", "source_id": "gpt-4o"},
                    }
                ],
            }
            for q in N
        ]
        traces[-1] |= last if run == "new" else {}
        (tmp_path / f"{run}.json").write_text(json.dumps(traces))
    done = nescio("compare", *(tmp_path / f"{run}.json" for run in ("old", "new")), *GATE, "--ungraded", "incorrect")
    assert done.status == status, done.flat
    assert ("different judges" in done.flat) == (status == 2)


@pytest.mark.parametrize("what", ["fails", "refuses", "fails with details"])
def test_a_test_without_assertions_is_left_out_whatever_became_of_one_call(
    tmp_path: Path, nescio: Command, what: str
) -> None:
    paths = [promptfoo(tmp_path, "old", 6), promptfoo(tmp_path, "new", 9)]
    for path in paths:
        held = json.loads(path.read_text())
        more = dict(
            held["results"]["results"][0], testIdx=len(N), success=True, failureReason=0, vars={"question": "?"}
        )
        more |= {"testCase": {"vars": more["vars"], "assert": []}}
        more["gradingResult"] = {"pass": True, "score": 1, "reason": "No assertions"}
        if path.stem == "new" and what.startswith("fails"):
            error: Any = {"status": 500, "causes": ["timeout"]} if what.endswith("details") else "timeout"
            more |= {"success": False, "failureReason": 2, "error": error, "gradingResult": None, "response": {}}
        elif path.stem == "new":
            more["response"] = {"output": "I cannot.", "isRefusal": True}
        held["results"]["results"].append(more)
        del held["results"]["stats"]
        path.write_text(json.dumps(held))
    gate = ("--baseline", "old: old", "--run", "new: new", "--fail-on-regression", "-m", "accuracy")
    done = nescio("compare", *paths, *gate)
    assert (done.status, "1 test without assertions is left out" in done.flat) == (0, True), done.flat


def test_graded_scores_without_a_target_are_those_of_the_same_questions(tmp_path: Path, nescio: Command) -> None:
    asked = {"old": "Who keeps lamp {}?", "new": "Who keeps the easy lamp {}?"}
    paths = [
        inspect(tmp_path, run, 9, target="", input=text, words=(8 + (run == "new"), 5)) for run, text in asked.items()
    ]
    gate = ("--baseline", "old", "--run", "new", "--fail-on-regression", "--margin", "3", "-m", "mean(score)")
    nescio("compare", *paths, *gate).assert_refused("another text or other options")


def bfcl(folder: Path, run: str, failing: Iterable[int]) -> list[Path]:
    """Write the files of BFCL, which states the question and the right calls of failures alone."""
    score, result = (folder / name / run / "non_live" for name in ("score", "result"))
    for place in (score, result):
        place.mkdir(parents=True)
    failing = {*failing}
    head = {"accuracy": (len(N) - len(failing)) / len(N), "correct_count": len(N) - len(failing), "total_count": len(N)}
    asked = [[[{"role": "user", "content": f"Light lamp {q}."}]] for q in N]
    failures = [
        {
            "id": f"simple_python_{q}",
            "valid": False,
            "error": ["Invalid value"],
            "error_type": "value_error:string",
            "prompt": {"id": f"simple_python_{q}", "question": asked[q], "function": [{"name": "lamp.light"}]},
            "model_result_raw": [{"lamp.light": "{}"}],
            "possible_answer": [{"lamp.light": {"room": [str(q)]}}],
        }
        for q in sorted(failing)
    ]
    more = {"input_token_count": 100, "output_token_count": 20, "latency": 1.0}
    outputs = [{"id": f"simple_python_{q}", "result": [{"lamp.light": "{}"}], **more} for q in N]
    for path, rows in (
        (score / "BFCL_v4_simple_python_score.json", [head, *failures]),
        (result / "BFCL_v4_simple_python_result.json", outputs),
    ):
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return [score.parent, result.parent]


def test_runs_whose_files_list_other_failures_were_asked_the_same(tmp_path: Path, nescio: Command) -> None:
    paths = {run: bfcl(tmp_path, run, N[start:stop]) for run, start, stop in (("old", 0, 80), ("new", 40, 60))}
    gate = ("--fail-on-regression", "-m", "accuracy", "--margin", "0.1")
    assert nescio("compare", *paths["old"], *paths["new"], "--baseline", "old", "--run", "new", *gate).status == 0
    base = tmp_path / "base.json"
    nescio("compare", *paths["old"], "-m", "accuracy", "--save-baseline", base)
    assert nescio("compare", *paths["new"], "--baseline", base, *gate).status == 0


def test_a_metric_that_failed_once_names_no_other_judge(tmp_path: Path, nescio: Command) -> None:
    """Another metric of the same answer has a score."""
    paths = [tmp_path / "old.csv", tmp_path / "new.csv"]
    for path in paths:
        rows = [f"q{q}?,a,b,{'' if q == 3 and path.stem == 'new' else q % 10 / 10},0.5" for q in N]
        path.write_text("\n".join(["user_input,response,reference,answer_correctness,faithfulness", *rows]))
    gate = ("--baseline", "old", "--fail-on-regression", "-m", "accuracy", "--margin", "0.1", "--ungraded", "incorrect")
    done = nescio("compare", *paths, "--choose", "metric=answer_correctness", *gate)
    assert done.status == 0, done.flat
