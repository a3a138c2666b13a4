"""A gate on a file that nescio wrote decides as a gate on what the file was made of, whatever evidence this holds."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.cli.test_gate_grounds import GATE, N, old, right, table
from tests.cli.test_gate_logs import half, log, sample
from tests.cli.test_gate_on_logs import deepeval, inspect, lm_eval, of_others, one_text, openai_evals

FORMS = ("outcomes", "every_eval_ever", "inspect")  # the formats that can hold everything a gate asks
ASK = ("-m", "accuracy", "--missing", "unanswered", *GATE)
ALONE = ("-m", "accuracy", "--fail-under", "accuracy=0.3")
Made = tuple[tuple[Path, ...], tuple[str, ...]]  # files, and the options that read them


def honest(folder: Path) -> Made:
    return (inspect(folder, "old", 5), inspect(folder, "new", 9)), ()


def stopped(folder: Path) -> Made:
    return (log(folder / "old.json", half()), log(folder / "new.json", half()[1:100:2], "cancelled")), ()


def endless(folder: Path) -> Made:
    first = log(folder / "old.json", half())
    document = json.loads(log(folder / "new.json", half()[1::2], "started", None).read_text())
    del document["eval"]["dataset"]
    (folder / "new.json").write_text(json.dumps(document))
    return (first, folder / "new.json"), ()


def repeated(folder: Path) -> Made:
    again = [sample(at, "C") for at in N if at % 2 == 0]
    return (log(folder / "old.json", half()), log(folder / "new.json", [*half(), *again])), ()


def chosen(folder: Path) -> Made:
    rows = [*old(), *(("new", f"q{q}", right(q % 10 < 5)) for q in N), *(("new", f"q{q}", "correct") for q in N)]
    return (table(folder / "t.csv", "run,question,outcome", rows),), ("--duplicates", "last")


def _two(folder: Path, write: Callable[..., Path], **after: object) -> Made:
    return (write(folder, "old", 5), write(folder, "new", 9, **after)), ()


def other_gold(folder: Path) -> Made:
    return _two(folder, inspect, target="y")


def no_gold(folder: Path) -> Made:
    return _two(folder, inspect, target=None)


def other_text(folder: Path) -> Made:
    return _two(folder, inspect, input="Who lit lamp {}?")


def other_scorer(folder: Path) -> Made:
    return _two(folder, inspect, params={"location": "any"})


def other_document(folder: Path) -> Made:
    return _two(folder, lm_eval, hash="other")


def same_document(folder: Path) -> Made:
    return _two(folder, lm_eval)


def other_case(folder: Path) -> Made:
    return _two(folder, deepeval, target="y")


def other_prompt(folder: Path) -> Made:
    return _two(folder, openai_evals, asks=of_others)


def longer_prompt(folder: Path) -> Made:
    return _two(folder, openai_evals, asks=one_text)


def _rows(folder: Path, head: str, cells: Callable[[str, int], str]) -> Made:
    for run, share in (("old", 5), ("new", 9)):
        lines = [f"{run},q{q},{right(q % 10 < share)},{cells(run, q)}" for q in N]
        (folder / f"{run}.csv").write_text("\n".join([f"run,question,outcome,{head}", *lines]))
    return (folder / "old.csv", folder / "new.csv"), ()


def key_in_a_table(folder: Path) -> Made:
    return _rows(folder, "gold", lambda run, q: f"{run}{q}")


def text_in_a_table(folder: Path) -> Made:
    files, _ = _rows(folder, "question_text", lambda run, q: f"Who {run} {q}?")
    return files, ("--column", "question=question")


def same_text_in_a_table(folder: Path) -> Made:
    files, _ = _rows(folder, "question_text,gold", lambda run, q: f"Who keeps {'  ' * (run == 'new')}lamp {q}?,A")
    return files, ("--column", "question=question")


def one_says_what_has_an_answer(folder: Path) -> Made:
    return _rows(folder, "answerable", lambda run, q: "" if run == "old" else "no" if q % 10 == 9 else "yes")


def several_judges(folder: Path) -> Made:
    return _rows(folder, "judge", lambda run, q: "ana" if run == "old" or q % 2 else "ben")


def empty_outputs(folder: Path) -> Made:
    """The grader takes the empty outputs of the new run for abstentions."""
    for run, share in (("old", 5), ("new", 6)):
        cells = [("x", right(q % 10 < share)) if run == "old" or q % 10 < 6 else ("", "unanswered") for q in N]
        rows = [f"q{q},{answer},{verdict}" for q, (answer, verdict) in zip(N, cells, strict=True)]
        (folder / f"{run}.csv").write_text("\n".join(["question,answer,verdict", *rows]))
    return (folder / "old.csv", folder / "new.csv"), ()


def _silent_by(folder: Path, output: str) -> tuple[Path, Path]:
    """Columns of nescio's own, in which the new run gives this output where the old run is wrong."""
    for run, share in (("old", 5), ("new", 6)):
        answers = ["x" if q % 10 < share else "y" if run == "old" else output for q in N]
        rows = [f"q{q},{answer},x" for q, answer in zip(N, answers, strict=True)]
        (folder / f"{run}.csv").write_text("\n".join(["question,prediction,gold", *rows]))
    return folder / "old.csv", folder / "new.csv"


