"""Logs of lm-evaluation-harness: filters and metrics, extraction that failed, and how sure a choice was."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import nescio
from nescio.errors import MismatchError, UsageError
from tests.notes import in_words

from .encodings import assert_refused, evidence, read, refusal
from .fuzz import assert_damage_is_met, assert_met, evidence_and_notes
from .structures import rewritten

LOGS = Path(__file__).parents[2].parent / "shared" / "data" / "logs" / "lm_eval"
NAME = "samples_sums_2025-01-02T03-04-05.678.jsonl"


def row(doc: int, right: float, said: Any = "4", **more: Any) -> dict[str, Any]:
    """One row as the harness writes it."""
    text = {"doc_id": doc, "doc": {"question": "2 + 2?", "category": "odd" if doc % 2 else "even"}, "target": "4"}
    grade = {"filter": "strict", "metrics": ["exact_match"], "doc_hash": f"h{doc}", "exact_match": right}
    return text | {"resps": [[said]], "filtered_resps": [said]} | grade | more


def choice(doc: int, right: float, *logs: float, **more: Any) -> dict[str, Any]:
    """One row of a multiple choice, the log-probabilities of its options written as texts as the harness does."""
    pairs = [[str(log), "False"] for log in logs]
    said = {"resps": [[pair] for pair in pairs], "filtered_resps": pairs, "filter": "none", "metrics": ["acc"]}
    return row(doc, right) | said | {"acc": right} | more


def lines(path: Path, *rows: Any) -> Path:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text("".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in rows))
    return path


def results(path: Path, figure: float = 1.0, n: int = 2) -> Path:
    """A results file of the task, whose filter puts "none found" where it extracts nothing."""
    steps = [{"function": "regex", "fallback": "none found"}, {"function": "take_first"}]
    configs = {"sums": {"filter_list": [{"name": "strict", "filter": steps}]}}
    figures = {"sums": {"alias": "sums", "exact_match,strict": figure}}
    held = {"results": figures, "configs": configs, "versions": {"sums": 1}, "n-samples": {"sums": {"effective": n}}}
    path.write_text(json.dumps(held | {"model_name": "org/model"}))
    return path


def written_out(doc: int, right: str, *logs: Any, **more: Any) -> dict[str, Any]:
    """One row as version 0.3 wrote it out: every metric is a text."""
    said = {
        f"{name}_{i}": value for i, log in enumerate(logs) for name, value in (("prompt", "2 + 2?"), ("logit", log))
    }
    return {"doc_id": doc} | said | {"truth": 1, "acc": right} | more


def test_what_version_0_3_wrote_out(tmp_path: Path) -> None:
    """The softmax of (-1, -2) at -1 is 1 / (1 + e^-1)."""
    folder = tmp_path / "gpt2"
    folder.mkdir()
    rows = [written_out(0, "1.0", -1.0, -2.0), written_out(1, "0.0", -1.0, -1.0)]
    path = folder / "sums_write_out_info.json"
    for document in (rows, {"0": rows[0], "1": rows[1]}):
        path.write_text(json.dumps(document))
        data, notes = evidence_and_notes(path)
        assert (data.runs, data.questions, notes) == (("gpt2",), ("sums/0", "sums/1"), ())
        assert_array_equal(data.columns["correct"], [[1, 0]])
        assert_allclose(data.columns["confidence"], [[1 / (1 + math.exp(-1)), 0.5]])
    figures = {"results": {"sums": {"acc": 0.75}}, "versions": {"sums": 0}, "config": {"model": "gpt2"}}
    (folder / "results.json").write_text(json.dumps(figures))
    data, notes = evidence_and_notes(folder)
    assert notes == ("sums_write_out_info.json: its own acc,none is 0.75, but the answers in it give 0.5",)


def test_answers_in_words_that_version_0_3_wrote_out(tmp_path: Path) -> None:
    rows = [written_out(0, "True", "four", truth=" 4", pred="4", f1="0.5", both="(1, 2)"), written_out(1, "False", " ")]
    path = tmp_path / "sums_write_out_info.json"
    path.write_text(json.dumps(rows))
    data, notes = evidence_and_notes(path, choose={"metric": "acc"})
    assert_array_equal(data.columns["correct"], [[1, 0]])
    assert_array_equal(data.columns["unanswered"], [[0, 1]])
    assert notes[0].endswith("by acc; not used: f1, both (lists)")


def test_right_wrong_and_what_could_not_be_extracted(tmp_path: Path) -> None:
    rows = [row(0, 1.0), row(1, 0.0, "5"), row(2, 0.0, "[invalid]"), row(3, 0.0, " "), row(4, 0.0, ["[invalid]", "6"])]
    data, notes = evidence_and_notes(lines(tmp_path / "my-model" / NAME, *rows))
    assert (data.runs, data.questions) == (("my-model",), tuple(f"sums/{i}" for i in range(5)))
    assert_array_equal(data.columns["correct"], [[1, 0, 0, 0, 0]])
    assert_array_equal(data.columns["incorrect"], [[0, 1, 0, 0, 1]])
    assert_array_equal(data.columns["unanswered"], [[0, 0, 1, 1, 0]])
    assert set(data.columns) == {"correct", "incorrect", "unanswered", "answered"}
    assert {name: list(values) for name, values in data.strata.items()} == {
        "task": ["sums"] * 5,
        "question": ["2 + 2?"] * 5,
        "category": ["even", "odd", "even", "odd", "even"],
    }
    assert notes == ("run 'my-model': 1 without an answer in the requested form, 1 empty (of 5)",)


def test_of_several_filters_one_is_chosen(tmp_path: Path) -> None:
    path = lines(tmp_path / NAME, row(0, 0.0, "[invalid]"), row(0, 1.0, filter="flexible"))
    message = str(refusal(path, UsageError))
    assert message == "filters here are strict, flexible; name one with --choose filter=NAME"
    assert_array_equal(evidence(path, choose={"filter": "strict"}).columns["unanswered"], [[1]])
    assert_array_equal(evidence(path, choose={"filter": "flexible"}).columns["correct"], [[1]])
    with pytest.raises(MismatchError, match="to compare two choices from one log, `nescio convert` each to a table"):
        nescio.compare(path, "c@1", choose={"filter": "strict"}, resamples=10)
    assert "filter=loose: filters here are flexible, strict" in str(
        refusal(path, UsageError, choose={"filter": "loose"})
    )


def test_of_several_metrics_one_is_chosen(tmp_path: Path) -> None:
    more = {"metrics": ["acc", "acc_norm", "f1", "lists"], "acc": 1, "acc_norm": 0, "f1": 0.5, "lists": [["a"], ["b"]]}
    path = lines(tmp_path / NAME, row(0, 1.0, **more))
    assert "metrics here are acc, acc_norm; name one" in str(refusal(path, UsageError))
    found, notes = evidence_and_notes(path, choose={"metric": "acc_norm"})
    assert_array_equal(found.columns["incorrect"], [[1]])
    assert notes == (f"{NAME}: by acc_norm; not used: acc, f1, lists (lists)",)
    assert_array_equal(evidence(path, choose={"metric": "acc"}, graded=("f1",)).columns["user.f1"], [[0.5]])
    assert "metric=x: metrics here are acc, acc_norm, f1, lists" in str(
        refusal(path, UsageError, choose={"metric": "x"})
    )
    only = lines(tmp_path / "x" / NAME, row(0, 1.0, metrics=["lists"], lists=[["a"], ["b"]]))
    assert_refused(only, None, "no metric in it has a number for each answer")


def test_old_rows_name_neither_filter_nor_metrics(tmp_path: Path) -> None:
    old = {name: value for name, value in row(0, 1.0).items() if name not in ("filter", "metrics")}
    assert_array_equal(evidence(lines(tmp_path / NAME, old)).columns["correct"], [[1]])


def test_credit_between_0_and_1(tmp_path: Path) -> None:
    path = lines(tmp_path / NAME, row(0, 1.0), row(1, 0.75), row(2, 0.25), row(3, 0.0))
    found, notes = evidence_and_notes(path)
    assert_array_equal(found.columns["correct"], [[1, 0, 0, 0]])
    assert_array_equal(found.columns["user.score"], [[1, 0.75, 0.25, 0]])
    assert notes[0].startswith(f"2 of 4 scores of {NAME}: exact_match lie between 0 and 1: counted as incorrect; ")
    assert_array_equal(evidence(path, choose={"threshold": "0.5"}).columns["correct"], [[1, 1, 0, 0]])
    assert nescio.score(path, "mean(score)").value(tmp_path.name, "mean(score)") == 0.5
    assert "threshold takes a number" in str(refusal(path, UsageError, choose={"threshold": "half"}))


def test_a_metric_that_is_no_outcome(tmp_path: Path) -> None:
    rows = [row(0, 3.0), row(1, 5.0), json.dumps(row(2, 0.0)).replace('"exact_match": 0.0', '"exact_match": Infinity')]
    path = lines(tmp_path / "m" / NAME, *rows)
    scores = nescio.score(path, ci=None)
    assert [(each.measure, each.value, each.n) for each in scores] == [("mean(exact_match)", 4.0, 2)]
    assert any("1 of 3 values of exact_match are infinite: left out" in note for note in in_words(scores.notes))
    assert_array_equal(evidence(path, choose={"threshold": "4"}).columns["correct"], [[0, 1, 1]])
    other = lines(tmp_path / "m" / "samples_other.jsonl", row(0, 1.0))
    assert "only scores: score them separately" in str(refusal([path, other], MismatchError))


def test_an_ungraded_answer_is_no_outcome(tmp_path: Path) -> None:
    path = lines(
        tmp_path / NAME, row(0, 1.0), json.dumps(row(1, 0.0)).replace('"exact_match": 0.0', '"exact_match": NaN')
    )
    found, notes = evidence_and_notes(path, ungraded="exclude")
    assert_array_equal(found.present, [[True, False]])
    assert "1 without a score (of 2)" in notes[0]


def test_the_confidence_of_a_choice_is_the_softmax_at_the_option_chosen(tmp_path: Path) -> None:
    a, b, c = math.log(0.5), math.log(0.3), math.log(0.2)
    shifted = choice(1, 0.0, c - 700, a - 700, b - 700)  # log-probabilities of whole texts are far below 0
    found = evidence(lines(tmp_path / NAME, choice(0, 1.0, a, b, c), shifted))
    assert_allclose(found.columns["confidence"], [[0.5, 0.5]], rtol=1e-9)


def test_a_metric_by_length_chooses_another_option(tmp_path: Path) -> None:
    # -0.5 over the one character of "4" is worse than -0.9 over the two of "IV" (-0.45): acc chooses "4",
    # acc_norm "IV". The space before an option does not count; with it "4" would be the better one (-0.25 to
    # -0.3).
    asked = {f"gen_args_{i}": {"arg_0": "2 + 2?", "arg_1": f" {text}"} for i, text in enumerate(["4", "IV"])}
    both = choice(0, 1.0, -0.5, -0.9, arguments=asked, metrics=["acc", "acc_norm"], acc_norm=0.0)
    listed = choice(1, 1.0, -0.5, -0.9, arguments=[["2 + 2?", " 4"], ["2 + 2?", " IV"]]) | {"acc_norm": 0.0}
    path = lines(tmp_path / NAME, both, listed | {"metrics": ["acc", "acc_norm"]})
    total = math.exp(-0.5) + math.exp(-0.9)
    for metric, log in (("acc", -0.5), ("acc_norm", -0.9)):
        found = evidence(path, choose={"metric": metric})
        assert_allclose(found.columns["confidence"], [[math.exp(log) / total] * 2], rtol=1e-9)


def test_options_asked_without_the_question_are_no_options(tmp_path: Path) -> None:
    more = {"metrics": ["acc", "acc_mutual_info"], "acc_mutual_info": 1.0}
    path = lines(tmp_path / NAME, choice(0, 1.0, math.log(0.75), math.log(0.25), -0.1, -0.2, **more))
    assert_allclose(evidence(path, choose={"metric": "acc"}).columns["confidence"], [[0.75]], rtol=1e-9)


def test_the_log_probability_of_the_gold_text_alone_is_no_confidence(tmp_path: Path) -> None:
    assert "confidence" not in evidence(lines(tmp_path / NAME, choice(0, 1.0, -0.25))).columns


def test_words_that_mean_i_do_not_know(tmp_path: Path) -> None:
    # in the answer, before the filter, and where the question has no answer
    rows = [row(0, 0.0, "unknown"), row(1, 0.0, "0", resps=[["Unknown."]]), row(2, 1.0, "unknown", target="unknown")]
    found, notes = evidence_and_notes(
        lines(tmp_path / NAME, *rows, row(3, 0.0, "3")), declined_pattern=(r"unknown\.?",)
    )
    assert_array_equal(found.columns["unanswered"], [[1, 1, 0, 0]])
    assert_array_equal(found.columns["correct"], [[0, 0, 1, 0]])
    assert_array_equal(found.columns["answered"], [[0, 0, 0, 1]])
    assert any("3 declined in words" in note for note in notes)


def test_one_of_several_samples_that_declines_does_not_decline_for_all(tmp_path: Path) -> None:
    """What was graded is the answer after the filter, here that of a majority."""
    rows = [
        row(0, 1.0, "4", resps=[["4", "4", "unknown"]]),
        row(1, 0.0, "5", resps=[["unknown", "5", "unknown"]]),
        row(2, 0.0, "0", resps=[["unknown", "Unknown.", "unknown"]]),
        row(3, 0.0, "unknown", resps=[["unknown", "4", "unknown"]]),
        row(4, 0.0, ["unknown", "4"], resps=[["unknown", "4"]]),
    ]
    found, notes = evidence_and_notes(lines(tmp_path / NAME, *rows), declined_pattern=(r"unknown\.?",))
    assert_array_equal(found.columns["unanswered"], [[0, 0, 1, 1, 0]])
    assert_array_equal(found.columns["correct"], [[1, 0, 0, 0, 0]])
    assert "--declined-pattern: 2 answers counted as unanswered ('unknown' 2×)" in notes


def test_silence_that_was_graded_right_is_silence_and_said_to_be(tmp_path: Path) -> None:
    path = lines(tmp_path / NAME, row(0, 1.0, "[invalid]"), row(1, 1.0, "", target="none"))
    found, notes = evidence_and_notes(path, declined_pattern=("none",))
    assert_array_equal(found.columns["unanswered"], [[1, 0]])
    assert_array_equal(found.columns["correct"], [[0, 1]])
    assert_array_equal(found.columns["user.score"], [[1, 1]])
    assert any("1 without an answer in the requested form (graded right), 1 empty" in note for note in notes)


def test_the_results_file_names_the_model_the_fallback_and_its_own_figure(tmp_path: Path) -> None:
    path = lines(tmp_path / NAME, row(0, 1.0), row(1, 0.0, "none found"))
    beside = results(tmp_path / "results_2025-01-02T03-04-05.678.json", figure=0.5)
    found, notes = evidence_and_notes([path, beside])
    assert found.runs == ("org/model",)
    assert_array_equal(found.columns["unanswered"], [[0, 1]])
    assert notes == ("run 'org/model': 1 without an answer in the requested form (of 2)",)
    results(beside, n=100, figure=0.75)
    cut = f"{NAME} holds 2 of the 100 answers that its own figures cover (exact_match,strict is 0.75 over all of them)"
    assert cut in in_words(read([path, beside]).notes)
    results(beside, figure=0.75)
    differs = f"{NAME}: its own exact_match,strict is 0.75, but the answers in it give 0.5"
    assert differs in in_words(read([path, beside]).notes)
    assert_refused(
        beside, None, "holds figures of whole tasks and no answers; give its samples_*.jsonl (found ['sums'])"
    )


def test_of_two_results_files_the_one_of_the_same_date_is_meant(tmp_path: Path) -> None:
    path = lines(tmp_path / NAME, row(0, 1.0), row(1, 0.0))
    older = results(tmp_path / "results_2024-01-02T03-04-05.678.json", figure=0.25)
    same = results(tmp_path / "results_2025-01-02T03-04-05.678.json", figure=0.5)
    assert in_words(read([path, older, same]).notes) == ()
    assert "its own exact_match,strict is 0.25" in in_words(read([path, older]).notes)[0]


def test_a_folder_is_a_run_and_its_files_are_tasks(tmp_path: Path) -> None:
    files = [
        lines(tmp_path / run / f"samples_{task}_2025-01-02T03-04-05.6.jsonl", row(0, right), row(1, 1.0))
        for run, right in (("a", 1.0), ("b", 0.0))
        for task in ("x", "y")
    ]
    found = evidence(files)
    assert (found.runs, found.questions) == (("a", "b"), ("x/0", "x/1", "y/0", "y/1"))
    assert_array_equal(found.columns["correct"], [[1, 1, 1, 1], [0, 1, 0, 1]])
    assert list(found.strata["task"]) == ["x", "x", "y", "y"]


def test_a_task_twice_in_a_folder_is_two_runs(tmp_path: Path) -> None:
    files = [lines(tmp_path / "m" / f"samples_x_2025-01-0{day}T03-04-05.jsonl", row(0, 1.0)) for day in (1, 2)]
    here = f"{tmp_path.name}/m"
    assert evidence(files).runs == (f"m ({here} 2025-01-01T03-04-05)", f"m ({here} 2025-01-02T03-04-05)")


def test_runs_of_one_model_are_told_apart_and_files_of_another_name_are_runs(tmp_path: Path) -> None:
    files = [lines(tmp_path / run / NAME, row(0, 1.0)) for run in ("a", "b")]
    files += [results(path.parent / "results_x.json", n=1) for path in files]
    assert evidence(files).runs == (f"org/model ({tmp_path.name}/a)", f"org/model ({tmp_path.name}/b)")
    assert evidence([lines(tmp_path / f"{run}.jsonl", row(0, 1.0)) for run in ("one", "two")]).runs == ("one", "two")


def test_documents_that_share_a_number_and_no_more_are_pointed_out(tmp_path: Path) -> None:
    files = [lines(tmp_path / run / NAME, row(0, 1.0, doc_hash=f"of {run}"), row(1, 1.0)) for run in ("a", "b")]
    (note,) = in_words(read(files).notes)
    assert note.startswith("runs 'a' and 'b': 1 documents have the same doc_id but different doc_hashes")


def test_json_lines_and_a_list_in_a_json_file(tmp_path: Path) -> None:
    path = lines(tmp_path / "a" / NAME.replace(".jsonl", ".json"), row(0, 1.0), row(1, 0.0))
    listed = tmp_path / "b" / path.name
    listed.parent.mkdir()
    listed.write_text(json.dumps([row(0, 1.0), row(1, 0.0)]))
    found = evidence([path, listed])
    assert_array_equal(found.columns["correct"], [[1, 0], [1, 0]])


def test_a_list_in_a_file_of_lines(tmp_path: Path) -> None:
    """Version 0.4.0 wrote `<model_args>_<task>.jsonl` with json.dumps(samples, indent=2)."""
    path = tmp_path / "pretrained__llama_sums.jsonl"
    for indent in (2, None):
        path.write_text(json.dumps([row(0, 1.0), row(1, 0.0)], indent=indent))
        found = evidence(path)
        assert found.runs == ("pretrained__llama_sums",)
        assert_array_equal(found.columns["correct"], [[1, 0]])
    path.write_text(json.dumps([row(0, 1.0)], indent=2)[:-1])
    assert_refused(path, "line 1", "not a JSON object")
    path.write_text("[1, 2]")
    assert_refused(path, "line 1", "each line must be a JSON object")
    path.write_text(json.dumps([{"id": "a", "question": "?", "answers": ["b"]}]))
    assert_refused(path, None, "this is one JSON document")


def test_a_results_file_that_holds_the_samples_itself(tmp_path: Path) -> None:
    """What `simple_evaluate` returns, written out: `samples` by task beside `results`."""
    path = results(tmp_path / "all.json", figure=0.5)
    held = json.loads(path.read_text())
    held["samples"] = {"sums": [row(0, 1.0), row(1, 0.0, "none found")], "more": [row(0, 1.0)], "none": []}
    path.write_text(json.dumps(held))
    found, notes = evidence_and_notes(path)
    assert (found.runs, found.questions) == (("org/model",), ("sums/0", "sums/1", "more/0"))
    assert_array_equal(found.columns["correct"], [[1, 0, 1]])
    assert_array_equal(found.columns["unanswered"], [[0, 1, 0]])  # the task's own fallback
    assert not any("its own" in note for note in notes)
    other = tmp_path / "other.json"
    other.write_text(json.dumps({**held, "model_name": None, "samples": {"sums": held["samples"]["sums"]}}))
    assert evidence([path, other], missing="unanswered").runs == ("org/model", "other")
    beside = lines(tmp_path / NAME, row(0, 1.0), row(1, 0.0))
    found, notes = evidence_and_notes([path, beside])
    assert found.questions == ("sums/0", "sums/1", "more/0")
    assert "all.json: its samples of sums are left out, because a file beside it has them" in notes
    held["samples"] = {"sums": [row(0, 1.0), 3]}
    path.write_text(json.dumps(held))
    assert_refused(path, "samples of sums, item 2", "each item must be an object (found 3)")
    held["samples"] = {"sums": {"0": row(0, 1.0)}}
    path.write_text(json.dumps(held))
    assert_refused(path, None, "samples must be a list for each task")
    held["samples"] = {}
    path.write_text(json.dumps(held))
    assert_refused(path, None, "holds figures of whole tasks and no answers")


def test_a_task_of_twelve_metrics_asks_which_is_meant(tmp_path: Path) -> None:
    """truthfulqa_gen: those that are right or wrong are offered, and the others can be asked for."""
    graded = {f"{name}_{what}": value for name in ("bleu", "rouge1") for what, value in (("max", 25.5), ("diff", -3.5))}
    graded |= {"bleu_acc": 1, "rouge1_acc": 0}
    rows = [row(i, 0.0, metrics=[*graded], **graded) for i in range(2)]
    path = lines(tmp_path / NAME, *({k: v for k, v in each.items() if k != "exact_match"} for each in rows))
    message = "metrics here are bleu_acc, rouge1_acc; name one with --choose metric=NAME"
    assert str(refusal(path, UsageError, format_in="lm_eval")) == message
    found = evidence(path, format_in="lm_eval", choose={"metric": "bleu_acc"})
    assert_array_equal(found.columns["correct"], [[1, 1]])
    measured = read(path, format_in="lm_eval", choose={"metric": "bleu_max"})
    assert measured.measures == ("mean(bleu_max)",)


RULES: dict[str, tuple[Any, str]] = {
    "an id of another kind": (row(1, 1.0, doc_id=None), "doc_id must be a text or a whole number"),
    "an id that is true": (row(1, 1.0, doc_id=True), "doc_id must be a text or a whole number (found True)"),
    "the same document": (row(0, 1.0), "question 'sums/0' appears twice for run 'm'"),
    "a filter of another kind": (row(1, 1.0, filter=3), "filter must be a text (found 3)"),
    "responses of another kind": (row(1, 1.0, filtered_resps="4"), "filtered_resps must be a list (found '4')"),
    "no responses": ({"doc_id": 1, "doc": {}}, "filtered_resps must be a list"),
    "half a line": ('{"doc_id": 1, "doc"', "the object does not end on its line"),
    "no object": ("[]", "each line must be a JSON object"),
}


@pytest.mark.parametrize("twin", RULES)
def test_a_broken_row(twin: str, tmp_path: Path) -> None:
    bad, rule = RULES[twin]
    assert_refused(lines(tmp_path / "m" / NAME, row(0, 1.0), bad), "line 2", rule)


# COUNTS.txt beside the logs: correct, incorrect, and how many rows of the filter hold [invalid] (silence here, wrong
# there).
REAL = {
    "asdiv_llama3_loglik50": ("", 46, 4, 0),
    "gsm8k_gemma3_trimmed3of100": ("", 1, 2, 0),
    "gsm8k_phi3_10docs": ("strict-match", 1, 9, 9),
    "gsm8k_phi3_10docs ": ("flexible-extract", 8, 2, 0),
    "mmlu_pro_plus_gemma3_trimmed3of100": ("", 3, 6, 1),
    "negotiationtom_qwen3_mc20": ("", 9 + 4, 11 + 16, 0),
}


def test_tasks_with_metrics_and_filters_of_their_own_are_chosen_from_together(tmp_path: Path) -> None:
    """A file of simple_evaluate with samples of several tasks, which share neither metrics nor filters."""
    scores = {"sums": {"exact_match": 1.0}, "choice": {"acc": 0.0, "acc_norm": 1.0}, "spans": {"em": 1.0, "exact": 0.0}}
    samples = {
        task: [row(i, 0.0, exact_match=None, filter="none", metrics=[*held]) | held for i in range(2)]
        for task, held in scores.items()
    }
    samples["sums"] += [one | {"filter": "strict", "exact_match": 0.0} for one in samples["sums"]]
    held = {"results": {task: {} for task in samples}, "configs": {}, "versions": {}, "samples": samples}
    path = tmp_path / "results.json"
    path.write_text(json.dumps(held))
    choose = {"filter": "strict,none", "metric": "acc"}
    also = "metrics here are em, exact; --choose metric=acc,em takes one of them where it is"
    assert also in str(refusal(path, UsageError, choose=choose)).replace(
        "choose={'metric': 'acc,em'}", "--choose metric=acc,em"
    )
    data = evidence(path, choose=choose | {"metric": "acc,em"})
    assert dict(zip(data.questions, map(int, data.columns["correct"][0]), strict=True)) == {
        **{f"sums/{i}": 0 for i in range(2)},
        **{f"choice/{i}": 0 for i in range(2)},
        **{f"spans/{i}": 1 for i in range(2)},
    }


@pytest.mark.skipif(not LOGS.is_dir(), reason="the real logs are not here")
@pytest.mark.parametrize("folder", REAL)
def test_a_real_log_gives_the_tools_counts_once_silence_is_folded(folder: str) -> None:
    filter_, right, wrong, invalid = REAL[folder]
    choose = {"filter": filter_} if filter_ else {}
    found = evidence(sorted((LOGS / folder.strip()).glob("samples*")), choose=choose)
    totals = {name: int(column.sum()) for name, column in found.columns.items() if column.dtype.kind == "i"}
    assert (totals["correct"], totals["incorrect"] + totals["unanswered"]) == (right, wrong)
    assert totals["unanswered"] == invalid


@pytest.mark.skipif(not LOGS.is_dir(), reason="the real logs are not here")
def test_the_real_results_files_agree_with_what_was_read() -> None:
    for folder in ("asdiv_llama3_loglik50", "negotiationtom_qwen3_mc20"):
        _, notes = evidence_and_notes([*(LOGS / folder).glob("samples*"), *(LOGS / folder).glob("results*")])
        assert not any("its own" in note for note in notes), notes
    cut = LOGS / "gsm8k_gemma3_trimmed3of100"
    assert any(
        "3 of the 100 answers" in note and "is 0.75 over" in note for note in in_words(read([*cut.iterdir()]).notes)
    )


@pytest.mark.skipif(not LOGS.is_dir(), reason="the real logs are not here")
def test_in_a_real_log_the_most_likely_option_is_the_one_that_was_graded() -> None:
    path = next((LOGS / "negotiationtom_qwen3_mc20").glob("samples_negotiationtom_belief*"))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for each in rows:
        logs = [float(log) for log, _ in each["filtered_resps"]]
        assert (int(np.argmax(logs)) == int(each["target"])) == (each["acc"] == 1.0)
    sure = evidence(path).columns["confidence"][0]
    logs = [float(log) for log, _ in rows[0]["filtered_resps"]]
    assert_allclose(sure[0], np.exp(max(logs)) / np.exp(logs).sum(), rtol=1e-9)


@pytest.mark.skipif(not LOGS.is_dir(), reason="the real logs are not here")
def test_a_real_log_of_errors_is_no_log_of_outcomes() -> None:
    found = read(next((LOGS / "polymer_tg_mae_infinity").glob("samples*")))
    assert found.measures == ("mean(mae)",)
    assert any("17 of 24 values of mae are infinite" in note for note in in_words(found.notes))


SAMPLE = [
    choice(0, 1.0, -0.5, -1.5),
    choice(1, 0.0, -2.5, -1.5),
    row(2, 0.0, "[invalid]", filter="none", metrics=["acc"], acc=0.0),
]
told = st.fixed_dictionaries(
    {
        "ungraded": st.sampled_from(["error", "exclude", "bounds"]),
        "choose": st.sampled_from([{}, {"filter": "none"}, {"threshold": "0.5"}, {"metric": "acc"}]),
        "declined_pattern": st.sampled_from([(), ("no.*",)]),
    }
)


@pytest.mark.fuzz("lm_eval")
@given(data=st.data(), options=told)
def test_damage(data: st.DataObject, options: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    text = "".join(json.dumps(each) + "\n" for each in SAMPLE)
    held = {"results": {"sums": {}}, "configs": {}, "versions": {}, "samples": {"sums": SAMPLE}}
    files = data.draw(
        st.sampled_from([{NAME: text}, {"a.jsonl": json.dumps(SAMPLE, indent=2)}, {"all.json": json.dumps(held)}])
    )
    assert_damage_is_met(data, tmp_path_factory.getbasetemp(), files, **options)


@given(data=st.data(), options=told)
def test_other_content(data: st.DataObject, options: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.getbasetemp()
    rows = data.draw(rewritten(SAMPLE))
    each = map(json.dumps, rows if isinstance(rows, list) else [rows])
    assert_met([lines(folder / NAME, *each)], **options)
    sound = json.loads(results(folder / "results_x.json", figure=0.5).read_text())
    (folder / "results_x.json").write_text(json.dumps(data.draw(rewritten(sound))))
    assert_met([lines(folder / NAME, row(0, 1.0), row(1, 0.0)), folder / "results_x.json"], **options)
