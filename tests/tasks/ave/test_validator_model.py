"""The validator as a whole: training, saving, deciding; its parts against independent tools and figures on paper."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import exp, log
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from nescio.data.model import Question
from nescio.errors import FormatError, MismatchError, UsageError
from nescio.scoring.score import compute_scores
from nescio.tasks.ave import validator
from nescio.tasks.ave.evidence import evidence
from nescio.tasks.ave.exercise import Candidate, Exercise, Value, problems
from nescio.tasks.ave.validator import (
    Resources,
    Trained,
    TrainingPlan,
    ablation,
    chosen,
    decide,
    features,
    fit,
    gather,
    load,
    save,
)
from nescio.tasks.ave.validator.deciding import F_OF_ACCEPTED, best, over_answers, over_questions
from nescio.tasks.ave.validator.forest import from_lists, grow
from nescio.tasks.ave.validator.model import Calibration, logit
from nescio.tasks.ave.validator.training import ALL, deal

TECHNIQUES = ("lexical", "names")  # the quickest
OFF = tuple(name for name in validator.TECHNIQUES if name not in TECHNIQUES)
PLAN = TrainingPlan(trees=5, folds=4)


def train(exercise: Exercise, without: Sequence[str], plan: TrainingPlan) -> Trained:
    return fit(exercise, gather(exercise, None, chosen(Resources(), without), plan), plan)


def collection(questions: int = 24, name: str = "made") -> Exercise:
    """Each question has a right answer whose text has the words of the question, a wrong one, and one that nobody
    judged."""
    asked, given = [], []
    things = ("kite", "coin", "bridge", "boat")
    for i in range(questions):
        q, thing = f"q{i:02}", things[i % len(things)]
        asked.append(Question(q, f"Who sold the {thing} number {i}?", cluster=f"c{i // 2}"))
        right = f"Carla sold the {thing} number {i}." if i % 5 else "It was Carla."
        given.append(Candidate(q, f"{q}_1", "Carla", right, value=Value.VALIDATED))
        given.append(Candidate(q, f"{q}_2", "Ben", "Ben slept all day.", value=Value.REJECTED))
        given.append(Candidate(q, f"{q}_3", "nobody", "Nobody came.", value=Value.UNKNOWN))
    return Exercise(name, tuple(asked), tuple(given))


@pytest.fixture(scope="module")
def trained() -> Trained:
    return train(collection(), OFF, PLAN)


def test_a_saved_model_predicts_the_same_to_the_last_bit(trained: Trained, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    save(trained.model, path)
    again = load(path)
    other = collection(9)
    np.testing.assert_array_equal(again.confidence(other), trained.model.confidence(other))
    assert (again.thresholds, again.rarity, again.techniques) == (
        dict(trained.model.thresholds),
        trained.model.rarity,
        trained.model.techniques,
    )
    save(again, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


def test_training_depends_on_the_seed_alone(trained: Trained) -> None:
    same = train(collection(), OFF, replace(PLAN, jobs=2))
    np.testing.assert_array_equal(same.confidence, trained.confidence)
    np.testing.assert_array_equal(same.model.confidence(collection(5)), trained.model.confidence(collection(5)))
    other = train(collection(), OFF, replace(PLAN, seed=1))
    assert (other.confidence != trained.confidence).any()


def test_it_learns_what_there_is_to_learn(trained: Trained) -> None:
    exercise = collection()
    runs = {"held out": decide(exercise, trained.confidence, trained.model.thresholds["F"])}
    assert list(problems(exercise, runs["held out"])) == []
    scores = compute_scores(evidence(exercise, runs)[0], ["ave.AUC", "ave.F"], ci=None)
    assert scores.value("held out", "ave.AUC") > 0.9
    assert scores.value("held out", "ave.F") > 0.9


def test_the_forest_is_scikit_learn_s() -> None:
    from sklearn.ensemble import ExtraTreesClassifier

    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 5))
    y = x[:, 0] + rng.normal(size=200) > 0
    weight = rng.uniform(0.3, 1, 200)
    mine = grow(x, y, weight, trees=7, seed=3)
    theirs = ExtraTreesClassifier(7, min_samples_leaf=10, max_features=0.4, random_state=3).fit(
        x, y, sample_weight=weight
    )
    new = rng.normal(size=(50, 5))
    np.testing.assert_allclose(mine.predict(new), theirs.predict_proba(new)[:, 1], rtol=0, atol=1e-12)


def test_calibration_on_paper() -> None:
    # logit(0.8) = ln 4; 1/(1 + e^-(2 ln 4 - 1)) = 16/(16 + e)
    assert Calibration(2, -1)(np.array([0.8]))[0] == pytest.approx(16 / (16 + exp(1)))
    assert logit(np.array([0.0, 0.8]))[1] == pytest.approx(log(4))
    assert np.isfinite(logit(np.array([0.0, 1.0]))).all()


def test_whole_clusters_are_held_out() -> None:
    """Ten clusters of three answers in four parts, and what only a second collection has; of a held-out question that
    is in both, nothing is learnt from the second either."""
    group = [f"c{i // 3}" for i in range(30)] + ["c0", "elsewhere"]
    fold = deal(group, 30, TrainingPlan(folds=4))
    assert all(len({fold[i] for i in range(len(group)) if group[i] == name}) == 1 for name in set(group))
    assert sorted(np.bincount(fold[:30:3])) == [2, 2, 3, 3]
    assert fold[-1] == -1
    with pytest.raises(MismatchError, match="at least two questions"):
        deal(["c0"] * 3, 3, TrainingPlan())
    exercise = collection(8)
    material = gather(exercise, exercise, TECHNIQUES, replace(PLAN, also=1.0))
    assert material.group[: material.own] == material.group[material.own :]
    assert material.weight.tolist() == [1.0] * 48
    fold = deal(material.group, material.own, PLAN)
    np.testing.assert_array_equal(fold[: material.own], fold[material.own :])


# ---- decisions ----


def two() -> Exercise:
    questions = (Question("1", "?"), Question("2", "?"))
    rows = (
        ("1", "a", Value.VALIDATED),
        ("1", "b", Value.REJECTED),
        ("1", "c", Value.VALIDATED),
        ("2", "d", Value.REJECTED),
    )
    return Exercise("two", questions, tuple(Candidate(q, a, "x", "y", value=value) for q, a, value in rows))


SURE = [0.6, 0.2, 0.9, 0.3]


@pytest.mark.parametrize(
    ("confidence", "threshold", "always", "expected"),
    [
        (SURE, 0.5, False, "V R S R"),  # c is the surest of those accepted
        (SURE, 0.7, False, "R R S R"),
        (SURE, 0.95, False, "R R R R"),
        (SURE, 0.95, True, "R R S S"),
        (SURE, None, False, "R R R R"),
        (SURE, None, True, "R R S S"),
        (SURE, 0.0, False, "V V S S"),
        ([0.5] * 4, 0.5, False, "S V V S"),  # of equally sure answers the first
    ],
)
def test_decisions_on_paper(confidence: list[float], threshold: float | None, always: bool, expected: str) -> None:
    exercise = two()
    decisions = decide(exercise, np.array(confidence), threshold, always=always)
    assert " ".join(each.decision[0] for each in decisions) == expected
    assert list(problems(exercise, decisions)) == []
    assert [each.confidence for each in decisions] == confidence


def test_the_threshold_for_f_is_the_best_there_is() -> None:
    # Falling confidence: right .9, right .6, wrong .3, wrong .2. Accepting two: 2·2/(2 + 2) = 1, and no other cut
    # is as good.
    exercise, confidence = two(), np.array([0.6, 0.2, 0.9, 0.3])
    row = best(over_answers(exercise, confidence, ["1", "1", "1", "2"]), F_OF_ACCEPTED, 0)
    assert (row.threshold, row.value_in_sample) == (0.6, 1.0)
    assert row.value_all_answered == pytest.approx(2 * 2 / (4 + 2))


@pytest.mark.parametrize("threshold", [0.0, 0.25, 0.5, 0.7, 1.0])
def test_the_f_that_is_tuned_is_ave_s(threshold: float) -> None:
    exercise, confidence = two(), np.array([0.6, 0.2, 0.9, 0.3])
    data, _ = evidence(exercise, {"run": decide(exercise, confidence, threshold)})
    answers = over_answers(exercise, confidence, ["1", "1", "1", "2"])
    accepted = confidence >= threshold
    columns = {name: values.copy() for name, values in answers.columns.items()}
    for name, kind in (("candidate_correct", "correct"), ("candidate_incorrect", "incorrect")):
        columns[name][0] = columns[kind][0] * ~accepted
        columns[kind][0] *= accepted
    columns["answered"][0] = accepted
    mine = compute_scores(replace(answers, columns=columns), [F_OF_ACCEPTED], ci=None).rows[0].value
    assert mine == pytest.approx(compute_scores(data, "ave.F", ci=None).rows[0].value, nan_ok=True)


def test_questions_have_the_outcome_of_their_surest_answer() -> None:
    data = over_questions(two(), np.array([0.6, 0.2, 0.9, 0.3]), {"1": "x", "2": "y"})
    assert data.columns["correct"].tolist() == [[True, False]]
    assert data.column("confidence").tolist() == [[0.9, 0.3]]


def test_an_ablation_trains_anew_without_each_technique(trained: Trained) -> None:
    exercise, test = collection(), collection(6, "test")
    material = gather(exercise, None, TECHNIQUES, PLAN)
    runs = ablation(exercise, material, PLAN)
    assert list(runs) == [ALL, "without lexical", "without names"]
    assert [each.confidence for each in runs[ALL]] == trained.confidence.tolist()
    found = ablation(exercise, material, PLAN, test=(test, features(test, TECHNIQUES, material.rare)))
    assert [each.confidence for each in found[ALL]] == trained.model.confidence(test).tolist()
    alone = train(exercise, (*OFF, "lexical"), PLAN).model
    assert [each.confidence for each in found["without lexical"]] == alone.confidence(test).tolist()


# ---- what is refused ----


def test_answers_that_are_all_alike_teach_nothing() -> None:
    right = tuple(c for c in collection().candidates if c.value is Value.VALIDATED)
    with pytest.raises(MismatchError, match="needs both right and wrong answers"):
        train(replace(collection(), candidates=right), OFF, PLAN)
    with pytest.raises(UsageError, match="must be from 0 to 1"):
        gather(collection(), None, TECHNIQUES, replace(PLAN, also=2.0))


def test_a_model_wants_what_it_was_trained_with(trained: Trained, tmp_path: Path) -> None:
    model, test = trained.model, collection(2)
    with pytest.raises(UsageError, match="trained with wordnet, which is not available"):
        replace(model, techniques=("lexical", "wordnet")).confidence(test, Resources(wordnet=tmp_path))
    about = {**model.about, "versions": {"parser": "en_core_web_sm 3.7.1"}}
    with pytest.raises(UsageError, match=r"trained with en_core_web_sm 3\.7\.1, but now with none"):
        replace(model, about=about).confidence(test)
    with pytest.raises(UsageError, match="train the model again"):
        replace(model, names=("lexical: of old", *model.names[1:])).confidence(test)


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        ("kind", "else", "its kind is not"),
        ("version", 2, "reads only models of version 1"),
        ("techniques", ["crystal ball"], "no technique 'crystal ball'"),
        ("techniques", ["names"], "belongs to no technique of the model"),
        ("trees", [], "has no trees"),
        ("calibration", {"slope": 1}, "missing required field `intercept`"),
        ("thresholds", {"F": "high"}, r"Expected `float \| null`, got `str`"),
        ("rarity", None, "damaged"),
    ],
)
def test_a_damaged_model_is_refused(trained: Trained, tmp_path: Path, name: str, value: object, rule: str) -> None:
    path = tmp_path / "model.json"
    save(trained.model, path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {name: value}))
    with pytest.raises(FormatError, match=rule):
        load(path)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"feature": [9, -1, -1]}, "a feature that does not exist"),
        ({"left": [0, -1, -1]}, "does not follow its parent"),  # a loop would never end
        ({"right": [3, -1, -1]}, "does not follow its parent"),
        ({"value": [0.5, 0.1]}, "differ in length"),
        ({"value": [0.5, 0.1, 1.5]}, "is not in"),
        ({"threshold": [float("nan"), 0, 0]}, "is not a number"),
    ],
)
def test_a_damaged_tree_is_refused(change: dict[str, list[float]], rule: str) -> None:
    tree: dict[str, list[float]] = {
        "feature": [0, -1, -1],
        "threshold": [0.5, 0, 0],
        "left": [1, -1, -1],
        "right": [2, -1, -1],
        "value": [0.5, 0.1, 0.9],
    }
    assert from_lists([tree], 1).predict(np.array([[0.5], [0.6]])).tolist() == [0.1, 0.9]
    with pytest.raises(ValueError, match=rule):
        from_lists([{**tree, **change}], 1)


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        load(tmp_path / "none.json")
    (tmp_path / "text.json").write_text("not json")
    with pytest.raises(FormatError, match="not valid JSON"):
        load(tmp_path / "text.json")
