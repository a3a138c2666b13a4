"""The collections of docs/evidence/validation.md: SQuAD 2.0 to validate answers, nq301 to choose among them."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from nescio.data.model import Question, Verdict
from nescio.tasks.ave.building import Built, Offer, build
from nescio.tasks.ave.exercise import Exercise, Value
from nescio.text import normalise

Spans = list[tuple[int, int]]
STREAMS = ("declined", "nil", "void", "long")  # the building rules that leave the redundancy of systems where it is


class Squad(Struct, frozen=True):
    """The gold, the predictions of the runs by name, and the sentences of each paragraph as places in its text."""

    gold: list[dict[str, Any]]
    runs: Mapping[str, Mapping[str, str]]
    sentences: Mapping[str, Spans]
    counts: Counter[str] = field(default_factory=Counter)


def squad(folder: Path) -> Squad:
    """Read the files; sentences are pysbd's."""
    import pysbd

    gold = json.loads((folder / "dev-half.json").read_text(encoding="utf-8"))["data"]
    runs = {
        path.stem.removeprefix("pred_"): json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("pred_*.json"))
    }
    segmenter = pysbd.Segmenter(language="en", clean=False, char_span=True)
    texts = {paragraph["context"] for article in gold for paragraph in article["paragraphs"]}
    spans = {text: [(s.start, s.end) for s in segmenter.segment(text)] for text in sorted(texts)}
    return Squad(gold, runs, spans)


def titles(data: Squad) -> tuple[list[str], list[str]]:
    """Return the articles in the order of their titles: the first, third, fifth … are for development, the others for
    the test."""
    names = sorted(article["title"] for article in data.gold)
    return names[::2], names[1::2]


def asked(data: Squad, articles: Iterable[str]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Title, paragraph and question."""
    wanted = set(articles)
    for article in data.gold:
        if article["title"] in wanted:
            for paragraph in article["paragraphs"]:
                for question in paragraph["qas"]:
                    yield article["title"], paragraph["context"], question


def support(data: Squad, context: str, answer: str) -> str | None:
    """Return the sentences of a paragraph that hold an answer, word by word, joined; None where there is none."""
    pattern = r"\s+".join(map(re.escape, answer.split()))
    found = list(re.finditer(rf"(?<!\w){pattern}(?!\w)", context)) or list(re.finditer(pattern, context))
    held = [
        context[start:end].strip()
        for start, end in data.sentences[context]
        if any(start < match.end() and match.start() < end for match in found)
    ]
    return " ".join(held) or None


def offers(data: Squad, articles: Iterable[str]) -> Iterator[Offer]:
    """Return the answers of the three runs; right is what equals an answer of the gold after SQuAD's normalisation."""
    for title, context, question in asked(data, articles):
        right = {normalise(each["text"]) for each in question["answers"]}
        for run, given in data.runs.items():
            answer = given.get(question["id"], "").strip()
            text = support(data, context, answer) if answer else None
            data.counts["answers" if answer else "silent"] += 1
            data.counts["not found"] += bool(answer) and text is None
            verdict = Verdict.RIGHT if normalise(answer) in right else Verdict.WRONG
            yield Offer(question["id"], run, answer or None, text, verdict, title, bool(answer) and text is not None)


def validation(data: Squad, articles: Iterable[str], name: str, rules: Iterable[str] | None = None) -> Built:
    """Return the collection by AVE's rules (or some of them); questions of one article move together when they are held
    out."""
    articles = list(articles)
    questions = [Question(each["id"], each["question"], cluster=title) for title, _, each in asked(data, articles)]
    given = list(offers(data, articles))
    return (
        build(questions, given, name=name) if rules is None else build(questions, given, name=name, rules=list(rules))
    )


def gold_answers(data: Squad, articles: Iterable[str]) -> Exercise:
    """Return the gold of these articles as candidates: an answer of it is right, a plausible one to a question without
    an answer wrong."""
    questions, given = [], []
    for title, context, question in asked(data, articles):
        right = bool(question["answers"])
        texts = [each["text"] for each in question["answers"] or question.get("plausible_answers", ())]
        if not texts:
            continue
        answer = Counter(texts).most_common(1)[0][0]
        text = support(data, context, answer)
        questions.append(Question(question["id"], question["question"], cluster=title))
        verdict = Verdict.RIGHT if right else Verdict.WRONG
        given.append(Offer(question["id"], "gold", answer, text, verdict, title, text is not None))
    return build(questions, given, name="gold").exercise


class Streams(Struct, frozen=True):
    """Answers of several systems to choose from, every answer kept that somebody judged; `unjudged` names those left
    out, by question and system. `accuracy` is over the questions that a system was judged on, silence being no right
    answer.
    """

    exercise: Exercise
    accuracy: Mapping[str, float]
    unjudged: frozenset[tuple[str, str]] = frozenset()
    notes: str = ""


def nq301(path: Path) -> Streams:
    """Nine systems' answers judged by people. A string that they did not see has the verdict of one that differs in
    case, articles and punctuation alone; without such a twin it is UNKNOWN, and no answer to choose."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    said = {(r["question_id"], normalise(r["prediction"])): r["acceptable"] for r in rows if r["acceptable"]}
    questions = {r["question_id"]: Question(r["question_id"], r["question"]) for r in rows}
    given, unjudged, twins = [], set(), 0
    for r in rows:
        word = r["acceptable"] or said.get((r["question_id"], normalise(r["prediction"])))
        twins += not r["acceptable"] and word is not None
        verdict = None if word is None else Verdict.RIGHT if word == "Yes" else Verdict.WRONG
        if verdict is None:
            unjudged.add((r["question_id"], r["run"]))
        given.append(Offer(r["question_id"], r["run"], r["prediction"], "", verdict))
    built = build(questions.values(), given, name="nq301", rules=STREAMS)
    notes = f"{twins} strings have the verdict of their twin, {len(unjudged)} are UNKNOWN and left out"
    return Streams(_known(built.exercise), _accuracy(given, len(questions)), frozenset(unjudged), notes)


def squad_streams(data: Squad, articles: Iterable[str]) -> Streams:
    """Return the three runs' answers of these articles with none removed for being another one's."""
    articles = list(articles)
    built = validation(data, articles, "squad2", STREAMS)
    given = [each for each in offers(data, articles) if each.answered]
    return Streams(built.exercise, _accuracy(given, len(built.exercise.questions)))


def _known(exercise: Exercise) -> Exercise:
    """Return the same without UNKNOWN answers, and without questions that have no other."""
    kept = tuple(each for each in exercise.candidates if each.value is not Value.UNKNOWN)
    left = {each.question_id for each in kept}
    return replace(exercise, questions=tuple(q for q in exercise.questions if q.id in left), candidates=kept)


def _accuracy(given: Iterable[Offer], questions: int) -> dict[str, float]:
    """Return the share of the questions that a system answers rightly, of those on which it was judged or silent."""
    right: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for each in given:
        right[each.system] += each.verdict is Verdict.RIGHT
        lost[each.system] += each.verdict is None
    return {system: many / (questions - lost[system]) for system, many in right.items()}
