"""Write the command lines that reproduce a page's figures."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from nescio.text import command_text


class Commands(Struct, frozen=True):
    """The parts of the commands that reproduce figures: the files, how they are read, and how resampling is done."""

    files: tuple[str, ...] = ("FILES",)
    reading: tuple[str, ...] = ()
    resampling: tuple[str, ...] = ()

    def line(self, verb: str, *more: str, resampled: bool = True) -> str:
        """Return one command, quoted for a shell."""
        files = (f"./{name}" if name.startswith("-") else name for name in self.files)
        return command_text(
            ["nescio", *verb.split(), *files, *more, *self.reading, *(self.resampling if resampled else ())]
        )


def measure_words(measures: Sequence[str]) -> tuple[str, ...]:
    """Return the words `-m MEASURE` for each measure."""
    return tuple(part for name in measures for part in ("-m", name))
