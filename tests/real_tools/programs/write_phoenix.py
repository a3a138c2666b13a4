"""An experiment of Phoenix on a server of this machine, downloaded as JSON and CSV, and a table of its evaluators."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from harbour import QUESTIONS, SAID, verdict


def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def task(input: dict) -> str:  # the name is Phoenix's
    return SAID[input["question"]]


def right(input: dict, output: str, expected: dict) -> dict:
    found = verdict(input["question"], output, expected["answer"])
    return {"score": float(found), "label": "correct" if found else "incorrect"}


def length(output: str) -> float:
    return len(output) / 10


def experiment() -> None:
    http = port()
    url = f"http://127.0.0.1:{http}"
    settings = {"PHOENIX_WORKING_DIR": str(Path("work").absolute()), "PHOENIX_HOST": "127.0.0.1"}
    settings |= {"PHOENIX_PORT": str(http), "PHOENIX_GRPC_PORT": str(port()), "PHOENIX_TELEMETRY_ENABLED": "false"}
    os.environ |= settings | {"PHOENIX_COLLECTOR_ENDPOINT": url}
    with Path("server.log").open("w") as log:
        command = [sys.executable, "-m", "phoenix.server.main", "serve"]
        server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    try:
        from phoenix.client import Client

        for _ in range(240):
            try:
                urllib.request.urlopen(f"{url}/healthz", timeout=2)
                break
            except OSError:
                time.sleep(0.5)
        client = Client(base_url=url)
        dataset = client.datasets.create_dataset(
            name="harbour",
            inputs=[{"question": question} for question, _, _ in QUESTIONS],
            outputs=[{"answer": gold} for _, gold, _ in QUESTIONS],
        )
        run = client.experiments.run_experiment(
            dataset=dataset, task=task, evaluators=[right, length], experiment_name="lamp-2b", repetitions=2,
            print_summary=False, retries=0,
        )  # fmt: skip
        for kind in ("json", "csv"):
            with urllib.request.urlopen(f"{url}/v1/experiments/{run['experiment_id']}/{kind}") as answer:
                Path(f"lamp-2b.{kind}").write_bytes(answer.read())
    finally:
        server.terminate()
        server.wait()


def table() -> None:
    import pandas
    from phoenix.evals import Score, create_evaluator, evaluate_dataframe

    @create_evaluator(name="right", kind="code")
    def judged(input: str, output: str, expected: str) -> Score:
        found = verdict(input, output, expected)
        return Score(score=float(found), label="correct" if found else "incorrect")

    rows = [{"input": question, "output": said, "expected": gold} for question, gold, said in QUESTIONS]
    found = evaluate_dataframe(
        dataframe=pandas.DataFrame(rows), evaluators=[judged], max_retries=0, exit_on_error=False
    )
    found.to_csv("evaluated.csv", index=False)
    found.to_json("evaluated.json", orient="records")


experiment()
table()
print(json.dumps({}))
