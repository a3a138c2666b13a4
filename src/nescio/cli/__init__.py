"""The command line. This file knows what commands there are and answers --help and --version before anything is imported."""

from __future__ import annotations

import sys

from nescio import __version__

# name: (module under nescio.cli, what it does); the order is that of the help page
COMMANDS = {
    "demo": ("demo", "The whole story on a bundled collection: answers, scores, a comparison, a report."),
    "score": ("score", "Value and interval of any measure for every run."),
    "compare": ("compare", "Paired differences between runs, with interval, p-value and a verdict in words."),
    "report": ("report", "One page with every figure, to be read, sent and printed."),
    "tune": ("tune", "The confidence to answer from, and what that will earn on new questions."),
    "plan": ("plan", "How many questions tell two systems apart, and what can so many resolve?"),
    "meta": ("meta", "How good is the measure? Its stability and sensitivity on your collection."),
    "audit": ("audit", "Can a measure be cheated, and which axioms does it obey? Needs no data."),
    "judge": ("judge", "Judge answers into an outcome table, and hold the judge against people."),
    "convert": ("convert", "Any log that can be scored, as an outcome table or in another format."),
    "check": ("check", "What is in these files, and are they sound?"),
    "measures": ("measures", "List the measures, or explain one: formula, range, source."),
    "c@1": ("quick", "Counts of correct, incorrect and unanswered in, the table out."),
    "ave": ("ave", "Answer validation: collections from the answers of QA systems, validators and their scores."),
    "nuggets": ("nuggets", "Definition questions: nugget scores, and a system that answers from a folder of texts."),
    "read": ("read", "Reading comprehension: systems that answer questions about stories, and their marks."),
}

EXAMPLES = (
    ("nescio c@1 237 156 107", "237 right, 156 wrong, 107 unanswered"),
    ("nescio score outcomes.csv", "columns run, question, outcome"),
    ("nescio score questions.jsonl runs/*.jsonl", "answers judged on the way"),
    ("nescio score outcomes.csv -m AURC -m Brier", "measures by name"),
    ("nescio compare outcomes.csv --baseline old", "is the new one better?"),
)


def overview() -> str:
    """The page that `nescio --help` prints."""
    lines = [
        "Usage: nescio COMMAND [OPTIONS] ...",
        "",
        "Evaluate question-answering systems that may decline to answer.",
        "",
        "Commands:",
    ]
    lines += [f"  {name:10} {about}" for name, (_, about) in COMMANDS.items()]
    width = max(len(command) for command, _ in EXAMPLES)
    lines += ["", "Examples:", *(f"  {command:{width}}  {about}" for command, about in EXAMPLES)]
    lines += [
        "",
        "Options:",
        "  --version  Print the version and exit.",
        "  --help     Print this page; nescio COMMAND --help explains a command.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """The entry point of the `nescio` command."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        print(f"nescio {__version__}")
        return
    if arguments in ([], ["--help"], ["-h"]):
        print(overview(), end="")
        return
    from nescio.cli.app import run

    run(arguments)
