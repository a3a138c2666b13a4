"""The console blocks of the documentation: found, run as a reader would, and held against what they print.

    python -m tests.docs.console PAGE...     puts what the commands print now into their blocks

A block is fenced as `console`; a line of it that begins with "$ " is a command, and what follows is its output,
where `...` alone stands for any lines. A block that shows no output is only run. A command must end with status 0,
unless `$ echo $?` comes next. The commands of a page run one after the other, in a copy of examples/; or where its
`$ cd` leads, from a folder that holds that copy. What one page has run, another does not run again: see `Memory`.
"""

from __future__ import annotations

import contextlib
import fnmatch
import glob
import io
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[2]
WIDTH = "120"
MOST = 24  # lines of output that a page shows
# What is not run here, and why not.
ELSEWHERE = {
    "pip install uv": "continuous integration runs it",
    "pip install .": "continuous integration installs it",
    "python3 -m venv *": "continuous integration has an environment",
    ". ~/nescio-environment/*": "continuous integration has an environment",
    "nescio view *": "it opens a browser, or serves a page until it is stopped",
    "nescio tally *": "its shards are made by the tests of tallies",
    "nescio score *.tally*": "the same",
    "nescio mcp*": "it serves until its client leaves",
    "nescio assess serve *": "it serves until it is stopped",
    "uv run pytest": "continuous integration runs it",
    "uv run nescio *": "continuous integration sets uv up; the same command without it is run here",
    "*--wordnet ~*": "WordNet is no part of nescio",
}

# What takes seconds and shows nothing, and what a quick run takes in its place; the slow tests run all of it.
LONG = {
    "nescio demo": "true",
    "nescio audit": "true",
    "nescio ave validate train dev.xml -o model.json --ablation": "nescio ave validate train dev.xml -o model.json",
}


@dataclass(frozen=True)
class Shown:
    """A command in a block, and the lines that stand under it."""

    line: int
    command: str
    output: tuple[str, ...]


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    shown: Shown
    status: int
    output: tuple[str, ...]


State = dict[Path, bytes]  # what the files of a folder hold


@dataclass(frozen=True)
class Remembered:
    """What a command did to which files: what those that it names held, and those that it wrote before (None: there
    was none, or it does not count) and after."""

    named: State
    replaced: dict[Path, bytes | None]
    written: State
    status: int
    printed: str


