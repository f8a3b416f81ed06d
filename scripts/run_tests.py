# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""Runs what `make test`, `test-long`, `cases`, `peers` and `bench` consist of and sums up.

Unit tests are cmocka programs in BUILD/test. Scripts get VV, VVCC, VV_ROOT and VV_BUILD in their environment; exit code
0 is passed, 77 skipped (the last line says why), all else failed; when a script's last line is
`N passed, N failed, N skipped`, those counts are taken, and its lines `SKIP: name: reason` name what was skipped.
The last line printed is the sum over all, the exit code 1 when anything failed.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOTAL = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$")
TAP = re.compile(r"^(not ok|ok) \d+ (?:-|# SKIP) (.*)$")
WHOLE = {"cases": "test/cases/cases.py", "peers": "test/peer/peers.py", "bench": "bench/bench.py"}
FUZZ_SECONDS = 60


class Result:
    """Counts of one program, the names of its skipped tests, its output and its time."""

    def __init__(self, name):
        self.name, self.passed, self.failed, self.skipped = name, 0, 0, []
        self.output, self.seconds = "", 0.0


def environment(build):
    env = dict(os.environ)
    build = pathlib.Path(build).resolve()
    env.update(VV=str(build / "vv"), VVCC=str(build / "vvcc"), VV_ROOT=str(ROOT), VV_BUILD=str(build))
    env.update(PYTHON=sys.executable, PYTHONPATH=str(ROOT / "test"), OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    env["LOCPATH"] = str(ROOT / "build" / "locale")  # one locale with a decimal comma
    env.setdefault("ASAN_OPTIONS", "detect_stack_use_after_return=1:allocator_may_return_null=1")
    env.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")
    return env


def run_process(result, command, env, limit, show):
    """Runs a command, returns its exit code; its output is kept, and shown at once when `show`."""
    start = time.monotonic()
    lines = []
    with subprocess.Popen(command, env=env, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, start_new_session=True) as process:
        killer = threading.Timer(limit, os.killpg, (process.pid, 9))
        killer.start()
        for line in process.stdout:
            lines.append(line)
            if show and not TOTAL.match(line.strip()):
                print(line, end="", flush=True)
        code = process.wait()
        killer.cancel()
    result.seconds = time.monotonic() - start
    result.output = "".join(lines)
    if result.seconds >= limit:
        result.output += f"stopped after {limit} s\n"
    return code


def run_unit(name, program, build, limit):
    """A cmocka program: one count per test function; a crash is one more failure."""
    result = Result(name)
    env = environment(build)
    env["CMOCKA_MESSAGE_OUTPUT"] = "TAP"
    code = run_process(result, [str(program)], env, limit, False)
    for line in result.output.splitlines():
        found = TAP.match(line)
        if not found:
            continue
        if "# SKIP" in line:
            result.skipped.append(f"{name}: {found[2]}")
        elif found[1] == "ok":
            result.passed += 1
        else:
            result.failed += 1
    planned = sum(int(n) for n in re.findall(r"^1\.\.(\d+)", result.output, re.M))
    seen = result.passed + result.failed + len(result.skipped)
    if (code != 0 and result.failed == 0) or seen == 0 or seen < planned:
        result.failed += max(1, planned - seen)
        result.output += f"{name}: exit code {code}, {seen} of {planned} tests reported\n"
    return result


def run_script(name, path, arguments, build, limit, show):
    result = Result(name)
    env = environment(build)
    command = [sys.executable, str(path)] if path.suffix == ".py" else ["sh", str(path)]
    code = run_process(result, command + arguments, env, limit, show)
    lines = [line.strip() for line in result.output.splitlines() if line.strip()]
    last = TOTAL.match(lines[-1]) if lines else None
    if last:
        result.passed, result.failed = int(last[1]), int(last[2])
        result.skipped = [f"{name}: {line[6:]}" for line in lines if line.startswith("SKIP: ")]
        result.skipped += [f"{name}: not named"] * (int(last[3]) - len(result.skipped))
        if code != 0 and result.failed == 0:
            result.failed = 1
            result.output += f"{name}: exit code {code}\n"
    elif code == 77:
        result.skipped = [f"{name}: {lines[-1] if lines else 'no reason given'}"]
    elif code == 0:
        result.passed = 1
    else:
        result.failed = 1
        result.output += f"{name}: exit code {code}\n"
    return result


def unit_programs(build, prefix):
    """Programs of the test sources that exist now; one that was not built counts as failed."""
    sources = [p for p in sorted((ROOT / "test").rglob(prefix + "*.c*")) if p.suffix in (".c", ".cc")]
    return [(p, pathlib.Path(build).resolve() / "test" / p.stem) for p in sources if not p.stem.endswith("_kernel")]


def unit_jobs(build, prefix, label, limit, chosen=lambda source: True):
    for source, program in unit_programs(build, prefix):
        if chosen(source):
            yield lambda n=f"{program.name}{label}", p=program: run_unit(n, p, build, limit)


def script_jobs(build, prefix, limit):
    for path in sorted((ROOT / "test").rglob(prefix + "*")):
        if path.suffix in (".py", ".sh"):
            name = str(path.relative_to(ROOT / "test"))
            yield lambda n=name, p=path: run_script(n, p, [], build, limit, False)


def fuzz_jobs(build):
    """Each fuzzer for FUZZ_SECONDS, started from the scenes and the files beside its source."""
    for source in sorted((ROOT / "test").rglob("fuzz_*.c")):
        program = pathlib.Path(build).resolve() / "test" / source.stem
        work = pathlib.Path(build).resolve() / "fuzz" / source.stem
        work.mkdir(parents=True, exist_ok=True)
        seeds = [p for p in (source.parent / "corpus", ROOT / "test" / "scenes") if p.is_dir()]
        command = [program, work, *seeds, f"-max_total_time={FUZZ_SECONDS}", "-timeout=20", "-rss_limit_mb=3000",
                   f"-artifact_prefix={work}-", "-print_final_stats=1", "-verbosity=0"]
        yield lambda n=source.stem, c=command: run_fuzzer(n, [str(a) for a in c], build)


def run_fuzzer(name, command, build):
    result = Result(name)
    code = run_process(result, command, environment(build), FUZZ_SECONDS + 120, False)
    result.passed, result.failed = int(code == 0), int(code != 0)
    return result


def whole_job(what, arguments, build, show):
    path = ROOT / WHOLE[what]
    if not path.exists():
        result = Result(what)
        result.failed, result.output = 1, f"{what} is not built yet\n"
        return result
    return run_script(what, path, arguments, build, 3000, show)


def float_checked(source):
    return any(line.strip() == "// float: checked" for line in source.read_text().splitlines()[:40])


def report(result):
    verdict = "FAILED" if result.failed else "passed"
    print(f"{verdict}  {result.name:40s} {result.passed:5d} passed {result.failed:4d} failed "
          f"{len(result.skipped):4d} skipped {result.seconds:8.1f} s", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--asan")
    parser.add_argument("--float", dest="single")
    parser.add_argument("--clang")
    parser.add_argument("--scripts", action="store_true")
    parser.add_argument("--cases", action="store_true")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--only", choices=sorted(WHOLE))
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    start = time.monotonic()

    jobs, alone = [], []
    if options.only:
        alone = [lambda: whole_job(options.only, options.arguments, options.build, True)]
    elif options.long:
        jobs += unit_jobs(options.clang, "test_", " (clang)", 300)
        jobs += unit_jobs(options.build, "long_", "", 1500)
        jobs += fuzz_jobs(options.asan)
        alone += script_jobs(options.build, "long_", 1500)
    else:
        jobs += unit_jobs(options.build, "test_", "", 300)
        jobs += unit_jobs(options.asan, "test_", " (sanitizers)", 600)
        jobs += unit_jobs(options.single, "test_", " (float)", 300, float_checked)
        jobs += script_jobs(options.build, "test_", 1500) if options.scripts else []
        for what in ("cases", "peers"):
            if getattr(options, what):
                short = ["--short"] if what == "peers" else []
                alone.append(lambda w=what, a=short: whole_job(w, a, options.build, True))

    results = []
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for future in concurrent.futures.as_completed([pool.submit(job) for job in jobs]):
            results.append(future.result())
            report(results[-1])
    for job in alone:  # one at a time: they measure time, or show what they do
        results.append(job())
        report(results[-1])

    for result in results:
        if result.failed and not options.only:
            print(f"\n---- {result.name}\n{result.output[-8000:]}", end="")
        elif result.failed:
            print(result.output.splitlines()[-1])
    for result in results:
        for name in result.skipped:
            print(f"skipped: {name}")
    failed = sum(r.failed for r in results)
    print(f"{time.monotonic() - start:.0f} s")
    print(f"{sum(r.passed for r in results)} passed, {failed} failed, {sum(len(r.skipped) for r in results)} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
