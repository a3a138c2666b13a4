"""The options that several commands share, each declared once, and what is typed as what functions take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import click

from nescio.cli.bars import watch
from nescio.cli.help import Command, Group, format_names, grouped, measure_names, offered
from nescio.cli.stdin import Files
from nescio.data.judges import Target
from nescio.data.policies import Missing, MissingConfidence, Unanswerable, Ungraded
from nescio.engines.memory import limit_process
from nescio.errors import UsageError
from nescio.reporting import terminal
from nescio.reporting.tables import Form

Decorator = Callable[[Any], Any]
TableOrJson = Literal["table", "json"]
PATH = click.Path(path_type=Path)


def command(name: str) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a command whose help page has groups of options."""
    return click.command(name, cls=Command)


def group(name: str) -> Callable[[Callable[..., Any]], Group]:
    """Make a command of commands."""
    return click.group(name, cls=Group)


def choice(literal: Any) -> click.Choice:  # type: ignore[type-arg]
    """Offer the values of a Literal."""
    return click.Choice(get_args(literal))


def together(*options: Decorator) -> Decorator:
    """Make one decorator of several options, whose help lists them in this order."""

    def decorate(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


# ---- what is read, and what is asked for ----

FILES = click.argument("files", nargs=-1, required=True, type=Files(), metavar="FILES...")
MEASURES = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="NAME",
    shell_complete=offered(measure_names),
    help=(
        "A measure, such as -m c@1 -m 'penalty(t=0.75)'. Repeatable. `nescio measures` lists them. [default: depends on"
        " the data]"
    ),
)
BY = click.option(
    "--by",
    metavar="COLUMN",
    help="Break down the scores by a column that is constant within each question (or by `question` itself).",
)
CI = click.option(
    "--ci", type=float, default=95.0, show_default=True, metavar="LEVEL", help="The level of the intervals in percent."
)
CI_OR_NONE = click.option(
    "--ci", default="95", show_default=True, metavar="LEVEL|none", help="The level of the intervals in percent."
)

# ---- how files are read: an option for each field of `nescio.pipeline.Options` that a user may set ----

READING = {
    "format_in": click.option(
        "--format-in",
        metavar="NAME",
        shell_complete=offered(format_names),
        help=(
            "The format of the files, if their names and columns do not say so: outcomes, questions, lm_eval, … An"
            " unknown name lists them all."
        ),
    ),
    "column": click.option(
        "--column",
        multiple=True,
        metavar="NAME=COLUMN",
        help=(
            "Which column of a table is the run, question, outcome, answer, gold, confidence, abstained, …, as in"
            " --column run=engine. Repeatable."
        ),
    ),
    "judge": click.option(
        "--judge",
        metavar="NAME",
        help=(
            "How answers are judged, such as exact, choice, 'token_f1(threshold=0.5)'. [default: choice if all"
            " questions have options, else exact]"
        ),
    ),
    "missing": click.option(
        "--missing",
        type=choice(Missing),
        default="error",
        show_default=True,
        help=(
            "What to do with a question that a run lacks: stop with an error, count it as unanswered, or leave it out"
            " for all runs."
        ),
    ),
    "ungraded": click.option(
        "--ungraded",
        type=choice(Ungraded),
        default="error",
        show_default=True,
        help="What to do with an answer without a grade: stop with an error, leave it out, or report both extremes.",
    ),
    "unanswerable": click.option(
        "--unanswerable",
        type=choice(Unanswerable),
        default="correct",
        show_default=True,
        help="What to do with a question that has no answer: count abstaining as correct, or leave it out.",
    ),
    "missing_confidence": click.option(
        "--missing-confidence",
        type=choice(MissingConfidence),
        default="error",
        show_default=True,
        help=(
            "What to do with an answer that has no confidence, in a run where other answers have one: stop with an"
            " error, or leave it out. It applies only to measures that use confidence."
        ),
    ),
    "outcome_map": click.option(
        "--outcome-map",
        multiple=True,
        metavar="WORD=OUTCOME",
        help="Read WORD as correct, incorrect or unanswered. Repeatable.",
    ),
    "choose": click.option(
        "--choose",
        multiple=True,
        metavar="NAME=VALUE",
        help=(
            "Which of several things in a log to read, such as --choose filter=strict-match; a message lists them."
            " Repeatable."
        ),
    ),
    "declined_pattern": click.option(
        "--declined-pattern",
        multiple=True,
        metavar="REGEX",
        help=(
            "Count an answer as an abstention or refusal ('I don't know') if REGEX matches all of it, ignoring case;"
            " the matches are reported. Repeatable."
        ),
    ),
    "max_unpacked": click.option(
        "--max-unpacked",
        type=click.FloatRange(min=0, min_open=True),
        default=4.0,
        show_default=True,
        metavar="GB",
        help="How many GB a compressed file may unpack to.",
    ),
    "memory_limit": click.option(
        "--memory-limit",
        metavar="SIZE",
        help=(
            "How much memory the command may take, such as 2GB or 512MiB. Data that does not fit goes to the folder for"
            " temporary files; where that is impossible, an error says what to do. [default: all that there is]"
        ),
    ),
    "cluster": click.option(
        "--cluster",
        metavar="COLUMN",
        help=(
            "Resample questions with the same value of COLUMN (such as one story) together. [default: the column"
            " `cluster`]"
        ),
    ),
    "repeats_of": click.option(
        "--repeats-of",
        multiple=True,
        metavar="NAME=PATTERN",
        help="Treat the runs that match PATTERN (such as 'seed*') as repeats of one run, NAME. Repeatable.",
    ),
}
reading_options = together(*READING.values())
grouped("Reading the files", *READING.values())


