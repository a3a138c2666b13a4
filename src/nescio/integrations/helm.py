"""HELM: any measure of outcomes as a metric of a run, with the numbers of correct, wrong and unanswered questions.

In a run spec, the class and its arguments:

    MetricSpec(class_name="nescio.integrations.helm.Abstaining",
               args={"measures": ["c@1", "coverage"], "declined_pattern": ["I don't know.*"]})

Abstentions are those that `nescio score` reads in a run's folder: an empty completion, one that the provider withheld
or the model refused, and one that matches a pattern completely. A request that failed otherwise is not graded. It is
counted in `nescio_ungraded`, and in no measure. The references tagged as correct are the right answers. Adapters that
make a request for each option allow no abstention, and are refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from typing import Any

import numpy as np

from nescio import judging
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT
from nescio.data.reasons import ERRORED
from nescio.errors import UsageError
from nescio.formats.logs.helm.helm_reader import silence_of
from nescio.formats.logs.helm.run import Case
from nescio.formats.registry import Declined, ReadOptions
from nescio.integrations import state_of, value_of
from nescio.measures import parse

_helm = import_module("helm.benchmark.metrics.metric")
COUNTS = {
    "nescio_correct": CORRECT,
    "nescio_incorrect": INCORRECT,
    "nescio_unanswered": SILENT,
    "nescio_ungraded": NOT_GRADED,
}


class Abstaining(_helm.Metric):  # type: ignore[misc,name-defined]
    """A metric of HELM that judges each answer, and computes the measures over all answers of a trial.

    Raises UnknownNameError for a measure or a judge.
    """

    def __init__(
        self,
        measures: Sequence[str] = ("c@1", "accuracy", "coverage"),
        judge: str = "exact",
        declined_pattern: Sequence[str] = (),
    ) -> None:
        self.measures = [parse(name) for name in measures]
        self.judge, self.patterns = judge, tuple(declined_pattern)
        self.options = ReadOptions(declined=Declined(self.patterns))
        judging.known(judge)

    def evaluate_generation(
        self, adapter_spec: Any, request_state: Any, metric_service: Any, eval_cache_path: str
    ) -> list[Any]:
        """Return a count for each outcome, as statistics of HELM: 1 for the outcome of this answer, and 0 for the
        others."""
        del adapter_spec, metric_service, eval_cache_path
        state = self._state(request_state)
        return [_stat(name, float(code == state)) for name, code in COUNTS.items()]

    def derive_stats(self, stats_dict: Mapping[Any, Any]) -> list[Any]:
        """Return the measures over all answers of a trial, from the sums of the counts; undefined measures are left
        out."""
        counts = {name.name: int(stat.sum) for name, stat in stats_dict.items()}
        if not counts.keys() >= COUNTS.keys():
            return []
        states = np.repeat([*COUNTS.values()], [counts[name] for name in COUNTS]).astype(np.int8)
        values = ((measure.label, value_of(measure, states)) for measure in self.measures)
        return [_stat(label, value) for label, value in values if not np.isnan(value)]

    def _state(self, request_state: Any) -> int:
        if request_state.reference_index is not None:
            raise UsageError("nescio's metric needs one request per question, but this adapter makes one per option")
        result, options = request_state.result, request_state.output_mapping
        asked = {"result": None if result is None else asdict(result), "output_mapping": options}
        silent = silence_of(Case("", 0, "", "", "", {}, [asked]))
        if silent is not None:
            return NOT_GRADED if silent == ERRORED else SILENT
        text = result.completions[0].text.strip()
        if self.options.declined.fits(text):
            return SILENT
        golds = [reference.output.text for reference in request_state.instance.references if reference.is_correct]
        return state_of((options or {}).get(text, text), golds, judge=self.judge, declined_pattern=self.patterns)


def _stat(name: str, value: float) -> Any:
    names, stats = (import_module(f"helm.benchmark.metrics.{module}") for module in ("metric_name", "statistic"))
    return stats.Stat(names.MetricName(name)).add(value)
