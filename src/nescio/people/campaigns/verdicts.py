"""Reduce the assessors' verdicts on each answer to one, by the campaign's rule, and compute the assessors' agreement.

`nescio.data.assessors` has the rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from msgspec import Struct

from nescio.data.assessors import ADJUDICATION, Resolution, resolve_all
from nescio.data.model import Verdict
from nescio.data.notes import Note, note
from nescio.errors import MismatchError
from nescio.people.campaigns.assessors import open_items, read_asked
from nescio.people.campaigns.folder import Campaign
from nescio.people.campaigns.items import Item
from nescio.people.campaigns.judgements import Judgement, asked_again, by_item, read_judgements
from nescio.people.campaigns.pooling import read_pool
from nescio.people.campaigns.screens import sentence_items
from nescio.people.campaigns.shown_texts import NOTHING, SENTENCES
from nescio.reporting.numbers import with_interval
from nescio.stats.raters import agreement_intervals, kappa_interval
from nescio.text import on_one_line, plural

MOST_NAMED = 10  # answers in dispute that a message lists
FIRST = 3  # open answers that a message names
_ALIKE = 20  # From so many answers on, a note says that all verdicts of an assessor, or of two, are the same.
MORE_PEOPLE = (
    "name others with --assessor, say with --overlap how many are enough, or decide with --adjudicate what somebody "
    "has judged"
)


class Agreement(Struct, frozen=True):
    """The agreement of assessors over all answers that two or more judged, with an interval over these answers.

    `n` counts what `unit` names: answers, or decisions on each nugget of a string or each sentence of a story.
    `answers` counts what `whole` names, such as strings. `undefined` counts resamples without a value.
    """

    assessors: str
    measure: str
    value: float
    low: float | None
    high: float | None
    answers: int
    undefined: int = 0
    unit: str = "answer"
    n: int = 0
    whole: str = "string"

    @property
    def over(self) -> str:
        """Return what the agreement covers as a phrase, such as "12 decisions on 4 strings"."""
        return plural(self.n, self.unit) + (
            f" on {plural(self.answers, self.whole)}" if self.unit == "decision" else ""
        )

    def __str__(self) -> str:
        left = f"; undefined in {self.undefined:,} resamples" if self.undefined else ""
        value = with_interval(self.value, self.low, self.high)
        return f"{self.measure} {value}: {self.assessors}, {self.over}{left}"


def disputed(campaign: Campaign, judgements: Sequence[Judgement] | None = None) -> list[Item]:
    """Return the items in dispute: their judgements differ, and the rule of the campaign does not settle that.

    Items that are open because their texts changed are left out.
    """
    given = read_judgements(campaign) if judgements is None else judgements
    final = come_to_one(_that_decide(campaign, given), campaign.settings.resolve)
    items = [*read_pool(campaign), *sentence_items(campaign)]
    return [item for item in items if item.id in final and final[item.id] is None]


def to_adjudicate(campaign: Campaign, judgements: Sequence[Judgement]) -> list[Item]:
    """Return the items in dispute, and then the open items on which an assessor's verdict still holds."""
    open_ = open_items(campaign)
    held = {
        judgement.item for judgement in judgements if judgement.item in open_ and judgement.assessor != ADJUDICATION
    }
    items = [*read_pool(campaign), *sentence_items(campaign)]
    return [*disputed(campaign, judgements), *(item for item in items if item.id in held)]


def _that_decide(campaign: Campaign, judgements: Iterable[Judgement]) -> dict[str, dict[str, str]]:
    """Return the verdicts that decide each item, keyed by item and then by assessor.

    No verdict decides an open item. If the adjudicator has decided an item that was open, only this verdict does while
    people's verdicts on it are missing.
    """
    again, plan = asked_again(campaign), read_asked(campaign).plan
    open_ = again.open_by(plan)
    verdicts = by_item(judgement for judgement in judgements if judgement.item not in open_)
    for item in again.decided_by(plan) & verdicts.keys():
        verdicts[item] = {ADJUDICATION: verdicts[item][ADJUDICATION]}
    return verdicts


def settled(campaign: Campaign) -> dict[str, str]:
    """Return the verdict on each judged item that is neither in dispute nor open, keyed by item."""
    final = come_to_one(_that_decide(campaign, read_judgements(campaign)), campaign.settings.resolve)
    return {item: verdict for item, verdict in final.items() if verdict is not None}


