"""Draw what people should judge next, say whether they have judged enough, and audit a correction of the judge.

People's verdicts on some answers (labels) correct a judge's on all of them: --labels of `nescio score` and `compare`.

\b
nescio labels draw questions.jsonl runs/*.jsonl sheet.csv --draw 30
nescio labels look questions.jsonl runs/*.jsonl --labels people.csv -m accuracy --half-width 0.1
nescio labels shift questions.jsonl runs/*.jsonl --labels people.csv --margin 0.1

How many it takes in all: `nescio plan-labels`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from nescio.verbs._folder import Folder

if TYPE_CHECKING:
    from nescio.verbs.labels.draw import draw as draw
    from nescio.verbs.labels.look import look as look
    from nescio.verbs.labels.shift import shift as shift

sys.modules[__name__].__class__ = Folder
