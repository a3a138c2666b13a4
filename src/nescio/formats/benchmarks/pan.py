"""PAN verification, all years: a truth file and the answers of runs. A score of exactly 0.5, or a missing problem, is
silence.

    2020 to 2023   truth.jsonl {"id", "same": bool}, answers.jsonl {"id", "value": number in [0, 1]}
    2024           both {"id", "is_human": …}; 2025 and after both {"id", "label": …}: in the truth 0, 1 or a pair of
                   which the first is 1 where the answer is 0; in the answers a number, which may lie outside [0, 1]
    2013 to 2015   truth.txt, answers.txt: a line a problem, as `EN001 Y` and `EN001 0.8` (2013 also `EN01 Y 0.8`,
                   with - for silence)

In the years where both files have one shape, the truth is the one with "truth" in its name, or with pairs.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from nescio.data.columns import Array
from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, SILENT, Outcomes
from nescio.data.texts import texts_of
from nescio.errors import FormatError, MismatchError, collected
from nescio.formats.folder_writer import file_names, folder_of, renamed, write_lines
from nescio.formats.logs.grading import number
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, WriteResult, reader, writer
from nescio.sources.documents import text_lines
from nescio.sources.source import LINES, Source, name_runs
from nescio.sources.tables import json_lines, plain_rows
from nescio.sources.text_files import WHITE
from nescio.text import plural

MEASURES = ("c@1", "accuracy", "coverage", "pan.F0.5u", "pan.F1", "pan.AUC", "pan.Brier")
SINCE_2024 = tuple("pan.F1(silence=negative)" if name == "pan.F1" else name for name in MEASURES)
STRATA = ("source", "model", "genre")  # what the truth of 2025 may say of a problem
SHARED = ("is_human", "label")  # keys that both files bear
# What is odd in an answer: a list of one number, a score outside [0, 1], or one on the other side than the letter.
LISTED, OUTSIDE, OTHER_SIDE = "listed", "outside", "other side"
_LINE = re.compile(r"[A-Z]{2}\d{2,4}\s+(?:[YN-]|[YN-]\s+[-+.\deE]+|[-+]?\.?\d[.\deE+-]*)\s*")
_DECIDED = {"Y": 1.0, "N": 0.0, "-": 0.5}


@dataclass(frozen=True, slots=True)
class _Answer:
    """A problem as a run answers it: its score, and the side it takes (1, 0, or 0.5 for silence)."""

    problem: str
    value: float
    side: float
    line: int


@dataclass(slots=True)
class _Truth:
    """The truth of each problem, in the order of the file, and what else it says of them."""

    same: dict[str, int] = field(default_factory=dict)
    strata: dict[str, Mapping[str, str]] = field(default_factory=dict)


def recognise(source: Source) -> str | None:
    """Recognise JSON Lines of `id` and `same` (truth) or `value` (answers), or of `is_human` or `label` (either); lines
    as `EN001 0.8`."""
    named = "gold" if "truth" in source.stem.lower() else "answers"
    if source.kind == "text":
        return named if _LINE.fullmatch(source.first) else None
    if source.suffix not in LINES or "id" not in source.columns:
        return None
    if "same" in source.columns or "value" in source.columns:
        return "answers" if "value" in source.columns else "gold"
    key = _shared(source)
    if key is None or isinstance(source.first.get(key), str):
        return None
    return "gold" if isinstance(source.first[key], list) else named


def _shared(source: Source) -> str | None:
    return next((key for key in SHARED if key in source.columns), None)


@reader(
    "pan",
    about="PAN verification: a truth file and the answers of runs (id, value; all years)",
    recognise=recognise,
    text=True,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read one truth file and the answers of any number of runs, each named by its folder."""
    gold = [source for part, source in parts if part == "gold"]
    answers = [source for part, source in parts if part == "answers"]
    if len(gold) != 1:
        many = f"{len(gold) or 'none'} {'were' if len(gold) > 1 else 'was'} given"
        hint = (
            "" if gold or not any(_shared(s) or s.kind == "text" for s in answers) else ' (it has "truth" in its name)'
        )
        raise MismatchError(f"PAN answers need one truth file with them, and {many}{hint}")
    if not answers:
        raise MismatchError(f"{gold[0].label} is a PAN truth file; give the answers of the runs with it")
    truth = _truth(gold[0])
    same = np.array(list(truth.same.values()), dtype=np.int8)
    names = name_runs(answers, generic=("answers", "predictions"))
    notes: list[Note] = []
    cells = [_values(source, truth, name, notes) for source, name in zip(answers, names, strict=True)]
    values, sides = (np.stack([cell[i] for cell in cells]) for i in (0, 1))
    silent = sides == 0.5
    state = np.where(silent, SILENT, np.where((sides > 0.5) == (same == 1), CORRECT, INCORRECT)).astype(np.int8)
    # How sure the run is of the side it takes; 0.5 is silence, so it carries no confidence.
    confidence = np.where(silent, np.nan, np.clip(np.where(sides > 0.5, values, 1 - values), 0, 1))
    more: dict[str, Array] = {
        "verification.same": np.broadcast_to(same, values.shape).copy(),
        "verification.value": values,
    }
    files = tuple(str(source.label) for source in answers)
    outcomes = Outcomes(
        tuple(names),
        tuple(truth.same),
        state,
        confidence=confidence,
        extra_columns=more,
        strata=_strata(truth, options),
        files=files,
        texts=_in_words(truth, values) if options.texts else None,
    )
    shared = gold[0].kind != "text" and "same" not in gold[0].columns
    if "is_human" in gold[0].columns and silent.any():
        notes.append(
            note(
                "pan.silence",
                "c@1: the organisers' evaluator of 2024 takes 0.5 on a negative for right as well; here it is silence",
            )
        )
    return ReadResult(outcomes, tuple(notes), SINCE_2024 if shared else MEASURES)


