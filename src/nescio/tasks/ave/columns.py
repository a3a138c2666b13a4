"""The columns of answer validation: of questions, and of single answers to them."""

from __future__ import annotations

from nescio.data.columns import Column, Summary, declare
from nescio.errors import opt

_OUTCOMES_INSTEAD = (
    f"{opt('choose', {'view': 'selection'})} reads the SELECTED answers as outcomes, for c@1 and related measures"
)

declare(
    Column(
        "ave.selected_right",
        "1 if a right answer is SELECTED",
        "score",
        summaries=(Summary("sum", "right answers selected"),),
    ),
    Column("ave.rejected_right", "1 if all answers to the question are rejected, and none of them is right", "score"),
    Column(
        "ave.solvable",
        "1 if the question has a right answer",
        "score",
        summaries=(Summary("sum", "questions with a right answer"),),
    ),
    Column("ave.random", "the share of the question's judged answers that are right", "score"),
    Column(
        "ave.right",
        "1 if the answer is right",
        "score",
        row="answer",
        summaries=(Summary("count", "answers judged"), Summary("sum", "right ones")),
        instead=_OUTCOMES_INSTEAD,
    ),
    Column(
        "ave.accepted",
        "1 if the answer is SELECTED or VALIDATED",
        "score",
        row="answer",
        summaries=(Summary("sum", "answers accepted"),),
    ),
    Column(
        "ave.confidence",
        "the confidence that the answer is right: higher means more confident",
        "score",
        row="answer",
        when_missing="a confidence",
        summaries=(Summary("count", "answers with a confidence"),),
    ),
)
