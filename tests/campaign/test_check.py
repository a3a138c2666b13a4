"""Runs are checked without the key, at home as by the organisers: all faults of all files in one call."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
import tracemalloc
import zipfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.cli.app import run as call
from nescio.errors import FormatError
from nescio.people.campaigns import runs
from nescio.people.campaigns.folder import contents
from nescio.people.campaigns.texts import encoding_fault
from tests.rings import together

from . import made
from .test_intake import told

# Of each task a defective file, and all its faults.
DEFECTIVE = tomllib.loads((Path(__file__).parent / "defective.toml").read_text(encoding="utf-8"))
SUFFIX = {"ave": ".txt", "reading": ".response"}


def defective(task: str, folder: Path) -> Path:
    return made.text(folder / f"defective{SUFFIX.get(task, '.jsonl')}", DEFECTIVE[task]["text"])


def assert_faults(faults: Any, expected: Sequence[Sequence[Any]]) -> None:
    """Hold faults against their lines, 0 for the whole file, and a part of their rules."""
    assert [fault.line or 0 for fault in faults] == [line for line, _ in expected]
    for fault, (_, rule) in zip(faults, expected, strict=True):
        assert rule in fault.rule


@pytest.mark.parametrize("task", made.MAKE)
def test_every_fault_of_every_file_is_named_without_the_key_and_by_teams_at_home(task: str, tmp_path: Path) -> None:
    """Four defective runs among twenty, in one call."""
    campaign = made.MAKE[task](tmp_path)
    packed = nescio.campaign.checker(campaign, tmp_path / "checker.zip").path
    handed = shutil.copytree(nescio.campaign.handout(campaign).path, tmp_path / "home")
    shutil.rmtree(campaign / "key")
    inbox = tmp_path / "in"
    fine = [made.sound(task, inbox / f"fine{i}") for i in range(16)]
    name, suffix = defective(task, inbox).name, fine[0].suffix
    lines = fine[0].read_text().splitlines(keepends=True)
    made.text(inbox / f"short{suffix}", "".join(lines[:-1]))
    (inbox / f"empty{suffix}").touch()
    (inbox / f"odd{suffix}").write_bytes(fine[0].read_bytes()[:-4] + b'\xff"}\n')
    checked = nescio.campaign.check(campaign, [inbox])
    assert len(checked.tables["files"]) == 20
    counts = {Path(row.file).name: row.faults for row in checked.tables["files"] if row.faults}
    assert {*counts} == {name, f"short{suffix}", f"empty{suffix}", f"odd{suffix}"}
    assert counts[name] == len(DEFECTIVE[task]["faults"])
    assert_faults([fault for fault in checked.rows if Path(fault.file).name == name], DEFECTIVE[task]["faults"])
    by_file = {Path(fault.file).stem: fault for fault in checked.rows}
    rule, lacking = DEFECTIVE[task]["cut"]
    assert by_file["short"].rule.startswith(rule)
    assert lacking in str(by_file["short"].value)
    assert by_file["empty"].rule == "the file is empty"
    assert any("not UTF-8" in fault.rule for fault in checked.rows if Path(fault.file).stem == "odd")
    for place in (packed, handed):
        assert nescio.campaign.check(place, [inbox]).rows == checked.rows


@pytest.mark.parametrize(
    ("member", "size", "rule"), [("topics/more.jsonl", 100 << 20, "it unpacks to more"), ("topics/..", 1, "outside")]
)
def test_the_archive_of_a_stranger_is_opened_as_runs_are(member: str, size: int, rule: str, tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    packed = nescio.campaign.checker(campaign, tmp_path / "checker.zip").path
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, b"\n" * size)
    with pytest.raises(nescio.MismatchError, match=rule):
        nescio.campaign.check(packed, [made.sound("qa", tmp_path / "run")])


def test_a_decision_without_any_confidence_is_a_fault_on_every_line_and_a_wrong_word_is_quoted(tmp_path: Path) -> None:
    campaign = made.ave(tmp_path)
    run = made.text(tmp_path / "run.txt", "".join(f"{q} {q}_{a} REJECTED\n" for q in range(1, 7) for a in range(1, 4)))
    faults = nescio.campaign.check(campaign, [run]).rows
    assert_faults(faults, [(line, "a decision needs a confidence") for line in range(1, 19)])
    assert nescio.campaign.check(campaign, [defective("ave", tmp_path)]).rows[0].value == "REFUSED"


def test_the_language_of_a_run_is_told_by_its_ids_or_by_its_name(tmp_path: Path) -> None:
    files = [made.text(tmp_path / f"{n}.xml", made.collection(n, 6)) for n in ("EN", "ES")]  # the same ids in both
    campaign = made.start(tmp_path, "ave", files)
    runs = [made.sound("ave", tmp_path / "in" / name) for name in ("run-ES", "other")]
    checked = nescio.campaign.check(campaign, runs)
    assert [row.language for row in checked.tables["files"]] == ["ES", ""]
    assert "the language of the run is unknown" in checked.rows[0].rule
    rows = [{"id": f"{n}{i}", "question": "?", "language": n} for n in ("en", "es") for i in range(3)]
    campaign = made.start(tmp_path / "qa", "qa", [made.lines(tmp_path / "q.jsonl", rows)])
    said = [{"id": f"es{i}", "answer": None} for i in range(2)] + [{"id": "en0", "answer": "a"}]
    checked = nescio.campaign.check(campaign, [made.lines(tmp_path / "x.jsonl", said)])
    assert checked.tables["files"][0].language == "es"
    assert [(fault.rule, fault.value) for fault in checked.rows] == [
        ("the question is not in the run's language, es", "en0"),
        ("1 answer missing; to abstain, answer null", "es2"),
    ]


ANSWERS: list[tuple[dict[str, Any], str]] = [
    ({"id": "Q2", "answer": "a"}, "there is a topic q2, and case matters"),
    ({"answer": "a", "confidence": 1.5}, "must be from 0 to 1"),
    ({"answer": "a", "confidence": -0.1}, "must be from 0 to 1"),
    ({"answer": "a\0b"}, "a NUL character"),
    ({"answer": "a\x1b[31mb"}, "a control character"),
    ({"answer": "a\u202egnp.exe"}, "changes the direction of writing"),
    ({"answer": "x" * 10_001}, "at most 10,000"),
    ({"answer": "i do not know " * 200_000}, "at most 10,000"),
    ({"answer": "half \ud800 a character"}, "pair"),
    ({"answer": "\u200fשלום\u200e"}, ""),  # a script needs marks of direction
    ({"answer": "x" * 10_000}, ""),
]


@together("answer, rule", ANSWERS)
def test_what_a_team_can_mend_is_said_and_texts_that_would_spoil_sheets_are_refused(
    answer: dict[str, Any], rule: str, tmp_path: Path
) -> None:
    campaign = made.qa(tmp_path)
    rows = [{"id": f"q{i}"} | (answer if i == 2 else {"answer": "a"}) for i in range(6)]
    path = made.text(tmp_path / "alpha" / "r.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    checked = nescio.campaign.check(campaign, [path])
    assert rule in str(checked)
    assert checked.sound is not bool(rule)
    assert told(campaign, path.parent)[0][0] == ("refused" if rule else "accepted")


ENCODINGS = [
    ("cp1250", "příliš žluťoučký kůň úpěl ďábelské ódy", "Windows-1250"),
    ("cp1250", "zażółć gęślą jaźń", "Windows-1250"),
    ("cp1252", "où était l’été à la façade", "Windows-1252"),
    ("cp1251", "где находится город", "Windows-1251"),
    ("utf-16", "anything", "UTF-16"),
    ("utf-32", "anything", "UTF-32"),
    ("utf-16-le", "anything at all", "UTF-16"),
]


def test_the_encoding_of_a_file_is_named_and_other_files_are_taken(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    folder = made.sound("qa", tmp_path / "alpha" / "sound").parent
    for n, (encoding, text, name) in enumerate(ENCODINGS):
        assert name in str(encoding_fault(text.encode(encoding)))
        rows = "".join(json.dumps({"id": f"q{i}", "answer": text}, ensure_ascii=False) + "\n" for i in range(6))
        (folder / f"odd{n}.jsonl").write_bytes(rows.encode(encoding))
    *odd, sound = nescio.campaign.intake(campaign, [folder]).rows
    assert sound.status == "accepted"
    for row, (_, _, name) in zip(odd, ENCODINGS, strict=True):
        assert row.status == "refused"
        assert name in str(row)


@pytest.mark.parametrize("task", ["qa", "ave", "nuggets", "reading", "pan"])
def test_a_run_of_too_many_lines_is_not_read(task: str, tmp_path: Path) -> None:
    campaign, path = getattr(made, task)(tmp_path), made.sound(task, tmp_path / "run")
    path.write_bytes(path.read_bytes() + b"\n" * 20_000)
    (fault,) = nescio.campaign.check(campaign, [path]).rows
    assert re.fullmatch(r"the file has 20,0\d\d lines, but a run has at most 1\d,000", fault.rule)


def test_an_encoding_is_guessed_from_the_beginning_of_a_large_file() -> None:
    """A hundred kilobytes of gzip unpack to this, and a guess from all of it took a minute and a gigabyte."""
    content = b"\xe9\xff" * (4 << 20)
    tracemalloc.start()
    try:
        assert "is not UTF-8 text" in str(encoding_fault(content))
        assert tracemalloc.get_traced_memory()[1] < 2.5 * len(content)  # what decoding alone takes is 2
    finally:
        tracemalloc.stop()


def test_answers_that_read_like_abstentions_are_noted_and_no_fault(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    (folder,) = made.submit(tmp_path, {"alpha_r": ["I don't know", "N/A", "None", "null", "Paris", None]})
    checked = nescio.campaign.check(campaign, [folder])
    assert checked.sound
    (noted,) = checked.notes
    assert (noted.code, noted["count"]) == ("campaign.like_silence", 4)
    said = "4 answers read like an abstention (I don't know, N/A, None"
    assert str(noted).startswith(f"{folder / 'r.jsonl'}: {said}")
    assert said in str(nescio.campaign.intake(campaign, [folder]))


@pytest.mark.parametrize("task", ["qa", "reading", "nuggets", "pan"])
def test_fields_that_are_not_read_are_noted_and_told_to_the_group(task: str, tmp_path: Path) -> None:
    """The team thinks that its run abstains."""
    campaign = made.MAKE[task](tmp_path)
    run = made.sound(task, tmp_path / "alpha" / "r")
    assert nescio.campaign.check(campaign, [run]).notes == ()
    made.edit(run, '{"id"', '{"abstained": true, "id"')
    for place in (campaign, nescio.campaign.checker(campaign, tmp_path / "checker.zip").path):
        checked = nescio.campaign.check(place, [run])
        assert checked.sound
        assert [(one.code, one["names"]) for one in checked.notes] == [("campaign.unread", ("'abstained'",))]
    (receipt,) = (received := nescio.campaign.intake(campaign, [run.parent])).rows
    remark = "r.jsonl: the run has fields that nescio does not read: 'abstained'; a run of"
    assert receipt.status == "accepted"
    assert remark in str(received)
    assert remark in (campaign / "receipts" / "alpha" / "receipts.txt").read_text(encoding="utf-8")
    assert nescio.campaign.verify(campaign).sound


def test_a_fault_on_the_first_line_hides_no_other(tmp_path: Path) -> None:
    text = '{"id": "q0", "answer": "a", "confidence": 0,9}\n{"id": "q9", "answer": "a"}\n'
    faults = nescio.campaign.check(made.qa(tmp_path), [made.text(tmp_path / "mine.jsonl", text)]).rows
    expected = [(1, "not a JSON object"), (2, "no question has this id"), (0, "answers missing")]
    assert_faults(faults, expected)


def test_the_command_says_it_in_text_in_json_and_on_a_page(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def check(*arguments: Path | str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as stopped:
            call(["campaign", "check", *map(str, arguments)])
        return int(str(stopped.value.code)), capfd.readouterr().out

    large = made.qa(tmp_path / "large", 40)
    code, text = check(large, made.lines(tmp_path / "x.jsonl", [{"id": f"q{i}"} for i in range(40)]))
    assert code == 2
    assert "lines 6 to 40: this fault 35 more times" in text
    campaign, run, page = made.qa(tmp_path), defective("qa", tmp_path), tmp_path / "faults.html"
    for form in ("table", "json"):
        code, out = check(campaign, run, "--page", page, "-f", form)
        assert code == 2
        held = out if form == "table" else json.dumps(json.loads(out)["faults"])
        for _, rule in DEFECTIVE["qa"]["faults"]:
            assert rule in held
            assert rule in page.read_text(encoding="utf-8")
    code, out = check(campaign, *made.submit(tmp_path, {"alpha_r": ["a"] * 6}))
    assert code == 0
    assert "no faults" in out


# ---- options ----


OPTIONS = ["red", "green", "blue", "black", "white"]


def chosen(folder: Path, answers: str, options_from: int = -1) -> tuple[Path, Path]:
    """A campaign of five questions with options, of which the right one is another each time; and the folder of a run."""
    rows = [{"id": f"q{i}", "question": "?", "options": OPTIONS, "answers": [OPTIONS[i]]} for i in range(5)]
    campaign = made.start(folder, "qa", [made.lines(folder / "q.jsonl", rows)])
    made.edit(campaign / "campaign.toml", "options_from = -1", f"options_from = {options_from}")
    (run,) = made.submit(folder, {"alpha_r": answers.split()})
    return campaign, run


def test_a_number_names_an_option_only_where_the_campaign_says_from_which_it_counts(tmp_path: Path) -> None:
    """QA4MRE's own answer ids count from 1: as indices from 0 they would be wrong of every question."""
    campaign, run = chosen(tmp_path / "a", "1 2 3 4 5")
    assert "could count from 0 or from 1" in str(nescio.campaign.check(campaign, [run]))
    nescio.campaign.handout(campaign)
    assert "by a letter from A to E" in (campaign / "handout" / "README.md").read_text()
    for name, first, answers in (("b", 1, "1 2 3 4 5"), ("c", 0, "0 1 2 3 4"), ("d", -1, "A B C black E")):
        campaign, run = chosen(tmp_path / name, answers, first)
        assert told(campaign, run) == [("accepted", "")]
        (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
        assert scores.value("alpha_r", "accuracy") == 1
    for name, answers, rule in (
        ("e", "1 2 3 4 6", "count from 1 to 5"),
        ("f", "1 2 3 4 pink", "not one of its options"),
    ):
        campaign, run = chosen(tmp_path / name, answers, 1)
        assert rule in str(nescio.campaign.check(campaign, [run]))


def test_a_number_that_is_the_text_of_one_option_and_the_number_of_another_is_asked_about(tmp_path: Path) -> None:
    """Options 3, 1, 2 count from 1: "3" is the first by its text and the last by its number."""
    rows = [{"id": f"q{i}", "question": "How many?", "options": ["3", "1", "2"], "answers": ["3"]} for i in range(3)]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", rows)])
    made.edit(campaign / "campaign.toml", "options_from = -1", "options_from = 1")
    checked = nescio.campaign.check(campaign, made.submit(tmp_path, {"alpha_r": ["3"] * 3}))
    assert [fault.rule.rpartition(" ")[2] for fault in checked.rows] == ["A"] * 3
    assert "could be the number of another" in str(checked)
    assert nescio.campaign.check(campaign, made.submit(tmp_path, {"alpha_r": ["A"] * 3})).sound


def test_a_letter_that_is_the_text_of_another_option_is_told(tmp_path: Path) -> None:
    """Blood groups: B is the second letter and the third text."""
    options = ["O", "A", "B", "AB"]
    rows = [{"id": f"q{i}", "question": "Which?", "options": options, "answers": ["B"]} for i in range(3)]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", rows)])
    readme = (nescio.campaign.handout(campaign).path / "README.md").read_text()
    assert "the text of one option and the letter of another names the option with this text" in readme
    (run,) = made.submit(tmp_path, {"alpha_r": ["B", "(b)", "C"]})
    said = "2 answers are the text of one option and the letter of another (B, (b)): nescio reads the text"
    assert said in nescio.campaign.check(campaign, [run]).notes[0].text
    nescio.campaign.intake(campaign, [run])
    assert said in (campaign / "receipts" / "alpha" / "receipts.txt").read_text()
    campaign, run = chosen(tmp_path / "other", "A B C black E")
    assert nescio.campaign.check(campaign, [run]).notes == ()
    assert "with this text" not in (nescio.campaign.handout(campaign).path / "README.md").read_text()


# ---- what teams are handed ----


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


DISGUISES = [
    *[("target", OPTIONS), ("hint", list("ABCDE")), ("x", list("01234")), ("y", list("12345"))],
    *[("z", [[option] for option in OPTIONS]), ("a", [[number] for number in range(5)])],
    ("b", [[letter] for letter in "abcde"]),
    ("rest", [[other for other in OPTIONS if other != option] for option in OPTIONS]),
    *[(name, ["other"] * 5) for name in ("incorrect_answers", "distractor1", "explanation")],
    ("exp", [f"Ans. {option}. See the textbook, page 7." for option in OPTIONS]),
    ("others", [f"Neither {' nor '.join(other for other in OPTIONS if other != option)}." for option in OPTIONS]),
    ("said", [f"It is ({letter}), as a rule." for letter in "ABCDE"]),
    ("place", [f"Option {number} is right." for number in range(1, 6)]),
    ("hot", [",".join(str(int(i == right)) for i in range(5)) for right in range(5)]),
    ("targets", [{"choices": OPTIONS, "labels": [int(i == right) for i in range(5)]} for right in range(5)]),
    ("marks", [{option: option == right for option in OPTIONS} for right in OPTIONS]),
    *[(name, ["other"] * 5) for name in ("ground_truths", "aliases", "is_impossible", "isAnswerable", "answerKey")],
    *[(name, ["other"] * 5) for name in ("ANSWERKEY", "goldanswers", "ISANSWERABLE", "Answers_1")],
]


@together("name, values", DISGUISES)
def test_a_column_that_tells_the_key_does_not_go_to_teams(name: str, values: list[Any], tmp_path: Path) -> None:
    asked = {"question": "?", "options": OPTIONS, "topic": "t"}
    rows = [{"id": f"q{i}", "answers": [OPTIONS[i % 5]], name: values[i % 5], **asked} for i in range(10)]
    files = [made.lines(tmp_path / "q.jsonl", rows)]
    with pytest.raises(nescio.MismatchError, match=f"teams would see the column '{name}'"):
        made.start(tmp_path, "qa", files)
    campaign = made.start(tmp_path, "qa", files, show=[name])
    assert f'"{name}"' in (campaign / "topics" / "questions.jsonl").read_text()
    handed = nescio.campaign.handout(campaign).path
    assert f'"{name}"' in (handed / "topics" / "questions.jsonl").read_text()
    assert "show" not in (handed / "campaign.toml").read_text()
    made.edit(campaign / "campaign.toml", f'show = ["{name}"]', "show = []")
    with pytest.raises(nescio.MismatchError, match=rf"show = \[\"{name}\"\] in campaign\.toml"):
        nescio.campaign.handout(campaign)


@pytest.mark.parametrize("kind", ["one option", "open", "two right"])
def test_a_column_tells_the_key_where_questions_are_of_several_kinds(kind: str, tmp_path: Path) -> None:
    """One question has a single option, every second has none, or two options are right, of which one is named."""
    rows = [
        {"id": f"q{i}", "question": "?", "options": OPTIONS, "answers": [OPTIONS[i % 5]], "hint": "ABCDE"[i % 5]}
        for i in range(10)
    ]
    for i, row in enumerate(rows):
        if kind == "one option" and i == 0:
            row["options"] = OPTIONS[:1]
        elif kind == "open" and i % 2:
            row |= {"options": [], "answers": [f"thing {i}"], "hint": f"Thing {i}"}
        elif kind == "two right":
            row["answers"] = [OPTIONS[i % 5], OPTIONS[i % 5 - 2]]
    with pytest.raises(nescio.MismatchError, match="teams would see the column 'hint', but 10 of its 10 values"):
        made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", rows)])


def test_columns_that_tell_no_option_from_the_others_go_to_teams(tmp_path: Path) -> None:
    """A passage mentions two options, or the right one in a few questions; marks are the same for all questions."""
    rows = [
        {
            "id": f"q{i}",
            "question": "?",
            "options": OPTIONS,
            "answers": [OPTIONS[i % 5]],
            "passage": f"Of {OPTIONS[i % 5]} and {OPTIONS[(i + 1 + i // 5) % 5]}, page {i}",
            "hint": f"Think of {OPTIONS[i % 5]}." if i < 7 else "Think.",
            "choices": {"text": OPTIONS, "label": list("ABCDE")},
            "author": "D. Smith and B. Jones",
            "weights": "1,0,0,0,0",
        }
        for i in range(10)
    ]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", rows)])
    columns = "teams see these columns of the questions: passage, hint, choices, author, weights"
    assert columns in str(nescio.campaign.handout(campaign))
    assert columns in str(nescio.campaign.checker(campaign, tmp_path / "c.zip"))


@pytest.mark.parametrize(
    ("golds", "marks", "tells"),
    [
        ("12112", "12112", False),  # five of five, as a level from 1 to 2 has in one of 32 campaigns
        ("1211212212", "1211212221", False),
        ("1211212212" * 3, "1211212221" * 3, True),  # the same share
        ("1111111111", "1111111111", False),  # the right option is always the same
        ("1211212212", "1211212212", True),
    ],
)
@pytest.mark.parametrize("way", ["{}", "level {}", "{other}"])
def test_a_column_of_numbers_may_name_options_by_chance(
    golds: str, marks: str, tells: bool, way: str, tmp_path: Path
) -> None:
    asked = {"question": "?", "options": ["yes", "no"]}
    rows = [
        {"id": f"q{i}", "answers": ["yes" if gold == "1" else "no"], **asked, "level": way.format(mark, other=3 - mark)}
        for i, (gold, mark) in enumerate(zip(golds, map(int, marks), strict=True))
    ]
    files = [made.lines(tmp_path / "q.jsonl", rows)]
    if tells:
        with pytest.raises(nescio.MismatchError, match="teams would see the column 'level'"):
            made.start(tmp_path, "qa", files)
    else:
        assert made.start(tmp_path, "qa", files).is_dir()


def test_a_column_that_tells_which_questions_have_no_answer_does_not_go_to_teams(tmp_path: Path) -> None:
    rows = [{"id": f"q{i}", "question": "?", "answers": ["a"] if i > 5 else [], "answerable": i > 5} for i in range(12)]
    flags = made.lines(tmp_path / "flags.jsonl", [{**row, "flag": i > 6} for i, row in enumerate(rows)])
    with pytest.raises(nescio.MismatchError, match="'flag', but its values tell which questions have no answer"):
        made.start(tmp_path, "qa", [flags])
    odd = [{**row, "flag": "?" if i == 6 else i > 5} for i, row in enumerate(rows)]
    with pytest.raises(nescio.MismatchError, match="'flag', but its values tell"):
        made.start(tmp_path, "qa", [made.lines(tmp_path / "odd.jsonl", odd)])
    campaign = made.start(tmp_path / "later", "qa", [made.lines(tmp_path / "q.jsonl", rows)])
    made.lines(
        campaign / "topics" / "questions.jsonl", [{"id": f"q{i}", "question": "?", "flag": i > 5} for i in range(12)]
    )
    with pytest.raises(nescio.MismatchError, match="'flag', but its values tell"):
        nescio.campaign.handout(campaign)
    # Lists with wrong answers, two kinds of questions, a value that is unlike any other, and a rare one tell nothing.
    more = {"choices": ["a", "b"], "source": "s"}
    fair = [
        {**row, **more, "half": i % 2, "page": i, "hint": "" if i % 3 else f"h{i}", "rare": i == 0}
        for i, row in enumerate(rows)
    ]
    assert made.start(tmp_path / "fair", "qa", [made.lines(tmp_path / "fair.jsonl", fair)]).is_dir()


SILENT: dict[str, tuple[Any, Any]] = {
    "one value": (-1, None),
    "an empty value": (" ", None),
    "no value": (None, None),
    "one value of the others": (None, "known"),
    "spellings of one value": (("None", "none "), None),
}


@pytest.mark.parametrize(("silent", "known"), SILENT.values(), ids=SILENT)
def test_one_value_that_tells_which_questions_have_no_answer_is_enough(silent: Any, known: Any, tmp_path: Path) -> None:
    """The other questions have many values, or the unanswerable ones do; a value of None is left out."""
    rows = [{"id": f"q{i}", "question": "?", "answers": [f"a{i}"], "answerable": True} for i in range(6)]
    rows += [{"id": f"n{i}", "question": "?", "answers": [], "answerable": False} for i in range(6)]
    marks = [known or f"at {i}" for i in range(6)]
    marks += [f"no {i}" if known else silent[i % 2] if isinstance(silent, tuple) else silent for i in range(6)]
    said = [row if mark is None else {**row, "mark": mark} for row, mark in zip(rows, marks, strict=True)]
    with pytest.raises(nescio.MismatchError, match="'mark', but its values tell which questions have no answer"):
        made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", said)])


@pytest.mark.parametrize(("times", "tells"), [(1, False), (3, True)])
def test_a_value_that_tells_few_questions_apart_may_do_so_by_chance(times: int, tells: bool, tmp_path: Path) -> None:
    """The same share of the questions has the value each time."""
    marks = [*"xxxxy", *"xyzyz"] * times
    rows = [
        {"id": f"q{i}", "question": "?", "answers": ["a"] * (i % 10 > 4), "answerable": i % 10 > 4, "mark": mark}
        for i, mark in enumerate(marks)
    ]
    files = [made.lines(tmp_path / "q.jsonl", rows)]
    if tells:
        with pytest.raises(nescio.MismatchError, match="'mark', but its values tell which questions have no answer"):
            made.start(tmp_path, "qa", files)
    else:
        assert made.start(tmp_path, "qa", files).is_dir()


def test_a_column_that_tells_which_questions_people_judge_goes_to_teams(tmp_path: Path) -> None:
    """These questions have no key, but perhaps an answer. The language of a question is always shown."""
    rows = [{"id": f"q{i}", "question": "?", "language": "EN", "kind": "fact", "answers": ["a"]} for i in range(6)]
    judged = [{"id": f"d{i}", "question": "?", "language": "EN", "kind": "definition"} for i in range(6)]
    none = [{"id": f"n{i}", "question": "?", "language": "ES", "kind": "fact", "answerable": False} for i in range(6)]
    files = [made.lines(tmp_path / "q.jsonl", [*rows, *judged]), made.lines(tmp_path / "es.jsonl", [*rows, *none])]
    for number, path in enumerate(files):
        campaign = made.start(tmp_path / str(number), "qa", [path])
        assert nescio.campaign.handout(campaign).path.is_dir()


@pytest.mark.parametrize("task", made.MAKE)
def test_a_key_that_is_put_among_the_topics_does_not_go_to_teams(task: str, tmp_path: Path) -> None:
    """Neither over the topics nor beside them, whichever way the topics leave the folder."""
    campaign = made.MAKE[task](tmp_path)
    handed = nescio.campaign.handout(campaign)
    first = contents(handed.path)
    assert "gold" not in str(handed)
    assert {name.removeprefix("topics/") for name in first if name.startswith("topics/")} == {
        *contents(campaign / "topics")
    }
    topics, key = (sorted((campaign / name).iterdir()) for name in ("topics", "key"))
    for path, gold in zip(topics, key, strict=True):
        shutil.copyfile(path, path.with_name(f"{path.name}.bak"))
        shutil.copyfile(gold, path)
    handed = nescio.campaign.handout(campaign)
    assert contents(handed.path) == first
    assert "has gold answers, which teams do not get" in str(handed)
    nescio.campaign.checker(campaign, tmp_path / "checker.zip")
    with zipfile.ZipFile(tmp_path / "checker.zip") as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == first
    for platform in ("codabench", "tira"):
        out = tmp_path / ("b.zip" if platform == "codabench" else "t")
        nescio.campaign.export(campaign, out, codabench=platform == "codabench", tira=platform == "tira")
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        data = [name for name in archive.namelist() if name.startswith("reference_data/")]
        assert {name.partition("/")[2]: archive.read(name) for name in data} == first
    assert contents(tmp_path / "t" / "reference_data") == first


def test_an_added_column_with_the_answers_of_the_key_is_refused(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    path = campaign / "topics" / "questions.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    made.lines(path, [{**row, "remark": f"thing {i}"} for i, row in enumerate(rows)])
    for step in (nescio.campaign.handout, partial(nescio.campaign.checker, output=tmp_path / "checker.zip")):
        with pytest.raises(nescio.MismatchError, match="'remark', but 6 of its 6 values equal the right answer"):
            step(campaign)
    assert not (campaign / "handout").exists()
    assert not (tmp_path / "checker.zip").exists()
    (handed,) = [one for one in nescio.campaign.status(campaign).steps if one.name == "handout"]
    assert not handed.done
    assert "teams would see the column 'remark'" in handed.what
    made.lines(path, [{**row, "remark": "corrected"} for row in rows])
    assert "corrected" in (nescio.campaign.handout(campaign).path / "topics" / "questions.jsonl").read_text()


@pytest.mark.parametrize(
    ("task", "languages", "given", "rule"),
    [
        ("qa", ["EN", "EN", ""], [], "topic 't2' has no language, but the campaign has EN;"),
        ("qa", ["EN", None], ["EN"], "topic 't1' has no language, but the campaign has EN;"),
        ("qa", ["", ""], ["EN", "ES"], "topic 't0' has no language, but the campaign has EN and ES;"),
        ("nuggets", ["EN", "ES", None], [], "topic 't2' has no language, but the campaign has EN and ES;"),
        ("qa", ["EN", "en"], [], "some questions are in 'EN', others in 'en'; spell each language in one way"),
        ("nuggets", ["EN", "en"], ["EN", "en"], "some questions are in 'EN', others in 'en'; spell each language"),
        ("qa", ["EN", "pt_BR"], [], "the topics: the names of groups and languages may have only"),
    ],
)
def test_topics_have_a_language_each_or_none_has(
    task: str, languages: list[str | None], given: list[str], rule: str, tmp_path: Path
) -> None:
    rows = [
        {"id": f"t{i}", "target" if task == "nuggets" else "question": "?"}
        | ({} if name is None else {"language": name})
        for i, name in enumerate(languages)
    ]
    with pytest.raises(nescio.NescioError, match=re.escape(rule)):
        made.start(tmp_path, task, [made.lines(tmp_path / "t.jsonl", rows)], languages=given)
    assert not (tmp_path / "campaign").exists()


def test_settings_name_the_languages_of_the_topics(tmp_path: Path) -> None:
    """Without them, every run over all topics would be refused."""
    rows = [{"id": f"t{i}", "question": "?", "language": name} for i, name in enumerate(["EN", "ES"])]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "t.jsonl", rows)])
    settings = (campaign / "campaign.toml").read_text()
    assert 'languages = ["EN", "ES"]' in settings
    made.text(campaign / "campaign.toml", settings.replace('["EN", "ES"]', "[]"))
    with pytest.raises(nescio.MismatchError, match="names no language, but the topics are in EN and ES"):
        nescio.campaign.handout(campaign)


