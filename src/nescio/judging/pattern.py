"""The answer holds what a pattern describes: the answer patterns of TREC's question answering tracks."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from nescio.data.model import Question
from nescio.errors import MismatchError
from nescio.judging._judge import judge

if TYPE_CHECKING:
    import duckdb


@judge("pattern", valid={"ignore_case": ("ignore_case is true or false", lambda value: isinstance(value, bool))})
def pattern(question: Question, answer: str, ignore_case: bool = True) -> bool:
    """Right if one of the gold answers, read as a regular expression, is found anywhere in the answer.

    White space in the answer counts as single spaces. The expressions are those of RE2 (through DuckDB): no look-around and no
    references back, and therefore none that an answer could keep busy for ever; the time is linear in the length of the
    answer, and no verdict depends on a clock. All 5,160 patterns of TREC 8 to 13 are such expressions. Raises MismatchError
    for one that is not. TREC's files leave open whether case matters: some spell both cases out, most do not.
    """
    if not question.answers:
        return False
    text = " ".join(answer.split()).encode(errors="replace").decode()
    _check(question.id, question.answers)
    matches = f"regexp_matches($1, ${{}}, '{'i' if ignore_case else 'c'}')"
    clauses = " OR ".join(matches.format(i + 2) for i in range(len(question.answers)))
    found = _database().execute(f"SELECT {clauses}", [text, *question.answers]).fetchone()
    return bool(found and found[0])


@lru_cache(maxsize=1 << 12)
def _check(question: str, patterns: tuple[str, ...]) -> None:
    """Raise MismatchError for the first pattern that is none."""
    import duckdb

    for text in patterns:
        try:
            _database().execute("SELECT regexp_matches('', ?)", [text])
        except (duckdb.Error, UnicodeError) as error:
            why = str(error).split(": ", 1)[-1].split("\n", 1)[0]
            raise MismatchError(
                f"question {question!r}: the gold answer is no pattern that RE2 reads: {why} (found {text!r})"
            ) from None


@lru_cache(maxsize=1)
def _database() -> duckdb.DuckDBPyConnection:
    import duckdb

    return duckdb.connect(
        config={"threads": "1", "autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    )
