"""SWE-bench: the report of a run (`resolved_ids`, `unresolved_ids`, `empty_patch_ids`, …), the `report.json` of single
instances, and the older report of lists (`resolved`, `no_generation`).

A resolved instance is right and an unresolved one wrong. A submitted instance with an empty patch counts as incorrect
(`--empty`), as in the tool. Two kinds of instances are not graded. The first are those whose evaluation ended in an
error. The second are those whose tests failed because of the machine (`infra_failure_ids`, from SWE-bench 5 on), which
the tool counts as unresolved. A note counts those for which it cannot tell (`ambiguous_failure_ids`). An instance that
was not submitted (`incomplete_ids`) is missing, and `--missing` says how it counts: the tool divides by the submitted
instances, or by all. A run is named by its file (MODEL.RUN.json). A file of predictions (`model_patch`) has no
verdicts. The `results.json` of a submission to the leaderboard (`resolved`, `no_generation`, `no_logs`) lists no
unresolved instance. So nescio asks for the number of all instances (`--total N --rest incorrect`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.dropped import fewer_held
from nescio.data.outcomes import ABSENT, CORRECT, INCORRECT, NOT_GRADED, SILENT, Outcomes
from nescio.data.reasons import EMPTY, ERRORED, settle
from nescio.errors import FormatError, opt
from nescio.formats.answers import Answer
from nescio.formats.logs.kit import NO_SCORE, Log, checked, in_brackets, labels
from nescio.formats.logs.run_names import named, runs_in
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import as_list, identity, texts_in
from nescio.sources.source import Source, own_path
from nescio.tables.asking import AskedError, Way
from nescio.tables.rest import with_rest
from nescio.tables.trying import counts_of

COUNTS = ("resolved_instances", "submitted_instances", "total_instances")
NOT_SUBMITTED, MACHINE = "not submitted", "failed because of the machine"
# The lists of a report and their meaning for an instance. More specific ones come first, because an empty patch is also
# unresolved.
LISTS: tuple[tuple[str, int, str | None], ...] = (
    ("resolved_ids", CORRECT, None),
    ("empty_patch_ids", SILENT, EMPTY),
    ("infra_failure_ids", NOT_GRADED, MACHINE),
    ("error_ids", NOT_GRADED, ERRORED),
    ("unresolved_ids", INCORRECT, None),
    ("completed_ids", NOT_GRADED, NO_SCORE),
    ("incomplete_ids", ABSENT, NOT_SUBMITTED),
    ("submitted_ids", NOT_GRADED, NO_SCORE),
)
OLD_LISTS: tuple[tuple[str, int, str | None], ...] = (
    ("resolved", CORRECT, None),
    ("no_generation", SILENT, EMPTY),
    ("install_fail", NOT_GRADED, ERRORED),
    ("reset_failed", NOT_GRADED, ERRORED),
    ("test_errored", NOT_GRADED, ERRORED),
    ("test_timeout", NOT_GRADED, ERRORED),
    ("no_logs", NOT_GRADED, NO_SCORE),
    ("generated", INCORRECT, None),
)
# Lists of instances that are not resolved: not run, without a patch, or with a negative verdict or an error.
NOT_RESOLVED = {"empty_patch_ids", "error_ids", "unresolved_ids", "incomplete_ids", "no_generation", "no_logs"}
Lists = Sequence[tuple[str, int, str | None]]


class Instance(Struct):
    resolved: bool
    patch_exists: Any = None
    patch_is_None: Any = None  # noqa: N815
    infra_failure: Any = None


@reader(
    "swe_bench",
    about="a report of SWE-bench: resolved_ids, unresolved_ids, empty_patch_ids, or report.json of instances",
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every report as a run; the files of single instances in the folder RUN/MODEL form one run, named MODEL."""
    log = Log(parts, options)
    answers: list[Answer] = []
    reports = [source for part, source in parts if part in ("report", "lists", "attempts")]
    single = log.part("instances")
    if not reports and not single:
        rule = "predictions do not say which instances were resolved; give the report of run_evaluation"
        raise FormatError(log.label, rule)
    for source, run in named(reports, _name):
        report_answers = _listed(log, source, run, LISTS if source in log.part("report") else OLD_LISTS)
        _against_counts(log, source, report_answers, run)
        answers += report_answers
    runs = runs_in(single, _run_folder)
    for source in single:
        answers += _instances(log, source, runs[_run_folder(source)])
    if single and all(answer.why is None for answer in answers):
        log.say(
            "swe_bench.only_attempts",
            "all {n:n instance} {n:has/have} a patch, because their reports leave out instances without a "
            f"patch; {opt('total', of='N')} {opt('rest', 'incorrect')} counts the other instances of the benchmark",
            n=len(answers),
        )
    result = log.result(answers, keep=("repository",))
    lists = log.part("attempts")
    if not lists or not isinstance(result.data, Outcomes):
        return result
    if options.total is None:
        raise _how_many(lists[0], settle(result.data, options.no_answer)[0])
    if len(lists) == len(parts) and options.rest == "incorrect":  # as the tool counts what it does not list
        return replace(result, data=with_rest(result.data, lists[0], options.total, options.rest)[0])
    return result


def _how_many(source: Source, listed: Outcomes) -> AskedError:
    """Return the error that asks for the number of all instances, for a report that does not list the failures."""
    total, rest = len(listed.questions), "incorrect"
    rule = "the report does not list unresolved instances: how many instances are there in all? "
    rule += f"{opt('total', of='N')} {opt('rest', rest)} counts the instances that are in no list"
    way = Way({"total": total, "rest": rest}, *counts_of(with_rest(listed, source, total, rest)[0]))
    return AskedError.of_ways(str(source.label), rule, [way])


