"""Collect what some runs did on some questions, and the columns that write it down."""

from __future__ import annotations

import math
import random
import unicodedata
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from made_words import BOOLS, CITIES, MODELS, NAMES, WORDS, Cell

RIGHT, WRONG, SILENT, UNGRADED, PARTIAL = "right", "wrong", "silent", "ungraded", "partial"


@dataclass
class Fact:
    """Hold what one run did on one question in one attempt, and what it was worth."""

    run: str
    question: int
    repeat: int = 0
    result: str = RIGHT
    answerable: bool = True
    declined: bool = False
    verdict: bool | None = True  # what the file's own grader says


@dataclass
class Column:
    """Hold one column; `shared` columns describe the question and are alike for all runs."""

    name: str
    cells: list[Cell]
    shared: bool = False


def plain(name: str) -> str:
    """Return a name without case, accents and separators, to keep two columns from looking alike."""
    text = unicodedata.normalize("NFKD", name.rsplit(".", 1)[-1])
    return "".join(c for c in text.casefold() if c.isalnum())


def styled(words: str, style: str) -> str:
    """Write a name of several words in one of the usual styles."""
    parts = words.split(" ")
    match style:
        case "camel":
            return parts[0][0].lower() + parts[0][1:] + "".join(p[0].upper() + p[1:] for p in parts[1:])
        case "pascal":
            return "".join(p[0].upper() + p[1:] for p in parts)
        case "title":
            return " ".join(p[0].upper() + p[1:] for p in parts)
        case "upper":
            return "_".join(parts).upper()
        case "kebab":
            return "-".join(parts)
        case "space":
            return words
        case _:
            return "_".join(parts).lower()


