"""The indexes say what the modules register, and what is in none of them is found all the same."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from nescio.errors import UnknownNameError
from nescio.registry import Registry, import_all

from .test_reference import script

index = script("index")


@pytest.mark.parametrize("path", index.PAGES, ids=lambda path: path.parent.name)
def test_no_index_is_stale(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == index.written(index.PAGES[path]()), "run `python tools/index.py`"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package whose registry has its things in three modules, of which one is in the index, and that lacks one of its
    two things."""
    folder = tmp_path / "fruit"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from nescio.registry import Registry\nFRUIT = Registry('fruit', {'fig': 'fruit.trees'})\n"
    )
    (folder / "trees.py").write_text("from fruit import FRUIT\nFRUIT.add('fig', 1)\nFRUIT.add('quince', 2)\n")
    (folder / "bushes.py").write_text("from fruit import FRUIT\nFRUIT.add('currant', 3)\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield "fruit"
    for name in [name for name in sys.modules if name.partition(".")[0] == "fruit"]:
        del sys.modules[name]


def _fruit() -> Registry[int]:
    import fruit  # type: ignore[import-not-found]

    registry: Registry[int] = fruit.FRUIT
    import_all("fruit", fruit.__path__, but=("fruit.trees",))
    return registry


@pytest.mark.usefixtures("package")
def test_what_an_index_names_is_imported_when_it_is_asked_for() -> None:
    registry = _fruit()
    assert "fruit.trees" not in sys.modules
    assert list(registry) == ["fig", "currant"]
    assert len(registry) == 2
    assert "fruit.trees" not in sys.modules
    assert registry["fig"] == 1
    assert "fruit.trees" in sys.modules


@pytest.mark.usefixtures("package")
def test_what_an_index_lacks_is_found() -> None:
    registry = _fruit()
    assert registry.find("currant") == 3  # in a module that the index does not know
    assert registry.find("quince") == 2  # in one that it knows for something else
    with pytest.raises(UnknownNameError, match="plum"):
        registry.find("plum")
