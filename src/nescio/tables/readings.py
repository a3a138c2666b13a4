"""The mappings that names and a user's own words allow for a table: what a row's run, question and outcome may be."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, product
from math import inf
from types import MappingProxyType

from nescio.data.outcomes import CORRECT, INCORRECT, STATES
from nescio.sources.tables import first, literal
from nescio.tables import failures, wide
from nescio.tables.columns import Column, Table
from nescio.tables.lexicon import (
    declines,
    is_measured,
    is_silent_word,
    may_be_of_form,
    names_collections,
    rank,
    roles_of,
    speaks_of_answering,
    speaks_of_questions,
    speaks_of_silence,
    state_of,
    truth_of,
)
from nescio.tables.mapping import Expression, Mapped, joined
from nescio.tables.words import FEW_WORDS
from nescio.tasks.assessed.verdicts import verdicts_in
from nescio.tasks.stakes.stating import are_stated, label
from nescio.text import decimal

_MOST = 64  # mappings of a table that are tried
_OWN_ALONE = ("candidate", "rank", "known_answers", "cluster", "judge")  # roles that only their own names have
_COMPLETE = ({"run", "question", "outcome"}, {"run", "question", "prediction", "gold"})
NOTHING = Expression()
_NOTHING: Mapped = MappingProxyType({})
_ABOUT_ANSWERING = {"abstained", "answered", "answerable", "unanswerable", "expected"}
_SAYING = {"abstained", "answered", "answerable", "unanswerable", "expected", "outcome", "score", "wrong", "error"}


class Roles:
    """The columns of a table that may have each role by their names and cells, without those that the user gave."""

    def __init__(self, table: Table, given: Mapped, mapped: Collection[str] = ()) -> None:
        self.table, self.given, self.mapped = table, given, mapped
        self.taken = {name for expression in given.values() for name in expression.columns}
        named = [(column, role) for column in table.columns.values() for role in may_be(column, mapped)]
        self.by_role: dict[str, list[str]] = {}
        for column, role in named:
            if column.name not in self.taken and column.filled:
                self.by_role.setdefault(role, []).append(column.name)
        if (
            "question" in table.columns and {"outcome", "prediction"} & table.columns.keys()
        ):  # nescio's own table, whose cells keep to its rules
            for name, role in (
                ("run", "run"),
                ("question", "text"),
                ("confidence", "confidence"),
                ("answerable", "answerable"),
            ):
                if name in table.columns and name not in self.taken and table.columns[name].filled:
                    self.by_role[role] = list(dict.fromkeys((name, *self.by_role.get(role, ()))))
        for role, names in self.by_role.items():
            names.sort(key=lambda name: rank(name, role))
            if role in names and (self.is_own or role not in _SAYING):  # nescio's own name for it
                self.by_role[role] = [role]

    @property
    def is_own(self) -> bool:
        """Whether this is an outcome table as nescio writes it, whose `outcome` is taken before all other verdicts."""
        columns = self.table.columns
        own = {"run", "question", "outcome"} <= columns.keys()
        return own and {*(columns["outcome"].words or ("",))} <= {*STATES}

    @property
    def name_runs(self) -> bool:
        """Whether a column names the run of each row, so that no column belongs to one run."""
        return any(_varies(self, name) for name in self.all("run"))

    def all(self, *roles: str) -> list[str]:
        """Return the columns of these roles, in this order."""
        return list(dict.fromkeys(name for role in roles for name in self.by_role.get(role, ())))

    def column(self, name: str) -> Column:
        """Return a column of the table."""
        return self.table.columns[name]


def _is_own(table: Table) -> bool:
    """Return whether a table has nescio's own columns of questions and outcomes."""
    return {"question", "outcome"} <= table.columns.keys()


