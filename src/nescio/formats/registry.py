"""The contract of a format, the registries of readers and of writers, and the results of reading and writing.

A format is one file here. `known.py` has the keys of its files, so that it is imported only for files that have them;
its `recognise`, or its shapes alone, say what part such a file plays in it ("table", "gold", "answers") or None; its
reader takes all files of the format that were given together. A writer turns what was read of any format into files
that this format's reader reads. A plug-in gives its keys, or none, where it registers its reader.
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
from nescio.data.outcomes import MEANINGS, Outcomes
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
    """A collection and runs whose answers nobody has judged yet; `files` names the origin of each run.

    `extra_columns` holds graded scores of the format's own, which no judge gives: a column of shape (runs, questions)
    by name. `unused` notes what else the files hold that could be used, and is not where they are judged so: `nescio
    check` says it. `judge` is the one by which the benchmark itself defines what is right, where it does.
    """

    collection: Collection
    runs: tuple[Run, ...]
    files: tuple[str, ...] = ()
    extra_columns: Mapping[str, Array] = field(default_factory=dict)
    unused: tuple[Note, ...] = ()
    judge: str | None = None
    no_answer: NoAnswer = NoAnswer()


_MOST_KNOWN, _LONG = 1 << 15, 400  # texts whose match is kept, and characters from which on it is not
Label = TypeVar("Label")
Data = Outcomes | Tally | Evidence | Unjudged


class Declined:
    """The patterns of words that mean "I do not know", and what they matched: a text that one of them matches whole.

    `reads` says of a text whether it reads like silence, whatever the patterns. `wrong` are the texts of wrong answers
    that no pattern matched, by file: some may read like silence all the same.
    """

    def __init__(self, patterns: Sequence[str] = (), reads: Callable[[str], bool] = lambda _: False) -> None:
        self.matched: Counter[str] = Counter()
        self.reads = reads
        self.wrong: dict[str, Counter[str]] = {}
        self._known: dict[str, bool] = {}
        self._matchers = [whole_matcher(opt("declined_pattern"), pattern) for pattern in patterns]

    @property
    def asked(self) -> bool:
        """Return whether there are any patterns."""
        return bool(self._matchers)

    def fits(self, text: str) -> bool:
        """Return whether a pattern matches a whole text, without white space at its ends."""
        stripped = text.strip()
        found = self._known.get(stripped)
        if found is None:
            found = any(matches(stripped) for matches in self._matchers)
            if len(self._known) < _MOST_KNOWN and len(stripped) < _LONG:
                self._known[stripped] = found
        return found

    def matches(self, text: str | None) -> bool:
        """Return whether an answer, if there is one, fits, and count it if so."""
        if not text or not self.fits(text):
            return False
        self.matched[text.strip()] += 1
        return True


class Choices(Mapping[str, str]):
    """The values of `--choose NAME=VALUE`, by name. `asked` are the names that a reader looked for, whether they were
    given or not."""

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
    """The options of a reader. They are: words for outcomes; the columns to keep as strata (None: all that can be); the
    graded scores that a measure needs; which of several things in a log to `choose`; the words that mean "I do not
    know"; whether questions must hold gold answers (not if people judge, or a system is to answer); and whether the
    `texts` of questions and answers are wanted, which people look at and no number needs. Without `supports` a reader
    may leave out what answers rest on. No judge reads it, and in many runs it is most of the file.
    `people` names the columns with people's verdicts, which are read beside the answers and have no other part."""

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

    def with_more(self, more: Mapping[str, Any]) -> ReadOptions:
        """Return these options with the additional ones of a reading, by the names of the options."""
        own = {
            name: value
            for name, value in more.items()
            if name in ("duplicates", "declined_right", "refusals", "total", "rest", "judge")
        }
        if "outcome_map" in more:
            meant = more["outcome_map"]
            own["outcome_map"] = {**self.outcome_map, **{word: to for word, to in meant.items() if to in MEANINGS}}
            own["worths"] = {**self.worths, **{word: float(to) for word, to in meant.items() if to not in MEANINGS}}
        settled = {name: more[name] for name in ("empty", "unparsed") if name in more}
        if settled:
            own["no_answer"] = replace(self.no_answer, **settled)
        return replace(self, told=self.told | {*more}, **own)

    def kept(self, labels: Mapping[str, Label]) -> dict[str, Label]:
        """Return the labels of a question that are to be strata."""
        return {name: label for name, label in labels.items() if self.strata is None or name in self.strata}


