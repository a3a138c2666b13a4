"""What no decision can rest on: a gate, a policy, looks, the last line of a comparison and a report refuse alike."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from nescio import gate
from tests.cli.conftest import ANSWERED, PEOPLE, Command, Outcome

GATE = ("--baseline", "old", "--run", "new", "--fail-on-regression")
HEAD = "run,question,outcome"
N = range(200)


def right(is_right: bool) -> str:
    return "correct" if is_right else "incorrect"


def table(path: Path, head: str, rows: Iterable[tuple[object, ...]]) -> Path:
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def old(more: tuple[object, ...] = (), n: range = N) -> list[tuple[object, ...]]:
    """The baseline: right on seven questions of ten."""
    return [("old", f"q{q}", right(q % 10 < 7), *more) for q in n]


def policy(files: Path, rule: str, more: str = "") -> Path:
    path = files.with_suffix(".toml")
    path.write_text(
        f'baseline = "old"\nrun = "new"\n[benchmarks.x]\nfiles = "{files.name}"\n{more}\n[[rules]]\n{rule}\n'
    )
    return path


@pytest.fixture
def apart(tmp_path: Path) -> Path:
    """The new run names its questions anew, and hands in those that it gets right."""
    return table(tmp_path / "apart.csv", HEAD, [*old(), *(("new", f"Q{q}", "correct") for q in N[::3])])


@pytest.fixture
def attempts(tmp_path: Path) -> Path:
    """The new run hands in one right attempt of four."""
    rows = [("old", f"q{q}", k, right((q + k) % 10 < 7)) for q in range(100) for k in range(4)]
    rows += [("new", f"q{q}", k, "correct") for q in range(100) for k in range(4) if (q + k) % 4 == 0]
    return table(tmp_path / "rep.csv", "run,question,repeat,outcome", rows)


@pytest.fixture
def failed(tmp_path: Path) -> Path:
    """Half of the new run's answers stopped on an error; the others are right."""
    rows = [("new", f"q{q}", "correct" if q % 2 else "", "" if q % 2 else "timeout") for q in N]
    return table(tmp_path / "err.csv", f"{HEAD},error", [*old(("",)), *rows])


@pytest.fixture
def shorter(tmp_path: Path) -> Path:
    """The new run leaves out the questions that it would get wrong."""
    return table(tmp_path / "miss.csv", HEAD, [*old(), *(("new", f"q{q}", "correct") for q in N if q % 10 < 5)])


def refused_everywhere(nescio: Command, path: Path, says: str, *options: str, score: str = "accuracy=0.5") -> None:
    """A gate, a limit, a policy, the last line and a report all say that they cannot rest on this."""
    measure = ("-m", score.rpartition("=")[0])
    nescio("compare", path, *measure, *GATE, *options).assert_refused(says)
    nescio("score", path, *measure, "--fail-under", score, *options).assert_refused(says)
    lines = [
        f'{name[2:].replace("-", "_")} = "{value}"' for name, value in zip(options[::2], options[1::2], strict=True)
    ]
    nescio("gate", policy(path, f'measure = "{measure[1]}"', "\n".join(lines))).assert_refused(says)
    last = nescio("compare", path, *measure, "--baseline", "old", "--run", "new", *options)
    assert last.status == 0
    assert last.out.splitlines()[-1].startswith("CANNOT TELL: ")
    assert says in last.flat
    page = path.with_suffix(".html")
    changed = nescio("report", path, *measure, "--baseline", "old", "--run", "new", "-o", page, *options)
    assert "\nMERGE" not in changed.out
    assert "CANNOT TELL" in page.read_text()
    advice = nescio("report", path, *measure, "-o", page, "--tolerate", "30", *options).flat
    assert "Ship nothing yet: no decision can rest on" in advice
    assert "ship new" not in advice.lower()


def test_runs_that_share_no_question(nescio: Command, apart: Path) -> None:
    refused_everywhere(nescio, apart, "a run that chooses its own questions could win any gate")
    assert nescio("compare", apart, "-m", "accuracy", *GATE, "--missing", "own").status == 0
    assert nescio("gate", policy(apart, 'measure = "accuracy"', 'missing = "own"')).status == 0


def test_attempts_that_one_run_lacks(nescio: Command, attempts: Path) -> None:
    refused_everywhere(nescio, attempts, "'new' has fewer answers to some questions (up to 100) than another run has")


def test_attempts_that_one_run_adds(tmp_path: Path, nescio: Command) -> None:
    """The new run hands in three right attempts at each question beside the one that the old run made."""
    rows = [("old", f"q{q}", 1, right(q % 10 < 7)) for q in N]
    rows += [("new", f"q{q}", k, right(k > 1 or q % 10 < 5)) for q in N for k in range(1, 5)]
    path = table(tmp_path / "t.csv", "run,question,repeat,outcome", rows)
    says = "'old' has fewer answers to some questions (up to 200) than another run has"
    refused_everywhere(nescio, path, says)
    base = tmp_path / "base.json"
    nescio("compare", path, "--run", "old", "--save-baseline", base)
    own = table(tmp_path / "new.csv", "run,question,repeat,outcome", [row for row in rows if row[0] == "new"])
    done = nescio("compare", own, "-m", "accuracy", "--baseline", base, "--fail-on-regression")
    done.assert_refused("The run could win by adding")
    once = [("third", f"q{q}", 1, "correct") for q in N]
    both = [
        (run, f"q{q}", k, right(q % 10 < wins)) for run, wins in (("old", 5), ("new", 9)) for q in N for k in (1, 2)
    ]
    path = table(tmp_path / "third.csv", "run,question,repeat,outcome", [*once, *both])
    assert nescio("compare", path, "-m", "accuracy", *GATE).status == 0  # the attempts of a third run do not matter


def test_attempts_that_are_missing_count_as_silence_where_that_is_said(nescio: Command, attempts: Path) -> None:
    """One right answer of four is an accuracy of 0.25, and 0.25 less than 0.7."""
    done = nescio("compare", attempts, "-m", "accuracy", *GATE, "--missing", "unanswered", "-f", "json")
    assert done.status == 1
    assert done.json["comparisons"][0]["difference"] == pytest.approx(0.25 - 0.7)
    assert any("another run has 300 more answers to the same questions" in note for note in done.json["notes"])


def test_a_run_alone_that_answered_some_questions_less_often(tmp_path: Path, nescio: Command) -> None:
    rows = [("new", f"q{q}", k, "correct") for q in range(100) for k in range(1 if q % 3 else 4)]
    path = table(tmp_path / "one.csv", "run,question,repeat,outcome", rows)
    nescio("score", path, "-m", "accuracy", "--fail-under", "accuracy=0.5").assert_refused("fewer than 4 answers")


def test_as_many_attempts_of_both_are_ground_enough(tmp_path: Path, nescio: Command) -> None:
    """Also where questions were asked once or twice, if both runs were."""
    rows = [
        (run, f"q{q}", k, right(q % 10 < wins))
        for run, wins in (("old", 5), ("new", 7))
        for q in range(200)
        for k in range(1 + q % 2)
    ]
    path = table(tmp_path / "t.csv", "run,question,repeat,outcome", rows)
    assert nescio("compare", path, "-m", "accuracy", *GATE).status == 0


