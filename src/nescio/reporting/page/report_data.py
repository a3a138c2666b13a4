"""Gather the data of the report: the files read once, the scores, and the comparisons by the deciding measure."""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from nescio.comparison.comparing import compare
from nescio.comparison.hidden_losses import hidden_between
from nescio.comparison.many_runs import compare_leading
from nescio.comparison.ranks import Rank, ranks
from nescio.comparison.two_runs import names_in_files
from nescio.comparison.verdicts import Decision, decisions
from nescio.data.columns import OUTCOMES, Array
from nescio.data.evidence import Evidence
from nescio.data.notes import Note, note
from nescio.data.results import TURNED, Comparison, Comparisons, Score, Scores
from nescio.errors import NescioError, UsageError
from nescio.measures import Measure, parse
from nescio.options.edge import Progress
from nescio.pipeline import DEFAULT_MEASURES, Loaded
from nescio.reporting.charts import MOST_NAMED, OTHERS
from nescio.reporting.page.commands import Commands, measure_words
from nescio.reporting.page.shown_text import run_names
from nescio.scoring.labels import read_labels
from nescio.scoring.score import compute_scores, open_data
from nescio.selective.crossfit import deal
from nescio.selective.curve import one_run
from nescio.selective.operating import FOLDS, Operating, Part, TunedPoint, chosen_anew, operating, part_of
from nescio.selective.two import at_thresholds, held_out, together

MORE_MEASURES = ("penalty(t=0.75)",)  # used with the defaults and a precision if the user names no measures

FEWEST, MOST_PARTS = 2, 30  # number of values of a column that is broken down without a request
LEAST_EACH = 8  # mean number of questions that each value then needs
MOST_BROKEN_DOWN = 12  # runs, the best first, whose categories the page shows
MOST_PAIRS = 5_000  # most comparisons that a page shows: those of 100 runs
LEAST_GROUPS, MOST_IN_A_GROUP = 5, 20  # limits for a column whose questions seem to belong together
MOST_TUNED = 30  # runs, the best first, whose thresholds the page offers


class Shipping(Struct, frozen=True):
    """The run that the report advises to use on new questions, and its comparison with the next best run.

    `tuned` is the run's threshold, or None if none is expected to help. `alike` names the runs with the same result on
    every question. `decision` compares the two runs (on questions on which no threshold was chosen, if one has a
    threshold). It is None if there is no other run, or the two cannot be paired. `expected` holds the expected share of
    new questions that the run answers, and of wrong answers among these. They are estimated on questions that the
    choice did not use. `other_hides` says that the measure hides a loss of right answers of the next best run.
    """

    run: str
    tuned: TunedPoint | None
    other: str | None = None
    other_tuned: TunedPoint | None = None
    decision: Decision | None = None
    alike: tuple[tuple[str, TunedPoint | None], ...] = ()
    expected: tuple[float, float] | None = None
    other_hides: bool = False


