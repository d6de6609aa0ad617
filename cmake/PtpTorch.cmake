# Target ptp::torch: libtorch's headers (as SYSTEM) and libraries.
# PTP_LIBTORCH_FINGERPRINT: text that names the exact libtorch build, as a cache variable and as a
# property of ptp::torch. Host and plugin must have been built with the same one.
#
# Libtorch's own package configuration is not used: it asks for protobuf, gflags and, for a build
# with CUDA, a whole CUDA toolkit, none of which a component needs, and it sets compiler flags.
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

# The version is that of the package which owns the library, because Debian's headers and file
# name say 1.13.0 where the package is 1.13.1; else that of the headers.
function(ptp_torch_fingerprint out)
  set(header "${PTP_TORCH_INCLUDE_DIR}/torch/headeronly/version.h") # from 2.10 on
  if(NOT EXISTS "${header}")
    set(header "${PTP_TORCH_INCLUDE_DIR}/torch/csrc/api/include/torch/version.h")
  endif()
  file(STRINGS "${header}" lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "[^0-9;]" "" numbers "${lines}")
  list(JOIN numbers "." version)
  if(NOT version MATCHES "^[0-9]+\\.[0-9]+\\.[0-9]+$")
    message(FATAL_ERROR "${header}: does not say which version libtorch has")
  endif()

  file(REAL_PATH "${PTP_TORCH_CPU_LIBRARY}" library)
  find_program(PTP_DPKG_QUERY dpkg-query)
  mark_as_advanced(PTP_DPKG_QUERY)
  if(PTP_DPKG_QUERY)
    execute_process(COMMAND "${PTP_DPKG_QUERY}" --search "${library}"
      OUTPUT_VARIABLE owner ERROR_QUIET RESULT_VARIABLE status)
    if(status EQUAL 0)
      string(REGEX REPLACE ": .*" "" owner "${owner}")
      execute_process(COMMAND "${PTP_DPKG_QUERY}" --show "--showformat=\${Version}" "${owner}"
        OUTPUT_VARIABLE packaged ERROR_QUIET)
      if(packaged MATCHES "^([0-9]+:)?([0-9]+\\.[0-9]+\\.[0-9]+)")
        set(version "${CMAKE_MATCH_2}")
      endif()
    endif()
  endif()

  execute_process(COMMAND "${CMAKE_READELF}" --dynamic "${library}"
    OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
  if(NOT dynamic MATCHES "Library soname: \\[([^]]+)\\]")
    message(FATAL_ERROR "${library}: has no soname; is it libtorch?")
  endif()
  set(${out} "${version} (${CMAKE_MATCH_1})" PARENT_SCOPE)
endfunction()

# Each time anew: an upgrade changes the library and leaves its path.
ptp_torch_fingerprint(fingerprint)
set(PTP_LIBTORCH_FINGERPRINT "${fingerprint}" CACHE INTERNAL "The libtorch build in use")
message(STATUS "libtorch ${PTP_LIBTORCH_FINGERPRINT}")

add_library(ptp_torch INTERFACE)
add_library(ptp::torch ALIAS ptp_torch)
set_target_properties(ptp_torch PROPERTIES PTP_LIBTORCH_FINGERPRINT "${PTP_LIBTORCH_FINGERPRINT}")
target_include_directories(ptp_torch SYSTEM INTERFACE
  "${PTP_TORCH_INCLUDE_DIR}"
  "${PTP_TORCH_INCLUDE_DIR}/torch/csrc/api/include")

# Nothing refers to libtorch.so by symbol, but it is what brings the CUDA kernels along.
target_link_libraries(ptp_torch INTERFACE
  "-Wl,--push-state,--no-as-needed,${PTP_TORCH_LIBRARY},--pop-state"
  "${PTP_TORCH_CPU_LIBRARY}"
  "${PTP_C10_LIBRARY}")

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
