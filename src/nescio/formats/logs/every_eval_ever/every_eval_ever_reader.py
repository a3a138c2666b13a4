"""every_eval_ever: one graded instance per line, from any tool.

An instance has the form {"model_id", "evaluation_name", "sample_id", "output", "evaluation": {"score", "is_correct"},
"error", …}. The format has no field for abstentions. nescio reads three signs of one: an error that names a refusal, an
output that matches `--declined-pattern`, and the field `outcome` (correct, incorrect, unanswered, ungraded). `outcome`
is proposed as a field of `evaluation` beside `is_correct`. nescio writes it there, and in the metadata as
`nescio_outcome`. An empty output counts as incorrect (`--empty`). An instance with another error is not graded. If one
question has several evaluations (filters, metrics), `--choose evaluation=NAME` selects one. An instance that appears
again is a repeat of its question.

Other metadata that nescio writes with the prefix `nescio_` are the confidence, the candidate, the judge, the cluster,
whether the question has an answer, and what the columns `question_digest`, `gold_digest`, `answers_held`,
`no_gate_because` and `grades_between` of an outcome table hold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from nescio.data.judge_record import parse
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT, STATES
from nescio.data.reasons import ERRORED, REFUSED, abstention, kind_of, output_lacks, said_to_abstain
from nescio.errors import FormatError, opt
from nescio.formats.answers import NOTHING, Answer
from nescio.formats.choices import choose, threshold
from nescio.formats.logs.kept_members import OWN, KeptMembers, answerable_in, words_in
from nescio.formats.logs.kit import Log, Name, checked, empty, rows_in
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import as_list, as_object, identity, number, objects_in, part_of, texts_in
from nescio.sources.source import Source

OUTCOME, WHY = f"{OWN}outcome", f"{OWN}why"
CLUSTER, JUDGE = f"{OWN}cluster", f"{OWN}judge"
PROPOSED, REASON = "outcome", "outcome_reason"  # fields of `evaluation`
STATES_WRITTEN = {**STATES, "ungraded": NOT_GRADED}
TASK = "evaluation"
EVALUATION = "nescio"  # the name of an evaluation that nescio writes
Sample = tuple[str, str, int]
Asked = tuple[str, Sample, str]  # the evaluation, the sample, and the id of the result
Text = Annotated[str, Meta(pattern=r"\S")]


class Grade(Struct):
    is_correct: bool | None = None
    score: Any = None
    outcome: Annotated[
        Literal["correct", "incorrect", "unanswered", "ungraded"] | None,
        Meta(description=", ".join(sorted(STATES_WRITTEN))),
    ] = None
    outcome_reason: Any = None
    explanation: Any = None
    details: Any = None


class Instance(Struct):
    model_id: Text
    evaluation_name: Text
    sample_id: Name
    evaluation: Grade
    evaluation_result_id: Any = None
    input: Any = None
    output: Any = None
    answer_attribution: Any = None
    error: Any = None
    metadata: Any = None

    @property
    def asked(self) -> Asked:
        """Return the name of the evaluation, the sample, and the id of the result.

        A sample is identified by the model, the sample's id and a hash of the question's text, because a model may use
        one id for two questions.
        """
        sample = self.model_id, str(self.sample_id), hash(str(part_of(self.input, "raw")))
        return self.evaluation_name, sample, str(self.evaluation_result_id)

    @property
    def says_outcome(self) -> bool:
        """Return whether the instance has a field for the outcome."""
        return self.evaluation.outcome is not None or OUTCOME in as_object(self.metadata)


@reader(
    "every_eval_ever",
    about="every_eval_ever: instance-level results, one per line",
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read the instances of every model as a run.

    If there are several evaluations, the name of the evaluation is a part of each question's name.
    """
    log = Log(parts, options)
    asked: list[Asked] = []
    answers: list[Answer] = []
    kept = KeptMembers()
    lacks_outcome = False  # whether an instance has no field for the outcome
    for source in log.sources:
        for row, where in rows_in(source):
            instance = checked(Instance, row, source, where)
            _check(instance.evaluation, source, where)
            answer = log.take(_answer(instance))
            answer.where, answer.path = where, source.label
            if threshold(options) is None:
                _as_written(answer, instance)
            kept.take(answer.run, source.name, as_object(instance.metadata))
            asked.append(instance.asked)
            answers.append(answer)
            lacks_outcome = lacks_outcome or not instance.says_outcome
    if lacks_outcome and not options.declined.asked:
        log.say(
            "every_eval_ever.no_declining",
            "every_eval_ever has no field for abstentions: only empty outputs and refusals reported as errors count "
            f"as unanswered; {opt('declined_pattern')} makes answers with given words count too",
        )
    log.notes += kept.notes()
    answers = _chosen(log, asked, answers)
    several = len({answer.task for answer in answers}) > 1
    for answer in answers:
        answer.strata = {**answer.strata, TASK: answer.task}
        answer.question = f"{answer.task}/{answer.question}" if several else answer.question
    log.number(answers)
    return kept.beside(log.by_score(answers, "instances without is_correct", keep=(TASK,) if several else ()))


