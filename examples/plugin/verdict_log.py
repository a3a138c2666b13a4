"""A reader: logs of lines such as `mine | q1 | right`, under the line `# verdicts`."""

from nescio.errors import FormatError
from nescio.formats import ReadResult, reader
from nescio.formats.logs.graded import Graded, outcomes_of

STATES = {"wrong": 0, "right": 1, "silent": 2}


def recognise(source):
    return "log" if source.kind == "text" and source.first == "# verdicts" else None


@reader("verdict_log", about="a log of verdicts", recognise=recognise, text=True, sniff_keys={"text": ()})
def read(parts, options):
    rows, notes = [], []
    for _, source in parts:
        for number, line in enumerate(source.path.read_text(encoding="utf-8").splitlines()[1:], 2):
            cells = [cell.strip() for cell in line.split("|")]
            if len(cells) != 3 or cells[2] not in STATES:
                raise FormatError(
                    source.label, "a line is RUN | QUESTION | VERDICT", where=f"line {number}", value=line
                )
            run, question, verdict = cells
            rows.append(Graded(run, question, STATES[verdict], where=f"line {number}", path=source.label))
    return ReadResult(outcomes_of(rows, parts[0][1].label, options, notes), notes=tuple(notes))
