"""Statements of `nescio sql`, run by engines: their counts give the figures of the rows, to the last digit."""

from __future__ import annotations

import csv
import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import duckdb
import pytest

import nescio
from nescio.errors import MismatchError, UsageError
from nescio.meta_evaluation import stability, swap
from nescio.tables.statements import PAIRS, Dialect

MEASURES = ["c@1", "accuracy", "coverage", "UF", "precision"]
HEAD = ("run", "question", "outcome", "confidence")
WORDS = ("correct", "incorrect", "unanswered")


def table(path: Path, questions: int = 120, runs: int = 3, parts: int = 40) -> Path:
    """A table of answers with confidences that are parts of 1."""
    chance = random.Random(7)
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(HEAD)
        for run in range(runs):
            for i in range(questions):
                word = chance.choices(WORDS, (4 + run, 4, 2))[0]
                rows.writerow((f"run {run}", f"it's {i}", word, chance.randrange(parts + 1) / parts))
    return path


def counted(source: Path, only: Any, into: Path, **options: Any) -> Path:
    """Run a statement on DuckDB, and return the file of its result."""
    statement = nescio.sql(str(source), only=only, **options).rstrip(";")
    duckdb.execute(f"COPY ({statement}) TO '{into}'")
    return into


def figures(results: Any) -> list[str]:
    return [repr(row) for row in results]


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    return table(tmp_path / "answers.csv")


def test_counts_of_a_table_by_hand(tmp_path: Path) -> None:
    """q1 and q2 of both runs: a right and wrong, b right and silent. Right both once, wrong and silent once."""
    path = tmp_path / "t.csv"
    path.write_text("run,question,outcome\na,q1,correct\na,q2,incorrect\nb,q1,correct\nb,q2,unanswered\n")
    runs = duckdb.execute(nescio.sql(str(path), only="runs")).fetchall()
    assert runs == [("a", 1, 1, *[0] * 7, 2), ("b", 1, 0, 1, *[0] * 6, 2)]
    pairs = duckdb.execute(nescio.sql(str(path), only="pairs")).fetchall()
    assert pairs == [
        ("a", "a", 1, 0, 0, 0, 1, *[0] * 10, 2),
        ("a", "b", 1, 0, 0, 0, 0, 1, *[0] * 9, 2),
        ("b", "b", 1, 0, 0, 0, 0, 0, 0, 0, 1, *[0] * 6, 2),
    ]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_pair_tables_give_the_figures_of_the_rows(answers: Path, tmp_path: Path, suffix: str) -> None:
    pairs = counted(answers, "pairs", tmp_path / f"pairs.{suffix}")
    assert figures(nescio.compare(pairs, MEASURES)) == figures(nescio.compare(answers, MEASURES))
    assert figures(nescio.score(pairs, MEASURES)) == figures(nescio.score(answers, MEASURES))
    assert figures(swap(pairs, "c@1", trials=20, fresh=True)) == figures(swap(answers, "c@1", trials=20, fresh=True))
    assert figures(stability(pairs, "c@1", trials=20, fresh=True)) == figures(
        stability(answers, "c@1", trials=20, fresh=True)
    )


def test_counts_of_runs_give_the_figures_of_the_rows(answers: Path, tmp_path: Path) -> None:
    runs = counted(answers, "runs", tmp_path / "runs.parquet")
    assert figures(nescio.score(runs, MEASURES, mark=False)) == figures(nescio.score(answers, MEASURES, mark=False))
    with pytest.raises(MismatchError, match=r'or a pair table \(nescio sql only="pairs"\)'):
        nescio.compare(runs)


def test_rounded_confidences_give_the_figures_of_rounded_rows(answers: Path, tmp_path: Path) -> None:
    binned = counted(answers, "confidences", tmp_path / "binned.parquet", bins=40)
    measures = ["AUROC", "AURC", "ECE", "Brier", "c@1"]
    ours, theirs = (nescio.score(path, measures, ci=None, mark=False) for path in (binned, answers))
    for one, other in zip(ours, theirs, strict=True):
        assert (one.run, one.measure, one.n) == (other.run, other.measure, other.n)
        assert one.value == pytest.approx(other.value, rel=1e-12)
    assert {str(note) for note in theirs.notes} < {str(note) for note in ours.notes}
    assert any("rounded confidences" in str(note) for note in ours.notes)
    names = ("threshold", "coverage", "value_in_sample")
    tuned = [nescio.tune(path, run="run 1").rows[0] for path in (binned, answers)]
    assert [getattr(tuned[0], name) for name in names] == [getattr(tuned[1], name) for name in names]
    with pytest.raises(nescio.NescioError, match="nescio sql --bins"):
        nescio.score(counted(answers, "runs", tmp_path / "runs.csv"), "AUROC")


