"""What a gate over several benchmarks cannot be won by: it refuses what a gate on one of them refuses.

Every attack hides in the benchmark a. Benchmark b is honest, and the run is better there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Command, written

GATE = ("--baseline", "old", "--fail-on-regression")
LEFT_OUT = "30 of new's 60 answers are left out (errored)"
N = 60


def table(path: Path, columns: str, *runs: tuple[str, Callable[[int], object]]) -> Path:
    """Write the rows of runs: the cells of each question, joined by commas, from its id on."""
    rows = [f"{run},{cells(q)}" for run, cells in runs for q in range(N)]
    return written(path, "\n".join([f"run,question,{columns}", *rows]) + "\n")


def right(of_ten: int, *, prefix: str = "q", more: str = "") -> Callable[[int], str]:
    """Answers of which so many in ten are right, with further cells."""
    return lambda q: f"{prefix}{q},{'correct' if q % 10 < of_ten else 'incorrect'}{more}"


def honest(folder: Path) -> str:
    return f"b={table(folder / 'b.csv', 'outcome', ('old', right(7, prefix='z')), ('new', right(9, prefix='z')))}"


def test_an_honest_suite_passes(tmp_path: Path, nescio: Command) -> None:
    a = table(tmp_path / "a.csv", "outcome", ("old", right(7)), ("new", right(7)))
    assert nescio("compare", f"a={a}", honest(tmp_path), "-m", "accuracy", *GATE).status == 0


def test_no_run_renames_the_questions_of_a_benchmark(tmp_path: Path, nescio: Command) -> None:
    """It has 10% on them, and the baseline 70%."""
    a = table(tmp_path / "a.csv", "outcome", ("old", right(7)), ("new", right(1, prefix="own")))
    suite = (f"a={a}", honest(tmp_path))
    nescio("compare", *suite, "-m", "accuracy", *GATE).assert_refused("benchmark 'a': no two runs share a question")
    topics = table(
        tmp_path / "topics.csv",
        "outcome,topic",
        ("old", right(7, more=",a")),
        ("new", right(1, prefix="own", more=",a")),
        ("old", right(7, prefix="z", more=",b")),
        ("new", right(8, prefix="z", more=",b")),
    )
    nescio("compare", topics, "--suite-by", "topic", "-m", "accuracy", *GATE).assert_refused("benchmark 'a'")
    done = nescio("compare", *suite, "-m", "accuracy", "--missing", "own", *GATE)
    assert done.status == 3
    assert (
        "a: accuracy: on the 0 of 120 questions for which both runs have the data that the measure needs" in done.flat
    )


def test_the_key_the_reading_and_the_list_of_a_benchmark_are_not_those_of_the_run(
    tmp_path: Path, nescio: Command
) -> None:
    own = table(
        tmp_path / "gold.csv",
        "gold,prediction",
        ("old", lambda q: f"q{q},a{q},{f'a{q}' if q % 10 < 7 else 'x'}"),
        ("new", lambda q: f"q{q},mine,mine"),
    )
    nescio("compare", f"a={own}", honest(tmp_path), "-m", "accuracy", *GATE).assert_refused(
        "no gate can be decided by this: a: 60 of 60 questions have gold answers that differ"
    )
    mute = table(
        tmp_path / "mute.csv",
        "outcome,answerable",
        ("old", right(7, more=",")),
        ("new", lambda q: f"q{q},unanswered,no"),
    )
    nescio("compare", f"a={mute}", honest(tmp_path), "-m", "accuracy", *GATE).assert_refused(
        "no gate can be decided by this: a: only the rows of 'new' say"
    )
    old = table(tmp_path / "old.csv", "outcome,grade", ("old", right(7, more=",1")))
    new = table(tmp_path / "new.csv", "outcome,grade", ("new", right(1, more=",1")))
    written(tmp_path / "new.csv.reading.toml", '[column]\nrun="run"\nquestion="question"\noutcome="grade"\n')
    nescio("compare", f"a={old}", new, honest(tmp_path), "-m", "accuracy", *GATE).assert_refused(
        "new.csv.reading.toml, a file that the command does not name"
    )


def test_a_value_that_is_left_out_of_a_benchmark_wins_nothing(tmp_path: Path, nescio: Command) -> None:
    a = table(
        tmp_path / "a.csv",
        "outcome,cost",
        ("old", right(7, more=",2")),
        ("new", lambda q: f"q{q},correct,{1 if q % 2 else ''}"),
    )
    b = table(
        tmp_path / "b.csv", "outcome,cost", ("old", right(7, more=",2")), ("new", lambda q: f"q{q},correct,{1 + q % 2}")
    )
    nescio("compare", f"a={a}", f"b={b}", "-m", "mean(cost)", *GATE).assert_refused(
        "no gate can be decided by mean(cost): a: on the 30 of 60 questions"
    )


def test_a_run_without_confidences_on_a_benchmark_has_no_mean(tmp_path: Path, nescio: Command) -> None:
    a = table(
        tmp_path / "a.csv",
        "outcome,confidence",
        ("old", lambda q: f"{right(7)(q)},{0.9 - q % 10 / 20}"),
        ("new", right(1, more=",")),
    )
    b = table(
        tmp_path / "b.csv",
        "outcome,confidence",
        ("old", right(7, more=",0.5")),
        ("new", lambda q: f"{right(8)(q)},{0.9 - q % 10 / 20}"),
    )
    suite = ("compare", f"a={a}", f"b={b}", "-m", "AURC", "--resamples", "200")
    assert nescio(*suite, *GATE).status in (2, 3)
    done = nescio(*suite, "--baseline", "old")
    assert done.status == 0
    assert "new old AURC undefined undefined undefined" in done.flat
    assert "a: AURC: on the 0 of 60 questions" in done.flat
    assert "fewer than 30 questions" not in done.flat
    assert "Warning" not in done.err
    page = tmp_path / "page.html"
    assert nescio("report", f"a={a}", f"b={b}", "-m", "AURC", "--resamples", "200", "-o", page).status == 0
    assert "no other run has a defined mean" in page.read_text()
    assert "significantly better than new" not in page.read_text()


@pytest.mark.parametrize(
    ("clusters", "says"), [(12, "72 clusters of 120 questions"), (4, "64 clusters of 120 questions")]
)
def test_clusters_of_a_benchmark_are_named_and_many(tmp_path: Path, nescio: Command, clusters: int, says: str) -> None:
    a = table(
        tmp_path / "a.csv",
        "outcome,cluster",
        ("old", right(7, more=",")),
        ("new", lambda q: f"{right(6)(q)},c{q % clusters}"),
    )
    own = [lambda q, n=n: f"{right(n, prefix='z')(q)},c{q}" for n in (7, 8)]
    b = table(tmp_path / "b.csv", "outcome,cluster", ("old", own[0]), ("new", own[1]))
    suite = (f"a={a}", f"b={b}", "-m", "accuracy", *GATE)
    nescio("compare", *suite).assert_refused("which the command does not name", says)
    named = nescio("compare", *suite, "--cluster", "cluster")
    assert named.status == (3 if clusters >= 10 else 2), named.flat
    assert ("a: its questions are in 4 clusters. Fewer than 10 decide nothing" in named.flat) == (clusters < 10)


def failed(path: Path, run: str = "new", prefix: str = "q") -> Path:
    """Half of the calls of a run fail, and all others are right."""
    return table(
        path,
        "outcome,error",
        ("old", right(7, prefix=prefix, more=",")),
        (run, lambda q: f"{prefix}{q},{'correct,' if q % 2 else ',timeout'}"),
    )


def test_failed_calls_on_a_benchmark_leave_no_decision(tmp_path: Path, nescio: Command) -> None:
    """30 failed calls are few of all 460 questions, and each benchmark counts the same."""
    a = failed(tmp_path / "a.csv")
    large = [
        f"{run},z{q},{'correct' if q % 10 < share else 'incorrect'}"
        for q in range(400)
        for run, share in (("old", 7), ("new", 8))
    ]
    b = written(tmp_path / "b.csv", "\n".join(["run,question,outcome", *large]))
    how = ("-m", "accuracy", "--ungraded", "exclude")
    done = nescio("compare", f"a={a}", f"b={b}", *how, *GATE)
    assert done.status == 3
    assert f"a: no decision on run 'new': {LEFT_OUT}" in done.flat
    page = tmp_path / "page.html"
    assert nescio("report", f"a={a}", f"b={b}", *how, "-o", page).status == 0
    assert f"Ship nothing yet: {LEFT_OUT}" in page.read_text()
    assert "Ship new" not in page.read_text()


def test_failed_calls_are_those_of_a_run_by_its_name_in_the_suite(tmp_path: Path, nescio: Command) -> None:
    failed(tmp_path / "a.csv", run="new-v2")
    honest(tmp_path)
    suite = written(
        tmp_path / "suite.toml",
        '[benchmarks.a]\nfiles = "a.csv"\nungraded = "exclude"\nruns = {new = "new-v2"}\n[benchmarks.b]\nfiles = "b.csv"\n',
    )
    done = nescio("compare", suite, "-m", "accuracy", *GATE)
    assert done.status == 3
    assert LEFT_OUT in done.flat


def test_failed_calls_of_a_topic_leave_no_decision(tmp_path: Path, nescio: Command) -> None:
    path = table(
        tmp_path / "t.csv",
        "outcome,topic,error",
        ("old", right(7, more=",a,")),
        ("new", lambda q: f"q{q},{'correct,a,' if q % 2 else ',a,timeout'}"),
        ("old", right(7, prefix="z", more=",b,")),
        ("new", right(8, prefix="z", more=",b,")),
    )
    done = nescio("compare", path, "--suite-by", "topic", "-m", "accuracy", "--ungraded", "exclude", *GATE)
    assert done.status == 3
    assert LEFT_OUT in done.flat


@pytest.mark.parametrize("policy", ["common-benchmarks", "available", "complete-runs"])
def test_no_run_leaves_out_a_benchmark_of_its_baseline(tmp_path: Path, nescio: Command, policy: str) -> None:
    a = table(tmp_path / "a.csv", "outcome", ("old", right(7)), ("other", right(1)))
    b = table(tmp_path / "b.csv", "outcome", *[(run, right(n)) for run, n in (("old", 7), ("new", 9), ("other", 9))])
    suite = ("compare", f"a={a}", f"b={b}", "-m", "accuracy", "--incomplete", policy)
    nescio(*suite, *GATE).assert_refused("run 'new' lacks a, which 'old' has")
    nescio(*suite, *GATE, "--run", "new").assert_refused("run 'new'", "lacks a")
    # What a third run lacks leaves nothing out of the gate of another: 10% against 70% on a, 90% against 70% on b.
    done = nescio(*suite, *GATE, "--run", "other")
    assert done.status == 1, done.flat
    assert "accuracy -0.200" in done.flat
    assert nescio(*suite, "--baseline", "old").status == 0  # without a gate it is said in a note


def test_a_share_of_few_answers_on_a_benchmark_decides_nothing(tmp_path: Path, nescio: Command) -> None:
    """By one answer of 60 the precision is 1; and two runs may each have 1, on other questions."""
    one = table(
        tmp_path / "one.csv",
        "outcome",
        ("old", right(9)),
        ("new", lambda q: f"q{q},{'unanswered' if q else 'correct'}"),
    )
    done = nescio("compare", f"a={one}", honest(tmp_path), "-m", "precision", *GATE)
    assert done.status == 3
    assert "a: precision: a share comes from only 1 answer" in done.flat
    apart = table(
        tmp_path / "apart.csv",
        "outcome",
        ("old", lambda q: f"q{q},{'correct' if q < 5 else 'unanswered'}"),
        ("new", lambda q: f"q{q},{'correct' if q > 50 else 'unanswered'}"),
    )
    alike = table(tmp_path / "alike.csv", "outcome", ("old", right(7, prefix="z")), ("new", right(7, prefix="z")))
    assert nescio("compare", f"a={apart}", f"b={alike}", "-m", "precision", *GATE).status == 3


@pytest.mark.parametrize(
    ("missing", "says"),
    [
        (
            "unanswered",
            "run 'old': 60 of 120 questions are missing and counted as unanswered. The run could win by adding questions",
        ),
        ("own", "'old' lacks 60 questions that others were asked. The run could win by adding questions"),
    ],
)
def test_other_names_in_the_files_hide_no_ground(tmp_path: Path, nescio: Command, missing: str, says: str) -> None:
    """A suite calls acme/v1 old and acme/v2 new. The new run adds 60 questions of its own, all right."""
    table(
        tmp_path / "a.csv",
        "outcome",
        ("acme/v1", right(7)),
        ("acme/v2", right(6)),
        ("acme/v2", lambda q: f"own{q},correct"),
    )
    benchmark = f'files = "a.csv"\nmissing = "{missing}"\nruns = {{old = "acme/v1", new = "acme/v2"}}\n'
    suite = written(tmp_path / "suite.toml", f"[benchmarks.a]\n{benchmark}")
    policy = written(
        tmp_path / "policy.toml",
        f'baseline = "old"\nrun = "new"\n[benchmarks.a]\n{benchmark}[[rules]]\nmeasure = "accuracy"\n',
    )
    nescio("gate", policy).assert_refused(f"no gate can be decided by this: {says}")
    nescio("compare", suite, "-m", "accuracy", *GATE).assert_refused(f"no gate can be decided by this: {says}")


def test_names_that_two_runs_exchange_are_told_apart(tmp_path: Path, nescio: Command) -> None:
    """The file's old is the policy's new, and lacks the questions that it would get wrong; the policy's old is first."""
    rows = [f"first,q{q},{'correct' if q % 10 < 7 else 'incorrect'}" for q in range(N)]
    rows += [f"old,q{q},correct" for q in range(N) if q % 10 < 7]
    written(tmp_path / "a.csv", "\n".join(["run,question,outcome", *rows]) + "\n")
    policy = written(
        tmp_path / "policy.toml",
        'baseline = "old"\nrun = "new"\n[benchmarks.a]\nfiles = "a.csv"\nmissing = "common"\n'
        'runs = {old = "first", new = "old"}\n[[rules]]\nmeasure = "accuracy"\n',
    )
    nescio("gate", policy).assert_refused("'new' lacks 18 that others were asked")


def test_a_run_that_a_benchmark_leaves_out_decides_nothing(tmp_path: Path, nescio: Command) -> None:
    """`runs` names two of three; the third was asked half of the questions."""
    rows = [f"{run},q{q},{'correct' if q % 10 < 7 else 'incorrect'}" for run in ("old", "new") for q in range(N)]
    rows += [f"third,q{q},correct" for q in range(N // 2)]
    written(tmp_path / "a.csv", "\n".join(["run,question,outcome", *rows]) + "\n")
    suite = written(tmp_path / "s.toml", '[benchmarks.a]\nfiles = "a.csv"\nruns = ["old", "new"]\nmissing = "common"\n')
    assert nescio("compare", suite, "-m", "accuracy", *GATE, "--margin", "0.1").status == 0