def resolved(campaign: Campaign, wanted: Collection[str] | None = None) -> dict[str, str]:
    """Return the verdict on each judged item in `wanted`, keyed by item.

    If `wanted` is None, all items of the pool are wanted. Raises MismatchError if items are in dispute, or open because
    their texts changed.
    """
    wanted = {item.id for item in read_pool(campaign)} if wanted is None else wanted
    refuse_open(campaign, wanted)
    rule = campaign.settings.resolve
    verdicts = _that_decide(campaign, read_judgements(campaign))
    # Dawid and Skene's model estimates the assessors' errors from all verdicts, not only from the wanted ones.
    final = {item: verdict for item, verdict in come_to_one(verdicts, rule).items() if item in wanted}
    dispute = [item for item, verdict in final.items() if verdict is None]
    if dispute:
        shown = _shown(campaign)
        named = [
            f"  {shown.get(item, item)}: {', '.join(f'{who} {v}' for who, v in verdicts[item].items())}"
            for item in dispute
        ]
        left = [f"  … and {len(dispute) - MOST_NAMED} more"] if len(dispute) > MOST_NAMED else []
        lists = _only_sentences(dispute)
        how = (
            "the setting `resolve` in campaign.toml refuses disputed answers"
            if rule == "refused"
            else f"to decide, write a sheet of them with nescio campaign sheets {campaign.typed} --adjudicate{lists}"
        )
        rows = "\n".join([*map(on_one_line, named[:MOST_NAMED]), *left])
        error = MismatchError(f"{plural(len(dispute), 'answer')} judged differently; {how}\n{rows}")
        error.several_lines = True
        raise error
    return {item: verdict for item, verdict in final.items() if verdict is not None}


def refuse_open(campaign: Campaign, wanted: Collection[str]) -> None:
    """Raise MismatchError if any of the `wanted` items are open because their texts changed."""
    if items := [item for item in open_items(campaign) if item in wanted]:
        shown = _shown(campaign)
        first = ", ".join(on_one_line(shown.get(item, item)) for item in items[:FIRST])
        command = f"nescio campaign sheets {campaign.typed} --assessor NAME{_only_sentences(items)}"
        raise MismatchError(
            f"{plural(len(items), 'answer')} must be judged again, because the question, its supports or its nuggets "
            f"changed, and the verdicts that are left do not decide (first: {first}); run {command} (or, if a server "
            f"asks, nescio assess update and export), and collect the new verdicts; if people are missing, "
            f"{MORE_PEOPLE}"
        )


def _shown(campaign: Campaign) -> dict[str, str]:
    """Return what a message says of each item, keyed by item."""
    shown = {item.id: f"{item.answer!r} to {item.question}" for item in read_pool(campaign)}
    return shown | {item.id: f"sentences that answer {item.question}" for item in sentence_items(campaign)}


def _only_sentences(items: Sequence[str]) -> str:
    return " --sentences" if all(item.startswith(f"{SENTENCES}:") for item in items) else ""


def come_to_one(verdicts: Mapping[str, Mapping[str, str]], rule: Resolution) -> dict[str, str | None]:
    """Return the verdict on each item by `rule`; None for an item that is still in dispute.

    With "dawid-skene", the majority decides on lists of nuggets or sentences, because that rule needs categories.
    """
    lists = {item for item, given in verdicts.items() if not {*given.values()} <= {*Verdict}}
    marks = {item: given for item, given in verdicts.items() if item not in lists}
    of_lists: Resolution = "majority" if rule == "dawid-skene" else rule
    return resolve_all(marks, rule) | resolve_all({item: verdicts[item] for item in lists}, of_lists)


def unlisted(
    judgements: Sequence[Judgement], questions: Mapping[str, str], nuggets: Iterable[tuple[str, str]]
) -> Iterator[str]:
    """Yield a sentence for each verdict that names a nugget which its question does not have.

    `questions` maps items to questions. `nuggets` has pairs of a question and the number of a nugget.
    """
    known = {*nuggets}
    for judgement in judgements:
        named = {*judgement.verdict.split(",")} - {NOTHING, ""} if judgement.item in questions else set[str]()
        if gone := sorted(number for number in named if (questions[judgement.item], number) not in known):
            yield (
                f"{judgement.assessor} marked nugget {', '.join(gone)} in answer {judgement.item}, but the list of "
                f"{questions[judgement.item]} has no such nugget"
            )


