"""List the replacements of options that a verb does not have, in a shell and in Python."""

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


_LABELS = _is("planning how many answers people must label", "plan-labels")
_REPEATS = _is("planning how often to ask each question", "plan-repeats")
_ON_PEOPLE = (
    "a threshold is chosen on the verdicts of one judge; to choose it on people's: nescio judge FILES --judge human"
    " --against LABELS -o people.csv, then nescio tune people.csv --ungraded exclude",
    "a threshold is chosen on the verdicts of one judge; to choose it on people's: nescio.judge(FILES, judge='human',"
    " against=LABELS, output='people.csv'), then nescio.tune('people.csv', ungraded='exclude')",
)
MOVED: dict[tuple[str, str], Words] = {
    **{(verb, "suite"): _suite(verb) for verb in ("score", "compare", "report")},
    ("compare", "sequential"): (
        "questions that arrive in blocks are --looks",
        "questions that arrive in blocks are looks=True",
    ),
    **{("plan", name): _LABELS for name in ("labels", "half_width", "correlation", "spread", "target")},
    **{("plan", name): _REPEATS for name in ("repeats", "budget", "per_question", "per_answer", "variances")},
    ("tune", "labels"): _ON_PEOPLE,
}


def moved(verb: str, name: str, *, python: bool = False) -> str:
    """Return what to use instead of an option that a verb does not have, for an error message.

    It is spelled for Python or for a shell, and is empty if nothing replaces the option.
    """
    return MOVED.get((verb, name), ("", ""))[python]