class ReadResult(Struct, frozen=True):
    """The result of a reader: data, notes for the user, and the measures that users of the format expect first.

    `judges` says who judged, where the reader knows it or let something judge (nuggets matched automatically); outcomes
    may name the judge of each run themselves. `in_words` are outcomes whose texts were asked for, where scores alone
    were made of them. `beside` adds runs of another format, which answer the same questions. The rest is the pipeline's
    to fill: what the files are, whether nescio judged, and the questions and answers that were judged.
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


SourceRole = tuple[str, Source]


def by_role(parts: Iterable[SourceRole]) -> dict[str, list[Source]]:
    """Return the files by the parts that they play; a part that none plays is an empty list."""
    sources: dict[str, list[Source]] = defaultdict(list)
    for part, source in parts:
        sources[part].append(source)
    return sources


Recognise = Callable[[Source], str | None]
Reader = Callable[[Sequence[SourceRole], ReadOptions], ReadResult]
Describe = Callable[[Sequence[SourceRole]], str]
CollectionReader = Callable[[Sequence[SourceRole], ReadOptions], tuple[Collection, tuple[Note, ...]]]


class Format(Struct, frozen=True):
    """A registered format: `about` says in one line what it holds, for messages and help.

    `collection` reads the questions alone, and notes on them: what systems answer, and what nescio's own runs are
    scored by. `text` says that it knows text files by their first line; a `fallback` takes only what no other format
    does. `columns` are the names that `--column` may give to its columns. A format that `streams` reads
    a large document piece by piece, and knows it by its first bytes. `describe` says in words what
    files hold that cannot be read without others; "" where there is no more to say.
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


REGISTRY: Registry[Format] = Registry("format", {name: f"nescio.{one.module}" for name, one in READERS.items()})
TABLES = ("delimited", "lines", "parquet", "table")  # kinds of sources that are tables
SHAPES: dict[str, Shapes] = {name: one.shapes for name, one in READERS.items()}
FILES: dict[str, tuple[str, ...]] = {name: one.files for name, one in READERS.items() if one.files}
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
    """Register the decorated function as the reader of a format. A name that is taken raises ValueError.

    What `known.py` has of nescio's own formats, a plug-in says here: `shapes` are the keys by which its files are
    known, by the part that a file plays (`shapes.py`), and `files` their names in a folder that is given in place of
    them, as patterns. `recognise` tells the part where the shapes do not; without any it is asked about every file.
    """

    def register(read: Reader) -> Reader:
        own = SHAPES.get(name, {}) if name in READERS else shapes or {}
        more = (collection, text, fallback, describe, columns, streams)
        REGISTRY.add(name, Format(name, about, recognise or recogniser(own), read, *more))
        if name not in READERS:
            SHAPES[name] = own
            FILES.update({name: files} if files else {})
        return read

    return register


def candidate_formats(source: Source) -> list[Format]:
    """List the formats that may be able to read a file, by its kind and keys; those of plug-ins too."""
    plugins.load_installed()
    return [REGISTRY[name] for name in fitting(SHAPES, source)]


def matching_formats(source: Source) -> list[Format]:
    """Return the formats that a file could be of: those that recognise it, else those that take what no other does."""
    candidates = candidate_formats(source)
    own = [format_ for format_ in candidates if not format_.fallback and format_.recognise(source)]
    if own and _names_runs_and_verdicts(source):
        own = [format_ for format_ in own if not format_.read.__module__.startswith("nescio.formats.logs.")]
    return own or [format_ for format_ in candidates if format_.fallback and format_.recognise(source)]


def _names_runs_and_verdicts(source: Source) -> bool:
    """Return whether rows name a verdict and, beside it, the run or silence. Tools whose rows have a verdict write one
    run a file, and no column for silence."""
    roles = {role for name in source.columns if name for role in roles_of(name)}
    listed = source.kind in TABLES or isinstance(source.document, list)
    questions, others = {"question", "row", "text"}, {"run", "abstained", "answered"}
    return listed and bool(roles & {"outcome", "wrong"} and roles & questions and roles & others)


def is_streamed(source: Source) -> bool:
    """Return whether a format that reads large documents piece by piece knows this one by its outline."""
    return any(format_.streams and format_.recognise(source) for format_ in candidate_formats(source))


class WriteResult(Struct, frozen=True):
    """The result of a writer: a description ("12 outcomes of 1 run"), and notes on what the format cannot hold."""

    what: str
    notes: tuple[Note, ...] = ()


Write = Callable[..., WriteResult]  # of what was read, a path, and `progress` where it says how far it has come


class Writer(Struct, frozen=True):
    """A registered writer: `takes` is Outcomes or Unjudged, `suffixes` are those of the file it writes, none if it
    fills a folder."""

    name: str
    about: str
    takes: type
    write: Write
    suffixes: tuple[str, ...] = ()


WRITERS: Registry[Writer] = Registry(
    "format to write", {name: f"nescio.{module}" for name, module in KNOWN_WRITERS.items()}
)


def writer(name: str, *, about: str, takes: type, suffixes: tuple[str, ...] = ()) -> Callable[[Write], Write]:
    """Register the decorated function of read data and a path as a writer; a name that is taken raises ValueError.

    It raises MismatchError for what it cannot write, writes whole or not at all, and invents nothing.
    """

    def register(write: Write) -> Write:
        WRITERS.add(name, Writer(name, about, takes, write, suffixes))
        return write

    return register
