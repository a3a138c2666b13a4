"""Ask a cheap system first, and an expensive one if the first is unsure; find the confidence thresholds.

FILES hold the answers of two to four systems to the same questions, with confidences. If asking costs, a column holds
the costs. The first system answers if its confidence reaches its threshold; otherwise the next system is asked. If no
system is sure enough, the cascade abstains.

\b
nescio lab cascade cascade.csv --cost cost_usd --right 0.1 --error 2
nescio lab cascade outcomes.csv --systems mine,old --error 3 -o policy.json
nescio lab cascade outcomes.csv --apply policy.json --run-output applied.csv

Utility: a right answer earns 1, silence earns 0, an error loses --error, and costs are divided by --right. The
thresholds in the table were chosen on all questions; utility and shares are estimated on held-out questions. The second
table shows the gain over each system alone at its own best threshold, also on held-out questions. Its interval is for
the thresholds in the table. -o writes the policy as JSON, for production; --apply uses a saved policy on other answers.
Exit status 3 means that no policy could be certified.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from nescio.data.signature import sign
from nescio.options import option, verb
from nescio.options.kinds import BETWEEN, NUMBERS, PATH, SHARE, WORDS
from nescio.options.request import Request
from nescio.selective.cascades import Cascaded, apply_policy
from nescio.selective.cascades import cascade as choose_cascade
from nescio.sources.writing import write_text
from nescio.tables.outcomes_writer import SUFFIXES
from nescio.verbs._output_paths import check_file
from nescio.verbs._shared import Reading, Seeded, Sourced, WithInterval
from nescio.verbs._written_runs import check_whole, write_run


class Choosing(Request, group="Choosing thresholds"):
    """The options for choosing the thresholds of systems that are asked in turn."""

    grid: Sequence[float] | None = option(
        default=None,
        kind=NUMBERS,
        metavar="C,C,…",
        apart="apply",
        help="The thresholds to try for each system. Choose them before you look at the data.",
        default_words="the confidences in the data; if there are many, those at evenly spaced ranks",
    )
    spare: bool = option(
        default=False, apart="apply", help="Take the cheapest policy within one standard error of the best."
    )
    max_risk: float | None = option(
        default=None,
        kind=BETWEEN,
        needs="grid",
        apart="apply",
        help="Take only policies with a certificate that at most this share of their answers to new questions "
        "is wrong. The certificate holds for all policies of the grid together.",
    )
    confidence: float = option(
        default=0.95, kind=SHARE, needs="max_risk", help="The confidence level of the certificate."
    )
    folds: int = option(
        default=10, low=2, apart="apply", help="The number of cross-validation folds to estimate the utility."
    )


class CascadeRequest(Choosing, Reading, Seeded, Sourced, WithInterval):
    """The options of `nescio lab cascade`."""

    systems: Sequence[str] | None = option(
        default=None,
        kind=WORDS,
        metavar="RUN,RUN,…",
        apart="apply",
        help="The runs, in the order in which they are asked.",
        default_words="all, the cheapest first",
    )
    error: float = option(default=1.0, low=0, apart="apply", help="The loss from an error, if a right answer earns 1.")
    right: float | None = option(
        default=None,
        low=0,
        above=True,
        needs="cost",
        apart="apply",
        help="The value of a right answer, in the unit of the costs.",
    )
    cost: str | None = option(
        default=None, metavar="COLUMN", needs="right", apart="apply", help="The column with the cost of each answer."
    )
    apply: Path | str | None = option(
        default=None,
        kind=PATH,
        reads=True,
        needs="run_output",
        help="Apply the saved policy in FILE to these answers instead of choosing one.",
    )
    output: Path | None = option(
        default=None,
        writes=True,
        flags=("-o", "--output"),
        metavar="POLICY",
        apart="apply",
        help="Write the policy (.json).",
    )
    run_output: Path | None = option(
        default=None,
        writes=True,
        metavar="RUN",
        help="Write the outcomes of the policy on these questions as a run: an outcome table (.csv, .tsv, .jsonl, "
        ".parquet).",
    )


@verb(CascadeRequest, working="choosing", prints="forms")
def cascade(request: CascadeRequest) -> Cascaded:
    if request.output is not None:
        check_file(request.output, "a policy", (".json",), request.inputs())
    if request.run_output is not None:
        check_file(request.run_output, "a run", SUFFIXES, request.inputs())
    if request.apply is not None:
        outcomes, read, notes = apply_policy(request.source, request.apply, written=True, **request.values(Reading))
        line = sign(cascade=outcomes.runs[0], **read)
        return _written(request, Cascaded((), line, notes, "cascade", applied=outcomes))
    kept = request.values()
    for name in ("apply", "output", "run_output"):
        kept.pop(name)
    made = choose_cascade(worth=kept.pop("right"), written=request.run_output is not None, **kept)
    if made.policy is None:
        wanted = [name for name in ("output", "run_output") if getattr(request, name) is not None]
        messages = tuple(f"{getattr(request, name)} is not written, because no policy is certified" for name in wanted)
        return replace(made, wrote=messages)
    return _written(request, made)


def _written(request: CascadeRequest, made: Cascaded) -> Cascaded:
    """Write the requested files of the policy and the run, and return the result with messages about the files."""
    messages, notes = [], made.notes
    if request.run_output is not None:
        check_whole(notes, request.run_output)
    if request.output is not None:
        write_text(request.output, json.dumps(made.policy, indent=1, ensure_ascii=False) + "\n")
        messages.append(f"wrote the policy to {request.output}")
    if request.run_output is not None and made.applied is not None:
        rows, left_out = write_run(made.applied, request.run_output, notes, (), unit="question")
        messages.append(f"wrote the outcomes of the policy on {rows} to {request.run_output}")
        notes += left_out
    return replace(made, notes=notes, wrote=tuple(messages))
