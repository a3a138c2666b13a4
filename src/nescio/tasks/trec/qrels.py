"""Compare runs with qrels: the outcome of each topic is that of the first document."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from sys import intern

import numpy as np
from msgspec.structs import replace

from nescio.data.changed_questions import words_digest
from nescio.data.notes import Note, note
from nescio.data.outcomes import ABSENT, CORRECT, INCORRECT, Outcomes
from nescio.errors import MismatchError, UsageError, opt
from nescio.formats.answers import Answer, outcomes_of
from nescio.formats.registry import ReadOptions, ReadResult
from nescio.sources.documents import cells_of
from nescio.sources.source import Source
from nescio.tasks.kit import fault_at, whole_in
from nescio.tasks.trec.columns import CUTOFFS
from nescio.tasks.trec.runs import RankedRun

FIGURES = ("trec.ap", "trec.rr", *(f"trec.top{k}" for k in CUTOFFS))


def with_qrels(source: Source, runs: Sequence[RankedRun], options: ReadOptions) -> ReadResult:
    """Return the outcomes of runs and the figures of trec_eval, by the relevant documents in a file of qrels."""
    least = _least(options)
    relevant: dict[str, dict[str, int]] = {}
    for cells, line in cells_of(source, 5):
        level = whole_in(cells[3]) if len(cells) == 4 else None
        if level is None:
            raise fault_at(
                source, line, "a line of qrels is: qid iter docno rel, with a whole number for rel", " ".join(cells)
            )
        levels = relevant.setdefault(cells[0], {})
        if cells[2] in levels:
            raise fault_at(source, line, f"document {cells[2]!r} of topic {cells[0]!r} appears twice")
        levels[intern(cells[2])] = level
    notes: list[Note] = []
    top = max(level for levels in relevant.values() for level in levels.values())
    if top > 1:
        notes.append(
            note(
                "trec.relevance",
                "{subject}: relevance goes up to {highest}; {least} or more counts as relevant "
                f"(change this with {opt('choose', of='relevance=N')})",
                str(source.label),
                highest=top,
                least=least,
            )
        )
    figures = array("d")
    outcomes = ranked(_by_qrels(runs, relevant, least, figures, notes), source, options, notes)
    by_topic = np.array(figures).reshape(*outcomes.state.shape, len(FIGURES))
    columns = {name: by_topic[:, :, i] for i, name in enumerate(FIGURES)}
    outcomes = replace(outcomes, extra_columns={**outcomes.extra_columns, **columns})
    return ReadResult(outcomes, tuple(notes), ("MRR", "accuracy"))


def _by_qrels(
    runs: Sequence[RankedRun],
    relevant: Mapping[str, Mapping[str, int]],
    least: int,
    figures: array[float],
    notes: list[Note],
) -> Iterator[tuple[Answer, int]]:
    """Yield an answer for each run and topic, with the rank of the first relevant document, or 0 if there is none.

    `relevant` has the level of relevance of documents, keyed by topic and document; a document is relevant from the
    level `least` on. The figures of trec_eval for each run and topic are appended to `figures`.
    """
    words = {
        topic: words_digest(None, [docno for docno, level in levels.items() if level >= least])
        for topic, levels in relevant.items()
    }
    for run in runs:
        say_strangers(run, relevant, notes)
        unjudged = 0
        for topic, levels in relevant.items():
            answerable = int(max(levels.values()) >= least)
            answers = run.topics.get(topic)
            known = sum(level >= least for level in levels.values())
            good = [i for i, answer in enumerate(answers or (), 1) if levels.get(answer.docno, least - 1) >= least]
            figures.extend(_figures(good, known))
            if not answers:
                yield Answer(run.name, topic, ABSENT, path=run.source.label, answerable=answerable), 0
                continue
            unjudged += answers[0].docno not in levels
            right = good[0] if good else 0
            state = CORRECT if right == 1 else INCORRECT
            answer = Answer(run.name, topic, state, answers[0].score, path=run.source.label, answerable=answerable)
            answer.words = words[topic]
            yield answer, right
        if unjudged:
            notes.append(
                note(
                    "trec.not_in_qrels",
                    "run {subject!r}: the first document of {documents:n topic} is not in the qrels, "
                    "and counts as not relevant",
                    run.name,
                    documents=unjudged,
                )
            )


def _figures(good: Sequence[int], known: int) -> list[float]:
    """Return the figures of trec_eval for a topic, in the order of `FIGURES`.

    `good` has the ranks at which the run has relevant documents, and `known` is the number of all relevant documents.
    """
    precisions = sum(so_far / rank for so_far, rank in enumerate(good, 1))
    first = 1 / good[0] if good else 0.0
    return [precisions / known if known else 0.0, first, *(float(bisect_right(good, k)) for k in CUTOFFS)]


def _least(options: ReadOptions) -> int:
    text = options.choose.get("relevance", "1")
    least = whole_in(text)
    if least is None:
        raise UsageError(f"{opt('choose')} relevance takes a whole number (found {text!r})")
    return least


def say_strangers(run: RankedRun, known: Mapping[str, object], notes: list[Note]) -> None:
    """Add a note on the number of topics of a run that were not judged, and are left out.

    Raises MismatchError if no topic of the run was judged.
    """
    strangers = sum(topic not in known for topic in run.topics)
    if strangers == len(run.topics):
        raise MismatchError(f"{run.source.label}: run {run.name!r} has no topic that was judged")
    if strangers:
        notes.append(
            note(
                "trec.not_judged",
                "run {subject!r}: {topics} topics were not judged: left out",
                run.name,
                topics=strangers,
            )
        )


def ranked(rows: Iterable[tuple[Answer, int]], source: Source, options: ReadOptions, notes: list[Note]) -> Outcomes:
    """Return the outcomes of `rows`: an answer for each run and question, with the rank of the first right answer.

    The rank is 0 if there is no right answer.
    """
    ranks = array("q")

    def graded() -> Iterator[Answer]:
        for row, rank in rows:
            ranks.append(rank)
            yield row

    outcomes = outcomes_of(graded(), source.label, options, notes)
    return replace(outcomes, first_right=np.array(ranks).reshape(outcomes.state.shape))
