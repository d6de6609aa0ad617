#!/usr/bin/env bash
# template_builds.sh BUILD-FOLDER TEMPLATE [LIBTORCH]: the template, copied out of the tree, builds with an
# installed SDK and the libtorch in that folder, or the system's, and its tests pass.

set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

run() { "$@" >>"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }; }

run cmake --install "$1" --component sdk --prefix "$folder/sdk"
cp -r "$2" "$folder/template"
run cmake -G Ninja -S "$folder/template" -B "$folder/build" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_PREFIX_PATH="$folder/sdk;${3-}"
run cmake --build "$folder/build"
run ctest --test-dir "$folder/build" --output-on-failure
test -f "$folder/build/lib/ptp/plugins/my_plugin.so"
