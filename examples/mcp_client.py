"""A client of the Model Context Protocol works at a desk: the official SDK, over stdio.

    pip install deskgym mcp
    python examples/mcp_client.py

It starts ``deskgym mcp demo/adam``, as any host of the protocol would, lists the tools, runs a
command, looks at a photograph, and answers. A host such as a desktop assistant is given::

    {"mcpServers": {"desk": {"command": "deskgym", "args": ["mcp", "demo/adam"]}}}
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

TASK = "adam-009"
PICTURE = "01_Work/03_Litigation_Brackwater/IMG_0131_list.jpg"
ANSWER = "Court 37"
COMMAND = [sys.executable, "-P", "-m", "deskgym", "mcp", "demo/adam", "--task", TASK]


async def episode() -> dict[str, Any]:
    """Play one episode; what the answer came to: ``reward``, ``scores``, ..."""
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    server = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:])
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        welcome = plain(await session.initialize())
        print(welcome["instructions"], "\n")
        tools = plain(await session.list_tools())["tools"]
        print("tools:", ", ".join(tool["name"] for tool in tools))

        listing = plain(await session.call_tool("terminal", {"command": "ls"}))
        print(listing["content"][0]["text"])
        seen = plain(await session.call_tool("read_image", {"path": PICTURE}))
        print([(piece["type"], piece.get("mimeType")) for piece in seen["content"]])

        answer = {"text": ANSWER, "cites": [{"path": PICTURE}]}
        last: dict[str, Any] = plain(await session.call_tool("answer", answer))
        told: dict[str, Any] = last["_meta"]["deskgym/step"]
        print(last["content"][0]["text"], "reward", told["reward"])
        return told


def plain(result: Any) -> dict[str, Any]:
    """A result as the protocol writes it, whatever the SDK's version calls its fields."""
    told: dict[str, Any] = result.model_dump(mode="json", by_alias=True)
    return told


if __name__ == "__main__":
    asyncio.run(episode())
