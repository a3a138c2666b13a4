"""Pairs of a text and a hypothesis from a collection, and questions that are not in English."""

from __future__ import annotations

from pathlib import Path

import nescio
from nescio.formats import open_source
from nescio.formats.benchmarks.ave.ave_reader import read_pairs

from .conftest import EXAMPLES, Command


def test_pairs_keep_values_and_questions_and_are_read_again(nescio: Command, tmp_path: Path) -> None:
    said = nescio("ave", "pairs", EXAMPLES / "dev.xml", "-o", tmp_path / "pairs.xml")
    assert said.status == 0
    pairs = read_pairs(open_source(tmp_path / "pairs.xml"))
    held = (EXAMPLES / "dev.xml").read_text(encoding="utf-8")
    assert len(pairs) == held.count("<a ")
    assert sum(pair.value == "VALIDATED" for pair in pairs) == held.count('value="VALIDATED"')
    assert all(pair.question_id for pair in pairs)


def test_another_language_is_said(tmp_path: Path) -> None:
    path = tmp_path / "es.xml"
    path.write_text(
        '<ave><q id="1" lang="PT"><q_str>O que é Zanussi?</q_str>'
        '<a id="1" value="REJECTED"><a_str>x</a_str><t_str>y</t_str></a></q></ave>',
        encoding="utf-8",
    )
    (note,) = nescio.ave.pairs(path, tmp_path / "pairs.xml").notes
    assert "1 of 1 questions are in PT; hypotheses are made by the rules of" in str(note)
