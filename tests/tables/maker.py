"""Make tables as people make them, each from a seed: `made(seed)` is the same table every time."""

from __future__ import annotations

import random

from tests.tables import forms, words
from tests.tables.decoys import add_decoys
from tests.tables.forms import Verdict, pick
from tests.tables.layouts import lay_out
from tests.tables.names import Names
from tests.tables.table import RIGHT, SILENT, WRONG, Made, Row
from tests.tables.truth import Answer, Truth, hidden

LAYOUTS = {"long": 52, "nested": 20, "by_run": 7, "keyed": 5, "wide": 9, "wide_groups": 7}
FOREIGN = tuple(language for language in words.WORDS if language != "en")
IN_VERDICT = ("word", "minus_one", "empty_verdict")  # ways to write silence in the verdict


class Draft:
    """A table in the making."""

    def __init__(self, seed: int) -> None:
        self.chance = chance = random.Random(f"a table, number {seed}")
        self.seed = seed
        self.language = "en" if chance.random() < 0.72 else chance.choice(FOREIGN)
        self.layout = pick(chance, LAYOUTS)
        self.wide = self.layout in ("wide", "wide_groups")
        kinds = {"wide": forms.WIDE, "wide_groups": forms.WIDE_GROUPS}.get(self.layout, forms.VERDICTS)
        self.form = pick(chance, kinds)
        silences = {"wide": forms.WIDE_SILENCES.get(self.form, {}), "wide_groups": forms.WIDE_GROUP_SILENCES}
        self.silence = pick(chance, silences.get(self.layout, forms.SILENCES[self.form]))
        self.names = Names(chance, self.language)
        self.columns: dict[str, str] = {}
        self.doubts: list[str] = []
        self.oddities: list[str] = []
        self.silent: dict[str, list[str]] = {}  # the columns that mark silence, with their cells
        self.truth = self._truth()
        self.cells: Verdict = forms.verdict(chance, self.form, self.silence, self.language)
        self.rows: list[Row] = [{} for _ in self.truth.answers]

    def _truth(self) -> Truth:
        chance, silent = self.chance, self.silence != "no_silence"
        least = 1 if not self.wide and self.layout != "by_run" else 2
        runs = 1 if self.layout == "keyed" else chance.choice((1, 1, 2, 2, 3, 4) if least == 1 else (2, 3, 4))
        repeats = chance.choice((2, 3)) if self.layout in ("long", "nested") and chance.random() < 0.08 else 1
        graded = self.form not in ("none", "fraction") and self.silence != "empty_verdict" and not self.wide
        unanswerable = silent and not self.wide and self.silence != "empty_verdict" and chance.random() < 0.2
        ungraded = graded and chance.random() < 0.03
        return hidden(chance, runs=runs, repeats=repeats, silent=silent, unanswerable=unanswerable, ungraded=ungraded)

    def put(self, part: str, column: str, cells: list[object]) -> None:
        self.columns[part] = column
        for row, cell in zip(self.rows, cells, strict=True):
            row[column] = cell

    # ---- who was asked what ----

    def questions(self) -> None:
        chance, answers = self.chance, self.truth.answers
        shape = chance.choice(("q{:02d}", "{}", "hist-{:03d}", "{}", "item_{}"))
        ids: list[object] = [
            int(shape.format(a.question)) if shape == "{}" else shape.format(a.question + 1) for a in answers
        ]
        texts: list[object] = [f"What is thing number {a.question + 1}, and where is it kept?" for a in answers]
        which = chance.choice(("id", "id", "id", "text", "both", "both", "both"))
        if self.layout == "keyed":
            which = "both"
        if which != "text":
            self.put("question", self.names.local("id", words.OF["ids"]), ids)
        if which != "id":
            self.put("text", self.names.local("text", words.OF["texts"]), texts)
        if len(self.truth.runs) > 1 or (chance.random() < 0.5 and self.layout != "by_run"):
            self.put("run", self.names.local("run", words.OF["runs"]), [a.run for a in answers])
        if self.truth.repeats > 1:
            first = chance.choice((0, 1))
            self.put("repeat", self.names.any(words.OF["repeats"]), [a.repeat + first for a in answers])

    # ---- the answers ----

    def texts(self) -> None:
        chance = self.chance
        needed = self.form == "none" or self.silence in ("sentence", "empty_answer")
        self.sentences = chance.sample(words.SENTENCES[self.language], chance.choice((1, 1, 2)))
        quiet = {"sentence": "sentence", "empty_answer": ""}.get(self.silence) or chance.choice(
            ("sentence", "", "text")
        )
        quiet = "" if self.silence == "empty_answer" else quiet
        if needed or chance.random() < 0.6:
            self.put(
                "answer",
                self.names.local("answer", words.OF["answers"]),
                [self._said(a, quiet) for a in self.truth.answers],
            )
            if self.silence in ("sentence", "empty_answer"):
                self.silent[self.columns["answer"]] = self.sentences if self.silence == "sentence" else []
        if self.form == "none" or chance.random() < 0.4:
            gold: list[object] = [a.gold or None for a in self.truth.answers]
            self.put("gold", self.names.local("gold", words.OF["gold"]), gold)
        if self.truth.unanswerable:
            part = chance.choice(("answerable", "unanswerable"))
            among = words.OF["answerable"] if part == "answerable" else words.OF["unanswerable"]
            cells: list[object] = [a.answerable == (part == "answerable") for a in self.truth.answers]
            self.put(part, self.names.any(among), cells)

    def _said(self, answer: Answer, quiet: str) -> object:
        if answer.state != SILENT:
            return answer.text or "something"
        return {"sentence": self.chance.choice(self.sentences), "": None}.get(quiet, "It may be a lamp.")

    # ---- the verdicts ----

    def verdicts(self) -> None:
        chance, form = self.chance, self.form
        if form == "none":
            return
        if form == "fraction":
            self.doubts.append("graded scores alone")
            scores: list[object] = [self._graded(a) for a in self.truth.answers]
            self.put("verdict", self.names.any(words.OF["scores"]), scores)
            return
        vague = form in ("bool", "binary", "inverted") and chance.random() < 0.12 and not self.wide
        if form in ("three", "inverted_words") or (form == "words" and not self.cells.as_name):
            column = self.names.any(words.OF["inverted_worded"]) if form == "inverted_words" else self.names.worded()
        elif form == "inverted":
            column = self.names.any(words.OF["vague_inverted"] if vague else words.OF["inverted"])
        elif form in ("score", "percent"):
            column = self.names.any(words.OF["scores"] if form == "score" else words.OF["percents"])
        else:
            column = self.names.any(words.OF["vague_verdicts"]) if vague else self.names.verdict()
        self.doubts += ["the name of the verdict is vague"] if vague else []
        self.doubts += [] if self.cells.clear else ["the words of the verdict need a legend"]
        proper = self.truth.unanswerable and chance.random() < 0.5  # if declining was right, the verdict says so
        self.put("verdict", column, [self._verdict(a, proper=proper) for a in self.truth.answers])
        if self.truth.ungraded:
            self.doubts.append("an answer has no grade")
        if form in ("bool", "binary", "yesno") and chance.random() < 0.14 and not self.wide:
            self._second(column)

    def _verdict(self, answer: Answer, *, proper: bool) -> object:
        if answer.state == SILENT and self.silence not in IN_VERDICT:
            return self.cells.right if proper and not answer.answerable else self.cells.silent
        return self.cells.cell(answer.state)

    def _graded(self, answer: Answer) -> object:
        low, high = {RIGHT: (0.3, 1.0), WRONG: (0.0, 0.7)}.get(answer.state, (0.0, 0.0))
        return round(self.chance.uniform(low, high), 2)

    def _second(self, column: str) -> None:
        """Add the column of a second judge, who agrees or not."""
        agrees = self.chance.random() < 0.3
        other = self.names.any(
            [f"{who}_{what}" for who in ("rule", "second", "human2", "gpt") for what in words.OF["after"]]
        )
        swapped = {self.cells.right: self.cells.wrong, self.cells.wrong: self.cells.right}
        cells = [row[column] for row in self.rows]
        given = [i for i, a in enumerate(self.truth.answers) if a.state in (RIGHT, WRONG)]
        for i in [] if agrees else self.chance.sample(given, max(1, len(given) // 5)):
            cells[i] = swapped[cells[i]]
        for row, cell in zip(self.rows, cells, strict=True):
            row[other] = cell
        self.oddities.append("a second judge")
        self.doubts += [] if agrees else ["two judges differ"]

    # ---- the silences ----

    def silences(self) -> None:
        quiet = [a.state == SILENT for a in self.truth.answers]
        if self.silence == "bool_column":
            self._silent_truths(quiet)
        elif self.silence == "word_column":
            vague = self.chance.random() < 0.15
            called, said, given = self.chance.choice(
                words.THREES["vague_actions"] if vague else words.THREES["actions"]
            )
            self.doubts += ["the word of silence is vague"] if vague else []
            self.put("silence", self.names.any([called]), [said if q else given for q in quiet])
            self.silent[self.columns["silence"]] = []
        elif self.silence == "grade_beside":
            right, wrong, word = self.chance.choice(words.THREES["not_attempted"] + words.THREES["legend"])
            cells: list[object] = [{RIGHT: right, WRONG: wrong, SILENT: word}.get(a.state) for a in self.truth.answers]
            self.put("silence", self.names.worded(), cells)
            self.silent[self.columns["silence"]] = []
        elif self.silence == "minus_one":
            self.doubts.append("-1 could be silence, or no grade")
        elif self.silence == "empty_verdict":
            self.doubts.append("an empty verdict could be silence, or no grade")

    def _silent_truths(self, quiet: list[bool]) -> None:
        given = self.chance.random() < 0.25
        vague = not given and self.chance.random() < 0.1
        yes, no = self.chance.choice(((True, False), (True, False), (1, 0), words.TRUTHS[self.language]))
        if given:
            column = self.names.any(words.OF["given"])
        else:
            column = (
                self.names.any(words.OF["vague_silent"]) if vague else self.names.local("silent", words.OF["silent"])
            )
        self.doubts += ["the name of silence is vague"] if vague else []
        self.put("silence", column, [yes if q != given else no for q in quiet])
        self.silent[column] = []

    # ---- the whole table ----

    def finish(self) -> Made:
        self.questions()
        self.texts()
        self.verdicts()
        self.silences()
        numbers = [a.question for a in self.truth.answers]
        if not self.wide:
            add_decoys(self.chance, self.names, self.rows, numbers, 5)
        return lay_out(self)


def made(seed: int) -> Made:
    """Return the table of a seed."""
    return Draft(seed).finish()
