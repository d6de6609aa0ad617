#!/usr/bin/env bash
# The top folder holds what is listed here alone: a page or a picture that a program wrote beside the sources is no source.

# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
root=$1

readonly files='CHANGELOG\.md|CMakeLists\.txt|CMakePresets\.json|CONTRIBUTING\.md|Dockerfile|LICENSE|README\.md|dev'
readonly folders='cmake|configs|docs|plugins|runtime|sdk|tests|tools'

# What belongs to a tool begins with a dot. Without git, as in an archive of the sources, every file counts.
while read -r name; do
    violation "$name:1: is neither a source nor a document of the top folder: remove it, or add it to this check's list"
done < <({ git -C "$root" ls-files 2>/dev/null || (cd "$root" && find . -type f | sed 's|^\./||' | sort); } |
    { grep -vE "^(\\.|($files)\$|($folders)/)" || true; })

finish
