"""Whole campaigns on other people's data, from topics to site, held against figures that were published or scored
otherwise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import nescio
from nescio.campaigns.folder import contents, open_campaign
from nescio.campaigns.pooling import read_pool

from . import made
from .test_judging import fill

DATA = Path(__file__).parents[2].parent / "shared" / "data"
EXAMPLES = Path(__file__).parents[2] / "examples"


def there(*names: str) -> list[Path]:
    paths = [DATA / name for name in names]
    if not all(path.exists() for path in paths):
        pytest.skip(f"{names[0]} is not beside the checkout (../shared/data)")
    return paths


def whole(campaign: Path, inbox: list[Path], received: str = "2026-05-01") -> nescio.Scores:
    """Hand out, check, take in, score and publish; the scores of the one language."""
    nescio.campaign.handout(campaign)
    assert nescio.campaign.check(campaign, inbox).sound
    assert not nescio.campaign.intake(campaign, inbox, received=received).refused
    (scores,) = nescio.campaign.score(campaign, resamples=100).scores.values()
    published = nescio.campaign.publish(campaign)
    assert published.topics == open_campaign(campaign).topics().count
    assert all(step.done for step in nescio.campaign.status(campaign).steps)
    return scores


def test_cbc4kids_is_marked_as_read_score_marks_it(tmp_path: Path) -> None:
    """The student's run, from its stories to the site, has the marks of `nescio read score`."""
    stories, run = there("cbc4kids/developset", "cbc4kids/student-run.response")
    campaign = made.start(tmp_path, "reading", [stories], groups=["student=A student"])
    (tmp_path / "student").mkdir()
    (tmp_path / "student" / run.name).write_bytes(run.read_bytes())
    topics = "".join(held.decode() for name, held in contents(campaign).items() if name.startswith("topics/"))
    assert '"answers"' not in topics
    scores = whole(campaign, [tmp_path / "student"])
    again = nescio.read.score([stories, run], ci=None)
    for row in again:
        assert scores.value("student-run", row.measure) == pytest.approx(row.value)


def test_a_respubliqa_like_campaign_on_qa4mre(tmp_path: Path) -> None:
    """160 questions of five options. The first run answers all but every fourth question with the first option,
    which is right where the key says so; c@1 is counted by hand from the key."""
    (gold,) = there("qa4mre/QA4MRE-2012-EN_GS.xml")
    campaign = made.start(tmp_path, "qa", [gold])
    topics = [json.loads(line) for line in (campaign / "topics" / "questions.jsonl").read_text().splitlines()]
    assert len(topics) == 160
    from lxml import etree

    right = {}
    for test in etree.parse(str(gold)).iter("reading-test"):
        topic = test.getparent().get("t_id")
        for question in test.iter("q"):
            marks = [answer.get("correct") == "Yes" for answer in question.findall("answer")]
            right[f"{topic}-{test.get('r_id')}-{question.get('q_id')}"] = marks.index(True)
    assert {row["id"] for row in topics} == set(right)
    answered = [row for i, row in enumerate(topics) if i % 4]
    rows = [{"id": row["id"], "answer": row["options"][0] if i % 4 else None} for i, row in enumerate(topics)]
    made.lines(tmp_path / "alpha" / "first.jsonl", rows)
    made.lines(
        tmp_path / "beta" / "all.jsonl",
        [{"id": row["id"], "answer": row["options"][right[row["id"]]]} for row in topics],
    )
    scores = whole(campaign, [tmp_path / "alpha", tmp_path / "beta"])
    assert "--mark" not in scores.why_unmarked
    assert "comparisons.csv" in scores.why_unmarked
    hits = sum(right[row["id"]] == 0 for row in answered)
    assert scores.value("alpha_first", "c@1") == pytest.approx((hits + 40 * hits / 160) / 160)
    assert scores.value("beta_all", "c@1") == 1


