"""Labels of answers that a run no longer gives decide nothing, and labels of present answers always count."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nescio
from tests.campaign import made

RIGHT = 160  # of 200 answers by the judge
READ: dict[str, Any] = {"judge": "contains"}


def is_new(number: int, changed: int) -> bool:
    """Return whether this answer is among the `changed` ones of 200, which are spread evenly over the questions."""
    return number % 10 < changed / 20


def said(number: int, changed: int) -> str:
    """Return the answer to a question. New answers are wrong, and the judge does not notice."""
    if number >= RIGHT:
        return f"{'the ' * is_new(number, changed)}village{number}"
    return f"not town{number}, but village{number}" if is_new(number, changed) else f"town{number}"


def files(folder: Path, changed: int) -> list[Path]:
    """Write 200 questions and a run."""
    questions = [{"id": f"q{i}", "question": f"Where is {i}?", "answers": [f"town{i}"]} for i in range(200)]
    run = [{"id": f"q{i}", "answer": said(i, changed)} for i in range(200)]
    return [made.lines(folder / "questions.jsonl", questions), made.lines(folder / "bot.jsonl", run)]


def labels(changed: int = 0) -> list[dict[str, Any]]:
    """Return people's verdicts on all old answers, or on the `changed` ones, which are wrong."""
    return [
        {
            "run": "bot",
            "question": f"q{i}",
            "answer": said(i, changed),
            "verdict": "correct" if i < RIGHT and not changed else "incorrect",
        }
        for i in range(200)
        if not changed or is_new(i, changed)
    ]


def gated(given: list[Path], people: list[dict[str, Any]]) -> Any:
    (gate,) = nescio.score(given, "accuracy", labels=people, fail_under={"accuracy": 0.7}, **READ).gates
    return gate


def test_a_gate_by_labels_of_other_answers_cannot_tell(tmp_path: Path) -> None:
    assert gated(files(tmp_path, 0), labels()).status == 0
    gate = gated(files(tmp_path, 60), labels())
    assert gate.status == 3
    assert "30.0% of the labels are for answers that the run no longer gives" in gate.said


@pytest.mark.parametrize("odds", [{}, {"inclusion": 0.5}])
def test_a_gate_by_labels_of_other_runs_answers_cannot_tell(tmp_path: Path, odds: dict[str, float]) -> None:
    """Labels name texts, not runs: a run that words 30% of its answers differently has no label on these."""
    people = [{name: row[name] for name in ("question", "answer", "verdict")} | odds for row in labels()]
    assert gated(files(tmp_path, 0), people).status == 0
    given = files(tmp_path, 60)
    gate = gated(given, people)
    assert (gate.status, "30.0% of the run's answers to labelled questions have no label" in gate.said) == (3, True)
    more = [{name: row[name] for name in ("question", "answer", "verdict")} | odds for row in labels(60)]
    assert gated(given, [*people, *more]).status == 1, "with a label of each answer"
    table = made.lines(tmp_path / "people.jsonl", people)
    judged = nescio.judge(given, judge="contains", against=table)
    with pytest.raises(nescio.MismatchError, match="60 answers have no judgement, though other answers to the same"):
        judged.certificate(blind=True)


def test_labels_of_other_answers_are_noticed_in_a_table_of_outcomes(tmp_path: Path) -> None:
    """The table has the column `answer`, and its own outcomes."""

    def table(changed: int) -> list[Path]:
        rows = ["run,question,answer,outcome"]
        rows += [f'bot,q{i},"{said(i, changed)}",{"correct" if i < RIGHT else "incorrect"}' for i in range(200)]
        return [made.text(tmp_path / "outcomes.csv", "\n".join(rows) + "\n")]

    def gate(changed: int) -> Any:
        (one,) = nescio.score(table(changed), "accuracy", labels=labels(), fail_under={"accuracy": 0.7}).gates
        return one

    assert gate(0).status == 0
    assert gate(60).status == 3
    assert "30.0% of the labels are for answers that the run no longer gives" in gate(60).said


