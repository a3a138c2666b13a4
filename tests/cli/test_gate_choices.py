"""What whoever sends answers, rows or labels could choose so that a run wins, and no gate rests on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.cli.test_gate_grounds import GATE, HEAD, N, old, policy, right, table


def test_a_run_that_tries_again_where_it_failed(tmp_path: Path, nescio: Command) -> None:
    """Right with a chance of one half, it tries each question once more if it was wrong: 0.75 in place of 0.5. The
    baseline was asked once, or is one attempt of each."""
    once = [("old", f"q{q}", 0, right(q % 10 < 6)) for q in N]
    again = [("new", f"q{q}", k, right(k == q % 2)) for q in N for k in range(1 + q % 2)]
    path = table(tmp_path / "again.csv", "run,question,repeat,outcome", [*once, *again])
    says = "'old' has fewer answers to some questions (up to 100) than another run has. The run could win by adding"
    alone = "run 'new': 100 of 200 questions have fewer than 2 answers"
    nescio("compare", path, "-m", "accuracy", *GATE).assert_refused(says)
    for rule, why in (("", says), ("at_least = 0.4", alone)):
        nescio("gate", policy(path, f'measure = "accuracy"\n{rule}')).assert_refused(why)
    last = nescio("compare", path, "-m", "accuracy", *GATE[:-1]).out.splitlines()[-1]
    assert last.startswith("CANNOT TELL: ")
    assert says in last


@pytest.mark.parametrize("which", ["first", "last"])
def test_one_of_several_answers_that_differ_is_no_choice(tmp_path: Path, nescio: Command, which: str) -> None:
    """Whoever writes the file orders its rows. Rows that are alike are no choice, and are counted in a note."""
    twice = [("new", f"q{q}", right((which == "last") is bool(k))) for q in N for k in range(2)]
    path = table(tmp_path / "twice.csv", HEAD, [*old(), *twice])
    says = "200 rows repeat an answer and are left out; for 200 questions the rows differ, so the choice of row matters"
    nescio("compare", path, "-m", "accuracy", *GATE, "--duplicates", which).assert_refused(says)
    nescio("score", path, "-m", "accuracy", "--fail-under", "accuracy=0", "--duplicates", which).assert_refused(says)
    nescio("gate", policy(path, 'measure = "accuracy"', f'duplicates = "{which}"')).assert_refused(says)
    alike = [("new", f"q{q}", right(q % 10 < 9)) for q in N for _ in range(2)]
    path = table(tmp_path / "alike.csv", HEAD, [*old(), *alike])
    done = nescio("compare", path, "-m", "accuracy", *GATE, "--duplicates", which)
    assert done.status == 0
    assert "200 rows repeat an answer and are left out" in done.flat


@pytest.mark.parametrize(
    ("old_by", "new_by", "why"),
    [
        ("exact", "token_f1(threshold=0.1)", "(exact, token_f1(threshold=0.1))"),
        ("exact", "", "(exact, an unknown judge)"),
        ("exact", ("exact", "lenient"), "(exact, exact+lenient)"),
        ("exact", ("exact", "exact(threshold=0.1)"), "(exact, exact(exact.threshold=0.1, exact.threshold=not stated))"),
        ("exact", ("exact", ""), "(exact, an unknown judge+exact)"),
        ("llm(model=m, date=2026-01-01)", "llm(model=m, date=2026-02-02)", ""),
        (("llm(model=m, date=2026-01-01)", "llm(model=m, date=2026-01-02)"), "llm(model=m, date=2026-02-02)", ""),
        (("ana", "ben"), ("ana", "ben"), ""),
    ],
)
def test_runs_of_two_judges_are_not_compared_by_a_gate(
    tmp_path: Path, nescio: Command, old_by: str | tuple[str, ...], new_by: str | tuple[str, ...], why: str
) -> None:
    def judged(run: str, share: int, by: str | tuple[str, ...]) -> list[tuple[object, ...]]:
        names = (by,) if isinstance(by, str) else by
        return [(run, f"q{q}", right(q % 10 < share), f'"{names[q % len(names)]}"') for q in N]

    rows = [*judged("old", 5, old_by), *judged("new", 9, new_by)]
    done = nescio("compare", table(tmp_path / "t.csv", f"{HEAD},judge", rows), "-m", "accuracy", *GATE)
    if why:
        done.assert_refused(f"the runs were judged by different judges {why}", "Judge all runs by one judge")
    else:
        assert done.status == 0, done.flat
    parts = [
        table(tmp_path / f"{name}.csv", f"{HEAD},judge", own) for name, own in (("a", rows[:200]), ("b", rows[200:]))
    ]
    base = tmp_path / "base.json"
    nescio("compare", parts[0], "--save-baseline", base)
    done = nescio("compare", parts[1], "-m", "accuracy", "--baseline", base, "--fail-on-regression")
    if why:
        before, _, now = why[1:-1].partition(", ")
        done.assert_refused(f"judged by {before}, and these files by {now}")
    else:
        assert done.status == 0, done.flat


def by(column: str, old_by: tuple[str, ...], new_by: tuple[str, ...], path: Path) -> Path:
    """Write a table in which these judges take turns, and the new run is right more often."""
    rows = [
        (run, f"q{q}", right(q % 10 < share), names[q % len(names)])
        for run, share, names in (("old", 5, old_by), ("new", 9, new_by))
        for q in N
    ]
    return table(path, f"{HEAD},{column}", rows)


GRADERS = ["grader_model", "judge_model", "grader", "evaluator", "scorer", "annotator", "judge_prompt", "llm_judge"]


@pytest.mark.parametrize(
    "name",
    [
        *GRADERS,
        "Judge",
        "JUDGE",
        "grading.model",
        "Judge-Version",
        "graded_by",
        "autorater",
        "grade.judgeModel",
    ],
)
def test_a_judge_has_many_names(tmp_path: Path, nescio: Command, name: str) -> None:
    path = by(name, ("gpt-4o",), ("gpt-3.5",), tmp_path / "t.csv")
    named = "gpt-4o" if name.lower() == "judge" else f"judge({name}=gpt-4o)"
    nescio("compare", path, "-m", "accuracy", *GATE).assert_refused(f"by different judges ({named}, ")
    assert nescio("compare", path, "-m", "accuracy", *GATE, "--column", "judge=-").status == 0
    same = by(name, ("gpt-4o",), ("gpt-4o",), tmp_path / "same.csv")
    assert nescio("compare", same, "-m", "accuracy", *GATE).status == 0


def test_whoever_grades_single_answers_is_no_judge_of_a_run(tmp_path: Path, nescio: Command) -> None:
    """People share the work, and a column of verdicts names nobody."""
    people = by("annotator", ("ana", "ben"), ("ben", "cy", "dan"), tmp_path / "people.csv")
    assert nescio("compare", people, "-m", "accuracy", *GATE).status == 0
    alone = by("annotator", ("ana",), ("ana", "ben"), tmp_path / "alone.csv")
    nescio("compare", alone, "-m", "accuracy", *GATE).assert_refused("judge(annotator=ana), an unknown judge")
    assert nescio("compare", alone, "-m", "accuracy", *GATE, "--column", "judge=-").status == 0
    scores = by("judge_score", ("0.5",), ("0.9",), tmp_path / "scores.csv")
    assert nescio("compare", scores, "-m", "accuracy", *GATE).status == 0


def test_settings_of_a_judge_count_also_as_numbers_but_the_model_under_test_does_not(
    tmp_path: Path, nescio: Command
) -> None:
    numbers = by("judge_threshold", ("0.5",), ("0.7",), tmp_path / "t.csv")
    done = nescio("compare", numbers, "-m", "accuracy", *GATE)
    done.assert_refused("judge(judge_threshold=0.5)", "or add --column judge=- if these columns do not say who judged")
    model = by("eval_model", ("gpt-4o",), ("claude",), tmp_path / "m.csv")
    assert nescio("compare", model, "-m", "accuracy", *GATE).status == 0


def test_several_columns_about_the_judge_count_as_far_as_they_are_constant(tmp_path: Path, nescio: Command) -> None:
    for version, status in (("1", 0), ("2", 2)):
        rows = [
            (run, f"q{q}", right(q % 10 < share), "gpt-4o", own, f"rater {q % 3}")
            for run, share, own in (("old", 5, "1"), ("new", 9, version))
            for q in N
        ]
        path = table(tmp_path / "t.csv", f"{HEAD},grader_model,grader_version,annotator", rows)
        done = nescio("compare", path, "-m", "accuracy", *GATE)
        assert done.status == status, done.flat
        assert ("judge(grader_model=gpt-4o, grader_version=2)" in done.err) == (status == 2)


EVIDENCE = {
    "gold": ("gold", "x", "y", "have another gold answer"),
    "question": ("question_text", "hard", "easy", "have a different text"),
    "judge": ("judge", "strict", "lenient", "by different judges"),
    "grader": ("grader_model", "strict", "lenient", "by different judges"),
    "reason": ("no_gate_because", "", "rows were chosen", "rows were chosen"),
    "held": ("answers_held", "", "200 of 900", "holds 200 of 900"),
}


@pytest.mark.parametrize("case", EVIDENCE)
def test_a_whole_mapping_switches_off_no_evidence(tmp_path: Path, nescio: Command, case: str) -> None:
    column, before, now, says = EVIDENCE[case]
    path = by(column, (before,), (now,), tmp_path / "t.csv")
    mapping = [word for role in ("run", "question", "outcome") for word in ("--column", f"{role}={role}")]
    for more in ((), mapping):
        done = nescio("compare", path, "-m", "accuracy", *GATE, *more)
        assert (done.status in (2, 3), says in done.flat) == (True, True), done.flat
    if case in ("gold", "question", "judge", "grader"):
        role = {"question": "question_text", "grader": "judge"}.get(case, case)
        done = nescio("compare", path, "-m", "accuracy", *GATE, *mapping, "--column", f"{role}=-")
        assert (done.status, f"{role}=-" in done.flat) == (0, True)


@pytest.mark.parametrize(
    ("columns", "words", "says"),
    [
        (("prompt", "query"), ("same", "{run} {i}"), "add --column question_text=- if 'query' holds no question"),
        (
            ("target", "reference"),
            ("{i}", "{run} {i}"),
            "--column gold=- if 'target' and 'reference' hold no gold answer",
        ),
        (("target",), ("system {run}",), "add --column gold=- if 'target' holds no gold answer"),
        (("prompt", "query"), ("{run}: what is {i}?", "what is {i}?"), ""),
        (("gold", "reference"), ("{i}", "{run} {i}"), ""),
    ],
)
def test_evidence_under_a_whole_mapping_is_named_with_the_way_out(
    tmp_path: Path, nescio: Command, columns: tuple[str, ...], words: tuple[str, ...], says: str
) -> None:
    rows = [
        (run, f"q{i}", right(i % 10 < share), *(word.format(run=run, i=i) for word in words))
        for run, share in (("old", 5), ("new", 9))
        for i in N
    ]
    path = table(tmp_path / "t.csv", f"{HEAD},{','.join(columns)}", rows)
    mapping = [word for role in ("run", "question", "outcome") for word in ("--column", f"{role}={role}")]
    done = nescio("compare", path, "-m", "accuracy", *GATE, *mapping)
    assert (done.status, says in done.flat) == (2 if says else 0, True), done.flat
    if says:
        way_out = done.flat[done.flat.rindex("--column") :].split()[:2]
        assert nescio("compare", path, "-m", "accuracy", *GATE, *mapping, *way_out).status == 0


def test_a_gold_answer_that_is_evidence_alone_changes_no_outcome(tmp_path: Path, nescio: Command) -> None:
    """Without the whole mapping, an empty gold answer means that the question has none."""
    rows = [(f"q{q}", "unanswered" if q % 2 else "correct", "" if q % 2 else "x") for q in range(20)]
    path = table(tmp_path / "a.csv", "question,outcome,gold", rows)
    mapping = [word for role in ("run=-", "question=question", "outcome=outcome") for word in ("--column", role)]
    assert nescio("score", path, "-m", "coverage", "-m", "accuracy", *mapping, "-f", "csv").out.count(",0.5,") == 2


def test_rows_without_the_column_of_keys_win_no_gate(tmp_path: Path, nescio: Command) -> None:
    def written(run: str, share: int, *gold: str) -> Path:
        rows = [",".join([f"q{q}", *gold, str(int(q % 10 < share))]) for q in N]
        path = tmp_path / f"{run}.csv"
        path.write_text("\n".join([",".join(["question", *["gold"] * len(gold), "correct"]), *rows]))
        return path

    old, new, base = written("old", 5, "A"), written("new", 9), tmp_path / "base.json"
    done = nescio("compare", old, new, "-m", "accuracy", *GATE)
    done.assert_refused("200 of 200 questions have another gold answer, or none,")
    done.assert_refused("or add --column gold=- if 'gold' holds no gold answer or one key graded all runs")
    assert nescio("compare", old, new, "-m", "accuracy", *GATE, "--column", "gold=-").status == 0
    nescio("compare", old, "--save-baseline", base)
    beside = nescio("compare", new, "-m", "accuracy", "--baseline", base, "--fail-on-regression")
    beside.assert_refused("200 whose gold answer these files do not state")
    written("old", 5)
    assert nescio("compare", old, new, "-m", "accuracy", *GATE).status == 0


def test_digests_of_another_tool_hide_no_other_questions(tmp_path: Path, nescio: Command) -> None:
    """A third run states a part of each question alone, with which the questions of the others cannot be compared."""
    digests = {"old": f"outcomes:{'3' * 16}", "new": f"outcomes:{'1' * 16}", "third": f"evalscope_own_text:{'2' * 16}"}
    rows = [(run, f"q{q}", right(q % 10 < 5 + 4 * (run == "new")), own) for run, own in digests.items() for q in N]
    path = table(tmp_path / "t.csv", f"{HEAD},question_digest", rows)
    done = nescio("compare", path, "-m", "accuracy", *GATE[:-1], "--run", "new", "--fail-on-regression")
    done.assert_refused("200 of 200 questions have another text")


def test_the_judge_of_a_third_run_matters_to_no_gate(tmp_path: Path, nescio: Command) -> None:
    judges = {"old": "exact", "new": "exact", "other": "lenient"}
    rows = [(run, f"q{q}", right(q % 10 < 5 + 4 * (run == "new")), by) for run, by in judges.items() for q in N]
    path = table(tmp_path / "t.csv", f"{HEAD},judge", rows)
    assert nescio("compare", path, "-m", "accuracy", *GATE).status == 0
    other = nescio("compare", path, "-m", "accuracy", "--baseline", "old", "--run", "other", "--fail-on-regression")
    other.assert_refused("Judge all runs by one judge")


def test_attempts_that_several_judges_judged_are_held_against_each_other(tmp_path: Path, nescio: Command) -> None:
    rows = [
        (f"{run}-{k}", f"q{q}", right(q % 10 < share), "exact" if q % 2 else other)
        for run, share, other in (("old", 5, "strict"), ("new", 9, "lenient"))
        for k in (1, 2)
        for q in N
    ]
    path = table(tmp_path / "t.csv", f"{HEAD},judge", rows)
    joined = ("--repeats-of", "old=old-*", "--repeats-of", "new=new-*")
    nescio("compare", path, "-m", "accuracy", *joined, *GATE).assert_refused("Judge all runs by one judge")


def test_the_attempts_of_a_run_have_one_judge(tmp_path: Path, nescio: Command) -> None:
    rows = [(f"new-{k}", f"q{q}", "correct", by) for k, by in enumerate(("exact", "lenient")) for q in N]
    path = table(tmp_path / "t.csv", f"{HEAD},judge", rows)
    nescio("score", path, "--repeats-of", "new=new-*").assert_refused("judged by exact and lenient")


@pytest.mark.parametrize("which", ["first", "last", "repeats"])
def test_no_file_replaces_the_baseline_of_another(tmp_path: Path, nescio: Command, which: str) -> None:
    """The file of the new run, half of whose answers are right, says that all answers of the old one are wrong."""
    main = table(tmp_path / "main.csv", HEAD, old())
    rows = [*(("new", f"q{q}", right(q % 2 == 1)) for q in N), *(("old", f"q{q}", "incorrect") for q in N)]
    files = [table(tmp_path / "sent.csv", HEAD, rows), main]
    ordered = files if which == "first" else files[::-1]
    nescio("compare", *ordered, "-m", "accuracy", *GATE, "--duplicates", which).assert_refused("run 'old' is in both")
    worse = [("old", f"q{q}", "incorrect") for q in N]
    twice = table(tmp_path / "twice.csv", HEAD, [*(worse if which == "first" else []), *old(), *worse, *rows[:200]])
    if which != "repeats":
        says = "the choice of row matters"
        nescio("compare", twice, "-m", "accuracy", *GATE, "--duplicates", which).assert_refused(says)


def test_no_file_adds_attempts_to_the_baseline_of_another(tmp_path: Path, nescio: Command) -> None:
    """Two attempts of the old run have 70% right; the file of the new one, which has half right, adds two at 0%."""
    main = table(tmp_path / "main.csv", HEAD, [(f"old-{k}", *row[1:]) for k in (1, 2) for row in old()])
    new = [(f"new-{k}", f"q{q}", right(q % 2 == 1)) for k in range(4) for q in N]
    added = [(f"old-{k}", f"q{q}", "incorrect") for k in (3, 4) for q in N]
    sent = table(tmp_path / "sent.csv", HEAD, [*new, *added])
    joined = ("-m", "accuracy", *GATE, "--repeats-of", "old=old-*", "--repeats-of", "new=new-*")
    nescio("compare", main, sent, *joined).assert_refused("some of these files also hold attempts of 'new'")
    honest = table(tmp_path / "honest.csv", HEAD, new[:400])
    assert nescio("compare", main, honest, *joined).status == 1
    seeds = [
        table(
            tmp_path / f"seed{k}.csv",
            HEAD,
            [(f"{run}-{k}", f"q{q}", right(q % 10 < 7)) for run in ("old", "new") for q in N],
        )
        for k in (1, 2)
    ]  # each file has an attempt of both
    assert nescio("compare", *seeds, *joined, "--margin", "0.02").status == 0


@pytest.mark.parametrize(("lacks", "measure", "status"), [(100, "c@1", 3), (100, "accuracy", 1), (2, "c@1", 0)])
def test_missing_answers_may_be_wrong_where_silence_is_worth_more(
    tmp_path: Path, nescio: Command, lacks: int, measure: str, status: int
) -> None:
    """By c@1, half of the answers missing and the others right is 0.5·1.5 = 0.75, as with 0.5 of accuracy. Two missing
    answers of 200 move c@1 by at most 2·0.01, and the run is better by far more."""
    new = [("new", f"q{q}", "correct") for q in range(200 - lacks)]
    path = table(tmp_path / "t.csv", HEAD, [*old(), *new])
    done = nescio("compare", path, "-m", measure, *GATE, "--missing", "unanswered")
    assert done.status == status
    assert ("100 questions that new lacks may be wrong, and count as unanswered" in done.flat) is (status == 3)


def test_questions_that_the_run_adds_win_nothing_by_counting_its_own(tmp_path: Path, nescio: Command) -> None:
    """It is worse on those of the baseline: 0.5 and not 0.7."""
    new = [("new", f"q{q}", right(q % 10 < 5 or q >= 200)) for q in range(800)]
    path = table(tmp_path / "t.csv", HEAD, [*old(), *new])
    says = "'old' lacks 600 questions that others were asked"
    nescio("compare", path, "-m", "accuracy", *GATE, "--missing", "own").assert_refused(says)


def test_other_runs_do_not_save_one_that_is_worse(tmp_path: Path, nescio: Command) -> None:
    """18 of 200 are lost and 4 won: p = 0.0043 (binomial, both sides), which 60 copies of the baseline multiply by 61."""
    new = [("new", f"q{q}", right((q >= 18) and q < 144)) for q in N]
    copies = [(f"copy{k}", f"q{q}", right(q < 140)) for k in range(60) for q in N]
    base = [("old", f"q{q}", right(q < 140)) for q in N]
    path = table(tmp_path / "t.csv", HEAD, [*base, *new, *copies])
    done = nescio("compare", path, "-m", "accuracy", "--baseline", "old", "--fail-on-regression")
    assert done.status == 1
    assert "gate failed: new minus old is -0.070" in done.flat


def test_labels_of_one_run_alone_may_be_chosen(tmp_path: Path, nescio: Command) -> None:
    """People refute each third answer that the judge calls right of the new run, and these labels are taken away, as
    are as many of the answers that the judge calls wrong: the judge's share among those that are left is as before."""
    judged = [("old", q, right(q % 10 < 7), f"o{q}") for q in range(900)]
    judged += [("new", q, right(q % 10 < 8), f"n{q}") for q in range(900)]
    path = table(tmp_path / "judged.csv", f"{HEAD},answer", judged)
    said = [("old", q, right(q % 10 < 7), f"o{q}") for q in range(300)]
    kept = [("new", q, right(q % 10 < 8), f"n{q}") for q in range(300) if q % 3]
    people = table(tmp_path / "people.csv", "run,question,verdict,answer", [*said, *kept])
    done = nescio("compare", path, "-m", "accuracy", *GATE, "--labels", people)
    assert done.status == 3
    assert "33.3% of the labelled questions have a label for only one of the two runs, and are not used" in done.flat


