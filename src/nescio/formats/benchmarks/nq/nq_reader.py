"""Open questions in the style of Natural Questions and KILT: gold answers and a prediction in one row, or KILT's two
files.

A row has `question`, gold answers (a list, or one text with " | " between answers), `prediction`, and perhaps
`question_id`, `run`, `confidence` and what people said of it (`acceptable`). KILT: `{"id", "input", "output":
[{"answer"}, …]}` for the gold and for a run. A prediction that is null or empty is silence; a list of predictions is
ranked.

Columns may have other names, as in an outcome table (`model`, `expected`, `response`), and `--column NAME=COLUMN` names
them; answers that `abstained` or `refused` says were declined are silent. A table that says itself which answers are
right (`acceptable`, `correct`) is read as one of outcomes, unless `--judge NAME` judges its answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nescio.data.model import Collection, Question, Response, Run
from nescio.data.notes import Note, note
from nescio.data.outcomes import MEANINGS, NOT_GRADED, SAID_SO, SILENT
from nescio.errors import FormatError, MismatchError, UsageError, opt
from nescio.formats.benchmarks.nq.kilt import read_kilt
from nescio.formats.benchmarks.nq.tables import (
    GOLD,
    LONGEST_LABEL,
    PEOPLE,
    Row,
    fail,
    no_gold_answers,
    refuse_other_verdicts,
    table,
)
from nescio.formats.logs.graded import Graded, choose, declined, outcomes_of
from nescio.formats.native import roles
from nescio.formats.native.judgements import state_of
from nescio.formats.native.outcome_table.declined import ask_of_words
from nescio.formats.native.readings.silences import never_hit
from nescio.formats.native.readings.table import table_of
from nescio.formats.registry import TABLES, ReadOptions, ReadResult, SourceRole, Unjudged, reader, tables_with
from nescio.sources.source import Source, name_runs
from nescio.sources.tables import locate
from nescio.sources.text_files import WHITE
from nescio.text import literally, normalise

OTHER_GOLD = "nq.other_gold"


def recognise(source: Source) -> str | None:
    """Recognise rows of `question`, gold answers and `prediction`; or JSON Lines of `id` and `output`, a list of
    objects (KILT)."""
    have = set(source.columns)
    if source.kind == "lines" and {"id", "output"} <= have and isinstance(source.first, dict):
        output = source.first["output"]
        if isinstance(output, list) and all(
            isinstance(o, dict) and {"answer", "provenance"} & o.keys() for o in output
        ):
            return "gold" if "input" in have else "answers"
    if source.kind not in TABLES or "outcome" in have:
        return None
    return "table" if {"question", "prediction"} <= have and have & {*GOLD} else None


def understand(source: Source) -> str | None:
    """Recognise a table with columns that name or hold questions, gold answers and predictions."""
    return "table" if roles.holds_answers(source) else None


COLUMNS = (
    *("run", "question", "question_text", "outcome", "answer", "prediction", "gold", "confidence", "abstained"),
    *("answered", "answerable", "repeat"),
)


@reader(
    "nq",
    about=(
        "open questions with gold answers and a prediction (question, answers, prediction), or KILT's id, input, output"
    ),
    recognise=recognise,
    sniff_keys=tables_with("prediction", "output"),
    understand=understand,
    columns=COLUMNS,
    defers_to_verdicts=roles.holds_verdicts,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read tables of predictions, each a run named by its column `run` or by its file; or KILT's gold and the runs for
    it.

    `--choose judge=human` takes the verdicts of people in the table (`acceptable`) instead of judging anew: an answer
    without one is not graded. Where the gold answers of a question differ between runs, each is judged by its own,
    which a note counts; `--choose gold=first` judges all by those of the first.
    """
    if {part for part, _ in parts} != {"table"}:
        if any(part == "table" for part, _ in parts):
            raise MismatchError("KILT files and tables of predictions cannot be read together")
        return read_kilt(parts, options)
    sources = [source for _, source in parts]
    notes = [remark for source in sources for remark in source.notes]
    rows: list[Row] = []
    for source, name in zip(sources, name_runs(sources), strict=True):
        rows += table(source, name, {row.run for row in rows}, notes, options.outcome_map)
    if not options.judging:
        refuse_other_verdicts(rows)
    for source in sources:
        known = roles.roles_of(source.columns, source.named)
        told = options.declined.asked or known.one("abstained", "answered") or known.named.get("abstained")
        odd, sure = no_gold_answers([r for r in rows if r.where[0] is source], options.declined.reads)
        if odd and not told:
            notes.append(_ask_of_silence(source, odd, asked=sure and not options.judging))
        elif not (told or options.judging):
            ask_of_words(source, never_hit(table_of(source)))
    questions, gold = _questions(rows, options, notes)
    if options.choose.get("judge") is not None:
        choose(options, "judge", ["human"], "judges in a table")
        outcomes = outcomes_of(_by_people(rows, questions, sources, options), sources[0].label, options, notes)
        return ReadResult(outcomes, tuple(notes))
    runs: dict[str, list[Response]] = {}
    files: dict[str, str] = {}
    for row in rows:
        runs.setdefault(row.run, []).extend(_responses(row))
        files.setdefault(row.run, str(row.where[0].label))
    found_runs = tuple(Run(name, tuple(responses), gold=gold.get(name, {})) for name, responses in runs.items())
    collection = Collection(sources[0].stem, tuple(questions.values()))
    unused = _unused_verdicts(sources)
    return ReadResult(Unjudged(collection, found_runs, tuple(files.values()), unused=unused), tuple(notes))


