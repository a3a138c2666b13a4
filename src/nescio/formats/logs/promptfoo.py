"""promptfoo: `results.json` of version 3, or one result per line. An error of the provider is neither a wrong answer
nor an abstention.

A result is `{"testIdx", "promptIdx", "success", "failureReason", "score", "provider", "response": {"output"}, …}`. The
reason of a failure is 0 for none, 1 for an assertion, 2 for an error. `error` holds the text of a failed assertion as
well, so it is ignored if there is an output. A refusal (`isRefusal`) is an abstention, and an empty output counts as
incorrect (`--empty`). A failure that comes only from a judge (`graderError`), or from an assertion script that crashed,
leaves the answer ungraded, and so does a test without assertions, which the tool passes. If no run has assertions for
a test, the test is left out. promptfoo's CSV table does not distinguish these cases, so nescio refuses it.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from nescio.data.changed_questions import words_digest
from nescio.data.dropped import fewer_held
from nescio.data.judge_record import JudgeRecord, grader
from nescio.data.reasons import ERRORED, REFUSED
from nescio.errors import FormatError, MismatchError
from nescio.formats.answers import Answer, number_repeats
from nescio.formats.logs.kit import UNREAD, Log, checked, empty, rows_in
from nescio.formats.logs.run_names import run_names
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import as_object, identity, number, objects_in, part_of, whole_number
from nescio.sources.json import as_text
from nescio.sources.source import Source, name_runs

CRASHED = ("Custom function threw error", "Python code execution failed", "Ruby code execution failed")
UNASSERTED = "without an assertion"
NO_ASSERTIONS = "No assertions"  # the reason that the tool gives for the success of a test without any
SET_BY_THE_TOOL = "sessionId"  # a variable that differs in each answer, like those that begin with an underscore
_ERROR = 2
ENDINGS = (("Pass", "successes"), ("Fail", "failures"), ("Error", "errors"))  # and their names in `stats`
# The keys of a test, of its options and of an assertion that cannot change how an answer is graded. The value of an
# assertion is the gold answer, which is compared for each question.
_NOT_OF_TEST = {
    "description",
    "vars",
    "metadata",
    "assert",
    "options",
    "provider",
    "providers",
    "prompts",
    "providerOutput",
}
_NOT_OF_OPTIONS = {
    "prefix",
    "suffix",
    "transformVars",
    "storeOutputAs",
    "runSerially",
    "repeat",
    "provider",
    "disableVarExpansion",
    "disableConversationVar",
}
_NOT_OF_ASSERTION = {"type", "value", "assert"}
_LABELS = ("metric", "set.metric")  # under which scores are summed up; only a scoring function of a test reads them
_SHOWN = 120  # the most characters of a test in a message


class Result(Struct, rename="camel"):
    test_idx: int
    prompt_idx: int
    success: bool
    failure_reason: Annotated[
        Literal[0, 1, 2] | None, Meta(description="0 (none), 1 (an assertion) or 2 (an error)")
    ] = None
    score: Any = None
    provider: Any = None
    response: Any = None
    error: Any = None
    vars: Any = None
    test_case: Any = None
    prompt: Any = None
    grading_result: Any = None

    @property
    def prompt_text(self) -> Any:
        return self.prompt.get("raw") if isinstance(self.prompt, dict) else self.prompt

    @property
    def assertions(self) -> list[dict[str, Any]]:
        return objects_in(part_of(self.grading_result, "componentResults"))


class Tests(Struct):
    """The answers in the file `label`, and the text of the question of each test, keyed by names such as "test 3".

    `asserted` says of each answer whether it tells that its test has an assertion.
    """

    label: str
    answers: list[Answer]
    asserted: list[bool]
    asked: dict[str, str]


@reader(
    "promptfoo",
    about="promptfoo results: results.json (version 3) or one result per line",
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every pair of a provider and a prompt as a run, and every test as a question.

    Several files are read as runs of the same tests, and the name of each run begins with that of its file or folder.
    """
    log = Log(parts, options)
    for source in log.part("table"):
        rule = (
            "this is promptfoo's table, in which wrong answers look the same as errors of a script or a judge; give "
            "the results themselves (promptfoo eval -o results.json, or promptfoo export)"
        )
        raise FormatError(source.label, rule, where=source.head)
    prefixes = [f"{name}: " for name in name_runs(log.sources)] if len(parts) > 1 else [""]
    files = [_tests(log, source, prefix) for source, prefix in zip(log.sources, prefixes, strict=True)]
    _name(files, log)
    answers = [answer for file in files for answer in file.answers]
    for answer in answers:
        answer.cluster = None
    return log.by_score(_asserted(answers, [flag for file in files for flag in file.asserted], log), "the results")


