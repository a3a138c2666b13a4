"""What an earlier version called otherwise, and what to type now."""

from __future__ import annotations

_SUITE = "several benchmarks are files with names: nescio {verb} NAME=FILE NAME=FILE, or nescio {verb} suite.toml"
_LOOK = "following questions that arrive in blocks is nescio look"
_LABELS = "planning how many answers people must label is nescio plan-labels"
_REPEATS = "planning how often to ask each question is nescio plan-repeats"
MOVED = {
    **{(verb, "--suite"): _SUITE.format(verb=verb) for verb in ("score", "compare", "report")},
    **{("compare", flag): _LOOK for flag in ("--sequential", "--state", "--sequence", "--planned")},
    **{("plan", flag): _LABELS for flag in ("--labels", "--half-width", "--correlation", "--spread", "--target")},
    **{("plan", flag): _REPEATS for flag in ("--repeats", "--budget", "--per-question", "--per-answer", "--variances")},
    ("tune", "--baseline"): "tuning two runs and comparing them is nescio tune-pair",
}


def moved(command: str, flag: str) -> str:
    """Return what an option of a command is called now; nothing where it never was one."""
    return MOVED.get((command.removeprefix("nescio "), flag), "")
