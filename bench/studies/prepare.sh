#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the program of a study (preset bench) and, for studies with a Python peer, makes the virtual
# environment build/venv with scikit-learn. Without network the latter is left out with a message.
#   prepare.sh STUDY [--with-scikit-learn]
set -euo pipefail
cd "$(dirname "$0")/../.."
tools/install-packages.sh
cmake --preset bench >/dev/null
cmake --build build/bench --target "study_$1" >/dev/null
if [ "${2:-}" = --with-scikit-learn ] && ! [ -x build/venv/bin/python ]; then
  /usr/bin/python3 -m venv build/venv
  build/venv/bin/pip install --quiet scikit-learn || {
    rm -rf build/venv
    echo "scikit-learn cannot be installed; its figures are left out" >&2
  }
fi
