"""HELM: `scenario_state.json` and `per_instance_stats.json` of one or several run folders, joined by instance, trial
and perturbation.

A run is a model; the scenario's other parameters are strata. A completion that the model refused, according to HELM's
clients, is an abstention. An empty one counts as incorrect (`--empty`). One that the provider blocked, and any other
failed request, is not graded. An answer that names no option is wrong, as in the tool, and a note counts such answers.
The confidence is the probability of the completion, if the log has log-probabilities; without them HELM's `max_prob` is
always 1. The tool's figures cover one split: `test`, if it exists. Who graded is in `run_spec.json`; no gate compares
a run that has this file with one that lacks it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nescio.data.judge_record import grader
from nescio.data.reasons import BLOCKED, EMPTY, ERRORED, REFUSED
from nescio.errors import FormatError, opt, shorten
from nescio.formats.answers import Answer
from nescio.formats.choices import check_choice, choose, chosen_among, pick
from nescio.formats.logs.helm.run import (
    OTHER,
    SPEC,
    STATE,
    STATS,
    TOTALS,
    UNPERTURBED,
    Case,
    Folder,
    open_cases,
    open_folders,
    say_others,
)
from nescio.formats.logs.kit import NO_SCORE, Log, mean_of
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import as_list, as_object, number, objects_in, part_of, whole_number
from nescio.sources.source import Source
from nescio.tables.statuses import ended

MAIN = ("exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match")
# Statistics of the tool on every request, none of which is a score.
RECORDS = re.compile(
    r"(num|training|inference|finish_reason|batch)_.*|prompt_truncated|max_prob|logprob|predicted_index"
)
SHOWN = {"predicted_text", "request"}  # the keys of the predictions and requests files that HELM writes for display
SCENARIO = "scenario.json"
# Classes of metrics of which none says whether an answer is right.
GRADING_NOTHING = {"EfficiencyMetric", "CalibrationMetric", "BiasMetric", "ToxicityMetric", "InstancesPerSplitMetric"}
NO_SPEC = "unknown; give run_spec.json"
USUAL = {"split": "test", "perturbation": UNPERTURBED}  # the instances that the tool's figures cover
# Texts that HELM's clients write for an answer that a provider withheld, and errors of providers that HELM passes on.
WITHHELD = re.compile(
    r"content blocked|(?:prompt|output|response|content) (?:was )?(?:blocked|filtered)|content["
    r" _]moderation|content_filter"
    r"|content (?:management|filtering) policy|violates \w+'s content policy|prompt was flagged|allowed by our safety"
    r" system",
    re.IGNORECASE,
)
REFUSAL = re.compile(r"received refusal", re.IGNORECASE)
SERVER_ERROR = "The server had an error"  # HELM's client for OpenAI returns it as an empty completion.
NO_CONTENT = "response has empty content"  # HELM's client for Anthropic returns it as an error.


def recognise(source: Source) -> str | None:
    """Recognise the two files of a run folder, and run_spec.json and stats.json, which may be given with them.

    It also recognises files without answers: scenario.json, instances.json, and the files for display.
    """
    if source.kind != "document":
        return None
    columns = {*source.columns}
    if isinstance(source.document, list):
        return _listed(source, columns)
    if columns >= {"adapter_spec", "request_states"}:
        return STATE
    if source.name == SCENARIO and columns >= {"name", "description", "tags"}:
        return OTHER
    return SPEC if columns >= {"name", "scenario_spec", "adapter_spec", "metric_specs"} else None


def _listed(source: Source, columns: set[str]) -> str | None:
    if columns >= {"input", "references", "id"} and isinstance(part_of(source.first, "input", "text"), str):
        return OTHER
    if columns >= {"instance_id"} and columns & SHOWN:
        return OTHER
    if columns >= {"instance_id", "stats"} and all("name" in entry for entry in objects_in(source.first["stats"])):
        return STATS
    named = columns >= {"name", "count", "sum"} and isinstance(source.first["name"], dict)
    return TOTALS if named and "name" in source.first["name"] else None


@reader(
    "helm",
    about="run folders of HELM: scenario_state.json with per_instance_stats.json (and run_spec.json, stats.json)",
    recognise=recognise,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read run folders; the user selects the scores with `--choose split=`, `metric=`, `perturbation=` and
    `threshold=`."""
    log = Log(parts, options)
    folders = open_folders(parts)
    cases = [open_cases(folder) for folder in folders]
    log.notes += say_others(parts)
    for name in USUAL:
        check_choice(options, name, (getattr(case, name) for every in cases for case in every))
    check_choice(options, "metric", (metric for every in cases for case in every for metric in case.scores))
    answers: list[Answer] = []
    outcomes = True
    for folder, every in zip(folders, cases, strict=True):
        folder_answers, graded = _graded(folder, every, log)
        answers += folder_answers
        outcomes = outcomes and graded
    keep = {"scenario", *(name for folder in folders for name in folder.parameters)}
    return log.result(answers, keep=keep, outcomes=outcomes)