def test_a_gate_on_rounded_confidences_is_doubted(answers: Path, tmp_path: Path) -> None:
    given = tmp_path / "given.csv"  # with silence, a run would choose the answers that count
    given.write_text(answers.read_text().replace("unanswered", "incorrect"))
    binned = counted(given, "confidences", tmp_path / "binned.csv", bins=2)
    gates = nescio.score(binned, "AUROC", fail_under={"AUROC": 0.3}).gates
    assert [gate.doubtful for gate in gates] == [True] * 3


def test_shards_add_up(answers: Path, tmp_path: Path) -> None:
    rows = answers.read_text().splitlines()
    parts = []
    for i in range(2):
        part = tmp_path / f"part-{i}.csv"
        part.write_text("\n".join([rows[0], *(row for row in rows[1:] if int(row.split(",")[1].split()[1]) % 2 == i)]))
        parts.append(counted(part, "pairs", tmp_path / f"pairs-{i}.csv"))
    whole = counted(answers, "pairs", tmp_path / "pairs.csv")
    duckdb.execute(
        f"COPY (SELECT run_a, run_b, SUM(COLUMNS(* EXCLUDE (run_a, run_b))) FROM '{tmp_path}/pairs-*.csv' GROUP BY ALL) "
        f"TO '{tmp_path / 'sum.csv'}'"
    )
    assert figures(nescio.compare(tmp_path / "sum.csv")) == figures(nescio.compare(whole))


@pytest.mark.parametrize("stated", [True, False])
def test_shards_that_lack_a_run_are_no_common_questions(tmp_path: Path, *, stated: bool) -> None:
    """Each run was asked 20 questions, and both together 10 of them: the sums of the runs alone do not show it."""
    head = ["run_a", "run_b", *PAIRS, *(["other", "missing", "asked"] if stated else [])]
    rows = [("old", "old", 12, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 20), ("new", "new", 18, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 20)]
    rows.append(("new", "old", 5, 4, 0, 1, 0, 0, 0, 0, 0, 0, 0, 10))
    path = tmp_path / "sum.csv"
    path.write_text("\n".join([",".join(head), *(",".join(map(str, row[: len(head)])) for row in rows)]))
    with pytest.raises(
        MismatchError, match="runs 'new' and 'old' were both counted on 10 questions, and run 'old' was"
    ):
        nescio.compare(path, "accuracy", baseline="old")


FAULTS = {
    "missing": "a,q1,correct\na,q2,incorrect\nb,q1,correct\n",
    "ungraded": "a,q1,correct\na,q2,\nb,q1,correct\nb,q2,correct\n",
    "unknown": "a,q1,correct\na,q2,perhaps\nb,q1,correct\nb,q2,correct\n",
    "twice": "a,q1,correct\na,q1,correct\nb,q1,correct\n",
}


@pytest.mark.parametrize("only", ["runs", "pairs"])
@pytest.mark.parametrize("fault", FAULTS)
def test_what_a_policy_has_to_settle_is_refused(fault: str, only: str, tmp_path: Path) -> None:
    (path := tmp_path / "t.csv").write_text("run,question,outcome\n" + FAULTS[fault])
    said = "lacks 1 question;" if fault == "missing" else "1 answer with an empty or unknown outcome"
    with pytest.raises(MismatchError, match=said):
        nescio.score(counted(path, only, tmp_path / "counts.csv"))


@pytest.mark.parametrize(
    ("fault", "options"),
    [("missing", {"missing": "unanswered"}), ("missing", {"missing": "common"}), ("ungraded", {"ungraded": "exclude"})],
)
def test_policies_are_those_of_the_rows(fault: str, options: dict[str, Any], tmp_path: Path) -> None:
    (path := tmp_path / "t.csv").write_text("run,question,outcome\n" + FAULTS[fault])
    pairs = counted(path, "pairs", tmp_path / "pairs.csv", **options)
    assert figures(nescio.score(pairs, MEASURES, ci=None)) == figures(nescio.score(path, MEASURES, ci=None, **options))
    assert figures(nescio.compare(pairs, "c@1")) == figures(nescio.compare(path, "c@1", **options))


