"""Every figure in every sentence of a whole page, made again in plain Python from what `convert`, `score`, `compare` and
`tune` print: what no rule here explains is not believed."""

from __future__ import annotations

import contextlib
import csv
import html
import io
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta

from nescio.cli.app import run as call
from tests.daily import daily
from tests.reporting.conftest import make
from tests.reporting.test_statements import EXAMPLES, PAGES, RESAMPLES, SLOW, Files, predicted

pytestmark = pytest.mark.usefixtures("undrawn")
WRITTEN = {
    "a log of lm-eval": ["--choose", "filter=strict-match"],
    "a log of DeepEval": ["--ungraded", "exclude"],
    "a log of promptfoo": ["--ungraded", "exclude"],
}
QUICK = [name for name in PAGES if name != "30 equal runs"]


def unanswerable(folder: Path) -> Files:
    """Two runs, one of which is silent throughout, on questions of which a quarter has no answer."""
    path = folder / "unanswerable.csv"
    rows = [
        f"{run},q{i},{'unanswered' if run == 'silent' else ('correct', 'incorrect', 'unanswered')[i % 3]},"
        f"{'false' if i % 4 == 0 else 'true'}"
        for run in ("silent", "bold")
        for i in range(120)
    ]
    path.write_text("run,question,outcome,answerable\n" + "\n".join(rows) + "\n")
    return [path]


ALL = {**PAGES, **SLOW, "unanswerable": unanswerable}


class Prose(HTMLParser):
    """The text of a page block by block, without tables, drawings, data and commands."""

    APART = frozenset(
        ["table", "svg", "script", "style", "select", "pre", "button", "nav", "noscript", "template", "code"]
    )
    BLOCKS = frozenset(
        [
            "p",
            "li",
            "h1",
            "h2",
            "h3",
            "dt",
            "dd",
            "figcaption",
            "summary",
            "label",
            "div",
            "section",
            "small",
            "form",
            "header",
            "footer",
        ]
    )

    def __init__(self, page: str) -> None:
        super().__init__()
        self.depth, self.said, self.blocks = 0, "", list[str]()
        self.feed(page)
        self.end()

    def end(self) -> None:
        text, self.said = " ".join(self.said.split()), ""
        if text:
            self.blocks.append(text)

    def handle_starttag(self, tag: str, _: Any) -> None:
        self.depth += tag in self.APART
        if tag in self.BLOCKS:
            self.end()

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag in self.APART
        if tag in self.BLOCKS:
            self.end()

    def handle_data(self, data: str) -> None:
        if not self.depth:
            self.said += data


