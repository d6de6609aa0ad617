#!/usr/bin/env bash
# guides.sh ROOT PTPRUN: what README and the guides in docs/ show is right. Each block of TOML has keys, settings and values
# that ptprun takes, but for what a part of an experiment lacks, and each option is one of its command.

set -euo pipefail
root=$1 ptprun=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME=$folder
unset XDG_DATA_HOME PTP_PLUGIN_PATH
status=0

# What may be missing: the rest of the experiment, the header of a component, the data, and components that other blocks
# or the reader's plugins have. Where [training] is missing, check does not wire the components.
readonly allowed='required, but missing: a table|no such file or folder|unknown component$|has no loss|looks at the validation loss|there is nothing to train|unknown component or section|no plugin has such a component|: (layers|load): unknown key'

mkdir "$folder/parts"
: >"$folder/parts/mnist.toml"
mapfile -t guides < <(cd "$root" && grep -lE '^```(toml|sh)$' README.md docs/*.md | grep -vE 'docs/(command-line|components|reference|run-folder|testing-components)\.md')
for guide in "${guides[@]}"; do
    awk -v name="$folder/$(basename "$guide" .md)" '
        /^```toml$/ { inside = 1; file = name "." FNR + 1 ".toml"; next } /^```$/ { inside = 0 }
        inside { print >file }' "$root/$guide"
    while read -r command option; do
        grep -qF -- "$option" "$root/docs/command-line.md" || "$ptprun" "$command" --help 2>&1 | grep -qF -- "$option" ||
            { echo "$guide: ptprun $command has no option $option"; status=1; }
    done < <(awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 }
        (inside || /^    /) && /^ *ptprun [a-z]/ {
            sub(/ #.*/, "")
            for (i = 3; i <= NF && $i !~ /[;&|(]/; i++) if (match($i, /^--[a-z-]+/)) print $2, substr($i, 1, RLENGTH)
        }' "$root/$guide" | sort -u)
done
[[ $(find "$folder" -maxdepth 1 -name '*.toml' | wc -l) -ge 40 ]] || { echo "the guides show too little"; status=1; }

for block in "$folder"/*.toml; do
    cd "$folder"
    code=0
    output=$("$ptprun" check "$(basename "$block")" 2>&1) || code=$?
    if grep -E ': error: ' <<<"$output" | grep -vE "$allowed"; then status=1; fi
    if [[ ! $code =~ ^[024]$ ]] || ! grep -qE ': error: |: nothing is wrong|: no errors' <<<"$output"; then
        echo "$(basename "$block"): ptprun check ends with $code: $output"
        status=1
    fi
done
exit $status
