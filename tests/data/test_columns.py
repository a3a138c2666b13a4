"""What is known of a column is declared once, and a user's column is never taken for one of nescio's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nescio
from nescio.data.columns import REGISTRY, Column, attribute, declare, declared, known, resolve
from nescio.data.evidence import Evidence
from nescio.judging import REGISTRY as JUDGES
from nescio.measures import REGISTRY as MEASURES
from nescio.measures import parse
from nescio.registry import REQUIRED
from tests.formats.excerpts import EVERY
from tests.rings import sample, together


def columns(*names: str) -> Mapping[str, Any]:
    return dict.fromkeys(names, np.zeros((1, 1)))


def named_alone() -> list[str]:
    """The measures that a bare name means, no parameter being needed."""
    return [name for name, each in MEASURES.items() if REQUIRED not in each.parameters.values()]


def test_every_column_that_a_measure_needs_is_declared() -> None:
    for name in named_alone():
        measure = parse(name)
        own = {f"user.{column}" for column in measure.user_columns}  # as the cost of price_per_right
        assert all(map(declared, set(measure.reads) - own)), name


def test_every_score_that_a_judge_gives_is_declared() -> None:
    for judge in JUDGES.values():
        assert {*judge.scores} <= REGISTRY.keys(), judge.name


def test_no_two_columns_of_a_measure_read_alike() -> None:
    for name in named_alone():
        needs = parse(name).needs
        assert len({*map(attribute, needs)}) == len(needs), name


@pytest.mark.parametrize("name", ["correct", "user.mine"])
def test_a_name_is_declared_once_and_the_users_are_not_taken(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be declared"):
        declare(Column(name, "again", "count"))


def test_a_users_name_stands_for_the_users_column_first() -> None:
    assert resolve("user.f1", columns("user.f1", "token_f1.f1")) == "user.f1"
    assert resolve("user.f1", columns("squad.exact", "token_f1.f1")) == "token_f1.f1"
    assert resolve("user.f1", columns("squad.f1", "token_f1.f1")) == "user.f1"  # two could be meant: there is none
    assert resolve("user.squad.f1", columns("squad.f1")) == "squad.f1"
    assert resolve("user.correct", columns("correct")) == "correct"
    assert resolve("ave.right", columns("user.ave.right")) == "ave.right"


def test_what_nobody_declared_is_the_users() -> None:
    assert (known("user.x").when_declined, known("user.x").namespace) == (None, "user")


def test_a_users_column_that_is_called_like_a_tasks_makes_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("run,question,outcome,ave_right,ave.right\nm,1,correct,1,1\nm,2,incorrect,0,1\nm,3,correct,1,0\n")
    for name, value in (("ave_right", 2 / 3), ("ave.right", 2 / 3)):
        scores = nescio.score(path, [f"mean({name})"], ci=None)
        assert "|questions:3|" in str(scores.signature)
        assert scores.value("m", f"mean({name})") == pytest.approx(value)


def test_an_evidence_of_ones_own_needs_no_declaration() -> None:
    data = Evidence(("m",), ("1", "2"), {"mine": np.array([[0.5, 1.0]])}, np.zeros((1, 2), dtype=np.uint8))
    assert nescio.score(data, ["mean(mine)"], ci=None).value("m", "mean(mine)") == 0.75


@pytest.mark.sampled
@together("name", sample(EVERY, 12))
def test_every_reader_leaves_declared_columns_or_the_users(name: str) -> None:
    data = EVERY[name].read().data
    assert all(declared(column) for column in data.columns if not column.startswith("user."))
