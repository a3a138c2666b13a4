"""Random sequences of steps, edits, replacements, withdrawals, kills and repeats: no acknowledged run or judgement is
lost, `status` never advises a step that fails, and the results are those of a fresh campaign with the same inputs."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import nescio
from nescio.people.campaigns import chain
from nescio.people.campaigns.entries import Entry, flaw
from nescio.people.campaigns.folder import open_campaign
from nescio.people.campaigns.pooling import read_items
from nescio.people.campaigns.receipts import taken_in
from nescio.people.campaigns.verdicts import resolved
from tests.rings import many

from . import made

TOPICS = 4
RUNS = st.tuples(st.sampled_from(["alpha", "beta"]), st.sampled_from(["a", "b"]))
ANSWERS = st.lists(st.sampled_from(["x", "y", "2010-06-30", None]), min_size=TOPICS, max_size=TOPICS)
SCRIPT = Path(__file__).parents[2] / "benchmarks" / "campaign.py"
STEPS = ("init", "handout", "checker", "intake", "pool", "sheets", "collect", "score", "publish")


class Killed(BaseException):
    """A process that ends here."""


@contextmanager
def killing(after: int | None) -> Iterator[None]:
    """End at the n-th file that is written; what a step would do then it does no more."""
    left = [after]

    def mortal(function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any, **options: Any) -> Any:
            if left[0] is not None:
                left[0] -= 1
                if left[0] < 0:
                    raise Killed
            return function(*arguments, **options)

        return run

    rooms = ("receipts", "receiving", "pooling", "sheets", "scoring", "handing_out")
    places = [(import_module(f"nescio.people.campaigns.{room}"), "put") for room in rooms]
    places.append((import_module("nescio.people.campaigns.site"), "_put"))
    with mock.patch.object(chain, "append", mortal(chain.append)):
        patches = [mock.patch.object(module, name, mortal(getattr(module, name))) for module, name in places]
        for patch in patches:
            patch.start()
        try:
            yield
        finally:
            for patch in patches:
                patch.stop()


class Machine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.campaign = made.qa(self.folder, TOPICS, key=False)
        self.day = 0
        self.runs: dict[str, list[str | None]] = {}  # what counts, by what was acknowledged
        self.out: set[str] = set()
        self.said: dict[tuple[str, str], str] = {}  # by answer and assessor
        self.compared = False  # with a fresh campaign

    def teardown(self) -> None:
        try:
            self.finish()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    # ---- steps ----

    @initialize(first=ANSWERS, second=ANSWERS, steps=st.integers(0, 5))
    def begin(self, first: list[str | None], second: list[str | None], steps: int) -> None:
        """Begin anywhere: with two runs, pooled, judged, scored or published."""
        self.hand_in(("alpha", "a"), ["z", *first[1:]], None)
        self.hand_in(("beta", "a"), second, None)
        for _ in range(steps):
            self.advised(None)

    def repeated(self, kill: int | None, step: Callable[[], Any]) -> Any:
        """Take a step; where it is killed, once more."""
        try:
            with killing(kill):
                return step()
        except Killed:
            return step()

    @rule(whose=RUNS, answers=ANSWERS, kill=st.none() | st.integers(0, 6))
    def hand_in(self, whose: tuple[str, str], answers: list[str | None], kill: int | None) -> None:
        self.day += 1
        made.submit(self.folder / "in", {"_".join(whose): answers})
        path, received = self.folder / "in" / whose[0] / f"{whose[1]}.jsonl", f"2026-05-01T10:00:{self.day % 60:02}"
        (row,) = self.repeated(kill, lambda: nescio.campaign.intake(self.campaign, [path], received=received)).rows
        if row.status == "accepted":
            self.runs[row.run] = answers

    @precondition(lambda self: self.runs)
    @rule(chance=st.randoms(use_true_random=False), rule=st.sampled_from(["withdraw", "disqualify or lift"]))
    def take_out(self, chance: Any, rule: str) -> None:
        name = chance.choice(sorted(self.runs))
        if rule == "disqualify or lift":
            nescio.campaign.disqualify(self.campaign, [name], reason="cheated", lift=name in self.out)
            self.out ^= {name}
        elif name not in self.out:
            nescio.campaign.withdraw(self.campaign, [name], reason="asked for")
            del self.runs[name]

    @rule(
        setting=st.sampled_from(
            [
                *("measures = []", 'measures = ["accuracy"]', 'measures = ["accuracy", "c@1"]'),
                *("dropped = []", 'dropped = ["q1"]'),
            ]
        )
    )
    def edit(self, setting: str) -> None:
        path, name = self.campaign / "campaign.toml", setting.partition("=")[0]
        lines = [setting if line.startswith(name) else line for line in path.read_text().splitlines()]
        path.write_text("\n".join(lines) + "\n")

    @rule(kill=st.integers(0, 8), twice=st.booleans())
    def follow_the_advice(self, kill: int, twice: bool) -> None:
        self.advised(kill)
        if twice:
            self.advised(None)

    @precondition(lambda self: (self.campaign / "sheets").exists())
    @rule(
        mood=st.sampled_from("RWXU"), share=st.integers(1, 3), blank=st.booleans(), kill=st.none() | st.integers(0, 2)
    )
    def judge(self, mood: str, share: int, blank: bool, kill: int | None) -> None:
        """Fill in a part of the sheets; one in three blank cells takes back what was said."""
        asked: dict[tuple[str, str], str] = {}

        def say(who: str, row: dict[str, str]) -> str:
            place = sum(map(ord, row["item"]))
            asked[row["item"], who] = mood if place % share == 0 else ""
            return asked[row["item"], who]

        made.fill(self.campaign, say)
        self.repeated(kill, lambda: nescio.campaign.collect(self.campaign, withdraw=blank, resamples=10))
        for key, verdict in asked.items():
            if verdict:
                self.said[key] = verdict
            elif blank:
                self.said.pop(key, None)

    @precondition(lambda self: self.runs and (self.campaign / "pool").exists())
    @rule(overlap=st.sampled_from([1, 2, 0.5]))
    def write_sheets(self, overlap: float) -> None:
        if any(item.current for item in read_items(open_campaign(self.campaign))):
            nescio.campaign.sheets(self.campaign, ["ana", "ben"], overlap=overlap)

    @precondition(lambda self: self.counting())
    @rule(chance=st.randoms(use_true_random=False))
    def spoil_and_mend(self, chance: Any) -> None:
        """A stored run is changed: nothing is scored or published of it, and the original puts it back."""
        run = chance.choice(taken_in(open_campaign(self.campaign)))
        held = run.path.read_bytes()
        run.path.write_bytes(held + b"\n")
        assert not nescio.campaign.verify(self.campaign).sound
        for step in (nescio.campaign.pool, nescio.campaign.score, nescio.campaign.publish):
            with pytest.raises(nescio.NescioError):
                step(self.campaign)
        run.path.write_bytes(held)

    # ---- what always holds ----

    @invariant()
    def nothing_is_lost(self) -> None:
        held = {
            run.run: [json.loads(line)["answer"] for line in run.path.read_text().splitlines()]
            for run in taken_in(open_campaign(self.campaign))
        }
        assert held == self.counting()
        assert made.verdicts(self.campaign) == self.said
        assert not list(chain.breaks(self.campaign / "campaign.log", Entry, flaw))
        assert str(nescio.campaign.status(self.campaign))

    def counting(self) -> dict[str, list[str | None]]:
        return {run: answers for run, answers in self.runs.items() if run not in self.out}

    # ---- to the end ----

    def advised(self, kill: int | None) -> bool:
        """Do what status advises, killed on the way or not; returns whether there was anything to do."""
        after = nescio.campaign.status(self.campaign).after
        if after is None or after.command.endswith("FOLDER..."):
            return False
        for command in after.command.split(", then "):
            words = shlex.split(command)
            assert words[:2] == ["nescio", "campaign"], after
            if words[2] == "collect":
                step: Callable[[], Any] = self.judge_all
            elif words[2] == "sheets":
                adjudicate = "--adjudicate" in words
                step = partial(
                    nescio.campaign.sheets, self.campaign, [] if adjudicate else ["ana"], adjudicate=adjudicate
                )
            elif words[2] == "score":
                step = partial(nescio.campaign.score, self.campaign, resamples=10)
            else:
                step = partial(getattr(nescio.campaign, words[2]), self.campaign)
            self.repeated(kill, step)
            kill = None
        return True

    def judge_all(self) -> None:
        """Collect what is filled in, where nobody judged yet with R."""
        now, asked = made.verdicts(self.campaign), dict[tuple[str, str], str]()

        def say(who: str, row: dict[str, str]) -> str:
            asked[row["item"], who] = now.get((row["item"], who), "R")
            return asked[row["item"], who]

        made.judge(self.campaign, say)
        self.said |= asked

    def finish(self) -> None:
        """Follow the advice to the end, and hold the results against those of a fresh campaign."""
        if not self.counting():
            return
        for _ in range(15):
            if not self.advised(None):
                break
        reached = nescio.campaign.status(self.campaign)
        if not any(item.current for item in read_items(open_campaign(self.campaign))):
            return  # nobody says anything, so that there is nothing to pool or judge
        assert reached.after is None, str(reached)
        assert nescio.campaign.verify(self.campaign).sound
        verdicts = resolved(open_campaign(self.campaign))
        fresh = made.qa(self.folder / "fresh", TOPICS, key=False)
        for name in ("campaign.toml", "campaign.secret"):
            shutil.copy(self.campaign / name, fresh / name)
        nescio.campaign.intake(fresh, made.submit(self.folder / "fresh" / "in", self.counting()))
        if {run.run for run in taken_in(open_campaign(fresh))} != {*self.counting()}:
            return  # two runs are the same by now, of which the second would be refused
        nescio.campaign.pool(fresh)
        nescio.campaign.sheets(fresh, ["eva"])
        made.judge(fresh, lambda _who, row: verdicts[row["item"]])
        nescio.campaign.score(fresh, resamples=10)
        self.compared = True
        for name in ("scores.csv", "topics.csv", "counts.csv", "outcomes.csv", "judgements.csv"):
            assert (fresh / "results" / name).read_text() == (self.campaign / "results" / name).read_text(), name


@pytest.fixture
def machine() -> Iterator[Machine]:
    """A campaign with two runs, pooled, judged and scored."""
    begun = Machine()
    try:
        begun.begin(first=["x", None, "y", "x"], second=["x", "y", None, "2010-06-30"], steps=4)
        yield begun
    finally:
        shutil.rmtree(begun.folder, ignore_errors=True)


def test_a_sequence_ends_in_the_results_of_a_fresh_campaign(machine: Machine) -> None:
    machine.hand_in(whose=("beta", "b"), answers=["y", "y", "x", "x"], kill=1)
    machine.follow_the_advice(kill=2, twice=True)
    machine.nothing_is_lost()
    machine.finish()
    assert machine.compared


def test_a_site_is_made_again_after_a_scoring_with_the_same_results(machine: Machine) -> None:
    """It shows the digest of the log's line on scoring, and `verify` makes it again from the last such line."""
    assert machine.advised(None)
    nescio.campaign.sheets(machine.campaign, ["ana", "ben"], overlap=1)
    machine.finish()
    assert machine.compared


