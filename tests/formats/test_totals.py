"""Files that carry a figure of their own, by every kind of file that has one: honest ones pass in silence, and one in
which a row was flipped, or the figure edited, is told with both figures.

`KINDS` write a file of each kind from the answers that are right and the number that its figure claims to be right.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from nescio.errors import FormatError
from tests.rings import together

from . import test_deepeval as deepeval
from . import test_helm as helm
from . import test_inspect as inspect
from . import test_lighteval as lighteval
from . import test_lm_eval as lm_eval
from . import test_mmlu_pro as mmlu_pro
from . import test_openai_evals as openai_evals
from . import test_opencompass as opencompass
from . import test_promptfoo as promptfoo
from .fuzz import evidence_and_notes, write_files

Files = dict[str, str | bytes]
Kind = Callable[[Sequence[bool], int], Files]


def of_inspect(right: Sequence[bool], claimed: int) -> Files:
    samples = [inspect.scored("C" if one else "I", i) for i, one in enumerate(right)]
    held = inspect.header(results=inspect.counted(len(right), claimed / len(right))) | {"samples": samples}
    return {"log.json": json.dumps(held)}


def of_lm_eval(right: Sequence[bool], claimed: int) -> Files:
    figures = {"sums": {"alias": "sums", "exact_match,strict": claimed / len(right)}}
    held = {"results": figures, "configs": {"sums": {}}, "versions": {"sums": 1}, "model_name": "m"}
    rows = (json.dumps(lm_eval.row(i, float(one))) + "\n" for i, one in enumerate(right))
    return {f"m/{lm_eval.NAME}": "".join(rows), "m/results_2025-01-02T03-04-05.678.json": json.dumps(held)}


def of_lm_eval_inside(right: Sequence[bool], claimed: int) -> Files:
    """A results file that holds the samples of several tasks itself, as `simple_evaluate` returns them."""
    samples = [lm_eval.row(i, float(one)) for i, one in enumerate(right)]
    tasks = [f"sums_{i}" for i in range(5)]
    figures = {task: {"alias": task, "exact_match,strict": claimed / len(right)} for task in tasks}
    held = {"results": figures, "configs": {}, "versions": {}, "samples": dict.fromkeys(tasks, samples)}
    return {"m/results.json": json.dumps(held)}


def of_helm(right: Sequence[bool], claimed: int) -> Files:
    held = helm.documents(*(helm.case(f"id{i}", float(one)) for i, one in enumerate(right)))
    stats = [{"name": {"name": "exact_match", "split": "test"}, "count": 1, "sum": 1, "mean": claimed / len(right)}]
    held["stats.json"] = stats
    return {f"{helm.NAME}/{name}": json.dumps(document) for name, document in held.items()}


def of_promptfoo(right: Sequence[bool], claimed: int) -> Files:
    rows = [promptfoo.result(i, success=one, reason=int(not one), vars={"n": i}) for i, one in enumerate(right)]
    stats = {"successes": claimed, "failures": len(right) - claimed, "errors": 0}
    held = {"version": 3, "prompts": [], "results": rows, "stats": stats}
    return {"results.json": json.dumps({"evalId": "e", "results": held, "config": {}})}


def of_promptfoo_prompts(right: Sequence[bool], claimed: int) -> Files:
    rows = [promptfoo.result(i, success=one, reason=int(not one), vars={"n": i}) for i, one in enumerate(right)]
    metrics = {"testPassCount": claimed, "testFailCount": len(right) - claimed, "testErrorCount": 0}
    held = {"version": 3, "prompts": [{"provider": "openai:gpt", "metrics": metrics}], "results": rows}
    return {"results.json": json.dumps({"evalId": "e", "results": held, "config": {}})}


def of_deepeval(right: Sequence[bool], claimed: int) -> Files:
    cases = [deepeval.case(f"q{i}", "a", deepeval.metric("Truth", float(one))) for i, one in enumerate(right)]
    counts = {"testPassed": claimed, "testFailed": len(right) - claimed}
    return {".deepeval/.latest_test_run.json": deepeval.text(*cases, **counts)}


def of_swe_bench(right: Sequence[bool], claimed: int) -> Files:
    lists = {name: [f"a__b-{i}" for i, one in enumerate(right) if one is state] for name, state in SWE_BENCH.items()}
    counts = {"resolved_instances": claimed, "unresolved_instances": len(right) - claimed}
    counts |= {"submitted_instances": len(right), "total_instances": len(right)}
    return {"m.run.json": json.dumps(counts | lists)}


SWE_BENCH = {"resolved_ids": True, "unresolved_ids": False}


def of_simple_evals(right: Sequence[bool], claimed: int) -> Files:
    example = (
        "<h3>Prompt conversation</h3><div class='message user'><pre>question {i}?</pre></div><h3>Sampled message</h3>"
        "<div class='message assistant'><pre>yes</pre></div><h3>Results</h3><p>Correct Answer: yes</p>"
        "<p>Extracted Answer: yes</p><p>Score: {score}</p><hr>"
    )
    shown = "".join(example.format(i=i, score=float(one)) for i, one in enumerate(right))
    figure = f"<tr><td><b>Score</b></td><td>{claimed / len(right):.3f}</td></tr>"
    style = "<style>.message.assistant {}</style>"
    body = f"<body><h1>Metrics</h1><table>{figure}</table><h1>Examples</h1>{shown}</body>"
    return {"mmlu_m.html": f"<!DOCTYPE html>\n<html><head>{style}</head>{body}</html>"}


def of_opencompass(right: Sequence[bool], claimed: int) -> Files:
    items = [opencompass.item(one) | {"prompt": f"q{i}"} for i, one in enumerate(right)]
    return {"results/lamp/harbour.json": opencompass.results(round(100 * claimed / len(right), 2), *items)}


def of_openai_evals(right: Sequence[bool], claimed: int) -> Files:
    said = {"expected": "4", "picked": "4", "sampled": "4"}
    events = [openai_evals.event(f"q{i}", "match", correct=one, **said) for i, one in enumerate(right)]
    return {
        "log.jsonl": openai_evals.lines(
            [openai_evals.SPEC, *events, {"final_report": {"accuracy": claimed / len(right)}}]
        )
    }


def of_lighteval(right: Sequence[bool], claimed: int) -> Files:
    rows = [
        lighteval.ROWS[0] | {"doc": {**lighteval.ROWS[0]["doc"], "id": str(i)}, "metric": {"em": int(one)}}
        for i, one in enumerate(right)
    ]
    return lighteval.details(("harbour", rows)) | lighteval.results(em=claimed / len(right))


def of_nemo_skills(right: Sequence[bool], claimed: int) -> Files:
    rows = [
        {"generation": "g", "predicted_answer": "1", "symbolic_correct": one, "num_generated_tokens": 1}
        for one in right
    ]
    figures = {"math": {"pass@1": {"symbolic_correct": 100 * claimed / len(right)}}}
    text = "".join(json.dumps(row) + "\n" for row in rows)
    return {"m/eval-results/math/output.jsonl": text, "m/eval-results/metrics.json": json.dumps(figures)}


def of_mmlu_pro(right: Sequence[bool], claimed: int) -> Files:
    items = [mmlu_pro.item(i, pred="B" if one else "A") for i, one in enumerate(right)]
    summary = mmlu_pro.summary(claimed, len(right) - claimed)
    return {"gpt/law_result.json": json.dumps(items), "gpt/law_summary.json": summary}


# ---- what people write themselves ----


def home_made(write: Callable[[list[dict[str, Any]], int, int], Any]) -> Kind:
    def kind(right: Sequence[bool], claimed: int) -> Files:
        rows = [{"question_id": i, "answer": "yes", "is_correct": one} for i, one in enumerate(right)]
        return {"mine.json": json.dumps(write(rows, claimed, len(rows)))}

    return kind


def in_lines(write: Callable[[list[dict[str, Any]], int, int], list[dict[str, Any]]]) -> Kind:
    """Rows in JSON Lines, with the figures of all of them on a line before or behind, as the header of a log is."""

    def kind(right: Sequence[bool], claimed: int) -> Files:
        rows = [{"question_id": i, "answer": "yes", "is_correct": one} for i, one in enumerate(right)]
        return {"mine.jsonl": "".join(json.dumps(line) + "\n" for line in write(rows, claimed, len(rows)))}

    return kind


KINDS: dict[str, Kind] = {
    "inspect": of_inspect,
    "lm_eval": of_lm_eval,
    "lm_eval inside": of_lm_eval_inside,
    "helm": of_helm,
    "promptfoo": of_promptfoo,
    "promptfoo's prompts": of_promptfoo_prompts,
    "deepeval": of_deepeval,
    "swe_bench": of_swe_bench,
    "simple_evals": of_simple_evals,
    "opencompass": of_opencompass,
    "openai_evals": of_openai_evals,
    "lighteval": of_lighteval,
    "nemo_skills": of_nemo_skills,
    "mmlu_pro": of_mmlu_pro,
}
HOME_MADE: dict[str, Kind] = {
    "beside": home_made(lambda rows, k, n: {"model": "m", "accuracy": k / n, "total": n, "results": rows}),
    "a summary": home_made(lambda rows, k, n: {"summary": {"n_correct": k, "n": n}, "rows": rows}),
    "in percent": home_made(lambda rows, k, n: {"metrics": {"accuracy": f"{100 * k / n:.1f}%"}, "items": rows}),
    "rounded": home_made(lambda rows, k, n: {"overall": {"acc": round(k / n, 2)}, "data": {"answers": rows}}),
    "what is wrong": home_made(lambda rows, k, n: {"hallucinationRate": 1 - k / n, "predictions": rows}),
    "numCorrect": home_made(lambda rows, k, n: {"stats": {"numCorrect": k, "numWrong": n - k}, "examples": rows}),
    "by run": home_made(lambda rows, k, n: {"runs": {r: {"accuracy": k / n, "rows": rows} for r in ("a", "b")}}),
    "the header of a log": in_lines(lambda rows, k, n: [{"model": "m", "accuracy": k / n, "n": n}, *rows]),
    "a nested header": in_lines(lambda rows, k, n: [{"run": "m", "totals": {"correct": k, "wrong": n - k}}, *rows]),
    "the last line of a log": in_lines(lambda rows, k, n: [*rows, {"summary": {"accuracy": f"{100 * k / n:.1f}%"}}]),
    "both ends of a log": in_lines(lambda rows, k, n: [{"limit": n, "seed": 1}, *rows, {"n_correct": k, "n": n}]),
}


def written(folder: Path, kind: Kind, right: Sequence[bool], claimed: int) -> Path | list[Path]:
    paths = write_files(folder, kind(right, claimed))
    return folder if kind in (of_lighteval, of_nemo_skills) else paths


def claims(seed: int) -> tuple[list[bool], int]:
    """Answers, neither all right nor all wrong, and how many are right."""
    draw = random.Random(seed)
    right = [True, False, *(draw.random() < draw.random() for _ in range(draw.randint(4, 40)))]
    return right, sum(right)


def tampered(right: Sequence[bool], claimed: int, seed: int) -> tuple[list[bool], int]:
    """The same with a row flipped, or with the figure edited."""
    at = random.Random(seed).randrange(len(right))
    if seed % 2:
        return [one != (i == at) for i, one in enumerate(right)], claimed
    return list(right), claimed + (-1 if claimed == len(right) - 1 else 1)


@together("seed", range(4))
@together("name", KINDS)
def test_logs_of_tools_are_held_against_their_figures(tmp_path: Path, name: str, seed: int) -> None:
    right, claimed = claims(seed)
    _, notes = evidence_and_notes(written(tmp_path / "honest", KINDS[name], right, claimed))
    assert not [note for note in notes if "its own" in note or "figures cover" in note]
    _, notes = evidence_and_notes(written(tmp_path / "tampered", KINDS[name], *tampered(right, claimed, seed)))
    assert [note for note in notes if "its own" in note and "but the answers in it give" in note]


@pytest.mark.parametrize(
    "seed", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow), 3]
)
@pytest.mark.parametrize("name", HOME_MADE)
def test_tables_that_contradict_their_totals_are_refused_unless_options_are_explicit(
    tmp_path: Path, name: str, seed: int
) -> None:
    right, claimed = claims(seed)
    honest = written(tmp_path / "honest", HOME_MADE[name], right, claimed)
    data, notes = evidence_and_notes(honest)
    assert data.columns["correct"][0].tolist() == [float(one) for one in right]
    assert not [note for note in notes if "its own" in note]
    path = written(tmp_path / "tampered", HOME_MADE[name], *tampered(right, claimed, seed))
    with pytest.raises(FormatError, match=r"its own .* is .*, but the answers, as they are read here, give"):
        evidence_and_notes(path)
    for explicit in ({"format_in": "outcomes"}, {"column": {"outcome": "is_correct"}}):
        _, notes = evidence_and_notes(path, **explicit)
        assert [note for note in notes if "its own" in note and "but the answers in it give" in note]


def test_totals_that_silence_contradicts(tmp_path: Path) -> None:
    """The file says that 27 of 50 were not attempted, and no column that is read knows of it."""
    rows = [{"question_id": i, "is_correct": i < 15, "code": i} for i in range(50)]
    held = {"summary": {"accuracy": 0.3, "not_attempted": 27}, "results": rows}
    path = write_files(tmp_path, {"mine.json": json.dumps(held)})[0]
    with pytest.raises(FormatError, match=r"its own summary.not_attempted is 27, but .* give 0"):
        evidence_and_notes(path)


# Silence may be in the denominator or not, ungraded answers too: of 10 answers, 4 right, 3 wrong, 2 silent, 1 ungraded.
HONEST = (
    *({"accuracy": 0.4}, {"accuracy": 4 / 9}, {"accuracy": 4 / 7}, {"accuracy": 57.1}, {"accuracy": "57%"}),
    *({"correct": 4, "incorrect": 3, "abstained": 2, "total": 10}, {"attempted": 7}, {"abstention_rate": 0.2}),
    *({"n": 9}, {"coverage": 7 / 9}, {"hallucination_rate": 0.3}, {"incorrect_rate": 3 / 7}, {"incorrect": 5}),
    # figures of other things, which say nothing of these answers
    *({"judge": {"accuracy": 0.95}}, {"baseline_accuracy": 0.1}, {"target": {"accuracy": 0.9}}, {"latency": 3.2}),
    *({"n_passages": 1000}, {"config": {"n": 3, "limit": 5}}, {"total_tokens": 12345}, {"max_accuracy": 1.0}),
    *(
        {"unanswerable": 2},
        {"errors": 7},
        {"accuracy_std": 0.02},
        {"by_topic": {"a": {"accuracy": 1.0}}},
        {"score": 7.3},
    ),
    *({"topics": {"a": {"accuracy": 1.0}, "b": {"accuracy": 0.0}}}, {"correct": True}, {"accuracy": None}),
)


@together("beside", HONEST)
def test_no_honest_figure_is_called_a_contradiction(tmp_path: Path, beside: dict[str, Any]) -> None:
    verdicts = ["correct"] * 4 + ["incorrect"] * 3 + ["not attempted"] * 2 + ["ungraded"]
    rows = [{"question_id": i, "verdict": one} for i, one in enumerate(verdicts)]
    path = write_files(tmp_path, {"mine.json": json.dumps(beside | {"results": rows})})[0]
    data, notes = evidence_and_notes(path, ungraded="exclude")
    assert [int(data.columns[name].sum()) for name in ("correct", "incorrect", "unanswered")] == [4, 3, 2]
    assert not [note for note in notes if "its own" in note]


@pytest.mark.parametrize("figure", [{"question_id": 99, "abstained": True}, {"question_id": 99}])
def test_an_answer_with_few_names_is_no_line_of_figures(tmp_path: Path, figure: dict[str, Any]) -> None:
    rows = [{"question_id": i, "answer": "yes", "is_correct": i % 2, "seconds": i} for i in range(9)]
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in [*rows, figure]))
    data, _ = evidence_and_notes(path, ungraded="exclude")
    assert len(data.questions) == 10
    path.write_text("".join(json.dumps(line) + "\n" for line in [figure, *rows]))
    with pytest.raises(FormatError, match="line 1"):
        evidence_and_notes(path)
