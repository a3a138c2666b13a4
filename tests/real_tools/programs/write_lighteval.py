"""lighteval's metrics and its tracker, which writes details and results, on one task of texts and one of options.

The tasks are made here: lighteval fetches something of many others as it starts.
"""

from __future__ import annotations

import json
import os

os.environ["HF_HUB_OFFLINE"] = "1"

from harbour import QUESTIONS
from lighteval.logging.evaluation_tracker import EvaluationTracker
from lighteval.metrics import apply_metric
from lighteval.metrics.metrics import Metrics
from lighteval.models.abstract_model import ModelConfig
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc, SamplingMethod

CHOICES = [
    ("A gull is", [" a bird", " a boat"], 0),
    ("A lamp is", [" a fish", " a light"], 1),
]  # the first is preferred
NAME = "lamplighter/lamp-2b"
tracker = EvaluationTracker(output_dir="out", save_details=True)
tracker.general_config_logger.model_name = NAME
tracker.general_config_logger.model_config = ModelConfig(model_name=NAME)


class Task:
    def __init__(self, metric):
        self.metric = metric

    def aggregation(self):
        return self.metric.get_corpus_aggregations()


def log(task, metric, docs, responses):
    scores = apply_metric(docs=docs, responses=responses, metrics=[metric])
    for doc, response, score in zip(docs, responses, scores, strict=True):
        tracker.metrics_logger.log(task, score)
        tracker.details_logger.log(task, doc, response, score)


texts, options = Metrics.exact_match.value, Metrics.loglikelihood_acc.value
log(
    "harbour|0",
    texts,
    [
        Doc(query=question, choices=[gold], gold_index=0, id=str(i), task_name="harbour|0",
            sampling_methods=[SamplingMethod.GENERATIVE])
        for i, (question, gold, _) in enumerate(QUESTIONS)
    ],
    [ModelResponse(input=question, text=[said], input_tokens=[1], output_tokens=[[2]]) for question, _, said in QUESTIONS],
)  # fmt: skip
log(
    "harbour_choice|0",
    options,
    [
        Doc(query=asked, choices=choices, gold_index=gold, id=str(i), task_name="harbour_choice|0",
            sampling_methods=[SamplingMethod.LOGPROBS])
        for i, (asked, choices, gold) in enumerate(CHOICES)
    ],
    [ModelResponse(input=asked, logprobs=[-1.0, -3.0], argmax_logits_eq_gold=[gold == 0, False]) for asked, _, gold in CHOICES],
)  # fmt: skip
tracker.metrics_logger.aggregate({"harbour|0": Task(texts), "harbour_choice|0": Task(options)}, bootstrap_iters=0)
tracker.save()
print(
    json.dumps({task: dict(found) for task, found in tracker.metrics_logger.metric_aggregated.items()}, default=float)
)
