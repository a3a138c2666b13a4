"""Compute baselines of answer validation, by formula and as runs, and rank validators among QA systems.

The baselines are perfect selection and the paper's two systems that ignore the answers (accept all, or one half).
UNKNOWN answers are removed first, as for the measures. Source: Peñas, Rodrigo & Verdejo 2007, sec. 4 and Tables 4-11.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from msgspec import Struct

from nescio.data.columns import Array
from nescio.data.evidence import NO_ROW, PRESENT, Evidence
from nescio.data.model import Question
from nescio.data.notes import Note, note
from nescio.errors import MismatchError
from nescio.stats.resampling import Block
from nescio.stats.streams import Stream
from nescio.tasks.ave.evidence import SELECTED_UNKNOWN, evidence
from nescio.tasks.ave.exercise import Candidate, Decision, Exercise, Pair, Validation, groups

ALL, HALF, RANDOM, PERFECT = "100% VALIDATED", "50% VALIDATED", "Random", "Perfect selection"
QA, AV, BASELINE = "QA", "AV", "baseline"


class Expected(Struct, frozen=True):
    """The figures of a baseline, computed by a formula instead of drawn at random; NaN means undefined.

    `F` is the F of the expected precision and recall; the expected value of F differs from it.
    """

    run: str
    F: float
    precision: float
    recall: float
    qa_accuracy: float
    normalized_qa_accuracy: float


class Place(Struct, frozen=True):
    """A line of a ranking, as in the paper's Tables 8-11; systems with equal QA accuracy share a `place`.

    `type` is QA (question answering), AV (answer validation) or baseline. `right` is the number of questions answered
    rightly, or None for random selection.
    """

    place: int
    system: str
    type: str
    qa_accuracy: float
    share_of_perfect: float
    right: int | None


def expected(exercise: Exercise) -> list[Expected]:
    r"""Return the expected figures of the three baselines, computed by formula.

    p is the share of the judged answers that are right. On a question, c of k judged answers are right.

    100% VALIDATED has precision p, recall 1 and $F = 2p/(1+p)$. Selecting at random among the judged answers, it has
    the QA accuracy $\frac{1}{|Q|}\sum_q c/k$ (eq. 6). 50% VALIDATED accepts each answer with probability ½. It has
    precision p, recall ½ and $F = p/(p+½)$. Selecting at random among the accepted ones, it has $\frac{1}{|Q|}\sum_q
    (1-2^{-k})\,c/k$ (our derivation; the paper states none). Perfect selection has the share of the questions with a
    right answer.
    """
    grouped = [known for _, _, known in groups(exercise)]
    n = len(grouped)
    right = [sum(candidate.right for candidate in known) for known in grouped]
    answers, solvable = sum(map(len, grouped)), sum(c > 0 for c in right)
    p = sum(right) / answers if answers else float("nan")
    p_right = p if sum(right) else float("nan")  # Without right answers, recall and F are undefined.
    at_random = sum(c / len(known) for c, known in zip(right, grouped, strict=True) if known)
    of_half = sum((1 - 0.5 ** len(known)) * c / len(known) for c, known in zip(right, grouped, strict=True) if known)
    best = 1.0 if sum(right) else float("nan")

    def row(run: str, f: float, precision: float, recall: float, selected: float) -> Expected:
        normalized = selected / solvable if solvable else float("nan")
        return Expected(run, f, precision, recall, selected / n if n else float("nan"), normalized)

    return [
        row(ALL, 2 * p_right / (1 + p_right), p, best, at_random),
        row(HALF, p_right / (p_right + 0.5), p, best / 2, of_half),
        row(PERFECT, best, best, best, float(solvable)),
    ]


def accept_all(exercise: Exercise, seed: int = 0) -> list[Validation]:
    """Return decisions that accept every answer and select one of each question's judged answers at random."""
    return _accept(exercise, seed, share=1.0)


def accept_half(exercise: Exercise, seed: int = 0) -> list[Validation]:
    """Return decisions that accept each answer with probability ½, and select one of the accepted at random."""
    return _accept(exercise, seed, share=0.5)


