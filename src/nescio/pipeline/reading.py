"""Read paths and tables with the reader of their format, before judging and policies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, overload

from msgspec.structs import replace

from nescio import formats
from nescio.data.joined_runs import join_runs, notes_on_joined
from nescio.data.kept import changed_in, stated_by
from nescio.data.model import Collection, Response, Run
from nescio.data.notes import Note, note
from nescio.data.outcomes import MEANINGS, PARTIAL, SAID_SO, Outcomes
from nescio.data.reasons import settle
from nescio.errors import FormatError, MismatchError, NescioError, UsageError, opt, shorten
from nescio.formats import Choices, Declined, ReadOptions, ReadResult, SourceRole, Unjudged
from nescio.memory import memory_limit
from nescio.options.edge import Progress, bar
from nescio.pipeline.options import Options
from nescio.pipeline.qa_systems import beside_a_task
from nescio.pipeline.recognition import (
    OWN_RUN,
    TABLE,
    SeveralFormatsError,
    by_format,
    only_questions,
    open_files,
    recognise,
    silence_reader,
)
from nescio.pipeline.saved import in_effect
from nescio.sources.source import Source
from nescio.sources.workbooks import SeveralSheetsError
from nescio.tables.asking import AskedError, Way
from nescio.tables.judgements import OWN_PARTS
from nescio.tables.responses import read_runs
from nescio.tables.rest import with_rest
from nescio.tables.trying import counts_of

_BY_ROWS = ("lines", "delimited", "parquet")  # kinds of files whose readers report progress
_TEXTS_NAMED = 5  # the most texts named among those that --declined-pattern matched


def read(
    items: Sequence[Any],
    options: Options | None = None,
    *,
    gold: bool = True,
    runs: bool = True,
    judging: bool = False,
    supports: bool = True,
) -> ReadResult:
    """Return the content of files or tables. An answer that only says "I do not know" becomes an abstention.

    If not `gold`, questions need no gold answers, because people judge. If not `runs`, there may be questions without
    runs. `judging` means that answers must be unjudged. If not `supports`, the supports of answers are left out, which
    saves time. Raises FormatError, MismatchError, UnknownNameError or UsageError.
    """
    options = options or Options()
    with options.holding(), memory_limit(options.memory_limit), sheet_asked(items, options):
        return _read_all(items, options, gold=gold, runs=runs, judging=judging, supports=supports)


@contextmanager
def sheet_asked(items: Sequence[Any], options: Options) -> Iterator[None]:
    """Replace the error that a workbook has several sheets, if it occurs in this context, by a question to the user.

    The user is asked which sheet to read, and sees the counts of outcomes in each sheet. If no sheet can be read, the
    error stays.
    """
    try:
        yield
    except SeveralSheetsError as error:
        raise _which_sheet(items, options, error) from None


def _which_sheet(items: Sequence[Any], options: Options, error: SeveralSheetsError) -> FormatError:
    ways: list[Way] = []
    for sheet in error.sheets:
        try:
            data = read(items, options.but(sheet=sheet)).data
        except AskedError as asked:
            ways += [Way({"sheet": sheet, **way.options}, way.counts, way.questions) for way in asked.executed]
        except NescioError:
            continue
        else:
            outcomes = _judged(data) if isinstance(data, Unjudged) else data
            counts = counts_of(outcomes) if isinstance(outcomes, Outcomes) else ()
            ways.append(Way({"sheet": sheet}, *counts))
    if not ways:
        return error
    question = f"{len(error.sheets)} sheets have cells: which one is the table?"
    return AskedError.of_ways(str(error.path), question, ways)


def _read_all(
    items: Sequence[Any], options: Options, *, gold: bool, runs: bool, judging: bool, supports: bool
) -> ReadResult:
    options, remembered = in_effect(options, items)
    judging = judging or not gold or options.judging
    sources, notes = open_files(items)
    if options.beside:
        here = {name for source in sources for name in source.columns}
        ours = {name: c for name, c in options.column.items() if name not in OWN_PARTS}
        column = {name: c for name, c in ours.items() if c in here or c not in options.beside}
        options = options.but(column=column)
    notes = (*notes, *remembered)
    try:
        format_, parts = recognise(sources, options.format_in, options.column)
    except SeveralFormatsError as error:
        return _read_each(sources, options, notes, error)
    return read_parts(format_, parts, options, notes, gold=gold, runs=runs, judging=judging, supports=supports)


def _read_each(
    sources: Sequence[Source], options: Options, notes: tuple[Note, ...], error: SeveralFormatsError
) -> ReadResult:
    """Return the content of files in several formats, each group of one format read by itself.

    Their runs are joined on the questions that they share, and QA systems are joined with the validators of a task. If
    the files cannot be joined, MismatchError has the text of `error`.
    """
    read = []
    for group in by_format(sources, options.column):
        format_, parts = recognise(group, options.format_in)
        if only_questions(format_, parts):
            raise MismatchError(f"{error}; runs that answer questions must be JSON Lines with id and answer") from None
        format_options = options.but(column={name: c for name, c in options.column.items() if name in format_.columns})
        format_options = format_options.but(choose={} if format_.name == TABLE else options.choose)
        read.append(read_parts(format_, parts, format_options.but(written=True)))  # Digests show changed questions.
    outcomes = [result.data for result in read if isinstance(result.data, Outcomes)]
    if not outcomes or len(outcomes) < len(read) - 1:
        raise MismatchError(str(error)) from None
    named = (*(options.strata or ()), *([options.cluster] if options.cluster else []))
    about = ", and ".join(result.about for result in read)
    try:
        joined = join_runs(outcomes, named) if len(outcomes) > 1 else outcomes[0]
        if not all(data.judges for data in outcomes) and not any(
            result.format == TABLE and result.data.judges for result in read if isinstance(result.data, Outcomes)
        ):
            joined = replace(joined, judges=())  # A file that cannot state its judge is no reason to doubt the others.
        beside = None if len(outcomes) == len(read) else beside_a_task(read, joined)
    except MismatchError as why:
        raise MismatchError(f"{error}: {why}") from None
    notes = (*notes, *notes_on_joined(outcomes))
    if len(outcomes) > 1 and joined.words is not None:
        notes = (*notes, *changed_in(joined.runs, joined.questions, joined.words))
    if beside is not None:
        return replace(beside, notes=(*beside.notes, *notes), about=about)
    if len(outcomes) < len(read):
        raise MismatchError(str(error)) from None
    every = tuple(remark for result in read for remark in result.notes)
    return ReadResult(joined, (*every, *notes), format=read[0].format, about=about)


def read_parts(
    format_: formats.Format,
    parts: Sequence[SourceRole],
    options: Options,
    notes: tuple[Note, ...] = (),
    *,
    gold: bool = True,
    runs: bool = True,
    judging: bool = False,
    supports: bool = True,
) -> ReadResult:
    """Return the content of files of a known format; `parts` are the files with their roles in the format."""
    declined, choices = Declined(options.declined_pattern, silence_reader()), Choices(options.choose)
    read_options = replace(_read_options(options, choices, declined), gold=gold, judging=judging, supports=supports)
    with _watched(parts, bar("reading")) as watched:
        alone = not runs and only_questions(format_, parts)
        if alone and format_.collection:
            collection, reading_notes = format_.collection(watched, read_options)
            result = ReadResult(Unjudged(collection, ()), reading_notes)
        else:
            try:
                result = _read(format_, watched, read_options)
            except AskedError:
                _check_choices(choices, format_)  # Otherwise no command in the message would run.
                raise
    _check_choices(choices, format_)
    if gold and not alone and isinstance(result.data, Unjudged):
        _need_gold(result.data.collection, parts)
    if options.declined_pattern:
        if isinstance(result.data, Unjudged):
            result = replace(result, data=_apply_declined_patterns(result.data, declined))
        notes = (*notes, _declined_note(opt("declined_pattern"), declined.matched))
    if declined.worded:
        notes = (*notes, _declined_note(opt("refusals"), declined.worded))
    notes = (*notes, *_silence_notes(declined))
    if options.total is not None and not isinstance(result.data, Outcomes):
        rule = "needs answers that are right or wrong, which these files do not say; give a row for each question"
        raise UsageError(f"{opt('total', options.total)} {rule}")
    if isinstance(result.data, Outcomes):
        data = result.data
        if options.total is not None and format_.name != TABLE:  # The table format knows the total already.
            data, noted = with_rest(data, parts[0][1], options.total, options.rest, result.notes)
            result = replace(result, notes=tuple(noted))
        if format_.name != TABLE:
            notes = (*notes, *_without_grades(options.outcome_map, str(parts[0][1].label)))
        data = replace(data, words=stated_by(data.words, format_.name))
        settled, more = settle(data, options.no_answer)
        result = replace(result, data=settled, notes=(*result.notes, *more))
    elif isinstance(result.data, Unjudged):
        result = replace(result, data=replace(result.data, no_answer=options.no_answer))
    return replace(result, notes=(*result.notes, *notes), format=format_.name, about=format_.about)


def _without_grades(outcome_map: Mapping[str, str], path: str) -> Iterator[Note]:
    """Yield a note on each kind of grade that the user gave to words, and that only tables can hold."""
    if PARTIAL in outcome_map.values():
        yield note("reading.partial", "partial answers count as incorrect, because only tables distinguish them")
    graded = {word: to for word, to in outcome_map.items() if to not in MEANINGS}
    if graded:
        yield note(
            "reading.worth",
            "{subject}: {ignored} is ignored, because only tables give a word a grade",
            path,
            ignored=opt("outcome_map", graded),
        )


def _read_options(options: Options, choices: Choices, declined: Declined) -> ReadOptions:
    """Return the user's options in the form that the readers of formats take.

    `choices` and `declined` record which choices and which declined patterns a reader used.
    """
    strata = options.strata
    if strata is not None and options.cluster:
        strata = (*strata, options.cluster)
    return ReadOptions(
        {word: to for word, to in options.outcome_map.items() if to in MEANINGS},
        strata,
        options.graded,
        choices,
        declined,
        certain=bool(options.format_in),
        texts=options.texts,
        column=options.column,
        duplicates=options.duplicates,
        declined_right=options.declined_right,
        refusals=options.refusals,
        total=options.total,
        rest=options.rest,
        worths={word: float(to) for word, to in options.outcome_map.items() if to not in MEANINGS},
        no_answer=options.no_answer,
        judge=options.judge,
        told=frozenset(options.given),
        judged=_judged,
        people=options.people,
        written=options.written,
        scores_alone=options.scores_alone,
    )


def _judged(unjudged: Unjudged) -> Outcomes:
    """Return the answers as outcomes, judged by the judge that suits them.

    If nescio asks the user how to read a table, it shows these outcomes for each possible reading.
    """
    from nescio.pipeline.judging import judge

    data = judge(ReadResult(unjudged)).data
    assert isinstance(data, Outcomes)
    return data


def _check_choices(choices: Choices, format_: formats.Format) -> None:
    """Raise UsageError if the user chose something (--choose) for which this format offers no choice."""
    for name in choices:
        if name not in choices.asked:
            there = ", ".join(choices.asked)
            can = f"in these files you can choose {there}" if there else "nothing can be chosen"
            raise UsageError(f"{opt('choose')} {name}: there is no such choice in {format_.about}; {can}")


@contextmanager
def _watched(parts: Sequence[SourceRole], watch: Progress | None) -> Iterator[Sequence[SourceRole]]:
    """Yield the files with their roles, as a context in which reading their rows reports progress to `watch`.

    At the end, also after an error, the progress is reported as complete.
    """
    total = sum(s.path.stat().st_size for _, s in parts if s.path and s.kind in _BY_ROWS and s.path.is_file())
    if watch is None or not total:
        yield parts
        return
    done = 0

    def tick(more: int) -> None:
        nonlocal done
        done += more
        watch(min(done, total), total)

    try:
        yield [(part, replace(source, tick=tick)) for part, source in parts]
    finally:
        watch(total, total)


def _read(format_: formats.Format, parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Return the content of the files. Errors name a compressed file, and not the unpacked copy that was read."""
    try:
        if any(part == OWN_RUN for part, _ in parts):
            return _read_beside(format_, parts, options)
        return format_.read(parts, options)
    except FormatError as error:
        for _, source in parts:
            if source.packed and error.path == str(source.path):
                raise FormatError(source.label, error.rule, where=error.where, value=error.value) from None
        raise


