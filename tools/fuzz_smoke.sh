#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets (clang, address and undefined-behaviour sanitizers) and runs each of them
# for a number of seconds on a copy of its corpus, one to a core. Fails when there was a finding; the
# inputs that made it stay in build/asan/findings.
#
# usage: tools/fuzz_smoke.sh [SECONDS [TARGET...]]     (default: 60 seconds, all targets)
set -eu

case "${1:-60}" in
  "" | *[!0-9]*)
    echo "usage: $0 [SECONDS [TARGET...]]" >&2
    exit 1
    ;;
esac
seconds=${1:-60}
[ $# -gt 0 ] && shift
cd "$(dirname "$0")/.."

cmake --preset asan >/dev/null  # the same build as the unit tests under sanitizers
if [ $# -eq 0 ]; then
  for source in fuzz/fuzz_*.cpp; do set -- "$@" "$(basename "$source" .cpp)"; done
fi
if ! cmake --build --preset asan --parallel "$(nproc)" --target "$@" >build/asan/build.log 2>&1; then
  grep -A 5 -E "error|FAILED" build/asan/build.log >&2 || tail -n 20 build/asan/build.log >&2
  echo "the fuzz targets do not build, see build/asan/build.log" >&2
  exit 1
fi

findings=build/asan/findings
mkdir -p "$findings"
rm -f "$findings"/*.failed
run() {
  name=${1#fuzz_}
  # New inputs go to the copy, so that a run leaves the sources as they are.
  corpus=build/asan/corpus/$name
  rm -rf "$corpus"
  mkdir -p "$corpus"
  cp "fuzz/corpus/$name"/* "$corpus"
  log=build/asan/$1.log
  if ! "build/asan/fuzz/$1" -max_total_time="$seconds" -max_len=65536 -rss_limit_mb=1024 \
    -malloc_limit_mb=512 -timeout=10 -artifact_prefix="$findings/$name-" -print_final_stats=1 \
    "$corpus" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    echo "$1: a finding, see $findings and $log" >&2
    return
  fi
  rm "$findings/$1.failed"
  echo "$1: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") runs in $seconds s, no finding"
}

# All take the same time, so a batch has a target for every core.
running=0
for target in "$@"; do
  # Taken away by a run that ends well, whatever else may end it.
  : >"$findings/$target.failed"
  run "$target" &
  running=$((running + 1))
  if [ "$running" -eq "$(nproc)" ]; then
    wait
    running=0
  fi
done
wait
for failed in "$findings"/*.failed; do
  [ ! -e "$failed" ] || exit 1
done