def _accept(exercise: Exercise, seed: int, share: float) -> list[Validation]:
    rng = Block(0, 1, seed).generator(Stream.RANDOM_SELECTION)
    validations: list[Validation] = []
    for _, answers, known in groups(exercise):
        tossed = rng.random(len(answers)) < share
        accepted = {candidate.id for candidate, heads in zip(answers, tossed, strict=True) if heads}
        # Random selection is among the judged answers. An UNKNOWN answer is selected only if no other is accepted.
        drawn = [candidate.id for candidate in known if candidate.id in accepted] or sorted(accepted)
        selected = drawn[int(rng.integers(len(drawn)))] if drawn else None
        validations += _decided(answers, accepted, selected)
    return validations


def _decided(answers: Sequence[Candidate], accepted: Collection[str], selected: str | None) -> Iterator[Validation]:
    for answer in answers:
        decision = Decision.of(accepted=answer.id in accepted, selected=answer.id == selected)
        yield Validation(answer.question_id, answer.id, decision)


def perfect(exercise: Exercise) -> list[Validation]:
    """Return decisions that accept only the right answers, and select the first one of each question."""
    validations: list[Validation] = []
    for _, answers, _ in groups(exercise):
        right = [candidate.id for candidate in answers if candidate.right]
        validations += _decided(answers, right, right[0] if right else None)
    return validations


def with_systems(data: Evidence, systems: Evidence) -> tuple[Evidence, tuple[Note, ...]]:
    """Return the Evidence of the validators in `data`, with the QA systems added as further runs, and notes.

    The column ave.selected_right is 1 for a QA system on each question that it answered correctly, and 0 on all others.
    Answer rows have no values for QA systems. Raises MismatchError if a validator and a QA system have the same name,
    if they share no question, or if a system has repeats.
    """
    if systems.repeats is not None:
        raise MismatchError(
            "a QA system answered a question several times, but a validator selects only once; give the answers "
            "of one repeat"
        )
    if both := sorted({*data.runs} & {*systems.runs}):
        raise MismatchError(f"{both[0]!r} is the name of a validator and of a QA system; rename one of them")
    place = {question: i for i, question in enumerate(systems.questions)}
    answer_rows = np.zeros(len(data.questions), bool) if data.answer_rows is None else data.answer_rows
    identities = [name for name, of_answer in zip(data.questions, answer_rows, strict=True) if not of_answer]
    common = [i for i, question in enumerate(identities) if question in place]
    if not common:
        raise MismatchError("the QA systems answer no question of the collection")
    at = [place[identities[i]] for i in common]
    right = np.zeros((len(systems.runs), len(identities)))
    right[:, common] = _answered_right(systems)[:, at]
    notes = tuple(_of_their_answers(systems, right, at, data))
    columns = {}
    for name, values in data.columns.items():
        system_values = np.full((len(systems.runs), values.shape[1]), np.nan)
        if name == "ave.selected_right":
            system_values[:, : len(identities)] = right
        elif name in ("ave.solvable", "ave.random"):
            system_values[:, : len(identities)] = values[0, : len(identities)]
        columns[name] = np.concatenate([values, system_values])
    absence = np.full((len(systems.runs), data.absence.shape[1]), NO_ROW, dtype=np.uint8)
    absence[:, : len(identities)] = PRESENT
    merged = Evidence(
        (*data.runs, *systems.runs),
        data.questions,
        columns,
        np.concatenate([data.absence, absence]),
        data.strata,
        data.clusters,
        data.answer_rows,
    )
    return merged, notes


def _answered_right(systems: Evidence) -> Array:
    """Return the mask of the questions that each QA system answered rightly, shape (systems, questions).

    A correct abstention does not count as a right answer.
    """
    right: Array = (systems.column("correct") == 1) & systems.present
    return right & (systems.columns["answered"] == 1) if "answered" in systems.columns else right


