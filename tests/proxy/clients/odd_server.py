"""A server of everything that is not a plain reply: no body, events, trailers, another protocol."""
import http.server, sys, threading, time

asked_on = threading.Event()
left = threading.Event()


class Odd(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if status not in (204, 304):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def do_HEAD(self):
        self.reply(200, b"x" * 1234)

    def do_GET(self):
        if self.path in ("/204", "/304"):
            self.reply(int(self.path[1:]), ETag='"e"')
        elif self.path == "/on":
            asked_on.set()
            self.reply(200, b"on")
        elif self.path == "/events":
            self.send_response(200)
            for name, value in (("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked"), ("Trailer", "X-Sum")):
                self.send_header(name, value)
            self.end_headers()
            self.chunk(b"data: one\n\n")
            # Only who has heard the first event asks for the second.
            asked_on.wait()
            self.chunk(b"data: two\n\n")
            self.wfile.write(b"0\r\nX-Sum: 2\r\n\r\n")
        elif self.path == "/subscription":
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write(b"data: one\n\n")
            # Longer than the proxy's patience with a reply.
            time.sleep(0.4)
            self.wfile.write(b"data: two\n\n")
            # Nothing more comes of it until its reader goes.
            self.rfile.read()
            left.set()
            self.close_connection = True
        elif self.path == "/left":
            left.wait()
            self.reply(200, b"left")
        elif self.headers.get("Upgrade") == "echo":
            self.send_response(101)
            self.send_header("Connection", "Upgrade")
            self.send_header("Upgrade", "echo")
            self.end_headers()
            for line in self.rfile:
                self.wfile.write(b"echo " + line)
            self.close_connection = True
        else:
            self.reply(200, b"ok")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.reply(200, b'{"receipt":"r1","bytes":%d}' % len(body))


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Odd)
print(server.server_port, flush=True)
server.serve_forever()
