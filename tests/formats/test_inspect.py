"""Logs of Inspect: scores of every kind, repeats, refusals and failures, logs that were cut off, and archives in two
packings."""

from __future__ import annotations

import json
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import nescio
from nescio.data.evidence import Evidence
from nescio.errors import MismatchError, UsageError
from tests.notes import in_words
from tests.sources.test_documents import zstandard_archive

from .encodings import assert_refused, evidence, read, refusal
from .fuzz import assert_damage_is_met, assert_met, evidence_and_notes
from .structures import rewritten

IN_PYTHON = True  # messages are quoted as Python has them

LOGS = Path(__file__).parents[2].parent / "shared" / "data" / "logs" / "inspect"


def scored(value: Any, name: Any = 1, epoch: int = 1, answer: str = "four", **more: Any) -> dict[str, Any]:
    """A sample with one score; `more` goes into the score."""
    said = {"choices": [{"message": {"content": answer}, "stop_reason": "stop"}], "completion": answer}
    held = {"id": name, "epoch": epoch, "input": "2 + 2?", "target": "4", "metadata": {"topic": "sums"}, "output": said}
    return held | {"scores": {"match": {"value": value, "answer": answer, "explanation": "…"} | more}}


def header(task: str = "sums", model: str = "org/model", status: str = "success", **more: Any) -> dict[str, Any]:
    return {
        "version": 2,
        "status": status,
        "eval": {"task": task, "model": model, "config": {"epochs": 1}},
        "plan": {},
    } | more


def counted(total: int, accuracy: float) -> dict[str, Any]:
    """The results of a log: how many samples there are, and its own figure."""
    metrics = {"accuracy": {"name": "accuracy", "value": accuracy}}
    return {"total_samples": total, "scores": [{"name": "match", "scorer": "match", "metrics": metrics}]}


def document(path: Path, *samples: Any, **more: Any) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(header(**more) | {"samples": samples}))
    return path


def archive(path: Path, *samples: Any, head: Any = None, name: str = "header.json") -> Path:
    """A log as an archive; samples of one id and epoch share a name in it."""
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        warnings.simplefilter("ignore")  # of names that stand twice
        packed.writestr(name, json.dumps(header() if head is None else head))
        for sample in samples:
            packed.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
    return path


def columns(found: Evidence, *names: str) -> dict[str, list[int]]:
    return {name: list(map(int, found.columns[name][0])) for name in names or ("correct", "incorrect", "unanswered")}


def test_what_a_value_means(tmp_path: Path) -> None:
    right, wrong, silent = (
        ["C", "CORRECT", 1, 1.0, True, "yes", "1.0"],
        ["I", "INCORRECT", 0, False, "no"],
        ["N", "NOT_ATTEMPTED"],
    )
    values = [*right, *wrong, *silent]
    found, notes = evidence_and_notes(
        document(tmp_path / "log.json", *(scored(value, i) for i, value in enumerate(values, 1)))
    )
    assert (found.runs, found.questions) == (("org/model",), tuple(str(i) for i in range(1, len(values) + 1)))
    assert columns(found) == {
        "correct": [1] * 7 + [0] * 7,
        "incorrect": [0] * 7 + [1] * 5 + [0] * 2,
        "unanswered": [0] * 12 + [1] * 2,
    }
    assert list(found.strata["topic"]) == ["sums"] * 14
    assert found.clusters is None
    assert notes == ("run 'org/model': 2 without an answer (of 14)",)


def test_what_is_not_graded_is_none_of_the_three(tmp_path: Path) -> None:
    failed = scored("I", 4, reason="grader_failed")
    stopped = {name: value for name, value in scored("C", 5).items() if name != "scores"} | {
        "error": {"message": "429"}
    }
    path = document(tmp_path / "log.json", scored("C", 1), scored(float("nan"), 2), scored(None, 3), failed, stopped)
    assert "4 such answers in all" in str(refusal(path, MismatchError))
    found, notes = evidence_and_notes(path, ungraded="exclude")
    assert list(found.present[0]) == [True, False, False, False, False]
    assert notes[0] == "run 'org/model': 2 without a score, 1 with a grader that failed, 1 errored (of 5)"


