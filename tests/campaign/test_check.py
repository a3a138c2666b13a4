"""Runs are checked without the key, at home as by the organisers: all faults of all files in one call."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import nescio
from nescio.campaigns.runs import Fault
from nescio.cli.app import run as call

from . import made

# Of each task: what a file holds, and every fault in it, by line and a part of its rule.
DEFECTIVE: dict[str, tuple[str, list[tuple[int | None, str]]]] = {
    "qa": (
        '{"id": "q0", "answer": "a", "confidence": "high"}\n'
        '{"id": "q1"}\n'
        "no JSON\n"
        '{"id": "q2", "answer": "a"}\n'
        '{"id": "q2", "answer": "b"}\n'
        '{"id": "q9", "answer": "a"}\n'
        '{"id": "q3", "answer": "a", "rank": 2}\n',
        [
            (1, "confidence must be a finite number"),
            (2, "there is no answer"),
            (3, "not a JSON object"),
            (5, "appears twice; first on line 4"),
            (6, "the questions do not have this id"),
            (7, "lower ranks and no answer of rank 1"),
            (None, "4 answers missing"),  # q0, q1, q4, q5
        ],
    ),
    "ave": (
        "1 1_1 SELECTED 0.9\n1 1_2 REFUSED 0.1\n1 1_3 VALIDATED\n2 2_1 VALIDATED 0.4\n2 2_9 REJECTED 0.1\n"
        "77 77_1 REJECTED 0.1\n3 3_1 SELECTED 0.5\n3 3_2 SELECTED 0.4\n3 3_1 REJECTED 0.1\n4 4_1 REJECTED high\n",
        [
            (2, "a decision is SELECTED, VALIDATED, REJECTED"),
            (3, "has no confidence"),
            (4, "one of them must be SELECTED"),
            (5, "has no such answer"),
            (6, "has no such question"),
            (8, "already has a SELECTED answer"),
            (9, "has two decisions"),
            (10, "confidence must be a finite number"),
            (None, "13 decisions missing"),  # of 18, these five are there: 1_1, 1_3, 2_1, 3_1, 3_2
        ],
    ),
    "nuggets": (
        '{"id": "t0", "strings": ["fact", ""]}\n{"id": "t1", "strings": "fact"}\n{"id": "t9", "strings": []}\n'
        '{"id": "t2", "strings": ["x"]}\n{"id": "t2", "strings": ["y"]}\n',
        [
            (1, "the answer string is empty"),
            (2, "strings must be a list of texts"),
            (3, "no topic has this id"),
            (5, "responds to question t2 again"),
            (None, "2 answers missing"),  # t1, t3
        ],
    ),
    "reading": (
        "QuestionID: r0\nAnswer: Ann went.\n\nQuestionID: r0\nAnswer: again\n\nQuestionID: r7\nAnswer: strange\n\n"
        "QuestionID: r1\n",
        [
            (4, "the question appears twice; first on line 1"),
            (7, "the questions do not have this id"),
            (10, "this block has no line Answer:"),
            (None, "2 answers missing"),  # r1, r2
        ],
    ),
    "pan": (
        '{"id": "p0", "value": 1.5}\n{"id": "p1", "value": "yes"}\n{"id": "p2", "value": 0.1}\n'
        '{"id": "p2", "value": 0.2}\n{"id": "p8", "value": 0.2}\n',
        [
            (1, "value must be a number in [0, 1]"),
            (2, "value must be a number in [0, 1]"),
            (4, "the problem appears twice"),
            (5, "does not have this problem"),
            (None, "4 answers missing"),  # p0, p1, p3, p4
        ],
    ),
}
SUFFIX = {"ave": ".txt", "reading": ".response"}


def defective(task: str, folder: Path) -> Path:
    return made.text(folder / f"defective{SUFFIX.get(task, '.jsonl')}", DEFECTIVE[task][0])


def assert_faults(faults: list[Fault], expected: list[tuple[int | None, str]]) -> None:
    assert [fault.line for fault in faults] == [line for line, _ in expected]
    for fault, (_, rule) in zip(faults, expected, strict=True):
        assert rule in fault.rule


@pytest.mark.parametrize("task", made.MAKE)
def test_every_fault_is_named_with_its_line_and_no_key_is_needed(task: str, tmp_path: Path) -> None:
    campaign = made.MAKE[task](tmp_path)
    shutil.rmtree(campaign / "key")
    checked = nescio.campaign.check(
        campaign, [defective(task, tmp_path / "in"), made.sound(task, tmp_path / "in" / "fine")]
    )
    assert_faults(list(checked.rows), DEFECTIVE[task][1])
    assert {fault.file for fault in checked.rows} == {str(defective(task, tmp_path / "in"))}
    assert [row.faults for row in checked.tables["files"]] == [len(DEFECTIVE[task][1]), 0]


@pytest.mark.parametrize("task", made.MAKE)
def test_a_team_at_home_is_told_the_same(task: str, tmp_path: Path) -> None:
    campaign = made.MAKE[task](tmp_path)
    runs = [defective(task, tmp_path / "in"), made.sound(task, tmp_path / "in" / "fine")]
    here = nescio.campaign.check(campaign, runs)
    handed = nescio.campaign.handout(campaign).path
    away = shutil.copytree(handed, tmp_path / "home")
    packed = nescio.campaign.checker(campaign, tmp_path / "checker.zip").path
    for place in (away, packed):
        assert nescio.campaign.check(place, runs).rows == here.rows


# Of each task: the first fault that a file with the last line of a sound run cut off has, and what it lacks.
CUT = {
    "qa": ("1 answer missing; null is silence", "q5"),
    "ave": ("1 decision missing", "6_3"),
    "nuggets": ("1 answer missing", "t3"),
    "reading": ("1 answer missing", "r2"),
    "pan": ("1 answer missing", "p4"),
}


@pytest.mark.parametrize("task", made.MAKE)
def test_four_defective_runs_among_twenty(task: str, tmp_path: Path) -> None:
    """All faults of all four in one call, without the key; a team's checker says the same of them."""
    campaign = made.MAKE[task](tmp_path)
    packed = nescio.campaign.checker(campaign, tmp_path / "checker.zip").path
    shutil.rmtree(campaign / "key")
    inbox = tmp_path / "in"
    fine = [made.sound(task, inbox / f"fine{i}") for i in range(16)]
    name = defective(task, inbox).name
    suffix = fine[0].suffix
    lines = fine[0].read_text().splitlines(keepends=True)
    made.text(inbox / f"short{suffix}", "".join(lines[:-1]))
    (inbox / f"empty{suffix}").touch()
    (inbox / f"odd{suffix}").write_bytes(fine[0].read_bytes()[:-4] + b'\xff"}\n')
    checked = nescio.campaign.check(campaign, [inbox])
    assert len(checked.tables["files"]) == 20
    bad = {Path(row.file).name: row.faults for row in checked.tables["files"] if row.faults}
    assert {*bad} == {name, f"short{suffix}", f"empty{suffix}", f"odd{suffix}"}
    assert bad[name] == len(DEFECTIVE[task][1])
    by_file = {Path(fault.file).stem: fault for fault in checked.rows}
    rule, lacking = CUT[task]
    assert by_file["short"].rule.startswith(rule)
    assert lacking in str(by_file["short"].value)
    assert by_file["empty"].rule == "the file is empty"
    assert any("not UTF-8" in fault.rule for fault in checked.rows if Path(fault.file).stem == "odd")
    assert nescio.campaign.check(packed, [inbox]).rows == checked.rows


