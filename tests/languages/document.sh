#!/usr/bin/env bash
# document.sh BUILD-FOLDER ROOT: the commands and the component of docs/authoring/other-languages.md work as they
# stand there, with what is installed.

build=$1
root=$2
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
document=$root/docs/authoring/other-languages.md
quietly cmake --install "$build" --prefix "$folder/ptp"

# blocks SECTION LANGUAGE: the code of a section in this language.
blocks() {
    awk -v section="## $1" -v fence="\`\`\`$2" '/^## / { inside = $0 == section }
        $0 == "```" { open = 0 } open { print } inside && $0 == fence { open = 1 }' "$document"
}

sections=(C)
if command -v cargo >/dev/null; then
    sections+=(Rust)
else
    echo "not run: cargo is not installed"
fi
if [[ -e $folder/ptp/bin/ptp-python ]]; then
    sections+=(Python)
else
    echo "not run: ptp was built without python3-dev"
fi
mkdir "$folder/work"
cd "$folder/work" || exit 1
for section in "${sections[@]}"; do
    blocks "$section" sh >"$folder/commands"
    [[ -s $folder/commands ]] || fail "$section: has no commands"
    PREFIX=$folder/ptp PATH=$folder/ptp/bin:$PATH quietly bash -euo pipefail "$folder/commands"
done

if [[ " ${sections[*]} " == *" Python "* ]]; then
    blocks Python python >word_counts.py
    PATH=$folder/ptp/bin:$PATH quietly ptp-python word_counts.py
    quietly "$folder/ptp/bin/ptp-inspect" --check word_counts.so
fi

[[ $failures -eq 0 ]]
