"""Serve check, score, compare, plan and tune to assistants over the Model Context Protocol.

Speaks the protocol on standard input and output, as assistants that start their tools themselves expect. Each tool
takes the arguments of the Python function of the same name and returns what the command prints with -f json. Needs the
extra `mcp`: pip install 'nescio[mcp]'.

\b
nescio mcp
"""

from __future__ import annotations

from nescio.hosts.mcp import serve
from nescio.options import Request, verb


@verb(Request, name="mcp", prints="")
def mcp(_: Request) -> None:
    serve()
