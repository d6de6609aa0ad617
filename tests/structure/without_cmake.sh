#!/usr/bin/env bash
# without_cmake.sh BUILD-FOLDER DOCUMENT: the commands in the section "A plugin without CMake" of the document build plugins.

set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cmake --install "$1" --prefix "$folder/ptp" >/dev/null
awk '/^## / { section = /A plugin without CMake/ } /^```sh$/ { inside = section; next } /^```$/ { inside = 0 } inside' "$2" >"$folder/commands"
mkdir "$folder/work"
cd "$folder/work"
PREFIX=$folder/ptp bash -euo pipefail "$folder/commands" >"$folder/log" 2>&1 ||
    { cat "$folder/log"; exit 1; }
[[ $(grep -c '^  accepted: ' "$folder/log") -eq 2 ]] ||
    { cat "$folder/log"; exit 1; }

PTP_PLUGIN_PATH=$folder/work "$folder/ptp/bin/ptp-inspect" >"$folder/list"
for component in Scale MyPlugin; do
    grep -q "^  $component " "$folder/list" || { echo "$component is not found"; exit 1; }
done
"$folder/ptp/bin/ptp-inspect" my_plugin.so | grep -qxF '  license Apache-2.0' ||
    { echo "the license is not shown"; exit 1; }
