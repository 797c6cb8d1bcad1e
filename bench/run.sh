#!/usr/bin/env bash
# Runs the studies of readers, Gram matrices and k-means; each prints its ratios and writes its table
# to docs/results. The longer ones are targets of the Makefile (bench-supervised, ...).
set -euo pipefail
cd "$(dirname "$0")"
for study in read gram kmeans; do
  echo "== $study"
  "studies/$study"
done
