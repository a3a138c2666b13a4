"""The verbs, called as Python calls them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nescio
from nescio.data.outcomes import STATES
from nescio.errors import FormatError, MismatchError, UnknownNameError, UsageError
from nescio.judging.llm.connecting import ModelOptions, warnings
from nescio.systems.definitions import bundled as definitions
from nescio.systems.reading import bundled as stories
from nescio.verbs._gates import CANNOT_TELL, FAILED, PASSED, Limit, exit_status, regression_gates, score_gates

EXAMPLES = Path(__file__).parents[2] / "examples"
OUTCOMES = EXAMPLES / "outcomes.csv"
TABLE = pl.DataFrame(
    {
        "run": ["a"] * 3 + ["b"] * 3,
        "question": ["q1", "q2", "q3"] * 2,
        "outcome": ["correct", "incorrect", "unanswered", "correct", "correct", "unanswered"],
        "confidence": [0.9, 0.4, 0.2, 0.8, 0.7, 0.1],
    }
)


def lines(path: Path, *rows: object) -> Path:
    """Write JSON Lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def answers(tmp_path: Path) -> list[Path]:
    """Two questions, and a run that answers one of them right and one wrong."""
    gold = ({"id": str(i), "question": "?", "answers": [text]} for i, text in enumerate(("Ann", "Oslo")))
    run = ({"id": str(i), "answer": text, "support": f"{text} is it."} for i, text in enumerate(("Ann", "Rome")))
    return [lines(tmp_path / "questions.jsonl", *gold), lines(tmp_path / "mine.jsonl", *run)]


# ---- check ----


def test_check_counts_what_a_table_in_memory_holds() -> None:
    (summary,) = nescio.check(TABLE)
    assert (summary.format, summary.problems, summary.error) == ("outcomes", (), None)
    assert summary.contents is not None
    assert (summary.contents.questions, summary.contents.judge_from) == (3, None)
    first, second = (dict(run.sums) for run in summary.contents.runs)
    assert (first["correct"], first["incorrect"], first["unanswered"]) == (1, 1, 1)
    assert (second["correct"], second["incorrect"], second["unanswered"]) == (2, 0, 1)
    assert str(summary).startswith("format   outcomes: ")


