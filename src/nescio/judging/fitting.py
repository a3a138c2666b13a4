"""The answer equals a gold answer: numbers are compared by value, formulas and code to the letter, all else by
words."""

from __future__ import annotations

from functools import lru_cache

from nescio.data.model import Question
from nescio.judging._judge import judge
from nescio.judging._marks import same_words
from nescio.judging._numbers import Quantity, amount
from nescio.judging.choice import option
from nescio.judging.numeric import states


@judge("fitting")
def fitting(question: Question, answer: str) -> bool:
    """Call an answer right if it equals a gold answer, compared as the kind of that gold answer requires.

    If the gold answer is a number (-1, 3.14, 1e-5, 12 km, 50%), the answer is judged as by `numeric`: by value, with
    sign, decimals and unit, so that 2.0 equals 2. A formula or code (x+1, E = mc^2) is compared to the letter, except
    for spaces around its signs. All other texts get SQuAD's normalisation, which ignores case, articles and
    punctuation. It keeps the marks that carry meaning: those between digits, signs, and those that distinguish C++ from
    C. In names a hyphen may be missing (F-16). If the question has options and the gold answer names one, the answer
    must name it too.
    """
    if answer in question.answers:
        return True
    if question.options and (right := {option(question, gold) for gold in question.answers} - {None}):
        return option(question, answer) in right
    return any(_fits(gold, answer) for gold in question.answers)


def _fits(gold: str, answer: str) -> bool:
    number = _amount(gold)
    return same_words(gold, answer) if number is None else states(number, answer)


@lru_cache(maxsize=1 << 16)
def _amount(gold: str) -> Quantity | None:
    return amount(gold)
