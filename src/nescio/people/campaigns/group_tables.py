"""Make tables by group and language: participants, the best run of each group in each language, and the QA run of each
group beside its run of answer validation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

from msgspec.structs import asdict

from nescio.data.results import Scores
from nescio.measures import parse
from nescio.people.campaigns.evidence import JudgedRuns, group_of
from nescio.people.campaigns.layouts import UNDEFINED, Table, figure, merit, named_run, percent
from nescio.people.campaigns.ranking import Ranked
from nescio.people.campaigns.receipts import TakenIn
from nescio.people.campaigns.settings import Settings
from nescio.tasks.ave import baselines as reference
from nescio.tasks.ave.baselines import Place
from nescio.tasks.ave.building import counts

ScoredRuns = tuple[JudgedRuns, Scores]
EVERYTHING = "All"  # the column of a campaign that does not distinguish languages


def participants(settings: Settings, runs: Sequence[TakenIn], languages: Sequence[str]) -> Table:
    """Return Table 3 of AVE 2007: the number of runs of each group in each language, or in all if none is given."""
    rows = []
    for group, title in settings.groups.items():
        run_languages = [run.language for run in runs if run.group == group]
        if run_languages:
            rows.append(
                (title, *(str(run_languages.count(language) or "") for language in languages), str(len(run_languages)))
            )
    every = [run.language for run in runs]
    rows.append(("Total", *(str(every.count(language)) for language in languages), str(len(every))))
    head = ("Group", *languages, "Total" if languages else "Runs")
    title = f"Participants and runs in {settings.name}"
    return Table("participants", title, head, tuple(rows), 1, groups_only=True)


def collections(languages: Sequence[Ranked]) -> Table:
    """Return Table 2 of AVE 2007: the numbers of questions, answers, and answers of each value, in each language."""
    columns = [counts(ranking.judged.exercise)[0] for ranking in languages if ranking.judged.exercise]
    head = ("Collection", *(ranking.judged.part.language or EVERYTHING for ranking in languages))
    rows: list[tuple[str, ...]] = [
        ("Questions", *(str(column.questions) for column in columns)),
        ("Answers (final)", *(str(column.answers) for column in columns)),
        ("VALIDATED", *(str(column.validated) for column in columns)),
        ("REJECTED", *(str(column.rejected) for column in columns)),
        ("UNKNOWN", *(str(column.unknown) for column in columns)),
    ]
    if any(column.kept for column in columns):
        shares = (percent(math.nan if column.kept is None else column.kept) for column in columns)
        rows.insert(2, ("% over available answers", *shares))
    return Table("collections", "Number of questions and answers in the collections", head, tuple(rows), 1)


def best_table(parts: Sequence[ScoredRuns], settings: Settings) -> Table:
    """Return the table of the best runs, a row for each language and measure; a language without runs has one row."""
    rows = []
    for judged, scores in parts:
        if not judged.runs:
            rows.append((judged.part.language, "", "", "", figure(math.nan)))
        ranking = [row for row in scores if not parse(row.measure).declaration.descriptive]
        for measure in dict.fromkeys(row.measure for row in ranking):
            sound = [row for row in scores if row.measure == measure and not math.isnan(row.value)]
            if sound:
                best = max(sound, key=lambda row: merit(row.measure, row.value))
                ties = sum(merit(measure, row.value) == merit(measure, best.value) for row in sound) - 1
                group, system = named_run(best.run, settings, judged.groups)
                rows.append((judged.part.language or "all", measure, group, system + _more(ties), figure(best.value)))
    head = ("Language", "Measure", "Group", "Run", "Value")
    return Table("best", "The best run of each language", head, tuple(rows), 4, groups_only=True)


def _more(ties: int) -> str:
    return f" (and {ties} more)" if ties else ""


def group_table(parts: Sequence[ScoredRuns], settings: Settings) -> Table:
    """Return the table of all runs, sorted by group, with each run's rank in its language by the first measure."""
    rows: list[tuple[int, tuple[str, ...]]] = []
    for judged, scores in parts:
        first = next(iter(scores)).measure if judged.runs else ""
        values: Mapping[str, float] = {row.run: row.value for row in scores if row.measure == first}
        for run in judged.runs:
            rank = 1 + sum(merit(first, value) > merit(first, values[run.run]) for value in values.values())
            group, system = named_run(run.run, settings, judged.groups)
            place = list(settings.groups).index(run.group)
            cells = (
                group,
                system,
                judged.part.language or "all",
                first,
                figure(values[run.run]),
                UNDEFINED if math.isnan(values[run.run]) else f"{rank} of {len(values)}",
            )
            rows.append((place, cells))
    ordered = tuple(cells for _, cells in sorted(rows, key=lambda row: row[0]))
    head = ("Group", "Run", "Language", "Measure", "Value", "Rank")
    return Table("groups", "Runs by group", head, ordered, 4, groups_only=True)


