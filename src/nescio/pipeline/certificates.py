"""Read, write and check certificates of judges: the judge, its data, and its agreement with people. A gate may require
one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from nescio._version import __version__
from nescio.data.judge_record import JudgeRecord, parse
from nescio.data.kept import in_texts
from nescio.data.notes import Note, note
from nescio.data.outcomes import Outcomes
from nescio.errors import FormatError, MismatchError, UsageError, opt
from nescio.sources.writing import write_text

KIND = "certificate of a judge"


class Coefficient(Struct, frozen=True):
    """A coefficient of agreement between people and a judge, with its bootstrap interval.

    `undefined` is the number of resamples in which the coefficient has no value.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    undefined: int


class Certificate(Struct, frozen=True):
    """A certificate of a judge's agreement with people, who gave their labels without seeing its verdicts.

    `judge` is the judge with its parameters. `prompt` is the digest of its prompt, empty if the judge has no prompt.
    `questions`, `data` and `people` are digests of the names of the questions, of the judged outcomes, and of the
    labels. `agreement` has the observed agreement, Cohen's kappa, Gwet's AC1 and Krippendorff's alpha over
    `categories`, with intervals at `level` percent. `words` is a digest of the texts, options and gold answers, empty
    if the files do not state them. `declined_pattern` has the user's patterns of abstentions.
    """

    judge: str
    prompt: str
    labels: int
    runs: tuple[str, ...]
    questions: str
    data: str
    people: str
    date: str
    categories: tuple[str, ...]
    level: float
    agreement: tuple[Coefficient, ...]
    words: str = ""
    declined_pattern: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[Note, ...]:
        """Return the notes that go with the certificate: a warning if the interval of kappa is not above 0."""
        kappa = _kappa(self)
        if kappa is None or (kappa.low is not None and kappa.low > 0):
            return ()
        return (
            note(
                "certificate.chance",
                "kappa {kappa} may be 0 or less: these labels do not show that judge and people agree more "
                "than by chance",
                kappa=_with_interval(kappa),
            ),
        )

    def write(self, path: Path | str) -> None:
        """Write the certificate as JSON, completely or not at all."""
        document = {"kind": KIND, "nescio": __version__, **asdict(self)}
        document["agreement"] = [asdict(coefficient) for coefficient in self.agreement]
        write_text(Path(path), json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def digest_of(questions: Iterable[str]) -> str:
    """Return a short hash of the names of questions, which does not depend on their order."""
    return hashlib.blake2b("\0".join(sorted(set(questions))).encode(), digest_size=6).hexdigest()


def words_of(data: Any) -> str:
    """Return a short hash of the texts, options and gold answers of the questions, or "" if no answer states them."""
    words = data.words if isinstance(data, Outcomes) else None
    if words is None:
        return ""
    stated = [sorted({str(texts) for texts in map(in_texts, digests) if any(texts)}) for digests in words.T]
    if not any(stated):
        return ""
    return digest_of("\0".join([name, *texts]) for name, texts in zip(data.questions, stated, strict=True))


def read_certificate(path: Path | str) -> Certificate:
    """Return the certificate that a file holds.

    Raises FormatError if the file holds something else, and UsageError if it cannot be read.
    """
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, Mapping) or document.get("kind") != KIND:
        rule = "this is not a certificate of a judge (nescio judge --certificate FILE writes one)"
        raise FormatError(path, rule)
    try:
        return _certificate(document)
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(
            path, ("this certificate lacks a field, or a field has the wrong type"), value=str(error)
        ) from None


def _certificate(document: Mapping[str, Any]) -> Certificate:
    texts = {name: document[name] for name in ("judge", "prompt", "questions", "data", "people", "date")}
    if not all(isinstance(text, str) for text in texts.values()):
        raise TypeError(next(name for name, text in texts.items() if not isinstance(text, str)))
    return Certificate(
        **texts,
        labels=int(document["labels"]),
        runs=tuple(map(str, document["runs"])),
        categories=tuple(map(str, document["categories"])),
        level=float(document["level"]),
        agreement=tuple(Coefficient(**coefficient) for coefficient in document["agreement"]),
        words=str(document.get("words", "")),
        declined_pattern=tuple(map(str, document.get("declined_pattern", ()))),
    )


