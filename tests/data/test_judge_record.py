"""A judge is read back from a table as it was written."""

from hypothesis import given
from hypothesis import strategies as st

from nescio.data.judge_record import JudgeRecord, alike, named, parse

NAMES = st.text(min_size=1, max_size=8).map(str.strip).filter(bool) | st.sampled_from(
    ["a,b", "f(x)", "k=v", "\\", "a b"]
)
KEYS = NAMES.filter(lambda key: key not in ("model", "prompt", "date"))


@given(NAMES, st.dictionaries(KEYS, NAMES, max_size=3), NAMES | st.just(""), NAMES | st.just(""))
def test_it_is_read_back(name: str, parameters: dict[str, str], model: str, prompt: str) -> None:
    record = JudgeRecord(name, tuple(parameters.items()), model, prompt)
    assert parse(str(record)) == record


def test_a_text_of_another_form_is_a_name() -> None:
    assert parse("gpt-4 (by hand)") == JudgeRecord("gpt-4 (by hand)")
    assert parse("token_f1(threshold=0.5)") == JudgeRecord("token_f1", (("threshold", "0.5"),))


def test_judges_are_named_once() -> None:
    exact, human = JudgeRecord("exact"), JudgeRecord("human")
    assert named([exact, human, None, exact]) == "exact+human"
    assert named([]) == named([None]) == "none"


def records(**runs: str) -> dict[str, set[JudgeRecord]]:
    """Return the records of runs, given the values of one detail in each run's answers."""
    said = ((run, "a.json", JudgeRecord("score", (("way", one),))) for run, words in runs.items() for one in words)
    found: dict[str, set[JudgeRecord]] = alike(said)  # type: ignore[assignment]
    return found


def test_a_detail_of_single_answers_is_no_judge() -> None:
    score, x = JudgeRecord("score"), JudgeRecord("score", (("way", "x"),))
    assert records(a="xy", b="xyz") == {"a": {score}, "b": {score}}
    assert records(a="01", b="0") == {"a": {score}, "b": {score}}
    assert records(a="xy") == {"a": {score}}
    assert records(a="x", b="x") == {"a": {x}, "b": {x}}


def test_a_detail_that_varies_in_one_run_only_may_be_another_judge() -> None:
    found = records(a="x", b="xy", c="x")
    assert found["b"] > found["a"] == found["c"] == {JudgeRecord("score", (("way", "x"),))}
    found = records(a="x", b="xy", c="xy")
    assert found["b"] == found["c"] != found["a"]
