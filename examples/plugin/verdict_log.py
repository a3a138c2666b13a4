"""A reader: logs of lines such as `mine | q1 | right`, under the line `# verdicts`."""

from nescio.errors import FormatError
from nescio.formats import reader
from nescio.formats.answers import Answer
from nescio.formats.logs.kit import Log

RIGHT = {"right": True, "wrong": False, "silent": False}


def recognise(source):
    return "log" if source.kind == "text" and source.first == "# verdicts" else None


@reader("verdict_log", about="a log of verdicts", recognise=recognise, text=True, shapes={"log": ("text:",)})
def read(parts, options):
    log = Log(parts, options)
    answers = [log.take(answer) for source in log.sources for answer in answers_in(source)]
    return log.by_score(answers, "the verdicts")


def answers_in(source):
    for number, line in enumerate(source.path.read_text(encoding="utf-8").splitlines()[1:], 2):
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) != 3 or cells[2] not in RIGHT:
            raise FormatError(source.label, "a line is RUN | QUESTION | VERDICT", where=f"line {number}", value=line)
        run, question, verdict = cells
        silent = "said so" if verdict == "silent" else None
        yield Answer(run, question, right=RIGHT[verdict], silent=silent, where=f"line {number}", path=source.label)