def _asserted(answers: Sequence[Answer], known: Sequence[bool], log: Log) -> Sequence[Answer]:
    """Return the answers without those to tests that have no assertion in any run: nobody means to grade these.

    `known` says of each answer whether it tells that its test has an assertion.
    """
    asserted = {answer.question for answer, flag in zip(answers, known, strict=True) if flag}
    asserted |= {answer.question for answer in answers} - {a.question for a in answers if a.ungraded == UNASSERTED}
    kept = [answer for answer in answers if answer.question in asserted]
    if kept and len(kept) < len(answers):
        dropped = len({answer.question for answer in answers} - asserted)
        log.say("promptfoo.unasserted", "{tests:n test} without assertions {tests:is/are} left out", tests=dropped)
    return kept or answers


def _tests(log: Log, source: Source, prefix: str) -> Tests:
    results = []
    for row, where in _results(source):
        results.append((checked(Result, row, source, where), where))
    if not results:
        raise FormatError(source.label, "the results are empty: promptfoo wrote no answer to any test")
    keys = [(_provider(result.provider), result.prompt_idx) for result, _ in results]
    runs = list(dict.fromkeys(keys))
    names = run_names([(provider, f"prompt {prompt}") for provider, prompt in runs])
    named = dict(zip(runs, names, strict=True))
    if len({provider for provider, _ in runs}) < len(runs):
        log.say(
            "promptfoo.prompts",
            "some providers have several prompts, so the names of runs include the number of the prompt",
        )
    crashed = sum(any(map(_crashed, result.assertions)) for result, _ in results)
    if crashed:
        log.say(
            "promptfoo.crashed",
            "{subject}: in {crashed} of {total} results an assertion script crashed. The tool counts this as a "
            "failure; nescio does not grade results that failed only for this reason",
            source.name,
            crashed=crashed,
            total=len(results),
        )
    _against_counts(log, source, [result for result, _ in results], prefix, named)
    answers = []
    for key, (result, where) in zip(keys, results, strict=True):
        answers.append(log.take(_answer(result, Answer(prefix + named[key], f"test {result.test_idx}", where=where))))
        answers[-1].path = source.label
    tests: set[tuple[str, str]] = set()
    for answer in answers:
        if (answer.run, answer.question) in tests:
            rule = f"{answer.question!r} appears twice for run {answer.run!r}"
            raise FormatError(source.label, rule, where=answer.where)
        tests.add((answer.run, answer.question))
    asserted = [_asserts(result) for result, _ in results]
    return Tests(str(source.label), answers, asserted, _asked(result for result, _ in results))


def _results(source: Source) -> Iterator[tuple[Any, str]]:
    if source.kind == "lines":
        yield from rows_in(source)
        return
    results = source.document.get("results")
    table, place = (results, ("results", "results")) if isinstance(results, dict) else (source.document, ("results",))
    if table.get("results"):
        if table.get("version") != 3:
            rule = "promptfoo results must be of version 3"
            raise FormatError(source.label, rule, value=table.get("version"))
        yield from rows_in(source, place, "a result")


def _provider(provider: Any) -> str:
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    return identity(provider or "provider")


def _crashed(assertion: dict[str, Any]) -> bool:
    """Return whether the script of an assertion crashed, which the tool counts as a failure and names in its reason."""
    return not assertion.get("pass") and str(assertion.get("reason")).startswith(CRASHED)


def _stated_assertions(row: Result) -> list[Any]:
    return [as_object(row.test_case).get("assert"), as_object(row.grading_result).get("componentResults")]


def _asserts_nothing(row: Result) -> bool:
    """Return whether a result says that no assertion graded it, which the tool counts as a success."""
    stated, reason = _stated_assertions(row), part_of(row.grading_result, "reason")
    return not any(stated) and (reason == NO_ASSERTIONS or (not reason and [] in stated))


def _asserts(row: Result) -> bool:
    """Return whether a result tells that its test has an assertion; a failed or refused call tells nothing alone."""
    silent = _failed(row) or as_object(row.response).get("isRefusal") is True
    return any(_stated_assertions(row)) or not (silent or _asserts_nothing(row))


def _failed(row: Result) -> bool:
    """Return whether the call of a result failed."""
    response = as_object(row.response)
    nothing = not isinstance(response.get("output"), (dict, list)) and empty(response.get("output"))
    unsaid = row.failure_reason is None and bool(nothing) and bool(row.error or response.get("error"))
    return row.failure_reason == _ERROR or unsaid


