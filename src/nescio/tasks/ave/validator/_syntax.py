"""Compare parses: dependencies that statement and text share, parts of speech, constituents, functions."""

from __future__ import annotations

from nescio.tasks.ave.validator._case import Case
from nescio.tasks.ave.validator._lexical import Row, share
from nescio.tasks.ave.validator._parsing import Parse, Parsed, Token, each_parsed, top

_SPEECH = ("NOUN", "PROPN", "VERB", "ADJ", "NUM")
_CONTENT = frozenset(_SPEECH)
FUNCTIONS = ("nsubj", "nsubjpass", "dobj", "dative", "attr", "pobj", "appos", "compound", "amod")


def arcs(words: Parse) -> frozenset[tuple[str, str, str]]:
    """Return the dependencies in a parsed text as triples: lemma of the head, relation, lemma of the dependent."""
    return frozenset(
        (words[word.head].lemma, word.dep, word.lemma) for word in words if word.pos not in ("PUNCT", "SPACE")
    )


def _dependencies(_: Case, parsed: Parsed) -> Row:
    """Return features of the dependencies that the text shares with the statement of question and answer, with and
    without regard to the relation's name."""
    stated, text = arcs(parsed.stated), arcs(parsed.text)
    bare, others = ({(head, tail) for head, _, tail in those} for those in (stated, text))
    return {
        "dependencies": share(len(stated & text), len(stated)),
        "dependencies without relation": share(len(bare & others), len(bare)),
        "turned round": share(sum((tail, head) in others for head, tail in bare if head != tail), len(bare)),
    }


def _speech(_: Case, parsed: Parsed) -> Row:
    """Return features of parts of speech: of the answer, and of words of the statement that the text lacks.

    A word that the text has only as another part of speech counts as lacking.
    """
    inside = {*parsed.answer}
    stated = {(w.pos, w.lemma) for i, w in enumerate(parsed.stated) if w.pos in _CONTENT and i not in inside}
    text = {(w.pos, w.lemma) for w in parsed.text}
    lemmas = {lemma for _, lemma in text}
    row: Row = {}
    for kind in _SPEECH:
        stated_lemmas = [lemma for pos, lemma in stated if pos == kind]
        row[f"{kind} missing"] = float(sum((kind, lemma) not in text for lemma in stated_lemmas))
    row["as another part of speech"] = float(sum(lemma in lemmas and (pos, lemma) not in text for pos, lemma in stated))
    at = top(parsed.text, parsed.in_text)
    kind = parsed.text[at].pos if at is not None else ""
    return row | {f"answer is {name}": float(kind == name) for name in _SPEECH}


def _constituents(_: Case, parsed: Parsed) -> Row:
    """Return features of the answer as a constituent of its text: whether it is whole, or cut out of a longer one."""
    words, part = parsed.text, parsed.in_text
    tops = [i for i in part if words[i].head not in part or words[i].head == i]
    left_out = [i for i, word in enumerate(words) if i not in part and word.head in part and word.pos != "PUNCT"]
    close = [i for i in left_out if words[i].dep in ("det", "compound", "amod", "nummod", "poss")]
    return {
        "constituents": float(len(tops)),
        "left out of it": float(len(left_out)),
        "left out before its noun": float(len(close)),
        "goes on with a preposition": float(any(words[i].dep == "prep" for i in left_out)),
        "goes on with a clause": float(any(words[i].dep in ("relcl", "acl", "appos", "conj") for i in left_out)),
        "begins with a preposition": float(bool(part) and words[part[0]].pos == "ADP"),
    }


def _function(words: Parse, at: int | None) -> tuple[str, str]:
    """Return the grammatical function of the word at index `at`, and the lemma of the word that governs it.

    For the object of a preposition, the results are the preposition and the lemma that governs it. Both are "" if `at`
    is None.
    """
    if at is None:
        return "", ""
    word: Token = words[at]
    head = words[word.head]
    if word.dep == "pobj":
        return head.lower, words[head.head].lemma
    return word.dep, head.lemma if head is not word else ""


def _functions(_: Case, parsed: Parsed) -> Row:
    """Return features of grammatical functions such as subject and object.

    They say whether the answer has the same function, and depends on the same word, in its text and in the statement.
    """
    stated, text = parsed.stated, parsed.text
    function, governor = _function(stated, top(stated, parsed.answer))
    there, over = _function(text, top(text, parsed.in_text))
    stated_functions = {(w.lemma, w.dep) for i, w in enumerate(stated) if w.dep in FUNCTIONS and i not in parsed.answer}
    others = {(w.lemma, w.dep) for w in text}
    lemmas = {lemma for lemma, _ in others}
    matched = [pair for pair in stated_functions if pair[0] in lemmas]
    return {
        "same function": float(bool(function) and function == there),
        "same governor": float(bool(governor) and governor == over),
        "same function and governor": float(bool(governor) and (function, governor) == (there, over)),
        "answer is subject": float(there in ("nsubj", "nsubjpass")),
        "answer is object": float(there in ("dobj", "dative", "attr")),
        "functions kept": share(sum(pair in others for pair in matched), len(matched)) if matched else 0.5,
        "functions lost": float(sum(pair not in others for pair in matched)),
    }


dependencies, speech, constituents, functions = map(each_parsed, (_dependencies, _speech, _constituents, _functions))
