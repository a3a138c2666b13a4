"""Find the clusters of questions that are resampled together, from the files or from a column that the user names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from msgspec.structs import replace

from nescio.data.evidence import Evidence
from nescio.data.outcomes import Outcomes
from nescio.errors import MismatchError, opt
from nescio.text import listed, plural

NAMED = 3  # the most questions in a message


def clustered(data: Any, column: str) -> Any:
    """Return `data` (Evidence or Outcomes) in which the questions with the same value of `column` form a cluster.

    Raises MismatchError if the column is missing, or blank for a question. A question without a cluster may depend on
    any other. With all such questions in one cluster, intervals would be too wide. With each in its own cluster, they
    would be too narrow.
    """
    if column == "cluster" and data.clusters is not None:
        return data
    if column not in data.strata:
        have = f"; such columns: {', '.join(data.strata)}" if data.strata else ""
        raise MismatchError(f"{opt('cluster', column)}: there is no such column with one value for each question{have}")
    values = data.strata[column]
    blank = list(dict.fromkeys(q for q, value in zip(data.questions, values, strict=True) if not str(value).strip()))
    if blank:
        some = (
            f"{len(blank):,} of {plural(len({*data.questions}), 'question')} ({listed(list(map(repr, blank)), NAMED)})"
        )
        raise MismatchError(
            f"{opt('cluster', column)}: the column is blank for {some}; fill in a value for each question; give "
            "each question without a group a value of its own"
        )
    return replace(data, clusters=np.unique(values, return_inverse=True)[1])


def clusters_of(data: Evidence | Outcomes) -> Mapping[str, str]:
    """Return the cluster of each question, keyed by question; a cluster is named after its alphabetically first
    question.

    Without clusters, each question is a cluster of its own.
    """
    if data.clusters is None:
        return dict(zip(data.questions, data.questions, strict=True))
    clusters = data.clusters.tolist()
    first: dict[Any, str] = {}
    for question, cluster in zip(data.questions, clusters, strict=True):
        first[cluster] = min(question, first.get(cluster, question))
    return {question: first[cluster] for question, cluster in zip(data.questions, clusters, strict=True)}