def may_be(column: Column, mapped: Collection[str] = ()) -> Iterator[str]:
    """Yield the roles that a column's name has in the lexicon and its cells allow.

    `mapped` are words to which the user gave a meaning as outcomes.
    """
    if column.name in _OWN_ALONE:
        yield "outcome" if column.name == "judge" and column.is_truth else column.name
        return
    roles = roles_of(column.name)
    fitting = [role for role in roles if _fits(column, role, mapped)]
    partly = [
        role
        for role in roles
        if {*fitting} <= ({"gold"} if role == "outcome" else set()) and _fits_partly(column, role)
    ]
    yield from (role for role in roles if role in (*fitting, *partly))


def _fits(column: Column, role: str, mapped: Collection[str]) -> bool:
    """Return whether the cells of a column are of the kind of a role."""
    known = role in ("outcome", "score") and is_known(column, mapped)
    return known or _FITS.get(role, _any)(column)


def _fits_partly(column: Column, role: str) -> bool:
    """Return whether some cells are of the kind of a role, so that the others are asked about; numbers from 0 on are
    grades."""
    words = column.words or ()
    graded = role in ("outcome", "score") and column.is_number and (column.low or 0) >= 0
    known = role in _MEANT and any(_MEANT[role](word) is not None for word in words)
    return known and len(words) <= FEW_WORDS and not graded


def is_known(column: Column, mapped: Collection[str]) -> bool:
    """Return whether each word of a column is one of the lexicon for an outcome, an assessor's, or mapped to one."""
    words = column.words or ()
    known = {*mapped, *verdicts_in(words)}
    return bool(words) and all(word in known or state_of(word) is not None for word in words)


def may_be_gold(table: Table, outcome: Expression) -> bool:
    """Return whether a verdict of yes and no may be the right answer by its name, as "label" may."""
    names = [] if outcome.sign else outcome.columns
    golds = [name for name in names if "gold" in roles_of(name) and "outcome" not in roles_of(name)]
    return any(table.columns[name].is_truth for name in golds)


def _any(column: Column) -> bool:
    return not column.structured


def _says(meaning: Callable[[str], object]) -> Callable[[Column], bool]:
    return lambda column: bool(column.words) and all(meaning(word) is not None for word in column.words or ())


# What a word of a column says that has a role.
_MEANT: Mapping[str, Callable[[str], object]] = {
    **dict.fromkeys(("outcome", "score"), state_of),
    **dict.fromkeys(("abstained", "answered"), declines),
    "expected": lambda word: None if truth_of(word) is not None else declines(word),  # an act, and not yes or no
    **dict.fromkeys(("wrong", "answerable", "unanswerable"), truth_of),
}
_FITS: Mapping[str, Callable[[Column], bool]] = {
    "gold": lambda column: bool(column.filled),
    "prediction": lambda column: bool(column.filled),
    "answer": lambda column: bool(column.filled),
    "outcome": lambda column: column.is_verdict,
    "score": lambda column: column.is_verdict,
    "wrong": lambda column: column.is_truth,
    "abstained": lambda column: bool(column.words) and (_says(declines)(column) or not column.is_number),
    "answered": _says(declines),
    "answerable": lambda column: column.is_truth,
    "unanswerable": lambda column: column.is_truth,
    "expected": _says(_MEANT["expected"]),
    "error": lambda column: column.is_truth or not failures.is_count(column),
    "confidence": lambda column: any(decimal(text.rstrip("% ")) is not None for text in column.words or column.samples),
}


def readings(
    table: Table, given: Mapped, *, judging: bool, mapped: Collection[str] = (), proposed: Mapped = _NOTHING
) -> list[dict[str, Expression]]:
    """Return the mappings that are allowed, the likeliest first; none if a run's answers or their questions have no
    columns. `proposed` is a part of a mapping that the user did not give."""
    complete = any(roles <= given.keys() for roles in _COMPLETE)
    given = {**given, **proposed}
    roles = Roles(table, given, mapped)
    answers = [dict(given)] if complete else list(_answers(roles, given, judging=judging))
    found: list[dict[str, Expression]] = []
    unknown = [name for name in table.columns if name and not roles_of(name)]  # a name with a role has it in any run
    families = [*wide.families(unknown).values()]
    for answer in answers:
        taken = {name for expression in answer.values() for name in expression.columns}
        several = any(len(answer.get(role, NOTHING).columns) > 1 for role in ("outcome", "prediction"))
        taken |= _of_other_runs(families, taken, several=several)
        for structure in structures(roles, answer, taken, alone=complete):
            for beside in [{}] if complete else _beside(roles, answer, taken):
                found.append({**structure, **answer, **beside})
    return found[:_MOST]


