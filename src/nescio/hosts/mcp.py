"""Serve nescio's verbs as tools for assistants, through the Model Context Protocol.

A tool takes the options of its verb and returns the JSON that the command prints with `-f json`. If there are gates,
it adds their exit status. The declarations of the options check the arguments. All files must lie in the folder of the
server. The official SDK (extra `mcp`) implements the protocol.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nescio._version import __version__
from nescio.data.results import Results
from nescio.errors import NescioError, UsageError, in_json, spelling
from nescio.options import Option, Verb
from nescio.options.kinds import NAME_OR_PATH
from nescio.pipeline.baselines import file_of
from nescio.plugins import fault_of
from nescio.reporting.tables import render
from nescio.sources.remote import ALLOWED, address_of, check_allowed
from nescio.verbs import every_verb
from nescio.verbs._gates import exit_status

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from mcp.types import CallToolResult

INSTRUCTIONS = (
    "Evaluate question-answering systems that may decline to answer. Call `check` first: it says "
    "what the files contain and which options you must choose. Files are paths on the server's machine."
)
Tell = Callable[[int, int], None]


def serve(root: Path) -> None:
    """Serve the tools over standard input and output until the input ends; they read files in the folder `root`.

    If either stream is closed from the start, there is no client, and nothing is served.
    """
    made = server()
    ALLOWED.set(only_inside(root))
    streams = [stream for stream in (sys.stdin, sys.stdout) if isinstance(stream, TextIOWrapper)]
    if len(streams) < 2:
        return
    import anyio
    from mcp.server.stdio import stdio_server

    for stream in streams:
        stream.reconfigure(encoding="utf-8", errors="replace")

    async def run() -> None:
        # without arguments, the SDK would close both streams of the process when it ends
        async with stdio_server(*map(anyio.wrap_file, streams)) as (incoming, outgoing):
            await made.run(incoming, outgoing, made.create_initialization_options())

    anyio.run(run)


def only_inside(folder: Path) -> Callable[[Path | str], None]:
    """Return a function that raises UsageError for a path outside `folder`, or for a web address.

    A path in `folder` that leads outside by a link is refused, too.
    """
    root = folder.resolve()

    def check(file: Path | str) -> None:
        if address_of(file):
            raise UsageError(f"{file}: this is a web address; give the path of a file on the server's machine")
        try:
            inside = Path(file).resolve().is_relative_to(root)
        except (OSError, ValueError, RuntimeError):  # The path is a loop of links or invalid; opening it reports that.
            inside = True
        if not inside:
            raise UsageError(
                f"{file}: lies outside {root}; to let tools read another folder, start `nescio mcp --root FOLDER`"
            )

    return check


def server() -> Server[Any]:
    """Return the server of nescio's tools. Raises UsageError if the SDK of the protocol is not installed."""
    try:
        from mcp.server.lowlevel import Server
    except ImportError:
        raise UsageError("the SDK of the Model Context Protocol is not installed: pip install 'nescio[mcp]'") from None
    from anyio import from_thread, to_thread
    from mcp.types import CallToolResult, TextContent, Tool

    made: Server[Any] = Server("nescio", version=__version__, instructions=INSTRUCTIONS)
    tools = {verb.name: verb for verb in every_verb() if verb.tool}

    async def listed() -> list[Tool]:
        return [Tool(name=name, description=verb.doc, inputSchema=schema_of(verb)) for name, verb in tools.items()]

    async def call(name: str, arguments: dict[str, Any]) -> CallToolResult:
        context = made.request_context
        token = context.meta.progressToken if context.meta else None

        def tell(done: int, total: int) -> None:
            if token is not None:
                from_thread.run(context.session.send_progress_notification, token, done, total)

        text, failed = await to_thread.run_sync(answer, tools.get(name), name, arguments, tell)
        return CallToolResult(content=[TextContent(type="text", text=text)], isError=failed)

    made.list_tools()(listed)  # type: ignore[no-untyped-call]
    # The declarations check the arguments, with the same messages everywhere.
    made.call_tool(validate_input=False)(call)
    return made


def parameters_of(verb: Verb[Any, Any]) -> dict[str, Option]:
    """Return the parameters of a tool, without options that write files or start programs."""
    return {name: option for name, option in verb.options.items() if not (option.edge or option.writes or option.runs)}


def schema_of(verb: Verb[Any, Any]) -> dict[str, Any]:
    """Return the JSON Schema of a tool's parameters."""
    with spelling(in_json):
        takes = parameters_of(verb)
        required = [name for name, option in takes.items() if option.required]
        properties = {name: _property(option) for name, option in takes.items()}
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _property(option: Option) -> dict[str, Any]:
    from pydantic import TypeAdapter

    plain = option.kind.plain | None if option.default is None else option.kind.plain
    default = [*option.default] if isinstance(option.default, tuple) else option.default
    return {
        **TypeAdapter(plain).json_schema(),
        "description": option.about,
        **({} if option.required else {"default": default}),
        **({"examples": [*option.complete()]} if option.complete else {}),
    }


@spelling(in_json)
def answer(verb: Verb[Any, Any] | None, name: str, arguments: dict[str, Any], tell: Tell) -> tuple[str, bool]:
    """Run a tool with these arguments; return its output as text, and whether the text is an error message.

    The text names options in the spelling of the tool's parameters. `tell` is called with the progress.
    """
    try:
        if verb is None:
            raise UsageError(f"there is no tool {name!r}")
        takes = parameters_of(verb)
        if strange := next((unknown for unknown in arguments if unknown not in takes), None):
            raise UsageError(f"the tool {name} has no argument {strange!r}; its arguments are {', '.join(takes)}")
        followed: dict[str, Any] = {"progress": tell} if "progress" in verb.options else {}
        request = verb.request(**arguments, **followed)
        paths = [value for value in request.values().values() if isinstance(value, Path)]
        either = [getattr(request, name) for name, option in request.options.items() if option.kind is NAME_OR_PATH]
        for file in (*request.inputs(), *paths, *filter(None, map(file_of, either))):
            check_allowed(file)
        return _shown(verb.run(request)), False
    except Exception as error:
        fault = fault_of(error)
        if not fault and not isinstance(error, (NescioError, TypeError, OSError, MemoryError)):
            raise
        return str(fault or error) or type(error).__name__, True


def _shown(result: Any) -> str:
    """Return a result as the JSON that the command prints. If the result has gates, the exit status is added."""
    if not isinstance(result, Results):
        return str(result.as_json())
    text = render(result, "json")
    if not result.gates:
        return text
    return json.dumps(json.loads(text) | {"status": exit_status(result.gates)}, ensure_ascii=False)
