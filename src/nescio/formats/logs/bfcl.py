"""BFCL (Berkeley Function-Calling Leaderboard): `BFCL_v4_<category>_score.json`, one file per category and model, with
or without the outputs in `BFCL_v4_<category>_result.json`.

A score file begins with counts and lists only the failures, so every question that it does not list is right. Outputs,
if given (`result/<model>` beside `score/<model>`), name these questions. Otherwise their number comes from the counts,
and two runs are paired by the failures of both. A run is a model, and its categories are a stratum. A category with
outputs but without scores is lost.

In the categories `irrelevance` no function fits, so the questions have no answer: a call is wrong and no call is right.
BFCL also counts an output as right there if it could not parse it. nescio distinguishes four cases. An unparsed output
meant as a call counts as incorrect (`--unparsed`). An empty output counts as incorrect (`--empty`). An output in words
is an abstention, even if the words mention a call. An empty list, BFCL's sign for no call, is an abstention. In the
other categories the empty list is an abstention. There an output that could not be parsed is incorrect (`--unparsed`),
and a failed inference is not graded.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from nescio.data.changed_questions import words_digest
from nescio.data.dropped import fewer_held
from nescio.data.kept import WITH_OPTIONS
from nescio.data.reasons import EMPTY, ERRORED, NO_FORM, UNSEEN
from nescio.errors import FormatError, MismatchError, offer
from nescio.formats.answers import Answer
from nescio.formats.logs.kit import Log, checked, empty, settle
from nescio.formats.logs.run_names import runs_in
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import as_list, as_object, identifier, identity, number, part_of
from nescio.sources.json_lines import json_lines
from nescio.sources.source import Source, own_path

NO_CALL = "made no function call"
NO_FUNCTION_FITS = "irrelevance"  # is part of the name of these categories
_NAME = re.compile(r"(?:BFCL_v\d+_)?(?P<category>.+?)_(?:score|result)")
_GROUPS = {"live", "non_live", "multi_turn", "agentic", "format_sensitivity"}  # folders between a model and its files
_UNPARSED = ("decoder_failed", "decoder_wrong_output_format")  # the endings of these error types
_FAILED_INFERENCE = "Error during inference"
_NO_CALLS: tuple[Any, ...] = ([], "[]")  # outputs that BFCL's decoder reads as no calls
# An output is meant as a call if it has one of three forms: `name(key=` or `name()` at the start of a line or list with
# no words after it (BFCL's decoder reads no sentences); a JSON object with a name and its arguments; a model's own
# mark.
_CALL = re.compile(
    r"(?m)(?:^[\s`'\"]*|\[\s*)[A-Za-z_][\w.]*\(\s*(?:\)|[A-Za-z_]\w*\s*=)(?!.*\)\s+[A-Za-z]+\s+[A-Za-z])"
    r'|"name"\s*:[^{}]*"(?:arguments|parameters)"\s*:'
    r"|<\|?(?:tool_call|function|python_tag)"
)


class Sheet(Struct, frozen=True):
    """The scores of a run in one category.

    `total` is the number of questions. `failures` holds the rows of the file with their places, keyed by question id.
    `outputs` holds the model's outputs, keyed by the same ids; it is None without a result file.
    """

    path: Path
    run: str
    category: str
    total: int
    failures: Mapping[str, tuple[Mapping[str, Any], str]]
    outputs: Mapping[str, Any] | None


class Counts(Struct):
    total_count: Annotated[int, Meta(ge=1, description="a whole number above 0")]
    correct_count: Any


def recognise(source: Source) -> str | None:
    """Recognise scores by a first object that has only counts, with failures by `id` below it; outputs by their keys,
    or by a failed inference."""
    if {"id", "result"} <= {*source.columns}:
        known = "input_token_count" in source.columns or _failed(part_of(source.first, "result"))
        return "outputs" if known else None
    if {*source.columns} != {"accuracy", "correct_count", "total_count"}:
        return None
    lines = json_lines(source, lenient=True) if source.kind == "lines" else iter(())
    with suppress(FormatError):
        failure, _ = next(islice(lines, 1, None), ({"id": None, "error_type": None}, 0))
        return "scores" if "id" in failure and {"valid", "error", "error_type"} & failure.keys() else None
    return "scores"


@reader(
    "bfcl",
    recognise=recognise,
    about="scores of BFCL (*_score.json: correct_count, total_count, then the failures), with or without *_result.json",
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every category of every model; the categories of a model form one run."""
    log = Log(parts, options)
    scores, outputs = log.part("scores"), log.part("outputs")
    if not scores:
        rule = (
            "outputs of BFCL do not say whether they are right; give the *_score.json of the "
            f"category{offer('beside', '*_score.json')}"
        )
        raise FormatError(log.label, rule)
    runs = runs_in(scores, _model_folder)
    categories: dict[str, list[Sheet]] = defaultdict(list)
    for source in scores:
        sheet = _sheet(source, runs[_model_folder(source)], _of_one_kind(source, scores), outputs)
        right = sheet.total - len(sheet.failures)
        accuracy = as_object(source.first).get("accuracy")
        log.total(source.name, "accuracy", accuracy, (right / sheet.total,), runs=(sheet.run,))
        categories[sheet.category].append(sheet)
    _say_ungraded(log, scores, outputs, runs)
    answers = [log.take(answer) for same in categories.values() for answer in _category(log, same)]
    for answer in answers:
        settle(answer, answer.right)
    return log.result(answers, keep=("category",))