def _of_other_runs(families: Sequence[Mapping[str, str]], taken: set[str], *, several: bool) -> set[str]:
    """Return the columns of runs beside those whose answers are taken: they say nothing of these answers. A run has the
    same kind of column as the taken one."""
    roles = {role for family in families for role, name in family.items() if name in taken}
    others = [family for family in families if roles & family.keys() and (several or not taken & {*family.values()})]
    return {name for family in others for name in family.values()}


# ---- what says which answers are right ----


def _answers(roles: Roles, given: Mapped, *, judging: bool) -> Iterator[dict[str, Expression]]:
    """Yield what may say which answers are right: an outcome, or predictions and gold answers."""
    texts = _texts(roles, given)
    if "outcome" in given:
        yield {**texts, **given}
        return
    pairs = [*_pairs(roles, given)] if judging or "prediction" in given else []
    if pairs or "prediction" in given:
        yield from pairs
        return
    outcomes = [Expression((name,)) for name in roles.all("outcome")]
    either = [] if outcomes else _gold_verdicts(roles)
    outcomes = outcomes or either
    if not (roles.is_own and outcomes):
        outcomes += [Expression((name,), inverted=True) for name in roles.all("wrong")]
        scores = [name for name in roles.all("score") if not (outcomes and is_measured(name))]
        outcomes += [own for name in scores if (own := Expression((name,))) not in outcomes]
    paths = [own for own in outcomes if "." in own.column]
    whole = (_of_runs(roles, paths) if len(paths) > 1 and len(paths) == len(outcomes) else outcomes) or _of_runs(roles)
    known = [c.name for c in roles.table.columns.values() if c.name not in roles.taken and is_known(c, roles.mapped)]
    single = [own.column for own in whole if len(own.columns) == 1]
    for columns in wide.like_those_of_judges(single, known):
        whole = [*whole, *(Expression((name,)) for name in columns[1:]), Expression(columns)]
    if not whole or (not either and _may_be_answers(roles, whole)):
        yield from _pairs(roles, given)
    for outcome in whole:
        beside = {role: own for role, own in texts.items() if not {*own.columns} & {*outcome.columns}}
        if len(outcome.columns) > 1:
            beside.pop("prediction", None)
        yield {**beside, "outcome": outcome, **given}
    if either or (len(whole) == 1 and _denies_the_key(roles, whole[0], texts)):
        yield from _pairs(roles, given)


def _denies_the_key(roles: Roles, outcome: Expression, texts: Mapped) -> bool:
    """Return whether a verdict that may be on form alone denies an answer which is the gold answer to the letter."""
    formal = len(outcome.columns) == 1 and not outcome.sign and may_be_of_form(outcome.column)
    if not formal or not {"gold", "prediction"} <= texts.keys():
        return False
    wrong = [
        w
        for w in roles.column(outcome.column).words or ()
        if state_of(w) == (CORRECT if outcome.inverted else INCORRECT)
    ]
    gold, said = (roles.column(texts[role].column).cell for role in ("gold", "prediction"))
    verdict, listed = roles.column(outcome.column).cell, ", ".join(map(literal, wrong))
    denied = f"trim({gold}) = trim({said}) AND {verdict} IN ({listed})" if wrong else "false"
    return first(roles.table.connection, f"SELECT 1 FROM {roles.table.relation} WHERE {denied} LIMIT 1") is not None


