"""Which options would make a table understood of which no one reading stands: each with what it would make of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from nescio.data.repeats import REPEAT
from nescio.errors import FormatError
from nescio.formats.native import roles
from nescio.formats.native.headers import REASONING, REASONS
from nescio.formats.native.readings.answers import answered, same
from nescio.formats.native.readings.columns import CONTAINERS, Column, meaning
from nescio.formats.native.readings.counted_runs import ways_of_counts
from nescio.formats.native.readings.evidence import FEW_ROWS
from nescio.formats.native.readings.table import Table, table_of
from nescio.formats.native.readings.verdicts import LIKELY, marks_of, rivals_of, verdicts_of
from nescio.formats.native.readings.ways import (
    MOST,
    Way,
    alike,
    can_be_told,
    shown,
    told,
    ways_of,
    ways_of_columns,
    ways_of_words,
    with_key,
)
from nescio.formats.native.readings.wide import QUESTION, RUN, could_be_questions, either_way, groups_of, rows_of
from nescio.sources.source import Source
from nescio.text import decimal

REMARK = "#"
_MOST_KEYS = 3  # columns that could name the questions
_MOST_ODD, _FEW_ODD = 2, 3  # columns of words that nobody knows, and words of such
_FEW_SAID = 2  # words of a header that begins with a sign for numbers (`# items`)
_MOST_SAID = 4  # words of a column that says something of each answer
_WEAK = 0.5  # of a verdict that says nothing of whether answers are gold answers
_UNLIKELY = -2.0  # of a verdict that is named where nothing else could be one


def propose(source: Source, *, judged: bool | None = None, before: Sequence[Way] = ()) -> str:
    """Say which options would make a table understood, those `before` others that are found; empty where none are.
    Answers that can be judged by gold answers need no verdict, unless `judged` is False."""
    try:
        sound = roles.is_table(source) and not begins_with_a_remark(source)
        return _proposed(table_of(source), source, judged, before) if sound else ""
    except FormatError:  # it is no sound table, which another message says
        return ""


def begins_with_a_remark(source: Source) -> bool:
    """Say whether the first line of a table is no header, but a remark such as `# made on Monday`."""
    first = source.columns[0] if source.columns else ""
    return first.startswith(REMARK) and len(first.split()) > _FEW_SAID


def rivals_of_judging(source: Source) -> list[str]:
    """Return the columns of a table of answers and gold answers that may say which are right."""
    table = table_of(source)
    return [*(v.column.name for v in verdicts_of(table) if v.weight > _WEAK), *(c.name for c in marks_of(table))]


def rivals_of_name(table: Table, column: str, *, whole: bool) -> tuple[list[str], str]:
    """Return the columns that may be the verdict as well as one that is it by its name, and the ways to read each: all
    that differ from it and are not far behind; of a `whole` name only those for which more speaks."""
    found = verdicts_of(table)
    first = next((v for v in found if v.column.name == column), None)
    if first is None:
        return [], ""
    rivals = rivals_of(first, [v for v in found if v is not first and not table.is_of_the_question(v.column)])
    rivals = [v for v in rivals if v.weight > (first.weight if whole else 0)]
    ways = _with_keys(table, ways_of(table, [first, *rivals], sure=True)) if rivals else []
    return [v.column.name for v in rivals], shown(table, ways) if rivals else ""


def _proposed(table: Table, source: Source, judged: bool | None, before: Sequence[Way]) -> str:
    if (key := either_way(source)) is not None:
        runs, questions = roles.option(RUN, key), roles.option(QUESTION, key)
        if not key:
            runs, questions = f"call the first column {RUN}", f"call it {QUESTION}"
        return f"the rows: they are runs, with a column for each question ({runs}), or questions ({questions})"
    ways = ways_of_counts(table) or _ways(table, source, judged=judged)
    return shown(table, [*before, *ways]) if ways and ways[0].options else ""


def _ways(table: Table, source: Source, *, judged: bool | None) -> list[Way]:
    """Return the ways to read a table, the likeliest first."""
    known = table.known
    if judged is None:
        judged = bool(known.one("gold") and known.one("prediction"))
    verdict = "outcome" in source.named or known.one("outcome", "wrong", "failure")
    if verdict or judged:
        column = table.one("outcome") if "outcome" not in source.named else None
        unknown = column is not None and column.is_in_doubt and can_be_told(column)
        return _with_keys(table, ways_of_words(table, column) if column and unknown else [Way("")])
    groups = _of_groups(table, source)
    weights = [v.weight for v in verdicts_of(table)]
    least = _UNLIKELY if table.prediction is None else 0.0
    score = table.one("score")
    ways: list[Way] = [Way("")] if score is not None and not score.is_in_doubt else []
    if any(weight > least for weight in weights):
        ways = [*_of_the_verdict(table), *(_of_the_answers(table, doubtful=True) if max(weights) < LIKELY else [])]
    else:
        ways = _of_the_answers(table) or ways
        if any(weight > _UNLIKELY for weight in weights):
            ways = [*ways, *_of_the_verdict(table)]
    named, odd = _to_explain(table)
    explained = [way for column in named for way in ways_of_words(table, column)]
    ways = [*ways, *explained] if known.one("gold", "prediction") else [*explained, *ways]
    if not ways or max(weights, default=0.0) < LIKELY:
        ways = [*ways, *(way for column in odd for way in ways_of_words(table, column))]
    ways = sorted(ways, key=lambda way: way.after)
    unsure = bool(table.pairs) and max(weights, default=0.0) < LIKELY
    if unsure or any(map(table.may_be_an_answer, [*(v.column for v in verdicts_of(table)[:1]), *named])):
        answers = _of_the_answers(table)
        ways = [*answers, *(way for way in ways if way not in answers)]
    same_words = [] if known.one("score", "prediction") else alike(table)
    is_series = could_be_questions([c.name for c in same_words])
    if same_words and (is_series or len(ways) != 1) and not groups:
        alone = is_series and len(ways) == 1  # one question of many, which is no verdict
        keys = [] if known.one("id", "text") else _of_the_question(table)
        return _of_columns(table, [] if alone else with_key(ways, keys[:1], ""))
    return [*groups, *_with_keys(table, ways)]


def _with_keys(table: Table, ways: Sequence[Way]) -> list[Way]:
    """Put the options that name the question and the run before those of each way, where names do not say it."""
    known = table.known
    keys = [] if known.one("id", "text") else _of_the_question(table)
    if not ways and not keys:
        return []
    ways = ways or [Way("")]
    run = table.run if table.run is not None and len(table.run.words) > 1 and not known.one("run") else None
    named = roles.option("run", run.name) if run and (ways != [Way("")] or keys) else ""
    return with_key(ways, keys, named)


def _of_groups(table: Table, source: Source) -> list[Way]:
    """Return the ways to read a table that may have several columns for each of its runs, by what the names of these
    have in common."""
    if (runs := groups_of(table)) is None:
        return []
    rows = rows_of(source, runs)
    unrolled = table_of(rows)
    return told(unrolled, _ways(unrolled, rows, judged=None))


def _of_the_verdict(table: Table) -> list[Way]:
    """Return the ways to read the verdict, with the silence beside it: one, where it stands above all others."""
    found = verdicts_of(table)
    first, *others = [v for v in found if v.weight > _UNLIKELY]
    others = [v for v in others if not table.is_of_the_question(v.column)]
    rivals = rivals_of(first, found[1:])
    unclear = any(table.by_name[name].is_in_doubt for name in table.known.all("score"))
    unclear |= bool(first.column.strangers) and any(v.weight >= 0 for v in found[1:])  # which may as well be it
    sure = not (first.weight < LIKELY or rivals or unclear)
    return ways_of(table, [first] if sure else [first, *(rivals or others)], sure=sure)


def _to_explain(table: Table) -> tuple[list[Column], list[Column]]:
    """Return the columns that are verdicts in words of which some, or all, are yet to be explained: the one whose name
    speaks of a verdict, or one of whose words does; and others that say no facts."""
    taken = table.claimed("score", "judge")
    taken |= {c.name for c in (table.run, table.question, table.prediction, table.gold) if c}
    free = [c for c in table.columns if c.name not in taken and not table.is_of_the_question(c) and not c.named("fact")]
    odd = [c for c in free if not c.is_verdict and not c.is_counted and _is_odd(table, c)]
    named = marks_of(table) or [c for c in odd if c.named("outcome") or _is_part_known(c)]
    return named[:1], [c for c in odd if c not in named[:1]][:_MOST_ODD]


def _is_odd(table: Table, column: Column) -> bool:
    told = column.named("outcome") or column.is_marks or not all(decimal(word) is not None for word in column.words)
    few = 1 < len(column.words) <= min(_FEW_ODD, table.size - 1)  # of which some say the same
    return bool(told) and few and can_be_told(column)


def _is_part_known(column: Column) -> bool:
    """Say whether of a few words one is for right, wrong or silence, and nobody knows the others."""
    return any(state is not None for state in map(meaning, column.words))


def among_runs(source: Source) -> str:
    """Propose how to read a table of which some columns are verdicts and others are none: those that say the same words
    as the verdicts of runs, or one of them as the verdict of each row, with the silence beside it; empty where no
    column may be a verdict."""
    if (said := propose(source)) and "\n" in said:
        return said
    table = table_of(source)
    ways = ways_of_counts(table) or _of_columns(table, _of_rows(table))
    return shown(table, ways) if ways else ""


def _of_rows(table: Table) -> list[Way]:
    verdicts = [v for v in verdicts_of(table) if v.weight > _UNLIKELY]
    return with_key(ways_of(table, verdicts, sure=False), _of_the_question(table)[:1], "")


def _of_columns(table: Table, rows: Sequence[Way]) -> list[Way]:
    """Return the ways to read columns as the verdicts of runs beside those that read a row as an answer: before them
    where no name speaks of verdicts or of silence."""
    columns = alike(table)
    if not columns:
        return [*rows]
    across = could_be_questions([c.name for c in columns])
    parts = ("outcome", "wrong", "abstained", "answered")
    runs_known = table.run is not None and table.question is not None and len(table.run.words) > 1
    of_answers = not across and (runs_known or any(c.named(part) for c in columns for part in parts))
    others = [c for c in table.columns if c not in columns]
    runs = [c for c in others if table.apart([c]) and None not in c.cells and not c.is_measured and not c.is_counted]
    keys = [roles.option(RUN, runs[0].name)] if across and runs else [] if across else _of_the_question(table)[:1]
    grid = with_key(ways_of_columns(columns, runs[0] if across and runs else None), keys, "")
    if of_answers or any(1 < len(c.words) <= _MOST_SAID and c.name not in _key_of(table) for c in others):
        return [*rows[: MOST - 1], *grid]
    if across and grid:
        return grid  # a row then has answers to all questions, of which none is the verdict
    return [*grid[: max(MOST // 2, MOST - len(rows))], *rows]


def _key_of(table: Table) -> set[str]:
    return {c.name for c in (*table.key, table.gold) if c}


def _of_the_answers(table: Table, *, doubtful: bool = False) -> list[Way]:
    """Return the columns that could be the gold answers or the answers, where only one of the two is known; of a table
    with a `doubtful` verdict those that are none."""
    known = table.known
    if not known.one("gold", "prediction"):
        return _of_texts(table)
    part = "prediction" if known.one("gold") else "gold"
    claimed = table.claimed("score")
    other = table.gold if part == "prediction" else table.prediction
    free = [c for c in table.columns if c.name not in claimed and len(c.words) > 1]
    texts = [c for c in free if not (c.is_marks or c.is_counted or c.is_measured or (doubtful and c.is_verdict))]
    paired = [c for c in free if other and any(answered((c, other)))]
    free = paired or texts or [c for c in free if other and len(other.words) > 1 and c.words >= other.words]
    hits = {c.name: sum(map(same, c.cells, other.cells)) if other else 0 for c in free}
    # Of an answer and the gold answer some are the same; of a few rows a name has to say so.
    free = [c for c in free if hits[c.name] or (table.size < FEW_ROWS and c.named(part))]
    named = [c for c in free if c.named(part)] or free
    alone = [
        Way(roles.option(part, c.name), remark=f"{hits[c.name]} of {table.size} answers are the gold answer")
        for c in named
    ]
    several = part == "prediction" and len(paired) > 1
    return [*([_of_several(table, [(c, hits[c.name]) for c in paired], "")] if several else []), *alone]


def _of_several(table: Table, answers: Sequence[tuple[Column, int]], gold: str) -> Way:
    """Return the way to take several columns for the answers of a run each."""
    option = roles.option("prediction", roles.AND.join(c.name for c, _ in answers))
    told = [f"{c.name}: {hits}" for c, hits in answers]
    remark = f"{', '.join(told)} of {table.size} answers are the gold answer"
    return Way(f"{option} {gold}".strip(), remark=remark)


def _of_texts(table: Table) -> list[Way]:
    """Return the ways to take two columns of texts for the answers and the gold answers, where some of these are the
    same: an empty cell is an answer sooner than a gold one, and a question has but one of those."""
    beside: dict[str, list[tuple[Column, int]]] = defaultdict(list)
    for one, other, hits in table.pairs:
        beside[one.name].append((other, hits))
        beside[other.name].append((one, hits))
    ways = []
    if len(table.pairs) > 1:  # the gold answers are what most answers are
        gold = max(beside, key=lambda name: (table.by_name[name].named("gold"), sum(hits for _, hits in beside[name])))
        ways = [_of_several(table, beside[gold], roles.option("gold", gold))] if len(beside[gold]) > 1 else []
    for one, other, hits in table.pairs:
        votes = [
            (None in a.cells)
            + (a.words > b.words)
            + a.named("prediction")
            + b.named("gold")
            + table.is_of_the_question(b)
            for a, b in ((one, other), (other, one))
        ]
        for a, b in ((one, other), (other, one)) if votes[0] > votes[1] else ((other, one), (one, other)):
            options = f"{roles.option('prediction', a.name)} {roles.option('gold', b.name)}"
            ways.append(Way(options, remark=f"{hits} of {table.size} answers are the gold answer"))
    return ways


def _beside(column: Column) -> str:
    """Write the option that says what a column is that tells the answers to a question apart: a repeat, or the run."""
    numbers = all(decimal(word) is not None for word in column.words)
    return roles.option(REPEAT if numbers or column.named(REPEAT) else RUN, column.name)


def _of_the_question(table: Table) -> list[str]:
    """Return the options that name the questions: one, where it is clear."""
    if table.question is not None:
        return [roles.option("question", table.question.name)]
    taken = {v.column.name for v in verdicts_of(table)[:1]} | ({table.run.name} if table.run else set())
    taken |= table.claimed() | {c.name for c in table.columns if roles.squash(c.own) in (*REASONS, REASONING)}
    free = [
        c
        for c in table.columns
        if c.name not in taken
        and len(c.words) > 1
        and not (c.is_truth or c.is_measured or (c.is_counted and not (c.is_dates and verdicts_of(table))))
    ]
    free = [c for c in free if None not in c.cells and not any(word.startswith(CONTAINERS) for word in c.words)]
    if table.run is not None and len(table.run.words) > 1:
        free = [c for c in free if len(c.words) < table.size]  # which several runs answered
    if once := sorted((c for c in free if table.once(c)), key=lambda c: -c.named("id")):
        once = once[:1] if all(table.pairs_alike(c, once[0]) for c in once) else once  # then any of them does
        return [roles.option("question", c.name) for c in once[:_MOST_KEYS]]
    crossed = [(c, d) for c in free for d in free if len(d.words) < len(c.words) and table.apart([c, d])]
    if crossed and table.run is None:
        return [f"{roles.option('question', c.name)} {_beside(d)}" for c, d in crossed[:_MOST_KEYS]]
    asked = [c for c in free if len(c.words) ** 2 > table.size]  # more questions than answers to each
    return [roles.option("question", c.name) for c in sorted(asked, key=lambda c: -len(c.words))[:_MOST_KEYS]]
