"""Read, check and write the settings of a campaign (`campaign.toml`)."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any, Literal, get_args

from msgspec import Struct, field

from nescio.data.assessors import Resolution
from nescio.errors import FormatError, UsageError
from nescio.people.campaigns.texts import utf8_text
from nescio.text import squeeze

Task = Literal["qa", "ave", "nuggets", "reading", "pan"]
Distinct = Literal["answer", "answer and document"]
TASKS: tuple[Task, ...] = get_args(Task)
SETTINGS = "campaign.toml"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,39}")
_MEGABYTE = 1 << 20


class Settings(Struct, frozen=True):
    """The settings of a campaign.

    `groups` maps the short names of the groups to the names that tables print. `languages` are those of the topics
    (none if they state none, or all the same). A group may have `runs` runs in each language. After the
    `deadline` no run is accepted. The first `depth` answers of a run to each question are pooled, and `distinct` says
    when two answers are the same. `resolve` is the rule for judgements that differ. `judge` names the judge for answers
    that no person judged; this judge uses the key. With `blind`, published pages do not name groups. `megabytes` limits
    an unpacked file, and `characters` limits an answer or its support. Numbers of options count from `options_from`
    (-1: numbers name no options). `dropped` are topics that no longer count. `show` names columns of the topics that
    teams see, although they look like the key. `systems` maps names of systems (`*` matches anything) to their groups;
    it is for names that do not begin with the group's name.
    """

    name: str
    task: Task
    groups: Mapping[str, str]
    languages: tuple[str, ...] = ()
    runs: int = 3
    deadline: datetime | None = None
    depth: int = 1
    distinct: Distinct = "answer"
    resolve: Resolution = "adjudicated"
    judge: str = ""
    measures: tuple[str, ...] = ()
    blind: bool = False
    megabytes: int = 100
    characters: int = 10_000
    options_from: int = -1
    dropped: tuple[str, ...] = ()
    show: tuple[str, ...] = ()
    systems: Mapping[str, str] = field(default_factory=dict)

    @property
    def most_bytes(self) -> int:
        """Return the number of bytes to which a submitted file may unpack."""
        return self.megabytes * _MEGABYTE


def read_settings(folder: Path) -> Settings:
    """Return the settings of a campaign.

    Raises UsageError if the folder is not a campaign, FormatError for an invalid setting.
    """
    path = folder / SETTINGS
    if not path.is_file():
        raise UsageError(f"{folder} is not a campaign: it has no {SETTINGS} (nescio campaign init makes one)")
    try:
        values = tomllib.loads(utf8_text(path))
    except tomllib.TOMLDecodeError as error:
        raise FormatError(path, f"the file is not valid TOML: {error}") from None
    return settings_of(values, path)


def settings_of(values: Mapping[str, Any], path: Path | str) -> Settings:
    """Return the settings with these values. Raises FormatError for a value that is unknown, missing or invalid."""
    _check(values, path)
    taken: dict[str, Any] = dict(values)
    for name in ("languages", "measures", "dropped", "show"):
        taken[name] = tuple(_texts(path, name, taken.get(name, [])))
    taken["groups"] = {name: str(title) for name, title in taken["groups"].items()}
    taken["systems"] = {name: str(group) for name, group in taken.get("systems", {}).items()}
    for system, group in taken["systems"].items():
        if group not in taken["groups"]:
            raise FormatError(path, f"system {system!r} is mapped to a group that does not exist", value=group)
    for name in (*taken["groups"], *taken["languages"]):
        if not _NAME.fullmatch(name):
            raise FormatError(
                path, "the names of groups and languages may have only letters, digits and hyphens", value=name
            )
    folded = [name.casefold() for name in taken["groups"]]
    if twice := next((name for name in folded if folded.count(name) > 1), None):
        raise FormatError(path, "the names of two groups differ only in case", value=twice)
    titles = [squeeze(title) for title in taken["groups"].values()]
    if twice := next((title for title in titles if titles.count(title) > 1), None):
        raise FormatError(path, "two groups have the same name for tables; give each a name of its own", value=twice)
    taken["deadline"] = moment(taken["deadline"], path) if taken.get("deadline") else None
    return Settings(**taken)


def _check(values: Mapping[str, Any], path: Path | str) -> None:
    """Raise FormatError for a value that is unknown, missing, of the wrong type or out of range."""
    known = {*Settings.__struct_fields__}
    if unknown := sorted(values.keys() - known):
        rule = f"there is no setting with this name; settings are {', '.join(sorted(known))}"
        raise FormatError(path, rule, value=unknown[0])
    for name, kind, rule in _KINDS:
        if name in values and (not isinstance(values[name], kind) or (kind is int and isinstance(values[name], bool))):
            raise FormatError(path, f"{name} must be {rule}", value=values[name])
    for name, least in (("runs", 1), ("depth", 1), ("megabytes", 1), ("characters", 1), ("options_from", -1)):
        if values.get(name, least) < least:
            raise FormatError(path, f"{name} must be {least} or more", value=values[name])
    if values.get("options_from", -1) > 1:
        raise FormatError(path, "options_from must be 0 or 1, or -1 if numbers do not name options")
    for name, choices in (("task", TASKS), ("resolve", get_args(Resolution)), ("distinct", get_args(Distinct))):
        if name in values and values[name] not in choices:
            raise FormatError(path, f"{name} is one of {', '.join(choices)}", value=values[name])
    for name in ("name", "task", "groups"):
        if not values.get(name):
            raise FormatError(path, f"the setting {name} is missing")


_KINDS: tuple[tuple[str, Any, str], ...] = (
    ("name", str, "a text"),
    ("task", str, "a text"),
    ("groups", dict, 'a table of names, as in uned = "UNED"'),
    ("languages", list, "a list of texts"),
    ("measures", list, "a list of texts"),
    ("runs", int, "a whole number"),
    ("depth", int, "a whole number"),
    ("megabytes", int, "a whole number"),
    ("characters", int, "a whole number"),
    ("options_from", int, "a whole number"),
    ("dropped", list, "a list of texts"),
    ("show", list, "a list of texts"),
    ("systems", dict, 'a table of systems and groups, as in "CSUI_*" = "indonesia"'),
    ("blind", bool, "true or false"),
    ("judge", str, "a text"),
)


def _texts(path: Path | str, name: str, values: Sequence[Any]) -> list[str]:
    for value in values:
        if not isinstance(value, str) or not value.strip():
            raise FormatError(path, f"{name} must be a list of texts", value=value)
    return [value.strip() for value in values]


def is_named_for(run: str, group: str) -> bool:
    """Return whether a run is named after a group, as `uned_1` and `UNED-1` are named after `uned`."""
    return squeeze(run).startswith((f"{group.casefold()}_", f"{group.casefold()}-"))


def named_group(run: str, groups: Iterable[str]) -> str:
    """Return the group after which a run is named; empty if there is none.

    If the run's name begins with the names of several groups, return the group with the longest name.
    """
    return max((group for group in groups if is_named_for(run, group)), key=len, default="")


def is_numbered_for(run: str, group: str) -> bool:
    """Return whether a run is named after a group in CLEF's style, as `fuha071dede` is named after `fuha`.

    A digit follows the name of the group, without a mark between them.
    """
    name = squeeze(run)
    rest = name.removeprefix(group.casefold())
    return group[-1].isalpha() and rest != name and rest[:1].isdigit()


def moment(value: Any, path: Path | str = "") -> datetime:
    """Return a time in UTC; a date means its last second in UTC, and a time without a zone is UTC.

    Raises FormatError with `path`, the file that has the value, or UsageError without one.
    """
    parsed = value
    if isinstance(value, str):
        try:
            parsed = date.fromisoformat(value) if len(value) == len("2010-06-30") else datetime.fromisoformat(value)
        except ValueError:
            parsed = None
    if isinstance(parsed, datetime):
        with suppress(OverflowError):  # of the first or last day of all
            return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC)
    elif isinstance(parsed, date):
        return datetime.combine(parsed, time(23, 59, 59), UTC)
    rule = "a time is written as 2010-06-30 or 2010-06-30T12:00:00+02:00"
    raise FormatError(path, rule, value=value) if path else UsageError(f"{rule} (found {value!r})")


def written(settings: Settings) -> str:
    """Return the settings as TOML, with a comment on each setting."""

    def text(value: str) -> str:
        return json.dumps(value, ensure_ascii=False)

    def texts(values: Sequence[str]) -> str:
        return f"[{', '.join(map(text, values))}]"

    deadline = settings.deadline.isoformat() if settings.deadline else ""
    lines = [
        f"name = {text(settings.name)}",
        f"task = {text(settings.task)}  # {', '.join(TASKS)}",
        f"languages = {texts(settings.languages)}  # of the topics; none if they state none, or all the same",
        f"runs = {settings.runs}  # how many runs a group may have in each language",
        f"deadline = {text(deadline)}  # no run is accepted after it; empty: no deadline",
        f"depth = {settings.depth}  # how many answers to each question a run adds to the pool",
        f"distinct = {text(settings.distinct)}  # equal answers share: {' or '.join(map(text, get_args(Distinct)))}",
        f"resolve = {text(settings.resolve)}  # judgements that differ: {', '.join(get_args(Resolution))}",
        f"judge = {text(settings.judge)}  # the judge of answers without a verdict of a person, by the key, "
        "such as exact; empty: none",
        f"measures = {texts(settings.measures)}  # none: those of the task",
        f"blind = {str(settings.blind).lower()}  # true: published pages do not name groups; a group finds its own",
        f"megabytes = {settings.megabytes}  # how large a submitted file may be when unpacked",
        f"characters = {settings.characters}  # how long an answer, or the text that supports it, may be",
        f"options_from = {settings.options_from}  # the number of the first option, 0 or 1; -1: numbers name no option",
        f"dropped = {texts(settings.dropped)}  # topics, by id, that no longer count",
        *(
            [f"show = {texts(settings.show)}  # columns of the topics that are no key, whatever they look like"]
            if settings.show
            else []
        ),
        "",
        "[groups]  # the short name of each group, and the name that tables print",
        *(f"{text(name)} = {text(title)}" for name, title in settings.groups.items()),
        "",
        '[systems]  # systems whose names do not begin with their group\'s: "CSUI_*" = "indonesia"',
        *(f"{text(name)} = {text(group)}" for name, group in settings.systems.items()),
    ]
    return "\n".join(lines) + "\n"
