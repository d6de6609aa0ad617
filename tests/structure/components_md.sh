#!/usr/bin/env bash
# docs/components.md is what the plugins say of themselves.
#
#   components_md.sh FILE PTP-INSPECT PLUGIN...           fails if the file is another
#   components_md.sh --write FILE PTP-INSPECT PLUGIN...   writes it

set -euo pipefail

if [[ $1 == --write ]]; then
    "$3" --markdown "${@:4}" >"$2.new"
    mv "$2.new" "$2"
elif ! difference=$("$2" --markdown "${@:3}" | diff --unified=0 "$1" -); then
    printf '%s\n' "$difference" | head -n 40
    echo "$1 is not what the plugins say of themselves; ./dev docs writes it anew"
    exit 1
fi
