// Node's fetch: a form-encoded charge, sent again once under the same key.
import { createHash } from "node:crypto";

const order = `${process.env.IDEM_RUN}-node`;
const send = () =>
  fetch(`${process.env.IDEM_PROXY}/orders/${order}/charges?order=${order}`, {
    method: "POST",
    headers: { "X-Order": order, "X-Key": createHash("sha256").update(order).digest("hex") },
    body: new URLSearchParams({ amount: "5", "metadata[order]": order, key: "k1" }),
  });
await send().catch(() => send());
