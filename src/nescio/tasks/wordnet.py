"""Find WordNet in nltk's own data or Debian's package `wordnet-base`. Nothing is downloaded."""

from __future__ import annotations

import io
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any

DEBIAN = Path("/usr/share/wordnet")
FILES = ("data.noun", "index.noun", "data.verb", "index.verb")
HINT = "install Debian's wordnet-base, or let `python -m nltk.downloader wordnet` fetch its files"

# The lexicographer's files of WordNet 3.0 in the order of their numbers (lexnames(5WN)), because Debian omits the list.
_LEXICAL = """adj.all adj.pert adv.all noun.Tops noun.act noun.animal noun.artifact noun.attribute noun.body
noun.cognition noun.communication noun.event noun.feeling noun.food noun.group noun.location noun.motive noun.object
noun.person noun.phenomenon noun.plant noun.possession noun.process noun.quantity noun.relation noun.shape noun.state
noun.substance noun.time verb.body verb.change verb.cognition verb.communication verb.competition verb.consumption
verb.contact verb.creation verb.emotion verb.motion verb.perception verb.possession verb.social verb.stative
verb.weather adj.ppl"""
_PARTS = {"noun": 1, "verb": 2, "adj": 3, "adv": 4}


@lru_cache(maxsize=1)
def wordnet() -> Any | None:
    """Return nltk's reader of WordNet, or None if nltk or WordNet's files are not installed."""
    try:
        from nltk.corpus import wordnet as reader

        reader.ensure_loaded()
    except ImportError:
        return None
    except LookupError:
        return None if lacking(DEBIAN) else open_folder(DEBIAN)
    return reader


def lacking(folder: Path) -> str | None:
    """Return the first of WordNet's files that a folder lacks, or None."""
    return next((name for name in FILES if not (folder / name).is_file()), None)


@lru_cache(maxsize=2)
def open_folder(folder: Path) -> Any:
    """Return nltk's reader of the English files of WordNet in a folder."""
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class Reader(WordNetCorpusReader):  # type: ignore[misc]
        """A reader of WordNet that reads only the English files, and needs no file `lexnames`."""

        def open(self, file: str) -> Any:
            if file != "lexnames" or (folder / file).is_file():
                return super().open(file)
            names = _LEXICAL.split()
            return io.StringIO("".join(f"{i:02d}\t{n}\t{_PARTS[n.split('.')[0]]}\n" for i, n in enumerate(names)))

        def map_wn(self, version: str = "wordnet") -> None:
            """Do nothing, because English words need no map to other versions of WordNet."""

    if str(folder) not in nltk.data.path:
        nltk.data.path.append(str(folder))  # nltk opens no files outside its data path.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # The warning is that other languages are unavailable.
        return Reader(nltk.data.FileSystemPathPointer(str(folder)), None)
