"""nescio read and nuggets: answering and marking stories, and the baseline that answers definition questions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nescio as package
from nescio.errors import FormatError, MismatchError, UsageError
from nescio.systems.definitions import bundled as definitions

from .conftest import EXAMPLES, Command, lines, written

STORIES = [EXAMPLES / "questions.jsonl", EXAMPLES / "stories.jsonl"]
CBC = {
    "c/expected.answers": "QuestionID: s-1-1\nQuestion: Who ran home?\nAnswer: Ann\n\n"
    "QuestionID: s-1-2\nQuestion: When did it rain?\nAnswer: in 1999\n",
    "c/s.story": "HEADLINE: x\nSTORYID: s-1\nTEXT:\nBob sat at home. Ann ran home.\n\nIt rained all day in 1999.\n",
    "old.response": "QuestionID: s-1-1\nAnswer: Ann Smith\n\nQuestionID: s-1-2\nAnswer:\n",
}


@pytest.fixture
def cbc(tmp_path: Path) -> Path:
    (tmp_path / "c").mkdir()
    for name, text in CBC.items():
        written(tmp_path / name, text)
    return tmp_path


def answers(folder: Path, *rows: tuple[str, str | None, float]) -> Path:
    said = [{"id": name, "answer": text, "confidence": sure} for name, text, sure in rows]
    return lines(folder / "new.jsonl", said)


def test_deep_read_answers_a_folder_and_is_marked(nescio: Command, cbc: Path) -> None:
    done = nescio("read", "answer", cbc / "c", "--system", "deep-read", "--switch", "Stem", "-o", cbc / "new.jsonl")
    assert (done.status, done.out) == (0, "")
    assert "deep-read-Stem@0.00 answers 2 of 2 questions" in done.err
    rows = [json.loads(line) for line in (cbc / "new.jsonl").read_text().splitlines()]
    assert [row["answer"] for row in rows] == ["Ann ran home.", "It rained all day in 1999."]
    runs = (cbc / "old.response", cbc / "new.jsonl")
    scored = nescio("read", "score", cbc / "c", *runs, "--ci", "none", "-f", "json").json
    value = {(row["run"], row["measure"]): row["value"] for row in scored["scores"]}
    # Content words: ann | 1999; ann smith; ann ran home; rain all day 1999.
    assert value["old", "read.recall"] == 1 / 2
    assert value["old", "read.precision"] == (1 / 2 + 0) / 2  # silent on the second
    assert value["old", "read.AutSent"] == 0  # "Ann Smith" stands in no sentence
    assert value["deep-read-Stem@0.00", "read.recall"] == 1
    assert value["deep-read-Stem@0.00", "read.precision"] == pytest.approx((1 / 3 + 1 / 4) / 2)
    assert value["deep-read-Stem@0.00", "read.AutSent"] == 1
    assert "judge:deep_read(threshold=0.5, keep_pronouns=false)" in scored["signature"]


def test_a_folder_stands_for_its_files_in_every_command(nescio: Command, cbc: Path) -> None:
    """And every file that `read score` marks, `score` scores as well, with the same judge by default."""
    names = [cbc / "c" / name for name in ("expected.answers", "s.story")]
    one = answers(cbc, ("s-1-1", "Ann ran home.", 0.9), ("s-1-2", "rain", 0.2))
    both = (cbc / "old.response", one)
    outputs = {}
    for command, runs in (("score", both), ("compare", both), ("read score", both), ("tune", (one,))):
        whole = nescio(*command.split(), cbc / "c", *runs, "-f", "json")
        named = nescio(*command.split(), *names, *runs, "-f", "json")
        assert (whole.status, whole.out, whole.err) == (0, named.out, named.err), command
        outputs[command] = whole.json
    assert outputs["score"]["scores"] == outputs["read score"]["scores"]


def test_correlations_and_strata(nescio: Command, cbc: Path) -> None:
    runs = [cbc / "old.response"]
    for switch in ("Stem", "Name"):
        runs.append(cbc / f"{switch}.jsonl")
        nescio("read", "answer", cbc / "c", "--system", "deep-read", "--switch", switch, "-o", runs[-1])
    command = ("read", "score", cbc / "c", *runs, "--ci", "none", "-f", "json")
    found = nescio(*command, "--correlations", "--by", "question_word").json
    assert {row["stratum"] for row in found["scores"]} == {None, "who", "when"}
    pair = ("read.recall", "read.AutSent")
    first = next(row for row in found["correlations"] if (row["measure"], row["other"]) == pair)
    assert first == {"measure": pair[0], "other": pair[1], "correlation": 1.0, "runs": 3, "stratum": None}
    few = ("read", "score", cbc / "c", *runs[:2], "--ci", "none", "-f", "json")
    two = nescio(*few, "--correlations")
    said = "correlations over runs need 3 runs or more, but there are only 2, so they are undefined"
    assert said in two.json["notes"]
    assert f"note: {said}" in two.err
    assert {row["correlation"] for row in two.json["correlations"]} == {None}
    assert said not in nescio(*few).err


def test_pronouns_may_be_kept(nescio: Command, cbc: Path) -> None:
    run = answers(cbc, ("s-1-1", "it was Ann", 1), ("s-1-2", None, 1))
    command = ("read", "score", cbc / "c", run, "-m", "read.precision_when_answered", "-f", "json")
    assert nescio(*command).json["scores"][0]["value"] == 1
    assert nescio(*command, "--keep-pronouns").json["scores"][0]["value"] == 1 / 2
    assert nescio(*command, "--keep-pronouns", "--judge", "exact").status == 2


def test_the_bundled_collection_both_ways(nescio: Command, tmp_path: Path) -> None:
    """Options are answered by default, and marked by c@1; sentences when asked for, and marked by HumSent too."""
    for name, more, judge, measures in (
        ("options", (), (), ["c@1", "accuracy", "coverage"]),
        (
            "sentences",
            ("--by-sentence", "--threshold", "0.3"),
            ("--judge", "deep_read"),
            ["read.recall", "read.precision", "read.HumSent", "read.AutSent"],
        ),
    ):
        path = tmp_path / f"{name}.jsonl"
        assert nescio("read", "answer", *STORIES, "--system", "deep-read", *more, "-o", path).status == 0
        marked = nescio("read", "score", *STORIES, path, *judge, "--ci", "none", "-f", "json").json["scores"]
        assert [row["measure"] for row in marked] == measures
        if judge:
            assert {row["n"] for row in marked} == {70, marked[1]["n"]}
            assert 0 < marked[2]["value"] < 1


def test_keys_of_a_folder_that_are_passed_over_are_said(nescio: Command, cbc: Path) -> None:
    written(cbc / "c" / "s.answers", "QuestionID: s-1-1\nQuestion: Who ran home?\nAnswer: Bob\n")
    said = "the keys are those of expected.answers; 1 other .answers in the folder are not read"
    for command in ("score", "check"):
        assert said in nescio(command, cbc / "c", cbc / "old.response").flat
    assert said in nescio("read", "answer", cbc / "c", "--system", "random", "-o", cbc / "r.jsonl").flat


def test_no_file_of_a_folder_that_is_read_is_overwritten(nescio: Command, cbc: Path) -> None:
    """A folder of questions stands for questions, stories and runs, too."""
    kept = lines(cbc / "c" / "questions.jsonl", [{"id": 1, "question": "Who?", "answers": ["Ann"]}])
    before = kept.read_bytes()
    run = lines(cbc / "a.jsonl", [{"id": 1, "answer": "Ann"}])
    nescio("score", cbc / "c", run, "-o", kept).assert_refused("is one of the input files")
    assert kept.read_bytes() == before
    assert nescio("score", cbc / "c", run, "-o", cbc / "c" / "results.jsonl").status == 0
    (cbc / "all" / "runs").mkdir(parents=True)
    kept.rename(cbc / "all" / "questions.jsonl")
    run.rename(cbc / "all" / "runs" / "mine.jsonl")
    rows = nescio("score", cbc / "all", "-m", "accuracy", "-f", "json").json["scores"]
    assert [(row["run"], row["value"]) for row in rows] == [("mine", 1.0)]


# ---- people's sentences, and the key of AutSent ----

STORY = "HEADLINE: A Kite\nDATE: today\nSTORYID: 1-W1-1\n\nTEXT:\nAnna made a kite. She sold it in Rome. Ben cried.\n"
KEY = "QuestionID: 1-W1-1-1\nQuestion: Where did Anna sell the kite?\nAnswer: Rome\n{}\n"


def marks(folder: Path, key: str, listed: str | None = None) -> dict[str, float]:
    """Marks of a run by sentences that stand in a key, or in a list of their own beside it."""
    stories = folder / "stories"
    stories.mkdir(parents=True)
    written(stories / "1-W1-1.story", STORY)
    written(stories / "1-W1-1.answers", KEY.format(key))
    if listed:
        written(stories / "people.sentences", f"QuestionID: {listed}\n")
    run = lines(folder / "run.jsonl", [{"id": "1-W1-1-1", "answer": "She sold it in Rome."}])
    return {row.measure: row.value for row in package.read.score([stories, run], ci=None)}


@pytest.mark.parametrize(
    ("key", "listed", "value"),
    [
        ("Sentences: 2", None, 1.0),
        ("Sentences: 1, 3", None, 0.0),
        ("Sentences:", None, 0.0),
        ("Sentences: 3 2", None, 1.0),
        ("Difficulty: Easy", None, None),
        ("", "1-W1-1-1\nSentences: 2, 3", 1.0),
        ("", "1-W1-1-1\nSentences: 1", 0.0),
        ("Sentences: 2", "1-W1-1-1\nSentences: 2", 1.0),
    ],
)
def test_people_name_sentences_of_a_story_from_1(
    key: str, listed: str | None, value: float | None, tmp_path: Path
) -> None:
    assert marks(tmp_path, key, listed).get("read.HumSent") == value


@pytest.mark.parametrize(
    ("key", "listed", "where", "rule"),
    [
        *((f"Sentences: {n}", None, "line 4", "Sentences must be numbers from 1 to 3") for n in ("0", "4", "two", "1.5")),
        ("", "1-W1-1-1\nSentences: 4", "people.sentences, line 2", "numbers from 1 to 3"),
        ("", "1-W1-1-9\nSentences: 2", "people.sentences, line 1", "no question has this id"),
        ("Sentences: 3", "1-W1-1-1\nSentences: 2", "people.sentences, line 2", "lists other sentences of this question"),
    ],
)  # fmt: skip
def test_a_sentence_that_the_story_lacks_is_refused(
    key: str, listed: str | None, where: str, rule: str, tmp_path: Path
) -> None:
    with pytest.raises(FormatError, match=rule) as error:
        marks(tmp_path, key, listed)
    assert where in str(error.value)


SENTENCES = ["Ann went to Paris in May.", "It rained in Paris.", "Ben stayed at home."]


def test_the_key_has_every_sentence_that_ties_and_the_ceilings_are_said(tmp_path: Path) -> None:
    """One sentence matches the first key, two tie on the second, none the third."""
    asked: list[dict[str, Any]] = [
        {"id": "a", "question": "When?", "answers": ["May"], "sentences": [0], "story": "s"},
        {"id": "b", "question": "Where?", "answers": ["Paris"], "sentences": [0, 1], "story": "s"},
        {"id": "c", "question": "Who?", "answers": ["Zoe"], "sentences": [], "story": "s"},
    ]
    stories = lines(tmp_path / "stories.jsonl", [{"id": "s", "sentences": SENTENCES}])
    collection = [lines(tmp_path / "questions.jsonl", asked), stories]
    made = package.read.key(collection, tmp_path / "key.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "key.jsonl").read_text().splitlines()]
    assert [(row["id"], row["sentences"]) for row in rows] == [("a", [0]), ("b", [0, 1]), ("c", [])]
    assert rows[1]["texts"] == SENTENCES[:2]
    assert (made.matched, made.questions) == (2, 3)
    assert "no run can have an AutSent above 0.667" in str(made)
    run = lines(tmp_path / "run.jsonl", [{"id": name, "answer": SENTENCES[0]} for name in "abc"])
    scores = package.read.score([*collection, run], ci=None)
    assert scores.value("run", "read.HumSent") == pytest.approx(2 / 3)
    assert any("1 of 3 questions, so no run can have a HumSent above 0.667" in str(note) for note in scores.notes)
    bare = [lines(tmp_path / "bare.jsonl", [{"id": "a", "question": "When?", "story": "s"}]), stories]
    with pytest.raises(package.NescioError, match="'a' has no key"):
        package.read.key(bare, tmp_path / "key.jsonl")
    with pytest.raises((FormatError, MismatchError, UsageError)) as error:  # a key is no file of stories
        package.read.answer([*collection, tmp_path / "key.jsonl"], tmp_path / "r.jsonl", "deep-read")
    assert "both files of stories" not in str(error.value)


def test_wordnets_folder_is_for_sem(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no data\.noun in"):
        package.read.answer(STORIES, tmp_path / "r.jsonl", "deep-read", switches=["Sem"], wordnet=tmp_path)
    with pytest.raises(UsageError, match="read by the switch Sem"):
        package.read.answer(STORIES, tmp_path / "r.jsonl", "deep-read", wordnet=tmp_path)


# ---- nuggets ----

HALE = [f"hale v{i} vital fact {i}" for i in range(1, 5)] + [f"hale o{i} okay detail {i}" for i in range(1, 8)]
PLAIN = ("--ci", "none", "-f", "json")


@pytest.fixture
def hale(tmp_path: Path) -> list[Path]:
    """The thesis's Sir John Hale: 3 of 4 vital and 4 okay nuggets in 1000 characters (formulas: NP .70, F(5) .7479)."""
    run = f"hale Q0 doc 1 1.0 run {'x' * 600}\nhale Q0 doc 2 0.5 run {'y' * 400}\n"
    texts = {"key": "\n".join(HALE) + "\n", "run": run, "mapping": "hale run 1 v1,v2,v3\nhale run 2 o1,o2,o3,o4\n"}
    return [written(tmp_path / f"{name}.txt", text) for name, text in texts.items()]


