"""Make a database of items to judge: the pool of a campaign, or the answers of runs."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Table, insert
from sqlalchemy.exc import DBAPIError

from nescio.data.model import Question
from nescio.data.notes import Note
from nescio.errors import UsageError
from nescio.formats import Unjudged
from nescio.people.assessing.choosing import drawn, grades_of, known_answers
from nescio.people.assessing.database import reason
from nescio.people.assessing.opening import make_tables, open_database
from nescio.people.assessing.tables import about, items, units
from nescio.people.assessing.work import CONTROL, SECOND, TRAINING
from nescio.people.campaigns.assessors import people_of, times_of
from nescio.people.campaigns.folder import SECRET, Campaign, open_campaign
from nescio.people.campaigns.freshness import refuse_old_pool
from nescio.people.campaigns.giving_away import LANGUAGE
from nescio.people.campaigns.items import Item, pool_version
from nescio.people.campaigns.judgements import guidelines_of
from nescio.people.campaigns.pooling import NAMED, PooledAnswer, distinct_items, named_by, read_pool
from nescio.people.campaigns.screens import (
    LONGEST,
    kind_of,
    lists_to_make,
    shown_item,
    shown_nuggets,
    story_items,
    told,
)
from nescio.people.campaigns.settings import SETTINGS
from nescio.people.campaigns.starting import default_guidelines
from nescio.people.campaigns.topics import check_languages
from nescio.pipeline import Options, read
from nescio.text import answer_key, enumerated, plural, sanitize, typed_path

BATCH = 5_000
MOST_APART = 0.5  # If shares of control answers and of other answers differ by more, people can recognise the former.
EVERYBODY = 1 << 30  # the number of people who judge an answer with a known verdict


class Content(Struct, frozen=True):
    """The items to judge, and the data that judging them needs, such as guidelines, nuggets and the judge's grades."""

    name: str
    items: tuple[Item, ...]
    guidelines: str
    told: str
    secret: str
    names: str = "verdicts"
    pool: int = 1
    nuggets: Mapping[str, Any] = {}
    strata: Mapping[str, Mapping[str, str]] = {}
    grades: Mapping[str, str] = {}
    split: int = 0  # items that the judge graded differently in two runs
    notes: tuple[Note, ...] = ()  # on grades that fit no answer
    assessors: tuple[str, ...] = ()  # who judges in the campaign already


class Created(Struct, frozen=True):
    """The result of `create`: the database, and the numbers of items, topics and requested judgements."""

    database: str
    items: int
    topics: int
    judgements: int
    graded: int | None = None
    split: int = 0
    apart: str = ""  # how known answers can be told from the others
    notes: tuple[Note, ...] = ()  # on grades that fit no answer

    def __str__(self) -> str:
        graded = (
            ""
            if self.graded is None
            else f"\nafter their own verdict, people see a judge's grade on {self.graded:,} of these items"
        )
        if self.split:
            graded += f", but not on {plural(self.split, 'answer')} that the judge graded differently in two runs"
        if self.apart:
            graded += f"\nnote: {self.apart}"
        return (
            f"made {self.database}: {plural(self.items, 'item')} of {plural(self.topics, 'topic')},"
            f" with {plural(self.judgements, 'judgement')} to make{graded}"
            f"\nnext: nescio assess invite --db {typed_path(self.database)} NAME"
        )


