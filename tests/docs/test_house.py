"""The pictures of docs/architecture.md are what the code is now."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def house() -> ModuleType:
    spec = importlib.util.spec_from_file_location("house", ROOT / "tools" / "house.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["rooms.svg", "types.svg"])
def test_a_picture_is_not_stale(name: str) -> None:
    drawn = house().PICTURES[name]()
    assert drawn == (ROOT / "docs" / "assets" / name).read_text(encoding="utf-8"), "stale: python tools/house.py"


def test_every_file_and_folder_named_on_the_page_is_there() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = {name for name in re.findall(r"`([\w/.*]+)`", page) if "/" in name or name.endswith(".py")}
    named -= {"columns.py"}  # of each task
    assert len(named) > 30
    rooms = (ROOT / "src" / "nescio", ROOT, ROOT / "docs")
    assert [name for name in sorted(named) if not any(list(room.glob(name)) for room in rooms)] == []


def test_every_package_is_in_the_picture() -> None:
    drawn = (ROOT / "docs" / "assets" / "rooms.svg").read_text(encoding="utf-8")
    packages = [path.parent.name for path in (ROOT / "src" / "nescio").glob("*/__init__.py")]
    assert packages
    assert [name for name in packages if f">{name}</text>" not in drawn] == []
