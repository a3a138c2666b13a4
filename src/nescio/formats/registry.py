"""The contract of a format, the registries of readers and writers, and the results of reading and writing.

A format is one module or folder. `known.py` has the keys of its files, so the module is imported only for files with
these keys. Its `recognise`, or its shapes alone, return the role of such a file ("table", "gold", "answers") or None.
Its reader takes all given files of the format together. A writer turns data of any format into files that this format's
reader reads. A plug-in declares its keys, if any, when it registers its reader.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from nescio import plugins
from nescio.data.columns import Array
from nescio.data.evidence import Evidence, Tally
from nescio.data.judge_record import JudgeRecord
from nescio.data.model import Collection, Run
from nescio.data.notes import Note
from nescio.data.outcomes import MEANINGS, NonAnswers, Outcomes
from nescio.data.reasons import NoAnswer
from nescio.errors import opt
from nescio.formats.known import READERS
from nescio.formats.known import WRITERS as KNOWN_WRITERS
from nescio.formats.shapes import Shapes, fitting, recogniser
from nescio.registry import Registry
from nescio.sources.patterns import whole_matcher
from nescio.sources.source import Source
from nescio.tables.lexicon import roles_of


class Unjudged(Struct, frozen=True):
    """A collection of questions, and runs whose answers nobody has judged yet; `files` has the file of each run.

    `extra_columns` holds graded scores that the files themselves state: arrays of shape (runs, questions), keyed by
    name. `unused` has notes on other useful data in the files that judging does not use; `nescio check` prints them.
    `judge` is the benchmark's official judge, if it defines one. `no_answer` says how empty and unparsed answers count.
    """

    collection: Collection
    runs: tuple[Run, ...]
    files: tuple[str, ...] = ()
    extra_columns: Mapping[str, Array] = field(default_factory=dict)
    unused: tuple[Note, ...] = ()
    judge: str | None = None
    no_answer: NoAnswer = NoAnswer()


# the most texts whose match is cached, and the length from which on a text is not cached
_MOST_KNOWN, _LONG = 1 << 15, 400
Label = TypeVar("Label")
Data = Outcomes | Tally | Evidence | Unjudged


class Declined:
    """The patterns of words that mean "I do not know", and counts of their matches. A pattern must match a whole text.

    `reads` is a function that returns whether a text reads like an abstention, even if no pattern was given. `wrong`
    holds the texts of wrong answers that no pattern matched, keyed by file, because some may read like an abstention.
    `worded` counts the texts that became abstentions because they decline in words.
    """

    def __init__(self, patterns: Sequence[str] = (), reads: Callable[[str], bool] = lambda _: False) -> None:
        self.matched: Counter[str] = Counter()
        self.worded: Counter[str] = Counter()
        self.reads = reads
        self.wrong: dict[str, Counter[str]] = {}
        self._known: dict[str, bool] = {}
        self._matchers = [whole_matcher(opt("declined_pattern"), pattern) for pattern in patterns]

    @property
    def asked(self) -> bool:
        """Return whether the user gave any patterns."""
        return bool(self._matchers)

    def fits(self, text: str) -> bool:
        """Return whether a pattern matches a whole text, without white space at its ends."""
        stripped = text.strip()
        is_match = self._known.get(stripped)
        if is_match is None:
            is_match = any(matches(stripped) for matches in self._matchers)
            if len(self._known) < _MOST_KNOWN and len(stripped) < _LONG:
                self._known[stripped] = is_match
        return is_match

    def matches(self, text: str | None) -> bool:
        """Return whether a pattern matches an answer, and count the match. No pattern matches an answer that is
        None."""
        if not text or not self.fits(text):
            return False
        self.matched[text.strip()] += 1
        return True


class Choices(Mapping[str, str]):
    """The values of `--choose NAME=VALUE`, keyed by NAME.

    `asked` records each name that a reader looked up, whether the user gave it or not. A name that no reader looked up
    is an error of the user.
    """

    def __init__(self, chosen: Mapping[str, str]) -> None:
        self._given = dict(chosen)
        self.asked: dict[str, None] = {}

    def __getitem__(self, name: str) -> str:
        self.asked[name] = None
        return self._given[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)


def _no_judge(_: Unjudged) -> Outcomes:
    raise NotImplementedError


class ReadOptions(Struct, frozen=True):
    """The options of a reader.

    `outcome_map` translates words into outcomes. `strata` names the columns to keep as strata (None: all suitable
    columns), and `graded` the graded scores that a measure needs; `scores_alone` says that no measure needs more.
    `choose` has the values of `--choose`. `declined` has the words that mean "I do not know". `gold` says whether
    questions must have gold answers; they need none if people judge, or if a system is to answer them. `texts` says
    whether to keep the texts of questions and answers, which only people read. If `supports` is false, a reader may
    leave out the evidence for answers, which fills most of many files. `people` names the columns with people's
    verdicts, which have no other role. `certain` says that the user named the format, and `judging` that the answers
    must stay unjudged. `worths` are the scores that the user gave to words, and `told` the names of the reading options
    that the user set. `judged` is the function that judges answers. `written` says that the answers will be written to
    a file, which must keep what gates ask (`data/kept.py`).
    """

    outcome_map: Mapping[str, str] = field(default_factory=dict)
    strata: tuple[str, ...] | None = None
    graded: tuple[str, ...] = ()
    choose: Mapping[str, str] = field(default_factory=dict)
    declined: Declined = field(default_factory=Declined)
    gold: bool = True
    certain: bool = False
    judging: bool = False
    texts: bool = False
    supports: bool = True
    column: Mapping[str, str] = field(default_factory=dict)
    duplicates: str = "error"
    declined_right: str | None = None
    refusals: str | None = None
    worths: Mapping[str, float] = field(default_factory=dict)
    total: int | None = None
    rest: str | None = None
    no_answer: NoAnswer = NoAnswer()
    judge: str | None = None
    told: frozenset[str] = frozenset()
    judged: Callable[[Unjudged], Outcomes] = _no_judge
    people: frozenset[str] = frozenset()
    written: bool = False
    scores_alone: bool = False

    def with_more(self, more: Mapping[str, Any]) -> ReadOptions:
        """Return these options updated with more reading options, keyed by name."""
        known = {
            name: value
            for name, value in more.items()
            if name in ("duplicates", "declined_right", "refusals", "total", "rest", "judge")
        }
        if "outcome_map" in more:
            meant = more["outcome_map"]
            known["outcome_map"] = {**self.outcome_map, **{word: to for word, to in meant.items() if to in MEANINGS}}
            known["worths"] = {**self.worths, **{word: float(to) for word, to in meant.items() if to not in MEANINGS}}
        settled = {name: more[name] for name in ("empty", "unparsed") if name in more}
        if settled:
            known["no_answer"] = replace(self.no_answer, **settled)
        return replace(self, told=self.told | {*more}, **known)

    def kept(self, labels: Mapping[str, Label]) -> dict[str, Label]:
        """Return those of a question's labels that become strata: all, or the ones that the user named."""
        return {name: label for name, label in labels.items() if self.strata is None or name in self.strata}


