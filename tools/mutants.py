"""Measure how many small faults in the source the daily tests notice.

    python tools/mutants.py TREE

TREE is an empty or absent folder beside the checkout, so that the tests find the same data. The script copies the
committed checkout (or `--revision`) there and writes a seeded sample of faults into the copy's source: each fault is an
expression that changes its meaning when it is switched on. The daily tests run once with all faults off and record
which test reaches which fault. Then a fork of one process that has collected all tests switches on one fault after the
other, and runs the tests that reach it, fastest first, until one fails or the time for a fault is over.

The sample is drawn by digests of places, so two versions of the source share the faults of the lines they share.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
ROOMS = ("stats", "scoring", "comparison", "measures", "formats", "tables", "judging")
SWITCH = '''"""Which fault is on, and which faults a test has reached."""

import os

ON = int(os.environ.get("NESCIO_FAULT", "-1"))
LOG = os.environ.get("NESCIO_FAULTS_REACHED")
reached = set()


def fault(number):
    if LOG and number not in reached:
        reached.add(number)
        with open(f"{LOG}.{os.getpid()}", "a") as log:
            log.write(f"{number}\\t{os.environ.get('PYTEST_CURRENT_TEST', '').rsplit(' ', 1)[0]}\\n")
    return number == ON
'''
SWAPPED: dict[type, type] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


def faulty(node: ast.expr) -> ast.expr | None:
    """Return the expression with one fault, or None if no fault exists for its kind."""
    changed: Any = copy.deepcopy(node)
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPPED:
        changed.ops[0] = SWAPPED[type(node.ops[0])]()
    elif isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in SWAPPED:
        changed.op = SWAPPED[type(node.op)]()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        changed = changed.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        changed.value = not node.value
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        changed.value = node.value + 1
    else:
        return None
    return changed


class Switches(ast.NodeTransformer):
    """Collect the places of a module's functions that can have a fault, or put the faults of a sample there."""

    def __init__(self, module: str, chosen: dict[str, int] | None = None) -> None:
        self.module, self.chosen = module, chosen
        self.places: list[str] = []
        self.function: list[str] = []
        self.counted: Counter[str] = Counter()

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        self.function.append(node.name)
        node.body = [self.visit(statement) for statement in node.body]
        self.function.pop()
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815  as ast.NodeVisitor calls it

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.function.append(node.name)
        node.body = [self.visit(one) if isinstance(one, ast.FunctionDef) else one for one in node.body]
        self.function.pop()
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node  # words of messages have no faults

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.value = self.visit(node.value) if node.value else None
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        node.guard = self.visit(node.guard) if node.guard else None
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        changed = faulty(node) if isinstance(node, ast.expr) and self.function else None
        after = super().generic_visit(node)
        if changed is None:
            return after
        kind = f"{self.module}:{'.'.join(self.function)}:{ast.unparse(node)}->{ast.unparse(changed)}"
        self.counted[kind] += 1
        place = f"{kind}#{self.counted[kind]}"
        self.places.append(place)
        if self.chosen is None or place not in self.chosen:
            return after
        call = ast.Call(ast.Name("__fault__", ast.Load()), [ast.Constant(self.chosen[place])], [])
        return ast.IfExp(call, changed, after)  # type: ignore[arg-type]


def modules(tree: Path, rooms: list[str]) -> Iterator[tuple[str, Path]]:
    """Yield the name and file of every module of the rooms."""
    source = tree / "src" / "nescio"
    for room in rooms:
        for path in sorted((source / room).rglob("*.py")):
            if "from numba import" not in path.read_text():  # compiled code cannot call the switch
                yield str(path.relative_to(source)), path


def plant(tree: Path, rooms: list[str], size: int, seed: int) -> list[str]:
    """Write a seeded sample of faults into the source of a tree, and return their places."""
    places: list[str] = []
    for module, path in modules(tree, rooms):
        found = Switches(module)
        found.visit(ast.parse(path.read_text()))
        places += found.places
    sample = sorted(places, key=lambda place: hashlib.sha256(f"{seed}:{place}".encode()).hexdigest())[:size]
    chosen = {place: number for number, place in enumerate(sample)}
    for module, path in modules(tree, rooms):
        parsed = ast.parse(path.read_text())
        finder = Switches(module, chosen)
        finder.visit(parsed)
        if not chosen.keys() & set(finder.places):
            continue
        first = int(ast.get_docstring(parsed) is not None)
        while isinstance(at := parsed.body[first], ast.ImportFrom) and at.module == "__future__":
            first += 1
        parsed.body.insert(first, ast.parse("from nescio._faults import fault as __fault__").body[0])
        path.write_text(ast.unparse(ast.fix_missing_locations(parsed)))
    (tree / "src" / "nescio" / "_faults.py").write_text(SWITCH)
    return sample


