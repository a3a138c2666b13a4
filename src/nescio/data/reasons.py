"""The reasons why a system gave no answer, and the outcome that each counts as.

Only an answer that a system declined is an abstention. An output that is empty, or that nobody could parse, is wrong
unless the user says otherwise: else a system would gain by breaking its output. What a service blocked, or an error
stopped, has no grade. The reason stays beside the answer whatever it counts as.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, get_args

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SAID_SO, SILENT, NonAnswers, Outcomes
from nescio.errors import opt
from nescio.text import plural

Kind = Literal["declined", "empty", "unparsed", "failed"]
CountsAs = Literal["incorrect", "unanswered", "ungraded"]

BLOCKED, EMPTY, ERRORED, REFUSED = "blocked", "empty", "errored", "refused"
NO_FORM = "without an answer in the requested form"
REASONS_CHANGED = "reasons.changed"  # the code of a note on two runs
NOT_DECLINED = "reasons.not_declined"  # the code of a note on a run whose silence is to a large part no decision
GRADED_RIGHT = " (graded right)"  # after the reason of an answer that its tool graded right all the same
BY_OUTCOME = " (said to abstain)"  # after the reason of an answer that its file itself calls an abstention
_STATES: Mapping[CountsAs, int] = {"incorrect": INCORRECT, "unanswered": SILENT, "ungraded": NOT_GRADED}
_KINDS: Mapping[str, Kind] = {EMPTY: "empty", NO_FORM: "unparsed", BLOCKED: "failed", ERRORED: "failed"}

# Formats whose own rules say that a missing answer abstains, and where they say it. Their readers give such an answer
# no reason, or one of declining; everywhere else an empty output is `EMPTY`.
PROTOCOLS: Mapping[str, str] = {
    "ave": "AVE 2007 and 2008: a question whose candidates are all rejected is not answered",
    "cbc": "Deep Read's answers: a question without a line has no answer",
    "inspect": "Inspect's grade N, NOANSWER",
    "outcomes": "nescio's own tables (question, answers, prediction): a cell without an answer",
    "pan": "PAN 2020 and later: a score of exactly 0.5, or no score",
    "qa4mre": "QA4MRE: answered=NO",
    "questions": "nescio's own lines: an answer that is null",
    "simpleqa": "SimpleQA's grade NOT_ATTEMPTED",
    "squad2": "SQuAD 2.0's evaluation script: an empty prediction",
    "trec": "TREC QA: NIL",
}


MUCH = 0.1  # of the questions, silent though the run did not decline


class NotDeclined(Struct, frozen=True):
    """The number of a run's `of` answers that count as silence, or are left out, though it did not decline; with the
    most frequent reason."""

    lost: int
    of: int
    why: str
    left_out: bool = False

    def words(self, run: str) -> str:
        """Return this of a run, by its name as shown."""
        counts = "counts" if self.lost == 1 else "count"
        answers = plural(self.of, "answer")
        how = f"{counts} as silence, though the run did not decline"
        if self.left_out:
            how = "are left out" if self.lost > 1 else "is left out"
        return f"{self.lost:,} of {run}'s {answers} {how} ({self.why})"


def not_declined(
    run: str, silence: Iterable[Iterable[NonAnswers]], *, ungraded_left_out: bool = False
) -> NotDeclined | None:
    """Return how many answers a run lost without declining, or None for few; `silence` are the rows of each
    benchmark."""
    by_benchmark = [[row for row in rows if row.run == run] for rows in silence]
    lost: Counter[str] = Counter()
    left_out = 0
    for row in (row for rows in by_benchmark for row in rows):
        without_grade = ungraded_left_out and row.taken_for == "not graded" and row.why not in (REFUSED, SAID_SO)
        if without_grade or (row.taken_for == "silence" and row.why in (NO_FORM, ERRORED)):
            lost[row.why] += row.n
            left_out += row.n if without_grade else 0
    of = sum(max((row.of for row in rows), default=0) for rows in by_benchmark)
    if not lost or lost.total() < MUCH * of:
        return None
    return NotDeclined(lost.total(), of, lost.most_common(1)[0][0], left_out=left_out == lost.total())


def left_out_in_words(remark: Note) -> str:
    """Return the words for the count in a note on ungraded answers, with the name of the run."""
    return NotDeclined(remark["count"], remark["total"], "not graded", left_out=True).words(remark.subject)


class NoAnswer(Struct, frozen=True):
    """The outcomes that empty and unparsed outputs count as."""

    empty: CountsAs = "incorrect"
    unparsed: CountsAs = "incorrect"


def kind_of(why: str) -> Kind:
    """Return which of the four kinds a reason is of."""
    return _KINDS.get(why.removesuffix(GRADED_RIGHT).removesuffix(BY_OUTCOME), "declined")


def said_to_abstain(why: str | None) -> str | None:
    """Return the reason of an answer that its file itself calls an abstention, which stays one whatever the reason."""
    return f"{why}{BY_OUTCOME}" if why in _KINDS else why


def _changed(old: Counter[Kind], new: Counter[Kind]) -> str:
    """Return how the counts of the four kinds changed from one run to another, such as "empty 2 → 40, declined 9 → 3".

    Empty if nothing but the declined answers changed, which measures of abstention count anyway.
    """
    if old == new:
        return ""
    moved = [kind for kind in get_args(Kind) if old[kind] != new[kind]]
    if not {*moved} - {"declined"}:
        return ""
    return ", ".join(f"{kind} {old[kind]:,} → {new[kind]:,}" for kind in moved)


def _kinds_of_runs(silence: Sequence[Sequence[NonAnswers]]) -> defaultdict[str, Counter[Kind]]:
    """Return the number of outputs of each kind for each run, without the answers that are missing."""
    counts: defaultdict[str, Counter[Kind]] = defaultdict(Counter)
    for rows in silence:
        for row in rows:
            if row.taken_for != "missing":
                counts[row.run][kind_of(row.why)] += row.n
    return counts


def notes_on_pairs(
    pairs: Sequence[tuple[str, str]], silence: Sequence[Sequence[NonAnswers]], *, ungraded_left_out: bool = False
) -> Iterator[Note]:
    """Note the pairs of a run and its baseline that differ in outputs that were empty, unparsed or failed. Note also
    the runs on which no decision can be made, because such outputs count as silence."""
    counts = _kinds_of_runs(silence)
    for run, baseline in dict.fromkeys(pairs if counts else ()):
        if change := _changed(counts[baseline], counts[run]):
            yield note(
                REASONS_CHANGED, "run {subject!r} against {baseline!r}: {change}", run, baseline=baseline, change=change
            )
    yield from notes_on_silence([run for run, _ in pairs], silence, ungraded_left_out=ungraded_left_out)


def notes_on_silence(
    runs: Iterable[str], silence: Sequence[Sequence[NonAnswers]], *, ungraded_left_out: bool = False
) -> Iterator[Note]:
    """Note on which runs no decision can be made, because so much of their silence is no decision of their own."""
    of_runs: defaultdict[str, list[list[NonAnswers]]] = defaultdict(list)  # the rows of each benchmark
    for rows in silence:
        of_benchmark: defaultdict[str, list[NonAnswers]] = defaultdict(list)
        for row in rows:
            of_benchmark[row.run].append(row)
        for run, its_rows in of_benchmark.items():
            of_runs[run].append(its_rows)
    for run in dict.fromkeys(runs):
        if lost := not_declined(run, of_runs[run], ungraded_left_out=ungraded_left_out):
            yield note(NOT_DECLINED, "no decision on run {subject!r}: {what}", run, what=lost.words(run))


def settle(outcomes: Outcomes, policy: NoAnswer) -> tuple[Outcomes, tuple[Note, ...]]:
    """Return outcomes in which only declined answers are abstentions, and notes on the others that count as something
    else.

    An answer that its tool graded right although it looks empty or unparsed is correct. That holds for questions
    without an answer too: there, silence is right, and an output that broke is no silence.
    """
    if outcomes.why is None:
        return outcomes, ()
    silent = outcomes.state == SILENT
    state = outcomes.state.copy()
    notes: list[Note] = []
    counts_as: Mapping[Kind, CountsAs] = {"empty": policy.empty, "unparsed": policy.unparsed, "failed": "ungraded"}
    for r, run in enumerate(outcomes.runs):
        wrong: Counter[Kind] = Counter()
        for q in np.flatnonzero(silent[r]).tolist():
            why = outcomes.why[r, q] or ""
            if why.endswith(BY_OUTCOME):
                continue
            kind = kind_of(why)
            now = counts_as.get(kind, "unanswered")
            if now == "incorrect" and why.endswith(GRADED_RIGHT):
                state[r, q] = CORRECT
            else:
                state[r, q] = _STATES[now]
                wrong[kind] += now == "incorrect"
        notes += _notes(run, wrong)
    return replace(outcomes, state=state), tuple(notes)


def _notes(run: str, wrong: Mapping[Kind, int]) -> Iterator[Note]:
    """Note how many outputs of a run count as incorrect, by kind."""
    if wrong["empty"]:
        yield note(
            "reasons.empty",
            "run {subject!r}: {n:n empty output} {n:counts/count} as incorrect; "
            f"{opt('empty', 'unanswered')} makes {{n:it an abstention/them abstentions}}",
            run,
            n=wrong["empty"],
        )
    if wrong["unparsed"]:
        yield note(
            "reasons.unparsed",
            "run {subject!r}: {n:n unparsed output} {n:counts/count} as incorrect; "
            f"{opt('unparsed', 'unanswered')} makes {{n:it an abstention/them abstentions}}",
            run,
            n=wrong["unparsed"],
        )
