"""What an earlier version called otherwise, and what to write now: in a shell, and in Python."""

from __future__ import annotations

Words = tuple[str, str]


def _is(what: str, verb: str) -> Words:
    return f"{what} is nescio {verb}", f"{what} is nescio.{verb.replace('-', '_')}"


def _suite(verb: str) -> Words:
    names = "several benchmarks are files with names"
    return (
        f"{names}: nescio {verb} NAME=FILE NAME=FILE, or nescio {verb} suite.toml",
        f"{names}: nescio.{verb}({{NAME: FILE, NAME: FILE}}), or nescio.{verb}('suite.toml')",
    )


_LOOK = _is("following questions that arrive in blocks", "look")
_LABELS = _is("planning how many answers people must label", "plan-labels")
_REPEATS = _is("planning how often to ask each question", "plan-repeats")
MOVED: dict[tuple[str, str], Words] = {
    **{(verb, "suite"): _suite(verb) for verb in ("score", "compare", "report")},
    **{("compare", name): _LOOK for name in ("sequential", "state", "sequence", "planned")},
    **{("plan", name): _LABELS for name in ("labels", "half_width", "correlation", "spread", "target")},
    **{("plan", name): _REPEATS for name in ("repeats", "budget", "per_question", "per_answer", "variances")},
    ("tune", "baseline"): _is("tuning two runs and comparing them", "tune-pair"),
}


GONE = {"tally": "nescio tally is gone: nescio sql prints a statement that counts any table, and its counts are scored"}


def moved(verb: str, name: str, *, python: bool = False) -> str:
    """Return what an option of a verb is called now; nothing where it never was one."""
    return MOVED.get((verb, name), ("", ""))[python]
