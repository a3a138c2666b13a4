"""Read tables that state outcomes, and return their answers as Outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from nescio.data.columns import Array, user
from nescio.data.kept import GRADES, OUTPUT_WAS
from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, GRADED_RIGHT, INCORRECT, NOT_GRADED, PARTIAL, SILENT, Outcomes, gather
from nescio.data.policy_notes import depths
from nescio.data.reasons import BY_OUTCOME, EMPTY, ERRORED, NO_FORM, OUTPUT_LACKS, UNSEEN, kind_of
from nescio.data.repeats import REPEAT, repeats_of
from nescio.data.scales import grades_in_words
from nescio.data.stake_labels import STAKE, label
from nescio.errors import MismatchError, opt
from nescio.formats.registry import ReadOptions
from nescio.sources.arrow import roles_given
from nescio.sources.limits import check_cells
from nescio.sources.tables import NUMBER, first, literal, literals, nfc
from nescio.tables import rules
from nescio.tables.asking import AskedError, of_refusals, of_silence
from nescio.tables.cells import JUDGE, Placed, flag_words, gathered
from nescio.tables.columns import Table, cases
from nescio.tables.evidence import with_evidence, with_way_out
from nescio.tables.judge_column import judges_of
from nescio.tables.kept_columns import with_kept
from nescio.tables.lexicon import AS_GIVEN, marker_of, speaks_of_faults, squash
from nescio.tables.mapping import AND, Expression, Mapped, role_of
from nescio.tables.pairing import check_gold, check_pairing
from nescio.tables.per_question import ANSWERABLE, assessed_of, graded_of, numbers_in, per_question, strata_of
from nescio.tables.rest import with_rest
from nescio.tables.views import views
from nescio.tables.words import state_words
from nescio.text import NOTHING, WHITE_SPACE, is_nothing, squeeze, word_set

if TYPE_CHECKING:
    import duckdb

_FLAGS = ("abstained", "answered", "answerable")
# Names for the column of a judge's reasons; `reasoning` is a judge's only if there is no answer.
_REASONS = word_set("""
reason rationale explanation justification judgereason judgeexplanation judgerationale judgereasoning graderreasoning
graderreason graderesponse graderresponse comment feedback critique
""")


def read(connection: duckdb.DuckDBPyConnection, placed: Placed, options: ReadOptions) -> tuple[Outcomes, list[Note]]:
    """Return the outcomes in tables, and notes; `placed` pairs each table with its mapping of roles to columns.

    Raises FormatError for a row that breaks a rule, and AskedError if the meaning of the table is unclear.
    """
    notes: list[Note] = []
    sources = {at: source for table, _ in placed for at, source in table.sources.items()}
    user_roles = {*map(role_of, options.column)}.union(*(roles_given(source.table) for source in sources.values()))
    seen = [
        [with_evidence(view, options.column) for view in views(*pair, {"text", "gold"} - user_roles)] for pair in placed
    ]
    every = [view for of_runs in seen for view in of_runs]
    mappings = [view.mapping for view in every]
    extra = gathered(connection, placed, options, seen)
    _state(connection, placed, sources, options, notes)
    held, remarks = rules.settle(connection, sources, options, "state")
    notes += remarks
    notes += rules.share_answerable(connection) if "answerable" in held else []
    if "silent" in held:
        verdicts = [mapping["outcome"] for _, mapping in placed]
        of_faults = any(verdict.inverted or any(map(speaks_of_faults, verdict.columns)) for verdict in verdicts)
        rules.no_contradictions(connection, sources, options.declined_right, of_faults=of_faults)
    repeated = any("repeat" in mapping for _, mapping in placed) and "repeat" not in options.column
    if repeated and options.duplicates == "error":
        rules.no_retries(connection, sources)
    by, text = (
        next((m[role].columns[0] for m in mappings if role in m and m[role].columns), None)
        for role in ("question", "text")
    )
    differ = check_pairing(connection, sources, by, text, told=bool({"question", "text"} & user_roles))
    differ += check_gold(connection) if any("gold" in mapping for mapping in mappings) else []
    notes += with_way_out(differ, every, user_roles)
    outcomes = _build(connection, placed, sources, held, notes)
    named = any(_names_each(mapping) for mapping in mappings if JUDGE in mapping)
    judges, several = judges_of(connection, outcomes.runs, own=named) if JUDGE in held else ((), False)
    grades = _grades(connection, [m["outcome"] for m in mappings if m["outcome"].sign])
    outcomes = replace(outcomes, kept={GRADES: grades})
    outcomes, remarks, others = with_kept(connection, outcomes, held, text, options)
    notes += remarks
    _check_dividing([mapping for _, mapping in placed], options.strata or ())
    free = _without_role(placed, extra)
    free |= {name: name for name in (*others, *([JUDGE] if several else []))}
    listed = list(sources.values())
    strata = strata_of(connection, listed, free, options.strata, repeated=outcomes.repeats is not None)
    graded = graded_of(connection, listed, extra, options.graded, outcomes.state.shape)
    if options.written:  # A gate on the new file may read these numbers.
        beside = {name: column for name, column in free.items() if name not in {*strata, *options.graded}}
        graded |= numbers_in(connection, listed, beside, outcomes.state.shape)
    graded |= assessed_of(connection, outcomes.state, options.outcome_map)
    graded |= _worth(connection, outcomes.state, options.worths)
    graded |= _partial(connection, outcomes.state, options.outcome_map)
    outcomes = replace(outcomes, strata=strata, extra_columns={**outcomes.extra_columns, **graded}, judges=judges)
    if options.texts:
        outcomes = replace(outcomes, texts=_texts(connection, outcomes.state.shape, extra))
    if "prediction" in held:
        options.declined.wrong.update(_wrong_answers(connection, sources))
    source = next(iter(sources.values()))
    if options.total is None:
        return outcomes, notes
    return with_rest(outcomes, source, options.total, options.rest, notes)


def _without_role(placed: Placed, extra: Mapping[str, str]) -> dict[str, str]:
    """Return the columns of `extra` without a role; clusters, stakes and parts of a question's name count, too."""
    taken = {
        name
        for _, mapping in placed
        for role, expression in mapping.items()
        if role != "cluster" and not (role == "question" and len(expression.columns) > 1)
        for name in expression.columns
    }
    return {name: column for name, column in extra.items() if name.removesuffix(AS_GIVEN) not in taken - {STAKE}}


