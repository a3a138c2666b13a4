"""Join the topics that teams and assessors see with the answers in the key: the topics say what is scored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from nescio.data.model import Question
from nescio.errors import MismatchError, shorten
from nescio.formats import ReadOptions, open_source
from nescio.judging.choice import option
from nescio.people.campaigns.folder import KEY, TOPICS, Campaign
from nescio.people.campaigns.settings import Settings
from nescio.people.campaigns.topics import Part, exercises_of, in_language
from nescio.pipeline import read_collection
from nescio.tasks.ave.exercise import Exercise
from nescio.tasks.pan.truth import Truth, read_truth
from nescio.text import enumerated, squeeze


def keyed(questions: Iterable[Question], files: Sequence[Path]) -> list[Question]:
    """Return questions as the topics state them, with the gold answers and the sentences of the key.

    The key's own texts and options do not count, because nobody saw them. Raises MismatchError for questions that the
    key lacks, for one whose gold answer is not among its options, and for one whose right sentences are others.
    """
    questions = list(questions)
    collection, _ = read_collection(list(files), ReadOptions(gold=False))
    keys = {question.id: question for question in collection.questions}
    _refuse_lacking([question.id for question in questions if question.id not in keys])
    return [_keyed(question, keys[question.id]) for question in questions]


def _keyed(question: Question, key: Question) -> Question:
    if question.story and key.story and key.accepted and _sentences(question, key) != _sentences(key, key):
        raise MismatchError(
            f"{TOPICS}/ and {KEY}/ state other sentences for the story of {question.id!r} where the key says that "
            "they are right; state the same story in both"
        )
    return replace(
        key,
        text=question.text,
        options=question.options,
        answers=_gold(question, key),
        story=question.story or key.story,
        cluster=question.cluster or key.cluster,
        strata={**key.strata, **question.strata},
    )


def _gold(question: Question, key: Question) -> tuple[str, ...]:
    """Return the gold answers of the key; where the topics state other options, by the texts of these options."""
    if question.options == key.options:
        return key.answers
    named = [option(key, gold) for gold in key.answers]
    texts = [gold if at is None else key.options[at] for gold, at in zip(key.answers, named, strict=True)]
    if not question.options or (not key.options and all(option(question, gold) is not None for gold in texts)):
        return tuple(texts)
    alike = [[choice for choice in question.options if squeeze(choice) == squeeze(text)] for text in texts]
    golds = [text if text in ones else ones[0] for text, ones in zip(texts, alike, strict=True) if ones]
    if len(golds) < len(texts):
        raise MismatchError(
            f"{TOPICS}/ and {KEY}/ state other options for {question.id!r}, and not both have the right answer "
            f"({shorten(', '.join(texts))}); state the same options in both"
        )
    return tuple(golds)


def _sentences(question: Question, key: Question) -> list[str]:
    """Return the sentences of a question's story that the key calls right, as far as the story has them."""
    return [squeeze(question.story[at]) for at in key.accepted or () if at < len(question.story)]


def valued(part: Part, files: Sequence[Path]) -> Exercise:
    """Return the collection of AVE as the topics of one language state it, with the values of the key.

    Raises MismatchError for an answer that the key lacks or that has another text there, and if two files state two
    values of an answer, or two numbers of available answers.
    """
    assert part.exercise is not None
    pairs = [
        (in_language(exercise, part.language) if part.language else exercise, path)
        for exercise, path in exercises_of(files)
    ]
    stated: dict[str, tuple[object, Path]] = {}
    for exercise, path in pairs:
        values: dict[str, object] = {
            f"answer {' '.join(candidate.key)}": candidate.value for candidate in exercise.candidates
        }
        values |= {f"the answers available in {name}": count for name, count in exercise.available.items()}
        for what, value in values.items():
            before, other = stated.setdefault(what, (value, path))
            if before != value:
                rule = f"state two values of {what} ({before or 'none'} and {value or 'none'})"
                raise MismatchError(f"{other} and {path} {rule}; keep one of these files in {KEY}/")
    exercises = [exercise for exercise, _ in pairs]
    keys = {candidate.key: candidate for exercise in exercises for candidate in exercise.candidates}
    candidates = part.exercise.candidates
    _refuse_lacking([" ".join(candidate.key) for candidate in candidates if candidate.key not in keys])
    for candidate in candidates:
        if [*map(squeeze, (candidate.answer, candidate.text))] != [
            *map(squeeze, (keys[candidate.key].answer, keys[candidate.key].text))
        ]:
            raise MismatchError(
                f"{TOPICS}/ and {KEY}/ state other texts for the answer {candidate.id!r} to {candidate.question_id!r}; "
                "state the same texts in both"
            )
    whole = len(candidates) == len(keys)
    available = {name: count for exercise in exercises for name, count in exercise.available.items()} if whole else {}
    return replace(
        part.exercise, candidates=tuple(keys[candidate.key] for candidate in candidates), available=available
    )


def true_of(part: Part, path: Path) -> Truth:
    """Return the truth of PAN's problems in the topics. Raises MismatchError for a problem that the truth lacks."""
    truth = read_truth(open_source(path))
    _refuse_lacking([problem for problem in part.questions if problem not in truth.same])
    same = {problem: value for problem, value in truth.same.items() if problem in part.questions}
    return Truth(same, {problem: truth.strata[problem] for problem in same})


def _refuse_lacking(names: Sequence[str]) -> None:
    if names:
        more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
        raise MismatchError(
            f"{KEY}/ has no answer to {names[0]!r}{more} of {TOPICS}/; add them to the key, or leave them out of the "
            "topics"
        )


def key_judge(settings: Settings, questions: Iterable[Question]) -> str:
    """Return the judge of the answers that people did not judge; empty if only people judge."""
    return settings.judge or ("choice" if all(question.options for question in questions) else "")


def without_answer(questions: Iterable[Question]) -> list[str]:
    """Return the ids of questions to which the key has no answer, though it does not say that there is none."""
    return [q.id for q in questions if not q.answers and q.accepted is None and q.answerable is not False]


def check_key(campaign: Campaign) -> str:
    """Return a sentence on the questions that people must judge, because the key has no answer; empty if none.

    Raises MismatchError for a key that does not fit the topics.
    """
    parts, files, task = campaign.topics().parts, campaign.key_files, campaign.settings.task
    lacking: list[str] = []
    for part in parts.values() if files else ():
        if task in ("qa", "reading"):
            questions = keyed(part.questions.values(), files)
            lacking += without_answer(questions) if task == "reading" or key_judge(campaign.settings, questions) else []
        elif task == "ave":
            valued(part, files)
        elif task == "pan":
            true_of(part, files[0])
    if not lacking:
        return ""
    return f"{KEY}/ has no answer to {enumerated(lacking)}: people must judge the answers, or the key needs one"
