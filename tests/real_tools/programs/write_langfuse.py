"""What the API of Langfuse returns, as its own SDK writes it: items of an experiment with their scores, scores alone.

There is no server here: the answers are made by the SDK's own models, which are made from the API's definition.
"""

from __future__ import annotations

import datetime
import json
from pathlib import Path

from harbour import QUESTIONS, verdict
from langfuse.api.core.pydantic_utilities import parse_obj_as
from langfuse.api.experiments.types import ExperimentItemsResponse
from langfuse.api.scores.types import GetScoresV3Response

NOW = datetime.datetime(2026, 5, 1, tzinfo=datetime.UTC).isoformat()


def score(i: int, name: str, kind: str, value: object, subject: dict[str, str] | None = None) -> dict[str, object]:
    base = {"id": f"score-{name}-{i}", "projectId": "harbour", "name": name, "source": "EVAL", "timestamp": NOW}
    base |= {"environment": "default", "createdAt": NOW, "updatedAt": NOW, "dataType": kind, "value": value}
    return base | ({"subject": subject} if subject else {})


def scores(i: int, subject: dict[str, str] | None = None) -> list[dict[str, object]]:
    question, gold, said = QUESTIONS[i]
    length = score(i, "length", "NUMERIC", len(said) / 10, subject)
    try:
        return [score(i, "right", "BOOLEAN", verdict(question, said, gold), subject), length]
    except RuntimeError:
        return [length]


def item(i: int) -> dict[str, object]:
    question, gold, said = QUESTIONS[i]
    base = {"id": f"span-{i}", "traceId": f"trace-{i}", "startTime": NOW, "endTime": NOW, "level": "DEFAULT"}
    base |= {
        "environment": "default",
        "experimentId": "e",
        "experimentName": "lamp-2b",
        "experimentItemId": f"item-{i}",
    }
    return base | {"input": {"question": question}, "output": said, "expectedOutput": gold, "scores": scores(i)}


places = range(len(QUESTIONS))
items = parse_obj_as(ExperimentItemsResponse, {"data": [item(i) for i in places], "meta": {"limit": 50}})
alone = [one for i in places for one in scores(i, {"kind": "trace", "id": f"trace-{i}"})]
listed = parse_obj_as(GetScoresV3Response, {"data": alone, "meta": {"limit": 50}})
Path("items.json").write_text(items.json())
Path("items_of_python.json").write_text(json.dumps([one.dict() for one in items.data], default=str))
Path("scores.json").write_text(listed.json())
print(json.dumps({}))
