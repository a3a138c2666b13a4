"""PAN verification, all years: a truth file and the answers of runs. A score of exactly 0.5, or a missing problem, is
an abstention.

    2020 to 2023   truth.jsonl {"id", "same": bool}, answers.jsonl {"id", "value": number in [0, 1]}
    2024           both files {"id", "is_human": …}
    since 2025     both files {"id", "label": …}
                   Since 2024 the value in the truth is 0 or 1, or a pair: [1, 0] means 0, and [0, 1] means 1. The value
                   in the answers is a number, which may lie outside [0, 1].
    2013 to 2015   truth.txt, answers.txt: one line per problem, as `EN001 Y` and `EN001 0.8` (2013 also `EN01 Y 0.8`,
                   with - for an abstention)

In the years where both files have the same shape, the truth is the one with "truth" in its name, or with pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from nescio.data.changed_questions import words_digest
from nescio.data.columns import Array
from nescio.data.kept import in_each_run
from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, SILENT, Outcomes
from nescio.data.texts import texts_of
from nescio.errors import MismatchError
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, by_role, reader
from nescio.sources.source import Source, name_runs
from nescio.tasks.pan.answers import values_of
from nescio.tasks.pan.truth import Truth, read_truth, recognise, shared

MEASURES = ("c@1", "accuracy", "coverage", "pan.F0.5u", "pan.F1", "pan.AUC", "pan.Brier")
SINCE_2024 = tuple("pan.F1(silence=negative)" if name == "pan.F1" else name for name in MEASURES)


@reader(
    "pan",
    about="PAN verification: a truth file and the answers of runs (id, value; all years)",
    recognise=recognise,
    text=True,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read one truth file and the answers of any number of runs, each named by its file, or by its folder."""
    by_part = by_role(parts)
    gold, answers = by_part["gold"], by_part["answers"]
    if len(gold) != 1:
        many = f"{len(gold) or 'none'} {'were' if len(gold) > 1 else 'was'} given"
        hint = (
            ""
            if gold or not any(shared(s) or s.kind == "text" for s in answers)
            else ' (the name of a truth file contains "truth")'
        )
        raise MismatchError(f"give one PAN truth file, and the runs' answer files; {many}{hint}")
    if not answers:
        raise MismatchError(f"{gold[0].label} is a PAN truth file; also give the runs' answer files")
    truth = read_truth(gold[0])
    names = name_runs(answers, generic=("answers", "predictions"))
    notes: list[Note] = []
    cells = [values_of(source, truth, name, notes) for source, name in zip(answers, names, strict=True)]
    files = tuple(str(source.label) for source in answers)
    result = judged_answers(gold[0], truth, dict(zip(names, cells, strict=True)), options, files)
    return replace(result, notes=(*notes, *result.notes))


def judged_answers(
    gold: Source,
    truth: Truth,
    answers: Mapping[str, tuple[Array, Array]],
    options: ReadOptions,
    files: tuple[str, ...] = (),
) -> ReadResult:
    """Return the result of judging the answers of runs by the truth in the file `gold`.

    `answers` has each run's scores and decisions, keyed by the run's name. `files` are the run files.
    """
    same = np.array(list(truth.same.values()), dtype=np.int8)
    values, sides = (np.stack([cell[i] for cell in answers.values()]) for i in (0, 1))
    silent = sides == 0.5
    state = np.where(silent, SILENT, np.where((sides > 0.5) == (same == 1), CORRECT, INCORRECT)).astype(np.int8)
    # The confidence in the decision. A score of 0.5 is an abstention, so it has none.
    confidence = np.where(silent, np.nan, np.clip(np.where(sides > 0.5, values, 1 - values), 0, 1))
    more: dict[str, Array] = {
        "verification.same": np.broadcast_to(same, values.shape).copy(),
        "verification.value": values,
    }
    outcomes = Outcomes(
        tuple(answers),
        tuple(truth.same),
        state,
        confidence=confidence,
        extra_columns=more,
        strata=_strata(truth, options),
        files=files,
        texts=_in_words(truth, values) if options.texts else None,
        words=in_each_run([words_digest(None, answer) for answer in _golds(truth)], len(answers)),
    )
    since_2024 = gold.kind != "text" and "same" not in gold.columns
    notes: list[Note] = []
    if "is_human" in gold.columns and silent.any():
        notes.append(
            note(
                "pan.silence",
                "c@1: the organisers' evaluator of 2024 also counts 0.5 on a negative as right; "
                "nescio counts it only as unanswered",
            )
        )
    return ReadResult(outcomes, tuple(notes), SINCE_2024 if since_2024 else MEASURES)


def _in_words(truth: Truth, values: Array) -> Array:
    """Return the texts to show to people, shape (runs, problems): each answer of a run, with the right answer."""
    gold = _golds(truth)
    texts: Array = np.full(values.shape, None, dtype=object)
    for run, row in enumerate(values):
        for problem, value in enumerate(row):
            texts[run, problem] = texts_of(None, [gold[problem]], None if np.isnan(value) else f"value {value:g}")
    return texts


def _golds(truth: Truth) -> list[str]:
    """Return the right answer to each problem."""
    return ["same author" if same else "different authors" for same in truth.same.values()]


def _strata(truth: Truth, options: ReadOptions) -> dict[str, Array]:
    names = dict.fromkeys(name for strata in truth.strata.values() for name in strata)
    return {
        name: np.array([truth.strata[problem].get(name, "") for problem in truth.same], dtype=object)
        for name in options.kept(names)
    }
