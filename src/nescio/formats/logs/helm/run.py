"""Read the run folders of HELM: every instance with its requests and its scores."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.errors import FormatError, MismatchError, offer
from nescio.formats.logs.run_names import printable, runs_of
from nescio.formats.registry import SourceRole
from nescio.sources.elements import identity, number
from nescio.sources.source import own_path
from nescio.text import sanitize

STATE, STATS, SPEC, TOTALS = "scenario_state", "per_instance_stats", "run_spec", "stats"
OTHER = "other"  # files of a run folder without answers
UNPERTURBED = "none"
# fields that do not distinguish two perturbations of one name
PERTURBATION = ("name", "robustness", "fairness", "computed_on", "seed")


class Folder(Struct, frozen=True):
    """A run folder of HELM.

    `documents` and `files` have the content and the path of each file, keyed by its name without suffix (STATE, STATS,
    …). `model`, `scenario` and `parameters` are parts of the name that HELM gave the run. `run` is the name of the run
    in nescio, and `prefix` is put before the names of its questions.
    """

    path: Path
    documents: dict[str, Any]
    files: dict[str, Path]
    model: str
    scenario: str
    parameters: dict[str, str]
    run: str = ""
    prefix: str = ""


class Case(Struct, frozen=True):
    """One instance of a run, in one trial and one perturbation, with its requests and its scores keyed by name."""

    id: str
    trial: int
    perturbation: str
    split: str
    where: str
    labels: dict[str, Any]
    requests: list[Mapping[str, Any]] = field(default_factory=list)
    scores: dict[str, float] = field(default_factory=dict)


# ---- folders ----

_LACKING = f"nescio reads the answers of a run from both {STATE}.json and {STATS}.json"


def open_folders(parts: Sequence[SourceRole]) -> list[Folder]:
    """Return the run folders of the files.

    Raises MismatchError if a folder lacks scenario_state.json (STATE) or per_instance_stats.json (STATS), or if one of
    its files was given twice.
    """
    held: dict[Path, dict[str, Any]] = {}
    files: dict[Path, dict[str, Path]] = {}
    for part, source in parts:
        label = Path(source.label)
        if part == OTHER:
            continue
        documents = held.setdefault(label.parent, {})
        if part in documents:
            raise MismatchError(f"{label}: another {part}.json of the same folder was given; give only one of them")
        documents[part] = source.document
        files.setdefault(label.parent, {})[part] = label
    if not held:
        raise MismatchError(
            f"{parts[0][1].label}: {_LACKING}; give these two files of the same folder too{offer('beside', '*.json')}"
        )
    for path, documents in held.items():
        lacking = [f"{part}.json" for part in (STATE, STATS) if part not in documents]
        if lacking:
            raise MismatchError(
                f"{next(iter(files[path].values()))}: {_LACKING}; give {' and '.join(lacking)} of the same folder too"
                + "".join(offer("beside", name) for name in lacking)
            )
    return _named([_folder(path, documents, files[path]) for path, documents in held.items()])


def say_others(parts: Sequence[SourceRole]) -> list[Note]:
    """Return a note that names the files with the role OTHER, which hold no answers; empty if there is no such file."""
    names = dict.fromkeys(Path(source.label).name for part, source in parts if part == OTHER)
    if not names:
        return []
    return [note("helm.no_answers", "these files hold no answers and are left out: {files:list}", files=list(names))]


def _folder(path: Path, documents: dict[str, Any], files: dict[str, Path]) -> Folder:
    """Return the run folder, with the model, the scenario and the parameters that the name of the run states.

    This name is `scenario:parameter=value,...,model=...` in run_spec.json. If that file was not given, the name of the
    folder is used, in which another character replaces the colon.
    """
    spec, adapter = documents.get(SPEC), documents[STATE]["adapter_spec"]
    name = spec["name"] if spec is not None and isinstance(spec["name"], str) else own_path(path).name
    first, *others = sanitize(name, target="message").split(",")
    scenario, colon, parameter = first.partition(":")
    if not colon and (split := re.fullmatch(r"(.+)[_-]([^_=-]+=.*)", first)):
        scenario, parameter = split[1], split[2]
    pairs = [argument.partition("=") for argument in (parameter, *others)]
    parameters = {key: value for key, _, value in pairs if key and value}
    known = adapter.get("model") if isinstance(adapter, dict) else None
    model = parameters.pop("model", "") or printable(known) or own_path(path).name
    return Folder(path, documents, files, model, scenario, parameters)


def _named(folders: Sequence[Folder]) -> list[Folder]:
    whats = [",".join([folder.scenario, *(f"{k}={v}" for k, v in folder.parameters.items())]) for folder in folders]
    runs = runs_of([folder.model for folder in folders], whats, [folder.path for folder in folders])
    return [replace(folder, run=run, prefix=prefix) for folder, (run, prefix) in zip(folders, runs, strict=True)]


# ---- cases ----


def open_cases(folder: Folder) -> list[Case]:
    """Return every instance, trial and perturbation of a folder, with its scores."""
    states = folder.documents[STATE]["request_states"]
    if not isinstance(states, list):
        raise FormatError(folder.files[STATE], "request_states must be a list", value=states)
    if not states:
        raise FormatError(folder.files[STATE], "the file holds no request states")
    cases: dict[tuple[str, int, str], Case] = {}
    for i, state in enumerate(states, 1):
        where = f"request state {i}"
        instance = state.get("instance") if isinstance(state, dict) else None
        if not isinstance(instance, dict):
            raise FormatError(folder.files[STATE], "a request state must have an instance", where=where, value=state)
        key = _key(instance.get("id"), state, instance, folder.files[STATE], where)
        labels = {"sub_split": instance.get("sub_split")}
        case = cases.setdefault(key, Case(*key, printable(instance.get("split")), where, labels))
        case.requests.append(state)
    for i, entry in enumerate(folder.documents[STATS], 1):
        where = f"item {i}"
        if not isinstance(entry, dict):
            raise FormatError(folder.files[STATS], "each item must be an object", where=where, value=entry)
        key = _key(entry.get("instance_id"), entry, entry, folder.files[STATS], where)
        if key not in cases:
            described = f"{key[0]!r}, trial {key[1]}, perturbation {key[2]}"
            raise MismatchError(
                f"{folder.files[STATS]}, {where}: {folder.files[STATE].name} has no instance {described}"
            )
        for name, score in _stats(entry.get("stats"), folder, where):
            if cases[key].scores.setdefault(name, score) != score:
                raise FormatError(folder.files[STATS], f"{name!r} appears twice", where=where, value=score)
    return list(cases.values())


def _key(
    id_: Any, holder: Mapping[str, Any], perturbed: Mapping[str, Any], path: Path, where: str
) -> tuple[str, int, str]:
    trial, perturbation = holder.get("train_trial_index", 0), perturbed.get("perturbation")
    if not isinstance(id_, str) or not id_:
        raise FormatError(path, "the id of an instance must be a text", where=where, value=id_)
    if isinstance(trial, bool) or not isinstance(trial, int) or trial < 0:
        raise FormatError(path, "train_trial_index must be a whole number from 0", where=where, value=trial)
    name = identity(id_)
    if perturbation is None:
        return name, trial, UNPERTURBED
    if not isinstance(perturbation, dict) or not isinstance(perturbation.get("name"), str):
        raise FormatError(path, "perturbation must be an object with a name", where=where, value=perturbation)
    more = {k: v for k, v in sorted(perturbation.items()) if k not in PERTURBATION}
    shown = f"({', '.join(f'{k}={v}' for k, v in more.items())})" if more else ""
    return name, trial, sanitize(perturbation["name"] + shown, target="message")


def _stats(entries: Any, folder: Folder, where: str) -> Iterator[tuple[str, float]]:
    """Yield the name and the mean of each score in one entry of the statistics.

    Scores of a sub-split are left out, because they cover only a part of the instances.
    """
    if not isinstance(entries, list):
        raise FormatError(folder.files[STATS], "stats must be a list", where=where, value=entries)
    for stat in entries:
        name = stat.get("name") if isinstance(stat, dict) else None
        if not isinstance(name, dict) or not isinstance(name.get("name"), str):
            raise FormatError(
                folder.files[STATS], "the name of a stat must be an object with a name", where=where, value=stat
            )
        value = number(stat.get("mean"))
        if name.get("sub_split") is None and value is not None and not math.isnan(value):
            yield sanitize(name["name"], target="message"), value
