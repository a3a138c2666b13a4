"""Write the checker of a campaign for two platforms: a bundle for Codabench, and a container for TIRA.

Both contain only what teams get (`handout`), so nothing in them is secret. The layout of a bundle is that of
Codabench's version 2 (`competition.yaml`). An evaluator of TIRA reads $inputDataset and $inputRun, and writes
evaluation.prototext.
"""

from __future__ import annotations

import base64
import json
from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path

from nescio._version import __version__
from nescio.errors import UsageError, opt
from nescio.people.campaigns.folder import Campaign, contents, put, step
from nescio.people.campaigns.handing_out import HandedOut, handout_files, packed
from nescio.people.campaigns.log import read_log
from nescio.sources.writing import atomic_folder, atomic_write

PROGRAM = "check_runs.py"
DATA = "reference_data"
COLUMNS = {"faults": "asc", "sound": "desc", "runs": "desc", "answered": "desc", "topics": "desc"}
# A bundle must have a picture. This is a PNG of one colour, which organisers may replace.
_PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAT0lEQVR42u3PQQkAAAgEsGtiI/vY3gi+hcEKLNXzWgQEBAQEBAQEBAQEBAQEBAQEBAQE"
    "BAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQELgvjBmDTWDtfCQAAAABJRU5ErkJggg=="
)


def export(
    campaign: Path | str, output: Path | str, *, codabench: bool = False, tira: bool = False, image: str = "python:3.11"
) -> HandedOut:
    """Write the checker of a campaign for a platform that checks runs as they are submitted.

    `codabench` writes a bundle (.zip) to upload there. Its scoring program is the checker, its reference data are the
    topics without gold, and its leaderboard has faults and answers. `tira` writes a new folder with a Dockerfile, from
    which the evaluator is built. Both start from the Docker image `image`, and install nescio if the image lacks it.
    Raises UsageError for another suffix, for a folder that is not empty, and unless exactly one of `codabench` and
    `tira` is true.
    """
    path = Path(output)
    if codabench == tira:
        raise UsageError(f"name the platform: {opt('codabench', True)} or {opt('tira', True)}")
    with step(campaign) as opened:
        handed, notes = handout_files(opened)
        if codabench:
            if path.suffix.lower() != ".zip":
                raise UsageError(f"{path}: a bundle is written to .zip (found {path.suffix!r})")
            made = _bundle(opened, handed, image)
            with atomic_write(path) as draft:
                draft.write_bytes(packed(made))
            after = "upload the bundle to Codabench: Benchmarks, Management, Upload"
            return HandedOut(path, tuple(made), after, notes)
        made = _container(opened, handed, image)
        if not (path.is_dir() and contents(path) == made):
            with atomic_folder(path) as folder:
                for name, content in made.items():
                    put(folder / name, content)
    after = f"docker build -t {opened.folder.resolve().name}-checker {path}"
    return HandedOut(path, tuple(made), after, notes)


def _program() -> bytes:
    return (files("nescio.people.campaigns") / "hosted" / PROGRAM).read_bytes()


def _bundle(campaign: Campaign, handed: dict[str, bytes], image: str) -> dict[str, bytes]:
    """Return the files of a bundle, keyed by path; its YAML is written as JSON, which quotes every text."""
    command = f"python3 /app/program/{PROGRAM} /app/input/ref /app/input/res /app/output"
    return {
        "competition.yaml": json.dumps(_competition(campaign, image), indent=2, ensure_ascii=False).encode() + b"\n",
        "logo.png": _PICTURE,
        "overview.md": handed["README.md"],
        "terms.md": b"The organisers of the campaign say on which terms you take part.\n",
        "scoring_program/metadata.yaml": f"command: {command}\n".encode(),
        f"scoring_program/{PROGRAM}": _program(),
        **{f"{DATA}/{name}": content for name, content in handed.items()},
    }


def _competition(campaign: Campaign, image: str) -> dict[str, object]:
    settings = campaign.settings
    begin, end = datetime.fromisoformat(read_log(campaign)[0].at), settings.deadline
    phase = {"index": 0, "name": "Submission", "start": _moment(begin), "tasks": [0]}
    if end is not None:
        phase |= {"start": _moment(min(begin, end - timedelta(days=1))), "end": _moment(end)}  # begins before it ends
    columns = [
        {"title": key, "key": key, "index": index, "sorting": order, "precision": 0}
        for index, (key, order) in enumerate(COLUMNS.items())
    ]
    return {
        "version": 2,
        "title": settings.name,
        "description": f"Runs are checked against {campaign.topics().count} topics; their scores follow.",
        "image": "logo.png",
        "terms": "terms.md",
        "docker_image": image,
        "enable_detailed_results": True,
        "show_detailed_results_in_leaderboard": False,
        "can_participants_make_submissions_public": False,
        "pages": [{"title": "Overview", "file": "overview.md"}],
        "tasks": [
            {"index": 0, "name": "Check of runs", "scoring_program": "scoring_program/", "reference_data": f"{DATA}/"}
        ],
        "phases": [phase | {"accepts_only_result_submissions": True, "public_data": f"{DATA}/"}],
        "leaderboards": [{"title": "Checked runs", "key": "main", "submission_rule": "Force_Last", "columns": columns}],
    }


def _moment(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M:%S}"


def _container(campaign: Campaign, handed: dict[str, bytes], image: str) -> dict[str, bytes]:
    """Return the files from which TIRA's evaluator is built, topics included, keyed by path."""
    recipe = [
        f"FROM {image}",
        f"RUN pip install --no-cache-dir nescio=={__version__}",
        f"COPY {PROGRAM} /evaluator/",
        f"COPY {DATA} /evaluator/{DATA}",
        f'ENTRYPOINT ["python3", "/evaluator/{PROGRAM}"]',
    ]
    command = f"/evaluator/{PROGRAM} /evaluator/{DATA} $inputRun $outputDir"
    readme = [
        f"# The checker of {campaign.settings.name} for TIRA",
        "",
        "Build the image, push it to where TIRA finds it, and register it as the evaluator with this command:",
        "",
        f"    python3 {command}",
        "",
        "Try it here, with a folder of runs:",
        "",
        "    docker build -t checker .",
        f'    docker run --rm -v "$PWD/runs:/runs:ro" -v "$PWD/out:/out" checker /evaluator/{DATA} /runs /out',
        "",
        "The check needs no network. `out/evaluation.prototext` has the figures, and `out/detailed_results.html` every",
        "fault.",
        "",
    ]
    return {
        "Dockerfile": "\n".join([*recipe, ""]).encode(),
        "README.md": "\n".join(readme).encode(),
        PROGRAM: _program(),
        **{f"{DATA}/{name}": content for name, content in handed.items()},
    }
