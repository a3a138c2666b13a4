"""What an honest gate on logs must not trip over: other runs, other tasks, and the same thing written otherwise."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nescio as package
from tests.cli.conftest import Command
from tests.cli.test_gate_grounds import GATE, N
from tests.cli.test_gate_on_logs import Change, inspect, lm_eval

RUN = (*GATE[2:], "-m", "accuracy")  # the gate without a baseline


def with_results(folder: Path, run: str, share: int, **changes: Any) -> Path:
    """Write samples of lm-evaluation-harness with the file of results beside them; return their folder."""
    samples, limit = lm_eval(folder, run, share, **changes), changes.get("held", len(N))
    samples.write_text("\n".join(samples.read_text().splitlines()[:limit]))
    metric = changes.get("metric", "exact_match")
    config = {"metric_list": [{"metric": metric, "ignore_case": changes.get("ignore_case", True)}]}
    counts, of_task = {"original": len(N), "effective": len(N)}, {"alias": "harbour", f"{metric},none": share / 10}
    stated = {"results": {"harbour": of_task}, "configs": {"harbour": config}, "n-samples": {"harbour": counts}}
    path = samples.parent / "results_2026-01-02T03-04-05.678.json"
    path.write_text(json.dumps({**stated, "versions": {}, "config": {"model": "hf"}, "model_name": run}))
    return samples.parent


@pytest.mark.parametrize(
    ("write", "changes"),
    [
        (lm_eval, {"input": "Who lit lamp {}?"}),
        (lm_eval, {"target": "y"}),
        (lm_eval, {"hash": "other"}),
        (lm_eval, {"metric": "f1"}),
        (inspect, {"input": "Who lit lamp {}?"}),
        (with_results, {"held": 100}),
    ],
)
@pytest.mark.parametrize("at", ["first", "last"])
def test_a_third_run_decides_no_gate(
    tmp_path: Path, nescio: Command, write: Callable[..., Path], changes: Change, at: str
) -> None:
    third = write(tmp_path, "third", 5, **changes)
    pair = [write(tmp_path, "old", 5), write(tmp_path, "new", 9)]
    paths = [third, *pair] if at == "first" else [*pair, third]
    done = nescio("compare", *paths, "-m", "accuracy", *GATE, "--missing", "unanswered")
    assert done.status == 0, done.flat
    changed = ("compare", *paths, "-m", "accuracy", "--baseline", "old", "--run", "third", "--fail-on-regression")
    assert nescio(*changed, "--missing", "unanswered").status != 0
    base = tmp_path / "base.json"
    nescio("compare", pair[0], "-m", "accuracy", "--save-baseline", base)
    if changes.get("metric"):
        done = nescio("compare", pair[1], third, *RUN, "--baseline", base)
        assert done.status == 0, done.flat
        nescio("compare", pair[1], third, "--run", "third", *RUN[2:], "--baseline", base).assert_refused("judged by")


@pytest.mark.parametrize(
    ("cut", "status"),
    [(("old-1", "old-2"), 0), (("old-1",), 0), (("new-1", "new-2"), 2), (("new-1", "new-2", "old-1", "old-2"), 3)],
)
def test_only_attempts_of_the_judged_run_are_lost_to_it(
    tmp_path: Path, nescio: Command, cut: tuple[str, ...], status: int
) -> None:
    for name in ("old-1", "old-2", "new-1", "new-2"):
        with_results(tmp_path, name, 9 if "new" in name else 5, held=120 if name in cut else len(N))
    joined = ("--repeats-of", "old=old-*", "--repeats-of", "new=new-*", "--missing", "common")
    runs = [tmp_path / name for name in ("old-1", "old-2", "new-1", "new-2")]
    done = nescio("compare", *runs, "-m", "accuracy", *GATE, *joined)
    assert done.status == status, done.flat
    if status != 2:
        assert f"samples_harbour.jsonl of {cut[0]}: the file holds 120 of 200 answers" in done.flat


def test_attempts_that_were_asked_otherwise_are_no_pair(tmp_path: Path, nescio: Command) -> None:
    """The attempts of one run may state a text otherwise, and no attempt of the other run may."""
    joined = ("--repeats-of", "old=old-*", "--repeats-of", "new=new-*")
    runs = [lm_eval(tmp_path, name, 5) for name in ("old-1", "old-2", "new-1")]
    runs.append(lm_eval(tmp_path, "new-2", 9, input="Who lit lamp {}?"))
    nescio("compare", *runs, "-m", "accuracy", *GATE, *joined).assert_refused("another text or other options")


def test_another_task_of_the_new_run_is_no_other_judge(tmp_path: Path, nescio: Command) -> None:
    old, new = lm_eval(tmp_path, "old", 5), lm_eval(tmp_path, "new", 9)
    other = lm_eval(tmp_path, "more", 9, metric="acc")
    other.rename(new.with_name("samples_arc.jsonl"))
    call = ("compare", old.parent, new.parent, "-m", "accuracy", *GATE, "--missing", "common")
    done = nescio(*call)
    assert done.status == 0, done.flat
    new.write_text(new.read_text().replace("exact_match", "f1"))
    nescio(*call).assert_refused("the runs were judged by different judges")


@pytest.mark.parametrize(
    ("known", "now", "changes", "says"),
    [
        (True, False, {}, "the baseline was judged by"),
        (False, True, {}, "the baseline was judged by"),
        (False, False, {}, ""),
        (True, True, {}, ""),
        (True, True, {"ignore_case": False}, "the baseline was judged by"),
        (True, False, {"metric": "f1"}, "the baseline was judged by"),
    ],
)
def test_a_log_states_as_much_of_its_judge_as_the_baseline(
    tmp_path: Path, nescio: Command, known: bool, now: bool, changes: Change, says: str
) -> None:
    old = with_results(tmp_path, "old", 5) if known else lm_eval(tmp_path, "old", 5)
    new = with_results(tmp_path, "new", 9, **changes) if now else lm_eval(tmp_path, "new", 9, **changes)
    base = tmp_path / "base.json"
    nescio("compare", old, "-m", "accuracy", "--save-baseline", base)
    done = nescio("compare", new, *RUN, "--baseline", base)
    if says:
        done.assert_refused(says)
    else:
        assert done.status == 0, done.flat


def test_an_older_baseline_of_a_log_states_no_judge(tmp_path: Path, nescio: Command) -> None:
    base, table = tmp_path / "base.json", tmp_path / "new.csv"
    nescio("compare", lm_eval(tmp_path, "old", 5), "-m", "accuracy", "--save-baseline", base)
    present, older = (f'"version": "{version}"' for version in (package.__version__, "0.1.0"))
    for now, before in (('"judge": ["exact_match(filter=none)"]', '"judge": []'), (present, older)):
        assert now in base.read_text()
        base.write_text(base.read_text().replace(now, before))
    done = nescio("compare", lm_eval(tmp_path, "new", 9), *RUN, "--baseline", base)
    assert done.status == 0, done.flat
    assert "the baseline does not state who judged it" in done.flat
    rows = [f"new,harbour/{q},correct,exact" for q in N]
    table.write_text("\n".join(["run,question,outcome,judge", *rows]))
    nescio("compare", table, *RUN, "--baseline", base).assert_refused("the baseline was judged by an unknown judge")


@pytest.mark.parametrize(
    ("gold", "other", "same"),
    [
        ("Paris", "paris", True),
        ("Caf\u00e9", "cafe\u0301", True),
        ("\"['a', 'b']\"", '"[""b"", ""A""]"', True),
        ("['a']", "a", True),
        ("['a']", "b", False),
        ("[a", "[b", False),
        ("\"['a', 'b']\"", '"[""a"", ""c""]"', False),
    ],
)
def test_the_same_gold_answer_is_written_in_many_ways(
    tmp_path: Path, nescio: Command, gold: str, other: str, same: bool
) -> None:
    rows = [f"old,q{q},{gold},{'correct' if q % 10 < 5 else 'incorrect'}" for q in N]
    rows += [f"new,q{q},{other},{'correct' if q % 10 < 9 else 'incorrect'}" for q in N]
    path = tmp_path / "graded.csv"
    path.write_text("\n".join(["run,question,gold,outcome", *rows]))
    done = nescio("compare", path, "-m", "accuracy", *GATE)
    assert done.status == (0 if same else 2), done.flat


@pytest.mark.parametrize("write", [inspect, lm_eval])
def test_upper_case_makes_no_other_question(tmp_path: Path, nescio: Command, write: Callable[..., Path]) -> None:
    old = write(tmp_path, "old", 5, input="Who keeps lamp {}?", target="Paris")
    new = write(tmp_path, "new", 9, input="WHO keeps Lamp {}?", target="paris")
    assert nescio("compare", old, new, "-m", "accuracy", *GATE).status == 0
    rows = [f"{q},{run},{ask} {q}?,x{q},{f'x{q}' if q % 10 < share else 'y'}" for run, share, ask in
            (("old", 5, "Who keeps"), ("new", 9, "who Keeps")) for q in N]  # fmt: skip
    path = tmp_path / "asked.csv"
    path.write_text("\n".join(["id,run,question_text,gold,prediction", *rows]))
    done = nescio("compare", path, "-m", "accuracy", *GATE, "--column", "question=id")
    assert done.status == 0, done.flat


@pytest.mark.parametrize(("target", "status"), [("C", 0), ("A", 2)])
def test_shuffled_options_are_the_same_question(tmp_path: Path, nescio: Command, target: str, status: int) -> None:
    """The letter of the right option moves with it; another right option is another key."""
    paths = inspect(tmp_path, "old", 5), inspect(tmp_path, "new", 9)
    ways = [("A", ["keeper", "baker", "sailor"]), (target, ["baker", "sailor", "keeper"])]
    for path, (letter, choices) in zip(paths, ways, strict=True):
        log = json.loads(path.read_text())
        for sample in log["samples"]:
            sample |= {"choices": choices, "target": letter}
        path.write_text(json.dumps(log))
    assert nescio("compare", *paths, "-m", "accuracy", *GATE).status == status


def test_options_are_compared_between_logs_and_not_with_a_table(tmp_path: Path, nescio: Command) -> None:
    """A log's digest covers the options of a question and the text of the right one; a table states text and key."""
    old, new, own = inspect(tmp_path, "old", 5), inspect(tmp_path, "new", 9), tmp_path / "own.csv"
    log = json.loads(old.read_text())
    for sample in log["samples"]:
        sample |= {"choices": ["keeper", "baker"], "target": "A"}
    old.write_text(json.dumps(log))
    rows = [f"new,q{q},Who keeps lamp {q}?,A,{'correct' if q % 10 < 9 else 'incorrect'}" for q in N]
    own.write_text("\n".join(["run,question,question_text,gold,outcome", *rows]))
    done = nescio("compare", old, own, "-m", "accuracy", *GATE)
    assert done.status == 0, done.flat
    for target in ("A", "keeper"):
        stripped = inspect(tmp_path, "new", 9, target=target)
        assert nescio("compare", old, stripped, "-m", "accuracy", *GATE).status == 2
    tables = [tmp_path / "old.csv", tmp_path / "new_log.csv"]
    for source, table in zip((old, new), tables, strict=True):
        nescio("convert", source, table, "--to", "outcomes")
    assert nescio("compare", *tables, "-m", "accuracy", *GATE).status == 2
