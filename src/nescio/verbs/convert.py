"""Convert any log to an outcome table or another format.

FILES are as for `nescio score`. OUTPUT is a table or, with --to, a folder.

\b
nescio convert log.eval log.csv
nescio convert samples_gsm8k_2025-08-07.jsonl outcomes.parquet --choose filter=strict-match
nescio convert dev-v2.0.json predictions.json native/ --to questions
nescio convert log.eval hub/ --to eval_results --benchmark cais/hle:hle

Declined, unanswered and ungraded answers keep their status. An ungraded answer has an empty outcome. A gate decides by
the new file as by the old ones: outcome tables, every_eval_ever and logs of Inspect keep digests of the questions and
their gold answers, and how many answers are lacking. From other tables, an outcome table keeps columns of numbers, and
columns with one value for each question. It leaves out the texts of answers, comments on them, and numbers that could
mean two things (1.854). Another format is refused if it would hide lacking answers. A note counts everything else that
the new format cannot hold. A log with grades but no answers can only become an outcome table, instances of
every_eval_ever (.jsonl), logs of Inspect, or scores. `--to eval_results` writes a score per run, for the folder
`.eval_results/` of the model's repository on the Hugging Face Hub. nescio cannot write SimpleQA results (their grades
come from SimpleQA's own grader), TREC judgements (they judge documents) or the logs of other tools. `nescio ave build`
writes collections for answer validation.
--missing, --ungraded, --unanswerable and --cluster affect only scoring, so they change nothing here.
"""

from __future__ import annotations

from inspect import signature
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.dropped import lacks_answers
from nescio.data.judge_record import named
from nescio.data.kept import NO_GATE
from nescio.data.notes import Note
from nescio.data.outcomes import Outcomes
from nescio.errors import MismatchError, UsageError, opt
from nescio.formats import BY_SUFFIX, WRITERS, ReadResult, Unjudged
from nescio.formats.registry import Writer
from nescio.options import argument, option, verb
from nescio.pipeline import Options, judge, judges_of, read
from nescio.pipeline.options import MergingRuns
from nescio.scoring.keeping import kept_of, to_write, with_judges
from nescio.sources.arrow import items_of
from nescio.sources.writing import check_new_folder
from nescio.verbs._output_paths import check_file
from nescio.verbs._shared import Sourced, Worked

OUTCOME_TABLE = "outcomes"  # the default output
HUB = "eval_results"  # this format is about a benchmark


class Converted(Struct, frozen=True):
    """The result of a conversion: the input, the output and its path, and notes.

    `judge` names the judge of the conversion; it is "" if nothing had to be judged.
    """

    format: str
    judge: str
    what: str
    output: Path
    notes: tuple[Note, ...] = ()

    def __str__(self) -> str:
        how = f", judged by {self.judge}" if self.judge else ""
        return f"read {self.format}{how}; wrote {self.what} to {self.output}"


def _formats() -> dict[str, str]:
    """Return the description of each format that can be written."""
    WRITERS.load_all()
    return {name: f"{WRITERS[name].about}." for name in sorted(WRITERS)}


class ConvertRequest(MergingRuns, Sourced, Worked):
    """The options of `nescio convert`."""

    output: Path | str = argument(
        kw_only=False, argument=True, metavar="OUTPUT", help="The table or the folder to write."
    )
    to: str = option(default=OUTCOME_TABLE, metavar="FORMAT", complete=_formats, help="The format to write.")
    benchmark: str | None = option(
        default=None,
        metavar="DATASET:TASK",
        help="The benchmark to name in the format eval_results, such as cais/hle:hle.",
    )


@verb(ConvertRequest, working="converting", prints="")
def convert(request: ConvertRequest) -> Converted:
    items, output, to = items_of(request.source), Path(request.output), request.to
    reading = Options(**request.values(MergingRuns), written=True)
    writer = WRITERS.find(to)
    if writer.suffixes:
        check_file(output, opt("to", to), writer.suffixes, items)
    elif output.suffix.lower() in BY_SUFFIX:
        raise UsageError(f"{output}: {opt('to', to)} writes a folder; give the name of a folder")
    else:
        check_new_folder(output)
    if request.benchmark is not None and to != HUB:
        raise UsageError(f"{opt('benchmark')} is only for {opt('to', HUB)}")
    result = read(items, reading, runs=writer.takes is not Unjudged, judging=writer.takes is Unjudged)
    if writer.takes is Outcomes:
        result = judge(result, reading.judge)
    elif reading.judge is not None:
        raise UsageError(f"{opt('to', to)} writes answers without judging them; leave {opt('judge')} out")
    elif isinstance(result.data, Outcomes) and writer.takes is Unjudged:
        raise MismatchError(
            f"{opt('to', to)} needs the texts of the answers, but these files hold only grades: {result.about}; "
            f"use {opt('to', 'outcomes')}"
        )
    result = to_write(result, reading)
    if not isinstance(result.data, writer.takes):
        raise MismatchError(
            f"these files hold no outcomes of single questions: {result.about}; nescio score --by question -o "
            "scores.csv writes the scores of each question"
        )
    if isinstance(result.data, Outcomes):
        result = replace(result, data=with_judges(result.data, result.notes))
    _check_kept(writer, result)
    judged_by = named(judges_of(result)) if result.judged_here else ""
    takes = signature(writer.write).parameters
    more = {name: getattr(request, name) for name in ("progress", "benchmark") if name in takes}
    written = writer.write(result.data, output, **more)
    return Converted(result.format, judged_by, written.what, output, (*result.notes, *written.notes))


def _check_kept(writer: Writer, result: ReadResult) -> None:
    """Raise MismatchError if the new format cannot hold what the files say against a gate on a run."""
    runs = getattr(result.data, "runs", ())
    names = [run if isinstance(run, str) else run.name for run in runs]
    unfit = [*kept_of(result.notes, names).get(NO_GATE, {}).values()]
    lacking = [remark.text for remark in result.notes if lacks_answers(remark)]
    if writer.keeps or not (lacking or unfit):
        return
    why = lacking[0] if lacking else f"no gate can rest on {unfit[0]}"
    raise MismatchError(
        f"{opt('to', writer.name)} has no place for this, so a gate on the new files would not know it: {why}. Use "
        f"{opt('to', OUTCOME_TABLE)}, or give files without this"
    )
