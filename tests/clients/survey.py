#!/usr/bin/env python3
"""Real clients and SDKs under `idem proxy --fault all`, with the truth counted at the server.

    tests/clients/survey.py --idem target/release/idem --home /tmp/clients [--only NAME] > table.txt

Prints the table of `idem explain clients`. `--home` is where the packages are: a venv `v`, node_modules in `n`, the Java
classes in `jc`, the Go binary `gocli`, the Rust binary `rr/target/debug/reqwest-retry-client`; README.md beside this file
says how they come there. A client whose home lacks its packages is named on standard error and left out.

For each client and each fault the charges that idem's table shows are held to those that the server made, and the exit is 1
where they differ.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(f"{HERE}/../support")
from fault_table import FAULTS, cells, head
JARS = ":".join(f"/usr/share/java/{jar}.jar" for jar in ("okhttp", "okio", "httpclient", "httpcore", "commons-logging"))
STRIPE = ["--intent-at", "form:metadata[order]", "--receipt-at", "/id"]


class Server(ThreadingHTTPServer):
    """Charges once for a key, and each time without one, whether or not the client is still there to hear of it."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock, self.charges, self.kept = threading.Lock(), [], {}

    def charge(self, intent, key):
        with self.lock:
            if key in self.kept:
                return self.kept[key], True
            receipt = f"r{len(self.charges)}"
            self.charges.append({"intent": intent, "receipt": receipt})
            if key:
                self.kept[key] = receipt
            return receipt, False


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        lines = "".join(json.dumps(charge) + "\n" for charge in list(self.server.charges))
        self.reply(200, lines if self.path == "/ledger" else "warm")

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if len(body) < length:  # Half a request charges nobody.
            self.close_connection = True
            return
        time.sleep(0.02)
        key = self.headers.get("Idempotency-Key")
        if self.path == "/charges":
            receipt, replay = self.server.charge(json.loads(body)["intent"], key)
            self.reply(200, json.dumps({"receipt": receipt, "replay": replay}))
        else:  # Stripe's API: form-encoded in, an object out.
            form = dict(urllib.parse.parse_qsl(body.decode()))
            receipt, replay = self.server.charge(form["metadata[order]"], key)
            kind = self.path.rsplit("/", 1)[-1].rstrip("s")
            self.reply(200, json.dumps({"id": receipt, "object": kind, "amount": 5}), replay)

    def reply(self, status, text, replay=False):
        body = text.encode()
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            if replay:
                self.send_header("Idempotent-Replayed", "true")
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            self.close_connection = True

    def log_message(self, *_):
        pass


def clients(home):
    """What each is called, how it is run, and what idem has to be told."""
    python = lambda name: [f"{home}/v/bin/python", f"{HERE}/clients.py", name]
    node = lambda name: ["node", f"{HERE}/clients.mjs", name]
    ruby = lambda name: ["ruby", f"{HERE}/clients.rb", name]
    java = lambda name: ["java", "-cp", f"{home}/jc:{JARS}", "Clients", name]
    go = lambda name: [f"{home}/gocli", name]
    curl = lambda more: ["sh", "-c", f"curl -sf --max-time 1 {more} -H 'Content-Type: application/json' "
                         "-d '{\"intent\":\"'$IDEM_RUN'\",\"amount\":5}' $IDEM_PROXY/charges"]
    v, n = pip_versions(home), npm_versions(home)
    return [
        ("stripe_python", f"stripe-python {v['stripe']} StripeClient", python("stripe_python"), STRIPE),
        ("stripe_python_retries", "  with max_network_retries=2", python("stripe_python_retries"), STRIPE),
        ("stripe_node", f"stripe-node {n['stripe']}", node("stripe_node"), STRIPE),
        ("requests_default", f"requests {v['requests']}, Retry(2)", python("requests_default"), []),
        ("requests_any_method", "  the same, allowed_methods=None", python("requests_any_method"), []),
        ("httpx_plain", f"httpx {v['httpx']}", python("httpx_plain"), []),
        ("httpx_tenacity", f"  with tenacity {v['tenacity']}", python("httpx_tenacity"), []),
        ("httpx_tenacity_key_inside", "  the same, uuid key inside", python("httpx_tenacity_key_inside"), []),
        ("aiohttp_plain", f"aiohttp {v['aiohttp']}", python("aiohttp_plain"), []),
        ("aiohttp_retry", f"  with aiohttp-retry {v['aiohttp-retry']}", python("aiohttp_retry"), []),
        ("node_fetch", f"Node {version(['node', '--version'])} fetch", node("node_fetch"), []),
        ("axios_retry_default", f"axios {n['axios']}, axios-retry {n['axios-retry']}", node("axios_retry_default"), []),
        ("axios_retry_any", "  the same, retryCondition true", node("axios_retry_any"), []),
        ("got_default", f"got {n['got']}", node("got_default"), []),
        ("got_post", "  the same, methods POST", node("got_post"), []),
        ("ky_post", f"ky {n['ky']}, methods post", node("ky_post"), []),
        ("undici_retry_agent", f"undici {n['undici']} RetryAgent POST", node("undici_retry_agent"), []),
        ("superagent_retry", f"superagent {n['superagent']} retry(2)", node("superagent_retry"), []),
        ("ruby_net_http", f"Ruby {version(['ruby', '--version'])} net/http", ruby("net_http"), []),
        ("faraday", f"faraday {deb('ruby-faraday')} retry post", ruby("faraday_retry_post"), []),
        ("excon", f"excon {deb('ruby-excon')} idempotent", ruby("excon_idempotent"), []),
        ("java_http_client", f"Java {version(['java', '--version'])} HttpClient", java("http_client"), []),
        ("java_url_connection", "  HttpURLConnection", java("http_url_connection"), []),
        ("okhttp", f"OkHttp {deb('libokhttp-java')}", java("okhttp"), []),
        ("apache_default", f"Apache HttpClient {deb('libhttpclient-java')}", java("apache_default"), []),
        ("apache_sent", "  the same, sent requests too", java("apache_sent"), []),
        ("go_net_http", f"Go {version(['go', 'version'])} net/http", go("net_http"), []),
        ("go_net_http_key", "  with an Idempotency-Key header", go("net_http_key"), []),
        ("go_retryablehttp", f"go-retryablehttp {deb('golang-github-hashicorp-go-retryablehttp-dev')}", go("retryablehttp"), []),
        ("reqwest_retry", f"reqwest-retry {cargo_version(home)}", [f"{home}/rr/target/debug/reqwest-retry-client"], []),
        ("curl_plain", f"curl {version(['curl', '--version'])}", curl(""), []),
        ("curl", "  --retry 2 --retry-all-errors", curl("--retry 2 --retry-delay 1 --retry-all-errors"), []),
    ]


