"""What `--column ROLE=EXPRESSION` can say, and what becomes of declined answers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.errors import FormatError, MismatchError, NescioError, UsageError
from nescio.pipeline import Options
from nescio.pipeline.judging import judge
from nescio.pipeline.reading import read
from nescio.tables import wide
from nescio.tables.asking import AskedError
from nescio.tables.trying import counts_of
from tests.rings import together

TABLE = (
    "engine,prompt,n,ok,nok,grade,sure,failed,a_ok,b_ok,said,key\n"
    "x,p,1,1,0,0.9,90,,1,0,Rome,Rome\n"
    "x,p,2,0,1,0.4,50,boom,0,0,Oslo,Bern\n"
    "x,s,1,1,0,0.6,70,,1,1,Rome,Rome\n"
    "x,s,2,0,1,0.5,20,,1,0,Bern,Bern\n"
)
ONE = {"run": "-", "question": "#"}


def counts(path: Path, **options: Any) -> dict[str, tuple[int, ...]]:
    """Return right, wrong, silent and ungraded answers by run."""
    found, _ = counts_of(judge(read([path], Options(**options))).data)  # type: ignore[arg-type]
    return {run: tuple(own) for run, *own in found}


@together(
    "column, expected",
    [
        ({"run": "engine+prompt", "question": "n", "outcome": "ok"}, {"x · p": (1, 1, 0, 0), "x · s": (1, 1, 0, 0)}),
        ({**ONE, "outcome": "ok"}, {"t": (2, 2, 0, 0)}),
        ({**ONE, "outcome": "!nok"}, {"t": (2, 2, 0, 0)}),
        ({**ONE, "outcome": "!ok"}, {"t": (2, 2, 0, 0)}),
        ({**ONE, "outcome": "grade>=0.5"}, {"t": (3, 1, 0, 0)}),
        ({**ONE, "outcome": "grade>0.5"}, {"t": (2, 2, 0, 0)}),
        ({**ONE, "outcome": "!grade>0.5"}, {"t": (2, 2, 0, 0)}),
        ({**ONE, "outcome": "a_ok+b_ok"}, {"a": (3, 1, 0, 0), "b": (1, 3, 0, 0)}),
        ({**ONE, "outcome": "*_ok"}, {"a": (3, 1, 0, 0), "b": (1, 3, 0, 0)}),
        ({**ONE, "outcome": "ok", "error": "failed"}, {"t": (2, 1, 0, 1)}),
        ({**ONE, "prediction": "said", "gold": "key"}, {"t": (3, 1, 0, 0)}),
        ({"run": "prompt", "question": "n", "answer": "said", "gold": "key"}, {"p": (1, 1, 0, 0), "s": (2, 0, 0, 0)}),
    ],
)
def test_an_explicit_mapping_is_obeyed(
    tmp_path: Path, column: dict[str, str], expected: dict[str, tuple[int, ...]]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    assert counts(path, column=column) == expected


def test_a_path_of_any_depth_is_known_by_its_end(tmp_path: Path) -> None:
    """Cutting such a name at each of its parts would take hours."""
    path = tmp_path / "t.csv"
    path.write_text("model,question,output.grading.{}correct\na,q1,1\na,q2,0\n".format("a." * 100_000))
    assert counts(path) == {"a": (1, 1, 0, 0)}


def test_columns_of_several_roles_pair_by_the_runs_that_they_name(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("qid,b_ok,a_ok,a_conf,b_conf,low\n1,0,1,0.9,0.1,0\n2,1,1,0.8,0.2,0\n")
    column = {"question": "qid", "outcome": "b_ok+a_ok"}
    found: Any = read([path], Options(column={**column, "confidence": "*_conf"})).data
    confidence = dict(zip(found.runs, found.confidence.tolist(), strict=True))
    assert confidence == {"a": [0.9, 0.8], "b": [0.1, 0.2]}
    with pytest.raises(UsageError, match="outcome names b, a and confidence names a_conf, low"):
        read([path], Options(column={**column, "confidence": "a_conf+low"}))
    with pytest.raises(UsageError, match="one for each run"):
        read([path], Options(column={**column, "outcome": "a_ok", "confidence": "*_conf"}))


@pytest.mark.parametrize(
    "file",
    [
        # Equal totals for each run, but not on the same questions or not of the same run.
        "model,qid,human_correct,llm_correct\na,1,1,0\na,2,0,0\nb,1,0,1\nb,2,0,0\n",
        "model,qid,correct,refused,idk\nm,1,0,1,0\nm,2,0,0,1\nm,3,1,0,0\n",
        "model,item_id,doc_id,correct\na,1,1,1\na,2,2,0\nb,1,2,1\nb,2,1,0\n",
    ],
)
def test_readings_of_equal_totals_are_asked_about(tmp_path: Path, file: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(file)
    with pytest.raises(AskedError):
        counts(path)


def test_two_columns_of_silence_may_hold_together(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("model,qid,correct,refused,idk\nm,1,0,1,0\nm,2,0,0,1\nm,3,1,0,0\n")
    with pytest.raises(AskedError) as asked:
        counts(path)
    ways = [(way.options["column"]["abstained"], way.counts) for way in asked.value.executed]
    assert ("refused+idk", (("m", 1, 0, 2, 0),)) in ways


def test_words_are_told_before_they_are_inverted(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("qid,v\n1,A\n2,A\n3,A\n4,B\n")
    told = {"A": "correct", "B": "incorrect"}
    assert counts(path, column={"outcome": "v"}, outcome_map=told) == {"t": (3, 1, 0, 0)}
    assert counts(path, column={"outcome": "!v"}, outcome_map=told) == {"t": (1, 3, 0, 0)}


@pytest.mark.parametrize("written", ["grade>=0.5.5", "grade>=.", "grade>=1e999", "grade>=-"])
def test_a_threshold_is_a_finite_number(tmp_path: Path, written: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    with pytest.raises(UsageError):
        counts(path, column={**ONE, "outcome": written})
    assert counts(path, column={**ONE, "outcome": "grade >= 5e-1"}) == {"t": (3, 1, 0, 0)}


def test_scores_without_a_finite_scale_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("run,question,outcome\n" + "".join(f"a,q{i},inf\n" for i in range(20)))
    with pytest.raises(NescioError, match="outcome"):
        counts(path)


def test_columns_that_say_more_than_scores_make_no_matrix(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("qid,gpt_correct,gpt_confidence,llama_correct,llama_confidence\n1,0,0.5,1,0.3\n2,1,0.6,1,0.4\n")
    with pytest.raises(AskedError):
        read([path], Options())


def test_a_confidence_in_percent_is_divided(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    data: Any = read([path], Options(column={**ONE, "outcome": "ok", "confidence": "sure/100"})).data
    assert data.confidence[0].tolist() == [0.9, 0.5, 0.7, 0.2]


@together(
    "column, said",
    [
        ({"outcome": "gone"}, "there is no such column"),
        ({"run": "#"}, "numbers the rows"),
        ({"run": "!engine"}, "inverts a column of two values"),
        ({"outcome": "ok/2"}, "divides"),
        ({"confidence": "sure>=50"}, "compares with a threshold"),
        ({"judge": "engine+prompt"}, "names several columns"),
    ],
)
def test_a_form_that_a_role_has_no_use_for_is_refused(tmp_path: Path, column: dict[str, str], said: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    with pytest.raises(UsageError, match=said):
        counts(path, column={**ONE, "outcome": "ok", **column})


@together(
    "duplicates, expected",
    [("first", (2, 1, 0, 0)), ("last", (1, 2, 0, 0)), ("repeats", (2, 2, 0, 0)), ("error", None)],
)
def test_rows_that_occur_twice(tmp_path: Path, duplicates: str, expected: tuple[int, ...] | None) -> None:
    path = tmp_path / "t.csv"
    path.write_text("question_id,correct\nq1,1\nq2,0\nq1,0\nq3,1\n")
    if expected is None:
        with pytest.raises(AskedError, match="appears twice") as asked:
            counts(path)
        assert [way.options["duplicates"] for way in asked.value.executed] == ["first", "last", "repeats"]
        return
    assert counts(path, duplicates=duplicates) == {"t": expected}


@together("rest, expected", [("correct", (3, 1, 0, 0)), ("incorrect", (1, 3, 0, 0)), ("ungraded", (1, 1, 0, 2))])
def test_a_file_may_list_only_some_questions(tmp_path: Path, rest: str, expected: tuple[int, ...]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("question_id,correct\nq1,1\nq2,0\n")
    assert counts(path, total=4, rest=rest) == {"t": expected}


def test_a_file_that_lists_all_questions_lacks_none(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("question_id,correct\nq1,1\nq2,0\n")
    assert counts(path, total=2) == {"t": (1, 1, 0, 0)}


def test_a_word_may_have_a_worth(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("question_id,grade\nq1,correct\nq2,partial\nq3,incorrect\n")
    data: Any = read([path], Options(outcome_map={"partial": "0.5"}, ungraded="exclude")).data
    assert data.extra_columns["user.worth"][0].tolist() == [1.0, 0.5, 0.0]
    scores = nescio.score(path, "mean(worth)", outcome_map={"partial": "0.5"})  # of which no outcome is read
    assert [(row.value, row.n) for row in scores] == [(0.5, 3)]
    assert "outcome 'partial' read as incorrect (worth: 0.5)" in "".join(remark.text for remark in scores.notes)


# What an answer is, by whether it was declined, by the verdict on it, and by whether its question has an answer.
DECLINED = [
    ("yes", "0", "yes", (0, 0, 1, 0)),
    ("yes", "", "yes", (0, 0, 1, 0)),
    ("yes", "0", "", (0, 0, 1, 0)),
    ("yes", "1", "no", (1, 0, 0, 0)),
    ("yes", "0", "no", None),
    ("yes", "1", "yes", None),
    ("yes", "1", "", None),
    ("no", "0", "no", (0, 1, 0, 0)),
    ("no", "1", "no", None),
]


@together("abstained, verdict, answerable, expected", DECLINED)
def test_a_declined_answer_by_its_verdict_and_its_question(
    tmp_path: Path, abstained: str, verdict: str, answerable: str, expected: tuple[int, ...] | None
) -> None:
    path = tmp_path / "t.csv"
    rest = "q2,1,no,yes\nq3,0,no,yes\nq4,0,yes,yes\n"
    path.write_text(f"question_id,correct,abstained,answerable\nq1,{verdict},{abstained},{answerable}\n{rest}")
    if expected is None:
        with pytest.raises(AskedError) as asked:
            counts(path)
        assert len({way.counts for way in asked.value.executed}) > 1
    else:
        assert counts(path) == {"t": (expected[0] + 1, expected[1] + 1, expected[2] + 1, expected[3])}


def test_a_declined_answer_that_is_right_is_kept_only_if_its_question_may_have_none(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("question_id,correct,abstained,answerable\nq1,1,yes,yes\nq2,1,no,yes\nq3,0,no,yes\n")
    with pytest.raises(AskedError, match="although the questions have an answer"):
        counts(path, declined_right="keep")
    assert counts(path, declined_right="unanswered") == {"t": (1, 1, 1, 0)}
    assert counts(path, declined_right="keep", column={"answerable": "-"}) == {"t": (2, 1, 0, 0)}


@together("how, expected", [("keep", (2, 1, 0, 0)), ("unanswered", (1, 1, 1, 0))])
def test_a_declined_answer_that_is_marked_as_right(tmp_path: Path, how: str, expected: tuple[int, ...]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("question_id,correct,abstained\nq1,1,yes\nq2,1,no\nq3,0,no\n")
    assert counts(path, declined_right=how) == {"t": expected}


def test_what_no_lexicon_knows_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("question_id,verdict\nq1,flim\nq2,quut\nq3,vlo\n")
    with pytest.raises(NescioError, match=r"flim.*quut.*vlo.* mean\?"):
        counts(path)
    assert counts(path, outcome_map={"flim": "correct", "quut": "incorrect", "vlo": "unanswered"}) == {
        "t": (1, 1, 1, 0)
    }


SHARED = Path(__file__).parents[3] / "shared" / "data" / "tables4"
# By file: what is read at once, or what one of the answers to the question gives.
REAL = {
    "09.csv": [(5, 3, 0, 0), (7, 1, 0, 0)],
    "13.csv": [(4, 2, 0, 0)] * 4,
    "14.csv": [(14, 4, 0, 0)] * 2,
    "18.jsonl": [(1, 2, 0, 0), (2, 1, 0, 0), (2, 1, 0, 0)],
    "20.json": [(6, 2, 0, 0)],
    "26.jsonl": [(6, 2, 0, 0)],
    "27.jsonl": [(8, 2, 0, 0)],
    "37.json": [(11, 5, 0, 0)],
    "49a.csv": [(5, 2, 1, 0)],
    "49b.csv": [(5, 2, 1, 0)],
    "52.json": [(4, 2, 2, 0)],
    "55.jsonl": [(2, 4, 0, 0)],
    "57.csv": [(5, 3, 0, 0)],
    "60.json": [(6, 3, 0, 0)] * 2,
    "B06.csv": [(6, 6, 0, 0), (7, 5, 0, 0), (7, 5, 0, 0)],
}


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data are not here")
@together("name", [*REAL])
def test_a_table_of_a_real_shape_is_read_or_asked_about_once(name: str) -> None:
    try:
        found = [sorted(counts(SHARED / name).values())]
    except AskedError as asked:
        found = [sorted(tuple(own[1:]) for own in way.counts) for way in asked.executed]
    assert REAL[name] in found


def test_words_of_a_confidence_get_the_numbers_that_the_user_gives(tmp_path: Path) -> None:
    """Brier of .9 right, .2 wrong, .9 right, .5 wrong: (.01 + .04 + .01 + .25)/4."""
    path = tmp_path / "t.csv"
    rows = ["a,1,correct,High", "a,2,incorrect,low", "a,3,correct,high", "a,4,incorrect,so so"]
    path.write_text("\n".join(["run,question,outcome,sure", *rows]))
    words = "sure{high:0.9,so so:0.5,low:0.2}"
    scores = nescio.score(path, "Brier", column={"confidence": words}, ci=None)
    assert scores["a", "Brier"].value == pytest.approx(0.31 / 4)
    with pytest.raises(FormatError, match="gives words a number"):
        nescio.score(path, "Brier", column={"confidence": "sure"}, ci=None)
    with pytest.raises(FormatError, match="found 'so so'"):
        nescio.score(path, "Brier", column={"confidence": "sure{high:0.9,low:0.2}"}, ci=None)
    with pytest.raises(UsageError, match="each word needs a number"):
        nescio.score(path, "Brier", column={"confidence": "sure{high}"}, ci=None)
    with pytest.raises(UsageError, match="and is possible only for confidence, not for outcome"):
        nescio.score(path, "accuracy", column={"outcome": "sure{high:1}"}, ci=None)


def test_scores_that_are_averaged_need_no_outcome(tmp_path: Path) -> None:
    path = tmp_path / "graded.csv"
    rows = [f"{run},q{i},{(i + most) % 7 / 7}" for run, most in (("old", 0), ("new", 1)) for i in range(30)]
    path.write_text("\n".join(["run,question,score", *rows]))
    mean = "mean(score)"
    assert len(nescio.score(path, mean, ci=None).rows) == 2
    gates = nescio.compare(path, mean, baseline="old", fail_on_regression=True, margin=2).gates
    assert [gate.status for gate in gates] == [0]
    base = tmp_path / "base.json"
    nescio.compare(path, mean, run="old", save_baseline=base)
    assert nescio.compare(path, mean, run="new", baseline=base).rows[0].measure == mean
    path.with_name("comma.csv").write_text('run,question,score\nold,q1,"0,5"\nold,q2,"0,7"\n')
    with pytest.raises(FormatError, match="each cell must be a finite number or empty"):
        nescio.score(path.with_name("comma.csv"), mean)
    path.with_name("rewards.csv").write_text("run,question,reward\nold,q1,-3.5\nold,q2,12\nold,q3,8\n")
    assert nescio.score(path.with_name("rewards.csv"), "mean(reward)", ci=None).rows[0].value == 5.5
    for measures in ("c@1", [mean, "c@1"]):
        with pytest.raises(AskedError, match="from which value of 'score'"):
            nescio.score(path, measures)


def test_no_answer_of_a_table_of_scores_is_called_correct(tmp_path: Path) -> None:
    path, base, mean = tmp_path / "new.csv", tmp_path / "base.json", "mean(score)"
    path.write_text("id,score\n1,0.3\n2,-0.9\n3,0.5\n")
    nescio.compare(path, mean, save_baseline=base)
    assert '"correct"' not in base.read_text()
    assert nescio.score(path, mean, ci=None).notes[0].text.endswith("new.csv: read with question=id")
    graded = tmp_path / "graded.csv"
    graded.write_text("id,score,correct\n1,0.4,yes\n2,0.1,no\n3,0.5,yes\n")
    (row,) = nescio.compare(graded, mean, baseline=base)
    assert row.difference == pytest.approx((0.1 + 1.0 + 0) / 3)
    with pytest.raises(MismatchError, match="the baseline has scores, but these files hold only outcomes"):
        nescio.compare(graded, "c@1", baseline=base)
    nescio.compare(graded, mean, save_baseline=base)  # with outcomes, because the table has them
    (back,) = nescio.compare(path, mean, baseline=base)
    assert back.difference == pytest.approx(-row.difference)


def test_a_report_averages_the_scores_that_its_measure_names(tmp_path: Path) -> None:
    path, page = tmp_path / "new.csv", tmp_path / "page.html"
    path.write_text("id,score\n1,0.3\n2,0.9\n3,0.6\n")
    made = nescio.report(path, "mean(score)", output=page)
    assert made.scores.rows[0].value == pytest.approx(0.6)
    assert "does not say which answers are right or wrong" in str(made.results)
    with pytest.raises(AskedError, match="from which value of 'score'"):
        nescio.report(path, output=page)


@together("ungraded, n", [("exclude", 2), ("incorrect", 2)])
def test_an_answer_without_a_score_is_no_answer_with_a_score(tmp_path: Path, ungraded: Any, n: int) -> None:
    path = tmp_path / "new.csv"
    path.write_text("id,score\n1,0.3\n2,\n3,0.6\n")
    with pytest.raises(MismatchError, match="question '2': the answer is not graded"):
        nescio.score(path, "mean(score)")
    (row,) = nescio.score(path, "mean(score)", ci=None, ungraded=ungraded)
    assert (row.value, row.n) == (pytest.approx(0.45), n)


@together("ungraded", ["error", "exclude", "incorrect", "bounds"])
def test_a_score_lacks_no_grade(tmp_path: Path, ungraded: Any) -> None:
    path = tmp_path / "t.csv"
    rows = [
        f"{run},q{i},{(i % 7 + more * (1 + i % 3)) / 12}" for run, more in (("old", 0), ("new", 1)) for i in range(200)
    ]
    path.write_text("\n".join(["run,question,score", *rows]))
    how: dict[str, Any] = {"baseline": "old", "fail_on_regression": True, "margin": 0.02, "ungraded": ungraded}
    made = nescio.compare(path, "mean(score)", **how)
    assert [gate.status for gate in made.gates] == [0]
    assert not any("graded" in remark.text for remark in made.notes)


def test_names_of_many_runs_are_split_a_few_times_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of 60 columns belongs to another run. No name is split once for each of the other names."""
    split, names = wide._splits, Counter[str]()

    def counted(column: str) -> Any:
        names[column] += 1
        return split(column)

    monkeypatch.setattr(wide, "_splits", counted)
    columns = [f"m{i}_correct" for i in range(60)]
    path = tmp_path / "wide.csv"
    path.write_text(f"id,{','.join(columns)}\n" + "".join(f"q{j},{','.join('01' * 30)}\n" for j in range(3)))
    how = {"run": "-", "question": "id", "outcome": "+".join(columns)}
    assert len(nescio.score(path, "accuracy", ci=None, column=how).rows) == 60
    assert 0 < max(names.values()) < 20
