#!/usr/bin/env bash
# new_author.sh PACKAGES ROOT: a new author on a clean Debian, who has the Debian packages of ptp in a folder and follows
# docs/authoring as it stands: installs the packages, makes a plugin, tests it, trains with it, installs it,
# packs and signs it, and trains with what was installed from the package.

# shellcheck disable=SC2016  # $SECONDS is for another shell
set -euo pipefail
packages=$1 root=$2
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/clean_root.sh"
require_clean_roots

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
copy_packages "$packages" "$folder"

# blocks PAGE [SECTION]: the commands of a page before the heading SECTION, and its name for the log.
blocks() {
    printf 'echo "== %s, after $SECONDS s"\n' "$1"
    awk -v end="## ${2:-}" '$0 == end { exit } /^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$root/docs/$1"
}
{
    echo 'cd /root/packages'
    blocks installing.md "Where plugins are searched"
    echo 'cd /root'
    blocks authoring/first-plugin.md # it ends in the project of the plugin
    blocks authoring/packages.md
    echo 'echo "== done, after $SECONDS s"; times'
} >"$folder/author.sh"

in_clean_root "$folder/log" "$folder/author.sh" "$folder/packages" || { tail -n 100 "$folder/log"; exit 1; }
grep -A 3 '^== ' "$folder/log" | grep -E '^== |^[0-9]+m'
grep -q '^== done' "$folder/log" || { echo "the author has not come to the end"; tail -n 100 "$folder/log"; exit 1; }
