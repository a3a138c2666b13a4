"""Write what teams get: the topics without gold, the rules for runs, and an archive to check runs with."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from nescio.errors import FormatError, MismatchError, UsageError
from nescio.people.campaigns.folder import HANDOUT, TOPICS, Campaign, contents, put, renewed, step
from nescio.people.campaigns.keyed import check_key
from nescio.people.campaigns.log import digests, record
from nescio.people.campaigns.option_names import is_text_of_another, naming
from nescio.people.campaigns.runs import FORMS
from nescio.people.campaigns.settings import SETTINGS, written
from nescio.people.campaigns.topics import has_key, public_topics, topic_files
from nescio.sources.writing import atomic_write
from nescio.text import enumerated, plural, typed_path

_EPOCH = (1980, 1, 1, 0, 0, 0)  # an archive of the same files has the same bytes


class HandedOut(Struct, frozen=True):
    """The result of writing files for teams: the path that was written, the names of the files in it, and remarks."""

    path: Path
    files: tuple[str, ...]
    after: str
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        wrote = f"wrote {self.path}: {plural(len(self.files), 'file')} ({', '.join(self.files)})"
        return "\n".join([wrote, *self.remarks, f"next: {self.after}"])


def handout(campaign: Path | str) -> HandedOut:
    """Write the files that teams get into the folder `handout/` of the campaign.

    They are the topics without gold, the rules of a run, and a README. In AVE, the texts to validate keep the names of
    their documents (`doc`). The topics are written anew from the fields that teams may see. Raises UsageError if there
    is no campaign, MismatchError for a column of the topics that looks like the key, and for a key that does not fit
    the topics.
    """
    with step(campaign) as opened:
        files, notes = handout_files(opened)
        if not (opened / HANDOUT).is_dir() or contents(opened / HANDOUT) != files:
            with renewed(opened / HANDOUT) as draft:
                for name, content in files.items():
                    put(draft / name, content)
        record(opened, "handout", digests(opened, SETTINGS, TOPICS), digests(opened, HANDOUT))
    after = f"send this folder to the groups, then accept their runs: nescio campaign intake {opened.typed} FOLDER..."
    return HandedOut(opened / HANDOUT, tuple(files), after, notes)


def checker(campaign: Path | str, output: Path | str) -> HandedOut:
    """Write an archive (.zip) with which a team checks its runs at home, by the same rules as the organisers.

    The archive has the files that `handout` writes. Raises UsageError if the archive cannot be written.
    """
    path = Path(output)
    if path.suffix.lower() != ".zip":
        raise UsageError(f"{path}: the checker is written to .zip (found {path.suffix!r})")
    with step(campaign) as opened:  # a step, since it is often written into the campaign: its drafts are swept, too
        files, notes = handout_files(opened)
        with atomic_write(path) as draft:
            draft.write_bytes(packed(files))
    after = f"send this archive to the teams; each team runs nescio campaign check {typed_path(path.name)} RUN..."
    return HandedOut(path, tuple(files), after, notes)


def packed(files: Mapping[str, bytes]) -> bytes:
    """Return an archive of files as bytes; equal files always give equal bytes."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, held in files.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), held, zipfile.ZIP_DEFLATED)
    return content.getvalue()


def handout_files(campaign: Campaign) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return the files for teams, keyed by name, and notes for the organisers. The files do not name the groups."""
    _check_languages(campaign)
    settings = replace(campaign.settings, groups={"your-group": "your group"}, judge="", show=(), systems={})
    topics, notes = public_topics(campaign / TOPICS, campaign.settings, campaign.key_files)
    if has_key(topic_files(campaign / TOPICS), settings.task):
        held = f"{campaign / TOPICS} has gold answers, which teams do not get; remove the answers there"
        notes = (held, *notes)
    if lacking := lacking_key(campaign):
        notes = (*notes, lacking)
    files = {f"{TOPICS}/{name}": content for name, content in topics.items()}
    return {"README.md": _readme(campaign).encode(), SETTINGS: written(settings).encode(), **files}, notes


def _check_languages(campaign: Campaign) -> None:
    """Raise MismatchError if the topics are in several languages and the settings name none.

    The README would not tell teams that a run has one language.
    """
    parts = campaign.topics().parts
    if len(parts) > 1 and not campaign.settings.languages:
        rule = f"{SETTINGS} names no language, but the topics are in {enumerated([*parts])}: name these languages, or"
        raise MismatchError(f"{rule} begin a campaign with topics that state no language")


def lacking_key(campaign: Campaign) -> str:
    """Return a sentence on questions without an answer in the key; empty if there are none.

    Raises MismatchError for a key that does not fit the topics.
    """
    with suppress(FormatError):  # `score` says why a key cannot be read
        return check_key(campaign)
    return ""


def _readme(campaign: Campaign) -> str:
    settings, topics = campaign.settings, campaign.topics()
    per = " in each language" if settings.languages else ""
    lines = [
        f"# {settings.name}",
        "",
        f"{plural(topics.count, 'topic')} in `{TOPICS}/`"
        + (f", in {', '.join(settings.languages)}" if settings.languages else "")
        + ".",
        "",
        f"A run is a file: {FORMS[settings.task]}. It needs an entry for every topic, even to abstain.",
        f"A group may submit {plural(settings.runs, 'run')}{per}"
        + (f", until {settings.deadline:%Y-%m-%d %H:%M} UTC" if settings.deadline else "")
        + ". A later version of a run replaces an earlier one. A run is named after its file, without its suffix.",
        *(
            ["The file name of a run names its language, as in `run1-" + settings.languages[0] + "`."]
            if settings.languages
            else []
        ),
        "",
        f"A confidence is a number from 0 to 1. An answer, or the text that supports it, has at most"
        f" {settings.characters:,} characters. Files are UTF-8.",
        *_ranks(campaign),
        *_options(campaign),
        *(
            [f"These topics were dropped, and need no answer: {', '.join(settings.dropped)}."]
            if settings.dropped
            else []
        ),
        "",
        "Check your runs before you submit them; the organisers run the same check:",
        "",
        "    pip install nescio",
        "    nescio campaign check . my-run" + (".txt" if settings.task == "ave" else ".jsonl"),
        "",
    ]
    return "\n".join(lines)


def _ranks(campaign: Campaign) -> list[str]:
    """Return the line that explains how a run gives several answers to a topic; empty if only the first is judged."""
    if campaign.settings.task not in ("qa", "reading") or campaign.settings.depth == 1:
        return []
    further = "Further answers to a topic have a line each, with `rank` 2 and so on; an answer without it has rank 1."
    return [f"{further} People judge the first {campaign.settings.depth}."]


def _options(campaign: Campaign) -> list[str]:
    """Return the line that explains how answers name options; empty if no question has options."""
    parts = campaign.topics().parts.values()
    asked = [question for part in parts for question in part.questions.values() if question.options]
    if not asked:
        return []
    how = naming(max((question.options for question in asked), key=len), campaign.settings.options_from)
    if any(is_text_of_another(question, text) for question in asked for text in question.options):
        how += ". An answer that is the text of one option and the letter of another names the option with this text"
    lacking = (
        ""
        if campaign.settings.options_from >= 0
        else (" A number cannot name an option, because it could count from 0 or from 1.")
    )
    return [f"Where a question has options, an answer names one by {how}.{lacking}"]