def agreement(
    judgements: Sequence[Judgement],
    resamples: int = 10_000,
    seed: int = 0,
    nuggets: Mapping[str, Collection[str]] | None = None,
    whole: str = "string",
    *,
    level: float = 0.95,
) -> list[Agreement]:
    """Return the assessors' agreement on R, W, X and U: of all assessors together, and kappa for each pair.

    `nuggets` has the nuggets that each item may contain, or the numbers of the sentences that may answer it. If given,
    each nugget or sentence is a decision: found or not found. The decisions on one item are resampled together; `whole`
    is the word for an item. `level` is that of the intervals. The adjudicator is left out.
    Answers with one verdict are left out too, so that all coefficients are about the same answers.
    """
    items = [
        (item, {who: verdict for who, verdict in given.items() if who != ADJUDICATION})
        for item, given in sorted(by_item(judgements).items())  # in whatever order they came, the figures are the same
    ]
    together = [(item, given) for item, given in items if len(given) > 1]
    if not together:
        return []
    names = [str(verdict) for verdict in Verdict] if nuggets is None else ["found", "not found"]
    decisions = [
        (unit, decision)
        for unit, (item, given) in enumerate(together)
        for decision in ([given] if nuggets is None else _found(given, nuggets.get(item, ())))
    ]
    if not decisions:
        return []
    counts = [[[*given.values()].count(name) for name in names] for _, given in decisions]
    assessors = sorted({who for _, given in together for who in given})
    label = ", ".join(assessors)
    unit = "answer" if nuggets is None else "decision"
    units = None if nuggets is None else [unit for unit, _ in decisions]
    rows = [
        Agreement(
            label,
            coefficient.name,
            coefficient.value,
            coefficient.low,
            coefficient.high,
            len(together),
            coefficient.undefined,
            unit,
            len(decisions),
            whole,
        )
        for coefficient in agreement_intervals(counts, level, resamples=resamples, seed=seed, units=units)
    ]
    for i, first in enumerate(assessors):
        for second in assessors[i + 1 :]:
            both = [(unit, given) for unit, given in decisions if first in given and second in given]
            if both:
                pairs = [[names.index(given[who]) for who in (first, second)] for _, given in both]
                pair_units = [unit for unit, _ in both]
                kappa = kappa_interval(pairs, len(names), pair_units, level=level, resamples=resamples, seed=seed)
                spread = kappa.value, kappa.low, kappa.high, len({*pair_units}), kappa.undefined
                rows.append(Agreement(f"{first}, {second}", kappa.name, *spread, unit, len(both), whole))
    return rows


def _found(given: Mapping[str, str], nuggets: Collection[str]) -> list[dict[str, str]]:
    """Return each assessor's decision ("found" or "not found") on each nugget that a string may contain."""
    by_assessor = {who: {*verdict.split(",")} for who, verdict in given.items()}
    return [
        {who: "found" if nugget in numbers else "not found" for who, numbers in by_assessor.items()}
        for nugget in sorted(nuggets)
    ]


def alike(judgements: Sequence[Judgement]) -> Iterator[Note]:
    """Yield notes on suspicious verdicts: an assessor who gave one verdict on all answers, and two who always agree."""
    given = {item: verdicts for item, verdicts in by_item(judgements).items() if verdicts.keys() - {ADJUDICATION}}
    names = sorted({who for verdicts in given.values() for who in verdicts} - {ADJUDICATION})
    for who in names:
        counts = Counter(verdicts[who] for verdicts in given.values() if who in verdicts)
        if counts.total() >= _ALIKE and len(counts) == 1:
            yield note(
                "campaign.one_verdict",
                "{subject} gives the verdict {verdict} on all {answers:n answer}",
                who,
                verdict=next(iter(counts)),
                answers=counts.total(),
            )
    for first, other in combinations(names, 2):
        both = [
            (verdicts[first], verdicts[other]) for verdicts in given.values() if first in verdicts and other in verdicts
        ]
        if len(both) >= _ALIKE and len({*both}) > 1 and all(a == b for a, b in both):
            yield note(
                "campaign.copied",
                "{subject} and {other} give the same verdicts on all {answers:n answer}; is one sheet a copy?",
                first,
                other=other,
                answers=len(both),
            )
