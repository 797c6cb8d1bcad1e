#!/usr/bin/env bash
# Runs every study on a bench build; each prints its ratios and writes its table to docs/results.
#   run.sh BUILD_DIR
set -euo pipefail
build=$1
cd "$(dirname "$0")/.."
for study in read gram kmeans; do
  echo "== $study"
  bench/studies/"$study".sh "$build"
done