def empty_predictions(folder: Path) -> Made:
    """An empty prediction is an abstention."""
    return _silent_by(folder, ""), ()


def unparsed_outputs(folder: Path) -> Made:
    return _silent_by(folder, "PARSE_FAIL"), ("--unparsed", "unanswered")


def empty_and_graded_right(folder: Path) -> Made:
    return _two(folder, deepeval, output="")


def other_scale(folder: Path) -> Made:
    """The new run has the same grades as the old one, times 100."""
    for run, scale in (("old", 1), ("new", 100)):
        rows = [f"q{q},{scale * (q % 10) / 10}" for q in N]
        (folder / f"{run}.csv").write_text("\n".join(["question,grade", *rows]))
    return (folder / "old.csv", folder / "new.csv"), ("--column", "outcome=grade>=0.5")


def alike_empty(folder: Path) -> Made:
    """Both runs abstain by an empty answer to a similar degree."""
    for run, share in (("old", 5), ("new", 7)):
        cells = [("", "unanswered") if q % 10 > 7 else ("x", right(q % 10 < share)) for q in N]
        rows = [f"q{q},{answer},{verdict}" for q, (answer, verdict) in zip(N, cells, strict=True)]
        (folder / f"{run}.csv").write_text("\n".join(["question,answer,verdict", *rows]))
    return (folder / "old.csv", folder / "new.csv"), ()


KINDS: dict[Callable[[Path], Made], tuple[int, int]] = {
    honest: (0, 0),
    stopped: (1, 3),
    endless: (3, 3),
    repeated: (2, 2),
    chosen: (2, 2),
    other_gold: (2, 0),
    no_gold: (2, 0),
    other_text: (2, 0),
    other_scorer: (2, 0),
    other_document: (2, 0),
    same_document: (0, 0),
    other_case: (2, 0),
    other_prompt: (2, 0),
    longer_prompt: (0, 0),
    key_in_a_table: (2, 0),
    text_in_a_table: (2, 0),
    same_text_in_a_table: (0, 0),
    one_says_what_has_an_answer: (2, 0),
    several_judges: (2, 0),
    empty_outputs: (3, 0),
    empty_predictions: (3, 0),
    unparsed_outputs: (3, 3),
    empty_and_graded_right: (3, 0),
    other_scale: (2, 0),
    alike_empty: (0, 0),
}