def _in_words(truth: _Truth, values: Array) -> Array:
    """Say what is right of each problem, and what each run answered."""
    gold = ["same author" if same else "different authors" for same in truth.same.values()]
    texts: Array = np.full(values.shape, None, dtype=object)
    for run, row in enumerate(values):
        for problem, value in enumerate(row):
            texts[run, problem] = texts_of(None, [gold[problem]], None if np.isnan(value) else f"value {value:g}")
    return texts


def _strata(truth: _Truth, options: ReadOptions) -> dict[str, Array]:
    names = dict.fromkeys(name for strata in truth.strata.values() for name in strata)
    kept = [name for name in names if options.strata is None or name in options.strata]
    return {
        name: np.array([truth.strata[problem].get(name, "") for problem in truth.same], dtype=object) for name in kept
    }


def _truth(source: Source) -> _Truth:
    truth = _Truth()
    for problem, same, strata, line in _texts(source) if source.kind == "text" else _rows(source):
        if problem in truth.same:
            raise FormatError(source.label, "the problem stands here again", where=f"line {line}", value=problem)
        truth.same[problem] = same
        truth.strata[problem] = strata
    return truth


def problems_of(source: Source) -> tuple[str, ...]:
    """Return the problems of a truth file, without what is true of them; raises FormatError for another file."""
    if recognise(source) is None:
        raise FormatError(source.label, 'topics of PAN are a truth file, as in {"id", "same"} or EN001 Y')
    return tuple(_truth(source).same)


def _rows(source: Source) -> Iterator[tuple[str, int, Mapping[str, str], int]]:
    key = "same" if "same" in source.columns else _shared(source) or "same"
    for row, line in json_lines(source):
        same = row.get(key)
        if isinstance(same, list) and len(same) == 2 and {*map(repr, map(number, same))} == {"0.0", "1.0"}:
            same = 0 if number(same[0]) else 1
        if not isinstance(same, (bool, int, float)) or same not in (0, 1):
            rule = (
                "same must be true or false"
                if key == "same"
                else f"{key} of a truth file must be 0, 1 or a pair of them"
            )
            raise FormatError(source.label, rule, where=f"line {line}", value=same)
        strata = {name: row[name] for name in STRATA if isinstance(row.get(name), str) and row[name]}
        yield _id(source, row, line), int(same), strata, line


def _texts(source: Source) -> Iterator[tuple[str, int, Mapping[str, str], int]]:
    for words, line in _words(source):
        if len(words) != 2 or words[1] not in ("Y", "N"):
            rule = "a line of a truth file is a problem and Y or N"
            raise FormatError(source.label, rule, where=f"line {line}", value=" ".join(words))
        # The letters of a problem name its corpus: a language and a genre.
        yield words[0], int(words[1] == "Y"), {"corpus": words[0].rstrip("0123456789")}, line


def _words(source: Source) -> Iterator[tuple[list[str], int]]:
    for text, line in text_lines(source):
        if text.strip():
            yield text.split(), line


