# shellcheck shell=bash
# Sourced by tests of what happens on a clean Debian: it needs root, mmdebstrap and Debian's archive. A
# test that sources it has `set -euo pipefail`.

skip() {
    echo "skipped: $*"
    exit 77
}

# require_clean_roots TOOL...: skips the test where there are none, or where a tool is missing.
require_clean_roots() {
    [[ $(id -u) -eq 0 ]] || skip "a clean root is made by root alone"
    local tool
    for tool in mmdebstrap "$@"; do
        command -v "$tool" >/dev/null || skip "there is no $tool here"
    done
    [[ $(sed -n 's/^ID=//p' /etc/os-release) == debian ]] ||
        skip "the packages are for the system that built them, which is not Debian"
    timeout 20 bash -c '</dev/tcp/deb.debian.org/80' 2>/dev/null || skip "Debian's archive cannot be reached"
}

# copy_packages PACKAGES FOLDER: what debian_packages.sh has made, to FOLDER/packages.
copy_packages() {
    [[ -d $1 ]] || skip "there are no packages in $1: install.debian_packages makes them"
    mkdir "$2/packages"
    cp "$1"/ptp-*.deb "$2/packages"
}

# in_clean_root LOG SCRIPT FILE...: makes a Debian with nothing but apt, copies script and files to /root,
# runs the script there with bash as a new root user, and removes all of it. The root does not outlive the
# test, so that dpkg need not wait for the disk, and it needs no translations of descriptions.
in_clean_root() {
    local log=$1 script=$2 suite
    suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    # shellcheck disable=SC2016  # $1 is for another shell
    mmdebstrap --quiet --variant=apt --format=null \
        --dpkgopt=force-unsafe-io --aptopt='Acquire::Languages "none"' \
        --customize-hook="copy-in ${*:2} /root" \
        --customize-hook='chroot "$1" env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            bash -euo pipefail /root/'"$(basename "$script")" \
        "$suite" >"$log" 2>&1
}