def said(*arguments: object) -> Any:
    """What a command prints as JSON."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()), pytest.raises(SystemExit) as end:
        call([*map(str, arguments), "-f", "json"])
    assert not end.value.code
    return json.loads(out.getvalue())


def agrees(text: str, value: float) -> bool:
    """Whether a number of the page is the value rounded to as many digits."""
    text = text.replace(",", "").replace("\u2212", "-")
    percent = text.endswith("%")
    shown = text.rstrip("%")
    half = 0.5 * 10.0 ** -len(shown.partition(".")[2])
    return abs(float(shown) - value * (100 if percent else 1)) <= half * (1 + 1e-6) + 1e-9


class Page:
    """A page, and what its commands say of the same files."""

    def __init__(self, name: str, folder: Path) -> None:
        self.files = ALL[name](folder)
        if not self.files:
            pytest.skip("../shared/data is not here")
        self.how = WRITTEN.get(name, [])
        self.folder = folder
        self.asked: dict[tuple[str, ...], Any] = {}
        page = make(folder / "page.html", *self.files, *self.how).read_text(encoding="utf-8")
        self.html = page
        self.prose = Prose(page).blocks
        self.scores = {(row["run"], row["measure"]): row for row in self.ask("score")["scores"] if not row["stratum"]}
        self.runs = list(dict.fromkeys(run for run, _ in self.scores))
        self.k = len(self.runs)
        self.asked_of = 0
        self.names = {run: self.shown(run) for run in self.runs}
        command = html.unescape(re.search(r"nescio score [^<]*", page)[0])  # type: ignore[index]
        measures = re.findall(r"-m (\S+)", command.partition("\n")[0].replace("'", ""))
        noted = self.ask("score", *(word for name in measures for word in ("-m", name)))["notes"]
        self.notes = {*noted, *self.compared["notes"]}

    def ask(self, verb: str, *more: object, resamples: int | None = RESAMPLES) -> Any:
        key = (verb, *map(str, more))
        if key not in self.asked:
            draws = ["--resamples", resamples] if resamples else []
            self.asked[key] = said(verb, *self.files, *self.how, *draws, *more)
        return self.asked[key]

    @cached_property
    def compared(self) -> dict[str, Any]:
        """What `compare` says of all pairs, where there are two runs whose questions are known."""
        if self.k == 1 or self.k_of_counts:
            return {"comparisons": [], "notes": []}
        return dict(self.ask("compare", "-m", "c@1"))

    @property
    def k_of_counts(self) -> bool:
        return self.files[0].name == "counts.csv"

    def shown(self, run: str) -> str:
        """The name that the page has for a run: its own, or what is left of it without what all share."""
        return max((name for name in self.leaders if run.endswith(name)), key=len)

    def named(self, pattern: str) -> str:
        """A pattern with RUN for any run's name."""
        names = sorted(self.names.values(), key=len, reverse=True)
        return pattern.replace("RUN", rf"(?<![\w-])({'|'.join(map(re.escape, names))})")

    def run(self, name: str) -> str:
        return next(run for run, shown in self.names.items() if shown == name.strip())

    @cached_property
    def rows(self) -> list[dict[str, str]]:
        """An outcome a row, as `convert` writes them."""
        table = self.folder / "converted.csv"
        how = [word for word in self.how if word not in ("--ungraded", "exclude")]
        with contextlib.redirect_stderr(io.StringIO()), pytest.raises(SystemExit) as end:
            call(["convert", *map(str, self.files), str(table), *how])
        assert not end.value.code
        csv.field_size_limit(10**9)
        with table.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.asked_of = len({row["question"] for row in rows})
        return [row for row in rows if row["outcome"] not in ("", "ungraded")]

    @cached_property
    def of_run(self) -> dict[str, list[dict[str, str]]]:
        found = defaultdict(list)
        for row in self.rows:
            found[row["run"]].append(row)
        return dict(found)

    @cached_property
    def counts(self) -> dict[str, tuple[int, int, int]]:
        """Right, wrong, and silent though there was an answer."""
        if self.k_of_counts:
            with self.files[0].open(newline="") as file:
                names = ("correct", "incorrect", "unanswered")
                return {row["run"]: tuple(int(row[name]) for name in names) for row in csv.DictReader(file)}  # type: ignore[misc]
        found = {}
        for run, rows in self.of_run.items():
            of = Counter(verdict(row) for row in rows)
            found[run] = (of["correct"], of["incorrect"], of["unanswered"])
        return found

    @cached_property
    def answered(self) -> dict[str, tuple[int, int]]:
        """How many questions a run answered, and how many of these wrongly."""
        if self.k_of_counts:
            return {run: (c + w, w) for run, (c, w, _) in self.counts.items()}
        return {
            run: (sum(map(was_answered, rows)), sum(verdict(row) == "incorrect" for row in rows))
            for run, rows in self.of_run.items()
        }

    @cached_property
    def questions(self) -> int:
        if self.k_of_counts:
            return max(map(sum, self.counts.values()))
        return len({row["question"] for row in self.rows})

    @cached_property
    def silence(self) -> float:
        """What a run earns that never answers."""
        if self.k_of_counts:
            return 0.0
        rows = self.of_run[self.runs[0]]
        return sum(row.get("answerable") == "false" for row in rows) / len(rows)

    def value(self, run: str, measure: str = "c@1") -> float:
        """c@1 and accuracy, by hand from counts."""
        c, w, u = self.counts[run]
        n = c + w + u
        accuracy = c / n
        return accuracy if measure == "accuracy" else (c + u * accuracy) / n

    @cached_property
    def best(self) -> str:
        """The run of the headline, which has the highest c@1."""
        named = html.unescape(re.sub("<[^>]+>", "", re.search(r"<h1.*?</h1>", self.html, re.DOTALL)[0]))  # type: ignore[index]
        shown = max((name for name in self.names.values() if named.lstrip().startswith(name)), key=len)
        run = self.run(shown)
        assert self.value(run) == pytest.approx(max(map(self.value, self.runs)))
        return run

    @cached_property
    def comparisons(self) -> dict[frozenset[str], dict[str, Any]]:
        return {frozenset((row["run"], row["baseline"])): row for row in self.compared["comparisons"]}

    @cached_property
    def on_page(self) -> list[dict[str, Any]]:
        """The comparisons that the page has: all, or of very many those of the best with each other, and of each run with
        the best and with its neighbour."""
        place = {run: i for i, run in enumerate(self.order)}
        if not any("of these comparisons are on this page" in block for block in self.prose):
            return list(self.comparisons.values())
        near = {pair: sorted(place[run] for run in pair) for pair in self.comparisons}
        return [self.comparisons[pair] for pair, (i, j) in near.items() if j < 40 or i == 0 or j == i + 1]

    def apart(self, one: str, other: str) -> bool:
        row = self.comparisons.get(frozenset((one, other)))
        return row is not None and row["p_adjusted"] is not None and row["p_adjusted"] < 0.05

    @cached_property
    def leaders(self) -> list[str]:
        """The names of the leaderboard, from the best down."""
        return [html.unescape(name) for name in re.findall(r'<th scope="row" data-name="([^"]*)"', self.html)]

    @property
    def order(self) -> list[str]:
        return [self.run(name) for name in self.leaders]

    def tuned(self, run: str) -> dict[str, Any]:
        return self.ask("tune", "--run", run, resamples=None)

    def bound(self, wrong: int, answered: int, tried: int) -> float:
        """Clopper and Pearson's upper end, shared among all that could have been chosen."""
        return float(beta.ppf(1 - 0.05 / tried, wrong + 1, answered - wrong)) if wrong < answered else 1.0

    @cached_property
    def confident(self) -> bool:
        return not self.k_of_counts and any(row.get("confidence") for row in self.rows)


