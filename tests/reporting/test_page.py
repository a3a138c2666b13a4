"""The page as a text: what it says, that it is whole in itself, and that nothing in the data can act in it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shlex
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nescio.data.evidence import Evidence
from nescio.reporting import page
from nescio.reporting.page.browser import packed, states
from nescio.reporting.page.drawing import cleaned
from nescio.reporting.page.figures import _said_of_winners, _winners, all_figures, penalty_figure, strata_figure
from nescio.reporting.page.report_data import ReportData
from nescio.reporting.page.sentence import answer
from nescio.reporting.page.shown_text import as_json, names
from nescio.text import enumerated, sanitize
from tests.reporting.conftest import HOSTILE, THREE, make, outcome_table


class Elements(HTMLParser):
    """The elements of a page, as a browser would find them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def facts(tmp_path: Path, runs: dict[str, str], **options: Any) -> ReportData:
    return page.gather([outcome_table(tmp_path / "runs.csv", runs)], resamples=500, **options)


def embedded_data(text: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    return json.loads(found[1])


def test_sentence_names_the_best_and_who_is_not_told_apart(tmp_path: Path) -> None:
    # modest: C = 150, U = 100 of 300, so c@1 = (150 + 100 · 150/300)/300 = 200/300. Its twin differs in one question.
    runs = {
        "guesser": THREE["guesser"],
        "modest": THREE["modest"],
        "twin": "W" + THREE["modest"][1:],
        "weak": THREE["weak"],
    }
    said = answer(facts(tmp_path, runs))
    assert said.text.startswith("modest is best by c@1, 0.667 [")
    assert said.text.endswith("]; not significantly different from twin.")
    assert said.more[0] == "modest got 50.0% of 300 questions right and 16.7% wrong, and left 33.3% unanswered."


def test_sentence_names_those_level_with_the_best(tmp_path: Path) -> None:
    said = answer(facts(tmp_path, {"one": "CCW" * 20, "two": "WCC" * 20}))
    assert said.text.startswith("one is best by c@1, tied with two, 0.667 [")
    assert said.text.endswith("]; not significantly different from two.")


def test_sentence_says_what_accuracy_would_have_said(tmp_path: Path) -> None:
    # bold: 160/300 = 0.533 by both; modest 150/300 and c@1 0.667.
    said = answer(facts(tmp_path, {"bold": "C" * 160 + "W" * 140, "modest": THREE["modest"]}))
    assert said.name == "modest"
    assert said.text.endswith("significantly different from the other run.")
    assert "accuracy, which counts an abstention as a wrong answer, bold would be first (0.533)" in said.more[1]


def test_one_run_and_counts_have_a_sentence_and_a_page(tmp_path: Path) -> None:
    alone = facts(tmp_path, {"alone": "CWU" * 10})
    assert answer(alone).text.startswith("alone scores 0.444 [")
    counts = tmp_path / "counts.csv"
    counts.write_text("run,correct,incorrect,unanswered\nicia,237,156,107\nuaic,236,264,0\n")
    found = page.gather([counts], resamples=200)
    # Peñas & Rodrigo, ACL 2011, Table 3
    assert answer(found).text.startswith("icia has the best c@1, 0.575 [")
    text = page.page(found)
    assert "a counts table has no questions" in text
    assert 'id="grid"' not in text


def test_nothing_that_counts_is_undefined_not_zero(tmp_path: Path) -> None:
    silent = facts(tmp_path, {"mute": "UUU", "also": "UUU"}, measures=["precision"])
    assert answer(silent).text == "precision is undefined for every run, because nothing could be counted."
    assert "undefined" in page.page(silent)


def test_the_price_at_which_the_winner_changes() -> None:
    # penalty(t) = C/n - s W/n with s = t/(1-t): 0.6 - 0.4 s = 0.5 - 0.1 s at s = 1/3, which is t = 1/4.
    won = _winners({"bold": (60, 40, 0), "careful": (50, 10, 40), "never": (0, 10, 90)})
    assert [name for name, _, _ in won] == ["bold", "careful"]
    assert won[0][2] == pytest.approx(0.25)
    assert (won[0][1], won[1][2]) == (0.0, 1.0)


def penalty_words(tmp_path: Path, *rows: str) -> str:
    table = tmp_path / "counts.csv"
    table.write_text("\n".join(["run,correct,incorrect,unanswered", *rows]) + "\n")
    figure = penalty_figure(page.gather([table], resamples=100))
    assert figure
    return figure.words


def test_the_price_above_which_silence_wins(tmp_path: Path) -> None:
    # C - W t/(1-t) = 0 at t = C/(C+W). bold: 60/100; careful: 50/60 = 0.833, ahead from t = 1/4 (as above).
    # At t = 0.9, where the chart ends, bold earns 0.6 - 9 * 0.4 = -3.
    both = ("bold,60,40,0", "careful,50,10,40")
    cut = " The axis is truncated at -0.5."
    said = "The best run is bold from t = 0.00 to 0.25; careful from t = 0.25 to 0.83. For higher t, never answering beats every run"
    assert penalty_words(tmp_path, *both) == f"{said}.{cut}"
    assert penalty_words(tmp_path, *both, "mute,0,0,100") == f"{said} that answers.{cut}"
    # Ahead of careful only where both lie below silence: 0.5 - 0.1 s = 0.1 - 0.05 s at s = 8, t = 0.889,
    # precision 10/15.
    assert "timid" not in penalty_words(tmp_path, *both, "timid,10,5,85")
    # Nothing wrong, so nothing to pay at any price; and no curve below -0.5: at t = 0.9 ok has 0.9 - 9 * 0.1 = 0.
    assert penalty_words(tmp_path, "sure,9,0,91", "ok,90,10,0") == (
        # 0.9 - 0.1 s = 0.09 at s = 8.1, t = 8.1/9.1
        "The best run is ok from t = 0.00 to 0.89; sure from t = 0.89 to 1.00."
    )
    assert penalty_words(tmp_path, "wrong,0,1,99") == "No run earns more than a system that never answers."
    assert _said_of_winners([("a", 0.0, 0.004)], 0.004, False) == "Above t = 0.00 never answering beats every run."
    assert "to 0.9996. For higher t" in _said_of_winners([("a", 0.0, 0.9996)], 0.9996, False)


def test_repeating_gives_the_marked_penalties_and_every_curve(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from nescio.cli.app import run
    from nescio.reporting.page.commands import Commands

    table = outcome_table(tmp_path / "sure.csv", THREE, confidence=True)
    commands = Commands((str(table),), (), ("--resamples", "100"))
    figures = {f.name: f for f in all_figures(page.gather([table], resamples=100, commands=commands))[0]}
    assert [shlex.split(line)[3:5] for line in figures["risk"].command.splitlines()] == [
        ["--run", "modest"],
        ["--run", "guesser"],
        ["--run", "weak"],
    ]
    with pytest.raises(SystemExit) as stopped:
        run([*shlex.split(figures["penalty"].command)[1:], "-f", "json"])
    assert not stopped.value.code
    scores = {(row["run"], row["measure"]): row["value"] for row in json.loads(capfd.readouterr().out)["scores"]}
    # modest: C = 150, W = 50 of 300, so (150 - 50 s)/300 with s = 0, 1/3, 1, 3, 9
    for t, value in (("0", 1 / 2), ("0.25", 4 / 9), ("0.5", 1 / 3), ("0.75", 0.0), ("0.9", -1.0)):
        assert scores["modest", f"penalty(t={t})"] == pytest.approx(value)


def test_parts_say_what_is_grey_and_keep_equal_runs_apart(tmp_path: Path) -> None:
    equal = {f"run{i}": "CWU" * 4 for i in range(8)}
    figure = strata_figure(facts(tmp_path, equal, by="topic"))
    assert figure
    assert figure.words.endswith(" Grey: 2 other runs; names and intervals are in the table.")
    lanes = figure.draw(320).to_dict()["encoding"]["yOffset"]["scale"]["domain"]
    assert len(lanes) == len(set(lanes)) == 7  # six runs and the others
    few = strata_figure(facts(tmp_path, THREE, by="topic"))
    assert few
    assert few.words.endswith(" Intervals are in the table.")
    assert "Grey" not in few.words


def test_outcomes_are_packed_by_question_two_in_a_byte() -> None:
    cells = np.array([[1, 2], [3, 4], [0, 1]], dtype=np.uint8)  # three runs, two questions: 1 3 0 | 2 4 1
    assert list(zlib.decompress(base64.b64decode(packed(cells)), -15)) == [1 | 3 << 4, 0 | 2 << 4, 4 | 1 << 4]


def test_silence_where_there_is_no_answer_is_told_from_an_answer(tmp_path: Path) -> None:
    table = tmp_path / "squad.csv"
    rows = [
        "a,q1,correct,true",
        "a,q2,unanswered,false",
        "a,q3,unanswered,true",
        "a,q4,incorrect,false",
        "b,q1,incorrect,true",
    ]
    table.write_text("\n".join(["run,question,outcome,answerable", *rows]) + "\n")
    data = page.gather([table], resamples=100, missing="unanswered").loaded.data
    assert isinstance(data, Evidence)
    found = dict(zip(data.questions, states(data).T.tolist(), strict=True))
    # 1 right, 2 wrong, 3 unanswered, 4 rightly silent; what b lacks is silence by the policy asked for
    assert found == {"q1": [1, 2], "q2": [4, 4], "q3": [3, 3], "q4": [2, 4]}


def test_too_many_questions_have_no_browser_and_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = facts(tmp_path, {"a": "CWU", "b": "CCC"})
    for limit, words in (("MOST_QUESTIONS", "3 questions are more"), ("MOST_CELLS", "6 outcomes are more")):
        with monkeypatch.context() as patched:
            patched.setattr(f"nescio.reporting.page.browser.{limit}", 2)
            text = page.page(found)
        assert words in text
        assert 'id="grid"' not in text
        assert 'href="#questions"' not in text


def test_texts_keep_letters_and_lose_what_moves_them() -> None:
    assert sanitize("a\x00b\x1b[1m\u202ec\ud800", target="page") == "a\ufffdb\ufffd[1m\ufffdc\ufffd"
    assert sanitize(HOSTILE[3], target="page") == HOSTILE[3]  # joiners hold an emoji together
    assert sanitize("x" * 100_000, 10, target="page") == "xxxxxxxxxx… (99,990 more characters)"
    assert len(set(names(["x" * 500, "x" * 501, "", "x" * 500 + "\0"]))) == 4
    assert json.loads(as_json(list(HOSTILE))) == list(HOSTILE)
    assert not set("<>&\u2028\u2029") & set(as_json(list(HOSTILE)))
    named = [enumerated(each) for each in (["a"], ["a", "b"], list("abcdefg"))]
    assert named == ["a", "a and b", "a, b, c and 4 more"]


def test_a_drawing_keeps_no_script_and_no_link() -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>x</script><g role="g"><a href="u"><path d="M0.123456,1"/></a><path onclick="x" aria-roledescription="rect mark" aria-label="2 &lt; 3"/></g></svg>'
    assert cleaned(svg) == (
        '<svg xmlns="http://www.w3.org/2000/svg" aria-hidden="true" focusable="false"><g><path data-tip="2 &lt; '
        '3" /></g></svg>'
    )


def test_what_was_drawn_before_changes_no_byte(tmp_path: Path) -> None:
    """The drawing engine numbers what it clips by from chart to chart of a process."""
    found = facts(tmp_path, {"a": "CWU" * 4, "b": "CCU" * 4})
    one, other = (page.page(found) for _ in range(2))
    assert "url(#penalty-760-clip1)" in one
    assert one == other


def test_page_is_whole_small_and_forbids_the_network(three_runs_page: Path) -> None:
    text = three_runs_page.read_text(encoding="utf-8")
    assert len(text) < 2_000_000
    elements = Elements(text).found
    loads = [
        (tag, a)
        for tag, a in elements
        for name in ("src", "href", "data", "srcset")
        if a.get(name) and not str(a[name]).startswith(("#", "data:"))
    ]
    assert loads == []
    assert not re.search(r"@import|url\((?!#)", text)
    policy = next(str(a["content"]) for tag, a in elements if tag == "meta" and a.get("http-equiv"))
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)
    assert script
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; script-src 'sha256-{digest}';")
    ids = [a["id"] for _, a in elements if "id" in a]
    assert len(ids) == len(set(ids))
    assert [tag for tag, a in elements if tag == "script"] == ["script", "script"]
    assert not [name for _, a in elements for name in a if name.startswith("on")]


def test_every_figure_has_words_data_and_a_command(three_runs_page: Path) -> None:
    text = three_runs_page.read_text(encoding="utf-8")
    figures = re.findall(r'<figure class="figure[^"]*" id="figure-(\w+)">(.*?)</figure>', text, re.DOTALL)
    assert [name for name, _ in figures] == [
        "intervals",
        "outcomes",
        "gain",
        "penalty",
        "ranks",
        "pairs",
        "risk",
        "reliability",
        "strata",
    ]
    data = embedded_data(text)
    for name, inside in figures:
        assert len(re.sub("<[^>]*>", "", re.findall(r'<p id="words-.*?</p>', inside, re.DOTALL)[0])) > 30
        assert re.search(r"<code>nescio \w+ \S*three.csv", inside)
        assert inside.count("<svg") == (3 if name == "reliability" else 2)  # a panel a run, or two widths
        assert re.search('data-(tip|line)="', inside)
        assert data[name]["rows"]
    words = re.sub(r"\s+", " ", text)
    assert "Bold values are the best in their column, significantly or not." in words
    assert (
        "with these exceptions: for penalty(t), the command gives only the marked values of t; for risk over "
        "coverage, the command gives every point" in words
    )
    assert "; for reliability, the command gives the calibration error but not the bins. The signature" in words
    assert "--seed" not in text  # not given, so no command needs it
    assert "--resamples 500" in text


def test_hostile_data_makes_no_element(hostile_page: Path) -> None:
    text = hostile_page.read_text(encoding="utf-8")
    elements = Elements(text).found
    assert [a.get("type") for tag, a in elements if tag == "script" and a.get("type") != "text/plain"] == [
        "application/json",
        None,
    ]
    assert not {"b", "img", "iframe", "object", "embed"} & {tag for tag, _ in elements}
    assert not [name for _, a in elements for name in a if name.startswith("on")]
    assert not set("\x00\x07\x1b\u202e\u2067") & set(text)
    assert len(text) < 2_000_000
    assert "of questions and answers are cut to 4,000 characters in this page" in text


def test_figures_are_valid_altair_and_written_for_papers(tmp_path: Path) -> None:
    found = facts(tmp_path, THREE, by="topic")
    with_confidence = page.gather([outcome_table(tmp_path / "sure.csv", THREE, confidence=True)], resamples=100)
    for every in (all_figures(found), all_figures(with_confidence)):
        figures, missing = every
        assert missing == ()
        for figure in figures:
            figure.draw(320).to_dict()  # raises where the specification breaks the schema
    written = page.write_figures(found, tmp_path / "figures")
    assert sorted(p.name for p in (tmp_path / "figures").iterdir()) == sorted(
        f"{name}.{end}" for name in written for end in ("svg", "pdf", "png", "vl.json", "csv")
    )
    assert (tmp_path / "figures" / "gain.pdf").read_bytes().startswith(b"%PDF")
    assert (tmp_path / "figures" / "outcomes.csv").read_text() == (
        "run,correct,incorrect,unanswered\nmodest,150,50,100\nguesser,150,150,0\nweak,50,200,50\n"
    )


def test_command_refuses_what_it_cannot_write(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from nescio.cli.app import run

    table = outcome_table(tmp_path / "runs.csv", {"a": "CWU"})
    for arguments, message in (
        (("-o", str(tmp_path / "page.pdf")), "written to .html"),
        (("-o", str(tmp_path / "no" / "x.html")), "no folder"),
    ):
        with pytest.raises(SystemExit) as stopped:
            run(["report", str(table), *arguments])
        assert stopped.value.code == 2
        assert message in capfd.readouterr().err


def test_graded_scores_have_a_page_without_outcomes(tmp_path: Path) -> None:
    matrix = tmp_path / "ap.csv"
    matrix.write_text("topic,one,two\n" + "".join(f"t{i},{i / 20:.2f},{(i * 7 % 20) / 20:.2f}\n" for i in range(20)))
    text = make(tmp_path / "page.html", matrix).read_text()
    assert 'id="figure-outcomes"' not in text
    assert "The score of each run on each of the 20 questions." in text


def test_measures_that_are_no_means_have_no_questions(tmp_path: Path) -> None:
    """A sum over all decisions (precision) says nothing of one question."""
    counts = tmp_path / "counts.csv"
    counts.write_text("run,correct,incorrect,unanswered\nmine,5,3,2\n")
    assert "no question browser" in make(tmp_path / "page.html", counts).read_text()
