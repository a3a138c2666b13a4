"""Ask systems one after another: choose their thresholds, and estimate the earnings on new questions."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.columns import user
from nescio.data.evidence import NO_ROW, Evidence, with_questions
from nescio.data.notes import Note, note
from nescio.data.outcomes import ABSENT, CORRECT, INCORRECT, NOT_GRADED, SILENT, Outcomes
from nescio.data.results import Results
from nescio.data.shown import Shown
from nescio.data.signature import sign
from nescio.errors import FormatError, MismatchError, MissingColumnError, UnknownNameError, UsageError, opt
from nescio.estimating.means import mean
from nescio.pipeline import Loaded
from nescio.scoring.grounds import no_guarantee
from nescio.scoring.keeping import as_read
from nescio.scoring.score import open_data
from nescio.selective.crossfit import deal
from nescio.sources.arrow import told
from nescio.stats.cascade import Answers, Choice, Done, Policy, Risk, choose, follow, grids
from nescio.text import sanitize

Floats = NDArray[np.float64]
MOST_SYSTEMS = 4
FEW = 60  # questions; the study starts at this number
SUREST = float(np.finfo(np.float64).max)  # a confidence that reaches every threshold except "never"
KIND = "nescio lab cascade"


class Step(Struct, frozen=True):
    """One system of a cascade, and `answer_from`, the least confidence with which its answer is given.

    If `answer_from` is -inf, every answer is given. If it is None, no answer is given, so the system is not asked.
    """

    system: str
    answer_from: float | None


class Way(Struct, frozen=True):
    """The earnings of one way to answer: the cascade, or one system alone, each with thresholds chosen for it.

    `utility` and the shares are for held-out questions: each is answered at thresholds that were chosen without it.
    `cost` is the mean cost of a question, in the unit of the cost column. `price` is the cost of a right answer (None
    if no answer is right). `in_sample` is the utility on the questions that chose the thresholds, which is too high.
    `risk_upper` bounds the share of wrong answers, if a bound was requested.
    """

    way: Annotated[str, Shown()]
    steps: tuple[Step, ...]
    utility: Annotated[float, Shown(form="signed")]
    correct: Annotated[float, Shown("right", form="percent", digits=1)]
    incorrect: Annotated[float, Shown("wrong", form="percent", digits=1)]
    unanswered: Annotated[float, Shown("silent", form="percent", digits=1)]
    cost: Annotated[float | None, Shown(form="short")]
    price: Annotated[float | None, Shown("per right", form="short", absent="")]
    in_sample: Annotated[float, Shown(form="signed")]
    risk_upper: Annotated[float | None, Shown("wrong at most", form="percent", digits=1)]
    n: Annotated[int, Shown()]

    @property
    def answer_from(self) -> Annotated[str, Shown(after="way")]:
        """Return the least confidence with which each system's answer is given, as text, such as "0.8, never"."""
        return ", ".join("never" if step.answer_from is None else f"{step.answer_from:.6g}" for step in self.steps)


class Gain(Struct, frozen=True):
    """The gain of the cascade over the system `over` alone, on held-out questions, with an interval."""

    over: Annotated[str, Shown("gain over")]
    gain: Annotated[float, Shown(form="signed", interval=("low", "high"))]
    low: float
    high: float
    n: Annotated[int, Shown()]


class Cascaded(Results[Way], frozen=True):
    """The result of `cascade`: a `Way` for the cascade and for each system alone.

    `tables["gains"]` has the gains. `policy` is the chosen policy, and `applied` its outcomes on all questions.
    """

    applied: Outcomes | None = None
    policy: dict[str, Any] | None = None
    systems: tuple[str, ...] = ()

    @property
    def status(self) -> int:
        """Return the exit status of a command: 3 if no policy could be certified, else 0."""
        return 3 if self.applied is None else 0


