#!/bin/sh
# Builds the plugin and runs all its tests: here, and in continuous integration. An installed ptp outside
# the system's folders is found with CMAKE_PREFIX_PATH=/where/ptp/is/installed ./test.sh
set -eu
cd "$(dirname "$0")"
cmake -G Ninja -B build -DCMAKE_BUILD_TYPE=Release
cmake --build build
ctest --test-dir build --output-on-failure