# ---- outcomes ----


def _graded(folder: Folder, cases: Sequence[Case], log: Log) -> tuple[list[Answer], bool]:
    """Return the answers of one folder, and whether their scores give outcomes (correct or incorrect)."""
    for name in USUAL:
        chosen = _one(folder, name, cases, log)
        cases = [case for case in cases if getattr(case, name) == chosen]
    split, perturbation = cases[0].split, cases[0].perturbation
    metric = _metric(folder, cases, log)
    scores = [case.scores.get(metric, math.nan) for case in cases]
    whole = all(_confidence(case) in (None, 1.0) for case in cases)  # All are 1 if the log has no log-probabilities.
    answers, judges = [], {metric: grader(metric, settings=_grading(folder, metric))}
    optionless: Counter[str] = Counter()
    for case, score in zip(cases, scores, strict=True):
        answer = log.take(_answer(folder, case, score, log))
        if answer.why is None and (text := _no_option(folder, case)):
            optionless[text] += 1
        answer.confidence = None if whole or answer.why else _confidence(case)
        answer.scores = {name: case.scores[name] for name in log.options.graded if name in case.scores}
        answer.judges = judges
        answers.append(answer)
    outcomes = log.grade(answers, f"{folder.path.name}: {metric}", metric)
    if optionless:
        log.say(
            "helm.no_option",
            "{subject}: {answers} of {total:n answer} name no option (such as {example}) and keep the "
            f"tool's grades; {opt('declined_pattern')} can count some as unanswered",
            folder.path.name,
            answers=optionless.total(),
            total=len(cases),
            example=shorten(optionless.most_common(1)[0][0]),
        )
    if perturbation == UNPERTURBED:
        many, held = whole_number(_figure(folder, "num_instances", split)), len({case.id for case in cases})
        of = many if many is not None and many > held else None
        log.total(folder.path.name, "num_instances", None, (), covered=of, held=held, runs=(folder.run,))
        log.compare(folder.path.name, metric, _figure(folder, metric, split), scores, run=folder.run)
    return answers, outcomes


def _grading(folder: Folder, metric: str) -> Any:
    """Return what the specification of a run says on who graded it by a metric; NO_SPEC without a specification.

    It is the parts that name the metric, or else all that may grade, and the annotators. Class paths differ between
    versions of the tool, so only the names of classes are taken.
    """
    spec = as_object(folder.documents.get(SPEC))
    if not spec:
        return NO_SPEC
    named = [part for part in objects_in(spec.get("metric_specs")) if metric in as_list(part_of(part, "args", "names"))]
    grading = [_class(part, "names") for part in named] or [
        _class(part)
        for part in objects_in(spec.get("metric_specs"))
        if _class(part)["class_name"] not in GRADING_NOTHING
    ]
    annotators = [_class(annotator) for annotator in objects_in(spec.get("annotators"))]
    return {"metric_specs": sorted(grading, key=str) or "none", "annotators": annotators or "none"}


