"""MMLU-Pro result files: JSON arrays of questions with `pred` and the model's text. An answer without a letter counts
as incorrect (`--unparsed`, or `--empty` without a text).

nescio applies the repository's first rule again to every text, because some files hold a random letter if the rule
found none. The answer is the first letter after "answer is", as in "the answer is (C)". The repository has two looser
rules, the last of which takes a single letter from anywhere in the text, even the first word of "I do not know". nescio
does not apply them. In the published texts of mathstral-7B and Llama-2-7b, 13 of 82 and 49 of 468 of the letters that
no other rule finds are right. That is about the rate of guessing among ten options. `--choose extract=pred` trusts
`pred`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from random import Random
from typing import Annotated, Any

from msgspec import Meta, Struct

from nescio.data.outcomes import SAID_SO
from nescio.data.reasons import EMPTY, NO_FORM
from nescio.data.texts import in_words
from nescio.errors import FormatError, MismatchError, offer, opt
from nescio.formats.answers import Answer
from nescio.formats.choices import choose
from nescio.formats.logs.kit import Log, Name, checked, rows_in, settle
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import identity, number, part_of
from nescio.sources.json import as_text
from nescio.sources.source import Source, own_path
from nescio.sources.text_files import WHITE

RULES = ("strict", "pred")
SUMMARY, RESULT = "_summary", "_result"
_STRICT = re.compile(r"answer is \(?([A-J])\)?")
_NAME = re.compile(r"^(?:model_outputs_)?(.+?)(?:_\d+_?shots?)?$")
Placed = tuple[dict[str, Any], str]
Key = tuple[tuple[str, ...], str]  # the folders and the stem of a file


class Item(Struct):
    question_id: Name
    answer: Annotated[str, Meta(pattern=r"\S", description="a letter")]
    pred: Annotated[str | None, Meta(description="a letter or null")] = None
    question: Any = None
    options: Any = None
    category: Any = None
    src: Any = None
    generated_text: Any = None
    model_outputs: Any = None
    response: Any = None


class Seen(Struct):
    """Counts of answers in a run for which the field `pred` and the rule for texts disagree.

    `random` counts letters in `pred` if the rule finds none in the text. `other` counts texts whose letter differs from
    `pred`. `textless` counts answers without a text.
    """

    random: int = 0
    other: int = 0
    textless: int = 0


@reader(
    "mmlu-pro",
    about="MMLU-Pro results: question_id, options, answer, pred and the model's text, as JSON",
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read result files, each as a run named by its file.

    A folder with one file per category (`law_result.json`, or `law.json`) is one run: `model/CoT/all/law.json` belongs
    to the run `model`.

    `--choose extract=pred` trusts `pred` instead of the text.
    """
    log = Log(parts, options)
    if not log.part("results"):
        first = log.sources[0]
        results = f"{first.stem.removesuffix(SUMMARY)}{RESULT}.json"
        rule = f"this file holds the figures of a category but no answers; also give {results} of the same folder"
        raise FormatError(first.label, f"{rule}{offer('beside', results)}")
    extract = choose(options, "extract", RULES, "rules") if "extract" in options.choose else "strict"
    seen: dict[str, Seen] = {}
    kinds: dict[str, set[int]] = {}
    grades: dict[Key, list[float]] = {}
    taken: dict[tuple[str, str], object] = {}
    runs: dict[Key, str] = {}
    answers: list[Answer] = []
    for source in log.part("results"):
        run, category, rows = _run_of(source)
        if (run, category) in taken or (not category and any(run == other for other, _ in taken)):
            raise MismatchError(
                f"{taken.get((run, category), source.label)} and {source.label} would both be run {run!r}; rename one "
                "of them"
            )
        taken[run, category], runs[_key(source)] = source.label, run
        graded = grades.setdefault(_key(source), [])
        for row, where in rows:
            item = checked(Item, row, source, where)
            answer = log.take(_answer(item, Answer(run, identity(item.question_id).strip(WHITE), where=where)))
            answer.path = source.label
            letter, why = _letter(item, extract, seen.setdefault(run, Seen()), declined=answer.why == SAID_SO)
            answer.why = answer.why or why
            settle(answer, letter == item.answer.strip(WHITE))
            graded.append(_own_grade(row))
            kinds.setdefault(answer.question, set()).add(hash(repr((item.question, item.options, item.answer))))
            answers.append(answer)
    _say(log, extract, seen)
    if differing := sum(len(several) > 1 for several in kinds.values()):
        log.say(
            "mmlu_pro.questions_differ",
            "{questions} of {total:n question} are not the same in all files (text, options or answer differ): "
            "each run is graded by its own file",
            questions=differing,
            total=len(kinds),
        )
    for source in log.part("summary"):
        _against_summary(log, source, grades, runs)
    return log.result(answers, keep=("category", "src"))


def _key(source: Source) -> Key:
    return own_path(source.label).parts[1:-1], source.stem


