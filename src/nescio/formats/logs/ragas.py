"""ragas: the table of `to_pandas()`, one row per sample and one column per metric, as CSV, JSON, JSON Lines or Parquet.

The columns are `user_input`, `response`, `reference`, `retrieved_contexts` (before version 0.2 `question`, `answer`,
`ground_truth`, `contexts`) and the metrics. `--column question=COLUMN` and `--column answer=COLUMN` give other names,
and `--column confidence=COLUMN` names the confidence of an answer. A cell without a number is a metric that failed on
that sample, which says nothing about the answer. ragas leaves such samples out of its means, so each metric is averaged
over a different number of answers. A note gives that mean and the mean over all samples.

The scores are between 0 and 1 and are not verdicts, so they are averaged (mean(faithfulness)). `--choose metric=NAME`
makes one of them the outcome: correct at 1, or with `--choose threshold=T` from T on. An empty response then counts as
incorrect (`--empty`). Samples with the same input are repeats.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nescio.formats.answers import Answer
from nescio.formats.logs.kit import Log
from nescio.formats.logs.metric_tables import column_of, is_table, marked_rows, metrics_among, open_answers
from nescio.formats.logs.metrics import OUTCOME, by_file
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.source import Source
from nescio.tables.lexicon import roles_of

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
    OUTCOME,
}


def recognise(source: Source) -> str | None:
    """Recognise a table with ragas's columns or metrics: `user_input` with `retrieved_contexts` or a metric, `question`
    and `contexts` with a metric, or two metrics.

    The table must also have a column that is not one of ragas's fields.
    """
    if not is_table(source) or "outcome" in source.columns:
        return None
    have = {*source.columns}
    known = {name for name in have if _plain(name) in METRICS}
    ours = ("user_input" in have and (known or have & {*CONTEXTS})) or (known and {"question", "contexts"} <= have)
    one_run = not any("run" in roles_of(name) for name in have)  # A file of ragas has one run.
    recognised = one_run and (
        have & {*QUESTION} or not any({"question", "row"} & {*roles_of(name)} for name in have)
    )  # Otherwise the scores are in a table that ragas did not write.
    return "table" if (ours or (len(known) > 1 and recognised)) and have - FIELDS else None


def _plain(column: str) -> str:
    """Return the name of a metric without the parameters that ragas adds, as in "factual_correctness(mode=f1)"."""
    return column.partition("(")[0].strip()


@reader(
    "ragas",
    about="the samples and scores of ragas: user_input, response, reference, and one column per metric",
    recognise=recognise,
    columns=("question", "answer", "confidence", "judge"),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every table as a run."""
    log = Log(parts, options)

    def answers_of(part: SourceRole, run: str) -> Iterator[Answer]:
        source = part[1]
        table = open_answers(log, source, QUESTION, ANSWER, without=CONTEXTS, rows="samples")
        known = {table.question, table.answer, source.named.get("confidence"), *FIELDS}
        metrics = metrics_among(table.rows, [name for name in table.names if name not in known])
        return marked_rows(table, run, metrics, fields=FIELDS, gold=column_of(source, table.names, "answers", GOLD))

    return by_file(log, answers_of, verdicts=False)
