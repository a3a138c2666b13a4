"""Write questions, stories and runs as files of JSON Lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nescio.data.model import Question, Response
from nescio.data.reasons import kind_of
from nescio.data.repeats import REPEAT
from nescio.errors import MismatchError
from nescio.formats.folder_writer import file_names, folder_of, left_out, what_is, without_answers, write_lines
from nescio.formats.registry import Unjudged, WriteResult, matching_formats, writer
from nescio.options.edge import Progress
from nescio.sources.source import Source
from nescio.stats.parallel import followed
from nescio.tables.collection import OWN_KEYS


@writer("questions", about="questions.jsonl and runs/NAME.jsonl (with stories.jsonl), in a folder", takes=Unjudged)
def write(unjudged: Unjudged, path: Path, progress: Progress | None = None) -> WriteResult:
    """Write a collection and its runs. Questions are written without stories if only some have one."""
    questions = unjudged.collection.questions
    stories = story_names(questions) if all(question.story for question in questions) else {}
    strata = _strata_held(questions, stories)
    holds = {"options", "answers", "clusters", "confidence", "candidates", "ranks", "supports", "documents", "repeats"}
    holds |= {"reasons", "stories", "accepted"} if stories else {"reasons"}
    called = stories and all(stories[q.story] == q.strata.get("story", stories[q.story]) for q in questions)
    notes = left_out(unjudged, "nescio's questions and runs", holds, [*strata, "story"] if called else strata)
    with folder_of(path, "questions") as folder:
        write_lines(folder / "questions.jsonl", (_question_row(question, strata, stories) for question in questions))
        if stories:
            rows = ({"id": name, "sentences": list(story)} for story, name in stories.items())
            write_lines(folder / "stories.jsonl", rows)
        answering = [run for run in unjudged.runs if run.responses]
        if answering:
            (folder / "runs").mkdir()
        stems = file_names([run.name for run in answering])
        for run, stem in followed([*zip(answering, stems, strict=True)], progress):
            named = {} if stem == run.name else {"run": run.name}
            write_lines(
                folder / "runs" / f"{stem}.jsonl", (response_row(response) | named for response in run.responses)
            )
    notes += without_answers(unjudged.runs)
    return WriteResult(what_is(unjudged), tuple(notes))


def _question_row(question: Question, strata: Sequence[str], stories: Mapping[tuple[str, ...], str]) -> dict[str, Any]:
    if not question.answers and question.answerable is not False:
        raise MismatchError(
            f"question {question.id!r} has no answer: give an answer, or mark the question with answerable: false"
        )
    gold: dict[str, Any] = {"answers": list(question.answers)}
    gold |= {} if question.answerable is None else {"answerable": question.answerable}
    gold |= {"sentences": list(question.accepted)} if stories and question.accepted is not None else {}
    row = topic_row(question, strata, stories)
    first = ("id", "question", "answers", "options", "answerable", "cluster")
    both = row | gold
    return {name: both[name] for name in first if name in both} | both


def topic_row(
    question: Question, strata: Sequence[str], stories: Mapping[tuple[str, ...], str] | None = None
) -> dict[str, Any]:
    """Return a question as a line of a collection, without its gold answers, as a system sees it.

    `strata` names the strata that the line includes. `stories` maps each story to its name, and None leaves stories
    out.
    """
    row: dict[str, Any] = {"id": question.id, "question": question.text}
    row |= {"options": list(question.options)} if question.options else {}
    row |= {} if question.cluster is None else {"cluster": question.cluster}
    row |= {name: question.strata[name] for name in strata if name in question.strata}
    if stories:
        row["story"] = stories[question.story]
    return row


def response_row(response: Response) -> dict[str, Any]:
    """Return a response as a line of a run."""
    row: dict[str, Any] = {"id": response.question_id, "answer": response.answer, "answered": response.answered}
    more = {
        "confidence": response.confidence,
        "rank": None if response.rank == 1 else response.rank,
        "support": response.support,
        "doc": response.document,
        REPEAT: response.repeat,
        "status": None if response.answer or kind_of(response.why or "") == "declined" else response.why,
    }
    return row | {name: value for name, value in more.items() if value is not None}


def story_names(questions: Sequence[Question]) -> dict[tuple[str, ...], str]:
    """Return a name for each story, keyed by the story.

    This is the name that its questions give it, or the name of their cluster, or a number.
    """
    names: dict[tuple[str, ...], str] = {}
    for question in questions:
        if question.story not in names:
            wanted = question.strata.get("story") or question.cluster or f"story {len(names) + 1}"
            taken = Counter(names.values())
            names[question.story] = wanted if not taken[wanted] else f"{wanted} ({len(names) + 1})"
    return names


def _strata_held(questions: Sequence[Question], stories: Mapping[tuple[str, ...], str]) -> list[str]:
    """Return the strata that a question's line can hold under their own names.

    A stratum is left out if its name has another meaning, in this format or in another one.
    """
    never = {*OWN_KEYS, "answer", "story", "sentences"} if stories else {*OWN_KEYS, "answer"}
    held: list[str] = []
    for name in dict.fromkeys(name for question in questions for name in question.strata):
        row = _question_row(questions[0], [*held, name], stories)
        source = Source("questions", columns=tuple(row), first=row, kind="lines")
        if name not in never and [f.name for f in matching_formats(source)] == ["questions"]:
            held.append(name)
    return held
