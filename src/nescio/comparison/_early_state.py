"""Save the state of a comparison in looks: the questions that counted so far, and their outcomes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct, field
from msgspec.structs import asdict, replace

from nescio.comparison._looks import Codes
from nescio.data.signature import parse
from nescio.errors import FormatError, MismatchError, opt
from nescio.sources.writing import write_text

# Version 1 kept looks that cannot support a decision, version 2 forgot which answers were missing, and version 3 forgot
# the verdicts "cannot tell".
KIND, VERSION = "nescio sequential comparison", 4
ASIDE = ("left_out_of_run", "left_out_of_baseline", "missing_of_run", "changed")
LETTERS = "CWU"  # correct, incorrect, unanswered


class Block(Struct, frozen=True):
    """A block of questions that arrived together: the number of its `questions`, and the signature of their answers.

    `doubt` is the verdict of the latest look at the block if that verdict was "cannot tell", else an empty text.
    """

    questions: int
    signature: str
    doubt: str = ""


class State(Struct, frozen=True):
    """The questions compared so far in their order, the outcomes of both runs, and the settings that must not change.

    `left_out_of_run` and `left_out_of_baseline` name questions whose answers had no grade. `missing_of_run` names
    questions that the run lacked, which counted as unanswered. `changed` names questions that counted, but had another
    outcome when they were last read. Later looks must allow for all these questions.
    """

    fixed: Mapping[str, Any]
    questions: tuple[str, ...] = ()
    run: str = ""
    baseline: str = ""
    blocks: tuple[Block, ...] = field(default=())
    left_out_of_run: tuple[str, ...] = ()
    left_out_of_baseline: tuple[str, ...] = ()
    missing_of_run: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    @property
    def codes(self) -> tuple[Codes, Codes]:
        """Return the outcomes of the run and of the baseline, as indices into OUTCOMES."""
        run, baseline = (
            np.array([LETTERS.index(letter) for letter in text], dtype=np.int8) for text in (self.run, self.baseline)
        )
        return run, baseline

    def ended(self) -> dict[str, str]:
        """Return a pair of letters for each question: the outcome of the run, then that of the baseline."""
        return {
            question: letter + other
            for question, letter, other in zip(self.questions, self.run, self.baseline, strict=True)
        }

    def add(self, questions: tuple[str, ...], run: str, baseline: str, signature: str) -> State:
        """Return this state with one more block of questions.

        `run` and `baseline` have one letter for each question: the outcome of the run, and that of the baseline.
        `signature` identifies the answers of the block.
        """
        return replace(
            self,
            questions=self.questions + questions,
            run=self.run + run,
            baseline=self.baseline + baseline,
            blocks=(*self.blocks, Block(len(questions), signature)),
        )

    def doubted(self, doubt: str) -> State:
        """Return a state whose last block has the verdict `doubt`."""
        return replace(self, blocks=(*self.blocks[:-1], replace(self.blocks[-1], doubt=doubt)))

    def aside(self, left_out: Sequence[set[str]], missing: set[str], changed: set[str]) -> State:
        """Return a state that also names the questions left out, missing or changed at one more look.

        `left_out` has two sets of questions whose answer has no grade: for the run, and for the baseline. `missing`
        holds the questions that the run lacks. A question that counts now is no longer named as left out. A question
        that counted while the run lacked it stays named as missing.
        """
        counted = set(self.questions)
        run, baseline = (
            tuple(sorted({*old, *new} - counted))
            for old, new in zip((self.left_out_of_run, self.left_out_of_baseline), left_out, strict=True)
        )
        lacked = tuple(sorted({*self.missing_of_run, *missing} & counted))
        return replace(
            self,
            left_out_of_run=run,
            left_out_of_baseline=baseline,
            missing_of_run=lacked,
            changed=tuple(sorted(changed)),
        )


def read(path: Path, fixed: Mapping[str, Any]) -> State:
    """Return the state that an earlier look of the same comparison saved in `path`, or a new state if no file exists.

    Raises FormatError if the file is not a state file, and MismatchError if its settings differ from `fixed`.
    """
    if not path.exists():
        return State(fixed)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise FormatError(path, f"this is not a state file, because it is not valid JSON ({error})") from None
    if not isinstance(content, dict) or content.get("kind") != KIND:
        raise FormatError(path, f"this is not a state file: its `kind` must be {KIND!r}")
    if content.get("version") != VERSION:
        raise FormatError(
            path, (f"this version of nescio reads only state files of version {VERSION}"), value=content.get("version")
        )
    state = _checked(path, content)
    for name in dict.fromkeys((*state.fixed, *fixed)):
        was, now = state.fixed.get(name), fixed.get(name)
        if was != now:
            raise MismatchError(
                f"{path} was started with {name} {_shown(was)}, not {_shown(now)}; all looks in one file need the "
                f"same settings; use another {opt('state')} file"
            )
    return state


def _shown(value: Any) -> str:
    return "none" if value is None else repr(value)


def _checked(path: Path, content: Mapping[str, Any]) -> State:
    questions, run, baseline = (content.get(name) for name in ("questions", "run", "baseline"))
    if not isinstance(questions, list) or not all(isinstance(name, str) for name in questions):
        raise FormatError(path, "questions must be a list of names")
    if len(set(questions)) < len(questions):
        raise FormatError(path, "a question appears twice")
    for name, letters in (("run", run), ("baseline", baseline)):
        if not isinstance(letters, str) or len(letters) != len(questions) or set(letters) - set(LETTERS):
            raise FormatError(path, f"{name} must have one of the letters {', '.join(LETTERS)} for each question")
    blocks, fixed = content.get("blocks"), content.get("fixed")
    try:
        made = tuple(
            Block(int(block["questions"]), str(parse(block["signature"])), str(block["doubt"]))
            for block in blocks or ()
        )
    except (TypeError, KeyError, ValueError):
        raise FormatError(
            path, "each block must have the keys `questions` (a number), `signature` and `doubt` (a text)"
        ) from None
    if sum(block.questions for block in made) != len(questions) or any(block.questions < 1 for block in made):
        raise FormatError(path, "the numbers of questions in the blocks must add up to the length of `questions`")
    if not isinstance(fixed, dict):
        raise FormatError(path, "`fixed` must say which runs and measure are compared")
    aside: list[tuple[str, ...]] = []
    for name in ASIDE:
        names = content.get(name)
        if not isinstance(names, list) or not all(isinstance(question, str) for question in names):
            raise FormatError(path, f"{name} must be a list of questions")
        aside.append(tuple(names))
    return State(fixed, tuple(questions), str(run), str(baseline), made, *aside)


def write(path: Path, state: State) -> None:
    """Write the state to a file, completely or not at all."""
    content = {
        "kind": KIND,
        "version": VERSION,
        "fixed": dict(state.fixed),
        "blocks": [asdict(block) for block in state.blocks],
        "questions": list(state.questions),
        "run": state.run,
        "baseline": state.baseline,
        **{name: list(getattr(state, name)) for name in ASIDE},
    }
    write_text(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")
