"""Decide which results cannot support a decision.

Gates, looks, policies, the last line of a comparison, and the advice of a report all use these functions. None of them
therefore passes what another refuses.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from nescio.data.changed_questions import OTHER_DOCUMENTS, OTHER_QUESTIONS, OTHER_TEXTS
from nescio.data.columns import USER, bare, known, user
from nescio.data.dropped import ANOTHER_FIGURE, NOT_MAPPED, UNSTATED, lacks_answers
from nescio.data.evidence import Evidence
from nescio.data.judge_record import BY_COLUMNS, DIFFERENT, UNCHECKED
from nescio.data.kept import UNFIT as SAID_UNFIT
from nescio.data.notes import Note, note, renamed
from nescio.data.policy_notes import (
    APART,
    CHOSEN,
    CLUSTERS_APART,
    COMMON,
    FEW_CLUSTERS,
    FEWER_REPEATS,
    LACKING,
    MISSING_SILENT,
    MIXED_FILES,
    ONE_SIDED,
    OTHER_ANSWERS,
    OTHER_GOLD,
    OTHER_STAKES,
    OWN,
    REPEATS_SILENT,
    RUNS_FEWER_REPEATS,
    SAMPLED,
    UNEQUAL_REPEATS,
    UNGRADED_LEFT_OUT,
    extremes,
)
from nescio.data.reasons import NOT_DECLINED, left_out_in_words, notes_on_silence
from nescio.data.results import Results, Score, Scores
from nescio.data.scales import SCALES, SIGNS_DIFFER, scales_differ, units_differ
from nescio.errors import opt, spelled
from nescio.measures import Measure, OwnInterval, parse
from nescio.pipeline import Loaded
from nescio.pipeline.baselines import COMPARED
from nescio.pipeline.saved import BESIDE
from nescio.scoring.confidence_intervals import UNFIT, WITHHELD
from nescio.scoring.samples import LEFT_OUT, PART
from nescio.stats.intervals import clopper_pearson
from nescio.text import enumerated, plural

FEWEST_CLUSTERS = 10  # fewer clusters decide nothing (docs/which-method.md)
CHOSEN_LABELS = "agreement.chosen_labels"
ONE_LABEL = "labels.one_run"  # of a note on questions with a label for one run of a pair
KNOWN_DIFFERS = "measure.known_differs"
HONESTY = ("over_conservativeness", "prudence", "honesty")  # measures of the reference system's knowledge
_OF_CONFIDENCE = {"confidence", "probability", "self_score", "ranking_score", "selection_score"}


class Pair(Struct, frozen=True):
    """The other runs of a decision on a judged run: its baseline, and the names of all further runs."""

    baseline: str | None
    others: frozenset[str]

    @classmethod
    def of(cls, results: Results[Any], run: str | None, baseline: str | None) -> Pair:
        """Return the runs of a decision on `run`, with the names of all other runs in the results.

        If `run` is None, every run is judged. Runs have the names of `as_in_files`.
        """
        rows, both = results.rows if run else (), extremes(results.notes)
        names = {str(row.run) for row in rows} | {str(row.baseline) for row in rows if hasattr(row, "baseline")}
        run, baseline = (None if name is None else both.get(name, name) for name in (run, baseline))
        return cls(baseline, frozenset({both.get(name, name) for name in names} - {run, baseline}))

    def judges(self, name: str) -> bool:
        """Return whether a note about the run `name` concerns the judged run.

        We exclude the other runs, because the judged run may have another name in the files.
        """
        return name not in self.others and name != self.baseline

    def is_baseline(self, names: Sequence[str]) -> bool:
        """Return whether these names are the baseline alone, whose rows the judged run's sender could not choose."""
        return self.baseline is not None and tuple(names) == (self.baseline,)


def as_in_files(results: Results[Any]) -> Results[Any]:
    """Return results whose notes name runs as the files do, also where ungraded answers made two runs of one."""
    both = extremes(results.notes)
    return replace(results, notes=tuple(renamed(remark, both) for remark in results.notes)) if both else results


