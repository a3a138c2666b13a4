"""List the techniques: what each computes, the row of the paper's Table 12 that it represents, and what it needs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import get_args

from msgspec import Struct

from nescio.data.notes import note
from nescio.data.results import Results
from nescio.data.signature import sign
from nescio.errors import UnknownNameError, UsageError
from nescio.tasks.ave.exercise import Candidate
from nescio.tasks.ave.hypotheses import Language
from nescio.tasks.ave.validator import (
    _embeddings,
    _entities,
    _frames,
    _lexical,
    _logic,
    _parsing,
    _phrases,
    _resources,
    _senses,
    _syntax,
    _types,
)
from nescio.tasks.ave.validator._case import Case
from nescio.tasks.ave.validator._languages import ENGLISH, KNOWN
from nescio.tasks.ave.validator._lexical import Row
from nescio.tasks.ave.validator._redundancy import Votes, redundant
from nescio.tasks.ave.validator._resources import Resources
from nescio.tasks.ave.validator._rivals import against_rivals
from nescio.text import enumerated

LEXICAL = "Lexical processing"  # This is no row of Table 12: the paper's text says that all participants used it.
STATED = frozenset(get_args(Language))  # languages with rules for hypotheses
REDUNDANCY, REDUNDANCY_ROW = "redundancy", "Redundancy across systems"  # AVE removes redundancy on purpose.
PROOFS, PASSAGES = "proofs", "passages"
RIVALS, RIVAL_ROW = "rivals", "Other questions about the text"  # No validator of 2007 reports using rivals.


Compute = Callable[[Sequence[Candidate], Sequence[Case], Votes, Resources], list[Row]]


class Technique(Struct, frozen=True):
    """A group of features that the user can switch on and off.

    `compute` returns the features of all candidates of a collection. `absent` returns why the technique is unavailable,
    or None if it is available. `row` names its row in Table 12.
    """

    name: str
    row: str
    compute: Compute
    absent: Callable[[Resources], str | None] = lambda _: None
    also: tuple[str, ...] = ()  # other rows that it represents
    # codes of the languages that it supports; None: it reads no words
    spoken: frozenset[str] | None = frozenset((ENGLISH,))
    parsed: bool = False  # whether it needs parses of the texts
    outside: bool = False  # whether it needs a resource outside this project: WordNet, a model, a parser, a prover


def _each(compute: Callable[[Case, Resources], Row]) -> Compute:
    return lambda _, cases, votes, resources: [compute(case, resources) for case in cases]  # noqa: ARG005


def _plain(
    name: str, row: str, compute: Callable[[Case], Row], spoken: frozenset[str] = frozenset((ENGLISH,))
) -> Technique:
    return Technique(name, row, _each(lambda case, _: compute(case)), spoken=spoken)


def _tagged(compute: Callable[[Case, Resources, str | None], Row]) -> Compute:
    """Wrap `compute`, which handles one candidate, into a function for all candidates.

    `compute` receives the name of the parser, or None if no parser is available.
    """

    def all_rows(_: object, cases: Sequence[Case], __: object, resources: Resources) -> list[Row]:
        parser = None if _parsing.absent(resources.parser) else resources.parser
        if parser is not None:  # Parsing all texts at once is faster.
            _parsing.parse(parser, [words.text for case in cases for words in (case.question, case.text)])
        return [compute(case, resources, parser) for case in cases]

    return all_rows


def _parsed(name: str, row: str, compute: Callable[[Sequence[Case], str], list[Row]], *also: str) -> Technique:
    """Return a technique that needs parsed texts; `also` names further rows of Table 12 that it represents."""

    def all_rows(_: object, cases: Sequence[Case], __: object, resources: Resources) -> list[Row]:
        return compute(cases, str(resources.parser))

    return Technique(
        name, row, all_rows, lambda resources: _parsing.absent(resources.parser), also, parsed=True, outside=True
    )


def _proofs(_: object, cases: Sequence[Case], __: object, resources: Resources) -> list[Row]:
    return _logic.proofs(cases, str(resources.parser), resources.prover)


def _prover_absent(resources: Resources) -> str | None:
    return _parsing.absent(resources.parser) or _logic.absent(resources.prover)


TECHNIQUES = {
    each.name: each
    for each in (
        _plain("lexical", LEXICAL, _lexical.lexical, KNOWN),
        _plain("proximity", LEXICAL, _lexical.proximity, KNOWN),
        _plain("ngrams", "n-grams, longest common subsequences", _lexical.ngrams, KNOWN),
        _plain("hypothesis", "Generates hypotheses", _phrases.hypothesis, STATED),
        _plain("phrases", "Phrase transformations", _phrases.phrases),
        _plain("chunks", "Chunking", _phrases.chunks),
        _plain("names", "NER", _types.names),
        Technique("classes", "NER", _tagged(lambda case, _, parser: _entities.classes(case, parser))),
        Technique(
            "numbers",
            "Num. expressions",
            _each(lambda case, _: _types.numbers(case)),
            _resources.numbers_absent,
            spoken=KNOWN,
        ),
        _plain("times", "Temp. expressions", _types.times, KNOWN),
        _plain("references", "Coreference resolution", _lexical.references),
        Technique(
            "coreference",
            "Coreference resolution",
            _tagged(lambda case, _, parser: _entities.coreference(case, parser)),
        ),
        _plain("meaning", "Semantic similarity", _lexical.similar),
        Technique("wordnet", "Wordnet", _each(_resources.wordnet), _resources.wordnet_absent, outside=True),
        Technique(
            "senses",
            "Word-sense disambiguation",
            _tagged(lambda case, resources, parser: _senses.senses(case, resources.folder, parser)),
            _resources.wordnet_absent,
            outside=True,
        ),
        Technique(
            "embeddings",
            "Semantic similarity",
            _each(_embeddings.embeddings),
            _resources.embeddings_absent,
            spoken=None,
            outside=True,
        ),
        Technique(
            PASSAGES,
            "Semantic similarity",
            lambda _, cases, __, ___: _resources.passages(cases),
            _resources.passages_absent,
            spoken=None,
            outside=True,
        ),
        _parsed("speech", LEXICAL, _syntax.speech),
        _parsed("constituents", "Chunking", _syntax.constituents),
        _parsed("syntax", "Syntactic similarity", _syntax.dependencies, "Dependency analysis"),
        _parsed("functions", "Functions (sub, obj, etc)", _syntax.functions),
        _parsed("transformations", "Syntactic transformations", _frames.transformations),
        _parsed("frames", "Semantic parsing", _frames.meaning),
        _parsed("roles", "Semantic role labeling", _frames.roles),
        _parsed("formulas", "First order logic representation", _logic.formulas),
        Technique(PROOFS, "Theorem prover", _proofs, _prover_absent, parsed=True, outside=True),
        Technique(RIVALS, RIVAL_ROW, lambda candidates, cases, _, __: against_rivals(candidates, cases), spoken=KNOWN),
        Technique(
            REDUNDANCY, REDUNDANCY_ROW, lambda candidates, _, votes, __: redundant(candidates, votes), spoken=None
        ),
    )
}
PARSED = frozenset(name for name, each in TECHNIQUES.items() if each.parsed)
TAGGED = frozenset(("classes", "coreference", "senses"))  # These use a parse if there is one.
OWN = tuple(name for name, each in TECHNIQUES.items() if not each.outside and name != REDUNDANCY)

PARTICIPANTS = (
    "adiftene",
    "tellez",
    "rodrigo",
    "iglockner_1",
    "iglockner_2",
    "jsaias",
    "ltqa",
    "magc",
    "ofe",
    "text_mess",
)
TABLE_12: dict[str, str] = {  # rows in the paper's order; an x for each of its ten columns
    "Generates hypotheses": "xx.xx...xx",
    "Wordnet": "x..xx.....",
    "Chunking": ".x...x.x..",
    "n-grams, longest common subsequences": ".x....xxxx",
    "Phrase transformations": "xx........",
    "NER": "xxx....x.x",
    "Num. expressions": "xxx.xx...x",
    "Temp. expressions": "..x.xx...x",
    "Coreference resolution": "...xx.....",
    "Dependency analysis": "x.....x.x.",
    "Syntactic similarity": "xx....x.x.",
    "Functions (sub, obj, etc)": "x....xx...",
    "Syntactic transformations": "x.........",
    "Word-sense disambiguation": "...xx.....",
    "Semantic parsing": "x..xxx....",
    "Semantic role labeling": "...xx.....",
    "First order logic representation": "...xxx....",
    "Theorem prover": "...xxx....",
    "Semantic similarity": "x....x....",
}
_REMARKS = {
    "names": "by their shape, and the expected type of the answer",
    "classes": "persons and places, by the parser, or without one by lists and by the words around a name",
    "references": "pronouns in the text, unresolved",
    "coreference": "pronouns are resolved to the nearest name before, with a parser by number and gender",
    "speech": "which nouns, names and verbs of the statement the text has as the same part of speech",
    "constituents": "by the parser: whether the answer is a whole constituent of its text",
    "syntax": "dependencies that statement and text share, with and without their relations",
    "functions": "whether the answer has the same function and governor in text and statement",
    "transformations": "passives, appositions, relative clauses and nouns of verbs read as one frame",
    "frames": "frames of statement and text, filler by filler",
    "roles": "by rules over the parse: what the answer does in its text and in the statement",
    "senses": "extended Lesk over WordNet's glosses, by part of speech where there is a parser",
    "formulas": "flat formulas of statement and text with negation, condition and quantifier, atom by atom",
    PROOFS: "the least that is given up so that E proves the statement from the text",
    "meaning": "a small lexicon of synonyms, opposites and negations",
    "embeddings": "of whole texts, and word by word",
    PASSAGES: "of whole texts, in about a hundred languages",
    "chunks": "how the answer is cut out of its text",
    RIVALS: "nescio's own: which of two questions about one text it answers better",
    REDUNDANCY: "AVE removes this clue; only with --redundancy",
}


class Row12(Struct, frozen=True):
    """A row of Table 12, which lists the techniques of the participants of 2007, and nescio's technique for it.

    `in_2007` has an x for each of the `PARTICIPANTS` that used it, in their order. `use` is "yes" or "skipped".
    """

    technique: str
    in_2007: str
    here: str
    use: str
    why: str | None


def missing(technique: Technique, resources: Resources, languages: Collection[str] = ()) -> str | None:
    """Return why a technique is unavailable for questions in `languages` (codes), or None if it is available."""
    why = technique.absent(resources)
    unspoken = sorted({*languages} - (technique.spoken or {*languages}))
    return why if why or not unspoken else f"no support for {enumerated([code.upper() for code in unspoken])}"


def preset(participant: str) -> tuple[str, ...]:
    """Return the names of the lexical techniques, and of the techniques that a participant of 2007 used by Table 12."""
    column = PARTICIPANTS.index(participant)
    used = {LEXICAL, *(row for row, marks in TABLE_12.items() if marks[column] == "x")}
    return tuple(name for name, each in TECHNIQUES.items() if used & {each.row, *each.also})


def named(only: Collection[str]) -> frozenset[str]:
    """Return the techniques in `only`, where the name of a participant of 2007 means all techniques that it used.

    All techniques are returned if `only` is empty.
    """
    for name in only:
        if name not in TECHNIQUES and name not in PARTICIPANTS:
            raise UnknownNameError("technique", name, (*TECHNIQUES, *PARTICIPANTS))
    techniques = {each for name in only for each in (preset(name) if name in PARTICIPANTS else (name,))}
    return frozenset(techniques or TECHNIQUES)


def chosen(
    resources: Resources,
    without: Collection[str] = (),
    *,
    only: Collection[str] = (),
    redundancy: bool = False,
    languages: Collection[str] = (),
) -> tuple[str, ...]:
    """Return the techniques to use: those that are available, named in `only`, and not named in `without`.

    If `only` is empty, all are named. The technique "redundancy" is used only if `redundancy` is true. A technique must
    support all `languages`. Raises UnknownNameError for an unknown name, UsageError if no technique is left.
    """
    for name in without:
        if name not in TECHNIQUES:
            raise UnknownNameError("technique", name, TECHNIQUES)
    names = tuple(
        name
        for name, technique in TECHNIQUES.items()
        if name not in without
        and name in named(only)
        and (redundancy or name != REDUNDANCY)
        and missing(technique, resources, languages) is None
    )
    if not names:
        absent = {name: missing(TECHNIQUES[name], resources, languages) for name in sorted(named(only) - {*without})}
        why = "; ".join(f"{name}: {reason}" for name, reason in absent.items() if reason)
        raise UsageError(f"no technique can be used ({why})" if only and why else "every technique is switched off")
    return names


def check(names: Sequence[str], resources: Resources) -> None:
    """Raise UsageError if one of a model's techniques, given by `names`, is unavailable."""
    for name in names:
        if name not in TECHNIQUES:
            raise UnknownNameError("technique", name, TECHNIQUES)
        if (why := TECHNIQUES[name].absent(resources)) is not None:
            raise UsageError(f"the model was trained with {name}, which is not available: {why}")