def create(
    db: str,
    sources: Sequence[Path | str],
    *,
    overlap: float = 1,
    sentences: bool = False,
    grades: Path | str | None = None,
    draw: int | None = None,
    training: Path | str | None = None,
    control: Path | str | None = None,
) -> Created:
    """Make a database of items to judge, from the folder of a campaign with a pool, or from questions and runs.

    An `overlap` of 1 or more is the number of people for each question; below 1, it is the share of questions that two
    people judge. `grades` is a file with a judge's grades; people see a grade after their own verdict. `draw` is the
    number of questions to draw. `training` and `control` are files of answers with known verdicts.
    """
    paths = [Path(source) for source in sources]
    campaign = len(paths) == 1 and (paths[0] / SETTINGS).is_file()
    if campaign and (grades or draw):
        raise UsageError("grades and a draw need files of questions and runs, but these sources are a campaign")
    content = content_of(paths, sentences, grades)
    if (training or control) and (content.names != "verdicts" or sentences):
        raise UsageError(
            "known answers need verdicts (R, W, X, U), so they cannot be used when people judge nuggets or sentences"
        )
    if not content.items:
        raise UsageError("there is nothing to judge; a campaign needs a pool first (nescio campaign pool)")
    by_topic: dict[str, list[Item]] = {}
    for item in content.items:
        by_topic.setdefault(topic_of(item), []).append(item)
    odds = drawn(by_topic, content.grades, draw) if draw else {}
    asked_of = [item for item in content.items if not draw or topic_of(item) in odds]
    if not asked_of:
        raise UsageError(f"the draw chose none of {len(by_topic):,} questions; draw more than {draw}")
    topics = languages_of(asked_of)
    times = times_of(list(topics), overlap, by_chance)
    spoken = {*languages_of(content.items).values()} - {""}
    known, parts = _known(training, control, content, spoken)
    seconds = [_second(item_row(item), content.grades[item.id]) for item in asked_of if item.id in content.grades]
    where = [
        unit(topic, language, times[topic], inclusion=odds.get(topic)) | {"strata": content.strata.get(topic, {})}
        for topic, language in topics.items()
    ]
    where += [
        unit(topic, language, EVERYBODY, part)
        for part, part_topics in parts.items()
        for topic, language in part_topics.items()
    ]
    names = {part: [*part_topics] for part, part_topics in parts.items()}
    facts = facts_of(content) | {"parts": names, "asked": {"overlap": overlap, "sentences": sentences}}
    hidden = parts.get(CONTROL, {})
    apart = _told_apart(asked_of, content.grades, [row for row in known if row["topic"] in hidden])
    return Created(
        _make_database(db, facts, where, (*map(item_row, asked_of), *known, *seconds)),
        len(asked_of),
        len(topics),
        sum(times[topic_of(item)] for item in asked_of),
        len(seconds) if content.grades else None,
        content.split,
        "; ".join([*apart, *_lacking_languages({*topics.values()} - {""}, hidden)]),
        content.notes,
    )


def _make_database(
    db: str, facts: Mapping[str, Any], where: Iterable[dict[str, Any]], rows: Iterable[dict[str, Any]]
) -> str:
    """Make a database with these rows in the tables `about` (facts), `units` (where) and `items` (rows).

    Returns the address of the database. Raises UsageError if there already is a database at `db`, or if it cannot be
    written.
    """
    database = open_database(db, new=True)
    try:
        with database.writing() as connection:
            make_tables(connection)
            write(connection, about, ({"name": name, "value": value} for name, value in facts.items()))
            write(connection, units, where)
            write(connection, items, rows)
    except DBAPIError as error:
        raise UsageError(f"{database.shown}: {reason(error)}") from None
    finally:
        database.close()
    return database.shown if database.path is None else str(database.path)


