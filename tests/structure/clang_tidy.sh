#!/usr/bin/env bash
# clang-tidy over the units that a build folder compiles: clang_tidy.sh ROOT BUILD PATTERN [FILE...]
# Those whose path, relative to the build folder or to ROOT, begins with the regular expression; with files
# (relative to ROOT) the units that have these, and what is found in these alone.

set -euo pipefail
root=$1
build=$2
pattern=$3
shift 3

command -v clang-tidy >/dev/null || {
    echo "skipped: clang-tidy is not installed"
    exit 77
}

# It knows neither gcc's precompiled header nor some of its flags.
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
sed -E 's/ -fno-gnu-unique| -fpch-preprocess| -Winvalid-pch -include [^ ]*cmake_pch\.hxx//g' \
    "$build/compile_commands.json" >"$commands/compile_commands.json"
sed -nE 's/^ *"file": "(.*)"$/\1/p' "$commands/compile_commands.json" | grep -E '\.(cpp|cxx)$' |
    grep -v '/ptp_torch_pch' | grep -E "^$root/($pattern)|^$build/($pattern).*Unity/" |
    sort -u >"$commands/units" || true

places="$root/(sdk/include|runtime|plugins|tools|tests)/"
if [[ $# -gt 0 ]]; then
    files=$(IFS='|' && echo "$*")
    places="$root/($files):"
    xargs grep -lE "^#include \"($files)\"" <"$commands/units" >"$commands/having" || true
    for file in "$@"; do
        grep -xF "$root/$file" "$commands/units" >>"$commands/having" || true
    done
    sort -u "$commands/having" >"$commands/units"
fi
[[ -s $commands/units ]] || {
    echo "no unit of $build matches; is it built?"
    exit 1
}

# Errors of its own front end are left out, however many: clang 14 stumbles over libtorch's headers as C++20,
# and gcc has compiled these files. That a unit includes .cpp files is what a unit is. Anything but 0 and 1 (something
# was found) is a crash. A unit does not lie beside the .clang-tidy of the tests.
export root build commands places
# shellcheck disable=SC2016
check='
    status=0
    config=()
    [[ "$1" != "$root/tests/"* && "$1" != "$build/tests/"* ]] || config=(--config-file="$root/tests/.clang-tidy")
    output=$(clang-tidy --quiet -p "$commands" --extra-arg=-ferror-limit=0 "${config[@]}" \
        --header-filter="^$root/(sdk/include|runtime|plugins|tools|tests)/" "$1" 2>/dev/null) || status=$?
    [[ $status -le 1 ]] || echo "$1: clang-tidy ended with $status"
    grep -E "^$places.*(warning|error): .*\[[a-z]" <<<"$output" |
        grep -vE "\[(clang-diagnostic-|bugprone-suspicious-include)" || true'
xargs -r -P "$(nproc)" -I '{}' bash -c "$check" _ '{}' <"$commands/units" | sort -u >"$commands/found"
if [[ -s $commands/found ]]; then
    sed "s|^$root/||" "$commands/found"
    exit 1
fi
