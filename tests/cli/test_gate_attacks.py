"""What a gate cannot be won by: few answers, one's own questions and keys, lost values, and files in each other's place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import nescio as package
from tests.cli.conftest import Command

GATE = ("--baseline", "old", "--fail-on-regression")
WORDS = {"C": "correct", "W": "incorrect", "U": "unanswered"}


def table(path: Path, more: str = "", **runs: str) -> Path:
    """Write the outcomes of runs, "CCW" for each, and a column NAME=CELL of their rows."""
    name, _, cell = more.partition("=")
    rows = [
        f"{run},q{i},{WORDS[letter]}{f',{cell}' if more else ''}"
        for run, letters in runs.items()
        for i, letter in enumerate(letters)
    ]
    path.write_text("\n".join([f"run,question,outcome{f',{name}' if more else ''}", *rows]) + "\n")
    return path


@pytest.mark.parametrize("questions", [1, 2, 4])
def test_a_few_wins_decide_nothing(tmp_path: Path, nescio: Command, questions: int) -> None:
    """One unit of which none was lost leaves room for a share 1 - 0.025 of losses: 1 - 0.975 · 2 < 0."""
    path = table(tmp_path / "t.csv", old="W" * questions, new="C" * questions)
    done = nescio("compare", path, "-m", "c@1", *GATE)
    assert done.status == 3
    assert done.out.splitlines()[-1].startswith("CANNOT TELL: ")


@pytest.mark.parametrize("measure", ["precision", "simpleqa.correct_given_attempted"])
@pytest.mark.parametrize(("old", "new"), [("C" * 60 + "W" * 40, "C" + "U" * 99), ("C" * 200, "C" * 10 + "U" * 190)])
def test_a_share_of_few_answers_decides_nothing(
    tmp_path: Path, nescio: Command, measure: str, old: str, new: str
) -> None:
    path = table(tmp_path / "t.csv", old=old, new=new)
    done = nescio("compare", path, "-m", measure, *GATE)
    assert done.status == 3
    assert "comes from" in done.err
    assert " better" not in done.out


@pytest.mark.parametrize(
    ("measure", "old"),
    [
        ("Brier", "C" * 120 + "W" * 80),
        ("false_refusal", "C" * 120 + "W" * 60 + "U" * 20),
        ("benign_answering", "C" * 180 + "U" * 20),
    ],
)
def test_a_measure_that_wrong_answers_leave_alone_does_not_merge_them(
    tmp_path: Path, nescio: Command, measure: str, old: str
) -> None:
    """No answer is right any more, none abstains, and all confidences are 0."""
    rows = [
        f"{run},q{i},{WORDS[letter]},{0.6 if run == 'old' else 0},true"
        for run, own in {"old": old, "new": "W" * 200}.items()
        for i, letter in enumerate(own)
    ]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["run,question,outcome,confidence,answerable", *rows]) + "\n")
    done = nescio("compare", path, "-m", measure, *GATE)
    assert (done.status, done.out.splitlines()[-1].split(":")[0]) == (3, "CANNOT TELL")
    fell = f"{measure} does not show that right answers fell from {old.count('C') / 200:.0%} to 0% of the questions"
    assert fell in done.out
    assert nescio("compare", path, "-m", measure, "-m", "c@1", *GATE).status == 1


BY_SILENCE = ("hallucination_rate", "hallucination_rate(of=all)", "simpleqa.incorrect", "non_hallucination")


@pytest.mark.parametrize(
    ("measure", "new"), [*((name, "U" * 200) for name in BY_SILENCE), ("precision_answered", "C" * 40 + "U" * 160)]
)
def test_a_measure_by_which_silence_wins_does_not_merge_it(
    tmp_path: Path, nescio: Command, measure: str, new: str
) -> None:
    """No answer is wrong any more, and hardly one is given."""
    path = table(tmp_path / "t.csv", old="C" * 120 + "W" * 60 + "U" * 20, new=new)
    done = nescio("compare", path, "-m", measure, *GATE)
    assert (done.status, done.out.splitlines()[-1].split(":")[0]) == (3, "CANNOT TELL")
    fell = f"{measure} does not show that right answers fell from 60% to {new.count('C') / 2:.0f}% of the questions; "
    assert fell in done.out
    without = nescio("compare", path, "-m", measure, "-m", "coverage", "--baseline", "old")  # which only describes
    assert without.out.splitlines()[-1].startswith("CANNOT TELL"), without.out
    assert nescio("compare", path, "-m", measure, "-m", "accuracy", *GATE).status == 1


@pytest.mark.parametrize(
    ("measures", "right", "status"),
    [
        (["c@1"], 100, 0),
        (["penalty(t=0.5)"], 100, 0),
        (["simpleqa.incorrect", "c@1"], 100, 0),
        (["simpleqa.incorrect"], 100, 3),
        (["simpleqa.incorrect"], 101, 0),  # Less than a tenth is lost.
    ],
)
def test_fewer_right_answers_may_be_worth_fewer_wrong_ones(
    tmp_path: Path, nescio: Command, measures: list[str], right: int, status: int
) -> None:
    """The measure must count both: c@1 rises from 0.6 to 0.5·1.45, and points less those of wrong answers to 0.45."""
    path = table(tmp_path / "t.csv", old="C" * 120 + "W" * 80, new="C" * right + "W" * 10 + "U" * (190 - right))
    named = [part for measure in measures for part in ("-m", measure)]
    assert nescio("compare", path, *named, *GATE).status == status
    rules = "".join(f'[[rules]]\nmeasure = "{measure}"\n' for measure in measures)
    policy = tmp_path / "p.toml"
    policy.write_text(f'baseline = "old"\nrun = "new"\n[benchmarks.t]\nfiles = ["t.csv"]\n{rules}')
    assert nescio("gate", policy).status == status
    suite = tmp_path / "s.toml"
    table(tmp_path / "u.csv", old="CWC" * 66 + "WW", new="CUC" * 56 + "U" * 22 + "W" * 10)
    suite.write_text('[benchmarks.t]\nfiles = ["t.csv"]\n[benchmarks.u]\nfiles = ["u.csv"]\n')
    assert nescio("compare", suite, *named, *GATE).status == status


@pytest.mark.parametrize(("column", "silent"), [("seconds", 0.1), ("faithfulness", 1.0)])
def test_silence_is_fast_and_faithful(tmp_path: Path, nescio: Command, column: str, silent: float) -> None:
    """Right answers fall from 60% to 5%, and the rest is declined at once."""
    rows = [f"run,question,outcome,{column}"]
    for i in range(200):
        rows.append(f"old,q{i},{'correct' if i < 120 else 'incorrect'},0.{5 + i % 4}")
        rows.append(f"new,q{i},correct,0.{5 + i % 4}" if i < 10 else f"new,q{i},unanswered,{silent}")
    path = tmp_path / "t.csv"
    path.write_text("\n".join(rows) + "\n")
    done = nescio("compare", path, "-m", f"mean({column})", "--margin", "0.05", *GATE)
    assert (done.status, f"mean({column}) does not show that right answers fell from 60% to 5%" in done.err) == (
        3,
        True,
    )
    done = nescio("report", path, "-m", f"mean({column})", "-o", tmp_path / "r.html")
    assert done.out.startswith("Ship nothing yet")


def test_a_formula_of_counts_is_decided_as_its_share_is(tmp_path: Path) -> None:
    """Net points are 200 times the share of net points, and so are the ends of their interval."""
    path = table(tmp_path / "t.csv", old="CCW" * 60 + "U" * 20, new="CWCUC" * 40)
    (points,), (share,) = (
        package.compare(path, measure, baseline="old", margin=margin).rows
        for measure, margin in (("formula(C-W)", 5), ("formula((C-W)/n)", 0.025))
    )
    assert share.low is not None
    assert share.high is not None
    ends = (share.difference * 200, share.low * 200, share.high * 200, share.p)
    assert (points.difference, points.low, points.high, points.p) == pytest.approx(ends)
    assert points.verdict == share.verdict


@pytest.mark.parametrize("missing", ["error", "common", "own"])
def test_every_answer_needs_a_value_whatever_questions_are_missing(
    tmp_path: Path, nescio: Command, missing: str
) -> None:
    """The new run is worse, and lacks the values of its bad half."""
    rows = (
        [f"{i}?,a,b,{0.3 + i % 7 / 10:.1f}" for i in range(200)],
        [f"{i}?,a,b,{0.2 + i % 7 / 10:.1f}" for i in range(200)],
    )
    rows = rows[0], [row if float(row[-3:]) > 0.5 else row[:-3] for row in rows[1]]
    paths = [tmp_path / "old.csv", tmp_path / "new.csv"]
    for path, own in zip(paths, rows, strict=True):
        path.write_text("\n".join(["user_input,response,reference,faithfulness", *own]) + "\n")
    done = nescio("compare", *paths, "-m", "mean(faithfulness)", "--margin", "0.05", *GATE, "--missing", missing)
    done.assert_refused("Give every answer a value")


def of_confidence(path: Path, old: str, new: str) -> Path:
    """Write the outcomes of two runs. The old run is 60% sure of each answer, and the new run 0%."""
    runs = {"old": (old, 0.6), "new": (new, 0)}
    rows = [f"{run},q{i},{WORDS[x]},{sure}" for run, (own, sure) in runs.items() for i, x in enumerate(own)]
    path.write_text("\n".join(["run,question,outcome,confidence", *rows]) + "\n")
    return path


@pytest.mark.parametrize("relative", [False, True])
def test_a_policy_does_not_pass_a_run_by_a_rule_that_hides_its_losses(
    tmp_path: Path, nescio: Command, *, relative: bool
) -> None:
    """A second rule shows the loss, and allows it."""
    of_confidence(tmp_path / "t.csv", "C" * 120 + "W" * 80, "W" * 200)
    policy = tmp_path / "p.toml"
    rules = f'[[rules]]\nmeasure = "Brier"\nby = 0.05\nrelative = {str(relative).lower()}\n'
    policy.write_text(f'baseline = "old"\nrun = "new"\n[benchmarks.t]\nfiles = ["t.csv"]\n{rules}')
    assert nescio("gate", policy).status == 3
    policy.write_text(policy.read_text() + '[[rules]]\nmeasure = "accuracy"\nby = 0.7\n')
    assert nescio("gate", policy).status == 0


@pytest.mark.parametrize(("found", "status"), [(42, 3), (71, 0)])
def test_a_measure_of_what_is_returned_does_not_hide_what_is_lost(
    tmp_path: Path, nescio: Command, found: int, status: int
) -> None:
    """Of 100 questions with one known instance each, the old run finds 80 and returns a wrong instance to the others.

    The new run returns only right ones. That it finds 42 is beyond chance, and 71 is less than a tenth below 80. A
    second measure that counts what is lost decides by itself.
    """
    rows = ["run,question,type,vital,okay,vital_in_key,length,known,distinct,returned"]
    for run, hits, returned in (("old", 80, 100), ("new", found, found)):
        rows += [f"{run},q{i},list,,,,,1,{int(i < hits)},{int(i < returned)}" for i in range(100)]
    path = tmp_path / "counts.csv"
    path.write_text("\n".join(rows) + "\n")
    done = nescio("compare", path, "-m", "nuggets.list_IP", "--margin", "0.05", *GATE)
    fell = f"nuggets.list_IP does not show that nuggets.list_IR fell from 0.80 to {found / 100:.2f}; decide by"
    assert (done.status, fell in done.err) == (status, status == 3)
    policy = tmp_path / "p.toml"
    rules = '[[rules]]\nmeasure = "nuggets.list_IP"\nby = 0.05\n'
    policy.write_text(f'baseline = "old"\nrun = "new"\n[benchmarks.t]\nfiles = ["counts.csv"]\n{rules}')
    assert nescio("gate", policy).status == status
    policy.write_text(policy.read_text() + '[[rules]]\nmeasure = "nuggets.list_IR"\nby = 0.6\n')
    assert nescio("gate", policy).status == 0


def test_a_mean_over_benchmarks_does_not_hide_a_loss(tmp_path: Path, nescio: Command) -> None:
    """Right answers fall by a tenth on average: by a fifth of one benchmark, and not on the other."""
    of_confidence(tmp_path / "a.csv", "C" * 120 + "W" * 80, "C" * 80 + "W" * 120)
    of_confidence(tmp_path / "b.csv", "C" * 10 + "W" * 90, "C" * 10 + "W" * 90)
    suite = tmp_path / "s.toml"
    suite.write_text('[benchmarks.a]\nfiles = ["a.csv"]\n[benchmarks.b]\nfiles = ["b.csv"]\n')
    done = nescio("compare", suite, "-m", "Brier", "--margin", "0.3", *GATE)
    assert (done.status, "right answers fell from 35% to 25%" in done.err) == (3, True)
    assert nescio("compare", suite, "-m", "Brier", "-m", "accuracy", "--margin", "0.3", *GATE).status == 0
    of_confidence(tmp_path / "a.csv", "C" * 120 + "W" * 80, "C" * 82 + "W" * 118)
    assert nescio("compare", suite, "-m", "Brier", "--margin", "0.3", *GATE).status == 0


@pytest.mark.parametrize(("right", "status"), [(40, 3), (42, 0)])
def test_a_look_does_not_stop_on_a_measure_that_hides_a_loss(
    tmp_path: Path, nescio: Command, right: int, status: int
) -> None:
    """The last look finds it in both blocks together, and in one where nothing is answered."""
    silent = table(tmp_path / "s.csv", old="C" * 30 + "W" * 40 + "U" * 30, new="U" * 100)
    done = nescio("compare", silent, "-m", "simpleqa.incorrect", "--looks", *GATE)
    assert (done.status, "right answers fell from 30% to 0%" in done.out) == (3, True)
    gate = ("-m", "formula(-U/n)", "--looks", "--state", tmp_path / "state.json", *GATE)
    first = table(tmp_path / "a.csv", old="C" * 30 + "W" * 10 + "U" * 60, new="C" * 30 + "W" * 70)
    assert nescio("compare", first, *gate).status == 0
    old, new = "C" * 30 + "W" * 10 + "U" * 60, "C" * (right - 30) + "W" * (130 - right)
    both = table(tmp_path / "b.csv", old="C" * 30 + "W" * 10 + "U" * 60 + old, new="C" * 30 + "W" * 70 + new)
    done = nescio("compare", both, *gate)
    assert (done.status, "right answers fell from 30% to 20%" in done.out) == (status, status == 3)


def test_a_stated_tolerance_holds_for_a_measure_that_shows_the_loss(tmp_path: Path, nescio: Command) -> None:
    """30 of 200 answers more are wrong, and 0.3 is allowed."""
    path = table(tmp_path / "t.csv", old="C" * 120 + "W" * 80, new="C" * 90 + "W" * 110)
    assert nescio("compare", path, "-m", "accuracy", "--margin", "0.3", *GATE).status == 0


def test_runs_that_differ_are_not_alike_as_no_question_moves_them(tmp_path: Path, nescio: Command) -> None:
    """Each has a precision of 1, on other questions; and each an AUROC of 1, the new run by one wrong answer."""
    path = table(tmp_path / "t.csv", old="C" * 10 + "U" * 90, new="U" * 10 + "C" * 10 + "U" * 80)
    assert nescio("compare", path, "-m", "precision", *GATE).status == 3
    rows = [f"old,q{i},{'correct' if i < 60 else 'incorrect'},{0.9 if i < 60 else 0.1}" for i in range(100)]
    rows += [f"new,q{i},{'correct' if i else 'incorrect'},{0.9 if i else 0.1}" for i in range(100)]
    other = tmp_path / "a.csv"
    other.write_text("\n".join(["run,question,outcome,confidence", *rows]))
    assert nescio("compare", other, "-m", "AUROC", *GATE).status == 3
    same = tmp_path / "same.csv"
    same.write_text(
        "\n".join(["run,question,outcome,confidence", *rows[:100], *(f"new{row[3:]}" for row in rows[:100])])
    )
    for measure in ("AUROC", "precision", "c@1"):
        assert nescio("compare", same, "-m", measure, *GATE, "--margin", "0.1").status == 0


def test_one_question_without_an_answer_decides_nothing(tmp_path: Path, nescio: Command) -> None:
    """The new run declines the only question that has no answer."""
    rows = [
        f"{run},q{i},{'unanswered' if (run, i) == ('new', 99) else 'incorrect'},{'no' if i == 99 else 'yes'}"
        for run in ("old", "new")
        for i in range(100)
    ]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["run,question,outcome,answerable", *rows]))
    assert nescio("compare", path, "-m", "abstention_recall", *GATE).status == 3


def test_new_rows_do_not_say_which_questions_have_no_answer(tmp_path: Path, nescio: Command) -> None:
    old, base = table(tmp_path / "old.csv", old="C" * 60 + "W" * 40), tmp_path / "base.json"
    mute = table(tmp_path / "mute.csv", "answerable=no", new="U" * 100)
    nescio("compare", old, mute, "-m", "c@1", *GATE).assert_refused("only the rows of 'new' say")
    nescio("compare", old, "--save-baseline", base)
    nescio("compare", mute, "-m", "c@1", "--baseline", base, "--fail-on-regression").assert_refused(
        "only the rows of 'new' say"
    )
    assert nescio("compare", old, mute, "-m", "c@1").status == 0  # without a gate it is said in a note


def test_a_run_has_no_key_of_its_own(tmp_path: Path, nescio: Command) -> None:
    """Nor does it leave out the gold answers of questions that it cannot answer."""
    keys = {
        "old": [f"a{i}" for i in range(100)],
        "own": ["x"] * 100,
        "less": [f"a{i}" for i in range(30)] + [""] * 70,
    }
    paths = {}
    for name, gold in keys.items():
        said = gold[:60] + ["bad"] * 40 if name == "old" else gold
        rows = [f"{name},q{i},{gold[i]},{said[i]}" for i in range(100)]
        paths[name] = tmp_path / f"{name}.csv"
        paths[name].write_text("\n".join(["run,question,gold,prediction", *rows]))
    nescio("compare", paths["old"], paths["own"], "-m", "c@1", *GATE).assert_refused("gold answers that differ")
    done = nescio("compare", paths["old"], paths["own"], "-m", "c@1", "--choose", "gold=first", *GATE)
    assert done.status == 1
    base = tmp_path / "base.json"
    nescio("compare", paths["old"], "--save-baseline", base)
    beside = ("--baseline", base, "--fail-on-regression")
    nescio("compare", paths["less"], "-m", "c@1", *beside).assert_refused("70 with a different gold answer")


def test_a_score_that_is_left_out_wins_nothing(tmp_path: Path, nescio: Command) -> None:
    rows = [
        f"{run},q{i},correct,{'' if run == 'new' and i < 45 else i / 60}" for run in ("old", "new") for i in range(60)
    ]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["run,question,outcome,score", *rows]))
    nescio("compare", path, "-m", "mean(score)", *GATE).assert_refused("no gate can be decided by mean(score)")
    nescio("score", path, "-m", "mean(score)", "--fail-under", "mean(score)=0.1").assert_refused("45 of 60 questions")


def test_the_last_line_is_the_decision_of_all_gates(tmp_path: Path, nescio: Command) -> None:
    """c@1 rises by silence, and accuracy falls."""
    path, summary = table(tmp_path / "t.csv", old="C" * 60 + "W" * 40, new="C" * 50 + "U" * 50), tmp_path / "s.md"
    done = nescio("compare", path, "-m", "c@1", "-m", "accuracy", *GATE, f"--step-summary={summary}")
    assert done.status == 1
    assert done.out.splitlines()[-1].startswith("DO NOT MERGE: ")
    assert "\nDO NOT MERGE: " in summary.read_text()
    assert "\nMERGE" not in summary.read_text()


def test_no_file_takes_the_place_of_another(tmp_path: Path, nescio: Command) -> None:
    old, new = table(tmp_path / "old.csv", old="C" * 60 + "W" * 40), table(tmp_path / "new.csv", new="W" * 100)
    base, state = tmp_path / "base.json", tmp_path / "state.json"
    nescio("compare", old, "--save-baseline", base)
    before = base.read_bytes()
    for option in ("--save-baseline", "--junit", "-o"):
        nescio("compare", new, "-m", "c@1", "--baseline", base, "--fail-on-regression", option, base).assert_refused(
            "one of the input files"
        )
    looks = ("compare", old, new, "--looks", *GATE, "--state", state, "--junit", state)
    nescio(*looks).assert_refused("must name two different files")
    assert base.read_bytes() == before


def test_a_run_that_fails_its_gate_becomes_no_baseline(tmp_path: Path, nescio: Command) -> None:
    old, new = table(tmp_path / "old.csv", old="C" * 60 + "W" * 40), table(tmp_path / "new.csv", new="W" * 100)
    base, other = tmp_path / "base.json", tmp_path / "other.json"
    nescio("compare", old, "--save-baseline", base)
    done = nescio("compare", new, "-m", "c@1", "--baseline", base, "--fail-on-regression", "--save-baseline", other)
    assert done.status == 1
    assert not other.exists()


def test_the_least_number_counts_the_questions_of_the_measure(tmp_path: Path, nescio: Command) -> None:
    """Of 312 questions, 12 have an answer: a rate of false refusals is a share of these."""
    rows = [f"{run},q{i},correct,{'yes' if i < 12 else 'no'}" for run in ("old", "new") for i in range(312)]
    (tmp_path / "t.csv").write_text("\n".join(["run,question,outcome,answerable", *rows]))
    policy = tmp_path / "policy.toml"
    text = """baseline = "old"
