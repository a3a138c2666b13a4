"""Make the tables of a campaign's overview: topics, groups, runs, answers and dates, and the assessors' agreement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from nescio.data.assessors import ADJUDICATION
from nescio.people.campaigns.entries import ACCEPTED
from nescio.people.campaigns.folder import Campaign
from nescio.people.campaigns.group_tables import EVERYTHING
from nescio.people.campaigns.items import Item
from nescio.people.campaigns.judgements import Judgement, Present, by_item, read_history, read_judgements
from nescio.people.campaigns.layouts import UNDEFINED, Table, figure
from nescio.people.campaigns.pooling import POOLED, RunContents, pool_items, read_items
from nescio.people.campaigns.receipts import read_receipts
from nescio.people.campaigns.topics import nuggets_by_question
from nescio.people.campaigns.verdicts import Agreement, agreement

_MEASURES = {
    "p_o": "Observed agreement",
    "alpha": "Krippendorff's alpha",
    "AC1": "Gwet's AC1",
    "kappa": "Cohen's kappa",
}


def facts(said: RunContents) -> Table:
    """Return the table of the topics, groups, runs and answers in each language, and of the dates of the campaign.

    The dates are those at which runs were received and answers were judged.
    """
    campaign, parts = said.campaign, said.topics.parts
    languages = said.topics.split_by(campaign.settings.languages)
    rows = [
        _row(
            "Topics",
            languages,
            lambda name: sum(len(parts[language].questions) for language in parts if name in ("", language)),
        ),
        _row("Groups", languages, lambda name: len({run.group for run in said.runs if name in ("", run.language)})),
        _row("Runs", languages, lambda name: sum(name in ("", run.language) for run in said.runs)),
    ]
    taken = [
        receipt for receipt in read_receipts(campaign) if receipt.status == ACCEPTED and receipt.run in said.content
    ]
    spans = {"Runs received": _span(receipt.received for receipt in taken)}
    if said.topics.task in POOLED:
        items, judged = pool_items(said)[0], _people(campaign, read_judgements(campaign))
        rows += _answers(items, judged, languages)
        current = [line for line in Present(read_history(campaign)).lines.values() if line.after]
        spans["Answers judged"] = _span(line.said or line.at for line in current) if judged else ""
    rows += [(name, *[""] * len(languages), span) for name, span in spans.items() if span]
    head = ("Campaign", *languages, EVERYTHING)
    return Table("facts", f"{campaign.settings.name} in figures", head, tuple(rows), len(head))


def _row(name: str, languages: Sequence[str], count: Callable[[str], int]) -> tuple[str, ...]:
    """Return a row: the name, the count for each language, and the count over all languages (`count("")`)."""
    return (name, *(f"{count(language):,}" for language in (*languages, "")))


def _people(campaign: Campaign, judgements: Iterable[Judgement]) -> dict[str, set[str]]:
    """Return the people who judged each answer, adjudicators included, keyed by the answer's id."""
    known = {item.id for item in read_items(campaign)}
    return {item: {*given} for item, given in by_item(judgements).items() if item in known}


def _answers(items: Sequence[Item], judged: dict[str, set[str]], languages: Sequence[str]) -> list[tuple[str, ...]]:
    """Return rows with the numbers of distinct answers, and of distinct answers judged by people, in each language.

    Further rows count the answers with two or more assessors, and the adjudicated answers. `judged` has each item's
    assessors.
    """
    of: dict[str, Callable[[set[str]], bool]] = {
        "Distinct answers": lambda _: True,
        "Judged by people": bool,
        "Judged by two or more": lambda who: len(who - {ADJUDICATION}) > 1,
        "Adjudicated": lambda who: ADJUDICATION in who,
    }
    if not judged:
        of = {"Distinct answers": of["Distinct answers"]}

    def row(name: str, holds: Callable[[set[str]], bool]) -> tuple[str, ...]:
        def count(language: str) -> int:
            answers = (item for item in items if language in ("", item.language))
            return sum(holds(judged.get(item.id, set())) for item in answers)

        return _row(name, languages, count)

    return [row(name, holds) for name, holds in of.items()]


def _span(times: Iterable[str]) -> str:
    """Return the first and the last day of `times` as one text: "2010-06-30" or "2010-06-30 to 2010-07-02".

    The text is empty if there are no times.
    """
    days = sorted({time[: len("2010-06-30")] for time in times})
    return " to ".join(dict.fromkeys((days[0], days[-1]))) if days else ""


def agreement_table(said: RunContents, resamples: int, seed: int, ci: float | None = 95.0) -> Table:
    """Return the table of the assessors' agreement on the answers that runs give now.

    The assessors have numbers in place of names, because papers name no assessor. `ci` is the level of the intervals in
    percent; None leaves them out.
    """
    campaign = said.campaign
    items = {item.id: item.question for item in pool_items(said)[0]} if said.topics.task in POOLED else {}
    judgements = [judgement for judgement in read_judgements(campaign) if judgement.item in items]
    nuggets = None
    if campaign.settings.task == "nuggets":
        by_question = nuggets_by_question(campaign.key_files)
        nuggets = {item: by_question.get(question, set()) for item, question in items.items()}
    rows = agreement(judgements, resamples, seed, nuggets, level=(ci or 95.0) / 100)
    names = sorted({who for row in rows for who in row.assessors.split(", ")})
    names.sort(key=lambda who: campaign.hidden_order("assessor", who))
    spans = (f"{ci:g}% interval",) if ci else ()
    head = ("Measure", "Value", *spans, "Assessors", "Over")
    title = "Agreement of the assessors"
    return Table("agreement", title, head, tuple(_agreed(row, names, spans=bool(ci)) for row in rows), 1)


def _agreed(row: Agreement, names: Sequence[str], *, spans: bool) -> tuple[str, ...]:
    who = row.assessors.split(", ")
    number = {name: str(at) for at, name in enumerate(names, 1)}
    shown = str(len(who)) if row.measure != "kappa" else " and ".join(sorted(number[name] for name in who))
    span = UNDEFINED if row.low is None or row.high is None else f"[{figure(row.low)}, {figure(row.high)}]"
    return (_MEASURES[row.measure], figure(row.value), *((span,) if spans else ()), shown, row.over)
