#!/usr/bin/env bash
# without_gloo.sh ROOT CMAKE: where gloo's headers are missing CMake says what to install.

set -euo pipefail

# Without a PATH it derives no folders to look into.
if output=$(PATH=/none "$2" -DCMAKE_IGNORE_PREFIX_PATH=/usr -P "$1/cmake/PtpGloo.cmake" 2>&1); then
    echo "it has found some: $output"
    exit 1
fi
expected='The headers of gloo (gloo/rendezvous/context.h) were not found, by which processes that train together are
connected. Install libgloo-dev (`./dev setup`), or name their folder: -DPTP_GLOO_INCLUDE_DIR=/path/to/include'
if [[ $(tr -s ' \n' ' ' <<<"$output") != *"$(tr -s ' \n' ' ' <<<"$expected" | sed 's/ $//')"* ]]; then
    printf 'expected: %s\nnot: %s\n' "$expected" "$output"
    exit 1
fi
