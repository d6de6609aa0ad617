#!/usr/bin/env bash
# One idea a file: sources have at most 400 lines, CMake files at most 100.

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

limit 400 < <(files . '*.c' '*.h' '*.cpp' '*.hpp' '*.sh')
limit 100 < <(files . CMakeLists.txt '*.cmake')

finish
