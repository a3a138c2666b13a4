"""Judge answers that nobody has judged yet, so that they become outcomes."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from msgspec.structs import replace

from nescio.data.changed_questions import words_digest
from nescio.data.columns import Array
from nescio.data.judge_record import JudgeRecord
from nescio.data.kept import in_each_run, stated_by
from nescio.data.notes import Note, note
from nescio.data.outcomes import ABSENT, CORRECT, SILENT, Outcomes
from nescio.data.reasons import settle
from nescio.errors import UsageError, opt
from nescio.formats import ReadResult, Unjudged
from nescio.options.edge import Progress

if TYPE_CHECKING:
    from nescio import judging
    from nescio.judging import Judge


def judge(
    read: ReadResult,
    by: str | Judge | None = None,
    resources: judging.Resources | None = None,
    watch: Progress | None = None,
) -> ReadResult:
    """Return `read` with its answers judged. Data that are judged already are returned unchanged.

    `by` is the judge. Without `by`, the benchmark prescribes the judge, or else nescio takes the one that suits the
    answers. `watch` is called with the number of answers judged so far. Raises UsageError if `by` is given and the data
    are judged.
    """
    data = read.data
    if not isinstance(data, Unjudged):
        if by is not None:
            raise UsageError(
                f"{opt('judge')} is for answers that are not judged yet, but this is {read.about}; leave the option out"
            )
        return read
    from nescio import judging

    name = by if by is not None else data.judge or judging.default_judge(data.collection)
    ready = judging.known(name, resources) if isinstance(name, str) else name
    doubts = judging.Doubts(ready, chosen=by is not None)
    outcomes, notes = judging.judge_runs(data.collection, data.runs, ready, data.files, watch, doubts=doubts)
    outcomes, more = settle(outcomes, data.no_answer)
    notes = (*notes, *more)
    if by is None:
        notes = (judging.default_note(ready), *notes)
    return replace(
        read,
        data=replace(
            outcomes,
            extra_columns={**outcomes.extra_columns, **data.extra_columns},
            words=_words(data, outcomes, read.format),
        ),
        notes=(*read.notes, *notes, *_gold_in_doubt(data, outcomes)),
        measures=read.measures or judging.first_measures(ready.record),
        judges=(ready.record,),
        judged_here=True,
        texts=read.texts or data,
    )


def _words(data: Unjudged, outcomes: Outcomes, form: str) -> Array | None:
    """Return the digests of the question and its gold answers for each answer, which a written file keeps."""
    asked = {question.id: words_digest(question.asked, question.gold) for question in data.collection.questions}
    words = in_each_run([asked.get(question) for question in outcomes.questions], len(outcomes.runs))
    words[outcomes.state == ABSENT] = None
    return stated_by(words, form)


def _gold_in_doubt(data: Unjudged, outcomes: Outcomes) -> tuple[Note, ...]:
    """Return a note if no answer matches a gold answer, and several questions have the same gold answers.

    The gold answers may in that case be something else, such as categories.
    """
    golds = [question.answers for question in data.collection.questions if question.answers]
    several = {text for answers in golds for text in answers}
    if any(question.options for question in data.collection.questions):
        return ()  # A test with options has few distinct answers.
    if (outcomes.state == CORRECT).any() or (outcomes.state == SILENT).all() or not len(several) < len(golds):
        return ()
    return (
        note(
            "judging.gold_in_doubt",
            f"no answer is right, and {{questions:n question}} {{questions:has/have}} only "
            f"{{golds:n gold answer}} ({{texts:list 3}}). If these are not gold answers, name the column "
            f"of gold answers with {opt('column', of='gold=COLUMN')}",
            questions=len(golds),
            golds=len(several),
            texts=sorted(several)[:4],
        ),
    )


def judges_of(read: ReadResult, only: Collection[str] = ()) -> tuple[JudgeRecord, ...]:
    """Return the judges of the answers: nescio's judge, if it was used, and those that the files name.

    The result is empty if no judge is known. `only` names the runs whose judges are returned, if they are known.
    """
    judges = read.data.known_judges if isinstance(read.data, Outcomes) else ()
    if judges and isinstance(read.data, Outcomes) and only and {*only} <= {*read.data.runs}:
        judges = read.data.take_runs([read.data.runs.index(run) for run in only]).known_judges
    return tuple(dict.fromkeys((*read.judges, *judges)))
