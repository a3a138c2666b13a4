"""`check` names the logs of every tool, and says of figures alone where their answers are."""

from __future__ import annotations

from pathlib import Path

import pytest

import nescio
from nescio.errors import FormatError
from nescio.tables.asking import AskedError

from .cases import SHARED
from .encodings import assert_refused, refusal
from .excerpts import EVERY, LOGS, place_of
from .fuzz import evidence_and_notes, write_files

IN_PYTHON = True  # messages are quoted as Python has them


def test_check_names_a_file_of_every_kind_in_one_call() -> None:
    """One excerpt of each tool's log; each of its files is named rightly and none is guessed."""
    paths: dict[Path, str] = {}
    for excerpt in {excerpt.format: excerpt for excerpt in reversed(EVERY.values())}.values():
        if excerpt.format in LOGS:
            for path in excerpt.files:
                files = sorted(path.rglob("*")) if path.is_dir() else [path]
                paths |= dict.fromkeys((file for file in files if file.is_file()), excerpt.format)
    assert {*paths.values()} == LOGS
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


def test_what_a_log_does_not_list_is_counted_beside_its_empty_answers(tmp_path: Path) -> None:
    """One resolved, one without a patch, and three of five in no list: the empty patch is wrong, and no silence."""
    (path,) = write_files(tmp_path, {"r.json": '{"resolved": ["a"], "no_generation": ["b"], "no_logs": []}'})
    scores = {
        s.measure: s.value for s in nescio.score(path, ["accuracy", "coverage"], ci=None, total=5, rest="incorrect")
    }
    assert scores == {"accuracy": 0.2, "coverage": 1.0}


@pytest.mark.parametrize(
    ("path", "where"),
    [
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
    assert_refused(path, "line 1", "these are figures of TIRA (evaluation.prototext), not answers")


# ---- tables that people made, and that no reader may guess about ----


def test_a_gold_that_is_the_name_of_a_source_is_pointed_out(tmp_path: Path) -> None:
    text = "question,gold,prediction\nq1,context,Paris\nq2,parametric,Rome\nq3,context,Oslo\n"
    wrong, right = write_files(tmp_path, {"t.csv": text, "u.csv": text.replace("Paris", "context")})
    words = "no answer is right, and 3 questions have only 2 gold answers (context, parametric). If these are not gold answers"
    assert any(note.startswith(words) for note in evidence_and_notes(wrong, judge="exact")[1])
    assert not any(note.startswith("no answer is right") for note in evidence_and_notes(right)[1])


@pytest.mark.skipif(not SHARED.exists(), reason="the shared files are not beside the checkout")
def test_home_made_tables_are_read_by_their_names_or_asked_about() -> None:
    """Those that are read have as many right answers as there are rows whose gold answer is the prediction."""
    right = {
        "A3_bloodmnist_val.jsonl": [3, 5, 3],
        "AP_BIOLOGY_2008_openai_gpt-4o-mini_20250630_123010.json": [13],
        "AP_BIOLOGY_2008_openai_gpt-4o_20250701_151534.json": [14],
    }
    for path in sorted((SHARED / "logs2026" / "tables").glob("*")):
        if path.name in right:
            assert evidence_and_notes(path)[0].columns["correct"].sum(axis=1).tolist() == right[path.name]
        elif path.name == "eval_results_transformed.csv":
            assert_refused(path, "line 170", "not UTF-8 text")
        else:
            assert isinstance(refusal(path, FormatError), AskedError)
