"""Form statements from German questions: the verb stays second, so the answer replaces the question words."""

from __future__ import annotations

import re

from nescio.tasks.ave.hypotheses._phrases import SLOT, first_word, is_year, joined, plain
from nescio.text import word_set

_ASKS = word_set(
    "wer wen wem wessen was wann wo wie warum weshalb wieso woher wohin welche welcher welches welchen welchem wieviel"
    " wieviele"
)
COMPOUNDS = {  # womit is mit was, woran an was
    f"wo{'r' if word[0] in 'aiuü' else ''}{word}": word
    for word in sorted(word_set("an auf aus bei durch für gegen in mit nach über um unter von vor zu"))
}
_BE = word_set("ist sind war waren heißt heisst")
_PREPOSITIONS = word_set(
    "in an auf aus bei bis durch für gegen mit nach seit über um unter von vor während wegen zu zwischen"
)
_ARTICLES = word_set("der die das den dem ein eine einen")
_COMMANDS = word_set("nenne nennen nennt gib geben")
_VERB = re.compile(
    r"(?:ist|sind|war|waren|wurde|wurden|wird|werden|hat|haben|hatte|hatten|kann|können|konnte|[a-zäöüß]+(?:te|ten|t|en)|[a-zäöü]*"
    r"(?:fand|schrieb|starb|kam|ging|lag|stand|gewann|verlor|begann|schloss|trat|fiel|lief|sprach|nahm|gab|trug|zog|flog|erhielt|ließ|rief))"
)
_MONTHS = word_set("januar februar märz april mai juni juli august september oktober november dezember")


def state(question: str, answer: str) -> str:
    """Turn a German question into a statement with `SLOT` in the place of the answer."""
    words = question.split()
    low = [plain(word) for word in words]
    if low and low[0] in _COMMANDS:
        rest = words[2:] if low[1:2] == ["sie"] else words[1:]
        return joined(SLOT, "ist", _nominative(rest))
    words = [
        part for word in words for part in ((COMPOUNDS[plain(word)], "was") if plain(word) in COMPOUNDS else (word,))
    ]
    low = [plain(word) for word in words]
    at = next((i for i, word in enumerate(low) if word in _ASKS), None)
    if at is None:
        return joined(words, SLOT)
    before, after = words[:at], words[at + 1 :]
    prep = [before.pop()] if before and plain(before[-1]) in _PREPOSITIONS else []
    if prep and first_word(answer) == plain(prep[0]):
        prep = []
    if before:
        return joined(before, prep, SLOT, after[_kind(after) :] if low[at].startswith("welch") else after)
    return _clause(low[at], after, prep, answer)


def _clause(asks: str, after: list[str], prep: list[str], answer: str) -> str:
    low = [plain(word) for word in after]
    if not low:
        return joined(prep, SLOT)
    if (
        asks in ("wer", "was")
        and low[0] in _BE
        and not prep
        and not (asks == "wer" and low[1:2] and low[1] in _ARTICLES)
    ):
        return joined(after[1:], [] if first_word(answer) in _BE else after[0], SLOT)
    if asks == "wie" and low[0] in ("heißt", "heisst", "hieß", "lautet", "nennt"):
        return joined(after[1:], after[0], SLOT)
    if asks == "wann":
        return joined(_time(answer), SLOT, after)
    if asks in ("wo", "woher", "wohin"):
        lead = {"wo": "in", "woher": "aus", "wohin": "nach"}[asks]
        rest = after[:-1] if asks == "woher" and low[-1] == "her" else after
        return joined("" if _leads(answer) else lead, SLOT, rest)
    if asks in ("warum", "weshalb", "wieso"):
        clause = re.match(r"(?:weil|da|um|wegen|aufgrund|damit)\b", answer.lower())
        return joined("" if clause else "wegen", SLOT, after)
    if asks in ("wie", "wieviel", "wieviele"):
        return _of_degree(after, low, prep, answer)
    if asks == "wessen":
        return joined(SLOT, after)
    kind = _kind(after) if asks.startswith("welch") else 0
    if prep and low[:kind] == ["jahr"] and is_year(answer):
        return joined("im", "Jahr", SLOT, after[kind:])
    if prep and kind and _leads(answer):
        prep = []
    return joined(prep, SLOT, after[kind:])


def _of_degree(after: list[str], low: list[str], prep: list[str], answer: str) -> str:
    """Turn a German question with "wie" into a statement.

    "Wie viele Einwohner hat X" gives "[answer] Einwohner hat X", "wie hoch ist X" gives "X ist [answer] hoch", and "wie
    starb X" gives "durch [answer] starb X".
    """
    if low[0] in ("viele", "viel"):
        has_adjective = low[1:2] and low[1] in answer.lower().split()
        return joined(prep, SLOT, after[2:] if has_adjective else after[1:])
    if _VERB.fullmatch(low[0]):
        return joined("" if _leads(answer) else "durch", SLOT, after)
    if low[1:2] and low[1] in _BE:
        return joined(after[2:], after[1], SLOT, "" if low[0] in answer.lower() else after[0])
    return joined(SLOT, after if low[0] not in ("lange", "oft", "weit") or low[0] in answer.lower() else after[1:])


def _kind(after: list[str]) -> int:
    low = [plain(word) for word in after]
    return next((i for i, word in enumerate(low) if i and after[i][0].islower() and _VERB.fullmatch(word)), 0)


def _nominative(rest: list[str]) -> list[str]:
    """Return words with a masculine article changed to the nominative: "einen Fluss" becomes "ein Fluss"."""
    return [{"einen": "ein", "den": "der"}.get(plain(word), word) for word in rest[:1]] + rest[1:]


def _leads(answer: str) -> bool:
    return first_word(answer) in _PREPOSITIONS | word_set("im am vom zum zur beim dort heute")


def _time(answer: str) -> str:
    if _leads(answer) or is_year(answer):
        return ""
    if re.match(r"\d{1,2}\.", answer):
        return "am"
    return "im" if first_word(answer) in _MONTHS or "jahrhundert" in answer.lower() else ""