def test_a_decision_without_any_confidence_is_a_fault_on_every_line(tmp_path: Path) -> None:
    campaign = made.ave(tmp_path)
    run = made.text(tmp_path / "run.txt", "".join(f"{q} {q}_{a} REJECTED\n" for q in range(1, 7) for a in range(1, 4)))
    faults = nescio.campaign.check(campaign, [run]).rows
    assert [fault.line for fault in faults] == list(range(1, 19))
    assert all(fault.rule.startswith("a decision needs a confidence") for fault in faults)


def test_a_wrong_word_is_quoted(tmp_path: Path) -> None:
    checked = nescio.campaign.check(made.ave(tmp_path), [defective("ave", tmp_path)])
    assert checked.rows[0].value == "REFUSED"


def test_the_language_of_a_run_is_told_by_its_ids_or_by_its_name(tmp_path: Path) -> None:
    files = [made.text(tmp_path / f"{n}.xml", made.collection(n, 6)) for n in ("EN", "ES")]  # the same ids in both
    campaign = made.start(tmp_path, "ave", files)
    told = made.sound("ave", tmp_path / "in" / "run-ES")
    untold = made.sound("ave", tmp_path / "in" / "other")
    checked = nescio.campaign.check(campaign, [told, untold])
    assert [row.language for row in checked.tables["files"]] == ["ES", ""]
    assert "the language of the run is unknown" in checked.rows[0].rule
    rows = [{"id": f"{n}{i}", "question": "?", "language": n} for n in ("en", "es") for i in range(3)]
    campaign = made.start(tmp_path / "qa", "qa", [made.lines(tmp_path / "q.jsonl", rows)])
    run = made.lines(
        tmp_path / "x.jsonl", [{"id": f"es{i}", "answer": None} for i in range(2)] + [{"id": "en0", "answer": "a"}]
    )
    checked = nescio.campaign.check(campaign, [run])
    assert checked.tables["files"][0].language == "es"
    assert [(fault.rule, fault.value) for fault in checked.rows] == [
        ("the question is not in the run's language, es", "en0"),
        ("1 answer missing; null is silence", "es2"),
    ]


