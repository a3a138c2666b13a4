"""What DeepEval, EvalPlus and lighteval state of questions, gold answers, graders and lost answers forbids a gate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import nescio
from nescio.errors import MismatchError
from tests.cli.conftest import Command
from tests.cli.test_gate_grounds import GATE, N
from tests.cli.test_gate_on_logs import ASKED, GOLD, JUDGES, TEXT
from tests.cli.test_gate_on_lost_tasks import lm_eval, nemo_skills, opencompass, written

DATE = "2026-01-01T00-00-00.000000"
CRITERIA = "Criteria:\nBe {}.\n\nHere is an example. \n \nEvaluation Steps:\n{} \n \nRubric:\nNone \n \nScore: {}"


def deepeval(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write a run of DeepEval in which `share` of ten cases pass; `flaky` marks the metric of those that fail."""
    cases = []
    for q in N:
        passed = q % 10 < share
        criteria, steps = changes.get("criteria", ("strict", "[]"))
        metric = {
            "name": "Truth",
            "threshold": 0.5,
            "success": passed,
            "score": float(passed),
            "verboseLogs": CRITERIA.format(criteria, steps, float(passed)),
            "flaky": bool(changes.get("flaky")) and not passed,
        } | changes.get("metric", {})
        case = {
            "input": f"q{q}",
            "actualOutput": "x",
            "expectedOutput": "x",
            "success": passed or metric["flaky"],
            "metricsData": [metric] if passed or "metrics" not in changes else changes["metrics"],
        }
        cases.append(case | changes.get("case", {}))
    path = folder / f"{run}.json"
    path.write_text(json.dumps({"testCases": cases, "conversationalTestCases": [], "metricsScores": []}))
    return path


def evalplus(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write results of EvalPlus in which `share` of ten samples pass."""
    tasks = {f"HumanEval/{q}": [{"base_status": "pass" if q % 10 < share else "fail", "solution": "x"}] for q in N}
    path = folder / f"{run}.eval_results.json"
    path.write_text(json.dumps({"date": f"day {share}", "hash": changes.get("hash", "fe58"), "eval": tasks}))
    return path


def lighteval(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write details of lighteval in which `share` of ten answers are right, and the results, unless they are None."""
    rows = [
        {
            "doc": {
                "query": changes.get("query", "Who keeps lamp {}?").format(q),
                "choices": changes.get("choices", ["x", "y"]),
                "gold_index": changes.get("gold", 0),
                "id": str(q),
                "task_name": "lamps|0",
            },
            "metric": {"em": int(q % 10 < share)},
            "model_response": {"text": ["x"], "logprobs": [0.0]},
        }
        for q in N
    ]
    details = folder / run / "details" / run / DATE
    details.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), details / f"details_lamps|0_{DATE}.parquet")
    if changes.get("results", {}) is None:
        return folder / run
    metric = {"metric_name": ["em", "f1"], "sample_level_fn": "strict", "corpus_level_fn": f"<mean at 0x{share}a>"}
    results = {
        "config_general": {"model_name": run},
        "results": {"lamps|0": {"em": share / 10}, "all": {"em": share / 10}},
        "versions": {"lamps|0": 0},
        "config_tasks": {"lamps|0": {"metrics": [metric | changes.get("metric", {})], "effective_num_docs": len(N)}},
        "summary_general": {},
    }
    for part, value in changes.get("results", {}).items():
        results[part] |= value
    (folder / run / "results" / run).mkdir(parents=True)
    (folder / run / "results" / run / f"results_{DATE}.json").write_text(json.dumps(results))
    return folder / run


