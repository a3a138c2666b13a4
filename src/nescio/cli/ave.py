"""nescio ave: the Answer Validation Exercise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nescio.cli import _app, _validate
from nescio.data.notes import Note, note
from nescio.errors import MismatchError, UsageError

if TYPE_CHECKING:
    from nescio.data.signature import Signature
    from nescio.judging import Human
    from nescio.pipeline import Loaded
    from nescio.tasks.ave.exercise import Exercise

OVER_ANSWERS = ("ave.F", "ave.precision", "ave.recall")
OVER_QUESTIONS = ("ave.qa_accuracy", "ave.normalized_qa_accuracy")
FILE = click.Path(path_type=Path)


@click.group("ave", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Answer validation: collections from the answers of QA systems, validators and their scores.

    Which answers are right, and supported by their texts? A collection is XML in the format of the Answer Validation Exercise 2007: questions, and answers with their supporting
    texts. A validator accepts or rejects each answer, and selects at most one a question.

    \b
    nescio ave build questions.jsonl runs/*.jsonl --judgements judged.csv -o collection.xml
    nescio ave score collection.xml validator.txt --ranking outcomes.csv
    nescio ave baselines collection.xml
    """


# ---- build ----


@command.command("build")
@click.argument("questions", type=FILE)
@click.argument("runs", nargs=-1, required=True, type=FILE, metavar="RUN...")
@click.option("-o", "--output", required=True, type=FILE, help="The collection to write (.xml).")
@click.option(
    "--judgements",
    type=FILE,
    help="A table of verdicts: question, run or answer, and R, W, X, U or words for them. Without it all are UNKNOWN.",
)
@click.option("--verdict", metavar="COLUMN", help="The column of the verdict, where several could be it.")
@click.option(
    "--outcome-map", "words", multiple=True, metavar="WORD=OUTCOME", help="Read WORD as correct or incorrect."
)
@click.option("--language", metavar="EN", help="The language of questions that do not say it in a field `language`.")
@click.option(
    "--longest",
    type=click.IntRange(min=0),
    default=700,
    show_default=True,
    help="Characters of a supporting text at most.",
)
@click.option(
    "--without-rule",
    "without",
    multiple=True,
    metavar="RULE",
    help="Do not apply RULE: declined, nil, void, long, duplicate or contained. Repeatable.",
)
@click.option("--test-set", is_flag=True, help="Write the collection without its values.")
@click.option("--systems", is_flag=True, help="Write whose answer each is, in an attribute that AVE does not have.")
@_app.TABLE_OR_JSON
def build_(questions: Path, runs: tuple[Path, ...], output: Path, printed: str, **given: Any) -> None:
    """Make a collection from QUESTIONS and the answers of QA systems, and print its counts.

    A RUN is JSON Lines of {"id", "answer", "support", "doc"}. NIL, void and declined answers and those whose support is longer than
    700 characters are discarded first; then answers that repeat another one of their question, and answers whose words stand
    in a row within a longer one. R becomes VALIDATED, W and U REJECTED, X (inexact) and unjudged answers UNKNOWN: no measure
    over answers reads these. (To `nescio judge` and to --ranking an inexact answer is a wrong one, as in QA's main track.)

    \b
    nescio ave build questions.jsonl runs/*.jsonl --judgements judged.csv --language EN -o collection.xml
    nescio judge questions.jsonl runs/*.jsonl -o judged.csv       # judgements by a judge, where no one looked
    """
    from nescio.data.results import Results
    from nescio.data.signature import sign
    from nescio.formats.benchmarks.ave.reader import write_exercise
    from nescio.tasks.ave import building

    if output.suffix.lower() != ".xml":
        raise UsageError(f"{output}: a collection is written to .xml (found {output.suffix!r})")
    judged = [given["judgements"]] if given["judgements"] else []
    _app.check_place(output, [questions, *runs, *judged])
    rules = [rule for rule in building.RULES if rule not in given["without"]]
    if unknown := [rule for rule in given["without"] if rule not in building.RULES]:
        raise UsageError(f"--without-rule takes {', '.join(building.RULES)} (found {unknown[0]!r})")
    asked, offers, people, notes = _offers(questions, runs, given)
    built = building.build(asked, offers, name=output.stem, rules=rules, longest=given["longest"])
    notes += people.said_of_stale() if people else []
    if not built.exercise.candidates:
        raise MismatchError("no answer is left to validate: the rules discarded all of them, or there was none")
    lost = write_exercise(built.exercise, output, values=not given["test_set"], systems=given["systems"])
    notes = [*notes, *built.notes]
    if lost:
        notes.append(
            note("ave.not_xml", "{characters} characters that XML cannot hold were written as U+FFFD", characters=lost)
        )
    line = sign(ave="build", rules="+".join(rules), longest=given["longest"])
    counted = Results(tuple(building.counts(built.exercise, built.available)), line, tuple(notes), "counts")
    _app.notes(notes)
    _app.emit(_with(counted, discarded=building.tally(built, rules)), printed, None)
    _app.say(f"wrote {output}")


