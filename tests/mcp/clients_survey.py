#!/usr/bin/env python3
"""Real clients of tools under `idem proxy --mcp`, with the truth counted by the server.

    tests/mcp/clients_survey.py --idem target/release/idem --home /tmp/mcp-clients [--only NAME] > table.txt

Prints the table of `idem explain mcp-clients`. `--home` has the packages: venvs `v1` (mcp<2), `v2` (mcp>=2), `vo`
(openai-agents), `vl` (langchain, langchain-mcp-adapters) and `va` (pydantic-ai-slim[mcp]), and node_modules in `n`
(@modelcontextprotocol/sdk, @modelcontextprotocol/client). The server is server.py, by the official SDK: it writes a line for
each call that it carries out. For each client and fault idem's figures are held to those lines; where they differ the exit is 1.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(f"{HERE}/../support")
from fault_table import FAULTS, cells, head
PORT = 18931
CLIENTS = [
    ("v2", "sdk", "mcp {mcp} (Python)"),
    ("v2", "sdk_again", "  in a loop of three"),
    ("v2", "sdk_again_new_key", "  the same, a new key each"),
    ("v1", "sdk", "mcp {mcp} (Python)"),
    ("v1", "sdk_again", "  in a loop of three"),
    ("node", "sdk_v2", "@modelcontextprotocol/client {@modelcontextprotocol/client}"),
    ("node", "sdk_v2_again", "  in a loop of three"),
    ("node", "sdk_v1", "@modelcontextprotocol/sdk {@modelcontextprotocol/sdk}"),
    ("node", "sdk_v1_again", "  in a loop of three"),
    ("vo", "openai_agents", "openai-agents {openai-agents}, 2 retries"),
    ("vl", "langchain_retry", "langchain {langchain} ToolRetryMiddleware"),
    ("va", "pydantic_ai", "pydantic-ai {pydantic-ai-slim}"),
    ("va", "pydantic_ai_new_key", "  with a model that makes keys"),
]


def versions(home, place):
    if place == "node":
        listed = subprocess.run(["npm", "ls", "--json", "--prefix", f"{home}/n"], capture_output=True, text=True).stdout
        return {name: package["version"] for name, package in json.loads(listed or "{}").get("dependencies", {}).items()}
    frozen = subprocess.run([f"{home}/{place}/bin/python", "-m", "pip", "freeze"], capture_output=True, text=True).stdout
    return dict(line.split("==") for line in frozen.split() if "==" in line)


def measure(idem, home, place, name, folder):
    """A row for each fault: its columns, and its readings. None where the client does not work at all."""
    ledger, readings = f"{folder}/ledger.jsonl", f"{folder}/{place}-{name}.jsonl"
    open(ledger, "w").close()
    command = ["node", f"{HERE}/clients.mjs", name]
    if place != "node":
        command = [f"{home}/{place}/bin/python", f"{HERE}/clients.py", name]
    ran = subprocess.run(
        [idem, "proxy", "--mcp", "--upstream", f"http://127.0.0.1:{PORT}", "--fault", "all", "--hold", "4s", "--timeout", "5s",
         "--key-at", "/key", "--readings", readings, "--ledger", ledger, "--", *command],
        capture_output=True, text=True, env={**os.environ, "NODE_HOME": f"{home}/n"})
    table = re.split(r"^fault +exit.*\n", ran.stdout, flags=re.M)[-1].splitlines()
    rows = {row.split()[0]: row.split() for row in table if row.split() and row.split()[0] in FAULTS}
    if list(rows) != FAULTS or rows["none"][4] != "1":
        print(f"{place} {name}: left out, it does not run: {ran.stdout[-400:]} {ran.stderr[-400:]}", file=sys.stderr)
        return None
    calls = collections.defaultdict(list)
    for line in map(json.loads, open(readings)):
        if "intent" in line:
            calls[line["intent"].rsplit("-", 1)[0]].append(line)
    truth = collections.Counter(json.loads(line)["intent"].rsplit("-", 1)[0] for line in open(ledger))
    wrong = []
    for fault in FAULTS:
        delivered = sum(call["delivered"] for call in calls[fault])
        answered = sum("upstream_status" in call for call in calls[fault])
        # Of two copies with one id, and of a call whose connection was cut, no reply has to come.
        # A call that comes when its session has ended is refused, and not carried out.
        refused = sum(call.get("upstream_status", 0) >= 400 for call in calls[fault])
        most, least = delivered - refused, answered - refused
        is_held = least <= truth[fault] <= most if fault in ("cut", "double_delivery") else truth[fault] == most
        if not is_held or int(rows[fault][4]) != truth[fault] or int(rows[fault][3]) != len(calls[fault]):
            wrong.append(fault)
    if wrong:
        print(f"{place} {name}: WRONG under {wrong}: {truth}\n{ran.stdout}", file=sys.stderr)
    return rows, calls, bool(wrong)


def line(title, rows, calls):
    """Calls under each fault, `!` where it was charged twice and `-` where it was not charged at all."""
    again = [(call, earlier[0]) for earlier in calls.values() for call in earlier[1:]]
    ids = {"same" if call["call"] == first["call"] else "new" for call, first in again}
    # A new client counts its ids from the beginning; only one that stays tells the same id from a new one.
    changed = sorted({name for call, _ in again for name in call.get("changed", [])})
    return f"{cells(title, 38, rows)}  {'/'.join(sorted(ids)) or '-':<5}{' '.join(changed) or '-'}".rstrip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--idem", required=True)
    parser.add_argument("--home", required=True)
    parser.add_argument("--only", action="append")
    args = parser.parse_args()
    folder = tempfile.mkdtemp()
    python = f"{args.home}/v2/bin/python"
    server = subprocess.Popen([python, f"{HERE}/server.py", "plain", f"{folder}/ledger.jsonl", str(PORT)],
                              stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    is_wrong, count = False, 0
    try:
        for _ in range(100):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{PORT}/")
            except urllib.error.HTTPError:
                break
            except OSError:
                time.sleep(0.1)
        print(head("client", 38) + "  id   changed")
        for place, name, title in CLIENTS:
            if args.only and name not in args.only:
                continue
            measured = measure(args.idem, args.home, place, name, folder)
            if measured:
                title = title.format(**versions(args.home, place)) if "{" in title else title
                print(line(title, *measured[:2]), flush=True)
                is_wrong, count = is_wrong or measured[2], count + 1
    finally:
        server.terminate()
    sys.exit(1 if is_wrong or not count else 0)


main()