@pytest.mark.parametrize(
    "failure",
    [
        {"reason": "grader_failed"},
        {"reason": "scoring_failed"},
        {"metadata": {"unscored_reason": "grade_parse_failure"}},
        {"metadata": {"reason": "grader_schema_mismatch"}},
        {"explanation": "Grade not found in model output: I think GRID: C"},  # what was written until May 2026
    ],
    ids=str,
)
def test_a_judge_that_failed_makes_no_answer_wrong(failure: dict[str, Any], tmp_path: Path) -> None:
    """Nor is the log's own figure, which counts it as wrong, said to be another than the answers give."""
    samples = [scored("C", 1), scored("I", 2), scored("I", 3, **failure), scored("I", 4)]
    path = document(tmp_path / "log.json", *samples, results=counted(4, 0.25))
    found, notes = evidence_and_notes(path, ungraded="exclude")
    assert list(found.present[0]) == [True, True, False, True]
    assert columns(found)["incorrect"][1] == 1
    assert notes[0] == "run 'org/model': 1 with a grader that failed (of 4)"
    assert not any("its own" in note for note in notes)


@pytest.mark.parametrize(
    ("value", "more"),
    [
        ("C", {}),  # two other judges said so
        ("I", {"metadata": {"individual_scores": []}}),
        ("I", {"history": [{"value": "I", "provenance": {"author": "a person"}}]}),
        ("I", {"reason": "refusal"}),
    ],
)
def test_a_judge_without_a_grade_may_have_been_outvoted(value: str, more: dict[str, Any], tmp_path: Path) -> None:
    sample = scored(value, explanation="Grade not found in model output: ?", **more)
    assert evidence(document(tmp_path / "log.json", sample)).present.all()


def test_a_sample_that_stopped_and_was_scored_counts(tmp_path: Path) -> None:
    path = document(tmp_path / "log.json", scored("I") | {"error": {"message": "timeout"}})
    assert columns(evidence(path))["incorrect"] == [1]


@pytest.mark.parametrize(
    ("reason", "why"),
    [
        ("refusal", "refused"),
        ("no_response", "empty"),
        ("invalid_response_format", "without an answer in the requested form"),
    ],
)
def test_reasons_keep_silence_apart_from_wrong_answers(reason: str, why: str, tmp_path: Path) -> None:
    named = [
        scored("I", 1, reason=reason),
        scored("I", 2, metadata={"reason": reason}),
        scored(float("nan"), 3, reason=reason),
    ]
    found, notes = evidence_and_notes(document(tmp_path / "log.json", *named, scored("I", 4, reason="another")))
    assert columns(found)["unanswered"] == [1, 1, 1, 0]
    assert notes == (f"run 'org/model': 3 {why} (of 4)",)


def test_what_the_provider_says_of_an_answer_that_is_wrong(tmp_path: Path) -> None:
    def silent_sample(name: int, value: str = "I", **first: Any) -> dict[str, Any]:
        given = {"message": {"content": ""}, "stop_reason": "stop"} | first
        return scored(value, name, answer="") | {"output": {"choices": [given]}}

    samples = [
        silent_sample(1),
        silent_sample(2, stop_reason="content_filter"),
        silent_sample(3, message={"content": [{"type": "text", "text": "I cannot", "refusal": True}]}),
        silent_sample(4, "C"),  # an agent that acts may be right without a word
        silent_sample(5, message={"content": "", "tool_calls": [{"function": "submit"}]}),
        silent_sample(6) | {"sandbox": {"type": "docker"}},
        silent_sample(7, message={"content": [{"type": "text", "text": "five"}]}),
        scored("I", 8, answer="") | {"output": {"choices": []}},
    ]
    found, notes = evidence_and_notes(document(tmp_path / "log.json", *samples))
    assert columns(found, "unanswered")["unanswered"] == [1, 1, 1, 0, 0, 0, 0, 0]
    assert columns(found, "correct")["correct"] == [0, 0, 0, 1, 0, 0, 0, 0]
    assert notes == ("run 'org/model': 1 empty, 1 blocked, 1 refused (of 8)",)


