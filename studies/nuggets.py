"""How far can automatic nugget matching be trusted? The study behind docs/evidence/nuggets.md.

    python studies/nuggets.py [DATA]        writes docs/evidence/nuggets.md and its tables (about half a minute)

DATA holds cone_rag (gold nuggets of conversation turns, responses of four runs, people's match labels) and nq301 (short
answers judged by people); both are no part of this project, and by default in `../shared/data` beside the checkout. The
people of cone_rag judged other runs than the four whose responses lie there: `link` counts what can be joined, and
where `automatic_responses.json` lies beside the labels too, those pairs are measured directly.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from msgspec import Struct, field

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import numpy as np
from pages import fill, narrowed, write_table

import nescio
from nescio.data.columns import Array
from nescio.data.evidence import Evidence
from nescio.errors import NescioError
from nescio.stats.agreement import cohen_kappa, kendall_tau_b
from nescio.tasks.nuggets import definitions, pourpre
from nescio.tasks.nuggets.scoring import Nugget, Response, Run, Target
from nescio.text import sentences

ROOT = Path(__file__).parents[1]
PARTS, RESAMPLES, SEED = 10, 2_000, 0
# Labels and responses of cone_rag name runs differently; these two teams have one run each, so that the names can be
# joined.
NAMES = {"ksu-1": "ksu", "nii-1": "NII_USI_UCL"}


class Label(Struct, frozen=True):
    """A person's verdict: is this gold nugget of the turn in the response of that run?"""

    turn: str
    nugget: str
    run: str
    matched: bool


class Cone(Struct, frozen=True):
    """What cone_rag holds: nuggets and responses by turn, and labels."""

    nuggets: Mapping[str, Mapping[str, str]]
    responses: Mapping[str, Mapping[str, str]]
    labels: Sequence[Label]
    others: Mapping[str, Mapping[str, str]] = field(
        default_factory=dict
    )  # responses of the labelled runs, where they are there


class Pairs(Struct, frozen=True):
    """Scores to hold against people's yes (1) or no (0), each with the group (turn, question) that is resampled as
    one."""

    scores: Array
    people: Array
    groups: Array


def _json(path: Path) -> Any:
    content = path.read_bytes()
    return json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)


def read_cone(folder: Path) -> Cone:
    """Return the files of cone_rag. A label's id is page_topic_turn_nugget_run: the turn is topic_turn, the nugget
    stands as [n] in the gold."""
    gold = _json(folder / "gold_nuggets_human_deduplicated.json.gz")
    nuggets = {turn: {name: nugget["text"] for name, nugget in found.items()} for turn, found in gold.items()}
    labels = []
    for line in (folder / "human-study-matching-labels.txt").read_text(encoding="utf-8").splitlines():
        name, label = line.split()
        _, topic, turn, nugget, run = name.split("_", 4)
        labels.append(Label(f"{topic}_{turn}", f"[{nugget}]", run, label == "1"))
    beside = [p for p in (folder / f"automatic_responses.json{end}" for end in ("", ".gz")) if p.is_file()]
    others = _json(beside[0]) if beside else {}
    return Cone(nuggets, _json(folder / "manual_responses.json.gz"), labels, others)


def link(cone: Cone) -> dict[str, int]:
    """How many labels there are, and how many can be joined to their nugget's text and to what the person saw."""
    return {
        "labels": len(cone.labels),
        "with text": sum(label.nugget in cone.nuggets.get(label.turn, {}) for label in cone.labels),
        "yes": sum(label.matched for label in cone.labels),
        "direct": len(direct(cone, pourpre.by_count).people),
    }


def direct(cone: Cone, match: pourpre.Matcher) -> Pairs:
    """Each label whose nugget and response are both there: the match of that nugget in that response."""
    scores, people, groups = [], [], []
    for label in cone.labels:
        text = cone.nuggets.get(label.turn, {}).get(label.nugget)
        response = cone.others.get(label.turn, {}).get(NAMES.get(label.run, label.run))
        if text and response:
            scores.append(match(text, sentences(response)))
            people.append(label.matched)
            groups.append(label.turn)
    return Pairs(np.array(scores), np.array(people, dtype=float), np.array(groups))


