#!/usr/bin/env bash
# The Dockerfile, which no engine tries here, matches what is built: container.sh ROOT FILE...
# Its first stage leaves its packages to ./dev; the last lists those that own the libraries which the
# files (programs, engine, plugins) are linked with, and what is opened or read at run time.

set -euo pipefail
root=$1
shift
dockerfile=$root/Dockerfile
failure_count=0

report() {
    printf '%s\n' "$*"
    failure_count=$((failure_count + 1))
}

command -v dpkg-query >/dev/null || {
    echo "skipped: there is no dpkg here"
    exit 77
}

for command in './dev setup' './dev build release installed'; do
    grep -qE "^RUN .*$command" "$dockerfile" || report "Dockerfile: does not run $command"
done
# What its first stage copies is all that ./dev reads before it begins.
copied=$(mktemp -d)
trap 'rm -rf "$copied"' EXIT
while read -r file folder; do
    mkdir -p "$copied/$folder"
    cp "$root/$file" "$copied/$folder"
done < <(sed -nE '/ AS packages$/,/^FROM packages/s/^COPY ([^ ]+) ([^ ]+)$/\1 \2/p' "$dockerfile")
(cd "$copied" && ./dev help >/dev/null) || report "Dockerfile: ./dev needs other files than the first stage copies"
grep -q '"target": "packages"' "$root/.devcontainer/devcontainer.json" ||
    report ".devcontainer/devcontainer.json: is not the stage 'packages' of the Dockerfile"

# Neither is linked: OpenBLAS is what libblas.so.3 should be, Graphviz is opened on demand, the font is
# what it draws with, the data are the first experiment's.
run_time=(dataset-fashion-mnist fonts-dejavu-core libgvc6 libopenblas0-openmp)
mapfile -t from_dev < <(sed -n '/^readonly packages=(/,/)/p' "$root/dev" | grep -oE '[a-z][a-z0-9.+-]+')
for package in "${run_time[@]}"; do
    [[ " ${from_dev[*]} " == *" $package "* ]] || report "container.sh: ./dev does not install $package"
done

libraries=$(ldconfig -p)
owner() {
    local path
    path=$(awk -v name="$1" '$1 == name && !count++ { print $NF }' <<<"$libraries")
    [[ -n $path ]] || return 0  # of a libtorch that is no package
    path=$(readlink -f "$path")
    { dpkg-query --search "$path" || dpkg-query --search "${path#/usr}"; } 2>/dev/null | sed -n '1s/:.*//p'
}

# In every Debian: the C and C++ libraries. The container has no sanitizers.
mapfile -t needed < <(
    for file in "$@"; do
        readelf --dynamic "$file" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'
    done | sort -u | while IFS= read -r library; do
        owner "$library"
    done | grep -vE '^(libc6|libgcc-s1|libstdc\+\+6|lib[alt]san[0-9]+|libubsan[0-9]+)$' | sort -u)
listed=$(sed -n '/^FROM debian:12-slim$/,$p' "$dockerfile" |
    sed -nE 's/^        ([a-z0-9.+-]+)( && \\| \\)?$/\1/p' | sort -u)
wanted=$(printf '%s\n' "${needed[@]}" "${run_time[@]}" | sort -u)
while IFS= read -r package; do
    report "Dockerfile: lacks $package"
done < <(comm -13 <(printf '%s\n' "$listed") <(printf '%s\n' "$wanted"))
while IFS= read -r package; do
    report "Dockerfile: $package is needed by nothing that is built"
done < <(comm -23 <(printf '%s\n' "$listed") <(printf '%s\n' "$wanted"))

[[ $failure_count -eq 0 ]] || exit 1
