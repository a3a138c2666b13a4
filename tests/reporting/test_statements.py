"""Every figure in every sentence of the first screen, on pages of many kinds of data, made again from what `score`,
`compare`, `tune` and `tune-pair` give as JSON, from counts, and from SciPy."""

from __future__ import annotations

import csv
import html
import json
import math
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, dirichlet_multinomial

import nescio
from nescio.reporting import page as pages
from nescio.reporting.numbers import number, signed
from nescio.reporting.page.deciding import FEWEST, TOLERATED, promise_in_words, promises, tolerated
from nescio.reporting.page.how_to_read import words
from nescio.reporting.page.sentence import advice, answer, statements
from nescio.reporting.page.statements import KINDS
from tests.browser import Opened
from tests.reporting.conftest import THREE, make, outcome_table

ROOT = Path(__file__).parents[2]
EXAMPLES, SHARED = ROOT / "examples", ROOT.parent / "shared" / "data"
RESAMPLES = 500
NUMBER = re.compile(r"(?<![\w.@])[+-]?\d+(?:,\d{3})*(?:\.\d+)?%?")

Files = list[Path]


def table(runs: dict[str, str], *, confidence: bool = False) -> Callable[[Path], Files]:
    return lambda folder: [outcome_table(folder / "runs.csv", runs, confidence=confidence)]


def clustered(folder: Path, column: str = "cluster") -> Files:
    path = folder / f"{column}.csv"
    rows = [
        f"{run},q{i},{'correct' if (i * k) % 7 % 3 else 'incorrect'},s{i // 4}"
        for run, k in (("a", 3), ("b", 5))
        for i in range(120)
    ]
    path.write_text(f"run,question,outcome,{column}\n" + "\n".join(rows) + "\n")
    return [path]


def counts(folder: Path) -> Files:
    path = folder / "counts.csv"
    path.write_text("run,correct,incorrect,unanswered\nicia,237,156,107\nuaic,236,264,0\n")
    return [path]


def shared(*patterns: str) -> Callable[[Path], Files]:
    return lambda _: [file for pattern in patterns for file in sorted(SHARED.glob(pattern))]


RNG = np.random.default_rng(5)
MANY = {f"run{i:03}": "".join(RNG.choice(list("CCCWU"), 60)) for i in range(300)}
KEEN = {"keen": "C" * 120 + "WC" * 10 + "W" * 60, "dull": "CWWWW" * 40}

PAGES: dict[str, Callable[[Path], Files]] = {
    "outcomes, some unanswerable": lambda _: [EXAMPLES / "outcomes.csv"],
    "repeats": lambda _: [EXAMPLES / "trials.csv"],
    "no confidences": table(THREE),
    "confidences": table(THREE, confidence=True),
    "a threshold pays": table(KEEN, confidence=True),
    "one run": table({"alone": "CCWU" * 20}),
    "two questions": table({"a": "CW", "b": "WC"}),
    "30 equal runs": table({name: letters.replace("U", "W") for name, letters in list(MANY.items())[:30]}),
    "long names": table({f"{'long ' * 20}{name}": letters for name, letters in THREE.items()}),
    "all silent": table({"a": "U" * 40, "b": "U" * 40}),
    "none right": table({"a": "W" * 40, "b": "UW" * 20}),
    "all alike": table({"a": "CCW" * 20, "b": "CCW" * 20}),
    "clusters": clustered,
    "stories": lambda folder: clustered(folder, "story_id"),
    "counts": counts,
    "a log of lm-eval": shared("logs/lm_eval/gsm8k_phi3_10docs/*.jsonl"),
    "a log of DeepEval": lambda _: sorted((EXAMPLES / "deepeval").glob("*.json"))[:1],
    "a log of promptfoo": lambda _: sorted((EXAMPLES / "logs" / "promptfoo").glob("*.json")),
}
SLOW: dict[str, Callable[[Path], Files]] = {
    "300 runs": table(MANY),
    "PAN": shared("pan20/truth.jsonl", "pan20/runs/*/*"),
    "MMLU-Pro": shared("mmlu_pro/outcomes.parquet"),
}
CHOOSE: dict[str, dict[str, Any]] = {
    "a log of lm-eval": {"choose": {"filter": "strict-match"}},
    "a log of DeepEval": {"ungraded": "exclude"},
    "a log of promptfoo": {"ungraded": "exclude"},
}


