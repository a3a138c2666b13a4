"""What every program here asks of a model that says the same each time: right, wrong, nothing, right but for a judge
that fails, right."""

from __future__ import annotations

QUESTIONS = [
    ("Who keeps the lamp?", "Joss Harl", "Joss Harl"),
    ("When was it lit?", "1788", "In 1788"),
    ("What is the seal called?", "Amsel", ""),
    ("Which storm took the pier?", "1861", "1861"),
    ("Who rang the bell?", "Nell Boyd", "Nell Boyd"),
]
SAID = {question: said for question, _, said in QUESTIONS}


def verdict(question: str, said: str, gold: str) -> bool:
    """Say whether an answer is right; the judge has no time for the storm."""
    if "storm" in question:
        raise RuntimeError("the judge has no time")
    return said == gold
