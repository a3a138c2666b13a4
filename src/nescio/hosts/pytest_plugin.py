"""A plugin for pytest: answers recorded in tests become a run, and gates test its measures.

The fixture `nescio_run` records the answers of one test, and makes assertions on them. `nescio_session` records the
answers of all tests, each of which may be one question. Its gates are options of pytest (`--nescio-fail-under
c@1=0.6`), checked after all tests, also with pytest-xdist. `--nescio-laws MEASURE` adds tests of your own measure.
pytest loads the plugin wherever nescio is installed, so it imports nothing until a test records something or an option
asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import Struct, field

from nescio.hosts.recorder import Recorder, sorted_gates

if TYPE_CHECKING:
    from nescio.measures import Measure
    from nescio.verbs._gates import Gate

_ROWS = "nescio"  # the key under which a pytest-xdist process returns its rows
_GATES = ("output", "fail_under", "fail_over", "baseline")  # options that need answers
_OUTCOMES = ("passed", "failed", "skipped", "xfailed", "xpassed", "error")  # the outcomes of a test that pytest counts
_NOTHING = (
    "the fixture nescio_session recorded no answer, but {} needs answers; `pytest -o NAME=` switches a setting off"
)
_OTHERS = (
    "note: {} stopped or skipped without an answer, and taken for tests of something else (first: {}); a test of a "
    "question must take the fixture nescio_session, or one that takes it"
)
# options that may also be settings: the placeholder, the help and the default
_SETTINGS: dict[str, tuple[str, str, Any]] = {
    "output": ("FILE", "write the recorded answers to FILE as an outcome table", ""),
    "fail_under": ("NAME=VALUE", "fail if the measure NAME is below VALUE", []),
    "fail_over": ("NAME=VALUE", "fail if the measure NAME is above VALUE", []),
    "baseline": (
        "FILE",
        "fail if the run is worse than the baseline in FILE, which nescio compare --save-baseline writes",
        "",
    ),
    "measure": ("NAME", "the measure by which to compare with the baseline [default: c@1]", "c@1"),
    "margin": (
        "VALUE",
        "the largest acceptable loss against the baseline [default: 0.01 if the measure's range is about 1 wide]",
        "",
    ),
}


@pytest.fixture
def nescio_run(request: pytest.FixtureRequest) -> Recorder:
    """Record the answers of this test, and assert gates on them."""
    return Recorder(undecided=_asked(request.config, "undecided"))


@pytest.fixture(scope="session")
def nescio_session(request: pytest.FixtureRequest) -> Recorder:
    """Record answers of all tests; the options --nescio-… are gates on them, checked when all tests are done."""
    return _session(request.config).recorder


class _Session(Struct):
    """The answers that all tests record, and the results of the gates on these answers.

    `stopped` has the tests that may have stopped before they recorded their answer, each with its test function.
    `recording` has the largest number of answers that a test of each function recorded, for functions that can record
    answers. `told` has other tests that may have ended too early, with their function and the number of their answers:
    those that ended with an expected failure (xfail), and those that just returned without an answer. `shared` is the
    number of answers that fixtures recorded for several tests. `ended` has the tests that ran to their end, and `unrun`
    those that no process ran to their end; it is None as long as no process has told.
    """

    recorder: Recorder
    passed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)
    written: str = ""
    stopped: list[tuple[str, str]] = field(default_factory=list)
    recording: dict[str, int] = field(default_factory=dict)
    told: list[tuple[str, str, int]] = field(default_factory=list)
    shared: int = 0
    ended: set[str] = field(default_factory=set)
    unrun: list[str] | None = None

    @property
    def of_tests(self) -> int:
        """Return the number of answers that single tests recorded so far."""
        return len(self.recorder.rows) - self.shared

    def records(self, function: str, answers: int) -> None:
        """Store the number of answers that a test of a function recorded, if it is the function's largest so far."""
        self.recording[function] = max(answers, self.recording.get(function, 0))

    def cut_short(self) -> list[str]:
        """Return the tests that may have stopped before they recorded all their answers, or that did not run."""
        stopped = [name for name, function in self.stopped if function in self.recording]
        stopped += [name for name in self.unrun or () if name.partition("[")[0] in self.recording]
        return stopped + [
            name for name, of, answers in self.told if max(answers, self.recording.get(of, 0)) > min(answers, 1)
        ]

    def others(self) -> list[str]:
        """Return the tests that stopped and count as tests of something else."""
        return [name for name, function in self.stopped if function not in self.recording]


_KEY: pytest.StashKey[_Session] = pytest.StashKey()
_BEFORE: pytest.StashKey[tuple[int, int]] = pytest.StashKey()  # the answers before a test: all, and those of tests


