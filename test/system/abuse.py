"""Clients that ask for too much: what the gateway holds for them is bounded,
none of its processes ends, and others are served meanwhile.

    abuse.py RUN-DIRECTORY CONTAINER

Prints "ok - NAME" and "not ok - NAME".  CONTAINER is one of this project.
"""

import json
import os
import signal
import socket
import sys
import threading
import time

RUN = sys.argv[1]
HEAD = "Host: d\r\nContent-Type: application/json\r\n"


def report(good, name, detail=""):
    print(("ok - " if good else "not ok - ") + name, flush=True)
    if not good:
        print("  got: %s" % (detail,), flush=True)


def dial(name="docker.sock", seconds=20):
    sock = socket.socket(socket.AF_UNIX)
    sock.settimeout(seconds)
    sock.connect(os.path.join(RUN, name))
    return sock


def read_all(sock):
    data = b""
    try:
        while True:
            more = sock.recv(65536)
            if not more:
                return data
            data += more
    except OSError:
        return data


def ask(method, path, body=None):
    """Status and body of one request on a connection of its own."""
    text = "" if body is None else json.dumps(body)
    with dial() as sock:
        sock.sendall(("%s %s HTTP/1.1\r\n%sConnection: close\r\n"
                      "Content-Length: %d\r\n\r\n%s" %
                      (method, path, HEAD, len(text), text)).encode())
        answer = read_all(sock)
    head, _, rest = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]) if head else 0, rest.decode("latin-1")


def children():
    with open(os.path.join(RUN, "gateway.pid")) as file:
        master = file.read().split()[0]
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % pid) as file:
                name, _, rest = file.read().partition(" (")[2].rpartition(") ")
        except OSError:
            continue
        if rest.split()[1] == master:
            found[int(pid)] = name
    return found


def resident(pid):
    with open("/proc/%d/statm" % pid) as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def is_served():
    """A client that asks for nothing special, and how long it waited."""
    began = time.monotonic()
    status, _ = ask("GET", "/v1.41/containers/json")
    return status == 200, time.monotonic() - began


def policyd():
    return next(pid for pid, name in children().items() if name == "policyd")


def pipelines():
    one = b"GET /v1.41/containers/json HTTP/1.1\r\nHost: d\r\n\r\n"
    before = children()
    with dial() as sock:
        writer = threading.Thread(target=sock.sendall, args=(one * 2000,))
        writer.start()
        count, tail = 0, b""
        while count < 2000:
            more = sock.recv(65536)
            if not more:
                break
            tail += more
            count += tail.count(b"HTTP/1.1 200 ")
            tail = tail[-12:] if b"HTTP/1.1 200 " not in tail[-12:] else b""
        writer.join()
    report(count == 2000, "2000 requests at once get 2000 answers", count)
    with dial(seconds=1) as sock:
        try:
            sock.sendall(one * 20000)
        except OSError:
            pass
        report(is_served()[0], "answers that are not read hold up nobody else")
    report(children() == before, "no process ends by it")


def unfinished_bodies():
    size = 4 * 1024 * 1024
    judge = policyd()
    head = ("POST /v1.41/containers/create HTTP/1.1\r\n%s"
            "Content-Length: %d\r\n\r\n" % (HEAD, size)).encode()
    part = b'{"Image":"' + b"x" * (size - 100)
    held = []
    for _ in range(100):
        sock = dial(seconds=0.2)
        held.append(sock)
        try:
            sock.sendall(head + part)
        except OSError:
            pass
    most = resident(judge)
    report(most < 160 << 20, "400 MB of unfinished bodies are not held", most)
    good, took = is_served()
    report(good and took < 5, "others are served meanwhile", took)
    for sock in held:
        sock.close()
    until = time.monotonic() + 5
    while resident(judge) > 40 << 20 and time.monotonic() < until:
        time.sleep(0.1)
    report(resident(judge) < 40 << 20, "what was held is given back",
           resident(judge))
    report(policyd() == judge, "policyd is the same")


def slow_body():
    """Runs beside the rest: it takes a minute."""
    began = time.monotonic()
    with dial(seconds=90) as sock:
        sock.sendall(("POST /v1.41/containers/create HTTP/1.1\r\n%s"
                      "Content-Length: 100\r\n\r\n{" % HEAD).encode())
        answer = read_all(sock)
    took = time.monotonic() - began
    report(b" 400 " in answer[:20] and b"bad-body" in answer and 55 < took < 80,
           "a body that does not end is refused after a minute",
           (took, answer))


def long_lists():
    judge = policyd()
    lists = {
        "VolumesFrom": [sys.argv[2]] * 15000,
        "Links": [sys.argv[2] + ":a"] * 15000,
        "Binds": [sys.argv[2] + ":/x"] * 15000,
    }
    for name, value in lists.items():
        began = time.monotonic()
        thread = threading.Thread(target=ask, args=(
            "POST", "/v1.41/containers/create",
            {"Image": "busybox", "HostConfig": {name: value}}))
        thread.start()
        time.sleep(0.2)
        good, _ = is_served()
        thread.join()
        took = time.monotonic() - began
        report(good and took < 10 and policyd() == judge,
               "15000 entries of %s end nothing" % name, (took, good))
    status, text = ask("POST", "/v1.41/containers/create",
                       {"Image": "busybox", "Cmd": ["x"] * 30000})
    report(status == 400 and "too many values" in text,
           "30000 values are too many", (status, text[:200]))


def control():
    held = [dial("control.sock") for _ in range(300)]
    with dial("control.sock", 5) as sock:
        sock.sendall(b"status\n")
        answer = read_all(sock)
    report(b'"state":"serving"' in answer,
           "300 silent clients of control.sock leave room for one that asks",
           answer[:200])
    for sock in held:
        sock.close()


def signals():
    """A service manager and a terminal signal all processes at once."""
    judge = policyd()
    os.kill(judge, signal.SIGTERM)
    os.kill(judge, signal.SIGINT)
    time.sleep(0.3)
    report(is_served()[0] and policyd() == judge,
           "policyd, told to end before its workers, judges on")


minute = threading.Thread(target=slow_body)
minute.start()
pipelines()
unfinished_bodies()
long_lists()
control()
signals()
minute.join()
