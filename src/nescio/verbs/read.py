"""Answer reading-comprehension questions about stories, and score the answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.data.results import Scores
from nescio.errors import MismatchError
from nescio.formats import ReadResult, Unjudged
from nescio.formats.folder_writer import write_lines
from nescio.meta_evaluation.comparability import LEAST_RUNS, comparability
from nescio.options import Request, argument, option, verb
from nescio.options.kinds import NAMES
from nescio.pipeline import Options, apply, judge, read, read_collection
from nescio.reporting.figures import draw
from nescio.scoring import score as scoring
from nescio.sources.writing import atomic_write
from nescio.tasks.ave import validator
from nescio.tasks.ave.reader import write_exercise
from nescio.tasks.reading import systems as reading
from nescio.tasks.reading.marks import answer_sentences
from nescio.tasks.reading.systems.deep_read import SWITCHES, Switch
from nescio.tasks.reading.systems.loop import exercise
from nescio.tasks.reading.systems.marking import suited_judge
from nescio.text import plural
from nescio.verbs._answers import Answered
from nescio.verbs._figures import Figured, figure_of
from nescio.verbs._output_paths import check_file
from nescio.verbs._shared import (
    OWN_FILES,
    BrokenDown,
    Measured,
    Reading,
    Resampled,
    Seeded,
    WithOrWithoutInterval,
    Worked,
)


class OfStories(Request):
    """The options for a collection of stories."""

    source: Any = argument(
        kw_only=False,
        kind=OWN_FILES,
        argument=True,
        metavar="FILES...",
        help="A collection with its stories; see above.",
    )


class KeepingPronouns(Request):
    """The option that says whether pronouns count when sentences are compared."""

    keep_pronouns: bool = option(default=False, help="Count personal and possessive pronouns as content words.")


class AnswerRequest(Seeded, OfStories):
    """The options of `nescio read answer`."""

    output: Path | str = argument(
        kw_only=False, flags=("-o", "--output"), metavar="FILE", help="The run to write (.jsonl)."
    )
    system: str = argument(
        kw_only=False,
        metavar="NAME",
        complete=lambda: list(reading.SYSTEMS),
        help="The system: deep-read, sliding-window, window-distance, word-distance, option-overlap, "
        "sentence-overlap or random.",
    )
    switches: Sequence[Switch] = option(
        default=(),
        kind=NAMES,
        flags=("--switch",),
        complete=lambda: SWITCHES,
        help="Turn on a part of deep-read: Stem, Name, Filt, Pro, or Sem (which needs WordNet).",
    )
    wordnet: Path | str | None = option(default=None, metavar="FOLDER", help="WordNet's folder, for the switch Sem.")
    threshold: float | None = option(
        default=None,
        low=0,
        high=1,
        help="Abstain below this confidence (0 to 1). The declined answer stays in the file as a candidate.",
        default_words="0; with a validator, the validator's threshold for c@1",
    )
    validate: Path | str | None = option(
        default=None,
        reads=True,
        metavar="MODEL",
        help="A validator that `nescio ave validate train` wrote. The system proposes candidates until the "
        "validator accepts one.",
    )
    by_sentence: bool = option(default=False, help="Answer with a sentence of the story, even if there are options.")


@verb(AnswerRequest, prints="")
def answer(request: AnswerRequest) -> Answered:
    """Answer questions about stories and write a run.

    FILES are a collection: questions.jsonl with stories.jsonl (a question names its story in the field `story`; a story
    is {"id", "sentences": [...]}), an MCTest .tsv, a QA4MRE test (.xml), or a folder of CBC stories. If questions
    have options, the answer is one of them; otherwise it is a sentence of the story.

    \b
    nescio read answer questions.jsonl stories.jsonl --system window-distance --threshold 0.5 -o run.jsonl
    nescio read answer test.tsv --system sliding-window -o test-run.jsonl
    nescio read answer developset/ --system deep-read --switch Stem --switch Name -o run.jsonl

    With --validate, the system proposes its next candidate whenever the validator rejects one. If no candidate is left,
    the question stays unanswered. `nescio read candidates` makes the collection for training such a validator.

    \b
    nescio read candidates questions.jsonl stories.jsonl -o candidates.xml
    nescio ave validate train candidates.xml -o model.json
    nescio read answer questions.jsonl stories.jsonl --system deep-read --validate model.json -o loop.jsonl
    """
    output = Path(request.output)
    check_file(output, "a run", (".jsonl",), request.inputs())
    collection, notes = read_collection(list(request.source))
    how = {name: getattr(request, name) for name in ("switches", "by_sentence", "seed", "wordnet")}
    trained = None if request.validate is None else validator.load(Path(request.validate))
    run = reading.answer(collection, request.system, request.threshold, validator=trained, **how)
    reading.write_run(run, output)
    answered = sum(response.answered for response in run.responses)
    return Answered(run.name, answered, len(run.responses), output, notes)


class CandidatesWritten(Struct, frozen=True):
    """The result of `candidates`: the numbers of candidates, of right ones, and of questions."""

    output: Path
    candidates: int
    right: int
    questions: int
    notes: tuple[Note, ...] = ()

    def __str__(self) -> str:
        return (
            f"wrote {self.output}: {plural(self.candidates, 'candidate')} for {plural(self.questions, 'question')}, "
            f"{self.right:,} of them right"
        )


class CandidatesRequest(OfStories):
    """The options of `nescio read candidates`."""

    output: Path | str = argument(
        kw_only=False, flags=("-o", "--output"), metavar="FILE", help="The collection to write (.xml)."
    )
    by_sentence: bool = option(
        default=False, help="Take the sentences of the story as candidates, even if there are options."
    )


@verb(CandidatesRequest, prints="")
def candidates(request: CandidatesRequest) -> CandidatesWritten:
    """Write all candidate answers as a collection for validators (AVE 2007).

    FILES are a collection with its stories and its key. The candidates are the options of a question, or else the
    sentences of its story, each with the sentence that supports it best. Right candidates are the options of the key,
    and the sentences that people accept or, if no such list exists, the sentences of AutSent.

    \b
    nescio read candidates questions.jsonl stories.jsonl -o candidates.xml
    nescio ave validate train candidates.xml -o model.json
    """
    output = Path(request.output)
    check_file(output, "a collection", (".xml",), request.inputs())
    collection, notes = read_collection(list(request.source))
    if request.by_sentence:
        collection = replace(collection, questions=tuple(replace(q, options=()) for q in collection.questions))
    made = exercise(collection)
    write_exercise(made, output)
    right = sum(candidate.right for candidate in made.candidates)
    return CandidatesWritten(output, len(made.candidates), right, len(made.questions), notes)


class KeyWritten(Struct, frozen=True):
    """The result of `nescio read key`: the number of questions with a sentence that matches their key, and of all.

    A question without such a sentence can have no AutSent.
    """

    output: Path
    matched: int
    questions: int
    notes: tuple[Note, ...] = ()

    def __str__(self) -> str:
        ceiling = self.matched / self.questions if self.questions else float("nan")
        return (
            f"wrote {self.output}: {self.matched:,} of {plural(self.questions, 'question')} have a sentence "
            f"that matches the key, so the highest possible AutSent is {ceiling:.3f}"
        )


class KeyRequest(KeepingPronouns, OfStories):
    """The options of `nescio read key`."""

    output: Path | str = argument(
        kw_only=False, flags=("-o", "--output"), metavar="FILE", help="The key to write (.jsonl)."
    )


@verb(KeyRequest, prints="")
def key(request: KeyRequest) -> KeyWritten:
    """Write the key of AutSent: for each question, the sentences with the highest word recall.

    FILES are a collection with its stories and its key, as for `nescio read answer`. A question with no sentence that
    matches the key can never be right, so the command also prints the highest AutSent that a run can reach.

    \b
    nescio read key questions.jsonl stories.jsonl -o autsent.jsonl

    The key is JSON Lines of {"id", "sentences", "texts"}, with sentences counted from 0. It lists all sentences that
    tie, and none if no sentence of the story matches.
    """
    output = Path(request.output)
    check_file(output, "a key", (".jsonl",), request.inputs())
    collection, notes = read_collection(list(request.source))
    rows = []
    for question in collection.questions:
        if not question.story or (not question.answers and question.answerable is not False):
            raise MismatchError(f"question {question.id!r} has no {'key' if question.story else 'story'}")
        sentences = sorted(answer_sentences(question.story, question.answers, request.keep_pronouns))
        rows.append({"id": question.id, "sentences": sentences, "texts": [question.story[i] for i in sentences]})
    with atomic_write(output) as draft:
        write_lines(draft, rows)
    return KeyWritten(output, sum(bool(row["sentences"]) for row in rows), len(rows), notes)


class MarkRequest(Figured, Reading, Resampled, WithOrWithoutInterval, KeepingPronouns, BrokenDown, Measured, Worked):
    """The options of `nescio read score`."""

    source: Any = argument(
        kw_only=False,
        kind=OWN_FILES,
        argument=True,
        metavar="FILES...",
        help="A collection with its key, and runs; see above.",
    )
    correlations: bool = option(default=False, help="Also print how the measures correlate over the runs.")


@verb(MarkRequest, working="scoring")
def score(request: MarkRequest) -> Scores:
    """Score runs by word recall and precision, HumSent and AutSent, or c@1 if questions have options.

    FILES are a collection with its key and the runs that answer it: a folder of CBC stories (or its files) with
    .response or .jsonl runs, MCTest's .tsv and .ans with .jsonl runs, QA4MRE's gold with its runs, questions.jsonl with
    stories.jsonl and runs. Questions about one story are resampled together. AutSent needs the stories, and HumSent
    needs the sentences that people accept.

    \b
    nescio read score developset/ student-run.response run.jsonl --by question_word
    nescio read score test.tsv test.ans test-run.jsonl -m c@1
    nescio read score developset/ run.jsonl --figure scores.svg

    --figure draws a line per measure over the runs, in the order of the files, as Figure 3 of the Deep Read paper does.
    """
    path = figure_of(request, request.inputs())
    wanted = scoring.parse_all(request.measures, None)
    graded = tuple(name for measure in wanted for name in measure.user_columns)
    options = Options(strata=None if request.by else (), graded=graded, **request.values(Reading))
    result = read(list(request.source), options)
    labels = [measure.label for measure in wanted]
    name, suited = suited_judge(result, options.judge, keep_pronouns=request.keep_pronouns, measures=labels)
    loaded = apply(judge(result, name), options.but(judge=name))
    how = request.values(WithOrWithoutInterval, BrokenDown, Resampled, Worked)
    scores = scoring.compute_scores(loaded, request.measures or suited, **how)
    scores = replace(scores, notes=(*scores.notes, *_ceiling(result, scores)))
    if request.correlations:
        runs = len({row.run for row in scores})
        few = note(
            "read.few_runs",
            "correlations over runs are undefined: they need {least} runs or more (found {runs})",
            least=LEAST_RUNS,
            runs=runs,
        )
        notes = scores.notes if runs >= LEAST_RUNS else (*scores.notes, few)
        scores = replace(scores, tables={"correlations": comparability(scores)}, notes=notes)
    if path is None:
        return scores
    spots = [(row.measure, row.run, row.value) for row in sorted(scores.rows, key=lambda row: row.measure)]
    return replace(scores, wrote=(draw(path, spots, "run", "score"),))


def _ceiling(result: ReadResult, scores: Scores) -> list[Note]:
    """Return a note on the largest HumSent that any run can reach.

    If people accept no sentence of a story for a question, no run can be right on it.
    """
    if not isinstance(result.data, Unjudged) or all(row.measure != "read.HumSent" for row in scores):
        return []
    lists = [question.accepted for question in result.data.collection.questions if question.accepted is not None]
    empty = sum(not accepted for accepted in lists)
    if not empty:
        return []
    return [
        note(
            "read.ceiling",
            "people accept no sentence as an answer to {empty} of {total:n question}, so the highest possible "
            "HumSent is {ceiling:.3f}",
            empty=empty,
            total=len(lists),
            ceiling=1 - empty / len(lists),
        )
    ]
