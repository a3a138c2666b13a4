"""Define the options of reading files. Every field except those of `CALLERS` has its option on the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal

from msgspec.structs import replace

from nescio.data.columns import OUTCOMES
from nescio.data.notes import Note
from nescio.data.outcomes import MEANINGS, PARTIAL
from nescio.data.policies import Missing, MissingConfidence, Unanswerable, Ungraded
from nescio.data.reasons import CountsAs, NoAnswer
from nescio.data.scales import UNITS
from nescio.errors import UsageError, opt
from nescio.memory import size_of
from nescio.options import Kind, Request, option
from nescio.options.kinds import FILES, once
from nescio.plugins import load_file, load_installed
from nescio.sources.limits import FEW_ROWS, GB, MOST_UNPACKED, RATIO, ROWS_A_BYTE, SMALL, Limits, limited
from nescio.sources.workbooks import of_sheet
from nescio.tables.judgements import OWN_PARTS
from nescio.tables.mapping import ROLES
from nescio.text import decimal

Duplicates = Literal["error", "first", "last", "repeats"]
DeclinedRight = Literal["keep", "unanswered"]
Rest = Literal["correct", "incorrect", "unanswered", "ungraded"]


def _format_names() -> Sequence[str]:
    from nescio import formats

    load_installed()
    return list(formats.REGISTRY)


def _outcomes(value: Any) -> dict[str, str]:
    """Return the outcome that the user gives each word, keyed by word, such as "incorrect" for "IDK=incorrect".

    The outcome follows the last "=", because a word may contain one. The empty word is an empty answer.
    """
    items = value if not isinstance(value, str) else [value]
    if not isinstance(items, Mapping) and any(isinstance(item, str) and "=" not in item for item in items):
        raise ValueError
    if not isinstance(items, Mapping):
        items = once([item.rpartition("=")[::2] if isinstance(item, str) else item for item in items])
    for word, outcome in items.items():
        if not isinstance(word, str):
            raise ValueError
        worth = decimal(str(outcome))
        if outcome not in MEANINGS and not (worth is not None and 0 <= worth <= 1):
            known = ", ".join((*OUTCOMES, PARTIAL, "ungraded"))
            rule = f"an outcome must be one of {known}, or a worth from 0 to 1"
            raise UsageError(f"{opt('outcome_map', {word: outcome})}: {rule}")
    return {word: str(outcome) for word, outcome in items.items()}


def _size(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    size_of(value)
    return value


OUTCOME_WORDS = Kind("WORD=OUTCOME", _outcomes, list, dict[str, str], "WORD=OUTCOME", several=True)
OUTCOME_MAP = option(
    default={},
    kind=OUTCOME_WORDS,
    help="Read WORD as correct, incorrect, unanswered, partial or ungraded; an empty WORD means an empty cell.",
)
SIZE = Kind("a size such as 2GB", _size, metavar="SIZE")


def _plugins(value: Any) -> tuple[str, ...]:
    """Import the Python files that register plug-ins, and return their paths."""
    return tuple(map(load_file, FILES.check(value)))


PLUG_INS_AND_LIMITS = "Plug-ins, limits"
PLUGINS = replace(FILES, check=_plugins, metavar="FILE.py")


class Extended(Request, group=PLUG_INS_AND_LIMITS):
    """The options that name plug-ins to be registered."""

    plugin: Sequence[Path | str] = option(
        default=(),
        kind=PLUGINS,
        metavar="FILE.py",
        runs=True,
        help="Run a Python file that registers your own measures, judges or readers.",
    )


class Limited(Extended, group=PLUG_INS_AND_LIMITS):
    """The options that limit the files to be read, such as their size (see `sources/limits.py`)."""

    max_unpacked: float | None = option(
        default=None,
        low=0,
        above=True,
        metavar="GB",
        help="How many GB a compressed file may unpack to.",
        default_words=f"{RATIO} times its size and {SMALL / GB:.2g} GB, at most {MOST_UNPACKED / GB:g}",
    )
    max_rows: int | None = option(
        default=None,
        low=1,
        help="How many rows or lines a file may have.",
        default_words=f"{ROWS_A_BYTE} for each byte, and {FEW_ROWS:,}",
    )
    max_columns: int | None = option(
        default=None,
        low=1,
        help="How many columns a table may have.",
        default_words="by the size of the file, at least 2,048",
    )
    max_depth: int = option(default=Limits().max_depth, low=1, high=300, help="How deep JSON values may be nested.")
    max_text: float = option(
        default=Limits().max_text,
        low=0,
        above=True,
        metavar="MB",
        help="The longest line of a file, or cell of a table, that is read.",
    )
    max_files: int = option(
        default=Limits().max_files, low=1, help="How many files may be read at once, or be in one archive."
    )

    memory_limit: str | None = option(
        default=None,
        kind=SIZE,
        help="The most memory to use, such as 2GB or 512MiB. Data that does not fit goes to the folder for temporary "
        "files. If that is impossible, an error says what to do.",
        default_words="all available memory",
    )

    def holding(self) -> AbstractContextManager[None]:
        """Return a context manager during which these limits apply to every file."""
        return limited(Limits(**{name: getattr(self, name) for name in Limits.__struct_fields__}))


class ReadingAnswers(Limited, group="Reading the files"):
    """The options for reading files."""

    format_in: str | None = option(
        default=None,
        metavar="NAME",
        complete=_format_names,
        help="The format of the files, if nescio cannot tell it from names and columns: outcomes, questions, lm_eval, "
        "… An unknown name lists all formats.",
    )
    column: Mapping[str, str] = option(
        default={},
        metavar="NAME=COLUMN",
        help="Which column of a table holds the run, question, outcome, answer, gold, confidence, abstained, …, as in "
        f"{opt('column', {'run': 'engine'})}.",
    )
    mapping: Mapping[str, str] = option(
        default={}, edge=True, metavar="ROLE=COLUMN", help="The same as `column`, for programs."
    )
    outcome_map: Mapping[str, str] = OUTCOME_MAP
    duplicates: Duplicates = option(
        default="error",
        help="What to do if two rows of a run answer the same question: stop with an error, keep the first or the "
        "last row, or count both as repeats.",
    )
    declined_right: DeclinedRight | None = option(
        default=None,
        help="How to count answers that a table marks both as declined and as right: as correct (keep) or as "
        "unanswered.",
        default_words="nescio asks",
    )
    refusals: CountsAs | None = option(
        default=None,
        help="How to count answers that decline in words, such as 'I don't know', if no column says which answers "
        "were declined.",
        default_words="nescio asks",
    )
    total: int | None = option(
        default=None,
        low=1,
        help="The number of all questions, for a table that lists only some of them, such as the failures.",
    )
    rest: Rest | None = option(
        default=None, needs=("total",), help="The outcome of the answers that the table does not list."
    )
    sheet: str | None = option(default=None, metavar="NAME", help="Which sheet of a workbook to read.")
    reading: Path | None = option(
        default=None,
        metavar="FILE",
        help="A saved reading of a table (FILE.reading.toml).",
        default_words="FILE.reading.toml beside the table",
    )
    choose: Mapping[str, str] = option(
        default={},
        metavar="NAME=VALUE",
        help=f"Which item to read if a log holds several, such as {opt('choose', {'filter': 'strict-match'})}. Without "
        "it, an error lists the items.",
    )
    declined_pattern: Sequence[str] = option(
        default=(),
        metavar="REGEX",
        help="Count an answer as an abstention or refusal ('I don't know') if REGEX matches the whole answer, "
        "ignoring case. A note counts the matches.",
    )

    empty: CountsAs | None = option(
        default=None,
        help="How to count an empty output, whatever the file calls it.",
        default_words="incorrect, unless the file calls it an abstention; nescio asks about tables",
    )
    unparsed: CountsAs | None = option(
        default=None,
        help="How to count an output that the tool could not parse as an answer.",
        default_words="incorrect; nescio asks about tables without verdicts",
    )

    def holding(self) -> AbstractContextManager[None]:
        """Return a context manager during which the limits apply to every file, and the chosen sheet to workbooks."""
        return of_sheet(self.sheet, super().holding())

    @property
    def no_answer(self) -> NoAnswer:
        """Return what empty and unparsed outputs count as; None if the user did not say it."""
        return NoAnswer(self.empty, self.unparsed)

    def check(self) -> None:
        """Raise UsageError if `column` names a role that a column cannot have."""
        super().check()
        for name, column in self.column.items():
            if name not in (*ROLES, *OWN_PARTS):
                raise UsageError(
                    f"{opt('column', {name: column})}: the name must be one of {', '.join((*ROLES, *OWN_PARTS))}"
                )


class JudgingAnswers(ReadingAnswers, group="Reading the files"):
    """The options for reading files and judging answers."""

    judge: str | None = option(
        default=None,
        metavar="NAME",
        help="How answers are judged, such as exact, choice, 'token_f1(threshold=0.5)'.",
        default_words="choice if all questions have options, else fitting",
    )

    @property
    def judging(self) -> bool:
        """Return whether to judge answers (or take people's verdicts), even if the table has verdicts already."""
        return self.judge is not None or "judge" in self.choose


class MergingRuns(JudgingAnswers, group="Reading the files"):
    """The options for reading files, judging answers, and merging runs that are repeats of one run."""

    repeats_of: Mapping[str, str] = option(
        default={},
        metavar="NAME=PATTERN",
        help="Treat the runs that match PATTERN (such as 'seed*') as repeats of one run, NAME.",
    )


class Reading(MergingRuns, group="Reading the files"):
    """The options for reading files, judging answers, merging runs, and applying policies."""

    missing: Missing = option(
        default="error",
        help="What to do with a question that a run lacks: stop with an error, count it as unanswered (a missing "
        "repeat, too), leave it out for all runs (common), or score each run on its own questions (own). With "
        "common and own, no gate can pass a run that lacks questions.",
    )
    ungraded: Ungraded = option(
        default="error",
        help="What to do with an answer without a grade: stop with an error, leave it out, count it as incorrect, or"
        " report both extremes.",
    )
    unanswerable: Unanswerable = option(
        default="correct",
        help="What to do with a question that has no answer: count abstaining as correct, or leave it out.",
    )
    missing_confidence: MissingConfidence = option(
        default="error",
        help="What to do with an answer without a confidence, if other answers of the run have one: stop with an "
        "error, or leave it out. This applies only to measures that use confidence.",
    )
    same_unit: Sequence[str] = option(
        default=(),
        metavar="COLUMN",
        help="State that COLUMN has one scale and unit in all runs, although its values differ widely between runs. "
        "Without it, no gate rests on such a column.",
    )
    cluster: str | None = option(
        default=None,
        metavar="COLUMN",
        help="Resample questions with the same value of COLUMN (such as one story) together.",
        default_words="the column `cluster`",
    )

    def unstated(self, notes: Iterable[Note]) -> list[Note]:
        """Return the notes without those on different units of a column that `same_unit` names."""
        return [remark for remark in notes if remark.code not in UNITS or remark["column"] not in self.same_unit]

    def refuse(self, what: str, *, allowed: tuple[str, ...] = ()) -> None:
        """Raise UsageError if an option for reading was given that cannot apply; `what` says why it cannot.

        Options in `allowed`, and those that register plug-ins, may be given.
        """
        for name in self.given:
            if name not in allowed and not (self.options[name].edge or self.options[name].runs):
                raise UsageError(f"{opt(name)} applies only when files are read, but {what}")


class Options(Reading):
    """The options for reading files, with further ones that verbs set and users cannot.

    `strata` names the columns kept for breakdowns (None: all columns with one value for each question), and `graded`
    the numeric columns that measures such as mean(f1) need; `scores_alone` says that all measures are such. `texts`
    asks for the texts of questions and answers. `beside` names columns of a table of labels that is read with the
    files, so that `column` may name them, too. `people` names columns with people's verdicts. `baseline_file` is a file
    with a run to add, and `certificate` a file that must match the judge, prompt and questions. `only` names the runs
    that the verb needs; gaps of other runs then have no effect. `written` says that the answers will be written to a
    file.
    """

    strata: tuple[str, ...] | None = option(default=None, edge=True)
    graded: tuple[str, ...] = option(default=(), edge=True)
    scores_alone: bool = option(default=False, edge=True)
    texts: bool = option(default=False, edge=True)
    written: bool = option(default=False, edge=True)
    beside: frozenset[str] = option(default=frozenset(), edge=True)
    people: frozenset[str] = option(default=frozenset(), edge=True)
    baseline_file: Path | None = option(default=None, edge=True)
    certificate: Any = option(default=None, edge=True)
    only: tuple[str, ...] = option(default=(), edge=True)
