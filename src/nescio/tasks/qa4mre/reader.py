"""CLEF's QA4MRE: reading tests with options and gold in XML, and the runs of systems. A question without a chosen
option is an abstention.

A gold file is a test (`test-set/topic/reading-test/q/answer`) whose right options have `correct="Yes"`. A run has a
similar form, `output/topic/reading-test/question`, with at most one `answer` per question and `answered="YES"` or
`"NO"`; an answer under NO is a declined candidate. A gold file may number its reading tests differently from the test
that the systems had. If you also give that test, its questions are found in the gold by their text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.model import Collection, Question, Response, Run
from nescio.data.notes import Note, note
from nescio.errors import MismatchError
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, Unjudged, by_role, reader
from nescio.sources.source import Source, name_runs
from nescio.sources.xml import Element, fault_in, text_in
from nescio.text import finite, question_word, sentences, squeeze

QUESTIONS = ("q", "question")
_YES, _NO = ("yes", "true", "1"), ("no", "false", "0")
Key = tuple[str, str, str]  # topic, reading test, question


def recognise(source: Source) -> str | None:
    """Recognise XML of reading tests: `test-set` (gold if an answer is marked correct, else a test) or `output` (the
    answers of a run)."""
    if source.kind != "xml" or source.path is None or source.columns not in (("test-set",), ("output",)):
        return None
    root = source.document
    if root.find(".//reading-test") is None:
        return None
    if source.columns == ("output",):
        return "answers"
    return "gold" if root.find(".//*[@correct]") is not None else "test"


class _Asked(Struct, frozen=True):
    """A question in a file, with its key, its text and its options; `right` has the ids of the right options.

    `options` has the texts of all options, keyed by id (a_id). The key has the ids of topic, test and question.
    """

    key: Key
    line: int
    text: str
    options: Mapping[str, str]
    right: tuple[str, ...]
    topic: str
    story: tuple[str, ...] = ()

    @property
    def wording(self) -> tuple[str, ...]:
        """Return the texts of question and options, which identify the question in a file with other numbers."""
        return squeeze(self.text), *map(squeeze, self.options.values())


def collection(parts: Sequence[SourceRole], options: ReadOptions) -> tuple[Collection, tuple[Note, ...]]:
    """Return the questions of a test with their texts, and with the right options if a gold file is given too.

    Without a test, the gold file alone gives the questions.
    """
    by_part = by_role(parts)
    gold, test = (_only(by_part[name], name) for name in ("gold", "test"))
    notes: list[Note] = []
    if test is None:
        if gold is None:
            raise MismatchError(f"{parts[0][1].label} is a run; also give the test that the run answers")
        return Collection(gold.stem, tuple(_question(asked, options) for asked in _questions(gold, marked=True))), ()
    questions = list(_questions(test, marked=False))
    if gold is not None:
        right = {asked.key: asked for asked in _questions(gold, marked=True)}
        there = _same(gold, right, test, notes)
        # Options may be numbered differently, so the right ones are found by their texts.
        texts = {key: {squeeze(right[to].options[a]) for a in right[to].right} for key, to in there.items()}
        questions = [
            replace(asked, right=tuple(a for a, text in asked.options.items() if squeeze(text) in texts[asked.key]))
            for asked in questions
        ]
    return Collection((gold or test).stem, tuple(_question(asked, options) for asked in questions)), tuple(notes)


@reader(
    "qa4mre",
    about="CLEF QA4MRE: the gold of reading tests, the test, and runs, in XML",
    recognise=recognise,
    collection=collection,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read one gold file and any number of runs, which are named by their `run_id`.

    The test that the systems had can be given too. Its questions are matched with those of the gold by text, because
    the numbers in the two files can differ.
    """
    by_part = by_role(parts)
    gold, test = (_only(by_part[name], what) for name, what in (("gold", "gold files"), ("test", "tests")))
    if gold is None:
        file = test or by_part["answers"][0]
        what = "a test without its gold" if test else "a run"
        raise MismatchError(
            f'{file.label} is {what}: also give the gold file (…_GS), which marks right options correct="Yes"'
        )
    if not by_part["answers"]:
        raise MismatchError(f"{gold.label} is a gold file of QA4MRE; also give the runs")
    notes: list[Note] = []
    marked = {question.key: question for question in _questions(gold, marked=True)}
    numbers = _same(gold, marked, test, notes) if test else {key: key for key in marked}
    roots = [source.document for source in by_part["answers"]]
    runs = [
        Run(name, tuple(_responses(source, root, marked, numbers)))
        for source, root, name in zip(by_part["answers"], roots, _names(by_part["answers"], roots), strict=True)
    ]
    questions = tuple(_question(question, options) for question in marked.values())
    files = tuple(str(source.label) for source in by_part["answers"])
    return ReadResult(
        Unjudged(Collection(gold.stem, questions), tuple(runs), files), tuple(notes), ("c@1", "accuracy", "coverage")
    )