def test_words_that_mean_i_do_not_know(tmp_path: Path) -> None:
    samples = [scored("I", 1, answer="Unknown."), scored("C", 2, answer="unknown"), scored("C", 3, answer="N/A")]
    options = {"choices": ["4", "unknown"], "target": "B"}
    path = document(tmp_path / "log.json", *samples, scored("C", 4, answer="unknown") | options)
    found, notes = evidence_and_notes(path, declined_pattern=(r"unknown\.?",))
    assert columns(found) == {"correct": [0, 0, 1, 1], "incorrect": [0] * 4, "unanswered": [1, 1, 0, 0]}
    assert columns(found, "answered")["answered"] == [0, 0, 1, 0]
    assert any("2 declined in words, 1 declined in words (graded right)" in note for note in notes)


def test_partial_credit(tmp_path: Path) -> None:
    path = document(tmp_path / "log.json", scored("C", 1), scored("P", 2), scored(0.25, 3), scored("I", 4))
    found, notes = evidence_and_notes(path)
    assert columns(found)["correct"] == [1, 0, 0, 0]
    assert_array_equal(found.columns["user.score"], [[1, 0.5, 0.25, 0]])
    assert notes[0].startswith("2 of 4 scores of log.json: match lie between 0 and 1: counted as incorrect;")
    assert columns(evidence(path, choose={"threshold": "0.5"}))["correct"] == [1, 1, 0, 0]


def test_scores_that_are_no_outcomes(tmp_path: Path) -> None:
    path = document(tmp_path / "log.json", scored(7, 1), scored(9, 2))
    assert [(each.measure, each.value) for each in nescio.score(path, ci=None)] == [("mean(score)", 8.0)]
    assert columns(evidence(path, choose={"threshold": "8"}))["correct"] == [0, 1]


def test_labels_are_no_outcomes_until_they_are_told_to_be(tmp_path: Path) -> None:
    path = document(tmp_path / "log.json", scored("left", 1), scored("left", 2), scored("both", 3), scored(0.5, 4))
    assert_refused(
        path, "sample 1", "'match' are labels, not outcomes: 'left' 2×, 'both' 1×; --outcome-map left=correct says"
    )
    told = {"left": "incorrect", "both": "unanswered", "0.5": "correct"}
    found = evidence(path, outcome_map=told)
    assert columns(found) == {"correct": [0, 0, 0, 1], "incorrect": [1, 1, 0, 0], "unanswered": [0, 0, 1, 0]}
    assert_refused(path, "sample 3", "'both' 1×", outcome_map={"left": "incorrect"})


def test_of_several_scorers_one_is_chosen(tmp_path: Path) -> None:
    both = scored("C")
    both["scores"]["judge"] = {"value": "N"}
    path = document(tmp_path / "log.json", both)
    assert str(refusal(path, UsageError)) == "scorers here are match, judge; name one with --choose scorer=NAME"
    assert columns(evidence(path, choose={"scorer": "judge"}))["unanswered"] == [1]
    assert "scorer=x: scorers here are judge, match" in str(refusal(path, UsageError, choose={"scorer": "x"}))


