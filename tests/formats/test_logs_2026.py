"""Traps of the logs of 2026: each of the nineteen that their README tells of is a test, here or where it is named."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nescio
from nescio.errors import FormatError
from tests.sources.test_documents import zstandard_archive

from .encodings import assert_refused, evidence, refusal
from .excerpts import EVERY, place_of
from .fuzz import evidence_and_notes, write_files
from .test_deepeval import case, text
from .test_inspect import counted, document, header, scored
from .test_promptfoo import document as promptfoo
from .test_promptfoo import part, plain

IN_PYTHON = True  # messages are quoted as Python has them

LOGS = Path(__file__).parents[2].parent / "shared" / "data" / "logs2026"
needs_logs = pytest.mark.skipif(not LOGS.exists(), reason="the shared logs are not beside the checkout")
OUTCOMES = ("correct", "incorrect", "unanswered")


def outcomes(data: Any) -> list[int]:
    return [int((data.columns[name] * data.present).sum()) for name in OUTCOMES]


def test_trap_1_members_packed_by_zstandard(tmp_path: Path) -> None:
    """zip method 93, which zipfile opens from Python 3.14 on only; 8 in older logs."""
    path = tmp_path / "log.eval"
    zstandard_archive(path, json.dumps(scored("C")).encode(), name="samples/1_epoch_1.json")
    with zipfile.ZipFile(path, "a") as packed:
        packed.writestr("header.json", json.dumps(header()))
    assert outcomes(evidence(path)) == [1, 0, 0]


def test_trap_2_logs_without_results_or_scores(tmp_path: Path) -> None:
    stopped = scored("C", 2) | {"error": {"message": "x"}, "scores": None}
    path = document(tmp_path / "error.json", scored("C"), stopped, status="error")
    data, notes = evidence_and_notes(path, ungraded="exclude")
    assert outcomes(data) == [1, 0, 0]
    assert any("its status is error" in note for note in notes)
    bare = document(tmp_path / "bare.json", scored("C") | {"scores": {}}, results={"total_samples": 1, "scores": []})
    data, notes = evidence_and_notes(bare, ungraded="exclude")
    assert not data.present.any()
    assert any('no sample has a score; choose={"scorer": "none"}' in note for note in notes)


def test_trap_3_an_accuracy_of_7_67_and_a_letter_among_the_digits(tmp_path: Path) -> None:
    """Values '0' to '10' with one 'I', which the tool counts 0: (10 + 9 + 8 + 0) / 4 = 6.75."""
    samples = [scored(value, i) for i, value in enumerate(["10", "9", "8", "I"])]
    path = document(tmp_path / "log.json", *samples, results=counted(4, 6.75))
    data, notes = evidence_and_notes(path)
    assert "correct" not in data.columns
    assert np.nanmean(data.columns["user.score"]) == 6.75
    assert any("is not between 0 and 1, so it gives no outcomes" in note for note in notes)
    assert not any("its own accuracy" in note for note in notes)
    assert outcomes(evidence(path, choose={"threshold": "9"})) == [2, 2, 0]


@needs_logs
def test_trap_4_epochs_are_repeats_of_one_question() -> None:
    """total_samples 4 and scored_samples 1; epochs 4, all C."""
    data = evidence(next((LOGS / "inspect").glob("*gpqa*.eval")))
    assert (len({*data.questions}), data.columns["correct"].tolist()) == (1, [[1, 1, 1, 1]])


def test_trap_4_fewer_samples_than_the_header_tells_of(tmp_path: Path) -> None:
    samples = [scored("C", name, epoch) for name in (1, 2) for epoch in (1, 2)]
    path = document(tmp_path / "log.json", *samples, results=counted(790, 0.5))
    _, notes = evidence_and_notes(path)
    assert any("holds 4 of the 790 answers that its own figures cover" in note for note in notes)


@needs_logs
def test_trap_5_an_answer_that_was_cut_off_is_silence() -> None:
    data, notes = evidence_and_notes(next((LOGS / "inspect").glob("*mmlu*.eval")))
    assert outcomes(data) == [0, 0, 1]
    assert any("1 empty" in note for note in notes)


@needs_logs
@pytest.mark.parametrize(("name", "right", "of"), [("popularity", 63, 100), ("security-guide", 11, 16)])
def test_real_logs_of_inspect_have_their_own_figures(name: str, right: int, of: int) -> None:
    """accuracy 0.63 of 100 and 0.6875 of 16."""
    data, notes = evidence_and_notes(next((LOGS / "inspect").glob(f"*{name}*.eval")))
    assert outcomes(data) == [right, of - right, 0]
    assert not any("its own" in note for note in notes)


def test_trap_6_a_standard_error_that_is_a_text_and_groups_within_groups(tmp_path: Path) -> None:
    document: dict[str, Any] = {
        "results": {task: {"acc,none": 1.0, "acc_stderr,none": "N/A"} for task in ("mmlu", "mmlu_stem", "anatomy")},
        "groups": {"mmlu": {"acc,none": 1.0, "acc_stderr,none": "N/A"}},
        "group_subtasks": {"mmlu": ["mmlu_stem"], "mmlu_stem": ["anatomy"]},
        "configs": {"anatomy": {}},
        "versions": {},
        "n-samples": {"anatomy": {"original": 100, "effective": 1}},
        "model_name": "lamp",
    }
    row: dict[str, Any] = {
        "doc_id": 0,
        "doc": {},
        "target": "0",
        "resps": [],
        "filtered_resps": [["-1.0", "True"], ["-3.0", "False"]],
    }
    row |= {"filter": "none", "metrics": ["acc"], "acc": 1.0}
    date = "2026-01-02T03-04-05.678901"
    files = {f"lamp/results_{date}.json": json.dumps(document)}
    files |= {f"lamp/samples_anatomy_{date}.jsonl": json.dumps(row) + "\n"}
    data, notes = evidence_and_notes(write_files(tmp_path, files))
    assert outcomes(data) == [1, 0, 0]
    assert not any("its own" in note for note in notes)


@needs_logs
def test_trap_7_samples_that_are_not_all_of_the_results() -> None:
    """3 documents of 100 a subject are there."""
    data, notes = evidence_and_notes(sorted((LOGS / "lm_eval").iterdir()))
    assert len(data.questions) == 9
    assert sum("holds 3 of the 100 answers that its own figures cover" in note for note in notes) == 3


def test_trap_8_numbers_and_booleans_as_texts(tmp_path: Path) -> None:
    """loglikelihood responses [["-2.83", "False"], …]: e^-1 / (e^-1 + e^-3) is the confidence of the first."""
    row = {"doc_id": 0, "doc": {}, "target": "0", "resps": [[["-1.0", "False"]], [["-3.0", "False"]]]}
    row |= {"filtered_resps": [["-1.0", "False"], ["-3.0", "False"]], "filter": "none", "metrics": ["acc"], "acc": 1.0}
    path = write_files(tmp_path, {"samples_x.jsonl": json.dumps(row) + "\n"})[0]
    assert evidence(path).columns["confidence"][0][0] == pytest.approx(0.880797, abs=1e-6)


def test_trap_9_a_metric_s_mean_is_over_the_answers_that_it_scored() -> None:
    """And headers, byte-order marks and lists of contexts: test_ragas."""
    _, notes = evidence_and_notes(place_of("ragas") / "lamp.csv")
    assert any("word_recall has scores for 5 of 6 answers" in note for note in notes)


@needs_logs
def test_trap_10_the_cache_is_not_the_last_run() -> None:
    files = [LOGS / "deepeval" / f"koushik_{name}.json" for name in ("latest_test_run", "deepeval-cache")]
    latest, cache = (evidence(file) for file in files)
    assert (len(latest.questions), len(cache.questions)) == (1, 39)


@needs_logs
def test_trap_11_a_script_that_crashed_is_pointed_out() -> None:
    """18 of 30 results: 12 and 4, and 2 in which a judge failed the answer too; all failed for something else as
    well."""
    data, notes = evidence_and_notes(LOGS / "promptfoo" / "nicheiq_results.json", missing="unanswered")
    assert data.columns["correct"].sum() == 0
    assert any("in 18 of 30 results an assertion script crashed" in note for note in notes)


# What failed in each of the 30 results, one after the other, and what crashed beside it, by the file itself: a crash
# counts for nothing where an assertion that ran failed too, so that all 30 are wrong, as the tool counts them.
ROWS_OF_NICHEIQ = [
    *[(["regex"], 1)] * 12,
    *[(["regex"], 0)] * 4,
    *[(["is-json"], 2)] * 4,
    *[(["llm-rubric"], 0)] * 8,
    *[(["llm-rubric"], 1)] * 2,
]


@needs_logs
def test_trap_11_row_by_row() -> None:
    path = LOGS / "promptfoo" / "nicheiq_results.json"
    held = json.loads(path.read_text())["results"]
    found = []
    for result in held["results"]:
        failed = [one for one in result["gradingResult"]["componentResults"] if not one["pass"]]
        crashed = [one for one in failed if one["reason"].startswith("Custom function threw error")]
        found.append(([one["assertion"]["type"] for one in failed if one not in crashed], len(crashed)))
    assert found == ROWS_OF_NICHEIQ
    data = evidence(path, missing="unanswered")
    runs, wrong = {run: i for i, run in enumerate(data.runs)}, data.columns["incorrect"]
    for result in held["results"]:
        run = f"{result['provider']['id'].removeprefix('openai:')} (prompt {result['promptIdx']})"
        assert wrong[runs[run], data.questions.index(f"test {result['testIdx']}")]
    assert (held["stats"]["successes"], held["stats"]["failures"], held["stats"]["errors"]) == (0, wrong.sum(), 0)


@needs_logs
@pytest.mark.parametrize("name", ["drift_16errors", "pew_2pass_1fail"])
def test_trap_11_figures_are_those_of_the_tool(name: str) -> None:
    path = LOGS.parent / "logs" / "promptfoo" / f"{name}.json"
    stats = json.loads(path.read_text())["results"]["stats"]
    data = evidence(path, ungraded="exclude")
    assert outcomes(data) == [stats["successes"], stats["failures"], 0]
    assert (~data.present).sum() == stats["errors"]


def test_trap_11_a_test_that_crashed_for_nothing_else_is_not_graded(tmp_path: Path) -> None:
    crash = part(passed=False) | {"reason": "Custom function threw error: Unexpected token 'return'"}
    said: dict[str, Any] = {"response": {"output": "x"}, "failureReason": 1, "error": "Custom function threw error"}
    rows = [
        plain(0, success=False, gradingResult={"componentResults": [crash, part(passed=True)]}, **said),
        plain(1, success=False, gradingResult={"componentResults": [crash, part(passed=False)]}, **said),
    ]
    data = evidence(write_files(tmp_path, {"r.json": promptfoo(rows)})[0], ungraded="exclude")
    assert (~data.present).tolist() == [[True, False]]
    assert outcomes(data) == [0, 1, 0]


@needs_logs
def test_trap_12_the_figure_of_helm_is_that_of_the_test_split() -> None:
    """5/17 and 6/17 of split test; 3 of valid are left out."""
    data, notes = evidence_and_notes([p for p in sorted((LOGS / "helm").iterdir()) if p.name.startswith("mmlu")])
    assert data.columns["correct"].sum(axis=1).tolist() == [6, 5]
    assert len(data.questions) == 17
    assert sum("left out 3 of split 'valid'" in note for note in notes) == 2
    board = LOGS / "helm" / "groups" / "mmlu_mmlu.json"
    assert "this is a table of HELM's leaderboard, which holds figures" in str(refusal(board, FormatError))


def test_trap_13_opencompass() -> None:
    """Items by number, accuracy in percent, no text where perplexities decide: test_opencompass."""
    assert outcomes(evidence(place_of("opencompass") / "results" / "lamp-2b" / "harbour.json")) == [3, 1, 1]


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("simple_evals/mmlu_lamp-2b.json", "those are in the page beside it, mmlu_lamp-2b.html"),
        ("lighteval/results/lamplighter/lamp-2b/results_2026-11-22T10-13-00.163512.json", "details_*.parquet"),
        ("nemo_skills/lamp-2b/eval-results/metrics.json", "output-rs0.jsonl"),
    ],
)
def test_trap_14_figures_alone_are_named_and_told_where_their_items_are(path: str, where: str) -> None:
    assert where in str(refusal(place_of(path), FormatError))
    (summary,) = nescio.check(place_of(path))
    assert summary.format == path.partition("/")[0]
    assert where in summary.problems[0]


def test_trap_14_figures_of_tira(tmp_path: Path) -> None:
    path = write_files(tmp_path, {"evaluation.prototext": 'measure {\n  key: "F1"\n  value: "0.5"\n}\n'})[0]
    assert_refused(path, "line 1", "these are figures of TIRA (evaluation.prototext) and no answers")


def test_trap_15_seeds_pair_by_their_lines(tmp_path: Path) -> None:
    """And the suffix, pass@1 and a null prediction on the real files: test_nemo_skills."""
    rows: list[dict[str, Any]] = [{"predicted_answer": None, "symbolic_correct": False, "num_generated_tokens": 1}]
    rows += [{"predicted_answer": "1", "symbolic_correct": True, "num_generated_tokens": 1}]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    files = write_files(tmp_path, {f"gpqa/output-rs{seed}.jsonl-test": lines for seed in range(3)})
    data = evidence(files)
    assert outcomes(data) == [3, 0, 3]
    assert len({*data.questions}) == 2


def test_trap_16_empty_patches_are_silence_and_what_was_not_submitted_is_missing() -> None:
    """And a report with 9 of 100 and of 500: test_swe_bench."""
    data = evidence(place_of("swe_bench") / "lamp-2b.of-may.json", ungraded="exclude", missing="common")
    assert outcomes(data) == [2, 2, 2]


def test_trap_17_one_object_in_place_of_a_list(tmp_path: Path) -> None:
    run = {"task_id": 0, "reward": 1.0, "trial": 0, "info": {}, "traj": []}
    assert outcomes(evidence(write_files(tmp_path, {"one.json": json.dumps(run)})[0])) == [1, 0, 0]


@needs_logs
@pytest.mark.parametrize(
    "path", sorted((LOGS / "tables").glob("*")) if LOGS.exists() else [], ids=lambda path: path.name
)
def test_trap_18_no_home_made_table_is_read_by_a_guess(path: Path) -> None:
    """Each is refused with one message, but for one of questions, gold answers and answers: a note says what was
    taken."""
    if path.name != "agentbench_tr_eval_results.csv":
        assert refusal(path, FormatError).path == str(path)
        return
    _, notes = evidence_and_notes(path)
    assert any("prediction is the column 'final_answer', gold is the column 'ground_truth'" in note for note in notes)


def test_trap_18_a_gold_that_is_the_name_of_a_source(tmp_path: Path) -> None:
    sources = "question,gold,prediction\nq1,context,Paris\nq2,parametric,Rome\nq3,context,Oslo\n"
    _, notes = evidence_and_notes(write_files(tmp_path, {"t.csv": sources})[0])
    words = "no answer is right, and 3 questions have only 2 gold answers (context, parametric): if these are not gold answers"
    assert any(note.startswith(words) for note in notes)
    right = sources.replace("Paris", "context")
    _, notes = evidence_and_notes(write_files(tmp_path, {"u.csv": right})[0])
    assert not any(note.startswith("no answer is right") for note in notes)


@pytest.mark.parametrize(
    ("name", "text", "rule"),
    [
        (
            "maybe.csv",
            "question,answer,label\nq1,yes,yes\nq2,no,maybe\n",
            "--column outcome=label --outcome-map maybe=incorrect  (1 right, 1 wrong, 0 silent, c@1 0.500)",
        ),
        ("sure.csv", "question,answer,confidence\nq1,a,0.9\nq2,b,0.2\n", "found \\['question', 'answer', 'confidence'"),
        (
            "thrice.csv",
            "question,model,evaluation1,evaluation2,evaluation3,avg\nq1,m,1,0,1,0.667\nq2,m,0,0,1,0.333\n",
            "--column outcome=evaluation1  (1 right, 1 wrong, 0 silent, c@1 0.500)\n  --column outcome=evaluation2  (0 right, 2 wrong, 0 silent, c@1 0.000)\n  --column outcome=evaluation3  (2 right, 0 wrong, 0 silent, c@1 1.000)",
        ),
    ],
)
def test_trap_18_what_is_no_verdict_is_asked_about(tmp_path: Path, name: str, text: str, rule: str) -> None:
    """A label `maybe`, a confidence without a verdict, three judgements and their mean."""
    path = write_files(tmp_path, {name: text})[0]
    assert rule.replace("\\", "") in str(refusal(path, FormatError))


@needs_logs
def test_trap_18_bytes_that_are_not_utf_8_are_named_with_their_line() -> None:
    assert_refused(LOGS / "tables" / "eval_results_transformed.csv", "line 170", "not UTF-8 text")


def test_trap_19_a_run_in_which_no_metric_ran_has_no_wrong_answers(tmp_path: Path) -> None:
    """12 cases in all, 0 passed and 0 failed."""
    cases = [case(f"q{i}", "a") | {"success": None} for i in range(12)]
    path = write_files(tmp_path, {"run.json": text(*cases, testPassed=0, testFailed=0)})[0]
    data, notes = evidence_and_notes(path, ungraded="exclude")
    assert not data.present.any()
    assert any("12 without a score" in note for note in notes)


def test_check_names_a_file_of_every_kind_in_one_call() -> None:
    """One excerpt of each tool's log, each by itself, in one folder of links; each is named rightly and none is
    guessed."""
    logs = {
        name: excerpt
        for name, excerpt in EVERY.items()
        if name == excerpt.format
        and (excerpt.format in LOGS_OF_TOOLS)
        and all(path.is_file() for path in excerpt.files)
    }
    paths: dict[Path, str] = {}
    for name, excerpt in logs.items():
        for path in excerpt.files:
            paths[path] = name
    for name, folder in FOLDERS.items():
        paths |= dict.fromkeys(sorted(path for path in (place_of(folder)).rglob("*") if path.is_file()), name)
    assert {*paths.values()} == LOGS_OF_TOOLS
    summaries = nescio.check([str(path) for path in paths])
    named = {file.file: summary.format for summary in summaries for file in summary.files}
    assert named == {str(path): name for path, name in paths.items()}


def test_check_names_the_files_of_a_folder_of_every_kind(tmp_path: Path) -> None:
    """A folder of several kinds stands for all its files; what is called as another tool's file is not taken for it."""
    given = {"promptfoo": "promptfoo/results.json", "langfuse": "langfuse/lamp-2b.csv", "ragas": "ragas/lamp.csv"}
    given |= {"tau_bench": "tau_bench/lamp-2b-harbour.json", "mlflow": "mlflow/eval_results_table.json"}
    given |= {"phoenix": "phoenix/lamp-2b.json", "swe_bench": "swe_bench/lamp-2b.of-may.json"}
    given["lm_eval"] = "lm_eval_choice/lamplighter__lamp-2b/samples_harbour_choice_2025-03-04T05-06-07.890123.jsonl"
    called = {"promptfoo": "results", "mlflow": "eval_results_table", "lm_eval": "samples_harbour"}
    for name, path in given.items():
        (tmp_path / f"{called.get(name, name)}{Path(path).suffix}").write_bytes(place_of(path).read_bytes())
    (tmp_path / "notes.txt").write_text("bought oil")
    summaries = nescio.check([str(tmp_path)])
    assert sorted(summary.format for summary in summaries) == ["", *sorted(given)]
    with pytest.raises(FormatError, match=r"1 of lm_eval \(first: .*samples_harbour.jsonl\), 1 of mlflow"):
        nescio.score(str(tmp_path))


LOGS_OF_TOOLS = {
    *("lm_eval", "inspect", "helm", "promptfoo", "openai_evals", "every_eval_ever", "mmlu-pro", "simpleqa"),
    *("deepeval", "ragas", "lighteval", "mlflow", "langfuse", "phoenix", "opencompass", "nemo_skills"),
    *("simple_evals", "tau_bench", "swe_bench", "abstention_bench"),
}
FOLDERS = {
    "deepeval": "deepeval/.deepeval",
    "lighteval": "lighteval",
    "nemo_skills": "nemo_skills",
    "abstention_bench": "abstention_bench",
    "opencompass": "opencompass_judged",
    "mlflow": "mlflow_traces",
    "phoenix": "phoenix_evaluated",
}