def _answer(row: Result, answer: Answer) -> Answer:
    response, test = as_object(row.response), as_object(row.test_case)
    output = response.get("output")
    nothing = None if isinstance(output, (dict, list)) else empty(output)
    failed = [assertion for assertion in row.assertions if not assertion.get("pass")]
    refused = response.get("isRefusal") is True
    judged = not failed or row.success or refused
    if _failed(row):
        answer.ungraded = ERRORED
    elif not judged and all(
        _crashed(assertion) or part_of(assertion, "metadata", "graderError") is True for assertion in failed
    ):
        answer.ungraded = UNREAD
    elif not refused and _asserts_nothing(row):
        answer.ungraded = UNASSERTED
    answer.right, answer.silent, answer.nothing = row.success, REFUSED if refused else None, nothing
    answer.score = None if answer.ungraded else number(row.score)
    answer.labels = as_object(row.vars)
    asked = row.vars or row.test_idx
    same = [asked, test.get("description"), test.get("assert")] if isinstance(row.test_case, dict) else asked
    answer.cluster = hashlib.blake2s(json.dumps(same, sort_keys=True, default=str).encode(errors="replace")).hexdigest()
    answer.judges = _judges(row)
    asserted = [assertion for _, assertion in _assertions(test.get("assert"))]
    answer.asked, answer.prompt = _variables(row), row.prompt_text
    answer.gold = [assertion["value"] for assertion in asserted if "value" in assertion]
    answer.words = words_digest(answer.asked, [assertion.get("value", assertion["type"]) for assertion in asserted])
    answer.answer = output if isinstance(row.response, dict) else row.response
    reasons = [part_of(row.grading_result, "reason"), *(assertion.get("reason") for assertion in row.assertions)]
    reasons += [] if answer.answer else [as_text(row.error)]
    answer.reason = list(dict.fromkeys(map(str, filter(None, reasons))))
    return answer


def _judges(row: Result) -> dict[str, JudgeRecord]:
    """Return the kinds of assertions of a result's test, with all that the test states on how they grade."""
    test = as_object(row.test_case)
    options = as_object(test.get("options"))
    of_all = {name: options[name] for name in ("provider", "rubricPrompt") if name in options}
    of_test = _stated("test", test, _NOT_OF_TEST) | _stated("options", options, _NOT_OF_OPTIONS | {*of_all})
    asserted = _assertions(test.get("assert")) or _assertions([result.get("assertion") for result in row.assertions])
    labels = () if test.get("assertScoringFunction") else _LABELS
    kinds = []
    for outer, assertion in asserted:
        stated = of_all | of_test | outer | _stated("", assertion, _NOT_OF_ASSERTION)
        kinds.append(grader(str(assertion["type"]), **{key: stated[key] for key in stated if key not in labels}))
    return {str(kind): kind for kind in kinds}


