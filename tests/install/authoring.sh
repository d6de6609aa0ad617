#!/usr/bin/env bash
# authoring.sh BUILD-FOLDER ROOT LIBTORCH UNPACKED: a new author does what docs/authoring shows, as it stands there: makes
# a plugin, tests it, trains with it, installs it, packs and signs it, and trains with what was installed from the
# package. The ptp is that of the Debian packages that were unpacked in a folder, where there are some, or
# else an installed one. new_author.sh does the same on a clean Debian.

set -euo pipefail
build=$1 root=$2 libtorch=$3 unpacked=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if [[ -d $unpacked/usr ]]; then
    cp -a "$unpacked/usr" "$folder/ptp"
else
    for component in runtime plugins sdk; do
        cmake --install "$build" --component "$component" --prefix "$folder/ptp" >/dev/null
    done
fi
export PATH=$folder/ptp/bin:$PATH CMAKE_PREFIX_PATH=$folder/ptp${libtorch:+:$libtorch}

# Keys and installed packages are below a home of its own.
export HOME=$folder/home
unset XDG_DATA_HOME XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME

# blocks LANGUAGE FILE [SECTION]: what the blocks of a page have, from the heading SECTION on.
blocks() {
    awk -v begin="^\`\`\`$1\$" -v section="## ${3:-}" '!wanted && (section == "## " || $0 == section) { wanted = 1 }
        $0 ~ begin { inside = wanted; next } /^```$/ { inside = 0 } inside' "$2"
}

# The first sections of installing.md are for root and a clean system: new_author.sh does them.
mkdir "$folder/author"
cd "$folder/author"
for page in first-plugin upgrading; do blocks sh "$root/docs/authoring/$page.md"; done >"$folder/commands"
bash -euxo pipefail "$folder/commands" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
grep -qxF "the case file notices" "$folder/log" || { echo "the wrong formula passes its test"; cat "$folder/log"; exit 1; }
grep -q widened "$folder/log" || { echo "the wider range is not reported"; cat "$folder/log"; exit 1; }

# shows PAGE: the log ends with the output that the page shows, whatever the version of the plugin is by now.
shows() {
    local wanted
    wanted=$(blocks text "$1")
    [[ $(tail -n "$(wc -l <<<"$wanted")" "$folder/log" | sed 's/0\.2\.0/0.1.0/g') == "$wanted" ]] ||
        { echo "$1 shows another output:"; cat "$folder/log"; exit 1; }
}
page=$root/docs/authoring/recorded-streams.md
blocks sh "$page" >"$folder/commands"
(cd my_loss && bash -euo pipefail "$folder/commands") >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
shows "$page"

blocks sh "$root/docs/authoring/packages.md" >"$folder/commands"
(cd my_loss && bash -euxo pipefail "$folder/commands") >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }

ptp-new loss my_plugin --component MyComponent >/dev/null
my_plugin/test.sh >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }

blocks sh "$root/docs/authoring/conformance.md" >"$folder/commands"
(cd my_plugin && bash -euxo pipefail "$folder/commands") >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }

cmake --install my_plugin/build >/dev/null
blocks sh "$root/docs/installing.md" "Where plugins are searched" >"$folder/commands"
(cd my_plugin && bash -euxo pipefail "$folder/commands") >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
grep -q '^identical: ' "$folder/log" || { echo "the installed build differs from itself"; cat "$folder/log"; exit 1; }