def _check_dividing(mappings: Sequence[Mapped], wanted: Collection[str]) -> None:
    """Raise MismatchError if a column that should divide the questions is a part of the run, or the repeat.

    The column `repeat` divides answers.
    """
    for mapping in mappings:
        for role in ("run", "repeat"):
            columns = mapping[role].columns if role in mapping else ()
            parts = [name for name in wanted if name in columns and name != role and (role, len(columns)) != ("run", 1)]
            if parts:
                names = f"{role}={AND.join(columns)}"
                ids = mapping["question"].columns
                way = opt("column", {"question": AND.join((*ids, parts[0]))})
                anew = f"; if the ids of questions begin anew with each of its values, add {way}" if ids else ""
                rule = f"{parts[0]!r} cannot divide the questions, because it is read as {names}"
                raise MismatchError(rule + anew)


def _names_each(mapping: Mapped) -> bool:
    """Return whether the columns of the judge name the judge of each answer, and not only of each run."""
    judges, repeat = mapping[JUDGE].columns, mapping.get("repeat", Expression()).columns
    return judges == (JUDGE,) or bool({*judges} & {*repeat})


def _state(
    connection: duckdb.DuckDBPyConnection,
    placed: Placed,
    sources: Mapping[int, Any],
    options: ReadOptions,
    notes: list[Note],
) -> None:
    """Create the relation `rows`: the columns of `gathered`, with the outcome and the reason of each answer.

    Its new columns are `graded` (what the word for the outcome means), `state` (what the answer counts as), and `why`
    (the reason of an abstention).
    """
    query = "SELECT outcome, count(*) FROM gathered WHERE $1 OR outcome IS NOT NULL GROUP BY 1 ORDER BY 1"
    counted = connection.execute(query, ["" in options.outcome_map]).fetchall()
    worths = dict.fromkeys(options.worths, "incorrect" if options.scores_alone else "ungraded")
    of_silence = {word for table, mapping in placed for word in flag_words(table, mapping, *_FLAGS)}
    listed = {word for word, _ in counted}
    meanings = {word: to for word, to in options.outcome_map.items() if word in listed or word not in of_silence}
    states = state_words(counted, {**meanings, **worths}, notes, options.worths)
    names = dict.fromkeys(name for _, mapping in placed for name in mapping["outcome"].columns)
    rules.no_unknown_words(connection, sources, [*names], states)
    known = {word: at for word, at in states.items() if word is not None and at is not None}
    graded = (
        f"CASE WHEN outcome IS NULL THEN {states.get(None, NOT_GRADED)} WHEN true THEN {cases('outcome', known)} END"
    )
    says_silence = SILENT in known.values() or any({"abstained", "answered"} & m.keys() for _, m in placed)
    worded = [] if says_silence or options.declined.asked else _refusals(connection, sources, options)
    declined = _declined(connection, options)
    in_words, by_pattern = (
        f"coalesce(prediction IN ({literals(texts) or 'NULL'}), false)" for texts in (worded, declined)
    )
    graded = f"CASE WHEN {by_pattern} THEN {SILENT} ELSE {graded} END" if declined else graded
    quiet = "silent = 'yes'"
    answered = _with_answers(
        (table, mapping) for table, mapping in placed if mapping["outcome"].columns != ("outcome",)
    )
    held = _with_answers(placed)
    hollow = _hollow(connection, graded, held)
    lacks, settled = _output_lacks(connection, held, options, hollow)
    unclear = f"(file IN ({answered}) AND {hollow})" if answered and not says_silence else "false"
    empty = f"({unclear} OR lacks IN ({literals(settled) or 'NULL'}))"
    keep = "silent = 'yes' AND graded = 1 AND answerable IS NULL" if options.declined_right == "keep" else "false"
    state = (
        f"CASE WHEN failed = 'yes' THEN {NOT_GRADED} WHEN {keep} THEN {CORRECT} "
        f"WHEN {quiet} OR {empty} THEN {SILENT} ELSE graded END"
    )
    cut = f"ended IS NOT NULL AND {hollow} AND ({quiet} OR graded = {SILENT})"
    by_outcome = f"CASE WHEN lacks = {literal(UNSEEN)} THEN lacks ELSE lacks || '{BY_OUTCOME}' END"
    why = (
        f"CASE WHEN failed = 'yes' THEN '{ERRORED}' WHEN {cut} THEN ended WHEN {quiet} THEN NULL "
        f"WHEN graded = {CORRECT} THEN lacks || '{GRADED_RIGHT}' WHEN graded = {SILENT} AND NOT "
        f"coalesce({empty}, false) THEN {by_outcome} ELSE lacks END"
    )
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE rows AS SELECT *, {state}::TINYINT AS state, {why} AS why FROM "
        f"(SELECT *, {lacks} AS lacks FROM "
        f"(SELECT * REPLACE (CASE WHEN {in_words} OR {by_pattern} THEN 'yes' ELSE silent END AS silent), "
        f"({graded})::TINYINT AS graded FROM (SELECT {_one_question(connection)} FROM gathered)))"
    )
    if unclear != "false" and "empty" not in options.told:
        _ask_of_empty(connection, sources)


