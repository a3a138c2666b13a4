"""Save a run with its provenance, as the baseline of later comparisons.

The file holds the outcome, the cluster and the numbers of every question, such as its cost, with digests of the
question's words, options and gold answers. It names the judge, the options that decided how outcomes were read
(--choose, --outcome-map, --declined-pattern), the files, the version and the date. It also holds the measures with
their intervals. Each outcome has its own line, so that version control shows changes. The texts of the answers are not
in the file.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace

from nescio._version import __version__
from nescio.comparison.leaderboard import score
from nescio.data.clusters import clustered
from nescio.data.columns import USER, user
from nescio.data.evidence import NO_ROW, Evidence
from nescio.data.kept import OF_RUNS
from nescio.data.outcomes import ABSENT, NOT_GRADED, Outcomes
from nescio.data.policies import scores_of
from nescio.data.results import Scores
from nescio.data.stakes import unmarked
from nescio.errors import MismatchError, UnknownNameError, UsageError, opt
from nescio.formats.folder_reader import files_of
from nescio.formats.native.baseline import Baseline, Provenance, digest_of, in_json
from nescio.pipeline import Options, apply, deciding, judge, read, words_of
from nescio.pipeline.saved import in_effect
from nescio.scoring.keeping import to_write
from nescio.scoring.score import read_by
from nescio.sources.arrow import items_of
from nescio.sources.writing import write_text
from nescio.verbs._output_paths import check_file
from nescio.verbs._shared import Reading, Resampled, WithInterval, Worked, command_line

SUFFIXES = (".json",)
COMMIT = "GITHUB_SHA"  # in this variable, GitHub Actions names the commit that it checked out


def save_baseline(request: Any, output: Path) -> tuple[str, Scores]:
    """Write the run that a request names to `output`, as the baseline of later comparisons.

    Returns a sentence on the file, and the scores of the run.
    """
    items = items_of(request.source)
    check_file(output, "a baseline", SUFFIXES, items)
    asked = read_by(request.chosen)
    given: dict[str, Any] = {
        **asked,
        "strata": (),  # so that all columns of numbers are kept as numbers
        "texts": True,
        "written": True,
        **request.values(Reading),
    }
    reading, remembered = in_effect(Options(**given), items)
    result = judge(read(items, reading), reading.judge)
    result = to_write(result, reading)
    if isinstance(result.data, Outcomes):
        result = replace(result, data=unmarked(result.data))
    reading = reading.but(repeats_of={})
    data = _one_run(result.data, request.run, result.about)
    data = clustered(data, reading.cluster) if reading.cluster else data
    if isinstance(data, Evidence):
        graded_answers = bool(data.present.any())
    else:
        columns = [data.extra_columns[name] for name in map(user, asked["graded"]) if name in data.extra_columns]
        scored = any(np.isfinite(np.asarray(column, dtype=float)).any() for column in columns)
        graded_answers = bool(scored or not np.isin(data.state, (NOT_GRADED, ABSENT)).all())
    if not graded_answers:
        raise MismatchError(f"run {data.runs[0]!r} has no graded answer, so it cannot serve as a baseline")
    judges_of_runs = data.known_judges if isinstance(data, Outcomes) else ()
    judges = tuple(dict.fromkeys((*result.judges, *judges_of_runs)))
    result = replace(result, data=data, judges=judges, notes=(*result.notes, *remembered))
    loaded = apply(result, reading)
    scores = score(loaded, request.chosen, mark=False, **request.values(WithInterval, Resampled, Worked))
    made = Provenance(
        run=data.runs[0],
        version=__version__,
        date=datetime.now(UTC).date().isoformat(),
        commit=os.environ.get(COMMIT, ""),
        command=command_line("compare", request),
        files=tuple(_hashed(items)),
        format=result.format,
        judge=tuple(map(str, result.judges)),
        read=deciding(reading),
        questions=len(set(data.questions)),
        digest=digest_of(data.questions),
        signature=str(scores.signature),
        measures=tuple(
            {"measure": row.measure, **{end: _plain(getattr(row, end)) for end in ("value", "low", "high")}, "n": row.n}
            for row in scores
        ),
        **{name: data.kept.get(name, {}).get(data.runs[0], "") for name in OF_RUNS if isinstance(data, Outcomes)},
    )
    texts, golds = words_of(result)
    write_text(output, in_json(Baseline(made, data, texts, golds)))
    return f"wrote the baseline {made.run!r}, {made.questions:,} questions, to {output}", scores


def _one_run(data: Any, run: str | None, about: str) -> Outcomes | Evidence:
    """Return the data of one run, on the questions that the run was asked; `run` may be None for a single run.

    Raises MismatchError if the data are counts without single questions, and UsageError if it is unclear which run is
    meant.
    """
    if not isinstance(data, (Outcomes, Evidence)):
        raise MismatchError(f"a baseline needs outcomes of single questions, but these files hold {about}")
    if isinstance(data, Outcomes) and data.scores_only:
        data = scores_of(data)
    if isinstance(data, Evidence) and not all(name.startswith(USER) for name in data.columns):
        raise MismatchError(
            "a baseline can keep only outcomes and your own scores of questions; these files hold other "
            f"values: {about}"
        )
    if run is None and len(data.runs) > 1:
        raise UsageError(f"name the baseline with {opt('run')}; the runs are {', '.join(map(repr, data.runs))}")
    if run is not None and run not in data.runs:
        raise UnknownNameError("run", run, data.runs)
    at = 0 if run is None else data.runs.index(run)
    if isinstance(data, Evidence):
        alone = data.take_runs([at])
        return alone.select(np.asarray(alone.absence[0] != NO_ROW))

    def row_of(array: Any) -> Any:
        return None if array is None else array[at : at + 1]

    return replace(
        data,
        runs=(data.runs[at],),
        state=row_of(data.state),
        confidence=row_of(data.confidence),
        candidate=row_of(data.candidate),
        first_right=row_of(data.first_right),
        extra_columns={name: row_of(array) for name, array in data.extra_columns.items()},
        why=row_of(data.why),
        texts=row_of(data.texts),
        words=row_of(data.words),
        files=data.files[at : at + 1],
        judges=data.judges[at : at + 1],
    )


def _hashed(items: Sequence[Any]) -> list[dict[str, str]]:
    """Return the names of the files that were read, each with the SHA-256 of its content."""
    paths = [Path(item) for item in items if isinstance(item, (str, Path)) and Path(item).exists()]
    hashed = []
    for path in map(Path, files_of(paths)[0]) if paths else ():
        with path.open("rb") as file:
            hashed.append({"name": path.name, "sha256": hashlib.file_digest(file, "sha256").hexdigest()})
    return hashed


def _plain(number: float | None) -> float | None:
    return None if number is None or math.isnan(number) else float(number)
