"""Write questions as prompts that state the price of an error, each question once per stake.

FILES are a collection of questions, as for `nescio judge`. OUTPUT is JSON Lines that any harness can ask: `input` holds
the prompt, `target` the right answers, and `id` the question and its stake (q1@stake=3), which every harness keeps in
its log. nescio reads the stakes back from these ids.

\b
nescio lab stakes-prompts questions.jsonl prompts.jsonl --stakes 1/3,1,3,9
nescio lab stakes-prompts questions.jsonl prompts.jsonl --stakes t=0.5,t=0.9
nescio lab stakes stakes.csv

A stake is the price of an error (a right answer earns 1, silence 0), or a target: t=0.9 means "answer only if more than
90% sure". The prices 1/3, 1, 3 and 9 are the targets 25%, 50%, 75% and 90%. The file also holds `question` and
`answers`. With a system's answers (id, answer), `nescio lab stakes prompts.jsonl runs/*.jsonl` therefore judges and
scores them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from msgspec import Struct

from nescio.data.model import Question
from nescio.data.stakes import marked, sentence, stakes_of
from nescio.options import argument, option, verb
from nescio.options.kinds import WORDS
from nescio.pipeline import read_collection
from nescio.sources.arrow import items_of
from nescio.sources.writing import write_text
from nescio.text import plural
from nescio.verbs._output_paths import check_file
from nescio.verbs._shared import Sourced


class StakesPromptsRequest(Sourced):
    """The options of `nescio lab stakes-prompts`."""

    output: Path | str = argument(kw_only=False, argument=True, metavar="OUTPUT", help="The prompts to write (.jsonl).")
    stakes: Sequence[str] = option(
        default=("1/3", "1", "3", "9"),
        kind=WORDS,
        metavar="S,S,…",
        help="The stakes: prices of an error, such as 3, or targets, such as t=0.9.",
    )


class PromptsWritten(Struct, frozen=True):
    """The numbers of written prompts and of questions, and their file."""

    prompts: int
    questions: int
    output: Path

    def __str__(self) -> str:
        return f"wrote {plural(self.prompts, 'prompt')} for {plural(self.questions, 'question')} to {self.output}"


@verb(StakesPromptsRequest, working="writing", prints="")
def stakes_prompts(request: StakesPromptsRequest) -> PromptsWritten:
    output = Path(request.output)
    check_file(output, "prompts", (".jsonl",), request.inputs())
    stakes = stakes_of(request.stakes)
    questions = read_collection(items_of(request.source))[0].questions
    rows = (_prompt(question, *stake) for question in questions for stake in stakes)
    write_text(output, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
    return PromptsWritten(len(stakes) * len(questions), len(questions), output)


def _prompt(question: Question, stake: str, price: Fraction) -> dict[str, Any]:
    """Return a question at a stake as a record, with the fields that harnesses and nescio read."""
    options = "".join(f"\n{number}. {text}" for number, text in enumerate(question.options, 1))
    story = "\n".join(question.story)
    text = f"{story}\n\n{question.text}" if story else question.text
    prompt = f"{text}{options}\n\n{sentence(price)}"
    row: dict[str, Any] = {"id": marked(question.id, stake), "stake": stake, "input": prompt}
    row |= {"target": list(question.answers), "question": prompt, "answers": list(question.answers)}
    row |= {"options": list(question.options)} if question.options else {}
    row |= {} if question.answerable is None else {"answerable": question.answerable}
    row |= {} if question.cluster is None else {"cluster": question.cluster}
    told_above = {*row, "story", "sentences"}
    return row | {name: value for name, value in question.strata.items() if name not in told_above}
