"""Rebuild AVE 2007: collections with the counts of the paper's Table 2, and runs with the integers behind Tables 4-11.

The paper prints no answers, only counts and two-decimal cells. The counts of questions and of questions with a right
answer are those that its percentages allow (formulas 5.3). (hits, accepted) of a run is the first pair of integers
whose precision, recall and F all round to the printed cells. The measures depend only on these, whatever the answers
were.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path

Cells = Sequence[str]  # F, precision, recall as printed


@dataclass(frozen=True)
class Language:
    """One language of `ave2007.toml`."""

    name: str
    questions: int
    validated: int
    rejected: int
    unknown: int
    solvable: int
    perfect: str
    random: Sequence[str]
    baselines: Sequence[Cells]
    validators: dict[str, tuple[Cells, str, str]]
    systems: dict[str, tuple[str, str]]
    rights: dict[str, int]


PRINTED = tomllib.loads((Path(__file__).parent / "ave2007.toml").read_text(encoding="utf-8"))
LANGUAGES = tuple(Language(**row) for row in PRINTED["language"])
SPANISH = LANGUAGES[0]


def rounds_to(value: float | Fraction, printed: str, scale: int = 1) -> bool:
    """Return whether a value, times `scale`, rounds half up to the printed number.

    Trailing zeros may be missing: "0.5" may be "0.50", and "70" may be "70.00".
    """
    digits = Decimal(1).scaleb(-2)
    exact = Decimal(repr(round(float(value) * scale, 10)))
    return exact.quantize(digits, rounding=ROUND_HALF_UP) == Decimal(printed)


def counts_of(cells: Cells, validated: int, rejected: int) -> tuple[int, int]:
    """Return the first (hits, accepted) whose F, precision and recall round to the printed cells."""
    f, precision, recall = cells
    for hits in range(1, validated + 1):
        if not rounds_to(Fraction(hits, validated), recall):
            continue
        for accepted in range(hits, hits + rejected + 1):
            fs = Fraction(2 * hits, accepted + validated)
            if rounds_to(Fraction(hits, accepted), precision) and rounds_to(fs, f):
                return hits, accepted
    raise AssertionError(f"no integers give {cells}")


def groups_of(language: Language) -> list[str]:
    """Return each question's answers as letters V, R, U, with Table 2's totals and Random's printed share right."""
    twice = language.validated - language.solvable
    right = [2] * twice + [1] * (language.solvable - twice)
    low = (Decimal(language.random[1]) - Decimal("0.0049")) / 100 * language.solvable
    high = (Decimal(language.random[1]) + Decimal("0.0049")) / 100 * language.solvable
    wrong, reached, target = [], 0.0, float(low + high) / 2 / language.solvable
    for i, c in enumerate(right[:-4], 1):
        best = min(range(9), key=lambda w: abs(reached + c / (c + w) - i * target))
        wrong.append(best)
        reached += c / (c + best)
    for last in product(range(13), repeat=4):
        total = reached + sum(c / (c + w) for c, w in zip(right[-4:], last, strict=True))
        if low <= total <= high:
            wrong += last
            break
    groups = ["V" * c + "R" * w for c, w in zip(right, wrong, strict=True)]
    rest, others = language.rejected - sum(wrong), language.questions - language.solvable
    assert rest >= others
    groups += ["R" * (rest // others + (i < rest % others)) for i in range(others)]
    return [group + "U" * (i % 3 == 0 and i // 3 < language.unknown) for i, group in enumerate(groups)]


def decisions(groups: list[str], hits: int, accepted: int, selected: int) -> list[str]:
    """Return a decision (S, V, R) of a run with these totals on each answer, obeying the rules of a response."""
    said = [["R"] * len(group) for group in groups]
    solvable = [q for q, group in enumerate(groups) if "V" in group]
    # Right selections come first where no wrong answer could be selected beside a hit, then where a second right answer
    # exists.
    order = sorted(solvable, key=lambda q: ("R" in groups[q], -groups[q].count("V")))
    left, wrong = hits - selected, accepted - hits
    for q in order[:selected]:
        said[q][0] = "S"
        if left and groups[q].count("V") > 1:
            said[q][1], left = "V", left - 1
    for q in order[selected:]:
        if left and wrong and "R" in groups[q]:
            said[q][0], said[q][groups[q].index("R")] = "V", "S"
            left, wrong = left - 1, wrong - 1
    for q, group in enumerate(groups):
        for i, gold in enumerate(group):
            if wrong and gold == "R" and said[q][i] == "R":
                said[q][i], wrong = ("V" if "S" in said[q] else "S"), wrong - 1
            elif gold == "U" and "S" in said[q]:
                said[q][i] = "V"  # an UNKNOWN answer is accepted, and no measure may see it
    assert (left, wrong) == (0, 0)
    return ["".join(letters) for letters in said]


WORDS = {"V": "VALIDATED", "R": "REJECTED", "U": "UNKNOWN", "S": "SELECTED"}


def write_campaign(language: Language, folder: Path) -> tuple[Path, list[Path], Path]:
    """Return the files of a language: the collection, the validators' responses and the QA systems' outcome table."""
    groups = groups_of(language)
    assert "".join(sorted("".join(groups))) == (
        "R" * language.rejected + "U" * language.unknown + "V" * language.validated
    )
    questions = []
    for q, group in enumerate(groups, 1):
        answers = [
            f'<a id="{q}_{i}" value="{WORDS[gold]}"><a_str>answer {i}</a_str><t_str doc="d">A text.</t_str></a>'
            for i, gold in enumerate(group, 1)
        ]
        questions.append(f'<q id="{q}" lang="{language.name}"><q_str>Who?</q_str>{"".join(answers)}</q>')
    collection = folder / "collection.xml"
    collection.write_text(f"<ave>{''.join(questions)}</ave>")
    runs = []
    for name, (cells, _, _) in language.validators.items():
        hits, accepted = counts_of(cells, language.validated, language.rejected)
        said = decisions(groups, hits, accepted, language.rights[name])
        lines = [f"{q} {q}_{i} {WORDS[d]} 0.5" for q, ds in enumerate(said, 1) for i, d in enumerate(ds, 1)]
        runs.append(folder / f"{name}.txt")
        runs[-1].write_text("\n".join(lines) + "\n")
    table = ["run,question,outcome"]
    solvable = [q for q, group in enumerate(groups, 1) if "V" in group]
    for name in language.systems:
        right = set(solvable[: language.rights[name]])
        table += [f"{name},{q},{'correct' if q in right else 'incorrect'}" for q in range(1, language.questions + 1)]
    systems = folder / "systems.csv"
    systems.write_text("\n".join(table) + "\n")
    return collection, runs, systems
