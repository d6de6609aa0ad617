#!/usr/bin/env bash
# installed_sdk.sh BUILD-FOLDER PLUGIN-SOURCE: the SDK, installed alone, builds a plugin that has
# its one symbol and its manifest.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cmake --install "$1" --component sdk --prefix "$folder/sdk" >"$folder/log"
cmake -G Ninja -S "$here/outside" -B "$folder/build" -DCMAKE_PREFIX_PATH="$folder/sdk" \
    "-DPTP_TEST_LANGUAGES=C;CXX" -DPTP_TEST_PLUGIN="$2" >>"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
cmake --build "$folder/build" || exit 1

plugin=$folder/build/lib/ptp/plugins/outside.so
"$here/one_symbol.sh" "$plugin"
readelf --wide --sections "$plugin" | grep -q ' \.note\.ptp ' ||
    { echo "$plugin has no manifest"; exit 1; }
if grep -rq "$(cd "$here/../.." && pwd)/\(sdk\|cmake\|runtime\)" "$folder/sdk/lib" "$folder/build/build.ninja"; then
    echo "the installed SDK points back into the source tree"
    exit 1
fi
