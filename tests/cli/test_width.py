"""What every command prints in a terminal of 60, 80 and 120 columns: no line is longer, and no number is cut."""

from __future__ import annotations

import fcntl
import glob
import os
import pty
import re
import shutil
import struct
import sys
import termios
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.cli.app import run
from tests.verbs.test_declarations import LEAVES

from .conftest import EXAMPLES

WIDTHS = (60, 80, 120)
NARROWEST, WIDER = (60,), (80, 120)  # each day, and where time is
LONG_CALLS = ("demo", "report", "view", "plan", "ave validate train")  # only where time is
FEW = ["--resamples", "200"]
LONG = "results/2026-11-22/a-system-with-a-very-long-name-" + "x" * 60 + "-temperature-07"  # 120 characters
COLLECTION = "tables.xml"
# A call of every command in a copy of examples/. What writes a file that another reads comes before it.
CALLS: dict[str, list[list[str]]] = {
    "score": [
        ["outcomes.csv"],
        ["outcomes.csv", "--by", "category", *FEW],
        ["table3.csv", "-v"],
        ["ap.csv"],
        ["suite/suite.toml", *FEW],
        ["outcomes.csv", "--suite-by", "category", "--over", "benchmarks", *FEW],
    ],
    "compare": [
        ["outcomes.csv", *FEW],
        ["outcomes.csv", "-m", "c@1", "-v", *FEW],
        ["ap.csv", "--baseline", "bm25"],
        ["suite/suite.toml", "-m", "c@1", *FEW],
        ["outcomes.csv", "--suite-by", "category", *FEW],
    ],
    "look": [["outcomes.csv", "-m", "accuracy", "--baseline", "old", "--run", "mine", "--state", "looks.json"]],
    "baseline": [["outcomes.csv", "--run", "old", "-o", "baseline.json", *FEW]],
    "comment": [["README.md"]],
    "view": [["outcomes.csv", "-m", "c@1", "--no-show", *FEW]],
    "report": [
        ["outcomes.csv", "-m", "c@1", "-o", "page.html", *FEW],
        ["suite/suite.toml", "-o", "suite.html", *FEW],
        ["outcomes.csv", "-m", "c@1", "--baseline", "old", "--run", "mine", "-o", "diff.html", *FEW],
    ],
    "tune": [["outcomes.csv", "--run", "mine", *FEW], ["outcomes.csv", "--run", "mine", "--curve", "--ci", "90"]],
    "tune-pair": [["outcomes.csv", "--run", "mine", "--baseline", "old", *FEW]],
    "plan": [
        ["outcomes.csv", "--run", "mine", "--baseline", "old", "--difference", "0.1"],
        ["--rates", "0.5,0.3,0.2", "--difference", "0.03", "-m", "accuracy"],
    ],
    "plan-labels": [["--spread", "0.6", "--correlation", "0.7", "--questions", "1000", "--half-width", "0.07"]],
    "labels draw": [["outcomes.csv", "sheet.csv", "--draw", "20"]],
    "labels look": [["outcomes.csv", "--labels", "people.csv", "-m", "accuracy", "--half-width", "0.06"]],
    "plan-repeats": [["trials.csv", "--run", "agent-2", "--budget", "500", "--per-question", "2"]],
    "advise": [["outcomes.csv", *FEW], ["outcomes.csv", "--tolerate", "20", *FEW]],
    "cascade": [["cascade.csv", "--cost", "cost_usd", "--right", "0.05"]],
    "assessors": [["annotators.csv", *FEW]],
    "vote": [["votes.csv"], ["trials.csv"]],
    "stakes": [["stakes.csv"]],
    "stakes-prompts": [["questions.jsonl", "prompts.jsonl"]],
    "contamination": [["paraphrases.csv", "--suspect", "new"]],
    "items": [["items.csv"]],
    "components": [["prompts.csv", "--factor", "prompt", "--budget", "300"]],
    "repeats": [["trials.csv"], ["trials.csv", "-m", "accuracy", "-v"]],
    "audit": [["-m", "c@1", "-m", "UF"], ["-m", "pan.F1"]],
    "judge": [["questions.jsonl", "runs/mine.jsonl", "runs/old.jsonl", "--against", "people.csv", *FEW]],
    "convert": [["log.eval", "log.csv"]],
    "check": [["outcomes.csv"], ["questions.jsonl", "runs/mine.jsonl"], ["log.eval"], ["table3.csv"]],
    "measures": [[], ["c@1"], ["AURC"], ["nuggets.F"]],
    "c@1": [["237", "156", "107"]],
    "demo": [["-o", "made"]],
    "meta stability": [["outcomes.csv", "-m", "c@1", "-m", "UF"]],
    "meta swap": [["outcomes.csv", "-m", "c@1", "-m", "UF"]],
    "meta power": [["outcomes.csv", "-m", "c@1", "-m", "accuracy"]],
    "meta agreement": [["outcomes.csv", "-m", "c@1", "-m", "accuracy"]],
    "ave build": [["questions.jsonl", "runs/mine.jsonl", "--judgements", "judged.csv", "-o", COLLECTION]],
    "ave score": [["pairs2006.xml", "answers.txt"]],
    "tally": [["outcomes.csv", "-o", "all.tally"]],
    "ave pairs": [["dev.xml", "-o", "pairs.xml"]],
    "ave baselines": [["test.xml"]],
    "ave validate train": [["dev.xml", "-o", "trained.json"]],
    "ave validate run": [["test.xml", "--model", "model.json", "-o", "responses.txt"]],
    "ave table12": [[]],
    "nuggets score": [["key.txt", "runs/first.txt", "--mapping", "assessor.txt"], ["key.txt", "runs/first.txt"]],
    "nuggets answer": [["targets.jsonl", "texts", "-o", "run.jsonl"]],
    "read answer": [["developset", "--system", "deep-read", "-o", "run.jsonl"]],
    "read candidates": [["developset", "-o", "candidates.xml"]],
    "read key": [["questions.jsonl", "stories.jsonl", "-o", "autsent.jsonl"]],
    "read score": [["developset", "student-run.response"]],
}
# A campaign is made step by step, in one folder; some steps refuse, as nobody has assessed anything, and say so in
# lines that fit.
CAMPAIGN = {
    "init": "campaign --task qa --topics questions.jsonl --group uned=UNED",
    "handout": "campaign",
    "checker": "campaign -o checker.zip",
    "check": "campaign runs/mine.jsonl",
    "intake": "campaign runs/mine.jsonl runs/old.jsonl --group uned --received 2026-05-30",
    "pool": "campaign",
    "sheets": "campaign --assessor ana --assessor ben --overlap 2",
    "collect": "campaign",
    "score": "campaign",
    "publish": "campaign",
    "status": "campaign",
    "verify": "campaign",
    "export": "campaign --codabench -o bundle.zip",
    "extend": "campaign uned --until 2030-07-02 --reason outage",
    "disqualify": "campaign uned_mine --reason cheating",
    "withdraw": "campaign uned_old --reason asked",
}
SILENT = {"mcp", "skill", "assess serve"}  # these speak with programs, and nobody reads along
# One after another, on a database that `assess create` made.
ASSESS = {
    "create": "questions.jsonl runs/mine.jsonl",
    "update": "questions.jsonl runs/mine.jsonl",
    "invite": "ana",
    "status": "",
    "export": "judged",
}
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
NUMBER = re.compile(r"(?<![\w.…/:=-])[+-]?\d[\d,]*\.\d+(?![\w.…/])")