def _texts(roles: Roles, given: Mapped) -> dict[str, Expression]:
    """Return the texts beside an outcome: the prediction and the gold answer, if one column alone may be each."""
    texts: dict[str, Expression] = {}
    gold, predictions = _sides(roles)
    if len(gold) == 1 and "gold" not in given:
        texts["gold"] = Expression((gold[0],))
    if len(predictions) == 1 and "prediction" not in given:
        texts["prediction"] = Expression((predictions[0],))
    return texts


def _sides(roles: Roles) -> tuple[list[str], list[str]]:
    """Return the columns that may hold the gold answers, and those that may hold predictions."""
    verdicts = {name for name in roles.all("outcome", "wrong") if roles.column(name).is_verdict}
    gold = [name for name in roles.all("gold") if name not in verdicts or not roles.column(name).is_truth]
    predictions = [name for name in roles.all("prediction") if name not in gold]
    either = [name for name in roles.all("answer") if name not in (*gold, *predictions)]
    if not (gold or "gold" in roles.given) and (predictions or "prediction" in roles.given):
        gold = either
    else:
        predictions = predictions or either
    return gold, predictions


def _pairs(roles: Roles, given: Mapped) -> Iterator[dict[str, Expression]]:
    """Yield pairs of predictions and gold answers."""
    gold, predictions = _sides(roles)
    either = [name for name in roles.all("answer") if name not in gold]
    predictions = list(dict.fromkeys((*predictions, *either))) if gold or "gold" in given else predictions
    golds = [given["gold"]] if "gold" in given else [Expression((name,)) for name in gold]
    if "prediction" in given:
        own = [given["prediction"]]
    else:
        singles = [Expression((name,)) for name in predictions]
        together = _families(roles, ("prediction", "answer"))
        of_runs = [own for own in together[:1] if {*own.columns} <= {*predictions} and not roles.name_runs]
        own = [*of_runs, *singles] or together
    truths = [Expression((name,)) for name in roles.all("outcome", "score")]
    for right, said in product(golds, own):
        if {*right.columns} & {*said.columns}:
            continue
        yield {"gold": right, "prediction": said, **{r: e for r, e in given.items() if r not in ("gold", "prediction")}}
    if "prediction" not in given:
        of_key = [Expression((name,)) for name in _of_key(roles)] if "gold" not in given else []
        for right, said in product([*golds, *of_key], truths):
            if right != said and _share_words(roles, right, said):
                yield {"gold": right, "prediction": said, **{r: e for r, e in given.items() if r != "gold"}}


def _of_key(roles: Roles) -> list[str]:
    """Return the verdicts whose names say that they are those of the key, as "gold_verdict" beside "verdict" does."""
    free = [column for column in roles.table.columns.values() if column.name and column.name not in roles.taken]
    spoken = [c for c in free if c.is_verdict and speaks_of_questions(c.name) and not _has_role(c, _ABOUT_ANSWERING)]
    acts = {c.name for c in spoken if speaks_of_silence(c.name) or speaks_of_answering(c.name)}
    return [column.name for column in spoken if column.name not in {*acts, *roles.all("gold", "abstained", "answered")}]


def _gold_verdicts(roles: Roles) -> list[Expression]:
    """Return the columns called like gold answers that say yes and no if no prediction does: they may be verdicts."""
    gold, predictions = _sides(roles)
    said = {word for name in predictions for word in roles.column(name).words or ()}
    if not predictions or any(truth_of(word) is not None for word in said):
        return []
    return [Expression((name,)) for name in gold if roles.column(name).is_truth]


def _share_words(roles: Roles, gold: Expression, said: Expression) -> bool:
    """Return whether the gold answers and another column are verdicts in the same words, so that it may hold answers:
    the task may be to judge."""
    columns = [roles.column(name) for name in dict.fromkeys((*gold.columns, *said.columns))]
    if len(columns) < 2 or not all(column.is_verdict for column in columns):
        return False
    shared = set.intersection(*({*(column.words or ())} for column in columns))
    return bool(shared) or all(column.is_truth for column in columns)


