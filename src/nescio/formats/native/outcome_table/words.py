"""What the words of the column `outcome` mean."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from nescio.data.model import Verdict
from nescio.data.notes import Note, note
from nescio.data.outcomes import MEANINGS, NOT_GRADED, STATES
from nescio.errors import opt
from nescio.formats.native import roles
from nescio.tasks.assessed.verdicts import STATES as ASSESSED
from nescio.tasks.assessed.verdicts import WORDS, verdicts_in

_KEPT: dict[Verdict | None, str] = {verdict: f" ({word}: lenient_accuracy)" for verdict, word in WORDS.items()}


def state_words(
    counted: Sequence[tuple[str | None, int]],
    mapped: Mapping[str, str],
    notes: list[Note],
    unclear: Collection[str] = (),
) -> dict[str | None, int | None]:
    """Return the state that each word means, None for an unknown one; each known word but the three is announced, with
    its number of rows; those that are `unclear` beside others are unknown. No word is no grade, unless the user mapped
    the empty one."""
    own = {word: MEANINGS[to] for word, to in mapped.items()}
    assessed = {word: verdict for word, verdict in verdicts_in(w for w, _ in counted if w).items() if word not in own}
    states: dict[str | None, int | None] = {}
    for word, _ in counted:
        if word in assessed:
            states[word] = ASSESSED[assessed[word]]
        else:
            known = NOT_GRADED if word is None else STATES.get(word, roles.state_of(word))
            states[word] = own.get(word or "", None if word in unclear else known)
    if idle := [word for word in mapped if word and word not in states]:
        notes.append(
            note(
                "outcomes_table.no_such_word",
                f"{opt('outcome_map')}: {{words:list}} {{many:occurs/occur}} in no row",
                words=list(map(repr, idle)),
                many=len(idle),
            )
        )
    names = {state: name for name, state in STATES.items()} | {NOT_GRADED: "not graded"}
    for word, rows in counted:
        state = states[word]
        if state is not None and STATES.get(word or "") != state and (word is not None or "" in own):
            notes.append(
                note(
                    "outcomes_table.word",
                    "{rows} {rows:row/rows}: outcome {word!r} read as {outcome}",
                    rows=rows,
                    word=word or "",
                    outcome=f"{names[state]}{_KEPT.get(assessed.get(word or ''), '')}",
                )
            )
    return states
