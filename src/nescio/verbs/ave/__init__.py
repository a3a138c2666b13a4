"""Answer validation: build collections, train validators, score them.

Which answers are right and supported by their texts? A collection is XML in the format of the Answer Validation
Exercise 2007: questions, and answers with their supporting texts. A validator accepts or rejects each answer and
selects at most one per question.

\b
nescio ave build questions.jsonl runs/*.jsonl --judgements judged.csv -o collection.xml
nescio ave score collection.xml validator.txt --ranking outcomes.csv
nescio ave baselines collection.xml
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from nescio.verbs._folder import Folder

if TYPE_CHECKING:
    from nescio.verbs.ave import validate as validate
    from nescio.verbs.ave.baselines import baselines as baselines
    from nescio.verbs.ave.build import build as build
    from nescio.verbs.ave.explain import explain as explain
    from nescio.verbs.ave.pairs import pairs as pairs
    from nescio.verbs.ave.score import score as score
    from nescio.verbs.ave.table12 import table12 as table12

sys.modules[__name__].__class__ = Folder
