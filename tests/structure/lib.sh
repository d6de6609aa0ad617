# Read by the checks of this folder. Each check is `check.sh ROOT`, prints one line for each
# violation, as `file:line: what is wrong`, and then fails.
# shellcheck shell=bash disable=SC2154  # root: the check sets it

set -euo pipefail

violation_count=0

violation() {
    printf '%s\n' "$*"
    violation_count=$((violation_count + 1))
}

finish() {
    [[ $violation_count -eq 0 ]] || exit 1
}

# files FOLDER NAME-PATTERN...: the project's own files, relative to ROOT, one per line. The headers of
# earlier releases stay as they were.
files() {
    local folder=$1 pattern
    shift
    [[ -d $root/$folder ]] || return 0
    local match=(-false)
    for pattern in "$@"; do
        match+=(-o -name "$pattern")
    done
    (cd "$root" && find "$folder" \( -path ./build -o -path ./runs -o -path ./.git -o \
        -path ./.cache -o -path '*tests/abi/*/include' \) -prune -o -type f \( "${match[@]}" \) -print | sed 's|^\./||' | sort)
}
