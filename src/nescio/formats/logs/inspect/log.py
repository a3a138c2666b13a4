"""Read a log of Inspect, its header and its samples, from an `.eval` archive or a `.json` document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.dropped import fewer_held, repeated
from nescio.data.kept import HELD
from nescio.data.reasons import BLOCKED, CUT, ERRORED, INVALIDATED, REFUSED
from nescio.data.texts import in_words
from nescio.errors import FormatError
from nescio.formats.logs.kept_members import OWN
from nescio.formats.logs.kit import NO_SCORE, Log
from nescio.formats.logs.run_names import printable
from nescio.formats.registry import ReadOptions
from nescio.sources.documents import read_members
from nescio.sources.elements import as_list, as_object, identifier, identity, number, objects_in, part_of, texts_in
from nescio.sources.json import decode_document, most_keys, refuse_twice
from nescio.sources.source import Source
from nescio.tables.statuses import ended
from nescio.text import sanitize

# The last is for early logs, whose summary is in results.json.
HEADERS = ("header.json", "_journal/start.json", "start.json")
SKIPPED = {"events", "events_data", "messages", "attachments", "store"}  # long parts that nescio does not read
UNNAMED = "score"  # the name of the scorer in early logs, whose samples have one score without a name
UNREAD = "grade_parse_failure"  # the tool's reason, since May 2026, if it found no grade in a judge's words
# the tool's reasons for a failed grader, in addition to all that begin with the next text
FAILED = ("scoring_failed", UNREAD)
FAILED_GRADER = "grader_"  # grader_failed, grader_refusal, …
_NO_GRADE = "Grade not found in model output"
UNCHANGED = "UNCHANGED"  # what an edit of a score says of the parts that it leaves
GRADER = "grader"  # the role of the model that grades, unless a scorer names another
_MANY = 1_000  # the most members of an object in a log


class Score(Struct, frozen=True):
    """A scorer's grade of a sample.

    `value` is the grade, `answer` the part of the output that was graded, and `reason` the tool's word for the reason
    of the grade. `explanation` is a text for people, empty if texts are not wanted. `edited` says that the grade was
    changed after the scorer gave it.
    """

    value: Any
    answer: str = ""
    reason: str = ""
    explanation: str = ""
    edited: bool = False

    @property
    def failed(self) -> bool:
        """Return whether the tool's reason says that the grader failed."""
        return self.reason in FAILED or self.reason.startswith(FAILED_GRADER)


class Sample(Struct, frozen=True):
    """The parts of one sample that nescio reads.

    `stopped` is the reason why the sample has no score, if it has none. `silent` is the reason if the answer was
    blocked, refused, or cut off before its first word, or None. `empty` says that the output holds neither a text nor a
    tool call, and `limited` that a limit of time, tokens or the like stopped the sample.
    """

    id: str
    epoch: int
    scores: dict[str, Score]
    stopped: str
    text: str
    silent: str | None
    empty: bool
    question: str
    targets: tuple[str, ...]
    options: tuple[str, ...]
    labels: Mapping[str, Any]
    where: str
    error: str = ""
    limited: bool = False

    def differs(self, other: Sample) -> bool:
        """Return whether two samples have different outputs or grades; not if this one stopped with an error."""
        grades = [{name: (s.value, s.answer) for name, s in sample.scores.items()} for sample in (self, other)]
        other_output = (self.text, self.silent) != (other.text, other.silent)
        return (bool(self.scores) or self.stopped != ERRORED) and (other_output or grades[0] != grades[1])