def test_what_one_run_alone_says_of_single_questions(tmp_path: Path, nescio: Command) -> None:
    """The baseline marks one question, and the new run all that it would get wrong."""
    one = table(tmp_path / "o.csv", f"{HEAD},answerable", [(*row, "no" if row[1] == "q9" else "") for row in old()])
    rows = [("new", f"q{q}", "correct" if q % 10 < 3 else "unanswered", "" if q % 10 < 3 else "no") for q in N]
    new = table(tmp_path / "n.csv", f"{HEAD},answerable", rows)
    says = "only the rows of 'new' say whether 139 questions have an answer"  # 140 are marked, and q9 by both
    nescio("compare", one, new, "-m", "accuracy", *GATE).assert_refused(says)
    base = tmp_path / "base.json"
    nescio("compare", one, "--save-baseline", base)
    nescio("compare", new, "-m", "accuracy", "--baseline", base, "--fail-on-regression").assert_refused(says)
    last = nescio("compare", one, new, "-m", "accuracy", "--baseline", "old")
    assert last.out.splitlines()[-1].startswith("CANNOT TELL")
    both = [(*row[:2], "unanswered" if row[1] == "q9" else row[2], "no" if row[1] == "q9" else "") for row in old()]
    same = table(tmp_path / "b.csv", f"{HEAD},answerable", [*both, *(("new", *row[1:]) for row in both)])
    assert nescio("compare", same, "-m", "accuracy", *GATE, "--margin", "0.02").status == 0


def test_answers_without_a_grade_that_are_left_out(nescio: Command, failed: Path) -> None:
    exclude = ("--ungraded", "exclude")
    says = "100 of new's 200 answers are left out"
    assert nescio("compare", failed, "-m", "accuracy", *GATE, *exclude).status == 3
    looks = nescio("compare", failed, "-m", "accuracy", *GATE, "--looks", *exclude)
    assert looks.status == 3
    assert says in looks.flat
    assert "stop: better" not in looks.flat
    limit = nescio("score", failed, "-m", "accuracy", "--fail-under", "accuracy=0.6", *exclude)
    assert limit.status == 3
    assert says in limit.err.replace("\n", " ")
    for rule in ("", "\nat_least = 0.5", "\nby = 0.05\nrelative = true"):
        done = nescio("gate", policy(failed, f'measure = "accuracy"{rule}', 'ungraded = "exclude"'))
        assert (done.status, "INCONCLUSIVE: " in done.out) == (3, True), rule
    advice = nescio("report", failed, "-o", failed.with_suffix(".html"), *exclude, "--tolerate", "30").flat
    assert f"Ship nothing yet: {says}" in advice
    assert "Ship new" not in advice
    assert "ship new" not in advice


@pytest.mark.parametrize("why", ["content_filter", "judge failed", ""])
def test_whatever_the_reason_that_there_is_no_grade(tmp_path: Path, nescio: Command, why: str) -> None:
    rows = [("new", f"q{q}", "correct" if q % 2 else "ungraded", "" if q % 2 else why) for q in N]
    path = table(tmp_path / "t.csv", f"{HEAD},note", [*old(("",)), *rows])
    done = nescio("compare", path, "-m", "accuracy", *GATE, "--ungraded", "exclude")
    assert done.status == 3
    assert "100 of new's 200 answers are left out (not graded)" in done.flat


def test_a_few_answers_without_a_grade_count_by_what_they_may_change(tmp_path: Path, nescio: Command) -> None:
    """Of 1,000 questions the new run leaves 4 out. If all are wrong the accuracy falls by 0.004. The interval must lie
    that much above the margin; the runs are alike on the other questions, so a margin of 0.01 lets it pass and one of
    0.003 does not. Nobody knows how far they move precision."""
    n = range(1000)
    rows = [("new", f"q{q}", "ungraded" if q in (0, 10, 20, 30) else right(q % 10 < 7)) for q in n]
    path = table(tmp_path / "t.csv", HEAD, [*old(n=n), *rows])
    exclude = ("--ungraded", "exclude")
    assert nescio("compare", path, "-m", "accuracy", *GATE, *exclude).status == 0
    assert nescio("compare", path, "-m", "accuracy", *GATE, *exclude, "--margin", "0.003").status == 3
    assert nescio("compare", path, "-m", "precision", *GATE, *exclude).status == 3
    assert nescio("score", path, "-m", "accuracy", "--fail-under", "accuracy=0.66", *exclude).status == 0
    report = nescio("report", path, "-m", "accuracy", "-o", tmp_path / "r.html", *exclude).flat
    assert "wrong" in report


def test_a_report_bounds_the_wrong_answers_by_those_without_a_grade(tmp_path: Path, nescio: Command) -> None:
    """Of 200 answers 10 have no grade and the others are right. Clopper & Pearson's upper bound of 10 of 200 at 0.05,
    one-sided, is 0.0835; of 0 of 190 it were 0.0156."""
    path = table(tmp_path / "t.csv", HEAD, [("new", f"q{q}", "ungraded" if q < 10 else "correct") for q in N])
    advice = nescio("report", path, "-m", "accuracy", "-o", tmp_path / "r.html", "--ungraded", "exclude").flat
    assert (
        "at most 8.4% on others like them, with 95% confidence, if all 10 answers without a grade are wrong" in advice
    )


def test_a_share_of_one_answer_in_looks_and_relative_rules(tmp_path: Path, nescio: Command) -> None:
    rows = [("old", f"q{q}", right(q % 10 < 9)) for q in N]
    rows += [("new", f"q{q}", "unanswered" if q else "correct") for q in N]
    path = table(tmp_path / "one.csv", HEAD, rows)
    assert nescio("compare", path, "-m", "precision", *GATE).status == 3
    looks = nescio("compare", path, "-m", "precision", *GATE, "--looks")
    assert looks.status == 3
    assert "stop" not in looks.out
    done = nescio("gate", policy(path, 'measure = "precision"\nby = 0.05\nrelative = true'))
    assert done.status == 3


def test_answers_without_a_confidence_certify_nothing(tmp_path: Path, nescio: Command) -> None:
    """All right answers have a confidence, and no wrong one has."""
    rows = [("new", f"q{q}", right(q % 2 == 1), 0.5 + q / 1000 if q % 2 else "") for q in N]
    path = table(tmp_path / "conf.csv", f"{HEAD},confidence", rows)
    exclude = ("--missing-confidence", "exclude")
    nescio("tune", path, "--max-risk", "0.1", *exclude).assert_refused("100 of 200 questions left out")
    nescio("score", path, "-m", "AURC", "--fail-over", "AURC=0.3", *exclude).assert_refused(
        "no gate can be decided by AURC"
    )
    advice = nescio("report", path, "-o", tmp_path / "r.html", "--tolerate", "10", *exclude).flat
    assert "and 50% of its answers are wrong" in advice
    assert "No run reaches 10%" in advice


def test_clusters_in_which_wins_and_losses_cancel(tmp_path: Path, nescio: Command) -> None:
    """Each of 100 clusters has a question that the new run wins, one that it loses, and one on which both are alike."""
    rows = [
        row
        for q in range(300)
        for row in (
            ("old", f"q{q}", right(q % 3 != 0), f"t{q // 3}"),
            ("new", f"q{q}", right(q % 3 != 1), f"t{q // 3}"),
        )
    ]
    path = table(tmp_path / "trip.csv", f"{HEAD},cluster", rows)
    by = ("--cluster", "cluster")
    done = nescio("compare", path, "-m", "accuracy", *GATE, *by)
    assert done.status == 3
    assert "the same accuracy" not in done.flat
    alike = [(run, f"q{q}", right(q % 3 != 0), f"t{q // 3}") for run in ("old", "new") for q in range(300)]
    done = nescio(
        "compare", table(tmp_path / "a.csv", f"{HEAD},cluster", alike), "-m", "accuracy", *GATE, *by, "--margin", "0.05"
    )
    assert done.status == 0
    assert "has the same accuracy as old on each of 300 questions" in done.flat


def test_the_key_that_was_read_first(tmp_path: Path, nescio: Command) -> None:
    head = "run,question,gold,prediction"
    mine = [
        ("new", f"q{q}", f"city{q}" if q % 10 < 2 else "mine", f"city{q}" if q % 10 < 2 else "mine") for q in range(200)
    ]
    theirs = [("old", f"q{q}", f"city{q}", f"city{q}" if q % 10 < 7 else "x") for q in range(200)]
    new, base = table(tmp_path / "new.csv", head, mine), table(tmp_path / "old.csv", head, theirs)
    first = ("-m", "accuracy", "--choose", "gold=first")
    nescio("compare", new, base, *first, *GATE).assert_refused("read first from new.csv")
    assert nescio("compare", base, new, *first, *GATE).status == 1
    assert nescio("compare", new, base, *first, "--baseline", "old").out.splitlines()[-1].startswith("CANNOT TELL")
    nescio("score", base, new, *first, "--fail-under", "accuracy=0.1").assert_refused("gold answers that differ")


