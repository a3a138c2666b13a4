"""Define definition questions (TREC 2003-2006): nuggets, systems' responses, and assessors' matches between them.

A key lists the nuggets of a target, each vital or okay. A response is a list of strings. A match says that a response
has a nugget. `evidence` converts them to columns, which the measures of `nescio.tasks.nuggets.measures` read.

Sources: Voorhees, TREC 2003-2006 (as printed in Lin & Demner-Fushman, H05-1117 and N06-1049); Dang & Lin, P07-1097.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from msgspec import Struct, field

from nescio.data.columns import Array
from nescio.data.dropped import NOT_MAPPED
from nescio.data.evidence import PRESENT, UNGRADED, Evidence
from nescio.data.notes import Note, note
from nescio.errors import MismatchError, UnknownNameError
from nescio.stats.agreement import kendall_tau_b
from nescio.tasks.nuggets.columns import string_length

MAJORITY, EACH = "majority", "each"
FULL, PARTIAL = 1.0, 0.5  # grades of a match; official matches are all full


class Nugget(Struct, frozen=True):
    """A fact of the key that a response should or may contain.

    `vital` says, keyed by assessor, whether the fact is vital; otherwise it is okay. `weight` is the weight in a nugget
    pyramid, if the key gives one.
    """

    id: str
    text: str
    vital: Mapping[str, bool]
    weight: float | None = None


class Target(Struct, frozen=True):
    """A target about which a system is asked, with the nuggets of the key in their order."""

    id: str
    text: str
    nuggets: tuple[Nugget, ...]
    strata: Mapping[str, str] = field(default_factory=dict)


class Response(Struct, frozen=True):
    """A system's response to one target: its strings in the order in which people read them; none for an abstention."""

    target_id: str
    strings: tuple[str, ...]
    confidence: float | None = None
    documents: tuple[str | None, ...] = ()
    graded: bool = True


class Run(Struct, frozen=True):
    """A system's responses, at most one for each target."""

    name: str
    responses: Mapping[str, Response]


class Match(Struct, frozen=True):
    """An assessor's decision that a response contains a nugget; `place` is the index of the string, if known.

    `grade` is FULL or PARTIAL, depending on how far the response supports the nugget.
    """

    run: str
    target_id: str
    nugget_id: str
    place: int | None = None
    assessor: str = ""
    grade: float = FULL


Matches = Mapping[str, Match]  # keyed by nugget, in one response


def length(strings: Sequence[str]) -> int:
    """Return the number of non-white characters in all strings, which is l in the official formula."""
    return sum(len("".join(text.split())) for text in strings)


def weights(target: Target) -> dict[str, float]:
    """Return the pyramid weights of a target's nuggets, keyed by nugget.

    They are the weights in the key. If the key has none, a nugget's weight is its number of vital votes divided by the
    largest number of any nugget (N06-1049).
    """
    stated = [nugget.weight for nugget in target.nuggets]
    if any(weight is not None for weight in stated):
        return {nugget.id: nugget.weight or 0.0 for nugget in target.nuggets}
    votes = {nugget.id: sum(nugget.vital.values()) for nugget in target.nuggets}
    most = max(votes.values(), default=0)
    return {name: count / most if most else 0.0 for name, count in votes.items()}


def order(target: Target, matches: Matches) -> float:
    """Return Kendall's tau-b between the order of the matched nuggets in the response and their order in the key.

    It is NaN for fewer than two matched nuggets, if all are in one string, or if a match does not record its string.
    This measure is nescio's own, not TREC's.
    """
    places = [(i, matches[nugget.id].place) for i, nugget in enumerate(target.nuggets) if nugget.id in matches]
    if len(places) < 2 or any(place is None for _, place in places):
        return float("nan")
    return kendall_tau_b([i for i, _ in places], [float(place or 0) for _, place in places])