def test_only_first_questions_are_asked_where_wanted(tmp_path: Path) -> None:
    rows = [{"id": f"q{i}", "question": "?", "answers": ["a"], "topic": f"t{i // 3}"} for i in range(9)]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", rows)], first_of="topic")
    asked = [json.loads(line)["id"] for line in (campaign / "topics" / "questions.jsonl").read_text().splitlines()]
    assert asked == ["q0", "q3", "q6"]


CUT_OFF = {"answer": None, "finish_reason": "length"}  # In a campaign this abstains, whatever else the line says.


@pytest.mark.parametrize("task", ["qa", "reading"])
def test_an_answer_that_is_an_empty_text_is_a_fault_and_null_abstains(
    task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one in which nothing can be seen; a run that an earlier nescio accepted stays as it was."""
    campaign, letter = made.MAKE[task](tmp_path), task[0]
    every: list[Any] = ["", " \t", {"answer": "", "answered": False}, "\u200b", CUT_OFF, "here"]
    said = every if task == "qa" else every[:3]
    more = {} if task == "qa" else {"finish_reason": "length", "error": "timeout"}
    rows = [
        {"id": f"{letter}{i}", **(one if isinstance(one, dict) else {"answer": one} | more)}
        for i, one in enumerate(said)
    ]
    run = made.lines(tmp_path / "alpha" / "first.jsonl", [*rows, {"answer": "", "answered": False}])
    blank = [f"{letter}{i}" for i, one in enumerate(said) if isinstance(one, str) and not one.strip(" \t\u200b")]
    rule = "an answer may not be an empty text; to abstain, answer null"
    checked = nescio.campaign.check(campaign, [run])
    assert [fault.value for fault in checked.rows if fault.rule == rule] == [" ".join(blank)]
    assert len(checked.rows) == 2  # and the line without an id
    made.lines(run, rows)
    assert [(fault.rule, fault.value) for fault in nescio.campaign.check(campaign, [run]).rows] == [
        (rule, " ".join(blank))
    ]
    assert told(campaign, run.parent) == [("refused", "1 fault")]
    assert rule in (campaign / "receipts" / "alpha" / "receipts.txt").read_text()
    with monkeypatch.context() as earlier:
        earlier.setattr(runs, "_blank", lambda *_: [])
        ((status, remark),) = told(campaign, run.parent)
    assert status == "accepted"
    assert re.fullmatch(r"first\.jsonl: the run has fields that nescio does not read: [^;]*'finish_reason'; .*", remark)
    nescio.campaign.pool(campaign)
    made.edit(campaign / "topics" / "questions.jsonl", "?", " ?")
    nescio.campaign.pool(campaign)
    assert nescio.campaign.verify(campaign).sound


# ---- settings ----


def test_the_same_campaign_may_be_made_again_and_another_in_its_place_may_not(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    before = (campaign / "campaign.toml").read_bytes()
    assert made.qa(tmp_path) == campaign
    assert (campaign / "campaign.toml").read_bytes() == before
    with pytest.raises(nescio.UsageError, match="already holds a different campaign"):
        made.qa(tmp_path, 7)


SETTINGS = [
    ('task = "chess"', "task is one of"),
    ("runs = 0", "runs must be 1 or more"),
    ('deadline = "soon"', "a time is written as"),
    ("colour = 1", "no setting with this name"),
    ("runs = true", "runs must be a whole number"),
]


@together("line, rule", SETTINGS)
def test_an_unsound_setting_is_named(line: str, rule: str, tmp_path: Path) -> None:
    path = made.qa(tmp_path) / "campaign.toml"
    name = line.split(maxsplit=1)[0]
    kept = [old for old in path.read_text().splitlines() if not old.startswith(f"{name} ")]
    path.write_text("\n".join([line, *kept]) + "\n")
    with pytest.raises(nescio.FormatError, match=rule):
        nescio.campaign.status(path.parent)


def test_what_the_organisers_write_is_utf_8_and_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    campaign = made.pooled(tmp_path, {"alpha_a": ["a"]})
    settings, guidelines = campaign / "campaign.toml", campaign / "guidelines.md"
    for path in (settings, guidelines):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    nescio.campaign.sheets(campaign, ["ana"], html=True)
    told = guidelines.read_text(encoding="utf-8-sig")
    page = (campaign / "sheets" / "ana.html").read_text(encoding="utf-8")
    assert told.splitlines()[0].strip("# ") in page
    assert "\ufeff" not in page
    for text, rule in ((told.encode("utf-16"), "UTF-16 text"), (b"one\nJ\xe4ger", "line 2 is not UTF-8")):
        guidelines.write_bytes(text)
        for how in ({"html": True}, {"form": "xlsx"}):
            with pytest.raises(FormatError, match=f"guidelines.md: .*{rule}.*; save it as UTF-8"):
                nescio.campaign.sheets(campaign, ["ana"], **how)
        with pytest.raises(FormatError, match=rule):
            nescio.assess.create(str(tmp_path / "x.db"), [campaign])
    settings.write_bytes(settings.read_bytes().replace(b"Gamma", b"G\xe4mma"))
    with pytest.raises(FormatError, match=r"campaign.toml: line \d+ is not UTF-8 text.*; save it as UTF-8"):
        nescio.campaign.status(campaign)


def test_by_the_rules_of_a_campaign_null_abstains_whatever_else_a_line_says(tmp_path: Path) -> None:
    campaign = made.MAKE["qa"](tmp_path)
    rows = [{"id": f"q{i}", "answer": None if i else "here", "error": "timeout"} for i in range(6)]
    run = made.lines(tmp_path / "alpha" / "first.jsonl", rows)
    checked = nescio.campaign.check(campaign, [run])
    assert checked.sound
    assert [(one.code, one["names"]) for one in checked.notes] == [("campaign.unread", ("'error'",))]
    ((status, remark),) = told(campaign, run.parent)
    assert status == "accepted"
    assert remark.startswith("first.jsonl: the run has fields that nescio does not read: 'error'; a run of qa")