# ---- files and runs ----


def _sheet(source: Source, run: str, alike: Sequence[Source], outputs: Sequence[Source]) -> Sheet:
    """Return the scores in a file; `alike` are all files of scores of this model and category."""
    lines = ((row, f"line {line}") for row, line in json_lines(source, lenient=True))
    first, where = next(lines)
    counts = checked(Counts, first, source, where)
    failures: dict[str, tuple[Mapping[str, Any], str]] = {}
    for row, where in lines:
        name = identity(identifier(row, "id", source.label, where))
        if name in failures:
            raise FormatError(source.label, f"question {name!r} appears twice", where=where)
        failures[name] = row, where
    if number(counts.correct_count) != counts.total_count - len(failures):
        rule = (
            f"the file counts {counts.correct_count} right answers of {counts.total_count}, but lists "
            f"{len(failures)} failures: it is cut off, or lists other answers too"
        )
        raise FormatError(source.label, rule)
    model_outputs, category = _outputs_of(source, alike, outputs), _category_of(source)
    return Sheet(Path(source.label), run, category, counts.total_count, failures, model_outputs)


def _say_ungraded(log: Log, scores: Sequence[Source], outputs: Sequence[Source], runs: Mapping[Path, str]) -> None:
    """Add a note on each file of outputs in a category for which the run has no scores."""
    for source in outputs:
        category = _category_of(source)
        names = [run for folder, run in runs.items() if (folder.parent.parent, folder.name) == _kind(source)[:2]]
        if not names:
            log.say_stray([str(source.label)])
        elif not _of_one_kind(source, scores):
            given = sum(1 for _ in json_lines(source, lenient=True))
            log.notes.append(fewer_held(source.name, names, given, 0, f" to {category}", tasks=[category]))


def _model_folder(source: Source) -> Path:
    """Return the folder of the model in the path of a score file, score/MODEL/live/FILE or score/MODEL/FILE."""
    folder = own_path(source.label).parent
    return folder.parent if folder.name in _GROUPS else folder


def _category_of(source: Source) -> str:
    named = _NAME.fullmatch(source.stem)
    return named["category"] if named else source.stem


def _of_one_kind(like: Source, sources: Sequence[Source]) -> list[Source]:
    """Return the files of the same model and category as the file `like`, below the same folder."""
    return [source for source in sources if _kind(source) == _kind(like)]


def _kind(source: Source) -> tuple[Path, str, str]:
    """Return the folder above `score` or `result` in the path of a file, its model and its category."""
    model = _model_folder(source)
    return model.parent.parent, model.name, _category_of(source)


def _outputs_of(scores: Source, alike: Sequence[Source], outputs: Sequence[Source]) -> Mapping[str, Any] | None:
    """Return the model's outputs for the model and the category of the file `scores`, keyed by the question's id.

    If several files of scores (`alike`) or of outputs have this model and category, the outputs are those whose path
    equals that of `scores` with "result" in place of "score". The result is None if no file fits.
    """
    same = _of_one_kind(scores, outputs)
    if len(same) > 1 or len(alike) > 1:
        wanted = str(own_path(scores.label)).replace("score", "result")
        same = [source for source in same if str(own_path(source.label)) == wanted]
    if len(same) != 1:
        return None
    held: dict[str, Any] = {}
    for row, n in json_lines(same[0], lenient=True):
        name = identity(identifier(row, "id", same[0].label, f"line {n}"))
        if held.setdefault(name, row.get("result")) != row.get("result"):
            raise FormatError(same[0].label, f"question {name!r} appears twice", where=f"line {n}")
    return held


# ---- outcomes ----


