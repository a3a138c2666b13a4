"""The charting library, imported when a chart is first drawn: that takes a second, and most commands draw none."""

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt
else:

    class _Altair:
        def __getattr__(self, name: str) -> Any:
            import altair

            return _chart() if name == "Chart" else getattr(altair, name)

    alt = _Altair()

__all__ = ["alt"]


@cache
def _chart() -> Any:
    """Return charts whose copies share their marks and encodings, which nobody changes. Altair copies each layer whole,
    many times over, which would take half of the time that a page takes."""
    import altair

    class Chart(altair.Chart):
        def __deepcopy__(self, _: Any) -> Any:
            return self.copy(deep=False)

    return Chart
