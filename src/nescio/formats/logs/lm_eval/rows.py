"""Read rows of a samples file of lm-evaluation-harness: metrics, confidence, and the reason if a row is no answer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.changed_questions import words_digest
from nescio.data.kept import with_document
from nescio.data.reasons import EMPTY, NO_FORM
from nescio.data.stakes import is_marked
from nescio.data.texts import AnswerTexts, texts_of
from nescio.errors import FormatError
from nescio.formats.logs.kit import Log, labels
from nescio.formats.registry import ReadOptions
from nescio.sources.elements import as_list, as_object, identifier, identity, number, part_of
from nescio.text import best_f1, normalise, sanitize

SAMPLE = {"doc_id", "doc", "filtered_resps"}
NOT_METRICS = {*SAMPLE, "target", "arguments", "resps", "filter", "metrics", "doc_hash", "prompt_hash", "target_hash"}
# With this metric, log-probabilities of the options without the question follow those with it.
BOTH_WAYS = "acc_mutual_info"
EXACT, F1 = "exact", "f1"  # the figures of SQuAD's evaluation script
NO_PREDICTION = "abstained by an empty prediction"  # the rule of SQuAD's script
_LONGEST = 400  # the most characters of an answer that may decline in words
Rows = Iterable[tuple[Any, str]]  # rows with their places
# keys of documents that may hold the question
QUESTIONS = ("question", "query", "problem", "input", "prompt", "sentence", "goal", "text", "ctx")


class Item(Struct, frozen=True):
    """One row of a samples file.

    `values` are the metrics, keyed by name; None is a value that is not a number. `why` is the reason why the row
    counts as no answer, or None. `declines` is the text in which the row declines to answer, or None. `answerable` is
    -1 if the row does not say whether the question has an answer. `sure` is two confidences: of the likeliest option,
    and of the option that is likeliest per character. `hash` is a hash of the document, and `said` a hash of the
    responses. `repeat` is the number of the response if the question has several. `ungraded` counts the responses that
    the metrics leave out. `no_gold` says that the gold answer is empty, and `paired` that the metrics hold the
    prediction and the gold answers instead of a score. `text` is a short answer as it was graded. `words` has digests
    of the question and of the gold answer, and `kept` those of the document and of the gold answer.
    """

    doc: str
    filter: str
    values: dict[str, float | None]
    why: str | None
    answerable: int
    declines: str | None
    sure: tuple[float, float | None] | None
    labels: dict[str, str]
    hash: int | None
    where: str
    texts: AnswerTexts | None = None
    repeat: int | None = None
    said: int = 0
    ungraded: int = 0
    no_gold: bool = False
    paired: bool = False
    text: str = ""
    words: bytes = b""
    kept: bytes = b""


def read_items(rows: Rows, label: object, fallbacks: set[str], options: ReadOptions, *, alone: bool) -> Iterator[Item]:
    """Yield the rows of a samples file as items.

    `fallbacks` are texts that a filter inserts if it extracts nothing. If `alone` is false, other files are read too,
    and items keep the hashes of their documents, so that files can be compared.
    """
    for row, where in rows:
        if not isinstance(row, dict):
            raise FormatError(label, "each item must be an object", where=where, value=row)
        hash_ = row.get("doc_hash")
        parts = _repeats(row)
        for i, part in enumerate(parts, 1):
            item = _item(part, where, label, fallbacks, options)
            item = item if len(parts) == 1 else replace(item, repeat=i, ungraded=0)
            if isinstance(hash_, str):
                item = replace(item, hash=None if alone else hash(hash_), kept=with_document(item.words, hash_))
            yield item


def _repeats(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return one row for each response in `row`, if there are several and some metric grades each; else only `row`.

    A metric grades each response if its value is a list with one number for each response.
    """
    size = _sampled(row)
    metrics = row.get("metrics")
    names = metrics if isinstance(metrics, list) else [name for name in row if name not in NOT_METRICS]
    graders = [name for name in names if isinstance(name, str) and _grades(row.get(name), size)]
    answers = _texts(row.get("filtered_resps"))
    if size < 2 or not graders or len(answers) != size:
        return [row]
    raw = _texts(row.get("resps"))
    return [
        {**row, "filtered_resps": [answers[i]], "resps": [[raw[i]]]} | {name: row[name][i] for name in graders}
        for i in range(size)
    ]


def _sampled(row: dict[str, Any]) -> int:
    """Return the number of responses in `resps`, which has the form [[first, second, …]]; 1 if unknown."""
    requests = row.get("resps")
    responses = requests[0] if isinstance(requests, list) and len(requests) == 1 else None
    texts = isinstance(responses, list) and all(isinstance(response, str) for response in responses)
    return len(responses) if texts and responses else 1


def _grades(value: Any, size: int) -> bool:
    return isinstance(value, list) and len(value) == size and all(number(part) is not None for part in value)


