"""Run the commands of an item of a paper, on the bundled examples or on files of the user."""

from __future__ import annotations

import contextlib
import glob
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from nescio.errors import UsageError, opt
from nescio.options import Verb
from nescio.options.verb import typed_request, words_given
from nescio.papers import Item, Paper, examples
from nescio.sources.temporary import temporary_folder
from nescio.text import command_text, plural

DRAWING = "*.svg"  # the drawing, whatever name a command gives it
NOWHERE: Mapping[str, str] = {}  # files are written where the command says


class Ran(Struct, frozen=True):
    """A command that was run for an item of a paper, with its verb and its result.

    `name` replaces the run's name in the rows if it is not empty. `reads` is the number of the command within the item,
    from 0. `text` is the content of the file that the item shows, or "" if the command did not write that file.
    """

    command: str
    verb: Verb[Any, Any]
    result: Any
    name: str = ""
    reads: int = 0
    text: str = ""


def run_examples(paper: Paper, item: Item, figure: Path | None = None) -> tuple[Ran, ...]:
    """Return the results of an item's commands, run in a temporary copy of the examples.

    Only a figure is kept: it is written to the path `figure`.
    """
    commands = [shlex.split(command) for command, _ in item.commands]
    _check_figure(paper, item, commands, figure)
    if not commands:
        return ()
    with temporary_folder() as folder:
        place = folder / "examples"
        shutil.copytree(examples(), place)
        placed = NOWHERE if figure is None else {DRAWING: str(figure.absolute())}
        with contextlib.chdir(place):
            for command in item.before:
                _run(shlex.split(command))
            return tuple(_run(words, reads=at, shows=item.shows, placed=placed) for at, words in enumerate(commands))


def run_on_files(paper: Paper, item: Item, files: Sequence[Path | str], figure: Path | None = None) -> tuple[Ran, ...]:
    """Return the results of an item's commands on files of the user.

    Raises UsageError if the commands need more than a list of files.
    """
    if item.yours == ():
        how = f"; its command is nescio {item.commands[0][0]}" if item.commands else ""
        raise UsageError(f"{item.label} of {paper.key} takes no files{how}")
    commands = [shlex.split(command) for command in commands_for(item)]
    _check_figure(paper, item, commands, figure)
    if any("{last}" in words for words in commands) and len(files) < 3:
        raise UsageError(
            f"{item.label} of {paper.key} takes {files_for(item)}, but was given {plural(len(files), 'file')}"
        )
    ran = []
    with temporary_folder() as folder:
        placed = {DRAWING: "" if figure is None else str(figure), item.shows: str(folder / Path(item.shows).name)}
        for at, words in enumerate(commands):
            if "{each}" in words:
                ran += [_run(_filled(words, [file]), Path(file).stem, at) for file in files]
            else:
                ran.append(_run(_filled(words, files), reads=at, shows=item.shows, placed=placed))
    return tuple(ran)


def _check_figure(paper: Paper, item: Item, commands: Sequence[Sequence[str]], figure: Path | None) -> None:
    """Raise UsageError if a figure is wanted but the item's commands draw none."""
    if figure is not None and not any(word.endswith(".svg") for words in commands for word in words):
        raise UsageError(f"{opt('figure')}: {item.label} of {paper.key} is not a drawing")


def commands_for(item: Item) -> tuple[str, ...]:
    """Return the commands of an item for files of the user, with placeholders such as {files} for the files.

    By default, the item's first command is returned, without the item's own files.
    """
    if item.yours is not None:
        return item.yours
    words = shlex.split(item.commands[0][0])
    verb, rest = _verb_named(words)
    arguments = [
        file for name, given in words_given(verb, rest).items() if verb.options[name].argument for file in given
    ]
    return (shlex.join(["{files}" if word == arguments[0] else word for word in words if word not in arguments[1:]]),)


def files_for(item: Item) -> str:
    """Return the words that stand for the user's files in an item's command, such as FILES."""
    command = commands_for(item)[0]
    verb, _ = _verb_named(shlex.split(command))
    taken = [option.metavar for option in verb.options.values() if option.argument]
    taken += ["OUTCOMES"] if "{ranking}" in command else []
    if "{last}" in command:
        taken = [*(metavar.replace("[", "").replace("]", "") for metavar in taken), "MAPPING"]
    return " ".join(taken) + ("..." if "{each}" in command else "")


def _filled(words: Sequence[str], files: Sequence[Path | str]) -> list[str]:
    """Return the words of a command in which the user's files replace placeholders such as {files}."""
    from nescio.formats import open_source
    from nescio.tasks.ave.reader import recognise

    # collections of answer validation, and responses to these
    ave = [file for file in files if recognise(open_source(Path(file))) is not None] if "{ave}" in words else []
    ranking = [word for file in files if file not in ave for word in ("--ranking", file)]
    named = {"{files}": files, "{each}": files, "{first}": files[:1], "{ave}": ave, "{ranking}": ranking}
    named |= {"{middle}": files[1:-1], "{last}": files[-1:]}
    return [str(part) for word in words for part in named.get(word, [word])]


def _run(
    words: Sequence[str], name: str = "", reads: int = 0, *, shows: str = "", placed: Mapping[str, str] = NOWHERE
) -> Ran:
    """Return the result of a command, whose `words` follow `nescio`.

    `placed` maps each file that the command writes to another path, and `shows` names the file whose content is shown.
    Raises UsageError if the user gave none of the files that the command needs.
    """
    verb, rest = _verb_named(_placed(words, placed))
    given = words_given(verb, [file for word in rest for file in sorted(glob.glob(word)) or [word]])
    lacking = [option.metavar for name, option in verb.options.items() if option.required and name not in given]
    if lacking:
        raise UsageError(f"nescio {verb.name} needs {' '.join(lacking)}, but none of your files is of that kind")
    result = verb.run(typed_request(verb, given))
    text = Path(placed.get(shows, shows)).read_text(encoding="utf-8") if shows in words else ""
    spoken = _placed(words, {DRAWING: placed[DRAWING]} if DRAWING in placed else {})
    return Ran(command_text(["nescio", *spoken]), verb, result, name, reads, text)


def _placed(words: Sequence[str], places: Mapping[str, str]) -> list[str]:
    """Return the words of a command with other paths for its files; an option is dropped if its new path is empty."""
    placed: list[str] = []
    for word in words:
        place = places.get(DRAWING if word.endswith(".svg") else word)
        if place == "":
            placed.pop()
        else:
            placed.append(word if place is None else place)
    return placed


def _verb_named(words: Sequence[str]) -> tuple[Verb[Any, Any], list[str]]:
    """Return the verb that a command calls, and the remaining words."""
    from nescio.verbs import files, find, verb_in

    thing, rest = find(files()[words[0]]), list(words[1:])
    while not isinstance(thing, Verb):
        thing = verb_in(thing, rest.pop(0).replace("-", "_"))
    return thing, rest
