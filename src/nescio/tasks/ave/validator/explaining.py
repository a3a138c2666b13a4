"""Explain why a text proves a statement or not: the statement's formula, what it gives up, the text's facts, the
frames."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from nescio.tasks.ave.hypotheses import hypothesis
from nescio.tasks.ave.validator import _logic
from nescio.tasks.ave.validator._atoms import Atom, facts, formula
from nescio.tasks.ave.validator._frames import frames
from nescio.tasks.ave.validator._modes import ASSERTED, mode_around
from nescio.tasks.ave.validator._parsing import Parse, parse
from nescio.tasks.ave.validator._relaxation import relaxation


class Line(Struct, frozen=True):
    """An atom of the statement in an explanation: its cost, its use in the proof, and its words in the text."""

    atom: str
    cost: int
    use: str
    in_text: str | None


class Fact(Struct, frozen=True):
    """A line of an explanation with an atom of the text."""

    fact: str


class FrameLine(Struct, frozen=True):
    """A line of an explanation with a frame; `of` is "statement" or "text".

    It has the predicate, its mode (such as asserted), and the words that fill its roles.
    """

    of: str
    predicate: str
    mode: str
    roles: str


class Proof(Struct, frozen=True):
    """The explanation of how far a statement follows from its text.

    `cost` is the cost of the atoms that the statement gives up, and `whole` the cost of all its atoms. `proved` says
    whether the prover E proves the rest, or is None without E.
    """

    statement: str
    cost: int
    whole: int
    proved: bool | None
    limit_reached: bool
    atoms: tuple[Line, ...]
    facts: tuple[Fact, ...]
    frames: tuple[FrameLine, ...]


def explain(question: str, answer: str, text: str, parser: str, prover: str | None) -> Proof:
    """Return the explanation of an answer: the atoms of statement and text, the proof, and the frames."""
    statement = hypothesis(question, answer)
    stated, known = parse(parser, [statement, text])
    atoms, known_facts = formula(stated), facts(known)
    relaxed = relaxation(atoms, known_facts)
    lines = [
        Line(
            _written(stated, atom),
            atom.cost,
            "given up" if atom in relaxed.given_up else "kept",
            ", ".join(known[relaxed.mapping[at]].lower for at in atom.places if at in relaxed.mapping) or None,
        )
        for atom in atoms
    ]
    proved = None
    if _logic.absent(prover) is None:
        (proved,) = _logic.prove(prover, [_logic.rest(0, atoms, known_facts, relaxed)])
    return Proof(
        statement,
        relaxed.cost,
        relaxed.whole,
        proved,
        relaxed.limit_reached,
        tuple(lines),
        tuple(Fact(_written(known, atom)) for atom in known_facts),
        (*_frames("statement", stated), *_frames("text", known)),
    )


def _written(words: Parse, atom: Atom) -> str:
    return f"{atom.predicate}({', '.join(f'{words[at].lower}{at}' for at in atom.places)})"


def _frames(of: str, words: Parse) -> Sequence[FrameLine]:
    return [
        FrameLine(
            of,
            frame.predicate,
            ASSERTED if frame.predicate == "be" and words[frame.at].dep == "appos" else mode_around(words, frame.at),
            ", ".join(f"{role}: {words[at].lower}" for role, at in frame.roles),
        )
        for frame in frames(words)
    ]
