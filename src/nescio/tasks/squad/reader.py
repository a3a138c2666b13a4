"""SQuAD 2.0: the gold, predictions `{id: text}` of any number of runs, and no-answer probabilities or odds `{id:
number}`.

An empty prediction is an abstention, which is right for a question without an answer. The script evaluate-v2.0.py
scores every question by exact match and by token F1; both are columns (`squad.exact`, `squad.f1`), equal to the
script's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from nescio.data.columns import Array
from nescio.data.merged_runs import mixed_files
from nescio.data.model import Collection, Response, Run
from nescio.data.notes import Note
from nescio.data.outcomes import SAID_SO
from nescio.errors import MismatchError
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, Unjudged, by_role, reader
from nescio.sources.source import Source, own_path
from nescio.tasks.squad.gold import questions, read_gold
from nescio.tasks.squad.predictions import (
    FIGURES,
    confidence,
    match_odds,
    read_predictions,
    run_names,
    tuned_note,
)
from nescio.tasks.squad.scores import score_texts

MEASURES = ("squad.EM", "squad.F1", "c@1", "accuracy", "coverage")
_OTHERS = {"run", "question", "outcome", "answer", "id", "testRunLink"}  # keys of single objects in other formats


def recognise(source: Source) -> str | None:
    """Recognise one JSON object: of `data` with `paragraphs` (gold), or of texts (answers) or numbers (odds) keyed by
    question."""
    document = source.document
    if source.kind != "document" or not isinstance(document, dict) or not document:
        return None
    if isinstance(data := document.get("data"), list):
        return "gold" if data and isinstance(data[0], dict) and "paragraphs" in data[0] else None
    if _OTHERS & document.keys():
        return None
    kinds = {type(value) for value in document.values()}
    if str in kinds and kinds <= {str, type(None)}:
        return "answers"
    figures = FIGURES & document.keys() or any(":" in name for name in document)
    return "odds" if float in kinds and kinds <= {int, float} and not figures else None


@reader(
    "squad2",
    about="SQuAD 2.0: the gold, predictions {id: text}, and no-answer probabilities or odds {id: number}",
    recognise=recognise,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read one gold file and the predictions of runs, which are named by their files; runs may have no-answer odds."""
    by_part = by_role(parts)
    _belong_together(by_part["gold"], by_part["answers"], by_part["odds"])
    notes: list[Note] = []
    gold = read_gold(by_part["gold"][0])
    by_part["gold"][0].document.clear()  # It is not needed again, and larger than the data made from it.
    names = run_names(by_part["answers"])
    predictions = {
        name: read_predictions(source, name, gold, notes)
        for name, source in zip(names, by_part["answers"], strict=True)
    }
    odds = match_odds(by_part["odds"], by_part["answers"], names, options)
    of_runs = [*zip(names, by_part["answers"], strict=True), *((name, source) for name, (source, _) in odds.items())]
    notes += mixed_files(((name, own_path(source.label).parent) for name, source in of_runs), names, "folders")
    runs, exact, f1 = [], [], []
    for name, predicted in predictions.items():
        texts = predicted
        if options.declined.asked:
            texts = {question: "" if options.declined.matches(text) else text for question, text in predicted.items()}
        scores = score_texts(gold.golds, texts)
        surely = confidence(odds[name], name, gold, notes) if name in odds else {}
        runs.append(Run(name, tuple(_responses(texts, surely, predicted))))
        if name in odds:
            notes.append(tuned_note(name, gold, texts, scores, odds[name][1]))
        exact.append(scores.exact)
        f1.append(scores.f1)
    files = tuple(str(source.label) for source in by_part["answers"])
    more: dict[str, Array] = {"squad.exact": np.stack(exact), "squad.f1": np.stack(f1)}
    collection = Collection(by_part["gold"][0].stem, questions(gold, options))
    return ReadResult(Unjudged(collection, tuple(runs), files, more, judge="exact"), tuple(notes), MEASURES)


def _belong_together(gold: Sequence[Source], answers: Sequence[Source], odds: Sequence[Source]) -> None:
    if not gold:
        source, what = (
            (answers[0], "texts by question id, as SQuAD's predictions do")
            if answers
            else (odds[0], "numbers by question id, as SQuAD's no-answer odds do")
        )
        raise MismatchError(f"{source.label} holds {what}; also give the gold file")
    if len(gold) > 1:
        raise MismatchError(f"{gold[0].label} and {gold[1].label} are both gold files of SQuAD; give one")
    if not answers:
        raise MismatchError(f"{gold[0].label} is a SQuAD gold file; also give the predictions of the runs")


def _responses(
    texts: Mapping[str, str], surely: Mapping[str, float], predicted: Mapping[str, str]
) -> Iterator[Response]:
    for question, text in texts.items():
        if text.strip():
            yield Response(question, text, True, surely.get(question))
        else:
            yield Response(question, None, False, why=SAID_SO if predicted[question] != text else None)
