"""A table has the same figures, notes and errors whether its rows are read or, as those of a large one, joined to a grid."""

from __future__ import annotations

import random
import tempfile
import tomllib
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import nescio
from nescio.data.judge_record import DIFFERENT
from nescio.sources import grids
from nescio.tables import large as reading
from tests.notes import in_words
from tests.rings import sample

Rows = dict[str, list[Any]]
WORDS = ("correct", "incorrect", "unanswered")


def plain(chance: random.Random) -> Rows:
    """Three runs on some questions, with confidences and a graded score; a run may lack some of them."""
    rows: Rows = {name: [] for name in ("run", "question", "outcome", "confidence", "score")}
    for run in ("a", "b", "c"):
        for i in range(chance.randrange(5, 20)):
            state = chance.choice(WORDS)
            row = (run, f"q{i}", state, round(chance.random(), 3), round(chance.random(), 2))
            for column, value in zip(rows.values(), row, strict=True):
                column.append(value)
    return rows


def last(**cells: Any) -> Callable[[Rows, random.Random], None]:
    def change(rows: Rows, _: random.Random) -> None:
        for name, column in rows.items():
            column.append(cells.get(name, column[-1]))

    return change


def somewhere(name: str, value: Any) -> Callable[[Rows, random.Random], None]:
    def change(rows: Rows, chance: random.Random) -> None:
        column = rows[name]
        column[chance.randrange(len(column))] = value

    return change


def header(rows: Rows, chance: random.Random) -> None:
    """The header again, as where files were put one behind another."""
    at = chance.randrange(len(rows["run"]))
    for name in rows:
        rows[name] = [str(cell) for cell in rows[name]]
        rows[name].insert(at, name)


def summed(rows: Rows, _: random.Random) -> None:
    """A last row that is the sum of those above it, by another name."""
    total = {name: sum(rows[name]) for name in ("confidence", "score")}
    last(run="a", question="overall figures", outcome="correct", **total)(rows, _)


def twin(rows: Rows, chance: random.Random) -> None:
    at = chance.randrange(len(rows["run"]))
    for column in rows.values():
        column.append(column[at])


def accents(rows: Rows, chance: random.Random) -> None:
    somewhere("question", "caf\u00e9")(rows, chance)
    last(run="c", question="cafe\u0301")(rows, chance)


def without(name: str) -> Callable[[Rows, random.Random], None]:
    def change(rows: Rows, _: random.Random) -> None:
        del rows[name]

    return change


def every(name: str, change: Callable[[Any], Any]) -> Callable[[Rows, random.Random], None]:
    return lambda rows, _: rows.update({name: [change(cell) for cell in rows[name]]})


CHANGES: dict[str, Callable[[Rows, random.Random], None]] = {
    "nothing": lambda *_: None,
    "Total": last(question="Total", confidence=0.5),
    "a run Total": last(run="Total", question="q0"),
    "mean": last(question="MEAN "),
    "sum": summed,
    "header": header,
    "infinite": somewhere("confidence", float("inf")),
    "-infinite": somewhere("confidence", float("-inf")),
    "NaN": somewhere("confidence", float("nan")),
    "infinite score": somewhere("score", float("inf")),
    "no confidence": somewhere("confidence", None),
    "no score": somewhere("score", None),
    "n/a": somewhere("confidence", "n/a"),
    "a word as score": somewhere("score", "good"),
    "texts of numbers": every("confidence", str),
    "percentages": every("confidence", lambda cell: f"{100 * cell:g}%"),
    "beyond 1": somewhere("confidence", 1.5),
    "another word": somewhere("outcome", "right"),
    "an unknown word": somewhere("outcome", "perhaps"),
    "a word of another case": somewhere("outcome", "CORRECT"),
    "a padded word": somewhere("outcome", " correct "),
    "not graded": somewhere("outcome", None),
    "an empty outcome": somewhere("outcome", ""),
    "no question": somewhere("question", None),
    "an empty question": somewhere("question", ""),
    "a padded question": somewhere("question", " q0"),
    "no run": somewhere("run", None),
    "an empty run": somewhere("run", ""),
    "another form of an accent": accents,
    "twin": twin,
    "numbers as questions": every("question", lambda cell: int(cell[1:])),
    "1 and 0": every("outcome", lambda cell: int(cell == "correct")),
    "true and false": every("outcome", lambda cell: cell == "correct"),
    "without confidences": without("confidence"),
    "without scores": without("score"),
    "topics": lambda rows, c: rows.update(topic=[c.choice("xy") for _ in rows["run"]]),
    "judges": lambda rows, _: rows.update(judge=["exact"] * len(rows["run"])),
}
MEASURES: tuple[list[str], ...] = (["c@1"], ["c@1", "AUROC"], ["mean(score)"])


def said(work: Callable[[], Any]) -> Any:
    try:
        found = work()
    except nescio.MismatchError as error:  # counts know no names of questions, and not which is the first
        return sorted({name for name, _ in error.offers})
    except nescio.NescioError as error:
        return type(error).__name__, str(error)
    return [(row.run, row.measure, repr(row.value), row.n) for row in found.rows], sorted(in_words(found.notes))


