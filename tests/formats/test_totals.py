"""Files that carry a figure of their own, by every kind of file that has one: honest ones pass in silence, and one in
which a row was flipped, or the figure edited, is told with both figures."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nescio.errors import FormatError
from nescio.pipeline import Options, load
from tests.notes import in_words
from tests.rings import many, together

from .excerpts import EVERY
from .fuzz import evidence_and_notes, write_files

# An excerpt, its figure as it stands in the file and as somebody edited it, and the two figures in the note: the
# excerpt's answers were counted by hand.
EDITED = [
    ("deepeval", '"testPassed": 1,', '"testPassed": 3,', "latest_test_run.json: the file holds 6 of 8 answers"),
    ("helm", '"mean": 0.25,', '"mean": 0.5,', "the file states exact_match 0.5, but its answers give 0.25"),
    ("inspect", '"value": 0.5,', '"value": 0.75,', "the file states accuracy 0.75, but its answers give 0.5"),
    ("lighteval", '"em": 0.4', '"em": 0.6', "the file states em of harbour|0 0.6, but its answers give 0.4"),
    ("lm_eval", ',strict-match": 0.25', ',strict-match": 0.5', "strict-match 0.5, but its answers give 0.25"),
    ("nemo_skills", '"symbolic_correct": 50.0', '"symbolic_correct": 75.0', "0.75, but its answers give 0.5"),
    (
        "openai_evals",
        '"accuracy": 0.3333333333333333',
        '"accuracy": 0.5',
        "0.5, but its answers give 0.333333",
    ),
    ("opencompass", '"score": 60.0', '"score": 40.0', "the file states score 0.4, but its answers give 0.6"),
    ("promptfoo", '"successes": 2', '"successes": 3', "stats.successes 3, but its answers give 2"),
    ("promptfoo", '"testPassCount": 2', '"testPassCount": 3', "testPassCount 3, but its answers give 2"),
    ("nemo_evaluator", '"n_results": 4', '"n_results": 8', "results.jsonl: the file holds 4 of 8 answers"),
    ("nemo_skills", '"num_entries": 3', '"num_entries": 30', "metrics.json: the file holds 3 of 30 answers"),
    ("promptfoo", '"errors": 1', '"errors": 9', "results.json: the file holds 5 of 13 answers"),
    ("swe_bench", '"resolved_instances": 2', '"resolved_instances": 3', "instances 3, but its answers give 2"),
]


@together("name, old, new, note", EDITED)
def test_a_figure_of_a_log_that_its_answers_contradict_is_told(
    tmp_path: Path, name: str, old: str, new: str, note: str
) -> None:
    assert not [said for said in in_words(EVERY[name].read().notes) if "the file states" in said]
    notes = read_edited(tmp_path, name, old, new)
    assert any(note in said for said in notes), notes


LAST = '"stddev": 0.4330127018922193\n }'
COUNTS = [
    ("helm", f"{LAST}\n]", LAST + ', {"name": {"name": "num_instances", "split": "test"}, "mean": NUMBER}]'),
    ("nemo_skills", '"num_entries": 3', '"num_entries": NUMBER'),
    ("promptfoo", '"errors": 1', '"errors": NUMBER'),
    ("promptfoo", '"testPassCount": 2', '"testPassCount": NUMBER'),
]


@together("number, count", [(number, count) for number in ("NaN", "1e999", "-1e999", '"1e999"') for count in COUNTS])
def test_a_count_that_is_no_finite_number_is_no_error(tmp_path: Path, number: str, count: tuple[str, str, str]) -> None:
    name, old, new = count
    assert not [said for said in read_edited(tmp_path, name, old, new.replace("NUMBER", number)) if "holds" in said]


def read_edited(folder: Path, name: str, old: str, new: str) -> tuple[str, ...]:
    """Return the notes on a copy of an excerpt in which `new` stands in place of `old`."""
    excerpt, paths, edited = EVERY[name], [], 0
    for path in excerpt.files:
        copy = folder / path.parent.name / path.name
        copy.parent.mkdir(exist_ok=True)
        shutil.copytree(path, copy) if path.is_dir() else shutil.copyfile(path, copy)
        paths.append(copy)
        for file in [*copy.rglob("*.json*")] if copy.is_dir() else [copy]:
            content = file.read_bytes()
            edited += content.count(old.encode())
            file.write_bytes(content.replace(old.encode(), new.encode()))
    assert edited
    return in_words(load(paths, Options(**excerpt.options)).notes)


# ---- what people write themselves ----

Rows = list[dict[str, Any]]
HOME_MADE: dict[str, Callable[[Rows, int, int], Any]] = {
    "beside": lambda rows, k, n: {"model": "m", "accuracy": k / n, "total": n, "results": rows},
    "a summary": lambda rows, k, n: {"summary": {"n_correct": k, "n": n}, "rows": rows},
    "in percent": lambda rows, k, n: {"metrics": {"accuracy": f"{100 * k / n:.1f}%"}, "items": rows},
    "rounded": lambda rows, k, n: {"overall": {"acc": round(k / n, 2)}, "data": {"answers": rows}},
    "what is wrong": lambda rows, k, n: {"hallucinationRate": 1 - k / n, "predictions": rows},
    "numCorrect": lambda rows, k, n: {"stats": {"numCorrect": k, "numWrong": n - k}, "examples": rows},
    "by run": lambda rows, k, n: {"runs": {r: {"accuracy": k / n, "rows": rows} for r in ("a", "b")}},
    # in JSON Lines, with the figures of all rows on a line before or behind, as the header of a log is
    "the header of a log": lambda rows, k, n: [{"model": "m", "accuracy": k / n, "n": n}, *rows],
    "a nested header": lambda rows, k, n: [{"run": "m", "totals": {"correct": k, "wrong": n - k}}, *rows],
    "the last line of a log": lambda rows, k, n: [*rows, {"summary": {"accuracy": f"{100 * k / n:.1f}%"}}],
    "both ends of a log": lambda rows, k, n: [{"limit": n, "seed": 1}, *rows, {"n_correct": k, "n": n}],
}


def written(folder: Path, name: str, right: list[bool], claimed: int) -> list[Path]:
    rows = [{"question_id": i, "answer": "yes", "is_correct": correct} for i, correct in enumerate(right)]
    document = HOME_MADE[name](rows, claimed, len(rows))
    lines = isinstance(document, list)
    text = "".join(json.dumps(line) + "\n" for line in document) if lines else json.dumps(document)
    return write_files(folder, {f"mine.{'jsonl' if lines else 'json'}": text})


def claims(seed: int) -> tuple[list[bool], int]:
    """Answers, neither all right nor all wrong, and how many are right."""
    draw = random.Random(seed)
    right = [True, False, *(draw.random() < draw.random() for _ in range(draw.randint(4, 14)))]
    return right, sum(right)


def tampered(right: list[bool], claimed: int, seed: int) -> tuple[list[bool], int]:
    """The same with a row flipped, or with the figure edited."""
    at = random.Random(seed).randrange(len(right))
    if seed % 2:
        return [correct != (i == at) for i, correct in enumerate(right)], claimed
    return right, claimed + (-1 if claimed == len(right) - 1 else 1)


@pytest.mark.sampled
@pytest.mark.parametrize(("seed", "name"), [(i, [*HOME_MADE][i % len(HOME_MADE)]) for i in range(many(11, 220))])
def test_tables_that_contradict_their_totals_are_asked_about_unless_the_outcome_is_named(
    tmp_path: Path, seed: int, name: str
) -> None:
    right, claimed = claims(seed)
    data, notes = evidence_and_notes(written(tmp_path / "honest", name, right, claimed))
    assert data.columns["correct"][0].tolist() == [float(correct) for correct in right]
    assert not [note for note in notes if "the file states" in note]
    paths = written(tmp_path / "tampered", name, *tampered(right, claimed, seed))
    with pytest.raises(FormatError, match=r"the file states .* .*, but its answers give"):
        evidence_and_notes(paths)
    _, notes = evidence_and_notes(paths, column={"outcome": "is_correct"})
    assert [note for note in notes if "the file states" in note and "but its answers give" in note]


def test_totals_that_silence_contradicts(tmp_path: Path) -> None:
    """The file says that 27 of 50 were not attempted, and no column that is read knows of it."""
    rows = [{"question_id": i, "is_correct": i < 15, "code": i} for i in range(50)]
    held = {"summary": {"accuracy": 0.3, "not_attempted": 27}, "results": rows}
    with pytest.raises(FormatError, match=r"the file states summary.not_attempted 27, but its answers give 0"):
        evidence_and_notes(write_files(tmp_path, {"mine.json": json.dumps(held)}))


# Silence may be in the denominator or not, ungraded answers too: of 10 answers, 4 right, 3 wrong, 2 silent, 1 ungraded.
HONEST: list[dict[str, Any]] = [
    *({"accuracy": 0.4}, {"accuracy": 4 / 9}, {"accuracy": 4 / 7}, {"accuracy": 57.1}, {"accuracy": "57%"}),
    *({"correct": 4, "incorrect": 3, "abstained": 2, "total": 10}, {"attempted": 7}, {"abstention_rate": 0.2}),
    *({"n": 9}, {"coverage": 7 / 9}, {"hallucination_rate": 0.3}, {"incorrect_rate": 3 / 7}, {"incorrect": 5}),
    # figures of other things, which say nothing of these answers
    *({"judge": {"accuracy": 0.95}}, {"baseline_accuracy": 0.1}, {"latency": 3.2}, {"max_accuracy": 1.0}),
    *({"n_passages": 1000}, {"config": {"n": 3, "limit": 5}}, {"total_tokens": 12345}, {"accuracy_std": 0.02}),
    *({"unanswerable": 2}, {"errors": 7}, {"by_topic": {"a": {"accuracy": 1.0}}}, {"score": 7.3}),
    *({"topics": {"a": {"accuracy": 1.0}, "b": {"accuracy": 0.0}}}, {"correct": True}, {"accuracy": None}),
]


@together("beside", HONEST)
def test_no_honest_figure_is_called_a_contradiction(tmp_path: Path, beside: dict[str, Any]) -> None:
    verdicts = ["correct"] * 4 + ["incorrect"] * 3 + ["not attempted"] * 2 + ["ungraded"]
    rows = [{"question_id": i, "verdict": verdict} for i, verdict in enumerate(verdicts)]
    paths = write_files(tmp_path, {"mine.json": json.dumps(beside | {"results": rows})})
    data, notes = evidence_and_notes(paths, ungraded="exclude")
    assert [int(data.columns[name].sum()) for name in ("correct", "incorrect", "unanswered")] == [4, 3, 2]
    assert not [note for note in notes if "the file states" in note]


@together("figure", [{"question_id": 99, "abstained": True}, {"question_id": 99}])
def test_an_answer_with_few_names_is_no_line_of_figures(tmp_path: Path, figure: dict[str, Any]) -> None:
    rows = [{"question_id": i, "answer": "yes", "is_correct": i % 2, "seconds": i} for i in range(9)]
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in [*rows, figure]))
    data, _ = evidence_and_notes(path, ungraded="exclude")
    assert len(data.questions) == 10
    path.write_text("".join(json.dumps(line) + "\n" for line in [figure, *rows]))
    assert len(evidence_and_notes(path, ungraded="exclude")[0].questions) == 10