def assessors(targets: Sequence[Target], matches: Sequence[Match] = ()) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the assessors who labelled the key, and of those who mapped responses to it."""
    keyed = sorted({name for target in targets for nugget in target.nuggets for name in nugget.vital})
    return tuple(keyed), tuple(sorted({match.assessor for match in matches}))


def evidence(
    targets: Sequence[Target],
    runs: Sequence[Run],
    matches: Sequence[Match],
    who: str = MAJORITY,
    saw: Mapping[str, Collection[str]] | None = None,
) -> tuple[Evidence, tuple[Note, ...]]:
    """Return Evidence of every run on every target, from the assessors' matches, and notes for the user.

    `who` selects whose decisions count. By "majority", more than half of the assessors who saw the question decide. By
    "each", each assessor has separate rows, clustered by question (as in P07-1097). The name of an assessor selects
    that assessor. `saw` names the assessors who saw each target; None means those who have a match on it. Raises
    MismatchError if a run has no match at all, UnknownNameError for an unknown name.
    """
    keyed, mapped = assessors(targets, matches)
    names = _wanted(who, keyed, mapped)
    by_cell: dict[tuple[str, str], list[Match]] = {}
    for match in matches:
        by_cell.setdefault((match.run, match.target_id), []).append(match)
    notes = _not_mapped(runs, matches, by_cell)
    if len(keyed) > 1 or len(mapped) > 1:
        notes.append(_assessors_note(len(keyed), len(mapped), who, names))
    seen: dict[str, set[str]] = {target.id: {*saw.get(target.id, ())} if saw else set() for target in targets}
    for match in matches:
        seen.setdefault(match.target_id, set()).add(match.assessor)
    units = [(target, name) for target in targets for name in names if _looked(target, name, mapped, seen[target.id])]
    if lacking := len(targets) * len(names) - len(units):
        notes.append(
            note(
                "nuggets.not_seen",
                "{units} of {total} pairs of question and assessor are left out: the assessor did not see the question",
                units=lacking,
                total=len(targets) * len(names),
            )
        )
    rows = []
    for run in runs:
        row = []
        for target, name in units:
            assessor = name if name in mapped else None
            matched = _found(by_cell.get((run.name, target.id), []), assessor, len(seen[target.id]))
            row.append(_cell(target, run.responses.get(target.id), matched, name if name in keyed else None))
        rows.append(row)
    return gather([run.name for run in runs], units, rows), (*notes, *silences(targets, runs))


def silences(targets: Sequence[Target], runs: Sequence[Run]) -> list[Note]:
    """Return a list with a note on the runs that abstain on some targets; the list is empty if no run abstains."""
    silent = []
    for run in runs:
        lacking = [target.id for target in targets if not run.responses.get(target.id, Response("", ())).strings]
        if lacking:
            silent.append((run.name, len(lacking), len(targets), lacking[0]))
    if not silent:
        return []
    return [
        note(
            "nuggets.silence",
            "{runs:each run %r does not answer %d of %d questions (first: %r)}: recall is 0 on these",
            runs=silent,
        )
    ]


def _wanted(who: str, keyed: Sequence[str], mapped: Sequence[str]) -> tuple[str | None, ...]:
    """Return the names of the assessors whose decisions are scored separately; the name None means the majority.

    `who` is "majority", "each" or a name. `keyed` are the assessors who labelled the key, and `mapped` those who mapped
    responses.
    """
    if who == MAJORITY:
        return (None,)
    if who == EACH:
        return tuple(keyed) if len(keyed) > 1 else tuple(mapped) or (None,)
    if who not in (*keyed, *mapped):
        raise UnknownNameError("assessor", who, (MAJORITY, EACH, *filter(None, (*keyed, *mapped))))
    return (who,)


def _looked(target: Target, name: str | None, mapped: Sequence[str], seen: Collection[str]) -> bool:
    """Return whether the assessor `name` saw a target; the majority, for which the name is None, saw every target.

    An assessor in `mapped`, who maps responses, saw the target if listed in `seen`, the assessors with a match on it.
    Any other assessor saw the target if one of its nuggets has this assessor's label.
    """
    labelled = any(name in nugget.vital for nugget in target.nuggets)
    return name is None or (name in seen if name in mapped else labelled)


def _assessors_note(keyed: int, mapped: int, who: str, names: Sequence[str | None]) -> Note:
    if who == MAJORITY:
        return note(
            "nuggets.majority",
            "{keyed:n assessor} labelled the key and {mapped} mapped the responses: a nugget is vital, or "
            "matched, if more "
            "than half of the assessors who saw the question say so",
            keyed=keyed,
            mapped=mapped,
        )
    if who == EACH:
        return note(
            "nuggets.each_assessor",
            "{keyed:n assessor} labelled the key and {mapped} mapped the responses: scores are means over "
            "{names:list}; all "
            "assessors of a question are resampled together",
            keyed=keyed,
            mapped=mapped,
            names=list(map(repr, names)),
        )
    return note(
        "nuggets.one_assessor",
        "{keyed:n assessor} labelled the key and {mapped} mapped the responses: {subject!r} alone decides",
        who,
        keyed=keyed,
        mapped=mapped,
    )


def _not_mapped(runs: Sequence[Run], matches: Sequence[Match], by_cell: Mapping[tuple[str, str], object]) -> list[Note]:
    """Return notes on runs with responses that the matches do not name, which score 0.

    Raises MismatchError for a run without a match. Also raises it for such a response if several lines of the run name
    others, in some of which nothing was found: then the mapping of this run is not finished.
    """
    assessed = Counter(match.run for match in matches)
    nothing = {match.run: match for match in matches if not match.nugget_id and assessed[match.run] > 1}
    notes = []
    for run in runs:
        answered = [name for name, response in run.responses.items() if response.strings]
        if answered and run.name not in assessed:
            raise MismatchError(
                f"the mapping has no line for run {run.name!r}; if no nugget matched, add a line for each response, "
                "with - for the nugget"
            )
        lacking = [name for name in answered if (run.name, name) not in by_cell]
        if lacking and run.name in nothing:
            raise MismatchError(
                f"the mapping has no line for {len(lacking):,} of the {len(answered):,} responses of run {run.name!r} "
                f"(first: {lacking[0]!r}), but a line with - for {nothing[run.name].target_id!r}; finish the mapping, "
                "with - where no nugget matched"
            )
        if lacking:
            notes.append(
                note(
                    NOT_MAPPED,
                    "run {subject!r}: no nugget is mapped to {responses} of its {total} responses (first: {first!r})",
                    run.name,
                    responses=len(lacking),
                    total=len(answered),
                    first=lacking[0],
                )
            )
    return notes


def _found(matches: Sequence[Match], name: str | None, many: int) -> dict[str, Match]:
    """Return a match for each nugget that was found in a response, keyed by nugget.

    An assessor's `name` selects the matches of this assessor. If it is None, more than half of `many` assessors must
    have found the nugget. Among several matches with a nugget, the one with the best grade counts; at a tie, the first
    in the response.
    """
    kept = [match for match in matches if match.nugget_id and (name is None or match.assessor == name)]
    first_matches: dict[str, Match] = {}
    for match in sorted(kept, key=lambda m: (-m.grade, m.place is None, m.place or 0)):
        who = {other.assessor for other in kept if other.nugget_id == match.nugget_id}
        if name is not None or 2 * len(who) > many:
            first_matches.setdefault(match.nugget_id, match)
    return first_matches


def is_vital(nugget: Nugget, name: str | None = None) -> bool:
    """Return whether a nugget is vital for the assessor `name`; without a name, more than half must say so."""
    if name is not None:
        return nugget.vital.get(name, False)
    return 2 * sum(nugget.vital.values()) > len(nugget.vital)


def response_columns(response: Response | None, vital: Collection[bool]) -> dict[str, float]:
    """Return the columns of a response that need no matches, such as its length; a response of None is an abstention.

    `vital` says of each nugget of the target whether it is vital.
    """
    strings = response.strings if response else ()
    return {
        "nuggets.vital": sum(vital),
        "nuggets.okay": len(vital) - sum(vital),
        "nuggets.response_length": length(strings),
        "answered": int(bool(strings)),
        "confidence": float("nan") if response is None or response.confidence is None else response.confidence,
    }


def _cell(target: Target, response: Response | None, matches: Matches, name: str | None) -> dict[str, float]:
    vital = {nugget.id: is_vital(nugget, name) for nugget in target.nuggets}
    full = [i for i, match in matches.items() if match.grade >= FULL]
    partial = [i for i, match in matches.items() if match.grade < FULL]
    weight = weights(target)
    return {
        **response_columns(response, vital.values()),
        "nuggets.vital_found": sum(vital[i] for i in full),
        "nuggets.okay_found": sum(not vital[i] for i in full),
        "nuggets.vital_partial": sum(vital[i] for i in partial),
        "nuggets.okay_partial": sum(not vital[i] for i in partial),
        **{string_length(i): max(1, length([text])) for i, text in enumerate(response.strings if response else (), 1)},
        "nuggets.pyramid_found": sum(weight[i] for i in full),
        "nuggets.pyramid_weight": sum(weight.values()),
        "nuggets.order": order(target, {i: matches[i] for i in full}),
        "graded": float(response.graded if response else True),
    }


FLOATS = ("nuggets.pyramid_found", "nuggets.pyramid_weight", "nuggets.order", "confidence", "pourpre.match")


def gather(
    names: Sequence[str], units: Sequence[tuple[Target, str | None]], rows: Sequence[Sequence[Mapping[str, float]]]
) -> Evidence:
    """Return Evidence of the runs `names`; `rows` has the columns of each run on each of the `units`.

    A unit is a target, or a pair of a target and an assessor. The pairs of one target form a cluster. A column that
    `rows` lacks for a unit is 0.
    """
    names_of_columns = dict.fromkeys(column for row in rows for cell in row for column in cell)
    kinds = {column: np.float64 if column in FLOATS else np.int64 for column in names_of_columns}
    columns: dict[str, Array] = {
        column: np.array([[cell.get(column, 0) for cell in row] for row in rows]).astype(kind)
        for column, kind in kinds.items()
    }
    graded = columns.pop("graded")
    if np.isnan(columns["confidence"]).all():
        del columns["confidence"]
    several = len(units) > len({target.id for target, _ in units})
    ids = tuple(f"{target.id} by {name}" if several else target.id for target, name in units)
    absence = np.where(graded == 1, PRESENT, UNGRADED).astype(np.uint8)
    kept = set.intersection(*({*target.strata} for target, _ in units))
    strata = {name: np.array([target.strata[name] for target, _ in units], dtype=object) for name in sorted(kept)}
    if several:
        strata["assessor"] = np.array([name for _, name in units], dtype=object)
    clusters = np.unique([target.id for target, _ in units], return_inverse=True)[1] if several else None
    return Evidence(tuple(names), ids, columns, absence, strata, clusters)
