"""Commands that are killed at a random moment leave the old file or the whole new one: `python benchmarks/killed.py
[ROUNDS]` (default 200, some twenty minutes).

`score -o`, `judge -o`, `report -o`, `tally -o` and `ave build -o` take turns; each round writes an old file, starts the
command, sends SIGKILL at a moment up to a little past its usual end, and looks at the file. After its rounds each
command runs to its end and must write the bytes of an undisturbed run, whatever was left beside the output.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

OLD = b"old\n"
RUNS, QUESTIONS = 4, 2_000


def inputs(folder: Path) -> dict[str, list[str]]:
    """Write what the commands read, and return each command line without its output."""
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
    shards = []
    for shard in range(4):
        shards.append(folder / f"part-{shard}.csv")
        own = [line for line in table[1:] if int(line.split(",")[1][1:]) % 4 == shard]
        shards[-1].write_text("\n".join([table[0], *own]) + "\n", encoding="utf-8")
    judged = ["judge", str(folder / "questions.jsonl"), str(folder / "answers.jsonl"), "--judge", "exact"]
    return {
        "scores.csv": ["score", str(folder / "outcomes.csv"), "-m", "c@1", "-m", "AUROC"],
        "judged.csv": judged,
        "report.html": ["report", str(folder / "outcomes.csv"), "--resamples", "500"],
        "all.tally": ["tally", *map(str, shards)],
        "built.xml": ["ave", "build", str(folder / "questions.jsonl"), str(folder / "found.jsonl"), "--language", "EN"],
    }


def run(words: list[str], output: Path, after: float | None = None) -> int:
    """Run a command, or kill it after so many seconds; return its exit status."""
    process = subprocess.Popen(
        [sys.executable, "-m", "nescio", *words, "-o", str(output)], stdout=-3, stderr=-3, start_new_session=True
    )
    try:
        return process.wait(after)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.wait()


def main() -> None:
    """Print a row for each command."""
    rounds, chance = int(sys.argv[1]) if len(sys.argv) > 1 else 200, random.Random(1)
    failed = False
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        work = inputs(folder)
        print(f"{'command':12} {'rounds':>6} {'killed':>6} {'old':>5} {'new':>5} {'other':>6}   then")
        for name, words in work.items():
            start = time.perf_counter()
            status = run(words, folder / f"whole-{name}")
            usual = time.perf_counter() - start
            if status:
                print(f"{name}: exit status {status} when undisturbed")
                failed = True
                continue
            whole, output = (folder / f"whole-{name}").read_bytes(), folder / name
            seen: Counter[str] = Counter()
            own = -(-rounds // len(work))
            for _ in range(own):
                output.write_bytes(OLD)
                seen["killed"] += run(words, output, chance.uniform(0.1, 1.15) * usual) == -signal.SIGKILL
                left = output.read_bytes()
                seen["old" if left == OLD else "new" if left == whole else "other"] += 1
            again = run(words, output) == 0 and output.read_bytes() == whole
            failed |= bool(seen["other"]) or not again
            numbers = f"{own:6} {seen['killed']:6} {seen['old']:5} {seen['new']:5} {seen['other']:6}"
            print(f"{words[0]:12} {numbers}   {'the same bytes' if again else 'OTHER BYTES'}", flush=True)
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
