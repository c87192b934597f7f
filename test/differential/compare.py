"""Whether the daemon's object is what the forwarded body says, field by field.

The body is overlaid on what the daemon makes of nothing; then every field that
inspect shows has to be as there.  So a field that came from elsewhere is seen
as well as one that got lost.
"""
import json


class Twice(ValueError):
    pass


def once(pairs):
    out = dict(pairs)
    if len(out) != len(pairs):
        raise Twice([k for k, _ in pairs])
    return out


def parse(body):
    """Strict: what policyd sends has one reading."""
    return json.loads(body.decode("utf-8"), object_pairs_hook=once)


def same(a, b):
    """Equal; and nothing, however it is written, is nothing."""
    if isinstance(a, dict) and isinstance(b, dict):
        return all(same(a.get(k), b.get(k)) for k in set(a) | set(b))
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return all(same(x, y) for x, y in zip(a, b))
    return a == b or (not a and not b)


# ---- what daemons are known to do with good values --------------------------

def as_list(value):
    return [value] if isinstance(value, str) and value else value


def network_mode(value):
    return value or "default"


def log_config(value):
    value = value or {}
    return {"Type": value.get("Type") or "json-file",
            "Config": value.get("Config") or {}}


def exposed(value):
    """A range becomes its ports."""
    out = {}
    for port in value or {}:
        span, _, protocol = port.partition("/")
        first, _, last = span.partition("-")
        for n in range(int(first), int(last or first) + 1):
            out["%d/%s" % (n, protocol or "tcp")] = {}
    return out


def limit(value):
    """No limit has three spellings."""
    return value if value and value > 0 else None


CONFIG = {"Cmd": as_list, "Entrypoint": as_list, "ExposedPorts": exposed,
          "Shell": as_list}
HOST = {"NetworkMode": network_mode, "LogConfig": log_config,
        "CapDrop": as_list, "PidsLimit": limit}
# Of an update: the daemon takes no notice.
NOT_UPDATED = {"Ulimits"}


def overlay(bare, judged, forms):
    out = dict(bare)
    for key, value in judged.items():
        value = forms.get(key, lambda v: v)(value)
        if value or isinstance(value, list) and key in ("Env",):
            out[key] = value
    return out


def differences(prefix, wanted, shown, unlisted=()):
    for key in sorted(set(wanted) | set(shown)):
        if key not in unlisted and not same(wanted.get(key), shown.get(key)):
            yield "%s%s: judged %s, daemon shows %s" % (
                prefix, key, json.dumps(wanted.get(key)),
                json.dumps(shown.get(key)))


def resources(host):
    """The daemon's arithmetic on limits."""
    if host.get("Memory", 0) > 0 and not host.get("MemorySwap"):
        host["MemorySwap"] = 2 * host["Memory"]
    return host


def container(lab, judged, shown):
    bare = lab.bare
    config = {k: v for k, v in judged.items()
              if k not in ("HostConfig", "NetworkingConfig")}
    wanted = overlay(bare["Config"], config, CONFIG)
    if not config.get("Hostname"):
        wanted["Hostname"] = shown["Id"][:12]
    if config.get("Entrypoint") and not config.get("Cmd"):
        wanted["Cmd"] = None    # the image's goes with its entry point
    if not config.get("Image"):
        wanted["Image"], wanted["Cmd"] = "", as_list(config.get("Cmd"))
    yield from differences("Config.", wanted, shown["Config"])
    host = resources(overlay(bare["HostConfig"], judged["HostConfig"], HOST))
    if len(host["NetworkMode"]) < 64:
        host["Links"] = [shown_link(lab, shown, link)
                         for link in host.get("Links") or []]
    else:
        host["Links"] = None    # of the network: nowhere shown
    yield from differences("HostConfig.", host, shown["HostConfig"],
                           ("Mounts",))
    yield from container_mounts(judged, shown)
    yield from container_networks(judged, shown)


def shown_link(lab, shown, link):
    """ID:ALIAS, as inspect has it."""
    ref, _, alias = link.partition(":")
    return "%s:%s/%s" % (lab.direct.get("/containers/%s/json" % ref)["Name"],
                         shown["Name"], alias)


def container_mounts(judged, shown):
    """Each mount that was asked for is there, and no other."""
    host, wanted = judged["HostConfig"], {}
    for bind in host.get("Binds") or []:
        source, target = bind.split(":")[:2]
        wanted[target] = source
    for one in host.get("Mounts") or []:
        if one["Type"] != "tmpfs":
            wanted[one["Target"]] = one.get("Source") or None
    here = {m["Destination"]: m["Source"] if m["Type"] == "bind" else
            m["Name"] for m in shown["Mounts"] if m["Type"] != "tmpfs"}
    for target in wanted:
        if target not in here or wanted[target] not in (None, here[target]):
            yield "mount %s: judged %s, daemon shows %s" % (
                target, wanted[target], here.get(target))
    unasked = set(here) - set(wanted)
    if unasked and not host.get("VolumesFrom") and not judged.get("Volumes"):
        yield "mounts that nobody asked for: %s" % sorted(unasked)


def container_networks(judged, shown):
    ends = ((judged.get("NetworkingConfig") or {}).get("EndpointsConfig")
            or {})
    here = shown["NetworkSettings"]["Networks"]
    if ends and len(here) != len(ends):
        yield "networks: judged %s, daemon shows %s" % (sorted(ends),
                                                        sorted(here))


def update(lab, judged, shown, before):
    host = overlay(before["HostConfig"], judged, HOST)
    if judged.get("PidsLimit") is not None:
        host["PidsLimit"] = limit(judged["PidsLimit"])
    yield from differences("HostConfig.", host, shown["HostConfig"],
                           NOT_UPDATED)
    yield from differences("Config.", before["Config"], shown["Config"])


def exec(lab, judged, shown):
    process = shown["ProcessConfig"]
    command = as_list(judged.get("Cmd")) or []
    yield from differences("", {
        "entrypoint": command[0], "arguments": command[1:],
        "privileged": judged.get("Privileged"), "tty": judged.get("Tty"),
        "user": judged.get("User")}, process, ("workingDir", "env"))
    yield from differences("", {
        "OpenStdin": judged.get("AttachStdin"),
        "OpenStdout": judged.get("AttachStdout"),
        "OpenStderr": judged.get("AttachStderr")},
        {k: shown.get(k) for k in ("OpenStdin", "OpenStdout", "OpenStderr")})


def network(lab, judged, shown):
    wanted = {"Driver": judged.get("Driver") or "bridge", "Scope": "local"}
    for key in ("Name", "Internal", "Attachable", "EnableIPv6", "Options",
                "Labels"):
        wanted[key] = judged.get(key)
    yield from differences("", wanted, {k: shown.get(k) for k in wanted})
    config = (judged.get("IPAM") or {}).get("Config")
    if config and not same(config, shown["IPAM"]["Config"]):
        yield "IPAM: judged %s, daemon shows %s" % (config, shown["IPAM"])


def volume(lab, judged, shown):
    wanted = {"Driver": judged.get("Driver") or "local", "Scope": "local",
              "Name": judged.get("Name"), "Labels": judged.get("Labels"),
              "Options": judged.get("DriverOpts")}
    yield from differences("", wanted, {k: shown.get(k) for k in wanted})


CHECKS = {"container": container, "exec": exec, "network": network,
          "volume": volume}

