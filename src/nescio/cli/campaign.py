"""nescio campaign: from the call to the working notes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nescio import campaign
from nescio.campaign.settings import Resolution, Task
from nescio.cli import options
from nescio.cli.bars import progress
from nescio.cli.output import emit, say, say_notes
from nescio.reporting.printing import show_text

BROKEN = 2  # the exit status where what was checked breaks a rule

CAMPAIGN = click.argument("folder", type=options.PATH, metavar="CAMPAIGN")


@options.group("campaign")
def command() -> None:
    """Run a campaign: check and accept runs, pool, judge by spreadsheet, score, publish.

    A campaign is a folder: campaign.toml, topics, the key apart from them, and what groups send. You can repeat every
    step, and it ends with the same files; `status` says what comes next.

    \b
    nescio campaign init campaign --task qa --topics questions.jsonl --group uned=UNED --group inaoe=INAOE
    nescio campaign handout campaign
    nescio campaign check campaign runs/mine.jsonl
    nescio campaign intake campaign runs/mine.jsonl runs/old.jsonl --group uned --received 2026-05-30
    nescio campaign pool campaign
    nescio campaign sheets campaign --assessor ana --assessor ben --overlap 2
    nescio campaign collect campaign
    nescio campaign score campaign
    nescio campaign publish campaign
    nescio campaign status campaign
    """


@command.command("init")
@CAMPAIGN
@click.option("--task", required=True, type=options.choice(Task), help="What the systems do.")
@click.option(
    "--topics",
    multiple=True,
    required=True,
    type=options.PATH,
    help=(
        "The questions, with their key or without it: questions.jsonl, a collection of AVE, a key of nuggets, PAN's"
        " truth, … Repeatable."
    ),
)
@click.option(
    "--group",
    "groups",
    multiple=True,
    required=True,
    metavar="SHORT=NAME",
    help="A group: a short name, which its folder has too, and the name for tables. Repeatable.",
)
@click.option("--name", metavar="TEXT", help="The name of the campaign. [default: the name of the folder]")
@click.option(
    "--language",
    "languages",
    multiple=True,
    metavar="EN",
    help="A language of the topics. Repeatable. [default: those that the topics name]",
)
@click.option(
    "--runs", type=click.IntRange(min=1), default=3, show_default=True, help="How many runs a group may submit."
)
@click.option("--deadline", metavar="TIME", help="When submission closes, such as 2010-06-30T12:00:00+02:00.")
@click.option(
    "--resolve",
    type=options.choice(Resolution),
    default="adjudicated",
    show_default=True,
    help="How judgements of one answer that differ are resolved.",
)
@click.option("--judge", metavar="NAME", help="The judge that compares with the key the answers that no person judged.")
@click.option(
    "--first-of",
    metavar="COLUMN",
    help="Ask only the first question of each value of COLUMN, where later ones cannot be understood alone.",
)
def init_(folder: Path, **arguments: Any) -> None:
    """Make the folder of a campaign.

    The topics are written without their gold answers; the files that have them are copied to key/. The other settings
    are in campaign.toml.

    \b
    nescio campaign init reading --task qa --topics questions.jsonl --group uned=UNED --deadline 2030-06-30
    nescio campaign init ave --task ave --topics dev.xml --group uned=UNED
    """
    with progress("reading"):
        made = campaign.init(folder, **arguments)
    for remark in made.notes:
        say(f"note: {remark}")
    say(str(made))


@command.command("status")
@CAMPAIGN
def status_(folder: Path) -> None:
    """Say which steps of a campaign are done, and what comes next.

    \b
    nescio campaign status campaign
    """
    with progress("reading"):
        reached = campaign.status(folder)
    show_text(str(reached))


@command.command("handout")
@CAMPAIGN
def handout_(folder: Path) -> None:
    """Write what teams get, into handout/: topics without gold, and the rules of a run.

    \b
    nescio campaign handout campaign
    """
    with progress("writing"):
        written = campaign.handout(folder)
    say(str(written))


@command.command("checker")
@CAMPAIGN
@click.option("-o", "--output", required=True, type=options.PATH, help="The archive to write (.zip).")
def checker_(folder: Path, output: Path) -> None:
    """Write an archive with which teams can check their runs at home, as the organisers will.

    \b
    nescio campaign checker campaign -o checker.zip
    nescio campaign check checker.zip runs/mine.jsonl   # what a team does
    """
    with progress("writing"):
        written = campaign.checker(folder, output)
    say(str(written))


@command.command("check")
@CAMPAIGN
@click.argument("runs", nargs=-1, required=True, type=options.PATH, metavar="RUN...")
@click.option("--page", type=options.PATH, help="Also write a page of the faults (.html), to send to a team.")
@options.output_options
def check_(folder: Path, runs: tuple[Path, ...], page: Path | None, printed: str, output: Path | None) -> int:
    """Find all faults of all runs at once, without the key.

    CAMPAIGN is the folder of a campaign, or what a team was handed (a folder, or the archive of `checker`). A RUN is a
    file, or a folder of them. A topic without an answer is a fault. The exit status is 2 if there are faults.

    \b
    nescio campaign check campaign runs/mine.jsonl runs/old.jsonl --page faults.html
    nescio campaign check campaign/handout runs/mine.jsonl     # what a team was handed
    """
    with progress("checking") as watch:
        checked = campaign.check(folder, runs, page=page, progress=watch)
    say_notes(checked.notes)
    emit(checked, printed, output, show=lambda results: show_text(str(results)))
    return 0 if checked.sound else BROKEN


@command.command("intake")
@CAMPAIGN
@click.argument("folders", nargs=-1, required=True, type=options.PATH, metavar="FOLDER...")
@click.option("--group", metavar="SHORT", help="The group that they are from. [default: the name of the folder]")
@click.option("--received", metavar="TIME", help="When they arrived, such as 2010-06-29T18:00:00+02:00. [default: now]")
@options.output_options
def intake_(folder: Path, folders: tuple[Path, ...], printed: str, output: Path | None, **arguments: Any) -> int:
    """Accept runs whole, or refuse them; each file gets a receipt.

    A FOLDER is what a group sent: runs, or archives of them, in a folder named after the group; or a file. A later
    version of a run replaces an earlier one until the deadline, and both are kept. A file is refused if it is late,
    from an unknown or a different group, a copy of a file that is in already, one too many, too large, or has a fault.
    The exit status is 2 if something was refused.

    \b
    nescio campaign intake campaign runs/other.jsonl --group inaoe --received 2026-06-01
    """
    with progress("taking in") as watch:
        received = campaign.intake(folder, folders, progress=watch, **arguments)
    say_notes(received.notes)
    emit(received, printed, output, show=lambda results: show_text(str(results)))
    return BROKEN if received.refused else 0


@command.command("pool")
@CAMPAIGN
def pool_(folder: Path) -> None:
    """Pool the answers of all runs for people to judge: each distinct one once, without the names of runs.

    Declined candidates are among them. Judgements that exist already are kept.

    \b
    nescio campaign pool campaign
    """
    with progress("pooling") as watch:
        pooled = campaign.pool(folder, progress=watch)
    say(str(pooled))


@command.command("sheets")
@CAMPAIGN
@click.option(
    "--assessor", "assessors", multiple=True, metavar="NAME", help="An assessor, whose name the sheet gets. Repeatable."
)
@click.option(
    "--overlap", type=click.IntRange(min=1), default=1, show_default=True, help="How many assessors judge each answer."
)
@click.option("--adjudicate", is_flag=True, help="Write a sheet of the answers whose judgements differ.")
def sheets_(folder: Path, **arguments: Any) -> None:
    """Write spreadsheets (CSV) for assessors: blind, one per person, each in its own order.

    A verdict is R (right), W (wrong), X (inexact) or U (unsupported); for definition questions, the nuggets in a
    string, or -. What is judged already is not asked again.

    \b
    nescio campaign sheets campaign --assessor ana --assessor ben --assessor eva --overlap 2
    """
    with progress("writing") as watch:
        handed = campaign.sheets(folder, progress=watch, **arguments)
    say(str(handed))


@command.command("collect")
@CAMPAIGN
@click.argument("files", nargs=-1, type=options.PATH, metavar="[SHEET]...")
@click.option(
    "--resamples", type=click.IntRange(min=1), default=10_000, show_default=True, help="The number of resamples."
)
@options.SEED
@options.output_options
def collect_(folder: Path, files: tuple[Path, ...], printed: str, output: Path | None, **arguments: Any) -> int:
    """Read sheets back, naming every fault, and say how far the assessors agree.

    A SHEET is named after its assessor; without one, all sheets of the campaign are read. If there is any fault,
    nothing is collected, and the exit status is 2.

    \b
    nescio campaign collect campaign
    """
    with progress("collecting") as watch:
        collected = campaign.collect(folder, files, progress=watch, **arguments)
    emit(collected, printed, output, show=lambda results: show_text(str(results)))
    return 0 if collected.sound else BROKEN


@command.command("score")
@CAMPAIGN
@click.option(
    "--ranking",
    multiple=True,
    metavar="[LANGUAGE=]FILE",
    help="Outcomes of QA systems, to be ranked with the validators of AVE. Repeatable.",
)
@options.CI_OR_NONE
@options.resampling_options
def score_(folder: Path, ci: str, **arguments: Any) -> None:
    """Score every run that counts: measures, tests, per-topic scores, and the tables of the papers, in results/.

    Judgements are resolved by the rule of the campaign. Right, wrong, inexact and unsupported are counted separately,
    and only right answers are correct. What no person judged is judged by the key, if campaign.toml names a judge or
    all questions have options.

    \b
    nescio campaign score campaign
    """
    with progress("scoring") as watch:
        scored = campaign.score(folder, ci=options.level(ci), progress=watch, **arguments)
    for language, scores in scored.scores.items():
        say_notes(scores.notes)
        if language:
            show_text(f"\n{language}")
        emit(scores, "table")
    say(str(scored))


@command.command("publish")
@CAMPAIGN
def publish_(folder: Path) -> None:
    """Write the site of results to site/: tables, a page per topic, returns for each group, and LaTeX.

    Pages are static: no script, nothing fetched. With blind = true in campaign.toml they name no group and no run, and
    the returns for a group name only its own.

    \b
    nescio campaign score campaign
    nescio campaign publish campaign
    """
    with progress("publishing") as watch:
        published = campaign.publish(folder, progress=watch)
    say(str(published))
