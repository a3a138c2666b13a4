"""Put the questions of all benchmarks of a suite into one browser, each with its benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from nescio.data.columns import OUTCOMES
from nescio.data.evidence import Evidence
from nescio.data.notes import note
from nescio.reporting.page.browser import Seen, candidate_marks, certainties, states
from nescio.reporting.page.question_texts import Key, ShownAnswer, Texts, keys, texts_of
from nescio.suites.definition import Suite
from nescio.text import enumerated

OF = "benchmark"  # the filter of the browser


def suite_questions(suite: Suite, runs: Sequence[str], shown: Mapping[str, str], level: float | None) -> Seen:
    """Return the question browser's content for a suite: the questions of all its benchmarks, and the runs in order.

    A note names the benchmarks without outcomes, which are left out. `shown` maps each run to its name on the page.
    """
    parts, without = [], []
    for benchmark in suite.benchmarks:
        data = benchmark.data
        if isinstance(data, Evidence) and set(OUTCOMES) <= data.columns.keys():
            parts.append((benchmark.name, data))
        else:
            without.append(benchmark.name)
    lacking = note(
        "page.benchmarks_without_questions",
        "{benchmarks} {many:has/have} no outcomes of single questions and {many:is/are} not in the question browser",
        benchmarks=enumerated(without),
        many=len(without),
    )
    if not parts:
        return Seen(why_not=lacking)
    size = sum(len(data.questions) for _, data in parts)
    cells = np.zeros((len(runs), size), dtype=np.uint8)
    sure, candidates = np.full(cells.shape, np.nan, dtype=np.float32), np.zeros(cells.shape, dtype=np.uint8)
    start = 0
    for _, data in parts:
        columns = slice(start, start := start + len(data.questions))
        own_states, own_sure, own_candidates = states(data), certainties(data), candidate_marks(data)
        for row, run in enumerate(runs):
            if run not in data.runs:
                continue
            i = data.runs.index(run)
            cells[row, columns] = own_states[i]
            if own_sure is not None:
                sure[row, columns] = own_sure[i]
            if own_candidates is not None:
                candidates[row, columns] = own_candidates[i]
    return Seen(
        [shown[run] for run in runs],
        [key[0] for rows in _names(suite).values() for key in rows.values()],
        cells,
        {
            OF: np.repeat(
                np.array([name for name, _ in parts], dtype=object), [len(data.questions) for _, data in parts]
            )
        },
        level=level,
        names=runs,
        confidence=None if np.isnan(sure).all() else sure,
        candidates=candidates if candidates.any() else None,
        notes=(lacking,) if without else (),
    )


def suite_texts(suite: Suite) -> Texts | None:
    """Return the texts of questions and answers of every benchmark, or None if no benchmark has texts."""
    asked: dict[Key, tuple[str, str]] = {}
    answers_of: dict[str, dict[Key, ShownAnswer]] = {}
    names = _names(suite)
    for benchmark in suite.benchmarks:
        texts = texts_of(benchmark.loaded)
        if texts is None or benchmark.name not in names:
            continue
        name_of = names[benchmark.name]
        asked |= {name_of[key]: pair for key, pair in texts.asked.items() if key in name_of}
        for run, of_run in texts.said.items():
            answers_of.setdefault(run, {}).update(
                {name_of[key]: answer for key, answer in of_run.items() if key in name_of}
            )
    return Texts(asked, answers_of) if asked else None


def _names(suite: Suite) -> dict[str, dict[Key, Key]]:
    """Return the names of the rows in the question browser, keyed by benchmark and row.

    A name that occurs several times gets the benchmark's name added.
    """
    rows = {
        benchmark.name: keys(data.questions, data.repeats)
        for benchmark in suite.benchmarks
        if isinstance(data := benchmark.data, Evidence) and set(OUTCOMES) <= data.columns.keys()
    }
    labelled = {
        name: [f"{question} · {label}" if label else question for question, label in row_keys]
        for name, row_keys in rows.items()
    }
    times = Counter(text for row_keys in labelled.values() for text in row_keys)
    return {
        name: {
            key: (f"{name} · {text}" if times[text] > 1 else text, None)
            for key, text in zip(row_keys, labelled[name], strict=True)
        }
        for name, row_keys in rows.items()
    }
