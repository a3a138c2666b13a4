"""What validators are worth, beside QA systems and beside systems that look at nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

from msgspec.structs import replace

from nescio.commands.places import check_results, listed
from nescio.data.evidence import Evidence
from nescio.data.results import Results, Score, Scores
from nescio.data.signature import Signature
from nescio.errors import MismatchError, UsageError, names_nearest
from nescio.formats import open_source
from nescio.formats.benchmarks.ave.reader import (
    COLLECTION,
    OVER_ANSWERS,
    OVER_QUESTIONS,
    PAIRS,
    read_exercise,
    read_pairs,
    recognise,
)
from nescio.pipeline import ChooseOption, Loaded, Options, check_names, load
from nescio.pipeline.judged import load_judged
from nescio.reporting import tables
from nescio.scoring import score as scoring
from nescio.stats.parallel import Progress
from nescio.tasks.ave import baselines as reference
from nescio.tasks.ave.building import counts
from nescio.tasks.ave.evidence import roc
from nescio.tasks.ave.exercise import Exercise

FORMAT = "ave"


def score(
    source: Any,
    measures: Sequence[str] | str | None = None,
    *,
    by: str | None = None,
    ci: float | None = 95.0,
    ranking: Sequence[Path | str] = (),
    roc: Path | str | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    **options: Unpack[ChooseOption],
) -> Scores:
    """Score validators over answers and over questions, and rank them with QA systems.

        nescio.ave.score(["collection.xml", "validator.txt"], ranking=["outcomes.csv"]).records("ranking")

    `source` is a collection (or AVE 2006's pairs) and responses to it. `ranking` are judged answers of QA systems: an
    outcome table, people's verdicts, or whatever `nescio.score` reads. `roc` is a file for the points of the ROC
    curves. The option `choose={"confidence": "decision"}` says that the confidence of a REJECTED answer is in its being
    wrong. Other arguments as in `nescio.score`. Raises NescioError: MismatchError for pairs that are to be ranked, or
    runs that have no ROC curve.
    """
    check_names(score, options, ("choose",))
    items, curve = listed(source), None if roc is None else Path(roc)
    check_results(curve, [*items, *ranking])
    read_options = Options(format_in=FORMAT, **options)
    loaded = load(items, read_options)
    if "view" in read_options.choose:
        raise UsageError(
            "--choose view=… is for `nescio score`; this command always uses both the answers and the selection"
        )
    places: tuple[reference.Place, ...] = ()
    if ranking:
        loaded, places = _rank(loaded, items, ranking)
    drawn: dict[str, Any] = {"resamples": resamples, "seed": seed, "jobs": jobs, "progress": progress}
    scores = scoring.score(loaded, measures, by=by, ci=ci, **drawn)
    if curve:
        _write_roc(loaded, curve, scores.signature)
    return replace(scores, tables={**scores.tables, "ranking": places}) if places else scores


def _rank(loaded: Loaded, items: Sequence[Any], ranking: Sequence[Any]) -> tuple[Loaded, tuple[reference.Place, ...]]:
    """Set the QA systems beside the validators, and rank them all."""
    exercise = _exercise(items)
    judged = load_judged(ranking)
    if not isinstance(judged.data, Evidence) or not isinstance(loaded.data, Evidence):
        raise MismatchError(
            "a counts table has no questions; ranking needs the outcomes of QA systems on the collection's questions"
        )
    data, notes = reference.with_systems(exercise, loaded.data, judged.data)
    merged = replace(loaded, data=data, notes=(*loaded.notes, *judged.notes, *notes))
    return merged, tuple(reference.ranking(exercise, data, judged.data.runs))


def _exercise(items: Sequence[Any]) -> Exercise:
    """Read the collection among the files; raises MismatchError where it is AVE 2006's, which has no questions to
    answer."""
    collections = [source for source in map(open_source, items) if recognise(source) == COLLECTION]
    if not collections:
        raise MismatchError("AVE 2006's pairs are not grouped by question, so nothing can be selected or ranked")
    return read_exercise(collections[0])


def _write_roc(loaded: Loaded, path: Path, line: Signature) -> None:
    assert isinstance(loaded.data, Evidence)
    points = roc(loaded.data)
    if not points:
        raise MismatchError("no run has a ROC curve; it needs confidences, and both right and wrong answers")
    tables.write(Results(tuple(points), line, (), "roc"), path)


@names_nearest
def baselines(
    collection: Path | str,
    *,
    ci: float | None = 95.0,
    resamples: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Scores:
    """Score what looks at nothing on a collection, and perfect selection: by formula, and as runs drawn with `seed`.

        nescio.ave.baselines("collection.xml").value("100% VALIDATED", "ave.F")

    The counts of a collection, as in the paper's Tables 1 and 2, are among the results. Raises UsageError for a file
    that is no collection of AVE and none of its pairs.
    """
    source = open_source(collection)
    kind = recognise(source)
    if kind not in (COLLECTION, PAIRS):
        raise UsageError(f"{collection} is not an AVE collection: XML with answers (a, a_str) or pairs (pair, t, h)")
    exercise = read_exercise(source) if kind == COLLECTION else reference.of_pairs(read_pairs(source))
    measures = (*OVER_ANSWERS, *OVER_QUESTIONS) if kind == COLLECTION else OVER_ANSWERS
    data, notes = reference.baselines(exercise, seed)
    drawn = scoring.score(data, list(measures), ci=ci, resamples=resamples, seed=seed, jobs=jobs, progress=progress)
    size = {row.measure: row.n for row in drawn}
    rows = [
        Score(row.run, name, getattr(row, name.removeprefix("ave.")), None, None, size[name])
        for row in reference.expected(exercise)[:2]
        for name in measures
    ]
    more = {"counts": tuple(counts(exercise))} if kind == COLLECTION else {}
    return Scores((*rows, *drawn.rows), drawn.signature, (*notes, *drawn.notes), "scores", {**drawn.tables, **more})
