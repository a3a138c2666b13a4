"""Scores whose names are those of columns in tables stay scores in every file that nescio writes."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import nescio
from nescio.data.columns import user
from nescio.data.outcomes import Outcomes
from nescio.formats import WRITERS
from nescio.pipeline import Options, read
from nescio.tables.lexicon import expanded, text
from tests.rings import together

HELD = tomllib.loads(text())
NAMES = {role: [*dict.fromkeys(expanded(own["names"]))] for role, own in HELD["roles"].items()}
NAMES |= {f"count of {part}": [*dict.fromkeys(expanded(own))] for part, own in HELD["counts"].items()}
FORMS = (("outcomes", ".csv"), ("outcomes", ".jsonl"), ("outcomes", ".parquet"), ("every_eval_ever", ".jsonl"))
WRITTEN_AS: tuple[Callable[[str], str], ...] = (str, str.title, lambda name: name.replace("_", " ").capitalize())
N, MANY = 6, 100


def log(path: Path, metrics: list[str], *, whole: bool) -> Path:
    """A DeepEval log of which the first metric decides; the others have 0 or 1, or shares."""
    cases = []
    for at in range(N):
        right = at % 3 > 0
        values = {"GEval": 0.9 if right else 0.1}
        values |= {name: float((at + i) % 2) if whole else (at + i) % 7 / 7 for i, name in enumerate(metrics)}
        data = [
            {"name": name, "threshold": 0.5 if name == "GEval" else 0, "success": name != "GEval" or right}
            | {"score": value, "evaluationModel": "m"}
            for name, value in values.items()
        ]
        said = {"name": f"c{at}", "input": f"Why {at}?", "actualOutput": f"a {at}", "expectedOutput": f"g {at}"}
        cases.append({**said, "success": right, "metricsData": data})
    path.write_text(json.dumps({"testCases": cases, "testPassed": 8, "metricsScores": []}))
    return path


def what_is_read(path: Path) -> Any:
    data = read([path], Options()).data
    assert isinstance(data, Outcomes)
    assert data.confidence is None or np.isnan(data.confidence).all()
    assert data.answerable is None or (data.answerable < 0).all()
    return data.runs, data.questions, data.state.tolist()


def assert_kept(folder: Path, metrics: list[str], *, whole: bool, forms: tuple[tuple[str, str], ...] = FORMS) -> None:
    raw = log(folder / "run.json", metrics, whole=whole)
    before = what_is_read(raw)
    (folder / "out").mkdir(exist_ok=True)
    for form, suffix in forms:
        written = folder / "out" / f"run{suffix}"
        written.unlink(missing_ok=True)
        nescio.convert(raw, written, to=form)
        assert what_is_read(written) == before, (form, suffix, metrics)


@together("role", NAMES)
def test_scores_with_the_names_of_a_role(tmp_path: Path, role: str) -> None:
    for start in range(0, len(NAMES[role]), MANY):
        assert_kept(tmp_path, NAMES[role][start : start + MANY], whole=start % (2 * MANY) == 0, forms=FORMS[:1])
    for name, written, whole in zip(NAMES[role], WRITTEN_AS, (True, True, False), strict=False):
        assert_kept(tmp_path, [written(name)], whole=whole, forms=FORMS if whole else FORMS[:1])


def test_columns_that_somebody_adds_to_a_written_table_are_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("run,question,outcome,question_digest,answer\na,q1,correct,,x\na,q2,incorrect,,y\n")
    (said,) = [one for one in nescio.score(path).notes if one.code == "tables.passed_over"]
    assert "nescio wrote this table, so 'answer' has no role; --column names one" in str(said)


def test_a_table_without_evidence_is_known_as_written_by_nescio(tmp_path: Path) -> None:
    """It has neither judges nor digests, so a column of its own says it."""
    state = np.array([[1, 0, 0, 1]], dtype=np.int8)
    scores = {user("Refused"): np.array([[0.0, 1.0, 1.0, 0.0]])}
    said = {"abstained": np.array(["yes", "no", "no", "yes"])}
    outcomes = Outcomes(("m",), ("a", "b", "c", "d"), state, extra_columns=scores, strata=said)
    for suffix in (".csv", ".jsonl", ".parquet"):
        path = tmp_path / f"t{suffix}"
        WRITERS.find("outcomes").write(outcomes, path)
        assert what_is_read(path)[2] == state.tolist()
        assert nescio.score(path, "mean(Refused)", ci=None).rows[0].value == 0.5
        named = nescio.score(path, "coverage", ci=None, column={"abstained": "Refused"})
        assert named.rows[0].value == 0.5
