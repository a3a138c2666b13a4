"""AbstentionBench: the responses of one model to one data set, `{"responses": [{"prompt", "response_or_abstention",
"is_abstention", "is_response_correct", …}]}`.

An answer that the detector marks as an abstention is one. If the prompt says `should_abstain`, abstaining is right and
an answer is wrong. Any other answer is graded by `is_response_correct`. Only `LLMJudgeCorrectnessEvaluator.json` has
that key, so other files leave these answers ungraded. A response that the detector could not classify (`is_abstention`
null) is not graded, and the tool leaves it out of its figures. A run is a model. Its data sets are a stratum, named by
the folder DATASET_MODEL/DATE. If a folder has several stages, the last one is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from nescio.errors import FormatError
from nescio.formats.answers import Answer
from nescio.formats.logs.kit import UNREAD, Log, checked, empty, rows_in
from nescio.formats.logs.metrics import question_name
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import as_object
from nescio.sources.source import Source, own_path

STAGES = (
    *("LLMJudgeCorrectnessEvaluator", "GroundTruthAbstentionEvaluator", "LLMJudgeAbstentionDetector"),
    *("ContainsAbstentionKeyword", "DirectAbstention", "InferencePipeline"),
)


class Prompt(Struct):
    question: Annotated[str, Meta(pattern=r"\S")]
    should_abstain: bool | None = None
    metadata: Any = None
    reference_answers: Any = None


class Response(Struct):
    prompt: Prompt
    response_or_abstention: Any = None
    is_abstention: bool | None = None
    is_response_correct: bool | None = None


@reader(
    "abstention_bench",
    about="AbstentionBench's responses: prompt, response_or_abstention, is_abstention, is_response_correct",
    streams=True,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read the files of responses, each model as one run over all of its data sets.

    The tool writes a file after each stage of its pipeline; only the file of the last stage in each folder is read.
    """
    log = Log(parts, options)
    sources = _last_stages(log)
    several = len({_place(source)[1] for source in sources}) > 1
    answers: list[Answer] = []
    for source in sources:
        run, data_set = _place(source)
        for row, where in rows_in(source, ("responses",), "a response"):
            response = checked(Response, row, source, where)
            name = question_name(response.prompt.question)
            answer = _answer(response, Answer(run, name, where=where, path=source.label))
            if several:
                answer.question, answer.strata = f"{data_set}/{name}", {"dataset": data_set}
            answers.append(log.take(answer))
    if not answers:
        raise FormatError(sources[0].label, "the file holds no responses")
    log.number(answers)
    return log.by_score(answers, "the responses", keep=("dataset",) if several else ())


def _last_stages(log: Log) -> list[Source]:
    """Return the files of the log, without files of an earlier stage than another file in the same folder."""

    def stage(source: Source) -> int:
        return STAGES.index(source.stem) if source.stem in STAGES else -1

    def folder(source: Source) -> Path | None:
        return Path(source.label).parent if stage(source) >= 0 else None

    last = {folder(source): stage(source) for source in sorted(log.sources, key=stage, reverse=True)}
    kept = [source for source in log.sources if stage(source) in (-1, last[folder(source)])]
    if left := [str(source.label) for source in log.sources if source not in kept]:
        template = "these files are not read, because their folder has files of a later stage: {files:list 3}"
        log.say("abstention_bench.stages", template, files=left)
    return kept


def _place(source: Source) -> tuple[str, str]:
    """Return the model and the data set of a file.

    They come from the folder in the path DATASET_MODEL/DATE/STAGE.json; for other paths, both are the name of the file
    or folder.
    """
    path = own_path(source.label)
    if source.stem not in STAGES:
        return source.stem, source.stem
    folder = path.parent.parent.name if path.parent.name[:2] == "20" else path.parent.name
    data_set, mark, model = folder.partition("_")
    return (model, data_set) if mark and model else (folder or source.stem, folder)


def _answer(row: Response, answer: Answer) -> Answer:
    text, should = row.response_or_abstention, row.prompt.should_abstain
    answer.answerable = -1 if should is None else int(not should)
    answer.labels = as_object(row.prompt.metadata)
    answer.asked, answer.gold, answer.answer = row.prompt.question, row.prompt.reference_answers, text
    answer.nothing = empty(text if isinstance(text, str) else None)
    if row.is_abstention is None:
        answer.lacking = UNREAD
    elif row.is_abstention:
        answer.silent = "abstained"
    else:
        answer.right = False if should else row.is_response_correct
    return answer
