"""every_eval_ever: one graded instance per line, from any tool.

An instance says {"model_id", "evaluation_name", "sample_id", "output", "evaluation": {"score", "is_correct"}, "error",
…}. The format has no field for abstentions: an abstention is an error that names a refusal, and what a pattern of
`--declined-pattern` matches. An empty output counts as incorrect (`--empty`). An abstention is also what `outcome` says
(correct, incorrect, unanswered, ungraded), which is proposed as a field of `evaluation` beside `is_correct`; nescio
writes it there, and in the metadata as `nescio_outcome`. An instance with another error is not graded. One question
under several evaluations (filters, metrics) is one question: `--choose evaluation=NAME` says which one to use. An
instance that appears again is a repeat of its question.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SAID_SO, SILENT, STATES
from nescio.data.reasons import EMPTY, ERRORED, REFUSED, said_to_abstain
from nescio.data.texts import AnswerTexts, texts_of
from nescio.errors import FormatError, opt
from nescio.formats.logs import grading
from nescio.formats.logs.graded import Graded, choose, declined, numbered
from nescio.formats.logs.grading import NO_SCORE, SCORE, Scale
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import as_list, as_object, flag, identifier, objects_in, part_of, texts_in
from nescio.sources.source import Source
from nescio.sources.tables import json_lines

OWN = "nescio_"  # what the keys of metadata begin with that nescio writes
OUTCOME, WHY = f"{OWN}outcome", f"{OWN}why"
PROPOSED, REASON = "outcome", "outcome_reason"  # of `evaluation`
STATES_WRITTEN = {**STATES, "ungraded": NOT_GRADED}
KEYS = frozenset(("schema_version", "model_id", "evaluation_name", "sample_id", "evaluation"))
TASK = "evaluation"
Row = Mapping[str, Any]


def recognise(source: Source) -> str | None:
    """Recognise lines of which the first has the keys of an instance."""
    return "log" if source.kind == "lines" and KEYS.issubset(source.columns) else None


@reader(
    "every_eval_ever",
    about="every_eval_ever: instance-level results, one per line",
    recognise=recognise,
    sniff_keys={"lines": ("sample_id",)},
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read instances, every model a run; where there are several evaluations, a question bears the name of its own."""
    notes: list[Note] = []
    instances = [
        _instance(row, line, source, options) for _, source in parts for row, line in json_lines(source, lenient=True)
    ]
    rows = _chosen(instances, options, notes)
    several = len({row.strata[TASK] for row in rows}) > 1
    by_score = [one.row.scores[SCORE] for one in instances if one.by_score and one.row.scores]
    if scale := grading.scale_of(by_score, options):
        notes += grading.say_partial(scale, "instances without is_correct", len(by_score), options)
    if not options.declined.asked and not all(one.written for one in instances):
        notes.append(
            note(
                "every_eval_ever.no_declining",
                "every_eval_ever has no field for abstentions: only empty outputs and refusals among the "
                f"errors count as unanswered; {opt('declined_pattern')} names other such words",
            )
        )
    named = _distinct(rows, notes, several=several)
    return grading.result_of(named, parts[0][1].label, options, notes, keep=(TASK,) if several else ())


class _Instance(Struct, frozen=True):
    """A row with what tells whether two rows are of one question: the sample and a hash of what was asked."""

    row: Graded
    sample: tuple[str, str, int]  # model, sample_id, what was asked
    result: str | None  # evaluation_result_id, which names a metric
    by_score: bool  # whether is_correct is not said
    written: bool  # whether it says what the outcome is


def _chosen(instances: Sequence[_Instance], options: ReadOptions, notes: list[Note]) -> list[Graded]:
    """Return the rows of one evaluation where several are of the same questions; all of them where they are not."""
    metrics: dict[tuple[str, tuple[str, str, int]], set[str | None]] = {}
    for one in instances:
        metrics.setdefault((one.row.strata[TASK], one.sample), set()).add(one.result)
    by_result = {name for (name, _), results in metrics.items() if len(results) > 1}
    rows = [
        replace(one.row, strata={**one.row.strata, TASK: f"{one.row.strata[TASK]}: {one.result}"})
        if one.row.strata[TASK] in by_result
        else one.row
        for one in instances
    ]
    of_sample: dict[tuple[str, str, int], set[str]] = {}
    for one, row in zip(instances, rows, strict=True):
        of_sample.setdefault(one.sample, set()).add(row.strata[TASK])
    if TASK not in options.choose and all(len(names) == 1 for names in of_sample.values()):
        return rows
    name = choose(options, TASK, [row.strata[TASK] for row in rows], "evaluations of the same questions")
    kept = [row for row in rows if row.strata[TASK] == name]
    notes.append(
        note(
            "every_eval_ever.one_evaluation",
            "scored by the evaluation {subject!r}: {others} instances of others left out",
            name,
            others=len(rows) - len(kept),
        )
    )
    return kept


def _check(source: Source, row: Row, where: str) -> None:
    for name in ("model_id", "evaluation_name"):
        if not isinstance(row.get(name), str) or not row[name].strip():
            raise FormatError(source.label, f"{name} must be a text", where=where, value=row.get(name))
    identifier(row, "sample_id", source.label, where)
    grade = row.get("evaluation")
    if not isinstance(grade, dict):
        raise FormatError(source.label, "evaluation must be an object", where=where, value=grade)
    right, outcome = flag(grade, "is_correct", source.label, where), grade.get(PROPOSED)
    if outcome is not None and not (isinstance(outcome, str) and outcome in STATES_WRITTEN):
        rule = f"outcome must be {', '.join(sorted(STATES_WRITTEN))}"
        raise FormatError(source.label, rule, where=where, value=outcome)
    if right is not None and (outcome, right) in (("correct", False), ("incorrect", True)):
        rule = f"is_correct is {str(right).lower()}, but outcome says otherwise"
        raise FormatError(source.label, rule, where=where, value=outcome)


