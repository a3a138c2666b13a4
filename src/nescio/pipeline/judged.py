"""Answers that are judged already, by whatever file says so: outcomes, or people's verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from nescio.data.policies import UNGRADED_LEFT_OUT
from nescio.pipeline.loading import Loaded, load
from nescio.pipeline.options import Options
from nescio.pipeline.qa_systems import with_policies
from nescio.tables.judgements import holds_verdicts, read_outcomes


def load_judged(files: Sequence[Any]) -> Loaded:
    """Read systems to be ranked by their outcomes, or by people's verdicts on their answers."""
    if all(holds_verdicts(file) for file in files):
        outcomes, notes = read_outcomes(files)
        data, more = with_policies(outcomes)
        return Loaded(data, (*notes, *more))
    systems = load(list(files), Options(missing="unanswered", ungraded="exclude"))
    # An answer without a grade is not left out of a ranking: who ranks counts it.
    return replace(systems, notes=tuple(remark for remark in systems.notes if remark.code != UNGRADED_LEFT_OUT))