@pytest.mark.parametrize("missing", ["common", "own"])
def test_questions_that_the_run_leaves_out(nescio: Command, shorter: Path, missing: str) -> None:
    refused_everywhere(nescio, shorter, "'new' lacks 100 that others were asked", "--missing", missing)
    assert nescio("compare", shorter, "-m", "accuracy", *GATE, "--missing", "unanswered").status == 1
    nescio("compare", shorter, "-m", "accuracy", *GATE, "--looks", "--missing", missing).assert_refused("'new' lacks")


def test_questions_that_the_baseline_was_not_asked(tmp_path: Path, nescio: Command) -> None:
    """The new run is better on those of the baseline, and was asked more."""
    rows = [*old(n=range(150)), *(("new", f"q{q}", right(q % 10 < 9)) for q in N)]
    path = table(tmp_path / "t.csv", HEAD, rows)
    assert nescio("compare", path, "-m", "accuracy", *GATE, "--missing", "common").status == 0


def test_a_third_run_stands_against_no_other(tmp_path: Path, nescio: Command) -> None:
    rows = [*old(), *(("new", f"q{q}", right(q % 10 < 9)) for q in N), *(("x", f"q{q}", "correct") for q in N[:50])]
    path = table(tmp_path / "t.csv", HEAD, rows)
    assert nescio("compare", path, "-m", "accuracy", *GATE, "--missing", "common").status == 0
    assert nescio("gate", policy(path, 'measure = "accuracy"', 'missing = "common"')).status == 0


def test_n_counts_the_answers_that_have_a_grade(nescio: Command, failed: Path) -> None:
    rule = 'measure = "accuracy"\nat_least = 0.001\nleast = 150'
    done = nescio("gate", policy(failed, rule, 'ungraded = "exclude"'), "-f", "json")
    assert done.json["lines"][0]["n"] == 100


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ('measure = "accuracy"\nat_least = 0.5\nby = 0.05', "has one limit"),
        ('measure = "accuracy"\nat_least = 0.5\nrelative = true', "has one limit"),
        ('measure = "accuracy"\nat_least = -inf', "finite number"),
        ('measure = "accuracy"\nat_least = nan', "finite number"),
    ],
)
def test_a_rule_that_says_too_much_or_nothing(nescio: Command, shorter: Path, rule: str, says: str) -> None:
    nescio("gate", policy(shorter, rule)).assert_refused(says)


def test_a_policy_that_asks_nothing(tmp_path: Path, nescio: Command) -> None:
    path = table(tmp_path / "t.csv", HEAD, [*old(), *(("new", *row[1:]) for row in old())])
    done = nescio("gate", policy(path, 'measure = "accuracy"\ntier = "informative"'))
    assert done.status == 3
    assert "no rule decides" in done.out
    same = nescio("gate", policy(path, 'measure = "accuracy"\nat_least = 0.1'), "--run", "old")
    same.assert_refused("two different runs")
    two = policy(path, 'measure = "accuracy"\nbenchmark = "x"\nby = 0.02')
    two.write_text(two.read_text().replace("[[rules]]", '[benchmarks.y]\nfiles = "t.csv"\n[[rules]]'))
    done = nescio("gate", two)
    assert done.status == 0
    assert "the policy has no rule for y, so it checks nothing there" in done.flat


def test_stakes_that_one_run_was_not_asked_at(tmp_path: Path, nescio: Command) -> None:
    """The new run says of the questions that it gets wrong that it was asked them at another stake."""
    rows = [("old", f"q{q}", s, right(q % 10 < 7)) for q in N for s in (1, 5)]
    rows += [("new", f"q{q}", s, right(q % 10 < 7)) for q in N for s in (1, 5 if q % 10 < 7 else 2)]
    path = table(tmp_path / "stake.csv", "run,question,stake,outcome", rows)
    says = "fewer answers to some questions"
    nescio("score", path, "-m", "utility(5)", "--fail-under", "utility(5)=0.5").assert_refused(says)
    nescio("compare", path, "-m", "utility(5)", *GATE).assert_refused(says)
    kept, new = tmp_path / "kept.json", table(tmp_path / "new.csv", "run,question,stake,outcome", rows[2 * len(N) :])
    assert nescio("compare", path, "--run", "old", "--save-baseline", kept).status == 0
    nescio("compare", new, "-m", "utility(5)", "--baseline", kept, *GATE[2:]).assert_refused(says)
    others = [(*row[:2], "5.0" if row[0] == "new" and row[2] == 5 else row[2], row[3]) for row in rows]
    path = table(tmp_path / "other.csv", "run,question,stake,outcome", others)
    says = "on the 140 of 200 questions for which both runs have the data"
    nescio("compare", path, "-m", "utility(5)", *GATE).assert_refused(says)
    of_both = [
        (run, f"q{q}", 5 if q % 2 else 1, right(q % 10 < most)) for run, most in (("old", 6), ("new", 9)) for q in N
    ]
    paths = [table(tmp_path / f"half_{name}.csv", "run,question,stake,outcome", of_both) for name in "wxyz"]
    suite = tmp_path / "suite.toml"
    suite.write_text("".join(f"[benchmarks.{path.stem}]\nfiles = '{path.name}'\n" for path in paths))
    for files in (paths[0], suite):
        assert nescio("compare", files, "-m", "utility(5)", *GATE).status == 0


def test_a_baseline_of_questions_whose_ids_carry_their_stakes(tmp_path: Path, nescio: Command) -> None:
    """A baseline decides as its run would beside the new one: a right answer earns 1, a wrong one costs 5."""
    of_run = {
        run: [(run, f"q{q}@stake={s}", right(q % 10 < best)) for q in N for s in (1, 5)]
        for run, best in (("old", 8), ("new", 4))
    }
    old, new = (table(tmp_path / f"{run}.csv", HEAD, rows) for run, rows in of_run.items())
    kept = tmp_path / "kept.json"
    assert nescio("compare", old, "--save-baseline", kept).status == 0
    by_file = nescio("compare", new, "-m", "utility(5)", "--baseline", kept, *GATE[2:])
    assert by_file.status == nescio("compare", old, new, "-m", "utility(5)", *GATE).status == 1
    assert "new minus old is -2.400" in by_file.flat


def test_what_one_run_says_that_the_reference_knows(tmp_path: Path, nescio: Command) -> None:
    rows = [(*row, int(q % 10 < 7)) for q, row in enumerate(old())]
    rows += [("new", f"q{q}", "correct" if q % 10 < 3 else "unanswered", int(q % 10 < 3)) for q in N]
    path = table(tmp_path / "known.csv", f"{HEAD},known", rows)
    says = "runs differ in the column 'known' on 80 questions"
    nescio("compare", path, "-m", "honesty", *GATE).assert_refused(says)
    nescio("score", path, "-m", "honesty", "--fail-under", "honesty=0.1").assert_refused(says)
    same = table(tmp_path / "same.csv", f"{HEAD},known", [(*r[:3], int(int(str(r[1])[1:]) % 10 < 7)) for r in rows])
    done = nescio("score", same, "-m", "honesty", "--fail-under", "honesty=0.1")
    assert "gate passed: honesty of run 'new' is at least 0.1" in done.flat


