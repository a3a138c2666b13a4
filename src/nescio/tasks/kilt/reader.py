"""KILT: gold.jsonl and runs/NAME.jsonl, lines of `id`, `input` and `output`.

Only the first of several outputs is an answer. An empty one, or none, counts as incorrect (`--empty`), as in the tool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nescio.data.model import Collection, Question, Response, Run
from nescio.data.notes import Note
from nescio.data.reasons import EMPTY
from nescio.errors import FormatError, MismatchError, opt
from nescio.formats.choices import choose
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, Unjudged, by_role, reader
from nescio.sources.elements import identifier
from nescio.sources.json_lines import json_lines
from nescio.sources.source import Source, name_runs
from nescio.sources.text_files import WHITE
from nescio.tasks.kit import fault_at, say_left_out


def recognise(source: Source) -> str | None:
    """Recognise JSON Lines of `id` and `output`, a list of objects."""
    if source.kind != "lines" or not {"id", "output"} <= {*source.columns} or not isinstance(source.first, dict):
        return None
    output = source.first["output"]
    if isinstance(output, list) and all(isinstance(o, dict) and {"answer", "provenance"} & o.keys() for o in output):
        return "gold" if "input" in source.columns else "answers"
    return None


@reader(
    "kilt",
    about="KILT's gold and runs (id, input, output)",
    recognise=recognise,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read a gold file of KILT and runs. Only the first of several outputs is an answer, as in KILT."""
    gold, answers = _kilt_parts(parts, options)
    questions: dict[str, Question] = {}
    for row, line in json_lines(gold):
        name, texts = _kilt_line(gold, row, line)
        if name in questions:
            raise fault_at(gold, line, "the question appears twice", name)
        input_text = row.get("input")
        gold_texts = tuple(dict.fromkeys(text for text in texts if text.strip(WHITE)))
        questions[name] = Question(
            name, input_text if isinstance(input_text, str) else "", gold_texts, (), bool(gold_texts)
        )
    runs, notes = [], list[Note]()
    for source, run in zip(answers, name_runs(answers), strict=True):
        responses: dict[str, Response] = {}
        extra = 0
        for row, line in json_lines(source):
            name, texts = _kilt_line(source, row, line)
            if name in responses:
                raise fault_at(source, line, "the question appears twice", name)
            extra += name not in questions
            best = texts[0].strip(WHITE) if texts else ""  # KILT's evaluation uses only the first output.
            responses[name] = Response(name, best or None, bool(best), why=None if best else EMPTY)
        say_left_out(source, run, extra, len(responses), notes)
        runs.append(Run(run, tuple(response for name, response in responses.items() if name in questions)))
    files = tuple(str(source.label) for source in answers)
    return ReadResult(
        Unjudged(Collection(gold.stem, tuple(questions.values())), tuple(runs), files, judge="exact"), tuple(notes)
    )


def _kilt_parts(parts: Sequence[SourceRole], options: ReadOptions) -> tuple[Source, list[Source]]:
    """Return the gold file and the run files of KILT.

    If runs repeat the `input` of the gold, the gold is the file with the column `meta`, which only a gold file has.
    """
    gold = by_role(parts)["gold"]
    if len(gold) > 1 or "gold" in options.choose:
        with_meta = [source for source in gold if "meta" in source.columns]
        named = (
            choose(options, "gold", [s.stem for s in gold], "files with input") if "gold" in options.choose else None
        )
        gold = [source for source in gold if source.stem == named] if named else with_meta
    if len(gold) != 1:
        raise MismatchError(
            "give one gold file of KILT (id, input, output), and the runs; if several files could be "
            f"the gold, name one with {opt('choose', of='gold=STEM')}"
        )
    answers = [source for _, source in parts if source is not gold[0]]
    if not answers:
        raise MismatchError(f"{gold[0].label} could be a gold file of KILT (id, input, output); also give the runs")
    return gold[0], answers


def _kilt_line(source: Source, row: Mapping[str, Any], line: int) -> tuple[str, list[str]]:
    where = f"line {line}"
    name, output = identifier(row, "id", source.label, where), row.get("output")
    if not isinstance(output, list) or not all(isinstance(item, dict) for item in output):
        raise FormatError(source.label, "output must be a list of objects", where=where, value=output)
    texts = [item.get("answer") for item in output]
    if any(not isinstance(text, (str, type(None))) for text in texts):
        raise FormatError(source.label, "an answer must be a text or null", where=where, value=texts)
    return name.strip(WHITE), [text or "" for text in texts]
