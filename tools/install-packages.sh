#!/usr/bin/env bash
# Installs the Debian packages of the named groups of tools/apt-packages.txt that are missing; without
# a name those of the group build.
# As root, or through sudo, or else it prints the command to run and stops.
#   install-packages.sh [GROUP...]
set -euo pipefail
list=$(dirname "$0")/apt-packages.txt

[ $# -gt 0 ] || set -- build
wanted=()
for group in "$@"; do
  mapfile -t members < <(awk -v group="[$group]" '/^\[/ { inside = $0 == group; next }
    inside && !/^[[:space:]]*(#|$)/' "$list")
  if [ ${#members[@]} -eq 0 ]; then
    echo "install-packages.sh: no group '$group'; there are: $(sed -n 's/^\[\(.*\)\]$/\1/p' "$list" | xargs)" >&2
    exit 1
  fi
  wanted+=("${members[@]}")
done
missing=()
for package in "${wanted[@]}"; do
  state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
  # Another system may have the same libraries under other names; CMake says what it misses.
  echo "maxmargin: no apt-get here; if the build misses something, these are Debian's names: ${missing[*]}" >&2
  exit 0
fi
run=()
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    run=(sudo -n)
  elif command -v sudo >/dev/null && [ -t 0 ]; then
    run=(sudo)
  else
    echo "maxmargin: packages are missing and this is not root. Please run:" >&2
    echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
fi
echo "maxmargin: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${run[@]}" apt-get update -qq
"${run[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
