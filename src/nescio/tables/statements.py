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
BOTH = tuple((one, other) for one in LETTERS.values() for other in LETTERS.values())
PAIRS = tuple(one + other for one, other in BOTH)
# Beside the outcomes: unknown or repeated outcomes, questions that a run lacks, and all questions.
BESIDE = ("other", "missing", "asked")
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
    def _spelling(self) -> _Spelling:
        return DIALECTS[self.dialect]

    def _name(self, name: str) -> str:
        own = self._spelling
        if own.folds and _PLAIN.fullmatch(name):
            return name
        return own.quote + name.replace(own.quote, own.quote * 2) + own.quote

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
        """Return the relation `grid`: a row for each run and question, with the state of the answer."""
        word = f"LOWER(TRIM({self._cell('outcome')}))"
        known = "\n        ".join(
            f"WHEN {self._literal(word.strip().lower())} THEN '{LETTERS[outcome]}'"
            for word, outcome in self.words.items()
            if outcome in LETTERS
        )
        none = [word.strip().lower() for word, outcome in self.words.items() if outcome == "ungraded"]
        ungraded = ", ".join(map(self._literal, dict.fromkeys(["", *none])))
        lacking = "u" if self.missing == "unanswered" else "m"
        common = ""
        if self.missing == "common":
            common = (
                "\n  WHERE q.question IN (\n    SELECT question FROM answers GROUP BY question"
                "\n    HAVING COUNT(*) = (SELECT COUNT(DISTINCT run) FROM answers))"
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
    COALESCE(a.state, '{lacking}') AS state{confidence and ", a.confidence"}
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
        cells = [f"COUNT(CASE WHEN a.state = '{x}' AND b.state = '{y}'\n    THEN 1 END) AS {x}{y}" for x, y in BOTH]
        cells += [
            f"COUNT(CASE WHEN a.state = '{state}' OR b.state = '{state}'\n    THEN 1 END) AS {name}"
            for name, state in (("other", "o"), ("missing", "m"))
        ]
        shown = ",\n  ".join([*cells, "COUNT(*) AS asked"])
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


def _outcomes() -> str:
    states = {**LETTERS, "other": "o", "missing": "m"}
    cells = [f"COUNT(CASE WHEN state = '{state}' THEN 1 END) AS {name}" for name, state in states.items()]
    return ",\n  ".join([*cells, "COUNT(*) AS asked"])