_DEFINING = ("config_tasks", "configs", "versions")  # the parts of a results file that define metrics and tasks
CHANGES = [
    (deepeval, {"flaky": True}, JUDGES),
    (deepeval, {"criteria": ("lenient", "[]")}, JUDGES),
    (
        deepeval,
        {"metric": {"verboseLogs": CRITERIA.format("strict", "[]", 1).replace("None", "0 to 9: right")}},
        JUDGES,
    ),
    (
        deepeval,
        {"metric": {"verboseLogs": "Criteria:\nNone \n \nEvaluation Steps:\n[be lenient] \n \nScore: 1"}},
        JUDGES,
    ),
    (deepeval, {"metric": {"temperature": 1}}, JUDGES),
    (deepeval, {"case": {"expectedOutcome": "a hint"}}, GOLD),
    (evalplus, {"hash": "0000"}, JUDGES),
    (lighteval, {"gold": 1}, GOLD),
    (lighteval, {"query": "Say who lit lamp {}."}, TEXT),
    (lighteval, {"choices": ["x", "another"]}, TEXT),
    (lighteval, {"metric": {"sample_level_fn": "lenient"}}, JUDGES),
    (lighteval, {"results": {"versions": {"lamps|0": 1}}}, JUDGES),
]


@pytest.mark.parametrize(("write", "change", "why"), CHANGES)
def test_what_grades_or_is_asked_wins_no_gate(
    tmp_path: Path, nescio: Command, write: Any, change: dict[str, Any], why: str
) -> None:
    old = write(tmp_path, "old", 5)
    options = ("-m", "accuracy", *GATE, *(["--ungraded", "exclude"] if "flaky" in change else []))
    done = nescio("compare", old, write(tmp_path, "new", 9, **change), *options)
    done.assert_refused(why)
    assert why is JUDGES or ASKED in done.flat


@pytest.mark.parametrize(
    ("write", "change"),
    [(deepeval, {"criteria": ("strict", "[the model's own steps]")}), (evalplus, {}), (lighteval, {})],
)
def test_another_day_changes_no_grader(tmp_path: Path, nescio: Command, write: Any, change: dict[str, Any]) -> None:
    done = nescio("compare", write(tmp_path, "old", 5), write(tmp_path, "new", 9, **change), "-m", "accuracy", *GATE)
    assert done.status == 0, done.flat


@pytest.mark.parametrize(
    ("asked", "gold", "status"),
    [("Who keeps lamp {}?", "x", 0), ("Who keeps lamp 9{}?", "x", 2), ("Who keeps lamp {}?", "y", 2)],
)
def test_prompts_of_early_lighteval_are_compared(
    tmp_path: Path, nescio: Command, asked: str, gold: str, status: int
) -> None:
    paths = []
    for run, share, said, right in (("old", 5, "Who keeps lamp {}?", "x"), ("new", 9, asked, gold)):
        rows = [
            {"metrics": {"em": float(q % 10 < share)}, "predictions": ["x"], "gold": [right]}
            | {"full_prompt": f"{run} thinks.\n{said.format(q)}"}
            for q in N
        ]
        paths.append(tmp_path / run / f"details_lamps_{DATE}.parquet")
        paths[-1].parent.mkdir()
        pq.write_table(pa.Table.from_pylist(rows), paths[-1])
    done = nescio("compare", *paths, "-m", "accuracy", *GATE)
    assert done.status == status, done.flat


def test_questions_are_compared_in_python_and_with_a_baseline(tmp_path: Path, nescio: Command) -> None:
    old, new = lighteval(tmp_path, "old", 5), lighteval(tmp_path, "new", 9, gold=1)
    done = nescio("compare", old, "--save-baseline", tmp_path / "base.json")
    assert done.status == 0, done.flat
    done = nescio("compare", new, "-m", "accuracy", "--baseline", tmp_path / "base.json", "--fail-on-regression")
    done.assert_refused("200 with a different gold answer")
    assert any(GOLD in str(note) for note in _compared(old, new))


def _compared(old: Path, new: Path) -> Any:
    return nescio.compare([old, new], "accuracy", baseline="old").notes


@pytest.mark.parametrize("metrics", [[], [{"name": "Truth", "success": False, "score": 0.0, "flaky": True}]])
def test_a_case_that_no_metric_decides_is_not_graded(tmp_path: Path, metrics: Any) -> None:
    path = deepeval(tmp_path, "new", 9, metrics=metrics, case={"success": True})
    with pytest.raises(MismatchError, match="20 such answers in all"):
        nescio.score(path, "accuracy")


