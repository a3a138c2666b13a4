"""Logs in archives, and large documents that are read piece by piece."""

from __future__ import annotations

import json
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pytest

from nescio.errors import FormatError
from nescio.sources import documents
from tests.sources.test_documents import zstandard_archive

from .cases import Case, states_of
from .encodings import assert_refused, evidence, refusal
from .excerpts import EVERY
from .fuzz import evidence_and_notes, write_files

LOG: dict[str, Any] = Case("inspect", "a log", {"states": ""}).files()["log.json"]
SAMPLE: dict[str, Any] = LOG["samples"][0]
HEADER = {name: value for name, value in LOG.items() if name != "samples"}


def counted(total: int) -> dict[str, Any]:
    """The results of a log: how many samples there are, half of them right."""
    metrics = {"accuracy": {"name": "accuracy", "value": 0.5}}
    return {"total_samples": total, "scores": [{"name": "match", "scorer": "match", "metrics": metrics}]}


def archive(path: Path, *samples: dict[str, Any], **more: Any) -> Path:
    """A log of Inspect; samples of one id and epoch share a name in it."""
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        warnings.simplefilter("ignore")  # of names that stand twice
        packed.writestr("header.json", json.dumps(HEADER | more))
        for sample in samples:
            packed.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
    return path


def test_members_of_one_name_are_repeats_where_the_log_counts_them_all(tmp_path: Path) -> None:
    wrong = {"scores": {"match": {"value": "I"}}}
    samples = [SAMPLE, SAMPLE | wrong, SAMPLE | {"id": 2}, SAMPLE | wrong | {"epoch": 2}]
    found, notes = evidence_and_notes(archive(tmp_path / "a.eval", *samples, results=counted(4)))
    assert found.repeats is not None
    asked = list(zip(found.questions, found.repeats.label, strict=True))
    assert (asked, states_of(found)) == ([("1", "1"), ("1", "3"), ("2", "1"), ("1", "2")], {"org/model": "CICI"})
    assert "read as repeats" in notes[0]
    found, notes = evidence_and_notes(archive(tmp_path / "b.eval", *samples, results=counted(3)))
    assert (found.questions, states_of(found)) == (("1", "2", "1"), {"org/model": "ICI"})
    assert notes[0] == (
        "run 'org/model': 1 sample repeats an answer and is left out; for 1 question the samples differ, so the choice "
        "of sample matters"
    )


def test_members_packed_by_zstandard(tmp_path: Path) -> None:
    """ZIP method 93, which zipfile opens from Python 3.14 on only; 8 in older logs."""
    path = tmp_path / "log.eval"
    zstandard_archive(path, json.dumps(SAMPLE).encode(), name="samples/1_epoch_1.json")
    with zipfile.ZipFile(path, "a") as packed:
        packed.writestr("header.json", json.dumps(HEADER))
    assert states_of(evidence(path)) == {"org/model": "C"}


def test_an_archive_that_was_cut_off(tmp_path: Path) -> None:
    path = archive(tmp_path / "log.eval", SAMPLE)
    path.write_bytes(path.read_bytes()[:-30])
    assert_refused(path, None, "not a readable ZIP archive")


def test_a_damaged_member_and_one_that_unpacks_to_too_much(tmp_path: Path) -> None:
    path, name = archive(tmp_path / "a.eval", SAMPLE), "header.json"
    good = path.read_bytes()
    at = good.index(name.encode()) + len(name) + 10
    path.write_bytes(good[:at] + b"\xff\xff" + good[at + 2 :])
    assert_refused(path, f"member {name}", "damaged")
    with zipfile.ZipFile(tmp_path / "bomb.eval", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(name, '{"eval": ' + " " * (1 << 21))
    assert "unpacks to more than" in str(refusal(tmp_path / "bomb.eval", max_unpacked=1 / 1024))


@pytest.mark.parametrize("name", ["deepeval", "abstention_bench"])
def test_a_large_document_is_read_piece_by_piece(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    whole = EVERY[name].read().data.digest()
    monkeypatch.setattr(documents, "LARGE", 100)
    assert EVERY[name].read().data.digest() == whole
    text = json.dumps(Case("deepeval", "a run", {"states": ""}).files()["run.json"])
    (cut,) = write_files(tmp_path, {"cut.json": text[:-30]})
    assert "not a JSON document" in str(refusal(cut, FormatError, ungraded="exclude"))


def test_a_long_input_has_a_short_name_of_its_own(tmp_path: Path) -> None:
    run = Case("deepeval", "a run", {"states": ""}).files()["run.json"]["testRunData"]
    run["testCases"] = [run["testCases"][0] | {"input": "x" * 5000 + end} for end in "ab"]
    names = evidence(write_files(tmp_path, {"run.json": json.dumps(run)})).questions
    assert len({*names}) == 2
    assert max(map(len, names)) < 120
