"""The systems that read stories: choices derived on paper, laws over the bundled stories, and what bad input says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from math import log
from pathlib import Path

import pytest
from msgspec.structs import replace
from scipy.stats import binomtest

import nescio
from nescio.data.model import Collection, Question, Response, Run
from nescio.errors import MismatchError, UnknownNameError, UsageError
from nescio.formats import ReadOptions, Unjudged, open_source
from nescio.pipeline import read_collection
from nescio.tables.questions import read
from nescio.tasks.reading.systems import SYSTEMS, answer, bundled, write_run
from nescio.tasks.reading.systems._system import Scored
from nescio.tasks.reading.systems.overlap import option_overlap, sentence_overlap, word_distance

QUESTIONS, STORIES = bundled() / "questions.jsonl", bundled() / "stories.jsonl"
# Content words: anna bought red kite | ben found coin bridge | noon carla sold kite. Weights: kite ln 2.5, all others
# ln 4.
KITE = ("Anna bought a red kite.", "Ben found a coin under the bridge.", "At noon Carla sold the kite.")


FUNCTIONS = {"option-overlap": option_overlap, "sentence-overlap": sentence_overlap, "word-distance": word_distance}
CHOOSING = (*FUNCTIONS, "deep-read", "sliding-window", "window-distance")


@pytest.fixture(scope="module")
def collection() -> Collection:
    return read_collection([QUESTIONS, STORIES])[0]


def ask(text: str, *options: str, story: tuple[str, ...] = KITE) -> Question:
    return Question("q", text, options=options, story=story)


WHO = ask("Who sold the kite?", "Anna", "Ben", "Carla")


KITES, OTHER = log(2.5), log(4)
# Places: old 0, miner 1, dog 2, left 3, tom 4 | eve 5, met 6; all weigh ln 3. Sentence 0 has two of the question's stems,
# sentence 1 one; but Tom's 1/4 + 1/3 + 1/2 is less than Eve's 1/5 + 1/4 + 1.
MINER = ask("Who met the old miner?", "Tom", "Eve", story=("The old miner and his dog left Tom.", "Eve met him."))


@pytest.mark.parametrize(
    ("system", "question", "scores", "best", "support"),
    [
        # Anna: anna, kite in sentence 0. Ben: ben alone in sentence 1. Carla: carla, sold, kite in sentence 2.
        (option_overlap, WHO, (OTHER + KITES, OTHER, 2 * OTHER + KITES), 2, 2),
        # Carla, and two that earn nothing: one repeats the question, one stands nowhere
        (option_overlap, ask("Who sold the kite?", "Carla", "a kite", "Dora"), (2 * OTHER + KITES, 0, 0), 0, 2),
        (option_overlap, MINER, (3 * log(3), 2 * log(3)), 0, 0),
        # Sentence 2 has both stems of the question. Carla stands in it, Ben beside it, Anna farther away.
        (sentence_overlap, WHO, (0, 2 * 0.25, 2 * 1.0), 2, 2),
        # of "a red boat" half stands in sentence 0, where one stem of the question stands too
        (sentence_overlap, ask("What was bought?", "a red boat", "a kite", "a coin"), (0.5, 1, 0.25), 1, 0),
        (sentence_overlap, MINER, (2, 0.5), 0, 0),
        # Places: anna 0, kite 3 and 11, ben 4, carla 9, sold 10.
        (word_distance, WHO, (OTHER / 10 + KITES / 3, OTHER / 6 + KITES, OTHER + KITES / 2), 2, 2),
        # Asked: coin, at 6. Bridge stands at 7 and red at 2, of one weight; kite at 3, boat nowhere.
        (
            word_distance,
            ask("Where is the coin?", "a red bridge", "kite or boat"),
            ((OTHER + OTHER / 4) / 2, KITES * (OTHER / 3) / (KITES + OTHER)),
            0,
            1,  # the bridge is nearest
        ),
        (word_distance, MINER, (log(3) * 13 / 12, log(3) * 29 / 20), 1, 1),
    ],
)
def test_scores_on_paper(
    system: Callable[[Question], Scored], question: Question, scores: tuple[float, ...], best: int, support: int
) -> None:
    found = system(question)
    assert found.scores == pytest.approx(scores, abs=1e-8)
    assert (found.best, found.support) == (best, support)
    first, second = sorted(scores, reverse=True)[:2]
    assert found.confidence == pytest.approx((first - second) / (1 + first - second), abs=1e-8)


@pytest.mark.parametrize(
    ("story", "expected"),
    [
        (("The cat slept.", "The elephant slept."), 1),  # one match each: the longer stem
        (("A bird ate.", "A cat sat.", "A cat ran."), 1),  # the same match: the earlier sentence
        (("The elephant ate.", "A cat met a dog."), 1),  # two matches before one longer
        (("Birds sang.", "Fish swam."), 0),  # none at all
    ],
)
def test_the_closest_sentence(story: tuple[str, ...], expected: int) -> None:
    question = ask("Where are the elephant, the cat and the dog?", "Here", story=story)
    assert sentence_overlap(question).support == expected


@pytest.mark.parametrize("system", FUNCTIONS)
@pytest.mark.parametrize("options", [("Dora", "Emil"), ("Dora", "Dora"), ("the", "of")])
def test_nothing_found_is_the_first_option_without_confidence(system: str, options: tuple[str, ...]) -> None:
    (response,) = answer(Collection("c", (ask("Who sold the kite?", *options),)), system).responses
    assert (response.answer, response.confidence, response.answered) == (options[0], 0.0, True)
    assert response.support == KITE[2]


@pytest.mark.parametrize("system", FUNCTIONS)
def test_a_tie_is_the_first_option_without_confidence(system: str) -> None:
    story = ("Anna and Ben sang.",) if system != "word-distance" else ("Anna sang, Ben.",)
    for options in (("Anna", "Ben", "Carla"), ("Carla", "Ben", "Anna")):
        found = FUNCTIONS[system](ask("Who sang?", *options, story=story))
        assert found.confidence == 0
        assert found.best == (0 if options[0] == "Anna" else 1)
        assert max(found.scores) > 0


@pytest.mark.parametrize(
    ("scores", "expected"),
    [((0.0, 0.0), 0), ((2.0, 2.0, 1.0), 0), ((3.0, 1.0, 2.0), 0.5), ((3.0,), 0.75), ((1e12, 0.0), 1)],
)
def test_confidence_is_the_squashed_margin(scores: tuple[float, ...], expected: float) -> None:
    assert Scored(scores, 0).confidence == pytest.approx(expected)


@pytest.mark.parametrize("system", FUNCTIONS)
def test_the_order_of_options_does_not_change_their_scores(system: str, collection: Collection) -> None:
    for question in collection.questions[::3]:
        turned = replace(question, options=question.options[::-1])
        assert FUNCTIONS[system](turned).scores == FUNCTIONS[system](question).scores[::-1]


@pytest.mark.parametrize("system", CHOOSING)
def test_a_run_over_the_bundled_questions(system: str, collection: Collection) -> None:
    """Every question has a response, without a look at the key; a higher threshold answers a subset, and keeps the
    candidates."""
    run = answer(collection, system)
    assert run.name == f"{system}@0.00"
    for question, response in zip(collection.questions, run.responses, strict=True):
        assert response.question_id == question.id
        assert response.answered
        assert response.answer in question.options
        assert response.support in question.story
        assert response.confidence is not None
        assert 0 <= response.confidence <= 1
    keyless = [
        replace(question, answers=(), answerable=None, strata={}, accepted=None) for question in collection.questions
    ]
    assert answer(Collection("keyless", tuple(keyless)), system) == run
    counts = [len(run.responses)]
    before = run.responses
    for threshold in (0.3, 0.6, 1.0):
        now = answer(collection, system, threshold).responses
        assert all(was.answered or not is_.answered for was, is_ in zip(before, now, strict=True))
        assert [replace(response, answered=True) for response in now] == list(run.responses)
        counts.append(sum(response.answered for response in now))
        before = now
    assert counts[-1] == 0
    assert len(set(counts)) > 2


def test_answering_at_the_threshold_itself() -> None:
    collection = Collection("c", (WHO,))
    assert answer(collection, "sentence-overlap", 0.6).responses[0].answered
    assert not answer(collection, "sentence-overlap", 0.61).responses[0].answered


@pytest.mark.slow
def test_runs_do_not_depend_on_the_order_of_sets(tmp_path: Path) -> None:
    code = (
        "import sys; from nescio.pipeline import read_collection; from nescio.tasks.reading.systems import *\n"
        "c, _ = read_collection([bundled() / 'questions.jsonl', bundled() / 'stories.jsonl'])\n"
        "for name in SYSTEMS: write_run(answer(c, name), f'{sys.argv[1]}/{name}@0.00.jsonl')\n"
        "on = ('Filt', 'Pro', 'Name', 'Stem')\n"
        "write_run(answer(c, 'deep-read', switches=on, by_sentence=True), f'{sys.argv[1]}/all.jsonl')"
    )
    for seed in ("1", "2"):
        (tmp_path / seed).mkdir()
        environment = os.environ | {"PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", code, str(tmp_path / seed)], env=environment, check=True)
    made = sorted(path.name for path in (tmp_path / "1").iterdir())
    assert len(made) == len(SYSTEMS) + 1
    for name in made:
        first, second = (tmp_path / seed / name for seed in ("1", "2"))
        assert first.read_bytes() == second.read_bytes()


def test_systems_beat_chance_and_declining_pays(tmp_path: Path, collection: Collection) -> None:
    """Every system at 0 and one half, written, read, judged and scored as a user would."""
    paths = []
    for system in CHOOSING:
        for threshold in (0.0, 0.5):
            run = answer(collection, system, threshold)
            paths.append(tmp_path / f"{run.name}.jsonl")
            write_run(run, paths[-1])
    scores = nescio.score([QUESTIONS, *paths], ["accuracy", "c@1", "AUROC"], ci=None)
    measured = {(score.run, score.measure): score.value for score in scores}
    answerable = sum(question.answerable is not False for question in collection.questions)
    for system in CHOOSING:
        responses = answer(collection, system).responses
        right = sum(r.answer in q.answers for q, r in zip(collection.questions, responses, strict=True))
        assert measured[f"{system}@0.00", "accuracy"] == pytest.approx(right / len(collection.questions))
        assert binomtest(right, answerable, 1 / 4, alternative="greater").pvalue < 0.001
    for system in (*FUNCTIONS, "deep-read"):
        assert measured[f"{system}@0.00", "AUROC"] > 0.7
        assert measured[f"{system}@0.50", "c@1"] > measured[f"{system}@0.00", "c@1"]


def read_back(path: Path, questions: Path = QUESTIONS) -> tuple[Run, ...]:
    found = read([("gold", open_source(questions)), ("answers", open_source(path))], ReadOptions()).data
    assert isinstance(found, Unjudged)
    return found.runs


def test_a_written_run_is_read_back_as_it_was(tmp_path: Path, collection: Collection) -> None:
    run = answer(collection, "word-distance", 0.3)
    for name in (f"{run.name}.jsonl", "other.jsonl"):
        write_run(run, tmp_path / name)
        assert read_back(tmp_path / name) == (replace(run, metadata={}),)
    assert "run" not in json.loads((tmp_path / f"{run.name}.jsonl").read_text().splitlines()[0])
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([f"{run.name}.jsonl", "other.jsonl"])


def test_a_run_with_ranks_and_silence_is_written(tmp_path: Path) -> None:
    responses = (
        Response("parrot-who", "Zoë", True, 0.5),
        Response("parrot-who", "B", True, 0.1, 2, "so\u2028it stands"),
        Response("parrot-what", None, False),
    )
    write_run(Run("r", responses), tmp_path / "r.jsonl")
    assert read_back(tmp_path / "r.jsonl") == (Run("r", responses),)


def test_a_failed_write_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text("as it was")
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_run(Run("r", (Response("a", "x", True), Response("b", "y", True, float("nan")))), path)
    assert path.read_text() == "as it was"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(UsageError, match="no folder"):
        write_run(Run("r", ()), tmp_path / "nowhere" / "r.jsonl")


@pytest.mark.parametrize("system", CHOOSING)
def test_what_a_system_cannot_work_with_is_named(system: str) -> None:
    with pytest.raises(MismatchError, match="question 'q' has no story"):
        answer(Collection("c", (replace(WHO, story=()),)), system)
    if system != "deep-read":
        with pytest.raises(MismatchError, match="question 'q' has no options"):
            answer(Collection("c", (replace(WHO, options=()),)), system)
    for threshold in (-0.1, 1.1, float("nan")):
        with pytest.raises(UsageError, match="threshold"):
            answer(Collection("c", ()), system, threshold)
    with pytest.raises(
        UnknownNameError, match=r"unknown system 'word-distanse'; did you mean word-distance or window-distance\?"
    ):
        answer(Collection("c", ()), "word-distanse")


def test_the_bundled_stories_fit_their_questions(collection: Collection) -> None:
    """Every accepted sentence is one of its story, and a question without an answer accepts none."""
    for question in collection.questions:
        assert question.accepted is not None
        assert bool(question.accepted) == (question.answerable is not False)
    mule = next(q for q in collection.questions if q.strata["story"] == "mule")
    assert mule.story[6] == "In the end a boy named Mateo walked in front with a carrot."
