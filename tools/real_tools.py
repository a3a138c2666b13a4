"""Install each tool whose files nescio reads, at the version last read, and run `tests/real_tools` on its output.

    python tools/real_tools.py                  every tool, in a temporary folder
    python tools/real_tools.py mlflow phoenix   these
    python tools/real_tools.py --keep DIR       in DIR, reusing environments that exist there

Each tool has its own environment. The program needs uv, npm for promptfoo, and package indexes. Some tools are large:
all of them take some 10 GB.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
# The packages for each tool; the page "Coming from other tools" has the same versions.
TOOLS = {
    "deepeval": ["deepeval==4.3.1"],
    "langfuse": ["langfuse==5.0.4"],
    "lighteval": ["lighteval==0.13.0"],
    "mlflow": ["mlflow==3.17.2"],
    "opencompass": ["opencompass==0.5.4", "pyarrow<20"],
    "phoenix": ["arize-phoenix==20.26.1", "arize-phoenix-client==3.5.0", "arize-phoenix-evals==3.9.4"],
    "promptfoo": ["promptfoo@0.121.20"],  # from npm
    "ragas": ["ragas==0.4.3", "langchain-community<0.4"],
    "swebench": ["swebench==5.0.2"],
    "tira": ["tira==0.0.207"],
    "wandb": ["wandb==0.31.0"],
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", nargs="*", help=f"of {', '.join(TOOLS)}")
    parser.add_argument("--keep", type=Path, metavar="DIR")
    arguments = parser.parse_args()
    if unknown := {*arguments.tools} - {*TOOLS}:
        parser.error(f"no tool is called {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory() as passing:
        folder = (arguments.keep or Path(passing)).absolute()
        for tool in arguments.tools or TOOLS:
            install(folder / tool, TOOLS[tool])
        chosen = " or ".join(arguments.tools) or "test"
        command = [sys.executable, "-m", "pytest", "tests/real_tools", "-m", "slow", "-k", chosen, "-n", "0"]
        return subprocess.run(command, cwd=ROOT, env=os.environ | {"NESCIO_TOOLS": str(folder)}, check=False).returncode


def install(folder: Path, packages: list[str]) -> None:
    """Make a separate environment for a tool."""
    python = folder / "bin" / "python"
    if packages[0].count("@"):
        if not (folder / "node_modules").exists():
            subprocess.run(
                ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), *packages], check=True
            )
    elif not python.exists():
        subprocess.run(["uv", "venv", "--quiet", "--python", "3.11", str(folder)], check=True)
        subprocess.run(["uv", "pip", "install", "--quiet", "--python", str(python), *packages], check=True)


if __name__ == "__main__":
    sys.exit(main())
