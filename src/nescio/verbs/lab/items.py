"""List questions whose key may be wrong: weak systems answer them correctly, and able systems do not.

FILES hold the answers of at least four runs to the same questions.

\b
nescio lab items items.csv
nescio lab items items.csv -f json

The most suspicious questions come first. "discrimination" is the correlation, over runs, between being right on the
question and the score on all other questions. Two signs are suspicious: a negative discrimination, and an "other
answer", on which able runs agree although the key calls it wrong. (The second needs the texts of the answers.) The
p-value of each sign compares these runs with random subsets of the runs; small p-values are exact where that is
feasible. "suspicion" is the smaller p-value of the two, adjusted for the number of questions. At most 10% of the
flagged questions are expected to be false alarms (Benjamini and Hochberg). "silence" above 0 marks a trap: able runs
abstain where weak runs answer. With fewer than 40 runs the list only says which keys to check first. Runs of one model
family are not independent evidence.

With 30 runs or more, "slope" and "difficulty" are the parameters a and b of a two-parameter logistic model of whether a
run that answers is right. -f json adds a second model, of whether a run answers at all, and the abilities of the runs.
"""

from __future__ import annotations

from nescio.comparison.items import Item, known_texts
from nescio.comparison.items import items as list_items
from nescio.data.results import Results
from nescio.errors import MismatchError
from nescio.options import verb
from nescio.reporting.page.question_texts import texts_of
from nescio.scoring.score import open_data
from nescio.sources.arrow import told
from nescio.verbs._shared import Reading, Sourced


class ItemsRequest(Reading, Sourced):
    """The options of `nescio lab items`."""


@verb(ItemsRequest, working="testing")
def items(request: ItemsRequest) -> Results[Item]:
    loaded = open_data(request.source, {"strata": (), "texts": True, **request.values(Reading)})
    try:
        return list_items(loaded, known_texts(texts_of(loaded)))
    except MismatchError as error:
        raise MismatchError(f"{told(request.source)}: {error}") from None
