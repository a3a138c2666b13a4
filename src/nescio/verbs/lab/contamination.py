"""Ask whether a system has seen the questions: does rewording cost it more than it costs others?

FILES hold the answers of the suspect and of at least one other system to questions and to paraphrases of them. A column
names the original question of each paraphrase, and is empty for originals.

\b
nescio lab contamination paraphrases.csv --suspect new
nescio lab contamination paraphrases.csv --suspect new --references old,other -m accuracy
nescio lab contamination paraphrases.csv --suspect new --paraphrase-of paraphrase_of -f json

A drop of the suspect alone says little, since a paraphrase may be harder. "difference" is what the suspect loses less
what the references lose, on the same questions. "explained" is what unlike strength alone would make of it: a harder
wording costs more whoever is nearer to one half right. The one-sided p-value is of a difference beyond that, if any of
the systems could be the suspect: it exchanges both wordings of a question at once. References about as good as the
suspect tell most. Several paraphrases of a question count as their mean.
"""

from __future__ import annotations

from collections.abc import Sequence

from nescio.comparison.contamination import Excess
from nescio.comparison.contamination import contamination as compare_wordings
from nescio.data.results import Results
from nescio.options import option, verb
from nescio.options.kinds import WORDS
from nescio.verbs._shared import Measured, Reading, Seeded, WithInterval


class ContaminationRequest(Reading, Seeded, Measured, WithInterval):
    """The options of `nescio lab contamination`."""

    suspect: str = option(metavar="RUN", help="The run that may have seen the questions.")
    references: Sequence[str] | None = option(
        default=None,
        kind=WORDS,
        metavar="RUN,RUN,…",
        help="The runs to compare it with.",
        default_words="all others",
    )
    paraphrase_of: str = option(
        default="paraphrase_of",
        metavar="COLUMN",
        help="The column that names the original question of a paraphrase.",
    )


@verb(ContaminationRequest, working="comparing")
def contamination(request: ContaminationRequest) -> Results[Excess]:
    return compare_wordings(**request.values())
