"""The choices of suites, as the command line and Python offer them."""

from typing import Literal, get_args

Incomplete = Literal["error", "complete-runs", "common-benchmarks", "available"]
INCOMPLETE: tuple[Incomplete, ...] = get_args(Incomplete)
Over = Literal["questions", "benchmarks"]
OVER: tuple[Over, ...] = get_args(Over)
