#!/usr/bin/env bash
# Nothing in the tree speaks of a machine it was written on, and nothing is left unfinished.

# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
root=$1

# The brackets keep this file from finding itself.
readonly forbidden='/wor[k]/|\bT[O]DO\b|\bF[I]XME\b|\bX[X]X\b'

mapfile -t texts < <(files . '*.c' '*.h' '*.cpp' '*.hpp' '*.md' '*.toml' '*.cmake' '*.in' '*.sh' \
    CMakeLists.txt dev run)
while IFS=: read -r file line word; do
    violation "$file:$line: has the forbidden '$word'"
done < <(cd "$root" && { grep -noE "$forbidden" /dev/null "${texts[@]}" || true; })

finish
