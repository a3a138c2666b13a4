"""The command line in this process, for plug-ins too."""

from tests.cli.conftest import nescio  # noqa: F401  a fixture
