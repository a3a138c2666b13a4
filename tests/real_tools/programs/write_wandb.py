"""A table that is logged offline, as it lies in the files of the run."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

os.environ |= {"WANDB_MODE": "offline", "WANDB_SILENT": "true", "WANDB_DIR": os.getcwd()}

import wandb
from harbour import QUESTIONS

rows = [[question, "lamp-2b", said, said == gold, len(said)] for question, gold, said in QUESTIONS]
run = wandb.init(project="harbour", dir=".")
columns = ["question", "model", "prediction", "correct", "latency_ms"]
run.log({"predictions": wandb.Table(columns=columns, data=rows)})
run.finish()
(table,) = Path("wandb").glob("offline-run-*/files/media/table/predictions_*.table.json")
shutil.copy(table, "predictions.table.json")
print(json.dumps({}))