@contextmanager
def terminal(columns: int) -> Iterator[list[bytes]]:
    """A terminal of so many columns in place of both streams; what is printed to it."""
    main, secondary = pty.openpty()
    fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    printed: list[bytes] = []

    def drain() -> None:
        while True:
            try:
                data = os.read(main, 1 << 16)
            except OSError:
                return
            if not data:
                return
            printed.append(data)

    reader = threading.Thread(target=drain)
    reader.start()
    before = sys.stdout, sys.stderr
    stream = open(secondary, "w", encoding="utf-8", buffering=1)  # noqa: SIM115  closed below
    sys.stdout = sys.stderr = stream
    try:
        yield printed
    finally:
        sys.stdout, sys.stderr = before
        stream.close()
        reader.join(5)
        os.close(main)


def shown(columns: int, *arguments: str, refused: bool = False) -> str:
    """What a command prints in a terminal, without colours and what was drawn over; it succeeds, unless it may
    refuse."""
    with terminal(columns) as printed, pytest.raises(SystemExit) as stopped:
        run(list(arguments))
    text = b"".join(printed).decode()
    assert refused or not stopped.value.code, text
    return left_standing(text)


def left_standing(printed: str) -> str:
    """What a terminal shows in the end of what was printed to it."""
    lines = ESCAPES.sub("", printed).replace("\r\n", "\n").split("\n")
    return "\n".join(line.rpartition("\r")[2] for line in lines)


