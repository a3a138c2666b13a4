"""How fast other tools' logs are scored, as ratios within one run: `python benchmarks/formats.py [DATA]`.

DATA is a folder with `squad2/` and `pan20/` (default: `../shared/data` beside the checkout); what is not there is
skipped, and said so. Times are medians on this machine, now; only the ratios mean anything elsewhere.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pan_literal
import squad_literal
from timing import Row, over, process, seconds, show

from nescio import score

ROOT = Path(__file__).parents[1]


def squad(data: Path) -> list[Row]:
    """Exact match and F1 of the half dev set: program against program, with reading and starting."""
    gold, said = (str(data / "squad2" / name) for name in ("dev-half.json", "pred_nstats_bert.json"))
    scored = score([gold, said], ["squad.EM"], ci=None, mark=False)
    if abs(100 * scored.rows[0].value - squad_literal.figures(gold, said)["exact"]) > 1e-9:
        raise SystemExit("the two ways disagree")
    command = [str(Path(sys.executable).parent / "nescio"), "score", gold, said, "-m", "squad.EM", "-m", "squad.F1"]
    literal = str(Path(__file__).parent / "squad_literal.py")
    return [
        Row(
            "nescio score of SQuAD 2.0, half dev set, without intervals",
            seconds(process(*command, "--ci", "none")),
            "python squad_literal.py",
            seconds(process(sys.executable, literal, gold, said)),
        ),
        Row(
            "nescio score, the same file, with 10,000 resamples",
            seconds(process(*command)),
            "python squad_literal.py (which has no intervals)",
            seconds(process(sys.executable, literal, gold, said)),
        ),
    ]


def pan(data: Path) -> list[Row]:
    """Five measures of all runs of PAN 2020: the figures alone, and one program against one program a run."""
    truth = str(data / "pan20" / "truth.jsonl")
    runs = sorted(map(str, (data / "pan20" / "runs").glob("*/answers.jsonl")))
    names = ("c@1", "pan.AUC", "pan.Brier", "pan.F0.5u", "pan.F1")

    def ours() -> dict[tuple[str, str], float]:
        found = score([truth, *runs], list(names), ci=None, mark=False)
        return {(row.run, row.measure.split("(")[0]): row.value for row in found.rows}

    def theirs() -> dict[tuple[str, str], float]:
        return {
            (Path(run).parent.name, name): value
            for run in runs
            for name, value in pan_literal.figures(truth, run).items()
        }

    mine, peer = ours(), theirs()
    if any(abs(mine[key] - value) > 1e-12 for key, value in peer.items()):
        raise SystemExit("the two ways disagree")
    chosen = [word for name in names for word in ("-m", name)]
    program = str(Path(sys.executable).parent / "nescio")
    literal = [process(sys.executable, str(Path(__file__).parent / "pan_literal.py"), truth, run) for run in runs]
    return [
        Row(
            f"PAN 2020, {len(runs)} runs: c@1, AUC, Brier, F0.5u, F1",
            seconds(ours),
            "as pan23_verif_evaluator.py goes about it",
            seconds(theirs),
            "3x",
        ),
        Row(
            "nescio score, the same files, without intervals",
            seconds(process(program, "score", truth, *runs, *chosen, "--ci", "none")),
            "python pan_literal.py, once a run",
            seconds(lambda: [run() for run in literal]),
            "3x",
        ),
    ]


def main() -> None:
    """Print the table."""
    data = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared" / "data"
    show(over(data, (("squad2/dev-half.json", squad), ("pan20/truth.jsonl", pan))))


if __name__ == "__main__":
    main()