LOST = [
    ("ungraded", {"ungraded": "exclude"}, "accuracy", "300 of new's 600 answers are left out (not graded)"),
    ("silent", {"missing": "unanswered"}, "c@1", "300 questions that new lacks may be wrong, and count as unanswered"),
]


def uneven(path: Path, *, ungraded: bool) -> Path:
    """600 questions: old is right on 70%; new has a grade on half of them only, and is right there."""
    rows = [f"old,{i},{'correct' if i % 10 < 7 else 'incorrect'},0.5" for i in range(600)]
    rows += [f"new,{i},{'' if i % 2 else 'correct'},0.5" for i in range(600) if ungraded or not i % 2]
    path.write_text("\n".join(["run,question,outcome,confidence", *rows]))
    return path


@pytest.mark.parametrize(("fault", "options", "measure", "why"), LOST)
def test_a_gate_on_counts_counts_the_lost_answers_of_the_rows(
    fault: str, options: dict[str, Any], measure: str, why: str, tmp_path: Path
) -> None:
    rows = uneven(tmp_path / "rows.csv", ungraded=fault == "ungraded")
    pairs = counted(rows, "pairs", tmp_path / "pairs.csv", **options)
    wanted: dict[str, Any] = {"baseline": "old", "run": "new", "fail_on_regression": True}
    decided = [nescio.compare(path, measure, **own, **wanted) for path, own in ((rows, options), (pairs, {}))]
    assert {(one.gates[0].status, why in one.gates[0].said) for one in decided} == {(3, True)}
    for only in ("runs", "pairs", "confidences"):
        counts = counted(rows, only, tmp_path / f"{only}.parquet", **options)
        gates = nescio.score(counts, measure, fail_under={measure: 0.6}).gates
        assert [(gate.status, why in gate.said) for gate in gates if gate.run == "new"] == [(3, True)]
    for path, own in ((rows, options), (pairs, {})):
        nescio.report(path, measure, output=(page := tmp_path / "page.html"), **own)
        assert f"Ship nothing yet: {why[:4]}" in page.read_text()


def test_no_gate_rests_on_common_questions_that_were_counted(tmp_path: Path) -> None:
    rows = uneven(tmp_path / "rows.csv", ungraded=False)
    for only in ("runs", "pairs"):
        counts = counted(rows, only, tmp_path / f"{only}.csv", missing="common")
        with pytest.raises(UsageError, match="'new' lacks 300 that others were asked"):
            nescio.score(counts, "accuracy", fail_under={"accuracy": 0.6})
    rows.write_text("run,question,outcome\na,1,correct\nb,2,correct\n")
    with pytest.raises(MismatchError, match="no question in common"):
        nescio.score(counted(rows, "runs", tmp_path / "none.csv", missing="common"))


def test_no_gate_rests_on_counts_that_do_not_say_what_they_leave_out(tmp_path: Path) -> None:
    """Half of new's answers have no grade, and an earlier `nescio sql` said so by the column `asked` alone."""
    head = "run,correct,incorrect,unanswered,other,missing,asked\n"
    (path := tmp_path / "runs.csv").write_text(head + "new,300,0,0,0,0,600\nold,420,180,0,0,0,600\n")
    assert "run 'new': 300 of 600 answers are not graded and left out" in map(str, nescio.score(path).notes)
    with pytest.raises(UsageError, match=r"the columns ungraded, .* are missing\. Count the answers again"):
        nescio.score(path, "accuracy", fail_under={"accuracy": 0.6})
    path.write_text(f"{head.strip()},ungraded\nnew,300,0,0,0,0,600,200\nold,420,180,0,0,0,600,0\n")
    with pytest.raises(MismatchError, match="the counts of run 'new' add up to 500, but it was asked 600"):
        nescio.score(path)


@pytest.mark.parametrize(
    ("more", "status"), [("", 0), (",ungraded", 3), (",Not graded", 3), (",missing", 3), (",ungraded,total", 3)]
)
def test_a_table_by_hand_says_what_it_leaves_out(more: str, status: int, tmp_path: Path) -> None:
    cells = {"": ("", ""), ",ungraded,total": (",300,600", ",0,600")}.get(more, (",300", ","))
    (path := tmp_path / "counts.csv").write_text(
        f"run,correct,incorrect,unanswered{more}\nnew,300,0,0{cells[0]}\nold,420,180,0{cells[1]}\n"
    )
    gates = nescio.score(path, "accuracy", fail_under={"accuracy": 0.6}).gates
    assert {gate.run: gate.status for gate in gates} == {"new": status, "old": 0}


