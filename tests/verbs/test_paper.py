"""`nescio paper`: every item runs, our values are the papers', and the papers' cells stand in their texts."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import nescio
from nescio.cli.app import run
from nescio.errors import UnknownNameError, UsageError
from nescio.papers import Item, examples, find_item, find_paper, papers
from nescio.verbs._paper_layout import laid_out
from nescio.verbs.paper import Reproduced

ROOT = Path(__file__).parents[2]
HALE = [str(ROOT / "examples" / "papers" / f"hale-{part}.txt") for part in ("key", "run", "found")]
SOURCES = ROOT.parent / "shared" / "sources"
EVERY = [(key, item) for key, paper in papers().items() for item in paper.items]
# What the papers number, as far as we have them: the papers' own counts, by hand.
NUMBERED = {
    "PENAS2011": {"eq": 12, "table": 3, "figure": 3},
    "AVE2007": {"eq": 6, "table": 12, "figure": 4},
}


def reproduced(key: str, label: str, files: Any = ()) -> Reproduced:
    found: Any = nescio.paper(key, label, files)
    assert isinstance(found, Reproduced)
    return found


def shown(key: str, label: str, files: Any, capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    """The lines that the command prints, as their words."""
    with pytest.raises(SystemExit) as ended:
        run(["paper", key, label, *map(str, files)])
    assert ended.value.code == 0
    return [line.split() for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize(
    ("key", "item"),
    [
        pytest.param(key, item, id=f"{key} {item.label}", marks=() if item.rows else pytest.mark.slow)
        for key, item in EVERY
    ],
)
def test_an_item_runs_and_agrees_with_its_paper(key: str, item: Item, capsys: pytest.CaptureFixture[str]) -> None:
    found = reproduced(key, item.label)
    apart = [f"{cell.column} of {cell.row}" for cell in found if cell.agrees is False]
    assert apart == list(item.differs)
    if item.rows and item.basis != "other data" and item.commands:
        assert any(cell.agrees for cell in found)
    said = [" ".join(line) for line in shown(key, item.label, (), capsys)]
    assert any(line.startswith(f"{item.label}:") for line in said)
    assert ("differs" in " ".join(said)) == bool(item.differs)


@pytest.mark.parametrize(
    ("key", "kind", "many"), [(k, kind, n) for k, own in NUMBERED.items() for kind, n in own.items()]
)
def test_what_a_paper_numbers_is_an_item(key: str, kind: str, many: int) -> None:
    for number in range(1, many + 1):
        found = find_item(find_paper(key), f"{kind} {number}")
        assert re.search(rf"\b{number}\b", " ".join((found.label, *found.also)))


TEXTS = {
    "nonresponse-2011.txt": "PENAS2011",
    "nonresponse-2011-b.txt": "PENAS2011",
    "ave-2007-overview.txt": "AVE2007",
    "deep-read-1999-evaluation.txt": "HIRSCHMAN1999",
    "definition-questions-thesis.txt": "TREC2003",
}


@pytest.mark.skipif(not SOURCES.is_dir(), reason="the papers are not beside the checkout")
@pytest.mark.parametrize("name", TEXTS)
def test_what_a_text_names_is_an_item(name: str) -> None:
    """Every table, figure and formula that a text speaks of by its number is found by these words."""
    text = (SOURCES / name).read_text(encoding="utf-8")
    spoken = {" ".join(words) for words in re.findall(r"\b(Table|Figure|Formula)\s+\(?(\d+(?:\.\d+)?)", text)}
    assert len(spoken) > 1
    for words in spoken:
        found = find_item(find_paper(TEXTS[name]), words)
        assert words.rpartition(" ")[2] in " ".join((found.label, *found.also))


def lines_of(item: Item) -> list[list[str]]:
    """The rows of the paper's table as the paper prints them."""
    if not item.across:
        return item.cells
    turned = zip(item.head, *item.cells, strict=True)
    return [list(line[1:]) for line in turned if any(line[1:])]