def _may_be_answers(roles: Roles, outcomes: Sequence[Expression]) -> bool:
    """Return whether a verdict may be an answer, or the right one: the gold answers say yes and no as it does, and no
    prediction does; or predictions say yes and no as it does, and its name is one for gold answers, too."""
    gold, predictions = _sides(roles)
    of_key = [Expression((name,)) for name in _of_key(roles)]
    if any(_share_words(roles, right, own) for right in of_key for own in outcomes if right != own):
        return True
    verdicts = {name for outcome in outcomes for name in outcome.columns}
    same = [Expression((name,)) for name in gold if name in verdicts]  # "label" may name either
    if any(_share_words(roles, right, Expression((name,))) for right in same for name in predictions):
        return True
    said = any(roles.column(name).is_truth for name in predictions if name not in verdicts)
    golds = [Expression((name,)) for name in gold if name not in verdicts]
    return not said and any(_share_words(roles, right, own) for right in golds for own in outcomes)


def _families(roles: Roles, wanted: Sequence[str]) -> list[Expression]:
    """Return several columns of one run each, by roles; and each alone if they are parts of one object."""
    names = [name for name in roles.table.columns if name and name not in roles.taken]
    families = wide.families(names)
    columns = [next((own[role] for role in wanted if role in own), "") for own in families.values()]
    found = tuple(name for name in columns if name)
    of_objects = all("." in name for name in found)
    parts = [Expression((name,)) for name in found] if of_objects else []
    return [Expression(found), *parts] if len(found) > 1 else []


def _of_runs(roles: Roles, paths: Sequence[Expression] = ()) -> list[Expression]:
    """Return the verdicts of several columns: those of one run each, and where they may be several verdicts on one run,
    each of them alone. `paths` are verdicts by the last parts of their paths."""
    names = [name for name in roles.table.columns if name and name not in roles.taken]
    families = wide.families(names)
    wrong = tuple(own["wrong"] for own in families.values() if "wrong" in own and roles.column(own["wrong"]).is_truth)
    if len(wrong) > 1 and not any({"outcome", "score"} & own.keys() for own in families.values()):
        return [Expression(wrong, inverted=True)]
    verdicts = {run: own.get("outcome", own.get("score", "")) for run, own in families.items()}
    verdicts = {run: name for run, name in verdicts.items() if name and is_known(roles.column(name), roles.mapped)}
    said = {"prediction", "answer", "abstained", "answered"}  # what a run has of its own
    answering = {run: name for run, name in verdicts.items() if said & families[run].keys()}
    if len(answering) > 1:
        return [Expression(tuple(answering.values()))]
    singles = [*paths] or [Expression((name,)) for name in verdicts.values()]
    if len(verdicts) < 2 and not (paths or wide.of_judges(verdicts)):
        return []
    if len(verdicts) < 2 or wide.of_judges(verdicts):
        return singles
    alike = wide.with_most_columns(verdicts, names)
    some = [Expression(tuple(verdicts[run] for run in alike))] if 1 < len(alike) < len(verdicts) else []
    together = [*some, Expression(tuple(verdicts.values()))]
    if roles.name_runs or wide.differ_by_judges([*verdicts.values()]):  # likelier several verdicts on each answer
        return [*singles, *together]
    return [*together, *singles]


# ---- what says whose answer a row is, and to which question ----