def no_ground(
    results: Results[Any], measure: str, run: str | None, baseline: str | None = None, *, limit: bool = False
) -> str | None:
    """Return the reason why the results cannot support a decision on a run, or None if they can.

    The results cannot support a decision if the sender of the answers could have chosen something so that the run wins,
    or if the figures of the measure do not hold what they claim. If `run` is None, the decision is on any run. With
    `limit` the run is compared with a limit, and not with the `baseline`. The reason completes a sentence such as "no
    gate can rest on …".
    """
    if run is not None and (clusters := _clusters(results)):  # the advice on all runs has no minimum number of clusters
        return spelled(clusters)
    pair, results = Pair.of(results, run, baseline), as_in_files(results)
    # Compared with a limit, and not with a run that was asked as often.
    alone = limit or (baseline is None and (run is not None or results.signature.get("runs") == "1"))
    columns = {*map(bare, parse(measure).user_columns)}
    for remark in results.notes:
        if remark.code == OTHER_STAKES and "stakes.penalty" in parse(measure).reads:
            continue  # a measure that takes each answer at its own stake
        if columns and remark.code == ANOTHER_FIGURE and remark["metric"] not in {"", *columns}:
            continue  # a figure of other scores than those that the measure averages
        if why := _why_not(remark, pair, alone=alone):
            return spelled(why)
    unfit = _of_scales(results, measure, pair, run) or _unfit(results, measure)
    return unfit and spelled(unfit)


def no_guarantee(loaded: Loaded, run: str) -> str | None:
    """Return the reason why a run's answers cannot support a guarantee for new answers, or None if they can.

    The answers cannot support one if some are left out because they have no grade, or may count as right without one,
    or for a reason that also forbids a gate. The reason completes the sentence "no guarantee can rest on …".
    """
    origins = loaded.data.origins
    if run in origins:
        wrong = spelled(opt("ungraded", "incorrect"))
        return f"{run}, which is only one of two possible results; {wrong} counts answers without a grade as wrong"
    pair = Pair(None, frozenset(origins.get(other, other) for other in loaded.data.runs) - {run})
    for remark in (*loaded.notes, *notes_on_silence([run], [loaded.silence])):
        if remark.code == UNGRADED_LEFT_OUT and pair.judges(remark.subject):
            only = "give a file that holds only the graded answers"
            why = f"{left_out_in_words(remark)} and may all be wrong"
            return f"answers without a grade: {why}. If a random sample was graded, {only}"
        if lacks_answers(remark) and any(map(pair.judges, remark["runs"])):
            return f"a part of the answers: {remark.text}. Give a file that holds all of them"
        if remark.code == NOT_DECLINED and pair.judges(remark.subject):
            return f"answers that are not decisions: {spelled(remark['what'])}"
        if reason := _why_not(remark, pair, alone=True):
            return spelled(reason)
    return None


def why_unfit(notes: Sequence[Note], run: str, runs: Sequence[str]) -> list[str]:
    """Return each reason in the notes why no gate can rest on a run, whichever run it is compared with.

    `runs` has the names of all runs. A run beside attempts of another one cannot be compared with that one, so it has a
    reason too. The reasons that a written file shows by itself are left out.
    """
    others, reasons = frozenset(runs) - {run}, list[str | None]()
    for remark in notes:
        baseline = remark.subject if remark.code == MIXED_FILES else None
        if remark.code not in (ONE_SIDED, OTHER_STAKES):
            reasons.append(_why_not(remark, Pair(baseline, others), alone=baseline is None))
    return [spelled(why) for why in dict.fromkeys(reasons) if why]


def _clusters(results: Results[Any]) -> str | None:
    """Return a description of the clusters if they cannot support a decision, else None.

    They cannot if they are too few, or if the command does not name their column: the sender of the answers could then
    put many questions into one cluster. The file of a baseline names its column.
    """
    signature = results.signature
    clusters = int(signature.get("clusters", FEWEST_CLUSTERS))
    if clusters < FEWEST_CLUSTERS:
        return f"{plural(clusters, 'cluster')} of questions: fewer than {FEWEST_CLUSTERS} decide nothing"
    named = "cluster" in signature or any(remark.code == COMPARED for remark in results.notes)
    if "clusters" not in signature or "questions" not in signature or named:
        return None
    return (
        f"clusters from the column `cluster`, which the command does not name ({clusters:,} clusters of "
        f"{signature['questions']} questions): if you trust this column, add {opt('cluster', 'cluster')}"
    )