@pytest.mark.parametrize(
    "results", [{"results": {"hard|0": {"em": 0.01}}}, {"config_tasks": {"lamps|0": {"effective_num_docs": 999}}}]
)
def test_answers_that_the_results_state_and_nobody_holds_are_lost(
    tmp_path: Path, nescio: Command, results: Any
) -> None:
    path = lighteval(tmp_path, "new", 9, results=results)
    done = nescio("score", path, "-m", "accuracy", "--fail-under", "accuracy=0.6")
    assert done.status == 3, done.flat
    assert (
        f"results_{DATE}.json: the file holds 0 of an unknown number of answers to hard|0" in done.flat
        or "200 of 999" in done.flat
    )


def test_results_are_those_of_their_model(tmp_path: Path, nescio: Command) -> None:
    """The old run has no results file, so nothing says how it was graded."""
    old, new = lighteval(tmp_path, "old", 5, results=None), lighteval(tmp_path, "new", 9)
    nescio("compare", old, new, "-m", "accuracy", *GATE).assert_refused(f"{JUDGES} (em, em(sample_level_fn=strict")


def test_a_run_without_a_results_file_is_not_compared_with_a_baseline_that_has_one(
    tmp_path: Path, nescio: Command
) -> None:
    old, new = lighteval(tmp_path, "old", 5), lighteval(tmp_path, "new", 9, results=None)
    assert nescio("compare", old, "--save-baseline", tmp_path / "base.json").status == 0
    done = nescio("compare", new, "-m", "accuracy", "--baseline", tmp_path / "base.json", "--fail-on-regression")
    done.assert_refused("was judged by em(sample_level_fn=strict, version=0), and these files by em.")


@pytest.mark.parametrize("write", [lighteval, lm_eval])
def test_a_results_file_without_definitions_is_still_a_results_file(
    tmp_path: Path, nescio: Command, write: Any
) -> None:
    """The figures of one run were compared with its answers, and those of the other are not there."""
    old, new = write(tmp_path, "old", 5), write(tmp_path, "new", 9)
    for path in [*old.rglob("results*.json"), *new.rglob("results*.json")]:
        stated = json.loads(path.read_text())
        path.write_text(json.dumps(stated | {key: {} for key in {*_DEFINING} & {*stated}}))
    gate = ("-m", "accuracy", *GATE)
    assert nescio("compare", old, new, *gate).status == 0
    next(new.rglob("results*.json")).unlink()
    nescio("compare", old, new, *gate).assert_refused("em(definition=not stated")


def test_no_run_defines_the_metrics_of_another(tmp_path: Path, nescio: Command) -> None:
    """The new run's folder also holds results under the name of the old run, with its own kinder metric."""
    old, new = lighteval(tmp_path, "old", 5), lighteval(tmp_path, "new", 9, metric={"sample_level_fn": "lenient"})
    gate = ("-m", "accuracy", *GATE)
    nescio("compare", new, old, *gate).assert_refused(JUDGES)
    (own,) = (new / "results" / "new").glob("*.json")
    stated = json.loads(own.read_text()) | {"results": {}, "config_general": {"model_name": "old"}}
    (new / "results" / "old").mkdir()
    (new / "results" / "old" / own.name).write_text(json.dumps(stated))
    nescio("compare", new, old, *gate).assert_refused(JUDGES)


def test_no_folder_adds_what_the_baseline_said(tmp_path: Path, nescio: Command) -> None:
    """The baseline's folder holds no texts; that of the new run calls all answers of the baseline abstentions."""
    old, new = opencompass(tmp_path, "old", 8), opencompass(tmp_path, "new", 7)
    items = {str(q): {"origin_prompt": f"Who keeps lamp {q}?", "prediction": "I do not know"} for q in N}
    written(new / "predictions" / "old" / "lamps.json", items)
    done = nescio("compare", old, new, "-m", "accuracy", *GATE, "--declined-pattern", "i do not know")
    done.assert_refused("are not repeats, but both would become run 'old'")


