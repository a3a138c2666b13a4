"""Compare runs in pairs: read, test, correct for many comparisons, judge, and rank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from nescio.comparison.adjusted import TestedPairs, adjusted_families, families, tests_used
from nescio.comparison.corrected_pairs import corrected_pairs, corrected_values
from nescio.comparison.corrections import EXACT_FOR, Correction, Test
from nescio.comparison.each_pair import each_pair
from nescio.comparison.few_answers import with_answers_as_units, with_few_answers
from nescio.comparison.front import front
from nescio.comparison.hidden_losses import on_losses, share_of
from nescio.comparison.many_runs import compare_leading
from nescio.comparison.margins import check_margins
from nescio.comparison.pair_test import paired_evidence
from nescio.comparison.prices import price_ratios
from nescio.comparison.rank_probabilities import with_rank_probabilities
from nescio.comparison.ranks import Rank, ranks
from nescio.comparison.resampled_pairs import TestPlan
from nescio.comparison.signing import signed
from nescio.comparison.two_runs import names_in_files, take_both_ways, take_two
from nescio.comparison.unpaired import compare_unpaired, on_own_questions
from nescio.comparison.unseen import with_worst
from nescio.comparison.verdicts import TOO_FEW, TOO_FEW_RESAMPLES
from nescio.data.assessors import Resolution
from nescio.data.evidence import Data, Evidence
from nescio.data.judge_record import Target
from nescio.data.notes import Note, gather, note
from nescio.data.policies import of_one_run
from nescio.data.reasons import notes_on_pairs
from nescio.data.results import Comparison, Comparisons
from nescio.errors import MismatchError, UsageError, opt
from nescio.measures import Measure, Measures
from nescio.options.edge import Progress
from nescio.pipeline import Loaded, both_named, check_baseline, file_of
from nescio.scoring.corrected_scores import lay_labels, open_labelled, suitable
from nescio.scoring.grounds import differing_columns
from nescio.scoring.labels import Labels
from nescio.scoring.samples import Remark, measure_inputs
from nescio.scoring.score import open_data, parse_all
from nescio.stats import resampling

# most pairs whose comparisons fit in memory (half a kilobyte each); with more pairs we rank the runs
MOST_COMPARED = 1_000_000


def compare(
    source: Any,
    measures: Measures = None,
    *,
    baseline: str | Path | None = None,
    run: str | None = None,
    ci: float = 95.0,
    test: Test = "auto",
    correction: Correction = "holm",
    margin: float | None = None,
    labels: Any = None,
    target: Target | None = None,
    labels_by: str | None = None,
    also_judged: Sequence[Any] = (),
    resolve: Resolution = "adjudicated",
    resamples: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    **options: Any,
) -> Comparisons:
    """Compare runs by each measure: against `baseline`, or all pairs (the later run minus the earlier).

        nescio.compare("outcomes.csv", "c@1", baseline="old").rows[0].verdict

    With `run`, only that run is compared: with the baseline, or with the other of two runs.

    Comparisons are paired: both runs on the questions that both have. Two kinds of comparisons are not paired: of runs
    that share no question, and of all runs with `missing="own"`. These runs are compared on their own questions, by
    Welch's interval and random exchanges of their answers.

    The interval of the difference is Student's, from the influence of each question (or cluster). It has fewer degrees
    of freedom if few questions make up the spread. For a measure with an order, the influence is the change from
    leaving a unit out. p is two-sided, and `test` names its method:

    - `exact`: the share of all exchanges of the two labels, question by question (or cluster by cluster), with a
      difference at least as large. It exists for c@1, accuracy, UF and other measures of counts, and for any measure
      with few enough exchanges to enumerate;
    - `permutation`: $(1 + hits)/(1 + B)$ over random exchanges;
    - `auto`: `exact` if it can be computed, else `permutation`. The null hypothesis of both is that the labels can be
      exchanged, not "equal c@1";
    - `bootstrap`: the share of resampled differences that are as far from the observed difference as that is from 0
      (approximate);
    - `tukey`: the randomised Tukey HSD test over all runs at once, on the questions that all of them have. Its p-values
      already account for all pairs of a measure.

    With `ungraded="bounds"` a pair has two rows: the least and the greatest difference that the ungraded answers can
    make. For the least difference, all ungraded answers are wrong for the run and right for the baseline. `baseline` is
    the name of a run in the files, or the file of a baseline (`nescio.baseline`). Such a file is refused with
    MismatchError if it was made on other questions, by another judge, or with other reading options.

    The interval and p are those of a single comparison. `p_adjusted` and the verdict account for the other comparisons,
    too: `correction` is holm, bh or none. The first measure decides, and its comparisons are one family, which further
    measures do not weaken. The others are a second family, and descriptive measures (coverage) a third.

    The verdict is "better" or "worse" ("higher" or "lower" for a descriptive measure) if p_adjusted is at most 1 - ci.
    Otherwise it is "differences above d are ruled out" if the interval of this comparison, with its allowance for
    losses that few questions do not show, lies within `margin` of 0 (None: 0.01 for a measure whose range is about 1
    wide; another measure has no margin that nobody stated). Otherwise it is "too few questions to tell", or "too few
    resamples to tell" if the correction needs more. `detectable` is the difference that equally many questions would
    show with a power of 0.8.

    `tables["ranks"]` has rank intervals, each run's probability to be truly best, its expected rank, and the groups of
    tied runs (all pairs of three or more runs). `tables["front"]` has each run's place by the first measure of quality
    and the first of cost. `tables["prices"]` has the ratio of the costs of a right answer (of `price_per_right`).
    `tables["tests"]` says for which hypothesis each test is exact. Other arguments are as in `score`.

    `labels` are people's verdicts on the answers of both runs to a random sample of the questions. They correct
    differences for the judge's errors: interval and p are those of prediction-powered inference (with Student's t),
    without resampling. `target` says which questions the figures describe, by default the population.
    `tables["labels"]` describes each correction.
    """
    given = {**options, "baseline_file": file_of(baseline), "only": both_named(baseline, run)}
    loaded, laid = _open(source, measures, given, (labels, target, labels_by, also_judged, resolve))
    loaded, baseline = _of_named_runs(loaded, baseline, run)
    check_baseline(baseline, (*loaded.data.runs, *loaded.data.origins.values()))
    data = paired_evidence(loaded)
    apart = laid is None and isinstance(data, Evidence) and on_own_questions(loaded)
    if not apart:
        _check_shared(loaded, data)
    wanted = parse_all(measures, loaded) if laid is None else suitable(measures, loaded)
    check_margins(wanted, margin, named=measures is not None)
    if baseline is None and comb(len(data.runs), 2) > MOST_COMPARED:
        _check_can_rank(data, (test, correction, laid, len(wanted)))
        how: dict[str, Any] = {"resamples": resamples, "seed": seed, "jobs": jobs, "progress": progress}
        return compare_leading(loaded, wanted[0], ci=ci, margin=margin, **how)
    plan = TestPlan(ci / 100, resampling.blocks(resamples, seed), jobs, test)
    work = _Work(data, wanted, _pairs(data, baseline), plan, apart, laid, target or "population")
    tested = _tested(work, progress)
    every = comb(len(names_in_files(data)), 2)
    rows = adjusted_families(tested.rows, 1 - ci / 100, correction, margin, every=every, resamples=resamples)
    rows = list(with_answers_as_units(rows, data, wanted)) if laid is None else rows
    line = signed(
        loaded,
        wanted,
        ci=ci,
        margin=margin,
        test="+".join(sorted({row.test for row in rows if row.test})) or test,
        correction="tukey" if test == "tukey" else correction,
        drawn=(resamples, seed),
        unpaired=apart,
        corrected=None if laid is None else {**laid.signature, "target": work.target},
    )
    notes = (*loaded.notes, *tested.notes, *_notes(loaded, work, rows, ci))
    more = {**_tables(work, rows, ranked=baseline is None), "tests": tests_used(rows, EXACT_FOR)}
    if laid is not None:
        more["labels"] = tested.how
    return Comparisons(tuple(rows), line, notes, "comparisons", more, named=measures is not None)


class _Work(NamedTuple):
    """What a comparison is made of: pairs of runs as indices, the measures, and the way to compare them.

    With `apart`, each run is compared on its own questions. With `laid`, people's labels correct the differences.
    """

    data: Data
    wanted: Sequence[Measure]
    pairs: Sequence[tuple[int, int]]
    plan: TestPlan
    apart: bool
    laid: Labels | None
    target: Target

    def share_of(self, data: Data, measure: Measure) -> Mapping[str, float]:
        """Return the mean of a measure keyed by run, corrected by people's labels if there are any."""
        return share_of(data, measure) if self.laid is None else dict(corrected_values(self.laid, measure, self.target))


