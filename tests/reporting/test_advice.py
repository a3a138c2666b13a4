"""What a report advises, on the page and in a terminal: what to ship, at which threshold, and what to read first."""

from __future__ import annotations

import csv
import math
import re
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import beta

import nescio
from nescio.reporting import page as pages
from nescio.reporting.page.deciding import promise_in_words, promises, tolerated
from nescio.reporting.page.how_to_read import words
from nescio.reporting.page.sentence import answer, statements
from tests.reporting.files import EXAMPLES, THREE, make, outcome_table, written

KEEN = {"keen": "C" * 120 + "WC" * 10 + "W" * 60, "dull": "CWWWW" * 40}


def texts(source: Any, **how: Any) -> list[str]:
    """The lines of `advise` in a terminal."""
    return [str(row["text"]) for row in nescio.report(source, resamples=200, **how).results.records("screen")]


def kinds(*files: Path, measure: str = "c@1") -> dict[str, Any]:
    return {one.kind: one for one in statements(pages.gather(files, [measure], resamples=200))}


def test_the_errors_are_those_of_the_run_at_the_threshold_advised(tmp_path: Path) -> None:
    table = outcome_table(tmp_path / "two.csv", KEEN, confidence=True)
    advised = nescio.report(table, resamples=200, most=1_000).results
    tuned = nescio.tune(table, run="keen", resamples=200).rows[0]
    with table.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["run"] == "keen" and row["outcome"] == "incorrect"]
    assert tuned.threshold is not None
    wrong = [row["question"] for row in rows if float(row["confidence"]) >= tuned.threshold - 1e-9]
    assert [row.question for row in advised] == wrong
    assert {(row.run, row.threshold) for row in advised} == {("keen", tuned.threshold)}
    shown = answer(pages.gather([table], resamples=200))
    first = texts(table)[:2]
    assert first[0] == shown.text
    assert first[1].startswith(shown.advice[:60])
    claims = nescio.report(EXAMPLES / "outcomes.csv").results.to_dict()["statements"]
    assert {"best", "better", "wrong", "another sample", "tied", "alike"} <= {row["kind"] for row in claims}
    assert all(row["given"] and row["method"] for row in claims)
    assert {row["level"] for row in claims if row["kind"] == "wrong"} == {0.95}


def test_a_pair_table_compares_its_runs_as_the_rows_do(tmp_path: Path) -> None:
    """The rows: 120 questions that both get right, 60 that keen alone gets right, and 20 that neither does."""
    cells = {"keen,keen": (180, 0, 0, 20), "dull,dull": (120, 0, 0, 80), "dull,keen": (120, 0, 60, 20)}
    (pairs := tmp_path / "pairs.csv").write_text(
        "run_a,run_b,cc,cw,cu,wc,ww,wu,uc,uw,uu\n"
        + "".join(f"{runs},{cc},{cw},0,{wc},{ww},0,0,0,0\n" for runs, (cc, cw, wc, ww) in cells.items())
    )
    rows = outcome_table(tmp_path / "rows.csv", {"keen": "C" * 180 + "W" * 20, "dull": "C" * 120 + "W" * 80})
    said = [kinds(file, measure="accuracy") for file in (pairs, rows)]
    for one in said:
        assert "lead" in one["evidence"].text
        assert "not significant" not in one["evidence"].text
        assert not any("cannot be compared" in statement.text for statement in one.values())


