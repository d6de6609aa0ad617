#!/usr/bin/env bash
# The table of docs/authoring/conformance.md is what `ptp-inspect rules --markdown` prints, between the
# lines <!-- rules --> and <!-- end -->.
#
#   conformance_md.sh FILE PTP-INSPECT           fails if the file has another table
#   conformance_md.sh --write FILE PTP-INSPECT   writes it

set -euo pipefail

with_table() {
    local line
    while IFS= read -r line; do
        printf '%s\n' "$line"
        if [[ $line == '<!-- rules -->' ]]; then
            printf '\n%s\n\n' "$("$2" rules --markdown)"
            while IFS= read -r line && [[ $line != '<!-- end -->' ]]; do :; done
            printf '%s\n' "$line"
        fi
    done <"$1"
}

if [[ $1 == --write ]]; then
    with_table "$2" "$3" >"$2.new"
    mv "$2.new" "$2"
elif ! difference=$(with_table "$1" "$2" | diff --unified=0 "$1" -); then
    printf '%s\n' "$difference" | head -n 40
    echo "$1 has another table than ptp-inspect rules; ./dev docs writes it anew"
    exit 1
fi
