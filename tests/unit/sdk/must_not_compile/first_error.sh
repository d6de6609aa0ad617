#!/usr/bin/env bash
# first_error.sh MESSAGE COMPILER ARGUMENT...: the compiler refuses, and its first error has the message;
# an empty message says that it compiles.

set -euo pipefail
message=$1
shift
status=0
output=$("$@" 2>&1) || status=$?
first=$(grep -m 1 'error: ' <<<"$output" || true)
if [[ -z $message ]]; then
    [[ $status -eq 0 ]] || { echo "$output"; exit 1; }
    exit 0
fi
# g++ says "static assertion failed: ptp: ...", clang++ "static_assert failed due to ... "ptp: ...".
[[ $status -ne 0 && $first == *'error: static'*"ptp: $message"* ]] ||
    { echo "the first error is not 'ptp: $message' but:"; echo "$first"; exit 1; }
