"""Score runs with people's labels and a judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nescio.data.assessors import Resolution
from nescio.data.judge_record import TARGETS, Target
from nescio.data.notes import Note, gather, note
from nescio.data.policy_notes import CLUSTERS_APART
from nescio.data.results import Score, Scores
from nescio.data.signature import sign
from nescio.errors import MismatchError, UsageError, opt
from nescio.estimating.measured import of_shares
from nescio.measures import Measure, Measures
from nescio.pipeline import Loaded
from nescio.scoring.corrected import METHOD, Correction, corrected_score
from nescio.scoring.judge_agreement import chosen_labels
from nescio.scoring.labels import VERDICTS, Labels, beside, read_labels
from nescio.scoring.samples import Remark
from nescio.scoring.score import open_data, parse_all, strata

SUITABLE = ("c@1", "accuracy")  # the measures to try if the user names none

# The population of corrected figures, in words.
WHERE: dict[Target, str] = {
    "collection": "people's verdicts on all answers to these questions",
    "population": (
        f"all questions of this kind, if these questions are a sample of them ({opt('target', 'collection')} "
        "describes only these questions)"
    ),
}


def score_labelled(
    source: Any,
    measures: Measures,
    options: Mapping[str, Any],
    labels: Any,
    *,
    by: str | None,
    ci: float | None,
    target: Target,
    labels_by: str | None,
    also_judged: Sequence[Any],
    resolve: Resolution = "adjudicated",
) -> Scores:
    """Return the scores of every run by people's labels and the judge; the arguments are those of `nescio.score`."""
    loaded = open_labelled(source, measures, options, labels, (by, labels_by))
    how_laid: dict[str, Any] = {"labels_by": labels_by, "also_judged": also_judged, "resolve": resolve}
    laid = lay_labels(loaded, labels, options, target=target, **how_laid)
    wanted = suitable(measures, loaded)
    rows: list[Score] = []
    remarks: list[Remark] = []
    corrections: list[Correction] = []
    for stratum, part in strata(loaded.data, by):
        subset = laid if stratum is None else laid.select(np.asarray(laid.data.strata[by or ""]) == stratum)
        for run, name in enumerate(part.runs):
            for measure in wanted:
                estimate = corrected_score(subset, measure, run, target=target, level=(ci or 95) / 100)
                low, high = (estimate.low, estimate.high) if ci else (None, None)
                method = METHOD if ci else None
                rows.append(Score(name, measure.label, estimate.value, low, high, estimate.how.n, stratum, method))
                whose = f"run {name!r}" if stratum is None else f"run {name!r} on {by} {stratum!r}"
                remarks += [(remark, measure.label, whose) for remark in estimate.warnings]
                corrections += [estimate.how] if stratum is None else []
    how: dict[str, object] = {"by": by} if by else {}
    how |= {"ci": f"{ci:g}", "interval": METHOD} if ci else {"interval": "none"}
    line = sign(measures="+".join(m.name for m in wanted), **loaded.signature, **laid.signature, target=target, **how)
    notes = [*loaded.notes, *laid.notes, *about(laid, target), *gather(remarks)]
    if len(loaded.data.runs) > 1:
        notes.append(
            note(
                "labels.no_difference",
                "the corrected difference of two runs is not the difference of their corrected scores; nescio "
                f"compare {opt('labels')} estimates the difference",
            )
        )
    return Scores(tuple(rows), line, tuple(dict.fromkeys(notes)), "scores", {"labels": tuple(corrections)})


def open_labelled(
    source: Any, measures: Measures, options: Mapping[str, Any], labels: Any, kept: Sequence[str | None]
) -> Loaded:
    """Return the loaded data, with the columns of questions that `kept` names.

    The option `column` may also name columns of `labels`.
    """
    columns = tuple(name for name in kept if name is not None and name != VERDICTS)
    # With the texts, labels of answers that a run no longer gives are noticed.
    how = {"texts": True, **options, "beside": beside(labels)}
    loaded = open_data(source, {"strata": columns, **how}, measures)
    if set(columns) - set(loaded.data.strata):
        # called so that the error names the existing columns
        return open_data(source, {"strata": None, **how}, measures)
    return loaded


def lay_labels(
    loaded: Loaded,
    table: Any,
    options: Mapping[str, Any],
    *,
    target: Target,
    labels_by: str | None,
    also_judged: Sequence[Any],
    resolve: Resolution = "adjudicated",
) -> Labels:
    """Return people's labels (`table`) of the loaded answers, with the verdicts of the judges in `also_judged`."""
    if target not in TARGETS:
        raise UsageError(f"target must be {' or '.join(TARGETS)} (found {target!r})")
    passed = {name: options[name] for name in ("missing", "ungraded", "unanswerable", "typed") if name in options}
    others = []
    for path in also_judged:
        other = open_data(path, {"strata": (), **passed}).data
        if not other.has_questions or "correct" not in other.columns:
            raise MismatchError(f"{opt('also_judged')}: {path} has no outcomes for single questions")
        others.append(other)
    return read_labels(loaded, table, by=labels_by, also_judged=others, resolve=resolve)


def suitable(measures: Measures, loaded: Loaded) -> list[Measure]:
    """Return the requested measures or, if there are none, the usual measures that labels can correct."""
    if measures:
        return of_shares(parse_all(measures, loaded))
    defaults = [measure for measure in parse_all(None, loaded) if measure.label in SUITABLE]
    return defaults or parse_all(SUITABLE, None)


def about(labels: Labels, target: Target) -> list[Note]:
    """Return notes on the population and the assumptions of corrected figures, and on labels that seem to be chosen."""
    where = WHERE[target]
    drawn = {
        "simple": "are a random sample of the questions",
        "inclusion": "were drawn with the probabilities in their column `inclusion`",
    }.get(labels.drawn, f"are a random sample within each value of {labels.drawn.removeprefix('by ')!r}")
    data, labelled = labels.data, labels.labelled
    notes = [
        note(
            "labels.about",
            "corrected by {labels:n label} of people; the figures describe {where}, and assume that the labels {drawn}",
            labels=int(labelled.sum()),
            where=where,
            drawn=drawn,
        )
    ]
    if labels.drawn == "simple":
        notes += chosen_labels(data.runs, data.column("correct") == 1, data.present & ~labels.known, labelled)
    for run in np.flatnonzero(~labelled.any(axis=1) & (data.present & ~labels.known).any(axis=1)):
        notes.append(note("agreement.no_labels", "run {subject!r}: people judged none of its answers", data.runs[run]))
    if data.clusters is not None and target == "population":
        notes.append(note(CLUSTERS_APART, "questions are clustered, but these intervals treat them as independent"))
    return notes
