"""MMLU-Pro result files: JSON arrays of questions with `pred` and the model's text, also inside their ZIP. An answer
without a letter counts as incorrect (`--unparsed`, or `--empty` where there is no text).

The repository's first rule is applied to every text again, because some files hold a random letter if it found none:
the answer is the first letter after "answer is", as in "the answer is (C)". If there is none, the repository looks for
"Answer: C", and then for the last single letter from A to J anywhere in the text, even the first word of "I do not
know": `--choose extract=full` does so too. The first rule alone is the default, because its letters are answers: of
those that only the last rule finds in the published texts of mathstral-7B and Llama-2-7b, 13 of 82 and 49 of 468 are
right, about what guessing among ten options gives. A note says how many letters the other rules would add.
"""

from __future__ import annotations

from collections.abc import Sequence

from nescio.errors import FormatError, MismatchError, offer
from nescio.formats.logs.graded import Graded, choose, outcomes_of
from nescio.formats.logs.mmlu_pro.answers import Reading, grade, notes_on
from nescio.formats.logs.mmlu_pro.figures import Figures, is_summary, results_of, summaries
from nescio.formats.logs.mmlu_pro.files import SUMMARY, begins, files, members
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.source import Source

KEYS = {"question_id", "options", "answer", "pred"}
RULES = ("strict", "full", "pred")


def recognise(source: Source) -> str | None:
    """Recognise a JSON array (or JSON Lines) of objects with `question_id`, `options`, `answer` and `pred`; or a ZIP of
    such arrays.

    Beside them, a `_summary.json` of categories with `corr` and `wrong`.
    """
    if source.kind == "archive":
        names = members(source)
        return "results" if source.suffix == ".zip" and names and begins(source, names[0]) else None
    if source.kind == "lines" or (source.kind == "document" and isinstance(source.document, list)):
        return "results" if set(source.columns) >= KEYS and "outcome" not in source.columns else None
    return "summary" if source.stem.endswith(SUMMARY) and is_summary(source.document) else None


@reader(
    "mmlu-pro",
    about="MMLU-Pro results: question_id, options, answer, pred and the model's text, as JSON or in a ZIP",
    recognise=recognise,
    sniff_keys={"archive": (), **dict.fromkeys(("lines", "list"), ("pred",)), "object": ("total",)},
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read result files, each a run named by its file, or by its folder where there is a file a category:
    `law_result.json`, or `law.json` (`model/CoT/all/law.json` is of the run `model`).

    `--choose extract=full` applies all rules of the repository, `--choose extract=pred` trusts `pred` instead of the
    text.
    """
    sources = [source for part, source in parts if part == "results"]
    if not sources:
        first = parts[0][1]
        rule = (
            f"this holds the figures of a category and no answers; give {results_of(first.stem)}.json of its folder too"
            f"{offer('beside', f'{results_of(first.stem)}.json')}"
        )
        raise FormatError(first.label, rule)
    extract = choose(options, "extract", RULES, "rules") if "extract" in options.choose else "strict"
    reading = Reading(extract, options)
    rows: list[Graded] = []
    taken: dict[tuple[str, str], str] = {}
    figures = Figures(summaries(parts))
    for source in sources:
        for file in files(source):
            run, category, items = file.run()
            key = run, category
            if key in taken or (not category and any(run == other for other, _ in taken)):
                raise MismatchError(
                    f"{taken.get(key, file.label)} and {file.label} would both be run {run!r}; rename one of them"
                )
            taken[key] = file.label
            kept = figures.kept(file, items)
            rows += [grade(source, run, item, where, reading) for item, where in kept]
    notes = notes_on(reading) + figures.notes()
    outcomes = outcomes_of(rows, sources[0].label, options, notes)
    return ReadResult(outcomes, tuple(notes))
