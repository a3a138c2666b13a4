"""Baselines: a run kept in a file with where it came from, for gates that compare later runs with it."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from nescio._version import __version__
from nescio.commands.places import check_file, listed
from nescio.comparison.leaderboard import score
from nescio.data.columns import USER
from nescio.data.evidence import NO_ROW, Evidence
from nescio.data.notes import Note
from nescio.data.outcomes import ABSENT, NOT_GRADED, Outcomes
from nescio.data.results import Scores
from nescio.errors import MismatchError, UnknownNameError, UsageError
from nescio.formats import ReadResult
from nescio.formats.folder_reader import files_of
from nescio.formats.native.baseline import Baseline, Provenance, digest_of, in_json
from nescio.pipeline import Options, ReadingOptions, apply, check_names, deciding, judge, read, words_of
from nescio.pipeline.loading import merged
from nescio.scoring.score import parse_all
from nescio.sources.writing import write_text
from nescio.stats.parallel import Progress

SUFFIXES = (".json",)
COMMIT = "GITHUB_SHA"  # where GitHub Actions says which commit was checked out
_CHUNK = 1 << 20


class WrittenBaseline(Struct, frozen=True):
    """What `baseline` wrote: where, which run, on how many questions, and the scores that stand in its head."""

    output: Path
    run: str
    questions: int
    scores: Scores

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was left out or touched."""
        return self.scores.notes

    def __str__(self) -> str:
        return f"wrote the baseline {self.run!r}, {self.questions:,} questions, to {self.output}"


def baseline(
    source: Any,
    output: Path | str,
    measures: Sequence[str] | str | None = None,
    *,
    run: str | None = None,
    ci: float | None = 95.0,
    resamples: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    command: str = "",
    progress: Progress | None = None,
    **options: Unpack[ReadingOptions],
) -> WrittenBaseline:
    """Save a run, with its provenance, as the baseline of later comparisons.

        nescio.baseline("outcomes.csv", "baseline.json", run="old")

    `run` is the run to keep, where there are several; `output` the file (.json). It holds the outcome of every
    question, digests of the questions' words, the judge, the options by which outcomes were read, the version, the
    date, and the `measures` with their intervals; `command` is the command line that made it.
    `nescio.compare(..., baseline=output)` compares with it. Other arguments as in `nescio.score`. Raises NescioError:
    MismatchError for data that is not known question by question, and for a run without a graded answer.
    """
    check_names(baseline, options)
    output, items = Path(output), listed(source)
    check_file(output, "a baseline", SUFFIXES, items)
    names = [measures] if isinstance(measures, str) else measures
    graded = tuple(name for measure in parse_all(names or [], None) for name in measure.user_columns)
    given: dict[str, Any] = {"graded": graded, "texts": True, **options}
    reading = Options(**given)
    with reading.naming():
        result = judge(read(items, reading), reading.judge)
        if reading.repeats_of:
            result = replace(result, data=merged(result.data, reading))
            reading = replace(reading, repeats_of={})
        data = _one_run(result.data, run, result.about)
        if not _is_graded(data):
            rule = "has no graded answer: a baseline of it would be compared with nothing"
            raise MismatchError(f"run {data.runs[0]!r} {rule}")
        own = data.judges if isinstance(data, Outcomes) else ()
        judges = tuple(dict.fromkeys((*result.judges, *(record for record in own if record is not None))))
        result = replace(result, data=data, judges=judges)
        loaded = apply(result, reading)
    scores = score(loaded, names, ci=ci, resamples=resamples, seed=seed, jobs=jobs, mark=False, progress=progress)
    made = _provenance(result, data, reading, scores, command=command, files=tuple(_hashed(items)))
    texts, golds = words_of(result)
    write_text(output, in_json(Baseline(made, data, texts, golds)))
    return WrittenBaseline(output, made.run, made.questions, scores)


def _provenance(
    result: ReadResult, data: Outcomes | Evidence, reading: Options, scores: Scores, **made: Any
) -> Provenance:
    """Say where a baseline comes from, and what it scored."""
    return Provenance(
        run=data.runs[0],
        version=__version__,
        date=datetime.now(UTC).date().isoformat(),
        commit=os.environ.get(COMMIT, ""),
        **made,
        format=result.format,
        judge=tuple(map(str, result.judges)),
        read=deciding(reading),
        questions=len(set(data.questions)),
        digest=digest_of(data.questions),
        signature=str(scores.signature),
        measures=tuple(
            {
                "measure": row.measure,
                "value": _plain(row.value),
                "low": _plain(row.low),
                "high": _plain(row.high),
                "n": row.n,
            }
            for row in scores
        ),
    )


def _one_run(data: Any, run: str | None, about: str) -> Outcomes | Evidence:
    """Keep one run on the questions that it was asked; raises where there are several, or no single questions."""
    if not isinstance(data, (Outcomes, Evidence)):
        raise MismatchError(f"this is {about}, which holds no outcome of a single question")
    if isinstance(data, Evidence) and not all(name.startswith(USER) for name in data.columns):
        raise MismatchError(f"this is {about}: a baseline keeps outcomes and scores of questions, and this has others")
    if run is None and len(data.runs) > 1:
        raise UsageError(f"say which run is the baseline with --run; runs are {', '.join(map(repr, data.runs))}")
    if run is not None and run not in data.runs:
        raise UnknownNameError("run", run, data.runs)
    at = 0 if run is None else data.runs.index(run)
    if isinstance(data, Evidence):
        alone = data.take_runs([at])
        return alone.select(np.asarray(alone.absence[0] != NO_ROW))

    def own(array: Any) -> Any:
        return None if array is None else array[at : at + 1]

    return replace(
        data,
        runs=(data.runs[at],),
        state=own(data.state),
        confidence=own(data.confidence),
        candidate=own(data.candidate),
        first_right=own(data.first_right),
        extra_columns={name: own(array) for name, array in data.extra_columns.items()},
        why=own(data.why),
        texts=own(data.texts),
        files=data.files[at : at + 1],
        judges=data.judges[at : at + 1],
    )


def _is_graded(data: Outcomes | Evidence) -> bool:
    """Say whether any answer has an outcome or a score."""
    if isinstance(data, Evidence):
        return bool(data.present.any())
    scored = any(np.isfinite(np.asarray(column, dtype=float)).any() for column in data.extra_columns.values())
    return scored or not np.isin(data.state, (NOT_GRADED, ABSENT)).all()


def _hashed(items: Sequence[Any]) -> list[dict[str, str]]:
    """Name the files that were read, each with the SHA-256 of its bytes."""
    paths = [Path(item) for item in items if isinstance(item, (str, Path)) and Path(item).exists()]
    hashed = []
    for path in map(Path, files_of(paths)[0]) if paths else ():
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
        hashed.append({"name": path.name, "sha256": digest.hexdigest()})
    return hashed


def _plain(number: float | None) -> float | None:
    return None if number is None or math.isnan(number) else float(number)