def test_scores_on_two_scales(tmp_path: Path, nescio: Command) -> None:
    """The judge of the new run grades from 0 to 5, and that of the old run from 0 to 1."""
    rows = [(*row, q % 10 / 10) for q, row in enumerate(old())]
    better = [("new", *row[1:3], float(str(row[3])) + 0.1) for row in rows]
    grades = [("new", *row[1:3], 4 * float(str(row[3]))) for row in rows]
    many = table(tmp_path / "many.csv", f"{HEAD},grade", [*rows, *grades])
    says = "the values of 'grade' are between 0 and 1 in old, but reach 3.6 in new"
    nescio("compare", many, "-m", "mean(grade)", *GATE).assert_refused(says)
    nescio("gate", policy(many, 'measure = "mean(grade)"\nby = 0.02')).assert_refused(says)
    assert says not in nescio("compare", many, "-m", "accuracy", *GATE).flat
    same = table(tmp_path / "same.csv", f"{HEAD},grade", [*rows, *better])
    assert "different scales" not in nescio("compare", same, "-m", "mean(grade)", *GATE).flat
    hits = [*old((1,)), *(("new", *row[1:], 3) for row in old())]
    counts = table(tmp_path / "counts.csv", f"{HEAD},hits", hits)
    assert "different scales" not in nescio("compare", counts, "-m", "mean(hits)", *GATE).flat


def test_grades_on_two_scales_that_a_threshold_turns_into_outcomes(tmp_path: Path, nescio: Command) -> None:
    """The judge of the new run grades the same answers from 0 to 5, or gives grades that are no finite number."""
    rows: list[tuple[object, ...]] = [("old", f"q{q}", q % 10 / 10) for q in N]
    by = ("--column", "outcome=grade>=0.5", *GATE)
    scaled = [*rows, *(("new", f"q{q}", q % 10 / 2) for q in N)]
    many = table(tmp_path / "many.csv", "run,question,grade", scaled)
    says = "the values of 'grade' are between 0 and 1 in old, but reach 4.5 in new"
    nescio("compare", many, "-m", "accuracy", *by).assert_refused(says)
    at_3 = ("--column", "outcome=grade>=3", *by[2:])
    nescio("compare", many, "-m", "accuracy", *at_3).assert_refused(says)
    assert says in nescio("score", many, "-m", "accuracy", *by[:2]).flat
    before, after = (
        table(tmp_path / f"{at}.csv", "run,question,grade", own) for at, own in ((0, rows), (1, scaled[len(rows) :]))
    )
    assert nescio("compare", before, "-m", "accuracy", *by[:2], "--save-baseline", tmp_path / "base.json").status == 0
    saved = ("--baseline", tmp_path / "base.json", "--fail-on-regression", "--margin", "0.02")
    nescio("compare", after, "-m", "accuracy", *by[:2], *saved).assert_refused(says)
    verdicts = [("old", f"q{q}", q % 2) for q in N] + [("new", f"q{q}", 4) for q in N]
    whole = table(tmp_path / "whole.csv", "run,question,grade", verdicts)
    nescio("compare", whole, "-m", "accuracy", *by).assert_refused("are between 0 and 1 in old, but reach 4 in new")
    for odd in ("inf", "nan"):
        endless = [*rows, *(("new", f"q{q}", odd if q % 2 else q % 10 / 10) for q in N)]
        path = table(tmp_path / f"{odd}.csv", "run,question,grade", endless)
        nescio("compare", path, "-m", "accuracy", *by).assert_refused("the answer is not graded")
    logs = []
    for run, scale in (("old", 1), ("new", 100)):
        cells = [f"question {q},answer,{scale * (q % 10) / 10}" for q in N]
        logs.append(tmp_path / f"{run}.csv")
        logs[-1].write_text("\n".join(["user_input,response,answer_correctness", *cells]) + "\n")
    nescio("compare", *logs, "-m", "accuracy", "--choose", "threshold=0.5", *GATE).assert_refused("but reach 90 in new")


def test_costs_in_two_units_and_marks_of_missing_costs(tmp_path: Path, nescio: Command) -> None:
    """The old run took 1 to 1.9 seconds, written as milliseconds; the new run took twice as long."""
    rows = [(*row, 1000 + 100 * (q % 10)) for q, row in enumerate(old())]
    slower = [("new", *row[1:3], float(str(row[3])) / 500) for row in rows]
    measure = ("-m", "mean(seconds,better=lower)", *GATE)
    units = table(tmp_path / "units.csv", f"{HEAD},seconds", [*rows, *slower])
    nescio("compare", units, *measure).assert_refused("they may be in different units")
    marked = [("new", *row[1:3], -1 if q % 2 else row[3]) for q, row in enumerate(rows)]
    marks = table(tmp_path / "marks.csv", f"{HEAD},seconds", [*rows, *marked])
    nescio("compare", marks, *measure).assert_refused("never below 0 in old, but some are in new")
    faster = [("new", *row[1:3], float(str(row[3])) / 50) for row in rows]
    honest = table(tmp_path / "honest.csv", f"{HEAD},seconds", [*rows, *faster])
    nescio("compare", honest, *measure, "--margin", "10").assert_refused("--same-unit seconds that they have")
    done = nescio("compare", honest, *measure, "--margin", "10", "--same-unit", "seconds")
    assert "\nMERGE: new minus old" in done.out
    assert "different units" not in done.flat
    least = [("free", *row[1:3], 0) for row in rows]
    every = nescio("compare", table(tmp_path / "three.csv", f"{HEAD},seconds", [*least, *rows, *faster]), *measure[:2])
    for low, high in (("at most 0 in free", "in old, new"), ("at most 29 in new", "in old")):
        assert any(low in line and f"{high}: they may be in different units" in line for line in every.err.splitlines())


@pytest.mark.parametrize("measure", ["mean(cost)", "price_per_right(cost)", "net_benefit(9, column=cost)"])
@pytest.mark.parametrize("divisor", [100, 60, math.inf])
def test_costs_of_which_one_run_does_not_state_the_unit(
    tmp_path: Path, nescio: Command, measure: str, divisor: float
) -> None:
    """The new run costs twice as much, in a unit that is 100 or 60 times larger, or does not know its costs (0)."""
    rows = [(*row, 2 + q % 3 / 2) for q, row in enumerate(old())]
    dearer = [("new", *row[1:3], 2 * float(str(row[3])) / divisor) for row in rows]
    path = table(tmp_path / "costs.csv", f"{HEAD},cost", [*rows, *dearer])
    gate = ("-m", measure, *GATE, "--margin", "0.1")
    nescio("compare", path, *gate).assert_refused("they may be in different units")
    nescio("gate", policy(path, f'measure = "{measure}"\nby = 0.1')).assert_refused("they may be in different units")
    assert "Ship nothing yet: no decision can rest on" in nescio("report", path, "-m", measure).flat
    assert "Ship new" in nescio("report", path, "-m", measure, "--same-unit", "cost").flat
    stated = policy(path, f'measure = "{measure}"\nby = 0.1', 'same_unit = ["cost"]')
    assert nescio("gate", stated).status == 0
    assert nescio("compare", path, *gate, "--same-unit", "cost").status == 0


def test_times_in_two_units_that_a_threshold_turns_into_outcomes(tmp_path: Path, nescio: Command) -> None:
    """The old run took 100 to 1900 milliseconds, and the new one twice as long, written as seconds."""
    old_times, new_times = (
        [(run, f"q{q}", 100 * share * (1 + 2 * (q % 10))) for q in N] for run, share in (("old", 1), ("new", 2 / 1000))
    )
    old, new = (
        table(tmp_path / f"{run}.csv", "run,question,latency", rows)
        for run, rows in (("old", old_times), ("new", new_times))
    )
    says = "the median of 'latency' is at most 2 in new, but at least 1000 in old: they may be in different units"
    by = ("-m", "accuracy", "--column", "outcome=latency<=1000")
    nescio("compare", old, new, *by, *GATE).assert_refused(says)
    assert nescio("compare", old, *by, "--save-baseline", tmp_path / "base.json").status == 0
    saved = ("--baseline", tmp_path / "base.json", *GATE[2:])
    nescio("compare", new, *by, *saved).assert_refused(says)
    for path in (old, new):
        assert nescio("convert", path, tmp_path / f"t-{path.name}", *by[2:]).status == 0
    nescio("compare", tmp_path / "t-old.csv", tmp_path / "t-new.csv", *by[:2], *GATE).assert_refused(says)
    assert nescio("compare", new, *by, *saved, "--same-unit", "latency").status == 0
    slower = table(tmp_path / "slower.csv", "run,question,latency", [(*row[:2], 2000 * row[2]) for row in new_times])
    assert nescio("compare", slower, *by, *saved).status == 1