# Notes that forbid a decision on any run, with the advice that a message gives.
_ADVICE = {
    CHOSEN_LABELS: "Label a random sample of the questions",
    UNCHECKED: "Add a column `answer` with the text that each label is about",
    UNSTATED: "Count the answers again by the statement of `nescio sql`",
    CLUSTERS_APART: f"Decide about these questions alone ({opt('target', 'collection')}), or without labels or a pool",
    FEW_CLUSTERS: f"Fewer than {FEWEST_CLUSTERS} decide nothing",
}


def _why_not(remark: Note, pair: Pair, *, alone: bool) -> str | None:
    """Return the reason why a note forbids a decision, or None if it does not.

    `alone` tells that the run is compared with no other run.
    """
    code, why = remark.code, None
    fact = f"this: {remark.text}. "
    if code == BESIDE:
        named = opt("reading", remark.subject)
        why = (
            f"{remark.subject}, a file that the command does not name: if you trust the file, add {named}; if not, "
            "remove it"
        )
    elif code == APART:
        asked = f"{opt('missing', 'own')} states that the questions of both runs are random samples of one population"
        why = (
            f"this: no two runs share a question, and a run that chooses its own questions could win any gate; {asked}"
        )
    elif code == SAMPLED and not remark["stated"]:
        why = (
            "questions that the sender of the answers could have chosen from the pool: "
            f"{opt('missing', 'own')} states that they are a random sample of it"
        )
    elif code == ONE_SIDED and not pair.is_baseline(remark["runs"]):
        why = f"{fact}State this in the rows of all runs, or make the baseline again from rows that state it"
    elif code == OTHER_GOLD and not (remark["first"] and pair.is_baseline(remark["whose"])):
        why = f"{fact}Give one key for all runs, or add {opt('choose', {'gold': 'first'})} and read the baseline first"
    elif code in (OTHER_QUESTIONS, OTHER_DOCUMENTS, OTHER_TEXTS) and not alone and _asked_otherwise(remark, pair):
        role, *columns = dict(remark.values).get("unasked", ("",))
        name, held = {"text": ("question_text", "question"), "gold": ("gold", "gold answer")}.get(role, ("", ""))
        holds = f"{enumerated([*map(repr, columns)])} {'hold' if len(columns) > 1 else 'holds'} no {held}"
        holds += " or one key graded all runs" if name == "gold" else ""
        other = f", or add {opt('column', of=f'{name}=-')} if {holds}"
        why = f"{fact}Ask all runs the same questions, with one key, and state both{other if columns else ''}"
    elif code == SAID_UNFIT and remark.subject not in pair.others:
        why = str(remark["why"])
    elif code == DIFFERENT and _judged_otherwise(remark["judges"], pair, alone=alone):
        judges = [judge.partition("(") for _, judge in remark["judges"]]
        columns = any(stated and BY_COLUMNS in names.split("+") for names, stated, _ in judges)
        not_so = f", or add {opt('column', of='judge=-')} if these columns do not say who judged" if columns else ""
        edited = any("edited=true" in judge for _, judge in remark["judges"])
        as_graded = ", or give the logs as the scorer graded them, before a person edited scores" if edited else ""
        why = f"{fact}Judge all runs by one judge{not_so}{as_graded}"
    elif code == ANOTHER_FIGURE and remark["deciding"] and ({*remark["runs"]} or {""}) - pair.others:
        why = f"{fact}One of the two is wrong: evaluate again, or give the log as the tool wrote it"
    elif code == NOT_MAPPED and remark.subject not in pair.others:
        why = f"{fact}If these were assessed, give each a line with - for the nugget; if not, finish the mapping"
    elif code == LACKING and pair.judges(remark.subject):
        why = f"{fact}Ask the run these questions too"
    elif code in _ADVICE:
        why = f"{fact}{_ADVICE[code]}"
    return why or _of_other_questions(remark, pair, alone=alone)


def _judged_otherwise(judges: Sequence[tuple[str, str]], pair: Pair, *, alone: bool) -> bool:
    """Return whether the judged run was graded by another judge than its baseline, or than any run without a baseline.

    `judges` are pairs of a run and a judge; a run that was joined from several may have several judges. A baseline's
    file is not checked here, because its judge was compared before.
    """
    base_judges = {judge for run, judge in judges if run == pair.baseline}
    others = {judge for run, judge in judges if pair.judges(run)}
    if pair.baseline is None:
        return not alone and len(others) > 1
    return bool(base_judges and others) and others != base_judges


