"""ragas: the table of `to_pandas()`, a row a sample with a column a metric, as CSV, JSON, JSON Lines or Parquet.

The columns are `user_input`, `response`, `reference`, `retrieved_contexts` (before version 0.2 `question`, `answer`,
`ground_truth`, `contexts`) and the metrics; `--column question=COLUMN` and `--column answer=COLUMN` say what they are
called otherwise. A cell without a number is a metric that failed on that sample: it says nothing of the answer, and the
mean that ragas prints leaves it out, so that each metric has a number of answers of its own; a note gives that mean and
the one over all samples.

The scores are between 0 and 1 and no verdicts, so that they are measured as scores (mean(faithfulness)) unless
`--choose metric=NAME` makes one of them the outcome: correct at 1, or with `--choose threshold=T` from T on. An empty
response is then silence. Samples of one input are repeats.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from nescio.data.notes import Note, note
from nescio.errors import FormatError
from nescio.formats.logs.graded import SAID_SO, Graded, declined
from nescio.formats.logs.grading import EMPTY, labels
from nescio.formats.logs.metric_tables import Row, is_table, metrics_among, rows_of
from nescio.formats.logs.metrics import Marked, by_metric, question_name, repeated
from nescio.formats.native import roles
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.source import Source, name_runs

QUESTION, ANSWER, GOLD = ("user_input", "question"), ("response", "answer"), ("reference", "ground_truth")
CONTEXTS = ("retrieved_contexts", "contexts", "reference_contexts", "multi_responses", "retrieved_context_ids")
_OTHERS = (
    *("ground_truths", "reference_context_ids", "rubrics", "persona_name", "query_style", "query_length"),
    *("reference_tool_calls", "reference_topics", "synthesizer_name", "episode_done", "evolution_type", "metadata"),
)
FIELDS = {*QUESTION, *ANSWER, *GOLD, *CONTEXTS, *_OTHERS}
METRICS = {
    *("faithfulness", "answer_relevancy", "response_relevancy", "context_precision", "context_recall"),
    *("context_relevancy", "context_entity_recall", "context_utilization", "answer_correctness", "answer_similarity"),
    *("semantic_similarity", "factual_correctness", "answer_accuracy", "nv_accuracy", "nv_context_relevance"),
    *("nv_response_groundedness", "response_groundedness", "llm_context_precision_with_reference"),
    *("llm_context_precision_without_reference", "non_llm_context_recall", "noise_sensitivity", "context_relevance"),
    *("noise_sensitivity_relevant", "noise_sensitivity_irrelevant", "summary_score", "harmfulness", "coherence"),
}


def recognise(source: Source) -> str | None:
    """Recognise a table with `user_input` and `retrieved_contexts`, or one of ragas's metrics beside `user_input`, beside
    `question` and `contexts`, or beside another of them; and a column that is none of ragas's fields."""
    if not is_table(source) or "outcome" in source.columns:
        return None
    have = {*source.columns}
    known = {name for name in have if _plain(name) in METRICS}
    ours = ("user_input" in have and (known or have & {*CONTEXTS})) or (known and {"question", "contexts"} <= have)
    return "table" if (ours or len(known) > 1) and have - FIELDS else None


def _plain(column: str) -> str:
    """Return the name of a metric without what ragas adds to it ("factual_correctness(mode=f1)")."""
    return column.partition("(")[0].strip()


@reader(
    "ragas",
    about="the samples and scores of ragas: user_input, response, reference, and a column a metric",
    recognise=recognise,
    columns=("question", "answer"),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every table as a run."""
    notes: list[Note] = []
    answers: list[Marked] = []
    for (_, source), run in zip(parts, name_runs([source for _, source in parts]), strict=True):
        answers += _answers(source, run, options, notes)
    rows = repeated([answer.row for answer in answers], "samples", notes)
    answers = [replace(answer, row=row) for answer, row in zip(answers, rows, strict=True)]
    return by_metric(answers, parts[0][1].label, options, notes, verdicts=False)


def _answers(source: Source, run: str, options: ReadOptions, notes: list[Note]) -> list[Marked]:
    rows = rows_of(source, CONTEXTS)
    if not rows:
        raise FormatError(source.label, "there are no samples in it")
    names = list(dict.fromkeys(name for row in rows for name in row))
    asked, said = _column(source, names, "question", QUESTION), _column(source, names, "answer", ANSWER)
    if asked is None:
        ways = roles.option("question", "COLUMN")
        raise FormatError(
            source.label, f"no column holds the questions; {ways} names it", where=source.head, value=names
        )
    metrics = metrics_among(rows, [name for name in names if name not in {asked, said, *FIELDS}])
    if said is None:
        notes.append(
            note(
                "ragas.no_answers",
                "{subject}: no column holds the answers, so that nobody can say which of them are silence",
                str(source.label),
            )
        )
    held = {*metrics, *FIELDS, asked, said}
    return [
        Marked(
            Graded(
                run,
                question_name(_question(source, row, asked, i)),
                0,
                strata=labels({name: cell for name, cell in row.items() if cell and name not in held}, options),
                where=f"row {i}",
                path=source.label,
            ),
            {name: scores[i - 1] for name, scores in metrics.items()},
            _silence(row, said, options),
        )
        for i, row in enumerate(rows, 1)
    ]


def _column(source: Source, names: Sequence[str], part: str, called: Sequence[str]) -> str | None:
    """Return the column that the user named, or the one of ragas's name."""
    return source.named.get(part) or next((name for name in called if name in names), None)


def _question(source: Source, row: Mapping[str, str | None], column: str, i: int) -> str:
    text = row.get(column)
    if text is None:
        raise FormatError(source.label, "the question is empty", where=f"row {i}", value=column)
    return text


def _silence(row: Row, column: str | None, options: ReadOptions) -> str | None:
    if column is None:
        return None
    text = row.get(column)
    return EMPTY if text is None else SAID_SO if declined(options, text) else None
