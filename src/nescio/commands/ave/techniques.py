"""The techniques of validators."""

from __future__ import annotations

from pathlib import Path

from nescio.data.results import Results
from nescio.errors import names_nearest
from nescio.systems import validator


@names_nearest
def table12(*, wordnet: Path | None = None, embeddings: str | None = None, parser: str | None = None) -> Results:
    """List the techniques, who used them in 2007, and which are in use here: Table 12 of the paper.

        print(nescio.ave.table12())

    `wordnet`, `embeddings` and `parser` name what some of them need: a folder, and models that are installed.
    """
    return validator.table12(validator.Resources(wordnet, embeddings, parser))
