"""Random requests through a gateway to a real daemon: what the daemon made is
what policyd judged, and safe.

	differential.py [--seed N] [--count N] [--only INDEX] [--jobs N]
			[--build DIR] [--backend docker|podman]
			[--daemon SOCKET] [-v]

A failing case is printed with its seed and index; --seed and --only run it
again alone.  On podman, what was made is held against the promises alone: its
inspect shows other values than it was given.  Each job has a project, a gateway and a relay of its own.
"""
import argparse
import collections
import json
import multiprocessing
import os
import sys
import tempfile
import time

import compare
import generate
import lab as labs
import podman
import safety
from lab import LABEL, Lab

REFUSED = "container-gateway: "
MADE = {"container": "/containers/create", "libpod": "/containers/create",
        "exec": "/exec", "update": "/update", "network": "/networks/create",
        "volume": "/volumes/create"}
LOOK = {"container": "/containers/%s/json", "update": "/containers/%s/json",
        "exec": "/exec/%s/json", "network": "/networks/%s",
        "volume": "/volumes/%s"}
REMOVE = {"container": "/containers/%s?force=1&v=1",
          "libpod": "/containers/%s?force=1&v=1",
          "network": "/networks/%s", "volume": "/volumes/%s?force=1"}


class Outcome:
    def __init__(self, word):
        self.word = word        # passed, refused REASON, daemon STATUS
        self.faults = []
        self.detail = []


def message(text):
    try:
        return json.loads(text).get("message", "")
    except (ValueError, AttributeError):
        return ""


def judge_refusal(request, text, exchanges):
    said = message(text)
    reason = said[len(REFUSED):].split(":")[0] if said.startswith(REFUSED) \
        else "in the daemon's words"
    out = Outcome("refused " + reason)
    sent = [e for e in exchanges if e.method != "GET"]
    if sent:
        out.faults.append("refused, but something went out")
        out.detail += sent
    if request.mood == "clean":
        out.faults.append("good will was refused: " + said)
    return out


def object_of(request, lab, answer):
    """What inspect is asked for, and what is removed again."""
    if request.kind == "update":
        return lab.names["own-updated"][0]
    made = json.loads(answer)
    return made.get("Id") or made.get("Name")


def judge_made(request, lab, answer, exchanges, before):
    out = Outcome("passed")
    sent = [e for e in exchanges if e.method == "POST" and
            e.target.split("?")[0].endswith(MADE[request.kind])]
    if len(sent) != 1:
        out.faults.append("%d requests went out" % len(sent))
        out.detail += exchanges
        return out
    ref = object_of(request, lab, answer)
    try:
        out.faults += faults_of(request, lab, compare.parse(sent[0].body),
                                ref, before)
    except (LookupError, TypeError, ValueError) as error:
        out.faults.append("of another form than expected: %r" % error)
    out.detail.append(sent[0])
    if request.kind in REMOVE:
        lab.direct.ask("DELETE", REMOVE[request.kind] % ref)
    return out


def faults_of(request, lab, judged, ref, before):
    if lab.kind == "podman" and "containers/create" in request.target:
        shown = lab.direct.get(labs.LOOK["podman"] % ref)
        return safety.failing(podman.container(lab, shown))
    shown = lab.direct.get(LOOK[request.kind] % ref)
    faults = safety.violations(request.kind, lab, shown)
    if lab.kind == "podman":
        return faults
    if request.kind == "update":
        return faults + list(compare.update(lab, judged, shown, before))
    if request.kind == "container" and shown["Name"] != "/" + request.name:
        faults.append("its name is " + shown["Name"])
    return faults + list(compare.CHECKS[request.kind](lab, judged, shown))


def listed(kind, text):
    """Labels by id or name."""
    rows = json.loads(text)
    if kind == "volumes":
        return {v["Name"]: v["Labels"] or {} for v in rows["Volumes"] or []}
    return {v["Id"]: v["Labels"] or {} for v in rows}


