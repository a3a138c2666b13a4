"""QA systems beside the validators of a collection, by the questions that both answer."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from nescio.data.evidence import Evidence
from nescio.data.notes import Note
from nescio.data.outcomes import Outcomes
from nescio.data.policies import UNGRADED_LEFT_OUT, Policies, apply_policies
from nescio.formats import ReadResult

SELECTED = "ave.selected_right"  # the column that only validators have, and that QA systems get beside them


def with_policies(outcomes: Outcomes) -> tuple[Evidence, tuple[Note, ...]]:
    """Return outcomes of QA systems as Evidence: a missing answer is silence, and an ungraded one is absent."""
    data, notes = apply_policies(outcomes, Policies(missing="unanswered", ungraded="exclude"))
    assert isinstance(data, Evidence)
    # An answer without a grade is not left out beside validators: their measures count its question.
    return data, tuple(remark for remark in notes if remark.code != UNGRADED_LEFT_OUT)


def beside_validators(read: Sequence[ReadResult], systems: Outcomes) -> ReadResult | None:
    """Return validators and QA systems together, for measures over questions, or None if no file is a validator's."""
    validators = [one for one in read if isinstance(one.data, Evidence) and SELECTED in one.data.columns]
    if len(validators) != 1:
        return None
    from nescio.formats.benchmarks.ave.ave_reader import OVER_QUESTIONS
    from nescio.tasks.ave.baselines import with_systems

    result = validators[0]
    own, notes = with_policies(systems)
    assert isinstance(result.data, Evidence)
    data, more = with_systems(result.data, own)
    every = (*(remark for one in read for remark in one.notes), *notes, *more)
    return replace(result, data=data, notes=every, measures=OVER_QUESTIONS, texts=None)
