"""What a long command shows of how far it is: one bar at a time on a terminal, lines in a log of what takes long, and
nothing when it ends, or is ended by Ctrl-C."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from rich.progress import Progress

from nescio.cli import bars
from nescio.cli.app import run

from .conftest import EXAMPLES
from .test_width import CALLS, CAMPAIGN, ESCAPES, SILENT, left_standing, terminal

# The bar of every command, and a call that shows it where that of `CALLS` does not.
BARS: dict[str, tuple[str, list[str]]] = {
    "score": ("scoring", []),
    "compare": ("comparing", []),
    "baseline": ("scoring", []),
    "view": ("working", []),
    "report": ("working", []),
    "advise": ("working", []),
    "tune": ("tuning", []),
    "tune-pair": ("tuning", []),
    "plan": ("planning", []),
    "repeats": ("splitting", ["trials.csv", "-o", "old.json"]),
    "audit": ("auditing", []),
    "judge": ("judging", ["questions.jsonl", "runs/mine.jsonl", "-o", "old.csv"]),
    "convert": ("converting", ["log.eval", "old.csv"]),
    "check": ("checking", []),
    "meta stability": ("drawing", []),
    "meta swap": ("drawing", []),
    "meta power": ("resampling", []),
    "meta agreement": ("comparing", ["outcomes.csv", "-m", "c@1", "-m", "accuracy", "-o", "old.json"]),
    "ave build": ("building", ["questions.jsonl", "runs/mine.jsonl", "--judgements", "judged.csv", "-o", "old.xml"]),
    "ave score": ("scoring", []),
    "ave baselines": ("scoring", []),
    "ave validate train": ("training", []),
    "nuggets score": ("scoring", []),
    "read score": ("scoring", []),
    "tally": ("counting", ["outcomes.csv", "-o", "old.tally"]),
    "demo": ("answering", []),
}
STEPS = {
    "init": "reading",
    "handout": "writing",
    "checker": "writing",
    "check": "checking",
    "intake": "taking in",
    "pool": "pooling",
    "sheets": "writing",
    "collect": "collecting",
    "score": "scoring",
    "publish": "publishing",
    "status": "reading",
    "verify": "verifying",
    "export": "writing",
    "extend": "writing",
    "disqualify": "writing",
    "withdraw": "writing",
}
# What takes no longer than its answers are few: formulas, a comment, small collections, and systems of long ago.
SHORT = {"c@1", "measures", "comment", "ave pairs", "ave table12", "ave validate run"}
SHORT |= {
    "nuggets answer",
    "read answer",
    "read candidates",
    "read key",
    "cascade",
    "vote",
    "assessors",
    "stakes",
    "stakes-prompts",
    "contamination",
    "components",
    "items",
    "plan-labels",
    "labels draw",
    "labels look",
    "plan-repeats",
    "look",
}
SLOW = {"demo", "view", "report", "ave validate train"}
# A command that tells of parts that are done while its output is yet to be written.
TOLD = ("convert", "judge", "meta agreement", "repeats", "ave build", "tally")
FOLDERS = ["questions", "kilt", "squad2"]


@pytest.fixture
def examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of examples/ to work in."""
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path / "examples"


def assert_shown_and_gone(word: str, *arguments: str) -> None:
    """A command draws its bar on a terminal, over and over, and leaves none of it."""
    with terminal(100) as printed, pytest.raises(SystemExit):
        run(list(arguments))
    drawn = b"".join(printed).decode()
    assert bar_of(word).search(ESCAPES.sub("", drawn).replace("\r", "\n")), arguments
    assert not bar_of(word).search(left_standing(drawn)), arguments


def bar_of(word: str) -> re.Pattern[str]:
    return re.compile(rf"^ *{word} +[━╸╺]+", re.MULTILINE)


