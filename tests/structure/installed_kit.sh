#!/usr/bin/env bash
# installed_kit.sh BUILD-FOLDER DOCUMENT [CMAKE_PREFIX_PATH]: an author with an installed ptp, which has been moved since,
# tests a plugin with all of the testing kit, and trains it in a program of C with libptp.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# quietly COMMAND...: its output only if it fails.
quietly() { "$@" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }; }

quietly cmake --install "$1" --prefix "$folder/first"
mv "$folder/first" "$folder/ptp"
pkgconfig=$(dirname "$(find "$folder/ptp" -name libptp.pc)")
export PKG_CONFIG_PATH=$pkgconfig OMP_NUM_THREADS=1
awk '/^```cpp$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$2" >"$folder/documented.cpp"
library=$(dirname "$pkgconfig")
sanitizer=$(readelf --dynamic "$library"/libptp.so.* | grep -oE 'lib[at]san\.so\.[0-9]+' | sort -u || true)
quietly cmake -G Ninja -S "$here/outside_kit" -B "$folder/build" -DPTP_WERROR=ON -DCMAKE_BUILD_TYPE=Debug \
    "-DPTP_TEST_DOCUMENTED=$folder/documented.cpp" "-DPTP_TEST_PRELOAD=$sanitizer" "-DCMAKE_PREFIX_PATH=$folder/ptp;${3-}"
quietly cmake --build "$folder/build"
export LD_LIBRARY_PATH=$library ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=suppressions=$here/../sanitizers/threads.supp
quietly ctest --test-dir "$folder/build" --output-on-failure --no-tests=error
ctest --test-dir "$folder/build" -N >"$folder/tests"
for test in plugin.outside_kit.conforms cases.scale_and_shift kit documented ten_steps; do
    grep -q ": $test\$" "$folder/tests" || { echo "there is no test $test"; cat "$folder/tests"; exit 1; }
done
if readelf --dynamic "$folder/build/ten_steps" "$library"/libptp.so.* | grep -E 'NEEDED.*(torch|c10)'; then
    echo "a program with libptp needs libtorch before anything is computed"
    exit 1
fi
if nm --dynamic --defined-only "$library/libptp.so" | grep -vE ' (A LIBPTP_1|T ptp_experiment_[a-z_]+(@@LIBPTP_1)?)$'; then
    echo "libptp.so exports other symbols than those of ptp/host.h"
    exit 1
fi
