"""Apply a gate policy in TOML: rules on what must not drop, what may drop, and what only informs."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from nescio.comparison.comparing import compare
from nescio.comparison.doubts import doubt_on
from nescio.comparison.each_pair import scaled_difference
from nescio.comparison.few_answers import scaled_shares, shares_of
from nescio.comparison.hidden_losses import LOSSES
from nescio.comparison.margins import USUAL, empty_limit, empty_margin, margin_of, unstated
from nescio.comparison.unseen import drop_beyond
from nescio.comparison.verdicts import counts_answers, decisions, reach
from nescio.data.evidence import with_questions
from nescio.data.notes import note
from nescio.data.outcomes import Outcomes
from nescio.data.results import Comparisons, Scores
from nescio.data.shown import Row, Shown
from nescio.errors import FormatError, UnknownNameError, UsageError, not_constant
from nescio.measures import parse
from nescio.options.kinds import MOST_LEVEL
from nescio.pipeline import Loaded
from nescio.pipeline.loading import part_of
from nescio.reporting.numbers import number, signed
from nescio.scoring.confidence_intervals import DOUBTS
from nescio.scoring.grounds import deciding_ends
from nescio.scoring.lost_answers import Lost, lost
from nescio.scoring.score import compute_scores
from nescio.stats.few_units import unseen_gap
from nescio.suites.definition import benchmarks_of, open_suite
from nescio.text import plural
from nescio.verbs._gates import CANNOT_TELL, FAILED, PASSED, check_ground, check_ranking, exit_status

Tier = Literal["must not drop", "may drop", "informative"]
NOTHING_DECIDES = "INCONCLUSIVE: no rule decides."
RESULTS = {PASSED: "GO", FAILED: "NO-GO", CANNOT_TELL: "INCONCLUSIVE"}


class Rule(Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of [[rules]] in the file of a policy.

    `benchmark` names a benchmark (empty means all), and `stratum` is COLUMN=VALUE, or COLUMN for each value of COLUMN.
    `by` is the allowed drop (default 0.01; see `drop`); with `relative`, it is a share of the baseline's value.
    Instead, `at_least` or `at_most` limits the run's own value. On fewer than `least` questions the result is
    INCONCLUSIVE; None means the policy's `least`.
    """

    measure: str
    tier: Tier = "must not drop"
    benchmark: str = ""
    stratum: str = ""
    by: float | None = None
    relative: bool = False
    at_least: float | None = None
    at_most: float | None = None
    least: int | None = None

    @property
    def drop(self) -> float | None:
        """Return the largest allowed drop: `by`, or 0.01 for a share of the value or a range that is about 1 wide."""
        if self.relative:
            return USUAL if self.by is None else self.by
        return margin_of(parse(self.measure), self.by)

    @property
    def limits(self) -> list[float]:
        """Return the limits of the run's own value, at most one in a valid rule; empty if the rule allows a drop."""
        return [limit for limit in (self.at_least, self.at_most) if limit is not None]