def test_a_total_beside_ungraded_answers_makes_no_count(tmp_path: Path) -> None:
    (path := tmp_path / "counts.csv").write_text("run,correct,unanswered,total,ungraded\nnew,300,0,600,300\n")
    with pytest.raises(nescio.NescioError, match="total may include the ungraded answers: give a column 'incorrect'"):
        nescio.score(path)


def test_a_total_beside_missing_answers_may_include_them(tmp_path: Path) -> None:
    """700 right, 200 wrong and 100 missing make 1,000; the missing ones are no silence unless the table says so."""
    (path := tmp_path / "counts.csv").write_text("run,correct,incorrect,missing,n\nold,700,200,100,1000\n")
    with pytest.raises(nescio.NescioError, match="n may include the missing answers: give a column 'unanswered'"):
        nescio.score(path)
    path.write_text("run,correct,incorrect,unanswered,missing,n\nold,700,200,0,100,1000\n")
    (gate,) = nescio.score(path, "accuracy", fail_under={"accuracy": 0.7}).gates
    assert gate.status == 3
    path.write_text("run,correct,answered,unanswered,missing\nold,700,900,0,100\n")
    (gate,) = nescio.score(path, "accuracy", fail_under={"accuracy": 0.7}).gates
    assert gate.status == 3


def test_a_column_of_missing_things_that_are_no_counts_is_not_used(tmp_path: Path) -> None:
    (path := tmp_path / "counts.csv").write_text(
        "run,correct,incorrect,unanswered,missing\nA,70,20,10,none\nB,60,30,10,2%\n"
    )
    scores = nescio.score(path, "accuracy")
    assert [row.value for row in scores] == [0.7, 0.6]
    assert any("column missing not used" in str(note) for note in scores.notes)


def test_columns_and_words_are_named_as_elsewhere(tmp_path: Path) -> None:
    (path := tmp_path / "t.csv").write_text("engine,id,verdict\na,1,Yes\na,2,it's not\nb,1,yes\nb,2,\n")
    named: dict[str, Any] = {"column": {"run": "engine", "question": "id", "outcome": "verdict"}}
    words = {"yes": "correct", "it's not": "incorrect"}
    runs = counted(path, "runs", tmp_path / "runs.csv", outcome_map=words, ungraded="exclude", **named)
    assert [(row.run, row.value) for row in nescio.score(runs, "accuracy", ci=None)] == [("a", 0.5), ("b", 1.0)]
    with pytest.raises(UsageError, match="the name must be one of run, question, outcome, confidence"):
        nescio.sql("t", column={"gold": "x"})


def test_shards_without_a_run_are_found(tmp_path: Path) -> None:
    head = "run,correct,incorrect,unanswered,other,missing,asked\n"
    (path := tmp_path / "runs.csv").write_text(head + "a,1,1,0,0,0,2\nb,1,0,0,0,0,1\n")
    with pytest.raises(MismatchError, match="run 'b' was counted on 1 question, and run 'a' was counted on 2"):
        nescio.score(path)


def test_tallies_are_gone(capsys: pytest.CaptureFixture[str]) -> None:
    from nescio.cli.app import run

    with pytest.raises(SystemExit) as ended:
        run(["tally", "outcomes.csv", "-o", "all.tally"])
    assert (ended.value.code, "nescio sql" in capsys.readouterr().err) == (2, True)


@pytest.mark.parametrize("dialect", get_args(Dialect))
def test_each_dialect_is_parsed(dialect: Dialect) -> None:
    sqlglot = pytest.importorskip("sqlglot")
    text = nescio.sql("a.b", dialect=dialect, bins=10, outcome_map={"it's": "correct"}, missing="common")
    parsed = sqlglot.parse(text, read=dialect)
    assert len([one for one in parsed if one is not None]) == 3
    for one in parsed:  # what another dialect makes of it is what this one writes
        again = sqlglot.parse_one(one.sql(dialect="duckdb"), read="duckdb")
        assert {column.alias_or_name for column in again.selects} == {column.alias_or_name for column in one.selects}


# --- Other engines


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_spark_counts_the_same(answers: Path) -> None:
    sql = pytest.importorskip("pyspark.sql")
    session = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        session.read.csv(str(answers), header=True).createOrReplaceTempView("answers")
        for only in ("runs", "pairs", "confidences"):
            statement = nescio.sql("answers", dialect="spark", only=only).rstrip(";").split("\n", 1)[1]
            rows = [tuple(row) for row in session.sql(statement).collect()]
            assert rows == duckdb.execute(nescio.sql(str(answers), only=only)).fetchall()
    finally:
        session.stop()


