"""Load the given items as data that can be scored. Every command gets its Evidence from this module."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from nescio.data.clusters import clustered
from nescio.data.compared_runs import on_compared
from nescio.data.evidence import Data, Evidence, Tally, with_questions
from nescio.data.judge_record import JudgeRecord, judges_differ, kept_judges, named, undated
from nescio.data.merged_runs import merge_runs, names_of, notes_on_files
from nescio.data.notes import Note
from nescio.data.outcomes import ABSENT, NonAnswers, Outcomes, non_answers
from nescio.data.policies import Policies, apply_policies
from nescio.data.policy_notes import MIXED_FILES
from nescio.data.stake_labels import are_stated, penalties
from nescio.data.stakes import unmarked
from nescio.errors import UsageError, opt
from nescio.formats import Format, ReadResult, SourceRole, Unjudged
from nescio.memory import memory_limit
from nescio.options.edge import bar
from nescio.pipeline.baselines import open_baseline, stand_beside
from nescio.pipeline.judging import judge, judges_of
from nescio.pipeline.options import Options
from nescio.pipeline.reading import read, read_parts
from nescio.pipeline.saved import in_effect
from nescio.sources.arrow import items_of

DEFAULT_MEASURES = ("c@1", "accuracy", "coverage")
MOST_STAKES = 6  # the most stakes at which utilities are shown by default


class Loaded(Struct, frozen=True):
    """Data that can be scored (Evidence, or a Tally if only counts were given), with notes and default measures.

    Four fields come from the data before the policies on missing and ungraded answers. `silence` has each run's
    non-answers by reason, and `unshared` the questions that some run lacks. `in_words` has the answers with texts (if
    the options ask for texts). `whole` has all data, if the options name strata (for `part_of`) or if a run will be
    written. `judged_here` says that nescio judged, not the tool of the log. `texts` has the questions and answers that
    were read for judging.
    `baseline` names the run of a baseline file.
    """

    data: Data
    notes: tuple[Note, ...] = ()
    measures: tuple[str, ...] = DEFAULT_MEASURES
    format: str = "evidence"
    judges: tuple[JudgeRecord, ...] = ()
    options: Options = field(default_factory=Options)
    silence: tuple[NonAnswers, ...] = ()
    unshared: Outcomes | None = None
    judged_here: bool = False
    texts: Unjudged | None = None
    in_words: Outcomes | None = None
    baseline: str | None = None
    whole: ReadResult | None = None

    @property
    def ungraded_left_out(self) -> bool:
        """Return whether answers without a grade are left out, as they always are of counts."""
        return self.options.ungraded == "exclude" or not self.data.has_questions

    @property
    def signature(self) -> dict[str, str]:
        """Return the entries of a signature that identify the data."""
        policies = {
            "missing": self.options.missing,
            "ungraded": self.options.ungraded,
            "unanswerable": self.options.unanswerable,
        }
        choices = {}
        if self.options.cluster:
            choices["cluster"] = self.options.cluster
        if self.options.column:
            choices["columns"] = "+".join(f"{name}={column}" for name, column in sorted(self.options.column.items()))
        if self.options.choose:
            choices["choose"] = "+".join(f"{name}={value}" for name, value in sorted(self.options.choose.items()))
        if self.options.repeats_of:
            choices["repeats_of"] = "+".join(f"{name}={of}" for name, of in sorted(self.options.repeats_of.items()))
        if self.options.same_unit:
            choices["same_unit"] = "+".join(self.options.same_unit)
        if self.options.missing_confidence != "error":
            choices["missing_confidence"] = self.options.missing_confidence
        if self.options.declined_pattern:
            choices["declined"] = "+".join(self.options.declined_pattern)
        return {
            "runs": str(len(self.data.runs)),
            **self.data.shape,
            "data": self.data.digest(),
            "format": self.format,
            "judge": named(self.judges),
            **policies,
            **choices,
        }


def load(source: Any, options: Options | None = None) -> Loaded:
    """Return the answers in `source`: read, judged, and with policies on missing and ungraded answers applied.

    `source` is a path or several, a table in memory, an Evidence or a Tally. Data that are loaded already are returned
    unchanged. Raises FormatError, MismatchError, UnknownNameError, or UsageError for an option that cannot apply.
    Nothing is left out without a note.
    """
    options = options or Options()
    if isinstance(source, Loaded):
        options.refuse("these data are loaded already")
        return source
    if isinstance(source, (Evidence, Tally)):
        kind, name = ("evidence", "an Evidence") if source.has_questions else ("counts", "a Tally")
        allowed = ("cluster", "missing_confidence", "same_unit") if source.has_questions else ("cluster",)
        options.refuse(f"this is {name} in memory", allowed=allowed)
        policies = _policies(options)
        return Loaded(_prepared(source, options, policies), measures=_defaults(source), format=kind, options=options)
    if options.baseline_file is not None or options.certificate is not None:
        # The words of questions reveal changed ones.
        options = options.but(texts=options.texts or options.baseline_file is not None, written=True)
    items = items_of(source)
    options, notes = in_effect(options, items)
    answers = read(items, options, supports=options.texts)
    return _judged(replace(answers, notes=(*answers.notes, *notes)), options)


def load_parts(format_: Format, parts: Sequence[SourceRole], options: Options, notes: tuple[Note, ...] = ()) -> Loaded:
    """Return the answers in files of a known format, with the same steps and errors as `load`.

    `parts` are the files with their roles in the format.
    """
    with options.holding(), memory_limit(options.memory_limit):
        answers = read_parts(format_, parts, options, notes, judging=options.judging, supports=options.texts)
    return _judged(answers, options)


def _judged(answers: ReadResult, options: Options) -> Loaded:
    return apply(judge(answers, options.judge, watch=bar("judging")), options)


def _only(data: Any, runs: Sequence[str]) -> Any:
    """Return only the runs named in `runs`, and the questions that at least one of them has.

    All of the data is returned if `runs` is empty or names a run that does not exist.
    """
    if not runs or not isinstance(data, Outcomes) or not {*runs} <= {*data.runs}:
        return data
    kept = data.take_runs([i for i, run in enumerate(data.runs) if run in runs])
    return kept.select((kept.state != ABSENT).any(axis=0))


def _is_of_other_runs(remark: Note, runs: Sequence[str]) -> bool:
    """Return whether a note on other runs in the files of a run's attempts concerns only runs that `runs` lacks."""
    return remark.code == MIXED_FILES and not {*remark["beside"]} & {*runs}


