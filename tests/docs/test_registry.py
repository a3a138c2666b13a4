"""A registry imports what its index names when it is asked for, and finds what is in no index all the same."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from nescio.errors import UnknownNameError
from nescio.registry import Registry, import_all

FILES = {
    "__init__": "from nescio.registry import Registry\nFRUIT = Registry('fruit', {'fig': 'fruit.trees'})\n",
    "trees": "from fruit import FRUIT\nFRUIT.add('fig', 1)\nFRUIT.add('quince', 2)\n",
    "bushes": "from fruit import FRUIT\nFRUIT.add('currant', 3)\n",
}


@pytest.fixture
def fruit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry[int]]:
    """A registry whose things are in two modules, of which one is in the index, which lacks one of its two things."""
    (tmp_path / "fruit").mkdir()
    for name, text in FILES.items():
        (tmp_path / "fruit" / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    import fruit  # type: ignore[import-not-found]

    import_all("fruit", fruit.__path__, but=("fruit.trees",))
    yield fruit.FRUIT
    for name in [name for name in sys.modules if name.partition(".")[0] == "fruit"]:
        del sys.modules[name]


def test_what_an_index_names_is_imported_when_it_is_asked_for(fruit: Registry[int]) -> None:
    assert (list(fruit), len(fruit)) == (["fig", "currant"], 2)
    assert "fruit.trees" not in sys.modules
    assert fruit["fig"] == 1
    assert "fruit.trees" in sys.modules


def test_what_an_index_lacks_is_found(fruit: Registry[int]) -> None:
    assert fruit.find("currant") == 3  # in a module that the index does not know
    assert fruit.find("quince") == 2  # in one that it knows for something else
    with pytest.raises(UnknownNameError, match="plum"):
        fruit.find("plum")
