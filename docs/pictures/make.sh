#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Draws the pictures of the guide. MAXMARGIN_TOOL names the tool.
set -eu
tool=${MAXMARGIN_TOOL:-maxmargin}
cd "$(dirname "$0")"
draw() {  # picture data options...
  picture=$1
  shift
  "$tool" cluster "$@" --quiet --plot "$picture.svg" -o /dev/null
}
draw blobs-kmeans builtin:gaussians,k=3,n=150,separation=7,seed=1 -k 3
draw circles-kmeans builtin:circles -k 2
draw circles-spectral builtin:circles --method spectral -k 2
draw iris-kmeans builtin:iris -k 3
draw circles-sv-clustering builtin:circles --method sv-clustering --gamma 2 --nu 0.05
draw iris-relabeler builtin:iris --method relabeler -k 2 --gamma 0.125 -C 1.5 --seed 1
"$tool" plot builtin:iris,positive=setosa --what qq --gamma 0.125 -o iris-qq.svg
