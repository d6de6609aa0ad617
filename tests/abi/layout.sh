#!/usr/bin/env bash
# layout.sh INCLUDE [HEADER...]: what the C headers of the SDK in a folder lay out, a line each:
#
#   struct NAME SIZE
#   member STRUCT.NAME OFFSET SIZE TYPE
#   enumerator NAME VALUE
#   string MACRO "TEXT"
#
# A C program that is made from the headers computes them. Without names it reads abi.h and what is
# in ext/, but not the drafts.

set -euo pipefail

include=$1
shift
headers=("$@")
own=()
for header in "${headers[@]}"; do
    own+=("\"$include/$header\"")
done
if [[ ${#headers[@]} -eq 0 ]]; then
    own=("\"$include/ptp/")
    headers=(ptp/abi.h)
    for header in "$include"/ptp/ext/*.h; do
        [[ ! -e $header ]] || headers+=("ptp/ext/$(basename "$header")")
    done
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for header in "${headers[@]}"; do
    printf '#include <%s>\n' "$header"
done >"$work/headers.h"

cc=("${CC:-cc}" -std=c11 -Wno-unused -I"$include")
# The lines after a marker that names one of the headers.
"${cc[@]}" -E "$work/headers.h" >"$work/preprocessed"
awk 'BEGIN { while (ARGC > 2) names[ARGV[--ARGC]] }
    /^# [0-9]+ / { is_own = 0; for (name in names) is_own = is_own || index($0, name); next }
    is_own' "$work/preprocessed" "${own[@]}" >"$work/text"
{
    cat "$work/headers.h"
    printf '#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n'
    awk -f "$(dirname "$0")/layout.awk" "$work/text"
    printf '    return 0;\n}\n'
} >"$work/layout.c"
"${cc[@]}" -o "$work/layout" "$work/layout.c"
"$work/layout"
if [[ $# -gt 0 ]]; then
    (cd "$include" && cat "$@") >"$work/macros"
else
    "${cc[@]}" -E -dM "$work/headers.h" >"$work/macros"
fi
sed -nE 's/^#define (PTP_[A-Z_]+) (".*")$/string \1 \2/p' "$work/macros" | sort
