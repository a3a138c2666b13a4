"""Response files in blocks of `QuestionID:` and `Answer:`, and keys in the same form with alternatives, as used with
CBC's reading tests.

    QuestionID: 1999-W02-5-1                                          a key has the question and alternatives:
    Answer: in Nova Scotia                                            Question: Where is the school located?
                                                                      Answer: Liverpool, Nova Scotia | Canada
                                                                      Difficulty: Moderate
                                                                      Sentences: 2, 5

`Sentences` are those that people accept as an answer (HumSent), counted from 1 as in the paper; an empty line says that
they accept none. A file of blocks with only QuestionID: and Sentences: (NAME.sentences) adds people's lists to a key
that somebody else published. An empty answer is an abstention. Questions about one story (the identifier without its
last number) are resampled together. Each story is a separate file: HEADLINE:, DATE: and STORYID:, then TEXT: and the
story; its headline and date are not counted as sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from nescio.data.model import Collection, Question, Response, Run
from nescio.data.notes import Note, note
from nescio.errors import FormatError, MismatchError, UsageError, collected, opt
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, Unjudged, by_role, reader
from nescio.sources.source import Source, name_runs
from nescio.sources.text_files import WHITE
from nescio.tasks.kit import fault_at, say_left_out
from nescio.text import finite, question_word, sentences

FIELDS = ("QuestionID", "Question", "Answer", "Difficulty", "Confidence", "Sentences")
_BY_NAME = {name.lower(): name for name in FIELDS}
_KEYS, _RESPONSES = (".answers", ".key", ".keys"), (".response", ".responses")
_HEAD = ("HEADLINE:", "DATE:", "STORYID:")
_LOOKED_AT = 20  # lines that are enough to distinguish a key from a response


def recognise(source: Source) -> str | None:
    """Recognise text that begins with `QuestionID:` (a key if it has questions and answers, or a key's suffix), or with
    the head of a story."""
    if source.kind != "text" or source.path is None:
        return None
    if str(source.first).startswith(_HEAD):
        return "story"
    if _field(str(source.first))[0] != "QuestionID":
        return None
    names, begun = set(), 0
    with source.path.open(encoding="utf-8-sig") as lines:
        for _, line in zip(range(_LOOKED_AT), lines, strict=False):
            name, _ = _field(line)
            begun += name == "QuestionID"
            if begun > 1:
                break
            names.add(name)
    if "Answer" not in names:
        return "questions" if names & {"Question", "Sentences"} else "answers"
    suffix = source.path.suffix.lower()
    if suffix in (*_KEYS, *_RESPONSES):
        return "gold" if suffix in _KEYS else "answers"
    return "gold" if "Question" in names else "answers"


def _field(line: str) -> tuple[str | None, str]:
    """Return the name of the field that begins on a line, such as "Answer", and the text after its colon.

    The name is None if no field begins on this line.
    """
    name, colon, rest = line.partition(":")
    known = _BY_NAME.get(name.strip(WHITE).lower()) if colon else None
    return known, (rest if known else line).strip(WHITE)


class _Block(Struct):
    """The fields about one question in a file, such as "Answer", and the number of the line where each begins."""

    source: Source
    line: int
    fields: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Return the identifier of the question."""
        return self.fields["QuestionID"]

    def fail(self, rule: str, value: object = None, name: str = "QuestionID") -> FormatError:
        """Return the error that the field `name` breaks `rule`, with the field's line."""
        return FormatError(self.source.label, rule, where=f"line {self.lines.get(name, self.line)}", value=value)


def collection(parts: Sequence[SourceRole], options: ReadOptions) -> tuple[Collection, tuple[Note, ...]]:
    """Return the questions in the keys, or in the files of questions if there is no key.

    A question has its story if stories are given.
    """
    by_part = by_role(parts)
    notes: list[Note] = []
    if not by_part["gold"] and not by_part["questions"]:
        stray = (by_part["story"] or by_part["answers"])[0]
        raise MismatchError(f"{stray.label} needs questions or a key (QuestionID, Question, Answer)")
    keys = _read_keys(by_part["gold"], options, notes)
    question_blocks = [block for source in by_part["questions"] for block in _blocks(source)]
    texts = {block.id: block for block in question_blocks if "Question" in block.fields}
    lists = {block.id: block for block in question_blocks if "Question" not in block.fields}
    if strange := next((block for name, block in lists.items() if name not in {*keys, *texts}), None):
        raise strange.fail("no question has this id", strange.id)
    stories = _read_stories(by_part["story"])
    blocks = keys or texts
    questions = tuple(
        _question(block, texts.get(name), lists.get(name), stories, options) for name, block in blocks.items()
    )
    name = (by_part["gold"] or by_part["questions"])[0].stem
    return Collection(name, questions), tuple(notes)


@reader(
    "cbc",
    about="a key and response files in blocks of QuestionID: and Answer: (alternatives separated by |)",
    recognise=recognise,
    text=True,
    collection=collection,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read keys and the responses of any number of runs, which are named by their files.

    Files of questions and stories may be given too, and add texts. If two keys to one question differ, `--choose
    key=first` or `key=last` selects one.
    """
    by_part = by_role(parts)
    if not by_part["gold"]:
        stray = (by_part["answers"] or by_part["questions"] or by_part["story"])[0]
        raise MismatchError(f"{stray.label} needs a key (QuestionID, Question, Answer), but none was given")
    if not by_part["answers"]:
        raise MismatchError(f"{by_part['gold'][0].label} is a key; also give the responses of the runs")
    questions, of_keys = collection(parts, options)
    notes, keyed = list(of_keys), {question.id for question in questions.questions}
    runs = []
    for source, name in zip(by_part["answers"], name_runs(by_part["answers"]), strict=True):
        runs.append(Run(name, tuple(_responses(source, name, keyed, notes))))
    return ReadResult(Unjudged(questions, tuple(runs), tuple(str(s.label) for s in by_part["answers"])), tuple(notes))


def _read_stories(sources: Sequence[Source]) -> dict[str, tuple[str, ...]] | None:
    """Return the sentences of each story, keyed by the story's STORYID, or None if no files of stories are given."""
    if not sources:
        return None
    stories: dict[str, tuple[str, ...]] = {}
    for source in sources:
        name, text = _story(source)
        if name in stories:
            raise FormatError(source.label, "a story with this STORYID was already given", value=name)
        stories[name] = text
    return stories


def _story(source: Source) -> tuple[str, tuple[str, ...]]:
    assert source.path is not None
    head, lines = {}, source.path.read_text(encoding="utf-8-sig").splitlines()
    for number, line in enumerate(lines):
        name, colon, value = line.partition(":")
        if name.strip(WHITE) == "TEXT" and colon:
            text = sentences("\n".join([value, *lines[number + 1 :]]))
            break
        head[name.strip(WHITE)] = value.strip(WHITE)
    else:
        raise FormatError(source.label, "a story must have a line TEXT:, followed by the story")
    if not head.get("STORYID"):
        raise FormatError(source.label, "a story must have a STORYID: before its TEXT:")
    if not text:
        raise fault_at(source, number + 1, "there is nothing after TEXT:")
    return head["STORYID"], text


def _blocks(source: Source, faults: list[FormatError] | None = None) -> Iterator[_Block]:
    """Yield the blocks of a file, each of which begins with a QuestionID.

    A line that begins no field continues the last field. With `faults`, errors are collected in it instead of raised.
    """
    assert source.path is not None
    block: _Block | None = None
    last: str | None = None
    with source.path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            name, value = _field(line)
            if not value and not name:
                last = None
                continue
            with collected(faults):
                if name == "QuestionID":
                    if block:
                        yield block
                    block = _Block(source, number)
                    if not value:
                        raise block.fail("the QuestionID is empty")
                if block is None:
                    raise fault_at(source, number, "a block must begin with QuestionID:", value)
                if name:
                    if name in block.fields:
                        rule = f"{name} appears twice in the block of question {block.id!r}"
                        raise fault_at(source, number, rule)
                    block.fields[name], block.lines[name], last = value, number, name
                elif last in (None, "QuestionID"):
                    rule = (
                        "a line must begin with QuestionID:, Question:, Answer:, Difficulty:, Confidence: or Sentences:"
                    )
                    raise fault_at(source, number, rule, value)
                else:
                    block.fields[last] = f"{block.fields[last]} {value}".strip()
    if block:
        yield block


def _read_keys(sources: Sequence[Source], options: ReadOptions, notes: list[Note]) -> dict[str, _Block]:
    """Return the key of each question as a block of fields, keyed by question.

    If two blocks for a question have different answers, `--choose key=` selects one. Without it, FormatError is raised.
    """
    which = options.choose.get("key")
    if which not in (None, "first", "last"):
        raise UsageError(f"{opt('choose', {'key': which})}: must be first or last")
    keys: dict[str, _Block] = {}
    differing: dict[str, None] = {}
    for source in sources:
        for block in _blocks(source):
            if not _alternatives(block):
                raise block.fail("a key must have an answer", block.fields.get("Answer"), "Answer")
            before = keys.setdefault(block.id, block)
            if before is block or before.fields["Answer"] == block.fields["Answer"]:
                continue
            if which is None:
                raise block.fail(
                    f"question {block.id!r} appears again with a different answer (it was {before.fields['Answer']!r}"
                    f" in {before.source.label}, line {before.line}); {opt('choose', {'key': 'first'})} or key=last "
                    "takes one",
                    block.fields["Answer"],
                )
            differing[block.id] = None
            if which == "last":
                keys[block.id] = block
    if differing:
        notes.append(
            note(
                "cbc.two_keys",
                "{questions} {questions:question has/questions have} two keys with different answers: the "
                "{which} key is used, as requested",
                questions=len(differing),
                which=which,
            )
        )
    return keys


def _alternatives(block: _Block) -> tuple[str, ...]:
    return tuple(text for part in block.fields.get("Answer", "").split("|") if (text := part.strip(WHITE)))


def _question(
    block: _Block,
    other: _Block | None,
    listed: _Block | None,
    stories: dict[str, tuple[str, ...]] | None,
    options: ReadOptions,
) -> Question:
    fields = (other.fields if other else {}) | block.fields
    story = block.id.rpartition("-")[0]
    if stories is not None and story not in stories:
        raise MismatchError(
            f"{block.source.label}, line {block.line}: there is no story {story!r} for question {block.id!r}"
        )
    labels = {"difficulty": " ".join(fields.get("Difficulty", "").lower().split()), "story": story}
    labels["question_word"] = question_word(fields["Question"]) if fields.get("Question") else ""
    wanted = options.kept({name: label for name, label in labels.items() if label})
    sentences = stories[story] if stories is not None else ()
    with_sentences = block if "Sentences" in block.fields else other
    accepted = _accepted(listed or with_sentences, sentences)
    if (
        listed
        and with_sentences
        and "Sentences" in with_sentences.fields
        and _accepted(with_sentences, sentences) != accepted
    ):
        raise listed.fail(
            f"{with_sentences.source.label} lists different sentences for this question", block.id, "Sentences"
        )
    return Question(
        block.id,
        fields.get("Question", ""),
        _alternatives(block),
        (),
        True,
        story or None,
        wanted,
        story=sentences,
        accepted=accepted,
    )


def _accepted(block: _Block | None, sentences: Sequence[str]) -> tuple[int, ...] | None:
    """Return the indices, from 0, of the sentences that people accept as answers, or None if none are listed."""
    if block is None or "Sentences" not in block.fields or not sentences:
        return None
    numbers = block.fields["Sentences"].replace(",", " ").split()
    for number in numbers:
        if not number.isdecimal() or not 1 <= int(number) <= len(sentences):
            rule = f"Sentences must be numbers from 1 to {len(sentences)}, the numbers of the sentences in its story"
            raise block.fail(rule, number, "Sentences")
    return tuple(sorted({int(number) - 1 for number in numbers}))


def _responses(source: Source, run: str, keys: set[str], notes: list[Note]) -> Iterator[Response]:
    responses = list(responses_of(source))
    yield from (response for response in responses if response.question_id in keys)
    extra = sum(response.question_id not in keys for response in responses)
    say_left_out(source, run, extra, len(responses), notes)


def responses_of(
    source: Source, ids: set[str] | None = None, faults: list[FormatError] | None = None
) -> Iterator[Response]:
    """Yield the responses in a file. With `ids`, a response to a question without one of these ids is an error.

    Raises FormatError at the first invalid block; with `faults`, such errors are collected there instead.
    """
    seen: dict[str, int] = {}
    for block in _blocks(source, faults):
        with collected(faults):
            if "QuestionID" not in block.fields:
                continue  # Its line is among the faults.
            if "Answer" not in block.fields:
                raise block.fail("this block has no line Answer:; to abstain, add an empty line Answer:", block.id)
            if block.id in seen:
                raise block.fail(f"the question appears twice; first on line {seen[block.id]}", block.id)
            if ids is not None and block.id not in ids:
                raise block.fail("no question has this id", block.id)
            seen[block.id] = block.line
            answer = block.fields["Answer"] or None
            yield Response(block.id, answer, answer is not None, _confidence(block))


def _confidence(block: _Block) -> float | None:
    text = block.fields.get("Confidence")
    if not text:
        return None
    confidence = finite(text)
    if confidence is None:
        raise block.fail("Confidence must be a finite number", text, "Confidence")
    return confidence