class Made:
    """A page's data, and what JSON says of the same files."""

    def __init__(self, name: str, folder: Path) -> None:
        files = (PAGES | SLOW)[name](folder)
        if not files:
            pytest.skip("../shared/data is not here")
        self.files, self.how = files, CHOOSE.get(name, {})
        self.report = pages.gather(files, resamples=RESAMPLES, **self.how)
        self.scores = json.loads(json.dumps(nescio.score(files, resamples=RESAMPLES, **self.how).to_dict()))["scores"]
        self.k = len(self.report.runs)
        self.main = self.report.main

    def score(self, run: str, measure: str | None = None) -> dict[str, Any]:
        return next(row for row in self.scores if (row["run"], row["measure"]) == (run, measure or self.main))

    def counted(self, run: str) -> tuple[int, int, int, int, int]:
        """Correct, incorrect, unanswered; answered, and wrongly so: straight from the table of outcomes."""
        path = self.files[0]
        if path.suffix != ".csv" or "outcome" not in path.read_text().partition("\n")[0]:
            c, w, u = self.report.counts[run]
            return c, w, u, c + w, w
        with path.open(newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["run"] == run]
        of = Counter((row["outcome"], row.get("answerable", "true") != "false") for row in rows)
        silent_right, answered_right = of["unanswered", False], of["correct", True]
        wrong = of["incorrect", True] + of["incorrect", False] + of["correct", False]
        return answered_right + silent_right, wrong, of["unanswered", True], answered_right + wrong, wrong


@pytest.fixture(scope="module")
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    return Made(request.param, tmp_path_factory.mktemp("page"))


def percent(share: float) -> str:
    return f"{share:.0%}"


def above(share: float) -> str:
    """A bound is never rounded down; a tenth of a percent below ten."""
    return f"{math.ceil(share * 1000 - 1e-9) / 10:.1f}%" if share < 0.1 else f"{math.ceil(share * 100 - 1e-9)}%"


def predicted(counts: tuple[int, int, int], runs: int) -> tuple[float, float]:
    """The prediction interval of c@1 on as many questions, every outcome by SciPy's Dirichlet-multinomial."""
    c, w, u = counts
    n = c + w + u
    law = dirichlet_multinomial(np.array([c, w, u]) + 0.5, n)
    outcomes = np.array([(i, j, n - i - j) for i in range(n + 1) for j in range(n + 1 - i)])
    values = outcomes[:, 0] / n * (1 + outcomes[:, 2] / n)
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(law.pmf(outcomes)[order])
    alpha = 0.05 / runs
    ends = np.searchsorted(reached, [alpha / 2 + 1e-12, 1 - alpha / 2 + 1e-12])
    low, high = values[order][np.minimum(ends, len(order) - 1)]
    return float(low), float(high)


def expected(made: Made, kind: str, figures: dict[str, Any]) -> set[str] | None:
    """The numbers that a sentence of a kind may hold, made again; None where the kind has its own test below."""
    run = made.report.shipping.run if made.report.shipping else made.report.runs[0]
    tuned = made.report.shipping.tuned if made.report.shipping else None
    c, w, u, answered, wrong = made.counted(run)
    n = c + w + u
    if kind == "did":
        return {percent(answered / n), percent(wrong / answered)}
    if kind == "held out":
        row = nescio.tune(made.files, made.main, run=run, resamples=RESAMPLES, **made.how).rows[0]
        assert tuned is not None
        assert row.threshold == pytest.approx(tuned.threshold)
        return {f"{row.threshold:.3g}", percent(row.coverage_held_out), percent(row.risk_held_out)}
    if kind == "wrong":
        if figures["upper"] is None:
            return set()
        thresholds = any(made.report.operating)
        if tuned:
            row = nescio.tune(made.files, made.main, run=run, resamples=RESAMPLES, **made.how).rows[0]
            size = round(row.coverage * row.n)
            answered, wrong = size, round(row.risk * size)
            confident = made.report.operating[run].points[-1].answered
            tried = 2 * made.k * round(confident)
        else:
            tried = made.k * (2 if thresholds else 1)
        upper = float(beta.ppf(1 - 0.05 / tried, wrong + 1, answered - wrong)) if wrong < answered else 1.0
        assert upper == pytest.approx(figures["upper"], abs=1e-9)
        return {above(upper), "95%", f"{made.k:,}"}
    if kind == "best":
        best = made.report.runs[0]
        rows = nescio.score(made.files, [made.main], simultaneous=True, resamples=RESAMPLES, **made.how)
        of_best = next(one for one in rows if one.run == best)
        assert of_best.value == pytest.approx(made.score(best)["value"])
        return {number(of_best.value), number(of_best.low), number(of_best.high)}
    if kind == "another sample":
        counts = made.counted(made.report.runs[0])[:3]
        size = sum(counts)
        low, high = predicted(counts, made.k) if size <= 400 else (figures["low"], figures["high"])
        assert (figures["low"], figures["high"]) == pytest.approx((low, high), abs=1e-9)
        return {f"{size:,}", number(low), number(high), "95%", f"{made.k:,}"}
    return None