class ReadResult(Struct, frozen=True):
    """The result of a reader: data, notes for the user, and the measures that users of the format expect first.

    `judges` records who judged, if the reader knows it or ran a judge itself; the data may also name the judge of each
    run. `in_words` has outcomes with texts, if texts were wanted but the data are only scores. `beside` is a function
    that adds runs of another format that answer the same questions. `silence` has the non-answers that counts leave out
    or take for silence; those of `Outcomes` are in the data. The pipeline fills in the other fields: the format,
    whether nescio judged, and the judged questions and answers.
    """

    data: Data
    notes: tuple[Note, ...] = ()
    measures: tuple[str, ...] = ()
    judges: tuple[JudgeRecord, ...] = ()
    format: str = ""
    about: str = ""
    judged_here: bool = False
    texts: Unjudged | None = None
    in_words: Outcomes | None = None
    beside: Callable[[ReadResult, Evidence], ReadResult] | None = None
    silence: tuple[NonAnswers, ...] = ()


SourceRole = tuple[str, Source]


def by_role(parts: Iterable[SourceRole]) -> dict[str, list[Source]]:
    """Return the files keyed by role. A role without files gives an empty list."""
    sources: dict[str, list[Source]] = defaultdict(list)
    for part, source in parts:
        sources[part].append(source)
    return sources


Recognise = Callable[[Source], str | None]
Reader = Callable[[Sequence[SourceRole], ReadOptions], ReadResult]
Describe = Callable[[Sequence[SourceRole]], str]
CollectionReader = Callable[[Sequence[SourceRole], ReadOptions], tuple[Collection, tuple[Note, ...]]]


class Format(Struct, frozen=True):
    """A registered format; `about` says in one line what files of the format hold, for messages and help.

    `collection` is a function that reads only the questions, with notes on them, for systems to answer. `text` marks a
    format whose text files are recognised by their first line. A `fallback` takes only files that no other format
    takes. `columns` are the names that `--column` may give to its columns. A format that `streams` reads a large
    document piece by piece, and recognises it by its first bytes. `describe` is a function that returns a description
    of files that cannot be read without further files, or "".
    """

    name: str
    about: str
    recognise: Recognise
    read: Reader
    collection: CollectionReader | None = None
    text: bool = False
    fallback: bool = False
    describe: Describe = lambda parts: ""  # noqa: ARG005
    columns: tuple[str, ...] = ()
    streams: bool = False


