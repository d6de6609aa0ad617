#!/usr/bin/env bash
# one_symbol.sh PLUGIN...: a plugin defines one dynamic symbol, the entry, and no unique symbol,
# because a unique symbol would be shared with other plugins and keep the file from being replaced.

root=.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

for plugin in "$@"; do
    exported=$(nm --dynamic --defined-only --format=posix "$plugin" | sort) ||
        { violation "$plugin: nm cannot read it"; continue; }
    names=$(cut -d' ' -f1 <<<"$exported")
    [[ $names == ptp_plugin_entry ]] ||
        violation "$plugin: exports ${names//$'\n'/ }: must be ptp_plugin_entry alone"
    unique=$(readelf --wide --symbols "$plugin" | awk '$5 == "UNIQUE" { print $8 }')
    [[ -z $unique ]] || violation "$plugin: has unique symbols: ${unique//$'\n'/ }"
done

finish
