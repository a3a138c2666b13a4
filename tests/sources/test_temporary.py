"""Folders for temporary files, whose owners may be collected at any moment."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nescio.sources.temporary import folder_with, temporary_folder


class Owner:
    pass


def last_owner_goes_in(call: Callable[..., Any], owners: list[Owner]) -> Callable[..., Any]:
    """The function, in whose first call the last owner of a temporary folder is collected."""

    def called(*given: Any, **named: Any) -> Any:
        owners.clear()
        return call(*given, **named)

    return called


@pytest.mark.parametrize("where", ["looking", "making"])
def test_a_folder_is_made_while_the_last_owner_of_another_goes(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    owners = [Owner()]
    first = folder_with(owners[0])
    assert first.parent.parent == tmp_path
    if where == "looking":
        monkeypatch.setattr(Path, "is_dir", last_owner_goes_in(Path.is_dir, owners))
    else:
        monkeypatch.setattr(tempfile, "mkdtemp", last_owner_goes_in(tempfile.mkdtemp, owners))
    with temporary_folder() as folder:
        (folder / "file").write_text("held")
        assert not first.exists()
    monkeypatch.undo()
    assert [*tmp_path.iterdir()] == []
