"""Judge the answers of a campaign's runs by people's verdicts and the key, as data from which measures are computed."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from nescio.data.assessed import columns_of
from nescio.data.evidence import Evidence
from nescio.data.model import Collection, Question, Run, Verdict
from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT, Outcomes
from nescio.errors import MismatchError
from nescio.formats import ReadOptions, ReadResult, Unjudged, open_source
from nescio.judging.human import PEOPLE
from nescio.people.campaigns.assessors import open_items
from nescio.people.campaigns.folder import Campaign
from nescio.people.campaigns.judgements import read_history, read_judgements
from nescio.people.campaigns.keyed import key_judge, keyed, true_of, valued, without_answer
from nescio.people.campaigns.nugget_lists import by_earlier_lists, reworded
from nescio.people.campaigns.pooling import PooledAnswer, RunContents, every_version
from nescio.people.campaigns.ranked_answers import KEYED, judged_at, judged_by_key, of_all_ranks, reads_lower_ranks
from nescio.people.campaigns.receipts import TakenIn
from nescio.people.campaigns.runs import doubted
from nescio.people.campaigns.screens import sentence_items, shown_nuggets
from nescio.people.campaigns.settings import Settings, is_named_for, is_numbered_for, named_group
from nescio.people.campaigns.shown_texts import NOTHING, kind_of_id
from nescio.people.campaigns.topics import Part, without_list
from nescio.people.campaigns.verdicts import refuse_open, resolved, settled, unlisted
from nescio.pipeline import Loaded, Options, apply
from nescio.sources.json import as_text
from nescio.tasks.ave import evidence as ave
from nescio.tasks.ave.exercise import Exercise
from nescio.tasks.ave.reader import OVER_ANSWERS, OVER_QUESTIONS
from nescio.tasks.nuggets import pourpre, scoring
from nescio.tasks.nuggets.parts import AUTOMATICALLY, BY_PEOPLE
from nescio.tasks.nuggets.reader import KEY as NUGGET_KEY
from nescio.tasks.nuggets.reader import read_keys
from nescio.tasks.nuggets.reader import recognise as recognise_nuggets
from nescio.tasks.nuggets.scoring import Match, Target
from nescio.tasks.pan.answers import values_of
from nescio.tasks.pan.reader import judged_answers
from nescio.tasks.reading.systems.marking import suited_judge
from nescio.text import enumerated, plural

WORDS = {CORRECT: "correct", INCORRECT: "incorrect", SILENT: "unanswered"}
RIGHTLY = f"rightly {WORDS[SILENT]}"  # the outcome of an abstention on a question without an answer, which is correct
MOST_NAMED = 3
NOBODY = ""  # a validator that rejects everything, beside which QA systems are ranked where no run is in


class Cell(Struct, frozen=True):
    """A run's answer to a topic, with the verdict on the answer and the outcome.

    `verdict` is R, W, X or U, or the nuggets found in the answer; a declined candidate has a verdict too. If a question
    has no answer, every answer to it is W, whatever an assessor said. `outcome` is the result that the measures count,
    such as "correct", or `RIGHTLY`; a lower rank has none. `by_key` says that the key gave the verdict, not people.
    """

    question: str
    run: str
    outcome: str
    verdict: str
    answer: str
    rank: int = 1
    answered: bool = True
    by_key: bool = False


class JudgedRuns(Struct, frozen=True):
    """The runs of one language, judged: their answers with verdicts, and the data for the measures.

    `cells` has the answers of rank 1, and `lower` the judged answers of other ranks, which measures may not count.
    """

    part: Part
    runs: tuple[TakenIn, ...]
    loaded: Loaded
    measures: tuple[str, ...]
    cells: tuple[Cell, ...]
    outcomes: Outcomes | None = None
    exercise: Exercise | None = None
    targets: tuple[Target, ...] = ()
    lower: tuple[Cell, ...] = ()

    @property
    def groups(self) -> dict[str, str]:
        """Return the group of each run, keyed by run."""
        return {run.run: run.group for run in self.runs}


def judged_runs(said: RunContents, part: Part) -> JudgedRuns | None:
    """Return the judged runs in the language of the topics `part`; None if there is no run in this language.

    Raises MismatchError if answers are in dispute, if nobody judged them, or if a key is needed but missing.
    """
    runs = tuple(run for run in said.runs if run.language == part.language)
    if not runs:
        return None
    return {"qa": _answers, "reading": _answers, "ave": _validations, "nuggets": _nuggets, "pan": _scores}[
        said.topics.task
    ](said, part, runs)


def without_runs(said: RunContents, part: Part) -> JudgedRuns:
    """Return the data of a language in which no group submitted a run, so that tables can show the language.

    For AVE, the data include the collection of answers to validate.
    """
    files = said.campaign.key_files if said.topics.task == "ave" else ()
    exercise = valued(part, files) if files else None
    data = Evidence((), (), {}, np.zeros((0, 0), np.uint8))
    if exercise is not None and any(candidate.judged for candidate in exercise.candidates):
        data, _ = ave.evidence(exercise, {NOBODY: ()})
    return JudgedRuns(part, (), Loaded(data), (), (), None, exercise)


# ---- qa and reading ----


def _answers(contents: RunContents, part: Part, runs: Sequence[TakenIn]) -> JudgedRuns:
    campaign, settings = contents.campaign, contents.campaign.settings
    collection = Collection(settings.name, tuple(with_key(campaign, part)))
    measures = settings.measures or ("c@1", "accuracy", "coverage")
    ranked = any(map(reads_lower_ranks, measures))
    run_answers = [Run(run.run, tuple(r for r in contents.content[run.run] if ranked or r.rank == 1)) for run in runs]
    of_any_rank = {(run.run, a.question, a.rank): a for run in runs for a in contents.given(run)}
    every = {key: a for key, a in of_any_rank.items() if ranked or key[2] == 1}
    given = {(run, question): answer for (run, question, rank), answer in every.items() if rank == 1}
    items = {key: contents.item_id(answer) for key, answer in every.items()}
    verdicts = resolved(campaign, {*items.values()})
    without = {question.id for question in collection.questions if question.answerable is False}
    named = {
        key: str(Verdict.WRONG) if key[1] in without else verdicts[item]
        for key, item in items.items()
        if item in verdicts
    }
    judge_name, lacking = key_judge(settings, collection.questions), without_answer(collection.questions)
    listed = any(question.accepted is not None for question in collection.questions)
    if not named and not judge_name and settings.task == "reading" and (campaign.key_files or listed):
        refuse_open(campaign, {item.id for item in sentence_items(campaign) if item.question in part.questions})
        marked = _marked(part, runs, ReadResult(Unjudged(collection, tuple(run_answers), ())), settings.measures, given)
        assert marked.outcomes is not None
        open_ = np.isin(marked.outcomes.questions, lacking) & (marked.outcomes.state != SILENT)
        state = np.where(open_, NOT_GRADED, marked.outcomes.state)
        _all_judged(campaign, {1: replace(marked.outcomes, state=state)}, lacking)
        return marked
    by_key = judge_name if campaign.key_files else ""
    ranks = sorted({1, *(response.rank for run in run_answers for response in run.responses)})
    at = {rank: judged_at(collection, run_answers, rank, named, judge_name=by_key, lacking=lacking) for rank in ranks}
    _all_judged(campaign, {rank: at_rank.outcomes for rank, at_rank in at.items()}, lacking)
    overruled = {key: items[key] for key, letter in named.items() if verdicts[items[key]] != letter}
    people = (PEOPLE, KEYED) if overruled else (PEOPLE,)
    whole = of_all_ranks(at, {run for run, *_ in named}, people)
    outcomes, notes = whole.outcomes, [*whole.notes]
    notes += _overruled({item: question for (_, question, _), item in overruled.items()})
    if whole.judges:
        unjudged = {items[key] for key in items if key not in named and key[1] not in without}
        notes += _instead_of_people(contents, unjudged)
    first = {key[:2]: letter for key, letter in named.items() if key[2] == 1}
    places = ({name: i for i, name in enumerate(names)} for names in (outcomes.runs, outcomes.questions))
    run_at, question_at = places
    letters = {(run_at[run], question_at[q]): Verdict(letter) for (run, q), letter in first.items()}
    more = columns_of(outcomes.state, letters)
    outcomes = replace(outcomes, extra_columns={**outcomes.extra_columns, **more})
    unnamed = replace(outcomes, judges=())  # `judges` has them all
    judges = (*(people if named else ()), *whole.judges)
    read = ReadResult(unnamed, tuple(notes), measures, judges, "campaign")
    loaded = apply(read, Options())
    by_people = {key[:2] for key in named if key[2] == 1 and key not in overruled}
    cells = _cells(outcomes, loaded, first, given, by_people)
    lower = tuple(_below(contents, of_any_rank, {rank: at_rank.outcomes for rank, at_rank in at.items()}, without))
    return JudgedRuns(part, tuple(runs), loaded, measures, tuple(cells), outcomes, lower=lower)


def _below(
    contents: RunContents,
    given: Mapping[tuple[str, str, int], PooledAnswer],
    at: Mapping[int, Outcomes],
    without: Container[str],
) -> Iterator[Cell]:
    """Yield a cell for each judged answer below rank 1, whether or not a measure reads its rank.

    `given` has the answers by run, question and rank, `at` the outcomes of the ranks that measures read, and `without`
    the questions without an answer.
    """
    by_people = settled(contents.campaign) if any(rank > 1 for *_, rank in given) else {}
    run_at, question_at = ({name: i for i, name in enumerate(names)} for names in (at[1].runs, at[1].questions))
    for (run, question, rank), answer in given.items():
        if rank == 1:
            continue
        verdict = by_people.get(contents.item_id(answer), "")
        letter = str(Verdict.WRONG) if question in without else verdict
        if not letter and rank in at:  # judged by the key
            letter = _letter(at[rank], run_at[run], question_at[question])
        if letter:
            yield Cell(question, run, "", letter, answer.answer, rank, answer.answered, by_key=letter != verdict)


def _letter(outcomes: Outcomes, run: int, question: int) -> str:
    """Return R or W for a judged answer, given or withheld; empty for any other."""
    if outcomes.state[run, question] == SILENT and outcomes.candidate is not None:
        return {1: "R", 0: "W"}.get(int(outcomes.candidate[run, question]), "")
    return {CORRECT: "R", INCORRECT: "W"}.get(int(outcomes.state[run, question]), "")


def with_key(campaign: Campaign, part: Part) -> list[Question]:
    """Return the questions in `part`, with gold answers if there is a key, and with sentences that people accept.

    A question whose sentences must be judged again has none.
    """
    questions = list(part.questions.values())
    if campaign.key_files:
        questions = keyed(questions, campaign.key_files)
    ids = {item.question: item.id for item in sentence_items(campaign)}
    listed = resolved(campaign, {*ids.values()} - open_items(campaign).keys()) if ids else {}
    return [
        replace(question, accepted=() if verdict == NOTHING else tuple(map(int, verdict.split(","))))
        if (verdict := listed.get(ids.get(question.id, "")))
        else question
        for question in questions
    ]


def _overruled(questions: Mapping[str, str]) -> Iterator[Note]:
    """Yield a note on answers to questions without an answer that people call other than wrong.

    `questions` has the question of each of these items, keyed by item.
    """
    if questions:
        yield note(
            "campaign.overruled",
            "{answers:n answer} to questions that have no answer by the key {answers:counts/count} as W, though people "
            "say R, X or U ({named:list 5}); correct the key if people are right",
            answers=len(questions),
            named=sorted({*questions.values()}),
        )


def _instead_of_people(contents: RunContents, by_key: set[str]) -> Iterator[Note]:
    """Yield a note on people's verdicts that count for no answer, though the key judges the items `by_key`.

    Verdicts on the answers of a version that was replaced or withdrawn are not missing.
    """
    withdrawn = {line.item for line in read_history(contents.campaign) if line.after} & by_key
    unused = [judgement for judgement in read_judgements(contents.campaign) if kind_of_id(judgement.item) == "answer"]
    if unused:
        every = every_version(contents.campaign)
        given = {every.item_id(answer) for run in every.runs for answer in every.given(run)}
        unused = [judgement for judgement in unused if judgement.item not in given]
    if unused or withdrawn:
        yield note(
            "campaign.instead_of_people",
            "the key judges {answers:n answer}: people took back their verdicts on {withdrawn:,} of these, and "
            "{unused:n verdict} {unused:is/are} on answers that no accepted run gives with these settings",
            answers=len(by_key),
            withdrawn=len(withdrawn),
            unused=len(unused),
        )


def _all_judged(campaign: Campaign, at: Mapping[int, Outcomes], lacking: Sequence[str]) -> None:
    """Raise MismatchError if an answer was not judged; `at` has the outcomes of each rank that a measure reads.

    The key does not answer the questions `lacking`.
    """
    cells = [
        (rank, outcomes, *cell) for rank, outcomes in at.items() for cell in np.argwhere(outcomes.state == NOT_GRADED)
    ]
    open_ = [(rank, outcomes.questions[q], outcomes.runs[r]) for rank, outcomes, r, q in cells]
    if open_:
        first = ", ".join(
            f"{question} of {run}{f' at rank {rank}' if rank > 1 else ''}" for rank, question, run in open_[:MOST_NAMED]
        )
        remedy = "name a judge in campaign.toml to judge by the key" if campaign.key_files else "put a key into key/"
        if campaign.key_files and (unknown := {question for _, question, _ in open_} & {*lacking}):
            remedy = f"add the answer to {enumerated(sorted(unknown))} to the key"
        deepest = max(rank for rank, *_ in open_)
        deeper = f"set depth = {deepest} in campaign.toml, " if deepest > campaign.settings.depth else ""
        raise MismatchError(
            f"{_have_not(len(open_), 'answer')} been judged (first: {first}); {deeper}make a pool and have people "
            f"judge (see nescio campaign status {campaign.typed}), or {remedy}"
        )


def _have_not(count: int, noun: str) -> str:
    """Return the beginning of a sentence on what is not done: "1 answer has not", "2 answers have not"."""
    return f"{plural(count, noun)} {'has' if count == 1 else 'have'} not"


def _cells(
    outcomes: Outcomes,
    loaded: Loaded,
    named: Mapping[tuple[str, str], str],
    given: Mapping[tuple[str, str], PooledAnswer],
    by_people: Container[tuple[str, str]],
) -> list[Cell]:
    """Return a cell for each run and question, with the outcome and the verdict.

    `named` has the verdicts, and `given` the answers, both keyed by run and question. `by_people` has the keys of
    people's verdicts.
    """
    data = loaded.data
    assert isinstance(data, Evidence)
    words = {word: data.column(word) for word in WORDS.values()}
    silently = (words[WORDS[CORRECT]] == 1) & (data.column("answered") == 0)
    cells = []
    for r, run in enumerate(data.runs):
        for q, question in enumerate(data.questions):
            outcome = (
                RIGHTLY if silently[r, q] else next((word for word, column in words.items() if column[r, q] == 1), "")
            )
            answer = given.get((run, question))
            verdict = named.get((run, question)) or _letter(outcomes, r, q)
            text, answered = (answer.answer, answer.answered) if answer else ("", True)
            by_key = (run, question) not in by_people
            cells.append(Cell(question, run, outcome, verdict, text, 1, answered, by_key=by_key))
    return cells


def _marked(
    part: Part,
    runs: Sequence[TakenIn],
    unjudged: ReadResult,
    wanted: tuple[str, ...],
    given: Mapping[tuple[str, str], PooledAnswer],
) -> JudgedRuns:
    """Judge the answers of runs to questions about stories by the key, as `nescio read score` does; return the runs.

    `wanted` has the measures that the campaign names, if any.
    """
    name, suited = suited_judge(unjudged, None, measures=wanted)
    result = judged_by_key(unjudged, name)
    assert isinstance(result.data, Outcomes)
    measures = wanted or tuple(suited or result.measures)
    loaded = apply(result, Options(judge=name))
    cells = _cells(result.data, loaded, {}, given, ())
    return JudgedRuns(part, tuple(runs), loaded, measures, tuple(cells), result.data)


# ---- answer validation ----


def _validations(contents: RunContents, part: Part, runs: Sequence[TakenIn]) -> JudgedRuns:
    campaign = contents.campaign
    _need_key(campaign)
    exercise = valued(part, campaign.key_files)
    decisions = {run.run: contents.content[run.run] for run in runs}
    data, notes = ave.evidence(exercise, decisions)
    outcomes, _ = ave.selections(exercise, decisions)
    measures = campaign.settings.measures or (*OVER_ANSWERS, "ave.AUC", *OVER_QUESTIONS)
    value = {(candidate.question_id, candidate.id): candidate for candidate in exercise.candidates}
    cells = []
    for run, validations in decisions.items():
        selected = {
            validation.question_id: validation for validation in validations if validation.decision == "SELECTED"
        }
        for question in exercise.questions:
            validation = selected.get(question.id)
            if validation is None:
                cells.append(Cell(question.id, run, "unanswered", "", ""))
                continue
            candidate = value[question.id, validation.answer_id]
            outcome = "correct" if candidate.value == "VALIDATED" else "incorrect"
            cells.append(Cell(question.id, run, outcome, str(candidate.value or "UNKNOWN"), candidate.answer))
    doubts = [doubt for run, validations in decisions.items() for doubt in doubted(run, validations)]
    loaded = Loaded(data, (*notes, *doubts), measures, format="ave")
    return JudgedRuns(part, tuple(runs), loaded, measures, tuple(cells), outcomes, exercise)


def _need_key(campaign: Campaign) -> None:
    if not campaign.key_files:
        raise MismatchError(
            f"{campaign.folder / 'key'} is empty, but scoring {campaign.settings.task} needs a key; put the key there"
        )


# ---- nuggets ----


def _nuggets(contents: RunContents, part: Part, runs: Sequence[TakenIn]) -> JudgedRuns:
    campaign = contents.campaign
    _need_key(campaign)
    sources = [source for path in campaign.key_files if recognise_nuggets(source := open_source(path)) == NUGGET_KEY]
    targets = [target for target in read_keys(sources).targets() if target.id in part.questions]
    run_answers = [scoring.Run(run.run, contents.content[run.run]) for run in runs]
    verdicts = resolved(campaign, {contents.item_id(answer) for run in runs for answer in contents.given(run)})
    if not verdicts:
        data, notes = pourpre.evidence(targets, run_answers)
        measures: tuple[str, ...] = AUTOMATICALLY
        matches: list[Match] = []
    else:
        questions = {contents.item_id(answer): answer.question for run in runs for answer in contents.given(run)}
        _check_listed(campaign, questions, targets, verdicts)
        matches = list(_matches(contents, runs, verdicts))
        data, notes = scoring.evidence(targets, run_answers, matches)
        history, shown = read_history(campaign), shown_nuggets(campaign)
        notes = (*notes, *reworded(history, questions), *by_earlier_lists(history, questions, shown))
        measures = BY_PEOPLE
    measures = campaign.settings.measures or measures
    notes = (*notes, *without_list(part.questions, [target.id for target in targets if target.nuggets]))
    nuggets = {target.id: target.nuggets for target in targets}
    found_nuggets: dict[tuple[str, str], set[str]] = {}
    for match in matches:
        found_nuggets.setdefault((match.target_id, match.run), set()).update({match.nugget_id} - {""})
    cells = []
    for run in run_answers:
        for target in part.questions:
            response = run.responses.get(target)
            strings = response.strings if response else ()
            ids = found_nuggets.get((target, run.name), ())
            order = [nugget.id for nugget in nuggets.get(target, ()) if nugget.id in ids]
            outcome = "" if strings else "unanswered"
            cells.append(Cell(target, run.name, outcome, ",".join(order), " / ".join(strings)))
    loaded = Loaded(data, notes, measures, format="nuggets")
    return JudgedRuns(part, tuple(runs), loaded, measures, tuple(cells), None, None, tuple(targets))


def _check_listed(
    campaign: Campaign, questions: Mapping[str, str], targets: Sequence[Target], verdicts: Mapping[str, str]
) -> None:
    """Raise MismatchError if a verdict that counts names a nugget that its target does not have."""
    counting = [
        judgement for judgement in read_judgements(campaign) if judgement.verdict == verdicts.get(judgement.item)
    ]
    nuggets = [(target.id, nugget.id) for target in targets for nugget in target.nuggets]
    if strays := [*unlisted(counting, questions, nuggets)]:
        named = "; ".join(strays[:MOST_NAMED])
        raise MismatchError(
            f"{plural(len(strays), 'verdict')} with nuggets that are not in the list: {named}; put the nuggets back "
            "into the list, or have these answers judged again"
        )


def _matches(contents: RunContents, runs: Sequence[TakenIn], verdicts: Mapping[str, str]) -> list[Match]:
    """Return a `Match` for each nugget that assessors found in a string of these runs; `verdicts` is keyed by item.

    Raises MismatchError for a string that nobody judged.
    """
    matches, open_ = [], []
    for run in runs:
        for given in contents.given(run):
            verdict = verdicts.get(contents.item_id(given))
            if verdict is None:
                open_.append(f"{given.question} of {run.run}")
                continue
            for nugget in ("",) if verdict == NOTHING else verdict.split(","):
                matches.append(Match(run.run, given.question, nugget, given.rank - 1))
    if open_:
        named = ", ".join(open_[:MOST_NAMED])
        raise MismatchError(
            f"{_have_not(len(open_), 'string')} been judged (first: {named}); make a pool and have people judge"
        )
    return matches


# ---- PAN ----


def _scores(contents: RunContents, part: Part, runs: Sequence[TakenIn]) -> JudgedRuns:
    campaign = contents.campaign
    _need_key(campaign)
    gold, *others = [open_source(path) for path in campaign.key_files]
    if others:
        raise MismatchError(f"{others[0].label}: the key of PAN must be one truth file, but there are several")
    truth, notes = true_of(part, campaign.key_files[0]), list[Note]()
    # A file that was taken in as a run is one, whatever its name or its first line looks like.
    dropped = campaign.settings.dropped
    run_values = {run.run: values_of(open_source(run.path), truth, run.run, notes, dropped) for run in runs}
    result = judged_answers(gold, truth, run_values, ReadOptions())
    loaded = apply(replace(result, notes=(*notes, *result.notes), format="pan"), Options())
    assert isinstance(loaded.data, Evidence)
    cells = []
    values = loaded.data.columns["verification.value"]
    for r, name in enumerate(loaded.data.runs):
        for q, question in enumerate(loaded.data.questions):
            outcome = next((word for word in WORDS.values() if loaded.data.column(word)[r, q] == 1), "")
            cells.append(Cell(question, name, outcome, "", as_text(float(values[r, q])) or ""))
    measures = campaign.settings.measures or loaded.measures
    return JudgedRuns(part, tuple(runs), loaded, measures, tuple(cells))


def group_of(run: str, settings: Settings, taken_in: Mapping[str, str]) -> tuple[str, str]:
    """Return the group of a run or QA system, and the name of the run or system without the name of the group.

    The group is empty if the campaign has no such group. `taken_in` maps accepted runs to groups. The group of any
    other system follows from its name or from the settings. A name in CLEF's style, such as `fuha071dede` of the group
    `fuha`, is returned whole.
    """
    if group := taken_in.get(run, ""):
        return group, run[len(group) + 1 :] if is_named_for(run, group) else run
    for name, group in settings.systems.items():
        if fnmatchcase(run, name):
            return group, run
    if group := named_group(run, settings.groups):
        rest = run[len(group) + 1 :]
        taken = any(of == group and other[len(group) + 1 :] == rest for other, of in taken_in.items())
        return group, run if taken else rest  # no system is printed as a run
    numbered = [group for group in settings.groups if is_numbered_for(run, group)]
    return max(numbered, key=len, default=""), run
