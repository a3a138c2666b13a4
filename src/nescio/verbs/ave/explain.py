"""Print the formula, the proof and the frames of an answer in COLLECTION.

Question and answer together make a statement. The statement becomes a formula, and so does the supporting text. The
table lists the atoms of the statement, and says which atoms must be given up so that the rest follows from the text. A
note says whether the prover E proves the rest. Formulas need English texts and a parser.

\b
nescio ave explain dev.xml lighthouse-who lighthouse-who_1 --parser en_core_web_sm
"""

from __future__ import annotations

from nescio.data.notes import note
from nescio.data.results import Results
from nescio.data.signature import sign
from nescio.errors import MismatchError
from nescio.options import argument, verb
from nescio.tasks.ave import validator
from nescio.tasks.ave.exercise import language
from nescio.tasks.ave.hypotheses import hypothesis
from nescio.tasks.ave.validator import explaining
from nescio.tasks.ave.validator._languages import code
from nescio.verbs.ave._shared import Equipped, OfCollection, collection_of


class ExplainRequest(Equipped, OfCollection):
    """The options of `nescio ave explain`."""

    question: str = argument(kw_only=False, argument=True, metavar="QUESTION", help="The id of a question.")
    answer: str = argument(kw_only=False, argument=True, metavar="ANSWER", help="The id of an answer to this question.")


@verb(ExplainRequest)
def explain(request: ExplainRequest) -> Results[explaining.Line]:
    exercise = collection_of(request.collection)
    questions = {each.id: each for each in exercise.questions}
    answers = {each.id: each for each in exercise.candidates if each.question_id == request.question}
    if request.question not in questions:
        raise MismatchError(f"{request.collection} has no question {request.question!r}")
    if request.answer not in answers:
        raise MismatchError(
            f"question {request.question!r} has no answer {request.answer!r}; its answers are {', '.join(answers)}"
        )
    asked, given = questions[request.question], answers[request.answer]
    resources = request.resources
    line = sign(ave="explain", collection=exercise.name, question=request.question, answer=request.answer)
    technique = validator.TECHNIQUES["formulas"]
    if why := validator.missing(technique, resources, (code(language(asked)),)):
        statement = hypothesis(asked.text, given.answer)
        lacking = note(
            "validator.no_formula",
            "{statement} This statement has no formula: {reason}",
            statement=statement,
            reason=why,
        )
        return Results((), line, (lacking,), "statement")
    proof = explaining.explain(asked.text, given.answer, given.text, str(resources.parser), resources.prover)
    outcome = note(
        "validator.proof",
        "{statement} Atoms given up: {cost} of {whole}{limit}; the remaining statement is {proved}",
        statement=proof.statement,
        cost=proof.cost,
        whole=proof.whole,
        limit=" (search limit reached; fewer might be enough)" if proof.limit_reached else "",
        proved={None: "not checked, as no prover is installed", True: "proved by E", False: "not proved by E"}[
            proof.proved
        ],
    )
    return Results(proof.atoms, line, (outcome,), "statement", {"frames": proof.frames, "text": proof.facts})
