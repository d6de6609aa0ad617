#!/usr/bin/env bash
# One idea a file: sources have at most 400 lines, CMake files at most 100.

# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
root=$1

limit() {
    local most=$1 sources count file
    mapfile -t sources
    while read -r count file; do
        [[ $count -le $most || $file == total ]] || violation "$file:$count: more than $most lines; split it"
    done < <(cd "$root" && wc -l /dev/null "${sources[@]}")
}

limit 400 < <(files . '*.c' '*.h' '*.cpp' '*.hpp' '*.sh')
limit 100 < <(files . CMakeLists.txt '*.cmake')

finish
