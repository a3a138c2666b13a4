"""AVE 2007 made again: collections with the counts of the paper's Table 2 and runs with the integers behind Tables
4-11.

The paper prints no answers, only counts and two-decimal cells. Counts of questions and of questions with a right
answer are those that its percentages allow (formulas 5.3); (hits, accepted) of a run is the first pair of integers
whose precision, recall and F all round to the printed cells. Whatever the answers were, the measures depend on no
more than these.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path

Cells = tuple[str, str, str]  # F, precision, recall as printed


@dataclass(frozen=True)
class Language:
    """One language: Table 2, formulas 5.3, and its parts of Tables 4-11 as printed."""

    name: str
    questions: int
    validated: int
    rejected: int
    unknown: int
    solvable: int
    perfect: str
    random: tuple[str, str]
    baselines: tuple[Cells, Cells]
    validators: dict[str, tuple[Cells, str, str]]
    systems: dict[str, tuple[str, str]]
    rights: dict[str, int] = field(default_factory=dict)


SPANISH = Language(
    "ES",
    questions=170,
    validated=127,
    rejected=424,
    unknown=13,
    solvable=101,
    perfect="0.59",
    random=("0.25", "41.45"),
    baselines=(("0.37", "0.23", "1"), ("0.32", "0.23", "0.5")),
    validators={
        "tellez_1": (("0.53", "0.38", "0.86"), "0.45", "75.25"),
        "tellez_2": (("0.52", "0.41", "0.72"), "0.36", "61.39"),
        "rodrigo": (("0.47", "0.33", "0.82"), "0.42", "70.3"),
        "magc_1": (("0.37", "0.24", "0.85"), "0.41", "68.32"),
        "magc_2": (("0.19", "0.4", "0.13"), "0.08", "13.86"),
    },
    systems={
        "Priberam": ("0.49", "83.17"),
        "INAOE": ("0.38", "63.37"),
        "MIRA": ("0.15", "25.74"),
        "UPV": ("0.13", "21.78"),
        "TALP": ("0.07", "11.88"),
    },
    rights=dict(
        zip(
            "Priberam tellez_1 rodrigo magc_1 INAOE tellez_2 MIRA UPV magc_2 TALP".split(),  # noqa: SIM905
            (84, 76, 71, 69, 64, 62, 26, 22, 14, 12),
            strict=True,
        )
    ),
)
GERMAN = Language(
    "DE",
    questions=113,
    validated=67,
    rejected=197,
    unknown=18,
    solvable=61,
    perfect="0.54",
    random=("0.28", "51.91"),
    baselines=(("0.4", "0.25", "1"), ("0.34", "0.25", "0.5")),
    validators={
        "iglockner_1": (("0.72", "0.61", "0.9"), "0.48", "88.52"),
        "iglockner_2": (("0.68", "0.54", "0.94"), "0.50", "93.44"),
    },
    systems={
        "dfki071dede": ("0.35", "65.57"),
        "fuha071dede": ("0.32", "59.02"),
        "dfki071ende": ("0.25", "45.9"),
        "fuha072dede": ("0.21", "39.34"),
        "dfki071ptde": ("0.05", "9.84"),
    },
    rights=dict(
        zip(
            "iglockner_2 iglockner_1 dfki071dede fuha071dede dfki071ende fuha072dede dfki071ptde".split(),  # noqa: SIM905
            (57, 54, 40, 36, 28, 24, 6),
            strict=True,
        )
    ),
)
ENGLISH = Language(
    "EN",
    questions=67,
    validated=21,
    rejected=174,
    unknown=7,
    solvable=20,
    perfect="0.3",
    random=("0.1", "35"),
    baselines=(("0.19", "0.11", "1"), ("0.18", "0.11", "0.5")),
    validators={
        "ltqa_2": (("0.55", "0.44", "0.71"), "0.21", "70"),
        "ltqa_1": (("0.46", "0.37", "0.62"), "0.16", "55"),
        "ofe_1": (("0.39", "0.25", "0.81"), "0.18", "60"),
        "Text-Mess_1": (("0.36", "0.25", "0.62"), "0.15", "50"),
        "adiftene": (("0.34", "0.21", "0.81"), "0.21", "70"),
        "rodrigo": (("0.34", "0.22", "0.71"), "0.16", "55"),
        "Text-Mess_2": (("0.34", "0.25", "0.52"), "0.12", "40"),
        "ofe_2": (("0.29", "0.18", "0.81"), "0.19", "65"),
    },
    systems={
        "CSUI_INEN": ("0.18", "60"),
        "DFKI_DEEN": ("0.13", "45"),
        "DFKI_ESEN": ("0.04", "15"),
        "MQAF_NLEN_1": ("0", "0"),
        "MQAF_NLEN_2": ("0", "0"),
    },
    rights=dict(
        zip(
            "ltqa_2 adiftene ofe_2 CSUI_INEN ofe_1 ltqa_1 rodrigo Text-Mess_1 DFKI_DEEN Text-Mess_2 DFKI_ESEN MQAF_NLEN_1 MQAF_NLEN_2".split(),  # noqa: SIM905
            (14, 14, 13, 12, 12, 11, 11, 10, 9, 8, 3, 0, 0),
            strict=True,
        )
    ),
)
PORTUGUESE = Language(
    "PT",
    questions=149,
    validated=148,
    rejected=198,
    unknown=21,
    solvable=110,
    perfect="0.74",
    random=("0.44", "60"),
    baselines=(("0.6", "0.43", "1"), ("0.46", "0.43", "0.5")),
    validators={"jsaias": (("0.68", "0.91", "0.55"), "0.44", "60")},
    systems={
        "Priberam": ("0.61", "82.73"),
        "diue": ("0.41", "55.45"),
        "lcc_ENPT": ("0.3", "40"),
        "feup": ("0.23", "30.91"),
        "CLEF07-2_PT": ("0.13", "17.27"),
        "CLEF07_PT": ("0.11", "15.45"),
        "esfi_1": ("0.07", "10"),
        "esfi_2": ("0.04", "5.45"),
    },
    rights=dict(
        zip(
            "Priberam jsaias diue lcc_ENPT feup CLEF07-2_PT CLEF07_PT esfi_1 esfi_2".split(),  # noqa: SIM905
            (91, 66, 61, 44, 34, 19, 17, 11, 6),
            strict=True,
        )
    ),
)
LANGUAGES = (SPANISH, GERMAN, ENGLISH, PORTUGUESE)


def rounds_to(value: float | Fraction, printed: str, scale: int = 1) -> bool:
    """Whether a value, times `scale`, is printed so, rounding half up: "0.5" may stand for "0.50", "70" for "70.00"."""
    digits = Decimal(1).scaleb(-2)
    exact = Decimal(repr(round(float(value) * scale, 10)))
    return exact.quantize(digits, rounding=ROUND_HALF_UP) == Decimal(printed)


def counts_of(cells: Cells, validated: int, rejected: int) -> tuple[int, int]:
    """The first (hits, accepted) whose F, precision and recall are printed so."""
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
    """Each question's answers as letters V, R, U, with Table 2's totals and the share of right answers that Random
    prints."""
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
    """What a run with these totals does with each answer (S, V, R), the rules of the response kept."""
    said = [["R"] * len(group) for group in groups]
    solvable = [q for q, group in enumerate(groups) if "V" in group]
    # Selected rightly: first where nothing wrong could be selected beside a hit, then where a second right answer
    # waits.
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
                said[q][i] = "V"  # an UNKNOWN answer: accepted, and no measure may see it
    assert (left, wrong) == (0, 0)
    return ["".join(letters) for letters in said]


WORDS = {"V": "VALIDATED", "R": "REJECTED", "U": "UNKNOWN", "S": "SELECTED"}


def write_campaign(language: Language, folder: Path) -> tuple[Path, list[Path], Path]:
    """The collection, the validators' responses and the QA systems' outcome table of a language, as files."""
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