class Memory:
    """What each command of nescio did, so that it runs once in one state of the files, on however many pages it stands.

    A command reads the files and folders that it names; what it writes may be there already, or not. That these are
    as they were is what counts, but for a file after `-o`, which is written whole whatever was there.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], list[Remembered]] = {}

    def run(self, words: tuple[str, ...]) -> tuple[int, str]:
        """Exit status and output of `nescio WORDS` in the working folder, whose files are then as the command leaves
        them."""
        before = _state()
        output = {Path(word) for option, word in pairwise(words) if option in ("-o", "--output")}
        inputs = {path: held for path, held in before.items() if path not in output}
        named = {path: held for path, held in inputs.items() if {str(path), *map(str, path.parents)} & set(words)}
        for known in self._known.setdefault(words, []):
            if known.named == named and all(inputs.get(path) == held for path, held in known.replaced.items()):
                for path, held in known.written.items():
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(held)
                return known.status, known.printed
        status, printed = _call(words)
        after = _state()
        if before.keys() <= after.keys():  # a command that takes files away is not remembered
            written = {path: held for path, held in after.items() if before.get(path) != held}
            replaced = {path: inputs.get(path) for path in written}
            self._known[words].append(Remembered(named, replaced, written, status, printed))
        return status, printed


def _state() -> State:
    """What every file in the working folder holds, by its path from there."""
    return {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def every_page() -> list[Path]:
    """Every page that stands in the repository."""
    made = ROOT / "docs" / "reference" / "measures"
    found = [ROOT / "README.md", ROOT / "examples" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in found if made not in page.parents]


def pages() -> list[Path]:
    """Those that show commands."""
    return [page for page in every_page() if commands(page)]


def commands(page: Path) -> list[Shown]:
    """The commands of all console blocks of a page, in their order."""
    found: list[Shown] = []
    inside = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            inside = line.strip() == "```console"
        elif inside and line.startswith("$ "):
            found.append(Shown(number, line[2:], ()))
        elif inside and found:
            found[-1] = Shown(found[-1].line, found[-1].command, (*found[-1].output, line.rstrip()))
    return found


def programs(page: Path) -> list[str]:
    """The blocks of a page that are fenced as `python`: parts of one program, run in examples/. What is only shown
    is fenced as `py`."""
    return re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def run_page(
    page: Path,
    folder: Path,
    stand_ins: Mapping[str, str] | None = None,
    memory: Memory | None = None,
    *,
    quick: bool = False,
) -> Iterator[Ran]:
    """Run the commands of a page in `folder`; `stand_ins` replaces words that a reader is to replace."""
    memory = memory or Memory()
    shutil.copytree(ROOT / "examples", folder / "examples")
    given = commands(page)
    moves = any(shown.command.startswith("cd ") for shown in given)
    status = 0
    with contextlib.chdir(folder if moves else folder / "examples"), _width():
        for shown in given:
            command = shown.command
            for word, instead in (stand_ins or {}).items():
                command = re.sub(rf"(?<![\w-]){word}(?![\w-])", instead, command)
            if any(fnmatch.fnmatchcase(command.split("  #")[0].strip(), pattern) for pattern in ELSEWHERE):
                continue
            if command.split("  #")[0].strip() == "echo $?":
                yield Ran(shown, 0, (str(status),))
                continue
            if quick and not moves:
                command = LONG.get(command.split("  #")[0].strip(), command)
            status, output = _run(command, memory)
            yield Ran(shown, status, tuple(line.rstrip() for line in output.splitlines()))


@contextlib.contextmanager
def _width() -> Iterator[None]:
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = WIDTH
    try:
        yield
    finally:
        os.environ.pop("COLUMNS")
        if before is not None:
            os.environ["COLUMNS"] = before


def _run(command: str, memory: Memory) -> tuple[int, str]:
    """Exit status, and both streams as a terminal would show them. nescio runs in this process, anything else in a
    shell."""
    words = shlex.split(command, comments=True)
    if words[0] == "cd":
        os.chdir(words[1])
        return 0, ""
    if words[0] != "nescio" or re.search(r"[|<>;&]", re.sub(r"'[^']*'|\s#.*", "", command)):
        where = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        done = subprocess.run(
            ["bash", "-c", f'nescio() {{ {shlex.quote(sys.executable)} -m nescio "$@"; }}; {command}'],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PATH": where},
            check=False,
        )
        return done.returncode, done.stdout
    return memory.run(tuple(_expanded(words[1:])))


def _call(words: Sequence[str]) -> tuple[int, str]:
    """Exit status and output of `nescio WORDS`."""
    from nescio.cli import main

    printed = io.StringIO()
    before, sys.argv = sys.argv, ["nescio", *words]
    hook, heard = sys.unraisablehook, signal.getsignal(signal.SIGINT)
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            main()
    except SystemExit as stop:
        return int(stop.code or 0), printed.getvalue()
    finally:  # `main` leaves a process that ends
        sys.argv, sys.unraisablehook = before, hook
        signal.signal(signal.SIGINT, heard)
    return 0, printed.getvalue()


def _expanded(words: list[str]) -> list[str]:
    """File names for patterns, as a shell finds them."""
    found: list[str] = []
    for word in words:
        found += sorted(glob.glob(word)) if "*" in word and glob.glob(word) else [word]
    return found


def same(shown: tuple[str, ...], printed: tuple[str, ...]) -> bool:
    """Whether a command printed the lines that stand under it; `...` stands for any."""
    if not shown:
        return not printed
    first, *rest = shown
    if first.strip() == "...":
        return any(same(tuple(rest), printed[skipped:]) for skipped in range(len(printed) + 1))
    return bool(printed) and first == printed[0] and same(tuple(rest), printed[1:])


def updated(page: Path, ran: list[Ran]) -> str:
    """The page with what was printed now in the blocks that show output; what `...` stands for stays away."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for found in reversed(ran):
        shown = found.shown
        if shown.output and not same(shown.output, found.output):
            lines[shown.line : shown.line + len(shown.output)] = _shortened(found.output)
    return "\n".join(lines) + "\n"


def _shortened(output: tuple[str, ...]) -> list[str]:
    """What a page has room for: no signatures, and the beginning of what is long."""
    kept = ["..." if line.startswith(("nescio:", "nescio 0.")) else line for line in output]
    return kept if len(kept) <= MOST else [*kept[:MOST], "..."]


def main() -> None:
    """Put what the commands of pages print into their blocks."""
    for name in sys.argv[1:]:
        page = Path(name).resolve()
        with tempfile.TemporaryDirectory() as folder:
            ran = list(run_page(page, Path(folder)))
        for found in ran:
            if found.status:
                print(
                    f"{name}:{found.shown.line}: status {found.status}: {found.shown.command}",
                    *found.output,
                    sep="\n  ",
                )
        page.write_text(updated(page, ran), encoding="utf-8")


if __name__ == "__main__":
    main()
