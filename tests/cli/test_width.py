"""What every command prints in a terminal: no line is longer, no number is cut, one bar at a time, colours or none."""

from __future__ import annotations

import glob
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nescio as package
from nescio.cli import bars
from tests.rings import sample
from tests.verbs.test_declarations import LEAVES

from .conftest import EXAMPLES, Command
from .terminals import (
    ASSESS,
    BARS,
    CALLS,
    CAMPAIGN,
    FEW,
    SILENT,
    STEPS,
    assert_bar,
    assert_fits,
    drawn,
    left_standing,
    shown,
    terminal,
)

LONG = "results/2026-11-22/a-system-with-a-very-long-name-" + "x" * 60 + "-temperature-07"  # 120 characters
LONG_CALLS = ("demo", "report", "plan", "ave validate train")  # only where time is
WIDTHS = [60, *(pytest.param(columns, marks=pytest.mark.slow) for columns in (80, 120))]


@pytest.fixture(autouse=True)
def _no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """The terminal alone says how wide it is."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of examples/, with a trained validator."""
    folder = tmp_path_factory.mktemp("width") / "examples"
    shutil.copytree(EXAMPLES, folder)
    package.ave.validate.train(folder / "dev.xml", folder / "model.json", trees=3, folds=2, resamples=20)
    return folder


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of examples/ of a test's own, to work in."""
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    return tmp_path / "examples"


def test_every_command_is_here() -> None:
    steps = {*(f"campaign {step}" for step in CAMPAIGN), *(f"assess {step}" for step in ASSESS)}
    assert {*CALLS, *steps} == {*LEAVES} - SILENT, "a new command needs a call in CALLS"
    assert {*BARS} < {*CALLS}
    assert {*STEPS} == {*CAMPAIGN}


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.usefixtures("copied")
def test_a_campaign_fits_the_terminal(columns: int) -> None:
    for step, words in CAMPAIGN.items():
        _, text = drawn(columns, "campaign", step, *words.split())
        assert left_standing(text).strip(), step
        assert_fits(columns, left_standing(text), left_standing(text))
        assert_bar(STEPS[step], text)


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.usefixtures("copied")
def test_people_who_judge_fit_the_terminal(columns: int) -> None:
    pytest.importorskip("sqlalchemy", reason="the extra assess is not installed")
    for step, words in ASSESS.items():
        text = shown(columns, "assess", step, *words.split(), "--db", "judging.db")
        assert text.strip(), step
        assert_fits(columns, text, text)


def afresh(make: Callable[..., Any], *arguments: Any) -> Any:
    """What a command prints where no earlier one has written anything."""
    before = {*glob.glob("**", recursive=True)}
    text = make(*arguments)
    for path in {*glob.glob("**", recursive=True)} - before:
        if Path(path).is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            Path(path).unlink(missing_ok=True)
    return text


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "widths"),
    [
        *((name, (60,)) for name in sample([name for name in CALLS if name not in LONG_CALLS], 12)),
        *(pytest.param(name, (80,) if name not in LONG_CALLS else (60, 80), marks=pytest.mark.slow) for name in CALLS),
    ],
)
def test_a_command_fits_the_terminal(
    name: str, widths: tuple[int, ...], examples: Path, monkeypatch: pytest.MonkeyPatch, nescio: Command
) -> None:
    """Pages of 120 columns are those of the documentation."""
    monkeypatch.chdir(examples)
    for arguments in CALLS[name]:
        words = [*name.split(), *arguments]
        piped = afresh(nescio, *words)
        for columns in widths:
            status, text = afresh(drawn, columns, *words)
            assert not status, text
            assert_fits(columns, left_standing(text), piped.out + piped.err)
            if name in BARS and arguments is CALLS[name][0]:
                assert_bar(BARS[name], text)


@pytest.mark.slow
def test_the_audit_of_all_measures_fits_the_terminal() -> None:
    text = shown(60, "audit")
    assert_fits(60, text, text)


@pytest.mark.parametrize("columns", [60, pytest.param(120, marks=pytest.mark.slow)])
def test_a_help_page_fits_the_terminal(columns: int) -> None:
    """At 80 columns: tests/verbs/test_declarations.py."""
    for words in ([], *(name.split() for name in LEAVES)):
        for page in ("--help", "--help-all") if words else ("--help",):
            assert [line for line in shown(columns, *words, page).split("\n") if len(line) > columns] == []


