"""A store of tallies: it says what it has, counts no shard twice, and writes nothing but the tallies of new ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.errors import FormatError, MismatchError, UsageError
from nescio.verbs import tally as verbs_tally


def day(name: str, folder: Path, questions: int = 50, column: str = "outcome") -> Path:
    path = folder / f"{name}.csv"
    rows = [
        f"{run},{name}-{i},{'correct' if (i + shift) % 3 else 'incorrect'},{i % 7 / 7}"
        for shift, run in enumerate("ab")
        for i in range(questions)
    ]
    path.write_text(f"run,question,{column},confidence\n" + "\n".join(rows) + "\n")
    return path


def states(store: Path) -> dict[str, tuple[int, int, bytes]]:
    return {p.name: (p.stat().st_ino, p.stat().st_mtime_ns, p.read_bytes()) for p in store.iterdir()}


def test_a_new_day_is_counted_alone_and_written_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    days, store, counted = [day(f"d{i}", tmp_path) for i in range(4)], tmp_path / "store", list[str]()
    count = verbs_tally.count_shard

    def counting(items: Any, **how: Any) -> Any:
        counted.extend(path.name for path in items)
        return count(items, **how)

    monkeypatch.setattr(verbs_tally, "count_shard", counting)
    tallied = nescio.tally(days[:3], into=store)
    assert str(tallied) == f"added 3 shards; {store} has 2 runs on 150 questions in 3 shards"
    assert counted == ["d0.csv", "d1.csv", "d2.csv"]
    before = states(store)
    tallied = nescio.tally(str(tmp_path / "d*.csv"), into=store)
    assert counted[3:] == ["d3.csv"]
    assert str(tallied.notes[0]) == "3 of 4 shards were in the store already and are not counted again"
    assert (tallied.new, tallied.shards, tallied.questions) == (1, 4, 200)
    after = states(store)
    assert {name: after[name] for name in before} == before
    nescio.tally(days, tmp_path / "whole.tally")
    nescio.tally(sorted(store.iterdir()), tmp_path / "sum.tally")
    assert (tmp_path / "sum.tally").read_bytes() == (tmp_path / "whole.tally").read_bytes()
    assert list(nescio.score(store, "c@1")) == list(nescio.score(tmp_path / "whole.tally", "c@1"))


def test_what_does_not_belong_to_a_store_changes_nothing(tmp_path: Path) -> None:
    one, store = day("d0", tmp_path), tmp_path / "store"
    nescio.tally(one, into=store)
    before = states(store)
    changed = day("d0", tmp_path, questions=60)
    with pytest.raises(MismatchError, match=r"d0\.csv and .*have questions in common.*delete its old tally first"):
        nescio.tally(changed, into=store)
    with pytest.raises(MismatchError, match="bins of confidences"):
        nescio.tally(day("d1", tmp_path), into=store, measures="AUROC")
    with pytest.raises(MismatchError, match="tables of pairs"):
        nescio.tally(day("d1", tmp_path), into=store, pairs=False)
    with pytest.raises(FormatError, match="there is no such file"):
        nescio.tally(tmp_path / "none.csv", into=store)
    with pytest.raises(UsageError, match=r"a store holds tallies alone.*found d0\.csv"):
        nescio.tally(one, into=tmp_path)
    with pytest.raises(UsageError, match="takes files, each a shard"):
        nescio.tally([{"run": "a", "question": "q", "outcome": "correct"}], into=store)
    with pytest.raises(UsageError, match="is a file; a store is a folder"):
        nescio.tally(one, into=one)
    with pytest.raises(UsageError, match="output or into must say where"):
        nescio.tally(one)
    assert states(store) == before
    with pytest.raises(FormatError, match="there is no such file"):
        nescio.tally(tmp_path / "none.csv", into=tmp_path / "new")
    assert not (tmp_path / "new").exists()
