"""nescio demo."""

from __future__ import annotations

import contextlib
import io
import shlex
import shutil
from pathlib import Path

import click

from nescio.cli import options
from nescio.cli.app import app
from nescio.cli.output import progress, say
from nescio.errors import UsageError

SYSTEMS = ("deep-read", "window-distance", "word-distance")
THRESHOLDS = (0.0, 0.25, 0.5)
RUNS = tuple(f"{system}@{threshold:.2f}" for system in SYSTEMS for threshold in THRESHOLDS)
BY_SENTENCE = {"deep-read": (), "deep-read-ProNameStem": ("Stem", "Name", "Pro")}
PRINTED = {
    "score": "Three systems, each silent below three thresholds (after the @). Questions of one story may hang\ntogether: add --cluster story to resample whole stories.",
    "compare": "Does silence pay? Each system against itself never silent.",
    "read score": "The same stories without the options: Deep Read answers by a sentence, and is marked by the words of the key\nand by the sentences that people, or the key's words, would take.",
}
PARTS = ("questions.jsonl", "stories.jsonl")


def steps() -> list[list[str]]:
    """The commands of the demo, each as the words after `nescio`; those of `PRINTED` print."""
    found = [
        [
            "read",
            "answer",
            *PARTS,
            "--system",
            system,
            "--threshold",
            str(threshold),
            "-o",
            f"runs/{system}@{threshold:.2f}.jsonl",
        ]
        for system in SYSTEMS
        for threshold in THRESHOLDS
    ]
    judge = ["judge", "questions.jsonl", *(f"runs/{run}.jsonl" for run in RUNS), "-o", "outcomes.csv"]
    score = ["score", "outcomes.csv", "-o", "scores.json"]
    pays = [
        [
            "compare",
            "questions.jsonl",
            *(f"runs/{run}.jsonl" for run in RUNS if run.startswith(system)),
            "-m",
            "c@1",
            "-m",
            "accuracy",
            "--baseline",
            f"{system}@0.00",
            "-o",
            f"{system}.json",
        ]
        for system in SYSTEMS
    ]
    told = [
        ["read", "answer", *PARTS, "--system", "deep-read", "--by-sentence", "-o", f"sentences/{name}.jsonl"]
        + [word for switch in switches for word in ("--switch", switch)]
        for name, switches in BY_SENTENCE.items()
    ]
    marked = ["read", "score", *PARTS, *(f"sentences/{name}.jsonl" for name in BY_SENTENCE), "--judge", "deep_read"]
    page = ["report", "outcomes.csv", "-m", "c@1", "-m", "accuracy", "-o", "report.html"]
    return [*found, judge, *told, page, score, *pays, [*marked, "-o", "marks.json"]]


def _printed(words: list[str]) -> str:
    """The command that a step calls, where its output is shown; else nothing."""
    return next((name for name in PRINTED if words[: name.count(" ") + 1] == name.split()), "")


@click.command("demo")
@click.option(
    "-o",
    "--output",
    "folder",
    type=options.PATH,
    default=Path("nescio-demo"),
    show_default=True,
    help="The folder for the files.",
)
def command(folder: Path) -> None:
    """The whole story on a bundled collection: answers, scores, a comparison, a report.

    Three simple systems answer 70 questions about 14 short stories, each declining below several confidence thresholds; 12 of
    the questions have no answer in their story. The answers are judged, scored and compared; then Deep Read answers the same
    questions by a sentence of the story. Nothing is a stored result: the folder gets every file, and commands.sh holds the
    commands that made them.
    """
    from nescio.systems.reading import bundled

    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a folder with -o")
    for name in ("runs", "sentences"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name in PARTS:
        shutil.copyfile(bundled() / name, folder / name)
    commands = [shlex.join(["nescio", *words]) for words in steps()]
    (folder / "commands.sh").write_text(
        "#!/bin/sh\n# What made the files of this folder, from the questions and the stories. Run it here.\nset -e\n"
        + "\n".join(commands)
        + "\n"
    )
    with contextlib.chdir(folder):
        _make()
    say(f"all files, and the commands that made them, are in {folder}/ (commands.sh); open {folder}/report.html")


def _make() -> None:
    """Run every step here; the scores and the comparisons are printed."""
    quiet = [words for words in steps() if not _printed(words)]
    with progress("answering") as watch:
        for done, words in enumerate(quiet, 1):
            with contextlib.redirect_stderr(io.StringIO()):
                app.main(args=words, prog_name="nescio", standalone_mode=False)
            watch(done, len(quiet))
    said = ""
    for words in (words for words in steps() if _printed(words)):
        if _printed(words) != said:
            said = _printed(words)
            click.echo(f"\n{PRINTED[said]}")
        click.echo(f"\n$ {shlex.join(['nescio', *words])}\n")
        app.main(args=words, prog_name="nescio", standalone_mode=False)
