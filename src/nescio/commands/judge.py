"""Judging answers, and holding the judge against people."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from nescio.commands.places import check_file, listed
from nescio.data.columns import Array
from nescio.data.judges import JudgeRecord, Target, named
from nescio.data.notes import Note
from nescio.data.outcomes import ANSWERED, CORRECT, INCORRECT, SILENT, Outcomes
from nescio.data.results import Results
from nescio.errors import UsageError
from nescio.formats import ReadResult, Unjudged, WriteResult
from nescio.formats.native.judgements import read_judgements
from nescio.formats.native.outcome_table.writer import SUFFIXES, write_outcomes
from nescio.judging import Human, Resources, asked_cells, judge_runs
from nescio.judging.human import PEOPLE, asked_of, human, people_on
from nescio.judging.llm.connecting import ModelOptions, connect
from nescio.judging.llm.judge import CALLS_FAILED, GAVE_UP
from nescio.pipeline import JudgingOptions, Options, check_names, judges_of, read
from nescio.pipeline import judge as judge_read
from nescio.pipeline.certificates import Certificate, digest_of
from nescio.scoring.judge_agreement import against as compare_with
from nescio.scoring.judge_agreement import outcomes_digest
from nescio.scoring.judge_certificate import coefficients
from nescio.stats.parallel import Progress
from nescio.text import plural

MODEL, HUMAN = "llm", "human"  # the judges that need more than their names
READING = (
    "format_in",
    "column",
    "outcome_map",
    "choose",
    "declined_pattern",
    "max_unpacked",
    "memory_limit",
)  # options of reading that judging has a use for
OWN_GRADES = "its own grades"  # who judged a log that came with grades


class Judged(Struct, frozen=True, eq=False):
    """Answers with what a judge made of them: the outcomes, who judged, and notes.

    `by_people` says that the outcomes are people's own verdicts; `people` are those whom another judge can be held
    against, None where none were given; `read` is what was judged, and `records` are the judges that are known.
    """

    outcomes: Outcomes
    judge: str
    notes: tuple[Note, ...]
    read: ReadResult
    by_people: bool = False
    people: Human | None = None
    records: tuple[JudgeRecord, ...] = ()

    @property
    def incomplete(self) -> bool:
        """Say whether calls of a language model have failed, whose answers another run would ask about."""
        return any(note.code in (CALLS_FAILED, GAVE_UP) for note in self.notes)

    def write(self, path: Path | str, *, progress: Progress | None = None) -> WriteResult:
        """Write the outcomes as a table (.csv, .tsv, .jsonl or .parquet), whole or not at all; `progress` hears how
        many rows are written."""
        path = Path(path)
        check_file(path, "an outcome table", SUFFIXES)
        return WriteResult(
            f"{write_outcomes(self.outcomes, path, progress)} outcomes of {plural(len(self.outcomes.runs), 'run')}"
        )

    def agreement(
        self, *, target: Target = "collection", ci: float = 95.0, resamples: int = 10_000, seed: int = 0
    ) -> Results:
        """Hold the judge against the people: agreement, Cohen's kappa, a confusion table, and corrected accuracies.

        Arguments as in `nescio.scoring.judge_agreement.against`. Raises UsageError where no people were given,
        MismatchError where they judged none of these answers.
        """
        if self.people is None:
            raise UsageError("give people's verdicts with `against` to compare the judge with them")
        theirs, judged_cells = self._by_people(self.people)
        stale = self.people.said_of_stale()
        compared = compare_with(
            self.outcomes, theirs, judged_cells, judge=self.judge, target=target, ci=ci, resamples=resamples, seed=seed
        )
        return replace(compared, notes=(*stale, *compared.notes))

    def certificate(
        self, *, blind: bool = False, ci: float = 95.0, resamples: int = 10_000, seed: int = 0
    ) -> Certificate:
        """Certify how far people agree with the judge, for gates that require it (`--require-certificate`).

        `blind` states that people gave their verdicts without seeing the judge's. Raises UsageError where no people
        were given, they were not blind, or nobody knows who judged; MismatchError where they judged none of these
        answers.
        """
        if self.people is None:
            raise UsageError("a certificate needs people's verdicts; give them with `against`")
        if not blind:
            raise UsageError(
                "a certificate counts blind labels; say --blind if people gave their verdicts without seeing the"
                " judge's"
            )
        if self.by_people or len(self.records) != 1:
            who = (
                "people's own verdicts" if self.by_people else "answers of several judges, or of one that is not known"
            )
            raise UsageError(f"a certificate is of one judge, and these are {who}")
        theirs, judged_cells = self._by_people(self.people)
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
        )

    def _by_people(self, people: Human) -> tuple[Outcomes, Array]:
        """Return the outcomes by people, and which answers were to be judged; raises MismatchError where none was."""
        data = self.read.data
        if isinstance(data, Unjudged):
            theirs, _ = judge_runs(data.collection, data.runs, people, data.files)
            judged_cells = asked_cells(data.collection, data.runs)
        else:
            theirs, judged_cells = people_on(self.outcomes, people), asked_of(self.outcomes)
        if not (judged_cells & np.isin(theirs.state, (CORRECT, INCORRECT, SILENT, ANSWERED))).any():
            raise people.none_judged()
        return theirs, judged_cells


def judge(
    source: Any,
    *,
    judge: str | None = None,
    against: Path | str | None = None,
    verdict: str | None = None,
    model: ModelOptions | None = None,
    progress: Progress | None = None,
    waiting: Callable[[Path], None] | None = None,
    **options: Unpack[JudgingOptions],
) -> Judged:
    """Judge answers, and hold the judge against people.

        judged = nescio.judge(["questions.jsonl", "runs/mine.jsonl"], judge="token_f1", against="people.csv")
        judged.write("outcomes.csv")
        print(judged.agreement())

    `source` are questions and the runs that answer them, in any format of answers that are yet to be judged. `judge`
    names the judge, with parameters as in "token_f1(threshold=0.5)" (None: choice where all questions have options,
    else exact); "human" takes people's verdicts, "llm" asks a language model (`model` says where it is). `against` is a
    table of people's verdicts, `verdict` its column where its name does not tell; with it a log that is judged already
    may stand in place of the answers. `progress` hears how many answers have been judged; `waiting` is told where
    grades are kept when a run that is stopped waits for the calls under way. Options are `format_in`, `column`,
    `outcome_map`, `choose` and `declined_pattern`, as in `nescio.score`.

    Raises NescioError: UsageError for options that make no sense, MismatchError for verdicts that belong to none of the
    answers.
    """
    check_names(_JUDGE, options, READING)
    reading = Options(**options)
    if model is not None and not asks_model(judge) and model.given():
        raise UsageError(f"{model.given()[0]} is for --judge {MODEL}, or 'declined(undetermined={MODEL})'")
    result = read(listed(source), reading, gold=judge != HUMAN, judging=True, supports=False)
    people, notes = None, list[Note]()
    if against is not None:
        people, notes = _people(result, Path(against), reading.outcome_map, verdict, answered=judge != HUMAN)
    model_of = lambda: connect(model or ModelOptions(), progress=progress, waiting=waiting)  # noqa: E731
    watch = None if asks_model(judge) else progress or reading.watch_judging
    judged = _judged(result, judge, Resources(people, model_of), watch)
    assert isinstance(judged.data, Outcomes)
    name = named(judges_of(judged)) if judged.judged_here else OWN_GRADES
    by_people = judges_of(judged) == (PEOPLE,)
    return Judged(judged.data, name, (*notes, *judged.notes), result, by_people, people, judges_of(judged))


def asks_model(judge: str | None) -> bool:
    """Say whether a judge is a language model, or asks one."""
    return judge is not None and re.search(rf"(?<![\w.]){MODEL}(?!\w)", judge) is not None


_JUDGE = judge  # whose parameter has its name


def _people(
    result: ReadResult, against: Path, outcome_map: Mapping[str, str], verdict: str | None, *, answered: bool
) -> tuple[Human, list[Note]]:
    """Read people's verdicts on the answers, and note what was made of their file."""
    labels, notes = read_judgements(against, outcome_map, verdict, answered=answered)
    if isinstance(result.data, Unjudged):
        runs = [run.name for run in result.data.runs]
        questions = [question.id for question in result.data.collection.questions]
    elif isinstance(result.data, Outcomes):
        runs, questions = list(result.data.runs), list(result.data.questions)
    else:
        raise UsageError("--against compares outcomes of single answers, but these files have none")
    people, more = human(labels, runs, questions)
    return people, [*notes, *more]


def _judged(result: ReadResult, name: str | None, resources: Resources, watch: Progress | None) -> ReadResult:
    """Judge what was read as asked for; a log that is judged already may be held against people."""
    data, people = result.data, resources.people
    if isinstance(data, Outcomes) and isinstance(people, Human) and name in (None, HUMAN):
        return replace(result, data=people_on(data, people), judged_here=True) if name else result
    if not isinstance(data, Unjudged):
        raise UsageError(f"these files need no judge: {result.about}")
    return judge_read(result, name, resources, watch)
