# ptp_add_cases(<plugin> <file>...)
#
# Tests of a plugin's components as data: a test `cases.<stem>` for each case file, which the program
# ptp-cases of the SDK runs on the plugin that ptp_add_plugin(<plugin>) builds. What a file has:
# docs/testing-components.md. ptp-cases uses libtorch, whatever the plugin uses.

function(ptp_add_cases plugin)
  if(NOT ARGN)
    message(FATAL_ERROR "ptp_add_cases(${plugin}): usage: <plugin> <file>...")
  endif()
  if(NOT TARGET ${plugin})
    message(FATAL_ERROR "ptp_add_cases(${plugin}): there is no plugin of this name; "
      "ptp_add_plugin() comes before it")
  endif()
  foreach(file IN LISTS ARGN)
    cmake_path(GET file STEM LAST_ONLY name)
    cmake_path(ABSOLUTE_PATH file)
    if(NOT EXISTS "${file}")
      message(FATAL_ERROR "ptp_add_cases(${plugin}): ${file}: there is no such file")
    endif()
    add_test(NAME cases.${name}
      COMMAND ptp-cases --plugin "$<TARGET_FILE:${plugin}>" "${file}")
    set_tests_properties(cases.${name} PROPERTIES
      LABELS plugin
      ENVIRONMENT "OMP_NUM_THREADS=1"
      TIMEOUT 300)
  endforeach()
endfunction()
