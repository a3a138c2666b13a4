"""Write the stub of `import nescio` for type checkers and editors, from its verbs and types.

    python tools/stub.py             writes src/nescio/__init__.pyi

A test fails if it is stale.
"""

from __future__ import annotations

from pathlib import Path

import nescio
from nescio import verbs
from nescio.options import Verb

STUB = Path(__file__).parents[1] / "src" / "nescio" / "__init__.pyi"
HEAD = "# Written by tools/stub.py from the verbs and types that nescio offers; a test holds it to them."


def stub() -> str:
    """Return the stub: an import for each name."""
    lines = ["from nescio._version import __version__ as __version__"]
    for name, place in nescio._TYPES.items():
        module, _, other = place.partition(":")
        lines.append(f"from nescio.{module} import {other or name} as {'_' * bool(other)}{other or name}")
    for name in verbs.names():
        inside = f"nescio.verbs.{name}" if isinstance(verbs.find(name), Verb) else "nescio.verbs"
        lines.append(f"from {inside} import {name} as {name}")
    renamed = [f"{name} = _{place.partition(':')[2]}" for name, place in nescio._TYPES.items() if ":" in place]
    return "\n".join([HEAD, "", *sorted(lines), "", *renamed, "__all__: list[str]", ""])


def main() -> None:
    """Write the stub."""
    STUB.write_text(stub(), encoding="utf-8")


if __name__ == "__main__":
    main()
