"""SQuAD 2.0: the gold, predictions `{id: text}` of any number of runs, and no-answer probabilities or odds `{id:
number}`.

An empty prediction is silence, and on a question without an answer it is right. The script evaluate-v2.0.py scores
every question by exact match and by token F1; both are kept as columns (`squad_exact`, `squad_f1`), equal to the
script's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nescio.data.columns import Array
from nescio.data.model import NOTHING, Collection, Question, Response, Run
from nescio.data.notes import Note, note
from nescio.errors import FormatError, MismatchError
from nescio.formats.benchmarks.squad2 import writing
from nescio.formats.benchmarks.squad2.scores import Golds, Scores, best, score_texts
from nescio.formats.logs.graded import SAID_SO, choose, declined
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, Unjudged, WriteResult, reader, writer
from nescio.sources.opening import open_source
from nescio.sources.source import Source, name_runs

MEASURES = ("squad.EM", "squad.F1", "c@1", "accuracy", "coverage")
_FIGURES = {"exact", "f1", "score", "total", "accuracy"}  # keys of a report on figures, which is no file of odds
_OTHERS = {"run", "question", "outcome", "answer", "id", "testRunLink"}  # keys of one object of another format
_PREFIX = re.compile(r"^(?:pred(?:iction)?s?)[_\-.](?=.)", re.IGNORECASE)
_GENERIC = {
    "pred",
    "preds",
    "prediction",
    "predictions",
    "na",
    "no",
    "noans",
    "answer",
    "null",
    "odds",
    "prob",
    "probs",
}


def recognise(source: Source) -> str | None:
    """Recognise one JSON object: of `data` with `paragraphs` (gold), of texts (answers) or of numbers (odds) by
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
    figures = _FIGURES & document.keys() or any(":" in name for name in document)
    return "odds" if float in kinds and kinds <= {int, float} and not figures else None


class _Asked(NamedTuple):
    """A question of the gold, its article, and where it stands: in which article, paragraph and place, from 0."""

    id: str
    text: str
    answers: tuple[str, ...]
    article: str
    data: int
    paragraph: int
    qas: int

    @property
    def place(self) -> str:
        """Where it stands, as a message says it."""
        return f"data[{self.data}].paragraphs[{self.paragraph}].qas[{self.qas}]"


@dataclass(frozen=True, slots=True)
class _Gold:
    asked: tuple[_Asked, ...]
    golds: Golds


