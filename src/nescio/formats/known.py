"""Every format of nescio's own: its reader's module, the keys that identify its files (`shapes.py`), and their names in
a folder.

All formats are in one table. So a module is imported only if a file has its keys, and no tool's reader sees a table
that the tool did not write. If the keys are ambiguous, the reader's own `recognise` decides about the files that have
them.
"""

from __future__ import annotations

from msgspec import Struct

from nescio.formats.shapes import Shapes

ANY = ""  # the part of files for which the reader's own `recognise` decides


class Known(Struct, frozen=True):
    """The declaration of a format of nescio itself: its module within the package, its shapes, and its file names.

    `shapes` are the keys by which its files are recognised; they are empty for the format of any table. `files` are
    patterns of the names of its files in a folder.
    """

    module: str
    shapes: Shapes = {}
    files: tuple[str, ...] = ()


_DEEPEVAL = "testRunData|testCases|conversationalTestCases|test_cases_lookup_map|testRunLink"
_NEMO = "symbolic_correct|is_correct|is_correct-plus|strict_eval|loose_eval|judgement|proof_status"
_OPENCOMPASS = "accuracy|score|exact_match|pass@1|rouge1|bleu"
_RAGAS = """user_input|faithfulness*|answer_relevancy*|response_relevancy*|context_precision*|context_recall*|
context_relevancy*|context_entity_recall*|context_utilization*|answer_correctness*|answer_similarity*|nescio_outcome|
semantic_similarity*|factual_correctness*|answer_accuracy*|nv_*|response_groundedness*|llm_context_*|
non_llm_context_recall*|noise_sensitivity*|context_relevance*|summary_score*|harmfulness*|coherence*"""
_STAGES = """LLMJudgeCorrectnessEvaluator GroundTruthAbstentionEvaluator LLMJudgeAbstentionDetector
ContainsAbstentionKeyword DirectAbstention InferencePipeline"""

