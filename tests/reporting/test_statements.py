"""Every figure in every sentence of a whole page, made again in plain Python from what `convert`, `score`, `compare` and
`tune` give: what no rule here explains is not believed."""

from __future__ import annotations

import csv
import html
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import beta, dirichlet_multinomial, norm

import nescio
from nescio.data.evidence import Evidence
from nescio.measures import parse
from nescio.pipeline import Options, load
from nescio.selective.crossfit import choose
from nescio.selective.curve import one_run
from tests.reporting.files import EXAMPLES, SHARED, THREE, WORDS, make, outcome_table, written

RESAMPLES = 500
Files = list[Path]


def table(runs: dict[str, str], *, confidence: bool = False) -> Callable[[Path], Files]:
    return lambda folder: [outcome_table(folder / "runs.csv", runs, confidence=confidence)]


def clustered(folder: Path, column: str = "cluster") -> Files:
    rows = [
        f"{run},q{i},{'correct' if (i * k) % 7 % 3 else 'incorrect'},s{i // 4}"
        for run, k in (("a", 3), ("b", 5))
        for i in range(120)
    ]
    return [written(folder / f"{column}.csv", f"run,question,outcome,{column}", rows)]


def unanswerable(folder: Path) -> Files:
    """Two runs, one of which is silent throughout, on questions of which a quarter has no answer."""
    rows = [
        f"{run},q{i},{'unanswered' if run == 'silent' else ('correct', 'incorrect', 'unanswered')[i % 3]},"
        f"{'false' if i % 4 == 0 else 'true'}"
        for run in ("silent", "bold")
        for i in range(120)
    ]
    return [written(folder / "unanswerable.csv", "run,question,outcome,answerable", rows)]


def counts(folder: Path) -> Files:
    rows = ["icia,237,156,107", "uaic,236,264,0"]
    return [written(folder / "counts.csv", "run,correct,incorrect,unanswered", rows)]


RNG = np.random.default_rng(5)
MANY = {f"run{i:03}": "".join(RNG.choice(list("CCCWU"), 60)) for i in range(300)}
KEEN = {"keen": "C" * 120 + "WC" * 10 + "W" * 60, "dull": "CWWWW" * 40}
PAGES: dict[str, Callable[[Path], Files]] = {
    "outcomes, some unanswerable": lambda _: [EXAMPLES / "outcomes.csv"],
    "repeats": lambda _: [EXAMPLES / "trials.csv"],
    "confidences": table(THREE, confidence=True),
    "a threshold pays": table(KEEN, confidence=True),
    "one run": table({"alone": "CCWU" * 20}),
    "two questions": table({"a": "CW", "b": "WC"}),
    "long names": table({f"{'long ' * 20}{name}": letters for name, letters in THREE.items()}),
    "all silent": table({"a": "U" * 40, "b": "U" * 40}),
    "none right": table({"a": "W" * 40, "b": "UW" * 20}),
    "all alike": table({"a": "CCW" * 20, "b": "CCW" * 20}),
    "clusters": clustered,
    "stories": lambda folder: clustered(folder, "story_id"),
    "unanswerable": unanswerable,
    "counts": counts,
    "a log of lm-eval": lambda _: sorted(SHARED.glob("logs/lm_eval/gsm8k_phi3_10docs/*.jsonl")),
    "a log of DeepEval": lambda _: sorted((EXAMPLES / "deepeval").glob("*.json"))[:1],
    "a log of promptfoo": lambda _: sorted((EXAMPLES / "logs" / "promptfoo").glob("*.json")),
}
LARGE: dict[str, Callable[[Path], Files]] = {
    "30 equal runs": table({name: letters.replace("U", "W") for name, letters in list(MANY.items())[:30]}),
    "300 runs": table(MANY),
}
# What is asked of the reader.
ASKED: dict[str, dict[str, Any]] = {
    "a log of lm-eval": {"choose": {"filter": "strict-match"}},
    "a log of DeepEval": {"ungraded": "exclude"},
    "a log of promptfoo": {"ungraded": "exclude"},
}


def predicted(counts: tuple[int, int, int], runs: int) -> tuple[float, float]:
    """The prediction interval of c@1 on as many questions, every outcome by SciPy's Dirichlet-multinomial."""
    n = sum(counts)
    law = dirichlet_multinomial(np.array(counts) + 0.5, n)
    outcomes = np.array([(i, j, n - i - j) for i in range(n + 1) for j in range(n + 1 - i)])
    values = outcomes[:, 0] / n * (1 + outcomes[:, 2] / n)
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(law.pmf(outcomes)[order])
    alpha = 0.05 / runs
    ends = np.searchsorted(reached, [alpha / 2 + 1e-12, 1 - alpha / 2 + 1e-12])
    low, high = values[order][np.minimum(ends, len(order) - 1)]
    return float(low), float(high)


