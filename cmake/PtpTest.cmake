# ptp_add_test(<name> SOURCES <file>... [ALL <file>...] [LIBS <target>...] [TORCH] [LABELS <label>...])
#
# Builds the test program `<name>` from all the files and adds one test per file `*_test.cpp`,
# named after its path: tests/unit/base/value_test.cpp is `unit.base.value`.
#
#   TORCH  the tests use libtorch, which takes half a second to start: there is one test for the whole
#          program, named after it, `unit.engine.engine` of engine_test. One file of it, by hand:
#          build/release/tests/engine_test --source-file='*data/pass_test.cpp'. Without TORCH they cannot
#          use libtorch, and start in a millisecond
#   ALL    files among SOURCES with a second test, `runs.limits.all` with the label `slow`: it runs all
#          cases, the first one some of them (tests/support/some_of.hpp)
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

function(ptp_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH" "" "SOURCES;ALL;LIBS;LABELS")
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ptp_add_test(${name}): usage: <name> SOURCES <file>... "
      "[ALL <file>...] [LIBS <target>...] [TORCH] [LABELS <label>...]")
  endif()

  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ptp_test_support ptp::warnings ${arg_LIBS})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  set(environment "")
  if(arg_TORCH)
    target_link_libraries(${name} PRIVATE ptp::torch)
    ptp_use_torch_pch(${name} Og)
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
  set(files ${arg_SOURCES})
  if(arg_TORCH)
    set(files "${name}.cpp")
  endif()
  foreach(source IN LISTS files)
    if(NOT source MATCHES "^(.*)_test\\.cpp$")
      continue()
    endif()
    string(REPLACE "/" "." test "${folder}/${CMAKE_MATCH_1}")
    if(arg_TORCH)
      add_test(NAME ${test} COMMAND ${name})
    else()
      add_test(NAME ${test} COMMAND ${name} "--source-file=*tests/${folder}/${source}")
    endif()
    # A filter that no longer matches anything would otherwise pass with nothing tested.
    set_tests_properties(${test} PROPERTIES
      LABELS "${arg_LABELS}"
      ENVIRONMENT "${environment}"
      ENVIRONMENT_MODIFICATION "${PTP_TEST_LIBRARIES}"
      FAIL_REGULAR_EXPRESSION "test cases: +0 "
      TIMEOUT ${timeout})
    # Begun first, so that none of them ends alone.
    if(test MATCHES "^(swap\\.failing_swaps|configs\\.run|runs\\.(ranks_failure|resume_change|together)|hostile\\.kit)")
      set_tests_properties(${test} PROPERTIES COST 60)
    endif()
    if(source IN_LIST arg_ALL)
      add_test(NAME ${test}.all COMMAND ${name} "--source-file=*tests/${folder}/${source}")
      set_tests_properties(${test}.all PROPERTIES
        LABELS "${arg_LABELS};slow"
        ENVIRONMENT "${environment};PTP_TEST_ALL=1"
        ENVIRONMENT_MODIFICATION "${PTP_TEST_LIBRARIES}"
        FAIL_REGULAR_EXPRESSION "test cases: +0 "
        TIMEOUT 1800)
    endif()
  endforeach()
endfunction()