def verdict(row: dict[str, str]) -> str:
    """What an answer counts as: where there is no answer, silence is right, and who is right there was silent."""
    return "correct" if row["outcome"] == "unanswered" and row.get("answerable") == "false" else row["outcome"]


def was_answered(row: dict[str, str]) -> bool:
    return row["outcome"] == "incorrect" or (row["outcome"] == "correct" and row.get("answerable") != "false")


# --- What each sentence claims. A rule is a pattern, and what its numbers must be.

Check = Callable[[Page, re.Match[str]], bool]
RULES: list[tuple[str, Check]] = []
N = r"([+\-\u2212]?\d[\d,]*(?:\.\d+)?%?)(?!\d|\.\d|,\d)"


def rule(pattern: str) -> Callable[[Check], Check]:
    def add(check: Check) -> Check:
        RULES.append((pattern.replace("#", N), check))
        return check

    return add


# Words of every page, whose numbers are no figures of its data.
CONSTANT = (
    r"with 95% confidence|95% intervals|\(95% prediction interval",
    r"t/\(1-t\)|At t = 0\.75 an error costs 3|1 for right, 0 for an abstention|gives 1 for a right answer|gives 0 for an",
    r"with a chance of 80%|\(80% power\)|The axis is truncated at -0\.5\.",
    r"nescio 0\.2\.0|Python 3\.\d+\.\d+|numpy \d+\.\d+\.\d+|scipy \d+\.\d+\.\d+|duckdb \d+\.\d+\.\d+",
    r"at most 200 points per run|all but 5 or fewer questions",
    r"Ask at least 20, and a few hundred",
    r"c@1",
    r"samples_gsm8k_[\d\-T.]+jsonl",
)


@rule(r"is best by c@1( as the runs came)?(?:, tied with .+?)?, # \[#, #\]")
@rule(r"has the best c@1(), # \[#, #\]")
@rule(r"scores() # \[#, #\] by c@1\.")
def headline(page: Page, m: re.Match[str]) -> bool:
    rows = page.ask("score", "-m", "c@1", "--simultaneous")["scores"]
    row = next(one for one in rows if one["run"] == page.best)
    return agrees(m[2], page.value(page.best)) and agrees(m[3], row["low"]) and agrees(m[4], row["high"])


@rule(r"; not significantly different from (.+?)\.$")
def alike(page: Page, m: re.Match[str]) -> bool:
    tied = [run for run in page.order[1:] if not page.apart(page.best, run)]
    more = re.search(rf" and {N} more$", m[1])
    named = re.split(", | and ", m[1].removesuffix(more[0]) if more else m[1])
    names = [page.names[run] for run in tied]
    rest = len(tied) - len(named)
    return named == names[: len(named)] and (agrees(more[1], rest) if more else not rest)


@rule(r"; significantly different from (all # other runs|both other runs|the other run)\.$")
def unlike(page: Page, m: re.Match[str]) -> bool:
    others = [run for run in page.runs if run != page.best]
    many = {"both other runs": 2, "the other run": 1}.get(m[1], 0) or int(m[2])
    return many == len(others) and all(page.apart(page.best, run) for run in others)


@rule(r"RUN(?: as it is:)? (?:it )?answers #, and # of its answers are wrong")
def shipped(page: Page, m: re.Match[str]) -> bool:
    run = page.run(m[1])
    answered, wrong = page.answered[run]
    return agrees(m[2], answered / sum(page.counts[run])) and agrees(m[3], wrong / answered)


@rule(r"Ship RUN at threshold #: it answered # of held-out questions, and # of these wrongly")
def shipped_at(page: Page, m: re.Match[str]) -> bool:
    row = page.tuned(page.run(m[1]))
    close = float(m[2]) == pytest.approx(row["threshold"], rel=5e-3)
    return close and agrees(m[3], row["coverage_held_out"]) and agrees(m[4], row["risk_held_out"])


def advised(page: Page) -> tuple[int, int, int, float]:
    """Of the advice: how many are answered, how many wrongly, how many bounds hold together, and the share seen."""
    text = next(block for block in page.prose if "of its answers are wrong" in block or "held-out questions" in block)
    if found := re.search(page.named(r"Ship RUN at threshold"), text):
        row = page.tuned(page.run(found[1]))
        answered = round(row["coverage"] * row["n"])
        tried = sum(row.get("confidence") not in (None, "") for row in page.of_run[page.run(found[1])])
        return answered, round(row["risk"] * answered), 2 * page.k * tried, row["risk_held_out"]
    found = re.search(page.named(r"RUN(?: as it is:)? (?:it )?answers"), text)
    assert found
    run = page.run(found[1])
    answered, wrong = page.answered[run]
    return answered, wrong, page.k * (2 if page.confident else 1), wrong / answered


