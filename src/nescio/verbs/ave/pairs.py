"""Make a hypothesis from each question and answer of COLLECTION, and write pairs as in AVE 2006.

A pair has the supporting text (t) and the hypothesis (h): the statement that question and answer make (Figure 2 of the
AVE 2007 overview). The rules are for English, Spanish and German. A question says its language (lang="ES"); otherwise
the language is guessed. The rules use no parser, so some statements are ungrammatical.

\b
nescio ave pairs dev.xml -o pairs.xml
"""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from nescio.data.notes import Note, note
from nescio.options import argument, option, verb
from nescio.tasks.ave.exercise import Exercise, Pair, language
from nescio.tasks.ave.hypotheses import hypothesis, without_rules
from nescio.tasks.ave.reader import write_pairs
from nescio.text import plural
from nescio.verbs._output_paths import check_file
from nescio.verbs.ave._shared import OfCollection, collection_of


class Paired(Struct, frozen=True):
    """The result of `nescio ave pairs`: the numbers of pairs and of questions."""

    output: Path
    pairs: int
    questions: int
    notes: tuple[Note, ...] = ()

    def __str__(self) -> str:
        return f"wrote {self.output}: {plural(self.pairs, 'pair')} of {plural(self.questions, 'question')}"


class PairsRequest(OfCollection):
    """The options of `nescio ave pairs`."""

    output: Path | str = argument(
        kw_only=False, flags=("-o", "--output"), metavar="FILE", help="The pairs to write (.xml)."
    )
    test_set: bool = option(default=False, help="Write the pairs without their judgements (`value`).")


@verb(PairsRequest, prints="")
def pairs(request: PairsRequest) -> Paired:
    output = Path(request.output)
    check_file(output, "pairs", (".xml",), request.inputs())
    exercise = collection_of(request.collection)
    questions = {question.id: question for question in exercise.questions}
    made = [
        Pair(
            f"{candidate.question_id}-{candidate.id}",
            candidate.text,
            hypothesis(
                questions[candidate.question_id].text, candidate.answer, language(questions[candidate.question_id])
            ),
            candidate.value,
            candidate.question_id,
            candidate.document,
            language(questions[candidate.question_id]),
        )
        for candidate in exercise.candidates
    ]
    write_pairs(made, output, values=not request.test_set)
    return Paired(output, len(made), len(questions), _guessed(exercise))


def _guessed(exercise: Exercise) -> tuple[Note, ...]:
    """Return a note on questions in languages that have no rules to turn a question into a hypothesis."""
    tongues = [language(question).upper() for question in exercise.questions]
    others = sorted({tongue for tongue in tongues if without_rules(tongue)})
    return (
        (
            note(
                "ave.no_rules",
                "{questions} of {total:n question} {questions:is/are} in {languages:list}; nescio has rules for "
                "English, Spanish and German only, so hypotheses in other languages will not be sentences",
                questions=sum(tongue in others for tongue in tongues),
                total=len(tongues),
                languages=others,
            ),
        )
        if others
        else ()
    )
