"""Test whether a system saw the questions before, by its loss on paraphrases compared with other systems."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.evidence import Evidence, with_questions
from nescio.data.notes import Note, note
from nescio.data.plain_tables import figure
from nescio.data.repeats import means
from nescio.data.results import Results
from nescio.data.shown import Shown
from nescio.data.signature import sign
from nescio.errors import MismatchError, UnknownNameError, UsageError, opt
from nescio.estimating import Statistic, closed_form, estimate, units_of
from nescio.estimating.measured import of_shares
from nescio.measures import Measure, Measures
from nescio.scoring.samples import columns_for
from nescio.scoring.score import open_data, parse_all
from nescio.stats.intervals import defined
from nescio.stats.paraphrases import alike, excess, exchange, of_strength
from nescio.stats.streams import Stream
from nescio.text import sanitize

Floats = NDArray[np.float64]
USUAL = ("accuracy", "c@1", "coverage")
FEW = 30  # questions; the study starts at this number


class Excess(Struct, frozen=True):
    """How much more the suspect loses from rewording than the references do, by one measure.

    `difference` is (`original` - `paraphrase`) - (`reference_original` - `reference_paraphrase`). The last two are
    means over the references. `explained` is the difference that unequal strength alone would cause, if paraphrases are
    harder for all systems by the same log odds. `p` is one-sided and tests for a difference above `explained` (or above
    0, if `explained` is negative). `p` is None if the references are much stronger or weaker than the suspect.
    `p_exchange` and `p_two_sided` test the whole difference. `n` counts the questions that every system answered, with
    a graded outcome, in both wordings.
    """

    suspect: str
    references: tuple[str, ...]
    measure: Annotated[str, Shown()]
    original: float
    paraphrase: float
    reference_original: float
    reference_paraphrase: float
    difference: Annotated[float, Shown(form="signed", interval=("low", "high"))]
    low: float | None
    high: float | None
    explained: Annotated[float, Shown(form="signed")]
    p: Annotated[float | None, Shown(form="p", absent="not given", always=True)]
    p_exchange: float | None
    p_two_sided: float | None
    test: Annotated[str, Shown()]
    n: Annotated[int, Shown()]

    @property
    def other(self) -> str:
        """Return the name of the reference if there is one, else how many there are, such as "3 references"."""
        return self.references[0] if len(self.references) == 1 else f"{len(self.references)} references"

    @property
    def drop(self) -> Annotated[str, Shown("{suspect}", after="measure")]:
        """Return the suspect's scores on the original questions and on their paraphrases."""
        return f"{figure(self.original)} to {figure(self.paraphrase)}"

    @property
    def reference_drop(self) -> Annotated[str, Shown("{other}", after="drop")]:
        """Return the mean scores of the references on the original questions and on their paraphrases."""
        return f"{figure(self.reference_original)} to {figure(self.reference_paraphrase)}"


def contamination(
    source: Any,
    measures: Measures,
    *,
    suspect: str,
    paraphrase_of: str,
    references: Sequence[str] | None,
    ci: float,
    seed: int,
    **options: Any,
) -> Results[Excess]:
    """Return the suspect's loss from rewording, compared with the loss of other systems on the same questions.

    The column `paraphrase_of` names the original question of each paraphrase, and is empty for originals. Several
    paraphrases of a question count as their mean. Raises MismatchError if no question has both wordings.
    """
    loaded = open_data(source, {"strata": (paraphrase_of,), **options}, measures or USUAL)
    data = with_questions(loaded.data, "compare with their paraphrases")
    if paraphrase_of not in data.strata:
        raise UsageError(
            f"{opt('paraphrase_of')}: there is no column {paraphrase_of!r} with one value for each question"
        )
    others = [run for run in data.runs if run != suspect] if references is None else list(references)
    for run in (suspect, *others):
        if run not in data.runs:
            raise UnknownNameError("run", run, data.runs)
    if not others or suspect in others or len(set(others)) < len(others):
        raise UsageError(
            f"name one or more other systems with {opt('references')}, each once, and not the suspected system (its "
            "loss alone says nothing, since a paraphrase may simply be harder)"
        )
    data = data.take_runs([data.runs.index(run) for run in (suspect, *others)])
    wording = _wordings(data, paraphrase_of)
    rng = np.random.default_rng([seed, int(Stream.PARAPHRASES)])
    wanted = of_shares(parse_all(measures or USUAL, loaded))
    rows, left_out = [], 0
    for measure in wanted:
        row, left_out = _row(data, measure, wording, ci / 100, rng)
        rows.append(row)
    line = sign(
        contamination=sanitize(suspect, target="line"),
        against=sanitize("+".join(others), target="line"),
        measures="+".join(measure.name for measure in wanted),
        **loaded.signature,
        ci=f"{ci:g}",
        interval="t",
        test="exchange with all references at once",
        seed=seed,
    )
    return Results(tuple(rows), line, (*loaded.notes, *_notes(rows, left_out + wording.orphans)), "contamination")


class Wordings(Struct, frozen=True, eq=False):
    """Each row's question, its original question, and whether the row is a paraphrase of the original.

    `asked` numbers the question of each row as it was worded. `original` numbers the original question, and is -1 if
    the data lack the original of a paraphrase. `clusters` holds the cluster of each of the `many` originals. `orphans`
    counts paraphrases without an original.
    """

    asked: NDArray[np.int64]
    original: NDArray[np.int64]
    is_paraphrase: NDArray[np.bool_]
    clusters: NDArray[np.int64]
    many: int
    orphans: int


