"""Run folders of HELM: the join, splits, trials and perturbations, blocked requests, and probabilities that are
none."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import nescio
from nescio.data.evidence import Evidence
from nescio.errors import MismatchError, UsageError
from tests.rings import together
from tests.notes import in_words

from .encodings import evidence, read, refusal
from .fuzz import assert_damage_is_met, assert_met, evidence_and_notes, write_files
from .structures import rewritten

LOGS = Path(__file__).parents[2].parent / "shared" / "data" / "logs" / "helm"
NAME = "mmlu_subject=law,method=multiple_choice_joint,model=org_model"
Case = tuple[dict[str, Any], list[dict[str, Any]]]
BLUR = {"name": "typos", "robustness": True, "computed_on": "perturbed"}


def case(id_: str, right: float | None, said: str = "B", split: str = "test", **more: Any) -> Case:
    """A request and its stats; `more`: trial, perturbation, result, logprob, metrics, gold."""
    metrics = {"exact_match": right} | more.get("metrics", {})
    name: dict[str, Any] = {"split": split}
    key: dict[str, Any] = {"train_trial_index": more.get("trial", 0)}
    instance: dict[str, Any] = {"id": id_, "split": split, "input": {"text": "Which?"}}
    if "perturbation" in more:
        instance["perturbation"] = key["perturbation"] = name["perturbation"] = more["perturbation"]
    gold = {"output": {"text": more.get("gold", "two")}, "tags": ["correct"]}
    instance["references"] = [{"output": {"text": "one"}, "tags": []}, gold]
    completion = {"text": said, "logprob": more.get("logprob", 0.0), "tokens": []}
    result = {"success": True, "completions": [completion]} | more.get("result", {})
    state = {
        "instance": instance,
        "output_mapping": {"A": "one", "B": "two", "C": "cannot be determined"},
        "result": result,
    }
    # The tool writes what it records of a request apart from its scores, in an entry of its own.
    records: dict[str, Any] = {"num_output_tokens": 1.0, "max_prob": 1.0, "logprob": 0.0, "training_co2_cost": None}
    entries = [
        {
            "instance_id": id_,
            **key,
            "stats": [{"name": {"name": each, **name}, "count": 1, "mean": mean} for each, mean in of],
        }
        for of in (list(metrics.items()), list(records.items()))
    ]
    return state | {"train_trial_index": more.get("trial", 0)}, entries


def documents(*cases: Case, method: str = "multiple_choice_joint") -> dict[str, Any]:
    adapter = {"method": method, "model": "org/model"}
    states, entries = [state for state, _ in cases], [entry for _, entries in cases for entry in entries]
    return {
        "scenario_state.json": {"adapter_spec": adapter, "request_states": states},
        "per_instance_stats.json": entries,
    }


def folder(path: Path, *cases: Case, method: str = "multiple_choice_joint", **more: Any) -> list[Path]:
    """A run folder with its two files, and those in `more`."""
    held = documents(*cases, method=method) | {f"{name}.json": document for name, document in more.items()}
    return write_files(path, {name: json.dumps(document) for name, document in held.items()})


def columns(found: Evidence, *names: str) -> dict[str, list[int]]:
    return {name: list(map(int, found.columns[name][0])) for name in names or ("correct", "incorrect", "unanswered")}


def test_right_wrong_empty_and_blocked(tmp_path: Path) -> None:
    blocked = {"success": False, "error": "Content blocked: Prompt blocked with reason: 4"}
    failed = {"success": False, "error": "503 Server Error"}
    cases = [
        case("id1", 1.0),
        case("id2", 0.0, "A"),
        case("id3", 0.0, " \n"),
        case("id4", 0.0, "", result=blocked),
        case("id5", 0.0, "", result={"completions": [{"text": "", "finish_reason": {"reason": "content_filter"}}]}),
        case("id6", 0.0, "", result=failed),
        case("id7", None),
    ]
    paths = folder(tmp_path / NAME, *cases)
    assert "2 such answers in all" in str(refusal(paths, MismatchError))
    found, notes = evidence_and_notes(paths, ungraded="exclude")
    assert (found.runs, found.questions) == (("org_model",), tuple(f"id{i}" for i in range(1, 8)))
    assert columns(found) == {
        "correct": [1, 0, 0, 0, 0, 0, 0],
        "incorrect": [0, 1, 0, 0, 0, 0, 0],
        "unanswered": [0, 0, 1, 1, 1, 0, 0],
    }
    assert list(found.present[0]) == [True] * 5 + [False] * 2
    assert {name: values[0] for name, values in found.strata.items()} == {
        "scenario": "mmlu",
        "subject": "law",
        "method": "multiple_choice_joint",
    }
    assert notes[0] == "run 'org_model': 2 blocked, 1 empty, 1 errored, 1 without a score (of 7)"


# What HELM's clients write of a request that failed (openai_client.py, anthropic_client.py, vertexai_client.py,
# google_genai_client.py, palmyra_client.py), and errors that they hand through.
FAILURES = {
    "Content blocked: Prompt blocked with reason: 4": "blocked",
    "Content blocked: No candidates in response: {}": "blocked",
    "Content blocked error in cached response: {}": "blocked",
    "Content blocked by OpenAI filter": "blocked",
    "Content blocked by Azure's content management filter": "blocked",
    "Output blocked by content filtering policy": "blocked",
    "Response was empty due to content moderation filter": "blocked",
    "OpenAI error: Error code: 400 - "
    "{'message': \"The response was filtered due to the prompt triggering Azure OpenAI's content "
    "management policy\", 'code': 'content_filter'}": "blocked",
    "OpenAI error: Your input image may contain content that is not allowed by our safety system": "blocked",
    "OpenAI error: Invalid prompt: your prompt was flagged": "blocked",
    "Received refusal from OpenAI API: I cannot help with that": "refused",
    "Anthropic response has empty content": "empty",
    "BlockingIOError: [Errno 11] Resource temporarily unavailable": "errored",
    "Rate limit exceeded; see https://docs/rate-limit-policy": "errored",
    "RateLimitError: 429": "errored",
    "ConnectionRefusedError: [Errno 111] Connection refused": "errored",
    "RuntimeError: filter function failed": "errored",
    "SafetensorError: invalid header": "errored",
    "None": "errored",
}
# Why a completion that is empty ended: the providers' words, and those that the client for OpenAI puts there.
ENDED = {
    "content_filter": "blocked",
    "guardrail_intervened": "blocked",
    "SAFETY": "blocked",
    "FinishReason.PROHIBITED_CONTENT": "blocked",
    "The prompt violates OpenAI's content policy. See https://labs.openai.com/policies/content-policy": "blocked",
    "refusal": "refused",
    "stop": "empty",
    "length": "empty",
    "unknown": "empty",
    "The server had an error processing your request. Sorry about that! You can retry your request": "errored",
}


@together("error", FAILURES)
def test_only_what_was_withheld_is_silence(error: str, tmp_path: Path) -> None:
    failed = case("id1", 0.0, "", result={"success": False, "error": error, "completions": []})
    _, notes = evidence_and_notes(folder(tmp_path, failed, case("id2", 1.0)), ungraded="exclude")
    assert notes[0] == f"run 'org/model': 1 {FAILURES[error]} (of 2)"


@pytest.mark.parametrize("reason", ENDED)
def test_why_an_empty_completion_ended(reason: str, tmp_path: Path) -> None:
    ended = case("id1", 0.0, "", result={"completions": [{"text": "", "finish_reason": {"reason": reason}}]})
    _, notes = evidence_and_notes(folder(tmp_path, ended, case("id2", 1.0)), ungraded="exclude")
    assert notes[0] == f"run 'org/model': 1 {ENDED[reason]} (of 2)"


def test_silence_that_was_graded_right_is_silence_and_said_to_be(tmp_path: Path) -> None:
    blocked = {"success": False, "error": "Content blocked"}
    found, notes = evidence_and_notes(
        folder(tmp_path, case("id1", 1.0, "", result=blocked), case("id2", 1.0), method="generation")
    )
    assert columns(found, "unanswered", "correct") == {"unanswered": [1, 0], "correct": [0, 1]}
    assert_array_equal(found.columns["user.score"], [[1, 1]])
    assert notes == ("run 'org/model': 1 blocked (graded right) (of 2)",)


def test_the_test_split_is_read_and_what_is_left_out_is_counted(tmp_path: Path) -> None:
    cases = [case("id1", 1.0), case("id2", 0.0, "A", "valid"), case("id3", 0.0, "A", "valid")]
    paths = folder(tmp_path / NAME, *cases)
    found, notes = evidence_and_notes(paths)
    assert (found.questions, notes) == (("id1",), (f"{NAME}: 1 of split 'test'; left out 2 of split 'valid'",))
    assert evidence(paths, choose={"split": "valid"}).questions == ("id2", "id3")
    assert "split=train: splits here are test, valid" in str(refusal(paths, UsageError, choose={"split": "train"}))
    assert evidence(folder(tmp_path / "other", *cases[1:])).questions == ("id2", "id3")
    several = folder(tmp_path / "third", case("id1", 1.0, split="train"), case("id2", 1.0, split="valid"))
    assert "splits here are train, valid; name one" in str(refusal(several, UsageError))


def test_perturbed_instances_are_not_the_instances(tmp_path: Path) -> None:
    cases = [
        case("id1", 1.0),
        case("id1", 0.0, "A", perturbation=BLUR),
        case("id2", 1.0),
        case("id2", 1.0, perturbation=BLUR),
    ]
    paths = folder(tmp_path / NAME, *cases)
    found, notes = evidence_and_notes(paths)
    assert columns(found)["correct"] == [1, 1]
    assert notes == (f"{NAME}: 2 of perturbation 'none'; left out 2 of perturbation 'typos'",)
    assert columns(evidence(paths, choose={"perturbation": "typos"}))["correct"] == [0, 1]


def test_trials_are_repeats_of_their_instance(tmp_path: Path) -> None:
    cases = [case(id_, 1.0, trial=trial) for id_ in ("id1", "id2") for trial in (0, 1)]
    found = evidence(folder(tmp_path / NAME, *cases))
    assert found.questions == ("id1", "id1", "id2", "id2")
    assert found.clusters is not None
    assert (found.size, list(found.clusters)) == (2, [0, 0, 1, 1])
    assert list(found.strata["repeat"]) == ["0", "1", "0", "1"]


def test_the_metric_is_exact_match_or_the_one_asked_for(tmp_path: Path) -> None:
    more: dict[str, Any] = {"metrics": {"quasi_exact_match": 1.0, "exact_match@5": 1.0}}
    paths = folder(tmp_path / NAME, case("id1", 0.0, "b", **more), case("id2", 1.0, **more))
    found, notes = evidence_and_notes(paths)
    assert columns(found)["correct"] == [0, 1]
    assert notes[0] == f"{NAME}: scored by exact_match; other metrics give different values: quasi_exact_match 1"
    assert columns(evidence(paths, choose={"metric": "quasi_exact_match"}))["correct"] == [1, 1]
    assert_array_equal(evidence(paths, graded=("exact_match@5",)).columns["user.exact_match@5"], [[1, 1]])
    known = "exact_match, exact_match@5, logprob, max_prob, num_output_tokens, quasi_exact_match"
    assert f"metrics here are {known}" in str(refusal(paths, UsageError, choose={"metric": "f1"}))


def test_other_scores(tmp_path: Path) -> None:
    def of(id_: str, **metrics: float) -> Case:
        state, entries = case(id_, None, metrics=metrics)
        entries[0]["stats"] = [stat for stat in entries[0]["stats"] if stat["name"]["name"] != "exact_match"]
        return state, entries

    judged = folder(tmp_path / "a", of("id1", x_score=0.5, x_gpt_score=0.0, x_claude_score=1.0), method="generation")
    found, notes = evidence_and_notes(judged)
    assert_array_equal(found.columns["user.score"], [[0.5]])
    assert notes[:2] == (
        "a: scored by x_score; other metrics give different values: x_gpt_score 0, x_claude_score 1",
        "1 of 1 scores of a: x_score lie between 0 and 1: counted as incorrect; "
        "--choose threshold=0.5 moves the line, mean(score) averages the scores",
    )
    assert columns(evidence(judged, choose={"threshold": "0.5"}))["correct"] == [1]
    two = folder(tmp_path / "b", of("id1", f1=0.5, bleu=0.25), method="generation")
    assert "metrics here are f1, bleu; name one" in str(refusal(two, UsageError))
    ten = folder(tmp_path / "c", of("id1", grade=7.0), of("id2", grade=8.0), method="generation")
    assert [(each.measure, each.value) for each in nescio.score(ten, ci=None)] == [("mean(grade)", 7.5)]
    none = folder(tmp_path / "d", of("id1"), method="generation")
    error = refusal(none)
    assert (error.path, error.rule) == (str(none[1]), "there is no score in it, only records of requests")


def test_the_probability_of_the_completion_is_the_confidence_where_there_is_one(tmp_path: Path) -> None:
    none = folder(tmp_path / "a", case("id1", 1.0), case("id2", 0.0, "A"))
    assert "confidence" not in evidence(none).columns
    some = folder(tmp_path / "b", case("id1", 1.0, logprob=math.log(0.75)), case("id2", 0.0, "", logprob=0.0))
    assert_allclose(evidence(some).columns["confidence"], [[0.75, math.nan]], rtol=1e-12)


def test_a_number_that_is_no_log_probability_is_no_confidence(tmp_path: Path) -> None:
    found = evidence(folder(tmp_path, case("id1", 1.0, logprob=0.5), case("id2", 1.0, logprob=-1.0)))
    assert_allclose(found.columns["confidence"], [[math.nan, math.exp(-1)]])


def test_the_scores_of_a_sub_split_are_not_taken_twice(tmp_path: Path) -> None:
    state, entries = case("id1", 1.0)
    entries[0]["stats"] += [{"name": {"name": "exact_match", "split": "test", "sub_split": "hard"}, "mean": 0.0}]
    assert columns(evidence(folder(tmp_path, (state, entries))))["correct"] == [1]


def test_an_answer_that_names_no_option_is_wrong_and_counted(tmp_path: Path) -> None:
    said = "Here are the answers"
    cases = [case("id1", 0.0, said), case("id2", 0.0, said), case("id3", 0.0, ""), case("id4", 1.0)]
    paths = folder(tmp_path / NAME, *cases)
    found, notes = evidence_and_notes(paths)
    assert columns(found) == {"correct": [0, 0, 0, 1], "incorrect": [1, 1, 0, 0], "unanswered": [0, 0, 1, 0]}
    many = "2 of 4 answers name no option and are counted as the tool graded them (as 'Here are the answers')"
    assert notes[0] == f"{NAME}: {many}; --declined-pattern can count some as unanswered"
    assert columns(evidence(paths, declined_pattern=("here are.*",)))["unanswered"] == [1, 1, 1, 0]
    assert not any(
        "option" in note for note in in_words(read(folder(tmp_path / "x", *cases, method="generation")).notes)
    )


def test_an_option_that_means_i_do_not_know(tmp_path: Path) -> None:
    declared = "cannot be determined"
    cases = [case("id1", 0.0, "C"), case("id2", 1.0, "C", gold=declared), case("id3", 0.0, "A", gold=declared)]
    paths = folder(tmp_path / NAME, *cases)
    assert columns(evidence(paths))["correct"] == [0, 1, 0]
    found, notes = evidence_and_notes(paths, declined_pattern=(declared,))
    assert columns(found) == {"correct": [0, 1, 0], "incorrect": [0, 0, 1], "unanswered": [1, 0, 0]}
    assert columns(found, "answered")["answered"] == [0, 0, 1]
    assert "2 of 3 questions have no answer: abstaining is correct there, and answering is incorrect" in notes


def test_one_request_an_option_has_no_text_of_its_own(tmp_path: Path) -> None:
    one, entries = case("id1", 1.0, "", logprob=-2.0)
    other, _ = case("id1", 1.0, "", logprob=-3.0)
    found = evidence(folder(tmp_path, (one, entries), (other, []), method="multiple_choice_separate_original"))
    assert (columns(found)["correct"], "confidence" in found.columns) == ([1], False)


def test_folders_are_runs_by_their_model_and_scenarios_are_strata(tmp_path: Path) -> None:
    names = [f"mmlu_subject={subject},model={model}" for model in ("a", "b") for subject in ("law", "art")]
    paths = [path for name in names for path in folder(tmp_path / name, case("id1", float(name.endswith("a"))))]
    found = evidence(paths)
    assert (found.runs, found.questions) == (("a", "b"), ("mmlu,subject=law/id1", "mmlu,subject=art/id1"))
    assert_array_equal(found.columns["correct"], [[1, 1], [0, 0]])
    assert list(found.strata["subject"]) == ["law", "art"]
    again = [path for place in ("x", "y") for path in folder(tmp_path / place / names[0], case("id1", 1.0))]
    assert evidence(again).runs == (f"a (x/{names[0]})", f"a (y/{names[0]})")


def test_the_run_specification_names_the_run_and_the_stats_its_figure(tmp_path: Path) -> None:
    spec = {
        "name": "wmt_14:language_pair=cs-en,model=org_m",
        "scenario_spec": {},
        "adapter_spec": {},
        "metric_specs": [],
    }
    split = {"name": "exact_match", "split": "test"}
    stats = [{"name": split | {"perturbation": {"name": "robustness"}}, "count": 1, "sum": 0.0, "mean": 0.0}]
    stats += [{"name": split, "count": 1, "sum": 0.5, "mean": 0.5}]
    found, notes = evidence_and_notes(
        folder(tmp_path / "a", case("id1", 1.0), case("id2", 0.0, "A"), run_spec=spec, stats=stats)
    )
    assert (found.runs, found.strata["language_pair"][0], notes) == (("org_m",), "cs-en", ())
    stats[1]["mean"] = 0.25
    _, notes = evidence_and_notes(
        folder(tmp_path / "a", case("id1", 1.0), case("id2", 0.0, "A"), run_spec=spec, stats=stats)
    )
    assert notes == ("a: its own exact_match is 0.25, but the answers in it give 0.5",)


def test_files_that_are_not_together(tmp_path: Path) -> None:
    state, stats = folder(tmp_path, case("id1", 1.0))
    for given_, lacking in ((state, "per_instance_stats.json"), (stats, "scenario_state.json")):
        message = str(refusal(given_, MismatchError))
        assert message.startswith(
            f"{given_}: the answers of a run are in scenario_state.json and per_instance_stats.json"
        )
        assert f"give {lacking} of its folder too" in message
    other = folder(tmp_path / "other", case("id2", 1.0))
    (tmp_path / "more.json").write_bytes(other[1].read_bytes())
    assert "another per_instance_stats.json of the same folder" in str(
        refusal([state, stats, tmp_path / "more.json"], MismatchError)
    )
    assert "has no instance 'id2', trial 0" in str(refusal([state, tmp_path / "more.json"], MismatchError))


def test_what_else_stands_in_a_run_folder_is_left_out_and_said_to_be(tmp_path: Path) -> None:
    """As the tool writes them (runner.py, run_display.py), so that `folder/*.json` will do."""
    more: dict[str, Any] = {
        "scenario": {"name": "mmlu", "description": "Questions", "tags": ["knowledge"], "definition_path": "x"},
        "instances": [{"input": {"text": "?"}, "references": [], "split": "test", "id": "id1"}],
        "display_predictions": [
            {"instance_id": "id1", "train_trial_index": 0, "predicted_text": "B", "stats": {"exact_match": 1.0}}
        ],
        "display_requests": [{"instance_id": "id1", "train_trial_index": 0, "request": {"model": "m"}}],
    }
    paths = folder(tmp_path, case("id1", 1.0), **more)
    found, notes = evidence_and_notes(paths)
    assert columns(found)["correct"] == [1]
    left = "scenario.json, instances.json, display_predictions.json, display_requests.json"
    assert notes == (f"left out, because they hold no answers: {left}",)
    for path in paths[2:]:
        message = str(refusal([path], MismatchError))
        assert message == (
            f"{path}: the answers of a run are in scenario_state.json and per_instance_stats.json together; "
            "give scenario_state.json and per_instance_stats.json of its folder too"
        )


def change(document: Any, where: tuple[Any, ...], value: Any) -> Any:
    """The document with one part replaced."""
    at = document
    for key in where[:-1]:
        at = at[key]
    at[where[-1]] = value
    return document


STATE, STATS = "scenario_state.json", "per_instance_stats.json"
RULES: dict[str, tuple[str, tuple[Any, ...], Any, str | None, str]] = {
    "states of another kind": (STATE, ("request_states",), {}, None, "request_states must be a list"),
    "no states": (STATE, ("request_states",), [], None, "there are no request states in it"),
    "no instance": (
        STATE,
        ("request_states", 1, "instance"),
        None,
        "request state 2",
        "a request state must have an instance",
    ),
    "no id": (
        STATE,
        ("request_states", 1, "instance", "id"),
        7,
        "request state 2",
        "the id of an instance must be a text (found 7)",
    ),
    "a trial below 0": (
        STATE,
        ("request_states", 1, "train_trial_index"),
        -1,
        "request state 2",
        "train_trial_index must be",
    ),
    "a perturbation": (
        STATE,
        ("request_states", 1, "instance", "perturbation"),
        1,
        "request state 2",
        "an object with a name",
    ),
    "no entry": (STATS, (2,), None, "item 3", "each item must be an object"),
    "stats of another kind": (STATS, (2, "stats"), {}, "item 3", "stats must be a list (found {})"),
    "a stat without a name": (
        STATS,
        (2, "stats", 0),
        {"mean": 1.0},
        "item 3",
        "a stat must have a name with a name in it",
    ),
    "two values": (
        STATS,
        (1, "stats", 0, "name"),
        {"name": "exact_match"},
        "item 2",
        "'exact_match' appears twice",
    ),
}


@pytest.mark.parametrize("twin", RULES)
def test_a_broken_file(twin: str, tmp_path: Path) -> None:
    name, at, value, where, rule = RULES[twin]
    held = documents(case("id1", 0.0, "A"), case("id2", 1.0))
    held[name] = change(held[name], at, value)
    paths = write_files(tmp_path, {each: json.dumps(document) for each, document in held.items()})
    error = refusal(paths)
    assert (error.path, error.where) == (str(tmp_path / name), where)
    assert rule in str(error)


# COUNTS.txt beside the logs: the tool's own figure on the split, and the outcomes of that split.
REAL = {
    "commonsense-dataset=hellaswag,method=multiple_choice_joint,model=eleutherai_pythia-1b-v0": (10, 3, 0, 0.3),
    "mmlu_subject=high_school_computer_science,method=multiple_choice_joint,model=huggingface_Meta-Llama-3-8B": (
        18,
        13,
        1,
        13 / 18,
    ),
    "mmlu_subject=professional_medicine,method=multiple_choice_joint,model=groq_llama3-8b-8192": (18, 3, 0, 3 / 18),
}


@pytest.mark.skipif(not LOGS.is_dir(), reason="the real logs are not here")
@pytest.mark.parametrize("name", REAL)
def test_a_real_folder_gives_the_tools_figure_once_silence_is_folded(name: str) -> None:
    total, right, empty, figure = REAL[name]
    paths = [*(LOGS / name).iterdir()]
    found, notes = evidence_and_notes(paths)
    assert columns(found)["unanswered"].count(1) == empty  # one completion is a lone space
    assert (len(found.questions), sum(columns(found)["correct"])) == (total, right)
    assert_allclose(nescio.score(paths, "accuracy", ci=None).value(found.runs[0], "accuracy"), figure)
    assert not any("its own" in note for note in notes)
    assert "confidence" not in found.columns


@pytest.mark.skipif(not LOGS.is_dir(), reason="the real logs are not here")
def test_a_real_folder_with_graded_scores_and_a_blocked_request() -> None:
    paths = [*(LOGS / "xstest_model=google_gemini-1.5-pro-001").iterdir()]
    found, notes = evidence_and_notes(paths)
    # 84 of 100 have a score of 1, of which one is the blocked request; 13 lie between 0 and 1.
    assert {name: sum(values) for name, values in columns(found).items()} == {
        "correct": 83,
        "incorrect": 16,
        "unanswered": 1,
    }
    assert round(nescio.score(paths, "mean(score)", ci=None).value(found.runs[0], "mean(score)"), 9) == 0.91
    assert any(note.startswith("13 of 100 scores") for note in notes)
    assert any("1 blocked (graded right) (of 100)" in note for note in notes)


SAMPLE = documents(
    case("id1", 1.0, logprob=-0.5), case("id2", 0.5, ""), case("id3", 0.0, "x", trial=1, perturbation=BLUR)
)
told = st.fixed_dictionaries(
    {
        "ungraded": st.sampled_from(["error", "exclude", "bounds"]),
        "missing": st.sampled_from(["error", "unanswered"]),
        "choose": st.sampled_from([{}, {"split": "test"}, {"perturbation": "typos"}, {"metric": "exact_match"}]),
        "declined_pattern": st.sampled_from([(), (".",)]),
    }
)


@pytest.mark.fuzz("helm")
@given(data=st.data(), options=told)
def test_damage(data: st.DataObject, options: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    texts = {name: json.dumps(document) for name, document in SAMPLE.items()}
    assert_damage_is_met(data, tmp_path_factory.getbasetemp(), texts, **options)


@given(data=st.data(), options=told)
def test_other_content(data: st.DataObject, options: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    victim = data.draw(st.sampled_from(sorted(SAMPLE)))
    held = SAMPLE | {victim: data.draw(rewritten(SAMPLE[victim]))}
    texts = {name: json.dumps(document) for name, document in held.items()}
    assert_met(write_files(tmp_path_factory.getbasetemp(), texts), **options)
