"""The words of questions and answers that readers hand to the page: what was asked, what is right, what was said, and
why it was graded so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from nescio.pipeline import Options, load
from nescio.reporting.page.question_texts import ShownAnswer, texts_of

from . import test_helm as helm
from . import test_inspect as inspect
from . import test_promptfoo as promptfoo


def words(paths: Any, **reading: Any) -> tuple[list[tuple[str, str]], list[ShownAnswer]]:
    """What was asked and what is right, question by question; and what the first run said."""
    found = texts_of(load(paths, Options(texts=True, ungraded="exclude", **reading)))
    assert found is not None
    return list(found.asked.values()), list(next(iter(found.said.values())).values())


def test_helm_has_its_options_the_reasons_of_its_graders_and_its_errors(tmp_path: Path) -> None:
    plain, entries = helm.case("id1", 1.0)
    graded, others = helm.case("id2", 0.0, "A")
    graded["annotations"] = {
        "xstest": {"gpt_reasoning": "It complies.", "gpt_score": 1.0, "prompt_text": "Judge this."}
    }
    failed, more = helm.case("id3", 0.0, "", result={"success": False, "error": "503 Server Error"})
    paths = helm.folder(tmp_path / helm.NAME, (plain, entries), (graded, others), (failed, more))
    asked, said = words(paths)
    assert asked == [("Which?\nA. one\nB. two\nC. cannot be determined", "two")] * 3
    assert said == [
        ShownAnswer("B", "two", ""),
        ShownAnswer("A", "one", "gpt: It complies."),
        ShownAnswer("", "", "503 Server Error"),
    ]


def test_inspect_has_its_choices_the_texts_of_blocks_and_its_errors(tmp_path: Path) -> None:
    choices = inspect.scored("C", 1, explanation="Two and two.") | {"choices": ["three", "four"], "target": "B"}
    blocks = inspect.scored("C", 2, explanation="")
    picture = {"type": "image", "image": "data:image/png;base64,AAAA"}
    blocks["input"] = [{"role": "user", "content": [picture, {"type": "text", "text": "What is this?"}]}]
    stopped = {"id": 3, "epoch": 1, "input": "A. three or B. four?", "target": "4", "scores": {}}
    stopped |= {"choices": ["three", "four"], "error": {"message": "RuntimeError('no network')", "traceback": "…"}}
    asked, said = words([inspect.document(tmp_path / "log.json", choices, blocks, stopped)])
    assert [question for question, _ in asked] == ["2 + 2?\nA. three\nB. four", "What is this?", "A. three or B. four?"]
    assert [one.reason for one in said] == ["Two and two.", "", "RuntimeError('no network')"]


def test_promptfoo_says_what_went_wrong_where_there_is_no_output(tmp_path: Path) -> None:
    results = [
        promptfoo.result(0, success=True),
        promptfoo.result(1, success=False, reason=2, output=None, error="Rate limit exceeded"),
    ]
    path = tmp_path / "results.json"
    path.write_text(promptfoo.document(results))
    _, said = words([path])
    assert said[1].reason == "Rate limit exceeded"
    assert "Rate limit" not in said[0].reason


def test_a_column_question_beside_the_ids_holds_the_words_of_the_question(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("run,question_id,question,acceptable\nmine,7,Who was it?,Yes\nmine,8,When was it?,No\n")
    assert words([table])[0] == [("Who was it?", ""), ("When was it?", "")]


def test_reasoning_is_the_judge_s_where_there_are_no_answers(tmp_path: Path) -> None:
    """Beside answers it may be the system's own."""
    table, own = tmp_path / "judged.csv", tmp_path / "own.csv"
    table.write_text("run,question,outcome,reasoning\nmine,a,correct,It is complete.\n")
    own.write_text("run,question,outcome,prediction,reasoning\nmine,a,correct,Bob,I think so.\n")
    assert words([table])[1] == [ShownAnswer("", "", "It is complete.")]
    assert words([own])[1] == [ShownAnswer("Bob", "", "")]
    table.write_text("run,question,outcome,prediction,judge_reasoning\nmine,a,correct,Bob,It is complete.\n")
    assert words([table])[1] == [ShownAnswer("Bob", "", "It is complete.")]


def test_a_log_without_words_has_none(tmp_path: Path) -> None:
    path = tmp_path / "output-rs0.jsonl"
    path.write_text(
        "".join(json.dumps({"num_generated_tokens": 9, "proof_status": "timeout"}) + "\n" for _ in range(2))
    )
    found = texts_of(load([path], Options(texts=True)))
    assert not found
