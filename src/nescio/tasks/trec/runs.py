"""Read runs, and order their documents as trec_eval does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from sys import intern

import numpy as np
from msgspec import Struct

from nescio.errors import MismatchError
from nescio.formats.choices import choose
from nescio.formats.registry import ReadOptions
from nescio.sources.documents import cells_of
from nescio.sources.source import Source, name_runs
from nescio.tasks.kit import fault_at, whole_in
from nescio.text import finite

NIL = "NIL"


class RankedDocument(Struct, frozen=True):
    """A line of a run: a document with its rank and score, and the answer taken from it, which may be empty."""

    docno: str
    rank: int
    score: float
    answer: str
    line: int


class RankedRun(Struct, frozen=True):
    """A run, with the documents that it ranks for each topic, best first."""

    name: str
    source: Source
    topics: Mapping[str, Sequence[RankedDocument]]


def read_runs(sources: Sequence[Source], options: ReadOptions) -> list[RankedRun]:
    """Return the runs in files, named by their tags, or by their files if several runs have one tag."""
    order = choose(options, "order", ["score", "rank"], "orders") if "order" in options.choose else "score"
    read = [(source, _read_run(source, order)) for source in sources]
    tags = Counter(tag for _, runs in read for tag in runs)
    stems = name_runs(sources)
    tagged = []
    for (source, runs), stem in zip(read, stems, strict=True):
        for tag, topics in runs.items():
            shared = stem if len(runs) == 1 else f"{stem} {tag}"
            tagged.append(RankedRun(tag if tags[tag] == 1 else shared, source, topics))
    if len({run.name for run in tagged}) < len(tagged):
        raise MismatchError(f"two of the runs would have the same name: {', '.join(run.name for run in tagged)}")
    return tagged


def _read_run(source: Source, order: str) -> dict[str, dict[str, list[RankedDocument]]]:
    runs: dict[str, dict[str, list[RankedDocument]]] = {}
    for cells, line in cells_of(source, 7):
        if len(cells) < 6:
            raise fault_at(source, line, "a line of a run is: qid iter docno rank score tag", " ".join(cells))
        topic, _, docno, rank_, score_, tag, *rest = cells
        rank, score, answer = whole_in(rank_), finite(score_), rest[0] if rest else ""
        if rank is None:
            raise fault_at(source, line, "the rank must be a whole number", rank_)
        if score is None:
            raise fault_at(source, line, "the score must be a finite number", score_)
        rank = rank if order == "rank" else 0
        runs.setdefault(tag, {}).setdefault(topic, []).append(RankedDocument(intern(docno), rank, score, answer, line))
    _none_twice(source, runs)
    for topics in runs.values():
        for answers in (response for response in topics.values() if len(response) > 1):
            if order == "rank":
                answers.sort(key=lambda response: (response.rank, response.line))
            else:  # The sort is stable: first by falling docno, then by falling score.
                answers.sort(key=lambda response: response.docno, reverse=True)
                scores = _single([response.score for response in answers])
                answers[:] = [answers[i] for i in np.argsort(-scores, kind="stable")]
    return runs


def _none_twice(source: Source, runs: Mapping[str, Mapping[str, Sequence[RankedDocument]]]) -> None:
    """Raise FormatError for the first line that repeats a document, with the same answer, for one topic of a run."""
    again: list[tuple[int, str]] = []
    for topics in runs.values():
        for topic, answers in topics.items():
            lines: dict[tuple[str, str], int] = {}
            for answer in answers if len(answers) > 1 else ():
                before = lines.setdefault((answer.docno, answer.answer), answer.line)
                if before != answer.line:
                    rule = f"document {answer.docno!r} of topic {topic!r} appears twice; first on line {before}"
                    again.append((answer.line, rule))
    if again:
        raise fault_at(source, *min(again))


def _single(scores: Sequence[float]) -> np.ndarray:
    """Return scores in single precision, because trec_eval uses it too; some different scores become equal."""
    with np.errstate(over="ignore"):
        return np.array(scores, dtype=np.float32)
