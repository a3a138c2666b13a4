"""MMLU-Pro result files: the letter is taken from the text, because `pred` may be random where the text has none."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from nescio.errors import MismatchError, UsageError
from nescio.formats.logs.mmlu_pro.answers import again, alone, strict

from .encodings import evidence, refusal
from .fuzz import assert_damage_is_met, evidence_and_notes, write_files

DATA = Path(__file__).parents[3] / "shared" / "data" / "mmlu_pro"


def item(name: Any, answer: str = "B", pred: str | None = "B", text: str | None = None, **more: Any) -> dict[str, Any]:
    """A question with a model's answer; the text says what pred says unless told."""
    said = text if text is not None else f"Thus the answer is ({pred})." if pred else "I cannot say."
    base = {"question_id": name, "question": f"{name}?", "options": ["x", "y"], "answer": answer, "answer_index": 1}
    return base | {"category": "law", "src": "s", "pred": pred, "generated_text": said} | more


def packed(documents: dict[str, Any]) -> bytes:
    """A ZIP of JSON files."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, document in documents.items():
            archive.writestr(name, document if isinstance(document, str) else json.dumps(document))
    return content.getvalue()


def file(folder: Path, *items: Any, name: str = "mine.json") -> Path:
    """A result file of these items."""
    return write_files(folder, {name: json.dumps(list(items))})[0]


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("The answer is (C).", "C"),
        ("so the answer is C", "C"),
        ("the answer is (A). No: the answer is (B)", "A"),  # the first
        ("Answer: C", None),
        ("The answer is (311.9%)", None),
        ("the answer is (K)", None),
        ("the answer is c", None),
        ("The correct answer is: C", None),
        ("the answer is A very long story", "A"),  # as the rule reads it
        ("", None),
    ],
)
def test_the_strict_rule(text: str, letter: str | None) -> None:
    assert strict(text) == letter


# The repository's own expressions for its second and third rule (compute_accuracy.py), which are slow on long texts.
THEIR_SECOND, THEIR_THIRD = r".*[aA]nswer:\s*([A-J])", r"(?s)(\b[A-J]\b)(?!.*\b[A-J]\b)"


@pytest.mark.parametrize(
    ("text", "second", "third"),
    [
        ("Answer: C", "C", "C"),
        ("my answer:\n\n D", "D", "D"),
        ("Answer: A\nAnswer: B", "A", "B"),  # the first line, and the last letter
        ("Answer: A, or answer: B", "B", "B"),
        ("Answer: Answer: B", "B", "B"),
        ("Answer:\nAnswer: B", "A", "B"),  # as the rule reads it: the A of the second Answer
        ("ANSWER: C", None, "C"),
        ("I do not know", None, "I"),
        ("Both A and B. No idea.", None, "B"),
        ("None fits", None, None),
        ("", None, None),
    ],
)
def test_the_looser_rules(text: str, second: str | None, third: str | None) -> None:
    assert (again(text), alone(text)) == (second, third)


@given(st.text(alphabet="AnswerK: \nJa", max_size=30), st.sampled_from(["", "Answer: ", "answer:", "B "]))
def test_the_looser_rules_are_those_of_the_repository(text: str, more: str) -> None:
    for ours, theirs in ((again, THEIR_SECOND), (alone, THEIR_THIRD)):
        found = re.search(theirs, text + more + text)
        assert ours(text + more + text) == (found[1] if found else None)


def test_the_looser_rules_take_no_longer_than_the_text() -> None:
    start = perf_counter()
    for piece in ("a", "A ", "Answer:", "answer: "):
        again(piece * 50_000)
        alone(piece * 50_000)
    assert perf_counter() - start < 2


def test_all_rules_of_the_repository_if_asked_for(tmp_path: Path) -> None:
    texts = ["The answer is (B).", "Answer: B", "It is B", "no letter", "no letter"]
    path = file(tmp_path, *(item(i, text=text, pred="B") for i, text in enumerate(texts)))
    found, notes = evidence_and_notes(path)
    assert_array_equal(found.columns["unanswered"], [[0, 1, 1, 1, 1]])
    looser = "letters that only looser rules of the repository find"
    many = '1 stand after "Answer:", 1 are the last one alone in the text'
    assert notes[1] == f"run 'mine': {looser}: {many}: unanswered unless --choose extract=full"
    found, notes = evidence_and_notes(path, choose={"extract": "full"})
    assert_array_equal(found.columns["correct"], [[1, 1, 1, 0, 0]])
    assert_array_equal(found.columns["unanswered"], [[0, 0, 0, 1, 1]])
    assert notes[0].startswith(
        "run 'mine': 2 letters in pred cannot be reproduced from the text by any rule of the repository"
    )
    assert notes[1] == f"run 'mine': {looser}: {many}: read as answers, as requested"


def test_what_a_file_holds(tmp_path: Path) -> None:
    path = file(
        tmp_path, item(1), item("2", pred="A"), item(3, pred=None, category="art"), item(4, text=" ", pred=None)
    )
    found, notes = evidence_and_notes(path)
    assert (found.runs, found.questions) == (("mine",), ("1", "2", "3", "4"))
    assert_array_equal(found.columns["correct"], [[1, 0, 0, 0]])
    assert_array_equal(found.columns["incorrect"], [[0, 1, 0, 0]])
    assert_array_equal(found.columns["unanswered"], [[0, 0, 1, 1]])
    assert list(found.strata["category"]) == ["law", "law", "art", "law"]
    assert notes[1:] == ("run 'mine': 1 without an answer in the requested form, 1 empty (of 4)",)


def test_a_random_letter_is_no_answer_and_counted(tmp_path: Path) -> None:
    """The second would be right by chance."""
    path = file(tmp_path, item(1), item(2, text="I do not know."), item(3, pred="A", text="None fits."))
    found, notes = evidence_and_notes(path)
    assert_array_equal(found.columns["unanswered"], [[0, 1, 1]])
    assert notes[0].startswith("run 'mine': 2 letters in pred cannot be reproduced from the text")
    believed, notes = evidence_and_notes(path, choose={"extract": "pred"})
    assert_array_equal(believed.columns["correct"], [[1, 1, 0]])
    assert notes[0].endswith("trusted, as requested")
    refusal(path, UsageError, choose={"extract": "loose"})


def test_the_text_is_read_where_pred_says_otherwise(tmp_path: Path) -> None:
    found, notes = evidence_and_notes(
        file(tmp_path, item(1, pred="A", text="The answer is (B)."), item(2, pred=None, text="answer is B"))
    )
    assert_array_equal(found.columns["correct"], [[1, 1]])
    assert notes == ("run 'mine': 2 texts give a different letter from pred: the text is read",)


@pytest.mark.parametrize("key", ["generated_text", "model_outputs", "response"])
def test_where_the_text_stands(key: str, tmp_path: Path) -> None:
    row = item(1, pred="A") | {"generated_text": None, key: "The answer is (B)."}
    assert_array_equal(evidence(file(tmp_path, row)).columns["correct"], [[1]])


def test_without_a_text_pred_is_read_as_it_stands(tmp_path: Path) -> None:
    rows = [
        {k: v for k, v in item(i, pred=pred).items() if k != "generated_text"} for i, pred in enumerate(["B", None, ""])
    ]
    found, notes = evidence_and_notes(file(tmp_path, *rows))
    assert_array_equal(found.columns["correct"], [[1, 0, 0]])
    assert_array_equal(found.columns["unanswered"], [[0, 1, 1]])
    assert "run 'mine': 3 answers have no text: pred is used unchanged" in notes


def test_words_that_mean_i_do_not_know(tmp_path: Path) -> None:
    found, notes = evidence_and_notes(file(tmp_path, item(1, text="No idea")), declined_pattern=("no idea",))
    assert_array_equal(found.columns["unanswered"], [[1]])
    assert "run 'mine': 1 declined in words (of 1)" in notes


def test_archives_lines_and_folders_of_categories(tmp_path: Path) -> None:
    members = {"model_outputs_m-7B_5shots.json": [item(1), item(2)], "__MACOSX/._x.json": ""}
    paths = write_files(
        tmp_path,
        {
            "any.zip": packed(members),
            "model_outputs_other_0shot.jsonl": f"{json.dumps(item(1))}\n{json.dumps(item(2))}\n",
            "gpt/law_result.json": json.dumps([item(1)]),
            "gpt/art_result.json": json.dumps([item(2, pred="A")]),
        },
    )
    found = evidence(paths)
    assert found.runs == ("m-7B", "other", "gpt")
    assert_array_equal(found.columns["correct"], [[1, 1], [1, 1], [1, 0]])


def test_a_file_a_category_in_the_layout_of_the_repository(tmp_path: Path) -> None:
    """evaluate_from_local.py writes model/CoT/subjects/category.json."""
    texts = {
        f"results/{model}/CoT/{subjects}/{name}.json": json.dumps([item(name, category=name, pred=pred)])
        for model, subjects, pred in (("m-7B", "all", "B"), ("other", "computer_science-law", "A"))
        for name in ("law", "computer science")
    }
    found = evidence(write_files(tmp_path, texts))
    assert (found.runs, found.questions) == (("m-7B", "other"), ("law", "computer science"))
    assert_array_equal(found.columns["correct"], [[1, 1], [0, 0]])
    packed_ = packed({name: json.loads(text) for name, text in texts.items() if "m-7B" in name})
    assert evidence(write_files(tmp_path, {"any.zip": packed_})).runs == ("m-7B",)
    flat = write_files(tmp_path, {f"mine/{name}.json": json.dumps([item(name, category=name)]) for name in ("a", "b")})
    assert evidence(flat).runs == ("mine",)
    again_ = write_files(tmp_path, {"more/m-7B/CoT/all/law.json": texts["results/m-7B/CoT/all/law.json"]})
    assert "would both be run 'm-7B'" in str(
        refusal([*tmp_path.glob("results/m-7B/CoT/all/*"), *again_], MismatchError)
    )


def summary(right: float, wrong: float) -> str:
    figures = {"corr": right, "wrong": wrong, "acc": right / (right + wrong)}
    return json.dumps({"law": figures, "total": figures})


def test_summaries_beside_the_results_are_held_against_them(tmp_path: Path) -> None:
    """The repository takes a random option, always the same, where pred is null: of four options the fourth.

    >>> random.seed(12345); random.randint(0, 3)
    3
    """
    four: dict[str, Any] = {"options": ["w", "x", "y", "z"], "pred": None}
    items = [item(1), item(2, pred="A"), item(3, answer="D", answer_index=3, **four), item(4, **four)]
    texts = {"gpt/law_result.json": json.dumps(items), "gpt/law_summary.json": summary(2, 2)}
    paths = write_files(tmp_path, texts)
    assert not any("summary" in note for note in evidence_and_notes(paths)[1])
    other = write_files(tmp_path, texts | {"gpt/law_summary.json": summary(1, 3)})
    own = "law_summary.json: its own accuracy by pred is 0.25, but the answers in it give 0.5"
    assert own in evidence_and_notes(other)[1]
    cut = write_files(tmp_path, texts | {"gpt/law_summary.json": summary(50, 50)})
    of = "law_summary.json holds 4 of the 100 answers that its own figures cover (accuracy by pred is 0.5 over all of them)"
    assert of in evidence_and_notes(cut)[1]
    held: dict[str, Any] = {"gpt/law_result.json": items, "gpt/law_summary.json": json.loads(summary(1, 3))}
    assert own in evidence_and_notes(write_files(tmp_path, {"any.zip": packed(held)}))[1]
    alone_ = write_files(tmp_path, {"gpt/art_summary.json": summary(1, 3)})
    assert (
        "art_summary.json: left out, because art_result.json was not given" in evidence_and_notes([*paths, *alone_])[1]
    )
    rule = "this holds the figures of a category and no answers; give art_result.json of its folder too"
    assert str(refusal(alone_)) == f"{alone_[0]}: {rule}"


def test_questions_that_differ_between_files_are_counted(tmp_path: Path) -> None:
    paths = [file(tmp_path, item(1), item(2)), file(tmp_path, item(1), item(2, answer="A"), name="other.json")]
    _, notes = evidence_and_notes(paths)
    assert notes[0].startswith("1 of 2 questions are not the same in all files")


BROKEN: dict[str, tuple[Any, str]] = {
    "a text": ("x", "each item must be a JSON object (found 'x')"),
    "no id": (item(None), "question_id must be a text or a whole number"),
    "true for an id": (item(True), "question_id must be a text or a whole number (found True)"),
    "no answer": (item(2, answer=""), "answer must be a letter (found '')"),
    "an index for an answer": (item(2) | {"answer": 1}, "answer must be a letter (found 1)"),
    "pred a list": (item(2) | {"pred": ["A"]}, "pred must be a letter or null (found ['A'])"),
    "twice": (item(1), "question '1' appears twice for run 'mine'"),
}


@pytest.mark.parametrize("twin", BROKEN)
def test_a_broken_twin(twin: str, tmp_path: Path) -> None:
    row, rule = BROKEN[twin]
    path = file(tmp_path, item(1), row)
    assert str(refusal(path)) == f"{path}, item 2: {rule}"


def test_broken_archives(tmp_path: Path) -> None:
    name = "model_outputs_m_5shots.json"
    for content in ('[{"question_id": 1}', f'[{{"question_id": {"[" * 100_000}', '[{"question_id": 1}]]'):
        path = write_files(tmp_path, {"a.zip": packed({name: content})})[0]
        assert str(refusal(path)).startswith(f"{path}, member {name}: not a JSON document: ")
    path = write_files(tmp_path, {"a.zip": packed({name: "{}"})})[0]
    assert "not in any format that nescio knows" in str(refusal(path))
    good = packed({name: [item(1)]})
    at = good.index(name.encode()) + len(name) + 20
    path = write_files(tmp_path, {"b.zip": good[:at] + b"\xff\xff" + good[at + 2 :]})[0]
    assert str(refusal(path)).startswith(f"{path}, member {name}: damaged")
    bomb = packed({name: '[{"question_id": 1,' + " " * (1 << 24)})
    path = write_files(tmp_path, {"c.zip": bomb})[0]
    assert "unpacks to more than 0.015625 GB" in str(refusal(path, max_unpacked=1 / 64))


def test_two_files_of_one_run(tmp_path: Path) -> None:
    paths = [file(tmp_path, item(1)), file(tmp_path, item(2), name="other/mine.json")]
    assert "would both be run 'mine'" in str(refusal(paths, MismatchError))


@pytest.mark.fuzz("mmlu-pro")
@given(data=st.data())
def test_damage(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    items = [item(1), item(2, pred=None), item(3, text="é", pred="A")]
    samples: list[dict[str, str | bytes]] = [
        {"mine.json": json.dumps(items)},
        {"m.zip": packed({"model_outputs_m_5shots.json": items})},
        {"m/law_result.json": json.dumps(items), "m/law_summary.json": summary(1, 2)},
    ]
    assert_damage_is_met(data, tmp_path_factory.getbasetemp(), data.draw(st.sampled_from(samples)))


@pytest.mark.skipif(not DATA.exists(), reason="the MMLU-Pro result files are not beside the checkout")
def test_the_real_files_have_the_outcomes_of_the_table() -> None:
    """outcomes.parquet: the repository's strict rule on every run, 11,275 of the 12,032 questions."""
    import pandas as pd

    found, notes = evidence_and_notes(sorted((DATA / "raw").glob("*.zip")))
    assert found.runs == ("Llama-2-7b-hf", "mathstral-7B")
    table = pd.read_parquet(DATA / "outcomes.parquet")
    place = {name: i for i, name in enumerate(found.questions)}
    for r, run in enumerate(found.runs):
        rows = table[table.run == run]
        assert len(rows) == 11_275
        at = [place[name] for name in rows.question]
        for outcome in ("correct", "incorrect", "unanswered"):
            assert_array_equal(found.columns[outcome][r, at], (rows.outcome == outcome).to_numpy())
        assert list(found.strata["category"][at]) == list(rows.category)
    assert notes[1].startswith("run 'mathstral-7B': 325 letters in pred cannot be reproduced from the text")
    looser = "letters that only looser rules of the repository find: "
    # Of those 325, 82 are by the third rule; counted by its own expression, as are the 468 of the other run.
    assert notes[0].startswith(f"run 'Llama-2-7b-hf': {looser}468 are the last one alone in the text")
    assert notes[2].startswith(f"run 'mathstral-7B': {looser}82 are the last one alone in the text")
    assert "run 'Llama-2-7b-hf': 2061 without an answer in the requested form (of 12032)" in notes