class Transcript(Struct, frozen=True):
    """A log of Inspect: its header, its samples, the name of its run, and the prefix of its questions' names.

    `left` counts the samples of epochs that the user left out.
    """

    path: Path
    header: Mapping[str, Any]
    samples: list[Sample]
    run: str = ""
    prefix: str = ""
    left: int = 0

    def held(self, *names: str) -> Any:
        """Return the value in the header under nested keys, such as ("eval", "model"); None if there is none."""
        return part_of(self.header, *names)

    def text(self, *names: str) -> str:
        """Return the value in the header under nested keys if it is a string, or else an empty string."""
        return printable(self.held(*names))

    @property
    def expected(self) -> int | None:
        """Return the number of samples that the header states, questions times epochs; None if it states no number.

        It is the largest that the header states. The size of the dataset does not count if the user of Inspect asked
        for a part of it (`limit`, `sample_id`).
        """
        dataset, config = as_object(self.held("eval", "dataset")), as_object(self.held("eval", "config"))
        totals = [self.held("results", name) for name in ("total_samples", "completed_samples")]
        ids, epochs = dataset.get("sample_ids"), config.get("epochs")
        asked = [len(ids) if isinstance(ids, list) else None]
        if config.get("limit") is not None or config.get("sample_id") is not None:
            asked = [] if isinstance(totals[0], int) else asked
        else:
            asked.append(dataset.get("samples"))
        times = epochs if isinstance(epochs, int) else 1
        totals += [questions * times for questions in asked if isinstance(questions, int)]
        return max((total for total in totals if isinstance(total, int)), default=None)

    def grading(self, scorer: str) -> dict[str, Any]:
        """Return how a scorer graded: its parameters, the version of the task, and the model in the role of the grader,
        as the header states them."""
        summaries = objects_in(self.held("results", "scores"))
        settings = next(
            (summary.get("params") for summary in summaries if scorer in (summary.get("name"), summary.get("scorer"))),
            None,
        )
        if not settings:
            declared = objects_in(self.held("eval", "scorers"))
            settings = next((entry.get("options") for entry in declared if _last(entry.get("name")) == scorer), None)
        parameters = as_object(settings)
        role = parameters.get("model_role")
        role = role if isinstance(role, str) else GRADER
        version = {"task_version": self.held("eval", "task_version") or None}
        return {**parameters, **version, f"model_roles.{role}": self.held("eval", "model_roles", role)}

    def figures(self) -> Iterator[tuple[str, str, str, float, str]]:
        """Yield the log's own figures that are means.

        Each is a tuple: the scorer, the name of the score, the metric, the value, and the reducer of repeats.
        """
        for score in objects_in(self.held("results", "scores")):
            for name, metric in as_object(score.get("metrics")).items():
                value = number(part_of(metric, "value"))
                if value is not None and name.split("/")[-1] in ("accuracy", "mean"):
                    scorer, called = (sanitize(str(score.get(key)), target="message") for key in ("scorer", "name"))
                    yield scorer, called, printable(name), value, printable(score.get("reducer"))


def _last(name: Any) -> str:
    """Return the name of a scorer without the package before it, as in "inspect_ai/match"."""
    return name.rpartition("/")[-1] if isinstance(name, str) else ""


def open_log(source: Source, log: Log) -> Transcript:
    """Return a log with its samples. Raises FormatError if it has no samples."""
    if source.kind == "archive":
        header, rows = _header(source), _members(source)
    else:
        header, rows = source.document, _listed(source)
    samples = [_sample(row, where, source, log.options) for row, where in rows]
    script = Transcript(Path(source.label), header, samples)
    if not samples:
        raise FormatError(source.label, _why_no_samples(script))
    return script


def checked(script: Transcript, log: Log) -> Transcript:
    """Return a log in which each sample has another pair of id and epoch.

    Notes are added on repeated samples, and if the log ended early or holds fewer or more samples than it states.
    """
    script = replace(script, samples=_once(script, log))
    name, status, held = script.path.name, script.text("status") or "unknown", len(script.samples)
    if status == "success":
        metric, figure = next(((metric, value) for *_, metric, value, _ in script.figures()), ("", None))
        log.total(name, metric, figure, (), covered=script.expected, held=held, runs=(script.run,))
    elif script.held("eval", "metadata", f"{OWN}{HELD}") is not None:
        return script  # This log was written by nescio, and its metadata say what the original files held.
    elif script.expected is None or script.expected > held:
        ended = f"; the status of the log is {status}"
        log.notes.append(fewer_held(name, [script.run], script.expected, held, ended))
    else:
        template = "{subject}: the status of the log is {status}; it holds {samples:n sample}, as many as it states"
        log.say("inspect.status", template, name, status=status, samples=held)
    return script


def _why_no_samples(log: Transcript) -> str:
    if not log.held("results"):
        return "this log was started but not finished: it has no samples"
    shown = [f"{scorer} {metric} {value:g}" for scorer, _, metric, value, _ in log.figures()]
    figures = f"; its own figures: {', '.join(shown)}" if shown else ""
    return (
        f"this file holds the header of a log but none of its {log.expected or 0} samples, so nescio finds no answers "
        f"in it{figures}"
    )


