"""Judge answers, or compare a judge's verdicts with people's.

FILES are questions and runs. Every answer and every declined candidate is judged. If FILES already hold a judge's
verdicts, --against compares these with people's verdicts, and nothing is judged again.

\b
nescio judge questions.jsonl runs/*.jsonl -o graded.csv
nescio judge results.csv --against results.csv --verdict human

People's verdicts are in a second file, or in another column of the same file (named by --verdict). The comparison says
whether the judge is lenient or strict, and which accuracy to report.

\b
nescio judge questions.jsonl runs/mine.jsonl --judge token_f1 --against people.csv
nescio judge questions.jsonl runs/*.jsonl --judge human --against people.csv -o by-people.csv
nescio judge questions.jsonl runs/*.jsonl --judge exact --against people.csv --blind --certificate judge.json
nescio judge questions.jsonl runs/*.jsonl --judge llm --base-url URL --model NAME -o graded.csv

If calls of a language model fail, these answers stay ungraded, all others are written, and the exit status is 3.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any, Self

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from nescio.data.assessors import ADJUDICATION, Resolution, settled
from nescio.data.columns import OUTCOMES, Array
from nescio.data.judge_record import OTHER_TEXTS, STALE, JudgeRecord, Target, named, parse
from nescio.data.notes import Note
from nescio.data.outcomes import ANSWERED, CORRECT, INCORRECT, MEANINGS, NOT_GRADED, SILENT, Label, Outcomes
from nescio.data.reasons import MUCH, settle
from nescio.data.results import Results
from nescio.errors import MismatchError, UsageError, opt
from nescio.formats import ReadResult, Unjudged, WriteResult
from nescio.judging import Human, Resources, asked_cells, judge_runs
from nescio.judging.human import PEOPLE, asked_of, human, people_on
from nescio.judging.llm.connecting import KEY, ModelOptions, connect
from nescio.judging.llm.judge import CALLS_FAILED, GAVE_UP
from nescio.options import Request, option, verb
from nescio.options.edge import Progress, bar, say
from nescio.pipeline import Options, judges_of, read
from nescio.pipeline import judge as judge_read
from nescio.pipeline.certificates import Certificate, digest_of, words_of
from nescio.pipeline.options import ReadingAnswers
from nescio.reporting import tables
from nescio.reporting.grid import make_grid
from nescio.reporting.layout import drawn
from nescio.scoring.alternative_annotator import InPlaceOf, StandIn, in_place_of_people
from nescio.scoring.judge_agreement import against as compare_with
from nescio.scoring.judge_agreement import outcomes_digest
from nescio.scoring.judge_certificate import coefficients
from nescio.scoring.keeping import kept
from nescio.sources.arrow import items_of
from nescio.sources.source import own_path
from nescio.tables.judgements import read_judgements
from nescio.tables.mapping import AND
from nescio.tables.outcomes_writer import SUFFIXES, write_outcomes
from nescio.text import plural
from nescio.verbs._output_paths import as_path, check_file, check_results
from nescio.verbs._shared import RESOLVE, Redrawn, Sourced, WithInterval, Worked

MODEL, HUMAN = "llm", "human"  # the judges that need more than their names
INCOMPLETE = 3  # the exit status if another run could ask about remaining answers
OWN_GRADES = "its own grades"  # the judge of a log that came with grades
NOT_BLIND = (
    f"a certificate needs blind labels; give {opt('blind', True)} if people judged without seeing the judge's verdicts"
)


class Judged(Struct, frozen=True, eq=False):
    """Answers with the results of a judge: the outcomes, who judged, and notes.

    `by_people` says that the outcomes are people's own verdicts. `people` has one verdict by people on each answer, or
    is None without such verdicts; `said` has each person's verdicts. `read` is the data that was judged, and `records`
    the known judges. `wrote` names the files written. `results` has people's agreement with the judge, if people gave
    verdicts. `declined_pattern` has the user's patterns of abstentions.
    """

    outcomes: Outcomes
    judge: str
    notes: tuple[Note, ...]
    read: ReadResult
    by_people: bool = False
    people: Human | None = None
    said: tuple[Label, ...] = ()
    records: tuple[JudgeRecord, ...] = ()
    wrote: tuple[str, ...] = ()
    results: Results | None = None
    declined_pattern: tuple[str, ...] = ()

    def __str__(self) -> str:
        words = [
            word for word in (*OUTCOMES, "ungraded") if word in OUTCOMES or (self.outcomes.state == NOT_GRADED).any()
        ]
        counts = [[int((row == MEANINGS[word]).sum()) for word in words] for row in self.outcomes.state]
        head = ["run", *words, "n"]
        rows = [
            [run, *(f"{many:,}" for many in row), f"{sum(row):,}"]
            for run, row in zip(self.outcomes.runs, counts, strict=True)
        ]
        notes = "".join(f"note: {note}\n" for note in self.notes)
        lead = f"{plural(len(self.outcomes.questions), 'question')}, judged by {self.judge}\n"
        return f"{lead}{drawn(make_grid(head, rows, [i == 0 for i in range(len(head))]))}{notes}".rstrip()

    __repr__ = __str__  # shown by a notebook

    @property
    def status(self) -> int:
        """Return the exit status: 3 if another run could judge the answers for which a language model failed."""
        return INCOMPLETE if self.incomplete else 0

    @property
    def incomplete(self) -> bool:
        """Return whether calls of a language model failed, so that another run could judge more answers."""
        return any(note.code in (CALLS_FAILED, GAVE_UP) for note in self.notes)

    def write(self, path: Path | str, *, progress: Progress | None = None) -> WriteResult:
        """Write the outcomes as a table (.csv, .tsv, .jsonl or .parquet), completely or not at all.

        `progress` is called with the numbers of rows written and of all rows.
        """
        path = Path(path)
        check_file(path, "an outcome table", SUFFIXES)
        return WriteResult(
            f"{write_outcomes(kept(self.outcomes, self.notes), path, progress)} outcomes of "
            f"{plural(len(self.outcomes.runs), 'run')}"
        )

    def agreement(
        self, *, target: Target = "collection", ci: float = 95.0, resamples: int = 10_000, seed: int = 0
    ) -> Results:
        """Return a comparison of the judge with people: agreement, Cohen's kappa, confusions, and accuracies.

        The arguments are those of `nescio.scoring.judge_agreement.against`. Raises UsageError if people gave no
        verdicts, and MismatchError if people judged none of these answers.
        """
        if self.people is None:
            raise UsageError("to compare the judge with people, give people's verdicts with `against`")
        theirs, judged_cells = self._by_people(self.people)
        stale, unequal = self.people.said_of_stale(), self.people.said_of_draw()
        how: dict[str, Any] = {"target": target, "corrects": not unequal}
        how |= {"ci": ci, "resamples": resamples, "seed": seed}
        compared = compare_with(self.outcomes, theirs, judged_cells, judge=self.judge, **how)
        return replace(compared, notes=(*stale, *unequal, *compared.notes))

    def in_place_of_people(self, margin: float) -> tuple[tuple[InPlaceOf, ...], StandIn, list[Note]]:
        """Test whether the judge may replace people (the alternative annotator test); return rows, verdict and notes.

        Use a margin of 0.2 for experts, 0.15 for skilled people and 0.1 for a crowd. Raises MismatchError if no two
        people judged the same answers.
        """
        runs, questions, people = self.outcomes.runs, self.outcomes.questions, dict[str, Outcomes]()
        for name in sorted({label.assessor for label in self.said if label.assessor} - {ADJUDICATION}):
            labels = [label for label in self.said if label.assessor == name]
            with suppress(MismatchError):  # somebody who judged none of these answers
                people[name] = self._by_people(human(labels, runs, questions)[0])[0]
        return in_place_of_people(self.outcomes, people, _asked(self.read.data, self.outcomes), margin)

    def certificate(
        self, *, blind: bool = False, ci: float = 95.0, resamples: int = 10_000, seed: int = 0
    ) -> Certificate:
        """Return a certificate of the agreement between people and the judge, for gates with `--require-certificate`.

        `blind` states that people gave their verdicts without seeing the judge's verdicts. Raises UsageError if people
        gave no verdicts or were not blind, and unless exactly one known judge judged. Raises MismatchError if people
        judged none of these answers, or if these were drawn with different probabilities.
        """
        if self.people is None:
            raise UsageError("a certificate needs people's verdicts; name their table with `against`")
        if not blind:
            raise UsageError(NOT_BLIND)
        if self.by_people or len(self.records) != 1:
            who = (
                "people's own verdicts"
                if self.by_people
                else f"answers of {len(self.records)} judges"
                if self.records
                else f"verdicts of an unnamed judge; name the judge with {opt('judge_name', of='NAME')}"
            )
            raise UsageError(f"a certificate is for one judge, but these files hold {who}")
        theirs, judged_cells = self._by_people(self.people)
        for remark in self.people.said_of_stale():
            if remark.code in (STALE, OTHER_TEXTS) and max(share for _, share in remark["shares"]) >= MUCH:
                raise MismatchError(f"{remark.text}; a certificate needs verdicts on the answers that the runs give")
        if self.people.said_of_draw():
            raise MismatchError(
                "a certificate needs verdicts on a simple random sample, but these have different probabilities in "
                "their column `inclusion`"
            )
        how: dict[str, Any] = {"level": ci / 100, "resamples": resamples, "seed": seed}
        labels, categories, agreement = coefficients(self.outcomes, theirs, judged_cells, **how)
        record = self.records[0]
        return Certificate(
            str(record),
            record.prompt,
            labels,
            self.outcomes.runs,
            digest_of(self.outcomes.questions),
            outcomes_digest(self.outcomes),
            outcomes_digest(theirs),
            date.today().isoformat(),
            categories,
            ci,
            agreement,
            words_of(self.outcomes),
            self.declined_pattern,
        )

    def _by_people(self, people: Human) -> tuple[Outcomes, Array]:
        """Return the outcomes by people, and a mask of the answers that needed a verdict.

        Raises MismatchError if people judged none of these answers.
        """
        data = self.read.data
        if isinstance(data, Unjudged):
            theirs, _ = settle(judge_runs(data.collection, data.runs, people, data.files)[0], data.no_answer)
        else:
            theirs = people_on(self.outcomes, people)
        judged_cells = _asked(data, self.outcomes)
        people.spare(theirs.runs, theirs.questions, judged_cells)
        if not (judged_cells & np.isin(theirs.state, (CORRECT, INCORRECT, SILENT, ANSWERED))).any():
            raise people.none_judged()
        return theirs, judged_cells


def _asked(data: Any, outcomes: Outcomes) -> Array:
    """Return a mask of the answers that need a verdict, shape (runs, questions)."""
    return asked_cells(data.collection, data.runs) if isinstance(data, Unjudged) else asked_of(outcomes)


class AskingModel(Request, group="Language model"):
    """The options for a language model: its address, its budget, and the file of its grades."""

    base_url: str | None = option(
        default=None,
        metavar="URL",
        help=f"With {opt('judge', 'llm')}: an OpenAI-compatible endpoint, such as https://host/v1.",
    )
    model: str | None = option(default=None, metavar="NAME", help="The model that grades.")
    api_key_env: str | None = option(
        default=None,
        metavar="NAME",
        help="The environment variable that holds the API key.",
        default_words=f"{KEY}; if it is not set, no key is sent",
    )
    concurrency: int | None = option(
        default=None, low=1, high=256, help="The number of simultaneous calls.", default_words="4"
    )
    max_calls: int | None = option(default=None, low=0, help="The maximum number of calls.")
    max_cost: float | None = option(
        default=None, low=0, metavar="AMOUNT", help="The maximum cost, at the given prices."
    )
    price_in: float | None = option(default=None, low=0, metavar="AMOUNT", help="The price of a million tokens sent.")
    price_out: float | None = option(
        default=None, low=0, metavar="AMOUNT", help="The price of a million tokens received."
    )
    max_tokens: int | None = option(
        default=None, low=1, help="The maximum number of tokens in one reply.", default_words="1024"
    )
    timeout: float | None = option(
        default=None, low=0, above=True, metavar="SECONDS", help="The time limit of one attempt.", default_words="60"
    )
    retries: int | None = option(
        default=None,
        low=0,
        help="The number of retries of a call that fails temporarily (429, 5xx) or gets no answer.",
        default_words="5",
    )
    cache: Path | str | None = option(
        default=None,
        help="The file that stores grades, so that no grade is paid for twice.",
        default_words="nescio/grades.sqlite in your folder of caches",
    )
    retry_ungraded: bool | None = option(
        default=None, help="Call the model again if its stored reply contains no grade."
    )


class BySeveral(Request, group="Several people"):
    """The options for several people's verdicts on one answer."""

    resolve: Resolution = option(default="adjudicated", needs="against", help=RESOLVE)
    alternative: float | None = option(
        default=None,
        low=0,
        high=1,
        needs="against",
        metavar="MARGIN",
        help="Test whether the judge may replace people (the alternative annotator test). HUMAN must hold "
        "verdicts of two people or more on the same answers. MARGIN is how far the judge may fall short of "
        "a person: 0.2 for experts, 0.15 for skilled people, 0.1 for a crowd.",
    )