def structures(roles: Roles, answer: Mapped, taken: set[str], *, alone: bool) -> list[dict[str, Expression]]:
    """Return the mappings of run, question and repeat under which no answer occurs twice; if there are none, the one
    with the most columns."""
    table = roles.table
    if alone:
        return [{role: answer[role] for role in ("run", "question", "repeat") if role in answer}]
    free = {role: [n for n in roles.all(role) if n not in taken] for role in ("run", "condition", "repeat", "text")}
    ids = [name for name in roles.all("question") if name not in taken and name not in free["run"]]
    rows = [name for name in roles.all("row") if name not in taken]
    questions: list[Expression] = [Expression((name,)) for name in ids or [*rows, *free["text"]]]
    asked = Expression(("question",))
    if asked in questions:  # nescio's own name: what numbers the rows, and not its texts, names no question
        questions.sort(key=lambda own: own != asked)
    if "question" in answer:
        questions = [answer["question"]]
    else:
        collections = [n for n in table.columns if n and n not in taken and names_collections(n)]
        questions = [own for question in questions for own in _in_collections(table, question, collections)]
    found: list[dict[str, Expression]] = []
    doubled: list[dict[str, Expression]] = []  # under which answers occur twice
    most: float = inf  # different names that questions may have
    for question in questions:
        if most < inf and (question.columns != ("id",) or _is_own(table) or _different(table, question) > most):
            continue
        unique, widest = _told_apart_by(roles, answer, free, question)
        found += unique
        doubled += [] if unique else [widest]
        if unique and question == asked:
            most = _different(table, asked)
    if not found:
        return doubled[:1] if asked in questions else doubled
    if all("run" in mapping and is_unique(table, {"question": mapping["question"]}, {}) for mapping in found):
        found += doubled  # no two runs share a question, so that another id may be meant
    found.sort(key=lambda own: (own["question"] == asked, "run" not in own))
    if "run" not in answer and free["text"] and not any("run" in mapping for mapping in found):
        found += _run_by_texts(roles, Expression((free["text"][0],)), taken)
    return found


def _in_collections(table: Table, question: Expression, collections: Sequence[str]) -> list[Expression]:
    """Return what may name a question: with its collection first, if one name is in several collections."""
    alone = _different(table, question)
    pairs = [Expression((name, *question.columns)) for name in collections if name not in question.columns]
    return [*(pair for pair in pairs if _different(table, pair) > alone), question]


def _run_by_texts(roles: Roles, text: Expression, taken: set[str]) -> list[dict[str, Expression]]:
    """Return the mappings whose run is a column that no name says anything of: under each of its words, all questions
    are asked once by their texts."""
    table = roles.table
    different = _different(table, text)
    if not 1 < different < table.rows:
        return []
    found: list[dict[str, Expression]] = []
    for column in table.columns.values():
        silent = column.name and column.name not in taken and not roles_of(column.name) and not column.is_number
        if silent and len(column.words or ()) * different == table.rows:
            mapping = {"run": Expression((column.name,)), "question": text}
            found += [mapping] if is_unique(table, mapping, {}) else []
    return found


def _told_apart_by(
    roles: Roles, answer: Mapped, free: Mapping[str, Sequence[str]], question: Expression
) -> tuple[list[dict[str, Expression]], dict[str, Expression]]:
    """Return the mappings of run and repeat under which no answer to a question occurs twice, and the one with the most
    columns for the run."""
    table = roles.table
    others = [name for name in free["condition"] if name not in question.columns and _varies(roles, name)]
    runs = [answer["run"]] if "run" in answer else _run_choices(roles, free["run"], others)
    named = [name for name in ("repeat", "stake") if name in free["repeat"] and _states(roles.column(name))]
    repeats = [Expression((named[0],))] if named else _subsets(free["repeat"])
    repeats = [answer["repeat"]] if "repeat" in answer else repeats
    unique: list[dict[str, Expression]] = []
    for run, repeat in sorted(product(runs, repeats), key=lambda pair: len(pair[0].columns) + len(pair[1].columns)):
        mapping = {"run": run, "question": question, "repeat": repeat}
        mapping = {role: expression for role, expression in mapping.items() if expression != NOTHING}
        if "text" not in answer and free["text"] and question.columns != (free["text"][0],):
            mapping["text"] = Expression((free["text"][0],))
        used = {*run.columns, *repeat.columns}
        if any(used > {*_columns(other, "run"), *_columns(other, "repeat")} for other in unique):
            continue
        if is_unique(table, mapping, answer):
            unique.append(mapping)
    whole = runs[-1] if runs else NOTHING
    if unique and whole.columns and others and not any(_columns(own, "run") == {*whole.columns} for own in unique):
        unique.append({**unique[0], "run": whole})
    counted = [own for own in unique if "repeat" not in own and _may_count_repeats(roles, own)]
    unique += [{**{role: e for role, e in own.items() if role != "run"}, "repeat": own["run"]} for own in counted]
    widest = {"run": whole, "question": question}
    return unique, {role: expression for role, expression in widest.items() if expression != NOTHING}