class Policy(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a policy's file, except its benchmarks.

    The policy has the two runs, the level of all lines together, and the rules. A line is the result of one rule. If
    the line's measure is a share of fewer than `least` questions, the line is INCONCLUSIVE, whatever its interval.
    """

    baseline: str
    run: str
    rules: tuple[Rule, ...]
    level: float = 95.0
    least: int = 0


class Line(Row, frozen=True):
    """The result of a rule on one benchmark, or on one stratum of it.

    `value` is the difference run minus baseline, or the run's value if the rule limits that value; the interval is at
    the level of the policy. `n` is the number of questions in the measure's denominator, the lower of both runs'
    numbers. `result` is GO, NO-GO or INCONCLUSIVE, and empty if the rule only informs. `ground` is false if the line
    would be INCONCLUSIVE with any number of questions. `why` says why a line is INCONCLUSIVE if the interval does not.
    """

    benchmark: Annotated[str, Shown()]
    stratum: Annotated[str, Shown()]
    measure: Annotated[str, Shown()]
    tier: Annotated[str, Shown()]
    asked: Annotated[str, Shown()]
    value: float
    low: float | None
    high: float | None
    n: Annotated[int, Shown()]
    result: Annotated[str, Shown()]
    status: int = PASSED
    ground: bool = True
    why: str = ""

    @property
    def figures(self) -> Annotated[str, Shown("found", numeric=True, after="asked")]:
        """Return the value and its interval as a text."""
        shown = number if self.asked.startswith("at ") else signed
        if self.low is None or self.high is None or math.isnan(self.low):
            return shown(self.value)
        return f"{shown(self.value)} [{shown(self.low)}, {shown(self.high)}]"

    @property
    def said(self) -> str:
        """Return the result of the rule as a sentence."""
        where = f"{self.benchmark}{f', {self.stratum}' if self.stratum else ''}"
        but = f", but {self.why}" if self.why else ""
        return f"{self.measure} on {where}: {self.asked}; found {self.figures} on {plural(self.n, 'question')}{but}"

    @classmethod
    def below(cls, rows: Sequence[Line]) -> Iterable[str]:
        """Return the result of all lines of the policy as a sentence."""
        deciding = [line for line in rows if line.result]
        if not deciding:
            return [NOTHING_DECIDES]
        status = exit_status(deciding)
        reasons = [line.said for line in deciding if line.status == status]
        if not status:
            return [f"{RESULTS[status]}: all {len(deciding)} deciding lines are GO."]
        more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
        return [f"{RESULTS[status]}: {reasons[0]}{more}."]


def read_policy(path: Path) -> tuple[dict[str, Any], Policy]:
    """Return the benchmarks and the policy in a file. Raises FormatError if the file breaks a rule of its format."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FormatError(path, f"cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FormatError(path, f"is not TOML: {error}") from None
    benchmarks = benchmarks_of({"benchmarks": content.pop("benchmarks", None)}, path)[0]
    try:
        policy = msgspec.convert(content, Policy)
    except msgspec.ValidationError as error:
        raise FormatError(path, f"is not a gate policy: {error}") from None
    if not policy.rules:
        raise FormatError(path, "a policy needs [[rules]]")
    for rule in policy.rules:
        _check_rule(rule, [*benchmarks], path)
    fewest = min(least for least in (policy.least, *(rule.least for rule in policy.rules)) if least is not None)
    if fewest < 0:
        raise FormatError(path, "`least` is a number of questions, 0 or more", value=fewest)
    if not 50 < policy.level <= MOST_LEVEL:
        raise FormatError(path, "`level` is a percentage between 50 and 100", value=policy.level)
    return benchmarks, policy


def _check_rule(rule: Rule, benchmarks: Sequence[str], path: Path) -> None:
    lower = parse(rule.measure).declaration.lower_is_better
    if rule.benchmark and rule.benchmark not in benchmarks:
        raise UnknownNameError("benchmark", rule.benchmark, benchmarks)
    wrong = rule.at_least if lower else rule.at_most
    if wrong is not None:
        which, other, better = ("at_least", "at_most", "lower") if lower else ("at_most", "at_least", "higher")
        raise FormatError(
            path,
            f"{rule.measure} is better when {better}, so `{which}` cannot limit it; use `{other}`",
            value=wrong,
        )
    limits = rule.limits
    if limits and (rule.by is not None or rule.relative or len(limits) > 1):
        both = "`at_least` or `at_most` for the run alone, or `by` for the drop from the baseline"
        raise FormatError(path, f"a rule on {rule.measure} has one limit: {both}; write two rules")
    if not all(map(math.isfinite, limits)):
        raise FormatError(path, f"the limit of {rule.measure} must be a finite number", value=limits[0])
    if rule.by is not None and not 0 <= rule.by < (1 if rule.relative else math.inf):
        raise FormatError(
            path,
            f"`by` of {rule.measure} is the largest allowed drop; give 0 or more, and less than 1 with `relative`",
            value=rule.by,
        )
    if why := _decides_nothing(rule):
        raise FormatError(path, why)


def _decides_nothing(rule: Rule) -> str:
    """Return why a rule on a measure can decide nothing, or which allowed drop it lacks; empty if neither is so."""
    measure = parse(rule.measure)
    if rule.limits:
        return empty_limit(measure, rule.limits[0], ceiling=rule.at_most is not None)
    if rule.relative:
        return ""
    if rule.drop is None and rule.by is None and rule.tier != "informative":
        return unstated(measure, "`by` (or `relative = true`)")
    return empty_margin(measure, rule.by)


def lines_of(
    benchmarks: Mapping[str, Any], policy: Policy, options: Mapping[str, Any]
) -> tuple[list[Line], list[Any], str]:
    """Return the lines of a policy, the notes on them, and a digest of the data.

    A line is GO at the level of the policy. A run passes only if all deciding lines are GO, so a bad run passes with a
    probability of at most 1 - level. A line is NO-GO at the level 1 - (1 - level)/m, where m is the number of deciding
    lines (Bonferroni). So a run that is nowhere worse gets a NO-GO with a probability of at most 1 - level. Raises
    UsageError if a figure cannot decide a gate.
    """
    if policy.baseline == policy.run:
        raise UsageError(f"the baseline and the run are both {policy.run!r}; a policy compares two different runs")
    rules = [rule for rule in policy.rules if rule.tier != "informative"]
    if not all(rule.limits for rule in rules):
        check_ranking([rule.measure for rule in rules])
    work = [entry for name, what in benchmarks.items() for entry in _entries(name, what, policy, options)]
    deciding = sum(rule.tier != "informative" for rule, _, _, _ in work)
    strict = 100 - (100 - policy.level) / max(1, deciding)
    lines: list[Line] = []
    idle = [name for name in benchmarks if name not in {benchmark for _, benchmark, _, _ in work}]
    left_out = note(
        "gate.no_rule", "the policy has no rule for {benchmarks:list}, so it checks nothing there", benchmarks=idle
    )
    notes: dict[str, Any] = {str(left_out): left_out} if idle else {}
    for rule, name, stratum, loaded in work:
        beside = [
            other.measure for other, *place, _ in work if place == [name, stratum] and other.tier != "informative"
        ]
        made, remarks = _line(rule, (name, stratum), loaded, policy, (strict, beside))
        lines.append(made)
        read = loaded.whole.notes if loaded.whole else loaded.notes
        about = [
            replace(remark, benchmarks=(stratum,)) if stratum and remark not in read else remark for remark in remarks
        ]
        notes |= {str(remark): remark for remark in about}
    digests = "+".join(dict.fromkeys(loaded.data.digest() for _, _, _, loaded in work))
    return lines, list(notes.values()), digests


def _entries(
    name: str, what: Any, policy: Policy, options: Mapping[str, Any]
) -> Iterator[tuple[Rule, str, str, Loaded]]:
    """Yield each rule on the benchmark `name`, with the stratum that it is about and the data of this stratum.

    `what` holds the files of the benchmark.
    """
    rules = [rule for rule in policy.rules if rule.benchmark in ("", name)]
    columns = tuple(dict.fromkeys(rule.stratum.partition("=")[0] for rule in rules if rule.stratum))
    measures = [*dict.fromkeys(rule.measure for rule in rules)]
    if not rules:
        return
    only = (policy.baseline, policy.run)
    (benchmark,) = open_suite({name: what}, {**options, "strata": columns, "only": only}, measures).benchmarks
    for run in (policy.baseline, policy.run):
        if run not in benchmark.data.runs:
            raise UnknownNameError(f"run of benchmark {name!r}", run, benchmark.data.runs)
    for rule in rules:
        for stratum, part in _strata(benchmark.loaded, rule.stratum):
            both = replace(benchmark, loaded=part).take_runs([policy.baseline, policy.run])
            yield rule, name, stratum, both.loaded


def _strata(loaded: Loaded, stratum: str) -> Iterator[tuple[str, Loaded]]:
    """Yield each stratum that a rule asks for, with the stratum's data; all data if the rule asks for none."""
    if not stratum:
        yield "", loaded
        return
    column, named, value = stratum.partition("=")
    data = with_questions(loaded.data, f"take the questions of {stratum}")
    if column not in data.strata:
        raise not_constant(column, data.strata)
    values = _values(loaded, column)
    if named and value not in values:
        raise UnknownNameError(column, value, values)
    for chosen in [value] if named else values:
        yield f"{column}={chosen}", part_of(loaded, column, chosen)


def _values(loaded: Loaded, column: str) -> list[str]:
    """Return the values of a column on all questions that should count, including those left out of the scores."""
    values, whole = loaded.data.strata[column], loaded.whole and loaded.whole.data
    if isinstance(whole, Outcomes):
        counts = np.ones(len(whole.questions), dtype=bool)
        if whole.answerable is not None and loaded.options.unanswerable == "exclude":
            counts = np.asarray(whole.answerable != 0)
        values = whole.strata[column][counts]
    return [str(value) for value in np.unique(values)]


def _line(
    rule: Rule, place: tuple[str, str], loaded: Loaded, policy: Policy, given: tuple[float, Sequence[str]]
) -> tuple[Line, Sequence[Any]]:
    """Return the result of a rule on a benchmark, or on one stratum of it, and the notes on its figures.

    `given` holds the level at which a line is NO-GO, and the measures of all rules that compare the same answers.
    """
    strict, beside = given
    limit = rule.at_least if rule.at_most is None else rule.at_most
    if limit is not None:
        asked = f"{'at least' if rule.at_most is None else 'at most'} {limit:g}"
        value, ends, status, why, notes, n = _limited(rule, limit, loaded, policy, strict)
    else:
        share = f" of {policy.baseline}'s value" if rule.relative else ""
        asked = "" if rule.tier == "informative" else f"drop of at most {rule.drop:.3g}{share}"
        value, ends, status, why, notes, n = _compared(rule, loaded, policy, strict, beside)
    ground = not why
    if not why and status == CANNOT_TELL:
        why = _beside_interval(rule, ends, strict)
    decides, n = rule.tier != "informative", min(n, _questions(loaded, rule, policy))
    least = policy.least if rule.least is None else rule.least
    if decides and least:
        asked += f", on at least {plural(least, 'question')}"
        if n < least and status != CANNOT_TELL:
            status, why = CANNOT_TELL, "these are too few questions"
    result = RESULTS[status] if decides else ""
    status = status if decides else PASSED
    why = why if status == CANNOT_TELL else ""
    return Line(*place, rule.measure, rule.tier, asked, value, *ends, n, result, status, ground, why), notes


def _beside_interval(rule: Rule, ends: tuple[float | None, float | None], strict: float) -> str:
    """Return why a line is INCONCLUSIVE although its interval lies on one side of the limit, or "" if it does not.

    `strict` is the level at which a line is NO-GO.
    """
    low, high = (math.nan if end is None else end for end in ends)
    if parse(rule.measure).declaration.lower_is_better:
        low, high = -high, -low
    limit = rule.limits[0] if rule.limits else -(rule.drop or 0.0)
    limit = -limit if rule.at_most is not None else limit
    if rule.relative and rule.drop:
        return "the share that the run keeps may lie on either side of the limit"
    if high < limit:
        return f"NO-GO is decided at the level {strict:.4g}%, at which the interval is wider"
    return "" if low < limit else "so few questions do not rule out an unseen loss"


def _questions(loaded: Loaded, rule: Rule, policy: Policy) -> int:
    """Return the number of questions in the denominator of a rule's measure: the lower of both runs' numbers."""
    runs = [policy.run] if rule.limits else [policy.run, policy.baseline]
    shares = shares_of(loaded.data, parse(rule.measure).on(loaded.data.columns))
    return min((shares[run][1] for run in runs if run in shares), default=loaded.data.size or 0)


Found = tuple[float, tuple[float | None, float | None], int, str, Sequence[Any], int]


def _limited(rule: Rule, limit: float, loaded: Loaded, policy: Policy, strict: float) -> Found:
    """Return the findings of a rule that limits the value of the run alone."""
    ceiling, ends = rule.at_most is not None, []
    for level in (policy.level, strict):
        scores = compute_scores(loaded, rule.measure, ci=level)
        _check(scores, rule, policy, limit=True)
        (row,) = [row for row in scores if row.run == policy.run]
        ends.append(deciding_ends(scores, row))
    (low, high), (least, most) = ends
    left_out = lost(scores, row.measure, policy.run) if rule.tier != "informative" else Lost()
    slack = limit - high if ceiling else low - limit
    passes = slack - left_out.shift >= 0
    fails = least > limit if ceiling else most < limit
    status = PASSED if passes else FAILED if fails else CANNOT_TELL
    # A doubt about an interval that decides nothing would only confuse.
    notes = [remark for remark in scores.notes if not (scores.exact and remark.code in DOUBTS)]
    why = left_out.why_open(low, slack) if status == CANNOT_TELL else ""
    return row.value, (low, high), status, why, notes, row.n


def _compared(rule: Rule, loaded: Loaded, policy: Policy, strict: float, beside: Sequence[str]) -> Found:
    """Return the findings of a rule that compares the run with the baseline.

    `beside` are the measures of the rules on the same answers. They may show a loss that this rule hides.
    """
    made, of_value = [], rule.relative and rule.drop != 0
    for level in (policy.level, strict):
        how: dict[str, Any] = {"baseline": policy.baseline, "run": policy.run, "ci": level, "correction": "none"}
        how["margin"] = None if of_value else rule.drop
        comparisons = compare(loaded, rule.measure, **how)
        if any(remark.code in LOSSES for remark in comparisons.notes):
            comparisons = compare(loaded, [*dict.fromkeys((rule.measure, *beside))], **how)
        _check(comparisons, rule, policy)
        made.append((comparisons, decisions(comparisons, {row.measure for row in comparisons})[0]))
    (comparisons, lenient), (_, harsh) = made
    row = lenient.row
    doubt = doubt_on(comparisons, row, {row.measure for row in comparisons})
    passes, fails = lenient.status == PASSED, harsh.status == FAILED
    if of_value:
        passes, fails = _within_share(rule, loaded, policy, strict, doubt.left_out.shift)
    passes = passes and not doubt.hidden
    why = lenient.reason or doubt.hidden or (doubt.left_out.words if of_value else "")
    status = PASSED if passes else FAILED if fails else CANNOT_TELL
    return row.difference, (row.low, row.high), status, why, comparisons.notes, row.n


def _value(loaded: Loaded, measure: str, run: str) -> float:
    return next(row.value for row in compute_scores(loaded, measure, ci=None) if row.run == run)


def _within_share(rule: Rule, loaded: Loaded, policy: Policy, strict: float, shift: float) -> tuple[bool, bool]:
    """Return two truth values: the run surely keeps the required share of the baseline's value; it surely does not.

    `shift` is the most by which left-out answers can lower the difference. The run must keep the share even then.
    """
    sign = -1 if _value(loaded, rule.measure, policy.baseline) < 0 else 1
    least, _ = _excess(rule, loaded, policy, policy.level, sign, guarded=True)
    # The share is of the value without its sign, which is the larger of both: a sure loss is one by both.
    most = max(_excess(rule, loaded, policy, strict, side, guarded=False)[1] for side in (1, -1))
    return least - shift >= 0, most < 0


def _excess(
    rule: Rule, loaded: Loaded, policy: Policy, level: float, sign: int, *, guarded: bool
) -> tuple[float, float]:
    """Return the interval of the run's value minus the value that the rule requires it to keep.

    The required value is a share of the baseline's value, which has the sign `sign`. With `guarded`, the interval is
    wider if so few losses occur that further losses may be unseen.
    """
    measure = parse(rule.measure)
    lower, runs = measure.declaration.lower_is_better, (policy.run, policy.baseline)
    drop = rule.drop or 0.0
    kept = 1 + sign * (drop if lower else -drop)
    shares = shares_of(loaded.data, measure.on(loaded.data.columns))
    scaled = scaled_difference(loaded, rule.measure, runs, kept)
    low, high = scaled.interval(level / 100)
    units = scaled.units
    counted = units and counts_answers(measure)
    if counted and math.isnan(low):  # All questions agree, so only what may be unseen makes the interval.
        low = high = scaled.value
        guarded = True
    if {*runs} <= shares.keys() and not measure.counts_every_unit:
        least, most = scaled_shares(shares[runs[0]], shares[runs[1]], kept, level / 100)
        low, high = min(low, least), max(high, most)
        units = min(units, *(shares[run][1] for run in runs))
    if guarded and counted:
        gap = None if scaled.pair is None else drop_beyond(scaled.pair, level / 100, kept)
        if gap is None or not math.isfinite(gap):
            gap = unseen_gap(scaled.error, max(1.0, kept) * reach(measure) / units, level / 100)
        low, high = min(low, scaled.value - gap), max(high, scaled.value + gap)
    return (-high, -low) if lower else (low, high)


def _check(results: Scores | Comparisons, rule: Rule, policy: Policy, *, limit: bool = False) -> None:
    """Raise UsageError if results cannot decide a gate. A rule that only informs needs no decision."""
    if rule.tier != "informative":
        check_ground(results, parse(rule.measure).label, policy.run, policy.baseline, limit=limit)