def _grades(connection: duckdb.DuckDBPyConnection, thresholds: Sequence[Expression]) -> dict[str, str]:
    """Return the ranges of the grades that are compared with a threshold, keyed by run; empty without one."""
    if not thresholds:
        return {}
    number = NUMBER.format("grade")
    query = (
        f"SELECT run, [min({number}), median({number}), max({number})] FROM rows WHERE isfinite({number}) "
        "GROUP BY 1 ORDER BY min((file, row))"
    )
    grades = dict(connection.execute(query).fetchall())
    of = thresholds[0]
    return grades_in_words(of.column, grades, float(of.number), most=of.sign in ("<", "<="))


def _with_answers(placed: Iterable[tuple[Table, Mapped]]) -> str:
    """Return the numbers of the files, for SQL, whose tables have columns of predictions that are not all empty."""
    files: list[str] = []
    for table, mapping in placed:
        of_runs = [view.mapping.get("prediction", Expression()) for view in views(table, mapping)]
        if any(table.columns[name].filled for expression in of_runs for name in expression.columns):
            files += map(str, table.sources)
    return ", ".join(files)


def _hollow(connection: duckdb.DuckDBPyConnection, graded: str, files: str) -> str:
    """Return the SQL condition that a prediction is empty, or is in one of the `files` and stands for nothing.

    A text such as "None" is an answer if it is right somewhere, by its verdict (`graded`, in SQL) or a gold answer.
    """
    nothing = literal(f"(?i)[{WHITE_SPACE}]*({NOTHING})[{WHITE_SPACE}]*")
    query = f"SELECT DISTINCT prediction, ({graded}) = {CORRECT} FROM gathered "
    rows = connection.execute(f"{query} WHERE regexp_full_match(prediction, {nothing})").fetchall() if files else []
    gold = connection.execute("SELECT DISTINCT gold FROM gathered WHERE length(gold) <= 60").fetchall() if rows else []
    right = {squeeze(text) for text, is_right in rows if is_right}.union(squeeze(text) for (text,) in gold)
    meant = literals(sorted({text for text, _ in rows if is_nothing(text) and squeeze(text) not in right}))
    return f"(prediction IS NULL OR (file IN ({files}) AND prediction IN ({meant})))" if meant else "prediction IS NULL"


