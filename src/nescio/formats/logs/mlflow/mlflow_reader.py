"""MLflow: `eval_results_table.json` of `mlflow.evaluate`, and the table of results of `mlflow.genai.evaluate`, saved as
JSON, CSV or Parquet; and traces with their assessments (`mlflow.traces`).

The metrics are the columns `NAME/v1/score` (or `NAME/score`) or, from the newer function, `NAME/value`, where "yes" and
true are 1; a `NAME/value` that is neither a number nor a word for a verdict is an expectation or a label, not a metric.
A row in which a metric has no value (`NAME/error_message` may say why) is not graded by it. The questions are in
`inputs` or `request`, the answers in `outputs`, `predictions` or `response`; `--column question=COLUMN` and `--column
answer=COLUMN` name others. An empty answer counts as incorrect (`--empty`), unless its trace ended in an error, which
is not graded. `--choose metric=NAME` says which metric is the outcome, unless exactly one of them says right or wrong.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.data.reasons import ERRORED
from nescio.errors import FormatError
from nescio.formats.logs.metric_tables import is_table, marked_rows, metrics_among, open_answers
from nescio.formats.logs.metrics import Marked, by_file
from nescio.formats.logs.mlflow import traces
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader, tables_with
from nescio.sources.source import Source

QUESTION = ("inputs", "input", "question", "request", "query", "prompt")
ANSWER = ("outputs", "predictions", "prediction", "output", "response", "answer")
GOLD = (
    *("targets", "target", "expectations", "expected_response", "ground_truth", "expected_response/value"),
    "reference",
)
_REASONS = ("/justification", "/rationale")
TABLE = "eval_results_table"  # what the file is called in every run
_SCORE = re.compile(r"(.+?)(?:/v\d+)?/(?:score|value)", re.DOTALL)
_BESIDE = re.compile(r".+/(?:justification|rationale|error_message|error_code|score|value)", re.DOTALL)
_OTHERS = ("trace", "spans", "assessments", "trace_metadata", "tags", "trace_id", "request_id", "client_request_id")
_OF_TRACES = ("request_time", "execution_duration", "execution_time_ms", "timestamp_ms", "state", "status")


def recognise(source: Source) -> str | None:
    """Recognise a table with a column called `NAME/score`, `NAME/v1/score` or `NAME/value`; or traces."""
    if is_table(source) and any(_SCORE.fullmatch(name) for name in source.columns):
        return "table"
    return "traces" if traces.recognise(source) else None


@reader(
    "mlflow",
    about="MLflow's evaluation results: inputs, outputs, NAME/v1/score or NAME/value; or traces with assessments",
    recognise=recognise,
    sniff_keys={**tables_with(), "list": (), "object": ("info",)},
    files=(f"{TABLE}.json",),
    columns=("question", "answer", "confidence"),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every table as a run, named by its file, or by the folder of an `eval_results_table.json`."""

    def answers_of(part: SourceRole, run: str, notes: list[Note]) -> Iterable[Marked]:
        kind, source = part
        return traces.answers_of(source, run, options) if kind == "traces" else _answers(source, run, options, notes)

    return by_file(parts, options, answers_of, generic=(TABLE,))


def _answers(source: Source, run: str, options: ReadOptions, notes: list[Note]) -> list[Marked]:
    table = open_answers(source, notes, question=QUESTION, answer=ANSWER, without=_OTHERS)
    rows, names = table.rows, table.names
    columns = {name: match[1] for name in names if (match := _SCORE.fullmatch(name))}
    metrics = metrics_among(rows, columns)
    if not metrics:
        raise FormatError(source.label, "no metric in it has a number or a verdict", value=list(columns))
    if others := [name for name in columns if name not in metrics]:
        notes.append(
            note(
                "mlflow.labels",
                "{subject}: not read, because they do not hold numbers or verdicts: {columns:list}",
                str(source.label),
                columns=others,
            )
        )
    plain = {columns[name]: scores for name, scores in metrics.items()}
    fields = [*_OF_TRACES, *ANSWER, *(name for name in names if _BESIDE.fullmatch(name))]
    answers = marked_rows(
        table,
        run,
        plain,
        options,
        fields=fields,
        gold=next((name for name in GOLD if name in names), None),
        reasons=[name for name in names if name.endswith(_REASONS)],
    )
    return [
        replace(answer, scores=dict.fromkeys(answer.scores, math.nan), silent=None, failed=ERRORED)
        if answer.silent and traces.failed(row)
        else answer
        for row, answer in zip(rows, answers, strict=True)
    ]
