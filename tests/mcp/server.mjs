// The charge tool of server.py by the official TypeScript SDK: npm `@modelcontextprotocol/server` (2.x, over HTTP with
// `@modelcontextprotocol/node`), or where that is not installed `@modelcontextprotocol/sdk` (1.x).
//
// usage: server.mjs MODE LEDGER [PORT]     the modes are those of server.py; stdio without PORT, else HTTP on it
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";

const [mode, ledger, port] = process.argv.slice(2);
const isNew = await import("@modelcontextprotocol/server").then(() => true, () => false);
const load = (path) => import(isNew ? "@modelcontextprotocol/" + path : "@modelcontextprotocol/sdk/server/" + path);
const { McpServer, createMcpHandler } = await load(isNew ? "server" : "mcp.js");

const known = new Map();
const bodies = new Map(); // what came, by the id in it
const received = (text) => bodies.set(JSON.parse(text).id, text);

// Nothing awaits in it, so it is one step.
function pay(intent, amount, identity) {
  const before = identity && known.get(identity);
  if (before) {
    if (before.intent !== intent || before.amount !== amount) throw Error("this key came before with another charge");
    return { receipt: before.receipt, replay: true };
  }
  appendFileSync(ledger, JSON.stringify({ intent, amount }) + "\n");
  const receipt = randomUUID();
  if (identity) known.set(identity, { intent, amount, receipt });
  return { receipt, replay: false };
}

function server() {
  const shape = { intent: z.string(), amount: z.int(), key: z.string().optional() };
  const inputSchema = isNew ? z.object(shape) : shape;
  const annotations = { idempotentHint: ["none", "key"].includes(mode), readOnlyHint: false };
  const made = new McpServer({ name: "charges", version: "1" });
  made.registerTool("charge", { inputSchema, annotations }, async ({ intent, amount, key }, context) => {
    const { id, signal } = context.mcpReq ?? { id: context.requestId, signal: context.signal };
    if (mode === "key" && !key) throw Error("key is missing");
    if (mode === "after") await sleep(30, null, { signal });
    const paid = pay(intent, amount, { key, request: `${id}`, body: bodies.get(id) }[mode]);
    if (mode === "before") await sleep(30, null, { signal });
    return { content: [{ type: "text", text: JSON.stringify(paid) }] };
  });
  return made;
}

// 1.x: a server and a transport for each session.
const sessions = new Map();
async function inSession(request, response, message) {
  const { StreamableHTTPServerTransport } = await load("streamableHttp.js");
  let transport = sessions.get(request.headers["mcp-session-id"]);
  if (!transport) {
    const onsessioninitialized = (name) => sessions.set(name, transport);
    transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, onsessioninitialized });
    await server().connect(transport);
  }
  await transport.handleRequest(request, response, message);
}

appendFileSync(ledger, "");
if (port) {
  const handle = isNew ? (await load("node")).toNodeHandler(createMcpHandler(server)) : inSession;
  const answer = async (request, response) => {
    let text = "";
    for await (const piece of request.setEncoding("utf8")) text += piece;
    if (text) received(text);
    await handle(request, response, text ? JSON.parse(text) : undefined);
  };
  // A request that breaks off must not end the server.
  const http = createServer((request, response) => answer(request, response).catch(() => response.destroy()));
  http.listen(Number(port), "127.0.0.1");
} else {
  const { serveStdio, StdioServerTransport } = await load(isNew ? "server/stdio" : "stdio.js");
  createInterface({ input: process.stdin }).on("line", received); // the SDK reads the same after it
  if (isNew) serveStdio(server);
  else await server().connect(new StdioServerTransport());
}
