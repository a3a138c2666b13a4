"""Choose the judge for questions about stories, and the marks that it can give."""

from __future__ import annotations

from collections.abc import Sequence

from nescio.data.model import Question
from nescio.errors import UsageError, opt
from nescio.formats import ReadResult, Unjudged
from nescio.judging import REGISTRY
from nescio.measures import parse
from nescio.registry import parse_call
from nescio.tasks.reading.judge import deep_read

MARKS = ("read.recall", "read.precision", "read.HumSent", "read.AutSent")


def suited_judge(
    result: ReadResult, wanted: str | None, *, keep_pronouns: bool = False, measures: Sequence[str] = ()
) -> tuple[str | None, list[str] | None]:
    """Return the judge that suits the questions of `result`, and the marks of the paper that it can give.

    The judge is the user's `wanted` one, or else `deep_read`. For questions with options, the judge is None (the
    default judge), unless `measures` names a mark or `keep_pronouns` is set. The marks are None with the default judge
    too.
    """
    judge_name = deep_read.__name__
    if not isinstance(result.data, Unjudged):
        raise UsageError(
            f"these files are {result.about}, whose answers are already judged; score them with `nescio score`"
        )
    if keep_pronouns and wanted:
        raise UsageError(
            f"{opt('keep_pronouns', True)} is for the judge {judge_name}; "
            f"to name a judge, write '{judge_name}(keep_pronouns=true)'"
        )
    questions = result.data.collection.questions
    marked = keep_pronouns or any(parse(name).label in MARKS for name in measures)
    if wanted is None and (marked or not all(question.options for question in questions)):
        wanted = f"{judge_name}(keep_pronouns={str(keep_pronouns).lower()})"
    return wanted, None if wanted is None else _suited(wanted, questions)


def _suited(judge: str, questions: Sequence[Question]) -> list[str] | None:
    """Return the marks of the paper that the judge can give to these questions, or None if there are none.

    HumSent needs people's lists of sentences, and AutSent needs stories. All but HumSent need answers in the key.
    """
    columns = set(REGISTRY.find(parse_call(judge, "judge").name).scores)
    marks = [name for name in MARKS if {*parse(name).reads} - {"n"} <= columns]
    lacking = set() if any(q.story and q.accepted is not None for q in questions) else {"read.HumSent"}
    lacking |= set() if any(q.story and q.answers for q in questions) else {"read.AutSent"}
    lacking |= set() if any(q.answers for q in questions) else {"read.recall", "read.precision"}
    return [name for name in marks if name not in lacking] or None
