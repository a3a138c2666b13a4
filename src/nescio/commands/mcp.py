"""nescio as tools for assistants, by the Model Context Protocol: check, score, compare, plan and tune.

A tool takes the arguments of the function of its name and gives the JSON that the command prints with `-f json`.
What a tool takes is read off that function, so that nothing is declared twice. The protocol itself is the official
SDK's (extra `mcp`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, get_type_hints

import nescio
from nescio.commands.check_each import as_json
from nescio.errors import UsageError
from nescio.pipeline import CALLERS, ReadingOptions
from nescio.reporting.tables import render
from nescio.sources.remote import address_of

if TYPE_CHECKING:
    from mcp.server.fastmcp import FastMCP

INSTRUCTIONS = (
    "Evaluate question-answering systems that may decline to answer. `check` says what files hold and what is to be "
    "decided; give it first. Files are paths on the machine of the server."
)
_FILES = ("source", "pilot")  # how the functions call what is read
_MEASURES = ("measure", "measures")


def server() -> FastMCP:
    """Make the server; raises UsageError where the SDK is not installed."""
    try:
        from mcp.server.fastmcp import FastMCP
    except ImportError:
        raise UsageError("the SDK of the Model Context Protocol is not installed: pip install 'nescio[mcp]'") from None
    made = FastMCP("nescio", instructions=INSTRUCTIONS, log_level="ERROR")
    for name, (function, in_json) in _tools().items():
        made.add_tool(_tool(function, in_json), name=name, description=inspect.getdoc(function))
    return made


def _tools() -> Mapping[str, tuple[Callable[..., Any], Callable[[Any], str]]]:
    """Name the functions that are tools, and how what they give is written as JSON."""
    results = partial(render, form="json")
    return {
        "check": (nescio.check_each, as_json),
        "score": (nescio.score, results),
        "compare": (nescio.compare, results),
        "plan": (nescio.plan, results),
        "tune": (nescio.tune, results),
    }


def _tool(function: Callable[..., Any], in_json: Callable[[Any], str]) -> Callable[..., Any]:
    """Make a tool of a function: its own signature in plain types, run beside the server, its progress told."""
    from anyio import from_thread, to_thread
    from mcp.server.fastmcp import Context

    takes = _parameters(function)
    source = next(iter(takes))
    watched = "progress" in inspect.signature(function).parameters

    async def call(context: Context[Any, Any, Any], **arguments: Any) -> str:
        def tell(done: int, total: int) -> None:
            from_thread.run(context.report_progress, done, total)

        def work() -> str:
            files = arguments.pop(source)
            _check_paths(files or ())
            further: dict[str, Any] = {"progress": tell} if watched else {}
            return in_json(function(files, **arguments, **further))

        text: str = await to_thread.run_sync(work)
        return text

    first = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=Context)
    takes_now = inspect.Signature([first, *takes.values()], return_annotation=str)
    call.__signature__ = takes_now  # type: ignore[attr-defined]
    call.__annotations__ = {"context": Context, **{name: p.annotation for name, p in takes.items()}, "return": str}
    return call


def _check_paths(files: Sequence[str]) -> None:
    """Raise UsageError for an address: what an assistant names must not make the server fetch it."""
    for file in files:
        if address_of(file):
            raise UsageError(f"{file}: this is an address; files are paths on the machine of the server")


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """List what a tool takes: files first, then the function's own arguments and the options of reading, each with its
    default."""
    hints = get_type_hints(function)
    taken: dict[str, inspect.Parameter] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD or parameter.name == "progress":
            continue
        kind, default = hints[parameter.name], parameter.default
        if parameter.name in _FILES:
            kind = list[str] if default is parameter.empty else list[str] | None
        if parameter.name in _MEASURES:
            kind = (str if parameter.name == "measure" else list[str]) | (None if default is None else str)
        taken[parameter.name] = inspect.Parameter(
            parameter.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind
        )
    plain = nescio.pipeline.Options()
    for name, kind in get_type_hints(ReadingOptions).items():
        if name not in CALLERS:
            taken[name] = inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=getattr(plain, name), annotation=kind
            )
    return taken