def _of_named_runs(loaded: Loaded, baseline: str | Path | None, run: str | None) -> tuple[Loaded, str | None]:
    """Return the data of the runs to compare, and the name of the baseline (None to compare all pairs)."""
    name = loaded.baseline or (None if baseline is None else str(baseline))
    if run is None:
        return loaded, name
    loaded = take_both_ways(loaded, name, run) or take_two(loaded, name, run)
    return loaded, loaded.data.runs[0] if len(loaded.data.runs) == 2 else name


def _check_shared(loaded: Loaded, data: Data) -> None:
    """Raise MismatchError if no two runs share a question."""
    lacking = loaded.unshared
    if lacking is not None and lacking.questions == data.questions and of_one_run(lacking.lacking):
        raise MismatchError(
            "no two runs share a question, so missing questions cannot count as unanswered; use "
            f"{opt('missing', 'own')} to compare the runs without pairing questions"
        )


def _check_can_rank(data: Data, how: tuple[Test, Correction, Labels | None, int]) -> None:
    """Raise UsageError unless so many runs can be ranked by all pairs; `how` ends with the number of measures."""
    if data.origins or how != ("auto", "holm", None, 1):
        raise UsageError(
            f"there are {comb(len(data.runs), 2):,} pairs of runs, but the limit is {MOST_COMPARED:,}. To compare "
            f"every run with one run, give {opt('baseline')}. To rank the runs by all pairs, give only one measure, "
            "and leave the test and the correction at their defaults"
        )


