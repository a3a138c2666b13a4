"""The Answer Validation Exercise: a collection in XML with the responses of validators.

AVE 2007 and 2008: questions with answers and their supporting texts (`q`, `a`), and responses `q_id a_id
SELECTED|VALIDATED|REJECTED confidence`. AVE 2006: pairs of a text and a hypothesis (`pair`), and responses `pair_id
YES|NO confidence`. A response file is one run and is named by its file; an answer that it does not name is REJECTED.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from msgspec.structs import replace

from nescio.data.evidence import Evidence
from nescio.data.notes import Note, note
from nescio.errors import MismatchError, opt
from nescio.formats.choices import choose
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, by_role, reader
from nescio.sources.documents import text_lines
from nescio.sources.source import Source, name_runs
from nescio.tasks.ave import words
from nescio.tasks.ave.documents import (
    DECISIONS,
    ENTAILED,
    read_exercise,
    read_pair_responses,
    read_pairs,
    read_responses,
    write_exercise,
    write_pairs,
    write_responses,
)
from nescio.tasks.ave.evidence import evidence, pair_evidence, selections
from nescio.tasks.ave.exercise import Decision, Runs, Validation, upside_down
from nescio.text import plural

__all__ = ["read_exercise", "read_pairs", "read_responses", "write_exercise", "write_pairs", "write_responses"]

COLLECTION, PAIRS, RESPONSES, PAIR_RESPONSES = "gold", "pairs", "answers", "pair answers"
OVER_ANSWERS = ("ave.F", "ave.precision", "ave.recall")
OVER_QUESTIONS = ("ave.qa_accuracy", "ave.normalized_qa_accuracy")
VALUES = ("validated", "rejected", "unknown")
VIEWS = ("answers", "selection")
_LOOK = 20  # lines that are examined, because the first ones may be invalid


def recognise(source: Source) -> str | None:
    """Recognise XML that holds answers (`a_str`) or pairs (`pair`, with `h`), or text with a response among its first
    lines."""
    if source.path is None or source.kind not in ("xml", "text"):
        return None
    return _xml_part(source) if source.kind == "xml" else _text_part(source)


def _xml_part(source: Source) -> str | None:
    root = source.document
    if root.find(".//a/a_str") is not None:
        return COLLECTION
    return PAIRS if root.find(".//pair/h") is not None else None


def _text_part(source: Source) -> str | None:
    for line, _ in islice(text_lines(source), source.begins + _LOOK):
        cells = line.upper().split()
        if len(cells) in (3, 4) and cells[2] in DECISIONS:
            return RESPONSES
        if len(cells) in (2, 3) and cells[1] in ENTAILED:
            return PAIR_RESPONSES
    return None


def describe(parts: Sequence[SourceRole]) -> str:
    """Return a text with the numbers of questions and answers in a collection, and of the answers with each value.

    It is empty if `parts` holds anything other than one collection.
    """
    if [part for part, _ in parts] != [COLLECTION]:
        return ""
    # Imported here, because every program loads the formats and few build a collection.
    from nescio.tasks.ave.building import counts

    rows = counts(read_exercise(parts[0][1]))
    questions, answers, *values = (
        sum(getattr(row, name) for row in rows) for name in ("questions", "answers", *VALUES)
    )
    by_value = ", ".join(f"{many:,} {name.upper()}" for name, many in zip(VALUES, values, strict=True))
    return f"{plural(questions, 'question')}, {plural(answers, 'answer')}: {by_value}"


@reader(
    "ave",
    about=(
        "an AVE collection in XML (or AVE 2006's pairs) and validators' responses (q_id a_id"
        " SELECTED|VALIDATED|REJECTED confidence)"
    ),
    recognise=recognise,
    text=True,
    describe=describe,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read one collection of AVE, or one file of pairs (AVE 2006), with the responses of validators to it.

    `--choose view=selection` reads the SELECTED answers as answers of QA systems, for c@1, tune and related measures.
    `--choose confidence=decision` says that a confidence is about the decision. For a REJECTED answer, the confidence
    that the answer is right is then 1 minus the stated one.
    """
    by_part = by_role(parts)
    gold = [(name, source) for name in _PARTNER for source in by_part[name]]
    if len(gold) != 1:
        present = f"{gold[0][1].label} and {gold[1][1].label} were given" if gold else "none was given"
        raise MismatchError(f"give one AVE collection (or one file of pairs), and the responses to it: {present}")
    kind, source = gold[0]
    files = by_part[_PARTNER[kind]]
    for other in by_part[_PARTNER[PAIRS if kind == COLLECTION else COLLECTION]]:
        raise MismatchError(
            f"{other.label} does not answer {source.label}: one file has the format of AVE "
            "2006, the other that of AVE 2007"
        )
    if not files:
        raise MismatchError(f"{source.label} is a collection of AVE; also give the responses of validators")
    return _pairs(source, files, options) if kind == PAIRS else _exercise(source, files, options)