def _ask_of_silence(source: Source, odd: Mapping[str, int], *, asked: bool) -> Note:
    """Note the words that are answers to questions of which none is right by them; raises FormatError, with both ways,
    where that is `asked`."""
    what = f"{sum(odd.values())} answers are {' or '.join(map(repr, odd))}, which no gold answer is"
    option = opt("declined_pattern", "|".join(map(literally, odd)))
    if asked:
        instead = f"{roles.option('abstained', roles.NONE)} counts them as wrong"
        raise FormatError(source.label, f"{what}: {option} counts them as unanswered, {instead}", where=source.head)
    return note(
        "nq.no_gold_answers",
        "{subject}: {what}: {option} counts them as unanswered",
        str(source.label),
        what=what,
        option=option,
    )


def _unused_verdicts(sources: Sequence[Source]) -> tuple[Note, ...]:
    """Note people's verdicts beside the answers that a judge of nescio does not look at, and how they are used."""
    columns = [(source, name) for source in sources for name in PEOPLE if name in source.columns]
    return tuple(
        note(
            "nq.unused_verdicts",
            f"people's verdicts in the column {{column!r}} are not used: {opt('choose', {'judge': 'human'})} takes "
            "them, as does "
            f"`nescio judge FILES --judge human --against {{file}} -o outcomes.csv`; without "
            f"{opt('judge', 'human')} that says how "
            "far the judge agrees with them",
            column=name,
            file=str(source.label),
        )
        for source, name in columns[:1]
    )


def _responses(row: Row) -> Iterator[Response]:
    best = row.best
    yield Response(row.id, best, best is not None and not row.declined, row.confidence, repeat=row.repeat)
    for rank, text in enumerate(row.given[1:], 2):
        if text.strip(WHITE):
            yield Response(row.id, text, True, None, rank, repeat=row.repeat)


# ---- tables ----


OwnGold = dict[str, dict[str, tuple[str, ...]]]  # by run and question


