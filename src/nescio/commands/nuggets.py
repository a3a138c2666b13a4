"""Definition questions: nugget scores, and a system that answers from a folder of texts, as `nescio nuggets`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nescio.commands.answers import Answered
from nescio.commands.places import check_file, listed
from nescio.data.results import Scores
from nescio.errors import UsageError, names_nearest
from nescio.measures import parse
from nescio.scoring import score as scoring
from nescio.stats.parallel import Progress
from nescio.systems import definitions
from nescio.tasks.nuggets.pourpre import Matching

__all__ = ["answer", "score"]


@names_nearest
def score(
    source: Any,
    measures: Sequence[str] | str | None = None,
    *,
    beta: float | None = None,
    automatic: Matching | None = None,
    assessors: str | None = None,
    by: str | None = None,
    ci: float | None = 95.0,
    resamples: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Scores:
    """Score runs by nuggets: recall of the vital ones, length-based precision and F, with intervals.

        nescio.nuggets.score(["key.txt", "runs/first.txt", "assessor.txt"], beta=5)

    `source` are a key of nuggets, runs, and what assessors found in them; or a key that holds it all. `beta` says how
    much recall outweighs length in the measures that are shown by default. `automatic` says how nuggets are matched
    where no assessor did it, `assessors` whose view counts where there are several (majority, each or a name). Other
    arguments as in `nescio.score`. Raises NescioError: UsageError for a `beta` beside measures, or for measures that
    have none.
    """
    choose = {name: value for name, value in (("automatic", automatic), ("assessors", assessors)) if value is not None}
    if beta is not None and measures:
        raise UsageError("--beta is for the default measures; with -m, write it in the name: -m 'nuggets.F(beta=5)'")
    scoring.check_resampling(ci, resamples, jobs, seed)
    loaded = scoring.open_by(listed(source), by, {"choose": choose}, measures)
    wanted = measures if beta is None else _with_beta(loaded.measures, beta)
    drawn: dict[str, Any] = {"resamples": resamples, "seed": seed, "jobs": jobs, "progress": progress}
    return scoring.score(loaded, wanted, by=by, ci=ci, **drawn)


def _with_beta(names: Sequence[str], beta: float) -> list[str]:
    """Give measures that have a beta this one."""
    measures = [parse(name) for name in names]
    if not any("beta" in measure.parameters for measure in measures):
        labels = ", ".join(measure.label for measure in measures)
        raise UsageError(f"--beta: {labels} have none; name measures with -m")
    return [f"{m.declaration.name}(beta={beta:g})" if "beta" in m.parameters else m.label for m in measures]


@names_nearest
def answer(
    targets: Path | str, folder: Path | str, output: Path | str, *, length: int = 600, threshold: float = 0.5
) -> Answered:
    """Answer definition questions from a folder of texts, and write the run.

        print(nescio.nuggets.answer("targets.jsonl", "texts", "run.jsonl"))

    `targets` is JSON Lines of {"id", "target"}, `folder` holds .txt or .md files, `output` is the run (.jsonl, or .txt
    in TREC's form). A response has at most `length` non-white characters; the system stays silent where nothing defines
    the target with the confidence `threshold`. Raises UsageError for options that make no sense, FormatError for
    targets or texts that are none.
    """
    output = Path(output)
    check_file(output, "a run", (".jsonl", ".txt"), [targets])
    definitions_of, texts = definitions.load_targets(targets), definitions.load_texts(folder)
    run = definitions.answer(definitions_of, texts, output.stem, length=length, threshold=threshold)
    definitions.write_run(run, output)
    answered = sum(bool(response.strings) for response in run.responses.values())
    return Answered(run.name, answered, len(run.responses), output)