def _tested(work: _Work, progress: Progress | None) -> TestedPairs:
    """Return the comparison of each pair by each measure, not yet corrected for the number of comparisons."""
    data, wanted, pairs, plan = work.data, work.wanted, work.pairs, work.plan
    if work.laid is not None:
        named = [(data.runs[x], data.runs[y]) for x, y in pairs]
        return corrected_pairs(work.laid, wanted, named, target=work.target, level=plan.level)
    if work.apart:
        made = compare_unpaired(cast(Evidence, data), wanted, pairs, plan)
    else:
        made = _paired(data, wanted, pairs, plan, progress)
    tested = _all_of(made, len(wanted) * len(pairs), progress)
    return _with_limits(tested, data, wanted, plan.level, apart=work.apart)


def _tables(work: _Work, rows: Sequence[Comparison], *, ranked: bool) -> dict[str, tuple[Any, ...]]:
    """Return the tables beside the comparisons: ranks (if `ranked`), the Pareto front, and ratios of costs."""
    data, wanted, plan = work.data, work.wanted, work.plan
    if work.apart:
        return {}
    tables: dict[str, tuple[Any, ...]] = {}
    if ranked and len(data.runs) > 2 and not data.origins:
        not_descriptive = [measure for measure in wanted if not measure.declaration.descriptive]
        tables["ranks"] = _ranks(data, not_descriptive, rows, (work.laid, work.target), plan)
    if work.laid is None:
        placed = front(data, [measure.label for measure in wanted], plan.level, plan.blocks, plan.jobs)
        tables |= {"front": placed} if placed else {}
        priced = price_ratios(data, wanted, work.pairs, plan.level)
        tables |= {"prices": priced} if priced else {}
    return tables


def _with_limits(
    tested: TestedPairs, data: Data, wanted: Sequence[Measure], level: float, *, apart: bool
) -> TestedPairs:
    """Return the comparisons with their intervals and numbers of units corrected for shares of few answers.

    Paired runs (not `apart`) also get the worst difference that a gate cannot rule out.
    """
    shown, few = with_few_answers(tested.rows, data, wanted, level)
    capped = with_answers_as_units(shown, data, wanted, unmoved=True)
    rows = capped if apart else tuple(with_worst(capped, data, wanted, 1 - level))
    return TestedPairs(rows, (*tested.notes, *few))


def _all_of(made: Iterator[tuple[Comparison, list[Note]]], total: int, progress: Progress | None) -> TestedPairs:
    """Return comparisons with all their notes in one list, and tell `progress` how many are done."""
    rows: list[Comparison] = []
    remarks: list[Remark] = []
    for row, notes in made:
        rows.append(row)
        remarks += [(remark, row.measure, f"{row.run!r} against {row.baseline!r}") for remark in notes]
        if progress:
            progress(len(rows), total)
    return TestedPairs(tuple(rows), tuple(gather(remarks)))


def _paired(
    data: Data,
    wanted: Sequence[Measure],
    pairs: Sequence[tuple[int, int]],
    plan: TestPlan,
    progress: Progress | None,
) -> Iterator[tuple[Comparison, list[Note]]]:
    for at, measure in enumerate(wanted):
        yield from each_pair(data, measure, pairs, plan, _from(progress, at, len(wanted)))


def _notes(loaded: Loaded, work: _Work, rows: Sequence[Comparison], ci: float) -> Iterator[Note]:
    """Yield the notes on the pairs of runs, on losses, and on all comparisons together."""
    pairs = [(row.run, row.baseline) for row in rows]
    yield from notes_on_pairs(pairs, [loaded.silence], ungraded_left_out=loaded.ungraded_left_out)
    yield from on_losses([work.data], rows, work.share_of)
    yield from differing_columns(loaded, work.wanted)
    yield from _on_tests(work.data, rows, ci)


