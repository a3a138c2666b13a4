"""Run a shared task: accept runs, pool, judge, score, publish.

A campaign is a folder: campaign.toml, the topics, the key in a folder of its own, and the runs that groups send. You
can repeat every step and get the same files; `status` says what comes next.

\b
nescio campaign init campaign --task qa --topics questions.jsonl --group uned=UNED --group inaoe=INAOE
nescio campaign check campaign runs/mine.jsonl
nescio campaign intake campaign runs/mine.jsonl runs/old.jsonl --group uned --received 2026-05-30
nescio campaign pool campaign
nescio campaign sheets campaign --assessor ana --assessor ben --overlap 2
nescio campaign collect campaign
nescio campaign score campaign
nescio campaign publish campaign
nescio campaign status campaign
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from nescio.data.assessors import Resolution
from nescio.errors import UsageError
from nescio.options import Kind, Request, argument, option, verb
from nescio.options.edge import say
from nescio.options.kinds import FILES, NAMES
from nescio.people import campaigns as steps
from nescio.people.campaigns.checking import Checked
from nescio.people.campaigns.collecting import Collected
from nescio.people.campaigns.entries import MOST_RESAMPLES
from nescio.people.campaigns.handing_out import HandedOut
from nescio.people.campaigns.pooling import Pooled
from nescio.people.campaigns.receiving import Received
from nescio.people.campaigns.rulings import Ruled
from nescio.people.campaigns.scoring import Scored
from nescio.people.campaigns.settings import Task, moment
from nescio.people.campaigns.sheets import Form, Handed
from nescio.people.campaigns.site import Published
from nescio.people.campaigns.starting import Made
from nescio.people.campaigns.state import Status
from nescio.people.campaigns.verifying import Verified
from nescio.reporting import screen
from nescio.reporting.printing import show_lines, show_text
from nescio.verbs._shared import Redrawn, Resampled, WithOrWithoutInterval, Worked


def _moment(value: Any) -> datetime:
    try:
        return moment(value)
    except UsageError as error:
        raise ValueError(str(error)) from None


REASON = "The reason, which is written to the log."
MOMENT = Kind("a time, such as 2010-06-30 or 2010-06-30T12:00:00+02:00", _moment, metavar="TIME")


class OfCampaign(Request):
    """The option for the folder of a campaign."""

    campaign: Path | str = argument(
        kw_only=False, argument=True, metavar="CAMPAIGN", help="The folder of the campaign."
    )


class Step(OfCampaign, Worked):
    """The options of a step of a campaign that reports its progress."""


def show(results: Any) -> None:
    """Print results in words."""
    show_lines(str(results))


class InitRequest(Request):
    """The options of `nescio campaign init`."""

    folder: Path | str = argument(kw_only=False, argument=True, metavar="CAMPAIGN", help="The folder to make.")
    topics: Sequence[Path | str] = argument(
        kw_only=False,
        flags=("--topics",),
        kind=FILES,
        help="The questions, with or without their key: questions.jsonl, a collection of AVE, a key of nuggets, PAN's "
        "truth, …",
    )
    task: Task = argument(kw_only=False, help="The task of the systems.")
    groups: Sequence[str] = argument(
        kw_only=False,
        flags=("--group",),
        kind=NAMES,
        metavar="SHORT=NAME",
        help="A group. SHORT is also the name of its folder; NAME appears in tables.",
    )
    name: str | None = option(default=None, help="The name of the campaign.", default_words="the name of the folder")
    languages: Sequence[str] = option(
        default=(),
        kind=NAMES,
        flags=("--language",),
        metavar="EN",
        help="A language of the topics.",
        default_words="the languages that the topics name",
    )
    runs: int = option(default=3, low=1, help="How many runs a group may submit.")
    deadline: str | datetime | None = option(
        default=None, kind=MOMENT, help="When submission closes, such as 2010-06-30T12:00:00+02:00."
    )
    resolve: Resolution = option(default="adjudicated", help="How to settle differing judgements of one answer.")
    judge: str | None = option(
        default=None,
        metavar="NAME",
        help="The judge for answers that no person judged. It compares these answers with the key.",
    )
    first_of: str | None = option(
        default=None,
        metavar="COLUMN",
        help="Ask only the first question of each value of COLUMN. Use this if the later questions build on the first.",
    )
    show: Sequence[str] = option(
        default=(),
        kind=NAMES,
        metavar="COLUMN",
        help="A column of the questions to show to teams, although its name suggests that it holds the key.",
    )


@verb(InitRequest, working="reading", prints="")
def init(request: InitRequest) -> Made:
    """Make the folder of a campaign.

    The topics are written without their gold answers; the files that have them are copied to key/. The other settings
    are in campaign.toml.

    \b
    nescio campaign init reading --task qa --topics questions.jsonl --group uned=UNED --deadline 2030-06-30
    nescio campaign init ave --task ave --topics dev.xml --group uned=UNED
    """
    return steps.init(**request.values())


@verb(OfCampaign, working="writing", prints="")
def handout(request: OfCampaign) -> HandedOut:
    """Write the handout for teams into handout/: topics without gold, and the rules of a run.

    \b
    nescio campaign handout campaign
    """
    return steps.handout(request.campaign)


class CheckerRequest(OfCampaign):
    """The options of `nescio campaign checker`."""

    output: Path | str = argument(
        kw_only=False, flags=("-o", "--output"), metavar="PATH", help="The archive (.zip) or the folder to write."
    )


@verb(CheckerRequest, working="writing", prints="")
def checker(request: CheckerRequest) -> HandedOut:
    """Write an archive that lets teams check their runs at home, as the organisers will.

    \b
    nescio campaign checker campaign -o checker.zip
    nescio campaign check checker.zip runs/mine.jsonl   # what a team does
    """
    return steps.checker(request.campaign, request.output)


class ExportRequest(CheckerRequest):
    """The options of `nescio campaign export`."""

    codabench: bool = option(default=False, apart=("tira",), help="Write a bundle for Codabench (.zip).")
    tira: bool = option(default=False, help="Write a folder with a Dockerfile for TIRA.")
    image: str = option(
        default="python:3.11", metavar="IMAGE", help="The Docker image on which the bundle or the folder is based."
    )


@verb(ExportRequest, working="writing", prints="")
def export(request: ExportRequest) -> HandedOut:
    """Write the checker for a platform, Codabench or TIRA, that checks runs as they are submitted.

    The export has what teams receive: topics without gold, and the rules of a run. The scoring program is the checker;
    its figures are faults and answers, and its page lists every fault.

    \b
    nescio campaign export campaign --codabench -o bundle.zip
    nescio campaign export campaign --tira -o checker
    """
    return steps.export(**request.values())


class CheckRequest(Step):
    """The options of `nescio campaign check`."""

    runs: Sequence[Path | str] = argument(
        kw_only=False, kind=FILES, argument=True, metavar="RUN...", help="The runs: files, or folders of them."
    )
    page: Path | str | None = option(default=None, help="Also write a page (.html) of all faults, to send to a team.")


@verb(CheckRequest, working="checking", show=show)
def check(request: CheckRequest) -> Checked:
    """Find all faults of all runs at once, without the key.

    CAMPAIGN is the folder of a campaign, or a team's handout (a folder, or the archive of `checker`). A RUN is a file,
    or a folder of them. A topic without an answer is a fault. The exit status is 2 if there are faults.

    \b
    nescio campaign check campaign runs/mine.jsonl runs/old.jsonl --page faults.html
    nescio campaign check campaign/handout runs/mine.jsonl     # what a team was handed
    """
    return steps.check(**request.values())


class IntakeRequest(Step):
    """The options of `nescio campaign intake`."""

    folders: Sequence[Path | str] = argument(
        kw_only=False,
        kind=FILES,
        argument=True,
        metavar="FOLDER...",
        help="The runs that groups sent: a folder for each group, or files.",
    )
    group: str | None = option(
        default=None, metavar="SHORT", help="The group that sent these files.", default_words="the name of the folder"
    )
    received: str | datetime | None = option(
        default=None,
        kind=MOMENT,
        help="When the files arrived, such as 2010-06-29T18:00:00+02:00.",
        default_words="now",
    )


@verb(IntakeRequest, working="reading", show=show)
def intake(request: IntakeRequest) -> Received:
    """Accept runs, or refuse them; each file gets a receipt.

    A FOLDER holds what a group sent: runs or archives of runs, in a folder named after the group; or it is a file. A
    run belongs to the FOLDER that you name, whatever the folders inside it are called. A run is named after its file,
    without the suffix. Until the deadline a later version replaces an earlier one, and both are kept. A file is refused
    if it is late, too large, faulty, or a copy of an accepted file. It is also refused if its group is unknown, has
    sent too many runs, or is not the group in the file's name. The exit status is 2 if any file was refused.

    \b
    nescio campaign intake campaign runs/other.jsonl --group inaoe --received 2026-06-01
    """
    return steps.intake(**request.values())


class WithdrawRequest(OfCampaign):
    """The options of `nescio campaign withdraw`."""

    runs: Sequence[str] = argument(kw_only=False, kind=NAMES, argument=True, metavar="RUN...", help="The runs.")
    reason: str = argument(kw_only=False, flags=("--reason",), metavar="TEXT", help=REASON)


@verb(WithdrawRequest, working="writing", prints="")
def withdraw(request: WithdrawRequest) -> Ruled:
    """Withdraw runs at the request of their groups.

    Withdrawn runs no longer count, but a later version of a run counts again. Judgements of their answers stay.

    \b
    nescio campaign withdraw campaign uned_mine --reason "asked for by mail on 3 June"
    """
    return steps.withdraw(request.campaign, request.runs, reason=request.reason)


class DisqualifyRequest(WithdrawRequest):
    """The options of `nescio campaign disqualify`."""

    lift: bool = option(default=False, help="Admit the runs again.")


@verb(DisqualifyRequest, working="writing", prints="")
def disqualify(request: DisqualifyRequest) -> Ruled:
    """Disqualify runs: no version of such a run counts, now or later.

    Their groups cannot submit the same answers again, under any name. A note names the runs that still count and share
    more than half of these answers. Judgements of their answers stay. --lift admits the runs again.

    \b
    nescio campaign disqualify campaign uned_mine --reason "trained on the topics"
    """
    return steps.disqualify(request.campaign, request.runs, reason=request.reason, lift=request.lift)


class ExtendRequest(OfCampaign):
    """The options of `nescio campaign extend`."""

    group: str = argument(kw_only=False, argument=True, metavar="GROUP", help="The group, by its short name.")
    until: str | datetime = argument(
        kw_only=False, flags=("--until",), kind=MOMENT, help="The new deadline, such as 2010-07-02."
    )
    reason: str = argument(kw_only=False, flags=("--reason",), metavar="TEXT", help=REASON)


@verb(ExtendRequest, working="writing", prints="")
def extend(request: ExtendRequest) -> Ruled:
    """Extend the deadline of one group.

    \b
    nescio campaign extend reading uned --until 2030-07-02 --reason "power cut"
    """
    return steps.extend(request.campaign, request.group, until=request.until, reason=request.reason)


@verb(Step, working="pooling", prints="")
def pool(request: Step) -> Pooled:
    """Pool the answers of all runs for people to judge: each distinct answer once, without the names of runs.

    The pool includes declined candidates. Existing judgements are kept.

    \b
    nescio campaign pool campaign
    """
    return steps.pool(**request.values())


class SheetsRequest(Step):
    """The options of `nescio campaign sheets`."""

    assessors: Sequence[str] = argument(
        kw_only=False,
        default=(),
        kind=NAMES,
        flags=("--assessor",),
        metavar="NAME[=EN,ES]",
        help="An assessor's name, which also names the sheet, and the languages of this assessor.",
    )
    overlap: float | None = option(
        default=None,
        default_words="1",
        help="How many assessors judge each answer. Below 1: the share of questions that a second assessor also "
        "judges. Given anew, it also says how many are enough for an answer that must be judged again.",
    )
    adjudicate: bool = option(
        default=False,
        apart=("assessors", "overlap"),
        help="Write a sheet of the answers whose judgements differ, or that must be judged again.",
    )
    form: Form = option(default="csv", help="The form of the sheets.")
    html: bool = option(
        default=False,
        apart=("form",),
        help="Write pages for judging in a browser, with one key per verdict. The pages need no server.",
    )
    sentences: bool = option(default=False, help="Ask people which sentences of the story answer each question.")


@verb(SheetsRequest, working="writing", prints="")
def sheets(request: SheetsRequest) -> Handed:
    """Write blind sheets or pages, one per assessor.

    A verdict is R (right), W (wrong), X (inexact) or U (unsupported); for definition questions, the nuggets in a
    string, or -. Answers that are already judged are left out. --form xlsx writes workbooks whose cells no program
    takes for dates or numbers, with the guidelines (guidelines.md) as a first sheet.

    --html writes a page for each assessor, one file that needs no server and no network: one answer per screen, single
    keys, undo, and every judgement saved in the browser at once. "Hand in" downloads a file that `collect` reads. If
    the definition questions have no key, the assessor first lists the nuggets on the page.

    \b
    nescio campaign sheets campaign --assessor ana --assessor ben --assessor eva --overlap 2
    nescio campaign sheets campaign --assessor ana --html
    """
    return steps.sheets(**request.values())


class CollectRequest(Redrawn, Step):
    """The options of `nescio campaign collect`."""

    files: Sequence[Path | str] = argument(
        kw_only=False,
        default=(),
        kind=FILES,
        argument=True,
        metavar="[SHEET]...",
        help="The sheets that assessors returned, and the files that pages saved.",
    )
    withdraw: bool = option(default=False, help="Withdraw earlier verdicts whose cells are now empty.")


@verb(CollectRequest, working="collecting", show=show)
def collect(request: CollectRequest) -> Collected:
    """Read the judgements from the assessors' sheets, list the faults, and report the agreement of the assessors.

    A SHEET (.csv, .xlsx) is named after its assessor; a file from a page (.jsonl) names its assessor inside. Without a
    SHEET, all sheets in the campaign's folder sheets/ are read. If pages give several judgements of one answer, the
    newest counts, whatever the order of the files. Every valid row is added to the history of judgements. The command
    lists invalid rows and then ends with exit status 2. An empty verdict changes nothing, unless --withdraw takes back
    earlier judgements.

    \b
    nescio campaign collect campaign
    """
    return steps.collect(**request.values())


class CampaignScoreRequest(Resampled, WithOrWithoutInterval, Step, reworded={"resamples": {"high": MOST_RESAMPLES}}):
    """The options of `nescio campaign score`."""

    ranking: Sequence[Path | str] = option(
        default=(),
        kind=FILES,
        metavar="[LANGUAGE=]FILE",
        help="Outcomes of QA systems, to be ranked with the validators of AVE.",
    )


def show_scores(scored: Scored, _: Any) -> None:
    """Print the scores of each language, and the files written."""
    for language, scores in scored.scores.items():
        for remark in scores.notes:
            say(f"note: {remark}")
        if language:
            show_text(f"\n{language}")
        screen.show(scores)
    for line in str(scored).splitlines():
        say(line)


@verb(CampaignScoreRequest, working="scoring", present=show_scores, prints="")
def score(request: CampaignScoreRequest) -> Scored:
    """Score every run that counts: measures, tests, per-topic scores, and the tables of the papers, in results/.

    The rule of the campaign settles judgements that differ. Right, wrong, inexact and unsupported are counted
    separately, and only right answers are correct. Answers that no person judged are judged by the key, if
    campaign.toml names a judge or all questions have options.

    \b
    nescio campaign score campaign
    """
    return steps.score(**request.values())


@verb(Step, working="publishing", prints="")
def publish(request: Step) -> Published:
    """Write the site of results to site/: tables, a page per topic, returns for each group, and LaTeX.

    Pages are static: they run no script and fetch nothing. With blind = true in campaign.toml, pages name no group and
    no run, and the returns for a group name only its own runs.

    \b
    nescio campaign score campaign
    nescio campaign publish campaign
    """
    return steps.publish(**request.values())


@verb(OfCampaign, working="reading", present=lambda reached, _: show(reached), prints="")
def status(request: OfCampaign) -> Status:
    """Show which steps of a campaign are done, and what comes next.

    \b
    nescio campaign status campaign
    """
    return steps.status(request.campaign)


class VerifyRequest(Step):
    """The options of `nescio campaign verify`."""

    restore: bool = option(default=False, help="First restore the receipts that were changed or lost.")
    against: Path | str | None = option(
        default=None,
        metavar="DIGEST|FILE",
        help="A digest of the log that you kept elsewhere; a file whose first line has this digest, such as a "
        "group's receipts.txt; or a copy of campaign.log.",
    )


@verb(VerifyRequest, working="verifying", show=show)
def verify(request: VerifyRequest) -> Verified:
    """Check that everything matches the log: runs, receipts, judgements, results and pages.

    campaign.log has a line for every step, with digests of the files read and written. Each line also holds the digest
    of the line before. The command makes pool, results and site again, which takes as long as scoring. So it finds even
    a file that was edited together with its line in the log. The owner of the folder could rewrite the whole log.
    `--against` detects that with a digest that was kept elsewhere, up to the line with this digest. The exit status is
    2 if anything was changed, or could not be checked because its sources are newer.

    \b
    nescio campaign verify campaign
    """
    return steps.verify(request.campaign, restore=request.restore, against=request.against, progress=request.progress)
