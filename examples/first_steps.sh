#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
maxmargin info builtin:iris
maxmargin cluster builtin:iris --method kmeans -k 3 --seed 1 --json report.json -o clusters.txt
maxmargin eval builtin:iris clusters.txt --metric misassignment,ari
maxmargin convert builtin:circles,n=200 circles.csv
maxmargin train builtin:iris --learner svc -C 10 -o iris.mm --json training.json
maxmargin predict iris.mm builtin:iris -o labels.txt
maxmargin tune builtin:iris --learner svc --grid "C=0.1,1,10;gamma=0.1,1" -o best.mm