def versions(names: Sequence[str], resources: Resources) -> dict[str, str]:
    """Return the names and versions of the parser, the prover and the passage model that the named techniques use."""
    version_of = {}
    if PARSED & {*names} or (TAGGED & {*names} and _parsing.absent(resources.parser) is None):
        version_of["parser"] = _parsing.version(str(resources.parser))
    if PASSAGES in names:
        version_of["embeddings"] = _resources.passages_model()
    if PROOFS in names:
        version_of["prover"] = _logic.version(resources.prover)
    return version_of


def table12(resources: Resources | None = None) -> Results:
    """Return the rows of Table 12 and nescio's own techniques, each with whether it is used, and if not, why."""
    resources = resources or Resources()
    rows = []
    by_row: dict[str, list[Technique]] = {}
    for technique in TECHNIQUES.values():
        for row in (technique.row, *technique.also):
            by_row.setdefault(row, []).append(technique)
    for name in (*TABLE_12, *(row for row in by_row if row not in TABLE_12)):
        marks = TABLE_12.get(name, ("x" if name == LEXICAL else ".") * len(PARTICIPANTS))
        rows += [Row12(name, marks, technique.name, *_use(technique, resources)) for technique in by_row[name]]
    order = note(
        "validator.participants", "in_2007 has a mark per system, in this order: {systems:list}", systems=PARTICIPANTS
    )
    return Results(tuple(rows), sign(ave="table12"), (order,), "techniques")


def _use(technique: Technique, resources: Resources) -> tuple[str, str | None]:
    if technique.name == REDUNDANCY:
        return "skipped", _REMARKS[technique.name]
    why = technique.absent(resources)
    return ("yes", _REMARKS.get(technique.name)) if why is None else ("skipped", why)
