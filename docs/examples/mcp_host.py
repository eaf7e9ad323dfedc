"""An MCP host end to end: start phux-mcp, list its tools, and call them as a model would."""

import os

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main() -> None:
    server = stdio_client(StdioServerParameters(command="phux-mcp", env={**os.environ}))  # with PHUX_SOCKET
    async with Client(server) as client:
        tools = await client.list_tools()
        print(len(tools.tools), "tools, among them", *sorted(tool.name for tool in tools.tools)[:3])

        async def call(tool: str, **arguments: object) -> dict[str, object]:
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, result.content
            return dict(result.structured_content or {})

        await call("phux_new", name="host")
        ran = await call("phux_run", target="host", command="cd /usr && pwd; (exit 3)")
        print(ran["exit_code"], ran["output"])
        shown = await call("phux_act", target="host", keys=["cat", "Enter"], state="awaiting_input")
        print(shown["state"])
        await call("phux_signal", target="host")


if __name__ == "__main__":
    anyio.run(main)
