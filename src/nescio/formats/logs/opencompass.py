"""OpenCompass: `results/<model>/<dataset>.json` with details, and `predictions/<model>/<dataset>.json`.

Both hold their items by number ("0", "1", …), so a question is identified by its dataset and its number; its only text
is the prompt, without the lines, the beginning and the end that all prompts of the dataset have. What all prompts of a
judge begin and end with says how it graded. A run is a model, and its datasets are a stratum. The verdict of the
details is the outcome. A prediction that a judge calls not attempted is an abstention. One from which nothing was
extracted counts as incorrect (`--unparsed`), and so does an empty one (`--empty`). If the options' perplexities decide
(type PPL), there is no text. The tool's accuracy is in percent, over all items. Copies of a dataset (`n`) are repeats.
A dataset of which a run has an accuracy but no verdicts is lost, if other datasets have verdicts.

nescio judges details of evaluators without a verdict (only `predictions` and `references`) with `--judge`, with the
references as gold. Results without details (`dump_details=False`) hold only figures. Their items are in the
predictions, which nescio judges against their `gold`, if they have it. A file `<dataset>_replica0.json` in `results`
looks like predictions but holds the texts of a judge; the details that use its letters as verdicts are missing.

Evaluators write details in five forms:
- items by number with `correct`, or with only `predictions` and `references`;
- a list with a list of answers for each example (`example_abbr`), one answer per replica of the data set;
- items with `cascade_correct`, if rules and a judge decide together;
- items with `grade_letter`;
- items without an answer, if a judge alone decides: its text is `prediction`, and its prompt `origin_prompt`. Only the
  whole text counts: A is right, B wrong, C not attempted, and anything else a judge that failed. The tool looks for a
  letter anywhere in the text.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nescio.data.changed_questions import words_digest
from nescio.data.dropped import fewer_held
from nescio.data.judge_record import grader
from nescio.data.model import Collection, Question, Response, Run
from nescio.data.outcomes import CORRECT as RIGHT
from nescio.data.outcomes import INCORRECT as WRONG
from nescio.data.outcomes import SILENT
from nescio.data.reasons import EMPTY, NO_FORM
from nescio.errors import FormatError, MismatchError
from nescio.formats.answers import Answer
from nescio.formats.logs.kit import Log, both_means, in_brackets
from nescio.formats.logs.lost_tasks import lost_tasks
from nescio.formats.logs.metrics import by_metric
from nescio.formats.logs.opencompass_prompts import (
    EXAMPLE,
    JUDGED,
    LETTER,
    VERDICTS,
    Item,
    first_of,
    judges_prompts,
    prompt_of,
)
from nescio.formats.logs.prompts import own_texts, shared_words
from nescio.formats.logs.run_names import check_folders
from nescio.formats.logs.simpleqa import GRADES
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, Unjudged, reader
from nescio.sources.elements import as_list, number, part_of, texts_in, whole_number
from nescio.sources.source import Source, own_path
from nescio.tables.lexicon import roles_of

CORRECT = "correct"
FIGURES = ("accuracy", "score", "exact_match", "pass@1", "rouge1", "bleu")
NOT_ATTEMPTED = "not attempted"
# The tool's own names in an item, and its names for answer and gold, which other tools use too.
OWN = {LETTER, EXAMPLE, "origin_prediction", "origin_prompt", "cascade_correct"}
SAID, EXPECTED = {"pred", "predictions", "prediction"}, {"answer", "references", "gold", "refr", *VERDICTS}
_ROUNDED = 5e-5  # Accuracies are rounded to two decimals of a percent, or to more.
_SHARD = re.compile(r"_\d+$")
_JUDGE = re.compile(r"(_llm_judge)?_replica(\d+)$")
FORM = b"opencompass_own_text"  # the name of the digests of what remains of a prompt
_COUNTS = ("correct_count", "incorrect_count", "not_attempted_count")  # of all items that a judge graded
_ACCURACY = re.compile(r"accuracy( \(\d+ runs average\))?")


def recognise(source: Source) -> str | None:
    """Recognise a document of `details` by number (or a list) in the tool's own names, with `accuracy` in percent; one
    of numbered items with `origin_prompt` and `prediction`; or one of figures alone in a folder `results`."""
    document = source.document
    if source.kind != "document" or not isinstance(document, dict):
        return None
    if are_details(document):
        return "results"
    first_item = document.get("0")
    if (
        isinstance(first_item, dict)
        and "prediction" in first_item
        and ("origin_prompt" in first_item or any(str(key).startswith("label: ") for key in first_item))
    ):
        return "judge" if _JUDGE.search(source.stem) else "predictions"
    folders = source.path.absolute().parts[-3:-2] if source.path else ()
    figures = all(isinstance(value, (int, float, str)) for value in document.values())
    return "figures" if folders == ("results",) and figures and {*document} & {*FIGURES} else None


@reader(
    "opencompass",
    about="OpenCompass's MODEL/DATASET.json: results with details, or predictions; both key items by number",
    recognise=recognise,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read the datasets of every model as a run.

    nescio uses the verdicts in the results. If the results have none, nescio judges the predictions.

    Raises MismatchError if the folders of two runs of the tool hold the same dataset of a model.
    """
    log = Log(parts, options)
    check_folders(log.sources, _folder_of)
    results, predictions, figures = log.part("results"), log.part("predictions"), log.part("figures")
    judges = log.part("judge")
    there = {_place(source) for source in (*results, *judges, *figures)}
    decided = [source for source in results if has_verdict(source)]
    # The tool may ask a judge only about answers that its rules counted as wrong.
    some = [source for source in judges if (match := _JUDGE.search(source.stem)) and match[1]]
    verdicts = decided or ([] if results else [source for source in judges if source not in some])
    if not verdicts:
        asked = results or predictions
        if not asked:
            given = [*figures, *judges]
            raise FormatError(given[0].label, _why_no_items(given[0]))
        _say_left_out(log, [source for source in log.sources if source not in asked])
        return ReadResult(_unjudged(asked, options), tuple(log.notes))
    if lacking := [source for source in predictions if _place(source) not in there]:
        rule = (
            "the predictions have no results with details; score them separately from predictions that have such "
            "results"
        )
        raise MismatchError(f"{lacking[0].label}: {rule}")
    graded = {_place(source) for source in verdicts}
    joined = [source for source in predictions if _place(source) in graded]
    _say_left_out(log, [source for source in log.sources if source not in verdicts and source not in joined])
    several = len({task for _, task in graded}) > 1
    answers: list[Answer] = []
    for source in verdicts:
        shards = sorted((shard for shard in predictions if _place(shard) == _place(source)), key=_shard)
        items = [item for shard in shards for _, item in _items(shard) if isinstance(item, dict)]
        dataset_answers = [log.take(answer) for answer in _answers(source, items)]
        for answer in dataset_answers:
            answer.question = f"{answer.task}/{answer.question}" if several else answer.question
            answer.strata = {"task": answer.task} if several else {}
        _against_figure(log, dataset_answers, source)
        answers += dataset_answers
    # Figures of another kind, such as rouge1, are not those of the verdicts, and details cannot hold verdicts on them.
    unread = [*results, *judges, *(source for source in figures if any(map(_ACCURACY.fullmatch, source.document)))]
    for run, task in sorted({_place(source) for source in unread} - graded):
        tasks = {held for known, held in graded if known == run}
        log.notes += lost_tasks(f"{task}.json", run, {task: None}, tasks, tasks) if tasks else []
    return by_metric(log, answers, keep=("task",))


