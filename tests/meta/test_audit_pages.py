"""How an audit is printed: the page in the docs, the terminal, the formats and the command line."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from tools import audit as tools

from nescio.measures import REGISTRY
from nescio.meta_evaluation.audit import TESTS, audit, registered
from nescio.reporting import audit as report
from nescio.reporting import tables
from tests.rings import sample


def kept() -> tuple[list[list[str]], list[list[str]]]:
    """The tables in the docs: what was found, and what systems earn."""
    found, earned = (
        list(csv.reader(path.read_text(encoding="utf-8").splitlines())) for path in (tools.FOUND, tools.EARNED)
    )
    return found, earned


@pytest.mark.sampled
def test_the_tables_in_the_docs_hold_what_the_audit_finds_now() -> None:
    """A few measures a day, of those whose audit takes no seconds."""
    in_docs = kept()
    audited = {row[0] for row in in_docs[0]}
    measures = [measure for measure in registered() if measure.label in audited and measure.label != "smECE"]
    assert len(measures) > 60
    for made, rows in zip(tools.tables(audit(sample(measures, 12))), in_docs, strict=True):
        assert len(made) > 12
        assert [row for row in made if row not in rows] == []


@pytest.mark.proof
def test_the_files_in_the_docs_and_the_page_of_the_command_are_what_the_audit_finds() -> None:
    everything = tools.everything()
    made, files = report.page(everything), tools.pages(everything)
    for path, text in files.items():
        new, old = (re.sub(r"`nescio:[^|]*\|", "`nescio|", one) for one in (text, path.read_text(encoding="utf-8")))
        assert new == old, f"{path.name} is stale: python tools/audit.py"
    for name in REGISTRY:
        assert f"\n| {name}" in made or re.search(rf"Not audited, .*`{re.escape(name)}", made)
    assert all(re.search(rf"^\| {re.escape(name)} \|", files[tools.PAGE], re.MULTILINE) for name in tools.SHOWN)
    assert all(f"-m '{form}'" in made for form in tools.FORMS)


def test_the_matrix_fits_a_wide_terminal_and_a_narrow_one_gets_two(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    usual = audit(["simpleqa.correct_given_attempted", "c@1", "precision"])
    for width, heads in ((120, 1), (60, 2)):
        monkeypatch.setenv("COLUMNS", str(width))
        report.show(usual)
        lines = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out).splitlines()
        assert max(map(len, lines)) <= width
        assert sum("measure" in line.split() for line in lines) == heads
        assert any(line.startswith("simpleqa.correct_given_attempted") and "cheat" in line for line in lines)


def test_every_format(tmp_path: Path) -> None:
    found = audit(["precision", "mean(f1)"])
    record = found.to_dict()
    assert set(record) == {"nescio", "signature", "audit", "scores", "notes"}
    assert record["audit"][0] == {
        "measure": "precision",
        "test": "all silent",
        "kind": "cheat",
        "result": "undefined",
        "value": None,
        "against": 0.6,
        "worth": None,
        "counterexample": "500 silent: undefined",
        "cases": 50,
        "undefined": 0,
    }
    earned = {row["system"]: row["value"] for row in record["scores"]}
    assert (earned["one right answer"], earned["60% right"], earned["all silent"]) == (1, 0.6, None)
    for form in ("table", "json", "jsonl", "csv", "markdown", "latex"):
        text = tables.render(found, form)
        assert "1 right, 499 silent: 1" in text
        assert "outcomes alone do not determine" in text
    for suffix in (".md", ".txt", ".csv", ".tex", ".json", ".parquet"):
        tables.write(found, tmp_path / f"audit{suffix}")
    import duckdb

    rows = duckdb.read_parquet(str(tmp_path / "audit.parquet")).filter("result = 'not applicable'").fetchall()
    assert len(rows) == len(TESTS)


def test_on_the_command_line(capfd: pytest.CaptureFixture[str]) -> None:
    from nescio.cli.app import run

    def call(*arguments: str) -> tuple[object, str, str]:
        capfd.readouterr()
        with pytest.raises(SystemExit) as stopped:
            run(arguments)
        return (stopped.value.code or 0, *capfd.readouterr())

    status, out, err = call("audit", "-m", "eq6")
    assert status == 0
    assert "1 wrong, 499 silent: 0.998; an honest system with 495 right, 5 wrong: 0.99 (99% right)" in out
    assert "C=1 W=1 U=1: 0.5 → C=0 W=1 U=2: 0.6667" in out
    assert "not a proof" in err
    status, out, err = call("audit", "-m", "nosuch")
    assert (status, out) == (2, "")
    assert "unknown measure 'nosuch'" in err
    for measure, says in (
        ("precision", "cheated by one right answer"),
        ("c@1", "resists every cheat and satisfies every axiom"),
        ("penalty(t=0.75)", "'penalty(t=0.75)'"),
        ("mean", "outcomes alone do not determine"),
    ):
        assert says in call("measures", measure)[1]
    assert '"result": "cheated"' in call("measures", "precision", "-f", "json")[1]