class ReportData(Struct, frozen=True, eq=False):
    """All data of the report.

    `runs` are ordered by the first measure, `main`, the best first; `shown` maps each to its name on the page.
    `comparisons` is None if runs cannot be paired, and `why_alone` says why; `pairs` has every comparison in both
    directions. `counts` maps a run to its numbers of correct, incorrect and unanswered questions. `missing` says which
    of people's verdicts could not be used. `operating` has results at each threshold, for runs with confidences.
    `people` holds people's verdicts on the answers (1, 0, or -1 for none), shape (runs, questions). `by_asked` says
    that the user asked to break down scores. `chosen` is the best run's score, with an interval that allows for the
    choice of the best. `groups` has the name of a column that may cluster the questions, the number of its groups, and
    the number of questions in them.
    """

    loaded: Loaded
    scores: Scores
    cells: Mapping[tuple[str, str, str | None], Score]
    main: str
    runs: tuple[str, ...]
    shown: Mapping[str, str]
    comparisons: Comparisons | None
    pairs: Mapping[tuple[str, str], Comparison]
    why_alone: Note | None
    ranks: Mapping[str, Rank]
    counts: Mapping[str, tuple[int, int, int]]
    commands: Commands
    level: float | None = 95.0
    by: str | None = None
    missing: tuple[Note, ...] = ()
    operating: Mapping[str, Operating] = field(default_factory=dict)
    by_asked: bool = True
    shipping: Shipping | None = None
    seed: int = 0
    people: Array | None = None
    chosen: Score | None = None
    groups: tuple[str, int, int] | None = None

    @property
    def measures(self) -> tuple[str, ...]:
        """Return the measures that were scored, the main measure first."""
        return tuple(dict.fromkeys(row.measure for row in self.scores))

    @property
    def others(self) -> tuple[str, ...]:
        """Return the runs other than the best, without the other result of a best run with ungraded answers."""
        best, *others = self.runs
        origins = self.loaded.data.origins
        return tuple(run for run in others if origins.get(run, run) != origins.get(best, best))

    @property
    def highlighted(self) -> tuple[str, ...]:
        """Return the names that charts colour: those of the best runs, and "other runs" if there are more."""
        others = (OTHERS,) if len(self.runs) > MOST_NAMED else ()
        return (*(self.shown[run] for run in self.runs[:MOST_NAMED]), *others)

    @property
    def lower_is_better(self) -> bool:
        """Return whether lower values of the main measure are better."""
        return parse(self.main).declaration.lower_is_better

    def row(self, run: str, measure: str, stratum: str | None = None) -> Score | None:
        """Return the score of a run by a measure (in a stratum, if given), or None if it was not computed."""
        return self.cells.get((run, measure, stratum))


def gather(
    data: Any,
    measures: Sequence[str] | None = None,
    *,
    by: str | None = None,
    ci: float | None = 95.0,
    commands: Commands | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    labels: Any = None,
    progress: Progress | None = None,
    **options: Any,
) -> ReportData:
    """Return the data of the report: the answers read once, scored and compared.

    The arguments are those of `nescio.score`, and further ones. `labels` holds people's verdicts on some
    answers. Raises the errors of `score` and `compare`.
    """
    loaded = open_data(data, {"strata": None, "texts": True, **options}, measures)
    wanted = list(measures or loaded.measures)
    if not measures and tuple(loaded.measures) == DEFAULT_MEASURES:
        answerable = loaded.data.columns.get("answerable")
        every = answerable is None or not (answerable == 0).any()  # whether every question has an answer
        wanted += ("precision" if every else "precision_answered", *MORE_MEASURES)
    drawn: dict[str, Any] = {"resamples": resamples, "seed": seed, "jobs": jobs}
    scores = compute_scores(loaded, wanted, by=by, ci=ci, progress=progress, **drawn)
    main = next(iter(scores)).measure if len(scores) else wanted[0]
    cells = {(row.run, row.measure, row.stratum): row for row in scores}
    asked_by, by = by, by or column_to_break_down(loaded)
    compared, why = _compared(loaded, main, ci, drawn | {"progress": progress})
    pairs = _both_ways(compared)
    values = {row.run: row.value for row in scores if _whole(row, main)}
    ranking = _ranking(compared, main, values)
    runs = tuple(rank.run for rank in ranking) or _best_first(main, values)
    if by and not asked_by:  # the user did not ask for it, so the report omits its notes
        parts = compute_scores(_of_runs(loaded, runs[:MOST_BROKEN_DOWN]), [main], by=by, ci=ci, **drawn)
        cells |= {(row.run, row.measure, row.stratum): row for row in parts if row.stratum is not None}
    people = read_labels(loaded, labels) if labels is not None else None
    operating = _operating(loaded, runs, main, seed)
    return ReportData(
        loaded,
        scores,
        cells,
        main,
        runs,
        dict(zip(loaded.data.runs, run_names(loaded.data.runs)[0], strict=True)),
        compared,
        pairs,
        why,
        {rank.run: rank for rank in ranking},
        counts_of(loaded),
        commands or Commands(),
        ci,
        by,
        people.notes if people else (),
        operating,
        asked_by is not None,
        _shipping(loaded, main, values, operating, pairs=pairs, drawn=drawn),
        seed,
        None if people is None else people.said,
        _of_the_chosen(loaded, runs, main, ci, drawn),
        _groups(loaded),
    )


