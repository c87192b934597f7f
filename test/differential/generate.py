"""Requests out of a seed: request(seed, index, world) is always the same one.

Three moods: clean (only values of good will, plainly spelled: it has to
pass), odd (the same, oddly spelled) and hostile (with values that must not
pass, spelled either way).
"""
import random
import urllib.parse

import podman
import values
from spell import Spelling

MOODS = [("clean", 0.0, 0.0), ("odd", 0.25, 0.0), ("hostile", 0.0, 0.2),
         ("hostile", 0.2, 0.2), ("hostile", 0.0, 0.05)]


class Request:
    def __init__(self, kind, mood, method, target, body=None):
        self.kind, self.mood = kind, mood
        self.method, self.target, self.body = method, target, body
        self.name = ""          # of the object that it makes
        self.sent = None        # the filters of a list, before spelling

    def __str__(self):
        return "%s %s %s %s" % (self.mood, self.method, self.target,
                                repr(self.body) if self.body else "")


class Generator:
    def __init__(self, seed, index, world):
        self.rng = random.Random("%s:%d" % (seed, index))
        self.index, self.world = index, world
        self.mood, self.odd, self.hostility = self.rng.choice(MOODS)
        self.name = "%s-%d" % (world.mark, index)

    def _fill(self, value):
        return value(self.rng, self.world) if callable(value) else value

    def _fields(self, rows, most):
        out = {}
        for name, good, bad in self.rng.sample(
                rows, self.rng.randint(0, min(most, len(rows)))):
            hostile = bad and self.rng.random() < self.hostility
            if not hostile and not good:
                continue
            out[name] = self._fill(self.rng.choice(bad if hostile else good))
        return out

    def _request(self, kind, method, target, body=None):
        if body is not None:
            body = Spelling(self.rng, self.odd).body(body)
        made = Request(kind, self.mood, method, target, body)
        made.name = self.name
        return made

    def _endpoints(self, host):
        """A map that agrees with NetworkMode, mostly."""
        mode = host.get("NetworkMode") or "default"
        if self.rng.random() < self.hostility:
            mode = self.rng.choice(self.world.names["foreign-network"] +
                                   ["host", "bridge"])
        if ":" in mode or mode in ("none", "host"):
            return {}
        own = mode in self.world.names["own-network"]
        ends = {mode: self.rng.choice([{}] + ([
            {"Aliases": ["al", "db"]}, {"IPAMConfig": {}}] if own else []))}
        if self.rng.random() < self.hostility:
            ends[mode] = {"DriverOpts": {"com.docker.network.endpoint."
                                         "sysctls": "x"}}
        return ends

    def container(self):
        body = self._fields(values.TOP, 10)
        body.setdefault("Image", "busybox")
        host = self._fields(values.HOST, 14)
        if self.mood != "hostile":
            agree(body, host)
        if host or self.rng.random() < 0.9:
            body["HostConfig"] = host
        if self.rng.random() < 0.4:
            body["NetworkingConfig"] = {"EndpointsConfig":
                                        self._endpoints(host)}
        query = {"name": self.name}
        if self.rng.random() < 0.1:
            query["platform"] = ""
        return self._request("container", "POST", "/containers/create?" +
                             urllib.parse.urlencode(query), body)

    def libpod(self):
        body = self._fields(podman.SPEC, 10)
        body.update(image="busybox", name=self.name)
        if body.get("Networks"):
            body["netns"] = podman.space("bridge")
        return self._request("libpod", "POST",
                             "/v4.0.0/libpod/containers/create", body)

    def exec(self):
        body = self._fields(values.EXEC, 8)
        body.setdefault("Cmd", ["true"])
        return self._request("exec", "POST", "/containers/%s/exec" %
                             self.rng.choice(self.world.names["own-running"]),
                             body)

    def update(self):
        body = self._fields(values.UPDATE, 5)
        return self._request("update", "POST", "/containers/%s/update" %
                             self.world.names["own-updated"][0], body)

    def network(self):
        body = self._fields(values.NETWORK, 6)
        body["Name"] = self.name
        if self.rng.random() < self.hostility:
            body["Name"] = self.rng.choice(["host", "bridge", "a" * 64,
                                            "x/y", "abcdef012345", ""])
        return self._request("network", "POST", "/networks/create", body)

    def volume(self):
        body = self._fields(values.VOLUME, 4)
        body["Name"] = self.name
        if self.rng.random() < self.hostility:
            body["Name"] = self.rng.choice(
                self.world.names["foreign-volume"] + ["/etc", "x/y", ".."])
        return self._request("volume", "POST", "/volumes/create", body)

    def list(self):
        what = self.rng.choice(sorted(values.FILTERS))
        rows = self.rng.sample(values.FILTERS[what], self.rng.randint(0, 2))
        sent = {key: sorted({self._fill(self.rng.choice(good)) for _ in
                             range(self.rng.randint(1, 2))})
                for key, good in rows}
        if self.rng.random() < self.hostility:
            key, bad = self.rng.choice(values.HOSTILE_FILTERS)
            sent[key] = bad
        shown = sent if self.rng.random() < 0.5 else {
            key: {value: True for value in some}
            for key, some in sent.items()}
        query = []
        if sent or self.rng.random() < 0.5:
            query.append(("filters", Spelling(self.rng, self.odd).body(
                shown)))
        if what == "containers":
            query.append(("all", self.rng.choice(["1", "true", "True", "t"])))
        made = self._request("list", "GET", "/%s%s?%s" % (
            what, "/json" if what == "containers" else "",
            urllib.parse.urlencode(query)))
        made.name, made.sent = what, sent
        return made


KINDS = {
    "docker": ["container"] * 12 + ["exec", "update", "network", "volume"] * 2
    + ["list"] * 3,
    "podman": ["container"] * 5 + ["libpod"] * 7 + ["exec", "network",
                                                    "volume", "list"],
}


def request(seed, index, world):
    generator = Generator(seed, index, world)
    return getattr(generator, generator.rng.choice(KINDS[world.kind]))()


def agree(body, host):
    """Takes out what is refused together though each is good alone."""
    binds = [b for b in host.get("Binds") or [] if b.startswith("/")]
    binds += [m for m in host.get("Mounts") or [] if m["Type"] == "bind"]
    if binds or host.get("VolumesFrom"):
        host.pop("RestartPolicy", None)
    if host.get("NanoCpus"):
        host.pop("CpuPeriod", None)
        host.pop("CpuQuota", None)
    if not host.get("Memory"):
        host.pop("MemorySwap", None)
    mode = host.get("NetworkMode") or ""
    if mode.startswith("container:"):
        for key in ("Links", "Dns", "DnsOptions", "DnsSearch", "ExtraHosts",
                    "PortBindings", "PublishAllPorts"):
            host.pop(key, None)
        for key in ("Hostname", "MacAddress", "ExposedPorts"):
            body.pop(key, None)
