"""Add a baseline to the runs that are compared with it: check that they belong together, and join them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from nescio._version import __version__
from nescio.data.clusters import clustered, clusters_of
from nescio.data.columns import Array
from nescio.data.evidence import NO_ROW, Evidence
from nescio.data.judge_record import UNKNOWN, JudgeRecord, agree, named
from nescio.data.kept import GOLD_PART, GRADES, asked_alike, changed_in, in_texts, state_gold
from nescio.data.notes import Note, note
from nescio.data.outcomes import ABSENT, Outcomes
from nescio.data.policies import scores_of
from nescio.data.policy_notes import one_sided
from nescio.data.repeats import FIRST, repeats_of
from nescio.data.scales import ranges_differ
from nescio.data.texts import texts_of
from nescio.errors import FormatError, MismatchError, UnknownNameError, UsageError, opt
from nescio.formats import ReadResult
from nescio.pipeline.judging import judges_of
from nescio.pipeline.options import Options
from nescio.pipeline.recognition import TABLE, open_files
from nescio.pipeline.saved import KEPT
from nescio.text import plural

if TYPE_CHECKING:
    from nescio.formats.native.baseline import Baseline

# Reading options that affect outcomes. The judge is compared through its record.
DECIDING = ("choose", "declined_pattern", *(name for name in KEPT if name != "judge"))
COMPARED = "baseline.compared"
_NAMED = 3  # the most questions named in a message
Words = Mapping[str, str]


def file_of(baseline: str | Path | None) -> Path | None:
    """Return the path of the file that a baseline names, or None if it names a run.

    A file is a path, or a text that ends in .json and is the name of an existing file.
    """
    if isinstance(baseline, Path):
        return baseline
    named_file = baseline is not None and baseline.lower().endswith(".json") and Path(baseline).is_file()
    return Path(baseline) if baseline is not None and named_file else None


def both_named(baseline: str | Path | None, run: str | None) -> tuple[str, ...]:
    """Return the names of the baseline and the run if they are the only runs that the comparison needs.

    The result is empty if one of them was not given. It has no name of a baseline that is a file of its own.
    """
    if run is None or baseline is None:
        return ()
    return (run,) if file_of(baseline) else (str(baseline), run)


def check_baseline(baseline: str | Path | None, runs: Sequence[str], *, alone: str = "") -> None:
    """Raise an error if the baseline does not exist: FormatError for a file, UnknownNameError for a run.

    `alone` is the name of a feature that cannot work with a baseline file. With `alone`, a baseline file raises
    UsageError.
    """
    if baseline is None or str(baseline) in runs:
        return
    if alone and file_of(baseline) is not None:
        raise UsageError(
            f"{baseline}: a baseline file does not work with {alone}; give the outcomes of both runs, and name the "
            f"baseline's run by {opt('baseline')}"
        )
    if str(baseline).lower().endswith(".json") and not Path(baseline).exists():
        raise FormatError(str(baseline), "there is neither a file nor a run of this name")
    raise UnknownNameError("run", str(baseline), runs)


def open_baseline(path: Path) -> Baseline:
    """Return the baseline that a file holds. Raises FormatError for any other file."""
    from nescio.formats.native.baseline import read_file

    sources, _ = open_files([path])
    if len(sources) != 1:
        raise FormatError(path, f"this is not a baseline; nescio compare {opt('save_baseline')} writes one")
    return read_file(sources[0])


def words_of(read: ReadResult) -> tuple[Words, Words]:
    """Return digests of the text of each question (with its options), and digests of its gold answers.

    By comparing digests, a later call can see that a question has changed. A text that is not in the files has no
    digest.
    """
    from nescio.formats.native.baseline import digest_of

    asked: dict[str, tuple[str, str]] = {}
    if read.texts is not None:
        for question in read.texts.collection.questions:
            words = texts_of(question.text, question.gold)
            parts = [words.question, *question.asked[1:]]
            asked[question.id] = (json.dumps(parts) if parts[1:] else words.question, words.gold)
    elif isinstance(read.data, Outcomes) and read.data.texts is not None:
        for row in read.data.texts:
            for name, words in zip(read.data.questions, row, strict=True):
                if words is not None and not asked.get(name, ("",))[0]:
                    asked[name] = (words.question, words.gold)
    elif (scored := read.in_words) is not None and scored.texts is not None and scored.words is not None:
        names = scored.questions * len(scored.runs)
        for name, words, digests in zip(names, scored.texts.ravel(), scored.words.ravel(), strict=True):
            if words is not None and digests:  # A prompt may differ between runs, and only outcomes keep its own lines.
                stated = in_texts(digests)[0]
                asked[name] = ("" if stated is None or "_lines:" in stated else words.question, words.gold)
    texts = {name: digest_of([text]) for name, (text, _) in asked.items() if text}
    return texts, {name: digest_of([gold]) for name, (_, gold) in asked.items() if gold}


def deciding(options: Options) -> dict[str, Any]:
    """Return the options that change how outcomes are read, as far as they were given, with JSON values."""
    values = {name: getattr(options, name) for name in DECIDING if name in options.given}
    listed = {name: dict(v) if isinstance(v, Mapping) else v for name, v in values.items() if v}
    return {name: [*v] if isinstance(v, tuple) else v for name, v in listed.items()}


def stand_beside(read: ReadResult, baseline: Baseline, path: Path, options: Options) -> tuple[ReadResult, str]:
    """Return the data with the run of the baseline added as the last run, and the name of that run.

    Raises MismatchError if the questions, their clusters, the judge or the options for reading differ from those of the
    baseline. Raises UsageError for data without single questions.
    """
    data, old = read.data, baseline.data
    if not isinstance(data, (Outcomes, Evidence)):
        raise UsageError(f"{path}: a baseline is compared question by question, but these files hold only counts")
    if options.scores_alone and (type(data) is not type(old) or (isinstance(data, Outcomes) and data.scores_only)):
        data = scores_of(data) if isinstance(data, Outcomes) else data
        old = scores_of(old) if isinstance(old, Outcomes) else old
    plain = isinstance(data, Outcomes) and data.clusters is None and options.cluster is None
    gone = {*old.questions} - {*data.questions} if plain and options.missing == "unanswered" else set()
    alike = read.format == baseline.made.format
    _check_questions(data, baseline, path, words_of(read), of_one_format=alike, gone=gone)
    _check_reading(deciding(options), baseline, path)
    unknown = _check_judges(read, _judged_by(read, options.only), baseline, path)
    _check_clusters(clustered(data, options.cluster) if options.cluster else data, baseline, path)
    if not isinstance(old, type(data)):
        kinds = ("outcomes", "scores") if isinstance(old, Outcomes) else ("scores", "outcomes")
        raise MismatchError(f"{path}: the baseline has {kinds[0]}, but these files hold only {kinds[1]}")
    name = _free(baseline.made.run, data.runs)
    both = _together(data, old, name, path)
    made = baseline.made
    remark = note(
        COMPARED,
        "baseline {subject!r} from {file}: made {date} by nescio {version} on the same {questions:n question}",
        name,
        file=path.name,
        date=made.date,
        version=made.version,
        questions=made.questions,
    )
    changed = changed_in(both.runs, both.questions, both.words) if getattr(old, "words", None) is not None else ()
    graded = [*(data.kept.get(GRADES, {}).items() if isinstance(data, Outcomes) else ()), (name, made.grades_between)]
    changed = (*changed, *ranges_differ(graded))
    added = (remark, *unknown, *_dates(read, baseline), *_one_sided(data, old), *made.kept(name, path.name), *changed)
    return replace(read, data=both, notes=(*read.notes, *added)), name


def _one_sided(new: Outcomes | Evidence, old: Outcomes | Evidence) -> tuple[Note, ...]:
    """Return a note on questions for which the new files, but not the baseline, say whether there is an answer."""
    known = [
        {name for name, value in zip(data.questions, data.answerable.tolist(), strict=True) if value >= 0}
        if isinstance(data, Outcomes) and data.answerable is not None
        else set()
        for data in (new, old)
    ]
    alone = known[0] - known[1]
    return (one_sided(new.runs, len(alone)),) if alone else ()


def _check_questions(
    data: Outcomes | Evidence,
    baseline: Baseline,
    path: Path,
    words: tuple[Words, Words],
    *,
    of_one_format: bool,
    gone: set[str],
) -> None:
    """Raise MismatchError if the baseline was asked other questions, or others under the same names.

    Digests decide as between two files. `words` has the texts, which decide only where one side states no digest. Files
    of the baseline's format must state the gold answers if the baseline does. Questions in `gone` may be lacking.
    """
    new, old = set(data.questions), set(baseline.data.questions) - gone
    if new != old:
        parts = [_listed(old - new, "only in the baseline"), _listed(new - old, "only in these files")]
        again = f"Make the baseline again from its run on these questions, with nescio compare {opt('save_baseline')}"
        silent = f"{opt('missing', 'unanswered')} counts missing outcomes as unanswered, if there are no clusters"
        raise MismatchError(
            f"{path}: the baseline was made on different questions: {'; '.join(filter(None, parts))}. "
            f"{again if new - old else silent}"
        )
    known, unlisted = (("text or options", baseline.texts), ("gold answer", baseline.golds)), _unlisted(data)
    for part, ((what, before), now) in enumerate(zip(known, words, strict=True)):
        alike = _stated_alike(data, baseline.data, part)
        keyless = part == GOLD_PART and not now and not _state_gold(data)
        checked = now or (keyless and of_one_format)
        other = (
            {name for name in before if checked and name not in alike and before[name] != now.get(name)}
            - unlisted
            - gone
        )
        other |= {name for name, same in alike.items() if not same}
        if other:
            how = f"whose {what} these files do not state" if keyless else f"with a different {what}"
            make = "Give files that state it, or make" if keyless else "Make"
            raise MismatchError(
                f"{path}: the baseline was made on different questions{_read_otherwise(baseline)}: "
                f"{_listed(other, how)}. {make} the baseline again from its run on these questions, with nescio "
                f"compare {opt('save_baseline')}"
            )


def _stated_alike(new: Outcomes | Evidence, old: Outcomes | Evidence, part: int) -> dict[str, bool]:
    """Return whether the digests of each question are the same, for the questions of which both sides have one."""
    if not (isinstance(new, Outcomes) and isinstance(old, Outcomes)) or new.words is None or old.words is None:
        return {}
    return asked_alike(new.words, (old.questions, old.words[0]), new.questions, part)


def _unlisted(data: Outcomes | Evidence) -> set[str]:
    """Return the questions that no run failed, about which a file of failures alone states nothing."""
    words = data.words if isinstance(data, Outcomes) else None
    if words is None or not any(map(any, words)):
        return set()
    return {name for name, digests in zip(data.questions, words.T, strict=True) if not any(digests)}


def _state_gold(data: Outcomes | Evidence) -> bool:
    """Return whether the digests of some question hold its gold answers."""
    words = data.words if isinstance(data, Outcomes) else None
    return words is not None and state_gold(words)


def _read_otherwise(baseline: Baseline) -> str:
    version = baseline.made.version
    return "" if version == __version__ else f", or nescio {version}, which made it, read their words otherwise"


def _listed(questions: set[str], how: str) -> str:
    if not questions:
        return ""
    names = sorted(questions)
    rest = f", and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return f"{len(names):,} {how} ({', '.join(map(repr, names[:_NAMED]))}{rest})"


def _judged_by(read: ReadResult, only: Sequence[str]) -> tuple[JudgeRecord, ...]:
    """Return the judges of the runs that are compared; beside a known one, a run without a judge has an unknown one."""
    known, data = judges_of(read, only), read.data
    by_run = dict(zip(data.runs, data.judges, strict=False)) if isinstance(data, Outcomes) and known else {}
    compared = {*only} if only and {*only} <= by_run.keys() else by_run.keys()
    lacking = any(by_run[run] is None for run in compared)
    return (*known, JudgeRecord(UNKNOWN)) if lacking else known


def _check_judges(read: ReadResult, judges: Sequence[JudgeRecord], baseline: Baseline, path: Path) -> tuple[Note, ...]:
    """Return a note if an older baseline states less of its judge. Raises MismatchError if it had another judge.

    The date of a judge may differ. A log may state less of its judge than another, or nothing, if another version of
    nescio read it.
    """
    before, now = ({replace(record, date="") for record in records} for records in (baseline.made.judges, judges))
    by_version = TABLE not in (baseline.made.format, read.format) and not read.judged_here
    by_version = by_version and baseline.made.version != __version__
    if before == now:
        return ()
    if by_version and before and agree(before, now):
        return (
            note(
                "baseline.judge_by_version",
                "nescio {version} stated in the baseline that {before} judged it, and these files state {now}: one "
                "says more of the same judge than the other; a new baseline will state the same",
                version=baseline.made.version,
                before=named(baseline.made.judges),
                now=named(judges),
            ),
        )
    if by_version and not before:
        return (
            note(
                "baseline.judge_unknown",
                "the baseline does not state who judged it, and these files were judged by {judges}",
                judges=named(judges),
            ),
        )
    raise MismatchError(
        f"{path}: the baseline was judged by {_named(baseline.made.judges)}, and these files by {_named(judges)}. A "
        "difference could come from the judges; use the same judge, or make a new baseline "
        f"(nescio compare {opt('save_baseline')})"
    )


def _dates(read: ReadResult, baseline: Baseline) -> tuple[Note, ...]:
    """Return a note if one model judged the baseline and the new files on different dates, as models may change."""
    before, now = ({record.date for record in records} - {""} for records in (baseline.made.judges, judges_of(read)))
    if before == now:
        return ()
    return (
        note(
            "baseline.dates",
            "the same judge judged the baseline on {before:list} and these answers on {now:list}",
            before=sorted(before) or ["an unknown day"],
            now=sorted(now) or ["an unknown day"],
        ),
    )


def _check_reading(now: Mapping[str, Any], baseline: Baseline, path: Path) -> None:
    for name in DECIDING:
        before, here = baseline.made.read.get(name), now.get(name)
        if before != here:
            then, these = (opt(name, value) if value else f"no {opt(name)}" for value in (before, here))
            raise MismatchError(
                f"{path}: the baseline was read with {then}, and these files with {these}; read both the same way"
            )


def _check_clusters(data: Outcomes | Evidence, baseline: Baseline, path: Path) -> None:
    """Raise MismatchError if the clusters of the questions differ from those in the baseline.

    Otherwise a change of the clusters alone could hide a difference between runs.
    """
    before, now = clusters_of(baseline.data), clusters_of(data)
    if other := {name for name in before.keys() & now.keys() if before[name] != now[name]}:
        then, these = (_counted(clusters) for clusters in (before, now))
        raise MismatchError(
            f"{path}: the baseline was measured {then}, and these files {these}: "
            f"{_listed(other, 'in another cluster')}. Group the questions the same way, or make a new baseline with "
            f"nescio compare {opt('save_baseline')}"
        )


def _named(judges: Sequence[JudgeRecord]) -> str:
    return named(judges) if judges else UNKNOWN


def _counted(clusters: Words) -> str:
    many = len(set(clusters.values()))
    return "without clusters" if many == len(clusters) else f"with {plural(many, 'cluster')} of questions"


def _free(name: str, taken: Sequence[str]) -> str:
    """Return the name of the baseline's run, with " (baseline)" added as often as another run has that name."""
    while name in taken:
        name = f"{name} (baseline)"
    return name


