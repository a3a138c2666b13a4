"""The pool: every distinct answer that runs give, once and without their names, to be judged by people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import msgspec
from msgspec import Struct, field
from msgspec.structs import asdict, replace

from nescio.data.model import Question
from nescio.errors import MismatchError, UsageError
from nescio.options.edge import Progress
from nescio.people.campaigns.chain import UNREADABLE
from nescio.people.campaigns.entries import ACCEPTED
from nescio.people.campaigns.folder import POOL, RUNS, SECRET, TOPICS, Campaign, keyed, put, step
from nescio.people.campaigns.freshness import POOLING, done, inputs
from nescio.people.campaigns.judgements import read_judgements
from nescio.people.campaigns.log import latest
from nescio.people.campaigns.receipts import TakenIn, check_stored, read_receipts, taken_in
from nescio.people.campaigns.runs import examine
from nescio.people.campaigns.settings import Distinct, Task
from nescio.people.campaigns.topics import Topics, read_topics
from nescio.stats.parallel import followed
from nescio.text import answer_key, plural

POOLED: tuple[Task, ...] = ("qa", "reading", "nuggets")
ITEMS = "pool.jsonl"
_CONSONANTS = "bcdfghjkmnpqrtvwxz"  # without vowels no word, and so no month, truth value or number, comes about
_LENGTH = 12
NAMED = "named by"  # in the log: what the names of answers follow from, beside their words


class Item(Struct, frozen=True):
    """A distinct answer: `id` follows from the question, the answer and the secret, so that judgements outlast a pool.

    `supports` are all documents and texts that runs rest it on. `version` is that of the pool in which it was first;
    `current` says whether a run gives it now. An answer that none gives any more stays, as people judged it.
    """

    id: str
    question: str
    text: str
    answer: str
    supports: tuple[tuple[str | None, str | None], ...] = ()
    language: str = ""
    version: int = 1
    current: bool = True


class PooledAnswer(Struct, frozen=True):
    """An answer of a run: its rank, and whether the run gives it or withholds it."""

    question: str
    answer: str
    rank: int = 1
    answered: bool = True
    document: str | None = None
    support: str | None = None


class Pooled(Struct, frozen=True):
    """The result of `pool`: the numbers of answers, of distinct ones, and of those judged already."""

    path: Path
    runs: int
    questions: int
    given: int
    distinct: int
    judged: int
    gone: int
    after: str
    version: int = 1

    def __str__(self) -> str:
        left = f"; without {plural(self.gone, 'answer')} of an earlier pool that no counting run gives any more"
        gone = left if self.gone else ""
        return (
            f"wrote {self.path}: {plural(self.distinct, 'distinct answer')} of {self.given:,} that"
            f" {plural(self.runs, 'run')} gave to {plural(self.questions, 'question')};"
            f" {self.judged:,} judged already{gone}\nnext: {self.after}"
        )


class RunContents(Struct):
    """Every run that counts, with its answers and their names; read once for each step."""

    campaign: Campaign
    topics: Topics
    secret: str
    runs: list[TakenIn] = field(default_factory=list)
    content: dict[str, Any] = field(default_factory=dict)

    def item_id(self, given: PooledAnswer) -> str:
        """Return what the answer is called in the pool: answers that are alike once normalised have one name."""
        key = [given.question, answer_key(given.answer)]
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
    """Read the runs that count. Raises MismatchError for one that has a fault, which can only be where topics were
    changed since it came in."""
    _check_names(campaign)
    said = RunContents(campaign, campaign.topics(), campaign.secret, taken_in(campaign))
    for run in followed(said.runs, progress):
        check_stored(run)
        submission = examine(run.path, said.topics, campaign.settings, name=run.run, language=run.language)
        if submission.faults:
            rule = "the topics, or nescio's rules for runs, have changed since this run was accepted"
            raise MismatchError(f"{submission.faults[0]}; {rule}")
        said.content[run.run] = submission.said
    return said


def _check_names(campaign: Campaign) -> None:
    """Raise UsageError for a pool whose answers an earlier nescio named by their words alone."""
    made = latest(campaign, POOLING)
    if made is not None and made.about.get(NAMED) != SECRET:
        raise UsageError(
            f"an earlier version of nescio made {campaign / POOL}, with names of answers that people can guess from "
            "the texts; finish this campaign with that version, because its judgements use these names"
        )


def named_by(secret: str, *words: str) -> str:
    """Return a name for these words that nobody can compute without the secret.

    Its letters make no number, date or formula in a spreadsheet. All items that assessors see have such names.
    """
    number = int(keyed(secret, "name", *words), 16)
    letters = []
    for _ in range(_LENGTH):
        number, at = divmod(number, len(_CONSONANTS))
        letters.append(_CONSONANTS[at])
    return "".join(letters)


def pool(campaign: Path | str, *, progress: Progress | None = None) -> Pooled:
    """Pool the answers of all runs, each distinct one once without the names of runs, with declined candidates.

        print(nescio.campaign.pool("campaign"))

    Of each run the first `depth` answers to a question are pooled; of definition questions all strings. Answers are
    alike without case, white space, what nobody sees and ways to type an accent; with `distinct = "answer and
    document"` only from the same document. What is judged already stays judged. `progress` is called with the number
    of runs read. Raises UsageError for tasks that are judged by their key (ave, pan), where no run is in, and where an
    earlier nescio made the pool.
    """
    with step(campaign) as opened:
        task = opened.settings.task
        if task not in POOLED:
            raise UsageError(f"{task} is scored by its key alone; there is nothing to pool")
        read = inputs(opened, POOLING)
        said = read_runs(opened, progress)
        if not said.runs:
            raise UsageError(
                "no run was accepted yet, so there is nothing to pool; nescio campaign intake accepts runs"
            )
        items, given = pool_items(said)
        try:
            before = read_items(opened)
        except MismatchError:  # somebody changed it; the runs say what is in it
            before = []
        merged = merged_items(items, before)
        put(opened / POOL / ITEMS, pool_lines(merged))
        done(opened, POOLING, read, {NAMED: SECRET})
        judged = {judgement.item for judgement in read_judgements(opened)}
    ids, held = {item.id for item in items}, {item.id for item in before if item.current}
    after = f"nescio campaign sheets {opened.folder} --assessor NAME"
    counts = (len(said.runs), said.topics.count, given, len(items), len(ids & judged), len(held - ids))
    return Pooled(opened / POOL / ITEMS, *counts, after, pool_version(merged))


def pool_lines(items: Sequence[Item]) -> bytes:
    """Return a pool as it is written."""
    lines = [json.dumps(asdict(item), ensure_ascii=False) + "\n" for item in items]
    return "".join(lines).encode(errors="replace")


def pool_version(items: Sequence[Item]) -> int:
    """Return the version of a pool: one more each time that it got new answers."""
    return max((item.version for item in items), default=0)


def merged_items(items: Sequence[Item], before: Sequence[Item]) -> list[Item]:
    """Return the answers that runs give now, and then those that some gave once."""
    known = {item.id: item for item in before}
    version = pool_version(before) + any(item.id not in known for item in items)
    ids = {item.id for item in items}
    now = [replace(item, version=known[item.id].version if item.id in known else version) for item in items]
    return [*now, *(replace(item, current=False) for item in before if item.id not in ids)]


def pool_items(said: RunContents) -> tuple[list[Item], int]:
    """Return the distinct answers, by question and then in an order that no run decides, and how many runs gave."""
    depth = None if said.topics.task == "nuggets" else said.campaign.settings.depth
    given = [(said.item_id(one), one) for run in said.runs for one in said.given(run)]
    given = [(name, one) for name, one in given if depth is None or one.rank <= depth]
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
    """Return an item for each name of answers; `questions` have each its language.

    An item has the first of its answers by text, whichever run gave it, and all that they rest on.
    """
    alike: dict[str, list[PooledAnswer]] = {}
    for name, one in given:
        alike.setdefault(name, []).append(one)
    return [_item(name, answers, questions) for name, answers in alike.items()]


def _item(name: str, answers: Sequence[PooledAnswer], questions: Mapping[str, tuple[Question, str]]) -> Item:
    first = min(answers, key=lambda one: (one.answer, one.document or "", one.support or ""))
    supports = {(one.document, one.support) for one in answers if one.document or one.support}
    question, language = questions[first.question]
    listed = tuple(sorted(supports, key=lambda pair: (pair[0] or "", pair[1] or "")))
    return Item(name, first.question, question.text, first.answer, listed, language)


def read_items(campaign: Campaign) -> list[Item]:
    """Return every answer that was ever pooled, or none before the first pool."""
    path = campaign / POOL / ITEMS
    if not path.is_file():
        return []
    try:
        return msgspec.json.Decoder(Item).decode_lines(path.read_bytes())
    except UNREADABLE as error:
        raise MismatchError(
            f"{path} is not what nescio wrote ({error}); nescio campaign pool writes it again"
        ) from None


def once_given(campaign: Campaign) -> list[Item]:
    """Return every answer that was ever pooled, without those that no accepted run ever gave.

    Answers to removed topics are among them, because nobody can compare them with runs.
    """
    items = read_items(campaign)
    if all(item.current for item in items):
        return items
    topics, settings = read_topics(campaign / TOPICS, campaign.settings.task), campaign.settings
    said = RunContents(campaign, topics, campaign.secret)
    for old in read_receipts(campaign):
        if old.status == ACCEPTED:
            path, name = campaign / RUNS / str(old.stored), f"{old.run} {old.version}"
            said.runs.append(TakenIn(name, old.group, old.language, path, old.version or 0, old.digest))
            said.content[name] = examine(path, topics, settings, name=old.run, language=old.language).said or {}
    given: dict[str, list[PooledAnswer]] = {}
    for distinct in get_args(Distinct):  # which the settings may have changed since
        said.campaign = Campaign(campaign.folder, replace(settings, distinct=distinct))
        for answer in (answer for run in said.runs for answer in said.given(run)):
            given.setdefault(said.item_id(answer), []).append(answer)
    known = {name for part in topics.parts.values() for name in part.questions}

    def stays(item: Item) -> bool:
        alike = given.get(item.id, ())
        supports = {(one.document, one.support) for one in alike}
        is_given = item.answer in {one.answer for one in alike} and {*item.supports} <= supports
        return is_given or item.question not in known

    return [item for item in items if stays(item)]


def read_pool(campaign: Campaign) -> list[Item]:
    """Read the answers that runs give now; none if there is no pool yet."""
    return [item for item in read_items(campaign) if item.current]