def paired(made: Made) -> tuple[float, bool]:
    """The p-value of the run chosen against the next best, each as the advice has it."""
    shipping = made.report.shipping
    assert shipping is not None
    assert shipping.other is not None
    two = {"run": shipping.run, "baseline": shipping.other, "resamples": RESAMPLES, **made.how}
    if shipping.tuned and shipping.other_tuned:
        row = nescio.tune_pair(made.files, made.main, **two).comparison
    elif shipping.tuned or shipping.other_tuned:
        assert shipping.comparison is not None
        row = shipping.comparison
    else:
        row = nescio.compare(made.files, [made.main], **two).rows[0]
    assert row.p is not None
    return row.p, row.significant


def more_numbers(made: Made) -> set[str]:
    """The numbers of the other sentences: what a run did, ties, evidence, groups, and degenerate cases."""
    shipping, best = made.report.shipping, made.report.runs[0]
    found = {f"{made.k:,}", f"{len(made.report.runs) - 1}", "95%", f"{FEWEST}"}
    c, w, u, *_ = made.counted(best)
    n = max(1, c + w + u)
    found |= {f"{c / n:.1%}", f"{w / n:.1%}", f"{u / n:.1%}", f"{c + w + u:,}", f"{made.score(best)['n']:,}"}
    shares = [made.counted(run)[0] / max(1, sum(made.counted(run)[:3])) for run in made.report.runs]
    found |= {number(max(shares)), number(made.score(best)["value"] or 0)}
    alike = sum(not pair.significant for (one, _), pair in made.report.pairs.items() if one == best)
    found.add(f"{alike - 2}")  # "a, b, c and 5 more"
    found.add(f"{max(0, alike - 3)}")
    if shipping:
        tuned = [one for one in (shipping.tuned, shipping.other_tuned, *(own for _, own in shipping.alike)) if one]
        found |= {f"{one.threshold:.3g}" for one in tuned}
        found |= {f"{len(shipping.alike) - 3}"}
        if shipping.comparison is not None:
            p, significant = paired(made)
            assert shipping.comparison.significant == significant
            found.add(f"{p:.2f}")
    return found


def check(made: Made) -> None:
    """Hold each sentence's numbers to those made again, and the screen to the sentences."""
    said = statements(made.report)
    for one in said:
        assert one.kind in KINDS
        numbers = expected(made, one.kind, dict(one.figures))
        if numbers is not None:
            text = without_names(made, one.text)
            assert set(NUMBER.findall(text)) <= numbers | {f"{made.k:,}"}, (one.kind, one.text, numbers)
    explained = more_numbers(made) | {
        number for one in said if one.kind not in ("tied", "did not") for number in _own(made, one)
    }
    shown = answer(made.report)
    for text in (shown.text, shown.advice, *shown.more):
        strange = set(NUMBER.findall(without_names(made, text))) - explained
        assert not strange, (strange, text)