@pytest.mark.sampled
@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_tables_are_the_same_both_ways(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first tables have one change each, those after them two."""
    names, counted = [*CHANGES], []

    def group(*given: Any, **more: Any) -> Any:
        counted.append(1)
        return grids.grid(*given, **more)

    monkeypatch.setattr(reading, "grid", group)
    tables = sample(range(200), 12)
    for i in tables:
        chance = random.Random(i)
        rows, changes = plain(chance), [names[i % len(names)]]
        if i >= 2 * len(names):
            changes.append(chance.choice(names))
        for name in changes:
            with suppress(KeyError, TypeError, ValueError):  # two changes that cannot both be
                CHANGES[name](rows, chance)
        path, measures = tmp_path / f"{i}{suffix}", MEASURES[i % 3]
        write(rows, path)
        both = []
        for large in (0, 1 << 40):
            monkeypatch.setattr(reading, "LARGE", large)
            both.append(said(partial(nescio.score, path, measures, ci=None, missing="unanswered")))
        assert both[0] == both[1], (i, changes, measures)
    assert len(counted) > (len(tables) - 12) / 4  # the law is about two ways


@pytest.mark.parametrize("judges", [("exact", "lenient"), ("exact", None), ("exact", "exact")])
@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_the_judge_of_each_run_is_the_same_both_ways(
    suffix: str, judges: tuple[str, str | None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = [(run, f"q{i}", "correct", judge) for run, judge in zip("ab", judges, strict=True) for i in range(9)]
    rows: Rows = dict(zip(("run", "question", "outcome", "judge"), map(list, zip(*cells, strict=True)), strict=True))
    write(rows, path := tmp_path / f"judges{suffix}")
    differ = []
    for large in (0, 1 << 40):
        monkeypatch.setattr(reading, "LARGE", large)
        notes = nescio.compare(path, "accuracy", baseline="a").notes
        differ.append([note.values for note in notes if note.code == DIFFERENT])
    assert differ[0] == differ[1]
    assert len(differ[0]) == (judges[0] != judges[1])


@pytest.fixture(scope="module", autouse=True)
def _read_before(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Read a table both ways, so that what reading needs is in memory before it is measured."""
    path = tmp_path_factory.mktemp("before") / "table.parquet"
    write(plain(random.Random(0)), path)
    with pytest.MonkeyPatch.context() as patch:
        for large in (0, 1 << 40):
            patch.setattr(reading, "LARGE", large)
            nescio.score(path, ["c@1"], missing="unanswered")


def write(rows: Rows, path: Path) -> None:
    frame = pd.DataFrame(rows)
    for name in frame:
        if len({type(cell) for cell in frame[name] if cell is not None}) > 1:  # a column of Parquet has one type
            frame[name] = [None if cell is None else str(cell) for cell in rows[name]]
    frame.to_parquet(path) if path.suffix == ".parquet" else frame.to_csv(path, index=False)


TEXTS: dict[str, bytes] = {
    name: text.encode()
    for name, text in tomllib.loads(Path(__file__).with_name("texts.toml").read_text(encoding="utf-8")).items()
}
TEXTS["Latin-1"] = TEXTS["an accent"].decode().encode("latin-1")
TEXTS["UTF-16"] = TEXTS["plain"].decode().encode("utf-16")
LIMITS: tuple[dict[str, Any], ...] = ({"max_rows": 8}, {"max_rows": 9}, {"max_columns": 4}, {"max_text": 1e-5})


@pytest.mark.sampled
def test_texts_are_the_same_both_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [(name, suffix, at) for name in TEXTS for suffix in ("csv", "tsv") for at in range(len(MEASURES))]
    for name, suffix, at in sample(cases, 16):
        path = tmp_path / f"table.{suffix}"
        path.write_bytes(TEXTS[name] if suffix == "csv" else TEXTS[name].replace(b",", b"\t"))
        for asked in ({}, *(LIMITS if name == "plain" else ())):
            both = []
            for large in (1, 1 << 40):
                monkeypatch.setattr(reading, "LARGE", large)
                both.append(said(partial(nescio.score, path, MEASURES[at], ci=None, missing="unanswered", **asked)))
            assert both[0] == both[1], (name, suffix, MEASURES[at], asked)


@pytest.mark.parametrize("large", [1, 1 << 40])
def test_points_that_may_separate_thousands_are_asked_about_both_ways(
    large: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "LARGE", large)
    path = tmp_path / "table.csv"
    path.write_text("run;question;outcome;latency\na;1;correct;1.234\na;2;correct;987\n")
    with pytest.raises(nescio.FormatError, match=r"1\.234 could be 1234 or 1\.234"):
        nescio.score(path, ["mean(latency)"])


@pytest.mark.parametrize("error", [KeyboardInterrupt, None])
def test_nothing_is_left_in_the_folder_for_temporary_files(
    error: type[BaseException] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "table.csv").write_bytes(TEXTS["plain"])
    (folder := tmp_path / "temporary").mkdir()
    seen: list[Path] = []

    def group(*_: Any, **__: Any) -> None:
        seen.extend(folder.iterdir())
        raise error or nescio.NescioError

    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(reading, "LARGE", 1)
    monkeypatch.setattr(reading, "grid", group)
    with pytest.raises(error or nescio.NescioError):
        nescio.score(tmp_path / "table.csv", ["c@1"], ci=None)
    assert seen
    assert not [*folder.iterdir()]
