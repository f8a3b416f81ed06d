#!/usr/bin/env python3
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""vv fit as a program: files, the report's keys, refusals, interruption and resuming, one line per error."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

VV = os.environ["VV"]
DEMO = os.path.join(os.environ["VV_ROOT"], "samples", "cube-toss", "demo.yaml")
counts = {"passed": 0, "failed": 0}


def check(name, good, detail=""):
    counts["passed" if good else "failed"] += 1
    if not good:
        print(f"FAILED {name}: {detail}")


def run(*arguments):
    return subprocess.run([VV, "fit", *arguments], capture_output=True, text=True)


def numbers(folder):
    with open(os.path.join(folder, "report.json")) as file:
        report = json.load(file)
    return [(x["value"], x["standard_error"]) for x in report["numbers"]], report["error"]


def whole_run(folder):
    r = run(DEMO, "--out", folder, "--json")
    check("runs", r.returncode == 0, r.stderr)
    report = json.loads(r.stdout)
    keys = {"numbers", "correlations", "unidentifiable", "error", "iterations", "seconds", "starts"}
    check("keys of the report", keys <= set(report), report.keys())
    for x in report["numbers"]:
        check("keys of a number", set(x) == {"name", "start", "value", "standard_error", "at_bound"}, x)
    error = report["error"]
    for signal_name in ("body/cube/pos", "body/cube/quat"):
        check("fitted", error["fitted"][signal_name] < 0.3 * error["before"][signal_name], error)
        check("held out", error["held_out"][signal_name] < 0.3 * error["held_out_before"][signal_name], error)
    for name in ("fitted.xml", "report.json", "report.png", "fit.state"):
        check(name, os.path.getsize(os.path.join(folder, name)) > 0)
    with open(os.path.join(folder, "report.png"), "rb") as file:
        check("picture", file.read(8) == b"\x89PNG\r\n\x1a\n")
    info = json.loads(subprocess.run([VV, "info", os.path.join(folder, "fitted.xml"), "--json"], capture_output=True,
                                     text=True).stdout)
    value = {x["name"]: x["value"] for x in info["numbers"]}
    check("fitted.xml", value["default/cube/geom/friction/0"] == report["numbers"][0]["value"])


def same_again(folder):
    before = numbers(folder)
    r = run(DEMO, "--out", folder, "--quiet")
    check("runs again into its own folder", r.returncode == 0 and r.stdout == "", r.stderr + r.stdout)
    check("the same numbers", numbers(folder) == before)
    r = run(DEMO, "--out", folder, "--seed", "1", "--json")
    check("another problem's folder", r.returncode == 2 and r.stdout == "" and "another problem" in r.stderr, r.stderr)


def interrupted(folder, reference):
    process = subprocess.Popen([VV, "fit", DEMO, "--out", folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    state = os.path.join(folder, "fit.state")
    for _ in range(2000):
        if os.path.exists(state):
            break
        time.sleep(0.01)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    if process.returncode == 0:
        print("too fast to be interrupted: not counted")
        return
    check("interrupted", process.returncode == 130 and "--resume" in err, err)
    r = run(DEMO, "--out", folder)
    check("not begun anew", r.returncode == 2 and "interrupted fit" in r.stderr, r.stderr)
    r = run(DEMO, "--out", folder, "--resume")
    check("resumed", r.returncode == 0, r.stderr)
    check("the same bits", numbers(folder) == numbers(reference))


def one_line(name, needle, *arguments):
    r = run(*arguments)
    good = r.returncode == 2 and r.stdout == "" and r.stderr.startswith("vv: ") and r.stderr.count("\n") == 1
    check(name, good and needle in r.stderr, f"{r.returncode} {r.stderr!r}")


def refusals(folder):
    missing = os.path.join(folder, "no.yaml")
    one_line("no problem", "no.yaml: cannot be read", missing)
    one_line("no recording", "no.csv: cannot be read", DEMO, "--recording", os.path.join(folder, "no.csv"))
    one_line("resume without out", "--resume needs --out", DEMO, "--resume")
    one_line("nothing to resume", "holds no interrupted fit", DEMO, "--resume", "--out", os.path.join(folder, "empty"))
    foreign = os.path.join(folder, "foreign")
    os.mkdir(foreign)
    with open(os.path.join(foreign, "report.json"), "w") as file:
        file.write("{}")
    one_line("foreign report", "choose another --out", DEMO, "--out", foreign)
    with open(os.path.join(foreign, "report.json")) as file:
        check("foreign report kept", file.read() == "{}")
    short = os.path.join(folder, "a b.csv")
    with open(short, "w") as file:
        file.write("toss,t,x\n0,0,1\n")
    one_line("missing column", 'a b.csv:1: no column "y"', DEMO, "--recording", short)


def main():
    with tempfile.TemporaryDirectory(prefix="visviva fit ") as folder:
        whole = os.path.join(folder, "deep", "whole")
        whole_run(whole)
        same_again(whole)
        interrupted(os.path.join(folder, "cut"), whole)
        refusals(folder)
    print(f"{counts['passed']} passed, {counts['failed']} failed, 0 skipped")
    sys.exit(counts["failed"] > 0)


main()
