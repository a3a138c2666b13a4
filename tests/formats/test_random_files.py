"""Random sound tables are read to what they hold; random damage gives a clean reading or one refusal, never another
exception."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.errors import NescioError
from nescio.sources import tables
from tests import strategies

from .encodings import ENCODINGS, encode, evidence
from .excerpts import EVERY
from .fuzz import assert_damage_is_met, assert_met


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all examples of a test: each writes over the files of the one before."""
    return tmp_path_factory.mktemp("random")


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.sampled
@given(rows=strategies.outcome_rows())
def test_a_sound_table_is_read_to_what_it_holds(encoding: str, rows: list[dict[str, Any]], folder: Path) -> None:
    found = evidence(encode(rows, encoding, folder))
    cells = {(row["run"], row["question"]): row for row in rows}
    assert (set(found.runs), set(found.questions)) == ({run for run, _ in cells}, {question for _, question in cells})
    for (run, question), row in cells.items():
        at = found.runs.index(run), found.questions.index(question)
        assert found.columns[row["outcome"]][at] == 1
        if row["confidence"] is not None:
            assert found.columns["confidence"][at] == row["confidence"]
        elif "confidence" in found.columns:
            assert np.isnan(found.columns["confidence"][at])
        if row["candidate"]:
            assert found.columns[f"candidate_{row['candidate']}"][at] == 1
        for name, values in found.strata.items():
            assert row[name] in (None, values[at[1]])
    assert found.present.all()


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["outcomes", "counts", "matrix", "pan", "questions", "pairs", "baseline"])
@given(data=st.data(), missing=st.sampled_from(["error", "unanswered", "common"]))
def test_damaged_files_are_read_or_refused(name: str, folder: Path, data: st.DataObject, missing: str) -> None:
    excerpt = data.draw(st.sampled_from([excerpt for excerpt in EVERY.values() if excerpt.format == name]))
    files = {path.name: path.read_bytes() for path in excerpt.files}
    ungraded = data.draw(st.sampled_from(["error", "exclude", "bounds"]))
    assert_damage_is_met(data, folder, files, **{**excerpt.options, "missing": missing, "ungraded": ungraded})


@pytest.mark.sampled
@given(data=st.data())
def test_damaged_parquet_is_read_or_refused(folder: Path, data: st.DataObject) -> None:
    rows = [{"run": "a", "question": f"q{i}", "outcome": "correct", "confidence": i / 4} for i in range(4)]
    path = encode(rows, "parquet", folder)
    sound = path.read_bytes()
    footer = int.from_bytes(sound[-8:-4], "little") + 8
    begins = data.draw(st.sampled_from([0, len(sound) - footer]))  # the pages, or the footer that describes them
    path.write_bytes(sound[:begins] + data.draw(strategies.damage(sound[begins:])))
    assert_met([path])


@pytest.mark.sampled
@given(text=st.lists(st.sampled_from([*'x,"\n', ",", "\n", '"', '""', "xx", "\t", "é"]), max_size=16).map("".join))
def test_the_fast_way_to_read_delimited_text_agrees_with_the_slow_one(text: str, folder: Path) -> None:
    """The slow one is for lines that are longer than the fast one takes."""
    path = folder / "table.csv"
    path.write_text(f"question,outcome\nx,correct\n{text}\n", encoding="utf-8", newline="")
    said = []
    for longest in (tables._LONGEST_LINE, 0):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(tables, "_LONGEST_LINE", longest)
            try:
                said.append(
                    evidence(path, ungraded="exclude", outcome_map={"x": "correct", "xx": "incorrect"}).digest()
                )
            except NescioError as error:
                said.append(str(error))
    assert said[0] == said[1]