@pytest.fixture
def postgres(tmp_path: Path) -> Iterator[list[str]]:
    """The words of a shell that starts psql on a server of its own."""
    if not all(map(shutil.which, ("initdb", "pg_ctl", "psql"))):
        pytest.skip("PostgreSQL is not installed")
    data, socket = tmp_path / "server", tmp_path
    run = ["su", "postgres", "-s", "/bin/sh", "-c"] if os.getuid() == 0 else ["sh", "-c"]
    if os.getuid() == 0:
        data.mkdir()
        shutil.chown(data, "postgres")
        for folder in (tmp_path, *tmp_path.parents[:3]):
            folder.chmod(0o777)
    made = subprocess.run([*run, f"initdb -D {data} -A trust -U postgres"], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("PostgreSQL cannot be started here")
    options = f"-c listen_addresses= -c unix_socket_directories={socket}"
    subprocess.run([*run, f"pg_ctl -D {data} -w -o '{options}' -l {data}/log start"], capture_output=True, check=True)
    yield ["psql", "-h", str(socket), "-U", "postgres", "-v", "ON_ERROR_STOP=1", "--csv", "-q"]
    subprocess.run([*run, f"pg_ctl -D {data} -m immediate stop"], capture_output=True, check=True)


@pytest.mark.slow
def test_postgres_counts_the_same(answers: Path, tmp_path: Path, postgres: list[str]) -> None:
    made = "CREATE TABLE answers (run text, question text, outcome text, confidence double precision)"
    copied = f"\\copy answers FROM '{answers}' CSV HEADER"
    subprocess.run(postgres, input=f"{made};\n{copied}\n", text=True, capture_output=True, check=True)
    for only in ("runs", "pairs", "confidences"):
        statement = nescio.sql("answers", dialect="postgres", only=only)
        found = subprocess.run(postgres, input=statement, text=True, capture_output=True, check=True)
        (tmp_path / f"{only}.csv").write_text(found.stdout)
        ours, theirs = (
            duckdb.execute(query).fetchall()
            for query in (nescio.sql(str(answers), only=only), f"SELECT * FROM '{tmp_path / only}.csv'")
        )
        assert ours == theirs
    assert figures(nescio.compare(tmp_path / "pairs.csv")) == figures(nescio.compare(answers))


_DIGESTS = ("inspect:9f86d081884c7d65", "inspect:9f86d081884c7d66")
DECIDING = {  # a column, its cells in the runs a and b, and whether counts of single runs need it, too
    "held": ("answers_held", ("2 of 4", ""), True),
    "no gate": ("no_gate_because", ("", "the run stopped"), True),
    "question": ("question_digest", _DIGESTS, False),
    "gold": ("gold_digest", _DIGESTS, False),
    "clusters": ("cluster", ("story 1", "story 1"), True),
    "abstentions": ("abstained", ("yes", ""), True),
    "judges": ("judge", ("match", "gpt-4o"), False),
    "a judge": ("judge", ("match", ""), False),
    "graders": ("grader_model", ("gpt-4o", "gpt-3.5"), False),
    "key": ("expected_answer", ("x", "y"), False),
    "texts": ("question_text", ("Who wrote it?", "Which of the two wrote it?"), False),
    "gold answers": ("expected", ("Ann", "Ann or Bob"), False),
}


@pytest.mark.parametrize("case", DECIDING)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_file_is_not_counted_if_counts_would_lose_what_decides_gates(case: str, suffix: str, tmp_path: Path) -> None:
    name, cells, always = DECIDING[case]
    text = "".join(f"{run},q{i},correct,{cell}\n" for run, cell in zip("ab", cells, strict=True) for i in (1, 2))
    (path := tmp_path / "t.csv").write_text(f"run,question,outcome,{name}\n{text}")
    if suffix == "parquet":
        made = path.with_suffix(".parquet")
        duckdb.execute(f"COPY (FROM '{path}') TO '{made}'")
        path = made
        (tmp_path / "folder.parquet").mkdir()
        shutil.copy(made, tmp_path / "folder.parquet" / "part-0.parquet")
    for given in (path, tmp_path / f"t*.{suffix}", *tmp_path.glob("folder.parquet")):
        for only in (None, "pairs", "runs", "confidences"):
            if always or only in (None, "pairs"):
                with pytest.raises(UsageError, match=f"gates depend on {name}, .* give nescio the table itself"):
                    nescio.sql(str(given), only=only)
            else:
                assert nescio.sql(str(given), only=only).startswith(f"-- {only}")


HOLLOW = {  # a column, what it says of a lost answer, and whether counts of single runs need it, too
    **{text: ("answer", text, False) for text in ("N/A", "None", "[]", "\t")},
    **{text: ("answer", text, True) for text in ("PARSE_FAIL", "[invalid]", "ERROR: timeout", "error: 429")},
    "a failed call": ("error", "timeout", True),
    "a status": ("http_status", "429", True),
}


@pytest.mark.parametrize("case", HOLLOW)
def test_outputs_that_stand_for_nothing_are_not_counted_as_abstentions(case: str, tmp_path: Path) -> None:
    name, cell, always = HOLLOW[case]
    fine = {"answer": "x", "error": "", "http_status": "200"}[name]

    def written(among: int, outcome: str) -> str:
        lost = [(run, q, run == "b" and q % among == 0) for run in "ab" for q in range(100)]
        rows = [f'{run},q{q},{outcome if bad else "correct"},"{cell if bad else fine}"' for run, q, bad in lost]
        (path := tmp_path / "t.csv").write_text("\n".join([f"run,question,outcome,{name}", *rows]))
        return str(path)

    for only in ("pairs", "runs"):
        if always or only == "pairs":
            with pytest.raises(UsageError, match=f"gates depend on {name}, .* give nescio the table itself"):
                nescio.sql(written(5, "unanswered"), only=only)
        else:
            assert nescio.sql(written(5, "unanswered"), only=only).startswith("-- runs")
        assert nescio.sql(written(50, "unanswered"), only=only).startswith(f"-- {only}")
    with pytest.raises(UsageError, match=f"gates depend on {name}"):
        nescio.sql(written(5, "skipped"), only="pairs", outcome_map={"skipped": "unanswered"})
    if not cell.casefold().startswith("error"):  # It counts as incorrect from the rows, too.
        assert nescio.sql(written(5, "incorrect"), only="pairs").startswith("-- pairs")
        assert nescio.sql(written(5, "no"), only="pairs", outcome_map={"no": "incorrect"}).startswith("-- pairs")


def test_a_text_that_is_right_somewhere_or_in_a_column_of_gold_answers_is_no_lost_output(tmp_path: Path) -> None:
    rows = [
        f"{run},q{q},{'correct' if q else 'unanswered'},invalid,{said}"
        for run, said in [("a", "None"), ("b", "x")]
        for q in range(5)
    ]
    (path := tmp_path / "t.csv").write_text("\n".join(["run,question,outcome,answer,prediction", *rows]))
    assert nescio.sql(str(path)).startswith("-- runs")


@pytest.mark.parametrize(
    "columns",
    [
        {"judge": ("match", "match"), "question_digest": (_DIGESTS[0], _DIGESTS[0]), "answers_held": ("", "")},
        {"cluster": ("", ""), "abstained": ("no", "no")},
        {"judge": ('"a judge of 2 days"', '"a judge of 2 days"')},
        {"gold_digest": (_DIGESTS[0], _DIGESTS[1].replace("inspect", "helm"))},
        {"gold_digest": ("sha1", "md5"), "answers_held": ("all", "some")},  # somebody else's columns
        {"gold": ("X ", "x"), "question_text": ("Why?", "why?"), "prompt": ("A", "B"), "annotator": ("ana", "ana")},
        {"question_text": ("Who  wrote it?", "who wrote it?"), "gold": ("Ann", " ann")},
        {"prompt": ("Be brief. Who wrote it?", "Who wrote it?")},
        {"gold_digest": (_DIGESTS[0], _DIGESTS[0]), "gold": ("Ann", "Bob")},  # in a table that nescio wrote
    ],
)
def test_a_file_in_which_these_columns_decide_nothing_is_counted(columns: Any, tmp_path: Path) -> None:
    rows = [
        ",".join([run, f"q{i}", "correct", *(cells[at] for cells in columns.values())])
        for at, run in enumerate("ab")
        for i in (1, 2)
    ]
    (path := tmp_path / "t.csv").write_text("\n".join([f"run,question,outcome,{','.join(columns)}", *rows]))
    assert nescio.sql(str(path)).startswith("-- runs")
    assert nescio.sql(str(tmp_path / "none.csv")).startswith("-- runs")  # a file of another machine
