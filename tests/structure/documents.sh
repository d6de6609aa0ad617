#!/usr/bin/env bash
# Links of documents lead to files and headings that exist, and what docs/where-is.md names exists: a file that declares a
# function, a type or a list, written as `FILE` (`NAME`). So do the documents that sources name.

# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
root=$1

mapfile -t documents < <(files . '*.md')
mapfile -t sources < <(for room in runtime sdk plugins tools cmake configs; do
    files "$room" '*.c' '*.h' '*.cpp' '*.hpp' '*.toml' '*.sh' '*.cmake' CMakeLists.txt
done)
cd "$root"

# "FILE#anchor" for each heading, as GitHub makes it: small letters, blanks as hyphens, without other marks.
declare -A anchors
while IFS= read -r anchor; do
    anchors[$anchor]=1
done < <(awk '
    FNR == 1 { is_code = 0 }
    /^```/ { is_code = !is_code }
    !is_code && /^#+ / {
        sub(/^#+ /, "")
        gsub(/\]\([^)]*\)/, "")
        $0 = tolower($0)
        gsub(/[^a-z0-9_ -]/, "")
        gsub(/ /, "-")
        print FILENAME "#" $0
    }' "${documents[@]}")

while IFS=: read -r file line link; do
    link=${link#*(} link=${link%)}
    [[ $link != *://* && $link != mailto:* ]] || continue
    path=${link%%#*} heading=
    [[ $link != *#* ]] || heading=${link#*#}
    target=$file
    [[ -z $path ]] || target=$(realpath -sm --relative-to=. "$(dirname "$file")/$path")
    if [[ ! -e $target ]]; then
        violation "$file:$line: links to '$link', which is not there"
    elif [[ -n $heading && -z ${anchors[$target#$heading]:-} ]]; then
        violation "$file:$line: links to '$link', and $target has no such heading"
    fi
done < <(grep -noE '\]\([^) ]+\)' /dev/null "${documents[@]}")

# Fails for a name that the file only uses: calls are inside of functions, or have a '.', '->' or '=' before them.
declares() {
    local file=$1 name=$2
    local type="^ *(struct|class|enum|enum class|using|concept) $name\b"
    local function="^([A-Za-z_[][^=(]*[ *&:])?$name\(|^    [A-Za-z_[][^=(]*[ *&]$name\("
    local of_cmake="^(set|function|macro)\($name\b"
    grep -E "$type|$function|$of_cmake" "$file" | grep -qvE '^ *(return|throw|else|delete|co_[a-z]+) '
}

# Messages and comments name documents, too.
while IFS=: read -r file line document; do
    [[ -e $document ]] || violation "$file:$line: names '$document', which is not there"
done < <(grep -noE '\bdocs/[a-z_/-]+\.md\b' /dev/null "${sources[@]}")

while IFS=: read -r line file name; do
    if [[ ! -f $file ]]; then
        violation "docs/where-is.md:$line: names the file '$file', which is not there"
    elif ! declares "$file" "$name"; then
        violation "docs/where-is.md:$line: names '$name', which $file does not declare"
    fi
done < <(grep -snoE '`[^`]+` \(`[^`]+`\)' docs/where-is.md | sed -E 's/^([0-9]+):`([^`]+)` \(`([^`]+)`\)$/\1:\2:\3/')

finish
