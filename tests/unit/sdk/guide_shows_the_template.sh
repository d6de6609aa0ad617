#!/usr/bin/env bash
# guide_shows_the_template.sh ROOT: the code in docs/authoring/writing.md equals the template's, and its
# indented lines stand in the sources.

set -euo pipefail
guide=$1/docs/authoring/writing.md
template=$(<"$1/sdk/template/loss/my_component.cpp")
status=0

block=
while IFS= read -r line; do
    if [[ $line == '```' ]]; then
        [[ $template == *"${block%$'\n'}"* ]] || { echo "not in the template:"; echo "$block"; status=1; }
        block=
    else
        block+=$line$'\n'
    fi
done < <(awk '/^```cpp$/ { inside = 1; next } inside { print } /^```$/ { inside = 0 }' "$guide")

while IFS= read -r line; do
    grep -rqF "$line" "$1/sdk" "$1/plugins" || { echo "in no source: $line"; status=1; }
done < <(awk '/^```/ { inside = !inside } !inside && sub(/^    /, "") { print }' "$guide")
exit $status
