"""Every reader is tested with the cases of its file in `tests/data/readers` (see `cases.py`)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from .cases import CASES, REAL, SHARED, Case


@pytest.mark.parametrize("reader", CASES)
def test_a_reader_finds_what_its_cases_say(reader: str, tmp_path: Path) -> None:
    try_all(CASES[reader], tmp_path)


@pytest.mark.skipif(not SHARED.exists(), reason="the shared files are not beside the checkout")
@pytest.mark.parametrize("reader", REAL)
def test_a_reader_finds_in_real_files_what_was_counted_in_them(reader: str, tmp_path: Path) -> None:
    try_all(REAL[reader], tmp_path)


def try_all(cases: Iterable[Case], folder: Path) -> None:
    """Check each case in a folder of its own, and name those that fail together."""
    failed: list[BaseException] = []
    for i, case in enumerate(cases):
        (folder / str(i)).mkdir()
        try:
            case.check(folder / str(i))
        except (Exception, pytest.fail.Exception) as error:
            error.add_note(str(case))
            failed.append(error)
    if failed:
        raise BaseExceptionGroup(f"{len(failed)} cases", failed)
