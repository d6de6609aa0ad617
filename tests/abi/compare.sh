#!/usr/bin/env bash
# compare.sh OLD NEW: whether what was built with the headers in OLD works with a host that has those
# in NEW. Prints a line for each violation of the rules in ptp/abi.h, and then fails.
#
# A struct with struct_size may gain members behind its end, which raises PTP_ABI_MINOR; one without
# is frozen. Enumerators and the ids of abilities keep their values; new ones raise PTP_ABI_MINOR. A
# draft may change with its id. With another PTP_ABI_MAJOR all may change.

set -euo pipefail

old=$1
new=$2
tools=$(dirname "$0")

number() {
    sed -nE "s/^#define PTP_ABI_$2 ([0-9]+)u.*/\\1/p" "$1/ptp/abi.h"
}
if [[ $(number "$old" MAJOR) != $(number "$new" MAJOR) ]]; then
    printf 'PTP_ABI_MAJOR differs: nothing is compared\n'
    exit 0
fi
if [[ $(number "$new" MINOR) -lt $(number "$old" MINOR) ]]; then
    printf 'PTP_ABI_MINOR has become smaller\n'
    exit 1
fi
is_newer=0
[[ $(number "$new" MINOR) == $(number "$old" MINOR) ]] || is_newer=1

# ids HEADER: the ids of abilities that it declares.
ids() {
    sed -nE 's/^#define PTP_EXTENSION_[A-Z_]+ (".*")$/\1/p' "$1" | sort
}

result=0
compare() {
    awk -v is_newer="$is_newer" -f "$tools/compare.awk" "$@" | sort || result=1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$tools/layout.sh" "$old" >"$work/old"
"$tools/layout.sh" "$new" >"$work/new"
drafts=()
for draft in "$new"/ptp/ext/draft/*.h; do
    [[ ! -e $draft ]] || drafts+=("ptp/ext/draft/$(basename "$draft")")
done
: >"$work/drafts"
[[ ${#drafts[@]} -eq 0 ]] || "$tools/layout.sh" "$new" "${drafts[@]}" >"$work/drafts"
compare "$work/old" "$work/new" "$work/drafts"
for draft in "$old"/ptp/ext/draft/*.h; do
    [[ -e $draft ]] || continue
    name=ptp/ext/draft/$(basename "$draft")
    if [[ -e $new/$name && $(ids "$draft") == "$(ids "$new/$name")" ]]; then
        "$tools/layout.sh" "$old" "$name" >"$work/old"
        "$tools/layout.sh" "$new" "$name" >"$work/new"
        compare "$work/old" "$work/new"
    fi
done
exit "$result"
