"""Record the answers of tests as a run, and assert gates on its measures.

pytest loads this wherever nescio is installed, so it imports nothing until a test records something.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import Struct, field
from msgspec.structs import replace

if TYPE_CHECKING:
    from nescio.data.results import Scores
    from nescio.verbs._gates import Gate

RUN = "tests"  # the name of a run if the test gives none
_FORM = b"pytest"  # in digests of gold answers, which are compared only with digests of this form


class CannotTellWarning(UserWarning):
    """A warning that there are too few answers to decide whether a gate is met."""


class Recorder(Struct):
    """The answers of a run, as tests record them.

    `undecided` says what a test does if there are too few answers to decide on a gate: "fail" or "warn".
    """

    run: str = RUN
    undecided: str = "fail"
    rows: list[dict[str, Any]] = field(default_factory=list)

    def record(
        self,
        question: str,
        outcome: str | None,
        *,
        confidence: float | None = None,
        repeat: str | int | None = None,
        run: str | None = None,
        judge: str | None = None,
        gold: str | Sequence[str] | None = None,
        **columns: str,
    ) -> None:
        """Record the outcome of an answer: "correct", "incorrect", "unanswered", or None for one that nobody graded.

            nescio_run.record("q1", "unanswered")

        `repeat` distinguishes several answers to a question, and `run` several systems. `judge` says who graded the
        answer, and `gold` holds the right answers: a gate refuses a baseline with other ones. `columns` group
        questions, as topic="law". Raises UsageError for another outcome, and for an answer that is already recorded.
        """
        from nescio.data.changed_questions import words_digest
        from nescio.data.columns import OUTCOMES
        from nescio.data.kept import GOLD_DIGEST, in_texts
        from nescio.errors import UsageError

        if outcome is not None and outcome not in OUTCOMES:
            raise UsageError(f"an outcome is {', '.join(OUTCOMES)} or None (found {outcome!r})")
        row: dict[str, Any] = {"run": run or self.run, "question": str(question), "outcome": outcome}
        row |= {} if repeat is None else {"repeat": str(repeat)}
        row |= {} if judge is None else {"judge": judge}
        row |= {} if gold is None else {GOLD_DIGEST: in_texts(words_digest(None, _listed(gold)) + _FORM)[1]}
        key = (row["run"], row["question"], row.get("repeat"))
        if any((recorded["run"], recorded["question"], recorded.get("repeat")) == key for recorded in self.rows):
            raise UsageError(
                f"question {question!r} is recorded twice; if it has several answers, number them with repeat="
            )
        self.rows.append(row | ({} if confidence is None else {"confidence": float(confidence)}) | columns)

    def answer(
        self,
        question: str,
        answer: str | None,
        gold: str | Sequence[str],
        *,
        judge: str = "exact",
        declined_pattern: Sequence[str] = (),
        **more: Any,
    ) -> str | None:
        """Judge an answer, record its outcome, and return the outcome.

            assert nescio_run.answer("q1", bot("Capital of France?"), "Paris") != "incorrect"

        `gold` is the right answer, or all right answers. `judge` is any judge of `nescio judge`. None and a text that
        matches a `declined_pattern` completely are unanswered. An empty text is incorrect. `more` is as in `record`.
        Raises UsageError for an answer that is no text, and without a right answer.
        """
        from nescio.errors import UsageError
        from nescio.integrations import outcome_of
        from nescio.judging import known

        if answer is not None and not isinstance(answer, str):
            raise UsageError(f"an answer is a text or None (found {answer!r})")
        golds = _listed(gold)
        if not golds:
            raise UsageError(
                f"question {question!r} has no right answer, so no judge can grade its answers; record the outcome: "
                "declining is correct, and answering incorrect"
            )
        blank = answer is not None and not answer.strip()
        outcome = "incorrect" if blank else outcome_of(answer, golds, judge=judge, declined_pattern=declined_pattern)
        record = known(judge).record
        # Stated always: a record without it would agree with every pattern.
        patterns = ("declined_pattern", " | ".join(declined_pattern) or "none")
        graded_by = replace(record, parameters=(*record.parameters, patterns))
        self.record(question, outcome, judge=str(graded_by), gold=golds, **more)
        return outcome

    def scores(self, measures: Any = None, **options: Any) -> Scores:
        """Score the recorded answers; arguments as in `nescio.score`."""
        import nescio

        return nescio.score(self.table, measures, **options)

    @property
    def table(self) -> list[dict[str, Any]]:
        """Return the recorded answers as rows that all have the same columns; a missing value is None."""
        names = dict.fromkeys(name for row in self.rows for name in row)
        return [{name: row.get(name) for name in names} for row in self.rows]

    def assert_at_least(self, measure: str, value: float, **options: Any) -> None:
        """Assert that a measure is at least `value`, even at the lower end of its interval.

        `options` are those of `nescio.score`.
        """
        __tracebackhide__ = True
        self._assert(lambda: self._limits({measure: value}, {}, options))

    def assert_at_most(self, measure: str, value: float, **options: Any) -> None:
        """Assert that a measure is at most `value`, even at the upper end of its interval.

        Use this for measures whose lower values are better. `options` are those of `nescio.score`.
        """
        __tracebackhide__ = True
        self._assert(lambda: self._limits({}, {measure: value}, options))

    def assert_not_worse(
        self, baseline: str | Path, measure: str, *, margin: float | None = None, **options: Any
    ) -> None:
        """Assert that no run is worse than the baseline by more than the margin.

        The default margin of 0.01 is only for measures whose range is about 1 wide. `baseline` is a file from `nescio
        compare --save-baseline`, or a recorded run; `options` as in `nescio.compare`.
        """
        __tracebackhide__ = True
        self._assert(lambda: self._compared(baseline, measure, margin, options))

    def save_baseline(self, path: str | Path, measures: Any = None, **options: Any) -> None:
        """Write the run to `path` as a baseline for `assert_not_worse`; `options` as in `nescio.compare`."""
        import nescio

        nescio.compare(self.table, measures, save_baseline=path, **options)

    def _limits(self, floors: Mapping[str, float], ceilings: Mapping[str, float], options: Any) -> list[Gate]:
        from nescio.verbs._gates import Limit, score_gates

        limits = [Limit(*floor) for floor in floors.items()] + [
            Limit(*ceiling_limit, ceiling=True) for ceiling_limit in ceilings.items()
        ]
        return score_gates(self.scores([limit.measure for limit in limits], mark=False, **options), limits)

    def _compared(self, baseline: str | Path, measure: str, margin: float | None, options: Any) -> list[Gate]:
        import nescio
        from nescio.verbs._gates import regression_gates

        compared = nescio.compare(self.table, measure, baseline=baseline, margin=margin, **options)
        return regression_gates(compared, [measure])

    def _assert(self, gates: Callable[[], Sequence[Gate]]) -> None:
        __tracebackhide__ = True
        from nescio.errors import NescioError

        try:
            failed, unclear = sorted_gates(gates())
        except NescioError as error:
            failed, unclear = [str(error)], []
        if failed or (unclear and self.undecided == "fail"):
            pytest.fail("\n".join([*failed, *unclear]), pytrace=False)
        for message in unclear:
            warnings.warn(CannotTellWarning(message), stacklevel=3)


def _listed(gold: str | Sequence[str]) -> list[str]:
    """Return the right answers as a list. Raises UsageError for anything but a text or several texts."""
    from nescio.errors import UsageError

    if not isinstance(gold, Iterable):
        raise UsageError(f"a right answer is a text, or a list of texts (found {gold!r})")
    return [gold] if isinstance(gold, str) else list(gold)


def sorted_gates(gates: Sequence[Gate]) -> tuple[list[str], list[str]]:
    """Return two lists of messages: on gates that fail or cannot be tested, and on gates with too few answers."""
    from nescio.verbs._gates import CANNOT_TELL, FAILED

    failed = [gate.said for gate in gates if gate.status == FAILED]
    unclear = [gate for gate in gates if gate.status == CANNOT_TELL]
    failed += [f"cannot tell: {gate.said}" for gate in unclear if not gate.ground]
    return failed, [f"cannot tell: {gate.said}" for gate in unclear if gate.ground]
