"""How far a campaign is, and what comes next."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from nescio.campaigns.assessors import returned
from nescio.campaigns.folder import HANDOUT, RESULTS, SHEETS, SITE, Campaign, open_campaign
from nescio.campaigns.freshness import is_of_results, older_than
from nescio.campaigns.judgements import read_judgements
from nescio.campaigns.pooling import POOLED, read_pool
from nescio.campaigns.receipts import REFUSED, read_receipts, taken_in
from nescio.campaigns.scoring import DATA, read_results
from nescio.campaigns.topics import Topics
from nescio.campaigns.verdicts import disputed
from nescio.text import plural


class Step(Struct, frozen=True):
    """A step of a campaign: whether it is done, and what there is of it."""

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
        """The first step that is not done."""
        return next((one for one in self.steps if not one.done), None)

    def __str__(self) -> str:
        lines = [self.name, *(f"  {'done' if one.done else 'open'}  {one.name:<11} {one.what}" for one in self.steps)]
        last = f"next: {self.after.command}" if self.after else "everything is done; each step can be repeated"
        return "\n".join([*lines, last])


def status(campaign: Path | str) -> Status:
    """Say which steps of a campaign are done, and what comes next.

        print(nescio.campaign.status("campaign"))

    Raises UsageError where the folder is no campaign.
    """
    opened = open_campaign(campaign)
    return Status(opened.settings.name, tuple(_steps(opened)))


def _steps(campaign: Campaign) -> list[Step]:
    folder = campaign.folder
    topics = campaign.topics()
    key = f", key apart ({plural(len(campaign.key_files), 'file')})" if campaign.key_files else ", no key"
    return [
        Step("topics", True, f"{plural(topics.count, 'topic')}{key}", f"nescio campaign init {folder}"),
        Step(
            "handout",
            (campaign / HANDOUT).is_dir() or bool(taken_in(campaign)),
            "what teams get" if (campaign / HANDOUT).is_dir() else "none was written",
            f"nescio campaign handout {folder}",
        ),
        _intake(campaign),
        *(_judging(campaign) if campaign.settings.task in POOLED and not _by_key(campaign, topics) else ()),
        results := _results(campaign),
        _site(campaign, results),
    ]


def _by_key(campaign: Campaign, topics: Topics) -> bool:
    """Say whether the key judges, so that nobody need: a judge is named, all have options, or answers are about
    stories; and no pool was made."""
    questions = [question for part in topics.parts.values() for question in part.questions.values()]
    judged = (
        bool(campaign.settings.judge) or topics.task == "reading" or all(question.options for question in questions)
    )
    return judged and bool(campaign.key_files) and not read_pool(campaign)


def _results(campaign: Campaign) -> Step:
    """Say whether there are results, and whether they are of the runs and judgements that are in."""
    path = campaign / RESULTS / DATA
    command = f"nescio campaign score {campaign.folder}"
    if not path.is_file():
        return Step("results", False, "none", command)
    newer = older_than(campaign, read_results(campaign))
    return Step("results", not newer, f"older than {' and '.join(newer)}" if newer else "of all runs", command)


def _site(campaign: Campaign, results: Step) -> Step:
    """Say whether there is a site, and whether it is of results that are of what is in."""
    there, same = (campaign / SITE).is_dir(), is_of_results(campaign)
    what = "pages, returns, LaTeX"
    if there and not (same and results.done):
        what = f"older than {'what results are made from' if same else 'the results'}"
    return Step("site", there and same and results.done, what, f"nescio campaign publish {campaign.folder}")


def _judging(campaign: Campaign) -> list[Step]:
    folder, items = campaign.folder, read_pool(campaign)
    judgements = read_judgements(campaign)
    done = {one.item for one in judgements}
    left = [item for item in items if item.id not in done]
    dispute = disputed(campaign, judgements)
    sheets = sorted(path.name for path in (campaign / SHEETS).glob("*.csv"))
    what = f"{len(items) - len(left):,} of {plural(len(items), 'answer')} judged, {len(dispute)} in dispute"
    back = returned(campaign, items, judgements)
    if back.verdicts < back.of:
        what += f"; {back}"
    collect = f"nescio campaign collect {folder}"
    if dispute and not left:
        collect = f"nescio campaign sheets {folder} --adjudicate, then {collect}"
    return [
        Step("pool", bool(items), plural(len(items), "distinct answer"), f"nescio campaign pool {folder}"),
        Step(
            "sheets",
            bool(sheets),
            ", ".join(sheets) or "none",
            f"nescio campaign sheets {folder} --assessor NAME",
        ),
        Step("judgements", bool(items) and not left and not dispute and back.verdicts == back.of, what, collect),
    ]


def _intake(campaign: Campaign) -> Step:
    receipts, deadline = read_receipts(campaign), campaign.settings.deadline
    runs = taken_in(campaign, receipts)
    refused = sum(receipt.status == REFUSED for receipt in receipts)
    without = [group for group in campaign.settings.groups if group not in {run.group for run in runs}]
    what = f"{plural(len(runs), 'run')} of {plural(len({run.group for run in runs}), 'group')}, {refused} refused"
    if without and runs:
        what += f"; none of {', '.join(without)}"
    if deadline:
        what += f"; {'frozen since' if deadline < datetime.now(UTC) else 'open until'} {deadline:%Y-%m-%d %H:%M} UTC"
    return Step("intake", bool(runs), what, f"nescio campaign intake {campaign.folder} FOLDER...")