APART = r"(?s)<(table|svg|script|style|select|pre|button|nav|noscript|template|code)\b.*?</\1>"
BLOCK = r"</?(?:p|li|h[123]|dt|dd|figcaption|summary|label|div|section|small|form|header|footer)\b[^>]*>"


def prose(page: str) -> list[str]:
    """The text of a page block by block, without tables, drawings, data and commands."""
    blocks = re.split(BLOCK, re.sub(APART, "", page.partition("<body")[2]))
    texts = (" ".join(html.unescape(re.sub("<[^>]*>", "", block)).split()) for block in blocks)
    return [text for text in texts if text]


def agrees(text: str, value: float) -> bool:
    """Whether a number of the page is the value rounded to as many digits."""
    text = text.replace(",", "").replace("\u2212", "-")
    shown = text.rstrip("%")
    half = 0.5 * 10.0 ** -len(shown.partition(".")[2])
    return abs(float(shown) - value * (100 if text.endswith("%") else 1)) <= half * (1 + 1e-6) + 1e-9


class Page:
    """A page, and what the functions say of the same files."""

    def __init__(self, name: str, folder: Path) -> None:
        self.files = {**PAGES, **LARGE}[name](folder)
        if not self.files:
            pytest.skip("../shared/data is not here")
        self.folder, self.of_counts, self.reading = folder, name == "counts", ASKED.get(name, {})
        options = [f"--{key}={'filter=strict-match' if key == 'choose' else one}" for key, one in self.reading.items()]
        self.asked: dict[str, Any] = {}
        self.html = make(folder / "page.html", *self.files, *options).read_text(encoding="utf-8")
        self.prose = prose(self.html)
        self.scores = {(row["run"], row["measure"]): row for row in self.ask("score")["scores"] if not row["stratum"]}
        self.runs = list(dict.fromkeys(run for run, _ in self.scores))
        self.k = len(self.runs)
        self.names = {run: self.shown(run) for run in self.runs}
        command = html.unescape(re.search(r"nescio score [^<]*", self.html)[0])  # type: ignore[index]
        measures = re.findall(r"-m (\S+)", command.partition("\n")[0].replace("'", ""))
        self.notes = {*self.ask("score", measures)["notes"], *self.compared["notes"]}

    def ask(self, verb: str, measures: Any = None, **more: Any) -> Any:
        key = f"{verb} {measures} {more}"
        if key not in self.asked:
            how = {**({"resamples": RESAMPLES} if verb != "tune" else {}), **self.reading, **more}
            self.asked[key] = getattr(nescio, verb)(self.files, *([measures] if measures else []), **how).to_dict()
        return self.asked[key]

    @cached_property
    def compared(self) -> dict[str, Any]:
        """What `compare` says of all pairs, where there are two runs whose questions are known."""
        if self.k == 1 or self.of_counts:
            return {"comparisons": [], "notes": []}
        return dict(self.ask("compare", "c@1"))

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
        if self.of_counts:
            of = {"icia": (237, 156, 107), "uaic": (236, 264, 0)}
            words = [
                (run, WORDS[c]) for run, own in of.items() for c, n in zip("CWU", own, strict=True) for _ in range(n)
            ]
            return [{"run": run, "question": f"q{i % 500}", "outcome": word} for i, (run, word) in enumerate(words)]
        return [row for row in self.converted if row["outcome"] not in ("", "ungraded")]

    @cached_property
    def converted(self) -> list[dict[str, str]]:
        """The rows as `convert` writes them, those without a grade among them."""
        if self.of_counts:
            return []
        table = self.folder / "converted.csv"
        nescio.convert(self.files, table, **{name: one for name, one in self.reading.items() if name == "choose"})
        csv.field_size_limit(10**9)
        with table.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    @cached_property
    def asked_of(self) -> int:
        return len({row["question"] for row in self.converted})

    @cached_property
    def ungraded(self) -> int:
        """How many answers of the first run are left out."""
        rows = [row for row in self.converted if row["run"] == self.converted[0]["run"]]
        return sum(row["outcome"] in ("", "ungraded") for row in rows)

    @cached_property
    def of_run(self) -> dict[str, list[dict[str, str]]]:
        rows = defaultdict(list)
        for row in self.rows:
            rows[row["run"]].append(row)
        return dict(rows)

    @cached_property
    def counts(self) -> dict[str, tuple[int, int, int]]:
        """Right, wrong, and silent though there was an answer."""
        counted = {run: Counter(map(verdict, rows)) for run, rows in self.of_run.items()}
        return {run: (of["correct"], of["incorrect"], of["unanswered"]) for run, of in counted.items()}

    @cached_property
    def answered(self) -> dict[str, tuple[int, int]]:
        """How many questions a run answered, and how many of these wrongly."""
        return {
            run: (sum(map(was_answered, rows)), sum(verdict(row) == "incorrect" for row in rows))
            for run, rows in self.of_run.items()
        }

    @cached_property
    def questions(self) -> int:
        return len({row["question"] for row in self.rows})

    @cached_property
    def silence(self) -> float:
        """What a run earns that never answers."""
        rows = self.of_run[self.runs[0]]
        return sum(row.get("answerable") == "false" for row in rows) / len(rows)

    def value(self, run: str, measure: str = "c@1") -> float:
        """c@1 and accuracy, by hand from counts."""
        c, w, u = self.counts[run]
        n = c + w + u
        return c / n if measure == "accuracy" else (c + u * c / n) / n

    @cached_property
    def best(self) -> str:
        """The run of the sentence that says who is best, which has the highest c@1."""
        said = next(filter(None, (re.search(self.named(rf"RUN {BEST}"), block) for block in self.prose)))
        run = self.run(said[1])
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

    def share(self, run: str) -> tuple[float, float]:
        """The share of the questions that a run answered, and of its answers that were wrong."""
        answered, wrong = self.answered[run]
        return answered / sum(self.counts[run]), wrong / answered if answered else 0.0

    def ends(self, **how: Any) -> tuple[float, float, float]:
        """The value of the best run by c@1, and its interval."""
        row = next(row for row in self.ask("score", "c@1", **how)["scores"] if row["run"] == self.best)
        return self.value(self.best), row["low"], row["high"]

    def grouped(self, column: str) -> tuple[int, int]:
        """How many answers of the best run stand in a group of several, and how many such groups there are."""
        several = [size for size in Counter(row[column] for row in self.of_run[self.best]).values() if size > 1]
        return sum(several), len(several)

    def units(self, which: str) -> int:
        return len({row["cluster"] for row in self.rows}) if which.startswith("cluster") else self.questions

    def detectable(self, which: str) -> tuple[float, float]:
        rows = [row for row in self.on_page if row["detectable"] is not None]
        sizes = sorted(row["detectable"] for row in rows if which == "these pairs" or not row["p_adjusted"] < 0.05)
        return sizes[0], sizes[-1]

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
        return dict(self.ask("tune", run=run))

    def bound(self, wrong: int, answered: int, tried: int) -> float:
        """Clopper and Pearson's upper end, shared among all that could have been chosen."""
        return float(beta.ppf(1 - 0.05 / tried, wrong + 1, answered - wrong)) if wrong < answered else 1.0

    @cached_property
    def confident(self) -> bool:
        return any(row.get("confidence") for row in self.rows)


