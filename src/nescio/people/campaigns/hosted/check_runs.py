"""Check submitted runs on a platform: the scoring program of a Codabench bundle, and what a container of TIRA runs.

python check_runs.py TOPICS RUNS OUTPUT

TOPICS is what teams were handed, RUNS the folder that somebody submitted. OUTPUT gets `scores.json` (Codabench),
`evaluation.prototext` (TIRA) and `detailed_results.html`, a page of all faults. Faults are printed, and the exit status
is always 0, because the platforms take any other status for a broken evaluator and then show nothing.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

NOT_RUNS = ("metadata", "ir-metadata")  # what the platforms put beside runs


def scores_of(topics: Path, runs: Path, output: Path) -> dict[str, int]:
    """Check runs, write the page of their faults, and return what a leaderboard shows."""
    nescio: Any = importlib.import_module("nescio")
    files = [path for path in sorted(runs.rglob("*")) if path.is_file() and path.stem not in NOT_RUNS]
    files = [path for path in files if not any(part.startswith(".") for part in path.relative_to(runs).parts)]
    checked = nescio.campaign.check(topics, files, page=output / "detailed_results.html")
    print(checked)
    rows = checked.tables["files"]
    faults = sum(row.faults for row in rows)  # the list of faults may leave some out
    counts = {"runs": len(rows), "faults": faults, "sound": sum(not row.faults for row in rows)}
    return counts | {"answered": sum(row.answered for row in rows), "topics": sum(row.topics for row in rows)}


def main(topics: str, runs: str, output: str) -> None:
    """Check the runs that somebody submitted to a platform, and write the files that the platforms read.

    If nothing can be checked, the files say that there is no run and one fault.
    """
    if importlib.util.find_spec("nescio") is None:  # the platform's image has Python alone
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "nescio"], check=True)
    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        scores = scores_of(Path(topics), Path(runs), folder)
    except Exception as error:  # whatever somebody submits, the platform gets figures and the reason
        print(f"nothing could be checked: {error}")
        scores = {"runs": 0, "faults": 1, "sound": 0, "answered": 0, "topics": 0}
    (folder / "scores.json").write_text(json.dumps(scores), encoding="utf-8")
    measures = [f'measure {{\n  key: "{name}"\n  value: "{value}"\n}}\n' for name, value in scores.items()]
    (folder / "evaluation.prototext").write_text("".join(measures), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:4])