def _told_apart(pool: Sequence[Item], grades: Mapping[str, str], control: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return warnings, with advice, if people could recognise control answers; none if they could not.

    They could if the `pool` and the control answers differ much in the share of answers with a support or with a
    judge's grade, or in the share of questions with several answers.
    """
    seconds = [row for row in control if row["kind"] == SECOND]
    control = [row for row in control if row["kind"] != SECOND]
    warnings: list[str] = []
    if not control:
        return warnings
    graded = [item.id in grades for item in pool]
    if _differ(graded, [n < len(seconds) for n in range(len(control))]):
        do = "fill in" if sum(graded) * len(control) > len(seconds) * len(pool) else "empty"
        warnings.append(
            f"{sum(graded):,} of {plural(len(pool), 'answer')} and {len(seconds):,} of "
            f"{plural(len(control), 'control answer')} have a judge's grade, which people see after their verdict, so "
            f"people can recognize control answers: {do} the column grade (correct or incorrect) of the --control table"
        )
    supported = [bool(item.supports) for item in pool]
    known = [bool(row["supports"]) for row in control]
    if _differ(supported, known):
        warnings.append(
            f"{sum(supported):,} of {plural(len(pool), 'answer')} and {sum(known):,} of "
            f"{plural(len(control), 'control answer')} have a document or support, so people can recognize control "
            f"answers: {'fill in' if any(supported) else 'remove'} the columns document and support of the --control "
            "table"
        )
    several = [n > 1 for n in Counter(map(topic_of, pool)).values()]
    known = [n > 1 for n in Counter(row["topic"] for row in control).values()]
    if _differ(several, known):
        warnings.append(
            f"{sum(several):,} of {plural(len(several), 'question')} and {sum(known):,} of "
            f"{plural(len(known), 'control question')} have several answers, so people can recognize control "
            f"questions: give each question {'several rows' if any(several) else 'one row'} in the --control table"
        )
    return warnings


def _lacking_languages(languages: Collection[str], control: Mapping[str, str]) -> Iterator[str]:
    """Yield a warning, with advice, if people who judge in some of several `languages` get control questions in others,
    or none. `control` has the language of each control topic ("" for none)."""
    if len(languages) < 2 or not control:
        return
    if nameless := sum(not language for language in control.values()):
        yield (
            f"{nameless:,} of {plural(len(control), 'control question')} {'has' if nameless == 1 else 'have'} no "
            "language, so everybody gets them, and people who judge in one language can recognize those in another: "
            "fill in the column language of the --control table"
        )
    elif lacking := sorted({*languages} - {*control.values()}):
        yield f"people who judge in {enumerated(lacking)} only get no control answer: add rows to the --control table"


def _differ(first: Sequence[bool], other: Sequence[bool]) -> bool:
    """Return whether the share of true values in one list differs much from the share in the other list."""
    return abs(sum(first) / len(first) - sum(other) / len(other)) > MOST_APART


def facts_of(content: Content) -> dict[str, Any]:
    """Return the data that every assessor needs, keyed by name, as the rows of the table `about`."""
    return {
        "name": content.name,
        "guidelines": content.guidelines,
        "told": content.told,
        "secret": content.secret,
        NAMED: SECRET,
        "home": secrets.token_hex(8),
        "names": content.names,
        "pool": content.pool,
        "nuggets": dict(content.nuggets),
        "check": bool(content.grades),
        "assessors": content.assessors,
    }


def topic_of(item: Item) -> str:
    """Return the name of an item's topic, without characters that PostgreSQL cannot store."""
    return sanitize(item.question, LONGEST, target="page")


def languages_of(asked: Iterable[Item]) -> dict[str, str]:
    """Return the language of each item's topic, keyed by topic."""
    return {topic_of(item): sanitize(item.language, 100, target="page") for item in asked}


def unit(topic: str, language: str, times: int, part: str = "", inclusion: float | None = None) -> dict[str, Any]:
    """Return the row of a topic for the table `units`. Its random rank decides when people get the topic.

    `times` is the number of people who judge the topic. `part` is "training", "control" or, for an ordinary topic, "".
    `inclusion` is the probability that the topic was drawn, if topics were drawn.
    """
    rank = by_chance(topic)
    row = {"topic": topic, "language": language, "times": times, "part": part, "inclusion": inclusion}
    return row | {"taken": 0, "rank": rank, "strata": {}}


def strata_of(questions: Iterable[Question]) -> dict[str, dict[str, str]]:
    """Return the values of the questions' extra columns (strata), keyed by topic and then by column."""
    return {
        sanitize(question.id, LONGEST, target="page"): {
            sanitize(name, 100, target="page"): sanitize(value, 100, target="page")
            for name, value in question.strata.items()
            if name != LANGUAGE
        }
        for question in questions
    }


def write(connection: Connection, table: Table, rows: Iterable[dict[str, Any]]) -> None:
    """Insert rows into a table, in batches."""
    left = iter(rows)
    while batch := list(islice(left, BATCH)):
        connection.execute(insert(table), batch)


def _known(
    training: Path | str | None, control: Path | str | None, content: Content, languages: Collection[str]
) -> tuple[list[dict[str, Any]], dict[str, dict[str, str]]]:
    """Return the rows of the training and control answers, and the language of each topic in these two parts.

    The languages are keyed by part, and then by the name of the topic, which has the question and the beginning of an
    item's id. Without this beginning, a topic that is added later could have the same name. If people see a judge's
    grades, they also see the grades of control answers.
    """
    rows, parts = [], dict[str, dict[str, str]]()
    for part, path in ((TRAINING, training), (CONTROL, control)):
        names: dict[tuple[str, str], str] = {}
        for item, verdict, why, grade in known_answers(path, part, content.secret, languages) if path else ():
            name = names.setdefault((item.question, item.language), f"{item.question}-{item.id[:8]}")
            row = item_row(item) | {"given": None, "topic": name}
            rows.append(row | {"known": verdict, "why": sanitize(why, LONGEST, target="page")})
            if content.grades and grade and part == CONTROL:
                rows.append(_second(row, grade))
        if names:
            parts[part] = {name: language for (_, language), name in names.items()}
    return rows, parts


def _second(row: Mapping[str, Any], grade: str) -> dict[str, Any]:
    """Return the row of the item that shows a judge's `grade`, and asks for a second verdict on the answer of `row`."""
    return {**row, "id": f"{SECOND}:{row['id']}", "kind": SECOND, "grade": grade}


def item_row(item: Item) -> dict[str, Any]:
    """Return the row of an item for the table `items`, with the texts as the screen shows them.

    If the screen shows the question or answer differently, the row also has the original texts (`given`).
    """
    shown = shown_item(item)
    given = [item.question, item.answer]
    return {
        "given": None if given == [shown["topic"], shown["answer"]] else given,
        "gone": 0,
        "known": "",
        "why": "",
        "grade": "",
        "id": item.id,
        "topic": shown["topic"],
        "kind": kind_of(item),
        "question": shown["question"],
        "answer": shown["answer"],
        "supports": shown["supports"],
        "pool": item.version,
    }


def by_chance(_: str) -> float:
    """Return a random number that nobody can predict. The argument exists only so that this can be a sort key."""
    return secrets.SystemRandom().random()


def content_of(
    paths: Sequence[Path],
    sentences: bool,
    grades: Path | str | None = None,
    secret: str | None = None,
    made: Collection[str] = (),
) -> Content:
    """Return the items to judge in the folder of a campaign, or in questions and runs.

    `made` has the ids of the judgements with which people listed nuggets in the database. For questions and runs, ids
    of items are computed from the `secret` of their database. For a new database, `secret` is None, and a new secret is
    drawn.
    """
    if len(paths) == 1 and (paths[0] / SETTINGS).is_file():
        return _of_campaign(open_campaign(paths[0]), sentences, made)
    return _of_runs(paths, sentences, grades, secret or secrets.token_hex(32))


def _of_campaign(campaign: Campaign, sentences: bool, made: Collection[str]) -> Content:
    if not sentences:  # which are those of the present stories, whatever the runs say
        refuse_old_pool(campaign)
    pool = read_pool(campaign)
    asked = story_items(campaign) if sentences else [*lists_to_make(campaign, made), *pool]
    nuggets = campaign.settings.task == "nuggets"
    known = {item.question for item in pool}
    return Content(
        campaign.settings.name,
        tuple(item for item in asked if sentences or item.question in known),
        guidelines_of(campaign),
        told(campaign),
        campaign.secret,
        "nuggets" if nuggets else "verdicts",
        pool_version(pool),
        shown_nuggets(campaign) if nuggets else {},
        strata_of(q for part in campaign.topics().parts.values() for q in part.questions.values()),
        assessors=people_of(campaign),
    )


def _of_runs(paths: Sequence[Path], sentences: bool, grades: Path | str | None, secret: str) -> Content:
    """Return the distinct answers of runs, declined candidates included, as items to judge.

    An answer has all documents and texts with which any run supports it. `grades` is a file with a judge's grades, and
    item ids are computed from the `secret`.
    """
    if sentences:
        raise UsageError("people can judge sentences only in a campaign of the task reading")
    result = read(list(paths), Options(), gold=False)
    if not isinstance(result.data, Unjudged):
        raise UsageError(
            f"these files are {result.about}; give files of questions and runs, or the folder of a campaign"
        )
    questions = {question.id: question for question in result.data.collection.questions}
    given: list[tuple[str, PooledAnswer]] = []
    names: dict[tuple[str, str], str] = {}
    for run in result.data.runs:
        for response in run.responses:
            if response.answer is not None and response.answer.strip() and response.question_id in questions:
                name = named_by(secret, response.question_id, answer_key(response.answer))
                names[response.question_id, response.answer] = name
                answer = PooledAnswer(
                    response.question_id, response.answer, document=response.document, support=response.support
                )
                given.append((name, answer))
    languages = {identity: (question, question.strata.get(LANGUAGE, "")) for identity, question in questions.items()}
    check_languages(language for _, language in languages.values())
    pooled = tuple(distinct_items(given, languages))
    text = default_guidelines("qa")
    more: dict[str, Any] = {"strata": strata_of(questions.values())}
    if grades:
        graded, split, notes = grades_of(grades, result.data.runs, [*questions], names)
        more |= {"grades": graded, "split": split, "notes": notes}
    return Content(paths[0].stem, pooled, "", text, secret, **more)
