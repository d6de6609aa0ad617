#!/usr/bin/env bash
# under_wine.sh SOURCE BUILD: builds what needs no libtorch for Windows, runs its tests under Wine, and compares what
# ptp-inspect prints there of a plugin with what it prints on Linux. Exit status 77: skipped, for the reason printed.

set -euo pipefail

source=$1 build=$2
windows=$build/tests/windows
libraries=${PTP_WINDOWS_LIBRARIES:-$HOME/.cache/ptp/windows}

skip() {
    printf 'skipped: %s\n' "$*"
    exit 77
}

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

command -v x86_64-w64-mingw32-g++-posix >/dev/null || skip "g++-mingw-w64-x86-64-posix is not installed"
command -v wine64 >/dev/null || command -v wine >/dev/null || [[ -x /usr/lib/wine/wine64 ]] || skip "wine64 is not installed"
[[ -d $libraries/program_options ]] || skip "cmake/windows/dependencies.sh $libraries was not run"

export PTP_WINE_PREFIX=$windows/prefix
(cd "$source" && cmake --preset windows -B "$windows/build" -D PTP_WINDOWS_LIBRARIES="$libraries")
cmake --build "$windows/build"
ctest --test-dir "$windows/build" --output-on-failure --no-tests=error

inspect() {
    "$source/cmake/windows/wine.sh" "$windows/build/bin/ptp-inspect.exe" "$@" | tr -d '\r'
}

# The facts of the file alone: where it lies, its compiler, the libraries of the system that it needs.
without_facts() {
    sed -E -e 's#  [^ ]*[/\\]scale\.(so|dll)$#  FILE#' -e '/^      "path": /d' -e '/"compiler": /d' -e 's/, cc [0-9].*//' \
        -e '/^      "libraries": \[\],$/d' -e '/^      "libraries": \[$/,/^      \],$/d' -e '/^  needs /d'
}

folder=$windows/build/lib/ptp/plugins
for form in "" --json --markdown; do
    # shellcheck disable=SC2086  # no form: no argument
    "$build/bin/ptp-inspect" $form "$windows/scale.so" | without_facts >"$windows/linux.txt"
    # shellcheck disable=SC2086
    inspect $form "$folder/scale.dll" | without_facts >"$windows/windows.txt"
    grep -q Scale "$windows/windows.txt" || fail "ptp-inspect.exe $form does not show the component"
    diff "$windows/linux.txt" "$windows/windows.txt" || fail "ptp-inspect $form prints something else on Windows"
done

# expect TEXT WHAT ARGUMENT...: ptp-inspect.exe prints the text somewhere, whatever its exit status.
expect() {
    local text=$1 what=$2 printed
    shift 2
    printed=$(inspect "$@" 2>&1 || true)
    [[ $printed == *"$text"* ]] || fail "$what: $printed"
}

expect "Scale  transform" "scale.dll was not found in its folder" --plugins "$folder"
expect "--check needs Linux" "--check is not refused" --check "$folder/scale.dll"

cp "$windows/scale.so" "$windows/linux.dll"
expect "is not a DLL: it begins with '.ELF" "an ELF file is not refused" "$windows/linux.dll"

python3 - "$folder/scale.dll" "$windows/changed.dll" <<'PYTHON'
import sys
content = bytearray(open(sys.argv[1], "rb").read())
content[content.index(b'"Multiplies by a number"') + 1] ^= 0x20
open(sys.argv[2], "wb").write(content)
PYTHON
expect "has changed since it was built" "a changed file is not refused" "$windows/changed.dll"
