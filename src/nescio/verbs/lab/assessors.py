"""Describe the assessors, their accuracy and their agreement, and settle one verdict on each answer.

FILE is a table of verdicts on answers: run, question_id, verdict, and the text of the answer if there is no run. Either
a column such as annotator, assessor or rater names the person of each row, or each person has a column of verdicts
(--verdict ana+ben+cleo).

\b
nescio lab assessors annotators.csv
nescio lab assessors annotators.csv --resolve dawid-skene -o labels.csv
nescio lab assessors annotators.csv --resolve majority -f json

`nescio score --labels` and `judge --against` read the file that -o writes. `agrees` is the mean share of the other
assessors who give the same verdict. If three or more people judged 60 answers or more, Dawid and Skene's model
estimates the accuracy of each assessor without a key. With fewer, majority votes are as informative.
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
        help="The column with the verdict, or one column for each person, such as ana+ben.",
        default_words="found by its name; each of annotator1, annotator2, … is the column of one person",
    )
    outcome_map: Mapping[str, str] = option(
        default={},
        metavar="WORD=OUTCOME",
        help="The outcome that a word in FILE means: correct, incorrect, unanswered, ungraded.",
    )
    resolve: Resolution = option(default="adjudicated", help=RESOLVE)
    adjudicator: str | None = option(
        default=None,
        metavar="NAME",
        help="The assessor who decides disputes of the others. The measures of agreement leave this assessor out.",
        default_words="an assessor named adjudication",
    )
    output: Path | None = option(
        default=None,
        writes=True,
        flags=("-o", "--output"),
        metavar="LABELS",
        help="Write one verdict per answer (.csv). Answers in dispute get no verdict.",
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
