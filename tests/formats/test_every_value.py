"""Each value of a tool's log is evidence that a gate sees, or is on a list of what is none, with a reason.

A reader that forgets a key of who graded, of the question, of the gold answer or of lost answers fails here.
"""

from __future__ import annotations

import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

import nescio
from nescio.data.changed_questions import OTHER_QUESTIONS
from nescio.errors import MismatchError
from nescio.formats import REGISTRY

from .excerpts import EVERY, EXCERPTS, LOGS
from .leaves import Changed

NO_EVIDENCE: dict[str, dict[str, list[str]]] = tomllib.loads(
    EXCERPTS.with_name("no_evidence.toml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", sorted(LOGS))
def test_a_value_that_changes_is_seen_or_is_no_evidence(name: str, tmp_path: Path) -> None:
    """The log is loaded without texts, as for a comparison, and the copies differ in one value."""
    unseen: set[str] = set()
    for i, excerpt in enumerate(excerpt for excerpt in EVERY.values() if excerpt.format == name):
        unseen |= {*Changed(excerpt, tmp_path / str(i)).unseen()}
    patterns = [pattern for listed in NO_EVIDENCE.get(name, {}).values() for pattern in listed]
    forgotten = sorted(kind for kind in unseen if not any(fnmatchcase(kind, pattern) for pattern in patterns))
    assert not forgotten, f"{name}: a comparison does not see these values; read them, or say why they are no evidence"
    idle = [pattern for pattern in patterns if not any(fnmatchcase(kind, pattern) for kind in unseen)]
    assert not idle, f"{name}: all values of this kind are seen, or there are none"


@pytest.mark.parametrize("name", sorted(LOGS))
def test_evidence_that_one_answer_lacks_is_seen(name: str, tmp_path: Path) -> None:
    """A grader or gold answer that some answers do not state is another one, or none."""
    lost: set[str] = set()
    for i, excerpt in enumerate(excerpt for excerpt in EVERY.values() if excerpt.format == name):
        lost |= {*Changed(excerpt, tmp_path / str(i)).lost()}
    lost -= {"details.#.gold.#"} if name == "opencompass" else {*()}  # the file of predictions has it, too
    assert not lost, f"{name}: a comparison does not see that an answer lacks these values"


def test_the_list_names_readers() -> None:
    assert {*NO_EVIDENCE} <= LOGS <= {*REGISTRY}
    reasons = [reason for of_reader in NO_EVIDENCE.values() for reason in of_reader]
    assert all(len(reason.split()) <= 12 for reason in reasons)


def test_the_gold_answers_of_scores_alone_are_compared(tmp_path: Path) -> None:
    paths = [tmp_path / f"{run}.csv" for run in ("old", "new")]
    for path in paths:
        rows = [f"q{q}?,a,{path.stem} {q},{0.5 + q % 7 / 100}" for q in range(20)]
        path.write_text("\n".join(["user_input,response,reference,faithfulness", *rows]))
    found = nescio.compare(paths, "mean(faithfulness)", baseline="old")
    assert any(remark.code == OTHER_QUESTIONS for remark in found.notes)
    base = tmp_path / "base.json"
    nescio.compare(paths[0], "mean(faithfulness)", save_baseline=base)
    with pytest.raises(MismatchError, match="20 with a different gold answer"):
        nescio.compare(paths[1], "mean(faithfulness)", baseline=base)
