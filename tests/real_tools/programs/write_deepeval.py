"""`deepeval.evaluate` with two metrics that need no model: what it leaves in `.deepeval`."""

from __future__ import annotations

import json
import os

os.environ |= {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "CONFIDENT_OPEN_BROWSER": "NO",
    "DEEPEVAL_RESULTS_FOLDER": "results",
}

from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, DisplayConfig, ErrorConfig
from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase
from harbour import QUESTIONS, verdict


class Right(BaseMetric):
    def __init__(self):
        self.threshold, self.async_mode, self.include_reason, self.strict_mode = 0.5, False, False, False
        self.error = self.reason = None
        self.evaluation_model = None

    def measure(self, case, *args, **more):
        self.score = float(verdict(case.input, case.actual_output, case.expected_output))
        self.success = self.score >= self.threshold
        return self.score

    async def a_measure(self, case, *args, **more):
        return self.measure(case)

    def is_successful(self):
        return bool(self.success)

    @property
    def __name__(self):
        return "Right"


cases = [LLMTestCase(input=q, actual_output=said, expected_output=gold) for q, gold, said in QUESTIONS]
display = DisplayConfig(show_indicator=False, print_results=False)
found = evaluate(
    cases, [Right()], async_config=AsyncConfig(run_async=False), display_config=display,
    error_config=ErrorConfig(ignore_errors=True),
)  # fmt: skip
passed = sum(bool(one.success) for one in found.test_results)
print(json.dumps({"passed": passed, "failed": len(found.test_results) - passed}))
