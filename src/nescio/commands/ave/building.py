"""Collections of answers to be validated, from the answers of QA systems and people's verdicts on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack, get_args

from msgspec.structs import replace

from nescio.commands.places import check_file, listed
from nescio.data.model import Question, Verdict
from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED
from nescio.data.results import Results
from nescio.data.signature import sign
from nescio.errors import MismatchError, UsageError
from nescio.formats import Unjudged
from nescio.formats.benchmarks.ave.reader import write_exercise
from nescio.formats.native.judgements import read_judgements
from nescio.judging import Human
from nescio.judging.human import human
from nescio.pipeline import Options, OutcomeMapOption, check_names, read
from nescio.stats.parallel import Progress, halves
from nescio.tasks.ave import building
from nescio.tasks.ave.building import RULES, Rule

LONGEST = 700  # characters of a supporting text, as in 2007
_VERDICTS = {CORRECT: Verdict.RIGHT, INCORRECT: Verdict.WRONG}
VerdictOf = Callable[[str, str, str], Verdict | None]  # of a run, a question and an answer


def build(
    source: Any,
    output: Path | str,
    *,
    judgements: Path | str | None = None,
    verdict: str | None = None,
    language: str | None = None,
    longest: int = LONGEST,
    without: Sequence[Rule] = (),
    test_set: bool = False,
    systems: bool = False,
    progress: Progress | None = None,
    **options: Unpack[OutcomeMapOption],
) -> Results:
    """Write a collection of the answers of QA systems, and count what is in it and what was discarded.

        runs = ["runs/mine.jsonl", "runs/old.jsonl", "runs/other.jsonl"]
        nescio.ave.build(["questions.jsonl", *runs], "collection.xml", judgements="judged.csv", language="EN")

    `source` are questions and runs that answer them; `output` is the collection (.xml). `judgements` is a table of
    people's verdicts, `verdict` its column where its name does not tell, and the option `outcome_map` says what words
    in it mean; without it all answers are UNKNOWN. `language` is that of questions that do not say it; `longest` the
    characters of a supporting text at most; `without` names rules that are not applied. A `test_set` has no values;
    with `systems` it says whose answer each is. `progress` hears how many questions are done, half for sifting their
    answers and half for writing them.

    Raises UsageError for options that make no sense, MismatchError where nothing is left to validate.
    """
    check_names(build, options, ("outcome_map",))
    items, output = listed(source), Path(output)
    check_file(output, "a collection", (".xml",), [*items, *([judgements] if judgements else [])])
    if unknown := [rule for rule in without if rule not in RULES]:
        raise UsageError(f"--without-rule takes {', '.join(get_args(Rule))} (found {unknown[0]!r})")
    rules = [rule for rule in RULES if rule not in without]
    result = read(items, Options(**options), gold=False)
    if not isinstance(result.data, Unjudged):
        raise MismatchError(f"{items[0]} and the runs are already judged; give questions and unjudged answers")
    verdict_of, people, notes = _verdicts(result.data, judgements, verdict, options.get("outcome_map", {}))
    offers = building.offers(result.data.runs, verdict_of)
    questions = _in_language(result.data.collection.questions, language)
    sifting, writing = halves(progress)
    built = building.build(questions, offers, name=output.stem, rules=rules, longest=longest, progress=sifting)
    notes = [*result.notes, *notes, *(people.said_of_stale() if people else ())]
    if not built.exercise.candidates:
        raise MismatchError("no answer is left to validate; the rules discarded all of them, or there was none")
    lost = write_exercise(built.exercise, output, values=not test_set, systems=systems, progress=writing)
    notes += built.notes
    if lost:
        notes.append(
            note("ave.not_xml", "{characters} characters that XML cannot hold were written as U+FFFD", characters=lost)
        )
    return Results(
        tuple(building.counts(built.exercise, built.available)),
        sign(ave="build", rules="+".join(rules), longest=longest),
        tuple(notes),
        "counts",
        {"discarded": building.tally(built, rules)},
    )


def _in_language(questions: Iterable[Question], language: str | None) -> list[Question]:
    """Say the language of questions that do not say it."""
    if not language:
        return list(questions)
    return [replace(question, strata={"language": language, **question.strata}) for question in questions]


def _verdicts(
    data: Unjudged, judgements: Path | str | None, column: str | None, words: Mapping[str, str]
) -> tuple[VerdictOf, Human | None, list[Note]]:
    """Make a function that looks up people's verdicts; give the people that it asks, and notes."""
    if judgements is None:
        return (
            (lambda *_: None),
            None,
            [note("ave.no_judgements", "there are no judgements, so all answers are UNKNOWN")],
        )
    labels, notes = read_judgements(Path(judgements), words, column, inexact=NOT_GRADED)
    people, more = human(labels, [run.name for run in data.runs], [one.id for one in data.collection.questions])

    def verdict_of(run: str, question: str, answer: str) -> Verdict | None:
        label = people.label(run, question, answer)
        return None if label is None else _VERDICTS.get(label.state)

    return verdict_of, people, [*notes, *more]
