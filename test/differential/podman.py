"""What podman's own inspect must show of a container, whoever judged it, and
values of its own API.  As safety.py and values.py are for docker.
"""
import os
import re

from safety import (below, has_label, in_kernel, is_address, own)

EMPTY = ["CapAdd", "Devices", "CgroupParent", "Cgroup", "VolumeDriver",
         "BlkioWeightDevice", "BlkioDeviceReadBps", "BlkioDeviceWriteBps",
         "BlkioDeviceReadIOps", "BlkioDeviceWriteIOps", "CpuRealtimePeriod",
         "CpuRealtimeRuntime", "Privileged", "ContainerIDFile",
         "PublishAllPorts", "OomKillDisable"]
AS_BARE = ["AppArmorProfile", "MountLabel", "ProcessLabel", "OCIRuntime",
           "Rootfs", "IsInfra", "Namespace"]
# Podman's own notes of what came in a body.
KEPT = {"io.podman.annotations.volumes-from"}
SECURITY = {"no-new-privileges", "no-new-privileges:true"}
MODES = {
    "PidMode": ("private",),
    "IpcMode": ("", "private", "shareable", "none"),
    "UTSMode": ("private",),
    "UsernsMode": ("", "private", "auto", "keep-id", "nomap", "no-map"),
    "NetworkMode": ("bridge", "none", "default", "slirp4netns", "private"),
}


def mounts(lab, shown):
    for one in shown["Mounts"]:
        where = "Mounts " + one["Destination"]
        yield where, not in_kernel(one["Destination"])
        if one["Type"] == "bind":
            source = one["Source"]
            yield where + " source", below(source, lab.project) and \
                os.path.realpath(source) == source and \
                not below(source, lab.run_dir)
            yield where + " propagation", one["Propagation"] in (
                "", "private", "rprivate")
            yield where + " MKNOD", "CAP_MKNOD" not in (
                shown["EffectiveCaps"] or [])
            yield where + " restart", source == lab.project or \
                shown["HostConfig"]["RestartPolicy"]["Name"] in ("", "no")
        else:
            volume = lab.direct.get("/volumes/" + one["Name"])
            # Anonymous ones go with their container.
            yield where + " volume", has_label(lab, volume) or \
                re.fullmatch("[0-9a-f]{64}", one["Name"]) is not None
            yield where + " options", not volume["Options"]


def annotations(lab, shown):
    for name, value in shown.items():
        yield "annotation " + name, name in KEPT or (
            name in lab.bare["Config"]["Annotations"] and not (
                value == "TRUE" and name.endswith(("privileged",
                                                   "publish-all"))))


def container(lab, shown):
    host, config = shown["HostConfig"], shown["Config"]
    for name in EMPTY:
        yield name, not host.get(name)
    for name in AS_BARE:
        yield name, shown.get(name) == lab.bare.get(name)
    for name, plain in MODES.items():
        yield name, host[name] in plain or own(lab, host[name])
    yield "caps", set(shown["EffectiveCaps"] or []) <= set(
        lab.bare["EffectiveCaps"])
    yield "cgroups", host["CgroupMode"] in (
        "private", lab.bare["HostConfig"]["CgroupMode"])
    yield "OomScoreAdj", host["OomScoreAdj"] >= 0
    yield "SecurityOpt", set(host["SecurityOpt"] or []) <= SECURITY
    yield "Ulimits", all("CORE" not in u["Name"].upper() or not u["Hard"]
                         for u in host["Ulimits"] or [])
    yield "label", has_label(lab, config)
    yield from annotations(lab, config["Annotations"] or {})
    yield "secrets", not config.get("Secrets")
    yield "WorkingDir", not in_kernel(config["WorkingDir"])
    yield "pod", not shown["Pod"]
    for name in shown["NetworkSettings"].get("Networks") or {}:
        yield "network " + name, name == "podman" or has_label(
            lab, lab.direct.get("/networks/" + name))
    for port, bindings in (host["PortBindings"] or {}).items():
        # Null: exposed, and not published.
        yield "PortBindings " + port, all(is_address(b["HostIp"])
                                          for b in bindings or [])
    yield from mounts(lab, shown)


# ---- SpecGenerator ------------------------------------------------------------

def bind(rng, world):
    return {"type": "bind", "destination": "/m%d" % rng.randint(0, 5),
            "source": world.project + rng.choice(["", "/sub", "/inside"]),
            "options": rng.choice([["ro"], ["rbind", "rw"], [], None])}


