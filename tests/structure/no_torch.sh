#!/usr/bin/env bash
# no_torch.sh PROGRAM...: the programs start in a millisecond, because neither they nor what they
# are linked to need libtorch.

root=.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

for program in "$@"; do
    needed=$(ldd "$program") || { violation "$program: ldd cannot read it"; continue; }
    while IFS= read -r library; do
        [[ -z $library ]] || violation "$program: needs $library"
    done < <(grep -oE 'lib(torch|c10)[^ ]*' <<<"$needed" | sort -u)
done

finish