def test_every_measure_that_is_named_decides_in_gate_terminal_and_page(tmp_path: Path, nescio: Command) -> None:
    """Silence in place of 120 wrong answers raises c@1; silence in place of 15 right ones lowers the accuracy."""
    before = ["correct"] * 180 + ["incorrect"] * 120
    after = ["unanswered"] * 15 + ["correct"] * 165 + ["unanswered"] * 120
    rows = [
        (run, f"q{q}", outcome) for run, all_ in (("old", before), ("new", after)) for q, outcome in enumerate(all_)
    ]
    path, page = table(tmp_path / "two.csv", "run,question,outcome", rows), tmp_path / "page.html"
    runs = ("compare", path, "--baseline", "old", "--run", "new")
    both = ("-m", "c@1", "-m", "accuracy")
    refused = "DO NOT MERGE: new minus old is -0.050"
    assert refused in nescio(*runs, *both, "--fail-on-regression").out
    assert refused in nescio(*runs, *both).out
    assert refused in nescio("report", *runs[1:], *both, "-o", page).out
    assert "DO NOT MERGE" in page.read_text()
    assert "MERGE: new minus old is +0.198" in nescio(*runs).out


def test_a_measure_of_confidence_on_the_questions_that_a_run_chose_to_answer(tmp_path: Path, nescio: Command) -> None:
    """The new run declines where its confidence is between 0.4 and 0.6; on the others it separates better."""
    sure = [(q * 37 % 100) / 100 for q in N]
    before = [("old", f"q{q}", right(c > 0.5), c) for q, c in zip(N, sure, strict=True)]
    after = [("new", q, "unanswered" if 0.4 < c < 0.6 else outcome, c) for _, q, outcome, c in before]
    path = table(tmp_path / "chosen.csv", "run,question,outcome,confidence", [*before, *after])
    for measure in ("AUROC", "AURC"):
        says = (
            "for which both runs have the data that the measure needs. Give a confidence and a verdict for every answer"
        )
        nescio("compare", path, "-m", measure, *GATE).assert_refused(says)
    nescio("score", path, "-m", "AUROC", "--fail-under", "AUROC=0.1").assert_refused("a verdict for every answer")
    nescio("compare", path, "-m", "AP", *GATE).assert_refused("wins. Use a measure that divides by all questions (CWS)")


