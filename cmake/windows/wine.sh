#!/usr/bin/env bash
# wine.sh PROGRAM.exe [ARGUMENT...]: runs a program for Windows, silently and with a folder of its own for what Wine keeps.

set -euo pipefail

wine=$(command -v wine64 || command -v wine || echo /usr/lib/wine/wine64)
export WINEPREFIX=${PTP_WINE_PREFIX:-${XDG_CACHE_HOME:-$HOME/.cache}/ptp/wine}
export WINEDEBUG=${WINEDEBUG:--all} WINEDLLOVERRIDES='mscoree,mshtml,winemenubuilder.exe='
mkdir -p "$(dirname "$WINEPREFIX")"
exec "$wine" "$@"