def test_every_command_is_here() -> None:
    assert {*BARS} | SHORT == {*CALLS} - SILENT
    assert {*STEPS} == {*CAMPAIGN}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in BARS]
)
@pytest.mark.usefixtures("examples")
def test_a_command_shows_a_bar_and_takes_it_away(name: str) -> None:
    word, arguments = BARS[name]
    assert_shown_and_gone(word, *name.split(), *(arguments or CALLS[name][0]))


@pytest.mark.usefixtures("examples")
def test_the_steps_of_a_campaign_show_bars() -> None:
    for step, words in CAMPAIGN.items():
        assert_shown_and_gone(STEPS[step], "campaign", step, *words.split())


def test_one_bar_at_a_time() -> None:
    def visible() -> list[str]:
        return [task.description for task in bars._DISPLAY[0].tasks if task.visible]

    with terminal(100):
        read = bars.reading_bar("reading", of_bytes=True)
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


def press_ctrl_c(patched: pytest.MonkeyPatch) -> None:
    """From now on Ctrl-C is pressed when a bar first moves."""
    update = Progress.update

    def interrupted(self: Progress, task: Any, **fields: Any) -> None:
        if fields.get("completed"):
            raise KeyboardInterrupt
        update(self, task, **fields)

    patched.setattr(Progress, "update", interrupted)


def left(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("name", TOLD)
def test_ctrl_c_leaves_the_old_output(name: str, examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = BARS[name][1]
    output = Path(next(word for word in arguments if word.startswith("old.")))
    output.write_text("old")
    before = left(examples)
    press_ctrl_c(monkeypatch)
    with terminal(100) as printed, pytest.raises(SystemExit) as ended:
        run([*name.split(), *arguments])
    assert ended.value.code == 130
    last = ESCAPES.sub("", b"".join(printed).decode()).rstrip()
    assert re.split(r"[\r\n]+", last)[-1] == "nescio: interrupted"
    assert b"".join(printed).rfind(b"\x1b[?25h") > b"".join(printed).rfind(b"\x1b[?25l")  # the cursor is seen again
    after = left(examples)
    kept = {path: content for path, content in after.items() if ".parts" not in str(path)}  # of shards, on purpose
    assert kept == before


@pytest.mark.parametrize("to", FOLDERS)
def test_ctrl_c_leaves_no_folder(to: str, examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = left(examples)
    press_ctrl_c(monkeypatch)
    with terminal(100), pytest.raises(SystemExit) as ended:
        run(["convert", "questions.jsonl", "runs/mine.jsonl", "runs/old.jsonl", "new", "--to", to])
    assert (ended.value.code, left(examples), Path("new").exists()) == (130, before, False)


@pytest.mark.parametrize("step", ["intake", "pool", "sheets", "collect", "score", "publish"])
def test_a_step_of_a_campaign_that_is_stopped_is_repeated(
    step: str, examples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It leaves no half-written file, and ends in the same bytes when it is repeated; the log tells the time."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1780000000")

    def take(name: str, *, status: int = 0) -> None:
        with pytest.raises(SystemExit) as ended:
            run(["campaign", name, *CAMPAIGN[name].split()])
        assert (ended.value.code or 0) == status

    steps = [name for name in CAMPAIGN if name != "status"]
    for name in steps[: steps.index(step)]:
        take(name)
        for sheet in examples.glob("campaign/sheets/*.csv") if name == "sheets" else ():
            head, *rows = sheet.read_text(encoding="utf-8-sig").splitlines()
            assert all(row.endswith(",,") for row in rows)
            sheet.write_text("\n".join([head, *(f"{row[:-1]}R," for row in rows)]), encoding="utf-8-sig")
    before = left(examples)
    with pytest.MonkeyPatch.context() as patched:
        press_ctrl_c(patched)
        with terminal(100):
            take(step, status=130)
    assert step in ("intake", "sheets") or left(examples) == before  # these two keep each file that is whole
    take(step)
    again = left(examples)
    shutil.rmtree("campaign")
    for path, content in before.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    take(step)
    assert left(examples) == again


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
