"""The answer contains what a pattern describes: the answer patterns of TREC's question answering tracks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from nescio.data.model import Collection, Question, Run
from nescio.data.notes import Note, note
from nescio.judging._judge import judge

if TYPE_CHECKING:
    import duckdb


def no_patterns(collection: Collection, runs: Sequence[Run]) -> Iterator[Note]:
    """Yield a note that counts the gold answers that are not valid patterns, with the first of them."""
    gold = [(question.id, question.answers) for question in collection.questions]
    gold += [pair for run in runs for pair in run.gold.items()]
    texts = [
        pair for pair in dict.fromkeys((name, text) for name, answers in gold for text in answers) if _why_none(pair[1])
    ]
    if texts:
        question_id, text = texts[0]
        yield note(
            "pattern.taken_literally",
            "{answers:n gold answer} {answers:is not a valid RE2 pattern and is/are not valid RE2 patterns and are} "
            "searched for literally (first: {text!r}, question {question!r}: {why})",
            answers=len(texts),
            text=text,
            question=question_id,
            why=_why_none(text),
        )


@judge("pattern", remarks=no_patterns)
def pattern(question: Question, answer: str, ignore_case: bool = True) -> bool:
    """Call an answer right if one of the gold answers, read as a regular expression, matches anywhere in the answer.

    White space in the answer counts as single spaces. The expressions are those of RE2 (through DuckDB), without
    look-around and back-references. So the time is linear in the length of the answer, and no verdict depends on a
    timeout. All 5,160 patterns of TREC 8 to 13 are valid. An invalid gold answer, such as "(Bill Pullman", is searched
    for literally, and a note says so. TREC's files leave open whether case matters: some spell both cases out, most do
    not.
    """
    text = " ".join(answer.split()).encode(errors="replace").decode()
    patterns = [gold for gold in question.answers if not _why_none(gold)]
    literal = [" ".join(gold.split()) for gold in question.answers if _why_none(gold)]
    if any(gold.casefold() in text.casefold() if ignore_case else gold in text for gold in literal):
        return True
    if not patterns:
        return False
    matches = f"regexp_matches($1, ${{}}, '{'i' if ignore_case else 'c'}')"
    clauses = " OR ".join(matches.format(i + 2) for i in range(len(patterns)))
    row = _database().execute(f"SELECT {clauses}", [text, *patterns]).fetchone()
    return bool(row and row[0])


@lru_cache(maxsize=1 << 16)
def _why_none(text: str) -> str | None:
    """Return the reason why a text is not a valid pattern, or None if the text is valid."""
    database = _database()
    import duckdb

    try:
        database.execute("SELECT regexp_matches('', ?)", [text])
    except UnicodeError:
        return "it contains half a surrogate pair"
    except duckdb.Error as error:
        return str(error).split(": ", 1)[-1].split("\n", 1)[0]
    return None


@lru_cache(maxsize=1)
def _database() -> duckdb.DuckDBPyConnection:
    from nescio.sources.database import load_engine

    load_engine()
    import duckdb

    return duckdb.connect(
        config={"threads": "1", "autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    )
