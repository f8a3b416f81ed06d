# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""The form of the vv program: version, help, exit codes, one-line errors."""

import os
import signal
import subprocess
import sys
import time

VV = os.environ["VV"]
COMMANDS = ["info", "run", "grad", "check", "jac", "fit", "optimize", "bench", "kernel", "convert", "render", "view"]
results = [0, 0]


def vv(*arguments):
    return subprocess.run([VV, *arguments], capture_output=True, text=True, timeout=60)


def check(name, good, *seen):
    results[0 if good else 1] += 1
    if not good:
        print("wrong:", name, *seen)


def refused(name, *arguments, says=""):
    """Exit 2, nothing on stdout, one line `vv: ...` on stderr."""
    p = vv(*arguments)
    lines = p.stderr.splitlines()
    check(name, p.returncode == 2 and p.stdout == "" and len(lines) == 1 and lines[0].startswith("vv: ")
          and says in lines[0], p)


p = vv("--version")
check("version", p.returncode == 0 and p.stdout.startswith("vv ") and p.stdout.count(".") == 2, p)
p = vv("help")
check("help", p.returncode == 0 and all(f"  {c} " in p.stdout for c in COMMANDS), p)
for command in COMMANDS:
    p = vv("help", command)
    check(f"help {command}", p.returncode == 0 and p.stdout.startswith(f"vv {command} ") and p.stderr == "", p)
    q = vv(command, "--help")
    check(f"{command} --help", p.stdout == q.stdout, q)

refused("no command")
refused("unknown command", "fly", says="unknown command 'fly'")
refused("unknown help", "help", "fly", says="unknown command")
refused("newline in a name", "a\nb", says="a?b")
refused("missing argument", "info", says="usage: vv info SCENE")
refused("too many", "info", "a", "b", says="one argument too many")
refused("unknown option", "info", "a", "--fly", says="unknown option '--fly'")
refused("empty option", "info", "a", "--=3", says="unknown option")
refused("long option", "info", "a", "--" + "x" * 5000, says="unknown option")
refused("single dash", "info", "-x", says="two dashes")
refused("switch with value", "info", "a", "--json=1", says="takes no value")
refused("missing value", "info", "a", "--threads", says="--threads needs a value")
refused("threads 0", "info", "a", "--threads", "0", says="whole number")
refused("threads text", "info", "a", "--threads=two", says="whole number")
refused("negative seed", "info", "a", "--seed", "-1", says="whole number")
refused("seed too large", "info", "a", "--seed", "18446744073709551616", says="whole number")
refused("given twice", "run", "a", "--steps", "1", "--steps", "2", says="twice")
for command in ("optimize", "render", "view"):
    refused(command, command, "x", says=f"{command} is not built yet")
refused("missing file", "info", "no such file.xml")
refused("missing file, json", "info", "no such file.xml", "--json")

# SIGINT ends a long run with 130 and one line.
scene = os.path.join(os.environ["VV_ROOT"], "test", "scenes", "cube.xml")
p = subprocess.Popen([VV, "run", scene, "--steps", "1000000000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
time.sleep(0.5)
p.send_signal(signal.SIGINT)
try:
    out, err = p.communicate(timeout=20)
except subprocess.TimeoutExpired:
    p.kill()
    out, err = p.communicate()
check("interrupted", p.returncode == 130 and err.count("\n") == 1 and err.startswith("vv: "), p.returncode, err)

print(f"{results[0]} passed, {results[1]} failed, 0 skipped")
sys.exit(1 if results[1] else 0)
