"""Further studies: cascades, votes, stakes, repeats, unstable gates, guards, contamination, faulty items, assessors.

\b
nescio lab cascade cascade.csv --cost cost_usd --right 0.1 --error 2
nescio lab repeats trials.csv
nescio lab items items.csv
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from nescio.verbs._folder import Folder

if TYPE_CHECKING:
    from nescio.verbs.lab.assessors import assessors as assessors
    from nescio.verbs.lab.cascade import cascade as cascade
    from nescio.verbs.lab.components import components as components
    from nescio.verbs.lab.contamination import contamination as contamination
    from nescio.verbs.lab.flips import flips as flips
    from nescio.verbs.lab.guard import guard as guard
    from nescio.verbs.lab.items import items as items
    from nescio.verbs.lab.repeats import repeats as repeats
    from nescio.verbs.lab.stakes import stakes as stakes
    from nescio.verbs.lab.stakes_prompts import stakes_prompts as stakes_prompts
    from nescio.verbs.lab.vote import vote as vote

sys.modules[__name__].__class__ = Folder
