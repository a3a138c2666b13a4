"""Run the whole workflow on a bundled collection.

Three simple systems answer 70 questions about 14 short stories, each abstaining below several confidence thresholds. 12
of the questions have no answer in their story. The answers are judged, scored and compared. Then Deep Read answers the
same questions with a sentence of the story. No result is stored in advance: the folder gets every file, and commands.sh
has the commands that made them.

\b
nescio demo
"""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

from nescio.cli.app import app
from nescio.cli.bars import progress
from nescio.cli.output import say
from nescio.options import Request, option, verb
from nescio.reporting.printing import show_text
from nescio.text import command_text
from nescio.verbs._demo import PRINTED, lay_out, printed, steps


class DemoRequest(Request):
    """The options of `nescio demo`."""

    output: Path = option(
        default=Path("nescio-demo"),
        flags=("-o", "--output"),
        metavar="DIR",
        help="The folder for the files.",
        default_words="nescio-demo",
    )


@verb(DemoRequest, name="demo", prints="")
def demo(request: DemoRequest) -> None:
    folder = request.output
    lay_out(folder)
    quiet = [words for words in steps() if not printed(words)]
    with contextlib.chdir(folder):
        with progress("answering") as watch:
            for done, words in enumerate(quiet, 1):
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                    app.main(args=words, prog_name="nescio", standalone_mode=False)
                watch(done, len(quiet))
        shown = ""
        for words in (words for words in steps() if printed(words)):
            if printed(words) != shown:
                shown = printed(words)
                show_text(f"\n{PRINTED[shown]}")
            show_text(f"\n$ {command_text(['nescio', *words])}\n", hanging="    ")
            app.main(args=words, prog_name="nescio", standalone_mode=False)
    say(f"all files are in {folder}/, and commands.sh lists the commands that made them; open {folder}/report.html")
