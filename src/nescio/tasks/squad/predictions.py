"""Match files of odds with runs, and read predictions and odds for each question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from nescio.data.notes import Note, note
from nescio.errors import FormatError, MismatchError, opt
from nescio.formats.choices import choose
from nescio.formats.registry import ReadOptions
from nescio.sources.source import Source, name_runs, own_path
from nescio.tasks.kit import say_left_out
from nescio.tasks.squad.gold import Gold
from nescio.tasks.squad.scores import Scores, best

Odds = tuple[Source, dict[str, float]]
FIGURES = {"exact", "f1", "score", "total", "accuracy"}  # keys of a report on figures, which is no file of odds
_PREFIX = re.compile(r"^(?:pred(?:iction)?s?)[_\-.](?=.)", re.IGNORECASE)
_GENERIC = {
    *["pred", "preds", "prediction", "predictions", "na", "no", "noans", "answer", "null", "odds", "prob", "probs"]
}


def run_names(sources: Sequence[Source]) -> list[str]:
    """Return the names of the runs, from the names of their files without extension.

    A prefix such as `pred_` is removed unless two runs would then have the same name.
    """
    names = name_runs(sources, generic=("pred", "preds", "prediction", "predictions"))
    short = [_PREFIX.sub("", name) for name in names]
    return short if len(set(short)) == len(short) else names


def read_predictions(source: Source, run: str, gold: Gold, notes: list[Note]) -> dict[str, str]:
    """Return the predictions for the questions of the gold, keyed by question. Raises MismatchError if there are none.

    The parsed document of `source` is emptied to save memory.
    """
    predicted = source.document
    texts = {name: predicted[name] or "" for name in gold.golds.ids if name in predicted}
    say_left_out(source, run, len(predicted) - len(texts), len(predicted), notes)
    if nulls := sum(value is None for value in predicted.values()):
        notes.append(
            note(
                "squad2.null",
                "run {subject!r}: {predictions} predictions are null, read as empty",
                run,
                predictions=nulls,
            )
        )
    predicted.clear()  # `texts` has all that is needed of it.
    return texts


def match_odds(
    odds: Sequence[Source], answers: Sequence[Source], names: Sequence[str], options: ReadOptions
) -> dict[str, Odds]:
    """Return the no-answer odds of each run, keyed by run.

    A file of odds belongs to the run that `--choose odds=RUN` names, to the only run, or to the run with a similar file
    name.
    """
    by_run: dict[str, Odds] = {}
    for source in odds:
        if "odds" in options.choose or len(names) == 1:
            run = choose(options, "odds", names, "runs")
        else:
            core = _core(source)
            alike = [name for name, answer in zip(names, answers, strict=True) if _core(answer) == core]
            if len(alike) != 1:
                raise MismatchError(
                    f"{source.label}: which run do these no-answer odds belong to? Name the file after its predictions "
                    f"(pred_NAME.json, na_odds_NAME.json), or give {opt('choose', of='odds=RUN')}; runs are "
                    f"{', '.join(names)}"
                )
            run = alike[0]
        if run in by_run:
            raise MismatchError(f"{by_run[run][0].label} and {source.label} are both no-answer odds of run {run!r}")
        by_run[run] = source, {name: float(value) for name, value in finite_odds(source)}
    return by_run


def _core(source: Source) -> tuple[str, ...]:
    """Return the words that identify a file of predictions and its file of odds.

    They are the words of its name without "pred", "odds" and the like, or else the name of its folder.
    """
    folder = own_path(source.path).parent.name if source.path else ""
    return core_of(source.stem) or ("/", folder)


def core_of(stem: str) -> tuple[str, ...]:
    return tuple(word for word in re.split(r"[\W_]+", stem.lower()) if word and word not in _GENERIC)


def finite_odds(source: Source) -> Iterator[tuple[str, float]]:
    for name, value in source.document.items():
        if not abs(value) <= np.finfo(float).max:
            raise FormatError(source.label, "a probability or odds must be a finite number", where=name, value=value)
        yield name, value


def confidence(odds: Odds, run: str, gold: Gold, notes: list[Note]) -> dict[str, float]:
    """Return a run's confidence in its answers, keyed by question, from `odds`, the odds that a question has no answer.

    If all odds are probabilities p, the confidence is 1 - p; otherwise it is minus the odds.
    """
    source, values = odds
    if not any(name in values for name in gold.golds.ids):
        raise MismatchError(f"{source.label} has no odds for any question in the gold")
    probabilities = all(0 <= value <= 1 for value in values.values())
    notes.append(
        note(
            "squad2.confidence",
            "run {subject!r}: the confidence of an answer is {probabilities:1 - the probability/minus the odds} that "
            "the question has no answer; an abstention has no confidence",
            run,
            probabilities=probabilities,
        )
    )
    return {name: 1 - value if probabilities else -value for name, value in values.items()}


def tuned_note(run: str, gold: Gold, texts: Mapping[str, str], scores: Scores, odds: Mapping[str, float]) -> Note:
    """Return a note with the figures of a run that the official script prints at the thresholds that it tunes."""
    figures = best(gold.golds, texts, scores, odds)
    return note(
        "squad2.tuned",
        "run {subject!r}: {best:each best_%s %.5f (threshold %.6g)}, tuned by the official script on these same "
        "questions, so too optimistic for new questions",
        run,
        best=[(name, figures[f"best_{name}"], figures[f"best_{name}_thresh"]) for name in ("exact", "f1")],
    )