def _own(made: Made, one: Any) -> set[str]:
    """The numbers of a sentence that `expected` has checked, or its own figures as they are counted here."""
    numbers = expected(made, one.kind, dict(one.figures))
    if numbers is not None:
        return numbers
    if one.kind == "evidence":
        seen: dict[str, Any] = dict(
            next(iter(s.figures for s in statements(made.report) if s.kind in ("did", "held out")))
        )
        bound: dict[str, Any] = dict(next(iter(s.figures for s in statements(made.report) if s.kind == "wrong")))
        share = seen["risk"] if "risk" in seen else seen["wrong"] / seen["answered"]
        return set() if bound["upper"] is None else {f"{100 * (bound['upper'] - share):.0f}"}
    if one.kind == "groups":
        with made.files[0].open(newline="") as file:
            groups = Counter(
                row[one.figures["column"]] for row in csv.DictReader(file) if row["run"] == made.report.runs[0]
            )
        several = [size for size in groups.values() if size > 1]
        return {f"{len(several):,}", f"{sum(several):,}"}
    if one.kind == "no decision":
        lost = sum(
            "[invalid]" in str(json.loads(line)["filtered_resps"])
            for line in made.files[0].read_text().splitlines()
            if json.loads(line).get("filter") == "strict-match"
        )
        assert one.figures["lost"] == lost
        return {f"{lost:,}", f"{one.figures['of']:,}"}
    if one.kind in ("degenerate", "alike"):
        return {str(one.figures.get(name, "")) for name in ("units", "runs", "fewest")}
    return set()


def without_names(made: Made, text: str) -> str:
    """Take out what is no figure of a sentence: names of runs, measures and commands."""
    text = re.sub(r"`[^`]*`", "", text)
    for name in sorted([*made.report.shown.values(), made.main, "c@1"], key=len, reverse=True):
        text = text.replace(name, "")
    return text


@pytest.mark.parametrize("made", PAGES, indirect=True)
def test_every_figure_is_made_again(made: Made) -> None:
    check(made)


@pytest.mark.slow
@pytest.mark.parametrize("made", SLOW, indirect=True)
def test_every_figure_of_a_large_page_is_made_again(made: Made) -> None:
    check(made)


def test_a_diff_and_a_suite_say_what_json_says(tmp_path: Path) -> None:
    table = EXAMPLES / "outcomes.csv"
    text = make(tmp_path / "diff.html", table, "--baseline", "old", "--run", "mine").read_text(encoding="utf-8")
    row = nescio.compare(table, ["c@1"], baseline="old", run="mine", resamples=500).to_dict()["comparisons"][0]
    values = {one["run"]: one["value"] for one in nescio.score(table, ["c@1"], ci=None).to_dict()["scores"]}
    said = html.unescape(re.sub("<[^>]+>", "", re.search(r"<h1.*?</h1>", text, re.DOTALL)[0]))  # type: ignore[index]
    expected = {
        number(values["mine"]),
        number(values["old"]),
        *(signed(row[name]) for name in ("difference", "low", "high")),
    }
    assert (
        set(NUMBER.findall(said.replace("c@1", "").replace("p\u00a0<\u00a00.001", ""))) - {number(row["p"])} <= expected
    )
    suite = EXAMPLES / "suite" / "suite.toml"
    text = make(tmp_path / "suite.html", suite).read_text(encoding="utf-8")
    said = html.unescape(re.sub("<[^>]+>", "", re.search(r"<h1.*?</h1>", text, re.DOTALL)[0]))  # type: ignore[index]
    means = json.dumps(nescio.score(suite, resamples=500).to_dict())
    held = {number(float(one)) for one in re.findall(r"\d\.\d+", means)}
    assert {one for one in NUMBER.findall(said.replace("c@1", "")) if "." in one} <= held


RISKS = (1, 5, 8, 10, 15, 20, 33, 50, 100)