def _asked_otherwise(remark: Note, pair: Pair) -> bool:
    """Return whether the judged run was asked other questions, under the same names, than its baseline or any run."""
    pairs = [(run, other) for both in remark["pairs"] for run, other in (both, both[::-1])]
    return any(pair.judges(run) and other not in pair.others for run, other in pairs)


def _of_other_questions(remark: Note, pair: Pair, *, alone: bool) -> str | None:
    """Return the reason why a note on unequal questions or repeats forbids a decision, or None if it does not."""
    code, fact, why = remark.code, f"this: {remark.text}. ", None
    silent = f"{opt('missing', 'unanswered')} counts the missing ones as unanswered"
    adds = "The run could win by adding questions: leave them out, or ask the baseline too"
    lacks = [entry for entry in remark["lacking"] if entry[0] not in pair.others] if code in (COMMON, OWN) else []
    for name, number in lacks:
        if pair.judges(name):
            return f"the questions that all runs have: {name!r} lacks {number:,} that others were asked. {silent}"
        if code == OWN:
            why = f"this: {name!r} lacks {number:,} questions that others were asked. {adds}"
    if code == UNEQUAL_REPEATS and any(map(pair.judges, remark["runs"])):
        why = f"{fact}Give every run the same number of answers to each question; {silent}"
    elif code == UNEQUAL_REPEATS and not alone and _is_outdone(remark, pair):
        why = f"{fact}The run could win by adding answers: leave them out, or ask the baseline as often"
    elif code == OTHER_STAKES and not alone and _asked_otherwise(remark, pair):
        why = f"{fact}Ask all runs at the same stakes, or compare them by their utility at a stake of both"
    elif code == CHOSEN and pair.judges(remark.subject):
        why = f"{fact}Ask the run a random sample of the pool"
    elif code in (MISSING_SILENT, REPEATS_SILENT) and pair.is_baseline((remark.subject,)):
        why = f"{fact}{adds}"
    elif code == MIXED_FILES and not alone and _is_beside(remark, pair):
        why = f"{fact}Put the attempts of each run into {remark['what']} of their own"
    elif code == OTHER_ANSWERS and remark.subject not in pair.others:
        counts = f", or count all of them: {opt('duplicates', 'repeats')}" if remark["what"] == "row" else ""
        why = f"{fact}Give one answer to each question{counts}"
    elif _tried_as_it_liked(remark, pair, alone=alone):
        why = f"{fact}Give the same number of answers to each question"
    return why


def _is_outdone(remark: Note, pair: Pair) -> bool:
    return any(run == pair.baseline and pair.judges(other) for run, other in remark["outdone"])


def _is_beside(remark: Note, pair: Pair) -> bool:
    """Return whether files of the judged run also hold answers of its baseline, or of any run without a baseline."""
    return pair.baseline in (None, remark.subject) and any(map(pair.judges, remark["beside"]))


def _tried_as_it_liked(remark: Note, pair: Pair, *, alone: bool) -> bool:
    """Return whether the judged run answered some questions more often than others, unlike the run it is compared with.

    Such a run could have answered again only the questions on which it failed.
    """
    if remark.code not in (FEWER_REPEATS, RUNS_FEWER_REPEATS):
        return False
    if alone:
        return any(map(pair.judges, remark["names"] if remark.code == RUNS_FEWER_REPEATS else (remark.subject,)))
    return any(pair.judges(run) and other not in pair.others for run, other in remark["unlike"])


def _of_scales(results: Results[Any], name: str, pair: Pair, run: str | None) -> str | None:
    """Return why the values of the judged run and its baseline cannot be compared, or None if they can.

    If `run` is None, all runs are compared with each other.
    """
    for remark in results.notes:
        if remark.code not in SCALES or name not in (remark.measures or [name]):  # of all measures, if by a threshold
            continue
        sides = (remark["unit"], remark["beyond"])
        apart = (pair.baseline in side and any(map(pair.judges, other)) for side, other in (sides, sides[::-1]))
        if run is None or any(apart):
            state = f", or state with {opt('same_unit', remark['column'])} that they have one"
            way = "" if remark.code == SIGNS_DIFFER else state
            return f"{name}: {remark.text}. Give all runs one scale and unit{way}"
    return None


