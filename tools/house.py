"""Draw the pictures of docs/architecture.md: the rooms, from the contract on their imports, and the types.

    python tools/house.py            writes docs/assets/rooms.svg and docs/assets/types.svg

A test fails if a picture is stale.
"""

from __future__ import annotations

import ast
import re
import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
ASSETS = ROOT / "docs" / "assets"
WIDTH, ROW, GAP, LEFT = 980, 62, 10, 24
STYLE = """
  text { font: 14px system-ui, sans-serif; fill: #1c2330 }
  .name { font-weight: 600 } .small { font-size: 12px; fill: #4a5568 }
  rect { fill: #f4f6fb; stroke: #9aa8c7 } .page { fill: #ffffff; stroke: none }
  .waist { fill: #e3ebff; stroke: #5b74b8 }
  path { fill: none; stroke: #5b6b8c; stroke-width: 1.4; marker-end: url(#arrow) }
"""
WAIST = ("data",)

# For each box of the types: its place (column, row), its name, and a short description.
BOXES = {
    "files": (0, 0, "files, tables", "whatever people have"),
    "source": (1, 0, "Source", "a file opened, its columns"),
    "read": (2, 0, "ReadResult", "what its format makes of it"),
    "unjudged": (2, 1, "Unjudged", "Collection + Runs"),
    "outcomes": (3, 1, "Outcomes", "correct, incorrect, silent, …"),
    "record": (2, 2, "JudgeRecord", "who judged, and how"),
    "loaded": (4, 0, "Loaded", "policies applied"),
    "evidence": (4, 1, "Evidence", "columns: runs × questions"),
    "column": (4, 2, "Column", "declared once, by its task"),
    "input": (5, 1, "MeasureInput", "patterns and their counts"),
    "measure": (5, 2, "Measure", "a formula over totals"),
    "results": (5, 0, "Results", "rows, Signature, Notes"),
}
ARROWS = (
    ("files", "source", "sources"),
    ("source", "read", "formats"),
    ("read", "unjudged", ""),
    ("unjudged", "outcomes", "judging"),
    ("record", "outcomes", ""),
    ("outcomes", "evidence", "policies"),
    ("evidence", "loaded", ""),
    ("column", "evidence", ""),
    ("evidence", "input", "compress"),
    ("measure", "input", ""),
    ("input", "results", "× draws"),
)


def rooms() -> str:
    """Return the drawing of the rooms, one band for each floor, the highest first."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = next(contract["layers"] for contract in contracts if contract["id"] == "floors")
    height = len(layers) * (ROW + GAP) + 2 * GAP
    parts = []
    for floor, layer in enumerate(layers):
        names = [name.strip().removeprefix("nescio.") for name in re.split(r"[|:]", layer)]
        y, each = GAP + floor * (ROW + GAP), (WIDTH - 2 * LEFT - GAP * (len(names) - 1)) / len(names)
        for i, name in enumerate(names):
            x = LEFT + i * (each + GAP)
            parts.append(_box((x, y, each, ROW), name, about(name), waist=name in WAIST))
    return _svg(WIDTH, height, parts, "The rooms of nescio, floor by floor: a room imports from those below it alone.")


def about(room: str) -> str:
    """Return the caption of a room: the first sentence of its docstring."""
    place = ROOT / "src" / "nescio" / room
    path = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    first = " ".join(doc.split("\n\n")[0].split())
    return first.split(". ")[0].rstrip(".").replace("`", "")


def types() -> str:
    """Return the drawing of the types that data passes through, from files to results."""
    wide, high, across, down = 158, 60, 74, 40
    place = {name: (12 + c * (wide + across), 14 + r * (high + down)) for name, (c, r, _, _) in BOXES.items()}
    parts = []
    for start, end, label in ARROWS:
        (x1, y1), (x2, y2) = place[start], place[end]
        if y1 == y2:
            ends = (x1 + wide, y1 + high / 2, x2 - 3, y2 + high / 2)
        elif x1 == x2:
            ends = (x1 + wide / 2, y1 + (high if y2 > y1 else 0), x2 + wide / 2, y2 - 3 if y2 > y1 else y2 + high + 3)
        elif y2 > y1:
            ends = (x1 + wide * 0.8, y1 + high, x2 + wide * 0.2, y2 - 3)
        else:
            ends = (x1 + wide * 0.8, y1, x2 + wide * 0.2, y2 + high + 3)
        parts.append('<path d="M{:.0f} {:.0f} L{:.0f} {:.0f}"/>'.format(*ends))
        if label:
            x, y = (ends[0] + ends[2]) / 2, (ends[1] + ends[3]) / 2
            anchor, dx = ("middle", -2) if y1 == y2 else ("start", 6)
            parts.append(
                f'<text class="small" text-anchor="{anchor}" x="{x + dx:.0f}" y="{y - 6:.0f}">{escape(label)}</text>'
            )
    for name, (x, y) in place.items():
        _, _, title, caption = BOXES[name]
        parts.append(_box((x, y, wide, high), title, caption, waist=name == "evidence"))
    columns, rows = (max(box[i] for box in BOXES.values()) + 1 for i in (0, 1))
    size = 24 + columns * (wide + across) - across, 28 + rows * (high + down) - down
    return _svg(*size, parts, "The types of nescio: from files by way of Outcomes and Evidence to Results.")


def _box(place: tuple[float, float, float, float], name: str, caption: str, *, waist: bool) -> str:
    x, y, width, height = place
    lines = _lines(caption, int(width / 6.9))
    text = [f'<text class="name" x="{x + 10:.0f}" y="{y + 20:.0f}">{escape(name)}</text>']
    text += [
        f'<text class="small" x="{x + 10:.0f}" y="{y + 37 + 15 * i:.0f}">{escape(line)}</text>'
        for i, line in enumerate(lines)
    ]
    kind = ' class="waist"' if waist else ""
    return f'<rect{kind} x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height}" rx="6"/>{"".join(text)}'


def _lines(text: str, most: int) -> list[str]:
    """Return a caption as at most two lines; a longer one ends in an ellipsis."""
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > most:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    lines.append(line)
    return lines if len(lines) <= 2 else [lines[0], f"{lines[1][: most - 1]}…"]


def _svg(width: float, height: float, parts: list[str], title: str) -> str:
    arrow = (
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z" style="fill:#5b6b8c;stroke:none;marker-end:none"/></marker></defs>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title><style>{STYLE}</style>{arrow}"
        f'<rect class="page" width="100%" height="100%"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


PICTURES = {"rooms.svg": rooms, "types.svg": types}


def main() -> None:
    """Write both pictures."""
    for name, draw in PICTURES.items():
        (ASSETS / name).write_text(draw(), encoding="utf-8")
        print(f"wrote docs/assets/{name}")


if __name__ == "__main__":
    main()
