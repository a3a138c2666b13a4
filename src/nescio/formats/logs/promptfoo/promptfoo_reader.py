"""promptfoo: `results.json` of version 3, or one result per line. An error of the provider is neither a wrong answer
nor an abstention.

A result is `{"testIdx", "promptIdx", "success", "failureReason", "score", "provider", "response": {"output"}, …}`; the
reason of a failure is 0 none, 1 an assertion, 2 an error. The text of a failed assertion is in `error` as well, so
`error` says nothing if there is an output. A refusal (`isRefusal`) is an abstention, an empty output counts as
incorrect (`--empty`); a failure that comes only from a judge (`graderError`), or from an assertion script that crashed,
is ungraded. promptfoo's CSV table does not distinguish these, and is refused.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SAID_SO
from nescio.data.reasons import EMPTY, ERRORED, REFUSED
from nescio.data.texts import AnswerTexts, texts_of
from nescio.errors import FormatError
from nescio.formats.logs import grading
from nescio.formats.logs.graded import Graded, declined, numbered
from nescio.formats.logs.grading import SCORE, UNREAD
from nescio.formats.logs.promptfoo.pairing import FileOfTests, asked_of, name_of, paired
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.formats.totals import Total, contradictions
from nescio.sources.elements import as_object, objects_in, part_of
from nescio.sources.source import Source, name_runs
from nescio.sources.tables import json_lines

KEYS = {"testIdx", "promptIdx", "success"}
TABLE = {"Status", "Score", "Named Scores", "Grader Reason"}
CRASHED = ("Custom function threw error", "Python code execution failed", "Ruby code execution failed")
_ASSERTION, _ERROR = 1, 2
Row = dict[str, Any]


def recognise(source: Source) -> str | None:
    """Recognise a document with `results.results` (or, where it is empty, `evalId` and `results`), or lines of testIdx,
    promptIdx and success; or the table that promptfoo writes, which is not read."""
    if source.kind == "delimited" and {*source.columns} >= TABLE:
        return "table"
    if source.kind == "lines":
        return "log" if {*source.columns} >= KEYS else None
    if source.kind != "document" or not isinstance(source.document, dict):
        return None
    table = _table(source.document)
    if isinstance(results := table.get("results"), list):
        own = "version" in table or any(isinstance(one, dict) and {*one} >= KEYS for one in results[:1])
        return "log" if own else None
    stopped = isinstance(source.document.get("evalId"), str) and _is_empty(source.document.get("results"))
    return "log" if stopped else None


def _is_empty(results: Any) -> bool:
    """Say whether what stands under `results` holds none: an evaluation that was stopped leaves nothing, or all but
    them."""
    return results is None or results == [] or (isinstance(results, dict) and not results.get("results"))


def _table(document: Row) -> Row:
    """Return the object that holds `version` and `results`: that under `results`, or the document where it stands
    alone."""
    inner = document.get("results")
    if isinstance(inner, dict):
        return inner
    return document if "version" in document and "prompts" in document else {}


@reader(
    "promptfoo",
    about="promptfoo results: results.json (version 3) or one result per line",
    recognise=recognise,
    sniff_keys={"delimited": (*TABLE,), "lines": (*KEYS,), "object": ("results", "evalId")},
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every provider and prompt as a run, every test a question; several files are several runs of the same
    tests, called by their file (or folder)."""
    notes: list[Note] = []
    files: list[FileOfTests] = []
    prefixes = [f"{name}: " for name in name_runs([source for _, source in parts])] if len(parts) > 1 else [""]
    for (part, source), prefix in zip(parts, prefixes, strict=True):
        if part == "table":
            rule = (
                "this is promptfoo's table, which does not say which failures are errors of a script or a judge; have "
                "it write the results themselves (promptfoo eval -o results.json, or promptfoo export)"
            )
            raise FormatError(source.label, rule, where=source.head)
        files.append(_file(source, options, notes, prefix))
    return grading.result_of(_repeats(files, notes), parts[0][1].label, options, notes)


