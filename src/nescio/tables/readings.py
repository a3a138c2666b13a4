"""List the mappings that names and the user's words allow for a table: the run, the question and the outcome."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from types import MappingProxyType

from msgspec.structs import replace

from nescio.data.outcomes import CORRECT, INCORRECT
from nescio.sources.tables import first, literals
from nescio.tables import failures, wide
from nescio.tables.columns import Column, Table
from nescio.tables.evidence import COMPLETE
from nescio.tables.lexicon import (
    ends_as_a_verdict,
    is_measured,
    may_be_of_form,
    may_mean_wrong,
    roles_of,
    speaks_of_answering,
    speaks_of_faults,
    speaks_of_questions,
    speaks_of_silence,
    speaks_of_verdicts,
    state_of,
    tokens,
    truth_of,
)
from nescio.tables.mapping import Expression, Mapped
from nescio.tables.roles import (
    ABOUT_ANSWERING,
    NOTHING,
    OWN_ALONE,
    Roles,
    has_role,
    has_texts_for_none,
    is_known,
    said_by,
)
from nescio.tables.statuses import is_status
from nescio.tables.structures import structures
from nescio.tables.views import views

_MOST = 64  # most mappings of a table to try
_NOTHING: Mapped = MappingProxyType({})


def readings(
    table: Table, given: Mapped, *, judging: bool, mapped: Collection[str] = (), proposed: Mapped = _NOTHING
) -> list[dict[str, Expression]]:
    """Return the mappings of roles to columns that a table allows, the likeliest first.

    The list is empty if no column may say which answers are right, or which question a row answers. `given` is the part
    of the mapping from the user; `proposed` is a part that is tried in addition.
    """
    complete = any(roles <= given.keys() for roles in COMPLETE)
    given = {**given, **proposed}
    roles = Roles(table, given, mapped)
    answers = [dict(given)] if complete else list(_answers(roles, given, judging=judging))
    mappings: list[dict[str, Expression]] = []
    unknown = [name for name in table.columns if name and not roles_of(name)]  # a name with a role has it in any run
    families = [*wide.families(unknown).values()]
    for answer in answers:
        taken = {name for expression in answer.values() for name in expression.columns}
        several = any(len(answer.get(role, NOTHING).columns) > 1 for role in ("outcome", "prediction"))
        taken |= _of_other_runs(families, taken, several=several)
        for structure in structures(roles, answer, taken, alone=complete):
            for beside in [{}] if complete else _beside(roles, answer, taken):
                mappings.append({**structure, **answer, **beside})
    return mappings[:_MOST]


def _of_other_runs(families: Sequence[Mapping[str, str]], taken: set[str], *, several: bool) -> set[str]:
    """Return the columns that belong to other runs than the one whose answers are read.

    Another run has a column with the same role as one of the `taken` columns. `families` has the columns of each run by
    role.
    """
    roles = {role for family in families for role, name in family.items() if name in taken}
    others = [family for family in families if roles & family.keys() and (several or not taken & {*family.values()})]
    return {name for family in others for name in family.values()}


# ---- columns that say which answers are right ----


def _answers(roles: Roles, given: Mapped, *, judging: bool) -> Iterator[dict[str, Expression]]:
    """Yield mappings of the columns that may say which answers are right.

    These columns are an outcome, or predictions and gold answers.
    """
    if "outcome" in given:
        yield {**_texts(roles, given), **given}
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
        outcomes += [score for name in scores if (score := Expression((name,))) not in outcomes]
    unclear = [
        outcome for outcome in outcomes if may_mean_wrong(outcome.column) and roles.column(outcome.column).is_truth
    ]
    if len(unclear) == len(outcomes) and not any(
        _says_of_the_key(roles, outcome, _texts(roles, given, outcome), CORRECT) for outcome in unclear
    ):
        outcomes = [*outcomes, *(replace(outcome, inverted=True) for outcome in unclear)]
    paths = [outcome for outcome in outcomes if wide.PATH.search(outcome.column)]
    whole = (_of_runs(roles, paths) if len(paths) > 1 and len(paths) == len(outcomes) else outcomes) or _of_runs(roles)
    known = [c.name for c in roles.table.columns.values() if c.name not in roles.taken and is_known(c, roles.mapped)]
    single = [outcome.column for outcome in whole if len(outcome.columns) == 1]
    for columns in wide.like_those_of_judges(single, known):
        whole = [*whole, *(Expression((name,)) for name in columns[1:]), Expression(columns)]
    if not whole or (not either and _may_be_answers(roles, whole)):
        judged = [*_pairs(roles, given)]
        if not whole and judged:
            yield from (
                {**_texts(roles, given, outcome), "outcome": outcome, **given} for outcome in _perhaps_verdicts(roles)
            )
        yield from judged
    for outcome in whole:
        beside = _texts(roles, given, outcome)
        if len(outcome.columns) > 1:
            beside.pop("prediction", None)
        answers = _sides(roles, outcome.columns)[1] if len(outcome.columns) == 1 and "prediction" not in given else []
        answers = [name for name in answers if "outcome" not in roles_of(name)]
        for name in ("", *(answers if len(answers) > 1 else ())):  # one of several may say that there is no answer
            yield {**beside, **({"prediction": Expression((name,))} if name else {}), "outcome": outcome, **given}
    if either or (len(whole) == 1 and _denies_the_key(roles, whole[0], _texts(roles, given, whole[0]))):
        yield from _pairs(roles, given)


def _perhaps_verdicts(roles: Roles) -> list[Expression]:
    """Return the columns of yes and no that may be verdicts although the lexicon lacks their names ("det_correct")."""
    free = [c for c in roles.table.columns.values() if c.name and c.name not in roles.taken and c.is_truth]
    spoken = [c for c in free if speaks_of_verdicts(c.name) and not has_role(c) and not speaks_of_questions(c.name)]
    return [Expression((column.name,), inverted=speaks_of_faults(column.name)) for column in spoken]


def _denies_the_key(roles: Roles, outcome: Expression, texts: Mapped) -> bool:
    """Return whether a verdict calls an answer wrong that equals the gold answer.

    Only a verdict whose name may mean that the answer is well-formed is tested in this way.
    """
    formal = len(outcome.columns) == 1 and not outcome.sign and may_be_of_form(outcome.column)
    return formal and _says_of_the_key(roles, outcome, texts, CORRECT if outcome.inverted else INCORRECT)


def _says_of_the_key(roles: Roles, outcome: Expression, texts: Mapped, state: int) -> bool:
    """Return whether any answer equals its gold answer and has a verdict that means `state`."""
    column = roles.column(outcome.column)
    if not {"gold", "prediction"} <= texts.keys():
        return False
    gold, prediction = (roles.column(texts[role].column).cell for role in ("gold", "prediction"))
    words = literals(word for word in column.words or () if state_of(word) == state) or "NULL"
    same = f"trim({gold}) = trim({prediction}) AND {column.cell} IN ({words})"
    return first(roles.table.connection, f"SELECT 1 FROM {roles.table.relation} WHERE {same} LIMIT 1") is not None


def _texts(roles: Roles, given: Mapped, outcome: Expression = NOTHING) -> dict[str, Expression]:
    """Return the columns of the prediction and of the gold answer beside the verdict `outcome`, keyed by role.

    A role is left out if several columns may have it.
    """
    texts: dict[str, Expression] = {}
    gold, predictions = _sides(roles, outcome.columns)
    if len(gold) == 1 and "gold" not in given:
        texts["gold"] = Expression((gold[0],))
    if len(predictions) == 1 and "prediction" not in given:
        texts["prediction"] = Expression((predictions[0],))
    return texts


def _sides(roles: Roles, verdict: Collection[str] = ()) -> tuple[list[str], list[str]]:
    """Return the columns that may hold the gold answers, and those that may hold predictions.

    A column of the `verdict` is neither.
    """
    verdicts = {name for name in roles.all("outcome", "wrong") if roles.column(name).is_verdict}
    gold = [name for name in roles.all("gold") if name not in verdicts or not roles.column(name).is_truth]
    gold = [name for name in gold if name not in verdict]
    predictions = [name for name in roles.all("prediction") if name not in (*gold, *verdict)]
    either = [name for name in roles.all("answer") if name not in (*gold, *predictions, *verdict)]
    if not (gold or "gold" in roles.given) and (predictions or "prediction" in roles.given):
        gold = either
    else:
        predictions = predictions or either
    return gold, predictions


def _pairs(roles: Roles, given: Mapped) -> Iterator[dict[str, Expression]]:
    """Yield mappings with two roles: one or more columns of predictions, and the gold answers to these."""
    gold, predictions = _sides(roles)
    either = [name for name in roles.all("answer") if name not in gold]
    predictions = list(dict.fromkeys((*predictions, *either))) if gold or "gold" in given else predictions
    golds = [given["gold"]] if "gold" in given else [Expression((name,)) for name in gold]
    if "prediction" in given:
        answers = [given["prediction"]]
    else:
        singles = [Expression((name,)) for name in predictions]
        together = _families(roles, ("prediction", "answer"))
        of_runs = [family for family in together[:1] if {*family.columns} <= {*predictions} and not roles.name_runs]
        answers = [*of_runs, *singles] or together
    truths = [Expression((name,)) for name in roles.all("outcome", "score")]
    for right, prediction in product(golds, answers):
        if {*right.columns} & {*prediction.columns}:
            continue
        yield {
            "gold": right,
            "prediction": prediction,
            **{r: e for r, e in given.items() if r not in ("gold", "prediction")},
        }
    if "prediction" not in given:
        of_key = [Expression((name,)) for name in _of_key(roles)] if "gold" not in given else []
        for right, prediction in product([*golds, *of_key], truths):
            if right != prediction and _share_words(roles, right, prediction):
                yield {"gold": right, "prediction": prediction, **{r: e for r, e in given.items() if r != "gold"}}


def _of_key(roles: Roles) -> list[str]:
    """Return the verdicts whose names say that they belong to the answer key, as "gold_verdict" does."""
    free = [column for column in roles.table.columns.values() if column.name and column.name not in roles.taken]
    spoken = [c for c in free if c.is_verdict and speaks_of_questions(c.name) and not has_role(c, ABOUT_ANSWERING)]
    acts = {c.name for c in spoken if speaks_of_silence(c.name) or speaks_of_answering(c.name)}
    others = {*acts, *roles.all("gold", "abstained", "answered")}
    return [c.name for c in spoken if c.name not in others and ends_as_a_verdict(c.name)]  # not "gold_in_context"


def _gold_verdicts(roles: Roles) -> list[Expression]:
    """Return the columns with names for gold answers that may be verdicts on the answers instead.

    They say yes and no, but no prediction does.
    """
    gold, predictions = _sides(roles)
    words = {word for name in predictions for word in roles.column(name).words or ()}
    if not predictions or any(truth_of(word) is not None for word in words):
        return []
    return [Expression((name,)) for name in gold if roles.column(name).is_truth]


def _share_words(roles: Roles, gold: Expression, prediction: Expression) -> bool:
    """Return whether the column `prediction` and the gold answers are verdicts in the same words.

    If they are, `prediction` may hold answers, because the task of the systems may be to judge.
    """
    columns = [roles.column(name) for name in dict.fromkeys((*gold.columns, *prediction.columns))]
    if len(columns) < 2 or not all(column.is_verdict for column in columns):
        return False
    shared = set.intersection(*({*(column.words or ())} for column in columns))
    return bool(shared) or all(column.is_truth for column in columns)


def _may_be_answers(roles: Roles, outcomes: Sequence[Expression]) -> bool:
    """Return whether a column that is taken for a verdict may be the prediction, or the gold answer.

    Either the gold answers say yes and no as this column does, and no prediction does. Or predictions say yes and no,
    and the column has a name for gold answers.
    """
    gold, predictions = _sides(roles)
    of_key = [Expression((name,)) for name in _of_key(roles)]
    if any(_share_words(roles, right, outcome) for right in of_key for outcome in outcomes if right != outcome):
        return True
    verdicts = {name for outcome in outcomes for name in outcome.columns}
    same = [Expression((name,)) for name in gold if name in verdicts]  # "label" may name either
    if any(_share_words(roles, right, Expression((name,))) for right in same for name in predictions):
        return True
    yes_or_no = any(roles.column(name).is_truth for name in predictions if name not in verdicts)
    golds = [Expression((name,)) for name in gold if name not in verdicts]
    return not yes_or_no and any(_share_words(roles, right, outcome) for right in golds for outcome in outcomes)


def _families(roles: Roles, wanted: Sequence[str]) -> list[Expression]:
    """Return an expression of all columns that have one of the roles `wanted`, if each belongs to one run.

    If the columns are parts of one JSON object, expressions of each column alone follow.
    """
    names = [name for name in roles.table.columns if name and name not in roles.taken and not is_measured(name)]
    families = wide.families(names)
    columns = [next((family[role] for role in wanted if role in family), "") for family in families.values()]
    members = tuple(name for name in columns if name)
    of_objects = all("." in name for name in members)
    parts = [Expression((name,)) for name in members] if of_objects else []
    return [Expression(members), *parts] if len(members) > 1 else []


def _of_runs(roles: Roles, paths: Sequence[Expression] = ()) -> list[Expression]:
    """Return the expressions by which several columns of verdicts can be read.

    One expression has all columns, if each is the verdict on another run. Or each column has its own expression, if all
    are verdicts on the same run. `paths` are verdicts that were recognised by the last parts of their paths.
    """
    names = [name for name in roles.table.columns if name and name not in roles.taken]
    families = wide.families(names)
    wrong = tuple(
        family["wrong"] for family in families.values() if "wrong" in family and roles.column(family["wrong"]).is_truth
    )
    of_runs = len(wrong) > 1 and not any({"outcome", "score"} & family.keys() for family in families.values())
    of_a_judge = (
        len(wrong) == 1 and not paths and wide.of_judges(run for run, family in families.items() if "wrong" in family)
    )
    if of_runs or of_a_judge:
        return [Expression(wrong, inverted=True)]
    verdicts = {run: family.get("outcome", family.get("score", "")) for run, family in families.items()}
    verdicts |= {  # a "judgement" may be an answer or a verdict
        run: family["prediction"]
        for run, family in families.items()
        if not verdicts[run] and "outcome" in wide.roles_at_end(family.get("prediction", ""))
    }
    verdicts = {run: name for run, name in verdicts.items() if name and is_known(roles.column(name), roles.mapped)}
    run_roles = {"prediction", "answer", "abstained", "answered"}  # columns that a run has for itself
    answering = {run: name for run, name in verdicts.items() if run_roles & families[run].keys()}
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
    if roles.name_conditions or wide.differ_by_judges(
        [*verdicts.values()]
    ):  # more likely several verdicts on each answer
        return [*singles, *together]
    return [*together, *singles]


# ---- further columns about an answer ----


def _beside(roles: Roles, answer: Mapped, taken: set[str]) -> list[dict[str, Expression]]:
    """Return mappings of the further columns that describe answers.

    There is one for each choice of the columns on abstaining and on whether a question has an answer. `taken` are
    columns that have another use.
    """
    silences = [{"abstained": Expression((name,))} for name in roles.all("abstained")]
    if len(silences) > 1:
        together = {"abstained": Expression(tuple(name for way in silences for name in way["abstained"].columns))}
        one_each = len(silences) == len(answer.get("outcome", NOTHING).columns)  # one column for each run
        silences.insert(0 if one_each else len(silences), together)
    silences += [{"answered": Expression((name,))} for name in roles.all("answered")]
    asked = [Expression((name,)) for name in roles.all("answerable", "expected")]
    asked += [Expression((name,), inverted=True) for name in roles.all("unanswerable")]
    chosen: dict[str, Expression] = {}
    for role in OWN_ALONE:
        names = [name for name in roles.all(role) if name not in taken]
        if names and role not in answer:
            chosen[role] = Expression((names[0],))
    errors = _errors(roles, answer, taken) if "error" not in answer else []
    failing: list[dict[str, Expression]] = [{"error": Expression(tuple(errors))}, {}] if errors else [{}]
    confidences = [name for name in roles.all("confidence") if name not in taken]
    if len(confidences) == 1 and "confidence" not in answer:
        chosen["confidence"] = Expression((confidences[0],))
    used = taken | {name for way in silences for expression in way.values() for name in expression.columns}
    used |= {name for expression in asked for name in expression.columns}
    outcome = answer.get("outcome", NOTHING).columns
    families = wide.families(name for name in roles.table.columns if name).values() if len(outcome) > 1 else ()
    of_runs = [group for group in families if {*group.values()} & {*outcome}]  # and not those of other parts of names
    used |= {group[role] for group in of_runs for role in ("prediction", "answer") if role in group}
    hinted = [column for column in roles.hints if column.name not in used]
    silence_roles = {"abstained", "answered"} & answer.keys()
    ways = [] if silence_roles else [way for way in silences if not {*next(iter(way.values())).columns} & taken]
    if not silence_roles and not ways:
        others = [column for column in hinted if not speaks_of_questions(column.name)]
        of_each, others = _of_each_run(outcome, others) if len(outcome) > 1 else ([], others)
        ways = [{said_by(group[0]): Expression(tuple(column.name for column in group))} for group in of_each]
        texts = [column for column in others if has_texts_for_none(column) and "prediction" not in answer]
        ways += [{"prediction": Expression((column.name,))} for column in texts]
        ways += [{said_by(column): Expression((column.name,))} for column in others if column.words is not None]
        vague = [column for column in others if column.is_truth and is_status(column.name)]
        ways += [{"answered": Expression((column.name,))} for column in vague]
        ways += [{}] if ways else []
    questions: list[dict[str, Expression]] = []
    if "answerable" not in answer:
        questions = [{"answerable": expression} for expression in asked if not {*expression.columns} & taken]
    if not questions and "answerable" not in answer:
        about = [column for column in hinted if speaks_of_questions(column.name)]
        questions = [
            {"answerable": Expression((c.name,), inverted=c.is_truth and speaks_of_silence(c.name))} for c in about
        ]
        questions += [{}] if questions else []
    mappings: list[dict[str, Expression]] = []
    for failure, silence, question in product(failing, ways or [{}], questions or [{}]):
        of_silence, of_question = ({*next(iter(mapping.values()), NOTHING).columns} for mapping in (silence, question))
        both = [silence, question] if of_silence & of_question else [{**silence, **question}]  # a column has one role
        mappings += [{**chosen, **mapping, **failure} for mapping in both]
    return mappings


def _errors(roles: Roles, answer: Mapped, taken: set[str]) -> list[str]:
    """Return the columns that report failed calls, those of single runs included."""
    names = [name for name in roles.all("error") if name not in taken]
    for view in views(roles.table, answer):
        table = view.table if view.table is roles.table else replace(view.table, columns=view.alone)
        view_roles = roles if view.table is roles.table else Roles(table, view.mapping, roles.mapped)
        named = [name for name in view_roles.all("error") if name not in taken]
        names += [view.names.get(name, name) for name in failures.speaking(table, view.mapping, named, taken)]
    return list(dict.fromkeys(names))


def _of_each_run(outcome: Sequence[str], columns: Sequence[Column]) -> tuple[list[list[Column]], list[Column]]:
    """Return groups of columns whose names differ only by the name of a run, and the columns in no such group.

    A group has one column for each run. `outcome` has the columns of outcomes, whose names contain those of the runs.
    """
    runs = sorted((tokens(run) for run, _ in wide.parts({"outcome": outcome})), key=len, reverse=True)
    groups: dict[tuple[str, ...], list[Column]] = {}
    for column in columns:
        words = tokens(column.name)
        without = (words[:at] + words[at + len(run) :] for run in runs for at in _places(run, words))
        groups.setdefault(next(without, words), []).append(column)
    complete = [group for group in groups.values() if len(group) == len(runs)]
    return complete, [column for group in groups.values() if group not in complete for column in group]


def _places(run: tuple[str, ...], words: tuple[str, ...]) -> list[int]:
    return [at for at in range(len(words)) if words[at : at + len(run)] == run]