@pytest.mark.parametrize(
    ("values", "names"), [([{"a": 1, "b": 0}, {"a": 0}], ("a", "b")), ([[1, 0], [0]], ("1", "2"))], ids=["dict", "list"]
)
def test_of_scores_with_parts_one_is_chosen(values: list[Any], names: tuple[str, str], tmp_path: Path) -> None:
    path = document(tmp_path / "log.json", *(scored(value, i) for i, value in enumerate(values, 1)))
    assert f"keys here are {', '.join(names)}" in str(refusal(path, UsageError))
    assert columns(evidence(path, choose={"key": names[0]}))["correct"] == [1, 0]
    found = evidence(path, choose={"key": names[1]}, ungraded="exclude")
    assert (columns(found)["incorrect"][0], list(found.present[0])) == (1, [True, False])


def test_logs_with_different_numbers_of_epochs(tmp_path: Path) -> None:
    """Questions that one log asked again are not questions that the other lacks, nor silence of it: each counts as the
    mean of its own answers."""
    four = [scored("C" if epoch == 2 else "I", name, epoch) for name in ("a", "b") for epoch in (1, 2, 3, 4)]
    one, other = (
        document(tmp_path / "one.json", *four),
        document(tmp_path / "other.json", scored("C", "a"), scored("C", "b"), model="m"),
    )
    found, notes = evidence_and_notes([one, other])
    assert (found.size, len(found.questions)) == (2, 8)
    assert "questions were asked 1 to 4 times: each question counts once, and its answers share its weight" in notes
    assert not any("lack" in note or "fewer" in note for note in notes)
    assert [nescio.score([one, other], "accuracy").value(run, "accuracy") for run in found.runs] == [0.25, 1.0]
    found, notes = evidence_and_notes([one, other], choose={"epochs": "1"})
    assert_array_equal(found.columns["correct"], [[0, 0], [1, 1]])
    assert (found.questions, found.clusters) == (("a", "b"), None)
    assert "6 samples of later epochs than 1 left out" in notes
    refusal([one, other], UsageError, choose={"epochs": "all"})
    third = document(tmp_path / "third.json", scored("C", "c"), task="other task", model="m")
    assert evidence([one, third], missing="unanswered").size == 3


def test_epochs_are_repeats_of_their_question(tmp_path: Path) -> None:
    samples = [scored("C", name, epoch) for name in ("a", "b") for epoch in (1, 2)]
    found = evidence(archive(tmp_path / "log.eval", *samples))
    assert found.questions == ("a", "a", "b", "b")
    assert found.clusters is not None
    assert (found.size, list(found.clusters)) == (2, [0, 0, 1, 1])
    assert list(found.strata["repeat"]) == ["1", "2", "1", "2"]


def test_samples_of_one_name_are_repeats_where_the_log_counts_them_all(tmp_path: Path) -> None:
    samples = [scored("C", 1), scored("I", 1), scored("C", 2), scored("I", 1, 2)]
    counts_all = archive(tmp_path / "a.eval", *samples, head=header(results=counted(4, 0.5)))
    found, notes = evidence_and_notes(counts_all)
    assert found.repeats is not None
    asked = list(zip(found.questions, found.repeats.label, strict=True))
    assert asked == [("1", "1"), ("1", "3"), ("2", "1"), ("1", "2")]
    assert (columns(found)["correct"], "read as repeats" in notes[0]) == ([1, 0, 1, 0], True)
    retried = archive(tmp_path / "b.eval", *samples, head=header(results=counted(3, 0.5)))
    found, notes = evidence_and_notes(retried)
    assert list(zip(found.questions, columns(found)["correct"], strict=True)) == [("1", 0), ("2", 1), ("1", 0)]
    assert notes == (
        "b.eval: 1 sample appears twice with the same id and epoch; the last one counts",
        "questions were asked 1 to 2 times: each question counts once, and its answers share its weight",
        "run 'org/model': 1 of 2 questions has fewer than 2 answers",
    )