def _may_count_repeats(roles: Roles, mapping: Mapped) -> bool:
    """Return whether the run is a column of different numbers that the user did not name: they may number repeats."""
    names = mapping.get("run", NOTHING).columns
    if len(names) != 1 or "run" in roles.given or roles.is_own:
        return False
    return roles.column(names[0]).is_number and _varies(roles, names[0])


def _states(column: Column) -> bool:
    """Return whether a column of nescio's own says which repeat an answer is: `stake` does where it states stakes."""
    return column.name != "stake" or are_stated([label(column.name, word) for word in column.words or ()])


def _different(table: Table, expression: Expression) -> int:
    """Return how many different cells a column has."""
    return int(first(table.connection, f"SELECT count(DISTINCT {joined(table, expression)}) FROM {table.relation}")[0])


def _columns(mapping: Mapped, role: str) -> set[str]:
    return {*mapping.get(role, NOTHING).columns}


def _varies(roles: Roles, name: str) -> bool:
    """Return whether a column has several different cells."""
    words = roles.column(name).words
    return words is None or len(words) > 1


def _run_choices(roles: Roles, runs: Sequence[str], conditions: Sequence[str]) -> list[Expression]:
    """Return what may name the run: its columns, with more and more of the conditions; without columns that are the
    same in all rows, if others vary."""
    varying = [name for name in runs if _varies(roles, name)]
    base = [Expression((name,)) for name in varying]
    if len(varying) > 1:
        base.append(Expression(tuple(varying)))
    if not varying:
        base = [Expression((runs[0],))] if runs and not conditions else [NOTHING]
    subsets = [expression.columns for expression in _subsets(conditions)]
    made = [Expression((*own.columns, *more)) for more in subsets for own in base]
    if not varying and runs:
        made = [own if own.columns else Expression((runs[0],)) for own in made]
    return list(dict.fromkeys(made))


def _subsets(names: Sequence[str]) -> list[Expression]:
    """Return all sets of some columns, the smallest first; of many columns, none, each and all."""
    sizes: Iterable[int] = range(len(names) + 1) if len(names) <= 4 else (0, 1, len(names))
    return [Expression(own) for own in chain.from_iterable(combinations(names, size) for size in sizes)]


def is_unique(table: Table, mapping: Mapped, answer: Mapped) -> bool:
    """Return whether no answer occurs twice: no run answers a question twice in one repeat."""
    roles = [role for role in ("run", "question", "repeat") if mapping.get(role, NOTHING) != NOTHING]
    keys = [joined(table, mapping[role]) for role in roles]
    if "rank" in answer or "rank" in table.columns:
        keys.append(table.columns[answer["rank"].column if "rank" in answer else "rank"].cell)
    key = ", ".join(["file", *keys])
    many, different = first(table.connection, f"SELECT count(*), count(DISTINCT ({key})) FROM {table.relation}")
    return bool(many == different)


# ---- what else is said of an answer ----