def check_certificate(
    path: Path | str, judges: Sequence[JudgeRecord], data: Any, declined_pattern: Sequence[str] | None
) -> list[Note]:
    """Return the note that the certificate in a file covers the answers in `data`.

    `judges` are the judges of the answers. `declined_pattern` has the user's patterns of abstentions, and is None if
    the answers were judged before. Raises MismatchError if a judge, a prompt, the patterns or the questions differ from
    the certificate's, or if the interval of its kappa is not above 0.
    """
    issued, questions = read_certificate(path), getattr(data, "questions", None) or None
    if questions is None:
        raise MismatchError(
            f"{path}: the certificate is for particular questions, but this data does not name its questions"
        )
    if not judges:
        raise MismatchError(
            f"{path}: the certificate is for the judge {issued.judge}, but these files do not name their judge"
        )
    expected = parse(issued.judge)
    for judge in judges:
        if _nameless(judge) != _nameless(expected):
            raise MismatchError(
                f"{path}: the certificate is for the judge {issued.judge}, but {judge} judged these answers"
            )
        if judge.prompt != issued.prompt:
            raise MismatchError(
                f"{path}: the certificate is for the prompt {issued.prompt or 'none'}; {judge.name} was asked with the "
                f"prompt {judge.prompt or 'none'}"
            )
    here = digest_of(questions)
    if here != issued.questions:
        raise MismatchError(
            f"{path}: the certificate is for different questions (digest {issued.questions}) than these files have "
            f"(digest {here}); certify the judge on the questions of these files"
        )
    if issued.words and words_of(data) != issued.words:
        raise MismatchError(
            f"{path}: the certificate is for questions of these names with other texts, options or gold answers, or "
            "these files do not state them; certify the judge on the questions of these files"
        )
    if declined_pattern is not None and {*declined_pattern} != {*issued.declined_pattern}:
        then, here = (
            opt("declined_pattern", [*patterns]) if patterns else f"no {opt('declined_pattern')}"
            for patterns in (issued.declined_pattern, declined_pattern)
        )
        raise MismatchError(f"{path}: the judge was certified with {then}, but these answers are read with {here}")
    kappa = _kappa(issued)
    if kappa is not None and (kappa.value is None or kappa.low is None or kappa.low <= 0):
        shown = "undefined" if kappa.value is None else _with_interval(kappa)
        inverted = kappa.value is not None and kappa.value < 0
        advice = "are the verdicts swapped?" if inverted else "label more answers of each outcome"
        raise MismatchError(
            f"{path}: kappa is {shown}: these {issued.labels} labels do not show that judge and people agree "
            f"more than by chance; {advice}"
        )
    return [
        note(
            "certificate.met",
            "{judge} is certified by {labels} blind labels of {date}: kappa {kappa} ({file})",
            judge=issued.judge,
            labels=issued.labels,
            date=issued.date,
            kappa="unknown" if kappa is None else f"{kappa.value:.3f}",
            file=str(path),
        )
    ]


def _with_interval(kappa: Coefficient) -> str:
    """Return the coefficient kappa with its interval, such as "0.712 [0.650, 0.774]", or "(undefined)"."""
    if kappa.value is None or kappa.low is None or kappa.high is None:
        return "(undefined)"
    return f"{kappa.value:.3f} [{kappa.low:.3f}, {kappa.high:.3f}]"


def _kappa(certificate: Certificate) -> Coefficient | None:
    return next((coefficient for coefficient in certificate.agreement if coefficient.name == "kappa"), None)


def _nameless(record: JudgeRecord) -> JudgeRecord:
    """Return the record of a judge without its date and its prompt.

    The date changes between calls, and another prompt has an error message of its own.
    """
    return replace(record, date="", prompt="")