def _name(source: Source) -> str:
    """Return the name of a report's run: its stem, or the submission's folder for SUBMISSION/results/results.json."""
    folders = own_path(source.label).parts[1:-1]
    return folders[-2] if source.stem == "results" and folders[-1:] == ("results",) and folders[:-1] else source.stem


def _run_folder(source: Source) -> Path:
    """Return RUN/MODEL of the file RUN/MODEL/INSTANCE/report.json; of another file, its path without the suffix."""
    path = own_path(source.label)
    return path.parent.parent if source.stem == "report" else path.with_name(source.stem)


def _listed(log: Log, source: Source, run: str, lists: Lists) -> list[Answer]:
    """Return an answer for each instance in the lists of a report.

    An instance that several lists contain gets the state of the first of `lists` that contains it.
    """
    answers: dict[str, Answer] = {}
    for name, state, why in lists:
        ids = source.document.get(name)
        if ids is not None and not (
            isinstance(ids, list) and all(isinstance(instance, str) and instance for instance in ids)
        ):
            raise FormatError(source.label, f"{name} must be a list of names", value=ids)
        for instance in ids or ():
            before = answers.get(identity(instance))
            if name in NOT_RESOLVED and before is not None and before.state == CORRECT:
                rule = f"an instance cannot be both in {lists[0][0]} and in {name}"
                raise FormatError(source.label, rule, where=name, value=instance)
            answers.setdefault(identity(instance), _answer(log, source, run, instance, (state, why)))
    if not answers:
        counts = [f"{name.replace('_', ' ')} {source.document[name]}" for name in COUNTS if name in source.document]
        rule = (
            f"the file holds counts{in_brackets(counts)} but no instances; give a report of version 2 (resolved_ids, "
            "unresolved_ids, …) or the report.json of the instances"
        )
        raise FormatError(source.label, rule)
    return list(answers.values())


def _answer(log: Log, source: Source, run: str, name: str, graded: tuple[int, str | None]) -> Answer:
    repository = {"repository": name.rpartition("-")[0].replace("__", "/")} if "__" in name else {}
    state, why = graded
    strata = labels(repository, log.options)
    return Answer(run, identity(name), state, why=why, strata=strata, where=name, path=source.label)


def _instances(log: Log, source: Source, run: str) -> Iterator[Answer]:
    for name, row in source.document.items():
        report = checked(Instance, row, source, name)
        graded: tuple[int, str | None] = (CORRECT if report.resolved else INCORRECT, None)
        if report.patch_is_None is True or report.patch_exists is False:
            graded = SILENT, EMPTY
        elif report.infra_failure is True and not report.resolved:
            graded = NOT_GRADED, MACHINE
        yield _answer(log, source, run, name, graded)


def _against_counts(log: Log, source: Source, answers: Sequence[Answer], run: str) -> None:
    """Add notes on the counts of a report that differ from the lengths of its lists, and on instances in no list.

    If instances are missing, in no list, or without a patch, the note gives the tool's shares of resolved instances: of
    all instances, and of those submitted.
    """
    report: Mapping[str, Any] = source.document
    states = [answer.state for answer in answers]
    resolved, silent, missing = states.count(CORRECT), states.count(SILENT), states.count(ABSENT)
    listed = {name.removesuffix("_ids"): report[name] for name, *_ in LISTS if isinstance(report.get(name), list)}
    counted = {f"{name}_instances": len({*ids}) for name, ids in listed.items()} | {"resolved_instances": resolved}
    for name, many in counted.items():
        deciding = name == "resolved_instances"
        log.total(source.name, name, report.get(name), (many,), runs=(run,), deciding=deciding)
    unlisted = max((report[name] for name in COUNTS[1:] if isinstance(report.get(name), int)), default=0) - len(answers)
    shares = [
        (f"{resolved}/{report[name]}", name.split("_")[0]) for name in COUNTS[1:] if isinstance(report.get(name), int)
    ]
    if unlisted > 0:
        log.notes.append(fewer_held(source.name, [run], unlisted + len(answers), len(answers)))
        log.say(
            "swe_bench.unlisted",
            "run {subject!r}: {unlisted:n instance} {unlisted:is/are} in no list, so {unlisted:its outcome "
            "is/their outcomes are} unknown; the tool's shares of resolved instances are {shares:each %s (%s)}; "
            f"{opt('total', of='N')} {opt('rest', 'incorrect')} counts {{unlisted:it/them}} as incorrect",
            run,
            unlisted=unlisted,
            shares=shares,
        )
    elif shares and (silent or missing):
        log.say(
            "swe_bench.shares",
            "run {subject!r}: {silent} patches are empty, and {missing} instances were not submitted; the tool's "
            "shares of resolved instances are {shares:each %s (%s)}",
            run,
            silent=silent,
            missing=missing,
            shares=shares,
        )
    unsure = {identity(answer) for answer in texts_in(as_list(report.get("ambiguous_failure_ids")))}
    unsure &= {answer.question for answer in answers if answer.state == INCORRECT}
    if unsure:
        log.say(
            "swe_bench.unsure",
            "run {subject!r}: according to the tool, {unsure:n unresolved instance} may have failed because of the "
            "machine, not the patch; {unsure:it counts/they count} as incorrect",
            run,
            unsure=len(unsure),
        )
