"""The server: tools over standard input and output; a process for each call that runs anything."""

from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from reducer import __version__
from reducer.cli.mcp.answers import encoded, fitted
from reducer.cli.mcp.bounds import Bounds
from reducer.cli.mcp.jobs import Answer, Job, JobTable
from reducer.cli.mcp.tools import ANSWER, INSTRUCTIONS, SECONDS, TOOLS, UNTRUSTED, Arguments
from reducer.errors import ExitCode, ReducerError, UsageError

Context = ServerRequestContext[Any, Any]
_PIECE = 2500
"""Characters of a file in one answer."""


def serve(bounds: Bounds) -> None:
    """Serve until the client is gone; then all that runs ends."""
    anyio.run(_serve, bounds)


async def _serve(bounds: Bounds) -> None:
    jobs = JobTable(bounds)

    async def list_tools(
        context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=name, description=tool.does, input_schema=tool.schema, output_schema=ANSWER
                )
                for name, tool in TOOLS.items()
            ]
        )

    async def call_tool(
        context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        answer = await _answered(context, jobs, bounds, params.name, params.arguments or {})
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=encoded(answer))],
            structured_content=answer,
            is_error=answer["status"] not in ("OK", "RUNNING"),
        )

    server = Server(
        "mlir-reducer",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    try:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
    finally:
        jobs.close()


async def _answered(
    context: Context, jobs: JobTable, bounds: Bounds, name: str, arguments: Arguments
) -> Answer:
    try:
        if (tool := TOOLS.get(name)) is None:
            raise UsageError(f"there is no such tool; these are: {', '.join(TOOLS)}")
        tool.check(arguments)
        if name == "read":
            return fitted(_piece(bounds, arguments))
        if name in ("wait", "cancel"):
            job = jobs.find(arguments["job"])
        else:
            job = await anyio.to_thread.run_sync(jobs.start, name, arguments)
        if not isinstance(job, Job):
            return fitted(job)
        if name == "cancel":
            job.end()
        seconds = 0.0 if name == "reduce" else float(arguments.get("seconds", SECONDS))
        await _wait(context, job, seconds)
        return fitted(job.answer)
    except Exception as error:
        code = error.exit_code if isinstance(error, ReducerError) else ExitCode.INTERNAL
        reason = {"reason": str(error)}
        return fitted({"status": code.name, "says": "this call is refused", UNTRUSTED: reason})


async def _wait(context: Context, job: Job, seconds: float) -> None:
    """Wait for a job, and tell the client of its progress."""
    told = 0
    with anyio.move_on_after(seconds):
        while not job.done.is_set():
            await anyio.sleep(0.1)
            runs, ops = job.progress.get("runs", 0), job.progress.get("ops")
            if runs > told:
                told = runs
                await context.session.report_progress(runs, None, f"{ops} ops after {runs} runs")


def _piece(bounds: Bounds, arguments: Arguments) -> Answer:
    path, start = bounds.owned(arguments["file"]), int(arguments.get("offset", 0))
    text = path.read_text(encoding="utf-8", errors="replace")
    piece = text[start : start + _PIECE]
    while len(encoded({"": piece})) > _PIECE + 500:
        piece = piece[: len(piece) * 9 // 10]
    end = start + len(piece)
    says = f"characters {start} to {end} of {len(text)}"
    return {"status": "OK", "says": says, UNTRUSTED: {"text": piece}}