def _category(log: Log, sheets: Sequence[Sheet]) -> Iterator[Answer]:
    """Yield the answers of all runs in one category.

    BFCL's files of scores name only the failures. So a question that no such file names is right in all runs.
    """
    category, totals = sheets[0].category, {sheet.total for sheet in sheets}
    if len(totals) > 1 and any(sheet.outputs is None for sheet in sheets):
        counts = ", ".join(f"{sheet.total} ({sheet.run})" for sheet in sheets)
        raise MismatchError(
            f"the runs have different numbers of questions in {category}: {counts}. Their score files name only "
            "failures; give the *_result.json of each run too"
        )
    names = list(dict.fromkeys(name for sheet in sheets for name in [*sheet.failures, *(sheet.outputs or {})]))
    if fewer := next((sheet for sheet in sheets if sheet.outputs is None and sheet.total < len(names)), None):
        raise MismatchError(
            f"the files of {category} name {len(names)} questions, but {fewer.run} was asked {fewer.total}, so the "
            "runs were asked other questions; give the *_result.json of each run too"
        )
    names += [f"{category}, not listed {i}" for i in range(1, max(totals) - len(names) + 1)]
    for sheet in sheets:
        if sheet.outputs is not None and len(sheet.outputs) != sheet.total:
            rule = f"the score file counts {sheet.total} answers, but the file of outputs holds {len(sheet.outputs)}"
            raise FormatError(sheet.path, rule)
        if sheet.outputs is not None and (lost := [name for name in sheet.failures if name not in sheet.outputs]):
            rule = "the score file lists a failure whose output the file of outputs lacks"
            raise FormatError(sheet.path, rule, value=lost[0])
        answers = [_answer(sheet, name) for name in (sheet.outputs or names)]
        _say_unparsed(log, sheet, answers)
        yield from answers


def _answer(sheet: Sheet, name: str) -> Answer:
    listed, where = sheet.failures.get(name, (None, None))
    failure, answerable = as_object(listed), NO_FUNCTION_FITS not in sheet.category
    output = failure.get("model_result", failure.get("model_result_raw", part_of(sheet.outputs, name)))
    kind = str(failure.get("error_type") or part_of(failure, "error", "error_type") or "")
    prompt = failure.get("prompt")
    answer = Answer(
        sheet.run,
        name,
        labels={"category": sheet.category},
        where=where,
        path=sheet.path,
        answerable=int(answerable),
        asked=part_of(prompt, "question") if isinstance(prompt, dict) else prompt,
        gold=failure.get("possible_answer"),
        answer=output,
        reason=failure.get("error"),
        unlisted=listed is None,
    )
    if isinstance(prompt, dict):  # The functions that may be called are a part of the question.
        answer.words = words_digest([answer.asked, *as_list(prompt.get("function"))], answer.gold)
        answer.words += b"bfcl" + WITH_OPTIONS if prompt.get("function") else b""
    failed = kind.endswith("inference_error") or _failed(output)
    if failed and not (listed is None and answerable):
        answer.ungraded = ERRORED
    elif listed is None and answerable:
        answer.right = True
    elif listed is None:  # BFCL counts it as right because it found no call.
        answer.silent = UNSEEN if sheet.outputs is None else None
        answer.nothing = _why_no_call(output, NO_FORM if _is_to_be_a_call(output) else NO_CALL)
    elif answerable and kind.endswith(_UNPARSED):
        answer.nothing = _why_no_call(output, NO_FORM)
    else:
        answer.right = False
    return answer


def _failed(output: Any) -> bool:
    return isinstance(output, str) and output.startswith(_FAILED_INFERENCE)


def _why_no_call(output: Any, other: str) -> str:
    """Return the reason why an output has no parsed call: NO_CALL, EMPTY, or `other`."""
    return NO_CALL if output in _NO_CALLS else empty(output) or other


def _is_to_be_a_call(output: Any) -> bool:
    """Return whether an unparsed output is meant as a call: an object, or a text with the marks of a call."""
    if isinstance(output, list):  # a list of calls, or an answer in parts as some models give it
        return any(map(_is_to_be_a_call, output))
    return _CALL.search(output) is not None if isinstance(output, str) else bool(output)


def _say_unparsed(log: Log, sheet: Sheet, answers: Sequence[Answer]) -> None:
    """Add notes on answers that BFCL counts as right only because they call no function, where no function fits.

    They count the answers that look like a call which BFCL could not parse, and the empty answers.
    """
    right = Counter(answer.silent or answer.nothing for answer in answers if answer.question not in sheet.failures)
    if right[NO_FORM]:
        log.say(
            "bfcl.unparsed_calls",
            "run {subject!r}, {category}: {n} of the {of} answers that are right according to BFCL {n:looks/look} "
            "like a call that BFCL could not parse; {n:it counts/they count} as unparsed",
            sheet.run,
            category=sheet.category,
            n=right[NO_FORM],
            of=len(answers) - len(sheet.failures),
        )
    if right[EMPTY]:
        log.say(
            "bfcl.empty",
            "run {subject!r}, {category}: {n} of the {of} answers that are right according to BFCL {n:is/are} empty "
            "and {n:counts/count} as empty, not as declined",
            sheet.run,
            category=sheet.category,
            n=right[EMPTY],
            of=len(answers) - len(sheet.failures),
        )
    if right[UNSEEN]:
        log.say(
            "bfcl.unseen",
            "run {subject!r}, {category}: BFCL also counts unparsed outputs as right; give the *_result.json, "
            "because it distinguishes unparsed outputs from outputs without a call",
            sheet.run,
            category=sheet.category,
        )