def _output_lacks(
    connection: duckdb.DuckDBPyConnection, held: str, options: ReadOptions, hollow: str
) -> tuple[str, Sequence[str]]:
    """Return the SQL of what an output lacked, by its text or as nescio wrote it, and what the user's options settle.

    `held` has the numbers of the files with outputs, and `hollow` is the condition of an empty one. A marker such
    as "PARSE_FAIL" is no answer where the verdict does not say that it is right.
    """
    reasons = [why for why in OUTPUT_LACKS if kind_of(why) in options.told]
    files = f"file IN ({held or 'NULL'})"
    query = "SELECT DISTINCT prediction FROM gathered WHERE length(prediction) <= 60"
    texts = [text for (text,) in connection.execute(query).fetchall()] if held else []
    markers = literals(text for text in texts if marker_of(text) == NO_FORM) or "NULL"
    silent = f"(graded = {SILENT}{f' OR graded = {INCORRECT}' if NO_FORM in reasons else ''})"
    return (
        f"CASE WHEN {OUTPUT_WAS} IN ({literals(OUTPUT_LACKS)}) THEN {OUTPUT_WAS} WHEN {files} AND {hollow} "
        f"THEN '{EMPTY}' WHEN {files} AND prediction IN ({markers}) AND {silent} THEN {literal(NO_FORM)} END"
    ), reasons


def _declined(connection: duckdb.DuckDBPyConnection, options: ReadOptions) -> list[str]:
    """Return the predictions that match the user's pattern for abstentions, whatever their verdict.

    Each prediction is listed once. `options.declined.matched` counts how often it occurs.
    """
    if not options.declined.asked:
        return []
    query = "SELECT prediction, count(*) FROM gathered WHERE prediction IS NOT NULL GROUP BY 1"
    texts = {text: times for text, times in connection.execute(query).fetchall() if options.declined.fits(text)}
    for text, times in texts.items():
        options.declined.matched[text.strip()] = times
    return [*texts]


