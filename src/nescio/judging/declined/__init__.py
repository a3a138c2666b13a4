"""Silence if the answer declines in words, in any of 14 languages; else what another judge says.

An answer declines if all that it says is that there is no answer ("I don't know", "Das steht nicht im Text"); it
answers if it says nothing of the kind, or commits itself all the same ("I don't know why he left, but it was Paris").
What says both that there is no answer and something else, such as a guess, is undetermined: such answers are counted,
and stay ungraded.

`then` judges what answers (`exact`), as in `'declined(then=contains)'`. With `undetermined=answered` it gets what is
undetermined too; with `undetermined=llm` a language model (`--base-url`, `--model`) says whether such an answer
answers. If a gold answer itself declines ("unknown"), an answer in such words is one, and `then` judges it. On a
question without an answer, what declines is silence, and anything else incorrect.

Languages: Arabic, Chinese, Czech, Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese,
Russian, Spanish. If most sentences of a run are in none of them, those are undetermined. The signature has a
digest of the words. `--against FILE` compares with people, whose verdicts may be correct, incorrect and
unanswered, or only answered and declined.
"""

from __future__ import annotations

from nescio.judging._judge import Judge, Resources, factory, known

UNDETERMINED = ("ungraded", "answered", "llm")


@factory(
    "declined", valid={"undetermined": (f"undetermined is {', '.join(UNDETERMINED)}", lambda x: x in UNDETERMINED)}
)
def _declined(resources: Resources, then: str = "exact", undetermined: str = "ungraded") -> Judge:
    """Make a judge that grades declining answers as silent, and lets another judge grade the rest."""
    from nescio.judging.declined.judge import DeclinedThen

    model = known("llm", resources) if undetermined == "llm" else None
    return DeclinedThen(known(then, resources), undetermined, model)
