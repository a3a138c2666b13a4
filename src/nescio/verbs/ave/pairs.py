"""Make a hypothesis from each question and answer of COLLECTION, and write pairs as in AVE 2006.

A pair has the supporting text (t) and the hypothesis (h): a statement of the question with the answer in its place.
The rules are for English.

\b
nescio ave pairs dev.xml -o pairs.xml
"""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from nescio.data.notes import Note
from nescio.formats.benchmarks.ave.ave_reader import write_pairs
from nescio.options import argument, option, verb
from nescio.systems import validator
from nescio.tasks.ave.exercise import Pair
from nescio.text import plural
from nescio.verbs._output_paths import check_file
from nescio.verbs.ave._shared import OfCollection, collection_of


class Paired(Struct, frozen=True):
    """What `pairs` wrote: how many pairs, of how many questions."""

    output: Path
    pairs: int
    questions: int
    notes: tuple[Note, ...] = ()

    def __str__(self) -> str:
        return f"wrote {self.output}: {plural(self.pairs, 'pair')} of {plural(self.questions, 'question')}"


class PairsRequest(OfCollection):
    """What `nescio ave pairs` is asked."""

    output: Path | str = argument(
        kw_only=False, flags=("-o", "--output"), metavar="FILE", help="The pairs to write (.xml)."
    )
    test_set: bool = option(default=False, help="Write the pairs without their values.")


@verb(PairsRequest, prints="")
def pairs(request: PairsRequest) -> Paired:
    output = Path(request.output)
    check_file(output, "pairs", (".xml",), request.inputs())
    exercise = collection_of(request.collection)
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
    write_pairs(made, output, values=not request.test_set)
    return Paired(output, len(made), len(questions), validator.not_english(exercise))