def test_logs_of_one_model_are_one_run_and_of_one_task_two(tmp_path: Path) -> None:
    one, other = (document(tmp_path / f"{task}.json", scored("C"), task=task) for task in ("x", "y"))
    third = document(tmp_path / "z.json", scored("I"), task="x", model="org/other")
    found = evidence([one, third])
    assert (found.runs, found.questions) == (("org/model", "org/other"), ("1",))
    found = evidence([one, other])
    assert (found.runs, found.questions, list(found.strata["task"])) == (("org/model",), ("x/1", "y/1"), ["x", "y"])
    again = document(tmp_path / "again.json", scored("I"), task="x")
    names = tuple(f"org/model ({tmp_path.name}/{name}.json)" for name in ("x", "again"))
    assert evidence([one, again]).runs == names


def test_a_log_that_was_cut_off_is_read_and_said_to_be(tmp_path: Path) -> None:
    ended = header(status="cancelled") | {"eval": {"task": "t", "model": "m", "dataset": {"sample_ids": [1, 2, 3]}}}
    _, notes = evidence_and_notes(archive(tmp_path / "a.eval", scored("C"), head=ended))
    assert notes == ("a.eval: its status is cancelled; 1 of 3 samples are in it",)
    _, notes = evidence_and_notes(archive(tmp_path / "b.eval", scored("C"), head=header(results=counted(80, 0.7))))
    assert notes == ("b.eval holds 1 of the 80 answers that its own figures cover (accuracy is 0.7 over all of them)",)
    started = {name: value for name, value in header().items() if name != "status"}
    _, notes = evidence_and_notes(archive(tmp_path / "c.eval", scored("C"), head=started, name="_journal/start.json"))
    assert notes == ("c.eval: its status is unknown; 1 sample is in it",)


def test_a_figure_that_the_samples_do_not_give_is_pointed_out(tmp_path: Path) -> None:
    _, notes = evidence_and_notes(document(tmp_path / "log.json", scored("C"), results=counted(1, 0.25)))
    assert notes == ("log.json: its own accuracy is 0.25, but the answers in it give 1",)


# Three questions of five repeats: C C C I I, I I I I P, C I I I I.
REPEATS = ["CCCII", "IIIIP", "CIIII"]
FIGURES = {
    "": (3 / 5 + 0.5 / 5 + 1 / 5) / 3,
    "mean": (3 / 5 + 0.5 / 5 + 1 / 5) / 3,
    "mode": 1 / 3,
    "max": 2.5 / 3,
    "median": 1 / 3,
}
# Without the P: how many of five are right is 3, 0 and 1.
FIGURES_OF_K = {
    "at_least_2": 1 / 3,
    "at_least_1": 2 / 3,
    "pass_at_1": (3 / 5 + 1 / 5) / 3,
    "pass_at_2": ((1 - 1 / 10) + 0 + (1 - 6 / 10)) / 3,  # none right among 2 of 5: 1 of 10, 10 of 10 and 6 of 10 draws
    "pass_k_2": (3 / 10 + 0 + 0) / 3,
}


def repeated(path: Path, values: list[str], reducer: str, figure: float) -> Path:
    results = counted(sum(map(len, values)), figure)
    results["scores"][0] |= {"reducer": reducer} if reducer else {}
    samples = [scored(value, i, j) for i, row in enumerate(values, 1) for j, value in enumerate(row, 1)]
    return document(path, *samples, results=results)


@pytest.mark.parametrize("reducer", [*FIGURES, *FIGURES_OF_K])
def test_the_figure_is_held_against_the_repeats_as_the_log_reduced_them(reducer: str, tmp_path: Path) -> None:
    figure = FIGURES.get(reducer, FIGURES_OF_K.get(reducer))
    assert figure is not None
    values = REPEATS if reducer in FIGURES else [row.replace("P", "I") for row in REPEATS]
    assert not any(
        "its own" in note for note in in_words(read(repeated(tmp_path / "log.json", values, reducer, figure)).notes)
    )
    notes = in_words(read(repeated(tmp_path / "log.json", values, reducer, figure - 0.01)).notes)
    what = f"accuracy ({reducer} of the repeats)" if reducer not in ("", "mean") else "accuracy"
    assert f"log.json: its own {what} is {figure - 0.01:g}, but the answers in it give {figure:g}" in notes