def long_name(folder: Path) -> Path:
    """A table of runs whose names have 120 characters and differ in the middle, and one of a short name."""
    assert len(LONG) >= 120
    rows = ["run,question,outcome,confidence"]
    for run_, letters in ((LONG, "CCWWCW"), (LONG.replace("xxx", "yyy", 1), "CWUUCC"), ("short", "CWWWUU")):
        for i, letter in enumerate(letters * 6):
            outcome = {"C": "correct", "W": "incorrect", "U": "unanswered"}[letter]
            rows.append(f"{run_},q{i},{outcome},{0.9 - i / 50:.2f}")
    table = folder / "long.csv"
    table.write_text("\n".join(rows) + "\n")
    return table


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("score", FEW),
        ("compare", FEW),
        ("check", []),
        ("tune", ["--run", LONG, *FEW]),
        ("meta agreement", ["-m", "c@1", "-m", "accuracy"]),
        ("meta stability", ["-m", "c@1", "-m", "accuracy", "--trials", "10"]),
    ],
)
def test_runs_with_long_names_fit_the_terminal(command: str, more: list[str], tmp_path: Path, nescio: Command) -> None:
    words = [*command.split(), str(long_name(tmp_path)), *more]
    piped = nescio(*words)
    for columns in (60, 120):
        text = shown(columns, *words)
        assert_fits(columns, text, piped.out + piped.err)
        if command == "score":
            names = [line.split()[0] for line in text.split("\n") if re.search(r"\d\.\d{3}[*† ]", line)]
            assert len(set(names)) == 3  # that are shortened stay different


@pytest.mark.parametrize("no_colour", [False, True])
def test_without_colour_there_is_none(no_colour: bool, examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(examples)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_colour:
        monkeypatch.setenv("NO_COLOR", "1")
    _, text = drawn(100, "compare", "outcomes.csv", "-m", "c@1", *FEW)
    assert bool(re.search(r"\x1b\[(?:\d+;)*(?:3[0-7]|9[0-7]|38;[0-9;]*)m", text)) != no_colour


def test_many_pairs_are_those_with_the_best_until_all_are_asked_for(tmp_path: Path) -> None:
    rows = ["run,question,outcome"]
    for r in range(8):
        rows += [f"run{r},q{i},{'correct' if (i * (r + 3)) % 11 < 4 + r % 4 else 'incorrect'}" for i in range(60)]
    (table := tmp_path / "eight.csv").write_text("\n".join(rows) + "\n")
    few = shown(120, "compare", str(table), "-m", "accuracy", *FEW)
    every = shown(120, "compare", str(table), "-m", "accuracy", "-v", *FEW)
    pairs = re.compile(r"^run\d +run\d +(?:accuracy +)?[+-]", re.MULTILINE)
    assert (len(pairs.findall(few)), len(pairs.findall(every))) == (7, 28)
    assert "7 comparisons with the best run; -v prints all 28" in few
    assert "nescio:0" in every
    assert "nescio:0" not in few


def test_one_bar_at_a_time() -> None:
    def visible() -> list[str]:
        return [task.description for task in bars._DISPLAY[0].tasks if task.visible]

    with terminal(100):
        read = bars.reading_bar("reading")
        assert read is not None
        with bars.progress("scoring") as tell:
            assert visible() == ["scoring"]
            read(1, 2)
            assert visible() == ["reading"]
            read(2, 2)
            tell(1, 2)
            assert visible() == ["scoring"]
        assert not bars._DISPLAY
        read(1, 2)
        assert visible() == ["reading"]
        bars.clear()


def test_a_log_is_told_what_long_work_will_take(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight parts a second: of 60 nothing, as too little is left when it is known; of 9,000 a line every half minute."""
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    for total in (60, 9000):
        now[0] = 0.0
        with bars.progress("scoring") as tell:
            for done in range(1, min(total, 700) + 1):
                now[0] += 0.125
                tell(done, total)
    assert capsys.readouterr().err.splitlines() == [
        "scoring: 40 of 9,000 done, about 19 min left",
        "scoring: 280 of 9,000 done, about 18 min left",
        "scoring: 520 of 9,000 done, about 18 min left",
    ]