run = "new"
[benchmarks.x]
files = "t.csv"
[[rules]]
measure = "false_refusal"
at_most = 0.9
least = LEAST
"""
    for least, status, says in ((100, 3, "INCONCLUSIVE"), (12, 0, "GO")):
        policy.write_text(text.replace("LEAST", str(least)))
        done = nescio("gate", policy)
        assert done.status == status
        assert f"at most 0.9, on at least {least} questions" in done.flat
        assert f"\n{says}: " in done.out
    assert nescio("gate", policy, "-f", "json").json["lines"][0]["n"] == 12


def test_a_gate_beside_a_breakdown_says_that_it_is_about_all_questions(tmp_path: Path, nescio: Command) -> None:
    """Tax has 3 false refusals of 20, and all 120 questions have 3."""
    rows = [f"x,q{i},{'unanswered' if i < 3 else 'correct'},{'tax' if i < 20 else 'law'},yes" for i in range(120)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["run,question,outcome,family,answerable", *rows]))
    done = nescio("score", path, "-m", "false_refusal", "--by", "family", "--fail-over", "false_refusal=0.08")
    assert done.status == 0
    assert "the gates check all questions together" in done.flat


def test_a_loss_of_right_answers_within_chance_hides_nothing(tmp_path: Path, nescio: Command) -> None:
    """24 and 20 of 40 questions are right; independent runs of one quality differ by as much in 1 of 5 pairs."""
    rows = [
        f"{run},q{q},{'correct' if q < right else 'incorrect'},{0.5 + (7 * q % 40) / 100}"
        for run, right in (("old", 24), ("new", 20))
        for q in range(40)
    ]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(["run,question,outcome,faithfulness", *rows]))
    gate = ("--baseline", "old", "--fail-on-regression", "--margin", "0.1", "-m", "mean(faithfulness)")
    done = nescio("compare", path, *gate)
    assert (done.status, "right answers 60% → 50%" in done.flat) == (0, True), done.flat


def with_texts(path: Path, said: str, *, verdicts: bool = True) -> Path:
    """Write two runs with the texts of their answers: `new` says `said` in place of 20 wrong answers, and loses two."""
    rows = [f"model,id,expected,response{',correct' if verdicts else ''}"]
    for run, right in (("old", 60), ("new", 58)):
        for i in range(100):
            text = f"gold{i}" if i < right else said if run == "new" and i >= 80 else f"bad{i}"
            text = "I don't know" if i == 70 else text
            rows.append(f'{run},{i},gold{i},"{text}"{f",{i < right}" if verdicts else ""}')
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize("verdicts", [True, False])
@pytest.mark.parametrize(
    "said", ["None", "null", "NaN", "N/A", "\u3000N/A", "[]", "-", "...", "No response", "(empty)"]
)
def test_a_text_that_stands_for_nothing_is_no_refusal(
    tmp_path: Path, nescio: Command, said: str, verdicts: bool
) -> None:
    path = with_texts(tmp_path / "t.csv", said, verdicts=verdicts)
    refusals = ("-m", "c@1", *GATE, "--refusals", "unanswered")
    done = nescio("compare", path, *refusals)
    assert done.status == 2
    assert f"20 × {said if verdicts else said.strip()!r}" in done.err
    done = nescio("compare", path, *refusals, "--empty", "incorrect")
    assert done.status != 0
    assert "empty 0 → 20" in done.err
    assert '--refusals: 2 answers counted as unanswered ("I don\'t know" 2×)' in done.err


@pytest.mark.parametrize(
    ("said", "verdicts", "counted"),
    [
        ("I cannot say.", True, "22 answers may decline in words (20 × 'I cannot say.', 2 × \"I don't know\")"),
        ("blank", False, "20 answers may decline in words (20 × 'blank')"),
    ],
)
def test_the_question_about_refusals_lists_their_texts(
    tmp_path: Path, nescio: Command, said: str, verdicts: bool, counted: str
) -> None:
    done = nescio("compare", with_texts(tmp_path / "t.csv", said, verdicts=verdicts), "-m", "c@1", *GATE)
    assert done.status == 2
    assert f"{counted}: what do they" in done.err


@pytest.mark.parametrize("verdicts", [True, False])
def test_nothing_is_an_answer_where_it_is_right_elsewhere(tmp_path: Path, nescio: Command, verdicts: bool) -> None:
    """Of 20 such answers one is the gold answer: the others are wrong, and nobody is asked about them."""
    path = with_texts(tmp_path / "t.csv", "none", verdicts=verdicts)
    path.write_text(path.read_text().replace("gold90,", "None,"))
    done = nescio("compare", path, "-m", "c@1", *GATE, "--refusals", "unanswered")
    assert done.status in (1, 3), done.flat
    assert "empty" not in done.out


@pytest.mark.parametrize(
    ("word", "asks"), [("skipped", True), ("blank", True), ("no response", True), ("declined", False)]
)
def test_a_word_of_a_harness_is_no_abstention(tmp_path: Path, nescio: Command, word: str, asks: bool) -> None:
    """The system gave an answer in such a row, and only a word for an act of the system says that it abstained."""
    path = with_texts(tmp_path / "t.csv", "another answer")
    rows = (
        path.read_text().replace("I don't know", "bad70").replace('"another answer",False', f'"another answer",{word}')
    )
    path.write_text(rows)
    done = nescio("compare", path, "-m", "c@1", *GATE)
    assert (done.status == 2) is asks
    assert (f"what does '{word}' in 'correct' mean?" in done.err) is asks


def test_a_response_whose_nuggets_were_not_assigned_is_unseen(tmp_path: Path, nescio: Command) -> None:
    """Of 100 responses, 60 have the vital nugget; the other 40 have a failed assignment."""
    rows = [
        {
            "qid": f"q{i}",
            "query": "?",
            "run_id": "new",
            "answer_text": "so",
            "nuggets": [{"text": "x", "importance": "vital", "assignment": "support" if i < 60 else "failed"}],
        }
        for i in range(100)
    ]
    path = tmp_path / "r.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    done = nescio("score", path, "-m", "nuggets.vital", "--fail-under", "nuggets.vital=0.8")
    assert (done.status, "as 40 of new's 100 answers are left out (not graded)" in done.err) == (3, True)


def test_scores_of_half_of_the_answers_are_no_mean(tmp_path: Path, nescio: Command) -> None:
    """The new run is worse on each sample, and its low scores are left out, so that its mean is the higher one."""
    head = "user_input,response,reference,faithfulness"
    for name, drop in (("old", 0.0), ("new", 0.1)):
        scores = [max(0, i / 200 - drop) for i in range(200)]
        shown = ["" if drop and score < 0.4 else f"{score:.3f}" for score in scores]
        rows = [f"what {i}?,answer,gold,{score}" for i, score in enumerate(shown)]
        (tmp_path / f"{name}.csv").write_text("\n".join([head, *rows]) + "\n")
    runs = (tmp_path / "old.csv", tmp_path / "new.csv")
    done = nescio("score", runs[1], "-m", "mean(faithfulness)", "--fail-under", "mean(faithfulness)=0.6")
    done.assert_refused("100 of 200 questions left out because they lack faithfulness. Give every answer a value")
    done = nescio("score", *runs, "--mark")
    assert "no run is marked as the best. 'new' has the best value, but 'old' is significantly better" in done.err
    assert "*" not in done.out
    done = nescio("report", *runs, "-o", tmp_path / "r.html")
    assert "but old is significantly better on shared questions." in done.out
    assert "is best by" not in done.out


def test_a_baseline_that_is_not_there_is_named(tmp_path: Path, nescio: Command) -> None:
    """Also beside a single run, which could be compared with nothing else."""
    done = nescio("compare", table(tmp_path / "t.csv", new="CCW"), "--baseline", tmp_path / "b.json")
    done.assert_refused("b.json: there is neither a file nor a run of this name")
