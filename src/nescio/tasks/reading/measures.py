"""Measure reading comprehension as in Deep Read: means over questions of the marks in `nescio.tasks.reading.marks`.

An abstention earns nothing in recall, precision, HumSent and AutSent; read.precision_when_answered leaves it out. None
of them rewards an abstention; c@1 over the outcomes of the judge `deep_read` does.
"""

from __future__ import annotations

from typing import Any

from nescio.measures._measure import measure

SOURCE = "Hirschman, Light, Breck & Burger, ACL 1999, sec. 2"


@measure("read.recall", needs="reading.word_recall", bounds=(0, 1), source=SOURCE)
def word_recall(total: Any) -> Any:
    """Word recall: the share of the key's stemmed content words that the answer contains, averaged over questions.

    $1/n Σ_i |{t ∈ k_i: t ∈ a_i}|/|k_i|$ with k the content words of the key (with repetitions, which match or fail
    together) and a those of the answer; an abstention has 0. Undefined for n = 0; questions whose key has no content
    word are left out and counted.

    When to use it: To see whether an answer holds the words of the key, as in Deep Read. Long answers win: returning a
    whole sentence costs nothing. Read read.precision beside it.

    Example: word_recall = 2/2, 1/2: (2/2 + 1/2)/2 = 0.75. Hirschman et al. 1999, Figure 2: the two sentences hold both
    words of the key, and one.
    """
    return total.word_recall / total.n


@measure("read.precision", needs="reading.precision", bounds=(0, 1), source=SOURCE)
def word_precision(total: Any) -> Any:
    """Word precision: the share of the answer's stemmed content words that the key contains, averaged over questions.

    $1/n Σ_i |{t ∈ a_i: t ∈ k_i}|/|a_i|$ over all n questions, as in the paper; an abstention has 0. Undefined for n =
    0; questions whose key has no content word are left out and counted. (The paper's footnote prints the denominators
    of precision and recall the other way round; its example has them as here.)

    When to use it: To see whether an answer holds little beside the words of the key. One lucky word scores 1: read
    read.recall beside it.

    Example: precision = 2/7, 0: (2/7 + 0)/2 = 0.1429. Hirschman et al. 1999, Figure 2, sentence 1: 2 of 7 words,
    printed as 29%; and an abstention.
    """
    return total.precision / total.n


@measure(
    "read.precision_when_answered",
    needs="reading.word_precision",
    bounds=(0, 1),
    source=SOURCE,
    beside="read.precision",
)
def word_precision_when_answered(total: Any) -> Any:
    """Word precision averaged over the answers, without abstentions.

    $1/n Σ_i |{t ∈ a_i: t ∈ k_i}|/|a_i|$ with n the answers that have a content word; abstentions are left out and
    counted. Undefined if there is no such answer. A run that answers only what it is sure of scores high:
    read.precision is over all questions.

    When to use it: To see how tight the given answers are. It hides what was left unanswered: use read.precision over
    all questions.

    Example: word_precision = 2/7, -: 2/7 = 0.2857. Hirschman et al. 1999, Figure 2, sentence 1: 29%; and an abstention,
    which is left out.
    """
    return total.word_precision / total.n


@measure("read.HumSent", needs="reading.hum_sent", bounds=(0, 1), source=SOURCE, proportion=("reading.hum_sent", "n"))
def hum_sent(total: Any) -> Any:
    """The share of questions whose answer is in a sentence that people listed as acceptable.

    $1/n Σ_i [s_i ∈ H_i]$ with s the sentence chosen and H the list; an empty list scores 0 and counts, an abstention
    scores 0. Undefined if no question has such a list.

    When to use it: To see whether the sentence chosen answers the question, by people's word. It needs their lists;
    without them use read.AutSent. An abstention counts as wrong: to reward it use c@1.

    Example: hum_sent = 1, 0, 1, 1: (1 + 0 + 1 + 1)/4 = 0.75.
    """
    return total.hum_sent / total.n


@measure("read.AutSent", needs="reading.aut_sent", bounds=(0, 1), source=SOURCE, proportion=("reading.aut_sent", "n"))
def aut_sent(total: Any) -> Any:
    """The share of questions whose answer is in a sentence of the story with the highest word recall against the key.

    $1/n Σ_i [s_i ∈ A_i]$ with s the sentence chosen and A those of the highest recall, all that tie; A is empty if that
    recall is 0. An abstention scores 0. Undefined if no question has its story.

    When to use it: To see whether the sentence chosen is the one with the most words of the key, if nobody listed
    sentences. It mistakes a sentence that repeats the words for one that answers: if lists exist use read.HumSent.

    Example: aut_sent = 1, 0, 0, 1: (1 + 0 + 0 + 1)/4 = 0.5.
    """
    return total.aut_sent / total.n
