"""Make the folder of a campaign, with the topics without gold answers, and with the key in a private folder."""

from __future__ import annotations

import os
import secrets
import tomllib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from nescio.data.assessors import Resolution
from nescio.errors import UsageError
from nescio.people.campaigns import topics as asked
from nescio.people.campaigns.folder import GUIDELINES, KEY, SECRET, TOPICS, Campaign, contents
from nescio.people.campaigns.log import digests, record
from nescio.people.campaigns.settings import SETTINGS, Task, moment, settings_of, written
from nescio.sources.temporary import temporary_folder
from nescio.sources.writing import atomic_folder, check_new_folder, write_text
from nescio.text import plural, typed_path


class Made(Struct, frozen=True):
    """The result of `init`: the folder of the new campaign, its number of topics, and whether it has a key."""

    folder: Path
    task: Task
    topics: int
    groups: int
    key: bool
    notes: tuple[str, ...] = ()
    judge: str = ""

    def __str__(self) -> str:
        key = f"the key is kept apart, in {KEY}/" if self.key else "there is no key"
        if self.key and not self.judge and self.task in ("qa", "reading"):
            key += f"; unless all questions have options, the key judges no answer until {SETTINGS} names a judge"
            key += "; where the key says that there is no answer, any answer is wrong"
        folder = typed_path(self.folder)
        return (
            f"made {self.folder}: {plural(self.topics, 'topic')}, {plural(self.groups, 'group')}; {key}\nread "
            f"{self.folder / SETTINGS}, and correct any wrong setting\nnext: nescio campaign handout {folder}; "
            f"once there are runs, nescio campaign intake {folder} FILE... --group NAME"
        )


def init(
    folder: Path | str,
    topics: Sequence[Path | str],
    *,
    task: Task,
    groups: Sequence[str],
    name: str | None = None,
    languages: Sequence[str] = (),
    runs: int = 3,
    deadline: str | datetime | None = None,
    resolve: Resolution = "adjudicated",
    judge: str | None = None,
    first_of: str | None = None,
    show: Sequence[str] = (),
) -> Made:
    """Make the folder of a campaign: settings, topics without their gold, and the separate key.

    `topics` are the questions with or without their key: a collection of any format that nescio reads for qa and
    reading, collections of AVE (one for each language), a key of nuggets, or a truth file of PAN. `groups` are short
    names, each with the name for tables after `=`. `runs` is the most runs of a group in each of the `languages`. After
    the `deadline` no run is accepted. `resolve` is the rule for judgements that differ, and `judge` judges by the key
    the answers that no person judged. `first_of` names a column, such as `group`: for each value of the column, only
    the first question becomes a topic, because later questions may need earlier ones. A column that looks like the key
    is refused, unless `show` names the column. All settings are in `campaign.toml`, which you may edit.

    Raises UsageError for a folder that is not empty, and for invalid settings; FormatError for invalid topics.
    """
    folder = Path(folder)
    values = {
        "name": name or folder.resolve().name,
        "task": task,
        "groups": dict(_pair(text) for text in groups),
        "languages": list(languages),
        "runs": runs,
        "deadline": moment(deadline) if deadline else "",
        "resolve": resolve,
        "judge": judge or "",
        "show": list(show),
    }
    settings = settings_of(values, "the settings")
    there = (folder / SETTINGS).is_file()
    if not there:
        check_new_folder(folder)
    with temporary_folder() as beside, temporary_folder() if there else atomic_folder(folder) as draft:
        files = asked.in_lines([Path(path) for path in topics], beside, settings.task)
        (draft / TOPICS).mkdir()
        settings, notes = asked.write_topics(files, draft / TOPICS, settings, first_of, show)
        key = asked.has_key(files, settings.task)
        if key:
            (draft / KEY).mkdir(mode=0o700)
            asked.write_key(files, draft / KEY)
        settings_of(tomllib.loads(written(settings)), "the topics")  # whose languages may be no names
        write_text(draft / SETTINGS, written(settings))
        write_text(draft / GUIDELINES, default_guidelines(settings.task))
        count = asked.read_topics(draft / TOPICS, settings.task).count
        if there and any(
            (folder / name).exists() is False or (folder / name).read_bytes() != held
            for name, held in contents(draft).items()
        ):
            raise UsageError(f"{folder} already holds a different campaign; to change it, edit {folder / SETTINGS}")
        if not there:
            made = Campaign(draft, settings)
            with os.fdopen(os.open(made / SECRET, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
                file.write(secrets.token_hex(32))
            record(made, "init", {}, digests(made, SETTINGS, TOPICS, KEY))
    return Made(folder, settings.task, count, len(settings.groups), key, notes, settings.judge)


def _pair(text: str) -> tuple[str, str]:
    short, equals, title = text.partition("=")
    return short.strip(), (title if equals else short).strip()


def default_guidelines(task: Task) -> str:
    """Return the guidelines for assessors until the organisers write their own."""
    if task == "nuggets":
        return """# How to judge

Where you are asked to list the nuggets of a target: write one fact in each line, vital if an answer without it is
incomplete, else okay.

Where you are shown a string: name the nuggets that it contains. A nugget is in a string if its fact is stated, in
whatever words.

A comment reaches the adjudicator.
"""
    sentences = """
Where you are asked for sentences: tick each one that answers the question; None if no sentence does.
"""
    return f"""# How to judge

Give each answer one letter:

- R, right: the answer is right and exact, and its document, where one is given, supports it.
- W, wrong: the answer is not right.
- X, inexact: part of the right answer is missing, or there is more than the answer.
- U, unsupported: the answer is right, but its document does not support it.
{sentences if task == "reading" else ""}
A comment reaches the adjudicator.
"""
