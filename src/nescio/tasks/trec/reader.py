"""TREC: runs `qid iter docno rank score tag` with qrels `qid iter docno rel`; factoid answers judged R, W, X or U.

With qrels a topic is a question and a document an answer. The outcome is that of the first document, and MRR uses the
rank of the first relevant one. Documents are ordered as trec_eval orders them: by falling score in single precision,
and ties by falling docno. The rank in the file is ignored (`--choose order=rank` uses it). A document that is not in
the qrels is not relevant. trec.AP, trec.RR and trec.P@k are over all documents of each topic.

A line of factoid judgements is `qid docno judgement answer`. R is right; wrong, inexact (X) and unsupported (U) are
incorrect. In many of TREC's files 1 is right, -1 wrong, 2 unsupported and 3 inexact. NIL as docno is an abstention; if
it is judged R, the collection holds no answer. Such a file is one run with one answer per question. Together with runs
whose lines end with an answer, it is the pool of judged answers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from nescio.data.policy_notes import depths
from nescio.errors import MismatchError
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, by_role, reader
from nescio.sources.source import Source
from nescio.tasks.ave.documents import DECISIONS
from nescio.tasks.kit import whole_in
from nescio.tasks.trec.judgements import VERDICTS, is_judged_in_numbers, judged_alone, with_pool
from nescio.tasks.trec.qrels import with_qrels
from nescio.tasks.trec.runs import read_runs
from nescio.text import finite

QRELS, RUN, JUDGED = "gold", "answers", "judgements"


def recognise(source: Source) -> str | None:
    """Recognise text whose first line belongs to a run, to qrels, or to factoid judgements."""
    if source.kind != "text":
        return None
    cells = str(source.first).split()
    if len(cells) >= 3 and (cells[2] in VERDICTS or is_judged_in_numbers(cells)):
        return JUDGED
    if len(cells) >= 6 and whole_in(cells[3]) is not None and finite(cells[4]) is not None:
        return RUN
    # The last condition excludes a response of AVE.
    if len(cells) != 4 or whole_in(cells[3]) is None or cells[2].upper() in DECISIONS:
        return None
    return QRELS


@reader(
    "trec",
    about="TREC runs (qid iter docno rank score tag) with qrels, or factoid judgements (qid docno R|W|X|U answer)",
    recognise=recognise,
    text=True,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read the runs and one file of qrels or judgements for them; or only judgements, where each file is a run.

    `--choose relevance=2` counts documents as relevant from that level on; `--choose order=rank` uses the ranks in the
    files in place of the scores.
    """
    by_part = by_role(parts)
    if by_part[QRELS] and by_part[JUDGED]:
        raise MismatchError(
            f"{by_part[QRELS][0].label} holds qrels and {by_part[JUDGED][0].label} factoid judgements; give one kind"
        )
    if by_part[JUDGED] and not by_part[RUN]:
        return judged_alone(by_part[JUDGED], options)
    if len(by_part[QRELS]) + len(by_part[JUDGED]) != 1:
        how_many = "none was given" if not by_part[QRELS] else f"{len(by_part[QRELS])} were given"
        raise MismatchError(
            f"{by_part[RUN][0].label if by_part[RUN] else 'a run'} needs one file of qrels or judgements: {how_many}"
        )
    if not by_part[RUN]:
        raise MismatchError(f"{by_part[QRELS][0].label} holds qrels; also give the runs")
    runs = read_runs(by_part[RUN], options)
    longest = [max(map(len, run.topics.values()), default=0) for run in runs]
    ranked = depths([run.name for run in runs], np.arange(len(runs)), np.array(longest))
    with_gold, gold = (with_qrels, by_part[QRELS]) if by_part[QRELS] else (with_pool, by_part[JUDGED])
    result = with_gold(gold[0], runs, options)
    return replace(result, notes=(*result.notes, *ranked))