def _values(source: Source, truth: _Truth, run: str, notes: list[Note]) -> tuple[Array, Array]:
    """Return the scores of a run and the sides it takes, for each problem of the truth; 0.5 where it has none."""
    odd: Counter[str] = Counter()
    values, sides = answers_of(source, tuple(truth.same), odd=odd)
    missing = np.isnan(values)
    values[missing] = 0.5
    if missing.any():
        notes.append(
            note(
                "pan.missing",
                "run {subject!r}: {missing} of {total} problems missing, counted as unanswered (0.5)",
                run,
                missing=int(missing.sum()),
                total=len(truth.same),
            )
        )
    notes += [_odd_note(run, kind, values=times, clipped="is_human" in source.columns) for kind, times in odd.items()]
    return values, sides


def answers_of(
    source: Source,
    problems: Sequence[str],
    faults: list[FormatError] | None = None,
    odd: Counter[str] | None = None,
) -> tuple[Array, Array]:
    """Read the scores of a file and the sides they take, for each of the problems; a missing one is NaN, and 0.5.

    Raises FormatError at the first unsound line, or puts each among the `faults`; `odd` counts what is strange and
    sound.
    """
    index = {problem: i for i, problem in enumerate(problems)}
    values, sides = np.full(len(index), np.nan), np.full(len(index), 0.5)
    odd = Counter() if odd is None else odd
    plain = None if source.kind == "text" else _at_once(source, index, odd)
    if plain is not None:
        values[plain[0]] = sides[plain[0]] = plain[1]
        return values, sides
    for answer in _said(source, odd, faults) if source.kind == "text" else _scored(source, odd, faults):
        at, where = index.get(answer.problem), f"line {answer.line}"
        with collected(faults):
            if at is None:
                rule = "the truth file does not have this problem"
                raise FormatError(source.label, rule, where=where, value=answer.problem)
            if not np.isnan(values[at]):
                raise FormatError(source.label, "the problem stands here again", where=where, value=answer.problem)
            values[at], sides[at] = answer.value, answer.side
    return values, sides


def _odd_note(run: str, kind: str, *, values: int, clipped: bool) -> Note:
    """Count odd values; those outside [0, 1] are `clipped`, as the organisers did in 2024, or kept, as in 2025."""
    if kind == LISTED:
        return note(
            "pan.listed",
            "run {subject!r}: {values} {values:value/values} given as a list of one number, read as that number",
            run,
            values=values,
        )
    if kind == OTHER_SIDE:
        return note(
            "pan.other_side",
            "run {subject!r}: {values} {values:value/values} on the other side than the letter before it, which "
            "decides",
            run,
            values=values,
        )
    if clipped:
        return note(
            "pan.clipped",
            "run {subject!r}: {values} {values:value/values} outside [0, 1], clipped to it as the organisers' "
            "evaluator does",
            run,
            values=values,
        )
    return note(
        "pan.outside",
        "run {subject!r}: {values} {values:value/values} outside [0, 1]: AUC takes them as they are and Brier clips "
        "them, as the organisers' evaluator does",
        run,
        values=values,
    )


def _at_once(source: Source, index: Mapping[str, int], odd: Counter[str]) -> tuple[Array, Array] | None:
    """Return which problems the answers are to, and their scores, where nothing in the file needs a word; else None."""
    key = "value" if "value" in source.columns else _shared(source) or "value"
    rows = plain_rows(source, id=str, **{key: float | tuple[float]})
    if rows is None:
        return None
    at = [index.get(row.id, -1) for row in rows]
    scores = [getattr(row, key) for row in rows]
    lists = sum(isinstance(score, tuple) for score in scores)
    values = np.array([score[0] if isinstance(score, tuple) else score for score in scores] if lists else scores)
    if -1 in at or len({*at}) < len(at) or not ((values >= 0) & (values <= 1)).all():
        return None
    if lists:
        odd[LISTED] += lists
    return np.array(at), values


def _scored(source: Source, odd: Counter[str], faults: list[FormatError] | None) -> Iterator[_Answer]:
    key = "value" if "value" in source.columns else _shared(source) or "value"
    for row, line in json_lines(source, faults=faults):
        with collected(faults):
            problem, score = _id(source, row, line), row.get(key)
            if isinstance(score, list) and len(score) == 1:
                score = score[0]
                odd[LISTED] += 1
            value = None if isinstance(score, (bool, str)) else number(score)
            within = value is not None and 0 <= value <= 1
            if value is not None and key != "value" and math.isfinite(value) and not within:
                value, within = (min(1.0, max(0.0, value)) if key == "is_human" else value), True
                odd[OUTSIDE] += 1
            if value is None or not within:
                score_read = score if key in row else list(row)
                rule = f"{key} must be a number in [0, 1]"
                shown = repr(score_read) if score_read is None else score_read
                raise FormatError(source.label, rule, where=f"line {line}", value=shown)
            yield _Answer(problem, value, value, line)