@pytest.mark.skipif(not SOURCES.is_dir(), reason="the papers are not beside the checkout")
@pytest.mark.parametrize(
    ("label", "item"),
    [(item.label, item) for key, item in EVERY if key == "AVE2007" and item.label.startswith("Table ")],
)
def test_the_cells_of_ave_stand_in_its_text(label: str, item: Item) -> None:
    text = (SOURCES / "ave-2007-overview.txt").read_text(encoding="utf-8").replace("⁽¹⁾", "(1)").replace("Itqa", "ltqa")
    printed = [[cell.strip() for cell in line.split("\t")] for line in text.splitlines() if "\t" in line]
    table = {tuple(filter(None, line)) for line in printed} | {tuple(filter(None, line[1:])) for line in printed}
    rows = [tuple(filter(None, line)) for line in lines_of(item)]
    if label == "Table 12":  # its X stand under systems
        rows, systems = [], printed[[line[0] for line in printed].index("Generates hypotheses") - 1][1:]
        assert tuple(item.head[1:]) == tuple(systems)
        by_name = {line[0].casefold(): line[1:] for line in printed}
        for name, *cells in item.cells:
            own = by_name[name.casefold()]
            assert cells == (own + [""] * len(cells))[: len(cells)], name
    assert [row for row in rows if row not in table] == []


@pytest.mark.skipif(not SOURCES.is_dir(), reason="the papers are not beside the checkout")
@pytest.mark.parametrize("label", ["Table 2", "Table 3"])
def test_the_cells_of_penas_stand_in_its_text(label: str) -> None:
    text = (SOURCES / "nonresponse-2011.txt").read_text(encoding="utf-8")
    for cells in find_item(find_paper("PENAS2011"), label).cells:
        assert " ".join(cells) in text


@pytest.mark.skipif(not SOURCES.is_dir(), reason="the papers are not beside the checkout")
@pytest.mark.parametrize(
    ("name", "label", "said"),
    [
        ("definition-questions-thesis.txt", "Table 3.4", "data"),
        ("deep-read-1999-evaluation.txt", "Figure 2", "data"),
        ("ave-2007-overview.txt", "Section 3", "text"),
    ],
)
def test_what_a_page_quotes_stands_in_the_text(name: str, label: str, said: str) -> None:
    text = " ".join((SOURCES / name).read_text(encoding="utf-8").replace("*", "").split()).replace("1974- ", "1974-")
    lines = getattr(find_item(find_paper(TEXTS[name]), label), said).strip().splitlines()
    quoted = [re.sub(r"^ *[VX] +", "", line).strip() for line in lines]
    quoted = [part for line in quoted for part in line.split(", δ")[:1] if "nuggets" not in line]
    assert len(quoted) > 4
    assert [line for line in quoted if line.replace(" = ", "=") not in text.replace(" = ", "=")] == []


def test_the_rights_of_ave_are_those_of_the_recount() -> None:
    """The golden figures of the task, in the layout of the paper."""
    golden = tomllib.loads((ROOT / "tests" / "tasks" / "ave" / "ave2007.toml").read_text(encoding="utf-8"))
    for language, label in zip(golden["language"], ("Table 8", "Table 9", "Table 10", "Table 11"), strict=True):
        cells = {(cell.row, cell.column): cell for cell in reproduced("AVE2007", label)}
        assert cells["Random", "QA accuracy"].printed == language["random"][0]
        for name, rights in language["rights"].items():
            assert cells[name, "QA accuracy"].value == pytest.approx(rights / language["questions"])


# ---- what is said of values ----


def made_item(printed: str, **more: Any) -> Item:
    item = find_item(find_paper("PENAS2011"), "eq 4")
    return replace(item, rows=f"icia091ro | {printed}", **more)


@pytest.mark.parametrize(
    ("printed", "more", "agrees"),
    [
        ("0.58", {}, True),  # .575436
        ("0.57", {}, False),
        ("0.57", {"cut": True}, True),
        ("57.54%", {}, True),
        ("57.55%", {}, False),
        ("58%", {"digits": 0}, True),
        ("57.5%", {"digits": (0, 1)}, True),
        ("57.5%", {"digits": (1, 2)}, False),
        ("143859/250000", {}, True),
        ("0.575436", {"basis": "by hand"}, True),
        ("0.5754", {"basis": "by hand"}, False),
        ("0.99", {"basis": "other data"}, None),
        ("(1)", {}, None),
    ],
)
def test_a_value_agrees_as_far_as_it_is_printed(printed: str, more: dict[str, Any], agrees: bool | None) -> None:
    found = reproduced("PENAS2011", "eq 4")
    grid, (cell,) = laid_out(found.paper, made_item(printed, **more), found.ran, on_files=False)
    assert grid is not None
    assert cell.agrees is agrees
    assert ("differs by" in grid.rows[0][-1]) == (agrees is False)


