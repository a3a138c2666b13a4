"""Write the command lines that reproduce a page's figures."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from nescio.text import command_text


class Commands(Struct, frozen=True):
    """The parts of the command lines that reproduce the figures of a page.

    `files` are the files, `reading` the options for reading them, and `resampling` the options for resampling.
    """

    files: tuple[str, ...] = ("FILES",)
    reading: tuple[str, ...] = ()
    resampling: tuple[str, ...] = ()

    def line(self, verb: str, *more: str, resampled: bool = True) -> str:
        """Return the line for a shell that runs the command `verb` with this page's files and options.

        Unless `resampled`, the line has no options for resampling.
        """
        files = (f"./{name}" if name.startswith("-") else name for name in self.files)
        return command_text(
            ["nescio", *verb.split(), *files, *more, *self.reading, *(self.resampling if resampled else ())]
        )


def measure_words(measures: Sequence[str]) -> tuple[str, ...]:
    """Return the part of a command line that names these measures: `-m MEASURE` for each."""
    return tuple(part for name in measures for part in ("-m", name))
