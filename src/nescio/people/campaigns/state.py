"""Report which steps of a campaign are done, which are outdated, and which comes next."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from nescio.errors import MismatchError, NescioError
from nescio.people.campaigns.assessors import open_items, read_asked, returned, unasked
from nescio.people.campaigns.entries import REFUSED, Entry, ScoringPlan
from nescio.people.campaigns.folder import HANDOUT, RUNS, SHEETS, TOPICS, Campaign, contents, open_campaign
from nescio.people.campaigns.freshness import POOLING, PUBLISHING, SCORING, age
from nescio.people.campaigns.handing_out import handout_files, lacking_key
from nescio.people.campaigns.items import Item
from nescio.people.campaigns.judgements import Judgement, read_history, read_judgements
from nescio.people.campaigns.keyed import key_judge, keyed, without_answer
from nescio.people.campaigns.log import digests, is_fixed, latest, now, read_log
from nescio.people.campaigns.pooling import POOLED, read_pool
from nescio.people.campaigns.receipts import disqualified, read_receipts, taken_in, unnamed_groups
from nescio.people.campaigns.rulings import deadline_of
from nescio.people.campaigns.screens import sentence_items
from nescio.people.campaigns.settings import SETTINGS, moment
from nescio.people.campaigns.sheet_times import left_in_sheets
from nescio.people.campaigns.tampering import faults, pending
from nescio.people.campaigns.topics import Topics, nugget_texts, without_list
from nescio.people.campaigns.verdicts import MORE_PEOPLE, disputed
from nescio.text import command_text, plural, sanitize


class Step(Struct, frozen=True):
    """A step of a campaign: whether it is done, its state in words, and the command that does it."""

    name: str
    done: bool
    what: str
    command: str


class Status(Struct, frozen=True):
    """All steps of a campaign, in order."""

    name: str
    steps: tuple[Step, ...]

    @property
    def after(self) -> Step | None:
        """Return the first step that is not done, or None if all are."""
        return next((step for step in self.steps if not step.done), None)

    def __str__(self) -> str:
        steps = (f"  {'done' if step.done else 'open'}  {step.name:<11} {sanitize(step.what)}" for step in self.steps)
        lines = [sanitize(self.name), *steps]
        last = f"next: {self.after.command}" if self.after else "everything is done; each step can be repeated"
        return "\n".join([*lines, last])


def status(campaign: Path | str) -> Status:
    """Return the state of each step of a campaign, and the next step.

    A step is done, not done, or outdated because its inputs changed. Inputs and outputs are compared by their digests,
    never by dates. Raises UsageError if the folder is not a campaign.
    """
    opened = open_campaign(campaign)
    return Status(opened.settings.name, tuple(_steps(opened)))


def _steps(campaign: Campaign) -> list[Step]:
    folder = campaign.folder
    broken = _integrity(campaign)
    if broken and not broken.done:
        return [broken]
    entries = read_log(campaign)
    topics = campaign.topics()
    key = f", key apart ({plural(len(campaign.key_files), 'file')})" if campaign.key_files else ", no key"
    judged = campaign.settings.task in POOLED and not _by_key(campaign, topics)
    steps = [
        Step("topics", True, f"{plural(topics.count, 'topic')}{key}", f"nescio campaign init {campaign.typed}"),
        _handout(campaign),
        _intake(campaign, entries),
        *(_judging(campaign) if judged else ()),
    ]
    if not campaign.key_files and campaign.settings.task not in POOLED:
        steps.append(
            Step(
                "key",
                False,
                f"missing, but the task {campaign.settings.task} is scored by its key",
                f"put it into {folder}/key",
            )
        )
    return [*steps, *_last(campaign, entries)]


def _integrity(campaign: Campaign) -> Step | None:
    """Return a `Step` that names the first difference between the files and the log, or None.

    Differences that a repeated step removes are left out, because `status` shows the step as outdated.
    """
    differences = [fault for fault in faults(campaign) if not (fault.rule.endswith("repeat the step"))]
    if not differences:
        return None
    more = f"; and {len(differences) - 1} more" if len(differences) > 1 else ""
    return Step("integrity", False, f"{differences[0]}{more}", f"nescio campaign verify {campaign.typed}")


def _by_key(campaign: Campaign, topics: Topics) -> bool:
    """Return whether only the key judges: there is a key but no pool, and the task, settings or options permit it."""
    questions = [question for part in topics.parts.values() for question in part.questions.values()]
    judged = topics.task == "reading" or key_judge(campaign.settings, questions)
    return bool(judged and campaign.key_files) and not _pool(campaign)


def _pool(campaign: Campaign) -> list[Item]:
    """Return the pool; if it is unreadable, an empty list, because `age` reports that the pool must be made again."""
    try:
        return read_pool(campaign)
    except MismatchError:
        return []


def _last(campaign: Campaign, entries: list[Entry]) -> list[Step]:
    """Return the steps that make the results and the site, with their states."""
    scored, published = age(campaign, SCORING, entries), age(campaign, PUBLISHING, entries)
    last = latest(campaign, SCORING, entries)
    kept = msgspec.convert(last.about, ScoringPlan).within(campaign.folder) if last else ()
    files = [word for name in kept for word in ("--ranking", name)]
    score = command_text(["nescio", "campaign", "score", str(campaign.folder), *files])
    fresh = scored is not None and scored.fresh
    site = "none" if published is None else "pages, returns, LaTeX" if published.fresh else str(published)
    if published is not None and published.fresh and not fresh:
        site = "of outdated results"
    return [
        Step("results", fresh, "none" if scored is None else "of all runs" if fresh else str(scored), score),
        Step(
            "site",
            published is not None and published.fresh and fresh,
            site,
            f"nescio campaign publish {campaign.typed}",
        ),
    ]


def _handout(campaign: Campaign) -> Step:
    """Return the step that writes the files for teams, with its state."""
    made = contents(campaign / HANDOUT) if (campaign / HANDOUT).is_dir() else {}
    command = f"nescio campaign handout {campaign.typed}"
    last = latest(campaign, "handout")
    is_read = last is not None and last.read == digests(campaign, SETTINGS, TOPICS)
    is_kept = last is not None and last.wrote == digests(campaign, HANDOUT)
    try:
        # Another version of nescio may write other files from the same topics and settings.
        fresh = made == handout_files(campaign)[0] or (is_read and is_kept)
        lacking = lacking_key(campaign)
    except NescioError as error:  # of a column that looks like the key, or a key that cannot be read
        return Step("handout", False, str(error), command)
    if not made:
        return Step(
            "handout", bool(taken_in(campaign)), "; ".join(filter(None, ("none was written", lacking))), command
        )
    what = "the files for teams"
    if not fresh:
        what = "changed later" if is_read else "outdated, because topics or settings changed later"
    return Step("handout", fresh, "; ".join(filter(None, (what, lacking))), command)


def _judging(campaign: Campaign) -> list[Step]:
    """Return the steps from the pool to the verdicts of people."""
    answers = _pool(campaign)
    judgements, open_ = read_judgements(campaign), open_items(campaign)
    items = _listed_questions(campaign, answers, judgements, open_) or answers
    old = age(campaign, POOLING)
    fresh = old is not None and old.fresh
    pool = plural(len(answers), "distinct answer") if old is None or fresh else str(old)
    done = {judgement.item for judgement in judgements} - open_.keys()
    judging = _Judging(
        campaign=campaign,
        items=items,
        judgements=judgements,
        open_=open_,
        by_sentences=items is not answers,
        left=sum(item.id not in done for item in items),
        nothing=fresh and not items,
    )
    return [
        Step("pool", fresh, pool, f"nescio campaign pool {campaign.typed}"),
        _sheets(judging),
        _verdicts(judging),
    ]


class _Judging(Struct, frozen=True):
    """What people judge in a campaign: answers, or questions if people list the sentences that answer them.

    `open_` has the items that must be judged again, and `left` counts the items without a verdict. `nothing` says that
    the pool is up to date and empty.
    """

    campaign: Campaign
    items: list[Item]
    judgements: list[Judgement]
    open_: Mapping[str, int]
    by_sentences: bool
    left: int
    nothing: bool

    @property
    def noun(self) -> str:
        """Return what an item is called."""
        return "question" if self.by_sentences else "answer"

    @property
    def option(self) -> str:
        """Return the option of `nescio campaign sheets` for these items."""
        return " --sentences" if self.by_sentences else ""


def _sheets(judging: _Judging) -> Step:
    """Return the step in which people get their sheets."""
    campaign, items, noun, open_ = judging.campaign, judging.items, judging.noun, judging.open_
    new = unasked(campaign, items, judging.judgements, open_)
    sheets = sorted(
        path.name for path in (campaign / SHEETS).glob("[!.]*") if path.suffix in (".csv", ".xlsx", ".html")
    )
    asked = ", ".join(sheets) or "none"
    if new and sheets:
        who, since = "nobody was", ""
        if all(item.id in open_ for item in new):
            who, since = "too few people were", " since the question, its supports or its nuggets changed"
        skipped = {line.item for line in read_history(campaign) if line.mark == "skip"} & {item.id for item in new}
        since += f" ({len(skipped):,} skipped: ask somebody else)" if skipped else ""
        asked = f"{plural(len(new), noun)} that {who} asked to judge{since}"
    lists = [] if judging.by_sentences else [item for item in sentence_items(campaign) if item.id in open_]
    lists = unasked(campaign, lists, judging.judgements, open_)
    write = f"nescio campaign sheets {campaign.typed} --assessor NAME{judging.option}"
    if lists:
        more = f"{plural(len(lists), 'question')} to answer by sentences again, because question or story changed"
        asked = f"{asked}; {more}" if new else more
        write = f"{write}, then {write} --sentences" if new else f"{write} --sentences"
    all_judged = bool(items) and not judging.left
    if not sheets and (judging.nothing or all_judged):  # pages or a server brought the verdicts
        why = f"all {noun}s are judged" if items else "no run answers a question"
        asked = asked if new or lists else f"none needed, because {why}"
    done = judging.nothing or ((bool(sheets) or all_judged) and not (new or lists))
    return Step("sheets", done, asked, write)


def _verdicts(judging: _Judging) -> Step:
    """Return the step in which people's verdicts are collected."""
    campaign, items, noun = judging.campaign, judging.items, judging.noun
    dispute = disputed(campaign, judging.judgements) if items else []
    what = f"{len(items) - judging.left:,} of {plural(len(items), noun)} judged, {len(dispute)} in dispute"
    again = sum(item.id in judging.open_ for item in items)
    if again:
        what += f"; {again:,} to be judged again, because the question, its supports or its nuggets changed"
        what += f" (if people are missing, {MORE_PEOPLE})"
    back = returned(campaign, items, judging.judgements)
    if back.verdicts < back.of:
        what += f"; {back}"
    judged = not judging.left and not dispute and back.verdicts == back.of
    changed = left_in_sheets(campaign) if judged else []
    what = "; ".join([what, *changed])
    if campaign.settings.task == "nuggets":
        listed = {question for question, *_ in nugget_texts(campaign.key_files)}
        targets = [question for part in campaign.topics().parts.values() for question in part.questions]
        what += "".join(f"; {remark}" for remark in without_list(targets, listed))
    collect = f"nescio campaign collect {campaign.typed}"
    if dispute and not judging.left:
        collect = f"nescio campaign sheets {campaign.typed} --adjudicate{judging.option}, then {collect}"
        if campaign.settings.resolve == "refused":
            collect = "set resolve in campaign.toml to something other than refused, then nescio campaign status"
    done = (judging.nothing or bool(items)) and judged and not changed
    return Step("judgements", done, what, collect)


