# Target ptp::torch: libtorch's headers (as SYSTEM) and libraries.
# PTP_LIBTORCH_FINGERPRINT: text that names the exact libtorch build, as a cache variable and as a
# property of ptp::torch. Host and plugin must have been built with the same one.
#
# Libtorch's own package configuration is not used: it asks for protobuf, gflags and, for a build
# with CUDA, a whole CUDA toolkit, which components do not need, and it sets compiler flags.
# A libtorch elsewhere than in the system's folders is found through CMAKE_PREFIX_PATH.

find_path(PTP_TORCH_INCLUDE_DIR torch/csrc/api/include/torch/torch.h)
find_library(PTP_TORCH_LIBRARY torch)
find_library(PTP_TORCH_CPU_LIBRARY torch_cpu)
find_library(PTP_C10_LIBRARY c10)
if(NOT PTP_TORCH_INCLUDE_DIR OR NOT PTP_TORCH_LIBRARY OR NOT PTP_TORCH_CPU_LIBRARY
   OR NOT PTP_C10_LIBRARY)
  message(FATAL_ERROR
    "libtorch was not found. Install it (`./dev setup`), or name its folder: "
    "-DCMAKE_PREFIX_PATH=/path/to/libtorch")
endif()

include("${CMAKE_CURRENT_LIST_DIR}/PtpTorchParts.cmake")

# Each time anew: an upgrade changes the library and leaves its path.
ptp_torch_fingerprint(fingerprint)
set(PTP_LIBTORCH_FINGERPRINT "${fingerprint}" CACHE INTERNAL "The libtorch build in use")
message(STATUS "libtorch ${PTP_LIBTORCH_FINGERPRINT}")

ptp_torch_headers(PTP_TORCH_HEADERS)
ptp_torch_missing(missing "${PTP_TORCH_CPU_LIBRARY}")
if(missing)
  message(FATAL_ERROR "${PTP_TORCH_CPU_LIBRARY}: needs ${missing}, not found; of a libtorch from the "
    "Python package index `./dev setup --torch pip` installs them too")
endif()
ptp_torch_missing(missing "${PTP_TORCH_LIBRARY}")
if(missing)
  message(STATUS "libtorch is used without CUDA, which needs ${missing}, not found")
endif()

add_library(ptp_torch INTERFACE)
add_library(ptp::torch ALIAS ptp_torch)
set_target_properties(ptp_torch PROPERTIES PTP_LIBTORCH_FINGERPRINT "${PTP_LIBTORCH_FINGERPRINT}")
target_include_directories(ptp_torch SYSTEM INTERFACE
  "${PTP_TORCH_HEADERS}"
  "${PTP_TORCH_HEADERS}/torch/csrc/api/include")

# Nothing refers to libtorch.so by symbol, but it is what brings the CUDA kernels along. That of the Python package index
# exports parts of the standard library (std::filesystem::remove_all) that crash: the real one comes first.
if(NOT missing)
  set(before "")
  if(NOT PTP_TORCH_INCLUDE_DIR IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    set(before "-lstdc++,")
  endif()
  target_link_libraries(ptp_torch INTERFACE
    "-Wl,--push-state,--no-as-needed,${before}${PTP_TORCH_LIBRARY},--pop-state")
endif()
target_link_libraries(ptp_torch INTERFACE "${PTP_TORCH_CPU_LIBRARY}" "${PTP_C10_LIBRARY}")

# The other libraries exchange std::string with the engine, and are not built with the old one.
find_file(PTP_TORCH_CONFIG TorchConfig.cmake PATH_SUFFIXES
  share/cmake/Torch "lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/Torch" lib/cmake/Torch)
mark_as_advanced(PTP_TORCH_CONFIG)
if(PTP_TORCH_CONFIG)
  file(STRINGS "${PTP_TORCH_CONFIG}" old_strings REGEX "_GLIBCXX_USE_CXX11_ABI=0")
  if(old_strings)
    message(FATAL_ERROR "${PTP_TORCH_CPU_LIBRARY}: was built with the old std::string "
      "(_GLIBCXX_USE_CXX11_ABI=0); take a libtorch built with the C++11 ABI, as all are from 2.7 on")
  endif()
endif()

# Target ptp::torch_nccl, where libtorch computes with CUDA and the headers of CUDA and NCCL are there: beside those of
# libtorch in a Python installation, or in the system's folders.
if(NOT missing)
  cmake_path(GET PTP_TORCH_INCLUDE_DIR PARENT_PATH folder)
  cmake_path(GET folder PARENT_PATH packages)
  find_path(PTP_NCCL_INCLUDE_DIR nccl.h HINTS "${packages}/nvidia/nccl/include")
  find_path(PTP_CUDA_INCLUDE_DIR cusolverDn.h
    HINTS "${packages}/nvidia/cu13/include" /usr/local/cuda/include)
  cmake_path(GET PTP_TORCH_LIBRARY PARENT_PATH libraries)
  find_library(PTP_TORCH_CUDA_LIBRARY torch_cuda PATHS "${libraries}" NO_DEFAULT_PATH)
  find_library(PTP_C10_CUDA_LIBRARY c10_cuda PATHS "${libraries}" NO_DEFAULT_PATH)
  mark_as_advanced(PTP_NCCL_INCLUDE_DIR PTP_CUDA_INCLUDE_DIR PTP_TORCH_CUDA_LIBRARY
    PTP_C10_CUDA_LIBRARY)
  if(PTP_NCCL_INCLUDE_DIR AND EXISTS "${PTP_CUDA_INCLUDE_DIR}/crt/host_config.h" AND EXISTS "${PTP_CUDA_INCLUDE_DIR}/nv/target"
     AND PTP_TORCH_CUDA_LIBRARY AND PTP_C10_CUDA_LIBRARY
     AND NOT PTP_LIBTORCH_FINGERPRINT MATCHES "^(1|2\\.[0-3])\\.") # older ones wait without a limit
    message(STATUS "gradients on CUDA devices are summed by NCCL")
    add_library(ptp_torch_nccl INTERFACE)
    add_library(ptp::torch_nccl ALIAS ptp_torch_nccl)
    target_include_directories(ptp_torch_nccl SYSTEM INTERFACE
      "${PTP_NCCL_INCLUDE_DIR}" "${PTP_CUDA_INCLUDE_DIR}")
    target_compile_definitions(ptp_torch_nccl INTERFACE PTP_HAS_NCCL)
    target_link_libraries(ptp_torch_nccl INTERFACE
      "${PTP_TORCH_CUDA_LIBRARY}" "${PTP_C10_CUDA_LIBRARY}")
  endif()
endif()