def piped(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command prints into a pipe: tables as wide as they need be."""
    capfd.readouterr()
    with pytest.raises(SystemExit):
        run(list(arguments))
    out, err = capfd.readouterr()
    return out + err


def assert_fits(columns: int, text: str, whole: str) -> None:
    """No line is longer than the terminal, and each number with a point is one that stands in the whole output; all
    of them do, but in columns that are said to be left out."""
    from rich.cells import cell_len

    for line in text.split("\n"):
        assert cell_len(line) <= columns, (columns, line)
    flat = re.sub(r"\n\s*", " ", text)
    numbers, known = {*NUMBER.findall(text)}, {*NUMBER.findall(whole)}
    assert numbers <= known, (columns, sorted(numbers - known), text)
    if "left out here" not in flat:
        assert known <= {*NUMBER.findall(flat)} | numbers, (columns, sorted(known - numbers), text)


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of examples/, with a trained validator."""
    folder = tmp_path_factory.mktemp("width") / "examples"
    shutil.copytree(EXAMPLES, folder)
    nescio.ave.validate.train(folder / "dev.xml", folder / "model.json")
    return folder


def test_every_command_is_here() -> None:
    steps = {*(f"campaign {step}" for step in CAMPAIGN), *(f"assess {step}" for step in ASSESS)}
    assert {*CALLS, *steps} == {*LEAVES} - SILENT, "a new command needs a call in CALLS"


@pytest.mark.parametrize("columns", WIDTHS)
def test_a_campaign_fits_the_terminal(columns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    monkeypatch.delenv("COLUMNS", raising=False)
    for step, words in CAMPAIGN.items():
        text = shown(columns, "campaign", step, *words.split(), refused=True)
        assert text.strip(), step
        assert_fits(columns, text, text)


@pytest.mark.parametrize("columns", WIDTHS)
def test_people_who_judge_fit_the_terminal(columns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("alembic", reason="the extra assess is not installed")
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    monkeypatch.delenv("COLUMNS", raising=False)
    for step, words in ASSESS.items():
        text = shown(columns, "assess", step, *words.split(), "--db", "judging.db")
        assert text.strip(), step
        assert_fits(columns, text, text)


def afresh(make: Callable[..., str], *arguments: Any) -> str:
    """What a command prints where no earlier one has written anything."""
    before = {*glob.glob("**", recursive=True)}
    text = make(*arguments)
    for path in {*glob.glob("**", recursive=True)} - before:
        if Path(path).is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            Path(path).unlink(missing_ok=True)
    return text


@pytest.mark.parametrize(
    ("name", "widths"),
    [
        *((name, NARROWEST) for name in CALLS if name not in LONG_CALLS),
        *(pytest.param(name, WIDTHS if name in LONG_CALLS else WIDER, marks=pytest.mark.slow) for name in CALLS),
    ],
)
def test_a_command_fits_the_terminal(
    name: str,
    widths: tuple[int, ...],
    examples: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(examples)
    monkeypatch.delenv("COLUMNS", raising=False)
    for arguments in CALLS[name]:
        words = [*name.split(), *arguments]
        whole = afresh(piped, capfd, *words)
        for columns in widths:
            assert_fits(columns, afresh(shown, columns, *words), whole)


@pytest.mark.slow
@pytest.mark.parametrize("columns", WIDTHS)
def test_the_audit_of_all_measures_fits_the_terminal(
    columns: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert_fits(columns, shown(columns, "audit"), piped(capfd, "audit"))


@pytest.mark.parametrize("columns", [60, 120])  # at 80, tests/verbs/test_declarations.py
def test_a_help_page_fits_the_terminal(columns: int) -> None:
    for name in LEAVES:
        for page in ("--help", "--help-all"):
            assert [line for line in shown(columns, *name.split(), page).split("\n") if len(line) > columns] == []
    assert [line for line in shown(columns, "--help").split("\n") if len(line) > columns] == []


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


@pytest.mark.parametrize("command", ["score", "compare", "check", "tune", "meta agreement", "meta stability"])
def test_runs_with_long_names_fit_the_terminal(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    words = [*command.split(), str(long_name(tmp_path))]
    if command in ("score", "compare", "tune"):
        words += FEW
    if command.startswith("meta"):
        words += ["-m", "c@1", "-m", "accuracy"] + (["--trials", "10"] if "stability" in command else [])
    if command == "tune":
        words += ["--run", LONG]
    whole = piped(capfd, *words)
    for columns in WIDTHS:
        assert_fits(columns, shown(columns, *words), whole)


def test_names_that_are_shortened_stay_different(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    lines = shown(60, "score", str(long_name(tmp_path)), *FEW).split("\n")
    names = [line.split()[0] for line in lines if re.search(r"\d\.\d{3}[*† ]", line)]
    assert len(set(names)) == 3


def test_without_colour_there_is_none(examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(examples)
    colours = re.compile(rb"\x1b\[(?:\d+;)*(?:3[0-7]|9[0-7]|38;[0-9;]*)m")
    for no_colour in (False, True):
        monkeypatch.setenv("TERM", "xterm-256color")
        if no_colour:
            monkeypatch.setenv("NO_COLOR", "1")
        else:
            monkeypatch.delenv("NO_COLOR", raising=False)
        with terminal(100) as printed, pytest.raises(SystemExit):
            run(["compare", "outcomes.csv", "-m", "c@1", *FEW])
        assert bool(colours.search(b"".join(printed))) != no_colour


def test_many_pairs_are_those_with_the_best_until_all_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    rows = ["run,question,outcome"]
    for r in range(8):
        rows += [f"run{r},q{i},{'correct' if (i * (r + 3)) % 11 < 4 + r % 4 else 'incorrect'}" for i in range(60)]
    table = tmp_path / "eight.csv"
    table.write_text("\n".join(rows) + "\n")
    few = shown(120, "compare", str(table), "-m", "accuracy", *FEW)
    every = shown(120, "compare", str(table), "-m", "accuracy", "-v", *FEW)
    pairs = re.compile(r"^run\d +run\d +(?:accuracy +)?[+-]", re.MULTILINE)
    assert len(pairs.findall(few)) == 7
    assert "7 comparisons with the best run; -v prints all 28" in few
    assert len(pairs.findall(every)) == 28
    assert "nescio:0" in every
    assert "nescio:0" not in few
