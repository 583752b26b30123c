"""Tools of several kinds on standard streams, by Python's standard library.

usage: tools.py LEDGER [key|principal]      over HTTP with the latter, which is what its tool goes by

On standard streams: `note` charges each time and claims nothing, `pay` claims idempotentHint and charges each time, `order`
claims it and keeps its word, `purge` has no argument that could name an intent, `balance` claims to be read-only.
Over HTTP: `charge` replays by its key alone, or by who asks and the key; a session belongs to who began it, and
`Bearer unknown` begins none.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ledger, *identity = sys.argv[1:]
TEXT = {"type": "string"}
INTENT = {"type": "object", "properties": {"intent": TEXT, "idempotency_key": TEXT}, "required": ["intent"]}
HINTS = {"note": {}, "pay": {"idempotentHint": True}, "order": {"idempotentHint": True}, "purge": {}}
HINTS = {"charge": {}} if identity else HINTS | {"balance": {"readOnlyHint": True}}
known, sessions = {}, {}


def call(tool, intent, key, who):
    same = {"order": intent, "charge": (who if identity == ["principal"] else "", key)}.get(tool)
    if same is None or same not in known:
        with open(ledger, "a") as file:
            file.write(json.dumps({"intent": intent, "tool": tool}) + "\n")
        known[same] = {"receipt": f"r{len(known)}-{intent}"}
    return known[same]


def result(method, params, who):
    if method == "initialize":
        info = {"name": "tools", "version": "1"}
        return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        schema = lambda name: {"type": "object", "properties": {}} if name == "purge" else INTENT
        return {"tools": [{"name": n, "inputSchema": schema(n), "annotations": h} for n, h in HINTS.items()]}
    if method == "tools/call":
        paid = call(params["name"], params["arguments"]["intent"], params["arguments"].get("idempotency_key"), who)
        return {"content": [{"type": "text", "text": json.dumps(paid)}], "structuredContent": paid}
    return None


def answer(message, who):
    found = result(message["method"], message.get("params"), who)
    what = {"error": {"code": -32601, "message": "no such method"}} if found is None else {"result": found}
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], **what})


class Http(BaseHTTPRequestHandler):
    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        who, session = self.headers["Authorization"], self.headers["Mcp-Session-Id"]
        if message["method"] == "initialize":
            session = f"s{len(sessions)}"
            sessions[session] = who
        is_theirs = sessions.get(session, "") == who and who != "Bearer unknown"
        is_stranger = message["method"] != "server/discover" and not is_theirs
        body = "" if is_stranger or "id" not in message else answer(message, who)
        self.send_response(404 if is_stranger else 200 if body else 202)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Mcp-Session-Id", session or "none")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


if identity:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Http)
    print(f"listening on http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
for line in sys.stdin:
    if "id" in json.loads(line):
        print(answer(json.loads(line), None), flush=True)
