"""Walks the routes of policyd's own tables; run by 39-foreign.sh."""
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import urllib.parse

MARK = os.environ["MARK"]
LABEL = os.environ["LABEL"]
THEIR_SLUG = os.environ["THEIR_SLUG"]
SINCE, UNTIL = os.environ["SINCE"], os.environ["UNTIL"]
JSON = {"Content-Type": "application/json"}


class Daemon(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("d", timeout=30)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(30)
        self.sock.connect(self.path)


def ask(path, method, target, body=None):
    """Status, headers without the date, body."""
    if isinstance(body, dict):
        body = json.dumps(body)
    daemon = Daemon(os.environ[path])
    daemon.request(method, target, body,
                   JSON if isinstance(body, str) else {})
    answer = daemon.getresponse()
    headers = {k: v for k, v in answer.getheaders() if k != "Date"}
    text = answer.read()
    daemon.close()
    return answer.status, headers, text


def check(name, good, *details):
    print("ok -" if good else "not ok -", name,
          *("" if good else str(d)[:300] for d in details))
    sys.stdout.flush()


def looked_up(target):
    return json.loads(ask("CG_DOCKER_SOCK", "GET", target)[2])


# ---- the tables --------------------------------------------------------------

def read_routes():
    """(method, path) -> filter keys, of docker's API, refused rows included."""
    text = subprocess.run([os.environ["POLICYD"], "--manual"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    routes, at = {}, None
    for line in text.replace("\\-", "-").splitlines():
        row = re.match(r"\.Ss (\S+) (/\S+)", line)
        key = re.match(r"\.It Li filters\.(\S+) ", line)
        if row:
            at = row.groups()
            if at[1].startswith("/libpod"):
                break
            routes[at] = []
        elif key and at:
            routes[at].append(key.group(1))
    return routes


ROUTES = read_routes()


# ---- who is there -------------------------------------------------------------

class Owner:
    def __init__(self, word):
        name = MARK + "-" + word
        box = looked_up("/containers/%s-c/json" % name)
        net = looked_up("/networks/%s-n" % name)
        self.ref = {
            "container": [name + "-c", box["Id"], box["Id"][:12]],
            "exec": box["ExecIDs"][:1],
            "network": [name + "-n", net["Id"], net["Id"][:12]],
            "volume": [name + "-v"],
            "image": [name + "-i"],
        }
        ends = [n["EndpointID"] for n in
                box["NetworkSettings"]["Networks"].values()]
        # Prefixes of ids are in the ids.
        self.words = [r[:12] if re.fullmatch("[0-9a-f]{64}", r) else r
                      for refs in self.ref.values() for r in refs]
        self.words += [e[:12] for e in ends] + [name + "-d"]


mine, theirs, nobodys = Owner("mine"), Owner("theirs"), Owner("nobodys")
SECRET = [w.encode() for w in theirs.words + nobodys.words + [THEIR_SLUG]]


def leaks(text, sent=""):
    """Foreign words in an answer; what we sent ourselves may come back."""
    for word in sorted({urllib.parse.unquote(sent)} | set(re.findall(
            r"[\w.-]+", urllib.parse.unquote(sent))), key=len, reverse=True):
        if word:
            text = text.replace(word.encode(), b"")
    return [w for w in SECRET if w in text]


# ---- every GET ------------------------------------------------------------------

OWN = {kind: refs[0] for kind, refs in mine.ref.items()}
QUERIES = {
    "/containers/json": ["", "?all=1&size=1", "?limit=1"],
    "/containers/{container}/logs": ["?stdout=1&stderr=1&details=1"],
    "/containers/{container}/stats": ["?stream=0"],
    "/containers/{container}/top": ["", "?ps_args=aux", "?ps_args=-ef"],
    "/containers/{container}/archive": ["?path=/made"],
    "/networks/{network}": ["", "?verbose=1", "?scope=local"],
    "/images/json": ["", "?all=1&digests=1"],
    "/images/get": ["?names=busybox"],
    "/images/search": ["?term=busybox"],
    "/events": ["?since=%s&until=%s" % (SINCE, UNTIL)],
    "/system/df": ["", "?verbose=1"],
}
# More objects than the own one that a path may name.
ALSO = {"{network}": ["bridge", "host", "none"]}
VALUES = {
    "before": theirs.ref["container"], "since": nobodys.ref["container"],
    "status": ["running", "exited"], "type": ["container", "network", "volume",
                                              "image", "custom", "builtin"],
    "event": ["start", "create", "destroy", "tag", "connect"],
}


def without_images(target, text):
    """Images are shared: what they are called and labelled is for all."""
    if not target.startswith("/system/df"):
        return text
    answer = json.loads(text)
    answer.pop("Images")
    return json.dumps(answer).encode()


def targets(path):
    variable = re.search(r"\{(\w+)\}", path)
    if not variable:
        return [path]
    refs = [OWN[variable.group(1)]] + ALSO.get(variable.group(0), [])
    return [path.replace(variable.group(0), ref) for ref in refs]


def filters(keys, base):
    """Each key with values of others' and some that fit, in both forms."""
    join = "&" if "?" in base else "?"
    for key in keys:
        values = VALUES.get(key, ["true", "0", "80", "busybox", "local"] +
                            theirs.ref["container"] + nobodys.ref["network"] +
                            nobodys.ref["volume"] +
                            ["%s=%s" % (LABEL, THEIR_SLUG), LABEL, "of"])
        for value in values:
            for form in [value], {value: True}:
                yield base + join + "filters=" + urllib.parse.quote(
                    json.dumps({key: form}))


def walk():
    for (method, path), keys in ROUTES.items():
        if method not in ("GET", "HEAD"):
            continue
        found, asked, good = [], 0, 0
        for target in targets(path):
            for query in QUERIES.get(path, [""]):
                one = target + query
                for version in "/v1.41", "/v1.24", "":
                    ones = [one]
                    if version == "/v1.41" and query == \
                            QUERIES.get(path, [""])[-1]:
                        ones += filters(keys, one)
                    for whole in ones:
                        status, headers, text = ask("SOCK", method,
                                                    version + whole)
                        asked += 1
                        good += status == 200
                        if status == 200:
                            text = without_images(path, text)
                        if path.startswith("/images/"):
                            continue
                        text += repr(headers).encode()
                        sent = whole if "filters" in whole else ""
                        if status == 200:
                            sent = ""
                        bad = leaks(text, sent)
                        if bad:
                            found.append((version + whole, bad))
        refused = "attach/ws" in path or "{image}" in path and \
            not path.startswith("/images")
        check("%s %s: nothing of others in %d answers" %
              (method, path, asked), not found, found)
        # A search needs the world outside.
        if not refused and path != "/images/search":
            check("%s %s: it does answer" % (method, path), good > 0)


def own_are_there():
    """The walk saw what it should: else it proves nothing."""
    for target, ref in (
            ("/containers/json", mine.ref["container"][1]),
            ("/networks", mine.ref["network"][1]),
            ("/volumes", mine.ref["volume"][0]),
            ("/system/df", mine.ref["container"][1]),
            ("/events?since=%s&until=%s" % (SINCE, UNTIL),
             mine.ref["container"][1])):
        check("%s has our own" % target.split("?")[0],
              ref.encode() in ask("SOCK", "GET", target)[2])


# ---- every act ---------------------------------------------------------------------

ACTS = {
    "/containers/{container}/archive": ("?path=/", bytes(1024)),
    "/containers/{container}/exec": ("", {"Cmd": ["true"]}),
    "/containers/{container}/kill": ("?signal=KILL", None),
    "/containers/{container}/rename": ("?name=%s-new" % MARK, None),
    "/containers/{container}/logs": ("?stdout=1", None),
    "/containers/{container}/resize": ("?h=10&w=10", None),
    "/containers/{container}/stop": ("?t=0", None),
    "/containers/{container}/update": ("", {"Memory": 1 << 26,
                                            "MemorySwap": 1 << 26}),
    "/exec/{exec}/start": ("", {"Detach": True}),
    "/exec/{exec}/resize": ("?h=10&w=10", None),
    "/networks/{network}/connect": ("", {"Container": OWN["container"]}),
    "/networks/{network}/disconnect": ("", {"Container": OWN["container"]}),
}


# Here the daemon says the same in more words, or as plain text.
OTHER_WORDS = {"/containers/{container}/kill", "/containers/{container}/attach"}


def missing(ref):
    """A reference of the same form and length that nobody has."""
    return re.sub("[0-9a-z]", lambda c: "c0ffee5"[ord(c.group()) % 7], ref)


def blind(answer, ref):
    status, headers, text = answer
    return status, headers, text.replace(ref.encode(), b"NAME")


def same(name, method, target, ref, body=None, words_too=True):
    """As if it were not there, and in the daemon's own words."""
    nobody = missing(ref)

    def put(part, one):
        if isinstance(part, dict):
            return {k: one if v is same else v for k, v in part.items()}
        return part.replace("{}", one) if isinstance(part, str) else part

    got = blind(ask("SOCK", method, put(target, ref), put(body, ref)), ref)
    want = blind(ask("SOCK", method, put(target, nobody), put(body, nobody)),
                 nobody)
    words = ask("CG_DOCKER_SOCK", method, put(target, nobody),
                put(body, nobody))
    words = (words[0], words[2].replace(nobody.encode(), b"NAME"))
    good = got == want and got[0] == 404 and (
        (got[0], got[2]) == words or not words_too)
    return [] if good else [name + " " + ref], (got, want, words)


def acts():
    for (method, path) in ROUTES:
        kind = re.search(r"\{(container|exec|network|volume)\}", path)
        if not kind or method == "*" or "attach/ws" in path:
            continue
        query, body = ACTS.get(path, ("", None))
        if method in ("GET", "HEAD", "DELETE"):
            body = None
        bad, shown, asked = [], None, 0
        for owner in theirs, nobodys:
            for ref in owner.ref[kind.group(1)]:
                one, answers = same(method, method, "/v1.41" + path.replace(
                    kind.group(0), "{}") + query, ref, body,
                    path not in OTHER_WORDS)
                bad += one
                asked += 1
                shown = shown or one and answers
        check("%s %s: the 404 of what is missing, %d times" %
              (method, path, asked), not bad, bad, shown)


def inside():
    """References that are not in the path."""
    own_net = "/v1.41/networks/%s/" % OWN["network"]
    for name, method, target, body in (
            ("commit", "POST", "/v1.41/commit?container={}", None),
            ("connect", "POST", own_net + "connect", {"Container": same}),
            ("disconnect", "POST", own_net + "disconnect",
             {"Container": same})):
        bad, shown = [], None
        for owner in theirs, nobodys:
            for ref in owner.ref["container"]:
                one, answers = same(name, method, target, ref, body)
                bad += one
                shown = shown or one and answers
        check("%s of a foreign container: the 404" % name, not bad, bad,
              shown)


own_are_there()
walk()
acts()
inside()