def test_check_keeps_the_error_of_a_broken_file_and_says_what_it_was_taken_for(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("run,question,outcome\na,q1,perhaps\n")
    (summary,) = nescio.check(path)
    assert isinstance(summary.error, FormatError)
    assert (summary.format, summary.contents, summary.problems) == ("outcomes", None, (str(summary.error),))


def test_check_says_what_is_missing_of_questions_alone(answers: list[Path]) -> None:
    (summary,) = nescio.check(answers[0])
    assert summary.contents is not None
    assert (summary.contents.questions, summary.contents.runs) == (2, ())
    assert summary.problems == ("there are only questions; nothing can be counted without answers to them",)


# ---- judge, convert ----


def test_judge_gives_outcomes_that_can_be_written_and_scored(answers: list[Path], tmp_path: Path) -> None:
    judged = nescio.judge(answers, judge="token_f1(threshold=0.5)")
    assert (judged.judge, judged.by_people, judged.people) == ("token_f1(threshold=0.5)", False, None)
    assert judged.write(tmp_path / "j.csv").what == "2 outcomes of 1 run"
    assert nescio.score(tmp_path / "j.csv", "accuracy", ci=None).value("mine", "accuracy") == 0.5
    with pytest.raises(UsageError, match="against"):
        judged.agreement()
    with pytest.raises(UsageError, match="an outcome table is written to"):
        judged.write(tmp_path / "j.xml")


def test_judge_is_held_against_people(answers: list[Path], tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    people.write_text("run,question,verdict\nmine,0,yes\nmine,1,yes\n")
    judged = nescio.judge(answers, against=people)
    head, *lines = [line.split() for line in str(judged).splitlines()[1:] if not line.startswith("note: ")]
    assert head == ["run", "correct", "incorrect", "unanswered", "n"]
    for run, states in zip(judged.outcomes.runs, judged.outcomes.state.tolist(), strict=True):
        assert [run, *(str(states.count(STATES[word])) for word in head[1:4]), str(len(states))] in lines
    assert "array" not in repr(judged)
    rows = {row["run"]: row for row in judged.agreement(resamples=20).records()}
    assert (rows["mine"]["answers"], rows["mine"]["agreement"]) == (2, 0.5)
    theirs = nescio.judge(answers, judge="human", against=people)
    assert (theirs.judge, theirs.by_people) == ("human", True)
    assert theirs.outcomes.state.sum() != judged.outcomes.state.sum()


def test_a_model_is_asked_for_by_its_options_and_only_where_it_judges(answers: list[Path]) -> None:
    with pytest.raises(UsageError, match='max_calls is for judge="llm"'):
        nescio.judge(answers, max_calls=1)
    with pytest.raises(UsageError, match='judge="llm" needs base_url'):
        nescio.judge(answers, judge="llm")
    with pytest.raises(UsageError, match="NO_SUCH_KEY holds no key"):
        nescio.judge(answers, judge="llm", base_url="http://localhost:1/v1", model="m", api_key_env="NO_SUCH_KEY")


def test_a_key_that_goes_unencrypted_is_said_before_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "secret")

    def codes(url: str) -> list[str]:
        return [each.code for each in warnings(ModelOptions(base_url=url, model="m", api_key_env="A_KEY"))]

    assert codes("http://example.org/v1") == ["llm.not_encrypted"]
    assert codes("https://example.org/v1") == codes("http://localhost:1/v1") == []
    assert warnings(ModelOptions()) == []


def test_convert_says_what_it_read_and_wrote(answers: list[Path], tmp_path: Path) -> None:
    converted = nescio.convert(answers, tmp_path / "out.csv")
    assert (converted.format, converted.judge, converted.output) == ("questions", "fitting", tmp_path / "out.csv")
    assert str(converted) == f"read questions, judged by fitting; wrote {converted.what} to {tmp_path / 'out.csv'}"
    assert nescio.convert(tmp_path / "out.csv", tmp_path / "again.jsonl").judge == ""


# ---- report ----


def test_report_writes_a_page_and_its_charts_and_gives_the_scores(tmp_path: Path) -> None:
    made: Any = nescio.report(OUTCOMES, "c@1", output=tmp_path / "r.html", resamples=20)
    assert (made.page, made.figures) == (tmp_path / "r.html", ())
    assert made.scores.value("mine", "c@1") == nescio.score(OUTCOMES, "c@1", ci=None).value("mine", "c@1")
    assert "outcomes.csv" in (tmp_path / "r.html").read_text()
    with pytest.raises(UsageError, match=r"the page is written to \.html or \.htm"):
        nescio.report(OUTCOMES, output=tmp_path / "r.pdf")


def test_report_writes_no_page_that_is_not_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert nescio.report(OUTCOMES, "c@1", resamples=20).page is None
    assert nescio.report(OUTCOMES, "c@1", figures="figures", resamples=20).page is None
    assert [path.name for path in tmp_path.iterdir()] == ["figures"]


def test_report_since_a_baseline_is_the_page_of_a_change_and_gives_the_comparison_of_its_two_runs(
    tmp_path: Path,
) -> None:
    page = tmp_path / "d.html"
    made: Any = nescio.report(OUTCOMES, "c@1", output=page, baseline="old", run="mine", resamples=50)
    (row,) = made.scores
    assert (made.page, made.figures, row.baseline, row.run) == (page, (), "old", "mine")
    assert made.scores.rows == nescio.compare(OUTCOMES, "c@1", baseline="old", run="mine", resamples=50).rows
    assert "old → mine" in page.read_text()
    with pytest.raises(MismatchError, match="there are 3 runs"):
        nescio.report(OUTCOMES, output=page, baseline="old")
    with pytest.raises(TypeError, match="did you mean margin"):
        nescio.report(OUTCOMES, output=page, baseline="old", margn=0.1)  # type: ignore[call-arg]


# ---- gates, tune ----


def test_gates_pass_fail_and_cannot_tell() -> None:
    scores = nescio.score(OUTCOMES, "c@1", resamples=200)
    (row,) = (row for row in scores if row.run == "old")
    assert row.low is not None
    statuses = {
        limit: next(gate.status for gate in score_gates(scores, [Limit("c@1", limit)]) if gate.run == "old")
        for limit in (0.01, row.value, 0.99)
    }
    assert statuses == {0.01: PASSED, row.value: CANNOT_TELL, 0.99: FAILED}
    assert exit_status(score_gates(scores, [Limit("c@1", 0.01), Limit("c@1", 0.99)])) == FAILED
    assert exit_status([]) == PASSED
    with pytest.raises(UsageError, match=r'use fail_under=\{"c@1": VALUE\}'):
        score_gates(scores, [Limit("c@1", 0.5, ceiling=True)])
    with pytest.raises(UsageError, match="which is not scored"):
        score_gates(scores, [Limit("accuracy", 0.5)])


def test_a_gate_on_regressions_asks_of_each_run_and_measure_that_is_gated() -> None:
    comparisons = nescio.compare(OUTCOMES, ["c@1", "accuracy"], baseline="old", resamples=200)
    gates = regression_gates(comparisons)
    assert [(gate.run, gate.asked) for gate in gates] == [
        ("mine", "c@1 at most 0.01 worse than old"),
        ("other", "c@1 at most 0.01 worse than old"),
    ]
    assert len(regression_gates(comparisons, ["c@1", "accuracy"])) == 4


def test_a_tuned_run_is_written_where_there_is_a_threshold(tmp_path: Path) -> None:
    tuned: Any = nescio.tune(OUTCOMES, run="mine", resamples=20, output=tmp_path / "mine.csv")
    assert tuned.wrote == (f"wrote run 'mine' with the threshold applied, 70 questions to {tmp_path / 'mine.csv'}",)
    assert nescio.score(tmp_path / "mine.csv", "c@1", ci=None).value("mine", "c@1") == tuned.rows[0].value_in_sample
    nothing: Any = nescio.tune(OUTCOMES, run="mine", max_risk=0.0001, resamples=20, output=tmp_path / "no.csv")
    assert "there is no threshold to apply" in nothing.wrote[0]
    assert not (tmp_path / "no.csv").exists()


# ---- ave, nuggets, read ----


def test_a_collection_is_built_and_validators_are_scored_on_it(answers: list[Path], tmp_path: Path) -> None:
    people, collection = tmp_path / "judged.csv", tmp_path / "made.xml"
    people.write_text("run,question,verdict\nmine,0,right\nmine,1,false\n")
    words = {"right": "correct", "false": "incorrect"}
    counted = nescio.ave.build(answers, collection, judgements=people, language="EN", outcome_map=words)
    (row,) = counted.records()
    assert (row["questions"], row["validated"], row["rejected"]) == (2, 1, 1)
    assert nescio.ave.baselines(collection, ci=None).value("100% VALIDATED", "ave.recall") == 1
    with pytest.raises(UsageError, match="without takes"):
        nescio.ave.build(answers, tmp_path / "x.xml", without=["short"])  # type: ignore[list-item]
    with pytest.raises(UsageError, match=r"a collection is written to \.xml"):
        nescio.ave.build(answers, tmp_path / "x.txt")
    assert nescio.ave.table12().records()


def test_only_a_collection_is_validated(tmp_path: Path) -> None:
    path = tmp_path / "x.xml"
    path.write_text("<pairs><pair id='1'><t>a</t><h>b</h></pair></pairs>")
    with pytest.raises(MismatchError, match="needs both right and wrong answers"):
        nescio.ave.validate.train(path, tmp_path / "m.json")
    with pytest.raises(UsageError, match=r"a model is written to \.json"):
        nescio.ave.validate.train(path, tmp_path / "m.bin")


def test_definitions_are_answered_and_scored(tmp_path: Path) -> None:
    targets, folder = definitions() / "key.jsonl", definitions() / "texts"
    answered = nescio.nuggets.answer(targets, folder, tmp_path / "run.jsonl", threshold=0.0)
    assert answered.answered <= answered.questions
    assert str(answered).startswith(f"run answers {answered.answered} of {answered.questions} questions; wrote ")
    scores = nescio.nuggets.score([targets, tmp_path / "run.jsonl"], beta=5, ci=None)
    assert any(row.measure.endswith("(beta=5)") for row in scores)
    named = nescio.nuggets.score([targets, tmp_path / "run.jsonl"], "nuggets.automatic_F", beta=5, ci=None)
    assert [row.measure for row in named] == ["nuggets.automatic_F(beta=5)"]
    with pytest.raises(UsageError, match="has none"):
        nescio.nuggets.score([targets, tmp_path / "run.jsonl"], "nuggets.automatic_NR", beta=5)


def test_stories_are_read_and_answers_marked(tmp_path: Path) -> None:
    files = [stories() / name for name in ("questions.jsonl", "stories.jsonl")]
    answered = nescio.read.answer(files, tmp_path / "r.jsonl", system="deep-read", by_sentence=True)
    assert (answered.run, answered.questions) == ("deep-read@0.00", 70)
    marks = nescio.read.score([*files, answered.output], keep_pronouns=True, correlations=True, ci=None)
    assert [row.measure for row in marks] == ["read.recall", "read.precision", "read.HumSent", "read.AutSent"]
    assert "keep_pronouns=true" in str(marks.signature)
    assert [each.code for each in marks.notes if each.code == "read.few_runs"] == ["read.few_runs"]
    assert len(marks.records("correlations")) == 6
    with pytest.raises(UsageError, match="is for the judge deep_read"):
        nescio.read.score([*files, answered.output], keep_pronouns=True, judge="exact")
    exact = nescio.read.score([*files, answered.output], judge="exact", ci=None)
    assert {row.measure for row in exact} >= {"c@1", "accuracy"}
    with pytest.raises(UnknownNameError, match="did you mean deep-read"):
        nescio.read.answer(files, tmp_path / "s.jsonl", system="deep-red")
