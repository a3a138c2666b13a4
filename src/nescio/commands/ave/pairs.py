"""Pairs of a text and a hypothesis, as in AVE 2006, from a collection of questions and answers."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from nescio.commands.places import check_file
from nescio.data.notes import Note
from nescio.errors import MismatchError, names_nearest
from nescio.formats import open_source
from nescio.formats.benchmarks.ave.reader import COLLECTION, read_exercise, recognise, write_pairs
from nescio.systems import validator
from nescio.tasks.ave.exercise import Pair
from nescio.text import plural


class Paired(Struct, frozen=True):
    """What `pairs` wrote: how many pairs, of how many questions."""

    output: Path
    pairs: int
    questions: int
    notes: tuple[Note, ...] = ()

    def __str__(self) -> str:
        return f"wrote {self.output}: {plural(self.pairs, 'pair')} of {plural(self.questions, 'question')}"


@names_nearest
def pairs(collection: Path | str, output: Path | str, *, test_set: bool = False) -> Paired:
    """Make a hypothesis of each question and answer, and write the pairs of text and hypothesis in the shape of RTE.

        print(nescio.ave.pairs("dev.xml", "pairs.xml"))

    `output` is XML, of pairs that name their question (`q_id`); with `test_set` it has no values. The hypotheses are
    made by rules for English question words, and are as rough as such rules are. Raises MismatchError for a file that
    is no collection of AVE.
    """
    output = Path(output)
    check_file(output, "pairs", (".xml",), [collection])
    source = open_source(collection)
    if recognise(source) != COLLECTION:
        raise MismatchError(f"{collection} is not an AVE collection: XML of questions (q) with answers (a)")
    exercise = read_exercise(source)
    questions = {question.id: question for question in exercise.questions}
    made = [
        Pair(
            f"{one.question_id}-{one.id}",
            one.text,
            validator.hypothesis(questions[one.question_id].text, one.answer),
            one.value,
            one.question_id,
            one.document,
            questions[one.question_id].strata.get("language", ""),
        )
        for one in exercise.candidates
    ]
    write_pairs(made, output, values=not test_set)
    return Paired(output, len(made), len(questions), validator.not_english(exercise))
