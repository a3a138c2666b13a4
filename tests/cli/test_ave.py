"""nescio ave: AVE 2007's published figures from files, collections built from files, and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.tasks.campaign import LANGUAGES, SPANISH, Language, rounds_to, write_campaign

every_language = pytest.mark.parametrize("language", LANGUAGES, ids=lambda each: each.name)


def values_of(found: object, run: str) -> dict[str, float]:
    """The values of a run in the scores that a command printed as JSON."""
    assert isinstance(found, dict)
    return {row["measure"]: row["value"] for row in found["scores"] if row["run"] == run}


@every_language
def test_tables_4_to_7_and_8_to_11_come_out(language: Language, tmp_path: Path, nescio: Command) -> None:
    collection, runs, systems = write_campaign(language, tmp_path)
    found = nescio("ave", "score", collection, *runs, "--ranking", systems, "--ci", "none", "-f", "json").json
    ranking = {row["system"]: row for row in found["ranking"]}
    for name, ((f, precision, recall), accuracy, percent) in language.validators.items():
        value = values_of(found, name)
        assert rounds_to(value["ave.F"], f)
        assert rounds_to(value["ave.precision"], precision)
        assert rounds_to(value["ave.recall"], recall)
        assert rounds_to(value["ave.qa_accuracy"], accuracy)
        assert rounds_to(value["ave.normalized_qa_accuracy"], percent, 100)
        assert (ranking[name]["type"], ranking[name]["right"]) == ("AV", language.rights[name])
    for name, (accuracy, percent) in language.systems.items():
        row = ranking[name]
        assert (row["type"], row["right"]) == ("QA", language.rights[name])
        assert rounds_to(row["qa_accuracy"], accuracy)
        assert rounds_to(row["share_of_perfect"], percent, 100)
        assert values_of(found, name)["ave.qa_accuracy"] == row["qa_accuracy"]
    assert rounds_to(ranking["Perfect selection"]["qa_accuracy"], language.perfect)
    assert rounds_to(ranking["Random"]["qa_accuracy"], language.random[0])
    assert rounds_to(ranking["Random"]["share_of_perfect"], language.random[1], 100)
    order = [row["qa_accuracy"] for row in found["ranking"]]
    assert order == sorted(order, reverse=True)
    assert next(row["place"] for row in found["ranking"]) == 1


@every_language
def test_the_twelve_baseline_cells_come_out(language: Language, tmp_path: Path, nescio: Command) -> None:
    collection, _, _ = write_campaign(language, tmp_path)
    found = nescio("ave", "baselines", collection, "--ci", "none", "-f", "json").json
    for run, (f, precision, recall) in zip(("100% VALIDATED", "50% VALIDATED"), language.baselines, strict=True):
        value = values_of(found, run)
        assert rounds_to(value["ave.F"], f)
        assert rounds_to(value["ave.precision"], precision)
        assert value["ave.recall"] == float(recall)
    assert rounds_to(values_of(found, "100% VALIDATED")["ave.qa_accuracy"], language.random[0])
    assert rounds_to(values_of(found, "Perfect selection")["ave.qa_accuracy"], language.perfect)
    assert values_of(found, "Perfect selection")["ave.normalized_qa_accuracy"] == 1
    drawn = values_of(found, "100% VALIDATED (drawn)")
    assert rounds_to(drawn["ave.F"], language.baselines[0][0])
    counts = (language.questions, language.validated, language.rejected, language.unknown)
    assert found["counts"][0] | {"available": None, "kept": None} == found["counts"][0]
    assert tuple(found["counts"][0][name] for name in ("questions", "validated", "rejected", "unknown")) == counts


def test_score_compare_and_meta_take_the_same_files(tmp_path: Path, nescio: Command) -> None:
    collection, runs, _ = write_campaign(SPANISH, tmp_path)
    plain = nescio("score", collection, *runs, "--ci", "none", "-f", "json").json
    own = nescio("ave", "score", collection, *runs, "--ci", "none", "-f", "json").json
    assert plain["scores"] == own["scores"]
    both = nescio("compare", collection, *runs[:2], "-m", "ave.F", "--resamples", 200, "-f", "json")
    assert (both.status, both.json["comparisons"][0]["n"]) == (0, 551)
    stable = nescio("meta", "stability", collection, *runs, "-m", "ave.qa_accuracy", "--trials", 5, "-f", "json")
    assert stable.status == 0
    chosen = nescio(
        "score", collection, runs[0], "--choose", "view=selection", "-m", "accuracy", "--ci", "none", "-f", "json"
    )
    assert chosen.json["scores"][0]["value"] == pytest.approx(76 / 170)


def test_measures_of_outcomes_say_how_the_selection_is_read_as_some(tmp_path: Path, nescio: Command) -> None:
    collection, run = small(tmp_path)
    for command in (("score", "-m", "c@1"), ("tune",)):
        found = nescio(*command, collection, run)
        assert (found.status, found.out) == (2, "")
        assert "--choose view=selection reads the SELECTED answers as outcomes" in found.err


def test_intervals_resample_whole_questions(tmp_path: Path, nescio: Command) -> None:
    """A question of two right answers and one of two wrong ones: resampled together the precision is 0, 1/2 or 1,
    with chances 1/4, 1/2, 1/4, and the middle 60 % reach from 0 to 1; answer by answer they would reach from 1/4 to
    3/4."""
    collection, run = tmp_path / "c.xml", tmp_path / "r.txt"
    groups = [
        f'<q id="{q}"><q_str>?</q_str>'
        + "".join(f'<a id="{i}" value="{value}"><a_str>x</a_str><t_str/></a>' for i in (0, 1))
        + "</q>"
        for q, value in ((1, "VALIDATED"), (2, "REJECTED"))
    ]
    collection.write_text(f"<ave>{''.join(groups)}</ave>")
    run.write_text("1 0 SELECTED\n1 1 VALIDATED\n2 0 SELECTED\n2 1 VALIDATED\n")
    words = ("-m", "ave.precision", "--ci", "60", "--interval", "percentile", "-f", "json")
    row = nescio("score", collection, run, *words).json["scores"][0]
    assert (row["value"], row["low"], row["high"], row["n"]) == (0.5, 0.0, 1.0, 4)


def test_a_roc_curve_is_written(tmp_path: Path, nescio: Command) -> None:
    """Right .9 and .4, wrong .4 and .1: (0,0), (0,½), (½,1), (1,1)."""
    collection, run, curve = tmp_path / "c.xml", tmp_path / "r.txt", tmp_path / "roc.csv"
    answers = "".join(
        f'<a id="{i}" value="{value}"><a_str>x</a_str><t_str/></a>'
        for i, value in enumerate(("VALIDATED", "VALIDATED", "REJECTED", "REJECTED"))
    )
    collection.write_text(f'<ave><q id="1"><q_str>?</q_str>{answers}</q></ave>')
    run.write_text("1 0 SELECTED 0.9\n1 1 REJECTED 0.4\n1 2 REJECTED 0.4\n1 3 REJECTED 0.1\n")
    found = nescio("ave", "score", collection, run, "--roc", curve, "-f", "json")
    assert values_of(found.json, "r")["ave.AUC"] == 3.5 / 4
    assert curve.read_text().splitlines() == [
        "run,threshold,false_positive_rate,true_positive_rate",
        "r,,0.0,0.0",
        "r,0.9,0.0,0.5",
        "r,0.4,0.5,1.0",
        "r,0.1,1.0,1.0",
    ]


def files_to_build(folder: Path) -> list[Path]:
    """Three questions and two runs: every rule but that of length has its answer."""
    asked = [{"id": f"{q}", "question": "Who?", "answers": ["x"]} for q in (1, 2, 3)]
    said: dict[str, list[str | None]] = {
        "s1": ["Ann Lee", "NIL", None],
        "s2": ["ann lee.", "Oslo", "Rome"],
        "s3": ["Lee", "the city of Oslo", "x" * 10],
    }
    paths = [folder / "questions.jsonl", *(folder / f"{name}.jsonl" for name in said)]
    paths[0].write_text("".join(json.dumps(each) + "\n" for each in asked))
    for path, answers in zip(paths[1:], said.values(), strict=True):
        rows = [{"id": str(i), "answer": a, "support": f"see {a}"} for i, a in enumerate(answers, 1)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return paths


def test_a_collection_is_built_counted_and_scored(tmp_path: Path, nescio: Command) -> None:
    paths = files_to_build(tmp_path)
    judged, collection = tmp_path / "judged.csv", tmp_path / "collection.xml"
    judged.write_text(
        "run,question,answer,verdict\ns1,1,Ann Lee,R\ns2,1,ann lee.,R\ns3,1,Lee,X\ns2,2,Oslo,R\n"
        "s3,2,the city of Oslo,X\ns2,3,Rome,U\n"
    )
    found = nescio("ave", "build", *paths, "--judgements", judged, "--language", "en", "-o", collection, "-f", "json")
    assert found.status == 0
    assert "judged.csv: 2 × 'X' read as inexact, neither right nor wrong (UNKNOWN in AVE)" in found.err
    (counts,) = found.json["counts"]
    assert counts == {
        "language": "EN",
        "questions": 3,
        "answers": 4,
        "available": 9,
        "kept": 4 / 9,
        "validated": 1,
        "rejected": 1,
        "unknown": 2,
    }
    gone = {row["rule"]: row["answers"] for row in found.json["discarded"]}
    assert gone == {"declined": 0, "nil": 1, "void": 1, "long": 0, "duplicate": 1, "contained": 2}
    text = collection.read_text()
    assert 'id="1_2"' not in text  # the one answer that stays is the first, and leaves no gap
    assert "system=" not in text
    run = tmp_path / "v.txt"
    run.write_text("1 1_1 SELECTED 1\n2 2_1 REJECTED 0\n3 3_1 REJECTED 0.2\n3 3_2 REJECTED 0.1\n")
    scores = nescio("ave", "score", collection, run, "--ci", "none", "-f", "json").json
    assert values_of(scores, "v")["ave.F"] == 1


def test_a_judgement_of_another_answer_judges_nothing_and_is_said(tmp_path: Path, nescio: Command) -> None:
    paths = files_to_build(tmp_path)
    judged, collection = tmp_path / "judged.csv", tmp_path / "collection.xml"
    judged.write_text("run,question,answer,verdict\ns1,1,Bob,R\ns2,2,Oslo,W\n")
    found = nescio("ave", "build", *paths, "--judgements", judged, "-o", collection)
    assert found.status == 0
    assert "1 judgement is for an answer that the run no longer gives, and is ignored (first: run 's1'" in found.err
    assert "VALIDATED" not in collection.read_text()


def test_a_test_set_has_no_values_and_is_not_scored(tmp_path: Path, nescio: Command) -> None:
    paths, collection = files_to_build(tmp_path), tmp_path / "collection.xml"
    found = nescio("ave", "build", *paths, "-o", collection, "--test-set", "--systems", "--without-rule", "contained")
    assert (found.status, 'value=""' in collection.read_text()) == (0, True)
    assert 'system="s3"' in collection.read_text()
    run = tmp_path / "v.txt"
    run.write_text("1 1_1 SELECTED 1\n")
    refused = nescio("ave", "score", collection, run)
    assert refused.status == 2
    assert "without its gold" in refused.err


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("1 9_9 SELECTED 1", "line 2: question '1' has no such answer (found '9_9')"),
        ("1 1_2 SELECTED 1\n1 1_1 SELECTED 1", "line 3: answer '1_1' of question '1' has two decisions"),
        (
            "1 1_2 SELECT 1",
            "line 2: a decision is SELECTED, VALIDATED, REJECTED, ACCEPTED; a line is: q_id a_id SELECTED|VALIDATED|REJECTED confidence (found 'SELECT')",
        ),
        ("1 1_2 REJECTED high", "line 2: confidence must be a finite number (found 'high')"),
    ],
)
def test_a_malformed_response_gives_one_line_and_no_score(
    line: str, says: str, tmp_path: Path, nescio: Command
) -> None:
    collection, runs, _ = write_campaign(SPANISH, tmp_path)
    run = tmp_path / "bad.txt"
    run.write_text(f"1 1_1 REJECTED 0.5\n{line}\n")
    for command in (("score",), ("ave", "score")):
        found = nescio(*command, collection, runs[0], run)
        assert (found.status, found.out) == (2, "")
        assert says in found.err


VERDICTS = """run,question,answer,verdict
qa,1,a,R
qa,2,b,X
qa,3,c,
other,1,d,W
"""


def small(folder: Path) -> tuple[Path, Path]:
    """Three questions with a right and a wrong answer each, and a validator that is right on the first."""
    collection, run = folder / "c.xml", folder / "mine.txt"
    answers = "".join(
        f'<a id="{i}" value="{value}"><a_str>{i}</a_str><t_str/></a>'
        for i, value in enumerate(("VALIDATED", "REJECTED"))
    )
    groups = [f'<q id="{q}"><q_str>?</q_str>{answers}</q>' for q in (1, 2, 3)]
    collection.write_text(f"<ave>{''.join(groups)}</ave>")
    run.write_text("1 0 SELECTED\n1 1 REJECTED\n2 0 REJECTED\n2 1 SELECTED\n3 0 REJECTED\n3 1 REJECTED\n")
    return collection, run


def test_peoples_verdicts_are_ranked_as_they_are(tmp_path: Path, nescio: Command) -> None:
    """An inexact answer is a wrong one there, as in the main track; a missing or ungraded one is not right, and is
    counted."""
    collection, run = small(tmp_path)
    judged = tmp_path / "judged.csv"
    judged.write_text(VERDICTS)
    found = nescio("ave", "score", collection, run, "--ranking", judged, "--ci", "none", "-f", "json")
    rows = {row["system"]: (row["type"], row["right"]) for row in found.json["ranking"]}
    assert rows["qa"] == ("QA", 1)
    assert (rows["other"], rows["mine"]) == (("QA", 0), ("AV", 1))
    assert "ave.F, ave.precision, ave.recall: undefined because there are no decisions on answers" in found.err
    for note in (
        "judged.csv: 1 × 'X' read as incorrect",
        "run 'other': 2 of 3 questions are missing and counted as unanswered",
        "1 answer of QA systems is without a grade, and counts as not correct",
    ):
        assert note in found.err
    judged.write_text(VERDICTS + "qa,1,a,W\n")
    twice = nescio("ave", "score", collection, run, "--ranking", judged)
    assert (twice.status, twice.out, "two verdicts on one answer differ" in twice.err) == (2, "", True)


def test_pairs_of_2006_are_scored_and_have_baselines(tmp_path: Path, nescio: Command) -> None:
    pairs, run = tmp_path / "pairs.xml", tmp_path / "v.txt"
    values = ("YES", "NO", "NO", "UNKNOWN")
    body = "".join(f'<pair id="{i}" value="{v}"><t>Text.</t><h>Claim.</h></pair>' for i, v in enumerate(values))
    pairs.write_text(f"<entailment-corpus>{body}</entailment-corpus>")
    run.write_text("0 YES 0.9\n1 YES 0.8\n2 NO 0.1\n3 YES 0.7\n")
    value = values_of(nescio("ave", "score", pairs, run, "--ci", "none", "-f", "json").json, "v")
    assert (value["ave.precision"], value["ave.recall"], value["ave.AUC"]) == (0.5, 1, 1)
    found = nescio("ave", "baselines", pairs, "--ci", "none", "-f", "json").json
    assert values_of(found, "100% VALIDATED")["ave.F"] == pytest.approx(0.5)
    ranked = nescio("ave", "score", pairs, run, "--ranking", run)
    assert (ranked.status, "AVE 2006" in ranked.err) == (2, True)


def test_a_collection_needs_no_gold_answers_where_people_judge(tmp_path: Path, nescio: Command) -> None:
    asked, run, judged, made = (tmp_path / name for name in ("q.jsonl", "a.jsonl", "judged.csv", "c.xml"))
    asked.write_text('{"id": "116", "question": "What is Zanussi?"}\n')
    row = {"id": "116", "answer": "a producer", "support": "Zanussi was a producer.", "doc": "LA-7.xml"}
    run.write_text(json.dumps(row) + "\n")
    judged.write_text("question,run,verdict\n116,a,R\n")
    nescio("ave", "build", asked, run, "--judgements", judged, "--language", "EN", "-o", made)
    assert 'value="VALIDATED"' in made.read_text()
    assert '<t_str doc="LA-7.xml">' in made.read_text()