@rule(r"\(at most # on others like them, with 95% confidence(?:, chosen out of #)?\)")
def at_most(page: Page, m: re.Match[str]) -> bool:
    answered, wrong, tried, _ = advised(page)
    upper, shown = page.bound(wrong, answered, tried), float(m[1].rstrip("%")) / 100
    step = 10.0 ** -(2 + len(m[1].rstrip("%").partition(".")[2]))
    return upper <= shown + 1e-9 < upper + step + 2e-9 and (m[2] is None or agrees(m[2], page.k))


@rule(
    r"The evidence is (weak|fair|strong): (?:another judge sees # of the answers otherwise(?: and )?)?(?:the lead is (not )?significant)?(?: and )?(?:the bound is # points? above what was seen)?\."
)
def evidence(page: Page, m: re.Match[str]) -> bool:
    if m[2]:  # as the notes of the command say it
        found = re.findall(r"disagree on ([\d,]+) of ([\d,]+) answer", " ".join(page.ask("score")["notes"]))
        shares = [int(a.replace(",", "")) / int(b.replace(",", "")) for a, b in found]
        assert m[1] == "weak"
        assert agrees(m[2], max(shares))
    if m[4] is None:
        return True
    answered, wrong, tried, seen = advised(page)
    return agrees(m[4], 100 * (page.bound(wrong, answered, tried) - seen))


@rule(r"RUN and RUN are not told apart here \(p = #\)")
def undecided(page: Page, m: re.Match[str]) -> bool:
    two = ("--run", page.run(m[1]), "--baseline", page.run(m[2]))
    return agrees(m[3], page.ask("compare", "-m", "c@1", *two)["comparisons"][0]["p"])


@rule(r"RUN and RUN at threshold # get the same outcome on every question: let cost or speed decide")
def the_same(page: Page, m: re.Match[str]) -> bool:
    least = page.tuned(page.run(m[2]))["threshold"]
    theirs = {row["question"]: row for row in page.of_run[page.run(m[2])]}

    def at_threshold(row: dict[str, str]) -> str:
        return (row["candidate"] or row["outcome"]) if float(row["confidence"]) >= least else "unanswered"

    return float(m[3]) == pytest.approx(least, rel=5e-3) and all(
        at_threshold(theirs[row["question"]]) == row["outcome"] for row in page.of_run[page.run(m[1])]
    )


@rule(r"# errors? of RUN( at that threshold)?(?=,| ·|$)")
def to_read(page: Page, m: re.Match[str]) -> bool:
    run = page.run(m[2])
    if not m[3]:
        return agrees(m[1], page.answered[run][1])
    least = page.tuned(run)["threshold"]
    wrong = sum(
        float(row["confidence"]) >= least and (row.get("candidate") or row["outcome"]) == "incorrect"
        for row in page.of_run[run]
    )
    return agrees(m[1], wrong)


@rule(r"# questions? that RUN gets right and RUN gets wrong")
def won_by_another(page: Page, m: re.Match[str]) -> bool:
    def of(name: str, outcome: str) -> set[str]:
        return {row["question"] for row in page.of_run[page.run(name)] if verdict(row) == outcome}

    if "repeat" in page.rows[0]:
        both = of(m[2], "correct") & of(m[3], "incorrect")
        return 0 < int(m[1]) <= len(both)
    return agrees(m[1], len(of(m[2], "correct") & of(m[3], "incorrect")))


@rule(r"RUN got # of #(?: answers to #)? questions right and # wrong, and left # unanswered")
def what_it_did(page: Page, m: re.Match[str]) -> bool:
    c, w, u = page.counts[page.run(m[1])]
    n = c + w + u
    shares = zip((m[2], m[5], m[6]), (c / n, w / n, u / n), strict=True)
    return all(agrees(*one) for one in shares) and agrees(m[3], n) and (m[4] is None or agrees(m[4], page.questions))


@rule(r"would be first \(#\)")
def by_accuracy(page: Page, m: re.Match[str]) -> bool:
    return agrees(m[1], max(page.value(run, "accuracy") for run in page.runs))


@rule(r"(?:holds for|as) the best of #")
def out_of(page: Page, m: re.Match[str]) -> bool:
    return agrees(m[1], page.k)


@rule(r"On another # questions like these, RUN as it came would score from # to # by c@1")
def another_sample(page: Page, m: re.Match[str]) -> bool:
    counts, n = page.counts[page.best], sum(page.counts[page.best])
    if not agrees(m[1], n) or page.run(m[2]) != page.best:
        return False
    if n <= 400:
        low, high = predicted(counts, page.k)
        return agrees(m[3], low) and agrees(m[4], high)
    rng = np.random.default_rng(1)  # too many outcomes to list
    drawn = rng.multinomial(n, rng.dirichlet(np.array(counts) + 0.5, 400_000))
    values = drawn[:, 0] / n * (1 + drawn[:, 2] / n)
    low, high = np.quantile(values, [0.025 / page.k, 1 - 0.025 / page.k])
    return abs(float(m[3]) - low) < 0.0015 and abs(float(m[4]) - high) < 0.0015


