"""Which options would make a table understood of which no one reading stands: each with what it would make of it."""

from __future__ import annotations

from collections.abc import Mapping

from nescio.data.outcomes import CORRECT, INCORRECT, SILENT
from nescio.errors import FormatError, opt
from nescio.formats.native import roles
from nescio.formats.native.headers import REASONING, REASONS
from nescio.formats.native.readings.evidence import FEW_ROWS
from nescio.formats.native.readings.silences import never_right, silences_of
from nescio.formats.native.readings.table import Table, same, table_of
from nescio.formats.native.readings.verdicts import AHEAD, LIKELY, counted, marks_of, rivals_of, verdicts_of
from nescio.formats.native.readings.wide import QUESTION, RUN, either_way
from nescio.sources.source import Source
from nescio.text import decimal

_UNLIKELY = -2.0  # of a verdict that is named where nothing else could be one


def propose(source: Source, *, judged: bool | None = None) -> str:
    """Say which options would make a table understood; empty where nothing can be proposed. Answers that can be judged
    by gold answers need no verdict, unless `judged` is False."""
    try:
        return _proposed(table_of(source), source, judged=judged) if roles.is_table(source) else ""
    except FormatError:  # it is no sound table, which another message says
        return ""


def rivals_of_judging(source: Source) -> list[str]:
    """Return the columns of a table of answers and gold answers that may say which are right."""
    table = table_of(source)
    return [*(v.column.name for v in verdicts_of(table) if v.weight > 0), *(c.name for c in marks_of(table))]


def of_marks(counts: Mapping[str, int]) -> str:
    """Say what to map where a verdict is 1, 0 and -1, with what each way would make of it: here -1 is silence, there a
    wrong answer beside 0 for silence. Empty where it holds anything else."""
    by_number = {decimal(word): word for word in counts}
    if -1.0 not in by_number or not by_number.keys() <= {1.0, 0.0, -1.0}:
        return ""
    says = {1.0: CORRECT, 0.0: INCORRECT, -1.0: SILENT}, {1.0: CORRECT, 0.0: SILENT, -1.0: INCORRECT}
    made = [
        counted([state for n, state in way.items() for _ in range(counts.get(by_number.get(n, ""), 0))]) for way in says
    ]
    unclear = [by_number[n] for n in (-1.0, 0.0) if n in by_number]
    ways = " ".join(opt("outcome_map", of=f"{word}=OUTCOME") for word in unclear)
    return f"{ways} says it (-1 silent, 0 wrong: {made[0]}; 0 silent, -1 wrong: {made[1]}; or one of them is ungraded)"


def _proposed(table: Table, source: Source, *, judged: bool | None) -> str:
    if (key := either_way(source)) is not None:
        runs, questions = roles.option(RUN, key), roles.option(QUESTION, key)
        if not key:
            runs, questions = f"call the first column {RUN}", f"call it {QUESTION}"
        return f"the rows: they are runs, with a column for each question ({runs}), or questions ({questions})"
    known = table.known
    lines = []
    if judged is None:
        judged = bool(known.one("gold") and known.one("prediction"))
    verdict = "outcome" in source.named or known.one("outcome", "wrong", "failure")
    least = _UNLIKELY if table.prediction is None else 0.0
    if not verdict and not judged and any(v.weight > least for v in verdicts_of(table)):
        lines.append(_of_the_verdict(table))
    elif not verdict and not judged and not known.one("score"):
        lines += _of_the_answers(table)
        if not lines and any(v.weight > _UNLIKELY for v in verdicts_of(table)):
            lines.append(_of_the_verdict(table))
    if not (lines or verdict or judged or known.one("score")):
        return ""
    if not known.one("id", "text") and (line := _of_the_question(table)):
        lines.append(line)
    if lines and not known.one("run") and table.run is not None and len(table.run.words) > 1:
        lines.append(f"the run with {roles.option('run', table.run.name)}")
    return ", and ".join(lines)


def _of_the_verdict(table: Table) -> str:
    """Propose the verdict, with the silence beside it, where one reading stands above all others; else name what could
    be meant."""
    found = verdicts_of(table)
    first, *others = [v for v in found if v.weight > 0] or [v for v in found if v.weight > _UNLIKELY]
    rivals = rivals_of(first, found[1:])
    unclear = any(table.by_name[name].is_unexplained for name in table.known.all("score"))
    unclear |= bool(first.column.strangers) and any(v.weight >= 0 for v in found[1:])  # which may as well be it
    if first.weight < LIKELY or rivals or unclear:
        each = [first, *(rivals or [v for v in others if v.weight > first.weight - AHEAD])]
        names, counts = [v.column.name for v in each], [counted(v.states) for v in each]
        return f"the outcome with {roles.may_be('outcome', names, counts)}"
    silences = silences_of(table, first)
    if not silences and (apart := never_right(table, first)):
        named = roles.may_be("abstained", [c.name for c in apart])
        return f"the outcome {first.column.name!r} ({counted(first.states)}), and what was declined with {named} (or -)"
    if not silences:
        return f"the outcome with {first.option()} ({counted(first.states)})"
    if len({one.rows for one in silences}) > 1:
        names = [one.column.name for one in silences]
        counts = [counted(first.states, one.rows) for one in silences]
        return (
            f"the outcome {first.column.name!r}, and what was declined with {roles.may_be('abstained', names, counts)}"
        )
    quiet = silences[0]
    ways = f"{first.option()} {roles.option(quiet.part, quiet.column.name)}"
    return f"the outcome with {ways} ({counted(first.states, quiet.rows)})"


def _of_the_answers(table: Table) -> list[str]:
    """Propose the gold answers or the answers, where only one of the two is known."""
    known = table.known
    if not known.one("gold", "prediction"):
        return []
    part = "prediction" if known.one("gold") else "gold"
    claimed = {column for names in known.columns.values() for column in names}
    free = [
        c
        for c in table.columns
        if c.name not in claimed and len(c.words) > 1 and not (c.is_marks or c.is_counted or c.is_measured)
    ]
    if table.size >= FEW_ROWS:  # of an answer and the gold answer some are the same
        other = table.gold if part == "prediction" else table.prediction
        free = [c for c in free if other and any(map(same, c.cells, other.cells))]
    named = [c for c in free if c.named(part)]
    if len(named) == 1:
        return [f"the {part} with {roles.option(part, named[0].name)}"]
    return [f"the {part} with {roles.may_be(part, [c.name for c in named or free])}"] if free else []


def _of_the_question(table: Table) -> str:
    """Propose the column that names the questions."""
    if table.question is not None:
        return f"the question with {roles.option('question', table.question.name)}"
    taken = {v.column.name for v in verdicts_of(table)[:1]} | ({table.run.name} if table.run else set())
    taken |= table.claimed() | {c.name for c in table.columns if roles.squash(c.own) in (*REASONS, REASONING)}
    free = [
        c
        for c in table.columns
        if c.name not in taken and len(c.words) > 1 and not (c.is_truth or c.is_measured or c.is_counted)
    ]
    if len(once := [c for c in free if table.once(c)]) == 1:
        return f"the question with {roles.option('question', once[0].name)}"
    free.sort(key=lambda c: (not table.once(c), -len(c.words)))
    return f"the question with {roles.may_be('question', [c.name for c in free])}" if free else ""
