"""Run the command line in this process, also for plug-ins."""

from tests.cli.conftest import nescio  # noqa: F401  a fixture