def verdict(row: dict[str, str]) -> str:
    """What an answer counts as: where there is no answer, silence is right, and who is right there was silent."""
    return "correct" if row["outcome"] == "unanswered" and row.get("answerable") == "false" else row["outcome"]


def was_answered(row: dict[str, str]) -> bool:
    return row["outcome"] == "incorrect" or (row["outcome"] == "correct" and row.get("answerable") != "false")


# --- What each sentence claims. A rule is a pattern, and the numbers of what it matches in their order; or whether what
# it matches is true, where that is not in its numbers alone.

Check = Callable[[Page, re.Match[str]], Any]
N = r"([+\-\u2212]?\d[\d,]*(?:\.\d+)?%?)(?!\d|\.\d|,\d)"
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


def numbers(m: re.Match[str]) -> list[str]:
    return [text for text in m.groups() if text and re.fullmatch(N, text)]


def is_true(page: Page, check: Check, m: re.Match[str]) -> bool:
    claimed = check(page, m)
    if not isinstance(claimed, tuple):
        return bool(claimed)
    shown = numbers(m)
    return len(shown) == len(claimed) and all(map(agrees, shown, claimed))


def alike(page: Page, m: re.Match[str]) -> bool:
    tied = [page.names[run] for run in page.order[1:] if not page.apart(page.best, run)]
    more = re.search(rf" and {N} more$", m[1])
    named = re.split(", | and ", m[1].removesuffix(more[0]) if more else m[1])
    rest = len(tied) - len(named)
    return named == tied[: len(named)] and (agrees(more[1], rest) if more else not rest)


def unlike(page: Page, m: re.Match[str]) -> bool:
    others = [run for run in page.runs if run != page.best]
    many = {"both other runs": 2, "the other run": 1}.get(m[1], 0) or int(m[2])
    return many == len(others) and all(page.apart(page.best, run) for run in others)


def shipped_at(page: Page, m: re.Match[str]) -> bool:
    row = page.tuned(page.run(m[1]))
    close = float(m[2]) == pytest.approx(row["threshold"], rel=5e-3)
    coverage, risk = expected(page)
    return close and agrees(m[3], coverage) and agrees(m[4], risk)


def thresholds_of_heading(page: Page, m: re.Match[str]) -> bool:
    pairs = [(m[1], m[2]), *([(m[3], m[4])] if m[3] else [])]
    return all(float(at) == pytest.approx(page.tuned(page.run(run))["threshold"], rel=5e-3) for run, at in pairs)


