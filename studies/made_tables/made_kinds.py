"""Write facts down in the ways that people do: one function per kind of table."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from made_draft import PARTIAL, RIGHT, SILENT, UNGRADED, WRONG, Column, Draft, Fact
from made_words import ACTIONS, BOOLS, CITIES, MODELS, PREFIXES, SAID_NOTHING, SUMMARY, UNKNOWN_WORDS, Cell


def verdict(d: Draft) -> None:
    """One row per answer with a verdict; the plainest table."""
    silent = d.rng.random() < 0.45
    d.draw(d.pick_runs(), silent)
    d.add_keys()
    d.add_verdicts(silent)
    if "run" in d.mapping and d.rng.random() < 0.2:
        d.noise("provider", ["openai"] * len(d.facts))
    if d.rng.random() < 0.4:
        d.add_texts()
    d.add_confidence()


def wide(d: Draft, predictions: bool = False) -> None:
    """One row per question and one verdict (or answer) column per run."""
    runs, rng = d.rng.sample(PREFIXES, d.rng.randint(2, 4)), d.rng
    silent = not predictions and rng.random() < 0.3
    d.draw(runs, silent, questions=d.size())
    d.ids = d.question_ids(len(d.ids))
    by_run = {run: sorted((f for f in d.facts if f.run == run), key=lambda f: f.question) for run in runs}
    d.columns.append(Column(d.name("question"), list(d.ids), True))
    d.mapping["question"] = ("{0}", [d.columns[0]])
    gold: list[str] = [rng.choice("ABCD") if predictions else rng.choice(CITIES) for _ in d.ids]
    if predictions or rng.random() < 0.5:
        column = Column(d.name("gold"), list(gold), True)
        d.columns.append(column)
        if predictions:
            d.mapping["gold"] = ("{0}", [column])
    mark = rng.choice(["answer", "prediction", "pred"] if predictions else ["correct", "is_correct", "verdict"])
    mark = "richtig" if d.language == "de" and not predictions else mark
    sep = rng.choice(["_", "_", "_", "_", ".", " ", "-", "camel"])
    front = sep == "camel" or rng.random() < 0.8
    words, bools = d.words(), rng.choice([b for b in BOOLS if b[0] in ("", d.language)])
    worded = silent or mark == "verdict"
    extras = rng.sample(["answer", "confidence", "latency", "top1_date"], rng.choice([0, 1, 2, 3]))
    verdicts: list[Column] = []
    for run in runs:
        facts = by_run[run]
        cells: list[Cell] = [bools[1] if f.result == RIGHT else bools[2] for f in facts]
        if worded:
            cells = [dict(zip((RIGHT, WRONG, SILENT), words, strict=True))[f.result] for f in facts]
        if predictions:
            cells = [gold[f.question] if f.result == RIGHT else other(rng, "ABCD", gold[f.question]) for f in facts]
        verdicts.append(Column(pair_name(run, mark, sep, front), cells))
        extra: dict[str, list[Cell]] = {
            "answer": [d.reply(f, gold[f.question]) for f in facts],
            "confidence": [d.confidence(f) for f in facts],
            "latency": [rng.randint(100, 900) for _ in facts],
            "top1_date": ["2026-07-12" for _ in facts],
        }
        d.columns.append(verdicts[-1])
        for word in extras:
            if not predictions or word != "answer":
                d.columns.append(Column(pair_name(run, word, sep, front), extra[word]))
    trap = front and not predictions and rng.random() < 0.12
    if trap:
        d.columns.append(
            Column(pair_name("classifier", mark, sep, True), [bools[1 + i % 2] for i in range(len(d.ids))])
        )
        d.asks.append("which columns are runs")
    form = (
        pair_name("*", mark, sep, True)
        if front and not trap and rng.random() < 0.5
        else "+".join(f"{{{i}}}" for i in range(len(runs)))
    )
    d.mapping["prediction" if predictions else "outcome"] = (form, verdicts)
    if rng.random() < 0.3:
        d.noise("category", [rng.choice(["geo", "sci"]) for _ in d.ids], True)
    if rng.random() < 0.15:
        d.noise("model", ["A"] * len(d.ids), True)  # the same for all: not what makes the runs
    d.layouts = ["csv", "csv", "tsv", "jsonl", "rows", "wrapped", "keyed", "xlsx"]


def pair_name(run: str, mark: str, sep: str, front: bool) -> str:
    """Join a run and what a column says of it; `camel` joins them without a separator."""
    if sep == "camel":
        return run + "".join(part.capitalize() for part in mark.split("_"))
    return f"{run}{sep}{mark}" if front else f"{mark}{sep}{run}"


def other(rng: random.Random, options: Sequence[str], one: str) -> str:
    """Draw another option."""
    return rng.choice([o for o in options if o != one])


def wide_predictions(d: Draft) -> None:
    """One answer column per run beside one gold column."""
    wide(d, predictions=True)


def several_columns(d: Draft) -> None:
    """Two columns make the run: model and template."""
    models = d.rng.sample(MODELS, 2)
    templates = d.rng.sample(["Minimal", "Few-shot", "cot", "zero shot", "base"], d.rng.randint(2, 3))
    pairs = {f"{m}+{t}": (m, t) for m in models for t in templates}
    silent = d.rng.random() < 0.3
    d.draw(list(pairs), silent)
    d.add("question", [d.ids[f.question] for f in d.facts])
    first = d.add("run", [pairs[f.run][0] for f in d.facts])
    second = d.add("template", [pairs[f.run][1] for f in d.facts], "")
    d.mapping["run"] = ("{0}+{1}", [first, second])
    d.add_verdicts(silent)
    d.add_confidence()
    d.layouts = ["csv", "csv", "tsv", "jsonl", "rows", "wrapped", "xlsx"]


def set_questions(d: Draft, credit: bool, strict: bool = False, generous: bool = False) -> None:
    """Draw unanswerable questions and grade declined answers by one of the conventions of the page."""
    hard = set(d.rng.sample(range(len(d.ids)), max(2, len(d.ids) // 3)))
    blank = d.rng.random() < 0.25 and not generous
    for f in d.facts:
        f.answerable = f.question not in hard
        f.declined = f.declined if f.answerable else d.rng.random() < 0.6
        f.verdict = f.result == RIGHT and f.answerable
        if f.declined:
            f.verdict = (
                (credit and not strict) if not f.answerable else (True if generous else None if blank else False)
            )
    for hit, answerable in ((True, False), (False, True), (True, True), (False, False)):  # every case at least once
        f = next((f for f in d.facts if f.answerable == answerable), d.facts[0])
        if not any(g.declined == hit and g.answerable == answerable for g in d.facts):
            f.declined = hit
            f.verdict = (credit and not strict) if hit and not answerable else generous if hit else answerable
    for f in d.facts:
        if not f.declined:
            f.result = RIGHT if f.verdict else WRONG
        else:
            f.result = SILENT if f.answerable else RIGHT


def add_declined(d: Draft, words: bool = True) -> None:
    """Add the column that says whether the system answered, in either polarity."""
    yes, no = d.rng.choice(ACTIONS)
    match d.rng.randrange(5 if words else 4):
        case 0:
            d.add("abstained", d.bools(f.declined for f in d.facts))
        case 1:
            d.add("answered", d.bools(not f.declined for f in d.facts))
        case 2:
            d.add("abstained", d.bools(not f.declined for f in d.facts), "!{0}", names="answered")
        case 3:
            d.add("answered", d.bools(f.declined for f in d.facts), "!{0}", names="abstained")
        case _:
            name = d.free_name(d.rng.choice(["predicted action", "system action", "model action"]))
            d.add("answered", [no if f.declined else yes for f in d.facts], name=name)


def add_answerable(d: Draft, form: bool = True) -> None:
    """Add the column that says whether there was an answer to give."""
    yes, no = d.rng.choice(ACTIONS)
    match d.rng.randrange(3):
        case 0:
            d.add("answerable", d.bools(f.answerable for f in d.facts), "{0}" if form else "")
        case 1:
            cells = d.bools(not f.answerable for f in d.facts)
            d.add("answerable", cells, "!{0}" if form else "", names="unanswerable")
        case _:
            cells = [yes if f.answerable else no for f in d.facts]
            d.add("answerable", cells, "{0}" if form else "", names="behavior")
    d.unanswerable_known = form


def declined(d: Draft) -> None:
    """Verdict, declined and answerable, where the grader credits rightly declined answers."""
    d.draw(d.pick_runs(1, 3), True)
    set_questions(d, credit=True)
    d.add_keys()
    d.add("outcome", d.bools(f.verdict for f in d.facts), names="hit")
    add_declined(d)
    add_answerable(d)
    if d.rng.random() < 0.3:
        d.add_texts()
    d.add_confidence()


def declined_unknown(d: Draft) -> None:
    """Verdict and declined without a column of unanswerable questions."""
    d.draw(d.pick_runs(1, 3), True)
    grade = d.rng.choice([None, False, False, True])
    d.add_keys()
    for f in d.facts:
        f.verdict = grade if f.declined else f.verdict
    if grade:  # some declined answers are graded right, some are not
        for i, f in enumerate(f for f in d.facts if f.declined):
            f.verdict = i % 3 != 2
        keep = d.rng.random() < 0.5
        for f in d.facts:
            f.result = RIGHT if keep and f.declined and f.verdict else f.result
        d.options += ["--declined-right", "keep" if keep else "unanswered"]
        d.asks.append("declined answers graded right")
    d.add("outcome", d.bools(f.verdict for f in d.facts), names="hit")
    if d.rng.random() < 0.15:
        flip = d.rng.random() < 0.5
        name = d.free_name(d.rng.choice(["response status", "flag", "state"]))
        d.add("abstained", [int(f.declined != flip) for f in d.facts], "!{0}" if flip else "{0}", name=name)
        d.asks.append("polarity of the declined column")
    else:
        add_declined(d)
    d.add_confidence()


def contradiction(d: Draft) -> None:
    """The grader says wrong where declining was right, or right where it was not: a person must say what counts."""
    d.draw(d.pick_runs(1, 2), True)
    generous = d.rng.random() < 0.5
    set_questions(d, credit=True, strict=not generous, generous=generous)
    d.add_keys()
    d.add("outcome", d.bools(f.verdict for f in d.facts), names="hit")
    d.asks.append("verdicts contradict the answerable column")
    if d.rng.random() < 0.5:  # the verdict stands; nothing else is interpreted
        add_declined(d)
        add_answerable(d, form=False)
        d.mapping.pop("abstained", None)
        d.mapping.pop("answered", None)
        for f in d.facts:
            f.result = RIGHT if f.verdict else UNGRADED if f.verdict is None else WRONG
    else:  # the answerable column is left out
        add_declined(d)
        add_answerable(d, form=False)
        keep = d.rng.random() < 0.5
        d.options += ["--declined-right", "keep" if keep else "unanswered"]
        for f in d.facts:
            if f.declined:
                f.result = RIGHT if keep and f.verdict else SILENT


def question_columns(d: Draft) -> None:
    """Columns that describe the question beside a verdict: none of them says what the system did."""
    d.draw(d.pick_runs(1, 3), False)
    for f in d.facts:
        f.answerable = f.question % 3 != 0
    d.add_keys()
    d.add_verdicts(False)
    add_answerable(d, form=False)
    if d.rng.random() < 0.5:
        cells = ["false premise" if not f.answerable else "factual" for f in d.facts]
        d.noise(d.rng.choice(["case type", "question type", "category"]), cells, True)
    d.add_confidence()


def judges(d: Draft) -> None:
    """Two verdict columns that agree, or that do not."""
    d.draw(d.pick_runs(1, 3), False)
    d.add_keys()
    base = d.rng.choice(["judge {}", "judge {} correct", "verdict {}", "grader {} verdict", "rater{}"])
    labels = d.rng.choice([("1", "2"), ("a", "b"), ("gpt4", "human")])
    first = d.bools(f.result == RIGHT for f in d.facts)
    second = d.bools(f.result == RIGHT for f in d.facts)
    if d.rng.random() < 0.5:
        yes = next(c for c, f in zip(second, d.facts, strict=True) if f.result == RIGHT)
        wrong = [i for i, f in enumerate(d.facts) if f.result == WRONG]
        for place in d.rng.sample(wrong, max(1, len(wrong) // 3)):
            second[place] = yes
        d.asks.append("two verdicts disagree")
    pair = [(labels[0], first, "{0}"), (labels[1], second, "")]
    for label, cells, form in d.rng.sample(pair, 2):
        d.add("outcome", cells, form, name=d.free_name(base.format(label)))


def graded(d: Draft) -> None:
    """A graded column that needs a threshold."""
    d.draw(d.pick_runs(1, 3), False)
    d.add_keys()
    low, cut, high, whole = d.rng.choice(
        [(0.0, 0.5, 1.0, False), (0.0, 0.7, 1.0, False), (1, 4, 5, True), (0, 60, 100, True), (0, 7, 10, True)]
    )
    cells: list[Cell] = []
    for f in d.facts:
        a, b = (cut, high) if f.result == RIGHT else (low, cut)
        value = d.rng.uniform(a, b)
        if whole:
            cells.append(d.rng.randint(int(a), int(b) - (f.result == WRONG)))
        else:
            cells.append(round(value, 2) if f.result == RIGHT else min(round(value, 2), round(cut - 0.01, 2)))
    name = d.free_name(d.rng.choice(["score", "f1", "similarity", "judge score", "rating", "grade", "rouge l"]))
    d.add("outcome", cells, "{0}>=" + str(cut), name=name)
    d.asks.append("threshold")


def letters(d: Draft) -> None:
    """Grades A, B, C: those of SimpleQA, or those of a school."""
    school = d.rng.random() < 0.5
    d.draw(d.pick_runs(1, 3), not school)
    d.add_keys()
    good, bad, none = ("AB", "CDF", "") if school else ("A", "B", "C")
    pools = {RIGHT: good, WRONG: bad, SILENT: none}
    cells: list[Cell] = [d.rng.choice(pools[f.result]) for f in d.facts]
    d.add("outcome", cells, name=d.free_name(d.rng.choice(["grade", "judge grade", "note", "rating"])))
    for result, word in ((RIGHT, "correct"), (WRONG, "incorrect"), (SILENT, "unanswered")):
        for letter in pools[result]:
            d.options += ["--outcome-map", f"{letter}={word}"]
    d.asks.append("meaning of the letters")


def unknown_words(d: Draft) -> None:
    """Outcome words that no lexicon holds."""
    silent = d.rng.random() < 0.5
    d.draw(d.pick_runs(1, 3), silent)
    d.add_keys()
    words = list(d.rng.choice(UNKNOWN_WORDS))
    d.rng.shuffle(words)
    said = dict(zip((RIGHT, WRONG, SILENT), words, strict=True))
    d.add("outcome", [said[f.result] for f in d.facts])
    for result, word in ((RIGHT, "correct"), (WRONG, "incorrect"), (SILENT, "unanswered"))[: 2 + silent]:
        d.options += ["--outcome-map", f"{said[result]}={word}"]
    d.asks.append("meaning of the words")


def inverted(d: Draft) -> None:
    """A verdict whose true means wrong; its name says so, or does not."""
    d.draw(d.pick_runs(1, 3), False)
    d.add_keys()
    cells = d.bools(f.result == WRONG for f in d.facts)
    if d.rng.random() < 0.5:
        d.add("outcome", cells, "!{0}", names="miss")
    else:
        name = d.free_name(d.rng.choice(["hallucination", "flagged", "status", "label", "is match", "contradicted"]))
        d.add("outcome", cells, "!{0}", name=name)
        d.asks.append("polarity")


def short_answers(d: Draft, loose: bool = False) -> None:
    """Answers and gold that are options, numbers or one word; no verdict."""
    silent = d.rng.random() < 0.4
    d.draw(d.pick_runs(1, 3), silent)
    d.add_keys()
    pool: list[str] = d.rng.choice([list("ABCD"), [str(i) for i in range(3, 60)], CITIES, ["POS", "NEG", "NEU"]])
    gold = [d.rng.choice(pool) for _ in d.ids]
    nothing = d.rng.choice(SAID_NOTHING)
    cells: list[Cell] = []
    for f in d.facts:
        key = gold[f.question]
        if f.result == RIGHT:
            same = d.rng.choice([key, key.lower(), f" {key} ", f"{key}.0" if key.isdigit() else key.upper()])
            cells.append(same if loose else key)
        else:
            cells.append(nothing if f.result == SILENT else other(d.rng, pool, key))
    d.add("prediction", cells)
    d.add("gold", [gold[f.question] for f in d.facts])
    d.add_confidence()


def loose_answers(d: Draft) -> None:
    """Short answers that differ from the gold in case, blanks or `.0` only."""
    short_answers(d, loose=True)


def boolean_answers(d: Draft) -> None:
    """Gold and prediction are yes/no or true/false: not verdicts, though they look like them."""
    d.draw(d.pick_runs(1, 2), False)
    d.add_keys()
    yes, no = d.rng.choice([("Yes", "No"), ("true", "false"), ("SUPPORTED", "REFUTED"), ("correct", "incorrect")])
    gold = [d.rng.random() < 0.5 for _ in d.ids]
    said = [yes if gold[f.question] == (f.result == RIGHT) else no for f in d.facts]
    d.add("prediction", said, name=d.free_name(d.rng.choice(["prediction", "predicted", "judgement", "pred label"])))
    truth = [yes if gold[f.question] else no for f in d.facts]
    d.add("gold", truth, name=d.free_name(d.rng.choice(["gold", "ground truth", "gold label", "target"])))


def empty_gold(d: Draft) -> None:
    """Unanswerable questions have an empty gold, and a declined answer is empty."""
    d.draw(d.pick_runs(1, 2), True)
    set_questions(d, credit=True)
    d.add_keys()
    gold = [d.rng.choice(CITIES) for _ in d.ids]
    cells: list[Cell] = []
    for f in d.facts:
        key = gold[f.question]
        right = f.result == RIGHT and not f.declined
        cells.append("" if f.declined else key if right else other(d.rng, CITIES, key))
    d.add("prediction", cells)
    d.add("gold", [gold[f.question] if f.answerable else "" for f in d.facts])
    d.unanswerable_known = True


def sentences_judged(d: Draft) -> None:
    """Sentences with a verdict of people under a name of its own."""
    d.draw(d.pick_runs(1, 2), False)
    d.add_keys()
    d.add_texts()
    names = ["truthfulness", "factuality", "human verdict", "truthful"]
    d.add("outcome", d.bools(f.result == RIGHT for f in d.facts), name=d.free_name(d.rng.choice(names)))


def sentences_unjudged(d: Draft) -> None:
    """Sentences and gold with no verdict: only a judge could tell."""
    d.draw(d.pick_runs(1, 2), False)
    d.add_keys()
    gold = [d.rng.choice(CITIES) for _ in d.ids]
    d.add("prediction", [d.reply(f, gold[f.question]) + " as of today." for f in d.facts])
    d.add("gold", [f"The city that was meant is {gold[f.question]}." for f in d.facts])
    d.asks.append("sentences need a judge")
    d.expressible = False


def repeats(d: Draft) -> None:
    """Several attempts per question, numbered or by seed."""
    silent = d.rng.random() < 0.3
    runs = d.pick_runs(1, 3)
    count = d.rng.randint(2, 4)
    d.draw(runs, silent, repeats=count)
    d.add_keys()
    labels: list[Cell] = d.rng.choice([[1, 2, 3, 4], [0, 1, 2, 3], [42, 43, 44, 45], [7, 99, 123, 2024]])
    if len(runs) == 1 and "run" not in d.mapping and d.rng.random() < 0.3:
        d.add("repeat", [labels[f.repeat] for f in d.facts], name=d.free_name("run"))
        d.asks.append("runs or repeats")
    else:
        d.add("repeat", [labels[f.repeat] for f in d.facts])
    d.add_verdicts(silent)
    d.add_confidence()


def duplicates(d: Draft) -> None:
    """Some rows occur twice, with the same or another verdict."""
    d.draw(d.pick_runs(1, 2), False)
    policy = d.rng.choice(["first", "last", "repeats"])
    copies = d.rng.sample(d.facts, max(1, len(d.facts) // 6))
    for fact in copies:
        again = Fact(**vars(fact))
        again.result = d.rng.choice([fact.result, RIGHT, WRONG])
        d.facts.append(again)
        if policy != "repeats":
            d.hidden.append(again if policy == "first" else fact)
    d.add_keys()
    d.add_verdicts(False)
    d.options += ["--duplicates", policy]
    d.asks.append("rows occur twice")


def summary_rows(d: Draft) -> None:
    """A total or an average stands in the last row."""
    d.draw(d.pick_runs(1, 3), False)
    d.add_keys()
    outcome = d.add_verdicts(False)
    word = d.rng.choice(SUMMARY)
    question = d.mapping["question"][1][0]
    for run in sorted({f.run for f in d.facts}):
        own = [f for f in d.facts if f.run == run]
        right = sum(f.result == RIGHT for f in own)
        shares: list[Cell] = [round(right / len(own), 3), f"{100 * right / len(own):.1f}%", f"{right}/{len(own)}"]
        row: dict[str, Cell] = {question.name: word, outcome.name: d.rng.choice(shares)}
        if "run" in d.mapping:
            row[d.mapping["run"][1][0].name] = run
        d.tail.append(row)
    if d.rng.random() < 0.3:
        d.tail.insert(0, {})
    d.layouts = ["csv", "csv", "tsv", "xlsx"]


def totals(d: Draft, wrong: bool = False) -> None:
    """A JSON file that also holds its own totals."""
    silent = d.rng.random() < 0.3
    d.draw([d.rng.choice(MODELS)], silent)
    d.add_keys()
    d.add_verdicts(silent)
    right = sum(f.result == RIGHT for f in d.facts)
    said = right - 1 if wrong else right
    d.totals = {"accuracy": round(said / len(d.facts), 4), "n_correct": said, "total": len(d.facts)}
    if d.rng.random() < 0.3:
        d.totals = {"summary": d.totals}
    if not wrong and d.rng.random() < 0.4:
        groups = [("geo", "sci")[f.question % 2] for f in d.facts]
        d.noise("category", groups, True)
        shares: dict[str, dict[str, float]] = {}
        for group in ("geo", "sci"):
            own = [f for f, g in zip(d.facts, groups, strict=True) if g == group]
            shares[group] = {"accuracy": round(sum(f.result == RIGHT for f in own) / len(own), 4), "n": len(own)}
        d.totals["by_category"] = shares
    d.layouts = ["wrapped", "wrapped", "totals_first", "totals_last"]


def totals_disagree(d: Draft) -> None:
    """The file's own totals differ from its rows by one."""
    totals(d, wrong=True)
    d.asks.append("totals differ from the rows")