def _of_their_answers(systems: Evidence, right: Array, at: Sequence[int], data: Evidence) -> Iterator[Note]:
    """Yield notes on the QA systems: questions not asked, ungraded answers, correct abstentions, and right answers
    where the collection has none.

    `right` is the mask of rightly answered questions, shape (systems, questions). `at` has the indices, in `systems`,
    of the questions that the collection has too.
    """
    questions = right.shape[1]
    if lacking := questions - len(at):
        yield note(
            "ave.not_asked",
            "the QA systems were not asked {questions} of {total:n question}; unasked questions count as not correct",
            questions=lacking,
            total=questions,
        )
    if ungraded := int((~systems.present[:, at]).sum()):
        yield note(
            "ave.ungraded",
            "{answers:n answer} of QA systems {answers:has/have} no grade, and {answers:counts/count} as not correct",
            answers=ungraded,
        )
    silent = (systems.column("correct") == 1)[:, at] & systems.present[:, at] & ~_answered_right(systems)[:, at]
    if silent.any():
        yield note(
            "ave.rightly_silent",
            "QA systems rightly abstained on {times:n unanswerable question}; AVE does not count {times:it/them} as "
            "right",
            times=int(silent.sum()),
        )
    beyond = (right > 0) & (data.columns["ave.solvable"][0, :questions] == 0)
    if some := [(run, int(row.sum())) for run, row in zip(systems.runs, beyond, strict=True) if row.any()]:
        yield note(
            "ave.beyond_perfect",
            "QA systems rightly answer questions for which the collection has no right answer "
            "({runs:each run %r: %d}): their share of perfect selection (ave.normalized_qa_accuracy) can exceed 1",
            runs=some,
        )


def ranking(exercise: Exercise, data: Evidence, systems: Sequence[str] = ()) -> list[Place]:
    """Return the validators and QA systems in `data` and two baselines, ranked by QA accuracy.

    The baselines are perfect selection and random selection. `systems` has the names of the runs that are QA systems.
    `share_of_perfect` is the paper's "% of perfect selection" divided by 100, NaN if no question has a right answer.
    """
    by_name = {row.run: row for row in expected(exercise)}
    n = len(exercise.questions)
    best, at_random = by_name[PERFECT].qa_accuracy * n, by_name[ALL].qa_accuracy * n
    entries = [(PERFECT, BASELINE, best), (RANDOM, BASELINE, at_random)]
    for run, selected in zip(data.runs, data.columns["ave.selected_right"], strict=True):
        entries.append((run, QA if run in systems else AV, float(selected[:n].sum())))
    places = []
    for run, kind, right in sorted(entries, key=lambda entry: -round(entry[2], 9)):
        place = 1 + sum(round(other, 9) > round(right, 9) for _, _, other in entries)
        share = right / best if best else float("nan")
        whole = None if (run, kind) == (RANDOM, BASELINE) else round(right)
        places.append(Place(place, run, kind, right / n, share, whole))
    return places


def of_pairs(pairs: Sequence[Pair]) -> Exercise:
    """Return AVE 2006's pairs as a collection, with the hypothesis of each pair as a candidate answer."""
    question_of = {pair.id: pair.question_id if pair.question_id is not None else pair.id for pair in pairs}
    questions = tuple(Question(name, "") for name in dict.fromkeys(question_of.values()))
    return Exercise(
        "pairs",
        questions,
        tuple(Candidate(question_of[p.id], p.id, p.hypothesis, p.text, value=p.value) for p in pairs),
    )


def to_validate(pairs: Sequence[Pair]) -> Exercise:
    """Return AVE 2006's pairs as a collection for validators, with the hypothesis as a question about the text.

    The answers are empty. Hypotheses made from one question form a cluster.
    """
    return Exercise(
        "pairs",
        tuple(
            Question(p.id, p.hypothesis, cluster=p.question_id, strata={"language": p.language} if p.language else {})
            for p in pairs
        ),
        tuple(Candidate(p.id, p.id, "", p.text, p.document, p.value) for p in pairs),
    )


def baselines(exercise: Exercise, seed: int = 0) -> tuple[Evidence, tuple[Note, ...]]:
    """Return Evidence with the three baselines as runs, and notes.

    The baselines accept every answer, accept each answer with probability ½, or select perfectly. `seed` is for the
    draws.
    """
    runs = {
        f"{ALL} (drawn)": accept_all(exercise, seed),
        f"{HALF} (drawn)": accept_half(exercise, seed),
        PERFECT: perfect(exercise),
    }
    data, notes = evidence(exercise, runs)
    # A random draw may select an UNKNOWN answer if a question has no other; this needs no note.
    return data, tuple(remark for remark in notes if remark.code != SELECTED_UNKNOWN)
