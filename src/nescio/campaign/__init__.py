"""Campaigns: from the call to the working notes, a folder whose steps may each be repeated.

`nescio campaign` on the command line; each command is a function here.
"""

from nescio.campaign.checking import check
from nescio.campaign.collecting import collect
from nescio.campaign.folder import init
from nescio.campaign.handing_out import checker, handout
from nescio.campaign.pooling import pool
from nescio.campaign.receiving import intake
from nescio.campaign.scoring import score
from nescio.campaign.sheets import sheets
from nescio.campaign.site import publish
from nescio.campaign.state import status

__all__ = [
    "check",
    "checker",
    "collect",
    "handout",
    "init",
    "intake",
    "pool",
    "publish",
    "score",
    "sheets",
    "status",
]
