#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
maxmargin info builtin:iris
maxmargin cluster builtin:iris --method kmeans -k 3 --seed 1 --json report.json -o clusters.txt
maxmargin eval builtin:iris clusters.txt --metric misassignment,ari
maxmargin convert builtin:circles,n=200 circles.csv
