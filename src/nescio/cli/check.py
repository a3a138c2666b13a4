"""nescio check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nescio.cli import _app
from nescio.data.notes import Note, note
from nescio.errors import MismatchError, NescioError
from nescio.text import plural

if TYPE_CHECKING:
    from nescio.data.evidence import Evidence
    from nescio.formats import Format, Part
    from nescio.pipeline import Loaded, Options

Facts = dict[str, Any]
_FILES = 3  # files of one kind that are named


@click.command("check")
@_app.FILES
@_app.reading_options
@_app.TABLE_OR_JSON
def command(files: tuple[Path, ...], printed: str, **given: Any) -> None:
    """What is in these files, and are they sound?

    Says what format FILES were taken for and why; counts questions, runs, answers and non-answers, by kind where a log tells
    them apart; and lists what looks wrong. A file that breaks a rule of its format is an error, which follows what it was taken for.

    \b
    nescio check outcomes.csv
    nescio check questions.jsonl runs/*.jsonl
    """
    from nescio.pipeline import Options, open_files, recognise

    options = Options(**_app.reading(given))
    format_, parts = recognise(open_files(list(files), options)[0], options.format_in)
    facts = _taken_for(format_, parts, options)
    try:
        facts |= _held(files, format_, parts, options)
    except NescioError as error:
        _print(facts | {"problems": [str(error)]}, printed, ended=True)
        raise
    _print(facts, printed)


def _taken_for(format_: Format, parts: Sequence[Part], options: Options) -> Facts:
    from nescio.formats import explain

    asked = f"--format-in {options.format_in} says so" if options.format_in else None
    found = [
        {"file": str(source.label), "part": part, "why": explain.seen(format_, source), "columns": _columns(source)}
        for part, source in parts
    ]
    return {"format": format_.name, "about": format_.about, "why": asked or explain.rule(format_), "files": found}


def _columns(source: Any) -> list[str]:
    return list(source.columns) if source.kind in ("delimited", "lines", "parquet", "table") else []


def _held(files: Sequence[Path], format_: Format, parts: Sequence[Part], options: Options) -> Facts:
    from nescio.data.judges import named
    from nescio.formats import ReadOptions
    from nescio.pipeline import load, only_questions

    alone = {part for part, _ in parts}
    if format_.collection and only_questions(format_, parts):
        return _of_collection(*format_.collection(parts, ReadOptions(strata=options.strata, choose=options.choose)))
    if alone in ({"gold"}, {"answers"}):
        lacking = "answers to it" if alone == {"gold"} else "the collection or key that they answer (gold)"
        only = f"only {alone.pop()} given{_values(format_, parts)}"
        return {"problems": [f"{only}: nothing can be scored without {lacking}"]}
    problems = []
    try:
        loaded = load(list(files), options)
    except MismatchError as error:
        problems.append(str(error))
        loaded = load(list(files), replace(options, missing="unanswered", ungraded="exclude"))
    facts = _count(loaded) | {"judge": named(loaded.judges), "judge_from": _judge_from(loaded)}
    facts["notes"] += _unused_verdicts(format_, parts, loaded)
    return facts | {"problems": [*problems, *_oddities(facts)]}


_JUDGE_FROM = {"option": "--judge", "default": "by default; --judge", "files": "who judged, by the files"}


def _judge_from(loaded: Loaded) -> str | None:
    """Where the judge comes from; None where nothing says who judged."""
    if loaded.judged_here:
        return "option" if loaded.options.judge else "default"
    return "files" if loaded.judges else None


def _unused_verdicts(format_: Format, parts: Sequence[Part], loaded: Loaded) -> list[Note]:
    """Note people's verdicts beside the answers that nescio's judge did not look at, and how they are used."""
    from nescio.formats.benchmarks.nq import PEOPLE

    if format_.name != "nq" or not loaded.judged_here:
        return []
    held = [(str(source.label), name) for _, source in parts for name in PEOPLE if name in source.columns]
    if not held:
        return []
    file, name = held[0]
    return [
        note(
            "check.unused_verdicts",
            "people's verdicts in the column {column!r} are not used: --choose judge=human takes them, as does "
            "`nescio judge FILES --judge human --against {file} -o outcomes.csv`; without --judge human that says how "
            "far the judge agrees with them",
            column=name,
            file=file,
        )
    ]


def _values(format_: Format, parts: Sequence[Part]) -> str:
    """What a collection of AVE holds, for a reader who has no responses to it yet."""
    if format_.name != "ave" or [part for part, _ in parts] != ["gold"]:
        return ""
    from nescio.formats.benchmarks.ave.reader import read_exercise
    from nescio.tasks.ave.building import counts

    rows = counts(read_exercise(parts[0][1]))
    questions, answers = (sum(getattr(row, name) for row in rows) for name in ("questions", "answers"))
    held = ", ".join(f"{sum(getattr(row, name) for row in rows):,} {name.upper()}" for name in _VALUES)
    return f" ({plural(questions, 'question')}, {plural(answers, 'answer')}: {held})"


_VALUES = ("validated", "rejected", "unknown")


def _of_collection(collection: Any, notes: Sequence[Note]) -> Facts:
    questions = collection.questions
    names = dict.fromkeys(name for question in questions for name in question.strata)
    clusters = {question.cluster for question in questions}
    return {
        "questions": len(questions),
        "clusters": None if None in clusters else len(clusters),
        "runs": [],
        "non_answers": [],
        "strata": {name: len({question.strata.get(name, "") for question in questions}) for name in names},
        "notes": list(notes),
        "problems": ["only questions are given: nothing can be counted without answers to them"],
    }


def _count(loaded: Loaded) -> Facts:
    """What is in the data, and what its readers noted but for what the counts of non-answers say."""
    import numpy as np

    from nescio.data.columns import OUTCOMES
    from nescio.data.evidence import Tally
    from nescio.data.outcomes import reasons_note

    data, silence = loaded.data, loaded.silence
    counted = {
        reasons_note(run, {row.why: row.n for row in rows}, rows[0].of)
        for run, rows in ((run, list(rows)) for run, rows in groupby(silence, lambda row: row.run))
    }
    facts: Facts = {
        "non_answers": [
            {"run": row.run, "non_answer": row.why, "taken_for": row.taken_for, "n": row.n} for row in silence
        ],
        "notes": [each for each in loaded.notes if each not in counted],
    }
    if isinstance(data, Tally):
        totals = data.totals()
        names = (*OUTCOMES, "n")
        runs = [{"run": run, **{name: int(totals[name][i]) for name in names}} for i, run in enumerate(data.runs)]
        return facts | {"questions": None, "clusters": None, "runs": runs, "strata": {}}
    whole = data.unit == "questions" or data.clusters is None  # else a question and the answers to it are a cluster
    clusters = None if data.clusters is None else len(np.unique(data.clusters))
    return facts | {
        "questions": len(data.questions) if whole else clusters,
        "clusters": clusters if whole else None,
        "runs": [_of_run(loaded, i) for i in range(len(data.runs))],
        "strata": {name: len(set(values)) for name, values in data.strata.items()},
    }


def _of_run(loaded: Loaded, i: int) -> Facts:
    from nescio.data.evidence import Evidence

    data = loaded.data
    assert isinstance(data, Evidence)
    run, present = data.runs[i], data.present[i]
    row: Facts = {"run": run}
    row |= _sums(data, i, core=True)
    if any(each.taken_for == "not graded" for each in loaded.silence):
        row["not_graded"] = sum(e.n for e in loaded.silence if e.run == run and e.taken_for == "not graded")
    row |= _sums(data, i, core=False)
    # Of rows that are questions and answers to them, the questions are counted.
    answers = data.answer_rows
    asked = True if answers is None or answers.all() else ~answers
    return row | {"n": int((present & asked).sum())}


def _sums(data: Evidence, i: int, *, core: bool) -> Facts:
    """What the declarations of the columns say is to be summed over the questions of a run; the outcomes, or the rest."""
    import numpy as np

    from nescio.data.columns import REGISTRY, known

    row: Facts = {}
    place = {name: i for i, name in enumerate(REGISTRY)}
    for name, stored in sorted(data.columns.items(), key=lambda column: place.get(column[0], len(place))):
        if core != (not known(name).namespace and stored.dtype.kind in "iu"):
            continue
        values = stored[i][~np.isnan(stored[i]) & data.present[i]]
        for summary in known(name).summaries:
            if summary.how == "count" and stored.dtype.kind in "iu":
                continue  # it is absent nowhere
            counted = {"sum": values.sum(), "count": len(values), "zeros": (values == 0).sum()}
            row[summary.words] = int(counted[summary.how])
    return row


def _oddities(facts: Facts) -> list[str]:
    """What is allowed and still looks wrong."""
    found = []
    for row in facts["runs"]:
        n = row["n"]
        if n and row.get("unanswered") == n:
            found.append(f"run {row['run']!r} answers nothing")
        if n and row.get("correct") == n:
            found.append(f"run {row['run']!r} is right everywhere")
        if n and row.get("incorrect") == n:
            found.append(f"run {row['run']!r} is wrong everywhere: do answers and gold belong together?")
        if n == 0:
            found.append(f"run {row['run']!r} has nothing to score")
    return found


def _print(facts: Facts, printed: str, *, ended: bool = False) -> None:
    """Print the facts; `ended` says that an error follows, which says what is wrong."""
    if printed == "json":
        import msgspec

        click.echo(msgspec.json.format(msgspec.json.encode(_printable(facts)), indent=2).decode())
        return
    from nescio.reporting.tables import show_fact, show_records

    show_fact("format", f"{facts['format']}: {facts['about']}")
    show_fact("why", facts["why"])
    for _, group in groupby(facts["files"], lambda file: file["part"]):
        _print_files(list(group))
    if "runs" in facts:
        held = [plural(facts["questions"], "question")] if facts["questions"] is not None else []
        held += [f"in {plural(facts['clusters'], 'cluster')}"] if facts["clusters"] else []
        show_fact("holds", f"{' '.join(held)}{', ' if held else ''}{plural(len(facts['runs']), 'run')}")
        if facts.get("judge_from"):
            show_fact("judge", f"{facts['judge']} ({_JUDGE_FROM[facts['judge_from']]})")
        _print_strata(facts["strata"])
        if facts["runs"]:
            show_records(_without_doubles(facts["runs"]))
        if any(row["non_answer"] != row["taken_for"] for row in facts["non_answers"]):
            print()
            show_records(facts["non_answers"])
    for each in facts.get("notes", ()):
        show_fact("note", str(each))
    for problem in () if ended else facts["problems"]:
        show_fact("look at", problem)
    if not facts["problems"]:
        print("nothing looks wrong")


def _print_files(files: Sequence[Facts]) -> None:
    """Print files of one part: together where they are alike, or many; else one by one."""
    from nescio.reporting.tables import show_fact

    alike = all(file["why"] == files[0]["why"] for file in files)
    if not alike and len(files) <= _FILES:
        for file in files:
            _print_files([file])
        return
    names = ", ".join(file["file"] for file in files[:_FILES])
    more = f" and {len(files) - _FILES:,} more" if len(files) > _FILES else ""
    why = files[0]["why"] if alike else f"the first is {files[0]['why']}"
    show_fact("file" if len(files) == 1 else "files", f"{names}{more} ({files[0]['part']}): {why}")


def _print_strata(values: Mapping[str, int]) -> None:
    """Print how many values each stratum has, and count those of one value."""
    from nescio.reporting.tables import show_fact

    telling = _strata_texts({name: count for name, count in values.items() if count != 1})
    constant = len(values) - len(telling)
    telling += [f"{plural(constant, 'column')} of one value"] if constant else []
    if telling:
        show_fact("strata", ", ".join(telling))


def _strata_texts(values: Mapping[str, int]) -> list[str]:
    return [f"{name} ({plural(count, 'value')})" for name, count in values.items()]


def _printable(facts: Facts) -> Facts:
    """Put the facts into plain texts and numbers, for JSON."""
    shown = dict(facts)
    if "strata" in facts:
        shown["strata"] = _strata_texts(facts["strata"])
    if "notes" in facts:
        shown["notes"] = list(map(str, facts["notes"]))
    return shown


def _without_doubles(runs: Sequence[Facts]) -> list[Facts]:
    """The rows without the column of what was declined where it says no more than that of what is unanswered."""
    if any(row.get("declined") != row.get("unanswered") for row in runs):
        return list(runs)
    return [{name: value for name, value in row.items() if name != "declined"} for row in runs]