@pytest.mark.parametrize(("rule", "most"), [("errors<=0", 10), ("errors<=0", 7), ("errors<1", 7)])
def test_counts_of_errors_of_which_0_is_right(tmp_path: Path, nescio: Command, rule: str, most: int) -> None:
    """Of every 10 answers, the new run has `most` without errors, and the old run 3; the others have 2 errors."""
    rows = [("old", f"q{q}", 0 if q % 10 < 3 else 2) for q in N] + [
        ("new", f"q{q}", 0 if q % 10 < most else 2) for q in N
    ]
    path = table(tmp_path / "table.csv", "run,question,errors", rows)
    done = nescio("compare", path, "-m", "accuracy", "--column", f"outcome={rule}", *GATE)
    assert done.status == 0
    assert "units" not in done.flat


def test_grades_on_two_scales_above_1(tmp_path: Path, nescio: Command) -> None:
    """The judge of the old run grades up to 10, and that of the new run up to 100: it is worse."""
    rows = [("old", f"q{q}", 4 + q % 6) for q in N]
    worse = [("new", f"q{q}", 30 + q % 21) for q in N]
    says = "the values of 'grade' are at most 10 in old, but reach 50 in new"
    paths = [table(tmp_path / f"{i}.csv", "run,question,grade", own) for i, own in enumerate((rows, worse))]
    by = ("-m", "accuracy", "--column", "outcome=grade>=6")
    for asked in (("-m", "mean(grade)", "--margin", "0.5"), by):
        nescio("compare", *paths, *asked, *GATE).assert_refused(says)
        assert nescio("compare", *paths, *asked, *GATE, "--same-unit", "grade").status == 0
    assert nescio("compare", paths[0], *by, "--save-baseline", tmp_path / "base.json").status == 0
    saved = ("--baseline", tmp_path / "base.json", "--fail-on-regression", "--margin", "0.02")
    nescio("compare", paths[1], *by, *saved).assert_refused(says)
    assert nescio("compare", paths[1], *by, *saved, "--same-unit", "grade").status == 0


def test_a_suite_knows_the_scales_of_each_benchmark(tmp_path: Path, nescio: Command) -> None:
    suite = tmp_path / "suite.toml"
    for name, scale in (("a", 1), ("b", 8)):
        rows = [(run, f"q{q}", by * (q % 7 + 1) / 10) for run, by in (("old", 0.8), ("new", scale)) for q in N]
        table(tmp_path / f"{name}.csv", "run,question,grade", rows)
    benchmarks = [f'[benchmarks.{name}]\nfiles = "{name}.csv"\n' for name in "ab"]
    gate = ("-m", "mean(grade)", *GATE, "--margin", "0.1")
    suite.write_text("".join(benchmarks))
    nescio("compare", suite, *gate).assert_refused("between 0 and 1 in old, but reach 5.6 in new")
    for stated in ('"grade"', '["grade"]'):
        suite.write_text(f"{''.join(benchmarks)}same_unit = {stated}\n")
        assert nescio("compare", suite, *gate).status == 0


def test_looks_that_contradict_each_other_show_no_interval(tmp_path: Path, nescio: Command) -> None:
    """The new run wins all questions of the first block and loses all of the second."""
    state = tmp_path / "state.json"
    for block, wins in ((0, True), (1, False)):
        rows = [(run, f"b{block}q{q}", right((run == "new") == wins)) for run in ("old", "new") for q in N]
        path = table(tmp_path / f"{block}.csv", HEAD, rows)
        done = nescio("compare", path, "-m", "accuracy", *GATE, "--looks", "--state", state)
    assert done.status == 3
    assert "contradict" in done.flat
    assert "undefined, undefined" not in done.flat + done.err


def test_labels_and_questions_are_not_promised_at_once(tmp_path: Path, nescio: Command) -> None:
    """A note says how many labels would tell the runs apart; the decision names no number of questions beside it."""
    head, *labels = PEOPLE.read_text().splitlines()
    of_run = {run: {line.split(",")[1] for line in labels if line.startswith(f"{run},")} for run in ("mine", "other")}
    both = [line for line in labels if line.split(",")[1] in of_run["mine"] & of_run["other"]]
    people = tmp_path / "people.csv"
    people.write_text("\n".join([head, *both]) + "\n")
    files = [*ANSWERED, "--labels", people]
    done = nescio("compare", *files, "-m", "c@1", "--baseline", "other", "--run", "mine")
    assert "labels would tell these runs apart" in done.flat
    assert done.out.splitlines()[-1].startswith("CANNOT TELL: ")
    assert "further questions" not in done.flat
    assert "More labels or more questions would narrow the interval." in done.flat


def test_a_stake_that_one_run_was_never_asked_at_stands_against_nothing(tmp_path: Path, nescio: Command) -> None:
    rows = [("old", f"q{q}", s, right(q % 10 < 7)) for q in N for s in (1, 5)]
    rows += [("new", f"q{q}", 1, right(q % 10 < 9)) for q in N]
    path = table(tmp_path / "stake.csv", "run,question,stake,outcome", rows)
    assert nescio("compare", path, "-m", "utility(1)", *GATE).status == 0
    says = "runs were asked at different stakes: 'old' at 1 and 5, and 'new' at 1."
    kept, new = tmp_path / "kept.json", table(tmp_path / "new.csv", "run,question,stake,outcome", rows[2 * len(N) :])
    assert nescio("compare", path, "--run", "old", "--save-baseline", kept).status == 0
    for measure in ("accuracy", "c@1"):
        nescio("compare", path, "-m", measure, *GATE).assert_refused(says, "Ask all runs at the same stakes")
        nescio("compare", new, "-m", measure, "--baseline", kept, *GATE[2:]).assert_refused("at different stakes")
    alike = [
        (run, f"q{q}", "5.0" if run == "new" and s == 5 else s, right(q % 10 < most))
        for run, most in (("old", 7), ("new", 9))
        for q in N
        for s in (1, 5)
    ]
    both = table(tmp_path / "both.csv", "run,question,stake,outcome", alike)
    assert nescio("compare", both, "-m", "accuracy", *GATE).status == 0
    targets = [(run, q, {"old": 0.7, "new": 0.9}[run], state) for run, q, s, state in alike if s == 1]
    path = table(tmp_path / "targets.csv", "run,question,t,outcome", targets)
    by_target = nescio("compare", path, "-m", "accuracy", *GATE, "--column", "repeat=t")
    by_target.assert_refused("'old' at 0.7, and 'new' at 0.9.")


def looked(nescio: Command, state: Path, path: Path, *options: str) -> Outcome:
    return nescio("compare", path, "-m", "accuracy", *GATE, "--looks", "--state", state, *options)


def night(path: Path, name: str) -> Path:
    """The new run is right on all 200 questions, and the old one on seven of ten."""
    rows = [(run, f"{name}{q}", right(run == "new" or q % 10 < 7)) for run in ("old", "new") for q in N]
    return table(path / f"{name}.csv", HEAD, rows)


