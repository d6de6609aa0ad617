#!/usr/bin/env bash
# keep.sh BUILD [MAJOR.MINOR [CPP]]: keeps a revision of the ABI, so that every later host is tested with it.
#
# Copies the C headers of the SDK to tests/abi/MAJOR.MINOR/include, where one that the revision did not
# change is a link to the one that it equals, and builds the samples in C with them to
# tests/abi/MAJOR.MINOR/plugins. In cpp_plugins beside them it builds the sample in C++ with the C++ layer
# of that revision and the libtorch of BUILD: one of Debian's. BUILD is a build folder, for its ptp-manifest.
# With a revision that is kept already its binaries are built anew from its own headers; the headers that
# are kept are never changed. CPP is then sdk/include of that revision, out of the history; without it
# the sample in C++ stays as it is. Run it when a release is made, and after raising PTP_ABI_MINOR.

set -euo pipefail

fail() {
    printf 'keep.sh: error: %s\n' "$1" >&2
    exit 1
}

[[ $# -ge 1 && $# -le 3 ]] || fail "usage: tests/abi/keep.sh BUILD [MAJOR.MINOR [CPP]]"
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
manifest=$build/bin/ptp-manifest
[[ -x $manifest ]] || fail "$manifest is not there: build ptp-manifest first"

number() {
    sed -nE "s/^#define PTP_ABI_$1 ([0-9]+)u.*/\\1/p" "${2:-$root/sdk/include}/ptp/abi.h"
}
current=$(number MAJOR).$(number MINOR)
version=${2:-$current}
kept=$root/tests/abi/$version
layer=${3:-}

# Replaces the headers that the revision before had, too, by links to them.
link_unchanged() {
    local before header
    before=$(printf '%s\n' "$root"/tests/abi/[0-9]*/ | sort -V | grep -B 1 -x "$kept/" | head -n 1)
    [[ $before != "$kept/" ]] || return 0
    (cd "$kept/include" && find ptp -name '*.h') | while IFS= read -r header; do
        ! cmp -s "$kept/include/$header" "$before/include/$header" ||
            ln -srf "$before/include/$header" "$kept/include/$header"
    done
}

if [[ $# -eq 1 ]]; then
    layer=$root/sdk/include
    if [[ -d $kept/include ]]; then
        "$root/tests/abi/compare.sh" "$kept/include" "$root/sdk/include" ||
            fail "ABI $version is kept already, and sdk/include declares something else: raise PTP_ABI_MINOR"
    else
        mkdir -p "$kept/include"
        (cd "$root/sdk/include" && find ptp -name '*.h' -exec cp --parents {} "$kept/include" \;)
        link_unchanged
    fi
fi
[[ -d $kept/include ]] || fail "no headers of ABI $version are kept"

[[ -z $layer || $(number MAJOR "$layer").$(number MINOR "$layer") == "$version" ]] ||
    fail "$layer does not have the headers of ABI $version"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
options=(-O2 -Wall -Wextra -fPIC -fvisibility=hidden -ffp-contract=off)

# keep FOLDER NAME LINKER LIBRARY...: makes the plugin of NAME.o, and keeps it in FOLDER.
keep() {
    local folder=$1 name=$2 linker=$3
    local link=("$linker" -shared -s "-Wl,--no-undefined" "-Wl,--version-script=$root/cmake/plugin.map" -o "$work/$name.so" "$work/$name.o")
    "${link[@]}" "${@:4}"
    "$manifest" "$work/$name.so" "$work/$name.manifest.S"
    "${link[@]}" "$work/$name.manifest.S" "${@:4}"
    "$manifest" --seal "$work/$name.so"
    mkdir -p "$kept/$folder"
    cp "$work/$name.so" "$kept/$folder/"
    printf 'kept %s (%s bytes)\n' "tests/abi/$version/$folder/$name.so" "$(stat -c %s "$work/$name.so")"
}

"${CC:-cc}" -std=c11 "${options[@]}" -I"$kept/include" -c "$root/tests/abi/kept_samples.c" -o "$work/kept_samples.o"
keep plugins kept_samples "${CC:-cc}"

[[ -n $layer ]] || exit 0
libtorch=$(sed -n 's/^PTP_LIBTORCH_FINGERPRINT:INTERNAL=//p' "$build/CMakeCache.txt")
"${CXX:-c++}" -std=c++20 "${options[@]}" -fno-gnu-unique -DPTP_LIBTORCH_FINGERPRINT="\"$libtorch\"" -I"$layer" \
    -isystem /usr/include/torch/csrc/api/include -c "$root/tests/abi/kept_cpp_samples.cpp" -o "$work/kept_cpp_samples.o"
keep cpp_plugins kept_cpp_samples "${CXX:-c++}" -ltorch -ltorch_cpu -lc10
