"""What a test suite does with the Docker SDK; run by 38-sdk.sh."""
import io
import os
import sys
import tarfile
import threading
import time

import docker

MARK = os.environ["MARK"]
LABEL = os.environ["LABEL"]
SLUG = os.environ["SLUG"]
PROJECT = os.environ["PROJECT"]


def check(name, wanted, got):
    if wanted == got:
        print("ok -", name)
    else:
        print("not ok - %s: wanted %r, got %r" % (name, wanted, got))
    sys.stdout.flush()


def refused(name, reason, act, *args, **kwargs):
    try:
        act(*args, **kwargs)
        text = "nothing was raised"
    except docker.errors.APIError as error:
        text = error.explanation or ""
    check(name, True, reason in text or text)


def archive(**files):
    """A tar of small files."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            tar.addfile(entry, io.BytesIO(text))
    return out.getvalue()


def member(chunks, name):
    """The text of one file of a tar that comes in pieces."""
    with tarfile.open(fileobj=io.BytesIO(b"".join(chunks))) as tar:
        return tar.extractfile(name).read()


def run(client):
    check("run gives the output", b"hi\n",
          client.containers.run("busybox", "echo hi", remove=True))
    try:
        client.containers.run("busybox", "sh -c 'echo no >&2; exit 3'",
                              remove=True)
        check("run raises what fails", "ContainerError", "nothing")
    except docker.errors.ContainerError as error:
        check("run raises what fails", (3, b"no\n"),
              (error.exit_status, error.stderr))
    box = client.containers.run(
        "busybox", "sleep 600", name=MARK + "-box", detach=True,
        environment={"A": "b"}, labels={"mine": "yes", LABEL: "other"},
        ports={"80/tcp": None}, mem_limit="64m",
        volumes={PROJECT: {"bind": "/src", "mode": "ro"}},
        tmpfs={"/scratch": "size=1m"}, ulimits=[docker.types.Ulimit(
            name="nofile", soft=100, hard=100)], restart_policy=None)
    check("our label is on it, the client's value is not", SLUG,
          box.labels[LABEL])
    check("list", [MARK + "-box"], [c.name for c in client.containers.list()])
    check("list with filters", [box.id], [c.id for c in client.containers.list(
        all=True, filters={"label": ["mine=yes", "mine"], "name": MARK,
                           "status": "running"})])
    refused("privileged is refused", "container-gateway: privileged:",
            client.containers.run, "busybox", "true", privileged=True)
    refused("a bind of / is refused", "container-gateway: bind:",
            client.containers.run, "busybox", "true",
            volumes={"/": {"bind": "/host"}})
    return box


def use(client, box):
    check("exec_run", (0, b"b\n"), tuple(box.exec_run(
        ["sh", "-c", "echo $A"])))
    check("exec_run, streams apart", (4, (b"out\n", b"err\n")),
          tuple(box.exec_run("sh -c 'echo out; echo err >&2; exit 4'",
                             demux=True)))
    check("exec_run as a stream", b"1\n2\n", b"".join(box.exec_run(
        "sh -c 'echo 1; sleep 0.2; echo 2'", stream=True).output))
    sock = box.exec_run("cat", stdin=True, socket=True).output
    raw = getattr(sock, "_sock", sock)
    raw.sendall(b"through\n")
    raw.shutdown(1)
    check("exec_run with a socket, half closed", b"through\n",
          raw.recv(100)[8:])
    sock.close()
    check("put_archive", True, box.put_archive(
        "/tmp", archive(one=b"first", two=b"second")))
    chunks, stat = box.get_archive("/tmp/two")
    check("get_archive", (b"second", "two", 6),
          (member(chunks, "two"), stat["name"], stat["size"]))
    check("stats", box.id, box.stats(stream=False)["id"])
    check("top", True, any("sleep 600" in " ".join(p)
                           for p in box.top()["Processes"]))
    check("diff", True, {"Path": "/tmp/one", "Kind": 1} in box.diff())
    box.rename(MARK + "-new")
    box.reload()
    check("rename and reload", MARK + "-new", box.name)
    box.pause()
    box.unpause()
    box.update(mem_limit="32m", memswap_limit="32m")
    box.restart(timeout=0)
    box.reload()
    check("pause, unpause, update, restart", ("running", 32 << 20),
          (box.status, box.attrs["HostConfig"]["Memory"]))


def logs(client):
    talker = client.containers.run(
        "busybox", "sh -c 'for i in 1 2 3; do echo $i; sleep 1; done'",
        name=MARK + "-talk", detach=True)
    came = []
    for line in talker.logs(stream=True, follow=True):
        came.append((line, time.monotonic()))
    check("logs follow to the end", b"1\n2\n3\n",
          b"".join(line for line, _ in came))
    check("and come as they are written", True,
          came[-1][1] - came[0][1] > 1)
    check("wait", 0, talker.wait()["StatusCode"])
    talker.start()
    check("attach to what runs", True,
          b"3\n" in b"".join(talker.attach(logs=True, stream=True)))
    talker.remove(force=True)


def events(client, other):
    """Those of one project while both are busy."""
    seen = []
    stream = client.events(decode=True)
    reader = threading.Thread(target=lambda: seen.extend(stream), daemon=True)
    reader.start()
    time.sleep(1)
    other.containers.run("busybox", "true", name=MARK + "-theirs",
                         remove=True)
    client.containers.run("busybox", "true", name=MARK + "-ours",
                          remove=True)
    time.sleep(1)
    stream.close()
    reader.join(5)
    names = {e["Actor"]["Attributes"].get("name") for e in seen
             if e["Type"] == "container"}
    check("events are the project's own", {MARK + "-ours"}, names)
    check("all of its life", True, {"create", "start", "die", "destroy"} <=
          {e["Action"] for e in seen})


def objects(client):
    net = client.networks.create(
        MARK + "-net", driver="bridge", labels={"mine": "yes"},
        check_duplicate=True, ipam=docker.types.IPAMConfig(pool_configs=[
            docker.types.IPAMPool(subnet="10.77.92.0/24")]))
    check("networks", [net.id], [n.id for n in client.networks.list()])
    box = client.containers.create("busybox", "sleep 60",
                                   name=MARK + "-net-box")
    net.connect(box, aliases=["alias"], ipv4_address="10.77.92.9")
    box.start()
    net.reload()
    check("connect", [box.id], [c.id for c in net.containers])
    net.disconnect(box)
    box.remove(force=True)
    net.remove()
    vol = client.volumes.create(MARK + "-vol", labels={"mine": "yes"})
    check("volumes", ([vol.id], SLUG), ([v.id for v in client.volumes.list()],
                                        vol.attrs["Labels"][LABEL]))
    client.containers.run("busybox", "touch /v/x", remove=True, mounts=[
        docker.types.Mount("/v", MARK + "-vol")])
    check("a volume keeps what is written", b"x\n", client.containers.run(
        "busybox", "ls /v", remove=True,
        volumes={MARK + "-vol": {"bind": "/v", "mode": "ro"}}))
    refused("volume options are refused", "container-gateway: volume-option:",
            client.volumes.create, MARK + "-bad", driver="local",
            driver_opts={"type": "none", "o": "bind", "device": "/"})
    vol.remove()
    for prune in (client.containers, client.networks, client.volumes):
        check("prune of %s" % type(prune).__name__, True,
              isinstance(prune.prune(), dict))


def images(client):
    os.makedirs(PROJECT + "/ctx", exist_ok=True)
    with open(PROJECT + "/ctx/Dockerfile", "w") as file:
        file.write("FROM busybox\nARG A\nRUN echo $A >/a\n")
    image, log = client.images.build(
        path=PROJECT + "/ctx", tag=MARK + "-img:v1", buildargs={"A": "b"},
        labels={"mine": "yes"}, rm=True)
    check("build", (SLUG, True), (image.labels[LABEL], any(
        "Successfully built" in line.get("stream", "") for line in log)))
    check("what was built runs", b"b\n", client.containers.run(
        image.id, "cat /a", remove=True))
    image, _ = client.images.build(
        fileobj=io.BytesIO(b"FROM busybox\nENV X=y\n"), tag=MARK + "-img:v2")
    check("build of a Dockerfile alone", True, "X=y" in
          image.attrs["Config"]["Env"])
    check("tag", True, image.tag(MARK + "-img", "v3"))
    check("list and get", True, image.id in
          [i.id for i in client.images.list()] and
          client.images.get(MARK + "-img:v3").id == image.id)
    check("history", True, len(image.history()) > 0)
    check("save", True, sum(len(c) for c in image.save()) > 1000000)
    box = client.containers.create(image.id, "true")
    made = box.commit(MARK + "-img", "v4", changes="LABEL k=v")
    check("commit", (SLUG, "v"), (made.labels[LABEL], made.labels["k"]))
    box.remove()
    refused("load is refused", "container-gateway: image-import:",
            client.images.load, archive(x=b"y"))
    refused("another's image is not removed", "container-gateway: image:",
            client.images.remove, "busybox")
    for tag in "v1", "v2", "v3", "v4":
        client.images.remove(MARK + "-img:" + tag)


def foreign(client):
    try:
        client.containers.get(MARK + "-foreign")
        check("a foreign container is none", "NotFound", "found")
    except docker.errors.NotFound as error:
        check("a foreign container is none",
              "No such container: %s-foreign" % MARK, error.explanation)
    check("df has our containers only", True, all(
        c["Labels"].get(LABEL) == SLUG for c in client.df()["Containers"]))
    check("ping, version, info", True, client.ping() and
          bool(client.version()["ApiVersion"]) and bool(client.info()["ID"]))


def main():
    client = docker.DockerClient(base_url=os.environ["DOCKER_HOST"])
    other = docker.DockerClient(base_url=os.environ["OTHER"])
    box = run(client)
    use(client, box)
    logs(client)
    events(client, other)
    box.stop(timeout=0)
    box.remove(v=True, force=True)
    objects(client)
    images(client)
    foreign(client)


main()
