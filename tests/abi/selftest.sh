#!/usr/bin/env bash
# selftest.sh INCLUDE: compare.sh finds each kind of violation, and accepts what the rules allow.

set -euo pipefail

include=$1
tools=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

minor=$(sed -nE 's/^#define PTP_ABI_MINOR ([0-9]+)u.*/\1/p' "$include/ptp/abi.h")
readonly raise="s/^#define PTP_ABI_MINOR ${minor}u/#define PTP_ABI_MINOR $((minor + 1))u/"

# expect WHAT TEXT HEADER SED-EXPRESSION...: with the header edited, compare.sh prints the text, and
# fails if there is one. With another header than abi.h the minor is raised.
expect() {
    local what=$1 text=$2 header=$3 expressions=() status=0 printed
    shift 3
    for expression in "$@"; do
        expressions+=(-e "$expression")
    done
    rm -rf "$work/new"
    cp -r "$include" "$work/new"
    sed -i -E "${expressions[@]}" "$work/new/ptp/$header"
    [[ $header == abi.h ]] || sed -i -E "$raise" "$work/new/ptp/abi.h"
    if cmp -s "$include/ptp/$header" "$work/new/ptp/$header"; then
        printf '%s: the edit changes nothing\n' "$what"
        failures=$((failures + 1))
        return
    fi
    text=$(sort <<<"$text")
    printed=$("$tools/compare.sh" "$include" "$work/new" 2>&1) || status=1
    if [[ $printed != "$text" || $status -ne $([[ -n $text ]] && echo 1 || echo 0) ]]; then
        printf '%s: printed\n%s\nand not\n%s\n' "$what" "$printed" "$text"
        failures=$((failures + 1))
    fi
}

readonly append='/batch_size; +\/\* samples \*\//s/$/\n    uint64_t appended;/'

expect "a member is appended and the minor raised" "" abi.h "$append" "$raise"
expect "a member is appended" "ptp_step.appended: is new, and PTP_ABI_MINOR is the same" abi.h "$append"
expect "a member is put before others" "ptp_step.epoch: is at byte 24, was 16
ptp_step.section: is at byte 32, was 24
ptp_step.set: is at byte 40, was 32
ptp_step.batch_index: is at byte 48, was 40
ptp_step.batch_size: is at byte 56, was 48
ptp_step.inserted: is new within the 56 bytes of an older ptp_step" \
    abi.h 's/^    uint64_t epoch;.*/    uint64_t inserted;\n&/' "$raise"
expect "a member is put into the padding at the end" \
    "ptp_setup.padding: is new within the 80 bytes of an older ptp_setup" \
    abi.h 's/^    uint32_t output_count;$/&\n    uint32_t padding;/' "$raise"
expect "a frozen struct grows" "ptp_tensor_list: is frozen, has 24 bytes, had 16
ptp_tensor_list.more: is new in a struct that is frozen" \
    abi.h 's/^    uint64_t count;$/&\n    uint64_t more;/' "$raise"
expect "the type of a member changes" "ptp_step.batch_index: is 'double batch_index', was 'uint64_t batch_index'" \
    abi.h 's/^    uint64_t batch_index;/    double batch_index;/' "$raise"
expect "a function takes something else" \
    "ptp_component_info.destroy: is 'void (*destroy)(void* instance, int how)', was 'void (*destroy)(void* instance)'" \
    abi.h 's/\(\*destroy\)\(void\* instance\)/(*destroy)(void* instance, int how)/' "$raise"
expect "a member is gone" "ptp_plugin_info: has 64 bytes, had 72
ptp_plugin_info.homepage: is gone" \
    abi.h '/^    const char\* homepage;/d' "$raise"
expect "an enumerator has another value" "PTP_VIEWER: is 8, was 7" abi.h 's/PTP_VIEWER = 7/PTP_VIEWER = 8/' "$raise"
expect "an enumerator is new" "PTP_ORACLE: is new, and PTP_ABI_MINOR is the same" \
    abi.h 's/PTP_VIEWER = 7 /PTP_VIEWER = 7, PTP_ORACLE = 8 /'
expect "an ability has another id" 'PTP_EXTENSION_MODE: is "ptp.mode/2", was "ptp.mode/1"' \
    ext/mode.h 's/ptp\.mode\/1/ptp.mode\/2/' "$raise"
expect "a draft changes with its id kept" "ptp_old_tensor.role: is 'int32_t role', was 'ptp_role role'" \
    ext/draft/migrate.h 's/^    ptp_role role;/    int32_t role;/'
expect "a draft changes with its id" "" \
    ext/draft/migrate.h 's/^    ptp_role role;/    int32_t role;/' 's/ptp\.migrate\/1/ptp.migrate\/2/'
expect "the minor becomes smaller" "PTP_ABI_MINOR has become smaller" \
    abi.h "s/^#define PTP_ABI_MINOR ${minor}u/#define PTP_ABI_MINOR 0u/"

[[ $failures -eq 0 ]] || exit 1
