r"""Turn the LaTeX formulas of docstrings into plain text for terminals: `\frac{C}{n}` becomes C/n."""

from __future__ import annotations

import re
from collections.abc import Callable

_SIGNS = {
    "cap": "∩",
    "in": "∈",
    "le": "≤",
    "ge": "≥",
    "cdot": "·",
    "lceil": "⌈",
    "rceil": "⌉",
    "alpha": "α",
    "beta": "β",
    "kappa": "κ",
    "sigma": "σ",
    "tau": "τ",
    "delta": "δ",
    "phi": "φ",
    "Phi": "Φ",
    "to": "→",
    "infty": "∞",
    "times": "×",
    "left": "",
    "right": "",
    ",": "·",
    " ": " ",
    "{": "{",
    "}": "}",
    "_": "_",
    "|": "|",
}
_POWERS = {"2": "²", "3": "³", "*": "*"}
_TOKEN = re.compile(r"\\([A-Za-z]+|.)|([{}^_])|(\s+)|([^\\{}^_\s]+)", re.DOTALL)
_FORMULA = re.compile(r"\$([^$]+)\$")
_SHARE = re.compile(r"1/(\w+)·(\([^()]*(?:\([^()]*\)[^()]*)*\))")
_OPEN, _CLOSE = "([{⌈", ")]}⌉"


def in_text(doc: str) -> str:
    """Return a text in which each LaTeX formula (between dollar signs) is replaced by plain text."""
    return _FORMULA.sub(lambda match: plain(match[1]), doc)


def plain(latex: str) -> str:
    """Return one formula as plain text, with fractions as quotients: `(C + U·C/n)/n`."""
    tokens = [match.group(0) for match in _TOKEN.finditer(latex)]
    text = _sequence(tokens, stop=None)
    text = re.sub(r"(?<=[ (=])·|·(?=[ )=+,]|$)", "", text)  # a thin space beside an operator is not a product
    text = " ".join(text.split())
    share = _SHARE.fullmatch(text)  # 1/n·(…) is (…)/n
    return f"{share[2]}/{share[1]}" if share else text


def _sequence(tokens: list[str], stop: str | None) -> str:
    parts: list[str] = []
    while tokens:
        token = tokens.pop(0)
        if token == stop:
            break
        parts.append(_one(token, tokens))
    return "".join(parts)


def _one(token: str, tokens: list[str]) -> str:
    if token == "{":
        return _sequence(tokens, "}")
    if token == "_":
        return _below(_argument(tokens))
    if token == "^":
        above = _argument(tokens)
        return _POWERS.get(above, f"..{above}" if re.fullmatch(r"\w+", above) else f"^({above})")
    if token.startswith("\\"):
        name = token[1:]
        return _COMMANDS[name](tokens) if name in _COMMANDS else _SIGNS.get(name, name)
    return " " if token.isspace() else token


def _fraction(tokens: list[str]) -> str:
    fraction = f"{_factor(_argument(tokens), below=False)}/{_factor(_argument(tokens), below=True)}"
    following = tokens[0] if tokens else ""
    product = following[:1].isalpha() or following in ("\\left", "(")
    return fraction + (" " if following in ("\\sum", "\\int") else "·" if product else "")


def _root(tokens: list[str]) -> str:
    argument = _argument(tokens)
    return f"√{argument}" if re.fullmatch(r"\w+", argument) else f"√({argument})"


def _over(sign: str) -> Callable[[list[str]], str]:
    """Return a function that writes the sign of a sum or an integral with its limits, such as "Σ_(k=1..n)".

    The function takes the limits from the tokens that follow the sign.
    """

    def written(tokens: list[str]) -> str:
        limits = ""
        while tokens and tokens[0] in ("_", "^"):
            upper = tokens.pop(0) == "^"
            limits += f"..{_argument(tokens)}" if upper else _argument(tokens)
        return f"{sign}{_below(limits) if limits else ''} "

    return written


def _below(text: str) -> str:
    return f"_{text}" if re.fullmatch(r"[\w.]+", text) else f"_({text})"


def _argument(tokens: list[str]) -> str:
    """Take the next argument of a LaTeX command from the tokens, and return it: a group, or a single character."""
    while tokens and tokens[0].isspace():
        tokens.pop(0)
    if not tokens:
        return ""
    token = tokens.pop(0)
    if token not in "{}^_" and not token.startswith("\\") and len(token) > 1:
        tokens.insert(0, token[1:])
        token = token[0]
    return _one(token, tokens).strip()


def _factor(text: str, *, below: bool) -> str:
    """Return the numerator or denominator of a fraction as plain text, in brackets if it has several factors."""
    depth, bars, outside = 0, False, ""
    for c in text:
        if c == "|":
            bars = not bars
        depth += (c in _OPEN) - (c in _CLOSE)
        outside += c if not depth and not bars else ""
    loose = " " in outside.strip() or re.search(r"[+/·-]" if below else r"[+-]", outside)
    return f"({text})" if loose else text


_COMMANDS: dict[str, Callable[[list[str]], str]] = {
    "frac": _fraction,
    "text": _argument,
    "sqrt": _root,
    "sum": _over("Σ"),
    "int": _over("∫"),
}
