"""A reader: lines of JSON that a quiz program writes, one answer each, a file a run."""

from typing import Any

from msgspec import Struct

from nescio.formats import reader
from nescio.formats.answers import Answer
from nescio.formats.logs.kit import Log, Name, checked, empty, rows_in
from nescio.formats.logs.run_names import named


class Line(Struct):
    quiz_item: Name
    correct: bool | None = None
    reply: str | None = None
    error: Any = None
    topic: Any = None


@reader("quiz_log", about="answers of the quiz program", shapes={"log": ("lines: quiz_item correct reply|error",)})
def read(parts, options):
    log = Log(parts, options)
    answers = []
    for source, run in named(log.sources):
        for row, where in rows_in(source):
            line = checked(Line, row, source, where)
            answer = Answer(run, str(line.quiz_item), where=where, path=source.label)
            answer.ungraded = "errored" if line.error else None
            answer.nothing = empty(line.reply)
            answer.right, answer.answer, answer.labels = line.correct, line.reply, {"topic": line.topic}
            answers.append(log.take(answer))
    return log.by_score(answers, "the answers")
