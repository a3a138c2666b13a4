"""The pool: every distinct answer that runs give, once and without their names, to be judged by people."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import asdict

from nescio.campaigns.folder import POOL, Campaign, put, step
from nescio.campaigns.judgements import read_judgements
from nescio.campaigns.receipts import TakenIn, taken_in
from nescio.campaigns.runs import examine
from nescio.campaigns.settings import Task
from nescio.campaigns.topics import Topics
from nescio.data.model import Question
from nescio.errors import MismatchError, UsageError
from nescio.options.edge import Progress
from nescio.stats.parallel import followed
from nescio.text import composed, plural, squeeze

POOLED: tuple[Task, ...] = ("qa", "reading", "nuggets")
ITEMS = "pool.jsonl"


class Item(Struct, frozen=True):
    """A distinct answer: `id` depends on nothing but the question and the answer, so that judgements outlast a pool."""

    id: str
    question: str
    text: str
    answer: str
    document: str | None = None
    support: str | None = None
    language: str = ""


class PooledAnswer(Struct, frozen=True):
    """An answer as a run gives it: at which rank, and whether it stands by it."""

    question: str
    answer: str
    rank: int = 1
    answered: bool = True
    document: str | None = None
    support: str | None = None


class Pooled(Struct, frozen=True):
    """What `pool` made: of how many answers how many are distinct, and how many of these are judged already."""

    path: Path
    runs: int
    questions: int
    given: int
    distinct: int
    judged: int
    gone: int
    after: str

    def __str__(self) -> str:
        gone = f"; {self.gone} from an earlier pool are no longer in any run" if self.gone else ""
        return (
            f"wrote {self.path}: {plural(self.distinct, 'distinct answer')} of {self.given:,} that"
            f" {plural(self.runs, 'run')} gave to {plural(self.questions, 'question')};"
            f" {self.judged:,} judged already{gone}\nnext: {self.after}"
        )


class RunContents(Struct):
    """Every run that counts, with what it says; read once for a step."""

    campaign: Campaign
    topics: Topics
    runs: list[TakenIn] = field(default_factory=list)
    content: dict[str, Any] = field(default_factory=dict)

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
    """Read the runs that count; raises MismatchError for one that has a fault, which can only be where topics were
    changed since it came in."""
    said = RunContents(campaign, campaign.topics(), taken_in(campaign))
    for run in followed(said.runs, progress):
        submission = examine(run.path, said.topics, name=run.run, language=run.language)
        if submission.faults:
            raise MismatchError(f"{submission.faults[0]}; the topics have changed since this run came in")
        said.content[run.run] = submission.said
    return said


def item_id(campaign: Campaign, given: PooledAnswer) -> str:
    """Return what the answer is called in the pool: answers that are alike once normalised have one name."""
    key = [given.question, squeeze(composed(given.answer) or "")]
    if campaign.settings.distinct == "answer and document":
        key.append(given.document or squeeze(given.support or ""))
    return f"{given.question}.{hashlib.sha256(json.dumps(key).encode()).hexdigest()[:10]}"


def pool(campaign: Path | str, *, progress: Progress | None = None) -> Pooled:
    """Pool the answers of all runs: each distinct one once, without the names of runs, declined candidates included.

        print(nescio.campaign.pool("campaign"))

    Of each run the first `depth` answers to a question are pooled; of definition questions all strings. Answers are
    alike without case, white space and ways to type an accent; with `distinct = "answer and document"` only from the
    same document. What is judged already stays judged. `progress` is called with the number of runs read. Raises
    UsageError for tasks that are judged by their key (ave, pan), and where no run is in.
    """
    with step(campaign) as opened:
        task = opened.settings.task
        if task not in POOLED:
            raise UsageError(f"{task} is scored by its key alone; there is nothing to pool")
        said = read_runs(opened, progress)
        if not said.runs:
            raise UsageError("no run is in, so there is nothing to pool; nescio campaign intake takes runs in")
        items, given = _items(said)
        before = {item.id for item in read_pool(opened)}
        lines = [json.dumps(asdict(item), ensure_ascii=False) + "\n" for item in items]
        put(opened / POOL / ITEMS, "".join(lines).encode(errors="replace"))
        judged = {judgement.item for judgement in read_judgements(opened)}
    ids = {item.id for item in items}
    after = f"nescio campaign sheets {opened.folder} --assessor NAME"
    counts = (len(said.runs), said.topics.count, given, len(items), len(ids & judged), len(before - ids))
    return Pooled(opened / POOL / ITEMS, *counts, after)


def _items(said: RunContents) -> tuple[list[Item], int]:
    """Return the distinct answers, by question and then in an order that no run decides."""
    campaign = said.campaign
    depth = None if said.topics.task == "nuggets" else campaign.settings.depth
    alike: dict[str, list[PooledAnswer]] = {}
    total = 0
    for run in said.runs:
        for given in said.given(run):
            if depth is None or given.rank <= depth:
                alike.setdefault(item_id(campaign, given), []).append(given)
                total += 1
    questions = {
        identity: (place, question, part.language)
        for part in said.topics.parts.values()
        for place, (identity, question) in enumerate(part.questions.items())
    }
    items = [_item(identity, answers, questions) for identity, answers in alike.items()]
    return sorted(items, key=lambda item: (item.language, questions[item.question][0], item.id)), total


def _item(identity: str, answers: Sequence[PooledAnswer], questions: Mapping[str, tuple[int, Question, str]]) -> Item:
    """Return the one that stands for answers that are alike: the first by text, whoever gave it."""
    first = min(answers, key=lambda one: (one.answer, one.document or "", one.support or ""))
    support = min(((one.support, one.document) for one in answers if one.support), default=(None, first.document))
    _, question, language = questions[first.question]
    return Item(identity, first.question, question.text, first.answer, support[1], support[0], language)


def read_pool(campaign: Campaign) -> list[Item]:
    """Read the pool; none where there is none yet."""
    path = campaign / POOL / ITEMS
    if not path.is_file():
        return []
    return msgspec.json.Decoder(Item).decode_lines(path.read_bytes())
