"""Hold a trained validator: its techniques, forest, calibration and thresholds; saved as JSON, which executes
nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import asdict

from nescio._version import __version__
from nescio.data.notes import Note, note
from nescio.errors import FormatError, UsageError, opt
from nescio.sources.writing import write_text
from nescio.tasks.ave.exercise import Exercise, language
from nescio.tasks.ave.validator._languages import ENGLISH, code
from nescio.tasks.ave.validator._redundancy import Votes
from nescio.tasks.ave.validator._resources import Resources
from nescio.tasks.ave.validator._rivals import contested
from nescio.tasks.ave.validator.features import Features, Rarity, features
from nescio.tasks.ave.validator.forest import Floats, Forest, as_lists, from_lists
from nescio.tasks.ave.validator.techniques import RIVALS, TECHNIQUES, check, versions
from nescio.text import enumerated

KIND, VERSION = "nescio answer validator", 1
_CLIP = 1e-6
APART = 0.25  # A larger difference between the shares of contested answers gives a note.


class Calibration(Struct, frozen=True):
    """Platt's calibration, which maps a forest's mean to a probability: p = 1 / (1 + exp(-(slope·logit(mean) +
    intercept)))."""

    slope: float
    intercept: float

    def __call__(self, raw: Floats) -> Floats:
        """Return the calibrated probability that an answer is right for each value of a forest in `raw`."""
        return np.asarray(1 / (1 + np.exp(-(self.slope * logit(raw) + self.intercept))))


def logit(share: Floats) -> Floats:
    """Return ln(p / (1 - p)) for each share p, after keeping p at least a millionth away from 0 and 1."""
    inside = np.clip(share, _CLIP, 1 - _CLIP)
    return np.asarray(np.log(inside) - np.log1p(-inside))


class Model(Struct, frozen=True):
    """A trained validator.

    `thresholds` has the best threshold for each measure (F and c@1); None means that it is best to accept no answer.
    """

    techniques: tuple[str, ...]
    names: tuple[str, ...]
    rarity: Rarity
    forest: Forest
    calibration: Calibration
    thresholds: Mapping[str, float | None]
    about: Mapping[str, Any]

    def confidence(self, exercise: Exercise, resources: Resources | None = None, votes: Votes | None = None) -> Floats:
        """Return the probability that each candidate is right, in the order of the exercise, from 0 to 1.

        Raises UsageError if a technique of the model is not available, or if a parser, prover or other resource has
        another version than in training.
        """
        resources = resources or Resources()
        check(self.techniques, resources)
        then, now = self.about.get("versions", {}), versions(self.techniques, resources)
        if then != now:
            raise UsageError(
                f"the model was trained with {enumerated([*then.values()]) or 'none'}, but now with "
                f"{enumerated([*now.values()]) or 'none'}: train the model again, or name the same resources"
            )
        computed = features(exercise, self.techniques, self.rarity, resources, votes)
        if computed.names != self.names:
            raise UsageError(
                "the model was trained with other features than this version of nescio uses: train the model again"
            )
        return self.of_features(computed)

    def remarks(self, exercise: Exercise) -> tuple[Note, ...]:
        """Return notes on why the model may be unreliable on a collection, such as questions in another language."""
        made = note(
            "validator.pairs",
            "the files hold pairs of text and hypothesis, but the model learned from questions and answers: the "
            "hypothesis replaces the question, and confidences may be wrong. `nescio ave validate train` can also "
            "learn from pairs",
        )
        mixed = (
            (made,)
            if all(not candidate.answer for candidate in exercise.candidates) and not self.about.get("pairs")
            else ()
        )
        if unlearnt := sorted({*languages(exercise)} - {*self.about.get("languages", (ENGLISH,))}):
            mixed = (
                *mixed,
                note(
                    "validator.language",
                    "some questions are in {languages:list}, which the model was not trained on, so its "
                    "confidences may be wrong",
                    languages=[each.upper() for each in unlearnt],
                ),
            )
        then, now = float(self.about.get("contested", 0.0)), contested(exercise.candidates)
        if RIVALS not in self.techniques or abs(then - now) <= APART:
            return mixed
        return (
            *mixed,
            note(
                "validator.rivals",
                "{now:.0%} of the answers share their text with another question, but {then:.0%} of the "
                f"training answers did, so confidences may be wrong; a model trained {opt('without')} {{technique}} "
                "ignores this",
                now=now,
                then=then,
                technique=RIVALS,
            ),
        )

    def of_features(self, computed: Features) -> Floats:
        """Return the probability that each candidate is right; `computed` must have the model's features in order."""
        assert computed.names == self.names
        return self.calibration(self.forest.predict(computed.values))


def languages(exercise: Exercise) -> tuple[str, ...]:
    """Return the codes of the languages of the questions; English for questions without one."""
    return tuple(sorted({code(language(question)) for question in exercise.questions}))


def save(model: Model, path: Path) -> None:
    """Write the model as JSON, completely or not at all."""
    document = {
        "kind": KIND,
        "version": VERSION,
        "nescio": __version__,
        "about": dict(model.about),
        "techniques": list(model.techniques),
        "features": list(model.names),
        "thresholds": dict(model.thresholds),
        "calibration": asdict(model.calibration),
        "rarity": {"texts": model.rarity.texts, "counts": dict(sorted(model.rarity.counts.items()))},
        "trees": as_lists(model.forest),
    }
    write_text(path, json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n")


def load(path: Path) -> Model:
    """Return the model in a file that `save` wrote, exact to the last bit. Raises FormatError for other files."""
    try:
        document = msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise FormatError(path, f"cannot be read: {error.strerror}") from None
    except ValueError as error:  # The file is not UTF-8, or no JSON.
        raise FormatError(path, f"not a saved model, because it is not valid JSON: {error}") from None
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise FormatError(path, f"not a saved model: its kind is not {KIND!r}")
    if document.get("version") != VERSION:
        raise FormatError(
            path, f"this version of nescio reads only models of version {VERSION}", value=document.get("version")
        )
    try:
        return _model(msgspec.convert(document, _Document))
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise FormatError(path, f"the model is damaged: {reason}") from None


class _Document(Struct):
    """The content of the file in which a model is saved."""

    techniques: tuple[str, ...]
    features: tuple[str, ...]
    rarity: Rarity
    trees: list[dict[str, list[Any]]]
    calibration: Calibration
    thresholds: dict[str, float | None]
    about: dict[str, Any]


def _model(stored: _Document) -> Model:
    if unknown := [name for name in stored.techniques if name not in TECHNIQUES]:
        raise ValueError(f"there is no technique {unknown[0]!r}")
    if unlike := [name for name in stored.features if name.partition(":")[0] not in stored.techniques]:
        raise ValueError(f"feature {unlike[0]!r} belongs to no technique of the model")
    if not stored.trees:
        raise ValueError("it has no trees")
    forest = from_lists(stored.trees, len(stored.features))
    return Model(
        stored.techniques, stored.features, stored.rarity, forest, stored.calibration, stored.thresholds, stored.about
    )