def _offers(
    questions: Path, runs: tuple[Path, ...], given: dict[str, Any]
) -> tuple[Any, Any, Human | None, list[Note]]:
    """The questions, the answers offered to them with people's verdicts, these people, and notes."""
    from dataclasses import replace

    from nescio.formats import Unjudged
    from nescio.pipeline import Options
    from nescio.pipeline import read as read_answers
    from nescio.tasks.ave import building

    read = read_answers([questions, *runs], Options(), gold=False)
    if not isinstance(read.data, Unjudged):
        raise MismatchError(f"{questions} and the runs are judged already: give questions and the answers to them")
    asked = list(read.data.collection.questions)
    if given["language"]:
        asked = [replace(one, strata={"language": given["language"], **one.strata}) for one in asked]
    verdict, people, notes = _verdicts(read.data, given)
    return asked, building.offers(read.data.runs, verdict), people, [*read.notes, *notes]


def _verdicts(data: Any, given: dict[str, Any]) -> tuple[Any, Human | None, list[Note]]:
    """A function from run, question and answer to their verdict, the people that it asks, and notes."""
    from nescio.data.model import Verdict
    from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED
    from nescio.formats.native.judgements import read_judgements
    from nescio.judging.human import human

    if given["judgements"] is None:
        return (lambda *_: None), None, [note("ave.no_judgements", "there are no judgements: all answers are UNKNOWN")]
    words = _app.reading({"words": given["words"]})["outcome_map"]
    labels, notes = read_judgements(given["judgements"], words, given["verdict"], inexact=NOT_GRADED)
    people, more = human(labels, [run.name for run in data.runs], [one.id for one in data.collection.questions])
    known = {CORRECT: Verdict.RIGHT, INCORRECT: Verdict.WRONG}

    def verdict(run: str, question: str, answer: str) -> Verdict | None:
        label = people.label(run, question, answer)
        return None if label is None else known.get(label.state)

    return verdict, people, [*notes, *more]


# ---- score ----


@command.command("score")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="COLLECTION RESPONSES...")
@_app.MEASURES
@click.option("--by", metavar="COLUMN", help="Break the scores down by `language`.")
@click.option(
    "--ci", default="95", show_default=True, metavar="LEVEL|none", help="The level of the intervals in percent."
)
@click.option(
    "--ranking",
    "systems",
    multiple=True,
    type=FILE,
    help="Judged answers of QA systems: an outcome table, people's verdicts (run, question, verdict), or whatever `nescio score` reads. They are ranked with the validators. Repeatable.",
)
@click.option("--roc", type=FILE, help="Write the points of the ROC curves to FILE (.csv, .json …).")
@click.option(
    "--choose",
    "choices",
    multiple=True,
    metavar="NAME=VALUE",
    help="confidence=decision where the confidence of a REJECTED answer is in its being wrong.",
)
@_app.resampling_options
@_app.output_options
def score_(files: tuple[Path, ...], measures: tuple[str, ...], printed: str, output: Path | None, **given: Any) -> None:
    """Precision, recall, F and AUC over answers, and what the selection is worth over questions.

    A response has a line an answer: q_id a_id SELECTED|VALIDATED|REJECTED confidence. At most one answer of a question is
    SELECTED, and one is where any is VALIDATED. Intervals resample questions with their answers. With --ranking, QA systems
    and validators are ranked by QA accuracy, with Perfect selection and Random among them.

    \b
    nescio ave score collection.xml validator.txt
    nescio ave score collection.xml validator.txt --ranking outcomes.csv --roc roc.csv
    nescio ave score pairs2006.xml answers.txt                    # pair_id YES|NO confidence
    """
    from nescio.pipeline import Options, load
    from nescio.scoring.score import score

    systems, roc, ci = given.pop("systems"), given.pop("roc"), _app.level(given.pop("ci"))
    for path in (output, roc):
        _app.check_output(path, [*files, *systems])
    options = Options(format_in="ave", **_app.reading(given))
    loaded = load(list(files), options)
    if "view" in options.choose:
        raise UsageError("--choose view=… is for `nescio score`; this command looks at answers and at the selection")
    ranked: tuple[Any, ...] = ()
    if systems:
        loaded, ranked = _rank(loaded, files, systems)
    with _app.progress("scoring") as progress:
        scores = score(loaded, list(measures) or None, ci=ci, progress=progress, **given)
    if roc:
        _write_roc(loaded, roc, scores.signature)
    _app.notes(scores.notes)
    _app.emit(_with(scores, ranking=ranked) if ranked else scores, printed, output)


