"""A charge server of Python's standard library behind each transport: its own http.server, ssl and sockets.

server.py LEDGER KIND [ARGS]     KIND: tls HOST PORT CERTIFICATE KEY | unix FILE | tcp HOST PORT
Keys are known by the ledger's lines, so they outlive a restart. With NAIVE set in the environment no key is known.
"""

import http.server
import json
import os
import pathlib
import socket
import socketserver
import ssl
import sys
import threading

LEDGER = pathlib.Path(sys.argv[1])
KIND, ARGS = sys.argv[2], sys.argv[3:]
CHARGES, LOCK, HOSTS = {}, threading.Lock(), set()


def charge(key, body):
    """Status and document."""
    order = json.loads(body)
    with LOCK:
        known = None if "NAIVE" in os.environ else CHARGES.get(key)
        if known and (known["intent"], known["amount"]) != (order["intent"], order["amount"]):
            return 422, {"error": "the key was used for another payload"}
        if not known:
            known = {**order, "key": key, "receipt": f"r{len(LEDGER.read_text().splitlines())}"}
            with LEDGER.open("a") as ledger:
                ledger.write(json.dumps(known) + "\n")
            CHARGES[key] = known
    return 201, {"receipt": known["receipt"]}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        if "transfer-encoding" in self.headers:
            self.close_connection = True
            return self.answer(411, {"error": "give a content-length"})
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        HOSTS.add(self.headers["host"])
        self.answer(*charge(self.headers["idempotency-key"], body))

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
