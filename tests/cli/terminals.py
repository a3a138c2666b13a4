"""A terminal in place of the streams of this process, and a call of every command to print in it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import sys
import termios
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from rich.cells import cell_len

from nescio.cli.app import run

FEW = ["--resamples", "200"]
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
# The bar of every command. Others take no longer than their answers are few: formulas, a comment, small collections.
BARS = {
    **dict.fromkeys(("score", "baseline", "ave score", "ave baselines", "nuggets score", "read score"), "scoring"),
    **dict.fromkeys(("compare", "meta agreement"), "comparing"),
    **dict.fromkeys(("view", "report", "advise"), "working"),
    **dict.fromkeys(("tune", "tune-pair"), "tuning"),
    **dict.fromkeys(("meta stability", "meta swap"), "drawing"),
    "meta power": "resampling",
    "plan": "planning",
    "repeats": "splitting",
    "audit": "auditing",
    "judge": "judging",
    "convert": "converting",
    "check": "checking",
    "ave build": "building",
    "ave validate train": "training",
    "tally": "counting",
    "demo": "answering",
}
STEPS = {
    **dict.fromkeys(("init", "status"), "reading"),
    **dict.fromkeys(("handout", "checker", "sheets", "export", "extend", "disqualify", "withdraw"), "writing"),
    "check": "checking",
    "intake": "taking in",
    "pool": "pooling",
    "collect": "collecting",
    "score": "scoring",
    "publish": "publishing",
    "verify": "verifying",
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


def drawn(columns: int, *arguments: str) -> tuple[int, str]:
    """The status of a command, and all that it prints in a terminal, with what is drawn over and taken away."""
    with terminal(columns) as printed, pytest.raises(SystemExit) as stopped:
        run(list(arguments))
    return int(stopped.value.code or 0), b"".join(printed).decode()


def shown(columns: int, *arguments: str) -> str:
    """What a command that succeeds leaves in a terminal, without colours."""
    status, text = drawn(columns, *arguments)
    assert not status, text
    return left_standing(text)


def left_standing(printed: str) -> str:
    """What a terminal shows in the end of what was printed to it."""
    lines = ESCAPES.sub("", printed).replace("\r\n", "\n").split("\n")
    return "\n".join(line.rpartition("\r")[2] for line in lines)


def assert_fits(columns: int, text: str, whole: str) -> None:
    """No line is longer than the terminal, and each number with a point is one that stands in the whole output; all
    of them do, but in columns that are said to be left out."""
    for line in text.split("\n"):
        assert cell_len(line) <= columns, (columns, line)
    flat = re.sub(r"\n\s*", " ", text)
    numbers, known = {*NUMBER.findall(text)}, {*NUMBER.findall(whole)}
    assert numbers <= known, (columns, sorted(numbers - known), text)
    if "left out here" not in flat:
        assert known <= {*NUMBER.findall(flat)} | numbers, (columns, sorted(known - numbers), text)


def assert_bar(word: str, printed: str) -> None:
    """A bar is drawn, over and over, and none of it is left."""
    bar = re.compile(rf"^ *{word} +[━╸╺]+", re.MULTILINE)
    assert bar.search(ESCAPES.sub("", printed).replace("\r", "\n")), word
    assert not bar.search(left_standing(printed)), word
