"""HTTP over unix sockets: a client, and a relay that writes down what passes.

Judges nothing.  The relay stands between the gateway and the daemon, so what
it has written down is what the gateway made of a request.
"""
import http.client
import json
import socket
import threading

JSON = {"Content-Type": "application/json"}


class Client:
    """One kept connection; opened again when the other side closed it."""

    def __init__(self, path):
        self.path = path
        self.connection = None

    def _open(self):
        connection = http.client.HTTPConnection("d", timeout=60)
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(60)
        connection.sock.connect(self.path)
        self.connection = connection

    def ask(self, method, target, body=None):
        """Status and body; a body is bytes, or what becomes JSON."""
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        for attempt in (1, 2):
            try:
                if self.connection is None:
                    self._open()
                self.connection.request(method, target, body,
                                        JSON if body is not None else {})
                answer = self.connection.getresponse()
                text = answer.read()
                if answer.will_close:
                    self.close()
                return answer.status, text
            except (http.client.HTTPException, OSError):
                self.close()
                if attempt == 2:
                    raise
        raise AssertionError

    def get(self, target):
        """The object, or None."""
        status, text = self.ask("GET", target)
        return json.loads(text) if status == 200 else None

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None


class Exchange:
    """One request that reached the daemon, and its answer."""

    def __init__(self, method, target, body):
        self.method, self.target, self.body = method, target, body
        self.status, self.answer = 0, b""

    def __str__(self):
        return "%s %s %s -> %d %s" % (
            self.method, self.target, self.body.decode("utf-8", "replace"),
            self.status, self.answer[:400].decode("utf-8", "replace"))


class Relay:
    """Listens at path; whatever comes goes to the daemon, and is noted."""

    def __init__(self, path, daemon):
        self.daemon = daemon
        self.lock = threading.Lock()
        self.exchanges = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def take(self):
        """What passed since the last call."""
        with self.lock:
            taken, self.exchanges = self.exchanges, []
        return taken

    def _accept(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self._serve, args=(client,),
                             daemon=True).start()

    def _serve(self, client):
        daemon = socket.socket(socket.AF_UNIX)
        try:
            daemon.connect(self.daemon)
            requests, answers = client.makefile("rb"), daemon.makefile("rb")
            while self._pass_on(requests, daemon, answers, client):
                pass
        except OSError:
            pass
        finally:
            client.close()
            daemon.close()

    def _pass_on(self, requests, daemon, answers, client):
        head, fields = read_head(requests)
        if not head:
            return False
        body = read_body(requests, fields, False)
        method, target = head.split(b"\r\n")[0].decode("latin-1").split()[:2]
        exchange = Exchange(method, target, body[1])
        with self.lock:
            self.exchanges.append(exchange)
        daemon.sendall(head + body[0])
        head, fields = read_head(answers)
        exchange.status = int(head.split()[1])
        bodiless = method == "HEAD" or exchange.status in (204, 304)
        body = (b"", b"") if bodiless else read_body(answers, fields, True)
        exchange.answer = body[1]
        client.sendall(head + body[0])
        return fields.get(b"connection", b"").lower() != b"close"


def read_head(stream):
    """The head as it is, and its fields by lower-case name."""
    head, fields = b"", {}
    while True:
        line = stream.readline()
        head += line
        if not line:
            return b"", {}
        if line == b"\r\n":
            return head, fields
        name, _, value = line.partition(b":")
        fields[name.strip().lower()] = value.strip()


def read_body(stream, fields, is_answer):
    """The body as it was framed, and what it says."""
    if fields.get(b"transfer-encoding", b"").lower() == b"chunked":
        raw = text = b""
        while True:
            line = stream.readline()
            size = int(line.split(b";")[0], 16)
            chunk = stream.read(size)
            end = stream.readline()
            raw, text = raw + line + chunk + end, text + chunk
            if size == 0:
                return raw, text
    if b"content-length" in fields:
        body = stream.read(int(fields[b"content-length"]))
    else:
        body = stream.read() if is_answer else b""
    return body, body
