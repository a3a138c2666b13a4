r"""Answer definition questions from a folder of texts; abstain if nothing defines the target. This is a baseline.

1. A sentence is about the target if it names the target. So is the next sentence, if it continues with a pronoun. "Sir
   John Hale" may be named without the title, with other names or initials between, by initials ("J. R. Hale"), or in
   the order of a reference book ("Hale, John Rigby, Sir"); by the last name alone in texts that give more of it.
2. The score of a sentence is the strength of the strongest pattern that it shows (`PATTERNS`: copula, apposition,
   "known as", dates, roles), plus a little for its BM25 score (bm25s) for the target's words, and for words that other
   sentences about the target share.
3. Whole sentences are taken in falling order of their scores while they fit the length; near-repeats are left out.
4. The sentences taken are put in reading order: what the target is, when it lived, what it did, the rest.

The confidence is $1 - \prod_s (1 - p_s)$ over the defining sentences taken, with p the strengths of their patterns. It
ranks responses; it is not a probability.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from nescio.errors import FormatError, UsageError, opt
from nescio.formats import open_source
from nescio.sources.json_lines import json_lines
from nescio.sources.source import LINES
from nescio.sources.writing import write_text
from nescio.tables.collection import identifier
from nescio.tasks.nuggets.scoring import Response, Run, length
from nescio.tasks.reading.names import FIRST_NAMES
from nescio.text import content_stems, sentences, stems, words

DEFINING = 0.5  # the least strength of a pattern that defines
LEAST = 0.3  # Weaker sentences only mention the target.
ALIKE = 0.7  # the share of the shorter sentence's stems that makes it a near-repeat
BM25_WORTH, SHARED_WORTH = 0.2, 0.1
MORE = 0.02  # added for each further kind of pattern
TEXTS = (".txt", ".md")

ROLES = (
    "actor|actress|admiral|architect|artist|astronomer|athlete|author|biologist|botanist|captain|chemist|"
    "composer|curator|dancer|designer|director|doctor|engineer|explorer|founder|general|geologist|"
    "historian|inventor|journalist|judge|king|leader|linguist|mathematician|minister|musician|novelist|"
    "painter|philosopher|photographer|physicist|pilot|poet|politician|president|professor|queen|scientist|"
    "sculptor|singer|surgeon|surveyor|teacher|writer"
)
DEEDS = (
    "built|carved|catalogued|collected|commanded|composed|created|designed|directed|discovered|"
    "established|explored|founded|introduced|invented|led|painted|played|published|taught|translated|won|"
    "wrote"
)


class Pattern(Struct, frozen=True):
    """A pattern by which sentences define a target, such as "@ is a".

    In `expression`, a regular expression, @ is replaced by the target. `group` orders the sentences of a response.
    """

    name: str
    strength: float
    group: int
    expression: str


_ASIDE = r"(?:\s*\([^)]*\)|\s*,[^,.]*,)?"
_LINK = r"(?:is|was|are|were)"
_BEGAN = rf"(?:born|died|{_LINK} (?:born|founded|invented|built|established|opened))"
PATTERNS = (
    Pattern("copula", 0.9, 0, rf"^(?:the |an? )?@{_ASIDE} {_LINK} (?:an?|the|one of|the name)\b"),
    Pattern("apposition", 0.8, 0, r"@, (?:an?|the|one of|whose|the only)\b[^,.]{3,80}[,.]"),
    Pattern("known as", 0.8, 0, r"@,? (?:\w+ )?(?:known as|called|nicknamed|named after|named for)\b"),
    Pattern("known as", 0.7, 0, r"(?:known as|called|nicknamed|named) (?:the |an? )?@"),
    Pattern("dates", 0.7, 1, r"@ \([^)]*\d{3,4}[^)]*\)"),
    Pattern("dates", 0.7, 1, rf"^(?:the |an? )?@ {_BEGAN}\b"),
    Pattern("roles", 0.6, 2, rf"\b(?:{ROLES}) @"),
    Pattern("roles", 0.55, 2, rf"^@ (?:\w+ly )?(?:{DEEDS})\b"),
    Pattern("subject", 0.35, 3, r"^(?:the |an? )?@(?:'s)? "),
)
PRONOUN = r"(?:he|she|it|they)"
AFTERWARDS = (
    Pattern("copula", 0.5, 0, rf"^{PRONOUN} {_LINK} (?:an?|the|one of) "),
    Pattern("dates", 0.5, 1, rf"^{PRONOUN} {_BEGAN}\b"),
    Pattern("roles", 0.45, 2, rf"^{PRONOUN} (?:{_LINK} )?(?:given|{DEEDS})\b"),
    Pattern("subject", LEAST, 3, r"^(?:its|his|her|their) \w+ "),
)


class Text(Struct, frozen=True):
    """A text with its name, split into sentences."""

    name: str
    sentences: tuple[str, ...]


class _Candidate(Struct, frozen=True):
    """A sentence about the target: its document, its place there, its strongest pattern, and its score `worth`."""

    text: str
    document: str
    place: tuple[int, int]
    pattern: Pattern
    worth: float


def subject(question: str) -> str:
    """Return the target of a definition question: "Who was Ada Lovelace?" asks for "Ada Lovelace"."""
    bare = " ".join(question.split()).rstrip("?.! ")
    match = re.match(r"(?:who|what)(?:'s|\s+(?:is|was|are|were))\s+(?:(?:an?|the)\s+)?(.+)", bare, re.IGNORECASE)
    return match[1] if match else bare


_TITLES = (
    "sir|dame|lord|lady|mr|mrs|ms|miss|dr|prof|professor|st|saint|king|queen|prince|princess|pope|president|general"
    "|captain|count|baron|duke|rev|reverend|father|sister"
)


def _person(question: str) -> tuple[str, tuple[str, ...]]:
    """Return a person's last name, and regular expressions for the forms in which texts may write the name.

    Both are empty if the question does not ask for a person. It asks for a person if it begins with "who", or if its
    target is written as "Lovelace, Ada", or begins with a title, an initial or a known first name. The forms also allow
    that order, further names in between, and initials in place of names.
    """
    target = subject(question)
    head, comma, rest = target.partition(",")
    named = f"{rest.split(',')[0]} {head}".strip()
    untitled = re.sub(rf"^(?:(?:{_TITLES})\b\.?\s*)+", "", named, flags=re.IGNORECASE)
    given, _, last = re.sub(r"\.(?=\w)", ". ", untitled).rpartition(" ")
    known = comma or untitled != named or given[1:2] == "." or given.split(" ")[0].lower() in FIRST_NAMES
    if not given[:1].isalpha() or not last[:1].isalpha() or not (known or question.lower().startswith("who")):
        return "", ()
    title, (first, *others) = rf"(?:(?i:{_TITLES})\.?\s+)*", map(_given, given.split())
    whole = first + "".join(rf"(?:\s?{name})?" for name in others) + r"(?:\s?[A-Z][\w'-]*\.?){0,2}?"
    surname = f"(?:{re.escape(last)}|{re.escape(last.upper())})"
    forms = (rf"{title}{whole}\s?{surname}", rf"{surname},\s+{whole}(?:,\s+(?i:{_TITLES})\b\.?)?")
    return last, tuple(f"(?-i:{form})" for form in forms)


def _given(name: str) -> str:
    """Return a regular expression for a person's first name or for its initial.

    An initial such as "A." matches any name that begins with it, and a full name matches its initial too.
    """
    initial = re.escape(name[0].upper())
    return rf"{initial}(?:\.|[\w'-]+)" if len(name.rstrip(".")) == 1 else rf"(?:{re.escape(name)}|{initial}\.)"


def _names(question: str, text: Text) -> str:
    """Return a regular expression for the names by which a text calls the target of a question.

    The names are the target itself, its plural, and other forms of a person's name. The last name alone, or after a
    title, counts only if the text also has a fuller name. After another word it does not count: "Mirela Tosk" is not
    "Anna Tosk".
    """
    target, (last, forms) = subject(question), _person(question)
    used = [re.escape(target), *([] if target[-1] == "s" else [re.escape(target) + "s"])]
    used += forms
    if last and re.search(rf"\b(?:{'|'.join(used)})\b", " ".join(text.sentences), re.IGNORECASE):
        alone = rf"(?-i:{re.escape(last)})"
        used += [rf"(?:(?i:{_TITLES})\.?\s+){alone}", rf"(?<!\w ){alone}"]
    return f"(?:{'|'.join(sorted(used, key=len, reverse=True))})"


def _pattern(sentence: str, patterns: Sequence[Pattern], name: str = "") -> Pattern | None:
    """Return the strongest pattern that a sentence matches, or None; `name` is a regular expression for the target.

    The strength of the pattern is increased slightly for each further defining pattern that the sentence matches.
    """
    matching = [p for p in patterns if re.search(p.expression.replace("@", name), sentence, re.IGNORECASE)]
    if not matching:
        return None
    best = max(matching, key=lambda p: p.strength)
    others = {p.name for p in matching if p.strength >= DEFINING} - {best.name}
    return replace(best, strength=round(min(0.95, best.strength + MORE * len(others)), 9))


_MENTION = Pattern("mention", 0.15, 3, "")


def _about(question: str, texts: Sequence[Text]) -> list[tuple[tuple[int, int], str, Pattern]]:
    """Return the sentences about the target of a question, each with its place, its text and its strongest pattern.

    They are the sentences that name the target, or refer to it with a pronoun.
    """
    mentions = []
    for number, text in enumerate(texts):
        name, before = _names(question, text), False
        for place, sentence in enumerate(text.sentences):
            pattern: Pattern | None
            if re.search(rf"\b{name}\b", sentence, re.IGNORECASE):
                pattern = _pattern(sentence, PATTERNS, name) or _MENTION
            else:
                pattern = _pattern(sentence, AFTERWARDS) if before else None
            if pattern:
                mentions.append(((number, place), sentence, pattern))
            before = pattern is not None and pattern is not _MENTION
    return mentions


def _bm25(texts: Sequence[Text], query: str) -> dict[tuple[int, int], float]:
    """Return the BM25 score of each sentence for the query, divided by the largest one.

    Scores are keyed by the place of the sentence. All are 0 if no sentence has a word of the query.
    """
    try:
        import bm25s
    except ImportError:
        raise UsageError("answering needs a library that is not installed: pip install 'nescio[systems]'") from None
    places = [(i, j) for i, text in enumerate(texts) for j in range(len(text.sentences))]
    tokens = [stems(texts[i].sentences[j]) or [""] for i, j in places]
    known = {token for sentence in tokens for token in sentence}
    terms = [token for token in dict.fromkeys(stems(query)) if token in known]
    if not terms:
        return dict.fromkeys(places, 0.0)
    index = bm25s.BM25()
    index.index(tokens, show_progress=False)
    scores = [float(score) for score in index.get_scores(terms)]
    most = max(scores)
    return {place: score / most if most > 0 else 0.0 for place, score in zip(places, scores, strict=True)}


def _ranked(question: str, texts: Sequence[Text]) -> list[_Candidate]:
    about, target = _about(question, texts), subject(question)
    if not about:
        return []
    bm25 = _bm25(texts, target)
    target_stems = set(content_stems(target))
    shared = Counter(s for _, sentence, _ in about for s in set(content_stems(sentence)) - target_stems)
    candidates = []
    for place, sentence, pattern in about:
        stems = set(content_stems(sentence)) - target_stems
        common = sum(shared[s] > 1 for s in stems) / max(1, len(stems))
        worth = round(pattern.strength + BM25_WORTH * bm25[place] + SHARED_WORTH * common, 9)
        candidates.append(_Candidate(sentence, texts[place[0]].name, place, pattern, worth))
    return sorted(candidates, key=lambda candidate: (-candidate.worth, candidate.place))


def _repeats(sentence: str, taken: Sequence[_Candidate]) -> bool:
    sentence_stems = set(content_stems(sentence))
    others = (set(content_stems(other.text)) for other in taken)
    return any(len(sentence_stems & other) >= ALIKE * max(1, min(len(sentence_stems), len(other))) for other in others)


def respond(target_id: str, question: str, texts: Sequence[Text], *, most: int, threshold: float) -> Response:
    """Return the response to one target, of at most `most` non-white characters, from sentences of the texts.

    The response is an abstention if its confidence is below the threshold.
    """
    taken: list[_Candidate] = []
    left = most
    for candidate in _ranked(question, texts):
        size = length([candidate.text])
        if candidate.pattern.strength >= LEAST and size <= left and not _repeats(candidate.text, taken):
            taken.append(candidate)
            left -= size
    strengths = [candidate.pattern.strength for candidate in taken]
    sure = round(1 - math.prod(1 - strength for strength in strengths if strength >= DEFINING), 9)
    if sure < threshold or not taken:
        return Response(target_id, (), sure)
    read = sorted(taken, key=lambda candidate: (candidate.pattern.group, -candidate.pattern.strength, candidate.place))
    return Response(target_id, tuple(e.text for e in read), sure, tuple(e.document for e in read))


def answer(
    targets: Mapping[str, str], texts: Sequence[Text], name: str, *, length: int = 600, threshold: float = 0.5
) -> Run:
    """Return a run that responds to all targets; `targets` has their questions, keyed by the targets' ids.

    A response has at most `length` non-white characters. It abstains if its confidence is below `threshold`. Raises
    UsageError for a length below 1 or a threshold outside [0, 1].
    """
    if length < 1:
        raise UsageError(f"{opt('length')} must be 1 or more (found {length})")
    if not 0 <= threshold <= 1:
        raise UsageError(f"threshold must be a number from 0 to 1 (found {threshold!r})")
    responses = {i: respond(i, target, texts, most=length, threshold=threshold) for i, target in targets.items()}
    return Run(name, responses)


def bundled() -> Path:
    """Return the folder of the definition questions that come with the package: `key.jsonl` and `texts/`."""
    return Path(__file__).parent / "targets"


def load_targets(path: Path | str) -> dict[str, str]:
    """Return the questions in a file of JSON Lines with `id` and `target`, keyed by id.

    Raises FormatError with the line of the first invalid row.
    """
    source = open_source(path)
    if source.suffix not in LINES:
        raise FormatError(
            path,
            f"targets must be JSON Lines with id and target, and the name of the file must end in {' or '.join(LINES)}",
        )
    targets: dict[str, str] = {}
    for row, line in json_lines(source):
        name, target = identifier(source, row, line), row.get("target")
        if name in targets:
            raise FormatError(path, "the target appears twice", where=f"line {line}", value=name)
        if not isinstance(target, str) or not words(subject(target)):
            raise FormatError(path, "target must be a text that names something", where=f"line {line}", value=target)
        targets[name] = target
    return targets


def load_texts(folder: Path | str) -> tuple[Text, ...]:
    """Return the texts of a folder (.txt, .md) in the order of their names. Raises FormatError if there are none."""
    folder = Path(folder)
    if not folder.is_dir():
        raise FormatError(folder, "not a folder of texts")
    paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in TEXTS and path.is_file())
    if not paths:
        raise FormatError(folder, f"there are no texts in this folder ({', '.join(TEXTS)})")
    texts = []
    for path in paths:
        try:
            texts.append(Text(path.stem, sentences(path.read_text(encoding="utf-8-sig"))))
        except UnicodeDecodeError:
            raise FormatError(path, "not UTF-8 text; save it as UTF-8") from None
    return tuple(texts)


def write_run(run: Run, path: Path | str) -> None:
    """Write a run as JSON Lines, or in TREC's format, which has no line for an abstention, if the path ends in .txt.

    The file is written completely or not at all.
    """
    path = Path(path)
    lines = _trec(run) if path.suffix.lower() == ".txt" else [json.dumps(row, ensure_ascii=False) for row in _rows(run)]
    write_text(path, "".join(line + "\n" for line in lines))


def _rows(run: Run) -> list[dict[str, object]]:
    return [
        {
            "id": response.target_id,
            "strings": [{"text": t, "doc": d} for t, d in zip(response.strings, response.documents, strict=True)],
            "confidence": response.confidence,
        }
        for response in run.responses.values()
    ]


def _trec(run: Run) -> list[str]:
    tag = "-".join(run.name.split())
    return [
        f"{response.target_id} Q0 {'-'.join((doc or '-').split())} {rank} {response.confidence} {tag} {text}"
        for response in run.responses.values()
        for rank, (text, doc) in enumerate(zip(response.strings, response.documents, strict=True), 1)
    ]
