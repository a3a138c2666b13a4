"""Run the demo: the bundled stories, and the commands that answer, judge, score and compare."""

from __future__ import annotations

import shutil
from pathlib import Path

from nescio.errors import UsageError
from nescio.sources.writing import atomic_write, naming, write_text
from nescio.tasks.reading.systems import bundled
from nescio.text import command_text

SYSTEMS = ("deep-read", "window-distance", "word-distance")
THRESHOLDS = (0.0, 0.25, 0.5)
RUNS = tuple(f"{system}@{threshold:.2f}" for system in SYSTEMS for threshold in THRESHOLDS)
BY_SENTENCE = {"deep-read": (), "deep-read-ProNameStem": ("Stem", "Name", "Pro")}
PRINTED = {
    "score": (
        "Three systems, each with three thresholds (after the @): a system abstains if its confidence is "
        "below the threshold.\n"
        "Questions about one story are not independent; add --cluster story to resample whole stories."
    ),
    "compare": "Does abstaining pay off? Each system is compared with itself without abstention.",
    "read score": (
        "The same stories without the answer options: Deep Read answers with a sentence of the story. The "
        "measures compare\n"
        "this sentence with the words of the key, with the sentences that people accept, and with the "
        "sentences that share\n"
        "most words with the key."
    ),
}
PARTS = ("questions.jsonl", "stories.jsonl")


def steps() -> list[list[str]]:
    """Return the commands of the demo, each as a list of the words after `nescio`.

    The verbs in `PRINTED` print their results.
    """
    answering = [
        f"read answer {' '.join(PARTS)} --system {name} --threshold {threshold} -o runs/{name}@{threshold:.2f}.jsonl"
        for name in SYSTEMS
        for threshold in THRESHOLDS
    ]
    judge = ["judge", "questions.jsonl", *(f"runs/{run}.jsonl" for run in RUNS), "-o", "outcomes.csv"]
    score = ["score", "outcomes.csv", "-o", "scores.json"]
    pays = [
        [
            *("compare", "questions.jsonl", *(f"runs/{run}.jsonl" for run in RUNS if run.startswith(name))),
            *f"-m c@1 -m accuracy --baseline {name}@0.00 -o {name}.json".split(),
        ]
        for name in SYSTEMS
    ]
    by_sentence = [
        ["read", "answer", *PARTS, "--system", "deep-read", "--by-sentence", "-o", f"sentences/{name}.jsonl"]
        + [word for switch in switches for word in ("--switch", switch)]
        for name, switches in BY_SENTENCE.items()
    ]
    marked = ["read", "score", *PARTS, *(f"sentences/{name}.jsonl" for name in BY_SENTENCE), "--judge", "deep_read"]
    page = ["report", "outcomes.csv", "-m", "c@1", "-m", "accuracy", "-o", "report.html"]
    return [*map(str.split, answering), judge, *by_sentence, page, score, *pays, [*marked, "-o", "marks.json"]]


def printed(words: list[str]) -> str:
    """Return the name of the verb that a demo's step calls, or "" if the demo does not show the verb's output."""
    return next((name for name in PRINTED if words[: name.count(" ") + 1] == name.split()), "")


def lay_out(folder: Path) -> None:
    """Fill a folder with the questions, the stories and the commands (commands.sh) of the demo.

    Raises UsageError if `folder` is a file.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a folder with -o")
    with naming(folder, bundled(), folder):
        for name in ("runs", "sentences"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        for name in PARTS:
            with atomic_write(folder / name) as draft:
                shutil.copyfile(bundled() / name, draft)
        commands = [command_text(["nescio", *words]) for words in steps()]
        write_text(
            folder / "commands.sh",
            "#!/bin/sh\n"
            "# These commands make the files of this folder from the questions and the stories. Run them in "
            "this folder.\n"
            "set -e\n" + "\n".join(commands) + "\n",
        )