def expected(page: Page) -> tuple[float, float]:
    """What to expect of the run and the threshold chosen: without each part in turn, each run has the threshold that is
    best on the others where that pays at all, the run with the best c@1 there is taken, and its answers in the part are
    counted."""
    data = load(page.files, Options(strata=None)).data
    assert isinstance(data, Evidence)
    taken: list[tuple[float, int, int, int]] = []
    for name in data.runs:
        one = one_run(data, name)
        choice = choose(one, parse("c@1"), 10, 0)
        pays = page.tuned(name)["value"] >= page.value(name)
        for part, threshold in enumerate(choice.without):
            columns = (one.apply(one.accept(threshold)) if pays else one.data).columns
            right, wrong, silent = (columns[c][0] == 1 for c in ("correct", "incorrect", "unanswered"))
            inside = choice.fold == part
            n, c, u = int((~inside).sum()), int(right[~inside].sum()), int(silent[~inside].sum())
            answered = (columns["answered"][0] == 1) & inside
            own = ((c + u * c / n) / n, int(inside.sum()), int(answered.sum()), int((answered & wrong).sum()))
            if part >= len(taken):
                taken.append(own)
            elif own[0] > taken[part][0]:
                taken[part] = own
    rows, answers, wrongs = (sum(values) for values in list(zip(*taken, strict=True))[1:])
    return answers / rows, wrongs / answers


def advised(page: Page) -> tuple[int, int, int, float]:
    """Of the advice: how many are answered, how many wrongly, how many bounds hold together, and the share seen."""
    text = next(block for block in page.prose if re.search(r" answers \d|is expected to answer", block))
    if at := re.search(page.named(r"RUN at threshold # is expected".replace("#", N)), text):
        row = page.tuned(page.run(at[1]))
        answered = round(row["coverage"] * row["n"])
        tried = sum(row.get("confidence") not in (None, "") for row in page.of_run[page.run(at[1])])
        return answered, round(row["risk"] * answered), 2 * page.k * tried, expected(page)[1]
    as_it_is = re.search(page.named("RUN answers"), text)
    assert as_it_is
    answered, wrong = page.answered[page.run(as_it_is[1])]
    return answered, wrong, page.k * (2 if page.confident else 1), wrong / answered


def at_most(page: Page, m: re.Match[str]) -> bool:
    """A bound is never rounded down."""
    answered, wrong, tried, _ = advised(page)
    lost = page.ungraded  # which may all be wrong
    upper, shown = page.bound(wrong + lost, answered + lost, tried), float(m[1].rstrip("%")) / 100
    step = 10.0 ** -(2 + len(m[1].rstrip("%").partition(".")[2]))
    return upper <= shown + 1e-9 < upper + step + 2e-9 and (m[2] is None or agrees(m[2], page.k))


def evidence(page: Page, m: re.Match[str]) -> bool:
    if m[2]:  # as the notes of the command say it
        said = re.findall(r"disagree on ([\d,]+) of ([\d,]+) answer", " ".join(page.ask("score")["notes"]))
        shares = [int(a.replace(",", "")) / int(b.replace(",", "")) for a, b in said]
        assert m[1] == "weak"
        assert agrees(m[2], max(shares))
    if m[4] is None:
        return True
    answered, wrong, tried, seen = advised(page)
    lost = page.ungraded
    return agrees(m[4], 100 * (page.bound(wrong + lost, answered + lost, tried) - seen))


def the_same(page: Page, m: re.Match[str]) -> bool:
    least = page.tuned(page.run(m[2]))["threshold"]
    theirs = {row["question"]: row for row in page.of_run[page.run(m[2])]}

    def at_threshold(row: dict[str, str]) -> str:
        return (row["candidate"] or row["outcome"]) if float(row["confidence"]) >= least else "unanswered"

    return float(m[3]) == pytest.approx(least, rel=5e-3) and all(
        at_threshold(theirs[row["question"]]) == row["outcome"] for row in page.of_run[page.run(m[1])]
    )


def to_read(page: Page, m: re.Match[str]) -> Any:
    run = page.run(m[2])
    if not m[3]:
        return (page.answered[run][1],)
    least = page.tuned(run)["threshold"]
    sure = [row for row in page.of_run[run] if float(row["confidence"]) >= least]
    return (sum((row.get("candidate") or row["outcome"]) == "incorrect" for row in sure),)


def won_by_another(page: Page, m: re.Match[str]) -> bool:
    right, wrong = (
        {row["question"] for row in page.of_run[page.run(name)] if verdict(row) == outcome}
        for name, outcome in ((m[2], "correct"), (m[3], "incorrect"))
    )
    return 0 < int(m[1]) <= len(right & wrong) if "repeat" in page.rows[0] else agrees(m[1], len(right & wrong))


def another_sample(page: Page, m: re.Match[str]) -> bool:
    counts, n = page.counts[page.best], sum(page.counts[page.best])
    if not agrees(m[1], n) or page.run(m[2]) != page.best:
        return False
    return all(map(agrees, (m[3], m[4]), predicted(counts, page.k)))


