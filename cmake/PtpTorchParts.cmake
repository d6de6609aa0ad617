# The parts of PtpTorch.cmake.

# The version is that of the package which owns the library, because Debian's headers and file
# name say 1.13.0 where the package is 1.13.1; else the version of the headers.
function(ptp_torch_fingerprint out)
  set(header "${PTP_TORCH_INCLUDE_DIR}/torch/headeronly/version.h") # from 2.10 on
  if(NOT EXISTS "${header}")
    set(header "${PTP_TORCH_INCLUDE_DIR}/torch/csrc/api/include/torch/version.h")
  endif()
  file(STRINGS "${header}" lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "[^0-9;]" "" numbers "${lines}")
  list(JOIN numbers "." version)
  if(NOT version MATCHES "^[0-9]+\\.[0-9]+\\.[0-9]+$")
    message(FATAL_ERROR "${header}: does not state which version libtorch has")
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

# The folder to include headers from. A libtorch outside the system's folders has headers of other
# libraries beside its own (fmt, protobuf, pybind11), which do not go with the system's libraries:
# its own alone are linked to from a folder of the build.
function(ptp_torch_headers out)
  if("${PTP_TORCH_INCLUDE_DIR}" IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    set(${out} "${PTP_TORCH_INCLUDE_DIR}" PARENT_SCOPE)
    return()
  endif()
  set(headers "${PROJECT_BINARY_DIR}/libtorch_headers")
  file(MAKE_DIRECTORY "${headers}")
  foreach(folder IN ITEMS ATen c10 caffe2 torch)
    file(REMOVE "${headers}/${folder}")
    if(EXISTS "${PTP_TORCH_INCLUDE_DIR}/${folder}")
      file(CREATE_LINK "${PTP_TORCH_INCLUDE_DIR}/${folder}" "${headers}/${folder}" SYMBOLIC)
    endif()
  endforeach()
  set(${out} "${headers}" PARENT_SCOPE)
endfunction()

# The libraries that the library needs, itself or by others, and that the loader does not find.
function(ptp_torch_missing out library)
  execute_process(COMMAND ldd "${library}" OUTPUT_VARIABLE needed ERROR_QUIET)
  string(REGEX MATCHALL "[^ \t\n]+ => not found" missing "${needed}")
  list(TRANSFORM missing REPLACE " => not found" "")
  list(REMOVE_DUPLICATES missing)
  list(JOIN missing ", " missing)
  set(${out} "${missing}" PARENT_SCOPE)
endfunction()
