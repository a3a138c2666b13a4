"""Run the console blocks of the documentation as a reader would, and compare them with their output.

python -m tests.docs.console PAGE...     puts the current output of the commands into their blocks

A block is fenced as `console`. A line that begins with "$ " is a command, and the lines after it are its output, where
`...` alone matches any lines. A block without output is only run. A command must end with status 0, unless `$ echo $?`
follows. The commands of a page run one after another in a copy of examples/, or, after its `$ cd`, from a folder that
holds that copy. Tests run a long page in parts (`parts`). A page that changes into `examples` once names the examples
from outside before that.
"""

from __future__ import annotations

import contextlib
import fnmatch
import glob
import io
import itertools
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parents[2]
WIDTH = "120"
MOST = 24  # most lines of output that a page shows
# The commands that are not run here, with the reason.
ELSEWHERE = {
    "pip install uv": "continuous integration runs it",
    "pip install .": "continuous integration installs it",
    "python3 -m venv *": "continuous integration has an environment",
    ". ~/nescio-environment/*": "continuous integration has an environment",
    "nescio mcp*": "it serves until its client leaves",
    "nescio assess serve *": "it serves until it is stopped",
    "uv run pytest": "continuous integration runs it",
    "uv run nescio *": "continuous integration sets uv up; the same command without it is run here",
    "*--wordnet ~*": "WordNet is no part of nescio",
}

INTO = "cd examples"
STEPS = {"campaign", "assess"}  # commands that continue with one folder or database
PART = 8  # commands in one test, or more if each needs the output of an earlier one

# Commands that take three seconds or more, and their quick replacements; the slow tests run all of them.
LONG = {
    "nescio demo": "true",
    "nescio audit": "true",
    "nescio ave validate train dev.xml -o model.json --ablation": "nescio ave validate train dev.xml -o model.json",
    "nescio report * --figures figures/": "true",
    "python -m pytest * --nescio-laws *": "true",
}


@dataclass(frozen=True)
class Shown:
    """A command in a block, and the lines below it."""

    line: int
    command: str
    output: tuple[str, ...]
    place: str = "examples"


@dataclass(frozen=True)
class Ran:
    """The result of a command."""

    shown: Shown
    status: int
    output: tuple[str, ...]


def every_page() -> list[Path]:
    """Return every page in the repository."""
    made = ROOT / "docs" / "reference" / "measures"
    found = [ROOT / "README.md", ROOT / "examples" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in found if made not in page.parents]


def pages() -> list[Path]:
    """Return the pages that show commands."""
    return [page for page in every_page() if commands(page)]


def commands(page: Path) -> list[Shown]:
    """Return the commands of all console blocks of a page, in order."""
    found: list[Shown] = []
    inside = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            inside = line.strip() == "```console"
        elif inside and line.startswith("$ "):
            found.append(Shown(number, line[2:], ()))
        elif inside and found:
            found[-1] = replace(found[-1], output=(*found[-1].output, line.rstrip()))
    moves = max((i for i, shown in enumerate(found) if shown.command.startswith("cd ")), default=-1)
    moves = len(found) if page == ROOT / "README.md" else moves  # the README's commands work where it is
    return [replace(shown, place="" if i <= moves else "examples") for i, shown in enumerate(found)]


def programs(page: Path) -> list[str]:
    """Return the blocks of a page that are fenced as `python`: parts of one program, run in examples/.

    Blocks fenced as `py` are only shown.
    """
    return re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def parts(page: Path) -> list[list[Shown]]:
    """Return the commands of a page in independent parts: no part names a file that another writes."""
    given = commands(page)
    moves = [shown.command for shown in given if shown.command.startswith("cd ")]
    if moves and moves != [INTO]:
        return [given]
    sides = [[shown for shown in given if shown.place == place and shown.command != INTO] for place in ("", "examples")]
    return [part for side in sides if side for part in _parted(side)]


def _parted(given: Sequence[Shown]) -> list[list[Shown]]:
    together: list[list[Shown]] = []
    for i, shown in enumerate(given):
        before = given[i - 1] if shown.command.startswith("echo $?") else None
        near = [group for group in together if before in group or any(_linked(shown, other) for other in group)]
        apart = [group for group in together if group not in near]
        together = [*apart, [*itertools.chain.from_iterable(near), shown]]
    found: list[list[Shown]] = [[]]
    for group in sorted(together, key=lambda group: group[0].line):
        if found[-1] and len(found[-1]) + len(group) > PART:
            found.append([])
        found[-1] += group
    return [sorted(part, key=lambda shown: shown.line) for part in found]


def _linked(one: Shown, other: Shown) -> bool:
    """Return whether two commands share a file that is not an example, or one names a folder or pattern of it."""
    words, others = _made(one.command), _made(other.command)
    return any(
        fnmatch.fnmatchcase(a, b) or fnmatch.fnmatchcase(b, a) or a in Path(b).parts or b in Path(a).parts
        for a in words
        for b in others
    )


