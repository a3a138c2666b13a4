"""Test whether a system has seen the questions: does rewording lower its score more than the scores of others?

FILES hold answers to questions and to paraphrases of these: the answers of a suspected run (the suspect), and of one or
more reference runs. A column names the original question of a paraphrase; it is empty for original questions.

\b
nescio lab contamination paraphrases.csv --suspect new
nescio lab contamination paraphrases.csv --suspect new --references old,other -m accuracy
nescio lab contamination paraphrases.csv --suspect new --paraphrase-of paraphrase_of -f json

A drop of the suspect alone says little, since a paraphrase may be harder. "difference" is the drop of the suspect minus
the mean drop of the references, on the same questions. "explained" is the difference that unequal strength alone would
cause: a harder wording costs a system most if it is right about half the time. The one-sided p-value tests for a
difference above "explained". On each question the test exchanges the suspect with all references at once, or does not,
at random. So references may be versions of one model. Choose references that are about as good as the suspect. Several
paraphrases of a question count as their mean.
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
        help="The reference runs, with which the suspected run is compared.",
        default_words="all others",
    )
    paraphrase_of: str = option(
        default="paraphrase_of", metavar="COLUMN", help="The column that names the original question of a paraphrase."
    )


@verb(ContaminationRequest, working="comparing")
def contamination(request: ContaminationRequest) -> Results[Excess]:
    return compare_wordings(**request.values())
