# With PTP_SANITIZE every program carries the options of tests/sanitizers, so that it does the right
# thing however it is started; ASAN_OPTIONS and the like override them.

if(PTP_SANITIZE)
  add_library(ptp_sanitizers OBJECT "${PROJECT_SOURCE_DIR}/tests/sanitizers/options.c")
  target_compile_definitions(ptp_sanitizers PRIVATE
    "PTP_SUPPRESSIONS=\"${PROJECT_SOURCE_DIR}/tests/sanitizers\"")
  link_libraries(
    "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:ptp_sanitizers>>")
  if(PTP_SANITIZE STREQUAL "thread") # also for what opens libtorch later
    foreach(symbol IN ITEMS GOMP_parallel _ZN3c108free_cpuEPv _ZN3c1010TensorImplD0Ev)
      add_link_options("$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:LINKER:--export-dynamic-symbol=${symbol}>")
    endforeach()
  endif()
endif()

# For what includes Boost.Asio: gcc's thread sanitizer warns of its fences, which it does not know.
function(ptp_allow_fences target)
  if(PTP_SANITIZE STREQUAL "thread")
    target_compile_options(${target} PRIVATE -Wno-tsan)
  endif()
endfunction()
