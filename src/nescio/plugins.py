"""Load plug-ins: modules of other people, which register measures, judges and readers as nescio's own modules do.

A package names its modules as entry points of the group `nescio.plugins`. They are imported when all names are needed,
when nescio lacks a name, or when a file may need a reader. `--plugin FILE.py` imports a file before anything else. A
faulty plug-in raises FormatError with the place of the fault, and its registrations are undone.
"""

from __future__ import annotations

import contextlib
import sys
import traceback
from collections.abc import Container, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from nescio.errors import FormatError, NescioError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "nescio.plugins"
# the tables in which plug-ins register, with nescio's own names
TABLES: list[tuple[dict[str, Any], Container[str]]] = []
_FILES: dict[str, None] = {}  # the paths of loaded files
_PLACES: dict[str, str] = {}  # the names of plug-ins in messages, keyed by the file or folder of their code


def load_file(file: Path | str) -> str:
    """Import a Python file once, and return its path. Raises FormatError with the line at which it fails."""
    from importlib.util import module_from_spec, spec_from_file_location

    path = Path(file).resolve()
    if str(path) in _FILES:
        return str(file)
    if path.suffix != ".py" or not path.is_file():
        raise FormatError(file, "a plug-in is a Python file, NAME.py" if path.exists() else "there is no such file")
    # The name must be valid in other processes, too.
    spec = spec_from_file_location(f"nescio_plugin_{crc32(bytes(path)):x}", path)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    with _all_or_nothing(str(file), str(path)):
        sys.modules[module.__name__] = module  # Dataclasses look up the names of their types there.
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[module.__name__]
            raise
    _FILES[str(path)] = None
    return str(file)


def load_installed() -> None:
    """Import the plug-ins of installed packages, once. Raises FormatError as `load_file` does."""
    for point in _installed():
        place = _place_of(point.module)
        package = f"{point.dist.name} {point.dist.version}" if point.dist else "an installed package"
        with _all_or_nothing(f"plug-in {point.name!r} of {package} ({point.value})", place):
            point.load()


def words() -> list[str]:
    """Return the command-line options that load the plug-in files of this process."""
    from os.path import relpath

    return [word for path in _FILES for word in ("--plugin", min(path, relpath(path), key=len))]


class Loaded:
    """An object that loads this process's plugin files in the process that unpickles it.

    Pickled before other objects, it ensures that the classes from plugin files exist when those are unpickled.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return _loaded, tuple(_FILES)


def _loaded(*files: str) -> Loaded:
    for file in files:
        load_file(file)
    return Loaded()


def fault_of(error: BaseException) -> FormatError | None:
    """Return the FormatError for an error in a plug-in's code, or None for any other error."""
    frames = traceback.extract_tb(error.__traceback__)
    for place, label in _PLACES.items():
        if not isinstance(error, NescioError) and any(_is_in(frame.filename, place) for frame in frames):
            return _fault(error, label, place)
    return None


@cache
def _installed() -> tuple[EntryPoint, ...]:
    """Return the installed entry points of the group `nescio.plugins`, sorted by name.

    The library that finds them takes longer to import than most files take to read. So it is imported only if a package
    mentions the group.
    """
    files = (file for folder in sys.path for file in Path(folder).glob("*-info/entry_points.txt"))
    if not any(f"[{GROUP}]".encode() in _bytes_of(file) for file in files):
        return ()
    from importlib.metadata import entry_points

    return tuple(sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)))


def _bytes_of(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def _place_of(module: str) -> str:
    """Return the file or the folder of a module's package, without importing it; "" if there is none."""
    from importlib.util import find_spec

    spec = find_spec(module.partition(".")[0])
    folders = list(spec.submodule_search_locations or ()) if spec else []
    return folders[0] if folders else (spec and spec.origin) or ""


@contextlib.contextmanager
def _all_or_nothing(label: str, place: str) -> Iterator[None]:
    """Undo the registrations of the block if it fails, and name the place of the failure.

    The output of the block goes to standard error, because standard output is for results.
    """
    before = names()
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    except (Exception, SystemExit) as error:
        take_back(before)
        raise _fault(error, label, place) from error
    _PLACES[place] = label


def names() -> list[set[str]]:
    """Return all registered names, for `take_back`."""
    return [{*table} for table, _ in TABLES]


def take_back(before: list[set[str]]) -> None:
    """Remove the registrations made since `before`, except those of nescio's own names."""
    new: list[set[str]] = [set() for _ in TABLES[len(before) :]]
    for (table, nescio_names), kept in zip(TABLES, [*before, *new], strict=True):
        for name in [name for name in table if name not in kept and name not in nescio_names]:
            del table[name]


def _fault(error: BaseException, label: str, place: str) -> FormatError:
    """Return the FormatError for a plug-in, with the last line of the plug-in's code that ran, and the error there."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if place and _is_in(f.filename, place)]
    file, line = (frames[-1].filename, frames[-1].lineno) if frames else ("", None)
    if isinstance(error, SyntaxError) and error.filename and _is_in(error.filename, place):
        file, line = error.filename, error.lineno
    where = f"line {line}" if line else None
    if where and label != file and Path(label).resolve() != Path(file):
        where = f"{file}, {where}"
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    known = isinstance(error, (ValueError, NescioError)) and message  # the messages of nescio's decorators about a name
    return FormatError(label, message if known else f"{type(error).__name__}: {message}".rstrip(": "), where=where)


def _is_in(file: str, place: str) -> bool:
    path = str(Path(file).resolve())
    return bool(place) and (path == str(Path(place).resolve()) or path.startswith(f"{Path(place).resolve()}/"))
