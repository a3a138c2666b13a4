"""Make small campaigns of every task, and sound runs for each."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import nescio
from nescio.people.campaigns.folder import open_campaign
from nescio.people.campaigns.judgements import read_judgements

GROUPS = {"alpha": "Alpha University", "beta": "Beta Institute", "gamma": "Gamma"}


def lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def text(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def collection(language: str, questions: int, answers: int = 3, *, first: int = 1) -> str:
    """Return an AVE collection: odd questions have a right first answer, every fourth an UNKNOWN last one."""
    parts = []
    for q in range(first, first + questions):
        inner = []
        for a in range(1, answers + 1):
            value = "VALIDATED" if a == 1 and q % 2 else "UNKNOWN" if a == answers and q % 4 == 0 else "REJECTED"
            inner.append(
                f'<a id="{q}_{a}" value="{value}"><a_str>answer {a}</a_str>'
                f'<t_str doc="D{q}-{a}">Text {a} of {q}.</t_str></a>'
            )
        parts.append(f'<q id="{q}" lang="{language}"><q_str>What is {q}?</q_str>{"".join(inner)}</q>')
    return f"<ave>{''.join(parts)}</ave>"


def qa(folder: Path, questions: int = 6, *, key: bool = True, **options: Any) -> Path:
    rows: list[dict[str, Any]] = [{"id": f"q{i}", "question": f"What is {i}?"} for i in range(questions)]
    for i, row in enumerate(rows if key else ()):
        row["answers"] = [f"thing {i}"]
    topics = lines(folder / "given" / "questions.jsonl", rows)
    return start(folder, "qa", [topics], **options)


def start(folder: Path, task: Any, topics: Sequence[Path], **options: Any) -> Path:
    groups = options.pop("groups", [f"{short}={name}" for short, name in GROUPS.items()])
    folder.mkdir(parents=True, exist_ok=True)
    nescio.campaign.init(folder / "campaign", topics, task=task, groups=groups, **options)
    return folder / "campaign"


def ave(folder: Path, languages: Sequence[str] = ("EN",), questions: int = 6, **options: Any) -> Path:
    files = [text(folder / "given" / f"{name}.xml", collection(name, questions)) for name in languages]
    return start(folder, "ave", files, **options)


def nuggets(folder: Path, **options: Any) -> Path:
    rows = [
        {
            "id": f"t{i}",
            "target": f"Target {i}",
            "nuggets": [{"text": f"fact {n} of {i}", "vital": n < 2} for n in range(3)],
        }
        for i in range(4)
    ]
    return start(folder, "nuggets", [lines(folder / "given" / "key.jsonl", rows)], **options)


def listed(folder: Path, strings: Sequence[str], topics: int = 1) -> Path:
    """Return a campaign with a pool without listed nuggets: topics t0, t1, ... with the same strings each."""
    rows = [{"id": f"t{i}", "target": f"Target {i}"} for i in range(topics)]
    campaign = start(folder, "nuggets", [lines(folder / "t.jsonl", rows)])
    lines(folder / "alpha" / "r.jsonl", [{"id": f"t{i}", "strings": strings} for i in range(topics)])
    return ready(campaign)


def reading(folder: Path, **options: Any) -> Path:
    stories = [{"id": f"s{i}", "sentences": [f"Ann went to town {i}.", "It rained."]} for i in range(3)]
    rows = [
        {"id": f"r{i}", "question": "Where did Ann go?", "answers": [f"town {i}"], "story": f"s{i}", "sentences": [0]}
        for i in range(3)
    ]
    files = [lines(folder / "given" / "questions.jsonl", rows), lines(folder / "given" / "stories.jsonl", stories)]
    return start(folder, "reading", files, **options)


def pan(folder: Path, **options: Any) -> Path:
    rows = [{"id": f"p{i}", "same": bool(i % 2)} for i in range(5)]
    return start(folder, "pan", [lines(folder / "given" / "truth.jsonl", rows)], **options)


MAKE: Mapping[str, Callable[..., Path]] = {"qa": qa, "ave": ave, "nuggets": nuggets, "reading": reading, "pan": pan}


def sound(task: str, path: Path) -> Path:
    """Return a run without faults for one of the campaigns above."""
    if task == "ave":
        rows = [
            f"{q} {q}_{a} {'SELECTED' if a == 1 else 'REJECTED'} 0.{9 - a}" for q in range(1, 7) for a in range(1, 4)
        ]
        return text(path.with_suffix(".txt"), "\n".join(rows) + "\n")
    made: dict[str, list[dict[str, Any]]] = {
        "qa": [{"id": f"q{i}", "answer": f"thing {i}" if i % 3 else None, "confidence": 0.5} for i in range(6)],
        "nuggets": [{"id": f"t{i}", "strings": [f"fact 0 of {i}", "noise"] if i else []} for i in range(4)],
        "reading": [{"id": f"r{i}", "answer": f"Ann went to town {i}."} for i in range(3)],
        "pan": [{"id": f"p{i}", "value": 0.9 if i % 2 else 0.5} for i in range(5)],
    }
    return lines(path.with_suffix(".jsonl"), made[task])


# ---- steps on the way ----


def submit(folder: Path, runs: Mapping[str, Sequence[Any]]) -> list[Path]:
    """Write runs by name (`alpha_a`) with answers to q0, q1, ... (a text, None or a row), and return the folders."""
    for name, said in runs.items():
        group, _, run = name.partition("_")
        rows = [{"id": f"q{i}", **(a if isinstance(a, Mapping) else {"answer": a})} for i, a in enumerate(said)]
        lines(folder / group / f"{run}.jsonl", rows)
    return sorted({folder / name.partition("_")[0] for name in runs})


def take(campaign: Path, runs: Mapping[str, Sequence[Any]], received: str = "2026-05-01") -> None:
    """Take runs into the campaign."""
    assert not nescio.campaign.intake(campaign, submit(campaign.parent, runs), received=received).refused


def ready(campaign: Path, *assessors: str, **sheets: Any) -> Path:
    """Take in the folder of alpha beside a campaign, and make the pool and sheets."""
    assert not nescio.campaign.intake(campaign, [campaign.parent / "alpha"]).refused
    nescio.campaign.pool(campaign)
    if assessors:
        nescio.campaign.sheets(campaign, assessors, **sheets)
    return campaign


def pooled(folder: Path, runs: Mapping[str, Sequence[Any]], assessors: Sequence[str] = (), **sheets: Any) -> Path:
    """Return a campaign of qa without a key, with pooled runs and sheets for assessors."""
    campaign = qa(folder, max(map(len, runs.values())), key=False)
    take(campaign, runs)
    nescio.campaign.pool(campaign)
    if assessors:
        nescio.campaign.sheets(campaign, assessors, **sheets)
    return campaign


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))


def write_rows(path: Path, rows: Sequence[Mapping[str, str]], delimiter: str = ",") -> None:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        sheet = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        sheet.writeheader()
        sheet.writerows(rows)


def fill(campaign: Path, say: Callable[[str, dict[str, str]], str], column: str = "verdict") -> None:
    """Fill in every sheet, as assessors would."""
    for path in (campaign / "sheets").glob("*.csv"):
        if path.name != "nuggets.csv" and (rows := rows_of(path)):
            write_rows(path, [{**row, column: say(path.stem, row)} for row in rows])


def judge(campaign: Path, say: Callable[[str, dict[str, str]], str] = lambda *_: "R", **options: Any) -> Any:
    """Fill in every sheet, and return the collected judgements."""
    fill(campaign, say, options.pop("column", "verdict"))
    return nescio.campaign.collect(campaign, **{"resamples": 10, **options})


def verdicts(campaign: Path) -> dict[tuple[str, str], str]:
    """Return the current verdict of each assessor on each item."""
    return {(one.item, one.assessor): one.verdict for one in read_judgements(open_campaign(campaign))}


def edit(path: Path, old: str, new: str) -> None:
    """Replace a text in a file that contains it."""
    held = path.read_text(encoding="utf-8")
    assert old in held
    path.write_text(held.replace(old, new), encoding="utf-8")