@rule(r"# (?:questions|answers) come in # groups by (\w+)\.")
def groups(page: Page, m: re.Match[str]) -> bool:
    several = [size for size in Counter(row[m[3]] for row in page.of_run[page.best]).values() if size > 1]
    return agrees(m[1], sum(several)) and agrees(m[2], len(several))


@rule(r"The collection is small: # (questions?|clusters?)\.")
@rule(r"Too little to decide: # (questions?|clusters?)\.")
@rule(r"of # (questions?) no answer is right")
@rule(r"the same with each of # (questions?|clusters?)")
@rule(r"all # (questions) or clusters move the two runs alike")
def units(page: Page, m: re.Match[str]) -> bool:
    if m[2].startswith("cluster"):
        return agrees(m[1], len({row["cluster"] for row in page.rows}))
    return agrees(m[1], page.questions)


@rule(r"Ship nothing yet: # of .+?'s # answers? counts? as silence")
def no_decision(page: Page, m: re.Match[str]) -> bool:
    return agrees(m[1], page.counts[page.best][2]) and agrees(m[2], sum(page.counts[page.best]))


@rule(
    r"For (undecided pairs|the undecided pairs on this page|these pairs), the smallest difference that a test detects with "
    r"a chance of 80% is about #(?: to #)?"
)
def detectable(page: Page, m: re.Match[str]) -> bool:
    rows = [row for row in page.on_page if row["detectable"] is not None]
    wanted = [row for row in rows if m[1] == "these pairs" or not row["p_adjusted"] < 0.05]
    found = sorted(row["detectable"] for row in wanted)
    return agrees(m[2], found[0]) and agrees(m[3] or m[2], found[-1])


@rule(r"RUN has # of # right and left # unanswered: \(# \+ #·#/#\)/# = #\. Its accuracy is #\.")
def c_at_1(page: Page, m: re.Match[str]) -> bool:
    c, w, u = page.counts[page.best]
    n = c + w + u
    values = (c, n, u, c, u, c, n, n, page.value(page.best), c / n)
    return all(agrees(m[i], value) for i, value in enumerate(values, 2))


@rule(r"so RUN earns \(# - 3·#\)/# = #\. Below #,")
def penalty(page: Page, m: re.Match[str]) -> bool:
    c, w, u = page.counts[page.best]
    n = c + w + u
    return all(agrees(m[i], value) for i, value in enumerate((c, w, n, (c - 3 * w) / n, page.silence), 2))


@rule(r"it earns # where none exists")
def earned(page: Page, m: re.Match[str]) -> bool:
    return agrees(m[1], page.silence) and page.silence > 0


@rule(r"rightly or wrongly: # for RUN\.")
def coverage(page: Page, m: re.Match[str]) -> bool:
    run = page.run(m[2])
    return agrees(m[1], page.answered[run][0] / sum(page.counts[run]))


@rule(r"scores # by c@1 on these questions. Over all questions like them, it scores from # to #")
def interval(page: Page, m: re.Match[str]) -> bool:
    row = page.scores[page.best, "c@1"]
    return agrees(m[1], page.value(page.best)) and agrees(m[2], row["low"]) and agrees(m[3], row["high"])


@rule(r", and from # to # as the best of #")
def interval_of_best(page: Page, m: re.Match[str]) -> bool:
    head = next(block for block in page.prose if re.search(r"(is|has the) best (by )?c@1", block))
    ends = re.search(rf"\[{N}, {N}\]", head)
    return ends is not None and (m[1], m[2]) == ends.groups() and agrees(m[3], page.k)


@rule(r"can have (?:any rank from # to #|rank #)")
def rank(page: Page, m: re.Match[str]) -> bool:
    others = [run for run in page.runs if run != page.best]
    better = sum(page.apart(page.best, run) and page.value(run) > page.value(page.best) for run in others)
    worse = sum(page.apart(page.best, run) and page.value(run) < page.value(page.best) for run in others)
    return agrees(m[1] or m[3], 1 + better) and agrees(m[2] or m[3], page.k - worse)


@rule(r"c@1 of # runs?, with 95% intervals\.(?: From RUN \(#\) to RUN \(#\)\.)?")
def span(page: Page, m: re.Match[str]) -> bool:
    if m[2] is None:
        return agrees(m[1], page.k)
    values = [page.value(run) for run in page.runs]
    named = page.value(page.run(m[2])) == max(values), page.value(page.run(m[4])) == min(values)
    return all(named) and agrees(m[1], page.k) and agrees(m[3], max(values)) and agrees(m[5], min(values))


@rule(r"The chart shows the (?:first # of #; its data has them all|# best of # runs)\.")
@rule(r"() The # best runs; # more are not shown\.")
def cut(page: Page, m: re.Match[str]) -> bool:
    numbers = [int(one) for one in m.groups() if one]
    return page.k in (numbers[1], sum(numbers))


