"""Whole campaigns on other people's data, from topics to site, held against figures that were published or scored
otherwise."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from lxml import etree

import nescio
from nescio.people.campaigns.folder import contents, open_campaign

from . import made

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


def test_topics_may_be_a_table(tmp_path: Path) -> None:
    """The columns of a table of topics are found by their names, and the gold answers go to the key alone."""
    table = tmp_path / "topics.csv"
    table.write_text('qid,question,gold,theme\nq1,Who?,"[""Ann"", ""Anna""]",people\nq2,When?,1900,\nq3,Why?,,people\n')
    made = nescio.campaign.init(tmp_path / "c", [table], task="qa", groups=["a=A"], judge="exact")
    assert (made.topics, made.key) == (3, True)
    topics = (tmp_path / "c" / "topics" / "questions.jsonl").read_text()
    assert topics.splitlines()[0] == '{"id": "q1", "question": "Who?", "theme": "people"}'
    assert "Ann" not in topics
    rows = [json.loads(line) for line in (tmp_path / "c" / "key" / "topics.jsonl").read_text().splitlines()]
    assert [row.get("answers") for row in rows] == [["Ann", "Anna"], "1900", None]
    for broken, rule in (
        ("qid,question\nq1,Who?\nq1,When?\n", "topics.csv, row 2: the question appears twice"),
        ("qid,said\nq1,Who?\n", "topics.csv, line 1: topics need exactly one column of question"),
        ("qid,prompt,query\nq1,Who?,Who\n", "topics need exactly one column of question, but there are prompt, query"),
    ):
        table.write_text(broken)
        with pytest.raises(nescio.FormatError, match=rule):
            nescio.campaign.init(tmp_path / "d", [table], task="qa", groups=["a=A"])
        assert not (tmp_path / "d").exists()


def test_each_next_command_names_a_folder_that_a_shell_reads_back(tmp_path: Path) -> None:
    """A folder with spaces and an apostrophe: every command that a step prints has it as one word."""
    campaign = made.qa(tmp_path / "last year's runs", key=False)
    run = made.lines(tmp_path / "runs" / "one.jsonl", [{"id": f"q{i}", "answer": f"thing {i}"} for i in range(6)])
    printed = [nescio.campaign.status(campaign), nescio.campaign.handout(campaign), nescio.campaign.status(campaign)]
    nescio.campaign.intake(campaign, [run], group="alpha")
    printed += [nescio.campaign.status(campaign), nescio.campaign.pool(campaign), nescio.campaign.status(campaign)]
    printed += [nescio.campaign.sheets(campaign, assessors=["ann"]), nescio.campaign.status(campaign)]
    commands = [line for text in printed for line in re.findall(r"nescio campaign .*", str(text))]
    assert len(commands) == len(printed)
    for command in commands:
        assert shlex.split(command)[3].rstrip(";,") == str(campaign), command
