"""The plugin for pytest, in a pytest of its own within this process; in several processes where time is."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.errors import UsageError
from nescio.hosts.recorder import Recorder

pytest_plugins = ["pytester"]
MODULE = "nescio.hosts.pytest_plugin"
ROOT = Path(__file__).parents[2]
QUIET = ("-p", MODULE, "-p", "no:cacheprovider")
# 70 of 100 questions right, 20 silent
PER_QUESTION = """
import pytest

@pytest.mark.parametrize("number", range(100))
def test_one(number, nescio_session):
    nescio_session.record(f"q{number}", "correct" if number < 70 else "unanswered" if number < 90 else "incorrect")
"""
ONE_TEST = """
def test_{name}(nescio_run):
    for number in range(1000):
        nescio_run.record(f"q{{number}}", "correct" if number < {right} else "incorrect")
    nescio_run.{assertion}
"""


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other plugin is loaded, each of which would take its time; and what a run within this process imports stays
    imported: modules of nescio register what they have, and can do so once."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setattr("_pytest.pytester.SysModulesSnapshot.restore", lambda _: sys.modules.pop("test_it", None))


def run(pytester: pytest.Pytester, text: str, *arguments: str, apart: bool = False) -> tuple[pytest.RunResult, str]:
    """What a pytest of its own ends with, and says."""
    pytester.makepyfile(test_it=text)
    start = pytester.runpytest_subprocess if apart else pytester.runpytest_inprocess
    done = start(*QUIET, *arguments)
    return done, done.stdout.str() + done.stderr.str()


def baseline(path: Path, measure: str, right: int, n: int) -> None:
    rows = [{"run": "main", "question": f"q{i}", "outcome": "correct" if i < right else "incorrect"} for i in range(n)]
    nescio.compare(rows, measure, save_baseline=path / "baseline.json", resamples=200)


def test_pytest_finds_the_plugin_where_nescio_is_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["entry-points"]["pytest11"] == {"nescio": MODULE}


# How many of 1,000 are right, what is asserted, and what is said where that fails.
GATES = {
    "at_least": (700, "assert_at_least('accuracy', 0.6)", ""),
    "below": (700, "assert_at_least('accuracy', 0.8)", "accuracy of run 'tests' is below 0.8"),
    "undecided": (700, "assert_at_least('accuracy', 0.69)", "cannot tell: accuracy of run 'tests'"),
    "wrong_way": (700, "assert_at_most('penalty(t=0.5)', 0.1)", "is better when higher; use fail_under"),
    "not_worse": (700, "assert_not_worse('baseline.json', 'accuracy')", ""),
    "worse": (
        400,
        "assert_not_worse('baseline.json', 'accuracy')",
        "by accuracy, so tests is worse by more than the margin of 0.01.",
    ),
    "near": (
        690,
        "assert_not_worse('baseline.json', 'accuracy')",
        "by accuracy, so tests may still be worse by more than the margin of 0.01.",
    ),
    "wide_margin": (690, "assert_not_worse('baseline.json', 'accuracy', margin=0.1)", ""),
}


def test_gates_in_a_test(pytester: pytest.Pytester) -> None:
    baseline(pytester.path, "accuracy", 700, 1000)
    text = "".join(ONE_TEST.format(name=name, right=right, assertion=what) for name, (right, what, _) in GATES.items())
    done, printed = run(pytester, text, "-rA")
    failing = [name for name, (*_, says) in GATES.items() if says]
    done.assert_outcomes(passed=len(GATES) - len(failing), failed=len(failing))
    said = dict(re.findall(r"^_+ test_(\w+) _+$(.*?)(?=^(?:_|=){3})", printed, re.MULTILINE | re.DOTALL))
    assert sorted(said) == sorted(failing)
    for name in failing:
        assert GATES[name][-1] in said[name], name


def test_what_cannot_be_told_can_warn(pytester: pytest.Pytester) -> None:
    text = ONE_TEST.format(name="all", right=700, assertion="assert_at_least('accuracy', 0.69)")
    done, printed = run(pytester, text, "--nescio-undecided", "warn")
    done.assert_outcomes(passed=1, warnings=1)
    assert "CannotTellWarning: cannot tell: accuracy of run 'tests'" in printed


def test_answers_are_judged_and_what_is_recorded_wrongly_is_refused(pytester: pytest.Pytester) -> None:
    done, printed = run(
        pytester,
        """
        import pytest
        from nescio import UsageError

        def test_all(nescio_run):
            assert nescio_run.answer("q1", "paris", "Paris") == "correct"
            assert nescio_run.answer("q2", "Rome", ["Paris", "Lutetia"]) == "incorrect"
            assert nescio_run.answer("q3", None, "Paris") == "unanswered"
            assert nescio_run.answer("q4", "I don't know.", "Paris", declined_pattern=["i don't know.*"]) == "unanswered"
            assert nescio_run.answer("q5", "4", "3", judge="numeric", confidence=0.5, topic="units") == "incorrect"
            # 1 of 5 right, 2 unanswered: c@1 is (1 + 2 * 1/5) / 5
            assert nescio_run.scores("c@1").value("tests", "c@1") == 0.28

        @pytest.mark.parametrize("blank", ["", " ", "\\n"])
        def test_empty(nescio_run, blank):
            assert nescio_run.answer("q1", blank, "Paris", declined_pattern=[" *"]) == "incorrect"

        def test_wrong(nescio_run):
            with pytest.raises(UsageError, match="an outcome is correct, incorrect, unanswered or None"):
                nescio_run.record("q1", "right")
            nescio_run.record("q1", "correct")
            with pytest.raises(UsageError, match="recorded twice"):
                nescio_run.record("q1", "incorrect")
            nescio_run.record("q1", "incorrect", repeat=2)
        """,
    )
    assert done.ret == 0, printed
    done.assert_outcomes(passed=5)


@pytest.mark.parametrize(
    ("answer", "gold", "says"),
    [
        ("Oslo", [], "has no right answer, so no judge can grade its answers; record the outcome"),
        (None, [], "has no right answer"),
        ("Oslo", None, "a right answer is a text, or a list of texts (found None)"),
        ("42", 42, "(found 42)"),
        (42, "42", "an answer is a text or None (found 42)"),
    ],
)
def test_what_no_judge_can_grade_is_refused(answer: Any, gold: Any, says: str) -> None:
    recorder = Recorder()
    with pytest.raises(UsageError, match=re.escape(says)):
        recorder.answer("q", answer, gold)
    assert recorder.rows == []


def answered(right: int, gold: str | list[str] = "Oslo", **how: Any) -> Recorder:
    """Return the answers of a run that is right on `right` of 400 questions."""
    recorder = Recorder()
    for i in range(400):
        recorder.answer(f"q{i}", "Oslo" if i < right else "not Oslo", gold, **how)
    return recorder


def test_a_baseline_with_another_judge_or_gold_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    answered(300).save_baseline(path, "accuracy", resamples=200)
    answered(300).assert_not_worse(path, "accuracy")
    for changed, rule in (
        (answered(200, judge="contains"), "judged by exact"),
        (answered(200, declined_pattern=["not.*"]), "judged by exact"),
        (answered(200, ["Oslo", "not Oslo"]), "400 with a different gold answer"),
    ):
        with pytest.raises(pytest.fail.Exception, match=rule):
            changed.assert_not_worse(path, "accuracy")
    told = Recorder()
    for i in range(400):
        told.record(f"q{i}", "correct", judge="people", gold="Oslo")
    with pytest.raises(pytest.fail.Exception, match="by people"):
        told.assert_not_worse(path, "accuracy")


BARS: list[tuple[list[str], int, str]] = [
    (["accuracy=0.5"], 0, "accuracy of run 'tests' is at least 0.5"),
    (["accuracy=0.5", "coverage=0.95"], 1, "coverage of run 'tests' is below 0.95"),
    (["accuracy=0.7"], 1, "cannot tell: accuracy of run 'tests'"),
    (["acuracy=0.7"], 1, "unknown measure 'acuracy'"),
]


@pytest.mark.parametrize(
    ("bars", "status", "says", "processes"),
    [*((*bar, ()) for bar in BARS), pytest.param(*BARS[1], ("-p", "xdist", "-n", "2"), marks=pytest.mark.slow)],
)
def test_gates_on_all_tests(
    pytester: pytest.Pytester, bars: list[str], status: int, says: str, processes: tuple[str, ...]
) -> None:
    """Each question is a test of its own, in one process or in two."""
    options = [f"--nescio-fail-under={bar}" for bar in bars]
    written = ("--nescio-output", "answers.csv")
    done, printed = run(pytester, PER_QUESTION, *options, *processes, *written, apart=bool(processes))
    done.assert_outcomes(passed=100)
    assert (done.ret, says in printed) == (status, True), printed
    assert "100 answers recorded" in printed
    # (70 + 20 * 70/100) / 100
    assert nescio.score("answers.csv", "c@1").value("tests", "c@1") == pytest.approx(0.84)


def test_gates_in_the_configuration_and_a_baseline(pytester: pytest.Pytester) -> None:
    baseline(pytester.path, "c@1", 100, 100)
    pytester.makeini("[pytest]\nnescio_baseline = baseline.json\nnescio_measure = accuracy\nnescio_margin = 0.05\n")
    done, printed = run(pytester, PER_QUESTION)
    assert done.ret == 1
    assert "so tests is worse by more than the margin of 0.05." in printed


ASKED = {
    "fail_under": "c@1=0.5",
    "fail_over": "penalty=0.5",
    "baseline": "none.json",
    "output": "answers.csv",
}
SILENT = {
    "no_fixture": "def test_one():\n    pass\n",
    "no_answer": "def test_one(nescio_session):\n    pass\n",
    "skipped": "import pytest\n\n@pytest.mark.skip\ndef test_one(nescio_session):\n    pass\n",
    "other_fixture": "def test_one(nescio_run):\n    nescio_run.record('q', 'correct')\n",
}


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("test", SILENT)
def test_a_gate_without_answers_does_not_pass(pytester: pytest.Pytester, test: str, name: str) -> None:
    done, printed = run(pytester, SILENT[test], f"--nescio-{name.replace('_', '-')}={ASKED[name]}")
    assert done.ret == 1
    assert f"the fixture nescio_session recorded no answer, but nescio_{name} needs answers" in printed


def test_a_gate_in_the_settings_without_answers_does_not_pass(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nnescio_fail_under =\n    c@1=0.9\n")
    assert run(pytester, SILENT["no_answer"])[0].ret == 1
    assert run(pytester, SILENT["no_answer"], "-o", "nescio_fail_under=")[0].ret == 0
    assert run(pytester, SILENT["no_answer"], "--collect-only")[0].ret == 0
    assert run(pytester, SILENT["no_answer"], "--fixtures")[0].ret == 0


def test_nothing_is_said_where_nothing_is_asked(pytester: pytest.Pytester) -> None:
    done, printed = run(pytester, SILENT["no_answer"])
    assert done.ret == 0
    assert "nescio_session" not in printed


def test_a_baseline_that_is_not_there_is_an_error(pytester: pytest.Pytester) -> None:
    done, printed = run(pytester, PER_QUESTION, "--nescio-baseline=none.json")
    assert done.ret == 1
    assert "none.json" in printed


STOPS = {"skips": "pytest.skip('no connection')", "may_fail": "raise ConnectionError", "returns": "return"}


@pytest.mark.parametrize(
    ("how", "processes"),
    [
        *((how, ()) for how in STOPS),
        pytest.param("skips", ("-p", "xdist", "-n", "2"), marks=pytest.mark.slow),
    ],
)
def test_a_question_that_no_answer_came_to_passes_no_gate(
    pytester: pytest.Pytester, how: str, processes: tuple[str, ...]
) -> None:
    """Half of the questions stop before their answer; the others are right."""
    text = f"""
        import pytest

        @pytest.mark.xfail(strict=False)
        @pytest.mark.parametrize("number", range(100))
        def test_one(number, nescio_session):
            if number % 2:
                {STOPS[how]}
            nescio_session.record(f"q{{number}}", "correct")
        """
    done, printed = run(pytester, text, "--nescio-fail-under=c@1=0.5", *processes, apart=bool(processes))
    assert done.ret == 1
    assert "50 tests ended before an answer was recorded; the gates are not checked" in printed


@pytest.mark.parametrize("end", ["pytest.exit('enough', returncode=0)", "request.session.shouldstop = 'enough'"])
def test_questions_that_were_never_asked_pass_no_gate(pytester: pytest.Pytester, end: str) -> None:
    """All answers before the end are right."""
    text = f"""
        import pytest

        @pytest.mark.parametrize("number", range(100))
        def test_one(number, request, nescio_session):
            if number == 50:
                {end}
            nescio_session.record(f"q{{number}}", "correct")
        """
    done, printed = run(pytester, text, "--nescio-fail-under=c@1=0.5")
    assert done.ret != 0
    assert "tests ended before an answer was recorded; the gates are not checked" in printed
    chosen, _ = run(pytester, text, "--nescio-fail-under=c@1=0.5", "-k", " or ".join(f"[{n}]" for n in range(49)))
    assert chosen.ret == 0


def test_answers_that_a_fixture_records_for_all_tests_are_those_of_none(pytester: pytest.Pytester) -> None:
    text = """
        import pytest

        @pytest.fixture(scope="module")
        def answers(nescio_session):
            return {n: nescio_session.answer(f"q{n}", "yes", "yes") for n in range(100)}

        @pytest.mark.parametrize("number", range(100))
        def test_one(number, answers, nescio_session):
            assert answers[number] == "correct"
        """
    assert run(pytester, text, "--nescio-fail-under=c@1=0.5")[0].ret == 0


def test_tests_without_an_answer_of_their_own_are_no_questions(pytester: pytest.Pytester) -> None:
    text = """
        import pytest

        @pytest.fixture(scope="module")
        def answers(nescio_session):
            return {n: nescio_session.answer(f"q{n}", "yes", "yes") for n in range(100)}

        @pytest.mark.parametrize("number", range(100))
        def test_one(number, answers):
            assert answers[number] == "correct"

        def test_all(answers, nescio_session):
            assert len(nescio_session.rows) == 100
        """
    assert run(pytester, text, "--nescio-fail-under=c@1=0.5")[0].ret == 0


IN_A_FIXTURE = """
    import pytest

    @pytest.fixture
    def bot(number):
        if number % 2:
            {stops}
        return lambda: "yes"

    @pytest.mark.xfail(strict=False)
    @pytest.mark.parametrize("number", range(100))
    def test_one(number, bot, nescio_session):
        nescio_session.record(f"q{{number}}", "correct")
    """
BEFORE_ANY_ASKS = """
    import pytest

    @pytest.mark.parametrize("number", range(100))
    def test_easy(number, request):
        request.getfixturevalue("nescio_session").record(f"q{number}", "correct")

    @pytest.mark.parametrize("number", range(50))
    def test_hard(number, request):
        pytest.skip("no key")
        request.getfixturevalue("nescio_session").record(f"h{number}", "incorrect")
    """
BEFORE_IT_ASKS = """
    import pytest

    @pytest.mark.parametrize("number", range(100))
    def test_one(number, request):
        if number % 2:
            pytest.skip("no connection")
        request.getfixturevalue("nescio_session").record(f"q{number}", "correct")
    """
AFTER_SOME = """
    import pytest

    @pytest.mark.xfail(strict=False)
    def test_all(nescio_session):
        for number in range(100):
            if number == 50:
                raise ConnectionError
            nescio_session.record(f"q{number}", "correct")
    """


ASSERTS_IN_A_LOOP = """
    import pytest

    @pytest.mark.xfail(strict=False)
    def test_all(nescio_session):
        for number in range(100):
            assert nescio_session.answer(f"q{number}", "yes" if number < 50 else "no", "yes") == "correct"
    """

ASSERTS_AFTER_THE_FIRST = """
    import pytest

    @pytest.mark.xfail(strict=False)
    @pytest.mark.parametrize("topic", range(40))
    def test_topic(topic, nescio_session):
        for number in range(5):
            assert nescio_session.answer(f"{topic}-{number}", "yes" if topic < 20 else "no", "yes") == "correct"
    """


@pytest.mark.parametrize(
    ("text", "stopped"),
    [
        *((IN_A_FIXTURE.format(stops=stops), "50 tests") for stops in [*STOPS.values()][:2]),
        (BEFORE_IT_ASKS, "50 tests"),
        (BEFORE_ANY_ASKS, "50 tests"),
        (AFTER_SOME, "1 test"),
        (ASSERTS_IN_A_LOOP, "1 test"),
        (ASSERTS_AFTER_THE_FIRST, "20 tests"),
    ],
    ids=[
        *("skips in a fixture", "fails in a fixture", "skips before it asks", "skips before any asks"),
        *("fails after some", "asserts in a loop", "asserts after the first"),
    ],
)
def test_wherever_a_test_stops(pytester: pytest.Pytester, text: str, stopped: str) -> None:
    done, printed = run(pytester, text, "--nescio-fail-under=c@1=0.5")
    assert done.ret == 1
    assert f"{stopped} ended before an answer was recorded" in printed


@pytest.mark.parametrize(("names", "failed"), [("nescio_session", True), ("tmp_path", False)])
def test_a_module_that_skips_itself(pytester: pytest.Pytester, names: str, *, failed: bool) -> None:
    """40 right answers pass the bar, unless a module that may record others was skipped while pytest collected."""
    easy = """
        import pytest

        @pytest.mark.parametrize("number", range(40))
        def test_easy(nescio_session, number):
            nescio_session.record(str(number), "correct")
    """
    hard = f"import pytest\n\npytest.importorskip('no_such_module')\n\ndef test_hard({names}):\n    pass\n"
    pytester.makepyfile(**{f"test_easy_{names}": easy, f"test_hard_{names}": hard})
    done = pytester.runpytest_inprocess(*QUIET, "--nescio-fail-under", "c@1=0.8")
    assert done.ret == (1 if failed else 0)
    assert ("1 test ended before an answer was recorded" in done.stdout.str()) == failed
    assert ("note: 1 test stopped or skipped without an answer" in done.stdout.str()) != failed


SKIPS = "import pytest\n\npytest.importorskip('no_such_module')\n"
WRAPS = """
import pytest