@dataclass
class Draft:
    """Collect facts and columns until the file is written."""

    rng: random.Random
    kind: str
    style: str = "snake"
    language: str = "en"
    facts: list[Fact] = field(default_factory=list)
    columns: list[Column] = field(default_factory=list)
    mapping: dict[str, tuple[str, list[Column]]] = field(default_factory=dict)
    options: list[str] = field(default_factory=list)
    asks: list[str] = field(default_factory=list)
    layouts: list[str] = field(default_factory=list)
    unanswerable_known: bool = False
    expressible: bool = True
    stem: str = "results"
    unlisted: list[Fact] = field(default_factory=list)  # facts that have no row
    hidden: list[Fact] = field(default_factory=list)  # rows that do not count (dropped duplicates)
    ids: list[Cell] = field(default_factory=list)
    tail: list[dict[str, Cell]] = field(default_factory=list)  # summary rows, by column name
    totals: dict[str, Any] = field(default_factory=dict)
    sheets: list[tuple[str, str]] = field(default_factory=list)  # other sheets: name, content
    sheet: str = "Sheet1"

    # ---------------------------------------------------------- facts
    def size(self, runs: int = 1) -> int:
        """Draw a number of questions that gives tables from 8 to about 400 rows."""
        rows = self.rng.choice([8, 8, 8, 10, 12, 16, 24, 40, 60, 100, 150, 250, 400])
        return max(8 if runs == 1 else 4, rows // runs)

    def draw(self, runs: Sequence[str], silent: bool, questions: int = 0, repeats: int = 1) -> None:
        """Draw facts: every run meets right and wrong answers, and silence if asked for."""
        count = questions or self.size(len(runs) * repeats)
        for run in runs:
            skill, quiet = self.rng.uniform(0.25, 0.9), self.rng.uniform(0.05, 0.3) if silent else 0.0
            wanted = [RIGHT, WRONG] + [SILENT] * silent
            results = [SILENT if self.rng.random() < quiet else self.right(skill) for _ in range(count * repeats)]
            for place, result in zip(self.rng.sample(range(len(results)), len(wanted)), wanted, strict=True):
                results[place] = result
            for q in range(count):
                for k in range(repeats):
                    self.facts.append(Fact(run, q, k, results[q * repeats + k]))
        for fact in self.facts:
            fact.declined, fact.verdict = fact.result == SILENT, fact.result == RIGHT
        if self.rng.random() < 0.4:
            self.facts.sort(key=lambda f: (f.question, f.repeat))
        elif self.rng.random() < 0.2:
            self.rng.shuffle(self.facts)
        self.ids = self.question_ids(count)

    def right(self, skill: float) -> str:
        """Draw right or wrong."""
        return RIGHT if self.rng.random() < skill else WRONG

    def question_ids(self, count: int) -> list[Cell]:
        """Draw identifiers in one of the usual forms."""
        match self.rng.randrange(8):
            case 0 | 1:
                return list(range(count))
            case 2:
                return list(range(1, count + 1))
            case 3:
                return [str(uuid.UUID(int=self.rng.getrandbits(128), version=4)) for _ in range(count)]
            case 4:
                return [f"{self.rng.choice(['geo', 'sci', 'live'])}_{i}" for i in range(count)]
            case 5:
                return [f"q{i:03d}" for i in range(count)]
            case 6:
                return [f"Frage {i}" if self.language == "de" else f"task/{i}" for i in range(count)]
            case _:
                return [f"q{i}" for i in range(count)]

    def pick_runs(self, few: int = 1, many: int = 4) -> list[str]:
        """Draw names of runs."""
        return self.rng.sample(MODELS, self.rng.randint(few, many))

    # ---------------------------------------------------------- columns
    def name(self, role: str) -> str:
        """Draw a name for a role that no other column resembles."""
        if role not in NAMES:
            return self.free_name(role)
        taken = {plain(c.name) for c in self.columns}
        by_language = NAMES[role]
        for language in (self.language, "en", "de"):
            options = by_language.get(language, "").split("|")
            self.rng.shuffle(options)
            for option in options:
                if not option:
                    continue
                name = option if "@" in option or "?" in option else styled(option, self.style)
                if plain(name) not in taken:
                    return name
        return self.free_name(f"{role} value")

    def free_name(self, words: str) -> str:
        """Write given words in the table's style, with a number if the name is taken."""
        name, number = styled(words, self.style), 2
        while plain(name) in {plain(c.name) for c in self.columns}:
            name, number = styled(f"{words} {number}", self.style), number + 1
        return name

    def add(self, role: str, cells: Iterable[Cell], form: str = "{0}", name: str = "", names: str = "") -> Column:
        """Add a column; with a form it is part of the mapping, with an empty form it is not."""
        column = Column(name or self.name(names or role), list(cells), role in ("question", "gold", "answerable"))
        self.columns.append(column)
        if form:
            self.mapping[role] = (form, [column])
        return column

    def noise(self, words: str, cells: Iterable[Cell], shared: bool = False) -> None:
        """Add a column that means nothing for the counts, unless its name is taken."""
        if plain(words) not in {plain(c.name) for c in self.columns}:
            self.columns.append(Column(styled(words, self.style), list(cells), shared))

    def add_keys(self, run_names: str = "run") -> None:
        """Add the columns of questions and, if there are several runs, of runs."""
        self.add("question", [self.ids[f.question] for f in self.facts])
        several = len({f.run for f in self.facts}) > 1
        if several or self.rng.random() < 0.5:
            self.add("run", [f.run for f in self.facts], names=run_names)
        else:
            for fact in self.facts:
                fact.run = ""  # named after the file when the truth is counted

    def bools(self, values: Iterable[bool | None]) -> list[Cell]:
        """Write booleans in one of the usual pairs of the table's language."""
        _, true, false = self.rng.choice([b for b in BOOLS if b[0] in ("", self.language)])
        return [None if v is None else true if v else false for v in values]

    def words(self) -> tuple[str, str, str]:
        """Draw the words for right, wrong and silent."""
        languages = ("", self.language) if self.language != "en" else ("", "it", "pt")
        _, right, wrong, silent = self.rng.choice([w for w in WORDS if w[0] in languages])
        return right, wrong, silent

    def add_verdicts(self, silent: bool, role: str = "outcome") -> Column:
        """Add one column of verdicts: words, or booleans where nobody was silent."""
        if silent or self.rng.random() < 0.4:
            words = dict(zip((RIGHT, WRONG, SILENT), self.words(), strict=True))
            return self.add(role, [words[f.result] for f in self.facts], names="outcome")
        return self.add(role, self.bools(f.result == RIGHT for f in self.facts), names="hit")

    def confidence(self, f: Fact) -> float:
        """Draw a confidence between 0 and 1 that is higher for right answers."""
        return round(self.rng.betavariate(5, 2) if f.result == RIGHT else self.rng.betavariate(3, 3), 3)

    def add_confidence(self) -> None:
        """Add confidences from 0 to 1 or 0 to 100 to the mapping, or logprobs as noise."""
        match self.rng.randrange(6):
            case 0 | 1:
                self.add("confidence", [self.confidence(f) for f in self.facts])
            case 2:
                percents: list[Cell] = [round(100 * self.confidence(f)) for f in self.facts]
                percents[self.rng.randrange(len(percents))] = 95
                self.add("confidence", percents, "{0}/100")
            case 3:
                self.noise("logprob", [round(math.log(self.confidence(f) + 1e-3), 4) for f in self.facts])
            case _:
                pass

    def add_texts(self) -> None:
        """Add answers and gold in sentences beside a verdict: nothing to compare letter by letter."""
        gold = [self.rng.choice(CITIES) for _ in self.ids]
        tail = [", I think.", " (see note)", ".\nSource: page 3", ', the "old" city', ""]
        answers = [self.reply(f, gold[f.question]) + self.rng.choice(tail) for f in self.facts]
        self.add("prediction", answers, "")
        if self.rng.random() < 0.6:
            self.add("gold", [gold[f.question] for f in self.facts], "")

    def reply(self, f: Fact, gold: str) -> str:
        """Write a sentence that fits a fact."""
        if f.declined:
            return self.rng.choice(["I cannot answer that", "Not found in the documents", "Das weiß ich nicht"])
        other = self.rng.choice([c for c in CITIES if c != gold])
        return f"It is {gold if f.result == RIGHT else other}"

    def add_noise(self) -> None:
        """Add some of the columns that people keep beside a verdict, some of them misleading."""
        rng, n = self.rng, len(self.facts)
        q = [f.question for f in self.facts]
        kinds = [rng.choice(["geo", "sci", "history", "correct usage"]) for _ in self.ids]
        reasons = ["matches the reference", "the answer is wrong because of the date", "I don't know why", "näher dran"]
        offers: list[Callable[[], None]] = [
            lambda: self.noise("latency ms", [rng.randint(90, 9000) for _ in range(n)]),
            lambda: self.noise("prompt tokens", [rng.randint(20, 4000) for _ in range(n)]),
            lambda: self.noise("cost usd", [round(rng.random() / 50, 5) for _ in range(n)]),
            lambda: self.noise("timestamp", [f"2026-0{rng.randint(1, 9)}-1{rng.randint(0, 9)}T10:00" for _ in q]),
            lambda: self.noise("notes", [rng.choice(["", "", "", "check\nagain", "ok, see «mail»"]) for _ in q]),
            lambda: self.noise("judge reason", [rng.choice(reasons) for _ in q]),
            lambda: self.noise("category", [kinds[i] for i in q], True),
            lambda: self.noise("difficulty", [("easy", "hard", "medium")[i % 3] for i in q], True),
            lambda: self.noise("finish reason", [rng.choice(["stop", "stop", "length"]) for _ in q]),
            lambda: self.noise("n retrieved", [rng.randint(0, 5) for _ in q]),
            lambda: self.noise("has citation", [rng.random() < 0.5 for _ in q]),
            lambda: self.noise("needs search", [i % 2 for i in q], True),
            lambda: self.noise("split", ["test"] * n, True),
            lambda: self.noise("comment", [None] * n),
            lambda: self.noise("reviewed", [rng.choice(["yes", "no"]) for _ in q]),
            lambda: self.noise("error type", ["reasoning" if f.result == WRONG else "" for f in self.facts]),
            lambda: self.noise("Frage", [f"Wie heißt Stadt {i}?" for i in q], True),
            lambda: self.columns.insert(0, Column("Unnamed: 0", list(range(n)))),
        ]
        for offer in rng.sample(offers, rng.choice([0, 1, 2, 3, 5])):
            offer()
        if rng.random() < 0.3:
            self.columns.append(Column(self.name("text"), [f"Which city is no. {i}, “the {i}th”?" for i in q], True))