def _session(config: pytest.Config) -> _Session:
    if _KEY not in config.stash:
        config.stash[_KEY] = _Session(Recorder(undecided=_asked(config, "undecided")))
    return config.stash[_KEY]


def _asked(config: pytest.Config, name: str) -> Any:
    """Return the value of an option, or else of the setting with the same name.

    If the option can be repeated, the values of both are returned.
    """
    given, set_ = config.getoption(f"nescio_{name}"), config.getini(f"nescio_{name}")
    if isinstance(given, list):
        return [*set_, *given]
    return set_ if given is None else given


def _gated(config: pytest.Config) -> list[str]:
    """Return the options that ask for gates on all tests."""
    return [name for name in _GATES if name != "output" and _asked(config, name)]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options, each of which may also be a setting of pytest (nescio_fail_under = …)."""
    group = parser.getgroup("nescio", "gates on the answers that the fixture nescio_session recorded")
    many: dict[str, Any] = {"action": "append", "default": []}
    for name, (metavar, about, default) in _SETTINGS.items():
        flag = f"--nescio-{name.replace('_', '-')}"
        group.addoption(flag, metavar=metavar, help=about, **({} if isinstance(default, str) else many))
        kind: Any = "string" if isinstance(default, str) else "linelist"
        parser.addini(f"nescio_{name}", f"as {flag}", type=kind, default=default)
    undecided = "what a gate does if there are too few answers to decide [default: fail]"
    group.addoption("--nescio-undecided", choices=("fail", "warn"), help=undecided)
    parser.addini("nescio_undecided", "as --nescio-undecided", default="fail")
    group.addoption(
        "--nescio-laws",
        metavar="MEASURE",
        help="test whether MEASURE obeys the laws that nescio has for measures",
        **many,
    )
    group.addoption(
        "--nescio-plugin", metavar="FILE.py", help="a Python file that registers the measures for --nescio-laws", **many
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add one test per law for each measure in --nescio-laws."""
    if not (asked := config.getoption("nescio_laws")):
        return
    from nescio.errors import NescioError
    from nescio.measures import parse
    from nescio.meta_evaluation.laws import LAWS
    from nescio.plugins import load_file

    try:
        for file in config.getoption("nescio_plugin"):
            load_file(file)
        for measure in map(parse, asked):
            items += [
                _Law.from_parent(
                    session,
                    name=f"{measure.label}: {law}",
                    nodeid=f"nescio::{measure.label}::{law}",
                    measure=measure,
                    law=law,
                )
                for law in LAWS
            ]
    except NescioError as error:
        raise pytest.UsageError(str(error)) from None


class _Law(pytest.Item):
    def __init__(self, *, measure: Measure, law: str, **more: Any) -> None:
        super().__init__(**more)
        self.measure, self.law = measure, law

    def runtest(self) -> None:
        from nescio.meta_evaluation.laws import broken

        if how := broken(self.law, self.measure):
            pytest.fail(how, pytrace=False)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.name


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    """Record a module or a folder that pytest skips while it collects tests.

    If its tests might have recorded answers, these answers are missing.
    """
    report: Any = yield
    path = getattr(collector, "path", None)
    if report.skipped and path is not None:
        from nescio.hosts.fixtures_asked import may_record

        session = _session(collector.config)
        session.stopped.append((collector.nodeid, collector.nodeid))
        if _gated(collector.config) and may_record(path, collector.config.rootpath):
            session.records(collector.nodeid, 0)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Store the number of answers recorded before a test, to find out later whether the test recorded any.

    This happens before the test's fixtures, because a fixture may stop the test.
    """
    session = _session(item.config)
    item.stash[_BEFORE] = len(session.recorder.rows), session.of_tests


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> Iterator[None]:
    """Count the answers that a fixture for several tests records: they are not those of the first of these tests."""
    session = _session(request.config)
    before = session.of_tests
    try:
        return (yield)
    finally:
        if fixturedef.scope != "function":
            session.shared += session.of_tests - before


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Store whether a test recorded answers, and whether it may have stopped before recording.

    If tests stopped before recording, answers are missing, and the gates are not checked.
    """
    made = yield
    session, function = _session(item.config), item.nodeid.partition("[")[0]
    rows, of_tests = item.stash.get(_BEFORE, (len(session.recorder.rows), session.of_tests))
    answers, of_test = len(session.recorder.rows) - rows, session.of_tests - of_tests
    if call.when == "teardown":
        session.ended.add(item.nodeid)
        if not answers and (item.nodeid, function) not in session.stopped and _takes_session(item):
            session.told.append((item.nodeid, function, 0))
        return made
    if answers or "nescio_session" in getattr(item, "fixturenames", ()):
        session.records(function, of_test)
    error = None if call.excinfo is None else call.excinfo.value
    # An assertion is about the recorded answer. Any other error may have kept answers from being recorded. So may an
    # assertion that pytest does not count (xfail), if other tests of the function record more answers.
    if answers and isinstance(error, (AssertionError, pytest.fail.Exception)):
        if hasattr(made, "wasxfail"):
            session.told.append((item.nodeid, function, answers))
    elif error is not None:
        session.stopped.append((item.nodeid, function))
        if _gated(item.config):
            from nescio.hosts.fixtures_asked import gets_recorder

            if gets_recorder(getattr(item, "function", None), item.config.rootpath):
                session.records(function, of_test)
    return made


