"""nescio's own questions, stories and runs in JSON Lines: answers that are yet to be judged.

Questions: `{"id", "question", "answers": [...], "options"?: [...], "answerable"?: bool, "cluster"?, …strata}`. A run:
`{"id", "answer": str|null, "answered"?: bool, "confidence"?: float, "rank"?: int, "support"?: str, "doc"?: str, "run"?:
str}`. Stories, where the questions are about some: `{"id", "sentences": [...]}`. A question then names its story in
`story`, and may list in `sentences` those (counted from 0) that are accepted as an answer.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from nescio.data.model import NOTHING, Collection, Question, Response, Run
from nescio.data.notes import Note, note
from nescio.data.repeats import REPEAT
from nescio.errors import FormatError, MismatchError, collected
from nescio.formats.folder_writer import file_names, folder_of, left_out, what_is, without_answers, write_lines
from nescio.formats.native import roles
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, Unjudged, WriteResult, reader, takers, writer
from nescio.sources.json import as_text
from nescio.sources.source import LINES, Source, name_runs
from nescio.sources.tables import json_lines
from nescio.sources.text_files import WHITE
from nescio.tasks.reading.marks import question_word
from nescio.text import composed

_LAST_RANK = 1_000_000
OWN_KEYS = ("id", "question", "answers", "options", "answerable", "cluster")
Stories = Mapping[str, tuple[str, ...]]


def recognise(source: Source) -> str | None:
    """Recognise JSON Lines of `id` and `question`, of `id` and `answer`, or of `id` and `sentences`."""
    if source.suffix not in LINES or "id" not in source.columns or {"outcome", "prediction"} & {*source.columns}:
        return None
    if "answer" in source.columns:
        return "answers"
    if "question" in source.columns:
        return None if roles.roles_of(source.columns).one("prediction") else "gold"
    return "stories" if "sentences" in source.columns else None


def _says_which_are_right(source: Source) -> bool:
    """Say whether answers stand with a verdict on each: then they need no questions beside them."""
    return recognise(source) == "answers" and bool(roles.roles_of(source.columns).all("outcome", "wrong"))


def collection(parts: Sequence[SourceRole], options: ReadOptions) -> tuple[Collection, tuple[Note, ...]]:
    """Return the questions of one file, with their stories where a file of stories is given too."""
    gold, stories = ([source for part, source in parts if part == name] for name in ("gold", "stories"))
    if len(gold) != 1:
        what = "were" if len(gold) > 1 else "was"
        raise MismatchError(f"answers need one file of questions with them, and {len(gold) or 'none'} {what} given")
    if len(stories) > 1:
        raise MismatchError(f"{stories[0].label} and {stories[1].label} are both files of stories; give one")
    texts = read_stories(stories[0]) if stories else None
    questions = read_collection(gold[0], options, texts)
    return questions, tuple(_story_notes(questions, stories))


def _story_notes(questions: Collection, stories: Sequence[Source]) -> list[Note]:
    """Say that a file of stories makes clusters of the questions, whose intervals are others without it."""
    used = {question.story for question in questions.questions if question.story}
    if not stories or len(used) == len(questions.questions):
        return []
    return [
        note(
            "questions.stories",
            "{subject}: the {questions} questions are about {stories} {stories:story/stories}; those about one story"
            " are resampled together",
            str(stories[0].label),
            questions=len(questions.questions),
            stories=len(used),
        )
    ]


@reader(
    "questions",
    about="questions (id, question, answers, options) and runs (id, answer, confidence) in JSON Lines",
    recognise=recognise,
    collection=collection,
    yields=_says_which_are_right,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read one collection of questions and the runs that answer it."""
    answers = [source for part, source in parts if part == "answers"]
    if not answers and len(gold := [source for part, source in parts if part == "gold"]) == 1:
        raise MismatchError(f"{gold[0].label} holds questions; give the runs that answer them with it")
    questions, notes = collection(parts, options)
    runs, files = read_runs(answers, {question.id for question in questions.questions})
    return ReadResult(Unjudged(questions, runs, files), notes)


def read_runs(answers: Sequence[Source], ids: set[str]) -> tuple[tuple[Run, ...], tuple[str, ...]]:
    """Read the runs of files of answers to the questions of these ids, and the file that each came from."""
    runs: dict[str, list[Response]] = {}
    files: dict[str, str] = {}
    for source, name in zip(answers, name_runs(answers), strict=True):
        for run, responses in responses_of(source, name, ids).items():
            if run in runs:
                raise MismatchError(f"run {run!r} stands in both {files[run]} and {source.label}")
            runs[run], files[run] = responses, str(source.label)
    return tuple(Run(name, tuple(responses)) for name, responses in runs.items()), tuple(files.values())