@rule(r"Most abstentions: RUN \(# unanswered\)\.(?: Fewest: RUN \(#\)\.)?")
def silent(page: Page, m: re.Match[str]) -> bool:
    shares = {run: u / (c + w + u) for run, (c, w, u) in page.counts.items()}
    most, least = page.run(m[1]), page.run(m[3] or m[1])
    named = shares[most] == max(shares.values()) and (not m[3] or shares[least] == min(shares.values()))
    return named and agrees(m[2], shares[most]) and (not m[3] or agrees(m[4], shares[least]))


@rule(
    r"c@1 over accuracy, # runs?\. (?:The largest gain from abstaining: RUN, from # to # \(#\)|No run gains from abstaining)\."
)
def gain(page: Page, m: re.Match[str]) -> bool:
    gains = {run: page.value(run) - page.value(run, "accuracy") for run in page.runs}
    if m[2] is None:
        return agrees(m[1], page.k) and not any(gains.values())
    run = page.run(m[2])
    values = (page.value(run, "accuracy"), page.value(run), gains[run])
    return gains[run] == pytest.approx(max(gains.values())) and all(map(agrees, m.groups()[2:], values))


@rule(r"Grey: # other runs?")
def grey(page: Page, m: re.Match[str]) -> bool:
    return 0 < int(m[1]) < page.k


@rule(r"The best run is (.+? from t = # to #)(?:\. For higher t, never answering beats every run( that answers)?)?\.")
def prices(page: Page, m: re.Match[str]) -> bool:
    def earns(run: str, t: float) -> float:
        c, w, u = page.counts[run]
        return (c - w * t / (1 - t)) / (c + w + u)

    end = 0.0
    for part in m[1].split("; "):
        found = re.fullmatch(rf"(.+) from t = {N} to {N}", part)
        assert found
        run, low, high = page.run(found[1]), float(found[2]), float(found[3])
        if abs(low - end) > 0.0101:
            return False
        middle = min((low + high) / 2, 0.99)
        if earns(run, middle) < max(*(earns(each, middle) for each in page.runs), page.silence) - 1e-9:
            return False
        end = high
    if end >= 1:
        return m[4] is None
    return earns(run, end - 0.006) > page.silence - 1e-9 and all(
        earns(each, min(end + 0.006, 0.999)) < page.silence + 1e-9 or not page.answered[each][0] for each in page.runs
    )


@rule(r"Of # runs, the # that rank first or are best at some t have a line\.")
def lines(page: Page, m: re.Match[str]) -> bool:
    """Two hundred, and whichever of the others earns most at some price."""
    shares = [(c, w) for c, w, _ in (page.counts[run] for run in page.order)]
    most = [max(c - w * t / (1 - t) for c, w in shares) for t in (i / 1000 for i in range(1000))]
    best = [
        {run for run, (c, w) in zip(page.order, shares, strict=True) if c - w * t / (1 - t) > most[i] - 1e-12}
        for i, t in enumerate(i / 1000 for i in range(1000))
    ]
    return agrees(m[1], page.k) and agrees(m[2], len({*page.order[:200]}.union(*best)))


@rule(r"# bars? over # runs?(?:: (.+?))?\. (?:# runs? without a bar|Every run is under a bar)\.")
def bars(page: Page, m: re.Match[str]) -> bool:
    runs = page.order[: int(m[2])]
    found: list[tuple[int, int]] = []
    for i in range(len(runs)):
        j = i
        while j + 1 < len(runs) and not any(page.apart(runs[j + 1], runs[k]) for k in range(i, j + 1)):
            j += 1
        if j > i and not (found and found[-1][1] >= j):
            found.append((i, j))
    under = {k for i, j in found for k in range(i, j + 1)}
    named = [f"{page.names[runs[i]]} to {page.names[runs[j]]}" for i, j in found]
    words = "; ".join(named[:4]) + (f" and {len(named) - 4} more" if len(named) > 4 else "")
    return agrees(m[1], len(found)) and (m[3] or "") == words and int(m[4] or 0) == len(runs) - len(under)


@rule(
    r"By c@1, # of # pairs differ significantly \(p-values adjusted for all pairs\)\.(?: # of these comparisons are on this page\.)?(?: Not significantly different: (.+?)\.(?= The chart|$))?"
)
def pairs(page: Page, m: re.Match[str]) -> bool:
    every = page.k * (page.k - 1) // 2
    apart = sum(page.apart(*pair) for pair in page.comparisons)
    if m[3] is not None and not agrees(m[3], len(page.on_page)):
        return False
    parts = m[4].split("; ") if m[4] else []
    more = int(parts.pop().split()[0].replace(",", "")) if parts and parts[-1].endswith(" more") else 0
    named = all(not page.apart(*(page.run(name) for name in part.split(" against "))) for part in parts)
    return agrees(m[1], apart) and agrees(m[2], every) and named and len(parts) + more == every - apart


@rule(r"the # best of # runs are compared with each other, .*? neighbours in rank: # of # comparisons")
def partial(page: Page, m: re.Match[str]) -> bool:
    return all(map(agrees, m.groups(), (40, page.k, len(page.on_page), len(page.comparisons))))


