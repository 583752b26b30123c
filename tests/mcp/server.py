"""A charge tool by the official Python SDK (PyPI `mcp`, 1.x or 2.x), with the mistakes that such tools have.

usage: server.py MODE LEDGER [PORT]      stdio without PORT, else streamable HTTP on it

none     charges each time, and claims idempotentHint: true
plain    charges each time, and claims nothing
key      an argument is the key, taken in one atomic step with the charge
request  deduplicates by the id of the JSON-RPC request, which a re-issued call does not have
body     deduplicates by the raw body, over HTTP alone: the new id makes it another one
before   as plain; the effect comes before a wait in which it can be cancelled
after    as plain; the effect comes after it
"""

import json
import sys
import threading

import anyio
from mcp.types import ToolAnnotations

try:
    from mcp.server.mcpserver import Context, MCPServer as Server
except ImportError:
    from mcp.server.fastmcp import Context, FastMCP as Server

mode, ledger = sys.argv[1:3]
port = int(sys.argv[3]) if len(sys.argv) > 3 else None
# 1.x takes the address when it is made, 2.x when it is run.
address = {"host": "127.0.0.1", "port": port} if port else {}
is_old = "host" in Server.__init__.__annotations__
server = Server("charges", **(address if is_old else {}))
claims = {"none": True, "key": True}.get(mode, False)
known, lock = {}, threading.Lock()


def pay(intent: str, amount: int, identity: str | bytes | None) -> dict:
    with lock:
        if identity in known:
            if known[identity]["of"] != (intent, amount):
                raise ValueError("this key came before with another charge")
            return {"receipt": known[identity]["receipt"], "replay": True}
        receipt = f"r{sum(1 for _ in open(ledger, 'a+'))}-{intent}"
        with open(ledger, "a") as file:
            file.write(json.dumps({"intent": intent, "amount": amount}) + "\n")
        if identity is not None:
            known[identity] = {"receipt": receipt, "of": (intent, amount)}
        return {"receipt": receipt, "replay": False}


@server.tool(annotations=ToolAnnotations.model_validate({"idempotentHint": claims, "readOnlyHint": False}))
async def charge(intent: str, amount: int, ctx: Context, key: str | None = None) -> dict:
    """Charges an amount for an intent."""
    body = await ctx.request_context.request.body() if mode == "body" else None
    identity = {"key": key, "request": str(ctx.request_id), "body": body}.get(mode)
    if mode == "key" and not key:
        raise ValueError("key is missing")
    if mode == "after":
        await anyio.sleep(0.03)
    paid = pay(intent, amount, identity)
    if mode == "before":
        await anyio.sleep(0.03)
    return paid


@server.tool(annotations=ToolAnnotations.model_validate({"readOnlyHint": True}))
def balance(intent: str) -> int:
    """How much was charged for an intent."""
    return sum(json.loads(line)["amount"] for line in open(ledger) if json.loads(line)["intent"] == intent)


open(ledger, "a").close()
if port is None:
    server.run()
else:
    server.run("streamable-http", **({} if is_old else address))
