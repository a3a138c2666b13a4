"""What the words of the column `outcome` mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nescio.data.model import Verdict
from nescio.data.notes import Note, note
from nescio.data.outcomes import MEANINGS, NOT_GRADED, STATES
from nescio.errors import opt
from nescio.tables.lexicon import state_of
from nescio.tasks.assessed.verdicts import STATES as ASSESSED
from nescio.tasks.assessed.verdicts import WORDS, verdicts_in

_KEPT: dict[Verdict | None, str] = {verdict: f" ({word}: lenient_accuracy)" for verdict, word in WORDS.items()}


def state_words(
    counted: Sequence[tuple[str | None, int]], mapped: Mapping[str, str], notes: list[Note]
) -> dict[str | None, int | None]:
    """Return the state that each word means, None for an unknown one; a note announces each known word but the three.

    A word means what the user mapped it to, else what assessors or the lexicon say. No word is no grade.
    """
    own = {word: MEANINGS[to] for word, to in mapped.items()}
    assessed = {word: verdict for word, verdict in verdicts_in(w for w, _ in counted if w).items() if word not in own}
    states: dict[str | None, int | None] = {}
    for word, _ in counted:
        if word in assessed:
            states[word] = ASSESSED[assessed[word]]
        else:
            known = NOT_GRADED if word is None else STATES.get(word, state_of(word))
            states[word] = own.get(word or "", known)
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
