"""`nescio paper`: what its pages say of their values, of the user's files and of the files that they write."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from nescio.cli.app import run
from nescio.papers import Item, examples, find_item, find_paper, papers
from tests.verbs.test_paper import EVERY, HALE, ROOT, reproduced, shown

OURS = ["PENAS2011", "AVE2007", "HIRSCHMAN1999", "TREC2003"]


@pytest.mark.parametrize(
    ("key", "label", "lines"),
    [
        # B4: whose data ours are
        *(("AVE2007", label, ["the paper's answers were never published"]) for label in ("eq 1", "eq 5", "fig 4")),
        ("AVE2007", "section 4", ["`ave2007-de.xml` is made up"]),
        *(("AVE2007", f"Table {n}", ["Both are worked back from the printed ratios"]) for n in (4, 5, 6, 7)),
        *(("AVE2007", f"Table {n}", ["right selections are worked back from the printed"]) for n in (8, 9, 10, 11)),
        # 528 of 1,187 is 44.48%, of 1,213 43.53%, of 1,186 44.52% and of 1,214 43.49%
        ("AVE2007", "Table 1", ["so these agree by construction", "44% of the Dutch answers are 528 of 1187 to 1213"]),
        # B5: the paper prints 8 * 5 = 40 cells in Table 1; in Table 2 it prints 8 * 6 - 3 = 45, Questions and French alone
        ("AVE2007", "Table 1", ["All 32 values that nescio computes agree", "does not compute the other 8 values"]),
        ("AVE2007", "Table 2", ["All 36 values that nescio computes agree", "does not compute the other 9 values"]),
        # B6: whose value a column has
        *(
            ("AVE2007", label, ["Where no column of our values follows, our values equal the paper's"])
            for label in ("eq 5", "eq 6", "Table 3")
        ),
        ("AVE2007", "Table 2", ["Where no row of our values follows, our values equal the paper's."]),
        # B7: 54 of 113 rightly selected, 13 rightly rejected: (54 + 13 * 54/113)/113
        ("PENAS2011", "Section 5, AVE", ["iglockner_1       54/113  0.4779                6804/12769  0.5329  agrees"]),
        ("HIRSCHMAN1999", "correlations", ["From the 13 systems of the paper's Table 1 we compute .943"]),
        ("HIRSCHMAN1999", "HumSent", ["`sentences` of questions in JSON Lines counts from 0"]),
        (
            "HIRSCHMAN1999",
            "fig 2",
            ["Answer key: Library of Congress", "2. From the start, it was our national library."],
        ),
        ("HIRSCHMAN1999", "footnote 2", ["precision = matching content words / content words in system response"]),
        ("AVE2007", "Section 3", ["Answers judged as Inexact have a value equal to UNKNOWN"]),
        ("AVE2007", "Table 10", ["The paper calls the table in Portuguese Table 10 too"]),
        ("PENAS2011", "Table 2", ["0.17/0.48 is 35.42%", "UF -m c@1 -m accuracy --fresh"]),
        ("PENAS2011", "eq 10", ["i = 3             2"]),
        (
            "TREC2003",
            "Table 3.4",
            ["β = 5, δ = 100", "His wife wrote a book about him and his illness – “The Man Who lost"],
        ),
        ("TREC2003", "Table 3.4", ["Table 3.4' KEY RUN... MAPPING"]),
        ("TREC2003", "Table 3.5", ["Sir John Hale  3/4  0.7500   1  1.0000    0.7572  0.7573  agrees"]),
        ("TREC2003", "length = allowance", ["TREC allows up to and including 500"]),
        ("HIRSCHMAN1999", "Table 1", ["-o run.jsonl\n$ nescio read score developset/ run.jsonl"]),
        ("PENAS2011", "eq 9", [f"in a copy of {examples()}:"]),
    ],
)
def test_a_page_says(key: str, label: str, lines: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(["paper", key, label])
    assert ended.value.code == 0
    out = capsys.readouterr().out
    assert [line for line in lines if line not in out] == []


def test_the_statement_on_the_dutch_answers_is_exact() -> None:
    """Table 1 prints 44% for 528 answers, without decimals."""
    fit = [n for n in range(1000, 1500) if round(100 * 528 / n) == 44]
    assert (
        f"44% of the Dutch answers are 528 of {fit[0]} to {fit[-1]}"
        in find_item(find_paper("AVE2007"), "Table 1").remark
    )


def test_c_of_i_is_counted_of_the_ranked_answers() -> None:
    assert [cell.value for cell in reproduced("PENAS2011", "eq 10")] == [1, 1, 2, 2]  # right, wrong, right, silent


@pytest.mark.parametrize("label", ["eq 7", "eq 8", "Figure 1", "Figure 2", "Figure 3", "Table 2"])
def test_the_algorithms_of_penas_draw_anew_for_each_pair(label: str) -> None:
    """As Figures 1 and 3 print them: the draw is inside the loop over pairs."""
    assert all(" --fresh" in ran.command for ran in reproduced("PENAS2011", label).ran)


def test_items_stand_in_the_order_of_the_paper() -> None:
    """By the sections of the text, in which eq. 1 comes before Section 2.1, and eq. 5 in Section 3.4."""
    labels = [item.label for item in papers()["PENAS2011"].items]
    order = ["eq. 1", "eq. 3", "eq. 4", "Section 3", "Section 3.1", "Section 3.2", "eq. 5", "eq. 6", "Section 4.1"]
    order += ["Figure 1", "eq. 7", "Figure 3", "Table 3", "Section 4.4", "Section 5, MRR", "eq. 9", "eq. 12"]
    assert [label for label in labels if label in order] == order
    deep = [item.label for item in papers()["HIRSCHMAN1999"].items]
    assert deep.index("Section 2, SAT") < deep.index("Section 3, the system")


def test_no_title_is_empty_and_no_remark_ends_in_a_link(capsys: pytest.CaptureFixture[str]) -> None:
    items = [(key, item) for key, item in EVERY if key in OURS]
    assert [item.label for _, item in items if not item.title] == []
    before_links = [item.remark.partition("[")[0] for _, item in items if "](" in item.remark]
    assert len(before_links) > 4
    assert all(text.endswith("he documentation's page ") for text in before_links)
    shown("PENAS2011", "pearson", (), capsys)


# ---- files of the user, and files that are written ----


def test_a_page_on_own_files_shows_no_data_of_the_paper(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown("TREC2003", "Table 3.4", HALE, capsys)
    assert ["toy", "0.75", "1.00", "0.76"] in lines
    assert not {"Hale", "Brilliant", "Historian", "Hale?”,"} & {word for line in lines for word in line}
    lines = shown("TREC2003", "Table 3.5, F", HALE, capsys)
    assert any(line[:1] == ["F_β(LiQ)"] for line in lines)  # a formula stays


def test_figure_2_of_deep_read_keeps_pronouns_of_own_files(capsys: pytest.CaptureFixture[str]) -> None:
    names = ("questions", "stories", "1", "2")
    files = [ROOT / "examples" / "papers" / f"library-{name}.jsonl" for name in names]
    lines = shown("HIRSCHMAN1999", "Figure 2", files, capsys)
    assert ["Response", "recall", "precision"] in lines
    assert ["library-2", "50.00%", "16.67%"] in lines  # 1/6, with it and our


def test_own_measures_stand_in_the_order_of_the_paper() -> None:
    found = reproduced("PENAS2011", "table 2", [ROOT / "examples" / "outcomes.csv"])
    assert list(dict.fromkeys(cell.row for cell in found)) == ["UF", "c@1", "accuracy"]


@pytest.mark.parametrize(
    ("key", "label", "files"),
    [
        ("PENAS2011", "fig 2", []),
        ("PENAS2011", "fig 2", ["outcomes.csv"]),
        ("PENAS2011", "ROC", []),
        ("PENAS2011", "ROC", ["collection.xml", "validator.txt"]),
        ("HIRSCHMAN1999", "fig 3", []),
    ],
)
@pytest.mark.parametrize("option", ["--figure", "-o"])
def test_a_drawing_is_written_where_it_is_asked_for(
    key: str, label: str, files: list[str], option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    if "collection.xml" in files:
        words = ["ave", "build", "questions.jsonl", *map(str, sorted(Path("runs").glob("*.jsonl")))]
        with pytest.raises(SystemExit):
            run([*words, "--judgements", "judged.csv", "-o", "collection.xml"])
        capsys.readouterr()
    before = {*Path().iterdir()}
    shown(key, label, files, capsys)
    assert {*Path().iterdir()} == before
    with pytest.raises(SystemExit) as ended:
        run(["paper", key, label, *files, option, "drawing.svg"])
    assert ended.value.code == 0
    assert "wrote drawing.svg" in capsys.readouterr().err
    assert {path.name for path in {*Path().iterdir()} - before} == {"drawing.svg"}
    assert Path("drawing.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize(
    ("key", "item"),
    [
        pytest.param(key, item, id=f"{key} {item.label}")
        for key, item in EVERY
        if any(re.search(r" -o |\.svg", command) for command, _ in item.commands)
    ],
)
def test_no_page_says_that_it_wrote_what_is_gone(
    key: str, item: Item, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    said = [" ".join(line) for line in shown(key, item.label, (), capsys)]
    assert not [line for line in said if re.search(r"\bwrote \S+\.\w+", line)]
    assert list(tmp_path.iterdir()) == []