_PARTNER = {COLLECTION: RESPONSES, PAIRS: PAIR_RESPONSES}


def _exercise(source: Source, files: Sequence[Source], options: ReadOptions) -> ReadResult:
    exercise = read_exercise(source)
    validations = {name: read_responses(file, exercise) for file, name in zip(files, name_runs(files), strict=True)}
    runs, notes = _sure(validations, options)
    view = choose(options, "view", VIEWS, "views") if "view" in options.choose else "answers"
    if view == "selection":
        outcomes, more = selections(exercise, runs)
        if options.texts:
            outcomes = replace(outcomes, texts=words.of_selections(exercise, runs))
        return ReadResult(outcomes, (*notes, *more))
    data, more = evidence(exercise, runs)
    return ReadResult(
        _strata(data, options),
        (*notes, *more),
        (*OVER_ANSWERS, *_if_sure(runs), *OVER_QUESTIONS),
        texts=words.of_answers(exercise, runs) if options.texts else None,
        beside=_with_systems,
    )


def _with_systems(validators: ReadResult, systems: Evidence) -> ReadResult:
    # Imported here, because few readers of a collection have QA systems.
    from nescio.tasks.ave.baselines import with_systems

    assert isinstance(validators.data, Evidence)
    data, notes = with_systems(validators.data, systems)
    every = (*validators.notes, *notes)
    return replace(validators, data=data, notes=every, measures=OVER_QUESTIONS, texts=None, beside=None)


def _pairs(source: Source, files: Sequence[Source], options: ReadOptions) -> ReadResult:
    pairs = read_pairs(source)
    validations = {name: read_pair_responses(file, pairs) for file, name in zip(files, name_runs(files), strict=True)}
    runs, notes = _sure(validations, options)
    data, more = pair_evidence(pairs, runs)
    return ReadResult(
        _strata(data, options),
        (*notes, *more),
        (*OVER_ANSWERS, *_if_sure(runs)),
        texts=words.of_pairs(pairs, runs) if options.texts else None,
    )


def _strata(data: Evidence, options: ReadOptions) -> Evidence:
    return replace(data, strata=options.kept(data.strata))


def _if_sure(runs: Runs) -> tuple[str, ...]:
    sure = any(validation.confidence is not None for validations in runs.values() for validation in validations)
    return ("ave.AUC",) if sure else ()


def _sure(runs: Mapping[str, Sequence[Validation]], options: ReadOptions) -> tuple[Runs, list[Note]]:
    """Return the runs, where each confidence is that the answer is right, and notes on suspicious confidences.

    With `--choose confidence=decision`, the files state the confidence in each decision, which this function converts.
    """
    meanings = ("answer", "decision")
    meaning = choose(options, "confidence", meanings, "meanings") if "confidence" in options.choose else "answer"
    notes: list[Note] = []
    outside: list[tuple[str, int, int]] = []
    kept = {}
    for run, validations in runs.items():
        sure = [validation.confidence for validation in validations if validation.confidence is not None]
        if strange := sum(not 0 <= validation <= 1 for validation in sure):
            outside.append((run, strange, len(sure)))
            if meaning == "decision":
                raise MismatchError(
                    f"run {run!r}: {plural(strange, 'confidence')} outside [0, 1]; "
                    "a confidence in the decision must be from 0 to 1"
                )
        kept[run] = list(validations)
        if meaning == "decision":
            kept[run] = [
                replace(validation, confidence=1 - validation.confidence)
                if validation.decision is Decision.REJECTED and validation.confidence is not None
                else validation
                for validation in validations
            ]
        elif upside_down(validations):
            notes.append(
                note(
                    "ave.upside_down",
                    "run {subject!r}: REJECTED answers have higher confidences than accepted answers. nescio "
                    "reads confidence as confidence that the answer is right "
                    f"({opt('choose', {'confidence': 'decision'})} reads confidence in the decision)",
                    run,
                )
            )
    if outside:
        remark = note(
            "ave.confidence_outside", "{runs:each run %r: %d of %d} confidences lie outside [0, 1]", runs=outside
        )
        notes.insert(0, remark)
    return kept, notes