def _file(source: Source, options: ReadOptions, notes: list[Note], prefix: str) -> FileOfTests:
    graded: list[tuple[tuple[str, int], Graded]] = []
    crashed = 0
    for result, where in _results(source):
        _check(source, result, where)
        crashed += any(map(_crashed, _assertions(result.get("gradingResult"))))
        graded.append((_key(result), _graded(source, result, where, options)))
    if not graded:
        raise FormatError(source.label, "its results are empty: promptfoo wrote no answer to any test")
    if crashed:
        notes.append(
            note(
                "promptfoo.crashed",
                "{subject}: in {crashed} of {total} results an assertion script crashed, which the tool "
                "counts as a failure; results that failed for no other reason are not graded",
                source.name,
                crashed=crashed,
                total=len(graded),
            )
        )
    runs = list(dict.fromkeys(key for key, _ in graded))
    names = dict(
        zip(runs, grading.run_names([(provider, f"prompt {prompt}") for provider, prompt in runs]), strict=True)
    )
    scores = [score for _, row in graded for score in row.scores.values()]
    scale = grading.scale_of(scores, options)
    if scale is None:
        notes.append(grading.no_outcome("a score of these results", SCORE))
    elif options.choose.get("threshold"):
        notes += grading.say_partial(scale, "these results", len(scores), options)
    if len({provider for provider, _ in runs}) < len(runs):
        notes.append(note("promptfoo.prompts", "runs are distinguished by the number of their prompt"))
    notes += _against_counts(source)
    rows = [replace(row, run=prefix + names[key]) for key, row in graded]
    asked = asked_of(result for result, _ in _results(source)) if prefix else {}  # a file alone agrees with itself
    return FileOfTests(str(source.label), rows, asked)


def _against_counts(source: Source) -> Iterator[Note]:
    """Note where the counts of the tool (`results.stats`; of each prompt `metrics`) are not those of the results."""
    if source.kind == "lines":
        return
    table = _table(source.document)
    of_prompts: dict[int | None, Counter[str]] = {}
    for result in objects_in(table.get("results")):
        ended = "Pass" if result["success"] else "Error" if result.get("failureReason") == _ERROR else "Fail"
        for prompt in (None, result["promptIdx"]):
            of_prompts.setdefault(prompt, Counter())[ended] += 1
    own: dict[int | None, Row] = {None: as_object(table.get("stats"))}
    own |= {i: as_object(prompt.get("metrics")) for i, prompt in enumerate(objects_in(table.get("prompts")))}
    for prompt, counts in of_prompts.items():
        for ended, of_all in (("Pass", "successes"), ("Fail", "failures"), ("Error", "errors")):
            name = of_all if prompt is None else f"test{ended}Count"
            what = f"stats.{name}" if prompt is None else f"prompts[{prompt}].metrics.{name}"
            ours = [counts[ended], counts["Fail"] + counts["Error"]][: 2 if ended == "Fail" else 1]
            held = own.get(prompt, {})
            yield from contradictions([Total(source.name, what, grading.number(held.get(name)), ours)])


def _graded(source: Source, result: Row, where: str, options: ReadOptions) -> Graded:
    state, why = _state(result, options)
    score = grading.number(result.get("score"))
    return Graded(
        "",
        name_of(result["testIdx"]),
        state,
        why=why,
        cluster=_digest(result),
        strata=grading.labels(as_object(result.get("vars")), options),
        where=where,
        path=source.label,
        scores={} if score is None or why in (ERRORED, UNREAD) else {SCORE: score},
        texts=_texts(result) if options.texts else None,
    )


def _texts(result: Row) -> AnswerTexts:
    """Return the variables of a test (or the prompt), what its assertions expect, the output, and the reasons, or the
    error where there is no output."""
    prompt, test, response = result.get("prompt"), result.get("testCase"), result.get("response")
    graded = as_object(result.get("gradingResult"))
    asked = result.get("vars") or (prompt.get("raw") if isinstance(prompt, dict) else prompt)
    reasons = [part.get("reason") for part in _assertions(graded)]
    expected = [one.get("value") for one in objects_in(as_object(test).get("assert"))]
    answer = response.get("output") if isinstance(response, dict) else response
    error = None if answer else result.get("error")
    return texts_of(asked, expected, answer, reason=list(dict.fromkeys([graded.get("reason"), *reasons, error])))


