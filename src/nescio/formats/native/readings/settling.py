"""Which one reading of a table stands: what its names leave open is settled by its cells, where nothing speaks against
it. What stays open is asked about by whoever reads the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from nescio.data.outcomes import MEANINGS, SILENT
from nescio.data.repeats import REPEAT
from nescio.errors import FormatError
from nescio.formats.native import roles
from nescio.formats.native.readings.composed_names import runs_of_parts
from nescio.formats.native.readings.evidence import VERDICTS
from nescio.formats.native.readings.silences import may_be_silent, settled_silence
from nescio.formats.native.readings.table import Table, table_of
from nescio.formats.native.readings.verdicts import Verdict, counted, marks_of, settled_verdict, verdicts_of
from nescio.formats.native.readings.ways import can_be_told
from nescio.formats.native.readings.wide import QUESTION, RUN, rows_of, runs_of, runs_of_columns
from nescio.sources.source import Source

SILENT_PARTS = frozenset(("abstained", "answered"))
_UNLIKELY, _SHOWN = -2.0, 5  # of what is shown


def settle(source: Source, reads: Callable[[str], bool], *, judging: bool = False) -> Source:
    """Return a table with the parts that its columns play named, as far as one reading of it stands above all others;
    what the user named stays as it is. Where `judging` is asked for, a verdict plays no part. `reads` says whether an
    answer reads like silence."""
    if not roles.is_table(source) or not source.columns or {*roles.COUNTED} & source.named.keys():
        return source
    if several := {part: name for part, name in source.named.items() if name not in (*source.columns, roles.NONE)}:
        return settle(_by_run(source, several), reads, judging=judging)
    try:
        table = table_of(source, reads)
    except FormatError:  # it is no sound table, which its reader says
        return source
    if table.size and source.named.keys() <= {RUN, QUESTION} and (runs := runs_of(table)):
        return settle(rows_of(source, runs), reads, judging=judging)
    return _settled(source, table, judging=judging) if table.size else source


def _by_run(source: Source, several: Mapping[str, str]) -> Source:
    """Return the rows of a table of whose columns several were named at once: by a part of their names, or by all of
    them."""
    free = [name for name in source.columns if name not in source.named.values()]
    if runs := runs_of_parts(free, {*several.values()}):
        return rows_of(source, runs)
    part = next((part for part in ("outcome", "prediction", "answer") if part in several), None)
    if part is None:
        rule = f"no column, and no part of the columns of each run, is called {next(iter(several.values()))!r}"
        raise FormatError(source.label, rule, where=source.head)
    named = {part: name for part, name in source.named.items() if part not in several}
    by_run = runs_of_columns(roles.apart(several[part], source.columns), source.named.get(RUN), roles.NAMES[part])
    return rows_of(replace(source, named=named), by_run)


def _settled(source: Source, table: Table, *, judging: bool) -> Source:
    named: dict[str, str] = dict(source.named)
    turned, meant = source.turned, dict(source.meant)
    verdict = None if judging or "outcome" in named else settled_verdict(table)
    if verdict is not None:
        named["outcome"], turned = verdict.column.name, verdict.turned
        meant["outcome"] = _outcomes(verdict.meant)
    elif not judging:
        verdict = _known_verdict(table)
        marks = [] if table.known.one(*VERDICTS) or _may_be_judged(table) else marks_of(table)
        if len(marks) == 1 and can_be_told(marks[0]):
            named["outcome"] = marks[0].name  # what -1 means is asked by whoever reads it
    judged = verdict is None and (judging or not table.known.one(*VERDICTS))
    if verdict or judged:
        named |= _answers(table, named, gold=judged)
    answers = judging or (table.gold is not None and table.prediction is not None)
    if (verdict or (judged and answers)) and not SILENT_PARTS & named.keys():
        silence = None if table.known.one("abstained", "answered") else settled_silence(table, verdict)
        if silence is not None:
            named[silence.part] = silence.column.name
            meant["abstained"] = _outcomes(dict.fromkeys(silence.words, SILENT))
    if (
        verdict
        and verdict.faults
        and "outcome" in named
        and not SILENT_PARTS & named.keys()
        and may_be_silent(table, verdict)
    ):
        # An answer that was not given would be right, as nothing is wrong with it: the verdict is asked about.
        named, turned, meant = dict(source.named), source.turned, dict(source.meant)
    named |= _key(table, named)
    if named == source.named:
        return source
    guessed = source.guessed | (named.keys() - source.named.keys())
    return replace(source, named=named, turned=turned, meant=meant, tried=_tried(table), guessed=guessed)


def _tried(table: Table) -> tuple[str, ...]:
    """Say what each column that could be the verdict would make of the table, and what speaks for and against it."""
    shown = [v for v in verdicts_of(table) if v.weight > _UNLIKELY][:_SHOWN]
    return tuple(
        f"{v.column.name}: {counted(v.states)}; {', '.join(one.words for one in v.evidence) or 'nothing speaks for it'}"
        for v in shown
    )


def _outcomes(means: Mapping[str, int]) -> dict[str, str]:
    names = {state: name for name, state in MEANINGS.items()}
    return {word: names[state] for word, state in means.items() if state in names}


def _known_verdict(table: Table) -> Verdict | None:
    """Return the verdict that whole names say, or that the user named."""
    known = table.known.one("outcome", "wrong", "score", "failure")
    return next((v for v in verdicts_of(table) if v.column.name == known), None)


def _may_be_judged(table: Table) -> bool:
    return (table.gold is not None and table.prediction is not None) or any(v.weight > 0 for v in verdicts_of(table))


def _answers(table: Table, named: Mapping[str, str], *, gold: bool) -> dict[str, str]:
    """Return the columns of the answers and of the gold answers, where whole names do not say it."""
    if gold and (table.gold is None or table.prediction is None):
        return {}
    columns = {"prediction": table.prediction, "gold": table.gold if gold else None}
    free = {part: column.name for part, column in columns.items() if column and part not in named}
    return {part: name for part, name in free.items() if table.known.one(part) != name}


def _key(table: Table, named: Mapping[str, str]) -> dict[str, str]:
    """Return the columns that name run, question and repeat, where names alone do not say it."""
    known, found = table.known, {}
    if not known.one("run") and "run" not in named and table.run is not None and len(table.run.words) > 1:
        found["run"] = table.run.name
    if "question" not in named and table.question is not None and table.question.name not in known.all("id", "text"):
        found["question"] = table.question.name
    if not known.one(REPEAT) and REPEAT not in named and table.repeat is not None:
        found[REPEAT] = table.repeat.name
    return found