def _beside(roles: Roles, answer: Mapped, taken: set[str]) -> list[dict[str, Expression]]:
    """Return what else is said of answers: each choice of columns for abstaining and for answerable questions."""
    silences = [{"abstained": Expression((name,))} for name in roles.all("abstained")]
    if len(silences) > 1:
        silences.append({"abstained": Expression(tuple(name for own in silences for name in own["abstained"].columns))})
    silences += [{"answered": Expression((name,))} for name in roles.all("answered")]
    asked = [Expression((name,)) for name in roles.all("answerable", "expected")]
    asked += [Expression((name,), inverted=True) for name in roles.all("unanswerable")]
    chosen: dict[str, Expression] = {}
    for role in _OWN_ALONE:
        names = [name for name in roles.all(role) if name not in taken]
        if names and role not in answer:
            chosen[role] = Expression((names[0],))
    errors = [name for name in roles.all("error") if name not in taken] if "error" not in answer else []
    errors = failures.speaking(roles.table, answer, errors, taken) if "error" not in answer else []
    failing: list[dict[str, Expression]] = [{"error": Expression(tuple(errors))}, {}] if errors else [{}]
    confidences = [name for name in roles.all("confidence") if name not in taken]
    if len(confidences) == 1 and "confidence" not in answer:
        chosen["confidence"] = Expression((confidences[0],))
    used = taken | {name for way in silences for own in way.values() for name in own.columns}
    used |= {name for own in asked for name in own.columns}
    hinted = [column for column in _hints(roles) if column.name not in used]
    told = {"abstained", "answered"} & answer.keys()
    ways = [] if told else [way for way in silences if not {*next(iter(way.values())).columns} & taken]
    if not told and not ways:
        others = [column for column in hinted if not speaks_of_questions(column.name)]
        ways = [{_said_by(column): Expression((column.name,))} for column in others]
        ways += [{}] if ways else []
    questions: list[dict[str, Expression]] = []
    if "answerable" not in answer:
        questions = [{"answerable": own} for own in asked if not {*own.columns} & taken]
    if not questions and "answerable" not in answer:
        about = [column for column in hinted if speaks_of_questions(column.name)]
        questions = [
            {"answerable": Expression((c.name,), inverted=c.is_truth and speaks_of_silence(c.name))} for c in about
        ]
        questions += [{}] if questions else []
    found: list[dict[str, Expression]] = []
    for failure, silence, question in product(failing, ways or [{}], questions or [{}]):
        of_silence, of_question = ({*next(iter(own.values()), NOTHING).columns} for own in (silence, question))
        both = [silence, question] if of_silence & of_question else [{**silence, **question}]  # a column has one role
        found += [{**chosen, **own, **failure} for own in both]
    return found


def _hints(roles: Roles) -> list[Column]:
    """Return the columns that may speak of abstaining, though their names are in no list: by their words, or by yes and
    no under a name that begins as words for abstaining do."""
    columns = [column for column in roles.table.columns.values() if column.name and column.name not in roles.taken]
    names = {"run", "condition", "question", "row", "repeat"}  # whose words say nothing of answers
    return [c for c in columns if not (_has_role(c) or names & {*roles_of(c.name)}) and _is_hint(c)]


def says_more(column: Column) -> bool:
    """Return whether a column may say something of answers beside their outcomes: by its name, or as a hint."""
    return _has_role(column) or _is_hint(column) or failures.is_failing_status(column)


def _is_hint(column: Column) -> bool:
    spoken = speaks_of_silence(column.name) or speaks_of_answering(column.name)
    of_questions = speaks_of_questions(column.name) and "answer" in column.name.lower()
    return (
        any(map(is_silent_word, column.words or ()))
        or _is_act(column)
        or (column.is_truth and (spoken or of_questions))
    )


def _is_act(column: Column) -> bool:
    """Return whether a word of a column says that a system answered, and another begins as words for abstaining do."""
    words = column.words or ()
    return (
        len(words) > 1
        and any(declines(w) is False and truth_of(w) is None for w in words)
        and any(map(speaks_of_silence, words))
    )


def _said_by(column: Column) -> str:
    """Return which of the two roles a column that may speak of abstaining has."""
    answering = column.is_truth and not speaks_of_silence(column.name) and speaks_of_answering(column.name)
    return "answered" if answering else "abstained"


def _has_role(column: Column, roles: Collection[str] = frozenset(_SAYING)) -> bool:
    """Return whether a column is about abstaining or an outcome by its name, and its cells are of the right kind."""
    return bool({*roles} & {*may_be(column)} - ({"score"} if is_measured(column.name) else set()))