def test_a_look_without_ground_leaves_nothing_for_the_next(tmp_path: Path, nescio: Command) -> None:
    """The first night has a file beside it that nobody named, gold answers of the run's own, or fewer questions."""
    head = "run,question,gold,prediction"
    gold = [("old", f"g{q}", "a", "a" if q % 10 < 7 else "b") for q in N]
    gold += [("new", f"g{q}", "mine", "mine") for q in N]
    fewer = [(run, f"f{q}", right(run == "new")) for run in ("old", "new") for q in N if run == "old" or q < 100]
    refused = [
        (table(tmp_path / "gold.csv", head, gold), (), "gold answers that differ"),
        (table(tmp_path / "fewer.csv", HEAD, fewer), ("--missing", "common"), "'new' lacks 100"),
        (night(tmp_path, "beside"), (), "a file that the command does not name"),
    ]
    reading = '[column]\nrun="run"\nquestion="question"\noutcome="outcome"\n'
    (tmp_path / "beside.csv.reading.toml").write_text(reading)
    for at, (path, options, says) in enumerate(refused):
        state = tmp_path / f"state-{at}.json"
        looked(nescio, state, path, *options).assert_refused(says)
        assert not state.exists()
        nothing = nescio("compare", path, "-m", "accuracy", *GATE[:-1], "--looks", "--state", state, *options)
        assert "this look was not saved in" in nothing.flat
        assert not state.exists()
        cells = ("a", "a") if at == 0 else ("correct",)
        few = table(tmp_path / "few.csv", head if at == 0 else HEAD, [("old", "z1", *cells), ("new", "z1", *cells)])
        next_look = looked(nescio, state, few, *options, "-f", "json")
        assert next_look.status == 3
        assert [row["n"] for row in next_look.json["looks"]] == [1]
        before = state.read_bytes()
        looked(nescio, state, path, *options).assert_refused(says)
        assert state.read_bytes() == before


def test_the_next_look_allows_for_answers_that_earlier_ones_left_out(tmp_path: Path, nescio: Command) -> None:
    """100 of 200 answers have no grade on the first night, so at most 100 of 400 are unknown on the second; they count
    once a later file grades them."""
    rows = [("old", f"u{q}", right(q % 10 < 7)) for q in N]
    broken = [*rows, *(("new", f"u{q}", "correct" if q % 2 else "ungraded") for q in N)]
    first = table(tmp_path / "first.csv", HEAD, broken)
    state, exclude = tmp_path / "state.json", ("--ungraded", "exclude")
    assert looked(nescio, state, first, *exclude).status == 3
    second = looked(nescio, state, night(tmp_path, "second"), *exclude)
    assert second.status == 3
    assert "100 of new's 400 answers are left out" in second.flat
    graded = table(tmp_path / "graded.csv", HEAD, [*rows, *(("new", f"u{q}", "correct") for q in N)])
    assert looked(nescio, tmp_path / "other.json", graded, *exclude).status == 0
    third = looked(nescio, state, graded, *exclude, "-f", "json")
    assert third.status == 0
    assert "left out (not graded)" not in third.err
    verdicts = [row["verdict"] for row in third.json["looks"]]  # each row keeps what its look could not tell
    assert [verdict.partition(",")[0] for verdict in verdicts] == ["cannot tell", "cannot tell", "stop: better"]


def test_the_next_look_remembers_outcomes_that_changed(tmp_path: Path, nescio: Command) -> None:
    state = tmp_path / "state.json"
    first = night(tmp_path, "first")
    assert looked(nescio, state, first).status == 0
    text = first.read_text()
    first.write_text(text.replace("new,first0,correct", "new,first0,incorrect"))
    says = "the outcome of 1 question changed after an earlier look"
    for path in (first, night(tmp_path, "second")):
        done = looked(nescio, state, path)
        assert done.status == 3
        assert says in done.flat
    first.write_text(text)
    assert looked(nescio, state, first).status == 0


def stratified(path: Path, new: Callable[[int], str], more: str = "") -> Path:
    """1,000 questions, 40 of them of the stratum medical, on which the new run does as `new` says."""
    rows = [
        f"{run},q{q},{'medical' if q < 40 else 'other'},{cells}"
        for q in range(1000)
        for run, cells in (("old", f"{right(q % 10 < 7)},"), ("new", new(q) if q < 40 else "correct,"))
    ]
    file = path / "strata.csv"
    file.write_text("\n".join(["run,question,category,outcome,error", *rows]) + "\n")
    rules = ['stratum = "category"', 'stratum = "category=medical"\nat_least = 0.5']
    joined = "\n[[rules]]\n".join(f'measure = "accuracy"\n{rule}' for rule in rules)
    return policy(file, joined, more)


@pytest.mark.parametrize("why", ["", "timeout"])
def test_answers_without_a_grade_are_counted_in_their_stratum(tmp_path: Path, nescio: Command, why: str) -> None:
    """30 of 1,000 answers have no grade, and they are 30 of 40 in one stratum."""
    empty = "" if why else "ungraded"
    path = stratified(tmp_path, lambda q: "correct," if q % 4 == 0 else f"{empty},{why}", 'ungraded = "exclude"')
    results = gate(path)
    assert [(line.stratum, line.result) for line in results] == [
        ("category=medical", "INCONCLUSIVE"),
        ("category=other", "GO"),
        ("category=medical", "INCONCLUSIVE"),
    ]
    assert nescio("gate", path).status == 3
    assert "category=medical: run 'new': 30 of 40 answers are not graded" in nescio("gate", path).flat


def test_a_stratum_that_a_run_lacks_is_not_passed_over(tmp_path: Path, nescio: Command) -> None:
    path = stratified(tmp_path, lambda _: "correct,", 'missing = "common"')
    file = path.with_suffix(".csv")
    file.write_text(
        "\n".join(row for row in file.read_text().splitlines() if not row.startswith("new,q") or "other" in row)
    )
    nescio("gate", path).assert_refused("the two runs share no question")


@pytest.mark.parametrize(("gain", "result"), [(60, "GO"), (-60, "NO-GO")])
def test_a_share_of_a_negative_value_is_lost_downwards(tmp_path: Path, gain: int, result: str) -> None:
    """The old run is right on 300 of 1,000 and wrong on the others: UF is -0.4, and a tenth less is -0.44. The new run is
    right on 360 or 240: -0.28 or -0.52."""
    rows = [(run, f"q{q}", right(q < 300 + more)) for run, more in (("old", 0), ("new", gain)) for q in range(1000)]
    path = table(tmp_path / "t.csv", HEAD, rows)
    (line,) = gate(policy(path, 'measure = "UF"\nby = 0.1\nrelative = true'))
    assert (line.value, line.result) == (pytest.approx(2 * gain / 1000), result)


def test_labels_that_may_be_of_other_answers_decide_nothing(tmp_path: Path, nescio: Command) -> None:
    """The labels are those of the example, without the answers that they are about."""
    lines = [row.split(",") for row in PEOPLE.read_text().splitlines()]
    (tmp_path / "bare.csv").write_text("\n".join(",".join([*row[:2], row[-1]]) for row in lines))
    says = "not contain the judged answer"
    gate_on = ("score", *ANSWERED, "-m", "accuracy", "--fail-under", "accuracy=0.01", "--labels")
    nescio(*gate_on, tmp_path / "bare.csv").assert_refused(says)
    assert nescio(*gate_on, PEOPLE).status in (0, 3)
    bare = nescio(
        "compare", *ANSWERED, "-m", "accuracy", "--baseline", "old", "--run", "mine", "--labels", tmp_path / "bare.csv"
    )
    assert bare.out.splitlines()[-1].startswith("CANNOT TELL")
    assert says in bare.flat


@pytest.mark.parametrize(
    "call", [("score", "--fail-under", "accuracy=0.5"), ("compare", *GATE), ("compare", *GATE, "--looks")]
)
def test_json_holds_what_the_gates_decide(tmp_path: Path, nescio: Command, call: tuple[str, ...]) -> None:
    done = nescio(*call, "-m", "accuracy", night(tmp_path, "n"), "-f", "json")
    assert [gate["result"] for gate in done.json["gates"]] == ["passed"] * (2 if call[0] == "score" else 1)
    assert done.json["gates"][-1]["status"] == done.status


