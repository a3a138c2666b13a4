"""Write the files of SQuAD 2.0 for its official script: gold, predictions and no-answer odds."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

from nescio.data.model import Collection, Question, Run
from nescio.data.notes import note
from nescio.errors import MismatchError
from nescio.formats.folder_writer import (
    file_names,
    folder_of,
    left_out,
    renamed,
    what_is,
    without_answers,
    write_document,
)
from nescio.formats.registry import Unjudged, WriteResult, writer
from nescio.options.edge import Progress
from nescio.sources.source import Source
from nescio.stats.parallel import followed
from nescio.tasks.squad.predictions import core_of
from nescio.tasks.squad.reader import recognise

STRATA = ("article", "paragraph")


@writer(
    "squad2",
    about="SQuAD 2.0: gold.json, pred_NAME.json, and na_odds_NAME.json where there are confidences, in a folder",
    takes=Unjudged,
)
def write(unjudged: Unjudged, path: Path, progress: Progress | None = None) -> WriteResult:
    """Write a gold file, predictions and odds; the odds that a question has no answer are minus the confidence in the
    given answer."""
    answering = [run for run in unjudged.runs if run.responses]
    names = file_names([run.name for run in answering], core_of)
    notes = left_out(unjudged, "SQuAD", ("confidence",), STRATA) + renamed([run.name for run in answering], names)
    with folder_of(path, "squad2") as folder:
        write_document(folder / "gold.json", {"version": "v2.0", "data": _articles(unjudged.collection)})
        for run, name in followed([*zip(answering, names, strict=True)], progress):
            write_document(folder / f"pred_{name}.json", _predictions(run))
            odds = _odds(run)
            if not odds:
                continue
            source = Source("odds", columns=tuple(odds), document=odds, kind="document")
            if recognise(source) == "odds" and not all(0 <= value <= 1 for value in odds.values()):
                write_document(folder / f"na_odds_{name}.json", odds)
                lacking = sum(response.rank == 1 for response in run.responses) - len(odds)
                if lacking > 0:
                    notes.append(
                        note(
                            "squad2.without_confidence",
                            "run {subject!r}: {answers:n answer} without confidence, so without odds",
                            run.name,
                            answers=lacking,
                        )
                    )
            else:
                notes.append(
                    note(
                        "squad2.no_odds",
                        "run {subject!r}: no file of odds is written, because its confidences could not be read "
                        "back exactly",
                        run.name,
                    )
                )
    notes += without_answers(unjudged.runs)
    return WriteResult(what_is(unjudged), tuple(notes))


def _articles(collection: Collection) -> list[dict[str, Any]]:
    """Return the questions grouped by article and paragraph, if known; a paragraph is the story of its questions."""

    def label(question: Question, name: str, default: str) -> str:
        return question.strata.get(name) or default

    articles = []
    for title, inside in groupby(collection.questions, lambda question: label(question, "article", collection.name)):
        paragraphs = [
            {"context": " ".join(group[0].story), "qas": list(map(_asked, group))}
            for group in (list(same) for _, same in groupby(inside, lambda question: label(question, "paragraph", "")))
        ]
        articles.append({"title": title, "paragraphs": paragraphs})
    return articles


def _asked(question: Question) -> dict[str, Any]:
    if not question.answers and question.answerable is not False:
        raise MismatchError(
            f"question {question.id!r} has no answer: give an answer, or mark the question with answerable: false"
        )
    answers = question.answers if question.answerable is not False else ()
    return {
        "id": question.id,
        "question": question.text,
        "answers": [{"text": text} for text in answers],
        "is_impossible": not answers,
    }


def _predictions(run: Run) -> dict[str, str]:
    return {
        response.question_id: response.answer or "" if response.answered else ""
        for response in run.responses
        if response.rank == 1
    }


def _odds(run: Run) -> dict[str, float]:
    """Return the odds that a question has no answer, keyed by question: minus the run's confidence in its answer.

    The official script also needs odds for an abstention, so abstentions get the highest odds. The figures that the
    script prints do not depend on them, but the curves that it draws on request do.
    """
    first = [response for response in run.responses if response.rank == 1]
    odds = {
        response.question_id: -response.confidence
        for response in first
        if response.answered and response.confidence is not None
    }
    if odds:
        highest = max(odds.values())
        odds |= {response.question_id: highest for response in first if not response.answered}
    return odds
