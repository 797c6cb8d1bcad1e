#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the Gram study (preset bench, target study_gram) and writes docs/results/gram.md.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
table=$("$root/build/bench/bench/study_gram" "$@") && met=0 || met=$?
{
  echo "# RBF Gram matrix against bare sgemm"
  echo
  echo "8,000 x 200 standard normal points, gamma = 1/200, float. sgemm is the full product"
  echo "8000 x 200 times 200 x 8000 on the same OpenBLAS into memory that is mapped already; the Gram"
  echo "matrix is allocated and mapped anew each time. Best of several alternating rounds in one run;"
  echo "the error is over 20,000 random entries against the formula in double. Made by"
  echo "\`bench/studies/gram.sh\`."
  echo
  echo "$table"
  echo
  echo "Processor: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)," \
       "$(nproc) cores seen."
} > "$root/docs/results/gram.md"
cat "$root/docs/results/gram.md"
exit "$met"
