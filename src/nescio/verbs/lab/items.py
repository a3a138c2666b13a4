"""List questions whose key may be wrong: those that weak systems answer rightly and able ones do not.

FILES hold the answers of at least four runs to the same questions.

\b
nescio lab items items.csv
nescio lab items items.csv -f json

The most suspicious questions come first. "discrimination" is the correlation, over runs, of being right with the score
on all other questions. A negative one is suspicious, and so is an answer that the key calls wrong and on which able
runs agree ("other answer", where the words of answers are known). p-values are of random subsets of the runs, exact
where they are small, and "suspicion" is the smaller of the two, adjusted for the number of questions so that, by
Benjamini and Hochberg, 10% of those flagged are expected to be false alarms at most. "silence" above 0 marks a trap:
able runs are silent where weak ones answer. With fewer than 40 runs the list is an order in which to check the keys,
and claims nothing. Runs of one family are no independent witnesses.

From thirty runs on, "slope" and "difficulty" are a and b of a two-parameter logistic model of being right where a run
answers; -f json has those of answering, too, and the abilities of the runs.
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
