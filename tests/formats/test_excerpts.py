"""A small excerpt of every format is read to what was counted in it by hand, without any data beside the checkout."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

import nescio
from nescio.data.evidence import Evidence
from nescio.data.kept import in_texts
from nescio.data.outcomes import Outcomes
from nescio.errors import UsageError
from nescio.formats import REGISTRY
from nescio.measures import parse
from nescio.pipeline import Options, judge, load, read
from nescio.pipeline.recognition import open_files, recognise
from nescio.verbs._gates import Limit, score_gates
from tests.rings import together

from .excerpts import EVERY, EXAMPLES, EXCERPTS, READERS, counts


def test_every_format_has_an_excerpt() -> None:
    assert {excerpt.format for excerpt in EVERY.values()} == set(REGISTRY) == set(READERS)
    in_use = {Path(path).parts[0] for excerpt in EVERY.values() for path in excerpt.paths}
    in_use |= {"judgements", "simpleqa_grades"}  # beside other files, and of a how-to
    assert in_use == {folder.name for place in (EXCERPTS, EXAMPLES) for folder in place.iterdir()}


@together("name", EVERY)
def test_an_excerpt_is_read_to_what_was_counted_by_hand(name: str) -> None:
    excerpt = EVERY[name]
    found = excerpt.read()
    assert found.format == excerpt.format
    if excerpt.counts:
        assert counts(found.data) == excerpt.counts
    for column, total in excerpt.sums.items():
        assert isinstance(found.data, Evidence)
        assert np.nansum(found.data.columns[column]) == total, column
    if isinstance(found.data, Evidence):
        absent = dict(zip(found.data.runs, (~found.data.present).sum(axis=1).tolist(), strict=True))
        assert {run: many for run, many in absent.items() if many} == excerpt.ungraded


@together("name", EVERY)
def test_an_excerpt_is_scored(name: str) -> None:
    """By the measures that its format names: values within their bounds, not all of them undefined."""
    scores = nescio.score(EVERY[name].read(), ci=None)
    values = {(row.run, row.measure): row.value for row in scores}
    assert {run for run, _ in values} >= set(EVERY[name].counts)
    assert any(not math.isnan(value) for value in values.values())
    for (_, measure), value in values.items():
        low, high = parse(measure).bounds
        assert math.isnan(value) or low <= value <= high, measure


@together("name", EVERY)
def test_the_texts_of_answers_change_no_outcome(name: str) -> None:
    excerpt = EVERY[name]
    with_texts = load(excerpt.files, Options(**excerpt.options, texts=True))
    assert with_texts.data.digest() == excerpt.read().data.digest()


def test_gold_answers_of_every_format_are_known_by_their_digests() -> None:
    """Otherwise a run could be compared with a baseline that was graded by other gold answers.

    Data without outcomes, as of nuggets, cannot be a baseline.
    """
    of_gold = {}
    for name, excerpt in EVERY.items():
        format_, parts = recognise(open_files(excerpt.files)[0])
        if "gold" in {role for role, _ in parts}:
            data = judge(read(excerpt.files, Options(**excerpt.options, written=True)), None).data
            words = data.words.ravel() if isinstance(data, Outcomes) and data.words is not None else ()
            has_digest = any(own and in_texts(own)[1] for own in words)
            of_gold[name] = (format_.name, has_digest or isinstance(data, Evidence))
    assert {format_ for format_, _ in of_gold.values()} >= {"ave", "cbc", "kilt", "pan", "qa4mre", "squad2", "trec"}
    assert [name for name, (_, has_digest) in of_gold.items() if not has_digest] == []


@together("name", [name for name, excerpt in EVERY.items() if excerpt.ungraded])
def test_no_threshold_is_passed_without_the_answers_that_have_no_grade(name: str) -> None:
    """More than a tenth of the run's answers are not graded. Each threshold is below the whole interval."""
    scores, checked = nescio.score(EVERY[name].read()), 0
    for row in scores:
        if row.run in EVERY[name].ungraded and row.low is not None and not math.isnan(row.low):
            limit = Limit(row.measure, row.low - 1e-9)
            checked += 1
            try:
                statuses = {gate.run: gate.status for gate in score_gates(scores, [limit])}
            except UsageError:  # no gate is possible
                continue
            assert statuses[row.run] != 0, row.measure
    assert checked
