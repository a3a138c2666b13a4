"""nescio convert: what is written scores as what was read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from nescio.formats import WRITERS
from nescio.pipeline import Options, load
from tests.formats.encodings import LEFT
from tests.formats.excerpts import EVERY, counts
from tests.rings import sample

from .conftest import Command, written

UNJUDGED = {
    *(
        "squad2",
        "outcomes, to judge",
        "kilt",
        "qa4mre",
        "qa4mre, with the test",
        "mctest",
        "cbc",
        "cbc, as Deep Read judges",
    ),
    *("opencompass, predictions", "questions"),
}
GRADED = ("outcomes", "every_eval_ever", "inspect")  # what holds outcomes and no texts
HUB = ("--to", "eval_results", "--benchmark", "cais/hle:hle")  # scores, from which no answers come back
# What the counts become where a format has no place for what decided: MCTest's run answers one question by a letter,
# right as the option's name and wrong as a text; Deep Read judges by the story (here Nell Boyd with her title is no
# longer right).
OTHERWISE = {
    ("mctest", "squad2"): {"lamp": (3, 3, 2)},
    ("cbc, as Deep Read judges", "squad2"): {"lamp": (2, 2, 1)},
    # The instance that was not submitted is in no file.
    **{("swe_bench", to): {"lamp-2b.of-may": (2, 2, 2)} for to in GRADED},
}


def takes(to: str, name: str) -> bool:
    """Whether a writer has a place for what an excerpt holds.

    The excerpt "pan" lacks a problem, which a written score of 0.5 would hide.
    """
    if to in GRADED:
        return bool(EVERY[name].counts) and name not in ("counts", "pairs")
    return EVERY[name].format == "pan" and name != "pan" if to == "pan" else name in UNJUDGED


def conversions() -> Iterator[tuple[str, str, str]]:
    """Excerpts, what each is written to, and a suffix; a few of those that are refused."""
    for to, writer in WRITERS.items():
        for suffix in writer.suffixes or ("",):
            if to == HUB[1] or (to, suffix) in (("outcomes", ".tsv"), ("outcomes", ".jsonl")):
                continue  # as .csv in all that an excerpt holds
            every = [(name, to, suffix) for name in EVERY]
            yield from (case for case in every if takes(to, case[0]))
            yield from [case for case in every if not takes(to, case[0])][:3]


CASES = sample(conversions(), 60, each=lambda case: case[1:])


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "to", "suffix"), CASES)
def test_what_is_converted_is_read_again_or_refused(
    nescio: Command, name: str, to: str, suffix: str, tmp_path: Path
) -> None:
    excerpt, output = EVERY[name], tmp_path / f"out{suffix}"
    done = nescio("convert", *excerpt.files, output, "--to", to, *excerpt.arguments("judge" if to in GRADED else ""))
    if not takes(to, name):
        assert (done.status, output.exists()) == (2, False)
        return
    assert done.status == 0, done.err
    files = [output] if suffix else sorted(path for path in output.rglob("*") if path.is_file())
    # Files of questions and answers keep why there is no answer, and options say how that counts.
    settled = {"ungraded"} if to in GRADED else {"ungraded", *LEFT}
    kept = {option: value for option, value in excerpt.options.items() if option in settled}
    judge = {option: value for option, value in excerpt.options.items() if option == "judge" and to not in GRADED}
    again = load(files, Options(**kept, **judge))
    assert counts(again.data) == OTHERWISE.get((name, to), excerpt.counts)


def test_scores_for_the_hub_have_what_its_specification_asks_for(nescio: Command, tmp_path: Path) -> None:
    """Required are dataset.id, dataset.task_id and value (hub-docs, eval-results.md); silence is in the notes."""
    rows = ["a/b,q1,correct", "a/b,q2,unanswered", "a/b,q3,incorrect", "a/b,q4,correct", "c: x,q1,unanswered"]
    rest = [f"c: x,q{i},incorrect" for i in (2, 3, 4)]
    table = written(tmp_path / "o.csv", "\n".join(["run,question,outcome", *rows, *rest]))
    done = nescio("convert", table, tmp_path / "hub", *HUB)
    assert done.status == 0, done.err
    files = sorted((tmp_path / "hub").iterdir())
    assert [path.name for path in files] == ["a_b.yaml", "c_ x.yaml"]
    found = [yaml.safe_load(path.read_text()) for path in files]
    assert [len(entries) for entries in found] == [1, 1]
    assert [entries[0]["dataset"] for entries in found] == [{"id": "cais/hle", "task_id": "hle"}] * 2
    assert [entries[0]["value"] for entries in found] == [0.5, 0]
    assert "2 correct, 1 incorrect, 1 unanswered of 4 questions" in found[0][0]["notes"]
    for more, says in (("c: x,q5,correct", "lacks 1 of 5 questions"), ("a/b,q5,\nc: x,q5,correct", "has no grade")):
        written(table, "\n".join(["run,question,outcome", *rows, more, *rest]) + "\n")
        nescio("convert", table, tmp_path / "none", *HUB).assert_refused(says)
        assert not (tmp_path / "none").exists()


def test_the_help_lists_what_is_registered(nescio: Command) -> None:
    shown = nescio("convert", "--help").out
    assert all(f"\n  {name} " in shown for name in WRITERS)
    assert {"outcomes", "pan", "questions", "squad2"} <= {*WRITERS}
