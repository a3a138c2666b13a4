"""OpenCompass: `results/<model>/<dataset>.json` with details, and `predictions/<model>/<dataset>.json`.

Both hold their items by number ("0", "1", …), so a question is identified by its dataset and its number; its only text
is the prompt. A run is a model, its datasets are a stratum. The verdict of the details is the outcome (see
`opencompass.details`); a prediction that a judge calls not attempted abstains. One from which nothing was extracted
counts as incorrect (`--unparsed`), and so does an empty one (`--empty`). If the options' perplexities decide (type
PPL), there is no text. The tool's accuracy is in percent, over all items. Copies of a dataset (`n`) are repeats.

Details of evaluators that give no verdict (`predictions` and `references` alone) are judged here (`--judge`), with the
references as gold. Results without details (`dump_details=False`) hold only figures: their items are in the
predictions, which are judged here by their `gold`, if they have it. A file `<dataset>_replica0.json` in `results` looks
like predictions but holds the texts of a judge: its letters are verdicts whose details are missing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nescio.data.model import Collection, Question, Response, Run
from nescio.data.notes import Note, note
from nescio.data.reasons import EMPTY
from nescio.errors import FormatError, MismatchError
from nescio.formats.logs.graded import Graded
from nescio.formats.logs.grading import folded, in_brackets, number
from nescio.formats.logs.metrics import Marked, by_metric
from nescio.formats.logs.opencompass.details import answers_of, are_details, copies, details_of, first, has_verdict
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, Unjudged, reader
from nescio.formats.totals import Total, contradictions
from nescio.sources.elements import as_list, part_of, texts_in
from nescio.sources.source import Source, own_path

CORRECT = "correct"
PREDICTION = {"origin_prompt", "prediction"}
_FIGURES = ("accuracy", "score", "exact_match", "pass@1", "rouge1", "bleu")
_SHARD = re.compile(r"_\d+$")
_JUDGE = re.compile(r"(_llm_judge)?_replica(\d+)$")
_ACCURACY = re.compile(r"accuracy( \(\d+ runs average\))?")


def recognise(source: Source) -> str | None:
    """Recognise a document of `details` by number (or a list) in the tool's own names, with `accuracy` in percent; one
    of numbered items with `origin_prompt` and `prediction`; or figures alone in a folder `results`."""
    document = source.document
    if source.kind != "document" or not isinstance(document, dict) or not document:
        return None
    if are_details(document):
        return "results"
    one = document.get("0")
    if (
        isinstance(one, dict)
        and "prediction" in one
        and ({*one} >= PREDICTION or any(str(key).startswith("label: ") for key in one))
    ):
        return "judge" if _JUDGE.search(source.stem) else "predictions"
    folders = source.path.absolute().parts[-3:-2] if source.path else ()
    figures = all(isinstance(value, (int, float, str)) for value in document.values())
    return "figures" if folders == ("results",) and figures and {*document} & {*_FIGURES} else None


@reader(
    "opencompass",
    about="OpenCompass's results with details, or its predictions: items by number, MODEL/DATASET.json",
    recognise=recognise,
    sniff_keys={"object": ("details", "0", *_FIGURES)},
    files=("results/*/*.json", "predictions/*/*.json"),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read the datasets of every model as a run: by the verdicts of the results where there are any, else the
    predictions, to be judged here.

    Raises MismatchError where a dataset of a model stands in the folders of two runs of the tool."""
    _check_places([source for _, source in parts])
    notes: list[Note] = []
    by_part: dict[str, list[Source]] = {"results": [], "predictions": [], "judge": [], "figures": []}
    for part, source in parts:
        by_part[part].append(source)
    results, predictions, figures = by_part["results"], by_part["predictions"], by_part["figures"]
    there = {_place(source) for source in (*results, *by_part["judge"], *figures)}
    if any(has_verdict(source) for source in results):
        results = [source for source in results if has_verdict(source)]
    judges = [] if results else [source for source in by_part["judge"] if not _judges_some(source)]
    left = [source for part in by_part for source in by_part[part] if part != "predictions" and source not in results]
    if not judges and not any(has_verdict(source) for source in results):
        asked = results or predictions
        if not asked:
            given = [*figures, *by_part["judge"]]
            raise FormatError(given[0].label, _why_no_items(given[0]))
        notes += _left_out([source for source in [*left, *predictions] if source not in asked])
        return ReadResult(_unjudged(asked, options), tuple(notes))
    verdicts = judges or results
    if lacking := [source for source in predictions if _place(source) not in there]:
        rule = "these predictions have no results with details beside them; score them separately from those that have"
        raise MismatchError(f"{lacking[0].label}: {rule}")
    graded = {_place(source) for source in verdicts}
    unjoined = [source for source in predictions if _place(source) not in graded]
    notes += _left_out([*unjoined, *(source for source in left if source not in judges)])
    several = len({task for _, task in graded}) > 1
    answers: list[Marked] = []
    for source in verdicts:
        shards = sorted((one for one in predictions if _place(one) == _place(source)), key=_shard)
        texts = [text for shard in shards for text in _said(shard)]
        own = list(_answers(source, texts, options, several=several))
        answers += own
        notes += _against_figure(own, source)
    return by_metric(answers, verdicts[0].label, options, notes, keep=("task",))


