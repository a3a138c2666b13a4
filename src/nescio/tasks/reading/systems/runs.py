"""List the systems, make their runs of a collection, and find the bundled stories."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec.structs import replace

from nescio.data.model import Collection, Question, Response, Run
from nescio.errors import UsageError, opt
from nescio.registry import Registry
from nescio.sources.writing import write_text
from nescio.tables.questions_writer import response_row
from nescio.tasks.ave.validator import Model
from nescio.tasks.reading.systems._system import Scored, System
from nescio.tasks.reading.systems.deep_read import deep_read, parse_switches
from nescio.tasks.reading.systems.loop import confidences, validated
from nescio.tasks.reading.systems.overlap import option_overlap, sentence_overlap, word_distance
from nescio.tasks.reading.systems.window import random_choice, sliding_window, window_distance

Make = Callable[[Collection, Iterable[str], int], System]
SYSTEMS: Registry[Make] = Registry("system")
SYSTEMS.update(
    {
        "deep-read": lambda _, switches, __: deep_read(switches),
        "sliding-window": lambda *_: sliding_window,
        "window-distance": lambda *_: window_distance,
        "option-overlap": lambda *_: option_overlap,
        "sentence-overlap": lambda *_: sentence_overlap,
        "word-distance": lambda *_: word_distance,
        "random": lambda collection, _, seed: random_choice(collection, seed),
    }
)
SENTENCES = ("deep-read", "random")  # systems that answer a question without options, by a sentence of its story


def answer(
    collection: Collection,
    system: str,
    threshold: float | None = None,
    *,
    switches: Iterable[str] = (),
    by_sentence: bool = False,
    seed: int = 0,
    wordnet: Path | str | None = None,
    validator: Model | None = None,
) -> Run:
    """Return a run in which a system answers every question from its story, and declines if the confidence is below
    `threshold`.

    The answer is an option, or a sentence of the story if there are no options or with `by_sentence`. `switches` and
    `wordnet` are for Deep Read, `seed` for `random`. With a `validator`, the confidence is the validator's. Raises
    UnknownNameError, UsageError, or MismatchError if a question lacks the story or options.
    """
    make = SYSTEMS.find(system)
    if threshold is not None and not 0 <= threshold <= 1:
        raise UsageError(f"threshold must be a number from 0 to 1 (found {threshold!r})")
    folder = None if wordnet is None else Path(wordnet)
    on = parse_switches(switches, folder)
    if on and system != "deep-read":
        raise UsageError(f"{system} has no switches; only deep-read has {', '.join(on)}")
    if by_sentence and system not in SENTENCES:
        raise UsageError(
            f"{system} chooses among options; the systems that answer by a sentence are {' and '.join(SENTENCES)}"
        )
    questions = tuple(replace(q, options=()) if by_sentence else q for q in collection.questions)
    if folder is not None and "Sem" not in on:
        raise UsageError(f"{opt('wordnet')} needs the switch Sem of deep-read, which reads WordNet")
    choose = make(collection, on, seed) if folder is None else deep_read(on, folder)
    name = f"{system}-{''.join(on)}" if on else system
    if validator is None:
        limit = threshold or 0.0
        responses = tuple(_respond(question, choose(question), limit) for question in questions)
        return Run(f"{name}@{limit:.2f}", responses, {"system": name, "threshold": str(limit)})
    least = validator.thresholds["c@1"] if threshold is None else threshold
    sure = confidences(replace(collection, questions=questions), validator)
    responses = tuple(validated(question, choose(question), sure, least) for question in questions)
    about = {"system": name, "validated": "none" if least is None else f"{least:.6g}"}
    return Run(f"{name}-validated", responses, about)


def _respond(question: Question, scored: Scored, threshold: float) -> Response:
    answer = (question.options or question.story)[scored.best]
    support = question.story[scored.support] if question.options else None
    return Response(question.id, answer, scored.confidence >= threshold, scored.confidence, support=support)


def bundled() -> Path:
    """Return the folder of the stories that come with the package: `stories.jsonl` and `questions.jsonl`."""
    return Path(__file__).parents[1] / "stories"


def write_run(run: Run, path: Path | str) -> None:
    """Write a run as JSON Lines, completely or not at all.

    Each row has the run's name, unless it is the name of the file.
    """
    path = Path(path)
    named = {} if path.stem == run.name else {"run": run.name}
    rows = [response_row(response) | named for response in run.responses]
    write_text(path, "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows))
