"""Form statements from Spanish questions: the answer replaces the question words; a verb may precede its subject."""

from __future__ import annotations

import re

from nescio.tasks.ave.hypotheses._phrases import SLOT, first_word, is_day, is_year, joined, plain
from nescio.text import word_set

_ASKS = word_set(
    "quién quien quiénes quienes qué que cuál cual cuáles cuales cuándo cuando dónde donde adónde adonde cómo como"
)
_MANY = word_set("cuánto cuanto cuánta cuanta cuántos cuantos cuántas cuantas")
_BE = word_set("es son era eran fue fueron será serán")
_PREPOSITIONS = word_set("a ante bajo con contra de desde durante en entre hacia hasta para por según sin sobre tras")
_COMMANDS = word_set("nombre nombra nombrar diga dígame mencione indique cite")
_LANDS = word_set("país ciudad región provincia estado isla pueblo continente")
_DEEDS = word_set("significa significan hizo hace inventó descubrió escribió fundó pintó compuso")
_TIMES = word_set("año mes siglo década día fecha")
_VERB = re.compile(
    r"(?:\w+(?:ó|ió|aba|ía|aron|ieron|an|en|a|e|o)|está|están|es|son|fue|fueron|era|eran|ha|han|hay|hubo)"
)
_NOUNS = word_set("el la los las un una unos unas su sus este esta")
_NUMBERED = ("mide", "pesa", "cuesta", "vale", "dura", "tarda", "costó", "duró", "medía", "pesaba")


def state(question: str, answer: str) -> str:
    """Turn a Spanish question into a statement with `SLOT` in the place of the answer."""
    words = question.replace("¿", " ").split()
    low = [plain(word) for word in words]
    if low and low[0] in _COMMANDS:
        return joined(SLOT, "es", words[1:])
    asked = [i for i, word in enumerate(low) if word in _ASKS | _MANY]
    if not asked:
        return joined(words, SLOT)
    marked = [i for i in asked if not low[i].isascii()]
    at = (marked or asked)[0]
    before, after = words[:at], words[at + 1 :]
    prep = [before.pop().lower()] if before and plain(before[-1]) in _PREPOSITIONS else []
    if prep and first_word(answer) in (prep[0], f"{prep[0]}l"):  # a, al; de, del
        prep = []
    if before and not before[-1].endswith(","):
        return joined(before, prep, SLOT, after)
    return joined(before, _clause(low[at], after, prep, answer))


def _clause(asks: str, after: list[str], prep: list[str], answer: str) -> str:
    low = [plain(word) for word in after]
    if not low:
        return joined(prep, SLOT)
    if prep == ["por"] and asks in ("qué", "que"):
        reason = [] if first_word(answer) in ("porque", "por", "para", "debido") else "por"
        return joined(_ordered(after), reason, SLOT)
    if asks in _MANY:
        if answer.lower().endswith(("millones", "millón", "mil millones")):
            return joined(prep, SLOT, "de", after)
        if low[0] in _NUMBERED:
            return joined(after[1:], after[0], SLOT)
        return joined(prep, SLOT, after)
    if low[0] in _BE and asks not in ("cuándo", "cuando", "dónde", "donde") and not prep:
        if first_word(answer) in _BE:
            return joined(after[1:], SLOT)
        person = asks.startswith("qui")
        return joined(SLOT, after) if person and low[1:2] and low[1] in _NOUNS else joined(after[1:], after[0], SLOT)
    if asks.startswith("qui"):
        return joined(prep, SLOT, after)
    if asks in ("cuándo", "cuando"):
        return joined(_time(answer), SLOT, after)
    if asks in ("dónde", "donde", "adónde", "adonde"):
        return joined(prep or ([] if _leads(answer) else "a" if asks.startswith("a") else "en"), SLOT, after)
    if asks in ("cómo", "como"):
        return joined(_ordered(after), SLOT)
    return _of_kind(after, low, prep, answer)


def _of_kind(after: list[str], low: list[str], prep: list[str], answer: str) -> str:
    """Turn a Spanish question with "qué" into a statement.

    "Qué río atraviesa Roma" gives "[answer] atraviesa Roma", and "en qué año murió X" gives "en el año [answer] murió
    X".
    """
    if not prep and low[0] in _DEEDS:
        return joined(after[1:], after[0], SLOT)
    if len(low) > 1 and not prep and re.match(r"(?:las|los|la|el) (?:siglas|palabra|letras|nombre)", " ".join(low[1:])):
        return joined(after[1:], after[0], SLOT)
    kind = next(
        (i for i, word in enumerate(low) if i and _VERB.fullmatch(word) and low[i - 1] not in _PREPOSITIONS | _NOUNS), 0
    )
    named = low[:kind]
    if prep and named and named[0] in _TIMES:
        if _leads(answer):
            prep = []
        elif is_day(answer):
            prep = ["el"]
        elif is_year(answer) and named[0] == "año":
            prep = [*prep, "el", "año"]
    if prep == ["de"] and named:
        prep = ["de", *named]
        subject = after[kind + 1 :]
        name = next((i for i, word in enumerate(subject) if word[0].isupper()), 0)
        if low[kind] in _BE and name and low[0] in _LANDS and low[kind + 1] not in _NOUNS:  # de qué país es reina Sofía
            return joined(subject[name:], after[kind], subject[:name], "de", SLOT)
        if low[kind] in _BE:
            return joined(after[kind + 1 :], after[kind], prep, SLOT)
    return joined(prep, SLOT, after[kind:] if kind else after)


def _ordered(after: list[str]) -> list[str]:
    """Return Spanish words with the subject moved before the verb: "se llama la capital" becomes "la capital se llama".

    The subject is taken to end at the first preposition.
    """
    low = [plain(word) for word in after]
    start = 1
    while start < len(low) and (
        low[start - 1] in ("se", "lo", "la", "le", "les", "no", "me") or re.search(r"(?:ado|ido)$", low[start])
    ):
        start += 1
    end = next((i for i in range(start, len(low)) if i > start and low[i] in _PREPOSITIONS - {"de"}), len(low))
    return [*after[start:end], *after[:start], *after[end:]]


def _leads(answer: str) -> bool:
    return first_word(answer) in _PREPOSITIONS | {"al", "del", "cerca", "hace", "ayer", "el"}


def _time(answer: str) -> str:
    return "" if _leads(answer) else "el" if is_day(answer) or re.match(r"\d{1,2} de ", answer) else "en"
