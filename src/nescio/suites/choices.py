"""The choices of suites, as the command line and Python offer them, and the codes of notes that gates ask for."""

from typing import Literal

Incomplete = Literal["error", "complete-runs", "common-benchmarks", "available"]
Over = Literal["questions", "benchmarks"]

LACKING, FEW_CLUSTERS = "suite.lacking", "suite.few_clusters"