@pytest.mark.parametrize("lost", ["a run", "a judgement", "a line of the log"])
def test_what_is_lost_is_noticed_by_the_machine(lost: str, machine: Machine) -> None:
    """Else a random sequence would show nothing."""
    machine.nothing_is_lost()
    if lost == "a run":
        nescio.campaign.withdraw(machine.campaign, ["alpha_a"], reason="behind its back")
    elif lost == "a judgement":
        del machine.said[min(machine.said)]
    else:
        path = machine.campaign / "campaign.log"
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))
    with pytest.raises((AssertionError, nescio.MismatchError)):
        machine.nothing_is_lost()


def test_results_that_are_not_those_of_a_fresh_campaign_are_noticed(machine: Machine) -> None:
    machine.runs["alpha_a"] = [None, None, "y", "x"]
    with pytest.raises(AssertionError, match=r"\.csv"):
        machine.finish()


@pytest.mark.sampled
def test_random_sequences_lose_nothing() -> None:
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=many(2, 1_000),
            stateful_step_count=many(6, 25),
            suppress_health_check=list(HealthCheck),
            database=None,
        ),
    )


@pytest.mark.slow
@pytest.mark.sampled
def test_a_killed_step_repeated_ends_in_the_same_bytes() -> None:
    """Each step of a campaign, killed by the system at random moments."""
    kills = many(1, 50)
    command = [sys.executable, str(SCRIPT), "--kill", str(kills)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [re.findall(r"\w+", line) for line in done.stdout.splitlines()]
    assert [words[0] for words in lines] == [*STEPS]
    counts = [[int(word) for word in words if word.isdigit()] for words in lines]
    assert all(same == killed for killed, same in counts), counts  # a step may end before it is killed
    assert sum(killed for killed, _ in counts) > 0