def reading(arguments: dict[str, Any]) -> dict[str, Any]:
    """Take the options of `READING` out of what a command was given, as `nescio.pipeline.Options` takes them."""
    options = {name: arguments.pop(name) for name in (*READING, "certificate") if name in arguments}
    for name, form in (
        ("column", "NAME=COLUMN"),
        ("outcome_map", "WORD=OUTCOME"),
        ("choose", "NAME=VALUE"),
        ("repeats_of", "NAME=PATTERN"),
    ):
        if name in options:
            options[name] = pairs(f"--{name.replace('_', '-')}", form, options[name])
    if options.get("memory_limit"):
        click.get_current_context().find_root().call_on_close(limit_process(options["memory_limit"]))
    bars = {"watch": watch("reading", of_bytes=True), "watch_judging": watch("judging")}
    return options | bars | {"typed": True}


def pairs(option: str, form: str, texts: Sequence[str]) -> dict[str, str]:
    """Take NAME=VALUE apart, at the last sign where words are mapped to outcomes, which have none."""
    values = {}
    for text in texts:
        name, equals, value = text.rpartition("=") if form.endswith("OUTCOME") else text.partition("=")
        if not equals or not name:
            raise UsageError(f"{option} takes {form} (found {text!r})")
        values[name] = value
    return values


# ---- people's labels ----

LABELS = click.option(
    "--labels",
    type=PATH,
    metavar="FILE",
    help=(
        "A table of people's verdicts on the answers to a random sample of the questions (run, question, verdict):"
        " corrects the figures for the judge's errors."
    ),
)
TARGET = click.option(
    "--target",
    type=choice(Target),
    help=(
        "With --labels: what the figures describe, all answers to these questions (collection) or all questions of this"
        " kind (population). [default: population]"
    ),
)
LABELS_BY = click.option(
    "--labels-by",
    metavar="COLUMN",
    help=(
        "With --labels: the questions were drawn at random within each value of COLUMN (`verdicts`: within each"
        " combination of the judge's verdicts on the runs)."
    ),
)
ALSO_JUDGED = click.option(
    "--also-judged",
    multiple=True,
    type=PATH,
    metavar="FILE",
    help="With --labels: an outcome table of the same answers by another judge, so that both are used. Repeatable.",
)
LABELS_SHOWN = click.option(
    "--labels",
    type=PATH,
    metavar="FILE",
    help=(
        "A table of people's verdicts on some answers (run, question, verdict): the page shows them beside the judge's,"
        " and the questions where they differ."
    ),
)
OF_LABELS = ("labels", "target", "labels_by", "also_judged")
label_options = together(LABELS, TARGET, LABELS_BY, ALSO_JUDGED)
grouped("People's labels", LABELS, TARGET, LABELS_BY, ALSO_JUDGED, LABELS_SHOWN)


def label_files(arguments: dict[str, Any]) -> list[Path]:
    """Return the files of people's and of other judges' verdicts that a command was given."""
    return [*([arguments["labels"]] if arguments["labels"] else []), *arguments["also_judged"]]


# ---- resampling ----

RESAMPLES = click.option(
    "--resamples", type=click.IntRange(min=1), default=10_000, show_default=True, help="The number of resamples."
)
SEED = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The seed of all random draws."
)
JOBS = click.option(
    "--jobs",
    type=int,
    default=1,
    show_default=True,
    help="The number of processes; -1 for all cores. It does not affect results.",
)
resampling_options = together(RESAMPLES, SEED, JOBS)
grouped("Resampling", RESAMPLES, SEED, JOBS)

# ---- output ----


def printed(forms: Any = Form, what: str = "what is printed") -> Decorator:
    """Offer the formats in which results are printed."""
    return click.option(
        "-f",
        "--format",
        "printed",
        type=choice(forms),
        default="table",
        show_default=True,
        help=f"The format of {what}.",
    )


OUTPUT = click.option(
    "-o",
    "--output",
    type=PATH,
    help=(
        "Also write the result to FILE; the suffix decides the format (.json, .jsonl, .csv, .md, .tex, .txt, .parquet)."
    ),
)
VERBOSE = click.option(
    "-v",
    "--verbose",
    is_flag=True,
    expose_value=False,
    callback=lambda _context, _option, value: terminal.VERBOSE.set(value) and None,
    help="Print every comparison, however many there are, and the whole signature. (Files and JSON always have both.)",
)
output_options = together(printed(), OUTPUT, VERBOSE)
TABLE_OR_JSON = together(printed(TableOrJson), VERBOSE)
grouped("Output", printed(), OUTPUT, VERBOSE)

# ---- what is typed as text ----


def level(text: str) -> float | None:
    """Read what --ci says: a level in percent, or None for no interval."""
    if text.lower() == "none":
        return None
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--ci takes a level in percent or `none` (found {text!r})") from None


def numbers(option: str, text: str) -> list[float]:
    """Read numbers that commas separate."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"{option} takes numbers separated by commas (found {text!r})") from None


def whole_numbers(option: str, text: str | None) -> list[int] | None:
    """Read whole numbers that commas separate; None where the option was not given."""
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) >= 1 for part in parts):
        raise UsageError(f"{option} takes whole numbers from 1, separated by commas (found {text!r})")
    return [int(part) for part in parts]


def number_or_all(option: str, text: str) -> int | None:
    """Read the number that an option names; None for all."""
    if text == "all":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"{option} takes a whole number, 1 or more, or `all` (found {text!r})")
    return int(text)
