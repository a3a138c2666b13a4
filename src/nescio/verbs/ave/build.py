"""Make a collection from QUESTIONS and the answers of QA systems, and print its counts.

A RUN is JSON Lines of {"id", "answer", "support", "doc"}. First, NIL, void and declined answers and answers with more
than 700 characters of support are discarded. Then duplicate answers and answers contained in a longer answer to the
same question are discarded.

R becomes VALIDATED; W and U become REJECTED; X (inexact) and unjudged answers become UNKNOWN. Measures over answers
ignore UNKNOWN. (For `nescio judge` and --ranking, an inexact answer is wrong, as in QA's main track.)

\b
nescio ave build questions.jsonl runs/*.jsonl --judgements judged.csv --language EN -o collection.xml
nescio ave build questions.jsonl runs/mine.jsonl -o mine.xml
nescio judge questions.jsonl runs/*.jsonl -o judged.csv   # if nobody judged yet
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from nescio.data.model import Question, Verdict, first_of_each
from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED
from nescio.data.results import Results
from nescio.data.signature import sign
from nescio.errors import MismatchError
from nescio.formats import Unjudged
from nescio.judging import Human
from nescio.judging.human import human
from nescio.options import argument, option, verb
from nescio.pipeline import Options, read
from nescio.pipeline.options import OUTCOME_MAP
from nescio.stats.parallel import split_progress
from nescio.tables.judgements import read_judgements
from nescio.tasks.ave import building
from nescio.tasks.ave.building import LONGEST, RULES, Counts, Rule
from nescio.tasks.ave.reader import write_exercise
from nescio.verbs._output_paths import check_file
from nescio.verbs._shared import OWN_FILES, Worked

_VERDICTS = {CORRECT: Verdict.RIGHT, INCORRECT: Verdict.WRONG}
VerdictOf = Callable[[str, str, str, int], Verdict | None]  # maps a run, a question, an answer and its rank


class BuildRequest(Worked):
    """The options of `nescio ave build`."""

    source: Any = argument(
        kw_only=False,
        kind=OWN_FILES,
        argument=True,
        metavar="QUESTIONS RUN...",
        help="Questions, and runs that answer the questions.",
    )
    output: Path | str = argument(
        kw_only=False, flags=("-o", "--output"), metavar="FILE", help="The collection to write (.xml)."
    )
    judgements: Path | str | None = option(
        default=None,
        reads=True,
        metavar="FILE",
        help="A table of verdicts. Its columns: question; run or answer; rank if it is not 1; R, W, X, U or words for "
        "these. A verdict without the text of an answer holds for one rank only. Without the table, all answers are "
        "UNKNOWN.",
    )
    verdict: str | None = option(
        default=None,
        metavar="COLUMN",
        needs="judgements",
        help="The column with the verdict, if several columns could hold it.",
    )
    outcome_map: Mapping[str, str] = OUTCOME_MAP
    language: str | None = option(
        default=None, metavar="EN", help="The language of questions without a field `language`."
    )
    longest: int = option(default=LONGEST, low=0, help="The maximum number of characters in a supporting text.")
    without: Sequence[Rule] = option(
        default=(),
        flags=("--without-rule",),
        metavar="RULE",
        help="Do not apply RULE: declined, nil, void, long, duplicate or contained.",
    )
    first_of: str | None = option(
        default=None,
        metavar="COLUMN",
        help="Keep only the first question of each value of COLUMN. Use this if the later questions build on "
        "the first.",
    )
    test_set: bool = option(default=False, help="Write the collection without the judgements (`value`).")
    systems: bool = option(
        default=False, help="Also write the system of each answer, in an attribute that AVE's format does not have."
    )


@verb(BuildRequest, working="building", prints="json")
def build(request: BuildRequest) -> Results[Counts]:
    output = Path(request.output)
    check_file(output, "a collection", (".xml",), request.inputs())
    rules = [rule for rule in RULES if rule not in request.without]
    result = read(request.source, Options(outcome_map=request.outcome_map), gold=False)
    if not isinstance(result.data, Unjudged):
        raise MismatchError(
            f"{request.source[0]} and the runs have verdicts already; give questions, and answers without verdicts"
        )
    verdict_of, people, notes = _verdicts(result.data, request)
    questions: Sequence[Question] = result.data.collection.questions
    remarks = []
    if request.first_of:
        questions, left_out = first_of_each(questions, request.first_of)
        remarks.append(left_out)
    stated = {"language": request.language} if request.language else {}
    questions = [replace(question, strata={**stated, **question.strata}) for question in questions]
    ids = {question.id for question in questions}
    offers = (
        offer for offer in building.offers(result.data.runs, verdict_of) if not remarks or offer.question_id in ids
    )
    sifting, writing = split_progress(request.progress)
    built = building.build(questions, offers, name=output.stem, rules=rules, longest=request.longest, progress=sifting)
    notes = [*result.notes, *remarks, *notes, *(people.said_of_stale() if people else ())]
    if not built.exercise.candidates:
        raise MismatchError("no answer is left to validate; the rules discarded all answers, or there were none")
    lost = write_exercise(
        built.exercise, output, values=not request.test_set, systems=request.systems, progress=writing
    )
    notes += built.notes
    if lost:
        notes.append(
            note("ave.not_xml", "{characters} characters that XML cannot hold were written as U+FFFD", characters=lost)
        )
    return Results(
        tuple(building.counts(built.exercise)),
        sign(ave="build", rules="+".join(rules), longest=request.longest),
        tuple(notes),
        "counts",
        {"discarded": building.tally(built, rules)},
        wrote=(f"wrote {output}",),
    )


def _verdicts(data: Unjudged, request: BuildRequest) -> tuple[VerdictOf, Human | None, list[Note]]:
    """Return a function that looks up people's verdicts, the people who gave them, and notes."""
    if request.judgements is None:
        unjudged = note("ave.no_judgements", "there are no judgements, so all answers are UNKNOWN")
        return (lambda *_: None), None, [unjudged]
    judgements, words = Path(request.judgements), request.outcome_map
    labels, notes = read_judgements(judgements, words, request.verdict, inexact=NOT_GRADED, by_key=True)
    people, more = human(
        labels, [run.name for run in data.runs], [question.id for question in data.collection.questions]
    )

    def verdict_of(run: str, question: str, answer: str, rank: int) -> Verdict | None:
        label = people.label(run, question, answer, rank=rank)
        return None if label is None or label.empty else _VERDICTS.get(label.state, Verdict.INEXACT)

    return verdict_of, people, [*notes, *more]
