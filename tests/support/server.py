"""A charge server of Python's standard library behind each transport: its own http.server, ssl and sockets.

server.py LEDGER KIND [ARGS]     KIND: tls HOST PORT CERTIFICATE KEY | unix FILE | tcp HOST PORT
Keys are known by the ledger's lines, so they outlive a restart. With NAIVE set in the environment no key is known. With SHARED
set they are in that SQLite file, which replicas of one ledger share; else each process knows its own.
A request with X-Close-After is charged and then not answered, once for its intent.
"""

import http.server
import json
import os
import pathlib
import socket
import socketserver
import sqlite3
import ssl
import sys
import threading

LEDGER = pathlib.Path(sys.argv[1])
KIND, ARGS = sys.argv[2], sys.argv[3:]
CHARGES, LOCK, HOSTS = {}, threading.Lock(), set()


class Memory:
    """The keys of this process, one request at a time."""

    def __enter__(self):
        LOCK.acquire()
        return CHARGES

    def __exit__(self, *_):
        LOCK.release()


class Shared:
    """The keys of all replicas, one request at a time."""

    def __enter__(self):
        self.db = sqlite3.connect(os.environ["SHARED"], timeout=60, isolation_level=None)
        self.db.execute("begin immediate")
        self.db.execute("create table if not exists keys (key text primary key, charge text)")
        return self

    def get(self, key):
        row = self.db.execute("select charge from keys where key = ?", (key,)).fetchone()
        return row and json.loads(row[0])

    def __setitem__(self, key, charge):
        self.db.execute("insert into keys values (?, ?)", (key, json.dumps(charge)))

    def __exit__(self, *_):
        self.db.execute("commit")
        self.db.close()


def charge(key, body):
    """Status and document."""
    order = json.loads(body)
    with (Shared if "SHARED" in os.environ else Memory)() as keys:
        known = None if "NAIVE" in os.environ else keys.get(key)
        if known and (known["intent"], known["amount"]) != (order["intent"], order["amount"]):
            return 422, {"error": "the key was used for another payload"}
        if not known:
            known = {**order, "key": key, "receipt": f"r{len(LEDGER.read_text().splitlines())}"}
            with LEDGER.open("a") as ledger:
                ledger.write(json.dumps(known) + "\n")
            if "NAIVE" not in os.environ:
                keys[key] = known
    return 201, {"receipt": known["receipt"]}


def first(intent):
    """Whether nobody has asked for it yet, at any replica."""
    try:
        LEDGER.with_name(f"closed-{intent}").touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        if "transfer-encoding" in self.headers:
            self.close_connection = True
            return self.answer(411, {"error": "give a content-length"})
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        HOSTS.add(self.headers["host"])
        status, document = charge(self.headers["idempotency-key"], body)
        if "x-close-after" in self.headers and first(json.loads(body)["intent"]):
            self.close_connection = True
            return None
        self.answer(status, document)

    def do_GET(self):
        with LOCK:
            self.answer(200, {"/hosts": sorted(HOSTS)}.get(self.path) or read())

    def do_OPTIONS(self):
        self.answer(200, {})

    def answer(self, status, document):
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def read():
    return [json.loads(line) for line in LEDGER.read_text().splitlines()]


class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    allow_reuse_address = daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_):
        pass


class Tls(Server):
    def __init__(self, *args):
        super().__init__(*args)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(ARGS[2], ARGS[3])

    def finish_request(self, request, address):
        # In the connection's own thread: nobody else waits for its handshake.
        with self.context.wrap_socket(request, server_side=True) as wrapped:
            super().finish_request(wrapped, address)


class Tcp6(Server):
    address_family = socket.AF_INET6


class Unix(Server):
    address_family = socket.AF_UNIX

    def server_bind(self):
        pathlib.Path(self.server_address).unlink(missing_ok=True)
        super().server_bind()


LEDGER.touch()
CHARGES.update((line["key"], line) for line in read())
if KIND == "unix":
    server = Unix(ARGS[0], Handler)
    Handler.address_string = lambda self: "unix"
elif KIND == "tls":
    server = Tls((ARGS[0], int(ARGS[1])), Handler)
else:
    server = (Tcp6 if ":" in ARGS[0] else Server)((ARGS[0], int(ARGS[1])), Handler)
where = server.server_address
print("listening", where if KIND == "unix" else where[1], flush=True)
server.serve_forever()