@pytest.mark.parametrize("risk", [1, 33, 100])
def test_the_errors_tolerated_choose_a_run_and_a_threshold(risk: int, tmp_path: Path) -> None:
    """The most right answers of all promises whose bound, Clopper and Pearson's shared among 4 runs at 21 thresholds
    each, is tolerated."""
    runs = {**THREE, "keen": "C" * 150 + "WC" * 30 + "W" * 90}
    table = outcome_table(tmp_path / "three.csv", runs, confidence=True)
    report = pages.gather([table], resamples=200)
    made = promises(report)
    tried = 4 * 21
    kept = []
    for one in made:
        least = 0 if one.threshold is None else one.threshold - 1e-9
        given = [c for i, c in enumerate(runs[one.run]) if round(0.99 - 0.9 * i / 300, 3) >= least and c != "U"]
        assert (one.answered, one.wrong) == (len(given), given.count("W"))
        upper = beta.ppf(1 - 0.05 / tried, one.wrong + 1, one.answered - one.wrong) if one.wrong < one.answered else 1
        assert one.upper == pytest.approx(upper)
        kept += [one.answered - one.wrong] * bool(upper <= risk / 100)
    chosen = tolerated(made, risk / 100)
    said = promise_in_words(report, chosen, risk / 100)
    line = next(
        text for text in texts(table, tolerate=risk) if text.startswith((f"For at most {risk}%", "No run reaches"))
    )
    if chosen is None:
        needed = math.ceil(math.log(0.05 / tried) / math.log1p(-risk / 100) - 1e-9)
        few = max(each.answered for each in made) < needed  # else errors stand in the way, and not their number
        why = (
            f"At least {needed:,} error-free answers would be needed." if few else "Too many of the answers are wrong."
        )
        assert not kept
        assert said == line == f"No run reaches {risk}%. {why}"
    else:
        assert chosen.answered - chosen.wrong == max(kept)
        assert f"ship {chosen.run}" in line
        assert f"{chosen.wrong} of these wrongly. On other questions like these, at most" in line


def test_where_there_are_no_errors_to_read_it_says_so(tmp_path: Path) -> None:
    for letters in ("U" * 30, "C" * 30, "W"):
        advised = nescio.report(outcome_table(tmp_path / "one.csv", {"one": letters}), resamples=200).results
        assert len(advised) == letters.count("W")
        assert advised.records("screen")
    graded = "No errors to read: the data has scores, but does not say which answers are right or wrong."
    assert texts(EXAMPLES / "ap.csv")[-1] == graded
    assert "the lowest scores of dense</a>" in make(tmp_path / "ap.html", EXAMPLES / "ap.csv").read_text("utf-8")
    table = outcome_table(tmp_path / "one.csv", {"one": "CU" * 20})
    assert texts(table)[-1] == "No errors to read: one has none."
    assert "No errors to read: one has none." in make(tmp_path / "one.html", table).read_text(encoding="utf-8")
    counts = written(tmp_path / "counts.csv", "run,correct,incorrect,unanswered", ["a,30,20,10"])
    assert "has counts, but does not say which" in texts(counts)[-1]


def test_the_evidence_and_the_headline_are_about_the_same_comparison(tmp_path: Path) -> None:
    """Six of six discordant questions have p = 2/64, and thrice that among three pairs."""
    runs = {"a": "C" * 26 + "W" * 14, "b": "C" * 20 + "W" * 20, "c": "W" * 6 + "C" * 20 + "W" * 14}
    table = outcome_table(tmp_path / "three.csv", runs)
    lines = texts(table)
    assert "not significantly different from b and c" in lines[1]
    assert any("the lead over b is not significant" in line for line in lines)
    # 120 against 72 as they came; at its threshold b is right on 72 and silent on 128: .36 × 1.64 is nearly .6.
    runs = {"a": "W" * 80 + "C" * 120, "b": "C" * 72 + "W" * 128}
    lines = texts(outcome_table(tmp_path / "two.csv", runs, confidence=True))
    assert lines[1].startswith("a is best by c@1 as the runs came, 0.600 [")
    assert "; significantly different from the other run." in lines[1]
    assert any(re.search(r"the lead over b at threshold [0-9.]+ is not significant", line) for line in lines)