READERS: dict[str, Known] = {
    # ---- benchmarks ----
    "ave": Known("tasks.ave.reader", {ANY: ("xml:", "text:")}),
    "cbc": Known("tasks.reading.cbc", {ANY: ("text:",)}),
    "kilt": Known("tasks.kilt.reader", {ANY: ("lines: output",)}),
    "mctest": Known("tasks.reading.mctest", {ANY: ("text:",)}),
    "nugget_counts": Known("tasks.nuggets.counts", {ANY: ("table, lines: vital_in_key",)}),
    "nuggetizer": Known("tasks.nuggets.nuggetizer", {ANY: ("lines: qid|topic_id",)}),
    "nuggets": Known("tasks.nuggets.reader", {ANY: ("text:", "lines: nugget|nuggets|strings")}),
    "pan": Known(
        "tasks.pan.reader",
        {ANY: ("text:", "lines: is_human|label|same|value")},
        ("answers.jsonl", "answers.txt"),
    ),
    "qa4mre": Known("tasks.qa4mre.reader", {ANY: ("xml: output|test-set",)}),
    "respubliqa": Known(
        "tasks.respubliqa.reader",
        {ANY: ("rows: assessment candidate answer|response|paragraph", "rows: assessment q_id")},
    ),
    "squad2": Known("tasks.squad.reader", {ANY: ("object:",)}),
    "trec": Known("tasks.trec.reader", {ANY: ("text:",)}),
    # ---- logs of tools ----
    "abstention_bench": Known(
        "formats.logs.abstention_bench",
        {"responses": ("object: responses[].prompt responses[].response_or_abstention",)},
        tuple(f"{stage}.json" for stage in _STAGES.split()),
    ),
    "bfcl": Known(
        "formats.logs.bfcl",
        {
            ANY: (
                "lines, object: accuracy correct_count total_count",
                "lines, object: id result",
            )
        },
        ("BFCL_*_score.json", "BFCL_*_result.json"),
    ),
    "deepeval": Known(
        "formats.logs.deepeval",
        {ANY: (f"object: {_DEEPEVAL}",)},
        (".latest_run_full.json", ".latest_test_run.json", ".deepeval-cache.json", "test_run_[0-9]*.json"),
    ),
    "evalplus": Known(
        "formats.logs.evalplus",
        {"results": ("object: eval.*[].base_status",)},
        ("*.eval_results.json", "*_eval_results.json", "eval_results.json"),
    ),
    "evalscope": Known(
        "formats.logs.evalscope",
        {
            "reviews": ("lines: index target sample_score",),
            "predictions": ("lines: index model model_output messages",),
            "report": ("object: dataset_name model_name metrics[].num",),
        },
        ("reviews/*/*.jsonl", "reports/*/*.json"),
    ),
    "every_eval_ever": Known(
        "formats.logs.every_eval_ever.every_eval_ever_reader",
        {"log": ("lines: schema_version model_id evaluation_name sample_id evaluation",)},
    ),
    "helm": Known(
        "formats.logs.helm.helm_reader",
        {ANY: ("object: adapter_spec|tags", "list: instance_id|references|count")},
        ("scenario_state.json", "per_instance_stats.json", "run_spec.json", "stats.json"),
    ),
    "inspect": Known(
        "formats.logs.inspect.inspect_reader",
        {ANY: ("archive:", "object: eval")},
        ("*.eval", "[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T*.json"),
    ),
    "langfuse": Known("formats.logs.langfuse", {ANY: ("rows: name value", "rows: input output", "object: meta data")}),
    "lighteval": Known(
        "formats.logs.lighteval",
        {
            "details": ("parquet: doc metric model_response", "parquet: gold metrics predictions"),
            "results": ("object: config_general results summary_general",),
        },
        ("details_*.parquet", "results_*.json"),
    ),
    "lm_eval": Known(
        "formats.logs.lm_eval.lm_eval_reader",
        {"samples": ("lines, list: doc_id doc filtered_resps",), "results": ("object: results.* configs versions",)},
        ("samples_*.jsonl", "results*.json"),
    ),
    "longmemeval": Known(
        "formats.logs.longmemeval",
        {
            "answers": ("lines, list: question_id hypothesis autoeval_label",),
            "questions": ("list, object: question_id question_type haystack_sessions",),
        },
        ("*.eval-results-*", "longmemeval_*.json"),
    ),
    "mlflow": Known(
        "formats.logs.mlflow",
        {
            "table": ("rows: ?*/score|?*/value",),
            "traces": ("rows: trace_id assessments response", "object: info.trace_id data", "list: info data"),
        },
        ("eval_results_table.json",),
    ),
    "mmlu-pro": Known(
        "formats.logs.mmlu_pro",
        {
            "results": ("lines, list: question_id options answer pred !outcome",),
            "summary": ("object: total.corr total.wrong",),
        },
    ),
    "nemo_evaluator": Known(
        "formats.logs.nemo_evaluator",
        {
            "results": ("lines: problem_idx repeat reward model_response scoring_details",),
            "bundle": ("object: benchmark.name benchmark.scores config_hash n_results",),
        },
        ("eval-*.json", "results.jsonl"),
    ),
    "nemo_skills": Known(
        "formats.logs.nemo_skills",
        {
            "output": (
                f"lines: num_generated_tokens|generation_start_time {_NEMO}",
                "lines: generation|predicted_answer symbolic_correct|strict_eval|proof_status",
            ),
            "figures": ("object: *.pass@1",),
        },
        ("output-rs*.jsonl", "output.jsonl", "metrics.json"),
    ),
    "openai_evals": Known("formats.logs.openai_evals", {"log": ("lines: spec",)}),
    "opencompass": Known(
        "formats.logs.opencompass",
        {ANY: ("object: details", "object: 0.prediction", f"object: {_OPENCOMPASS}")},
        ("results/*/*.json", "predictions/*/*.json"),
    ),
    "phoenix": Known(
        "formats.logs.phoenix",
        {
            "evaluated": ("rows: *_score *_execution_details",),
            "runs": ("rows: example_id output annotations|reference_output|repetition_number",),
        },
    ),
    "promptfoo": Known(
        "formats.logs.promptfoo",
        {
            "table": ("table: Status Score Named?Scores Grader?Reason",),
            "log": (
                "lines: testIdx promptIdx success",
                "object: results.results[] results.version|results.results[].testIdx",
                "object: results[] version prompts",
                "object: evalId results",
            ),
        },
    ),
    "ragas": Known("formats.logs.ragas", {ANY: (f"rows: {_RAGAS.replace(chr(10), '')} !outcome",)}),
    "simpleqa": Known(
        "formats.logs.simpleqa", {"table": ("table, lines: problem grade target|predicted_answer !outcome",)}
    ),
    "swe_bench": Known(
        "formats.logs.swe_bench",
        {
            "predictions": ("lines, parquet, list: instance_id model_patch",),
            "report": ("object: resolved_instances submitted_instances|total_instances",),
            "lists": ("object: resolved[] no_generation[] generated[]",),
            "attempts": ("object: resolved[] no_generation[] no_logs[]",),
            "instances": ("object: *.resolved *.patch_exists",),
        },
        ("run_evaluation/*/*/*/report.json",),
    ),
    "tau_bench": Known(
        "formats.logs.tau_bench",
        {
            "log": (
                "lines: task_id reward trial traj",
                "list, object: task_id reward trial info|traj",
                "object: simulations[].task_id simulations[].trial simulations[].termination_reason",
            )
        },
    ),
    # ---- nescio's own ----
    "baseline": Known("formats.native.baseline", {ANY: ("object: nescio_baseline",)}),
    "counts": Known("tables.counts", {ANY: ("table, lines:",)}),
    "pairs": Known("tables.pair_counts", {ANY: ("table, lines: run_a|RUN_A",)}),
    "matrix": Known("tables.matrix", {ANY: ("table, lines:",)}),
    "questions": Known("tables.questions", {ANY: ("lines: id",)}),
    "outcomes": Known("tables.table_reader"),
}
WRITERS = {
    "pan": "tasks.pan.writer",
    "squad2": "tasks.squad.writer",
    "eval_results": "formats.logs.eval_results",
    "every_eval_ever": "formats.logs.every_eval_ever.every_eval_ever_writer",
    "inspect": "formats.logs.inspect.inspect_writer",
    "outcomes": "tables.outcomes_writer",
    "questions": "tables.questions_writer",
}
# First lines that are not headers, keyed by suffix. A file with such a first line is text, though its suffix is that of
# a table.
HEADLESS = {".tsv": r"\S+\tAuthor: \S*;Work Time"}