def _repeats(files: Sequence[FileOfTests], notes: list[Note]) -> list[Graded]:
    """Treat tests that are alike as repeats of one question, numbered in the order of their first tests; where there
    are none, a question bears the number of its test, if the files agree on it."""
    rows = [row for file in files for row in file.rows]
    tests: set[tuple[str, str]] = set()
    for row in rows:
        if (row.run, row.question) in tests:
            rule = f"{row.question!r} appears twice for run {row.run!r}"
            raise FormatError(row.path, rule, where=row.where)
        tests.add((row.run, row.question))
    seen = Counter((row.run, row.cluster) for row in rows)
    again = seen.total() - len(seen)
    if not again:
        return [replace(row, cluster=None) for row in paired(files, notes)]
    notes.append(
        note(
            "promptfoo.repeats",
            "{repeats} results are of tests with the same variables and assertions as another: they are repeats",
            repeats=again,
        )
    )
    place = {test: i for i, test in enumerate(dict.fromkeys(row.cluster for row in rows))}
    return list(numbered(replace(row, question=f"test {place[row.cluster]}", cluster=None) for row in rows))


def _digest(result: Row) -> str:
    """Return what tests share that have the same variables and assertions, and no others."""
    test = result.get("testCase")
    asked = result.get("vars") or result["testIdx"]
    variables = [asked, test.get("description"), test.get("assert")] if isinstance(test, dict) else asked
    return hashlib.blake2s(json.dumps(variables, sort_keys=True, default=str).encode(errors="replace")).hexdigest()


def _results(source: Source) -> Iterator[tuple[Row, str]]:
    if source.kind == "lines":
        yield from ((row, f"line {line}") for row, line in json_lines(source, lenient=True))
        return
    if _is_empty(source.document.get("results")):
        return
    table = _table(source.document)
    version = table.get("version")
    if version != 3:
        raise FormatError(source.label, "promptfoo results must be of version 3", value=version)
    for i, result in enumerate(table["results"]):
        yield result, f"results.results[{i}]"


def _check(source: Source, result: Any, where: str) -> None:
    if not isinstance(result, dict):
        raise FormatError(source.label, "a result must be an object", where=where, value=result)
    for name in ("testIdx", "promptIdx"):
        if isinstance(result.get(name), bool) or not isinstance(result.get(name), int):
            raise FormatError(source.label, f"{name} must be a whole number", where=where, value=result.get(name))
    if not isinstance(result.get("success"), bool):
        raise FormatError(source.label, "success must be true or false", where=where, value=result.get("success"))
    if result.get("failureReason") not in (None, 0, _ASSERTION, _ERROR):
        rule = "failureReason must be 0 (none), 1 (an assertion) or 2 (an error)"
        raise FormatError(source.label, rule, where=where, value=result["failureReason"])


def _key(result: dict[str, Any]) -> tuple[str, int]:
    provider = result.get("provider")
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    return grading.identity(provider or "provider"), result["promptIdx"]


def _state(result: Row, options: ReadOptions) -> tuple[int, str | None]:
    response = as_object(result.get("response"))
    output = response.get("output")
    nothing = output is None or (isinstance(output, str) and not output.strip())
    reason = result.get("failureReason")
    if reason == _ERROR or (reason is None and nothing and (result.get("error") or response.get("error"))):
        return NOT_GRADED, ERRORED
    if response.get("isRefusal") is True:
        return grading.outcome_of(_outcome(result, options), REFUSED)
    if not result["success"] and _judge_failed(result.get("gradingResult")):
        return NOT_GRADED, UNREAD
    if isinstance(output, str) and declined(options, output):
        return grading.outcome_of(_outcome(result, options), SAID_SO)
    return grading.outcome_of(_outcome(result, options), EMPTY if nothing else None)


def _outcome(result: Row, options: ReadOptions) -> int:
    """Grade by `success`, or by the score where `--choose threshold=T` asks for it."""
    least, score = grading.threshold(options), grading.number(result.get("score"))
    right = result["success"] if least is None or score is None else score >= least
    return CORRECT if right else INCORRECT


def _judge_failed(graded: Any) -> bool:
    """Say whether every assertion that failed did so because its judge failed, or its own script crashed."""
    failed = [part for part in _assertions(graded) if not part.get("pass")]
    return bool(failed) and all(_crashed(part) or part_of(part, "metadata", "graderError") is True for part in failed)


def _assertions(graded: Any) -> list[Row]:
    return objects_in(as_object(graded).get("componentResults"))


def _crashed(part: Row) -> bool:
    """Say whether the script of an assertion crashed, as the tool says in its reason: it counts that as a failure."""
    reason = part.get("reason")
    return not part.get("pass") and isinstance(reason, str) and reason.startswith(CRASHED)
