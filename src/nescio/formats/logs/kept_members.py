"""Write and read what gates ask of a run (`nescio.data.kept`) in the metadata of logs of other tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from nescio.data.kept import (
    DIGESTS,
    GRADES,
    HELD,
    NO_GATE,
    OF_RUNS,
    SILENT_ON_ANSWERS,
    from_texts,
    in_texts,
    is_held,
    notes_on,
)
from nescio.data.notes import Note
from nescio.data.outcomes import Outcomes
from nescio.data.scales import ranges_differ
from nescio.formats.registry import ReadResult

OWN = "nescio_"  # the prefix of the metadata keys that nescio writes
ANSWERABLE = f"{OWN}answerable"


def own_members(outcomes: Outcomes, run: int, question: int | None = None) -> dict[str, str]:
    """Return the members about a run, and about its answer to a question if one is given, keyed by nescio's names."""
    members = {f"{OWN}{name}": outcomes.kept.get(name, {}).get(outcomes.runs[run]) for name in OF_RUNS}
    if question is not None:
        members |= digests(outcomes, run, question)
    return {name: text for name, text in members.items() if text}


def digests(outcomes: Outcomes, run: int, question: int) -> dict[str, str]:
    """Return the members with the digests of a question and of its gold answers, where these are known."""
    texts = in_texts(None if outcomes.words is None else outcomes.words[run, question])
    return {f"{OWN}{name}": text for name, text in zip(DIGESTS, texts, strict=True) if text}


def answerable(outcomes: Outcomes, run: int, question: int) -> dict[str, str]:
    """Return the member that says whether a question has an answer, if the rows of the run say it."""
    known = -1 if outcomes.answerable is None else int(outcomes.answerable[question])
    if known < 0 or outcomes.runs[run] in outcomes.kept.get(SILENT_ON_ANSWERS, {}):
        return {}
    return {ANSWERABLE: "true" if known else "false"}


def answerable_in(metadata: Mapping[str, Any]) -> int:
    """Return whether a question has an answer according to the metadata: 1, 0, or -1 if they do not say it."""
    return {"true": 1, "false": 0}.get(str(metadata.get(ANSWERABLE)), -1)


def words_in(metadata: Mapping[str, Any], form: str) -> bytes:
    """Return the digests in the metadata of an answer, empty if it has none; `form` is the name of the log's format."""
    asked, gold = (metadata.get(f"{OWN}{name}") for name in DIGESTS)
    return from_texts(asked, gold, form)


class KeptMembers:
    """The members about runs that the metadata of logs hold."""

    def __init__(self) -> None:
        self._said: dict[str, dict[tuple[str, str], None]] = {name: {} for name in OF_RUNS}
        self._files: dict[str, str] = {}

    def take(self, run: str, file: str, metadata: Mapping[str, Any]) -> None:
        """Record the members about a run in the metadata."""
        for name, pairs in self._said.items():
            text = metadata.get(f"{OWN}{name}")
            if isinstance(text, str) and text and (name != HELD or is_held(text)):
                pairs[run, text] = None
                self._files.setdefault(run, file)

    def notes(self) -> list[Note]:
        """Return the notes that the members stand for."""
        return [*notes_on(self._said[HELD], self._said[NO_GATE], self._files), *ranges_differ(self._said[GRADES])]

    def beside(self, read: ReadResult) -> ReadResult:
        """Return what was read, with the ranges of grades that the members state."""
        if not isinstance(read.data, Outcomes):
            return read
        ranges = {**read.data.kept.get(GRADES, {}), **dict([*self._said[GRADES]])}
        return replace(read, data=replace(read.data, kept={**read.data.kept, GRADES: ranges}))