def read_stories(source: Source) -> dict[str, tuple[str, ...]]:
    """Read the sentences of each story; raises FormatError with the line of the first unsound one."""
    if source.suffix not in LINES:
        raise FormatError(
            source.label, f"stories are JSON Lines, in a file that ends in {' or '.join(LINES)}", value=source.suffix
        )
    stories: dict[str, tuple[str, ...]] = {}
    for row, line in json_lines(source):
        name, sentences = identifier(source, row, line), row.get("sentences")
        if name in stories:
            raise FormatError(source.path, "the story stands here again", where=f"line {line}", value=name)
        sound = isinstance(sentences, list) and all(isinstance(s, str) and s.strip() for s in sentences)
        if not sentences or not sound:
            raise FormatError(source.path, "sentences must be a list of texts", where=f"line {line}", value=sentences)
        stories[name] = tuple(sentences)
    return stories


def read_collection(source: Source, options: ReadOptions | None = None, stories: Stories | None = None) -> Collection:
    """Read the questions of one file; raises FormatError with the line of the first unsound one."""
    wanted, gold = (options.strata, options.gold) if options else (None, True)
    questions: dict[str, Question] = {}
    for row, line in json_lines(source):
        question = _question(source, row, line, wanted, gold=gold)
        if stories is not None:
            question = _told(source, row, line, question, stories=stories, wanted=wanted)
        if question.id in questions:
            raise FormatError(source.path, "the question stands here again", where=f"line {line}", value=question.id)
        questions[question.id] = question
    if not questions:
        raise FormatError(source.path, "there are no questions")
    return Collection(source.stem, tuple(questions.values()))


def _question(source: Source, row: dict[str, Any], line: int, wanted: Sequence[str] | None, *, gold: bool) -> Question:
    def fail(rule: str, value: object) -> FormatError:
        return FormatError(source.path, rule, where=f"line {line}", value=value)

    if not isinstance(row.get("question"), str):
        raise fail("question must be a text", row.get("question"))
    answerable = row.get("answerable")
    if answerable is not None and not isinstance(answerable, bool):
        raise fail("answerable must be true or false", answerable)
    answers, choices = (_texts(row.get(name), name, fail) for name in ("answers", "options"))
    if gold and not answers and answerable is not False:
        raise fail("a question needs answers, or answerable: false", row.get("answers"))
    strata = {
        name: as_text(value) or ""
        for name, value in row.items()
        if name not in OWN_KEYS and (wanted is None or name in wanted)
    }
    cluster = row.get("cluster")
    return Question(
        identifier(source, row, line),
        row["question"],
        answers,
        choices,
        answerable,
        as_text(cluster),
        strata or NOTHING,
    )


def _told(
    source: Source,
    row: dict[str, Any],
    line: int,
    question: Question,
    *,
    stories: Stories,
    wanted: Sequence[str] | None,
) -> Question:
    """Return the question with its story, and the sentences that are accepted; those of one story move together."""
    name, accepted = as_text(row.get("story")), row.get("sentences")
    if name is None or name not in stories:
        rule = "there is no such story" if name is not None else "a question names its story"
        raise FormatError(source.path, rule, where=f"line {line}", value=name)
    story = stories[name]
    if accepted is not None:
        sound = isinstance(accepted, list) and all(type(i) is int and 0 <= i < len(story) for i in accepted)
        if not sound:
            rule = f"sentences must be a list of whole numbers from 0 to {len(story) - 1}, as the story has them"
            raise FormatError(source.path, rule, where=f"line {line}", value=accepted)
    strata = {key: value for key, value in question.strata.items() if key != "sentences"}
    if wanted is None or "question_word" in wanted:
        strata.setdefault("question_word", question_word(question.text))
    return replace(
        question,
        cluster=question.cluster or name,
        strata=strata,
        story=story,
        accepted=None if accepted is None else tuple(accepted),
    )


