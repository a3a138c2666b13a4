"""Draw answers for people to judge, say whether they have judged enough, and audit a correction of the judge.

Labels are people's verdicts on some answers. With --labels of `nescio score` and `compare`, they correct a judge's
verdicts on all answers.

\b
nescio labels draw questions.jsonl runs/*.jsonl sheet.csv --draw 30
nescio labels look questions.jsonl runs/*.jsonl --labels people.csv -m accuracy --half-width 0.1
nescio labels shift questions.jsonl runs/*.jsonl --labels people.csv --margin 0.1

`nescio plan-labels` says how many labels are needed in all.
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
