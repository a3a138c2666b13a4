"""Prepare the questions for the page's browser: the packed outcome of every run on every question, and their data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from nescio.data.columns import OUTCOMES, Array
from nescio.data.evidence import NO_ROW, Evidence
from nescio.data.evidence import UNGRADED as NOT_GRADED
from nescio.data.notes import Note, note
from nescio.data.repeats import Repeats
from nescio.pipeline import Loaded
from nescio.reporting.layout import shortened
from nescio.reporting.page.graded import Graded, graded_scores
from nescio.reporting.page.question_texts import ANSWERS, QUESTIONS, Parts, Texts, keys, packed_texts
from nescio.reporting.page.report_data import ReportData
from nescio.reporting.page.shown_text import as_json, deflated, names
from nescio.text import sanitize

ABSENT, CORRECT, INCORRECT, UNANSWERED, RIGHTLY_SILENT, UNGRADED, SCORED = range(7)
MOST_CELLS = 6_000_000  # outcomes in a page: at half a byte each, with base64, 4 MB
MOST_QUESTIONS = 300_000  # questions in a page: with more, their names alone would take tens of megabytes
MOST_VALUES = 60  # a stratum with more values is shown with its question instead of as a filter
HEAD = 16  # characters of a run's name above its column
MOST_TEXT = 6_000_000  # characters of strata in a page
DECISIONS = ("not in the run", "right, accepted", "wrong, accepted", "right, rejected", "wrong, rejected", "")
RESPONSES = ("not in the run", "", "", "silent", "", "", "answered")
SCORES = ("not in the run", "", "", "", "", "no score", "scored")
# people's verdicts on an answer, indexed by 0, 1 and -1
PEOPLE = np.array([INCORRECT, CORRECT, ABSENT], dtype=np.uint8)
CANDIDATE_RIGHT, CANDIDATE_WRONG = 1, 2


class Browser(Struct, frozen=True):
    """The data of the page's question browser, as plain values for JSON.

    `texts` holds the texts of questions and answers. `scored` says that the browser shows scores instead of outcomes.
    """

    payload: Mapping[str, Any]
    questions: int
    texts: Parts | None = None
    scored: bool = False


class Seen(Struct, frozen=True, eq=False):
    """The content of the question browser: runs, questions, and the state of each question in each run.

    `runs` has the names as shown, and `names` the names in the data. The arrays `states`, `confidence`, `candidates`
    (how answers that the run withheld would have been graded) and `people` (people's verdicts) have shape (runs,
    questions). `words` names the states if they are not outcomes. `graded` maps each measure of graded scores to the
    values of its rows. `why_not` is the reason if there is nothing to show.
    """

    runs: Sequence[str] = ()
    questions: Sequence[str] = ()
    states: NDArray[np.uint8] | None = None
    strata: Mapping[str, Array] = field(default_factory=dict)
    clusters: Sequence[int] | None = None
    level: float | None = 95.0
    why_not: Note | None = None
    repeats: Repeats | None = None
    names: Sequence[str] = ()
    confidence: NDArray[np.float32] | None = None
    candidates: NDArray[np.uint8] | None = None
    words: Sequence[str] = ()
    people: NDArray[np.uint8] | None = None
    graded: Graded = field(default_factory=dict)
    notes: tuple[Note, ...] = ()


def seen_by(report: ReportData) -> Seen:
    """Return the question browser's content for all runs of the report, in the order of the leaderboard."""
    data = report.loaded.data
    if not isinstance(data, Evidence):
        return Seen(why_not=note("page.counts", "a counts table has no questions, so there is no question browser"))
    order = [data.runs.index(run) for run in report.runs]
    if not set(OUTCOMES) <= data.columns.keys():
        return without_outcomes(report.loaded, report.runs, report.measures, report.shown)
    graded, notes = graded_scores(report.loaded, report.runs, report.measures)
    clusters = None if data.clusters is None else [int(c) for c in data.clusters]
    runs = [report.shown[run] for run in report.runs]
    sure, candidates = certainties(data), candidate_marks(data)
    return Seen(
        runs,
        data.questions,
        states(data)[order],
        data.strata,
        clusters,
        report.level,
        repeats=data.repeats,
        names=report.runs,
        confidence=None if sure is None else sure[order],
        candidates=None if candidates is None else candidates[order],
        people=None if report.people is None else PEOPLE[report.people[order]],
        graded=graded,
        notes=notes,
    )


