"""`nescio view` shows every file that can be read at all: what it assumes stands in the page, with a command for each
other reading, and each of these commands shows a page in its turn."""

from __future__ import annotations

import html
import itertools
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.cli.app import run
from nescio.errors import FormatError, NescioError, offer, opt

ROOT = Path(__file__).parents[2]
LOGS, SHARED = ROOT / "examples", ROOT.parent / "shared" / "data"
pytestmark = pytest.mark.usefixtures("undrawn")
ITEM = re.compile(r'<section class="assumed".*?</section>', re.DOTALL)
CODE = re.compile(r"<pre tabindex=\"0\"><code>(.*?)</code></pre>", re.DOTALL)


def view(capfd: pytest.CaptureFixture[str], *words: object) -> str:
    """The page that a command shows."""
    capfd.readouterr()
    with pytest.raises(SystemExit) as stopped:
        run(["view", *map(str, words), "--no-show", "--resamples", "50"])
    shown = capfd.readouterr().err
    assert not stopped.value.code, shown
    page = re.search(r"wrote (/\S+report.html)", shown.replace("\n  ", " "))
    assert page is not None
    return Path(page[1]).read_text(encoding="utf-8")


def assumed(page: str) -> str:
    banner = ITEM.search(page)
    return html.unescape(banner[0]) if banner else ""


def others(page: str) -> list[list[str]]:
    """The words of the commands for other readings."""
    return [shlex.split(line)[2:] for block in CODE.findall(assumed(page)) for line in block.splitlines()]


def rows(path: Path, *lines: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def of_kind(kind: str, folder: Path) -> Path:
    """A file of each kind that means several things, or nothing that can be scored."""
    folder.mkdir(exist_ok=True)
    n = range(12)
    if kind == "words":  # of a house of one's own
        words = ("pass", "fail", "skipped")
        path = folder / "graded.csv"
        path.write_text("run,question,outcome\n" + "".join(f"a,q{i},{words[i % 3]} it\n" for i in n))
    elif kind == "letters":
        path = folder / "letters.csv"
        path.write_text("run,question,outcome\n" + "".join(f"a,q{i},{'CWU'[i % 3]}\n" for i in n))
    elif kind == "two filters":
        name = {"doc_id": 0, "doc": {"question": "2+2?"}, "target": "4", "arguments": [], "resps": [["4"]]}
        pairs = itertools.product(n, ("first", "second"))
        path = rows(
            folder / "samples_sums_2026-01-01T00-00-00.jsonl",
            *(
                {
                    **name,
                    "doc_id": i,
                    "filter": f,
                    "filtered_resps": ["4"],
                    "exact_match": i % 2,
                    "doc_hash": str(i),
                    "prompt_hash": "p",
                    "target_hash": "t",
                    "metrics": ["exact_match"],
                }
                for i, f in pairs
            ),
        )
    elif kind == "ungraded":
        path = folder / "part.csv"
        path.write_text("run,question,outcome\n" + "".join(f"a,q{i},{'correct' if i % 3 else ''}\n" for i in n))
    elif kind == "missing":
        path = folder / "missing.csv"
        path.write_text(
            "run,question,outcome\n" + "".join(f"{r},q{i},correct\n" for r in "ab" for i in n if r == "a" or i)
        )
    elif kind == "answers":
        path = rows(folder / "answers.jsonl", *({"id": f"q{i}", "answer": f"said {i} " + "x" * 900} for i in n))
    elif kind == "questions":
        path = rows(folder / "asked.jsonl", *({"id": f"q{i}", "question": f"why {i}?", "answers": ["so"]} for i in n))
    elif kind == "twice":
        path = folder / "twice.csv"
        path.write_text("run,question,outcome\n" + "a,q1,correct\na,q1,incorrect\n" * 3)
    elif kind == "a table of anything":
        path = folder / "anything.csv"
        path.write_text("colour,size\n" + "".join(f"red{i},big{i}\n" for i in n))
    elif kind == "figures":
        path = folder / "figures.json"
        path.write_text(json.dumps({"accuracy": 0.5, "model": "m", "date": "2026-01-01"}))
    else:
        path = folder / "notes.txt"
        path.write_text("a line\n\nand another\n")
    return path


KINDS = {
    "words": "nobody", "letters": "correct", "two filters": "filter=first", "ungraded": "--ungraded exclude",
    "missing": "--missing unanswered", "answers": "nothing is scored", "questions": "nothing is scored",
    "twice": "nothing is scored", "a table of anything": "nothing is scored", "figures": "nothing is scored",
    "text": "nothing is scored",
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_score_refuses_opens_and_says_what_was_assumed(
    kind: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = of_kind(kind, tmp_path / "in")
    with pytest.raises(NescioError):
        nescio.score(path)
    page = view(capfd, path)
    said = assumed(page)
    assert said, "no banner"
    if KINDS[kind] != "nobody":
        assert KINDS[kind] in said
    for words in others(page):
        assert words[0] == path.name  # from the folder that holds the files
        other = view(capfd, path, *words[1:])
        assert other != page  # the command is of another reading


def test_letters_are_short_for_outcomes_where_all_of_them_are(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    page = view(capfd, of_kind("letters", tmp_path))
    assert "a got 33.3% of 12 questions right and 33.3% wrong" in page
    (path := tmp_path / "options.csv").write_text(
        "run,question,outcome\n" + "".join(f"a,q{i},{'ABC'[i % 3]}\n" for i in range(12))
    )
    assert "C=ungraded" in assumed(view(capfd, path))


def test_what_is_beside_a_file_is_read_with_it(capfd: pytest.CaptureFixture[str]) -> None:
    folder = sorted((LOGS / "logs" / "helm").iterdir())[0]
    (state,) = folder.glob("scenario_state.json")
    assert "files beside it" in assumed(view(capfd, state))


def test_texts_of_answers_are_no_runs(capfd: pytest.CaptureFixture[str]) -> None:
    """A key of verdicts on answers: 107 texts cross 70 questions nowhere but where they were given."""
    page = view(capfd, LOGS / "judged.csv")
    assert "nothing is scored" in assumed(page)
    assert "run=answer" not in assumed(page)


def test_nothing_is_assumed_of_a_file_that_says_all(capfd: pytest.CaptureFixture[str]) -> None:
    assert not assumed(view(capfd, LOGS / "outcomes.csv"))


def test_a_file_that_is_not_there_or_holds_nothing_is_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "header.csv").write_text("run,question,outcome\n")
    for path in (tmp_path / "none.csv", tmp_path / "empty.csv", tmp_path / "header.csv"):
        with pytest.raises(SystemExit) as stopped:
            run(["view", str(path), "--no-show"])
        assert stopped.value.code == 2
        assert capfd.readouterr().err.startswith(f"nescio: {path}")


def test_an_error_names_its_ways_out() -> None:
    error = FormatError(
        "x",
        f"use {opt('missing', 'common')}, {opt('column', {'run': 'model'})} or {opt('judge')}{offer('column', {'run': 'name'})}",
    )
    assert error.offers == (("missing", "common"), ("column", {"run": "model"}), ("column", {"run": "name"}))
    assert "name" not in str(error).split("or ")[1]


def test_real_logs_open(capfd: pytest.CaptureFixture[str]) -> None:
    if not SHARED.exists():
        pytest.skip("../shared/data is not here")
    page = view(capfd, *sorted((SHARED / "logs" / "lm_eval" / "gsm8k_phi3_10docs").glob("*.jsonl")))
    assert "filter=strict-match" in assumed(page)
    assert [words[-2:] for words in others(page)] == [["--choose", "filter=flexible-extract"]]
