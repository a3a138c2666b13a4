"""Compute the move of each question between an old run and a new run.

A question that is graded in both runs has one of three outcomes in each run. Its *move* is one of nine, and the nine
moves do not overlap. Four overlapping groups answer the reader's first questions:

- **won**: not correct → correct
- **lost**: correct → not correct
- **newly silent**: answered → not answered
- **newly answered**: not answered → answered

They overlap by design: correct → unanswered is lost and newly silent, unanswered → correct is won and newly answered.
Won and lost depend on the outcome, the other two on the system's behaviour. If a question has no answer, silence is
correct, and answered → rightly silent is won and newly silent. Questions that only one run has, and questions with an
ungraded answer, are not moves. They are counted apart, under every policy that keeps them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.columns import OUTCOMES, Array
from nescio.data.evidence import Evidence
from nescio.data.outcomes import ABSENT as LACKING
from nescio.data.outcomes import CORRECT as RIGHT
from nescio.data.outcomes import INCORRECT as WRONG
from nescio.data.outcomes import NOT_GRADED, SILENT, Outcomes
from nescio.pipeline import Loaded
from nescio.reporting.page import browser
from nescio.reporting.page.browser import states
from nescio.reporting.page.shown_text import deflated

# codes after the nine moves, which are 3·(outcome in the old run) + outcome in the new run
ONLY_OLD, ONLY_NEW, NOT_KNOWN = 9, 10, 11
APART = {
    ONLY_OLD: ("only-old", "only in the old run"),
    ONLY_NEW: ("only-new", "only in the new run"),
    NOT_KNOWN: ("not-graded", "not graded"),
}
WON, LOST, NEWLY_SILENT, NEWLY_ANSWERED, CHANGED, SAME = (1 << bit for bit in range(6))
GROUPS = {  # slug: (name, definition, bit)
    "won": ("won", "not correct → correct", WON),
    "lost": ("lost", "correct → not correct", LOST),
    "newly-silent": ("newly silent", "answered → not answered", NEWLY_SILENT),
    "newly-answered": ("newly answered", "not answered → answered", NEWLY_ANSWERED),
    "changed": ("outcome changed", "a different outcome from before", CHANGED),
    "same": ("outcome as before", "the same outcome", SAME),
}
# indexed by the browser's states: absent, correct, incorrect, unanswered, rightly silent, ungraded
_OUTCOME = np.array([-1, 0, 1, 2, 0, -1])
_ANSWERED = np.array([-1, 1, 1, 0, 0, -1])


class Moves(Struct, frozen=True, eq=False):
    """The changes of the questions' outcomes from the old run to the new one.

    `states` has the browser's states of the questions in both runs, shape (2, questions); `counted` has the states that
    the scores use, if they differ. A code from 0 to 8 is one of the nine moves, and higher codes are questions without
    a move. Bits of `flags` are groups such as "won". `elsewhere` counts questions left out because a third run lacks
    them, and `counted_silent` questions that one run lacks and that scores take for unanswered.
    """

    questions: tuple[str, ...]
    states: NDArray[np.uint8]
    codes: NDArray[np.uint8]
    flags: NDArray[np.uint8]
    strata: Mapping[str, Array]
    clusters: tuple[int, ...] | None
    elsewhere: int = 0
    counted_silent: int = 0
    counted: NDArray[np.uint8] | None = None

    @property
    def table(self) -> NDArray[np.int64]:
        """Return the counts of the nine moves, shape (3, 3): old outcomes by new outcomes, ordered as `OUTCOMES`."""
        return np.bincount(self.codes[self.codes < 9], minlength=9).reshape(3, 3).astype(np.int64)

    def group(self, slug: str) -> NDArray[np.int64]:
        """Return the indices of the questions of the group with this slug, such as "won"."""
        return np.flatnonzero(self.flags & GROUPS[slug][2])

    def kind(self, code: int) -> int:
        """Return the number of questions with this code: a move, or a reason for having none."""
        return int((self.codes == code).sum())


def move_names() -> dict[int, tuple[str, str]]:
    """Return the slug and the name of each of the nine moves, from an outcome in the old run to one in the new."""
    pairs = [(old, new) for old in OUTCOMES for new in OUTCOMES]
    return {code: (f"{old}-{new}", f"{old} → {new}") for code, (old, new) in enumerate(pairs)}


def moves(loaded: Loaded, old: int, new: int) -> Moves | None:
    """Return the change of each question's outcome between two runs, or None if the data has no outcomes.

    `old` and `new` are the indices of the runs.
    """
    data = loaded.data
    if not isinstance(data, Evidence) or not set(OUTCOMES) <= data.columns.keys():
        return None
    codes = counted = states(data)[[old, new]]
    questions, strata, clusters = data.questions, dict(data.strata), data.clusters
    elsewhere = counted_silent = 0
    unshared = _unshared(loaded)
    if unshared is not None:
        names = [data.origins.get(data.runs[run], data.runs[run]) for run in (old, new)]
        theirs = _raw_states(unshared, [unshared.runs.index(name) for name in names])
        place = {question: i for i, question in enumerate(questions)}
        inside = np.array([question in place for question in unshared.questions], dtype=bool)
        at = [place[q] for q, there in zip(unshared.questions, inside, strict=True) if there]
        absent = theirs[:, inside] == browser.ABSENT
        codes = codes.copy()
        counted_silent = int(absent.any(axis=0).sum())
        codes[:, at] = np.where(absent, browser.ABSENT, codes[:, at])
        added = ~inside & (theirs == browser.ABSENT).any(axis=0) & (theirs != browser.ABSENT).any(axis=0)
        elsewhere = int((~inside & (theirs != browser.ABSENT).all(axis=0)).sum())
        questions += tuple(np.asarray(unshared.questions, dtype=object)[added])
        codes, counted = (np.concatenate([cells, theirs[:, added]], axis=1) for cells in (codes, counted))
        strata = {name: np.concatenate([v, unshared.strata[name][added]]) for name, v in strata.items()}
        if clusters is not None:  # questions that are in no score are in no cluster
            clusters = np.concatenate([clusters, clusters.max(initial=0) + 1 + np.arange(int(added.sum()))])
    there = (codes != browser.ABSENT).any(axis=0)
    codes, counted = codes[:, there], counted[:, there]
    return Moves(
        tuple(q for q, kept in zip(questions, there, strict=True) if kept),
        codes,
        *_classified(codes),
        {name: values[there] for name, values in strata.items()},
        None if clusters is None else tuple(int(c) for c in clusters[there]),
        elsewhere,
        counted_silent,
        counted if counted_silent else None,
    )


def _classified(pair: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the code of each question's move, and the bits of its groups.

    `pair` has the states of the questions in the old and the new run, shape (2, questions).
    """
    old, new = _OUTCOME[pair]
    before, after = _ANSWERED[pair]
    both = (old >= 0) & (new >= 0)
    codes = np.where(both, 3 * old + new, NOT_KNOWN)
    codes = np.where(pair[1] == browser.ABSENT, ONLY_OLD, np.where(pair[0] == browser.ABSENT, ONLY_NEW, codes))
    flags = np.zeros(pair.shape[1], dtype=np.uint8)
    for bit, where in (
        (WON, (old != 0) & (new == 0)),
        (LOST, (old == 0) & (new != 0)),
        (NEWLY_SILENT, (before == 1) & (after == 0)),
        (NEWLY_ANSWERED, (before == 0) & (after == 1)),
        (CHANGED, old != new),
        (SAME, old == new),
    ):
        flags[both & where] |= bit
    return codes.astype(np.uint8), flags