def _own_gold(first: Mapping[str, Row], rows: Sequence[Row], options: ReadOptions, notes: list[Note]) -> OwnGold:
    """Return the gold answers of runs that have others than the first row of the question, which a note counts.

    Raises FormatError where it is another question, or where only one of the two has any answer.
    """
    gold: OwnGold = {}
    others = [row for row in rows if row.answers != first[row.id].answers]
    by_first = options.choose.get("gold") is not None
    if by_first:
        choose(options, "gold", ["first"], "gold answers of questions on which runs differ")
    for row in others:
        known = first[row.id]
        source, at = known.where
        place = f"{source.label}, {locate(source, at)}"
        if normalise(row.question) != normalise(known.question) and not {*row.answers} & {*known.answers}:
            raise fail(row.where, f"question {row.id!r} is a different question from the one in {place}", row.question)
        if not by_first and bool(row.answers) != bool(known.answers):
            rule = f"question {row.id!r} has different gold answers from those in {place}, where it has "
            rule += "none" if row.answers else "some"
            raise fail(
                row.where, f"{rule}; {opt('choose', {'gold': 'first'})} takes those", " | ".join(row.answers) or None
            )
        gold.setdefault(row.run, {})[row.id] = row.answers
    if others:
        one = others[0]
        notes.append(
            note(
                OTHER_GOLD,
                "{questions} of {total:n question} {questions:has/have} gold answers that differ between runs:"
                " {first:every run is judged by those read first/each run is judged by its own "
                f"({opt('choose', {'gold': 'first'})}"
                " takes the first for all)}; in {question!r}, run {run!r} has {own!r} where {other!r} has {known!r}",
                questions=len({row.id for row in others}),
                total=len(first),
                first=by_first,
                question=one.id,
                run=one.run,
                own=" | ".join(one.answers),
                other=first[one.id].run,
                known=" | ".join(first[one.id].answers),
            )
        )
    return {} if by_first else gold


def _questions(rows: Sequence[Row], options: ReadOptions, notes: list[Note]) -> tuple[dict[str, Question], OwnGold]:
    """Return the questions, with the columns that have one short text for each of them, and the gold answers of runs
    that differ."""
    first: dict[str, Row] = {}
    for row in rows:
        first.setdefault(row.id, row)
    gold = _own_gold(first, rows, options, notes)
    unsteady = {name for row in rows for name, value in row.labels.items() if first[row.id].labels.get(name) != value}
    unsteady |= {name for row in rows for name, value in row.labels.items() if len(value) > LONGEST_LABEL}
    wanted = [name for row in first.values() for name in row.labels if name not in unsteady]
    kept = options.kept(dict.fromkeys(wanted))
    questions = {
        name: Question(
            name,
            row.question,
            row.answers,
            answerable=row.answerable,
            strata={label: row.labels.get(label, "") for label in kept},
        )
        for name, row in first.items()
    }
    return questions, gold


def _by_people(
    rows: Sequence[Row], questions: Mapping[str, Question], sources: Sequence[Source], options: ReadOptions
) -> Iterator[Graded]:
    if not any(row.verdict for row in rows):
        raise UsageError(
            f"{opt('choose', {'judge': 'human'})}: {sources[0].label} holds no verdicts of people ({', '.join(PEOPLE)})"
        )
    for row in rows:
        state, why = _verdict(row, options)
        answerable = 1 if questions[row.id].answerable else 0
        strata, path = questions[row.id].strata, row.where[0].label
        yield Graded(row.run, row.id, state, row.confidence, why=why, strata=strata, path=path, answerable=answerable)


def _verdict(row: Row, options: ReadOptions) -> tuple[int, str | None]:
    if row.best is None:
        return SILENT, "no answer"
    if row.declined:
        return SILENT, "declined"
    if declined(options, row.best):
        return SILENT, SAID_SO
    if row.verdict is None:
        return NOT_GRADED, "not judged by people"
    state = MEANINGS.get(options.outcome_map.get(row.verdict, ""), state_of(row.verdict))
    if state is None:
        raise fail(
            row.where,
            f"people's verdict must be yes or no ({opt('outcome_map', of='WORD=OUTCOME')} adds words)",
            row.verdict,
        )
    return state, "not judged by people" if state == NOT_GRADED else "declined" if state == SILENT else None
