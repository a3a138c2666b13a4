"""Choose names in one style without using a name twice in a table."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tests.tables import words

COMMON = (35, 25, 40)  # weights for taking one of the first two names, of the first five, and of all
STYLES = ("snake",) * 7 + ("camel", "title", "kebab", "upper")


class Names:
    """The names of one table's columns, all different in their letters and digits."""

    def __init__(self, chance: random.Random, language: str) -> None:
        self.chance, self.language = chance, language
        self.style = chance.choice(STYLES)
        self.taken: set[str] = set()

    def styled(self, name: str) -> str:
        """Return a name in the style of this table; names in other languages stay unchanged."""
        parts = name.split("_")
        if not name.isascii() or " " in name or not name.islower() or self.style == "snake":
            return name
        if self.style == "camel":
            return parts[0] + "".join(part.title() for part in parts[1:])
        return {"title": " ".join(part.title() for part in parts), "kebab": "-".join(parts), "upper": name.upper()}[
            self.style
        ]

    def take(self, name: str) -> str | None:
        """Return the styled name and mark it as used, or None if it is in use."""
        squashed = "".join(c for c in name.casefold() if c.isalnum())
        if squashed in self.taken:
            return None
        self.taken.add(squashed)
        return self.styled(name)

    def any(self, among: Sequence[str]) -> str:
        """Return one of some unused names, the first being the commonest."""
        few = list(among[: self.chance.choices((2, 5, 0), COMMON)[0]])
        for name in [*self.chance.sample(few, len(few)), *self.chance.sample(list(among), len(among))]:
            if taken := self.take(name):
                return taken
        return self.any([f"{name}_2" for name in among])

    def local(self, part: str, among: Sequence[str]) -> str:
        """Return a name for a part in the language of the table, or in English."""
        own = words.NAMES.get(self.language, {}).get(part)
        return self.any(own if own and self.chance.random() < 0.8 else among)

    def verdict(self) -> str:
        """Return a name for a verdict, often a composed one."""
        if self.language == "en" and self.chance.random() < 0.25:
            composed = [f"{before}_{after}" for before in words.OF["before"] for after in words.OF["after"]]
            return self.any(composed)
        return self.local("verdict", words.OF["verdicts"])

    def worded(self) -> str:
        """Return a name for a verdict in words."""
        if self.language == "en" and self.chance.random() < 0.25:
            return self.any(
                [f"{before}_{after}" for before in words.OF["before"] for after in words.OF["worded_after"]]
            )
        return self.local("worded", words.OF["worded_verdicts"])
