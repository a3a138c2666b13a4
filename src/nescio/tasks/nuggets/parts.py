"""Collect the content of nugget files line by line and check it: keys, the strings of runs, assessors' mappings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field

from nescio.data import model
from nescio.data.judge_record import JudgeRecord
from nescio.data.notes import note
from nescio.errors import FormatError, MismatchError, UsageError, opt
from nescio.formats.registry import ReadOptions, ReadResult, Unjudged
from nescio.sources import elements
from nescio.sources.source import Source
from nescio.tasks.kit import fault_at
from nescio.tasks.nuggets import pourpre
from nescio.tasks.nuggets.scoring import FULL, MAJORITY, Match, Nugget, Response, Run, Target, evidence

BY_PEOPLE = ("nuggets.F", "nuggets.NR", "nuggets.NP")
AUTOMATICALLY = ("nuggets.automatic_F", "nuggets.automatic_NR", "nuggets.automatic_NP")
CHOICES = ("automatic", "assessors")
NOTHING = "-"


class At(Struct, frozen=True):
    """The place of a line in a file, by which error messages name it."""

    source: Source
    line: int

    def fail(self, rule: str, value: object = None) -> FormatError:
        """Return the error that this line breaks `rule`."""
        return fault_at(self.source, self.line, rule, value)


class Keys(Struct):
    """The targets in all files of a key, each with its nuggets in file order."""

    texts: dict[str, str] = field(default_factory=dict)
    nuggets: dict[str, dict[str, Nugget]] = field(default_factory=dict)
    strata: dict[str, dict[str, str]] = field(default_factory=dict)

    def add(self, at: At, target: str, nugget: Nugget) -> None:
        """Add a nugget to a target; if the target already has the nugget, add the labels of further assessors to it.

        Raises FormatError if the text of the nugget differs, or if an assessor labels it twice.
        """
        known = self.nuggets.setdefault(target, {})
        before = known.get(nugget.id)
        if before is None:
            known[nugget.id] = nugget
            return
        if set(before.vital) & set(nugget.vital):
            raise at.fail(f"nugget {nugget.id} of question {target} appears twice", nugget.text)
        if before.text != nugget.text:
            rule = f"nugget {nugget.id} of question {target} had a different text on an earlier line ({before.text!r})"
            raise at.fail(rule, nugget.text)
        known[nugget.id] = Nugget(before.id, before.text, {**before.vital, **nugget.vital}, before.weight)

    def targets(self) -> tuple[Target, ...]:
        """Return all targets with their nuggets.

        Raises MismatchError if only some nuggets of a target have a weight, or have an assessor's label.
        """
        targets = []
        for name, nuggets in self.nuggets.items():
            weighted = [nugget.weight is not None for nugget in nuggets.values()]
            if any(weighted) and not all(weighted):
                raise MismatchError(f"question {name}: only some nuggets have a weight; give every nugget a weight")
            people = [set(nugget.vital) for nugget in nuggets.values()]
            odd = next((i for i, who in enumerate(people) if who != people[0]), None)
            if odd is not None:
                first, other = next(iter(nuggets)), list(nuggets)[odd]
                raise MismatchError(
                    f"question {name}: nugget {first} is labelled by {_names(people[0])}, nugget {other} by"
                    f" {_names(people[odd])}; every assessor must label every nugget of a question"
                )
            targets.append(Target(name, self.texts.get(name, ""), tuple(nuggets.values()), self.strata.get(name, {})))
        return tuple(targets)


def _names(people: set[str]) -> str:
    return ", ".join(sorted(who or "one assessor" for who in people)) or "nobody"


class _String(Struct):
    text: str
    document: str | None
    line: int


class Said(Struct):
    """The responses of all runs, collected while their files are read.

    Keyed by run and target are the line where a response begins (`where`), its strings by rank, and its confidence.
    """

    where: dict[tuple[str, str], At] = field(default_factory=dict)
    strings: dict[tuple[str, str], dict[int, _String]] = field(default_factory=dict)
    sure: dict[tuple[str, str], float | None] = field(default_factory=dict)
    runs: dict[str, str] = field(default_factory=dict)  # keyed by run: its file

    def run(self, at: At, name: str) -> None:
        """Add a run. Raises FormatError if another file already has a run of this name."""
        file = str(at.source.label)
        if self.runs.setdefault(name, file) != file:
            raise at.fail(f"run {name!r} is also in {self.runs[name]}; give all lines of a run in one file", name)

    def respond(self, at: At, key: tuple[str, str], sure: float | None, verb: str) -> None:
        """Start the response of the run and target in `key`. Raises FormatError if it was already started.

        `sure` is the confidence of the response, and `verb` is a part of the error, such as "responds to question".
        """
        run, target = key
        if key in self.where:
            raise at.fail(f"run {run!r} {verb} {target} twice; first on line {self.where[key].line}", target)
        self.run(at, run)
        self.where[key], self.sure[key] = at, sure

    def add(self, at: At, key: tuple[str, str], rank: int, text: str, document: str | None) -> None:
        """Add a string with its rank to the response of the run and target in `key`."""
        if not text.strip():
            raise at.fail("the answer string is empty; to abstain, give no answer string for the question", text)
        known = self.strings.setdefault(key, {})
        if rank in known:
            rule = f"rank {rank} of question {key[1]} appears twice; first on line {known[rank].line}"
            raise at.fail(rule, text)
        known[rank] = _String(text, document, at.line)

    def found(self) -> tuple[Run, ...]:
        """Return the runs with all responses that were added, each with its strings in the order of their ranks."""
        responses: dict[str, dict[str, Response]] = {name: {} for name in self.runs}
        for key in dict.fromkeys((*self.strings, *self.sure)):
            strings = [string for _, string in sorted(self.strings.get(key, {}).items())]
            responses[key[0]][key[1]] = Response(
                key[1],
                tuple(string.text for string in strings),
                self.sure.get(key),
                tuple(string.document for string in strings),
            )
        return tuple(Run(name, by_target) for name, by_target in responses.items())

    def place(self, key: tuple[str, str], rank: int) -> int | None:
        """Return the index, from 0, of the string with this rank in the response of the run and target in `key`.

        It is None if the response has no such string.
        """
        ranks = sorted(self.strings.get(key, {}))
        return ranks.index(rank) if rank in ranks else None


class Mapped(Struct, frozen=True):
    """A line of an assessor's mapping, which says that a response has a nugget.

    `nugget` is None if the assessor saw the response and found no nugget in it.
    """

    at: At
    run: str
    target: str
    rank: int | None
    nugget: str | None
    assessor: str = ""
    grade: float = FULL


def match_of(row: Mapped, keys: Keys, answers: Said) -> Match | None:
    """Return the match that a line of a mapping states, or None if it is about a run that was not given.

    Raises FormatError for a question, nugget or string that the key or the run does not have.
    """
    if row.target not in keys.nuggets:
        raise row.at.fail("the key has no such question", row.target)
    if row.nugget is not None and row.nugget not in keys.nuggets[row.target]:
        known = ", ".join(keys.nuggets[row.target])
        raise row.at.fail(f"question {row.target} has no such nugget; it has {known}", row.nugget)
    if row.run not in answers.runs:
        return None
    key = row.run, row.target
    if row.nugget is not None and key not in answers.strings:
        raise row.at.fail(
            f"run {row.run!r} does not answer question {row.target}, so the mapping can have no nugget for it",
            row.nugget,
        )
    place = None if row.rank is None else answers.place(key, row.rank)
    if row.rank is not None and row.nugget is not None and place is None:
        raise row.at.fail(f"run {row.run!r} has no answer string of rank {row.rank} for question {row.target}")
    return Match(row.run, row.target, row.nugget or "", place, row.assessor, row.grade)


def check(keys: Keys, answers: Said) -> None:
    """Raise FormatError if a run responds to a question that the key lacks, and MismatchError if there is no run."""
    for key, at in answers.where.items():
        if key[1] not in keys.nuggets:
            raise at.fail("the key has no such question", key[1])
    if not answers.runs:
        raise MismatchError("a key was given without a run; also give the system's answer strings")


def to_evidence(keys: Keys, answers: Said, mapped: Sequence[Mapped], options: ReadOptions) -> ReadResult:
    """Return the result of matching responses with nuggets, by the assessors' mapping if there is one.

    Without a mapping, the matching is automatic, and a note and the signature say so.
    """
    for name in options.choose:
        if name not in CHOICES:
            raise UsageError(f"{opt('choose')} {name}: nuggets have only the choices {' and '.join(CHOICES)}")
    automatic = options.choose.get("automatic")
    targets, runs = keys.targets(), answers.found()
    words = _words(targets, runs) if options.texts else None
    if not mapped:
        if "assessors" in options.choose:
            raise UsageError(
                f"{opt('choose')} assessors needs a mapping: give a mapping, or leave out this choice to match "
                "automatically"
            )
        method = automatic or pourpre.COUNT
        data, notes = pourpre.evidence(targets, runs, method)
        record = JudgeRecord("automatic", (("method", method),))
        return ReadResult(data, notes, AUTOMATICALLY, texts=words, judges=(record,))
    if automatic:
        raise UsageError(
            f"{opt('choose')} automatic matches nuggets without a mapping, but a mapping is given; leave out "
            "the mapping or this choice"
        )
    matches = [match_of(row, keys, answers) for row in mapped]
    kept = [match for match in matches if match is not None]
    strangers = dict.fromkeys(row.run for row, match in zip(mapped, matches, strict=True) if match is None)
    who = options.choose.get("assessors", MAJORITY)
    saw: dict[str, set[str]] = {}
    for row in mapped:  # of all runs, because a run's score must not depend on the other runs given
        saw.setdefault(row.target, set()).add(row.assessor)
    data, notes = evidence(targets, runs, kept, who, saw)
    if strangers:
        notes = (
            *notes,
            note(
                "nuggets.runs_not_given",
                "the mapping also covers runs that were not given: {runs:list}",
                runs=list(map(repr, strangers)),
            ),
        )
    return ReadResult(data, notes, BY_PEOPLE, texts=words, judges=(JudgeRecord("assessors", (("view", who),)),))


def _words(targets: Sequence[Target], runs: Sequence[Run]) -> Unjudged:
    """Return the texts to show to people: the questions with their nuggets as right answers, and the responses."""
    questions = tuple(
        model.Question(target.id, target.text, tuple(nugget.text for nugget in target.nuggets)) for target in targets
    )
    texts = tuple(
        model.Run(
            run.name,
            tuple(
                model.Response(name, "\n".join(response.strings) or None, bool(response.strings), response.confidence)
                for name, response in run.responses.items()
            ),
        )
        for run in runs
    )
    return Unjudged(model.Collection("nuggets", questions), texts)


def number(value: Any) -> float | None:
    """Return a number read from JSON, or None if the value is not a finite number, such as a text or true."""
    parsed = None if isinstance(value, (bool, str)) else elements.number(value)
    return parsed if parsed is not None and math.isfinite(parsed) else None
