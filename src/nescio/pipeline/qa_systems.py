"""Combine QA systems with the runs of a task, such as validators, on the questions that both answer."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from nescio.data.evidence import Evidence
from nescio.data.notes import Note
from nescio.data.outcomes import Outcomes
from nescio.data.policies import Policies, apply_policies
from nescio.data.policy_notes import UNGRADED_LEFT_OUT
from nescio.formats import ReadResult


def with_policies(outcomes: Outcomes) -> tuple[Evidence, tuple[Note, ...]]:
    """Return outcomes of QA systems as Evidence, for measures that compare them with answer validators.

    A missing answer is an abstention, and an ungraded answer is absent.
    """
    data, notes = apply_policies(outcomes, Policies(missing="unanswered", ungraded="exclude"))
    # Validators' measures count a question with an ungraded answer, so this note would be wrong.
    return data, tuple(remark for remark in notes if remark.code != UNGRADED_LEFT_OUT)


def beside_a_task(read: Sequence[ReadResult], systems: Outcomes) -> ReadResult | None:
    """Return the runs of a task together with QA systems that answer the same questions.

    Returns None unless exactly one of the results in `read` is a task that can be compared with QA systems.
    """
    tasks = [(result, result.beside) for result in read if result.beside is not None]
    if len(tasks) != 1:
        return None
    ((result, join),) = tasks
    data, notes = with_policies(systems)
    every = (*(remark for part in read for remark in part.notes), *notes)
    return join(replace(result, notes=every), data)
