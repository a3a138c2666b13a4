"""Serve nescio to AI assistants (Model Context Protocol).

Speaks the protocol on standard input and output, as assistants that start their tools themselves expect. Each tool
takes the arguments of the Python function of the same name and returns what the command prints with -f json. Tools read
files of the folder in which the server was started, or of --root, and no addresses. Needs the extra `mcp`: pip install
'nescio[mcp]'.

\b
nescio mcp
nescio mcp --root runs
"""

from __future__ import annotations

from pathlib import Path

from nescio.hosts.mcp import serve
from nescio.options import Request, option, verb


class McpRequest(Request):
    """The option of the MCP server that limits which files its tools may read."""

    root: Path = option(
        default=Path(),
        metavar="FOLDER",
        help="The folder whose files the tools may read, subfolders included.",
        default_words="the folder in which the server was started",
    )


@verb(McpRequest, name="mcp", prints="")
def mcp(request: McpRequest) -> None:
    serve(request.root)
