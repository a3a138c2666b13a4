"""List the techniques, the participants who used them in 2007, and those that nescio uses (Table 12 of the paper).

For each technique that cannot be used, "skipped" names what must be installed.

\b
nescio ave table12
nescio ave table12 --wordnet ~/WordNet-3.0/dict
nescio ave table12 --parser en_core_web_sm
"""

from __future__ import annotations

from nescio.data.results import Results
from nescio.options import verb
from nescio.tasks.ave import validator
from nescio.verbs.ave._shared import Equipped


@verb(Equipped)
def table12(request: Equipped) -> Results:
    return validator.table12(request.resources)
