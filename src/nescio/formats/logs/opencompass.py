"""OpenCompass: `results/<model>/<dataset>.json` with details, and `predictions/<model>/<dataset>.json`.

Both hold their items by number ("0", "1", …), so that a question is called by its dataset and its number: there is no
other text of it than the prompt. A run is a model, its datasets are a stratum. `correct` of the details is the outcome;
a prediction from which nothing was extracted, or an empty one, is silence. Where the options' perplexities decide (type
PPL) there is no text. The tool's accuracy is in percent, over all items.

Details of evaluators that give no verdict (`predictions` and `references` alone) are judged here (`--judge`), the
references being the gold. Results without details (`dump_details=False`) hold figures alone: their items are in the
predictions, which are judged here by their `gold`, where they have it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nescio.data.model import Collection, Question, Response, Run
from nescio.data.notes import Note, note
from nescio.errors import FormatError, MismatchError
from nescio.formats.logs.graded import SAID_SO, Graded, declined
from nescio.formats.logs.grading import EMPTY, NO_FORM, compared, number
from nescio.formats.logs.metrics import Marked, by_metric
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, Unjudged, reader
from nescio.sources.elements import part_of
from nescio.sources.source import Source, own_path

CORRECT = "correct"
PREDICTION = {"origin_prompt", "prediction"}
_FIGURES = ("accuracy", "score", "exact_match", "pass@1", "rouge1", "bleu")
_SHARD = re.compile(r"_\d+$")


def recognise(source: Source) -> str | None:
    """Recognise a document of `details` by number (or a list) that say `correct`, `pred` or `predictions`; one of
    numbered items with `origin_prompt` and `prediction`; or figures alone in a folder `results`."""
    document = source.document
    if source.kind != "document" or not isinstance(document, dict) or not document:
        return None
    details = _details(document)
    if details and isinstance(details[0][1], dict) and {*details[0][1]} & {CORRECT, "pred", "predictions"}:
        return "results"
    first = document.get("0")
    if (
        isinstance(first, dict)
        and "prediction" in first
        and ({*first} >= PREDICTION or any(str(key).startswith("label: ") for key in first))
    ):
        return "predictions"
    folders = source.path.absolute().parts[-3:-2] if source.path else ()
    figures = all(isinstance(value, (int, float, str)) for value in document.values())
    return "figures" if folders == ("results",) and figures and {*document} & {*_FIGURES} else None


def _details(document: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the details by number, in order."""
    held = document.get("details")
    if isinstance(held, list):
        return [(str(i), one) for i, one in enumerate(held)]
    if isinstance(held, dict):
        return [(str(name), one) for name, one in held.items() if str(name).isdecimal()]
    return []


