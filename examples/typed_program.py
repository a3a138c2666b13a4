"""Calls every verb of nescio and reads its results, in the words of a type checker.

    mypy --strict typed_program.py
    python typed_program.py        in this folder; what is written goes to a temporary folder

`assert_type` states what a checker knows of a value. A misspelt option or field is an error to the checker, and
when it runs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, assert_type, cast

import polars

import nescio
from nescio.comparison.contamination import Excess
from nescio.comparison.early import Look
from nescio.comparison.items import Item
from nescio.comparison.judge_shift import Shift
from nescio.comparison.stakes import AtStake
from nescio.data.pivot import Pivot
from nescio.meta_evaluation import Agreement, Correlation, Finding, Power, PowerPlan, Stability, SwapBin
from nescio.meta_evaluation.planning.labels import LabelPlan
from nescio.meta_evaluation.planning.repeat_plans import RepeatsPlan
from nescio.scoring.assessors import Assessor
from nescio.scoring.components import TotalError
from nescio.scoring.drawing import Draw, ToLabel
from nescio.scoring.guarding import Guarded
from nescio.scoring.label_looks import LabelLook
from nescio.scoring.repeat_noise import Repeatability
from nescio.selective import TunedPair
from nescio.selective.cascades import Way
from nescio.selective.votes import Vote
from nescio.suites.rows import SuiteScores
from nescio.verbs._answers import Answered
from nescio.verbs._file_summary import FileSummary
from nescio.verbs.check import Checked
from nescio.verbs.convert import Converted
from nescio.verbs.judge import Judged
from nescio.verbs.lab.stakes_prompts import PromptsWritten
from nescio.verbs.report import Report

FAST = 200  # resamples
RUNS = ["runs/mine.jsonl", "runs/old.jsonl", "runs/other.jsonl"]


@nescio.statistic(each=lambda run: {"silent": run.unanswered}, needs="unanswered", bounds=(0, 1))
def share_silent(total: Any) -> Any:
    return total.silent / total.n


def scores() -> None:
    """Score, look values up, and take them elsewhere."""
    results = nescio.score(
        "outcomes.csv", ["c@1", nescio.measure("penalty(t=0.75)")], by="category", interval="percentile", resamples=FAST
    )
    assert_type(results, nescio.Scores)
    for row in results:
        assert_type(row, nescio.Score)
        assert_type(row.value, float)
        assert_type(row.low, float | None)
    assert_type(results["mine", "c@1"], nescio.Score)
    assert_type(results["mine", "c@1", "who"].n, int)
    assert_type(results.value("mine", "c@1"), float)
    assert_type(results.pivot(), Pivot)
    results.to_pandas()
    results.to_polars()
    print(results.pivot())
    measure = nescio.measure("c@1")
    assert_type(measure, nescio.Measure)
    assert_type(measure(correct=237, incorrect=156, unanswered=107), float)
    assert_type(nescio.from_counts(237, 156, 107), nescio.Scores)
    print(nescio.list_measures("c@1").name)
    frame = polars.DataFrame({"model": ["a", "a"], "id": [1, 2], "grade": ["correct", "unanswered"]})
    print(share_silent("outcomes.csv", resamples=FAST).rows[0])
    print(nescio.score(nescio.from_dataframe(frame, run="model", question="id", outcome="grade"), ci=None))


def people() -> None:
    """Have people judge some answers, and ask whether they have judged enough."""
    with TemporaryDirectory() as folder:
        sheet = nescio.labels.draw("outcomes.csv", Path(folder, "sheet.csv"), draw=20)
        assert_type(sheet, Draw)
        assert_type(sheet.to_label, tuple[ToLabel, ...])
    audit = nescio.labels.shift("outcomes.csv", labels="people.csv", margin=0.1)
    assert_type(audit.rows, tuple[Shift, ...])
    enough = nescio.labels.look("outcomes.csv", "accuracy", labels="people.csv", half_width=0.1)
    assert_type(enough.rows, tuple[LabelLook, ...])


def comparisons() -> None:
    """Compare, choose a threshold, plan, and study the measures."""
    compared = nescio.compare("outcomes.csv", "c@1", baseline="old", test="exact", correction="holm", missing="error")
    assert_type(compared, nescio.Comparisons)
    for row in compared:
        assert_type(row, nescio.Comparison)
        assert_type(row.p, float | None)
    suite = nescio.score("suite/suite.toml", "c@1", over="benchmarks", resamples=FAST)
    assert isinstance(suite, SuiteScores)
    for of_suite in suite:
        assert_type(of_suite.win_rate, float | None)
    with TemporaryDirectory() as folder:
        written = nescio.report("suite/suite.toml", output=Path(folder, "suite.html"), resamples=FAST)
        assert_type(written.page, Path | None)
        prompts = nescio.lab.stakes_prompts("questions.jsonl", Path(folder, "prompts.jsonl"), stakes=["1", "3"])
        assert_type(prompts, PromptsWritten)
    over = nescio.compare("outcomes.csv", "c@1", suite_by="category", baseline="old", resamples=FAST)
    assert_type(over, nescio.Comparisons)
    tuned = nescio.tune("outcomes.csv", run="mine", resamples=FAST)
    assert_type(tuned, nescio.Tuned)
    assert_type(tuned.rows, tuple[nescio.Tuning, ...])
    assert_type(tuned.threshold, float | None)
    assert_type(tuned.applied, nescio.Evidence | None)
    pair = cast(TunedPair, nescio.tune("outcomes.csv", run="mine", baseline="old", resamples=FAST))
    assert_type(pair.comparison, nescio.Comparison)
    assert_type(nescio.plan("outcomes.csv", run="mine", baseline="old", questions=500).rows, tuple[PowerPlan, ...])
    early = nescio.compare("outcomes.csv", "c@1", baseline="old", run="mine", margin=0.03, looks=True)
    assert_type(cast(nescio.Results[Look], early).rows, tuple[Look, ...])
    assert_type(nescio.lab.repeats("trials.csv", "accuracy").rows, tuple[Repeatability, ...])
    print(nescio.lab.flips("trials.csv", "accuracy", run="agent-1", draws=5).rows[0].flips)
    assert_type(nescio.lab.guard("outcomes.csv", at_most_silent=0.4).rows, tuple[Guarded, ...])
    assert_type(nescio.lab.stakes("stakes.csv").rows, tuple[AtStake, ...])
    assert_type(nescio.lab.cascade("cascade.csv", cost="cost_usd", right=0.05).rows, tuple[Way, ...])
    assert_type(nescio.lab.assessors("annotators.csv", resamples=FAST).rows, tuple[Assessor, ...])
    assert_type(nescio.lab.vote("votes.csv").rows, tuple[Vote, ...])
    assert_type(nescio.lab.contamination("paraphrases.csv", suspect="new").rows, tuple[Excess, ...])
    assert_type(nescio.lab.items("items.csv").rows, tuple[Item, ...])
    assert_type(nescio.lab.components("prompts.csv", factor=["prompt"]).rows, tuple[TotalError, ...])
    advice = nescio.report("outcomes.csv", tolerate=20, resamples=FAST)
    print(advice.results.rows)
    labels = nescio.plan_labels(spread=0.6, correlation=0.7, questions=1000, half_width=0.07)
    assert_type(labels.rows, tuple[LabelPlan, ...])
    assert_type(nescio.plan_repeats(variances=(0.15, 0.1), budget=1000).rows, tuple[RepeatsPlan, ...])
    assert_type(nescio.audit("c@1").rows, tuple[Finding, ...])
    print(nescio.paper("PENAS2011", "table 3").rows[0])
    print(nescio.gate("policy.toml").rows[0].result)
    assert_type(nescio.meta.stability("outcomes.csv", "c@1", trials=5), nescio.Results[Stability])
    assert_type(nescio.meta.swap("outcomes.csv", "c@1", trials=5), nescio.Results[SwapBin])
    assert_type(nescio.meta.power("ap.csv", "mean(ap)", resamples=FAST), nescio.Results[Power])
    assert_type(nescio.meta.agreement("table3.csv", ["c@1", "accuracy"]), nescio.Results[Agreement])
    correlations = nescio.meta.comparability(nescio.score("table3.csv", ["c@1", "accuracy"], ci=None))
    assert_type(correlations, tuple[Correlation, ...])
    print(compared, tuned.threshold, correlations)


def files(folder: Path) -> None:
    """Check, judge, convert and report; `folder` takes what is written."""
    assert_type(nescio.check("outcomes.csv"), Checked)
    for summary in nescio.check(["outcomes.csv", "key.txt"]):
        assert_type(summary, FileSummary)
        assert_type(summary.error, nescio.NescioError | None)
    judged = nescio.judge(["questions.jsonl", *RUNS], judge="token_f1", against="people.csv")
    assert_type(judged, Judged)
    judged.write(folder / "judged.csv")
    assert_type(nescio.convert("log.eval", folder / "log.csv"), Converted)
    nescio.compare("outcomes.csv", ["c@1"], run="old", save_baseline=folder / "baseline.json", resamples=FAST)
    assert_type(nescio.sql("answers", only="pairs"), str)
    assert_type(nescio.report("outcomes.csv", ["c@1"], output=folder / "report.html", resamples=FAST), Report)
    changed = nescio.report("outcomes.csv", ["c@1"], output=folder / "diff.html", baseline="old", run="mine")
    assert_type(changed, Report)


def campaigns(folder: Path) -> None:
    """Answer validation, nuggets and reading comprehension."""
    collection, model, run = folder / "collection.xml", folder / "model.json", folder / "run.jsonl"
    assert_type(
        nescio.ave.build(["questions.jsonl", *RUNS], collection, judgements="judged.csv", language="EN").kind, str
    )
    assert_type(nescio.ave.score([collection, "validator.txt"], resamples=FAST), nescio.Scores)
    assert_type(nescio.ave.baselines(collection, resamples=FAST), nescio.Scores)
    print(nescio.ave.table12())
    print(nescio.ave.explain("dev.xml", "lighthouse-who", "lighthouse-who_1"))
    print(nescio.ave.pairs("dev.xml", folder / "pairs.xml"))
    nescio.ave.validate.train("dev.xml", model, trees=5, folds=3, resamples=FAST)
    print(nescio.ave.validate.run("test.xml", folder / "responses.txt", model=model))
    assert_type(nescio.nuggets.score(["key.txt", "runs/first.txt", "assessor.txt"], resamples=FAST), nescio.Scores)
    assert_type(nescio.nuggets.answer("targets.jsonl", "texts", folder / "nuggets.jsonl"), Answered)
    assert_type(nescio.read.answer("developset", run, system="deep-read", switches=["Stem"]), Answered)
    print(nescio.read.candidates("developset", folder / "candidates.xml", by_sentence=True))
    print(nescio.read.key("developset", folder / "autsent.jsonl"))
    assert_type(nescio.read.score(["developset", run], by="question_word", resamples=FAST), nescio.Scores)


def a_campaign(folder: Path) -> None:
    """Run a campaign from its topics on."""
    place = folder / "campaign"
    nescio.campaign.init(place, ["questions.jsonl"], task="qa", groups=["uned=UNED"], deadline="2029-12-31")
    nescio.campaign.handout(place)
    nescio.campaign.checker(place, folder / "checker.zip")
    nescio.campaign.export(place, folder / "bundle.zip", codabench=True)
    print(nescio.campaign.check(place, ["runs/mine.jsonl"]))
    print(nescio.campaign.intake(place, ["runs/mine.jsonl"], group="uned"))
    print(nescio.campaign.pool(place))
    print(nescio.campaign.sheets(place, ["ana"]))
    print(nescio.campaign.collect(place))
    print(nescio.campaign.score(place, resamples=FAST))
    print(nescio.campaign.publish(place))
    print(nescio.campaign.status(place))
    print(nescio.campaign.verify(place))
    print(nescio.campaign.extend(place, "uned", until="2030-01-01", reason="a power cut"))
    print(nescio.campaign.disqualify(place, "uned_mine", reason="trained on the topics"))
    print(nescio.campaign.disqualify(place, "uned_mine", reason="an error of ours", lift=True))
    print(nescio.campaign.withdraw(place, "uned_mine", reason="asked for by mail"))


def people_judge(folder: Path) -> None:
    """Have people judge in a browser."""
    base = str(folder / "judging.db")
    print(nescio.assess.create(base, ["questions.jsonl", *RUNS], overlap=2))
    nescio.assess.invite(base, ["ana", "ben"], days=7)  # what it returns are links that let people in: not printed
    serve: Callable[[str], None] = nescio.assess.serve  # until Ctrl-C, so it is not called here
    assert callable(serve)
    print(nescio.assess.status(base))
    print(nescio.assess.update(base, ["questions.jsonl", *RUNS]))
    print(nescio.assess.export(base, folder / "judged"))


def errors() -> list[str]:
    """Misspell, and read what is said."""
    messages: list[str] = []
    try:
        nescio.score("outcomes.csv", mising="common")  # type: ignore[call-arg]
    except TypeError as error:
        messages.append(str(error))
    for measure, path in (("c@2", "outcomes.csv"), ("c@1", "nowhere.csv"), ("mean(what)", "outcomes.csv")):
        try:
            nescio.score(path, measure)
        except (nescio.UnknownNameError, nescio.FormatError, nescio.MissingColumnError) as error:
            messages.append(str(error))
        except (nescio.UsageError, nescio.MismatchError, nescio.NescioError) as error:
            raise SystemExit(str(error)) from None
    return messages


def main() -> int:
    """Call everything."""
    with TemporaryDirectory() as name:
        scores()
        comparisons()
        people()
        files(Path(name))
        campaigns(Path(name))
        a_campaign(Path(name))
        people_judge(Path(name))
    print(*errors(), sep="\n")
    print("nescio", nescio.__version__)
    return 0


if __name__ == "__main__":
    sys.exit(main())
