"""Gate continuous integration: exit statuses, and reports for CI systems (JUnit XML, GitHub's step summary)."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from nescio.comparison.margins import empty_limit
from nescio.data.notes import Note
from nescio.data.policy_notes import extremes
from nescio.data.results import Comparisons, Results, Scores
from nescio.errors import NescioError, UsageError, opt
from nescio.measures import Measure, parse
from nescio.options import Kind, option
from nescio.reporting.grid import make_grid
from nescio.reporting.markdown import longest_marks, markdown_code, markdown_table
from nescio.reporting.numbers import number, signed
from nescio.reporting.tables import grids
from nescio.scoring.confidence_intervals import DOUBTS
from nescio.scoring.grounds import deciding_ends, no_ground
from nescio.scoring.lost_answers import lost
from nescio.sources.writing import write_text
from nescio.verbs._output_paths import check_place
from nescio.verbs._shared import Certified, command_line

if TYPE_CHECKING:
    from nescio.comparison.early import Look


PASSED, FAILED, CANNOT_TELL = 0, 1, 3
WORDS = {PASSED: "passed", FAILED: "failed", CANNOT_TELL: "cannot tell"}
NO_GROUND = "no ground"
MARKDOWN = ("", ".md", ".markdown", ".txt")  # GitHub's own file has no suffix
FEWEST = 2  # resamples that must lie beyond the ends of an interval
SUMMARY = "GITHUB_STEP_SUMMARY"  # in this variable, GitHub Actions names the file of the summary
NAME_IF_ANY = Kind("a path", str)
_NOT_XML = "[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # XML 1.0, production 2


class Limit(Struct, frozen=True):
    """A limit on a measure of every run: a least value or, with `ceiling`, a greatest value."""

    measure: str
    value: float
    ceiling: bool = False


class Gate(Struct, frozen=True):
    """The result of one gate on one run: the rule (`asked`), the status, a sentence, and the figures.

    The status is 0 (passed), 1 (failed) or 3 (cannot tell). `doubtful` says that the interval is approximate. `ground`
    is false if the gate cannot tell and more questions would not help, because answers have no grade or there is no
    interval.
    """

    run: str
    asked: str
    status: int
    said: str
    figures: str
    doubtful: bool = False
    ground: bool = True

    @property
    def word(self) -> str:
        """Return the result in a word or two, such as "cannot tell"."""
        return WORDS[self.status] if self.ground or self.status != CANNOT_TELL else NO_GROUND


def with_gated(measures: Sequence[str | Measure], limits: Iterable[Limit]) -> list[str | Measure] | None:
    """Return the measures to score: the requested measures, and those that gates limit.

    Returns None if no measures are requested, because the data decide which measures suit them.
    """
    wanted: dict[str, str | Measure] = {}
    for measure in (*(measures or ()), *(limit.measure for limit in limits)):
        wanted.setdefault(measure if isinstance(measure, str) else measure.label, measure)
    return list(wanted.values()) if measures else None


def score_gates(scores: Scores, limits: Iterable[Limit]) -> list[Gate]:
    """Return a gate for every run and limit, decided by the whole interval.

        score_gates(nescio.score("outcomes.csv", "c@1"), [Limit("c@1", 0.5)])

    A run passes if its interval is on the right side of the limit, and fails if it is on the wrong side. The gate
    cannot tell if the interval spans the limit, or if there is no interval. For a proportion of independent questions
    the exact interval decides (`deciding_ends`). If other questions are predicted, the prediction interval decides. If
    intervals hold for all runs together, so do the gates. Raises UsageError for a limit on a measure that is not
    scored, for a least value of a measure that is better when lower (or the reverse), and for a limit that every value
    or none can meet. Also raises it if intervals cover the true value too seldom, for fewer than ten clusters of
    questions, and for clusters without a name.
    """
    return _of_both_extremes([gate for limit in limits for gate in _gates_of(scores, limit)], scores.notes)


def check_ground(
    results: Results[Any], measure: str, run: str, baseline: str | None = None, *, limit: bool = False
) -> None:
    """Raise UsageError if the results cannot decide a gate on a run.

    With `limit` the gate compares the run with a limit, otherwise with the baseline.
    """
    if ground := no_ground(results, measure, run, baseline, limit=limit):
        raise UsageError(f"no gate can be decided by {ground}")


def check_ranking(measures: Sequence[str], how: str = "") -> None:
    """Raise UsageError if each of these measures only describes runs; `how` tells how to add another measure."""
    from nescio.comparison.verdicts import ranking

    if measures and not ranking(measures):
        names = ", ".join(dict.fromkeys(measures))
        why = "it only describes a run, and may change although no further answer is right"
        raise UsageError(f"no gate can be decided by {names} alone: {why}; add a measure of right answers{how}")


def _gates_of(scores: Scores, limit: Limit) -> list[Gate]:
    """Return the gate of every run against one limit; an undefined value gives the status 3 (cannot tell)."""
    name, declaration = limit.measure, parse(limit.measure).declaration
    if not math.isfinite(limit.value):
        raise UsageError(f"the limit of {name} must be a finite number (found {limit.value})")
    if name not in {row.measure for row in scores}:
        raise UsageError(f"a gate on {name} needs this measure; add {opt('measures', name)}")
    if declaration.lower_is_better != limit.ceiling:
        better, option = ("higher", "fail_under") if limit.ceiling else ("lower", "fail_over")
        raise UsageError(f"{name} is better when {better}; use {opt(option, of=f'{name}=VALUE')}")
    gates = []
    doubts = [note for note in scores.notes if note.code in DOUBTS and name in note.measures]
    doubted = {run for note in doubts for run in note.whose}
    predicted = {
        prediction.run: prediction
        for prediction in scores.tables.get("next_sample", ())
        if prediction.measure == limit.measure
    }
    runs = int(scores.signature.get("simultaneous", 1))
    for row in scores:
        if row.measure != limit.measure or row.stratum is not None:
            continue
        check_ground(scores, limit.measure, row.run)
        on, left_out = predicted.get(row.run), lost(scores, limit.measure, row.run)
        low, high = deciding_ends(scores, row)
        exact = (row.run, row.measure) in scores.exact
        low, high = (min(on.low, low), max(on.high, high)) if on else (low, high)
        worst, best = (-high, -low) if limit.ceiling else (low, high)
        floor = -limit.value if limit.ceiling else limit.value
        status = PASSED if worst - left_out.shift >= floor else FAILED if best < floor else CANNOT_TELL
        verdict = {
            PASSED: "is at most" if limit.ceiling else "is at least",
            FAILED: "is above" if limit.ceiling else "is below",
            CANNOT_TELL: "is not significantly different from",
        }[status]
        why = left_out.why_open(low, worst - floor) if status == CANNOT_TELL else ""
        because = ""
        if math.isnan(low):
            verdict = "has no interval to compare with the limit"
        elif why:
            verdict, because = f"may be {'above' if limit.ceiling else 'below'}", f", as {why}"
        figures = _figures(number, row.value, low, high)
        doubtful = f"run {row.run!r}" in doubted and not exact
        rough = f", for all {runs:,} runs together" if runs > 1 else ""
        rough += ", an approximate interval" if doubtful else ", an exact interval" if exact and not on else ""
        where = f" on {on.questions:,} other questions" if on else ""
        message = f"{limit.measure} of run {row.run!r}{where} {verdict} {limit.value:g}{because} ({figures}{rough})"
        rule = f"{limit.measure} {'at most' if limit.ceiling else 'at least'} {limit.value:g}"
        gates.append(Gate(row.run, rule, status, message, figures, doubtful, ground=not why))
    # The lack of a ground comes first: it would remain with another limit.
    if why := empty_limit(parse(name), limit.value, ceiling=limit.ceiling):
        raise UsageError(f"the limit decides nothing: {why}")
    return gates


def _figures(shown: Callable[[Any], str], value: float, low: float | None, high: float | None) -> str:
    """Return a value with its interval, if it has one, as a text such as "0.5 [0.4, 0.6]"."""
    if low is None or high is None or math.isnan(low):
        return shown(value)
    return f"{shown(value)} [{shown(low)}, {shown(high)}]"


def check_regression_gate(ci: float, resamples: int) -> None:
    """Raise UsageError if `resamples` is too low for an interval at the level `ci`, which a regression gate needs."""
    if resamples * (1 - ci / 100) < FEWEST:
        raise UsageError(
            f"{opt('resamples', resamples)} is too few for the {ci:g}% interval of a gate; give more resamples"
        )


def regression_gates(comparisons: Comparisons, measures: Sequence[str] = ()) -> list[Gate]:
    """Return a gate for every run that asks whether it is worse than its baseline by more than the margin.

        regression_gates(nescio.compare("outcomes.csv", "c@1", baseline="old"), ["c@1"])

    `measures` are the measures with a gate; without them, the first one compared that ranks runs. Measures that only
    describe a run, such as coverage, have no gate. Raises UsageError if all measures are of this kind, for a measure
    whose differences have no valid interval, and for one that needs a stated margin (`comparison.margins`).
    """
    from nescio.comparison.margins import gate_margin
    from nescio.comparison.verdicts import decisions, margin_in, ranking

    asked = measures or [row.measure for row in comparisons.rows]
    check_ranking(asked, f" ({opt('measures', 'accuracy')})")
    gated = {parse(name).label for name in ranking(asked)[: None if measures else 1]}
    gates = []
    for made in decisions(comparisons, gated):
        row = made.row
        if row.measure in gated:
            check_ground(comparisons, row.measure, row.run, row.baseline)
            margin = gate_margin(parse(row.measure), margin_in(comparisons))
            rule = f"{row.measure} at most {margin:g} worse than {row.baseline}"
            figures = _figures(signed, row.difference, row.low, row.high)
            gates.append(Gate(row.run, rule, made.status, made.why, figures, ground=not made.reason))
    if not gates:
        raise UsageError("the gate needs two runs, but no runs were compared")
    return _of_both_extremes(gates, comparisons.notes)


def _of_both_extremes(gates: Sequence[Gate], notes: Iterable[Note]) -> list[Gate]:
    """Return the gates with one gate for both extremes of a run's ungraded answers: all are wrong, or all are right.

    The gate passes or fails only if it does so at both extremes. It does not pass by the better one alone.
    """
    both = extremes(notes)
    wrong, right = (
        {name: run for name, run in both.items() if name.endswith(f" {way}]")} for way in ("wrong", "right")
    )
    groups: dict[tuple[str, str], list[tuple[Gate, bool]]] = {}
    for gate in gates:
        baseline = next((name for name in wrong | right if gate.asked.endswith(f" than {name}")), "")
        asked = gate.asked.removesuffix(baseline) + (wrong | right).get(baseline, "")
        key = (wrong | right).get(gate.run, gate.run), asked
        groups.setdefault(key, []).append((gate, gate.run in right or baseline in wrong))
    return [_at_both(*key, pairs) if len(pairs) > 1 or pairs[0][1] else pairs[0][0] for key, pairs in groups.items()]


def _at_both(run: str, asked: str, both: Sequence[tuple[Gate, bool]]) -> Gate:
    """Return the gate on ungraded answers that are wrong or right; `both` says of each gate if it favours the run."""
    gates, statuses = [gate for gate, _ in both], {gate.status for gate, _ in both}
    known = len(statuses) == 1 and not (PASSED in statuses and all(favours for _, favours in both))
    message = "; ".join(gate.said.rstrip(".") for gate in gates)
    figures = " or ".join(gate.figures for gate in gates)
    ground = CANNOT_TELL in statuses and all(gate.ground for gate in gates)
    doubtful = any(gate.doubtful for gate in gates)
    return Gate(run, asked, min(statuses) if known else CANNOT_TELL, message, figures, doubtful, ground)


def early_gates(looks: Results[Look]) -> list[Gate]:
    """Return the gate that asks whether a run is worse than its baseline, while questions arrive in blocks.

    The gate passes if the latest look says that the run is better, or that no difference larger than the margin is
    possible. It fails if the run is worse; otherwise it cannot tell yet.

        early_gates(nescio.compare("outcomes.csv", "c@1", baseline="old", run="mine", looks=True))
    """
    row = looks.rows[-1]
    if parse(row.measure).declaration.descriptive:
        check_ranking([row.measure])
    check_ground(looks, row.measure, row.run, row.baseline)
    worse = row.verdict in ("stop: worse", "stop: lower")
    status = FAILED if worse else PASSED if row.stops else CANNOT_TELL
    figures = _figures(signed, row.difference, row.low, row.high)
    message = f"{row.measure} of run {row.run!r} against {row.baseline!r} after {row.n:,} questions: {row.verdict}"
    rule = f"{row.measure} not worse than {row.baseline}"
    ground = not row.verdict.startswith("cannot tell")
    return [Gate(row.run, rule, status, f"{message} ({figures})", figures, ground=ground)]


def exit_status(gates: Iterable[Any]) -> int:
    """Return the exit status of gates (or of a policy's lines): 1 if any failed, else 3 if any cannot tell, else 0."""
    statuses = {gate.status for gate in gates}
    return next((status for status in (FAILED, CANNOT_TELL) if status in statuses), PASSED)


def check_reports(
    junit_file: Path | None, summary_file: Path | None, *, inputs: Iterable[Any] = (), gated: bool = True
) -> None:
    """Raise UsageError if a report of gates could not be written, or would replace another file.

    `gated` tells whether there are any gates to report. `inputs` are the files to read.
    """
    # most likely data, mistaken for the FILE of the option
    if summary_file is not None and summary_file.suffix.lower() not in MARKDOWN:
        rule = "a step summary is Markdown, so its file must end in .md or .txt, or have no suffix"
        raise UsageError(
            f"{opt('step_summary')}: {rule}; write --step-summary=FILE, or put the option last (found "
            f"{str(summary_file)!r})"
        )
    if junit_file is not None and not gated:
        raise UsageError(
            f"{opt('junit')} reports gates, but this command sets no gate; add a gate or leave the option out"
        )
    named = [path for path in (junit_file, summary_file) if path is not None]
    if len({path.absolute() for path in named}) < len(named):
        raise UsageError(f"{opt('junit')} and {opt('step_summary')} must name two different files")
    for path in named:
        check_place(path, inputs)
        if path.is_dir():
            raise UsageError(f"{path} is a folder; give the name of a file")


class Gated(Certified, group="Gates"):
    """The options for the reports of gates to continuous integration."""

    junit: Path | str | None = option(
        default=None,
        writes=True,
        help="Write the gates as JUnit XML. A failed gate becomes a failure; an undecided gate becomes an error.",
    )
    step_summary: str | None = option(
        default=None,
        kind=NAME_IF_ANY,
        writes=True,
        metavar="[FILE]",
        bare="",
        help="Append the verdict, the table, the signature and the command to FILE as Markdown.",
        default_words=f"FILE: the value of {SUMMARY}",
    )

    def _bound(self, values: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        """Return the values of the options, keyed by name.

        An earlier JUnit report is changed before any value is checked. Otherwise somebody could take it for the report
        of this call if a check fails.
        """
        if isinstance(junit := named.get("junit"), (str, Path)):
            replace_earlier_report(Path(junit))
        return super()._bound(values, named)

    @property
    def summary(self) -> Path | None:
        """Return the file of the step summary, or None if none is requested.

        Raises UsageError if one is requested, but neither the option nor the environment names the file.
        """
        if self.step_summary is None:
            return None
        name = self.step_summary or os.environ.get(SUMMARY, "")
        if not name:
            raise UsageError(
                f"{opt('step_summary')}: the variable {SUMMARY} is not set; name a file, as in "
                "--step-summary=summary.md"
            )
        return Path(name)

    def outputs(self) -> dict[str, Any]:
        """Return the files that are written beside the results, keyed by the options that name them."""
        summary = {} if self.summary is None else {"step_summary": self.summary}
        return super().outputs() | summary


class Reports(Struct, frozen=True):
    """The reports of gates: a JUnit file, and a step summary, which is appended to its file.

    At first both report an error, so that neither shows an earlier call's result if this call fails or is stopped.
    """

    command: str
    junit: Path | None
    summary: Path | None
    before: int = 0

    @classmethod
    def of(cls, command: str, request: Gated, *, gated: bool) -> Reports:
        """Return the reports of the verb `command` ("score"). Raises UsageError if they cannot be written."""
        summary = request.summary
        path = None if request.junit is None else Path(request.junit)
        check_reports(path, summary, inputs=request.inputs(), gated=gated)
        reports = cls(command, path, summary, summary.stat().st_size if summary and summary.is_file() else 0)
        kept = cls(command, _kept(path), _kept(summary))
        kept._write(junit(command, (_NO_END,), ""), _unfinished(command))
        return reports

    def write(self, request: Gated, results: Results, about: Sequence[str] = ()) -> None:
        """Write the reports for CI systems, the JUnit file completely or not at all.

        The step summary is appended to its file; `about` holds further paragraphs for it. Raises UsageError if a file
        cannot be written.
        """
        gates = results.gates
        if self.summary is not None and self.summary.is_file():
            with self.summary.open("rb+") as file:
                file.seek(self.before)
                if file.read() == _unfinished(self.command).encode():  # and nobody wrote after it
                    file.truncate(self.before)
        text = (
            ""
            if self.summary is None
            else step_summary(self.command, gates, results, command_line(self.command, request), about)
        )
        self._write(junit(self.command, gates, str(results.signature)), text)

    def _write(self, xml: str, markdown: str) -> None:
        try:
            # We open the summary first, so that neither is written if the other cannot be.
            with (
                self.summary.open("a", encoding="utf-8", errors="replace") if self.summary else nullcontext() as opened
            ):
                if self.junit is not None:
                    write_text(self.junit, xml)
                if opened is not None:
                    opened.write(markdown)
        except OSError as error:
            raise UsageError(f"{self.summary}: cannot be written: {error.strerror}") from None


def _kept(path: Path | None) -> Path | None:
    """Return the path of a report, or None for a pipe or a device, where no written text can be replaced."""
    return path if path is None or path.is_file() or not path.exists() else None


_OUR_JUNIT = b'<testsuite id="0" package="nescio"'
_NO_END = Gate(
    "",
    "the gates are judged",
    CANNOT_TELL,
    "nescio ended in an error or was stopped: no gate was judged",
    "",
    ground=False,
)


def replace_earlier_report(path: Path, command: str = "") -> None:
    """Change an earlier call's JUnit report: it says that this call was stopped, and so cannot pass for a new report.

    Any other file stays as it is.
    """
    with suppress(OSError, ValueError, NescioError):  # the call itself reports a path that cannot be written
        if path.is_file() and _OUR_JUNIT in path.read_bytes()[:200]:
            try:
                write_text(path, junit(command, (_NO_END,), ""))
            except (OSError, NescioError):  # the disk is full: no report is better than that of an earlier call
                path.unlink()


def _unfinished(command: str) -> str:
    """Return the section of a step summary that reports an error; it is replaced when the command ends."""
    return f"## nescio {command}: error\n\n{_NO_END.said}\n\n"


def junit(command: str, gates: Sequence[Gate], signature: str) -> str:
    """Return the gates as JUnit XML for the common schemas (Ant's and Jenkins'): a suite with a case for each gate.

    A gate that cannot tell is an `error`, because it is not a failure, and CI would show a `skipped` case as passed.
    The error's type says whether more questions could decide ("cannot tell") or not ("no ground").
    """
    from datetime import UTC, datetime
    from xml.etree import ElementTree

    from nescio.sources.xml import written

    statuses = Counter(gate.status for gate in gates)
    counted = {"tests": len(gates), "failures": statuses[FAILED], "errors": statuses[CANNOT_TELL]}
    root = ElementTree.Element("testsuites")
    about = {"id": "0", "package": "nescio", "name": f"nescio {command}", "hostname": "localhost", "time": "0"}
    stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    numbers = {name: str(number) for name, number in counted.items()}
    suite = ElementTree.SubElement(root, "testsuite", {**about, "timestamp": stamp, **numbers})
    ElementTree.SubElement(
        ElementTree.SubElement(suite, "properties"), "property", name="signature", value=_xml(signature)
    )
    for gate in gates:
        case = ElementTree.SubElement(suite, "testcase", name=_xml(gate.asked), classname=_xml(gate.run), time="0")
        if gate.status:
            kind = "failure" if gate.status == FAILED else "error"
            outcome = ElementTree.SubElement(case, kind, message=_xml(gate.said), type=gate.word)
            outcome.text = _xml(gate.said)
    ElementTree.SubElement(suite, "system-out").text = _xml("\n".join(gate.said for gate in gates))
    ElementTree.SubElement(suite, "system-err")
    return written(root).decode()


def _xml(text: str) -> str:
    """Return a text in which the characters that XML may not contain are replaced."""
    return re.sub(_NOT_XML, "\N{REPLACEMENT CHARACTER}", text)


def step_summary(
    command: str, gates: Sequence[Gate], results: Results, command_line: str, about: Sequence[str] = ()
) -> str:
    """Return a section of Markdown with the results of a command.

    The section has the verdict, the gates, the paragraphs `about`, the table of results, the signature, and the
    command line that repeats the command.
    """
    parts = [f"## nescio {command}{': ' + WORDS[exit_status(gates)] if gates else ''}"]
    if gates:
        rows = [[WORDS[gate.status], gate.run, gate.asked, gate.figures] for gate in gates]
        parts.append(markdown_table(make_grid(["result", "run", "asked", "found"], rows, [True, True, True, False])))
    parts += [*about, *map(markdown_table, grids(results))]
    parts += [f"- {markdown_code(str(note))}" for note in results.notes]
    fence = "`" * max(3, 1 + longest_marks(command_line))
    parts += [markdown_code(str(results.signature)), f"{fence}console\n$ {command_line}\n{fence}"]
    return "\n\n".join(parts) + "\n\n"