def rank(page: Page, m: re.Match[str]) -> bool:
    apart = [run for run in page.runs if run != page.best and page.apart(page.best, run)]
    better = sum(page.value(run) > page.value(page.best) for run in apart)
    worse = sum(page.value(run) < page.value(page.best) for run in apart)
    return agrees(m[1] or m[3], 1 + better) and agrees(m[2] or m[3], page.k - worse)


def prices(page: Page, m: re.Match[str]) -> bool:
    def earns(run: str, t: float) -> float:
        c, w, u = page.counts[run]
        return (c - w * t / (1 - t)) / (c + w + u)

    end = 0.0
    for part in m[1].split("; "):
        piece = re.fullmatch(rf"(.+) from t = {N} to {N}", part)
        assert piece
        run, low, high = page.run(piece[1]), float(piece[2]), float(piece[3])
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


def lines(page: Page, _: re.Match[str]) -> Any:
    """Two hundred, and whichever of the others earns most at some price."""
    shares = [(c, w) for c, w, _ in (page.counts[run] for run in page.order)]
    best = set(page.order[:200])
    for t in (i / 1000 for i in range(1000)):
        earned = [c - w * t / (1 - t) for c, w in shares]
        best |= {run for run, value in zip(page.order, earned, strict=True) if value > max(earned) - 1e-12}
    return len(best), page.k


def bars(page: Page, m: re.Match[str]) -> bool:
    runs = page.order[: int(m[2])]
    drawn: list[tuple[int, int]] = []
    for i in range(len(runs)):
        j = i
        while j + 1 < len(runs) and not any(page.apart(runs[j + 1], runs[k]) for k in range(i, j + 1)):
            j += 1
        if j > i and not (drawn and drawn[-1][1] >= j):
            drawn.append((i, j))
    under = {k for i, j in drawn for k in range(i, j + 1)}
    named = [f"{page.names[runs[i]]} to {page.names[runs[j]]}" for i, j in drawn]
    words = "; ".join(named[:4]) + (f" and {len(named) - 4} more" if len(named) > 4 else "")
    return agrees(m[1], len(drawn)) and (m[3] or "") == words and int(m[4] or 0) == len(runs) - len(under)


def pairs(page: Page, m: re.Match[str]) -> bool:
    every = page.k * (page.k - 1) // 2
    apart = sum(page.apart(*pair) for pair in page.comparisons)
    if m[3] is not None and not agrees(m[3], len(page.on_page)):
        return False
    parts = m[4].split("; ") if m[4] else []
    more = int(parts.pop().split()[0].replace(",", "")) if parts and parts[-1].endswith(" more") else 0
    named = all(not page.apart(*(page.run(name) for name in part.split(" against "))) for part in parts)
    return agrees(m[1], apart) and agrees(m[2], every) and named and len(parts) + more == every - apart


def one_pair(page: Page, m: re.Match[str]) -> bool:
    one, other = page.run(m[1]), page.run(m[2])
    row = page.comparisons[frozenset((one, other))]
    sign = 1 if row["run"] == one else -1
    ends = sorted(sign * end for end in (row["low"], row["high"])) if row["low"] is not None else []
    p = row["p_adjusted"] < float(m[7]) if m[6] else agrees(m[7], row["p_adjusted"])
    shown = [text for text in (m[3], m[4], m[5]) if text]
    told = (not m[8]) == page.apart(one, other) and (m[9] is None or agrees(m[9], row["detectable"]))
    return told and p and all(map(agrees, shown, (page.value(one) - page.value(other), *ends)))


def calibration(page: Page, m: re.Match[str]) -> bool:
    rows = {row["run"]: row["value"] for row in page.ask("score", "ECE")["scores"]}
    parts = [part.rsplit(" ", 1) for part in m[1].split("; ")]
    return len(parts) == page.k and all(agrees(value, rows[page.run(name)]) for name, value in parts)


def printed(page: Page, m: re.Match[str]) -> bool:
    run = page.run(m[1])
    if m[2]:
        return float(m[2]) == pytest.approx(page.tuned(run)["threshold"], rel=5e-4) and int(m[3]) <= 10
    return agrees(m[3], min(10, page.answered[run][1]))


def of_best(page: Page) -> tuple[int, int, int, int, float]:
    """Right, wrong and unanswered of the best run, their sum and its c@1."""
    c, w, u = page.counts[page.best]
    return c, w, u, c + w + u, page.value(page.best)


def c_at_1(page: Page, _: re.Match[str]) -> Any:
    c, u, n, value = (of_best(page)[i] for i in (0, 2, 3, 4))
    return c, n, u, c, u, c, n, n, value, c / n


def penalty(page: Page, _: re.Match[str]) -> Any:
    c, w, n = (of_best(page)[i] for i in (0, 1, 3))
    return c, w, n, (c - 3 * w) / n, page.silence


