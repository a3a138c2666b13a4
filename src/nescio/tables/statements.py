"""Write the SQL statements that count a table of answers on any engine.

They count each run, each pair of runs, and rounded confidences. They use the SQL that all engines share; `DIALECTS` has
the differences.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from nescio.data.policies import Missing

Dialect = Literal["duckdb", "postgres", "spark", "bigquery", "snowflake"]
LETTERS = {"correct": "c", "incorrect": "w", "unanswered": "u"}
BOTH = tuple((letter, other) for letter in LETTERS.values() for other in LETTERS.values())
PAIRS = tuple(letter + other for letter, other in BOTH)
# Beside the outcomes: unknown or repeated outcomes, questions that a run lacks, and all questions that count.
BESIDE = ("other", "missing", "asked")
# What the policies changed: answers that are left out without a grade, missing ones that count as unanswered, missing
# ones that are left out for all runs, and all questions that are left out because some run lacks them.
SETTLED = ("ungraded", "missing_unanswered", "missing_left_out", "not_common")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FILE = re.compile(r"\.(parquet|csv|tsv|jsonl?)(\.gz|\.zst)?$|[*?]|://", re.IGNORECASE)


class _Spelling(Struct, frozen=True):
    """The way in which a database's dialect of SQL writes types, file names, quoted names and quotes in texts."""

    text: str
    number: str
    quote: str = '"'
    escape: str = "''"
    file: str = ""
    folds: bool = False  # a quoted name differs from the same name without quotes


DIALECTS: Mapping[str, _Spelling] = {
    "duckdb": _Spelling("VARCHAR", "DOUBLE", file="'{}'"),
    "postgres": _Spelling("TEXT", "DOUBLE PRECISION"),
    "spark": _Spelling("STRING", "DOUBLE", quote="`", escape=r"\'", file="parquet.`{}`"),
    "bigquery": _Spelling("STRING", "FLOAT64", quote="`", escape=r"\'"),
    "snowflake": _Spelling("VARCHAR", "DOUBLE", folds=True),
}


