"""`promptfoo eval --repeat 2` with a provider that says the same each time, a script that crashes, and a provider's
error. The first argument is the program of promptfoo."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from harbour import QUESTIONS

PROVIDER = """
const said = %s;
module.exports = class {
  id() { return 'lamp-2b'; }
  async callApi(prompt) { return prompt in said ? {output: said[prompt]} : {error: 'no such question'}; }
};
"""
tests = []
for question, gold, _ in QUESTIONS:
    crashing = {"type": "javascript", "value": "nobody.knows(output)"}
    judging = crashing if "storm" in question else {"type": "equals", "value": gold}
    tests.append({"vars": {"question": question}, "assert": [judging]})
tests.append({"vars": {"question": "Who carved it?"}, "assert": [{"type": "equals", "value": "Lise"}]})  # an error
Path("provider.js").write_text(PROVIDER % json.dumps({question: said for question, _, said in QUESTIONS}))
settings = {"prompts": ["{{question}}"], "providers": ["file://provider.js"], "tests": tests}
Path("settings.json").write_text(json.dumps(settings))
quiet = ("DISABLE_TELEMETRY", "DISABLE_UPDATE", "DISABLE_REMOTE_GENERATION", "DISABLE_WAL_MODE")
environment = os.environ | {f"PROMPTFOO_{name}": "1" for name in quiet} | {"PROMPTFOO_CONFIG_DIR": os.getcwd()}
command = [sys.argv[1], "eval", "-c", "settings.json", "--no-cache", "--no-progress-bar", "--no-table", "--repeat", "2"]
for name in ("results.json", "results.jsonl", "results.csv"):
    command += ["-o", name]
done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
Path("promptfoo.log").write_text(done.stdout + done.stderr)
stats = json.loads(Path("results.json").read_text())["results"]["stats"]
print(json.dumps({name: stats[name] for name in ("successes", "failures", "errors")}))
