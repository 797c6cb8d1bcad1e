#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the test programs of build/release on the library of build/asan, which is instrumented for the
# address and undefined-behaviour sanitizers: the tests need no second build. One to a core; fails
# when one fails, and then shows the end of its log.
#
# usage: tools/asan_tests.sh [MODULE...]     (default: every folder of tests/unit)
set -eu
cd "$(dirname "$0")/.."

runtime=$(clang++-14 -print-file-name=libclang_rt.asan-x86_64.so)
library=build/asan/libmaxmargin.so
logs=build/asan/logs
mkdir -p "$logs"
if [ $# -eq 0 ]; then
  # The longest first, so that the last ones running are short.
  set -- cluster solver io model $(ls tests/unit | grep -vxE 'cluster|solver|io|model')
fi

# A library or a runtime that is not what it should be would find nothing.
[ -f "$runtime" ] || { echo "clang's sanitizer runtime is missing: $runtime" >&2; exit 1; }
grep -q __asan_init "$library" || { echo "$library is not instrumented" >&2; exit 1; }
LD_LIBRARY_PATH=build/asan ldd "build/release/tests/test_$1" | grep -q "=> build/asan/" || {
  echo "the test programs do not take $library" >&2
  exit 1
}

export runtime logs
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 sh -c '
  program=build/release/tests/test_$1
  log=$logs/$1.log
  if LD_PRELOAD=$runtime LD_LIBRARY_PATH=build/asan "$program" --gtest_brief=1 >"$log" 2>&1; then
    echo "$1: $(sed -n "s/^\[  PASSED  \] //p" "$log") no finding"
  else
    tail -n 60 "$log" >&2
    echo "$1: failed under the sanitizers, see $log" >&2
    exit 1
  fi' sh
