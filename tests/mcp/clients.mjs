// Node clients for clients_survey.py: `clients.mjs NAME` calls the tool `charge` once by the official TypeScript SDK, of
// both its generations. The server is where clients.py has it; packages are in NODE_HOME.
const { createRequire } = await import("node:module");
const { env, argv } = process;
const load = createRequire(`${env.NODE_HOME}/`);
const esm = (name) => import(load.resolve(name));
const wait = { timeout: 1500 };
const call = { name: "charge", arguments: { intent: env.IDEM_RUN, amount: 5 } };

const packages = {
  sdk_v1: async () => ({
    ...(await esm("@modelcontextprotocol/sdk/client/index.js")),
    ...(await esm("@modelcontextprotocol/sdk/client/streamableHttp.js")),
    ...(await esm("@modelcontextprotocol/sdk/client/stdio.js")),
  }),
  sdk_v2: async () => ({
    ...(await esm("@modelcontextprotocol/client")),
    ...(await esm("@modelcontextprotocol/client/stdio")),
  }),
};

async function once(name) {
  const { Client, StreamableHTTPClientTransport, StdioClientTransport } = await packages[name]();
  const [command, ...args] = (env.IDEM_SERVER ?? "").split("\n");
  const transport = env.IDEM_PROXY
    ? new StreamableHTTPClientTransport(new URL(`${env.IDEM_PROXY}/mcp`))
    : new StdioClientTransport({ command, args, env, stderr: "inherit" });
  // By the newest revision where the package knows it; it asks first which the server speaks.
  const client = new Client({ name: "survey", version: "1" }, { versionNegotiation: { mode: "auto" } });
  client.onerror = (why) => console.error(String(why));
  try {
    await client.connect(transport);
    const result = name === "sdk_v1" ? await client.callTool(call, undefined, wait) : await client.callTool(call, wait);
    if (result.isError) throw new Error(`the tool failed: ${JSON.stringify(result.content)}`);
  } finally {
    await client.close();
  }
}

async function again(name) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(name);
    } catch (why) {
      console.error(`attempt ${attempt}: ${why}`);
      if (attempt === 3) throw why;
    }
  }
}

const [, name, isAgain] = argv[2].match(/^(sdk_v[12])(_again)?$/);
await (isAgain ? again(name) : once(name));
process.exit(0);
