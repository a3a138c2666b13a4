"""What no decision can rest on, as a log says of itself: that it holds an answer twice, or fewer answers than it has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nescio as package
from tests.cli.conftest import Command
from tests.cli.test_gate_grounds import GATE, N

Sample = dict[str, Any]


def sample(at: int, value: str, **more: Any) -> Sample:
    given = {"choices": [{"message": {"role": "assistant", "content": value}, "stop_reason": "stop"}]}
    scores = {"match": {"value": value, "answer": value}}
    return {"id": f"q{at}", "epoch": 1, "input": f"Q {at}", "target": "C", "output": given, "scores": scores, **more}


def half() -> list[Sample]:
    """200 samples, every second right."""
    return [sample(at, "IC"[at % 2]) for at in N]


def log(path: Path, samples: list[Sample], status: str = "success", total: int | None = 200, **config: Any) -> Path:
    about = {"task": "t", "model": path.stem, "dataset": {"samples": 200}, "config": {"epochs": 1, **config}}
    results = {} if total is None else {"results": {"total_samples": total}}
    path.write_text(json.dumps({"version": 2, "status": status, "eval": about, "samples": samples, **results}))
    return path


@pytest.mark.parametrize("differs", ["grade", "answer", "error", ""])
def test_a_later_sample_that_differs_is_a_choice(tmp_path: Path, nescio: Command, differs: str) -> None:
    """An earlier sample that stopped with an error is no answer, so the sample after it is no choice among answers."""
    again = [sample(at, "C") for at in N if at % 2 == 0]
    first = half()
    if differs == "answer":
        again = [one | {"output": {"completion": "another"}} for one in first[::2]]
    elif differs == "error":
        first = [one if at % 2 else one | {"scores": {}, "error": {"message": "x"}} for at, one in enumerate(first)]
    elif not differs:
        again = first[::2]
    old, new = log(tmp_path / "old.json", half()), log(tmp_path / "new.json", [*first, *again])
    says = "100 samples repeat an answer and are left out"
    if differs in ("grade", "answer"):
        more = f"{says}; for 100 questions the samples differ, so the choice of sample matters"
        nescio("compare", old, new, "-m", "accuracy", *GATE).assert_refused(more)
        nescio("score", new, "-m", "accuracy", "--fail-under", "accuracy=0").assert_refused(more)
        nescio("lab", "guard", new, "--at-most-wrong", "0.9").assert_refused(more)
    else:
        done = nescio("score", new, "-m", "accuracy", "--fail-under", "accuracy=0.2")
        assert done.status == 0
        assert says in done.flat


@pytest.mark.parametrize(
    ("status", "total", "says"),
    [
        ("cancelled", 200, "new.json: the file holds 100 of 200 answers; the status of the log is cancelled"),
        ("error", None, "new.json: the file holds 100 of 200 answers; the status of the log is error"),
        ("success", 200, "new.json: the file holds 100 of 200 answers"),
        ("success", 100, "new.json: the file holds 100 of 200 answers"),  # as the size of the dataset says
    ],
)
def test_a_log_of_its_right_answers_decides_nothing(
    tmp_path: Path, nescio: Command, status: str, total: int | None, says: str
) -> None:
    new = log(tmp_path / "new.json", half()[1::2], status, total)
    done = nescio("score", new, "-m", "accuracy", "--fail-under", "accuracy=0.6")
    assert done.status == 3
    assert says in done.flat
    assert "as new.json holds 100 of 200 answers, and the others may be wrong" in done.flat
    assert nescio("lab", "guard", new, "--at-most-wrong", "0.2").status == 3
    old = log(tmp_path / "old.json", half()[1::2])
    assert nescio("compare", old, new, "-m", "accuracy", *GATE).status == 3


def test_a_log_of_a_part_that_was_asked_for_is_whole(tmp_path: Path, nescio: Command) -> None:
    parts = [log(tmp_path / "a.json", half()[:100], total=100, limit=100)]
    parts.append(log(tmp_path / "b.json", half()[:100], "cancelled", 100, sample_id=["q1"]))
    for path in parts:
        done = nescio("score", path, "-m", "accuracy", "--fail-under", "accuracy=0.3")
        assert done.status == 0
        assert "the file holds" not in done.flat
    first = [one | {"epoch": epoch} for one in half() for epoch in (1, 2)]
    whole = log(tmp_path / "c.json", first, total=400, epochs=2)
    done = nescio("score", whole, "-m", "accuracy", "--fail-under", "accuracy=0.3", "--choose", "epochs=1")
    assert done.status == 0
    assert "the file holds" not in done.flat


def test_a_few_lost_answers_count_by_what_they_may_change(tmp_path: Path, nescio: Command) -> None:
    new = log(tmp_path / "new.json", half()[10:])
    for least, status in (("0.37", 0), ("0.41", 3)):  # The interval begins at 0.43, and 5% of the answers are lost.
        assert nescio("score", new, "-m", "accuracy", "--fail-under", f"accuracy={least}").status == status
    with_silence = ("--missing", "unanswered", *GATE, "--margin", "0.2")
    old = log(tmp_path / "old.json", half())
    assert nescio("compare", old, new, "-m", "accuracy", *with_silence).status == 0  # They count as unanswered once.


def test_a_threshold_is_not_promised_from_a_part_of_the_answers(tmp_path: Path) -> None:
    rows = [{"question_id": at, "is_correct": at % 10 < 9, "confidence": (at % 97) / 97} for at in N]
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"total": 400, "results": rows}))
    with pytest.raises(package.NescioError, match=r"the file holds 200 of 400 answers\. Give a file that holds all"):
        package.tune(path, max_risk=0.2, column={"outcome": "is_correct"})


def test_bench_reports_count_the_instances_that_they_lack(tmp_path: Path, nescio: Command) -> None:
    report = {"total_instances": 200, "submitted_instances": 200, "resolved_instances": 90, "unresolved_instances": 10}
    lists = {"resolved_ids": [f"a__b-{at}" for at in range(90)], "unresolved_ids": [f"a__c-{at}" for at in range(10)]}
    path = tmp_path / "m.run.json"
    path.write_text(json.dumps(report | lists | {"empty_patch_ids": [], "error_ids": [], "incomplete_ids": []}))
    call = ("score", path, "-m", "accuracy", "--fail-under", "accuracy=0.3")
    assert nescio(*call).status == 3
    assert nescio(*call, "--total", "200", "--rest", "incorrect").status == 0


def promptfoo(path: Path, rows: dict[str, range], share: int, *, counted: str = "", **variables: str) -> Path:
    """Write results of promptfoo that hold these rows of each provider, and state 200 of each in all; those that are
    `counted` also in the metrics of the prompt."""
    results = [
        {"testIdx": at, "promptIdx": prompt, "provider": {"id": provider}, "success": at % 10 < share}
        | {"vars": {"q": variables.get("q", "Q {}").format(at), "sessionId": f"{path.stem}-{at}", "_turns": path.stem}}
        | {"failureReason": int(at % 10 >= share), "score": float(at % 10 < share), "response": {"output": "x"}}
        for prompt, (provider, held) in enumerate(rows.items())
        for at in held
    ]
    right = 20 * share
    prompts = [
        {"metrics": {"testPassCount": right, "testFailCount": 200 - right}} if name in counted else {} for name in rows
    ]
    stats = {"successes": right * len(rows), "failures": (200 - right) * len(rows), "errors": 0}
    table = {"version": 3, "prompts": prompts, "stats": stats, "results": results}
    path.write_text(json.dumps({"evalId": "e", "results": table, "config": {}}))
    return path


@pytest.mark.parametrize(("q", "status"), [("Q {}", 0), ("R {}", 2)])
def test_a_variable_that_the_tool_sets_is_no_part_of_the_question(
    tmp_path: Path, nescio: Command, q: str, status: int
) -> None:
    paths = (
        promptfoo(tmp_path / "old.json", {"p": N}, 5),
        promptfoo(tmp_path / "new.json", {"p": N}, 9, q=q),
    )
    gate = ("--baseline", "old: p", "--run", "new: p", "--fail-on-regression")
    done = nescio("compare", *paths, "-m", "accuracy", *gate)
    assert done.status == status, done.flat


@pytest.mark.parametrize(
    ("counted", "also", "status", "says"),
    [
        ("pq", 0, 0, "new.json of p: the file holds 170 of 200 answers"),
        ("p", 0, 0, "new.json of p: the file holds 170 of 200 answers"),
        ("", 0, 0, "new.json: the file holds 370 of 400 answers"),
        # Questions that no run of the file has count as unanswered for none.
        (
            "pq",
            20,
            3,
            "gate cannot tell: accuracy of run 'q' may be below 0.6, as new.json of q holds 180 of 200 answers",
        ),
        ("", 20, 3, "gate cannot tell: accuracy of run 'q' may be below 0.6, as new.json holds 330 of 400 answers"),
    ],
)
def test_rows_that_one_prompt_lacks_are_lost_for_its_run_once(
    tmp_path: Path, nescio: Command, counted: str, also: int, status: int, says: str
) -> None:
    """`p` lacks 30 rows, which count as unanswered; `also` rows are lost for both prompts."""
    path = promptfoo(tmp_path / "new.json", {"p": N[30 + also :], "q": N[also:]}, 9, counted=counted)
    done = nescio("score", path, "-m", "accuracy", "--missing", "unanswered", "--fail-under", "accuracy=0.6")
    assert done.status == status, done.flat
    assert says in done.flat
    assert (f"{370 - 2 * also} of 400" in done.flat) is (counted != "pq")