class Terms(Struct, frozen=True):
    """The values of outcomes: a wrong answer loses `error`, and a right answer earns `worth`, in the unit of `cost`.

    `cost` is the column of costs. `cost` and `worth` are None if costs do not count.
    """

    error: float
    worth: float | None
    cost: str | None


def cascade(
    source: Any,
    *,
    systems: Sequence[str] | None,
    error: float,
    worth: float | None,
    cost: str | None,
    grid: Sequence[float] | None,
    spare: bool,
    max_risk: float | None,
    confidence: float,
    folds: int,
    ci: float,
    seed: int,
    **options: Any,
) -> Cascaded:
    """Return the best thresholds of a cascade, the expected earnings on new questions, and the gains over each system.

    Systems are asked in the order of `systems`; if it is None, the cheapest system is asked first. Raises UsageError
    for invalid options, MismatchError for runs without outcomes or confidences.
    """
    terms = Terms(error, worth, cost)
    loaded, whole, use = _open(source, systems, terms, options)
    data, left_out = whole.select(use), int((~use).sum())
    if max_risk is not None and data.clusters is not None:
        raise UsageError(
            "a guaranteed risk needs independent questions, but these questions are clustered, so the bound would "
            "not hold"
        )
    if max_risk is not None:
        _check_guarantee(loaded, data, left_out)
    answers = _answers(data, terms)
    part, half = deal(data, folds, seed), deal(data, 2, seed)
    if not part.any():
        raise MismatchError("a cascade needs at least two questions (or clusters), so that some can be held out")
    risk = None if max_risk is None else Risk(max_risk, 1 - confidence)
    names = [" > ".join(data.runs), *(f"{run} alone" for run in data.runs)]
    ways = [answers, *(answers.only(j) for j in range(len(data.runs)))]
    chosen = [choose(way, grids(way, grid), part, spare=spare, risk=risk) for way in ways]
    held_out = [_held_out(way, of[1:], part) for way, of in zip(ways, chosen, strict=True)]
    asked = [data.runs, *((run,) for run in data.runs)]
    rows = [
        _way(runs, name, of[0], done, terms)
        for runs, name, of, done in zip(asked, names, chosen, held_out, strict=True)
    ]
    halves = [_held_out(way, choose(way, grids(way, grid), half, spare=spare, risk=risk)[1:], half) for way in ways]
    most = 1 + error + float(answers.cost.sum(axis=0).max())
    gains = _gains(names[1:], held_out, halves, level=ci / 100, clusters=data.clusters, most=most)
    how = {"right": worth, "cost": cost} if worth is not None else {}
    how |= {} if grid is None else {"grid": "+".join(f"{value:g}" for value in grid)}
    how |= {} if risk is None else {"max_risk": risk.most, "confidence": confidence}
    line = sign(
        cascade=sanitize("+".join(data.runs), target="line"),
        error=f"{error:g}",
        **how,
        choice="one standard error" if spare else "best",
        **loaded.signature,
        folds=int(part.max()) + 1,
        ci=f"{ci:g}",
        interval="parts and halves",
        seed=seed,
    )
    notes = [*loaded.notes, *_notes(rows, chosen, left_out, data)]
    best = chosen[0][0].thresholds
    policy = None if best is None else _policy(data.runs, best, terms, str(line))
    applied = None if best is None else as_read(_applied(whole, best, terms, names[0]), loaded.whole, whole.runs)
    return Cascaded(
        tuple(rows),
        line,
        tuple(notes),
        "cascade",
        {"gains": gains},
        applied=applied,
        policy=policy,
        systems=data.runs,
    )


def _gains(
    names: Sequence[str],
    held: Sequence[Done],
    halves: Sequence[Done],
    *,
    level: float,
    clusters: NDArray[np.int64] | None,
    most: float,
) -> tuple[Gain, ...]:
    """Return the gain of the cascade over each system alone.

    `held` and `halves` have the results of the cascade first, and then those of each system in `names`, as
    `gain_interval` takes them. `most` is the largest possible gain on a question.
    """
    gains = []
    for name, alone, of_halves in zip(names, held[1:], halves[1:], strict=True):
        gain = gain_interval(
            held[0].utility - alone.utility, halves[0].utility - of_halves.utility, level, most, clusters
        )
        gains.append(Gain(name, *gain, len(alone.utility)))
    return tuple(gains)


