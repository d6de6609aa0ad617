#!/usr/bin/env bash
# new_author.sh BUILD-FOLDER ROOT: a new author on a clean Debian, who has the Debian packages of ptp and follows
# docs/authoring as it stands: installs the packages, makes a plugin, tests it, trains with it, installs it,
# packs and signs it, and trains with what was installed from the package.
#
# Needs root, mmdebstrap and Debian's archive, from which it takes what a compiler and libtorch need.

# shellcheck disable=SC2016  # $SECONDS and $1 are for other shells
set -euo pipefail
build=$1 root=$2

skip() {
    echo "skipped: $*"
    exit 77
}
[[ $(id -u) -eq 0 ]] || skip "a clean root is made by root alone"
for tool in mmdebstrap cpack dpkg-shlibdeps file; do
    command -v "$tool" >/dev/null || skip "there is no $tool here"
done
suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
[[ $(sed -n 's/^ID=//p' /etc/os-release) == debian ]] || skip "the packages are for the system that built them, which is not Debian"
timeout 20 bash -c '</dev/tcp/deb.debian.org/80' 2>/dev/null || skip "Debian's archive cannot be reached"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$build" && cpack -G DEB -B "$folder/cpack" >"$folder/log" 2>&1) || { cat "$folder/log"; exit 1; }
mkdir "$folder/packages"
mv "$folder"/cpack/ptp-*.deb "$folder/packages"

# blocks PAGE: the commands of a page, and its name for the log.
blocks() {
    printf 'echo "== %s, after $SECONDS s"\n' "$1"
    awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$root/docs/authoring/$1"
}
{
    echo 'cd /root/packages'
    blocks installing.md
    echo 'cd /root'
    blocks first-plugin.md # it ends in the project of the plugin
    blocks packages.md
    echo 'echo "== done, after $SECONDS s"'
} >"$folder/author.sh"

mmdebstrap --quiet --variant=apt --format=null \
    --customize-hook="copy-in $folder/packages $folder/author.sh /root" \
    --customize-hook='chroot "$1" env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        bash -euo pipefail /root/author.sh' \
    "$suite" >"$folder/log" 2>&1 || { tail -n 100 "$folder/log"; exit 1; }
grep '^== ' "$folder/log"
grep -q '^== done' "$folder/log" || { echo "the author has not come to the end"; tail -n 100 "$folder/log"; exit 1; }