def indirect(cone: Cone, match: pourpre.Matcher, *, shifted: bool = False) -> tuple[Pairs, Array]:
    """Each labelled nugget: its mean match in the four runs' responses to its turn, and whether people found it in any
    labelled run.

    Also the share of labelled runs in which they found it. `shifted` matches against the responses to the next turn
    instead.
    """
    found: dict[tuple[str, str], list[bool]] = {}
    for label in cone.labels:
        if label.nugget in cone.nuggets.get(label.turn, {}):
            found.setdefault((label.turn, label.nugget), []).append(label.matched)
    turns = sorted({turn for turn, _ in found})
    following = dict(zip(turns, turns[1:] + turns[:1], strict=True))
    scores = []
    for turn, nugget in found:
        said = cone.responses[following[turn] if shifted else turn].values()
        scores.append(float(np.mean([match(cone.nuggets[turn][nugget], sentences(text)) for text in said])))
    share = np.array([np.mean(labels) for labels in found.values()])
    people = np.array([any(labels) for labels in found.values()], dtype=float)
    return Pairs(np.array(scores), people, np.array([turn for turn, _ in found])), share


def read_answers(path: Path) -> list[dict[str, str]]:
    """Return the answers of nq301 that people judged."""
    with path.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["acceptable"]]


def answers(rows: Sequence[Mapping[str, str]], match: pourpre.Matcher) -> Pairs:
    """Each answer of nq301: the best match of a gold answer, taken for a nugget, and whether people accepted it."""
    scores = [max(match(gold, [row["prediction"]]) for gold in row["gold_answers"].split(" | ")) for row in rows]
    people = [row["acceptable"] == "Yes" for row in rows]
    return Pairs(np.array(scores), np.array(people, dtype=float), np.array([row["question_id"] for row in rows]))


def matchers(nuggets: Sequence[str]) -> dict[str, pourpre.Matcher]:
    """Count, idf, and embedding where its library and model are there."""
    found: dict[str, pourpre.Matcher] = {"count": pourpre.by_count, "idf": pourpre.by_idf(nuggets)}
    with contextlib.suppress(NescioError, OSError):
        found["embedding"] = pourpre.by_embedding()
    return found


# ---- agreement ----


def threshold(scores: Array, people: Array) -> float:
    """Return the score from which on a match is best called one, by Cohen's kappa; the larger of several."""
    order = np.argsort(-scores, kind="stable")
    ranked, yes = scores[order], people[order]
    last = np.append(ranked[1:] != ranked[:-1], True)
    hits, called = np.cumsum(yes)[last], np.arange(1, len(yes) + 1)[last]
    positives, n = yes.sum(), len(yes)
    tables = np.stack(
        [np.stack([n - called - positives + hits, called - hits], -1), np.stack([positives - hits, hits], -1)], -2
    )
    kappa = np.nan_to_num(cohen_kappa(tables), nan=-1.0)
    return float(ranked[last][int(np.argmax(kappa))])


def cross_fitted(pairs: Pairs) -> Array:
    """Whether each pair is called a match by the threshold that was chosen on the other parts; groups are never
    split."""
    names = np.unique(pairs.groups)
    part = dict(zip(np.random.default_rng(SEED).permutation(names), np.arange(len(names)) % PARTS, strict=True))
    parts = np.array([part[group] for group in pairs.groups])
    called = np.zeros(len(parts))
    for k in range(PARTS):
        held = parts == k
        called[held] = pairs.scores[held] >= threshold(pairs.scores[~held], pairs.people[~held])
    return called