def test_markdown_holds_what_the_gates_decide(tmp_path: Path, nescio: Command) -> None:
    path = table(tmp_path / "t.csv", HEAD, [*old(), *(("new", *row[1:]) for row in old())])
    for bar, said in (("0.5", "- passed: accuracy of run 'old' is at least 0.5"), ("0.7", "- cannot tell: accuracy")):
        done = nescio("score", path, "-m", "accuracy", "--fail-under", f"accuracy={bar}", "-f", "markdown")
        assert said in done.out


def test_a_summary_shows_no_interval_that_is_not_there(tmp_path: Path, nescio: Command) -> None:
    """Both runs are right on all of 200 questions, so that no difference has a spread."""
    rows = [(run, f"q{q}", "correct") for run in ("old", "new") for q in N]
    summary = tmp_path / "summary.md"
    path = table(tmp_path / "t.csv", HEAD, rows)
    nescio("compare", path, "-m", "accuracy", *GATE, "--margin", "0.1", f"--step-summary={summary}")
    (line,) = [row for row in summary.read_text().splitlines() if "at most 0.1 worse" in row and row.startswith("|")]
    assert "+0.000" in line
    assert "undefined" not in line


STALE = "run,question,outcome\nold,q1,correct\nnew,q1,correct\nnew,q1,incorrect\n"  # a question twice


@pytest.mark.parametrize(
    "call",
    [
        ("score", "-m", "accuracy", "--fail-under", "accuracy=0.5"),
        ("compare", "-m", "accuracy", *GATE),
        ("compare", "-m", "accuracy", *GATE, "--looks"),
        ("lab", "guard", "--at-most-wrong", 0.9),
        ("gate",),
    ],
)
def test_reports_of_an_earlier_call_do_not_outlive_an_error(
    tmp_path: Path, nescio: Command, call: tuple[object, ...]
) -> None:
    junit, summary = tmp_path / "gates.xml", tmp_path / "summary.md"
    path = night(tmp_path, "n")
    file = policy(path, 'measure = "accuracy"') if call == ("gate",) else path
    reports = ("--junit", junit, f"--step-summary={summary}")
    assert nescio(*call, file, *reports).status == 0
    assert 'errors="0"' in junit.read_text()
    passed = summary.read_text()
    assert passed.startswith(f"## nescio {call[0]}")
    assert "no gate was judged" not in passed
    path.write_text(STALE)
    assert nescio(*call, file, *reports).status == 2
    assert 'errors="1"' in junit.read_text()
    assert "no gate was judged" in junit.read_text()
    added = summary.read_text().removeprefix(passed)
    assert ": error" in added.splitlines()[0]
    assert nescio(*call, night(tmp_path, "n") and file, *reports).status == 0
    assert 'errors="0"' in junit.read_text()
    assert summary.read_text() == passed + added + passed


def test_what_cannot_be_told_for_want_of_ground_is_told_apart(tmp_path: Path, nescio: Command, failed: Path) -> None:
    """Half of the answers have no grade; a run that answers nothing has no precision; and ten questions are too few."""
    junit = tmp_path / "gates.xml"
    silent = table(tmp_path / "u.csv", HEAD, [*old(), *(("new", f"q{q}", "unanswered") for q in N)])
    few = table(tmp_path / "few.csv", HEAD, [*old(n=range(10)), *(("new", *row[1:]) for row in old(n=range(10)))])
    limit = ("--fail-under", "accuracy=0.6")
    excluded = ("--ungraded", "exclude")
    calls: tuple[tuple[tuple[object, ...], str], ...] = (
        (("score", failed, "-m", "accuracy", *limit, *excluded), "no ground"),
        (("compare", failed, "-m", "accuracy", *GATE, *excluded), "no ground"),
        (("compare", failed, "-m", "accuracy", *GATE, *excluded, "--looks"), "no ground"),
        (("gate", (failed, 'measure = "accuracy"', 'ungraded = "exclude"')), "no ground"),
        (("gate", (failed, 'measure = "accuracy"\nat_least = 0.6', 'ungraded = "exclude"')), "no ground"),
        (("gate", (few, 'measure = "accuracy"\ntier = "informative"')), "no ground"),
        (("score", silent, "-m", "precision", "--fail-under", "precision=0.6"), "no ground"),
        (("score", few, "-m", "accuracy", *limit), "cannot tell"),
        (("compare", few, "-m", "accuracy", *GATE), "cannot tell"),
        (("gate", (few, 'measure = "accuracy"')), "cannot tell"),
    )
    for call, kind in calls:
        words = [policy(*one) if isinstance(one, tuple) else one for one in call]
        assert nescio(*words, "--junit", junit).status == 3
        assert f'type="{kind}"' in junit.read_text(), call


def test_what_is_left_out_of_a_measure_of_few_of_the_questions(tmp_path: Path, nescio: Command) -> None:
    """Of 995 answers of the new run 900 count, and non-hallucination is 1 - W/(W + U): 95 more wrong ones would take it
    from 0.6 to 60/195 = 0.31, as only 100 of the questions are wrong or silent."""
    outcomes = ["correct"] * 800 + ["incorrect"] * 40 + ["unanswered"] * 60
    new = [("new", f"q{q}", outcome) for q, outcome in enumerate([*outcomes, *["ungraded"] * 95])]
    rows = [("old", f"q{q}", "correct" if q < 800 else right(q % 3 != 0)) for q in range(995)]
    path = table(tmp_path / "t.csv", HEAD, [*rows, *new])
    exclude = ("--ungraded", "exclude")
    own = table(tmp_path / "own.csv", HEAD, new)
    for name in ("non_hallucination", "eq6", "simpleqa.F", "precision"):
        assert nescio("score", own, "-m", name, "--fail-under", f"{name}=0.1", *exclude).status == 3, name
        assert nescio("compare", path, "-m", name, *GATE, *exclude, "--margin", "0.9").status == 3, name
    assert nescio("score", own, "-m", "accuracy", "--fail-under", "accuracy=0.7", *exclude).status == 0


def test_answers_without_a_grade_weigh_as_their_questions_do(tmp_path: Path, nescio: Command) -> None:
    """Of 100 questions asked 20 times and 100 asked once, 90 of the latter have no grade: 90 of 2,100 answers (4.3%),
    and 45% of the questions."""
    rows = [
        (run, f"q{q}", k, "ungraded" if run == "new" and q >= 110 else right(q % 10 < (9 if run == "new" else 8)))
        for run in ("old", "new")
        for q in range(200)
        for k in range(20 if q < 100 else 1)
    ]
    path = table(tmp_path / "t.csv", "run,question,repeat,outcome", rows)
    done = nescio("compare", path, "-m", "accuracy", *GATE, "--ungraded", "exclude")
    assert done.status == 3
    assert "90 of new's 2,100 answers are left out" in done.flat


def test_an_identical_run_of_few_questions(tmp_path: Path, nescio: Command) -> None:
    """If a share d of all questions is lost, n questions show none of it with the chance (1 - d)^n. At d = 0.02 and
    n = 100 that is 0.13, and below 0.025 from n = 182.6 on: 83 further questions, to two digits."""
    rows = [*old(n=range(100)), *(("new", *row[1:]) for row in old(n=range(100)))]
    path = table(tmp_path / "t.csv", HEAD, rows)
    done = nescio("compare", path, "-m", "accuracy", *GATE, "--margin", "0.02")
    assert done.status == 3
    assert "About 83 further questions would tell" in done.flat
    assert nescio("compare", path, "-m", "accuracy", *GATE, "--margin", "0").status == 0
    enough = [*old(n=range(183)), *(("new", *row[1:]) for row in old(n=range(183)))]
    done = nescio("compare", table(tmp_path / "e.csv", HEAD, enough), "-m", "accuracy", *GATE, "--margin", "0.02")
    assert done.status == 0
    assert "has the same accuracy as old on each of 183 questions" in done.flat


