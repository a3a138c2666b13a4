"""The ways to read a table of which no one stands: each with the options to paste, and what it makes of each run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, permutations, product
from math import isfinite

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT, STATES
from nescio.errors import opt
from nescio.formats.native import roles
from nescio.formats.native.headers import STEMS
from nescio.formats.native.readings.columns import Column, exclude, meaning, meanings
from nescio.formats.native.readings.silences import never_right, quiet_texts, silences_of
from nescio.formats.native.readings.table import Table
from nescio.formats.native.readings.verdicts import LIKELY, Verdict, counted
from nescio.formats.native.readings.wide import OUTCOME, could_be_questions
from nescio.text import decimal, literally, sanitize

MOST = 8  # ways that are shown
_CHANCE = 0.2  # that no right answer stands beside a word
_SILENCES = 2  # columns that nothing speaks of by its name, beside a verdict
_FEW_WORDS = 4  # of columns that say the same
_RUNS = 3  # of which the counts are shown
_LONG = 40  # characters of a run's name
# What a sign, or a letter alone, is short for.
_SIGNS = {
    sign: state for state, signs in {CORRECT: "+cr", INCORRECT: "-−wif", SILENT: "uans"}.items() for sign in signs
}
_DIGITS = re.compile(r"\d+")
_NAMES = {state: name for name, state in STATES.items()} | {NOT_GRADED: "ungraded"}
States = Sequence[int | None]


class Way(Struct, frozen=True):
    """One way to read a table: the options, and what each row then is (or what else is to be said of it); of one
    verdict, the `after` other ways come before it."""

    options: str
    states: States = ()
    remark: str = ""
    after: int = 0


def shown(table: Table, ways: Sequence[Way]) -> str:
    """Write ways as a table, one a line, unless there is but one: the options to paste, and right, wrong and silent of
    each run."""
    ways = told(table, ways[:MOST])
    if len(ways) == 1:
        return f"its columns with {ways[0].options}{f' ({ways[0].remark})' if ways[0].remark else ''}"
    lines = [f"  {way.options}" + (f"  ({way.remark})" if way.remark else "") for way in ways]
    return "\n".join(["its columns by one of these:", *lines, ""])


def told(table: Table, ways: Sequence[Way]) -> list[Way]:
    """Return ways with what each makes of the runs of a table."""
    return [
        way if way.remark or not way.states else Way(way.options, remark=_of_runs(table, way.states)) for way in ways
    ]


def _of_runs(table: Table, states: States) -> str:
    """Say what the answers of each run would be."""
    if table.run is None or len(table.run.words) < 2:
        return counted(states)
    by_run: dict[str, list[int | None]] = {}
    for run, state in zip(table.run.cells, states, strict=True):
        by_run.setdefault(run or "", []).append(state)
    return _told(list(by_run.items()))


def _told(runs: Sequence[tuple[str, States]]) -> str:
    more = [f"and {len(runs) - _RUNS} more"] if len(runs) > _RUNS else []
    return "; ".join([*(f"{sanitize(run, _LONG)}: {counted(states)}" for run, states in runs[:_RUNS]), *more])


def ways_of(table: Table, verdicts: Sequence[Verdict], *, sure: bool) -> list[Way]:
    """Return the ways to read a table by verdicts: each with the silence beside it, and, where nothing is `sure`,
    without it; a name that says nothing may mean what is wrong, too."""
    found: dict[tuple[int | None, ...], Way] = {}
    others = [v.column for v in verdicts if v.weight > 0 and max(map(v.column.named, ("outcome", "wrong")))]
    for verdict in [*verdicts, *filter(None, map(_opposite, verdicts))]:
        for way in _with_silence(table, verdict, verdict.option(), others, sure=sure):
            found.setdefault(tuple(way.states), way)
    return sorted(found.values(), key=lambda way: way.after)


def _with_silence(
    table: Table, verdict: Verdict, options: str, others: Sequence[Column] = (), *, sure: bool = False
) -> Iterator[Way]:
    for after, (option, silent) in enumerate(_silences(table, verdict, others, sure=sure)):
        states = [SILENT if quiet else state for state, quiet in zip(verdict.states, silent, strict=True)]
        yield Way(" ".join(filter(None, (options, option))), states, after=after)


def _opposite(verdict: Verdict) -> Verdict | None:
    """Return the opposite of a verdict where nothing says which of yes and no is right."""
    open_ = verdict.column.is_truth and len(verdict.column.words) > 1 and verdict.weight < LIKELY
    return Verdict(verdict.column, verdict.evidence, inverted=not verdict.inverted) if open_ else None


def _silences(
    table: Table, verdict: Verdict, others: Sequence[Column], *, sure: bool
) -> Iterator[tuple[str, Sequence[bool]]]:
    """Yield the options that say what was declined beside a verdict, and the rows that are it; `others` are verdicts,
    too, whose yes and no is of right and wrong."""
    if SILENT in verdict.states:
        yield "", [False] * table.size
        return
    known = table.prediction
    none = [False] * table.size  # but for what was left empty, and is not marked as right
    if known is not None:
        none = [cell is None and state != CORRECT for cell, state in zip(known.cells, verdict.states, strict=True)]
    named = silences_of(table, verdict)
    for one in named:
        yield roles.option(one.part, one.column.name), one.rows
    if sure and any(one.named for one in named):
        return
    told, texts = [*others, *(one.column for one in named)], [*quiet_texts(table, verdict)]
    told += [column for column, _, _ in texts]
    apart = [one for one in never_right(table, verdict) if one.column not in told]
    found = [(one.option, one.rows) for one in apart if one.column.is_truth or one.chance <= _CHANCE]
    for column, quiet, rows in texts:
        options = [roles.option("answer", column.name)] if column is not known else []
        patterns = [literally(text) for text in sorted(filter(None, quiet))]
        options += [opt("declined_pattern", "|".join(patterns))] if patterns else []
        found += [(" ".join(options), rows)] if options else []
    yield from sorted(found, key=lambda one: -sum(one[1]))[:_SILENCES]
    yield roles.option("abstained", roles.NONE) if named else "", none


def with_key(ways: Sequence[Way], keys: Sequence[str], run: str) -> list[Way]:
    """Put the options that name the question, each in turn, and the run before those of each way."""
    return [
        Way(" ".join(filter(None, (key, run, way.options))), way.states, way.remark, way.after)
        for way, key in product(ways, keys or [""])
    ]


def of_words(counts: Mapping[str, int], before: str = "") -> str:
    """Write what the words of a verdict that nobody knows may mean, one way a line; empty where there are too many."""
    passes = roles.passes_among(counts)
    known = {word: None if word in passes else roles.state_of(word) for word in counts}
    lines = []
    for means in _meanings(known):
        states = [means.get(word, known[word]) for word, many in counts.items() for _ in range(many)]
        lines.append(f"  {' '.join(filter(None, (before, _mapped(means))))}  ({counted(states)})")
    return "\n".join(["one of these says it:", *lines, ""]) if lines else ""


def ways_of_words(table: Table, column: Column) -> list[Way]:
    """Return the ways to read a column of verdicts of which words are yet to be explained: first those that go best
    with the answers that are the gold answer, and with those that say nothing."""
    known = meanings(column.words)
    name, ways = column.name, []
    if _says_no(table, column):
        name = f"{roles.TURNED}{name}"
        known |= {w: INCORRECT if truth else CORRECT for w in known if (truth := roles.truth_of(w)) is not None}
    says_right = any(token.startswith(STEMS["right"]) for token in column.tokens)
    for i, means in enumerate(_meanings(known, right=says_right)):
        says = known | means
        states = [None if cell is None else says[cell] for cell in column.cells]
        verdict = Verdict(column, (), inverted=False)
        verdict.states = states
        named = "" if name == OUTCOME else f"{roles.option(OUTCOME, name)} "  # which may be made of a grid
        options = f"{named}{_mapped(means, known)}"
        ways += [replace(way, after=way.after + i) for way in _with_silence(table, verdict, options)]
    right = {True: CORRECT, False: INCORRECT, None: None}
    empty = table.unsaid if any(table.unsaid) else _blanks(table, column)
    said = [SILENT if blank else right[hit] for blank, hit in zip(empty, table.hits, strict=True)]
    odd = [sum(a not in (None, b) for a, b in zip(said, way.states, strict=True)) for way in ways]
    order = sorted(range(len(ways)), key=lambda i: (odd[i], ways[i].after, i))
    return [replace(ways[i], after=after) for after, i in enumerate(order)]


def _says_no(table: Table, column: Column) -> bool:
    """Say whether yes means wrong in a column of yes or no and of other words: by the answers that are the gold answer,
    or else by its name."""
    said = zip(column.cells, table.hits, strict=True)
    pairs = [(roles.truth_of(cell), hit) for cell, hit in said if cell is not None and hit is not None]
    alike = Counter(truth is hit for truth, hit in pairs if truth is not None)
    truths = [truth for word in column.words if decimal(word) is None and (truth := roles.truth_of(word)) is not None]
    if not truths or column.is_truth:
        return False
    return alike[False] > alike[True] if alike else column.named("wrong") > column.named("outcome")


def _blanks(table: Table, column: Column) -> list[bool]:
    """Return where texts are empty in just the rows of one word of a verdict that nobody knows, whatever they are
    called: they may be answers, and it silence."""
    texts = [c for c in table.columns if len(c.words) > roles.FEW and None in c.cells and not c.is_counted]
    for cells in (c.cells for c in texts if all(decimal(word) is None for word in c.words)):
        word, *others = {said for said, cell in zip(column.cells, cells, strict=True) if cell is None}
        if not others and word and meaning(word) is None and column.cells.count(word) == cells.count(None):
            return [cell is None for cell in cells]
    return [False] * table.size


def can_be_told(column: Column) -> bool:
    """Say whether the words of a verdict that nobody knows are few enough to be explained."""
    return bool(_meanings(meanings(column.words)))


def alike(table: Table) -> list[Column]:
    """Return the columns of a few words that say the same as each other, as the verdicts of runs or questions do; none
    where there are fewer than two."""
    key = {c.name for c in (table.run, table.question, table.gold) if c}
    free = [c for c in table.columns if c.name not in key and 0 < len(c.words) <= _FEW_WORDS]
    free = [c for c in free if not (c.is_counted or (any(map(c.named, ("fact", "repeat"))) and not _is_series(c)))]
    free = [c for c in free if c.is_marks or not any(decimal(word) is not None for word in c.words)]
    series = [c for c in free if _is_series(c)]
    if (
        len(series) > 1
        and len({word for c in series for word in c.words}) <= _FEW_WORDS
        and could_be_questions([c.name for c in series])
    ):
        return _siblings(table, series)
    found: list[Column] = []
    for base in free:
        own = [c for c in free if c.words <= base.words] if len(base.words) > 1 else []
        found = own if len(own) > max(1, len(found)) else found
    return found


def _siblings(table: Table, series: Sequence[Column]) -> list[Column]:
    """Return the columns of a table whose names differ from those of a series by their numbers alone, and that say
    nothing else: one may say the same in each row, or something else in each."""
    stems, words = {_DIGITS.sub("", c.name) for c in series}, {word for c in series for word in c.words}
    return [c for c in table.columns if _DIGITS.sub("", c.name) in stems and c.words <= words]


def _is_series(column: Column) -> bool:
    return column.name[-1:].isdigit()


def ways_of_columns(columns: Sequence[Column], runs: Column | None) -> list[Way]:
    """Return the ways to read columns as the verdicts of a run each; or of a question each, where `runs` names the runs
    that the rows are."""
    known = meanings({word for column in columns for word in column.words})
    if {c.name for c in columns if "," in c.name} or len(known) > _FEW_WORDS or (runs is None and exclude(columns)):
        return []
    option, ways = roles.option("outcome", roles.AND.join(c.name for c in columns)), []
    for means in _meanings(known) or ([{}] if None not in known.values() else []):
        says = known | means
        if runs is None:
            own = [(c.name, [None if cell is None else says[cell] for cell in c.cells]) for c in columns]
        else:
            rows = zip(*(c.cells for c in columns), strict=True)
            own = [
                (n or "", [None if x is None else says[x] for x in r]) for n, r in zip(runs.cells, rows, strict=True)
            ]
        ways.append(Way(" ".join(filter(None, (option, _mapped(means, known)))), remark=_told(own)))
    return ways


def _mapped(means: Mapping[str, int], known: Mapping[str, int | None] = {}) -> str:
    """Write what words mean as options, those among them that are `known` by their sense alone, too."""
    more = {w: s for w, s in known.items() if s is not None and w not in means and roles.state_of(w) is None}
    return " ".join(opt("outcome_map", {word: _NAMES[state]}) for word, state in sorted({**means, **more}.items()))


def _meanings(known: Mapping[str, int | None], *, right: bool = False) -> list[dict[str, int]]:
    """Return what words may mean of which nobody knows it, the likeliest first: -1 beside 1 and 0, one word beside
    others, or all of two or three; none where there are too many. A number above 1 is a third thing where a name says
    that what is `right` is 1, and else the best mark."""
    unknown = sorted(word for word, state in known.items() if state is None and len(word) <= _LONG)
    numbers = {decimal(word): word for word in known}
    if -1.0 in numbers and numbers.keys() <= {1.0, 0.0, -1.0}:
        minus, no = numbers[-1.0], numbers.get(0.0)
        wrong = {minus: INCORRECT} if no is None else {minus: INCORRECT, no: SILENT}
        ways = [{minus: SILENT}, wrong, {minus: NOT_GRADED}]
        return ways if no is not None else [wrong, *ways[::2]]
    if len(known) > 1 and unknown and all(number is not None and isfinite(number) for number in map(_number, known)):
        return _of_numbers(sorted(known, key=lambda word: _number(word) or 0.0), numbers.get(1.0), right=right)
    if not unknown or any((number := decimal(word)) is not None and isfinite(number) for word in unknown):
        return []
    own_states = (CORRECT, INCORRECT, SILENT)[: len(known)]
    if len(unknown) > 1 and len(known) == len(own_states) and SILENT not in known.values():
        orders = permutations([*unknown, *(known.keys() - unknown)])
        every = [dict(zip(order, own_states, strict=True)) for order in orders]
        return sorted(every, key=lambda means: strangeness(means, known))
    lacking = [state for state in (CORRECT, INCORRECT) if state not in known.values()]
    if len(unknown) > 1:
        few = len(unknown) == len(lacking)
        return [dict(zip(order, lacking, strict=True)) for order in permutations(unknown)] if few else []
    others = (SILENT, CORRECT) if roles.is_pass(unknown[0]) else (SILENT, INCORRECT, NOT_GRADED)
    return [{unknown[0]: state} for state in (*lacking, *((SILENT,) if lacking else others))]


def _of_numbers(words: Sequence[str], one: str | None, *, right: bool) -> list[dict[str, int]]:
    """Return what two or three numbers may mean, from the least to the greatest; `one` is the word for 1."""
    low, *middle, high = words
    marks = {high: CORRECT, low: INCORRECT}
    if not middle:
        whole = all(number is not None and number % 1 == 0 for number in map(decimal, words))
        return [marks, {high: INCORRECT, low: CORRECT}] if whole else []
    if len(middle) > 1:
        return []
    between = [marks | {middle[0]: state} for state in (SILENT, INCORRECT, NOT_GRADED)]
    apart = [{high: SILENT}] if middle[0] == one and _number(low) == 0 else []
    return [*apart, *between] if right else [*between, *apart]


def _number(word: str) -> float | None:
    """Return a word as a whole number, a percentage, or what is taken off for a wrong answer."""
    number = decimal(word.rstrip("% "))
    return None if number is not None and number > 1 and number % 1 else number


def strangeness(means: Mapping[str, int], known: Mapping[str, int | None]) -> int:
    """Count what is odd in a meaning of words: that one means something else than it does by itself, that one made of
    another word and more (unsupported, 不正解) does not say that what this says is wrong, that several words
    beside single ones are no silence, that a number is (0%) beside a word, or is right and a greater one is not."""
    odd = sum(known[word] not in (None, state) for word, state in means.items())
    numbers = sorted((number, word) for word in means if (number := _number(word)) is not None)
    if numbers:
        odd += sum(means[word] == SILENT for _, word in numbers) if len(numbers) < len(means) else 0
        return odd + sum(means[low] == CORRECT or means[high] == INCORRECT for (_, low), (_, high) in pairwise(numbers))
    odd += sum(_SIGNS.get(word.strip().casefold(), state) != state for word, state in means.items())
    made = [(a, b) for a in means for b in means if a != b and a.casefold() in b.casefold()]
    odd += sum(" " in a and means[a] != SILENT and any(" " not in b for b in means) for a in means)
    return odd + sum((means[a], means[b]) != (CORRECT, INCORRECT) for a, b in made)