@pytest.fixture
def ungraded(tmp_path: Path) -> Path:
    """The baseline is right on seven of ten questions, but a judge failed on three of these; the new run on six."""
    rows = [("old", f"q{q}", "" if q % 10 < 3 else right(q % 10 < 7)) for q in N]
    return table(tmp_path / "t.csv", HEAD, [*rows, *(("new", f"q{q}", right(q % 10 > 3)) for q in N)])


def test_no_run_passes_because_its_baseline_lacks_grades(ungraded: Path, tmp_path: Path, nescio: Command) -> None:
    how = ("--ungraded", "incorrect")
    says = "60 of old's 200 answers count as wrong without a grade, and may be right"
    done = nescio("compare", ungraded, "-m", "accuracy", *GATE, *how)
    assert (done.status, says in done.flat) == (3, True), done.flat
    assert (
        nescio("compare", ungraded, "-m", "accuracy", *GATE[:-1], *how).out.splitlines()[-1].startswith("CANNOT TELL")
    )
    assert nescio("gate", policy(ungraded, 'measure = "accuracy"', 'ungraded = "incorrect"')).status == 3
    base = tmp_path / "base.json"
    nescio("compare", ungraded, "--run", "old", *how, "--save-baseline", base)
    new = table(tmp_path / "new.csv", HEAD, [("new", f"q{q}", right(q % 10 > 3)) for q in N])
    call = ("compare", new, "-m", "accuracy", "--baseline", base, "--fail-on-regression", *how)
    assert nescio(*call).status == 3
    looks = ("compare", ungraded, "-m", "accuracy", *GATE, "--looks", *how)
    assert nescio(*looks).status == 3
    nescio(*looks, "--state", tmp_path / "s.json").assert_refused("answers without a grade, which may be right")
    # 60 of 200 more may be right, so that accuracy, c@1 and precision (nobody abstains) of the baseline rise by 0.3.
    for margin, status in (("0.15", 3), ("0.3", 0)):
        for measure in ("accuracy", "c@1", "precision"):
            assert nescio("compare", ungraded, "-m", measure, *GATE, *how, "--margin", margin).status == status
    # The other way round, the policy is cautious; and few answers without a grade do not matter.
    turned = ("--baseline", "new", "--run", "old", "--fail-on-regression")
    assert nescio("compare", ungraded, "-m", "accuracy", *turned, *how).status == 1
    rows = [("old", f"q{q}", "" if q == 3 else right(q % 10 < 5)) for q in N]
    few = table(tmp_path / "few.csv", HEAD, [*rows, *(("new", f"q{q}", right(q % 10 < 9)) for q in N)])
    assert nescio("compare", few, "-m", "accuracy", *GATE, *how).status == 0


