"""SWE-bench: the report of a run (`resolved_ids`, `unresolved_ids`, `empty_patch_ids`, …), the `report.json` of single
instances, and the older report of lists (`resolved`, `no_generation`).

A resolved instance is right and an unresolved one wrong. An empty patch counts as incorrect (`--empty`), as in the
tool, where it is a submitted instance that was not resolved; an instance whose evaluation ended in an error is not
graded, and neither is one whose tests failed because of the machine (`infra_failure_ids`, from SWE-bench 5 on), which
the tool counts as unresolved; a note counts those for which it cannot tell (`ambiguous_failure_ids`). One that was not
submitted (`incomplete_ids`) is missing, and `--missing` says how it counts: the tool's share of resolved instances is
over the submitted ones, or over all of them. A run is named by its file (MODEL.RUN.json). A file of predictions
(`model_patch`) has no verdicts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nescio.data.notes import Note, note
from nescio.data.outcomes import ABSENT, CORRECT, INCORRECT, NOT_GRADED, SILENT
from nescio.data.reasons import EMPTY, ERRORED
from nescio.errors import FormatError, opt
from nescio.formats.logs.graded import Graded, outcomes_of
from nescio.formats.logs.grading import NO_SCORE, identity, in_brackets, labels, number, place, run_names
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.formats.totals import Total, contradictions
from nescio.sources.elements import as_list, texts_in
from nescio.sources.source import Source, own_path

COUNTS = {"submitted_instances", "resolved_instances", "total_instances"}
INSTANCE = {"resolved", "patch_exists"}
OF_LISTS = {"resolved", "no_generation", "generated"}
PREDICTION = {"instance_id", "model_patch"}
NOT_SUBMITTED, MACHINE = "not submitted", "failed by the machine"
# The lists of a report and what they say of an instance, the more telling ones first: an empty patch is unresolved too.
LISTS: tuple[tuple[str, int, str | None], ...] = (
    ("resolved_ids", CORRECT, None),
    ("empty_patch_ids", SILENT, EMPTY),
    ("infra_failure_ids", NOT_GRADED, MACHINE),
    ("error_ids", NOT_GRADED, ERRORED),
    ("unresolved_ids", INCORRECT, None),
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
Lists = Sequence[tuple[str, int, str | None]]


def recognise(source: Source) -> str | None:
    """Recognise a document of `resolved_instances`, and `submitted_instances` or `total_instances`; one of instances
    that say `resolved` and `patch_exists`; one of the lists `resolved`, `no_generation`, `generated`; or predictions
    with `instance_id` and `model_patch`."""
    columns = {*source.columns}
    if columns >= PREDICTION and (source.kind in ("lines", "parquet") or isinstance(source.document, list)):
        return "predictions"
    if source.kind != "document" or not isinstance(source.document, dict):
        return None
    if "resolved_instances" in columns and len(columns & COUNTS) > 1:
        return "report"
    if columns >= OF_LISTS and all(isinstance(source.document[name], list) for name in OF_LISTS):
        return "lists"
    values = list(source.document.values())
    known = values and all(isinstance(value, dict) and {*value} >= INSTANCE for value in values)
    return "instances" if known else None


@reader(
    "swe_bench",
    about="a report of SWE-bench: resolved_ids, unresolved_ids, empty_patch_ids, or report.json of instances",
    recognise=recognise,
    sniff_keys={
        **dict.fromkeys(("lines", "parquet", "list"), ("model_patch",)),
        "object": ("resolved_instances", "resolved"),
        "objects": (),
    },
    files=("run_evaluation/*/*/*/report.json",),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every report as a run; the files of single instances are one."""
    notes: list[Note] = []
    rows: list[Graded] = []
    reports = [(part, source) for part, source in parts if part in ("report", "lists")]
    single = [source for part, source in parts if part == "instances"]
    if not reports and not single:
        rule = "these are predictions, which do not say what they resolve: the report of run_evaluation does"
        raise FormatError(parts[0][1].label, rule)
    names = run_names([(source.stem, place(Path(source.label))) for _, source in reports])
    for (part, source), run in zip(reports, names, strict=True):
        rows += _listed(source, run, LISTS if part == "report" else OLD_LISTS, options)
        notes += _against_counts(source, rows, run)
    for source in single:
        rows += _instances(source, _run_of(source), options)
    tried = [row for row in rows if row.why is None]
    if single and len(tried) == len(rows):
        notes.append(
            note(
                "swe_bench.only_attempts",
                "all {n:n instance} here {n:has/have} a patch: an instance without one is in no such file; "
                f"{opt('total', of='N')} {opt('rest', 'incorrect')} counts those of the benchmark that are missing",
                n=len(rows),
            )
        )
    data = outcomes_of(rows, parts[0][1].label, options, notes)
    return ReadResult(data, tuple(notes))


