"""Score a run on a sample of the questions, corrected by an older run that was asked all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.columns import OUTCOMES
from nescio.data.evidence import Evidence, with_questions
from nescio.data.judge_record import Target
from nescio.data.notes import Note, gather, note
from nescio.data.policy_notes import CHOSEN, CLUSTERS_APART, SAMPLED
from nescio.data.results import Score, Scores
from nescio.data.signature import sign
from nescio.errors import MismatchError, UsageError, opt
from nescio.estimating import Estimate, from_error
from nescio.estimating.measured import of_shares
from nescio.estimating.statistic import slopes
from nescio.measures import Measure, Measures
from nescio.pipeline import Loaded
from nescio.scoring.corrected_scores import SUITABLE
from nescio.scoring.judge_agreement import differs_by_more_than_chance
from nescio.scoring.samples import Remark
from nescio.scoring.score import open_data, parse_all
from nescio.sources.arrow import told
from nescio.stats.control_variates import adjust, spread, variance
from nescio.stats.prediction_powered import LEAST
from nescio.text import listed

Floats = NDArray[np.float64]
METHOD = "control-variate"
FEW = 20  # with fewer questions the interval is approximate


class Helped(Struct, frozen=True):
    """How much an older run on `pool` questions helps the score of a run that was asked `n` of these questions.

    `plain` is the score without the older run, and `value` the corrected score. `gain` is the variance of `value`
    divided by that of `plain`: below 1 the older run helps. `correlation` is between the two runs' values.
    """

    run: str
    measure: str
    plain: float
    plain_low: float
    plain_high: float
    value: float
    low: float
    high: float
    gain: float
    correlation: float
    n: int
    pool: int


def score_pooled(
    source: Any, measures: Measures, options: Mapping[str, Any], pool: Any, *, ci: float | None, target: Target
) -> Scores:
    """Return the scores of every run on its questions, corrected by an older run on all questions of `pool`.

    Raises MismatchError if the pool does not have exactly one run, or lacks the questions of the files.
    """
    loaded = open_data(source, {"strata": (), **options}, measures)
    data = with_questions(loaded.data, "correct by an older run")
    whole, older = _of_pool(pool, options)
    wanted = _suitable(measures, loaded)
    known = _shares(older, 0)
    every = np.array(list(known.values()))
    rows: list[Score] = []
    helped, remarks, notes = [], list[Remark](), list[Note]()
    for run, name in enumerate(data.runs):
        shares = _shares(data, run)
        shared = [question for question in shares if question in known]
        if not shared:
            raise MismatchError(
                f"{opt('pool')}: the older run in {told(pool)} has none of the questions of run {name!r}. Questions "
                f"are matched by id, such as {next(iter(known), None)!r} in the older run and "
                f"{next(iter(shares), None)!r} in run {name!r}"
            )
        notes += _of_the_sample(name, len(shares) - len(shared), shared, known)
        y, x = np.array([shares[q] for q in shared]), np.array([known[q] for q in shared])
        for measure in wanted:
            estimate, doubts = _helped(name, measure, (y, x, every), (ci or 95) / 100, target)
            helped.append(estimate)
            remarks += [(doubt, measure.label, f"run {name!r}") for doubt in doubts]
            low, high = (estimate.low, estimate.high) if ci else (None, None)
            rows.append(Score(name, measure.label, estimate.value, low, high, estimate.n, None, METHOD if ci else None))
    how: dict[str, object] = {"ci": f"{ci:g}", "interval": METHOD} if ci else {"interval": "none"}
    line = sign(
        measures="+".join(m.name for m in wanted),
        **loaded.signature,
        pool=str(dict(whole.signature).get("data", len(known))),
        target=target,
        **how,
    )
    of_pool = f"the {len(known):,} questions of the pool"
    about = {"collection": of_pool, "population": "all questions of this kind"}[target]
    whole_pool = all(known.keys() <= _shares(data, run).keys() for run in range(len(data.runs)))
    notes.append(
        note(
            SAMPLED,
            "corrected by the older run {subject!r} on {pool:n question}; the figures are about {about}, and assume "
            "that the questions of each run are a random sample of the pool",
            older.runs[0],
            pool=len(known),
            about=about,
            stated=whole_pool or options.get("missing") == "own",
        )
    )
    if (
        data.groups is not None and target == "population"
    ):  # repeated answers to a question are averaged, and are not a cluster
        notes.append(note(CLUSTERS_APART, "questions are clustered, but these intervals treat them as independent"))
    all_notes = [*loaded.notes, *notes, *gather(remarks)]
    return Scores(tuple(rows), line, tuple(dict.fromkeys(all_notes)), "scores", {"pool": tuple(helped)})


def _of_pool(pool: Any, options: Mapping[str, Any]) -> tuple[Loaded, Evidence]:
    """Return the data of the file `pool`, and the evidence of its only run. Raises MismatchError if it has several."""
    passed = {name: options[name] for name in ("missing", "ungraded", "unanswerable", "typed") if name in options}
    whole = open_data(pool, {"strata": (), **passed})
    older = with_questions(whole.data, f"take for {opt('pool')}")
    if len(older.runs) != 1:
        raise MismatchError(
            f"{opt('pool')}: {told(pool)} has {len(older.runs)} runs ({listed(older.runs, 3)}), but exactly one older "
            "run can correct the scores: give a file that holds only one run, preferably the run most like the "
            "new one"
        )
    return whole, older


def _of_the_sample(run: str, lost: int, shared: Sequence[str], known: Mapping[str, Floats]) -> Iterator[Note]:
    """Yield a note on questions of the run that the pool lacks, and a note if the run's questions seem to be chosen."""
    if lost:
        yield note(
            "pool.not_there",
            "run {subject!r}: {lost:n question} {lost:is/are} not in the pool, and not used",
            run,
            lost=lost,
        )
    right = np.array([share[OUTCOMES.index("correct")] == 1 for share in known.values()])
    asked = {*shared}
    drawn = np.array([question in asked for question in known])
    if differs_by_more_than_chance(right, np.ones(len(known), dtype=bool), drawn):
        yield note(
            CHOSEN,
            "run {subject!r}: its questions seem not to be a random sample of the pool. The older run's share of "
            "correct answers on these differs from its share on the other questions by more than chance. Scores on "
            "chosen questions cannot be corrected",
            run,
        )