PLUGIN = """import pytest, nescio._faults
try:
    import coverage
except ImportError:
    coverage = None
def pytest_runtest_logstart(nodeid, location):
    nescio._faults.reached.clear()
    if coverage and (measured := coverage.Coverage.current()):
        measured.switch_context(nodeid.partition("::")[0])
"""


def environment(tree: Path) -> dict[str, str]:
    """Return the environment that imports the tree's own source."""
    path = os.pathsep.join([str(tree / "src"), str(tree)])
    return {**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def record(tree: Path, options: list[str]) -> None:
    """Run the daily tests with all faults off, and record the faults, duration and result of each test."""
    (tree / "fault_plugin.py").write_text(PLUGIN)
    log = tree / "reached"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "fault_plugin",
        "--junitxml=tests.xml",
        "-o",
        "junit_family=xunit1",
    ]
    subprocess.run(
        [*command, *options], cwd=tree, env={**environment(tree), "NESCIO_FAULTS_REACHED": str(log)}, check=False
    )


def reached_by(tree: Path) -> dict[int, set[str]]:
    """Return the tests that reached each fault."""
    reached: dict[int, set[str]] = defaultdict(set)
    for path in tree.glob("reached.*"):
        for line in path.read_text().splitlines():
            number, _, test = line.partition("\t")
            if test:
                reached[int(number)].add(test)
    return reached


def timed(tree: Path) -> dict[str, float]:
    """Return the duration of every test that passed, by name."""
    from xml.etree import ElementTree

    durations = {}
    for case in ElementTree.parse(tree / "tests.xml").iter("testcase"):
        if case.find("failure") is None and case.find("error") is None and case.find("skipped") is None:
            module = Path(*(case.get("classname") or "").split(".")).with_suffix(".py").as_posix()
            durations[f"{module}::{case.get('name')}"] = float(case.get("time") or 0)
    return durations


def collect(tree: Path) -> dict[str, Any]:
    """Return pytest's items of the daily tests by name, collected in this process."""
    import pytest

    items: dict[str, Any] = {}

    class Keeper:
        @pytest.hookimpl(trylast=True)
        def pytest_collection_finish(self, session: pytest.Session) -> None:
            items.update({item.nodeid: item for item in session.items})

        def pytest_runtestloop(self, session: pytest.Session) -> bool:
            KEPT.append(session)
            measure_all()
            return True

    def measure_all() -> None:
        WORK[0](items)

    os.chdir(tree)
    pytest.main(
        ["-n", "0", "-q", "-p", "no:cacheprovider", "-o", "faulthandler_timeout=0", "--capture=no"], plugins=[Keeper()]
    )
    return items


KEPT: list[Any] = []
WORK: list[Any] = []


def tried(number: int, tests: list[Any], budget: float, durations: dict[str, float]) -> tuple[str, str]:
    """Return the result of running tests in a fork with one fault on, and the last test.

    The result is "survived", "killed" or "stalled". The tests stop at the first failure. The budget is processor time,
    so that a busy machine does not spare a fault.
    """
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        os.close(read)
        os._exit(run_in_fork(number, tests, budget, write))
    os.close(write)
    os.set_blocking(read, False)
    test, since, ended = "", time.monotonic(), (0, 0)
    while ended[0] == 0:
        time.sleep(0.02)
        ended = os.waitpid(child, os.WNOHANG)
        if lines := written(read):
            test, since = lines[-1], time.monotonic()
        if ended[0] == 0 and time.monotonic() - since > 15 + 30 * durations.get(test, 0):
            kill_group(child)
            os.waitpid(child, 0)
            os.close(read)
            return "stalled", test
    kill_group(child)  # servers and browsers that it left
    os.close(read)
    return ("survived" if os.waitstatus_to_exitcode(ended[1]) == 0 else "killed"), test


def written(pipe: int) -> list[str]:
    """Return the lines that a pipe holds now."""
    try:
        return os.read(pipe, 1_000_000).decode().splitlines()
    except BlockingIOError:
        return []