@rule(
    r"RUN minus RUN: #(?: \[#, #\])?, adjusted p (<? ?)#, (not )?significant\.(?: The smallest difference that this test would detect \(80% power\): #\.)?"
)
def one_pair(page: Page, m: re.Match[str]) -> bool:
    one, other = page.run(m[1]), page.run(m[2])
    row = page.comparisons[frozenset((one, other))]
    sign = 1 if row["run"] == one else -1
    ends = sorted(sign * end for end in (row["low"], row["high"])) if row["low"] is not None else []
    p = row["p_adjusted"] < float(m[7]) if m[6] else agrees(m[7], row["p_adjusted"])
    values = page.value(one) - page.value(other), *ends
    shown = [text for text in (m[3], m[4], m[5]) if text]
    told = (not m[8]) == page.apart(one, other) and (m[9] is None or agrees(m[9], row["detectable"]))
    return told and p and all(map(agrees, shown, values))


@rule(r"RUN answered #, and # of these were wrong")
def operating(page: Page, m: re.Match[str]) -> bool:
    run = page.run(m[1])
    answered, wrong = page.answered[run]
    return agrees(m[2], answered / sum(page.counts[run])) and agrees(m[3], wrong / answered)


@rule(r"Risk over coverage for # runs?\.")
def drawn(page: Page, m: re.Match[str]) -> bool:
    return agrees(m[1], sum(any(row["confidence"] for row in rows) for rows in page.of_run.values()))


@rule(r"Expected calibration error \(the mean distance from the diagonal\): (.+?)\.$")
def calibration(page: Page, m: re.Match[str]) -> bool:
    rows = {row["run"]: row["value"] for row in page.ask("score", "-m", "ECE")["scores"]}
    parts = [part.rsplit(" ", 1) for part in m[1].split("; ")]
    return len(parts) == page.k and all(agrees(value, rows[page.run(name)]) for name, value in parts)


@rule(r"Of RUN(?:, answering from a confidence of # on)?: the first #(?:, the most confident first)?\.")
def printed(page: Page, m: re.Match[str]) -> bool:
    run = page.run(m[1])
    if m[2]:
        return float(m[2]) == pytest.approx(page.tuned(run)["threshold"], rel=5e-4) and int(m[3]) <= 10
    return agrees(m[3], min(10, page.answered[run][1]))


@rule(r"each of (?:the )?# questions(?:, asked # times in all)?")
def listed(page: Page, m: re.Match[str]) -> bool:
    """All that was asked, graded or not."""
    return agrees(m[1], page.asked_of or page.questions) and (m[2] is None or agrees(m[2], sum(page.counts[page.best])))


def figures(page: Page) -> Iterator[str]:
    """The blocks that hold a number, each without what a rule has found true; what is false fails here."""
    for block in page.prose:
        if block in page.names.values() or block in page.notes:
            continue
        explained = [False] * len(block)
        for pattern, check in [*RULES, *((words, None) for words in ("RUN", *CONSTANT))]:
            for found in re.finditer(page.named(pattern), block):
                assert check is None or check(page, found), (pattern, found[0])
                explained[slice(*found.span())] = [True] * len(found[0])
        left = "".join(" " if known else sign for sign, known in zip(block, explained, strict=True))
        if re.search(r"\d", left):
            yield left


def tuned_in_table(page: Page) -> None:
    """The thresholds that the table of them names, and what they bring on new questions."""
    tuned = re.compile(
        rf'<th scope="row">(.*?)</th>.*?tuned, on new questions: from {N} on: c@1 {N}; answers {N}, {N} of these wrong',
        re.DOTALL,
    )
    rows = page.html.partition('id="thresholds"')[2].partition("</table>")[0].split('<tr data-run="')[1:]
    for found in filter(None, map(tuned.search, rows)):  # of a run that no threshold helps, there is none
        name = html.unescape(re.sub("<[^>]+>", "", found[1])).strip()
        made = page.tuned(page.run(name))
        assert float(found[2]) == pytest.approx(made["threshold"], rel=5e-3)
        assert agrees(found[3], made["value"])
        assert agrees(found[4], made["coverage_held_out"])
        assert agrees(found[5], made["risk_held_out"])


def check(name: str, folder: Path) -> None:
    page = Page(name, folder)
    assert list(figures(page)) == []
    tuned_in_table(page)


# Each day tests/reporting/test_statements.py holds the sentences of all of these pages to their figures.
@pytest.mark.parametrize("name", daily([*QUICK, "unanswerable"], 3))
def test_every_figure_of_every_sentence_is_made_again(name: str, tmp_path: Path) -> None:
    check(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SLOW, "30 equal runs"])
def test_every_figure_of_every_sentence_of_a_large_page_is_made_again(name: str, tmp_path: Path) -> None:
    check(name, tmp_path)