def without_outcomes(loaded: Loaded, runs: Sequence[str], measures: Sequence[str], shown: Mapping[str, str]) -> Seen:
    """Return the question browser's content for data without outcomes: decisions, responses, or scores.

    The scores are those by `measures`. `shown` maps the name of each run to the name that the page shows.
    """
    data = loaded.data
    assert isinstance(data, Evidence)
    graded, notes = graded_scores(loaded, runs, measures)
    decided = _decided(data, graded)
    if decided is None:
        why_not = note(
            "page.no_outcomes", "no measure on this page is a mean over questions, so there is no question browser"
        )
        return Seen(why_not=why_not)
    rows, states_, words = decided
    return Seen(
        [shown[run] for run in runs],
        [data.questions[row] for row in rows],
        states_[[data.runs.index(run) for run in runs]],
        {name: values[rows] for name, values in data.strata.items()},
        names=runs,
        words=words,
        repeats=data.repeats,
        graded=graded,
        notes=notes,
    )


def browser(
    seen: Seen, texts: Texts | None = None, more: Mapping[str, Any] | None = None
) -> tuple[Browser | None, tuple[Note, ...]]:
    """Return the data of the question browser with the page's additions `more`, and notes on what it leaves out.

    If there are no questions to show, or too many for a page, the data is None, and a note says why.
    """
    if seen.states is None:
        return None, (seen.why_not,) if seen.why_not else ()
    if too_many := _too_many(seen.states.size, len(seen.questions)):
        return None, (too_many,)
    rows = keys(seen.questions, seen.repeats)
    facets, further, notes = _strata(seen.strata, _words(texts, rows))
    notes += seen.notes
    short = shortened(seen.runs, HEAD)
    shown = names([f"{name} · {label}" if label else name for name, label in rows], 120)
    payload: dict[str, Any] = {
        "runs": list(seen.runs),
        "heads": [short.get(run, run) for run in seen.runs],
        "questions": listed(shown),
        "cells": packed(seen.states),
        "facets": facets,
        "further": further,
        "level": None if seen.level is None else seen.level / 100,
        "z": NormalDist().inv_cdf((1 + (seen.level or 95) / 100) / 2),
        "clusters": seen.clusters,
        **(more or {}),
    }
    ids = [name for name, _ in rows]
    further_data = {
        # the names of the files, for notes that refer to these
        "ids": listed(ids) if ids != list(shown) else None,
        "runIds": list(seen.names) if list(seen.names) != list(seen.runs) else None,
        "words": list(seen.words) or None,
        "graded": [{"name": name, "values": floats(values)} for name, values in seen.graded.items()] or None,
        "confidence": None if seen.confidence is None else floats(seen.confidence),
        "candidates": None if seen.candidates is None else packed(seen.candidates),
        "people": None if seen.people is None else packed(seen.people),
        "repeats": None if seen.repeats is None else seen.repeats.question.tolist(),
    }
    payload |= {name: part for name, part in further_data.items() if part is not None}
    parts = None
    if texts:
        parts, cut = packed_texts(texts, rows, seen.names)
        notes += cut
    if parts and texts:
        sizes = {"asked": QUESTIONS, "said": ANSWERS}
        payload["texts"] = {**sizes, "searched": parts.searched, "reasons": texts.reasons}
    return Browser(payload, len(seen.questions), parts, bool(seen.graded and seen.words)), notes


def _too_many(outcomes: int, questions: int) -> Note | None:
    for what, many, most in (("outcomes", outcomes, MOST_CELLS), ("questions", questions, MOST_QUESTIONS)):
        if many > most:
            return note(
                "page.too_many",
                "{many:,} {what} are more than a page can hold ({most:,}), so there is no question browser; use "
                "`nescio convert` to write them all as a table",
                many=many,
                what=what,
                most=most,
            )
    return None


def states(data: Evidence) -> NDArray[np.uint8]:
    """Return the state of each question in each run as a number, shape (runs, questions).

    The states are 0 absent, 1 correct, 2 incorrect, 3 unanswered, 4 correctly silent (the question has no answer), and
    5 ungraded.
    """
    codes = np.zeros(data.absence.shape, dtype=np.uint8)
    columns = data.columns
    for name, code in (("correct", CORRECT), ("incorrect", INCORRECT), ("unanswered", UNANSWERED)):
        codes[columns[name] == 1] = code
    if "answered" in columns:
        codes[(columns["correct"] == 1) & (columns["answered"] == 0)] = RIGHTLY_SILENT
    codes[~data.present] = ABSENT
    codes[data.absence == NOT_GRADED] = UNGRADED
    return codes


