"""The console blocks of the documentation: found, run as a reader would, and held against what they print.

    python -m tests.docs.console PAGE...     puts what the commands print now into their blocks

A block is fenced as `console`; a line of it that begins with "$ " is a command, and what follows is its output,
where `...` alone stands for any lines. A block that shows no output is only run. A command must end with status 0,
unless `$ echo $?` comes next. The commands of a page run one after the other, in a copy of examples/; or where its
`$ cd` leads, from a folder that holds that copy. Tests run a long page in parts (`parts`): a page that goes into
`examples` once names the examples from outside before that.
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
MOST = 24  # lines of output that a page shows
# What is not run here, and why not.
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
STEPS = {"campaign", "assess"}  # whose commands go on with one folder or database
PART = 8  # commands that a test runs, or more where each needs what an earlier one wrote

# What takes three seconds and more, and what a quick run takes in its place; the slow tests run all of it.
LONG = {
    "nescio demo": "true",
    "nescio audit": "true",
    "nescio ave validate train dev.xml -o model.json --ablation": "nescio ave validate train dev.xml -o model.json",
    "nescio report * --figures figures/": "true",
    "python -m pytest * --nescio-laws *": "true",
}


@dataclass(frozen=True)
class Shown:
    """A command in a block, and the lines that stand under it."""

    line: int
    command: str
    output: tuple[str, ...]
    place: str = "examples"


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    shown: Shown
    status: int
    output: tuple[str, ...]


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
            found[-1] = replace(found[-1], output=(*found[-1].output, line.rstrip()))
    moves = max((i for i, shown in enumerate(found) if shown.command.startswith("cd ")), default=-1)
    moves = len(found) if page == ROOT / "README.md" else moves  # its commands work where it is
    return [replace(shown, place="" if i <= moves else "examples") for i, shown in enumerate(found)]


def programs(page: Path) -> list[str]:
    """The blocks of a page that are fenced as `python`: parts of one program, run in examples/. What is only shown
    is fenced as `py`."""
    return re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def parts(page: Path) -> list[list[Shown]]:
    """The commands of a page in parts that can run apart: no part names a file that another writes."""
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
    """Whether two commands name one file that is not among the examples, or one names a folder or a pattern of it."""
    words, others = _made(one.command), _made(other.command)
    return any(
        fnmatch.fnmatchcase(a, b) or fnmatch.fnmatchcase(b, a) or a in Path(b).parts or b in Path(a).parts
        for a in words
        for b in others
    )


def _made(command: str) -> set[str]:
    """The words of a command that may be files or folders that are not among the examples."""
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
    """Run commands of a page in `folder`; `stand_ins` replaces words that a reader is to replace."""
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
    """A command without the remark that a shell passes over."""
    return command.partition("  #")[0].strip()


def quick_one(command: str) -> str | None:
    """What stands for a command that takes long."""
    return next((quick for long, quick in LONG.items() if fnmatch.fnmatchcase(bare(command), long)), None)


@contextlib.contextmanager
def columns() -> Iterator[None]:
    """Print as wide as the pages are."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = WIDTH
    try:
        yield
    finally:
        os.environ.pop("COLUMNS")
        if before is not None:
            os.environ["COLUMNS"] = before


def run_command(command: str) -> tuple[int, str]:
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
    return _call(_expanded(words[1:]))


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
