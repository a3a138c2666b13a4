"""Build the wheel and the source distribution, install both into an empty environment, and use them there.

    python tools/installation.py                           prints what the README says: size, packages, seconds
    python tools/installation.py --tag v0.2.0 --keep dist  refuses a tag that is not the version; keeps what was built
                                                           in dist/

Everything is downloaded anew, without pip's cache. The program needs uv to build. It builds the wheel from the source
distribution, so a file missing there is missing in the wheel. If a step fails, the program prints its output and ends
with exit status 1.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
MEGABYTE = 1_000_000
# The environment has only the variables that find packages and trust certificates.
KEPT = re.compile(r"(PIP_|UV_|SSL_|REQUESTS_CA|CURL_CA|https?_proxy|no_proxy|PATH$|HOME$|LANG$|TMPDIR$)", re.IGNORECASE)
TABLE = """run,question,outcome,confidence
mine,q1,correct,0.93
mine,q2,unanswered,
mine,q3,incorrect,0.61
mine,q4,correct,0.7
old,q1,correct,0.8
old,q2,incorrect,0.5
old,q3,incorrect,0.4
old,q4,correct,0.9
"""
COUNTS = "run,correct,incorrect,unanswered\nicia091ro,237,156,107\n"  # Peñas & Rodrigo 2011, Table 3: c@1 is 0.58
PROGRAM = """
import nescio
scores = nescio.score("mine.csv", "c@1", ci=None)
print(nescio.__file__, nescio.__version__, scores.value("mine", "c@1"))
"""


def run(words: Sequence[str | Path], folder: Path) -> str:
    """Run a command in a folder, with only the variables that find packages, and return its output."""
    environment = {name: value for name, value in os.environ.items() if KEPT.match(name)}
    done = subprocess.run(
        list(map(str, words)), cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(f"$ {' '.join(map(str, words))}\n{done.stdout}{done.stderr}\nexit status {done.returncode}")
        raise SystemExit(1)
    return done.stdout


def must(holds: bool, what: str) -> None:
    """End the program if a condition does not hold."""
    if not holds:
        print(f"failed: {what}")
        raise SystemExit(1)


def build(folder: Path) -> tuple[Path, Path]:
    """Return the source distribution, and the wheel built from it."""
    own = shutil.which("uv")
    uv = [own] if own else [sys.executable, "-m", "uv"]
    run([*uv, "build", "--quiet", "--out-dir", folder, ROOT], ROOT)
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, source


def check_version(wheel: Path, tag: str | None) -> str:
    """Return the version in the wheel's name, after checking that it is the declared one and that of the tag."""
    version = wheel.name.split("-")[1]
    declared = re.search(r'__version__ = "(.+)"', (ROOT / "src" / "nescio" / "_version.py").read_text(encoding="utf-8"))
    must(declared is not None and declared[1] == version, f"the wheel's version {version} is not the declared one")
    must(tag is None or tag == f"v{version}", f"the tag {tag} is not v{version}")
    owned = "OWNER" not in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    must(
        tag is None or owned,
        "pyproject.toml does not say yet who owns the repository: python tools/owner.py NAME",
    )
    return version


def bytes_in(folder: Path) -> int:
    """Return the number of bytes of the files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def timed(act: Callable[[], object]) -> float:
    """Return the duration of a function call in seconds."""
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def use(python: Path, version: str, place: Path) -> None:
    """Try score, compare, report and the demo, from a folder outside the checkout."""
    place.mkdir()
    (place / "mine.csv").write_text(TABLE, encoding="utf-8")
    (place / "table3.csv").write_text(COUNTS, encoding="utf-8")
    nescio = python.with_name("nescio")
    must(run([nescio, "--version"], place) == f"nescio {version}\n", "the command says another version")
    must("0.575" in run([nescio, "score", "table3.csv", "-m", "c@1"], place), "c@1 of the paper's table")
    must("mine" in run([nescio, "compare", "mine.csv", "--baseline", "old"], place), "a comparison")
    run([nescio, "report", "mine.csv", "-o", "report.html"], place)
    page = (place / "report.html").read_text(encoding="utf-8")
    must("<svg" in page and "</html>" in page, "a report with its charts")
    run([nescio, "demo"], place)
    must((place / "nescio-demo").is_dir(), "the files of the demo")
    where, said, value = run([python, "-c", PROGRAM], place).split()
    must(Path(where).is_relative_to(python.parents[1]), f"nescio is imported from {where}")
    must((said, value) == (version, "0.625"), "a score from Python")  # (2 + 1 · 2/4) / 4


def main() -> None:
    """Build, install, use, and print the figures."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--tag", help="the tag of the release, v and the version")
    arguments.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="copy the wheel and the source distribution here"
    )
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name).resolve()
        wheel, source = build(place / "dist")
        version = check_version(wheel, options.tag)
        environment = place / "environment"
        venv.create(environment, with_pip=True)
        python = environment / "bin" / "python"
        pip = [python, "-m", "pip", "--disable-pip-version-check"]
        before = bytes_in(environment)
        seconds = timed(lambda: run([*pip, "install", "--quiet", "--no-cache-dir", wheel], place))
        packages = run([*pip, "list", "--format=freeze", "--exclude=pip", "--exclude=setuptools"], place).splitlines()
        size = bytes_in(environment) - before
        use(python, version, place / "with the wheel")
        run([*pip, "uninstall", "--yes", "nescio"], place)
        run([*pip, "install", "--no-deps", source], place)
        use(python, version, place / "with the source distribution")
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            for path in (wheel, source):
                shutil.copy(path, options.keep)
        print(f"wheel                {wheel.stat().st_size / MEGABYTE:.1f} MB")
        print(f"source distribution  {source.stat().st_size / MEGABYTE:.1f} MB")
        print(f"packages             {len(packages)}")
        print(f"installed            {size / MEGABYTE:.0f} MB")
        print(f"seconds              {seconds:.0f}")


if __name__ == "__main__":
    main()
