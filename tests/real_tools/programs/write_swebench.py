"""The report of a run of SWE-bench, over made-up reports of instances."""

from __future__ import annotations

import json
from pathlib import Path

from swebench.harness.constants import (
    LOG_INSTANCE,
    LOG_REPORT,
    LOG_TEST_OUTPUT,
    RUN_EVALUATION_LOG_DIR,
)
from swebench.harness.reporting import make_run_report

NAMES = [f"harbour__lamp-{i}" for i in range(1, 10)]
MODEL, RUN = "lamplighter/lamp-2b", "of-may"
predictions = {name: {"instance_id": name, "model_name_or_path": MODEL, "model_patch": "diff"} for name in NAMES[:-1]}
for name, patch in zip(NAMES[3:5], ("", None), strict=True):  # 4 and 5 are empty
    predictions[name]["model_patch"] = patch


def leave(name: str, *, resolved: bool, said: str = "", machine: bool = False) -> None:
    folder = Path(RUN_EVALUATION_LOG_DIR) / RUN / MODEL.replace("/", "__") / name
    folder.mkdir(parents=True)
    told = {"patch_is_None": False, "patch_exists": True, "patch_successfully_applied": True, "resolved": resolved}
    told["infra_failure"] = machine
    (folder / LOG_REPORT).write_text(json.dumps({name: told}))
    (folder / LOG_TEST_OUTPUT).write_text(said)
    (folder / LOG_INSTANCE).write_text("")


leave(NAMES[0], resolved=True)
leave(NAMES[1], resolved=True)
leave(NAMES[2], resolved=False, said="1 failed")
# 6 has no report: an error
leave(NAMES[6], resolved=False, said="Error response from daemon: no such image", machine=True)
leave(NAMES[7], resolved=False, said="ModuleNotFoundError: No module named 'lamp'")  # the machine, or the patch
make_run_report(predictions, [{"instance_id": name} for name in NAMES], RUN)
Path("predictions.json").write_text(json.dumps(list(predictions.values())))
print(json.dumps({}))