def _class(stated: Mapping[str, Any], *besides: str) -> dict[str, Any]:
    """Return the name and the arguments of a class that a specification states, without the arguments `besides`."""
    arguments = {key: value for key, value in as_object(stated.get("args")).items() if key not in besides}
    return {"class_name": str(stated.get("class_name")).rpartition(".")[2], "args": arguments}


def _answer(folder: Folder, case: Case, score: float, log: Log) -> Answer:
    gold = list(_gold(case))
    silent = silence_of(case) if len(case.requests) == 1 else None
    return Answer(
        folder.run,
        folder.prefix + case.id,
        ungraded=NO_SCORE if math.isnan(score) else ERRORED if silent == ERRORED else None,
        nothing=silent,
        score=score,
        strata={"scenario": folder.scenario} | folder.parameters,
        labels=case.labels,
        where=case.where,
        path=folder.files[STATE],
        answerable=-1 if log.has_answer(gold) else 0,
        repeat=case.trial,
        asked=[_question(case), *_options(case)],
        gold=gold,
        answer=_said(case) if len(case.requests) == 1 else None,
        extracted=_option(case)[0],
        reason=list(_reasons(case)),
    )


def _one(folder: Folder, name: str, cases: Sequence[Case], log: Log) -> str:
    """Return the split or perturbation of the cases to read; `name` is "split" or "perturbation".

    It is the only one in the cases, else the one that the user chose, else the usual one. A note counts the cases of
    other splits or perturbations, which are left out.
    """
    many, usual = Counter(str(getattr(case, name)) for case in cases), USUAL[name]
    if len(many) == 1:
        return next(iter(many))
    options = log.options
    chosen = usual if name not in options.choose and usual in many else choose(options, name, list(many), f"{name}s")
    log.say(
        "helm.left_out",
        "{subject}: {count} answers of {kind} {chosen!r} are read; left out are {others:each %d of %s %r}",
        folder.path.name,
        count=many[chosen],
        kind=name,
        chosen=chosen,
        others=[(count, name, value) for value, count in many.items() if value != chosen],
    )
    return chosen


def _metric(folder: Folder, cases: Sequence[Case], log: Log) -> str:
    """Return the metric that grades the cases: the chosen one, else exact_match or a similar one, else the only one.

    A note names other metrics whose mean differs from that of this metric.
    """
    metrics = dict.fromkeys(name for case in cases for name in case.scores)
    if (chosen := chosen_among(log.options, "metric", metrics)) is not None:
        return chosen
    scores = [name for name in metrics if not RECORDS.fullmatch(name) and "@" not in name]
    main = next((name for name in MAIN if name in metrics), None)
    if main is None:
        # Several graders' scores (xst_gpt_score, xst_claude_score) have their mean beside them (xst_score).
        alone = [name for name in scores if not {*_without_a_word(name)} & {*scores}] or scores
        if not alone:
            raise FormatError(
                folder.files[STATS], "the file holds no scores, only records of requests", value=list(metrics)
            )
        main = pick(log.options, "metric", alone)
    mean = mean_of([case.scores.get(main, math.nan) for case in cases])
    other = {name: mean_of([case.scores.get(name, math.nan) for case in cases]) for name in scores}
    differ = [(name, value) for name, value in other.items() if not math.isclose(value, mean)]
    if differ:
        template = "{subject}: scored by {metric}; other metrics give different values: {others:each %s %.3g}"
        log.say("helm.one_metric", template, folder.path.name, metric=main, others=differ)
    return main


def _without_a_word(name: str) -> Iterator[str]:
    words = name.split("_")
    for i in range(1, len(words) - 1):
        yield "_".join(words[:i] + words[i + 1 :])


def _result(case: Case) -> Mapping[str, Any] | None:
    """Return the result of a case's request, or None if it has none.

    It is also None if each option was sent in a separate request.
    """
    result = case.requests[0].get("result") if len(case.requests) == 1 else None
    return result if isinstance(result, dict) else None


