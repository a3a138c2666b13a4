"""BFCL (Berkeley Function-Calling Leaderboard): `BFCL_v4_<category>_score.json`, one file per category and model, with
or without the outputs in `BFCL_v4_<category>_result.json`.

A score file begins with counts and lists only the failures, so every question that it does not list is right. Where
outputs are given they name these questions; otherwise their number comes from the counts, and two runs are paired by
the failures of both. A run is a model, and its categories are a stratum.

In the categories `irrelevance` no function fits, so the questions have no answer: a call is wrong and no call is right.
BFCL also calls an output right there if it could not parse it. An output that looks like a call counts as unparsed
(`--unparsed`) and not as silence. Elsewhere an output without a function call is silence, one that could not be parsed
is incorrect (`--unparsed`), and a failed inference is not graded.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SAID_SO, SILENT
from nescio.data.reasons import ERRORED, NO_FORM
from nescio.data.texts import AnswerTexts, texts_of
from nescio.errors import FormatError, MismatchError, offer
from nescio.formats.logs.graded import Graded, declined
from nescio.formats.logs.grading import identity, labels, number, place, result_of, run_names
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import as_object, identifier, part_of
from nescio.sources.source import Source, own_path
from nescio.sources.tables import json_lines

COUNTS = {"accuracy", "correct_count", "total_count"}
OUTPUT = {"id", "result", "input_token_count", "output_token_count"}
NO_CALL = "made no function call"
UNSEEN = "right by BFCL, its output is not given"
NO_FUNCTION_FITS = "irrelevance"  # the categories with this in their name
_NAME = re.compile(r"(?:BFCL_v\d+_)?(?P<category>.+?)_(?:score|result)")
_GROUPS = {"live", "non_live", "multi_turn", "agentic", "format_sensitivity"}  # folders between a model and its files
_UNPARSED = ("decoder_failed", "decoder_wrong_output_format")  # how the error types end
_FAILED_INFERENCE = "Error during inference"
# Signs of a call in a text: `name(key=`, `name()`, a JSON object with a name and its arguments, a model's own mark.
_CALL = re.compile(
    r"\b[A-Za-z_][\w.]*\(\s*(?:\)|[A-Za-z_]\w*\s*=)"
    r'|"name"\s*:[^{}]*"(?:arguments|parameters)"\s*:'
    r"|<\|?(?:tool_call|function|python_tag)"
)


class Sheet(Struct, frozen=True):
    """The scores of a run in one category.

    `total` counts the questions. `failures` holds the rows of the file by the ids of their questions, with their
    places, and `outputs` what the model wrote, by the same ids; it is None without a result file."""

    path: Path
    run: str
    category: str
    total: int
    failures: Mapping[str, tuple[Mapping[str, Any], str]]
    outputs: Mapping[str, Any] | None


def recognise(source: Source) -> str | None:
    """Recognise JSON Lines that begin with `accuracy`, `correct_count`, `total_count`; or the outputs of a model with
    `id`, `result` and the counts of tokens."""
    columns = {*source.columns}
    if source.kind == "lines" or isinstance(source.document, dict):  # a single line is a document
        return "scores" if columns >= COUNTS else "outputs" if columns >= OUTPUT else None
    return None


@reader(
    "bfcl",
    about="scores of BFCL (*_score.json: correct_count, total_count, then the failures), with or without *_result.json",
    recognise=recognise,
    sniff_keys=dict.fromkeys(("lines", "object"), ("correct_count", "result")),
    files=("BFCL_*_score.json", "BFCL_*_result.json"),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every category of every model; the categories of a model are one run."""
    notes: list[Note] = []
    scores = [source for part, source in parts if part == "scores"]
    outputs = [source for part, source in parts if part == "outputs"]
    if not scores:
        rule = (
            "these are outputs of BFCL, which do not say whether they are right; give the *_score.json of the category"
            f"{offer('beside', '*_score.json')}"
        )
        raise FormatError(outputs[0].label, rule)
    sheets = _sheets(scores, outputs)
    categories: dict[str, list[Sheet]] = defaultdict(list)
    for sheet in sheets:
        categories[sheet.category].append(sheet)
    rows = [row for same in categories.values() for row in _category(same, options, notes)]
    return result_of(rows, scores[0].label, options, notes, keep=("category",))


# ---- files and runs ----


def _sheets(scores: Sequence[Source], outputs: Sequence[Source]) -> list[Sheet]:
    models = {source.label: _model_folder(source) for source in scores}
    folders = list(dict.fromkeys(models.values()))
    names = dict(zip(folders, run_names([(folder.name or "run", place(folder)) for folder in folders]), strict=True))
    sheets = []
    for source in scores:
        lines = json_lines(source, lenient=True)
        counts, _ = next(lines)
        total = counts["total_count"]
        if isinstance(total, bool) or not isinstance(total, int) or total < 1:
            raise FormatError(source.label, "total_count must be a whole number above 0", where="line 1", value=total)
        failures: dict[str, tuple[Mapping[str, Any], str]] = {}
        for row, line in lines:
            name = identity(identifier(row, "id", source.label, line))
            if name in failures:
                raise FormatError(source.label, f"question {name!r} appears twice", where=f"line {line}")
            failures[name] = row, f"line {line}"
        right = number(counts["correct_count"])
        if right != total - len(failures):
            rule = (
                f"it counts {counts['correct_count']} right answers of {total}, and lists {len(failures)} failures: "
                "the file is cut off, or lists more than failures"
            )
            raise FormatError(source.label, rule)
        own = _outputs_of(source, outputs)
        run, category = names[models[source.label]], _category_of(source)
        sheets.append(Sheet(Path(source.label), run, category, total, failures, own))
    return sheets