def _run_of(source: Source) -> str:
    """Return the run of an instance's report, which lies in RUN/MODEL/INSTANCE/report.json; or the file's own name."""
    folders = own_path(source.label).parent
    return folders.parent.name or source.stem if source.stem == "report" else source.stem


def _listed(source: Source, run: str, lists: Lists, options: ReadOptions) -> list[Graded]:
    """Return the instances that the lists of a report name, each by the most telling of its lists."""
    graded: dict[str, Graded] = {}
    for name, state, why in lists:
        ids = source.document.get(name)
        if ids is None:
            continue
        if not isinstance(ids, list) or not all(isinstance(one, str) and one for one in ids):
            raise FormatError(source.label, f"{name} must be a list of names", value=ids)
        for one in ids:
            graded.setdefault(identity(one), _row(source, run, one, (state, why), options))
    if not graded:
        counts = [f"{name.replace('_', ' ')} {source.document[name]}" for name in sorted(COUNTS & {*source.document})]
        rule = (
            f"it holds counts{in_brackets(counts)} and no instances: a report of version 2 lists them in resolved_ids, "
            "unresolved_ids and others, as do the report.json of the instances"
        )
        raise FormatError(source.label, rule)
    return list(graded.values())


def _row(source: Source, run: str, name: str, graded: tuple[int, str | None], options: ReadOptions) -> Graded:
    state, why = graded
    repository = name.rpartition("-")[0].replace("__", "/")
    strata = labels({"repository": repository}, options) if "__" in name else {}
    return Graded(run, identity(name), state, why=why, strata=strata, where=name, path=source.label)


def _instances(source: Source, run: str, options: ReadOptions) -> Iterator[Graded]:
    for name, report in source.document.items():
        resolved = report["resolved"]
        if not isinstance(resolved, bool):
            raise FormatError(source.label, "resolved must be true or false", where=name, value=resolved)
        empty = report.get("patch_is_None") is True or report["patch_exists"] is False
        graded = (SILENT, EMPTY) if empty else (CORRECT if resolved else INCORRECT, None)
        if report.get("infra_failure") is True and not resolved and not empty:
            graded = NOT_GRADED, MACHINE
        yield _row(source, run, name, graded, options)


def _against_counts(source: Source, rows: Sequence[Graded], run: str) -> Iterator[Note]:
    """Say which shares the tool gives of a report, whose counts are over different instances; and note where its counts
    are not those of its lists."""
    own: Mapping[str, Any] = source.document
    graded = [row for row in rows if row.run == run]
    resolved = sum(row.state == CORRECT for row in graded)
    counts = {name: own[name] for name in ("submitted_instances", "total_instances") if isinstance(own.get(name), int)}
    listed = {name.removesuffix("_ids"): own[name] for name, _, _ in LISTS if isinstance(own.get(name), list)}
    counted = {f"{name}_instances": len({*ids}) for name, ids in listed.items()}
    counted["resolved_instances"] = resolved
    yield from contradictions(
        Total(source.name, name, number(own.get(name)), (many,)) for name, many in counted.items()
    )
    silent = sum(row.state == SILENT for row in graded)
    missing = sum(row.state == ABSENT for row in graded)
    if counts and (silent or missing):
        shares = [(f"{resolved}/{of}", name.split("_", maxsplit=1)[0]) for name, of in counts.items()]
        yield note(
            "swe_bench.shares",
            "run {subject!r}: {silent} patches are empty, and {missing} instances were not submitted; the tool's "
            "shares of resolved instances are {shares:each %s (%s)}",
            run,
            silent=silent,
            missing=missing,
            shares=shares,
        )
    unsure = {identity(one) for one in texts_in(as_list(own.get("ambiguous_failure_ids")))}
    unsure &= {row.question for row in graded if row.state == INCORRECT}
    if unsure:
        yield note(
            "swe_bench.unsure",
            "run {subject!r}: {unsure:n unresolved instance} may have failed because of the machine and not the patch, "
            "according to the tool: counted as incorrect",
            run,
            unsure=len(unsure),
        )