def _instance(row: Row, line: int, source: Source, options: ReadOptions) -> _Instance:
    _check(source, row, f"line {line}")
    model, sample = grading.identity(row["model_id"]), grading.identity(row["sample_id"])
    held, result, grade = as_object(row.get("metadata")), row.get("evaluation_result_id"), row["evaluation"]
    outcome = {OUTCOME: grade.get(PROPOSED), WHY: grade.get(REASON)} if grade.get(PROPOSED) is not None else held
    state, why = _written(outcome, options) or _state(row, options)
    score = grading.number(row["evaluation"].get("score"))
    graded = Graded(
        model,
        sample,
        state,
        why=why,
        confidence=_finite(held.get(f"{OWN}confidence")),
        candidate=_candidate(held),
        answerable=0 if outcome is not held and state == SILENT and grade.get("is_correct") else _answerable(held),
        strata={
            **grading.labels({k: v for k, v in held.items() if not str(k).startswith(OWN)}, options),
            TASK: grading.identity(row["evaluation_name"]),
        },
        where=f"line {line}",
        path=source.label,
        scores={} if score is None or why == ERRORED else {SCORE: score},
        texts=_texts(row) if options.texts else None,
    )
    text = part_of(row, "input", "raw")
    named = None if result is None else grading.identity(result)
    return _Instance(
        graded, (model, sample, hash(str(text))), named, grade.get("is_correct") is None, OUTCOME in outcome
    )


def _texts(row: Row) -> AnswerTexts:
    prompt, grade = row.get("input"), as_object(row.get("evaluation"))
    asked = prompt if isinstance(prompt, dict) else {"raw": prompt}
    gold = asked.get("reference")
    reason = grade.get("explanation", grade.get("details"))
    question = [asked.get("raw"), *as_list(asked.get("choices"))]
    return texts_of(question, gold if isinstance(gold, list) else [gold], _raw(row), _extracted(row), reason)


def _distinct(rows: Sequence[Graded], notes: list[Note], *, several: bool) -> Iterator[Graded]:
    """Return the rows with the name of their evaluation where there are several, and their repeats numbered."""
    names = [f"{row.strata[TASK]}/{row.question}" if several else row.question for row in rows]
    again = len(rows) - len({(row.run, name) for row, name in zip(rows, names, strict=True)})
    if again:
        notes.append(
            note(
                "every_eval_ever.repeats",
                "{repeats} instances appear again: each is a repeat of the first with its sample_id",
                repeats=again,
            )
        )
    return numbered(replace(row, question=name) for row, name in zip(rows, names, strict=True))


def _written(held: Row, options: ReadOptions) -> tuple[int, str | None] | None:
    """Return the state and the reason that nescio wrote to the metadata; None where it did not, or a threshold is asked
    for."""
    word, why = held.get(OUTCOME), held.get(WHY)
    if not isinstance(word, str) or word not in STATES_WRITTEN or grading.threshold(options) is not None:
        return None
    state, reason = STATES_WRITTEN[word], why if isinstance(why, str) and why else None
    return state, said_to_abstain(reason) if state == SILENT else reason


def _finite(value: Any) -> float | None:
    score = grading.number(value)
    return score if score is not None and math.isfinite(score) else None


def _candidate(held: Row) -> int:
    value = held.get(f"{OWN}candidate")
    return {"1": 1, "0": 0}.get(value, -1) if isinstance(value, str) else -1


def _answerable(held: Row) -> int:
    value = held.get(f"{OWN}answerable")
    return {"true": 1, "false": 0}.get(value, -1) if isinstance(value, str) else -1


def _state(row: Row, options: ReadOptions) -> tuple[int, str | None]:
    if row.get("error"):
        return (SILENT, REFUSED) if "refus" in str(row["error"]).lower() else (NOT_GRADED, ERRORED)
    state = _outcome(row["evaluation"], options)
    if state == NOT_GRADED:
        return NOT_GRADED, NO_SCORE
    extracted, raw = _extracted(row), _raw(row)
    texts = extracted or raw
    if texts and all(declined(options, text) for text in texts):
        return grading.outcome_of(state, SAID_SO)
    return grading.outcome_of(state, EMPTY if texts and not any(text.strip() for text in (*extracted, *raw)) else None)


def _outcome(grade: Mapping[str, Any], options: ReadOptions) -> int:
    """Grade by `is_correct`; by the score where there is none, or where `--choose threshold=T` asks for it."""
    least, score, correct = grading.threshold(options), grading.number(grade.get("score")), grade.get("is_correct")
    if correct is not None and (least is None or score is None):
        return CORRECT if correct else INCORRECT
    if score is None or (least is None and not 0 <= score <= 1):
        return NOT_GRADED
    return Scale(1.0 if least is None else least).state(score)


def _extracted(row: Row) -> list[str]:
    attempts = objects_in(row.get("answer_attribution"))
    return texts_in([one.get("extracted_value") for one in attempts if one.get("is_terminal")])


def _raw(row: Row) -> list[str]:
    return texts_in(part_of(row, "output", "raw"))
