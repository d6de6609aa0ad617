#!/usr/bin/env bash
# The tree is formatted as .clang-format says, and comments, which it leaves alone, have at most 100
# columns.

# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
root=$1

if ! command -v clang-format >/dev/null; then
    echo "skipped: clang-format is not installed"
    exit 77
fi
if [[ $(clang-format --version) != *' version 14.'* ]]; then
    echo "skipped: .clang-format is written for version 14, and another one formats differently"
    exit 77
fi
mapfile -t sources < <(files . '*.c' '*.h' '*.cpp' '*.hpp')
[[ ${#sources[@]} -gt 0 ]] || exit 0
while IFS= read -r place; do
    violation "$place: a comment is wider than 100 columns"
done < <(cd "$root" && awk 'length($0) > 100 && /^ *\/\// { print FILENAME ":" FNR }' "${sources[@]}")
(cd "$root" && clang-format --dry-run -Werror "${sources[@]}" 2>&1)
finish