@reader(
    "opencompass",
    about="OpenCompass's results with details, or its predictions: items by number, MODEL/DATASET.json",
    recognise=recognise,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read the datasets of every model as a run: by the verdicts of the results where there are any, else the
    predictions, to be judged here."""
    notes: list[Note] = []
    results = [source for part, source in parts if part == "results"]
    predictions = [source for part, source in parts if part == "predictions"]
    figures = [source for part, source in parts if part == "figures"]
    if not results and not predictions:
        raise FormatError(figures[0].label, _why_figures_alone(figures[0]))
    if not results:
        notes += _left_out(figures)
        return ReadResult(_unjudged(predictions, options), tuple(notes))
    if not any(_has_verdict(source) for source in results):
        notes += _left_out([*predictions, *figures])
        return ReadResult(_unjudged(results, options), tuple(notes))
    there = {_place(source) for source in results}
    if lacking := [source for source in predictions if _place(source) not in there]:
        rule = "these predictions have no results with details beside them; score them apart from those that have"
        raise MismatchError(f"{lacking[0].label}: {rule}")
    notes += _left_out([*predictions, *figures])
    several = len({task for _, task in there}) > 1
    answers: list[Marked] = []
    for source in results:
        own = list(_answers(source, options, several=several))
        answers += own
        notes += _against_figure(own, source)
    return by_metric(answers, results[0].label, options, notes, keep=("task",) if several else ())


def _has_verdict(source: Source) -> bool:
    """Say whether some item of the results says if it is correct."""
    return any(isinstance(item, dict) and item.get(CORRECT) is not None for _, item in _details(source.document))


def _left_out(sources: Sequence[Source]) -> Iterator[Note]:
    if sources:
        yield note(
            "opencompass.not_read",
            "{files:n file} without verdicts not read: {names:list 3}",
            files=len(sources),
            names=[str(source.label) for source in sources],
        )


def _place(source: Source) -> tuple[str, str]:
    """Return the model and the dataset by the folder and the name of a file; parts of one dataset are numbered."""
    path = own_path(source.label)
    above = path.parent.parent.name in ("results", "predictions")
    return (path.parent.name if above else source.stem), (_SHARD.sub("", source.stem) if above else source.stem)


def _why_figures_alone(source: Source) -> str:
    shown = [f"{name} {source.document[name]:g}" for name in _FIGURES if _is_number(source.document.get(name))]
    held = f" ({', '.join(shown)})" if shown else ""
    model, dataset = _place(source)
    return (
        f"it holds figures{held} and no items: those are in predictions/{model}/{dataset}.json beside results, or in "
        "here where dump_details is set"
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


# ---- results with details ----


def _answers(source: Source, options: ReadOptions, *, several: bool) -> Iterator[Marked]:
    run, task = _place(source)
    for name, item in _details(source.document):
        where = f"details {name}"
        if not isinstance(item, dict):
            raise FormatError(source.label, "an item must be an object", where=where, value=item)
        graded = Graded(
            run,
            f"{task}/{name}" if several else name,
            0,
            strata={"task": task} if several else {},
            where=where,
            path=source.label,
        )
        yield Marked(graded, {CORRECT: _verdict(source, item, where)}, _silence(item, options), task=task)


def _verdict(source: Source, item: Mapping[str, Any], where: str) -> float:
    """Return what an item says of its answer: true, a number, or a list of one; NaN where it says nothing."""
    value = item.get(CORRECT)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    mark = number(value)
    if value is not None and mark is None:
        raise FormatError(source.label, "correct must be true or false", where=where, value=value)
    return math.nan if mark is None else mark


def _silence(item: Mapping[str, Any], options: ReadOptions) -> str | None:
    """Say why an item has no answer: nothing was said, nothing was extracted of it, or that the model does not know."""
    said, drawn = item.get("origin_prediction"), item.get("predictions", item.get("pred"))
    if isinstance(said, dict):  # perplexities of the options
        return None
    said, drawn = _first(said), _first(drawn)
    if any(declined(options, text) for text in (drawn, said)):
        return SAID_SO
    if said is not None and not said.strip():
        return EMPTY
    if drawn is not None and drawn.strip() in ("", "None", "[]"):
        return NO_FORM if said else EMPTY
    return None


def _first(value: Any) -> str | None:
    """Return a text, or the only one of a list."""
    if isinstance(value, list):
        value = value[0] if len(value) == 1 else " ".join(str(one) for one in value)
    return value if isinstance(value, str) else None


def _against_figure(answers: Sequence[Marked], source: Source) -> Iterator[Note]:
    """Note where the tool's accuracy, in percent, is not what its details give."""
    own = number(source.document.get("accuracy"))
    if own is not None:
        scores = [answer.scores[CORRECT] for answer in answers]
        if abs(own / 100 - sum(s for s in scores if not math.isnan(s)) / len(scores)) > _ROUNDED:
            yield from compared(own / 100, None, scores, "accuracy", source.name)


_ROUNDED = 5e-5  # accuracies are rounded to two decimals of a percent, at most


# ---- predictions ----


def _unjudged(sources: Sequence[Source], options: ReadOptions) -> Unjudged:
    """Return the predictions with their gold answers, to be judged here; raises FormatError where there is no gold."""
    questions: dict[str, Question] = {}
    runs: dict[str, list[Response]] = {}
    files: dict[str, str] = {}
    for source in sources:
        run, task = _place(source)
        files.setdefault(run, str(source.label))
        begun = sum(response.question_id.startswith(f"{task}/") for response in runs.get(run, ()))
        items = _details(source.document) or list(source.document.items())
        for name, item in items:
            if not isinstance(item, dict) or not str(name).isdecimal():
                rule = "each item must be an object, called by its number"
                raise FormatError(source.label, rule, where=f"item {name}", value=item)
            gold = item.get("gold", item.get("references", item.get("answer")))
            if gold is None and options.gold:
                rule = "these predictions have no gold answer: results with details (dump_details) say which are right"
                raise FormatError(source.label, rule, where=f"item {name}")
            question = f"{task}/{int(name) + begun}"
            answers = tuple(map(str, gold)) if isinstance(gold, list) else () if gold is None else (str(gold),)
            questions.setdefault(question, Question(question, _prompt(item), answers, strata={"task": task}))
            text = _first(item.get("prediction", item.get("predictions", item.get("pred")))) or ""
            runs.setdefault(run, []).append(Response(question, text or None, bool(text.strip())))
    collection = Collection("opencompass", tuple(questions.values()))
    answering = tuple(Run(name, tuple(responses)) for name, responses in runs.items())
    return Unjudged(collection, answering, tuple(files[run.name] for run in answering))


def _prompt(item: Mapping[str, Any]) -> str:
    """Return the last thing that was asked of the model."""
    asked = item.get("origin_prompt", item.get("prompt"))
    if isinstance(asked, str):
        return asked
    turns = [part_of(turn, ("prompt",)) for turn in asked] if isinstance(asked, list) else []
    return next((turn for turn in reversed(turns) if isinstance(turn, str) and turn.strip()), "")
