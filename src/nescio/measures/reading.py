"""Reading comprehension as in Deep Read (`nescio.tasks.reading.marks` has the marks of one answer): means over
questions.

An abstention earns nothing in recall, precision, HumSent and AutSent; read.precision_when_answered leaves it out.
None of them rewards it; c@1 over the outcomes of the judge `deep_read` does.
"""

from __future__ import annotations

from typing import Any

from nescio.measures._measure import measure

SOURCE = "Hirschman, Light, Breck & Burger, ACL 1999, sec. 2"


@measure("read.recall", needs="reading.word_recall", bounds=(0, 1), source=SOURCE)
def word_recall(total: Any) -> Any:
    r"""Word recall: the share of the key's stemmed content words that the answer contains, averaged over questions.

    $\frac{1}{n}\sum_i \frac{|\{t \in k_i: t \in a_i\}|}{|k_i|}$ with k the content words of the key (with repetitions,
    which match or fail together) and a those of the answer; silence has 0. Undefined for n = 0; questions whose key has
    no content word are left out and counted.
    """
    return total.word_recall / total.n


@measure("read.precision", needs="reading.precision", bounds=(0, 1), source=SOURCE)
def word_precision(total: Any) -> Any:
    r"""Word precision: the share of the answer's stemmed content words that the key contains, averaged over questions.

    $\frac{1}{n}\sum_i \frac{|\{t \in a_i: t \in k_i\}|}{|a_i|}$ over all n questions, as in the paper; silence has 0.
    Undefined for n = 0; questions whose key has no content word are left out and counted. (The paper's footnote prints
    the denominators of precision and recall the other way round; its example has them as here.)
    """
    return total.precision / total.n


@measure("read.precision_when_answered", needs="reading.word_precision", bounds=(0, 1), source=SOURCE)
def word_precision_when_answered(total: Any) -> Any:
    r"""Word precision averaged over the answers, silence left out.

    $\frac{1}{n}\sum_i \frac{|\{t \in a_i: t \in k_i\}|}{|a_i|}$ with n the answers that have a content word; silence is
    left out and counted. Undefined if there is no such answer. A run that answers what it is sure of alone has it high:
    read.precision is over all questions.
    """
    return total.word_precision / total.n


@measure("read.HumSent", needs="reading.hum_sent", bounds=(0, 1), source=SOURCE, proportion=("reading.hum_sent", "n"))
def hum_sent(total: Any) -> Any:
    r"""The share of questions whose answer is in a sentence that people listed as acceptable.

    $\frac{1}{n}\sum_i [s_i \in H_i]$ with s the sentence chosen and H the list; an empty list scores 0 and counts,
    silence scores 0. Undefined if no question has such a list.
    """
    return total.hum_sent / total.n


@measure("read.AutSent", needs="reading.aut_sent", bounds=(0, 1), source=SOURCE, proportion=("reading.aut_sent", "n"))
def aut_sent(total: Any) -> Any:
    r"""The share of questions whose answer is in a sentence of the story with the highest word recall against the key.

    $\frac{1}{n}\sum_i [s_i \in A_i]$ with s the sentence chosen and A those of the highest recall, all that tie; A is
    empty where that recall is 0. Silence scores 0. Undefined if no question has its story.
    """
    return total.aut_sent / total.n
