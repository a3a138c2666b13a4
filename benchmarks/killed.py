"""Commands that are killed leave what was there or the whole of what is new, and the next call leaves nothing else:
`python benchmarks/killed.py [KILLS [OUTPUT...]]` (default: 200 over all outputs, some six minutes).

All commands that write take turns, onto what is old: a file, an empty folder, or nothing. Every other kill comes just
before something happens to the file system in the folder of the output, which is counted first, so that the kills lie
between all steps of writing; the rest come at random moments. After its kills each command runs to its end, must write
the bytes of an undisturbed run, and must leave no drafts beside them. (Steps of campaigns: `campaign.py --kill`.)
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from nescio.cli import app
from nescio.sources.writing import DRAFT

OLD = b"old\n"
RUNS, QUESTIONS = 3, 200
EVENTS = ("open", "os.rename", "os.mkdir", "os.chmod", "os.remove", "os.rmdir", "os.utime", "os.truncate")
FORMATS = ("questions", "squad2", "inspect")  # that are written as folders
DATED = ("figures", "inspect")  # whose files (names, too) hold the time: how many of what kind there are is compared


def inputs(folder: Path) -> dict[str, list[str]]:
    """Write what the commands read, and return each command line without its output, by the name of that."""
    chance = random.Random(0)
    questions, said, found, table = [], [], [], ["run,question,outcome,confidence"]
    for i in range(QUESTIONS):
        questions.append(f'{{"id": "q{i}", "question": "What is {i}?", "answers": ["{i}"]}}')
        found.append(f'{{"id": "q{i}", "answer": "{i}", "support": "It is {i}.", "doc": "d{i}"}}')
        for run in range(RUNS):
            right = chance.random() < 0.4 + run / 10
            said.append(f'{{"run": "r{run}", "id": "q{i}", "answer": "{i if right else i + 1}"}}')
            table.append(f"r{run},q{i},{'correct' if right else 'incorrect'},{chance.random():.3f}")
    files = {"questions.jsonl": questions, "answers.jsonl": said, "found.jsonl": found, "outcomes.csv": table}
    for name, lines in files.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked, answers, pairs, outcomes = (str(folder / name) for name in files)
    return {
        "scores.csv": ["score", outcomes, "-m", "c@1", "-m", "AUROC", "-o"],
        "scores.parquet": ["score", outcomes, "-m", "c@1", "-o"],
        "judged.csv": ["judge", asked, answers, "--judge", "exact", "-o"],
        "report.html": ["report", outcomes, "-m", "c@1", "--resamples", "100", "-o"],
        "figures": ["report", outcomes, "-m", "c@1", "--resamples", "100", "--figures"],
        "built.xml": ["ave", "build", asked, pairs, "--language", "EN", "-o"],
        "one.json": ["compare", outcomes, "--run", "r0", "--save-baseline"],
        "prompts.jsonl": ["lab", "stakes-prompts", asked],
        **{f"table.{suffix}": ["convert", outcomes] for suffix in ("csv", "tsv", "jsonl", "parquet")},
        "instances.jsonl": ["convert", asked, answers, "--to", "every_eval_ever"],
        **{name: ["convert", asked, answers, "--to", name] for name in FORMATS},
    }


def run(words: list[str], folder: Path, stop: int | None = None, after: float | None = None) -> tuple[int, int]:
    """Run a command in a process of its own, killed before its event number `stop` in the folder or after so many
    seconds; return how it ended, and how many events there were."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        _within(words, str(folder), stop, writer)
    os.close(writer)
    if after is not None:
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    count = os.read(reader, 100)
    os.close(reader)
    return status, int(count or b"0")


