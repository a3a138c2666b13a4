"""Reading comprehension: systems that answer questions about stories, and their marks, as `nescio read`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

from msgspec import Struct
from msgspec.structs import replace

from nescio.commands.answers import Answered
from nescio.commands.places import check_file, listed
from nescio.data.notes import Note, note
from nescio.data.results import Scores
from nescio.errors import MismatchError, names_nearest
from nescio.formats import ReadResult, Unjudged
from nescio.formats.folder_writer import write_lines
from nescio.meta.comparability import LEAST_RUNS, comparability
from nescio.pipeline import Options, ReadingOptions, apply, check_names, judge, read, read_collection
from nescio.scoring import score as scoring
from nescio.sources.writing import whole
from nescio.stats.parallel import Progress
from nescio.systems import reading
from nescio.systems.reading.deep_read import Switch
from nescio.systems.reading.marking import suited_judge
from nescio.tasks.reading.marks import answer_sentences
from nescio.text import plural

__all__ = ["answer", "key", "score"]


class KeyWritten(Struct, frozen=True):
    """What `key` wrote: how many questions have a sentence that matches their key, of how many; the rest can have no
    AutSent."""

    output: Path
    matched: int
    questions: int
    notes: tuple[Note, ...] = ()

    def __str__(self) -> str:
        ceiling = self.matched / self.questions if self.questions else float("nan")
        return (
            f"wrote {self.output}: {self.matched:,} of {plural(self.questions, 'question')} have a sentence that "
            f"matches their key, so that no run can have more AutSent than {ceiling:.3f}"
        )


@names_nearest
def answer(
    source: Any,
    output: Path | str,
    *,
    system: str,
    switches: Sequence[Switch] = (),
    threshold: float = 0.0,
    by_sentence: bool = False,
    seed: int = 0,
) -> Answered:
    """Answer questions about stories by one of the systems, and write the run.

        print(nescio.read.answer("developset", "run.jsonl", system="deep-read"))

    `source` is a collection with its stories, `output` the run (.jsonl); `nescio.systems.reading.SYSTEMS` has the
    systems. It declines below `threshold`, and keeps the candidate. `switches` are Deep Read's; with `by_sentence` a
    sentence of the story is the answer where there are options, too. Raises UnknownNameError for a system or a switch,
    UsageError for a threshold outside [0, 1], MismatchError for a question that the system cannot answer.
    """
    items, output = listed(source), Path(output)
    check_file(output, "a run", (".jsonl",), items)
    collection, notes = read_collection(items)
    run = reading.answer(collection, system, threshold, switches=switches, by_sentence=by_sentence, seed=seed)
    reading.write_run(run, output)
    answered = sum(response.answered for response in run.responses)
    return Answered(run.name, answered, len(run.responses), output, notes)


@names_nearest
def key(source: Any, output: Path | str, *, keep_pronouns: bool = False) -> KeyWritten:
    """Write out the key of AutSent: of each question the sentences of its story with the highest word recall.

        print(nescio.read.key(["questions.jsonl", "stories.jsonl"], "autsent.jsonl"))

    `source` is a collection with its stories and its key; `output` is JSON Lines of {"id", "sentences", "texts"}, with
    sentences counted from 0, all that tie, and none where nothing in the story matches. `keep_pronouns` counts personal
    and possessive pronouns as content words. Raises MismatchError for a question without a story or a key.
    """
    items, output = listed(source), Path(output)
    check_file(output, "a key", (".jsonl",), items)
    collection, notes = read_collection(items)
    rows = []
    for question in collection.questions:
        if not question.story or (not question.answers and question.answerable is not False):
            raise MismatchError(f"question {question.id!r} has no {'key' if question.story else 'story'}")
        sentences = sorted(answer_sentences(question.story, question.answers, keep_pronouns))
        rows.append({"id": question.id, "sentences": sentences, "texts": [question.story[i] for i in sentences]})
    with whole(output) as draft:
        write_lines(draft, rows)
    return KeyWritten(output, sum(bool(row["sentences"]) for row in rows), len(rows), notes)


def score(
    source: Any,
    measures: Sequence[str] | str | None = None,
    *,
    by: str | None = None,
    keep_pronouns: bool = False,
    correlations: bool = False,
    ci: float | None = 95.0,
    resamples: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    **options: Unpack[ReadingOptions],
) -> Scores:
    """Mark runs on a collection of stories: word recall and precision, HumSent and AutSent; c@1 where questions have
    options.

        nescio.read.score(["developset", "run.jsonl"], by="question_word")

    `source` is a collection with its key, and runs. `keep_pronouns` counts personal and possessive pronouns as content
    words; `correlations` also says how the measures correlate over the runs. Other arguments as in `nescio.score`.
    Raises NescioError: UsageError for what is judged already, and for `keep_pronouns` beside a judge.
    """
    check_names(score, options)
    scoring.check_resampling(ci, resamples, jobs, seed)
    graded = tuple(name for measure in scoring.parse_all(measures, None) for name in measure.user_columns)
    reading: dict[str, Any] = {"strata": None if by else (), "graded": graded, **options}
    read_options = Options(**reading)
    result = read(listed(source), read_options)
    name, suited = suited_judge(result, read_options.judge, keep_pronouns=keep_pronouns)
    loaded = apply(judge(result, name), replace(read_options, judge=name))
    drawn: dict[str, Any] = {"resamples": resamples, "seed": seed, "jobs": jobs, "progress": progress}
    scores = scoring.score(loaded, measures or suited, by=by, ci=ci, **drawn)
    scores = replace(scores, notes=(*scores.notes, *_ceiling(result, scores)))
    return _with_correlations(scores) if correlations else scores


def _ceiling(result: ReadResult, scores: Scores) -> list[Note]:
    """Note what HumSent can be at most: a question of which people accept no sentence cannot be won."""
    if not isinstance(result.data, Unjudged) or all(row.measure != "read.HumSent" for row in scores):
        return []
    lists = [question.accepted for question in result.data.collection.questions if question.accepted is not None]
    empty = sum(not accepted for accepted in lists)
    if not empty:
        return []
    return [
        note(
            "read.ceiling",
            "people accept no sentence as an answer to {empty} of {total} questions, so that no run can have more "
            "HumSent than {ceiling:.3f}",
            empty=empty,
            total=len(lists),
            ceiling=1 - empty / len(lists),
        )
    ]


def _with_correlations(scores: Scores) -> Scores:
    """Add how the measures correlate over the runs, and a note where there are too few of these."""
    runs, notes = len({row.run for row in scores}), list(scores.notes)
    if runs < LEAST_RUNS:
        notes.append(
            note(
                "read.few_runs",
                "correlations over runs need {least} runs or more, but there {runs:is/are} only {runs}, so they are "
                "undefined",
                least=LEAST_RUNS,
                runs=runs,
            )
        )
    return replace(scores, tables={"correlations": comparability(scores)}, notes=tuple(notes))