def _listed_questions(
    campaign: Campaign, pool: list[Item], judgements: Sequence[Judgement], open_: Collection[str]
) -> list[Item]:
    """Return the questions of which people list the sentences that answer them, if people judge no answer themselves.

    Questions that the key answers are left out, unless somebody was asked about them. `open_` has the ids of items that
    must be judged again.
    """
    of_people = read_asked(campaign).answers.values()
    asked = {*open_, *(item for ids in of_people for item in ids), *(judgement.item for judgement in judgements)}
    questions = [] if asked & {item.id for item in pool} else sentence_items(campaign)
    if not asked & {item.id for item in questions}:
        return []
    topics = [question for part in campaign.topics().parts.values() for question in part.questions.values()]
    lacking = without_answer(keyed(topics, campaign.key_files) if campaign.key_files else topics)
    return [item for item in questions if item.id in asked or item.question in lacking]


def _intake(campaign: Campaign, entries: list[Entry]) -> Step:
    receipts, deadline = read_receipts(campaign, entries), campaign.settings.deadline
    runs = taken_in(campaign, entries)
    refused = sum(receipt.status == REFUSED for receipt in receipts)
    without = [group for group in campaign.settings.groups if group not in {run.group for run in runs}]
    what = f"{plural(len(runs), 'run')} of {plural(len({run.group for run in runs}), 'group')}, {refused} refused"
    if without and runs:
        what += f"; no run of {', '.join(without)}"
    if gone := unnamed_groups(campaign, receipts):
        what += f"; runs of {', '.join(gone)} do not count, because campaign.toml does not name the group"
    if out := disqualified(entries):
        what += f"; disqualified: {', '.join(out)}"
    if deadline:
        what += f"; {'frozen since' if deadline < now() else 'open until'} {deadline:%Y-%m-%d %H:%M} UTC"
        deadlines = {group: deadline_of(campaign, group, entries) for group in campaign.settings.groups}
        what += "".join(
            f", for {group} {t:%Y-%m-%d %H:%M} UTC" for group, t in deadlines.items() if t and t != deadline
        )
        counting = {run.path for run in runs}
        after = sum(
            bool(end and moment(receipt.received) > end)
            for receipt in receipts
            if campaign / RUNS / str(receipt.stored) in counting
            for end in [deadlines[receipt.group]]
        )
        if after:
            what += f"; {plural(after, 'run')} that {'count' if after > 1 else 'counts'} came after the deadline"
        what += f" (it is {now():%Y-%m-%d %H:%M} UTC, as SOURCE_DATE_EPOCH says)" if is_fixed() else ""
    command = f"nescio campaign intake {campaign.typed} FOLDER..."
    if begun := pending(campaign):
        return Step("intake", False, f"{what}; an intake was interrupted", begun.command or command)
    return Step("intake", bool(runs), what, command)
