"""Estimate how often a gate changes its verdict when the same systems answer the same questions again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.comparison.comparing import compare
from nescio.comparison.margins import check_margins, gate_margin
from nescio.comparison.verdicts import decisions
from nescio.data.evidence import Evidence, with_questions
from nescio.data.repeats import repeats_of
from nescio.data.results import Results
from nescio.data.shown import Row, Shown
from nescio.data.signature import sign
from nescio.errors import MismatchError, UnknownNameError, UsageError, opt
from nescio.measures import Measures
from nescio.options.edge import Progress
from nescio.pipeline import Loaded
from nescio.scoring.grounds import no_ground
from nescio.scoring.score import open_data, parse_all
from nescio.stats.streams import Stream
from nescio.text import plural

FEW_FLIPS = 0.05  # a gate that flips less often is stable
_TRIED = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)  # answers to each question
_RESAMPLES = 999  # random exchanges for a measure without an exact test
Rows = NDArray[np.int64]


class Flips(Row, frozen=True):
    """The verdicts of a gate when each run answers each question `answers` times, over `draws` random draws of answers.

    `passed`, `failed` and `cannot_tell` are shares of the draws. `flips` is the share of pairs of draws with two
    different verdicts, and `error` its Monte Carlo standard error. `again` tells that some question has fewer answers
    than a draw takes, so that answers are drawn with replacement.
    """

    answers: Annotated[int, Shown("answers a question")]
    passed: Annotated[float, Shown(form="percent")]
    failed: Annotated[float, Shown(form="percent")]
    cannot_tell: Annotated[float, Shown(form="percent")]
    flips: float
    error: float
    draws: int
    again: bool

    @property
    def drawn_again(self) -> Annotated[str, Shown("", absent="", after="answers")]:
        """Return "again" if some answers are drawn more than once, else an empty text."""
        return "again" if self.again else ""

    @property
    def flips_sure(self) -> Annotated[str, Shown("flips", numeric=True, after="cannot_tell")]:
        """Return the share of pairs of draws with two different verdicts, and twice its standard error."""
        return f"{self.flips:.1%} ± {2 * self.error:.1%}"

    @classmethod
    def below(cls, rows: Sequence[Flips]) -> Iterable[str]:
        """Return a sentence with the flips for the fewest answers and for the most."""
        first, last = rows[0], rows[-1]
        if last.cannot_tell == 1:
            return [f"Even with {plural(last.answers, 'answer')} to each question, the gate cannot tell in any draw."]
        text = (
            f"With {plural(first.answers, 'answer')} to each question, {first.flips:.0%} of pairs of draws lead to "
            "different verdicts on the same systems."
        )
        if last.flips > FEW_FLIPS:
            text += f" Even with {last.answers} answers, this share is above {FEW_FLIPS:.0%}."
        elif last is not first:
            text += f" {last.answers} answers bring this share to {FEW_FLIPS:.0%} or less."
        return [text]


def flips(
    source: Any,
    measures: Measures = None,
    *,
    baseline: str | None = None,
    run: str | None = None,
    margin: float | None = None,
    ci: float = 95.0,
    draws: int = 200,
    seed: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> Results[Flips]:
    """Estimate how often the gate `compare --fail-on-regression` gives different verdicts on the same systems.

        nescio.lab.flips("trials.csv", "accuracy", run="agent-1")

    Each draw takes k of the available answers of each run to each question. With one run, or `run` alone, the run is
    compared with itself (A/A), which takes 2k answers. If a question has fewer answers, they are drawn with
    replacement. k rises until at most 5% of pairs of draws have different verdicts. Raises MismatchError if no question
    was asked twice.
    """
    only = tuple(name for name in (baseline, run) if name is not None)
    loaded = open_data(source, {"strata": (), **options, "only": only}, measures)
    data = with_questions(loaded.data, "draw answers to each question")
    old, new = _two(data, baseline, run)
    if data.repeats is None:
        raise MismatchError(
            "each question was asked once, but flips need several answers of a system to each question: number the "
            f"answers in a column `repeat`, or join runs by {opt('repeats_of', of='NAME=PATTERN')}"
        )
    first = parse_all(measures, loaded)[0]
    check_margins([first], margin, named=True)
    margin, measure = gate_margin(first, margin), first.label
    _check_ground(loaded, measure, data.runs[new], None if old == new else data.runs[old])
    rows = [_rows_of(data, at) for at in dict.fromkeys((old, new))]
    shared = sorted(set.intersection(*({*by_question} for by_question in rows)))
    if not shared:
        raise MismatchError("no question has a graded answer of each run")
    asked = [[by_question[question] for question in shared] for by_question in rows]
    made: list[Flips] = []
    for at, answers in enumerate(_TRIED):
        chance = np.random.default_rng([seed, Stream.FLIPS, answers])
        many = 2 * answers if len(asked) == 1 else answers
        again = any(len(attempts) < many for each in asked for attempts in each)
        verdicts: Counter[int] = Counter()
        for draw in range(draws):
            chosen = [_drawn(pool, many, chance) for pool in asked]
            halves = np.split(chosen[0], 2, axis=1) if len(chosen) == 1 else chosen
            pair = _pair(data, (old, new), [half.ravel() for half in halves])
            comparisons = compare(
                replace(loaded, data=pair, unshared=None, whole=None),  # with notes on what was left out
                measure,
                baseline=pair.runs[0],
                run=pair.runs[1],
                ci=ci,
                margin=margin,
                correction="none",
                resamples=_RESAMPLES,
                seed=seed,
            )
            verdicts[decisions(comparisons)[0].status] += 1
            if progress:
                progress(at * draws + draw + 1, len(_TRIED) * draws)
        made.append(_row(answers, verdicts, draws, again=again))
        if made[-1].flips <= FEW_FLIPS:
            break
    names = [data.runs[index] for index in (new, old)]
    signature = sign(measure=measure, run=names[0], baseline=names[1], data=data.digest(), margin=f"{margin:g}",
                     ci=f"{ci:g}", draws=draws, seed=seed)  # fmt: skip
    return Results(tuple(made), signature, loaded.notes, "flips")


def _check_ground(loaded: Loaded, measure: str, run: str, baseline: str | None) -> None:
    """Raise UsageError if the command `compare` would refuse to gate these runs.

    Without `baseline` the run is compared with itself. In that case notes on missing or ungraded answers do not matter,
    because the run cannot gain from them. Too few clusters are still refused.
    """
    notes = () if baseline is None else loaded.notes
    results: Results[Flips] = Results((), sign(**loaded.signature), notes, "flips")
    if ground := no_ground(results, measure, run, baseline):
        raise UsageError(f"no gate can be decided by {ground}")


def _two(data: Evidence, baseline: str | None, run: str | None) -> tuple[int, int]:
    """Return the indices of the baseline and of the run, which are equal if only one run is named or present."""
    for name in (baseline, run):
        if name is not None and name not in data.runs:
            raise UnknownNameError("run", name, data.runs)
    named = [name for name in (baseline, run) if name is not None]
    if not named and len(data.runs) > 1:
        ways = (
            f"give {opt('run', of='RUN')} to compare a run with itself, and {opt('baseline', of='RUN')} too to "
            "compare it with another run"
        )
        raise MismatchError(f"there are {len(data.runs)} runs: {ways}")
    first, last = (named or data.runs)[0], (named or data.runs)[-1]
    return data.runs.index(first), data.runs.index(last)


def _rows_of(data: Evidence, run: int) -> dict[str, Rows]:
    rows: dict[str, list[int]] = {}
    for row in np.flatnonzero(data.present[run]).tolist():
        rows.setdefault(data.questions[row], []).append(row)
    return {question: np.array(indices) for question, indices in rows.items()}


def _drawn(asked: Sequence[Rows], many: int, chance: np.random.Generator) -> Rows:
    """Return `many` random rows of each question, shape (questions, many), without replacement if enough rows exist."""
    return np.stack([chance.choice(rows, many, replace=len(rows) < many) for rows in asked])


def _pair(data: Evidence, runs: tuple[int, int], rows: Sequence[Rows]) -> Evidence:
    """Return two runs with the answers in the given rows, which belong to the same questions in the same order."""
    questions = [data.questions[row] for row in rows[0].tolist()]
    count: Counter[str] = Counter()
    labels = []
    for question in questions:
        count[question] += 1
        labels.append(str(count[question]))
    repeats = repeats_of(questions, labels)
    clusters = None if data.clusters is None else np.unique(data.clusters[rows[0]], return_inverse=True)[1]
    one_answer = repeats is None and len({*questions}) == len(questions)
    names = (data.runs[runs[0]], data.runs[runs[1]] if runs[0] != runs[1] else f"{data.runs[runs[1]]} again")
    return replace(
        data,
        runs=names,
        questions=tuple(questions),
        columns={
            name: np.stack([values[run][indices] for run, indices in zip(runs, rows, strict=True)])
            for name, values in data.columns.items()
        },
        absence=np.zeros((2, len(questions)), dtype=np.uint8),
        strata={},
        clusters=None if one_answer and _of_questions(data) else clusters,
        answer_rows=None,
        origins={},
        repeats=repeats,
    )


def _of_questions(data: Evidence) -> bool:
    """Return whether each cluster holds exactly one question, which may have several answers; true without clusters."""
    if data.clusters is None:
        return True
    pairs = {*zip(data.questions, data.clusters.tolist(), strict=True)}
    return len(pairs) == len({*data.questions}) == len({*data.clusters.tolist()})


def _row(answers: int, verdicts: Counter[int], draws: int, *, again: bool) -> Flips:
    """Return the share of draws with each verdict; `verdicts` counts the draws by exit status (0, 1, 3).

    `flips` is unbiased, because it compares only pairs of two different draws.
    """
    passed, failed, unclear = (verdicts[status] for status in (0, 1, 3))
    same = sum(count * (count - 1) for count in (passed, failed, unclear))
    share = 1 - same / (draws * (draws - 1)) if draws > 1 else 0.0
    # The delta method: the share of pairs that differ is 1 - sum(p²), with the multinomial variance of the p. We add a
    # draw of each verdict, because 40 equal draws do not rule out 13% of pairs that differ (rule of three).
    shares = (np.array([passed, failed, unclear]) + 1) / (draws + 3)
    error = 2 * float(np.sqrt(max(0.0, (shares**3).sum() - (shares**2).sum() ** 2) / draws))
    return Flips(answers, passed / draws, failed / draws, unclear / draws, share, error, draws, again)