def _made(command: str) -> set[str]:
    """Return the words of a command that may be files or folders outside the examples."""
    words = re.split(r"[\s=;|<>&'\"]+", command.partition("  #")[0])[1:]
    paths = {word.rstrip("/") for word in words if re.search(r"[\w*]\.[a-z]\w+$|/", word)}
    paths |= {after for before, after in itertools.pairwise(words) if before in ("-o", "--output", "-d")}
    paths |= {*words[:1]} & STEPS
    paths |= {word for word in words[2:3] if words[0] in STEPS and word.isidentifier()}  # the folder of a campaign
    paths = {path.removeprefix("examples/") for path in paths}
    return {path for path in paths if "*" in path or not (ROOT / "examples" / path).exists()}


def run_page(
    page: Path,
    folder: Path,
    stand_ins: Mapping[str, str] | None = None,
    given: Sequence[Shown] | None = None,
    *,
    quick: bool = False,
) -> Iterator[Ran]:
    """Yield the results of a page's commands in `folder`; `stand_ins` replaces placeholders."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    given = commands(page) if given is None else given
    status = 0
    with contextlib.chdir(folder / given[0].place), columns():
        for shown in given:
            command = shown.command
            for word, stand_in in (stand_ins or {}).items():
                command = re.sub(rf"(?<![\w-]){word}(?![\w-])", stand_in, command)
            if any(fnmatch.fnmatchcase(bare(command), pattern) for pattern in ELSEWHERE):
                continue
            if bare(command) == "echo $?":
                yield Ran(shown, 0, (str(status),))
                continue
            if quick and (instead := quick_one(command)):
                if instead == "true":
                    status = 0
                    continue
                command = instead
            status, output = run_command(command)
            yield Ran(shown, status, tuple(line.rstrip() for line in output.splitlines()))


def bare(command: str) -> str:
    """Return a command without the comment that a shell ignores."""
    return command.partition("  #")[0].strip()


def quick_one(command: str) -> str | None:
    """Return the replacement of a slow command, or None."""
    return next((quick for long, quick in LONG.items() if fnmatch.fnmatchcase(bare(command), long)), None)


@contextlib.contextmanager
def columns() -> Iterator[None]:
    """Set the width of output to that of the pages."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = WIDTH
    try:
        yield
    finally:
        os.environ.pop("COLUMNS")
        if before is not None:
            os.environ["COLUMNS"] = before


def run_command(command: str) -> tuple[int, str]:
    """Return the exit status of a command, and both streams as a terminal would show them.

    nescio runs in this process, other programs in a shell.
    """
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
    return _call(_expanded(words[1:]))


def _call(words: Sequence[str]) -> tuple[int, str]:
    """Return the exit status and output of `nescio WORDS`."""
    from nescio.cli import main

    printed = io.StringIO()
    before, sys.argv = sys.argv, ["nescio", *words]
    hook, heard = sys.unraisablehook, signal.getsignal(signal.SIGINT)
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            main()
    except SystemExit as stop:
        return int(stop.code or 0), printed.getvalue()
    finally:  # `main` changes a process that it expects to end
        sys.argv, sys.unraisablehook = before, hook
        signal.signal(signal.SIGINT, heard)
    return 0, printed.getvalue()


def _expanded(words: list[str]) -> list[str]:
    """Return the words with file names for patterns, as in a shell."""
    found: list[str] = []
    for word in words:
        found += sorted(glob.glob(word)) if "*" in word and glob.glob(word) else [word]
    return found


def same(shown: tuple[str, ...], printed: tuple[str, ...]) -> bool:
    """Return whether a command printed the lines below it; `...` matches any lines."""
    if not shown:
        return not printed
    first, *rest = shown
    if first.strip() == "...":
        return any(same(tuple(rest), printed[skipped:]) for skipped in range(len(printed) + 1))
    return bool(printed) and first == printed[0] and same(tuple(rest), printed[1:])


def updated(page: Path, ran: list[Ran]) -> str:
    """Return the page with the current output in the blocks that show output; lines behind `...` stay hidden."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for found in reversed(ran):
        shown = found.shown
        if shown.output and not same(shown.output, found.output):
            lines[shown.line : shown.line + len(shown.output)] = _shortened(found.output)
    return "\n".join(lines) + "\n"


def _shortened(output: tuple[str, ...]) -> list[str]:
    """Return the output that a page shows: no signatures, and only the beginning of a long output."""
    kept = ["..." if line.startswith(("nescio:", "nescio 0.")) else line for line in output]
    return kept if len(kept) <= MOST else [*kept[:MOST], "..."]


def main() -> None:
    """Put the output of the commands of pages into their blocks."""
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
