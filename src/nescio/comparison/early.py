"""Compare two runs while their questions still arrive, with an interval that allows any number of looks."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec.structs import replace

from nescio.comparison import _early_state
from nescio.comparison._early_state import LETTERS, State
from nescio.comparison._looks import (
    FEWEST_DISCORDANT,
    FIRST_LOOK,
    Sequence,
    SequenceMethod,
    choose,
    follow,
    still_needed,
    verdict,
)
from nescio.comparison.doubts import doubt_on
from nescio.comparison.hidden_losses import wins_by_silence, worse_answers
from nescio.comparison.margins import check_margins
from nescio.comparison.pair_test import paired_evidence
from nescio.comparison.two_runs import take_two
from nescio.data.columns import OUTCOMES
from nescio.data.dropped import FEWER_HELD
from nescio.data.evidence import UNGRADED, with_questions
from nescio.data.notes import Note, note
from nescio.data.policy_notes import MISSING_SILENT, UNGRADED_LEFT_OUT, UNGRADED_WRONG, missing_note, ungraded_note
from nescio.data.reasons import NOT_DECLINED, notes_on_pairs
from nescio.data.results import Results
from nescio.data.shown import Row, Shown
from nescio.data.signature import Signature, sign
from nescio.errors import MismatchError, UsageError, opt
from nescio.measures import Measure, parse
from nescio.pipeline import Loaded, check_baseline
from nescio.scoring.grounds import no_ground
from nescio.scoring.samples import columns_for
from nescio.scoring.score import open_data
from nescio.sources.locks import one_at_a_time
from nescio.stats.streams import Stream
from nescio.text import plural

WORSE = ("stop: worse", "stop: lower")
DISAGREE = "cannot tell, as the looks contradict each other"
_CHANGES = ("runs", "questions", "data", "format", "columns")  # settings that may differ from block to block


class Look(Row, frozen=True):
    """Two runs compared after a block of questions: the difference (run minus baseline) on the first `n` questions.

    The outcomes of the runs differ on `discordant` of these. `low` and `high` bound the difference at every look at
    once: they are the intersection of the intervals at all looks so far. They are NaN if there was no look yet, or if
    that intersection excludes the difference. `more` is about how many more questions a decision takes. It is None if
    the verdict is to stop, or if the data cannot tell.
    """

    run: str
    baseline: str
    measure: str
    block: Annotated[int, Shown()]
    n: Annotated[int, Shown("questions")]
    discordant: Annotated[int, Shown()]
    difference: Annotated[float, Shown(form="signed", interval=("low", "high"))]
    low: float
    high: float
    verdict: Annotated[str, Shown()]
    more: int | None = None

    @property
    def stops(self) -> bool:
        """Return whether the verdict is to stop."""
        return self.verdict.startswith("stop")

    @classmethod
    def below(cls, rows: tuple[Look, ...]) -> Iterable[str]:
        """Return the latest look as a sentence."""
        last = rows[-1]
        about = f"{last.measure}, {last.run} against {last.baseline}"
        return [f"{about}, after {plural(last.n, 'question')}: {last.verdict}"]


def compare_early(
    source: Any,
    measure: str | Measure,
    *,
    baseline: str | None,
    run: str | None,
    margin: float | None,
    state: str | os.PathLike[str] | None,
    sequence: SequenceMethod,
    planned: int,
    ci: float,
    seed: int,
    **options: Any,
) -> Results[Look]:
    r"""Compare two runs whose questions arrive in blocks, and say whether to stop.

        nescio.look("outcomes.csv", "accuracy", baseline="old", run="mine").rows[-1].verdict

    The interval of the difference is a confidence sequence: it covers the true difference at all looks at once with
    probability `ci`. You may therefore look after every block, and stop at any time. `sequence` chooses one of two:

    - `guaranteed` (what `auto` takes for accuracy, UF, penalty and other means over questions): predictable plug-in
      empirical Bernstein, at any number of questions;
    - `asymptotic` (what `auto` takes for all other measures of correct, incorrect and unanswered, such as c@1):
      $\hat\theta_t \pm \hat\sigma_t\sqrt{2(t\rho^2+1)/(t\rho)^2\,\ln(\sqrt{t\rho^2+1}/\alpha)}$, narrowest for about
      `planned` questions; it starts at 50 questions, 10 of them with different outcomes of the two runs.

    Each row is a block: the blocks that the file `state` holds, and the new questions of `source`. The verdict is
    "stop: no difference larger than d" where the interval lies within `margin` (without a margin, never), "stop:
    better" or "stop: worse" where it excludes 0 ("higher", "lower" of a descriptive measure), else "go on, about n more
    questions". It is "cannot tell" if the looks contradict each other, or if questions that counted have another
    outcome now. `state` keeps only looks that can support a decision. It also keeps which answers had no grade
    or were missing, and later looks allow for them.

    The runs are compared on the questions that both have. The questions of a block count in a random order, from
    `seed`; questions of earlier blocks are left out and counted. Raises MismatchError if the state was made with
    another measure, level, run, judge, sequence or seed. Raises UsageError for a measure that cannot be followed.
    """
    chosen = parse(measure)
    check_margins([chosen], margin, named=True)
    how = Sequence(choose(chosen, sequence), 1 - ci / 100, planned)
    loaded = _two(open_data(source, {"strata": (), **options}, [chosen]), baseline, run)
    choose(chosen.on(loaded.data.columns), sequence)  # the measure may read more than the three outcomes
    names = (loaded.data.runs[1], loaded.data.runs[0])
    fixed = _fixed(loaded, chosen, how, names, seed)
    path = None if state is None else Path(state)
    with nullcontext() if path is None else one_at_a_time(path):
        before = State(fixed) if path is None else _early_state.read(path, fixed)
        after, notes = _with_new(before, loaded, chosen, seed)
        if not after.questions:
            raise MismatchError(f"{names[0]!r} and {names[1]!r} share no question with the data for {chosen.label}")
        rows, more_notes = _looks(after, chosen, how, names, margin)
        if after.changed:
            rows[-1] = replace(rows[-1], verdict=_changed_verdict(len(after.changed)), more=None)
        left_out = loaded.options.ungraded == "exclude"
        silent = [
            remark
            for remark in notes_on_pairs([names], [loaded.silence], ungraded_left_out=left_out)
            if remark.code == NOT_DECLINED
        ]
        read = [remark for remark in loaded.notes if not _of_this_block(remark, names[0])]
        of_state = (*_left_out(after, names), *_missing(after, names[0]), *_worse_answers(after, names, chosen))
        every = (*read, *of_state, *silent, *notes, *more_notes)
        looks = Results(tuple(rows), _signature(loaded, chosen, how, after, margin=margin, seed=seed), every, "looks")
        if path is not None and any(
            remark.code == UNGRADED_WRONG and remark.subject == names[1] for remark in looks.notes
        ):
            raise UsageError(
                f"{names[1]!r} has answers without a grade, which may be right, but a later look would take them for "
                f"wrong; use {opt('ungraded', 'exclude')}"
            )
        last = _on_grounds(looks, margin or 0.0)
        looks = looks.with_rows([*rows[:-1], last])
        after = after.doubted(last.verdict if last.verdict.startswith("cannot tell") else "")
        if path is None or after == before:
            return looks
        if _can_be_kept(looks, loaded):
            _early_state.write(path, after)
            return looks
    return replace(looks, notes=(*looks.notes, _not_kept(path)))


def _signature(
    loaded: Loaded, measure: Measure, how: Sequence, state: State, *, margin: float | None, seed: int
) -> Signature:
    digest = hashlib.blake2b("\0".join([*state.questions, state.run, state.baseline]).encode(), digest_size=6)
    return sign(
        measures=measure.name,
        **loaded.signature,
        ci=f"{100 * (1 - how.alpha):g}",
        sequence=how.method,
        **({"planned": how.planned} if how.method == "asymptotic" else {}),
        **({} if margin is None else {"margin": f"{margin:g}"}),
        looked=f"{len(state.questions)} questions in {len(state.blocks)} blocks",
        state=digest.hexdigest(),
        seed=seed,
    )


def _left_out(state: State, names: tuple[str, str]) -> list[Note]:
    """Return a note for each run that counts its answers without a grade, which the looks so far left out."""
    sides = (state.left_out_of_run, state.left_out_of_baseline)
    asked = len({*state.questions, *sides[0], *sides[1]})
    counts = [(name, len(questions)) for name, questions in zip(names, sides, strict=True) if questions]
    return [ungraded_note("exclude", name, count, asked, count / asked) for name, count in counts]


def _of_this_block(remark: Note, run: str) -> bool:
    """Return whether a note of the latest block can be left out, because another note counts the same over all blocks.

    This holds for notes on answers without a grade, and on missing answers of the run.
    """
    return remark.code == UNGRADED_LEFT_OUT or (remark.code == MISSING_SILENT and remark.subject == run)


def _missing(state: State, run: str) -> list[Note]:
    """Return a note with the number of questions that the run lacked in any block, and that count as unanswered."""
    missing = len(state.missing_of_run)
    return [missing_note(run, missing, len(state.questions))] if missing else []


def _worse_answers(state: State, names: tuple[str, str], measure: Measure) -> Iterator[Note]:
    """Yield a note if the run has fewer right answers than its baseline over all blocks, as `worse_answers` says."""
    asked = len(state.questions)
    now, before = ([text.count(letter) / asked for letter in LETTERS[:2]] for text in (state.run, state.baseline))
    return worse_answers(*names, before, now, asked, by_silence=wins_by_silence(measure.label))


def _lacked(loaded: Loaded) -> set[str]:
    """Return the questions that the run lacks in the files just read."""
    unshared, run = loaded.unshared, loaded.data.runs[1]
    if unshared is None or run not in unshared.runs:
        return set()
    return {unshared.questions[at] for at in np.flatnonzero(unshared.lacking[unshared.runs.index(run)])}


def _can_be_kept(looks: Results[Look], loaded: Loaded) -> bool:
    """Return whether the last look can support a decision, and may therefore be kept in the state file."""
    row = looks.rows[-1]
    silent = notes_on_pairs([(row.run, row.baseline)], [loaded.silence])
    if any(remark.code == NOT_DECLINED for remark in silent):  # the state does not count empty or failed outputs
        return False
    if any(remark.code == FEWER_HELD and remark["rest"] for remark in looks.notes):  # nor answers in no row
        return False
    return no_ground(looks, row.measure, row.run, row.baseline) is None


def _not_kept(path: Path) -> Note:
    return note(
        "sequential.not_kept",
        "this look was not saved in {path}, because its data allow no decision; correct the files of this block "
        "and look again",
        path=str(path),
    )


def _on_grounds(looks: Results[Look], margin: float) -> Look:
    """Return the last look, with the verdict "cannot tell" if its data cannot support a decision (`comparison.doubts`).

    The verdict is also "cannot tell" if answers that were left out could turn a decision for the run, and if the
    measure hides a loss of right answers (`hidden_losses.hidden_loss`).
    """
    row = looks.rows[-1]
    doubt, lower = doubt_on(looks.with_rows([row]), row), parse(row.measure).declaration.lower_is_better
    worst = (-row.high if lower else row.low) - doubt.left_out.shift
    because = doubt.left_out.words if not worst >= -margin else ""
    because = doubt.ground or because or doubt.hidden
    if doubt.ground or (because and row.stops and row.verdict not in WORSE):
        return replace(row, verdict=f"cannot tell, as {because}", more=None)
    return row


def _two(loaded: Loaded, baseline: str | None, run: str | None) -> Loaded:
    """Return the data of the two runs to compare, the baseline first.

    Raises UsageError or MismatchError if the runs cannot be compared in looks.
    """
    check_baseline(baseline, loaded.data.runs, alone="nescio compare --looks")
    runs = paired_evidence(loaded).runs
    if len(runs) > 2 and (baseline is None or run is None):
        raise UsageError(
            f"a look compares two runs, but there are {len(runs)}; choose two with {opt('baseline', of='OLD')} "
            f"{opt('run', of='NEW')}"
        )
    data = with_questions(loaded.data, "follow as they arrive")
    if data.origins:
        raise UsageError(
            f"{opt('ungraded', 'bounds')} gives two results per run, but looks need one; use another value"
        )
    if data.repeats is not None or data.clusters is not None:
        what = "answers to the same question" if data.repeats is not None else "questions in clusters"
        raise UsageError(f"looks cannot handle {what}; compare the runs once, when all questions have arrived")
    return take_two(loaded, baseline, run)


def _fixed(loaded: Loaded, measure: Measure, how: Sequence, names: tuple[str, str], seed: int) -> dict[str, Any]:
    """Return the settings that must not change from block to block."""
    policies = {name: value for name, value in loaded.signature.items() if name not in _CHANGES}
    settings = {"run": names[0], "baseline": names[1], "measure": measure.name, "ci": round(100 * (1 - how.alpha), 6)}
    planned = {"planned": how.planned} if how.method == "asymptotic" else {}
    return {**settings, "sequence": how.method, **planned, "seed": seed, **policies}


def _changed_verdict(changed: int) -> str:
    return f"cannot tell, as the outcome of {plural(changed, 'question')} changed after an earlier look"


def _with_new(before: State, loaded: Loaded, measure: Measure, seed: int) -> tuple[State, list[Note]]:
    """Return the state with the new questions of the data, in a random order, and notes on the questions left out.

    The state also names questions without a grade, and earlier questions whose outcomes differ now.
    """
    data = with_questions(loaded.data, "follow as they arrive")
    usable = np.asarray(columns_for(data, measure)[2].all(axis=0))
    codes = np.argmax([np.asarray(data.column(name)) for name in OUTCOMES], axis=0).astype(np.int8)
    letters = {data.questions[i]: LETTERS[codes[1, i]] + LETTERS[codes[0, i]] for i in np.flatnonzero(usable)}
    earlier = before.ended()
    again = [question for question in letters if question in earlier]
    new = sorted(letters.keys() - earlier.keys())
    notes = [] if usable.all() else [_unshared(int((~usable).sum()), len(usable))]
    differ = {question for question in again if letters[question] != earlier[question]}
    if again:
        notes.append(_seen_before(len(again), len(letters), len(differ)))
    ungraded = [{data.questions[i] for i in np.flatnonzero(data.absence[side] == UNGRADED)} for side in (1, 0)]
    changed = ({*before.changed} - {*again}) | differ | ({*ungraded[0], *ungraded[1]} & earlier.keys())
    missing = _lacked(loaded) & {*letters} - earlier.keys()
    if not new:
        return before.aside(ungraded, missing, changed), notes
    key = (int(Stream.ARRIVAL), len(before.blocks))
    order = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key)).permutation(len(new))
    arrived = tuple(new[i] for i in order)
    notes.append(
        note(
            "sequential.order",
            "the {questions:,} new {questions:question/questions} of this block count in a random order (seed {seed})",
            questions=len(new),
            seed=seed,
        )
    )
    run, baseline = ("".join(letters[question][side] for question in arrived) for side in (0, 1))
    signature = sign(**loaded.signature)
    return before.add(arrived, run, baseline, str(signature)).aside(ungraded, missing, changed), notes


def _unshared(left_out: int, total: int) -> Note:
    return note(
        "sequential.unshared",
        "{left_out:,} of {total:n question} left out, because a run has no outcome",
        left_out=left_out,
        total=total,
    )


def _seen_before(again: int, total: int, changed: int) -> Note:
    if changed:
        return note(
            "sequential.changed",
            "{again:,} of {total:n question} were in an earlier look and are left out; {changed:,} of these now "
            "{changed:has/have} a different outcome, and the first outcome counts",
            again=again,
            total=total,
            changed=changed,
        )
    return note(
        "sequential.seen",
        "{again:,} of {total:n question} were in an earlier look and are left out",
        again=again,
        total=total,
    )


def _looks(
    state: State, measure: Measure, how: Sequence, names: tuple[str, str], margin: float | None
) -> tuple[list[Look], list[Note]]:
    run, baseline = state.codes
    path = follow(measure, run, baseline, how)
    rows: list[Look] = []
    at = 0
    for number, block in enumerate(state.blocks, 1):
        at += block.questions
        low, high = float(path.running_low[at - 1]), float(path.running_high[at - 1])
        no_look, disagrees = math.isinf(low), path.disagrees(at - 1)
        words = DISAGREE if disagrees else verdict(measure, low, high, margin, None)
        more = None
        if not disagrees and not words.startswith("stop"):
            more = still_needed(measure, (run[:at], baseline[:at]), how, margin)
            words = verdict(measure, low, high, margin, more)
        if block.doubt and number < len(state.blocks):
            words, more = block.doubt, None
        rows.append(
            Look(
                *names,
                measure.label,
                number,
                at,
                int(path.discordant[at - 1]),
                float(path.difference[at - 1]),
                math.nan if no_look or disagrees else low,
                math.nan if no_look or disagrees else high,
                words,
                more,
            )
        )
    notes = []
    if math.isinf(path.running_low[-1]):
        notes.append(
            note(
                "sequential.too_early",
                "no interval yet: the asymptotic interval needs {questions} questions. The runs must differ on "
                "{discordant} of these, and not always in favour of the same run. Differences that move {measure} "
                "little count less",
                measure=measure.label,
                questions=FIRST_LOOK,
                discordant=FEWEST_DISCORDANT,
            )
        )
    if path.disagrees(at - 1):
        notes.append(
            note(
                "sequential.order_matters",
                "the looks contradict each other: the questions do not seem to arrive in a random order, so there is "
                "no interval",
            )
        )
    return rows, notes