def test_a_figure_is_not_doubted_where_what_reduced_the_repeats_does_not_tell(tmp_path: Path) -> None:
    for values, reducer in (
        (REPEATS, "top_3"),  # of another package
        (REPEATS, "at_least"),  # of how many?
        (REPEATS, "at_least_2"),  # from what score on?
        (["CI", "C"], "pass_at_2"),  # of two draws from one
        (["CI", "II"], "mode"),  # of a tie: 0 or a half
    ):
        assert not any(
            "its own" in note for note in in_words(read(repeated(tmp_path / "x.json", values, reducer, 0.25)).notes)
        )
    notes = in_words(read(repeated(tmp_path / "x.json", ["CI", "II"], "mode", 0.75)).notes)
    assert "x.json: its own accuracy (mode of the repeats) is 0.75, but the answers in it give 0.5" in notes


def test_the_mode_of_the_repeats_is_that_of_the_values_and_not_of_their_scores(tmp_path: Path) -> None:
    """Two of five say C, three are worth nothing, and no other value stands twice."""
    path = repeated(tmp_path / "log.json", ["CCIN0"], "mode", 1.0)
    assert not any("its own" in note for note in in_words(read(path).notes))


def test_the_figure_is_that_of_the_part_that_was_chosen(tmp_path: Path) -> None:
    figures = [
        {"name": name, "scorer": "match", "metrics": {"mean": {"value": value}}}
        for name, value in (("a", 1), ("b", 0.25))
    ]
    held = {"total_samples": 1, "scores": figures}
    path = document(tmp_path / "log.json", scored({"a": 1, "b": 0}), results=held)
    assert in_words(read(path, choose={"key": "a"}).notes) == ()
    assert in_words(read(path, choose={"key": "b"}).notes) == (
        "log.json: its own mean is 0.25, but the answers in it give 0",
    )


def test_a_log_without_samples(tmp_path: Path) -> None:
    rule = "this holds the header of a log and none of its 1000 samples, so no answers; its own figures: match accuracy 0.431"
    for path in (
        document(tmp_path / "log.json", results=counted(1000, 0.431)),
        archive(tmp_path / "log.eval", head=header(results=counted(1000, 0.431))),
    ):
        assert_refused(path, None, rule)
    started = archive(tmp_path / "started.eval", name="_journal/start.json")
    assert_refused(started, None, "this log was started but not finished: it has no samples")


def test_an_early_archive(tmp_path: Path) -> None:
    path = archive(tmp_path / "log.eval", scored("C"), head={"eval": {"task": "t", "model": "m"}}, name="start.json")
    with zipfile.ZipFile(path, "a") as packed:
        packed.writestr("results.json", json.dumps({"status": "success", "results": counted(1, 1.0)}))
    found, notes = evidence_and_notes(path)
    assert (found.runs, columns(found)["correct"], notes) == (("m",), [1], ())
    unnamed = {name: value for name, value in scored("C").items() if name != "scores"} | {"score": {"value": "I"}}
    assert columns(evidence(document(tmp_path / "log.json", unnamed)))["incorrect"] == [1]


