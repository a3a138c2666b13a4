"""The columns of reading comprehension: the marks of Deep Read's authors."""

from __future__ import annotations

from nescio.data.columns import Column, Summary, declare


def _mark(name: str, meaning: str, lacking: str, counted: str) -> Column:
    return Column(name, meaning, "score", when_missing=lacking, summaries=(Summary("count", counted),))


declare(
    _mark(
        "reading.word_recall",
        "the share of the key's content words that the answer holds",
        "a key with content words",
        "keys with content words",
    ),
    _mark(
        "reading.word_precision",
        "the share of the answer's content words that the key holds",
        "content words in answer and key",
        "answers with content words",
    ),
    _mark(
        "reading.precision",
        "the share of the answer's content words that the key holds, 0 for an abstention",
        "a key with content words",
        "keys with content words",
    ),
    _mark(
        "reading.hum_sent",
        "1 if people accept the chosen sentence as an answer",
        "sentences that people accept",
        "questions with sentences that people accept",
    ),
    _mark(
        "reading.aut_sent",
        "1 if the sentence chosen has the best word recall of the story",
        "a story",
        "questions with a story",
    ),
)