def test_no_folder_adds_confidences_of_the_baseline(tmp_path: Path, nescio: Command) -> None:
    """SQuAD's no-answer odds belong to the predictions with a like name, which may lie in another folder."""
    asked = [{"id": f"q{q}", "question": f"q{q}?", "answers": [{"text": "x"}], "is_impossible": False} for q in N]
    gold = written(tmp_path / "dev.json", {"data": [{"paragraphs": [{"context": "x", "qas": asked}]}]})
    right = {f"q{q}": q % 10 < 6 for q in N}

    def odds(run: str, folder: str, sure: bool) -> Path:
        likely = {question: ((own != sure) + int(question[1:]) % 7 / 3) / 4 for question, own in right.items()}
        return written(tmp_path / folder / f"na_prob_{run}.json", likely)

    for run in ("old", "new"):
        predicted = {question: "x" if own else "y" for question, own in right.items()}
        written(tmp_path / run / f"pred_{run}.json", predicted)
    files = [
        gold,
        tmp_path / "old" / "pred_old.json",
        tmp_path / "new" / "pred_new.json",
        odds("new", "new", sure=True),
    ]
    gate = ("-m", "AUROC", *GATE)
    done = nescio("compare", *files, odds("old", "old", sure=False), *gate)
    assert done.status == 0, done.flat
    done = nescio("compare", *files, odds("old", "new", sure=False), *gate)
    done.assert_refused("the attempts of 'old' come from 2 folders")
    apart = [path.rename(tmp_path / path.name) for path in files[1:3]]
    done = nescio("compare", gold, *apart, files[3], tmp_path / "new" / "na_prob_old.json", *gate)
    assert done.status == 0, done.flat  # predictions of all runs in one folder, and odds of all in another