def _within(words: list[str], folder: str, stop: int | None, writer: int) -> None:
    os.setpgid(0, 0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    count = 0

    def hook(event: str, given: tuple[object, ...]) -> None:
        nonlocal count
        named = event in EVENTS and isinstance(given[0], (str, bytes, os.PathLike))
        if named and os.fsdecode(given[0]).startswith(folder):  # type: ignore[arg-type]
            if count == stop:
                os.kill(os.getpid(), signal.SIGKILL)
            count += 1

    sys.addaudithook(hook)
    status = 70
    try:
        app.run(words)
    except SystemExit as end:
        status = int(end.code or 0)
    finally:
        os.write(writer, str(count).encode())
        os._exit(status)


def held(path: Path) -> bytes | dict[str, bytes] | list[tuple[str, bool]] | None:
    """Return what a file or all files of a folder hold; None for nothing, and for an empty folder."""
    if path.is_dir() and path.name in DATED:
        return sorted((one.suffix, one.stat().st_size > 100) for one in path.iterdir()) or None
    if path.is_dir():
        own = (one for one in path.rglob("*") if one.is_file() and not DRAFT.fullmatch(one.name))
        return {str(one.relative_to(path)): one.read_bytes() for one in own} or None
    return path.read_bytes() if path.exists() else None


def lay(path: Path, what: str) -> bytes | None:
    """Put what was there before a command in its place; return what `held` says of it."""
    shutil.rmtree(path, ignore_errors=True)
    path.unlink(missing_ok=True)
    if what == "a file":
        path.write_bytes(OLD)
    elif what == "an empty folder":
        path.mkdir()
    return held(path)  # type: ignore[return-value]


def trial(name: str, words: list[str], kills: int, folder: Path, chance: random.Random) -> tuple[Counter[str], bool]:
    """Kill a command so often; return what was found then, and whether the next call put everything right."""
    place = folder / name.replace(".", "-")
    place.mkdir()
    output = place / name
    words = [*words, str(output)]
    start = time.perf_counter()
    status, events = run(words, place)
    usual = time.perf_counter() - start
    whole = held(output)
    if status or not whole:
        raise SystemExit(f"{name}: exit status {status} when undisturbed")
    befores = ("an empty folder", "nothing") if output.is_dir() else ("a file", "nothing")
    seen: Counter[str] = Counter()
    for i in range(kills):
        old = lay(output, befores[i // 2 % 2])
        if i % 2:
            status, _ = run(words, place, after=chance.uniform(0, 1.1) * usual)
        else:
            status, _ = run(words, place, stop=chance.randrange(events))
        seen["killed"] += status == -signal.SIGKILL
        left = held(output)
        seen["old" if left == old else "new" if left == whole else "half"] += 1
    for left_over in place.rglob("*"):
        os.utime(left_over, (0, 0))  # a call looks only at drafts that are some seconds old
    lay(output, befores[0])
    again = run(words, place)[0] == 0 and held(output) == whole
    drafts = [one for one in place.rglob("*") if DRAFT.fullmatch(one.name)]
    return seen, again and not drafts and [one.name for one in place.iterdir()] == [name]


def main() -> None:
    """Print a row for each command."""
    kills, chance = int(sys.argv[1]) if len(sys.argv) > 1 else 200, random.Random(1)
    half = bad = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        work = {name: words for name, words in inputs(folder).items() if name in sys.argv[2:] or not sys.argv[2:]}
        print(f"{'output':16} {'kills':>6} {'killed':>6} {'old':>5} {'new':>5} {'half':>5}   the next call")
        for place, (name, words) in enumerate(work.items()):
            own = (kills + place) // len(work)
            seen, clean = trial(name, words, own, folder, chance)
            half, bad = half + seen["half"], bad + (not clean)
            numbers = f"{own:6} {seen['killed']:6} {seen['old']:5} {seen['new']:5} {seen['half']:5}"
            print(f"{name:16} {numbers}   {'the same bytes, nothing else' if clean else 'OTHER THINGS'}", flush=True)
    print(f"{kills} kills: {half} half files")
    raise SystemExit(bool(half or bad))


if __name__ == "__main__":
    main()