def _decided(data: Evidence, graded: Graded) -> tuple[NDArray[np.intp], NDArray[np.uint8], Sequence[str]] | None:
    """Return the shown rows, their states and the names of the states, for data without outcomes.

    States are decisions of answer validators, or whether a run responded, or only that there is a score. Returns None
    if the data has none of these.
    """
    columns = data.columns
    if {"ave.right", "ave.accepted"} <= columns.keys():
        right, accepted = columns["ave.right"], columns["ave.accepted"]
        rows = np.flatnonzero(~np.isnan(right).any(axis=0))
        yes, took = right[:, rows] == 1, accepted[:, rows] == 1
        codes = np.select([yes & took, took, yes], [CORRECT, INCORRECT, UNANSWERED], RIGHTLY_SILENT)
        return rows, codes.astype(np.uint8), DECISIONS
    if "answered" in columns:
        states = np.where(columns["answered"] == 1, SCORED, UNANSWERED).astype(np.uint8)
        states[~data.present] = ABSENT
        return np.arange(len(data.questions)), states, RESPONSES
    if graded:
        states = np.where(data.present, SCORED, UNGRADED).astype(np.uint8)
        states[data.absence == NO_ROW] = ABSENT
        return np.arange(len(data.questions)), states, SCORES
    return None


def packed(cells: NDArray[np.uint8]) -> str:
    """Return numbers below 16 as base64 of deflated bytes, question by question.

    Each byte has two numbers, the first in its low half.
    """
    flat = np.ascontiguousarray(cells.T).ravel()
    if len(flat) % 2:
        flat = np.append(flat, np.uint8(0))
    return deflated((flat[0::2] | (flat[1::2] << 4)).tobytes())


def certainties(data: Evidence) -> NDArray[np.float32] | None:
    """Return the confidence of each answer or candidate, shape (runs, rows), NaN if unknown.

    Returns None if no confidence is known.
    """
    if "confidence" not in data.columns or np.isnan(data.columns["confidence"]).all():
        return None
    return np.asarray(data.columns["confidence"], dtype=np.float32)


def candidate_marks(data: Evidence) -> NDArray[np.uint8] | None:
    """Return the grades that withheld answers would have got: right (1), wrong (2) or unknown (0).

    The array has shape (runs, rows). Returns None if no grade is known.
    """
    marks = np.zeros(data.absence.shape, dtype=np.uint8)
    for name, code in (("candidate_correct", CANDIDATE_RIGHT), ("candidate_incorrect", CANDIDATE_WRONG)):
        if name in data.columns:
            marks[data.columns[name] == 1] = code
    return marks if marks.any() else None


def floats(values: NDArray[np.float32]) -> str:
    """Return numbers as base64 of deflated 32-bit floats, run by run.

    Numbers of one run are more alike than numbers of one question, so this order takes less space.
    """
    return deflated(np.ascontiguousarray(values, dtype="<f4").tobytes())


def listed(values: Sequence[object]) -> str:
    """Return a list as base64 of deflated JSON, because plain names of questions would be a third of a page."""
    return deflated(as_json(list(values)).encode())


def _words(texts: Texts | None, rows: Sequence[tuple[str, str | None]]) -> list[list[str]]:
    """Return two lists for the rows: the texts of the questions, and their gold answers; empty without texts."""
    if not texts:
        return []
    return [[texts.asked.get(row, ("", ""))[part] for row in rows] for part in (0, 1)]


def _strata(
    strata: Mapping[str, Array], shown: Sequence[Sequence[str]] = ()
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], tuple[Note, ...]]:
    """Return the strata of the questions for the browser: filters, texts beside the questions, and notes.

    Strata with few values are filters, and the others are texts. Texts are cut if they do not fit into the page. A
    stratum whose values are in `shown` is left out, because the page shows these texts already.
    """
    facets = []
    others: dict[str, list[str]] = {}
    for name, values in zip(names(list(strata)), strata.values(), strict=True):
        texts = [str(v) for v in values]
        distinct, code = np.unique(np.array(texts, dtype=object), return_inverse=True)
        if len(distinct) > MOST_VALUES:
            others |= {} if texts in shown else {name: texts}
        elif len(distinct) > 1:
            codes = deflated(code.astype(np.uint8).tobytes())
            facets.append({"name": name, "values": names(list(distinct)), "codes": codes})
    for limit in (400, 100, 40):
        further = [
            {"name": name, "texts": [sanitize(text, limit, target="page") for text in texts]}
            for name, texts in others.items()
        ]
        if sum(len(text) for stratum in further for text in stratum["texts"]) <= MOST_TEXT:
            if limit == 400:
                return facets, further, ()
            cut = note(
                "page.strata_cut",
                "{strata:and 3}: cut to {characters} characters in this page",
                strata=list(others),
                characters=limit,
            )
            return facets, further, (cut,)
    left_out = note(
        "page.strata_left_out", "{strata:and 3}: too long for one page and left out of it", strata=list(others)
    )
    return facets, [], (left_out,)