@reader(
    "squad2",
    about="SQuAD 2.0: the gold, predictions {id: text}, and no-answer probabilities or odds {id: number}",
    recognise=recognise,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read one gold file, the predictions of runs, each named by its file, and the odds of some of them."""
    by_part = {name: [source for part, source in parts if part == name] for name in ("gold", "answers", "odds")}
    _belong_together(by_part["gold"], by_part["answers"], by_part["odds"])
    notes: list[Note] = []
    gold = _read_gold(by_part["gold"][0])
    by_part["gold"][0].document.clear()  # not looked at again, and larger than what was made of it
    names = _run_names(by_part["answers"])
    predictions = {
        name: _read_predictions(source, name, gold, notes)
        for name, source in zip(names, by_part["answers"], strict=True)
    }
    odds = _match_odds(by_part["odds"], by_part["answers"], names, options)
    runs, exact, f1 = [], [], []
    for name, predicted in predictions.items():
        texts = predicted
        if options.declined.asked:
            texts = {question: "" if declined(options, text) else text for question, text in predicted.items()}
        scores = score_texts(gold.golds, texts)
        surely = _confidence(odds[name], name, gold, notes) if name in odds else {}
        runs.append(Run(name, tuple(_responses(texts, surely, predicted))))
        if name in odds:
            notes.append(_tuned(name, gold, texts, scores, odds[name][1]))
        exact.append(scores.exact)
        f1.append(scores.f1)
    files = tuple(str(source.label) for source in by_part["answers"])
    more: dict[str, Array] = {"squad.exact": np.stack(exact), "squad.f1": np.stack(f1)}
    collection = Collection(by_part["gold"][0].stem, _questions(gold, options))
    return ReadResult(Unjudged(collection, tuple(runs), files, more), tuple(notes), MEASURES)


def _belong_together(gold: Sequence[Source], answers: Sequence[Source], odds: Sequence[Source]) -> None:
    if not gold:
        one, what = (
            (answers[0], "texts by name, as SQuAD's predictions do")
            if answers
            else (odds[0], "numbers by name, as no-answer odds of SQuAD do")
        )
        raise MismatchError(f"{one.label} holds {what}; give the gold file with it")
    if len(gold) > 1:
        raise MismatchError(f"{gold[0].label} and {gold[1].label} are both gold files of SQuAD; give one")
    if not answers:
        raise MismatchError(f"{gold[0].label} is a SQuAD gold file; give the predictions of the runs with it")


def _responses(
    texts: Mapping[str, str], surely: Mapping[str, float], predicted: Mapping[str, str]
) -> Iterator[Response]:
    for question, text in texts.items():
        if text.strip():
            yield Response(question, text, True, surely.get(question))
        else:
            yield Response(question, None, False, why=SAID_SO if predicted[question] != text else None)


# ---- the gold ----


def _read_gold(source: Source) -> _Gold:
    return _gold(_fast(source) or _slow(source), source.label)


def _gold(questions: Iterable[_Asked], label: object) -> _Gold:
    by_id: dict[str, _Asked] = {}
    for one in questions:
        if one.id in by_id:
            raise FormatError(label, "the question stands here again", where=one.place, value=one.id)
        by_id[one.id] = one
    if not by_id:
        raise FormatError(label, "there are no questions")
    return _Gold(tuple(by_id.values()), Golds([*by_id], [one.answers for one in by_id.values()]))


def _questions(gold: _Gold, options: ReadOptions) -> tuple[Question, ...]:
    wanted = [name for name in ("article", "paragraph") if options.strata is None or name in options.strata]
    questions, before, strata = [], (-1, -1), NOTHING
    for one in gold.asked:
        if (one.data, one.paragraph) != before:  # all questions of a paragraph share one mapping
            before = one.data, one.paragraph
            labels = {"article": one.article, "paragraph": f"{one.article} {one.paragraph}"}
            strata = {name: labels[name] for name in wanted}
        questions.append(
            Question(one.id, one.text, tuple(dict.fromkeys(one.answers)), (), bool(one.answers), None, strata)
        )
    return tuple(questions)


@lru_cache(maxsize=1)
def _shape() -> Any:
    """Return what a sound gold file looks like, to be checked by msgspec at once."""
    import msgspec

    answer = msgspec.defstruct("Answer", [("text", str)])
    question = msgspec.defstruct("Asked", [("id", str), ("answers", list[answer]), ("question", str, "")])  # type: ignore[valid-type]
    paragraph = msgspec.defstruct("Paragraph", [("qas", list[question])])  # type: ignore[valid-type]
    article = msgspec.defstruct("Article", [("paragraphs", list[paragraph]), ("title", str, "")])  # type: ignore[valid-type]
    return msgspec.defstruct("File", [("data", list[article])])  # type: ignore[valid-type]


def _fast(source: Source) -> list[_Asked] | None:
    """Return the questions of a sound file; None where there is something to look at more closely."""
    import msgspec

    try:
        return _listed(msgspec.convert(source.document, _shape()))
    except (msgspec.ValidationError, UnicodeEncodeError):  # the latter where half of a surrogate pair stands alone
        return None


def _listed(document: Any) -> list[_Asked] | None:
    listed = []
    for i, article in enumerate(document.data):
        for j, paragraph in enumerate(article.paragraphs):
            for k, question in enumerate(paragraph.qas):
                answers = tuple([answer.text for answer in question.answers]) if question.answers else ()
                listed.append(_Asked(question.id, question.question, answers, article.title, i, j, k))
    return listed if all(one.id for one in listed) else None


def _slow(source: Source) -> Iterator[_Asked]:
    """Yield the questions, each looked at piece by piece; raises FormatError with the place of the first unsound
    one."""
    for i, (place, paragraphs, title) in enumerate(_each(source, source.document["data"], "data", "paragraphs")):
        for j, (_, qas, _) in enumerate(_each(source, paragraphs, f"{place}.paragraphs", "qas")):
            for k, question in enumerate(qas):
                yield _question(source, question, title, (i, j, k))


def _each(source: Source, items: Any, what: str, inside: str) -> Iterator[tuple[str, list[Any], str]]:
    """Yield the lists named `inside` of a list of objects, each with its place and the object's title."""
    for position, item in enumerate(items):
        place = f"{what}[{position}]"
        members = item.get(inside) if isinstance(item, dict) else None
        if not isinstance(members, list):
            raise FormatError(source.label, f"an object with a list of {inside} is expected", where=place, value=item)
        title = item.get("title", "")
        yield place, members, title if isinstance(title, str) else str(title)


def _question(source: Source, question: Any, title: str, at: tuple[int, int, int]) -> _Asked:
    def fail(rule: str, value: object) -> FormatError:
        return FormatError(source.label, rule, where=_Asked("", "", (), title, *at).place, value=value)

    if not isinstance(question, dict):
        raise fail("a question is an object", question)
    name, text, answers = question.get("id"), question.get("question", ""), question.get("answers")
    if isinstance(name, bool) or not isinstance(name, (str, int)) or name == "":
        raise fail("id must be a text or a whole number", name)
    if not isinstance(text, str):
        raise fail("question must be a text", text)
    if not isinstance(answers, list):
        raise fail("answers must be a list, empty where there is no answer", answers)
    stated = [answer.get("text") if isinstance(answer, dict) else None for answer in answers]
    texts = [answer for answer in stated if isinstance(answer, str)]
    if len(texts) < len(stated):
        raise fail("each answer is an object with a text", answers)
    return _Asked(str(name), text, tuple(texts), title, *at)


# ---- predictions and odds ----


def _run_names(sources: Sequence[Source]) -> list[str]:
    """Return the stems without `pred_` before them, where that leaves them apart."""
    names = name_runs(sources, generic=("pred", "preds", "prediction", "predictions"))
    short = [_PREFIX.sub("", name) for name in names]
    return short if len(set(short)) == len(short) else names


def _read_predictions(source: Source, run: str, gold: _Gold, notes: list[Note]) -> dict[str, str]:
    """Return the predictions for the gold's questions, in their order; raises MismatchError where there is none."""
    predicted = source.document
    texts = {name: predicted[name] or "" for name in gold.golds.ids if name in predicted}
    if not texts:
        raise MismatchError(f"{source.label} predicts none of the questions that the gold holds")
    if extra := len(predicted) - len(texts):
        notes.append(
            note(
                "squad2.no_such_question",
                "run {subject!r}: {predictions} {predictions:prediction is/predictions are} for questions that the "
                "gold does not hold: left out",
                run,
                predictions=extra,
            )
        )
    if nulls := sum(value is None for value in predicted.values()):
        notes.append(
            note(
                "squad2.null",
                "run {subject!r}: {predictions} predictions are null, read as empty",
                run,
                predictions=nulls,
            )
        )
    predicted.clear()  # `texts` is what is left of it
    return texts


Odds = tuple[Source, dict[str, float]]


def _match_odds(
    odds: Sequence[Source], answers: Sequence[Source], names: Sequence[str], options: ReadOptions
) -> dict[str, Odds]:
    """Return which run each file of odds is about: the only one, the one of that name, or the one that `--choose
    odds=RUN` names."""
    by_run: dict[str, Odds] = {}
    for source in odds:
        if "odds" in options.choose or len(names) == 1:
            run = choose(options, "odds", names, "runs")
        else:
            core = _core(source)
            alike = [name for name, answer in zip(names, answers, strict=True) if _core(answer) == core]
            if len(alike) != 1:
                raise MismatchError(
                    f"{source.label}: of which run are these the no-answer odds? Call the file after its predictions "
                    f"(pred_NAME.json, na_odds_NAME.json), or say --choose odds=RUN; runs here are {', '.join(names)}"
                )
            run = alike[0]
        if run in by_run:
            raise MismatchError(f"{by_run[run][0].label} and {source.label} are both no-answer odds of run {run!r}")
        by_run[run] = source, {name: float(value) for name, value in _finite(source)}
    return by_run


def _core(source: Source) -> tuple[str, ...]:
    """Return what a file's name says beyond what kind of file it is; its folder where it says no more."""
    folder = source.path.absolute().parent.name if source.path else ""
    return _core_of(source.stem) or ("/", folder)


def _core_of(stem: str) -> tuple[str, ...]:
    return tuple(word for word in re.split(r"[\W_]+", stem.lower()) if word and word not in _GENERIC)


def _finite(source: Source) -> Iterator[tuple[str, float]]:
    for name, value in source.document.items():
        if not abs(value) <= np.finfo(float).max:
            raise FormatError(source.label, "a probability or odds must be a finite number", where=name, value=value)
        yield name, value


def _confidence(odds: Odds, run: str, gold: _Gold, notes: list[Note]) -> dict[str, float]:
    """Return how sure a run is of the answer it gives: 1 - p where its odds are probabilities p of no answer, else
    minus the odds."""
    source, values = odds
    if not any(name in values for name in gold.golds.ids):
        raise MismatchError(f"{source.label} has odds for none of the questions that the gold holds")
    probabilities = all(0 <= value <= 1 for value in values.values())
    notes.append(
        note(
            "squad2.confidence",
            "run {subject!r}: the confidence of an answer is {probabilities:1 - the probability/minus the odds} that "
            "there is none; silence has no confidence",
            run,
            probabilities=probabilities,
        )
    )
    return {name: 1 - value if probabilities else -value for name, value in values.items()}


def _tuned(run: str, gold: _Gold, texts: Mapping[str, str], scores: Scores, odds: Mapping[str, float]) -> Note:
    """Give the figures of the official script at the thresholds that it tunes."""
    figures = best(gold.golds, texts, scores, odds)
    return note(
        "squad2.tuned",
        "run {subject!r}: {best:each best_%s %.5f (threshold %.6g)}, tuned by the official script on these very "
        "questions: no estimate of anything",
        run,
        best=[(name, figures[f"best_{name}"], figures[f"best_{name}_thresh"]) for name in ("exact", "f1")],
    )


def official(gold: Any, predictions: Any, odds: Any = None) -> dict[str, float]:
    """Return what evaluate-v2.0.py prints for files of gold, predictions and (optionally) no-answer probabilities or
    odds, by its keys.

    Figures are in percent, and no threshold is applied: `exact`, `f1`, `total`, `HasAns_*`, `NoAns_*`, and with odds
    `best_exact`, `best_f1` and their `_thresh`. As in the script, a question without a prediction counts nowhere, and
    the best thresholds are tuned on the very questions, with tied odds taken one by one: such a figure may be out of
    reach for any threshold, and is no estimate. Raises FormatError or MismatchError.
    """
    known = _gold_of(gold)
    sources = [open_source(file) for file in (predictions, *([odds] if odds is not None else []))]
    for source, part in zip(sources, ("answers", "odds"), strict=False):
        if recognise(source) != part:
            raise FormatError(source.label, f"this is no file of SQuAD's {part}")
    texts = _read_predictions(sources[0], "run", known, [])
    scores = score_texts(known.golds, texts)
    answering = np.array([name in texts for name in known.golds.ids])
    figures: dict[str, float] = {}
    for prefix, use in (
        ("", answering),
        ("HasAns_", answering & known.golds.has_answer),
        ("NoAns_", answering & ~known.golds.has_answer),
    ):
        if total := int(use.sum()):
            figures[f"{prefix}exact"] = 100.0 * int(scores.exact[use].sum()) / total
            figures[f"{prefix}f1"] = 100.0 * sum(scores.f1[use].tolist()) / total
            figures[f"{prefix}total"] = total
    if odds is not None:
        figures |= best(known.golds, texts, scores, dict(_finite(sources[1])))
    return figures


def _gold_of(path: Any) -> _Gold:
    """Return the gold of a file, which when it is sound is read without what nobody asks for (the paragraphs
    themselves)."""
    import msgspec

    try:
        questions = _listed(msgspec.json.decode(Path(path).read_bytes(), type=_shape()))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OSError, TypeError, ValueError):
        questions = None
    if questions:
        return _gold(questions, path)
    source = open_source(path)
    if recognise(source) != "gold":
        raise FormatError(source.label, "this is no file of SQuAD's gold")
    return _read_gold(source)


@writer(
    "squad2",
    about="SQuAD 2.0: gold.json, pred_NAME.json, and na_odds_NAME.json where there are confidences, in a folder",
    takes=Unjudged,
)
def write(unjudged: Unjudged, path: Path) -> WriteResult:
    """Write gold, predictions and odds; the odds that there is no answer are minus the confidence in the one given."""
    return writing.write(unjudged, path, alike=_core_of, is_odds=lambda source: recognise(source) == "odds")