def test_where_judges_disagree_the_evidence_is_weak(tmp_path: Path) -> None:
    """Thirty of 300 answers hold the gold answer in a sentence: wrong by words, right if it is to be contained."""
    rows = [f"q{i},It is the {i}th gate of Rome,of Rome" for i in range(30)]
    rows += [f"q{i},gate {i},gate {i}" for i in range(30, 300)]
    table = written(tmp_path / "t.csv", "question,prediction,gold", rows)
    (evidence,) = [text for text in texts(table) if text.startswith("The evidence")]
    assert evidence.startswith("The evidence is weak: another judge grades 10% of the answers differently")


@pytest.mark.parametrize(
    ("runs", "wrong", "expected"),
    [
        (
            {"a": "WWC" * 20, "b": "WWWC" * 15},
            40,
            "a is the best of these, but most of its answers are wrong: do not ship it.",
        ),
        ({"a": "UWWC" * 20}, 40, "Do not ship a: most of its answers are wrong."),
        ({"a": "WC" * 30, "b": "WWC" * 20}, None, "Ship a as it is, or b."),
    ],
)
def test_what_is_mostly_wrong_is_not_to_be_shipped(
    runs: dict[str, str], wrong: int | None, expected: str, tmp_path: Path
) -> None:
    file = outcome_table(tmp_path / "table.csv", runs)
    said = kinds(file)
    assert (said["mostly wrong"].figures["wrong"] if wrong else said.get("mostly wrong")) == wrong
    shown = answer(pages.gather([file], resamples=200))
    assert shown.text == expected
    assert "answers are wrong" in shown.advice


@pytest.mark.parametrize("measure", ["penalty(t=0.75)", "simpleqa.incorrect", "hallucination_rate"])
def test_a_run_that_answers_nothing_is_not_to_be_shipped_though_it_is_the_best(measure: str, tmp_path: Path) -> None:
    """40 - 3 · 80 is below 0, which silence earns."""
    file = outcome_table(tmp_path / "table.csv", {"a": "WWC" * 40, "b": "U" * 120})
    said = kinds(file, measure=measure)
    assert said["degenerate"].text == (f"There is nothing to ship: b, the best by {measure}, answered no question.")
    assert not {"ship", "evidence"} & said.keys()


def test_a_run_that_is_best_because_it_answers_less_is_not_to_be_shipped(tmp_path: Path) -> None:
    file = outcome_table(tmp_path / "table.csv", {"a": "C" * 80 + "W" * 40, "b": "C" * 40 + "U" * 80})
    said = kinds(file, measure="precision")
    assert said["no decision"].text.startswith("Ship nothing yet: precision does not show that right answers fell")
    assert "ship" not in said


@pytest.mark.parametrize(
    ("right", "expected"), [(27, "Ship nothing yet: precision does not show that right"), (26, "Ship a as it is.")]
)
def test_a_run_that_answers_less_is_not_to_be_shipped_either_if_it_is_level(
    right: int, expected: str, tmp_path: Path
) -> None:
    """Precision is 80/120 of a, and 27/40 or 26/40 of b, which does not differ significantly."""
    file = outcome_table(
        tmp_path / "table.csv", {"a": "C" * 80 + "W" * 40, "b": "C" * right + "W" * (40 - right) + "U" * 80}
    )
    assert answer(pages.gather([file], ["precision"], resamples=200)).text.startswith(expected)


def test_what_silence_beats_or_a_threshold_leaves_mostly_wrong_is_not_to_be_shipped(tmp_path: Path) -> None:
    """Of 60 answers 20 are wrong: 40 - 3 · 20 is below 0, which silence earns; at a price of 1 it is not."""
    file = outcome_table(tmp_path / "table.csv", {"a": "WCC" * 20, "b": "WWC" * 20})
    dear = kinds(file, measure="penalty(t=0.75)")
    assert dear["silence"].text == (
        "a is the best of these, but never answering scores more by penalty(t=0.75): do not ship it."
    )
    assert (dear["silence"].figures["value"], dear["silence"].figures["silence"]) == (pytest.approx(-1 / 3), 0)
    assert "ship" not in dear
    assert not {"silence", "mostly wrong"} & kinds(file, measure="penalty(t=0.5)").keys()
    file = outcome_table(tmp_path / "sure.csv", {"a": "WWC" * 30 + "W" * 60}, confidence=True)
    tuned = nescio.tune(file, "c@1", resamples=200).rows[0]
    assert tuned.risk_held_out > 0.5
    said = kinds(file)["mostly wrong"].text
    assert said.startswith(f"Do not ship a at threshold {tuned.threshold:.3g}: most of its answers")


