"""What makes no sense is refused: status 2, nothing printed, nothing written, and one line that says why."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from .conftest import EXAMPLES, Command

ALL = "questions.jsonl runs/mine.jsonl runs/old.jsonl runs/other.jsonl"
PAIR = "outcomes.csv --baseline old --run mine"
TEXTS = "questions.jsonl runs/mine.jsonl"
MODEL = f"{TEXTS} -o out.csv --judge llm"
DEFINED = "key.txt runs/first.txt"
RATES = "--rates 0.5,0.3,0.2"
GATE = "table3.csv --fail-under c@1=0.5"
STATED = "--spread 0.6 --correlation 0.7 --questions 1000 --half-width 0.05"

# The words of a command in a copy of examples/, and a part of what it says.
REFUSED: dict[str, list[tuple[str, str]]] = {
    "scoer": [("", "did you mean score")],
    "score": [
        ("table3.csv -m c@2", "did you mean c@1"),
        ("table3.csv -m AURC", "needs a confidence"),
        ("table3.csv -m 'penalty(t=1)'", "below 1"),
        ("table3.csv -m 'penalty(q=1)'", "no parameter 'q'"),
        ("table3.csv --by topic", "counts table"),
        ("table3.csv --interval wilson -m UF", "wilson is for simple proportions"),
        ("table3.csv --ci high", "level in percent"),
        ("table3.csv --outcome-map yes=right", "an outcome must be one of"),
        ("table3.csv --format-in pam", "did you mean pan"),
        ("table3.csv -o scores.doc", "written to"),
        ("table3.csv -o no/such/folder/scores.json", "no folder"),
        ("table3.csv --mark", "cannot be compared"),
        ("outcom.csv", "did you mean outcomes.csv?"),
        ("outcomes.csv --by categry", "category?"),
        ("outcomes.csv -m c@1 --columns run,crrect", "unknown column of this table 'crrect'; did you mean correct"),
        ("outcomes.csv -m c@1 --columns c@1,n", "--columns: a row needs its run"),
        ("outcomes.csv -m c@1 --columns run,accuracy", "unknown column of this table 'accuracy'"),
        ("ap.csv -m 'mean(ap)' --columns run,correct", "nothing to count"),
        ("table3.csv --fail-under c@1", "MEASURE=VALUE"),
        ("table3.csv --fail-under c@2=0.5", "unknown measure 'c@2'"),
        ("table3.csv --junit gates.xml", "there are none"),
        (f"{GATE} --junit no/such/gates.xml", "no folder"),
        (f"{GATE} --junit table3.csv", "is one of the input files"),
        (f"{GATE} --junit x.json -o x.json", "each need a file"),
        ("table3.csv --step-summary=x.md -o x.md", "each need a file"),
        ("table3.csv --step-summary", "GITHUB_STEP_SUMMARY is not set"),
        ("table3.csv --step-summary=", "GITHUB_STEP_SUMMARY is not set"),
        ("--step-summary outcomes.csv table3.csv", "a step summary is Markdown"),
        ("table3.csv --step-summary=no/such/summary.md", "no folder"),
        ("table3.csv --step-summary .", "is a folder"),
        (f"{ALL} --labels people.csv --mark", "--mark tests the judge's verdicts"),
        (f"{ALL} --labels people.csv -m coverage", "coverage uses more than these"),
        (f"{ALL} --target collection", "--target needs --labels"),
        ("outcomes.csv --suite-by category --target population", "--target needs --labels"),
        ("outcomes.csv --suite-by category --labels people.csv", "--labels cannot be used with a suite of benchmarks"),
        (f"{ALL} --labels table3.csv", "judgements name the question in a column"),
        (f"{ALL} --labels people.csv -o people.csv", "one of the input files"),
        ("--suite suite/suite.toml", "nescio score NAME=FILE NAME=FILE, or nescio score suite.toml"),
        ("sums=nowhere/*.csv", "no file matches nowhere/*.csv"),
        ("outcomes.csv b=trials.csv", "NAME=FILES"),
        ("a=outcomes.csv --suite-by category", "are a suite already"),
        ("suite/suite.toml --suite-by category", "are a suite already"),
        ("outcomes.csv --over benchmarks", "--over needs a suite of benchmarks or --suite-by"),
        ("outcomes.csv --suite-by category --by story", "--by cannot be used"),
        ("outcomes.csv --suite-by category --fail-under c@1=0.5", "--fail-under"),
        ("a=outcomes.csv b=trials.csv", "--incomplete complete-runs"),
        ("a=outcomes.csv b=nowhere.csv", "nowhere.csv"),
        ("a=suite/suite.toml b=outcomes.csv", "suite.toml"),
    ],
    "compare": [
        ("table3.csv", "cannot be compared"),
        ("outcomes.csv --baseline odl", "did you mean old?"),
        ("outcomes.csv --fail-on-regression", "--fail-on-regression needs --baseline"),
        ("outcomes.csv --baseline old -m c@1 --fail-on-regression --resamples 10", "too few for the 95% interval of a gate"),
        (f"{ALL} --labels people.csv --test tukey", "--test cannot be used with --labels"),
        (f"{ALL} --target population", "--target needs --labels"),
        (f"{ALL} --also-judged people.csv", "--also-judged needs --labels"),
        ("--suite suite/suite.toml", "nescio compare NAME=FILE NAME=FILE, or nescio compare suite.toml"),
        ("outcomes.csv --suite-by category --test tukey", "--test cannot be used"),
        ("outcomes.csv --suite-by category -o page.html", "`nescio report` writes pages"),
        ("outcomes.csv --baseline none.json", "none.json: there is no such file"),
        ("outcomes.csv --baseline none.json --suite-by category", "none.json: there is no such file"),
    ],
    "report": [
        (f"{ALL} --baseline old --labels people.csv -o x.html", "--labels cannot be used with --baseline"),
        ("--suite suite/suite.toml", "nescio report NAME=FILE NAME=FILE, or nescio report suite.toml"),
        ("outcomes.csv --suite-by category --baseline old", "--baseline cannot be used"),
        ("outcomes.csv --baseline none.json", "none.json: there is no such file"),
    ],
    "check": [("trivia=suite/trivia.csv", "trivia=suite/trivia.csv: there is no such file")],
    "baseline": [
        ("outcomes.csv -o baseline.json", "say which run is the baseline with --run; runs are 'mine', 'old', 'other'"),
        ("outcomes.csv --run c -o baseline.json", "unknown run 'c'"),
        ("outcomes.csv --run old -o baseline.csv", "a baseline is written to .json"),
        ("outcomes.csv --run old", "Missing option '-o'"),
        ("table3.csv --run icia091ro -o baseline.json", "holds no outcomes of single questions"),
    ],
    "look": [
        (f"{PAIR} --test tukey", "No such option '--test'"),
        (f"{PAIR} --resamples 5", "No such option '--resamples'"),
        (f"{PAIR} -m c@1 -m UF", "takes the name of one measure (found ['c@1', 'UF'])"),
        (f"{PAIR} --state outcomes.csv", "is one of the input files"),
        (f"{PAIR} --state looks.json -o looks.json", "each need a file of their own"),
        (f"{PAIR} --margin 0", "margin takes a number, above 0 (found '0')"),
        ("outcomes.csv --baseline none.json", "none.json: there is no such file"),
    ],
    "tune": [
        ("outcomes.csv", "name it with --run, or compare two with `nescio tune-pair`: mine, old, other"),
        ("table3.csv", "a counts table has no questions to tune a threshold on"),
        ("night-1.csv --run new", "run 'new' has no confidences"),
        ("outcomes.csv --run mine -m c@1 -m UF", "one measure"),
        ("outcomes.csv --run mine -m 'mean(f1)'", "f1"),
        ("outcomes.csv --run mine --max-risk 5", "--max-risk takes a number between 0 and 1"),
        ("outcomes.csv --run mine --max-risk 0.1 --confidence 0.3", "--confidence takes a share from .5 to below 1"),
        ("outcomes.csv --run mine --max-risk 0.1 --cluster story", "independent"),
        ("outcomes.csv --run mine --grid 0.5", "--grid needs --max-risk"),
        ("outcomes.csv --run mine --confidence 0.9", "--confidence needs --max-risk"),
        ("outcomes.csv --run mine --max-risk 0.1 --grid a,b", "numbers separated by commas"),
        ("outcomes.csv --run yours", "unknown run"),
        ("outcomes.csv --run mine -o tuned.json", "a run is written to"),
        ("outcomes.csv --run mine -o outcomes.csv", "one of the input files"),
    ],
    "tune-pair": [
        ("outcomes.csv -m c@1 -m UF", "-m takes the name of one measure (found ['c@1', 'UF'])"),
        ("outcomes.csv --max-risk 0.1", "No such option '--max-risk'"),
        ("outcomes.csv --run yours", "unknown run"),
        ("table3.csv", "choose them with --baseline OLD --run NEW"),
    ],
    "plan": [
        ("", "starts from a pilot"),
        ("table3.csv", "give its counts as rates"),
        ("nowhere.csv", "nowhere.csv"),
        ("--rates a,b,c", "three numbers separated by commas"),
        ("--rates 0.5,0.3,0.1 --difference 0.1", "sum to 1"),
        (RATES, "say which difference"),
        (f"{RATES} --difference 0", "difference of 0"),
        (f"{RATES} --difference 0.1 --power 0.01", "--power 0.01 must be above --alpha 0.05"),
        (f"{RATES} --run new", "--run cannot be used with --rates"),
        (f"nowhere.csv {RATES}", "--rates cannot be used with a pilot"),
        ("nowhere.csv --agreement 0.2", "--agreement needs --rates"),
        (f"{RATES} --difference 2", "cannot give a difference"),
        (f"{RATES} --difference 0.1 -m c@2", "did you mean c@1"),
    ],
    "plan-labels": [
        (f"--labels people.csv {STATED}", "--labels needs a pilot"),
        (f"{ALL} {STATED}", "--spread cannot be used with a pilot"),
        (f"{STATED} --difference 0.1", "--half-width cannot be used with --difference"),
        (f"{ALL} --half-width 0.1", "give --labels FILE, or the --correlation that you expect"),
    ],
    "meta": [
        ("power table3.csv", "which questions each run got right"),
        ("power outcomes.csv --resamples few", "--resamples takes a whole number, 1 or more, or all (found 'few')"),
        ("power outcomes.csv --alpha 5%", "--alpha takes numbers between 0 and 1, separated by commas (found '5%')"),
        ("power outcomes.csv --alpha 0", "--alpha takes numbers between 0 and 1, separated by commas (found '0')"),
        ("stability outcomes.csv --size 0", "--size takes whole numbers from 1, separated by commas (found '0')"),
        ("stability outcomes.csv --fuzziness 0.1,1", "--fuzziness takes numbers between 0 and 1"),
        ("stability outcomes.csv --figure ties.pdf", "a figure is written to .svg"),
        ("swap outcomes.csv --confidence 30", "--confidence takes a level in percent, from 50 to below 100"),
        ("agreement outcomes.csv -m c@1", "two measures or more"),
        ("agreement outcomes.csv --rbo-p 2", "--rbo-p takes a number between 0 and 1"),
    ],
    "judge": [
        (TEXTS, "nothing to do: use -o FILE to write the outcomes"),
        (f"{TEXTS} --report x.json -o out.csv", "--report needs --against"),
        (f"{TEXTS} -o out.txt", "an outcome table is written to .csv, .tsv, .jsonl, .parquet"),
        (f"{TEXTS} -o questions.jsonl", "is one of the input files"),
        (f"{TEXTS} -o out.csv --judge 'overlap(2)'", "the threshold of F must be above 0"),
        (f"{TEXTS} -o out.csv --judge human", "reads judgements from a file"),
        (f"{TEXTS} -o out.csv --against none.csv", "there is no such file"),
        (f"{TEXTS} -o out.csv --target population", "--target needs --against"),
        (f"{TEXTS} --against people.csv --judge-name mine", "they hold none"),
        ("outcomes.csv -o out.csv", "these files need no judge: an outcome table"),
        ("outcomes.csv --judge exact --against people.csv", "these files need no judge"),
        (f"{MODEL} --model m", "--judge llm needs --base-url"),
        (f"{MODEL} --base-url http://h", "--judge llm needs --model"),
        (f"{MODEL} --base-url h --model m", "--base-url must be an address"),
        (f"{MODEL} --base-url http://h --model m --api-key-env NOT_SET", "NOT_SET holds no key"),
        (f"{MODEL} --base-url http://h --model m --max-cost 1", "needs the prices"),
        (f"{TEXTS} -o out.csv --judge exact --max-calls 3", "--max-calls is for --judge llm"),
        (f"{TEXTS} -o out.csv --model m", "--model is for --judge llm"),
    ],
    "convert": [
        ("table3.csv o.csv", "no outcomes of single questions"),
        ("table3.csv out --to questions", "no outcomes of single questions"),
        ("outcomes.csv", "convert takes FILES... OUTPUT, in this order"),
        ("outcomes.csv o.doc", "is written to"),
        ("outcomes.csv outcomes.csv", "one of the input files"),
        ("outcomes.csv out --to squad", "unknown format to write 'squad'; did you mean squad2"),
        ("outcomes.csv out --to kilt", "already graded and nescio reads no texts of them, so it can be written --to outcomes"),
        ("outcomes.csv out --to pan", "this is not PAN data"),
        ("outcomes.csv out.jsonl --to kilt", "--to kilt is written to a folder; name one"),
        ("outcomes.csv outcomes.csv --to pan", "--to pan is written to a folder; name one"),
        ("outcomes.csv runs --to kilt", "already exists; give a new or empty folder"),
        ("outcomes.csv no/out --to pan", "there is no folder"),
        ("outcomes.csv hub --to eval_results", "needs --benchmark DATASET:TASK"),
        ("outcomes.csv hub --to eval_results --benchmark hle", "needs --benchmark DATASET:TASK"),
        ("outcomes.csv o.csv --benchmark cais/hle:hle", "--benchmark goes with --to eval_results"),
    ],
    "nuggets": [
        (f"score {DEFINED} --automatic magic", "--automatic takes one of count, idf, embedding"),
        (f"score {DEFINED} --assessors each", "assessors are chosen from those of a mapping"),
        (f"score {DEFINED} --beta -1", "beta must be more than 0"),
        (f"score {DEFINED} --beta 5 -m nuggets.automatic_NR", "--beta: nuggets.automatic_NR has none"),
        (f"score {DEFINED} -m nuggets.FO", "unknown measure 'nuggets.FO'"),
        ("answer targets.jsonl texts -o x.csv", "a run is written to .jsonl or .txt"),
        ("answer targets.jsonl suite -o x.jsonl", "there are no texts"),
    ],
    "read": [
        ("answer developset --system deep-red -o r.jsonl", "did you mean deep-read"),
        ("answer developset --system deep-read --switch ProHum -o r.jsonl", "ProHum needs names or references marked by hand"),
        ("answer developset --system sliding-window -o r.jsonl", "has no options, and this system chooses among options"),
        ("answer developset --system deep-read --threshold 2 -o r.jsonl", "--threshold takes a number, from 0 to 1 (found '2')"),
        ("answer logs --system deep-read -o r.jsonl", "this is a folder; name the files in it"),
        ("answer questions.jsonl --system deep-read -o r.jsonl", "has no story"),
        ("answer developset --system deep-read -o run.csv", "a run is written to .jsonl"),
        ("score outcomes.csv", "scores answers that are already judged"),
    ],
    "ave": [
        ("validate train dev.xml -o model.pkl", "a model is written to .json"),
        ("validate train dev.xml -o model.json --without magic", "unknown technique 'magic'"),
        ("validate train questions.jsonl -o model.json", "is not an AVE collection"),
        ("validate run dev.xml --model suite/history.csv -o out.txt", "not a saved model"),
        ("score pairs2006.xml answers.txt --ranking answers.txt", "AVE 2006"),
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(EXAMPLES, tmp_path_factory.mktemp("refused") / "examples"))


def held(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", REFUSED)
def test_what_makes_no_sense_is_refused(
    name: str, copied: Path, nescio: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(copied)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    before = held(copied)
    for words, message in REFUSED[name]:
        try:
            nescio(name, *shlex.split(words)).assert_refused(message)
        except AssertionError as error:
            error.add_note(f"nescio {name} {words}")
            raise
    assert held(copied) == before
