"""DeepEval: `.deepeval/.latest_test_run.json`, `.latest_run_full.json`, `test_run_*.json`, and the cache of cases.

A test case has `success` and, for each metric, `success`, `score` and perhaps `error` (`metricsData`; before version 1,
`metricsMetadata`). It is right if all its metrics passed, as the tool counts it; a metric that is `flaky` does not
decide. A metric that ended in an error, or has no score, is not a verdict: a case that failed for no other reason is
not graded, though the tool counts it as failed. `--choose metric=NAME` uses one metric instead of all, and with
`threshold=T` its score. An empty `actualOutput` counts as incorrect (`--empty`). A case is identified by its input:
runs are compared by it, and cases with the same input are repeats.

The cache (`.deepeval-cache.json`) keeps the cases of earlier runs, so its counts are not those of the last one. In a
`.deepeval` folder, the latest run is read instead of the cache. A file that holds only a link has its cases at
Confident AI; `.latest_run_full.json` beside it may hold them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SAID_SO
from nescio.data.reasons import EMPTY
from nescio.errors import FormatError, opt
from nescio.formats.logs import grading
from nescio.formats.logs.deepeval.cases import CACHED, CASES, DIALOGUES, MAP, Case, cached_cases, cases_of
from nescio.formats.logs.graded import Graded, choose, declined
from nescio.formats.logs.grading import NO_SCORE, UNREAD
from nescio.formats.logs.metrics import METRIC, abstains, repeated
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import part_of
from nescio.sources.source import Source, own_path
from nescio.text import sanitize

LINK = "testRunLink"
FOLDER = ".deepeval"
FULL, LATEST, CACHE = ".latest_run_full.json", ".latest_test_run.json", ".deepeval-cache.json"
_OF_A_RUN = {"metricsScores", "metricScores", "testPassed", "runDuration", "dict_test_cases"}
Row = Mapping[str, Any]


def recognise(source: Source) -> str | None:
    """Recognise a document with `testCases` (beside it `metricsScores` or `testPassed`), alone or under `testRunData`;
    or `test_cases_lookup_map`, or `testRunLink`."""
    if source.kind != "document" or not isinstance(source.document, dict):
        return None
    if isinstance(cases := source.document.get(MAP), dict):
        return "cache" if all(isinstance(one, dict) and (not one or CACHED in one) for one in cases.values()) else None
    run = part_of(source.document, *_root(source))
    if isinstance(run, dict) and {CASES, DIALOGUES} & {*run}:
        return "run" if _root(source) or source.outline or _OF_A_RUN & {*run} else None
    return "run" if LINK in source.document else None


def _root(source: Source) -> tuple[str, ...]:
    return ("testRunData",) if isinstance(source.document.get("testRunData"), dict) else ()


@reader(
    "deepeval",
    about="a test run of DeepEval (.deepeval/.latest_test_run.json), or its cache of cases",
    recognise=recognise,
    sniff_keys={"object": ("testRunData", CASES, DIALOGUES, MAP, LINK)},
    files=(FULL, LATEST, CACHE, "test_run_[0-9]*.json"),
    streams=True,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every file as a run, named by its identifier or by the folder that holds `.deepeval`."""
    notes: list[Note] = []
    parts = _latest(parts, notes)
    names = grading.run_names([(_name(source), grading.place(Path(source.label))) for _, source in parts])
    cases = []
    for (part, source), name in zip(parts, names, strict=True):
        own = list(
            cached_cases(source, name, options) if part == "cache" else cases_of(source, _root(source), name, options)
        )
        if not own:
            raise FormatError(source.label, _why_no_cases(source))
        if part == "cache":
            notes.append(
                note(
                    "deepeval.cache",
                    "{subject}: a cache also keeps cases of earlier runs, so its {cases:n case} may not all be of "
                    "the last one",
                    str(source.label),
                    cases=len(own),
                )
            )
        cases += own
        notes += _against_counts(source, own)
    metric = _metric(cases, options, notes)
    rows = repeated([_graded(case, metric, options) for case in cases], notes)
    notes += _failed_metrics(cases, metric)
    return grading.result_of(rows, parts[0][1].label, options, notes)


def _latest(parts: Sequence[SourceRole], notes: list[Note]) -> list[SourceRole]:
    """Return the parts; of several files of one `.deepeval` folder, which hold the same cases, the fullest."""
    order = (FULL, LATEST, CACHE)
    kept: dict[Path, int] = {}
    for _, source in parts:
        path = Path(source.label)
        if path.name in order:
            kept[path.parent] = min(kept.get(path.parent, len(order)), order.index(path.name))
    chosen: list[SourceRole] = []
    left: list[SourceRole] = []
    for part, source in parts:
        path = Path(source.label)
        own = path.name not in order or order.index(path.name) == kept[path.parent]
        (chosen if own else left).append((part, source))
    if left:
        notes.append(
            note(
                "deepeval.one_of_folder",
                "not read, because another file in the same folder has their cases: {files:list}",
                files=[str(source.label) for _, source in left],
            )
        )
    return chosen


