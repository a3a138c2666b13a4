"""Find the least cost of a relaxation with E alone, as an oracle for the elimination of constants.

The atoms of a statement are taken in order. State i has the constants found so far and the cost so far. An atom is
either found among the facts, or given up at its cost. At the end E has derived all possible costs of the statement.
This is slow for many atoms, so only small statements are tested.
"""

from __future__ import annotations

import re
import subprocess

from nescio.tasks.ave.validator._atoms import EQUAL, Atom, matching
from nescio.tasks.ave.validator._logic import command

_DONE = re.compile(r"done\(((?:s\()*z\)*)\)\s*[,)]")


def least_cost(stated: tuple[Atom, ...], text: tuple[Atom, ...]) -> int:
    """Return the least of all costs that E derives; the run must have ended by itself."""
    names = {name: f"p{i}" for i, name in enumerate(sorted({a.predicate for a in (*stated, *text)} - {EQUAL}))}
    words = frozenset(atom.predicate for atom in text if len(atom.places) == 1)
    clauses = [_atom(names, atom, "c") for atom in text]
    clauses += [
        f"{names[atom.predicate]}(X) | ~{names[other]}(X)"
        for atom in stated
        if len(atom.places) == 1
        for other in sorted(matching(atom.predicate, words) - {atom.predicate})
    ]
    clauses.append(_state(stated, 0, "z"))
    for i, atom in enumerate(stated):
        found = _atom(names, atom, "X")
        negated = found.replace(" = ", " != ") if atom.predicate == EQUAL else f"~{found}"
        dearer = "s(" * atom.cost + "K" + ")" * atom.cost
        before = f"~{_state(stated, i, 'K')}"
        clauses += [
            f"{_state(stated, i + 1, 'K')} | {before} | {negated}",
            f"{_state(stated, i + 1, dearer)} | {before}",
        ]
    clauses.append(f"done(K) | ~{_state(stated, len(stated), 'K')}")
    done = subprocess.run(
        [str(command(None)), "--print-saturated=eg", "--literal-selection-strategy=SelectNegativeLiterals"],
        input="".join(f"cnf(a,axiom,({clause})).\n" for clause in clauses),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "SZS status Satisfiable" in done.stdout, done.stdout[-500:]
    return min(match[1].count("s(") for match in _DONE.finditer(done.stdout))


def _atom(names: dict[str, str], atom: Atom, letter: str) -> str:
    places = [f"{letter}{place}" for place in atom.places]
    return " = ".join(places) if atom.predicate == EQUAL else f"{names[atom.predicate]}({','.join(places)})"


def _state(atoms: tuple[Atom, ...], i: int, cost: str) -> str:
    alive = sorted({p for a in atoms[:i] for p in a.places} & {p for a in atoms[i:] for p in a.places})
    return f"s{i}({','.join([*(f'X{place}' for place in alive), cost])})"
