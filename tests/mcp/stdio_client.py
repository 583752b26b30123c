"""A client over standard streams that calls the tool `charge` until it hears of a success, at most three times.

usage: stdio_client.py LEDGER KEYS COMMAND...      KEYS: same, or new for another key in each call

A failed call is made again; where the stream has ended the command is started again; where the ledger shows that the call was
carried out and no reply came, the call is cancelled and made again: by a new id each time, as the specification says. What
the server says otherwise is printed, and the exit code of each command last.
"""
import json
import queue
import subprocess
import sys
import threading

ledger, keys, command = sys.argv[1], sys.argv[2], sys.argv[3:]


class Server:
    def __init__(self):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            # What has no end is no line.
            if line.endswith(b"\n"):
                self.lines.put(json.loads(line))
        self.lines.put(None)

    def say(self, method, params, identity=None):
        message = {"jsonrpc": "2.0", "method": method, "params": params, **({} if identity is None else {"id": identity})}
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            pass

    def answer(self, identity, is_given_up=lambda: False):
        """The answer; None at the end of the stream, False where it is given up."""
        while True:
            try:
                message = self.lines.get(timeout=0.05)
            except queue.Empty:
                if is_given_up():
                    return False
                continue
            if message is None or message.get("id") == identity:
                return message

    def end(self):
        self.process.stdin.close()
        return self.process.wait()


def rows():
    try:
        return sum(1 for _ in open(ledger))
    except OSError:
        return 0


codes, server = [], None
for identity in (11, 12, 13):
    if server is None:
        server = Server()
        server.say("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t"}}, "hello")
        assert server.answer("hello")["result"]["protocolVersion"] == "2025-11-25"
        server.say("notifications/initialized", {})
    key = "k" if keys == "same" else f"k{identity}"
    before, waited = rows(), 0

    def is_given_up():
        # A reply that is handed on comes at once after its row; this is long after.
        global waited
        waited += rows() > before
        return waited > 20

    arguments = {"intent": "ord-1", "amount": 5, "idempotency_key": key}
    server.say("tools/call", {"name": "charge", "arguments": arguments}, identity)
    answer = server.answer(identity, is_given_up)
    if answer is None:
        codes.append(server.end() if server.process.poll() is None else server.process.wait())
        server = None
    elif answer is False:
        server.say("notifications/cancelled", {"requestId": identity})
    elif "result" in answer and not answer["result"].get("isError"):
        break
if server:
    codes.append(server.end())
print(json.dumps(codes))
