"""Measures as a metric of the real HELM, on answers of our own; in an environment that has helm."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from nescio.errors import UnknownNameError, UsageError

pytest.importorskip("helm", reason="crfm-helm is not installed")

# What was said, and whether the request succeeded with which error: 2 right, 1 wrong, 3 silent, 1 not graded.
SAID = [
    ("Paris", None),
    ("Paris", None),
    ("Lima", None),
    ("", None),
    ("I don't know, really.", None),
    ("", "Content blocked by the provider"),
    ("", "timeout"),
]
C_AT_1, COVERAGE = 2 / 6 * (1 + 3 / 6), 3 / 6


def part(module: str, name: str) -> Any:
    return getattr(import_module(f"helm.{module}"), name)


def states(spec: Any, texts: list[tuple[str, str | None]]) -> Any:
    """The state of a scenario in which each question was answered so."""
    scenario = import_module("helm.benchmark.scenarios.scenario")
    request, result, output = (part("common.request", n) for n in ("Request", "RequestResult", "GeneratedOutput"))
    made = []
    for i, (text, error) in enumerate(texts):
        references = [
            scenario.Reference(scenario.Output(name), tags)
            for name, tags in (("Paris", [scenario.CORRECT_TAG]), ("Lima", []))
        ]
        instance = scenario.Instance(scenario.Input("capital of France"), references, split="test", id=f"id{i}")
        done = result(error is None, [], [output(text, 0, [])] if error is None else [], False, error=error)
        made.append(
            part("benchmark.adaptation.request_state", "RequestState")(
                instance, None, None, 0, None, request(), done, 0, False
            )
        )
    return part("benchmark.adaptation.scenario_state", "ScenarioState")(spec, made)


def found(texts: list[tuple[str, str | None]], **arguments: Any) -> dict[str, float]:
    """What HELM's own evaluation reports, by the name of the statistic."""
    spec = part("benchmark.metrics.metric", "MetricSpec")("nescio.integrations.helm.Abstaining", arguments)
    metric = part("benchmark.metrics.metric", "create_metric")(spec)
    adapter = part("benchmark.adaptation.adapter_spec", "AdapterSpec")(method="generation")
    result = metric.evaluate(states(adapter, texts), None, "", 1)
    return {stat.name.name: stat.mean for stat in result.aggregated_stats if stat.name.perturbation is None}


def test_helm_reports_measures_and_counts() -> None:
    stats = found(SAID, measures=["c@1", "coverage"], declined_pattern=["I don't know.*"])
    assert stats["c@1"] == pytest.approx(C_AT_1)
    assert stats["coverage"] == pytest.approx(COVERAGE)
    counts = {name: stats[f"nescio_{name}"] * 7 for name in ("correct", "incorrect", "unanswered", "ungraded")}
    assert counts == pytest.approx({"correct": 2, "incorrect": 1, "unanswered": 3, "ungraded": 1})


def test_what_is_undefined_is_left_out() -> None:
    assert "c@1" not in found([("", "timeout")])


def test_unknown_names_and_requests_for_each_option_are_refused() -> None:
    for arguments in ({"measures": ["c@2"]}, {"judge": "nobody"}):
        with pytest.raises(UnknownNameError):
            found(SAID, **arguments)
    adapter = part("benchmark.adaptation.adapter_spec", "AdapterSpec")(method="generation")
    state = states(adapter, SAID[:1]).request_states[0]
    metric = import_module("nescio.integrations.helm").Abstaining()
    object.__setattr__(state, "reference_index", 0)
    with pytest.raises(UsageError, match="one per option"):
        metric.evaluate_generation(adapter, state, None, "")