def _name(source: Source) -> str:
    identifier = part_of(source.document, *_root(source), "identifier")
    if isinstance(identifier, str) and identifier.strip():
        return sanitize(identifier.strip(), target="message")
    path = own_path(source.label)
    if path.parent.name == FOLDER:
        return path.parent.parent.name or FOLDER
    return source.stem.lstrip(".") or source.stem


def _why_no_cases(source: Source) -> str:
    if LINK in source.document:
        return (
            f"it holds a link to the run at Confident AI but none of its cases: {FULL} beside it, or a run "
            "that was not sent there, has them"
        )
    return "its run has no test cases: DeepEval was stopped before the first"


def _metric(cases: Sequence[Case], options: ReadOptions, notes: list[Note]) -> str | None:
    """Return the metric that was chosen; None for all of them."""
    names = list(dict.fromkeys(name for case in cases for name in case.marks))
    if METRIC in options.choose or grading.threshold(options) is not None:
        return choose(options, METRIC, names, "metrics")
    if len(names) > 1:
        notes.append(
            note(
                "deepeval.all_metrics",
                f"a case is right if all its metrics passed ({{metrics:list}}); {opt('choose', of='metric=NAME')} "
                "takes one of them",
                metrics=names,
            )
        )
    return None


def _graded(case: Case, metric: str | None, options: ReadOptions) -> Graded:
    state, why = _state(case, metric, options)
    silent = None
    if case.output is not None and declined(options, case.output):
        silent = SAID_SO
    elif case.output is None or not case.output.strip():
        silent = EMPTY
    elif abstains({name: mark.score for name, mark in case.marks.items()}):
        silent = SAID_SO
    if silent:
        state, why = grading.outcome_of(state, silent)
    return Graded(
        case.run,
        case.question,
        state,
        why=why,
        strata=case.strata,
        where=case.where,
        path=case.path,
        scores={name: mark.score for name, mark in case.marks.items() if mark.score is not None},
        texts=case.texts,
    )


def _state(case: Case, metric: str | None, options: ReadOptions) -> tuple[int, str | None]:
    """Return the state of a case by one metric, or by all; not graded where only metrics that failed stand against
    it."""
    if metric is not None:
        mark = case.marks.get(metric)
        if mark is None:
            return NOT_GRADED, NO_SCORE
        least = grading.threshold(options)
        passed = mark.passed if least is None or mark.score is None else mark.score >= least
        return (NOT_GRADED, UNREAD) if passed is None else (CORRECT if passed else INCORRECT, None)
    deciding = [mark.passed for mark in case.marks.values() if not mark.flaky]
    if False in deciding:
        return INCORRECT, None
    if None in deciding:
        return NOT_GRADED, UNREAD
    if deciding:
        return CORRECT, None
    return (NOT_GRADED, NO_SCORE) if case.passed is None else (CORRECT if case.passed else INCORRECT, None)


# ---- the tool's own figures ----


def _against_counts(source: Source, cases: Sequence[Case]) -> list[Note]:
    """Note where the run's own counts of passed cases are not those of the cases in it."""
    if source.outline:  # whose counts stand at its end
        return []
    run = part_of(source.document, *_root(source))
    passed, failed = grading.number(run.get("testPassed")), grading.number(run.get("testFailed"))
    verdicts = [float(case.passed) for case in cases if case.passed is not None]
    if passed is None or failed is None or min(passed, failed) < 0 or not 0 < passed + failed < math.inf:
        return []
    return grading.compared(
        passed / (passed + failed), int(passed + failed), verdicts, "share of passed cases", source.name
    )


def _failed_metrics(cases: Sequence[Case], metric: str | None) -> Iterator[Note]:
    """Count the metrics that failed to say anything, which the tool counts as failed cases."""
    failed = [
        case
        for case in cases
        if any(m.passed is None and not m.flaky for name, m in case.marks.items() if metric in (None, name))
    ]
    if failed:
        yield note(
            "deepeval.failed_metrics",
            "{cases:n case} {cases:has/have} a metric that ended in an error or has no score, which says nothing "
            "about the answer; DeepEval counts {counted} of them as failed",
            cases=len(failed),
            counted=sum(case.passed is False for case in failed),
        )
