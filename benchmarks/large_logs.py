"""What time and memory large logs take: `python benchmarks/large_logs.py [GB]` (default 1).

It makes a test run like DeepEval's (one JSON document), details like lighteval's (Parquet, where pyarrow is there) and
ten runs of answers that nobody has judged (JSON Lines), each of that size in a temporary folder; scores or judges each
in a process of its own, and prints the most memory that it had.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
AT_ONCE = 2_000  # rows of Parquet that are written together


def words(chance: random.Random, count: int) -> str:
    """Return words that hardly compress."""
    return " ".join(f"{chance.getrandbits(40):x}" for _ in range(count))


def deepeval(path: Path, size: int) -> None:
    """Write cases with prompts, contexts and the logs of a judge, some 10 KB each."""
    chance, criteria = random.Random(1), "You judge short answers by the passage that they are from. " * 120
    with path.open("w") as file:
        file.write('{"testRunData": {"testCases": [')
        i = 0
        while file.tell() < size:
            passed = i % 3 > 0
            metric = {"name": "Truth", "threshold": 0.5, "success": passed, "score": 0.9 if passed else 0.1}
            case = {"name": f"case {i}", "input": f"Question {i}: {words(chance, 40)}", "success": passed}
            case |= {"actualOutput": words(chance, 30) if i % 7 else "", "retrievalContext": [words(chance, 80)]}
            file.write((", " if i else "") + json.dumps({**case, "metricsData": [metric | {"verboseLogs": criteria}]}))
            i += 1
        file.write('], "conversationalTestCases": [], "metricsScores": []}}')


def lighteval(path: Path, size: int) -> None:
    """Write details with prompts and tokens, some 7 KB each when packed."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    chance, writer, first = random.Random(1), None, 0
    while first == 0 or path.stat().st_size < size:
        rows = []
        for i in range(first, first + AT_ONCE):
            tokens = [chance.getrandbits(16) for _ in range(600)]
            response = {
                "input": words(chance, 250),
                "input_tokens": tokens,
                "text": [words(chance, 60) if i % 5 else ""],
            }
            doc = {"query": words(chance, 250), "choices": ["a"], "id": str(i), "task_name": "large|0"}
            rows.append({"doc": doc, "metric": {"em": i % 2}, "model_response": response})
        table = pa.Table.from_pylist(rows)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
        first += AT_ONCE
    assert writer is not None
    writer.close()


def unjudged(folder: Path, size: int) -> list[str]:
    """Write ten runs of answers of some 1 KB to the same questions; returns what judges them by `contains`."""
    chance, each = random.Random(1), size // 10
    folder.mkdir()
    runs = [folder / f"run_{i}.jsonl" for i in range(10)]
    asked = 0
    for run in runs:
        with run.open("w") as file:
            at = 0
            while file.tell() < each:
                answer = f"{words(chance, 90)} {at if chance.random() < 0.6 else 'nothing'}"
                said = {"id": f"q{at}", "answer": answer if chance.random() < 0.9 else ""}
                file.write(json.dumps(said) + "\n")
                at += 1
        asked = max(asked, at)
    questions = ({"id": f"q{i}", "question": f"Which number is {i}?", "answers": [str(i)]} for i in range(asked))
    (folder / "questions.jsonl").write_text("".join(json.dumps(question) + "\n" for question in questions))
    out = str(folder / "judged.parquet")
    return ["judge", str(folder / "questions.jsonl"), *map(str, runs), "--judge", "contains", "-o", out]


def took(arguments: list[str]) -> tuple[float, int]:
    """Run nescio; returns its seconds and the most memory that it had, in MB."""
    before = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "nescio", *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"nescio {' '.join(arguments)}: {status}")
    return time.perf_counter() - before, usage.ru_maxrss // 1024


def main() -> None:
    """Make each log, score or judge it, and print what it took."""
    size = int(float(sys.argv[1] if len(sys.argv) > 1 else 1) * (1 << 30))
    makers = {"run.json": deepeval, "details_large_2026-01-02T03-04-05.678901.parquet": lighteval, "runs": unjudged}
    with tempfile.TemporaryDirectory() as temporary:
        for name, make in makers.items():
            path = Path(temporary) / name
            try:
                with multiprocessing.get_context("spawn").Pool(1) as another:  # whose memory would count as a child's
                    arguments = another.apply(make, (path, size)) or ["score", str(path)]
            except ImportError as error:
                print(f"{name}: skipped ({error})")
                continue
            seconds, most = took(arguments)
            print(f"{name}: {size / (1 << 30):.2f} GB, {arguments[0]} {seconds:.0f} s, {most} MB at most", flush=True)
            shutil.rmtree(path) if path.is_dir() else path.unlink()


if __name__ == "__main__":
    main()
