"""A note on runs that rank more answers to a question than others, in each form of ranked answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import nescio

SAYS = "run 'new' ranks up to 2 answers to a question, and run 'old' up to 1"


def ranked(folder: Path, form: str, most: dict[str, int]) -> list[Path]:
    """Write the ranked answers of runs, the second of which is right; `most` has their number for each run."""
    rows = [(run, q, rank) for run, last in most.items() for q in ("1", "2") for rank in range(1, last + 1)]
    if form == "runs":
        asked = [{"id": q, "question": f"What is {q}?", "answers": ["right"]} for q in ("1", "2")]
        texts = {"questions.jsonl": "".join(json.dumps(row) + "\n" for row in asked)}
        for run in most:
            said = [{"id": q, "answer": "right" if k == 2 else "no", "rank": k} for name, q, k in rows if name == run]
            texts[f"{run}.jsonl"] = "".join(json.dumps(row) + "\n" for row in said)
    elif form == "table":
        lines = [f"{run},{q},{'correct' if k == 2 else 'incorrect'},{k}" for run, q, k in rows]
        texts = {"table.csv": "\n".join(["run,question,outcome,rank", *lines]) + "\n"}
    else:
        texts = {"qrels.txt": "1 0 right 1\n2 0 right 1\n"}
        for run in most:
            own = [f"{q} Q0 {'right' if k == 2 else 'no'} {k} {9 - k} {run}" for name, q, k in rows if name == run]
            texts[f"{run}.run"] = "\n".join(own) + "\n"
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


@pytest.mark.parametrize("form", ["runs", "table", "trec"])
def test_lists_of_different_lengths_are_named(tmp_path: Path, form: str) -> None:
    scores = nescio.score(ranked(tmp_path, form, {"old": 1, "new": 2}), "MRR")
    assert (scores["old", "MRR"].value, scores["new", "MRR"].value) == (0, 0.5)
    assert SAYS in str(scores)
    alike = nescio.score(ranked(tmp_path, form, {"old": 2, "new": 2}), "MRR")
    assert "ranks up to" not in str(alike)
