#!/usr/bin/env bash
# installed_program.sh BUILD-FOLDER EXPERIMENT: what is installed finds its own plugins, and nothing
# of the build folder.

set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cmake --install "$1" --prefix "$folder/ptp" >"$folder/log" || { cat "$folder/log"; exit 1; }
# Whether the data are there is another question: 4 says they are not.
status=0
env --unset=PTP_PLUGIN_PATH "$folder/ptp/bin/ptprun" check "$2" >"$folder/said" 2>&1 || status=$?
[[ $status -eq 0 || $status -eq 4 ]] || { cat "$folder/said"; exit 1; }
found=$("$folder/ptp/bin/ptp-inspect" | grep -c "$folder/ptp/lib/ptp/plugins/") || true
wanted=$(find "$1/lib/ptp/plugins" -name '*.so' | wc -l)
if [[ $found -lt $wanted ]]; then
    echo "of $wanted plugins $found are found after the installation"
    exit 1
fi
