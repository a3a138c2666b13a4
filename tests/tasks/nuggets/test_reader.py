"""Definition questions: who matched the nuggets is signed, and runs are compared and broken down from files."""

from __future__ import annotations

from pathlib import Path

import pytest

import nescio
from nescio.errors import NescioError
from tests.formats.cases import Case
from tests.formats.excerpts import EVERY
from tests.formats.fuzz import write_files

FILES = {name: str(text) for name, text in Case("nuggets", "a key", {"states": ""}).texts().items()}


def test_the_signature_says_who_matched(tmp_path: Path) -> None:
    key, run, mapping = write_files(tmp_path, FILES)
    assert "judge:automatic(method=count)" in str(nescio.score([key, run], ci=None).signature)
    assert "judge:automatic(method=idf)" in str(
        nescio.score([key, run], ci=None, choose={"automatic": "idf"}).signature
    )
    assert "judge:assessors(view=majority)" in str(nescio.score([key, run, mapping], ci=None).signature)
    assert "judge:assignments" in str(nescio.score(EVERY["nuggetizer"].files, ci=None).signature)
    with pytest.raises(NescioError, match=r"nuggets\.F: there is no column"):
        nescio.score([key, run], ["nuggets.F"], ci=None)


def test_a_comparison_of_two_runs_from_files(tmp_path: Path) -> None:
    """The other response is the same but longer, so that its precision is less."""
    other = FILES["run.txt"].replace(" mine ", " other ").replace("first man", "x" * 400)
    mapping = FILES["map.txt"].replace(" mine ", " other ")
    paths = write_files(tmp_path, FILES | {"other.txt": other, "map2.txt": mapping})
    found = nescio.compare(paths, ["nuggets.F"], baseline="mine", resamples=99)
    assert [row.difference < 0 for row in found] == [True]


def test_series_are_strata(tmp_path: Path) -> None:
    """s1 has a list: .5 + .25 * 2 * 1 / (1 + 3) + .25; s2 has none: .67 * 0 + .33 * 1."""
    rows = "a,f2,s2,factoid,0,,,,,,,\na,d2,s2,definition,,,,,1,0,1,50\n"
    (path,) = write_files(tmp_path, {"c.csv": str(Case("nugget_counts", "", {"states": ""}).texts()["c.csv"]) + rows})
    scores = nescio.score(path, ["nuggets.combined"], ci=None, by="series")
    assert {row.stratum: row.value for row in scores if row.stratum} == pytest.approx({"s1": 0.875, "s2": 0.33})


def test_one_log_cannot_be_compared_under_two_choices() -> None:
    with pytest.raises(
        NescioError, match="to compare two choices from one log, write each choice to a table of its own"
    ):
        nescio.compare(EVERY["lm_eval"].files, "c@1", choose={"filter": "strict-match"}, resamples=10)
