r"""MCTest (Richardson et al. 2013): stories with four questions of four options each, and the letters of the right
options.

Each line of the `.tsv` is one story: its name, a note on its author, its text (line ends written \newline), and four
questions with their options A to D. A question begins with `one:` or `multiple:`, the number of sentences that its
answer needs. The `.ans` with the same name has the four right letters of each story. Questions about one story are
resampled together.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from nescio.data.model import Collection, Question
from nescio.data.notes import Note
from nescio.errors import MismatchError
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, by_role, reader
from nescio.sources.source import Source
from nescio.tasks.kit import fault_at
from nescio.text import question_word, sentences

LETTERS = "ABCD"
_QUESTIONS = 4
_WIDTH = 1 + len(LETTERS)
_CELLS = 3 + _QUESTIONS * _WIDTH
_KEY = re.compile(r"[A-D](\t[A-D])*")
_KIND = re.compile(r"(one|multiple):\s*")


def recognise(source: Source) -> str | None:
    """Recognise a `.tsv` without a header, whose first cells are a name and an author; or the right letters in an
    `.ans`."""
    if source.kind != "text" or source.path is None:
        return None
    suffix, first = source.path.suffix.lower(), str(source.first)
    if suffix == ".tsv":
        return "test"
    return "gold" if suffix == ".ans" and _KEY.fullmatch(first.strip()) else None


def collection(parts: Sequence[SourceRole], options: ReadOptions) -> tuple[Collection, tuple[Note, ...]]:
    """Return the questions of all `.tsv` files with their stories, and with the right options from `.ans` files."""
    by_part = by_role(parts)
    tests, keys = by_part["test"], by_part["gold"]
    if not tests:
        raise MismatchError(
            f"{keys[0].label} holds the right letters of MCTest; also give the stories of the same name (.tsv)"
        )
    by_name = {source.stem: source for source in keys}
    questions: list[Question] = []
    for test in tests:
        key = by_name.pop(test.stem, None)
        questions += _questions(test, key, options)
    if by_name:
        left = next(iter(by_name.values()))
        raise MismatchError(f"{left.label} is a key, but the file of its stories ({left.stem}.tsv) was not given")
    counted = Counter(question.id for question in questions)
    if twice := next((name for name, times in counted.items() if times > 1), None):
        raise MismatchError(f"question {twice!r} is in two of the given files")
    return Collection("+".join(test.stem for test in tests), tuple(questions)), ()


@reader(
    "mctest",
    about="MCTest: stories with questions (.tsv) and the right letters (.ans)",
    recognise=recognise,
    text=True,
    collection=collection,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:  # noqa: ARG001  a reader's signature
    """Raise MismatchError, because MCTest's own files hold no runs; the user must also give runs in JSON Lines."""
    raise MismatchError(
        f"{parts[0][1].label} is a file of MCTest; also give runs (.jsonl with id, answer and confidence)"
    )


def _lines(source: Source) -> Iterator[tuple[list[str], int]]:
    assert source.path is not None
    with source.path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield [cell.strip() for cell in line.rstrip("\r\n").split("\t")], number


def _questions(test: Source, key: Source | None, options: ReadOptions) -> Iterator[Question]:
    right = _right(key) if key else None
    stories, seen = 0, set()
    for cells, line in _lines(test):
        if len(cells) != _CELLS:
            rule = f"a story must have {_CELLS} cells: name, author, text, and four questions with four options each"
            raise fault_at(test, line, rule, len(cells))
        if cells[0] in seen:
            raise fault_at(test, line, "the story appears twice", cells[0])
        seen.add(cells[0])
        letters = None
        if right is not None and key is not None:
            if stories >= len(right):
                raise MismatchError(f"{key.label} has the letters of {len(right)} stories, but {test.label} has more")
            letters = right[stories]
        stories += 1
        yield from _of_story(test, cells, line, letters, options)
    if right is not None and key is not None and stories != len(right):
        raise MismatchError(f"{key.label} has the letters of {len(right)} stories, but {test.label} has {stories}")


def _right(key: Source) -> list[list[str]]:
    rows = []
    for cells, line in _lines(key):
        if len(cells) != _QUESTIONS or any(cell not in LETTERS or len(cell) != 1 for cell in cells):
            raise fault_at(key, line, "a line must have four letters from A to D", cells)
        rows.append(cells)
    return rows


def _of_story(
    test: Source, cells: list[str], line: int, right: list[str] | None, options: ReadOptions
) -> Iterator[Question]:
    story = sentences(cells[2].replace("\\newline", "\n").replace("\\tab", " "))
    if not story:
        raise fault_at(test, line, "the story is empty", cells[0])
    for number in range(_QUESTIONS):
        text, *choices = cells[3 + number * _WIDTH :][:_WIDTH]
        kind = _KIND.match(text)
        if kind is None:
            raise fault_at(test, line, "a question must begin with one: or multiple:", text)
        if not all(choices):
            raise fault_at(test, line, "an option is empty", text)
        words = text[kind.end() :]
        labels = {"set": test.stem, "kind": kind[1], "story": cells[0], "question_word": question_word(words)}
        answers = () if right is None else (choices[LETTERS.index(right[number])],)
        name = f"{cells[0]}.{number + 1}"
        yield Question(name, words, answers, tuple(choices), True, cells[0], options.kept(labels), story=story)