def language_table(parts: Sequence[ScoredRuns], settings: Settings) -> Table:
    """Return a table of groups by languages, with the best value of the first measure in each cell.

    The last rows have the best value of all groups, and for AVE also those of the two baselines that have this measure.
    """
    measure = next(row.measure for _, scores in parts for row in scores)
    better = partial(max, key=partial(merit, measure))
    best = []
    for judged, scores in parts:
        group_of_run = {run.run: run.group for run in judged.runs}
        by_group: dict[str, float] = {}
        for row in scores:
            if row.measure == measure and not math.isnan(row.value):
                group = group_of_run[row.run]
                by_group[group] = better(row.value, by_group.get(group, row.value))
        best.append(by_group)
    below = [("Best", [better(by_group.values(), default=math.nan) for by_group in best])]
    if settings.task == "ave":
        known = [
            {row.run: asdict(row).get(measure.removeprefix("ave.")) for row in reference.expected(judged.exercise)}
            for judged, _ in parts
            if judged.exercise
        ]
        for name in (reference.ALL, reference.HALF):
            values = [value for by_name in known if (value := by_name[name]) is not None]
            below += [(name, values)] if values else []
    title = f"The best {measure} of each group in each language"
    return _by_language("languages", title, [judged for judged, _ in parts], best, settings=settings, below=below)


def qa_language_table(languages: Sequence[Ranked], settings: Settings) -> Table:
    """Return a table of groups by languages, with the QA accuracy of the group's best validator in each cell.

    The first row has perfect selection, the last row random selection.
    """
    best = [_best_of_groups(ranking, reference.AV, settings) for ranking in languages]
    bounds = [
        (name, [ranking.best(name)[1] for ranking in languages]) for name in (reference.PERFECT, reference.RANDOM)
    ]
    title = "The best QA accuracy of each group's validators in each language"
    values = [{group: place.qa_accuracy for group, place in by_group.items()} for by_group in best]
    judged = [ranking.judged for ranking in languages]
    return _by_language("languages-qa", title, judged, values, settings=settings, above=bounds[:1], below=bounds[1:])


Rows = Sequence[tuple[str, Sequence[float]]]


def _by_language(
    name: str,
    title: str,
    parts: Sequence[JudgedRuns],
    best: Sequence[Mapping[str, float]],
    *,
    settings: Settings,
    above: Rows = (),
    below: Rows = (),
) -> Table:
    """Return a table of groups by languages; `best` has the values of each language, keyed by group.

    A cell is empty if the group has no run in the language. `above` and `below` are further rows.
    """
    taking_part = {run.group for judged in parts for run in judged.runs}
    rows = [(label, *map(figure, values)) for label, values in above]
    for group, shown in settings.groups.items():
        if group in taking_part:
            had = [any(run.group == group for run in judged.runs) for judged in parts]
            cells = (figure(by_group.get(group)) if there else "" for by_group, there in zip(best, had, strict=True))
            rows.append((shown, *cells))
    rows += [(label, *map(figure, values)) for label, values in below]
    head = ("Group", *(judged.part.language or EVERYTHING for judged in parts))
    return Table(name, title, head, tuple(rows), 1, groups_only=True)


def _best_of_groups(ranking: Ranked, kind: str, settings: Settings) -> dict[str, Place]:
    """Return the best-placed system of each group in a ranking, keyed by group.

    Only systems of this `kind` are considered: validators or QA systems.
    """
    by_group: dict[str, Place] = {}
    for place in ranking.places:  # the best first
        group, _ = group_of(place.system, settings, ranking.judged.groups)
        if place.type == kind and group:
            by_group.setdefault(group, place)
    return by_group


def selection_table(languages: Sequence[Ranked], settings: Settings) -> Table:
    """Return a table that summarises Tables 8 to 11 of AVE 2007, with a row for each language.

    A row has perfect and random selection, the best validator and the best QA system.
    """
    rows = []
    for ranking in languages:
        perfect, at_random = ranking.best(reference.PERFECT)[1], ranking.best(reference.RANDOM)[1]
        names, values = [], []
        for kind in (reference.AV, reference.QA):
            places, accuracy = ranking.best(kind)
            shown = (
                " ".join(filter(None, named_run(places[0].system, settings, ranking.judged.groups))) if places else ""
            )
            names.append(shown + _more(len(places) - 1) if places else "")
            share = places[0].share_of_perfect if places else math.nan
            values += [figure(accuracy), percent(share)] if places else ["", ""]
        rows.append((ranking.judged.part.language or EVERYTHING, *names, figure(perfect), figure(at_random), *values))
    head = ("Language", "Best AV system", "Best QA system", "Perfect selection", "Random", "AV", "% of perfect")
    title = "Perfect and random selection, and the best systems of each language by QA accuracy"
    return Table("selection", title, (*head, "QA", "% of perfect"), tuple(rows), 3, groups_only=True)


def beside_table(languages: Sequence[Ranked], settings: Settings) -> Table:
    """Return the table of groups with both kinds of runs: the best QA run beside the best run of answer validation."""
    rows = []
    for group, title in settings.groups.items():
        for ranking in languages:
            qa = _best_of_groups(ranking, reference.QA, settings).get(group)
            av = _best_of_groups(ranking, reference.AV, settings).get(group)
            if qa and av:
                values = [text for p in (qa, av) for text in (figure(p.qa_accuracy), percent(p.share_of_perfect))]
                runs = [named_run(place.system, settings, ranking.judged.groups)[1] for place in (qa, av)]
                more = round(av.qa_accuracy - qa.qa_accuracy, 12)
                rows.append(
                    (
                        title,
                        ranking.judged.part.language or EVERYTHING,
                        *runs,
                        *values,
                        ("+" if more >= 0 else "") + figure(more),
                    )
                )
    head = ("Group", "Language", "QA system", "AV system", "QA", "% of perfect", "AV", "% of perfect", "AV - QA")
    return Table(
        "qa-beside-av", "QA accuracy of groups with both kinds of systems", head, tuple(rows), 4, groups_only=True
    )