def _said(source: Source, odd: Counter[str], faults: list[FormatError] | None) -> Iterator[_Answer]:
    for words, line in _words(source):
        with collected(faults):
            decided = _DECIDED.get(words[1]) if len(words) in (2, 3) else None
            score = words[2] if len(words) == 3 else words[-1]
            value = decided if len(words) == 2 and decided is not None else number(score)
            if value is None or not 0 <= value <= 1 or (len(words) == 3 and decided is None) or len(words) < 2:
                rule = "a line of answers is a problem and a number in [0, 1], or a problem, Y, N or -, and a number"
                raise FormatError(source.label, rule, where=f"line {line}", value=" ".join(words))
            if decided is not None and (value - 0.5) * (decided - 0.5) < 0:
                odd[OTHER_SIDE] += 1
            yield _Answer(words[0], value, value if decided is None else decided, line)


def _id(source: Source, row: dict[str, Any], line: int) -> str:
    identity = row.get("id")
    if isinstance(identity, bool) or not isinstance(identity, (str, int)) or not str(identity).strip(WHITE):
        raise FormatError(source.label, "id must be a text or a whole number", where=f"line {line}", value=identity)
    return str(identity).strip(WHITE)


# ---- writing ----


@writer(
    "pan",
    about="PAN verification data of any year as that of 2020: truth.jsonl and runs/NAME/answers.jsonl, in a folder",
    takes=Outcomes,
)
def write(outcomes: Outcomes, path: Path) -> WriteResult:
    """Write what was read of PAN; other outcomes have no score between two sides. Silence is 0.5, and so is a missing
    problem."""
    if not {"verification.same", "verification.value"} <= outcomes.extra_columns.keys():
        raise MismatchError(
            "PAN's files hold whether two texts are the same author's, and a score: this is no data of PAN"
        )
    same = outcomes.extra_columns["verification.same"][0]
    notes: list[Note] = []
    values = [_values_of(outcomes, run, notes) for run in range(len(outcomes.runs))]
    held = [name for name in outcomes.strata if name in STRATA]
    if lost := [name for name in outcomes.strata if name not in STRATA]:
        notes.append(
            note(
                "pan.no_place",
                "left out, as there is no place for it in PAN's truth of 2020: {strata:list}",
                strata=lost,
            )
        )
    names = file_names(outcomes.runs)
    with folder_of(path, "pan") as folder:
        truth = (
            {"id": problem, "same": bool(same[i])} | {name: v for name in held if (v := str(outcomes.strata[name][i]))}
            for i, problem in enumerate(outcomes.questions)
        )
        write_lines(folder / "truth.jsonl", truth)
        for name, scores in zip(names, values, strict=True):
            (folder / "runs" / name).mkdir(parents=True)
            rows = ({"id": problem, "value": score} for problem, score in zip(outcomes.questions, scores, strict=True))
            write_lines(folder / "runs" / name / "answers.jsonl", rows)
    what = f"{plural(len(outcomes.questions), 'problem')} and {plural(len(outcomes.runs), 'run')}"
    return WriteResult(what, (*notes, *renamed(outcomes.runs, names)))


def _values_of(outcomes: Outcomes, run: int, notes: list[Note]) -> list[float]:
    """Return the scores of a run, which alone must say what it decided; raises MismatchError where they do not."""
    state, raw, same = (
        outcomes.state[run],
        outcomes.extra_columns["verification.value"][run],
        outcomes.extra_columns["verification.same"][run] == 1,
    )
    silent = state == SILENT
    values = np.where(silent, 0.5, np.clip(raw, 0, 1))
    if outside := int((~silent & (values != raw)).sum()):
        notes.append(
            note(
                "pan.clipped_in_writing",
                "run {subject!r}: {scores} scores outside [0, 1], clipped to it",
                outcomes.runs[run],
                scores=outside,
            )
        )
    sides = np.where(state == CORRECT, same, ~same)
    if odd := int((~silent & ((values > 0.5) != sides) | (~silent & (values == 0.5))).sum()):
        raise MismatchError(
            f"run {outcomes.runs[run]!r}: {odd} scores are not on the side that was decided (Y or N), which a score"
            " alone cannot say"
        )
    if moved := int((silent & (raw != 0.5)).sum()):
        notes.append(
            note(
                "pan.silence_moved",
                "run {subject!r}: {scores} scores beside silence (-) written as 0.5",
                outcomes.runs[run],
                scores=moved,
            )
        )
    scores: list[float] = values.tolist()
    return scores
