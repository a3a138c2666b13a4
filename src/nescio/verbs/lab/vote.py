"""Let several answers to a question vote: the most frequent answer wins, or silence if too few agree.

FILES are as for `nescio score`. If questions were asked several times, the repeats of each run vote; otherwise the runs
vote.

\b
nescio lab vote votes.csv
nescio lab vote votes.csv --of 3 --rule samples
nescio lab vote votes.csv --at-least 4 -o voted.csv

Two answers agree if their texts are the same apart from capitals and spaces. If the texts are missing, nescio counts
all right answers as agreeing. It cannot know which wrong answers agree, so two rows bound the result. With --of N, each
figure is a mean over all sets of N answers. "alone" is the score of one answer drawn at random. A vote costs as much as
all its answers together.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from nescio.comparison.statistic_rows import LaidOut
from nescio.errors import UsageError, opt
from nescio.options import option
from nescio.reporting.page.question_texts import texts_of
from nescio.scoring.keeping import as_read
from nescio.scoring.score import open_data
from nescio.selective.votes import Across, Said, Vote, c_at_1, lay_votes
from nescio.stats.votes import Rule
from nescio.tables.outcomes_writer import SUFFIXES
from nescio.verbs._output_paths import check_file
from nescio.verbs._shared import Reading, Sourced, WithInterval
from nescio.verbs._statistic import statistic
from nescio.verbs._written_runs import check_whole, write_run


class VoteRequest(Reading, Sourced, WithInterval):
    """The options of `nescio lab vote`."""

    across: Across = option(
        default="auto", help="Who votes: the repeats of each run, or the runs. auto takes repeats if there are any."
    )
    of: int | None = option(default=None, low=1, help="How many answers vote.", default_words="all answers")
    rule: Rule = option(
        default="answers",
        help="The votes that an answer needs to win: more than half of the answers given (answers), more than "
        "half of all votes, including abstentions (samples), or more votes than any other answer "
        "(plurality).",
    )
    at_least: int | None = option(
        default=None,
        low=1,
        metavar="N",
        help="Instead of --rule: the winner needs at least N votes, and more than any other answer.",
    )
    output: Path | None = option(
        default=None,
        writes=True,
        flags=("-o", "--output"),
        metavar="RUN",
        apart="of",
        help="Write the votes as runs: an outcome table (.csv, .tsv, .jsonl, .parquet).",
    )


def lay(request: VoteRequest) -> LaidOut:
    """Return the votes of runs or repeats on each question, and write the winning answers as runs if requested."""
    if request.output is not None:
        check_file(request.output, "a run", SUFFIXES, request.inputs())
    loaded = open_data(
        request.source, {"strata": (), "texts": True, "written": request.output is not None, **request.values(Reading)}
    )
    texts = texts_of(loaded)
    texts_of_runs: Said | None = None
    if texts is not None:
        texts_of_runs = {
            run: {key: answer.graded or answer.answer for key, answer in answers.items()}
            for run, answers in texts.said.items()
        }
    how = {name: getattr(request, name) for name in ("across", "of", "rule", "at_least")}
    laid, applied = lay_votes(loaded, texts_of_runs, **how)
    if request.output is None:
        return laid
    if applied is None:
        raise UsageError(
            f"{opt('output')} needs the texts of the answers, to know which answer won; the files have no texts"
        )
    check_whole(loaded.notes, request.output)
    rows, left_out = write_run(
        as_read(applied, loaded.whole), request.output, loaded.notes, loaded.data.runs, unit="vote"
    )
    return replace(laid, notes=(*laid.notes, *left_out), wrote=(f"wrote {rows} to {request.output}",))


@statistic(
    request=VoteRequest,
    lay=lay,
    row=Vote,
    columns={
        "correct": (lambda total: total.right / total.n,),
        "incorrect": (lambda total: total.wrong / total.n,),
        "unanswered": (lambda total: total.silent / total.n,),
        "value": (lambda total: c_at_1(total.right, total.silent, total.n),),
        "alone": (lambda total: c_at_1(total.one_right, total.one_silent, total.n),),
    },
    value="gain",
    table="votes",
    null=0.0,
    bounds=(-1.0, 1.0),
    ends="imagined",
    prints="forms",
)
def vote(total: Any) -> Any:
    return c_at_1(total.right, total.silent, total.n) - c_at_1(total.one_right, total.one_silent, total.n)
