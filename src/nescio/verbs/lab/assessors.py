"""Describe who judged, how well and how far they agree, and make one verdict on each answer.

FILE is a table of verdicts on answers (run, question_id, verdict, and the text of the answer where there is no run). A
column such as annotator, assessor or rater says whose a row is; or each person has a column of verdicts
(--verdict ana+ben+cleo).

\b
nescio lab assessors annotators.csv
nescio lab assessors annotators.csv --resolve dawid-skene -o labels.csv
nescio lab assessors annotators.csv --resolve majority -f json

The file of -o is for `nescio score --labels` and for --against of a judge. `agrees` is the mean share of the others who
give the same verdict as an assessor. If three or more people judged 60 answers or more, Dawid and Skene's model
estimates how often each of them is right, without any key. With fewer, votes tell as much.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nescio.data.assessors import Resolution
from nescio.data.results import Results
from nescio.options import argument, option, verb
from nescio.scoring.assessors import Assessor, decided_by, write_verdicts
from nescio.scoring.assessors import assessors as described
from nescio.tables.judgements import read_judgements
from nescio.verbs._output_paths import check_file
from nescio.verbs._shared import OWN_FILE, RESOLVE, Redrawn, WithInterval


class AssessorsRequest(Redrawn, WithInterval):
    """The options of `nescio lab assessors`."""

    verdicts: Any = argument(kw_only=False, kind=OWN_FILE, argument=True, metavar="FILE", help="The table of verdicts.")
    verdict: str | None = option(
        default=None,
        metavar="COLUMN",
        help="The column with the verdict, or, as in ana+ben, a column for each person.",
        default_words="found by its name; columns such as annotator1, annotator2 are of a person each",
    )
    outcome_map: Mapping[str, str] = option(
        default={}, metavar="WORD=OUTCOME", help="What a word of FILE means: correct, incorrect, unanswered, ungraded."
    )
    resolve: Resolution = option(default="adjudicated", help=RESOLVE)
    adjudicator: str | None = option(
        default=None,
        metavar="NAME",
        help="Who decides what the others judge differently, and is not one of those whose agreement is measured.",
        default_words="an assessor called adjudication",
    )
    output: Path | None = option(
        default=None,
        writes=True,
        flags=("-o", "--output"),
        metavar="LABELS",
        help="Write one verdict an answer (.csv); what is in dispute has none.",
    )


@verb(AssessorsRequest)
def assessors(request: AssessorsRequest) -> Results[Assessor]:
    if request.output is not None:
        check_file(request.output, "labels", (".csv",), request.inputs())
    labels, notes = read_judgements(request.verdicts, request.outcome_map, request.verdict, answered=True, several=True)
    if request.adjudicator is not None:
        labels = decided_by(labels, request.adjudicator)
    drawn = {name: getattr(request, name) for name in ("ci", "resamples", "seed")}
    results = described(labels, notes, request.resolve, **drawn)
    if request.output is not None:
        write_verdicts(results, request.output)
    return results
