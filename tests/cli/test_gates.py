"""Gates: 0 passed, 1 failed, 3 cannot tell; as CI systems read them, and what none may rest on."""

from __future__ import annotations

import errno
import html
import os
import re
import shlex
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import lxml.etree
import pytest

import nescio as package
from nescio.errors import UsageError
from tests.rings import sample

from .conftest import Command, lines, table, written

OLD = "C" * 700 + "W" * 300
FEW = ("--resamples", 500)
REGRESSION = ("--baseline", "old", "--fail-on-regression", *FEW)


@pytest.fixture
def counts(tmp_path: Path) -> Path:
    """c@1 of a with its interval is about 0.47 [0.43, 0.52], of b 1."""
    return written(tmp_path / "counts.csv", "run,correct,incorrect,unanswered\na,236,264,0\nb,500,0,0\n")


def assert_junit(path: Path) -> Any:
    """The file keeps the rules of the JUnit schema of Apache Ant (windyroad/JUnit-Schema), written out here; gives
    its suite."""
    raw = path.read_bytes()
    assert raw.startswith(b"<?xml version='1.0' encoding='UTF-8'?>")
    root = lxml.etree.fromstring(raw)
    assert (root.tag, dict(root.attrib), len(root)) == ("testsuites", {}, 1)
    suite = root[0]
    required = {"id", "package", "name", "timestamp", "hostname", "tests", "failures", "errors", "time"}
    assert (suite.tag, set(suite.attrib)) == ("testsuite", required)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp"))
    cases = suite.findall("testcase")
    assert [child.tag for child in suite] == ["properties", *["testcase"] * len(cases), "system-out", "system-err"]
    for case in cases:
        assert set(case.attrib) == {"name", "classname", "time"}
        assert [child.tag for child in case] in ([], ["failure"], ["error"])
        assert all(set(child.attrib) == {"message", "type"} and child.text for child in case)
    numbers = {"tests": len(cases)} | {
        f"{kind}s": len(suite.findall(f"testcase/{kind}")) for kind in ("failure", "error")
    }
    assert {name: int(suite.get(name)) for name in numbers} == numbers
    return suite


SAID = {0: "passed", 1: "failed", 3: "cannot tell"}


def verdicts(suite: Any) -> dict[str, str]:
    return {case.get("classname"): case[0].tag if len(case) else "passed" for case in suite.findall("testcase")}


@pytest.mark.parametrize(
    ("floor", "status", "expected"), [("0.3", 0, "passed"), ("0.9", 1, "failure"), ("0.46", 3, "error")]
)
def test_a_limit_passes_fails_or_cannot_tell(
    nescio: Command, counts: Path, tmp_path: Path, floor: str, status: int, expected: str
) -> None:
    path = tmp_path / "gates.xml"
    found = nescio("score", counts, "--fail-under", f"c@1={floor}", "--junit", path, "-v")
    assert (found.status, f"gate {SAID[status]}: c@1 of run 'a'" in found.err) == (status, True)
    suite = assert_junit(path)
    assert verdicts(suite) == {"a": expected, "b": "passed"}
    assert suite.find("testcase").get("name") == f"c@1 at least {floor}"
    assert suite.find("properties/property").get("value") in found.out


@pytest.mark.parametrize("wrong", [("--nosuch",), ("--ci", 150), ("-f", "odd"), ("-o", "scores.odd"), ("--plugin",)])
def test_a_call_that_fails_leaves_no_report_that_passes(
    nescio: Command, counts: Path, tmp_path: Path, wrong: tuple[object, ...]
) -> None:
    path = tmp_path / "gates.xml"
    call = ("score", counts, "--fail-under", "c@1=0.3", "--junit", path)
    assert nescio(*call).status == 0
    nescio(*call, *wrong).assert_refused()
    assert verdicts(assert_junit(path)) == {"": "error"}
    nescio("score", counts, f"--junit={counts}", *wrong).assert_refused()
    assert counts.read_text().startswith("run,")


