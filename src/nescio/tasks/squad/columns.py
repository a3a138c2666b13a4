"""The scores of SQuAD 2.0's script, question by question."""

from __future__ import annotations

from nescio.data.columns import Column, Summary, declare

declare(
    Column(
        "squad.exact",
        "the script's exact match: where there is no answer, 1 for an abstention and 0 for an answer",
        "score",
        summaries=(Summary("count", "with squad.exact"),),
    ),
    Column(
        "squad.f1",
        "the script's token F1: where there is no answer, 1 for an abstention and 0 for an answer",
        "score",
        summaries=(Summary("count", "with squad.f1"),),
    ),
)
