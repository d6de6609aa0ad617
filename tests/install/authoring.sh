#!/usr/bin/env bash
# authoring.sh BUILD-FOLDER ROOT LIBTORCH: the commands in docs/authoring do what the pages tell, as they stand
# there, with an installed ptp; and a case file that is shown there passes.

set -euo pipefail
build=$1 root=$2 libtorch=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for component in runtime plugins sdk; do
    cmake --install "$build" --component "$component" --prefix "$folder/ptp" >/dev/null
done
export PATH=$folder/ptp/bin:$PATH CMAKE_PREFIX_PATH=$folder/ptp${libtorch:+:$libtorch}

# Keys and installed packages are below a home of its own.
export HOME=$folder/home
unset XDG_DATA_HOME XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME

# blocks LANGUAGE FILE: what the blocks of a page have.
blocks() { awk -v begin="^\`\`\`$1\$" '$0 ~ begin { inside = 1; next } /^```$/ { inside = 0 } inside' "$2"; }

# installing.md is for root and a clean system: new_author.sh does it.
mkdir "$folder/author"
cd "$folder/author"
for page in first-plugin upgrading; do blocks sh "$root/docs/authoring/$page.md"; done >"$folder/commands"
bash -euxo pipefail "$folder/commands" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
grep -qxF "the case file notices" "$folder/log" || { echo "the wrong formula passes its test"; cat "$folder/log"; exit 1; }
grep -q widened "$folder/log" || { echo "the wider range is not reported"; cat "$folder/log"; exit 1; }

blocks sh "$root/docs/authoring/packages.md" >"$folder/commands"
(cd my_loss && bash -euxo pipefail "$folder/commands") >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }

ptp-new loss my_plugin --component MyComponent >/dev/null
blocks toml "$root/docs/authoring/testing.md" >"$folder/author/my_plugin/tests/my_plugin.toml"
my_plugin/test.sh >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
