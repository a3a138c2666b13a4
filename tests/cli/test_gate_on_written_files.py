"""A gate on a file that nescio wrote decides as a gate on what the file was made of, whatever evidence this holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.cli.test_gate_grounds import GATE, N, old, right, table
from tests.cli.test_gate_logs import half, log, sample
from tests.cli.test_gate_on_logs import deepeval, inspect, lm_eval

FORMS = ("outcomes", "every_eval_ever", "inspect")  # the formats that can hold everything a gate asks
ASK = ("-m", "accuracy", "--missing", "unanswered", *GATE)
ALONE = ("-m", "accuracy", "--fail-under", "accuracy=0.3")
Made = tuple[tuple[Path, ...], tuple[str, ...]]  # files, and the options that read them


def honest(folder: Path) -> Made:
    return (inspect(folder, "old", 5), inspect(folder, "new", 9)), ()


def stopped(folder: Path) -> Made:
    return (log(folder / "old.json", half()), log(folder / "new.json", half()[1:100:2], "cancelled")), ()


def endless(folder: Path) -> Made:
    first = log(folder / "old.json", half())
    document = json.loads(log(folder / "new.json", half()[1::2], "started", None).read_text())
    del document["eval"]["dataset"]
    (folder / "new.json").write_text(json.dumps(document))
    return (first, folder / "new.json"), ()


def repeated(folder: Path) -> Made:
    again = [sample(at, "C") for at in N if at % 2 == 0]
    return (log(folder / "old.json", half()), log(folder / "new.json", [*half(), *again])), ()


def chosen(folder: Path) -> Made:
    rows = [*old(), *(("new", f"q{q}", right(q % 10 < 5)) for q in N), *(("new", f"q{q}", "correct") for q in N)]
    return (table(folder / "t.csv", "run,question,outcome", rows),), ("--duplicates", "last")


def _two(folder: Path, write: Callable[..., Path], **after: object) -> Made:
    return (write(folder, "old", 5), write(folder, "new", 9, **after)), ()


def other_gold(folder: Path) -> Made:
    return _two(folder, inspect, target="y")


def other_text(folder: Path) -> Made:
    return _two(folder, inspect, input="Who lit lamp {}?")


def other_scorer(folder: Path) -> Made:
    return _two(folder, inspect, params={"location": "any"})


def other_document(folder: Path) -> Made:
    return _two(folder, lm_eval, hash="other")


def same_document(folder: Path) -> Made:
    return _two(folder, lm_eval)


def other_case(folder: Path) -> Made:
    return _two(folder, deepeval, target="y")


def _rows(folder: Path, head: str, cells: Callable[[str, int], str]) -> Made:
    for run, share in (("old", 5), ("new", 9)):
        lines = [f"{run},q{q},{right(q % 10 < share)},{cells(run, q)}" for q in N]
        (folder / f"{run}.csv").write_text("\n".join([f"run,question,outcome,{head}", *lines]))
    return (folder / "old.csv", folder / "new.csv"), ()


def key_in_a_table(folder: Path) -> Made:
    return _rows(folder, "gold", lambda run, q: f"{run}{q}")


def text_in_a_table(folder: Path) -> Made:
    files, _ = _rows(folder, "question_text", lambda run, q: f"Who {run} {q}?")
    return files, ("--column", "question=question")


def same_text_in_a_table(folder: Path) -> Made:
    files, _ = _rows(folder, "question_text,gold", lambda run, q: f"Who keeps {'  ' * (run == 'new')}lamp {q}?,A")
    return files, ("--column", "question=question")


def one_says_what_has_an_answer(folder: Path) -> Made:
    return _rows(folder, "answerable", lambda run, q: "" if run == "old" else "no" if q % 10 == 9 else "yes")


def several_judges(folder: Path) -> Made:
    return _rows(folder, "judge", lambda run, q: "ana" if run == "old" or q % 2 else "ben")


KINDS = {
    honest: (0, 0),
    stopped: (1, 3),
    endless: (3, 3),
    repeated: (2, 2),
    chosen: (2, 2),
    other_gold: (2, 0),
    other_text: (2, 0),
    other_scorer: (2, 0),
    other_document: (2, 0),
    same_document: (0, 0),
    other_case: (2, 0),
    key_in_a_table: (2, 0),
    text_in_a_table: (2, 0),
    same_text_in_a_table: (0, 0),
    one_says_what_has_an_answer: (2, 0),
    several_judges: (2, 0),
}


def verdicts(nescio: Command, files: tuple[Path, ...], options: tuple[str, ...] = ()) -> tuple[int, int]:
    """The statuses of a gate that compares both runs, and of one that asks a limit of the new run alone."""
    both = nescio("compare", *files, *options, *ASK)
    alone = nescio("score", files[-1], *options, *ALONE)
    assert both.status != 2 or "gate" in both.err, both.flat
    return both.status, alone.status


@pytest.mark.parametrize("to", FORMS)
@pytest.mark.parametrize("made", KINDS, ids=lambda made: made.__name__)
def test_a_converted_file_wins_no_gate_that_its_original_loses(
    tmp_path: Path, nescio: Command, made: Callable[[Path], Made], to: str
) -> None:
    files, options = made(tmp_path)
    assert verdicts(nescio, files, options) == KINDS[made]
    converted = []
    for path in files:
        suffix = {"outcomes": ".csv", "every_eval_ever": ".jsonl", "inspect": ""}[to]
        converted.append(tmp_path / f"{path.parent.name}_{path.stem}_written{suffix}")
        done = nescio("convert", path, converted[-1], "--to", to, *options)
        assert done.status == 0, done.flat
    assert verdicts(nescio, tuple(converted)) == KINDS[made]
