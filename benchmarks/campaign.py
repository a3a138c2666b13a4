"""Campaigns of 1,000 topics and 40 runs, step by step on the clock; and every step killed at random and repeated.

python benchmarks/campaign.py                   seconds and memory of each step
python benchmarks/campaign.py --kill 50         of 50 campaigns, how many end in the same bytes after SIGKILL
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import nescio
from nescio.campaign.folder import contents

RECEIVED = "2026-05-01"
STEPS = ("handout", "intake", "pool", "sheets", "collect", "score", "publish")
GROUPS = 10


def make(folder: Path, topics: int, runs: int) -> tuple[Path, list[Path]]:
    """Make a campaign of that size, and what its groups send."""
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
    groups = [f"g{i}=Group {i}" for i in range(min(GROUPS, runs))]
    nescio.campaign.init(
        folder / "campaign", [folder / "questions.jsonl"], task="qa", groups=groups, runs=runs, judge="exact"
    )
    return folder / "campaign", list(dict.fromkeys(inbox))


def fill(campaign: Path) -> None:
    """Fill the sheets in, as assessors would: what begins with "thing" is right."""
    for path in (campaign / "sheets").glob("*.csv"):
        lines = path.read_text(encoding="utf-8-sig").splitlines()
        done = [f"{line[:-1]}{'R' if ',thing ' in line else 'W'}," if i else line for i, line in enumerate(lines)]
        path.write_text("\n".join(done) + "\n", encoding="utf-8-sig")


def take(step: str, campaign: Path, inbox: list[Path]) -> None:
    """Take one step."""
    steps: dict[str, Callable[[], object]] = {
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
        for step in ("check", *STEPS):
            if step == "collect":
                fill(campaign)
            begun = time.perf_counter()
            take(step, campaign, inbox)
            print(f"{step:8} {time.perf_counter() - begun:7.1f} s")
    print(f"memory   {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:7.0f} MB")


def killed(times: int, step: str) -> int:
    """Count how often a step that was killed at a random moment, and repeated, ends in the bytes of one that was
    not."""
    same = 0
    chance = random.Random(step)
    with tempfile.TemporaryDirectory() as name:
        straight, inbox = _until(Path(name) / "straight", step)
        begun = time.perf_counter()
        _run(step, straight, inbox)
        expected, longest = contents(straight), time.perf_counter() - begun
        for attempt in range(times):
            campaign, _ = _until(Path(name) / str(attempt), step)
            program = _program(step, campaign, inbox)
            running = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
            assert running.stdout is not None
            running.stdout.readline()
            time.sleep(chance.random() * longest / 4)
            os.kill(running.pid, signal.SIGKILL)
            running.wait()
            running.stdout.close()
            _run(step, campaign, inbox)
            same += contents(campaign) == expected
    return same


def _until(folder: Path, step: str) -> tuple[Path, list[Path]]:
    """Make a small campaign, and take the steps before this one."""
    folder.mkdir()
    campaign, inbox = make(folder, 60, 6)
    for before in STEPS[: STEPS.index(step)]:
        if before == "collect":
            fill(campaign)
        take(before, campaign, inbox)
    if step == "collect":
        fill(campaign)
    return campaign, inbox


def _program(step: str, campaign: Path, inbox: list[Path]) -> str:
    paths = [str(path) for path in inbox]
    return (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\nimport campaign, numpy, duckdb, "
        f"jinja2\nfrom pathlib import Path\nprint('go', flush=True)\ncampaign.take({step!r}, "
        f"Path({str(campaign)!r}), [Path(p) for p in {paths!r}])"
    )


def _run(step: str, campaign: Path, inbox: list[Path]) -> None:
    subprocess.run([sys.executable, "-c", _program(step, campaign, inbox)], check=True, capture_output=True)


def main() -> None:
    """Print the seconds, or the kills."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--topics", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--kill", type=int, default=0)
    parser.add_argument("--step", choices=STEPS, action="append")
    options = parser.parse_args()
    if not options.kill:
        clock(options.topics, options.runs)
    for step in (options.step or STEPS) if options.kill else ():
        print(f"{step:8} {killed(options.kill, step)} of {options.kill} the same", flush=True)


if __name__ == "__main__":
    main()