def _ranking(compared: Comparisons | None, main: str, values: Mapping[str, float]) -> Sequence[Rank]:
    """Return the ranks of the runs by the main measure, the best first; none if the runs were not compared."""
    if compared is None:
        return ()
    lower = parse(main).declaration.lower_is_better
    return compared.tables.get("ranks") or ranks(main, list(values.items()), tuple(compared), lower_is_better=lower)


def _best_first(main: str, values: Mapping[str, float]) -> tuple[str, ...]:
    """Return the runs by their values of the main measure, the best first and undefined values last."""
    sign = 1 if parse(main).declaration.lower_is_better else -1
    return tuple(sorted(values, key=lambda run: math.inf if math.isnan(values[run]) else sign * values[run]))


def _of_the_chosen(
    loaded: Loaded, runs: Sequence[str], main: str, ci: float | None, drawn: Mapping[str, Any]
) -> Score | None:
    """Return the best run's score, with an interval that allows for the choice of the best of all runs.

    Returns None if there is one run, if no interval was asked for, or if it would take more resamples than users wait
    for.
    """
    if ci is None or len(runs) < 2:
        return None
    try:
        rows = compute_scores(
            _of_runs(loaded, runs[:1]), [main], ci=ci, together=len(runs), **{**drawn, "progress": None}
        )
    except UsageError:  # it would take more resamples than users wait for
        return None
    row = next(row for row in rows if row.run == runs[0])
    return row if row.low is not None and not math.isnan(row.low) else None


def _groups(loaded: Loaded) -> tuple[str, int, int] | None:
    """Return a column whose values group the questions, such as the story that each question is about.

    The result has the column's name, its number of groups (two or more questions each), and the number of questions in
    them.
    """
    data = loaded.data
    if not isinstance(data, Evidence) or data.clusters is not None or data.repeats is not None:
        return None
    for name, values in data.strata.items():
        sizes = Counter(values).values()
        shared = [size for size in sizes if size > 1]
        few = sum(sizes) >= 2 * len(sizes) and max(sizes, default=0) <= MOST_IN_A_GROUP
        if few and len(sizes) >= LEAST_GROUPS:
            return name, len(shared), sum(shared)
    return None


def column_to_break_down(loaded: Loaded) -> str | None:
    """Return the first column of 2 to 30 values that each have enough questions, or None if there is no such column."""
    data = loaded.data
    if not isinstance(data, Evidence):
        return None
    for name, values in data.strata.items():
        distinct = len(set(values))
        enough = FEWEST <= distinct <= MOST_PARTS and len(values) >= LEAST_EACH * distinct
        if enough and name not in ("repeat", "stake"):
            return name
    return None


def _of_runs(loaded: Loaded, runs: Sequence[str]) -> Loaded:
    """Return the loaded data with only some runs.

    Intervals computed from it are the same as from all runs, because no interval of a run depends on other runs.
    """
    data = loaded.data
    if not isinstance(data, Evidence) or len(runs) == len(data.runs):
        return loaded
    return replace(loaded, data=data.take_runs(sorted(map(data.runs.index, runs))))


def score_command(report: ReportData, *, by: bool = False) -> str:
    """Return the command line that reproduces the scores; with `by`, the scores broken down by a column."""
    more = ("--by", report.by) if by and report.by else ()
    level = ("--ci", "none" if report.level is None else f"{report.level:g}") if report.level != 95 else ()
    return report.commands.line("score", *measure_words(report.measures), *more, *level)