def _unfit(results: Results[Any], name: str) -> str | None:
    """Return the reason why the figures of a measure cannot be trusted, or None if they can."""
    fits = {remark.code: remark for remark in results.notes if name in remark.measures}
    measure = parse(name)
    lacking = fits.get(LEFT_OUT) or fits.get(PART)
    if lacking and (give := _every_answer(measure, lacking)):
        return f"{name}: {lacking.text}. {give}"
    if measure.declaration.of_own_right:
        return (
            f"{name}: a run that answers only where it is sure wins. Use a measure that divides by all questions (CWS)"
        )
    if KNOWN_DIFFERS in fits:
        return f"{name}: {fits[KNOWN_DIFFERS].text}. Give all runs one column"
    if WITHHELD in fits:
        return f"{name}: {fits[WITHHELD].text}"
    return _unfit_interval(results, measure, fits.get(UNFIT))


def _every_answer(measure: Measure, lacking: Note) -> str:
    """Return what every answer must have if a run could choose the answers that have it, or "" if it could not."""
    if measure.user_columns:
        return "Give every answer a value"
    if _OF_CONFIDENCE & {*measure.reads}:
        given = "Give a confidence and a verdict for every answer, also for declined answers"
        return f"{given}, or use a measure that covers all questions"
    if lacking.code == PART and not lacking["alike"] and any(known(read).namespace for read in measure.reads):
        return "Ask both runs the same, and give every answer what the measure needs"
    return ""


def _unfit_interval(results: Results[Any], measure: Measure, unfit: Note | None) -> str | None:
    """Return a description of an interval that covers the true value too seldom, or None if no note says so."""
    if unfit is None:
        return None
    has_own = isinstance(results, Scores) and isinstance(measure.declaration.interval, OwnInterval)
    other = (
        f" ({opt('interval', 'auto')} uses an interval that does, unless questions are clustered)" if has_own else ""
    )
    return (
        f"the {unfit['method']} interval of {measure.label}: it covers the true value less often than it claims{other}"
    )


def deciding_ends(scores: Scores, row: Score) -> tuple[float, float]:
    """Return the ends of the interval by which a gate on the score of a run decides; NaN if there is none.

    A proportion of independent questions is decided by its exact interval, whichever interval is shown.
    """
    counts = scores.exact.get((row.run, row.measure))
    low, high = (row.low, row.high) if counts is None else clopper_pearson(*counts)
    return (math.nan, math.nan) if low is None or high is None else (low, high)


def differing_columns(loaded: Loaded, measures: Sequence[Measure]) -> list[Note]:
    """Return notes on columns that seem to mean something else in one run than in another."""
    data = loaded.data
    if not isinstance(data, Evidence):
        return []
    return [*_known_differs(data, measures), *loaded.options.unstated(_scales_differ(data, measures))]


def _scales_differ(data: Evidence, measures: Sequence[Measure]) -> Iterator[Note]:
    """Yield a note for each user's column whose values have another scale or unit in some runs than in others.

    A mean of which higher values are better is one of scores. Other columns hold costs or times.
    """
    numeric = (measure.on(data.columns) for measure in measures if measure.declaration.name not in HONESTY)
    for measure in numeric:
        scores = measure.declaration.name == "mean" and not measure.declaration.lower_is_better
        differ = scales_differ if scores else units_differ
        for name in map(user, measure.user_columns):
            if name in data.columns:
                values = np.where(data.present, np.asarray(data.column(name), dtype=np.float64), np.nan)
                remarks = differ(bare(name), dict(zip(data.runs, values, strict=True)))
                yield from (replace(remark, measures=(measure.label,)) for remark in remarks)


def _known_differs(data: Evidence, measures: Sequence[Measure]) -> list[Note]:
    """Return notes on questions whose rows from different runs disagree about the reference system's knowledge."""
    notes: list[Note] = []
    for measure in (measure.on(data.columns) for measure in measures if measure.declaration.name in HONESTY):
        for column in (name for name in measure.needs if name.startswith(USER)):
            values = np.where(data.present, np.asarray(data.column(column), dtype=np.float64), np.nan)
            differ = np.fmin.reduce(values, axis=0) < np.fmax.reduce(values, axis=0)
            if differ.any():
                remark = note(
                    KNOWN_DIFFERS,
                    "runs differ in the column {column!r} on {questions:n question}, but the column must say what "
                    "one reference system knows",
                    column=bare(column),
                    questions=int(differ.sum()),
                )
                notes.append(replace(remark, measures=(measure.label,)))
    return notes