def test_an_identical_run_that_answers_few_questions(tmp_path: Path, nescio: Command) -> None:
    """Precision is a share of the answers: 40 of 400 questions are answered, and 0.98^40 = 0.45 shows no loss."""
    rows = [
        (run, f"q{q}", right(q % 20 == 0) if q % 10 == 0 else "unanswered")
        for run in ("old", "new")
        for q in range(400)
    ]
    path = table(tmp_path / "t.csv", HEAD, rows)
    done = nescio("compare", path, "-m", "precision", *GATE, "--margin", "0.02")
    assert done.status == 3
    assert nescio("compare", path, "-m", "precision", *GATE, "--margin", "0.1").status == 0  # 0.9^40 = 0.015


def test_questions_and_answers_that_the_run_adds_win_nothing(tmp_path: Path, nescio: Command) -> None:
    """The new run is no better on the questions of the baseline, and sends 200 more, or each answer twice."""
    silent = ("--missing", "unanswered")
    more = [*old(), *(("new", f"q{q}", right(q % 10 < 7)) for q in range(400))]
    path = table(tmp_path / "more.csv", HEAD, more)
    nescio("compare", path, "-m", "accuracy", *GATE, *silent).assert_refused("200 of 400 questions are missing")
    twice = [(run, f"q{q}", k, right(q % 10 < 7)) for run, n in (("old", 1), ("new", 2)) for q in N for k in range(n)]
    path = table(tmp_path / "twice.csv", "run,question,repeat,outcome", twice)
    nescio("compare", path, "-m", "accuracy", *GATE, *silent).assert_refused("another run has 200 more answers")


def test_a_run_that_is_sent_under_two_names_was_not_asked_more_often(tmp_path: Path, nescio: Command) -> None:
    rows = [
        (run, f"q{q}", k, "correct") for run in ("new", "copy") for q in range(100) for k in range(1 if q % 3 else 4)
    ]
    path = table(tmp_path / "two.csv", "run,question,repeat,outcome", rows)
    nescio("score", path, "-m", "accuracy", "--fail-under", "accuracy=0.5").assert_refused("fewer than 4 answers")


@pytest.mark.parametrize("whose", ["", "old", "new"])
def test_bounds_for_one_answer_without_a_grade_lift_no_guard(tmp_path: Path, nescio: Command, whose: str) -> None:
    """Empty outputs and another judge are seen, whether or not an answer of one run has no grade."""
    both = {"old": 5, "new": 6}
    graded = [(run, f"q{q}", right(q % 10 < share), "x") for run, share in both.items() for q in N]
    silent = [(*row[:2], "unanswered", "") if row[0] == "new" and row[2] == "incorrect" else row for row in graded]
    judged = [(*row, "ana" if row[0] == "old" else "ben") for row in graded]
    bounds = ("-m", "accuracy", "--ungraded", "bounds", *GATE)
    for name, rows in (("silent", silent), ("judged", judged), ("alike", graded)):
        lacking = [(*row[:2], "", *row[3:]) if row[:2] == (whose, "q0") else row for row in rows]
        head = "run,question,outcome,answer" + (",judge" if name == "judged" else "")
        path = table(tmp_path / f"{name}.csv", head, lacking)
        done = nescio("compare", path, *bounds)
        if name == "judged":
            done.assert_refused("judged by different judges")
        else:
            assert done.status == (3 if name == "silent" else 0)
            assert ("many of new" in done.flat) == (name == "silent")


def test_a_report_does_not_ship_one_of_two_possible_results(tmp_path: Path, nescio: Command) -> None:
    rows = [("old", f"q{q}", right(q % 10 < 5)) for q in N]
    rows += [("new", f"q{q}", "" if q % 10 > 5 else right(q % 10 < 4)) for q in N]
    path = table(tmp_path / "t.csv", "run,question,outcome", rows)
    done = nescio("report", path, "-m", "accuracy", "--ungraded", "bounds", "-o", tmp_path / "r.html")
    assert done.out.startswith("Ship nothing yet: new has ")
    assert "not significantly different from new" not in done.flat
    assert "Ship new" not in done.flat
    parts = table(tmp_path / "parts.csv", "run,question,outcome,part", [(*row, int(row[1][1:]) % 2) for row in rows])
    nescio("score", parts, "-m", "accuracy", "--ungraded", "bounds", "--suite-by", "part").assert_refused("a suite")


def test_a_report_ships_no_run_with_many_empty_outputs_that_count_as_abstentions(
    tmp_path: Path, nescio: Command
) -> None:
    """As a gate on the run decides; `--empty` says that a text such as "" is an abstention."""
    rows = [(run, f"q{q}", right(q % 10 < 5), "x", q % 2) for run in ("old", "new") for q in N]
    rows = [(*row[:2], "unanswered", "", row[4]) if row[0] == "new" and row[2] == "incorrect" else row for row in rows]
    path = table(tmp_path / "t.csv", "run,question,outcome,answer,part", rows)
    for suite in ((), ("--suite-by", "part")):
        for empty, ships in (((), False), (("--empty", "unanswered"), True)):
            page = tmp_path / "r.html"
            assert nescio("report", path, "-m", "c@1", *suite, *empty, "-o", page).status == 0
            said = re.sub("<[^>]*>", "", page.read_text())
            assert ("Ship nothing yet: many of new" in said) == (not ships)
            assert ("Ship new" in said) == ships


def test_a_look_with_many_empty_outputs_leaves_nothing_for_the_next(tmp_path: Path, nescio: Command) -> None:
    rows = [(run, f"e{q}", right(q % 10 < 5), "x") for run in ("old", "new") for q in N]
    rows = [(*row[:2], "unanswered", "") if row[0] == "new" and row[2] == "incorrect" else row for row in rows]
    state = tmp_path / "state.json"
    empty = table(tmp_path / "empty.csv", "run,question,outcome,answer", rows)
    done = looked(nescio, state, empty)
    assert done.status == 3
    assert "this look was not saved in" in done.flat
    assert not state.exists()


@pytest.mark.parametrize(
    ("lost", "more", "why"),
    [
        ("unanswered,PARSE_FAIL", (), "30 of new's 200 answers count as abstentions"),
        ("unanswered,", (), "many of new's outputs are empty"),
        (",x", ("--ungraded", "exclude"), "30 of new's 200 answers are left out"),
    ],
)
def test_lost_answers_are_counted_among_the_questions_that_the_run_was_asked(
    tmp_path: Path, nescio: Command, lost: str, more: tuple[str, ...], why: str
) -> None:
    rows: list[tuple[str, ...]] = [("old", f"o{q}", right(q % 10 < 7), "x") for q in N]
    rows += [("new", f"n{q}", *("correct,x" if q % 20 > 2 else lost).split(",")) for q in N]
    path = table(tmp_path / "t.csv", f"{HEAD},answer", rows)
    gate_on = ("compare", path, "--missing", "own", "-m", "c@1", "--margin", "0.02", *GATE)
    done = nescio(*gate_on, *more)
    assert (done.status, why in done.flat) == (3, True), done.flat


@pytest.mark.parametrize("column", ["judge", "grader_model"])
def test_judges_that_tell_answers_apart_are_still_compared(tmp_path: Path, nescio: Command, column: str) -> None:
    """Each answer has two verdicts; the new run's second judge is another one, and more lenient."""
    asked = {"old": ("strict", 7, "strict2", 6), "new": ("strict", 6, "lenient", 9)}
    rows = [
        (run, f"q{q}", judge, right(q % 10 < most))
        for run, (one, least, two, more) in asked.items()
        for q in N
        for judge, most in ((one, least), (two, more))
    ]
    head, by = f"run,question,{column},outcome", ("-m", "accuracy", "--column", f"repeat={column}", *GATE)
    path = table(tmp_path / "judges.csv", head, rows)
    nescio("compare", path, *by).assert_refused("judged by different judges")
    assert nescio("compare", path, *by, "--column", "judge=-").status == 0
    alike = [(run, q, "strict2" if judge == "lenient" else judge, state) for run, q, judge, state in rows]
    assert nescio("compare", table(tmp_path / "alike.csv", head, alike), *by).status == 0