def apply(judged: ReadResult, options: Options) -> Loaded:
    """Return judged data after merging repeats and applying policies on missing and ungraded answers.

    Evidence and counts are returned unchanged.
    """
    baseline, names = None, {}
    if isinstance(judged.data, Outcomes):
        judged = replace(judged, data=unmarked(judged.data))
    if options.repeats_of:
        names = names_of(judged.data.runs, options.repeats_of) if isinstance(judged.data, Outcomes) else {}
        outcomes, groups = merged(judged.data, options), options.repeats_of
        added = notes_on_files(judged.data, groups) if isinstance(judged.data, Outcomes) else []
        judged = replace(judged, data=outcomes, notes=(*judged.notes, *added))
    if isinstance(judged.data, Outcomes) and judged.data.judges:
        different = judges_differ(judged.data.runs, list(map(undated, judged.data.judges)))
        judged = replace(judged, notes=(*judged.notes, *different))
    if options.baseline_file is not None:
        judged, baseline = stand_beside(judged, open_baseline(options.baseline_file), options.baseline_file, options)
    runs = judged.data.runs if isinstance(judged.data, (Outcomes, Evidence)) else ()
    compared = runs
    if options.only and {*options.only} <= {*runs}:
        compared = tuple(run for run in runs if run in options.only or run == baseline)
    data = judged.data if baseline else _only(judged.data, options.only)
    notes = list(judged.notes)
    if runs:
        notes = kept_judges([remark for remark in notes if not _is_of_other_runs(remark, compared)], names, compared)
        notes = on_compared(notes, names, runs, compared)
    if options.certificate is not None:
        from nescio.pipeline.certificates import check_certificate

        patterns = options.declined_pattern if judged.judged_here else None
        notes += check_certificate(options.certificate, judges_of(judged), data, patterns)
    return _settled(replace(judged, data=data, notes=tuple(notes)), options, baseline)