def _items(source: Source) -> list[tuple[str, Any]]:
    """Return pairs of a number and an item, from the `details` of a file of results, or from a file of predictions."""
    return details_of(source.document) or [
        (str(name), item) for name, item in source.document.items() if str(name).isdecimal()
    ]


def _shard(source: Source) -> int:
    match = _SHARD.search(source.stem)
    return int(match[0][1:]) if match else 0


def _say_left_out(log: Log, sources: Sequence[Source]) -> None:
    if sources:
        template = "{files:n file} without verdicts {files:is/are} not read: {names:list 3}"
        log.say("opencompass.not_read", template, files=len(sources), names=[str(source.label) for source in sources])


def _place(source: Source) -> tuple[str, str]:
    """Return the model and the dataset of a file, from the names of its folder and of the file.

    A number at the end of the file's name is left out; the tool adds it if it divides the dataset into parts.
    """
    path = own_path(source.label)
    above = path.parent.parent.name in ("results", "predictions")
    stem = _JUDGE.sub("", source.stem)
    return (path.parent.name if above else stem), (_SHARD.sub("", stem) if above else stem)


def _folder_of(source: Source) -> tuple[tuple[str, ...], Path]:
    """Return the model and the dataset of a file, and the folder above its `results` or `predictions`."""
    path = own_path(source.label)
    above = path.parent.parent.name in ("results", "predictions")
    return (*_place(source), str(above)), path.parent.parent.parent if above else path.parent