def test_trec_questions_judged_on_sheets_by_their_patterns(tmp_path: Path) -> None:
    """Patterns of TREC play two assessors, one of whom errs on every tenth answer; an adjudicator puts it right."""
    import re

    (patterns,) = there("trecqa/answer_trec13factpats.txt")
    keys: dict[str, list[str]] = {}
    for line in patterns.read_text(encoding="latin-1").splitlines():
        number, _, pattern = line.partition(" ")
        keys.setdefault(number, []).append(pattern.strip())
    numbers = list(keys)[:60]
    campaign = made.start(
        tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", [{"id": n, "question": f"Question {n}"} for n in numbers])]
    )

    def literal(pattern: str) -> str:
        return re.sub(r"[\\?^$]|\.\*", "", pattern.split("|", maxsplit=1)[0].strip("()"))

    given = {n: literal(keys[n][0]) if i % 3 else "no such thing" for i, n in enumerate(numbers)}
    made.lines(
        tmp_path / "alpha" / "r.jsonl",
        [{"id": n, "answer": given[n] if i % 5 else None} for i, n in enumerate(numbers)],
    )
    made.lines(tmp_path / "beta" / "r.jsonl", [{"id": n, "answer": given[n].upper()} for n in numbers])
    inbox = [tmp_path / "alpha", tmp_path / "beta"]
    nescio.campaign.intake(campaign, inbox, received="2026-05-01")
    pooled = nescio.campaign.pool(campaign)
    assert (pooled.given, pooled.distinct) == (108, 60)  # 48 of alpha's are beta's but for case

    def truth(row: dict[str, str]) -> str:
        return "R" if any(re.search(p, row["answer"], re.IGNORECASE) for p in keys[row["question_id"]]) else "W"

    place = {item.id: i for i, item in enumerate(read_pool(open_campaign(campaign)))}
    flip = {"R": "W", "W": "R"}
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    fill(campaign, lambda who, row: flip[truth(row)] if who == "ben" and place[row["item"]] % 10 == 0 else truth(row))
    agreement = nescio.campaign.collect(campaign, resamples=100).tables["agreement"]
    assert agreement[0].value == pytest.approx(0.9)
    nescio.campaign.sheets(campaign, adjudicate=True)
    fill(campaign, lambda who, row: truth(row) if who == "adjudication" else "")
    assert nescio.campaign.collect(campaign, resamples=100).sound
    (scores,) = nescio.campaign.score(campaign, resamples=100).scores.values()
    judged = {n: truth({"answer": given[n].upper(), "question_id": n}) == "R" for n in numbers}
    assert scores.value("beta_r", "accuracy") == pytest.approx(sum(judged.values()) / 60)
    own = sum(judged[n] for i, n in enumerate(numbers) if i % 5)
    assert scores.value("alpha_r", "c@1") == pytest.approx((own + 12 * own / 60) / 60)


def test_a_definition_campaign_scores_as_the_assessors_mapping_does(tmp_path: Path) -> None:
    """The example's assessor, on sheets: the same as `nescio nuggets score` with the mapping."""
    key, runs = EXAMPLES / "key.txt", [EXAMPLES / "runs" / "first.txt", EXAMPLES / "runs" / "short.txt"]
    campaign = made.start(tmp_path, "nuggets", [key])
    (tmp_path / "alpha").mkdir()
    for run in runs:
        (tmp_path / "alpha" / run.name).write_bytes(run.read_bytes())
    text = {}
    for run in runs:
        for line in run.read_text(encoding="utf-8").splitlines():
            target, _, _, rank, _, tag, string = line.split(None, 6)
            text[tag, target, rank] = string.strip()
    found: dict[tuple[str, str], str] = {}
    for line in (EXAMPLES / "assessor.txt").read_text(encoding="utf-8").splitlines():
        target, tag, rank, nugget = line.split()[:4]
        string = text[tag, target, rank]
        before = found.setdefault((target, string), nugget)
        assert before == nugget, "the assessor judged one string twice, differently"
    nescio.campaign.intake(campaign, [tmp_path / "alpha"], received="2026-05-01")
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"])
    fill(campaign, lambda _who, row: found.get((row["question_id"], row["answer"]), "-"), "nuggets")
    assert nescio.campaign.collect(campaign).sound
    (scores,) = nescio.campaign.score(campaign, resamples=100).scores.values()
    by_mapping = nescio.nuggets.score([key, *runs, EXAMPLES / "assessor.txt"], ci=None)
    for row in by_mapping:
        assert scores.value(f"alpha_{row.run}", row.measure) == pytest.approx(row.value)
    nescio.campaign.publish(campaign)
    assert (campaign / "site" / "topics" / "tosk.html").is_file()