class JudgeRequest(ReadingAnswers, BySeveral, AskingModel, Redrawn, WithInterval, Sourced, Worked):
    """The options of `nescio judge`."""

    judge: str | None = option(
        default=None,
        metavar="NAME",
        help="How answers are judged: fitting, exact, contains, token_f1, choice, numeric, pattern, overlap, declined,"
        " human or llm, with parameters as in 'token_f1(threshold=0.8)'.",
        default_words="choice if all questions have options, else fitting",
    )
    judge_name: str | None = option(
        default=None,
        metavar="NAME",
        apart="judge",
        help="The name of the judge, if FILES do not give it. Outcomes and certificates record the name.",
    )
    output: Path | str | None = option(
        default=None, flags=("-o", "--output"), help="The outcome table to write: .csv, .tsv, .jsonl or .parquet."
    )
    against: Path | str | None = option(
        default=None,
        reads=True,
        metavar="HUMAN",
        help="A table of people's verdicts on some of the answers. nescio reports how well the judge agrees "
        "with people, and estimates people's verdicts on all answers. If verdicts are TREC's letters, only "
        "R is correct; X and U are incorrect.",
    )
    verdict: str | None = option(
        default=None,
        metavar="COLUMN",
        needs="against",
        help="The column of HUMAN with people's verdicts. For several people, name several columns, such as "
        "ana+ben. HUMAN may be the judged table itself, with the judge's verdicts in another column.",
    )
    target: Target = option(
        default="collection",
        needs="against",
        help="What the corrected accuracies describe: all answers to these questions (collection) or all questions "
        "of this kind (population).",
    )
    report: Path | str | None = option(
        default=None,
        needs="against",
        help="Also write the comparison with people. The suffix decides the form: .json, .jsonl, .csv, .md, .tex, .txt"
        " or .parquet.",
    )
    certificate: Path | str | None = option(
        default=None,
        needs="against",
        help="Write a certificate (.json) of the judge: its agreement with people on these questions, for gates with"
        f" {opt('require_certificate')}.",
    )
    blind: bool = option(
        default=False,
        needs="against",
        help="Declare that people did not see the judge's verdicts. A certificate needs this declaration.",
    )

    def check(self) -> None:
        """Raise UsageError for a certificate of labels that were not declared blind."""
        super().check()
        if self.certificate is not None and not self.blind:
            raise UsageError(NOT_BLIND)

    @classmethod
    def typed(cls, words: dict[str, Any], **further: Any) -> Self:
        """Return the request that the words of a shell make. Raises UsageError if no option says where outcomes go."""
        request = super().typed(words, **further)
        if request.output is None and request.against is None:
            raise UsageError(
                f"nothing to do: use {opt('output', of='FILE')} to write the outcomes, or "
                f"{opt('against', of='HUMAN')} to compare the judge with people; if one file holds the verdicts of "
                f"both, give it as FILES and as HUMAN, and name people's column with {opt('verdict', of='COLUMN')}"
            )
        return request

    @property
    def about_model(self) -> ModelOptions:
        """Return the options for the language model."""
        return ModelOptions(**self.values(AskingModel))