def _why_no_items(source: Source) -> str:
    figures = in_brackets(
        [
            f"{name} {value:g}"
            for name in FIGURES
            if isinstance(value := source.document.get(name), (int, float)) and not isinstance(value, bool)
        ]
    )
    model, dataset = _place(source)
    if _JUDGE.search(source.stem):
        return (
            "this file has a judge's texts on answers that rules counted as wrong, but not the answers; give "
            f"results/{model}/{dataset}.json, which has the verdicts if dump_details is set"
        )
    return (
        f"the file holds figures{figures} but no answers; give predictions/{model}/{dataset}.json, beside the folder "
        "results, or run OpenCompass again with dump_details"
    )


# ---- results with details ----


def _answers(source: Source, predictions: Sequence[Item]) -> Iterator[Answer]:
    """Yield the answers of all items. `predictions` has the items of the file of predictions, if there is one.

    Raises FormatError for an item that is not an object, and for a verdict that is neither true nor false.
    """
    run, task = _place(source)
    replica = _JUDGE.search(source.stem)
    items, before = _items(source), int(replica[2]) if replica else 0
    texts = [first_text(item.get("prediction")) or "" for item in predictions][before * len(items) :]
    for name, item in items:
        if not isinstance(item, dict):
            raise FormatError(source.label, "an item must be an object", where=f"details {name}", value=item)
    places = copies([item for _, item in items]) if replica is None else None
    instructions = shared_words([prompt for _, item in items for prompt in judges_prompts(item)], texts)
    prompts = {name: prompt for name, item in items if (prompt := prompt_of(item)) is not None}
    beside = zip(items, predictions, strict=False)
    prompts = prompts or {name: item.get("origin_prompt", item.get("prompt")) for (name, _), item in beside}
    asked = own_texts(prompts)
    for i, (name, item) in enumerate(items):
        several = _unfolded(item)
        for r, attempt in enumerate(several):
            at = i + r * len(items)
            text = texts[at] if at < len(texts) else None
            answer = Answer(run, name, task=task, where=f"details {name}", path=source.label)
            if replica is not None:
                answer.repeat = before + 1
            elif places is not None:
                answer.question, answer.repeat = items[places[i][0]][0], places[i][1]
            elif len(several) > 1:
                answer.repeat = r + 1
            _grade(answer, attempt, text, source, instructions)
            answer.asked, answer.prompt = item.get("question"), prompts.get(name)
            if answer.gold is None and at < len(predictions):
                answer.gold = predictions[at].get("gold")
            words = words_digest(answer.asked or asked.get(name), answer.gold)
            answer.words = words and words + (b"" if answer.asked else FORM)
            yield answer


def _grade(answer: Answer, item: Item, text: str | None, source: Source, instructions: Sequence[str]) -> None:
    """Set the verdict on an answer (NaN if there is none), and its response, extracted text and gold answer.

    `instructions` is what all prompts of the judge say.
    """
    response = item.get("origin_prediction") if text is None else text
    drawn = item.get("predictions", item.get("pred"))
    letter, rule = item.get(LETTER), item.get("rule_evaluation")
    by = "rules" if letter is None else "judge"
    answer.gold = item.get("references", item.get("answer", item.get("gold", item.get("refr"))))
    answer.reason = letter
    if letter is None and {*item} >= JUDGED and not any(item.get(name) is not None for name in VERDICTS):
        letter, by = item["prediction"], "judge"
        if drawn is None:  # There is a judge's text, and no answer.
            answer.reason, response = letter, text
    answer.judges = {CORRECT: grader("rules and judge" if isinstance(rule, dict) else by, prompt=list(instructions))}
    if letter is None:
        answer.scores = {CORRECT: _verdict(source, item, str(answer.where))}
    else:
        state = GRADES.get(str(letter).strip().strip("().*: ").upper(), -1)
        answer.scores = {CORRECT: {RIGHT: 1.0, WRONG: 0.0, SILENT: 0.0}.get(state, math.nan)}
        answer.silent = NOT_ATTEMPTED if state == SILENT else None
    if isinstance(response, dict):  # perplexities of the options
        return
    if isinstance(rule, dict):
        response, drawn = (
            rule.get("origin_prediction") if text is None else text,
            rule.get("predictions", rule.get("pred")),
        )
    answer.answer = first_text(response)
    answer.extracted = None if LETTER in item and not isinstance(rule, dict) else first_text(drawn)
    answer.nothing = _nothing(answer.answer, answer.extracted)
    answer.silent = None if answer.nothing else answer.silent


