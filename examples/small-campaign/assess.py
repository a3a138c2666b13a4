"""Fill in the sheets in a folder with the verdicts of verdicts.csv, as its assessors did by hand."""

import csv
import sys
from pathlib import Path

with Path(__file__).with_name("verdicts.csv").open(encoding="utf-8", newline="") as file:
    said = {(row["sheet"], row["question_id"], row["answer"]): row for row in csv.DictReader(file)}
for path in sorted(Path(sys.argv[1]).glob("*.csv")):
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        own = said[path.stem, row["question_id"], row["answer"]]
        row |= {"verdict": own["verdict"], "comment": own["comment"]}
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(rows)