def gain_interval(
    held: Floats, halves: Floats, level: float, most: float, clusters: NDArray[np.int64] | None = None
) -> tuple[float, float, float]:
    """Return the gain that thresholds chosen on all questions bring on new questions, with an interval.

    `held` are the gains of questions that were held out in parts. `halves` are the gains of either half of the
    questions at the thresholds chosen on the other half. Each mean has Student's interval, with one imagined question
    at either end of the range. The interval of `held` ignores that the parts share most of the questions that chose
    their thresholds. That of `halves` is about thresholds chosen on fewer questions. Neither interval holds alone, so
    the result covers both (docs/evidence/cascades.md).
    """
    both = [mean(gains, level, clusters, (-most, most)) for gains in (held, halves)]
    low, high = min(estimate.low for estimate in both), max(estimate.high for estimate in both)
    return float(held.mean()), low, high


def apply_policy(source: Any, policy: Path | str, **options: Any) -> tuple[Outcomes, dict[str, Any], tuple[Note, ...]]:
    """Return the outcomes of a policy on other answers of its systems, as one run, with signature fields and notes.

    Raises FormatError for a file that holds no policy.
    """
    steps, terms = read_policy(Path(policy))
    loaded, whole, use = _open(source, [step.system for step in steps], terms, options)
    _answers(whole.select(use), terms)  # refuses answers without a confidence
    limits = tuple(math.inf if step.answer_from is None else step.answer_from for step in steps)
    outcomes = as_read(_applied(whole, limits, terms, " > ".join(whole.runs)), loaded.whole, whole.runs)
    return outcomes, loaded.signature, (*loaded.notes, *_left_out(int((~use).sum())))


