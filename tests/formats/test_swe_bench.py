"""SWE-bench reports: empty patches are silence, errors are not graded, what was not submitted is missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.errors import MismatchError

from .encodings import assert_refused, evidence, refusal
from .excerpts import place_of
from .fuzz import assert_met, evidence_and_notes, write_files
from .structures import rewritten

LAMP = place_of("swe_bench") / "lamp-2b.of-may.json"
OPTIONS: dict[str, Any] = {"ungraded": "exclude", "missing": "unanswered"}


def report(**lists: list[str]) -> str:
    counts = {"submitted_instances": 100, "total_instances": 500, "resolved_instances": len(lists["resolved_ids"])}
    return json.dumps({**counts, **lists})


def names(first: int, last: int) -> list[str]:
    return [f"astropy__astropy-{i}" for i in range(first, last)]


def test_a_report_as_its_tool_counts_it(tmp_path: Path) -> None:
    """As the logs' README tells of one: 9 resolved of 100 submitted and 500 in all, 58 empty patches, 400
    incomplete."""
    text = report(
        resolved_ids=names(0, 9),
        empty_patch_ids=names(9, 67),
        unresolved_ids=names(67, 100),
        submitted_ids=names(0, 100),
        incomplete_ids=names(100, 500),
    )
    path = write_files(tmp_path, {"m.run.json": text})[0]
    data, notes = evidence_and_notes(path, missing="unanswered")
    counts = [int(data.columns[name].sum()) for name in ("correct", "incorrect", "unanswered")]
    assert counts == [9, 33, 58 + 400]
    words = "run 'm.run': 58 patches are empty, and 400 instances were not submitted; the tool's shares of resolved"
    assert any(note.startswith(words) and note.endswith("9/100 (submitted), 9/500 (total)") for note in notes)
    assert "--missing" in str(refusal(path, MismatchError)) or "missing" in str(refusal(path, MismatchError))


def test_an_empty_patch_is_no_unresolved_one(tmp_path: Path) -> None:
    text = report(resolved_ids=["a__b-1"], unresolved_ids=["a__b-2", "a__b-3"], empty_patch_ids=["a__b-3"])
    data = evidence(write_files(tmp_path, {"m.json": text})[0])
    assert [int(data.columns[name].sum()) for name in ("correct", "incorrect", "unanswered")] == [1, 1, 1]


def test_what_failed_for_the_machine_is_not_graded(tmp_path: Path) -> None:
    """The tool leaves such instances among the unresolved ones and the errors (SWE-bench 5)."""
    text = report(
        resolved_ids=["a__b-1"],
        unresolved_ids=["a__b-2", "a__b-3", "a__b-4"],
        error_ids=["a__b-5"],
        infra_failure_ids=["a__b-3", "a__b-5"],
        ambiguous_failure_ids=["a__b-4"],
    )
    data, notes = evidence_and_notes(write_files(tmp_path, {"m.json": text})[0], ungraded="exclude")
    assert [int((data.columns[name] * data.present).sum()) for name in ("correct", "incorrect")] == [1, 2]
    assert (~data.present).sum() == 2
    assert any("2 failed by the machine (of 5)" in note for note in notes)
    assert any(
        "1 unresolved instance may have failed because of the machine and not the patch" in note for note in notes
    )


def test_the_reports_of_instances_and_the_older_lists(tmp_path: Path) -> None:
    base = {"patch_is_None": False, "patch_exists": True, "patch_successfully_applied": True}
    files = {
        f"run/lamp/{name}/report.json": json.dumps({name: base | more})
        for name, more in {
            "a__b-1": {"resolved": True},
            "a__b-2": {"resolved": False},
            "a__b-3": {"resolved": False, "patch_is_None": True, "patch_exists": False},
        }.items()
    }
    data = evidence(write_files(tmp_path, files))
    assert data.runs == ("lamp",)
    assert [int(data.columns[name].sum()) for name in ("correct", "incorrect", "unanswered")] == [1, 1, 1]
    old = {"resolved": ["a__b-1"], "generated": ["a__b-1", "a__b-2", "a__b-4"], "no_generation": ["a__b-3"]}
    old |= {"no_logs": ["a__b-4"], "applied": [], "with_logs": []}
    data = evidence(write_files(tmp_path, {"results.json": json.dumps(old)})[0], ungraded="exclude")
    assert [int(data.columns[name].sum()) for name in ("correct", "incorrect", "unanswered")] == [1, 1, 1]
    assert int((~data.present).sum()) == 1


def test_files_without_verdicts_are_named(tmp_path: Path) -> None:
    line = json.dumps({"instance_id": "a__b-1", "model_patch": "", "model_name_or_path": "lamp"}) + "\n"
    assert_refused(write_files(tmp_path, {"preds.jsonl": line})[0], None, "these are predictions, which do not say")
    counts = json.dumps({"submitted_instances": 10, "resolved_instances": 3})
    rule = "it holds counts (resolved instances 3, submitted instances 10) and no instances"
    assert_refused(write_files(tmp_path, {"counts.json": counts})[0], None, rule)
    counts = json.dumps({"total_instances": 10, "resolved_instances": 3, "schema_version": 2})
    rule = "it holds counts (resolved instances 3, total instances 10) and no instances"
    assert_refused(write_files(tmp_path, {"counts.json": counts})[0], None, rule)


def test_broken_lists(tmp_path: Path) -> None:
    path = write_files(tmp_path, {"m.json": report(resolved_ids=[3])})[0]  # type: ignore[list-item]
    assert_refused(path, None, "resolved_ids must be a list of names")
    document = json.loads(LAMP.read_text()) | {"resolved_instances": 4}
    _, notes = evidence_and_notes(write_files(tmp_path, {"n.json": json.dumps(document)})[0], **OPTIONS)
    assert "n.json: its own resolved_instances is 4, but the answers in it give 2" in notes


@pytest.mark.fuzz("swe_bench")
@given(st.data())
def test_damaged_reports_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    damaged = json.dumps(data.draw(rewritten(json.loads(LAMP.read_text()))))
    assert_met(write_files(tmp_path_factory.getbasetemp(), {"lamp.json": damaged}), **OPTIONS)
