#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Links the test objects of build/release with the library of build/asan, which is instrumented for
# the address and undefined-behaviour sanitizers, and runs them: the tests are not compiled a second
# time. One to a core; fails when one fails, and then shows the end of its log.
#
# usage: tools/asan_tests.sh [MODULE...]     (default: every folder of tests/unit)
set -eu
cd "$(dirname "$0")/.."

library=$PWD/build/asan/libmaxmargin_static.a
logs=$PWD/build/asan/logs
programs=$PWD/build/asan/tests
mkdir -p "$logs" "$programs"
if [ $# -eq 0 ]; then
  # The longest first, so that the last ones running are short.
  set -- cluster solver io model $(ls tests/unit | grep -vxE 'cluster|solver|io|model')
fi

# A library that is not what it should be would find nothing.
grep -q __asan_init "$library" || { echo "$library is not instrumented" >&2; exit 1; }

export library logs programs
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 sh -c '
  program=$programs/test_$1
  log=$logs/$1.log
  # The command that linked the program, with the other library first and whole: of functions that
  # tests and library have both (inline ones) its instrumented ones are taken.
  command=$(ninja -C build/release -t commands "tests/test_$1" | tail -n 1 |
    sed -e "s|^: && [^ ]* |clang++-14 -fsanitize=address,undefined -Wl,--whole-archive $library -Wl,--no-whole-archive |" \
        -e "s| && .*||" -e "s| -o tests/test_$1 | -o $program |" -e "s| libmaxmargin_static\.a | |")
  if ! (cd build/release && eval "$command") >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    echo "$1: does not link with the library of build/asan, see $log" >&2
    exit 1
  fi
  if "$program" --gtest_brief=1 >"$log" 2>&1; then
    echo "$1: $(sed -n "s/^\[  PASSED  \] //p" "$log") no finding"
  else
    tail -n 60 "$log" >&2
    echo "$1: failed under the sanitizers, see $log" >&2
    exit 1
  fi' sh