def _nothing(response: str | None, drawn: str | None) -> str | None:
    """Return the reason why an item has no answer, or None if it has an answer.

    The reasons are an empty response (`response`), or a response from which nothing was extracted (`drawn`).
    """
    if response is not None and not response.strip():
        return EMPTY
    if drawn is not None and drawn.strip() in ("", "None", "[]"):
        return NO_FORM if response else EMPTY
    return None


def _verdict(source: Source, item: Item, where: str) -> float:
    """Return the verdict on an item's answer as 1 or 0, or NaN if the item has no verdict.

    In the file the verdict is true or false, a number, or a list with one of these.
    """
    value = first_of(item.get(name) for name in VERDICTS)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    mark = number(value)
    if value is not None and mark is None:
        raise FormatError(source.label, "correct must be true or false", where=where, value=value)
    return math.nan if mark is None else mark


def _unfolded(item: Item) -> list[Item]:
    """Return the answers in an item as separate items.

    An item with `example_abbr` holds lists with one element per answer; any other item is one answer.
    """
    if EXAMPLE not in item:
        return [item]
    many = max((len(value) for value in item.values() if isinstance(value, list)), default=1)
    return [
        {name: value[r] for name, value in item.items() if isinstance(value, list) and len(value) == many}
        for r in range(many)
    ]


