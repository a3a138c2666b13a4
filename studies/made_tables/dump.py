"""Write N tables and `truth.jsonl` into a folder: `python dump.py N FOLDER [FIRST_SEED]`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from made_tables import Made, make


def line_of(made: Made) -> str:
    """Return one line of `truth.jsonl`."""
    return json.dumps(
        {
            "seed": made.seed,
            "path": made.path.name,
            "kind": made.kind,
            "layout": made.layout,
            "ambiguous": made.ambiguous,
            "asks": made.asks,
            "mapping": made.mapping,
            "options": made.options,
            "truth": made.truth,
            "ungraded": made.ungraded,
            "partial": made.partial,
            "unanswerable_known": made.unanswerable_known,
        },
        ensure_ascii=False,
    )


def main() -> None:
    """Write the tables of consecutive seeds."""
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    count, folder, first = int(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "truth.jsonl").open("w", encoding="utf-8") as out:
        for seed in range(first, first + count):
            out.write(line_of(make(seed, folder)) + "\n")


if __name__ == "__main__":
    main()