def test_a_threshold_that_changes_nothing_is_no_advice(tmp_path: Path) -> None:
    """Three of four are right, as often where the run is sure as where it is not; or the run declined each fourth
    question, where its candidate is as often right as its answers."""
    head = "run,question,outcome,candidate,confidence"
    rows = [f"a,q{i},{'incorrect' if i % 4 == 0 else 'correct'},,{0.9 if i % 8 < 4 else 0.6}" for i in range(80)]
    said = kinds(written(tmp_path / "table.csv", head, rows))
    assert "held out" not in said
    assert said["ship"].text == "Ship a as it is."
    assert said["did"].text == "a answers 100%, and 25% of its answers are wrong"
    assert said["no threshold"].text == "No threshold helps: c@1 is best where a gives every answer that it has."
    rows = []
    for i in range(80):
        outcome = "incorrect" if i % 8 == 0 else "correct"
        declined = i % 4 == 1 + i // 8 % 2
        rows.append(f"a,q{i}," + (f"unanswered,{outcome},0.6" if declined else f"{outcome},,0.9"))
    said = kinds(written(tmp_path / "table.csv", head, rows))
    assert said["ship"].text == "Ship a giving every answer it has."
    assert said["held out"].text == (
        "a giving every answer it has is expected to answer 100% of new questions, and 12% of these wrongly"
    )
    assert "no threshold" in said


def test_answers_to_questions_asked_again_are_not_called_questions(tmp_path: Path) -> None:
    """4 questions asked 4 times are 16 answers, and not clusters; of uneven repeats no count makes the score."""
    again = [
        f"{run},q{i % 4},{i // 4},{('correct', 'incorrect')[(i + k) % 3 % 2]}"
        for k, run in enumerate("ab")
        for i in range(16)
    ]
    for rows, explained in ((again, True), (again[:-1], False)):
        table = written(tmp_path / "again.csv", "run,question,repeat,outcome", rows)
        made = pages.gather([table], resamples=200)
        assert " answers to 4 questions right" in answer(made).more[0]
        assert ("c@1" in words(made)) == explained
    assert "asked several times" in answer(pages.gather([EXAMPLES / "trials.csv"], resamples=200)).advice


def test_thresholds_are_part_of_a_plan() -> None:
    """Above that threshold old answers 44 of 70, 11 of these wrongly, and is rightly silent on 8 more: 41 right."""
    pilot, at = EXAMPLES / "outcomes.csv", {"old": 0.384294956}
    plain = nescio.plan(pilot, run="old", baseline="other", difference=0.1)
    given, moved = (
        plan.records("systems")[0]
        for plan in (plain, nescio.plan(pilot, run="old", baseline="other", difference=0.1, at=at))
    )
    assert moved != given
    assert (moved["correct"], moved["incorrect"]) == pytest.approx((41 / 70, 11 / 70))
    with pytest.raises(nescio.NescioError, match="no number of questions like these"):
        nescio.plan(pilot, run="mine", baseline="old", difference=0.1, at=at)
    with pytest.raises(nescio.NescioError, match="did you mean old"):
        nescio.plan(pilot, run="old", baseline="other", at={"odl": 0.3})


def test_a_measure_of_a_column_that_is_missing_names_the_columns_of_the_file(tmp_path: Path) -> None:
    file = outcome_table(tmp_path / "table.csv", {"a": "WWC" * 4})
    with pytest.raises(nescio.NescioError, match=r"there is no column 'graded'; columns are run, question, outcome"):
        nescio.report(file, "mean(graded)", resamples=20)


