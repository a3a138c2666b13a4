"""Read nescio's own questions, stories and runs in JSON Lines: answers that still need a judge.

Questions: `{"id", "question", "answers": [...], "options"?: [...], "answerable"?: bool, "cluster"?, …strata}`. A run:
`{"id", "answer": str|null, "answered"?: bool, "confidence"?: float, "rank"?: int, "support"?: str, "doc"?: str, "run"?:
str}`. `answer` may have another name, such as `prediction`, if the line has no other fields. Stories, if the questions
are about some: `{"id", "sentences": [...]}`. A question then names its story in `story`. It may list in `sentences`
those that are accepted as an answer, counted from 0. Measures such as `mean(cost_usd)` read further numbers of a run.

An answer that is null or has `"answered": false` abstains, unless its line says otherwise. If the line has an `error`
or a `status` that reports a failed or blocked call, such as `"error": "timeout"` or `"finish_reason":
"content_filter"`, the answer is not graded. An empty text without `"answered": false`, and an answer that is missing
because it was cut off (`"finish_reason": "length"`, `"truncated": true`), count as incorrect (`--empty`).
"""

from __future__ import annotations

from collections.abc import Sequence

from nescio.data.model import Collection
from nescio.data.notes import Note, note
from nescio.errors import MismatchError
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, Unjudged, reader
from nescio.sources.elements import part_of
from nescio.sources.source import LINES, Source
from nescio.tables.collection import read_collection, read_stories
from nescio.tables.lexicon import roles_of
from nescio.tables.responses import answer_key, read_runs
from nescio.text import enumerated


def recognise(source: Source) -> str | None:
    """Recognise JSON Lines of `id` and `question`, of `id` and `answer` (or another name for it, if there is nothing
    else), or of `id` and `sentences`."""
    if source.suffix not in LINES or "id" not in source.columns:
        return None
    key = answer_key(source.columns)
    if key and key != "answer":
        return None if isinstance(part_of(source.first, key), (list, dict)) else "answers"
    if {"outcome", "prediction"} & {*source.columns} or any(
        {"outcome", "wrong"} & {*roles_of(name)} for name in source.columns if name not in ("", "id", "answer")
    ):
        return None
    if key:
        return "answers"
    if "question" in source.columns:
        roles = {role for name in source.columns if name for role in roles_of(name)}
        # answers of systems with their grades, and without their texts
        graded = "answers" not in source.columns and {"run", "score"} <= roles
        return None if graded or "prediction" in roles else "gold"
    # The key of AutSent, written by `nescio read key`, has the numbers and the texts of sentences, and is not a story.
    return "stories" if "sentences" in source.columns and "texts" not in source.columns else None


def collection(parts: Sequence[SourceRole], options: ReadOptions) -> tuple[Collection, tuple[Note, ...]]:
    """Return the questions of one file, with their stories if another file has these, and notes."""
    gold, stories = ([source for part, source in parts if part == name] for name in ("gold", "stories"))
    if len(gold) != 1:
        named = enumerated([str(source.label) for source in gold])
        fault = f"{len(gold)} were given: {named}" if gold else "none was given"
        raise MismatchError(f"give one file of questions beside the answers; {fault}")
    if len(stories) > 1:
        raise MismatchError(f"{stories[0].label} and {stories[1].label} are both files of stories; give one")
    texts = read_stories(stories[0]) if stories else None
    questions = read_collection(gold[0], options, texts)
    return questions, tuple(_story_notes(questions, stories))


def _story_notes(questions: Collection, stories: Sequence[Source]) -> list[Note]:
    """Return a note that a file of stories groups the questions into clusters, which changes the intervals."""
    used = {question.story for question in questions.questions if question.story}
    if not stories or len(used) == len(questions.questions):
        return []
    return [
        note(
            "questions.stories",
            "{subject}: the {questions} questions are about {stories} {stories:story/stories}; questions about the "
            "same story are resampled together",
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
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Return a collection of questions from one file, and the runs in the other files, which answer the questions."""
    answers = [source for part, source in parts if part == "answers"]
    if not answers and len(gold := [source for part, source in parts if part == "gold"]) == 1:
        raise MismatchError(f"{gold[0].label} holds only questions; give the runs that answer these questions too")
    questions, notes = collection(parts, options)
    ids = {question.id for question in questions.questions}
    runs, files, unread = read_runs(answers, ids, supports=options.supports, graded=options.graded)
    return ReadResult(Unjudged(questions, runs, files), (*notes, *unread))
