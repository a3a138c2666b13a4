"""The words of questions and answers that readers hand to the page: what was asked, what is right, what was said, and
why it was graded so."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nescio.pipeline import Options, load
from nescio.reporting.page.question_texts import ShownAnswer, texts_of
from tests.rings import together

from .excerpts import EVERY


def words(paths: Any, **reading: Any) -> tuple[list[tuple[str, str]], list[ShownAnswer]]:
    """What was asked and what is right, question by question; and what the first run said."""
    found = texts_of(load(paths, Options(**{**reading, "texts": True, "ungraded": "exclude"})))
    assert found is not None
    return list(found.asked.values()), list(next(iter(found.said.values())).values())


# The first question of an excerpt, what is right, and the first answer with the reason of its grade, as its file has it.
FIRST = {
    "helm": ("Who may moor at the long quay?\nA. pilots\nB. anyone", "pilots", ShownAnswer("A", "pilots", "")),
    "inspect": ("Who founded the herbarium in Varn?", "Tosk", ShownAnswer("Tosk", "", "Tosk")),
    "promptfoo": ("question: What is saltmoth?", "", ShownAnswer("an insect", "", "All assertions passed")),
    "deepeval": ("Who keeps the lamp at Harrow Point?", "Joss Harl", ShownAnswer("Joss Harl", "", "1.0\nlength")),
    "mlflow": ("Who keeps the lamp?", "Joss Harl", ShownAnswer("Joss Harl", "", "because")),
    "langfuse": ("Who keeps the lamp?", "", ShownAnswer("Joss Harl", "", "")),
    "openai_evals": ("user: Capital of Skerry?", "Port", ShownAnswer("Port", "", "")),
}


@together("name", FIRST)
def test_a_log_has_its_questions_answers_and_reasons(name: str) -> None:
    asked, said = words(EVERY[name].files, **EVERY[name].options)
    assert (*asked[0], said[0]) == FIRST[name]


def changed(folder: Path, name: str, change: Callable[[Any], object]) -> list[Path]:
    """Copy the files of an excerpt, with a change in the first, a document."""
    first, *others = EVERY[name].files
    document = json.loads(first.read_text())
    change(document)
    paths = [folder / first.parent.name / path.name for path in (first, *others)]
    paths[0].parent.mkdir()
    paths[0].write_text(json.dumps(document))
    for path, copy in zip(others, paths[1:], strict=True):
        shutil.copyfile(path, copy)
    return paths


def test_helm_has_the_reasons_of_its_graders_and_its_errors(tmp_path: Path) -> None:
    def change(document: Any) -> None:
        first, second, *_ = document["request_states"]
        first["annotations"] = {"xstest": {"gpt_reasoning": "It complies.", "gpt_score": 1.0, "prompt_text": "Judge."}}
        second["result"] = {"success": False, "error": "503 Server Error", "completions": []}

    _, said = words(changed(tmp_path, "helm", change))
    assert [answer.reason for answer in said[:2]] == ["gpt: It complies.", "503 Server Error"]


def test_inspect_has_its_choices_the_texts_of_blocks_and_its_errors(tmp_path: Path) -> None:
    picture = {"type": "image", "image": "data:image/png;base64,AAAA"}

    def change(document: Any) -> None:
        first, second, third, *_ = document["samples"]
        first |= {"choices": ["Tosk", "Bray"], "target": "A"}
        second["input"] = [{"role": "user", "content": [picture, {"type": "text", "text": "What is this?"}]}]
        third |= {"scores": {}, "error": {"message": "RuntimeError('no network')", "traceback": "…"}}

    asked, said = words(changed(tmp_path, "inspect", change))
    assert [text for text, _ in asked[:2]] == ["Who founded the herbarium in Varn?\nA. Tosk\nB. Bray", "What is this?"]
    assert said[2].reason == "RuntimeError('no network')"


def test_a_column_question_beside_the_ids_holds_the_words_of_the_question(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("run,question_id,question,acceptable\nmine,7,Who was it?,Yes\nmine,8,When was it?,No\n")
    assert words([table])[0] == [("Who was it?", ""), ("When was it?", "")]


def test_reasoning_is_the_judges_where_there_are_no_answers(tmp_path: Path) -> None:
    """Beside answers it may be the system's own."""
    for head, row, said in (
        ("reasoning", "It is complete.", ShownAnswer("", "", "It is complete.")),
        ("prediction,reasoning", "Bob,I think so.", ShownAnswer("Bob", "", "")),
        ("prediction,judge_reasoning", "Bob,It is complete.", ShownAnswer("Bob", "", "It is complete.")),
    ):
        table = tmp_path / "table.csv"
        table.write_text(f"run,question,outcome,{head}\nmine,a,correct,{row}\n")
        assert words([table])[1] == [said]


def test_a_log_without_words_has_none(tmp_path: Path) -> None:
    path = tmp_path / "output-rs0.jsonl"
    path.write_text((json.dumps({"num_generated_tokens": 9, "proof_status": "timeout"}) + "\n") * 2)
    assert not texts_of(load([path], Options(texts=True)))
