#!/usr/bin/env bash
# workflow.sh PACKAGES PTP-NEW: the workflow that ptp-new puts into a project passes on a clean Debian: its steps as they
# stand in the file, with the Debian packages of ptp from a folder as the address that a repository sets.

set -euo pipefail
packages=$1 ptp_new=$2
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/clean_root.sh"
require_clean_roots

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
copy_packages "$packages" "$folder"
(cd "$folder" && "$ptp_new" transform my_transform >/dev/null)
workflow=$folder/my_transform/.github/workflows/test.yml

# The commands of each step are a script, which a runner executes with `sh -e` in the project.
# REQUIRES: `run: COMMAND`, or `run: |` and lines with a deeper indent than its own.
awk '
    function indent(line) { match(line, /^ */); return RLENGTH }
    function begin() { print "cat >/root/step <<'\''STEP'\''" }
    function end() { print "STEP\n(cd /root/my_transform && sh -e /root/step </dev/null)" }
    inside && $0 != "" && indent($0) <= depth { inside = 0; end() }
    inside { print; next }
    /^ +run: \|$/ { inside = 1; depth = indent($0); begin(); next }
    /^ +run: / { sub(/^ +run: /, ""); begin(); print; end() }
    END { if (inside) end() }' "$workflow" >"$folder/steps"
[[ $(grep -c '^STEP$' "$folder/steps") -eq 2 ]] || { echo "the workflow does not have two steps:"; cat "$workflow"; exit 1; }
version=$(sed -n 's/^ *PTP_VERSION: "\(.*\)"$/\1/p' "$workflow")
{
    echo "export PTP_PACKAGES=file:///root/packages PTP_VERSION=$version"
    cat "$folder/steps"
    echo 'echo "== done"'
} >"$folder/workflow.sh"

in_clean_root "$folder/log" "$folder/workflow.sh" "$folder/packages" "$folder/my_transform" ||
    { tail -n 100 "$folder/log"; exit 1; }
for test in plugin.my_transform.conforms cases.my_transform trains.experiment; do
    grep -qE " $test \.+ +Passed " "$folder/log" || { echo "$test has not passed"; tail -n 100 "$folder/log"; exit 1; }
done
grep -qx '== done' "$folder/log" || { tail -n 100 "$folder/log"; exit 1; }