def test_a_look_at_labels_of_other_answers_cannot_tell(tmp_path: Path) -> None:
    def verdict(changed: int) -> str:
        given = files(tmp_path, changed)
        (row,) = nescio.labels.look(given, labels=labels(), measure="accuracy", limit=0.7, **READ).rows
        return str(row.verdict)

    assert verdict(0) == "stop: above 0.7"
    assert verdict(60).startswith("cannot tell, as 30.0% of the labels")


@pytest.mark.parametrize("order", [1, -1])
def test_the_label_of_the_present_answer_counts_wherever_it_is(tmp_path: Path, order: int) -> None:
    """People judged 60 new answers, all of them wrong: of 160 right ones, 112 are left."""
    people = [*labels(), *labels(60)][::order]
    given = files(tmp_path, 60)
    assert nescio.score(given, "accuracy", labels=people, **READ).rows[0].value == pytest.approx(112 / 200)
    assert gated(given, people).status == 1


RANKED: list[dict[str, Any]] = [
    {"id": "a", "answer": "Paris"},
    {"id": "a", "answer": "Lyon", "rank": 2},
    {"id": "b", "answer": "Toledo"},
    {"id": "b", "answer": "Madrid", "rank": 2},
]


def ranked(folder: Path) -> list[Path]:
    """Write two questions and a run with two ranks."""
    questions = [{"id": name, "question": f"What is {name}?", "answers": ["Paris", "Madrid"]} for name in "ab"]
    return [made.lines(folder / "questions.jsonl", questions), made.lines(folder / "bot.jsonl", RANKED)]


@pytest.mark.parametrize("run", ["run,", ""])
def test_a_verdict_without_a_text_holds_for_no_other_rank(run: str, tmp_path: Path) -> None:
    """`nescio judge` writes such verdicts, of the answers of rank 1."""
    given, name = ranked(tmp_path), "bot," if run else ""
    table = made.text(tmp_path / "j.csv", f"{run}question,verdict\n{name}a,R\n{name}b,W\n")
    built = nescio.ave.build(given, tmp_path / "ave.xml", judgements=table, language="EN")
    (row,) = built.rows
    assert (row.validated, row.rejected, row.unknown) == (1, 1, 2)
    assert "judgements.stale" not in {one.code for one in built.notes}
    out = tmp_path / "out.csv"
    nescio.judge(given, judge="human", against=table, output=out)
    assert nescio.score(out, "accuracy", ci=None).value("bot", "accuracy") == 0.5


def test_a_text_that_the_run_gives_at_another_rank_is_not_stale(tmp_path: Path) -> None:
    given, codes = ranked(tmp_path), []
    for more in ("", "bot,b,Sevilla,R\n"):
        table = made.text(tmp_path / "j.csv", f"run,question,answer,verdict\nbot,a,Lyon,W\nbot,b,Toledo,W\n{more}")
        built = nescio.ave.build(given, tmp_path / "ave.xml", judgements=table, language="EN")
        assert (built.rows[0].rejected, built.rows[0].unknown) == (2, 2)
        codes.append([str(one) for one in built.notes if one.code == "judgements.stale"])
    assert codes[0] == []
    (said_of_sevilla,) = codes[1]
    assert "1 judgement is for an answer that the run no longer gives" in said_of_sevilla


def test_verdicts_on_one_text_at_two_ranks_are_kept_apart(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": "a", "answer": "Paris", "support": "x" * 701},
        {"id": "a", "answer": "Paris", "rank": 2},
    ]
    given = [ranked(tmp_path)[0], made.lines(tmp_path / "bot.jsonl", rows)]
    table = made.text(tmp_path / "j.csv", "run,question,answer,verdict,rank\nbot,a,Paris,U,\nbot,a,Paris,R,2\n")
    (row,) = nescio.ave.build(given, tmp_path / "ave.xml", judgements=table, language="EN").rows
    assert (row.answers, row.validated) == (1, 1)
    nescio.judge(given, judge="human", against=table, output=tmp_path / "out.csv")
    assert nescio.score(tmp_path / "out.csv", "accuracy", ci=None).value("bot", "accuracy") == 0  # that of rank 1