def read_policy(path: Path) -> tuple[tuple[Step, ...], Terms]:
    """Return the steps of a policy file, and the values of outcomes (`Terms`).

    Raises FormatError for any other file.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["policy"] != KIND:
            raise ValueError
        steps = tuple(
            Step(str(step["system"]), None if step["answer_from"] is None else float(step["answer_from"]))
            for step in content["steps"]
        )
        worth = None if content["right"] is None else float(content["right"])
        return steps, Terms(float(content["error"]), worth, content["cost"])
    except (OSError, ValueError, KeyError, TypeError):
        raise FormatError(path, "this file is not a policy that `nescio lab cascade` wrote") from None


def _policy(runs: Sequence[str], best: Policy, terms: Terms, made_by: str) -> dict[str, Any]:
    steps = [
        {"system": run, "answer_from": threshold if math.isfinite(threshold) else None}
        for run, threshold in zip(runs, best, strict=True)
    ]
    return {
        "policy": KIND,
        "steps": steps,
        "error": terms.error,
        "right": terms.worth,
        "cost": terms.cost,
        "made_by": made_by,
    }


def _open(
    source: Any, systems: Sequence[str] | None, terms: Terms, options: dict[str, Any]
) -> tuple[Loaded, Evidence, NDArray[np.bool_]]:
    """Return the loaded data, the data of the systems in the order of asking, and a mask of the questions to use.

    The data have the questions that some system was asked. The mask marks those with a graded answer of every system
    and a known cost.
    """
    wanted = [] if terms.cost is None else [f"mean({terms.cost})"]
    try:
        loaded = open_data(source, {"strata": (), **options}, wanted)
    except MissingColumnError as error:
        raise MissingColumnError(f"{opt('cost')}: {str(error).removeprefix(f'{wanted[0]}: ')}") from None
    data = with_questions(loaded.data, "ask systems in turn")
    if not data.columns.keys() >= {"correct", "incorrect", "answered"}:
        raise MismatchError(f"{told(source)}: a cascade needs outcomes: right, wrong or unanswered")
    if data.repeats is not None:
        raise MismatchError(
            f"{told(source)}: a cascade asks each system once, but these questions were asked several times. "
            "Supply one answer per system and question, for example the rows of one epoch, trial or seed. Or combine "
            "the answers first with `nescio lab vote`, which needs their texts"
        )
    for run in systems or ():
        if run not in data.runs:
            raise UnknownNameError("run", run, data.runs)
    order = [data.runs.index(run) for run in systems] if systems else _by_cost(data, terms)
    if len(set(order)) != len(order) or not 2 <= len(order) <= MOST_SYSTEMS:
        names = ", ".join(data.runs[run] for run in order)
        raise UsageError(
            f"a cascade has 2 to {MOST_SYSTEMS} systems, each named once; {opt('systems')} names them (found {names})"
        )
    data = data.take_runs(order)
    use: NDArray[np.bool_] = np.asarray(data.present.all(axis=0))
    if terms.cost is not None:
        use = use & np.isfinite(data.columns[user(terms.cost)]).all(axis=0)
    if not use.any():
        raise MismatchError(
            "no question has a graded answer from every system" + (" and its cost" if terms.cost else "")
        )
    asked = np.flatnonzero((data.absence != NO_ROW).any(axis=0)).tolist()
    order_by_name = np.array(sorted(asked, key=data.questions.__getitem__))
    return loaded, data.select(order_by_name), use[order_by_name]


def _check_guarantee(loaded: Loaded, data: Evidence, left_out: int) -> None:
    """Raise UsageError if the answers of the systems in `data` cannot support a guarantee for new answers."""
    for run in data.runs:
        if why := no_guarantee(loaded, run):
            raise UsageError(f"no guarantee can rest on {why}")
    if left_out:
        raise UsageError(
            f"a guaranteed risk needs every question, but {_left_out(left_out)[0].text}. The answers to these "
            "questions may all be wrong"
        )


def _by_cost(data: Evidence, terms: Terms) -> list[int]:
    if terms.cost is None:
        raise UsageError(
            f"without costs, the order of the systems is unknown; name the systems in order with {opt('systems')}"
        )
    paid = np.nanmean(np.where(data.present, data.columns[user(terms.cost)], np.nan), axis=1)
    return [int(run) for run in np.argsort(paid, kind="stable")]


def _answers(data: Evidence, terms: Terms) -> Answers:
    answered = data.columns["answered"] == 1
    sure = np.full(answered.shape, -math.inf)
    if answered.any():
        known = np.asarray(data.column("selection_score"), dtype=np.float64)
        for run, has, missing in zip(data.runs, answered, answered & np.isnan(known), strict=True):
            if missing.any():
                raise MismatchError(
                    f"run {run!r}: {int(missing.sum()):,} of {int(has.sum()):,} answers have no confidence; a "
                    "cascade needs a confidence for every answer"
                )
        sure[answered] = known[answered]
    silence = np.zeros(answered.shape[1])
    if "answerable" in data.columns:
        silence = (data.columns["answerable"][0] == 0).astype(np.float64)
    wrong = answered & (data.columns["incorrect"] == 1)
    gain = np.where(answered, data.columns["correct"] - terms.error * wrong - silence, 0.0)
    return Answers(gain, wrong, sure, _paid(data, terms), silence)


def _paid(data: Evidence, terms: Terms) -> Floats:
    """Return the cost of asking each system each question, in units of a right answer; 0 if costs do not count."""
    if terms.cost is None or terms.worth is None:
        return np.zeros(data.absence.shape)
    return np.asarray(data.columns[user(terms.cost)], dtype=np.float64) / terms.worth


def _held_out(answers: Answers, without: Sequence[Choice], part: NDArray[np.int64]) -> Done:
    """Return the outcome of each question at the thresholds chosen without the question's part.

    `part` has the number of each question's part. If no thresholds were allowed, the systems abstain on the part.
    """
    silent = (math.inf,) * len(answers.confidence)
    limits = np.array([silent if of.thresholds is None else of.thresholds for of in without])
    return follow(answers, limits.T[:, part])


def _way(runs: Sequence[str], name: str, chosen: Choice, done: Done, terms: Terms) -> Way:
    limits = (math.inf,) * len(runs) if chosen.thresholds is None else chosen.thresholds
    steps = tuple(Step(run, limit if math.isfinite(limit) else None) for run, limit in zip(runs, limits, strict=True))
    right = float(((done.by >= 0) & ~done.wrong).mean())
    paid = None if terms.worth is None else float(done.paid.mean()) * terms.worth
    return Way(
        name,
        steps,
        float(done.utility.mean()),
        right,
        float(done.wrong.mean()),
        float((done.by < 0).mean()),
        paid,
        None if paid is None or not right else paid / right,
        chosen.utility,
        None if math.isnan(chosen.upper) else chosen.upper,
        len(done.by),
    )


def _applied(whole: Evidence, limits: Policy, terms: Terms, name: str) -> Outcomes:
    """Return the outcomes of a policy on all questions of its systems as one run called `name`.

    `limits` are the policy's thresholds. A question has no outcome if the policy gives an answer without a grade, or if
    the next answer is lacking or has no confidence. The cost is NaN if it is unknown.
    """
    sure = np.asarray(whole.columns.get("confidence", np.full(whole.absence.shape, np.nan)), dtype=np.float64)
    answered = whole.columns["answered"] == 1
    known = whole.present & (~answered | ~np.isnan(sure))
    wrong = known & answered & (whole.columns["incorrect"] == 1)
    reached = np.where(known & ~answered, -math.inf, np.where(np.isnan(sure), SUREST, sure))
    nothing = np.zeros(sure.shape)
    done = follow(Answers(nothing, wrong, reached, _paid(whole, terms), nothing[0]), limits)
    last, at = np.where(done.by < 0, 0, done.by), np.arange(len(done.by))
    state = np.where(done.by < 0, SILENT, np.where(done.wrong, INCORRECT, CORRECT))
    state = np.where((done.by >= 0) & ~known[last, at], NOT_GRADED, state).astype(np.int8)
    paid = {} if terms.worth is None else {user(str(terms.cost)): (done.paid * terms.worth)[None]}
    answerable = None
    if "answerable" in whole.columns:
        values = np.asarray(whole.columns["answerable"][0], dtype=np.float64)
        answerable = np.where(np.isnan(values), ABSENT, values).astype(np.int8)
    given = np.where(done.by < 0, np.nan, sure[last, at])[None]
    return Outcomes((name,), whole.questions, state[None], confidence=given, answerable=answerable, extra_columns=paid)


def _left_out(left_out: int) -> list[Note]:
    if not left_out:
        return []
    return [
        note(
            "cascade.left_out",
            "{questions:n question} left out: some system has no graded answer or no cost",
            questions=left_out,
        )
    ]


def _notes(rows: Sequence[Way], choices: Sequence[Sequence[Choice]], left_out: int, data: Evidence) -> list[Note]:
    notes = _left_out(left_out)
    if choices[0][0].thresholds is None:
        notes.append(
            note(
                "cascade.none",
                "no policy of the grid is certified on {questions:n question}, so none is chosen",
                questions=rows[0].n,
            )
        )
    elif all(step.answer_from is None for step in rows[0].steps):
        notes.append(
            note(
                "cascade.silent",
                "always abstaining earns most, because no confidence is high enough at this price of an error",
            )
        )
    if "answerable" in data.columns and (data.columns["answerable"] == 0).any():
        notes.append(note("cascade.unanswerable", "abstaining earns 1 on questions that have no answer"))
    if rows[0].n < FEW:
        notes.append(
            note(
                "cascade.few",
                "{questions:n question} {questions:is/are} few: thresholds and intervals are unreliable",
                questions=rows[0].n,
            )
        )
    return notes