def _completion(case: Case) -> Mapping[str, Any]:
    return as_object(next(iter(as_list(part_of(_result(case), "completions"))), None))


def _said(case: Case) -> str:
    text = _completion(case).get("text")
    return text.strip() if isinstance(text, str) else ""


def _option(case: Case) -> tuple[str | None, bool]:
    """Return the text of the option that the answer's letter names, or None, and whether the case has options."""
    mapping = case.requests[0].get("output_mapping")
    if len(case.requests) > 1 or not isinstance(mapping, dict) or not mapping:
        return None, False
    named = mapping.get(_said(case))
    return named if isinstance(named, str) else None, True


def _question(case: Case) -> Any:
    asked = case.requests[0]["instance"].get("input")
    return asked.get("text") if isinstance(asked, dict) else asked


def _options(case: Case) -> Iterator[str]:
    mapping = case.requests[0].get("output_mapping")
    if len(case.requests) == 1 and isinstance(mapping, dict):
        yield from (f"{letter}. {text}" for letter, text in mapping.items())


def _reasons(case: Case) -> Iterator[str]:
    """Yield the error of a request that left no answer, then the graders' reasons for the grade.

    The reasons are keys such as `reasoning` or `gpt_reasoning` in the annotations of the request.
    """
    error = (_result(case) or {}).get("error")
    if isinstance(error, str) and not _said(case):
        yield error
    for made in as_object(case.requests[0].get("annotations")).values():
        for name, text in as_object(made).items():
            if name.endswith("reasoning") and isinstance(text, str):
                grader = name.removesuffix("reasoning").strip("_")
                yield f"{grader}: {text}" if grader else text


def _gold(case: Case) -> Iterator[str]:
    """Yield the texts of the references that are tagged as correct."""
    for reference in case.requests[0]["instance"].get("references") or ():
        text = part_of(reference, "output", "text")
        if isinstance(text, str) and "correct" in (reference.get("tags") or ()):
            yield text


def silence_of(case: Case) -> str | None:
    """Return the reason why a case has no answer, or None if it has an answer.

    The reason is ERRORED if the request failed in a way for which the model is not responsible.
    """
    result = _result(case)
    if result is None or result.get("success") is not True:
        return _failure(str((result or {}).get("error")))
    if _said(case):
        return None
    reason = str(as_object(_completion(case).get("finish_reason")).get("reason") or "")
    if reason.startswith(SERVER_ERROR):
        return ERRORED
    return ended(reason) or (BLOCKED if WITHHELD.search(reason) else EMPTY)


def _failure(error: str) -> str:
    """Return the reason why a request with this error has no answer: REFUSED, BLOCKED, EMPTY or ERRORED."""
    if REFUSAL.match(error):
        return REFUSED
    return BLOCKED if WITHHELD.search(error) else EMPTY if NO_CONTENT in error else ERRORED


def _confidence(case: Case) -> float | None:
    """Return the probability of the completion (the exponential of its log-probability), or None if it is unknown.

    A log without log-probabilities has 0 in their place, for which the result is 1.
    """
    log = number(_completion(case).get("logprob"))
    return math.exp(log) if log is not None and log <= 0 else None


def _no_option(folder: Folder, case: Case) -> str | None:
    """Return the text of an answer that should name an option and names none; None for any other answer."""
    joint = part_of(folder.documents[STATE], "adapter_spec", "method") == "multiple_choice_joint"
    named, options = _option(case)
    return _said(case) if joint and options and named is None else None


def _figure(folder: Folder, metric: str, split: str) -> Any:
    """Return the tool's own figure for a metric on a split, from stats.json if that file is given."""
    for stat in folder.documents.get(TOTALS) or ():
        name = stat.get("name") if isinstance(stat, dict) else None
        if not isinstance(name, dict) or name.get("name") != metric or (name.get("split") or "") != split:
            continue
        if name.get("perturbation") is None and name.get("sub_split") is None:
            return stat.get("mean")
    return None