def _header(source: Source) -> Mapping[str, Any]:
    name = next(name for name in HEADERS if name in source.members)
    header: dict[str, Any] = {}
    for member in (name, "results.json") if name == HEADERS[-1] else (name,):
        for content, where in _contents(source, member.__eq__):
            header |= _object(source, content, where)
    return header


def _members(source: Source) -> Iterator[tuple[dict[str, Any], str]]:
    for content, where in _contents(source, lambda name: name.startswith("samples/") and name.endswith(".json")):
        yield _object(source, content, where), where


def _contents(source: Source, wanted: Callable[[str], bool]) -> Iterator[tuple[bytes, str]]:
    assert source.path is not None
    for info, content in read_members(source.path, wanted):
        yield content, f"member {sanitize(info.filename, target='message')}"


def _object(source: Source, content: bytes, where: str) -> dict[str, Any]:
    """Return a JSON object, with its long parts left undecoded if possible; NaN is accepted."""
    import msgspec

    label = str(source.label)
    try:
        raw = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        document = decode_document(label, content, source.room, where)
        if not isinstance(document, dict):
            raise FormatError(label, "this must be a JSON object", where=where, value=document) from None
        return document
    if len(raw) > _MANY:  # Such an object is no log's, and decoding all of it at once is faster than part by part.
        document = decode_document(label, content, source.room, where)
        return {name: value for name, value in document.items() if name not in SKIPPED}
    if most_keys(content) > len(raw) + sum(most_keys(bytes(value)) for value in raw.values()):
        refuse_twice(label, content, where)
    kept = {name: bytes(value) for name, value in raw.items() if name not in SKIPPED}
    return {name: decode_document(label, value, source.room, where) for name, value in kept.items()}


def _listed(source: Source) -> Iterator[tuple[Any, str]]:
    samples = source.document.get("samples")
    if samples is not None and not isinstance(samples, list):
        raise FormatError(source.label, "samples must be a list", value=samples)
    return ((row, f"sample {i}") for i, row in enumerate(samples or (), 1))


def _once(script: Transcript, log: Log) -> list[Sample]:
    """Return the samples of a log, each with a different pair of id and epoch.

    If the log states as many samples as it holds, repeated ones are real answers: all but the first get an unused
    epoch. Otherwise only the last sample with an id and epoch is kept, which may be another answer than those before.
    """
    keys = Counter((sample.id, sample.epoch) for sample in script.samples)
    again = len(script.samples) - len(keys)
    if not again:
        return script.samples
    if script.expected != len(script.samples):
        last = {(sample.id, sample.epoch): sample for sample in script.samples}
        differ = {key for sample in script.samples if sample.differs(last[key := (sample.id, sample.epoch)])}
        log.notes.append(repeated(script.run, again, len(differ), "sample"))
        return list(last.values())
    log.say(
        "inspect.repeats",
        "{subject}: {samples:n sample} {samples:has/have} the id and epoch of an earlier sample; the log counts all "
        "samples, so these are read as repeats",
        script.path.name,
        samples=again,
    )
    once, taken = [], {*keys}
    met: set[tuple[str, int]] = set()
    for sample in script.samples:
        epoch = sample.epoch
        if (sample.id, epoch) in met:
            while (sample.id, epoch) in taken:
                epoch += 1
            taken.add((sample.id, epoch))
        met.add((sample.id, epoch))
        once.append(replace(sample, epoch=epoch))
    return once


# ---- samples ----


def _sample(row: Any, where: str, source: Source, options: ReadOptions) -> Sample:
    def fail(rule: str, value: object) -> FormatError:
        return FormatError(source.label, rule, where=where, value=value)

    if not isinstance(row, dict):
        raise fail("a sample must be an object", row)
    name, epoch = identifier(row, "id", source.label, where), row.get("epoch", 1)
    if isinstance(epoch, bool) or not isinstance(epoch, int) or epoch < 1:
        raise fail("epoch must be a whole number from 1", epoch)
    text, silent, empty = _said(as_object(row.get("output")))
    if row.get("sandbox"):  # The state of the sandbox was graded, and not the text.
        empty, silent = False, None if silent == CUT else silent
    choices = as_list(row.get("choices"))
    return Sample(
        identity(name),
        epoch,
        _scores_of(row, fail, texts=options.texts),
        INVALIDATED if row.get("invalidation") else ERRORED if row.get("error") else NO_SCORE,
        text,
        silent,
        empty,
        _input(row.get("input")),
        _targets(row.get("target"), choices),
        tuple(map(str, choices)),
        as_object(row.get("metadata")),
        where,
        _error(row.get("error")) if options.texts else "",
        bool(row.get("limit")),
    )


