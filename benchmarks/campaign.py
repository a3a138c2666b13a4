"""Campaigns of 1,000 topics and 40 runs, step by step on the clock; and every step killed at random and repeated.

python benchmarks/campaign.py                   seconds and memory of each step; --topics 3000 --runs 60 for more
python benchmarks/campaign.py --kill 50         of 50 campaigns, how many end in the same bytes after SIGKILL
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import resource
import shutil
import signal
import tempfile
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import nescio
from nescio.people.campaigns.folder import SECRET, contents

RECEIVED = "2026-05-01"
STEPS = ("init", "handout", "checker", "intake", "pool", "sheets", "collect", "score", "publish")
GROUPS = 10
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["nescio", "numpy", "duckdb", "jinja2", "nescio.people.campaigns.site"])
MOST_TRIES = 4  # a kill that comes after the end of a step does not count


def make(folder: Path, topics: int, runs: int) -> tuple[Path, list[Path]]:
    """Make what the organisers of a campaign of that size have, and what its groups send; returns where the campaign
    will be, and the folders of the groups."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [{"id": f"q{i}", "question": f"What is thing {i}?", "answers": [f"thing {i}"]} for i in range(topics)]
    (folder / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    chance = random.Random(0)
    inbox = []
    for run in range(runs):
        place = folder / "inbox" / f"g{run % GROUPS}"
        place.mkdir(parents=True, exist_ok=True)
        right = 0.3 + 0.5 * run / runs
        lines = []
        for i in range(topics):
            answer = f"thing {i}" if chance.random() < right else f"another {chance.randrange(30)}"
            lines.append({"id": f"q{i}", "answer": answer, "confidence": round(chance.random(), 3), "doc": f"D{i}"})
        (place / f"r{run}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        inbox.append(place)
    return folder / "campaign", list(dict.fromkeys(inbox))


def fill(campaign: Path) -> None:
    """Fill the sheets in, as assessors would: what begins with "thing" is right."""
    for path in (campaign / "sheets").glob("*.csv"):
        lines = path.read_text(encoding="utf-8-sig").splitlines()
        done = [f"{line[:-1]}{'R' if ',thing ' in line else 'W'}," if i else line for i, line in enumerate(lines)]
        path.write_text("\n".join(done) + "\n", encoding="utf-8-sig")


def take(step: str, campaign: Path, inbox: list[Path]) -> None:
    """Take one step."""
    groups = [f"{place.name}=Group {place.name[1:]}" for place in sorted(inbox)]
    topics = [campaign.parent / "questions.jsonl"]
    steps: dict[str, Callable[[], object]] = {
        "init": lambda: nescio.campaign.init(campaign, topics, task="qa", groups=groups, runs=100, judge="exact"),
        "checker": lambda: nescio.campaign.checker(campaign, output=campaign / "checker.zip"),
        "handout": lambda: nescio.campaign.handout(campaign),
        "check": lambda: nescio.campaign.check(campaign, inbox),
        "intake": lambda: nescio.campaign.intake(campaign, inbox, received=RECEIVED),
        "pool": lambda: nescio.campaign.pool(campaign),
        "sheets": lambda: nescio.campaign.sheets(campaign, ["ana", "ben", "eva"], overlap=2),
        "collect": lambda: nescio.campaign.collect(campaign, resamples=100),
        "score": lambda: nescio.campaign.score(campaign, resamples=1_000),
        "publish": lambda: nescio.campaign.publish(campaign),
    }
    steps[step]()


def clock(topics: int, runs: int) -> None:
    """Print the seconds that each step takes, and the memory of all."""
    with tempfile.TemporaryDirectory() as name:
        campaign, inbox = make(Path(name), topics, runs)
        for step in ("init", "check", *STEPS[1:]):
            if step == "collect":
                fill(campaign)
            begun, computed = time.perf_counter(), time.process_time()
            take(step, campaign, inbox)
            computed = time.process_time() - computed
            print(f"{step:8} {time.perf_counter() - begun:7.1f} s, of the processor {computed:7.1f} s", flush=True)
    print(f"memory   {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:7.0f} MB")


def killed(times: int, step: str) -> tuple[int, int]:
    """Count how often a step was killed at a random moment before its end, and how often it then ended, repeated, in
    the bytes of one that was not."""
    hit = same = 0
    chance = random.Random(step)
    with tempfile.TemporaryDirectory() as name:
        before, straight = Path(name) / "before", Path(name) / "straight"
        _until(before, step)
        shutil.copytree(before, straight)
        running = _begin(step, straight)
        begun = time.perf_counter()
        assert _ended(running) == 0
        length, expected = time.perf_counter() - begun, _held(straight)
        for attempt in range(times * MOST_TRIES):
            folder = Path(name) / str(attempt)
            shutil.copytree(before, folder)
            running = _begin(step, folder)
            time.sleep(chance.random() * length)
            running.kill()
            if _ended(running) == -signal.SIGKILL:
                hit += 1
                assert _ended(_begin(step, folder)) == 0
                same += _held(folder) == expected
            shutil.rmtree(folder)
            if hit == times:
                break
    return hit, same


def _held(folder: Path) -> dict[str, bytes]:
    """Return what a campaign holds, but for its secret, which is another each time that one is made."""
    return {name: held for name, held in contents(folder / "campaign").items() if name != SECRET}


def _until(folder: Path, step: str) -> None:
    """Make a small campaign, and take the steps before this one."""
    campaign, inbox = make(folder, 60, 6)
    for before in STEPS[: STEPS.index(step)]:
        if before == "collect":
            fill(campaign)
        take(before, campaign, inbox)
    if step == "collect":
        fill(campaign)


def _begin(step: str, folder: Path) -> BaseProcess:
    """Begin a step in a process of its own; returns when the step itself begins."""
    ready, go = _PROCESSES.Pipe(duplex=False)
    running = _PROCESSES.Process(target=_take, args=(go, step, folder))
    running.start()
    go.close()
    ready.recv()
    return running


def _take(go: Connection, step: str, folder: Path) -> None:
    go.send(())
    take(step, folder / "campaign", sorted((folder / "inbox").iterdir()))


def _ended(running: BaseProcess) -> int:
    """Return the status of a process when it has ended; what killed it is negative."""
    running.join()
    assert running.exitcode is not None
    return running.exitcode


def main() -> None:
    """Print the seconds, or the kills."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--topics", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--kill", type=int, default=0)
    parser.add_argument("--step", choices=STEPS, action="append")
    options = parser.parse_args()
    os.environ.setdefault("SOURCE_DATE_EPOCH", "1780000000")  # the log tells the time, and is compared too
    if not options.kill:
        clock(options.topics, options.runs)
    for step in (options.step or STEPS) if options.kill else ():
        hit, same = killed(options.kill, step)
        print(f"{step:8} killed {hit} times before its end; repeated, {same} ended in the same bytes", flush=True)


if __name__ == "__main__":
    main()
