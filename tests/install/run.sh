#!/usr/bin/env bash
# Installs the build into a scratch prefix and builds the programs of tests/install against it: by
# find_package and by pkg-config, then runs all of them and the installed tool.
#   run.sh BUILD_DIR SOURCE_DIR
set -euo pipefail
build=$1
source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
cmake -S "$source/tests/install" -B "$scratch/build" -G Ninja \
  -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$scratch/build" >/dev/null
"$scratch/build/downstream"
(cd "$scratch" && test "$(build/train_save_load)" = setosa)

libdir=$(dirname "$(find "$scratch/prefix" -name 'maxmargin.pc' | head -n 1)")
flags=$(PKG_CONFIG_PATH="$libdir" pkg-config --cflags --libs maxmargin)
for program in downstream train_save_load; do
  # shellcheck disable=SC2086
  g++ "$source/tests/install/$program.cpp" $flags \
    -Wl,-rpath,"$(dirname "$libdir")" -o "$scratch/$program"
done
"$scratch/downstream"
(cd "$scratch" && test "$(./train_save_load)" = setosa)
# The tool reads what the program has saved.
"$scratch/prefix/bin/maxmargin" predict "$scratch/iris.mm" builtin:iris -o "$scratch/labels.txt" --quiet
test "$(sort -u "$scratch/labels.txt" | wc -l)" = 3

"$scratch/prefix/bin/maxmargin" --version
test -f "$scratch/prefix/share/bash-completion/completions/maxmargin"
bash -n "$scratch/prefix/share/bash-completion/completions/maxmargin"
test -s "$scratch/prefix/share/zsh/site-functions/_maxmargin"
test -s "$scratch/prefix/share/fish/vendor_completions.d/maxmargin.fish"
gunzip -c "$scratch/prefix/share/man/man1/maxmargin.1.gz" | grep '^\.SH "COMMAND TRAIN"' >/dev/null