def _only(sources: Sequence[Source], what: str) -> Source | None:
    if len(sources) > 1:
        raise MismatchError(f"{sources[0].label} and {sources[1].label} are both {what} of QA4MRE; give one")
    return sources[0] if sources else None


def _names(sources: Sequence[Source], roots: Sequence[Element]) -> list[str]:
    """Return the names of the runs: the `run_id` of each if all differ, or else names from their files."""
    names = [(root.get("run_id") or "").strip() for root in roots]
    return names if all(names) and len(set(names)) == len(names) else name_runs(sources)


def _located(source: Source, root: Element) -> Iterator[tuple[Key, Element, Element | None]]:
    """Yield every question of a document, as its key, its element and the element of its topic, if any.

    Raises FormatError for a missing or repeated number.
    """
    seen: dict[Key, int] = {}
    for element in root.tagged(*QUESTIONS):
        above = {str(ancestor.tag): ancestor for ancestor in element.ancestors("reading-test", "topic")}
        number, test = element.get("q_id"), above.get("reading-test")
        if not number or test is None or not test.get("r_id"):
            raise fault_in(
                source, element, "a question must have a q_id and be in a reading-test with an r_id", element.tag
            )
        topic = above.get("topic")
        key = (topic.get("t_id") or "" if topic is not None else "", str(test.get("r_id")), number)
        if key in seen:
            rule = f"question {_name(key)} appears twice; first on line {seen[key]}"
            raise fault_in(source, element, rule)
        seen[key] = int(element.sourceline or 0)
        yield key, element, topic


def _name(key: Key) -> str:
    return "-".join(part for part in key if part)


def _questions(source: Source, *, marked: bool) -> Iterator[_Asked]:
    """Yield the questions of a file. With `marked`, raises FormatError for a question without a right option."""
    assert source.path is not None
    stories: dict[Element, tuple[str, ...]] = {}
    for key, element, topic in _located(source, source.document):
        options: dict[str, str] = {}
        right = []
        for answer in element.children("answer"):
            number = answer.get("a_id")
            if not number or number in options:
                raise fault_in(source, answer, "each answer of a question must have a different a_id", number)
            options[number] = text_in(answer)
            if not options[number]:
                raise fault_in(source, answer, "an option is empty", number)
            if (answer.get("correct") or "").strip().lower() in _YES:
                right.append(number)
        if not options:
            raise fault_in(source, element, "a question must have options (answer, with an a_id)", _name(key))
        if marked and not right:
            raise fault_in(source, element, f'no option of question {_name(key)} is marked correct="Yes"')
        name = (topic.get("t_name") or "" if topic is not None else "").strip()
        line, text = int(element.sourceline or 0), text_in(element.find("q_str"))
        yield _Asked(key, line, text, options, tuple(right), name, _story(element, stories))


