"""Load answers that are already judged: outcomes, or people's verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from nescio.data.policy_notes import UNGRADED_LEFT_OUT
from nescio.pipeline.loading import Loaded, load
from nescio.pipeline.options import Options
from nescio.pipeline.qa_systems import with_policies
from nescio.tables.judgements import holds_verdicts, read_outcomes


def load_judged(files: Sequence[Any]) -> Loaded:
    """Return QA systems for a ranking, loaded from files of outcomes or of people's verdicts on their answers."""
    if all(holds_verdicts(file) for file in files):
        outcomes, notes = read_outcomes(files)
        data, more = with_policies(outcomes)
        return Loaded(data, (*notes, *more))
    systems = load(list(files), Options(missing="unanswered", ungraded="exclude"))
    # A ranking counts an answer without a grade, so this note would be wrong.
    return replace(systems, notes=tuple(remark for remark in systems.notes if remark.code != UNGRADED_LEFT_OUT))