def test_on_a_full_disk_no_report_of_an_earlier_call_is_left(
    nescio: Command, counts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "gates.xml"
    call = ("score", counts, "--fail-under", "c@1=0.3", "--junit", path)
    assert nescio(*call).status == 0

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("nescio.verbs._gates.write_text", full)
    assert nescio(*call).status == 2
    assert not path.exists()


def test_a_call_from_python_that_fails_leaves_no_report_that_passes(counts: Path, tmp_path: Path) -> None:
    gated: dict[str, Any] = {"fail_under": {"c@1": 0.3}, "junit": tmp_path / "gates.xml"}
    assert not package.score(counts, **gated).gates[0].status
    with pytest.raises(UsageError):
        package.score(counts, **gated, ci=150)
    assert verdicts(assert_junit(gated["junit"])) == {"": "error"}


@pytest.mark.skipif(sys.platform == "win32", reason="pipes have no names there")
@pytest.mark.parametrize(("option", "name"), [("--junit", "gates.xml"), ("-o", "scores.json")])
def test_a_pipe_is_written_through_and_stays(
    nescio: Command, counts: Path, tmp_path: Path, option: str, name: str
) -> None:
    pipe, link = tmp_path / name, tmp_path / f"link-{name}"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for output in (pipe, link):
        with ThreadPoolExecutor() as pool:
            came = pool.submit(pipe.read_text)
            found = nescio("score", counts, "--fail-under", "c@1=0.3", option, output)
            assert found.status == 0, found.err
            assert "c@1" in came.result(timeout=20)
        assert pipe.is_fifo()
        assert link.is_symlink()


def test_a_regression_passes_fails_or_cannot_tell(nescio: Command, tmp_path: Path) -> None:
    new = {"same": OLD, "shifted": f"W{OLD[1:-1]}C", "worse": "C" * 400 + "W" * 600, "unsure": "C" * 690 + "W" * 310}
    runs, path = table(tmp_path / "runs.csv", old=OLD, **new), tmp_path / "gates.xml"
    assert nescio("compare", runs, "-m", "c@1", *REGRESSION, "--junit", path).status == 1
    suite = assert_junit(path)
    assert verdicts(suite) == {"same": "passed", "shifted": "passed", "worse": "failure", "unsure": "error"}
    message = suite.find("testcase/failure").get("message")
    assert message.startswith("worse minus old is -0.300 [")
    for name, status in (("same", 0), ("shifted", 0), ("unsure", 3)):
        found = nescio("compare", runs, "--run", name, "-m", "c@1", *REGRESSION)
        assert (found.status, f"gate {SAID[status]}: {name} " in found.err) == (status, True)


@pytest.mark.parametrize(
    ("new", "options"),
    [
        ("C" * 400 + "W" * 600, ()),
        ("C" * 690 + "W" * 310, ()),
        ("C" * 690 + "W" * 310, ("-m", "accuracy", "-m", "c@1", *REGRESSION[2:])),
        (OLD, ("--margin", 0.02)),
    ],
)
def test_json_and_markdown_hold_the_decision_of_the_last_line(
    nescio: Command, tmp_path: Path, new: str, options: tuple[object, ...]
) -> None:
    call = ("compare", table(tmp_path / "runs.csv", old=OLD, new=new), "--baseline", "old", *options)
    printed = nescio(*call).out.splitlines()
    (at,) = [at for at, line in enumerate(printed) if line.startswith(("MERGE", "DO NOT MERGE", "CANNOT TELL"))]
    said = " ".join(line.strip() for line in printed[at:])
    made = nescio(*call, "-f", "json").json["decision"]
    assert made["sentence"] == said
    assert (made["run"], made["baseline"], said.startswith(f"{made['heading']}: ")) == ("new", "old", True)
    assert (f"About {made['further'] or 0:,} further {made['units']}" in said) == (made["further"] is not None)
    assert html.unescape(nescio(*call, "-f", "markdown").out.splitlines()[0]) == said
    assert nescio(*call, "--run", "new", "-f", "json").json["decision"] == made


def test_coverage_decides_nothing_beside_a_measure_that_ranks_runs(nescio: Command, tmp_path: Path) -> None:
    """The new run answers 100 questions fewer, of which all were wrong: c@1 rises, coverage falls."""
    path = table(tmp_path / "runs.csv", old="C" * 100 + "W" * 100, new="C" * 100 + "U" * 100)
    page = tmp_path / "page.html"
    said = [
        nescio("compare", path, "-m", "c@1", "-m", "coverage", "--baseline", "old", *more)
        for more in ([], ["--fail-on-regression"])
    ]
    nescio("report", path, "-m", "c@1", "-m", "coverage", "--baseline", "old", "-o", page)
    lines = {found.out.splitlines()[-1] for found in said}
    assert len(lines) == 1
    assert next(iter(lines)).startswith("MERGE: new minus old is +0.250")
    assert [found.status for found in said] == [0, 0]
    assert [
        "no gate checks coverage, because descriptive measures do not rank runs" in found.err for found in said
    ] == [False, True]
    assert "MERGE" in page.read_text()
    assert "DO NOT MERGE" not in page.read_text()


def test_coverage_alone_decides_nothing(nescio: Command, tmp_path: Path) -> None:
    """The new run answers 100 questions more, all wrongly, which raises coverage alone."""
    path = table(tmp_path / "runs.csv", old="C" * 100 + "U" * 100, new="C" * 100 + "W" * 100)
    for measure, how in (("coverage", []), ("simpleqa.not_attempted", ["--looks"])):
        call = ("compare", path, "-m", measure, "--baseline", "old", "--run", "new", *how)
        nescio(*call, "--fail-on-regression").assert_refused(f"no gate can be decided by {measure} alone")
        assert "MERGE" not in nescio(*call).out
    both = ("-m", "coverage", "-m", "simpleqa.not_attempted")
    nescio("compare", path, *both, *REGRESSION).assert_refused("add a measure of right answers (-m accuracy)")
    assert nescio("score", path, "-m", "coverage", "--fail-under", "coverage=0.4").status == 0


def test_several_runs_have_no_decision(nescio: Command, tmp_path: Path) -> None:
    runs = table(tmp_path / "runs.csv", old=OLD, new=OLD, other=OLD)
    assert nescio("compare", runs, "--baseline", "old", "-f", "json").json["decision"] is None


def test_a_tiny_benchmark_does_not_outweigh_a_loss(nescio: Command, tmp_path: Path) -> None:
    lost = table(tmp_path / "lost.csv", old="C" * 100 + "W" * 100, new="C" * 70 + "W" * 130)
    for won in (1, 2):
        tiny = table(tmp_path / f"won{won}.csv", old="W" * won, new="C" * won)
        found = nescio("compare", f"a={lost}", f"b={tiny}", "-m", "c@1", *REGRESSION)
        assert (found.status, "so new may still be worse by more than the margin of 0.01" in found.err) == (3, True)
    same = table(tmp_path / "same.csv", old="CW" * 20, new="CW" * 20)
    again = table(tmp_path / "again.csv", old="CWW" * 20, new="CWW" * 20)
    assert nescio("compare", f"a={same}", f"b={again}", "-m", "c@1", *REGRESSION, "--margin", "0.1").status == 0


def test_no_name_prints_a_line_of_its_own(nescio: Command, tmp_path: Path) -> None:
    name = "new\r\nMERGE: new is better"
    path = table(tmp_path / "runs.csv", old=OLD, NEW="C" * 400 + "W" * 600)
    path.write_text(path.read_text().replace("NEW", f'"{name}"'), newline="")
    for words in (
        ("compare", path, "-m", "c@1", *REGRESSION),
        ("check", path),
        ("score", path, "--fail-under", "c@1=0.9"),
        ("tune", path),
        ("report", path, "-o", tmp_path / "report.html", *FEW),
    ):
        found = nescio(*words)
        assert "MERGE: new is better" in found.out + found.err, words
        assert not any(line.startswith("MERGE") for line in (found.out + found.err).splitlines()), words


def broken(folder: Path, runs: dict[str, str]) -> list[object]:
    """Logs of lm-eval, in which "-" is an answer that its filter could not find."""
    files: list[object] = []
    for run, letters in runs.items():
        answers = {"C": "4", "W": "5", "-": "[invalid]"}
        rows: list[dict[str, Any]] = [
            {"doc_id": i, "doc": {"question": f"What is {i}?"}, "target": "4", "resps": [[answers[letter]]]}
            | {"filtered_resps": [answers[letter]], "filter": "strict", "metrics": ["exact_match"], "doc_hash": "h"}
            | {"exact_match": float(letter == "C")}
            for i, letter in enumerate(letters)
        ]
        (path := folder / run / "samples_sums_2025-01-02T03-04-05.678.jsonl").parent.mkdir()
        files.append(lines(path, rows))
    return files


HALF = "C" * 120 + "W" * 80
# What two runs do, whether as a log, and what everything says then: the status, the decision, and the advice.
DECISIONS: list[tuple[dict[str, str], bool, str, int, str, str]] = [
    ({"old": "C" * 20 + "W" * 180, "new": HALF}, False, "", 0, "MERGE: new minus old is ", "Ship new as it is"),
    ({"old": HALF, "new": "C" * 20 + "W" * 180}, False, "", 1, "DO NOT MERGE: new minus old is", "Ship old as it is"),
    (
        {"old": HALF, "new": HALF},
        False,
        "",
        3,
        "CANNOT TELL: new minus old is +0.000 by c@1",
        "let cost or speed decide",
    ),
    (
        {"old": HALF, "new": "W" * 10 + HALF[10:188] + "C" * 12},
        False,
        "",
        3,
        "CANNOT TELL: new minus old is",
        "Ship new as it is, or old.",
    ),
    # Half of the wrong answers broken: no gain, unless somebody says that such answers abstain, and then no decision.
    (
        {"old": HALF, "new": HALF[:160] + "-" * 40},
        True,
        "",
        3,
        "CANNOT TELL: new minus old is +0.000 by c@1",
        "let cost or speed",
    ),
    (
        {"old": HALF, "new": HALF[:160] + "-" * 40},
        True,
        "unanswered",
        3,
        "CANNOT TELL: new minus old is",
        "Ship nothing yet: 40",
    ),
]


SOME_DECISIONS = sample(DECISIONS, 3, lambda case: case[3])


@pytest.mark.sampled
@pytest.mark.parametrize(("runs", "log", "unparsed", "status", "decision", "advice"), SOME_DECISIONS)
def test_gate_terminal_page_summary_and_advice_say_one_decision(
    runs: dict[str, str],
    log: bool,
    unparsed: str,
    status: int,
    decision: str,
    advice: str,
    nescio: Command,
    tmp_path: Path,
) -> None:
    files = broken(tmp_path, runs) if log else [table(tmp_path / "runs.csv", **runs)]
    options = ["-m", "c@1", *FEW, *(["--unparsed", unparsed] if unparsed else [])]
    page, summary = tmp_path / "page.html", tmp_path / "summary.md"
    gated = nescio(
        "compare", *files, *options, "--baseline", "old", "--fail-on-regression", f"--step-summary={summary}"
    )
    sentence = gated.out.splitlines()[-1]
    assert sentence.startswith(decision)
    assert (gated.status, f"gate {SAID[status]}: {sentence.partition(': ')[2]}" in gated.err) == (status, True)
    assert sentence in summary.read_text().replace("**new**", "new")
    nescio("report", *files, *options, "--baseline", "old", "-o", page)
    headline = re.search(r'<h1 id="sentence">(.*?)</h1>', page.read_text())
    assert headline is not None
    assert re.sub(r"<[^>]+>", "", html.unescape(headline[1])).replace("\N{NO-BREAK SPACE}", " ") == sentence
    assert advice in nescio("report", *files, *options, "-o", page.with_name("report.html")).out


@pytest.mark.parametrize(("clusters", "named"), [(9, True), (10, True), (10, False)])
def test_no_gate_rests_on_clusters_that_are_few_or_unnamed(
    nescio: Command, tmp_path: Path, clusters: int, *, named: bool
) -> None:
    """The old run has 45 of 100 right, and the new one none: four or five fewer in each of ten clusters."""
    rows = [f"old,q{i},{'correct' if i < 45 else 'incorrect'},{i % clusters}\n" for i in range(100)]
    rows += [f"new,q{i},incorrect,{i % clusters}\n" for i in range(100)]
    path = written(tmp_path / "runs.csv", "run,question,outcome,cluster\n" + "".join(rows))
    by = ("--cluster", "cluster") if named else ()
    says = "no gate can be decided by 9 clusters of questions: fewer than 10 decide nothing"
    if not named:
        says = "no gate can be decided by clusters from the column `cluster`, which the command does not name (10 clusters of 100 questions): if you trust this column, add"
    for found in (
        nescio("compare", path, "-m", "c@1", *REGRESSION, *by),
        nescio("score", path, "-m", "c@1", "--fail-under", "c@1=0.9", *FEW, *by),
    ):
        assert (found.status, says in found.flat) == ((1, False) if (clusters, named) == (10, True) else (2, True))


def test_further_clusters_are_counted_where_clusters_are_resampled(nescio: Command, tmp_path: Path) -> None:
    """In ten clusters of ten questions the new run has three more right, in ten others two fewer: the difference is 0.05,
    0.06 above the margin of -0.01. The standard error s is 0.25/√19. A cluster that is lost lies 1.05 below, so that the
    gap is g = 1.05 z²/(20 + z²) + 1.05·0.0264/20 = 0.1706. g² = z² (s² + gk) gives k = 0.0251. On t times the clusters
    0.06² = z² (s² + 0.06 k)/t, and so t = 5.12: 20 · 4.12 = 83 more."""
    rows = []
    for i in range(200):
        better, worse = i // 10 % 2 == 0 and i % 10 < 3, i // 10 % 2 == 1 and i % 10 < 2
        for run, right in (("old", worse), ("new", better)):
            rows.append(f"{run},q{i},{'correct' if right else 'incorrect'},{i // 10}\n")
    path = written(tmp_path / "runs.csv", "run,question,outcome,cluster\n" + "".join(rows))
    found = nescio("compare", path, "-m", "accuracy", "--baseline", "old", "--cluster", "cluster", *FEW)
    assert "About 83 further clusters would tell" in found.out


def test_what_no_xml_may_hold_is_replaced(nescio: Command, tmp_path: Path) -> None:
    path, junit = tmp_path / "counts.csv", tmp_path / "gates.xml"
    written(path, 'run,correct,incorrect,unanswered\n"a\x01]]><b>&\'\x1b[31m\ufffe",1,9,0\n')
    assert nescio("score", path, "--fail-under", "c@1=0.9", "--junit", junit).status == 1
    bad = "\N{REPLACEMENT CHARACTER}"
    assert assert_junit(junit).find("testcase").get("classname") == f"a{bad}]]><b>&'{bad}[31m{bad}"


def test_a_summary_is_appended(nescio: Command, counts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "step_summary_1234", "# before\n\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    found = nescio("score", "--fail-under", "c@1=0.46", counts, "--step-summary", "-v")
    assert found.status == 3
    text = path.read_text()
    assert text.startswith("# before\n\n## nescio score: cannot tell\n")
    assert "| cannot tell | a | c@1 at least 0.46 | 0.472 [" in text
    assert "| passed | b | c@1 at least 0.46 | 1.000 [" in text
    assert "| b | 1.000 [" in text  # the table
    assert found.out.splitlines()[-1] in text  # the signature
    command = text.split("$ ")[1].split("\n", maxsplit=1)[0]
    assert shlex.split(command) == ["nescio", "score", counts.name, "--fail-under", "c@1=0.46"]
    monkeypatch.chdir(counts.parent)  # a summary names files, and no folder of the machine
    assert nescio(*shlex.split(command)[1:], "-v").out == found.out
    nescio("score", counts, "--step-summary")
    assert path.read_text().count("\n## nescio score") == 2
    assert path.read_text().startswith(text)


def test_a_summary_of_a_comparison_in_a_file_of_its_own(nescio: Command, tmp_path: Path) -> None:
    runs = table(tmp_path / "runs.csv", **{"old": "CW" * 100, "<new>|*`": "WW" * 100})
    path = tmp_path / "summary.md"
    assert nescio("compare", runs, "-m", "c@1", *REGRESSION, f"--step-summary={path}").status == 1
    text = path.read_text()
    assert text.startswith("## nescio compare: failed\n")
    assert r"| failed | &lt;new>\|\*\` | c@1 at most 0.01 worse than old |" in text
    assert "--fail-on-regression" in text
    assert "--step-summary" not in text


def test_a_summary_that_cannot_be_written_is_named_before_any_report(
    nescio: Command, counts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.open

    def refusing(self: Path, mode: str = "r", *rest: Any, **more: Any) -> Any:
        if self.name == "summary.md":
            raise PermissionError(13, "Permission denied", str(self))
        return real(self, mode, *rest, **more)

    monkeypatch.setattr(Path, "open", refusing)
    gate = ("--fail-under", "c@1=0.3", "--junit", tmp_path / "gate.xml")
    found = nescio("score", counts, *gate, f"--step-summary={tmp_path / 'summary.md'}")
    assert (found.status, "summary.md: cannot be written: Permission denied" in found.flat) == (2, True)
    assert not (tmp_path / "gate.xml").exists()
    if Path("/dev/full").exists():
        full = nescio("score", counts, "--step-summary=/dev/full")
        assert (full.status, full.out) == (2, "")
        assert full.err.splitlines()[-1] == "nescio: /dev/full: cannot be written: No space left on device"


def confident(path: Path, answers: list[tuple[float, int]]) -> Path:
    rows = [f"q{i:03},a,{'correct' if right else 'incorrect'},{sure}" for i, (sure, right) in enumerate(answers)]
    return written(path, "question,run,outcome,confidence\n" + "\n".join(rows) + "\n")


def test_a_calibrated_system_is_not_failed_for_its_calibration_error(nescio: Command, tmp_path: Path) -> None:
    """Of ten answers at each of ten confidences about as many are right as these say, two more or less: an error of .2
    that chance alone would make. All resamples exceed .15; the interval reaches down to 0."""
    answers = [(sure / 10, int(i < sure + (2 if sure % 2 else -2))) for sure in range(2, 9) for i in range(10)]
    path = confident(tmp_path / "runs.csv", answers)
    found = nescio("score", path, "-m", "ECE", "--fail-over", "ECE=0.15")
    assert (found.status, "is not significantly different from 0.15" in found.err) == (3, True)
    refused = nescio("score", path, "-m", "ECE", "--fail-over", "ECE=0.15", "--interval", "percentile")
    assert refused.status == 2
    assert "no gate can be decided by the percentile interval of ECE" in refused.err


def test_a_gate_says_what_its_interval_is(nescio: Command, tmp_path: Path) -> None:
    path = confident(tmp_path / "runs.csv", [(0.9, 1)] * 20 + [(0.1, 0)] * 20)
    found = nescio("score", path, "-m", "PRR", "--fail-under", "PRR=0.7")
    assert (found.status, "PRR of run 'a' has no interval to compare with the limit 0.7 (" in found.err) == (3, True)
    assert nescio("score", path, "-m", "AUROC", "--fail-under", "AUROC=0.7").status == 0  # at least .025^(1/20) = .83
    few = confident(tmp_path / "few.csv", [(i / 20, int(i % 2)) for i in range(20)])
    found = nescio("score", few, "-m", "Brier", "--fail-over", "Brier=0.9")
    assert (found.status, ", an approximate interval)" in found.err) == (0, True)


@pytest.mark.parametrize("limit", [0.4, 0.6])  # below the interval, and in it
def test_a_gate_says_why_more_questions_would_not_help(nescio: Command, tmp_path: Path, limit: float) -> None:
    rows = [f"q{i},a,{('correct', 'incorrect', 'correct', 'incorrect', 'correct', '')[i % 6]}" for i in range(300)]
    path = written(tmp_path / "runs.csv", "question,run,outcome\n" + "\n".join(rows) + "\n")
    found = nescio("score", path, "-m", "accuracy", "--ungraded", "exclude", "--fail-under", f"accuracy={limit}")
    assert (found.status, f"may be below {limit}, as 50 of a's 300 answers are left out" in found.err) == (3, True)


def test_no_gate_rests_on_a_difference_whose_interval_does_not_hold(nescio: Command, tmp_path: Path) -> None:
    rows = [
        f"q{i:02},{run},{'correct' if (i + at) % 3 else 'incorrect'},{i / 40}"
        for at, run in enumerate(("old", "b"))
        for i in range(40)
    ]
    path = written(tmp_path / "runs.csv", "question,run,outcome,confidence\n" + "\n".join(rows) + "\n")
    refused = nescio("compare", path, "-m", "coverage@risk(0.3)", *REGRESSION)
    assert refused.status == 2
    assert "no gate can be decided by coverage@risk(0.3): no interval is given" in refused.err
    assert nescio("compare", path, "-m", "AUROC", *REGRESSION).status in {0, 1, 3}
