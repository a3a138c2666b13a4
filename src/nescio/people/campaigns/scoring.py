"""Score the runs of a campaign by the measures of its task, in all and per topic, and make the tables of the papers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict, astuple, replace

from nescio.comparison.comparing import compare
from nescio.comparison.leaderboard import score as leaderboard_of
from nescio.comparison.ranks import Rank
from nescio.data.assessed import COLUMNS
from nescio.data.evidence import Evidence
from nescio.data.notes import Note, note
from nescio.data.outcomes import SILENT
from nescio.data.results import Comparisons, Scores
from nescio.data.signature import sign
from nescio.errors import MismatchError, MissingColumnError, UsageError
from nescio.formats.folder_writer import write_lines
from nescio.measures import parse
from nescio.options.edge import Progress
from nescio.people.campaigns import group_tables, layouts
from nescio.people.campaigns.assessors import check_asked, outstanding
from nescio.people.campaigns.entries import ScoringPlan
from nescio.people.campaigns.evidence import RIGHTLY, WORDS, JudgedRuns, judged_runs, with_key, without_runs
from nescio.people.campaigns.facts import agreement_table, facts
from nescio.people.campaigns.folder import KEY, RANKINGS, RESULTS, Campaign, decoded, put, renewed, step
from nescio.people.campaigns.freshness import SCORING, done, inputs, refuse_old_pool
from nescio.people.campaigns.group_tables import ScoredRuns
from nescio.people.campaigns.judgements import read_judgements
from nescio.people.campaigns.layouts import Table
from nescio.people.campaigns.log import read_log
from nescio.people.campaigns.pooling import RunContents, read_pool, read_runs
from nescio.people.campaigns.ranking import Ranked, keep, ranked, rankings
from nescio.people.campaigns.receipts import read_receipts, unnamed_groups
from nescio.people.campaigns.retyped import guarded
from nescio.people.campaigns.screens import sentence_items
from nescio.people.campaigns.settings import SETTINGS
from nescio.people.campaigns.sheet_times import left_in_sheets
from nescio.people.campaigns.topics import Part
from nescio.reporting import tables
from nescio.reporting.page.graded import earned
from nescio.sources.json import as_text
from nescio.sources.writing import csv_text
from nescio.tables.outcomes_writer import guard, write_outcomes
from nescio.tables.questions_writer import response_row, story_names, topic_row
from nescio.tasks.ave.reader import OVER_ANSWERS
from nescio.tasks.nuggets.scoring import is_vital
from nescio.text import plural, sanitize

DATA = "data.json"
LISTED = "reading.hum_sent"  # the column of a score that counts the sentences which people listed
UNMARKED = f"Ties not marked; the tests of all pairs are in {RESULTS}/, comparisons.csv."


class TopicScore(Struct, frozen=True):
    """A run's result on one topic: outcome, verdict, and the value of the first measure on this topic.

    The value is None if it is undefined.
    """

    question: str
    run: str
    group: str
    language: str
    outcome: str
    verdict: str
    measure: str
    score: float | None
    answer: str

    @property
    def answered(self) -> bool:
        """Return whether the run gave an answer, whatever the answer earned."""
        return self.outcome not in (WORDS[SILENT], RIGHTLY)


class Scored(Struct, frozen=True):
    """The result of `score`: the scores in each language ("" for all), and comparisons of the runs.

    There are comparisons only if there are two runs or more. `rankings` has the names that the log gives to the copied
    outcomes of QA systems. `unnamed` has the groups whose accepted runs are left out, because `campaign.toml` does not
    name them; results and site do not mention these groups. `left` says which sheets hold what nobody collected.
    """

    folder: Path
    scores: Mapping[str, Scores]
    comparisons: Mapping[str, Comparisons]
    tables: tuple[str, ...]
    after: str
    rankings: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    def __str__(self) -> str:
        runs = sum(len({row.run for row in scores}) for scores in self.scores.values())
        lines = [f"wrote {self.folder}: {plural(runs, 'run')}, {plural(len(self.tables), 'table')}"]
        if self.unnamed:
            groups = ", ".join(self.unnamed)
            why = "because campaign.toml does not name the group"
            lines.append(f"note: the accepted runs of {groups} are left out, {why}")
        return "\n".join([*lines, *(f"note: {sanitize(remark)}" for remark in self.left), f"next: {self.after}"])


def score(
    campaign: Path | str,
    *,
    ranking: Sequence[Path | str] = (),
    ci: float | None = 95.0,
    resamples: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Scored:
    """Score every run that counts, and write `results/`: scores, tests, per-topic scores, and the tables of the papers.

    If judgements of an answer differ, the rule of the campaign decides. R, W, X and U are counted separately, and only
    R is right. Answers that no person judged are judged by the key, if `campaign.toml` names a judge or all questions
    have options. `ranking` names files with outcomes of QA systems, which are ranked together with the validators of
    AVE. Other arguments as in `nescio.score`. Raises UsageError if no run was accepted, and MismatchError if answers
    are in dispute, if nobody judged them, or if questions or runs are newer than the pool.
    """
    how = ScoringPlan(tuple(map(str, ranking)), ci, resamples, seed)
    with step(campaign) as opened:
        refuse_old_pool(opened)
        check_asked(opened, read_log(opened))
        read = inputs(opened, SCORING)
        with renewed(opened / RESULTS) as draft:
            scored = write_results(opened, draft, how, jobs=jobs, progress=progress)
        done(opened, SCORING, read, {**asdict(how), "ranking": [*scored.rankings]})
        unnamed, left = unnamed_groups(opened, read_receipts(opened)), left_in_sheets(opened)
    return replace(scored, folder=opened / RESULTS, unnamed=tuple(unnamed), left=tuple(left))


def write_results(
    campaign: Campaign, draft: Path, how: ScoringPlan, *, jobs: int = 1, progress: Progress | None = None
) -> Scored:
    """Write all results of a campaign into a new folder; raises the errors that `score` describes."""
    ranking, ci, resamples, seed = how.ranking, how.ci, how.resamples, how.seed
    drawn: dict[str, Any] = {"resamples": resamples, "seed": seed, "jobs": jobs}
    settings = campaign.settings
    if ranking and settings.task != "ave":
        raise UsageError("a ranking compares QA systems with validators, so it is only for the task ave")
    contents = read_runs(campaign, progress)
    if not contents.runs:
        raise UsageError("no run was accepted yet, so there is nothing to score; nescio campaign intake accepts runs")
    every: list[ScoredRuns] = []  # those without a run too
    compared: dict[str, Comparisons] = {}
    for part in contents.topics.parts.values():
        judged = judged_runs(contents, part)
        if judged is None:
            every.append((without_runs(contents, part), Scores((), sign())))
            continue
        if parse(judged.measures[0]).declaration.descriptive:
            raise UsageError(
                f"the measures in {SETTINGS} begin with {judged.measures[0]}, by which no run is better than another; "
                "put a measure that ranks runs first"
            )
        try:
            scores = leaderboard_of(judged.loaded, list(judged.measures), ci=ci, progress=progress, **drawn)
        except MissingColumnError as error:  # whose advice names options that campaigns lack
            rule = str(error).partition(";")[0]
            raise UsageError(f"{rule}; name measures that fit the task {settings.task} in {SETTINGS}") from None
        if scores.why_unmarked and len(judged.runs) > 1:
            scores = replace(scores, why_unmarked=UNMARKED)
        every.append((judged, scores))
        if len(judged.runs) > 1:
            first = [judged.measures[0]]
            compared[part.language] = compare(judged.loaded, first, ci=ci or 95.0, progress=progress, **drawn)
    outcomes = rankings([judged for judged, _ in every], ranking)
    validators = ranked([judged for judged, _ in every], outcomes) if settings.task == "ave" else []
    ranks = {language: rows.tables.get("ranks", ()) for language, rows in compared.items()}
    listed = [facts(contents), *_tables(contents, every, validators, ranks)]
    listed += [table for table in [agreement_table(contents, resamples, seed, ci)] if table.rows]
    late = (*outstanding(campaign, read_pool(campaign)), *_without_runs(every))
    late = (*late, *_unused_sentences(campaign, [judged for judged, _ in every]))
    noted = {validator.judged.part.language: validator.notes for validator in validators}
    parts = [
        (judged, replace(scores, notes=(*scores.notes, *noted.get(judged.part.language, ()), *late)))
        for judged, scores in every
        if judged.runs
    ]
    _write(draft, campaign, parts, compared, listed)
    keep(outcomes, draft / PurePosixPath(RANKINGS).name)
    if settings.task in ("qa", "reading"):
        _write_answers(draft, contents, parts)
    _write_sentences(draft, campaign, contents.topics.parts.values())
    scored = {judged.part.language: scores for judged, scores in parts}
    after = f"nescio campaign publish {campaign.typed}"
    kept = tuple(file.kept for file in outcomes)
    return Scored(draft, scored, compared, tuple(table.name for table in listed), after, kept)


def _without_runs(parts: Sequence[ScoredRuns]) -> Iterator[Note]:
    """Yield a note on the languages without an accepted run."""
    if lacking := [judged.part.language for judged, _ in parts if not judged.runs]:
        yield note("campaign.without_runs", "no run was accepted for {languages:list}", languages=lacking)


def _tables(
    contents: RunContents,
    parts: Sequence[ScoredRuns],
    validators: Sequence[Ranked],
    ranks: Mapping[str, Sequence[Rank]],
) -> list[Table]:
    settings = contents.campaign.settings
    languages = contents.topics.split_by(settings.languages)
    listed = [group_tables.participants(settings, contents.runs, languages)]
    if validators:
        listed.append(group_tables.collections(validators))
    for i, (judged, scores) in enumerate(parts):
        if validators and validators[i].places:
            over = leaderboard_of(judged.loaded, list(OVER_ANSWERS), ci=None, mark=False) if judged.runs else scores
            listed.append(layouts.f_table(judged, over, settings))
            listed.append(layouts.ranking_table(judged, validators[i].places, settings))
        elif settings.task in ("qa", "reading"):
            listed.append(layouts.counts_table(judged, settings))
        if judged.runs:
            listed.append(layouts.leaderboard(judged, scores, settings, ranks.get(judged.part.language, ())))
    if validators:
        listed.append(group_tables.selection_table(validators, settings))
        listed.append(group_tables.beside_table(validators, settings))
    listed.append(group_tables.group_table(parts, settings))
    if languages:
        listed.append(group_tables.language_table(parts, settings))
        if validators:
            listed.append(group_tables.qa_language_table(validators, settings))
        listed.append(group_tables.best_table(parts, settings))
    return [table for table in listed if table.rows]


def topic_scores(judged: JudgedRuns) -> list[TopicScore]:
    """Return a score for every run and topic, with the run's outcome on this topic.

    The score is the value of the first measure that is defined on single topics, or else accuracy.
    """
    name, values = _of_topics(judged)
    runs = {run.run: run for run in judged.runs}
    return [
        TopicScore(
            cell.question,
            cell.run,
            runs[cell.run].group,
            runs[cell.run].language,
            cell.outcome,
            cell.verdict,
            name,
            values.get((cell.run, cell.question)),
            cell.answer,
        )
        for cell in judged.cells
    ]


def _of_topics(judged: JudgedRuns) -> tuple[str, dict[tuple[str, str], float]]:
    """Return the first measure that is defined on a single topic, and its values, keyed by (run, topic).

    If none of the campaign's measures is, it is accuracy, as far as there are outcomes.
    """
    data = judged.loaded.data
    assert isinstance(data, Evidence)
    wanted = ("ave.qa_accuracy",) if judged.exercise is not None else (*judged.measures, "accuracy")
    for measure in map(parse, wanted):
        if measure.of_counts and (values := earned(data, measure)) is not None:
            return measure.label, {
                (run, question): float(values[r, q])
                for r, run in enumerate(data.runs)
                for q, question in enumerate(data.questions)
                if not np.isnan(values[r, q])
            }
    return "", {}


# ---- files ----


def _write(
    draft: Path,
    campaign: Campaign,
    parts: Sequence[ScoredRuns],
    compared: Mapping[str, Comparisons],
    listed: Sequence[Table],
) -> None:
    """Write all results; with several languages, the results of each language go to a separate folder."""
    held = []
    for judged, scores in parts:
        language = judged.part.language
        folder = draft / language if language else draft
        folder.mkdir(exist_ok=True)
        for suffix in ("json", "csv"):
            tables.write(scores, folder / f"scores.{suffix}")
            if language in compared:
                tables.write(compared[language], folder / f"comparisons.{suffix}")
        rows = topic_scores(judged)
        put(folder / "topics.csv", _csv(TopicScore, rows))
        if campaign.settings.task in ("qa", "reading"):
            put(folder / "counts.csv", _csv(layouts.Counts, layouts.counts(judged)))
        if judged.outcomes is not None:
            kept = {name: c for name, c in judged.outcomes.extra_columns.items() if name in COLUMNS.values()}
            write_outcomes(replace(judged.outcomes, extra_columns=kept), folder / "outcomes.csv")
        held.append(_held(judged, scores, rows))
    data = {"parts": held}
    put(draft / DATA, json.dumps(data, ensure_ascii=False).encode(errors="replace") + b"\n")
    for table in listed:
        for suffix, content in (("csv", table.csv()), ("md", table.markdown()), ("tex", table.latex())):
            put(draft / "tables" / f"{table.name}.{suffix}", content.encode())
    put(draft / "tables" / "index.json", json.dumps([asdict(table) for table in listed], ensure_ascii=False).encode())


def _write_answers(draft: Path, contents: RunContents, parts: Sequence[ScoredRuns]) -> None:
    """Write the runs, and the verdict on each answer, from which `nescio ave build` can make a collection.

    The verdicts have a column `rank` if any of them is below rank 1, `answered` if a run withheld any answer, and
    `by_key` if the key, and not people, decided on any of them.
    """
    (draft / "runs").mkdir()
    for run in contents.runs:
        write_lines(draft / "runs" / f"{run.run}.jsonl", map(response_row, contents.content[run.run]))
    cells = [cell for judged, _ in parts for cell in (*judged.cells, *judged.lower) if cell.answer and cell.verdict]
    columns = ["run", "question", "answer", "verdict"]
    columns += ["rank"] if any(cell.rank > 1 for cell in cells) else []
    columns += [] if all(cell.answered for cell in cells) else ["answered"]
    columns += ["by_key"] if any(cell.by_key for cell in cells) else []
    text = csv_text([columns, *([guard(as_text(getattr(cell, name))) for name in columns] for cell in cells)])
    put(draft / "judgements.csv", text.encode(errors="replace"))


def _with_sentences(campaign: Campaign) -> set[str]:
    """Return the items of the questions of which people said which sentences of a story answer them."""
    return {item.id for item in sentence_items(campaign)} & {judgement.item for judgement in read_judgements(campaign)}


def _unused_sentences(campaign: Campaign, parts: Sequence[JudgedRuns]) -> Iterator[Note]:
    """Yield a note if people said which sentences answer questions, and no score counts what they said."""
    count = len(_with_sentences(campaign))
    if count and not any(LISTED in parse(name).reads for judged in parts for name in judged.measures):
        yield note(
            "campaign.unused_sentences",
            "no score counts the sentences that people listed for {questions:n question}, because verdicts or options "
            "judge the answers here; for runs that answer in sentences, nescio read score -m read.HumSent counts them "
            "with results/key",
            questions=count,
        )


def _write_sentences(draft: Path, campaign: Campaign, parts: Iterable[Part]) -> None:
    """Write a key for `nescio read score`, if assessors listed sentences that answer questions.

    The key has questions, stories, and the sentences that people accept.
    """
    if not _with_sentences(campaign):
        return
    questions = [question for part in parts for question in with_key(campaign, part) if question.story]
    stories = story_names(questions)
    rows = [
        topic_row(question, (), stories)
        | ({"answers": list(question.answers)} if question.answers else {})
        | ({} if question.accepted is None else {"sentences": list(question.accepted)})
        for question in questions
    ]
    (draft / KEY).mkdir(mode=0o700)
    write_lines(draft / KEY / "questions.jsonl", rows)
    write_lines(draft / KEY / "stories.jsonl", ({"id": name, "sentences": list(s)} for s, name in stories.items()))


def _held(judged: JudgedRuns, scores: Scores, rows: Sequence[TopicScore]) -> dict[str, Any]:
    """Return the data of one language that the site needs, such as questions, scores and comparisons."""
    nuggets = {
        target.id: [[nugget.id, is_vital(nugget), nugget.text] for nugget in target.nuggets]
        for target in judged.targets
    }
    return {
        "language": judged.part.language,
        "questions": {question.id: question.text for question in judged.part.questions.values()},
        "nuggets": nuggets,
        "scores": scores.records(),
        "signature": str(scores.signature),
        "notes": list(map(str, scores.notes)),
        "topics": [*map(astuple, rows)],
        "versions": {run.run: [run.version, run.digest] for run in judged.runs},
    }


def _csv(kind: type[Any], rows: Sequence[Any]) -> bytes:
    return csv_text([kind.__struct_fields__, *(tuple(map(guarded, astuple(row))) for row in rows)]).encode(
        errors="replace"
    )


def read_results(campaign: Campaign) -> dict[str, Any]:
    """Return the data that `score` wrote for the site. Raises MismatchError if there are no results."""
    path = campaign / RESULTS / DATA
    if not path.is_file():
        raise MismatchError(f"there are no results yet; run nescio campaign score {campaign.typed} first")
    return decoded(path, dict[str, Any], "to write it again, run nescio campaign score")


def read_tables(campaign: Campaign) -> list[Table]:
    """Return the tables that `score` wrote."""
    path = campaign / RESULTS / "tables" / "index.json"
    return decoded(path, list[Table], "to write it again, run nescio campaign score")
