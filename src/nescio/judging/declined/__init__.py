"""An abstention if the answer declines in words, in any of 14 languages; else the grade of another judge.

An answer declines if all of it says that there is no answer ("I don't know", "Das steht nicht im Text"). It answers if
it says nothing of the kind, or commits itself nevertheless ("I don't know why he left, but it was Paris"). An answer
that says both that there is no answer and something else, such as a guess, is undetermined. Such answers are counted,
and stay ungraded.

The judge `then` (`exact`) grades answers, as in `'declined(then=contains)'`. With `undetermined=answered` it also
grades undetermined ones. With `undetermined=llm` a language model (`--base-url`, `--model`) decides whether they
answer. If a gold answer itself declines ("unknown"), an answer in such words counts as an answer, and `then` judges it.
On a question without an answer, declining is an abstention, and any other answer incorrect.

Languages: Arabic, Chinese, Czech, Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese,
Russian, Spanish. If most sentences of a run are in other languages, these are undetermined. The signature has a digest
of the words. `--against FILE` compares the judge with people, whose verdicts may be correct, incorrect and unanswered,
or only answered and declined.
"""

from __future__ import annotations

from nescio.judging._judge import Judge, Resources, factory, known

UNDETERMINED = ("ungraded", "answered", "llm")


@factory(
    "declined", valid={"undetermined": (f"undetermined is {', '.join(UNDETERMINED)}", lambda x: x in UNDETERMINED)}
)
def _declined(resources: Resources, then: str = "exact", undetermined: str = "ungraded") -> Judge:
    """Return a judge that grades declining answers as abstentions, and lets another judge grade the rest."""
    from nescio.judging.declined.judge import DeclinedThen

    model = known("llm", resources) if undetermined == "llm" else None
    return DeclinedThen(known(then, resources), undetermined, model)