def _together(new: Any, old: Any, name: str, path: Path) -> Any:
    """Return data with the runs of `new`, and the run of `old` under the name `name`, on all rows of both.

    Strata and clusters are those of `new`; a question that only `old` has is in none.
    """
    keys_new, keys_old = _keys(new), _keys(old)
    at_new, at_old = ({key: i for i, key in enumerate(keys)} for keys in (keys_new, keys_old))
    keys = [*keys_new, *(key for key in keys_old if key not in at_new)]
    of_question: dict[str, int] = {}
    for i, (question, _) in enumerate(keys_new):
        of_question.setdefault(question, i)
    same = np.array([at_new.get(key, of_question.get(key[0], -1)) for key in keys])
    places = [np.array([at.get(key, -1) for key in keys]) for at in (at_new, at_old)]

    def both(first: Array | None, second: Array | None, empty: object) -> Array | None:
        if first is None and second is None:
            return None
        halves = []
        for array, place, runs in zip((first, second), places, (len(new.runs), 1), strict=True):
            given = first if first is not None else second
            assert given is not None
            half: Array = np.full((runs, len(keys)), empty, dtype=given.dtype)
            if array is not None:
                half[:, place >= 0] = array[:, place[place >= 0]]
            halves.append(half)
        return np.concatenate(halves)

    def columns(first: Mapping[str, Array], second: Mapping[str, Array]) -> dict[str, Array]:
        names = dict.fromkeys([*first, *second])
        merged = {column: both(first.get(column), second.get(column), np.nan) for column in names}
        return {column: array for column, array in merged.items() if array is not None}

    questions = tuple(question for question, _ in keys)
    common: dict[str, Any] = {
        "runs": (*new.runs, name),
        "questions": questions,
        "strata": {column: np.where(same >= 0, values[same], "") for column, values in new.strata.items()},
        "clusters": None if new.clusters is None else new.clusters[same],
        "repeats": repeats_of(questions, [label for _, label in keys]),
    }
    if isinstance(new, Evidence):
        if new.clusters is None and common["repeats"] is not None:
            common["clusters"] = common["repeats"].question
        absence = both(new.absence, old.absence, NO_ROW)
        assert absence is not None
        return replace(new, **common, columns=columns(new.columns, old.columns), absence=absence)
    return replace(
        new,
        **common,
        state=both(new.state, old.state, ABSENT),
        confidence=both(new.confidence, old.confidence, np.nan),
        candidate=both(new.candidate, old.candidate, -1),
        answerable=_answerable(new, old, questions, path),
        first_right=both(new.first_right, old.first_right, 0),
        extra_columns=columns(new.extra_columns, old.extra_columns),
        why=both(new.why, old.why, None),
        texts=both(new.texts, None, None),
        words=both(new.words, old.words, None),
        files=(*new.files, str(path)) if new.files else (),
        judges=(*new.judges, None) if new.judges else (),
    )


def _answerable(new: Outcomes, old: Outcomes, questions: Sequence[str], path: Path) -> Array | None:
    """Return whether each question has an answer, as `new` or else `old` says: 1, 0, or -1 if neither says it.

    The result is None if nothing is known. Raises MismatchError if `new` and `old` disagree.
    """
    known: list[dict[str, int]] = []
    for data in (old, new):
        values = () if data.answerable is None else data.answerable.tolist()
        known.append({name: value for name, value in zip(data.questions, values, strict=False) if value >= 0})
    if other := {name for name, value in known[1].items() if known[0].get(name, value) != value}:
        raise MismatchError(
            f"{path}: the baseline was made on different questions: "
            f"{_listed(other, 'with an answer only in the baseline or only in these files')}"
        )
    both = known[0] | known[1]
    return np.array([both.get(name, -1) for name in questions], dtype=np.int8) if both else None


def _keys(data: Outcomes | Evidence) -> list[tuple[str, str]]:
    """Return the question and the repeat of each row of the data."""
    labels = [FIRST] * len(data.questions) if data.repeats is None else map(str, data.repeats.label)
    return list(zip(data.questions, labels, strict=True))
