#!/usr/bin/env bash
# dependencies.sh FOLDER: puts what the Windows build needs of other libraries into FOLDER, once:
#
#   include/          the headers of libraries that are headers alone, linked from where Debian has them; the system's own
#                     folder of headers, /usr/include, is Linux's and must not be searched
#   program_options/  the sources of Boost.Program_options, of Debian's source package (140 MB are downloaded for it)
#
# Needs the packages that ./dev setup installs, and network for the source package. No root.

set -euo pipefail

folder=$(mkdir -p "$1" && cd "$1" && pwd)
headers=/usr/include

link_headers() {
    mkdir -p "$folder/include"
    local name
    for name in boost doctest fmt nlohmann toml++; do
        [[ -d $headers/$name ]] || { echo "$headers/$name is missing: run ./dev setup" >&2; exit 1; }
        ln -sfn "$headers/$name" "$folder/include/$name"
    done
    # The name of a type of OpenSSL is in a header of ours; the library is not used.
    mkdir -p "$folder/include/openssl"
    ln -sf "$headers"/openssl/*.h "$headers"/x86_64-linux-gnu/openssl/*.h "$folder/include/openssl/"
}

# apt-get with lists and sources of its own, so that the system's stay as they are.
apt_get() {
    local state=$1
    shift
    apt-get -q -o "Dir::State=$state" -o "Dir::Cache=$state/cache" -o "Dir::Etc::sourcelist=$state/sources.list" \
        -o "Dir::Etc::sourceparts=-" -o APT::Sandbox::User=root -o "Dir::State::status=/var/lib/dpkg/status" "$@"
}

download_program_options() {
    local version state
    version=$(sed -n 's/^#define BOOST_LIB_VERSION "\(.*\)"/\1/p' "$headers/boost/version.hpp" | tr _ .)
    state=$(mktemp -d)
    # shellcheck disable=SC2064
    trap "rm -rf '$state'" EXIT
    mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
    # shellcheck source=/dev/null
    echo "deb-src http://deb.debian.org/debian $(. /etc/os-release && echo "$VERSION_CODENAME") main" >"$state/sources.list"
    apt_get "$state" update >&2
    (cd "$state" && apt_get "$state" source --download-only "boost$version" >&2)
    mkdir -p "$state/unpacked"
    tar --extract --file "$(ls "$state"/boost*.orig.tar.*[a-z2])" --directory "$state/unpacked" --strip-components=1 \
        --wildcards '*/libs/program_options/src/*.cpp'
    mv "$state/unpacked/libs/program_options/src" "$folder/program_options"
}

link_headers
[[ -d $folder/program_options ]] || download_program_options
