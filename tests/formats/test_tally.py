"""Tallies of shards: files of Arrow that are whole, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import nescio

MEASURES = ["accuracy", "mean(f1)", "AUROC"]
SCORED = "run,question,outcome,f1,confidence\na,1,correct,0.5,0.25\na,2,incorrect,0.25,1\nb,1,correct,1,0.5\nb,2,correct,0,0\n"


def values(path: Path) -> list[tuple[str, str, str]]:
    return [(row.run, row.measure, repr(row.value)) for row in nescio.score(path, measures=MEASURES, ci=None)]


def test_a_changed_tally_never_gives_other_counts(tmp_path: Path) -> None:
    # Counts, sums and bins are plain numbers, all of which could be: only a hash of them tells that one was changed.
    (tmp_path / "table.csv").write_text(SCORED)
    nescio.tally(tmp_path / "table.csv", path := tmp_path / "all.tally", measures=["mean(f1)", "AUROC"], resamples=3)
    whole, scored, refused = path.read_bytes(), values(path), 0
    for place in range(7, len(whole), len(whole) // 40):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        try:
            found = values(path)
        except nescio.NescioError:
            refused += 1
        else:
            assert found == scored, place
    assert refused > 30
    path.write_bytes(whole.replace(b"nescio.hash", b"nescio.hush"))
    with pytest.raises(nescio.NescioError, match="damaged tally"):
        nescio.score(path)