def test_no_folder_adds_the_outputs_of_the_baseline(tmp_path: Path, nescio: Command) -> None:
    """Where no function fits, each unlisted answer is right, and the outputs say whether it calls a function."""
    for run, share in (("old", 9), ("new", 7)):
        failures = [{"id": f"irrelevance_{q}", "valid": False, "model_result": "f()"} for q in N if q % 10 >= share]
        head = {"accuracy": share / 10, "correct_count": share * len(N) // 10, "total_count": len(N)}
        place = tmp_path / run / "score" / run
        written(place / "BFCL_v4_irrelevance_score.json", {}).write_text("\n".join(map(json.dumps, [head, *failures])))
    for run, output in (("new", "No."), ("old", "[f(x=1)")):
        lines = [{"id": f"irrelevance_{q}", "result": output, "input_token_count": 1} for q in N]
        path = written(tmp_path / "new" / "result" / run / "BFCL_v4_irrelevance_result.json", {})
        path.write_text("\n".join(map(json.dumps, lines)))
    done = nescio("compare", tmp_path / "old", tmp_path / "new", "-m", "accuracy", *GATE)
    assert done.status != 0, done.flat
    assert "result/old/BFCL_v4_irrelevance_result.json: this file belongs to none of these answers" in done.flat


TABLES: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {
    "simpleqa": ({"problem": "q{q}", "target": "x", "predicted_answer": "a{q}", "grade": "{letter}"}, ()),
    "ragas": (
        {"user_input": "q{q}", "response": "a{q}", "answer_correctness": "{right}", "faithfulness": "0.5"},
        ("--choose", "metric=answer_correctness"),
    ),
    "respubliqa": (
        {"q_id": "q{q}", "answer": "a{q}", "candidate": "", "assessment": "{assessment}"},
        (),
    ),
    "mlflow": ({"inputs": "q{q}", "predictions": "a{q}", "strictly/v1/score": "{right}"}, ("--format-in", "mlflow")),
}


def of_tool(folder: Path, name: str, run: str, share: int, **more: str) -> Path:
    """Write the table of a tool in which `share` of ten answers are right, with more columns."""
    columns, path = TABLES[name][0] | more, folder / f"{run}.csv"
    lines = [",".join(columns)]
    for q in N:
        right = q % 10 < share
        cells = {"q": q, "letter": "BA"[right], "assessment": "WR"[right], "right": int(right), "odd": q % 2}
        lines.append(",".join(cell.format(**cells) for cell in columns.values()))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("name", TABLES)
def test_a_column_of_a_tools_table_names_the_judge(tmp_path: Path, nescio: Command, name: str) -> None:
    """It counts if it has one value in each run, as in a table of nescio's own."""
    gate = ("-m", "c@1", *GATE, *TABLES[name][1])
    old, new = (
        of_tool(tmp_path, name, run, share, grader_model=f"of {run}") for run, share in (("old", 5), ("new", 9))
    )
    nescio("compare", old, new, *gate).assert_refused("the runs were judged by different judges")
    done = nescio("compare", old, new, *gate, "--column", "judge=-")
    assert done.status == 0, done.flat
    of_tool(tmp_path, name, "new", 9, grader_model="{odd}")
    nescio("compare", old, new, *gate).assert_refused("grader_model=of old", "or add --column judge=- if")
    of_tool(tmp_path, name, "old", 5, grader_model="of {odd}")
    assert nescio("compare", old, new, *gate).status == 0
    for run, share in (("old", 5), ("new", 9)):
        of_tool(tmp_path, name, run, share, grader_model="strict")
    lines = new.read_text().splitlines()
    new.write_text("\n".join([*lines[:-1], lines[-1].replace("strict", "")]) + "\n")  # a row that names nobody
    assert nescio("compare", old, new, *gate).status == 0
    base = tmp_path / "base.json"
    nescio("compare", of_tool(tmp_path, name, "old", 5), *gate[:2], *TABLES[name][1], "--save-baseline", base)
    beside = nescio("compare", new, "--baseline", base, *gate[:2], *gate[4:])
    beside.assert_refused("the baseline was judged by", "grader_model=strict")
    by_nobody = (*gate[:2], *TABLES[name][1], "--column", "judge=-")
    nescio("compare", old, *by_nobody, "--save-baseline", base)
    assert nescio("compare", new, "--baseline", base, *gate[:2], *gate[4:], "--column", "judge=-").status == 0


def test_another_version_of_a_metric_is_another_judge(tmp_path: Path, nescio: Command) -> None:
    old, new = (of_tool(tmp_path, "mlflow", run, share) for run, share in (("old", 5), ("new", 9)))
    gate = ("-m", "c@1", *GATE, "--format-in", "mlflow")
    assert nescio("compare", old, new, *gate).status == 0
    new.write_text(new.read_text().replace("strictly/v1", "strictly/v2"))
    nescio("compare", old, new, *gate).assert_refused("strictly(version=v2)")


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("q", "run 'old' answers question 'q0' in both"),
        ("r", "the attempts of 'old' come from 2 files, and some of these files also hold attempts of 'new'"),
    ],
)
def test_rows_under_the_name_of_the_baseline_in_the_file_of_another_run_win_no_gate(
    tmp_path: Path, nescio: Command, question: str, says: str
) -> None:
    """The file of the new run also holds wrong answers that it calls the baseline's, to the same or other questions."""

    def rows(run: str, share: int, name: str) -> list[str]:
        return [f"{run}{name}{q},default,{name}{q},a,,{run},{float(q % 10 < share)}" for q in N]

    head = "id,environment,input,output,sessionId,datasetRunName,correctness"
    forged = [*rows("new", 7, "q"), *rows("new", 9, "r"), *rows("old", 0, question)]
    for name, lines in (("old", rows("old", 8, "q")), ("new", forged)):
        (tmp_path / f"{name}.csv").write_text("\n".join([head, *lines]) + "\n")
    files = tmp_path / "old.csv", tmp_path / "new.csv"
    nescio("compare", *files, "-m", "accuracy", *GATE, "--missing", "common").assert_refused(says)
    if question == "r":  # and in one table of both
        assert nescio("convert", *files, tmp_path / "both.csv").status == 0
        nescio("compare", tmp_path / "both.csv", "-m", "accuracy", *GATE, "--missing", "common").assert_refused(says)