def _refusals(connection: duckdb.DuckDBPyConnection, sources: Mapping[int, Any], options: ReadOptions) -> list[str]:
    """Return the predictions that refuse in words, if the options say that refusals count as abstentions.

    Raises AskedError if no option says what refusals count as.
    """
    query = "SELECT prediction, count(*), min(file) FROM gathered WHERE prediction IS NOT NULL GROUP BY 1 "
    query += "ORDER BY 2 DESC, 1 LIMIT 10000"
    rows = [row for row in connection.execute(query).fetchall() if options.declined.reads(row[0])]
    if not rows or options.refusals in ("incorrect", "ungraded"):
        return []
    texts = Counter({text: times for text, times, _ in rows})
    if options.refusals is None:
        raise of_refusals(sources[min(file for *_, file in rows)], texts)
    options.declined.worded |= texts
    return [*texts]


def _ask_of_empty(connection: duckdb.DuckDBPyConnection, sources: Mapping[int, Any]) -> None:
    """Raise AskedError, which asks what empty answers count as.

    The question leaves out empty answers to unanswerable questions, unless a verdict calls them wrong.
    """
    unclear = f"(answerable IS DISTINCT FROM 'false' OR graded = {INCORRECT})"
    empty = f"state = {SILENT} AND why IN ('{EMPTY}', '{EMPTY}{GRADED_RIGHT}') AND {unclear}"
    query = (
        f"SELECT coalesce(prediction, ''), count(*), min(file) FROM rows WHERE {empty} GROUP BY 1 ORDER BY 2 DESC, 1"
    )
    if rows := connection.execute(query).fetchall():
        texts = Counter({text: times for text, times, _ in rows})
        hollow = ("is empty or stands for nothing", "are empty or stand for nothing")
        rule = of_silence(texts, *(hollow if any(texts) else ("is empty", "are empty")))
        source = sources[min(file for *_, file in rows)]
        raise AskedError(source, rule, [{"empty": how} for how in ("unanswered", "incorrect", "ungraded")])


def _one_question(connection: duckdb.DuckDBPyConnection) -> str:
    """Return the SQL that selects all cells of `gathered`, with a single spelling of each question's name.

    An accented name may be typed in two forms (NFC, NFD). Both are the same question, unless a run has both.
    """
    composed = nfc("question")
    if first(connection, f"SELECT 1 FROM gathered WHERE question <> {composed} LIMIT 1") is None:
        return "*"
    query = f"SELECT {composed} FROM gathered GROUP BY run, {composed} HAVING count(DISTINCT question) > 1"
    apart = literals(name for (name,) in connection.execute(query).fetchall())
    kept = f"CASE WHEN {composed} IN ({apart}) THEN question ELSE {composed} END" if apart else composed
    return f"* REPLACE ({kept} AS question)"