def _error(error: Any) -> str:
    return in_words(error.get("message") if isinstance(error, dict) else error)


def _scores_of(row: Mapping[str, Any], fail: Callable[[str, object], FormatError], *, texts: bool) -> dict[str, Score]:
    scores = row.get("scores")
    if scores is None:
        scores = {UNNAMED: row["score"]} if row.get("score") is not None else {}
    if not isinstance(scores, dict):
        raise fail("scores must be an object", scores)
    by_name = {}
    for name, score in scores.items():
        if not isinstance(score, dict):
            raise fail(f"the score of {name!r} must be an object", score)
        answer = score.get("answer")
        by_name[sanitize(name, target="message")] = Score(
            score.get("value"),
            answer if isinstance(answer, str) else "",
            _reason(score),
            in_words(score.get("explanation")) if texts else "",
            _is_edited(objects_in(score.get("history"))),
        )
    return by_name


def _is_edited(history: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a score's history says that its value was edited; the scorer's own comes first, without author."""
    start = 0 if history and history[0].get("provenance") else 1
    return any(edit.get("value") != UNCHANGED for edit in history[start:])


def _reason(score: Mapping[str, Any]) -> str:
    """Return the reason for a score, in the tool's words; empty if it gives none.

    Until May 2026 (#4048) Inspect graded an answer as wrong if it found no grade in the judge's text. Only the
    explanation shows this. It does not if several judges voted, because the explanation is the first judge's, or if a
    person has graded the answer since.
    """
    details = as_object(score.get("metadata"))
    candidates = texts_in([score.get("reason"), details.get("unscored_reason"), details.get("reason")])
    reason = next(filter(None, candidates), "")
    explanation = score.get("explanation")
    unread = isinstance(explanation, str) and explanation.startswith(_NO_GRADE) and score.get("value") == "I"
    if not reason and unread and "individual_scores" not in details and not score.get("history"):
        return UNREAD
    return reason


def _said(output: Mapping[str, Any]) -> tuple[str, str | None, bool]:
    """Return the text of an output, why it was blocked, refused or cut off (or None), and whether it is empty.

    An output without a text is not empty if the model called a tool.
    """
    first = next(iter(as_list(output.get("choices"))), None)
    content = part_of(first, "message", "content")
    blocks = objects_in(content)
    completion = output.get("completion")
    if not isinstance(completion, str):
        completion = content if isinstance(content, str) else "".join(texts_in([block.get("text") for block in blocks]))
    silent = REFUSED if any(block.get("refusal") is True for block in blocks) else None
    stated = first is not None or isinstance(output.get("completion"), str)
    empty = stated and not completion.strip() and not part_of(first, "message", "tool_calls")
    stopped = ended(str(part_of(first, "stop_reason")))
    if stopped == BLOCKED or (stopped == CUT and empty and silent is None):
        silent = stopped
    return completion.strip(), silent, empty


def _input(content: Any) -> str:
    """Return the question, which is the input itself or the last message of the user."""
    if isinstance(content, str):
        return content
    texts = [_text(message.get("content")) for message in objects_in(content) if message.get("role") == "user"]
    return next((text for text in reversed(texts) if text), "")


def _text(content: Any) -> str:
    """Return the text of a message, or of its text blocks."""
    if isinstance(content, str):
        return content
    return "\n".join(texts_in([block.get("text") for block in objects_in(content)]))


def _targets(target: Any, choices: list[Any]) -> tuple[str, ...]:
    """Return the gold answers of a sample. Letters of options are replaced by their texts."""
    texts = [str(item).strip() for item in (target if isinstance(target, list) else [target]) if item not in (None, "")]
    letters = [ord(text) - ord("A") if len(text) == 1 else -1 for text in texts]
    if choices and all(0 <= letter < len(choices) for letter in letters):
        return tuple(str(choices[letter]) for letter in letters)
    return tuple(texts)