def test_a_folder_with_answers_of_the_baseline_beside_those_of_the_new_run_wins_no_gate(
    tmp_path: Path, nescio: Command
) -> None:
    """The folder of the new run adds a task that it answers well, and the baseline's model badly."""
    folders = tmp_path / "before", tmp_path / "after"
    for folder, run, task, share in (
        (folders[0], "old", "gsm", 8),
        (folders[1], "new", "gsm", 7),
        (folders[1], "new", "more", 10),
        (folders[1], "old", "more", 0),
    ):
        place = folder / run / "eval-results" / task
        place.mkdir(parents=True)
        answers = [
            {"id": f"q{q}", "problem": f"What is {q}?", "generation": "1", "predicted_answer": "1"}
            | {"expected_answer": "1", "symbolic_correct": q % 10 < share}
            for q in N
        ]
        (place / "output-rs0.jsonl").write_text("\n".join(map(json.dumps, answers)))
    says = "the attempts of 'old' come from 2 folders, and some of these folders also hold attempts of 'new'"
    nescio("compare", *folders, "-m", "accuracy", *GATE).assert_refused(says)
    own = folders[0] / "old" / "eval-results" / "more"
    (folders[1] / "old" / "eval-results" / "more").rename(own)
    done = nescio("compare", *folders, "-m", "accuracy", *GATE)
    assert done.status == 0, done.flat


def test_score_files_that_name_too_many_questions_are_of_other_questions(tmp_path: Path, nescio: Command) -> None:
    """BFCL's score files name failures alone: 60 and 60 of 100 questions, of which none is the same."""
    for run, first in (("old", 0), ("new", 100)):
        head = {"accuracy": 0.4, "correct_count": 40, "total_count": 100}
        failures = [
            {"id": f"simple_python_{first + i}", "valid": False, "error": ["no"], "error_type": "wrong"}
            for i in range(60)
        ]
        path = tmp_path / "score" / run / "BFCL_v4_simple_python_score.json"
        path.parent.mkdir(parents=True)
        path.write_text("\n".join(map(json.dumps, [head, *failures])))
    says = "the files of simple_python name 120 questions, but"
    nescio("score", tmp_path / "score", "-m", "accuracy").assert_refused(says)


def test_a_failure_without_an_output_is_refused(tmp_path: Path, nescio: Command) -> None:
    """BFCL's score file calls the failed questions otherwise than the file of outputs."""
    head = {"accuracy": 0.4, "correct_count": 4, "total_count": 10}
    failures = [{"id": f"S{q}", "valid": False, "error": ["no"], "error_type": "wrong"} for q in range(6)]
    outputs = [{"id": f"s{q}", "result": "[f()]", "input_token_count": 1} for q in range(10)]
    for kind, lines in (("score", [head, *failures]), ("result", outputs)):
        path = tmp_path / kind / "new" / f"BFCL_v4_simple_python_{kind}.json"
        path.parent.mkdir(parents=True)
        path.write_text("\n".join(map(json.dumps, lines)))
    says = "the score file lists a failure whose output the file of outputs lacks (found 'S0')"
    nescio("score", tmp_path / "score", tmp_path / "result").assert_refused(says)


def test_two_files_with_answers_of_one_run_are_no_repeats(tmp_path: Path, nescio: Command) -> None:
    """The same model was evaluated by EvalScope in two folders, before and after a change."""
    for folder, share in (("main", 8), ("change", 5)):
        path = tmp_path / folder / "reviews" / "model" / "b_x.jsonl"
        path.parent.mkdir(parents=True)
        scores = [
            {"index": q, "input": f"Q {q}?", "target": "a"}
            | {"sample_score": {"score": {"value": {"acc": float(q % 10 < share)}}, "sample_id": q, "group_id": q}}
            for q in N
        ]
        path.write_text("\n".join(map(json.dumps, scores)))
    says = "run 'model' answers question '0' in both"
    nescio("score", tmp_path / "main", tmp_path / "change").assert_refused(says)
    assert nescio("score", tmp_path / "main").status == 0


def test_figures_of_each_run_are_compared_with_its_own_answers(tmp_path: Path, nescio: Command) -> None:
    old, new = nemo_skills(tmp_path, "old", 5), nemo_skills(tmp_path, "new", 9)
    done = nescio("compare", old, new, "-m", "accuracy", *GATE)
    assert done.status == 0, done.flat
