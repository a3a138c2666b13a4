"""Whole campaigns on other people's data, from topics to site, held against figures that were published or scored
otherwise."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from pathlib import Path
from statistics import mean

import pytest
from lxml import etree

import nescio
from nescio.campaigns.folder import contents, open_campaign

from . import made

pytestmark = pytest.mark.usefixtures("undrawn")
DATA = Path(__file__).parents[2].parent / "shared" / "data"
EXAMPLES = Path(__file__).parents[2] / "examples"


def there(*names: str) -> list[Path]:
    paths = [DATA / name for name in names]
    if not all(path.exists() for path in paths):
        pytest.skip(f"{names[0]} is not beside the checkout (../shared/data)")
    return paths


def whole(campaign: Path, *inbox: Path) -> nescio.Scores:
    """Hand out, check, take in, score and publish; the scores of the one language."""
    nescio.campaign.handout(campaign)
    assert nescio.campaign.check(campaign, inbox).sound
    assert not nescio.campaign.intake(campaign, inbox, received="2026-05-01").refused
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    assert nescio.campaign.publish(campaign).topics == open_campaign(campaign).topics().count
    assert all(step.done for step in nescio.campaign.status(campaign).steps)
    return scores


@pytest.mark.slow
def test_cbc4kids_is_marked_as_read_score_marks_it(tmp_path: Path) -> None:
    """The student's run, from its stories to the site, has the marks of `nescio read score`."""
    stories, run = there("cbc4kids/developset", "cbc4kids/student-run.response")
    campaign = made.start(tmp_path, "reading", [stories], groups=["student=A student"])
    (tmp_path / "student").mkdir()
    shutil.copy(run, tmp_path / "student")
    topics = "".join(held.decode() for name, held in contents(campaign).items() if name.startswith("topics/"))
    assert '"answers"' not in topics
    scores = whole(campaign, tmp_path / "student")
    for row in nescio.read.score([stories, run], ci=None):
        assert scores.value("student-run", row.measure) == pytest.approx(row.value)


def test_a_respubliqa_like_campaign_on_qa4mre(tmp_path: Path) -> None:
    """160 questions of five options. The first run answers all but every fourth question with the first option,
    which is right where the key says so; c@1 is counted by hand from the key."""
    (gold,) = there("qa4mre/QA4MRE-2012-EN_GS.xml")
    campaign = made.start(tmp_path, "qa", [gold])
    topics = [json.loads(line) for line in (campaign / "topics" / "questions.jsonl").read_text().splitlines()]
    assert len(topics) == 160
    right = {}
    for test in etree.parse(str(gold)).iter("reading-test"):
        topic = test.getparent().get("t_id")
        for question in test.iter("q"):
            marks = [answer.get("correct") == "Yes" for answer in question.findall("answer")]
            right[f"{topic}-{test.get('r_id')}-{question.get('q_id')}"] = marks.index(True)
    assert {row["id"] for row in topics} == set(right)
    first = [{"id": row["id"], "answer": row["options"][0] if i % 4 else None} for i, row in enumerate(topics)]
    every = [{"id": row["id"], "answer": row["options"][right[row["id"]]]} for row in topics]
    runs = [made.lines(tmp_path / "alpha" / "first.jsonl", first), made.lines(tmp_path / "beta" / "all.jsonl", every)]
    scores = whole(campaign, *(run.parent for run in runs))
    assert "--mark" not in scores.why_unmarked
    assert "comparisons.csv" in scores.why_unmarked
    hits = sum(right[row["id"]] == 0 for i, row in enumerate(topics) if i % 4)
    assert scores.value("alpha_first", "c@1") == pytest.approx((hits + 40 * hits / 160) / 160)
    assert scores.value("beta_all", "c@1") == 1