def part_of(loaded: Loaded, column: str, value: str) -> Loaded:
    """Return the data of the questions whose `column` has this value.

    The policies on missing and ungraded answers are applied anew to these questions. For example, the share of missing
    answers may be small among all questions and large among these, which a note then says.
    """
    whole = loaded.whole
    if whole is None or not isinstance(whole.data, Outcomes):
        data = with_questions(loaded.data, f"take the questions of {column}={value}")
        return replace(loaded, data=data.select(np.asarray(data.strata[column] == value)))
    part = whole.data.select(np.asarray(whole.data.strata[column] == value))
    return _settled(replace(whole, data=part), loaded.options, loaded.baseline)


def _settled(judged: ReadResult, options: Options, baseline: str | None) -> Loaded:
    """Return judged data after the policies on missing answers, ungraded answers and unanswerable questions."""
    policies = _policies(options)
    data, notes = judged.data, list(judged.notes)
    whole = judged if isinstance(data, Outcomes) and (options.strata or options.written) else None
    silence, unshared = judged.silence, None
    in_words = data if isinstance(data, Outcomes) and data.texts is not None else judged.in_words
    if isinstance(data, Outcomes):
        silence = non_answers(data, own_questions=policies.missing in ("own", "error"))
        lacking = np.asarray(data.lacking.any(axis=0))
        unshared = data.select(lacking) if lacking.any() else None
        data, policy_notes = apply_policies(data, policies, notes)
        notes += policy_notes
        if data.origins:  # a run with ungraded answers has two names now
            of_runs = [(name, data.origins.get(name, name)) for name in data.runs]
            silence = tuple(replace(row, run=name) for name, run in of_runs for row in silence if row.run == run)
    if isinstance(data, Unjudged):
        raise UsageError("these answers are not judged yet; judge them first")
    return Loaded(
        _prepared(data, options, policies),
        tuple(options.unstated(notes)),
        judged.measures or _defaults(data),
        judged.format,
        judges_of(judged),
        options,
        silence,
        unshared,
        judged.judged_here,
        judged.texts,
        in_words,
        baseline,
        whole,
    )


def merged(data: Any, options: Options) -> Outcomes:
    """Return outcomes in which runs that match a pattern are repeats of one run, as the user asked.

    Raises UsageError for data without the outcome of each question.
    """
    if not isinstance(data, Outcomes):
        raise UsageError(f"{opt('repeats_of')} needs the outcome of each question, which these files do not have")
    return merge_runs(data, options.repeats_of)


def _policies(options: Options) -> Policies:
    return Policies(options.missing, options.ungraded, options.unanswerable, options.missing_confidence)


def _prepared(data: Data, options: Options, policies: Policies) -> Data:
    """Return data with the clusters that the user chose, and the policy on answers without a confidence applied."""
    grouped = clustered(with_questions(data, "cluster"), options.cluster) if options.cluster else data
    if not grouped.has_questions or policies.missing_confidence == "error":
        return grouped
    return replace(grouped, partial_confidence=True)


def _defaults(data: Data) -> tuple[str, ...]:
    labels = [] if data.repeats is None else [str(label) for label in data.repeats.label]
    if labels and are_stated(labels) and (stakes := penalties(labels)):
        prices = [str(price) for price in sorted(set(stakes.values()))]
        apart = [f"utility({price})" for price in prices] if len(prices) <= MOST_STAKES else []
        return (f"stake_area({','.join(prices)})", "silence_per_tenfold", *apart)
    if not data.has_questions or "correct" in data.columns:
        return DEFAULT_MEASURES
    return tuple(f"mean({name})" for name in data.columns)
