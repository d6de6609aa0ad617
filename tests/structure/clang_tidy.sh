#!/usr/bin/env bash
# clang-tidy over all units that a build folder compiles: clang_tidy.sh ROOT BUILD [PATTERN]
# With a pattern (a regular expression) over those whose path in the build folder matches it.

set -euo pipefail
root=$1
build=$2
pattern=${3-.}

command -v clang-tidy >/dev/null || {
    echo "skipped: clang-tidy is not installed"
    exit 77
}

# It knows neither gcc's precompiled header nor some of its flags.
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
sed -E 's/ -fno-gnu-unique| -fpch-preprocess| -Winvalid-pch -include [^ ]*cmake_pch\.hxx//g' \
    "$build/compile_commands.json" >"$commands/compile_commands.json"

# Errors of its own front end are left out: clang 14 stumbles over libtorch's headers as C++20, and gcc
# has compiled these files. That a unit includes .cpp files is what a unit is. Tests are not read. The limits
# of a function's length and complexity are for changed files (./dev check): 32 functions are above them.
export root commands
# shellcheck disable=SC2016
export check='
    found=$(clang-tidy --quiet -p "$commands" --checks="-readability-function-size,-readability-function-cognitive-complexity" --header-filter="^$root/(sdk/include|runtime|plugins|tools)/" "$1" 2>/dev/null |
        grep -E "^$root/.*(warning|error): .*\[[a-z]" | grep -vE "\[(clang-diagnostic-|bugprone-suspicious-include)" | sort -u) || true
    [[ -z $found ]] || { printf "%s\n" "$found"; exit 1; }'
sed -nE 's/^ *"file": "(.*)"$/\1/p' "$commands/compile_commands.json" | grep -E '\.(cpp|cxx)$' |
    grep -vE '/(tests|ptp_torch_pch)' | grep -E "$pattern" | sort -u |
    xargs -r -P "$(nproc)" -I '{}' bash -c "$check" _ '{}' | sort -u >"$commands/found" || true
if [[ -s $commands/found ]]; then
    sed "s|^$root/||" "$commands/found"
    exit 1
fi
