#!/usr/bin/env bash
# debian_packages.sh BUILD-FOLDER FOLDER: the Debian packages of runtime, plugins and SDK, for the tests that install them
# on a clean Debian.

set -euo pipefail
build=$1 folder=$2
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/clean_root.sh"
require_clean_roots cpack dpkg-shlibdeps file

rm -rf "$folder"
mkdir -p "$folder"
(cd "$build" && cpack -G DEB -B "$folder/made" -D CPACK_COMPONENTS_ALL='runtime;plugins;sdk' >"$folder/log" 2>&1) ||
    { cat "$folder/log"; exit 1; }
mv "$folder"/made/ptp-*.deb "$folder"
rm -r "$folder/made"
