#!/usr/bin/env bash
# libtorch_in_a_folder.sh ROOT: how cmake/PtpTorch.cmake uses a libtorch outside the system's folders: with CUDA where
# all that it needs is there, without it otherwise, and with no headers of other libraries.

set -euo pipefail
root=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/libtorch

fail() { echo "$*"; cat "$scratch/log"; exit 1; }

# library NAME [NEEDED...]
# shellcheck disable=SC2016  # $ORIGIN is for the loader
library() {
    local needed=("${@:2}")
    echo "int ${1}_is_here;" |
        cc -shared -fPIC -x c - -x none -o "$prefix/lib/lib$1.so" -Wl,-soname,"lib$1.so",-rpath,'$ORIGIN',--no-as-needed \
            -L"$prefix/lib" "${needed[@]/#/-l}"
}

mkdir -p "$prefix"/{lib,include/{c10,fmt,torch/headeronly,torch/csrc/api/include/torch},share/cmake/Torch} "$scratch/project"
touch "$prefix/include/torch/csrc/api/include/torch/torch.h" "$prefix/include/fmt/core.h" "$prefix/include/c10/own.h"
printf '#define TORCH_VERSION_%s\n' "MAJOR 2" "MINOR 15" "PATCH 0" >"$prefix/include/torch/headeronly/version.h"
echo 'set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI=1")' >"$prefix/share/cmake/Torch/TorchConfig.cmake"
for name in cudart cudnn c10; do library "$name"; done
library torch_cpu c10 cudart
library torch_cuda torch_cpu cudnn
library torch torch_cpu torch_cuda

cat >"$scratch/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
include("$root/cmake/PtpTorch.cmake")
file(WRITE user.cpp "#include <c10/own.h>\n#if __has_include(<fmt/not_of_libtorch.h>)\n#error\n#endif\nint main() {}\n")
add_executable(user user.cpp)
target_link_libraries(user PRIVATE ptp::torch)
END
touch "$prefix/include/fmt/not_of_libtorch.h"

# configured: quietly; failing says why. CMake breaks long lines.
configured() {
    cmake --fresh -G Ninja -S "$scratch/project" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/log" 2>&1
}
said() { grep -qF -e "$1" <<<"$(tr -s ' \n' ' ' <"$scratch/log")" || fail "was not said: $1"; }
built() { cmake --build "$scratch/build" >"$scratch/log" 2>&1 || fail "was not built"; }
needs() { grep -qF "[lib$1.so]" <<<"$(readelf --dynamic "$scratch/build/user")"; }

configured || fail "was not configured"
said "-- libtorch 2.15.0 (libtorch_cpu.so)"
! grep -q "without CUDA" "$scratch/log" || fail "CUDA is there"
built
needs torch || fail "libtorch.so, which brings CUDA along, is not linked"
"$scratch/build/user" || fail "the program does not find its libraries"

rm "$prefix/lib/libcudnn.so"
configured || fail "was not configured without CUDA"
said "-- libtorch is used without CUDA, which needs libcudnn.so, not found"
built
! needs torch || fail "libtorch.so is linked, with which no program starts"
"$scratch/build/user" || fail "the program does not find its libraries without CUDA"

rm "$prefix/lib/libcudart.so"
! configured || fail "was configured without a library that libtorch_cpu.so needs"
said "$prefix/lib/libtorch_cpu.so: needs libcudart.so, not found; of a libtorch from the Python package index \
\`./dev setup --torch pip\` installs them too"

library cudart
echo 'set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI=0")' >"$prefix/share/cmake/Torch/TorchConfig.cmake"
! configured || fail "was configured with the old std::string"
said "$prefix/lib/libtorch_cpu.so: was built with the old std::string (_GLIBCXX_USE_CXX11_ABI=0); take a libtorch \
built with the C++11 ABI, as all are from 2.7 on"