def test_nuggets_score_prints_the_scores_of_sir_john_hale(nescio: Command, hale: list[Path]) -> None:
    key, run, mapping = hale
    found = nescio("nuggets", "score", key, run, "--mapping", mapping, "--beta", 5, *PLAIN)
    assert found.status == 0
    values = {row["measure"]: row["value"] for row in found.json["scores"]}
    assert f"{values['nuggets.F(beta=5)']:.4f}" == "0.7479"
    assert values["nuggets.NR"] == 0.75
    assert values["nuggets.NP"] == pytest.approx(0.7)
    assert set(found.json) == {"nescio", "signature", "scores", "notes"}
    one = nescio("nuggets", "score", key, run, "--mapping", mapping, "--resamples", 50, "-f", "json")
    assert one.json == nescio("score", key, run, mapping, "--resamples", 50, "-f", "json").json


def test_what_is_automatic_is_called_so_and_takes_parameters(nescio: Command, hale: list[Path]) -> None:
    score = ("nuggets", "score", *hale[:2], "--beta", 5, "--ci", "none")
    found = nescio(*score, "--automatic", "idf", "-v")
    assert "nuggets.automatic_F(beta=5)" in found.out
    assert "judge:automatic(method=idf)" in found.out
    assert "note: AUTOMATIC" in found.err
    asked = ["-m", "nuggets.automatic_F", "-m", "nuggets.automatic_F(beta=2)", "-m", "nuggets.automatic_NR"]
    found = nescio(*score, *asked, "--delta", 50)
    assert found.status == 0
    assert "nuggets.automatic_F(beta=5, delta=50)" in found.out
    assert "nuggets.automatic_F(beta=2, delta=50)" in found.out