def test_runs_with_equal_outcomes_are_told_apart_by_a_measure_of_costs(tmp_path: Path) -> None:
    rows = [
        f"{run},q{q},{'in' * (q % 2)}correct,{cost + q % 3}" for run, cost in (("a", 1), ("b", 9)) for q in range(60)
    ]
    file = tmp_path / "table.csv"
    file.write_text("\n".join(["run,question,outcome,cost", *rows]))
    assert answer(pages.gather([file], ["mean(cost)"], resamples=200)).text == "Ship a as it is."
    assert "do not tell the runs apart" in answer(pages.gather([file], ["c@1"], resamples=200)).text


def test_a_run_that_lost_answers_is_not_shipped_instead_of_one_that_it_ties_with(tmp_path: Path) -> None:
    """Both have 60 of 100 right by accuracy; of b's abstentions, 20 are calls that failed."""
    letters = {"a": "C" * 61 + "W" * 39, "b": "W" * 20 + "C" * 60 + "U" * 20}
    words = {"C": "correct", "W": "incorrect", "U": "unanswered"}
    rows = [
        (run, f"q{q},{words[letter]}", "errored" if letter == "U" else "")
        for run, own in letters.items()
        for q, letter in enumerate(own)
    ]
    for lost, expected in ((True, "Ship a as it is."), (False, "Ship a as it is, or b.")):
        lines = [f"{run},{answer},{why if lost else ''}" for run, answer, why in rows]
        file = written(tmp_path / "table.csv", "run,question,outcome,output_was", lines)
        assert answer(pages.gather([file], ["accuracy"], resamples=200)).text == expected


def test_both_results_of_one_run_are_no_two_runs(tmp_path: Path) -> None:
    rows = [f"a,q{q},{('correct', 'correct', 'incorrect', '')[q % 4]}" for q in range(80)]
    file = written(tmp_path / "table.csv", "run,question,outcome", rows)
    shown = answer(pages.gather([file], ["accuracy"], resamples=200, ungraded="bounds"))
    assert shown.text == (
        "Ship nothing yet: a has 20 answers without a grade, and a [ungraded right] is only one of two possible results."
    )
    assert "there is one run, and no other run to compare it with" in shown.advice
    assert not any("the lead is" in text for text in shown.more)
    with pytest.raises(nescio.NescioError, match="there is one run, 'a', and no other run"):
        nescio.compare(file, "accuracy", ungraded="bounds")


@pytest.mark.parametrize(
    ("share", "how", "said"),
    [
        (0.4, "ungraded", "40 of 100 answers are not graded and count as incorrect"),
        (0.4, "missing", "40 of 100 questions are missing and counted as unanswered"),
        (1.0, "left out", "100 of 100 answers are not graded and left out"),
        (0.1, "ungraded", ""),
        (0.09, "missing", ""),
    ],
)
def test_no_run_is_shipped_before_one_that_may_be_better(tmp_path: Path, share: float, how: str, said: str) -> None:
    """Run a has 75 of 100 right. Run b may have as many, or more, if `share` of its answers are right."""
    letters = {"a": "C" * 75 + "W" * 25, "b": "-" * round(100 * share) + "C" * 55 + "W" * 100}
    words = {"C": "correct", "W": "incorrect", "-": ""}
    rows = [
        f"{run},q{q},{words[letter]}"
        for run, own in letters.items()
        for q, letter in enumerate(own[:100])
        if letter != "-" or how != "missing"
    ]
    file = written(tmp_path / "table.csv", "run,question,outcome", rows)
    policy = "exclude" if how == "left out" else "incorrect"
    shown = answer(pages.gather([file], ["accuracy"], resamples=200, ungraded=policy, missing="unanswered"))
    assert shown.text == (
        f"Ship nothing yet: run 'b': {said}, so b may be better than a." if said else "Ship a as it is."
    )
