"""The summaries that the repository writes beside its results, held against `pred` in these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from nescio.data.notes import Note, note
from nescio.formats.logs import grading
from nescio.formats.logs.mmlu_pro.files import RESULT, SUMMARY, File, decoded
from nescio.formats.registry import SourceRole
from nescio.sources.elements import part_of
from nescio.sources.source import own_path


def is_summary(document: Any) -> bool:
    """Say whether a document counts what is right and wrong in categories."""
    if not isinstance(document, dict) or "total" not in document:
        return False
    return all(isinstance(entry, dict) and {"corr", "wrong"} <= {*entry} for entry in document.values())


def results_of(summary: str) -> str:
    """Return the stem of the results that a summary is of."""
    return summary.removesuffix(SUMMARY) + RESULT


def summaries(parts: Sequence[SourceRole]) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """Yield the summaries beside the results: folders, stem and content."""
    for part, source in parts:
        if part == "summary":
            yield own_path(source.label).parts[1:-1], source.stem, source.document
        elif source.kind == "archive":
            assert source.path is not None
            for name in source.members:
                *folders, file = name.split("/")
                if file.endswith(f"{SUMMARY}.json") and not name.startswith("__MACOSX/"):
                    yield (source.stem, *folders), file[: -len(".json")], decoded(source, name)


class Figures:
    """What the summaries say, held against `pred` in the results that they are of."""

    def __init__(self, summaries: Iterator[tuple[tuple[str, ...], str, Any]]) -> None:
        self._of = {(folders, results_of(stem)): (stem, held) for folders, stem, held in summaries}
        self._given: dict[tuple[tuple[str, ...], str], list[float]] = {}

    def kept(self, file: File, items: Iterator[tuple[Any, str]]) -> Iterator[tuple[Any, str]]:
        """Return the items, whose grades are kept if there is a summary of them."""
        key = file.folders, file.stem
        if key not in self._of:
            return items
        return self._keep(self._given.setdefault(key, []), items)

    @staticmethod
    def _keep(grades: list[float], items: Iterator[tuple[Any, str]]) -> Iterator[tuple[Any, str]]:
        for item, where in items:
            grades.append(_own_grade(item))
            yield item, where

    def notes(self) -> list[Note]:
        """Note where a summary says something else than `pred`, or where what it is of was not given."""
        notes: list[Note] = []
        for key, (stem, held) in self._of.items():
            total = held.get("total") if is_summary(held) else None
            right, wrong = (grading.number(part_of(total, name)) for name in ("corr", "wrong"))
            if key not in self._given:
                notes.append(
                    note(
                        "mmlu_pro.results_not_given",
                        "{subject}.json: left out, because {results}.json was not given",
                        stem,
                        results=key[1],
                    )
                )
            elif right is None or wrong is None or not 0 < right + wrong < 1e9:
                notes.append(note("mmlu_pro.no_counts", "{subject}.json: left out, because it has no counts", stem))
            else:
                own, many = right / (right + wrong), round(right + wrong)
                notes += grading.compared(own, many, self._given[key], "accuracy by pred", f"{stem}.json")
        return notes


def _own_grade(item: Any) -> float:
    """Return what the repository counts: it takes a random option, always the same, where pred is null."""
    if not isinstance(item, dict):
        return 0.0
    if pred := item.get("pred"):
        return float(pred == item.get("answer"))
    options = item.get("options")
    return float(isinstance(options, list) and _random_option(len(options)) == item.get("answer_index"))


@lru_cache(maxsize=16)
def _random_option(many: int) -> int:
    return Random(12345).randint(0, many - 1) if many else -1
