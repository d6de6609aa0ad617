#!/usr/bin/env bash
# One idea a file: sources have at most 400 lines, the CMakeLists.txt of a folder at most 60.

# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
root=$1

limit() {
    local most=$1 file count
    while IFS= read -r file; do
        count=$(wc -l <"$root/$file")
        [[ $count -le $most ]] || violation "$file:$count: more than $most lines; split it"
    done
}

# The contract is one file on purpose: a plugin author can copy it alone.
limit 400 < <(files . '*.c' '*.h' '*.cpp' '*.hpp' '*.sh' | sed '\|^sdk/include/ptp/abi.h$|d')
limit 120 < <(files . CMakeLists.txt '*.cmake')
limit 60 < <(files . CMakeLists.txt | sed '/^CMakeLists.txt$/d')

finish