def _run_of(source: Source) -> tuple[str, str, Iterator[Placed]]:
    """Return the run of a file, its category, and its items. The category is "" if the file has all categories."""
    rows = rows_in(source, (), "each item")
    first = next(rows, None)
    placed = rows if first is None else chain([first], rows)
    category = None if first is None else first[0].get("category")
    of_category = isinstance(category, str) and _folded(category) == _folded(source.stem)
    if not source.stem.endswith(RESULT) and not of_category:
        return _NAME.sub(r"\1", source.stem), "", placed
    folders = [*own_path(source.label).parts[1:-1]]  # the layout of the repository, MODEL/CoT/SUBJECTS
    run_folders = (
        folders[:-2] if folders[-2:-1] == ["CoT"] else folders[:-1] if folders[-1:] in (["all"], ["CoT"]) else folders
    )
    path = run_folders or folders
    return (path[-1] if path and path[-1] else source.stem), source.stem, placed


def _folded(name: str) -> str:
    return name.replace("_", " ").casefold()


# ---- letters ----


def strict(text: str) -> str | None:
    """Return the letter that the repository's first rule finds in a text, the first after "answer is"; or None."""
    match = _STRICT.search(text)
    return match[1] if match else None


def _text(item: Item) -> str | None:
    texts = (item.generated_text, item.model_outputs, item.response)
    return next((as_text(text) for text in texts if text is not None), None)


def _letter(item: Item, extract: str, seen: Seen, *, declined: bool) -> tuple[str | None, str | None]:
    """Return the letter of an answer, and, if there is none, the reason why.

    `extract` is "strict" or "pred", as the user chose. Oddities are counted in `seen`. An answer that is known to
    decline (`declined`) has neither a letter nor a reason.
    """
    pred, text = item.pred.strip(WHITE) if item.pred else None, _text(item)
    if declined:
        return None, None
    if text is None:
        seen.textless += 1
        return pred or None, None if pred else NO_FORM
    letter = strict(text)
    seen.random += letter is None and bool(pred)
    seen.other += letter is not None and letter != pred
    chosen = pred or None if extract == "pred" else letter
    return chosen, None if chosen else NO_FORM if text.strip() else EMPTY


def _answer(item: Item, answer: Answer) -> Answer:
    gold, options = item.answer.strip(WHITE), item.options if isinstance(item.options, list) else []
    choices = [f"{chr(65 + i)}. {in_words(option)}" for i, option in enumerate(options)]
    named = ord(gold) - 65 if len(gold) == 1 else -1
    answer.asked, answer.gold = [item.question, *choices], choices[named] if 0 <= named < len(choices) else gold
    answer.answer = _text(item)
    labels = {"category": item.category, "src": item.src}
    answer.strata = {name: value for name, value in labels.items() if isinstance(value, str)}
    return answer


def _say(log: Log, extract: str, runs: dict[str, Seen]) -> None:
    trusted = extract == "pred"
    for run, seen in runs.items():
        if seen.random:
            log.say(
                "mmlu_pro.letters_not_strict",
                'run {subject!r}: {letters} letters in pred do not follow from the text by the rule "answer is '
                '(X)"; they are random guesses or come from a looser rule, and are {trusted:trusted, as '
                f"requested/read as unanswered ({opt('choose', {'extract': 'pred'})} trusts them)}}",
                run,
                letters=seen.random,
                trusted=trusted,
            )
        if seen.other:
            log.say(
                "mmlu_pro.other_letters",
                "run {subject!r}: in {texts} texts, the letter differs from pred; {trusted:pred is used, as "
                "requested/the letter of the text is used}",
                run,
                texts=seen.other,
                trusted=trusted,
            )
        if seen.textless:
            log.say(
                "mmlu_pro.textless",
                "run {subject!r}: {answers:n answer} {answers:has/have} no text: pred is used unchanged",
                run,
                answers=seen.textless,
            )


# ---- the summaries that the repository writes beside its results ----


def _against_summary(log: Log, source: Source, grades: dict[Key, list[float]], runs: dict[Key, str]) -> None:
    """Add a note if the accuracy in a summary file differs from the mean of `grades`, the repository's own grades.

    `runs` names the run of each file of results. A note also says if the file with the results of this summary was not
    given.
    """
    folders, stem = _key(source)
    results = stem.removesuffix(SUMMARY) + RESULT
    right, wrong = (number(part_of(source.document, "total", name)) for name in ("corr", "wrong"))
    if (folders, results) not in grades:
        template = "{subject}.json: left out, because {results}.json was not given"
        log.say("mmlu_pro.results_not_given", template, stem, results=results)
    elif right is None or wrong is None or not 0 < right + wrong < 1e9:
        log.say("mmlu_pro.no_counts", "{subject}.json: left out, because it has no counts", stem)
    else:
        many = round(right + wrong)
        key = folders, results
        log.compare(f"{stem}.json", "accuracy by pred", right / (right + wrong), grades[key], of=many, run=runs[key])


def _own_grade(item: dict[str, Any]) -> float:
    """Return 1 or 0, the repository's grade of an item.

    If `pred` is null, the repository grades a random option, which depends only on the number of options.
    """
    if pred := item.get("pred"):
        return float(pred == item.get("answer"))
    options = item.get("options")
    return float(isinstance(options, list) and _random_option(len(options)) == item.get("answer_index"))


@lru_cache(maxsize=16)
def _random_option(many: int) -> int:
    return Random(12345).randint(0, many - 1) if many else -1
