"""A project with a gateway of its own, a relay before the daemon, and what is
there already: of the project, of another one, of nobody.
"""
import hashlib
import os
import subprocess

from wire import Client, Relay

LABEL = "org.apache.magpie.project"
# Each daemon's own inspect of a container: podman's imitation hides much.
LOOK = {"docker": "/containers/%s/json",
        "podman": "/v4.0.0/libpod/containers/%s/json"}


def make_folders(project, folder):
    """What binds may name: inside, leading out, and the gateway's own."""
    for name in ("sub", "data"):
        os.makedirs(os.path.join(project, name))
    os.makedirs(project + "-evil")
    open(os.path.join(project, "file"), "w").close()
    for link, target in (("inside", "sub"), ("out", "/etc"),
                         ("to-run", os.path.join(folder, "run"))):
        os.symlink(target, os.path.join(project, link))


class Lab:
    def __init__(self, folder, build, kind, daemon, number):
        self.folder = os.path.join(folder, "lab%d" % number)
        self.project = os.path.join(self.folder, "project")
        self.run_dir = os.path.join(self.folder, "run")
        self.kind, self.daemon = kind, daemon
        self.mark = "cgd%d-%d" % (os.getpid(), number)
        make_folders(self.project, self.folder)
        self.slug = "project-" + hashlib.sha256(
            self.project.encode()).hexdigest()[:12]
        self.direct = Client(daemon)
        relayed = os.path.join(self.folder, "relay.sock")
        self.relay = Relay(relayed, daemon)
        subprocess.run(
            [os.path.join(build, "container-gateway"), "--project",
             self.project, "--run-dir", self.run_dir, "--backend",
             kind + "=" + relayed, "--egress", "off", "--workers", "1",
             "--daemon"], check=True, stdin=subprocess.DEVNULL)
        self.gateway = Client(os.path.join(self.run_dir, "docker.sock"))
        self.podman = Client(os.path.join(self.run_dir, "podman.sock"))
        self.names = {}
        self._populate()

    def _make(self, through, path, body):
        status, text = through.ask("POST", path, body)
        if status not in (200, 201, 204):
            raise SystemExit("%s: %d %s" % (path, status, text))
        return text

    def _objects(self, word, through, labels):
        name = "%s-%s" % (self.mark, word)
        labels = dict(labels, of=word)
        self._make(through, "/networks/create",
                   {"Name": name + "-n", "Labels": labels})
        self._make(through, "/volumes/create",
                   {"Name": name + "-v", "Labels": labels})
        for end in ("-c", "-u"):
            self._make(through, "/containers/create?name=" + name + end, {
                "Image": "busybox", "Labels": labels, "StopTimeout": 0,
                "Cmd": ["sleep", "100000"]})
        self._make(through, "/containers/%s-c/start" % name, None)
        one = self.direct.get("/containers/%s-c/json" % name)["Id"]
        network = self.direct.get("/networks/%s-n" % name)["Id"]
        refs = [name + "-c", one, one[:12]]
        self.names.update({
            word + "-name": [name + "-c"], word + "-id": [one, one[:12]],
            word + "-running": refs, word + "-updated": [name + "-u"],
            word + "-join": ["container:" + r for r in refs],
            word + "-links": [[r + ":al"] for r in refs],
            word + "-from": [[r + end] for r in refs for end in
                             ("", ":ro", ":rw")],
            word + "-network": [name + "-n", network, network[:12]],
            word + "-volume": [name + "-v"]})

    def _populate(self):
        self._objects("own", self.gateway, {})
        self._objects("foreign", self.direct, {LABEL: "another-project"})
        self._objects("nobodys", self.direct, {})
        for key in ("network", "volume", "join", "id", "name", "from"):
            self.names["foreign-" + key] += self.names["nobodys-" + key]
        # What a daemon makes of nothing: all else has to have been asked for.
        self._make(self.direct, "/containers/create?name=%s-bare" % self.mark,
                   {"Image": "busybox", "HostConfig": {}})
        self.bare = self.direct.get(LOOK[self.kind] % (self.mark + "-bare"))
        self.relay.take()

    def sweep(self):
        """Everything that bears our mark, past the gateway."""
        listed = self.direct.get("/containers/json?all=1")
        for one in listed:
            if any(n.startswith("/" + self.mark) for n in one["Names"]) or \
                    one["Labels"].get(LABEL) == self.slug:
                self.direct.ask("DELETE", "/containers/%s?force=1&v=1" %
                                one["Id"])
        for one in self.direct.get("/networks"):
            if one["Name"].startswith(self.mark) or \
                    (one["Labels"] or {}).get(LABEL) == self.slug:
                self.direct.ask("DELETE", "/networks/" + one["Id"])
        for one in self.direct.get("/volumes")["Volumes"] or []:
            if one["Name"].startswith(self.mark) or \
                    (one["Labels"] or {}).get(LABEL) == self.slug:
                self.direct.ask("DELETE", "/volumes/%s?force=1" % one["Name"])

    def close(self):
        """The gateway ends by itself when its listeners are asked to."""
        with open(os.path.join(self.run_dir, "gateway.pid")) as file:
            pid = int(file.read().split()[0])
        if os.readlink("/proc/%d/exe" % pid).endswith("container-gateway"):
            os.kill(pid, 15)
        self.sweep()
