"""Print SQL that counts a table of any size, for `nescio score` and `nescio compare` to read.

TABLE has a row for each answer, with the columns `run`, `question` and `outcome`. Run a statement on your engine, save
the result as Parquet or CSV, and give this file to nescio. Values, intervals and exact tests are the same as from the
rows.

\b
nescio sql answers --dialect spark --only pairs
nescio sql 'part-*.parquet' --only pairs
nescio sql answers --column outcome=verdict --outcome-map right=correct --only runs
nescio sql answers --bins 1000 --only confidences

The three statements count outcomes: of each run (`runs`), of each pair of runs on the same questions (`pairs`, which
also pairs each run with itself), and at each rounded confidence (`confidences`, for AUROC, AURC, ECE and `nescio
tune`). If shards share no question, add up their counts: sum each column over the same run, pair, or run and
confidence. nescio refuses counts with missing questions, unknown words, or questions that a run answers twice (columns
`missing` and `other`). So choose with --missing and --ungraded how the SQL counts them. Further columns say what this
leaves out or counts as unanswered, so gates decide as they do from the rows. To leave out questions without an answer,
query a view.

Counts cannot hold what the columns `answers_held`, `no_gate_because`, `output_was`, `cluster`, `grades_between`,
`question_digest`, `gold_digest` and `judge` say to gates, nor gold answers, question texts, lost outputs, errors,
abstentions that the outcome does not show, and other columns on the judge. If TABLE is a file in which such a column
would decide a gate, this command refuses to count it. It cannot see into a table of a database: before a gate, make
sure there that no run has a value in the first four, that runs agree on the scale of their grades, on the digests, and
on the gold answer and the text of each question, and that they have one judge.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from nescio.data.columns import OUTCOMES
from nescio.data.policies import Missing
from nescio.errors import UsageError, opt
from nescio.options import Request, argument, option, verb
from nescio.pipeline.options import OUTCOME_WORDS
from nescio.tables.statements import Counted, Dialect
from nescio.tables.uncounted import uncounted

ROLES = ("run", "question", "outcome", "confidence")


class SqlRequest(Request):
    """The options of `nescio sql`."""

    table: str = argument(
        kw_only=False,
        argument=True,
        metavar="TABLE",
        help="The name of the table. For DuckDB and Spark, it can also be a file.",
    )
    dialect: Dialect = option(default="duckdb", help="The SQL to write.")
    only: Literal["runs", "pairs", "confidences"] | None = option(
        default=None, help="Print only this statement.", default_words="all statements"
    )
    column: Mapping[str, str] = option(
        default={}, metavar="NAME=COLUMN", help="Which column holds the run, question, outcome or confidence."
    )
    outcome_map: Mapping[str, str] = option(
        default={}, kind=OUTCOME_WORDS, help="Read WORD as correct, incorrect, unanswered or ungraded."
    )
    missing: Missing = option(
        default="error",
        help="How to count a question that a run lacks: as missing (nescio then refuses the counts), as "
        "unanswered, or not at all, in any run.",
    )
    ungraded: Literal["error", "exclude"] = option(
        default="error", help="How to count an empty outcome: as `other`, or not at all."
    )
    bins: int | None = option(
        default=None,
        low=1,
        help="Round confidences to multiples of 1/N, and count the outcomes at each rounded confidence.",
        default_words="1,000 with --only confidences",
    )

    def check(self) -> None:
        """Raise UsageError for a column of an unknown role, or a word with a meaning that no statement counts."""
        super().check()
        for name, column in self.column.items():
            if name not in ROLES:
                raise UsageError(f"{opt('column', {name: column})}: the name must be one of {', '.join(ROLES)}")
        for word, outcome in self.outcome_map.items():
            if outcome not in (*OUTCOMES, "ungraded"):
                rule = f"a word must mean one of {', '.join(OUTCOMES)} and ungraded"
                raise UsageError(f"{opt('outcome_map', {word: outcome})}: {rule}")
        if self.bins and self.only not in (None, "confidences"):
            raise UsageError(f"{opt('bins')} is for {opt('only', 'confidences')}")


def present(text: str, _: object) -> int:
    """Print the statements on standard output, and return the exit status 0."""
    print(text)
    return 0


@verb(SqlRequest, present=present, prints="")
def sql(request: SqlRequest) -> str:
    columns = {role: role for role in ROLES} | dict(request.column)
    words = {name: name for name in OUTCOMES} | {word: str(meant) for word, meant in request.outcome_map.items()}
    counted = Counted(request.table, columns, words, request.missing, request.ungraded == "exclude", request.dialect)
    paired = request.only in (None, "pairs")
    named = (columns[role] for role in ROLES[:3])
    if counted.files and (lost := uncounted(counted.files, *named, words=words, paired=paired)):
        raise UsageError(
            f"{request.table}: gates depend on {' and '.join(lost)}, which the counts would not hold; give nescio the "
            "table itself"
        )
    statements = {"runs": counted.runs(), "pairs": counted.pairs()}
    if request.bins or request.only == "confidences":
        statements["confidences"] = counted.confidences(request.bins or 1000)
    return "\n\n".join(
        f"-- {name}\n{statement};" for name, statement in statements.items() if request.only in (None, name)
    )