def _rank(loaded: Loaded, files: tuple[Path, ...], systems: tuple[Path, ...]) -> tuple[Loaded, tuple[Any, ...]]:
    """The validators with the QA systems beside them, and their ranking."""
    from dataclasses import replace

    from nescio.data.evidence import Evidence
    from nescio.tasks.ave.baselines import ranking, with_systems

    exercise = _exercise(files)
    judged = _systems(systems)
    if not isinstance(judged.data, Evidence) or not isinstance(loaded.data, Evidence):
        raise MismatchError(
            "a counts table has no questions; QA systems are ranked by their outcomes on the collection's"
        )
    data, notes = with_systems(exercise, loaded.data, judged.data)
    merged = replace(loaded, data=data, notes=(*loaded.notes, *judged.notes, *notes))
    return merged, tuple(ranking(exercise, data, judged.data.runs))


def _systems(files: tuple[Path, ...]) -> Loaded:
    """QA systems by their outcomes, or by people's verdicts on their answers."""
    from dataclasses import replace

    from nescio.data.outcomes import UNGRADED_LEFT_OUT, Policies, settle
    from nescio.formats.native.judgements import holds_verdicts, read_outcomes
    from nescio.pipeline import Loaded, Options, load

    if all(holds_verdicts(file) for file in files):
        outcomes, notes = read_outcomes(files)
        data, more = settle(outcomes, Policies(missing="unanswered", ungraded="exclude"))
        found = Loaded(data, (*notes, *more))
    else:
        found = load(list(files), Options(missing="unanswered", ungraded="exclude"))
    # An answer without a grade is not left out of a ranking: `with_systems` counts it.
    return replace(found, notes=tuple(each for each in found.notes if each.code != UNGRADED_LEFT_OUT))


def _exercise(files: tuple[Path, ...]) -> Exercise:
    """The collection among the files; raises MismatchError where it is AVE 2006's, which has no questions to answer."""
    from nescio.formats import open_source
    from nescio.formats.benchmarks.ave.reader import COLLECTION, read_exercise, recognise

    sources = [open_source(file) for file in files]
    found = [source for source in sources if recognise(source) == COLLECTION]
    if not found:
        raise MismatchError("AVE 2006's pairs are not grouped by question, so that nothing is selected and ranked")
    return read_exercise(found[0])


def _write_roc(loaded: Loaded, path: Path, line: Signature) -> None:
    from nescio.data.evidence import Evidence
    from nescio.data.results import Results
    from nescio.reporting import tables
    from nescio.tasks.ave.exercise import roc

    assert isinstance(loaded.data, Evidence)
    points = roc(loaded.data)
    if not points:
        raise MismatchError("no run has a ROC curve: it takes confidences, and both right and wrong answers")
    tables.write(Results(tuple(points), line, (), "roc"), path)
    _app.say(f"wrote {path}")


# ---- baselines ----


@command.command("baselines")
@click.argument("collection", type=FILE)
@click.option(
    "--ci", default="95", show_default=True, metavar="LEVEL|none", help="The level of the intervals in percent."
)
@_app.resampling_options
@_app.output_options
def baselines_(collection: Path, printed: str, output: Path | None, ci: str, **given: Any) -> None:
    """What systems that look at nothing reach on COLLECTION, and what perfect selection does.

    100% VALIDATED accepts every answer and selects one at random, 50% VALIDATED accepts one half: by formula, and as one run
    drawn with --seed each. The counts of the collection, as in the paper's Tables 1 and 2, follow.

    \b
    nescio ave baselines collection.xml
    """
    from nescio.data.results import Score, Scores
    from nescio.formats import open_source
    from nescio.formats.benchmarks.ave.reader import COLLECTION, PAIRS, read_exercise, read_pairs, recognise
    from nescio.scoring.score import score
    from nescio.tasks.ave import baselines as reference
    from nescio.tasks.ave.building import counts

    _app.check_output(output, [collection])
    source = open_source(collection)
    kind = recognise(source)
    if kind not in (COLLECTION, PAIRS):
        raise UsageError(f"{collection} is no collection of AVE: XML with answers (a, a_str), or pairs (pair, t, h)")
    exercise = read_exercise(source) if kind == COLLECTION else reference.of_pairs(read_pairs(source))
    measures = (*OVER_ANSWERS, *OVER_QUESTIONS) if kind == COLLECTION else OVER_ANSWERS
    data, notes = reference.baselines(exercise, given["seed"])
    drawn = score(data, list(measures), ci=_app.level(ci), **given)
    size = {row.measure: row.n for row in drawn}
    rows = [
        Score(row.run, name, getattr(row, name.removeprefix("ave.")), None, None, size[name])
        for row in reference.expected(exercise)[:2]
        for name in measures
    ]
    found = Scores((*rows, *drawn.rows), drawn.signature, (*notes, *drawn.notes), "scores")
    _app.notes(found.notes)
    _app.emit(_with(found, counts=tuple(counts(exercise))) if kind == COLLECTION else found, printed, output)


def _with(results: Any, **more: tuple[Any, ...]) -> Any:
    from dataclasses import replace

    return replace(results, more={**results.more, **more})


# ---- validate, table12 ----

command.add_command(_validate.validate)
command.add_command(_validate.table12)
