"""nescio as tools for assistants, by the Model Context Protocol: the verbs that are declared as tools.

A tool takes what its verb declares and gives the JSON that the command prints with `-f json`. The protocol itself is
the official SDK's (extra `mcp`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from nescio.data.results import Results
from nescio.errors import SPELLING, UsageError, in_json
from nescio.options import Verb
from nescio.reporting.tables import render
from nescio.sources.remote import address_of
from nescio.verbs import every_verb

if TYPE_CHECKING:
    from mcp.server.fastmcp import FastMCP

INSTRUCTIONS = (
    "Evaluate question-answering systems that may decline to answer. `check` says what files hold "
    "and what must be decided; call it first. Files are paths on the server's machine."
)


def server() -> FastMCP:
    """Make the server; raises UsageError where the SDK is not installed."""
    try:
        from mcp.server.fastmcp import FastMCP
    except ImportError:
        raise UsageError("the SDK of the Model Context Protocol is not installed: pip install 'nescio[mcp]'") from None
    made = FastMCP("nescio", instructions=INSTRUCTIONS, log_level="ERROR")
    for verb in every_verb():
        if verb.tool:
            made.add_tool(_tool(verb), name=verb.name, description=inspect.getdoc(verb))
    return made


def parameters_of(verb: Verb[Any, Any]) -> dict[str, inspect.Parameter]:
    """List what a tool takes, in plain types; it writes no files of its own."""
    kind = inspect.Parameter.KEYWORD_ONLY
    return {
        name: inspect.Parameter(
            name,
            kind,
            default=inspect.Parameter.empty if one.required else one.default,
            annotation=one.kind.plain | None if one.default is None else one.kind.plain,
        )
        for name, one in verb.options.items()
        if not one.edge and not one.writes
    }


def _tool(verb: Verb[Any, Any]) -> Callable[..., Any]:
    """Make a tool of a verb: its options in plain types, run beside the server, its progress told."""
    from anyio import from_thread, to_thread
    from mcp.server.fastmcp import Context

    takes = parameters_of(verb)

    async def call(context: Context[Any, Any, Any], **arguments: Any) -> str:
        def tell(done: int, total: int) -> None:
            from_thread.run(context.report_progress, done, total)

        def work() -> str:
            SPELLING.set(in_json)
            followed: dict[str, Any] = {"progress": tell} if "progress" in verb.options else {}
            request = verb.request(**arguments, **followed)
            _check_paths(request.inputs())
            result = verb.run(request)
            return render(result, "json") if isinstance(result, Results) else str(result.as_json())

        text: str = await to_thread.run_sync(work)
        return text

    first = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=Context)
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [first, *takes.values()], return_annotation=str
    )
    call.__annotations__ = {"context": Context, **{name: p.annotation for name, p in takes.items()}, "return": str}
    return call


def _check_paths(files: Iterable[Any]) -> None:
    """Raise UsageError for an address: what an assistant names must not make the server fetch it."""
    for file in files:
        if address_of(str(file)):
            raise UsageError(f"{file}: this is an address; files are paths on the server's machine")
