#!/usr/bin/env bash
# The tree is formatted as .clang-format says.

# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
root=$1

if ! command -v clang-format >/dev/null; then
    echo "skipped: clang-format is not installed"
    exit 77
fi
mapfile -t sources < <(files . '*.c' '*.h' '*.cpp' '*.hpp')
[[ ${#sources[@]} -eq 0 ]] || (cd "$root" && clang-format --dry-run -Werror "${sources[@]}" 2>&1)
