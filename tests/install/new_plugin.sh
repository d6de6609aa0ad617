#!/usr/bin/env bash
# new_plugin.sh BUILD-FOLDER LIBTORCH KIND...: projects that an installed ptp-new has made build, with the libtorch
# in that folder, or the system's, and pass their tests, of which one trains: at once, as they are.

set -euo pipefail
build=$1
export CMAKE_PREFIX_PATH=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# quietly COMMAND...: its output only if it fails.
quietly() { "$@" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }; }

for component in runtime plugins sdk; do
    quietly cmake --install "$build" --component "$component" --prefix "$folder/ptp"
done
export PATH=$folder/ptp/bin:$PATH CMAKE_PREFIX_PATH=$folder/ptp${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}

for kind; do
    cd "$folder"
    quietly ptp-new "$kind" "my_$kind" --author "Jane Doe <jane@example.org>; others"
    cd "my_$kind"
    quietly ./test.sh
    for test in "plugin.my_$kind.conforms" "cases.my_$kind" trains.experiment; do
        grep -qE " $test \.+ +Passed " "$folder/log" || { echo "$kind: $test has not passed"; cat "$folder/log"; exit 1; }
    done
    ptp-inspect "build/lib/ptp/plugins/my_$kind.so" >"$folder/page"
    grep -qF "  license Apache-2.0, by Jane Doe <jane@example.org>; others" "$folder/page" ||
        { echo "$kind: the license is not shown"; cat "$folder/page"; exit 1; }
    quietly cmake --install build
    [[ -f $folder/ptp/lib/ptp/plugins/my_$kind.so ]] || { echo "$kind: is not installed"; exit 1; }
    # Installed, it is found by itself.
    quietly ptprun check experiment.toml
    grep -qF ": nothing is wrong" "$folder/log" || { echo "$kind: its experiment is warned of"; cat "$folder/log"; exit 1; }
done
