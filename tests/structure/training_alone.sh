#!/usr/bin/env bash
# training_alone.sh LINKED ARCHIVE...: a training needs no function of these libraries. LINKED has all that it needs.

root=.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
linked=$1
shift

# Functions that other files can call.
functions_of() { nm --defined-only --format=posix "$@" | awk '$2 == "T" { print $1 }' | sort -u; }
needed=$(nm --defined-only --format=posix "$linked" | awk '$2 ~ /^[Tt]$/ { print $1 }' | sort -u)

for archive in "$@"; do
    offered=$(functions_of "$archive")
    [[ -n $needed && -n $offered ]] || violation "$linked, $archive: nm finds no function"
    while read -r function; do
        [[ -z $function ]] || violation "$(basename "$archive"): a training needs $(c++filt "$function")"
    done < <(comm -12 <(printf '%s\n' "$needed") <(printf '%s\n' "$offered"))
done

finish
