"""Provide the endpoint that judges call."""

from tests.judging.llm_server import http, server  # noqa: F401  fixtures
