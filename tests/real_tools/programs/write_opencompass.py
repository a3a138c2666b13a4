"""A whole run of OpenCompass with a model that says the same each time, and every kind of evaluator."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

BESIDE = """
import numpy
from datasets import Dataset, DatasetDict
from harbour import QUESTIONS, SAID
from opencompass.datasets.base import BaseDataset
from opencompass.models.base import BaseModel


class Fake(BaseModel):
    def __init__(self, path="fake", max_seq_len=2048, tokenizer_only=False, meta_template=None, generation_kwargs=None,
                 sync_rank=False):
        super().__init__(path=path, max_seq_len=max_seq_len, meta_template=meta_template)

    def generate(self, inputs, max_out_len, **more):
        return [next(said for question, said in SAID.items() if question in str(one)) for one in inputs]

    def get_ppl(self, inputs, mask_length=None):
        return numpy.array([1.0 if str(one).endswith("B") else 2.0 for one in inputs])

    def get_token_len(self, prompt):
        return len(str(prompt).split())


class Judge(Fake):
    def generate(self, inputs, max_out_len, **more):
        return [self.says(*str(one).split("|")) for one in inputs]

    def says(self, question, gold, said):
        return "I cannot say" if "storm" in question else "C" if not said else "A" if said == gold else "B"


class Texts(BaseDataset):
    @staticmethod
    def load(path, **more):
        rows = Dataset.from_list([{"question": question, "answer": gold} for question, gold, _ in QUESTIONS])
        return DatasetDict(train=rows, test=rows)


class Lists(BaseDataset):
    @staticmethod
    def load(path, **more):
        rows = Dataset.from_list([{"question": question, "answer": [gold]} for question, gold, _ in QUESTIONS])
        return DatasetDict(train=rows, test=rows)


class Choice(BaseDataset):
    @staticmethod
    def load(path, **more):
        asked = [("A gull is", "a boat", "a bird", "B"), ("A lamp is", "a light", "a fish", "A")]
        rows = Dataset.from_list([dict(zip(("question", "A", "B", "answer"), row)) for row in asked])
        return DatasetDict(train=rows, test=rows)
"""
SETTINGS = """
from beside import Choice, Fake, Judge, Lists, Texts
from opencompass.datasets import generic_llmjudge_postprocess
from opencompass.evaluator import CascadeEvaluator, GenericLLMEvaluator
from opencompass.openicl.icl_evaluator import AccEvaluator, EMEvaluator
from opencompass.openicl.icl_inferencer import GenInferencer, PPLInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever


def asking(template):
    return dict(type=PromptTemplate, template=dict(round=[dict(role="HUMAN", prompt=template)]))


def of(abbr, evaluator, kind=Texts, **more):
    inferring = dict(prompt_template=asking("{question}"), retriever=dict(type=ZeroRetriever),
                     inferencer=dict(type=GenInferencer, max_out_len=20))
    return dict(type=kind, abbr=abbr, path="x", reader_cfg=reading, infer_cfg=inferring,
                eval_cfg=dict(evaluator=evaluator), **more)


reading = dict(input_columns=["question"], output_column="answer")
judging = dict(
    type=GenericLLMEvaluator, prompt_template=asking("{question}|{answer}|{prediction}"),
    dataset_cfg=dict(type=Texts, path="x", reader_cfg=reading),
    judge_cfg=dict(type=Judge, abbr="judge", path="judge", max_out_len=20, batch_size=8, run_cfg=dict(num_gpus=0)),
    dict_postprocessor=dict(type=generic_llmjudge_postprocess),
)
rules = dict(type=AccEvaluator)
datasets = [
    of("plain", rules),
    of("plain_twice", rules, n=2, k=2),
    of("exact", dict(type=EMEvaluator), Lists),
    of("exact_twice", dict(type=EMEvaluator), Lists, n=2, k=2),
    of("judged", judging),
    of("cascade", dict(type=CascadeEvaluator, rule_evaluator=rules, llm_evaluator=judging, parallel=False)),
    dict(
        type=Choice, abbr="choice", path="x",
        reader_cfg=dict(input_columns=["question", "A", "B"], output_column="answer"),
        infer_cfg=dict(
            prompt_template=dict(type=PromptTemplate, template={one: "{question} {%s} %s" % (one, one) for one in "AB"}),
            retriever=dict(type=ZeroRetriever), inferencer=dict(type=PPLInferencer),
        ),
        eval_cfg=dict(evaluator=rules),
    ),
]
models = [dict(type=Fake, abbr="lamp-2b", path="fake", max_out_len=20, batch_size=8, run_cfg=dict(num_gpus=0))]
del asking, of
"""
Path("beside.py").write_text(BESIDE)
Path("settings.py").write_text(SETTINGS)
offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1"}
found = os.pathsep.join([os.getcwd(), str(Path(__file__).parent)])
command = [
    str(Path(sys.executable).with_name("opencompass")),
    "settings.py",
    "-w",
    "out",
    "--debug",
    "--dump-eval-details",
]
done = subprocess.run(
    command, env=os.environ | offline | {"PYTHONPATH": found}, capture_output=True, text=True, check=False
)
Path("opencompass.log").write_text(done.stdout + done.stderr)
(results,) = Path("out").glob("*/results/lamp-2b")
print(json.dumps({path.stem: json.loads(path.read_text()).get("accuracy") for path in results.glob("*.json")}))