def _story(question: Element, seen: dict[Element, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the sentences of the documents that belong to a question's reading test.

    `seen` keeps the sentences of each test, so that a test is split only once.
    """
    test = next(question.ancestors("reading-test"))
    if test not in seen:
        texts = ["".join(document.itertext()) for document in test.tagged("doc")]
        seen[test] = tuple(sentence for text in texts for sentence in sentences(text))
    return seen[test]


def _same(gold: Source, questions: Mapping[Key, _Asked], test: Source, notes: list[Note]) -> dict[Key, Key]:
    """Return the key of the gold's question that equals a question of the test, keyed by the test's key.

    Two questions are equal if their texts and options are, whatever their numbers.
    """
    places: dict[tuple[str, ...], list[Key]] = {}
    for asked in questions.values():
        places.setdefault(asked.wording, []).append(asked.key)
    numbers: dict[Key, Key] = {}
    for asked in _questions(test, marked=False):
        there = places.get(asked.wording, [])
        if asked.key in there:
            there = [asked.key]
        if len(there) != 1:
            many = "several questions" if there else "no question"
            raise MismatchError(
                f"{test.label}, line {asked.line}: {gold.label} has {many} worded like question {_name(asked.key)}"
            )
        numbers[asked.key] = there[0]
    if moved := sum(key != to for key, to in numbers.items()):
        notes.append(
            note(
                "qa4mre.other_numbers",
                "{moved} of {total:n question} have different numbers in {gold} and in {test}: the "
                "answers of runs are matched by the numbers in the test",
                moved=moved,
                total=len(numbers),
                gold=str(gold.label),
                test=str(test.label),
            )
        )
    return numbers


def _question(asked: _Asked, options: ReadOptions) -> Question:
    test = f"{asked.key[0]}-{asked.key[1]}".strip("-")
    labels = {"topic": asked.topic, "reading_test": test, "question_word": question_word(asked.text)}
    wanted = options.kept(labels)
    right = tuple(asked.options[number] for number in asked.right)
    return Question(
        _name(asked.key), asked.text, right, tuple(asked.options.values()), True, test, wanted, story=asked.story
    )


def _responses(
    source: Source, root: Element, questions: Mapping[Key, _Asked], numbers: Mapping[Key, Key]
) -> Iterator[Response]:
    short = Counter((test, number) for _, test, number in numbers)
    without_topic = {("", key[1], key[2]): to for key, to in numbers.items() if short[key[1:]] == 1}
    for key, element, _ in _located(source, root):
        place = numbers.get(key) or without_topic.get(key)
        if place is None:
            raise fault_in(source, element, "the test has no such question (topic, reading test, question)", _name(key))
        yield _response(source, element, questions[place])


def _response(source: Source, element: Element, asked: _Asked) -> Response:
    chosen = _chosen(source, element)
    mark = (element.get("answered") or "").strip().lower()
    if mark and mark not in (*_YES, *_NO) and not mark.startswith("no"):
        raise fault_in(source, element, "answered must be YES or NO", element.get("answered"))
    if mark in _YES and chosen is None:
        raise fault_in(source, element, "the question is marked as answered, but has no answer with an a_id")
    if (wording := element.find("q_str")) is not None and squeeze(text_in(wording)) != squeeze(asked.text):
        rule = (
            f"the gold has a different question with this number ({asked.text[:60]!r}); also give the test "
            "that the run answers"
        )
        raise fault_in(source, element, rule, text_in(wording))
    number = None if chosen is None else str(chosen.get("a_id"))
    if chosen is not None and number not in asked.options:
        raise fault_in(
            source,
            chosen,
            f"no option has this a_id; the options of this question are {', '.join(asked.options)}",
            number,
        )
    answer = None if number is None else asked.options[number]
    answered = answer is not None and mark in ("", *_YES)
    return Response(_name(asked.key), answer, answered, _confidence(source, element, chosen))


def _chosen(source: Source, element: Element) -> Element | None:
    """Return the answer that a run gives to a question: the only one, or the marked one of several, or None."""
    answers = [answer for answer in element.children("answer") if (answer.get("a_id") or "").strip()]
    if len(answers) > 1 or any(answer.get("selected") is not None for answer in answers):
        answers = [answer for answer in answers if (answer.get("selected") or "").strip().lower() in _YES]
        if len(answers) > 1 or not any(answer.get("selected") is not None for answer in element.children("answer")):
            raise fault_in(source, element, "a question can have at most one answer")
    return answers[0] if answers else None


def _confidence(source: Source, element: Element, chosen: Element | None) -> float | None:
    for holder in (chosen, element):
        text = None if holder is None else holder.get("confidence") or holder.get("score")
        if holder is not None and text:
            confidence = finite(text)
            if confidence is None:
                raise fault_in(source, holder, "confidence must be a finite number", text)
            return confidence
    return None