def test_a_definition_campaign_on_real_nuggets_with_two_assessors(tmp_path: Path) -> None:
    """Forty targets of CONE-RAG, four runs of its systems, nuggets of relevance 3 and 4 vital. Two scripted assessors,
    the second of whom overlooks the last nugget of every fifth string; the recall is counted here from the sheets."""
    import gzip
    import re
    from collections import defaultdict

    gold, said = there("cone_rag/gold_nuggets_human_deduplicated.json.gz", "cone_rag/manual_responses.json.gz")
    key, responses = (json.loads(gzip.decompress(path.read_bytes())) for path in (gold, said))
    targets = [name for name in sorted(responses) if name in key][:40]
    nuggets = {name: list(key[name].values()) for name in targets}
    rows = [
        {
            "id": name,
            "target": f"Turn {name}",
            "nuggets": [{"text": one["text"].strip(), "vital": int(one["relevance"]) > 2} for one in nuggets[name]],
        }
        for name in targets
    ]
    campaign = made.start(tmp_path, "nuggets", [made.lines(tmp_path / "key.jsonl", rows)])
    runs = sorted(responses[targets[0]])
    strings: dict[tuple[str, str], list[str]] = {}
    for i, run in enumerate(runs):
        for name in targets:
            text = responses[name].get(run, "")
            strings[run, name] = [part.strip() for part in re.split(r"(?<=[.!?])\s+", text) if part.strip()]
        folder = tmp_path / ("alpha" if i < 2 else "beta")
        made.lines(folder / f"{run}.jsonl", [{"id": name, "strings": strings[run, name]} for name in targets])
    inbox = [tmp_path / "alpha", tmp_path / "beta"]
    assert nescio.campaign.check(campaign, inbox).sound
    assert not nescio.campaign.intake(campaign, inbox, received="2026-05-01").refused
    nescio.campaign.pool(campaign)

    def found(row: dict[str, str]) -> list[int]:
        spoken = {*re.findall(r"\w+", row["answer"].casefold())}
        own = [{*re.findall(r"\w+", one["text"].casefold())} for one in nuggets[row["question_id"]]]
        return [n for n, words in enumerate(own, 1) if len(words & spoken) / len(words) > 0.4]

    place = {item.id: i for i, item in enumerate(read_pool(open_campaign(campaign)))}

    def say(who: str, row: dict[str, str]) -> str:
        own = found(row)
        own = own[:-1] if who == "ben" and place[row["item"]] % 5 == 0 else own
        return ",".join(map(str, own)) or "-"

    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    fill(campaign, say, "nuggets")
    agreement = {row.measure: row.value for row in nescio.campaign.collect(campaign, resamples=100).tables["agreement"]}
    items = read_pool(open_campaign(campaign))
    decisions = sum(len(nuggets[item.question]) for item in items)
    missed = sum(
        bool(found({"answer": item.answer, "question_id": item.question})) for item in items if place[item.id] % 5 == 0
    )
    assert missed > 0
    assert agreement["p_o"] == pytest.approx(1 - missed / decisions)
    with pytest.raises(nescio.MismatchError, match=f"{missed} answers? judged differently"):
        nescio.campaign.score(campaign)
    nescio.campaign.sheets(campaign, adjudicate=True)
    fill(campaign, lambda who, row: say("ana", row) if who == "adjudication" else "", "nuggets")
    assert nescio.campaign.collect(campaign, resamples=100).sound
    (scores,) = nescio.campaign.score(campaign, resamples=100).scores.values()
    recall: dict[str, list[float]] = defaultdict(list)
    for (run, name), own in strings.items():
        vital = {n for n, one in enumerate(nuggets[name], 1) if int(one["relevance"]) > 2}
        hit = {n for answer in own for n in found({"answer": answer, "question_id": name})}
        if vital:
            recall[run].append(len(hit & vital) / len(vital))
    for i, run in enumerate(runs):
        group = "alpha" if i < 2 else "beta"
        assert scores.value(f"{group}_{run}", "nuggets.NR") == pytest.approx(sum(recall[run]) / len(recall[run]))
    published = nescio.campaign.publish(campaign)
    assert (published.topics, published.groups) == (40, 2)
