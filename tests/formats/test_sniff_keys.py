"""Whoever recognises a file is asked about it: the sniff keys of a format leave out none of its files."""

from __future__ import annotations

from pathlib import Path

import pytest

from nescio.errors import FormatError
from nescio.formats import REGISTRY, candidate_formats, open_source
from nescio.sources.source import Source

from .excerpts import EXAMPLES, EXCERPTS

FILES = [path for place in (EXAMPLES, EXCERPTS) for path in sorted(place.rglob("*")) if path.is_file()]


def _opened(path: Path) -> Source | None:
    try:
        return open_source(path)
    except FormatError:
        return None


@pytest.fixture(scope="module")
def sources() -> list[Source]:
    return [source for path in FILES if (source := _opened(path))]


@pytest.mark.parametrize("name", REGISTRY)
def test_the_sniff_keys_of_a_format_leave_out_none_of_its_files(name: str, sources: list[Source]) -> None:
    own = [source for source in sources if REGISTRY[name].recognise(source)]
    assert own, "there is no excerpt of it"
    assert not [source.label for source in own if REGISTRY[name] not in candidate_formats(source)]


@pytest.mark.parametrize("name", REGISTRY)
def test_the_sniff_keys_of_a_format_spare_it_some_files(name: str, sources: list[Source]) -> None:
    """A format without sniff keys would be imported for every file."""
    assert [source.label for source in sources if REGISTRY[name] not in candidate_formats(source)]


def test_a_file_is_asked_of_few_formats() -> None:
    """Predictions of SQuAD have no keys of their own, and reports by instance, by sample and by benchmark are objects
    of objects."""
    document: dict[str, object] = {"56ddde6b9a695914005b9628": "France"}
    predictions = Source("p.json", Path("p.json"), kind="document", columns=tuple(document), document=document)
    assert [format_.name for format_ in candidate_formats(predictions)] == ["squad2"]
    document = {"django__django-1": {"resolved": True}}
    report = Source("r.json", Path("r.json"), kind="document", columns=tuple(document), document=document)
    assert [format_.name for format_ in candidate_formats(report)] == ["squad2", "lm_eval", "nemo_skills", "swe_bench"]
    table = Source("t.csv", Path("t.csv"), columns=("run", "question", "outcome"), kind="delimited")
    assert [format_.name for format_ in candidate_formats(table)] == [
        "mlflow",
        "phoenix",
        "ragas",
        "outcomes",
        "matrix",
    ]
