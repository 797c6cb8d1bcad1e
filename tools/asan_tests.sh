#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs test programs of build/release on the library of build/asan, which is instrumented for the
# address and undefined-behaviour sanitizers: the tests need no second build. Two at a time; fails
# when one fails, and then shows the end of its log.
#
# usage: tools/asan_tests.sh [TEST_PROGRAM...]     (default: all of build/release/tests)
set -eu
cd "$(dirname "$0")/.."

runtime=$(clang++-14 -print-file-name=libclang_rt.asan-x86_64.so)
logs=build/asan/logs
mkdir -p "$logs"
# Largest programs first, so that the last ones running are short.
if [ $# -eq 0 ]; then
  set -- $(find build/release/tests -maxdepth 1 -type f -name 'test_*' -perm -u+x -printf '%s %p\n' |
    sort -rn | cut -d ' ' -f 2)
fi
[ $# -gt 0 ] || { echo "no test programs in build/release/tests" >&2; exit 1; }

export runtime logs
printf '%s\n' "$@" | xargs -P "$(nproc)" -I PROGRAM sh -c '
  name=$(basename PROGRAM)
  if LD_PRELOAD=$runtime LD_LIBRARY_PATH=build/asan ASAN_OPTIONS=detect_leaks=1 \
    PROGRAM --gtest_brief=1 >"$logs/$name.log" 2>&1; then
    echo "$name: $(sed -n "s/^\[  PASSED  \] //p" "$logs/$name.log") no finding"
  else
    tail -n 60 "$logs/$name.log" >&2
    echo "$name: failed under the sanitizers, see $logs/$name.log" >&2
    exit 1
  fi'