def test_an_archive_packed_by_zstandard(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    zstandard_archive(path, json.dumps(scored("C")).encode(), name="samples/1_epoch_1.json")
    with zipfile.ZipFile(path, "a") as packed:
        packed.writestr("header.json", json.dumps(header()))
    assert columns(evidence(path))["correct"] == [1]


def test_a_log_without_grades_can_be_judged_here(tmp_path: Path) -> None:
    def bare(name: int, answer: str, **more: Any) -> dict[str, Any]:
        return {key: value for key, value in scored("C", name, answer=answer).items() if key != "scores"} | more

    path = document(
        tmp_path / "log.json", bare(1, "4"), bare(2, "five"), bare(3, ""), bare(4, "", error={"message": "x"})
    )
    notes = in_words(read(path, ungraded="exclude").notes)
    assert 'log.json: no sample has a score; choose={"scorer": "none"} judges the answers here' in notes
    loaded = read(path, choose={"scorer": "none"}, judge="exact", missing="common")
    assert isinstance(loaded.data, Evidence)
    assert columns(loaded.data) == {"correct": [1, 0, 0], "incorrect": [0, 1, 0], "unanswered": [0, 0, 1]}


RULES: dict[str, tuple[Any, str]] = {
    "no object": (3, "a sample must be an object (found 3)"),
    "no id": (scored("C", None), "id must be a text or a whole number"),
    "an epoch of 0": (scored("C", 2, 0), "epoch must be a whole number from 1 (found 0)"),
    "scores of another kind": (scored("C", 2) | {"scores": ["C"]}, "scores must be an object (found ['C'])"),
    "a score of another kind": (scored("C", 2) | {"scores": {"match": "C"}}, "the score of 'match' must be an object"),
}


@pytest.mark.parametrize("twin", RULES)
def test_a_broken_sample(twin: str, tmp_path: Path) -> None:
    bad, rule = RULES[twin]
    assert_refused(document(tmp_path / "log.json", scored("C"), bad), "sample 2", rule)


def test_broken_archives(tmp_path: Path) -> None:
    path = archive(tmp_path / "log.eval", scored("C"))
    with zipfile.ZipFile(path, "a") as packed:
        packed.writestr("samples/2_epoch_1.json", '{"id": 2')
    assert_refused(path, "member samples/2_epoch_1.json", "not a JSON document")
    assert_refused(
        archive(tmp_path / "list.eval", head=[]), "member header.json", "this must be a JSON object (found [])"
    )
    (tmp_path / "half.eval").write_bytes(path.read_bytes()[:-30])
    assert_refused(tmp_path / "half.eval", None, "not a readable ZIP archive")
    loose = tmp_path / "loose.json"
    loose.write_text(json.dumps(header() | {"samples": {}}))
    assert_refused(loose, None, "samples must be a list (found {})")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as packed:
        packed.writestr("a.json", "{}")
    assert_refused(tmp_path / "other.zip", None, "not in any format that nescio knows")


# COUNTS.txt beside the logs: what its scorer gave, and the tool's own accuracy or mean over what it graded.
REAL = {
    "2025-05-12T20-28-13-04-00_popularity.json": ((2, 1, 0), 0.6667),
    "2025-09-15T15-04-34-04-00_popularity_CuCFPdqnwXupUkxp69nJ2a.eval": ((30, 20, 0), 0.6),
    "2025-09-23T08-09-58-04-00_popularity_DN2wbX2ZvACsBpjwptzBRo.eval": ((63, 37, 0), 0.63),
    "2025-09-23T08-09-58-04-00_security-guide_LuxZJVwvymC3S3SyoJczxB.eval": ((11, 5, 0), 0.6875),
    "2025-10-10T16-30-25-05-00-grab-bag-NcWMb2amyykXed7AAMHFpD.eval": ((2, 5, 0), 0.2857),
    "2025-10-14T16-24-35-00-00_grab-bag_openrouter-openai-gpt-oss-120b_9d7b5ce643b58cf08d84.eval": ((12, 2, 0), 0.8571),
    "2025-10-22T16-33-55-05-00_extract-fema-incidents_Rst8kgx5FhMV8QjB38MqXe.eval": ((0, 1, 1), 0.0),
    "data_arc_qwen.json": ((1, 2, 0), 0.3333),
    "log_streaming.eval": ((3, 1, 0), 0.75),
    "2025-02-11T15-17-00-05-00_popularity_dPiJifoWeEQBrfWsAopzWr.eval": ((0, 0, 10), None),
    "2025-10-10T16-11-50-05-00-grab-bag-fB2nHCoLJYDpJbJ44yNQpw.eval": ((0, 0, 1), None),
    "2026-07-08T21-13-25-00-00_political-bias_dTw6rMr9KvfH5R8vKoMdQh.eval": ((0, 0, 26), None),
    "data_cvebench_empty_choices.json": ((0, 0, 1), None),
}


@pytest.mark.skipif(not LOGS.is_dir(), reason="the real logs are not here")
@pytest.mark.parametrize("name", REAL)
def test_a_real_log_gives_the_tools_counts_and_figure(name: str) -> None:
    (right, wrong, ungraded), accuracy = REAL[name]
    found = evidence(LOGS / name, ungraded="exclude")
    totals = [int(found.columns[each][found.present].sum()) for each in ("correct", "incorrect", "unanswered")]
    assert (totals, int((~found.present).sum())) == ([right, wrong, 0], ungraded)
    if accuracy is not None:
        assert round(nescio.score(found, "accuracy", ci=None).value(found.runs[0], "accuracy"), 4) == accuracy


@pytest.mark.skipif(not LOGS.is_dir(), reason="the real logs are not here")
def test_real_logs_that_hold_no_outcomes_say_why() -> None:
    for name, rule in {
        "2025-10-14T15-42-59-05-00_article-tracking-categories_9sEXT2VSiBpAdRxp9FyZmJ.eval": "started but not finished",
        "data_with_llm_scoring.json": "none of its 1000 samples, so no answers; its own figures: "
        "simpleqa_scorer accuracy 0.431",
        "2026-06-18T15-29-02+00-00_political-bias_68LHTP6ciAmphyGcVs5ySE.eval": "'left' 24×, 'both' 4×, 'right' 2×",
        "2026-07-08T21-14-45-00-00_political-bias_SLVe6emzRhVyfYVwPCCDV8.eval": "'both' 22×, 'left' 8×",
    }.items():
        assert rule in str(refusal(LOGS / name))


@pytest.mark.skipif(not LOGS.is_dir(), reason="the real logs are not here")
def test_the_epochs_of_a_real_log_are_repeats() -> None:
    found = evidence(LOGS / "2025-09-15T15-04-34-04-00_popularity_CuCFPdqnwXupUkxp69nJ2a.eval")
    assert found.clusters is not None
    assert (found.size, len(found.questions), sorted(np.bincount(found.clusters))) == (10, 50, [5] * 10)


SAMPLE = [scored("C"), scored("N", 2), scored(0.5, 3, epoch=2), scored(float("nan"), 4), scored({"a": 1, "b": 0}, 5)]
told = st.fixed_dictionaries(
    {
        "ungraded": st.sampled_from(["error", "exclude", "bounds"]),
        "missing": st.sampled_from(["error", "unanswered"]),
        "choose": st.sampled_from([{"key": "a"}, {"key": "a", "scorer": "none"}, {"key": "a", "threshold": "0.5"}, {}]),
        "declined_pattern": st.sampled_from([(), ("fo.*",)]),
    }
)


@pytest.mark.fuzz("inspect")
@given(data=st.data(), options=told)
def test_damage(data: st.DataObject, options: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.getbasetemp()
    sound = archive(folder / "sound.eval", *SAMPLE).read_bytes()
    assert_damage_is_met(data, folder, {"log.eval": sound}, **options)


@given(data=st.data(), options=told)
def test_other_content(data: st.DataObject, options: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    sound = header(results=counted(5, 0.5)) | {"samples": SAMPLE}
    path = tmp_path_factory.getbasetemp() / "log.json"
    path.write_text(json.dumps(data.draw(rewritten(sound))))
    assert_met([path], **options)