def said(command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout
    except OSError:
        return ""


def version(command):
    return (re.search(r"\d+\.\d+(\.\d+)?", said(command)) or ["?"])[0]


def deb(package):
    return (re.match(r"[\d:.]+", said(["dpkg-query", "-W", "-f", "${Version}", package])) or ["?"])[0]


def pip_versions(home):
    frozen = said([f"{home}/v/bin/python", "-m", "pip", "freeze"])
    return collections.defaultdict(lambda: "?", (line.split("==") for line in frozen.split() if "==" in line))


def npm_versions(home):
    listed = said(["npm", "ls", "--json", "--prefix", f"{home}/n"]) or "{}"
    packages = json.loads(listed).get("dependencies", {})
    return collections.defaultdict(lambda: "?", {name: package["version"] for name, package in packages.items()})


def cargo_version(home):
    try:
        lock = open(f"{home}/rr/Cargo.lock").read()
    except OSError:
        return "?"
    return re.search(r'name = "reqwest-retry"\nversion = "([^"]+)"', lock)[1]


def measure(idem, server, name, command, options, home):
    """A row for each fault: its figures by column, and what was found. None where the client does not work at all."""
    url = f"http://127.0.0.1:{server.server_port}"
    before = len(server.charges)
    ran = subprocess.run(
        [idem, "proxy", "--upstream", url, "--fault", "all", "--ledger", f"{url}/ledger", "--ledger-lag", "30ms",
         "--hold", "4s", *options, "--", *command],
        capture_output=True, text=True, env={**os.environ, "NODE_HOME": f"{home}/n"})
    table = re.split(r"^fault +exit.*\n", ran.stdout, flags=re.M)[-1].splitlines()
    rows = {row.split()[0]: row.split() for row in table if row.split() and row.split()[0] in FAULTS}
    if list(rows) != FAULTS or rows["none"][4] != "1":
        print(f"{name}: left out, it does not run: {ran.stdout[-400:]} {ran.stderr[-400:]}", file=sys.stderr)
        return None
    # The truth: every intent begins with its fault's name.
    truth = collections.Counter(charge["intent"].rsplit("-", 1)[0] for charge in server.charges[before:])
    wrong = [fault for fault in FAULTS if int(rows[fault][4]) != truth[fault]]
    wrong += [fault for fault in FAULTS if (truth[fault] > 1) != ("DUPLICATE" in rows[fault])]
    if wrong:
        print(f"{name}: WRONG under {wrong}: {truth}\n{ran.stdout}", file=sys.stderr)
    return rows, bool(wrong)


def line(title, rows):
    """Attempts under each fault, `!` where it was charged twice and `-` where it was not charged at all."""
    kinds = {"no-key": "no-key", "key-rotated": "rotated", "retried-refusal": "400", "too-early": "early"}
    found = [short for kind, short in kinds.items() if any(kind in rows[fault] for fault in FAULTS)]
    return f"{cells(title, 34, rows)}  {' '.join(found)}".rstrip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--idem", required=True)
    parser.add_argument("--home", required=True)
    parser.add_argument("--only", action="append")
    args = parser.parse_args()
    server = Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(head("client", 34) + "  findings")
    is_wrong, count = False, 0
    for name, title, command, options in clients(args.home):
        if args.only and name not in args.only:
            continue
        measured = measure(args.idem, server, name, command, options, args.home)
        if measured:
            print(line(title, measured[0]), flush=True)
            is_wrong, count = is_wrong or measured[1], count + 1
    sys.exit(1 if is_wrong or not count else 0)


main()