def test_a_definition_campaign_scores_as_the_assessors_mapping_does(tmp_path: Path) -> None:
    """The example's assessor, on sheets: the same as `nescio nuggets score` with the mapping."""
    key, assessor = EXAMPLES / "key.txt", EXAMPLES / "assessor.txt"
    runs = [EXAMPLES / "runs" / "first.txt", EXAMPLES / "runs" / "short.txt"]
    campaign = made.start(tmp_path, "nuggets", [key])
    (tmp_path / "alpha").mkdir()
    text = {}
    for run in runs:
        shutil.copy(run, tmp_path / "alpha")
        for line in run.read_text(encoding="utf-8").splitlines():
            target, _, _, rank, _, tag, string = line.split(None, 6)
            text[tag, target, rank] = string.strip()
    said = [line.split()[:4] for line in assessor.read_text(encoding="utf-8").splitlines()]
    found = {(target, text[tag, target, rank]): nugget for target, tag, rank, nugget in said}
    made.ready(campaign, "ana")
    say = made.judge(campaign, lambda _, row: found.get((row["question_id"], row["answer"]), "-"), column="nuggets")
    assert say.sound
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    for row in nescio.nuggets.score([key, *runs, assessor], ci=None):
        assert scores.value(f"alpha_{row.run}", row.measure) == pytest.approx(row.value)
    nescio.campaign.publish(campaign)
    assert (campaign / "site" / "topics" / "tosk.html").is_file()


@pytest.mark.slow
def test_a_definition_campaign_on_real_nuggets_with_two_assessors(tmp_path: Path) -> None:
    """Forty targets of CONE-RAG, four runs of its systems, nuggets of relevance 3 and 4 vital. Two scripted assessors,
    the second of whom overlooks the last nugget of some strings; the recall is counted here from the sheets."""
    paths = there("cone_rag/gold_nuggets_human_deduplicated.json.gz", "cone_rag/manual_responses.json.gz")
    key, responses = (json.loads(gzip.decompress(path.read_bytes())) for path in paths)
    targets = [name for name in sorted(responses) if name in key][:40]
    nuggets = {
        name: [(one["text"].strip(), int(one["relevance"]) > 2) for one in key[name].values()] for name in targets
    }
    rows = [
        {"id": name, "target": name, "nuggets": [{"text": text, "vital": vital} for text, vital in own]}
        for name, own in nuggets.items()
    ]
    campaign = made.start(tmp_path, "nuggets", [made.lines(tmp_path / "key.jsonl", rows)])
    strings = {
        (run, name): [part.strip() for part in re.split(r"(?<=[.!?])\s+", responses[name].get(run, "")) if part.strip()]
        for run in sorted(responses[targets[0]])
        for name in targets
    }
    for run in {run for run, _ in strings}:
        made.lines(
            tmp_path / "alpha" / f"{run}.jsonl", [{"id": name, "strings": strings[run, name]} for name in targets]
        )
    made.edit(campaign / "campaign.toml", "runs = 3", "runs = 4")
    assert not nescio.campaign.intake(campaign, [tmp_path / "alpha"], received="2026-05-01").refused
    nescio.campaign.pool(campaign)

    def found(question: str, answer: str) -> list[int]:
        spoken = {*re.findall(r"\w+", answer.casefold())}
        words = [{*re.findall(r"\w+", text.casefold())} for text, _ in nuggets[question]]
        return [n for n, own in enumerate(words, 1) if len(own & spoken) / len(own) > 0.4]

    missed = []

    def say(who: str, row: dict[str, str]) -> str:
        own = found(row["question_id"], row["answer"])
        if who == "ben" and own and row["item"][0] in "bcd":
            missed.append(own.pop())
        return ",".join(map(str, own)) or "-"

    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    agreement = made.judge(campaign, say, column="nuggets").tables["agreement"]
    decisions = sum(len(nuggets[row["question_id"]]) for row in made.rows_of(campaign / "sheets" / "ana.csv"))
    assert missed
    assert {row.measure: row.value for row in agreement}["p_o"] == pytest.approx(1 - len(missed) / decisions)
    with pytest.raises(nescio.MismatchError, match=f"{len(missed)} answers? judged differently"):
        nescio.campaign.score(campaign)
    nescio.campaign.sheets(campaign, adjudicate=True)
    adjudicated = made.judge(
        campaign, lambda who, row: say("ana", row) if who == "adjudication" else "", column="nuggets"
    )
    assert adjudicated.sound
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    for run in {run for run, _ in strings}:
        recall = []
        for name in targets:
            vital = {n for n, (_, is_vital) in enumerate(nuggets[name], 1) if is_vital}
            hit = {n for answer in strings[run, name] for n in found(name, answer)}
            recall += [len(hit & vital) / len(vital)] if vital else []
        assert scores.value(f"alpha_{run}", "nuggets.NR") == pytest.approx(mean(recall))