class Counted(Struct, frozen=True):
    """A table of answers in a database, with the settings for counting its outcomes.

    `table` is its name. `columns` names the columns of `run`, `question` and `outcome` (and `confidence`), and `words`
    has the outcome that each word means. `missing` is the policy for questions that a run lacks. With
    `without_ungraded`, answers with an empty outcome are left out.
    """

    table: str
    columns: Mapping[str, str]
    words: Mapping[str, str]
    missing: Missing = "error"
    without_ungraded: bool = False
    dialect: Dialect = "duckdb"

    @property
    def files(self) -> str:
        """Return the path or pattern of the table's files; "" for a table in a database, and for an address."""
        return self.table if self._spelling.file and _FILE.search(self.table) and "://" not in self.table else ""

    @property
    def _spelling(self) -> _Spelling:
        return DIALECTS[self.dialect]

    def _name(self, name: str) -> str:
        spelling = self._spelling
        if spelling.folds and _PLAIN.fullmatch(name):
            return name
        return spelling.quote + name.replace(spelling.quote, spelling.quote * 2) + spelling.quote

    def _literal(self, text: str) -> str:
        if self._spelling.escape != "''":
            text = text.replace("\\", "\\\\")
        return "'" + text.replace("'", self._spelling.escape) + "'"

    def _from(self) -> str:
        if self._spelling.file and _FILE.search(self.table):
            return self._spelling.file.format(self.table.replace("'", "''"))
        return ".".join(map(self._name, self.table.split(".")))

    def _cell(self, role: str) -> str:
        return f"CAST({self._name(self.columns[role])} AS {self._spelling.text})"

    def _grid(self, confidence: str = "") -> str:
        """Return the relation `grid`: a row for each run and question, with the state of the answer.

        The state is "x" for an answer that is left out without a grade, "d" for a question that some run lacks and that
        is left out, "m" for another missing answer, "o" for an unclear one, and else a letter of `LETTERS`. The column
        `given` is empty where the run has no answer.
        """
        word = f"LOWER(TRIM({self._cell('outcome')}))"
        known = "\n        ".join(
            f"WHEN {self._literal(word.strip().lower())} THEN '{LETTERS[outcome]}'"
            for word, outcome in self.words.items()
            if outcome in LETTERS
        )
        none = [word.strip().lower() for word, outcome in self.words.items() if outcome == "ungraded"]
        ungraded = ", ".join(map(self._literal, dict.fromkeys(["", *none])))
        state, common = f"COALESCE(a.state, '{'u' if self.missing == 'unanswered' else 'm'}')", ""
        if self.missing == "common":
            state = "CASE WHEN c.question IS NULL THEN 'd' ELSE a.state END"
            common = (
                "\n  LEFT JOIN (\n    SELECT question FROM answers GROUP BY question"
                "\n    HAVING COUNT(*) = (SELECT COUNT(DISTINCT run) FROM answers)) AS c"
                "\n    ON c.question = q.question"
            )
        cell = confidence and f",\n    MIN({confidence})\n      AS confidence"
        return f"""WITH answers AS (
  SELECT COALESCE({self._cell("run")}, '') AS run,
    COALESCE({self._cell("question")}, '') AS question,
    CASE WHEN COUNT(*) > 1
      OR MIN({self._cell("question")}) IS NULL THEN 'o'
    ELSE MIN(
      CASE WHEN COALESCE(
        {word}, '')
        IN ({ungraded}) THEN '{"x" if self.without_ungraded else "o"}'
      ELSE CASE {word}
        {known}
        ELSE 'o' END END) END AS state{cell}
  FROM {self._from()}
  GROUP BY 1, 2
),
grid AS (
  SELECT r.run, q.question,
    {state} AS state,
    a.state AS given{confidence and ", a.confidence"}
  FROM (SELECT DISTINCT run FROM answers) AS r
  CROSS JOIN (SELECT DISTINCT question FROM answers) AS q
  LEFT JOIN answers AS a
    ON a.run = r.run AND a.question = q.question{common}
)
"""

    def runs(self) -> str:
        """Return the statement that counts the outcomes of each run."""
        return f"{self._grid()}SELECT run,\n  {_outcomes()}\nFROM grid\nGROUP BY run\nORDER BY run"

    def pairs(self) -> str:
        """Return the statement that counts the questions of each two runs by the outcomes of both.

        A run is also paired with itself.
        """
        cells = [_count(f"a.state = '{x}' AND b.state = '{y}'", x + y) for x, y in BOTH]
        both = [
            (" OR\n    ".join(when.format(alias) for alias in ("a.", "b.")), name) for name, when in _OTHERS.items()
        ]
        shown = ",\n  ".join([*cells, *(_count(when, name) for when, name in both), _count("a.state <> 'd'", "asked")])
        return (
            f"{self._grid()}SELECT a.run AS run_a, b.run AS run_b,\n  {shown}\nFROM grid AS a\n"
            "JOIN grid AS b ON a.question = b.question AND a.run <= b.run\nGROUP BY a.run, b.run\nORDER BY 1, 2"
        )

    def confidences(self, bins: int) -> str:
        """Return the statement that counts the outcomes of each run at each rounded confidence."""
        number = self._spelling.number
        rounded = f"FLOOR(CAST({self._name(self.columns['confidence'])} AS {number}) * {bins} + 0.5) / {bins}"
        return (
            f"{self._grid(rounded)}SELECT run, confidence,\n  {_outcomes()}\nFROM grid\nGROUP BY run, confidence\n"
            "ORDER BY run, confidence"
        )


# The condition under which a row of the grid, `{0}`, counts in each column beside the outcomes.
_OTHERS = {
    "other": "{0}state = 'o'",
    "missing": "{0}state = 'm'",
    "ungraded": "{0}state = 'x'",
    "missing_unanswered": "{0}given IS NULL AND {0}state = 'u'",
    "missing_left_out": "{0}given IS NULL AND {0}state = 'd'",
    "not_common": "{0}state = 'd'",
}


def _count(when: str, name: str) -> str:
    return f"COUNT(CASE WHEN {when}\n    THEN 1 END) AS {name}"


def _outcomes() -> str:
    conditions = {name: f"state = '{state}'" for name, state in LETTERS.items()}
    conditions |= {name: when.format("") for name, when in _OTHERS.items()} | {"asked": "state <> 'd'"}
    return ",\n  ".join(_count(when, name) for name, when in conditions.items())