def compare_command(report: ReportData) -> str:
    """Return the command line that reproduces the comparisons of the runs."""
    level = ("--ci", f"{report.level:g}") if report.level not in (None, 95) else ()
    return report.commands.line("compare", "-m", report.main, *level)


def _compared(
    loaded: Loaded, main: str, ci: float | None, drawn: dict[str, Any]
) -> tuple[Comparisons | None, Note | None]:
    if not loaded.data.can_pair:
        return None, note(
            "page.counts_alone",
            "{what} does not say which questions each run got right, so its runs cannot be compared",
            what=loaded.data.what,
        )
    if len(names_in_files(loaded.data)) < 2:
        return None, note("page.one_run", "there is one run, and no other run to compare it with")
    if math.comb(len(loaded.data.runs), 2) > MOST_PAIRS and not loaded.data.origins:
        return compare_leading(loaded, main, ci=ci or 95.0, **drawn), None
    return compare(loaded, [main], ci=ci or 95.0, **drawn), None


def _both_ways(compared: Comparisons | None) -> dict[tuple[str, str], Comparison]:
    pairs: dict[tuple[str, str], Comparison] = {}
    for row in compared or ():
        pairs[row.run, row.baseline] = row
        pairs[row.baseline, row.run] = replace(
            row,
            run=row.baseline,
            baseline=row.run,
            difference=0.0 - row.difference,  # avoid -0 for a difference of 0
            low=None if row.high is None else -row.high,
            high=None if row.low is None else -row.low,
            verdict=TURNED.get(row.verdict or "", row.verdict),
        )
    return pairs


def _operating(loaded: Loaded, runs: Sequence[str], main: str, seed: int) -> dict[str, Operating]:
    """Return the results of the best runs with confidences at each threshold.

    Each also has the best threshold by the report's main measure, or by c@1 if a threshold alone does not decide the
    value of the main measure.
    """
    data = loaded.data
    if not isinstance(data, Evidence) or "confidence" not in data.columns or not set(OUTCOMES) <= data.columns.keys():
        return {}
    measure = parse(main)
    if measure.order is not None or measure.user_columns:
        measure = parse("c@1")
    by_run = {}
    for run in runs[:MOST_TUNED]:
        try:
            run_data = one_run(data, run)
            if not run_data.left_out:  # a bound on the rest would not cover the answers without a confidence
                by_run[run] = operating(run_data, measure, seed=seed)
        except NescioError:
            continue
    return {run: curve for run, curve in by_run.items() if len(curve.points) > 1}


