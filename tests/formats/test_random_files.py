"""Random sound tables are read to what they hold; random damage gives a clean reading or one refusal, never another
exception."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.errors import FormatError
from nescio.formats import open_source
from nescio.sources.database import connect
from nescio.sources.tables import _cells, load_rows
from tests import strategies

from .encodings import ENCODINGS, encode, evidence
from .fuzz import assert_damage_is_met, assert_met

if TYPE_CHECKING:
    import duckdb  # at run time a type of it kept in an annotation would be reported as leaked when Python ends


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all examples of a test: each writes over the files of the one before."""
    return tmp_path_factory.mktemp("random")


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """One database for all examples of a test."""
    with connect() as opened:
        yield opened


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


SAMPLES: dict[str, dict[str, str]] = {
    "outcomes.csv": {
        "table.csv": 'run,question,outcome,confidence,candidate,topic\na,q1,correct,0.5,,"t, '
        'é"\na,q2,unanswered,,correct,u\n'
        "b,q1,incorrect,0.25,,\nb,q2,unanswered,,incorrect,u\n"
    },
    "outcomes.jsonl": {
        "table.jsonl": '{"run": "a", "question": "q1", "outcome": "correct", "confidence": 0.5, "rank": 1}\n'
        '{"run": "a", "question": "q1", "outcome": "incorrect", "confidence": 0.25, "rank": 2}\n'
        '{"run": "a", "question": "é", "outcome": "unanswered", "answerable": false}\n'
    },
    "counts.csv": {"table.csv": "run,correct,incorrect,unanswered\na,237,156,107\nb,236,264,0\n"},
    "matrix.csv": {"table.csv": ",A,B\nq1,0.5,0.25\nq2,,1\nq3,1,0\n"},
    "pan": {
        "truth.jsonl": '{"id": "p1", "same": true}\n{"id": "p2", "same": false}\n',
        "answers.jsonl": '{"id": "p1", "value": 0.9}\n{"id": "p2", "value": [0.5]}\n',
    },
    "pan.txt": {"truth.txt": "EN001 Y\nEN002 N\nDR001 Y\n", "answers.txt": "EN001 0.8\nEN002 0.5\nDR001 Y 0.75\n"},
    "questions": {
        "questions.jsonl": '{"id": "q1", "question": "Who?", "answers": ["Ann"], "options": ["Ann", "Bob"], "topic": "é"}\n'
        '{"id": 2, "question": "Where?", "answers": ["0"], "options": ["Rome", "Oslo"], "answerable": true}\n',
        "mine.jsonl": '{"id": "q1", "answer": "A", "confidence": 0.5}\n{"id": 2, "answer": "Oslo", "answered": false}\n'
        '{"id": 2, "answer": "Rome", "rank": 2}\n',
    },
}
policies = st.fixed_dictionaries(
    {
        "missing": st.sampled_from(["error", "unanswered", "common"]),
        "ungraded": st.sampled_from(["error", "exclude", "bounds"]),
    }
)


FORMATS = {
    "outcomes": ("outcomes.csv", "outcomes.jsonl"),
    "counts": ("counts.csv",),
    "matrix": ("matrix.csv",),
    "pan": ("pan", "pan.txt"),
    "questions": ("questions",),
}


@pytest.mark.fuzz("outcomes", "counts", "matrix", "pan", "questions")
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.sampled
@given(data=st.data(), options=policies)
def test_damaged_files_are_read_or_refused(
    name: str, folder: Path, data: st.DataObject, options: dict[str, Any]
) -> None:
    sample = SAMPLES[data.draw(st.sampled_from(FORMATS[name]))]
    assert_damage_is_met(data, folder, sample, **options)


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
def test_the_fast_way_to_read_delimited_text_agrees_with_the_slow_one(
    text: str, folder: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    path = folder / "table.csv"
    path.write_text(f"a,b\nx,y\n{text}\n", encoding="utf-8", newline="")
    source = open_source(path)
    connection.execute("DROP TABLE IF EXISTS found")
    try:
        names = load_rows(connection, source, "found")
    except FormatError:
        return
    fast = connection.execute("SELECT c0, c1 FROM found ORDER BY row").fetchall()
    cells, count = _cells(source, names)
    slow = list(zip(*([(cell or "").strip() or None for cell in cells[name]] for name in ("c0", "c1")), strict=True))
    assert (fast, len(fast)) == (slow, count)
