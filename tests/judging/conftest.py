"""The endpoint that judges ask."""

from tests.judging.llm_server import http, server  # noqa: F401  fixtures
