"""Files made to do harm, of every reader: an excerpt of it that unpacks, nests, widens or goes on without end.

Run as a program it reads what is named on its standard input, each in a process of its own, and prints what became of
it: the exit status, the processor seconds, the megabytes at most, and what was said.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import resource
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

MB = 1 << 20
_VALUE = re.compile(rb'(":\s*)("[^"\\]*"|[0-9.]+|true|false|null)')


def nested(content: bytes) -> bytes:
    """The first value of JSON, 100,000 lists deep."""
    return _VALUE.sub(lambda match: match[1] + b"[" * 100_000 + b"]" * 100_000, content, count=1)


def wide(content: bytes) -> bytes:
    """An object with 100,000 more keys; a table with as many more columns."""
    if _VALUE.search(content):
        keys = b"".join(b'"k%d":1,' % i for i in range(100_000))
        return content.replace(b"{", b"{" + keys, 1)
    head, _, rest = content.partition(b"\n")
    mark = b"\t" if b"\t" in head else b","
    return b"".join((head, *(mark + b"k%d" % i for i in range(100_000)), b"\n", rest))


def long(content: bytes) -> bytes:
    """A text of 80 MB in the place of the first; else a line of as many."""
    text = b"a" * (80 * MB)
    if _VALUE.search(content):
        return _VALUE.sub(lambda match: match[1] + b'"' + text + b'"', content, count=1)
    return content.replace(b">", b">" + text, 1) if content.lstrip().startswith(b"<") else content + text


def many(content: bytes) -> bytes:
    """An element, or a value, half a million times."""
    if content.lstrip().startswith(b"<"):
        return re.sub(rb"(</[^>]*>\s*)$", lambda match: b"<a/>" * 3_000_000 + match[1], content)
    return _VALUE.sub(lambda match: match[1] + b"[" + b"{}," * 3_000_000 + b"{}]", content, count=1)


CHANGES: dict[str, Callable[[bytes], bytes]] = {"nested": nested, "wide": wide, "long": long, "many": many}


def packed(content: bytes, size: int = 1 << 30) -> bytes:
    """What unpacks to the content and a gigabyte of blanks, or of its last line."""
    blank = b" " * MB
    if content.count(b"\n") > 1 and not content.lstrip().startswith((b"<", b"{\n", b"[\n")):
        line = content.rstrip(b"\n").rpartition(b"\n")[2] + b"\n"
        blank = line * (MB // len(line) + 1)
    return gzip.compress(content) + gzip.compress(blank * 16) * (size // len(blank) // 16)


def archived(path: Path, change: Callable[[bytes], bytes]) -> bytes:
    """An archive of which every member that is JSON is changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
        for info in old.infolist():
            new.writestr(info.filename, change(old.read(info)) if info.filename.endswith(".json") else old.read(info))
    return out.getvalue()


def made(paths: list[Path], into: Path) -> Iterator[tuple[str, list[Path]]]:
    """Yield traps by name: the files and folders of an excerpt, one file of which is changed; of a folder, the first of
    each kind."""
    for at, path in enumerate(paths):
        inside = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
        for changed in {one.suffix: one for one in reversed(inside)}.values():
            for name, new in _trapped(changed).items():
                folder = into / f"{at} {name}"
                own = [_copied(other, folder) for other in paths]
                place = own[at] / changed.relative_to(path) if path.is_dir() else own[at]
                if name.startswith("packed"):
                    place.unlink()
                    place = place.with_name(f"{place.name}.gz")
                    own[at] = own[at] if path.is_dir() else place
                place.write_bytes(new)
                yield name, own


def _trapped(path: Path) -> dict[str, bytes]:
    """What may stand in the place of a file, by the name of the trap."""
    content = path.read_bytes()
    if path.suffix in (".eval", ".zip"):
        return {f"{name} {path.suffix}": archived(path, change) for name, change in CHANGES.items()}
    if path.suffix == ".parquet":
        return {}
    changed = {f"{name} {path.suffix}": change(content) for name, change in CHANGES.items()}
    return {name: new for name, new in changed.items() if new != content} | {f"packed {path.suffix}": packed(content)}


def _copied(path: Path, into: Path) -> Path:
    """Copy a file or a folder, and the name of the folder that it is in."""
    copy = into / path.parent.name / path.name
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(path, copy) if path.is_dir() else shutil.copyfile(path, copy)
    return copy


def _read(words: list[str]) -> None:
    """Read files as `check` and `score` do, and end with the status that the command line has."""
    from nescio.cli import main

    os.dup2(os.open(os.environ["SAID"], os.O_WRONLY | os.O_TRUNC | os.O_CREAT), 2)
    os.dup2(2, 1)
    sys.argv = ["nescio", *words]
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
    try:
        main()
        status: object = 0
    except SystemExit as error:
        status = error.code
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status if isinstance(status, int) else 0)


def _become(words: list[str]) -> dict[str, object]:
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
        try:
            _read(words)
        finally:
            os._exit(99)
    _, status, used = os.wait4(child, 0)
    said = Path(os.environ["SAID"]).read_text(errors="replace")
    ended = os.waitstatus_to_exitcode(status)
    return {"status": ended, "cpu": used.ru_utime + used.ru_stime, "mb": used.ru_maxrss >> 10, "said": said}


if __name__ == "__main__":
    import nescio.verbs.score  # noqa: F401  # once, and not in every child

    for line in sys.stdin:
        print(json.dumps(_become(json.loads(line))), flush=True)
