"""The choices of suites, as the command line and Python offer them, and the codes of notes that gates ask for."""

from typing import Literal

Incomplete = Literal["error", "complete-runs", "common-benchmarks", "available"]
Over = Literal["questions", "benchmarks"]

LACKING = "suite.lacking"  # a run lacks benchmarks that its baseline has
CLUSTERED = "suite.clustered"  # the questions of a benchmark are in clusters
