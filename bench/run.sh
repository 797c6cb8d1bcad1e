#!/usr/bin/env bash
# Runs every study; each prints its ratios and writes its table to docs/results.
set -euo pipefail
cd "$(dirname "$0")"
for study in read gram kmeans; do
  echo "== $study"
  "studies/$study"
done
