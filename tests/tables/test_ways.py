"""What is among the ways to read a table in a language, or under names, that nobody knows: each from a hidden truth."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from nescio.data.evidence import Tally
from nescio.errors import FormatError
from nescio.pipeline import Options, load
from tests.tables.reading import WAYS, first_proposal, with_options
from tests.tables.table import RIGHT, SILENT, WRONG
from tests.tables.test_kinds import RUNS, Row, counted, read, rows, truth

TEXTS = [
    "lima",
    "oslo",
    "peru",
    "mars",
    "zinc",
    "bach",
    "elm",
    "rome",
    "kafka",
    "nile",
    "argon",
    "lead",
    "oak",
    "venus",
]


def leads(folder: Path, table: list[Row], **options: Any) -> list[Any]:
    """Return what each way that a message shows makes of a table; of one that shows none the message."""
    message, _ = read(folder, table, **options)
    assert isinstance(message, str), message
    ways = WAYS.findall(message) or [first_proposal(message)]
    return [read(folder, table, **with_options(options, way))[0] for way in ways if way]


def alone(seed: int) -> dict[str, list[str]]:
    return {RUNS[0]: truth(seed)[RUNS[0]]}


def one(states: dict[str, list[str]]) -> tuple[int, ...]:
    return next(iter(counted(states).values()))


def first_of(found: Any) -> Any:
    """The counts of a table of one run, however it is called."""
    return next(iter(found.values())) if isinstance(found, dict) and len(found) == 1 else found


@pytest.mark.parametrize(("yes", "no"), [(1, 0), (True, False)])
def test_members_of_one_object_in_unknown_words_are_asked_about(tmp_path: Path, yes: Any, no: Any) -> None:
    states = alone(31)
    table = [
        {"tunnus": i, "arvostelu": {"zork": yes if s == RIGHT else no, "plugh": yes if i % 5 == 1 else no}}
        for i, s in enumerate(states[RUNS[0]])
    ]
    named = [{**row, "assessment": row["arvostelu"]} for row in table]
    for row in named:
        del row["arvostelu"]
    message, _ = read(tmp_path, named)
    assert "outcome=assessment.zork" in message
    found = [{**row, "correct": row["arvostelu"]} for row in table]  # a word for what is right: its members are runs
    for row in found:
        del row["arvostelu"]
    assert set(read(tmp_path, found)[0]) == {"zork", "plugh"}


def test_runs_are_judged_in_the_same_words(tmp_path: Path) -> None:
    states = alone(32)
    table = [
        {"tunnus": i, "eval": {"판정": "✅" if s == RIGHT else "❌", "claim": i % 4 == 1}}
        for i, s in enumerate(states[RUNS[0]])
    ]
    message, _ = read(tmp_path, table)
    assert "eval.판정" in message


@pytest.mark.parametrize("runs", [1, 3])
def test_counts_in_unknown_words_are_among_the_ways(tmp_path: Path, runs: int) -> None:
    counts = [(5, 3, 6), (8, 2, 4), (7, 7, 0)][:runs]
    table = [{"rendszer": f"r{i}", "jó": a, "rossz": b, "nincs válasz": c} for i, (a, b, c) in enumerate(counts)]
    message, _ = read(tmp_path, table)
    for way in WAYS.findall(message):
        assert len(re.findall(r"--column '?(?:correct|incorrect|unanswered)=", way)) == 3
    loaded = load(tmp_path / "table.json", Options(**with_options({}, WAYS.findall(message)[0]))).data
    assert isinstance(loaded, Tally)
    names = ("correct", "incorrect", "unanswered")
    assert [tuple(int(own[loaded.columns[name] > 0].sum()) for name in names) for own in loaded.counts] == counts


def test_a_text_that_stands_again_beside_nothing_right_is_among_the_ways(tmp_path: Path) -> None:
    states = alone(33)
    table = rows(
        states,
        lambda s, i: {"vastaus": "n/k (?)" if s == SILENT else TEXTS[i], "zork": int(s == RIGHT)},
        question="nro",
    )
    assert one(states) in map(first_of, leads(tmp_path, table))


@pytest.mark.parametrize("words", [("ditolak", "dijawab"), ("ya", "tidak"), ("ja", "nej")])
def test_a_word_beside_nothing_right_is_among_the_ways(tmp_path: Path, words: tuple[str, str]) -> None:
    states = truth(34)
    table = rows(states, lambda s, _: {"keadaan": words[s != SILENT], "zork": s == RIGHT})
    assert counted(states) in leads(tmp_path, table)
    unknown = rows(states, lambda s, _: {"keadaan": words[s != SILENT], "dom": ("forkrt", "rigtg")[s == RIGHT]})
    assert counted(states) in leads(tmp_path, unknown)


def test_a_flag_of_faults_is_asked_about_beside_texts_that_are_empty(tmp_path: Path) -> None:
    states = {RUNS[0]: [*truth(35)[RUNS[0]], *truth(36)[RUNS[0]]]}
    table = rows(
        states,
        lambda s, i: {"confabulated": int(s == WRONG), "sysOut": None if s == SILENT else TEXTS[i % 14]},
        question="probNo",
    )
    for options in ({}, {"column": {"question": "probNo"}}):
        assert leads(tmp_path, table, **options)[0] == counted(states)


def test_names_of_runs_may_hold_a_plus(tmp_path: Path) -> None:
    states = truth(36)
    words = {RIGHT: "corct", WRONG: "gresit", SILENT: "fara raspuns"}
    names = {"alpha": "rag+rerank", "beta": "baseline"}
    table = [
        {"id_intrebare": i, **{names[run]: words[own[i]] for run, own in states.items()}}
        for i in range(len(states["alpha"]))
    ]
    assert {names[run]: own for run, own in counted(states).items()} in leads(tmp_path, table)


def test_a_column_that_says_yes_of_no_graded_answer_is_proposed(tmp_path: Path) -> None:
    states = alone(37)
    own = states[RUNS[0]]
    table = rows(states, lambda s, _: {"grade": {RIGHT: "right", WRONG: "wrong"}.get(s), "is_na": int(s == SILENT)})
    table += [{"question_id": "more", "model": RUNS[0], "grade": None, "is_na": 0}]
    message, _ = read(tmp_path, table)
    assert first_proposal(message) == "--column abstained=is_na"
    got, _ = read(tmp_path, table, column={"abstained": "is_na"}, ungraded="exclude")
    assert got == {RUNS[0]: (own.count(RIGHT), own.count(WRONG), own.count(SILENT), 1)}


def test_an_empty_verdict_can_be_silence(tmp_path: Path) -> None:
    states = truth(38)
    table = rows(states, lambda s, _: {"correct": {RIGHT: 1, WRONG: 0}.get(s)})
    message, _ = read(tmp_path, table)
    assert "--outcome-map =unanswered" in message
    got, notes = read(tmp_path, table, outcome_map={"": "unanswered"})
    assert got == counted(states)
    assert "outcome '' read as unanswered" in notes
    assert "have no verdict" not in notes


def test_a_remark_is_no_header(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("# made on Monday, by hand\nid,model,korrekt\n1,a,1\n2,a,0\n")
    with pytest.raises(FormatError, match="the first line is a remark, as it begins with #, and no header: delete it"):
        load(path, Options())


def test_a_column_that_is_named_whole_is_no_part_of_a_run(tmp_path: Path) -> None:
    states = truth(39)
    table = [
        {
            "nro": i,
            "oikea_vastaus": TEXTS[i],
            **{f"{run}_vastaus": TEXTS[i if own[i] == RIGHT else i + 1] for run, own in states.items()},
        }
        for i in range(len(states["alpha"]))
    ]
    named = {"question": "nro", "prediction": "vastaus", "gold": "oikea_vastaus"}
    got, _ = read(tmp_path, table, column=named)
    assert got == {run: (own.count(RIGHT), len(own) - own.count(RIGHT), 0, 0) for run, own in states.items()}
