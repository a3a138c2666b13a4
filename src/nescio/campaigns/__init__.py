"""Campaigns: from the call to the working notes, a folder whose steps may each be repeated.

`nescio campaign` on the command line; each command is a function here.
"""

from nescio.campaigns.checking import check
from nescio.campaigns.collecting import collect
from nescio.campaigns.exporting import export
from nescio.campaigns.handing_out import checker, handout
from nescio.campaigns.pooling import pool
from nescio.campaigns.receiving import intake
from nescio.campaigns.rulings import disqualify, extend, withdraw
from nescio.campaigns.scoring import score
from nescio.campaigns.sheets import sheets
from nescio.campaigns.site import publish
from nescio.campaigns.starting import init
from nescio.campaigns.state import status
from nescio.campaigns.verifying import verify

__all__ = [
    "check",
    "checker",
    "collect",
    "disqualify",
    "export",
    "extend",
    "handout",
    "init",
    "intake",
    "pool",
    "publish",
    "score",
    "sheets",
    "status",
    "verify",
    "withdraw",
]