def judge_list(request, lab, answer):
    """Own objects only; and all that the client's own filters leave."""
    out = Outcome("passed")
    here = listed(request.name, answer)
    out.faults += ["%s is not the project's" % one for one, labels in
                   here.items() if labels.get(LABEL) != lab.slug]
    if lab.kind == "podman":
        return out              # its filters are alternatives
    sent = dict(request.sent)
    sent["label"] = sent.get("label", []) + ["%s=%s" % (LABEL, lab.slug)]
    target = request.target.split("?")[0] + "?all=1&filters="
    status, text = lab.direct.ask("GET", target + json.dumps(sent).replace(
        " ", ""))
    if request.mood == "clean" and (
            status != 200 or set(listed(request.name, text)) != set(here)):
        out.faults.append("another list than with %s: %s" % (sent, text))
    return out


def run_case(seed, index, lab):
    request = generate.request(seed, index, lab)
    before = lab.direct.get(LOOK["update"] % lab.names["own-updated"][0]) if \
        request.kind == "update" else None
    through = lab.podman if request.kind == "libpod" else lab.gateway
    status, answer = through.ask(request.method, request.target,
                                 request.body)
    exchanges = lab.relay.take()
    if message(answer).startswith(REFUSED) or (status >= 400 and not any(
            e.method == request.method for e in exchanges)):
        out = judge_refusal(request, answer, exchanges)
    elif status >= 400:
        out = Outcome("daemon %d" % status)
    elif request.kind == "list":
        out = judge_list(request, lab, answer)
    else:
        out = judge_made(request, lab, answer, exchanges, before)
    out.request, out.answer = request, answer
    return out


def complain(seed, index, out):
    print("case --seed %s --only %d: %s" % (seed, index, out.request))
    for fault in out.faults:
        print("  " + fault)
    for one in out.detail:
        print("  sent: %s" % one)
    sys.stdout.flush()


def job(args, number, folder, totals):
    lab = Lab(folder, args.build, args.backend, args.daemon, number)
    words = collections.Counter()
    faults = 0
    wanted = range(number, args.count, args.jobs) if args.only is None \
        else [args.only]
    try:
        for done, index in enumerate(wanted):
            out = run_case(args.seed, index, lab)
            words["%s %s" % (out.request.kind, out.word)] += 1
            words["mood %s %s" % (out.request.mood, out.word.split()[0])] += 1
            if out.faults or args.verbose:
                complain(args.seed, index, out)
            if out.word.startswith("daemon") and args.verbose:
                print("  " + message(out.answer))
            faults += bool(out.faults)
            if done % 500 == 499:
                sweep_leftovers(lab)
    finally:
        lab.close()
    totals.put((faults, words))


def sweep_leftovers(lab):
    """Volumes that effects have made."""
    for one in lab.direct.get("/volumes")["Volumes"] or []:
        if one["Name"].startswith((lab.mark + "v", lab.mark + "w")):
            lab.direct.ask("DELETE", "/volumes/%s?force=1" % one["Name"])


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", default=str(int(time.time())))
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--only", type=int)
    parser.add_argument("--jobs", type=int, default=3)
    parser.add_argument("--build", default=os.environ.get("CG_BUILD"))
    parser.add_argument("--backend", choices=["docker", "podman"],
                        default="docker")
    parser.add_argument("--daemon")
    parser.add_argument("-v", "--verbose", action="store_true")
    args = parser.parse_args()
    args.daemon = args.daemon or os.environ.get(
        "CG_%s_SOCK" % args.backend.upper())
    if args.only is not None:
        args.jobs = 1
    return args


def main():
    args = arguments()
    print("seed %s, %d cases" % (args.seed, args.count))
    sys.stdout.flush()
    began, faults, words = time.time(), 0, collections.Counter()
    totals = multiprocessing.Queue()
    with tempfile.TemporaryDirectory(prefix="cg-diff.") as folder:
        jobs = [multiprocessing.Process(target=job, args=(
            args, n, folder, totals)) for n in range(args.jobs)]
        for one in jobs:
            one.start()
        for one in jobs:
            one.join()
    if any(one.exitcode != 0 for one in jobs):
        sys.exit("a job died")
    for _ in jobs:
        some, more = totals.get()
        faults, words = faults + some, words + more
    for word, n in sorted(words.items()):
        print("%6d %s" % (n, word))
    print("%d differences, %d s, seed %s" % (
        faults, time.time() - began, args.seed))
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
