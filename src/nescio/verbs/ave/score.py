"""Score validators: precision, recall, F and AUC over answers, and QA accuracy over questions.

A response has one line per answer: q_id a_id SELECTED|VALIDATED|REJECTED confidence. At most one answer to a question
is SELECTED, and one must be if any is VALIDATED. Intervals resample questions with their answers. --ranking ranks QA
systems and validators by QA accuracy, together with Perfect selection and Random. `nescio compare` tests a validator
against QA systems on the same questions.

\b
nescio ave score collection.xml validator.txt
nescio ave score collection.xml validator.txt --ranking outcomes.csv --roc roc.svg
nescio compare collection.xml validator.txt outcomes.csv --baseline old -m ave.qa_accuracy
nescio ave score pairs2006.xml answers.txt   # pair_id YES|NO confidence
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from nescio.data.evidence import Evidence
from nescio.data.results import Results, Scores
from nescio.data.signature import Signature
from nescio.errors import MismatchError, UsageError, opt
from nescio.formats import open_source
from nescio.options import argument, option, verb
from nescio.pipeline import Loaded, Options, load
from nescio.pipeline.judged import load_judged
from nescio.reporting import tables
from nescio.reporting.figures import draw
from nescio.scoring.score import compute_scores
from nescio.tasks.ave import baselines as reference
from nescio.tasks.ave.evidence import roc
from nescio.tasks.ave.reader import COLLECTION, read_exercise, recognise
from nescio.verbs._output_paths import check_place, check_results
from nescio.verbs._shared import OWN_FILES, BrokenDown, Measured, Resampled, WithOrWithoutInterval, Worked

FORMAT = "ave"


class AveScoreRequest(Resampled, WithOrWithoutInterval, BrokenDown, Measured, Worked):
    """The options of `nescio ave score`."""

    source: Any = argument(
        kw_only=False,
        kind=OWN_FILES,
        argument=True,
        metavar="COLLECTION RESPONSES...",
        help="A collection (or AVE 2006's pairs), and responses to it.",
    )
    ranking: Sequence[Path | str] = option(
        default=(),
        kind=OWN_FILES,
        help="Judged answers of QA systems, to be ranked with the validators: an outcome table, people's verdicts (run,"
        " question, verdict), or anything that `nescio score` reads.",
    )
    roc: Path | str | None = option(
        default=None, metavar="FILE", help="Draw the ROC curves as FILE (.svg), or write their points (.csv, .json …)."
    )
    choose: Mapping[str, str] = option(
        default={},
        help="Use confidence=decision if the confidence of a REJECTED answer means confidence that the answer is "
        "wrong.",
    )

    def check(self) -> None:
        """Raise UsageError for an option that chooses between answers and questions, because both are scored."""
        super().check()
        if "view" in self.choose:
            raise UsageError(
                f"{opt('choose', of='view=…')} is for `nescio score`; this command always scores both the answers "
                "and the selection, so leave the option out"
            )


@verb(AveScoreRequest, working="scoring")
def score(request: AveScoreRequest) -> Scores:
    curve = None if request.roc is None else Path(request.roc)
    if curve is not None and curve.suffix.lower() == ".svg":
        check_place(curve, request.inputs())
    else:
        check_results(curve, request.inputs())
    loaded = load(request.source, Options(format_in=FORMAT, choose=request.choose))
    places: tuple[reference.Place, ...] = ()
    if request.ranking:
        loaded, places = _rank(loaded, request.source, request.ranking)
    how = request.values(WithOrWithoutInterval, BrokenDown, Resampled, Worked)
    scores = compute_scores(loaded, request.measures, **how)
    if places:
        scores = replace(scores, tables={**scores.tables, "ranking": places})
    if curve is None:
        return scores
    _write_roc(loaded, curve, scores.signature)
    return replace(scores, wrote=(f"wrote {curve}",))


def _rank(loaded: Loaded, items: Sequence[Any], ranking: Sequence[Any]) -> tuple[Loaded, tuple[reference.Place, ...]]:
    """Return the data of the validators together with the QA systems, and the place of each in the ranking."""
    collections = [source for source in map(open_source, items) if recognise(source) == COLLECTION]
    if not collections:
        raise MismatchError("AVE 2006's pairs are not grouped by question, so nothing can be selected or ranked")
    exercise = read_exercise(collections[0])
    judged = load_judged(ranking)
    if not isinstance(judged.data, Evidence) or not isinstance(loaded.data, Evidence):
        raise MismatchError(
            "a ranking needs the outcomes of QA systems on each question of the collection; a counts table "
            "does not have these"
        )
    data, notes = reference.with_systems(loaded.data, judged.data)
    merged = replace(loaded, data=data, notes=(*loaded.notes, *judged.notes, *notes))
    return merged, tuple(reference.ranking(exercise, data, judged.data.runs))


def _write_roc(loaded: Loaded, path: Path, line: Signature) -> None:
    assert isinstance(loaded.data, Evidence)
    points = roc(loaded.data)
    if not points:
        raise MismatchError("no run has a ROC curve; a curve needs confidences, and both right and wrong answers")
    if path.suffix.lower() != ".svg":
        tables.write(Results(tuple(points), line, (), "roc"), path)
        return
    spots = [(point.run, point.false_positive_rate, point.true_positive_rate) for point in points]
    draw(path, spots, "wrong answers accepted (share)", "right answers accepted (share)", diagonal=True)
