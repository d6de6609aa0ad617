#!/usr/bin/env bash
# missing_libtorch.sh BUILD-FOLDER LIBTORCH: without the libtorch that ptp was built for, or with another version of it,
# each of a wheel and of a package of Debian names what it needs, and what is there.

set -euo pipefail
build=$1 fingerprint=$2
version=${fingerprint%% *} soname=${fingerprint#*(}
soname=${soname%)}
folder=$(realpath "$(mktemp -d)")
trap 'rm -rf "$folder"' EXIT
failures=0

# refuses PTPRUN TEXT: it ends with exit code 3 and this text.
refuses() {
    local said status=0
    said=$("$1" "$folder/houses.toml" --run-dir "$folder/run" 2>&1) || status=$?
    [[ $status -eq 3 && $said == "$2" ]] || {
        printf 'expected: %s\nexit code %s: %s\n' "$2" "$status" "$said"
        failures=$((failures + 1))
    }
}

cp "$(dirname "$0")"/../../configs/tables/houses.{toml,csv} "$folder"

# As pip installs it: the package ptp beside the package torch.
package=$folder/packages/ptp
mkdir -p "$package"/{bin,lib/ptp}
touch "$package/__init__.py" "$package/lib/libptp-engine.so"
cp "$build/bin/ptprun" "$package/bin"
ln -s "$(realpath "$build/lib/ptp/plugins")" "$package/lib/ptp/plugins"
refuses "$package/bin/ptprun" "ptprun: error: this ptp computes with torch $version, which is not installed in $folder/packages
    fix: pip install torch==$version"
mkdir -p "$folder/packages/torch/lib"
touch "$folder/packages/torch/lib/$soname"
printf '%s\n' 'from typing import Optional' "__version__ = '9.8.7+cpu'" >"$folder/packages/torch/version.py"
refuses "$package/bin/ptprun" "ptprun: error: this ptp computes with torch $version, and $folder/packages/torch is torch 9.8.7: one of the two has to be another
    fix: pip install torch==$version"

# As Debian has it: the name of the library has its version.
if [[ $soname == *.so.* ]]; then
    mkdir "$folder/lib"
    touch "$folder/lib/$soname"
    export LD_LIBRARY_PATH=$folder/lib
    refuses "$build/bin/ptprun" "ptprun: error: this ptp computes with libtorch $version, which cannot be opened: $folder/lib/$soname: file too short
    fix: apt-get install libtorch${soname#*.so.}, or build ptp with the libtorch that is here"
fi
[[ $failures -eq 0 ]]