def _suitable(measures: Measures, loaded: Loaded) -> list[Measure]:
    wanted = parse_all(measures, loaded) if measures else parse_all(SUITABLE, None)
    for measure in wanted:
        if not measure.of_counts or set(measure.needs) - {*OUTCOMES, "n"}:
            raise UsageError(
                "an older run can correct only measures of the three outcomes, such as accuracy, c@1 and UF; "
                f"{measure.label} uses other data too"
            )
    return of_shares(wanted)


def _shares(data: Evidence, run: int) -> dict[str, Floats]:
    """Return the shares of correct, incorrect and unanswered of a run on each question that it was asked."""
    cells = np.column_stack([data.column(name)[run] for name in OUTCOMES]).astype(float)
    rows: dict[str, list[Floats]] = {}
    for q in np.flatnonzero(data.present[run]):
        rows.setdefault(data.questions[q], []).append(cells[q])
    return {question: np.mean(answers, axis=0) for question, answers in rows.items()}


def _helped(
    run: str, measure: Measure, cells: tuple[Floats, Floats, Floats], level: float, target: Target
) -> tuple[Helped, list[Note]]:
    r"""Return a run's score corrected by the older run, with its interval, and notes.

    The older run corrects the mean of each column of the measure's formula: by its right answers, and by its
    abstentions if the measure counts abstentions. The interval is that of $e = \sum_c \theta'_c e_c$, where $e_c$ is
    the error of a column's mean and $\theta'_c$ the derivative of the measure in it. `cells` has the outcomes of the
    run, those of the older run on the same questions, and those of the older run on all questions.
    """
    y, x, every = cells
    n, units = len(y), len(every)
    kinds = measure.each(dict(zip(OUTCOMES, np.eye(3), strict=True)) | {"n": np.ones(3)})
    names = [name for name in kinds if name != "n"]
    values = y @ np.column_stack([np.asarray(kinds[name], dtype=float) for name in names])
    counts_abstentions = bool({"incorrect", "unanswered"} & {*measure.needs})
    which = [OUTCOMES.index(name) for name in ("correct", *(["unanswered"] if counts_abstentions else []))]
    fit = adjust(values, x[:, which], every[:, which])
    freedom = n - 1 - fit.covariates

    def score(means: Floats) -> tuple[float, Floats]:
        named = {name: np.asarray(mean) for name, mean in zip(names, means, strict=True)}
        by_name = slopes(measure.of_totals, named)
        return float(measure.of_totals({**named, "n": np.array(1.0)})), np.array([float(by_name[c]) for c in names])

    value, pull = score(fit.means)
    alone, own_pull = score(fit.plain)
    least = LEAST * float(np.max(np.abs(pull))) ** 2
    moved = (values - values.mean(axis=0)) @ pull
    beyond = float(moved.var(ddof=1)) if n > 1 and target == "population" else None
    with_it = variance(spread(fit.residuals @ pull, fit.leverages, least=least), n, units, beyond)
    centred = (values - fit.plain) @ own_pull
    without = variance(
        spread(centred, 0.0, least=least), n, units, float(centred.var(ddof=1)) if beyond is not None else None
    )
    total, left = float(moved @ moved), fit.residuals @ pull
    correlation = math.sqrt(min(max(1 - float(left @ left) / total, 0.0), 1.0)) if total > 0 else math.nan
    plain, estimate = (
        from_error(middle, math.sqrt(max(of, 0.0)), df, level, bounds=measure.bounds)
        for middle, of, df in ((alone, without, n - 1), (value, with_it, freedom if n > 1 else 0))
    )
    if not freedom > 0:
        plain = Estimate(alone)
    gain = with_it / without if without > 0 else math.nan
    figures = (alone, plain.low, plain.high, value, estimate.low, estimate.high, gain, correlation, n, units)
    return Helped(run, measure.label, *figures), list(_doubts(n, gain, fit.covariates, len(which)))


def _doubts(n: int, gain: float, used: int, wanted: int) -> list[Note]:
    doubts = []
    if used < wanted:
        doubts.append(
            note(
                "pool.dropped",
                "the older run's outcomes vary too little on these questions, so only {used} of {wanted} kinds of "
                "outcomes correct the score",
                used=used,
                wanted=wanted,
            )
        )
    if n < FEW:
        doubts.append(note("pool.few", "only {n:n question}: treat this interval as approximate", n=n))
    if gain >= 1:
        doubts.append(
            note(
                "pool.useless",
                f"the older run does not make these scores more precise (variance × {{gain:.2f}}); leave "
                f"{opt('pool')} out",
                gain=gain,
            )
        )
    return doubts
