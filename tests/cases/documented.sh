#!/usr/bin/env bash
# Runs the case files that documents show: documented.sh RUNNER PLUGINS DOCUMENT...
set -euo pipefail

runner=$1 plugins=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for document; do
    file=$folder/$(basename "$document" .md).toml
    awk '/^```toml$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$document" >"$file"
    [[ -s $file ]] || { echo "$document shows no case file"; exit 1; }
    "$runner" --plugins "$plugins" "$file"
done
