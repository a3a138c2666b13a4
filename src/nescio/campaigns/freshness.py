"""Whether results are of the runs and the judgements that are in now, and a site of the results."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from nescio.campaigns.folder import JUDGEMENTS, RESULTS, SITE, Campaign
from nescio.campaigns.judgements import TABLE
from nescio.campaigns.receipts import taken_in
from nescio.errors import MismatchError

MADE_FROM = "results.sha256"  # in the site: which results it was made from


def judgements_digest(campaign: Campaign) -> str:
    """Return the SHA-256 digest of all judgements that were read back; empty where there are none."""
    path = campaign / JUDGEMENTS / TABLE
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def older_than(campaign: Campaign, results: Mapping[str, Any]) -> list[str]:
    """Name what is newer than the results, or in no longer: the runs, the judgements; none where they are of all."""
    versions = {run: kept for part in results["parts"] for run, kept in part["versions"].items()}
    runs = {run.run: [run.version, run.digest] for run in taken_in(campaign)}
    return [
        *(["the runs"] if versions != runs else []),
        *(["the judgements"] if results.get("judgements") != judgements_digest(campaign) else []),
    ]


def refuse_old(campaign: Campaign, results: Mapping[str, Any]) -> None:
    """Raise MismatchError where the results are not of the runs and judgements that are in now."""
    if newer := older_than(campaign, results):
        rule = f"the results are older than {' and '.join(newer)}"
        raise MismatchError(f"{rule}; run nescio campaign score {campaign.folder} first")


def results_digest(campaign: Campaign) -> str:
    """Return the SHA-256 digest of what a site is made from, as it is written beside the pages."""
    files = [campaign / RESULTS / "data.json", campaign / RESULTS / "tables" / "index.json"]
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files if path.is_file()]
    return hashlib.sha256(" ".join(digests).encode()).hexdigest() + "\n"


def is_of_results(campaign: Campaign) -> bool:
    """Say whether the site was made from the results that are there now."""
    path = campaign / SITE / MADE_FROM
    return path.is_file() and path.read_text(encoding="ascii", errors="replace") == results_digest(campaign)