def _build(
    connection: duckdb.DuckDBPyConnection,
    placed: Placed,
    sources: Mapping[int, Any],
    held: Collection[str],
    notes: list[Note],
) -> Outcomes:
    """Return the outcomes of the relation `rows`; runs and questions are in the order in which the files name them."""
    repeated_by = [mapping["repeat"] for _, mapping in placed if "repeat" in mapping and mapping["repeat"].columns]
    several = bool(repeated_by) or first(connection, f"SELECT count(DISTINCT {REPEAT}) > 1 FROM rows")[0]
    asked = f"question, {REPEAT}" if several else "question"
    names = _in_order(connection, "run", "run") | _in_order(connection, "question", asked)
    rows = first(connection, "SELECT count(*) FROM rows")[0]
    check_cells(str(next(iter(sources.values())).label), len(names["run"]), len(names["question"]), rows)
    connection.execute(
        "CREATE OR REPLACE TEMP VIEW coded AS SELECT * FROM rows JOIN run_names USING (run) "
        f"JOIN question_names USING ({asked})"
    )
    cells, why = _cells(connection)
    rules.check_ranks(connection, sources, cells)
    file_of_run = np.zeros(len(names["run"]), dtype=int)
    file_of_run[cells["run"]] = cells["file"]
    outcomes, lower = gather(cells, names["run"], names["question"])
    if REPEAT in names:
        column = repeated_by[0].columns[0] if repeated_by else REPEAT
        labels = [label(column, text) for text in names[REPEAT]]
        outcomes = replace(outcomes, repeats=repeats_of(names["question"], labels))
    repeated = outcomes.repeats is not None
    if any(why):
        grid: Array = np.full(outcomes.state.shape, None, dtype=object)
        top = cells["rank"] == 1
        grid[cells["run"][top], cells["question"][top]] = why[top]
        outcomes = replace(outcomes, why=grid)
    if lower:
        notes += _lower_ranks(lower, int(((cells["rank"] > 1) & (cells["state"] == NOT_GRADED)).sum()))
        notes += depths(names["run"], cells["run"], cells["rank"])
    listed = list(sources.values())
    answerable, clusters = (
        per_question(connection, listed, name, column, repeated=repeated) if name in held else None
        for name, column in (("answerable", ANSWERABLE), ("cluster", "cluster"))
    )
    if clusters is not None and None in clusters:
        lacking = "question IN (SELECT question FROM rows GROUP BY 1 HAVING max(cluster) IS NULL)"
        rules.refuse(connection, listed, lacking, "the cluster is empty, but other rows have one; fill in the cluster")
    codes = {"true": 1, "false": 0, None: -1}
    return replace(
        outcomes,
        answerable=None if answerable is None else np.array([codes[word] for word in answerable], dtype=np.int8),
        clusters=None if clusters is None else np.array(clusters, dtype=object),
        files=tuple(str(sources[at].label) for at in file_of_run.tolist()),
    )


def _in_order(connection: duckdb.DuckDBPyConnection, name: str, columns: str) -> dict[str, tuple[str, ...]]:
    """Return the values of each of the `columns`, in the order in which the files name them.

    Makes the table `{name}_names`, with the place of each value in this order.
    """
    # Joining tables takes a fraction of the time and memory of an ENUM with as many names.
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {name}_names AS SELECT {columns}, (row_number() OVER (ORDER BY first) - 1)::"
        f"INTEGER AS {name}_code FROM (SELECT {columns}, min(file::BIGINT << 40 | row) AS first FROM rows GROUP BY "
        f"{columns})"
    )
    values = connection.execute(f"SELECT {columns} FROM {name}_names ORDER BY {name}_code").fetchnumpy()
    return {column: tuple(values[column].tolist()) for column in values}


def _cells(connection: duckdb.DuckDBPyConnection) -> tuple[dict[str, Array], Array]:
    """Return the columns of the view `coded` and the reasons for no answer, ordered by run, question and rank."""
    fetched = connection.execute(
        f"SELECT run_code AS run, question_code AS question, state, file::INTEGER AS file, {rules.RANK} AS rank, "
        "coalesce(known_answers::DOUBLE, 1)::INTEGER AS known, coalesce(confidence::DOUBLE, 'nan') AS confidence, "
        "CASE candidate WHEN 'correct' THEN 1 WHEN 'incorrect' THEN 0 ELSE -1 END::TINYINT AS candidate, why FROM coded"
    ).fetchnumpy()
    order = np.lexsort([fetched[name] for name in ("rank", "question", "run")])
    reasons = np.ma.asarray(fetched["why"])
    why = np.array(np.ma.getdata(reasons), dtype=object)
    why[np.ma.getmaskarray(reasons)] = None
    return {name: np.asarray(values)[order] for name, values in fetched.items()}, why[order]