@verb(JudgeRequest, working="judging")
def judge(request: JudgeRequest) -> Judged:
    name, inputs, model = request.judge, request.inputs(), request.about_model
    if request.certificate:
        check_file(Path(request.certificate), "a certificate", (".json",), inputs)
    if request.output:
        check_file(Path(request.output), "an outcome table", SUFFIXES, inputs)
    check_results(as_path(request.report), inputs)
    if not asks_model(name) and model.given():
        raise UsageError(
            f"{model.given()[0]} needs {opt('judge', MODEL)}, or the judge 'declined(undetermined={MODEL})'"
        )
    # Verdicts in a table are those of the judge that is compared with people, unless --verdict names another.
    judged_files = [own_path(item) for item in items_of(request.source) if isinstance(item, (str, Path))]
    same_table = request.against is not None and own_path(request.against) in judged_files
    against_people = request.against is not None and (request.verdict is not None or not same_table)
    stands = name is None and (against_people or request.judge_name is not None)
    by_people = frozenset((request.verdict, *request.verdict.split(AND)) if request.verdict and same_table else ())
    reading = Options(**request.values(ReadingAnswers), texts=stands, people=by_people, written=True)
    result = read(items_of(request.source), reading, gold=name != HUMAN, judging=not stands, supports=False)
    if request.judge_name is not None:
        result = _by(request.judge_name, result)
    people, labels, notes = None, tuple[Label, ...](), list[Note]()
    if request.against is not None:
        people, labels, notes = _people(result, request, answered=name != HUMAN)

    def model_of() -> Any:
        return connect(
            model,
            progress=request.progress,
            waiting=lambda cache: say(
                f"waiting for the current calls; grades are stored in {cache} (press Ctrl-C again to stop at once)"
            ),
        )

    watch = None if asks_model(name) else request.progress
    made = _judged(result, name, Resources(people, model_of), watch)
    assert isinstance(made.data, Outcomes)
    by = named(judges_of(made)) if made.judged_here or request.judge_name else OWN_GRADES
    human_only = judges_of(made) == (PEOPLE,)
    of_people = list[Note]()
    if people is not None and name == HUMAN:
        people.spare(made.data.runs, made.data.questions, _asked(result.data, made.data))
        of_people = [*people.said_of_stale(), *people.said_of_draw()]
    judged = Judged(
        made.data,
        by,
        (*notes, *of_people, *made.notes),
        result,
        human_only,
        people,
        labels,
        judges_of(made),
        declined_pattern=tuple(request.declined_pattern),
    )
    return _written(judged, request)


