"""Say which run to use, at which threshold, and which of its errors to read first.

What the first screen of `nescio report` says, for a terminal: the best run, the advice with its bound, and the errors
of that run at that threshold, the most confident first (without confidences, those that most runs get right).

\b
nescio advise outcomes.csv
nescio advise questions.jsonl runs/*.jsonl --most 20
nescio advise outcomes.csv --tolerate 30

With --tolerate, run and threshold are those that can be held to so many wrong answers, with 95% confidence. JSON has
every sentence with its figures, the level that it claims, and what it is conditional on.
"""

from __future__ import annotations

from msgspec.structs import replace

from nescio.data.notes import note
from nescio.data.results import Results
from nescio.errors import opt
from nescio.options import option, verb
from nescio.pipeline import DEFAULT_MEASURES
from nescio.reporting import page
from nescio.reporting.advice_screen import show_advice
from nescio.reporting.page.to_read import ToRead, advised
from nescio.verbs._changes import commands_of
from nescio.verbs._shared import Certified, Measured, Reading, Resampled, Worked


class AdviseRequest(Reading, Certified, Resampled, Measured, Worked):
    """What `nescio advise` is asked."""

    most: int = option(default=10, low=1, help="How many errors to list.")
    tolerate: float | None = option(
        default=None, low=0, high=100, help="The share of wrong answers that is tolerated, in percent."
    )


@verb(AdviseRequest, working="working", show=show_advice)
def advise(request: AdviseRequest) -> Results[ToRead]:
    data = page.gather(
        request.source,
        request.chosen,
        commands=commands_of(request),
        certificate=request.require_certificate,
        progress_for=lambda _: request.progress,
        **request.values(Resampled, Reading),
    )
    tolerate = None if request.tolerate is None else request.tolerate / 100
    found = advised(data, page.texts_of(data.loaded), most=request.most, tolerate=tolerate)
    if request.chosen or data.loaded.measures[:1] == DEFAULT_MEASURES[:1]:
        return found
    by_format = note(
        "advise.measure",
        "{measure} decides, as files of the format {format} are scored by it; {option} lets another measure decide",
        measure=data.main,
        format=data.loaded.format,
        option=opt("measures", DEFAULT_MEASURES[:1]),
    )
    return replace(found, notes=(*found.notes, by_format))