def failures_only(d: Draft) -> None:
    """Only the failures are listed; the rest was right."""
    d.draw([d.rng.choice(MODELS)], False)
    d.unlisted = [f for f in d.facts if f.result == RIGHT]
    d.facts = [f for f in d.facts if f.result == WRONG]
    total = len(d.facts) + len(d.unlisted)
    d.add_keys()
    for f in d.unlisted:
        f.run = d.facts[0].run
    d.add("outcome", d.bools(False for _ in d.facts), names="hit")
    d.noise("error type", [d.rng.choice(["reasoning", "format"]) for _ in d.facts])
    d.stem = d.rng.choice(["failures", "errors", "results", "wrong_cases"])
    if d.rng.random() < 0.5:
        right = len(d.unlisted)
        d.totals = {"accuracy": round(right / total, 4), "correct_count": right, "total_count": total}
        d.layouts = ["totals_first", "wrapped"]
    else:
        d.asks.append("only failures are listed")
    d.options += ["--total", str(total), "--rest", "correct"]


def attempts_only(d: Draft) -> None:
    """Only the attempts are listed; the file's own total is larger."""
    d.draw([d.rng.choice(MODELS)], False)
    rest, outcome = d.rng.choice([("incorrect", WRONG), ("ungraded", UNGRADED)])
    d.add_keys()
    d.add_verdicts(False)
    run = d.facts[0].run
    d.unlisted = [Fact(run, -1, 0, outcome) for _ in range(d.rng.randint(2, 12))]
    total = len(d.facts) + len(d.unlisted)
    d.totals = {"submitted": len(d.facts), "total_instances": total}
    d.options += ["--total", str(total), "--rest", rest]
    d.asks.append("what the missing questions are")
    d.layouts = ["wrapped"]