def _model_folder(source: Source) -> Path:
    """Return the folder of the model: score/MODEL/live/FILE, or score/MODEL/FILE."""
    folder = own_path(source.label).parent
    return folder.parent if folder.name in _GROUPS else folder


def _category_of(source: Source) -> str:
    named = _NAME.fullmatch(source.stem)
    return named["category"] if named else source.stem


def _outputs_of(scores: Source, outputs: Sequence[Source]) -> Mapping[str, Any] | None:
    """Return the outputs of the model in the category, by their ids: of several files the one at the same place."""
    model, category = _model_folder(scores).name, _category_of(scores)
    same = [source for source in outputs if (_model_folder(source).name, _category_of(source)) == (model, category)]
    if len(same) > 1:
        wanted = str(own_path(scores.label)).replace("score", "result")
        same = [source for source in same if str(own_path(source.label)) == wanted]
    if len(same) != 1:
        return None
    rows = json_lines(same[0], lenient=True)
    return {identity(identifier(row, "id", same[0].label, line)): row.get("result") for row, line in rows}


# ---- outcomes ----


def _category(sheets: Sequence[Sheet], options: ReadOptions, notes: list[Note]) -> Iterator[Graded]:
    """Yield the answers of all runs in one category; a question that no file names is right in all of them."""
    category, totals = sheets[0].category, {sheet.total for sheet in sheets}
    if len(totals) > 1 and any(sheet.outputs is None for sheet in sheets):
        counts = ", ".join(f"{sheet.total} ({sheet.run})" for sheet in sheets)
        raise MismatchError(
            f"the runs have different numbers of questions in {category}: {counts}. Their score files name only "
            "failures; give the *_result.json of each run too"
        )
    named = dict.fromkeys(name for sheet in sheets for name in [*sheet.failures, *(sheet.outputs or {})])
    unnamed = [f"{category}, not listed {i}" for i in range(1, max(totals) - len(named) + 1)]
    for sheet in sheets:
        if sheet.outputs is not None and len(sheet.outputs) != sheet.total:
            rule = f"it counts {sheet.total} answers, and the file of outputs holds {len(sheet.outputs)}"
            raise FormatError(sheet.path, rule)
        rows = [_row(sheet, name, options) for name in (sheet.outputs or [*named, *unnamed])]
        notes += _notes(sheet, rows)
        yield from rows


def _row(sheet: Sheet, name: str, options: ReadOptions) -> Graded:
    failure, where = sheet.failures.get(name, (None, None))
    output = part_of(sheet.outputs, name) if failure is None else _output(failure)
    answerable = NO_FUNCTION_FITS not in sheet.category
    if failure is None and answerable:
        state, why = CORRECT, None
    elif failure is None:
        state, why = _right_silence(sheet, output)
    else:
        state, why = _failed(failure, output, options, answerable=answerable)
    return Graded(
        sheet.run,
        name,
        state,
        why=why,
        strata=labels({"category": sheet.category}, options),
        where=where,
        path=sheet.path,
        answerable=int(answerable),
        texts=_words(as_object(failure), output) if options.texts else None,
    )


def _right_silence(sheet: Sheet, output: Any) -> tuple[int, str]:
    """Return the outcome of an output that BFCL calls right because it found no call in it."""
    if sheet.outputs is None:
        return SILENT, UNSEEN
    if isinstance(output, str) and output.startswith(_FAILED_INFERENCE):
        return NOT_GRADED, ERRORED
    return SILENT, NO_FORM if _looks_like_a_call(output) else NO_CALL


def _failed(
    failure: Mapping[str, Any], output: Any, options: ReadOptions, *, answerable: bool
) -> tuple[int, str | None]:
    """Return the outcome of an output that BFCL calls wrong."""
    kind = str(failure.get("error_type") or part_of(failure, "error", "error_type") or "")
    if kind.endswith("inference_error") or (isinstance(output, str) and output.startswith(_FAILED_INFERENCE)):
        return NOT_GRADED, ERRORED
    if not answerable or not kind.endswith(_UNPARSED):
        return INCORRECT, None
    if isinstance(output, str) and declined(options, output):
        return SILENT, SAID_SO
    return SILENT, NO_FORM if output not in (None, [], "", "[]") else NO_CALL


def _output(failure: Mapping[str, Any]) -> Any:
    return failure.get("model_result", failure.get("model_result_raw"))


def _looks_like_a_call(output: Any) -> bool:
    """Say whether an output without a call that could be parsed was to be one: a list of calls, or a text with the
    signs of one."""
    if isinstance(output, str):
        return _CALL.search(output) is not None
    return bool(output)


def _words(failure: Mapping[str, Any], output: Any) -> AnswerTexts:
    prompt = failure.get("prompt")
    return texts_of(
        part_of(prompt, "question") if isinstance(prompt, dict) else prompt,
        [failure.get("possible_answer")],
        output,
        reason=failure.get("error"),
    )


def _notes(sheet: Sheet, rows: Sequence[Graded]) -> Iterator[Note]:
    """Say which outputs BFCL calls right on questions that no function fits, though they look like a call, or though
    nobody can see them."""
    right = Counter(row.why for row in rows if row.question not in sheet.failures and row.why)
    if right[NO_FORM]:
        yield note(
            "bfcl.unparsed_calls",
            "run {subject!r}, {category}: {n} of the {of} answers that BFCL calls right look like a call that it could "
            "not parse; they count as unparsed",
            sheet.run,
            category=sheet.category,
            n=right[NO_FORM],
            of=right.total(),
        )
    if right[UNSEEN]:
        yield note(
            "bfcl.unseen",
            "run {subject!r}, {category}: BFCL also calls an output right that it could not parse; give the "
            "*_result.json to tell such a call from none",
            sheet.run,
            category=sheet.category,
        )
