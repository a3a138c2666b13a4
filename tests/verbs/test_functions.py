"""The verbs, called as Python calls them: what they give back, and what they say of files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nescio
from nescio.data.outcomes import STATES
from nescio.errors import FormatError, MismatchError, NescioError, UsageError
from nescio.judging.llm.connecting import ModelOptions, warnings
from nescio.tasks.nuggets.definitions import bundled as definitions
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


def test_check_gives_what_files_hold_and_keeps_the_error_of_a_broken_one(answers: list[Path], tmp_path: Path) -> None:
    (summary,) = nescio.check(TABLE)
    assert (summary.format, summary.problems, summary.error) == ("outcomes", (), None)
    assert summary.contents is not None
    assert (summary.contents.questions, summary.contents.judge_from) == (3, None)
    first, second = (dict(run.sums) for run in summary.contents.runs)
    assert (first["correct"], first["incorrect"], first["unanswered"]) == (1, 1, 1)
    assert (second["correct"], second["incorrect"], second["unanswered"]) == (2, 0, 1)
    assert str(summary).startswith("format   outcomes: ")
    (path := tmp_path / "t.csv").write_text("run,question,outcome\na,q1,perhaps\n")
    (broken,) = nescio.check(path)
    assert isinstance(broken.error, FormatError)
    assert (broken.format, broken.contents, broken.problems) == ("outcomes", None, (str(broken.error),))
    (alone,) = nescio.check(answers[0])
    assert alone.contents is not None
    assert (alone.contents.questions, alone.contents.runs) == (2, ())


def test_judge_gives_outcomes_that_can_be_written_and_held_against_people(answers: list[Path], tmp_path: Path) -> None:
    judged = nescio.judge(answers, judge="token_f1(threshold=0.5)")
    assert (judged.judge, judged.by_people, judged.people) == ("token_f1(threshold=0.5)", False, None)
    assert judged.write(tmp_path / "j.csv").what == "2 outcomes of 1 run"
    assert nescio.score(tmp_path / "j.csv", "accuracy", ci=None).value("mine", "accuracy") == 0.5
    with pytest.raises(UsageError, match="against"):
        judged.agreement()
    with pytest.raises(UsageError, match="an outcome table is written to"):
        judged.write(tmp_path / "j.xml")
    (people := tmp_path / "people.csv").write_text("run,question,verdict\nmine,0,yes\nmine,1,yes\n")
    judged = nescio.judge(answers, against=people)
    head, *cells = [line.split() for line in str(judged).splitlines()[1:] if not line.startswith("note: ")]
    assert head == ["run", "correct", "incorrect", "unanswered", "n"]
    for run, states in zip(judged.outcomes.runs, judged.outcomes.state.tolist(), strict=True):
        assert [run, *(str(states.count(STATES[word])) for word in head[1:4]), str(len(states))] in cells
    assert "array" not in repr(judged)
    rows = {row["run"]: row for row in judged.agreement(resamples=20).records()}
    assert (rows["mine"]["answers"], rows["mine"]["agreement"]) == (2, 0.5)
    theirs = nescio.judge(answers, judge="human", against=people)
    assert (theirs.judge, theirs.by_people) == ("human", True)
    assert theirs.outcomes.state.sum() != judged.outcomes.state.sum()


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


def test_report_writes_a_page_where_one_is_named_and_gives_the_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "r.html"
    made: Any = nescio.report(OUTCOMES, "c@1", output=page, resamples=20)
    assert (made.page, made.figures) == (page, ())
    assert made.scores.value("mine", "c@1") == nescio.score(OUTCOMES, "c@1", ci=None).value("mine", "c@1")
    assert "outcomes.csv" in page.read_text()
    how: dict[str, Any] = {"baseline": "old", "run": "mine", "resamples": 50}
    made = nescio.report(OUTCOMES, "c@1", output=page, **how)
    (row,) = made.scores
    assert (made.page, made.figures, row.baseline, row.run) == (page, (), "old", "mine")
    assert made.scores.rows == nescio.compare(OUTCOMES, "c@1", **how).rows
    assert "old → mine" in page.read_text()
    assert nescio.report(OUTCOMES, "c@1", resamples=20).page is None
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]
    with pytest.raises(UsageError, match=r"the page is written to \.html or \.htm"):
        nescio.report(OUTCOMES, output=tmp_path / "r.pdf")
    with pytest.raises(MismatchError, match="there are 3 runs"):
        nescio.report(OUTCOMES, output=page, baseline="old")
    with pytest.raises(TypeError, match="did you mean margin"):
        nescio.report(OUTCOMES, output=page, baseline="old", margn=0.1)  # type: ignore[call-arg]


def test_gates_pass_fail_and_cannot_tell() -> None:
    scores = nescio.score(OUTCOMES, "c@1", resamples=200)
    (row,) = (row for row in scores if row.run == "old")
    statuses = {
        limit: next(gate.status for gate in score_gates(scores, [Limit("c@1", limit)]) if gate.run == "old")
        for limit in (0.01, row.value, 0.99)
    }
    assert statuses == {0.01: PASSED, row.value: CANNOT_TELL, 0.99: FAILED}
    assert exit_status(score_gates(scores, [Limit("c@1", 0.01), Limit("c@1", 0.99)])) == FAILED
    assert exit_status([]) == PASSED
    with pytest.raises(UsageError, match=r'use fail_under=\{"c@1": VALUE\}'):
        score_gates(scores, [Limit("c@1", 0.5, ceiling=True)])
    with pytest.raises(UsageError, match="a gate on accuracy needs this measure"):
        score_gates(scores, [Limit("accuracy", 0.5)])
    for limit, how in ((-1, "always at least -1"), (0, "always"), (1.01, "never"), (60, "write 0.6 for 60 per cent")):
        with pytest.raises(UsageError, match=f"the limit decides nothing: c@1 is between 0 and 1.*{how}"):
            score_gates(scores, [Limit("c@1", limit)])
    comparisons = nescio.compare(OUTCOMES, ["c@1", "accuracy"], baseline="old", resamples=200)
    asked = [(gate.run, gate.asked) for gate in regression_gates(comparisons)]
    assert asked == [(run, "c@1 at most 0.01 worse than old") for run in ("mine", "other")]
    assert len(regression_gates(comparisons, ["c@1", "accuracy"])) == 4
    both = nescio.compare(OUTCOMES, ["coverage", "accuracy"], baseline="old", resamples=200)
    assert {gate.asked for gate in regression_gates(both)} == {"accuracy at most 0.01 worse than old"}
    with pytest.raises(UsageError, match="no gate can be decided by coverage alone"):
        regression_gates(nescio.compare(OUTCOMES, "coverage", baseline="old", resamples=200))


def test_labels_are_counted_whatever_they_say(tmp_path: Path) -> None:
    """Of 104 labels 14 are of questions without an answer, where the judge and people agree."""
    (sheet := tmp_path / "sheet.csv").write_text("run,question,verdict\nmine,lighthouse-what,\nmine,lighthouse-when,\n")
    with pytest.raises(NescioError, match=r"sheet.csv: none of 2 verdicts is filled in"):
        nescio.score(OUTCOMES, labels=sheet)
    table = [EXAMPLES / "questions.jsonl", *sorted((EXAMPLES / "runs").glob("*.jsonl"))]
    found = nescio.score(table, "accuracy", labels=EXAMPLES / "people.csv")
    said = {note.code: dict(note.values) for note in found.notes}
    assert (said["labels.about"]["labels"], said["labels.of_silence"]["labels"]) == (90, 14)


def test_columns_that_may_be_the_confidence_are_named() -> None:
    rows = [
        {"id": f"q{i}", "question": f"Who is {i}?", "gold": "a", "prediction": "b", "verbal_confidence": sure}
        | {"model_confidence": 1 - sure, "confidence_in_words": "sure"}
        for i, sure in enumerate((0.3, 0.1, 0.2, 0.25))
    ]
    said = {note.code: note.text for note in nescio.score(rows, "accuracy", ci=None, judge="exact").notes}
    assert "NAME} names one, perhaps 'verbal_confidence'; 'model_confidence'" in said["tables.confidences"]
    named = nescio.score(rows, "accuracy", ci=None, judge="exact", column={"confidence": "model_confidence"})
    assert "tables.confidences" not in {note.code for note in named.notes}


def test_confidences_of_each_run_are_read(tmp_path: Path) -> None:
    """Each run has columns of its own. No note asks for what is read already."""
    path = tmp_path / "wide.csv"
    rows = [f"q{i},a{i},{i % 2},{i / 30:.2f},b{i},{i % 3 // 2},{i / 60:.2f}" for i in range(30)]
    path.write_text(
        "\n".join(["id,old_answer,old_correct,old_confidence,new_answer,new_correct,new_confidence", *rows])
    )
    scores = nescio.score(path, "AURC", ci=None)
    assert {row.run: row.value is None for row in scores} == {"old": False, "new": False}
    assert "tables.confidences" not in {note.code for note in scores.notes}


def test_advice_says_why_a_measure_decides(tmp_path: Path) -> None:
    """Grades of SimpleQA are scored by its own F first; outcome tables need no word."""
    grades = ("CORRECT", "INCORRECT", "NOT_ATTEMPTED")
    rows = (f"q{i},t,p,{grades[i % 3]}\n" for i in range(60))
    (graded := tmp_path / "graded.csv").write_text("problem,target,predicted_answer,grade\n" + "".join(rows))
    notes = {note.code: note.text for note in nescio.report(graded, resamples=100).results.notes}
    assert "because it is the default measure of the format" in notes["advise.measure"]
    for source, measures in ((OUTCOMES, None), (graded, "c@1")):
        said = nescio.report(source, measures=measures, resamples=100).results.notes
        assert "advise.measure" not in {note.code for note in said}


def test_a_cascade_and_a_pool_say_what_does_not_fit() -> None:
    twice = [
        {"run": run, "question": f"q{i}", "repeat": k, "outcome": "correct", "confidence": 0.5}
        for run in "ab"
        for i in range(3)
        for k in range(2)
    ]
    with pytest.raises(NescioError, match=r"the table: a cascade asks each system once.*one answer per system.*votes?"):
        nescio.lab.cascade(twice, systems=["a", "b"])
    older = [{"run": "o", "question": "x", "outcome": "correct"}]
    with pytest.raises(
        NescioError, match=r"the older run in the table has none of the questions of run 'new'\. .* 'x'"
    ):
        nescio.score(EXAMPLES / "new-sample.csv", pool=older)


def test_what_answers_and_builds_says_what_became_of_it(answers: list[Path], tmp_path: Path) -> None:
    targets, run = definitions() / "key.jsonl", tmp_path / "run.jsonl"
    answered = nescio.nuggets.answer(targets, definitions() / "texts", run, threshold=0.0)
    assert str(answered).startswith(f"run answers {answered.answered} of {answered.questions} questions; wrote ")
    files = [EXAMPLES / name for name in ("questions.jsonl", "stories.jsonl")]
    read = nescio.read.answer(files, tmp_path / "r.jsonl", system="deep-read", by_sentence=True)
    assert (read.run, read.questions) == ("deep-read@0.00", 70)
    marks = nescio.read.score([*files, read.output], keep_pronouns=True, correlations=True, ci=None)
    assert [each.code for each in marks.notes if each.code == "read.few_runs"] == ["read.few_runs"]
    assert len(marks.records("correlations")) == 6
    with pytest.raises(UsageError, match="is for the judge deep_read"):
        nescio.read.score([*files, read.output], keep_pronouns=True, judge="exact")
    (people := tmp_path / "judged.csv").write_text("run,question,verdict\nmine,0,right\nmine,1,false\n")
    words = {"right": "correct", "false": "incorrect"}
    made = nescio.ave.build(answers, tmp_path / "made.xml", judgements=people, language="EN", outcome_map=words)
    (row,) = made.records()
    assert (row["questions"], row["validated"], row["rejected"]) == (2, 1, 1)
    with pytest.raises(UsageError, match="without takes"):
        nescio.ave.build(answers, tmp_path / "x.xml", without=["short"])  # type: ignore[list-item]
    tuned: Any = nescio.tune(OUTCOMES, run="mine", resamples=20, output=tmp_path / "mine.csv")
    assert tuned.wrote == (f"wrote run 'mine' with the threshold applied, 70 questions to {tmp_path / 'mine.csv'}",)