def test_a_wrong_answer_may_help_a_run_by_a_measure_of_confidence(tmp_path: Path, nescio: Command) -> None:
    rows = [
        (run, f"q{q}", "" if run == "new" and q % 20 == 0 else right(q % 10 < 6), 0.9 - 0.08 * (q % 10) + q / 1e5)
        for run in ("old", "new")
        for q in N
    ]
    path = table(tmp_path / "t.csv", f"{HEAD},confidence", rows)
    done = nescio("compare", path, "-m", "AUROC", *GATE, "--ungraded", "incorrect", "--margin", "0.5")
    assert (done.status, "count as wrong without a grade" in done.flat) == (3, True), done.flat


def test_a_gate_on_both_extremes_is_one_gate(ungraded: Path, nescio: Command) -> None:
    how = ("--ungraded", "bounds")
    done = nescio("compare", ungraded, "-m", "accuracy", *GATE, *how)
    assert (done.status, done.err.count("\ngate ")) == (3, 1)
    assert done.err.count("minus old [ungraded") == 2
    for margin, status in (("0.001", 3), ("0.5", 0)):
        assert nescio("compare", ungraded, "-m", "accuracy", *GATE, *how, "--margin", margin).status == status
    for bar, status in (("0.2", 0), ("0.5", 3), ("0.9", 1)):
        limit = ("score", ungraded, "-m", "accuracy", "--fail-under", f"accuracy={bar}", *how)
        done = nescio(*limit)
        assert (done.status, done.flat.count("accuracy of run 'old [ungraded")) == (status, 2), done.flat
    named = ("--baseline", "old [ungraded wrong]", "--run", "new", "--fail-on-regression")
    assert nescio("compare", ungraded, "-m", "accuracy", *named, *how).status == 3
