"""The page as a text: what it says, that it is whole in itself, and that nothing in the data can act in it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nescio.evidence import Evidence
from nescio.report import page
from nescio.report.page.browser import packed, states
from nescio.report.page.drawing import cleaned
from nescio.report.page.facts import Facts
from nescio.report.page.figures import _winners, all_figures
from nescio.report.page.sentence import answer
from nescio.report.page.texts import as_json, inert, names, some
from tests.report.conftest import HOSTILE, THREE, make, outcome_table


class Elements(HTMLParser):
    """The elements of a page, as a browser would find them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def facts(tmp_path: Path, runs: dict[str, str], **options: Any) -> Facts:
    return page.gather([outcome_table(tmp_path / "runs.csv", runs)], resamples=500, **options)


def held(text: str) -> Any:
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
    assert said.text.endswith("]; not told apart from twin.")
    assert said.more[0] == "Of 300 questions 50.0% ended correct, 16.7% incorrect and 33.3% unanswered."


def test_sentence_names_those_level_with_the_best(tmp_path: Path) -> None:
    said = answer(facts(tmp_path, {"one": "CCW" * 20, "two": "WCC" * 20}))
    assert said.text.startswith("one is best by c@1, level with two, 0.667 [")
    assert said.text.endswith("]; not told apart from two.")


def test_sentence_says_what_accuracy_would_have_said(tmp_path: Path) -> None:
    # bold: 160/300 = 0.533 by both; modest 150/300 and c@1 0.667.
    said = answer(facts(tmp_path, {"bold": "C" * 160 + "W" * 140, "modest": THREE["modest"]}))
    assert said.name == "modest"
    assert said.text.endswith("told apart from the other run.")
    assert "accuracy, which takes silence for a wrong answer, bold would be first (0.533)" in said.more[1]


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
    assert answer(silent).text == "precision is undefined for every run: nothing could be counted."
    assert "undefined" in page.page(silent)


def test_the_price_at_which_the_winner_changes() -> None:
    # penalty(t) = C/n - s W/n with s = t/(1-t): 0.6 - 0.4 s = 0.5 - 0.1 s at s = 1/3, which is t = 1/4.
    won = _winners({"bold": (60, 40, 0), "careful": (50, 10, 40), "never": (0, 10, 90)})
    assert [name for name, _, _ in won] == ["bold", "careful"]
    assert won[0][2] == pytest.approx(0.25)
    assert (won[0][1], won[1][2]) == (0.0, 1.0)


def test_outcomes_are_packed_by_question_two_in_a_byte() -> None:
    cells = np.array([[1, 2], [3, 4], [0, 1]], dtype=np.uint8)  # three runs, two questions: 1 3 0 | 2 4 1
    assert list(base64.b64decode(packed(cells))) == [1 | 3 << 4, 0 | 2 << 4, 4 | 1 << 4]


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
            patched.setattr(f"nescio.report.page.browser.{limit}", 2)
            text = page.page(found)
        assert words in text
        assert 'id="grid"' not in text
        assert 'href="#questions"' not in text


def test_texts_keep_letters_and_lose_what_moves_them() -> None:
    assert inert("a\x00b\x1b[1m\u202ec\ud800") == "a\ufffdb\ufffd[1m\ufffdc\ufffd"
    assert inert(HOSTILE[3]) == HOSTILE[3]  # joiners hold an emoji together
    assert inert("x" * 100_000, 10) == "xxxxxxxxxx… (99,990 more characters)"
    assert len(set(names(["x" * 500, "x" * 501, "", "x" * 500 + "\0"]))) == 4
    assert json.loads(as_json(list(HOSTILE))) == list(HOSTILE)
    assert not set("<>&\u2028\u2029") & set(as_json(list(HOSTILE)))
    assert (some(["a"]), some(["a", "b"]), some(list("abcdefg"))) == ("a", "a and b", "a, b, c and 4 more")


def test_a_drawing_keeps_no_script_and_no_link() -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>x</script><g role="g"><a href="u"><path d="M0.123456,1"/></a><path onclick="x" aria-roledescription="rect mark" aria-label="2 &lt; 3"/></g></svg>'
    assert cleaned(svg) == (
        '<svg xmlns="http://www.w3.org/2000/svg" aria-hidden="true" focusable="false"><g><path data-tip="2 &lt; 3"/></g></svg>'
    )


def test_page_is_whole_small_and_forbids_the_network(three: Path) -> None:
    text = three.read_text(encoding="utf-8")
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


def test_every_figure_has_words_data_and_a_command(three: Path) -> None:
    text = three.read_text(encoding="utf-8")
    figures = re.findall(r'<figure class="figure" id="figure-(\w+)">(.*?)</figure>', text, re.DOTALL)
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
    data = held(text)
    for name, inside in figures:
        assert len(re.sub("<[^>]*>", "", re.findall(r'<p id="words-.*?</p>', inside, re.DOTALL)[0])) > 30
        assert re.search(r"<code>nescio \w+ \S*three.csv", inside)
        assert inside.count("<svg") == 2
        assert 'data-tip="' in inside
        assert data[name]["rows"]
    assert "--seed" not in text  # not given, so no command needs it
    assert "--resamples 500" in text


def test_hostile_data_makes_no_element(hostile: Path) -> None:
    text = hostile.read_text(encoding="utf-8")
    elements = Elements(text).found
    assert [tag for tag, _ in elements].count("script") == 2
    assert not {"b", "img", "iframe", "object", "embed"} & {tag for tag, _ in elements}
    assert not [name for _, a in elements for name in a if name.startswith("on")]
    assert not set("\x00\x07\x1b\u202e\u2067") & set(text)
    assert len(text) < 2_000_000
    assert "98,005 more characters" in text


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
    from nescio.cli._app import run

    table = outcome_table(tmp_path / "runs.csv", {"a": "CWU"})
    for arguments, message in (
        ((), "name the page"),
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
    assert "no browser of questions" in text
    assert 'id="figure-outcomes"' not in text