def explained(page: str, sentences: dict[str, tuple[float, ...]]) -> None:
    """Hold each sentence of a page to the numbers that it must have; no other may have any."""
    for block in Prose(page).blocks:
        known = [False] * len(block)
        for pattern, values in {**dict.fromkeys(CONSTANT, ()), **sentences}.items():
            for found in re.finditer(pattern.replace("#", N), block):
                shown = [one for one in found.groups() if one]
                assert len(shown) == len(values), (pattern, shown)
                assert all(map(agrees, shown, values)), (found[0], values)
                known[slice(*found.span())] = [True] * len(found[0])
        left = "".join(" " if k else sign for sign, k in zip(block, known, strict=True))
        assert not re.search(r"\d", left), left


def test_every_figure_of_every_sentence_of_a_diff(tmp_path: Path) -> None:
    table = EXAMPLES / "outcomes.csv"
    page = make(tmp_path / "diff.html", table, "--baseline", "old", "--run", "mine").read_text(encoding="utf-8")
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    old, new = ({row["question"]: row for row in rows if row["run"] == run} for run in ("old", "mine"))
    moves = Counter((verdict(old[q]), verdict(new[q])) for q in old)
    silent = Counter((was_answered(old[q]), was_answered(new[q])) for q in old)
    won = sum(n for (a, b), n in moves.items() if a != b == "correct")
    lost = sum(n for (a, b), n in moves.items() if a == "correct" != b)
    quiet, talks = silent[True, False], silent[False, True]
    same = sum(n for (a, b), n in moves.items() if a == b)
    found = said(
        "compare",
        table,
        "--baseline",
        "old",
        "--run",
        "mine",
        "--resamples",
        RESAMPLES,
        "-m",
        "c@1",
        "-m",
        "accuracy",
        "-m",
        "coverage",
    )
    by = {row["measure"]: row for row in found["comparisons"]}
    c = by["c@1"]
    values = {row["run"]: row["value"] for row in said("score", table, "-m", "c@1", "--ci", "none")["scores"]}
    assert c["p_adjusted"] < 0.001
    explained(
        page,
        {
            r"by c@1: # against # \(# \[#, #\], adjusted p < 0.001\)": (
                *(values["mine"], values["old"]),
                *(c["difference"], c["low"], c["high"]),
            ),
            r"Of the # shared questions, mine wins # and loses #; # did not change": (len(old), won, lost, same),
            r"newly abstains on # and newly answers #": (quiet, talks),
            "# won": (won,),
            "# lost": (lost,),
            "# newly silent": (quiet,),
            "# newly answered": (talks,),
            r"won \(#\)": (won,),
            r"lost \(#\)": (lost,),
            r"newly silent \(#\)": (quiet,),
            r"newly answered \(#\)": (talks,),
            r"out of # questions that both runs have": (len(old),),
            "each of the # questions": (len(old),),
            r"incorrect → unanswered #": (moves["incorrect", "unanswered"],),
            r"incorrect → correct #": (moves["incorrect", "correct"],),
            r"(?<!in)correct → unanswered #": (moves["correct", "unanswered"],),
            "the margin of #": (0.01,),
            r"c@1 #, better; accuracy #, too few questions to tell; coverage #, lower": tuple(
                by[name]["difference"] for name in ("c@1", "accuracy", "coverage")
            ),
            "# of # questions have no answer": (sum(row["answerable"] == "false" for row in old.values()), len(old)),
        },
    )


def test_every_figure_of_every_sentence_of_a_suite(tmp_path: Path) -> None:
    suite = EXAMPLES / "suite" / "suite.toml"
    page = make(tmp_path / "suite.html", suite).read_text(encoding="utf-8")
    rows = said("score", suite, "--resamples", RESAMPLES)["suite"]
    by = {(row["run"], row["measure"]): row for row in rows}
    best = by["model-b", "c@1"]
    files: list[list[object]] = [[path] for path in sorted(suite.parent.glob("[!h]*.csv"))]
    files.append([suite.parent / "history.csv", "--column", "run=engine"])
    files.append([suite.parent / "sums.jsonl", *sorted((suite.parent / "sums").iterdir())])
    each = [said("score", *of_one, "-m", "c@1", "--ci", "none")["scores"] for of_one in files]
    values = [{row["run"].rpartition("/")[2]: row["value"] for row in one} for one in each]
    for run in ("model-a", "model-b"):
        mean = sum(one[run] for one in values) / len(values)
        assert mean == pytest.approx(by[run, "c@1"]["value"])
    won = sum(one["model-b"] > one["model-a"] for one in values)
    means = {
        rf"Mean {re.escape(name)} of # runs over the benchmarks, with intervals\. From model-b \(#\) to model-a \(#\)": (
            2,
            by["model-b", name]["value"],
            by["model-a", name]["value"],
        )
        for name in ("c@1", "accuracy")
    }
    explained(
        page,
        {
            r"has the best mean c@1 over # benchmarks, # \[#, #\]": (
                *(best["benchmarks"], best["value"]),
                *(best["chosen_low"], best["chosen_high"]),
            ),
            "has the best c@1 on # of # benchmarks": (won, len(values)),
            "interval above holds for the best of # runs": (len(each[0]),),
            "each of the # questions": (best["n"],),
            **means,
        },
    )