def _unshared(loaded: Loaded) -> Outcomes | None:
    """Return the questions that some run lacks; None if there are none.

    Questions without an answer are not among them if the user excludes such questions.
    """
    unshared = loaded.unshared
    if unshared is None or loaded.options.unanswerable != "exclude" or unshared.answerable is None:
        return unshared
    return unshared.select(unshared.answerable != 0)


def _raw_states(outcomes: Outcomes, places: Sequence[int]) -> NDArray[np.uint8]:
    """Return the browser's states of the two runs at the indices `places`.

    The states precede the policies on missing and ungraded answers.
    """
    unanswerable = (
        np.zeros(len(outcomes.questions), dtype=bool) if outcomes.answerable is None else outcomes.answerable == 0
    )
    raw = outcomes.state[list(places)]
    shown = np.zeros(raw.shape, dtype=np.uint8)
    for state, code in (
        (RIGHT, browser.CORRECT),
        (WRONG, browser.INCORRECT),
        (SILENT, browser.UNANSWERED),
        (NOT_GRADED, browser.UNGRADED),
        (LACKING, browser.ABSENT),
    ):
        shown[raw == state] = code
    shown[((raw == SILENT) | (raw == RIGHT)) & unanswerable] = browser.RIGHTLY_SILENT
    return shown


def payload(moved: Moves) -> dict[str, object]:
    """Return the data with which the question browser filters questions by their moves."""
    kinds = [[slug, name, code, moved.kind(code)] for code, (slug, name) in move_names().items()]
    kinds += [[slug, name, code, moved.kind(code)] for code, (slug, name) in APART.items() if moved.kind(code)]
    groups = [[slug, name, bit, len(moved.group(slug))] for slug, (name, _, bit) in GROUPS.items()]
    coded = {"codes": deflated(moved.codes.tobytes()), "flags": deflated(moved.flags.tobytes())}
    counted = {} if moved.counted is None else {"counted": browser.packed(moved.counted)}
    return {"moves": {**coded, "kinds": kinds, "groups": groups}, **counted}