def accuracy_and_c_at_1(page: Page, m: re.Match[str]) -> Any:
    gains = {run: page.value(run) - page.value(run, "accuracy") for run in page.runs}
    if m[2] is None:
        return (page.k,) if not any(gains.values()) else False
    run = page.run(m[2])
    assert gains[run] == pytest.approx(max(gains.values()))
    return page.k, page.value(run, "accuracy"), page.value(run), gains[run]


def what_it_did(page: Page, m: re.Match[str]) -> Any:
    c, w, u = page.counts[page.run(m[1])]
    n = c + w + u
    return (c / n, n, *([page.questions] if m[4] else []), w / n, u / n)


def silent(page: Page, m: re.Match[str]) -> Any:
    shares = {run: u / (c + w + u) for run, (c, w, u) in page.counts.items()}
    most, least = max(shares.values()), min(shares.values())
    assert shares[page.run(m[1])] == most
    assert not m[3] or shares[page.run(m[3])] == least
    return (most, *([least] if m[3] else []))


BEST = r"(?:is best by c@1(?: as the runs came)?(?:, tied with .+?)?,|has the best c@1,|scores)"


def counted_as_incorrect(page: Page, m: re.Match[str]) -> Any:
    """As many answers are unanswered where such outputs abstain."""
    left = page.ask("score", "coverage", **{m[3]: "unanswered"})["scores"]
    kept = page.ask("score", "coverage")["scores"]
    by_run = {row["run"]: row["value"] * row["n"] for row in left}
    return (next(row["value"] * row["n"] for row in kept if page.names[row["run"]] == m[1]) - by_run[page.run(m[1])],)


def undecided(page: Page, m: re.Match[str]) -> Any:
    """The difference and its interval, and how many more questions (or clusters, where they are resampled) bring the
    worst that a gate fears to the margin. Its gap g has g^2 = z^2 (s^2 + g k). s^2 and k fall as 1/n does."""
    row = page.ask("compare", "c@1", run=page.run(m[1]), baseline=page.run(m[2]))["comparisons"][0]
    ends = [row["difference"], row["low"], row["high"]]
    z = norm.ppf(0.975)
    seen, variance = row["difference"] - row["worst"], row["spread"] ** 2
    skew = (seen**2 / z**2 - variance) / seen

    def beyond(times: float) -> float:
        gap = brentq(lambda g: g * g - z * z * (variance + g * skew) / times, seen * 1e-9, seen * 10)
        return gap - row["difference"] - 0.01

    more = row["units"] * (brentq(beyond, 1, 1e6) - 1)
    digits = 10 ** max(0, len(str(int(more))) - 2)
    shown = [*(ends if m[4] else ends[:1]), 0.01]
    return (*shown, *([math.ceil(more / digits) * digits] if m[8] else []))


