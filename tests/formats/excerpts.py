"""A small excerpt of every format, invented, in the shape that its tool writes, and what was counted in it by hand.

The files are in `tests/data/excerpts`, but for those that users see: these are in `examples/logs`. A comment says what
the answers are, one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from nescio.data.evidence import Tally
from nescio.pipeline import Loaded, Options, load

EXCERPTS = Path(__file__).parents[1] / "data" / "excerpts"
EXAMPLES = Path(__file__).parents[2] / "examples" / "logs"
Counts = tuple[int, int, int]


def place_of(path: str) -> Path:
    """Where an excerpt lies, by its path below either folder."""
    return EXAMPLES / path if (EXAMPLES / path).exists() else EXCERPTS / path


@dataclass(frozen=True)
class Excerpt:
    """What to read, and how many answers of each run were counted as correct, incorrect and unanswered by hand.

    `paths` are files or folders below one of the two; `sums` holds sums over a column, of formats that have no such
    outcomes.
    """

    format: str
    paths: tuple[str, ...]
    counts: dict[str, Counts] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    sums: dict[str, float] = field(default_factory=dict)
    ungraded: dict[str, int] = field(default_factory=dict)

    @property
    def files(self) -> list[Path]:
        """The paths from where the tests run."""
        return [place_of(path) for path in self.paths]

    def read(self) -> Loaded:
        """Read the excerpt as its options say."""
        return load(self.files, Options(**self.options))

    def arguments(self, *taken: str) -> list[str]:
        """Say the options as on the command line; of the policies and the judge those that a command takes, or all."""
        single = taken or ("ungraded", "missing", "judge")
        words = [f"--{name}={self.options[name]}" for name in single if name in self.options]
        words += [f"--choose={name}={value}" for name, value in self.options.get("choose", {}).items()]
        return words + [f"--declined-pattern={pattern}" for pattern in self.options.get("declined_pattern", ())]


HELM = tuple(
    f"helm/mmlu_subject=harbour_law,method=multiple_choice_joint,model=lamplighter_lamp-2b/{name}.json"
    for name in ("scenario_state", "per_instance_stats", "run_spec", "stats")
)
LM_EVAL = tuple(
    f"lm_eval/lamplighter__lamp-2b/{name}"
    for name in ("samples_harbour_sums_2025-03-04T05-06-07.890123.jsonl", "results_2025-03-04T05-06-07.890123.json")
)
CHOICE = "lm_eval_choice/lamplighter__lamp-2b/samples_harbour_choice_2025-03-04T05-06-07.890123.jsonl"
EXCLUDED = {"ungraded": "exclude"}
EVERY = {
    # 8 after ####; 15 for 21; two texts without ####, which the filter calls [invalid]
    "lm_eval": Excerpt("lm_eval", LM_EVAL, {"lamplighter/lamp-2b": (1, 1, 2)}, {"choose": {"filter": "strict-match"}}),
    # the same texts, any number in them: 8, 15 for 21, 6, and none
    "lm_eval, another filter": Excerpt(
        "lm_eval", LM_EVAL, {"lamplighter/lamp-2b": (2, 1, 1)}, {"choose": {"filter": "flexible-extract"}}
    ),
    # options by their log-probability: gull right, a candle for the lamp, the pilot right
    "lm_eval, options": Excerpt("lm_eval", (CHOICE,), {"lamplighter__lamp-2b": (2, 1, 0)}),
    # C, I, N, a rate limit (no score), C
    "inspect": Excerpt(
        "inspect",
        ("inspect/2025-03-04T05-06-07+00-00_harbour_aB3dE5.json",),
        {"lamplighter/lamp-2b": (2, 1, 1)},
        EXCLUDED,
        ungraded={"lamplighter/lamp-2b": 1},
    ),
    # two questions twice: C and I, C and C
    "inspect, an archive": Excerpt(
        "inspect",
        ("inspect_epochs/2025-03-04T05-06-07+00-00_prizes_fG7hJ9.eval",),
        {"lamplighter/lamp-2b": (3, 1, 0)},
    ),
    # A for A, A for B, an empty text, a blocked prompt
    "helm": Excerpt("helm", HELM, {"lamplighter_lamp-2b": (1, 1, 2)}),
    # passed, failed, failed with an empty output, an error of the provider, passed
    "promptfoo": Excerpt(
        "promptfoo",
        ("promptfoo/results.json",),
        {"lamplighter:lamp-2b": (2, 1, 1)},
        EXCLUDED,
        ungraded={"lamplighter:lamp-2b": 1},
    ),
    # a match, none, none of an empty sample, and a sample without a match event
    "openai_evals": Excerpt(
        "openai_evals",
        ("openai_evals/250304050607ABCDEFGH_lamp-2b_harbour.jsonl",),
        {"lamplighter/lamp-2b": (1, 1, 1)},
        EXCLUDED,
        ungraded={"lamplighter/lamp-2b": 1},
    ),
    # what DeepEval 4.3 wrote of two metrics: both passed; both failed; one failed; one in an error; empty; wrong,
    # and the first again
    "deepeval": Excerpt(
        "deepeval",
        ("deepeval/.deepeval",),
        {"deepeval": (1, 3, 1)},
        EXCLUDED,
        sums={"user.Words": 1, "user.Short": 5},
        ungraded={"deepeval": 1},
    ),
    # what ragas 0.4 wrote of two metrics: 1, 1, 0, a rate limit, 0 of an empty text, 2/3; and whether the texts
    # are the same
    "ragas": Excerpt("ragas", ("ragas/lamp.csv",), sums={"user.word_recall": 1 + 1 + 2 / 3, "user.exact_match": 1}),
    "ragas, one metric": Excerpt(
        "ragas",
        ("ragas/lamp.csv",),
        {"lamp": (3, 1, 1)},
        EXCLUDED | {"choose": {"metric": "word_recall", "threshold": "0.5"}},
        ungraded={"lamp": 1},
    ),
    # what lighteval 0.13 wrote: Joss Harl, "In 1788" for 1788, empty, Nell Boyd, "I do not know"; gull right,
    # lamp wrong, pilot right
    "lighteval": Excerpt(
        "lighteval",
        ("lighteval/details", "lighteval/results/lamplighter/lamp-2b/results_2026-11-22T10-13-00.163512.json"),
        {"lamplighter/lamp-2b": (4, 3, 1)},
        sums={"user.em": 2, "user.acc": 2},
    ),
    # what MLflow 3.17 wrote: the same text, another, an empty one, "I do not know"
    "mlflow": Excerpt("mlflow", ("mlflow/eval_results_table.json",), {"mlflow": (1, 2, 1)}),
    # yes, no, a rate limit, an empty text; whether the text is short is another metric
    "mlflow, of genai": Excerpt(
        "mlflow",
        ("mlflow_genai/lamp.csv",),
        {"lamp": (1, 1, 1)},
        EXCLUDED | {"choose": {"metric": "right"}},
        sums={"user.right": 1, "user.short": 4},
        ungraded={"lamp": 1},
    ),
    # the traces of the same five questions as Phoenix's, without their spans
    "mlflow, traces": Excerpt(
        "mlflow",
        ("mlflow_traces/lamp-2b.json",),
        {"lamp-2b": (2, 1, 1)},
        EXCLUDED | {"choose": {"metric": "right"}},
        ungraded={"lamp-2b": 1},
    ),
    # a table as Weights & Biases 0.31 wrote it: true, false of an empty text, false, true
    "outcomes, of W&B": Excerpt("outcomes", ("wandb/predictions.table.json",), {"lamp-2b": (2, 1, 1)}),
    # task 0 twice right, task 1 wrong and right, task 2 a rate limit and wrong
    "tau_bench": Excerpt(
        "tau_bench",
        ("tau_bench/lamp-2b-harbour.json",),
        {"lamp-2b-harbour": (3, 2, 0)},
        EXCLUDED,
        ungraded={"lamp-2b-harbour": 1},
    ),
    # what SWE-bench 5.0 wrote: two resolved, one not and one that may have failed for the machine, two empty patches, an
    # error, one for which the machine failed, and one that was not submitted
    "swe_bench": Excerpt(
        "swe_bench",
        ("swe_bench/lamp-2b.of-may.json",),
        {"lamp-2b.of-may": (2, 2, 3)},
        EXCLUDED | {"missing": "unanswered"},
        ungraded={"lamp-2b.of-may": 2},
    ),
    # three questions twice: right, wrong, null; right, right, wrong
    "nemo_skills": Excerpt("nemo_skills", ("nemo_skills/lamp-2b/eval-results",), {"lamp-2b": (3, 2, 1)}),
    # what OpenCompass 0.5 wrote: Joss Harl, In 1788 for 1788, nothing, 1861, Nell Boyd
    "opencompass": Excerpt("opencompass", ("opencompass/results/lamp-2b/harbour.json",), {"lamp-2b": (3, 1, 1)}),
    # the same by a judge, A, B, C, "I cannot say" and A, with the answers beside its texts
    "opencompass, by a judge": Excerpt(
        "opencompass", ("opencompass_judged",), {"lamp-2b": (2, 1, 1)}, EXCLUDED, ungraded={"lamp-2b": 1}
    ),
    "opencompass, predictions": Excerpt(
        "opencompass",
        ("opencompass_predictions/predictions/lamp-2b/harbour.json",),
        {"lamp-2b": (3, 1, 1)},
        {"judge": "exact"},
    ),
    # A for A, C for B, none extracted, B for B
    "simple_evals": Excerpt(
        "simple_evals", ("simple_evals/mmlu_lamp-2b.html", "simple_evals/mmlu_lamp-2b.json"), {"lamp-2b": (2, 1, 1)}
    ),
    # what Phoenix 20.26 wrote of five examples twice: right, wrong, empty, a judge without time, right
    "phoenix": Excerpt("phoenix", ("phoenix/lamp-2b.json",), {"lamp-2b": (4, 2, 2)}, EXCLUDED, ungraded={"lamp-2b": 2}),
    # the same once, from evaluate_dataframe
    "phoenix, evaluated": Excerpt(
        "phoenix", ("phoenix_evaluated/lamp-2b.csv",), {"lamp-2b": (2, 1, 1)}, EXCLUDED, ungraded={"lamp-2b": 1}
    ),
    # right, wrong, an empty output, an error, no score of correctness
    "langfuse": Excerpt(
        "langfuse",
        ("langfuse/lamp-2b.csv",),
        {"lamp-2b": (1, 1, 1)},
        EXCLUDED,
        sums={"user.helpfulness": 0.9 + 0.8 + 0.7},
        ungraded={"lamp-2b": 2},
    ),
    # right, wrong, silent where that is right, an answer where none should be, silent where not, a detector that failed
    "abstention_bench": Excerpt(
        "abstention_bench", ("abstention_bench",), {"lamp_2b": (2, 2, 1)}, EXCLUDED, ungraded={"lamp_2b": 1}
    ),
    # right, wrong, empty, a timeout, and "I don't know", which is an answer unless it is said to be none
    "every_eval_ever": Excerpt(
        "every_eval_ever",
        ("every_eval_ever/harbour_samples.jsonl",),
        {"lamplighter/lamp-2b": (1, 2, 1)},
        EXCLUDED,
        ungraded={"lamplighter/lamp-2b": 1},
    ),
    "every_eval_ever, declined in words": Excerpt(
        "every_eval_ever",
        ("every_eval_ever/harbour_samples.jsonl",),
        {"lamplighter/lamp-2b": (1, 1, 2)},
        EXCLUDED | {"declined_pattern": ("i don.t know",)},
        ungraded={"lamplighter/lamp-2b": 1},
    ),
    # (A) for A, (C) for B, no letter, A for A, an empty text beside which `pred` has a letter
    "mmlu-pro": Excerpt("mmlu-pro", ("mmlu_pro/model_outputs_lamp-2b_5shots.json",), {"lamp-2b": (2, 1, 2)}),
    # A, B, C, A, C
    "simpleqa": Excerpt("simpleqa", ("simpleqa/lamp-2b.csv",), {"lamp-2b": (2, 1, 2)}),
    # Gullet for the Gullet; silent where there is no answer; silent where there is one; Harl for Joss Harl; an
    # answer where is none
    "squad2": Excerpt(
        "squad2",
        ("squad2/dev-excerpt.json", "squad2/pred_lamp.json", "squad2/na_prob_lamp.json"),
        {"lamp": (2, 2, 1)},
    ),
    # by the words of the key: lamp right, right, Amsel for Lise Amsel, silent; owl right but for "the", wrong,
    # silent, wrong
    "nq": Excerpt("nq", ("nq/runs.csv",), {"lamp": (2, 1, 1), "owl": (1, 2, 1)}, {"judge": "exact"}),
    # by people: lamp three Yes and silence; owl Yes, No, silence, not judged
    "nq, by people": Excerpt(
        "nq",
        ("nq/runs.csv",),
        {"lamp": (3, 0, 1), "owl": (1, 1, 1)},
        EXCLUDED | {"choose": {"judge": "human"}},
        ungraded={"owl": 1},
    ),
    # E Harrow, 1861 for 1788, nothing
    "kilt": Excerpt("nq", ("kilt/gold.jsonl", "kilt/lamp.jsonl"), {"lamp": (1, 1, 1)}),
    # same, other, same, other. quill .8, .75, .5, .125; ink .5, .25, .25, and nothing of the last
    "pan": Excerpt(
        "pan",
        ("pan/truth.jsonl", "pan/runs/quill/answers.jsonl", "pan/runs/ink/answers.jsonl"),
        {"quill": (2, 1, 1), "ink": (1, 1, 2)},
    ),
    # Y .9, N .5, Y .2, N .4
    "pan of 2014": Excerpt("pan", ("pan_2014/truth.txt", "pan_2014/answers.txt"), {"pan_2014": (2, 1, 1)}),
    # 1 for 1, 3 for 2, not answered (with the right candidate), not answered
    "qa4mre": Excerpt("qa4mre", ("qa4mre/QA4MRE-EN_GS.xml", "qa4mre/lamp01enen.xml"), {"lamp01enen": (1, 1, 2)}),
    "qa4mre, with the test": Excerpt(
        "qa4mre",
        ("qa4mre/QA4MRE-EN_GS.xml", "qa4mre/QA4MRE-EN_test.xml", "qa4mre/lamp01enen.xml"),
        {"lamp01enen": (1, 1, 2)},
    ),
    # BCAD: a kite (B), C, silence, home (A); DABC: salt (D), a man (B), silence, the bridge (C)
    "mctest": Excerpt("mctest", ("mctest/mc2.dev.tsv", "mctest/mc2.dev.ans", "mctest/lamp.jsonl"), {"lamp": (4, 2, 2)}),
    # the first document: relevant, judged not relevant, not judged
    "trec": Excerpt("trec", ("trec/harbour.qrels", "trec/lamp.run"), {"lamp": (1, 2, 0)}),
    # R, NIL, W, X, U, R
    "trec, judged answers": Excerpt("trec", ("trec_factoid/lamp.judgments",), {"lamp": (2, 3, 1)}),
    # 1788 R, Bray W, edith harrow R
    "trec, a pool": Excerpt("trec", ("trec_pool/pool.judgments", "trec_pool/lamp.run"), {"lamp": (2, 1, 0)}),
    # captain Nell Boyd for Nell Boyd or Boyd; the seal; nothing; flour; Tuesday for Friday
    "cbc": Excerpt("cbc", ("cbc/developset", "cbc/lamp.response"), {"lamp": (2, 2, 1)}, {"judge": "exact"}),
    # the same, where an answer is right if it stands in the sentence that the words of the key point to
    "cbc, as Deep Read judges": Excerpt("cbc", ("cbc/developset", "cbc/lamp.response"), {"lamp": (3, 1, 1)}),
    # Right: 11_1 and 13_1, of five answers that were judged. Accepted (selected or validated): 11_1, 13_1, 13_2.
    # Of question 11 the right answer is selected, of 12 all are rejected, rightly, of 13 a wrong one is selected.
    "ave": Excerpt(
        "ave",
        ("ave/harbour.xml", "ave/lamp.txt"),
        sums={"ave.right": 2, "ave.accepted": 3, "ave.selected_right": 1, "ave.rejected_right": 1},
    ),
    # YES to 1 and 2; right are 1 and 3
    "ave of 2006": Excerpt(
        "ave", ("ave_2006/pairs.xml", "ave_2006/lamp.txt"), sums={"ave.right": 2, "ave.accepted": 2}
    ),
    # harrow 1 of 2 vital and 1 of 1 okay, bray 1 of 1 and 1 of 1; 37 and 15 letters, and 46
    "nuggets": Excerpt(
        "nuggets",
        ("nuggets/key.txt", "nuggets/lamp.txt", "nuggets/assessor.txt"),
        sums={
            "nuggets.vital": 3,
            "nuggets.vital_found": 2,
            "nuggets.okay": 2,
            "nuggets.okay_found": 2,
            "nuggets.response_length": 98,
        },
    ),
    # q1 one vital nugget of two, half of the other, and the okay one; q2 none of three
    "nuggetizer": Excerpt(
        "nuggetizer",
        ("nuggetizer/assignments.jsonl",),
        sums={"nuggets.vital": 4, "nuggets.vital_found": 1, "nuggets.vital_partial": 1, "nuggets.okay_found": 1},
    ),
    "nugget_counts": Excerpt(
        "nugget_counts",
        ("nugget_counts/counts.csv",),
        sums={
            "nuggets.factoid_right": 1,
            "nuggets.list_distinct": 2,
            "nuggets.list_returned": 3,
            "nuggets.list_known": 4,
            "nuggets.vital_found": 1,
        },
    ),
    "counts": Excerpt("counts", ("counts/counts.csv",), {"lamp": (5, 3, 2), "owl": (4, 6, 0)}),
    "outcomes": Excerpt(
        "outcomes", ("outcomes/outcomes.csv",), {"lamp": (1, 1, 1), "owl": (1, 1, 1)}, sums={"candidate_correct": 1}
    ),
    # what `nescio baseline outcomes/outcomes.csv --run lamp` makes of the excerpt above
    "baseline": Excerpt("baseline", ("baseline/lamp.json",), {"lamp": (1, 1, 1)}, sums={"candidate_correct": 1}),
    # what `nescio tally outcomes/outcomes.csv` makes of it
    "tally": Excerpt("tally", ("tally/outcomes.tally",), {"lamp": (1, 1, 1), "owl": (1, 1, 1)}),
    "matrix": Excerpt("matrix", ("matrix/ap.csv",), sums={"user.ap": 2.75}, ungraded={"lamp": 1}),
    # harrow; Kelp for glasswort; pilots, withheld; silent where there is no answer
    "questions": Excerpt("questions", ("questions/questions.jsonl", "questions/lamp.jsonl"), {"lamp": (2, 1, 1)}),
}


def counts(data: Any) -> dict[str, Counts]:
    """Count the questions of each run that are correct, incorrect and unanswered."""
    names = ("correct", "incorrect", "unanswered")
    if isinstance(data, Tally):
        totals = data.totals()
        table = np.stack([totals[name] for name in names], axis=1)
    else:
        table = np.stack([(data.columns[name] * data.present).sum(axis=1) for name in names], axis=1)
    return {run: (int(row[0]), int(row[1]), int(row[2])) for run, row in zip(data.runs, table, strict=True)}
