"""`check` names the logs of every tool, and says of figures alone where their answers are."""

from __future__ import annotations

from pathlib import Path

import pytest

import nescio
from nescio.errors import FormatError
from nescio.formats import REGISTRY

from .cases import SHARED
from .encodings import assert_refused, refusal
from .excerpts import EVERY, place_of
from .fuzz import evidence_and_notes, write_files

IN_PYTHON = True  # messages are quoted as Python has them


def test_check_names_a_file_of_every_kind_in_one_call() -> None:
    """One excerpt of each tool's log; each of its files is named rightly and none is guessed."""
    paths: dict[Path, str] = {}
    for excerpt in {excerpt.format: excerpt for excerpt in reversed(EVERY.values())}.values():
        if REGISTRY[excerpt.format].of_a_tool:
            for path in excerpt.files:
                files = sorted(path.rglob("*")) if path.is_dir() else [path]
                paths |= dict.fromkeys((file for file in files if file.is_file()), excerpt.format)
    assert {*paths.values()} == {format_.name for format_ in REGISTRY.values() if format_.of_a_tool}
    summaries = nescio.check([str(path) for path in paths])
    assert {file.file: summary.format for summary in summaries for file in summary.files} == {
        str(path): name for path, name in paths.items()
    }


def test_check_names_the_files_of_a_folder_of_every_kind(tmp_path: Path) -> None:
    """A folder of several kinds stands for all its files; what is called as another tool's file is not taken for it."""
    given = {
        "promptfoo": ("promptfoo/results.json", "results.json"),
        "langfuse": ("langfuse/lamp-2b.csv", "langfuse.csv"),
        "tau_bench": ("tau_bench/lamp-2b-harbour.json", "tau_bench.json"),
        "mlflow": ("mlflow/eval_results_table.json", "eval_results_table.json"),
        "swe_bench": ("swe_bench/lamp-2b.of-may.json", "swe_bench.json"),
        "lm_eval": (EVERY["lm_eval, options"].paths[0], "samples_harbour.jsonl"),
    }
    for path, name in given.values():
        (tmp_path / name).write_bytes(place_of(path).read_bytes())
    (tmp_path / "notes.txt").write_text("bought oil")
    assert sorted(summary.format for summary in nescio.check([str(tmp_path)])) == ["", *sorted(given)]
    with pytest.raises(FormatError, match=r"1 of lm_eval \(first: .*samples_harbour.jsonl\), 1 of mlflow"):
        nescio.score(str(tmp_path))


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("simple_evals/mmlu_lamp-2b.json", "those are in the page beside it, mmlu_lamp-2b.html"),
        ("lighteval/results/lamplighter/lamp-2b/results_2026-11-22T10-13-00.163512.json", "details_*.parquet"),
        ("nemo_skills/lamp-2b/eval-results/metrics.json", "output-rs0.jsonl"),
    ],
)
def test_figures_alone_are_named_and_told_where_their_items_are(path: str, where: str) -> None:
    assert where in str(refusal(place_of(path), FormatError))
    (summary,) = nescio.check(place_of(path))
    assert summary.format == path.partition("/")[0]
    assert where in summary.problems[0]


def test_figures_of_tira_are_no_answers(tmp_path: Path) -> None:
    (path,) = write_files(tmp_path, {"evaluation.prototext": 'measure {\n  key: "F1"\n  value: "0.5"\n}\n'})
    assert_refused(path, "line 1", "these are figures of TIRA (evaluation.prototext) and no answers")


# ---- tables that people made, and that no reader may guess about ----


def test_a_gold_that_is_the_name_of_a_source_is_pointed_out(tmp_path: Path) -> None:
    text = "question,gold,prediction\nq1,context,Paris\nq2,parametric,Rome\nq3,context,Oslo\n"
    wrong, right = write_files(tmp_path, {"t.csv": text, "u.csv": text.replace("Paris", "context")})
    words = "no answer is right, and 3 questions have only 2 gold answers (context, parametric): if these are not gold answers"
    assert any(note.startswith(words) for note in evidence_and_notes(wrong)[1])
    assert not any(note.startswith("no answer is right") for note in evidence_and_notes(right)[1])


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        (
            "question,answer,label\nq1,yes,yes\nq2,no,maybe\n",
            ["--column outcome=label --outcome-map maybe=incorrect  (1 right, 1 wrong, 0 silent, c@1 0.500)"],
        ),
        ("question,answer,confidence\nq1,a,0.9\nq2,b,0.2\n", ["found ['question', 'answer', 'confidence'"]),
        (
            "question,model,evaluation1,evaluation2,evaluation3,avg\nq1,m,1,0,1,0.667\nq2,m,0,0,1,0.333\n",
            [
                "--column outcome=evaluation1  (1 right, 1 wrong, 0 silent, c@1 0.500)",
                "--column outcome=evaluation2  (0 right, 2 wrong, 0 silent, c@1 0.000)",
                "--column outcome=evaluation3  (2 right, 0 wrong, 0 silent, c@1 1.000)",
            ],
        ),
    ],
)
def test_what_is_no_verdict_is_asked_about(text: str, ways: list[str], tmp_path: Path) -> None:
    """A label `maybe`, a confidence without a verdict, three judgements and their mean."""
    message = str(refusal(write_files(tmp_path, {"t.csv": text})[0], FormatError))
    assert all(way in message for way in ways), message


@pytest.mark.skipif(not SHARED.exists(), reason="the shared files are not beside the checkout")
def test_no_home_made_table_is_read_by_a_guess() -> None:
    """Each is refused with one message, but for one of questions, gold answers and answers: a note says what was
    taken. Bytes that are not UTF-8 are named with their line."""
    for path in sorted((SHARED / "logs2026" / "tables").glob("*")):
        if path.name == "agentbench_tr_eval_results.csv":
            words = "prediction is the column 'final_answer', gold is the column 'ground_truth'"
            assert any(words in note for note in evidence_and_notes(path)[1])
        else:
            error = refusal(path, FormatError)
            assert error.path == str(path)
            if path.name == "eval_results_transformed.csv":
                assert_refused(path, "line 170", "not UTF-8 text")
