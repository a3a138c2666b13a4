"""Write output on terminals and pipes that lack some characters: in a plain spelling, and never with an error."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Callable
from typing import Any

PLAIN, ESCAPED = "nescio.plain", "nescio.escaped"
# Each sign, followed by its spelling in ASCII.
_SIGNS = """
·* ×x –- —- −- ‑- ─- │| ├+ └+ ┌+ ┐+ ┘+ ┤+ ┬+ ┴+ ┼+ †+ •* °o →-> ←<- ↑^ ↓v ▶> ✔v ✓v ⁄/ ’' ‘' “" ”" „" «" »" ●* ○o ⟪<
⟫> …... ±+- ≥>= ≤<= ≠!= ∞inf √sqrt ²^2 ³^3 ½1/2 ¼1/4 ¾3/4 ⌈ceil( ⌉) Σsum αalpha βbeta δdelta ΔDelta θtheta κkappa
λlambda ρrho σsigma τtau ΦPhi ψpsi ωomega █# ▏|
"""
_SPELLED = {word[0]: word[1:] for word in _SIGNS.split()}
_SPELLED |= dict.fromkeys("\u00a0\u202f\u2009", " ")


def _escape(character: str) -> str:
    r"""Return a character as \uXXXX, which JSON can read. A character beyond U+FFFF becomes two such escapes."""
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def _handler(spell: Callable[[str], str]) -> Callable[[Any], tuple[str, int]]:
    def handle(error: Any) -> tuple[str, int]:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        return "".join(map(spell, error.object[error.start : error.end])), error.end

    return handle


def use_plain_spelling() -> None:
    """Make standard output and standard error replace characters that their encoding does not have.

    Signs are replaced by ASCII, such as "–" by "-", and letters by their numbers.
    """
    codecs.register_error(PLAIN, _handler(lambda c: _SPELLED.get(c) or _escape(c)))
    codecs.register_error(ESCAPED, _handler(_escape))
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=PLAIN)


def escaped(text: str, encoding: str | None) -> str:
    """Return a text in which characters that the encoding lacks are escaped as in JSON, for output to programs."""
    encoding = encoding or "utf-8"
    return text.encode(encoding, ESCAPED).decode(encoding)