def _texts(value: Any, name: str, fail: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    items = value if isinstance(value, list) else [value]
    if any(isinstance(item, bool) or not isinstance(item, (str, int, float)) for item in items):
        raise fail(f"{name} must be a list of texts", value)
    return tuple(as_text(item) or "" for item in items)


def identifier(source: Source, row: dict[str, Any], line: int) -> str:
    """Return the `id` of a line, a text or a whole number; raises FormatError where it has none."""
    identity = row.get("id")
    if isinstance(identity, bool) or not isinstance(identity, (str, int)) or not str(identity).strip(WHITE):
        raise FormatError(source.path, "id must be a text or a whole number", where=f"line {line}", value=identity)
    return composed(str(identity).strip(WHITE)) or ""


def responses_of(
    source: Source, name: str, ids: set[str], faults: list[FormatError] | None = None
) -> dict[str, list[Response]]:
    """Read the responses of each run of a file to the questions of these ids; raises FormatError at the first unsound
    line, or puts each among the `faults` and leaves it out."""
    runs: dict[str, list[Response]] = {}
    # by run and rank, the line of each question and repeat of it
    seen: dict[tuple[str, int], dict[tuple[str, str | None], int]] = {}
    for row, line in json_lines(source, faults=faults):
        with collected(faults):
            response = _response(source, row, line)
            if response.question_id not in ids:
                raise FormatError(
                    source.path, "the questions do not have this id", where=f"line {line}", value=response.question_id
                )
            run = row.get("run", name)
            if not isinstance(run, str) or not run.strip(WHITE):
                raise FormatError(source.path, "run must be a text", where=f"line {line}", value=run)
            run = run.strip(WHITE)
            before = seen.setdefault((run, response.rank), {}).setdefault((response.question_id, response.repeat), line)
            if before != line:
                rule = (
                    f"the answer of rank {response.rank} to question {response.question_id!r} stands here again; it was"
                    f" on line {before}"
                )
                raise FormatError(source.path, rule, where=f"line {line}")
            runs.setdefault(run, []).append(response)
    for (run, rank), lines in seen.items():
        tops = lines if rank == 1 else seen.get((run, 1), {})
        for (question, repeat), line in lines.items():
            with collected(faults):
                if (question, repeat) not in tops:
                    rule = f"question {question!r} has lower ranks and no answer of rank 1"
                    raise FormatError(source.path, rule, where=f"line {line}")
    return runs


def _response(source: Source, row: dict[str, Any], line: int) -> Response:
    def fail(rule: str, value: object) -> FormatError:
        return FormatError(source.path, rule, where=f"line {line}", value=value)

    if "answer" not in row:
        raise fail("there is no answer; null means unanswered", list(row))
    answer = row["answer"]
    if isinstance(answer, (int, float)) and not isinstance(answer, bool):
        answer = as_text(answer)
    if answer is not None and not isinstance(answer, str):
        raise fail("answer must be a text or null", answer)
    answer = answer if answer and answer.strip() else None
    answered, confidence, rank, support = (row.get(name) for name in ("answered", "confidence", "rank", "support"))
    if answered is not None and not isinstance(answered, bool):
        raise fail("answered must be true or false", answered)
    if answered and answer is None:
        raise fail("answered is true and there is no answer", row["answer"])
    if confidence is not None and not _is_number(confidence):
        raise fail("confidence must be a finite number, or null", confidence)
    if rank is not None and not (_is_number(rank) and 1 <= rank <= _LAST_RANK and rank == int(rank)):
        raise fail(f"rank must be a whole number from 1 to {_LAST_RANK}", rank)
    answers = answer is not None if answered is None else answered
    return Response(
        identifier(source, row, line),
        answer,
        answers,
        None if confidence is None else float(confidence),
        int(rank or 1),
        as_text(support),
        document=as_text(row.get("doc")),
        repeat=as_text(row.get(REPEAT)),
    )


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


# ---- writing ----


@writer("questions", about="questions.jsonl and runs/NAME.jsonl (with stories.jsonl), in a folder", takes=Unjudged)
def write(unjudged: Unjudged, path: Path) -> WriteResult:
    """Write a collection and its runs. Questions of which only some have a story are written without stories."""
    questions = unjudged.collection.questions
    stories = story_names(questions) if all(question.story for question in questions) else {}
    strata = _strata_held(questions, stories)
    holds = {"options", "answers", "clusters", "confidence", "candidates", "ranks", "supports", "documents", "repeats"}
    holds |= {"stories", "accepted"} if stories else set()
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
        for run, stem in zip(answering, file_names([run.name for run in answering]), strict=True):
            named = {} if stem == run.name else {"run": run.name}
            write_lines(
                folder / "runs" / f"{stem}.jsonl", (response_row(response) | named for response in run.responses)
            )
    notes += without_answers(unjudged.runs)
    return WriteResult(what_is(unjudged), tuple(notes))


def _question_row(question: Question, strata: Sequence[str], stories: Mapping[tuple[str, ...], str]) -> dict[str, Any]:
    if not question.answers and question.answerable is not False:
        raise MismatchError(f"question {question.id!r} has no answer, and is not said to be unanswerable")
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
    """Return a question as a line of a collection without its gold: what a system is asked; `stories` names them."""
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
    }
    return row | {name: value for name, value in more.items() if value is not None}


def story_names(questions: Sequence[Question]) -> dict[tuple[str, ...], str]:
    """Return a name for each story: what its questions call it, or what they move together by, or a number."""
    names: dict[tuple[str, ...], str] = {}
    for question in questions:
        if question.story not in names:
            wanted = question.strata.get("story") or question.cluster or f"story {len(names) + 1}"
            taken = Counter(names.values())
            names[question.story] = wanted if not taken[wanted] else f"{wanted} ({len(names) + 1})"
    return names


def _strata_held(questions: Sequence[Question], stories: Mapping[tuple[str, ...], str]) -> list[str]:
    """Return the columns that questions can bear under their names: none that mean something else, here or in another
    format."""
    never = {*OWN_KEYS, "answer", "story", "sentences"} if stories else {*OWN_KEYS, "answer"}
    held: list[str] = []
    for name in dict.fromkeys(name for question in questions for name in question.strata):
        row = _question_row(questions[0], [*held, name], stories)
        source = Source("questions", columns=tuple(row), first=row, kind="lines")
        if name not in never and [f.name for f in takers(source)] == ["questions"]:
            held.append(name)
    return held
