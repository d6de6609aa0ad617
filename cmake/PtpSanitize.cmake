# With PTP_SANITIZE every program carries the options of tests/sanitizers, so that it does the right
# thing however it is started; ASAN_OPTIONS and the like override them.

if(PTP_SANITIZE)
  add_library(ptp_sanitizers OBJECT "${PROJECT_SOURCE_DIR}/tests/sanitizers/options.c")
  target_compile_definitions(ptp_sanitizers PRIVATE
    "PTP_SUPPRESSIONS=\"${PROJECT_SOURCE_DIR}/tests/sanitizers\"")
  link_libraries(
    "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:ptp_sanitizers>>")
endif()