def _lower_ranks(lower: int, ungraded: int) -> list[Note]:
    notes = [
        note(
            "outcomes_table.lower_ranks",
            "{rows} {rows:row has/rows have} a rank below the first: MRR and K use {rows:it/them}; outcomes use "
            "rank 1 only",
            rows=lower,
        )
    ]
    if ungraded:
        notes.append(
            note(
                "outcomes_table.lower_ranks_ungraded",
                "{rows} {rows:row/rows} below rank 1 {rows:is/are} not graded: MRR and K ignore {rows:it/them}",
                rows=ungraded,
            )
        )
    return notes


def _worth(connection: duckdb.DuckDBPyConnection, states: Array, worths: Mapping[str, float]) -> dict[str, Array]:
    """Return the column `worth` of answers, or no column if the user gave no word a worth.

    `worths` maps words to values. An answer with another word is worth 1 if it is correct, and 0 otherwise.
    """
    if not worths:
        return {}
    worth = np.where(states == CORRECT, 1.0, np.where(states == NOT_GRADED, np.nan, 0.0))
    listed = literals(worths)
    query = f"SELECT run_code, question_code, outcome FROM coded WHERE {rules.RANK} = 1 AND outcome IN ({listed})"
    for run, question, word in connection.execute(query).fetchall():
        worth[run, question] = worths[word]
    return {user("worth"): worth}


def _partial(connection: duckdb.DuckDBPyConnection, states: Array, meant: Mapping[str, str]) -> dict[str, Array]:
    """Return the column that marks incorrect answers as partly right, or no column if no word means this.

    `meant` maps words to outcomes.
    """
    words = literals(word for word, to in meant.items() if to == PARTIAL)
    if not words:
        return {}
    chosen = f"{rules.RANK} = 1 AND outcome IN ({words})"
    at = connection.execute(f"SELECT run_code AS run, question_code AS question FROM coded WHERE {chosen}").fetchnumpy()
    partial = np.zeros(states.shape)
    partial[at["run"], at["question"]] = states[at["run"], at["question"]] == INCORRECT
    return {PARTIAL: partial}


def _texts(connection: duckdb.DuckDBPyConnection, shape: tuple[int, ...], extra: Mapping[str, str]) -> Array | None:
    """Return the texts of all answers of rank 1, shape (runs, rows), or None if no column holds texts."""
    from nescio.data.texts import AnswerTexts, texts_of

    texts: Array = np.full(shape, None, dtype=object)
    reasons = [column for name, column in extra.items() if squash(name) in _REASONS]
    reasons += [f"CASE WHEN prediction IS NULL THEN {c} END" for n, c in extra.items() if squash(n) == "reasoning"]
    reason = f"coalesce({', '.join([*reasons, 'NULL'])})"
    query = f"SELECT run_code, question_code, text, gold, prediction, {reason} FROM coded WHERE {rules.RANK} = 1"
    made: dict[tuple[str | None, ...], AnswerTexts] = {}  # many answers have few texts, such as letters of options
    selected = connection.execute(query)
    while rows := selected.fetchmany(100_000):
        for run, question, *cells in rows:
            key = tuple(cells)
            if key not in made:
                asked, gold, answer, why = key
                made[key] = texts_of(asked, [gold], answer, reason=why)
            texts[run, question] = made[key]
    return texts if any(text != AnswerTexts() for text in made.values()) else None


def _wrong_answers(connection: duckdb.DuckDBPyConnection, sources: Mapping[int, Any]) -> dict[str, Counter[str]]:
    """Return how often each text of an incorrect or ungraded answer occurs, keyed by file; some may be refusals."""
    query = (
        f"SELECT file, prediction, count(*) FROM rows WHERE state IN ({INCORRECT}, {NOT_GRADED}) AND {rules.RANK} = 1 "
        "AND prediction IS NOT NULL AND lacks IS NULL GROUP BY 1, 2 ORDER BY 1, 3 DESC, 2 LIMIT 10000"
    )
    wrong: dict[str, Counter[str]] = {}
    for file, text, times in connection.execute(query).fetchall():
        wrong.setdefault(str(sources[file].label), Counter())[text] = times
    return wrong
