"""Right if the answer begins with a gold answer."""

from nescio.judging import judge


@judge("begins")
def begins(question, answer):
    return any(answer.casefold().startswith(gold.casefold()) for gold in question.answers)
