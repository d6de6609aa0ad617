# ptp_add_test(<name> SOURCES <file>... [LIBS <target>...] [TORCH] [LABELS <label>...])
#
# Builds the test program `<name>` from all the files and adds one test per file `*_test.cpp`,
# named after its path: tests/unit/base/value_test.cpp is `unit.base.value`. (Not one per
# test case: a program that links libtorch needs a second to start.)
#
#   TORCH  the tests use libtorch; without it they cannot, and start in a millisecond
#
# Include root: tests/, for the helpers in tests/support.

# OpenBLAS takes its oldest kernels on a processor that is newer than it. Golden values are compared
# with kernels that most machines have.
set(ptp_test_blas "")
if(EXISTS /proc/cpuinfo)
  file(STRINGS /proc/cpuinfo flags REGEX "^flags.* fma .* avx2 " LIMIT_COUNT 1)
  if(flags)
    set(ptp_test_blas "OPENBLAS_CORETYPE=Haswell")
  endif()
endif()

# No test finds the plugins of who runs it, nor what ptp-inspect remembers of them. The compiler's
# cache stays where it is.
set(ptp_test_home "${PROJECT_BINARY_DIR}/tests/home")
file(WRITE "${ptp_test_home}/environment.cmake"
  "if(NOT DEFINED ENV{CCACHE_DIR} AND NOT DEFINED ENV{XDG_CACHE_HOME})\n"
  "  set(ENV{CCACHE_DIR} \"\$ENV{HOME}/.cache/ccache\")\n"
  "elseif(NOT DEFINED ENV{CCACHE_DIR})\n"
  "  set(ENV{CCACHE_DIR} \"\$ENV{XDG_CACHE_HOME}/ccache\")\n"
  "endif()\n"
  "set(ENV{XDG_DATA_HOME} \"${ptp_test_home}/data\")\n"
  "set(ENV{XDG_CACHE_HOME} \"${ptp_test_home}/cache\")\n")
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${ptp_test_home}/environment.cmake")

function(ptp_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH" "" "SOURCES;LIBS;LABELS")
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ptp_add_test(${name}): usage: <name> SOURCES <file>... "
      "[LIBS <target>...] [TORCH] [LABELS <label>...]")
  endif()

  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ptp_test_support ptp::warnings ${arg_LIBS})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  set(environment "")
  if(arg_TORCH)
    target_link_libraries(${name} PRIVATE ptp::torch)
    ptp_use_torch_pch(${name} O1)
    list(APPEND environment "OMP_NUM_THREADS=1" ${ptp_test_blas})
    list(APPEND arg_LABELS torch)
  else() # optimizing takes half the compiler's time of such a file, and its checks take milliseconds
    target_compile_options(${name} PRIVATE "$<$<CONFIG:Release>:-O0>")
  endif()

  set(timeout 300)
  if("slow" IN_LIST arg_LABELS)
    set(timeout 1800)
  endif()
  if(PTP_SANITIZE) # all takes several times as long
    math(EXPR timeout "${timeout} * 4")
  endif()

  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}/tests" "${CMAKE_CURRENT_SOURCE_DIR}")
  foreach(source IN LISTS arg_SOURCES)
    if(NOT source MATCHES "^(.*)_test\\.cpp$")
      continue()
    endif()
    string(REPLACE "/" "." test "${folder}/${CMAKE_MATCH_1}")
    add_test(NAME ${test} COMMAND ${name} "--source-file=*tests/${folder}/${source}")
    # A filter that no longer matches anything would otherwise pass with nothing tested.
    set_tests_properties(${test} PROPERTIES
      LABELS "${arg_LABELS}"
      ENVIRONMENT "${environment}"
      FAIL_REGULAR_EXPRESSION "test cases: +0 "
      TIMEOUT ${timeout})
  endforeach()
endfunction()