def _judges_some(source: Source) -> bool:
    """Say whether a judge's texts are of the answers alone that rules had called wrong."""
    match = _JUDGE.search(source.stem)
    return bool(match and match[1])


def _items(source: Source) -> list[tuple[str, Any]]:
    """Return the details, or the items of a file that is nothing but items, by number."""
    return details_of(source.document) or [
        (str(name), item) for name, item in source.document.items() if str(name).isdecimal()
    ]


def _shard(source: Source) -> int:
    match = _SHARD.search(source.stem)
    return int(match[0][1:]) if match else 0


def _said(source: Source) -> list[str]:
    return [first(item.get("prediction")) or "" for _, item in _items(source) if isinstance(item, dict)]


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
    stem = _JUDGE.sub("", source.stem)
    return (path.parent.name if above else stem), (_SHARD.sub("", stem) if above else stem)


def _check_places(sources: Sequence[Source]) -> None:
    """Raise MismatchError where a dataset of a model stands in two folders of results, or of predictions: the folders
    of two runs of the tool hold other answers, and no replicas."""
    first: dict[tuple[str, tuple[str, str]], tuple[Path, Source]] = {}
    for source in sources:
        path, place = own_path(source.label), _place(source)
        above = path.parent.parent.name in ("results", "predictions")
        folder = path.parent.parent if above else path.parent
        before, other = first.setdefault((folder.name if above else "", place), (folder, source))
        if before != folder:
            renamed = f"folders {place[0]}" if above else "files"
            raise MismatchError(
                f"{other.label} and {source.label} would both become run {place[0]!r}: these are not repeats; rename "
                f"one of the {renamed}, or give one of them at a time"
            )


def _why_no_items(source: Source) -> str:
    held = in_brackets(
        [f"{name} {source.document[name]:g}" for name in _FIGURES if _is_number(source.document.get(name))]
    )
    model, dataset = _place(source)
    if _JUDGE.search(source.stem):
        return (
            "these are a judge's texts on the answers that rules had called wrong, and not the answers: the verdicts "
            f"are in results/{model}/{dataset}.json, if dump_details is set"
        )
    return (
        f"it holds figures{held} and no items: those are in predictions/{model}/{dataset}.json beside "
        "results, or in here if dump_details is set"
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


# ---- results with details ----


def _answers(source: Source, texts: Sequence[str], options: ReadOptions, *, several: bool) -> Iterator[Marked]:
    run, task = _place(source)
    replica = _JUDGE.search(source.stem)
    items, before = _items(source), int(replica[2]) if replica else 0
    for answer in answers_of(source, items, texts[before * len(items) :], options, replicas=replica is None):
        graded = Graded(
            run,
            f"{task}/{answer.number}" if several else answer.number,
            0,
            strata={"task": task} if several else {},
            where=f"details {answer.number}",
            path=source.label,
            repeat=answer.repeat if replica is None else before + 1,
            texts=answer.texts,
        )
        yield Marked(graded, {CORRECT: answer.verdict}, answer.silent, task=task)


def _against_figure(answers: Sequence[Marked], source: Source) -> Iterator[Note]:
    """Note where the tool's accuracy (or its score, where it has none), in percent, is not what its details give."""
    named = (name for name in source.document if _ACCURACY.fullmatch(str(name)))
    name = next(named, "score")
    own = number(source.document.get(name))
    if own is not None:
        scores = [answer.scores[CORRECT] for answer in answers]
        over_all = sum(score for score in scores if not math.isnan(score)) / len(scores)
        what = "score" if name == "score" else "accuracy"
        yield from contradictions([Total(source.name, what, own / 100, (folded(scores), over_all), rounding=_ROUNDED)])


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
        items = details_of(source.document) or list(source.document.items())
        places = copies([item for _, item in items]) if all(isinstance(item, dict) for _, item in items) else None
        for i, (name, item) in enumerate(items):
            if not isinstance(item, dict) or not str(name).isdecimal():
                rule = "each item must be an object, called by its number"
                raise FormatError(source.label, rule, where=f"item {name}", value=item)
            gold = item.get("gold", item.get("references", item.get("answer")))
            if gold is None and options.gold:
                rule = "these predictions have no gold answer: results with details (dump_details) say which are right"
                raise FormatError(source.label, rule, where=f"item {name}")
            at, repeat = places[i] if places is not None else (int(name), None)
            question = f"{task}/{at + begun}"
            answers = tuple(map(str, gold)) if isinstance(gold, list) else () if gold is None else (str(gold),)
            questions.setdefault(question, Question(question, _prompt(item), answers, strata={"task": task}))
            text = first(item.get("prediction", item.get("predictions", item.get("pred")))) or ""
            runs.setdefault(run, []).append(
                Response(
                    question,
                    text or None,
                    bool(text.strip()),
                    why=None if text.strip() else EMPTY,
                    repeat=None if repeat is None else str(repeat),
                )
            )
    collection = Collection("opencompass", tuple(questions.values()))
    answering = tuple(Run(name, tuple(responses)) for name, responses in runs.items())
    return Unjudged(collection, answering, tuple(files[run.name] for run in answering))


def _prompt(item: Mapping[str, Any]) -> str:
    asked = item.get("origin_prompt", item.get("prompt"))
    if isinstance(asked, str):
        return asked
    turns = texts_in([part_of(turn, "prompt") for turn in as_list(asked)])
    return next((turn for turn in reversed(turns) if turn.strip()), "")