def _read_beside(format_: formats.Format, parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Return a collection of any format, with runs in nescio's own JSON Lines.

    Runs in the format of the collection are added if there are any.
    """
    assert format_.collection is not None
    own_runs = [source for part, source in parts if part == OWN_RUN]
    rest = [(part, source) for part, source in parts if part != OWN_RUN]
    collection, notes = format_.collection(rest, options)
    ids = {question.id for question in collection.questions}
    runs, files, unread = read_runs(own_runs, ids, supports=options.supports, graded=options.graded)
    notes = (*notes, *unread)
    if not any(part == "answers" for part, _ in rest):
        return ReadResult(Unjudged(collection, runs, files), notes)
    beside = format_.read(rest, options)
    if not isinstance(beside.data, Unjudged) or {q.id for q in beside.data.collection.questions} != ids:
        raise MismatchError(
            f"runs of {format_.name} and runs in JSON Lines name the questions differently; score them separately"
        )
    names = {run.name for run in beside.data.runs}
    if twice := next((run.name for run in runs if run.name in names), None):
        raise MismatchError(f"run {twice!r} appears in two files")
    both = Unjudged(collection, (*beside.data.runs, *runs), (*beside.data.files, *files))
    return replace(beside, data=both, notes=(*beside.notes, *unread))


def read_collection(items: Sequence[Any], options: ReadOptions | None = None) -> tuple[Collection, tuple[Note, ...]]:
    """Return the questions of a collection, with their stories and options, for a system that answers them.

    Also return notes. Raises FormatError, MismatchError or UsageError, as `read` does.
    """
    sources, passed = open_files(items)
    format_, parts = recognise(sources)
    if format_.collection is None:
        raise UsageError(f"{parts[0][1].label} is {format_.about}, which has no questions to answer")
    collection, notes = format_.collection(parts, options or ReadOptions(gold=False))
    return collection, (*notes, *passed)


def _need_gold(collection: Collection, parts: Sequence[SourceRole]) -> None:
    """Raise MismatchError if no question has a gold answer, since every answer would then be wrong."""
    if any(q.answers or q.answerable is False or q.accepted is not None for q in collection.questions):
        return
    named = ", ".join(str(source.label) for _, source in parts[:3])
    rule = "no question has a gold answer; give the file with the gold answers too"
    raise MismatchError(f"{rule} ({named}{' and others' if len(parts) > 3 else ''})")


def _apply_declined_patterns(data: Unjudged, declined: Declined) -> Unjudged:
    """Return data in which each answer that matches a declined pattern is an abstention without a candidate."""

    def silenced(run: Run) -> Run:
        matched = [
            i
            for i, response in enumerate(run.responses)
            if response.answer is not None and declined.matches(response.answer)
        ]
        if not matched:
            return run
        responses = _Silenced(run.responses, frozenset(matched))
        return replace(run, responses=tuple(responses) if isinstance(run.responses, tuple) else responses)

    return replace(data, runs=tuple(map(silenced, data.runs)))


@dataclass(frozen=True, slots=True, eq=False)
class _Silenced(Sequence[Response]):
    """The responses of a run, in which those with an index in `declined` are abstentions."""

    responses: Sequence[Response]
    declined: frozenset[int]

    def __len__(self) -> int:
        return len(self.responses)

    @overload
    def __getitem__(self, at: int) -> Response: ...
    @overload
    def __getitem__(self, at: slice) -> list[Response]: ...
    def __getitem__(self, at: int | slice) -> Response | list[Response]:
        places = range(len(self))[at]
        if isinstance(places, range):
            return [self[i] for i in places]
        return self._settled(places, self.responses[places])

    def __iter__(self) -> Iterator[Response]:
        return (self._settled(i, response) for i, response in enumerate(self.responses))

    def _settled(self, at: int, response: Response) -> Response:
        return replace(response, answer=None, answered=False, why=SAID_SO) if at in self.declined else response


def _silence_notes(declined: Declined) -> Iterator[Note]:
    """Yield a note for each file in which wrong answers read like abstentions."""
    if not declined.wrong:
        return
    from nescio.judging.declined.silence import SilenceReader, silence_note

    for file, wrong in declined.wrong.items():
        reader = SilenceReader()
        if texts := Counter({text: times for text, times in wrong.items() if reader.silence(text)}):
            yield silence_note(texts, reader, subject=file)


def _declined_note(flag: str, texts: Counter[str]) -> Note:
    """Return a note on the answers that count as unanswered because of the option `flag`, keyed by text."""
    if not texts:
        return note("pipeline.declined_none", "{flag} matched no answer", flag=flag)
    matched = [(shorten(text), times) for text, times in texts.most_common(_TEXTS_NAMED)]
    others = len(texts) - len(matched)
    return note(
        "pipeline.declined",
        "{flag}: {answers:n answer} counted as unanswered ({matched:each %s %d×}{more})",
        flag=flag,
        answers=texts.total(),
        matched=matched,
        more=f" and {others} other texts" if others else "",
    )
