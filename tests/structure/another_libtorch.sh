#!/usr/bin/env bash
# another_libtorch.sh BUILD-FOLDER LIBTORCH: a plugin of a build folder beside this one, which was built for another
# libtorch, is refused with both named. Without such a folder (./dev build --torch pip makes one) it is skipped.

set -euo pipefail
build=$1 host=$2
pairs=0

fail() { echo "$*"; exit 1; }

sanitizer() { sed -n 's/^PTP_SANITIZE:STRING=//p' "$1"; }

for cache in "$(dirname "$build")"/*/CMakeCache.txt; do
    other=$(sed -n 's/^PTP_LIBTORCH_FINGERPRINT:INTERNAL=//p' "$cache")
    plugin=$(dirname "$cache")/lib/ptp/plugins/losses.so
    [[ -n $other && $other != "$host" && -f $plugin ]] || continue
    # A plugin with a sanitizer that this build lacks is refused for that, and not for its libtorch.
    with=$(sanitizer "$cache")
    [[ -z $with || $with == "$(sanitizer "$build/CMakeCache.txt")" ]] || continue
    # Which may be in the middle of a build.
    grep -aqF "\"libtorch\":\"$other\"" "$plugin" || continue
    pairs=$((pairs + 1))
    why="$plugin: built for libtorch $other, this host has $host"

    status=0
    said=$("$build/bin/ptp-inspect" "$plugin" 2>&1) || status=$?
    [[ $status -eq 3 && $said == "ptp-inspect: error: $why
    fix: rebuild the plugin against this host's libtorch" ]] || fail "ptp-inspect: exit code $status: $said"
    said=$("$build/bin/ptp-inspect" --plugins "$(dirname "$plugin")" 2>&1) || true
    grep -qF "  $why" <<<"$said" ||
        fail "ptp-inspect does not list $plugin as not taken"
    # This build's own plugin of the same name is used in its place.
    said=$("$build/bin/ptp-inspect" NLLLoss --plugins "$(dirname "$plugin")" 2>/dev/null) ||
        fail "ptp-inspect does not find its own plugin"
    [[ $said == "NLLLoss "* ]] || fail "ptp-inspect does not use its own plugin: $said"
    echo "$other is refused by $host"
done

if [[ $pairs -eq 0 ]]; then
    echo "skipped: no build folder beside $build has plugins for another libtorch than $host"
    exit 77
fi
