"""A policy over several benchmarks: GO, NO-GO or INCONCLUSIVE on each line and in all, with the error rates it claims."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import nescio
from nescio.errors import FormatError, MismatchError, UnknownNameError, UsageError

from .conftest import Command

HEAD = 'baseline = "old"\nrun = "new"\n[benchmarks.a]\nfiles = ["a.csv"]\n[benchmarks.b]\nfiles = "b.csv"\n'


def benchmark(folder: Path, name: str, old: str, new: str) -> None:
    """Write the outcomes of two runs, C right and W wrong; even questions are of the category x, odd ones of y."""
    words = {"C": "correct", "W": "incorrect", "U": "unanswered", "-": ""}
    rows = [
        f"{run},{name}{i},{words[letter]},{'xy'[i % 2]}"
        for run, letters in (("old", old), ("new", new))
        for i, letter in enumerate(letters)
    ]
    (folder / f"{name}.csv").write_text("\n".join(["run,question,outcome,category", *rows]) + "\n")


def policy(folder: Path, rules: str) -> Path:
    path = folder / "policy.toml"
    path.write_text(HEAD + rules)
    return path


@pytest.fixture
def both(tmp_path: Path) -> Path:
    """New is better on a, 300 of 400 against 200, and worse on b, by as much on questions x and y."""
    benchmark(tmp_path, "a", "C" * 200 + "W" * 200, "C" * 300 + "W" * 100)
    benchmark(tmp_path, "b", "C" * 300 + "W" * 100, "C" * 200 + "W" * 200)
    return tmp_path


def results(path: Path, **more: str) -> list[tuple[str, str, str]]:
    return [(line.benchmark, line.stratum, line.result) for line in nescio.gate(path, **more)]


def test_each_rule_is_held_on_each_benchmark(both: Path) -> None:
    path = policy(both, '[[rules]]\nmeasure = "accuracy"\n')
    assert results(path) == [("a", "", "GO"), ("b", "", "NO-GO")]
    assert results(path, baseline="new", run="old") == [("a", "", "NO-GO"), ("b", "", "GO")]
    assert [gate.status for gate in nescio.gate(path).gates] == [0, 1]


def test_rules_on_coverage_alone_decide_nothing(both: Path) -> None:
    path = policy(both, '[[rules]]\nmeasure = "coverage"\n')
    with pytest.raises(UsageError, match="no gate can be decided by coverage alone"):
        nescio.gate(path)
    for more in ("at_least = 0.9", 'tier = "informative"', '[[rules]]\nmeasure = "accuracy"'):
        assert len(nescio.gate(policy(both, f'[[rules]]\nmeasure = "coverage"\n{more}\n'))) >= 2


@pytest.mark.parametrize("option", ["--junit", "-o"])
def test_no_report_replaces_a_file_of_the_policy(both: Path, nescio: Command, option: str) -> None:
    path, before = policy(both, '[[rules]]\nmeasure = "accuracy"\n'), (both / "b.csv").read_bytes()
    nescio("gate", path, option, both / "b.csv").assert_refused("b.csv", "")
    assert (both / "b.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("rule", "result"),
    [
        ("by = 0.2", "NO-GO"),  # it falls by 0.25
        ("by = 0.25", "INCONCLUSIVE"),
        ("by = 0.31", "GO"),
        ("by = 0.25\nrelative = true", "NO-GO"),  # to 0.5 of 0.75 · 0.75 = 0.5625
        ("by = 0.45\nrelative = true", "GO"),  # 0.4125
        ("at_least = 0.4", "GO"),
        ("at_least = 0.6", "NO-GO"),
        ('at_least = 0.6\ntier = "informative"', ""),
    ],
)
def test_a_limit_is_absolute_or_relative(both: Path, rule: str, result: str) -> None:
    path = policy(both, f'[[rules]]\nbenchmark = "b"\nmeasure = "accuracy"\n{rule}\n')
    assert results(path) == [("b", "", result)]


def test_a_level_may_be_close_to_100_but_not_there(both: Path) -> None:
    path = policy(both, '[[rules]]\nbenchmark = "a"\nmeasure = "accuracy"\n')
    text = path.read_text()
    for level in (99.999, 99.9999999):
        path.write_text(f"level = {level}\n{text}")
        assert results(path) == [("a", "", "GO")]
    path.write_text(f"level = 99.99999999999\n{text}")
    with pytest.raises(FormatError, match="between 50 and 100"):
        nescio.gate(path)
    assert nescio.compare(both / "a.csv", "accuracy", baseline="old", ci=99.9999999).signature["ci"] == "99.9999999"
    with pytest.raises(UsageError, match="a level in percent"):
        nescio.compare(both / "a.csv", "accuracy", baseline="old", ci=99.99999999999)


def test_a_measure_in_a_unit_of_its_own_needs_a_stated_drop(both: Path) -> None:
    rule = '[[rules]]\nbenchmark = "a"\nmeasure = "omniscience_index"\n'
    for more, result in (("by = 5", "GO"), ("relative = true", "GO"), ('tier = "informative"', "")):
        always = '[[rules]]\nbenchmark = "a"\nmeasure = "c@1"\n'
        assert results(policy(both, f"{rule}{more}\n{always}")) == [("a", "", result), ("a", "", "GO")]


def test_a_measure_that_is_better_when_lower_rises(both: Path) -> None:
    rule = '[[rules]]\nbenchmark = "b"\nmeasure = "simpleqa.incorrect"\n'
    assert results(policy(both, f"{rule}by = 0.2\n")) == [("b", "", "NO-GO")]
    assert results(policy(both, f"{rule}at_most = 0.6\n")) == [("b", "", "GO")]
    with pytest.raises(FormatError, match="is better when lower"):
        nescio.gate(policy(both, f"{rule}at_least = 0.6\n"))


def test_few_questions_are_inconclusive(both: Path) -> None:
    path = policy(both, '[[rules]]\nmeasure = "accuracy"\n')
    path.write_text(f"least = 401\n{path.read_text()}")
    assert results(path) == [("a", "", "INCONCLUSIVE"), ("b", "", "INCONCLUSIVE")]
    path.write_text(path.read_text().replace("401", "400"))
    assert results(path) == [("a", "", "GO"), ("b", "", "NO-GO")]


@pytest.mark.parametrize(
    ("old", "new", "rule", "why"),
    [
        ("C" * 240 + "W" * 160, "U" * 400, 'measure = "simpleqa.incorrect"\nby = 0.1', "right answers fell from 60%"),
        ("C" * 240 + "W" * 160, "CCC-" * 60 + "W" * 160, 'measure = "accuracy"\nat_least = 0.3', "60 of new's 400 ans"),
        (
            "C" * 240 + "W" * 160,
            "CCC-" * 60 + "W" * 160,
            'measure = "simpleqa.incorrect"\nat_most = 0.9',
            "60 of new's",
        ),
        ("C" * 240 + "W" * 160, "CCC-" * 60 + "W" * 160, 'measure = "accuracy"\nby = 0.1', "60 of new's 400 answers"),
        ("C" * 20, "C" * 20, 'measure = "accuracy"\nby = 0.01', "do not rule out an unseen loss"),
        (
            "C" * 200,
            "C" * 88 + "W" * 112,
            'measure = "accuracy"\nat_least = 0.512',
            "NO-GO is decided at the level 97.5%",
        ),
        ("C" * 300 + "W" * 100, "C" * 200 + "W" * 200, 'measure = "accuracy"\nby = 0.33\nrelative = true', "keeps may"),
        ("C" * 200, "C" * 200, 'measure = "accuracy"\nby = 0.1\nleast = 300', "too few questions"),
        ("C" * 100 + "W" * 100, "CW" * 100, 'measure = "accuracy"\nby = 0.05', ""),  # the interval spans the limit
    ],
)
def test_an_inconclusive_line_says_why_if_its_interval_does_not(
    tmp_path: Path, nescio: Command, old: str, new: str, rule: str, why: str
) -> None:
    for name in "ab":
        benchmark(tmp_path, name, old, new)
    path = policy(tmp_path, f"[[rules]]\n{rule}\n")
    path.write_text(path.read_text().replace("]\nfiles", ']\nungraded = "exclude"\nfiles'))
    done = nescio(
        "gate",
        path,
        "--junit",
        tmp_path / "j.xml",
        "-o",
        tmp_path / "lines.csv",
        "-f",
        "json",
        "--step-summary",
        tmp_path / "s.md",
    )
    line, gate = done.json["lines"][0], done.json["gates"][0]
    assert (done.status, line["result"]) == (3, "INCONCLUSIVE")
    assert why in line["why"]
    assert bool(why) == bool(line["why"])
    assert gate["said"].endswith(f", but {line['why']}" if why else " questions")
    assert why.replace("'", "&apos;") in (tmp_path / "j.xml").read_text().replace("'", "&apos;")
    assert why in (tmp_path / "lines.csv").read_text()
    assert why in (tmp_path / "s.md").read_text()


def test_a_stratum_is_one_value_or_each(both: Path) -> None:
    rule = '[[rules]]\nbenchmark = "a"\nmeasure = "accuracy"\nstratum = "{}"\n'
    assert results(policy(both, rule.format("category"))) == [("a", "category=x", "GO"), ("a", "category=y", "GO")]
    assert results(policy(both, rule.format("category=y"))) == [("a", "category=y", "GO")]
    with pytest.raises(UnknownNameError, match="unknown category 'z'"):
        nescio.gate(policy(both, rule.format("category=z")))
    with pytest.raises(MismatchError, match="cannot be broken down by 'zork'"):
        nescio.gate(policy(both, rule.format("zork")))


def test_the_status_the_last_line_and_junit_say_one_thing(both: Path, nescio: Command) -> None:
    path, junit = policy(both, '[[rules]]\nmeasure = "accuracy"\n'), both / "gates.xml"
    done = nescio("gate", path, "--junit", junit)
    assert done.status == 1
    assert "\nNO-GO: accuracy on b: drop of at most 0.01; found -0.250 [" in done.out
    assert 'failures="1"' in junit.read_text()
    done = nescio("gate", policy(both, '[[rules]]\nbenchmark = "a"\nmeasure = "c@1"\n'))
    assert (done.status, "GO: all 1 deciding lines are GO." in done.out) == (0, True)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("", "a policy needs \\[\\[rules\\]\\]|is not a gate policy"),
        ('[[rules]]\nmeasure = "accuracy"\ntier = "maybe"\n', "is not a gate policy"),
        ('[[rules]]\nmeasure = "accuracy"\nmargin = 1\n', "is not a gate policy"),
        ('[[rules]]\nmeasure = "accuracy"\nbenchmark = "c"\n', "unknown benchmark 'c'"),
        ('[[rules]]\nmeasure = "accuracy"\nby = -1\n', "the largest allowed drop"),
        ('[[rules]]\nmeasure = "zork"\n', "unknown measure 'zork'"),
        ('[[rules]]\nmeasure = "accuracy"\nleast = -3\n', "0 or more .found -3"),
        ('[[rules]]\nmeasure = "accuracy"\nby = 1\n', "no difference of accuracy is larger than 1"),
        ('[[rules]]\nmeasure = "accuracy"\nby = 5\n', "write 0.05 for 5 per cent"),
        ('[[rules]]\nmeasure = "accuracy"\nat_least = 60\n', "it is never at least 60; write 0.6 for 60 per cent"),
        ('[[rules]]\nmeasure = "accuracy"\nat_least = 0\n', "it is always at least 0"),
        ('[[rules]]\nmeasure = "simpleqa.incorrect"\nat_most = 30\n', "it is always at most 30"),
        ('[[rules]]\nmeasure = "omniscience_index"\n', "needs `by` \\(or `relative = true`\\)"),
    ],
)
def test_a_broken_policy_is_one_error(both: Path, rules: str, message: str) -> None:
    with pytest.raises((FormatError, UnknownNameError), match=message):
        nescio.gate(policy(both, rules))


@pytest.mark.slow
def test_a_policy_errs_as_often_as_it_says(tmp_path: Path) -> None:
    """Two benchmarks of 150 questions, three lines each with `by = 0`: the runs differ by nothing, or by a true drop.

    At most 5% of equal runs get NO-GO, and at most 5% of runs that fall by just more than `by` on one line get GO.
    """
    chance, trials = np.random.default_rng(7), 200
    rules = "".join(f'[[rules]]\nmeasure = "{name}"\nby = {{}}\n' for name in ("accuracy", "c@1", "precision"))
    wrong_stop = wrong_pass = 0
    for _ in range(trials):
        for name in "ab":
            benchmark(tmp_path, name, *("".join(chance.choice([*"CCCWU"], 150)) for _ in range(2)))
        lines = [result for *_, result in results(policy(tmp_path, rules.format(0, 0, 0)))]
        wrong_stop += "NO-GO" in lines
        benchmark(tmp_path, "b", *("".join(chance.choice([*"CW"], 150, p=[p, 1 - p])) for p in (0.9, 0.8)))
        lines = [result for *_, result in results(policy(tmp_path, rules.format(0.1, 0.1, 0.1)))]
        wrong_pass += {*lines} == {"GO"}
    most = 0.05 * trials + 3 * (0.05 * 0.95 * trials) ** 0.5
    assert wrong_stop <= most
    assert wrong_pass <= most
