"""The systems that read stories: choices derived on paper, laws over the bundled stories, and what bad input says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from math import log
from pathlib import Path

import pytest
from scipy.stats import binomtest

import nescio
from nescio.errors import FormatError, MismatchError, UnknownNameError, UsageError
from nescio.formats import ReadOptions, Unjudged, open_source
from nescio.formats.questions import read, read_collection
from nescio.model import Collection, Question, Response, Run
from nescio.systems.reading import (
    SYSTEMS,
    Scored,
    answer,
    bundled,
    load_stories,
    option_overlap,
    sentence_overlap,
    word_distance,
    write_run,
)

QUESTIONS, STORIES = bundled() / "questions.jsonl", bundled() / "stories.jsonl"
# Content words: anna bought red kite | ben found coin bridge | noon carla sold kite. Weights: kite ln 2.5, all others ln 4.
KITE = ("Anna bought a red kite.", "Ben found a coin under the bridge.", "At noon Carla sold the kite.")


@pytest.fixture(scope="module")
def collection() -> Collection:
    return read_collection(open_source(QUESTIONS))


@pytest.fixture(scope="module")
def stories() -> dict[str, tuple[str, ...]]:
    return load_stories(STORIES)


def ask(text: str, *options: str) -> Question:
    return Question("q", text, options=options, strata={"story": "s"})


WHO = ask("Who sold the kite?", "Anna", "Ben", "Carla")


def test_option_overlap_on_paper() -> None:
    # Anna: anna, kite in sentence 0. Ben: ben alone in sentence 1. Carla: carla, sold, kite in sentence 2.
    found = option_overlap(WHO, KITE)
    assert found.scores == pytest.approx((log(4) + log(2.5), log(4), log(4) + log(4) + log(2.5)), abs=1e-8)
    assert (found.best, found.support) == (2, 2)
    assert found.confidence == pytest.approx(log(4) / (1 + log(4)), abs=1e-8)


def test_option_overlap_wants_a_stem_of_the_option_itself() -> None:
    # The second option only repeats the question, and the third stands nowhere: both earn nothing.
    assert option_overlap(ask("Who sold the kite?", "Carla", "a kite", "Dora"), KITE).scores[1:] == (0.0, 0.0)


def test_sentence_overlap_on_paper() -> None:
    # Sentence 2 has both stems of the question. Carla stands in it, Ben beside it, Anna farther away.
    found = sentence_overlap(WHO, KITE)
    assert found == Scored((0.0, 2 * 0.25, 2 * 1.0), support=2)
    assert found.confidence == pytest.approx(1.5 / 2.5)


def test_sentence_overlap_counts_the_share_of_an_option() -> None:
    # Of "a red boat" half stands in sentence 0, where one stem of the question stands too.
    found = sentence_overlap(ask("What was bought?", "a red boat", "a kite", "a coin"), KITE)
    assert found == Scored((0.5, 1.0, 0.25), support=0)


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
    assert sentence_overlap(ask("Where are the elephant, the cat and the dog?", "Here"), story).support == expected


def test_word_distance_on_paper() -> None:
    # Places: anna 0, kite 3 and 11, ben 4, carla 9, sold 10.
    found = word_distance(WHO, KITE)
    expected = (log(4) / 10 + log(2.5) / 3, log(4) / 6 + log(2.5) / 1, log(4) / 1 + log(2.5) / 2)
    assert found.scores == pytest.approx(expected, abs=1e-8)
    assert (found.best, found.support) == (2, 2)


def test_word_distance_is_a_weighted_mean_over_the_stems_of_an_option() -> None:
    # Asked: coin, at 6. "a red bridge": bridge at 7, red at 2, of one weight. "kite or boat": kite at 3, boat nowhere.
    found = word_distance(ask("Where is the coin?", "a red bridge", "kite or boat"), KITE)
    kite, other = log(2.5), log(4)
    expected = ((other / 1 + other / 4) / 2, kite * (other / 3) / (kite + other))
    assert found.scores == pytest.approx(expected, abs=1e-8)
    assert (found.best, found.support) == (0, 1)  # the bridge is nearest, and stands in sentence 1


def test_the_systems_differ_where_the_answer_stands_apart() -> None:
    # Places: old 0, miner 1, dog 2, left 3, tom 4 | eve 5, met 6; all weigh ln 3. Sentence 0 has two of the question's
    # stems, sentence 1 one; but Tom's 1/4 + 1/3 + 1/2 is less than Eve's 1/5 + 1/4 + 1.
    story = ("The old miner and his dog left Tom.", "Eve met him.")
    question = ask("Who met the old miner?", "Tom", "Eve")
    assert sentence_overlap(question, story) == Scored((2.0, 0.5), support=0)
    assert option_overlap(question, story).scores == pytest.approx((3 * log(3), 2 * log(3)), abs=1e-8)
    near = word_distance(question, story)
    assert near.scores == pytest.approx((log(3) * 13 / 12, log(3) * 29 / 20), abs=1e-8)
    assert (near.best, near.support) == (1, 1)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("options", [("Dora", "Emil"), ("Dora", "Dora"), ("the", "of")])
def test_nothing_found_is_the_first_option_without_confidence(system: str, options: tuple[str, ...]) -> None:
    (response,) = answer(Collection("c", (ask("Who sold the kite?", *options),)), {"s": KITE}, system).responses
    assert (response.answer, response.confidence, response.answered) == (options[0], 0.0, True)
    assert response.support == KITE[2]


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_tie_is_the_first_option_without_confidence(system: str) -> None:
    story = ("Anna and Ben sang.",) if system != "word-distance" else ("Anna sang, Ben.",)
    for options in (("Anna", "Ben", "Carla"), ("Carla", "Ben", "Anna")):
        found = SYSTEMS[system](ask("Who sang?", *options), story)
        assert found.confidence == 0
        assert found.best == (0 if options[0] == "Anna" else 1)
        assert max(found.scores) > 0


@pytest.mark.parametrize(
    ("scores", "expected"),
    [((0.0, 0.0), 0), ((2.0, 2.0, 1.0), 0), ((3.0, 1.0, 2.0), 0.5), ((3.0,), 0.75), ((1e12, 0.0), 1)],
)
def test_confidence_is_the_squashed_margin(scores: tuple[float, ...], expected: float) -> None:
    assert Scored(scores, 0).confidence == pytest.approx(expected)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_bundled_question_gets_a_response(
    system: str, collection: Collection, stories: dict[str, tuple[str, ...]]
) -> None:
    run = answer(collection, stories, system)
    assert run.name == f"{system}@0.00"
    assert [response.question_id for response in run.responses] == [question.id for question in collection.questions]
    for question, response in zip(collection.questions, run.responses, strict=True):
        assert response.answered
        assert response.answer in question.options
        assert response.support in stories[question.strata["story"]]
        assert response.confidence is not None
        assert 0 <= response.confidence <= 1


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_order_of_options_does_not_change_their_scores(
    system: str, collection: Collection, stories: dict[str, tuple[str, ...]]
) -> None:
    for question in collection.questions:
        story = stories[question.strata["story"]]
        turned = replace(question, options=question.options[::-1])
        assert SYSTEMS[system](turned, story).scores == SYSTEMS[system](question, story).scores[::-1]


@pytest.mark.parametrize("system", SYSTEMS)
def test_no_system_reads_the_key(system: str, collection: Collection, stories: dict[str, tuple[str, ...]]) -> None:
    bare = [
        replace(question, answers=(), answerable=None, strata={"story": question.strata["story"]})
        for question in collection.questions
    ]
    assert answer(Collection("bare", tuple(bare)), stories, system) == answer(collection, stories, system)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_higher_threshold_answers_a_subset_and_keeps_the_candidates(
    system: str, collection: Collection, stories: dict[str, tuple[str, ...]]
) -> None:
    before = answer(collection, stories, system).responses
    counts = []
    for threshold in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        now = answer(collection, stories, system, threshold).responses
        assert all(was.answered or not is_.answered for was, is_ in zip(before, now, strict=True))
        assert [replace(response, answered=True) for response in now] == [
            replace(response, answered=True) for response in before
        ]
        counts.append(sum(response.answered for response in now))
        before = now
    assert counts[0] == len(collection.questions)
    assert counts[-1] == 0
    assert len(set(counts)) > 3


def test_answering_at_the_threshold_itself() -> None:
    collection = Collection("c", (WHO,))
    assert answer(collection, {"s": KITE}, "sentence-overlap", 0.6).responses[0].answered
    assert not answer(collection, {"s": KITE}, "sentence-overlap", 0.61).responses[0].answered


def test_runs_do_not_depend_on_the_order_of_sets(tmp_path: Path) -> None:
    code = (
        "import sys; from nescio.formats import open_source; from nescio.formats.questions import read_collection\n"
        "from nescio.systems.reading import *; c = read_collection(open_source(bundled() / 'questions.jsonl'))\n"
        "s = load_stories(bundled() / 'stories.jsonl')\n"
        "for name in SYSTEMS: write_run(answer(c, s, name), f'{sys.argv[1]}/{name}@0.00.jsonl')"
    )
    for seed in ("1", "2"):
        (tmp_path / seed).mkdir()
        environment = os.environ | {"PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", code, str(tmp_path / seed)], env=environment, check=True)
    for name in SYSTEMS:
        first, second = (tmp_path / seed / f"{name}@0.00.jsonl" for seed in ("1", "2"))
        assert first.read_bytes() == second.read_bytes()


@pytest.fixture(scope="module")
def measured(
    tmp_path_factory: pytest.TempPathFactory, collection: Collection, stories: dict[str, tuple[str, ...]]
) -> dict[tuple[str, str], float]:
    """Every system at 0 and one half, written, read, judged and scored as a user would."""
    folder, paths = tmp_path_factory.mktemp("runs"), []
    for system in SYSTEMS:
        for threshold in (0.0, 0.5):
            run = answer(collection, stories, system, threshold)
            paths.append(folder / f"{run.name}.jsonl")
            write_run(run, paths[-1])
    scores = nescio.score([QUESTIONS, *paths], ["accuracy", "c@1", "AUROC"], ci=None)
    return {(score.run, score.measure): score.value for score in scores}


def test_systems_beat_chance(
    collection: Collection, stories: dict[str, tuple[str, ...]], measured: dict[tuple[str, str], float]
) -> None:
    answerable = sum(question.answerable is not False for question in collection.questions)
    for system in SYSTEMS:
        responses = answer(collection, stories, system).responses
        right = sum(r.answer in q.answers for q, r in zip(collection.questions, responses, strict=True))
        assert measured[f"{system}@0.00", "accuracy"] == pytest.approx(right / len(collection.questions))
        assert binomtest(right, answerable, 1 / 4, alternative="greater").pvalue < 0.001


def test_confidence_tells_right_from_wrong_and_declining_pays(measured: dict[tuple[str, str], float]) -> None:
    for system in SYSTEMS:
        assert measured[f"{system}@0.00", "AUROC"] > 0.7
        assert measured[f"{system}@0.50", "c@1"] > measured[f"{system}@0.00", "c@1"]


def read_back(path: Path, questions: Path = QUESTIONS) -> tuple[Run, ...]:
    found = read([("gold", open_source(questions)), ("answers", open_source(path))], ReadOptions()).data
    assert isinstance(found, Unjudged)
    return found.runs


def test_a_written_run_is_read_back_as_it_was(
    tmp_path: Path, collection: Collection, stories: dict[str, tuple[str, ...]]
) -> None:
    run = answer(collection, stories, "word-distance", 0.3)
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


def test_an_unknown_system_offers_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown system 'word-distanse'; did you mean word-distance\?"):
        answer(Collection("c", ()), {}, "word-distanse")


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_a_threshold_lies_between_0_and_1(threshold: float) -> None:
    with pytest.raises(UsageError, match="threshold"):
        answer(Collection("c", ()), {}, "word-distance", threshold)


@pytest.mark.parametrize(
    ("question", "says"),
    [
        (replace(WHO, strata={"story": "gone"}), "question 'q': there is no story 'gone'"),
        (replace(WHO, strata={}), "question 'q' names no story"),
        (replace(WHO, options=()), "question 'q' has no options"),
        (replace(WHO, strata={"story": "blank"}), "question 'q' has no sentences to read"),
    ],
)
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_question_without_story_or_options_is_named(question: Question, says: str, system: str) -> None:
    with pytest.raises(MismatchError, match=says):
        answer(Collection("c", (question,)), {"s": KITE, "blank": ()}, system)


def test_the_bundled_stories_fit_their_questions(collection: Collection, stories: dict[str, tuple[str, ...]]) -> None:
    assert {question.strata["story"] for question in collection.questions} == stories.keys()
    assert stories["mule"][6] == "In the end a boy named Mateo walked in front with a carrot."


SOUND = '{"id": "a", "sentences": ["It rained."]}'


@pytest.mark.parametrize(
    ("second", "says"),
    [
        ('{"id": "b", "sentences": []}', "sentences must be a list of texts"),
        ('{"id": "b", "sentences": "It rained."}', "sentences must be a list of texts"),
        ('{"id": "b", "sentences": ["It rained.", 7]}', "sentences must be a list of texts"),
        ('{"id": "b", "sentences": ["It rained.", " "]}', "sentences must be a list of texts"),
        ('{"id": "b"}', "sentences must be a list of texts"),
        ('{"sentences": ["It rained."]}', "id must be"),
        ('{"id": "b", "sentences": ["It rained."]', "not a JSON object"),
        ('["b"]', "each line must be a JSON object"),
        (SOUND, "the story stands here again"),
    ],
)
def test_a_broken_story_is_named_with_its_line(tmp_path: Path, second: str, says: str) -> None:
    path = tmp_path / "stories.jsonl"
    path.write_text(f"{SOUND}\n{second}\n")
    with pytest.raises(FormatError, match=says) as caught:
        load_stories(path)
    assert (caught.value.path, caught.value.where) == (str(path), "line 2")


def test_stories_that_are_no_json_lines(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no such file"):
        load_stories(tmp_path / "stories.jsonl")
    (tmp_path / "stories.csv").write_text("id,sentences\n")
    with pytest.raises(FormatError, match="stories are JSON Lines"):
        load_stories(tmp_path / "stories.csv")