def _shipping(
    loaded: Loaded,
    main: str,
    values: Mapping[str, float],
    operating: Mapping[str, Operating],
    *,
    pairs: Mapping[tuple[str, str], Comparison],
    drawn: Mapping[str, Any],
) -> Shipping | None:
    """Return the run to advise and its comparison with the next best, or None if no run can be advised.

    `values` has each run's score by `main`. `pairs` has the comparisons of the runs without thresholds.
    """
    data, sign = loaded.data, -1 if parse(main).declaration.lower_is_better else 1
    tuned: dict[str, TunedPoint] = {}
    for run, operating_run in operating.items():
        if (
            operating_run.tuned
            and not operating_run.idle
            and operating_run.measure == main
            and sign * operating_run.tuned.value >= sign * values.get(run, math.nan)
        ):
            tuned[run] = operating_run.tuned
    expected = {run: sign * (tuned[run].value if run in tuned else value) for run, value in values.items()}
    order = sorted((run for run in values if not math.isnan(expected[run])), key=lambda run: -expected[run])
    if not order or not isinstance(data, Evidence):
        return None
    first, *others = order
    parts = [
        tuned[run].parts if run in tuned else _as_came(data, run, parse(main), drawn["seed"])
        for run in (order[:MOST_TUNED] if first in tuned else ())
    ]
    anew = chosen_anew(parts, lower_is_better=sign < 0) if parts else None
    # Runs with equal outcomes may still differ in confidences or costs.
    same = _alike(data, first, others, tuned) if {*parse(main).reads} <= {*OUTCOMES, "answered", "answerable"} else ()
    alike = tuple((run, tuned.get(run)) for run in same)
    # Ungraded answers that count both ways make two runs of one.
    origin = {run: data.origins.get(run, run) for run in values}
    second = next((run for run in others if run not in same and origin[run] != origin[first]), None)
    if second is None:
        return Shipping(first, tuned.get(first), alike=alike, expected=anew)
    decision, other_hides = None, False
    with contextlib.suppress(NescioError):
        both = [
            held_out(data, data.runs.index(run), parse(main), FOLDS, drawn["seed"])
            if run in tuned
            else data.take_runs([data.runs.index(run)])
            for run in (second, first)
        ]
        paired = replace(loaded, data=together(both))
        compared = compare(paired, [main], baseline=second, run=first, **{**drawn, "progress": None})
        decision = next(iter(decisions(compared)), None)
        other_hides = bool(hidden_between([paired.data], compared, _both_ways(compared)[second, first]))
    tested = pairs.get((first, second))
    if decision is not None and tested is not None and not {first, second} & {*tuned}:
        row = replace(decision.row, p_adjusted=tested.p_adjusted, verdict=tested.verdict)
        decision = replace(decision, row=row)
    return Shipping(first, tuned.get(first), second, tuned.get(second), decision, alike, anew, other_hides)


def _as_came(data: Evidence, run: str, measure: Measure, seed: int) -> tuple[Part, ...]:
    """Return a run's results without a threshold, one for each part into which tuning divides the questions.

    A run with and one without a threshold can then be compared on the same parts. The result is empty if the data does
    not allow tuning.
    """
    with contextlib.suppress(NescioError):
        answering = one_run(data, run)
        fold = deal(answering.data, FOLDS, seed)
        return tuple(part_of(answering, measure, fold == part) for part in range(int(fold.max()) + 1))
    return ()


def _alike(data: Evidence, first: str, others: Sequence[str], tuned: Mapping[str, TunedPoint]) -> tuple[str, ...]:
    """Return the runs that have the same outcome as the run `first` on every question.

    Each run that has a threshold in `tuned` is taken at this threshold.
    """
    thresholds = {run: point.threshold for run, point in tuned.items()}

    def done(run: str) -> dict[str, tuple[int, int, int]]:
        part = data.take_runs([data.runs.index(run)])
        part = at_thresholds(part, {run: thresholds[run]}) if run in thresholds else part
        keys = (
            part.questions
            if part.repeats is None
            else [f"{q} {r}" for q, r in zip(part.questions, part.repeats.label, strict=True)]
        )
        outcome = zip(*(part.columns[name][0].tolist() for name in OUTCOMES), strict=True)
        return {key: states for key, states, present in zip(keys, outcome, part.present[0], strict=True) if present}

    if not others or not set(OUTCOMES) <= data.columns.keys():
        return ()
    mine = done(first)
    return tuple(run for run in others[:MOST_TUNED] if done(run) == mine)


def _whole(row: Score, measure: str) -> bool:
    return row.measure == measure and row.stratum is None


def counts_of(loaded: Loaded) -> dict[str, tuple[int, int, int]]:
    """Return each run's numbers of correct, incorrect and unanswered questions; empty if the data has no outcomes."""
    data = loaded.data
    if not set(OUTCOMES) <= data.columns.keys():
        return {}
    totals = (data.tally() if isinstance(data, Evidence) else data).totals()
    columns = zip(*(map(int, totals[name]) for name in OUTCOMES), strict=True)
    return dict(zip(data.runs, columns, strict=True))