def errors(d: Draft) -> None:
    """Some calls failed; an error column says so and the verdict is worth nothing."""
    silent = d.rng.random() < 0.3
    d.draw(d.pick_runs(1, 3), silent)
    d.add_keys()
    d.add_verdicts(silent)
    outcome = d.mapping["outcome"][1][0]
    blank = d.rng.random() < 0.5
    wrong = next(c for c, f in zip(outcome.cells, d.facts, strict=True) if f.result == WRONG)
    keep = {next(i for i, f in enumerate(d.facts) if f.result == r) for r in (RIGHT, WRONG)}
    free = [i for i in range(len(d.facts)) if i not in keep]
    failed = set(d.rng.sample(free, max(1, len(free) // 7)))
    for i in failed:
        d.facts[i].result = UNGRADED
        outcome.cells[i] = None if blank else wrong
    said = ["HTTP 429: rate limit", "timeout after 60 s", "ConnectionError()", "context length exceeded"]
    d.add("error", [d.rng.choice(said) if i in failed else None for i in range(len(d.facts))])


def missing_verdict(d: Draft) -> None:
    """Some verdicts are empty and nothing says why."""
    d.draw(d.pick_runs(1, 2), False)
    d.add_keys()
    column = d.add_verdicts(False)
    for i in d.rng.sample(range(len(d.facts)), max(1, len(d.facts) // 8)):
        column.cells[i], d.facts[i].result = None, UNGRADED
    d.asks.append("empty verdicts")


def row_number(d: Draft) -> None:
    """No column names the question."""
    d.draw(d.pick_runs(1, 2), False)
    d.add_keys()
    d.columns = [c for c in d.columns if c is not d.mapping["question"][1][0]]
    d.add_verdicts(False)
    d.mapping["question"] = ("#", [])
    d.layouts = ["csv", "csv", "tsv", "jsonl", "rows", "xlsx"]


def sheets(d: Draft) -> None:
    """A workbook with more than one sheet."""
    verdict(d)
    d.sheet = d.rng.choice(["Results", "Ergebnisse 2026", "raw data", "Tabelle2"])
    d.options += ["--sheet", d.sheet]
    d.sheets = [("Notes", "notes")]
    if d.rng.random() < 0.5:
        d.sheets.append(("old", "copy"))
        d.asks.append("two sheets hold results")
    d.layouts = ["xlsx"]


def partial(d: Draft, worth: bool = False) -> None:
    """A third word, `partial`, that is neither right nor wrong until somebody says."""
    d.draw(d.pick_runs(1, 2), False)
    d.add_keys()
    right, wrong, _ = d.words()
    word = d.rng.choice(["partial", "partially correct", "teilweise", "PARTIAL"])
    meaning, result = d.rng.choice([("correct", RIGHT), ("incorrect", WRONG)])
    cells = [right if f.result == RIGHT else wrong for f in d.facts]
    keep = {next(i for i, f in enumerate(d.facts) if f.result == r) for r in (RIGHT, WRONG)}
    free = [i for i in range(len(d.facts)) if i not in keep]
    for i in d.rng.sample(free, max(1, len(free) // 6)):
        cells[i], d.facts[i].result = word, PARTIAL if worth else result
    d.add("outcome", cells)
    d.options += ["--outcome-map", f"{word}={0.5 if worth else meaning}"]
    d.asks.append("what a partial answer is worth")


def partial_worth(d: Draft) -> None:
    """Partial answers count half."""
    partial(d, worth=True)


def nameless(d: Draft) -> None:
    """Names that no lexicon holds, with two columns that could be the verdict."""
    d.draw(d.pick_runs(2, 3), False)
    names = d.rng.choice([("a", "b", "c", "d"), ("col1", "col2", "col3", "col4"), ("k", "zz", "v1", "v2")])
    d.add("question", [d.ids[f.question] for f in d.facts], name=names[0])
    d.add("run", [f.run for f in d.facts], name=names[1])
    cells = d.bools(f.result == RIGHT for f in d.facts)
    d.add("outcome", cells, name=names[2])
    decoy = list(cells)
    d.rng.shuffle(decoy)
    decoy[0] = cells[d.facts.index(next(f for f in d.facts if f.result == WRONG))]
    d.columns.append(Column(names[3], decoy))
    d.asks.append("names in no lexicon")


def metrics(d: Draft) -> None:
    """Several measures side by side: hit@1 and hit@3, or exact match and F1."""
    d.draw(d.pick_runs(1, 2), False)
    d.add_keys()
    if d.rng.random() < 0.5:
        d.add("outcome", [float(f.result == RIGHT) for f in d.facts], name="hit@1")
        more = [f.result == RIGHT or d.rng.random() < 0.5 for f in d.facts]
        d.columns.append(Column("hit@3", [float(m) for m in more]))
        d.asks.append("which cut-off")
    else:
        d.add("outcome", [int(f.result == RIGHT) for f in d.facts], name=d.free_name("exact match"))
        f1 = [1.0 if f.result == RIGHT else round(d.rng.uniform(0, 0.9), 2) for f in d.facts]
        d.columns.append(Column(d.free_name("f1"), list(f1)))


KINDS: list[tuple[Callable[[Draft], None], int]] = [  # kind, weight
    (verdict, 14), (wide, 10), (wide_predictions, 2), (several_columns, 5), (declined, 12), (declined_unknown, 6),
    (contradiction, 3), (question_columns, 5), (judges, 5), (graded, 5), (letters, 3), (unknown_words, 4),
    (inverted, 4), (short_answers, 8), (loose_answers, 2), (boolean_answers, 3), (empty_gold, 3),
    (sentences_judged, 3), (sentences_unjudged, 2), (repeats, 6), (duplicates, 4), (summary_rows, 4), (totals, 4),
    (totals_disagree, 1), (failures_only, 3), (attempts_only, 2), (errors, 5), (missing_verdict, 2), (row_number, 3),
    (sheets, 2), (partial, 2), (partial_worth, 1), (nameless, 2), (metrics, 3),
]  # fmt: skip