REGISTRY: Registry[Format] = Registry("format", {name: f"nescio.{entry.module}" for name, entry in READERS.items()})
TABLES = ("delimited", "lines", "parquet", "table")  # the kinds of sources that are tables
SHAPES: dict[str, Shapes] = {name: entry.shapes for name, entry in READERS.items()}
FILES: dict[str, tuple[str, ...]] = {name: entry.files for name, entry in READERS.items() if entry.files}
plugins.TABLES += [(SHAPES, READERS), (FILES, READERS)]


def reader(
    name: str,
    *,
    about: str,
    recognise: Recognise | None = None,
    shapes: Shapes | None = None,
    collection: CollectionReader | None = None,
    text: bool = False,
    fallback: bool = False,
    describe: Describe = lambda parts: "",  # noqa: ARG005
    columns: tuple[str, ...] = (),
    files: tuple[str, ...] = (),
    streams: bool = False,
) -> Callable[[Reader], Reader]:
    """Register the decorated function as the reader of a format. Raises ValueError for a name that is taken.

    A plug-in declares here what `known.py` declares for nescio's own formats. `shapes` are the keys that identify files
    of the format, keyed by the role of a file (`shapes.py`). `files` are patterns of file names in a folder.
    `recognise` is a function that returns a file's role, if keys are not enough to determine it.
    """

    def register(read: Reader) -> Reader:
        format_shapes = SHAPES.get(name, {}) if name in READERS else shapes or {}
        more = (collection, text, fallback, describe, columns, streams)
        REGISTRY.add(name, Format(name, about, recognise or recogniser(format_shapes), read, *more))
        if name not in READERS:
            SHAPES[name] = format_shapes
            FILES.update({name: files} if files else {})
        return read

    return register


def candidate_formats(source: Source) -> list[Format]:
    """Return the formats, also those of plug-ins, that may read a file because its kind and its keys fit."""
    plugins.load_installed()
    return [REGISTRY[name] for name in fitting(SHAPES, source)]


def matching_formats(source: Source) -> list[Format]:
    """Return the formats that recognise a file; if none does, the fallback formats."""
    candidates = candidate_formats(source)
    recognised = [format_ for format_ in candidates if not format_.fallback and format_.recognise(source)]
    if recognised and _names_runs_and_verdicts(source):
        recognised = [
            format_ for format_ in recognised if not format_.read.__module__.startswith("nescio.formats.logs.")
        ]
    return recognised or [format_ for format_ in candidates if format_.fallback and format_.recognise(source)]


def _names_runs_and_verdicts(source: Source) -> bool:
    """Return whether the rows of a table have a verdict and also name the run, or say who abstained.

    Such a table is not from a tool whose rows have a verdict: those tools write one run per file, and no abstentions.
    """
    roles = {role for name in source.columns if name for role in roles_of(name)}
    listed = source.kind in TABLES or isinstance(source.document, list)
    questions, others = {"question", "row", "text"}, {"run", "abstained", "answered"}
    return listed and bool(roles & {"outcome", "wrong"} and roles & questions and roles & others)


def is_streamed(source: Source) -> bool:
    """Return whether a format with `streams` recognises this document by its first bytes."""
    return any(format_.streams and format_.recognise(source) for format_ in candidate_formats(source))


class WriteResult(Struct, frozen=True):
    """The result of a writer.

    `what` describes what was written, such as "12 outcomes of 1 run". `notes` are on data that the format cannot hold.
    """

    what: str
    notes: tuple[Note, ...] = ()


Write = Callable[..., WriteResult]  # takes the data, a path, and `progress`, if the writer reports it


class Writer(Struct, frozen=True):
    """A registered writer of a format.

    `takes` is the type of data that it writes, Outcomes or Unjudged. `suffixes` are those of the file that it writes;
    empty if it writes a folder. `keeps` says that its files hold what gates ask of a run (`data/kept.py`).
    """

    name: str
    about: str
    takes: type
    write: Write
    suffixes: tuple[str, ...] = ()
    keeps: bool = False


WRITERS: Registry[Writer] = Registry(
    "format to write", {name: f"nescio.{module}" for name, module in KNOWN_WRITERS.items()}
)


def writer(
    name: str, *, about: str, takes: type, suffixes: tuple[str, ...] = (), keeps: bool = False
) -> Callable[[Write], Write]:
    """Return a decorator that registers a function of data and a path as the writer of a format.

    Raises ValueError for a name that is taken. The function must raise MismatchError for data that it cannot write; it
    must write completely or not at all, and invent nothing.
    """

    def register(write: Write) -> Write:
        WRITERS.add(name, Writer(name, about, takes, write, suffixes, keeps))
        return write

    return register