def _wordings(data: Evidence, column: str) -> Wordings:
    """Return the `Wordings` of the data, which say which rows are paraphrases of which questions.

    `column` names the original question of each paraphrase. Raises MismatchError if no paraphrase has its original in
    the data.
    """
    named = np.array([str(value).strip() for value in data.strata[column]], dtype=object)
    asked = np.arange(len(data.questions)) if data.repeats is None else data.repeats.question
    is_paraphrase = np.array(
        [bool(name) and name != question for name, question in zip(named, data.questions, strict=True)], dtype=bool
    )
    number: dict[str, int] = {}
    for question, other in zip(data.questions, is_paraphrase, strict=True):
        if not other:
            number.setdefault(question, len(number))
    original = np.array(
        [
            number.get(name if other else question, -1)
            for name, question, other in zip(named, data.questions, is_paraphrase, strict=True)
        ],
        dtype=np.int64,
    )
    if not (is_paraphrase & (original >= 0)).any():
        raise MismatchError(
            f"no question has a paraphrase; the column {column!r} must name the original question of each paraphrase"
        )
    clusters = np.arange(len(number))
    if data.groups is not None:
        known = original >= 0
        clusters[original[known & ~is_paraphrase]] = data.groups[known & ~is_paraphrase]
    return Wordings(asked, original, is_paraphrase, clusters, len(number), len(set(asked[original < 0].tolist())))


def _laid(data: Evidence, measure: Measure, wording: Wordings) -> tuple[tuple[str, ...], Floats]:
    """Return the names of the columns that the formula reads, and their values.

    The values have shape (originals, systems, 2 wordings, columns), and are NaN for wordings that a system did not
    answer.
    """
    if not measure.of_counts:
        raise UsageError(
            f"{measure.label} cannot be computed from means over questions; use accuracy, c@1 or another mean"
        )
    measure, read, usable = columns_for(data, measure)
    names: tuple[str, ...] = ()
    laid = np.zeros((0, 0, 0, 0))
    for run in range(len(data.runs)):
        for side, of in enumerate((~wording.is_paraphrase, wording.is_paraphrase)):
            use = usable[run] & of & (wording.original >= 0)
            cells = {name: np.asarray(read[name][run][use], dtype=np.float64) for name in measure.needs}
            columns, asked = measure.of_questions(cells, wording.asked[use])
            if not names:
                names = tuple(name for name in columns if name != "n")
                laid = np.full((wording.many, len(data.runs), 2, len(names)), np.nan)
            of_asked = np.zeros(int(wording.asked.max()) + 1, dtype=np.int64)
            of_asked[wording.asked[use]] = wording.original[use]
            originals = of_asked[asked]
            for place, name in enumerate(names):
                laid[np.unique(originals), run, side, place] = means(columns[name], originals)
    return names, laid


def _row(
    data: Evidence, measure: Measure, wording: Wordings, level: float, rng: np.random.Generator
) -> tuple[Excess, int]:
    names, laid = _laid(data, measure, wording)
    whole = ~np.isnan(laid).any(axis=(1, 2, 3))
    laid, clusters = laid[whole], wording.clusters[whole]
    n = len(laid)
    if not n:
        raise MismatchError("no question has graded outcomes of all systems on both the original and a paraphrase")

    def value(at: Floats) -> Floats:
        return measure.of_totals({**{name: at[..., i] for i, name in enumerate(names)}, "n": np.array(1.0)})

    shape = laid.shape[1:]

    def beyond_references(total: Mapping[str, Any]) -> Floats:
        at = total["laid"] / np.asarray(total["n"])[..., None]
        return excess(value, at.reshape(*at.shape[:-1], *shape))

    units = units_of({"laid": laid.reshape(n, -1)}, clusters if data.groups is not None else None)
    difference = estimate(units, Statistic(beyond_references, skewed=False), partial(closed_form, level=level))
    scores = value(laid.mean(axis=0))
    sums = units.sums["laid"].reshape(-1, *shape)
    explained = of_strength(scores, measure.bounds, n)
    test = exchange(value, sums, n, rng)
    beyond = exchange(value, sums, n, rng, explained).p if explained > 0 else test.p
    if not alike(scores, measure.bounds, explained, n):
        beyond = math.nan
    others = scores[1:].mean(axis=0)
    row = Excess(
        data.runs[0],
        tuple(data.runs[1:]),
        measure.label,
        original=float(scores[0, 0]),
        paraphrase=float(scores[0, 1]),
        reference_original=float(others[0]),
        reference_paraphrase=float(others[1]),
        difference=difference.value,
        low=defined(difference.low),
        high=defined(difference.high),
        explained=explained,
        p=defined(beyond),
        p_exchange=defined(test.p),
        p_two_sided=defined(test.both),
        test=test.how,
        n=n,
    )
    return row, int((~whole).sum())


def _notes(rows: Sequence[Excess], left_out: int) -> list[Note]:
    made = []
    if left_out:
        made.append(
            note(
                "contamination.left_out",
                "{left_out:n question} left out, because some system has no graded outcome on the original or on "
                "the paraphrase",
                left_out=left_out,
            )
        )
    unlike = [row.measure for row in rows if row.p is None and row.p_exchange is not None]
    if unlike:
        made.append(
            note(
                "contamination.unlike",
                "{measures}: no p-value, because the references are much stronger or weaker than the suspected "
                "system. A wording that is equally harder for all then costs the suspected system more. Use "
                "references about as good as this system",
                measures=", ".join(unlike),
            )
        )
    if rows and rows[0].n < FEW:
        made.append(note("contamination.few", "only {n:n question}: the interval is rough", n=rows[0].n))
    return made
