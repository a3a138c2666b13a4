"""Definition questions: score runs by nuggets, or answer the questions from a folder of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nescio.data.results import Scores
from nescio.errors import UsageError, opt
from nescio.measures import parse
from nescio.options import Request, argument, option, verb
from nescio.registry import parse_call, values_of
from nescio.scoring import score as scoring
from nescio.tasks.nuggets import definitions
from nescio.tasks.nuggets.pourpre import Matching
from nescio.verbs._answers import Answered
from nescio.verbs._output_paths import check_file
from nescio.verbs._shared import OWN_FILES, BrokenDown, Measured, Resampled, WithOrWithoutInterval, Worked


class NuggetScoreRequest(Resampled, WithOrWithoutInterval, BrokenDown, Measured, Worked):
    """The options of `nescio nuggets score`."""

    source: Any = argument(
        kw_only=False,
        kind=OWN_FILES,
        argument=True,
        metavar="KEY [RUN]...",
        help="A key of nuggets, and runs; or one file that also holds the nuggets found in the runs.",
    )
    mapping: Sequence[Path | str] = option(
        default=(),
        kind=OWN_FILES,
        help="The nuggets that assessors found in the responses. Without this file, nescio matches nuggets "
        "automatically, and the name of every measure says so.",
    )
    beta: float | None = option(
        default=None,
        help="The weight of recall relative to length (beta). Measures that name their own beta, such as "
        "nuggets.F(beta=5), ignore this value.",
        default_words="3, as in 2004-2006; 2003 used 5",
    )
    delta: float | None = option(
        default=None,
        help="The allowance: the number of non-whitespace characters allowed for each nugget found. Measures "
        "that name their own allowance ignore this value.",
        default_words="100",
    )
    automatic: Matching | None = option(
        default=None, help="How nescio matches nuggets if no assessor matched them.", default_words="count"
    )
    assessors: str | None = option(
        default=None,
        metavar="majority|each|NAME",
        help="If there are several assessors: NAME, whose matches count; the matches of the majority; or the "
        "mean over the assessors (each).",
        default_words="majority",
    )


@verb(NuggetScoreRequest, working="scoring")
def score(request: NuggetScoreRequest) -> Scores:
    """Score recall of vital nuggets, length-based precision and F, with intervals.

    KEY has the nuggets (`qid nugget vital|okay text`), each RUN has answer strings (`qid Q0 docid rank score tag
    text`), and a mapping lists what assessors found (`qid run rank nugget,nugget`). Each file can also be JSON Lines.
    Without a RUN, KEY can be AutoNuggetizer's assignments or a table of counts (run, question, vital, okay,
    vital_in_key, length).

    \b
    nescio nuggets score key.txt runs/*.txt --mapping assessor.txt
    nescio nuggets score key.txt runs/*.txt --automatic idf   # no assessor
    nescio nuggets score key.txt runs/first.txt --mapping assessor.txt -m nuggets.pyramid -m nuggets.order
    """
    ways = {"automatic": request.automatic, "assessors": request.assessors}
    choose = {name: value for name, value in ways.items() if value is not None}
    files = [*request.source, *request.mapping]
    format_in = "nuggets" if request.mapping else None  # other formats hold what was found in the runs
    loaded = scoring.open_by(files, request.by, {"choose": choose, "format_in": format_in}, request.measures)
    given = {name: value for name in ("beta", "delta") if (value := getattr(request, name)) is not None}
    wanted = (
        _with([measure.label for measure in scoring.parse_all(request.measures or loaded.measures, None)], given)
        if given
        else request.measures
    )
    how = request.values(WithOrWithoutInterval, BrokenDown, Resampled, Worked)
    return scoring.compute_scores(loaded, wanted, **how)


def _with(names: Sequence[str], given: Mapping[str, float]) -> list[str]:
    """Return the calls of measures `names` with the parameters `given` added, unless a call sets a parameter itself.

    Raises UsageError for a parameter that no measure has.
    """
    calls = [(parse_call(name, "measure"), parse(name)) for name in names]
    for parameter in given:
        if not any(parameter in measure.parameters for _, measure in calls):
            labels = ", ".join(measure.label for _, measure in calls)
            raise UsageError(f"{opt(parameter)}: {labels} {'has' if len(calls) == 1 else 'have'} no such parameter")
    made = []
    for call, measure in calls:
        parameters = values_of(call, measure.declaration.parameters, "measure")
        added = {name: value for name, value in given.items() if name in measure.parameters and name not in parameters}
        words = ", ".join(f"{name}={value:g}" for name, value in {**parameters, **added}.items())
        made.append(f"{call.name}({words})" if words else call.text)
    return made


class DefineRequest(Request):
    """The options of `nescio nuggets answer`."""

    targets: Path | str = argument(
        kw_only=False, argument=True, reads=True, metavar="TARGETS", help="The targets (.jsonl)."
    )
    folder: Path | str = argument(
        kw_only=False, argument=True, metavar="FOLDER", help="A folder of texts (.txt or .md)."
    )
    output: Path | str = argument(
        kw_only=False,
        flags=("-o", "--output"),
        metavar="FILE",
        help="The run to write (.jsonl, or .txt in TREC's form).",
    )
    length: int = option(default=600, low=1, help="The maximum number of non-whitespace characters in a response.")
    threshold: float = option(
        default=0.5, low=0, high=1, help="Abstain if no sentence defines the target with this confidence (0 to 1)."
    )


@verb(DefineRequest, prints="")
def answer(request: DefineRequest) -> Answered:
    """Answer definition questions from a folder of texts and write a run.

    TARGETS is JSON Lines of {"id", "target"}; a key of nuggets in JSON Lines also works. FOLDER has .txt or .md files.
    The system finds sentences about the target, ranks them by how well they define it, drops near-duplicates, orders
    them for reading and cuts them to the length. Needs `pip install 'nescio[systems]'`.

    \b
    nescio nuggets answer targets.jsonl texts/ -o run.jsonl
    nescio nuggets score key.txt run.jsonl
    """
    output = Path(request.output)
    check_file(output, "a run", (".jsonl", ".txt"), request.inputs())
    targets, texts = definitions.load_targets(request.targets), definitions.load_texts(request.folder)
    run = definitions.answer(targets, texts, output.stem, length=request.length, threshold=request.threshold)
    definitions.write_run(run, output)
    answered = sum(bool(response.strings) for response in run.responses.values())
    return Answered(run.name, answered, len(run.responses), output)
