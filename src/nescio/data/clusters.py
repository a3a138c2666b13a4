"""Which questions move together when they are resampled: as the files say, or by a column that was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from msgspec.structs import replace

from nescio.data.evidence import Evidence
from nescio.data.outcomes import Outcomes
from nescio.errors import MismatchError, opt


def clustered(data: Any, column: str) -> Any:
    """Return Evidence or Outcomes in the clusters of a column; raises MismatchError where there is none."""
    if column == "cluster" and data.clusters is not None:
        return data
    if column not in data.strata:
        have = f"; such columns: {', '.join(data.strata)}" if data.strata else ""
        raise MismatchError(f"{opt('cluster', column)}: no such column is constant within each question{have}")
    return replace(data, clusters=np.unique(data.strata[column], return_inverse=True)[1])


def clusters_of(data: Evidence | Outcomes) -> Mapping[str, str]:
    """Return the cluster of each question, which is called after the first of its questions by name."""
    if data.clusters is None:
        return dict(zip(data.questions, data.questions, strict=True))
    clusters = data.clusters.tolist()
    first: dict[Any, str] = {}
    for question, cluster in zip(data.questions, clusters, strict=True):
        first[cluster] = min(question, first.get(cluster, question))
    return {question: first[cluster] for question, cluster in zip(data.questions, clusters, strict=True)}
