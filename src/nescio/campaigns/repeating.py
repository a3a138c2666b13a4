"""Make pool, results and site again and compare them with the files. This finds an edit that has its own line in the
log."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from nescio._version import __version__
from nescio.campaigns.folder import LOG, POOL, RESULTS, RETURNS, SITE, Campaign, put
from nescio.campaigns.freshness import POOLING, PUBLISHING, SCORING, age
from nescio.campaigns.log import Entry, digests
from nescio.campaigns.pooling import ITEMS, merged_items, pool_items, pool_lines, read_items, read_runs
from nescio.campaigns.receipts import TOLD
from nescio.campaigns.runs import Fault
from nescio.campaigns.scoring import plan_of, write_results
from nescio.campaigns.site import write_site
from nescio.data.notes import Note, note
from nescio.errors import NescioError
from nescio.options.edge import Progress
from nescio.sources.temporary import temporary_folder


def repeated(
    campaign: Campaign, entries: Sequence[Entry], progress: Progress | None, *, strict: bool
) -> Iterator[Fault | Note]:
    """Yield a fault for each file that differs from what its step makes of the runs, judgements and settings.

    A stale step cannot be repeated, nor the steps after it. A note says so. With `strict` it is a fault, because a
    forged line of the log can claim that its step read other files."""
    for step, make in _STEPS.items():
        old, last = age(campaign, step, entries), next((one for one in reversed(entries) if one.step == step), None)
        if old is None or last is None:
            continue
        if not old.fresh:
            remark = note(
                "campaign.not_repeated",
                "what nescio campaign {subject} wrote was not made again: it is {why}",
                step,
                why=str(old),
            )
            yield Fault(LOG, None, f"{remark.text}; repeat the step") if strict else remark
            return
        with temporary_folder() as folder:
            try:
                make(campaign, folder, last, progress)
            except NescioError as error:
                yield Fault(LOG, None, f"nescio campaign {step} cannot be repeated: {error}")
                return
            made = digests(Campaign(folder, campaign.settings), POOL, RESULTS, SITE, RETURNS)
        for name in sorted({*last.wrote, *made}):
            told = name.startswith(RETURNS) and name.endswith(TOLD)  # which says how long the log was then
            if last.wrote.get(name) != made.get(name) and not told:
                why = "it was edited, and the log with it"
                if last.nescio != __version__:
                    why = f"nescio {last.nescio} wrote it, and this is {__version__}; repeat the step"
                yield Fault(name, None, f"nescio campaign {step} makes a different file from the same input: {why}")


def _pool(campaign: Campaign, folder: Path, _: Entry, progress: Progress | None) -> None:
    items = pool_items(read_runs(campaign, progress))[0]
    put(folder / POOL / ITEMS, pool_lines(merged_items(items, read_items(campaign))))


def _score(campaign: Campaign, folder: Path, last: Entry, progress: Progress | None) -> None:
    (folder / RESULTS).mkdir()
    write_results(campaign, folder / RESULTS, plan_of(last), progress=progress)


def _publish(campaign: Campaign, folder: Path, _: Entry, progress: Progress | None) -> None:
    write_site(campaign, folder / SITE, folder / RETURNS, progress)


_STEPS: Mapping[str, Callable[[Campaign, Path, Entry, Progress | None], None]] = {
    POOLING: _pool,
    SCORING: _score,
    PUBLISHING: _publish,
}
