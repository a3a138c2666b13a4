"""List the replacements of options that a verb does not have, in a shell and in Python."""

from __future__ import annotations

Words = tuple[str, str]


def _is(what: str, verb: str) -> Words:
    return f"to {what}, use nescio {verb}", f"to {what}, use nescio.{verb.replace('-', '_').replace(' ', '.')}"


def _suite(verb: str) -> Words:
    names = "to give several benchmarks, name the file of each"
    return (
        f"{names}: nescio {verb} NAME=FILE NAME=FILE, or nescio {verb} suite.toml",
        f"{names}: nescio.{verb}({{NAME: FILE, NAME: FILE}}), or nescio.{verb}('suite.toml')",
    )


_LABELS = _is("plan how many answers people must label", "plan-labels")
_REPEATS = _is("plan how often to ask each question", "plan-repeats")
_ON_PEOPLE = (
    "nescio tune reads the verdicts of one judge; to use people's verdicts: nescio judge FILES --judge human"
    " --against LABELS -o people.csv, then nescio tune people.csv --ungraded exclude",
    "nescio.tune reads the verdicts of one judge; to use people's verdicts: nescio.judge(FILES, judge='human',"
    " against=LABELS, output='people.csv'), then nescio.tune('people.csv', ungraded='exclude')",
)
_ANY_LOOK = "intervals hold at any number of looks, so leave this option out"

MOVED: dict[tuple[str, str], Words] = {
    **{(verb, "suite"): _suite(verb) for verb in ("score", "compare", "report")},
    ("compare", "sequential"): (
        "for questions that arrive in blocks, use --looks",
        "for questions that arrive in blocks, use looks=True",
    ),
    **{("plan", name): _LABELS for name in ("labels", "half_width", "correlation", "spread", "target")},
    **{("plan", name): _REPEATS for name in ("repeats", "budget", "per_question", "per_answer", "variances")},
    ("tune", "labels"): _ON_PEOPLE,
    **{(verb, "label_looks"): _is("look at labels as they come", "labels look") for verb in ("score", "compare")},
    ("labels look", "label_looks"): (_ANY_LOOK, _ANY_LOOK),
    ("report", "study"): _is("study measures", "meta"),
}


# Commands of an earlier version, with their replacements in a shell and in Python.
COMMANDS: dict[str, Words] = {
    "view": ("report --open", "report(…, open=True)"),
    "advise": ("report", "report"),
    "tune-pair": ("tune --baseline OLD --run NEW", "tune(…, baseline=OLD, run=NEW)"),
    "look": ("compare --looks", "compare(…, looks=True)"),
    "baseline": ("compare --save-baseline FILE", "compare(…, save_baseline=FILE)"),
    "tally": ("sql, which prints SQL that counts the outcomes of any table; nescio score reads the counts", "sql"),
    **{
        name: (f"lab {name}", f"lab.{name.replace('-', '_')}")
        for name in (
            *("cascade", "vote", "stakes", "stakes-prompts", "contamination", "components", "items", "assessors"),
            "repeats",
        )
    },
}


def command_moved(name: str, *, python: bool = False) -> str:
    """Return a text that names the replacement of a command of an earlier version, for an error message.

    The text is spelled for Python or for a shell, and is empty if there was no such command.
    """
    now = COMMANDS.get(name.replace("_", "-") if python else name)
    if now is None:
        return ""
    return f"nescio.{name} is now nescio.{now[1]}" if python else f"nescio {name} is now nescio {now[0]}"


def moved(verb: str, name: str, *, python: bool = False) -> str:
    """Return a text that names the replacement of an option that a verb had in an earlier version.

    The text is spelled for Python or for a shell, and is empty if the verb had no such option.
    """
    return MOVED.get((verb, name), ("", ""))[python]