def _on_tests(data: Data, rows: Sequence[Comparison], ci: float) -> Iterator[Note]:
    """Yield the notes on the tests and intervals of all comparisons."""
    most = max(map(len, families(rows)), default=0)
    if data.origins:
        yield note(
            "comparison.bounds",
            "ungraded answers may be wrong or right, so each pair has two rows: one for the smallest and one for "
            "the largest possible difference",
        )
    if any(row.verdict == TOO_FEW_RESAMPLES for row in rows):
        yield note(
            "comparison.resamples",
            "with {comparisons:,} comparisons and so few resamples, no p-value can stay significant after the "
            f"correction; use at least {opt('resamples', of='{least}')} ({opt('test', 'tukey')} needs no correction)",
            comparisons=most,
            least=int(np.ceil(most / (1 - ci / 100))),
        )
    two_grounds = note(
        "comparison.two_grounds",
        'some intervals exclude 0 although the verdict is "too few questions to tell": the verdict uses the '
        "adjusted p-value, and the interval is not adjusted",
    )
    yield from gather(
        [
            (two_grounds, row.measure, f"{row.run!r} against {row.baseline!r}")
            for row in rows
            if row.verdict == TOO_FEW and row.low is not None and row.high is not None and row.low * row.high > 0
        ]
    )


def _open(
    source: Any,
    measures: Measures,
    options: Mapping[str, Any],
    how: tuple[Any, Target | None, Any, Sequence[Any], Resolution],
) -> tuple[Loaded, Labels | None]:
    """Return the loaded data, and people's labels of it, or None if the user gives none.

    `how` holds five arguments of `compare`: labels, target, labels_by, also_judged and resolve.
    """
    labels, target, labels_by, also_judged, resolve = how
    if labels is None:
        return open_data(source, {"strata": (), **options}, measures), None
    if options["baseline_file"]:
        raise UsageError(
            f"{options['baseline_file']}: {opt('labels')} needs the answers of both runs, but a baseline file holds "
            "no answers; give the files of both runs, and name the baseline run"
        )
    loaded = open_labelled(source, measures, options, labels, (labels_by,))
    laid: dict[str, Any] = {"labels_by": labels_by, "also_judged": also_judged, "resolve": resolve}
    return loaded, lay_labels(loaded, labels, options, target=target or "population", **laid)


def _pairs(data: Data, baseline: str | None) -> list[tuple[int, int]]:
    """Return the pairs to compare, as indices (run, baseline).

    A run whose ungraded answers count both ways occurs twice in the data, first with all of them wrong. Such a run is
    not compared with itself. Two such runs are compared twice: for the least and for the greatest difference that the
    ungraded answers can make.
    """
    ways: dict[str, list[int]] = {}
    for index, run in enumerate(data.runs):
        ways.setdefault(data.origins.get(run, run), []).append(index)
    if baseline is None:
        chosen = [(ways[y], ways[x]) for x, y in combinations(ways, 2)]
    else:
        origin = data.origins.get(baseline, baseline)
        base = ways[baseline] if baseline in ways else [data.runs.index(baseline)]
        chosen = [(runs, base) for run, runs in ways.items() if run != origin]
    return list(dict.fromkeys(pair for run, base in chosen for pair in ((run[0], base[-1]), (run[-1], base[0]))))


def _from(progress: Progress | None, done: int, total: int) -> Progress | None:
    """Return a callback with which one of `total` measures reports its progress as a share of the whole work.

    `done` measures came before this one.
    """
    if progress is None:
        return None
    return lambda part, parts: progress(done * parts + part, total * parts)


def _ranks(
    data: Data,
    measures: Sequence[Measure],
    rows: Sequence[Comparison],
    corrected: tuple[Labels | None, Target],
    plan: TestPlan,
) -> tuple[Rank, ...]:
    """Return the ranks of the runs by each measure, using corrected values if people labelled some answers."""
    laid, target = corrected
    made: list[Rank] = []
    for measure in measures:
        if laid is None:
            values = [(data.runs[sample.run], sample.value) for sample in measure_inputs(data, [measure])[0]]
        else:
            values = list(corrected_values(laid, measure, target))
        comparisons = [row for row in rows if row.measure == measure.label]
        made += ranks(measure.label, values, comparisons, lower_is_better=measure.declaration.lower_is_better)
    return with_rank_probabilities(tuple(made), data, measures, plan.blocks, plan.jobs) if laid is None else tuple(made)