@pytest.mark.parametrize("run", ["run,", ""])
def test_a_verdict_on_a_lower_rank_says_nothing_of_the_first(run: str, tmp_path: Path) -> None:
    """A table of outcomes has no texts, and a run alone needs no name. Of rank 1, people judged b only."""
    given, name, out = ranked(tmp_path), "bot," if run else "", tmp_path / "out.csv"
    nescio.judge(given, judge="exact", output=out)
    table = made.text(tmp_path / "j.csv", f"{run}question,rank,verdict\n{name}a,2,R\n{name}b,1,W\n{name}b,2,R\n")
    for source in (given, out):
        (row,) = nescio.score(source, "accuracy", labels=table).tables["labels"]
        assert (row.labels, row.answers) == (1, 2)


def test_people_judge_an_answer_at_each_rank(tmp_path: Path) -> None:
    """Ana and Ben differ on rank 2 alone."""
    given = ranked(tmp_path)
    rows = "bot,a,1,R,ana\nbot,a,2,W,ana\nbot,a,1,R,ben\nbot,a,2,R,ben\nbot,b,1,W,ana\nbot,b,1,W,ben\n"
    table = made.text(tmp_path / "j.csv", f"run,question,rank,verdict,assessor\n{rows}")
    settled = nescio.lab.assessors(table, output=tmp_path / "one.csv")
    assert [(row.question_id, row.rank, row.verdict) for row in settled.tables["verdicts"]] == [
        ("a", None, "correct"),
        ("a", 2, None),
        ("b", None, "incorrect"),
    ]
    for people in (tmp_path / "one.csv", table):
        if people == table:
            made.edit(table, "bot,a,2,R,ben", "bot,a,2,W,ben")
        nescio.judge(given, judge="human", against=people, output=tmp_path / "out.csv")
        assert nescio.score(tmp_path / "out.csv", "accuracy", ci=None).value("bot", "accuracy") == 0.5


@pytest.mark.parametrize("ranks", ["0 1", "1.5 2"])
def test_a_column_whose_cells_are_no_ranks_is_none(ranks: str, tmp_path: Path) -> None:
    first, second = ranks.split()
    table = made.text(tmp_path / "j.csv", f"run,question,rank,verdict\nbot,a,{first},R\nbot,b,{second},W\n")
    nescio.judge(ranked(tmp_path), judge="human", against=table, output=tmp_path / "out.csv")
    assert nescio.score(tmp_path / "out.csv", "accuracy", ci=None).value("bot", "accuracy") == 0.5


@pytest.mark.parametrize("word", ["", "?", "not judged"])
def test_an_answer_that_nobody_judged_hides_no_verdict_on_an_equal_one(word: str, tmp_path: Path) -> None:
    questions = [{"id": "a", "question": "What is a?", "answers": ["Paris"]}]
    given = [made.lines(tmp_path / "questions.jsonl", questions)]
    given += [made.lines(tmp_path / f"{name}.jsonl", RANKED[:1]) for name in ("one", "two")]
    table = made.text(tmp_path / "j.csv", f"run,question,verdict\none,a,{word}\ntwo,a,R\n")
    built = nescio.ave.build(given, tmp_path / "ave.xml", judgements=table, language="EN")
    assert (built.rows[0].validated, built.rows[0].unknown) == (1, 0)
    assert "ave.duplicates_differ" not in {one.code for one in built.notes}


def test_a_column_that_holds_no_ranks_tells_no_answers_apart(tmp_path: Path) -> None:
    table = made.text(tmp_path / "j.csv", "run,question,verdict,rank,round\nb,a,W,high,1\nb,a,R,low,2\nb,c,R,low,1\n")
    verdicts = nescio.lab.assessors(table).tables["verdicts"]
    assert [(one.question_id, one.of, one.rank) for one in verdicts] == [("a", 2, None), ("c", 1, None)]