# ---- names ----


@pytest.mark.parametrize(
    ("paper", "name", "label"),
    [
        ("deepread", "AnsWdRecall", "footnote 2"),
        ("HIRSCHMAN1999", "footnote 2", "footnote 2"),
        ("HIRSCHMAN1999", "stop list", "footnote 2"),
        ("PENAS2011", "swap", "Figure 3"),
        ("PENAS2011", "estimations", "Section 3"),
        ("PENAS2011", "features", "Section 2.2"),
        ("PENAS2011", "Section 2.2", "Section 2.2"),
        ("PENAS2011", "section3.4", "eq. 5"),
        ("TREC2003", "example", "Table 3.4"),
        ("AVE2007", "mapping", "Section 3"),
        ("PENAS2011", "eq 11", "eq. 11"),
        ("penas2011", "Eq. (11)", "eq. 11"),
        ("penas", "equation 11", "eq. 11"),
        ("nonresponse", "eq11", "eq. 11"),
        ("PENAS2011", "Formula (4)", "eq. 4"),
        ("PENAS2011", "c@1", "eq. 4"),
        ("PENAS2011", "UF", "eq. 1"),
        ("PENAS2011", "algorithm 1", "Figure 1"),
        ("PENAS2011", "§ 4.4", "Section 4.4"),
        ("ave", "tab. 8", "Table 8"),
        ("AVE2007", "TABLE 10 (Portuguese)", "Table 11"),
        ("AVE2007", "fig 2", "Figure 2"),
        ("deep", "figure 3", "Figure 3"),
        ("thesis", "hale", "Table 3.4"),
        ("TREC2003", "NP", "Table 3.5, NP"),
        ("Peñas 2011", "sensitivity", "Table 2"),
        ("Hirschman 1999", "humsent", "Section 2, HumSent"),
        ("Answer Validation Exercise", "precision", "eq. 1"),
        ("AVE 2007", "random_qa_accuracy", "eq. 6"),
        ("ACL 2011", "average precision", "eq. 11"),
        ("Why Language Models Hallucinate", "penalty", "Section 4.2"),
        ("AA-Omniscience", "Table 28", "Public set"),
        ("CRAG", "table 5", "Table 5"),
        ("SimpleQA", "results", "Results"),
        ("error bars", "standard error", "Galleon"),
        ("trec", "Table 3.5", "Table 3.5"),
    ],
)
def test_an_item_is_found_however_it_is_spelled(paper: str, name: str, label: str) -> None:
    assert find_item(find_paper(paper), name).label == label


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["PENAS2012"], "unknown paper 'PENAS2012'; did you mean PENAS2011?"),
        (["HE2023"], "unknown paper 'HE2023'; did you mean HE2024?"),
        (["PENAS2011", "eq 13"], "unknown item of PENAS2011 'eq 13'; did you mean"),
        (["AVE2007", "table 13"], "or Table 12?"),
        (["PENAS2011", "Table 4"], "unknown item of PENAS2011 'Table 4'; did you mean Table 3"),
        (["PENAS2011", "Table 9"], "unknown item of PENAS2011 'Table 9'; did you mean Table 3"),
        (["PENAS2011", "Section 6"], "unknown item of PENAS2011 'Section 6'; did you mean Section 3"),
        (["PENAS2011", "Section 3.6"], "unknown item of PENAS2011 'Section 3.6'; did you mean Section 3.2"),
        (["PENAS2011", "Figure 11"], "unknown item of PENAS2011 'Figure 11'; did you mean Figure 1"),
        (["TREC2003", "zzz"], "; Table 3.5, Allowance; Table 3.5, F; "),
        (["AVE2007", "german"], "'german' fits more than one item of AVE2007: Table 5 (precision, recall and F over"),
        (["AVE2007", "german"], "for German); Table 9 (AV systems among QA systems in German)"),
        (["PENAS2011", "section", "5"], "'section 5' fits more than one item of PENAS2011: Section 5, MRR (mean"),
        (
            ["TREC2003", "Table 3.4", HALE[0]],
            "Table 3.4 of TREC2003 takes KEY RUN... MAPPING, but was giv",
        ),
        (["TREC2003", "Table 3.5, NR", *HALE[:2]], "takes KEY RUN... MAPPING, but was given 2 files"),
        (["PENAS2011", "table 3", "--figure", "table.svg"], "--figure: Table 3 of PENAS2011 is not a drawing"),
        (["PENAS2011", "table 3", "-o", "table.svg"], "--figure: Table 3 of PENAS2011 is not a drawing"),
        (["AVE2007", "table 3", "--figure", "table.svg"], "--figure: Table 3 of AVE2007 is not a drawing"),
        (["PENAS2011", "-o", "table.svg"], "--figure needs an item that is a drawing"),
        (["PENAS2011", "fig 2", "--figure", "ties.csv"], "ties.csv: a figure is written to .svg"),
        (["AVE2007", "figure 1", "x.xml"], "Figure 1 of AVE2007 takes no files; its command is nescio ave build"),
        (["AVE2007", "table 8", str(ROOT / "examples" / "outcomes.csv")], "needs COLLECTION RESPONSES..., but none of"),
        (["AVE2007", "table 8", "nowhere.xml"], "nowhere.xml: there is no such file"),
        (["AVE2007", "table 2", str(ROOT / "examples" / "outcomes.csv")], "outcomes.csv is not an AVE collection"),
        (["PENAS2011", "table 3", "nowhere.csv"], "nowhere.csv: there is no such file"),
    ],
)
def test_what_there_is_not_is_one_error(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(["paper", *words])
    assert ended.value.code == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.startswith("nescio: ")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "label"),
    [
        (["PENAS2011", "eq", "11"], "eq. 11"),
        (["AVE2007", "table", "10", "portuguese"], "Table 11"),
        (["PENAS2011", "eq", "1", str(ROOT / "examples" / "table3.csv")], "eq. 1"),
    ],
)
def test_a_name_without_quotes_is_one_name(words: list[str], label: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(["paper", *words])
    assert ended.value.code == 0
    assert f"\n{label}: " in capsys.readouterr().out


def test_python_raises_what_the_command_says() -> None:
    with pytest.raises(UnknownNameError, match="unknown paper"):
        nescio.paper("nobody")
    with pytest.raises(UsageError, match="takes no files"):
        nescio.paper("AVE2007", "table 12", ["x.xml"])
    assert [row.paper for row in nescio.paper()] == list(papers())
    assert [row.item for row in nescio.paper("AVE2007")] == [item.label for item in papers()["AVE2007"].items]
    assert nescio.paper("PENAS2011", "table 3").signature["item"] == "Table 3"


# ---- files of the user ----


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    return tmp_path / "examples"


@pytest.mark.usefixtures("place")
def test_a_table_of_own_runs_is_laid_out_as_the_papers(capsys: pytest.CaptureFixture[str]) -> None:
    Path("own.csv").write_text("run,correct,incorrect,unanswered\na,2,6,2\nb,5,3,2\n", encoding="utf-8")
    lines = shown("PENAS2011", "table 3", ["own.csv"], capsys)
    head = lines.index(["System", "c@1", "accuracy", "(i)", "correct", "(ii)", "incorrect", "(iii)", "unanswered"])
    # c@1 of b is (5 + 2*5/10)/10, of a (2 + 2*2/10)/10
    assert lines[head + 1 : head + 3] == [["b", "0.60", "0.50", "5", "3", "2"], ["a", "0.24", "0.20", "2", "6", "2"]]


@pytest.mark.usefixtures("place")
def test_own_validators_stand_among_baselines_and_qa_systems(capsys: pytest.CaptureFixture[str]) -> None:
    """Two questions of two answers: V R, and R R. The validator accepts the first answer of each and selects it."""
    answer = '<a id="{0}" value="{1}"><a_str>x{0}</a_str><t_str>t</t_str></a>'
    answers = [answer.format(name, value) for name, value in {"1_1": "VALIDATED", "1_2": "REJECTED"}.items()]
    others = [answer.format(name, "REJECTED") for name in ("2_1", "2_2")]
    questions = "".join(
        f'<q id="{i}" lang="EN"><q_str>Who?</q_str>{"".join(own)}</q>' for i, own in enumerate((answers, others), 1)
    )
    Path("two.xml").write_text(f"<ave>{questions}</ave>", encoding="utf-8")
    Path("mine.txt").write_text("1 1_1 SELECTED 1\n1 1_2 REJECTED 1\n2 2_1 SELECTED 1\n2 2_2 REJECTED 1\n")
    Path("qa.csv").write_text("run,question,outcome\nqa,1,incorrect\nqa,2,incorrect\n")
    lines = shown("AVE2007", "table 4", ["two.xml", "mine.txt"], capsys)
    at = lines.index(["System", "F", "Precision", "Recall"])
    # 1 of 2 accepted is right, of 1: F = 2/3; all four: P = 1/4, F = 2/5; half of them: R = 1/2, F = 1/3
    assert lines[at + 1 : at + 4] == [
        ["mine", "0.67", "0.50", "1.00"],
        ["100%", "VALIDATED", "0.40", "0.25", "1.00"],
        ["50%", "VALIDATED", "0.33", "0.25", "0.50"],
    ]
    lines = shown("AVE2007", "table 8", ["two.xml", "mine.txt", "qa.csv"], capsys)
    at = next(i for i, line in enumerate(lines) if line[:2] == ["System", "System"])
    assert lines[at + 1 : at + 6] == [  # perfect selection 1 of 2, as mine and before it; random (1/2 + 0)/2
        ["Perfect", "selection", "QA", "0.50", "100.00%"],
        ["mine", "AV", "0.50", "100.00%"],
        ["Random", "AV", "0.25", "50.00%"],
        ["qa", "QA", "0.00", "0.00%"],
        ["Left", "out,", "because", "your", "files", "lack", "the", "data:", "Group."],
    ]
    assert "Spanish" not in str(lines)
    lines = shown("AVE2007", "table 2", ["two.xml"], capsys)
    assert [line for line in lines if line and line[0] in ("Questions", "Answers", "VALIDATED", "REJECTED")] == [
        ["Questions", "2"],
        ["Answers", "(final)", "4"],
        ["VALIDATED", "1"],
        ["REJECTED", "3"],
    ]
    assert " ".join(lines[-2][-10:]) == "files lack the data: % over available answers, available answers."
    # random: (1/2 + 0)/2, of a perfect selection of 1/2
    lines = shown("AVE2007", "eq 6", ["two.xml"], capsys)
    at = lines.index(["System", "QA", "accuracy", "%", "of", "perfect", "selection"])
    assert lines[at + 1] == ["Random", "0.25", "50.00%"]
    assert lines[at + 2][0] == "$"
    lines = shown("AVE2007", "section 4", ["two.xml"], capsys)
    at = lines.index(["System", "F", "Precision", "Recall"])
    assert [line[:2] for line in lines[at + 1 : at + 4]] == [
        ["100%", "VALIDATED"],
        ["50%", "VALIDATED"],
        ["$", "nescio"],
    ]
    lines = shown("AVE2007", "figure 2", ["two.xml"], capsys)
    assert sum(line[:1] == ["<pair"] for line in lines) == 4
    assert ["4", "pairs", "of", "2", "questions"] in lines
    assert {path.name for path in Path().iterdir()} >= {"two.xml"}
    assert not Path("pairs.xml").exists()


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("markdown", "| INAOE | tellez_1 | AV | 0.45 | 0.4471 | 75.25% | 75.25% | agrees |"),
        ("latex", r"INAOE & tellez\_1 & AV & 0 & 45 & 0 & 4471 & 75 & 25\% & 75 & 25\% & agrees \\"),
    ],
)
def test_a_table_is_laid_out_in_any_form(form: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(["paper", "AVE2007", "table 8", "-f", form])
    assert ended.value.code == 0
    assert line in [" ".join(own.split()) for own in capsys.readouterr().out.splitlines()]


def test_running_an_item_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    reproduced("AVE2007", "figure 1")
    assert list(tmp_path.iterdir()) == []
    assert Path.cwd() == tmp_path


# ---- the package ----


def test_the_package_has_the_files_that_the_commands_read() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    kept = {Path(source).relative_to("examples").as_posix() for source in included}
    assert all(target == f"nescio/papers/{source}" for source, target in included.items())
    assert all((examples() / name).exists() for name in kept)
    named = {
        word.partition("/")[0].split("*")[0]
        for _, item in EVERY
        for command in (*item.before, *(words for words, _ in item.commands))
        for word in command.split()
        if (examples() / word.partition("*")[0]).exists()
    }
    assert named == kept
