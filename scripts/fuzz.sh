#!/bin/sh
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
#
# fuzz.sh TARGET SECONDS [JOBS]: SECONDS of CPU time of test/fuzz/TARGET.c (libFuzzer, address and undefined-behaviour
# sanitizers, clang-19), shared by JOBS processes (2), from test/fuzz/corpus and the scenes of test/. Then the corpus is
# minimised: inputs of at most 4 KiB go to build/fuzz/TARGET.least, from where those worth keeping are committed to
# test/fuzz/corpus. Prints the row for docs/fuzzing.md. Exit 1: something was found, in build/fuzz/TARGET-*.

set -eu
[ $# -ge 2 ] || { echo "usage: fuzz.sh TARGET SECONDS [JOBS]"; exit 2; }
target=$1 seconds=$2 jobs=${3:-2}
cd "$(dirname "$0")/.."
asan=${VV_ASAN:-build/asan}
work=build/fuzz/$target
program=$asan/test/$target

[ -f "$asan/build.ninja" ] || make asan-build
cmake --build "$asan" --target "$target" -- --quiet
mkdir -p "$work"
rm -f "$work"-job-*.log "$work".status
seeds=""
for folder in test/fuzz/corpus test/scenes test/cases; do [ -d "$folder" ] && seeds="$seeds $folder"; done

export OPENBLAS_NUM_THREADS=1 ASAN_OPTIONS=detect_stack_use_after_return=1:allocator_may_return_null=1
limits="-max_len=16384 -timeout=20 -rss_limit_mb=3000 -artifact_prefix=$work- -print_final_stats=1"
pids=""
for job in $(seq "$jobs"); do
  "$program" "$work" $seeds $limits -max_total_time=$((seconds / jobs)) -reload=1 -seed="$job" >"$work-job-$job.log" 2>&1 &
  pids="$pids $!"
done
found=0
for pid in $pids; do wait "$pid" || found=1; done

runs=$(cat "$work"-job-*.log | sed -n 's/^stat::number_of_executed_units: *//p' | awk '{n += $1} END {print n + 0}')
edges=$(cat "$work"-job-*.log | sed -n 's/.* cov: \([0-9]*\) .*/\1/p' | sort -n | tail -1)
rm -rf "$work.least" && mkdir -p "$work.least"
"$program" -merge=1 -max_len=4096 "$work.least" $seeds "$work" >"$work-merge.log" 2>&1 || found=1
count=$(find "$work.least" -type f | wc -l)
echo "| $(date -u +%Y-%m-%d) | $(git rev-parse --short HEAD) | $target | $seconds s | $runs | ${edges:-0} | $count |" \
  "$([ $found = 0 ] && echo none || echo "see $work-*") |"
[ $found = 0 ] || { grep -h "ERROR\|SUMMARY\|runtime error\|: status" "$work"-job-*.log | head -5; exit 1; }
