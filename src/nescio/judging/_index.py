"""What is registered where in this package. `python tools/index.py` writes it, and a test holds it."""

MODULES: tuple[str, ...] = (
    "nescio.judging.choice",
    "nescio.judging.contains",
    "nescio.judging.declined",
    "nescio.judging.deep_read",
    "nescio.judging.exact",
    "nescio.judging.human",
    "nescio.judging.llm",
    "nescio.judging.numeric",
    "nescio.judging.overlap",
    "nescio.judging.pattern",
    "nescio.judging.runs",
    "nescio.judging.token_f1",
)
PLACES: dict[str, str] = {
    "choice": "nescio.judging.choice",
    "contains": "nescio.judging.contains",
    "declined": "nescio.judging.declined",
    "deep_read": "nescio.judging.deep_read",
    "exact": "nescio.judging.exact",
    "human": "nescio.judging.human",
    "llm": "nescio.judging.llm",
    "numeric": "nescio.judging.numeric",
    "overlap": "nescio.judging.overlap",
    "pattern": "nescio.judging.pattern",
    "token_f1": "nescio.judging.token_f1",
}
SUITING: tuple[str, ...] = ("choice", "deep_read")
