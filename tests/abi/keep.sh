#!/usr/bin/env bash
# keep.sh BUILD [MAJOR.MINOR]: keeps a revision of the ABI, so that every later host is tested with it.
#
# Copies the C headers of the SDK to tests/abi/MAJOR.MINOR/include, and builds the samples in C with
# them to tests/abi/MAJOR.MINOR/plugins. BUILD is a build folder, for its ptp-manifest. With a
# revision that is kept already its binaries are built anew from its own headers; the headers that
# are kept are never changed. Run it when a release is made, and after raising PTP_ABI_MINOR.

set -euo pipefail

fail() {
    printf 'keep.sh: error: %s\n' "$1" >&2
    exit 1
}

[[ $# -eq 1 || $# -eq 2 ]] || fail "usage: tests/abi/keep.sh BUILD [MAJOR.MINOR]"
root=$(cd "$(dirname "$0")/../.." && pwd)
manifest=$(cd "$1" && pwd)/bin/ptp-manifest
[[ -x $manifest ]] || fail "$manifest is not there: build ptp-manifest first"

number() {
    sed -nE "s/^#define PTP_ABI_$1 ([0-9]+)u.*/\\1/p" "$root/sdk/include/ptp/abi.h"
}
current=$(number MAJOR).$(number MINOR)
version=${2:-$current}
kept=$root/tests/abi/$version

if [[ $# -eq 1 ]]; then
    if [[ -d $kept/include ]]; then
        "$root/tests/abi/compare.sh" "$kept/include" "$root/sdk/include" ||
            fail "ABI $version is kept already, and sdk/include declares something else: raise PTP_ABI_MINOR"
    else
        mkdir -p "$kept/include"
        (cd "$root/sdk/include" && find ptp -name '*.h' -exec cp --parents {} "$kept/include" \;)
    fi
fi
[[ -d $kept/include ]] || fail "no headers of ABI $version are kept"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$kept/plugins"
link=(-shared -s "-Wl,--no-undefined" "-Wl,--version-script=$root/cmake/plugin.map")
name=kept_samples
"${CC:-cc}" -std=c11 -O2 -Wall -Wextra -I"$kept/include" -fPIC -fvisibility=hidden -ffp-contract=off \
    -c "$root/tests/abi/$name.c" -o "$work/$name.o"
"${CC:-cc}" "${link[@]}" -o "$work/$name.so" "$work/$name.o"
"$manifest" "$work/$name.so" "$work/$name.manifest.S"
"${CC:-cc}" "${link[@]}" -o "$work/$name.so" "$work/$name.o" "$work/$name.manifest.S"
"$manifest" --seal "$work/$name.so"
cp "$work/$name.so" "$kept/plugins/"
printf 'kept %s (%s bytes)\n' "tests/abi/$version/plugins/$name.so" "$(stat -c %s "$work/$name.so")"
