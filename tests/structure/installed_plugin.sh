#!/usr/bin/env bash
# installed_plugin.sh BUILD-FOLDER C-SOURCE CXX-SOURCE: an author with nothing but an installed ptp, which has
# been moved since, builds plugins in C and in C++, and installs them where ptprun finds them.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

fail() {
    echo "$*"
    failures=$((failures + 1))
}

# quietly COMMAND...: its output only if it fails.
quietly() { "$@" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }; }

cmake --install "$1" --prefix "$folder/first" >/dev/null
mv "$folder/first" "$folder/ptp"

# project NAME LANGUAGES SOURCE [ARGUMENT...]: configures a project with the source, without libtorch.
project() {
    local name=$1 languages=$2 source=$3
    shift 3
    cmake -G Ninja -S "$here/outside" -B "$folder/$name" -DCMAKE_PREFIX_PATH="$folder/ptp" \
        "-DPTP_TEST_LANGUAGES=$languages" "-DPTP_TEST_PLUGIN=$source" "$@"
}

# refused MESSAGE NAME LANGUAGES SOURCE: the project is not configured; it says why.
refused() {
    local message=$1
    shift
    if project "$@" >"$folder/log" 2>&1; then
        fail "$1: was configured"
    fi
    # CMake breaks long lines.
    tr -s ' \n' ' ' <"$folder/log" | grep -qF "$message" || { fail "$1: did not say: $message"; cat "$folder/log"; }
}

quietly project in_c C "$2"
quietly cmake --build "$folder/in_c"
quietly ctest --test-dir "$folder/in_c" --output-on-failure
if readelf --dynamic "$folder/in_c/lib/ptp/plugins/outside.so" | grep NEEDED | grep -v 'libc\.so'; then
    fail "a plugin in C needs other libraries than libc"
fi
quietly project in_cxx "C;CXX" "$3"
quietly cmake --build "$folder/in_cxx"

refused "$2 is C, which the project does not compile; write project(outside LANGUAGES C CXX)" \
    no_c CXX "$2"
refused "$3 is C++, which the project does not compile; write project(outside LANGUAGES C CXX)" \
    no_cxx C "$3"

# What is said of the plugin in CMakeLists.txt is shown, and it is found where it was put.
quietly cmake --install "$folder/in_c"
"$folder/ptp/bin/ptp-inspect" scale >"$folder/page"
head -n 1 "$folder/page" | grep -qF "scale 0.1.0  $folder/ptp/lib/ptp/plugins/outside.so" ||
    { fail "an installed plugin is not found"; cat "$folder/page"; }
grep -qxF '  license MIT OR Apache-2.0, by Jane Doe <jane@example.org>, https://example.org/outside' \
    "$folder/page" || { fail "the license is not shown"; cat "$folder/page"; }
cmp -s "$folder/in_c/lib/ptp/plugins/outside.so" "$folder/ptp/lib/ptp/plugins/outside.so" ||
    fail "the installed plugin is not the one that was tested"

cmake --install "$folder/in_c" --prefix "$folder/elsewhere" >"$folder/log"
hint="-- There is no ptprun in $folder/elsewhere/bin. To let another one find outside: --plugins \
$folder/elsewhere/lib/ptp/plugins, or this folder in PTP_PLUGIN_PATH"
grep -qxF -e "$hint" "$folder/log" || { fail "no word of how to find it"; cat "$folder/log"; }
"$folder/ptp/bin/ptp-inspect" scale --plugins "$folder/elsewhere/lib/ptp/plugins" | head -n 1 |
    grep -qF "$folder/elsewhere/" || fail "a plugin that was installed elsewhere is not found"

# What is installed besides: all that a document refers to is there.
share=$folder/ptp/share/ptp
for file in LICENSE CHANGELOG.md docs/authoring/writing.md template/common/CMakeLists.txt \
    configs/fashion_mnist/first_experiment.toml; do
    [[ -f $share/$file ]] || fail "share/ptp/$file is missing"
done
while IFS=: read -r file link; do
    target=$(dirname "$file")/${link%%#*}
    [[ -e $target ]] || fail "$file refers to $link, which is not installed"
done < <(grep -roE --include='*.md' '\]\([^) ]+\)' "$share" | sed -E 's/:\]\(/:/; s/\)$//' |
    grep -vE ':(https?://|#|mailto:)')
# Whether the data are there is another question: 4 says they are not.
status=0
"$folder/ptp/bin/ptprun" check "$share/configs/fashion_mnist/first_experiment.toml" \
    >"$folder/log" 2>&1 || status=$?
[[ $status -eq 0 || $status -eq 4 ]] || { fail "an installed experiment is refused"; cat "$folder/log"; }

[[ $failures -eq 0 ]]
