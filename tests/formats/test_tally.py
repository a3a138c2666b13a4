"""Tallies of shards: files of Arrow that are whole, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nescio

from .excerpts import EVERY
from .fuzz import assert_damage_is_met

ALL = ["accuracy", "mean(f1)", "AUROC"]
SCORED = "run,question,outcome,f1,confidence\na,1,correct,0.5,0.25\na,2,incorrect,0.25,1\nb,1,correct,1,0.5\nb,2,correct,0,0\n"


def tallied(folder: Path, *measures: str) -> bytes:
    """A tally of these measures too."""
    (folder / "table.csv").write_text(SCORED)
    nescio.tally(folder / "table.csv", folder / "all.tally", measures=measures, resamples=3)
    return (folder / "all.tally").read_bytes()


@pytest.fixture(scope="module")
def summed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A tally with resamples of graded scores, of a few thousand bytes: a fuzzing test keeps many of it."""
    return tallied(tmp_path_factory.mktemp("summed"), "mean(f1)")


@pytest.fixture(scope="module")
def resampled(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A tally with resamples of graded scores, and with bins."""
    return tallied(tmp_path_factory.mktemp("tally"), "mean(f1)", "AUROC")


@pytest.mark.fuzz("tally")
@given(data=st.data())
def test_damage(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    (path,) = EVERY["tally"].files
    assert_damage_is_met(data, tmp_path_factory.getbasetemp(), {path.name: path.read_bytes()})


@pytest.mark.fuzz("tally")
@given(data=st.data())
def test_damage_to_resamples(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory, summed: bytes) -> None:
    assert_damage_is_met(data, tmp_path_factory.getbasetemp(), {"summed.tally": summed})


def values(path: Path) -> list[tuple[str, str, str]]:
    return [(row.run, row.measure, repr(row.value)) for row in nescio.score(path, measures=ALL, ci=None)]


def test_a_flipped_bit_never_gives_other_counts(tmp_path: Path, resampled: bytes) -> None:
    # Counts, sums and bins are plain numbers, all of which could be: only a hash of them tells that one was changed.
    path = tmp_path / "flipped.tally"
    path.write_bytes(resampled)
    scored = values(path)
    refused = 0
    for place in range(7, len(resampled), 997):
        damaged = bytearray(resampled)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        try:
            found = values(path)
        except nescio.NescioError:
            refused += 1
        else:
            assert found == scored, place
    assert refused > 50


def test_a_tally_whose_hash_is_gone_is_refused(tmp_path: Path, resampled: bytes) -> None:
    path = tmp_path / "renamed.tally"
    path.write_bytes(resampled.replace(b"nescio.hash", b"nescio.hush"))
    with pytest.raises(nescio.NescioError, match="damaged tally"):
        nescio.score(path)