def verdicts(nescio: Command, files: tuple[Path, ...], options: tuple[str, ...] = ()) -> tuple[int, int]:
    """The statuses of a gate that compares both runs, and of one that asks a limit of the new run alone."""
    both = nescio("compare", *files, *options, *ASK)
    alone = nescio("score", files[-1], *options, *ALONE)
    assert both.status != 2 or "gate" in both.err, both.flat
    return both.status, alone.status


@pytest.mark.parametrize("to", FORMS)
@pytest.mark.parametrize("made", KINDS, ids=lambda made: made.__name__)
def test_a_converted_file_wins_no_gate_that_its_original_loses(
    tmp_path: Path, nescio: Command, made: Callable[[Path], Made], to: str
) -> None:
    files, options = made(tmp_path)
    assert verdicts(nescio, files, options) == KINDS[made]
    converted = []
    for path in files:
        suffix = {"outcomes": ".csv", "every_eval_ever": ".jsonl", "inspect": ""}[to]
        converted.append(tmp_path / f"{path.parent.name}_{path.stem}_written{suffix}")
        done = nescio("convert", path, converted[-1], "--to", to, *options)
        assert done.status == 0, done.flat
    assert verdicts(nescio, tuple(converted)) == KINDS[made]


@pytest.mark.parametrize(
    "how", [("--total", "210", "--rest", "incorrect"), ("--repeats-of", "old1=old?", "--repeats-of", "new1=new?")]
)
def test_a_written_file_keeps_the_range_of_grades_beside_other_rules(
    tmp_path: Path, nescio: Command, how: tuple[str, ...]
) -> None:
    runs = {"old1": 10, "old2": 12, "new1": 0.1, "new2": 0.1}
    rows = [(run, f"q{q}", q % 10 / scale) for run, scale in runs.items() for q in N]
    path, kept = table(tmp_path / "t.csv", "run,question,grade", rows), tmp_path / "kept.csv"
    assert nescio("convert", path, kept, "--column", "outcome=grade>=0.5", *how).status == 0
    gate = ("-m", "accuracy", "--baseline", "old1", "--fail-on-regression", "--margin", "0.02")
    nescio("compare", kept, *gate).assert_refused("values on different scales cannot be compared")


@pytest.mark.parametrize("made", [empty_outputs, empty_predictions])
@pytest.mark.parametrize("suffix", ["", ".csv", ".jsonl", ".parquet"])
def test_the_user_says_what_empty_outputs_count_as(
    tmp_path: Path, nescio: Command, made: Callable[[Path], Made], suffix: str
) -> None:
    files, _ = made(tmp_path)
    for at, path in enumerate(files if suffix else ()):
        written = tmp_path / f"written{at}{suffix}"
        assert nescio("convert", path, written).status == 0
        files = (*files[:at], written, *files[at + 1 :])
    done = nescio("compare", *files, *ASK)
    assert "gate cannot tell" in done.err
    assert done.flat.count("--empty unanswered says that they are abstentions") == done.flat.count("graded as abstent")
    for how, coverage in (("unanswered", "0.600"), ("incorrect", "1.000")):
        assert nescio("compare", *files, "--empty", how, "-m", "accuracy", "--margin", "0.02", *GATE).status == 0
        assert coverage in nescio("score", files[1], "--empty", how, "-m", "coverage", "--ci", "none").out
    assert "0.600" in nescio("score", files[1], "-m", "coverage", "--ci", "none").out


@pytest.mark.parametrize("name", ["output_was", "answer"])
def test_counts_cannot_hold_what_outputs_lacked(tmp_path: Path, nescio: Command, name: str) -> None:
    kinds = {True: "empty" if name == "output_was" else "", False: "" if name == "output_was" else "x"}
    for among, status in ((5, 2), (100, 0)):
        rows = [
            (run, f"q{q}", "unanswered" if run == "new" and q % among == 0 else "correct", kinds[broken])
            for run in ("old", "new")
            for q in N
            for broken in [run == "new" and q % among == 0]
        ]
        path = table(tmp_path / "t.csv", f"run,question,outcome,{name}", rows)
        assert nescio("sql", path).status == status


