#!/usr/bin/env bash
# The quick checks: format, layers, source rules, clang-tidy on what changed since BASE. Prints every
# breach and exits 1 on any.
set -uo pipefail
cd "$(dirname "$0")/.."
failed=0

mapfile -t sources < <(git ls-files '*.cpp' '*.hpp')
if [ ${#sources[@]} -eq 0 ]; then
  echo "check.sh: git lists no sources; is this a clone?" >&2
  exit 1
fi
clang-format-14 --dry-run --Werror "${sources[@]}" || failed=1
python3 tools/check_layers.py --self-test || failed=1
python3 tools/check_layers.py || failed=1
python3 tools/check_faces.py --self-test || failed=1
python3 tools/check_faces.py || failed=1
python3 tools/check_source.py --self-test || failed=1
python3 tools/check_source.py || failed=1
python3 tools/check_docs.py --self-test || failed=1
python3 tools/check_docs.py || failed=1
python3 tools/check_tidy.py || failed=1

[ "$failed" -eq 0 ] && echo "quick checks: all hold"
exit "$failed"
