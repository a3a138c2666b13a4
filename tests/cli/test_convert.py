"""nescio convert: what is written scores as what was read."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from nescio.formats import WRITERS
from nescio.pipeline import Options, load
from tests.formats.excerpts import EVERY, counts

from .conftest import Command

TRUTH = '{"id": "a", "same": true}\n{"id": "b", "same": false}\n{"id": "c", "same": true}\n'
ANSWERS = '{"id": "a", "value": 0.9}\n{"id": "b", "value": 0.7}\n{"id": "c", "value": 0.5}\n'


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_what_is_written_scores_as_what_was_read(nescio: Command, tmp_path: Path, suffix: str) -> None:
    truth, answers, table = tmp_path / "truth.jsonl", tmp_path / "mine.jsonl", tmp_path / f"outcomes{suffix}"
    truth.write_text(TRUTH)
    answers.write_text(ANSWERS)
    found = nescio("convert", truth, answers, table)
    assert found.status == 0
    assert "read pan; wrote 3 outcomes of 1 run to" in found.err
    measures = ("-m", "c@1", "-m", "AUROC", "--ci", "none", "-f", "json")
    rows = [nescio("score", *files, *measures).json["scores"] for files in ((truth, answers), (table,))]
    assert [row["value"] for row in rows[0]] == [row["value"] for row in rows[1]]


UNJUDGED = {
    *(
        "squad2",
        "nq",
        "kilt",
        "qa4mre",
        "qa4mre, with the test",
        "mctest",
        "cbc",
        "cbc, as Deep Read judges",
        "opencompass, predictions",
        "questions",
    ),
}
GRADED = ("outcomes", "every_eval_ever", "inspect")  # what holds outcomes and no texts
HUB = ("--to", "eval_results", "--benchmark", "cais/hle:hle")  # scores, from which no answers come back
# What the counts become where a format has no place for what decided: MCTest's run answers one question by a letter,
# right as the option's name and wrong as a text; Deep Read judges by the story (here Nell Boyd with her title is no
# longer right).
OTHERWISE = {
    ("mctest", "kilt"): {"lamp": (3, 3, 2)},
    ("mctest", "squad2"): {"lamp": (3, 3, 2)},
    ("cbc, as Deep Read judges", "kilt"): {"lamp": (2, 2, 1)},
    ("cbc, as Deep Read judges", "squad2"): {"lamp": (2, 2, 1)},
    # A log of Inspect does not say which questions have no answer, so that silence is not right there.
    ("abstention_bench", "inspect"): {"lamp_2b": (1, 2, 2)},
    ("squad2", "inspect"): {"lamp": (1, 2, 2)},
    ("questions", "inspect"): {"lamp": (1, 1, 2)},
    # The instance that was not submitted is in no file.
    **{("swe_bench", to): {"lamp-2b.of-may": (2, 2, 2)} for to in GRADED},
}


def takes(to: str, name: str) -> bool:
    """Whether a writer has a place for what an excerpt holds."""
    if to in GRADED:
        return bool(EVERY[name].counts) and name not in ("counts", "tally")
    return EVERY[name].format == "pan" if to == "pan" else name in UNJUDGED


ALIKE = ("kilt", "squad2", "pan")  # `questions` refuses as the first two; below, the one refusal of `pan`
# Suffixes whose tables differ from .csv in nothing that an excerpt holds; the test above writes each of them.
WRITTEN = [
    (name, to, suffix)
    for to, writer in WRITERS.items()
    for suffix in writer.suffixes or ("",)
    for name in EVERY
    if to != HUB[1] and (to, suffix) not in (("outcomes", ".tsv"), ("outcomes", ".jsonl"))
    if takes(to, name) or (to not in ALIKE and suffix in (".csv", ""))
]


@pytest.mark.parametrize(("name", "to", "suffix"), WRITTEN)
def test_what_is_converted_is_read_again_or_refused(
    nescio: Command, name: str, to: str, suffix: str, tmp_path: Path
) -> None:
    excerpt, output = EVERY[name], tmp_path / f"out{suffix}"
    done = nescio("convert", *excerpt.files, output, "--to", to, *excerpt.arguments("judge" if to in GRADED else ""))
    if not takes(to, name):
        assert done.status == 2
        assert not output.exists()
        return
    assert done.status == 0, done.err
    files = [output] if suffix else sorted(path for path in output.rglob("*") if path.is_file())
    kept = {option: value for option, value in excerpt.options.items() if option == "ungraded"}
    judge = {option: value for option, value in excerpt.options.items() if option == "judge" and to not in GRADED}
    again = load(files, Options(**kept, **judge))
    assert counts(again.data) == OTHERWISE.get((name, to), excerpt.counts)


def test_answers_are_judged_on_the_way(nescio: Command, tmp_path: Path) -> None:
    questions, run, table = tmp_path / "questions.jsonl", tmp_path / "mine.jsonl", tmp_path / "outcomes.csv"
    questions.write_text('{"id": "1", "question": "2 + 2?", "answers": ["4"]}\n')
    run.write_text('{"id": "1", "answer": "4"}\n')
    assert "judged by fitting" in nescio("convert", questions, run, table).err
    assert table.read_text() == "run,question,outcome,judge\nmine,1,correct,fitting\n"


def test_what_cannot_be_converted(nescio: Command, tmp_path: Path, table3: Path, outcomes: Path) -> None:
    for arguments, says in (
        ((table3, tmp_path / "o.csv"), "no outcomes of single questions"),
        ((outcomes,), "convert takes FILES... OUTPUT, in this order"),
        ((outcomes, tmp_path / "o.doc"), "is written to"),
        ((outcomes, outcomes), "one of the input files"),
        ((outcomes, tmp_path / "out", "--to", "squad"), "unknown format to write 'squad'; did you mean squad2"),
        (
            (outcomes, tmp_path / "out", "--to", "kilt"),
            "already graded and nescio reads no texts of them, so it can be written --to outcomes",
        ),
        ((outcomes, tmp_path / "out", "--to", "pan"), "this is not PAN data"),
        ((table3, tmp_path / "out", "--to", "questions"), "no outcomes of single questions"),
        ((outcomes, tmp_path / "out.jsonl", "--to", "kilt"), "--to kilt is written to a folder; name one"),
        ((outcomes, tmp_path, "--to", "kilt"), "already exists; give a new or empty folder"),
        ((outcomes, tmp_path / "hub", "--to", "eval_results"), "needs --benchmark DATASET:TASK"),
        ((outcomes, tmp_path / "hub", "--to", "eval_results", "--benchmark", "hle"), "needs --benchmark DATASET:TASK"),
        ((outcomes, tmp_path / "o.csv", "--benchmark", "cais/hle:hle"), "--benchmark goes with --to eval_results"),
        ((outcomes, outcomes, "--to", "pan"), "--to pan is written to a folder; name one"),
        ((outcomes, tmp_path / "no" / "out", "--to", "pan"), "there is no folder"),
    ):
        found = nescio("convert", *arguments)
        assert (found.status, found.out) == (2, "")
        assert says in found.err
    assert [path.name for path in tmp_path.iterdir()] == ["outcomes.csv"]


def test_scores_for_the_hub_have_what_its_specification_asks_for(nescio: Command, tmp_path: Path) -> None:
    """Required are dataset.id, dataset.task_id and value (hub-docs, eval-results.md); silence is in the notes."""
    table = tmp_path / "o.csv"
    rows = ["a/b,q1,correct", "a/b,q2,unanswered", "a/b,q3,incorrect", "a/b,q4,correct", "c: x,q1,unanswered"]
    table.write_text("run,question,outcome\n" + "\n".join([*rows, *(f"c: x,q{i},incorrect" for i in (2, 3, 4))]))
    done = nescio("convert", table, tmp_path / "hub", *HUB)
    assert done.status == 0, done.err
    found = [yaml.safe_load(path.read_text()) for path in sorted((tmp_path / "hub").iterdir())]
    assert [path.name for path in sorted((tmp_path / "hub").iterdir())] == ["a_b.yaml", "c_ x.yaml"]
    assert [len(entries) for entries in found] == [1, 1]
    assert [entries[0]["dataset"] for entries in found] == [{"id": "cais/hle", "task_id": "hle"}] * 2
    assert [entries[0]["value"] for entries in found] == [0.5, 0]
    assert "2 correct, 1 incorrect, 1 unanswered of 4 questions" in found[0][0]["notes"]
    for more, says in (("c: x,q5,correct", "lacks 1 of 5 questions"), ("a/b,q5,\nc: x,q5,correct", "has no grade")):
        table.write_text(f"run,question,outcome\n{chr(10).join(rows)}\n{more}\n")
        table.write_text(table.read_text() + "".join(f"c: x,q{i},incorrect\n" for i in (2, 3, 4)))
        done = nescio("convert", table, tmp_path / "none", *HUB)
        assert (done.status, done.out) == (2, "")
        assert says in done.err
        assert not (tmp_path / "none").exists()


def test_questions_alone_can_be_written(nescio: Command, tmp_path: Path) -> None:
    (tmp_path / "mc.tsv").write_text(
        "mc.0\tAuthor: 1;Work Time(s): 2\tThe cat sat. It slept." + "\tone: What sat?\tcat\tdog\tcow\tpig" * 4 + "\n"
    )
    (tmp_path / "mc.ans").write_text("A\tA\tA\tA\n")
    found = nescio("convert", tmp_path / "mc.tsv", tmp_path / "mc.ans", tmp_path / "out", "--to", "questions")
    assert "read mctest; wrote 4 questions and 0 runs" in found.err
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["questions.jsonl", "stories.jsonl"]
    assert nescio("convert", tmp_path / "mc.tsv", tmp_path / "mc.ans", tmp_path / "o.csv").status == 2


def test_the_help_lists_what_is_registered(nescio: Command) -> None:
    shown = nescio("convert", "--help").out
    assert all(f"\n  {name} " in shown for name in WRITERS)
    assert {"kilt", "outcomes", "pan", "questions", "squad2"} <= {*WRITERS}