def _item(row: dict[str, Any], where: str, label: object, fallbacks: set[str], options: ReadOptions) -> Item:
    doc = as_object(row.get("doc")).get("id")
    if not is_marked(doc):  # A marked document asks its question at several stakes.
        doc = identifier(row, "doc_id", label, where)
    filter_, responses = row.get("filter", "none"), row.get("filtered_resps")
    if not isinstance(filter_, str):
        raise FormatError(label, "filter must be a text", where=where, value=filter_)
    if not isinstance(responses, list):
        raise FormatError(label, "filtered_resps must be a list", where=where, value=responses)
    metrics = row.get("metrics")
    names = metrics if isinstance(metrics, list) else [name for name in row if name not in NOT_METRICS]
    values = {sanitize(name, target="message"): number(row.get(name)) for name in names if isinstance(name, str)}
    pairs = _pairs(responses)
    texts = [] if pairs else [text.strip() for text in _texts(responses)]
    squad = _prediction_with_gold(row, values)
    why = None
    if squad is not None:
        texts = [squad[0].strip()]
        answer, golds = squad
        keys = [key for key in map(normalise, golds) if key] or [""]
        values |= {EXACT: float(normalise(answer) in keys), F1: best_f1(answer, golds)}
        why = None if texts[0] else NO_PREDICTION
    elif not pairs and not any(texts):
        why = EMPTY
    elif texts and all(text in fallbacks for text in texts):
        why = NO_FORM
    raw = texts if squad is not None else _texts(row.get("resps"))
    declines = _declines((texts, raw), options) if options.declined.asked and not pairs else None
    lengths = _lengths(row.get("arguments"), len(pairs)) if len(pairs) > 1 else None
    sure = _sure(pairs[: len(pairs) // 2] if BOTH_WAYS in values else pairs, lengths)
    target = row.get("target")
    answerable = 0 if isinstance(target, str) and options.declined.asked and options.declined.fits(target) else -1
    no_gold = isinstance(target, (str, list)) and not any(text.strip() for text in _texts(target))
    if squad is not None:
        answerable, no_gold = int(bool(squad[1])), not squad[1]
    return Item(
        identity(doc),
        sanitize(filter_, target="message"),
        values,
        why,
        answerable,
        declines,
        sure,
        labels(as_object(row.get("doc")), options),
        None,
        where,
        _words(row, pairs) if options.texts else None,
        said=hash("\0".join(_texts(row.get("resps")))),
        ungraded=max(_sampled(row) - max(len(texts), 1), 0),
        no_gold=no_gold,
        paired=squad is not None,
        text=texts[0] if len(texts) == 1 and len(texts[0]) <= _LONGEST else "",
        words=words_digest(_question(row), target),
    )


def _prediction_with_gold(row: dict[str, Any], metrics: Iterable[str]) -> tuple[str, list[str]] | None:
    """Return the prediction and the gold answers that a metric of the row holds instead of a score, or None.

    The tool logs such a pair for a metric that it computes over all rows at once, such as that of SQuAD.
    """
    for name in metrics:
        pair = row.get(name)
        if isinstance(pair, list) and len(pair) == 2:
            prediction, answers = part_of(pair[0], "prediction_text"), part_of(pair[1], "answers", "text")
            if isinstance(prediction, str) and isinstance(answers, list):
                return prediction, _texts(answers)
    return None


def _words(row: dict[str, Any], pairs: Sequence[float]) -> AnswerTexts:
    """Return the texts of a row: the question (or the prompt), the target, and the answer (or the likeliest option)."""
    target, question = row.get("target"), _question(row) or _prompt(row.get("arguments"), 0, 0)
    if not pairs:
        return texts_of(
            question, target if isinstance(target, list) else [target], row.get("resps"), _texts(row["filtered_resps"])
        )
    options = [_prompt(row.get("arguments"), i, 1) for i in range(len(pairs))]
    chosen = options[max(range(len(pairs)), key=pairs.__getitem__)] if len(pairs) > 1 else None
    right = options[target] if isinstance(target, int) and 0 <= target < len(options) and options[target] else target
    shown = [f"{i + 1}. {option}" for i, option in enumerate(options) if option] if len(pairs) > 1 else []
    return texts_of([question, *shown], [right], chosen)


def _question(row: dict[str, Any]) -> Any:
    """Return the question in the document of a row, or None."""
    doc = as_object(row.get("doc"))
    return next((doc[name] for name in QUESTIONS if doc.get(name)), None)


def _prompt(arguments: Any, request: int, part: int) -> str:
    """Return the prompt (if `part` is 0) or the continuation (if `part` is 1) of a request; "" if there is none.

    `arguments` has all requests of a row, and `request` is the number of the request in it, counted from 0.
    """
    text: Any = None
    if isinstance(arguments, dict):
        text = part_of(arguments, f"gen_args_{request}", f"arg_{part}")
    elif isinstance(arguments, list) and request < len(arguments):
        pair = arguments[request]
        text = pair[part] if isinstance(pair, list) and part < len(pair) else None
    return text.strip() if isinstance(text, str) else ""


def _declines(forms: Iterable[list[str]], options: ReadOptions) -> str | None:
    """Return a text that declines to answer, or None if the row does not decline.

    Each element of `forms` has the texts of one answer in one form, such as its responses before a filter. The answer
    declines if all texts of a form match `--declined-pattern`. If only some match, a vote over them may have gone the
    other way.
    """
    for texts in forms:
        if texts and all(map(options.declined.fits, texts)):
            return texts[0]
    return None


def _texts(value: Any) -> list[str]:
    """Return the texts in nested lists, in order; a number counts as a text."""
    texts, left = [], [value]
    while left:
        part = left.pop()
        if isinstance(part, list):
            left += reversed(part)
        elif part is not None:
            texts.append(str(part))
    return texts


def _pairs(responses: list[Any]) -> list[float]:
    """Return the log-probabilities of the options if each response is [log-probability, is greedy]; else empty."""
    logs = []
    for response in responses:
        if not isinstance(response, list) or len(response) != 2 or str(response[1]) not in ("True", "False"):
            return []
        log = number(response[0])
        if log is None:
            return []
        logs.append(log)
    return logs


def _lengths(arguments: Any, count: int) -> list[int] | None:
    """Return the number of characters of each of `count` options, from their requests; None if one has no text."""
    if isinstance(arguments, dict):
        texts = [part_of(arguments, f"gen_args_{i}", "arg_1") for i in range(count)]
    else:
        texts = [
            request[1] if isinstance(request, list) and len(request) > 1 else None for request in as_list(arguments)
        ]
    lengths = [len(text.removeprefix(" ")) for text in texts if isinstance(text, str)]
    return lengths if len(lengths) == count and all(lengths) else None


def _sure(logs: Sequence[float], lengths: Sequence[int] | None) -> tuple[float, float | None] | None:
    """Return two confidences: of the likeliest option, and of the likeliest option per character.

    A confidence is the softmax of the options' log-probabilities `logs`. The second is None without `lengths`. The
    result is None for fewer than two options, or if the highest log-probability is not finite. A single log-probability
    is that of the gold answer.
    """
    if len(logs) < 2 or not math.isfinite(top := max(logs)) or any(map(math.isnan, logs)):
        return None
    weights = [math.exp(log - top) for log in logs]
    total = math.fsum(weights)
    if lengths is None or len(lengths) < len(logs):
        return 1 / total, None
    best = max(range(len(logs)), key=lambda i: logs[i] / lengths[i])
    return 1 / total, weights[best] / total


# ---- several responses to one document ----


def numbered(items: list[Item]) -> list[Item]:
    """Return the rows, numbered as repeats if every document has the same number of rows, and more than one.

    If all rows of each document have the same responses, they are duplicates. They are not numbered, so that nescio
    refuses them later.
    """
    rows = Counter(item.doc for item in items)
    if any(item.repeat for item in items) or max(rows.values(), default=1) < 2 or len({*rows.values()}) > 1:
        return items
    if len({(item.doc, item.said) for item in items}) == len(rows):
        return items
    seen: Counter[str] = Counter()
    numbered = []
    for item in items:
        seen[item.doc] += 1
        numbered.append(replace(item, repeat=seen[item.doc]))
    return numbered


def without_gold(file: str, items: list[Item], log: Log) -> list[Item]:
    """Return the rows, marked as answerable or not. A question has no answer if its gold answer is empty.

    If all gold answers are empty, the task must be graded in another way, and no row is marked.
    """
    empty = sum(item.no_gold for item in items)
    if not 0 < empty < len(items):
        return items
    template = (
        "{subject}: {empty} of {of:n document} {empty:has/have} an empty gold answer, so {empty:its question "
        "counts/their questions count} as unanswerable"
    )
    log.say("lm_eval.no_gold", template, file, empty=empty, of=len(items))
    return [replace(item, answerable=int(not item.no_gold and item.answerable != 0)) for item in items]


def say_repeats(file: str, items: Sequence[Item], log: Log) -> None:
    """Add a note on the number of responses per document, or on responses that the log does not grade."""
    if repeats := max((item.repeat or 0 for item in items), default=0):
        template = "{subject}: each document has {repeats} graded responses, which are read as repeats of its question"
        log.say("lm_eval.repeats", template, file, repeats=repeats)
    elif several := sum(bool(item.ungraded) for item in items):
        log.say(
            "lm_eval.one_graded",
            "{subject}: {documents:n document} {documents:has/have} several responses but only one grade, of the "
            "first response or of a filter's result; so the responses are not read as repeats",
            file,
            documents=several,
        )
