"""What every test needs before it starts."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy is imported; two cores serve the tests better as two processes

from hypothesis import Phase, settings

from tests.browser import chromium, visit  # noqa: F401  fixtures

QUICK = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)

settings.register_profile("nescio", deadline=None, derandomize=True, max_examples=20, phases=QUICK)
# Continuous integration: every law on more data, `pytest tests/laws --hypothesis-profile=laws`.
settings.register_profile("laws", settings.get_profile("nescio"), max_examples=60)
settings.register_profile("explore", deadline=None, max_examples=500, print_blob=True)  # --hypothesis-profile=explore
# Continuous integration: every reader of files on 2,000 damaged ones, `pytest -m fuzz --hypothesis-profile=fuzz`.
settings.register_profile("fuzz", settings.get_profile("nescio"), max_examples=2_000, phases=QUICK[:3])
settings.load_profile("nescio")
