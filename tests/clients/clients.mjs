// Node clients for survey.py: `clients.mjs NAME` pays one order as the library is set up, through IDEM_PROXY.
const base = process.env.IDEM_PROXY;
const order = process.env.IDEM_RUN;
const url = `${base}/charges`;
const json = { intent: order, amount: 5 };
const { createRequire } = await import("node:module");
// Packages are where survey.py installed them.
const load = createRequire(`${process.env.NODE_HOME}/`);
const esm = (name) => import(load.resolve(name)).then((module) => module.default ?? module);

const clients = {
  async node_fetch() {
    const reply = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(json),
      signal: AbortSignal.timeout(1000),
    });
    if (!reply.ok) throw new Error(reply.status);
    await reply.json();
  },
  async axios_retry_default() {
    const axios = load("axios").create({ timeout: 1000 });
    load("axios-retry").default(axios, { retries: 2 });
    await axios.post(url, json);
  },
  async axios_retry_any() {
    const axios = load("axios").create({ timeout: 1000 });
    const retry = load("axios-retry").default;
    retry(axios, { retries: 2, retryCondition: () => true, shouldResetTimeout: true });
    await axios.post(url, json);
  },
  async got_default() {
    const got = await esm("got");
    await got.post(url, { json, timeout: { request: 1000 } });
  },
  async got_post() {
    const got = await esm("got");
    await got.post(url, { json, timeout: { request: 1000 }, retry: { limit: 2, methods: ["POST"] } });
  },
  async ky_post() {
    const ky = await esm("ky");
    await ky.post(url, { json, timeout: 1000, retry: { limit: 2, methods: ["post"], retryOnTimeout: true } });
  },
  async undici_retry_agent() {
    const { Agent, RetryAgent, request } = load("undici");
    const agent = new Agent({ headersTimeout: 1000, bodyTimeout: 1000 });
    const options = { maxRetries: 2, minTimeout: 100, methods: ["POST"] };
    const reply = await request(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(json),
      dispatcher: new RetryAgent(agent, options),
    });
    if (reply.statusCode >= 400) throw new Error(reply.statusCode);
    await reply.body.json();
  },
  async superagent_retry() {
    await load("superagent").post(url).send(json).timeout(1000).retry(2);
  },
  async stripe_node() {
    const { hostname: host, port } = new URL(base);
    const Stripe = load("stripe");
    const stripe = new (Stripe.default ?? Stripe)("sk_test_x", { host, port, protocol: "http", timeout: 1000 });
    await stripe.paymentIntents.create({ amount: 5, currency: "usd", metadata: { order } });
  },
};
try {
  await clients[process.argv[2]]();
} catch (error) {
  console.error(String(error));
  process.exitCode = 1;
}
