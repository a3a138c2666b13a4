"""Add columns beside a verdict that are no verdicts: measurements, settings, strata, other yes and no."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.tables.names import Names
from tests.tables.table import Row

Cell = Callable[[random.Random, int], object]  # gives a cell for the answer to the question with this number


def _times(low: float, high: float, digits: int) -> Cell:
    return lambda chance, _: round(chance.uniform(low, high), digits)


def _whole(low: int, high: int) -> Cell:
    return lambda chance, _: chance.randint(low, high)


def _of_question(*values: object) -> Cell:
    return lambda _, question: values[question * 7 % 5 % len(values)]


def _rarely(share: float) -> Cell:
    return lambda chance, _: chance.random() < share


def _always(value: object) -> Cell:
    return lambda _, __: value


DECOYS: list[tuple[str, Cell]] = [
    ("latency_ms latency_s elapsed_s response_time_seconds wall_ms duration total_time_s", _times(0.2, 40, 3)),
    ("exit_code return_code", lambda chance, _: int(chance.random() < 0.15)),
    ("difficulty level", _of_question("easy", "medium", "hard")),
    ("difficulty hops num_hops grade_level", _of_question(1, 2, 3)),
    ("batch_size top_k k num_shots", _always(8)),
    ("n_samples num_candidates", _of_question(1, 5)),
    ("prompt_tokens input_tokens tokens total_tokens num_tokens", _whole(80, 2000)),
    ("completion_tokens output_tokens token_length answer_length", _whole(1, 300)),
    ("judge_confidence judge_prob grader_confidence", _times(0.5, 1, 2)),
    ("confidence confidence_score model_confidence verbal_confidence", _times(0, 1, 3)),
    ("category topic domain question_type task_type source dataset subject", _of_question("history", "law", "sport")),
    ("split subset", _of_question("dev", "test")),
    ("steps num_steps n_turns iterations tool_calls llm_calls", _whole(1, 9)),
    ("retries attempts_made num_retries errors_count", lambda chance, _: int(chance.random() < 0.1)),
    ("cached from_cache cache_hit", _rarely(0.3)),
    ("truncated hit_max_tokens parse_failed", _rarely(0.1)),
    ("used_tool tool_called used_web_search has_citations retrieval_hit", _rarely(0.6)),
    ("multi_hop is_multi_turn has_context requires_math is_followup", _of_question(True, False)),
    ("needs_review flagged_for_review review_required", _always(False)),
    ("temperature", _always(0.0)),
    ("random_seed", _always(42)),
    ("prompt_version template_version", _always("v2")),
    ("judge_model grader_model", _always("gpt-4o-2024-08-06")),
    ("finish_reason stop_reason", _always("stop")),
    ("cost_usd cost price", _times(0.0001, 0.02, 5)),
    ("rouge_l bertscore_f1 semantic_similarity bleu cosine_sim", _times(0, 1, 4)),
    ("num_retrieved retrieved_chunk_count num_sources", _whole(0, 10)),
    ("timestamp created_at", lambda chance, _: f"2026-11-0{chance.randint(1, 9)}T10:{chance.randint(10, 59)}:00Z"),
    ("judge_reasoning rationale explanation", lambda chance, _: f"Remark {chance.randint(1, 999)} on the wording."),
    ("notes comment", _always("")),
]


def add_decoys(chance: random.Random, names: Names, rows: list[Row], numbers: list[int], most: int) -> list[str]:
    """Add some of these columns to rows, whose questions have these numbers, and return their names."""
    added = []
    for called, cell in chance.sample(DECOYS, chance.randint(0, most)):
        if column := names.take(chance.choice(called.split())):
            added.append(column)
            for row, number in zip(rows, numbers, strict=True):
                row[column] = cell(chance, number)
    return added
