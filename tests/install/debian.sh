#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Debian packages as a stranger meets them: lintian, then in a bare Debian 12 (debootstrap, as root)
# apt installs them, the tool runs with man page and completions, two programs build by find_package and
# by pkg-config, and a purge leaves nothing.
#   debian.sh FOLDER_OF_PACKAGES [BARE_DEBIAN]     (BARE_DEBIAN: one made before; it is copied)
set -euo pipefail
packages=$(realpath "$1")
bare=${2:-}
source=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
root=$scratch/root
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$scratch"' EXIT

lintian --fail-on error --suppress-tags initial-upload-closes-no-bugs --allow-root "$packages"/*.deb
echo "lintian: no error"

if [ -n "$bare" ]; then
  cp -a "$bare" "$root"
else
  debootstrap --variant=minbase bookworm "$root" >"$scratch/log" || {
    tail -n 20 "$scratch/log" >&2
    exit 1
  }
  # The mirrors and settings of this machine.
  rm -f "$root/etc/apt/sources.list"
  cp -rL /etc/apt/sources.list* /etc/apt/apt.conf.d "$root/etc/apt/" 2>/dev/null || true
fi
cp /etc/resolv.conf "$root/etc/"
mount -t proc proc "$root/proc"
in_root() {
  chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/ \
    DEBIAN_FRONTEND=noninteractive "$@"
}
# In a shell there, which knows the names of its files.
quiet_apt() {
  in_root sh -c "apt-get -y -qq --no-install-recommends $*" >"$scratch/log" 2>&1 || {
    tail -n 20 "$scratch/log" >&2
    exit 1
  }
}
listing() {
  in_root find / -xdev \( -path /proc -o -path /srv -o -path /var/lib/apt -o -path /var/lib/dpkg \
    -o -path /var/cache -o -path /var/log \) -prune -o -print | sort
}
installed() { in_root dpkg-query -W -f '${Package}\n' | sort; }
mkdir "$root/srv/packages"
cp "$packages"/*.deb "$root/srv/packages/"
cp "$source"/*.cpp "$source/CMakeLists.txt" "$root/srv/"

quiet_apt update
installed >"$scratch/before"
# The tool by itself first, with the library alone.
quiet_apt install '/srv/packages/maxmargin_*.deb' '/srv/packages/libmaxmargin0*.deb'
echo "the tool adds $(installed | comm -13 "$scratch/before" - | wc -l) packages, itself among them"
in_root sh -c 'cd /srv && maxmargin --version && maxmargin demo --plot demo.svg && test -s demo.svg'
for file in bash-completion/completions/maxmargin zsh/vendor-completions/_maxmargin \
  fish/vendor_completions.d/maxmargin.fish; do
  in_root grep -q 'complete --' "/usr/share/$file" || { echo "/usr/share/$file: does not ask the tool" >&2; exit 1; }
done
in_root maxmargin complete -- train --learner linear- | grep -q '^linear-svc'
in_root sh -c 'gunzip -c /usr/share/man/man1/maxmargin.1.gz | grep "^\.SH \"COMMAND TRAIN\"" >/dev/null'

quiet_apt install g++ cmake make pkg-config
listing >"$scratch/files-before"
quiet_apt install '/srv/packages/libmaxmargin-dev_*.deb'
in_root sh -c 'cd /srv && cmake -S . -B build >/dev/null && cmake --build build >/dev/null'
for program in downstream train_save_load; do
  in_root sh -c "cd /srv && g++ $program.cpp \$(pkg-config --cflags --libs maxmargin) -o $program"
  in_root sh -c "cd /srv && ./$program && build/$program"
done
in_root sh -c 'cd /srv && maxmargin predict iris.mm builtin:iris -o labels.txt --quiet && test -s labels.txt'

quiet_apt purge maxmargin "'libmaxmargin*'"
left=$({ listing; installed; } | grep -i maxmargin || true)
new=$(listing | comm -13 "$scratch/files-before" -)
[ -z "$left$new" ] || { printf 'left behind by the purge:\n%s\n%s\n' "$left" "$new" >&2; exit 1; }
echo "Debian packages: installed, used and purged without a trace"