def copies(items: Sequence[Item]) -> list[tuple[int, int]] | None:
    """Return the index of its question and the number of its copy (from 1) for each of `items`.

    OpenCompass writes the whole data set several times, one copy after another, if each question is asked `n` times.
    The result is None if the items are not such copies.
    """
    asked = [_asked(item) for item in items]
    if None in asked:
        return None
    size = len({*asked})
    if not 0 < size < len(asked) or len(asked) % size or asked != asked[:size] * (len(asked) // size):
        return None
    return [(i % size, i // size + 1) for i in range(len(asked))]


def _asked(item: Item) -> str | None:
    """Return the prompt and the gold answer of an item as JSON; None without a prompt, or for several answers."""
    held = item.get("origin_prediction")
    prompt = item.get("prompt", item.get("origin_prompt", part_of(held, "origin_prompt")))
    gold = item.get("references", item.get("gold"))
    return None if not prompt or EXAMPLE in item else json.dumps([prompt, gold], sort_keys=True, default=str)


def _against_figure(log: Log, answers: Sequence[Answer], source: Source) -> None:
    """Add a note if the accuracy or score that the tool states in percent differs from the mean of the answers.

    The mean over the graded answers and the mean over all answers are both accepted.
    """
    counts = [count for key in _COUNTS if (count := whole_number(source.document.get(key))) is not None]
    if sum(counts) > len(answers):
        log.notes.append(fewer_held(source.name, [answers[0].run], sum(counts), len(answers)))
    name = next((name for name in source.document if _ACCURACY.fullmatch(str(name))), "score")
    figure = number(source.document.get(name))
    if figure is not None:
        scores = [answer.scores[CORRECT] for answer in answers]
        what = "score" if name == "score" else "accuracy"
        log.total(source.name, what, figure / 100, both_means(scores), runs=(answers[0].run,), rounding=_ROUNDED)


# ---- documents ----


def details_of(document: Item) -> list[tuple[str, Any]]:
    """Return the `details` of a document as pairs of a number (as text) and an item, in the order of the document."""
    details = document.get("details")
    if isinstance(details, list):
        return [(str(i), detail) for i, detail in enumerate(details)]
    if isinstance(details, dict):
        return [(str(name), detail) for name, detail in details.items() if str(name).isdecimal()]
    return []


def are_details(document: Item) -> bool:
    """Return whether OpenCompass wrote the `details` of a document, which could also be rows of another table.

    OpenCompass uses its own names for answers and gold answers, and states the accuracy in percent. It has no column
    for the run, the question or abstentions, and writes no texts beside the details.
    """
    items = details_of(document)
    item = items[0][1] if items else None
    if not isinstance(item, dict) or any(isinstance(value, str) for value in document.values()):
        return False
    known = {role for name in item for role in roles_of(name)}
    if known & {"run", "abstained", "answered"} or (
        isinstance(document["details"], list) and known & {"question", "row"}
    ):
        return False
    has_names = {*item} & OWN or ({*item} & SAID and {*item} & EXPECTED)
    return bool(has_names) and not _is_a_fraction(document.get("accuracy"), items)


def _is_a_fraction(accuracy: Any, items: Sequence[tuple[str, Any]]) -> bool:
    """Return whether an accuracy is the fraction of right items, from 0 to 1; OpenCompass itself writes percent."""
    right = [number(first_of(item.get(name) for name in VERDICTS)) for _, item in items if isinstance(item, dict)]
    figure, share = number(accuracy), sum(mark == 1 for mark in right) / len(items)
    return figure is not None and share > 0 and abs(figure - share) < 1e-3


def has_verdict(source: Source) -> bool:
    """Return whether some item of the results has a verdict."""
    items = (item for _, item in details_of(source.document) if isinstance(item, dict))
    return any(any(item.get(name) is not None for name in (*VERDICTS, LETTER)) or {*item} >= JUDGED for item in items)


def first_text(value: Any) -> str | None:
    """Return a text, or the elements of a list as one text separated by spaces; None for any other value."""
    if isinstance(value, list):
        value = value[0] if len(value) == 1 else " ".join(str(part) for part in value)
    return value if isinstance(value, str) else None


# ---- predictions ----


def _unjudged(sources: Sequence[Source], options: ReadOptions) -> Unjudged:
    """Return the predictions with their gold answers, for nescio to judge.

    Raises FormatError if a prediction has no gold answer, unless `options.gold` is false because none is needed.
    """
    questions: dict[str, Question] = {}
    runs: dict[str, list[Response]] = {}
    files: dict[str, str] = {}
    for source in sources:
        run, task = _place(source)
        files.setdefault(run, str(source.label))
        begun = sum(response.question_id.startswith(f"{task}/") for response in runs.get(run, ()))
        items = details_of(source.document) or list(source.document.items())
        places = copies([item for _, item in items]) if all(isinstance(item, dict) for _, item in items) else None
        for i, (name, item) in enumerate(items):
            if not isinstance(item, dict) or not str(name).isdecimal():
                rule = "each item must be an object, with its number as the key"
                raise FormatError(source.label, rule, where=f"item {name}", value=item)
            gold = item.get("gold", item.get("references", item.get("answer")))
            if gold is None and options.gold:
                rule = (
                    "these predictions have no gold answers; give results with details (dump_details), which have a "
                    "verdict on each answer"
                )
                raise FormatError(source.label, rule, where=f"item {name}")
            at, repeat = places[i] if places is not None else (int(name), None)
            question = f"{task}/{at + begun}"
            answers = tuple(map(str, gold)) if isinstance(gold, list) else () if gold is None else (str(gold),)
            questions.setdefault(question, Question(question, _prompt(item), answers, strata={"task": task}))
            text = first_text(item.get("prediction", item.get("predictions", item.get("pred")))) or ""
            runs.setdefault(run, []).append(
                Response(
                    question,
                    text or None,
                    bool(text.strip()),
                    why=None if text.strip() else EMPTY,
                    repeat=None if repeat is None else str(repeat),
                )
            )
    collection = Collection("opencompass", tuple(questions.values()))
    answering = tuple(Run(name, tuple(responses)) for name, responses in runs.items())
    return Unjudged(collection, answering, tuple(files[run.name] for run in answering))


def _prompt(item: Mapping[str, Any]) -> str:
    asked = item.get("origin_prompt", item.get("prompt"))
    if isinstance(asked, str):
        return asked
    turns = texts_in([part_of(turn, "prompt") for turn in as_list(asked)])
    return next((turn for turn in reversed(turns) if turn.strip()), "")
