"""200 tables as people make them: each is scored as its maker meant, or refused by a message that says how it would
be."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from pathlib import Path

import numpy as np

from nescio.data.evidence import Evidence
from nescio.errors import NescioError
from nescio.pipeline import Loaded, Options, load
from tests.daily import together

from .home_made import Table, tables

TABLES = {f"{table.number}-{table.way}": table for table in tables(200)}
OPTION = re.compile(r"--column ('[^']*'|[^\s;,)]+)")
ONE_OF = re.compile(r"--column (\w+)=NAME, which may be ((?:'[^']*'(?: \([^)]*\))?(?:; )?)+)")
NAMED = re.compile(r"'([^']*)'( \([^)]*\))?")
PARTS = {"id": "question", "text": "question"}  # what the option calls a part
SEEN: Counter[int] = Counter()


def states_in(table: Table, evidence: Evidence) -> dict[tuple[str | None, int], str]:
    """The state of each answer as it was read."""
    states: dict[tuple[str | None, int], str] = {}
    for r, run in enumerate(evidence.runs):
        for q, question in enumerate(evidence.questions):
            key = (run if "run" in table.parts else None, table.questions[question])
            assert key not in states
            names = [name for name in ("correct", "incorrect", "unanswered") if evidence.columns[name][r, q]]
            states[key] = names[0] if evidence.present[r, q] and len(names) == 1 else "ungraded"
    return states


def proposals(message: str) -> list[tuple[str, str]]:
    """The options that a message proposes."""
    words = [shlex.split(option)[0] for option in OPTION.findall(message)]
    found = [(name, column) for name, _, column in (word.partition("=") for word in words)]
    for part, listed in ONE_OF.findall(message):
        found += [(part, column) for column, _ in NAMED.findall(listed)]
    return found


def meant(table: Table) -> set[tuple[str, str]]:
    """The options that its maker would give."""
    silent = set() if {"abstained", "answered"} & {*table.parts} else {("abstained", "-")}
    return {(PARTS.get(part, part), column) for part, column in table.parts.items()} | silent


def attempt(path: Path, column: dict[str, str]) -> tuple[Loaded | None, str]:
    """Read a table with these columns named, or give the message that refuses it."""
    try:
        return load(path, Options(column=column, ungraded="exclude")), ""
    except NescioError as error:
        return None, str(error)


@together("name", TABLES)
def test_a_table_is_scored_as_its_maker_meant_or_asks(name: str, tmp_path: Path) -> None:
    table = TABLES[name]
    path, column, messages = table.write(tmp_path), dict[str, str](), list[str]()
    for _ in range(4):
        loaded, message = attempt(path, column)
        if loaded:
            break
        messages.append(message)
        right = [option for option in proposals(message) if option in meant(table) and option[0] not in column]
        assert right, f"{message}\n{column}\n{table.parts}\n{path.read_bytes()[:400]!r}"
        column |= dict(right)
    else:
        raise AssertionError(messages)
    evidence = loaded.data
    assert isinstance(evidence, Evidence), (messages, table.parts)
    assert states_in(table, evidence) == table.states, (table.parts, messages, list(map(str, loaded.notes)))
    if table.confidence and loaded.format == "outcomes":
        for (run, q), sure in table.confidence.items():
            r = evidence.runs.index(run) if run else 0
            at = next(i for i, question in enumerate(evidence.questions) if table.questions[question] == q)
            there = evidence.columns["confidence"][r, at]
            assert (
                there == sure
                or (np.isnan(there) and table.states[run, q] == "unanswered")
                or not evidence.present[r, at]
            )
    SEEN[len(messages)] += 1


def test_most_tables_need_no_option() -> None:
    if SEEN.total():  # in this process
        assert SEEN[0] >= 150, SEEN


def test_the_tables_differ() -> None:
    headers = {tuple(table.rows[0]) for table in TABLES.values()}
    assert len(headers) > 190
    assert {len(table.parts) for table in TABLES.values()} >= {3, 4, 5, 6}
