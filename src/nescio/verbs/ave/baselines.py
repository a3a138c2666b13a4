"""Score trivial baselines and perfect selection on COLLECTION.

100% VALIDATED accepts every answer and selects one at random. 50% VALIDATED accepts half of them. Each baseline is
reported twice: as its expected score, and as one run drawn with --seed. The counts of the collection follow, as in the
paper's Tables 1 and 2.

\b
nescio ave baselines collection.xml
"""

from __future__ import annotations

from nescio.data.results import Score, Scores
from nescio.errors import UsageError
from nescio.formats import open_source
from nescio.options import verb
from nescio.scoring.score import compute_scores
from nescio.tasks.ave import baselines as reference
from nescio.tasks.ave.building import counts
from nescio.tasks.ave.reader import (
    COLLECTION,
    OVER_ANSWERS,
    OVER_QUESTIONS,
    PAIRS,
    read_exercise,
    read_pairs,
    recognise,
)
from nescio.verbs._shared import Resampled, WithOrWithoutInterval, Worked
from nescio.verbs.ave._shared import OfCollection


class BaselinesRequest(Resampled, WithOrWithoutInterval, OfCollection, Worked):
    """The options of `nescio ave baselines`."""


@verb(BaselinesRequest, working="scoring")
def baselines(request: BaselinesRequest) -> Scores:
    source = open_source(request.collection)
    kind = recognise(source)
    if kind not in (COLLECTION, PAIRS):
        raise UsageError(
            f"{request.collection} is not an AVE collection: XML with answers (a, a_str) or pairs (pair, t, h)"
        )
    exercise = read_exercise(source) if kind == COLLECTION else reference.of_pairs(read_pairs(source))
    measures = (*OVER_ANSWERS, *OVER_QUESTIONS) if kind == COLLECTION else OVER_ANSWERS
    data, notes = reference.baselines(exercise, request.seed)
    drawn = compute_scores(data, list(measures), **request.values(WithOrWithoutInterval, Resampled, Worked))
    size = {row.measure: row.n for row in drawn}
    rows = [
        Score(row.run, name, getattr(row, name.removeprefix("ave.")), None, None, size[name])
        for row in reference.expected(exercise)[:2]
        for name in measures
    ]
    more = {"counts": tuple(counts(exercise))} if kind == COLLECTION else {}
    return Scores((*rows, *drawn.rows), drawn.signature, (*notes, *drawn.notes), "scores", {**drawn.tables, **more})
