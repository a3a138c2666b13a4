"""AbstentionBench: the responses of one model to one data set, `{"responses": [{"prompt", "response_or_abstention",
"is_abstention", "is_response_correct", …}]}`.

An abstention found by the detector is silence; if the prompt says `should_abstain`, silence is right and an answer is
wrong. Any other answer is graded by `is_response_correct`, which only `LLMJudgeCorrectnessEvaluator.json` has: without
it, it is not graded. A response that the detector could not classify (`is_abstention` null) is not graded, and the tool
leaves it out of its figures. A run is a model and its data sets are a stratum, by the folder DATASET_MODEL/DATE. If a
folder has several stages, the last one is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SAID_SO, SILENT
from nescio.data.reasons import EMPTY
from nescio.data.texts import texts_of
from nescio.errors import FormatError
from nescio.formats.logs.graded import Graded, declined
from nescio.formats.logs.grading import NO_SCORE, UNREAD, labels, result_of
from nescio.formats.logs.metrics import question_name, repeated
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import as_list, as_object, elements, flag, part_of
from nescio.sources.source import Source, own_path

RESPONSES, PROMPT, SAID = "responses", "prompt", "response_or_abstention"
ABSTAINED, RIGHT, SHOULD = "is_abstention", "is_response_correct", "should_abstain"
STAGES = (
    *("LLMJudgeCorrectnessEvaluator", "GroundTruthAbstentionEvaluator", "LLMJudgeAbstentionDetector"),
    *("ContainsAbstentionKeyword", "DirectAbstention", "InferencePipeline"),
)
Row = Mapping[str, Any]


def recognise(source: Source) -> str | None:
    """Recognise a document of `responses` with `prompt` and `response_or_abstention`."""
    if source.kind != "document" or not isinstance(source.document, dict):
        return None
    first = next(iter(as_list(source.document.get(RESPONSES))), None)
    return "responses" if isinstance(first, dict) and {PROMPT, SAID} <= {*first} else None


@reader(
    "abstention_bench",
    about="AbstentionBench's responses: prompt, response_or_abstention, is_abstention, is_response_correct",
    recognise=recognise,
    sniff_keys={"object": (RESPONSES,)},
    files=tuple(f"{stage}.json" for stage in STAGES),
    streams=True,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read the last stage of every folder; the data sets of one model are one run."""
    notes: list[Note] = []
    sources = _last_stages([source for _, source in parts], notes)
    several = len({_place(source)[1] for source in sources}) > 1
    rows: list[Graded] = []
    for source in sources:
        run, data_set = _place(source)
        rows += _rows(source, run, data_set if several else "", options)
    if not rows:
        raise FormatError(sources[0].label, "there are no responses in it")
    rows = repeated(rows, notes)
    return result_of(rows, sources[0].label, options, notes, keep=("dataset",) if several else ())


def _last_stages(sources: Sequence[Source], notes: list[Note]) -> list[Source]:
    """Return the sources; of several stages in one folder the last one."""
    best: dict[Path, int] = {}
    for source in sources:
        path = Path(source.label)
        if path.stem in STAGES:
            best[path.parent] = min(best.get(path.parent, len(STAGES)), STAGES.index(path.stem))
    kept: list[Source] = []
    left: list[str] = []
    for source in sources:
        path = Path(source.label)
        if path.stem in STAGES and STAGES.index(path.stem) != best[path.parent]:
            left.append(str(path))
        else:
            kept.append(source)
    if left:
        notes.append(
            note(
                "abstention_bench.stages",
                "not read, because files of a later stage are beside them: {files:list 3}",
                files=left,
            )
        )
    return kept


def _place(source: Source) -> tuple[str, str]:
    """Return the model and the data set of a file: DATASET_MODEL/DATE/STAGE.json, or the name of one that lies
    elsewhere."""
    path = own_path(source.label)
    if source.stem not in STAGES:
        return source.stem, source.stem
    folder = path.parent.parent.name if path.parent.name[:2] == "20" else path.parent.name
    data_set, mark, model = folder.partition("_")
    return (model, data_set) if mark and model else (folder or source.stem, folder)


def _rows(source: Source, run: str, data_set: str, options: ReadOptions) -> Iterator[Graded]:
    for row, where in elements(source, (RESPONSES,)):
        if not isinstance(row, dict) or not isinstance(row.get(PROMPT), dict):
            raise FormatError(source.label, "a response must be an object with a prompt", where=where, value=row)
        question = part_of(row, PROMPT, "question")
        if not isinstance(question, str) or not question.strip():
            raise FormatError(source.label, "a prompt must have a question", where=where, value=question)
        flags = {name: flag(row, name, source.label, where) for name in (ABSTAINED, RIGHT)}
        flags[SHOULD] = flag(row[PROMPT], SHOULD, source.label, where)
        state, why = _state(row.get(SAID), flags, options)
        strata = labels(as_object(part_of(row, PROMPT, "metadata")), options)
        name = question_name(question)
        yield Graded(
            run,
            f"{data_set}/{name}" if data_set else name,
            state,
            why=why,
            strata=strata | ({"dataset": data_set} if data_set else {}),
            where=where,
            path=source.label,
            answerable=-1 if flags[SHOULD] is None else int(not flags[SHOULD]),
            texts=texts_of(question, [part_of(row, PROMPT, "reference_answers")], row.get(SAID))
            if options.texts
            else None,
        )


def _state(answer: Any, flags: Mapping[str, Any], options: ReadOptions) -> tuple[int, str | None]:
    if isinstance(answer, str) and declined(options, answer):
        return SILENT, SAID_SO
    if flags[ABSTAINED] is True:
        return SILENT, "abstained"
    if flags[ABSTAINED] is None:
        empty = not isinstance(answer, str) or not answer.strip()
        return (SILENT, EMPTY) if empty else (NOT_GRADED, UNREAD)
    if flags[SHOULD] is True:
        return INCORRECT, None
    if flags[RIGHT] is None:
        return NOT_GRADED, NO_SCORE
    return (CORRECT if flags[RIGHT] else INCORRECT), None