def run_in_fork(number: int, tests: list[Any], budget: float, names: int) -> int:
    """Run the tests in this forked process, writing their names to a pipe, and return 1 if one failed, else 0."""
    import nescio._faults  # type: ignore[import-not-found]
    from _pytest.runner import runtestprotocol

    os.setpgid(0, 0)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    before = sum(os.times()[:4])
    nescio._faults.ON = number
    os.environ["NESCIO_FAULT"] = str(number)
    for item, following in zip(tests, [*tests[1:], None], strict=True):
        os.write(names, f"{item.nodeid}\n".encode())
        if any(report.failed for report in runtestprotocol(item, log=False, nextitem=following)):
            return 1
        if sum(os.times()[:4]) - before > budget:
            break
    return 0


def kill_group(child: int) -> None:
    """End a forked process and the processes that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)


def shares(file: Path) -> bool:
    """Return whether tests of a file share fixtures."""
    return "scope=" in file.read_text()


def measure(tree: Path, places: list[str], budget: float, part: int, parts: int) -> None:
    """Try every `parts`-th fault and write its result, one on each line.

    Results of an earlier run are kept, and the rest is tried.
    """
    sys.path[:0] = [str(tree / "src"), str(tree)]
    reached, durations = reached_by(tree), timed(tree)
    by_file: dict[str, list[str]] = defaultdict(list)
    for test in durations:
        by_file[test.partition("::")[0]].append(test)

    stalling: set[str] = set()

    def work(items: dict[str, Any]) -> None:
        with (tree / f"verdicts.{part}.jsonl").open("a+") as out:
            out.seek(0)
            measured = {json.loads(line)["place"] for line in out}
            for number in range(part, len(places), parts):
                if places[number] in measured:
                    continue
                direct = [test for test in reached[number] if test in durations and test in items]
                direct.sort(key=lambda test: durations[test])
                files = {test.partition("::")[0] for test in direct}
                # The recording assigns the faults that a file's fixture reaches to the first test that uses it.
                near = {test for file in files if shares(tree / file) for test in by_file[file]} - set(direct)
                names = direct + sorted((test for test in near if test in items), key=lambda test: durations[test])
                result, test = "stalled" if direct else "unreached", ""
                while result == "stalled":
                    tests = [items[name] for name in names if name not in stalling]
                    result, test = tried(number, tests, budget, durations)
                    if result == "stalled" and tried(-1, [items[test]], budget, durations)[0] != "stalled":
                        result = "killed"
                    elif result == "stalled":
                        stalling.add(test)  # it cannot run in a fork, with or without a fault
                out.write(json.dumps({"place": places[number], "result": result, "test": test}) + "\n")
                out.flush()

    WORK.append(work)
    collect(tree)


def main() -> None:
    """Make the tree, record, measure in two processes, and print the share of killed faults."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--revision", default="HEAD")
    parser.add_argument("--faults", type=int, default=400)
    parser.add_argument("--seed", type=int, default=45)
    parser.add_argument("--budget", type=float, default=20, help="seconds of processor for the tests of one fault")
    parser.add_argument("--step", choices=["plant", "record", "measure", "all"], default="all")
    parser.add_argument("--part", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--rooms", nargs="*", default=list(ROOMS))
    parser.add_argument("--pytest", action="append", default=[], help="a further option of the recording run")
    asked = parser.parse_args()
    tree = asked.tree.resolve()
    if asked.part is not None:
        measure(tree, json.loads((tree / "places.json").read_text()), asked.budget, asked.part, 2)
        return
    if asked.step in ("plant", "all"):
        tree.mkdir(parents=True, exist_ok=True)
        archive = subprocess.run(["git", "archive", asked.revision], cwd=ROOT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "-C", str(tree)], input=archive, check=True)
        for verdicts in tree.glob("verdicts.*.jsonl"):
            verdicts.unlink()
        (tree / "places.json").write_text(json.dumps(plant(tree, asked.rooms, asked.faults, asked.seed), indent=1))
    if asked.step in ("record", "all"):
        record(tree, asked.pytest)
    if asked.step in ("measure", "all"):
        command = [sys.executable, str(Path(__file__).resolve()), *sys.argv[1:]]
        running = [subprocess.Popen([*command, "--part", str(part)], env=environment(tree)) for part in range(2)]
        for process in running:
            process.wait()
        lines = [line for part in range(2) for line in (tree / f"verdicts.{part}.jsonl").read_text().splitlines()]
        counts = Counter(json.loads(line)["result"] for line in lines)
        print(f"{counts['killed']} of {len(lines)} faults killed ({counts['killed'] / len(lines):.1%}); {dict(counts)}")


if __name__ == "__main__":
    main()
