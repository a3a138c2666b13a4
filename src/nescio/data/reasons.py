"""Define the reasons for the lack of an answer, and the outcome that each counts as.

Only an answer that a system declined is an abstention. An output that is empty, or cannot be parsed, is wrong unless
the user says otherwise; else a system would gain by breaking its output. An output that a service blocked, or an error
stopped, has no grade. The reason stays with the answer in every case.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, GRADED_RIGHT, INCORRECT, NOT_GRADED, SAID_SO, SILENT, NonAnswers, Outcomes
from nescio.errors import opt
from nescio.text import all_nothing, plural

Kind = Literal["declined", "empty", "unparsed", "failed"]
CountsAs = Literal["incorrect", "unanswered", "ungraded"]

BLOCKED, CUT, EMPTY, ERRORED, REFUSED = "blocked", "cut off", "empty", "errored", "refused"
NO_FORM = "without an answer in the requested form"
INVALIDATED = "invalidated"  # by a person who declared the sample void
UNSEEN = "right according to BFCL; the output was not given"  # so it may be that of a call that failed
REASONS_CHANGED = "reasons.changed"  # the code of a note on a pair of runs
EMPTY_OUTPUT = "reasons.empty"  # the code of a note on empty outputs, which count as incorrect
NOT_DECLINED = "reasons.not_declined"  # the code of a note on a run whose abstentions are largely not decisions
BY_OUTCOME = " (said to abstain)"  # follows the reason of an answer that its file calls an abstention
_STATES: Mapping[CountsAs, int] = {"incorrect": INCORRECT, "unanswered": SILENT, "ungraded": NOT_GRADED}
_KINDS: Mapping[str, Kind] = {
    **dict.fromkeys((EMPTY, CUT), "empty"),
    NO_FORM: "unparsed",
    **dict.fromkeys((BLOCKED, ERRORED, INVALIDATED), "failed"),
}
OUTPUT_LACKS = (*_KINDS, UNSEEN)  # what an output lacked, so that its run may not have declined

# How a text begins that stands for the answer of a call that failed, as an expression of RE2.
FAILED_CALL = (
    r"^\s*(\[(?i:error|failed|failure|timeout|exception)\s*(([:\d-]|(?i:to|in|from|while|during|after)\b)[^\]]{0,40})?\]"
    r"|ERROR\s*:"
    r"|(?i:error( code)?\s*:\s*[45]\d\d\b|((http|api|server|request)\s+)?error\s+[45]\d\d\s*:)"
    r"|([\w.]*\.)?(RateLimit|API\w*|ServiceUnavailable|BadRequest|InternalServer|PermissionDenied)Error\s*:"
    r"|No response \(bad request\)\.\s*$)"
)
_FAILED_CALL = re.compile(FAILED_CALL)

MUCH = 0.1  # as a share of the questions: abstentions that the run did not decide


class NotDeclined(Struct, frozen=True):
    """Counts of a run's answers that are lost to measures although the run did not decline to answer.

    `lost` is the number of answers that count as abstentions or are left out, and `why` the most frequent reason for
    this. `of` is the number of all answers of the run.
    """

    lost: int
    of: int
    why: str
    left_out: bool = False

    def words(self, run: str) -> str:
        """Return a sentence about the lost answers, in which `run` is the displayed name of the run."""
        answers = plural(self.of, "answer")
        how = "counts as an abstention" if self.lost == 1 else "count as abstentions"
        how += ", though the run did not decline"
        if self.left_out:
            how = "is left out" if self.lost == 1 else "are left out"
        return f"{self.lost:,} of {run}'s {answers} {how} ({self.why})"


def failed_call(said: Any) -> str | None:
    """Return ERRORED if `said`, a text or a list of texts, stands for the answers of calls that failed; else None."""
    texts = said if isinstance(said, (list, tuple)) else [said]
    return ERRORED if texts and all(isinstance(text, str) and _FAILED_CALL.match(text) for text in texts) else None


def not_declined(
    run: str, silence: Iterable[Iterable[NonAnswers]], *, ungraded_left_out: bool = False
) -> NotDeclined | None:
    """Return the counts of a run's lost answers, or None if under a tenth of its answers are lost.

    Answers are lost if they count as abstentions because they were unparsed, failed, or are not in the files. With
    `ungraded_left_out`, ungraded answers are lost too. `silence` has the non-answers of each benchmark.
    """
    by_benchmark = [[row for row in rows if row.run == run] for rows in silence]
    lost: Counter[str] = Counter()
    left_out = 0
    for row in (row for rows in by_benchmark for row in rows):
        without_grade = ungraded_left_out and row.taken_for == "not graded" and row.why not in (REFUSED, SAID_SO)
        why = row.why.removesuffix(BY_OUTCOME)
        if without_grade or (row.taken_for == "silence" and why in (NO_FORM, ERRORED, UNSEEN)):
            lost[why] += row.n
            left_out += row.n if without_grade else 0
    of = _asked(by_benchmark)
    if not lost or lost.total() < MUCH * of:
        return None
    return NotDeclined(lost.total(), of, lost.most_common(1)[0][0], left_out=left_out == lost.total())


def left_out_in_words(remark: Note) -> str:
    """Return a sentence about the ungraded answers that `remark` counts as left out."""
    return NotDeclined(remark["count"], remark["total"], "not graded", left_out=True).words(remark.subject)


class NoAnswer(Struct, frozen=True):
    """The way in which empty outputs and unparsed outputs count.

    If it is None, they count as incorrect, except those that the file itself calls abstentions.
    """

    empty: CountsAs | None = None
    unparsed: CountsAs | None = None


def kind_of(why: str) -> Kind:
    """Return the kind of a reason why there is no answer: declined, empty, unparsed or failed."""
    return _KINDS.get(without_marks(why), "declined")


def without_marks(why: str) -> str:
    """Return the reason `why` without the marks that say how its answer was graded."""
    return why.removesuffix(GRADED_RIGHT).removesuffix(BY_OUTCOME)


def output_lacks(why: str | None) -> str | None:
    """Return the part of a reason that says what an output lacked, whatever its outcome; None for a decision."""
    bare = without_marks(why or "")
    return bare if bare in OUTPUT_LACKS else None


def said_to_abstain(why: str | None) -> str | None:
    """Return the reason `why` with a mark that the file itself calls the answer an abstention.

    Without the mark, a reason such as "empty" would make the answer incorrect. An option of the user decides all the
    same.
    """
    return f"{why}{BY_OUTCOME}" if why in _KINDS else why


def abstention(mark: str | None, nothing: str | None, said: Any = None, gold: Any = None) -> str | None:
    """Return the reason `mark` for which a tool calls an answer an abstention, or "empty" if its output is empty.

    The answer stays an abstention in both cases. `nothing` says what the output lacks. An empty output is no decision,
    so gates must see it, whatever the tool calls it. Nor is one if all that it `said` stands for nothing, unless this
    is a `gold` answer.
    """
    if mark is None or output_lacks(mark) is not None:
        return mark
    return said_to_abstain(EMPTY) if nothing == EMPTY or all_nothing(said, gold) else mark


def _changed(old: Counter[Kind], new: Counter[Kind]) -> str:
    """Return the kinds of non-answers whose counts differ between two runs, such as "empty 2 → 40, declined 9 → 3".

    The result is "" if only the count of declined answers differs, because measures of abstention count these anyway.
    """
    if old == new:
        return ""
    moved = [kind for kind in get_args(Kind) if old[kind] != new[kind]]
    if not {*moved} - {"declined"}:
        return ""
    return ", ".join(f"{kind} {old[kind]:,} → {new[kind]:,}" for kind in moved)


def _kinds_of_runs(silence: Sequence[Sequence[NonAnswers]]) -> defaultdict[str, Counter[Kind]]:
    """Return the number of non-answers of each kind (declined, empty, unparsed, failed), keyed by run.

    Answers that are missing from a run, or that only lack a grade, are not counted.
    """
    counts: defaultdict[str, Counter[Kind]] = defaultdict(Counter)
    for rows in silence:
        for row in rows:
            if row.taken_for != "missing" and row.why != "not graded":
                counts[row.run][kind_of(row.why)] += row.n
    return counts


def notes_on_pairs(
    pairs: Sequence[tuple[str, str]], silence: Sequence[Sequence[NonAnswers]], *, ungraded_left_out: bool = False
) -> Iterator[Note]:
    """Yield a note on each pair (run, baseline) in which the counts of empty, unparsed or failed outputs differ.

    Further notes name runs that cannot be decided on, because many such outputs count as abstentions, or because a tool
    graded many empty ones as right or as abstentions (their texts are lost, or nothing was graded).
    """
    counts = _kinds_of_runs(silence)
    for run, baseline in dict.fromkeys(pairs if counts else ()):
        if change := _changed(counts[baseline], counts[run]):
            yield note(
                REASONS_CHANGED, "run {subject!r} against {baseline!r}: {change}", run, baseline=baseline, change=change
            )
        (graded, empty), (_, before) = (_empty_outputs(name, silence) for name in (run, baseline))
        if sum(graded.values()) >= MUCH and empty - before >= MUCH:
            grade = max(graded, key=lambda grade: graded[grade])
            what = f"many of {run}'s outputs are empty and graded as {grade}, unlike those of {baseline}"
            way_out = f"; {opt('empty', 'unanswered')} says that they are abstentions" if grade == "abstentions" else ""
            yield _no_decision(run, f"{what}{way_out}")
    yield from notes_on_silence([run for run, _ in pairs], silence, ungraded_left_out=ungraded_left_out)


def _no_decision(run: str, what: str) -> Note:
    return note(NOT_DECLINED, "no decision on run {subject!r}: {what}", run, what=what)


def _empty_outputs(run: str, silence: Sequence[Sequence[NonAnswers]]) -> tuple[dict[str, float], float]:
    """Return the shares of a run's answers that are empty but graded as right or as abstentions, keyed by this grade,
    and the share of all empty ones."""
    rows = [[row for row in part if row.run == run] for part in silence]
    of = _asked(rows) or 1
    empty = [row for part in rows for row in part if row.taken_for != "missing" and kind_of(row.why) == "empty"]
    graded = {
        grade: sum(row.n for row in empty if row.taken_for == counts_as and row.why.endswith(mark)) / of
        for grade, counts_as, mark in (("right", "correct", GRADED_RIGHT), ("abstentions", "silence", BY_OUTCOME))
    }
    return graded, sum(row.n for row in empty) / of


def _asked(silence: Iterable[Iterable[NonAnswers]]) -> int:
    """Return how many questions a run was asked in the benchmarks of these non-answers, except missing ones."""
    return sum(max((row.of for row in rows if row.taken_for != "missing"), default=0) for rows in silence)


def notes_on_silence(
    runs: Iterable[str], silence: Sequence[Sequence[NonAnswers]], *, ungraded_left_out: bool = False
) -> Iterator[Note]:
    """Yield a note on each of `runs` that lost so many answers without declining that no gate can decide on the run."""
    of_runs: defaultdict[str, list[list[NonAnswers]]] = defaultdict(list)  # the rows of each benchmark
    for rows in silence:
        of_benchmark: defaultdict[str, list[NonAnswers]] = defaultdict(list)
        for row in rows:
            of_benchmark[row.run].append(row)
        for run, its_rows in of_benchmark.items():
            of_runs[run].append(its_rows)
    for run in dict.fromkeys(runs):
        if lost := not_declined(run, of_runs[run], ungraded_left_out=ungraded_left_out):
            yield _no_decision(run, lost.words(run))


def settle(outcomes: Outcomes, policy: NoAnswer) -> tuple[Outcomes, tuple[Note, ...]]:
    """Return outcomes in which only answers that decline are abstentions, and notes on the other non-answers.

    An answer that looks empty or unparsed, but that its tool graded as right, is correct. On a question without an
    answer it is correct as well, and not an abstention, because a broken output is not a decision to abstain. What the
    file calls an abstention stays one, unless the policy says what such outputs count as.
    """
    if outcomes.why is None:
        return outcomes, ()
    silent = outcomes.state == SILENT
    state, reasons = outcomes.state.copy(), outcomes.why.copy()
    notes: list[Note] = []
    rules: Mapping[Kind, CountsAs | None] = {"empty": policy.empty, "unparsed": policy.unparsed, "failed": None}
    default: Mapping[Kind, CountsAs] = {"empty": "incorrect", "unparsed": "incorrect", "failed": "ungraded"}
    for r, run in enumerate(outcomes.runs):
        wrong: Counter[Kind] = Counter()
        for q in np.flatnonzero(silent[r]).tolist():
            why = outcomes.why[r, q] or ""
            kind = kind_of(why)
            now = rules.get(kind)
            if why.endswith(BY_OUTCOME):
                if now is None:
                    continue
                reasons[r, q] = why = why.removesuffix(BY_OUTCOME)
            now = now or default.get(kind, "unanswered")
            if now == "incorrect" and why.endswith(GRADED_RIGHT):
                state[r, q] = CORRECT
            else:
                state[r, q] = _STATES[now]
                wrong[kind] += now == "incorrect"
        notes += _notes(run, wrong)
    return replace(outcomes, state=state, why=reasons), tuple(notes)


def _notes(run: str, wrong: Mapping[Kind, int]) -> Iterator[Note]:
    """Yield a note for each kind of output (empty, unparsed) that counts as incorrect, with the number of a run's
    outputs."""
    if wrong["empty"]:
        yield note(
            EMPTY_OUTPUT,
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