def _written(judged: Judged, request: JudgeRequest) -> Judged:
    """Return the judged answers after writing the requested files and comparing the judge with people."""
    wrote, agreed = [], None
    drawn: dict[str, Any] = {"ci": request.ci, "resamples": request.resamples, "seed": request.seed}
    if request.output:
        written = judged.write(request.output, progress=bar("writing"))
        wrote.append(f"judged by {judged.judge}; wrote {written.what} to {request.output}")
    if judged.people is not None and not judged.by_people:
        agreed = judged.agreement(target=request.target, **drawn)
        if request.alternative is not None:
            rows, stands, more = judged.in_place_of_people(request.alternative)
            tables_too = {**agreed.tables, "alternative": rows, "stand_in": (stands,)}
            if "conclusion" in tables_too:  # the conclusion stays the last
                tables_too["conclusion"] = tables_too.pop("conclusion")
            agreed = replace(agreed, tables=tables_too, notes=(*agreed.notes, *more))
        if request.report:
            tables.write(agreed, Path(request.report))
            wrote.append(f"wrote {request.report}")
    if request.certificate is not None:
        certified = judged.certificate(blind=request.blind, **drawn)
        certified.write(request.certificate)
        judged = replace(judged, notes=(*judged.notes, *certified.notes))
        wrote.append(f"wrote {request.certificate}")
    return replace(judged, wrote=tuple(wrote), results=agreed)


