#!/usr/bin/env bash
# guides.sh ROOT PTPRUN: what the guides show is right. Each block of TOML has keys, settings and values that ptprun takes, but
# for what a part of an experiment lacks, and each option of a command is one of ptprun's.

set -euo pipefail
root=$1 ptprun=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME=$folder
unset XDG_DATA_HOME PTP_PLUGIN_PATH
status=0

# What may be missing: the rest of the experiment, the data, and components that other blocks have. Where [training] is
# missing, check does not wire the components.
readonly allowed='required, but missing: a table|no such file or folder|unknown component$|has no loss|looks at the validation loss|there is nothing to train'

mkdir "$folder/parts"
: >"$folder/parts/mnist.toml"
for guide in README docs/experiments docs/training; do
    awk -v name="$folder/$(basename "$guide")" '
        /^```toml$/ { inside = 1; file = name "." FNR + 1 ".toml"; next } /^```$/ { inside = 0 }
        inside { print >file }' "$root/$guide.md"
    while read -r option; do
        grep -qF -- "$option" "$root/docs/command-line.md" ||
            { echo "$guide.md: no command has the option $option"; status=1; }
    done < <(awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } (inside || /^    /) && /^ *ptprun / { sub(/ #.*/, ""); print }' \
        "$root/$guide.md" | grep -oE -- ' --[a-z-]+' | sed 's/^ //' | sort -u)
done
[[ $(find "$folder" -maxdepth 1 -name '*.toml' | wc -l) -ge 15 ]] || { echo "the guides show too little"; status=1; }

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