def test_the_errors_tolerated_pick_what_python_picks(tmp_path: Path, visit: Any) -> None:
    """The page's run and threshold at each tolerance are those of `tolerated`, and its slider, its link and its address
    follow."""
    path = outcome_table(tmp_path / "three.csv", {**THREE, "keen": "C" * 150 + "WC" * 30 + "W" * 90}, confidence=True)
    opened: Opened = visit(make(tmp_path / "page.html", path))
    page = opened.page
    report = pages.gather([path], resamples=RESAMPLES)
    made = promises(report)
    tried = 4 * 21
    for risk in RISKS:
        page.fill("#d-risk", str(risk))
        shown, one = page.inner_text("#d-says"), tolerated(made, risk / 100)
        if one is None:
            needed = math.ceil(math.log(0.05 / tried) / math.log1p(-risk / 100) - 1e-9)
            few = max(each.answered for each in made) < needed  # else errors stand in the way, and not their number
            why = f"it would take {needed:,} answers without an error" if few else "too many of the answers are wrong"
            assert shown.startswith(f"No run can promise that on these questions: {why}")
            assert promise_in_words(report, None, risk / 100).endswith(f"{why}.")
            continue
        upper = (
            float(beta.ppf(1 - 0.05 / tried, one.wrong + 1, one.answered - one.wrong))
            if one.wrong < one.answered
            else 1
        )
        where = "as it is" if one.threshold is None else f"at threshold {one.threshold:.6g}"
        assert shown == (
            f"Ship {one.run} {where}: it answers {one.answered} of 300 ({100 * one.answered / 300:.0f}%), {one.wrong} of these "
            f"wrongly here, and at most {above(upper)} on others like them, with 95% confidence, every run and threshold looked at."
        )
        if one.threshold is not None:
            row = page.locator("#thresholds tbody tr", has=page.locator("th", has_text=one.run))
            assert float(row.locator('[data-is="threshold"]').inner_text()) == pytest.approx(one.threshold, rel=1e-5)
            assert page.locator("#figure-risk circle.chosen").count() >= 1
    assert tolerated(made, 1.0) is not None
    page.fill("#d-risk", "33")
    assert "tolerate=33" in page.evaluate("location.hash")
    page.reload()
    assert page.input_value("#d-risk") == "33"
    if page.locator("#d-read").is_visible():
        page.click("#d-read")
        one = tolerated(made, 0.33)
        assert one is not None
        assert page.inner_text("#f-count").startswith(f"{one.wrong} of 300")
    assert TOLERATED == 0.05
    opened.assert_quiet()


def kinds(*files: Path, measure: str = "c@1") -> dict[str, Any]:
    report = pages.gather(files, [measure], resamples=200)
    return {one.kind: one for one in statements(report)}


@pytest.mark.parametrize(
    ("runs", "wrong", "advice"),
    [
        (
            {"a": "WWC" * 20, "b": "WWWC" * 15},
            40,
            "a is the best of these, but most of its answers are wrong: do not ship it. a",
        ),
        ({"a": "UWWC" * 20}, 40, "Do not ship a: most of its answers are wrong. a answers 75%"),
        ({"a": "WC" * 30, "b": "WWC" * 20}, None, "Ship a as it is: it answers 100%, and 50%"),
    ],
)
def test_what_is_mostly_wrong_is_not_to_be_shipped(
    runs: dict[str, str], wrong: int | None, advice: str, tmp_path: Path
) -> None:
    file = outcome_table(tmp_path / "table.csv", runs)
    said = kinds(file)
    assert (said["mostly wrong"].figures["wrong"] if wrong else said.get("mostly wrong")) == wrong
    assert answer(pages.gather([file], resamples=200)).advice.startswith(advice)


def test_a_threshold_at_which_most_answers_are_wrong_is_not_to_be_shipped(tmp_path: Path) -> None:
    file = outcome_table(tmp_path / "table.csv", {"a": "WWC" * 30 + "W" * 60}, confidence=True)
    said = kinds(file)
    tuned = nescio.tune(file, "c@1", resamples=200).rows[0]
    assert tuned.risk_held_out > 0.5
    assert said["mostly wrong"].text.startswith(
        f"Do not ship a at threshold {tuned.threshold:.3g}: most of its answers"
    )
    assert said["held out"].text.startswith("a at threshold")


def test_what_silence_beats_by_a_stated_price_is_not_to_be_shipped(tmp_path: Path) -> None:
    """Of 60 answers 20 are wrong: 40 - 3 · 20 is below 0, which silence earns; at a price of 1 it is not."""
    file = outcome_table(tmp_path / "table.csv", {"a": "WCC" * 20, "b": "WWC" * 20})
    dear = kinds(file, measure="penalty(t=0.75)")
    assert dear["silence"].text == (
        "a is the best of these, but never answering scores more by penalty(t=0.75): do not ship it."
    )
    assert dear["silence"].figures["value"] == pytest.approx(-1 / 3)
    assert dear["silence"].figures["silence"] == 0
    assert not dear["did"].text.startswith("Ship")
    assert not {"silence", "mostly wrong"} & kinds(file, measure="penalty(t=0.5)").keys()


