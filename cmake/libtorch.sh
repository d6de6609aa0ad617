# Which libtorch: Debian's, one of the Python package index, or one in a folder. Sourced by ./dev, which has
# say() and fail().
# shellcheck shell=bash disable=SC2034  # torch_version: ./dev uses it

readonly pip_torches=${XDG_CACHE_HOME:-$HOME/.cache}/ptp

torch=debian

# take_torch ARGUMENT...: sets `torch` to the value of --torch, and `arguments` to the others.
take_torch() {
    arguments=()
    while [[ $# -gt 0 ]]; do
        case $1 in
            --torch)
                [[ $# -ge 2 ]] || fail "--torch needs a libtorch: debian, pip, pip==VERSION or a folder"
                torch=$2
                shift
                ;;
            --torch=*) torch=${1#--torch=} ;;
            *) arguments+=("$1") ;;
        esac
        shift
    done
    case $torch in
        debian | pip | pip==[0-9]* | */*) ;;
        *) fail "unknown libtorch '$torch'; there are: debian, pip, pip==VERSION, or a folder such as ./libtorch" ;;
    esac
}

# The newest one that is installed, as a folder; nothing if there is none.
newest_pip_torch() {
    local folder
    for folder in "$pip_torches"/torch-*/torch; do
        [[ ! -d $folder ]] || printf '%s\n' "$folder"
    done | sort --version-sort | tail -n 1
}

# Sets `torch_folder`, which has include/ and lib/, and `torch_version`; both empty for Debian's.
find_torch() {
    torch_folder='' torch_version=''
    case $torch in
        debian) return ;;
        pip) torch_folder=$(newest_pip_torch) ;;
        pip==*) torch_folder=$pip_torches/torch-${torch#pip==}/torch ;;
        *) torch_folder=$(realpath -m "$torch") ;;
    esac
    if [[ ! -f $torch_folder/lib/libtorch_cpu.so ]]; then
        [[ $torch == pip* ]] && fail "--torch $torch: not installed; run ./dev setup --torch $torch first"
        fail "--torch $torch: has no lib/libtorch_cpu.so.
  Name the folder of an unpacked libtorch, or site-packages/torch of a Python installation."
    fi
    local header=$torch_folder/include/torch/headeronly/version.h # from 2.10 on
    [[ -f $header ]] || header=$torch_folder/include/torch/csrc/api/include/torch/version.h
    torch_version=$(sed -nE 's/^#define TORCH_VERSION_(MAJOR|MINOR|PATCH) //p' "$header" | paste -sd .)
}

into_folder() {
    python3 -m pip install --no-cache-dir --no-compile --no-warn-script-location --root-user-action ignore \
        --target "$@"
}

# What libtorch_cpu.so needs besides torch itself, although it computes without CUDA: two small wheels, by the
# names that the metadata of torch have for them.
runtime_wheels() {
    sed -nE -e 's/^Requires-Dist: (nvidia-cuda-(runtime|cupti)(-cu[0-9]+)?==[^ ;]+).*/\1/p' \
        -e 's/^Requires-Dist: cuda-toolkit\[[^]]*\](==[^ ;]+).*/cuda-toolkit[cudart,cupti]\1/p' "$1"
}

# Installs torch of the Python package index without all that CUDA needs, which takes gigabytes.
setup_pip_torch() {
    local wanted=${torch/#pip/torch} folder version wheels missing
    folder=$pip_torches/torch-${torch#pip==}
    [[ $torch != pip ]] || folder=$(newest_pip_torch)
    if [[ -d $folder ]]; then
        say "nothing to do: libtorch is in ${folder%/torch}; for another one: ./dev setup --torch pip==VERSION"
        return
    fi
    python3 -m pip --version >/dev/null 2>&1 || fail "--torch $torch needs pip of Python 3, which is not here.
  Install it (apt-get install python3-pip), or unpack a libtorch yourself: ./dev build --torch /path/to/libtorch"

    mkdir -p "$pip_torches"
    unfinished=$(mktemp -d "$pip_torches/unfinished-XXXXXX")
    trap 'rm -rf "$unfinished"' EXIT
    say "installing $wanted in $pip_torches: a download of up to 1 GB"
    into_folder "$unfinished" --no-deps "$wanted" || fail "pip could not install $wanted; its message is above.
  Without a network, copy $pip_torches/torch-VERSION from another machine, or use Debian's libtorch (--torch debian)."
    version=$(sed -n 's/^Version: //p' "$unfinished"/torch-*.dist-info/METADATA | head -n 1)
    ! grep -qs _GLIBCXX_USE_CXX11_ABI=0 "$unfinished/torch/share/cmake/Torch/TorchConfig.cmake" ||
        fail "torch $version of the Python package index was built with the old std::string
  (_GLIBCXX_USE_CXX11_ABI=0), with which nothing here can be linked; take 2.7.0 or newer."
    mapfile -t wheels < <(runtime_wheels "$unfinished"/torch-*.dist-info/METADATA)
    [[ ${#wheels[@]} -eq 0 ]] || into_folder "$unfinished" "${wheels[@]}" ||
        fail "pip could not install ${wheels[*]}; its message is above"
    missing=$(ldd "$unfinished/torch/lib/libtorch_cpu.so" | sed -n 's/ => not found//p' | paste -sd ' ')
    [[ -z $missing ]] || fail "libtorch_cpu.so of torch $version needs libraries that were not found: $missing"
    rm -rf "$pip_torches/torch-$version"
    mv "$unfinished" "$pip_torches/torch-$version"
    chmod 755 "$pip_torches/torch-$version"
    say "libtorch $version is in $pip_torches/torch-$version; to build with it: ./dev build --torch $torch"
}
