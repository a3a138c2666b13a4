"""What `--memory-limit` holds, and what is said where it cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

import nescio
from nescio import memory
from nescio.errors import UsageError
from nescio.sources.database import connect

TABLE = "run,question,outcome,f1\n" + "".join(
    f"{run},question {i},{'correct' if (i + shift) % 3 else 'incorrect'},{(i * 7 + shift) % 11 / 10}\n"
    for shift, run in enumerate("abc")
    for i in range(4_000)
)


@pytest.mark.parametrize(
    ("text", "size"), [("2GB", 2 * 10**9), ("1.5 gb", 15 * 10**8), ("512MiB", 2**29), ("1GiB", 2**30), ("1TB", 10**12)]
)
def test_sizes(text: str, size: int) -> None:
    assert memory.size_of(text) == size


@pytest.mark.parametrize("text", ["2", "GB", "-1GB", "two GB", "2 bytes", "1e3MB", ""])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(UsageError, match="memory_limit is a size such as 2GB or 512MiB"):
        memory.size_of(text)


def test_too_little_is_said_before_anything_is_read() -> None:
    with pytest.raises(UsageError, match='memory_limit="20MB" is too little: nescio needs 512MB for itself'):
        nescio.score("no such file.csv", memory_limit="20MB")


def test_a_limit_changes_no_value_and_ends_with_the_call(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    with connect() as connection:
        before = connection.execute("SELECT current_setting('memory_limit')").fetchall()
    free = nescio.score(path, ["c@1", "mean(f1)"], resamples=300)
    assert list(nescio.score(path, ["c@1", "mean(f1)"], resamples=300, memory_limit="600MB")) == list(free)
    with memory.memory_limit("600MB"), connect() as connection:
        assert connection.execute("SELECT current_setting('memory_limit')").fetchall() == [("286.1 MiB",)]
    with connect() as connection:
        assert connection.execute("SELECT current_setting('memory_limit')").fetchall() == before


def test_a_table_that_does_not_fit_is_one_error_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "LEAST", 0)
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    with pytest.raises(UsageError) as caught:
        nescio.score(path, memory_limit="1MB")
    assert str(caught.value) == (
        "not enough memory: 1MB (memory_limit) is too little for this data; raise the limit, count the answers in your database (nescio sql), or compute fewer measures at a time"
    )
    assert len(nescio.score(path, "c@1", ci=None).rows) == 3