def hostile_bind(rng, world):
    return {"type": rng.choice(["bind", "bind", "overlay", "devpts"]),
            "destination": rng.choice(["/m", "/proc", "/"]),
            "source": rng.choice(["/etc", "/", world.project + "/out",
                                  world.run_dir, world.project + "/.."]),
            "options": rng.choice([["ro"], ["rshared"], ["upperdir=/etc"]])}


def space(value):
    return {"nsmode": value, "value": ""}


def joined(word):
    return lambda rng, world: {"nsmode": "container", "value": rng.choice(
        world.names[word])}


def listed(make):
    return lambda rng, world: [make(rng, world)]


def networks(word):
    return lambda rng, world: {rng.choice(world.names[word]): {}}


HOSTILE_SPACES = [space("host"), {"nsmode": "path", "value": "/proc/1/ns/x"},
                  {"nsmode": "ns", "value": "/proc/1/ns/net"},
                  {"string": "host"}, {"Nsmode": "host"}]
SPEC = [
    ("privileged", [False, None], [True, "true"]),
    ("cap_add", [None, []], [["SYS_ADMIN"]]),
    ("cap_drop", [None, ["NET_RAW"]], []),
    ("devices", [None, []], [[{"path": "/dev/kmsg"}]]),
    ("pidns", [None, {}, space("private"), joined("own-running")],
     HOSTILE_SPACES + [joined("foreign-running")]),
    ("ipcns", [None, {}, space("private")], HOSTILE_SPACES),
    ("utsns", [None, {}, space("private")], HOSTILE_SPACES),
    ("userns", [None, {}], HOSTILE_SPACES),
    ("cgroupns", [None, {}], HOSTILE_SPACES),
    ("netns", [None, {}, space("bridge"), space("none")],
     HOSTILE_SPACES + [joined("foreign-running")]),
    ("seccomp_profile_path", ["", None], ["unconfined", "/etc/x"]),
    ("apparmor_profile", ["", None], ["unconfined"]),
    ("selinux_opts", [None, []], [["disable"]]),
    ("unmask", [None, []], [["ALL"]]),
    ("procfs_opts", [None, []], [["hidepid=0"]]),
    ("sysctl", [None, {}], [{"kernel.shm_rmid_forced": "1"}]),
    ("cgroup_parent", ["", None], ["/"]),
    ("oci_runtime", ["", None], ["crun", "/etc/x"]),
    ("annotations", [None, {}], [{"run.oci.keep_original_groups": "1"}]),
    ("rootfs", ["", None], ["/"]),
    ("overlay_volumes", [None, []],
     [[{"destination": "/m", "source": "/etc"}]]),
    ("secrets", [None, []], [[{"source": "x"}]]),
    ("env_host", [False, None], [True]),
    ("httpproxy", [True, False], []),
    ("conmon_pid_file", ["", None], ["/etc/cron.d/x"]),
    ("log_configuration", [None, {}], [{"path": "/etc/x"}]),
    ("mounts", [None, [], listed(bind)], [listed(hostile_bind)]),
    ("env", [{}, {"A": "1"}], [{"A=B": "1"}, {"A": 1}]),
    ("labels", [{}, {"a": "b"}],
     [{"org.apache.magpie.project": "x"}, {"a=b": "c"}]),
    ("work_dir", ["/", "/w"], ["/proc/self/fd/3", "/sys"]),
    ("oom_score_adj", [0, 5], [-1]),
    ("r_limits", [None, []], [[{"type": "core", "soft": 1, "hard": 1}]]),
    ("groups", [None, ["0"]], [["keep-groups"]]),
    ("portmappings", [None, [], [{"container_port": 80}]],
     [[{"container_port": 80, "host_ip": "0"}]]),
    ("command", [["true"], None], [[1], "true", [{}]]),
    ("terminal", [True, False], ["yes"]),
    ("hostname", ["h", ""], ["a\nb"]),
    ("Networks", [None, networks("own-network")],
     [networks("foreign-network"), {"host": {}}]),
    ("resource_limits", [None, {}, {"memory": {"limit": 16777216}}],
     [{"devices": [{"allow": True, "access": "rwm"}]},
      {"unified": {"memory.max": "max"}}]),
    ("timezone", ["", "local"], ["../../etc/shadow"]),
    ("foo", [None], [1]),
]
