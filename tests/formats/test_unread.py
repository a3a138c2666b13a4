"""What a table could say besides, and does not: each column is named, or asked about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nescio.errors import FormatError
from nescio.formats.native.readings.columns import meaning

from .fuzz import evidence_and_notes, write_files

RIGHT = [i < 4 for i in range(10)]  # of ten answers four; the last three, all wrong, are silent where that is said
SILENT = [i > 6 for i in range(10)]


def written(folder: Path, columns: dict[str, list[Any]]) -> list[Path]:
    rows = zip(*columns.values(), strict=True)
    text = "\n".join(",".join(map(str, row)) for row in [tuple(columns), *rows])
    return write_files(folder, {"t.csv": text + "\n"})


def base(**columns: list[Any]) -> dict[str, list[Any]]:
    return {"id": [*range(10)], **columns}


@pytest.mark.parametrize("name", ["gpt_judge", "second_opinion", "prev_correct"])
def test_another_verdict_is_named(name: str, tmp_path: Path) -> None:
    other = ["right" if right != (i == 2) else "wrong" for i, right in enumerate(RIGHT)]
    verdict = ["right" if right else "wrong" for right in RIGHT]
    _, notes = evidence_and_notes(written(tmp_path, base(verdict=[*verdict], **{name: [*other]})))
    assert any(f"{name!r} says right or wrong, too, and is not read" in note for note in notes)


def test_another_verdict_in_words_of_claims_is_named(tmp_path: Path) -> None:
    verdict = ["SUPPORTED" if i < 4 else "REFUTED" for i in range(10)]
    other = ["SUPPORTED" if i % 2 else "REFUTED" for i in range(10)]  # agrees by chance, so nothing says that it judges
    _, notes = evidence_and_notes(written(tmp_path, base(prev_correct=[*verdict], supported=[*other])))
    assert any("right or wrong, too, and is not read" in note for note in notes)


@pytest.mark.parametrize("words", [("correct", "incorrect", "abstained"), ("CO", "IN", "NA")])
def test_a_verdict_with_silence_is_not_taken_for_silence_beside_one_that_differs(
    words: tuple[str, str, str], tmp_path: Path
) -> None:
    """The other one is right in 3 of the 7 that were given, and in others: 4 + 1 of them differ."""
    right, wrong, silent = words
    final = [silent if SILENT[i] else right if RIGHT[i] else wrong for i in range(10)]
    judged = [right if i in (1, 2, 4) else wrong for i in range(10)]
    columns = base(final=[*final], gpt_judge=[*judged])
    ways = (
        r"outcome=gpt_judge.*  \(3 right, 7 wrong, 0 silent.*\n  --column outcome=final.*  \(4 right, 3 wrong, 3 silent"
    )
    with pytest.raises(FormatError, match=ways):
        evidence_and_notes(written(tmp_path, columns))


@pytest.mark.parametrize("name", ["refusal_reason", "skip_reason", "decline_code"])
@pytest.mark.parametrize("nothing", ["", "none", "N/A"])
def test_a_column_of_reasons_is_asked_about_and_read(name: str, nothing: str, tmp_path: Path) -> None:
    reasons = ["policy" if silent else nothing for silent in SILENT]
    path = written(tmp_path, base(passed=[*RIGHT], **{name: reasons}))
    with pytest.raises(FormatError, match=rf"{name!r} may say which answers were declined \(3 of them\)"):
        evidence_and_notes(path)
    data, _ = evidence_and_notes(path, column={"abstained": name})
    assert [int(data.columns[part].sum()) for part in ("correct", "incorrect", "unanswered")] == [4, 3, 3]


def test_weights_are_said_to_play_no_part(tmp_path: Path) -> None:
    _, notes = evidence_and_notes(written(tmp_path, base(correct=[*RIGHT], weight=[1, 2] * 5)))
    assert any("'weight' is not read: every question counts alike" in note for note in notes)


def test_objects_are_no_words_of_a_verdict() -> None:
    """`{"right": "no"}` has a word for right in it, and is none."""
    assert meaning("right") is not None
    assert [meaning(word) for word in ('{"right":"no","by":"x"}', '["right"]', '[{"right":1}]')] == [None] * 3


def test_lists_of_a_document_that_are_not_read_are_named(tmp_path: Path) -> None:
    rows = ", ".join(f'{{"id": {i}, "correct": {str(r).lower()}}}' for i, r in enumerate(RIGHT))
    others = ", ".join(f'{{"id": {i}, "tone": "calm"}}' for i in range(10))
    path = write_files(tmp_path, {"t.json": f'{{"questions": [{rows}], "attempts": [{others}]}}'})
    _, notes = evidence_and_notes(path)
    said = "the list 'questions' of this JSON document, read as a table; beside it 'attempts' is not read"
    assert any(said in note for note in notes)


def test_a_word_can_be_read_as_ungraded(tmp_path: Path) -> None:
    """Two of four are right, one is wrong, and one could not be graded."""
    path = write_files(tmp_path, {"t.csv": "question,correct\nq1,1\nq2,0\nq3,ERROR\nq4,1\n"})
    data, notes = evidence_and_notes(path, outcome_map={"ERROR": "ungraded"}, ungraded="exclude")
    assert [int(data.columns[part].sum()) for part in ("correct", "incorrect", "unanswered")] == [2, 1, 0]
    assert "1 row: outcome 'ERROR' read as not graded" in notes


def test_names_beside_one_column_of_scores_lead_out(tmp_path: Path) -> None:
    path = write_files(tmp_path, {"t.csv": "name,score\nfirst,1\nsecond,0\nthird,1\n"})
    way = r"name its columns with --column question=name --column outcome=score \(2 right, 1 wrong, 0 silent"
    with pytest.raises(FormatError, match=way):
        evidence_and_notes(path)
    data, _ = evidence_and_notes(path, column={"question": "name"})
    assert data.size == 3


@pytest.mark.parametrize("outer", ["run", "question"])
def test_rows_under_two_names_are_of_the_fewer_runs(outer: str, tmp_path: Path) -> None:
    """Three runs of ten questions, of which run m is right on the first m."""
    runs = {f"m{m}": {f"q{q}": {"result": "pass" if q < m else "fail"} for q in range(10)} for m in (1, 2, 3)}
    turned = {f"q{q}": {run: rows[f"q{q}"] for run, rows in runs.items()} for q in range(10)}
    path = write_files(tmp_path, {"t.json": json.dumps(runs if outer == "run" else turned)})
    data, _ = evidence_and_notes(path)
    assert data.runs == ("m1", "m2", "m3")
    assert [int(sum(row)) for row in data.columns["correct"]] == [1, 2, 3]


def test_annotators_are_no_runs(tmp_path: Path) -> None:
    rows = [(i, who, "yes" if i < 4 else "no") for i in range(10) for who in ("ann", "bob", "cy")]
    text = "id,annotator,label\n" + "\n".join(",".join(map(str, row)) for row in rows)
    with pytest.raises(FormatError, match="'annotator' says whose verdict it is: keep one verdict on each answer"):
        evidence_and_notes(write_files(tmp_path, {"t.csv": text}))


def test_a_verdict_in_percent_is_named_beside_answers_that_are_judged(tmp_path: Path) -> None:
    rows = [(i, "Paris", "Paris" if i < 4 else "Rome", 100.0 if i < 4 else 0.0) for i in range(9)]
    text = "qid,gold,response,score_pct\n" + "\n".join(",".join(map(str, row)) for row in [*rows, (9, "x", "y", "")])
    path = write_files(tmp_path, {"t.csv": text})
    try:
        _, notes = evidence_and_notes(path, judge="exact")
    except FormatError as error:
        notes = (str(error),)
    assert any("'score_pct'" in note or "score_pct" in note for note in notes)


def test_a_last_row_without_a_run_sums_up_judged_answers(tmp_path: Path) -> None:
    rows = [(i, run, "Paris", "Paris") for i in range(5) for run in ("a", "b")]
    text = "qid,model,gold,response\n" + "\n".join(",".join(map(str, row)) for row in rows)
    with pytest.raises(FormatError, match=r"line 12: this last row seems to sum up the others.*\(found 'In allem'\)"):
        evidence_and_notes(write_files(tmp_path, {"t.csv": f"{text}\nIn allem,,,\n"}), judge="exact")