def measured(pairs: Pairs) -> dict[str, tuple[float, float, float]]:
    """AUC, and agreement, kappa, precision and recall of cross-fitted calls: value and 95% interval, resampled by
    group."""
    called = cross_fitted(pairs)
    code = (2 * pairs.people + called).astype(int)  # 0 neither, 1 called only, 2 people only, 3 both
    groups = np.unique(pairs.groups, return_inverse=True)[1]
    counts = np.zeros((groups.max() + 1, 4))
    np.add.at(counts, (groups, code), 1)
    draws = np.random.default_rng(SEED).multinomial(len(counts), np.full(len(counts), 1 / len(counts)), RESAMPLES)
    tables = np.concatenate([counts.sum(axis=0)[None], np.einsum("bg,gk->bk", draws, counts)]).reshape(-1, 2, 2)
    n, yes, hits = tables.sum(axis=(1, 2)), tables[:, 1].sum(axis=1), tables[:, 1, 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        shown = {
            "agreement": (tables[:, 0, 0] + hits) / n,
            "kappa": cohen_kappa(tables),
            "precision": hits / tables[:, :, 1].sum(axis=1),
            "recall": hits / yes,
        }
    found = {"AUC": _auc(pairs, groups)}
    for name, values in shown.items():
        low, high = np.nanquantile(values[1:], [0.025, 0.975])
        found[name] = float(values[0]), float(low), float(high)
    return found


def _auc(pairs: Pairs, groups: Array) -> tuple[float, float, float]:
    """Return the chance that a match has a higher score than a non-match, by nescio's own AUROC, clustered by group."""
    yes, ones = pairs.people[None].astype(np.int8), np.ones((1, len(groups)), dtype=np.int8)
    columns = {"correct": yes, "incorrect": 1 - yes, "unanswered": 0 * ones, "answered": ones}
    data = Evidence(
        ("matching",),
        tuple(map(str, range(len(groups)))),
        {**columns, "confidence": pairs.scores[None]},
        np.zeros(ones.shape, dtype=np.uint8),
        clusters=groups,
    )
    row = nescio.score(data, ["AUROC"], resamples=RESAMPLES).rows[0]
    return row.value, float(row.low or 0), float(row.high or 0)


# ---- runs ----


def cone_runs(cone: Cone) -> tuple[list[Target], list[Run]]:
    """Return the turns that have nuggets and responses; people graded nuggets from 1 to 4, not as vital or okay, so all
    are vital."""
    turns = [turn for turn, nuggets in cone.nuggets.items() if nuggets and turn in cone.responses]
    targets = [
        Target(t, "", tuple(Nugget(name, text, {"": True}) for name, text in cone.nuggets[t].items())) for t in turns
    ]
    names = sorted({run for responses in cone.responses.values() for run in responses})
    runs = [Run(name, {t: Response(t, sentences(cone.responses[t].get(name, ""))) for t in turns}) for name in names]
    return targets, runs


AUTOMATIC = ("nuggets.automatic_NR", "nuggets.automatic_F", "nuggets.automatic_micro_F")


def run_scores(targets: Sequence[Target], runs: Sequence[Run], methods: Sequence[str]) -> dict[str, Any]:
    """Return the automatic scores of runs, by each way of matching, turns resampled."""
    return {
        method: nescio.score(pourpre.evidence(targets, runs, method)[0], AUTOMATIC, resamples=RESAMPLES)
        for method in methods
    }


def bundled() -> tuple[list[Target], Run]:
    """Return the bundled definition questions, and the baseline's responses to them."""
    folder = definitions.bundled()
    rows = [json.loads(line) for line in (folder / "key.jsonl").read_text(encoding="utf-8").splitlines()]
    targets = [
        Target(r["id"], r["target"], tuple(Nugget(n["id"], n["text"], {"": n["vital"]}) for n in r["nuggets"]))
        for r in rows
    ]
    asked = definitions.load_targets(folder / "key.jsonl")
    return targets, definitions.answer(asked, definitions.load_texts(folder / "texts"), "baseline")


# ---- the page ----


def _cell(found: tuple[float, float, float]) -> str:
    return "{:.3f} [{:.3f}, {:.3f}]".format(*found)


def match_table(found: Mapping[str, Pairs]) -> list[str]:
    """Return a row a way of matching."""
    names = ("AUC", "agreement", "kappa", "precision", "recall")
    lines = [f"| data, matching | {' | '.join(names)} |", "| --- |" + " ---: |" * len(names)]
    for method, pairs in found.items():
        row = measured(pairs)
        lines.append(f"| {method} | {' | '.join(_cell(row[name]) for name in names)} |")
    return lines


def run_table(scores: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return a row a run and way of matching, by the runs' data."""
    lines = ["| data | run | matching | NR | F(3), macro | F(3), micro |", "| --- | --- | --- | ---: | ---: | ---: |"]
    for data, by_method in scores.items():
        for run in dict.fromkeys(row.run for row in by_method["count"]):
            for method, found in by_method.items():
                rows = {row.measure: row for row in found if row.run == run}
                cells = [_cell((rows[m].value, rows[m].low, rows[m].high)) for m in AUTOMATIC]
                lines.append(f"| {data} | {run} | {method} | {' | '.join(cells)} |")
    return lines


def ranking(rows: Sequence[Mapping[str, str]], found: Mapping[str, Pairs]) -> str:
    """How each way of matching ranks nq301's systems, against people: Kendall's tau."""
    own = np.array([row["run"] for row in rows])

    def means(values: Array) -> list[float]:
        return [float(values[own == system].mean()) for system in sorted({*own})]

    taus = {method: kendall_tau_b(means(pairs.people), means(pairs.scores)) for method, pairs in found.items()}
    return " and ".join(f"{tau:.3f} (`{method}`)" for method, tau in taus.items())


def page(cone: Cone, rows: Sequence[Mapping[str, str]], folder: Path) -> str:
    """Return the page, its table and figures put in, and write the tables beside it."""
    ways = matchers([text for nuggets in cone.nuggets.values() for text in nuggets.values()])
    gold = matchers([text for row in rows for text in row["gold_answers"].split(" | ")])
    said = {name: answers(rows, match) for name, match in gold.items()}
    linked = link(cone)
    found = {f"short answers, {name}": pairs for name, pairs in said.items()}
    found |= {f"long responses, {name}": indirect(cone, match)[0] for name, match in ways.items()}
    found["long responses, control"] = indirect(cone, pourpre.by_count, shifted=True)[0]
    if linked["direct"]:
        found |= {f"long responses, direct, {name}": direct(cone, match) for name, match in ways.items()}
    table = match_table(found)
    write_table(table, folder / "nuggets-matching.csv")
    targets, run = bundled()
    of = {"cone_rag": cone_runs(cone), "bundled": (targets, [run])}
    scores = {name: run_scores(*pair, ("count", "idf")) for name, pair in of.items()}
    write_table(run_table(scores), folder / "nuggets.csv")
    shown = ("data, matching", "AUC", "agreement", "kappa")
    kappa = {name: f"{measured(found[f'{name}, idf'])['kappa'][0]:.2f}" for name in ("short answers", "long responses")}
    parts: dict[str, str | list[str]] = {
        **{name: f"{count:,}" for name, count in linked.items()},
        **kappa,
        "table": narrowed(table, dict(zip(shown, shown, strict=True))),
        "tau": ranking(rows, said),
        "pairs": f"{len(rows):,}",
        "resamples": f"{RESAMPLES:,}",
        "embedding": f"embedding is {pourpre.MODEL}" if "embedding" in ways else "no model for embedding was installed",
    }
    return fill("nuggets", parts)


@click.command()
@click.argument("data", type=click.Path(path_type=Path, file_okay=False), default=ROOT.parent / "shared" / "data")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=ROOT / "docs" / "evidence",
    help="The folder for the page and its tables.",
)
def main(data: Path, output: Path) -> None:
    """Hold automatic matching against people, and write the page."""
    start = perf_counter()
    cone, rows = read_cone(data / "cone_rag"), read_answers(data / "nq301" / "runs_human.csv")
    (output / "nuggets.md").write_text(page(cone, rows, output), encoding="utf-8")
    click.echo(f"{perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
