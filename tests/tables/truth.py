"""Make the hidden truth of a table: each run's answer to each question, before anything is written."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.tables import words
from tests.tables.table import RIGHT, SILENT, UNGRADED, WRONG, Counts

THINGS = [
    *("Paris", "Mount Kenya", "1848", "the Danube", "Marie Curie", "iron", "Lake Titicaca"),
    *("42", "Beethoven", "a treaty", "Oslo", "7.5", "copper", "Ada"),
]
# Right answers and wrong ones that differ only in signs, such as numbers, formulas and code.
SIGNS = [("-1", "1"), ("3.14", "314"), ("1e-5", "1e5"), ("x+1", "x-1"), ("C++", "C"), ("0.50", "0.05"), ("-7", "7")]


@dataclass
class Answer:
    """One answer; `text` is the system's answer, and `gold` the right one (empty if there is none)."""

    run: str
    question: int
    repeat: int
    state: str
    answerable: bool
    text: str
    gold: str


@dataclass
class Truth:
    runs: list[str]
    questions: int
    repeats: int
    answers: list[Answer]
    unanswerable: bool
    ungraded: bool

    def counts(self) -> dict[str, Counts]:
        """Return the counts of each run."""
        made = {}
        for run in self.runs:
            own = [answer for answer in self.answers if answer.run == run]
            withheld = sum(a.state == SILENT and not a.answerable for a in own)
            by_state = [sum(a.state == state for a in own) for state in (RIGHT, WRONG, SILENT, UNGRADED)]
            made[run] = Counts(by_state[0], by_state[1], by_state[2] - withheld, by_state[3], withheld)
        return made


def hidden(
    chance: random.Random, *, runs: int, repeats: int, silent: bool, unanswerable: bool, ungraded: bool
) -> Truth:
    """Return a truth with right and wrong answers, and with silent ones if the table can express them."""
    names = chance.sample(words.OF["run_names"], runs)
    size = chance.randint(7, 16)
    skill = {run: chance.uniform(0.35, 0.8) for run in names}
    quiet = {run: chance.uniform(0.1, 0.4) if silent else 0.0 for run in names}
    signs = chance.random() < 0.25
    answers = []
    for q in range(size):
        known = not (unanswerable and q % 3 == 2)
        right, wrong = SIGNS[q % len(SIGNS)] if signs else (THINGS[q % len(THINGS)], THINGS[(q + 5) % len(THINGS)])
        for run in names:
            for repeat in range(repeats):
                draw = chance.random()
                state = SILENT if draw < quiet[run] else RIGHT if chance.random() < skill[run] else WRONG
                if repeat == 0 and q < 3:  # all states occur in each run
                    state = (RIGHT, WRONG, SILENT if silent else WRONG)[q]
                if state == RIGHT and not known:
                    state = WRONG
                text = {RIGHT: right, WRONG: wrong}.get(state, "")
                answers.append(Answer(run, q, repeat, state, known, text, right if known else ""))
    if ungraded:
        chance.choice([a for a in answers if a.state in (RIGHT, WRONG) and a.question > 2]).state = UNGRADED
    return Truth(names, size, repeats, answers, unanswerable, ungraded)