RULES: dict[str, Check] = {
    rf"{BEST} # \[#, #\]": lambda page, _: page.ends(simultaneous=True),
    r"; not significantly different from (.+?)\.(?= |$)": alike,
    r"; significantly different from (all # other runs|both other runs|the other run)\.": unlike,
    r"RUN answers #, and # of its answers are wrong": lambda page, m: page.share(page.run(m[1])),
    r"RUN answered #, and # of these were wrong": lambda page, m: page.share(page.run(m[1])),
    r"Ship RUN at threshold #(?:, or RUN at threshold #)?\.": thresholds_of_heading,
    r"RUN at threshold # is expected to answer # of new questions, and # of these wrongly": shipped_at,
    r"\(at most # on others like them, with 95% confidence(?:, chosen out of #)?(?:, if the answer without a grade is wrong)?\)": at_most,
    r"The evidence is (weak|fair|strong): (?:another judge grades # of the answers differently(?: and )?)?(?:the lead(?: over .+?)? is (not )?"
    r"significant)?(?: and )?(?:the bound is # points? above the observed share)?\.": evidence,
    r"RUN minus RUN is #(?: \[#, #\])? by c@1, (?:so|but) RUN may still be worse by more than the margin of #[.:](?: About # further (?:questions|clusters) would)?": undecided,
    r"RUN and RUN at threshold # get the same outcome on every question: let cost or speed decide": the_same,
    r"# errors? of RUN( at that threshold)?(?=,| ·|$)": to_read,
    r"# questions? that RUN gets right and RUN gets wrong": won_by_another,
    r"run 'RUN': # (empty|unparsed) outputs? counts? as incorrect": counted_as_incorrect,
    r"RUN got # of #(?: answers to #)? questions right and # wrong, and left # unanswered": what_it_did,
    r"would be first \(#\)": lambda page, _: (max(page.value(run, "accuracy") for run in page.runs),),
    r"(?:holds for|as) the best of #": lambda page, _: (page.k,),
    r"On another # questions like these, RUN without a threshold would score from # to # by c@1": another_sample,
    r"# (?:questions|answers) come in # groups by (\w+)\.": lambda page, m: page.grouped(m[3]),
    r"(?:The collection is small|Too little to decide): # (questions?|clusters?)\.": lambda page, m: (
        page.units(m[2]),
    ),
    r"of # (questions?) no answer is right": lambda page, _: (page.questions,),
    r"the same with each of # (questions?|clusters?)": lambda page, m: (page.units(m[2]),),
    r"all # (questions) or clusters move the two runs alike": lambda page, _: (page.questions,),
    r"Ship nothing yet: # of .+?'s # answers? counts? as silence": lambda page, _: of_best(page)[2:4],
    r"\(# clusters of # questions\): if you trust this column, add": lambda page, _: (
        page.units("cluster"),
        page.questions,
    ),
    r"Ship nothing yet: # of .+?'s # answers? (?:is|are) left out": lambda page, _: (
        page.ungraded,
        page.ungraded + of_best(page)[3],
    ),
    r"For (undecided pairs|the undecided pairs on this page|these pairs), the smallest difference that a test detects "
    r"with a chance of 80% is about #( to #)?": lambda page, m: page.detectable(m[1])[: 2 if m[3] else 1],
    r"RUN has # of # right and left # unanswered: \(# \+ #·#/#\)/# = #\. Its accuracy is #\.": c_at_1,
    r"so RUN earns \(# - 3·#\)/# = #\. A run below #": penalty,
    r"it earns #, because some questions have no answer": lambda page, _: (page.silence,),
    r"rightly or wrongly: # for RUN\.": lambda page, m: (page.share(page.run(m[2]))[0],),
    r"scores # by c@1 on these questions. Over all questions like them, it scores from # to #": lambda page, _: (
        page.ends()
    ),
    r", and from # to # as the best of #": lambda page, _: (*page.ends(simultaneous=True)[1:], page.k),
    r"can have (?:any rank from # to #|rank #)": rank,
    r"The chart shows the first # of #; its data has them all\.": lambda page, m: (int(m[1]), page.k),
    r"The chart shows the # best of # runs\.": lambda page, m: (int(m[1]), page.k),
    r" The # best runs; # more are not shown\.": lambda page, m: (int(m[1]), page.k - int(m[1])),
    r"Most abstentions: RUN \(# unanswered\)\.(?: Fewest: RUN \(#\)\.)?": silent,
    r"c@1 over accuracy, # runs?\. (?:The largest gain from abstaining: RUN, from # to # \(#\)|No run gains from "
    r"abstaining)\.": accuracy_and_c_at_1,
    r"Grey: # other runs?": lambda page, m: 0 < int(m[1]) < page.k,
    r"The best run is (.+? from t = # to #)(?:\. For higher t, never answering beats every run( that answers)?)?\.": prices,
    r"# of # runs have a line: those that rank first or are best at some t\.": lines,
    r"# bars? over # runs?(?:: (.+?))?\. (?:# runs? without a bar|Every run is under a bar)\.": bars,
    r"By c@1, # of # pairs differ significantly \(p-values adjusted for all pairs\)\.(?: # of these comparisons are on this "
    r"page\.)?(?: Not significantly different: (.+?)\.(?= The chart|$))?": pairs,
    r"# of # comparisons are shown: all pairs of the # best of # runs, and": lambda page, _: (
        *(len(page.on_page), len(page.comparisons), 40, page.k),
    ),
    r"RUN minus RUN: #(?: \[#, #\])?, adjusted p (<? ?)#, (not )?significant\.(?: The smallest difference that this test "
    r"would detect \(80% power\): #\.)?": one_pair,
    r"Risk over coverage for # runs?\.": lambda page, _: (
        sum(any(row["confidence"] for row in rows) for rows in page.of_run.values()),
    ),
    r"Expected calibration error \(the mean distance from the diagonal\): (.+?)\.$": calibration,
    r"Errors of RUN(?:, answering from a confidence of # on)?: the first #(?:, the most confident first)?\.": printed,
    # All that was asked, graded or not.
    r"each of (?:the )?# questions(?:, asked # times in all)?": lambda page, m: (
        *(page.asked_of or page.questions, *([of_best(page)[3]] if m[2] else [])),
    ),
}


def figures(page: Page) -> Iterator[str]:
    """The blocks that hold a number, each without what a rule has found true; what is false fails here."""
    for block in page.prose:
        if block in page.names.values() or block in page.notes:
            continue
        explained = [False] * len(block)
        for pattern, check in [*RULES.items(), *((words, None) for words in ("RUN", *CONSTANT))]:
            for claim in re.finditer(page.named(pattern.replace("#", N)), block):
                assert check is None or is_true(page, check, claim), (pattern, claim[0])
                explained[slice(*claim.span())] = [True] * len(claim[0])
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


@pytest.mark.parametrize("name", PAGES)
def test_every_figure_of_every_sentence_is_made_again(name: str, tmp_path: Path) -> None:
    check(name, tmp_path)


