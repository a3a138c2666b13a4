"""Convert the times of judgements from the clocks of browsers to this machine's clock, keeping their order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from nescio.people.assessing.connections import SLOWEST
from nescio.people.campaigns.handed_in import Record

_SLOW = timedelta(seconds=SLOWEST)
_MOST = 10_000  # sessions; then all begin anew


class Clocks:
    """For each session, the difference between the clock of its browser and the clock of this machine.

    A slow request looks as if the browser's clock were behind. Therefore a new difference replaces the stored one only
    if the two are further apart than a slow request explains. In that case, somebody has set a clock.
    """

    def __init__(self) -> None:
        self.ahead: dict[str, timedelta] = {}

    def by_this(self, session: str, said: Sequence[Record], sent: str) -> Iterator[Record]:
        """Yield the judgements `said`, with their times changed from the browser's clock to this machine's clock.

        `sent` is the time by the browser's clock at which the browser sent the judgements, or "" if unknown.
        """
        ahead = self._ahead_of(session, sent)
        for record in said:
            try:
                yield replace(record, at=(datetime.fromisoformat(record.at).astimezone(UTC) - ahead).isoformat())
            except (ValueError, OverflowError):
                yield record

    def by_theirs(self, session: str, at: str) -> str:
        """Convert the time `at` from this machine's clock to the clock of the session's browser."""
        try:
            time = datetime.fromisoformat(at) + self.ahead.get(session, timedelta())
        except OverflowError:  # The browser's clock is at the beginning or the end of time.
            return at
        return time.isoformat(timespec="milliseconds")

    def _ahead_of(self, session: str, sent: str) -> timedelta:
        held = self.ahead.get(session)
        try:
            now = datetime.fromisoformat(sent).astimezone(UTC) - datetime.now(UTC)
        except (ValueError, OverflowError):
            return held or timedelta()
        if held is not None and abs(now - held) < _SLOW:
            return held
        if len(self.ahead) >= _MOST:
            self.ahead.clear()
        self.ahead[session] = now
        return now
