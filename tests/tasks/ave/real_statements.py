"""Provide real statements with their texts for the laws of the prover, read from the shared data and never copied."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nescio.tasks.ave.hypotheses import hypothesis
from nescio.text import sentences

DATA = Path(__file__).parents[3].parent / "shared" / "data"
HERE = all((DATA / name).is_dir() for name in ("squad2", "mctest", "cbc4kids"))
with_data = pytest.mark.skipif(not HERE, reason="the shared data are not beside the checkout")
FEWEST, MOST = 5, 25  # fewest and most words of a statement


def real_statements() -> list[tuple[str, str]]:
    """Return 200 statements, each with a text.

    They are 100 of SQuAD 2.0's questions and answers, 50 sentences of MCTest's stories, and 50 of CBC4Kids'.
    """
    return [*_of_squad(100), *_sentences(_mctest(), 50), *_sentences(_cbc(), 50)]


def _of_squad(count: int) -> list[tuple[str, str]]:
    articles = json.loads((DATA / "squad2" / "dev-half.json").read_text(encoding="utf-8"))["data"]
    pairs = [
        (hypothesis(asked["question"], asked["answers"][0]["text"]), paragraph["context"])
        for article in articles
        for paragraph in article["paragraphs"]
        for asked in paragraph["qas"][:1]
        if asked["answers"]
    ]
    return _spread([pair for pair in pairs if FEWEST <= len(pair[0].split()) <= MOST], count)


def _mctest() -> list[str]:
    rows = (DATA / "mctest" / "mc500.dev.tsv").read_text(encoding="utf-8").splitlines()
    return [row.split("\t")[2].replace("\\newline", " ") for row in rows]


def _cbc() -> list[str]:
    files = sorted((DATA / "cbc4kids" / "developset").glob("*.story"))
    return [file.read_text(encoding="latin-1").partition("TEXT:")[2] for file in files]


def _sentences(stories: list[str], count: int) -> list[tuple[str, str]]:
    pairs = [
        (sentence, story)
        for story in stories
        for sentence in sentences(story)
        if FEWEST <= len(sentence.split()) <= MOST and sentence.endswith(".")
    ]
    return _spread(pairs, count)


def _spread(pairs: list[tuple[str, str]], count: int) -> list[tuple[str, str]]:
    """Return some of the pairs, evenly spaced."""
    return [pairs[i * len(pairs) // count] for i in range(count)]
