"""Write the conformance vectors: `python -m tools.conformance`.

Each figure of `tests/golden` with a known exact value goes to `conformance/<measure>.json`, with its input and its
source. A test runs the vectors, and fails if a file is stale.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa
from tests.golden.figures import cases, exact, input_of

from nescio.measures import parse
from nescio.registry import REQUIRED

FOLDER = Path(__file__).parents[1] / "conformance"


def file_name(measure: str) -> str:
    """Return the name of a measure's file, such as "c_at_1.json" for "c@1"."""
    plain = measure.replace("@", "_at_").replace("^", "_hat_")
    return f"{re.sub(r'[^A-Za-z0-9.-]+', '_', plain)}.json"


def vectors() -> dict[str, dict[str, Any]]:
    """Return the content of each file by its name, in the order of the golden figures."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for case in cases():
        # an option of nescio judges the answers, which a vector cannot state
        judged = "judge" in case.get("reading", {})
        # and a vector cannot state which of several runs has the value
        if judged or len({*case.get("table", {}).get("run", ())}) > 1:
            continue
        with tempfile.TemporaryDirectory() as folder:
            given = _given(case, Path(folder))
        for label, expression in case.get("exact", {}).items():
            value = float(exact(expression))
            found[_family(label)].append(_vector(case, label, given, {"value": value, "exact": expression}))
        for label in case.get("undefined", []):
            found[_family(label)].append(_vector(case, label, given, {"value": None}))
    return {file_name(name): _of_measure(name, own) for name, own in sorted(found.items())}


def _family(label: str) -> str:
    """Return the name of a measure without its parameters."""
    return label.partition("(")[0]


def _of_measure(name: str, own: list[dict[str, Any]]) -> dict[str, Any]:
    declaration = parse(own[0]["measure"]).declaration
    defaults = {key: "required" if value is REQUIRED else value for key, value in declaration.parameters.items()}
    return {
        "name": name,
        "summary": declaration.summary,
        "definition": [" ".join(part.replace("$", "").split()) for part in declaration.doc.split("\n\n")[1:]],
        **({"parameters": defaults} if defaults else {}),
        **({"order": declaration.order} if declaration.order else {}),
        **({"example": declaration.example} if declaration.example else {}),
        "source": declaration.source,
        "vectors": own,
    }


def _vector(case: dict[str, Any], label: str, given: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    printed = {"printed": case["printed"][label]} if label in case.get("printed", {}) else {}
    about = {"measure": label, "name": case["name"], "source": case["source"], "where": case["where"]}
    return {**about, **given, **wanted, **printed}


def _given(case: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the input of a case: counts, columns of a table, or files by their paths."""
    if "counts" in case:
        return {"counts": case["counts"]}
    given = input_of(case, folder)
    if isinstance(given, pa.Table):
        return {"columns": {name: given[name].to_pylist() for name in given.column_names if name != "run"}}
    paths = given if isinstance(given, list) else [given]
    return {"files": {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in paths}}


def written(content: dict[str, Any]) -> str:
    """Return the text of a file, with each list of plain values on one line."""
    text = json.dumps(content, ensure_ascii=False, indent=1)
    return re.sub(r"\[[^\[\]{}]*\]", lambda match: re.sub(r"\s*\n\s*", " ", match[0]), text) + "\n"


def main() -> None:
    """Write every file, and remove those of measures that are gone."""
    files = vectors()
    for path in FOLDER.glob("*.json"):
        if path.name not in files:
            path.unlink()
    for name, content in files.items():
        (FOLDER / name).write_text(written(content), encoding="utf-8")
    print(f"{len(files)} measures, {sum(len(own['vectors']) for own in files.values())} vectors")


if __name__ == "__main__":
    main()