@pytest.mark.parametrize("names", [("1", "2"), ("1.0", "2.0"), ("1-1", "1-2"), ("ana", "2026")])
def test_a_note_names_a_column_that_is_read_as_the_assessor(names: tuple[str, str], tmp_path: Path) -> None:
    rows = "b,a,W,{0}\nb,a,R,{1}\nb,c,R,{0}\n".format(*names)
    table = made.text(tmp_path / "j.csv", f"run,question,verdict,round\n{rows}")
    (told,) = [one for one in nescio.lab.assessors(table).notes if one.code == "judgements.assessor"]
    assert (told.subject, told["column"]) == (str(table), "round")


def test_a_column_with_another_value_in_each_row_names_no_assessors(tmp_path: Path) -> None:
    table = made.text(tmp_path / "j.csv", "run,question,verdict,item\nb,a,W,x\nb,a,R,y\nb,c,R,z\n")
    with pytest.raises(nescio.MismatchError, match="the table does not name two or more assessors"):
        nescio.lab.assessors(table)


@pytest.mark.parametrize("times", [("2026-01-01", "2026-01-02T10:00:00"), ("9:30", "10:15"), ("1/2/2026", "3.2.2026")])
def test_a_column_of_times_names_no_assessors(tmp_path: Path, times: tuple[str, str]) -> None:
    rows = "b,a,W,{0}\nb,a,R,{1}\nb,c,R,{0}\nb,d,R,\n".format(*times)
    table = made.text(tmp_path / "j.csv", f"run,question,verdict,judged_at\n{rows}")
    with pytest.raises(nescio.MismatchError, match="the table does not name two or more assessors"):
        nescio.lab.assessors(table)


def test_an_answer_that_needs_no_verdict_is_none_that_nobody_judged(tmp_path: Path) -> None:
    """Run b declines every fourth question in words, and every fourth is unanswerable; people judged all other answers."""
    wrong = ("a", "b", "c")
    rows: list[dict[str, Any]] = []
    for i in range(60):
        for run, text in (("a", wrong[i % 3]), ("b", wrong[(i + 1) % 3])):
            declines = run == "b" and i % 4 == 0
            outcome = "unanswered" if declines else "correct" if text == "a" and i % 4 != 1 else "incorrect"
            own = {"run": run, "question": f"q{i}", "answer": "I don't know" if declines else text}
            rows.append({**own, "outcome": outcome, "answerable": i % 4 != 1})
    people = [
        {"question": row["question"], "answer": row["answer"], "verdict": row["outcome"]}
        for row in rows
        if row["outcome"] != "unanswered" and (row["answerable"] or row["run"] == "a")
    ]
    table = made.lines(tmp_path / "people.jsonl", people)
    outcomes = made.lines(tmp_path / "outcomes.jsonl", rows)
    notes = [
        *nescio.score(outcomes, "accuracy", labels=table).notes,
        *nescio.judge(outcomes, against=table).agreement().notes,
    ]
    assert "judgements.other_texts" not in {one.code for one in notes}
    made.lines(tmp_path / "people.jsonl", [one for one in people if (one["question"], one["answer"]) != ("q2", "c")])
    (lacking,) = [
        one for one in nescio.score(outcomes, "accuracy", labels=table).notes if one.code == "judgements.other_texts"
    ]
    assert (lacking["run"], lacking["question"], lacking["answers"]) == ("a", "q2", 1)


def test_an_answer_to_an_unanswerable_question_needs_no_verdict(tmp_path: Path) -> None:
    questions = [{"id": f"q{i}", "question": f"What is {i}?", "answerable": i > 0} for i in range(4)]
    given = [made.lines(tmp_path / "questions.jsonl", questions)]
    for run in "ab":
        given.append(made.lines(tmp_path / f"{run}.jsonl", [{"id": f"q{i}", "answer": run} for i in range(4)]))
    both = [f"q{i},{run},R" for run in "ab" for i in range(4)]
    for left_out, codes in (("q0,b,R", 0), ("q1,b,R", 1)):
        rows = "\n".join(["question,answer,verdict", *(row for row in both if row != left_out)])
        table = made.text(tmp_path / "people.csv", f"{rows}\n")
        notes = nescio.judge(given, judge="human", against=table).notes
        assert [one.code for one in notes].count("judgements.other_texts") == codes
