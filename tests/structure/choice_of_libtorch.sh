#!/usr/bin/env bash
# choice_of_libtorch.sh ROOT: what `--torch` of ./dev chooses, installs and refuses, with a pip that makes up
# what it installs.

set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME=$scratch/cache
failures=0

# make_torch FOLDER VERSION [FLAGS]: what a wheel of torch has of all that is looked at.
make_torch() {
    mkdir -p "$1"/torch/{lib,include/torch/headeronly,share/cmake/Torch} "$1/torch-$2.dist-info"
    cp /bin/true "$1/torch/lib/libtorch_cpu.so"
    printf '#define TORCH_VERSION_%s\n' "MAJOR ${2%%.*}" "MINOR $(cut -d. -f2 <<<"$2")" "PATCH ${2##*.}" \
        >"$1/torch/include/torch/headeronly/version.h"
    echo "set(TORCH_CXX_FLAGS \"${3-}\")" >"$1/torch/share/cmake/Torch/TorchConfig.cmake"
    printf '%s\n' "Name: torch" "Version: $2" "Requires-Dist: sympy>=1.13.3" \
        'Requires-Dist: cuda-toolkit[cublas,cudart,cupti]==13.2.2; platform_system == "Linux"' \
        'Requires-Dist: nvidia-cuda-cupti-cu12==12.6.80; platform_system == "Linux"' \
        'Requires-Dist: nvidia-cudnn-cu13==9.26.0.51; platform_system == "Linux"' >"$1/torch-$2.dist-info/METADATA"
}

# -m pip install OPTION... --target FOLDER REQUIREMENT...
python3() {
    [[ $pip != missing ]] || { echo "No module named pip"; return 1; }
    [[ $3 == install ]] || return 0
    echo "${*:11}" >>"$scratch/asked"
    case "${*:11}" in
        *torch==9.9.9) return 1 ;;
        *torch==2.6.0) make_torch "${10}" 2.6.0 -D_GLIBCXX_USE_CXX11_ABI=0 ;;
        *torch==2.7.1) make_torch "${10}" 2.7.1 ;;
        *torch) make_torch "${10}" 2.15.0 ;;
    esac
}

say() { printf 'dev: %s\n' "$*"; }
fail() { say "$*"; exit 1; }

# run COMMAND...: in a shell of its own, in which the script is sourced.
run() {
    set +e
    (
        set -e
        # shellcheck source=cmake/libtorch.sh
        source "$root/cmake/libtorch.sh"
        "$@"
    ) >"$scratch/output" 2>&1
    set -e
}

# expect WHAT TEXT: the output is this.
expect() {
    [[ $(cat "$scratch/output") == "$2" ]] || {
        printf '%s\n  expected: %s\n  not: %s\n' "$1" "$2" "$(cat "$scratch/output")"
        failures=$((failures + 1))
    }
}

# shellcheck disable=SC2031  # all of it in one subshell
found() {
    take_torch "$@"
    find_torch
    echo "${torch_folder#"$XDG_CACHE_HOME/"} $torch_version: ${arguments[*]}"
}

set_up() {
    take_torch "$@"
    setup_pip_torch
    find_torch
}

root=$1 pip=present cache=$scratch/cache/ptp

run found -R config
expect "Debian's is the default" " : -R config"
run found --torch
expect "a libtorch is missing" "dev: --torch needs a libtorch: debian, pip, pip==VERSION or a folder"
run found --torch conda
expect "an unknown libtorch" \
    "dev: unknown libtorch 'conda'; there are: debian, pip, pip==VERSION, or a folder such as ./libtorch"
run found --torch pip
expect "pip before setup" "dev: --torch pip: not installed; run ./dev setup --torch pip first"
run found --torch pip==2.7.1
expect "a release before setup" "dev: --torch pip==2.7.1: not installed; run ./dev setup --torch pip==2.7.1 first"
run found --torch "$scratch/none"
expect "a folder without libtorch" "dev: --torch $scratch/none: has no lib/libtorch_cpu.so.
  Name the folder of an unpacked libtorch, or site-packages/torch of a Python installation."

pip=missing
run set_up --torch pip
expect "without pip" "dev: --torch pip needs pip of Python 3, which is not here.
  Install it (apt-get install python3-pip), or unpack a libtorch yourself: ./dev build --torch /path/to/libtorch"
pip=present
run set_up --torch pip==9.9.9
expect "pip fails" "dev: installing torch==9.9.9 in $cache: a download of up to 1 GB
dev: pip could not install torch==9.9.9; its message is above.
  Without a network, copy $cache/torch-VERSION from another machine, or use Debian's libtorch (--torch debian)."
run set_up --torch pip==2.6.0
expect "the old strings" "dev: installing torch==2.6.0 in $cache: a download of up to 1 GB
dev: torch 2.6.0 of the Python package index was built with the old std::string
  (_GLIBCXX_USE_CXX11_ABI=0), with which nothing here can be linked; take 2.7.0 or newer."
ls -A "$cache" >"$scratch/output"
expect "what could not be installed leaves nothing" ""

: >"$scratch/asked"
run set_up --torch pip
expect "the newest release" "dev: installing torch in $cache: a download of up to 1 GB
dev: libtorch 2.15.0 is in $cache/torch-2.15.0; to build with it: ./dev build --torch pip"
cp "$scratch/asked" "$scratch/output"
expect "the small wheels by their names in the metadata" "--no-deps torch
cuda-toolkit[cudart,cupti]==13.2.2 nvidia-cuda-cupti-cu12==12.6.80"
run set_up --torch pip==2.7.1
run set_up --torch pip
expect "nothing is installed twice" "dev: nothing to do: libtorch is in $cache/torch-2.15.0; for another one: \
./dev setup --torch pip==VERSION"
run found debug --torch pip -j1
expect "the newest one that is installed" "ptp/torch-2.15.0/torch 2.15.0: debug -j1"
run found --torch=pip==2.7.1
expect "a release by its number" "ptp/torch-2.7.1/torch 2.7.1: "
run found --torch "$cache/torch-2.7.1/../torch-2.7.1/torch"
expect "a folder" "ptp/torch-2.7.1/torch 2.7.1: "

[[ $failures -eq 0 ]]
