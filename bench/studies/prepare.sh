#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the program of a study (preset bench) and gets what it is compared with: for a Python peer the
# virtual environment build/venv with scikit-learn, or Debian's dlib. Without network they are left out
# with a message.
#   prepare.sh STUDY [--with-scikit-learn] [--with-dlib]
set -euo pipefail
cd "$(dirname "$0")/../.."
study=$1
shift
tools/install-packages.sh build bench
for peer in "$@"; do
  case $peer in
    --with-scikit-learn)
      [ -x build/venv/bin/python ] && continue
      /usr/bin/python3 -m venv build/venv
      build/venv/bin/pip install --quiet scikit-learn || {
        rm -rf build/venv
        echo "scikit-learn cannot be installed; its figures are left out" >&2
      }
      ;;
    --with-dlib)
      tools/install-packages.sh dlib || echo "dlib cannot be installed; its figures are left out" >&2
      ;;
    *)
      echo "prepare.sh: no peer $peer" >&2
      exit 1
      ;;
  esac
done
cmake --preset bench >/dev/null
cmake --build build/bench --target "study_$study" >/dev/null