def _check(grade: Grade, source: Source, where: str) -> None:
    if (grade.outcome, grade.is_correct) in (("correct", False), ("incorrect", True)):
        rule = f"is_correct ({str(grade.is_correct).lower()}) contradicts outcome"
        raise FormatError(source.label, rule, where=where, value=grade.outcome)


def _chosen(log: Log, asked: Sequence[Asked], answers: Sequence[Answer]) -> list[Answer]:
    """Return all answers, or only those of the chosen evaluation if several evaluations have the same questions.

    `asked` has the property `asked` of each answer's instance: its evaluation, its sample and the id of its result.
    """
    results: dict[tuple[str, Sample], set[str]] = {}
    for name, sample, result in asked:
        results.setdefault((name, sample), set()).add(result)
    # The id of the result names a metric if one evaluation has several.
    by_result = {name for (name, _), ids in results.items() if len(ids) > 1}
    of_sample: dict[Sample, set[str]] = {}
    for (name, sample, result), answer in zip(asked, answers, strict=True):
        if name in by_result:
            answer.task = f"{answer.task}: {identity(result)}"
        of_sample.setdefault(sample, set()).add(answer.task)
    if TASK not in log.options.choose and all(len(names) == 1 for names in of_sample.values()):
        return list(answers)
    name = choose(log.options, TASK, [answer.task for answer in answers], "evaluations of the same questions")
    kept = [answer for answer in answers if answer.task == name]
    template = (
        "the answers are scored by the evaluation {subject!r}; {others} instances of other evaluations are left out"
    )
    log.say("every_eval_ever.one_evaluation", template, name, others=len(answers) - len(kept))
    return kept


def _answer(instance: Instance) -> Answer:
    metadata, grade, prompt = as_object(instance.metadata), instance.evaluation, instance.input
    asked = prompt if isinstance(prompt, dict) else {"raw": prompt}
    extracted = [
        part.get("extracted_value") for part in objects_in(instance.answer_attribution) if part.get("is_terminal")
    ]
    written = metadata.get(JUDGE)
    answer = Answer(
        identity(instance.model_id),
        identity(instance.sample_id),
        task=identity(instance.evaluation_name),
        confidence=_finite(metadata.get(f"{OWN}confidence")),
        candidate={"1": 1, "0": 0}.get(str(metadata.get(f"{OWN}candidate")), -1),
        answerable=answerable_in(metadata),
        labels={name: value for name, value in metadata.items() if not str(name).startswith(OWN)},
        asked=[asked.get("raw"), *as_list(asked.get("choices"))],
        gold=asked.get("reference"),
        answer=texts_in(part_of(instance.output, "raw")),
        extracted=texts_in(extracted),
        reason=grade.details if grade.explanation is None else grade.explanation,
        right=grade.is_correct,
        score=number(grade.score),
        cluster=metadata.get(CLUSTER) if isinstance(metadata.get(CLUSTER), str) else None,
        words=words_in(metadata, "every_eval_ever"),
        judges={written: parse(written)} if isinstance(written, str) else NOTHING,
    )
    if instance.error:
        error = str(instance.error).lower()
        refused = "refus" in error and "conn" not in error  # a refused connection is a failed call
        answer.silent, answer.ungraded, answer.right = (REFUSED, None, False) if refused else (None, ERRORED, None)
        answer.score = answer.score if refused else None
    elif texts := [*answer.extracted, *answer.answer]:
        answer.nothing = empty(texts)
    return answer


def _as_written(answer: Answer, instance: Instance) -> None:
    """Set the state and the reason of an answer to those in the instance, if nescio wrote the instance."""
    metadata, grade = as_object(instance.metadata), instance.evaluation
    word, why = (grade.outcome, grade.outcome_reason) if grade.outcome else (metadata.get(OUTCOME), metadata.get(WHY))
    if not isinstance(word, str) or word not in STATES_WRITTEN:
        return
    state, reason = STATES_WRITTEN[word], why if isinstance(why, str) else ""
    answer.why = answer.ungraded = reason if state == NOT_GRADED else None
    answer.right = state == CORRECT
    if state in (CORRECT, INCORRECT) and kind_of(reason) in ("empty", "unparsed"):
        answer.why = output_lacks(reason)
    elif state == SILENT:  # In instances that nescio writes, each abstention has an empty output.
        texts, gold = texts_in(part_of(instance.output, "raw")), as_object(instance.input).get("reference")
        marked = abstention(reason or word, answer.nothing, texts, gold)
        answer.why = said_to_abstain(reason if OUTCOME in metadata else marked)
        answer.answerable = 0 if grade.outcome and grade.is_correct else answer.answerable


def _finite(value: Any) -> float | None:
    score = number(value)
    return score if score is not None and math.isfinite(score) else None