def test_a_column_called_as_the_range_of_grades_may_be_the_users_own(tmp_path: Path, nescio: Command) -> None:
    rows = [(*row, "K to 5 (school)") for row in old()] + [("new", f"q{q}", "correct", "6 to 12 (school)") for q in N]
    path = table(tmp_path / "t.csv", "run,question,outcome,grades_between", rows)
    assert nescio("compare", path, "-m", "accuracy", *GATE).status == 0


def test_a_column_called_as_what_outputs_lacked_may_be_the_users_own(tmp_path: Path, nescio: Command) -> None:
    rows = [(*row, "long") for row in old()] + [("new", f"q{q}", "correct", "short") for q in N]
    path = table(tmp_path / "t.csv", "run,question,outcome,output_was", rows)
    assert nescio("compare", path, "-m", "accuracy", *GATE).status == 0
    broken = [(*row[:-1], "empty" if at % 2 else "lost") for at, row in enumerate(rows)]
    path = table(tmp_path / "broken.csv", "run,question,outcome,output_was", broken)
    nescio("compare", path, "-m", "accuracy", *GATE).assert_refused("which is not of the form 'empty'")


@pytest.mark.parametrize("what", ["text", "answers", ""])
def test_judged_answers_to_other_questions_win_no_gate(tmp_path: Path, nescio: Command, what: str) -> None:
    for run, share in (("old", 5), ("new", 9)):
        other = run if what else ""
        asked = [
            {
                "id": f"q{q}",
                "question": f"Who keeps lamp {q}{other if what == 'text' else ''}?",
                "answers": [f"x{other if what == 'answers' else ''}"],
            }
            for q in N
        ]
        said = [
            {"id": one["id"], "answer": one["answers"][0] if q % 10 < share else "y"} for q, one in enumerate(asked)
        ]
        (tmp_path / run).mkdir()
        for name, rows in (("questions", asked), (run, said)):
            (tmp_path / run / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
        files = tmp_path / run / "questions.jsonl", tmp_path / run / f"{run}.jsonl"
        assert nescio("judge", *files, "--judge", "exact", "-o", tmp_path / f"{run}.csv").status == 0
    tables = tmp_path / "old.csv", tmp_path / "new.csv"
    assert verdicts(nescio, tables) == (2 if what else 0, 0)


@pytest.mark.parametrize("made", [honest, other_gold, other_text, repeated])
def test_a_baseline_file_and_a_written_file_show_it_together(
    tmp_path: Path, nescio: Command, made: Callable[[Path], Made]
) -> None:
    (first, second), _ = made(tmp_path)
    tables, bases = [tmp_path / "a.csv", tmp_path / "b.csv"], [tmp_path / "raw.json", tmp_path / "written.json"]
    for log_file, written in zip((first, second), tables, strict=True):
        assert nescio("convert", log_file, written).status == 0
    for source, base in zip((first, tables[0]), bases, strict=True):
        assert nescio("compare", source, "--save-baseline", base).status == 0
    for base in bases:
        for new in (second, tables[1]):
            done = nescio("compare", new, "--baseline", base, "-m", "accuracy", "--fail-on-regression")
            assert done.status == KINDS[made][0], done.flat
    mixed = (first, tables[1]), (tables[0], second)
    assert [verdicts(nescio, files)[0] for files in mixed] == [KINDS[made][0]] * 2


def test_a_baseline_of_chosen_answers_is_no_baseline(tmp_path: Path, nescio: Command) -> None:
    (first, second), _ = repeated(tmp_path)
    base = tmp_path / "base.json"
    assert nescio("compare", second, "--save-baseline", base).status == 0
    done = nescio("compare", first, "--baseline", base, "-m", "accuracy", "--fail-on-regression")
    done.assert_refused("100 samples repeat an answer and are left out")
    nescio("score", base, *ALONE).assert_refused("100 samples repeat an answer and are left out")


def test_what_a_format_cannot_hold_is_refused(tmp_path: Path, nescio: Command) -> None:
    (_, new), _ = stopped(tmp_path)
    hub = ("--to", "eval_results", "--benchmark", "cais/hle:hle")
    unjudged = ("--to", "questions", "--choose", "scorer=none")
    for to in (hub, unjudged):
        done = nescio("convert", new, tmp_path / "out", *to)
        done.assert_refused(f"--to {to[1]} has no place for this", "the file holds 50 of 200 answers", "--to outcomes")
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_written_twice_says_the_same(tmp_path: Path, nescio: Command) -> None:
    (_, new), _ = stopped(tmp_path)
    steps = [("a.csv", "outcomes"), ("b.jsonl", "every_eval_ever"), ("c", "inspect"), ("d.parquet", "outcomes")]
    source = new
    for name, to in steps:
        assert nescio("convert", source, tmp_path / name, "--to", to).status == 0
        source = tmp_path / name
        done = nescio("score", source, *ALONE)
        assert done.status == 3
        assert "50 of 200 answers, and the others may be wrong" in done.flat
    assert (tmp_path / "a.csv").read_text().splitlines()[1].endswith(",50 of 200")


def test_digests_of_two_tools_are_not_compared(tmp_path: Path, nescio: Command) -> None:
    """Another tool may word a question otherwise, as with its options."""
    path = tmp_path / "t.csv"
    for tool, status in (("deepeval", 0), ("inspect", 2)):
        rows = [(*row, f"inspect:{int(str(row[1])[1:]):016x}") for row in old()]
        rows += [("new", f"q{q}", "correct", f"{tool}:{q + 1:016x}") for q in N]
        done = nescio("compare", table(path, "run,question,outcome,question_digest", rows), "-m", "accuracy", *GATE)
        assert done.status == status, done.flat


def test_a_column_of_the_users_own_is_no_evidence(tmp_path: Path, nescio: Command) -> None:
    rows = [(*row, "few", "8f00") for row in old()] + [("new", f"q{q}", "correct", "many", "9f11") for q in N]
    path = table(tmp_path / "t.csv", "run,question,outcome,answers_held,question_digest", rows)
    assert nescio("compare", path, "-m", "accuracy", *GATE).status == 0


def test_a_tuned_run_of_a_stopped_log_may_still_be_wrong(tmp_path: Path, nescio: Command) -> None:
    head = "run,question,outcome,confidence,answers_held,no_gate_because"
    rows = [("r", f"q{q}", right(q % 4 > 0), q / 200, "200 of 400", "") for q in N]
    rows += [("s", f"q{q}", right(q % 4 > 0), q / 200, "", "this choice of answers") for q in N]
    path, run = table(tmp_path / "t.csv", head, rows), tmp_path / "run.csv"
    for name, status in (("r", 3), ("s", 2)):
        run.unlink(missing_ok=True)
        assert nescio("tune", path, "--run", name, "--resamples", "100", "-o", run).status == 0
        assert nescio("score", run, *ALONE).status == status


@pytest.mark.parametrize(("to", "suffix"), [("inspect", ""), ("every_eval_ever", ".jsonl")])
def test_a_log_that_nescio_wrote_hands_on_the_range_of_grades(
    tmp_path: Path, nescio: Command, to: str, suffix: str
) -> None:
    """To a saved baseline, to a table, and to a comparison with a table."""
    (before, after), options = other_scale(tmp_path)
    log, new, again, saved = (tmp_path / name for name in (f"old{suffix}", f"new{suffix}", "again.csv", "saved.json"))
    for made in ((before, log, "--to", to, *options), (after, new, "--to", to, *options), (new, again)):
        assert nescio("convert", *made).status == 0
    assert nescio("compare", log, "-m", "accuracy", "--save-baseline", saved).status == 0
    gate = ("-m", "accuracy", "--baseline", saved, "--fail-on-regression", "--margin", "0.02")
    for compared in ((log, again, *ASK), (new, *gate)):
        nescio("compare", *compared).assert_refused("values on different scales cannot be compared")


def test_tuned_runs_know_the_scale_of_their_grades(tmp_path: Path, nescio: Command) -> None:
    written = [tmp_path / "old_run.csv", tmp_path / "new_run.csv"]
    for run, scale, path in (("old", 1, written[0]), ("new", 10, written[1])):
        rows = [(run, f"q{q}", scale * (q % 10) / 10, q / 200) for q in N]
        graded = table(tmp_path / "t.csv", "run,question,grade,confidence", rows)
        how = ("--column", "outcome=grade>=0.5", "--resamples", "100", "-o", path)
        assert nescio("tune", graded, *how).status == 0
    nescio("compare", *written, *ASK).assert_refused("are between 0 and 1 in old, but reach 9 in new")


@pytest.mark.parametrize(("changes", "status"), [({}, 0), ({"target": "y"}, 2), ({"scorer": "lenient"}, 2)])
def test_tuned_runs_of_logs_know_the_questions_and_the_grader(
    tmp_path: Path, nescio: Command, changes: dict[str, str], status: int
) -> None:
    written = []
    for log_file, share in ((inspect(tmp_path, "old", 5), 5), (inspect(tmp_path, "new", 9, **changes), 9)):
        table_file, run = tmp_path / "t.csv", tmp_path / f"{log_file.stem}_run.csv"
        assert nescio("convert", log_file, table_file).status == 0
        with table_file.open(newline="") as file:
            rows = [
                row | {"confidence": f"{(int(row['question'][1:]) % 10 < share) * 0.9}"} for row in csv.DictReader(file)
            ]
        with table_file.open("w", newline="") as file:
            sheet = csv.DictWriter(file, [*rows[0]])
            sheet.writeheader()
            sheet.writerows(rows)
        assert nescio("tune", table_file, "--resamples", "100", "-o", run).status == 0
        written.append(run)
    assert verdicts(nescio, tuple(written))[0] == status


@pytest.mark.parametrize(
    ("name", "cell", "status"),
    [
        ("answers_held", "186 of 400", 3),
        ("answers_held", " 186 of 400 ", 3),
        ("Answers held", "186 of 400", 3),
        ("ANSWERS_HELD", "186 of 400", 3),
        *(("answers_held", cell, 2) for cell in ("186 OF 400", '"186 of 4,000"', "186", "186 / 400")),
        ("No gate because", "the log was cut", 2),
    ],
)
def test_what_a_column_of_nescio_says_is_read_in_any_form_or_refused(
    tmp_path: Path, nescio: Command, name: str, cell: str, status: int
) -> None:
    path = table(tmp_path / "t.csv", f"run,question,outcome,{name}", [("new", f"q{q}", "correct", cell) for q in N])
    done = nescio("score", path, *ALONE)
    assert done.status == status, done.flat


@pytest.mark.parametrize("name", ["gold_digest", "Gold digest", "QUESTION_DIGEST"])
def test_digests_under_a_header_in_another_form(tmp_path: Path, nescio: Command, name: str) -> None:
    rows = [(run, f"q{q}", right(q % 10 < wins)) for run, wins in (("old", 5), ("new", 9)) for q in N]
    marked = [(*row, f"inspect:{at % len(N):016x}") for at, row in enumerate(rows)]
    same = table(tmp_path / "same.csv", f"run,question,outcome,{name}", marked)
    assert nescio("compare", same, "-m", "accuracy", *GATE).status == 0
    other = [*marked[:-50], *((*row[:-1], f"inspect:{at:016x}") for at, row in enumerate(marked[-50:], 999))]
    path = table(tmp_path / "other.csv", f"run,question,outcome,{name}", other)
    nescio("compare", path, "-m", "accuracy", *GATE).assert_refused("50 of 200 questions have another")
    broken = [*marked[:-50], *((*row[:-1], "INSPECT:1") for row in marked[-50:])]
    path = table(tmp_path / "broken.csv", f"run,question,outcome,{name}", broken)
    nescio("compare", path, "-m", "accuracy", *GATE).assert_refused("has 'INSPECT:1', which is not of the form")
    assert nescio("sql", path).status != 0
    own = table(tmp_path / "own.csv", f"run,question,outcome,{name}", [(*row[:-1], "md5") for row in marked])
    assert nescio("compare", own, "-m", "accuracy", *GATE).status == 0


@pytest.mark.parametrize("changed", ["", "gold", "text"])
def test_converted_files_of_both_own_formats_are_held_against_each_other(
    changed: str, tmp_path: Path, nescio: Command
) -> None:
    questions, run, rows = tmp_path / "questions.jsonl", tmp_path / "old.jsonl", tmp_path / "new.csv"
    asked = [{"id": f"q{q}", "question": f"Who keeps lamp {q}?", "answers": [f"thing {q}"]} for q in N]
    questions.write_text("".join(json.dumps(one) + "\n" for one in asked))
    run.write_text("".join(json.dumps({"id": f"q{q}", "answer": f"thing {q}" if q % 2 else "x"}) + "\n" for q in N))
    text, gold = "easy lamp" if changed == "text" else "lamp", "another" if changed == "gold" else "thing"
    head = "id,question_text,prediction,gold"
    table(rows, head, [(f"q{q}", f"Who keeps {text} {q}?", f"{gold} {q}", f"{gold} {q}") for q in N])
    paths = [tmp_path / "old_table.csv", tmp_path / "new_table.csv"]
    assert nescio("convert", questions, run, paths[0]).status == 0
    assert nescio("convert", rows, paths[1]).status == 0
    done = nescio("compare", *paths, "--baseline", "old", "--run", "new", "-m", "accuracy", "--fail-on-regression")
    assert done.status == (2 if changed else 0), done.flat


@pytest.mark.parametrize("gold", ["thing", "another"])
def test_a_table_beside_a_log_has_the_same_gold_answers(gold: str, tmp_path: Path, nescio: Command) -> None:
    log = [(f"Who keeps lamp {q}?", f"thing {q}", "x", "B") for q in N]
    rows = [("new", f"Who keeps lamp {q}?", f"{gold} {q}", "correct") for q in N]
    paths = [
        table(tmp_path / "old.csv", "problem,target,predicted_answer,grade", log),
        table(tmp_path / "new.csv", "run,question,gold,outcome", rows),
    ]
    done = nescio("compare", *paths, "--baseline", "old", "--run", "new", "-m", "accuracy", "--fail-on-regression")
    assert done.status == (0 if gold == "thing" else 2), done.flat


def test_a_converted_file_is_compared_with_a_table_by_the_gold_answers_of_both(tmp_path: Path, nescio: Command) -> None:
    """The old run is a table with gold answers, of which one differs in the second case."""
    head, gate = "run,question,outcome,gold", ("-m", "accuracy", "--baseline", "old", "--fail-on-regression")
    new, kept = (
        table(tmp_path / "t.csv", head, [("new", f"q{q}", "correct", f"g{q}") for q in N]),
        tmp_path / "kept.csv",
    )
    assert nescio("convert", new, kept).status == 0
    old = table(tmp_path / "old.csv", head, [("old", f"q{q}", "incorrect", f"g{q}") for q in N])
    assert nescio("compare", kept, old, *gate).status == 0
    table(old, head, [("old", f"q{q}", "incorrect", f"g{q or 'other'}") for q in N])
    nescio("compare", kept, old, *gate).assert_refused("1 of 200 questions has another gold answer in some runs")
