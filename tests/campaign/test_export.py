"""The checker on platforms: the bundle unpacked and run as Codabench runs it, the evaluator by its entry point as TIRA
does."""

from __future__ import annotations

import contextlib
import io
import json
import re
import runpy
import shlex
import sys
import zipfile
from datetime import datetime
from pathlib import Path

import pytest

import nescio
from nescio.people.campaigns.folder import contents, open_campaign

from . import made
from .test_check import DEFECTIVE, defective


def evaluated(command: list[str], output: Path) -> tuple[dict[str, int], str]:
    """Run the program that a platform would run, and read its figures."""
    before, path = [*sys.argv], [*sys.path]
    try:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            sys.argv[:] = command[1:]
            runpy.run_path(command[1], run_name="__main__")
    finally:
        sys.argv[:], sys.path[:] = before, path
    scores = json.loads((output / "scores.json").read_text())
    pairs = re.findall(r'measure {\n  key: "(\w+)"\n  value: "(\d+)"\n}', (output / "evaluation.prototext").read_text())
    assert {name: int(value) for name, value in pairs} == scores
    return scores, out.getvalue()


@pytest.mark.parametrize("task", made.MAKE)
def test_codabench_checks_a_submission_as_the_organisers_do(task: str, tmp_path: Path) -> None:
    """The layout that its workers mount: the program, input/ref and input/res under /app, and an output folder."""
    campaign = made.MAKE[task](tmp_path / "made", deadline="2026-06-30")
    nescio.campaign.export(campaign, tmp_path / "bundle.zip", codabench=True)
    app, bundle = tmp_path / "app", tmp_path / "bundle"
    with zipfile.ZipFile(tmp_path / "bundle.zip") as archive:
        archive.extractall(bundle)
    competition = json.loads((bundle / "competition.yaml").read_text())
    (phase,), (one,) = competition["phases"], competition["tasks"]
    assert datetime.fromisoformat(phase["start"]) < datetime.fromisoformat(phase["end"])
    assert (bundle / competition["image"]).read_bytes().startswith(b"\x89PNG")
    assert all((bundle / page["file"]).is_file() for page in competition["pages"])
    assert (bundle / competition["terms"]).is_file()
    (app / "input").mkdir(parents=True)
    (bundle / one["scoring_program"]).rename(app / "program")
    (bundle / one["reference_data"]).rename(app / "input" / "ref")
    run = made.sound(task, app / "input" / "res" / "mine")
    made.text(app / "input" / "res" / "metadata", "submitted by somebody")
    command = (app / "program" / "metadata.yaml").read_text().removeprefix("command: ").replace("/app/", f"{app}/")
    scores, said = evaluated(shlex.split(command), app / "output")
    assert {column["key"] for column in competition["leaderboards"][0]["columns"]} == {*scores}
    assert (scores["runs"], scores["faults"], scores["sound"]) == (1, 0, 1)
    assert scores["topics"] == open_campaign(campaign).topics().count
    assert "no faults" in said
    run.unlink()
    (app / "input" / "res" / "metadata").unlink()
    defective(task, app / "input" / "res")
    scores, said = evaluated(shlex.split(command), app / "output")
    assert scores["faults"] == len(nescio.campaign.check(campaign, [app / "input" / "res"]).rows) > 0
    page = (app / "output" / "detailed_results.html").read_text()
    assert all(rule in page for _, rule in DEFECTIVE[task]["faults"])


def test_whatever_is_submitted_has_figures_and_a_reason(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    nescio.campaign.export(campaign, tmp_path / "tira", tira=True)
    program, data = tmp_path / "tira" / "check_runs.py", tmp_path / "tira" / "reference_data"
    for what in ("nothing", "not a run", "a bomb of names"):
        runs, out = tmp_path / what / "runs", tmp_path / what / "out"
        runs.mkdir(parents=True)
        if what == "not a run":
            (runs / "x.jsonl").write_bytes(b"\xff\xfe\0")
        elif what == "a bomb of names":
            with zipfile.ZipFile(runs / "x.zip", "w") as archive:
                archive.writestr("../../x.jsonl", "{}")
        scores, said = evaluated(["python3", str(program), str(data), str(runs), str(out)], out)
        assert (scores["faults"], scores["sound"]) == (1, 0), what
        assert said
    assert not [*tmp_path.rglob("x.jsonl")][1:]


def test_the_leaderboard_counts_the_faults_that_the_list_leaves_out(tmp_path: Path) -> None:
    """Two runs of 70 topics, with a fault on each line, so that they also lack all answers, which is one fault more."""
    campaign = made.qa(tmp_path, 70)
    nescio.campaign.export(campaign, tmp_path / "tira", tira=True)
    program, data = tmp_path / "tira" / "check_runs.py", tmp_path / "tira" / "reference_data"
    for name in ("one", "two"):
        rows = [{"id": f"q{i}", "answer": f"a{i}", "confidence": "high"} for i in range(70)]
        made.lines(tmp_path / "runs" / f"{name}.jsonl", rows)
    out = tmp_path / "out"
    scores, said = evaluated(["python3", str(program), str(data), str(tmp_path / "runs"), str(out)], out)
    assert (scores["runs"], scores["faults"], scores["sound"]) == (2, 142, 0)
    assert "2 runs: 142 faults in 2 runs" in said
    assert said.count("this fault 45 more times (-v, JSON and the page list these)") == 2
    assert said.count("21 more faults that the list leaves out") == 2


def test_what_is_exported_is_no_more_than_teams_are_handed_and_the_same_each_time(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    for name in ("a", "b"):
        nescio.campaign.export(campaign, tmp_path / f"{name}.zip", codabench=True)
        nescio.campaign.export(campaign, tmp_path / name, tira=True)
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    nescio.campaign.export(campaign, tmp_path / "a", tira=True)  # once more, in the same place
    held = contents(tmp_path / "a")
    assert held == contents(tmp_path / "b")
    nescio.campaign.handout(campaign)
    handed = contents(campaign / "handout")
    assert {name: held[f"reference_data/{name}"] for name in handed} == handed
    with zipfile.ZipFile(tmp_path / "a.zip") as bundle:
        every = b"".join(bundle.read(name) for name in bundle.namelist()) + b"".join(held.values())
    for hidden in (b"thing 1", b"alpha", b"Alpha", (campaign / "campaign.secret").read_bytes()):
        assert hidden not in every
    recipe = held["Dockerfile"].decode()
    assert "COPY check_runs.py /evaluator/" in recipe
    assert "COPY reference_data /evaluator/reference_data" in recipe
    made.text(tmp_path / "full" / "x", "mine")
    for name, codabench, tira, rule in (
        ("c.zip", False, False, "name the platform"),
        ("c", True, False, r"written to \.zip"),
        ("full", False, True, "already exists"),
    ):
        with pytest.raises(nescio.UsageError, match=rule):
            nescio.campaign.export(campaign, tmp_path / name, codabench=codabench, tira=tira)
