"""Make the pool: every distinct answer of the runs, once and without the names of runs, for people to judge."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, get_args

import msgspec
from msgspec import Struct, field
from msgspec.structs import asdict, replace

from nescio.data.model import Question
from nescio.errors import MismatchError, UsageError
from nescio.options.edge import Progress
from nescio.people.campaigns.assessors import open_items
from nescio.people.campaigns.chain import UNREADABLE
from nescio.people.campaigns.entries import ACCEPTED
from nescio.people.campaigns.folder import POOL, RUNS, SECRET, TOPICS, Campaign, decoded, keyed, put, step
from nescio.people.campaigns.freshness import POOLING, done, inputs, newer_than_pool
from nescio.people.campaigns.items import Item, pool_version, whole_text
from nescio.people.campaigns.judgements import (
    HISTORY,
    LISTS,
    Change,
    Present,
    append_history,
    guidelines_of,
    lists_taken_in,
    read_history,
    read_judgements,
    restored,
    taken_back,
)
from nescio.people.campaigns.log import digest, digests, latest, read_log, record
from nescio.people.campaigns.receipts import TakenIn, check_stored, read_receipts, taken_in
from nescio.people.campaigns.runs import TO_FIT, examine
from nescio.people.campaigns.screens import key_nuggets, sentence_items, sheet_lists, shown_keys
from nescio.people.campaigns.settings import Distinct, Task
from nescio.people.campaigns.shown_texts import SENTENCES, kind_of_id, still_holds, texts_key
from nescio.people.campaigns.topics import Topics, read_topics
from nescio.stats.parallel import followed
from nescio.text import answer_key, plural

POOLED: tuple[Task, ...] = ("qa", "reading", "nuggets")
ITEMS = "pool.jsonl"
STORIES = "stories.json"  # the keys of the texts of stories, to notice that one changed
_CONSONANTS = "bcdfghjkmnpqrtvwxz"  # without vowels, so that no month, truth value or number results
_LENGTH = 12
NAMED = "named by"  # in the log: the secret from which, with the texts, the ids of items are computed


class PooledAnswer(Struct, frozen=True):
    """An answer of a run: its question, its rank, and whether the run gives the answer or withholds it (`answered`)."""

    question: str
    answer: str
    rank: int = 1
    answered: bool = True
    document: str | None = None
    support: str | None = None


class Pooled(Struct, frozen=True):
    """The result of `pool`: how many answers the runs gave, how many are distinct, and how many of these are judged.

    `taken_back` counts the verdicts that do not hold for the present texts, and `restored` those that hold again.
    `unused` counts the verdicts on the answers of an earlier pool that were left out (`gone`).
    """

    path: Path
    runs: int
    questions: int
    given: int
    distinct: int
    judged: int
    gone: int
    after: str
    version: int = 1
    taken_back: int = 0
    restored: int = 0
    unused: int = 0

    def __str__(self) -> str:
        left = (
            f"; left out {plural(self.gone, 'answer')} of an earlier pool, which no run that counts still gives with"
            " the present settings"
        )
        unused = f" ({plural(self.unused, 'verdict')} on them {'does' if self.unused == 1 else 'do'} not count now)"
        gone = f"{left}{unused if self.unused else ''}" if self.gone else ""
        if self.taken_back:
            count = plural(self.taken_back, "verdict")
            gone += (
                f"; took back {count} because the question, its supports or its nuggets changed; nescio campaign "
                "sheets asks again"
            )
        if self.restored:
            gone += f"; {plural(self.restored, 'verdict')} count again, because the texts are as they were"
        return (
            f"wrote {self.path}: {plural(self.distinct, 'distinct answer')} of {self.given:,} that"
            f" {plural(self.runs, 'run')} gave to {plural(self.questions, 'question')};"
            f" {self.judged:,} judged already{gone}\nnext: {self.after}"
        )


@lru_cache(1 << 14)
def _shared(options: tuple[str, ...]) -> frozenset[str]:
    """Return what several different options are after normalisation."""
    return frozenset(key for key, times in Counter(map(answer_key, {*options})).items() if times > 1)


class RunContents(Struct):
    """The runs that count and what they submitted, keyed by run in `content`."""

    campaign: Campaign
    topics: Topics
    secret: str
    runs: list[TakenIn] = field(default_factory=list)
    content: dict[str, Any] = field(default_factory=dict)

    def item_id(self, given: PooledAnswer) -> str:
        """Return the id of an answer in the pool; answers that are equal after normalisation have the same id.

        Options of one question that are equal after normalisation, such as "q" and "Q", have different ids.
        """
        parts = self.topics.parts.values()
        asked = next((part.questions[given.question] for part in parts if given.question in part.questions), None)
        text = answer_key(given.answer)
        key = [given.question, given.answer if asked and text in _shared(asked.options) else text]
        if self.campaign.settings.distinct == "answer and document":
            key.append(given.document or answer_key(given.support or ""))
        return named_by(self.secret, *key)

    def given(self, run: TakenIn) -> Iterator[PooledAnswer]:
        """Yield the answers of a run, declined candidates included."""
        if self.topics.task == "nuggets":
            for target, response in self.content[run.run].items():
                for rank, (text, document) in enumerate(_strings(response), 1):
                    yield PooledAnswer(target, text, rank, document=document)
            return
        for response in self.content[run.run]:
            if response.answer is not None:
                yield PooledAnswer(
                    response.question_id,
                    response.answer,
                    response.rank,
                    response.answered,
                    response.document,
                    response.support,
                )


def _strings(response: Any) -> list[tuple[str, str | None]]:
    documents = response.documents or (None,) * len(response.strings)
    return list(zip(response.strings, documents, strict=True))


def read_runs(campaign: Campaign, progress: Progress | None = None) -> RunContents:
    """Return the runs that count, with their answers, each in its language by the present topics.

    Raises MismatchError for a run that has a fault now, because topics or rules have changed since it was accepted.
    """
    _check_names(campaign)
    contents = RunContents(campaign, campaign.topics(), campaign.secret)
    for run in followed(taken_in(campaign), progress):
        check_stored(run)
        submission = examine(run.path, contents.topics, campaign.settings, accepted=run)
        if submission.faults:
            rule = "the topics, settings or nescio's rules for runs have changed since this run was accepted"
            raise MismatchError(f"{submission.faults[0]}; {rule}; {TO_FIT}")
        contents.runs.append(replace(run, language=submission.language))
        contents.content[run.run] = submission.said
    return contents


def _check_names(campaign: Campaign) -> None:
    """Raise UsageError if an earlier version of nescio made the pool, with ids of answers that people can guess.

    That version computed the ids without a secret.
    """
    made = latest(campaign, POOLING)
    if made is not None and made.about.get(NAMED) != SECRET:
        raise UsageError(
            f"an earlier version of nescio made {campaign / POOL}, and people can guess its ids of answers from "
            "the texts; finish this campaign with that version, because the judgements use these ids"
        )


def named_by(secret: str, *words: str) -> str:
    """Return an id for these words, of 12 consonants, that nobody can compute without the secret.

    A spreadsheet cannot read it as a number, date or formula.
    """
    number = int(keyed(secret, "name", *words), 16)
    letters = []
    for _ in range(_LENGTH):
        number, at = divmod(number, len(_CONSONANTS))
        letters.append(_CONSONANTS[at])
    return "".join(letters)


def pool(campaign: Path | str, *, progress: Progress | None = None) -> Pooled:
    """Pool the distinct answers of all runs, declined candidates included, without the names of runs.

    The first `depth` answers of each run to a question are pooled; for definition questions, all strings. Answers are
    equal if they differ only in case, white space, invisible characters or the encoding of accents; with `distinct =
    "answer and document"` they must also be from the same document. Earlier judgements stay, but judgements that do not
    hold for the present question or supports (`shown_texts.still_holds`) are taken back. `progress` is called with the
    number of runs read. Raises UsageError for tasks that are judged by their key (ave, pan), if no run was accepted,
    and if an earlier version of nescio made the pool.
    """
    with step(campaign) as opened:
        task = opened.settings.task
        if task not in POOLED:
            raise UsageError(f"the task {task} is scored only by its key, so there is nothing to pool")
        read = inputs(opened, POOLING)
        contents = read_runs(opened, progress)
        if not contents.runs:
            raise UsageError(
                "no run was accepted yet, so there is nothing to pool; nescio campaign intake accepts runs"
            )
        items, given = pool_items(contents)
        try:
            before = read_items(opened)
        except MismatchError:  # Somebody changed it. It is made again from the runs.
            before = []
        if not before:
            _check_lost(opened)
        merged = merged_items(items, before)
        # First, so that a pool that is made again after an interruption takes back the same verdicts.
        shown = [*merged, *sentence_items(opened)]
        texts = shown_keys(shown, key_nuggets(opened)), shown_keys(shown, key_nuggets(opened) | sheet_lists(opened))
        earlier = _Unstated(_keys(before) | _read_stories(opened), _keys(merged) | _story_keys(contents.topics))
        back, again = _take_back(opened, texts, earlier, pool_version(merged))
        put(opened / POOL / ITEMS, pool_lines(merged))
        if stories := story_lines(contents.topics):
            put(opened / POOL / STORIES, stories)
        done(opened, POOLING, read, {NAMED: SECRET})
        verdicts = [judgement.item for judgement in read_judgements(opened)]
        judged = {*verdicts} - open_items(opened).keys()
    ids, held = {item.id for item in items}, {item.id for item in before if item.current}
    after = f"sheets {opened.typed} --assessor NAME" if ids - judged else f"score {opened.typed}"
    counts = (len(contents.runs), contents.topics.count, given, len(items), len(ids & judged), len(held - ids))
    unused = sum(item in held - ids for item in verdicts)
    return Pooled(opened / POOL / ITEMS, *counts, f"nescio campaign {after}", pool_version(merged), back, again, unused)


def _check_lost(campaign: Campaign) -> None:
    """Raise MismatchError if the pool is lost, and it is unknown which verdicts hold for the present texts.

    All verdicts hold if neither questions nor runs are newer than the lost pool.
    """
    newer = newer_than_pool(campaign)
    if newer and read_judgements(campaign):
        rule = "is missing or was changed, so nescio cannot tell which verdicts still hold; put the file back"
        raise MismatchError(f"{campaign / POOL / ITEMS} {rule} ({newer[0]} is newer)")


def _keys(items: Sequence[Item]) -> dict[str, str]:
    return {item.id: texts_key(item.text, item.supports) for item in items}


def _story_keys(topics: Topics) -> dict[str, str]:
    """Return the key of the texts (question and story) of each question about a story, keyed by item."""
    questions = [question for part in topics.parts.values() for question in part.questions.values() if question.story]
    return {
        f"{SENTENCES}:{question.id}": texts_key(question.text, [[None, text] for text in question.story])
        for question in questions
    }


def story_lines(topics: Topics) -> bytes:
    """Return the content of the file that keeps the keys of questions and stories; empty if there are no stories."""
    keys = _story_keys(topics)
    return json.dumps(keys, indent=1).encode() + b"\n" if keys else b""


def _read_stories(campaign: Campaign) -> dict[str, str]:
    path = campaign / POOL / STORIES
    return (
        decoded(path, dict[str, str], "delete it, and nescio campaign pool writes it again") if path.is_file() else {}
    )


class _Unstated(NamedTuple):
    """The keys of texts in the earlier pool and now, for verdicts whose lines in the history do not state the texts."""

    before: Mapping[str, str]
    now: Mapping[str, str]


def _take_back(
    campaign: Campaign, shown: tuple[Mapping[str, str], Mapping[str, str]], earlier: _Unstated, version: int
) -> tuple[int, int]:
    """Take back the verdicts that do not hold for the present texts, and restore those that hold again; return both
    numbers.

    `shown` has the key of the present texts of each item, for verdicts from sheets and for those from pages. A verdict
    that is taken back gets a line of the history, as if the assessor had withdrawn the verdict, so that `sheets` asks
    again.
    """
    guidelines, history = guidelines_of(campaign), read_history(campaign)
    given = {(line.item, line.assessor, line.after): line for line in history if line.after}

    def texts(line: Change) -> str:
        return shown[bool(line.record)][line.item]

    def holds(line: Change) -> bool:
        then, now = line.texts, texts(line)
        if not then:
            then, now = earlier.before.get(line.item, ""), earlier.now[line.item]
        return still_holds(kind_of_id(line.item), line.after, then, now)

    lines = [line for line in Present(history).lines.values() if line.item in shown[0]]
    lost = [taken_back(line, version, guidelines, texts(line)) for line in lines if line.after and not holds(line)]
    gone = [line for line in lines if line.taken_back]
    back = [(line, given.get((line.item, line.assessor, line.before))) for line in gone]
    again = [
        restored(line, by, version, guidelines)
        for line, by in back
        # An earlier version exported a verdict that its server had taken back with the key of the later texts.
        if by is not None and by.texts and holds(by) and not (line.record and by.at == line.at)
    ]
    rows = [*lost, *again]
    if rows:
        head = append_history(campaign, rows)
        taken = lists_taken_in(read_log(campaign))
        wrote = digests(campaign, HISTORY) | ({LISTS: taken} if taken else {})
        record(campaign, "collect", digests(campaign, f"{POOL}/{ITEMS}"), wrote, {"history": head})
    return len(lost), len(again)


def pool_lines(items: Sequence[Item]) -> bytes:
    """Return the content of the file in which the pool is stored: a line of JSON for each item."""
    lines = [json.dumps(asdict(item), ensure_ascii=False) + "\n" for item in items]
    return "".join(lines).encode(errors="replace")


def merged_items(items: Sequence[Item], before: Sequence[Item]) -> list[Item]:
    """Return the current `items`, and then the items of the pool `before` that no run gives any more."""
    known = {item.id: item for item in before}
    version = pool_version(before) + any(item.id not in known for item in items)
    ids = {item.id for item in items}
    now = [replace(item, version=known[item.id].version if item.id in known else version) for item in items]
    return [*now, *(replace(item, current=False) for item in before if item.id not in ids)]


def pool_items(said: RunContents) -> tuple[list[Item], int]:
    """Return the distinct answers, sorted by question and then by id, and the number of answers that runs gave."""
    depth = None if said.topics.task == "nuggets" else said.campaign.settings.depth
    given = [(said.item_id(answer), answer) for run in said.runs for answer in said.given(run)]
    given = [(name, answer) for name, answer in given if depth is None or answer.rank <= depth]
    questions = {
        identity: (question, part.language)
        for part in said.topics.parts.values()
        for identity, question in part.questions.items()
    }
    place = {identity: number for number, identity in enumerate(questions)}
    items = distinct_items(given, questions)
    return sorted(items, key=lambda item: (item.language, place[item.question], item.id)), len(given)


def distinct_items(
    given: Iterable[tuple[str, PooledAnswer]], questions: Mapping[str, tuple[Question, str]]
) -> list[Item]:
    """Return an item for each distinct id in `given`, which has pairs of an item's id and an answer.

    Answers have the same id if they differ only in case, for example. The item shows the alphabetically first of these
    answers, with all documents and texts that support any of them. `questions` maps the ids of questions to pairs of a
    question and its language.
    """
    alike: dict[str, list[PooledAnswer]] = {}
    for name, answer in given:
        alike.setdefault(name, []).append(answer)
    return [_item(name, answers, questions) for name, answers in alike.items()]


def _item(name: str, answers: Sequence[PooledAnswer], questions: Mapping[str, tuple[Question, str]]) -> Item:
    first = min(answers, key=lambda answer: (answer.answer, answer.document or "", answer.support or ""))
    supports = {(answer.document, answer.support) for answer in answers if answer.document or answer.support}
    question, language = questions[first.question]
    listed = tuple(sorted(supports, key=lambda pair: (pair[0] or "", pair[1] or "")))
    return Item(name, first.question, whole_text(question), first.answer, listed, language)


def read_items(campaign: Campaign) -> list[Item]:
    """Return every answer that was ever pooled; none if no pool was made."""
    path = campaign / POOL / ITEMS
    if not path.is_file():
        return []
    try:
        return msgspec.json.Decoder(Item).decode_lines(path.read_bytes())
    except UNREADABLE as error:
        raise MismatchError(
            f"{path} is not as nescio wrote it ({error}); to write it again, run nescio campaign pool"
        ) from None


def once_given(campaign: Campaign) -> list[Item]:
    """Return every answer that was ever pooled and that an accepted version of a run gave.

    Answers to removed topics and to earlier texts of questions are always returned, because runs are read by the
    present topics: a letter may name another option there.
    """
    items = read_items(campaign)
    if all(item.current for item in items):
        return items
    contents = every_version(campaign)
    given: dict[str, list[PooledAnswer]] = {}
    for distinct in get_args(Distinct):  # which the settings may have changed since
        contents.campaign = Campaign(campaign.folder, replace(campaign.settings, distinct=distinct))
        for answer in (answer for run in contents.runs for answer in contents.given(run)):
            given.setdefault(contents.item_id(answer), []).append(answer)
    now = {
        name: whole_text(question)
        for part in contents.topics.parts.values()
        for name, question in part.questions.items()
    }

    def stays(item: Item) -> bool:
        alike = given.get(item.id, ())
        supports = {(answer.document, answer.support) for answer in alike}
        is_given = item.answer in {answer.answer for answer in alike} and {*item.supports} <= supports
        return is_given or item.text != now.get(item.question)

    return [item for item in items if stays(item)]


def every_version(campaign: Campaign) -> RunContents:
    """Return every accepted version of every run, with its answers to all topics, those that were dropped included.

    A version is left out if its stored file has changed.
    """
    topics, settings = read_topics(campaign / TOPICS, campaign.settings.task), campaign.settings
    contents = RunContents(campaign, topics, campaign.secret)
    for old in read_receipts(campaign):
        path, name = campaign / RUNS / str(old.stored), f"{old.run} {old.version}"
        if old.status == ACCEPTED and digest(path) == old.digest:
            contents.runs.append(TakenIn(name, old.group, old.language, path, old.version or 0, old.digest))
            contents.content[name] = examine(path, topics, settings, accepted=old).said or {}
    return contents


def read_pool(campaign: Campaign) -> list[Item]:
    """Return the pooled answers that runs give now; none without a pool."""
    return [item for item in read_items(campaign) if item.current]
