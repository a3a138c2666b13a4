"""Run a campaign (a shared task) from the call to the working notes, in a folder. Every step may be repeated.

Each command of `nescio campaign` is a function of this package.
"""

from nescio.people.campaigns.checking import check
from nescio.people.campaigns.collecting import collect
from nescio.people.campaigns.exporting import export
from nescio.people.campaigns.handing_out import checker, handout
from nescio.people.campaigns.pooling import pool
from nescio.people.campaigns.receiving import intake
from nescio.people.campaigns.rulings import disqualify, extend, withdraw
from nescio.people.campaigns.scoring import score
from nescio.people.campaigns.sheets import sheets
from nescio.people.campaigns.site import publish
from nescio.people.campaigns.starting import init
from nescio.people.campaigns.state import status
from nescio.people.campaigns.verifying import verify

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
