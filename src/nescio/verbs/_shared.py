"""Declare once the options that several verbs share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from numbers import Number
from pathlib import Path
from typing import Any, ClassVar

from nescio.data.assessors import Resolution
from nescio.data.judge_record import Target
from nescio.data.results import Plotted, Results
from nescio.errors import UsageError, opt
from nescio.measures import Measure, Measures
from nescio.options import Kind, Request, argument, option
from nescio.options.edge import Progress
from nescio.options.kinds import FUNCTION, LEVEL, LEVEL_OR_NONE, PATH, TEXT
from nescio.pipeline.options import Extended, Reading
from nescio.plugins import load_installed
from nescio.sources.arrow import items_of
from nescio.suites.choices import Incomplete, Over

__all__ = ["Reading"]
MARGIN = "0.01 if the measure's range is about 1 wide; a gate on any other measure needs one"
NEAR_THE_ROOT = 2  # number of parts of a path such as /home


def _plot(results: Any, measure: str | None, *, width: int) -> Any:
    from nescio.reporting.plots import plot

    return plot(results, measure, width=width)


def _render(results: Any, form: str, label: str | None) -> str:
    from nescio.reporting.tables import render

    return render(results, form, label)


Plotted.drawn_by = staticmethod(_plot)
Results.rendered_by = staticmethod(_render)


def _measures(value: Any) -> Any:
    if isinstance(value, (str, Measure)):
        value = (value,)
    if isinstance(value, (Mapping, bytes)) or not isinstance(value, Iterable):
        raise TypeError
    return tuple(map(_one_measure, value)) or None


def _one_measure(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        (value,) = value
    return value if isinstance(value, Measure) else TEXT.check(value)


def _paths(words: list[str]) -> list[Path]:
    return [Path(word) for word in words]


def _benchmarks(words: list[str]) -> Any:
    """Return the files that a shell's words name or, for words such as NAME=FILES, a suite: files keyed by benchmark.

    A file without a name belongs to the benchmark before it.
    """
    from nescio.sources.remote import address_of
    from nescio.suites.definition import expand

    named: dict[str, list[Path]] = {}
    for at, word in enumerate(map(str, words)):
        name, equals, rest = word.partition("=")
        if equals and name and rest and not address_of(word) and not Path(word).exists():
            if at and not named:
                raise UsageError(
                    f"name each benchmark, as in NAME=FILES; the first file has no name (found {str(words[0])!r})"
                )
            named.setdefault(name, []).extend(expand(rest))
        elif named:
            named[next(reversed(named))].extend(expand(word))
    return named or _paths(words)


def _source(value: Any) -> Any:
    """Return the suite if the value is a list whose only entry is a suite, else the unchanged value."""
    items = items_of(_items(value))
    return items[0] if len(items) == 1 and is_suite(items) else value


def _items(value: Any) -> Any:
    """Return the source to read as the user gave it. Raises ValueError if a file has an empty name."""
    if any(isinstance(item, str) and not item for item in items_of(value)):
        raise ValueError
    return value


def _item(value: Any) -> Any:
    """Return the only file or table in a value, which may be a list of one; a list of rows is one table."""
    (item,) = [source for source in items_of(_items(value)) if not isinstance(source, Mapping) or source]
    if isinstance(item, (int, float)):
        raise TypeError
    return item


def _named(measure: str | Measure) -> str:
    return measure.name if isinstance(measure, Measure) else measure


SOURCE = Kind("files or tables", _items, _paths, list[str], "FILES...", several=True, files=True)
SUITE_OR_SOURCE = Kind("files or tables", _source, _benchmarks, list[str], "FILES...", several=True, files=True)
MEASURES = Kind("names of measures", _measures, list, list[str] | None, "NAME", several=True, write=_named)
ONE_MEASURE = Kind("the name of one measure", _one_measure, list, str, "NAME", several=True, write=_named)
RESOLVE = (
    "How to settle differing verdicts of several people on one answer: by the assessor named "
    "'adjudication', by majority, by a model of how each assessor judges (dawid-skene), or not at all "
    "(refused)."
)
TARGET = (
    "What corrected figures describe: all answers to these questions (collection) or all questions of this kind"
    " (population)."
)
OWN_FILE = Kind("a path or a table", _item, Path, str | None, "FILE", files=True)
OWN_FILES = Kind(
    "paths or tables", lambda value: tuple(items_of(_items(value))), list, list[str], "FILE", True, files=True
)


def measure_names() -> Sequence[str]:
    """Return the names of all measures."""
    from nescio.measures import REGISTRY

    load_installed()
    return list(REGISTRY)


class Sourced(Request):
    """The option for the source to read."""

    source: Any = argument(kw_only=False, kind=SOURCE, argument=True, help="Files, folders or tables; see above.")

    def check(self) -> None:
        """Raise UsageError if the source has several benchmarks but the verb reads one."""
        super().check()
        refuse_suite(self.source, alone=isinstance(self, SuiteOrSource))


class Worked(Request):
    """The option for progress."""

    progress: Progress | None = option(
        default=None,
        kind=FUNCTION,
        edge=True,
        help="A function, called with the number of parts done and the number of all parts.",
    )


class WithMeasures(Extended):
    """The options for the measures."""

    measures: Measures = argument(
        kw_only=False,
        default=None,
        kind=MEASURES,
        flags=("-m", "--measure"),
        complete=measure_names,
        help=f"A measure, such as {opt('measures', ['c@1', 'penalty(t=0.75)'])}. `nescio measures` lists them.",
        default_words="depends on the data",
    )

    @property
    def chosen(self) -> Any:
        """Return the requested measures as a tuple, or None if the user named none."""
        return self.measures


class WithMeasure(Extended):
    """The option for a single measure."""

    measure: str | Measure = argument(
        kw_only=False,
        default="c@1",
        kind=ONE_MEASURE,
        flags=("-m", "--measure"),
        complete=measure_names,
        help="The measure.",
    )


class Measured(WithMeasures, Sourced):
    """The options for the source and its measures."""


class BrokenDown(Request):
    """The option for scores by group of questions."""

    by: str | None = option(
        default=None,
        metavar="COLUMN",
        apart="suite",
        help="Break down the scores by a column. Use a column that is constant within each question, or "
        "`question` itself.",
    )


class WithInterval(Request):
    """The option for an interval that is always computed."""

    ci: float = option(default=95.0, kind=LEVEL, help="The level of the intervals in percent.")


class WithOrWithoutInterval(Request):
    """The option for an interval that may be left out."""

    ci: float | None = option(
        default=95.0, kind=LEVEL_OR_NONE, help="The level of intervals in percent; `none` leaves the intervals out."
    )


class Seeded(Request, group="Resampling"):
    """The option for the seed."""

    seed: int = option(default=0, low=0, help="The seed of all random draws.")


class InJobs(Request, group="Resampling"):
    """The option for the number of processes."""

    jobs: int = option(default=1, low=-1, help="The number of processes; -1 for all cores. It does not affect results.")

    def check(self) -> None:
        """Raise UsageError if the number of processes is 0."""
        super().check()
        if self.jobs == 0:
            raise UsageError(f"{opt('jobs')} must be 1 or more, or -1 for all cores (found 0)")


class Redrawn(Seeded, group="Resampling"):
    """The options for resampling."""

    resamples: int = option(default=10_000, low=1, high=100_000_000, help="The number of resamples.")


class Resampled(InJobs, Redrawn, group="Resampling"):
    """The options for resampling, and for its number of processes."""


class Further(Request, group="Further intervals"):
    """The options for predictions about new questions, and about a run that was chosen by the scores."""

    next: int | None = option(
        default=None,
        low=1,
        apart=("suite", "labels", "pool"),
        help="Also print a prediction interval: the range of scores to expect on N other questions like these. It is "
        "wider than the interval of the mean. Gates of `nescio score` then use the prediction interval.",
    )
    simultaneous: bool = option(
        default=False,
        apart=("suite", "labels", "pool"),
        help="Widen intervals and bounds so that they hold for all runs at once, even for a run chosen as the "
        "best. Gates of `nescio score` then use these intervals.",
    )


class Labelled(Request, group="People's labels"):
    """The options for people's verdicts, by which scores based on a judge's verdicts are corrected."""

    labels: Any = option(
        default=None,
        kind=OWN_FILE,
        apart="suite",
        help="A table of people's verdicts (run, question, verdict) on the answers to a random sample of the "
        "questions. These verdicts correct the figures for the judge's errors.",
    )
    target: Target | None = option(default=None, needs="labels", help=TARGET, default_words="population")
    labels_by: str | None = option(
        default=None,
        needs="labels",
        metavar="COLUMN",
        help="State that the labelled questions were drawn at random within each value of COLUMN (`verdicts`: "
        "within each combination of the judge's verdicts on the runs).",
    )
    also_judged: Sequence[Any] = option(
        default=(),
        needs="labels",
        kind=OWN_FILES,
        help="An outcome table of the same answers by a second judge. Both judges then help to correct the figures.",
    )
    resolve: Resolution = option(default="adjudicated", needs="labels", help=RESOLVE)


class SuiteOrSource(Sourced):
    """The option for a source that may be a suite."""

    source: Any = argument(
        kw_only=False, kind=SUITE_OR_SOURCE, argument=True, help="Files, folders or tables; see above."
    )


class Suited(SuiteOrSource, group="Suites"):
    """The options for a suite of several benchmarks."""

    facts: ClassVar[dict[str, str]] = {"suite": "a suite of benchmarks"}

    suite_by: str | None = option(
        default=None,
        metavar="COLUMN",
        help="Treat each value of a column, such as the task or category, as a benchmark.",
    )
    over: Over = option(
        default="questions",
        needs=("suite", "suite_by"),
        help="What the interval of a mean over benchmarks generalises to: other questions of these benchmarks, or "
        "other benchmarks like these (a far wider interval).",
    )
    incomplete: Incomplete = option(
        default="error",
        needs=("suite", "suite_by"),
        help="What to do if a run lacks a benchmark: error (stop), complete-runs (leave out such runs), "
        "common-benchmarks (leave out such benchmarks) or available (average each run over the benchmarks that "
        "it has).",
    )

    def check(self) -> None:
        """Raise UsageError if a suite should also take its benchmarks from a column."""
        super().check()
        if self.suite_by is not None and is_suite(self.source):
            raise UsageError(
                f"{opt('suite_by')} makes a suite from the values of a column, but these files are a suite already; "
                "leave the option out"
            )

    def inputs(self) -> list[Any]:
        """Return the files to read, including those that the definition of a suite names."""
        from nescio.errors import NescioError
        from nescio.suites.definition import files_of_definition

        paths = super().inputs()
        for item in items_of(self.source):
            if isinstance(item, (str, Path)) and str(item).lower().endswith(".toml"):
                with suppress(NescioError):  # reading the file will report the error
                    paths += files_of_definition(Path(item))
        return paths

    def is_(self, fact: str) -> bool:
        """Return whether a fact about the request holds; the fact "suite" is that the request reads a suite."""
        if fact != "suite":
            return super().is_(fact)
        return self.suite_by is not None or is_suite(self.source)


def refuse_suite(source: Any, *, alone: bool = False) -> None:
    """Raise UsageError for a suite, if the verb reads a single benchmark or if other files are given, too.

    With `alone`, a suite is accepted if it is the only source.
    """
    if is_suite(source) and not alone:
        raise UsageError(
            "this is a suite of benchmarks, but the command reads one benchmark; `nescio score` reads suites"
        )
    items = items_of(source)
    if len(items) > 1 and (definition := next((item for item in items if is_suite(item)), None)):
        raise UsageError(f"{definition} defines a suite; give this file alone, without other files")


def is_suite(source: Any) -> bool:
    """Return whether the source is a suite: a mapping (but not a table given as columns), or a TOML file."""
    items = items_of(source)
    item = items[0] if len(items) == 1 else None
    if isinstance(item, Mapping):
        return not _is_table(item)
    return isinstance(item, (str, Path)) and str(item).lower().endswith(".toml")


def _is_table(columns: Mapping[str, Any]) -> bool:
    """Return whether a mapping is a table given as columns: lists of cells, some of which cannot be files."""
    from numpy import generic

    lists = all(isinstance(column, (list, tuple)) or getattr(column, "ndim", 0) == 1 for column in columns.values())
    return lists and any(
        (not Path(cell).suffix and not Path(cell).exists())
        if isinstance(cell, str)
        else cell is None or isinstance(cell, (Number, generic))
        for column in columns.values()
        for cell in column
    )


class Certified(Request, group="Gates"):
    """The option that refuses answers whose judge has no fitting certificate."""

    require_certificate: Path | str | None = option(
        default=None,
        kind=PATH,
        reads=True,
        help="Refuse answers whose judge, prompt or questions differ from those of FILE, a certificate that"
        " `nescio judge` wrote.",
    )


def source_words(source: Any) -> tuple[str, ...]:
    """Return the source as words of a command line, for a page that others read.

    Absolute paths are written relative to the folder that holds all files. The word FILES stands for tables in memory.
    """
    if isinstance(source, Mapping):
        named = [(f"{name}=", str(file)) for name, files in source.items() for file in items_of(files)]
    else:
        named = [("", str(item) if isinstance(item, (str, Path)) else "FILES") for item in items_of(source)]
    folders = [os.path.dirname(file) for _, file in named if os.path.isabs(file)]
    top = os.path.commonpath(folders) if folders else ""
    # the folder may hold many people's files, and shorter paths would reveal names
    apart = len(Path(top).parts) <= NEAR_THE_ROOT
    words = [
        name + (_told(file) if apart or not os.path.isabs(file) else os.path.relpath(file, top)) for name, file in named
    ]
    return tuple(dict.fromkeys(words)) or ("FILES",)


def _told(word: str) -> str:
    """Return a word of a command line; an absolute path is written without the folders of this machine."""
    return os.path.basename(word) if os.path.isabs(word) else word


def option_words(request: Any, *kept: Any) -> tuple[str, ...]:
    """Return the options that the user gave as words of a command line.

    `kept` limits the options to those of some request classes or with some names. Files are written as in
    `source_words`.
    """
    return tuple(map(_told, request.words(*kept)))


def command_line(verb: str, request: Any) -> str:
    """Return the command line that repeats a request, without the options for gate reports."""
    from nescio.text import command_text

    kept = [name for name in request.options if name not in ("junit", "step_summary")]
    words = [word for name in kept for word in option_words(request, name)]
    read = [getattr(request, name) for name, option in request.options.items() if option.argument]
    return command_text(["nescio", *verb.split(), *(file for source in read for file in source_words(source)), *words])