def asks_model(judge: str | None) -> bool:
    """Return whether a judge is a language model, or asks one."""
    return judge is not None and re.search(rf"(?<![\w.]){MODEL}(?!\w)", judge) is not None


def _people(
    result: ReadResult, request: JudgeRequest, *, answered: bool
) -> tuple[Human, tuple[Label, ...], list[Note]]:
    """Return people's verdicts on the answers, each person's labels, and notes on their file."""
    tested = request.alternative is not None
    labels, notes = read_judgements(
        request.against, request.outcome_map, request.verdict, answered=answered, several=tested
    )
    if isinstance(result.data, Unjudged):
        runs = [run.name for run in result.data.runs]
        questions = [question.id for question in result.data.collection.questions]
    elif isinstance(result.data, Outcomes):
        runs, questions = list(result.data.runs), list(result.data.questions)
    else:
        raise UsageError(f"{opt('against')} needs verdicts on single answers, but these files hold none")
    one_each, settling = settled(labels, request.resolve)
    people, more = human(one_each, runs, questions, request.verdict)
    return people, tuple(labels), [*notes, *settling, *more]


def _by(name: str, result: ReadResult) -> ReadResult:
    """Return `result` with `name` as the judge that gave the verdicts in the files.

    Raises UsageError if the files name their judge themselves, or hold no verdicts.
    """
    data, option_ = result.data, opt("judge_name", name)
    if not isinstance(data, Outcomes):
        raise UsageError(
            f"{option_} names the judge who gave verdicts, but these files hold no verdicts: {result.about}"
        )
    if known := judges_of(result):
        raise UsageError(f"{option_}: these files already name the judge ({named(known)}); leave the option out")
    return replace(result, data=replace(data, judges=(parse(name),) * len(data.runs)))


def _judged(result: ReadResult, name: str | None, resources: Resources, watch: Progress | None) -> ReadResult:
    """Return `result` with its answers judged as the user requested.

    Answers that a log has judged already keep their outcomes, which may be compared with people's verdicts. But if
    `name` is the judge "human", people's verdicts replace these outcomes.
    """
    data, people = result.data, resources.people
    if isinstance(data, Outcomes) and isinstance(people, Human) and name in (None, HUMAN):
        if name is None:
            return result
        theirs = replace(people_on(data, people), judges=(PEOPLE,) * len(data.runs))
        return replace(result, data=theirs, judges=(), judged_here=True)
    if isinstance(data, Outcomes) and any(data.judges) and name is None:
        return result
    if not isinstance(data, Unjudged):
        raise UsageError(f"these files need no judge: {result.about}")
    return judge_read(result, name, resources, watch)