@pytest.mark.proof
@pytest.mark.parametrize("name", LARGE)
def test_every_figure_of_every_sentence_of_a_large_page_is_made_again(name: str, tmp_path: Path) -> None:
    check(name, tmp_path)


def explained(page: str, sentences: dict[str, tuple[Any, ...]]) -> None:
    """Hold each sentence of a page to the numbers that it must have; no other may have any."""
    for block in prose(page):
        left = block
        for pattern, values in {**dict.fromkeys(CONSTANT, ()), **sentences}.items():
            for claim in re.finditer(pattern.replace("#", N), block):
                shown = [text for text in claim.groups() if text]
                assert len(shown) == len(values), (pattern, shown)
                assert all(map(agrees, shown, values)), (claim[0], values)
                left = left[: claim.start()] + " " * len(claim[0]) + left[claim.end() :]
        assert not re.search(r"\d", left), left


def test_every_figure_of_every_sentence_of_a_diff(tmp_path: Path) -> None:
    table = EXAMPLES / "outcomes.csv"
    page = make(tmp_path / "diff.html", table, "--baseline", "old", "--run", "mine").read_text(encoding="utf-8")
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    old, new = ({row["question"]: row for row in rows if row["run"] == run} for run in ("old", "mine"))
    n, moves = len(old), Counter((verdict(old[q]), verdict(new[q])) for q in old)
    silent = Counter((was_answered(old[q]), was_answered(new[q])) for q in old)
    won = sum(many for (a, b), many in moves.items() if a != b == "correct")
    lost = sum(many for (a, b), many in moves.items() if a == "correct" != b)
    same = sum(many for (a, b), many in moves.items() if a == b)
    groups = {"won": won, "lost": lost, "newly silent": silent[True, False], "newly answered": silent[False, True]}
    measures = ["c@1", "accuracy", "coverage"]
    rows_ = nescio.compare(table, measures, baseline="old", run="mine", resamples=RESAMPLES).to_dict()["comparisons"]
    c = rows_[0]
    values = {row.run: row.value for row in nescio.score(table, "c@1", ci=None)}
    assert c["p_adjusted"] < 0.001
    both = (values["mine"], values["old"], c["difference"], c["low"], c["high"])
    sentences = {
        r"mine minus old is # \[#, #\] by c@1, so mine is better\.": both[2:],
        r"c@1: # against #, # \[#, #\], adjusted p < 0.001; better": both,
        "Among the # shared questions, mine wins # and loses #; # did not change": (n, won, lost, same),
        "newly abstains on # and newly answers #": tuple(list(groups.values())[2:]),
        "out of # questions that both runs have": (n,),
        "each of the # questions": (n,),
        "incorrect → unanswered #": (moves["incorrect", "unanswered"],),
        "incorrect → correct #": (moves["incorrect", "correct"],),
        "(?<!in)correct → unanswered #": (moves["correct", "unanswered"],),
        "the margin of #": (0.01,),
        "c@1 #, better; accuracy #, too few questions to tell; coverage #, lower": tuple(
            row["difference"] for row in rows_
        ),
        "# of # questions have no answer": (sum(row["answerable"] == "false" for row in old.values()), n),
    }
    sentences |= {f"# {name}": (many,) for name, many in groups.items()}
    explained(page, sentences | {rf"{name} \(#\)": (many,) for name, many in groups.items()})


def test_every_figure_of_every_sentence_of_a_suite(tmp_path: Path) -> None:
    suite = EXAMPLES / "suite" / "suite.toml"
    page = make(tmp_path / "suite.html", suite).read_text(encoding="utf-8")
    by = {(row["run"], row["measure"]): row for row in nescio.score(suite, resamples=RESAMPLES).to_dict()["suite"]}
    sums = [suite.parent / "sums.jsonl", *sorted((suite.parent / "sums").iterdir())]
    each = [nescio.score(path, "c@1", ci=None) for path in (*sorted(suite.parent.glob("[!h]*.csv")), sums)]
    each.append(nescio.score(suite.parent / "history.csv", "c@1", ci=None, column={"run": "engine"}))
    values = [{row.run.rpartition("/")[2]: row.value for row in scores} for scores in each]
    for run in ("model-a", "model-b"):
        assert by[run, "c@1"]["value"] == pytest.approx(sum(own[run] for own in values) / len(values))
    best = by["model-b", "c@1"]
    shown = (best["benchmarks"], best["value"], best["chosen_low"], best["chosen_high"])
    sentences: dict[str, tuple[Any, ...]] = {
        r"has the best mean c@1 over # benchmarks, # \[#, #\]": shown,
        "has the best c@1 on # of # benchmarks": (sum(own["model-b"] > own["model-a"] for own in values), len(values)),
        "model-a': # empty outputs count as incorrect": (5,),  # blank answers in sums/model-a.jsonl
        "model-b': # empty output counts as incorrect": (1,),
        "interval above holds for the best of # runs": (2,),
        "each of the # questions": (best["n"],),
    }
    explained(page, sentences)