def test_an_answer_that_is_no_option_is_a_fault(tmp_path: Path) -> None:
    rows = [{"id": "a", "question": "?", "options": ["yes", "no"], "answers": ["no"]}]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", rows)])
    run = made.lines(tmp_path / "x.jsonl", [{"id": "a", "answer": "perhaps"}])
    assert "not one of its options" in nescio.campaign.check(campaign, [run]).rows[0].rule


def test_no_gold_is_handed_out(tmp_path: Path) -> None:
    for task, make in made.MAKE.items():
        campaign = make(tmp_path / task)
        handed = nescio.campaign.handout(campaign).path
        held = "".join(path.read_text() for path in handed.rglob("*") if path.is_file())
        for gold in ('"answers"', "thing 1", 'REJECTED"', 'value="V', '"vital"', "fact", '"same"', '"sentences": [0]'):
            assert gold not in held.replace("VALIDATED|REJECTED", ""), (task, gold)
        assert "groups" in held
        assert "Alpha University" not in held
    assert 'doc="D1-1"' in (tmp_path / "ave" / "campaign" / "handout" / "topics" / "EN.xml").read_text()


def test_only_first_questions_are_asked_where_wanted(tmp_path: Path) -> None:
    rows = [{"id": f"q{i}", "question": "?", "answers": ["a"], "topic": f"t{i // 3}"} for i in range(9)]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", rows)], first_of="topic")
    asked = [json.loads(line)["id"] for line in (campaign / "topics" / "questions.jsonl").read_text().splitlines()]
    assert asked == ["q0", "q3", "q6"]


def test_the_command_says_it_in_text_in_json_and_on_a_page(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    campaign, run = made.qa(tmp_path), defective("qa", tmp_path)
    page = tmp_path / "faults.html"
    for form in ("table", "json"):
        with pytest.raises(SystemExit) as stopped:
            call(["campaign", "check", str(campaign), str(run), "--page", str(page), "-f", form])
        assert stopped.value.code == 2
        out = capfd.readouterr().out
        held = out if form == "table" else json.dumps(json.loads(out)["faults"])
        for _, rule in DEFECTIVE["qa"][1]:
            assert rule in held
            assert rule in page.read_text(encoding="utf-8")
    with pytest.raises(SystemExit) as stopped:
        call(["campaign", "check", str(campaign), str(made.sound("qa", tmp_path / "fine"))])
    assert stopped.value.code == 0
    assert "no faults" in capfd.readouterr().out


def test_many_faults_of_one_rule_are_counted_in_the_text(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, 40)
    run = made.lines(tmp_path / "x.jsonl", [{"id": f"q{i}"} for i in range(40)])
    assert "lines 6 to 40: the same 35 times" in str(nescio.campaign.check(campaign, [run]))


def test_the_same_campaign_may_be_made_again_and_another_in_its_place_may_not(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    before = (campaign / "campaign.toml").read_bytes()
    assert made.qa(tmp_path) == campaign
    assert (campaign / "campaign.toml").read_bytes() == before
    with pytest.raises(nescio.UsageError, match="already holds a different campaign"):
        made.qa(tmp_path, 7)


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ('task = "chess"', "task is one of"),
        ("runs = 0", "runs must be 1 or more"),
        ('deadline = "soon"', "a time is written as"),
        ("colour = 1", "no setting with this name"),
        ("runs = true", "runs must be a whole number"),
    ],
)
def test_an_unsound_setting_is_named(line: str, rule: str, tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    path = campaign / "campaign.toml"
    name = line.split(maxsplit=1)[0]
    kept = [old for old in path.read_text().splitlines() if not old.startswith(f"{name} ")]
    path.write_text("\n".join([line, *kept]) + "\n")
    with pytest.raises(nescio.FormatError, match=rule):
        nescio.campaign.status(campaign)


def test_answers_that_read_like_abstentions_are_noted_and_no_fault(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    said = ["I don't know", "N/A", "None", "null", "Paris", None]
    run = made.lines(tmp_path / "r.jsonl", [{"id": f"q{i}", "answer": text} for i, text in enumerate(said)])
    checked = nescio.campaign.check(campaign, [run])
    assert checked.sound
    (noted,) = checked.notes
    assert (noted.code, noted["count"]) == ("campaign.like_silence", 4)
    assert str(noted).startswith(f"{run}: 4 answers read like an abstention (I don't know, N/A, None")


def test_a_fault_on_the_first_line_hides_no_other(tmp_path: Path) -> None:
    folder = made.qa(tmp_path)
    run = tmp_path / "mine.jsonl"
    run.write_text('{"id": "q0", "answer": "a", "confidence": 0,9}\n{"id": "q9", "answer": "a"}\n')
    faults = nescio.campaign.check(folder, [run]).rows
    assert_faults(
        list(faults),
        [(1, "not a JSON object"), (2, "the questions do not have this id"), (None, "answers missing")],
    )
