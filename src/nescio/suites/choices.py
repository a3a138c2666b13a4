"""The choices of suites, for the command line and Python."""

from typing import Literal

Incomplete = Literal["error", "complete-runs", "common-benchmarks", "available"]
Over = Literal["questions", "benchmarks"]