def _takes_session(item: pytest.Item) -> bool:
    """Return whether a test's function itself takes the session, so that it probably records the answer."""
    import inspect

    function = getattr(item, "function", None)
    return function is not None and "nescio_session" in inspect.signature(function).parameters


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add the answers and tests that a process of pytest-xdist has recorded."""
    rows, stopped, recording, early_tests, unrun = getattr(node, "workeroutput", {}).get(_ROWS, ((), (), {}, (), None))
    session = _session(node.config)
    session.recorder.rows.extend(rows)
    session.stopped = [*dict.fromkeys([*session.stopped, *stopped])]  # every process skips the same modules
    session.told.extend(early_tests)
    if unrun is not None:
        known = {*unrun}
        session.unrun = unrun if session.unrun is None else [name for name in session.unrun if name in known]
    for function, answers in recording.items():
        session.records(function, answers)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Check the gates on the records of all tests."""
    config = session.config
    state = _session(config)
    unrun = [item.nodeid for item in getattr(session, "items", ()) if item.nodeid not in state.ended]
    if hasattr(config, "workeroutput"):
        config.workeroutput[_ROWS] = state.recorder.rows, state.stopped, state.recording, state.told, unrun
        return
    state.unrun = unrun if state.unrun is None else state.unrun
    asked = [name for name in _GATES if _asked(config, name)]
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    # if pytest only lists tests or fixtures, none ran
    ran = terminal is None or any(terminal.stats.get(outcome) for outcome in _OUTCOMES)
    if not state.recorder.rows and not (asked and ran):
        return
    from nescio.errors import NescioError, UsageError
    from nescio.text import plural

    try:
        if not state.recorder.rows:
            raise UsageError(_NOTHING.format(", ".join(f"nescio_{name}" for name in asked)))
        if output := _asked(config, "output"):
            import nescio

            state.written = str(nescio.convert(state.recorder.table, output))
        cut_short = state.cut_short()
        if cut_short and _gated(config):
            number = plural(len(cut_short), "test")
            why = (
                "ended before an answer was recorded; the gates are not checked: the other answers are not a fair "
                "sample. Put tests that record no answer into a function of their own"
            )
            raise UsageError(f"{number} {why} (first: {cut_short[0]})")
        gates = list(_gates(state.recorder, config))
        state.passed = [gate.said for gate in gates if not gate.status]
        state.failed, state.unclear = sorted_gates(gates)
        if gates and (others := state.others()):
            state.passed.append(_OTHERS.format(plural(len(others), "test"), others[0]))
    except NescioError as error:
        state.failed = [str(error)]
    if session.exitstatus == 0 and (state.failed or (state.unclear and state.recorder.undecided == "fail")):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _gates(recorder: Recorder, config: pytest.Config) -> Iterator[Gate]:
    floors, ceilings = (
        {line.rpartition("=")[0].strip(): _number(name, line.rpartition("=")[2]) for line in _asked(config, name)}
        for name in ("fail_under", "fail_over")
    )
    if floors or ceilings:
        yield from recorder._limits(floors, ceilings, {})
    if baseline := _asked(config, "baseline"):
        stated = _asked(config, "margin")
        margin = _number("margin", stated) if stated else None
        yield from recorder._compared(Path(baseline), _asked(config, "measure"), margin, {})


def _number(name: str, text: str) -> float:
    from nescio.errors import UsageError

    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--nescio-{name.replace('_', '-')} takes a number (found {text!r})") from None


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the recorded answers, and the gates that did not pass."""
    state = config.stash.get(_KEY, None)
    if state is None or not (state.recorder.rows or state.failed):
        return
    terminalreporter.section("nescio")
    terminalreporter.line(f"{len(state.recorder.rows):,} answer{'s' * (len(state.recorder.rows) != 1)} recorded")
    for line in filter(None, (state.written, *state.passed, *state.failed, *state.unclear)):
        bad = line in state.failed or (line in state.unclear and state.recorder.undecided == "fail")
        terminalreporter.line(line, red=bad)
