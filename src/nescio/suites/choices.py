"""The choices of suites, as the command line and Python offer them."""

from typing import Literal

Incomplete = Literal["error", "complete-runs", "common-benchmarks", "available"]
Over = Literal["questions", "benchmarks"]