@pytest.fixture
def ask(nescio_session):
    return nescio_session.record

@pytest.fixture
def chat(request):
    return request.getfixturevalue("ask")

@pytest.fixture
def other():
    return None
"""


OF_MODULE = """
@pytest.fixture
def asking(chat): return chat

def test_hard(request): request.getfixturevalue("asking")
"""


@pytest.mark.parametrize(
    ("files", "failed"),
    [
        ({"hard/test_hard.py": f"{SKIPS}def test_hard(chat): pass\n"}, True),
        ({"hard/test_hard.py": f"{SKIPS}def test_chat(other): pass\n"}, False),
        ({"hard/__init__.py": SKIPS, "hard/test_hard.py": "def test_hard(chat): pass\n"}, True),
        ({"hard/conftest.py": SKIPS, "hard/test_hard.py": "def test_hard(chat): pass\n"}, True),
        ({"hard/conftest.py": SKIPS, "hard/test_hard.py": "def test_hard(other): pass\n"}, False),
        ({"hard/test_hard.py": f"{SKIPS}{OF_MODULE}"}, True),
    ],
    ids=["module", "ordinary module", "package", "folder", "ordinary folder", "fixture of the module"],
)
def test_what_skips_itself_and_asks_through_a_fixture_of_conftest(
    pytester: pytest.Pytester, files: dict[str, str], *, failed: bool
) -> None:
    easy = "import pytest\n\n@pytest.mark.parametrize('n', range(40))\ndef test_easy(ask, n): ask(str(n), 'correct')\n"
    for name, text in {"conftest.py": WRAPS, "test_easy.py": easy, **files}.items():
        (pytester.path / name).parent.mkdir(exist_ok=True)
        (pytester.path / name).write_text(text)
    (pytester.path / "hard" / ".#test_hard.py").symlink_to("nowhere")  # as an editor locks a file
    done = pytester.runpytest_subprocess(*QUIET, "--rootdir=.", "--nescio-fail-under", "c@1=0.8")
    assert done.ret == (1 if failed else 0)
    said = "1 test ended before an answer" if failed else "note: 1 test stopped or skipped without an answer"
    assert said in done.stdout.str()


def test_tests_that_a_mark_skips_pass_no_gate_and_deselected_ones_do_not_count(pytester: pytest.Pytester) -> None:
    text = """
        import pytest

        @pytest.mark.parametrize(
            "number", [pytest.param(n, marks=[pytest.mark.skip] if n % 2 else []) for n in range(100)]
        )
        def test_one(number, nescio_session):
            nescio_session.record(f"q{number}", "correct")

        @pytest.mark.skip
        def test_of_something_else(tmp_path):
            pass
        """
    done, printed = run(pytester, text, "--nescio-fail-under=c@1=0.5")
    assert (done.ret, "50 tests ended before an answer was recorded" in printed) == (1, True)
    odd = [f"--deselect=test_it.py::test_one[{n}]" for n in range(1, 100, 2)]
    assert run(pytester, text, "--nescio-fail-under=c@1=0.5", *odd)[0].ret == 0


def test_a_wrong_answer_in_a_test_that_may_fail_counts(pytester: pytest.Pytester) -> None:
    text = """
        import pytest

        @pytest.mark.xfail(strict=False)
        @pytest.mark.parametrize("number", range(100))
        def test_one(number, nescio_session):
            assert nescio_session.answer(f"q{number}", "a" if number % 2 else "b", "a") == "correct"
        """
    done, printed = run(pytester, text, "--nescio-fail-under=accuracy=0.3")
    assert done.ret == 0, printed
    assert "accuracy of run 'tests' is at least 0.3" in printed


def test_a_bar_of_the_command_line_takes_the_place_of_its_own_alone(pytester: pytest.Pytester) -> None:
    """c@1 is 0.84 and coverage 0.9."""
    pytester.makeini("[pytest]\nnescio_fail_under =\n    c@1=0.95\n")
    done, printed = run(pytester, PER_QUESTION, "--nescio-fail-under=coverage=0.5")
    assert done.ret == 1
    assert "c@1 of run 'tests' is below 0.95" in printed
    assert "coverage of run 'tests' is at least 0.5" in printed
    assert run(pytester, PER_QUESTION, "--nescio-fail-under=c@1=0.5")[0].ret == 0


@pytest.mark.parametrize("bar", ["inf", "-inf", "nan"])
def test_a_bar_is_a_finite_number(pytester: pytest.Pytester, bar: str) -> None:
    done, printed = run(pytester, PER_QUESTION, f"--nescio-fail-under=accuracy={bar}")
    assert done.ret == 1
    assert "the limit of accuracy must be a finite number" in printed


def test_a_question_about_the_columns_is_no_traceback(pytester: pytest.Pytester) -> None:
    text = """
        def test_one(nescio_run):
            for number in range(100):
                nescio_run.record(str(number), "correct", abstained="yes")
            nescio_run.assert_at_least("accuracy", 0.5)
        """
    done, printed = run(pytester, text)
    assert done.ret == 1
    assert "abstained" in printed
    assert "AskedError" not in printed
    assert "nescio/" not in printed


def test_the_page_runs(pytester: pytest.Pytester) -> None:
    page = (ROOT / "docs" / "how-to" / "pytest.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    text = "".join(block for language, block in blocks if language == "py")
    (settings,) = [block for language, block in blocks if language == "ini"]
    (command,) = [block for language, block in blocks if language == "sh"]
    pytester.makeini(settings)
    rows: Any = [{"run": "main", "question": name, "outcome": "incorrect"} for name in ("capital-fr", "capital-no")]
    nescio.compare(rows, "c@1", save_baseline=pytester.path / "baseline.json", resamples=200)
    head = "import pytest\n\ndef bot(question):\n    return 'Paris' if 'France' in question else 'Oslo'\n\n"
    _, printed = run(pytester, head + text, *command.split()[1:])
    assert "2 answers recorded" in printed
    # two questions tell nothing: the test with the gate and the gates of the session say so
    assert "cannot tell: c@1 of run 'tests'" in printed
    assert nescio.score("answers.csv", "c@1").value("tests", "c@1") == 1