def test_a_malformed_run_has_no_score(nescio: Command, hale: list[Path]) -> None:
    hale[1].write_text(hale[1].read_text() + "hale Q0 doc 2 0.5 run again\n")
    nescio("nuggets", "score", *hale[:2]).assert_refused("run.txt, line 3: rank 2 of question hale appears twice")


def test_a_question_without_vital_nuggets_does_not_count(nescio: Command, tmp_path: Path) -> None:
    rows = "a,1,1,0,2,50\na,2,0,1,0,50\na,3,2,0,2,50\n"
    counts = written(tmp_path / "counts.csv", f"run,question,vital,okay,vital_in_key,length\n{rows}")
    (row,) = nescio("nuggets", "score", counts, "-m", "nuggets.NR", *PLAIN).json["scores"]
    assert (row["n"], row["value"]) == (2, 0.75)


def test_nuggets_answer_writes_a_run_that_score_reads(nescio: Command, tmp_path: Path) -> None:
    run, key, texts = tmp_path / "base.jsonl", definitions() / "key.jsonl", definitions() / "texts"
    found = nescio("nuggets", "answer", key, texts, "-o", run)
    assert (found.status, found.out) == (0, "")
    assert "base answers 6 of 7 questions" in found.err
    scored = nescio("nuggets", "score", key, run, "-m", "coverage", *PLAIN)
    assert scored.json["scores"][0]["value"] == pytest.approx(6 / 7)
    assert "answers 0 of 7" in nescio("nuggets", "answer", key, texts, "--threshold", 1, "-o", run).err
