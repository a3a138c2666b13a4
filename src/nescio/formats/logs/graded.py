"""What the readers of other tools' logs share: answers that were graded already, one row each, as Outcomes."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from nescio.data.columns import Array, user
from nescio.data.notes import Note, note
from nescio.data.outcomes import ABSENT, Outcomes, reasons_note
from nescio.data.repeats import FIRST, repeats_of
from nescio.data.texts import AnswerTexts
from nescio.errors import FormatError, UsageError, offer, opt
from nescio.formats.registry import ReadOptions
from nescio.text import composed

_NOTHING: Mapping[str, Any] = MappingProxyType({})  # one for all rows: a log may have millions

_SHOWN = 50  # names in a message
FEW_REPEATS = 0.01  # the share of repeats from which on intervals and tests are those of clusters


class Graded(Struct, frozen=True):
    """One answer of a run to a question: `state` is one of `nescio.data.outcomes`; `why` says in a word why it is
    silent or ungraded.

    Where a question is asked several times, `question` is the same for all of its answers, and `repeat` says which
    of them this is (an epoch, a trial, a seed); None where the log knows no repeats. `cluster` is what questions
    share that are resampled together; `strata` holds what is constant within the question. `where` names the place
    in the file, for messages, and `path` the file, where rows of several files come together. `scores` holds graded
    scores by name; `answerable` is 0 where declining is right, -1 where the log does not say. `texts` are the words
    of question and answer, where they are wanted.
    """

    run: str
    question: str
    state: int
    confidence: float | None = None
    candidate: int = -1
    cluster: str | None = None
    why: str | None = None
    strata: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    where: str | None = None
    path: object = None
    scores: Mapping[str, float] = field(default_factory=lambda: _NOTHING)
    answerable: int = -1
    repeat: str | int | None = None
    texts: AnswerTexts | None = None


def numbered(rows: Iterable[Graded]) -> Iterator[Graded]:
    """Yield the rows of a log that lists the answers to a question one after another, numbered as its repeats from
    1."""
    seen: Counter[tuple[str, str]] = Counter()
    for row in rows:
        seen[row.run, row.question] += 1
        yield replace(row, repeat=seen[row.run, row.question])


def outcomes_of(rows: Iterable[Graded], path: object, options: ReadOptions, notes: list[Note]) -> Outcomes:
    """Return the rows of one file (or of several that belong together) as Outcomes, a question that a run lacks being
    absent.

    Rows of one question with different `repeat` are answers to it that share its weight. Raises FormatError where a run
    answers a question twice otherwise. `notes` gets one a run on what stands behind its silence and its ungraded
    answers.
    """
    runs: dict[str, int] = {}
    answers: dict[tuple[str, str], int] = {}
    cells = _Cells()
    for row in rows:
        key = composed(row.question) or "", FIRST if row.repeat is None else str(row.repeat)
        r, q = runs.setdefault(row.run, len(runs)), answers.setdefault(key, len(answers))
        if not cells.add(r, q, row):
            again = "" if row.repeat is None else f" in repeat {row.repeat}"
            rule = f"question {row.question!r} appears twice for run {row.run!r}{again}"
            raise FormatError(row.path or path, rule, where=row.where)
    if not runs:
        raise FormatError(path, "there are no answers in it")
    questions = tuple(question for question, _ in answers)
    shape = (len(runs), len(questions))
    at = np.asarray(cells.run), np.asarray(cells.question)

    def grid(values: Any, empty: object, dtype: type) -> Array:
        filled: Array = np.full(shape, empty, dtype=dtype)
        filled[at] = np.asarray(values, dtype=dtype)
        return filled

    confidence, candidate = grid(cells.confidence, np.nan, float), grid(cells.candidate, -1, np.int8)
    more = {user(name): np.full(shape, np.nan) for name in cells.scores}
    for name, (which, values) in cells.scores.items():
        more[user(name)][at[0][which], at[1][which]] = values
    answerable = np.asarray(cells.answerable, dtype=np.int8)
    reasons: list[Counter[str]] = [Counter() for _ in runs]
    for r, why in zip(cells.run, cells.why, strict=True):
        if why:
            reasons[r][why] += 1
    notes += [reasons_note(run, reasons[r], shape[1]) for run, r in runs.items() if reasons[r]]
    return Outcomes(
        tuple(runs),
        questions,
        grid(cells.state, ABSENT, np.int8),
        confidence=None if np.isnan(confidence).all() else confidence,
        candidate=candidate if (candidate >= 0).any() else None,
        answerable=answerable if (answerable >= 0).any() else None,
        extra_columns=more,
        strata=_strata(cells.strata, options),
        clusters=_clusters(cells.clusters, notes),
        why=grid(cells.why, None, object) if any(reasons) else None,
        repeats=repeats_of(questions, [repeat for _, repeat in answers]),
        files=tuple(str(file or path) for file in cells.files),
        texts=grid(cells.texts, None, object) if any(cells.texts) else None,
    )


def _clusters(clusters: Sequence[str | None], notes: list[Note]) -> Array | None:
    """Return what repeats share, which a note says; None without repeats, and where they are too few for any interval
    to notice."""
    if None in clusters:
        return None
    sizes = Counter(clusters)
    repeats, total = sum(size for size in sizes.values() if size > 1), len(clusters)
    if not repeats:
        return None
    if repeats < FEW_REPEATS * total:
        notes.append(
            note(
                "graded.few_repeats",
                "{repeats} of {total:n question} ask the same as another one: so few that each is resampled on its own",
                repeats=repeats,
                total=total,
            )
        )
        return None
    notes.append(
        note(
            "graded.repeats",
            "{repeats} of {total:n question} ask the same as another one: such questions are resampled together, in "
            "{clusters} clusters",
            repeats=repeats,
            total=total,
            clusters=len(sizes),
        )
    )
    return np.array(clusters, dtype=object)


class _Cells:
    """Rows as columns, as a log may have millions; and what the first row of a question, or of a run, says of it."""

    def __init__(self) -> None:
        self.run, self.question, self.state, self.candidate = array("q"), array("q"), array("b"), array("b")
        self.confidence = array("d")
        self.why: list[str | None] = []
        self.scores: dict[str, tuple[array[int], array[float]]] = {}  # by name: which rows have one, and what it is
        self.clusters: list[str | None] = []
        self.strata: list[Mapping[str, str]] = []
        self.answerable = array("b")
        self.files: list[object] = []
        self.texts: list[AnswerTexts | None] = []
        self._seen: list[bytearray] = []

    def add(self, r: int, q: int, row: Graded) -> bool:
        """Add a row; False where the run has one for the question already."""
        if r == len(self.files):
            self.files.append(row.path)
            self._seen.append(bytearray())
        if q == len(self.strata):
            self.clusters.append(row.cluster)
            self.strata.append(row.strata)
            self.answerable.append(-1)
        seen = self._seen[r]
        if q >= len(seen):
            seen.extend(bytes(q + 1 - len(seen)))
        if seen[q]:
            return False
        seen[q] = 1
        for name, score in row.scores.items():
            which, values = self.scores.setdefault(name, (array("q"), array("d")))
            which.append(len(self.run))
            values.append(score)
        self.run.append(r)
        self.question.append(q)
        self.state.append(row.state)
        self.candidate.append(row.candidate)
        self.confidence.append(np.nan if row.confidence is None else row.confidence)
        self.why.append(row.why or None)
        self.texts.append(row.texts)
        if row.answerable >= 0:
            self.answerable[q] = row.answerable
        return True


def _strata(rows: Sequence[Mapping[str, str]], options: ReadOptions) -> dict[str, np.ndarray]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: np.array([row.get(name, "") for row in rows], dtype=object) for name in options.kept(names)}


def choose(options: ReadOptions, name: str, names: Sequence[str], what: str, *, elsewhere: bool = False) -> str:
    """Return the one that `--choose NAME=VALUE` names of what was found, or the only one there is. Where files hold
    different ones, VALUE names several between commas, and the first that is there is taken;
    `elsewhere` says that the one named is in another file.

    Raises UsageError where there are several and none is named, or where the one named is not there.
    """
    chosen, there = options.choose.get(name), list(dict.fromkeys(names))
    if (found := chosen_among(options, name, there)) is not None:
        return found
    shown = ", ".join(there[:_SHOWN]) + (f" and {len(there) - _SHOWN:,} more" if len(there) > _SHOWN else "")
    if chosen is not None:
        also = (
            f"; {opt('choose', {name: f'{chosen},{there[0]}'})} takes one of them where it is"
            if elsewhere and there
            else ""
        )
        raise UsageError(f"{opt('choose', {name: chosen})}: {what} here are {shown or 'none'}{also}")
    if len(there) == 1:
        return there[0]
    ways = "".join(offer("choose", {name: one}) for one in there)
    raise UsageError(f"{what} here are {shown or 'none'}; name one with {opt('choose', of=name + '=NAME')}{ways}")


def chosen_among(options: ReadOptions, name: str, there: Collection[str]) -> str | None:
    """Return the first that `--choose NAME=VALUE` names, as a whole or between commas, of what is there; None where
    none is."""
    chosen = options.choose.get(name)
    return None if chosen is None else next((one for one in (chosen, *chosen.split(",")) if one in there), None)


def pick(options: ReadOptions, name: str, names: Iterable[str]) -> str:
    """Return the only one there is, as another file may have the one that was chosen; else the one chosen. Empty where
    there is none."""
    there = list(dict.fromkeys(names))
    return "".join(there) if len(there) < 2 else choose(options, name, there, f"{name}s", elsewhere=True)


def check_choice(options: ReadOptions, name: str, names: Iterable[str]) -> None:
    """Raise UsageError where what was chosen is in none of the files."""
    if name in options.choose:
        choose(options, name, sorted({*names}), f"{name}s")


def declined(options: ReadOptions, text: str | None) -> bool:
    """Say whether a text means "I do not know" by one of the patterns of `--declined-pattern`; counts what it
    matched."""
    return bool(text) and options.declined.matches(str(text))