def confident(path: Path, rows: list[tuple[str, str, float]]) -> Path:
    """One run: the outcome of each answer, or of the candidate that was declined, and its confidence."""
    lines = [f"a,q{i},{outcome},{candidate},{sure}" for i, (outcome, candidate, sure) in enumerate(rows)]
    path.write_text("run,question,outcome,candidate,confidence\n" + "\n".join(lines) + "\n")
    return path


def test_a_threshold_that_declines_nothing_is_no_advice(tmp_path: Path) -> None:
    """Three of four are right, as often where the run is sure as where it is not."""
    rows = [("incorrect" if i % 4 == 0 else "correct", "", 0.9 if i % 8 < 4 else 0.6) for i in range(80)]
    said = kinds(confident(tmp_path / "table.csv", rows))
    assert "held out" not in said
    assert said["did"].text == "Ship a as it is: it answers 100%, and 25% of its answers are wrong"
    assert said["no threshold"].text == "No threshold helps: c@1 is best where a gives every answer that it has."


def test_silence_that_does_not_pay_is_no_threshold(tmp_path: Path) -> None:
    """The run declined each fourth question, where its candidate is as often right as its answers."""
    rows = [("incorrect" if i % 8 == 0 else "correct", "", 0.9) for i in range(80)]
    rows = [
        ("unanswered", one, 0.6) if i % 4 == 1 + i // 8 % 2 else (one, "", sure)
        for i, (one, _, sure) in enumerate(rows)
    ]
    said = kinds(confident(tmp_path / "table.csv", rows))
    assert said["held out"].text.startswith(
        "Ship a giving every answer it has: it answered 100% of held-out questions, and 12% of these wrongly"
    )
    assert "no threshold" in said


def test_pairs_that_do_the_same_are_not_told_apart_by_more_questions() -> None:
    """mine as it came and old at its threshold get the same outcome on all 70 questions; the pair that is tied is another."""
    said = advice(pages.gather([EXAMPLES / "outcomes.csv"], resamples=RESAMPLES))
    assert "mine and old at threshold 0.384 get the same outcome on every question: let cost or speed decide" in said
    assert "`nescio plan FILES -m c@1 --run mine --baseline other` says how many questions would" in said


def test_answers_to_questions_asked_again_are_not_called_questions(tmp_path: Path) -> None:
    """4 questions asked 4 times are 16 answers, and not clusters; of uneven repeats no count makes the score."""
    again = [
        f"{run},q{i % 4},{i // 4},{('correct', 'incorrect')[(i + k) % 3 % 2]}"
        for k, run in enumerate("ab")
        for i in range(16)
    ]
    for rows, explained in ((again, True), (again[:-1], False)):
        path = tmp_path / "again.csv"
        path.write_text("run,question,repeat,outcome\n" + "\n".join(rows) + "\n")
        made = pages.gather([path], resamples=RESAMPLES, missing="unanswered")
        assert " answers to 4 questions right" in answer(made).more[0]
        assert ("c@1" in {word.name for word in words(made)}) == explained
    assert "asked several times" in advice(pages.gather([EXAMPLES / "trials.csv"], resamples=RESAMPLES))


def test_thresholds_are_part_of_a_plan() -> None:
    pilot, at = EXAMPLES / "outcomes.csv", {"old": 0.384294956}
    given = nescio.plan(pilot, run="old", baseline="other", difference=0.1)
    moved = nescio.plan(pilot, run="old", baseline="other", difference=0.1, at=at)
    assert moved.records("systems")[0] != given.records("systems")[0]
    # Above that threshold old answers 44 of 70, 11 of these wrongly, and is rightly silent on 8 more: 41 right.
    old = moved.records("systems")[0]
    assert (old["correct"], old["incorrect"]) == pytest.approx((41 / 70, 11 / 70))
    with pytest.raises(nescio.NescioError, match="no number of questions like these"):
        nescio.plan(pilot, run="mine", baseline="old", difference=0.1, at=at)
    with pytest.raises(nescio.NescioError, match="did you mean old"):
        nescio.plan(pilot, run="old", baseline="other", at={"odl": 0.3})
