"""Readers and writers, one file a format. `_format.py` says what a format is, `_source.py` what it is given."""

from nescio.formats import (
    cbc,
    counts_table,
    helm,
    inspect,
    lm_eval,
    mmlu_pro,
    nq,
    outcome_table,
    pan,
    qa4mre,
    questions,
    score_matrix,
    simpleqa,
    squad2,
    trec,
)
from nescio.formats._format import (
    REGISTRY,
    Data,
    Declined,
    Format,
    Part,
    Read,
    ReadOptions,
    Unjudged,
    known,
    load_third_parties,
    reader,
)
from nescio.formats._source import BY_SUFFIX, Source, open_source

__all__ = [
    "BY_SUFFIX",
    "REGISTRY",
    "Data",
    "Declined",
    "Format",
    "Part",
    "Read",
    "ReadOptions",
    "Source",
    "Unjudged",
    "known",
    "load_third_parties",
    "open_source",
    "reader",
]

_FILES = (
    cbc,
    counts_table,
    helm,
    inspect,
    lm_eval,
    mmlu_pro,
    nq,
    outcome_table,
    pan,
    qa4mre,
    questions,
    score_matrix,
    simpleqa,
    squad2,
    trec,
)