def _assertions(asserted: Any) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return every assertion with the settings of the assert-set that holds it, which are empty outside of a set."""
    flat: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for assertion in objects_in(asserted):
        inner = objects_in(assertion.get("assert"))
        outer = _stated("set", assertion, _NOT_OF_ASSERTION) if inner else {}
        flat += [(outer, part) for part in inner or [assertion] if part.get("type")]
    return flat


def _stated(what: str, part: dict[str, Any], besides: set[str]) -> dict[str, Any]:
    """Return the settings of a part of a test without those in `besides`, keyed by names such as "test.threshold"."""
    return {f"{what}.{name}" if what else name: value for name, value in part.items() if name not in besides}


def _against_counts(
    log: Log, source: Source, results: Sequence[Result], prefix: str, names: Mapping[tuple[str, int], str]
) -> None:
    """Add a note if the tool's counts of successes, failures and errors differ from those of the results.

    `stats` has the counts over all prompts, and the `metrics` of a prompt have the counts for that prompt. The names of
    the runs are `prefix` and the values of `names`, which are keyed by provider and prompt. A note that a run lacks
    results is about one prompt, and about all of them only if `stats` counts more results than the prompts do.
    """
    if source.kind == "lines":
        return
    table = source.document["results"] if isinstance(source.document["results"], dict) else source.document
    prompts = [as_object(prompt.get("metrics")) for prompt in objects_in(table.get("prompts"))]
    of_prompts: dict[int | None, Counter[str]] = {}
    for result in results:
        ended = "Pass" if result.success else "Error" if result.failure_reason == _ERROR else "Fail"
        for prompt in (None, result.prompt_idx):
            of_prompts.setdefault(prompt, Counter())[ended] += 1
    by_prompts = sum(whole_number(metrics.get(f"test{ended}Count")) or 0 for metrics in prompts for ended, _ in ENDINGS)
    for prompt, counts in of_prompts.items():
        stats = as_object(table.get("stats")) if prompt is None else as_object(dict(enumerate(prompts)).get(prompt))
        runs = [prefix + run for (_, asked), run in names.items() if prompt in (None, asked)]
        kinds = [name if prompt is None else f"test{ended}Count" for ended, name in ENDINGS]
        stated = sum(whole_number(stats.get(name)) or 0 for name in kinds)
        if stated > counts.total() and (prompt is not None or stated > by_prompts):
            log.notes.append(fewer_held(source.name, runs, stated, counts.total()))
        for ended, of_all in ENDINGS:
            name = of_all if prompt is None else f"test{ended}Count"
            what = f"stats.{name}" if prompt is None else f"prompts[{prompt}].metrics.{name}"
            ours = [counts[ended], counts["Fail"] + counts["Error"]][: 2 if ended == "Fail" else 1]
            whole = ended == "Pass" and stated == counts.total()
            log.total(source.name, what, stats.get(name), ours, runs=runs, deciding=whole)


# ---- matching tests ----


def _asked(results: Iterator[Result]) -> dict[str, str]:
    """Return the text of the question of each test, keyed by names such as "test 3".

    The text is that of the test's variables. For a test without variables it is the prompt if the tests have different
    prompts, or else "". A prompt that all tests share may change from file to file.
    """
    first: dict[int, Result] = {}
    prompts: dict[int, set[str]] = {}
    for result in results:
        first.setdefault(result.test_idx, result)
        prompts.setdefault(result.prompt_idx, set()).add(str(result.prompt_text or ""))
    vary = any(len(texts) > 1 for texts in prompts.values())
    return {
        f"test {i}": _text(_variables(result)) or (str(result.prompt_text or "") if vary else "")
        for i, result in first.items()
    }


def _variables(result: Result) -> Any:
    """Return the variables of a test without those that the tool sets, as an object in a well-formed file."""
    variables = result.vars or part_of(result.test_case, "vars")
    if not isinstance(variables, dict):
        return variables
    return {k: v for k, v in variables.items() if k != SET_BY_THE_TOOL and not str(k).startswith("_")}


def _text(variables: Any) -> str:
    return json.dumps(variables, sort_keys=True, ensure_ascii=False, default=str) if variables else ""


def _name(files: Sequence[Tests], log: Log) -> None:
    """Name the questions of all answers, so that equal tests have equal names.

    If a run has several tests with the same variables and assertions, they become repeats of one question, and
    questions are numbered in order of appearance. Otherwise a question has the number of its test. If the files ask
    different questions under one number, it has the number in the first file that asks it.
    """
    answers = [answer for file in files for answer in file.answers]
    again = len(answers) - len({(answer.run, answer.cluster) for answer in answers})
    if again:
        log.say(
            "promptfoo.repeats",
            "{repeats} results have the same variables and assertions as another test, and are read as repeats",
            repeats=again,
        )
        numbers = {test: i for i, test in enumerate(dict.fromkeys(answer.cluster for answer in answers))}
        for answer in answers:
            answer.question = f"test {numbers[answer.cluster]}"
        number_repeats(answers)
        return
    first: dict[str, Tests] = {}
    differ = next(
        (
            (name, first[name], file)
            for file in files
            for name, asked in file.asked.items()
            if first.setdefault(name, file).asked[name] != asked
        ),
        None,
    )
    if differ is None:
        return
    _check(files, *differ)
    names: dict[str, str] = {}
    free = 0
    for file in files:
        for name, asked in file.asked.items():
            names.setdefault(asked, name if file is files[0] else f"test {free}")
            free = max(free, int(names[asked].removeprefix("test ")) + 1)
        for answer in file.answers:
            answer.question = names[file.asked[answer.question]]
    log.say(
        "promptfoo.paired",
        "{first} and {second} give different tests the same number (first: {test}); tests are paired by their "
        "variables or prompts, and have the numbers of {given}",
        first=differ[1].label,
        second=differ[2].label,
        test=differ[0],
        given=files[0].label,
    )


def _check(files: Sequence[Tests], name: str, first: Tests, other: Tests) -> None:
    """Raise MismatchError if the tests of several files cannot be paired by their questions.

    As an example for the message, `first` and `other` are two files whose tests called `name` ask different questions.
    """
    for file in sorted(files, key=lambda file: "" not in file.asked.values()):
        elsewhere = {asked for another in files if another is not file for asked in another.asked.values()}
        if "" in file.asked.values():
            why = f"tests are paired by their variables, but some tests of {file.label} have none"
        elif len({*file.asked.values()}) < len(file.asked):
            why = f"several tests of {file.label} have the same variables or the same prompt, so they cannot be paired"
        elif elsewhere.isdisjoint(file.asked.values()):
            why = f"no test of {file.label} is in another file"
        else:
            continue
        ask = [
            (text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…") or "one without variables"
            for text in (first.asked[name], other.asked[name])
        ]
        raise MismatchError(
            f"{first.label} and {other.label} give different tests the same number: {name} is {ask[0]} in the first "
            f"file and {ask[1]} in the second; {why}. Give files with the same tests in the same order, or score each "
            "file on its own"
        )
